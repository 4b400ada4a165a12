//! Hits on replies in which nothing failed; and rules that could find nothing, and why: silence must not be
//! taken for praise.

use super::subject::{JudgedCorpus, Subject};
use super::{Finding, Linted, Rule, found};
use crate::labels::Class;
use crate::recording::ExchangeKind;
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Ground, Severity, counted, grouped};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The replies in which nothing failed: those labelled so, else those that claim success.
struct Pool<'a> {
    seen: &'a JudgedCorpus<'a>,
    is_labelled: bool,
}

impl<'a> Pool<'a> {
    fn of(seen: &'a JudgedCorpus<'a>) -> Self {
        let is_labelled =
            seen.labelled.values().flatten().any(|(_, label)| *label == Class::Worked);
        Self { seen, is_labelled }
    }

    fn called(&self) -> &'static str {
        if self.is_labelled { "replies labelled ok" } else { "replies that claim success" }
    }

    /// How many exchanges of a verdict are among them, and on which servers.
    fn of_verdict(&self, number: u32, verdict: &NamedVerdict) -> (u64, BTreeSet<u32>) {
        if self.is_labelled {
            let labels = self.seen.labelled.get(&number).into_iter().flatten();
            let fine = labels.filter(|(_, label)| *label == Class::Worked);
            (fine.clone().count() as u64, fine.map(|(server, _)| *server).collect())
        } else if verdict.is_error == Some(true) {
            (0, BTreeSet::new())
        } else {
            let at = number as usize;
            (self.seen.exchanges_of[at], self.seen.servers_of[at].clone())
        }
    }
}

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(seen) = subject.linted.seen else { return };
    let pool = Pool::of(seen);
    let mut all = 0;
    // Of each pattern: exchanges, those of them that are called failures, and servers.
    let mut hits: BTreeMap<usize, (u64, u64, BTreeSet<u32>)> = BTreeMap::new();
    for observed in &seen.observed {
        let (exchanges, servers) = pool.of_verdict(observed.number, observed.verdict);
        let is_blamed = match observed.verdict.judgement().answer {
            Answer::HiddenFailure | Answer::HiddenRefusal | Answer::ToolFailure => true,
            Answer::NotAsked | Answer::Fine | Answer::BusinessLogic => false,
        };
        all += exchanges;
        for hit in observed.hits.iter().filter(|_| exchanges > 0) {
            let (count, blamed, on) = hits.entry(*hit).or_default();
            *count += exchanges;
            *blamed += if is_blamed { exchanges } else { 0 };
            on.extend(&servers);
        }
    }
    for (pattern, (exchanges, blamed, servers)) in hits {
        let mut evidence = format!(
            "it matches {} of {} {}, on {}",
            grouped(exchanges),
            grouped(all),
            pool.called(),
            counted(servers.len() as u64, "server")
        );
        if blamed > 0 {
            let _ = write!(evidence, "; {} of them called a failure", grouped(blamed));
        }
        let severity = if blamed > 0 { Severity::Warning } else { Severity::Info };
        findings.push(Finding {
            counts: BTreeMap::from([
                ("exchanges", exchanges),
                ("of", all),
                ("called_failures", blamed),
            ]),
            weight: exchanges,
            ..found(Rule::HitsBenign, severity, subject.pattern(pattern), evidence)
        });
    }
}

/// The rules that could not look, or not everywhere, and why.
pub fn silent(linted: &Linted<'_>) -> Vec<(Rule, String)> {
    let Some(seen) = linted.seen else {
        return [Rule::HitsBenign, Rule::Dead]
            .map(|rule| (rule, "it needs recordings (--on)".to_owned()))
            .into();
    };
    let pool = Pool::of(seen);
    let (mut there, mut passed) = (0, 0);
    for (number, verdict) in (0_u32..).zip(&seen.side.verdicts) {
        let has_text = verdict.ground == Ground::Error || verdict.ground.has_content();
        if has_text && verdict.kind == ExchangeKind::ToolCall {
            let (exchanges, _) = pool.of_verdict(number, verdict);
            let is_passed = linted.rulebook.observes(verdict.ground).is_none();
            there += exchanges;
            passed += if is_passed { exchanges } else { 0 };
        }
    }
    let mut silent = Vec::new();
    if there == 0 {
        silent.push((Rule::HitsBenign, format!("no {} have text", pool.called())));
    } else if passed > 0 {
        let [passed, there] = [passed, there].map(grouped);
        let called = pool.called();
        let why = format!(
            "{passed} of {there} {called} are not examined: the rulebook has no `[hidden_failure]`"
        );
        silent.push((Rule::HitsBenign, why));
    }
    if seen.observed.is_empty() {
        let why = "the rulebook looks for nothing in these calls".to_owned();
        silent.push((Rule::Dead, why));
    }
    silent
}
