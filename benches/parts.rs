//! The parts of the road, each on its own: `cargo bench --bench parts`.
//!
//! Whole processes are measured by `benches/compare.sh`.
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tapecheck::internals::json::{scan_document, to_value, write_canonical};

const DEPTH: usize = 512;

/// An exchange line about as long as the middle one of a recording.
fn line() -> String {
    let text =
        "The order of the 3rd was \\\"moved\\\" to Zürich.\\nIt contains 12 rows and no gaps. "
            .repeat(3);
    format!(
        r#"{{"id":"x1","recorded_at":"2026-03-01T00:00:12.960Z","server":"inventory","tool":{{"name":"get_order","description":"Reads one order","inputSchema":{{"type":"object","properties":{{"id":{{"type":"integer","minimum":0}}}},"required":["id"]}}}},"input":{{"id":4711}},"duration_ms":17,"response":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    )
}

/// The same line as Python's default writer spells it.
fn spaced_line() -> String {
    line().replace("\":", "\": ").replace(",\"", ", \"").replace('ü', "\\u00fc")
}

fn json(criterion: &mut Criterion) {
    for (spelling, line) in [("compact", line()), ("spaced", spaced_line())] {
        let mut group = criterion.benchmark_group(format!("json/{spelling}"));
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_function("scan", |bench| {
            bench.iter(|| scan_document(black_box(&line), DEPTH).is_ok());
        });
        let raw = scan_document(&line, DEPTH).expect("the line is well-formed");
        group.bench_function("members", |bench| {
            bench.iter(|| {
                black_box(raw).member("response").and_then(|reply| reply.member("isError"))
            });
        });
        group.bench_function("tree", |bench| {
            bench.iter_batched(|| raw, to_value, BatchSize::SmallInput);
        });
        let mut canonical = String::new();
        group.bench_function("canonical_hash", |bench| {
            bench.iter(|| {
                canonical.clear();
                write_canonical(black_box(raw), &mut canonical);
                xxhash_rust::xxh3::xxh3_128(canonical.as_bytes())
            });
        });
    }
}

fn text(criterion: &mut Criterion) {
    let errors = [
        "Input validation error: 'query' is a required property",
        "Record copper-4711 not found in workspace Zürich",
        "TypeError: Cannot read properties of undefined (reading 'name')\\n    at /srv/app/index.js:12:7",
    ];
    let patterns = [
        "not found",
        "does not exist",
        "invalid input",
        "unauthorized",
        "already exists",
        "rate limit",
    ];
    let automaton = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(patterns)
        .expect("six plain patterns fit");
    let mut group = criterion.benchmark_group("text");
    group.throughput(Throughput::Bytes(errors.iter().map(|text| text.len() as u64).sum()));
    let quoted = errors.map(|text| format!("\"{text}\""));
    let recorded = quoted.each_ref().map(|text| {
        let raw = scan_document(text, DEPTH).expect("the text is well-formed");
        raw.as_str().expect("it is a string")
    });
    group.bench_function("decode", |bench| {
        bench.iter(|| black_box(recorded).map(|text| text.decode().len()));
    });
    group.bench_function("one_pass", |bench| {
        bench.iter(|| errors.map(|text| automaton.find_overlapping_iter(black_box(text)).count()));
    });
    group.bench_function("one_by_one", |bench| {
        bench.iter(|| {
            errors.map(|text| {
                let lower = black_box(text).to_lowercase();
                patterns.iter().filter(|pattern| lower.contains(**pattern)).count()
            })
        });
    });
}

criterion_group!(parts, json, text);
criterion_main!(parts);
