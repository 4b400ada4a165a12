//! Two rulebooks made ready for asking what hits decide with some edits put back.

use crate::rulebook::edit::{Edits, Part, Reach};
use crate::rulebook::{Field, Holder, LeafSet, Observing, PatternKind, Question, Rulebook};
use crate::tape::ReplyKind;
use crate::verdict::{FactSet, Ground};
use hashbrown::HashMap;
use std::sync::Arc;

/// How many rulebooks with edits put back are compiled for two sides; what would take more counts as
/// not known.
const MOST_COMPILED: usize = 2000;

/// The kinds of reply that facts are observed on.
const WATCHES: [Observing; 2] = [Observing::Errors, Observing::Successes];

/// What is looked for: two patterns that are equal in this hit the same texts, whatever list they
/// stand in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Look {
    pub(super) text: String,
    pub(super) field: Field,
    pub(super) kind: PatternKind,
    reading: String,
}

/// Two rulebooks and what was changed between them.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) edits: Edits,
    pub(super) sides: [SideBook; 2],
    looks: HashMap<Look, usize>,
    /// The edits of entries by where an entry stands and what it is.
    entries: HashMap<(Holder, String), usize>,
    facts: HashMap<Vec<usize>, Option<Arc<Facts>>>,
    rules: HashMap<Vec<usize>, Option<Arc<Rulebook>>>,
}

/// One of the two rulebooks.
#[derive(Debug)]
pub(super) struct SideBook {
    pub(super) rulebook: Arc<Rulebook>,
    /// What the patterns look for, by their names, with their numbers.
    names: HashMap<String, (usize, usize)>,
    /// Whether something is looked for, by kind of reply and by its number.
    looked: [Vec<bool>; 2],
}

/// Facts that are told from hits.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) rulebook: Rulebook,
    /// What answers the questions.
    pub(super) asked: Vec<AskedLook>,
    /// The facts that rest on each question.
    pub(super) resting: Vec<FactSet>,
    /// The facts that each fact rests on, and itself.
    below: Vec<FactSet>,
    /// The facts that only one side has, with their edits.
    optional: Vec<(usize, usize)>,
}

/// Something that is looked for, and the question that it answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedLook {
    pub(super) look: usize,
    pub(super) leaf: usize,
    pub(super) pattern: usize,
    /// The edit by which it is there, if there is one.
    pub(super) entry: Option<usize>,
}

impl Facts {
    /// The facts that are observed on a kind of reply, of all those of both sides; no others hold.
    pub(super) fn observed(&self, rules: &Rulebook, which: Observing) -> FactSet {
        let [errors, hidden] = rules.deciding_facts().map(|facts| self.closed(facts));
        let observed = match (which, rules.errors.question) {
            (Observing::Errors, _) => !(hidden.0 & !errors.0),
            (Observing::Successes, Question::Errors) => hidden.0,
            (Observing::Successes, Question::All) => u128::MAX,
        };
        FactSet(observed)
    }

    /// The facts that there are with these changes put back.
    pub(super) fn there(&self, edits: &Edits, put_back: &[bool]) -> FactSet {
        let absent = self
            .optional
            .iter()
            .filter(|(_, edit)| edits.all()[*edit].before.is_some() != put_back[*edit]);
        absent.fold(FactSet(u128::MAX), |facts, (fact, _)| FactSet(facts.0 & !(1 << fact)))
    }

    fn closed(&self, facts: FactSet) -> FactSet {
        let below = self.below.iter().enumerate().filter(|(fact, _)| facts.has(*fact));
        below.fold(FactSet::default(), |all, (_, below)| FactSet(all.0 | below.0))
    }
}

