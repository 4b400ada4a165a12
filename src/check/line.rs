//! A verdict as one JSON object: what `run --stdout jsonl` writes and what the library hands out.

use super::evidence::evidence;
use crate::check::judge_result::{
    Interpretation, JudgeResult, RecordedIssue, StatedCounts, confidence, decision, interpretation,
    is_good_enough, needs_review, text_report,
};
use crate::json::Raw;
use crate::recording::{Exchange, ExchangeKind};
use crate::rulebook::Rulebook;
use crate::verdict::{ByteSpan, CheckKind, Issue, SchemaOutcome, Severities, Severity, Verdict};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;

/// All that is said of one exchange, with every number replaced by its name.
///
/// The members up to `metadata` are those of a `ValidationResult`; the others say more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the line")]
pub struct VerdictLine<'a> {
    /// Whether no issue is an error.
    pub valid: bool,
    /// 0 to 1: how confident the classification is.
    pub confidence: f64,
    pub issues: Vec<IssueLine<'a>>,
    /// 0 to 1: what the issues leave of a perfect score.
    pub quality_score: f64,
    /// How many issues there are.
    pub metadata: LineMetadata,
    /// The record's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    pub server: &'a str,
    /// Which tool was called.
    pub tool: &'a str,
    pub scenario: Option<&'a str>,
    /// What became of the call: one of the same six words under every rulebook.
    pub outcome: &'static str,
    /// Why, as a sentence.
    pub because: &'a str,
    /// What the reply says about the tool.
    pub classification: &'static str,
    /// 0 to 100: how confident the classification is.
    pub confidence_percent: f64,
    /// 0 to 1: the probability that the verdict is right; null where the rulebook does not say.
    pub certainty: Option<f64>,
    /// Whether the reply indicates a working tool.
    pub is_valid: bool,
    /// Whether the reply is an error; null where the recording does not say.
    pub is_error: Option<bool>,
    /// Whether the error is business logic; null where the question does not arise.
    pub business_logic: Option<bool>,
    /// The weighted share of factors; null where the question does not arise.
    pub score: Option<f64>,
    pub threshold: Option<f64>,
    /// The decision line that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<&'a str>,
    pub kind: &'static str,
    /// What to do: accept, accept with warnings, reject or review.
    pub decision: &'static str,
    /// How valid, confidence and quality read together.
    pub interpretation: &'static str,
    /// Whether the output is valid and its quality at least 0.7.
    pub good_enough: bool,
    /// Whether confidence is too low to act upon.
    pub needs_review: bool,
    /// The criteria that are met.
    pub passed_criteria: &'a [String],
    /// The criteria that are not met.
    pub failed_criteria: &'a [String],
    /// The names of the call's arguments, where it has issues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter_keys: Option<&'a [String]>,
    /// The arguments of a valid call, cleaned of what its contract drops. A run leaves them out of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sanitized_parameters: Option<&'a Value>,
    /// Each signal that was observed, true or false.
    pub signals: Members<'a, bool>,
    /// Each pattern that hit, with its place in the text it was looked for in.
    pub hits: Vec<HitLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<&'a str>,
    /// Whether a reply that claims success says that it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_failure: Option<bool>,
    /// Why the verdict is what it is.
    pub evidence: Vec<String>,
    /// What the reply consists of.
    pub response_metadata: Option<Members<'a, MetadataValue<'a>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IssueLine<'a> {
    /// `error`, `warning` or `info`.
    pub severity: Severity,
    #[serde(rename = "type")]
    pub kind: &'a str,
    pub message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<&'a str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<&'a str>,
}

/// How many issues there are, by severity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineMetadata {
    /// Which kinds of check were made.
    pub validation_types_run: Vec<&'static str>,
    pub total_issues: u32,
    pub error_count: u32,
    pub warning_count: u32,
    pub info_count: u32,
}

