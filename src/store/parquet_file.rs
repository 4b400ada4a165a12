//! A Parquet file that is being written. The library's own writer would keep some kilobytes for each column of each row
//! group until the end: here a row group is written by it alone, copied, and kept as the few bytes that the end of the
//! file says of it.

use super::hybrid;
use super::parquet::{OPTIONS, RowGroup};
use polars_arrow::datatypes::ArrowSchema;
use polars_error::{PolarsError, PolarsResult};
use polars_parquet::parquet::metadata::KeyValue;
use polars_parquet::write::{
    DynIter, DynStreamingIterator, FileWriter, fallible_streaming_iterator,
};
use polars_parquet_format::thrift::protocol::TCompactOutputProtocol;
use polars_parquet_format::{FileMetaData, RowGroup as WrittenGroup};
use std::io::{self, Write};

const MAGIC: &[u8] = b"PAR1";

pub struct ParquetFile<W: Write> {
    out: W,
    schema: ArrowSchema,
    /// How many bytes are written.
    offset: usize,
    rows: i64,
    groups: usize,
    /// What the end of the file says of each row group.
    row_groups: Vec<u8>,
}

impl<W: Write> ParquetFile<W> {
    pub(super) fn start(out: W, schema: ArrowSchema) -> Self {
        Self { out, schema, offset: 0, rows: 0, groups: 0, row_groups: Vec::new() }
    }

    pub(super) fn columns(&self) -> Vec<String> {
        self.schema.iter_names().map(ToString::to_string).collect()
    }

    pub fn append(&mut self, group: &RowGroup) -> io::Result<()> {
        if group.rows() == 0 {
            return Ok(());
        }
        self.begin()?;
        let (bytes, metadata) =
            alone(&self.schema, Some(group), Vec::new()).map_err(io::Error::other)?;
        for mut written in metadata.row_groups {
            written.file_offset = i64::try_from(self.offset).ok();
            written.ordinal = i16::try_from(self.groups).ok();
            self.rows += written.num_rows;
            self.groups += 1;
            self.copy(&bytes, &mut written)?;
            let mut protocol = TCompactOutputProtocol::new(&mut self.row_groups);
            written.write_to_out_protocol(&mut protocol).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Copies the pages of a row group out of a file of its own and says where they are now.
    fn copy(&mut self, bytes: &[u8], written: &mut WrittenGroup) -> io::Result<()> {
        for column in &mut written.columns {
            column.offset_index_offset = None;
            column.offset_index_length = None;
            // Nothing is said of a column outside of the file's end.
            column.file_offset = 0;
            let Some(of_column) = &mut column.meta_data else { continue };
            let start = of_column.dictionary_page_offset.unwrap_or(of_column.data_page_offset);
            let there = usize::try_from(start).unwrap_or_default();
            let length = usize::try_from(of_column.total_compressed_size).unwrap_or_default();
            let moved = i64::try_from(self.offset).map_err(io::Error::other)? - start;
            of_column.data_page_offset += moved;
            of_column.dictionary_page_offset =
                of_column.dictionary_page_offset.map(|offset| offset + moved);
            self.write(&bytes[there..there + length])?;
        }
        Ok(())
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.offset == 0 { self.write(MAGIC) } else { Ok(()) }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len();
        self.out.write_all(bytes)
    }

    pub fn finish(self) -> io::Result<W> {
        self.finish_with(Vec::new())
    }

    /// Ends the file with these texts, each under its name, beside the columns.
    pub fn finish_with(mut self, about: Vec<(String, String)>) -> io::Result<W> {
        self.begin()?;
        let (_, mut whole) = alone(&self.schema, None, about).map_err(io::Error::other)?;
        whole.num_rows = self.rows;
        let end = end_of(&whole, &self.row_groups, self.groups).map_err(io::Error::other)?;
        let length = u32::try_from(end.len()).map_err(io::Error::other)?;
        self.write(&end)?;
        self.write(&length.to_le_bytes())?;
        self.write(MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A file of one row group, or of none, and what its end says.
fn alone(
    schema: &ArrowSchema,
    group: Option<&RowGroup>,
    about: Vec<(String, String)>,
) -> PolarsResult<(Vec<u8>, FileMetaData)> {
    let mut writer = FileWriter::try_new(Vec::new(), schema.clone(), OPTIONS)?;
    if let Some(group) = group {
        let columns = group.columns.iter().map(|pages| {
            let pages = pages.iter().map(Ok::<_, PolarsError>);
            Ok(DynStreamingIterator::new(fallible_streaming_iterator::convert(pages)))
        });
        writer.write(group.rows() as u64, DynIter::new(columns))?;
    }
    let about = about.into_iter().map(|(key, value)| KeyValue { key, value: Some(value) });
    writer.end(Some(about.collect()))?;
    Ok(writer.into_inner_and_metadata())
}

/// What the end of a file says: of a file without row groups, with these in their place.
fn end_of(
    whole: &FileMetaData,
    groups: &[u8],
    count: usize,
) -> Result<Vec<u8>, polars_parquet_format::thrift::Error> {
    /// A list of structures that has none, with what says that it is the next part.
    const EMPTY: [u8; 2] = [0x19, 0x0c];
    let written = |metadata: &FileMetaData| {
        let mut bytes = Vec::new();
        metadata.write_to_out_protocol(&mut TCompactOutputProtocol::new(&mut bytes))?;
        Ok::<_, polars_parquet_format::thrift::Error>(bytes)
    };
    // The parts before the row groups, the empty list of them, and a byte that ends it all.
    let shortest = written(&FileMetaData {
        row_groups: Vec::new(),
        key_value_metadata: None,
        created_by: None,
        column_orders: None,
        ..whole.clone()
    })?;
    let before = shortest.len() - EMPTY.len() - 1;
    let all = written(whole)?;
    debug_assert!(all[before..].starts_with(&EMPTY), "the list is where it is taken to be");
    let mut bytes = all[..before].to_vec();
    bytes.push(EMPTY[0]);
    // Fifteen and more are told behind the kind of the list.
    if let Ok(few @ 0..15) = u8::try_from(count) {
        bytes.push(few << 4 | EMPTY[1]);
    } else {
        bytes.push(0xf0 | EMPTY[1]);
        hybrid::count(count, &mut bytes);
    }
    bytes.extend_from_slice(groups);
    bytes.extend_from_slice(&all[before + EMPTY.len()..]);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use crate::store::parquet::{Cells, Encoder};
    use crate::store::reader::TableReader;
    use crate::store::{Column, ColumnKind};

    #[test]
    fn any_number_of_row_groups_is_read_as_it_was_written() {
        let column = Column { name: "n", kind: ColumnKind::Int, may_be_empty: false };
        let encoder = Encoder::new(&[column]).expect("a plain column");
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("table.parquet");
        for groups in [0, 1, 14, 15, 16, 127, 128, 300] {
            let mut file = encoder.start(Vec::new());
            for number in 0..groups {
                let group = encoder.encode([Cells::Ints(vec![number, -number])]).expect("cells");
                file.append(&group).expect("in memory");
            }
            let about = vec![("about".to_owned(), "what".to_owned())];
            let bytes = file.finish_with(about).expect("in memory");
            std::fs::write(&path, bytes).expect("a file");
            let mut table = TableReader::open_file(&path).expect("a table");
            assert_eq!(table.about("about"), Some("what"));
            let read: Vec<_> = (0..table.groups())
                .map(|group| table.ints(group, "n").expect("a column"))
                .collect();
            let expected: Vec<_> = (0..groups).map(|number| vec![number, -number]).collect();
            assert_eq!(read, expected);
        }
    }
}