impl Books {
    /// `None` where the text of one of them is not kept.
    pub(super) fn new(before: &Arc<Rulebook>, after: &Arc<Rulebook>) -> Option<Self> {
        let edits = Edits::between(before, after)?;
        let entries = edits.all().iter().enumerate();
        let entries = entries.filter_map(|(at, edit)| {
            let of = edit.of.clone();
            let holder = match edit.part {
                Part::Entry => Holder::List(of),
                Part::OwnEntry => Holder::Fact(of),
                _ => return None,
            };
            Some(((holder, edit.key.clone()), at))
        });
        let entries = entries.collect();
        let mut looks = HashMap::new();
        let sides = [before, after].map(|rulebook| SideBook::new(rulebook, &mut looks));
        let (facts, rules) = (HashMap::new(), HashMap::new());
        Some(Self { edits, sides, looks, entries, facts, rules })
    }

    /// What is told and decided with some edits put back; `None` where that is no rulebook.
    pub(super) fn with(&mut self, put_back: &[bool]) -> Option<(Arc<Facts>, Arc<Rulebook>)> {
        let of = |books: &Self, reach: Reach| -> Vec<usize> {
            let edits = books.edits.all().iter().zip(put_back).enumerate();
            let edits = edits.filter(|(_, (edit, put_back))| **put_back && edit.reach() == reach);
            edits.map(|(at, _)| at).collect()
        };
        let facts = of(self, Reach::Facts);
        let rules = of(self, Reach::Decision);
        let is_known = self.facts.contains_key(&facts) && self.rules.contains_key(&rules);
        if !is_known && self.facts.len() + self.rules.len() >= MOST_COMPILED {
            return None;
        }
        if !self.facts.contains_key(&facts) {
            let compiled = self.edits.observing(&facts).map(|rulebook| self.facts_of(rulebook));
            self.facts.insert(facts.clone(), compiled.map(Arc::new));
        }
        if !self.rules.contains_key(&rules) {
            let compiled = self.edits.deciding(&rules).map(Arc::new);
            self.rules.insert(rules.clone(), compiled);
        }
        Some((self.facts.get(&facts)?.clone()?, self.rules.get(&rules)?.clone()?))
    }

    fn facts_of(&mut self, rulebook: Rulebook) -> Facts {
        let which = Observing::Errors;
        let edits = self.edits.all().iter().enumerate();
        let optional =
            edits.filter(|(_, edit)| edit.part == Part::Fact).filter_map(|(at, edit)| {
                Some((rulebook.facts.iter().position(|fact| fact.name == edit.of)?, at))
            });
        Facts {
            optional: optional.collect(),
            asked: self.asked_looks(&rulebook, which),
            resting: rulebook.facts_by_question(which),
            below: rulebook.facts_below(which),
            rulebook,
        }
    }

    /// The edit by which a pattern of one side is there or not, and the number of what it answers.
    pub(super) fn entry_of(&self, side: usize, pattern: &str) -> Option<(usize, usize)> {
        let book = &self.sides[side];
        let (_, number) = book.look(pattern)?;
        let pattern = &book.rulebook.patterns[number];
        let asked = book.rulebook.asked().iter().enumerate();
        let (leaf, asked) =
            asked.into_iter().find(|(_, asked)| asked.patterns.contains(&number))?;
        let place = (asked.holder.clone(), pattern.text.clone());
        let entry =
            self.entries.get(&place).filter(|_| !matches!(pattern.kind, PatternKind::Regex(_)));
        Some((*entry?, leaf))
    }

    fn asked_looks(&mut self, rulebook: &Rulebook, which: Observing) -> Vec<AskedLook> {
        let mut asked = Vec::new();
        for_each_look(rulebook, rulebook.asked_of(which), &mut |leaf, pattern, look| {
            let is_text = !matches!(look.kind, PatternKind::Regex(_));
            let entry =
                self.entries.get(&(rulebook.asked()[leaf].holder.clone(), look.text.clone()));
            let entry = entry.copied().filter(|_| is_text);
            let look = number_of(&mut self.looks, look);
            asked.push(AskedLook { look, leaf, pattern, entry });
        });
        asked
    }

