//! The main road: from an exchange to its verdict, as the rulebook says.

use super::checks::Checks;
use super::content::{counting_blocks, metadata};
use super::memo::Memo;
use super::output::check_output;
use super::schema::{CompiledSchema, Schemas};
use super::table::{Around, Asked, CHECKS, Findings};
use super::text::{cut_utf16, error_text, rpc_error_text, success_text};
use crate::json::Kind;
use crate::rulebook::{
    Confidence, Decided, MetadataOn, Observing, Question, Rulebook, Says, Subject, ToolFacts,
    refusal_kind, root_of,
};
use crate::tape::{CallResult, Content, Exchange, ExchangeKind, Reply, RpcError, Tool};
use crate::verdict::{
    Ending, FactSet, Ground, Issue, IssueType, Judgement, ResponseMetadata, SchemaOutcome,
    Severity, Verdict,
};
use hashbrown::HashMap;
use std::sync::Arc;

/// Bytes of tools that are kept prepared before starting anew; hostile tapes could name any number.
const MAX_PREPARED: usize = 8 << 20;

/// Judges exchanges under one rulebook. Each thread has its own; they share the schemas.
pub struct Judge<'r> {
    rulebook: &'r Rulebook,
    schemas: &'r Schemas,
    checks: Arc<Checks>,
    prepared: HashMap<usize, Prepared>,
    held: usize,
    ruled: Memo<Ruled>,
    hidden: Memo<Hidden>,
}

/// What the rulebook makes of the facts about an error.
#[derive(Clone, Copy)]
struct Ruled {
    decided: Decided,
    error_kind: Option<u16>,
    /// How the call ended, if the error says anything.
    end: Ending,
}

/// What the rulebook makes of the facts about a reply that claims success.
#[derive(Clone, Copy)]
struct Hidden {
    failure: Option<bool>,
    error_kind: Option<u16>,
}

/// What is worked out once for each tool.
struct Prepared {
    /// Keeps the tool alive, so that its address stays its name.
    tool: Arc<Tool>,
    facts: ToolFacts,
    schema: Option<Arc<CompiledSchema>>,
}

/// Everything that a verdict gathers on its way.
struct Gathered {
    ground: Ground,
    is_error: bool,
    judgement: Option<Judgement>,
    hidden_failure: Option<bool>,
    error_kind: Option<u16>,
    metadata: Option<ResponseMetadata>,
}

/// What is being judged of an error reply.
struct ErrorSubject<'a> {
    text: &'a str,
    code: &'a str,
}

impl<'r> Judge<'r> {
    /// A judge under this rulebook.
    #[must_use]
    pub fn new(rulebook: &'r Rulebook, schemas: &'r Schemas) -> Self {
        let checks = Arc::new(Checks::of_rulebook(rulebook));
        let (ruled, hidden) = (Memo::default(), Memo::default());
        Self { rulebook, schemas, checks, prepared: HashMap::new(), held: 0, ruled, hidden }
    }

