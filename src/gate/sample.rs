//! Hand-made sides and comparisons for the tests of this module.

use super::{Evidence, GateReport, Policy, RuleVerdict, evaluate};
use crate::compare::paired::{exact_mcnemar, tango};
pub(super) use crate::compare::samples::verdict as fine;
use crate::compare::samples::{cause, header, side_of};
use crate::compare::{
    ByLabels, Comparison, Entry, Flip, Group, Header, Kind, Matched, Matrix, Names, Overlap,
    RateChange, Side, UnreadableFiles,
};
use crate::labels::Labelled;
use crate::recording::{Day, Key};
use crate::store::{NamedVerdict, RulebookName};
use crate::verdict::{Classification, Ground, Outcome};
use std::collections::BTreeMap;

/// An exchange before and after: who answered, and what was said each time.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) server: String,
    pub(super) before: Option<NamedVerdict>,
    pub(super) after: Option<NamedVerdict>,
    /// The name of the cause where it changed.
    pub(super) cause: &'static str,
}

/// Two sides with what came of comparing them.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) before: Side,
    pub(super) after: Side,
    pub(super) comparison: Comparison,
    pub(super) labels: Labelled,
    pub(super) today: Day,
}

/// An error that says that the tool works and refused.
pub(super) fn refused() -> NamedVerdict {
    NamedVerdict {
        outcome: Outcome::Refused,
        ground: Ground::Error,
        is_error: Some(true),
        business_logic: Some(true),
        ..fine()
    }
}

/// An error that says that the tool failed.
pub(super) fn failed() -> NamedVerdict {
    NamedVerdict {
        class: Classification::Error,
        outcome: Outcome::Failed,
        is_valid: false,
        business_logic: Some(false),
        issues: vec!["error tool_failure".to_owned()],
        ..refused()
    }
}

/// The same exchange with the same or another verdict.
pub(super) fn pair(server: &str, before: NamedVerdict, after: NamedVerdict) -> Pair {
    Pair {
        server: server.to_owned(),
        before: Some(before),
        after: Some(after),
        cause: "business_patterns/not found",
    }
}

pub(super) fn times(count: usize, pair: &Pair) -> Vec<Pair> {
    vec![pair.clone(); count]
}

fn side(
    name: &str,
    pairs: &[Pair],
    verdict: fn(&Pair) -> Option<&NamedVerdict>,
) -> (Side, Vec<Option<u32>>) {
    let header = Header {
        corpus_digest: "c0ffee".to_owned(),
        rulebook: RulebookName { name: "mine".to_owned(), digest: "d1ce".to_owned() },
        unreadable: Some(2),
        unreadable_files: Some(UnreadableFiles::default()),
        overall_confidence: Some(90.0),
        ..header(name)
    };
    let mut side =
        side_of(header, Vec::new(), Vec::new(), Names::from_iter(["get", "a/recording.jsonl"]));
    let mut places = Vec::new();
    for (number, pair) in (1_u32..).zip(pairs) {
        let Some(verdict) = verdict(pair) else {
            places.push(None);
            continue;
        };
        places.push(u32::try_from(side.entries.len()).ok());
        side.verdicts.push(verdict.clone());
        side.entries.push(Entry {
            key: Key(u128::from(number)),
            verdict: u32::try_from(side.verdicts.len() - 1).expect("few"),
            request: Key(u128::from(number)),
            server: side.names.number(&pair.server),
            tool: 0,
            file: 1,
            line: number,
            is_error_case: false,
            took: None,
        });
    }
    (side, places)
}

fn kind(pair: &Pair) -> Kind {
    Kind::of(pair.before.as_ref(), pair.after.as_ref(), false)
}

fn group(pair: &Pair, kind: Kind) -> Option<Group> {
    let (before, after) = (pair.before.as_ref()?, pair.after.as_ref()?);
    Some(Group {
        id: format!("{}-{}", kind.name(), pair.cause.len()),
        kind,
        explanation: cause(pair.cause, &format!("pattern '{}' no longer matches", pair.cause)),
        from: before.standing(),
        to: after.standing(),
        exchanges: 0,
        servers: 1,
        tools: 1,
        by_labels: ByLabels::default(),
        examples: Vec::new(),
    })
}

