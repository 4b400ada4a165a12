//! The table `shapes`: each different verdict of a run once, with how often it occurred.

use super::encode::VerdictTables;
use super::error::ReportError;
use super::excerpts::{Excerpt, RowExcerpt, Shown, place_for};
use super::files::ShapesFile;
use super::folder::RunFolder;
use super::legend::Legend;
use super::rows::VerdictBatch;
use super::shape_id::ShapeId;
use super::shape_wire::Wire;
use super::shapes::Shape;
use crate::tally::{Mergeable, SpillError, SpillSpace, Spilling};
use crate::tape::Key;

/// A row group of the table holds so many shapes.
const GROUP_ROWS: usize = 1 << 12;

/// The shapes of a run so far; what exceeds its space's memory is kept on disk.
#[derive(Debug)]
pub struct ShapeCounts(Spilling<ShapeCount>);

/// One of them.
#[derive(Debug, Default)]
pub(super) struct ShapeCount {
    pub(super) exchanges: u64,
    pub(super) shape: Option<Shape>,
    pub(super) excerpts: Vec<Excerpt>,
}

impl ShapeCount {
    fn show(&mut self, excerpt: Excerpt) {
        let Some(at) = place_for(&self.excerpts, &excerpt.server) else { return };
        // They stay in the corpus's order, so that it does not matter how it is cut.
        if at < self.excerpts.len() {
            self.excerpts.remove(at);
        }
        self.excerpts.push(excerpt);
    }
}

impl Mergeable for ShapeCount {
    fn absorb(&mut self, later: Self) {
        self.exchanges += later.exchanges;
        if self.shape.is_none() {
            self.shape = later.shape;
        }
        later.excerpts.into_iter().for_each(|excerpt| self.show(excerpt));
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.exchanges.write(out);
        self.shape.write(out);
        self.excerpts.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let exchanges = Wire::read(bytes)?;
        let shape = Wire::read(bytes)?;
        Some(Self { exchanges, shape, excerpts: Wire::read(bytes)? })
    }

    fn weight(&self) -> usize {
        let excerpts = self.excerpts.iter();
        let excerpts = excerpts.map(|one| size_of::<Excerpt>() + one.server.len() + one.json.len());
        size_of::<Self>() + self.shape.as_ref().map_or(0, Shape::bytes) + excerpts.sum::<usize>()
    }
}

impl ShapeCounts {
    /// No shapes yet.
    #[must_use]
    pub fn new(space: SpillSpace) -> Self {
        Self(Spilling::new(space))
    }

    /// Adds the next rows.
    pub fn add_rows(
        &mut self,
        rows: &VerdictBatch,
        tables: &VerdictTables,
    ) -> Result<(), SpillError> {
        for (number, shape, exchanges) in rows.counted_shapes() {
            let slot = self.0.slot(&tables.names().id(shape).0.to_be_bytes());
            let count = self.0.counters(slot);
            count.exchanges += exchanges;
            if count.shape.is_none() {
                count.shape = Some(shape.clone());
            }
            for excerpt in rows.excerpts.of(number) {
                let row = excerpt.row as usize;
                let server = rows.server_of(row);
                if place_for(&count.excerpts, server).is_some() {
                    let json = named(rows.keys[row], &rows.excerpt(excerpt, tables.legend())[1..]);
                    count.show(Excerpt { server: server.to_owned(), json });
                }
            }
        }
        self.0.settle()
    }

    /// Writes the table.
    pub fn write(self, folder: &RunFolder, tables: &VerdictTables) -> Result<(), ReportError> {
        let mut file = ShapesFile::create(folder, tables)?;
        let mut group = Vec::new();
        for entry in self.0.into_sorted()? {
            let (id, count) = entry?;
            let id = id.first_chunk().map_or(ShapeId(0), |id| ShapeId(u64::from_be_bytes(*id)));
            group.push((id, count));
            if group.len() == GROUP_ROWS {
                file.append(&tables.encode_shapes(std::mem::take(&mut group))?)?;
            }
        }
        file.append(&tables.encode_shapes(group)?)?;
        file.finish()
    }
}

/// An excerpt with the key of its exchange in front.
fn named(key: Key, rest: &str) -> String {
    format!("{{\"key\":\"{key}\",{rest}")
}

impl VerdictBatch {
    /// The shapes by number, each with how many rows have it.
    fn counted_shapes(&self) -> impl Iterator<Item = (u32, &Shape, u64)> {
        let mut of_shape = vec![0_u64; self.shapes.all().len()];
        self.shape.iter().for_each(|shape| of_shape[*shape as usize] += 1);
        (0..)
            .zip(self.shapes.all())
            .zip(of_shape)
            .map(|((number, shape), count)| (number, shape, count))
    }

