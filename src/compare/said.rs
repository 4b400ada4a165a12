//! What was said of exchanges, without saying of which.

use super::{Answer, Span, Standing};
use crate::recording::{Exchange, ExchangeKind, Key, Reply, ReplyKind};
use crate::rulebook::Rulebook;
use crate::verdict::{Classification, Ground, Observation, SchemaOutcome, Verdict};

/// A verdict without its exchange. Sides hold each different one once.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub kind: ExchangeKind,
    pub reply: ReplyKind,
    /// What was there to be judged; `None` where the side does not tell.
    pub ground: Option<Ground>,
    /// The code of a JSON-RPC error.
    pub error_code: Option<String>,
    pub class: Classification,
    /// How confident the class is, 0 to 100.
    pub confidence: f64,
    /// Whether the reply indicates a working tool.
    pub is_valid: bool,
    /// Whether the reply is an error.
    pub is_error: bool,
    /// The answer to "business logic?"; `None` where the question did not arise.
    pub business_logic: Option<bool>,
    /// Whether a reply that claims success says that it failed; `None` where nobody asked.
    pub hidden_failure: Option<bool>,
    /// The weighted share of the factors present.
    pub score: Option<f64>,
    /// What the score was held against.
    pub threshold: Option<f64>,
    /// The decision line that answered.
    pub decided_by: Option<String>,
    pub error_kind: Option<String>,
    /// The facts that hold, in the rulebook's order.
    pub facts: Vec<String>,
    /// The patterns that hit, by their names, in the rulebook's order; `None` where the side does not
    /// tell.
    pub hits: Option<Vec<String>>,
    /// The patterns that hit in the text that was searched for a hidden failure, where the rulebook's
    /// question was put to another one; `None` where there is one text, or where the side does not tell.
    pub hidden_hits: Option<Vec<String>>,
    /// `severity type` of every issue, sorted; one that there are several of stands several times.
    pub issues: Vec<String>,
    /// What the tool's output schema says, where there is one.
    pub schema: Option<SchemaSaid>,
    /// The criteria that are met and those that are not.
    pub criteria: [Vec<String>; 2],
}

/// What an output schema says of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaSaid {
    /// How it ended.
    pub outcome: SchemaOutcome,
    /// Hash of the schema's canonical text; `None` where the side does not tell.
    pub key: Option<Key>,
    /// The keyword that was not met, such as `required`.
    pub keyword: Option<String>,
}

/// The judged text of an exchange, cut to what is worth showing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub key: Key,
    pub server: String,
    /// The tool that was called.
    pub tool: String,
    pub file: String,
    /// The line of the tape.
    pub line: u64,
    pub text: String,
    /// Where patterns hit in it.
    pub spans: Vec<Span>,
}

impl Said {
    /// A verdict of which only the class is known.
    pub fn of_class(class: Classification) -> Self {
        Self {
            kind: ExchangeKind::ToolCall,
            reply: ReplyKind::Result,
            ground: None,
            error_code: None,
            class,
            confidence: 0.0,
            is_valid: class.is_mostly_valid(),
            is_error: false,
            business_logic: None,
            hidden_failure: None,
            score: None,
            threshold: None,
            decided_by: None,
            error_kind: None,
            facts: Vec::new(),
            hits: None,
            hidden_hits: None,
            issues: Vec::new(),
            schema: None,
            criteria: [Vec::new(), Vec::new()],
        }
    }

    pub fn of(exchange: &Exchange<'_>, verdict: &Verdict, rulebook: &Rulebook) -> Self {
        let Verdict { conclusion, observation, .. } = verdict;
        let weighing = conclusion.weighing;
        let line = weighing.and_then(|weighing| rulebook.decide.get(usize::from(weighing.line?)));
        let kind = conclusion.error_kind;
        let kind = kind.and_then(|kind| rulebook.error_kinds.get(usize::from(kind)));
        let facts = observation.as_ref().map(|seen| seen.facts).unwrap_or_default();
        let holding = rulebook.facts.iter().enumerate().filter(|(at, _)| facts.has(*at));
        let names = |observation: &Observation| -> Vec<String> {
            let mut patterns: Vec<u16> = observation.hits.iter().map(|hit| hit.pattern).collect();
            patterns.sort_unstable();
            patterns.dedup();
            patterns.into_iter().filter_map(|pattern| rulebook.pattern_name(pattern)).collect()
        };
        let issues = verdict.issues.iter().enumerate();
        let mut issues: Vec<String> = issues
            .map(|(at, issue)| format!("{} {}", issue.severity.name(), verdict.type_of(at)))
            .collect();
        issues.sort_unstable();
        let schema = verdict.metadata.as_ref().and_then(|said| said.output_schema.as_ref());
        Self {
            kind: exchange.kind,
            reply: exchange.reply.kind(),
            ground: Some(verdict.ground),
            error_code: match &exchange.reply {
                Reply::Error(error) if !error.code.is_empty() => Some(error.code.to_string()),
                Reply::Error(_) | Reply::Result(_) | Reply::Document(_) | Reply::None => None,
            },
            class: conclusion.classification,
            confidence: conclusion.confidence,
            is_valid: conclusion.is_valid,
            is_error: verdict.is_error.is_yes(),
            business_logic: conclusion.business_logic(),
            hidden_failure: conclusion.hidden_failure(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            decided_by: line.map(|line| line.name.clone()),
            error_kind: kind.map(|kind| kind.name.clone()),
            facts: holding.map(|(_, fact)| fact.name.clone()).collect(),
            hits: Some(observation.as_ref().map(names).unwrap_or_default()),
            hidden_hits: verdict.hidden_observation.as_deref().map(names),
            issues,
            schema: schema.map(|schema| SchemaSaid {
                outcome: schema.outcome,
                key: Some(Key(schema.key)),
                keyword: schema.keyword.as_deref().map(str::to_owned),
            }),
            criteria: [verdict.passed_criteria.clone(), verdict.failed_criteria.clone()],
        }
    }

    /// The class and the answer: what flips.
    pub fn standing(&self) -> Standing {
        let answer = Answer::of(self.hidden_failure, self.business_logic);
        Standing { class: self.class, answer }
    }
}
