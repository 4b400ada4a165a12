//! From the texts of an exchange to signals, and from its hits where the texts are not there.

use super::matching::{Call, FieldMatcher, LeafSet, Matches, bits};
use super::problem::{BrokenText, Files, Mark};
use super::{Condition, Question, Rulebook};
use crate::verdict::{Field, Hit, Observation, SignalSet, cut, harmless};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The texts of an exchange that signals can look at. What is not there is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// The judged text of the reply.
    pub text: &'a str,
    pub tool: &'a str,
    /// The arguments, as recorded.
    pub input: &'a str,
    pub scenario: &'a str,
    /// The code of a JSON-RPC error, or of the failure that an error result states.
    pub code: &'a str,
}

/// For which kind of reply signals are observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observing {
    Errors,
    /// A reply that claims success.
    Successes,
    /// A reply that claims success and says otherwise: it is asked what errors are asked too.
    HiddenFailures,
}

/// What a tool's name contributes to every observation of that tool.
#[derive(Clone, Debug, Default)]
pub struct ToolSignals {
    errors: OfTool,
    successes: OfTool,
}

/// What a tool's name contributes to one kind of reply.
#[derive(Clone, Debug, Default)]
struct OfTool {
    found: Matches,
    /// The signals that hold where nothing else is found, as in most replies.
    signals: SignalSet,
}

/// What looks for the signals of a rulebook.
#[derive(Clone, Debug, Default)]
pub(super) struct Observer {
    pub(super) errors: Watch,
    pub(super) successes: Watch,
}

/// What is looked for in one kind of reply.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// What looks at each field, in their order.
    pub(super) fields: [FieldMatcher; Field::ALL.len()],
    pub(super) signals: Watched,
}

/// The signals that are observed on one kind of reply.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    /// The signals with their definitions, each after those it rests on.
    pub(super) in_order: Vec<(usize, Condition)>,
    /// For each question the places of the signals that rest on it, as bits.
    resting: Vec<u128>,
    /// The signals that hold where no question is answered with yes.
    by_default: SignalSet,
}

#[cfg(test)]
impl super::Rulebook {
    pub(super) fn regexes(&self) -> Vec<String> {
        let Observer { errors, successes } = &self.observer;
        let fields = errors.fields.iter().chain(&successes.fields);
        fields.flat_map(FieldMatcher::regexes).collect()
    }
}

impl Watch {
    fn scan(&self, field: Field, text: &str, call: &Call<'_>, found: &mut Matches) {
        self.fields[field as usize].scan(field, text, call, found);
    }
}

impl Watched {
    pub(super) fn new(in_order: Vec<(usize, Condition)>) -> Self {
        let mut resting = vec![0_u128; LeafSet::CAPACITY];
        for (place, (_, condition)) in in_order.iter().enumerate() {
            let (signals, questions) = condition.rests_on();
            let below = in_order[..place].iter().enumerate();
            let below = below.filter(|(_, (signal, _))| signals.has(*signal));
            let below = below.fold(0, |places, (place, _)| places | 1 << place);
            for (question, places) in resting.iter_mut().enumerate() {
                if questions.has(question) || *places & below != 0 {
                    *places |= 1 << place;
                }
            }
        }
        let mut watched = Self { in_order, resting, by_default: SignalSet::default() };
        watched.by_default = watched.when(LeafSet::default(), None);
        watched
    }

    /// The signals that rest on a question.
    fn resting_on(&self, question: usize) -> impl Iterator<Item = usize> {
        let places = self.resting.get(question).map_or(0, |places| *places);
        bits(places).map(|place| self.in_order[place].0)
    }

    /// The signals that hold when these questions are answered with yes, and no others; one may be told to hold or not,
    /// whatever it asks.
    pub(super) fn when(&self, yes: LeafSet, forced: Option<(usize, bool)>) -> SignalSet {
        let mut signals = SignalSet::default();
        for (signal, condition) in &self.in_order {
            let told = forced.filter(|(other, _)| other == signal).map(|(_, holds)| holds);
            if told.unwrap_or_else(|| condition.holds_when(yes, signals)) {
                signals.insert(*signal);
            }
        }
        signals
    }

    /// The same, given what holds when only some of these questions are answered with
    /// yes: only signals that rest on the others are looked at.
    fn when_also(&self, (known, mut signals): (LeafSet, SignalSet), leaves: LeafSet) -> SignalSet {
        let mut places = 0;
        for leaf in leaves.without(known) {
            places |= self.resting[leaf];
        }
        for place in bits(places) {
            let (signal, condition) = &self.in_order[place];
            if condition.holds_when(leaves, signals) {
                signals.insert(*signal);
            } else {
                signals.remove(*signal);
            }
        }
        signals
    }
}

