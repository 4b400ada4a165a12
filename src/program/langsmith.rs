//! Runs of `LangSmith`, as its SDK and API hand them out.

use super::records::{JsonFile, Records, records_in};
use super::spans::{Span, Spans, filled, server_in, time_in};
use super::texts::{elements_of, is_text, text_of};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fidelity;

const LISTS: [&str; 1] = ["runs"];
/// So deep runs are nested.
const MOST_NESTED: usize = 32;
const TYPES: [&str; 7] = ["tool", "chain", "llm", "retriever", "embedding", "prompt", "parser"];

pub(super) static LANGSMITH: Program = Program {
    id: "langsmith",
    name: "LangSmith runs",
    about: "Runs of LangSmith as JSON: of its SDK (list_runs), its API, or an export.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""run_type""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_run = |run: &Raw<'_>| {
        let is_typed = text_of(*run, "run_type").is_some_and(|kind| TYPES.contains(&&*kind));
        is_typed
            && ["dotted_order", "trace_id", "child_runs", "inputs"]
                .iter()
                .any(|name| run.member(name).is_some())
    };
    head.has_record(&LISTS, is_run)
        .then_some("runs with run_type and trace_id, dotted_order, child_runs or inputs")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(JsonFile::new(Runs(Spans::new(file.max_depth, file.is_named)), file.max_depth))
}

struct Runs(Spans);

impl Records for Runs {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        for run in records_in(value, &LISTS) {
            self.run(run, 0, wire);
        }
    }
}

impl Runs {
    fn run(&mut self, run: Raw<'_>, depth: usize, wire: &mut Wire) {
        let metadata = run.member("extra").and_then(|extra| extra.member("metadata"));
        let span = Span {
            id: filled(run, "id").unwrap_or_default(),
            parent: filled(run, "parent_run_id").unwrap_or_default(),
            session: filled(run, "trace_id").unwrap_or_default(),
            name: filled(run, "name").unwrap_or_default(),
            server: server_in([metadata], self.0.max_depth),
            is_tool: is_text(run, "run_type", "tool"),
            input: run.member("inputs"),
            output: run.member("outputs").filter(|outputs| outputs.kind() != Kind::Null),
            error: filled(run, "error"),
            start: time_in(run.member("start_time")),
            end: time_in(run.member("end_time")),
            duration_ms: None,
        };
        self.0.span(&span, wire);
        if depth < MOST_NESTED {
            for child in elements_of(run, "child_runs") {
                self.run(child, depth + 1, wire);
            }
        }
    }
}