    /// The edits that an exchange with these hits can tell apart only by compiling.
    pub(super) fn structural(&self) -> impl Iterator<Item = usize> + '_ {
        let edits = self.edits.all().iter().enumerate();
        let structural = |reach| matches!(reach, Reach::Facts | Reach::Decision);
        edits.filter(move |(_, edit)| structural(edit.reach())).map(|(at, _)| at)
    }
}

pub(super) fn number_of(looks: &mut HashMap<Look, usize>, look: Look) -> usize {
    let next = looks.len();
    *looks.entry(look).or_insert(next)
}

pub(super) fn for_each_look(
    rulebook: &Rulebook,
    leaves: LeafSet,
    visit: &mut dyn FnMut(usize, usize, Look),
) {
    for (leaf, asked) in rulebook.asked().iter().enumerate().filter(|(leaf, _)| leaves.has(*leaf)) {
        for at in asked.patterns.clone() {
            let pattern = &rulebook.patterns[at];
            let look = Look {
                text: pattern.text.clone(),
                field: pattern.field,
                kind: pattern.kind,
                reading: asked.reading.clone(),
            };
            visit(leaf, at, look);
        }
    }
}

impl SideBook {
    pub(super) fn new(rulebook: &Arc<Rulebook>, looks: &mut HashMap<Look, usize>) -> Self {
        let mut numbers = vec![0; rulebook.patterns.len()];
        let looked = WATCHES.map(|which| {
            let mut looked = Vec::new();
            for_each_look(rulebook, rulebook.asked_of(which), &mut |_, pattern, look| {
                let look = number_of(looks, look);
                numbers[pattern] = look;
                if looked.len() <= look {
                    looked.resize(look + 1, false);
                }
                looked[look] = true;
            });
            looked
        });
        let names = rulebook.pattern_names().into_iter().enumerate();
        let names = names.map(|(pattern, name)| (name, (numbers[pattern], pattern))).collect();
        Self { rulebook: Arc::clone(rulebook), names, looked }
    }

    /// What a pattern looks for, and its number.
    pub(super) fn look(&self, pattern: &str) -> Option<(usize, usize)> {
        self.names.get(pattern).copied()
    }

    /// Whether something is looked for on one kind of reply.
    pub(super) fn looks_for(&self, look: usize, which: Observing) -> bool {
        let at = WATCHES.iter().position(|watch| *watch == which);
        at.is_some_and(|at| self.looked[at].get(look) == Some(&true))
    }
}

/// For which kind of reply facts are observed on what is there, if they are.
pub(super) fn watch_of(rulebook: &Rulebook, ground: Ground) -> Option<Observing> {
    let asked_always = rulebook.errors.question == Question::All;
    let watches = match ground {
        Ground::Error | Ground::SilentError => return Some(Observing::Errors),
        Ground::Content => asked_always || rulebook.hidden_failure.is_some(),
        Ground::NoContent | Ground::EmptyContent => asked_always,
        Ground::Malformed | Ground::NoReply | Ground::Document => false,
    };
    watches.then_some(Observing::Successes)
}

/// Which text of a reply is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// None at all.
    Nothing,
    /// The message of a JSON-RPC error.
    Message,
    /// The text of a reply as errors are read.
    AsError(crate::rulebook::TextSource, crate::rulebook::TextElse),
    /// So many bytes of a successful reply.
    Beginning(usize),
}

/// Which text is judged by a rulebook whose rule for texts is another's.
pub(super) fn judged(
    rulebook: &Rulebook,
    rule: crate::rulebook::TextRule,
    (ground, reply): (Ground, ReplyKind),
) -> Judged {
    let as_error = Judged::AsError(rule.source, rule.otherwise);
    match (watch_of(rulebook, ground), reply) {
        (None, _) => Judged::Nothing,
        (Some(_), ReplyKind::ProtocolError) => Judged::Message,
        (Some(Observing::Errors), _) => as_error,
        (Some(Observing::Successes), _) => match rulebook.errors.question {
            Question::All => as_error,
            Question::Errors => Judged::Beginning(rule.success_bytes),
        },
    }
}