    /// The rulebook.
    #[must_use]
    pub fn rulebook(&self) -> &'r Rulebook {
        self.rulebook
    }

    /// What its checks go by.
    #[must_use]
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// The same judge, with checks that go by more than the rulebook.
    #[must_use]
    pub fn with_checks(self, checks: impl Into<Arc<Checks>>) -> Self {
        Self { checks: checks.into(), ..self }
    }

    /// Goes by these checks from now on.
    pub fn go_by(&mut self, checks: &Arc<Checks>) {
        if !Arc::ptr_eq(&self.checks, checks) {
            self.checks = Arc::clone(checks);
        }
    }

    /// Judges an exchange.
    pub fn judge(&mut self, exchange: &Exchange<'_>) -> Verdict {
        let mut verdict = self.classify(exchange);
        self.ask_checks(exchange, &mut verdict);
        verdict
    }

    /// What a tool's reply says about the tool, before anything else is looked at.
    fn classify(&mut self, exchange: &Exchange<'_>) -> Verdict {
        match &exchange.reply {
            Reply::Document(_) => {
                self.conclude(Ending::DocumentAccepted, Gathered::on(Ground::Document), None)
            }
            Reply::None if exchange.kind != ExchangeKind::ToolCall => {
                self.conclude(Ending::DocumentAccepted, Gathered::on(Ground::Document), None)
            }
            Reply::None => self.conclude(Ending::NoReply, Gathered::on(Ground::NoReply), None),
            Reply::Error(error) => self.judge_rpc_error(exchange, error),
            Reply::Result(result) => self.judge_result(exchange, result),
        }
    }

    /// Asks every check and adds what they find.
    fn ask_checks(&self, exchange: &Exchange<'_>, verdict: &mut Verdict) {
        let mut findings = Findings::default();
        let mut asked = 0;
        let around = Around { checks: &self.checks, verdict };
        for (bit, check) in CHECKS.iter().enumerate() {
            if check.check(exchange, &around, &mut findings) == Asked::Yes {
                asked |= 1 << bit;
            }
        }
        if asked == 0 {
            return;
        }
        let Findings { issues, unlisted, confidence, quality, passed, failed, sanitized } =
            findings;
        let refused = issues.iter().any(|issue| issue.severity == Severity::Error);
        if exchange.kind != ExchangeKind::ToolCall && refused {
            let outcome = self.rulebook.meaning(Ending::DocumentRefused);
            verdict.classification = outcome.classification;
            verdict.is_valid = outcome.is_valid;
            if let Confidence::Fixed(confidence) = outcome.confidence {
                verdict.confidence = confidence;
            }
        }
        if exchange.kind == ExchangeKind::JudgeResult {
            verdict.confidence = confidence.map_or(verdict.confidence, |share| share * 100.0);
            verdict.quality = quality;
        }
        let before = verdict.issues.len();
        verdict.checks = asked;
        verdict.issues.extend(issues);
        verdict.unlisted = unlisted.into_iter().map(|(at, name)| (before + at, name)).collect();
        verdict.passed_criteria = passed;
        verdict.failed_criteria = failed;
        verdict.sanitized = sanitized.map(Box::new);
    }

    fn judge_rpc_error(&mut self, exchange: &Exchange<'_>, error: &RpcError<'_>) -> Verdict {
        let text = rpc_error_text(error);
        let subject = ErrorSubject { text: &text, code: &error.code };
        self.judge_error(exchange, &subject, None)
    }

    fn judge_result(&mut self, exchange: &Exchange<'_>, result: &CallResult<'_>) -> Verdict {
        if !matches!(result.raw.kind(), Kind::Object | Kind::Array) {
            return self.conclude(Ending::Malformed, Gathered::on(Ground::Malformed), None);
        }
        let rule = &self.rulebook.metadata;
        let blocks = counting_blocks(result, rule);
        let has_content = result.content.is_truthy();
        let wanted = match rule.on {
            MetadataOn::Always => true,
            MetadataOn::WithContent => has_content,
            MetadataOn::Ok => !result.is_error && !result.content.blocks().is_empty(),
        };
        let mut found = metadata(result, blocks, rule);
        if (!result.is_error || self.rulebook.schema.on_errors)
            && let Some(schema) = self.prepare(&exchange.tool).schema.clone()
        {
            found.output_schema = check_output(&schema, result, blocks, &self.rulebook.schema);
        }
        if result.is_error {
            let text = error_text(result, &self.rulebook.text);
            let subject = ErrorSubject { text: &text, code: "" };
            return self.judge_error(exchange, &subject, wanted.then_some(found));
        }
        self.judge_success(exchange, result, (found, wanted))
    }

    fn judge_error(
        &mut self,
        exchange: &Exchange<'_>,
        subject: &ErrorSubject<'_>,
        metadata: Option<ResponseMetadata>,
    ) -> Verdict {
        let rulebook = self.rulebook;
        let judgement = self.question(exchange, subject, Observing::Errors);
        let facts = judgement.facts;
        let ruled = self.ruled(facts);
        let (kind, ground) = if subject.text.is_empty() && subject.code.is_empty() {
            let business_logic = ruled.decided.business_logic;
            let end = rulebook.end_of_error(Says::Nothing, business_logic, facts);
            (end, Ground::SilentError)
        } else {
            (ruled.end, Ground::Error)
        };
        let gathered = Gathered {
            ground,
            is_error: true,
            judgement: Some(judgement),
            hidden_failure: None,
            error_kind: ruled.error_kind,
            metadata,
        };
        let shown = cut_utf16(subject.text, rulebook.text.evidence_units);
        self.conclude(kind, gathered, Some(&shown))
    }

    fn judge_success(
        &mut self,
        exchange: &Exchange<'_>,
        result: &CallResult<'_>,
        (metadata, wanted): (ResponseMetadata, bool),
    ) -> Verdict {
        let mut gathered = Gathered::on(Ground::Content);
        let kind = match &result.content {
            content if !content.is_truthy() => {
                gathered.ground = Ground::NoContent;
                Ending::NoContent
            }
            Content::Blocks { blocks, .. } if !blocks.as_slice().is_empty() => {
                let hidden = self.look_for_hidden_failure(exchange, result, &mut gathered);
                let schema = metadata.output_schema.as_ref().map(|schema| schema.outcome);
                self.rulebook.end_of_content(hidden, schema)
            }
            Content::Blocks { .. } | Content::Other(_) | Content::Absent => {
                gathered.ground = Ground::EmptyContent;
                Ending::EmptyContent
            }
        };
        if self.rulebook.errors.question == Question::All {
            let text = error_text(result, &self.rulebook.text);
            let subject = ErrorSubject { text: &text, code: "" };
            // Whether the failure is hidden is settled; what is shown is what the question rests on.
            gathered.judgement = Some(self.question(exchange, &subject, Observing::Successes));
        }
        let complaint = metadata.output_schema.as_ref().and_then(|schema| schema.error.clone());
        let schema_issue = schema_issue(&metadata, exchange);
        let refused = metadata.output_schema.as_ref().filter(|schema| schema.outcome.is_refusal());
        let outcome = refused.map(|schema| schema.outcome);
        let pointer = refused.and_then(|schema| schema.pointer.clone());
        gathered.metadata = wanted.then_some(metadata);
        let mut verdict = self.conclude(kind, gathered, complaint.as_deref());
        if kind == Ending::SchemaFailed
            && let Some(issue) = verdict.issues.first_mut()
        {
            issue.location = root_of(pointer);
            issue.kind = refusal_kind(issue.kind, outcome);
        }
        verdict.issues.extend(schema_issue);
        verdict
    }

    /// Asks the rulebook whether an error is business logic.
    fn question(
        &mut self,
        exchange: &Exchange<'_>,
        subject: &ErrorSubject<'_>,
        which: Observing,
    ) -> Judgement {
        let (facts, hits) = self.observe(exchange, subject, which);
        let decided = self.ruled(facts).decided;
        Judgement {
            business_logic: Some(decided.business_logic),
            score: decided.score,
            threshold: decided.threshold,
            decision: decided.line,
            facts,
            hits,
        }
    }

    /// What the rulebook makes of the facts about an error.
    fn ruled(&mut self, facts: FactSet) -> Ruled {
        let rulebook = self.rulebook;
        self.ruled.get(facts, || {
            let decided = rulebook.decide(facts);
            let end = rulebook.end_of_error(Says::Something, decided.business_logic, facts);
            Ruled { decided, error_kind: rulebook.error_kind(facts), end }
        })
    }

    fn look_for_hidden_failure(
        &mut self,
        exchange: &Exchange<'_>,
        result: &CallResult<'_>,
        gathered: &mut Gathered,
    ) -> bool {
        let rulebook = self.rulebook;
        if rulebook.hidden_failure.is_none() {
            return false;
        }
        let text = success_text(result, &rulebook.text);
        let subject = ErrorSubject { text: &text, code: "" };
        let (facts, hits) = self.observe(exchange, &subject, Observing::Successes);
        let Hidden { failure, error_kind } = self.hidden.get(facts, || {
            let failure = rulebook.hides_failure(facts);
            let is_hidden = failure == Some(true);
            let error_kind = if is_hidden { rulebook.error_kind(facts) } else { None };
            Hidden { failure, error_kind }
        });
        gathered.hidden_failure = failure;
        gathered.error_kind = error_kind;
        gathered.judgement = Some(Judgement {
            business_logic: None,
            score: 0.0,
            threshold: None,
            decision: None,
            facts,
            hits,
        });
        failure == Some(true)
    }

    fn observe(
        &mut self,
        exchange: &Exchange<'_>,
        subject: &ErrorSubject<'_>,
        which: Observing,
    ) -> (FactSet, Vec<crate::verdict::Hit>) {
        let rulebook = self.rulebook;
        let subject = Subject {
            text: subject.text,
            tool: &exchange.tool.name,
            input: exchange.input.as_ref().map_or("", |input| input.raw().text()),
            scenario: exchange.scenario.as_deref().unwrap_or_default(),
            code: subject.code,
        };
        let prepared = self.prepare(&exchange.tool);
        let observation = rulebook.observe_with(&subject, &prepared.facts, which);
        (observation.facts, observation.hits)
    }

    fn prepare(&mut self, tool: &Arc<Tool>) -> &Prepared {
        let address = Arc::as_ptr(tool).addr();
        if !self.prepared.contains_key(&address) {
            if self.held >= MAX_PREPARED {
                self.prepared.clear();
                self.held = 0;
            }
            self.held += tool.bytes();
        }
        let (rulebook, schemas) = (self.rulebook, self.schemas);
        let prepared = self.prepared.entry(address).or_insert_with(|| Prepared {
            tool: Arc::clone(tool),
            facts: rulebook.tool_facts(&tool.name),
            schema: tool.output_schema.as_deref().map(|schema| schemas.get(schema)),
        });
        debug_assert!(
            Arc::ptr_eq(&prepared.tool, tool),
            "an address names one tool while it is kept"
        );
        prepared
    }

    fn conclude(&self, kind: Ending, gathered: Gathered, error: Option<&str>) -> Verdict {
        let outcome = self.rulebook.meaning(kind);
        let score = gathered.judgement.as_ref().map_or(0.0, |judgement| judgement.score);
        let issues = outcome.issue.iter().map(|wording| wording.issue(error.unwrap_or_default()));
        Verdict {
            ground: gathered.ground,
            classification: outcome.classification,
            confidence: self.rulebook.confidence(kind, score),
            is_valid: outcome.is_valid,
            is_error: gathered.is_error,
            judgement: gathered.judgement,
            hidden_failure: gathered.hidden_failure,
            error_kind: gathered.error_kind,
            issues: issues.collect(),
            metadata: gathered.metadata,
            checks: 0,
            quality: None,
            unlisted: Vec::new(),
            passed_criteria: Vec::new(),
            failed_criteria: Vec::new(),
            sanitized: None,
        }
    }
}