    /// An excerpt as an object, without the key: that depends on what stands before these rows.
    fn excerpt(&self, excerpt: &RowExcerpt, legend: &Legend) -> String {
        let row = excerpt.row as usize;
        let spans = excerpt.cutting.spans.iter().map(|hit| {
            let name = legend.patterns.get(usize::from(hit.pattern));
            (hit.start, hit.end, name.map_or("", String::as_str))
        });
        let shown = Shown {
            server: self.server_of(row),
            tool: self.tool_of(row),
            file: self.origins.session(self.origin[row]).0,
            line: self.line[row],
            text: &excerpt.cutting.text,
            spans: spans.collect(),
        };
        serde_json::to_string(&shown).expect("texts and numbers are plain data")
    }
}

#[cfg(test)]
mod tests {
    use super::super::shapes::Seen;
    use super::*;
    use crate::tape::{ExchangeKind, ReplyKind};
    use crate::verdict::{Classification, FactSet, Ground, SchemaOutcome, Severities};
    use proptest::prelude::*;

    fn shape() -> Shape {
        Shape {
            kind: ExchangeKind::ToolCall,
            reply: ReplyKind::ToolError,
            ground: Ground::Error,
            error_code: Some("-32602".to_owned()),
            class: Classification::Error,
            confidence: 100.0 / 3.0,
            is_valid: false,
            is_error: true,
            business_logic: Some(false),
            score: Some(0.1 + 0.2),
            threshold: None,
            decision: Some(7),
            error_kind: None,
            hidden_failure: None,
            facts: FactSet(1 << 100 | 1),
            seen: Seen::ErrorFacts,
            patterns: vec![0, 3, 65_535],
            severities: Severities { errors: 1, warnings: 0, infos: 2 },
            issue_types: Some(r#"["error tool_failure"]"#.to_owned()),
            schema: Some(SchemaOutcome::Undecided),
            schema_key: Some(Key(u128::MAX - 5)),
            schema_keyword: Some("required".to_owned()),
            content_types: Some(String::new()),
            has_structured: Some(true),
            has_meta: None,
            quality: Some(0.25),
            has_security_issue: false,
            passed_criteria: None,
            failed_criteria: Some("[\"é\"]".to_owned()),
        }
    }

    proptest! {
        #[test]
        fn the_same_excerpts_are_kept_wherever_a_corpus_is_cut(
            servers in proptest::collection::vec(0_u8..5, 0..20),
            cuts in proptest::collection::vec(0_usize..20, 0..4),
        ) {
            let excerpt = |(at, server): (usize, &u8)| {
                Excerpt { server: server.to_string(), json: at.to_string() }
            };
            let count = |range: std::ops::Range<usize>| {
                let mut count = ShapeCount::default();
                let shown = servers.iter().enumerate().map(excerpt);
                shown.take(range.end).skip(range.start).for_each(|one| count.show(one));
                count
            };
            let whole = count(0..servers.len()).excerpts;
            let mut ends: Vec<usize> = cuts.iter().map(|cut| (*cut).min(servers.len())).collect();
            ends.push(servers.len());
            ends.sort_unstable();
            let starts = [0].into_iter().chain(ends.iter().copied());
            let parts: Vec<_> = starts.zip(&ends).map(|(start, end)| start..*end).collect();
            let mut joined = ShapeCount::default();
            for part in &parts {
                joined.absorb(count(part.clone()));
            }
            prop_assert_eq!(&joined.excerpts, &whole);
            let mut last = ShapeCount::default();
            for part in parts.iter().rev() {
                let mut before = count(part.clone());
                before.absorb(last);
                last = before;
            }
            prop_assert_eq!(&last.excerpts, &whole);
        }
    }

    #[test]
    fn what_is_written_to_temporary_space_comes_back_to_the_bit() {
        let excerpt = Excerpt { server: "s".to_owned(), json: "{}".to_owned() };
        let count =
            ShapeCount { exchanges: 9, shape: Some(shape()), excerpts: vec![excerpt.clone()] };
        let mut bytes = Vec::new();
        Mergeable::write(&count, &mut bytes);
        let mut rest = bytes.as_slice();
        let read = <ShapeCount as Mergeable>::read(&mut rest).expect("whole");
        assert!(rest.is_empty());
        assert_eq!((read.exchanges, read.shape), (9, Some(shape())));
        assert_eq!(read.excerpts, [excerpt]);
        let torn = <ShapeCount as Mergeable>::read(&mut &bytes[..bytes.len() - 1]);
        assert!(torn.is_none());
    }
}
