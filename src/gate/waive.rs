//! Which waivers hold, and what each of them came to.

use super::Evidence;
use super::kind::{RuleKind, WaiverKey};
use super::policy::{Narrowed, Policy, Unmatched, Waiver};
use super::report::{Finding, LeftOut, Measure, Outcome, narrowed_words};
use crate::compare::Cause;
use crate::recording::Day;
use crate::verdict::counted;

/// What a narrowed waiver looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Subject<'a> {
    pub(super) causes: &'a [Cause],
    pub(super) group: Option<&'a str>,
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) issue_type: Option<&'a str>,
}

/// The waivers of a policy while it is evaluated.
#[derive(Debug)]
pub(super) struct WaiverBook<'a> {
    waivers: &'a [Waiver],
    unmatched: Unmatched,
    today: Day,
    /// How many exchanges, or rules, each of them matches.
    matched: Vec<u64>,
    /// Whether its rule was tried at all.
    tried: Vec<bool>,
}

impl Narrowed {
    /// Every part that is named must fit. A change by several causes is only waived where all of them
    /// are: each of them is needed for it.
    fn fits(&self, subject: &Subject<'_>) -> bool {
        let fits = |part: &Option<super::glob::Glob>, name: Option<&str>| {
            part.as_ref().is_none_or(|glob| name.is_some_and(|name| glob.fits(name)))
        };
        let causes = subject.causes;
        let by_cause = self.cause.as_ref().is_none_or(|glob| {
            !causes.is_empty() && causes.iter().all(|cause| glob.fits(&cause.name))
        });
        by_cause
            && fits(&self.server, Some(subject.server))
            && fits(&self.tool, Some(subject.tool))
            && fits(&self.group, subject.group)
            && fits(&self.issue_type, subject.issue_type)
    }

    fn words(&self) -> String {
        let parts = [
            (WaiverKey::Cause, &self.cause),
            (WaiverKey::Server, &self.server),
            (WaiverKey::Tool, &self.tool),
            (WaiverKey::Group, &self.group),
            (WaiverKey::IssueType, &self.issue_type),
        ];
        let named: Vec<_> = parts
            .iter()
            .filter_map(|(key, part)| Some((*key, part.as_ref()?.as_written())))
            .collect();
        narrowed_words(&named)
    }
}

impl Waiver {
    fn words(&self) -> String {
        let narrowed = self.narrowed.words();
        match narrowed.as_str() {
            "" => format!("all of `{}`", self.rule),
            narrowed => format!("`{}`, {narrowed}", self.rule),
        }
    }
}

impl<'a> WaiverBook<'a> {
    pub(super) fn new(policy: &'a Policy, evidence: &Evidence<'_>) -> Self {
        let waivers = policy.waivers.as_slice();
        Self {
            waivers,
            unmatched: policy.unmatched,
            today: evidence.today,
            matched: vec![0; waivers.len()],
            tried: vec![false; waivers.len()],
        }
    }

    /// Whether an exchange that a rule counts is waived. Waivers that ended are told of it, too.
    pub(super) fn waives(&mut self, rule: &str, subject: &Subject<'_>) -> bool {
        let mut is_waived = false;
        for (waiver, matched) in self.waivers.iter().zip(&mut self.matched) {
            let is_about = waiver.rule == rule && !waiver.narrowed.is_whole_rule();
            if is_about && waiver.narrowed.fits(subject) {
                *matched += 1;
                is_waived |= waiver.until >= self.today;
            }
        }
        is_waived
    }

    /// A failed rule that is waived as a whole is waived; the waivers that were used are named.
    pub(super) fn settle(&mut self, rule: &str, mut measure: Measure) -> Measure {
        for (at, waiver) in self.waivers.iter().enumerate().filter(|(_, it)| it.rule == rule) {
            if measure.outcome == Outcome::Skipped {
                continue;
            }
            self.tried[at] = true;
            if waiver.narrowed.is_whole_rule() && measure.outcome != Outcome::Pass {
                self.matched[at] += 1;
                if waiver.until >= self.today {
                    measure.outcome = Outcome::Waived;
                }
            }
            if self.matched[at] > 0 {
                measure.notes.push(self.note(at, waiver));
            }
        }
        measure
    }

    fn note(&self, at: usize, waiver: &Waiver) -> String {
        let Waiver { reason, until, line, .. } = waiver;
        let what = if waiver.narrowed.is_whole_rule() {
            "the whole rule".to_owned()
        } else {
            let exchanges = counted(self.matched[at], "call");
            format!("{exchanges} ({})", waiver.narrowed.words())
        };
        if *until >= self.today {
            format!("waived until {until} by line {line}: {what}: {reason}")
        } else {
            format!("the waiver of line {line} ended on {until}, {what} count again: {reason}")
        }
    }

    /// What the waivers come to; `None` where the policy has none.
    pub(super) fn measure(self) -> Option<(RuleKind, u64, Measure)> {
        let first = self.waivers.first()?;
        let all = self.waivers.iter().zip(&self.matched).zip(&self.tried);
        let mut findings = Vec::new();
        let (mut used, mut notes) = (0_u64, Vec::new());
        for ((waiver, matched), tried) in all {
            let Waiver { until, line, .. } = waiver;
            let words = waiver.words();
            if *until < self.today {
                notes.push(format!("line {line} ended on {until} and matched nothing: {words}"));
            } else if !tried {
                notes.push(format!(
                    "line {line} was not checked because its rule was skipped: {words}"
                ));
            } else if *matched > 0 {
                used += 1;
            } else {
                let text = format!("line {line} matches nothing: {words}");
                findings.push(Finding {
                    text,
                    group: None,
                    exchanges: 0,
                    examples: Vec::new(),
                    is_gone: false,
                });
            }
        }
        let idle = findings.len() as u64;
        let holds = idle == 0 || self.unmatched == Unmatched::Warn;
        let allowed = match self.unmatched {
            Unmatched::Fail => "no unused waivers",
            Unmatched::Warn => "any, because `unmatched_waivers` is `warn`",
        };
        let measured = format!(
            "{used} of {} in use, {idle} unused",
            counted(self.waivers.len() as u64, "waiver")
        );
        let mut measure = Measure::new(holds, measured, allowed.to_owned()).found(findings);
        measure.value = Some(idle as f64);
        measure.limit = (self.unmatched == Unmatched::Fail).then_some(0.0);
        measure.notes = notes;
        Some((RuleKind::Waivers, first.line, bounded(measure)))
    }
}

/// A policy may have many waivers; the first of those that ended are told, and how many more there are.
fn bounded(mut measure: Measure) -> Measure {
    const MOST: usize = 20;
    let more = measure.notes.len().saturating_sub(MOST);
    if more > 0 {
        measure.notes.truncate(MOST);
        measure.notes.push(format!("and {more} more unused"));
    }
    debug_assert_eq!(measure.left_out.exchanges, LeftOut::default().exchanges);
    measure
}
