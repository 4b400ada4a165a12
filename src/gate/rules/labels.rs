//! Whether verdicts agree with what people say.

use super::super::evidence::{Evidence, Gathered, Seen};
use super::super::report::Measure;
use crate::count::tally::wilson;
use crate::labels::{Label, can_have};
use crate::verdict::{counted, grouped};
use std::collections::BTreeMap;

/// Verdicts agree with labels in so many percent.
pub(in crate::gate) fn labels(evidence: &Evidence<'_>, least: f64, least_labels: u64) -> Measure {
    let allowed = format!("at least {least} % of {}", counted(least_labels, "label"));
    let labelled = evidence.labels;
    if let Some(because) = &labelled.cannot_tell {
        return Measure::skipped(because.clone(), allowed);
    }
    let side = evidence.after;
    let (mut agreeing, mut of) = (0_u64, 0_u64);
    let mut wrong: BTreeMap<(Label, &str), Gathered<'_>> = BTreeMap::new();
    for (at, label) in &labelled.of {
        let Some(entry) = side.entries.get(*at as usize) else { continue };
        let seen = Seen { side, entry };
        let Some(verdict) = seen.verdict().filter(|verdict| can_have(verdict, *label)) else {
            continue;
        };
        of += 1;
        let found = Label::of(verdict);
        if found == Some(*label) {
            agreeing += 1;
        } else {
            let found = found.map_or("an unclassified error", Label::name);
            wrong.entry((*label, found)).or_default().add(seen);
        }
    }
    if of < least_labels.max(1) {
        let because = match of {
            0 => "no call has a label: there are none in the recordings; name a file with \
                `--labels FILE`"
                .to_owned(),
            of => format!("{} found, fewer than required", counted(of, "label")),
        };
        return Measure { notes: labelled.notes(), ..Measure::skipped(because, allowed) };
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
    let mut wrong: Vec<_> = wrong.into_iter().collect();
    wrong.sort_by_key(|(_, gathered)| std::cmp::Reverse(gathered.exchanges));
    let findings = wrong.into_iter().map(|((label, found), gathered)| {
        let text = format!(
            "labelled {}, classified {found} · {}",
            label.name(),
            counted(gathered.exchanges, "call")
        );
        gathered.finding_with_reply(&text)
    });
    let measure = Measure::new(share >= least, measured, allowed)
        .numbers(share, least)
        .found(findings.collect());
    Measure { notes: labelled.notes(), ..measure }
}
