//! What changed, in sentences.

use crate::recording::Day;
use crate::trend::{By, Change, Mark, Moved, Presence, PresenceKind, Series, Trend};
use crate::verdict::{counted, cut, harmless};
use crate::view::{percent, points};
use std::fmt::Write as _;

/// The longest a name in a sentence may be.
const WIDEST: usize = 40;

/// A recorded name, fit for a sentence.
pub(super) fn name(text: &str) -> String {
    let text = harmless(text);
    if text.is_empty() { "(none)".to_owned() } else { cut(&text, WIDEST) }
}

pub fn change_sentence(trend: &Trend, series: &Series, change: &Change) -> String {
    let Change { from, until, settled, before, after, worse, p_value, covered, servers } = change;
    let verb = if after > before { "rose" } else { "fell" };
    let verdict = match worse {
        Some(true) => "worse: ",
        Some(false) => "better: ",
        None => "",
    };
    let mut text = format!(
        "{from}: {verdict}{} {verb} from {} to {} ({} points; p={p_value:.0e})",
        name(&series.name),
        percent(*before),
        percent(*after),
        points(*before, *after),
    );
    // A server or tool would be told again, with the same numbers.
    if !servers.is_empty() && !matches!(trend.by, By::Server | By::Tool) {
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
            let _ = write!(text, "; back since {until}");
        }
        None if *settled => text.push_str("; the new level"),
        None => text.push_str("; not back to normal"),
    }
    text
}

pub fn mark_sentence(night: Day, mark: &Mark) -> String {
    let what = match mark {
        Mark::Rulebook { before, after } => {
            format!("another rulebook: {} instead of {}", name(after), name(before))
        }
        Mark::Checks => "other contracts, facts or schemas".to_owned(),
        Mark::Version { before, after } => {
            format!("another version of tapecheck: {} instead of {}", name(after), name(before))
        }
        Mark::Mix { moved } => format!(
            "another traffic mix: {} of the calls have other servers, tools or scenarios",
            percent(*moved)
        ),
    };
    format!("{night}: {what}")
}

pub fn presence_sentence(Presence { kind, name: what }: &Presence) -> String {
    let what = name(what);
    let tonight = |count| match count {
        0 => "none in the last night".to_owned(),
        count => format!("{} in the last night", counted(count, "call")),
    };
    match *kind {
        PresenceKind::New { night, count } => format!("{night}: new: {what} ({})", tonight(count)),
        PresenceKind::Vanished { last } => format!("{last}: last seen: {what}"),
        PresenceKind::Returned { last, night, count } => {
            format!("{night}: back: {what}, last seen {last} ({})", tonight(count))
        }
    }
}
