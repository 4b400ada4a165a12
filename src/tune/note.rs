//! The note that goes with a change of a rulebook: what changed, why, and what it is worth.

use super::change::Change;
use super::measure::Gain;
use super::mine::Phrase;
use super::reply::Replies;
use crate::label::Label;
use crate::verdict::{counted, harmless};
use std::fmt::Write as _;

/// A note for the commit that brings the changes.
#[must_use]
pub fn note(
    name: &str,
    (changes, phrases): (&[Change], &[Phrase]),
    gain: &Gain,
    (replies, objective): (&Replies, &str),
) -> String {
    let mut note = String::new();
    let _ = writeln!(
        note,
        "Tune {name}: {objective} {:.3} instead of {:.3} on servers it was not tuned on\n",
        gain.after.value, gain.before.value
    );
    let _ = writeln!(
        note,
        "Learned from {} of {}. Measured on servers that nothing was learned from:\n\
         {objective} {:.3} before, {:.3} after; gain {:+.3} ({:+.3} to {:+.3}).\n\
         Of {}, {} became right and {} wrong (McNemar p = {}); {} got better, {} worse.\n",
        counted(replies.all.len() as u64, "labelled exchange"),
        counted(replies.servers.len() as u64, "server"),
        gain.before.value,
        gain.after.value,
        gain.gain.value,
        gain.gain.low,
        gain.gain.high,
        counted(gain.replies, "labelled error"),
        gain.gained,
        gain.lost,
        likelihood(gain.mcnemar),
        counted(gain.servers_better, "server"),
        gain.servers_worse,
    );
    for change in changes {
        let _ = writeln!(note, "- {change}");
        let Change::Phrases { label, entries, .. } = change else { continue };
        for phrase in phrases.iter().filter(|it| it.label == *label && entries.contains(&it.text)) {
            let _ = writeln!(note, "  - \"{}\": {}", harmless(&phrase.text), evidence(phrase));
        }
    }
    note
}

/// Where a phrase was seen, in words.
pub(crate) fn evidence(phrase: &Phrase) -> String {
    let seen = &phrase.evidence;
    let other = match phrase.label {
        Label::BusinessLogic => Label::ToolFailure,
        Label::ToolFailure => Label::BusinessLogic,
        Label::HiddenFailure => Label::Ok,
        Label::Ok => Label::HiddenFailure,
    };
    let mut words = format!(
        "{} of {} on {}",
        seen.replies,
        phrase.label.name(),
        counted(seen.servers as u64, "server")
    );
    if seen.other_replies > 0 {
        let _ =
            write!(words, ", {} of {} on {}", seen.other_replies, other.name(), seen.other_servers);
    }
    words
}

/// A likelihood with as many digits as mean something.
pub(crate) fn likelihood(value: f64) -> String {
    if value < 0.0001 { "below 0.0001".to_owned() } else { format!("{value:.4}") }
}
