//! Text made to fit a number of columns, whatever its characters are wide, and how it can stand out.

use crate::verdict::harmless;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// A heading or a key. Colours only repeat what words and marks say.
pub(in crate::cli) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// Beside the point.
pub(in crate::cli) const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
pub(in crate::cli) const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
/// What was, or got worse.
pub(in crate::cli) const BEFORE: Style = Style::new().fg(Color::Red);
/// What is now, or got better.
pub(in crate::cli) const AFTER: Style = Style::new().fg(Color::Green);

/// Text that is longer is cut before anybody measures it.
const LONGEST: usize = 4096;

/// Text that may be recorded and can do no harm.
pub(in crate::cli) fn span(text: &str, style: Style) -> Span<'static> {
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    Span::styled(harmless(&text[..end]), style)
}

pub(in crate::cli) fn plain(text: &str) -> Span<'static> {
    span(text, Style::new())
}

pub(in crate::cli) fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// A text cut to a number of columns, with an ellipsis where something is missing.
pub(in crate::cli) fn cut(text: &str, width: usize) -> String {
    let text = plain(text).content.into_owned();
    if columns(&text) <= width {
        return text;
    }
    match width.checked_sub(1) {
        Some(room) => within(&text, room) + "…",
        None => String::new(),
    }
}

/// As much of a text as fits a number of columns.
fn within(text: &str, mut room: usize) -> String {
    let mut out = String::new();
    for symbol in symbols(text) {
        match room.checked_sub(columns(symbol)) {
            Some(left) => room = left,
            None => break,
        }
        out.push_str(symbol);
    }
    out
}

/// A text cut or filled up to just a number of columns.
pub(in crate::cli) fn pad(text: &str, width: usize) -> String {
    let mut text = cut(text, width);
    let missing = width.saturating_sub(columns(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// A text that ends in a column.
pub(in crate::cli) fn pad_left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let missing = width.saturating_sub(columns(&text));
    " ".repeat(missing) + &text
}

/// A text broken into lines of at most a number of columns, between words where that can be. Of more lines than
/// wanted the last one ends in an ellipsis.
pub(in crate::cli) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let text = plain(text).content;
    let mut lines = vec![String::new()];
    let mut used = 0;
    for symbol in symbols(&text) {
        let wide = columns(symbol);
        let line = lines.last_mut().expect("there is one");
        if used == 0 || used + wide <= width {
            line.push_str(symbol);
            used += wide;
            continue;
        }
        // The word at its end goes with the next line, if there is another before it.
        let space = line.rfind(' ').filter(|space| space * 2 > line.len());
        let next = space.map_or_else(String::new, |space| line.split_off(space + 1));
        used = columns(&next);
        lines.push(next);
        if lines.len() > most {
            break;
        }
        if symbol != " " || used > 0 {
            lines.last_mut().expect("there is one").push_str(symbol);
            used += wide;
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let room = width.saturating_sub(1);
            *last = within(last.trim_end(), room) + "…";
        }
    }
    lines
}

/// What stands in one place of a terminal each.
fn symbols(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let next = Span::raw(rest).styled_graphemes(Style::new()).next()?.symbol.len();
        let (symbol, after) = rest.split_at(next);
        rest = after;
        Some(symbol)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(columns("配送"), 4);
        assert_eq!(cut("配送サービス", 5), "配送…");
        assert_eq!(cut("配送サービス", 12), "配送サービス");
        assert_eq!(pad("é\u{301}x", 4), "é\u{301}x  ");
        assert_eq!(pad_left("12", 4), "  12");
    }

    #[test]
    fn what_steers_terminals_is_spelled_out() {
        assert_eq!(cut("a\u{1b}[2Jb", 40), "a\\u{1b}[2Jb");
        assert_eq!(plain("x\u{202e}y").content, "x\\u{202e}y");
    }

    #[test]
    fn lines_break_between_words_and_say_when_something_is_missing() {
        let text = "one two three four five";
        assert_eq!(wrap(text, 9, 9), ["one two ", "three ", "four five"]);
        assert_eq!(wrap(text, 9, 2), ["one two ", "three…"]);
        assert_eq!(wrap("abcdefgh", 3, 9), ["abc", "def", "gh"]);
        assert!(wrap(text, 0, 3).len() <= 3, "wrapping to no width ends");
    }
}
