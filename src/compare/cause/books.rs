//! Two rulebooks made ready for asking what hits decide with some edits put back.

use crate::compare::{Side, signals_of};
use crate::recording::ReplyKind;
use crate::rulebook::edit::{Edit, Edits, Part, Reach};
use crate::rulebook::{
    Field, Holder, LeafSet, Observing, Pattern, PatternKind, Question, Rulebook,
};
use crate::verdict::{Ground, SignalSet};
use hashbrown::HashMap;
use std::sync::Arc;

/// How many rulebooks with edits put back are compiled for two sides; more counts as not known.
const MOST_COMPILED: usize = 1000;

/// The kinds of reply that signals are observed on.
pub(super) const WATCHES: [Observing; 3] =
    [Observing::Errors, Observing::Successes, Observing::HiddenFailures];

/// What is looked for: two equal ones hit the same texts, whatever lists they stand in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PatternText {
    pub(super) text: String,
    pub(super) field: Field,
    pub(super) kind: PatternKind,
    reading: String,
}

/// Things looked for, by number. What hits is asked of each in every try, so this has to be quick.
#[derive(Clone, Debug, Default)]
pub(super) struct PatternTexts(Vec<bool>);

impl PatternTexts {
    pub(super) fn has(&self, look: usize) -> bool {
        self.0.get(look) == Some(&true)
    }

    pub(super) fn each(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(|(_, is_there)| **is_there).map(|(look, _)| look)
    }

    fn insert(&mut self, look: usize) {
        if self.0.len() <= look {
            self.0.resize(look + 1, false);
        }
        self.0[look] = true;
    }
}

impl FromIterator<usize> for PatternTexts {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut looks = Self::default();
        numbers.into_iter().for_each(|look| looks.insert(look));
        looks
    }
}

/// Two rulebooks and what was changed between them.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) edits: Edits,
    pub(super) sides: [SideBook; 2],
    looks: HashMap<PatternText, usize>,
    /// The edits of entries by where an entry stands and what it is.
    entries: HashMap<(Holder, String), usize>,
    signals: HashMap<Vec<usize>, Option<Arc<ReadSignals>>>,
    rules: HashMap<Vec<usize>, Option<Arc<Rules>>>,
    /// Whether something could not be tried, since that would have been one rulebook too many.
    refused: bool,
    /// Whether other checks held, and another version of the program judged, as far as it can be a reason.
    pub(super) other_checks: bool,
    pub(super) other_version: bool,
}

#[derive(Debug)]
pub(super) struct SideBook {
    pub(super) rulebook: Arc<Rulebook>,
    /// What the patterns look for, by their names, with their numbers.
    names: HashMap<String, (usize, usize)>,
    looked: [PatternTexts; WATCHES.len()],
}

/// What is decided from signals.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) rulebook: Rulebook,
    /// The signals by which anything is decided: of errors, and of replies that claim success.
    pub(super) deciding: [SignalSet; 2],
}

impl Rules {
    fn new(rulebook: Rulebook) -> Self {
        Self { deciding: rulebook.deciding_signals(), rulebook }
    }
}

/// Signals as they follow from hits.
#[derive(Debug)]
pub(super) struct ReadSignals {
    pub(super) rulebook: Rulebook,
    pub(super) asked: Vec<AskedLook>,
    /// The same, by what is looked for: the places in `asked`.
    by_look: Vec<Vec<u32>>,
    /// What was looked for on no side that tells: the same, by kind of reply and by which sides tell.
    unanswered: [[Vec<u32>; 4]; WATCHES.len()],
    /// The signals that rest on each question.
    pub(super) resting: Vec<SignalSet>,
    /// The signals that each signal rests on, and itself.
    below: Vec<SignalSet>,
    /// The signals that only one side has, with their edits.
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

impl ReadSignals {
    /// The signals that are observed on a kind of reply, of all those of both sides; no others hold.
    pub(super) fn observed(&self, rules: &Rules, which: Observing) -> SignalSet {
        let [errors, hidden] = rules.deciding.map(|signals| self.closed(signals));
        let observed = match (which, rules.rulebook.errors.question) {
            (Observing::Errors, _) => !(hidden.0 & !errors.0),
            (Observing::Successes, Question::Errors | Question::Failures) => hidden.0,
            (Observing::Successes, Question::All) | (Observing::HiddenFailures, _) => u128::MAX,
        };
        SignalSet(observed)
    }

    pub(super) fn asked_of(&self, look: usize) -> impl Iterator<Item = &AskedLook> {
        let places = self.by_look.get(look).into_iter().flatten();
        places.map(|place| &self.asked[*place as usize])
    }

    /// What was looked for on none of the sides that tell.
    pub(super) fn unanswered(
        &self,
        which: Observing,
        tell: [bool; 2],
    ) -> impl Iterator<Item = &AskedLook> {
        let places =
            &self.unanswered[which as usize][usize::from(tell[0]) | usize::from(tell[1]) << 1];
        places.iter().map(|place| &self.asked[*place as usize])
    }

