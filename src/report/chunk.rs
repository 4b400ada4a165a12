//! Columns of a row group as they stand in a file, wherever in it that is.
//!
//! Nothing in these bytes says where they are, so that a row group can be encoded by any thread; only a
//! file's footer knows places.

use polars::error::{PolarsError, PolarsResult};
use polars_parquet_format::thrift::protocol::TCompactOutputProtocol;
use polars_parquet_format::{
    ColumnChunk, ColumnMetaData, CompressionCodec, DataPageHeader, DictionaryPageHeader, Encoding,
    PageHeader, PageType, Type,
};
use std::cell::RefCell;
use std::io;
use zstd::bulk::Compressor;

/// Level of compression: what is compressed at all shrinks well at the cheapest.
const LEVEL: i32 = 1;

/// How the pages of a column are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Zstd,
}

/// How the cells of a column stand in its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellEncoding {
    Plain,
    OfDictionary,
    Delta,
}

impl CellEncoding {
    fn of_format(self) -> Encoding {
        match self {
            Self::Plain => Encoding::PLAIN,
            Self::OfDictionary => Encoding::RLE_DICTIONARY,
            Self::Delta => Encoding::DELTA_BINARY_PACKED,
        }
    }
}

/// Pages of a column, not yet compressed.
pub(super) struct RawColumn {
    /// How many values the dictionary has, and its page; `None` where there is none.
    pub(super) dictionary: Option<(usize, Vec<u8>)>,
    pub(super) data: Vec<u8>,
    pub(super) encoding: CellEncoding,
    pub(super) packing: Packing,
}

/// What a footer says about a column of a row group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkNote {
    /// Bytes of its pages, with their headers.
    pub(super) length: u64,
    /// Bytes of these that are the dictionary's.
    pub(super) dictionary: u64,
    /// What the pages would be without compression.
    pub(super) unpacked: u64,
    encoding: CellEncoding,
    packing: Packing,
}

/// A row group: its columns, in the order of the table.
#[derive(Debug, Default)]
pub struct EncodedColumns {
    pub(super) rows: usize,
    pub(super) notes: Vec<ChunkNote>,
    pub(super) bytes: Vec<u8>,
}

impl EncodedColumns {
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Compresses a column's pages and adds them.
    pub(super) fn push(&mut self, raw: &RawColumn) -> PolarsResult<()> {
        let before = self.bytes.len();
        let mut unpacked = 0;
        if let Some((values, page)) = &raw.dictionary {
            let header = DictionaryPageHeader {
                num_values: whole(*values)?,
                encoding: Encoding::PLAIN,
                is_sorted: None,
            };
            unpacked += self.push_page(page, raw.packing, |page| PageHeader {
                type_: PageType::DICTIONARY_PAGE,
                dictionary_page_header: Some(header),
                ..page
            })?;
        }
        let dictionary = (self.bytes.len() - before) as u64;
        let header = DataPageHeader {
            num_values: whole(self.rows)?,
            encoding: raw.encoding.of_format(),
            definition_level_encoding: Encoding::RLE,
            repetition_level_encoding: Encoding::RLE,
            statistics: None,
        };
        unpacked += self.push_page(&raw.data, raw.packing, |page| PageHeader {
            data_page_header: Some(header),
            ..page
        })?;
        let length = (self.bytes.len() - before) as u64;
        let (encoding, packing) = (raw.encoding, raw.packing);
        self.notes.push(ChunkNote { length, dictionary, unpacked, encoding, packing });
        Ok(())
    }

    /// Adds a page and says how long it would be unpacked, its header included.
    fn push_page(
        &mut self,
        page: &[u8],
        packing: Packing,
        header: impl FnOnce(PageHeader) -> PageHeader,
    ) -> PolarsResult<u64> {
        let packed;
        let body = match packing {
            Packing::Plain => page,
            Packing::Zstd => {
                packed = compressed(page).map_err(PolarsError::from)?;
                &packed
            }
        };
        let header = header(PageHeader {
            type_: PageType::DATA_PAGE,
            uncompressed_page_size: whole(page.len())?,
            compressed_page_size: whole(body.len())?,
            crc: None,
            data_page_header: None,
            index_page_header: None,
            dictionary_page_header: None,
            data_page_header_v2: None,
        });
        let before = self.bytes.len();
        header.write_to_out_protocol(&mut TCompactOutputProtocol::new(&mut self.bytes)).map_err(
            |error| PolarsError::ComputeError(format!("a page's header: {error}").into()),
        )?;
        let header = self.bytes.len() - before;
        self.bytes.extend_from_slice(body);
        Ok((header + page.len()) as u64)
    }
}

impl ChunkNote {
    /// What a footer says of the column where it begins at this place.
    pub(super) fn at(&self, start: u64, (name, of_type): (&str, Type), rows: usize) -> ColumnChunk {
        let place = |at: u64| i64::try_from(at).unwrap_or(i64::MAX);
        let mut encodings = vec![self.encoding.of_format(), Encoding::RLE];
        if self.dictionary > 0 {
            encodings.push(Encoding::PLAIN);
        }
        encodings.sort_unstable();
        let codec = match self.packing {
            Packing::Plain => CompressionCodec::UNCOMPRESSED,
            Packing::Zstd => CompressionCodec::ZSTD,
        };
        let about = ColumnMetaData {
            type_: of_type,
            encodings,
            path_in_schema: vec![name.to_owned()],
            codec,
            num_values: i64::try_from(rows).unwrap_or(i64::MAX),
            total_uncompressed_size: place(self.unpacked),
            total_compressed_size: place(self.length),
            key_value_metadata: None,
            data_page_offset: place(start + self.dictionary),
            index_page_offset: None,
            dictionary_page_offset: (self.dictionary > 0).then(|| place(start)),
            statistics: None,
            encoding_stats: None,
            bloom_filter_offset: None,
            bloom_filter_length: None,
            size_statistics: None,
        };
        ColumnChunk {
            file_path: None,
            // The format asks for 0 where the column's metadata is in the footer alone.
            file_offset: 0,
            meta_data: Some(about),
            offset_index_offset: None,
            offset_index_length: None,
            column_index_offset: None,
            column_index_length: None,
            crypto_metadata: None,
            encrypted_column_metadata: None,
        }
    }
}

/// A page compressed, with the working memory of the thread's last one.
fn compressed(page: &[u8]) -> io::Result<Vec<u8>> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Some(compressor) => compressor.compress(page),
        None => compressor.insert(Compressor::new(LEVEL)?).compress(page),
    })
}

fn whole(number: usize) -> PolarsResult<i32> {
    i32::try_from(number).map_err(|_| {
        PolarsError::ComputeError(
            format!("a page of {number} is more than Parquet can hold").into(),
        )
    })
}
