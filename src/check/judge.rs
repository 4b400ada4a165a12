//! Judges one call, as the rulebook says.

use super::checks::Checks;
use super::content::{check_output, counting_blocks, metadata};
use super::judged_text::{cut_utf16, error_text, rpc_error_text, success_text, whole_text};
use super::schema::{CompiledSchema, Schemas};
use super::table::{CHECKS, CheckContext, Findings};
use super::unwrapped::Inner;
use crate::json::{Kind, Scanner};
use crate::recording::{CallResult, Content, Exchange, ExchangeKind, Fate, Reply, Shape, Tool};
use crate::rulebook::{MetadataOn, Observing, Question, Rulebook, Subject, ToolSignals};
use crate::verdict::{
    Answer, CheckResults, Conclusion, Ending, ErrorIn, Ground, IsError, Issue, IssueType,
    Observation, Observed, OutputSchemaValidation, Raised, ResponseMetadata, SchemaOutcome,
    Severity, SignalSet, Signals, Verdict,
};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of tools kept prepared before starting anew; hostile recordings could name any number.
const MAX_PREPARED: usize = 8 << 20;
/// How many names of a call's arguments are kept, and how many bytes of each.
const MOST_NAMES: usize = 100;
const LONGEST_NAME: usize = 128;

/// Judges exchanges under one rulebook. Each thread has its own; they share the schemas.
pub struct Judge<'r> {
    rulebook: &'r Rulebook,
    schemas: &'r Schemas,
    checks: Arc<Checks>,
    prepared: HashMap<usize, Prepared>,
    held: usize,
    conclusions: Memo<Observed, Conclusion>,
    /// Whether texts that were observed as successes' are asked what errors are asked too, by their signals.
    asks_on: Memo<SignalSet, bool>,
}

/// What is worked out once for each tool.
struct Prepared {
    /// Keeps the tool alive, so that its address stays its name.
    tool: Arc<Tool>,
    signals: ToolSignals,
    schema: Option<Arc<CompiledSchema>>,
}

/// What there is to see of a reply before anything is concluded.
struct ReplyEvidence<'a> {
    ground: Ground,
    is_error: IsError,
    observation: Option<Observation>,
    hidden_observation: Option<Box<Observation>>,
    metadata: Option<ResponseMetadata>,
    /// What the output schema says, even of replies whose metadata is not kept.
    schema: Option<SchemaOutcome>,
    /// The text of the question, where one was asked: it is the one that is kept.
    text: Option<Cow<'a, str>>,
    /// What is quoted: what a schema has to say, or the beginning of a text. Of an error it is the text that was judged
    /// where there is nothing here.
    quote: Option<String>,
    /// JSON pointer to the value that a schema refuses.
    pointer: Option<String>,
}

impl<'r> Judge<'r> {
    #[must_use]
    pub fn new(rulebook: &'r Rulebook, schemas: &'r Schemas) -> Self {
        let checks = Arc::new(Checks::of_rulebook(rulebook));
        let (conclusions, asks_on) = Default::default();
        Self { rulebook, schemas, checks, prepared: HashMap::new(), held: 0, conclusions, asks_on }
    }

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

    pub fn judge(&mut self, exchange: &Exchange<'_>) -> Verdict {
        self.judge_with_text(exchange).0
    }

