//! The screen: a list above, what is told of the chosen one below.

use super::detail::detail;
use crate::cli::screen::fit::{Bit, columns, cut, line, pad, pad_left};
use crate::cli::screen::look::{Look, Tone};
use crate::compare::WHOLE_KEY;
use crate::review::{Act, Ask, Counts, KEYS, KeyRow, Place, Screen, Session, State, Target, What};
use crate::verdict::{counted, grouped};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Text};

/// Lines of the list at least, where there are as many to show.
const LIST: usize = 3;
/// Digits of keys that are shown.
const KEY: usize = 12;

/// Draws the screen and returns how far what is told can be scrolled.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen, look: Look) -> usize {
    let area = frame.area();
    if screen.shows_help() {
        frame.render_widget(help(usize::from(area.width), look), area);
        return 0;
    }
    let list_rows = rows_of(screen).max(1);
    let room = usize::from(area.height).saturating_sub(5);
    let list_height = list_rows.min((room * 2 / 5).max(LIST)).min(room);
    let height = |lines: usize| Constraint::Length(u16::try_from(lines).unwrap_or(u16::MAX));
    let [title, heading, list, rule, detail_area, message, keys] = Layout::vertical([
        height(1),
        height(1),
        height(list_height),
        height(1),
        Constraint::Min(0),
        height(1),
        height(1),
    ])
    .areas(area);
    let width = usize::from(area.width);
    frame.render_widget(title_line(screen, width, look), title);
    frame.render_widget(heading_line(screen, width, look), heading);
    frame.render_widget(list_text(screen, (width, list_height), look), list);
    frame.render_widget(rule_line(screen, width, look), rule);
    let lines = detail(screen, width, look);
    let most = lines.len().saturating_sub(usize::from(detail_area.height));
    let from = screen.scrolled().min(most);
    let shown: Vec<Line<'_>> =
        lines.into_iter().skip(from).take(usize::from(detail_area.height)).collect();
    frame.render_widget(Text::from(shown), detail_area);
    let more = Scrolled { below: most - from, above: from };
    frame.render_widget(message_line(screen, (width, more), look), message);
    draw_foot(frame, screen, (keys, look));
    most
}

/// Lines that are not shown.
#[derive(Clone, Copy)]
struct Scrolled {
    below: usize,
    above: usize,
}

fn rows_of(screen: &Screen) -> usize {
    match screen.place() {
        Place::Groups => screen.groups().0.len(),
        Place::Inside(_) => screen.exchanges().0.len(),
    }
}

fn title_line(screen: &Screen, width: usize, look: Look) -> Line<'static> {
    let session = screen.session();
    let comparison = &session.material().comparison;
    let counts = session.counts();
    let right =
        format!("{} of {} left ", grouped(counts.left()), counted(counts.all(), "exchange"));
    let left = format!(" {} -> {}", comparison.before.name, comparison.after.name);
    let left = pad(&left, width.saturating_sub(columns(&right)));
    line(vec![Bit::new(&(left + &right), Tone::Chosen)], look)
}

fn heading_line(screen: &Screen, width: usize, look: Look) -> Line<'static> {
    let text = match screen.place() {
        Place::Groups => format!(
            "       {} {} {}  cause",
            pad("kind", 9),
            pad_left("exchanges", 9),
            pad_left("servers", 7)
        ),
        Place::Inside(_) => format!("       {}  exchange", pad("key", 12)),
    };
    let filter = match screen.filtered_by() {
        "" => String::new(),
        words => format!("filter: {words} "),
    };
    let right = cut(&filter, width / 2);
    let text = pad(&text, width.saturating_sub(columns(&right))) + &right;
    line(vec![Bit::new(&text, Tone::Strong)], look)
}

fn list_text(screen: &Screen, (width, height): (usize, usize), look: Look) -> Text<'static> {
    let (chosen, count) = match screen.place() {
        Place::Groups => (screen.groups().1, screen.groups().0.len()),
        Place::Inside(_) => (screen.exchanges().1, screen.exchanges().0.len()),
    };
    if count == 0 {
        let text = if screen.filtered_by().is_empty() {
            "   nothing changed"
        } else {
            "   nothing fits the filter; esc takes it away"
        };
        return Text::from(text);
    }
    // The chosen one stays in the middle, as far as the ends allow.
    let from = chosen.saturating_sub(height / 2).min(count.saturating_sub(height));
    let row = |at: usize| {
        let text = match screen.place() {
            Place::Groups => group_row(screen.session(), screen.groups().0[at]),
            Place::Inside(subject) => {
                exchange_row(screen.session(), Target::Exchange(subject, screen.exchanges().0[at]))
            }
        };
        let (cursor, tone) = if at == chosen { ('>', Tone::Chosen) } else { (' ', Tone::Plain) };
        line(vec![Bit::new(&pad(&format!(" {cursor} {text}"), width), tone)], look)
    };
    (from..count.min(from + height)).map(row).collect()
}

fn group_row(session: &Session, at: usize) -> String {
    let subject = &session.subjects()[at];
    format!(
        "{} {} {} {}  {} · {}",
        mark(session.counts_of(at)),
        pad(subject.kind.name(), 9),
        pad_left(&grouped(subject.flips.len() as u64), 9),
        pad_left(&grouped(subject.places.len() as u64), 7),
        subject.title,
        subject.change(),
    )
}

fn exchange_row(session: &Session, target: Target) -> String {
    let Target::Exchange(subject, place) = target else { return String::new() };
    let what = session.decision(target).map(|decision| decision.what);
    let found = session.flip(subject, place).and_then(|flip| session.material().entry(flip));
    let Some((entry, side)) = found else { return String::new() };
    let mut key = entry.key_name().to_string();
    // Repeats of one content differ behind the digits only.
    key.replace_range(KEY..WHOLE_KEY.into(), "");
    let place = match side.names.get(entry.file) {
        "" => String::new(),
        file => format!("  {file}:{}", entry.line),
    };
    format!(
        "{} {}  {}/{}{place}",
        mark_of(what),
        pad(&key, KEY),
        side.names.get(entry.server),
        side.names.get(entry.tool),
    )
}

