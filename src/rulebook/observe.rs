//! From the texts of an exchange to signals.

use super::Rulebook;
use super::matching::{Call, FieldMatcher, Found, LeafSet, bits};
use crate::verdict::{Field, Hit, Observation, SignalSet};
use std::collections::BTreeSet;

/// The texts of an exchange that signals can look at. What is not there is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// The judged text of the reply.
    pub text: &'a str,
    pub tool: &'a str,
    /// The arguments, as recorded.
    pub input: &'a str,
    pub scenario: &'a str,
    /// The code of a JSON-RPC error.
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
    found: Found,
    /// The signals that hold where nothing else is found, as in most replies.
    signals: SignalSet,
}

/// What looks for the signals of a rulebook.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    pub(super) errors: Watch,
    pub(super) successes: Watch,
}

/// What is looked for in one kind of reply.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) text: FieldMatcher,
    pub(super) tool: FieldMatcher,
    pub(super) input: FieldMatcher,
    pub(super) scenario: FieldMatcher,
    pub(super) code: FieldMatcher,
    pub(super) signals: Watched,
}

/// The signals that are observed on one kind of reply.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    /// The signals with their definitions, each after those it rests on.
    in_order: Vec<(usize, Expression)>,
    /// For each question the places of the signals that rest on it, as bits.
    resting: Vec<u128>,
    /// The signals that hold where no question is answered with yes.
    by_default: SignalSet,
}

#[cfg(test)]
impl super::Rulebook {
    pub(super) fn regexes(&self) -> Vec<String> {
        let Observer { errors, successes } = &self.observer;
        let fields = [errors, successes].into_iter().flat_map(|watch| {
            [&watch.text, &watch.tool, &watch.input, &watch.scenario, &watch.code]
        });
        fields.flat_map(FieldMatcher::regexes).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// A question asked of one of the texts.
    Leaf(usize),
    Signal(usize),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
}

impl Watched {
    pub(super) fn new(in_order: Vec<(usize, Expression)>) -> Self {
        let mut resting = vec![0_u128; LeafSet::CAPACITY];
        for (place, (_, expression)) in in_order.iter().enumerate() {
            expression.for_each(&mut |part| match part {
                Expression::Leaf(leaf) => resting[*leaf] |= 1 << place,
                Expression::Signal(other) => {
                    let below = in_order[..place].iter().position(|(signal, _)| signal == other);
                    let below = below.map_or(0, |below| 1 << below);
                    for places in resting.iter_mut().filter(|places| **places & below != 0) {
                        *places |= 1 << place;
                    }
                }
                Expression::All(_) | Expression::Any(_) | Expression::Not(_) => {}
            });
        }
        let mut watched = Self { in_order, resting, by_default: SignalSet::default() };
        watched.by_default = watched.when(LeafSet::default());
        watched
    }

    pub(super) fn in_order(&self) -> &[(usize, Expression)] {
        &self.in_order
    }

    /// The signals that hold when these questions are answered with yes, and no others.
    pub(super) fn when(&self, leaves: LeafSet) -> SignalSet {
        self.with(leaves, None)
    }

    /// The same, where one signal holds or does not, whatever it asks.
    pub(super) fn with(&self, leaves: LeafSet, forced: Option<(usize, bool)>) -> SignalSet {
        let mut signals = SignalSet::default();
        for (signal, expression) in &self.in_order {
            let holds = match forced {
                Some((other, holds)) if other == *signal => holds,
                Some(_) | None => expression.holds(leaves, signals),
            };
            if holds {
                signals.insert(*signal);
            }
        }
        signals
    }

    /// The same as [`Self::when`], given what holds when only some of these questions are answered with
    /// yes: only signals that rest on the others are looked at.
    fn when_also(&self, (known, mut signals): (LeafSet, SignalSet), leaves: LeafSet) -> SignalSet {
        let mut places = 0;
        for leaf in leaves.without(known) {
            places |= self.resting[leaf];
        }
        for place in bits(places) {
            let (signal, expression) = &self.in_order[place];
            if expression.holds(leaves, signals) {
                signals.insert(*signal);
            } else {
                signals.remove(*signal);
            }
        }
        signals
    }
}

impl Expression {
    /// Visits the expression and all its parts.
    pub(super) fn for_each<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.for_each(visit);
                }
            }
            Self::Not(part) => part.for_each(visit),
            Self::Leaf(_) | Self::Signal(_) => {}
        }
    }

    fn holds(&self, leaves: LeafSet, signals: SignalSet) -> bool {
        match self {
            Self::Leaf(leaf) => leaves.has(*leaf),
            Self::Signal(signal) => signals.has(*signal),
            Self::All(parts) => parts.iter().all(|part| part.holds(leaves, signals)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(leaves, signals)),
            Self::Not(part) => !part.holds(leaves, signals),
        }
    }
}