/// One place where a pattern hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HitLine<'a> {
    pub list: &'a str,
    /// The entry of the list, the name of a regex, or the text of one that has no name.
    pub pattern: &'a str,
    /// What a regex with a name looks for.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub about: &'a str,
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// What it quotes from the arguments, where it has to quote something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<ByteSpan>,
}

/// Members of an object, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members<'a, T>(pub Vec<(&'a str, T)>);

impl<'a, T> Members<'a, T> {
    /// Adds a member, or gives another value to the one of this name.
    fn set(&mut self, name: &'a str, value: T) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name, value)),
        }
    }
}

impl<T: Serialize> Serialize for Members<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MetadataValue<'a> {
    Types(&'a [Cow<'static, str>]),
    Count(u32),
    Flag(bool),
    /// How checking against the output schema ended.
    #[serde(rename_all = "camelCase")]
    Validation {
        has_output_schema: bool,
        /// Whether the reply is known to match: not where the schema cannot be used, as `error` says.
        is_valid: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
    },
}

impl VerdictLine<'_> {
    /// How valid, confidence and quality read together, with its sentence for people.
    pub fn interpretation(&self) -> Interpretation {
        interpretation(self.valid, self.confidence, self.quality_score)
    }

    /// The verdict as a validation report.
    pub fn report(&self) -> String {
        let issues = self.issues.iter().map(|issue| RecordedIssue {
            severity: issue.severity,
            kind: issue.kind.to_owned(),
            message: issue.message.to_owned(),
            location: issue.location.map(str::to_owned),
            suggestion: issue.suggestion.map(str::to_owned),
        });
        text_report(&JudgeResult {
            valid: self.valid,
            confidence: self.confidence,
            quality_score: self.quality_score,
            issues: issues.collect(),
            passed_criteria: self.passed_criteria.to_vec(),
            failed_criteria: self.failed_criteria.to_vec(),
            metadata: StatedCounts::default(),
            violations: Vec::new(),
        })
    }
}

impl<'a> VerdictLine<'a> {
    /// Puts a verdict into words.
    #[must_use]
    pub fn new(exchange: &'a Exchange<'_>, verdict: &'a Verdict, rulebook: &'a Rulebook) -> Self {
        let counts = Severities::of(&verdict.issues);
        let Verdict { conclusion, .. } = verdict;
        let weighing = conclusion.weighing;
        let line = weighing.and_then(|weighing| rulebook.decide.get(usize::from(weighing.line?)));
        let kind = conclusion.error_kind;
        let kind = kind.and_then(|kind| rulebook.error_kinds.get(usize::from(kind)));
        let (valid, share) = (counts.errors == 0, confidence(verdict));
        let quality_score = verdict.quality.unwrap_or_else(|| rulebook.quality.score(counts));
        Self {
            valid,
            confidence: share,
            issues: (0..verdict.issues.len()).map(|at| IssueLine::new(verdict, at)).collect(),
            quality_score,
            metadata: LineMetadata {
                validation_types_run: checks_made(verdict, exchange.kind),
                total_issues: counts.total(),
                error_count: counts.errors,
                warning_count: counts.warnings,
                info_count: counts.infos,
            },
            id: exchange.id.as_deref(),
            server: &exchange.server,
            tool: &exchange.tool.name,
            scenario: exchange.scenario.as_deref(),
            outcome: conclusion.judgement.outcome.name(),
            because: rulebook.because(conclusion),
            classification: conclusion.judgement.class.name(),
            confidence_percent: conclusion.confidence,
            certainty: conclusion.certainty.map(|certainty| certainty.value),
            is_valid: conclusion.is_valid,
            is_error: verdict.is_error.flag(),
            business_logic: conclusion.business_logic(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            kind: exchange.kind.name(),
            decision: decision(valid, share, counts.warnings).name(),
            interpretation: interpretation(valid, share, quality_score).name(),
            good_enough: is_good_enough(valid, quality_score),
            needs_review: needs_review(share),
            passed_criteria: &verdict.passed_criteria,
            failed_criteria: &verdict.failed_criteria,
            parameter_keys: verdict.parameter_keys.as_deref(),
            sanitized_parameters: verdict.sanitized.as_deref(),
            decided_by: line.map(|line| line.name.as_str()),
            signals: signals(verdict, rulebook),
            hits: hits(verdict, rulebook),
            error_kind: kind.map(|kind| kind.name.as_str()),
            hidden_failure: conclusion.hidden_failure(),
            evidence: evidence(exchange, verdict, rulebook),
            response_metadata: response_metadata(verdict, rulebook),
        }
    }
}

impl<'a> IssueLine<'a> {
    fn new(verdict: &'a Verdict, at: usize) -> Self {
        let issue: &Issue = &verdict.issues[at];
        Self {
            severity: issue.severity,
            kind: verdict.type_of(at),
            message: &issue.message,
            location: issue.location.as_deref(),
            suggestion: issue.suggestion.as_deref(),
        }
    }
}

fn checks_made(verdict: &Verdict, kind: ExchangeKind) -> Vec<&'static str> {
    let schema = verdict.metadata.as_ref().is_some_and(|metadata| metadata.output_schema.is_some());
    let mut made = Vec::new();
    // What is no tool's reply is not classified as one.
    if kind == ExchangeKind::ToolCall {
        made.push("response");
    }
    if schema {
        made.push("schema");
    }
    if verdict.observation.is_some() {
        made.push("business_logic");
    }
    made.extend(verdict.checks.made().map(CheckKind::name));
    made
}

