//! A verdict as tables and baselines keep it: what a verdict has numbers into its rulebook for are names here,
//! by which verdicts of two rulebooks can be compared.

use super::judged_reply::JudgedReply;
use crate::check::judge_result::{Decision, decision};
use crate::recording::{Exchange, ExchangeKind, Key, ReplyKind};
use crate::rulebook::{Confidence, Overall, Quality, Rulebook};
use crate::verdict::{
    Classification, Ending, Fate, Ground, Observation, Outcome, SchemaOutcome, Severity, SignalSet,
    Verdict, Who,
};
use serde::{Deserialize, Serialize};

/// A verdict without its exchange. Sides hold each different one once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedVerdict {
    pub outcome: Outcome,
    /// How far the call got; baselines keep what the outcome tells of it.
    #[serde(skip)]
    pub fate: Fate,
    #[serde(rename = "classification")]
    pub class: Classification,
    /// 0 to 100.
    #[serde(rename = "confidence_percent")]
    pub confidence: f64,
    /// The probability that the answer is right; `None` where the rulebook does not say, and in baselines.
    #[serde(skip)]
    pub certainty: Option<f64>,
    pub is_valid: bool,
    /// The answer to "business logic?"; `None` where the question did not arise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub business_logic: Option<bool>,
    /// Whether a reply that claims success says that it failed; `None` where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_failure: Option<bool>,
    /// `severity type` of every issue, sorted; one that there are several of is listed several times.
    #[serde(rename = "issue_types", default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    #[serde(default, skip_serializing_if = "is_call")]
    pub kind: ExchangeKind,
    pub reply: ReplyKind,
    pub ground: Ground,
    /// `None` where the recording leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The code of a JSON-RPC error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    /// Who must act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<Who>,
    /// The signals that hold, in the rulebook's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<NamedSchema>,
    /// The criteria that are met and those that are not.
    #[serde(default, skip_serializing_if = "none_stated")]
    pub criteria: [Vec<String>; 2],
    /// The patterns that hit, in the rulebook's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<String>,
    /// Whether other patterns hit since words of the call were left out of the text; `None` in baselines.
    #[serde(skip)]
    pub hits_left_out: Option<bool>,
}

/// What the tool's output schema says of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedSchema {
    pub outcome: SchemaOutcome,
    /// Hash of the schema's canonical text; `None` in baselines.
    #[serde(skip)]
    pub key: Option<Key>,
    /// The keyword that was not met, such as `required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
}

impl NamedVerdict {
    /// A result that worked, of which only the class is known.
    pub fn of_class(class: Classification) -> Self {
        Self {
            kind: ExchangeKind::ToolCall,
            reply: ReplyKind::Result,
            ground: Ground::Content,
            error_code: None,
            class,
            outcome: Outcome::Worked,
            fate: Fate::Settled,
            confidence: 0.0,
            certainty: None,
            is_valid: class.is_mostly_valid(),
            is_error: Some(false),
            business_logic: None,
            hidden_failure: None,
            score: None,
            threshold: None,
            decided_by: None,
            error_kind: None,
            who: None,
            signals: Vec::new(),
            hits: Vec::new(),
            hits_left_out: None,
            issues: Vec::new(),
            schema: None,
            criteria: [Vec::new(), Vec::new()],
        }
    }

    pub fn issues_of(&self, severity: Severity) -> impl Iterator<Item = &str> {
        self.issues.iter().filter_map(move |issue| {
            let (of, kind) = issue.split_once(' ')?;
            (of == severity.name()).then_some(kind)
        })
    }

    pub fn has_no_error(&self) -> bool {
        self.issues_of(Severity::Error).next().is_none()
    }

    pub fn decision(&self) -> Decision {
        let warnings = self.issues_of(Severity::Warning).count();
        let warnings = u32::try_from(warnings).unwrap_or(u32::MAX);
        decision(self.has_no_error(), self.confidence / 100.0, warnings)
    }

    /// A verdict in the names of the rulebook that judged.
    pub fn of(exchange: &Exchange<'_>, verdict: &Verdict, legend: &Legend) -> Self {
        let hits = |found: &Observation| -> Vec<String> {
            found.patterns().into_iter().filter_map(|hit| name(&legend.patterns, hit)).collect()
        };
        Self {
            hits: verdict.observation.as_ref().map(hits).unwrap_or_default(),
            ..Self::of_judged(&JudgedReply::of(exchange, verdict), legend)
        }
    }

