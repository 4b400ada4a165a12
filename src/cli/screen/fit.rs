//! Text made to fit a number of columns, whatever its characters are wide, and how it can stand out.

use crate::verdict::harmless;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

/// A heading or a key. Colours only repeat what words and marks say.
pub(in crate::cli) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// Beside the point.
pub(in crate::cli) const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
pub(in crate::cli) const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
/// Where a pattern hit.
pub(in crate::cli) const HIT: Style =
    Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED));
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

/// Spans broken into lines of at most a number of columns, between words where that can be. Of more
/// lines than wanted the last one ends in an ellipsis.
pub(in crate::cli) fn wrap(
    spans: &[Span<'static>],
    width: usize,
    most: usize,
) -> Vec<Vec<Span<'static>>> {
    let mut lines: Vec<Vec<(&str, Style)>> = vec![Vec::new()];
    let mut used = 0;
    for span in spans {
        for symbol in symbols(&span.content) {
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
                line.push((symbol, span.style));
            }
            used += wide;
        }
    }
    let is_cut = lines.len() > most;
    lines.truncate(most);
    let mut lines: Vec<Vec<Span<'static>>> = lines.into_iter().map(joined).collect();
    if is_cut && let Some(last) = lines.last_mut() {
        let used: usize = last.iter().map(Span::width).sum();
        if let Some(span) = last.last_mut() {
            let kept = span.content.trim_end();
            let room = columns(kept).saturating_sub(usize::from(used >= width));
            span.content = (within(kept, room) + "…").into();
        }
    }
    lines
}

/// The word at the end of a line that is full, taken out of it, if there is another before it.
fn carried<'a>(line: Option<&mut Vec<(&'a str, Style)>>) -> Vec<(&'a str, Style)> {
    let Some(line) = line else { return Vec::new() };
    match line.iter().rposition(|(symbol, _)| *symbol == " ") {
        Some(space) if space * 2 > line.len() => line.split_off(space + 1),
        Some(_) | None => Vec::new(),
    }
}

fn joined(symbols: Vec<(&str, Style)>) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (symbol, style) in symbols {
        match spans.last_mut() {
            Some(span) if span.style == style => span.content.to_mut().push_str(symbol),
            Some(_) | None => spans.push(Span::styled(symbol.to_owned(), style)),
        }
    }
    spans
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
        let spans = [plain("one two "), span("three", HIT), plain(" four five")];
        let text = |lines: Vec<Vec<Span<'static>>>| -> Vec<String> {
            let line = |line: Vec<Span<'static>>| {
                line.into_iter().map(|span| span.content).collect::<String>()
            };
            lines.into_iter().map(|spans| line(spans).trim_end().to_owned()).collect()
        };
        assert_eq!(text(wrap(&spans, 9, 9)), ["one two", "three", "four five"]);
        assert_eq!(text(wrap(&spans, 9, 2)), ["one two", "three…"]);
        assert_eq!(text(wrap(&[plain("abcdefgh")], 3, 9)), ["abc", "def", "gh"]);
        assert!(wrap(&spans, 0, 3).len() <= 3, "no width is no endless loop");
    }
}
