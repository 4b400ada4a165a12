//! The documents: their commands run and print what is shown, their links lead somewhere, their
//! tables are those of the code.

mod accuracy;
#[cfg(unix)]
mod console;
mod markdown;
mod other_rules;
mod policies;
#[cfg(unix)]
mod queries;

use crate::support::Judged;
use markdown::{Document, documents};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tapecheck::internals::check::CHECKS;
use tapecheck::internals::corpus::{Bounds, UnreadableReason};
use tapecheck::internals::labels::Fault;
use tapecheck::internals::recording::Fate;

/// The project's folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Set to write what can be written instead of complaining about it.
fn may_write() -> bool {
    std::env::var_os("TAPECHECK_WRITE_DOCS").is_some()
}

/// Held while a document is read and written again, where they are written: tests run side by side.
fn while_writing() -> Option<MutexGuard<'static, ()>> {
    static WRITING: Mutex<()> = Mutex::new(());
    may_write().then(|| WRITING.lock().unwrap_or_else(PoisonError::into_inner))
}

fn document(name: &str) -> Document {
    let found = documents().into_iter().find(|document| document.name == name);
    found.unwrap_or_else(|| panic!("{name} is missing"))
}

#[test]
fn links_between_documents_lead_somewhere() {
    let all = documents();
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in &all {
        let folder = Path::new(&document.name).parent().unwrap_or(Path::new(""));
        for (number, link) in document.links() {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                PathBuf::from(&document.name)
            } else {
                markdown::resolve(&folder.join(file))
            };
            followed += 1;
            let heading_exists = || {
                let named = all.iter().find(|other| Path::new(&other.name) == target);
                named.is_some_and(|other| other.anchors().iter().any(|known| known == anchor))
            };
            if !root().join(&target).exists() {
                broken.push(format!("{}:{number}: there is no {link}", document.name));
            } else if !anchor.is_empty() && !heading_exists() {
                broken.push(format!("{}:{number}: no heading fits {link}", document.name));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
    assert!(followed >= 15, "only {followed} links were found; is the reader of links blind?");
}

#[test]
fn the_readme_leads_to_every_document() {
    let readme = document("README.md");
    let linked: Vec<String> = readme.links().into_iter().map(|(_, link)| link).collect();
    let forgotten: Vec<String> = documents()
        .into_iter()
        .map(|document| document.name)
        .filter(|name| name.starts_with("docs/") && !linked.contains(name))
        .collect();
    assert!(forgotten.is_empty(), "README.md does not mention {forgotten:?}");
}

/// Commands that are told but cannot be run within a test.
const ONLY_TOLD: [&str; 6] = [
    "cargo test",
    "cargo install --path .",
    "cargo insta review",
    "TAPECHECK_WRITE_DOCS=1 cargo test",
    "release/wheel.sh",
    "pip install target/wheels/tapecheck-0.1.0-*.whl",
];

#[test]
fn commands_stand_where_they_are_run() {
    let mut stray = Vec::new();
    for document in documents().iter().filter(|document| document.is_ours_to_run()) {
        for fence in document.fences() {
            let name = &document.name;
            match fence.language() {
                "console" => {}
                "sh" => {
                    let told = fence.body.lines().filter(|line| !ONLY_TOLD.contains(line));
                    stray.extend(told.map(|line| format!("{name}:{}: {line}", fence.line)));
                }
                _ => {
                    let prompts = fence.body.lines().filter(|line| line.starts_with("$ "));
                    stray.extend(prompts.map(|line| format!("{name}:{}: {line}", fence.line)));
                }
            }
        }
    }
    assert!(
        stray.is_empty(),
        "these commands are shown but never run; put them into a ```console block:\n{}",
        stray.join("\n")
    );
}

/// The rows of a table as Markdown, with the first column as code.
fn table(rows: &[(&str, &str)]) -> String {
    let mut table = String::new();
    for (at, (left, right)) in rows.iter().enumerate() {
        let left = if at == 0 { (*left).to_owned() } else { format!("`{left}`") };
        let columns = 2 + right.matches(" | ").count();
        let rule = if at == 0 { "|---".repeat(columns) + "|\n" } else { String::new() };
        let _ = write!(table, "| {left} | {right} |\n{rule}");
    }
    table
}

/// Holds what stands between two marks of a document against the table that belongs there.
fn table_is_current(name: &str, marks: (&str, &str), rows: &[(&str, &str)]) {
    part_is_current(name, marks, &table(rows));
}

/// Holds what stands between two marks of a document against what belongs there.
fn part_is_current(name: &str, (begin, end): (&str, &str), part: &str) {
    let part = format!("\n{part}\n");
    let _alone = while_writing();
    let document = document(name);
    let text = &document.text;
    let start = text.find(begin).expect("the mark before the part") + begin.len() + 1;
    let end = text.find(end).expect("the mark after the part");
    if text[start..end] != part && may_write() {
        let whole = format!("{}{part}{}", &text[..start], &text[end..]);
        fs::write(root().join(name), whole).expect("the document can be written");
    } else {
        assert_eq!(
            &text[start..end],
            part,
            "{name} is out of date; run the tests with TAPECHECK_WRITE_DOCS=1 to write it"
        );
    }
}

#[test]
fn the_rules_of_redaction_are_those_of_the_program() {
    let marks = ("<!-- the rules, written by a test -->", "<!-- end of the rules -->");
    let redactor = tapecheck::internals::redact::Redactor::builtin();
    let shown: Vec<String> = redactor
        .rules()
        .iter()
        .map(|rule| format!("{} Shown as `{}`.", rule.about, rule.shown))
        .collect();
    let names = redactor.rules().iter().map(|rule| rule.name.as_str());
    let rules = names.zip(shown.iter().map(String::as_str));
    let rows: Vec<_> = std::iter::once(("what", "how it is told")).chain(rules).collect();
    table_is_current("docs/redaction.md", marks, &rows);
}

#[test]
fn the_reasons_why_lines_cannot_be_read_are_those_of_the_code() {
    let marks = (
        "<!-- the reasons why a line cannot be read, written by a test -->",
        "<!-- end of the reasons -->",
    );
    let reasons = UnreadableReason::ALL.iter().map(|reason| (reason.name(), reason.about()));
    let rows: Vec<_> = std::iter::once(("reason", "meaning")).chain(reasons).collect();
    table_is_current("docs/recordings.md", marks, &rows);
}

#[test]
fn the_checks_are_those_of_the_code() {
    let marks = ("<!-- the checks, written by a test -->", "<!-- end of the checks -->");
    let checks = CHECKS.iter().map(|check| (check.kind.name(), check.about));
    let rows: Vec<_> = std::iter::once(("check", "what it looks at")).chain(checks).collect();
    table_is_current("docs/checks.md", marks, &rows);
}

#[test]
fn the_complaints_about_labels_are_those_of_the_code() {
    let marks = ("<!-- the complaints, written by a test -->", "<!-- end of the complaints -->");
    let faults: Vec<(&str, String)> = Fault::ALL
        .iter()
        .map(|fault| {
            let gravity = fault.severity().name();
            (fault.name(), format!("{gravity} | {}", fault.about()))
        })
        .collect();
    let rows = faults.iter().map(|(name, about)| (*name, about.as_str()));
    let rows: Vec<_> = std::iter::once(("kind", "gravity | what it means")).chain(rows).collect();
    table_is_current("docs/labels.md", marks, &rows);
}

#[test]
fn the_bounds_in_the_documents_are_the_defaults() {
    let bounds = Bounds::default();
    let text = document("docs/recordings.md").text;
    for (flag, default) in [
        ("bounds.max_line", bounds.max_line as u64),
        ("bounds.max_depth", bounds.max_depth as u64),
        ("bounds.max_ratio", bounds.max_ratio),
        ("bounds.max_waiting", bounds.max_waiting as u64),
    ] {
        let row = format!("| `{flag}` | {default} |");
        assert!(text.contains(&row), "docs/recordings.md has no row that begins with {row}");
    }
}

#[test]
fn how_calls_end_without_an_answer_is_explained() {
    let text = document("docs/recordings.md").text;
    let by_host = [Fate::Settled, Fate::NotSent, Fate::NotRecorded];
    for fate in Fate::ALL.iter().filter(|fate| !by_host.contains(fate)) {
        assert!(text.contains(&format!("`{}`", fate.name())), "{fate:?}");
    }
}

#[test]
fn the_exit_codes_in_the_readme_are_those_of_the_code() {
    let readme = document("README.md").text;
    for (code, about) in tapecheck::internals::cli::Exit::TABLE {
        let row = format!("| {code} | {about} |");
        assert!(readme.contains(&row), "README.md has no row {row}");
    }
}

#[test]
fn every_member_of_the_json_files_is_explained() {
    let judged = Judged::corpus("calibrated");
    let out = judged.folder();
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("a file of the run");
    let explained = document("docs/columns.md").text;
    let section = |name: &str| {
        let from = explained.split(&format!("\n## {name}\n")).nth(1).unwrap_or_default();
        from.split("\n## ").next().unwrap_or_default().to_owned()
    };
    let mut members = BTreeSet::new();
    let mut hold = |file: &'static str, object: &serde_json::Value, prefix: &str| {
        let keys = object.as_object().expect("an object").keys();
        members.extend(keys.map(|key| (file, format!("{prefix}{key}"))));
    };
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let manifest = parse(&read("manifest.json"));
    hold("manifest.json", &manifest["comparable"], "comparable.");
    hold("manifest.json", &manifest["wall"], "wall.");
    hold("manifest.json", &manifest["comparable"]["counts"], "");
    let summary = parse(&read("summary.json"));
    hold("summary.json", &summary, "");
    hold("summary.json", &summary["top_tools"][0], "");
    for verdict in &judged.verdicts {
        let name = "Lines of verdicts";
        hold(name, &serde_json::Value::Object(verdict.clone()), "");
        for part in ["issues", "hits"] {
            for object in verdict[part].as_array().expect("a list") {
                hold(name, object, "");
            }
        }
    }
    let is_missing = |(file, name): &&(&str, String)| !section(file).contains(&format!("`{name}`"));
    let missing: Vec<_> = members.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/columns.md does not explain {missing:#?}");
}
