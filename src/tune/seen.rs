//! What a rulebook saw in labelled replies, so that asking what less or more of it would say reads no text.

use super::reply::LabelledReply;
use crate::labels::Label;
use crate::rulebook::{Holder, LeafSet, Observing, Rulebook};
use crate::verdict::SignalSet;

/// What a rulebook saw in labelled replies.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub(super) of: Vec<SeenReply>,
    /// By pattern, the question that it answers.
    questions: Vec<usize>,
    /// By pattern, the list with a name that it stands in.
    lists: Vec<Option<String>>,
}

/// What a rulebook saw in a reply.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenReply {
    pub(super) which: Option<Observing>,
    pub(super) hits: Vec<u16>,
    /// The questions that were answered with yes.
    pub(super) yes: LeafSet,
    pub(super) signals: SignalSet,
    pub(super) answer: Option<Label>,
}

impl Seen {
    /// Observes replies.
    pub fn of(rulebook: &Rulebook, replies: &[LabelledReply]) -> Self {
        let mut questions = vec![0; rulebook.patterns.len()];
        let mut lists = vec![None; rulebook.patterns.len()];
        for (number, question) in rulebook.asked().iter().enumerate() {
            for pattern in question.patterns.clone() {
                questions[pattern] = number;
                lists[pattern] = match &question.holder {
                    Holder::List(name) => Some(name.clone()),
                    Holder::Signal(_) => None,
                };
            }
        }
        let mut seen = Self { of: Vec::with_capacity(replies.len()), questions, lists };
        for reply in replies {
            let which = reply.observed_as();
            let mut it = SeenReply { which, ..SeenReply::default() };
            if let Some(which) = which {
                let observed = rulebook.observe(&reply.subject(), which);
                it.hits = observed.hits.iter().map(|hit| hit.pattern).collect();
                it.signals = observed.signals;
            }
            it.yes = seen.yes(&it, |_| true);
            it.answer = reply.answer_by(rulebook, it.signals);
            seen.of.push(it);
        }
        seen
    }

    /// The list with a name in which a pattern stands.
    pub(super) fn list_of(&self, pattern: u16) -> Option<&str> {
        self.lists[usize::from(pattern)].as_deref()
    }

    /// The questions that some of the patterns answer with yes.
    pub(super) fn yes(&self, seen: &SeenReply, kept: impl Fn(u16) -> bool) -> LeafSet {
        let mut yes = LeafSet::default();
        for hit in seen.hits.iter().filter(|hit| kept(**hit)) {
            yes.insert(self.questions[usize::from(*hit)]);
        }
        yes
    }
}
