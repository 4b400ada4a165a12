//! The kinds of rule, each in one place: its row in the table, what it reads from a policy, and what it
//! measures.

mod absent;
mod changes;
mod issue_types;
mod labels;
mod operator;
mod shares;
mod slower;
mod time_outs;
mod units;
mod unreadable;

use super::Case;
use super::report::RuleVerdict;
use super::waive::WaiverKey;
use crate::rulebook::source::Section;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A kind of rule: how documents describe it, and how it is read.
#[derive(Debug)]
pub struct RuleKind {
    /// Its table in a policy.
    pub name: &'static str,
    pub about: &'static str,
    /// The keys of its table beside `name`, with what they mean.
    pub keys: &'static [(&'static str, &'static str)],
    pub narrowed_by: &'static [WaiverKey],
    /// What to do when it fails.
    pub next: &'static str,
    pub(super) read: fn(&mut Section<'_>) -> Option<Arc<dyn Limit>>,
}

/// What a rule of a policy asks for.
pub(super) trait Limit: Debug + Send + Sync {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict;

    /// Whether the gate passes although it does not hold.
    fn only_warns(&self) -> bool {
        false
    }

    /// Whether labels may decide about it; `judged_alike` where both sides were judged by the same rules.
    fn asks_for_labels(&self, _judged_alike: bool) -> bool {
        false
    }
}

/// All kinds, in the order in which they are explained.
pub static RULES: [&RuleKind; 12] = [
    &changes::WORSE,
    &shares::SHARES,
    &operator::OPERATOR,
    &slower::SLOWER,
    &absent::ABSENT,
    &unreadable::UNREADABLE,
    &changes::STRICTER,
    &changes::FLIPS,
    &issue_types::NEW_ISSUE_TYPES,
    &time_outs::TIME_OUTS,
    &unreadable::UNREADABLE_LINES,
    &labels::LABELS,
];

/// What the waivers of a policy come to, which has no table of its own.
pub static WAIVERS: RuleKind = RuleKind {
    name: "waivers",
    about: "Every active waiver is in use.",
    keys: &[],
    narrowed_by: &[],
    next: "remove waivers that are no longer needed, so that they hide nothing later",
    read: |_| None,
};

/// The rule about what only whoever runs the server can mend.
pub(super) const OPERATOR: &str = "operator";

const BY_SERVER: &[WaiverKey] = &[WaiverKey::Server, WaiverKey::Tool];
/// The largest count: what a double still holds exactly.
const MOST: f64 = 9e15;

fn required(
    table: &mut Section<'_>,
    key: &'static str,
    bounds: RangeInclusive<f64>,
) -> Option<f64> {
    table.require(key, |it, key| it.number_within(key, bounds))
}

fn significance(table: &mut Section<'_>, key: &'static str, default: f64) -> f64 {
    table.number_within(key, 0.0..=1.0).unwrap_or(default)
}