    /// The verdict, and the text that was judged, as `judged_text` has it, where the judge needed one.
    pub fn judge_with_text<'a>(
        &mut self,
        exchange: &Exchange<'a>,
    ) -> (Verdict, Option<Cow<'a, str>>) {
        let Some(inner) = Inner::of(exchange, self.rulebook) else {
            return self.judge_as_it_is(exchange);
        };
        let (verdict, text) = self.judge_as_it_is(&inner.reply_of(exchange));
        let text = text.map(|text| text.into_owned().into());
        (Verdict { is_unwrapped: true, ..verdict }, text)
    }

    fn judge_as_it_is<'a>(&mut self, exchange: &Exchange<'a>) -> (Verdict, Option<Cow<'a, str>>) {
        let seen = self.look(exchange);
        let mut observed = seen.observed();
        observed.fate = exchange.fate;
        // What a host left out of a reply says nothing of the server.
        if exchange.is_derived() && observed.fate == Fate::Settled && seen.ground.is_bare() {
            observed.fate = Fate::NotRecorded;
        }
        let mut conclusion = self.conclude(&observed);
        let mut findings = Findings::default();
        let around =
            CheckContext { checks: &self.checks, conclusion: &conclusion, is_error: seen.is_error };
        let checks = CheckResults(
            CHECKS.each_ref().map(|check| check.check(exchange, &around, &mut findings)),
        );
        findings.issues.extend(unknown_result_type(exchange));
        observed.errors = ErrorIn::of(&findings.issues);
        if exchange.kind == ExchangeKind::JudgeResult {
            observed.stated = findings.confidence.map(|share| share * 100.0);
        }
        if observed.errors != ErrorIn::Nothing || observed.stated.is_some() {
            conclusion = self.conclude(&observed);
        }
        let mut issues = self.raised_issues(exchange, &conclusion, &seen);
        let before = issues.len();
        let Findings { issues: found, mut reported, quality, passed, failed, sanitized, .. } =
            findings;
        if issues.is_empty() {
            issues = found;
        } else {
            issues.extend(found);
        }
        for issue in &mut reported {
            issue.place += before;
        }
        let parameter_keys = if issues.is_empty() { None } else { parameter_keys(exchange) };
        let verdict = Verdict {
            ground: seen.ground,
            fate: observed.fate,
            is_error: seen.is_error,
            is_unwrapped: false,
            conclusion,
            observation: seen.observation,
            hidden_observation: seen.hidden_observation,
            issues,
            metadata: seen.metadata,
            checks,
            quality: quality.filter(|_| exchange.kind == ExchangeKind::JudgeResult),
            reported,
            passed_criteria: passed,
            failed_criteria: failed,
            parameter_keys,
            sanitized: sanitized.map(Box::new),
        };
        (verdict, seen.text)
    }

    fn conclude(&mut self, observed: &Observed) -> Conclusion {
        let schema = observed.schema.map_or(0, |schema| schema as u128 + 1);
        let number =
            observed.signals.of_question().0 ^ (observed.ground as u128 | schema << 4) << 120;
        self.conclusions.get(*observed, number, || self.rulebook.conclude(observed))
    }

    /// Whether a text that was observed as a success's has to be asked what errors are asked too.
    fn asks_on(&mut self, signals: SignalSet) -> bool {
        let work_out = || self.rulebook.asks_on(Some(Observing::Successes), signals);
        self.asks_on.get(signals, signals.0, work_out)
    }

    fn look<'a>(&mut self, exchange: &Exchange<'a>) -> ReplyEvidence<'a> {
        match &exchange.reply {
            Reply::Document(_) => ReplyEvidence::of(Ground::Document),
            Reply::None if exchange.kind != ExchangeKind::ToolCall => {
                ReplyEvidence::of(Ground::Document)
            }
            Reply::None => ReplyEvidence::of(Ground::NoReply),
            Reply::Error(error) => self.look_at_error(exchange, rpc_error_text(error), &error.code),
            Reply::Result(result) => self.look_at_result(exchange, result),
        }
    }

    fn look_at_result<'a>(
        &mut self,
        exchange: &Exchange<'_>,
        result: &CallResult<'a>,
    ) -> ReplyEvidence<'a> {
        let is_whole = matches!(result.raw.kind(), Kind::Object | Kind::Array);
        if !is_whole && result.content.blocks().is_empty() {
            return ReplyEvidence::of(Ground::Malformed);
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
        // Hosts change results before they write them down: no schema is about those.
        if (!result.is_error || self.rulebook.schema.on_errors)
            && !exchange.is_derived()
            && let Some(schema) = self.prepare(&exchange.tool).schema.clone()
        {
            found.output_schema = check_output(&schema, result, blocks, &self.rulebook.schema);
        }
        let seen = if result.is_error {
            let text = error_text(result, &self.rulebook.text);
            self.look_at_error(exchange, text, &result.stated_code())
        } else {
            self.look_at_success(exchange, result, found.output_schema.as_ref())
        };
        ReplyEvidence { metadata: wanted.then_some(found), ..seen }
    }

    fn look_at_error<'a>(
        &mut self,
        exchange: &Exchange<'_>,
        text: Cow<'a, str>,
        code: &str,
    ) -> ReplyEvidence<'a> {
        let is_silent = text.is_empty() && code.is_empty();
        ReplyEvidence {
            is_error: IsError::Yes,
            observation: Some(self.observe(exchange, &text, code, Observing::Errors)),
            text: Some(text),
            ..ReplyEvidence::of(if is_silent { Ground::SilentError } else { Ground::Error })
        }
    }

    fn look_at_success<'a>(
        &mut self,
        exchange: &Exchange<'_>,
        result: &CallResult<'a>,
        schema: Option<&OutputSchemaValidation>,
    ) -> ReplyEvidence<'a> {
        let mut seen = ReplyEvidence::of(match &result.content {
            content if !content.is_truthy() => Ground::NoContent,
            Content::Other(_) => Ground::NoArray,
            content if content.blocks().is_empty() => match result.structured {
                Some(_) => Ground::StructuredContent,
                None => Ground::EmptyContent,
            },
            content
                if !exchange.is_derived()
                    && content.blocks().iter().any(|block| block.malformation().is_some()) =>
            {
                Ground::MalformedContent
            }
            _ => Ground::Content,
        });
        if self.rulebook.taken_for(seen.ground).has_content()
            && self.rulebook.hidden_failure.is_some()
        {
            let mut text = success_text(result, &self.rulebook.text);
            let mut observation = self.observe(exchange, &text, "", Observing::Successes);
            if self.asks_on(observation.signals) {
                // The reason may stand further on. What stands there may excuse the reply too, but not undo what it began with.
                let whole = whole_text(result, &self.rulebook.text);
                let both = Observing::HiddenFailures;
                observation = self.observe(exchange, &whole, "", both);
                if !self.asks_on(observation.signals) {
                    observation = self.observe(exchange, &text, "", both);
                }
                text = whole;
            }
            seen.observation = Some(observation);
            seen.text = Some(text);
        }
        if self.rulebook.errors.question == Question::All {
            let text = error_text(result, &self.rulebook.text);
            let of_question = self.observe(exchange, &text, "", Observing::Successes);
            seen.hidden_observation = seen.observation.replace(of_question).map(Box::new);
            seen.text = Some(text);
        }
        if exchange.is_error_unknown() {
            seen.is_error = IsError::NotRecorded;
            // A text that says that it failed may have been flagged as an error, and is asked what errors are asked.
            if self.conclude(&seen.observed()).hidden_failure() == Some(true) {
                let text = error_text(result, &self.rulebook.text);
                let quote = cut_utf16(&text, self.rulebook.text.evidence_units).to_owned();
                let as_error = self.look_at_error(exchange, text, "");
                let (is_error, quote) = (IsError::NotRecorded, Some(quote));
                return ReplyEvidence { is_error, text: seen.text, quote, ..as_error };
            }
        }
        seen.schema = schema.map(|schema| schema.outcome);
        seen.quote = schema.and_then(|schema| schema.error.clone());
        let refused = schema.filter(|schema| schema.outcome.is_refusal());
        seen.pointer = refused.and_then(|schema| schema.pointer.clone());
        seen
    }

    fn observe(
        &mut self,
        exchange: &Exchange<'_>,
        text: &str,
        code: &str,
        which: Observing,
    ) -> Observation {
        let rulebook = self.rulebook;
        let subject = Subject {
            text,
            tool: &exchange.tool.name,
            input: exchange.input.as_ref().map_or("", |input| input.raw().text()),
            scenario: exchange.scenario.as_deref().unwrap_or_default(),
            code,
        };
        rulebook.observe_with(&subject, &self.prepare(&exchange.tool).signals, which)
    }

    fn prepare(&mut self, tool: &Arc<Tool>) -> &Prepared {
        if self.held >= MAX_PREPARED && !self.prepared.contains_key(&Arc::as_ptr(tool).addr()) {
            self.prepared.clear();
            self.held = 0;
        }
        let Self { rulebook, schemas, prepared, held, .. } = self;
        let prepared = prepared.entry(Arc::as_ptr(tool).addr()).or_insert_with(|| {
            *held += tool.bytes();
            Prepared {
                tool: Arc::clone(tool),
                signals: rulebook.tool_signals(&tool.name),
                schema: tool.output_schema.as_deref().map(|schema| schemas.get(schema)),
            }
        });
        debug_assert!(
            Arc::ptr_eq(&prepared.tool, tool),
            "an address names one tool while it is kept"
        );
        prepared
    }

    fn raised_issues(
        &self,
        exchange: &Exchange<'_>,
        conclusion: &Conclusion,
        seen: &ReplyEvidence<'_>,
    ) -> Vec<Issue> {
        let of_error = seen.text.as_deref().filter(|_| seen.is_error.is_yes());
        let of_error = of_error.map(|text| cut_utf16(text, self.rulebook.text.evidence_units));
        let quote = seen.quote.as_deref().or(of_error).unwrap_or_default();
        let hidden = self.hidden_quote(exchange, conclusion.ending);
        let wording = self.rulebook.meaning(conclusion.ending).issue.as_ref();
        let of_ending = conclusion.ending_issue.zip(wording).map(|(raised, wording)| {
            let location = match conclusion.ending {
                Ending::SchemaFailed => seen.pointer.as_deref().map(|it| match it {
                    "" => "root".to_owned(),
                    pointer => pointer.to_owned(),
                }),
                _ => None,
            };
            Issue { location, ..wording.issue(raised, hidden.as_deref().unwrap_or(quote)) }
        });
        let of_schema = conclusion.schema_issue.map(|raised| schema_issue(raised, exchange, quote));
        let of_content =
            conclusion.content_issue.and_then(|raised| malformed_content(raised, exchange));
        let of_flag = conclusion.flag_issue.map(|raised| flag_issue(raised, conclusion));
        of_ending.into_iter().chain(of_flag).chain(of_content).chain(of_schema).collect()
    }

    /// The beginning of a reply that claims success and says that it failed.
    fn hidden_quote(&self, exchange: &Exchange<'_>, ending: Ending) -> Option<String> {
        let rule = &self.rulebook.text;
        match (&exchange.reply, ending) {
            (Reply::Result(result), Ending::HiddenFailure | Ending::HiddenRefusal) => {
                Some(cut_utf16(&success_text(result, rule), rule.evidence_units).to_owned())
            }
            _ => None,
        }
    }
}