fn signals<'a>(verdict: &Verdict, rulebook: &'a Rulebook) -> Members<'a, bool> {
    let Some(observation) = &verdict.observation else { return Members(Vec::new()) };
    let observed = rulebook.looked_for(verdict.ground, verdict.conclusion.hidden_failure());
    let signals = rulebook.signals.iter().enumerate().filter(|(at, _)| observed.has(*at));
    Members(
        signals.map(|(at, signal)| (signal.name.as_str(), observation.signals.has(at))).collect(),
    )
}

fn hits<'a>(verdict: &Verdict, rulebook: &'a Rulebook) -> Vec<HitLine<'a>> {
    let hits = verdict.observation.iter().flat_map(|observation| &observation.hits);
    hits.filter_map(|hit| {
        let pattern = rulebook.patterns.get(usize::from(hit.pattern))?;
        let (start, end) = (hit.start, hit.end);
        Some(HitLine {
            list: &pattern.list,
            pattern: pattern.name(),
            about: pattern.about(),
            start,
            end,
            call: hit.call,
        })
    })
    .collect()
}

fn response_metadata<'a>(
    verdict: &'a Verdict,
    rulebook: &'a Rulebook,
) -> Option<Members<'a, MetadataValue<'a>>> {
    let metadata = verdict.metadata.as_ref()?;
    let mut members = Members(Vec::with_capacity(12));
    members.set("contentTypes", MetadataValue::Types(&metadata.content_types));
    for (counted, count) in rulebook.metadata.counted.iter().zip(&metadata.counts) {
        members.set(&counted.name, MetadataValue::Count(*count));
    }
    members.set("hasStructuredContent", MetadataValue::Flag(metadata.has_structured_content));
    members.set("hasMeta", MetadataValue::Flag(metadata.has_meta));
    if let Some(schema) = &metadata.output_schema {
        let is_valid = schema.outcome == SchemaOutcome::Valid;
        let error = schema.error.as_deref();
        let validation = MetadataValue::Validation { has_output_schema: true, is_valid, error };
        members.set("outputSchemaValidation", validation);
    }
    Some(members)
}

/// The arguments of a call as they were recorded, for people to look at.
#[must_use]
pub fn input_text<'e>(exchange: &'e Exchange<'_>) -> &'e str {
    exchange.input.as_ref().map_or("", |input| Raw::text(input.raw()))
}
