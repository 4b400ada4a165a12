//! A run folder from a few hand-made rows, read back.

use super::*;
use crate::check::schema::Schemas;
use crate::check::{Judge, Tasks};
use crate::corpus::{Bounds, read_exchange};
use crate::count::Cube;
use crate::recording::{Exchange, Key, Keys, LinePosition};
use crate::rulebook::{Overall, Quality, Rulebook};
use crate::verdict::{
    Answer, Certainty, Classification, Conclusion, Ending, Field, Ground, Hit, IsError, Issue,
    IssueType, Judgement, Observation, Outcome, OutputSchemaValidation, ResponseMetadata,
    SchemaOutcome, Severity, SignalSet, Verdict, Weighing, Who,
};
use smallvec::smallvec;
use std::path::Path;
use std::sync::Arc;

#[path = "../../tests/all/frame.rs"]
mod frame;
pub(crate) use frame::read_table;

fn legend() -> Legend {
    Legend {
        schema_failed: (Classification::PartiallyWorking, 70.0),
        signals: ["pattern", "test_data", "crash"].map(str::to_owned).into(),
        error_signals: SignalSet(0b011),
        success_signals: SignalSet(0b100),
        patterns: vec!["missing/not_found".into(), "quota/\"quota\"".into(), "codes/-32602".into()],
        decisions: vec!["mcp".into(), "otherwise".into()],
        error_kinds: vec![("not_found".into(), Who::Caller), ("quota".into(), Who::Operator)],
        quality: Quality { error: 0.18, warning: 0.10, info: 0.08 },
        overall: Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 },
    }
}

const GOT: &str = r#"{"server":"=server","session":"s1","tool":"get","input":{},
    "response":{"content":[{"type":"text","text":"fine"}]}}"#;
const FAILED: &str = r#"{"id":"r-4","server":"=server","session":"s1","tool":"add","input":{},
    "scenarioCategory":"edge_case","duration_ms":0.1,"label":"failure",
    "response":{"error":{"code":-32602,"message":"no"}}}"#;