impl ReplyEvidence<'_> {
    fn of(ground: Ground) -> Self {
        Self {
            ground,
            is_error: IsError::No,
            observation: None,
            hidden_observation: None,
            metadata: None,
            schema: None,
            text: None,
            quote: None,
            pointer: None,
        }
    }

    fn observed(&self) -> Observed {
        let signals = |observation: &Observation| observation.signals;
        let question: SignalSet = self.observation.as_ref().map(signals).unwrap_or_default();
        let signals = match &self.hidden_observation {
            None => Signals::Of(question),
            Some(hidden) => Signals::OfBoth { question, hidden: hidden.signals },
        };
        Observed { schema: self.schema, ..Observed::new(self.ground, signals) }
    }
}

/// What is to be said of a reply whose flag is missing.
fn flag_issue(Raised { severity, kind }: Raised, conclusion: &Conclusion) -> Issue {
    let refused = conclusion.judgement.answer == Answer::HiddenRefusal;
    let what = if refused { "refuses the request" } else { "reports a failure" };
    Issue {
        suggestion: Some(kind.suggestion().to_owned()),
        ..Issue::new(severity, kind, format!("The reply {what}, but isError is not set"))
    }
}

/// The first element of the content that is not a content block, and why.
fn malformed_content(Raised { severity, kind }: Raised, exchange: &Exchange<'_>) -> Option<Issue> {
    let Reply::Result(result) = &exchange.reply else { return None };
    let mut blocks = result.content.blocks().iter().enumerate();
    let (at, why) = blocks.find_map(|(at, block)| Some((at, block.malformation()?)))?;
    Some(Issue {
        location: Some(format!("/content/{at}")),
        suggestion: Some(kind.suggestion().to_owned()),
        ..Issue::new(severity, kind, format!("Element {at} of the reply's content {why}"))
    })
}

