//! Rules that could find nothing, and why: silence must not be taken for praise.

use super::finding::Rule;
use super::seen::Seen;
use super::{Linted, benign::Pool};
use crate::recording::ExchangeKind;
use crate::verdict::{Ground, grouped};

/// A rule that could not look, or not everywhere.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Silent {
    pub rule: Rule,
    pub why: String,
}

pub fn silent(linted: &Linted<'_>) -> Vec<Silent> {
    let needs = [(Rule::HitsBenign, of_benign(linted)), (Rule::Dead, of_recordings(linted.seen))];
    needs.into_iter().filter_map(|(rule, why)| Some(Silent { rule, why: why? })).collect()
}

fn of_recordings(seen: Option<&Seen<'_>>) -> Option<String> {
    match seen {
        None => Some("it needs recordings (--on)".to_owned()),
        Some(seen) if seen.observed.is_empty() => {
            Some("the rulebook looks for nothing in these calls".to_owned())
        }
        Some(_) => None,
    }
}

fn of_benign(linted: &Linted<'_>) -> Option<String> {
    let Some((seen, pool)) = Pool::of(linted) else {
        return Some("it needs recordings (--on)".to_owned());
    };
    let all = (0_u32..).zip(&seen.side.verdicts).map(|(number, verdict)| {
        let exchanges = pool.of_verdict(seen, number, verdict).0;
        (verdict, exchanges)
    });
    let with_text = all.filter(|(verdict, _)| {
        let has_text = verdict.ground == Ground::Error || verdict.ground.has_content();
        has_text && verdict.kind == ExchangeKind::ToolCall
    });
    let (mut there, mut passed) = (0, 0);
    for (verdict, exchanges) in with_text {
        there += exchanges;
        if linted.rulebook.observes(verdict.ground).is_none() {
            passed += exchanges;
        }
    }
    let called = pool.called();
    match (there, passed) {
        (0, _) => Some(format!("no {called} have text")),
        (_, 0) => None,
        (_, passed) => Some(format!(
            "{} of {} {called} are not examined: the rulebook has no `[hidden_failure]`",
            grouped(passed),
            grouped(there)
        )),
    }
}
