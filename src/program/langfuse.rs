//! Observations of Langfuse, as its API and exports hand them out.

use super::records::{JsonFile, Records, records_in};
use super::spans::{Span, Spans, filled, server_in, time_in};
use super::texts::{elements_of, is_text, text_of};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::Raw;
use crate::recording::Fidelity;

const LISTS: [&str; 2] = ["observations", "data"];
const TYPES: [&str; 10] = [
    "TOOL",
    "SPAN",
    "GENERATION",
    "EVENT",
    "AGENT",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
];

pub(super) static LANGFUSE: Program = Program {
    id: "langfuse",
    name: "Langfuse observations",
    about: "Observations of Langfuse as JSON: of its API, alone or in a trace, or an export.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""traceId""#, r#""trace_id""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_one = |it: &Raw<'_>| {
        let has = |names: [&str; 2]| names.iter().any(|name| it.member(name).is_some());
        text_of(*it, "type").is_some_and(|kind| TYPES.contains(&&*kind))
            && has(["traceId", "trace_id"])
            && has(["startTime", "start_time"])
            && (has(["level", "level"]) || has(["parentObservationId", "parent_observation_id"]))
    };
    head.has_record(&LISTS, |record| records_in(*record, &LISTS).iter().any(is_one))
        .then_some("observations with traceId, type, startTime and level")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(JsonFile::new(Observations(Spans::new(file.max_depth, file.is_named)), file.max_depth))
}

struct Observations(Spans);

impl Records for Observations {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        for record in records_in(value, &LISTS) {
            // A trace holds its observations.
            let inner = elements_of(record, "observations");
            if inner.iter().any(|it| it.member("type").is_some()) {
                for it in inner {
                    self.observation(it, wire);
                }
            } else {
                self.observation(record, wire);
            }
        }
    }
}

impl Observations {
    fn observation(&mut self, it: Raw<'_>, wire: &mut Wire) {
        // Exports of the tables have other names than the API.
        let either = |names: [&str; 2]| names.iter().find_map(|name| filled(it, name));
        let time = |names: [&str; 2]| names.iter().find_map(|name| time_in(it.member(name)));
        let is_error = is_text(it, "level", "ERROR");
        let seconds = it.member("latency").and_then(|latency| latency.text().parse::<f64>().ok());
        let span = Span {
            id: filled(it, "id").unwrap_or_default(),
            parent: either(["parentObservationId", "parent_observation_id"]).unwrap_or_default(),
            session: either(["traceId", "trace_id"]).unwrap_or_default(),
            name: filled(it, "name").unwrap_or_default(),
            server: server_in([it.member("metadata")], self.0.max_depth),
            is_tool: is_text(it, "type", "TOOL"),
            input: it.member("input"),
            output: it.member("output"),
            error: either(["statusMessage", "status_message"]).filter(|_| is_error),
            start: time(["startTime", "start_time"]),
            end: time(["endTime", "end_time"]),
            duration_ms: seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
        };
        self.0.span(&span, wire);
    }
}