    /// The signals that there are with these changes put back.
    pub(super) fn there(&self, edits: &Edits, put_back: &[bool]) -> SignalSet {
        let absent = self
            .optional
            .iter()
            .filter(|(_, edit)| edits.all()[*edit].before.is_some() != put_back[*edit]);
        absent.fold(SignalSet(u128::MAX), |signals, (signal, _)| {
            SignalSet(signals.0 & !(1 << signal))
        })
    }

    fn closed(&self, signals: SignalSet) -> SignalSet {
        let below = self.below.iter().enumerate().filter(|(signal, _)| signals.has(*signal));
        below.fold(SignalSet::default(), |all, (_, below)| SignalSet(all.0 | below.0))
    }
}

impl Books {
    /// `None` where a side does not keep its rulebook.
    pub(super) fn new([before, after]: [&Side; 2]) -> Option<Self> {
        let rulebooks = [before.rulebook.as_ref()?, after.rulebook.as_ref()?];
        let edits = Edits::between(rulebooks[0], rulebooks[1])?;
        let versions = before.header.version.as_ref().zip(after.header.version.as_ref());
        let entries = edits.all().iter().enumerate();
        let entries = entries.filter_map(|(at, edit)| {
            let of = edit.of.clone();
            let holder = match edit.part {
                Part::Entry => Holder::List(of),
                Part::OwnEntry => Holder::Signal(of),
                _ => return None,
            };
            Some(((holder, edit.key.clone()), at))
        });
        let entries = entries.collect();
        let mut looks = HashMap::new();
        let sides = rulebooks.map(|rulebook| SideBook::new(rulebook, &mut looks));
        Some(Self {
            edits,
            sides,
            looks,
            entries,
            signals: HashMap::new(),
            rules: HashMap::new(),
            refused: false,
            other_checks: before.header.checks != after.header.checks,
            other_version: versions.is_some_and(|(before, after)| before != after),
        })
    }

    /// What is told and decided with some edits put back; `None` where that is no rulebook.
    pub(super) fn with(&mut self, put_back: &[bool]) -> Option<(Arc<ReadSignals>, Arc<Rules>)> {
        let (mut signals, mut rules) = (Vec::new(), Vec::new());
        for (at, _) in put_back.iter().enumerate().filter(|(_, put_back)| **put_back) {
            match self.edits.all().get(at).map(Edit::reach) {
                Some(Reach::Signals) => signals.push(at),
                Some(Reach::Decision) => rules.push(at),
                Some(_) | None => {}
            }
        }
        if let (Some(signals), Some(rules)) = (self.signals.get(&signals), self.rules.get(&rules)) {
            return Some((signals.clone()?, rules.clone()?));
        }
        if self.signals.len() + self.rules.len() >= MOST_COMPILED {
            self.refused = true;
            return None;
        }
        if !self.signals.contains_key(&signals) {
            let compiled = self.edits.observing(&signals).map(|rulebook| self.signals_of(rulebook));
            self.signals.insert(signals.clone(), compiled.map(Arc::new));
        }
        if !self.rules.contains_key(&rules) {
            let compiled = self.edits.deciding(&rules).map(Rules::new).map(Arc::new);
            self.rules.insert(rules.clone(), compiled);
        }
        Some((self.signals.get(&signals)?.clone()?, self.rules.get(&rules)?.clone()?))
    }

    /// Whether something could not be tried since this was last asked.
    pub(super) fn take_refused(&mut self) -> bool {
        std::mem::take(&mut self.refused)
    }

