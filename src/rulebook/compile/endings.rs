//! What each way of ending means, and how evidence is worded.

use super::settings::{classes, open};
use crate::rulebook::model::{Confidence, EvidenceWording, IssueWording, Meaning};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Section, Value};
use crate::rulebook::{IssueTypes, Undescribed};
use crate::verdict::{Ending, IssueType, Outcome, Severity, Side};
use std::collections::BTreeMap;

/// Stands in a message for the reply's own words, or for what a schema complains of.
pub(super) const QUOTED: &str = "{error}";

const OF_ENDING: Undescribed = Undescribed { side: Side::Reply, category: "tool_behavior" };

/// What each ending means, in their order.
pub(super) fn endings(root: &mut Section<'_>, problems: &mut Problems) -> Option<Vec<Meaning>> {
    let types = IssueTypes::read(root, problems);
    root.renamed("outcomes", "endings", problems);
    let mut section = open(root, "endings", problems)?;
    let mut endings = Vec::new();
    let mut missing = Vec::new();
    for (_, name) in Ending::ALL {
        match section.entry(name) {
            Some(entry) => endings.extend(meaning(entry, &types, problems)),
            None => missing.push(name),
        }
    }
    if !missing.is_empty() {
        let message = format!("no ending for {}", missing.join(", "));
        problems.error(section.mark, message);
    }
    section.finish(problems);
    (endings.len() == Ending::ALL.len()).then_some(endings)
}

fn meaning(entry: &Entry, types: &IssueTypes, problems: &mut Problems) -> Option<Meaning> {
    let mut section = Section::open_entry(entry, problems)?;
    let class = section.word("class", &classes(), problems);
    let class = section.require("class", class, problems);
    let confidence = match section.take("confidence").map(|node| &node.value) {
        Some(Value::Text(text)) if text == "score" => Some(Confidence::Score),
        _ => section.number_within("confidence", 0.0..=100.0, problems).map(Confidence::Fixed),
    };
    let confidence = section.require("confidence", confidence, problems);
    let is_valid = section.flag("is_valid", problems);
    let is_valid = section.require("is_valid", is_valid, problems);
    let issue = match section.entry("issue") {
        None => None,
        Some(entry) if matches!(entry.node.value, Value::Flag(false)) => None,
        Some(entry) => issue(entry, types, problems),
    };
    let evidence = section.text("evidence", problems).map(str::to_owned);
    section.finish(problems);
    let (classification, confidence, is_valid) = (class?, confidence?, is_valid?);
    Some(Meaning { classification, confidence, is_valid, issue, evidence })
}

fn issue(entry: &Entry, types: &IssueTypes, problems: &mut Problems) -> Option<IssueWording> {
    let mut section = Section::open_entry(entry, problems)?;
    let severities = Severity::ALL.map(|severity| (severity, severity.name()));
    let severity = section.word("severity", &severities, problems);
    let severity = section.require("severity", severity, problems);
    let kind = section.text("type", problems);
    let kind = section.require("type", kind, problems).and_then(|name| {
        let listed = || IssueType::ALL.iter();
        let names = listed().map(|kind| kind.name());
        let mark = section.mark_of("type");
        let found = listed().copied().find(|kind| kind.name() == name);
        found.or_else(|| types.resolve(name, mark, names, OF_ENDING, problems))
    });
    let message = section.text("message", problems);
    if let Some(other) = message.and_then(other_placeholder) {
        let known = "the only one is {error}, the words of the reply";
        let mark = section.mark_of("message");
        problems.error(mark, format!("`{other}` is not a placeholder: {known}"));
    }
    let message = section.require("message", message, problems);
    let suggestion = section.text("suggestion", problems).map(str::to_owned);
    section.finish(problems);
    let (severity, kind, message) = (severity?, kind?, message?);
    // What leads to the quotation is left out with it.
    let unquoted = message.replace(": {error}", "").replace(QUOTED, "");
    let message = message.split(QUOTED).map(str::to_owned).collect();
    Some(IssueWording { severity, kind, message, unquoted, suggestion })
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

pub(super) fn evidence(root: &mut Section<'_>, problems: &mut Problems) -> Option<EvidenceWording> {
    let mut section = open(root, "evidence", problems)?;
    let mut words = |key| {
        let text = section.text(key, problems);
        section.require(key, text, problems).map(str::to_owned)
    };
    let responded_with_error = words("responded_with_error");
    let error_text = words("error_text");
    let unknown_error = words("unknown_error");
    let has_content = words("has_content");
    let has_structured_content = words("has_structured_content");
    let has_meta = words("has_meta");
    let schema_passed = words("schema_passed");
    let schema_failed = words("schema_failed");
    section.finish(problems);
    Some(EvidenceWording {
        responded_with_error: responded_with_error?,
        error_text: error_text?,
        unknown_error: unknown_error?,
        has_content: has_content?,
        has_structured_content: has_structured_content?,
        has_meta: has_meta?,
        schema_passed: schema_passed?,
        schema_failed: schema_failed?,
    })
}

/// What became of calls, and of documents, as sentences.
pub(super) fn because(
    root: &mut Section<'_>,
    problems: &mut Problems,
) -> BTreeMap<&'static str, String> {
    let documents = ["document_accepted", "document_refused"];
    let Some(entry) = root.entry("because") else { return BTreeMap::new() };
    let Some(mut section) = Section::open_entry(entry, problems) else { return BTreeMap::new() };
    let mut sentences = BTreeMap::new();
    for key in Outcome::ALL.map(Outcome::name).into_iter().chain(documents) {
        if let Some(sentence) = section.text(key, problems) {
            sentences.insert(key, sentence.to_owned());
        }
    }
    section.finish(problems);
    sentences
}