/// The issue of a result of which the protocol does not say what it is.
fn unknown_result_type(exchange: &Exchange<'_>) -> Option<Issue> {
    let Reply::Result(result) = &exchange.reply else { return None };
    let Shape::Unknown(named) = result.shape else { return None };
    let kind = IssueType::UnknownResultType;
    let why = "is neither of the protocol nor of an extension that the server announced";
    let message = format!("The reply's resultType {} {why}", named.text());
    Some(Issue {
        location: Some("/resultType".to_owned()),
        suggestion: Some(kind.suggestion().to_owned()),
        ..Issue::new(Severity::Error, kind, message)
    })
}

/// The words for an issue about the schema itself.
fn schema_issue(Raised { severity, kind }: Raised, exchange: &Exchange<'_>, why: &str) -> Issue {
    let tool = &exchange.tool.name;
    let (what, suggestion) = match kind {
        IssueType::SchemaUndecided => {
            ("could not be evaluated", "Simplify the pattern in the tool's outputSchema")
        }
        _ => (
            "cannot be used",
            "Correct the tool's outputSchema; until then its replies are not validated",
        ),
    };
    let message = format!("The output schema of tool '{tool}' {what}: {why}");
    Issue {
        location: Some("tool:outputSchema".to_owned()),
        suggestion: Some(suggestion.to_owned()),
        ..Issue::new(severity, kind, message)
    }
}