impl Gathered {
    fn on(ground: Ground) -> Self {
        Self {
            ground,
            is_error: false,
            judgement: None,
            hidden_failure: None,
            error_kind: None,
            metadata: None,
        }
    }
}

/// What there is to say about the schema itself.
fn schema_issue(metadata: &ResponseMetadata, exchange: &Exchange<'_>) -> Option<Issue> {
    let schema = metadata.output_schema.as_ref()?;
    let reason = schema.error.as_deref().unwrap_or_default();
    let tool = &exchange.tool.name;
    let (severity, kind, message, suggestion) = match schema.outcome {
        SchemaOutcome::Uncompilable => (
            Severity::Warning,
            IssueType::SchemaUncompilable,
            format!("The output schema of tool '{tool}' cannot be used: {reason}"),
            "Correct the tool's outputSchema; until then its replies are not held against it",
        ),
        SchemaOutcome::Undecided => (
            Severity::Info,
            IssueType::SchemaUndecided,
            format!("The output schema of tool '{tool}' could not be evaluated: {reason}"),
            "Simplify the pattern in the tool's outputSchema",
        ),
        SchemaOutcome::Valid | SchemaOutcome::Invalid | SchemaOutcome::NoJson => return None,
    };
    Some(Issue {
        severity,
        kind,
        message: Issue::cut(message),
        location: Some("tool:outputSchema".to_owned()),
        suggestion: Some(suggestion.to_owned()),
    })
}
