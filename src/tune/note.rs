//! What goes with a change of a rulebook, in its file and for its commit: what changed, why, and what it is worth.

use super::change::Change;
use super::examples::Breaking;
use super::measure::Gain;
use super::mine::Phrase;
use super::overlay::Overlay;
use super::reply::Replies;
use crate::labels::Label;
use crate::verdict::{counted, harmless};
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug)]
pub struct Noted<'a> {
    pub name: &'a str,
    /// What was made as great as possible.
    pub objective: &'a str,
    /// What was learned from.
    pub replies: &'a Replies,
    /// What is gained for errors, and for hidden failures.
    pub gains: [Option<&'a Gain>; 2],
    pub changes: &'a [Change],
    /// The phrases that were found.
    pub phrases: &'a [Phrase],
    /// The examples, own and inherited, that come out otherwise.
    pub breaking: &'a [Breaking],
}

impl Noted<'_> {
    /// A note for the commit that brings the changes.
    pub fn text(&self) -> String {
        let mut note = self.worth();
        note.push('\n');
        for change in self.changes {
            let _ = writeln!(note, "- {}", harmless(&change.to_string()));
            let Change::Phrases { label, entries, .. } = change else { continue };
            let own = |it: &&Phrase| it.label == *label && entries.contains(&it.text);
            for phrase in self.phrases.iter().filter(own) {
                let _ = writeln!(note, "  - \"{}\": {}", harmless(&phrase.text), evidence(phrase));
            }
        }
        note + &self.broken()
    }

    /// The rulebook to write: it extends the tuned one, and says what was measured.
    pub fn rulebook(&self, name: &str, extends: &str, overlay: &Overlay) -> String {
        let mut text = String::new();
        for line in self.worth().lines().chain(self.broken().lines()) {
            let _ = writeln!(text, "{}", format!("# {line}").trim_end());
        }
        let about = format!("{}, tuned by labels.", self.name);
        for (key, value) in [("name", name), ("about", &about), ("extends", extends)] {
            let _ = writeln!(text, "{key} = {}", toml::Value::from(value));
        }
        text + &overlay.text(self.changes, self.phrases)
    }

    /// What the changes are worth.
    fn worth(&self) -> String {
        let Noted { name, objective, replies, gains, .. } = self;
        let mut note = String::new();
        let questions = ["errors", "hidden failures"];
        let measured =
            || gains.iter().zip(questions).filter_map(|(gain, what)| Some((*gain.as_ref()?, what)));
        let real = measured().find(|(gain, _)| gain.is_real());
        let what = match real {
            Some((gain, what)) => format!(
                "{what} {:.3} instead of {:.3} on held-out servers",
                gain.after.value, gain.before.value
            ),
            None => "no gain was shown".to_owned(),
        };
        let _ = writeln!(note, "Tune {}: {what}\n", harmless(name));
        let _ = writeln!(
            note,
            "Learned from {} of {}; evaluated on held-out servers.",
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
                if gain.is_real() { "" } else { ", not a gain" },
                gain.replies,
                gain.gained,
                gain.lost,
                likelihood(gain.mcnemar),
                counted(gain.servers_better, "server"),
                gain.servers_worse,
            );
        }
        note
    }

    /// The examples that come out otherwise, if there are any.
    fn broken(&self) -> String {
        let mut note = String::new();
        for Breaking { example, rulebook, difference } in self.breaking {
            if note.is_empty() {
                note.push_str("\nExamples that change:\n\n");
            }
            let line = format!("{example} ({rulebook}): {difference}");
            let _ = writeln!(note, "- {}", harmless(&line));
        }
        note
    }
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
