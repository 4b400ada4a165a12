//! Cubes as Parquet files.

use super::Dimension;
use polars::error::{PolarsError, PolarsResult};
use polars::prelude::{
    Column, DataFrame, KeyValueMetadata, NamedFrom as _, ParallelStrategy, ParquetReader,
    ParquetWriter, PlSmallStr, Scalar, SerReader as _, Series,
};
use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// One count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubeRow<'a> {
    /// The day the exchanges were recorded; `None` where it is not known.
    pub day: Option<&'a str>,
    pub server: &'a str,
    /// The tool that was called.
    pub tool: &'a str,
    /// The scenario category; `None` where none was recorded.
    pub scenario: Option<&'a str>,
    pub dimension: Dimension,
    /// The value that is counted.
    pub value: Cow<'a, str>,
    pub n: i64,
}

const COLUMNS: [&str; 7] = ["day", "server", "tool", "scenario", "dimension", "value", "n"];

/// So many rows make a row group.
const ROWS: usize = 1 << 16;

/// Writes a cube. Each of `labels` is a column that says the same in every row; `about` stands in the
/// file beside its columns.
pub fn write_cube<'a>(
    out: impl Write,
    labels: &[(&str, String)],
    rows: impl IntoIterator<Item = CubeRow<'a>>,
    about: Vec<(String, String)>,
) -> PolarsResult<()> {
    let empty = frame(labels, &[])?;
    let file = ParquetWriter::new(out)
        .with_key_value_metadata(Some(KeyValueMetadata::from_static(about)))
        .set_parallel(false);
    let mut file = file.batched(empty.schema())?;
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let group: Vec<CubeRow<'a>> = rows.by_ref().take(ROWS).collect();
        file.write_batch(&frame(labels, &group)?)?;
    }
    file.finish()?;
    Ok(())
}

fn frame(labels: &[(&str, String)], rows: &[CubeRow<'_>]) -> PolarsResult<DataFrame> {
    let label = |(name, text): &(&str, String)| {
        Column::new_scalar((*name).into(), Scalar::from(PlSmallStr::from_str(text)), rows.len())
    };
    let mut columns: Vec<Column> = labels.iter().map(label).collect();
    columns.extend([
        texts("day", rows.iter().map(|row| row.day)),
        texts("server", rows.iter().map(|row| Some(row.server))),
        texts("tool", rows.iter().map(|row| Some(row.tool))),
        texts("scenario", rows.iter().map(|row| row.scenario)),
        texts("dimension", rows.iter().map(|row| Some(row.dimension.name()))),
        texts("value", rows.iter().map(|row| Some(&*row.value))),
    ]);
    let counts: Vec<i64> = rows.iter().map(|row| row.n).collect();
    columns.push(Series::new("n".into(), counts).into());
    DataFrame::new(rows.len(), columns)
}

fn texts<'t>(name: &str, texts: impl Iterator<Item = Option<&'t str>>) -> Column {
    let texts: Vec<Option<&str>> = texts.collect();
    Series::new(name.into(), texts).into()
}

pub struct CubeFile {
    reader: ParquetReader<File>,
}

impl CubeFile {
    pub fn open(path: &Path) -> PolarsResult<Self> {
        let file = File::open(path)?;
        let mut reader = ParquetReader::new(file).read_parallel(ParallelStrategy::None);
        believing_nothing(|| reader.get_metadata().map(|_| ()))?;
        Ok(Self { reader })
    }

    /// The text that stands in the file under a name, beside its columns.
    pub fn about(&mut self, name: &str) -> Option<&str> {
        let metadata = self.reader.get_metadata().ok()?;
        let texts = metadata.key_value_metadata().as_ref()?;
        texts.iter().find(|text| text.key == name)?.value.as_deref()
    }

    /// Reads the counts.
    pub fn read(self) -> PolarsResult<StoredCube> {
        let columns = COLUMNS.map(str::to_owned).to_vec();
        let reader = self.reader.with_columns(Some(columns));
        let frame = believing_nothing(|| reader.finish())?;
        let whole = COLUMNS[..6].iter().try_for_each(|name| frame.column(name)?.str().map(|_| ()));
        whole?;
        frame.column("n")?.i64()?;
        Ok(StoredCube(frame))
    }
}

/// What reads Parquet believes much of what it reads.
fn believing_nothing<T>(read: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(PolarsError::ComputeError("the file is damaged".into())))
}

/// The counts of a file.
pub struct StoredCube(DataFrame);

impl StoredCube {
    /// Hands on the counts of these dimensions. Rows of dimensions that this version does not know are
    /// passed over; a row without server, tool, value or count ends it with `false`.
    #[must_use]
    pub fn each<'s>(&'s self, dimensions: &[Dimension], mut take: impl FnMut(CubeRow<'s>)) -> bool {
        let text = |name: &str| self.0.column(name).and_then(|column| column.str());
        let columns = COLUMNS[..6].iter().map(|name| text(name)).collect::<PolarsResult<Vec<_>>>();
        let (Ok(columns), Ok(counts)) = (columns, self.0.column("n").and_then(|n| n.i64())) else {
            return false;
        };
        let mut last = ("", None);
        for row in 0..self.0.height() {
            let [day, server, tool, scenario, dimension, value] =
                [0, 1, 2, 3, 4, 5].map(|column: usize| columns[column].get(row));
            let (Some(server), Some(tool), Some(dimension), Some(value), Some(n)) =
                (server, tool, dimension, value, counts.get(row))
            else {
                return false;
            };
            if last.0 != dimension {
                last = (dimension, Dimension::of_name(dimension));
            }
            let wanted = last.1.filter(|dimension| dimensions.contains(dimension));
            if let Some(dimension) = wanted {
                let value = Cow::Borrowed(value);
                take(CubeRow { day, server, tool, scenario, dimension, value, n });
            }
        }
        true
    }
}
