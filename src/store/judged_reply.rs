//! What verdicts have in common: a batch keeps each distinct one once, and its rows hold a number. Which patterns hit
//! varies most and says least, so verdicts that differ in nothing else share all but that.

use super::named::Legend;
use super::texts::NONE;
use crate::check::judge_result::{Decision, Interpretation, confidence, decision, interpretation};
use crate::count::{CountedIssue, CountedOnce};
use crate::recording::{Exchange, ExchangeKind, Reply, ReplyKind};
use crate::verdict::{
    Classification, Conclusion, ErrorIn, Hit, IsError, Judgement, Observation, Outcome,
    OutputSchemaValidation, ResponseMetadata, Severities, SignalSet, Verdict, Weighing,
};
use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;

/// A verdict without its hits, and what it depends on of its exchange. Of equal ones, issues may be worded differently.
#[derive(Clone, Debug)]
pub(super) struct JudgedReply {
    pub(super) kind: ExchangeKind,
    pub(super) reply: ReplyKind,
    pub(super) error_code: Option<String>,
    pub(super) verdict: Verdict,
    pub(super) severities: Severities,
}

impl JudgedReply {
    pub(super) fn of(exchange: &Exchange<'_>, judged: &Verdict) -> Self {
        let mut verdict = judged.clone();
        if let Some(observation) = &mut verdict.observation {
            observation.hits.clear();
        }
        verdict.hidden_observation = None;
        Self {
            kind: exchange.kind,
            reply: judged_kind(exchange, judged),
            error_code: error_code(exchange).map(str::to_owned),
            severities: Severities::of(&verdict.issues),
            verdict,
        }
    }

    pub(super) fn output_schema(&self) -> Option<&OutputSchemaValidation> {
        output_schema(&self.verdict)
    }

    pub(super) fn metadata(&self) -> Option<&ResponseMetadata> {
        self.verdict.metadata.as_ref()
    }

    /// 0 to 1: as recorded, or what the issues leave.
    pub(super) fn quality(&self, legend: &Legend) -> f64 {
        self.verdict.quality.unwrap_or_else(|| legend.quality.score(self.severities))
    }

    /// 0 to 1.
    pub(super) fn confidence(&self) -> f64 {
        confidence(&self.verdict)
    }

    /// Whether a reply that reports a failure or a refusal says so by `isError`.
    pub(super) fn is_flagged(&self) -> Option<bool> {
        let verdict = &self.verdict;
        let outcome = verdict.conclusion.judgement.outcome;
        let is_report = verdict.ground.claims_success().is_some()
            && matches!(outcome, Outcome::Refused | Outcome::Failed);
        verdict.is_error.flag().filter(|_| is_report)
    }

    pub(super) fn has_no_error(&self) -> bool {
        self.severities.errors == 0
    }

    pub(super) fn decision(&self) -> Decision {
        decision(self.has_no_error(), self.confidence(), self.severities.warnings)
    }

    pub(super) fn interpretation(&self, legend: &Legend) -> Interpretation {
        interpretation(self.has_no_error(), self.confidence(), self.quality(legend))
    }

    pub(super) fn looked_at(&self, legend: &Legend) -> SignalSet {
        let Verdict { ground, conclusion, .. } = &self.verdict;
        match (ground.is_error(), conclusion.hidden_failure()) {
            (true, _) => legend.error_signals,
            (false, Some(true)) => SignalSet(legend.error_signals.0 | legend.success_signals.0),
            (false, _) => legend.success_signals,
        }
    }

    /// The signals that hold, of those that were looked for.
    pub(super) fn signals(&self, legend: &Legend) -> SignalSet {
        let signals =
            self.verdict.observation.as_ref().map_or(0, |observation| observation.signals.0);
        SignalSet(signals & self.looked_at(legend).0)
    }

    /// The class and confidence by which a tool's status goes: a reply that is bad by its checks alone counts as one
    /// that breaks its output schema.
    fn standing(&self, legend: &Legend) -> (Classification, f64) {
        let Verdict { fate, ground, conclusion, .. } = &self.verdict;
        let (answer, schema) = (conclusion.judgement.answer, self.verdict.schema());
        let unchecked = Outcome::of(*fate, *ground, answer, schema, ErrorIn::Nothing);
        let own = (conclusion.judgement.class, conclusion.confidence);
        let is_by_checks = conclusion.judgement.outcome.is_bad() && !unchecked.is_bad();
        if is_by_checks && own.0 < legend.schema_failed.0 { legend.schema_failed } else { own }
    }