/// What was decided about a group, in three columns.
pub(super) fn mark(counts: Counts) -> &'static str {
    if counts.open == counts.all() {
        return mark_of(None);
    }
    match counts.alike() {
        None => "[/]",
        alike => mark_of(alike),
    }
}

fn mark_of(what: Option<What>) -> &'static str {
    match what {
        None => "[ ]",
        Some(What::Accept) => "[a]",
        Some(What::Reject) => "[r]",
        Some(What::Skip) => "[s]",
    }
}

fn rule_line(screen: &Screen, width: usize, look: Look) -> Line<'static> {
    let session = screen.session();
    let text = match screen.chosen() {
        None => String::new(),
        Some(target) => {
            let subject = &session.subjects()[target.subject()];
            let state = &session.states()[target.subject()];
            let decided = decided_words(session, target, state);
            format!("── {} · {} · {decided} ", subject.id, subject.kind.name())
        }
    };
    let text = cut(&text, width);
    let rest = "─".repeat(width.saturating_sub(columns(&text)));
    line(vec![Bit::new(&(text + &rest), Tone::Strong)], look)
}

fn decided_words(session: &Session, target: Target, state: &State) -> String {
    if let Target::Group(subject) = target
        && !state.single.is_empty()
    {
        return counts_words(session.counts_of(subject));
    }
    match session.decision(target) {
        None => "not decided".to_owned(),
        Some(decision) => {
            let why = decision.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
            format!("{} by {}{why}", decision.what.done(), decision.who)
        }
    }
}

/// How many are decided in which way.
pub(super) fn counts_words(counts: Counts) -> String {
    let parts = [
        (counts.accepted, What::Accept.done()),
        (counts.rejected, What::Reject.done()),
        (counts.skipped, What::Skip.done()),
        (counts.open, "not decided"),
    ];
    let told = parts.into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> =
        told.map(|(count, words)| format!("{} {words}", grouped(count))).collect();
    words.join(", ")
}

fn message_line(screen: &Screen, (width, more): (usize, Scrolled), look: Look) -> Line<'static> {
    let counts = screen.session().counts();
    let is_done = counts.all() > 0 && counts.open == 0;
    let done = is_done.then_some("all is decided: w writes it");
    let said: Vec<&str> = done.into_iter().chain(screen.message()).collect();
    let said = said.join(" · ");
    let right = match (more.above, more.below) {
        (0, 0) => String::new(),
        (above, below) => format!("page up {above}, page down {below} "),
    };
    let right = cut(&right, width);
    let left = pad(&format!(" {said}"), width.saturating_sub(columns(&right)));
    line(vec![Bit::new(&left, Tone::Strong), Bit::new(&right, Tone::Faint)], look)
}

fn draw_foot(frame: &mut Frame<'_>, screen: &Screen, (area, look): (Rect, Look)) {
    let width = usize::from(area.width);
    let Some((ask, typed)) = screen.asked() else {
        frame.render_widget(keys_line(width, look), area);
        return;
    };
    let question = match ask {
        Ask::Reason(targets) => match targets.as_slice() {
            [_] => "why is it rejected? ".to_owned(),
            several => format!("why are these {} rejected? ", several.len()),
        },
        Ask::Note(_) => "note: ".to_owned(),
        Ask::Filter => "show only: ".to_owned(),
    };
    let question = cut(&question, width);
    // Of a long text the end is shown, where the next character goes.
    let typed = Bit::plain(typed).text;
    let room = width.saturating_sub(columns(&question) + 1);
    let mut start = 0;
    while columns(&typed[start..]) > room {
        start += typed[start..].chars().next().map_or(1, char::len_utf8);
    }
    let shown = &typed[start..];
    let at = columns(&question) + columns(shown);
    let bits = vec![Bit::new(&question, Tone::Strong), Bit::plain(shown)];
    frame.render_widget(line(bits, look), area);
    let x = area.x.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
    frame.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
}

fn keys_line(width: usize, look: Look) -> Line<'static> {
    let rows: Vec<_> = KEYS.iter().filter(|row| !row.word.is_empty()).collect();
    let length: usize = rows.iter().map(|row| row.name.len() + 1 + row.word.len()).sum();
    let gap = if length + 2 * (rows.len() - 1) <= width { "  " } else { " " };
    let mut bits = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        bits.extend((at > 0).then(|| Bit::plain(gap)));
        bits.push(Bit::new(row.name, Tone::Strong));
        bits.push(Bit::plain(&format!(" {}", row.word)));
    }
    line(bits, look)
}

fn help(width: usize, look: Look) -> Text<'static> {
    /// Columns of the keys' names, and of what they do where their commands stand beside it.
    const COLUMNS: (usize, usize) = (12, 66);
    let head = line(vec![Bit::new(&pad(" keys; any key goes back", width), Tone::Chosen)], look);
    let row = |row: &KeyRow<Act>| {
        let name = Bit::new(&format!(" {}", pad(row.name, COLUMNS.0)), Tone::Strong);
        let has_room = width > COLUMNS.0 + COLUMNS.1 + 30;
        let about = if has_room { pad(row.about, COLUMNS.1) } else { row.about.to_owned() };
        let command = if has_room { row.command } else { "" };
        line(vec![name, Bit::plain(&about), Bit::new(command, Tone::Faint)], look)
    };
    std::iter::once(head).chain(KEYS.iter().map(row)).collect()
}