/// Shares of failed exchanges among those that both sides have.
fn rates(pairs: &[Pair]) -> Vec<RateChange> {
    let both: Vec<_> = pairs
        .iter()
        .filter_map(|pair| Some([pair.before.as_ref()?, pair.after.as_ref()?]))
        .collect();
    Classification::ALL
        .into_iter()
        .map(|class| {
            let count = |which: &dyn Fn(bool, bool) -> bool| {
                let is = both.iter().map(|pair| pair.map(|verdict| verdict.class == class));
                is.filter(|[before, after]| which(*before, *after)).count() as u64
            };
            let (lost, gained) = (count(&|b, a| b && !a), count(&|b, a| !b && a));
            let of = both.len() as u64;
            RateChange {
                name: format!("class {}", class.name()),
                of,
                counts: [count(&|b, _| b), count(&|_, a| a)],
                lost,
                gained,
                p: exact_mcnemar(lost, gained),
                interval: tango(lost, gained, of),
            }
        })
        .collect()
}

/// Two sides of these exchanges.
pub(super) fn scene(pairs: &[Pair]) -> Scene {
    let (before, from) = side("before", pairs, |pair| pair.before.as_ref());
    let (after, to) = side("after", pairs, |pair| pair.after.as_ref());
    let mut kinds: BTreeMap<Kind, u64> = Kind::ALL.map(|kind| (kind, 0)).into();
    let mut groups: Vec<Group> = Vec::new();
    let mut flips = Vec::new();
    for ((pair, before), after) in pairs.iter().zip(from).zip(to) {
        let kind = kind(pair);
        *kinds.entry(kind).or_default() += 1;
        if kind == Kind::Same {
            continue;
        }
        let at = group(pair, kind).map(|mut new| {
            let known = groups.iter().position(|known| {
                (known.kind, &known.explanation, known.from, known.to)
                    == (new.kind, &new.explanation, new.from, new.to)
            });
            let at = known.unwrap_or_else(|| {
                new.id = format!("{:08x}", groups.len() + 1);
                groups.push(new);
                groups.len() - 1
            });
            groups[at].exchanges += 1;
            u32::try_from(at).expect("few")
        });
        let matched = (before.is_some() && after.is_some()).then_some(Matched::Exchange);
        flips.push(Flip { kind, matched, before, after, group: at, by_label: None });
    }
    let count = |kind: Kind| kinds.get(&kind).copied().unwrap_or_default();
    let overlap = Overlap {
        same_exchange: pairs.len() as u64 - count(Kind::Added) - count(Kind::Gone),
        same_request: 0,
        only_before: count(Kind::Gone),
        only_after: count(Kind::Added),
    };
    let comparison = Comparison {
        before: before.header.clone(),
        after: after.header.clone(),
        overlap,
        kinds,
        by_labels: ByLabels::default(),
        classes: Matrix(BTreeMap::new()),
        answers: Matrix(BTreeMap::new()),
        rates: rates(pairs),
        durations: Vec::new(),
        groups,
        flips,
    };
    let today = "2026-11-21".parse().expect("a day");
    Scene { before, after, comparison, labels: Labelled::default(), today }
}

impl Scene {
    pub(super) fn report(&self, policy: &str) -> GateReport {
        // Without the default's rules.
        let policy =
            Policy::compiled(policy, "gate.toml", None).unwrap_or_else(|error| panic!("{error}"));
        let mut comparison = self.comparison.clone();
        self.labels.judge(&mut comparison, [&self.before, &self.after]);
        let evidence = Evidence {
            before: &self.before,
            after: &self.after,
            comparison: &comparison,
            labels: &self.labels,
            today: self.today,
        };
        evaluate(&policy, &evidence).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(super) fn first(&self, policy: &str) -> RuleVerdict {
        self.report(policy).rules.swap_remove(0)
    }
}
