//! Which waivers hold, and what each of them came to.

use super::RuleVerdict;
use super::policy::Glob;
use super::policy::{Policy, Waiver};
use super::report::{Finding, Outcome};
use crate::compare::Cause;
use crate::recording::Day;
use crate::verdict::counted;

/// So many notes about waivers without use are shown.
const MOST_NOTES: usize = 20;

named! {
    /// What a waiver may be narrowed to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum WaiverKey {
        Cause = "cause",
        Server = "server",
        Tool = "tool",
        Group = "group",
        IssueType = "issue_type",
    }
}

/// What a narrowed waiver looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Subject<'a> {
    pub(super) causes: &'a [Cause],
    pub(super) group: Option<&'a str>,
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) issue_type: Option<&'a str>,
}

impl Subject<'_> {
    /// A change by several causes is only waived where all of them are: each of them is needed for it.
    fn fits(&self, key: WaiverKey, glob: &Glob) -> bool {
        let causes = self.causes;
        match key {
            WaiverKey::Cause => {
                !causes.is_empty() && causes.iter().all(|cause| glob.fits(&cause.name))
            }
            WaiverKey::Server => glob.fits(self.server),
            WaiverKey::Tool => glob.fits(self.tool),
            WaiverKey::Group => self.group.is_some_and(|group| glob.fits(group)),
            WaiverKey::IssueType => self.issue_type.is_some_and(|kind| glob.fits(kind)),
        }
    }
}

impl Waiver {
    fn narrowed_words(&self) -> String {
        let parts =
            self.narrowed.iter().map(|(key, glob)| format!("{} {}", key.name(), glob.written));
        parts.collect::<Vec<_>>().join(", ")
    }

    fn words(&self) -> String {
        match self.narrowed_words() {
            narrowed if narrowed.is_empty() => format!("all of `{}`", self.rule),
            narrowed => format!("`{}`, {narrowed}", self.rule),
        }
    }
}

/// The waivers of a policy while it is evaluated.
#[derive(Debug)]
pub(super) struct WaiverBook<'a> {
    /// The rule that is evaluated.
    pub(super) rule: &'a str,
    entries: Vec<Used<'a>>,
}

#[derive(Debug)]
struct Used<'a> {
    waiver: &'a Waiver,
    is_over: bool,
    /// How many exchanges, or rules, it matches.
    matched: u64,
    /// Whether its rule was tried at all.
    tried: bool,
}

impl<'a> WaiverBook<'a> {
    pub(super) fn new(policy: &'a Policy, today: Day) -> Self {
        let used = |waiver: &'a Waiver| Used {
            waiver,
            is_over: waiver.until < today,
            matched: 0,
            tried: false,
        };
        Self { rule: "", entries: policy.waivers.iter().map(used).collect() }
    }

    /// Whether exchanges that the rule counts are waived. Waivers that ended are told of them, too.
    pub(super) fn waives(&mut self, subject: &Subject<'_>, exchanges: u64) -> bool {
        let mut is_waived = false;
        for used in self.entries.iter_mut().filter(|used| used.waiver.rule == self.rule) {
            let narrowed = &used.waiver.narrowed;
            if !narrowed.is_empty() && narrowed.iter().all(|(key, glob)| subject.fits(*key, glob)) {
                used.matched += exchanges;
                is_waived |= !used.is_over && exchanges > 0;
            }
        }
        is_waived
    }

    /// A failed rule that is waived as a whole is waived; the waivers that were used are named.
    pub(super) fn waive_rule(&mut self, verdict: &mut RuleVerdict) {
        if verdict.outcome == Outcome::Skipped {
            return;
        }
        for used in self.entries.iter_mut().filter(|used| used.waiver.rule == self.rule) {
            used.tried = true;
            let Waiver { reason, until, line, narrowed, .. } = used.waiver;
            let mut what = "the whole rule".to_owned();
            if !narrowed.is_empty() {
                let narrowed = used.waiver.narrowed_words();
                what = format!("{} ({narrowed})", counted(used.matched, "call"));
            } else if verdict.outcome != Outcome::Pass {
                used.matched += 1;
                if !used.is_over {
                    verdict.outcome = Outcome::Waived;
                }
            }
            if used.matched > 0 {
                verdict.notes.push(if used.is_over {
                    format!(
                        "the waiver of line {line} ended on {until}, {what} count again: {reason}"
                    )
                } else {
                    format!("waived until {until} by line {line}: {what}: {reason}")
                });
            }
        }
    }

    /// What the waivers come to; `None` where the policy has none.
    pub(super) fn verdict(self, policy: &Policy) -> Option<RuleVerdict> {
        let first = policy.waivers.first()?;
        let (mut in_use, mut idle, mut notes) = (0, Vec::new(), Vec::new());
        for Used { waiver, is_over, matched, tried } in self.entries {
            let Waiver { until, line, .. } = waiver;
            let words = waiver.words();
            if is_over {
                // What an ended one matches is told by its rule.
                notes.extend(
                    (matched == 0).then(|| {
                        format!("line {line} ended on {until} and matched nothing: {words}")
                    }),
                );
            } else if !tried {
                notes.push(format!(
                    "line {line} was not checked because its rule was skipped: {words}"
                ));
            } else if matched > 0 {
                in_use += 1;
            } else {
                let text = format!("line {line} matches nothing: {words}");
                idle.push(Finding { text, ..Finding::default() });
            }
        }
        let more = notes.len().saturating_sub(MOST_NOTES);
        if more > 0 {
            notes.truncate(MOST_NOTES);
            notes.push(format!("and {more} more unused"));
        }
        let all = counted(policy.waivers.len() as u64, "waiver");
        let measured = format!("{in_use} of {all} in use, {} unused", idle.len());
        let must_match = policy.waivers_must_match;
        let allowed = if must_match {
            "no unused waivers"
        } else {
            "any, because `unmatched_waivers` is `warn`"
        };
        Some(RuleVerdict {
            line: Some(first.line),
            value: Some(idle.len() as f64),
            limit: must_match.then_some(0.0),
            notes,
            ..RuleVerdict::new(idle.is_empty() || !must_match, measured, allowed).found(idle)
        })
    }
}
