//! Rows of Braintrust, one for each span of a log or an experiment.

use super::records::{JsonFile, Records, records_in};
use super::spans::{Span, Spans, filled, server_in, time_in};
use super::texts::{elements_of, is_text};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::Fidelity;

pub(super) struct Braintrust;

const LISTS: [&str; 3] = ["events", "data", "rows"];

impl Program for Braintrust {
    fn id(&self) -> &'static str {
        "braintrust"
    }

    fn name(&self) -> &'static str {
        "Braintrust rows"
    }

    fn about(&self) -> &'static str {
        "Rows of Braintrust as JSON: of its API (fetch, BTQL), its SDK, or a download."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Derived
    }

    fn units(&self) -> Units {
        Units::Lines
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let is_row = |row: &Raw<'_>| {
            row.member("span_attributes")
                .is_some_and(|attributes| attributes.kind() == Kind::Object)
                && row.member("root_span_id").is_some()
        };
        let records = head.any_records();
        records
            .iter()
            .any(|record| records_in(*record, &LISTS).iter().any(is_row))
            .then_some("rows with span_attributes and root_span_id")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        Box::new(JsonFile::new(Rows(Spans::new(file.max_depth, file.is_named)), file.max_depth))
    }
}

struct Rows(Spans);

impl Records for Rows {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        for row in records_in(value, &LISTS) {
            self.row(row, wire);
        }
    }
}

impl Rows {
    fn row(&mut self, row: Raw<'_>, wire: &mut Wire) {
        let attributes = row.member("span_attributes");
        let metric =
            |name: &str| time_in(row.member("metrics").and_then(|metrics| metrics.member(name)));
        let parent = elements_of(row, "span_parents").first().and_then(|parent| parent.as_str());
        let error = row.member("error").filter(|error| error.kind() != Kind::Null);
        let span = Span {
            id: filled(row, "span_id").or_else(|| filled(row, "id")).unwrap_or_default(),
            parent: parent.map(RawStr::decode).unwrap_or_default().into_owned(),
            session: filled(row, "root_span_id").unwrap_or_default(),
            name: attributes.and_then(|attributes| filled(attributes, "name")).unwrap_or_default(),
            server: server_in([row.member("metadata")], self.0.max_depth),
            is_tool: attributes.is_some_and(|attributes| is_text(attributes, "type", "tool")),
            input: row.member("input"),
            output: row.member("output").filter(|output| output.kind() != Kind::Null),
            error: error.map(|error| {
                filled(error, "message").unwrap_or_else(|| super::chat::text_in(error))
            }),
            start: metric("start").or_else(|| time_in(row.member("created"))),
            end: metric("end"),
            duration_ms: None,
        };
        self.0.span(&span, wire);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{calls, calls_when_named};
    use super::*;

    #[test]
    fn a_row_that_comes_again_completes_the_call() {
        let row = |rest: &str| {
            format!(
                r#"{{"span_id":"1","root_span_id":"0","span_attributes":{{"name":"f","type":"tool"}},{rest}}}"#
            )
        };
        let begun = row(r#""input":{"a":1}"#);
        let ended = row(
            r#""input":{"a":1},"output":"x","metrics":{"start":1780578000.25,"end":1780578000.5}"#,
        );
        let text = format!("{begun}\n{ended}");
        assert!(calls(&Braintrust, &text).is_empty());
        assert_eq!(
            calls_when_named(&Braintrust, &text),
            [r#"/f {"a":1}: result x [error_unknown]"#]
        );
    }
}
