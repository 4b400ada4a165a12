//! Spans of `LangSmith`, Langfuse and Phoenix, as their APIs and exports hand them out.

use super::reader::Convert;
use super::spans::{Span, Spans, either, time_in};
use super::texts::{elements_of, filled, fits, get, given, is_text, number_of};
use super::{PLAIN, Program, Wire};
use crate::json::{Raw, RawStr};

/// So deep runs are nested.
const MOST_NESTED: usize = 32;

/// Members that hold the records of each program.
const RUNS: [&str; 1] = ["runs"];
const OBSERVATIONS: [&str; 2] = ["observations", "data"];
const SPANS: [&str; 2] = ["data", "spans"];

const RUN: &str = "run_type=tool|chain|llm|retriever|embedding|prompt|parser \
    dotted_order|trace_id|child_runs|inputs";
const OBSERVATION: &str = "type=TOOL|SPAN|GENERATION|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|\
    GUARDRAIL traceId|trace_id startTime|start_time level|parentObservationId|parent_observation_id";
const KIND: &str = "openinference.span.kind";

pub(super) static LANGSMITH: Program = Program {
    id: "langsmith",
    name: "LangSmith runs",
    about: "Runs of LangSmith as JSON: of its SDK (list_runs), its API, or an export.",
    signs: &[r#""run_type""#],
    recognise: |head| {
        head.has_record(&RUNS, |run| fits(run, RUN))
            .then_some("runs with run_type and trace_id, dotted_order, child_runs or inputs")
    },
    converter: |file| {
        Tracer::boxed(file.is_named, &RUNS, |run, spans, wire| runs(run, 0, spans, wire))
    },
    ..PLAIN
};

pub(super) static LANGFUSE: Program = Program {
    id: "langfuse",
    name: "Langfuse observations",
    about: "Observations of Langfuse as JSON: of its API, alone or in a trace, or an export.",
    signs: &[r#""traceId""#, r#""trace_id""#],
    recognise: |head| {
        let is_one = |it: Raw<'_>| {
            let mut all = elements_of(it, "observations").into_iter().chain([it]);
            all.any(|it| fits(it, OBSERVATION))
        };
        head.has_record(&OBSERVATIONS, is_one)
            .then_some("observations with traceId, type, startTime and level")
    },
    converter: |file| Tracer::boxed(file.is_named, &OBSERVATIONS, observations),
    ..PLAIN
};

pub(super) static PHOENIX: Program = Program {
    id: "phoenix",
    name: "Phoenix spans",
    about: "Spans with the attributes of OpenInference as JSON: of Phoenix's API, or of its data frames.",
    signs: &[r#""openinference"#, r#""attributes.openinference"#],
    recognise: |head| {
        head.has_record(&SPANS, |span| attribute(span, KIND).is_some())
            .then_some("spans with the attribute openinference.span.kind")
    },
    converter: |file| Tracer::boxed(file.is_named, &SPANS, attributed),
    ..PLAIN
};

struct Tracer {
    spans: Spans,
    lists: &'static [&'static str],
    read: fn(Raw<'_>, &mut Spans, &mut Wire),
}

impl Tracer {
    fn boxed(
        is_named: bool,
        lists: &'static [&'static str],
        read: fn(Raw<'_>, &mut Spans, &mut Wire),
    ) -> Box<dyn Convert> {
        Box::new(Self { spans: Spans::new(is_named), lists, read })
    }
}

impl Convert for Tracer {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        wire.each(value, self.lists, |record, wire| (self.read)(record, &mut self.spans, wire));
    }
}

/// A run of `LangSmith` and those in it.
fn runs(run: Raw<'_>, depth: usize, spans: &mut Spans, wire: &mut Wire) {
    let text = |name| filled(run, name).unwrap_or_default();
    let span = Span {
        id: text("id"),
        parent: text("parent_run_id"),
        session: text("trace_id"),
        name: text("name"),
        noted: [get(run, "extra.metadata"), None],
        is_tool: is_text(run, "run_type", "tool"),
        input: run.member("inputs"),
        output: given(run, "outputs"),
        error: filled(run, "error"),
        start: time_in(run, &["start_time"]),
        end: time_in(run, &["end_time"]),
        duration_ms: None,
    };
    spans.span(&span, wire);
    if depth < MOST_NESTED {
        for child in elements_of(run, "child_runs") {
            runs(child, depth + 1, spans, wire);
        }
    }
}

/// An observation of Langfuse, or those that a trace holds.
fn observations(record: Raw<'_>, spans: &mut Spans, wire: &mut Wire) {
    let inner = elements_of(record, "observations");
    let is_trace = inner.iter().any(|it| it.member("type").is_some());
    for it in if is_trace { inner } else { vec![record] } {
        // Exports of the tables have other names than the API.
        let text = |names: [&str; 2]| either(it, &names).unwrap_or_default();
        let seconds: Option<f64> = number_of(it, "latency");
        let span = Span {
            id: text(["id", "id"]),
            parent: text(["parentObservationId", "parent_observation_id"]),
            session: text(["traceId", "trace_id"]),
            name: text(["name", "name"]),
            noted: [it.member("metadata"), None],
            is_tool: is_text(it, "type", "TOOL"),
            input: it.member("input"),
            output: it.member("output"),
            error: either(it, &["statusMessage", "status_message"])
                .filter(|_| is_text(it, "level", "ERROR")),
            start: time_in(it, &["startTime", "start_time"]),
            end: time_in(it, &["endTime", "end_time"]),
            duration_ms: seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
        };
        spans.span(&span, wire);
    }
}

/// A span with the attributes of `OpenInference`.
fn attributed(span: Raw<'_>, spans: &mut Spans, wire: &mut Wire) {
    let context = |name: &str| {
        let flat = || span.member(&format!("context.{name}"))?.as_str().map(RawStr::decode);
        filled(span.member("context"), name).or_else(|| flat().filter(|text| !text.is_empty()))
    };
    let text = |name: &str| attribute(span, name)?.as_str().map(RawStr::decode);
    let kind = text(KIND).unwrap_or_default();
    let read = Span {
        id: context("span_id").unwrap_or_default(),
        parent: filled(span, "parent_id").unwrap_or_default(),
        session: text("session.id").or_else(|| context("trace_id")).unwrap_or_default(),
        name: text("tool.name").or_else(|| filled(span, "name")).unwrap_or_default(),
        noted: [span.member("attributes"), attribute(span, "metadata")],
        is_tool: kind.eq_ignore_ascii_case("TOOL"),
        input: attribute(span, "input.value"),
        output: attribute(span, "output.value"),
        error: filled(span, "status_message").filter(|_| is_text(span, "status_code", "ERROR")),
        start: time_in(span, &["start_time"]),
        end: time_in(span, &["end_time"]),
        duration_ms: None,
    };
    spans.span(&read, wire);
}

/// An attribute: its name may be one key, a path of keys, or a key of the span itself.
fn attribute<'a>(span: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    let attributes = span.member("attributes");
    let named = attributes.and_then(|attributes| attributes.member(name));
    let named = named.or_else(|| get(attributes, name));
    named.or_else(|| span.member(&format!("attributes.{name}")))
}
