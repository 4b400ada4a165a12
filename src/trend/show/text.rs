//! Trends for the terminal, no line wider than that: prose not wider than 80 columns either.

use super::sentences::{change_sentence, mark_sentence, name, percent, presence_sentence};
use super::spark::{nights_a_block, spark};
use super::{View, Worse, worse_servers};
use crate::trend::{By, Change, Point, Series, Trend};
use crate::verdict::{counted, grouped, harmless};
use std::fmt::Write as _;

/// No sentence is wider.
const WIDTH: usize = 80;
/// The widths of the columns: name and line together, of which the line takes so much at most; range,
/// tonight, change.
const NAME_AND_LINE: usize = 42;
const LINE: usize = 24;
const LEAST_NAME: usize = 18;
const RANGE: usize = 10;
const TONIGHT: usize = 18;
const CHANGE: usize = 5;
/// So many rows, alarms and other lines are shown at most.
const MOST_ROWS: usize = 25;
const MOST_ALARMS: usize = 20;
const MOST_LINES: usize = 8;

/// Where less of the last night can be compared, that is told.
const TOLD: f64 = 0.9;

/// Nights before so many without exchanges are not drawn.
const LONG_AGO: usize = 366;

/// Rows with lines, alarms as sentences, marks, and what is new, gone or back; names have more room
/// where lines may be wider than 80 columns.
#[must_use]
pub fn as_text(view: &View<'_>, width: usize) -> String {
    let trend = view.trend;
    let mut out = String::new();
    head(trend, &mut out);
    if trend.nights.is_empty() {
        section(&mut out, "notes", grouped_notes(&trend.notes), MOST_LINES);
        return out;
    }
    rows(trend, NAME_AND_LINE + width.saturating_sub(WIDTH), &mut out);
    alarms(trend, &mut out);
    section(&mut out, "marks", marks(trend), MOST_LINES);
    let issue_types = view.issue_types;
    section(&mut out, "issue types that came or went", presences(issue_types), MOST_LINES);
    section(&mut out, "servers that came or went", presences(view.servers), MOST_LINES);
    if trend.by != issue_types.by && trend.by != view.servers.by {
        let title = format!("{} that came or went", trend.by);
        section(&mut out, &title, presences(trend), MOST_LINES);
    }
    section(&mut out, "most common issues of the last night", top(issue_types), MOST_LINES);
    section(&mut out, "servers that got worse", worse(view.servers), MOST_LINES);
    section(&mut out, "notes", grouped_notes(&trend.notes), MOST_LINES);
    if trend.notes.len() > 1 && grouped_notes(&trend.notes).len() < trend.notes.len() {
        out.push_str("  --json has them all\n");
    }
    out.push('\n');
    wrapped(&format!("test: {}", trend.test), "", &mut out);
    out
}

fn head(trend: &Trend, out: &mut String) {
    let (Some(first), Some(last)) = (trend.nights.first(), trend.nights.last()) else {
        out.push_str("there are no nights to show\n");
        return;
    };
    let exchanges: u64 = trend.nights.iter().map(|night| night.exchanges).sum();
    let nights = trend.nights.iter().filter(|night| night.exchanges > 0).count() as u64;
    let _ = writeln!(
        out,
        "{} to {}: {} with {}",
        first.day,
        last.day,
        counted(nights, "night"),
        counted(exchanges, "exchange"),
    );
    if let Some(by) = By::ALL.into_iter().find(|by| by.name() == trend.by) {
        let _ = writeln!(out, "by {}: the share of exchanges that {}", by.name(), by.share_of());
    }
    out.push('\n');
}

fn rows(trend: &Trend, room: usize, out: &mut String) {
    let shown = &trend.series[..trend.series.len().min(MOST_ROWS)];
    let longest = shown.iter().map(|series| full_name(&series.name).chars().count()).max();
    let drawn_from = drawn_from(trend);
    let nights = trend.nights.len() - drawn_from;
    let a_block = nights_a_block(nights, LINE);
    let heading =
        if a_block == 1 { "a night each".to_owned() } else { format!("{a_block} nights each") };
    let line = nights.div_ceil(a_block).max(heading.chars().count());
    let name =
        longest.unwrap_or_default().clamp(LEAST_NAME, room.saturating_sub(line).max(LEAST_NAME));
    let _ = writeln!(
        out,
        "{:name$} {heading:line$} {:>RANGE$} {:>TONIGHT$} {:>CHANGE$}",
        trend.by, "drawn", "last night", "+/-"
    );
    for series in shown {
        row(series, (drawn_from, a_block), (name, line), out);
    }
    left_out(trend.series.len(), MOST_ROWS, "rows", out);
    if drawn_from > 0 {
        let day = trend.nights[drawn_from].day;
        let _ = writeln!(out, "drawn from {day} on: more than a year before it has no exchanges");
    }
    if trend.series.iter().any(is_open) {
        out.push_str("! changed, and not back\n");
    }
    // A first night has none before it.
    let is_first = trend.is_young && trend.nights.iter().filter(|it| it.exchanges > 0).count() < 2;
    if let Some(text) = little_compared(shown).filter(|_| !is_first) {
        wrapped(&text, "", out);
    }
}