/// The names of the arguments of a call, at most the first 100; `None` where they are no object.
pub(super) fn parameter_keys(exchange: &Exchange<'_>) -> Option<Vec<String>> {
    let input = exchange.input.as_ref().filter(|_| exchange.kind == ExchangeKind::ToolCall)?;
    let mut names = Vec::new();
    let object = Scanner::trusted(input.raw().text()).object(|inner, name| {
        if names.len() < MOST_NAMES {
            names.push(match name.decode_up_to(2 * LONGEST_NAME) {
                long if long.len() > LONGEST_NAME => {
                    format!("{}…", &long[..long.floor_char_boundary(LONGEST_NAME)])
                }
                name => name.into_owned(),
            });
        }
        inner.value().map(drop)
    });
    object.is_ok().then_some(names)
}

/// How many answers a [`Memo`] keeps. One takes the place of another that falls on it.
const KEPT: usize = 1 << 8;

/// What is met again, with what came of it: most replies are like others.
pub(crate) struct Memo<Q, A> {
    kept: Box<[Option<(Q, A)>]>,
}

impl<Q: Copy + PartialEq, A: Copy> Memo<Q, A> {
    /// The answer to a question, which must depend on nothing else. The number tells most questions apart.
    pub(crate) fn get(&mut self, question: Q, number: u128, work_out: impl FnOnce() -> A) -> A {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        let kept = &mut self.kept[(mixed >> 120) as usize % KEPT];
        match kept {
            Some((known, answer)) if *known == question => *answer,
            Some(_) | None => kept.insert((question, work_out())).1,
        }
    }
}

impl<Q: Copy, A: Copy> Default for Memo<Q, A> {
    fn default() -> Self {
        Self { kept: vec![None; KEPT].into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_and_never_given_to_another_question() {
        let mut memo = Memo::default();
        let mut asked = 0;
        for question in [0_u128, 1, 7, 1 << 64, u128::MAX >> 1].into_iter().cycle().take(10) {
            let work_out = || {
                asked += 1;
                !question
            };
            assert_eq!(memo.get(question, question, work_out), !question);
        }
        assert_eq!(asked, 5);
        let mut asked = 0;
        for question in (0..10_000).chain(0..10_000) {
            let work_out = || {
                asked += 1;
                !question
            };
            assert_eq!(memo.get(question, question << 40, work_out), !question);
        }
        assert!(asked > 10_000, "more than are kept");
    }
}
