//! The judged text of a few exchanges of each shape, to be shown when somebody asks what was judged.

use super::texts::NONE;
use crate::verdict::Hit;
use serde::Serialize;
use smallvec::SmallVec;

/// So many exchanges of a shape are shown.
const MOST: usize = 3;
/// So many bytes of a text are shown.
const LONGEST: usize = 600;
/// So many bytes of them stand before the first hit, where the text is longer.
const BEFORE: u32 = 120;
/// So many hits are marked.
const MOST_SPANS: usize = 32;

/// The part of a judged text that is shown, with its hits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cutting {
    pub(super) text: String,
    pub(super) spans: Vec<Hit>,
}

impl Cutting {
    /// What to show of a text: its beginning, or where its patterns hit if that is farther on.
    pub(super) fn of(text: &str, hits: impl Iterator<Item = Hit>) -> Self {
        let fits = |hit: &Hit| {
            hit.start <= hit.end && text.get(hit.start as usize..hit.end as usize).is_some()
        };
        let mut hits: Vec<Hit> = hits.filter(fits).collect();
        hits.sort_unstable_by_key(|hit| (hit.start, hit.end, hit.pattern));
        hits.dedup();
        let last = hits.last().map_or(0, |hit| hit.end as usize);
        let first = hits.first().map_or(0, |hit| hit.start);
        let start = if last <= LONGEST { 0 } else { first.saturating_sub(BEFORE) as usize };
        let start = text.ceil_char_boundary(start);
        let end = text.floor_char_boundary(start.saturating_add(LONGEST));
        let moved = |at: u32| {
            let at = (at as usize).clamp(start, end) - start;
            u32::try_from(at).unwrap_or(NONE)
        };
        hits.retain(|hit| (hit.start as usize) < end);
        hits.truncate(MOST_SPANS);
        for hit in &mut hits {
            *hit = Hit { start: moved(hit.start), end: moved(hit.end), ..*hit };
        }
        Self { text: text[start..end].to_owned(), spans: hits }
    }
}

/// An exchange that is shown, as rows of a batch know it.
#[derive(Clone, Debug)]
pub(super) struct RowExcerpt {
    pub(super) row: u32,
    server: u32,
    pub(super) cutting: Cutting,
}

/// What tells excerpts of different servers apart.
pub(super) trait Served {
    /// The server's name or number.
    type Server: PartialEq + ?Sized;

    /// Who answered.
    fn server(&self) -> &Self::Server;
}

impl Served for RowExcerpt {
    type Server = u32;

    fn server(&self) -> &u32 {
        &self.server
    }
}

/// Where the next excerpt of a server goes: a few of them are kept, the first ones, of as many
/// servers as possible. `None` where it is not wanted.
pub(super) fn place_for<T: Served>(kept: &[T], server: &T::Server) -> Option<usize> {
    if kept.len() < MOST {
        return Some(kept.len());
    }
    if kept.iter().any(|other| other.server() == server) {
        return None;
    }
    let is_repeat = |at: &usize| kept[..*at].iter().any(|o| o.server() == kept[*at].server());
    (0..kept.len()).rev().find(is_repeat)
}

/// The excerpts of a batch, by the number of their shape.
#[derive(Debug, Default)]
pub(super) struct Excerpts {
    by_shape: Vec<SmallVec<[RowExcerpt; 1]>>,
    bytes: usize,
}

impl Excerpts {
    /// Whether an exchange of this shape and server would be shown.
    pub(super) fn wants(&self, shape: u32, server: u32) -> bool {
        self.by_shape.get(shape as usize).is_none_or(|kept| place_for(kept, &server).is_some())
    }

    /// Keeps an excerpt where it is wanted.
    pub(super) fn add(&mut self, (shape, server): (u32, u32), row: u32, cutting: Cutting) {
        let shape = shape as usize;
        if shape >= self.by_shape.len() {
            self.by_shape.resize_with(shape + 1, SmallVec::new);
        }
        let kept = &mut self.by_shape[shape];
        let Some(at) = place_for(kept, &server) else { return };
        self.bytes += cutting.text.len() + cutting.spans.len() * size_of::<Hit>() + ENTRY;
        let excerpt = RowExcerpt { row, server, cutting };
        // They stay in the order of the rows, so that it does not matter how a corpus is cut.
        if at < kept.len() {
            kept.remove(at);
        }
        kept.push(excerpt);
    }

    /// Those of a shape.
    pub(super) fn of(&self, shape: u32) -> &[RowExcerpt] {
        self.by_shape.get(shape as usize).map_or(&[], SmallVec::as_slice)
    }

    /// Roughly how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What an excerpt takes beside its text and its spans.
const ENTRY: usize = size_of::<RowExcerpt>();

/// An exchange that is shown, as it stands in the table of shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) server: String,
    /// The whole of it as a JSON object.
    pub(super) json: String,
}

impl Served for Excerpt {
    type Server = str;

    fn server(&self) -> &str {
        &self.server
    }
}

/// The object that an excerpt is in the table of shapes, all but its key, which comes first there.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) file: &'a str,
    pub(super) line: i64,
    pub(super) text: &'a str,
    pub(super) spans: Vec<(u32, u32, &'a str)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Field;

    fn hit(start: u32, end: u32) -> Hit {
        Hit { pattern: 0, field: Field::Text, start, end }
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        let cutting = Cutting::of("user not found", [hit(5, 14)].into_iter());
        assert_eq!(cutting.text, "user not found");
        assert_eq!(cutting.spans, [hit(5, 14)]);
    }

    #[test]
    fn a_long_text_is_cut_between_characters_around_its_hits() {
        let text = format!("{}not found{}", "é".repeat(1000), "ü".repeat(1000));
        let cutting = Cutting::of(&text, [hit(2000, 2009)].into_iter());
        assert!(cutting.text.len() <= LONGEST);
        let [span] = cutting.spans[..] else { panic!("one hit") };
        assert_eq!(&cutting.text[span.start as usize..span.end as usize], "not found");
        let early = Cutting::of(&text, [hit(0, 2)].into_iter());
        assert!(text.starts_with(&early.text));
    }

    #[test]
    fn hits_that_are_none_of_the_text_are_left_out_and_long_ones_are_cut() {
        let text = "é".repeat(LONGEST);
        let hits = [hit(1, 2), hit(0, 4000), hit(9, 4), hit(0, 1200)];
        let cutting = Cutting::of(&text, hits.into_iter());
        assert_eq!(cutting.spans, [hit(0, 600)]);
    }

    #[test]
    fn the_first_ones_of_as_many_servers_as_possible_are_kept() {
        let mut excerpts = Excerpts::default();
        for (row, server) in [(0, 7), (1, 7), (2, 7), (3, 7), (4, 8), (5, 9), (6, 8), (7, 10)] {
            excerpts.add((3, server), row, Cutting::default());
        }
        let rows: Vec<u32> = excerpts.of(3).iter().map(|excerpt| excerpt.row).collect();
        assert_eq!(rows, [0, 4, 5]);
        assert!(!excerpts.wants(3, 11));
        assert!(excerpts.wants(2, 11));
    }
}
