//! Types of issue that were nowhere before.

use super::super::evidence::{Evidence, Gathered};
use super::super::glob::Glob;
use super::super::policy::Exchanges;
use super::super::report::{Measure, Outcome};
use super::super::waive::Subject;
use super::Asking;
use crate::compare::{Kind, Side};
use crate::store::NamedVerdict;
use crate::verdict::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// No type of issue that was nowhere before.
pub(in crate::gate) fn new_types(
    evidence: &Evidence<'_>,
    (except, exchanges): (&[Glob], Exchanges),
    (rule, book): Asking<'_, '_>,
) -> Measure {
    let known = types_of(evidence.before);
    let mut found: BTreeMap<&str, Gathered<'_>> = BTreeMap::new();
    let mut waived: BTreeSet<&str> = BTreeSet::new();
    let mut waived_exchanges = 0;
    // What stayed the same has the issues that it had.
    for change in evidence.changes() {
        let counts = match change.kind {
            Kind::Regressed | Kind::Fixed | Kind::Stricter | Kind::MoreLenient | Kind::Changed => {
                true
            }
            Kind::Added => exchanges == Exchanges::All,
            Kind::Gone | Kind::Same => false,
        };
        let Some(seen) = change.after.filter(|_| counts) else { continue };
        let types: BTreeSet<&str> = seen.verdict().into_iter().flat_map(issue_types_of).collect();
        for kind in types {
            if known.contains(kind) || except.iter().any(|glob| glob.fits(kind)) {
                continue;
            }
            if book.waives(rule, &Subject { issue_type: Some(kind), ..change.subject() }) {
                waived.insert(kind);
                waived_exchanges += 1;
            } else {
                found.entry(kind).or_default().add(seen);
            }
        }
    }
    let count = found.len() as u64;
    let mut measured = counted(count, "new type");
    if waived_exchanges > 0 {
        let types = counted(waived.len() as u64, "type");
        let _ = write!(measured, ", {types} waived in {}", counted(waived_exchanges, "call"));
    }
    let allowed = match except {
        [] => "none".to_owned(),
        except => {
            let listed: Vec<&str> = except.iter().map(Glob::as_written).collect();
            format!("only {}", listed.join(", "))
        }
    };
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, gathered)| std::cmp::Reverse(gathered.exchanges));
    let findings = found.into_iter().map(|(kind, gathered)| {
        let sizes = counted(gathered.exchanges, "call");
        gathered.finding_with_reply(&format!("new issue type `{kind}` · {sizes}"))
    });
    let mut measure = Measure::new(count == 0, measured, allowed)
        .numbers(count as f64, 0.0)
        .found(findings.collect());
    if count == 0 && waived_exchanges > 0 {
        measure.outcome = Outcome::Waived;
    }
    measure
}

fn types_of(side: &Side) -> BTreeSet<&str> {
    side.weighed().flat_map(|(verdict, _)| issue_types_of(verdict)).collect()
}

/// The types, without the severities that stand before them.
fn issue_types_of(verdict: &NamedVerdict) -> impl Iterator<Item = &str> {
    verdict
        .issues
        .iter()
        .map(|issue| issue.split_once(' ').map_or(issue.as_str(), |(_, kind)| kind))
}
