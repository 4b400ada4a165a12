//! Text made to fit a number of columns, whatever its characters are wide.

use super::look::{Look, Tone};
use crate::verdict::harmless;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Text that is longer is cut before anybody measures it.
const LONGEST: usize = 4096;

/// A stretch of text with one tone. What it shows of recordings can do no harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Bit {
    pub(in crate::cli) text: String,
    pub(in crate::cli) tone: Tone,
}

impl Bit {
    pub(in crate::cli) fn new(text: &str, tone: Tone) -> Self {
        let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
        Self { text: harmless(&text[..end]), tone }
    }

    pub(in crate::cli) fn plain(text: &str) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// How many columns a text takes.
pub(in crate::cli) fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// A text cut to a number of columns, with an ellipsis where something is missing.
pub(in crate::cli) fn cut(text: &str, width: usize) -> String {
    let text = Bit::plain(text).text;
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

/// Bits broken into lines of at most a number of columns, between words where that can be. Of more
/// lines than wanted the last one ends in an ellipsis.
pub(in crate::cli) fn wrap(bits: &[Bit], width: usize, most: usize) -> Vec<Vec<Bit>> {
    let mut lines: Vec<Vec<(String, Tone)>> = vec![Vec::new()];
    let mut used = 0;
    for bit in bits {
        for symbol in symbols(&bit.text) {
            let wide = columns(symbol);
            if used + wide > width && used > 0 {
                let carried = carried(lines.last_mut());
                used = carried.iter().map(|(symbol, _)| columns(symbol)).sum();
                lines.push(carried);
                if lines.len() > most {
                    break;
                }
                if symbol == " " && used == 0 {
                    continue;
                }
            }
            if let Some(line) = lines.last_mut() {
                line.push((symbol.to_owned(), bit.tone));
            }
            used += wide;
        }
    }
    let is_cut = lines.len() > most;
    lines.truncate(most);
    let mut lines: Vec<Vec<Bit>> = lines.into_iter().map(joined).collect();
    if is_cut && let Some(last) = lines.last_mut() {
        let used: usize = last.iter().map(|bit| columns(&bit.text)).sum();
        if let Some(bit) = last.last_mut() {
            let kept = bit.text.trim_end();
            let room = columns(kept).saturating_sub(usize::from(used >= width));
            bit.text = within(kept, room) + "…";
        }
    }
    lines
}

/// The word at the end of a line that is full, taken out of it, if there is another before it.
fn carried(line: Option<&mut Vec<(String, Tone)>>) -> Vec<(String, Tone)> {
    let Some(line) = line else { return Vec::new() };
    match line.iter().rposition(|(symbol, _)| symbol == " ") {
        Some(space) if space * 2 > line.len() => line.split_off(space + 1),
        Some(_) | None => Vec::new(),
    }
}

fn joined(symbols: Vec<(String, Tone)>) -> Vec<Bit> {
    let mut bits: Vec<Bit> = Vec::new();
    for (symbol, tone) in symbols {
        match bits.last_mut() {
            Some(bit) if bit.tone == tone => bit.text.push_str(&symbol),
            Some(_) | None => bits.push(Bit { text: symbol, tone }),
        }
    }
    bits
}

/// Bits as a line of the screen.
pub(in crate::cli) fn line(bits: Vec<Bit>, look: Look) -> Line<'static> {
    bits.into_iter().map(|bit| Span::styled(bit.text, look.style(bit.tone))).collect()
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
        assert_eq!(Bit::plain("x\u{202e}y").text, "x\\u{202e}y");
    }

    #[test]
    fn lines_break_between_words_and_say_when_something_is_missing() {
        let bits = [Bit::plain("one two "), Bit::new("three", Tone::Hit), Bit::plain(" four five")];
        let text = |lines: Vec<Vec<Bit>>| -> Vec<String> {
            let line = |line: Vec<Bit>| line.into_iter().map(|bit| bit.text).collect::<String>();
            lines.into_iter().map(|bits| line(bits).trim_end().to_owned()).collect()
        };
        assert_eq!(text(wrap(&bits, 9, 9)), ["one two", "three", "four five"]);
        assert_eq!(text(wrap(&bits, 9, 2)), ["one two", "three…"]);
        assert_eq!(text(wrap(&[Bit::plain("abcdefgh")], 3, 9)), ["abc", "def", "gh"]);
        assert!(wrap(&bits, 0, 3).len() <= 3, "no width is no endless loop");
    }
}
