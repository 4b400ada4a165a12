//! The screen of a question: what was called, what came back, and which key says what.
//!
//! What the rulebook made of the exchange is not shown: a label that follows it is worth nothing.

use super::next::Shown;
use crate::cli::screen::fit::{Bit, columns, cut, line, pad, wrap};
use crate::cli::screen::look::{Look, Tone};
use crate::labelling::{Act, KEYS, Sheet};
use crate::review::KeyRow;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::text::{Line, Text};

/// Lines of a text at most.
const MOST_LINES: usize = 2_000;

/// Draws the screen and returns how far what is told can be scrolled.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    (sheet, questions): (&Sheet, &[Shown]),
    look: Look,
) -> usize {
    let area = frame.area();
    let width = usize::from(area.width);
    if sheet.shows_help() {
        frame.render_widget(help(width, look), area);
        return 0;
    }
    let [title, body, message, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(title_line(sheet, width, look), title);
    let shown = sheet.at().and_then(|at| questions.get(at));
    let lines =
        shown.map_or_else(|| end_lines(sheet, look), |shown| body_lines(shown, width, look));
    let height = usize::from(body.height);
    let most = lines.len().saturating_sub(height);
    let from = sheet.scrolled().min(most);
    let below = most - from;
    let visible: Vec<Line<'_>> = lines.into_iter().skip(from).take(height).collect();
    frame.render_widget(Text::from(visible), body);
    frame.render_widget(message_line(sheet, (width, from, below), look), message);
    frame.render_widget(foot_line(sheet, width, look), keys);
    if let Some(typed) = sheet.typing() {
        let column = columns(NOTE) + columns(&end_of(typed, width));
        let x = keys.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
        frame.set_cursor_position((x.min(keys.right().saturating_sub(1)), keys.y));
    }
    most
}

fn title_line(sheet: &Sheet, width: usize, look: Look) -> Line<'static> {
    let left = match sheet.at() {
        Some(at) => format!(" question {} of {}", at + 1, sheet.questions()),
        None => " nothing is left to ask".to_owned(),
    };
    let right = cut(&format!("{} answered ", sheet.answered()), width);
    let left = pad(&left, width.saturating_sub(columns(&right)));
    line(vec![Bit::new(&(left + &right), Tone::Chosen)], look)
}

fn body_lines(shown: &Shown, width: usize, look: Look) -> Vec<Line<'static>> {
    let inner = width.saturating_sub(2);
    let kind = if shown.is_error() {
        "an error: business logic, or a failure of the tool?"
    } else {
        "no error: is it right, or does it hide a failure?"
    };
    let mut lines = vec![
        line(vec![Bit::new(&cut(&format!(" {}", shown.call), width), Tone::Strong)], look),
        line(vec![Bit::plain(&cut(&format!(" {} · {kind}", shown.place), width))], look),
        line(vec![Bit::new(&cut(&format!(" asked: {}", shown.why), width), Tone::Faint)], look),
    ];
    let equal = shown.equal_words();
    if !equal.is_empty() {
        lines.push(line(vec![Bit::plain(&cut(&format!(" {equal}"), width))], look));
    }
    for (heading, text) in [("input", &shown.page.input), ("reply", &shown.page.reply)] {
        lines.push(Line::default());
        lines.push(line(vec![Bit::new(&cut(&format!(" {heading}"), width), Tone::Strong)], look));
        let text = if text.is_empty() { "(nothing)" } else { text };
        for row in text.lines().take(MOST_LINES) {
            for bits in wrap(&[Bit::plain(row)], inner.max(1), MOST_LINES) {
                let bits = std::iter::once(Bit::plain("  ")).chain(bits);
                lines.push(line(bits.collect(), look));
            }
        }
    }
    lines
}

fn end_lines(sheet: &Sheet, look: Look) -> Vec<Line<'static>> {
    let text = format!(" {} answered and saved; q ends, u takes the latest back", sheet.answered());
    vec![Line::default(), line(vec![Bit::plain(&text)], look)]
}

fn message_line(
    sheet: &Sheet,
    (width, above, below): (usize, usize, usize),
    look: Look,
) -> Line<'static> {
    let note = sheet.note().map(|note| format!("note: {note}"));
    let said: Vec<&str> = sheet.message().into_iter().chain(note.as_deref()).collect();
    let right = match (above, below) {
        (0, 0) => String::new(),
        (above, below) => format!("up {above}, down {below} "),
    };
    let right = cut(&right, width);
    let left = pad(&format!(" {}", said.join(" · ")), width.saturating_sub(columns(&right)));
    line(vec![Bit::new(&left, Tone::Strong), Bit::new(&right, Tone::Faint)], look)
}

/// Stands before a note that is typed.
const NOTE: &str = " why? ";

/// The end of what is typed, as far as there is room.
fn end_of(typed: &str, width: usize) -> String {
    let typed = Bit::plain(typed).text;
    let room = width.saturating_sub(columns(NOTE) + 1);
    let mut start = 0;
    while columns(&typed[start..]) > room {
        start += typed[start..].chars().next().map_or(1, char::len_utf8);
    }
    typed[start..].to_owned()
}

fn foot_line(sheet: &Sheet, width: usize, look: Look) -> Line<'static> {
    if let Some(typed) = sheet.typing() {
        let bits = vec![Bit::new(NOTE, Tone::Strong), Bit::plain(&end_of(typed, width))];
        return line(bits, look);
    }
    let is_possible = |act: Act| match act {
        Act::Say(label) => sheet.possible().contains(&label),
        Act::Note | Act::Skip => sheet.at().is_some(),
        Act::Undo | Act::Up | Act::Down | Act::Help | Act::Quit => true,
    };
    let mut bits = Vec::new();
    for row in KEYS.iter().filter(|row| !row.word.is_empty() && is_possible(row.act)) {
        bits.push(Bit::plain(" "));
        bits.push(Bit::new(row.name, Tone::Strong));
        bits.push(Bit::plain(&format!(" {} ", row.word)));
    }
    line(bits, look)
}

fn help(width: usize, look: Look) -> Text<'static> {
    let head = line(vec![Bit::new(&pad(" keys; any key goes back", width), Tone::Chosen)], look);
    let row = |row: &KeyRow<Act>| {
        let name = Bit::new(&format!(" {}", pad(row.name, 8)), Tone::Strong);
        line(vec![name, Bit::plain(&cut(row.about, width.saturating_sub(9)))], look)
    };
    std::iter::once(head).chain(KEYS.iter().map(row)).collect()
}