/// Where the last night has much that the nights before do not have, that is said.
fn little_compared(shown: &[Series]) -> Option<String> {
    let tonight = shown.iter().filter(|series| series.points.last().is_some_and(Option::is_some));
    let covered = || tonight.clone().filter_map(|series| series.covered);
    let (least, most) = (covered().fold(1.0, f64::min), covered().fold(0.0, f64::max));
    (least < TOLD).then(|| {
        let share = if percent(least) == percent(most) {
            percent(least)
        } else {
            format!("{} to {}", percent(least), percent(most))
        };
        format!(
            "+/- is by {share} of the last night's exchanges: the others are of servers, tools or \
             scenarios that the nights before do not have; below 50 % there is none"
        )
    })
}

fn is_open(series: &Series) -> bool {
    series.changes.iter().any(Change::is_open)
}

/// The first night that is drawn: a clock that was never set puts some exchanges decades before all
/// others, which would leave nothing to see of these.
fn drawn_from(trend: &Trend) -> usize {
    let mut from = 0;
    let mut empty = 0;
    for (at, night) in trend.nights.iter().enumerate() {
        if night.exchanges == 0 {
            empty += 1;
        } else {
            if empty > LONG_AGO {
                from = at;
            }
            empty = 0;
        }
    }
    from
}

fn row(
    series: &Series,
    (drawn_from, a_block): (usize, usize),
    (name, line): (usize, usize),
    out: &mut String,
) {
    let drawn = spark(&series.points[drawn_from..], a_block);
    let range = drawn.range.map_or_else(String::new, |[least, greatest]| {
        let (least, greatest) = (short(least), short(greatest));
        if least == greatest { format!("{least} %") } else { format!("{least}–{greatest} %") }
    });
    let tonight = series.points.last().copied().flatten();
    let difference = tonight.zip(series.expected).map_or_else(String::new, |(point, expected)| {
        let points = (point.share() - expected) * 100.0;
        if points.abs() < 0.05 { "=".to_owned() } else { format!("{points:+.1}") }
    });
    let mark = if is_open(series) { "!" } else { "" };
    let shown = tonight.map_or_else(|| "–".to_owned(), |point| with_interval(&point));
    let row = format!(
        "{:name$} {:line$} {range:>RANGE$} {shown:>TONIGHT$} {difference:>CHANGE$}{mark}",
        without_middle(&full_name(&series.name), name),
        drawn.line,
    );
    let _ = writeln!(out, "{}", row.trim_end());
}

/// A name of which nothing is cut.
fn full_name(text: &str) -> String {
    let text = harmless(text);
    if text.is_empty() { "(none)".to_owned() } else { text }
}

/// A name that is not too wide: of tools of one server the ends differ, and of servers the beginnings.
fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let after = (most - 1) * 3 / 5;
    let before = most - 1 - after;
    let head = text.chars().take(before);
    head.chain(['…']).chain(text.chars().skip(length - after)).collect()
}

/// Notes of which those that are alike are told once, so that none hides another.
fn grouped_notes(notes: &[String]) -> Vec<String> {
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for note in notes {
        match kinds.iter_mut().find(|(first, _)| are_alike(first, note)) {
            Some((_, count)) => *count += 1,
            None => kinds.push((note, 1)),
        }
    }
    let told = |(first, count): (&str, u64)| match count {
        1 => first.to_owned(),
        count => format!("{first} (and {} more like this)", grouped(count - 1)),
    };
    kinds.into_iter().map(told).collect()
}

/// Whether two sentences are the same but for some names and numbers.
fn are_alike(one: &str, other: &str) -> bool {
    let words = [one, other].map(|text| text.split(' ').collect::<Vec<_>>());
    let same = words[0].iter().zip(&words[1]).filter(|(one, other)| one == other).count();
    words[0].len() == words[1].len() && same * 5 >= words[0].len() * 3
}

