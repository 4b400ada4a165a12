//! What differs between two verdicts, where nothing can be tried.

use super::words::{self, cause};
use crate::compare::{Cause, CauseKind, Matched, Origin, Side};
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Judgement};
use std::collections::BTreeSet;

/// What differs between two verdicts. There is at least one difference.
pub(super) fn differences(before: &NamedVerdict, after: &NamedVerdict) -> Vec<Cause> {
    let mut causes = Vec::new();
    if before.reply != after.reply {
        causes.push(words::reply(before.reply.name(), after.reply.name()));
    }
    for (signal, now) in one_sided(&before.signals, &after.signals) {
        let change = format!("signal {signal} is now {}", if now { "on" } else { "off" });
        causes.push(cause(CauseKind::Signal, format!("signals.{signal}"), change));
    }
    if let (Some(before), Some(after)) = (&before.decided_by, &after.decided_by)
        && before != after
    {
        let change = format!("decided by \"{after}\", not \"{before}\"");
        causes.push(cause(CauseKind::DecisionLine, format!("decide.{after}"), change));
    }
    let outcome = |verdict: &NamedVerdict| verdict.schema.as_ref().map(|schema| schema.outcome);
    let keyword =
        |verdict: &NamedVerdict| verdict.schema.as_ref().and_then(|schema| schema.keyword.clone());
    let name = |verdict: &NamedVerdict| outcome(verdict).map_or("none", |outcome| outcome.name());
    if outcome(before) != outcome(after) {
        causes.push(words::schema(name(before), name(after)));
    } else if let Some(keyword) = keyword(after).filter(|now| Some(now) != keyword(before).as_ref())
    {
        causes.push(words::schema_keyword(&keyword, false));
    }
    for (issue, now) in one_sided(&before.issues, &after.issues) {
        let kind = issue.split_once(' ').map_or(issue, |(_, kind)| kind);
        causes.push(words::issue(kind, now));
    }
    for (criterion, now) in one_sided(&before.criteria[0], &after.criteria[0]) {
        let is_met = if now { "met" } else { "no longer met" };
        let change = format!("criterion {criterion} is {is_met}");
        causes.push(cause(CauseKind::Setting, format!("criteria.{criterion}"), change));
    }
    if causes.is_empty() {
        let [old, new] = [before, after].map(NamedVerdict::judgement);
        let [before, after] =
            if old == new { [before, after].map(measures) } else { [old, new].map(in_words) };
        causes.push(cause(CauseKind::Ending, "verdict", format!("{before} -> {after}")));
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

fn in_words(judgement: Judgement) -> String {
    let Judgement { outcome, class, answer } = judgement;
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
