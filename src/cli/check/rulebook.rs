//! A rulebook: its errors, its examples and those of the rulebooks it extends, and what is odd about it.

use super::shown::{Checked, Found};
use crate::cli::Failure;
use crate::cli::opened::Place;
use crate::cli::opened::{LabelledSide, LabelsArgs};
use crate::cli::terminal::{counted, grouped, harmless, say};
use crate::compare::{Rescorer, Side};
use crate::lint::rulebook::{Linted, Seen, lint, silent};
use crate::rulebook::{Places, Rulebook};
use crate::run::run_examples;
use crate::tune::breaking_inherited;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The rule of examples of the rulebooks that one extends.
pub(super) const INHERITED: &str = "inherited_example";

pub(super) fn check(
    name: &str,
    on: Option<&Path>,
    labels: &LabelsArgs,
    checked: &mut Checked,
) -> Result<(), Failure> {
    let rulebook =
        Rulebook::load(name).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    for warning in &rulebook.warnings {
        say(&format!("warning: {warning}"));
    }
    examples(&rulebook, checked)?;
    let rulebook = Arc::new(rulebook);
    let opened = on.map(|path| open(name, path, labels, &rulebook)).transpose()?;
    opened.iter().for_each(LabelledSide::tell_notes);
    let seen = opened.as_ref().map(|it| seen_of(it, &rulebook)).transpose()?;
    if let Some(seen) = &seen {
        checked.about = format!(
            "{} over {} of {}, {} labelled",
            checked.about,
            counted(seen.exchanges(), "call"),
            counted(seen.servers(), "server"),
            grouped(seen.labels())
        );
    }
    let places = Places::of(name);
    let linted = Linted { rulebook: &rulebook, places: &places, seen: seen.as_ref() };
    checked.findings.extend(lint(&linted).into_iter().map(|finding| Found {
        severity: finding.severity,
        rule: finding.rule.name().to_owned(),
        name: finding.name,
        place: finding.place,
        evidence: finding.evidence,
        advice: finding.rule.advice().to_owned(),
        counts: finding.counts,
    }));
    let silent = silent(&linted).into_iter();
    checked.unchecked.extend(silent.map(|it| (it.rule.name().to_owned(), it.why)));
    Ok(())
}

/// Runs the examples of the rulebooks it extends, which have to come out the same under it unless it has an
/// example of the same name. Its own are run by a lint.
fn examples(rulebook: &Rulebook, checked: &mut Checked) -> Result<(), Failure> {
    let failed: BTreeSet<String> =
        run_examples(rulebook).into_iter().map(|mismatch| mismatch.example).collect();
    let bases = rulebook.bases().map_err(Failure::usage)?;
    let inherited: usize = bases.iter().map(|base| base.examples.len()).sum();
    let breaking = breaking_inherited(rulebook, &bases);
    for broken in &breaking {
        let name = format!("{} (of {})", broken.example, broken.rulebook);
        let mut found = Found::error(INHERITED, name, None, broken.difference.clone());
        "change the rulebook, or override the example with one of the same name"
            .clone_into(&mut found.advice);
        checked.findings.push(found);
    }
    let all = rulebook.examples.len() + inherited;
    checked.about = format!(
        "{}, {}, {} of {all} examples as expected",
        counted(rulebook.signals.len() as u64, "signal"),
        counted(rulebook.patterns.len() as u64, "pattern"),
        all - failed.len() - breaking.len(),
    );
    Ok(())
}

/// What the rulebook makes of recordings, or would make of the calls of a run.
fn open(
    name: &str,
    path: &Path,
    labels: &LabelsArgs,
    rulebook: &Arc<Rulebook>,
) -> Result<LabelledSide, Failure> {
    if Place::of(path) == Place::Corpus {
        return labels.open(path, Some(name));
    }
    let mut judged = labels.open(path, None)?;
    let same = judged.side.rulebook.as_ref().is_some_and(|own| own.digest == rulebook.digest);
    if !same {
        judged.side = told_again(&judged.side, rulebook).ok_or_else(|| {
                Failure::unfinished(format!(
                    "{} was classified under another rulebook, which did not look for everything that {} looks for",
                    path.display(),
                    harmless(name),
                ))
                .next("name the recordings instead")
            })?;
    }
    Ok(judged)
}

/// The side as another rulebook would have judged it; `None` where that cannot be told of all.
fn told_again(side: &Side, rulebook: &Arc<Rulebook>) -> Option<Side> {
    let rescorer = Rescorer::new(side, rulebook).ok()?;
    let numbers = 0..u32::try_from(side.verdicts.len()).ok()?;
    let is_whole = numbers.into_iter().all(|verdict| rescorer.needs_recording(verdict).is_none());
    is_whole.then(|| rescorer.side())
}

fn seen_of<'s>(judged: &'s LabelledSide, rulebook: &Rulebook) -> Result<Seen<'s>, Failure> {
    Seen::new(&judged.side, rulebook, &judged.items)
        .map_err(|error| Failure::unfinished(error).next("name the recordings instead"))
}
