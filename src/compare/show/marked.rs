//! A text with the places at which patterns hit.

use crate::compare::{Cause, Example, Excerpt};
use std::borrow::Cow;

/// A stretch of an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    /// Its text, as recorded.
    pub text: &'t str,
    /// Whether a pattern hit in it.
    pub marked: bool,
}

/// The excerpt cut where hits begin and end. Places that do not lie in the text are passed over.
pub fn pieces(excerpt: &Excerpt) -> Vec<Piece<'_>> {
    let text = excerpt.text.as_str();
    let mut spans: Vec<(usize, usize)> = excerpt
        .spans
        .iter()
        .map(|span| (span.start as usize, span.end as usize))
        .filter(|(start, end)| start < end && text.get(*start..*end).is_some())
        .collect();
    spans.sort_unstable();
    // Hits that overlap are one mark.
    spans.dedup_by(|(start, end), (_, earlier)| {
        let overlap = *start < *earlier;
        *earlier = if overlap { (*earlier).max(*end) } else { *earlier };
        overlap
    });
    let mut pieces = Vec::new();
    let mut done = 0;
    for (start, end) in spans {
        pieces.push(Piece { text: &text[done..start], marked: false });
        pieces.push(Piece { text: &text[start..end], marked: true });
        done = end;
    }
    pieces.push(Piece { text: &text[done..], marked: false });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// When a text of an example was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before and after, or only one side tells.
    Always,
    /// Before, and after it was another one.
    Before,
    After,
}

/// The texts of an example, marked where patterns hit that have to do with its group's causes; where
/// none of them did, wherever a pattern hit. A text that is the same on both sides is there once.
pub fn texts<'e>(example: &'e Example, causes: &[Cause]) -> Vec<(When, Cow<'e, Excerpt>)> {
    let marked = example.excerpts.each_ref().map(|excerpt| {
        let excerpt = excerpt.as_ref()?;
        let of_causes = Excerpt {
            spans: excerpt
                .spans
                .iter()
                .filter(|span| causes.iter().any(|cause| cause.name == span.pattern))
                .cloned()
                .collect(),
            ..excerpt.clone()
        };
        Some((excerpt, of_causes))
    });
    match marked {
        [None, None] => Vec::new(),
        [Some((all, of_causes)), None] | [None, Some((all, of_causes))] => {
            vec![(When::Always, telling(all, of_causes))]
        }
        [Some((before, mut earlier)), Some((after, later))] if before.text == after.text => {
            earlier.spans.extend(later.spans);
            if !earlier.spans.is_empty() || pieces(before) == pieces(after) {
                return vec![(When::Always, telling(before, earlier))];
            }
            vec![(When::Before, Cow::Borrowed(before)), (When::After, Cow::Borrowed(after))]
        }
        [Some((before, earlier)), Some((after, later))] => {
            vec![(When::Before, telling(before, earlier)), (When::After, telling(after, later))]
        }
    }
}

fn telling(all: &Excerpt, of_causes: Excerpt) -> Cow<'_, Excerpt> {
    if of_causes.spans.is_empty() { Cow::Borrowed(all) } else { Cow::Owned(of_causes) }
}

/// A part of an excerpt, short enough to be shown in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window<'t> {
    pub pieces: Vec<Piece<'t>>,
    /// Whether there is more before it.
    pub cut_before: bool,
    /// Whether there is more after it.
    pub cut_after: bool,
}

