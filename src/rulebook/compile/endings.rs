//! What each way of ending means, and how evidence is worded.

use super::settings::open;
use crate::rulebook::model::{Confidence, EvidenceWording, IssueWording, Meaning};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Section, Value};
use crate::rulebook::{IssueTypes, Undescribed};
use crate::verdict::{Ending, Outcome, Side};
use std::collections::BTreeMap;

const OF_ENDING: Undescribed = Undescribed { side: Side::Reply, category: "tool_behavior" };

/// What each ending means, in their order.
pub(super) fn endings(root: &mut Section<'_>) -> Option<Vec<Meaning>> {
    let types = IssueTypes::read(root);
    root.renamed("outcomes", "endings");
    let mut section = open(root, "endings")?;
    let mut endings = Vec::new();
    let mut missing = Vec::new();
    for name in Ending::ALL.map(Ending::name) {
        match section.entry(name) {
            Some(entry) => endings.extend(meaning(entry, &types, root.problems)),
            None => missing.push(name),
        }
    }
    if !missing.is_empty() {
        let message = format!("no ending for {}", missing.join(", "));
        section.error(message);
    }
    section.finish();
    (endings.len() == Ending::ALL.len()).then_some(endings)
}

fn meaning(entry: &Entry, types: &IssueTypes, problems: &Problems) -> Option<Meaning> {
    let mut section = Section::open_entry(entry, problems)?;
    let class = section.require("class", Section::word);
    let confidence = section.require("confidence", |it, key| match it.take(key)?.text() {
        Some("score") => Some(Confidence::Score),
        _ => it.number_within(key, 0.0..=100.0).map(Confidence::Fixed),
    });
    let is_valid = section.require("is_valid", Section::flag);
    let issue = match section.entry("issue") {
        None => None,
        Some(entry) if matches!(entry.node.value, Value::Flag(false)) => None,
        Some(entry) => issue(entry, types, problems),
    };
    let evidence = section.text("evidence").map(str::to_owned);
    section.finish();
    let (classification, confidence, is_valid) = (class?, confidence?, is_valid?);
    Some(Meaning { classification, confidence, is_valid, issue, evidence })
}

fn issue(entry: &Entry, types: &IssueTypes, problems: &Problems) -> Option<IssueWording> {
    let mut section = Section::open_entry(entry, problems)?;
    let severity = section.require("severity", Section::word);
    let kind = section.require("type", |it, key| types.read_type(key, OF_ENDING, it));
    let message = section.require("message", Section::text);
    if let Some(other) = message.and_then(other_placeholder) {
        let known = "the only one is {error}, the words of the reply";
        section.error_at("message", format!("`{other}` is not a placeholder: {known}"));
    }
    let suggestion = section.text("suggestion").map(str::to_owned);
    section.finish();
    let (severity, kind, message) = (severity?, kind?, message?);
    let message = message.to_owned();
    Some(IssueWording { severity, kind, message, suggestion })
}

/// A word in braces that is not filled in.
fn other_placeholder(message: &str) -> Option<&str> {
    let is_word =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    message.match_indices('{').find_map(|(start, _)| {
        let end = start + message[start..].find('}')?;
        let word = &message[start + 1..end];
        (is_word(word) && word != "error").then(|| &message[start..=end])
    })
}

pub(super) fn evidence(root: &mut Section<'_>) -> Option<EvidenceWording> {
    let mut section = open(root, "evidence")?;
    // Of a file with errors nothing is made, so that nobody sees what stands in for a missing text.
    let mut words = |key| section.require(key, Section::text).unwrap_or_default().to_owned();
    let wording = EvidenceWording {
        responded_with_error: words("responded_with_error"),
        error_text: words("error_text"),
        unknown_error: words("unknown_error"),
        has_content: words("has_content"),
        has_structured_content: words("has_structured_content"),
        has_meta: words("has_meta"),
        schema_passed: words("schema_passed"),
        schema_failed: words("schema_failed"),
    };
    section.finish();
    Some(wording)
}

/// What became of calls, and of documents, as sentences.
pub(super) fn because(root: &mut Section<'_>) -> BTreeMap<&'static str, String> {
    let documents = ["document_accepted", "document_refused"];
    let Some(entry) = root.entry("because") else { return BTreeMap::new() };
    let Some(mut section) = Section::open_entry(entry, root.problems) else {
        return BTreeMap::new();
    };
    let mut sentences = BTreeMap::new();
    for key in Outcome::ALL.map(Outcome::name).into_iter().chain(documents) {
        if let Some(sentence) = section.text(key) {
            sentences.insert(key, sentence.to_owned());
        }
    }
    section.finish();
    sentences
}
