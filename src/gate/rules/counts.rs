//! Rules that count exchanges that did not stay the same.

use super::super::evidence::{Change, Evidence, Gathered};
use super::super::glob::Glob;
use super::super::policy::FlipFilter;
use super::super::report::{Finding, Measure, Outcome};
use super::super::traffic::Traffic;
use super::{Asking, causes};
use crate::compare::show::{labels_of, moved, why};
use crate::compare::{Group, Kind};
use crate::verdict::{counted, grouped};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// At most so many exchanges are judged differently.
pub(in crate::gate) fn flips(
    evidence: &Evidence<'_>,
    (most, filter): (u64, &FlipFilter),
    asking: Asking<'_, '_>,
) -> Measure {
    let mut measure = changed(evidence, most, asking, |change| counts_as_flip(change, filter));
    measure.notes = causes::notes(evidence, &filter.causes);
    measure
}

/// No exchange got worse, where the requests are the same.
pub(in crate::gate) fn worse(
    evidence: &Evidence<'_>,
    traffic: Traffic,
    asking: Asking<'_, '_>,
) -> Measure {
    match traffic {
        Traffic::Repeated => changed(evidence, 0, asking, |change| change.kind == Kind::Regressed),
        Traffic::Other(_) => Measure::skipped(traffic.words(), allowed(0)),
    }
}

/// At most so many of the changes that count.
pub(super) fn changed(
    evidence: &Evidence<'_>,
    most: u64,
    (rule, book): Asking<'_, '_>,
    counts_too: impl Fn(&Change<'_>) -> bool,
) -> Measure {
    let mut groups: BTreeMap<Option<usize>, Gathered<'_>> = BTreeMap::new();
    let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
    let (mut counts, mut waived) = (0, 0);
    for change in evidence.changes().filter(counts_too) {
        if book.waives(rule, &change.subject()) {
            waived += 1;
            continue;
        }
        counts += 1;
        *kinds.entry(change.kind).or_default() += 1;
        let gathered = groups.entry(change.group.map(|(at, _)| at)).or_default();
        if let Some(seen) = change.seen() {
            gathered.add(seen);
        }
    }
    let kinds: Vec<String> =
        kinds.iter().map(|(kind, count)| format!("{} {}", grouped(*count), kind.words())).collect();
    let measured = match kinds.as_slice() {
        [] => counted(0, "call"),
        kinds => format!("{} ({})", counted(counts, "call"), kinds.join(", ")),
    };
    let found = groups.into_iter().map(|(at, gathered)| {
        let group = at.and_then(|at| evidence.comparison.groups.get(at));
        let text =
            group.map_or_else(|| gathered.headline("changed"), |group| headline(group, &gathered));
        gathered.finding(&text, group.map(|group| group.id.clone()))
    });
    count(counts, waived, most, measured).found(found.collect())
}

fn counts_as_flip(change: &Change<'_>, filter: &FlipFilter) -> bool {
    let is_flip = match change.kind {
        Kind::Regressed | Kind::Fixed | Kind::Stricter | Kind::MoreLenient | Kind::Changed => true,
        Kind::Added | Kind::Gone | Kind::Same => false,
    };
    let by_origin = || {
        let origin = change.group.map(|(_, group)| group.explanation.origin);
        filter.origins.is_empty() || origin.is_some_and(|it| filter.origins.contains(&it))
    };
    let by_cause = || {
        let named = |glob: &Glob| change.causes().iter().any(|cause| glob.fits(&cause.name));
        filter.causes.is_empty() || filter.causes.iter().any(named)
    };
    is_flip
        && (filter.kinds.is_empty() || filter.kinds.contains(&change.kind))
        && by_origin()
        && by_cause()
}

/// No exchange is gone.
pub(super) fn gone(evidence: &Evidence<'_>, (rule, book): Asking<'_, '_>) -> Measure {
    let mut gathered = Gathered::default();
    let mut waived = 0;
    for change in evidence.changes().filter(|change| change.kind == Kind::Gone) {
        if book.waives(rule, &change.subject()) {
            waived += 1;
        } else if let Some(seen) = change.seen() {
            gathered.add(seen);
        }
    }
    let counts = gathered.exchanges;
    let measured = format!("{} gone", counted(counts, "call"));
    let text = format!("{}{}", gathered.headline("gone"), servers(&gathered));
    let found = (counts > 0).then(|| Finding { is_gone: true, ..gathered.finding(&text, None) });
    count(counts, waived, 0, measured).found(found.into_iter().collect())
}

/// What a count comes to, with so many waived.
fn count(counts: u64, waived: u64, most: u64, mut measured: String) -> Measure {
    if waived > 0 {
        let _ = write!(measured, ", {} waived", grouped(waived));
    }
    let mut measure =
        Measure::new(counts <= most, measured, allowed(most)).numbers(counts as f64, most as f64);
    if counts <= most && counts + waived > most {
        measure.outcome = Outcome::Waived;
    }
    measure
}

fn allowed(most: u64) -> String {
    format!("at most {}", grouped(most))
}

/// On how many servers, where it is more than one.
fn servers(gathered: &Gathered<'_>) -> String {
    match gathered.servers() {
        0 | 1 => String::new(),
        servers => format!(" · {}", counted(servers, "server")),
    }
}

/// What became of a group, how many of it count, and why.
fn headline(group: &Group, gathered: &Gathered<'_>) -> String {
    let became = gathered.headline(&moved(group.from, group.to));
    let labels = labels_of(&group.by_labels).map_or_else(String::new, |it| format!(" · {it}"));
    let (kind, why) = (group.kind.words(), why(group));
    format!("{became} · {kind}, {why}{}{labels}", servers(gathered))
}
