//! What is known about the things that replies and judged outputs speak of, and both compared with it:
//! `docs/checks.md` describes the files and what they find.

mod check;
mod load;
mod prose;
#[cfg(test)]
mod tests;

use super::checks::Checks;
use super::judge_result::{is_result, read_result};
use super::judged_text::all_text;
use super::payload::{MAX_DEPTH, payload};
use super::table::{CheckContext, Findings};
use crate::json::{Raw, RawStr, scan_document};
use crate::recording::{Exchange, ExchangeKind, Reply};
use crate::verdict::{NotApplied, Side};
use check::{OUTPUT, Speaker};
use hashbrown::HashMap;
use prose::BYTES;
use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub struct Facts {
    all: Vec<Fact>,
    /// Which facts are about a subject, by its pointer and then its text. All pointers but that of tools are those of
    /// replies.
    by_subject: Vec<(String, HashMap<String, Vec<usize>>)>,
}

#[derive(Clone, Debug)]
struct Fact {
    subject: Subject,
    /// JSON pointer into replies.
    field: String,
    known: Known,
    source: Option<String>,
    /// JSON pointer to where a reply must name the source.
    cited_at: Option<String>,
}

/// Every reply that has this text at this pointer. Without a pointer, every reply of a tool: `TOOL`, `SERVER/TOOL` or
/// `SERVER/*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Subject {
    pointer: String,
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// Exactly this.
    Value(Value),
    /// What is written so, whatever its type.
    Written(String),
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replier<'a> {
    pub server: Option<&'a str>,
    pub tool: &'a str,
}

impl Facts {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn add(&mut self, fact: Fact) {
        let Subject { pointer, text } = &fact.subject;
        let place = self.by_subject.iter().position(|(known, _)| known == pointer);
        let place = place.unwrap_or_else(|| {
            self.by_subject.push((pointer.clone(), HashMap::new()));
            self.by_subject.len() - 1
        });
        self.by_subject[place].1.entry(text.clone()).or_default().push(self.all.len());
        self.all.push(fact);
    }

    /// The facts about tools, or those about values, by their texts.
    fn subjects(
        &self,
        of_tools: bool,
    ) -> impl Iterator<Item = &(String, HashMap<String, Vec<usize>>)> {
        self.by_subject.iter().filter(move |(pointer, _)| pointer.is_empty() == of_tools)
    }
}

/// Compares what a reply or a judged output states with the facts.
pub(super) fn ask(
    exchange: &Exchange<'_>,
    around: &CheckContext<'_>,
    findings: &mut Findings,
) -> Result<(), NotApplied> {
    let checks = around.checks;
    if checks.facts.is_empty() {
        return Err(NotApplied::NothingGiven);
    }
    if exchange.reply.kind().is_error() {
        return Err(NotApplied::ErrorReply);
    }
    let is_asked = payload(exchange).with_value(|document| {
        let judged = judged(exchange, document, checks, findings);
        if exchange.kind == ExchangeKind::JudgeResult {
            return judged;
        }
        let replier = Replier { server: Some(&exchange.server), tool: &exchange.tool.name };
        for facts in &checks.facts {
            findings.add(Side::Reply, facts.check(replier, document));
        }
        true
    });
    let is_asked = is_asked.unwrap_or_else(|| match &exchange.reply {
        Reply::Result(result) => all_text(&result.content, BYTES)
            .is_some_and(|text| check_text(&text, &Speaker::Tool, checks, findings)),
        _ => false,
    });
    if is_asked { Ok(()) } else { Err(NotApplied::NoObject) }
}

/// Looks at the output that a judge looked at: `output` of what it was given, or of its result.
fn judged(
    exchange: &Exchange<'_>,
    document: Raw<'_>,
    checks: &Checks,
    findings: &mut Findings,
) -> bool {
    if exchange.kind != ExchangeKind::JudgeResult && !is_result(document) {
        return false;
    }
    let given = exchange.input.as_ref().and_then(|input| input.raw().member(OUTPUT));
    let Some(output) = given.or_else(|| document.member(OUTPUT)) else { return false };
    let speaker = Speaker::Judged(read_result(document).ok().map(Box::new));
    let text = output.as_str().map(RawStr::decode);
    let output = text.as_ref().map_or(Ok(output), |text| scan_document(text, MAX_DEPTH));
    let Ok(output) = output else {
        return check_text(&text.unwrap_or_default(), &speaker, checks, findings);
    };
    for facts in &checks.facts {
        findings.add(Side::Reply, facts.check_judged(output, &speaker));
    }
    true
}

/// Compares plain text where there are facts that it could be about.
fn check_text(text: &str, speaker: &Speaker, checks: &Checks, findings: &mut Findings) -> bool {
    let mut is_asked = false;
    for facts in checks.facts.iter().filter(|facts| facts.may_be_in_text()) {
        findings.add(Side::Reply, facts.check_text(text, speaker));
        is_asked = true;
    }
    is_asked
}
