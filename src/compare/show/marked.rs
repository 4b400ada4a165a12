//! A text with the places at which patterns hit.

use crate::compare::Excerpt;

/// A stretch of an excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    /// Its text, as recorded.
    pub text: &'t str,
    /// Whether a pattern hit in it.
    pub marked: bool,
}

/// The excerpt cut where hits begin and end. Places that do not lie in the text are passed over.
#[must_use]
pub fn pieces(excerpt: &Excerpt) -> Vec<Piece<'_>> {
    let text = excerpt.text.as_str();
    let mut spans: Vec<(usize, usize)> = excerpt
        .spans
        .iter()
        .map(|span| (span.start as usize, span.end as usize))
        .filter(|(start, end)| start < end && text.get(*start..*end).is_some())
        .collect();
    spans.sort_unstable();
    let mut pieces = Vec::new();
    let mut done = 0;
    for (start, end) in spans {
        let start = start.max(done);
        if start >= end {
            continue;
        }
        pieces.push(Piece { text: &text[done..start], marked: false });
        pieces.push(Piece { text: &text[start..end], marked: true });
        done = end;
    }
    pieces.push(Piece { text: &text[done..], marked: false });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The beginning of the pieces, up to so many characters, and whether more follows.
#[must_use]
pub fn window<'t>(pieces: &[Piece<'t>], characters: usize) -> (Vec<Piece<'t>>, bool) {
    let mut room = characters;
    let mut shown = Vec::new();
    for piece in pieces {
        if room == 0 {
            return (shown, true);
        }
        match piece.text.char_indices().nth(room) {
            None => {
                room -= piece.text.chars().count();
                shown.push(*piece);
            }
            Some((end, _)) => {
                shown.push(Piece { text: &piece.text[..end], ..*piece });
                return (shown, true);
            }
        }
    }
    (shown, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Span;
    use crate::compare::samples::excerpt;

    fn with_spans(text: &str, spans: &[(u32, u32)]) -> Excerpt {
        let span = |(start, end): &(u32, u32)| Span {
            start: *start,
            end: *end,
            pattern: "list/x".to_owned(),
        };
        Excerpt { spans: spans.iter().map(span).collect(), ..excerpt(1, "a", text) }
    }

    fn shown(pieces: &[Piece<'_>]) -> String {
        let piece = |piece: &Piece<'_>| match piece.marked {
            true => format!("[{}]", piece.text),
            false => piece.text.to_owned(),
        };
        pieces.iter().map(piece).collect()
    }

    #[test]
    fn hits_are_marked_once_however_they_overlap() {
        let text = with_spans("User not found: 12", &[(5, 14), (0, 4), (9, 16), (5, 14)]);
        assert_eq!(shown(&pieces(&text)), "[User] [not found][: ]12");
    }

    #[test]
    fn places_outside_of_the_text_are_passed_over() {
        let text = with_spans("über", &[(1, 3), (2, 900), (3, 2), (0, 2), (5, 5)]);
        assert_eq!(shown(&pieces(&text)), "[ü]ber");
        assert!(pieces(&with_spans("", &[(0, 1)])).is_empty());
    }

    #[test]
    fn windows_end_between_characters_and_say_so() {
        let text = with_spans("aä[b]", &[(0, 3)]);
        let pieces = pieces(&text);
        let (all, more) = window(&pieces, 5);
        assert_eq!((shown(&all).as_str(), more), ("[aä][b]", false));
        let (one, more) = window(&pieces, 1);
        assert_eq!((shown(&one).as_str(), more), ("[a]", true));
        let (two, more) = window(&pieces, 2);
        assert_eq!((shown(&two).as_str(), more), ("[aä]", true));
    }
}
