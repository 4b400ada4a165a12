//! What is odd about a rulebook: by itself, and by what it makes of recordings and labels.
//!
//! Each [`Rule`] looks for one kind of oddity and yields [`Finding`]s: what, where it stands, the
//! evidence with its counts, and what to do about it.

mod benign;
mod decisive;
mod duplicates;
mod examples;
mod finding;
mod idle;
mod inert;
mod overlap;
mod overruled;
mod seen;
mod silent;
mod subject;

pub use finding::{Finding, Rule};
pub use seen::Seen;
pub use silent::{Silent, silent};

use crate::rulebook::{Places, Rulebook};
use crate::verdict::Severity;
use std::cmp::Reverse;
use subject::Subject;

/// What is held against the rules.
#[derive(Clone, Copy, Debug)]
pub struct Linted<'a> {
    pub rulebook: &'a Rulebook,
    pub places: &'a Places,
    /// What it judged, if anything.
    pub seen: Option<&'a Seen<'a>>,
}

/// All findings: rule by rule, the worst first, then those with the most evidence.
pub fn lint(linted: &Linted<'_>) -> Vec<Finding> {
    let subject = Subject::new(linted);
    let mut findings = Vec::new();
    examples::find(&subject, &mut findings);
    decisive::find(&subject, &mut findings);
    benign::find(&subject, &mut findings);
    inert::find(&subject, &mut findings);
    overruled::find(&subject, &mut findings);
    duplicates::find(&subject, &mut findings);
    overlap::find(&subject, &mut findings);
    idle::find(&subject, &mut findings);
    findings.sort_by_key(|finding| (finding.rule, finding.severity, Reverse(finding.weight)));
    findings
}

pub fn count(findings: &[Finding], severity: Severity) -> usize {
    findings.iter().filter(|finding| finding.severity == severity).count()
}
