//! A run folder from a few hand-made rows, read back.

use super::*;
use crate::check::schema::Schemas;
use crate::check::{Judge, Tasks};
use crate::corpus::{Bounds, read_exchange};
use crate::count::Cube;
use crate::program::Tally;
use crate::recording::{Exchange, Key, Keys, Place};
use crate::rulebook::{Overall, Quality, Rulebook};
use crate::verdict::{
    Answer, Certainty, Classification, Conclusion, Ending, Field, Ground, Hit, IsError, Issue,
    IssueType, Observation, Outcome, OutputSchemaValidation, ResponseMetadata, SchemaOutcome,
    Severity, SignalSet, Verdict, Weighing,
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
        patterns: vec!["missing/not found".into(), "quota/\"quota\"".into(), "codes/-32602".into()],
        decisions: vec!["mcp".into(), "otherwise".into()],
        error_kinds: vec!["not_found".into(), "quota".into()],
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
    let place = Place { line, byte: line * 100 };
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
            classification: Classification::Error,
            confidence: 100.0 / 3.0,
            is_valid: false,
            answer: Answer::ToolFailure,
            weighing: Some(Weighing { score: 1.0 / 3.0, threshold: Some(0.5), line: Some(1) }),
            certainty: Some(Certainty { line: 0, value: 0.75 }),
            error_kind: Some(0),
            outcome: Outcome::Failed,
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

fn write_run(target: &Path, rows_per_batch: usize) -> Summary {
    let folder = RunFolder::create(target).expect("a free place");
    let tables = VerdictTables::new(legend()).expect("a schema");
    let mut cube = Cube::default();
    let mut group = VerdictBatch::default();
    for batch in batches(rows_per_batch) {
        batch.count_into(&mut cube, tables.legend());
        group.append(&batch);
    }
    let mut writer = VerdictWriter::create(&folder, &tables).expect("a file");
    let rows = tables.encode(NamedRows::of(group, tables.legend())).expect("encodable");
    writer.append(&rows).expect("written");
    writer.finish().expect("written");
    let mut unreadable = TableFile::create(&folder, Table::Unreadable).expect("a file");
    let head = "é".repeat(300);
    let reject = UnreadableRow {
        file: "b",
        reason: "not_json",
        head: Some(&head),
        ..UnreadableRow::default()
    };
    unreadable.push_unreadable(&reject).expect("written");
    unreadable.finish().expect("written");
    let mut recordings = TableFile::create(&folder, Table::Recordings).expect("a file");
    let recording = RecordingRow {
        file: "b",
        format: "call lines",
        evidence: None,
        not_applied: None,
        calls: 5,
        unwrapped: 2,
        tally: Tally { not_sent: 1, ..Tally::default() },
    };
    recordings.push_recording(&recording).expect("written");
    recordings.finish().expect("written");
    let status = |_: [u64; 5], _| Classification::PartiallyWorking;
    let rules = ToolRules { legend: tables.legend(), status: &status };
    let (summary, _) = write_counts(&folder, cube, &rules).expect("written");
    folder.write_summary(&summary).expect("written");
    folder.write_manifest(&manifest("guide")).expect("written");
    folder.commit().expect("moved");
    summary
}

#[test]
fn verdicts_and_issues_come_back_as_they_were_written() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    write_run(&run, 4);
    let verdicts = read_table(&run, Table::Verdicts);
    let seven = "00000000000000000000000000000007";
    let keys: Vec<_> = (0..3).map(|row| verdicts.text("key", row)).collect();
    assert_eq!(keys, [seven; 3]);
    let expected = [
        ("ground", "content", "error"),
        (
            "issue_types",
            "",
            r#"["error tool_failure","warning schema_uncompilable","warning schema_uncompilable"]"#,
        ),
        ("schema_key", "", "0000000000000000000000000000000b"),
        ("schema_keyword", "", "type"),
        ("line", "1", "4"),
        ("byte", "100", "400"),
        ("id", "", "r-4"),
        ("server", "=server", "=server"),
        ("scenario", "", "edge_case"),
        ("day", "2026-03-01", "2026-03-01"),
        ("duration_ms", "", "0.1"),
        ("label", "", "failure"),
        ("reply", "result", "protocol_error"),
        ("error_code", "", "-32602"),
        ("classification", "fully_working", "error"),
        ("outcome", "worked", "failed"),
        ("fate", "", ""),
        ("confidence_percent", "100", "33.333333333333336"),
        ("certainty", "", "0.75"),
        ("valid", "true", "false"),
        ("business_logic", "", "false"),
        ("decided_by", "", "otherwise"),
        ("kind", "tool_call", "tool_call"),
        ("decision", "accept", "review"),
        ("interpretation", "excellent", "maybe_invalid"),
        ("needs_review", "false", "true"),
        ("confidence_band", "very_high", "low"),
        ("quality_band", "excellent", "fair"),
        ("has_security_issue", "false", "false"),
        ("failed_criteria", "", ""),
        ("error_kind", "", "not_found"),
        ("signals", "", r#"["pattern"]"#),
        ("hits", "", r#"["missing/not found","quota/\"quota\""]"#),
        ("quality_score", "1", "0.62"),
        ("warnings", "0", "2"),
        ("schema", "", "uncompilable"),
        ("content_types", "", "text,audio"),
        ("has_meta", "", "true"),
    ];
    for (column, first, last) in expected {
        assert_eq!(verdicts.text(column, 0), first, "{column} of the first row");
        assert_eq!(verdicts.text(column, 3), last, "{column} of the last row");
    }
    let issues = read_table(&run, Table::Issues);
    assert_eq!(issues.height, 3);
    assert_eq!(issues.text("key", 2), "00000000000000000000000000000009");
    assert_eq!(issues.text("message", 2), "The schema is too deep.");
    assert_eq!(issues.text("type", 0), "tool_failure");
    assert_eq!(issues.text("tool", 0), "add");
    assert_eq!(issues.text("parameter_keys", 0), r#"["user_id","title"]"#);
}

#[test]
fn equal_verdicts_have_equal_hashes_and_texts_are_of_their_own_row() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    write_run(&run, 2);
    let verdicts = read_table(&run, Table::Verdicts);
    let hashes: Vec<_> = (0..4).map(|row| verdicts.text("verdict_hash", row)).collect();
    assert_eq!(hashes[..2], hashes[1..3]);
    assert_ne!(hashes[2], hashes[3]);
    let texts = ["reply_excerpt", "input_excerpt", "hit_spans"];
    for row in 0..3 {
        assert_eq!(texts.map(|name| verdicts.text(name, row)), [""; 3]);
    }
    assert_eq!(
        texts.map(|name| verdicts.text(name, 3)),
        ["the tool quota", "{}", "[[9,14,1,0,2]]"]
    );
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
fn csv_and_parquet_say_the_same() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    write_run(&run, 4);
    for table in [Table::Rates, Table::Tools, Table::IssueTypes] {
        let frame = read_table(&run, table);
        let path = run.join(table.file_name(TableFormat::Csv));
        let mut csv = ::csv::Reader::from_path(path).expect("readable");
        let names: Vec<_> = csv.headers().expect("a header").iter().map(str::to_owned).collect();
        let columns = table.columns();
        assert_eq!(names, columns.iter().map(|column| column.name).collect::<Vec<_>>());
        let mut height = 0;
        for (row, record) in csv.records().enumerate() {
            for (name, text) in names.iter().zip(&record.expect("a row")) {
                assert_eq!(harmless(&frame.text(name, row)), text, "{name} of row {row}");
            }
            height += 1;
        }
        assert_eq!(frame.height, height);
    }
}

#[test]
fn tools_and_issue_types_count_what_they_say() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    let summary = write_run(&run, 4);
    let csv = |table: Table| {
        std::fs::read_to_string(run.join(table.file_name(TableFormat::Csv))).expect("readable")
    };
    assert_eq!(
        csv(Table::Tools).lines().skip(1).collect::<Vec<_>>(),
        [
            "'=server,add,partially_working,6.6666669999999995,1,0,0,0,1,0,0,0,0,0,1,0,0,0,1,0,0,0,1,0,0,not_found=1,0,1,1,0.101,0.101",
            "'=server,get,partially_working,100,3,3,0,0,0,0,0,3,0,0,0,0,3,0,0,0,0,0,0,0,0,,0,0,0,,",
        ]
    );
    assert_eq!(
        csv(Table::IssueTypes).lines().skip(1).collect::<Vec<_>>(),
        [
            "2026-03-01,'=server,add,error,tool_failure,tapecheck,1,1",
            "2026-03-01,'=server,add,warning,schema_uncompilable,tapecheck,2,1",
        ]
    );
    assert_eq!(
        csv(Table::Unreadable).lines().nth(1),
        Some(&*format!("b,,,not_json,,{}", "é".repeat(200)))
    );
    assert_eq!((summary.tools, summary.top_tools[0].tool.as_str()), (2, "get"));
    assert_eq!(summary.classes[0], ("fully_working".to_owned(), 3));
}

#[test]
fn the_cut_into_batches_changes_no_byte() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let [whole, cut] = ["whole", "cut"].map(|name| place.path().join(name));
    write_run(&whole, 4);
    write_run(&cut, 1);
    for table in Table::OF_RUNS {
        for format in table.formats() {
            let name = table.file_name(*format);
            let [whole, cut] =
                [&whole, &cut].map(|run| std::fs::read(run.join(&name)).expect("readable"));
            assert_eq!(whole, cut, "{name}");
        }
    }
}

