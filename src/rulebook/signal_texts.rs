//! Texts given as examples of signals: each is tried when somebody asks, since whoever judges does not.

use super::problem::{BrokenText, Files, Mark};
use super::{Observing, Rulebook, Subject};
use crate::verdict::Field;
use crate::verdict::{cut, harmless};
use std::sync::Arc;

/// So much of a text is shown.
const SHOWN: usize = 60;

/// The texts given as examples of a rulebook's signals, and the files in which they stand.
#[derive(Clone, Debug, Default)]
pub(super) struct SignalTexts {
    pub(super) texts: Arc<[SignalText]>,
    pub(super) files: Arc<Files>,
}

/// A text of which a signal ought to be true or false.
#[derive(Debug)]
pub(super) struct SignalText {
    pub(super) signal: usize,
    pub(super) text: String,
    /// The arguments of the call that the text answers, as JSON.
    pub(super) call: Option<String>,
    pub(super) holds: bool,
    pub(super) mark: Mark,
}

impl Rulebook {
    /// The texts given as examples of a signal of which it is not what it ought to be, with the text
    /// standing in every field at once.
    pub fn broken_examples(&self) -> Vec<BrokenText> {
        self.broken_examples_under(self)
    }

    /// The same by the signals of another rulebook, as far as it has them.
    pub(crate) fn broken_examples_under(&self, other: &Self) -> Vec<BrokenText> {
        let SignalTexts { texts, files } = &self.signal_texts;
        let broken = texts.iter().filter_map(|example| {
            let name = &self.signals[example.signal].name;
            let signal = other.signals.iter().position(|signal| signal.name == *name)?;
            (other.says(signal, example) != example.holds).then_some((name, example))
        });
        let messages = broken.map(|(name, SignalText { text, holds, mark, .. })| {
            let shown = cut(&harmless(text), SHOWN);
            let message = format!("`{name}` should be {holds} for \"{shown}\", but is not");
            BrokenText {
                signal: name.clone(),
                text: text.clone(),
                problem: files.problem(*mark, message, None),
            }
        });
        messages.collect()
    }

    fn says(&self, signal: usize, example: &SignalText) -> bool {
        let text = &*example.text;
        let patterns = self.signals[signal].patterns.iter();
        let mut patterns = patterns.filter_map(|at| self.patterns.get(usize::from(*at)));
        let asks_input = patterns.any(|pattern| pattern.field == Field::Input);
        let input = example.call.as_deref().unwrap_or(if asks_input { text } else { "" });
        let subject = Subject { text, tool: text, input, scenario: text, code: text };
        let which =
            if self.error_signals.has(signal) { Observing::Errors } else { Observing::Successes };
        self.observe(&subject, which).signals.has(signal)
    }
}