impl Rulebook {
    /// What a tool's name contributes; worth keeping per tool.
    pub fn tool_signals(&self, tool: &str) -> ToolSignals {
        let of = |watch: &Watch| {
            let mut found = Matches::default();
            watch.scan(Field::Tool, tool, &Call::new(""), &mut found);
            let none = (LeafSet::default(), watch.signals.by_default);
            OfTool { signals: watch.signals.when_also(none, found.leaves), found }
        };
        ToolSignals { errors: of(&self.observer.errors), successes: of(&self.observer.successes) }
    }

    /// Observes an exchange whose tool was looked at before with [`Self::tool_signals`]; the subject's
    /// own `tool` is not looked at again.
    pub fn observe_with(
        &self,
        subject: &Subject<'_>,
        tool: &ToolSignals,
        which: Observing,
    ) -> Observation {
        let (watch, seen) = match which {
            Observing::Errors => (&self.observer.errors, &tool.errors),
            Observing::Successes => (&self.observer.successes, &tool.successes),
            Observing::HiddenFailures => {
                let mut found = self.observe_with(subject, tool, Observing::Successes);
                let as_error = self.observe_with(subject, tool, Observing::Errors);
                found.signals.0 |= as_error.signals.0;
                found.hits.extend(as_error.hits);
                found.hits_left_out |= as_error.hits_left_out;
                found.hits.sort_unstable_by_key(|hit| hit.pattern);
                found.hits.dedup_by_key(|hit| hit.pattern);
                return found;
            }
        };
        if watch.signals.in_order.is_empty() {
            return Observation::default();
        }
        let mut found = seen.found.clone();
        let call = Call::new(subject.input);
        self.scan_text(watch, subject, &call, &mut found);
        // What the caller sent can only excuse or explain what a reply says that claims success.
        let is_silent = found.leaves == seen.found.leaves;
        let asks_of_call = !(is_silent && which == Observing::Successes)
            || self.errors.question != Question::Failures;
        if asks_of_call {
            watch.scan(Field::Input, subject.input, &call, &mut found);
        }
        watch.scan(Field::Scenario, subject.scenario, &call, &mut found);
        watch.scan(Field::Code, subject.code, &call, &mut found);
        let signals = watch.signals.when_also((seen.found.leaves, seen.signals), found.leaves);
        found.hits.sort_unstable_by_key(|hit| hit.pattern);
        let Matches { hits, hits_left_out, .. } = found;
        Observation { signals, hits, hits_left_out }
    }

    /// Looks at the judged text; where the rulebook wants the reply's own words, only what is to quote the
    /// call is looked for in the others.
    fn scan_text(
        &self,
        watch: &Watch,
        subject: &Subject<'_>,
        call: &Call<'_>,
        found: &mut Matches,
    ) {
        let mut whole = Matches::default();
        watch.scan(Field::Text, subject.text, call, &mut whole);
        let is_searched = self.text.own_words && !whole.hits.is_empty();
        let own = is_searched.then(|| call.own_words(subject.text, subject.tool)).flatten();
        if let Some(own) = own {
            let quotes = |hit: &Hit| self.patterns[usize::from(hit.pattern)].quoted_from.is_some();
            let mut of_own = Matches::default();
            watch.scan(Field::Text, &own, call, &mut of_own);
            let patterns_of =
                |hits: &[Hit]| hits.iter().map(|it| it.pattern).collect::<BTreeSet<_>>();
            let in_whole = patterns_of(&whole.hits);
            whole.hits.retain(quotes);
            whole.hits.extend(of_own.hits.into_iter().filter(|hit| !quotes(hit)));
            found.hits_left_out = patterns_of(&whole.hits) != in_whole;
            whole.leaves = LeafSet::default();
            for Hit { pattern, .. } in &whole.hits {
                let before = |it: &FieldQuestion| it.patterns.end <= usize::from(*pattern);
                whole.leaves.insert(self.asked.partition_point(before));
            }
        }
        found.leaves.add(whole.leaves);
        whole.hits.append(&mut found.hits);
        found.hits = whole.hits;
    }

    /// Observes an exchange.
    pub fn observe(&self, subject: &Subject<'_>, which: Observing) -> Observation {
        self.observe_with(subject, &self.tool_signals(subject.tool), which)
    }
}

/// A question put to one field: it is answered with yes where one of its patterns hits.
#[derive(Clone, Debug)]
pub(crate) struct FieldQuestion {
    /// Its patterns, as numbers into the rulebook's, in which those of other questions come before or behind them.
    pub(crate) patterns: Range<usize>,
    pub(crate) holder: Holder,
    /// How they are read, where list, text, field and kind leave that open.
    pub(crate) reading: String,
}

/// Where patterns stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Holder {
    List(String),
    /// Right in a signal.
    Signal(String),
}

