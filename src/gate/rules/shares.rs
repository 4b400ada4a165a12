//! Whether servers and tools fail a larger share of their calls.

use super::super::Case;
use super::super::evidence::{Call, ExchangeGroup};
use super::super::report::{Finding, Outcome, RuleVerdict};
use super::super::traffic::Traffic;
use super::units::{Parts, Shares, Unit, gather, is_bad, of_known, sum, verdict};
use super::{BY_SERVER, Limit, MOST, RuleKind, significance};
use crate::compare::chance::{Share, rise, rise_within, rises};
use crate::rulebook::source::Section;
use crate::verdict::{self, grouped};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) static SHARES: RuleKind = RuleKind {
    name: "shares",
    about: "No server and no tool fails or returns invalid replies significantly more often, or \
        refuses much more often. Skipped where the requests match, unless `traffic = \"any\"`.",
    keys: &[
        SIGNIFICANCE,
        RISE_POINTS,
        LEAST_CALLS,
        RISE_SIGNIFICANCE,
        POINTS_TOGETHER,
        (
            "traffic",
            "`other`, the default: skipped where the requests match, since there `worse` looks at \
             each call. `any`: not skipped.",
        ),
    ],
    narrowed_by: BY_SERVER,
    next: "look at the calls named here with `tapecheck explain`; when the server is known to be \
        down, waive it until it is back",
    read: |table| {
        let any_traffic = table.word_of("traffic", &[(false, "other"), (true, "any")]);
        Some(Arc::new(ShareLimit {
            any_traffic: any_traffic.unwrap_or(false),
            ..ShareLimit::read(table, false)
        }))
    },
};

pub(super) const SIGNIFICANCE: (&str, &str) = (
    "significance",
    "What the p-value must be below to count, after Holm's correction over all servers and tools tested; 0.01 by \
     default.",
);
pub(super) const RISE_POINTS: (&str, &str) = (
    "rise_points",
    "A rise by at least this many percentage points is tested without that correction; 20 by default.",
);
pub(super) const LEAST_CALLS: (&str, &str) =
    ("least_calls", "Minimum number of calls for the rule to apply; 5 by default.");
pub(super) const RISE_SIGNIFICANCE: (&str, &str) =
    ("rise_significance", "The p-value must also be below this; 0.0003 by default.");
pub(super) const POINTS_TOGETHER: (&str, &str) = (
    "points_together",
    "All servers and tools that are not worse by themselves are tested together: within the same tools, so many \
     percentage points more of the calls must fail; 5 by default.",
);

/// When a share of calls has risen.
#[derive(Debug)]
pub(super) struct ShareLimit {
    /// After Holm's correction.
    significance: f64,
    /// A rise by so many percentage points is held against a p-value of its own.
    rise_points: f64,
    /// Provided that there are so many calls now.
    least_calls: u64,
    /// Without a correction.
    rise_significance: f64,
    /// A rise of all calls by so many percentage points, where no server or tool is worse by itself.
    points_together: f64,
    /// Whether shares are looked at where the requests match, too.
    any_traffic: bool,
    /// Whether it is about what only whoever runs the server can mend; else about all else, where another rule is.
    is_operators: bool,
}

/// What is counted of the calls of a server or tool: in words, and whether only a rise by many points is one.
/// A server that suddenly refuses everything is no news that chance explains either; but refusals also
/// depend on what callers ask.
type Counted = (fn(Call<'_>) -> bool, &'static str, bool);

const COUNTED: [Counted; 3] = [
    (is_bad, "invalid or failed", false),
    (is_bad_or_hidden, "invalid, failed or refused without isError", false),
    (is_turned_down, "refused, invalid or failed", true),
];

fn is_bad_or_hidden(call: Call<'_>) -> bool {
    is_bad(call) || call.verdict().hidden_failure == Some(true)
}

/// Where an error is what the caller wanted to see, a refusal is right.
fn is_turned_down(call: Call<'_>) -> bool {
    let is_refused = call.verdict().outcome == verdict::Outcome::Refused;
    is_bad(call) || (is_refused && !call.entry.is_error_case)
}

impl Limit for ShareLimit {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let allowed =
            "no server or tool may fail significantly more often, or refuse much more often";
        if case.traffic == Traffic::Repeated && !self.any_traffic {
            return RuleVerdict::skipped(case.traffic.words(), allowed);
        }
        self.risen_shares(case, allowed)
    }
}

