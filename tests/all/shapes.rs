//! The table of shapes: each different verdict of a run once, and the rulebook beside it.

use crate::support::{Judged, corpus};
use polars::prelude::{AnyValue, DataFrame};
use serde_json::Value;
use std::collections::BTreeMap;
use tapecheck::report::{RULEBOOK, Table, read_table};
use tapecheck::rulebook::{Rulebook, builtin_names};

fn tables(judged: &Judged) -> [DataFrame; 2] {
    [Table::Verdicts, Table::Shapes]
        .map(|table| read_table(judged.folder(), table).expect("a table"))
}

/// A column's cells as text.
fn cells(frame: &DataFrame, column: &str) -> Vec<String> {
    let column = frame.column(column).expect("a column");
    let cell = |row| match column.get(row).expect("a row") {
        AnyValue::String(text) => text.to_owned(),
        other => other.to_string(),
    };
    (0..frame.height()).map(cell).collect()
}

#[test]
fn every_verdict_has_its_shape_in_the_table_and_says_the_same() {
    for rulebook in builtin_names() {
        let [verdicts, shapes] = tables(Judged::corpus(rulebook));
        let ids = cells(&shapes, "shape");
        assert!(ids.is_sorted_by(|one, other| one < other), "each once, sorted");
        let of_row: Vec<usize> = cells(&verdicts, "shape")
            .iter()
            .map(|id| ids.binary_search(id).expect("every row's shape is in the table"))
            .collect();
        let mut counts = vec![0_usize; ids.len()];
        for shape in &of_row {
            counts[*shape] += 1;
        }
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        assert_eq!(cells(&shapes, "exchanges"), counts, "{rulebook}");
        let names = shapes.get_column_names();
        let common = names.iter().filter(|name| !matches!(name.as_str(), "exchanges" | "excerpts"));
        for name in common {
            let (of_verdicts, of_shapes) = (cells(&verdicts, name), cells(&shapes, name));
            for (row, shape) in of_row.iter().enumerate() {
                assert_eq!(of_verdicts[row], of_shapes[*shape], "{name} of row {row}, {rulebook}");
            }
        }
    }
}

#[test]
fn excerpts_show_exchanges_of_their_shape_and_where_patterns_hit() {
    let judged = Judged::corpus("guide");
    let [verdicts, shapes] = tables(judged);
    let shape_of: BTreeMap<String, String> =
        cells(&verdicts, "key").into_iter().zip(cells(&verdicts, "shape")).collect();
    let of_shape = cells(&shapes, "hits").into_iter().zip(cells(&shapes, "is_error"));
    let of_shape = of_shape.zip(cells(&shapes, "shape")).zip(cells(&shapes, "excerpts"));
    let mut marked = 0;
    for (((hits, is_error), shape), excerpts) in of_shape {
        let excerpts: Vec<Value> = serde_json::from_str(&excerpts).expect("a JSON array");
        assert!(is_error == "false" || !excerpts.is_empty(), "errors have a text: {shape}");
        assert!(excerpts.len() <= 3);
        for excerpt in excerpts {
            let key = excerpt["key"].as_str().expect("a key");
            assert_eq!(shape_of[key], shape, "{key}");
            let text = excerpt["text"].as_str().expect("a text");
            assert!(text.len() <= 600);
            for span in excerpt["spans"].as_array().expect("spans") {
                let place =
                    [0, 1].map(|at| span[at].as_u64().and_then(|at| usize::try_from(at).ok()));
                let [Some(start), Some(end)] = place else { panic!("no place: {span}") };
                assert!(text.get(start..end).is_some_and(|hit| !hit.is_empty()));
                let name = span[2].as_str().expect("a pattern");
                let hits: Vec<String> = serde_json::from_str(&hits).expect("a JSON array");
                assert!(hits.iter().any(|hit| hit == name), "{name} in {hits:?}");
                marked += 1;
            }
        }
    }
    assert!(marked > 100, "the corpus is full of hits, and {marked} are marked");
}

#[test]
fn the_rulebook_of_a_run_can_be_had_again() {
    let rulebook = Rulebook::builtin("inspector").expect("built in");
    let judged = Judged::under(&corpus().join("formats"), &rulebook);
    let text = std::fs::read_to_string(judged.folder().join(RULEBOOK)).expect("it is there");
    assert_eq!(Rulebook::from_toml(&text, "again").expect("whole").digest, rulebook.digest);
}

#[test]
fn schemas_are_told_apart_and_the_keyword_is_named() {
    let schema = r#"{"type":"object","required":["id"],"properties":{"id":{"type":"integer","multipleOf":2}}}"#;
    let line = |at: usize, schema: &str, structured: &str| {
        format!(
            r#"{{"id":"{at}","tool":{{"name":"get","outputSchema":{schema}}},"input":{{"at":{at}}},"response":{{"content":[{{"type":"text","text":"x"}}],"structuredContent":{structured}}}}}"#
        )
    };
    let spaced = schema.replace(':', ": ");
    let tape = [
        line(1, schema, r#"{"id":2}"#),
        line(2, schema, "{}"),
        line(3, &spaced, r#"{"id":"2"}"#),
        line(4, r#"{"type":"object"}"#, r#"{"id":3}"#),
        line(5, schema, r#"{"id":3}"#),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.jsonl"), tape.join("\n")).expect("a file");
    let [verdicts, _] = tables(&Judged::new(folder.path(), "guide"));
    let keywords = cells(&verdicts, "schema_keyword");
    assert_eq!(keywords, ["null", "required", "type", "null", "multipleOf"]);
    let keys = cells(&verdicts, "schema_key");
    assert!(keys[0] == keys[1] && keys[0] == keys[2], "white space is no difference: {keys:?}");
    assert_ne!(keys[0], keys[3]);
    let issues = cells(&verdicts, "issue_types");
    assert_eq!(issues[..2], ["null", r#"["error schema_violation"]"#]);
}
