//! The note that goes with a change of a rulebook: what changed, why, and what it is worth.

use super::change::Change;
use super::examples::Breaking;
use super::measure::Gain;
use super::mine::Phrase;
use super::reply::Replies;
use crate::labels::Label;
use crate::verdict::{counted, harmless};
use std::fmt::Write as _;

/// What a note tells.
#[derive(Clone, Copy, Debug)]
pub struct Noted<'a> {
    /// The rulebook's name.
    pub name: &'a str,
    /// What was made as great as possible.
    pub objective: &'a str,
    /// What was learned from.
    pub replies: &'a Replies,
    /// What is gained for errors, and for hidden failures.
    pub gains: [Option<&'a Gain>; 2],
    /// What changes.
    pub changes: &'a [Change],
    /// The phrases that were found.
    pub phrases: &'a [Phrase],
    /// The rulebook's examples that come out otherwise.
    pub breaking: &'a [Breaking],
}

/// A note for the commit that brings the changes.
#[must_use]
pub fn note(noted: &Noted<'_>) -> String {
    let Noted { name, objective, replies, gains, changes, phrases, breaking } = noted;
    let mut note = String::new();
    let questions = ["errors", "hidden failures"];
    let measured =
        || gains.iter().zip(questions).filter_map(|(gain, what)| Some((*gain.as_ref()?, what)));
    let real = measured().find(|(gain, _)| gain.is_real());
    let what = match real {
        Some((gain, what)) => format!(
            "{what} {:.3} instead of {:.3} on other servers",
            gain.after.value, gain.before.value
        ),
        None => "no gain was shown".to_owned(),
    };
    let _ = writeln!(note, "Tune {}: {what}\n", harmless(name));
    let _ = writeln!(
        note,
        "Learned from {} of {}; measured on servers that nothing was learned from.",
        counted(replies.all.len() as u64, "label"),
        counted(replies.servers.len() as u64, "server"),
    );
    for (gain, what) in measured() {
        let _ = writeln!(
            note,
            "\nOf {what}: {objective} {:.3} before, {:.3} after,\n\
             difference {:+.3} ({:+.3} to {:+.3}, 90 %){}.\n\
             Of {} labelled, {} became right and {} wrong (McNemar p {});\n\
             {} better, {} worse.",
            gain.before.value,
            gain.after.value,
            gain.gain.value,
            gain.gain.low,
            gain.gain.high,
            if gain.is_real() { "" } else { ", which is no gain" },
            gain.replies,
            gain.gained,
            gain.lost,
            likelihood(gain.mcnemar),
            counted(gain.servers_better, "server"),
            gain.servers_worse,
        );
    }
    note.push('\n');
    for change in *changes {
        let _ = writeln!(note, "- {}", harmless(&change.to_string()));
        let Change::Phrases { label, entries, .. } = change else { continue };
        for phrase in phrases.iter().filter(|it| it.label == *label && entries.contains(&it.text)) {
            let _ = writeln!(note, "  - \"{}\": {}", harmless(&phrase.text), evidence(phrase));
        }
    }
    if !breaking.is_empty() {
        let _ = writeln!(note, "\nExamples of {} that come out otherwise:\n", harmless(name));
        for Breaking { example, difference, .. } in *breaking {
            let _ = writeln!(note, "- {}: {}", harmless(example), harmless(difference));
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

/// A likelihood with as many digits as mean something, and how it compares.
pub(crate) fn likelihood(value: f64) -> String {
    if value < 0.0001 { "< 0.0001".to_owned() } else { format!("= {value:.4}") }
}