/// What there was before and after.
fn comparable(mut units: Vec<Shares<'_>>) -> Vec<Shares<'_>> {
    units.retain(|(_, shares)| shares.iter().all(|share| share.of > 0));
    units
}

impl ShareLimit {
    pub(super) fn read(table: &mut Section<'_>, is_operators: bool) -> Self {
        Self {
            significance: significance(table, "significance", 0.01),
            rise_points: table.number_within("rise_points", 0.0..=100.0).unwrap_or(20.0),
            least_calls: table.whole("least_calls", MOST).unwrap_or(5),
            rise_significance: significance(table, "rise_significance", 0.0003),
            points_together: table.number_within("points_together", 0.0..=100.0).unwrap_or(5.0),
            any_traffic: false,
            is_operators,
        }
    }

    /// The shares that have risen, of those that the rule is about.
    pub(super) fn risen_shares(&self, case: &mut Case<'_>, allowed: &str) -> RuleVerdict {
        let (evidence, traffic) = (case.evidence, case.traffic);
        // Shares of verdicts say nothing of servers where the rules differ.
        let [before, after] = [evidence.before, evidence.after].map(|side| &side.header);
        let is_alike =
            before.rulebook.digest == after.rulebook.digest && before.checks == after.checks;
        if traffic != Traffic::Repeated && !is_alike {
            let reason = "the earlier side was classified with another rulebook or other checks: \
                classify its recordings like the later ones, then compare again";
            let outcome = Outcome::Undecided;
            return RuleVerdict { outcome, ..RuleVerdict::skipped(reason, allowed) };
        }
        let (mut waived, mut of) = (0, 0);
        // The units that are worse: all, and those that this rule is about.
        let (mut known, mut of_ours) = (BTreeSet::<Unit<'_>>::new(), BTreeSet::<Unit<'_>>::new());
        let mut together = None;
        let mut findings = Vec::new();
        for (counts, words, is_large) in COUNTED {
            let mut parts = Parts::of(evidence, |call| of_known(call, counts));
            let mut others = case.has_operator_rule.then(|| {
                Parts::of(evidence, |call| of_known(call, |it| counts(it) && !it.is_operators()))
            });
            let mut units = comparable(parts.units());
            let risen = self.risen(&units, is_large, &known);
            let (mut risen, other_rules): (Vec<_>, Vec<_>) =
                risen.into_iter().partition(|it| self.is_ours(others.as_ref(), it.0, is_large));
            known.extend(other_rules.into_iter().map(|((unit, _), _)| unit));
            let found: Vec<Unit<'_>> = risen.iter().map(|((unit, _), _)| *unit).collect();
            of_ours.extend(&found);
            let now_waived = parts.waive(&found, case, |[_, after]| after.hits);
            if now_waived > 0 {
                units = comparable(parts.units());
                if let Some(others) = &mut others {
                    others.keep_those_of(&parts);
                }
                risen = self.risen(&units, is_large, &known);
                risen.retain(|it| self.is_ours(others.as_ref(), it.0, is_large));
                waived += now_waived;
            }
            known.extend(found);
            of = of.max(units.len());
            let calls = Call::all(evidence.after).filter(|call| counts(*call));
            let mut gathered = gather(calls, risen.iter().map(|((unit, _), _)| *unit));
            findings.extend(risen.into_iter().map(|((unit, [before, after]), p)| {
                let text = format!(
                    "{}: {} of {} {words}, {} of {} before (p {p:.1e})",
                    unit.words(),
                    grouped(after.hits),
                    grouped(after.of),
                    grouped(before.hits),
                    grouped(before.of),
                );
                gathered.remove(&unit).unwrap_or_default().finding_with_reply(&text)
            }));
            if together.is_none() {
                let counted = (counts, words, is_large);
                let (now_waived, found) =
                    self.together((&mut parts, others), counted, &mut known, case);
                (waived, together) = (waived + now_waived, found);
            }
        }
        let [count, of] = [findings.len(), of].map(|count| grouped(count as u64));
        let others = match &together {
            None => "",
            Some(_) if of_ours.is_empty() => ", but all together",
            Some(_) => ", and all others together",
        };
        let measured = format!("{count} of {of} servers and tools worse{others}");
        findings.extend(together);
        verdict(findings, !of_ours.is_empty(), waived, &measured, allowed.to_owned())
    }

    /// Whether this rule is about a share that has risen: it would not have, had nothing failed that only whoever
    /// runs the server can mend; or else, where another rule is about that. `others` is without such calls.
    fn is_ours(&self, others: Option<&Parts<'_>>, (unit, all): Shares<'_>, is_large: bool) -> bool {
        let Some(others) = others.map(|others| others.of_unit(unit)) else { return true };
        let [before, after] = others;
        let points = after.percent() - before.percent();
        let have_risen =
            rise(before, after) < self.significance && (!is_large || points >= self.rise_points);
        let [was, is] = [0, 1].map(|at| {
            let hits = all[at].hits.saturating_sub(others[at].hits);
            Share { hits, of: all[at].of }
        });
        self.is_operators == (!have_risen && rise(was, is) < self.significance)
    }

    /// All comparable units that are not known to be worse, if together they are: where each tool fails a little
    /// more often, chance explains each of them, but not all. Beside it, how many calls are waived, whose units
    /// are known then.
    fn together<'a>(
        &self,
        (parts, mut others): (&mut Parts<'a>, Option<Parts<'a>>),
        (counts, words, is_large): Counted,
        known: &mut BTreeSet<Unit<'a>>,
        case: &mut Case<'a>,
    ) -> (u64, Option<Finding>) {
        let least = self.points_together.max(if is_large { self.rise_points } else { 0.0 });
        let significance = self.significance.min(self.rise_significance);
        let mut waived = 0;
        loop {
            let units = comparable(parts.smallest(known));
            let shares: Vec<_> = units.iter().map(|(_, shares)| *shares).collect();
            let risen = |shares: &[[Share; 2]]| {
                rise_within(shares).filter(|(p, rise)| *p < significance && rise * 100.0 >= least)
            };
            let Some((p, rise)) = risen(&shares) else { return (waived, None) };
            if let Some(others) = &mut others {
                others.keep_those_of(parts);
                let without: Vec<_> = units.iter().map(|(unit, _)| others.of_unit(*unit)).collect();
                if self.is_operators == risen(&without).is_some() {
                    return (waived, None);
                }
            }
            let mut units: BTreeSet<Unit<'a>> = units.into_iter().map(|(unit, _)| unit).collect();
            let found: Vec<Unit<'a>> = units.iter().copied().collect();
            let now_waived = parts.waive(&found, case, |[_, after]| after.hits);
            if now_waived > 0 {
                waived += now_waived;
                units.retain(|unit| !parts.have(*unit));
                known.extend(units);
                continue;
            }
            let mut group = ExchangeGroup::default();
            Call::all(case.evidence.after)
                .filter(|call| counts(*call) && units.contains(&Unit::of(*call)))
                .for_each(|call| group.add(call));
            let [before, after] = sum(&shares);
            let text = format!(
                "all{} servers and tools together: {} of {} {words}, {} of {} before, {:.1} points \
                 more within the same tools (p {p:.1e})",
                if known.is_empty() { "" } else { " other" },
                grouped(after.hits),
                grouped(after.of),
                grouped(before.hits),
                grouped(before.of),
                rise * 100.0,
            );
            return (waived, Some(group.finding_with_reply(&text)));
        }
    }

    /// The units whose share has risen and that are not known yet, with their p-values.
    fn risen<'a>(
        &self,
        units: &[Shares<'a>],
        is_large: bool,
        known: &BTreeSet<Unit<'_>>,
    ) -> Vec<(Shares<'a>, f64)> {
        let shares: Vec<_> = units.iter().map(|(_, shares)| *shares).collect();
        let corrected = rises(&shares, self.significance);
        let found = units.iter().zip(corrected).filter_map(|((unit, shares), corrected)| {
            let [before, after] = *shares;
            let by_points = after.percent() - before.percent() >= self.rise_points
                && after.of >= self.least_calls;
            let p = match corrected {
                Some(p) => (by_points || !is_large).then_some(p),
                None if by_points && !is_large => {
                    Some(rise(before, after)).filter(|p| *p < self.rise_significance)
                }
                None => None,
            };
            Some(((*unit, *shares), p.filter(|_| !known.contains(unit))?))
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        found
    }
}
