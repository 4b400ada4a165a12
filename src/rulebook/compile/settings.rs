//! The sections that are not about signals.

use super::signals::Signals;
use crate::rulebook::model::{
    BlockPolicy, BlockShape, Condition, Confidence, CountedBlocks, ErrorPolicy, EvidenceWording,
    IssueWording, Meaning, MetadataRule, Overall, Quality, Question, SchemaRule, StatusLine,
    StatusRule, StatusTest, TextRule,
};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Node, Section, Value, word, word_among};
use crate::rulebook::{IssueTypes, Undescribed};
use crate::verdict::{Classification, Ending, Outcome, Side};
use std::collections::BTreeMap;

/// Opens a section that must be there.
pub(super) fn open<'a>(root: &mut Section<'a>, key: &'static str) -> Option<Section<'a>> {
    let entry = root.entry(key);
    if entry.is_none() {
        root.error(format!("the section [{key}] is missing"));
    }
    Section::open_entry(entry?, root.problems)
}

pub(super) fn text(root: &mut Section<'_>) -> Option<TextRule> {
    const INSIDE: [(bool, &str); 2] = [(false, "text"), (true, "judged")];
    let mut section = open(root, "text")?;
    let source = section.require("source", Section::word);
    let otherwise = section.require("otherwise", Section::word);
    let evidence_units = length(&mut section, "evidence_units");
    let success_bytes = length(&mut section, "success_bytes");
    let inside = section.word_of("result_inside", &INSIDE);
    let own_words = section.flag("own_words").unwrap_or(false);
    section.finish();
    Some(TextRule {
        own_words,
        source: source?,
        otherwise: otherwise?,
        evidence_units: evidence_units?,
        success_bytes: success_bytes?,
        opens_results: inside.unwrap_or(false),
    })
}

/// A required whole number up to a million.
fn length(section: &mut Section<'_>, key: &'static str) -> Option<usize> {
    section
        .require(key, |it, key| it.whole(key, 1_000_000.0))
        .and_then(|number| usize::try_from(number).ok())
}

pub(super) fn errors(root: &mut Section<'_>, signals: &Signals) -> Option<ErrorPolicy> {
    const POLICIES: [(bool, &str); 2] = [(false, "responded"), (true, "judged")];
    let mut section = open(root, "errors")?;
    let judged = section.require("policy", |it, key| it.word_of(key, &POLICIES));
    let question = section.word("question").unwrap_or(Question::Errors);
    let unreachable = optional_condition(&mut section, "unreachable", signals);
    section.finish();
    Some(ErrorPolicy { judged: judged?, question, unreachable })
}

pub(super) fn hidden_failure(root: &mut Section<'_>, signals: &Signals) -> Option<Condition> {
    let mut section = Section::open_entry(root.entry("hidden_failure")?, root.problems)?;
    section.text("about");
    let condition = optional_condition(&mut section, "if", signals);
    section.finish();
    condition
}

/// A condition, or `false` where there is none.
fn optional_condition(
    section: &mut Section<'_>,
    key: &'static str,
    signals: &Signals,
) -> Option<Condition> {
    let node = section.take(key)?;
    match node.value {
        Value::Flag(false) => None,
        _ => signals.condition(node, None, section.problems),
    }
}

pub(super) fn metadata(root: &mut Section<'_>) -> Option<MetadataRule> {
    const POLICIES: [(bool, &str); 2] = [(false, "per_block"), (true, "all_or_nothing")];
    let mut section = open(root, "metadata")?;
    let on = section.require("on", Section::word);
    let distinct_types = section.flag("distinct_types").unwrap_or(true);
    let all_or_nothing = section.word_of("blocks", &POLICIES).unwrap_or(false);
    let shapes: Vec<BlockShape> =
        section.list("shapes").iter().filter_map(|node| shape(node, root.problems)).collect();
    if all_or_nothing && shapes.is_empty() {
        section.error_at("blocks", "`all_or_nothing` needs `shapes`");
    }
    let counted = section.named("counted").iter().filter_map(|entry| {
        let mut kind = Section::open_entry(entry, root.problems)?;
        let types =
            kind.require("types", |it, key| Some(it.words(key)).filter(|it| !it.is_empty()));
        let evidence = kind.text("evidence").map(str::to_owned);
        kind.finish();
        Some(CountedBlocks { name: entry.key.clone(), types: types?, evidence })
    });
    let counted = counted.collect();
    section.finish();
    let block_policy =
        if all_or_nothing { BlockPolicy::AllOrNothing(shapes) } else { BlockPolicy::PerBlock };
    Some(MetadataRule { on: on?, distinct_types, block_policy, counted })
}

