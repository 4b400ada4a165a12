//! What a run keeps of an exchange's texts: the part that people will look at, with its secrets masked.

use super::find::Located;
use crate::check::{input_text, judged_text};
use crate::redact::{CallInput, CleanTexts, Masked, Redactor};
use crate::rulebook::Rulebook;
use crate::store::{Excerpt, Kept, Mark};
use crate::verdict::{Field, Hit, Observation};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// So many bytes of a reply are kept.
const REPLY: usize = 600;
/// So many bytes of an input are kept.
const INPUT: usize = 300;
/// So many bytes of a reply stand before its first hit, where the text is longer.
const BEFORE: usize = 120;
const MOST_SPANS: usize = 32;

/// Most texts have few.
type Hits = SmallVec<[Hit; 8]>;

/// The texts of an exchange in which no pattern hit, as a run would keep them.
pub fn excerpt_of(located: &Located<'_>, rulebook: &Rulebook, redactor: &Redactor) -> Excerpt {
    let exchange = located.as_recorded();
    let input = redactor.input(input_text(exchange), None);
    let text = judged_text(exchange, rulebook, false);
    let (Kept { reply, input, .. }, _) = kept(&text, None, &input, None);
    Excerpt { reply: reply.into_owned(), input: input.into_owned(), spans: Vec::new() }
}

/// What to keep of a judged text and its call's input, and whether nothing of the text was masked.
pub(super) fn kept<'t>(
    text: &'t str,
    observation: Option<&Observation>,
    input: &CallInput<'_, 't>,
    clean: Option<&mut CleanTexts>,
) -> (Kept<'t>, bool) {
    let hits = observation.iter().flat_map(|observation| &observation.hits);
    let in_text = hits.filter(|hit| hit.field == Field::Text);
    let (cut, hits) = around_hits(text, in_text.copied().collect());
    let mut masked = input.rules().mask_part(cut, clean);
    let is_clean = matches!(masked.text, Cow::Borrowed(_));
    shorten(&mut masked.text, REPLY);
    // Masked before it is cut: a part of a secret no longer looks like one.
    let mut input = input.part(REPLY);
    shorten(&mut input.text, INPUT);
    let patterns = observation.map(Observation::patterns).unwrap_or_default();
    let mark = |hit: Hit| {
        let Range { start, end } = place_in(&masked, hit.start, hit.end)?;
        let number = u32::try_from(patterns.binary_search(&hit.pattern).ok()?).ok()?;
        let sent = hit.call.and_then(|place| place_in(&input, place.start, place.end));
        Some(Mark { start, end, hit: number, sent })
    };
    let marks = hits.into_iter().filter_map(mark).collect();
    (Kept { reply: masked.text, input: input.text, marks }, is_clean)
}

/// Where a place of a recorded text is in what is left of it.
fn place_in(masked: &Masked<'_>, start: u32, end: u32) -> Option<Range<u32>> {
    let place = masked.place(start as usize..end as usize);
    masked.text.get(place.clone())?;
    Some(u32::try_from(place.start).ok()?..u32::try_from(place.end).ok()?)
}

fn shorten(text: &mut Cow<'_, str>, bytes: usize) {
    let end = text.floor_char_boundary(bytes);
    match text {
        Cow::Borrowed(text) => *text = &text[..end],
        Cow::Owned(text) => text.truncate(end),
    }
}

/// The beginning of a text, or the part around its hits if they are farther on; and the hits in it.
fn around_hits(text: &str, mut hits: Hits) -> (&str, Hits) {
    hits.retain(|hit| text.get(hit.start as usize..hit.end as usize).is_some());
    hits.sort_unstable_by_key(|hit| (hit.start, hit.end, hit.pattern));
    hits.dedup();
    let last = hits.last().map_or(0, |hit| hit.end as usize);
    let first = hits.first().map_or(0, |hit| hit.start as usize);
    let start = if last <= REPLY { 0 } else { first.saturating_sub(BEFORE) };
    let start = text.ceil_char_boundary(start);
    let end = text.floor_char_boundary(start.saturating_add(REPLY));
    let moved = |at: u32| {
        let at = (at as usize).clamp(start, end) - start;
        u32::try_from(at).unwrap_or_default()
    };
    hits.retain(|hit| (hit.start as usize) < end);
    hits.truncate(MOST_SPANS);
    for hit in &mut hits {
        *hit = Hit { start: moved(hit.start), end: moved(hit.end), ..*hit };
    }
    (&text[start..end], hits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    fn hit(start: u32, end: u32) -> Hit {
        Hit { pattern: 0, field: Field::Text, start, end, call: None }
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        let (text, hits) = around_hits("user not found", smallvec![hit(5, 14), hit(5, 14)]);
        assert_eq!(text, "user not found");
        assert_eq!(*hits, [hit(5, 14)]);
    }

    #[test]
    fn a_long_text_is_cut_between_characters_around_its_hits() {
        let text = format!("{}not found{}", "é".repeat(1000), "ü".repeat(1000));
        let (cut, hits) = around_hits(&text, smallvec![hit(2000, 2009)]);
        assert!(cut.len() <= REPLY);
        let [hit_in_it] = hits[..] else { panic!("one hit") };
        assert_eq!(&cut[hit_in_it.start as usize..hit_in_it.end as usize], "not found");
        let (early, _) = around_hits(&text, smallvec![hit(0, 2)]);
        assert!(text.starts_with(early));
    }

    #[test]
    fn hits_that_are_none_of_the_text_are_left_out_and_long_ones_are_cut() {
        let text = "é".repeat(REPLY);
        let (_, hits) =
            around_hits(&text, smallvec![hit(1, 2), hit(0, 4000), hit(9, 4), hit(0, 1200)]);
        assert_eq!(*hits, [hit(0, 600)]);
    }
}