fn exchange(text: &'static str, line: u64) -> Exchange<'static> {
    let place = LinePosition { line, byte: line * 100 };
    Exchange { place, ..read_exchange(text, &Bounds::default()).expect("a call") }
}

pub(crate) fn plain_verdict() -> Verdict {
    let rulebook = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let schemas = Schemas::new(rulebook.schema.clone());
    let verdict = Judge::new(&rulebook, &schemas).judge(&exchange(GOT, 1));
    Verdict { observation: None, metadata: None, ..verdict }
}

fn judged_verdict() -> Verdict {
    let hit = |pattern| Hit { pattern, field: Field::Text, start: 0, end: 1, call: None };
    let issue = |severity, kind, message: &str| Issue {
        severity,
        kind,
        side: kind.side(),
        message: message.to_owned(),
        location: Some("/result/content".to_owned()),
        suggestion: None,
    };
    Verdict {
        ground: Ground::Error,
        is_error: IsError::Yes,
        conclusion: Conclusion {
            ending: Ending::Failure,
            judgement: Judgement {
                outcome: Outcome::Failed,
                class: Classification::Error,
                answer: Answer::ToolFailure,
            },
            confidence: 100.0 / 3.0,
            is_valid: false,
            weighing: Some(Weighing { score: 1.0 / 3.0, threshold: Some(0.5), line: Some(1) }),
            certainty: Some(Certainty { line: 0, value: 0.75 }),
            error_kind: Some(0),
            ..plain_verdict().conclusion
        },
        observation: Some(Observation {
            signals: SignalSet(0b001),
            hits: vec![hit(1), hit(0), hit(1)],
            hits_left_out: true,
        }),
        issues: vec![
            issue(Severity::Error, IssueType::ToolFailure, "=the tool failed"),
            issue(Severity::Warning, IssueType::SchemaUncompilable, "The schema cannot be used."),
            issue(Severity::Warning, IssueType::SchemaUncompilable, "The schema is too deep."),
        ],
        parameter_keys: Some(vec!["user_id".to_owned(), "title".to_owned()]),
        metadata: Some(ResponseMetadata {
            content_types: ["text".into(), "audio".into()].into(),
            counts: [].as_slice().into(),
            has_structured_content: false,
            has_meta: true,
            output_schema: Some(OutputSchemaValidation {
                outcome: SchemaOutcome::Uncompilable,
                error: None,
                pointer: None,
                keyword: Some("type".into()),
                key: 11,
            }),
        }),
        ..plain_verdict()
    }
}

/// One day of two tools: the same exchange three times, and an error.
fn batches(rows_per_batch: usize) -> Vec<VerdictBatch> {
    let rows = [
        (exchange(GOT, 1), plain_verdict(), 7),
        (exchange(GOT, 2), plain_verdict(), 7),
        (exchange(GOT, 3), plain_verdict(), 7),
        (exchange(FAILED, 4), judged_verdict(), 9),
    ];
    let excerpt = Kept {
        reply: "the tool quota".into(),
        input: "{}".into(),
        marks: smallvec![Mark { start: 9, end: 14, hit: 1, sent: Some(0..2) }],
    };
    rows.chunks(rows_per_batch)
        .map(|rows| {
            let mut batch = VerdictBatch::default();
            for (exchange, verdict, key) in rows {
                let keys = Keys { exchange: Key(*key), request: Key(1) };
                let row = Row {
                    exchange,
                    file: "a.jsonl",
                    keys,
                    day: "2026-03-01",
                    moment: None,
                    tasks: &Tasks::default(),
                    verdict,
                    excerpt: keeps_text(verdict).then_some(&excerpt),
                };
                batch.push(&row);
            }
            batch
        })
        .collect()
}

/// The manifest of a run under a rulebook of this name.
pub(super) fn manifest(rulebook: &str) -> Manifest {
    let manifest = serde_json::json!({
        "format": FORMAT,
        "comparable": {
            "corpus_digest": "c",
            "rulebook": { "name": rulebook, "digest": "r" },
            "version": "0",
            "bounds": {},
            "counts": ReadCounts { exchanges: 4, ..ReadCounts::default() },
        },
        "wall": Wall::default(),
    });
    serde_json::from_value(manifest).expect("a manifest")
}

fn write_run(target: &Path, batches: Vec<VerdictBatch>) {
    let folder = RunFolder::create(target).expect("a free place");
    let tables = VerdictTables::new(legend()).expect("a schema");
    let mut cube = Cube::default();
    let mut group = VerdictBatch::default();
    for batch in batches {
        batch.count_into(&mut cube, tables.legend());
        group.append(&batch);
    }
    let mut writer = VerdictWriter::create(&folder, &tables).expect("a file");
    let rows = tables.encode(NamedRows::of(group, tables.legend())).expect("encodable");
    writer.append(&rows).expect("written");
    writer.finish().expect("written");
    let status = |_: [u64; 5], _| Classification::PartiallyWorking;
    let rules = ToolRules { legend: tables.legend(), status: &status };
    write_counts(&folder, cube, &rules).expect("written");
    folder.write_manifest(&manifest("guide")).expect("written");
    folder.commit().expect("moved");
}

#[test]
fn verdicts_issues_and_counts_come_back_as_they_were_written() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    write_run(&run, batches(2));
    for (table, row, cells) in [
        (Table::Verdicts, 0, "hits= quality_band=excellent confidence_band=very_high"),
        (
            Table::Verdicts,
            3,
            "scenario=edge_case outcome=failed decision=review confidence_band=low",
        ),
        (Table::Verdicts, 3, r#"hits=["missing/not_found","quota/\"quota\""] quality_band=fair"#),
        (Table::Verdicts, 3, "hit_spans=[[9,14,1,0,2]] confidence=0.33333333333333337"),
        (Table::Issues, 0, r#"type=tool_failure tool=add parameter_keys=["user_id","title"]"#),
        (Table::Issues, 2, "type=schema_uncompilable severity=warning origin=tapecheck"),
        (Table::Tools, 0, "tool=add business_logic=0 tool_failure=1 error_kinds=not_found=1"),
        (Table::Tools, 1, "tool=get business_logic=0 tool_failure=0 fully_working=3"),
        (Table::IssueTypes, 1, "severity=warning type=schema_uncompilable count=2 share=1"),
    ] {
        let frame = read_table(&run, table);
        for (name, cell) in cells.split(' ').filter_map(|cell| cell.split_once('=')) {
            assert_eq!(frame.text(name, row), cell, "{name} of {table:?}");
        }
    }
}

#[test]
fn hashes_go_by_names_and_not_by_numbers_of_a_rulebook() {
    let hashes = |legend: &Legend| -> Vec<String> {
        let batch = batches(4).pop().expect("one batch");
        NamedRows::of(batch, legend).hashes.iter().map(|hash| format!("{hash:016x}")).collect()
    };
    let named = hashes(&legend());
    let mut renamed = legend();
    renamed.patterns[2] = "codes/-1".to_owned();
    renamed.signals[2] = "breakdown".to_owned();
    assert_eq!(hashes(&renamed), named, "what does not hold and did not hit says nothing");
    renamed.patterns[1] = "quota/limit".to_owned();
    assert_eq!(hashes(&renamed)[0], named[0]);
    assert_ne!(hashes(&renamed)[1], named[1]);
}

#[test]
fn the_cut_into_batches_changes_no_byte_and_an_empty_run_has_all_tables() {
    use Table::{Counts, IssueTypes, Issues, Rates, Tools, Verdicts};

    let place = tempfile::tempdir().expect("a temporary folder");
    let [whole, cut, empty] = ["whole", "cut", "empty"].map(|name| place.path().join(name));
    write_run(&whole, batches(4));
    write_run(&cut, batches(1));
    write_run(&empty, Vec::new());
    for table in [Verdicts, Issues, Rates, Tools, IssueTypes, Counts] {
        for format in table.formats() {
            let name = table.file_name(*format);
            let [whole, cut] =
                [&whole, &cut].map(|run| std::fs::read(run.join(&name)).expect("readable"));
            assert_eq!(whole, cut, "{name}");
        }
        assert_eq!(read_table(&empty, table).height, 0);
    }
}
