//! The questions of `docs/query.md`: in SQL and in polars they have the same answer, which is shown.

use super::console::{Scene, steps};
use super::{document, may_write, root, while_writing};
use crate::harness::skipped;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Asks both, in Python.
const ASK: &str = include_str!("queries.py");

#[test]
fn questions_have_one_answer_which_is_shown() {
    let _alone = while_writing();
    let document = document("docs/query.md");
    let fences = document.fences();
    let bodies = |language: &str| -> Vec<&str> {
        let of_language = fences.iter().filter(|fence| fence.language() == language);
        of_language.map(|fence| fence.body.as_str()).collect()
    };
    let (sql, python, shown) = (bodies("sql"), bodies("python"), bodies("text"));
    assert!(sql.len() >= 12, "a dozen questions");
    assert_eq!(
        (sql.len(), sql.len()),
        (python.len(), shown.len()),
        "each asked twice, and answered"
    );
    let scene = Scene::set(&document);
    for fence in fences.iter().filter(|fence| fence.language() == "console") {
        for step in steps(fence) {
            scene.run(&step.command);
        }
    }
    let pairs: Vec<_> = sql.iter().zip(&python).collect();
    let questions = serde_json::to_vec(&pairs).expect("JSON");
    let python = std::env::var_os("TAPECHECK_PYTHON").unwrap_or_else(|| "python3".into());
    let asked = Command::new(python)
        .args(["-c", ASK])
        .current_dir(scene.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut asked) = asked else { return skipped("python3 is absent") };
    let mut pipe = asked.stdin.take().expect("a pipe was asked for");
    // Where DuckDB is absent, nobody reads.
    let _ = pipe.write_all(&questions);
    drop(pipe);
    let asked = asked.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&asked.stdout);
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    if said.starts_with("absent: ") {
        return skipped(&format!(
            "TAPECHECK_PYTHON names no python with duckdb and polars ({said})"
        ));
    }
    let answers: Vec<String> = serde_json::from_str(&said).expect("a list of tables");
    if may_write() {
        let mut answers = answers.iter();
        let mut text = String::new();
        let mut rest = document.text.as_str();
        while let Some((before, after)) = rest.split_once("```text\n") {
            let (_, after) = after.split_once("```\n").expect("every fence is closed");
            text.push_str(before);
            text.push_str("```text\n");
            text.push_str(answers.next().map_or("", String::as_str));
            text.push_str("```\n");
            rest = after;
        }
        text.push_str(rest);
        fs::write(root().join("docs/query.md"), text).expect("the document can be written");
        return;
    }
    for ((question, shown), answer) in sql.iter().zip(&shown).zip(&answers) {
        assert_eq!(
            shown, answer,
            "docs/query.md is out of date, run the tests with TAPECHECK_WRITE_DOCS=1:\n{question}"
        );
    }
}