impl Rulebook {
    pub(crate) fn asked(&self) -> &[FieldQuestion] {
        &self.asked
    }

    /// The question that each pattern answers.
    pub(crate) fn questions(&self) -> Vec<usize> {
        let mut questions = vec![0; self.patterns.len()];
        for (question, asked) in self.asked.iter().enumerate() {
            questions[asked.patterns.clone()].fill(question);
        }
        questions
    }

    /// The numbers of the questions that are asked of one kind of reply.
    pub(crate) fn asked_of(&self, which: Observing) -> LeafSet {
        let mut leaves = LeafSet::default();
        for (_, condition) in self.in_order(which) {
            leaves.add(condition.rests_on().1);
        }
        leaves
    }

    /// The signals that hold when these questions are answered with yes, and no others; one may be told to hold or
    /// not, whatever it asks.
    pub(crate) fn signals_when(
        &self,
        which: Observing,
        yes: LeafSet,
        forced: Option<(usize, bool)>,
    ) -> SignalSet {
        let signals = self.watches(which).map(|watch| watch.signals.when(yes, forced));
        signals.fold(SignalSet::default(), |all, some| SignalSet(all.0 | some.0))
    }

    /// The signals that are observed on one kind of reply.
    pub(crate) fn observed_signals(&self, which: Observing) -> SignalSet {
        let (errors, successes) = (self.error_signals, self.success_signals);
        match which {
            Observing::Errors => errors,
            Observing::Successes => successes,
            Observing::HiddenFailures => SignalSet(errors.0 | successes.0),
        }
    }

    /// For each question that is asked of one kind of reply, the signals that rest on it.
    pub(crate) fn signals_by_question(&self, which: Observing) -> Vec<SignalSet> {
        let resting = |question: usize| {
            let signals = self.watches(which).flat_map(|it| it.signals.resting_on(question));
            SignalSet(signals.fold(0, |all, signal| all | 1 << signal))
        };
        (0..self.asked.len()).map(resting).collect()
    }

    /// For each signal, the signals that it rests on, and itself.
    pub(crate) fn signals_below(&self, which: Observing) -> Vec<SignalSet> {
        let mut below = vec![SignalSet::default(); self.signals.len()];
        // Each signal comes after those that it rests on.
        for (signal, condition) in self.in_order(which) {
            let rests_on = bits(condition.rests_on().0.0).map(|other| below[other].0);
            below[*signal] = SignalSet(rests_on.fold(1 << signal, |all, some| all | some));
        }
        below
    }

    /// The signals that decide about errors, and those that decide whether a failure is hidden.
    pub(crate) fn deciding_signals(&self) -> [SignalSet; 2] {
        let [mut errors, mut hidden] = [SignalSet::default(); 2];
        self.factors.iter().for_each(|factor| errors.insert(factor.signal));
        let lines = self.decide.iter().map(|line| &line.condition);
        let kinds = self.error_kinds.iter().map(|kind| &kind.condition);
        for condition in lines.chain(kinds).chain(&self.errors.unreachable) {
            condition.add_signals_to(&mut errors);
        }
        if let Some(condition) = &self.hidden_failure {
            condition.add_signals_to(&mut hidden);
        }
        [errors, hidden]
    }

    fn in_order(&self, which: Observing) -> impl Iterator<Item = &(usize, Condition)> {
        self.watches(which).flat_map(|watch| &watch.signals.in_order)
    }

    fn watches(&self, which: Observing) -> impl Iterator<Item = &Watch> {
        let of_errors = (which != Observing::Successes).then_some(&self.observer.errors);
        let of_successes = (which != Observing::Errors).then_some(&self.observer.successes);
        of_errors.into_iter().chain(of_successes)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static BUILT_IN: LazyLock<Vec<Rulebook>> = LazyLock::new(|| {
        let names = crate::rulebook::builtin_names();
        names.iter().map(|name| Rulebook::builtin(name).expect("built in")).collect()
    });

    proptest! {
        #[test]
        fn what_a_tool_tells_need_not_be_worked_out_again(
            answered in proptest::collection::vec((0..LeafSet::CAPACITY, any::<bool>()), 0..12),
        ) {
            for rulebook in BUILT_IN.iter() {
                let [mut known, mut all] = [LeafSet::default(); 2];
                for (leaf, is_known) in &answered {
                    let leaf = leaf % rulebook.asked.len();
                    all.insert(leaf);
                    if *is_known {
                        known.insert(leaf);
                    }
                }
                for watch in [&rulebook.observer.errors, &rulebook.observer.successes] {
                    let before = (known, watch.signals.when(known, None));
                    prop_assert_eq!(watch.signals.when_also(before, all), watch.signals.when(all, None));
                }
            }
        }
    }
}