    fn signals_of(&mut self, rulebook: Rulebook) -> ReadSignals {
        let which = Observing::Errors;
        let edits = self.edits.all().iter().enumerate();
        let optional =
            edits.filter(|(_, edit)| edit.part == Part::Signal).filter_map(|(at, edit)| {
                Some((rulebook.signals.iter().position(|signal| signal.name == edit.of)?, at))
            });
        let optional = optional.collect();
        let asked = self.asked_looks(&rulebook, which);
        let mut by_look = vec![Vec::new(); self.looks.len()];
        for (place, asked) in (0..).zip(&asked) {
            by_look[asked.look].push(place);
        }
        let unanswered = WATCHES.map(|which| {
            [0_usize, 1, 2, 3].map(|tell| {
                let sides = self.sides.iter().enumerate();
                let looked: Vec<&PatternTexts> = sides
                    .filter(|(side, _)| tell >> side & 1 == 1)
                    .map(|(_, book)| book.looked_for(which))
                    .collect();
                let unanswered = (0..)
                    .zip(&asked)
                    .filter(|(_, asked)| !looked.iter().any(|looked| looked.has(asked.look)));
                unanswered.map(|(place, _)| place).collect()
            })
        });
        ReadSignals {
            optional,
            asked,
            by_look,
            unanswered,
            resting: rulebook.signals_by_question(which),
            below: rulebook.signals_below(which),
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
        let entry = self.entries.get(&place).filter(|_| is_entry(pattern.kind));
        Some((*entry?, leaf))
    }

    fn asked_looks(&mut self, rulebook: &Rulebook, which: Observing) -> Vec<AskedLook> {
        let asked = looks(rulebook, which).into_iter().map(|(leaf, pattern, look)| {
            let place = (rulebook.asked()[leaf].holder.clone(), look.text.clone());
            let entry = self.entries.get(&place).copied().filter(|_| is_entry(look.kind));
            AskedLook { look: number_of(&mut self.looks, look), leaf, pattern, entry }
        });
        asked.collect()
    }

    /// The edits that an exchange with these hits can tell apart only by compiling.
    pub(super) fn structural(&self) -> impl Iterator<Item = usize> + '_ {
        let edits = self.edits.all().iter().enumerate();
        let structural = |reach| matches!(reach, Reach::Signals | Reach::Decision);
        edits.filter(move |(_, edit)| structural(edit.reach())).map(|(at, _)| at)
    }
}

/// Whether a pattern stands in a list and can come and go alone.
fn is_entry(kind: PatternKind) -> bool {
    match kind {
        PatternKind::Text(_) | PatternKind::Whole => true,
        PatternKind::Regex(_) | PatternKind::Quotation(_) => false,
    }
}

pub(super) fn number_of(looks: &mut HashMap<PatternText, usize>, look: PatternText) -> usize {
    let next = looks.len();
    *looks.entry(look).or_insert(next)
}

/// What is looked for on a kind of reply: the question that it answers, the pattern, and what it is.
pub(super) fn looks(rulebook: &Rulebook, which: Observing) -> Vec<(usize, usize, PatternText)> {
    let leaves = rulebook.asked_of(which);
    let asked = rulebook.asked().iter().enumerate().filter(|(leaf, _)| leaves.has(*leaf));
    let looks = asked.flat_map(|(leaf, asked)| {
        asked.patterns.clone().map(move |at| {
            let Pattern { text, field, kind, .. } = &rulebook.patterns[at];
            let reading = asked.reading.clone();
            (leaf, at, PatternText { text: text.clone(), field: *field, kind: *kind, reading })
        })
    });
    looks.collect()
}

impl SideBook {
    pub(super) fn new(rulebook: &Arc<Rulebook>, looks: &mut HashMap<PatternText, usize>) -> Self {
        let mut numbers = vec![0; rulebook.patterns.len()];
        let looked = WATCHES.map(|which| {
            let looked = self::looks(rulebook, which).into_iter().map(|(_, pattern, look)| {
                numbers[pattern] = number_of(looks, look);
                numbers[pattern]
            });
            looked.collect()
        });
        let names = rulebook.pattern_names().into_iter().enumerate();
        let names = names.map(|(pattern, name)| (name, (numbers[pattern], pattern))).collect();
        Self { rulebook: Arc::clone(rulebook), names, looked }
    }

    pub(super) fn look(&self, pattern: &str) -> Option<(usize, usize)> {
        self.names.get(pattern).copied()
    }

    pub(super) fn looked_for(&self, which: Observing) -> &PatternTexts {
        &self.looked[which as usize]
    }
}

/// The signals for each way in which open questions can be answered, first that with no.
pub(super) fn signals_by_answers(
    rulebook: &Rulebook,
    which: Observing,
    yes: LeafSet,
    open: &[usize],
) -> Vec<SignalSet> {
    let answered = |choice: usize| {
        let mut yes = yes;
        for (_, leaf) in open.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1) {
            yes.insert(*leaf);
        }
        signals_of(rulebook, which, yes, None)
    };
    (0..1 << open.len()).map(answered).collect()
}

/// Which text of a reply is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    Nothing,
    /// The message of a JSON-RPC error.
    Message,
    /// The text of a reply as errors are read, and whether results inside it are opened.
    AsError(crate::rulebook::TextSource, crate::rulebook::TextElse, bool),
    /// So many bytes of a successful reply, and the same.
    Beginning(usize, bool),
}

/// Which text is judged by a rulebook whose rule for texts is another's.
pub(super) fn judged(
    rulebook: &Rulebook,
    rule: crate::rulebook::TextRule,
    ground: Ground,
    reply: ReplyKind,
) -> Judged {
    let as_error = Judged::AsError(rule.source, rule.otherwise, rule.opens_results);
    match (rulebook.observes(ground), reply) {
        (None, _) => Judged::Nothing,
        (Some(_), ReplyKind::ProtocolError) => Judged::Message,
        (Some(Observing::Errors), _) => as_error,
        (Some(Observing::Successes | Observing::HiddenFailures), _) => {
            match rulebook.errors.question {
                Question::All => as_error,
                Question::Errors | Question::Failures => {
                    Judged::Beginning(rule.success_bytes, rule.opens_results)
                }
            }
        }
    }
}
