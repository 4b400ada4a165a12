//! Whether verdicts agree with what people say.

use super::super::Case;
use super::super::evidence::{Call, ExchangeGroup, most_first};
use super::super::report::{Outcome, RuleVerdict};
use super::{Limit, MOST, RuleKind, required};
use crate::count::tally::wilson;
use crate::labels::Class;
use crate::verdict::{counted, grouped};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static LABELS: RuleKind = RuleKind {
    name: "labels",
    about: "Verdicts of the later side agree with labels: those in its recordings and those of \
        `--labels`, or else of label files among the recordings.",
    keys: &[
        ("least", "In how many percent of the labelled calls they must agree; required."),
        ("least_labels", "With fewer labels the rule is not evaluated; 1 by default."),
        (
            "missing",
            "What to do then: `undecided`, the default, exits with 3; `skip` skips the rule.",
        ),
    ],
    narrowed_by: &[],
    next: "look at the calls named here with `tapecheck explain`; correct the rulebook, or the \
        label where it is wrong",
    read: |table| {
        let least = required(table, "least", 0.0..=100.0);
        if let Some(share) = least.filter(|least| *least > 0.0 && *least <= 1.0) {
            // As a limit of percents it would let anything pass.
            let help = Some(format!("did you mean {} percent?", share * 100.0));
            table.problems.error_with_help(table.mark_of("least"), "`least` is in percent", help);
        }
        let least_labels = table.whole("least_labels", MOST).unwrap_or(1).max(1);
        let skips = table.word_of("missing", &[(false, "undecided"), (true, "skip")]);
        Some(Arc::new(Agreement { least: least?, least_labels, skips: skips.unwrap_or(false) }))
    },
};

#[derive(Debug)]
struct Agreement {
    least: f64,
    least_labels: u64,
    /// Whether the rule is skipped where there are too few labels.
    skips: bool,
}

impl Limit for Agreement {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let (labelled, side) = (case.evidence.labels, case.evidence.after);
        if let Some(because) = &labelled.cannot_tell {
            return self.missing(because.clone(), Vec::new());
        }
        let (mut agreeing, mut of) = (0_u64, 0_u64);
        let mut wrong: BTreeMap<(Class, &str), ExchangeGroup<'_>> = BTreeMap::new();
        for (at, class) in &labelled.of {
            let Some(call) = Call::of(side, *at) else { continue };
            of += 1;
            let found = Class::of(call.verdict());
            if class.is_met_by(found) {
                agreeing += 1;
            } else {
                let found = found.map_or("an unclassified error", Class::words);
                wrong.entry((*class, found)).or_default().add(call);
            }
        }
        if of == 0 {
            let because = "no call has a label: there are none in the recordings; name a file \
                with `--labels FILE`";
            return self.missing(because.to_owned(), labelled.notes());
        }
        if of < self.least_labels {
            let because = format!("{} found, fewer than required", counted(of, "label"));
            return self.missing(because, labelled.notes());
        }
        let share = agreeing as f64 / of as f64 * 100.0;
        let interval = wilson(agreeing, of);
        let measured = format!(
            "{share:.2} % ({} of {}, 95 % interval {:.2} to {:.2} %)",
            grouped(agreeing),
            counted(of, "label"),
            interval.low * 100.0,
            interval.high * 100.0,
        );
        let findings = most_first(wrong).into_iter().map(|((class, found), gathered)| {
            let calls = counted(gathered.exchanges, "call");
            let text = format!("labelled {}, classified {found} · {calls}", class.words());
            gathered.finding_with_reply(&text)
        });
        let verdict = RuleVerdict::new(share >= self.least, measured, self.allowed());
        let notes = labelled.notes();
        RuleVerdict { notes, ..verdict.numbers(share, self.least).found(findings) }
    }

    fn asks_for_labels(&self, _judged_alike: bool) -> bool {
        true
    }
}

impl Agreement {
    fn allowed(&self) -> String {
        format!("at least {} % of {}", self.least, counted(self.least_labels, "label"))
    }

    fn missing(&self, because: String, notes: Vec<String>) -> RuleVerdict {
        let outcome = if self.skips { Outcome::Skipped } else { Outcome::Undecided };
        RuleVerdict { outcome, notes, ..RuleVerdict::skipped(because, self.allowed()) }
    }
}
