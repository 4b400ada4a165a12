//! A text with the places at which patterns hit.

use crate::compare::{Cause, Example, Excerpt};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
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

/// The texts of an example, each with what it is, marked where patterns hit that are causes of its group; where
/// none of them did, wherever a pattern hit. A text that is the same on both sides is there once.
pub fn texts(example: &Example, causes: &[Cause]) -> Vec<(&'static str, Excerpt)> {
    let telling = |excerpt: &Excerpt| {
        let mut told = excerpt.clone();
        told.spans.retain(|span| causes.iter().any(|cause| cause.name == span.pattern));
        if told.spans.is_empty() { excerpt.clone() } else { told }
    };
    match &example.excerpts {
        [None, None] => Vec::new(),
        [Some(one), None] | [None, Some(one)] => vec![("text", telling(one))],
        [Some(before), Some(after)] if before.text == after.text => {
            let spans = [&before.spans[..], &after.spans].concat();
            vec![("text", telling(&Excerpt { spans, text: before.text.clone() }))]
        }
        [Some(before), Some(after)] => {
            vec![("text before", telling(before)), ("text after", telling(after))]
        }
    }
}

/// A part of an excerpt, short enough to be shown in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window<'t> {
    pub pieces: Vec<Piece<'t>>,
    pub cut_before: bool,
    pub cut_after: bool,
}

/// So many characters, from the beginning or from just before the first hit where that is far off.
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
    use crate::cases;
    use crate::compare::CauseKind;
    use crate::recording::Key;
    use crate::store::Span;

    /// Reads `User not found @ 5-14 list/x, 0-4 list/y`.
    fn with_spans(text: &str) -> Excerpt {
        let (text, spans) = text.split_once(" @ ").unwrap_or((text, ""));
        let span = |span: &str| {
            let (place, pattern) = span.split_once(' ')?;
            let (start, end) = place.split_once('-')?;
            let [start, end] = [start, end].map(|it| it.parse().expect("a byte"));
            Some(Span { start, end, pattern: pattern.to_owned(), sent: None })
        };
        Excerpt { spans: spans.split(", ").filter_map(span).collect(), text: text.to_owned() }
    }

    fn shown(text: &Excerpt, characters: usize) -> String {
        let pieces = pieces(text);
        let Window { pieces, cut_before, cut_after } = window(&pieces, characters);
        assert!(pieces.iter().all(|piece| !piece.text.is_empty()));
        let piece = |Piece { text, marked }: &Piece<'_>| {
            if *marked { format!("[{text}]") } else { (*text).to_owned() }
        };
        let [before, after] = [cut_before, cut_after].map(|is_cut| if is_cut { "…" } else { "" });
        format!("{before}{}{after}", pieces.iter().map(piece).collect::<String>())
    }

    #[test]
    fn texts_are_marked_and_cut_as_their_cases_list() {
        cases::check("tests/cases/marks.txt", |case| {
            let lines = |word| case.text.lines().filter_map(move |line| line.strip_prefix(word));
            let example = Example {
                flip: 0,
                key: Key(1),
                server: String::new(),
                tool: String::new(),
                file: String::new(),
                line: 1,
                by_label: None,
                lines: [String::new(), String::new()],
                excerpts: ["before ", "after "].map(|word| lines(word).next().map(with_spans)),
            };
            let (kind, change) = (CauseKind::Pattern, String::new());
            let cause = |name: &str| Cause { kind, name: name.to_owned(), change: change.clone() };
            let causes: Vec<Cause> = lines("cause ").map(cause).collect();
            let width = lines("width ").next().map_or(240, |it| it.parse().expect("a number"));
            let texts = texts(&example, &causes);
            let texts = texts.iter().map(|(what, text)| format!("{what}: {}", shown(text, width)));
            texts.collect::<Vec<_>>().join("\n")
        });
    }
}
