//! Spans of Phoenix, and of others that write the attributes of `OpenInference`.

use super::records::{JsonFile, Records, records_in};
use super::spans::{Span, Spans, filled, server_in, time_in};
use super::texts::is_text;
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Raw, RawStr};
use crate::recording::Fidelity;

const LISTS: [&str; 2] = ["data", "spans"];
const KIND: &str = "openinference.span.kind";

pub(super) static PHOENIX: Program = Program {
    id: "phoenix",
    name: "Phoenix spans",
    about: "Spans with the attributes of OpenInference as JSON: of Phoenix's API, or of its data frames.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""openinference"#, r#""attributes.openinference"#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    head.has_record(&LISTS, |span| attribute(*span, KIND).is_some())
        .then_some("spans with the attribute openinference.span.kind")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(JsonFile::new(List(Spans::new(file.max_depth, file.is_named)), file.max_depth))
}

/// An attribute: its name may be one key, a path of keys, or a key of the span itself.
fn attribute<'a>(span: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    let path = |from: Raw<'a>| name.split('.').try_fold(from, Raw::member);
    let attributes = span.member("attributes");
    attributes
        .and_then(|attributes| attributes.member(name).or_else(|| path(attributes)))
        .or_else(|| span.member(&format!("attributes.{name}")))
}

struct List(Spans);

impl Records for List {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        for span in records_in(value, &LISTS) {
            self.span(span, wire);
        }
    }
}

impl List {
    fn span(&mut self, span: Raw<'_>, wire: &mut Wire) {
        let context = |name: &str| {
            let value = span.member("context").and_then(|context| filled(context, name));
            value.or_else(|| filled(span, &format!("context.{name}")))
        };
        let text =
            |name: &str| attribute(span, name)?.as_str().map(|text| text.decode().into_owned());
        let is_error = is_text(span, "status_code", "ERROR");
        let read = Span {
            id: context("span_id").unwrap_or_default(),
            parent: filled(span, "parent_id").unwrap_or_default(),
            session: text("session.id").or_else(|| context("trace_id")).unwrap_or_default(),
            name: text("tool.name").or_else(|| filled(span, "name")).unwrap_or_default(),
            server: server_in(
                [span.member("attributes"), attribute(span, "metadata")],
                self.0.max_depth,
            ),
            is_tool: attribute(span, KIND).and_then(Raw::as_str).is_some_and(is_tool),
            input: attribute(span, "input.value"),
            output: attribute(span, "output.value"),
            error: filled(span, "status_message").filter(|_| is_error),
            start: time_in(span.member("start_time")),
            end: time_in(span.member("end_time")),
            duration_ms: None,
        };
        self.0.span(&read, wire);
    }
}

fn is_tool(kind: RawStr<'_>) -> bool {
    kind.decode().eq_ignore_ascii_case("TOOL")
}