/// So many characters of the pieces: from the beginning, or from a little before the first hit where
/// that stands far behind.
pub fn window<'t>(pieces: &[Piece<'t>], characters: usize) -> Window<'t> {
    let mut pieces = pieces.to_vec();
    let mut cut_before = false;
    if let [first, second, ..] = &mut pieces[..]
        && !first.marked
        && second.marked
    {
        let length = first.text.chars().count();
        if length > characters / 2 {
            let skipped = length - characters / 4;
            let start = first.text.char_indices().nth(skipped).map_or(0, |(start, _)| start);
            first.text = &first.text[start..];
            cut_before = true;
        }
    }
    let mut room = characters;
    let mut shown = Vec::new();
    for piece in pieces {
        let end = piece.text.char_indices().nth(room).map(|(end, _)| end);
        let text = end.map_or(piece.text, |end| &piece.text[..end]);
        if !text.is_empty() {
            shown.push(Piece { text, ..piece });
        }
        if end.is_some() {
            return Window { pieces: shown, cut_before, cut_after: true };
        }
        room -= piece.text.chars().count();
    }
    Window { pieces: shown, cut_before, cut_after: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CauseKind;
    use crate::compare::samples::excerpt;
    use crate::store::Span;

    fn with_spans(text: &str, spans: &[(u32, u32)]) -> Excerpt {
        let span = |(start, end): &(u32, u32)| Span {
            start: *start,
            end: *end,
            pattern: "list/x".to_owned(),
            sent: None,
        };
        Excerpt { spans: spans.iter().map(span).collect(), ..excerpt(1, "a", text) }
    }

    fn shown(pieces: &[Piece<'_>]) -> String {
        let piece = |Piece { text, marked }: &Piece<'_>| {
            if *marked { format!("[{text}]") } else { (*text).to_owned() }
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn hits_are_marked_once_however_they_overlap() {
        let text = with_spans("User not found: 12", &[(5, 14), (0, 4), (9, 16), (5, 14)]);
        assert_eq!(shown(&pieces(&text)), "[User] [not found: ]12");
    }

    #[test]
    fn places_outside_of_the_text_are_passed_over() {
        let text = with_spans("über", &[(1, 3), (2, 900), (3, 2), (0, 2), (5, 5)]);
        assert_eq!(shown(&pieces(&text)), "[ü]ber");
        assert!(pieces(&with_spans("", &[(0, 1)])).is_empty());
    }

    #[test]
    fn marks_are_of_the_causes_and_a_text_is_shown_once() {
        let span = |start, end, pattern: &str| Span {
            start,
            end,
            pattern: pattern.to_owned(),
            sent: None,
        };
        let not_found = span(5, 14, "list/not found");
        let colon = span(14, 15, "list/:");
        let with = |text: &str, spans: &[&Span]| {
            let spans = spans.iter().map(|span| (*span).clone()).collect();
            Some(Excerpt { spans, ..excerpt(1, "a", text) })
        };
        let example = |excerpts| Example {
            flip: 0,
            key: excerpt(1, "a", "").key,
            server: String::new(),
            tool: String::new(),
            file: String::new(),
            line: 1,
            by_label: None,
            lines: [String::new(), String::new()],
            excerpts,
        };
        let cause = Cause {
            kind: CauseKind::Pattern,
            name: "list/not found".to_owned(),
            change: String::new(),
        };
        let changed = |excerpts, causes: &[Cause]| -> Vec<(When, String)> {
            let example = example(excerpts);
            let texts = texts(&example, causes);
            texts.iter().map(|(when, text)| (*when, shown(&pieces(text)))).collect()
        };
        let text = "User not found: 12";
        let both = [with(text, &[&not_found, &colon]), with(text, &[&colon])];
        let once = changed(both.clone(), std::slice::from_ref(&cause));
        assert_eq!(once, [(When::Always, "User [not found]: 12".to_owned())]);
        let unrelated = changed(both, &[]);
        assert_eq!(
            unrelated,
            [
                (When::Before, "User [not found][:] 12".to_owned()),
                (When::After, "User not found[:] 12".to_owned())
            ]
        );
        let replied =
            [with(text, &[&not_found, &colon]), with("Gone: 12", &[&span(4, 5, "list/:")])];
        let other = changed(replied, std::slice::from_ref(&cause));
        assert_eq!(
            other,
            [
                (When::Before, "User [not found]: 12".to_owned()),
                (When::After, "Gone[:] 12".to_owned())
            ]
        );
        assert!(changed([None, None], &[]).is_empty());
        assert_eq!(changed([None, with("x", &[])], &[]), [(When::Always, "x".to_owned())]);
    }

    #[test]
    fn windows_end_between_characters_and_say_so() {
        let text = with_spans("aä[b]", &[(0, 3)]);
        let pieces = pieces(&text);
        for (characters, wanted, cut) in
            [(5, "[aä][b]", false), (1, "[a]", true), (2, "[aä]", true), (3, "[aä][", true)]
        {
            let window = window(&pieces, characters);
            assert_eq!((shown(&window.pieces).as_str(), window.cut_after), (wanted, cut));
            assert!(!window.cut_before);
        }
    }

    #[test]
    fn windows_begin_near_the_first_hit() {
        let text = format!("{}User not found: {}", "ä".repeat(100), "z".repeat(100));
        let at = u32::try_from(text.find("not").expect("there")).expect("short");
        let text = with_spans(&text, &[(at, at + 9)]);
        let window = window(&pieces(&text), 24);
        assert!(window.cut_before && window.cut_after);
        assert_eq!(shown(&window.pieces), "äUser [not found]: zzzzzzz");
    }
}