impl Rulebook {
    /// What a tool's name contributes; worth keeping per tool.
    pub fn tool_signals(&self, tool: &str) -> ToolSignals {
        let of = |watch: &Watch| {
            let mut found = Found::default();
            watch.tool.scan(Field::Tool, tool, &Call::new(""), &mut found);
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
        watch.input.scan(Field::Input, subject.input, &call, &mut found);
        watch.scenario.scan(Field::Scenario, subject.scenario, &call, &mut found);
        watch.code.scan(Field::Code, subject.code, &call, &mut found);
        let signals = watch.signals.when_also((seen.found.leaves, seen.signals), found.leaves);
        found.hits.sort_unstable_by_key(|hit| hit.pattern);
        let Found { hits, hits_left_out, .. } = found;
        Observation { signals, hits, hits_left_out }
    }

    /// Looks at the judged text; where the rulebook wants the reply's own words, only what is to quote the
    /// call is looked for in the others.
    fn scan_text(&self, watch: &Watch, subject: &Subject<'_>, call: &Call<'_>, found: &mut Found) {
        let mut whole = Found::default();
        watch.text.scan(Field::Text, subject.text, call, &mut whole);
        let is_searched = self.text.own_words && !whole.hits.is_empty();
        let own = is_searched.then(|| call.own_words(subject.text, subject.tool)).flatten();
        if let Some(own) = own {
            let quotes = |hit: &Hit| self.patterns[usize::from(hit.pattern)].quoted_from.is_some();
            let mut of_own = Found::default();
            watch.text.scan(Field::Text, &own, call, &mut of_own);
            let in_whole = patterns_of(&whole.hits);
            whole.hits.retain(quotes);
            whole.hits.extend(of_own.hits.into_iter().filter(|hit| !quotes(hit)));
            found.hits_left_out = patterns_of(&whole.hits) != in_whole;
            whole.leaves = LeafSet::default();
            for (leaf, asked) in self.asked.iter().enumerate() {
                let hit = |hit: &Hit| asked.patterns.contains(&usize::from(hit.pattern));
                if whole.hits.iter().any(hit) {
                    whole.leaves.insert(leaf);
                }
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

fn patterns_of(hits: &[Hit]) -> BTreeSet<u16> {
    hits.iter().map(|hit| hit.pattern).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    const BOOK: &str = r#"
name = "fields"
extends = "guide"
[signals.sums]
contains = ["sum"]
in = "tool"
match = "part"
[signals.wants_more]
regex = '"limit":\s*\d{4,}'
in = "input"
[signals.error_case]
equals = "Error_Case"
in = "scenario"
[signals.internal]
equals = ["-32001", "-32000"]
in = "code"
[signals.says_error]
regex = '^error\b'
[signals.names_class]
regex = '\b[A-Z]\w+Exception\b'
case = "exact"
[hidden_failure]
if = { any = ["says_error", "names_class"] }
"#;

    fn names(rulebook: &Rulebook, subject: &Subject<'_>, which: Observing) -> Vec<String> {
        let observed = rulebook.observe(subject, which);
        let signals = rulebook.signals.iter().enumerate();
        signals.filter(|(at, _)| observed.signals.has(*at)).map(|(_, f)| f.name.clone()).collect()
    }

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
                    let before = (known, watch.signals.when(known));
                    prop_assert_eq!(watch.signals.when_also(before, all), watch.signals.when(all));
                }
            }
        }
    }

    #[test]
    fn signals_look_at_the_field_they_name() {
        let rulebook = Rulebook::from_toml(BOOK, "test").expect("good");
        let subject = Subject {
            text: "sum error_case -32000",
            tool: "calculate_sum",
            input: r#"{"limit": 5000}"#,
            scenario: "error_case",
            code: "-32001",
        };
        let names = names(&rulebook, &subject, Observing::Errors);
        assert_eq!(names, ["sums", "wants_more", "error_case", "internal"]);
    }

    #[test]
    fn replies_that_claim_success_are_searched_for_hidden_failures_only() {
        let rulebook = Rulebook::from_toml(BOOK, "test").expect("good");
        let subject =
            Subject { text: "Error: IOException, not found", tool: "get", ..Subject::default() };
        assert_eq!(names(&rulebook, &subject, Observing::Successes), ["says_error", "names_class"]);
        let lower = Subject { text: "no error: ioexception", ..subject };
        assert!(names(&rulebook, &lower, Observing::Successes).is_empty());
    }

    #[test]
    fn hits_say_which_pattern_stood_where() {
        let rulebook = Rulebook::builtin("guide").expect("built in");
        let text = "Quota exceeded for id: 7";
        let observed = rulebook.observe(&Subject { text, ..Subject::default() }, Observing::Errors);
        let hits: Vec<(&str, &str)> = observed
            .hits
            .iter()
            .map(|hit| {
                let pattern = &rulebook.patterns[usize::from(hit.pattern)];
                (pattern.list.as_str(), &text[hit.start as usize..hit.end as usize])
            })
            .collect();
        assert_eq!(
            hits,
            [
                ("business_patterns", "Quota exceeded"),
                ("structured_error", ":"),
                ("test_data", "id: 7"),
                ("strong_operational_words", "Quota"),
            ]
        );
    }
}
