//! The sections that are not about signals.

use super::signals::Signals;
use crate::rulebook::decide::{CertaintyLine, Curve};
use crate::rulebook::model::{
    BlockPolicy, BlockShape, Condition, Confidence, CountedBlocks, Decision, DecisionLine,
    ErrorKind, ErrorPolicy, EvidenceWording, Factor, IssueWording, Meaning, MetadataRule, Overall,
    Quality, Question, SchemaRule, StatusLine, StatusRule, StatusTest, TextRule,
};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Node, Section, Value, word, word_among};
use crate::rulebook::{IssueTypes, Undescribed};
use crate::verdict::{Answer, Classification, Ending, Outcome, Side};
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

/// The weighted signals; a factor that names no signal means the signal of its own name.
pub(super) fn factors(entries: &[Entry], signals: &Signals, problems: &Problems) -> Vec<Factor> {
    let factor = |entry: &Entry| {
        let mut section = Section::open_entry(entry, problems)?;
        let weight = section.require("weight", Section::number);
        let signal = match section.take("signal") {
            None => signals.find(&entry.key, entry.key_mark, problems),
            Some(node) => signals.named(node, problems),
        };
        section.finish();
        Some(Factor { name: entry.key.clone(), signal: signal?, weight: weight? })
    };
    entries.iter().filter_map(factor).collect()
}

/// How factors become a score: what their sum is divided by, and whether 1 is the most. Where the rulebook does
/// not weigh them, each becomes 1.
pub(super) fn score(root: &mut Section<'_>, factors: &mut [Factor]) -> Option<(f64, bool)> {
    const READINGS: [(bool, &str); 2] = [(true, "weighted"), (false, "unweighted")];
    let mut section = open(root, "score")?;
    if section.word_of("reading", &READINGS) == Some(false) {
        for factor in factors.iter_mut() {
            factor.weight = 1.0;
        }
    }
    let clamp = section.flag("clamp").unwrap_or(false);
    let (node, mark) =
        (section.require("denominator", Section::take), section.mark_of("denominator"));
    section.finish();
    let (denominator, is_written) = match &node?.value {
        Value::Number(number) => (*number, true),
        // Nothing to weigh is a score of 0 and no division by zero.
        Value::Text(text) if text == "sum" && factors.is_empty() => (1.0, false),
        Value::Text(text) if text == "sum" => (factors.iter().map(|it| it.weight).sum(), false),
        _ => {
            root.problems.error(mark, "`denominator` must be a number or \"sum\"");
            return None;
        }
    };
    let is_good = denominator.is_finite() && denominator > 0.0;
    // With factors that are wrong themselves the sum means nothing.
    if !is_good && (is_written || !root.problems.has_errors()) {
        root.problems.error(mark, "the denominator must be a finite number above 0");
    }
    is_good.then_some((denominator, clamp))
}

/// The decision lines, of which the last must always apply.
pub(super) fn lines(root: &mut Section<'_>, signals: &Signals) -> Vec<DecisionLine> {
    let lines = root.lines("decide", |name, section| {
        let condition = when(section, signals);
        let answer = section.flag("return").map(Decision::Return);
        let threshold = section.number_within("threshold", 0.0..=1.0).map(Decision::Threshold);
        match ["return", "threshold"].map(|key| section.has(key)) {
            [false, false] => section.error("a decision line has a `return` or a `threshold`"),
            [true, true] => section.error("`return` and `threshold` exclude each other"),
            _ => {}
        }
        Some(DecisionLine { name: name?, condition: condition?, decision: answer.or(threshold)? })
    });
    let nodes = root.list("decide");
    match nodes.iter().position(|node| node.get("if").is_none()) {
        None => root.problems.error(
            nodes.last().map_or(root.mark, |last| last.mark),
            "the last decision line must always apply: leave out its `if`",
        ),
        Some(at) => {
            if let Some(dead) = nodes.get(at + 1) {
                root.problems.error(dead.mark, "no line can apply after one without `if`");
            }
        }
    }
    lines
}

/// Which replies may be of a kind of error.
const OF: [(bool, &str); 2] = [(true, "refused"), (false, "failed")];

pub(super) fn error_kinds(root: &mut Section<'_>, signals: &Signals) -> Vec<ErrorKind> {
    root.lines("error_kinds", |name, section| {
        let about = section.text("about").unwrap_or_default().to_owned();
        let who = section.require("who", Section::word);
        let retry = section.require("retry", Section::word);
        let of_refusals = section.word_of("of", &OF);
        let endings = section.texts("endings").into_iter();
        let endings: Vec<_> =
            endings.filter_map(|(text, at)| word(text, at, section.problems)).collect();
        let never = || Condition::Not(Box::new(Condition::Always));
        let is_by_ending = !endings.is_empty() && !section.has("if");
        let condition = if is_by_ending { never() } else { when(section, signals)? };
        let name = name?;
        Some(ErrorKind { name, about, who: who?, retry: retry?, of_refusals, endings, condition })
    })
}

/// How sure answers are.
pub(super) fn certainty(
    root: &mut Section<'_>,
    signals: &Signals,
    decide: &[DecisionLine],
) -> Vec<CertaintyLine> {
    /// The answers that can be right or wrong, by the labels that they come to.
    const ANSWERS: [(Answer, &str); 5] = [
        (Answer::Fine, "ok"),
        (Answer::BusinessLogic, "business_logic"),
        (Answer::ToolFailure, "tool_failure"),
        (Answer::HiddenFailure, "hidden_failure"),
        (Answer::HiddenRefusal, "hidden_refusal"),
    ];
    root.lines("certainty", |name, section| {
        section.text("about");
        let answer = section.require("answer", |it, key| it.word_of(key, &ANSWERS));
        let decided_by = section.text("decided_by").and_then(|name| {
            let names = decide.iter().map(|line| line.name.as_str());
            section.problems.find("decision line", name, section.mark_of("decided_by"), names)
        });
        let condition = when(section, signals);
        let has_threshold =
            decided_by.is_some_and(|at| matches!(decide[at].decision, Decision::Threshold(_)));
        let curve = curve(section, has_threshold);
        Some(CertaintyLine {
            name: name?,
            answer: answer?,
            decided_by: decided_by.and_then(|at| u16::try_from(at).ok()),
            condition: condition?,
            curve: curve?,
        })
    })
}

fn curve(section: &mut Section<'_>, has_threshold: bool) -> Option<Curve> {
    let keys = ["certainty", "near", "far"];
    let [level, near, far] = keys.map(|key| section.number_within(key, Curve::BOUNDS));
    match keys.map(|key| section.has(key)) {
        [true, false, false] => return level.map(Curve::level),
        [false, true, true] if has_threshold => {}
        [false, true, true] => {
            section.error(
                "`near` and `far` need `decided_by` with the name of a decision line that has a threshold",
            );
            return None;
        }
        _ => {
            section.error("a line has either `certainty` or both `near` and `far`");
            return None;
        }
    }
    let curve = Curve { near: near?, far: far? };
    if curve.far < curve.near {
        section.error_at("far", "`far` must not be below `near`");
    }
    Some(curve)
}

/// The condition of a line; without one it always applies.
fn when(section: &mut Section<'_>, signals: &Signals) -> Option<Condition> {
    section
        .take("if")
        .map_or(Some(Condition::Always), |node| signals.condition(node, None, section.problems))
}