fn shape(node: &Node, problems: &Problems) -> Option<BlockShape> {
    let mut section = Section::open(node, problems)?;
    let types = section.words("types");
    let mut members = |key| -> Vec<String> {
        let known = ["text", "data", "mimeType", "uri"].map(|member| (member, member));
        let texts = section.texts(key).into_iter();
        let known = texts.filter_map(|(text, mark)| word_among(text, mark, &known, problems));
        known.map(str::to_owned).collect()
    };
    let shape = BlockShape { types, required: members("required"), optional: members("optional") };
    section.finish();
    Some(shape)
}

pub(super) fn schema(root: &mut Section<'_>) -> Option<SchemaRule> {
    const FORMATS: [(Option<bool>, &str); 3] =
        [(None, "by_dialect"), (Some(true), "asserted"), (Some(false), "ignored")];
    let mut section = open(root, "schema")?;
    let dialect = section.require("dialect", Section::word);
    let assert_formats = section.word_of("formats", &FORMATS).unwrap_or(None);
    let unknown_format = section.require("unknown_format", Section::word);
    let uncompilable = section.require("uncompilable", Section::word);
    let json_null = section.require("json_null", Section::word);
    let on_errors = section.flag("on_errors").unwrap_or(false);
    section.finish();
    Some(SchemaRule {
        dialect: dialect?,
        assert_formats,
        unknown_format: unknown_format?,
        uncompilable: uncompilable?,
        json_null: json_null?,
        on_errors,
    })
}

pub(super) fn overall(root: &mut Section<'_>) -> Option<Overall> {
    let mut section = open(root, "overall")?;
    let empty = section.number_within("empty", 0.0..=100.0).unwrap_or(0.0);
    let weights = section.require("weights", Section::entry);
    let weights = weights.and_then(|entry| {
        let mut table = Section::open_entry(entry, root.problems)?;
        let weights = Classification::ALL.map(|class| table.require(class.name(), Section::number));
        table.finish();
        Some(weights.map(Option::unwrap_or_default))
    });
    section.finish();
    Some(Overall { weights: weights?, empty })
}

pub(super) fn status(root: &mut Section<'_>) -> Option<StatusRule> {
    let mut section = open(root, "status")?;
    let passes = section
        .texts("passes")
        .into_iter()
        .filter_map(|(text, mark)| word(text, mark, root.problems))
        .collect();
    let lines: Vec<StatusLine> =
        section.list("lines").iter().filter_map(|node| status_line(node, root.problems)).collect();
    if lines.last().is_none_or(|last| last.test != StatusTest::Always) {
        section.error("the last status line must be the one with when = \"always\"");
    }
    section.finish();
    Some(StatusRule { passes, lines })
}

fn status_line(node: &Node, problems: &Problems) -> Option<StatusLine> {
    const TESTS: [(StatusTest, &str); 3] = [
        (StatusTest::AllPassed, "all_passed"),
        (StatusTest::AnyAnswered, "any_answered"),
        (StatusTest::Always, "always"),
    ];
    let mut line = Section::open(node, problems)?;
    let above = line.number_within("passed_above", 0.0..=1.0);
    let when = line.word_of("when", &TESTS);
    if line.has("passed_above") == line.has("when") {
        line.error("a status line has either `when` or `passed_above`");
    }
    let status = line.require("status", Section::word);
    line.finish();
    let test = above.map(StatusTest::PassedAbove).or(when)?;
    Some(StatusLine { test, status: status? })
}

pub(super) fn quality(root: &mut Section<'_>) -> Option<Quality> {
    let mut section = open(root, "quality")?;
    let mut cost = |key| section.require(key, |it, key| it.number_within(key, 0.0..=1.0));
    let [error, warning, info] = ["error", "warning", "info"].map(&mut cost);
    section.finish();
    Some(Quality { error: error?, warning: warning?, info: info? })
}

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
    let section = root.entry("because").and_then(|it| Section::open_entry(it, root.problems));
    let Some(mut section) = section else { return BTreeMap::new() };
    let mut sentences = BTreeMap::new();
    for key in Outcome::ALL.map(Outcome::name).into_iter().chain(documents) {
        if let Some(sentence) = section.text(key) {
            sentences.insert(key, sentence.to_owned());
        }
    }
    section.finish();
    sentences
}
