//! The sections that are not about signals.

use super::expressions::condition;
use super::signals::Signals;
use crate::rulebook::model::{
    BlockPolicy, BlockShape, Condition, CountedBlocks, DialectRule, ErrorPolicy, JsonNull,
    MetadataOn, MetadataRule, Overall, Quality, Question, SchemaRule, StatusLine, StatusRule,
    StatusTest, TextElse, TextRule, TextSource, UncompilableSchema, UnknownFormat,
};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section, Value, word_among};
use crate::verdict::Classification;

pub(super) fn classes() -> [(Classification, &'static str); 5] {
    Classification::ALL.map(|class| (class, class.name()))
}

/// Opens a section that must be there.
pub(super) fn open<'a>(
    root: &mut Section<'a>,
    key: &'static str,
    problems: &mut Problems,
) -> Option<Section<'a>> {
    let entry = root.entry(key);
    if entry.is_none() {
        problems.error(root.mark, format!("the section [{key}] is missing"));
    }
    Section::open_entry(entry?, problems)
}

pub(super) fn text(root: &mut Section<'_>, problems: &mut Problems) -> Option<TextRule> {
    const SOURCES: [(TextSource, &str); 2] =
        [(TextSource::FirstTextBlock, "first_text_block"), (TextSource::AllText, "all_text")];
    const OTHERWISE: [(TextElse, &str); 3] = [
        (TextElse::JsonDump, "json_dump"),
        (TextElse::Structured, "structured"),
        (TextElse::Empty, "empty"),
    ];
    const INSIDE: [(bool, &str); 2] = [(false, "text"), (true, "judged")];
    let mut section = open(root, "text", problems)?;
    let source = section.word("source", &SOURCES, problems);
    let source = section.require("source", source, problems);
    let otherwise = section.word("otherwise", &OTHERWISE, problems);
    let otherwise = section.require("otherwise", otherwise, problems);
    let evidence_units = length(&mut section, "evidence_units", problems);
    let success_bytes = length(&mut section, "success_bytes", problems);
    let inside = section.word("result_inside", &INSIDE, problems);
    let own_words = section.flag("own_words", problems).unwrap_or(false);
    section.finish(problems);
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
fn length(section: &mut Section<'_>, key: &'static str, problems: &mut Problems) -> Option<usize> {
    let number = section.whole(key, 1_000_000.0, problems);
    section.require(key, number, problems).and_then(|number| usize::try_from(number).ok())
}

pub(super) fn errors(
    root: &mut Section<'_>,
    signals: &Signals,
    problems: &mut Problems,
) -> Option<ErrorPolicy> {
    const POLICIES: [(bool, &str); 2] = [(false, "responded"), (true, "judged")];
    const QUESTIONS: [(Question, &str); 3] =
        [(Question::Errors, "errors"), (Question::Failures, "failures"), (Question::All, "all")];
    let mut section = open(root, "errors", problems)?;
    let judged = section.word("policy", &POLICIES, problems);
    let judged = section.require("policy", judged, problems);
    let question = section.word("question", &QUESTIONS, problems).unwrap_or(Question::Errors);
    let unreachable = optional_condition(&mut section, "unreachable", signals, problems);
    section.finish(problems);
    Some(ErrorPolicy { judged: judged?, question, unreachable })
}

pub(super) fn hidden_failure(
    root: &mut Section<'_>,
    signals: &Signals,
    problems: &mut Problems,
) -> Option<Condition> {
    let mut section = Section::open_entry(root.entry("hidden_failure")?, problems)?;
    section.text("about", problems);
    let condition = optional_condition(&mut section, "if", signals, problems);
    section.finish(problems);
    condition
}

/// A condition, or `false` where there is none.
fn optional_condition(
    section: &mut Section<'_>,
    key: &'static str,
    signals: &Signals,
    problems: &mut Problems,
) -> Option<Condition> {
    let node = section.take(key)?;
    match node.value {
        Value::Flag(false) => None,
        _ => condition(node, &signals.names, problems),
    }
}

pub(super) fn metadata(root: &mut Section<'_>, problems: &mut Problems) -> Option<MetadataRule> {
    const WHEN: [(MetadataOn, &str); 3] = [
        (MetadataOn::Always, "always"),
        (MetadataOn::WithContent, "with_content"),
        (MetadataOn::Ok, "ok"),
    ];
    const POLICIES: [(bool, &str); 2] = [(false, "per_block"), (true, "all_or_nothing")];
    let mut section = open(root, "metadata", problems)?;
    let on = section.word("on", &WHEN, problems);
    let on = section.require("on", on, problems);
    let distinct_types = section.flag("distinct_types", problems).unwrap_or(true);
    let all_or_nothing = section.word("blocks", &POLICIES, problems).unwrap_or(false);
    let shapes: Vec<BlockShape> =
        section.list("shapes", problems).iter().filter_map(|node| shape(node, problems)).collect();
    if all_or_nothing && shapes.is_empty() {
        problems.error(section.mark_of("blocks"), "`all_or_nothing` needs `shapes`");
    }
    let counted = section
        .named("counted", problems)
        .iter()
        .filter_map(|entry| {
            let mut kind = Section::open_entry(entry, problems)?;
            let types = owned(kind.texts("types", problems));
            let types = (!types.is_empty()).then_some(types);
            let types = kind.require("types", types, problems);
            let evidence = kind.text("evidence", problems).map(str::to_owned);
            kind.finish(problems);
            Some(CountedBlocks { name: entry.key.clone(), types: types?, evidence })
        })
        .collect();
    section.finish(problems);
    let block_policy =
        if all_or_nothing { BlockPolicy::AllOrNothing(shapes) } else { BlockPolicy::PerBlock };
    Some(MetadataRule { on: on?, distinct_types, block_policy, counted })
}

fn shape(node: &Node, problems: &mut Problems) -> Option<BlockShape> {
    let mut section = Section::open(node, problems)?;
    let types = owned(section.texts("types", problems));
    let mut members = |key| {
        let written = section.texts(key, problems);
        let known: [(&str, &str); 4] =
            ["text", "data", "mimeType", "uri"].map(|member| (member, member));
        written
            .into_iter()
            .filter_map(|(text, mark)| word_among(text, mark, &known, problems))
            .map(str::to_owned)
            .collect()
    };
    let shape = BlockShape { types, required: members("required"), optional: members("optional") };
    section.finish(problems);
    Some(shape)
}

fn owned(texts: Vec<(&str, crate::rulebook::problem::Mark)>) -> Vec<String> {
    texts.into_iter().map(|(text, _)| text.to_owned()).collect()
}

pub(super) fn schema(root: &mut Section<'_>, problems: &mut Problems) -> Option<SchemaRule> {
    const DIALECTS: [(DialectRule, &str); 2] =
        [(DialectRule::Declared, "declared"), (DialectRule::Draft7Only, "draft7")];
    const FORMATS: [(Option<bool>, &str); 3] =
        [(None, "by_dialect"), (Some(true), "asserted"), (Some(false), "ignored")];
    const UNKNOWN: [(UnknownFormat, &str); 2] =
        [(UnknownFormat::Ignored, "ignored"), (UnknownFormat::RefusesSchema, "refuses_schema")];
    const UNCOMPILABLE: [(UncompilableSchema, &str); 2] = [
        (UncompilableSchema::Reported, "reported"),
        (UncompilableSchema::AsIfAbsent, "as_if_absent"),
    ];
    const NULLS: [(JsonNull, &str); 2] =
        [(JsonNull::StopsSearch, "stops_search"), (JsonNull::IsValue, "is_value")];
    let mut section = open(root, "schema", problems)?;
    let dialect = section.word("dialect", &DIALECTS, problems);
    let dialect = section.require("dialect", dialect, problems);
    let assert_formats = section.word("formats", &FORMATS, problems).unwrap_or(None);
    let unknown_format = section.word("unknown_format", &UNKNOWN, problems);
    let unknown_format = section.require("unknown_format", unknown_format, problems);
    let uncompilable = section.word("uncompilable", &UNCOMPILABLE, problems);
    let uncompilable = section.require("uncompilable", uncompilable, problems);
    let json_null = section.word("json_null", &NULLS, problems);
    let json_null = section.require("json_null", json_null, problems);
    let on_errors = section.flag("on_errors", problems).unwrap_or(false);
    section.finish(problems);
    Some(SchemaRule {
        dialect: dialect?,
        assert_formats,
        unknown_format: unknown_format?,
        uncompilable: uncompilable?,
        json_null: json_null?,
        on_errors,
    })
}

pub(super) fn overall(root: &mut Section<'_>, problems: &mut Problems) -> Option<Overall> {
    let mut section = open(root, "overall", problems)?;
    let empty = section.number_within("empty", 0.0..=100.0, problems).unwrap_or(0.0);
    let entry = section.entry("weights");
    let mut table = match entry {
        Some(entry) => Section::open_entry(entry, problems),
        None => section.require("weights", None, problems),
    };
    let mut weights = [0.0; 5];
    let mut complete = table.is_some();
    if let Some(table) = &mut table {
        for (weight, class) in weights.iter_mut().zip(Classification::ALL) {
            let read = table.number(class.name(), problems);
            match table.require(class.name(), read, problems) {
                Some(read) => *weight = read,
                None => complete = false,
            }
        }
    }
    if let Some(table) = table {
        table.finish(problems);
    }
    section.finish(problems);
    complete.then_some(Overall { weights, empty })
}

pub(super) fn status(root: &mut Section<'_>, problems: &mut Problems) -> Option<StatusRule> {
    let mut section = open(root, "status", problems)?;
    let passes = section
        .texts("passes", problems)
        .into_iter()
        .filter_map(|(text, mark)| word_among(text, mark, &classes(), problems))
        .collect();
    let lines: Vec<StatusLine> = section
        .list("lines", problems)
        .iter()
        .filter_map(|node| status_line(node, problems))
        .collect();
    if lines.last().is_none_or(|last| last.test != StatusTest::Always) {
        problems.error(section.mark, "the last status line must be the one with when = \"always\"");
    }
    section.finish(problems);
    Some(StatusRule { passes, lines })
}

fn status_line(node: &Node, problems: &mut Problems) -> Option<StatusLine> {
    const TESTS: [(StatusTest, &str); 3] = [
        (StatusTest::AllPassed, "all_passed"),
        (StatusTest::AnyAnswered, "any_answered"),
        (StatusTest::Always, "always"),
    ];
    let mut line = Section::open(node, problems)?;
    let above = line.number_within("passed_above", 0.0..=1.0, problems);
    let when = line.word("when", &TESTS, problems);
    let written = ["passed_above", "when"].map(|key| line.entry(key).is_some());
    if written[0] == written[1] {
        problems.error(line.mark, "a status line has either `when` or `passed_above`");
    }
    let status = line.word("status", &classes(), problems);
    let status = line.require("status", status, problems);
    line.finish(problems);
    let test = above.map(StatusTest::PassedAbove).or(when)?;
    Some(StatusLine { test, status: status? })
}

pub(super) fn quality(root: &mut Section<'_>, problems: &mut Problems) -> Option<Quality> {
    let mut section = open(root, "quality", problems)?;
    let mut cost = |key| {
        let cost = section.number_within(key, 0.0..=1.0, problems);
        section.require(key, cost, problems)
    };
    let (error, warning, info) = (cost("error"), cost("warning"), cost("info"));
    section.finish(problems);
    Some(Quality { error: error?, warning: warning?, info: info? })
}
