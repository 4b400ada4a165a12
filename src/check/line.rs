//! A verdict as one JSON object: what `verdicts.jsonl` holds and what the library hands out.

use super::evidence::evidence;
use crate::check::judge_result::{decision, interpretation, needs_review};
use crate::json::Raw;
use crate::recording::{Exchange, ExchangeKind};
use crate::rulebook::Rulebook;
use crate::verdict::{CheckKind, Issue, SchemaOutcome, Severities, Verdict};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// All that is said of one exchange, with every number replaced by its name.
///
/// The members up to `metadata` are those of a `ValidationResult`; the others say more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of the line")]
pub struct VerdictLine {
    /// Whether no issue is an error.
    pub valid: bool,
    /// 0 to 1: how confident the classification is.
    pub confidence: f64,
    pub issues: Vec<IssueLine>,
    /// 0 to 1: what the issues leave of a perfect score.
    pub quality_score: f64,
    /// How many issues there are.
    pub metadata: LineMetadata,
    /// The record's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub server: String,
    /// Which tool was called.
    pub tool: String,
    pub scenario: Option<String>,
    /// What the reply says about the tool.
    pub classification: &'static str,
    /// 0 to 100: how confident the classification is.
    pub confidence_percent: f64,
    /// Whether the reply indicates a working tool.
    pub is_valid: bool,
    /// Whether the reply is an error.
    pub is_error: bool,
    /// Whether the error is business logic; null where the question does not arise.
    pub business_logic: Option<bool>,
    /// The weighted share of factors; null where the question does not arise.
    pub score: Option<f64>,
    pub threshold: Option<f64>,
    /// The decision line that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    pub kind: &'static str,
    /// What to do: accept, accept with warnings, reject or review.
    pub decision: &'static str,
    /// How valid, confidence and quality read together.
    pub interpretation: &'static str,
    /// Whether confidence is too low to act upon.
    pub needs_review: bool,
    /// The criteria that are met.
    pub passed_criteria: Vec<String>,
    /// The criteria that are not met.
    pub failed_criteria: Vec<String>,
    /// The arguments of a valid call, cleaned of what its contract drops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sanitized_parameters: Option<Value>,
    /// Each fact that was observed, true or false.
    pub facts: Map<String, Value>,
    /// Each pattern that hit, with its place in the text it was looked for in.
    pub hits: Vec<HitLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    /// Whether a reply that claims success says that it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_failure: Option<bool>,
    /// Why the verdict is what it is.
    pub evidence: Vec<String>,
    /// What the reply consists of.
    pub response_metadata: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IssueLine {
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// How many issues there are, by severity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
pub struct HitLine {
    pub list: String,
    pub pattern: String,
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl VerdictLine {
    /// Puts a verdict into words.
    #[must_use]
    pub fn new(exchange: &Exchange<'_>, verdict: &Verdict, rulebook: &Rulebook) -> Self {
        let counts = Severities::of(&verdict.issues);
        let Verdict { conclusion, .. } = verdict;
        let weighing = conclusion.weighing;
        let name = |names: &[&str], at: Option<u16>| {
            at.and_then(|at| names.get(usize::from(at))).map(|name| (*name).to_owned())
        };
        let lines: Vec<&str> = rulebook.decide.iter().map(|line| line.name.as_str()).collect();
        let kinds: Vec<&str> = rulebook.error_kinds.iter().map(|kind| kind.name.as_str()).collect();
        let (valid, share) = (counts.errors == 0, conclusion.confidence / 100.0);
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
            id: exchange.id.as_deref().map(str::to_owned),
            server: exchange.server.clone().into_owned(),
            tool: exchange.tool.name.clone(),
            scenario: exchange.scenario.as_deref().map(str::to_owned),
            classification: conclusion.classification.name(),
            confidence_percent: conclusion.confidence,
            is_valid: conclusion.is_valid,
            is_error: verdict.is_error.is_yes(),
            business_logic: conclusion.business_logic(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            kind: exchange.kind.name(),
            decision: decision(valid, share, counts.warnings).name(),
            interpretation: interpretation(valid, share, quality_score).name(),
            needs_review: needs_review(share),
            passed_criteria: verdict.passed_criteria.clone(),
            failed_criteria: verdict.failed_criteria.clone(),
            sanitized_parameters: verdict.sanitized.as_deref().cloned(),
            decided_by: name(&lines, weighing.and_then(|weighing| weighing.line)),
            facts: facts(verdict, rulebook),
            hits: hits(verdict, rulebook),
            error_kind: name(&kinds, conclusion.error_kind),
            hidden_failure: conclusion.hidden_failure(),
            evidence: evidence(exchange, verdict, rulebook),
            response_metadata: response_metadata(verdict, rulebook),
        }
    }
}

impl IssueLine {
    fn new(verdict: &Verdict, at: usize) -> Self {
        let issue: &Issue = &verdict.issues[at];
        Self {
            severity: issue.severity.name(),
            kind: verdict.type_of(at).to_owned(),
            message: issue.message.clone(),
            location: issue.location.clone(),
            suggestion: issue.suggestion.clone(),
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

fn facts(verdict: &Verdict, rulebook: &Rulebook) -> Map<String, Value> {
    let Some(observation) = &verdict.observation else { return Map::new() };
    let observed =
        if verdict.ground.is_error() { rulebook.error_facts } else { rulebook.success_facts };
    rulebook
        .facts
        .iter()
        .enumerate()
        .filter(|(at, _)| observed.has(*at))
        .map(|(at, fact)| (fact.name.clone(), Value::Bool(observation.facts.has(at))))
        .collect()
}

fn hits(verdict: &Verdict, rulebook: &Rulebook) -> Vec<HitLine> {
    let hits = verdict.observation.iter().flat_map(|observation| &observation.hits);
    hits.filter_map(|hit| {
        let pattern = rulebook.patterns.get(usize::from(hit.pattern))?;
        Some(HitLine {
            list: pattern.list.clone(),
            pattern: pattern.text.clone(),
            start: hit.start,
            end: hit.end,
        })
    })
    .collect()
}

fn response_metadata(verdict: &Verdict, rulebook: &Rulebook) -> Option<Value> {
    let metadata = verdict.metadata.as_ref()?;
    let mut members = Map::new();
    members.insert("contentTypes".to_owned(), json!(metadata.content_types.as_slice()));
    for (counted, count) in rulebook.metadata.counted.iter().zip(&metadata.counts) {
        members.insert(counted.name.clone(), json!(count));
    }
    members.insert("hasStructuredContent".to_owned(), json!(metadata.has_structured_content));
    members.insert("hasMeta".to_owned(), json!(metadata.has_meta));
    if let Some(schema) = &metadata.output_schema {
        let is_valid = match schema.outcome {
            SchemaOutcome::Valid => Value::Bool(true),
            SchemaOutcome::Invalid | SchemaOutcome::NoJson => Value::Bool(false),
            // Nobody knows whether the reply conforms.
            SchemaOutcome::Uncompilable | SchemaOutcome::Undecided => Value::Null,
        };
        let mut validation = json!({"hasOutputSchema": true, "isValid": is_valid});
        if let Some(error) = &schema.error {
            validation["error"] = json!(error);
        }
        members.insert("outputSchemaValidation".to_owned(), validation);
    }
    Some(Value::Object(members))
}

/// The arguments of a call as they were recorded, for people to look at.
#[must_use]
pub fn input_text<'e>(exchange: &'e Exchange<'_>) -> &'e str {
    exchange.input.as_ref().map_or("", |input| Raw::text(input.raw()))
}
