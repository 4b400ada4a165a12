//! What differs between two verdicts, where nothing can be tried.

use super::words::{Difference, of_difference};
use crate::compare::{Cause, Matched, Origin, Side, Standing};
use crate::store::NamedVerdict;
use crate::verdict::Answer;
use std::collections::BTreeSet;

/// What differs between two verdicts. There is at least one difference.
pub(super) fn differences(before: &NamedVerdict, after: &NamedVerdict) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut add = |difference: &Difference<'_>| causes.push(of_difference(difference));
    if before.reply != after.reply {
        add(&Difference::Reply { before: before.reply.name(), after: after.reply.name() });
    }
    for (signal, now) in one_sided(&before.signals, &after.signals) {
        add(&Difference::Signal { signal, now });
    }
    if let (Some(before), Some(after)) = (&before.decided_by, &after.decided_by)
        && before != after
    {
        add(&Difference::Line { before, after });
    }
    let outcome = |verdict: &NamedVerdict| verdict.schema.as_ref().map(|schema| schema.outcome);
    let keyword =
        |verdict: &NamedVerdict| verdict.schema.as_ref().and_then(|schema| schema.keyword.clone());
    let name = |verdict: &NamedVerdict| outcome(verdict).map_or("none", |outcome| outcome.name());
    if outcome(before) != outcome(after) {
        add(&Difference::Schema { before: name(before), after: name(after) });
    } else if let Some(keyword) = keyword(after).filter(|now| Some(now) != keyword(before).as_ref())
    {
        add(&Difference::SchemaKeyword { now: false, keyword: &keyword });
    }
    for (issue, now) in one_sided(&before.issues, &after.issues) {
        let kind = issue.split_once(' ').map_or(issue, |(_, kind)| kind);
        add(&Difference::Issue { kind, now });
    }
    for (criterion, now) in one_sided(&before.criteria[0], &after.criteria[0]) {
        add(&Difference::Criterion { criterion, now });
    }
    if causes.is_empty() {
        let [old, new] = [before, after].map(NamedVerdict::standing);
        let [old_words, new_words] = [old, new].map(in_words);
        let [before, after] = [before, after].map(measures);
        let words = if old == new { [&before, &after] } else { [&old_words, &new_words] };
        causes.push(of_difference(&Difference::Meaning { before: words[0], after: words[1] }));
    }
    causes
}

/// What stands in only one of two lists, with whether it is the later one.
fn one_sided<'a>(before: &'a [String], after: &'a [String]) -> Vec<(&'a str, bool)> {
    let [old, new]: [BTreeSet<&String>; 2] = [before, after].map(|names| names.iter().collect());
    let gone = old.difference(&new).map(|name| (name.as_str(), false));
    let come = new.difference(&old).map(|name| (name.as_str(), true));
    gone.chain(come).collect()
}

fn in_words(standing: Standing) -> String {
    let Standing { outcome, class, answer } = standing;
    match answer {
        Answer::NotAsked | Answer::Fine => format!("{} {}", outcome.name(), class.name()),
        answer => format!("{} {} ({})", outcome.name(), class.name(), answer.name()),
    }
}

fn measures(verdict: &NamedVerdict) -> String {
    let number =
        |number: Option<f64>| number.map_or("none".to_owned(), |number| number.to_string());
    format!(
        "confidence {}, score {}, threshold {}",
        verdict.confidence,
        number(verdict.score),
        number(verdict.threshold)
    )
}

pub(in crate::compare) fn origin(
    sides: [&Side; 2],
    verdicts: [&NamedVerdict; 2],
    matched: Matched,
) -> Origin {
    let [before, after] = sides.map(|side| &side.header);
    let key = |verdict: &NamedVerdict| verdict.schema.as_ref().and_then(|schema| schema.key);
    let [old, new] = verdicts.map(key);
    let possible = [
        (before.rulebook.digest != after.rulebook.digest, Origin::Rulebook),
        (matched == Matched::Request, Origin::Reply),
        (old.is_some() && new.is_some() && old != new, Origin::Schema),
        (before.checks != after.checks, Origin::Checks),
    ];
    let mut possible = possible.iter().filter(|(possible, _)| *possible).map(|(_, origin)| *origin);
    match (possible.next(), possible.next()) {
        (None, _) => Origin::Program,
        (Some(origin), None) => origin,
        (Some(_), Some(_)) => Origin::Several,
    }
}