    pub(super) fn counted_once(&self, issues: &[CountedIssue], legend: &Legend) -> CountedOnce {
        let of_reply = (self.reply, self.signals(legend));
        CountedOnce::of(&self.verdict, of_reply, self.standing(legend), issues, &legend.overall)
    }
}

/// The kind of the reply that was judged, which may have come inside another.
fn judged_kind(exchange: &Exchange<'_>, verdict: &Verdict) -> ReplyKind {
    let is_inner_error = verdict.is_unwrapped && verdict.is_error == IsError::Yes;
    if is_inner_error { ReplyKind::ToolError } else { exchange.reply.kind() }
}

fn error_code<'e>(exchange: &'e Exchange<'_>) -> Option<&'e str> {
    match &exchange.reply {
        Reply::Error(error) if !error.code.is_empty() => Some(&error.code),
        Reply::Error(_) | Reply::Result(_) | Reply::Document(_) | Reply::None => None,
    }
}

fn output_schema(verdict: &Verdict) -> Option<&OutputSchemaValidation> {
    verdict.metadata.as_ref().and_then(|metadata| metadata.output_schema.as_ref())
}

/// A verdict by its parts.
#[derive(Clone, Debug)]
pub(super) struct VerdictParts {
    /// What it is without its hits, by its number.
    pub(super) shape: u32,
    /// The patterns that hit, in the rulebook's order.
    pub(super) hits: Vec<u16>,
}

