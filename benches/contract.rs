//! What validating one call against a contract takes: `cargo bench --bench contract`.
//!
//! The document of the built-in contract wants each validation within 10 ms.
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::check::{CheckFiles, Checks, Judge};
use tapecheck::internals::corpus::{Bounds, read_exchange};
use tapecheck::internals::rulebook::Rulebook;

fn task(number: usize) -> String {
    let time = "2026-03-01T10:00:00Z";
    format!(
        r#"{{"id":{number},"user_id":1,"title":"Task {number}","description":null,"completed":false,"created_at":"{time}","updated_at":"{time}"}}"#
    )
}

fn line(tool: &str, input: &str, reply: &str) -> String {
    format!(
        r#"{{"tool":"{tool}","input":{input},"response":{{"content":[],"structuredContent":{reply}}}}}"#
    )
}

/// Calls of the contract `todo`, with what they are.
fn calls() -> [(&'static str, String); 4] {
    let one = format!(r#"{{"success":true,"task":{}}}"#, task(1));
    let tasks: Vec<String> = (1..=100).map(task).collect();
    let list = format!(r#"{{"success":true,"tasks":[{}],"count":100}}"#, tasks.join(","));
    let long = format!(r#"{{"user_id":1,"title":"{}"}}"#, "drop it; ".repeat(1 << 17));
    [
        ("valid call", line("add_task", r#"{"user_id":1,"title":"Buy bread"}"#, &one)),
        ("invalid call and response", line("add_task", r#"{"user_id":"x"}"#, r#"{"task":{}}"#)),
        ("list of 100 tasks", line("list_tasks", r#"{"user_id":1}"#, &list)),
        ("title of 1.2 MB", line("add_task", &long, &one)),
    ]
}

fn contract(criterion: &mut Criterion) {
    let rulebook = Rulebook::load("guide").expect("it is built in");
    let schemas = Schemas::new(rulebook.schema.clone());
    let files = CheckFiles { contracts: vec!["todo".to_owned()], ..CheckFiles::default() };
    let checks = Checks::load(&files, &rulebook.criteria).expect("it is built in");
    let bounds = Bounds::default();
    for (name, line) in calls() {
        let exchange = read_exchange(&line, &bounds).expect("a call");
        let mut group = criterion.benchmark_group(format!("contract/{name}"));
        let mut judge = Judge::new(&rulebook, &schemas);
        group.bench_function("without", |bench| bench.iter(|| judge.judge(black_box(&exchange))));
        let mut judge = Judge::new(&rulebook, &schemas).with_checks(checks.clone());
        group.bench_function("with", |bench| bench.iter(|| judge.judge(black_box(&exchange))));
        group.finish();
    }
}

criterion_group!(benches, contract);
criterion_main!(benches);