fn with_interval(point: &Point) -> String {
    format!("{} ({}–{})", percent(point.share()), short(point.low), short(point.high))
}

/// A share in percent in four characters at most.
fn short(share: f64) -> String {
    let percent = share * 100.0;
    let text = if percent >= 99.95 { format!("{percent:.0}") } else { format!("{percent:.1}") };
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

fn alarms(trend: &Trend, out: &mut String) {
    let all = trend
        .series
        .iter()
        .flat_map(|series| series.changes.iter().map(move |change| (series, change)));
    let mut all: Vec<(&Series, &Change)> = all.collect();
    all.sort_by_key(|(_, change)| std::cmp::Reverse(change.began));
    if all.is_empty() {
        out.push_str(if trend.is_young {
            "\ntoo few nights to find changes: a night is held against at least 3 before it\n"
        } else {
            "\nno changes\n"
        });
        return;
    }
    let lines = all.iter().map(|(series, change)| change_sentence(trend, series, change));
    section(out, "changes", lines.collect(), MOST_ALARMS);
}

fn marks(trend: &Trend) -> Vec<String> {
    let nights = trend.nights.iter().enumerate().rev();
    nights
        .flat_map(|(at, night)| night.marks.iter().map(move |mark| mark_sentence(trend, at, mark)))
        .collect()
}

fn presences(trend: &Trend) -> Vec<String> {
    trend.presences.iter().map(|presence| presence_sentence(trend, presence)).collect()
}

fn top(issue_types: &Trend) -> Vec<String> {
    let tonight = |series: &Series| {
        let last = issue_types.nights.iter().rposition(|night| night.exchanges > 0)?;
        let point = series.points.get(last).copied().flatten().filter(|point| point.count > 0)?;
        let count = counted(point.count, "exchange");
        Some(format!("{count} ({}): {}", percent(point.share()), name(&series.name)))
    };
    issue_types.series.iter().filter_map(tonight).collect()
}

fn worse(servers: &Trend) -> Vec<String> {
    let told = |worse: &Worse<'_>| {
        let doubt = if worse.is_alarm { "" } else { " (perhaps)" };
        format!(
            "{}: not fully_working {} to {} since {}{doubt}",
            name(worse.name),
            percent(worse.before),
            percent(worse.after),
            worse.since,
        )
    };
    worse_servers(servers).iter().map(told).collect()
}

/// A heading and lines under it; nothing where there are none.
fn section(out: &mut String, title: &str, lines: Vec<String>, most: usize) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    let all = lines.len();
    for line in lines.into_iter().take(most) {
        wrapped(&line, "  ", out);
    }
    left_out(all, most, "", out);
}

fn left_out(all: usize, most: usize, what: &str, out: &mut String) {
    if all > most {
        let _ = writeln!(out, "  and {} more {what}", grouped((all - most) as u64));
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
}

/// Words in lines that are not too wide, those after the first further in.
fn wrapped(text: &str, indent: &str, out: &mut String) {
    let mut line = indent.to_owned();
    let mut width = indent.chars().count();
    let mut is_first = true;
    for word in text.split(' ') {
        let more = word.chars().count();
        if !is_first && width + 1 + more > WIDTH {
            out.push_str(&line);
            out.push('\n');
            line = format!("{indent}  ");
            width = line.chars().count();
        } else if !is_first {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += more;
        is_first = false;
    }
    out.push_str(&line);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_too_long_keep_both_ends() {
        let names = ["CSV Database Server/read_rows", "CSV Database Server/read_columns"];
        let shown = names.map(|name| without_middle(name, 18));
        assert_eq!(shown, ["CSV Dat…/read_rows", "CSV Dat…ad_columns"]);
        assert_eq!(names.map(|name| without_middle(name, 40)), names);
    }

    #[test]
    fn many_notes_of_a_kind_do_not_hide_another() {
        let passed =
            |run: u32| format!("run-{run}: passed over: cannot read classes.parquet: torn");
        let mut notes: Vec<String> = (0..12).map(passed).collect();
        notes.push("a clock went back: the run 7 was added after 8".to_owned());
        let grouped = grouped_notes(&notes);
        assert_eq!(grouped.len(), 2, "{grouped:?}");
        assert!(grouped[0].ends_with("torn (and 11 more like this)"), "{grouped:?}");
        assert!(grouped[1].starts_with("a clock went back"), "{grouped:?}");
    }
}