/// Appends bytes that differ where judged replies do; where equal ones differ, it costs an entry.
fn write_print(exchange: &Exchange<'_>, verdict: &Verdict, out: &mut Vec<u8>) {
    // All of it, so that a new part cannot be forgotten here.
    let Verdict {
        ground,
        fate,
        is_error,
        is_unwrapped: _,
        conclusion,
        observation,
        hidden_observation: _,
        issues,
        metadata,
        checks: _,
        quality,
        reported,
        passed_criteria,
        failed_criteria,
        parameter_keys: _,
        sanitized: _,
    } = verdict;
    let Conclusion {
        ending,
        judgement: Judgement { outcome, class, answer },
        confidence,
        is_valid,
        success_answer,
        weighing,
        certainty,
        error_kind,
        who: _,
        ending_issue: _,
        flag_issue: _,
        content_issue: _,
        schema_issue: _,
    } = conclusion;
    out.extend_from_slice(&[
        exchange.kind as u8,
        judged_kind(exchange, verdict) as u8,
        *ground as u8,
        *fate as u8,
        *is_error as u8,
        *ending as u8,
        *class as u8,
        u8::from(*is_valid),
        *answer as u8,
        success_answer.map_or(2, u8::from),
        *outcome as u8,
        u8::from(metadata.is_some()),
        u8::from(observation.is_some()),
    ]);
    let parts = |Weighing { score, threshold, line }| (Some(score), threshold, line);
    let (score, threshold, line) = weighing.map(parts).unwrap_or_default();
    out.extend_from_slice(&error_kind.unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(&line.unwrap_or(u16::MAX).to_le_bytes());
    let shares = [Some(*confidence), *quality, score, threshold, certainty.map(|it| it.value)];
    let shares = shares.map(|share| share.unwrap_or(f64::NAN).to_le_bytes());
    out.extend_from_slice(shares.as_flattened());
    let found = |it: &Observation| (it.signals.0, it.hits_left_out);
    let (signals, hits_left_out) = observation.as_ref().map(found).unwrap_or_default();
    out.extend_from_slice(&signals.to_le_bytes());
    out.push(u8::from(hits_left_out));
    // What follows is as long as it likes, so it begins with its length or ends with what cannot be in it.
    out.extend_from_slice(&issues.len().to_le_bytes());
    for issue in issues {
        out.push(issue.severity as u8);
        out.extend_from_slice(issue.kind.name().as_bytes());
        out.push(u8::MAX);
    }
    let mut text = |text: &str| {
        out.extend_from_slice(text.as_bytes());
        out.push(u8::MAX);
    };
    for kind in metadata.iter().flat_map(|metadata| &metadata.content_types) {
        text(kind);
    }
    for name in reported.iter().filter_map(|issue| issue.name.as_deref()) {
        text(name);
    }
    for criteria in [passed_criteria, failed_criteria] {
        text("");
        for name in criteria {
            text(name);
        }
    }
    text(error_code(exchange).unwrap_or_default());
    if let Some(metadata) = metadata {
        out.push(u8::from(metadata.has_structured_content) | u8::from(metadata.has_meta) << 1);
    }
    if let Some(schema) = output_schema(verdict) {
        out.push(schema.outcome as u8);
        out.extend_from_slice(&schema.key.to_le_bytes());
        out.extend_from_slice(schema.keyword.as_deref().unwrap_or_default().as_bytes());
    }
}

/// The distinct verdicts of a batch.
#[derive(Debug, Default)]
pub(super) struct JudgedReplies {
    shapes: Printed<JudgedReply>,
    found: Printed<VerdictParts>,
    print: Vec<u8>,
}

impl JudgedReplies {
    /// The number of a verdict, which is added where it is new.
    pub(super) fn number_of(&mut self, exchange: &Exchange<'_>, verdict: &Verdict) -> u32 {
        let Self { shapes, found, print } = self;
        print.clear();
        write_print(exchange, verdict, print);
        let shape = shapes.number_of(print, || JudgedReply::of(exchange, verdict));
        print.clear();
        print.extend_from_slice(&shape.to_le_bytes());
        for Hit { pattern, .. } in verdict.observation.iter().flat_map(|it| &it.hits) {
            print.extend_from_slice(&pattern.to_le_bytes());
        }
        let hits = || verdict.observation.as_ref().map(Observation::patterns).unwrap_or_default();
        found.number_of(print, || VerdictParts { shape, hits: hits().into_vec() })
    }

    /// Adds those of another batch; returns the number that each of them has here.
    pub(super) fn absorb(&mut self, other: &Self) -> Vec<u32> {
        let Self { shapes, found, print } = self;
        let all = other.shapes.known.iter();
        let here: Vec<u32> =
            all.map(|(print, judged)| shapes.number_of(print, || judged.clone())).collect();
        let all = other.found.known.iter().map(|(their, VerdictParts { shape, hits })| {
            let shape = here[*shape as usize];
            print.clear();
            print.extend_from_slice(&shape.to_le_bytes());
            print.extend_from_slice(&their[size_of_val(&shape)..]);
            found.number_of(print, || VerdictParts { shape, hits: hits.clone() })
        });
        all.collect()
    }

    /// What the verdicts are without their hits.
    pub(super) fn shapes(&self) -> impl ExactSizeIterator<Item = &JudgedReply> {
        self.shapes.known.values()
    }

    /// Which of these each row of the batch is.
    pub(super) fn shapes_of(&self, rows: &[u32]) -> Vec<u32> {
        rows.iter().map(|number| self.get(*number).shape).collect()
    }

    pub(super) fn get(&self, number: u32) -> &VerdictParts {
        &self.found.known[number as usize]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &VerdictParts> {
        self.found.known.values()
    }

    /// Roughly how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        /// What one takes with its print: as a shape with its issues, and with its hits.
        const EACH: [usize; 2] = [size_of::<JudgedReply>() + 700, size_of::<VerdictParts>() + 60];
        self.shapes.known.len() * EACH[0] + self.found.known.len() * EACH[1]
    }
}

/// Different things, each kept once, by bytes in which they differ.
#[derive(Debug)]
struct Printed<T> {
    known: IndexMap<Box<[u8]>, T, DefaultHashBuilder>,
    last: usize,
}

impl<T> Default for Printed<T> {
    fn default() -> Self {
        Self { known: IndexMap::default(), last: 0 }
    }
}

impl<T> Printed<T> {
    /// The number of what has this print, which is made where it is new.
    fn number_of(&mut self, print: &[u8], make: impl FnOnce() -> T) -> u32 {
        let Self { known, last } = self;
        if known.get_index(*last).is_none_or(|(of_last, _)| **of_last != *print) {
            let number = known.get_index_of(print);
            *last = number.unwrap_or_else(|| known.insert_full(print.into(), make()).0);
        }
        u32::try_from(*last).unwrap_or(NONE)
    }
}