    /// One without its hits.
    pub(super) fn of_judged(judged: &JudgedReply, legend: &Legend) -> Self {
        let conclusion = &judged.verdict.conclusion;
        let weighing = conclusion.weighing;
        let observation = judged.verdict.observation.as_ref();
        let signals = judged.signals(legend);
        let holding = legend.signals.iter().enumerate().filter(|(at, _)| signals.has(*at));
        let issues = judged.verdict.issues.iter().enumerate();
        let mut issues: Vec<String> = issues
            .map(|(at, issue)| format!("{} {}", issue.severity.name(), judged.verdict.type_of(at)))
            .collect();
        issues.sort_unstable();
        Self {
            kind: judged.kind,
            reply: judged.reply,
            ground: judged.verdict.ground,
            error_code: judged.error_code.clone(),
            class: conclusion.judgement.class,
            outcome: conclusion.judgement.outcome,
            fate: judged.verdict.fate,
            confidence: conclusion.confidence,
            certainty: conclusion.certainty.map(|certainty| certainty.value),
            is_valid: conclusion.is_valid,
            is_error: judged.verdict.is_error.flag(),
            business_logic: conclusion.business_logic(),
            hidden_failure: conclusion.hidden_failure(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            decided_by: weighing.and_then(|weighing| name(&legend.decisions, weighing.line?)),
            error_kind: conclusion
                .error_kind
                .and_then(|kind| Some(legend.error_kinds.get(usize::from(kind))?.0.clone())),
            who: conclusion.who,
            signals: holding.map(|(_, signal)| signal.clone()).collect(),
            hits: Vec::new(),
            hits_left_out: observation.map(|it| it.hits_left_out),
            issues,
            schema: judged.output_schema().map(|schema| NamedSchema {
                outcome: schema.outcome,
                key: Some(Key(schema.key)),
                keyword: schema.keyword.as_deref().map(str::to_owned),
            }),
            criteria: [
                judged.verdict.passed_criteria.clone(),
                judged.verdict.failed_criteria.clone(),
            ],
        }
    }
}

/// Names and weights of the rulebook that judged.
#[derive(Clone, Debug)]
pub struct Legend {
    /// The signals, by their bit.
    pub signals: Vec<String>,
    /// The signals observed on error replies.
    pub error_signals: SignalSet,
    /// The signals observed on replies that claim success.
    pub success_signals: SignalSet,
    /// The patterns by their number, each with its unique name.
    pub patterns: Vec<String>,
    pub decisions: Vec<String>,
    pub error_kinds: Vec<(String, Who)>,
    pub quality: Quality,
    /// Class and confidence of a reply that breaks its output schema.
    pub schema_failed: (Classification, f64),
    /// How confidences are averaged.
    pub overall: Overall,
}

impl Legend {
    pub fn of(rulebook: &Rulebook) -> Self {
        let schema_failed = rulebook.meaning(Ending::SchemaFailed);
        let confidence = match schema_failed.confidence {
            Confidence::Fixed(confidence) => confidence,
            Confidence::Score => 0.0,
        };
        Self {
            schema_failed: (schema_failed.classification, confidence),
            signals: rulebook.signals.iter().map(|signal| signal.name.clone()).collect(),
            error_signals: rulebook.error_signals,
            success_signals: rulebook.success_signals,
            patterns: rulebook.pattern_names(),
            decisions: rulebook.decide.iter().map(|line| line.name.clone()).collect(),
            error_kinds: rulebook
                .error_kinds
                .iter()
                .map(|kind| (kind.name.clone(), kind.who))
                .collect(),
            quality: rulebook.quality,
            overall: rulebook.overall.clone(),
        }
    }
}

fn name(names: &[String], number: u16) -> Option<String> {
    names.get(usize::from(number)).cloned()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_call(kind: &ExchangeKind) -> bool {
    *kind == ExchangeKind::ToolCall
}

fn none_stated(criteria: &[Vec<String>; 2]) -> bool {
    criteria.iter().all(Vec::is_empty)
}