#[test]
fn an_empty_run_still_has_all_its_tables() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    let folder = RunFolder::create(&run).expect("a free place");
    let tables = VerdictTables::new(legend()).expect("a schema");
    VerdictWriter::create(&folder, &tables).expect("a file").finish().expect("written");
    let cube = Cube::default();
    let status = |_: [u64; 5], _| Classification::Broken;
    let rules = ToolRules { legend: tables.legend(), status: &status };
    let (summary, _) = write_counts(&folder, cube, &rules).expect("written");
    folder.write_manifest(&manifest("guide")).expect("written");
    folder.commit().expect("moved");
    assert_eq!(summary.tools, 0);
    for table in [Table::Verdicts, Table::Issues, Table::Rates, Table::Tools, Table::IssueTypes] {
        assert_eq!(read_table(&run, table).height, 0);
    }
}

#[test]
fn any_thread_can_encode() {
    let tables = VerdictTables::new(legend()).expect("a schema");
    let batches = batches(2);
    let rows: Vec<_> = std::thread::scope(|scope| {
        let tables = &tables;
        let workers: Vec<_> = batches
            .into_iter()
            .map(|batch| scope.spawn(move || tables.encode(NamedRows::of(batch, tables.legend()))))
            .collect();
        let encoded = workers.into_iter().map(|worker| worker.join().expect("no panic"));
        encoded.map(|encoded| encoded.expect("encodable").verdicts.rows()).collect()
    });
    assert_eq!(rows, [2, 2]);
}

#[test]
fn bands_stand_beside_confidence_and_quality() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let run = place.path().join("run");
    write_run(&run, 4);
    let verdicts = read_table(&run, Table::Verdicts);
    let row = |at: usize| {
        ["confidence", "confidence_band", "quality_score", "quality_band"]
            .map(|column| verdicts.text(column, at))
    };
    assert_eq!(row(0), ["1", "very_high", "1", "excellent"]);
    assert_eq!(row(3), ["0.33333333333333337", "low", "0.62", "fair"]);
}
