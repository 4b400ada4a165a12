//! What changed, in sentences.

use crate::trend::{By, Change, Mark, Moved, Presence, Series, Trend};
use crate::verdict::{counted, cut, harmless};
use crate::view::{percent, points};
use std::fmt::Write as _;

/// The longest a name in a sentence may be.
const WIDEST: usize = 40;
/// So many names are listed.
const MOST_NAMES: usize = 3;

/// A recorded name, fit for a sentence.
pub(super) fn name(text: &str) -> String {
    let text = harmless(text);
    if text.is_empty() { "(none)".to_owned() } else { cut(&text, WIDEST) }
}

/// The first names of several, and how many more there are.
fn names<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = all.len().saturating_sub(MOST_NAMES);
    let mut text = all.take(MOST_NAMES).map(name).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

fn day(trend: &Trend, night: usize) -> String {
    trend.nights.get(night).map_or_else(String::new, |night| night.day.to_string())
}

pub fn change_sentence(trend: &Trend, series: &Series, change: &Change) -> String {
    let Change { began, from: _, until, settled, before, after, worse, p_value, covered, servers } =
        change;
    let verb = if after > before { "rose" } else { "fell" };
    let verdict = match worse {
        Some(true) => "worse: ",
        Some(false) => "better: ",
        None => "",
    };
    let mut text = format!(
        "{began}: {verdict}{} {verb} from {} to {} ({} points; p={p_value:.0e})",
        name(&series.name),
        percent(*before),
        percent(*after),
        points(*before, *after),
    );
    // A server or tool would be told again, with the same numbers.
    let is_of_one = [By::Server, By::Tool].iter().any(|by| by.name() == trend.by);
    if !servers.is_empty() && !is_of_one {
        let moved = |moved: &Moved| {
            let Moved { name: server, before, after, .. } = moved;
            format!("{} {} to {}", name(server), percent(*before), percent(*after))
        };
        let servers: Vec<String> = servers.iter().map(moved).collect();
        let _ = write!(text, ", mostly {}", servers.join("; "));
    }
    if *covered < 0.9 {
        let _ = write!(text, "; {} of the calls comparable", percent(*covered));
    }
    match until {
        Some(until) => {
            let _ = write!(text, "; back since {}", day(trend, *until));
        }
        None if *settled => text.push_str("; the new level"),
        None => text.push_str("; not back to normal"),
    }
    text
}

pub fn mark_sentence(trend: &Trend, night: usize, mark: &Mark) -> String {
    let what = match mark {
        Mark::Rulebook { before, after } => {
            format!("another rulebook: {} instead of {}", name(after), name(before))
        }
        Mark::Checks => "other contracts, facts or schemas".to_owned(),
        Mark::Version { before, after } => {
            format!("another version of tapecheck: {} instead of {}", name(after), name(before))
        }
        Mark::Mix { moved, appeared, vanished } => {
            let mut text = format!(
                "another traffic mix: {} of the calls have other servers, tools or scenarios",
                percent(*moved)
            );
            if !appeared.is_empty() {
                let _ = write!(text, "; new: {}", names(appeared.iter().map(String::as_str)));
            }
            if !vanished.is_empty() {
                let _ = write!(text, "; gone: {}", names(vanished.iter().map(String::as_str)));
            }
            text
        }
    };
    format!("{}: {what}", day(trend, night))
}

pub fn presence_sentence(trend: &Trend, presence: &Presence) -> String {
    let tonight = |count: &u64| match count {
        0 => "none in the last night".to_owned(),
        count => format!("{} in the last night", counted(*count, "call")),
    };
    match presence {
        Presence::New { name: what, night, count } => {
            format!("{}: new: {} ({})", day(trend, *night), name(what), tonight(count))
        }
        Presence::Vanished { name: what, last } => {
            format!("{}: last seen: {}", day(trend, *last), name(what))
        }
        Presence::Returned { name: what, last, night, count } => format!(
            "{}: back: {}, last seen {} ({})",
            day(trend, *night),
            name(what),
            day(trend, *last),
            tonight(count)
        ),
    }
}
