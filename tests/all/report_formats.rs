//! `tapecheck report --format`: a run in the formats of other programs, each with the numbers of
//! `summary.json`, each safe whatever was recorded.

use crate::harness::{Ran, finish, good, lines, program};
use crate::support::corpus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tapecheck::internals::store::{Table, TableReader, TextColumn};

pub(crate) const FORMATS: [&str; 3] = ["html", "md", "json"];

/// What recordings may hold to become more than text.
const HOSTILE: &str =
    "=1+1</failure>]]>&\\\"'<script>|`@all` #1 [x](http://y){0}\\u001b[31m\\u202e##[add-mask]";

/// A folder with recordings and runs.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn ask(&self, arguments: &[&str]) -> Ran {
        finish(program().current_dir(self.folder.path()).args(arguments))
    }

    pub(crate) fn judge(&self, recordings: &Path, out: &str) {
        let recordings = recordings.to_string_lossy();
        let arguments = ["run", &recordings, "--quiet", "--rulebook", "guide", "--out", out];
        self.ask(&arguments).ended_with(0);
    }

    /// A run in a format, and what else to ask for.
    pub(crate) fn report(&self, run: &str, format: &str, more: &[&str]) -> String {
        let out = format!("{run}.{format}");
        let asked = format!("{format}={out}");
        let mut arguments = vec!["show", run, "--format", &asked];
        arguments.extend(more);
        self.ask(&arguments).ended_with(0);
        fs::read_to_string(self.folder.path().join(out)).expect("a report")
    }

    fn summary(&self, run: &str) -> Value {
        let path = self.folder.path().join(run).join("summary.json");
        serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
    }
}

fn failing(id: &str, server: &str, tool: &str) -> String {
    format!(
        r#"{{"id":"{id}","server":"{server}","tool":"{tool}","input":{{"of":"{id}"}},"response":{{"isError":true,"content":[{{"type":"text","text":"connect ECONNREFUSED {id}"}}]}}}}"#
    )
}

/// A reply that no one can read.
fn broken(id: &str, server: &str, tool: &str) -> String {
    format!(
        r#"{{"id":"{id}","server":"{server}","tool":"{tool}","input":{{}},"response":{{"content":"{HOSTILE}"}}}}"#
    )
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn numbers_are_those_of_the_summary() {
    let scene = Scene::new();
    scene.judge(&corpus().join("field"), "run");
    let summary = scene.summary("run");
    let report = object(&scene.report("run", "json", &[]));
    assert_eq!(report["format"], "tapecheck-report/1");
    let total = summary["counts"]["exchanges"].as_u64().expect("a number");
    assert!(total > 1000, "the corpus is not that small");
    for (name, count) in summary["counts"].as_object().expect("an object") {
        if name != "unknown_files" {
            assert_eq!(&report["totals"][name], count, "{name}");
        }
    }
    let of = |section: &str, what: &str| -> u64 {
        let rows = report[section].as_array().expect("rows");
        rows.iter().map(|row| row[what].as_u64().expect("a number")).sum()
    };
    let classes = report["classes"].as_array().expect("rows");
    for row in classes {
        assert_eq!(row["count"], summary["classes"][row["name"].as_str().expect("a name")]);
        assert_eq!(row["out_of"], total);
    }
    for answer in report["answers"].as_array().expect("rows") {
        assert_eq!(answer["count"], summary[answer["name"].as_str().expect("a name")]);
    }
    assert_eq!(of("servers", "out_of"), total);
    assert_eq!(of("tools", "out_of"), total);
    assert_eq!(of("servers", "count"), of("tools", "count"));
    assert_eq!(of("issue_types", "count"), summary["counts"]["issues"]);
    assert_eq!(
        report["tools"].as_array().map(Vec::len),
        summary["tools"].as_u64().and_then(|it| usize::try_from(it).ok())
    );

    tables_agree(&scene.folder.path().join("run"), (&summary, &report));
    let markdown = scene.report("run", "md", &[]);
    let shown = |count: &Value| {
        let text = count.to_string();
        let mut out = String::new();
        for (at, digit) in text.chars().enumerate() {
            if at > 0 && (text.len() - at).is_multiple_of(3) {
                out.push(',');
            }
            out.push(digit);
        }
        out
    };
    let outcomes = report["outcomes"].as_array().expect("rows");
    for outcome in outcomes.iter().filter(|outcome| outcome["count"] != 0) {
        let count = shown(&outcome["count"]);
        assert!(markdown.contains(&format!("| {count} |")), "{count} is not in:\n{markdown}");
    }
    assert!(markdown.lines().count() < 90, "it is one screen:\n{markdown}");
}

/// Holds the reports against the tables of the run, row by row, as others count them.
fn tables_agree(run: &Path, (summary, report): (&Value, &Value)) {
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut tools: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut types: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut verdicts = TableReader::open(run, Table::Verdicts).expect("a table");
    for group in 0..verdicts.groups() {
        let [class, kind, server, tool] = ["classification", "error_kind", "server", "tool"]
            .map(|name| verdicts.texts(group, name).expect("a column"));
        for row in 0..verdicts.rows(group) {
            let text = |column: &TextColumn| column.get(row).unwrap_or_default().to_owned();
            *classes.entry(text(&class)).or_default() += 1;
            if let Some(kind) = kind.get(row) {
                *kinds.entry(kind.to_owned()).or_default() += 1;
            }
            *tools.entry((text(&server), text(&tool))).or_default() += 1;
        }
    }
    let mut issues = TableReader::open(run, Table::Issues).expect("a table");
    for group in 0..issues.groups() {
        let [severity, kind] =
            ["severity", "type"].map(|name| issues.texts(group, name).expect("a column"));
        for row in 0..issues.rows(group) {
            let text = |column: &TextColumn| column.get(row).unwrap_or_default().to_owned();
            *types.entry((text(&severity), text(&kind))).or_default() += 1;
        }
    }
    let rows = |section: &str| report[section].as_array().expect("rows").clone();
    let text = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    let count = |row: &Value, name: &str| row[name].as_u64().expect("a number");
    let told: BTreeMap<String, u64> = rows("classes")
        .iter()
        .map(|row| (text(row, "name"), count(row, "count")))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(told, classes);
    let told: BTreeMap<String, u64> =
        rows("error_kinds").iter().map(|row| (text(row, "name"), count(row, "count"))).collect();
    assert_eq!(told, kinds);
    // What has no name is shown as such.
    let shown = |name: &str| if name.is_empty() { "(no name)" } else { name }.to_owned();
    let told: BTreeMap<(String, String), u64> = rows("tools")
        .iter()
        .map(|row| ((text(row, "server"), text(row, "tool")), count(row, "out_of")))
        .collect();
    let counted: BTreeMap<(String, String), u64> = tools
        .iter()
        .map(|((server, tool), count)| ((shown(server), shown(tool)), *count))
        .collect();
    assert_eq!(told, counted);
    let told: BTreeMap<(String, String), u64> = rows("issue_types")
        .iter()
        .map(|row| ((text(row, "severity"), text(row, "type")), count(row, "count")))
        .collect();
    assert_eq!(told, types);
    assert_eq!(types.values().sum::<u64>(), summary["counts"]["issues"]);
    for (name, count) in summary["counts"].as_object().expect("an object") {
        if name != "unknown_files" {
            assert_eq!(&report["totals"][name], count, "{name}");
        }
    }
}

#[test]
fn a_call_that_failed_counts_whatever_its_class_and_a_refused_one_does_not() {
    let scene = Scene::new();
    let traceback = r"Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'x'";
    let crashed = |at: usize| {
        failing(&format!("c{at}"), "shop", "sell")
            .replace(&format!("connect ECONNREFUSED c{at}"), traceback)
    };
    let refused =
        failing("r", "shop", "find").replace("connect ECONNREFUSED r", "User not found: 123");
    let recording: Vec<String> = (0..30).map(crashed).chain([refused]).collect();
    scene.file("recordings/a.jsonl", &lines(&recording));
    scene.judge(Path::new("recordings"), "run");
    let summary = scene.summary("run");
    assert_eq!(summary["classes"]["fully_working"], 31);
    assert_eq!(summary["counts"]["issues"], 0, "the guide has no issue for it");

    let report = object(&scene.report("run", "json", &[]));
    let rows = report["tools"].as_array().expect("rows");
    let counts = rows.iter().map(|row| (row["tool"].as_str(), row["count"].as_u64()));
    let expected = [(Some("sell"), Some(30)), (Some("find"), Some(0))];
    assert_eq!(counts.collect::<Vec<_>>(), expected, "{rows:#?}");
}

#[test]
fn a_run_in_which_nothing_was_judged_is_told_as_such() {
    let scene = Scene::new();
    let ping = r#"{"ts":"2026-11-22T00:00:00.000Z","dir":"c2s","msg":{"jsonrpc":"2.0","method":"ping","id":1}}"#;
    scene.file("recordings/a.jsonl", &lines(&[ping.to_owned()]));
    let arguments = ["run", "recordings", "--quiet", "--out", "run"];
    scene.ask(&arguments).ended_with(3);
    let text = scene.report("run", "md", &[]);
    assert!(text.contains("no calls were found"), "{text}");
}

#[test]
fn a_secret_cut_by_a_quotation_is_in_no_format() {
    let scene = Scene::new();
    let recording: Vec<String> = (60..130)
        .map(|padding| {
            let text = format!(
                "Something crashed hard: {} jane.hunter7person@example.com tail",
                &"word ".repeat(40)[..padding]
            );
            failing(&format!("f{padding}"), "shop", "sell")
                .replace(&format!("connect ECONNREFUSED f{padding}"), &text)
        })
        .collect();
    scene.file("recordings/a.jsonl", &lines(&recording));
    scene.judge(Path::new("recordings"), "run");
    for format in FORMATS {
        let text = scene.report("run", format, &[]);
        assert!(!text.contains("jane.h"), "{format}:\n{text}");
    }
}

#[test]
fn an_issue_quotes_the_reply_or_nothing() {
    let scene = Scene::new();
    let reply = |id: &str, is_error: bool, content: &str| {
        format!(
            r#"{{"id":"{id}","server":"s","tool":"sum","input":{{}},"response":{{"isError":{is_error},"content":[{content}]}}}}"#
        )
    };
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let hidden =
        text("Error: failed to connect to db7: connection refused, password=hunter2hunter2");
    let silent = r#"{"type":"text","text":" "}"#;
    scene.file(
        "recordings/calls.jsonl",
        &lines(&[reply("a", false, &hidden), reply("b", true, silent)]),
    );
    let judge = ["run", "recordings", "--quiet", "--rulebook", "calibrated", "--out", "run"];
    let ran = scene.ask(&[&judge[..], &["--stdout", "jsonl"]].concat()).ended_with(0);
    for line in ran.out.lines() {
        let verdict = object(line);
        let message = verdict["issues"][0]["message"].as_str().expect("an issue");
        assert!(!message.trim_end().ends_with(':'), "{message}");
    }
    for format in FORMATS {
        let report = scene.report("run", format, &[]);
        let has_messages = format == "html";
        assert_eq!(report.contains("failed to connect to db7"), has_messages, "{format}: {report}");
        assert!(!report.contains("hunter2"), "{format}");
    }
}

#[test]
fn equal_runs_are_equal_files_and_hostile_recordings_stay_text() {
    let scene = Scene::new();
    let recording = [broken("b", HOSTILE, HOSTILE), failing("f", HOSTILE, HOSTILE), good("g")];
    scene.file("recordings/a.jsonl", &lines(&recording));
    for run in ["run", "again"] {
        scene.judge(Path::new("recordings"), run);
    }
    for format in FORMATS.iter().filter(|format| **format != "html") {
        let text = scene.report("run", format, &[]);
        assert_eq!(text, scene.report("again", format, &[]), "{format}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format}:\n{text}");
        assert!(!text.contains("##[add"), "{format}:\n{text}");
    }
    for name in ["summary.json", "sessions.jsonl", "manifest.json", "tools.csv", "issue_types.csv"]
    {
        let text = fs::read_to_string(scene.root().join("run").join(name)).expect("a file");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{name}:\n{text}");
        let has_formula = text.contains(",=1") || text.contains(",\"=1");
        assert!(!has_formula || !name.contains(".csv"), "{text}");
    }
    let markdown = scene.report("run", "md", &[]);
    let ours = ["<code>", "</code>"].iter().fold(markdown, |text, tag| text.replace(tag, ""));
    for markup in ["<", "[", "@", "http:"] {
        assert!(!ours.contains(markup), "{markup} in:\n{ours}");
    }
}

#[test]
fn what_changed_and_what_is_new_are_told() {
    let scene = Scene::new();
    let recording = |failures: usize| {
        let good = (0..12).map(|at| good(&format!("g{at}")));
        lines(
            &good
                .chain((0..failures).map(|at| broken(&format!("b{at}"), "shop", "sell")))
                .collect::<Vec<_>>(),
        )
    };
    scene.file("recordings/a.jsonl", &recording(0));
    scene.judge(Path::new("recordings"), "before");
    scene.file("recordings/a.jsonl", &recording(2));
    scene.judge(Path::new("recordings"), "after");
    let report = object(&scene.report("after", "json", &["--baseline", "before"]));
    assert_eq!(report["changes"]["since"], "before");
    assert_eq!(report["changes"]["kind"], "run");
    assert_eq!(report["changes"]["comparison"]["kinds"]["added"], 2);
    let types = report["issue_types"].as_array().expect("rows");
    assert!(types.iter().any(|issue| issue["new"] == true), "{types:#?}");
    let markdown = scene.report("after", "md", &["--baseline", "before"]);
    assert!(markdown.contains("**new**") && markdown.contains("What changed since"), "{markdown}");
    assert!(markdown.contains("What changed since the run <code>before</code>"), "{markdown}");
    let page = scene.report("after", "html", &["--baseline", "before"]);
    assert!(page.contains("since the run before"), "the page says so too");
    let same = object(&scene.report("after", "json", &["--baseline", "after"]));
    assert_eq!(same["changes"]["nothing"], true);
    let unasked = object(&scene.report("after", "json", &[]));
    assert_eq!(unasked["changes"], Value::Null);
}

#[test]
fn a_run_is_held_against_a_baseline() {
    let scene = Scene::new();
    let recording = |failures: usize| {
        let good = (0..12).map(|at| good(&format!("g{at}")));
        let failing = (0..failures).map(|at| broken(&format!("b{at}"), "shop", "sell"));
        lines(&good.chain(failing).collect::<Vec<_>>())
    };
    scene.file("recordings/a.jsonl", &recording(0));
    scene
        .ask(&["review", "--all", "recordings", "--rulebook", "guide", "--baseline", "kept"])
        .ended_with(0);
    scene.file("recordings/a.jsonl", &recording(2));
    scene.judge(Path::new("recordings"), "after");
    let baseline = "kept/recordings/guide.snap";
    let against = ["--baseline", baseline];
    let report = object(&scene.report("after", "json", &against));
    assert_eq!(report["changes"]["since"], baseline);
    assert_eq!(report["changes"]["kind"], "baseline");
    let kinds = &report["changes"]["comparison"]["kinds"];
    assert_eq!((&kinds["added"], &kinds["same"]), (&2.into(), &12.into()), "{kinds:#}");
    let types = report["issue_types"].as_array().expect("rows");
    assert!(types.iter().any(|issue| issue["new"] == true), "{types:#?}");
    let markdown = scene.report("after", "md", &against);
    let since = format!("What changed since the baseline <code>{baseline}</code>");
    assert!(markdown.contains(&since), "{markdown}");
    let page = scene.report("after", "html", &against);
    let since = format!("since the baseline {baseline}");
    assert!(page.contains(&since), "{since}");
    // Held against what was accepted of itself, nothing is new.
    scene
        .ask(&["review", "--all", "recordings", "--rulebook", "guide", "--baseline", "same"])
        .ended_with(0);
    let same = ["--baseline", "same/recordings/guide.snap"];
    let report = object(&scene.report("after", "json", &same));
    let types = report["issue_types"].as_array().expect("rows");
    assert!(types.iter().all(|issue| issue["new"] == false), "{types:#?}");
    assert_eq!(report["changes"]["comparison"]["kinds"]["same"], 14);
    for (other, why) in [
        ("absent", "is not there"),
        ("recordings", "neither a run nor a baseline"),
        ("/dev/zero", "error: /dev/zero is"),
    ] {
        let ran =
            scene.ask(&["show", "after", "--format", "html", "--baseline", other]).ended_with(2);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    scene.file("torn.snap", "---\nsource: x\n---\nno baseline\n");
    scene
        .ask(&["show", "after", "--format", "html", "--baseline", "torn.snap"])
        .ended_with(3)
        .complaining("torn.snap");
}

#[test]
fn a_history_brings_its_alarms() {
    let scene = Scene::new();
    let mut recording = Vec::new();
    for night in 1..=28 {
        for at in 0..120 {
            let id = format!("n{night}-{at}");
            let line = if night >= 25 && at % 3 == 0 {
                failing(&id, "shop", "sell")
            } else {
                good(&id).replace("\"tool\":\"get\"", "\"server\":\"shop\",\"tool\":\"sell\"")
            };
            let day = format!("{{\"recorded_at\":\"2026-10-{night:02}T03:00:00Z\",");
            recording.push(line.replacen('{', &day, 1));
        }
    }
    scene.file("recordings/a.jsonl", &lines(&recording));
    scene.judge(Path::new("recordings"), "run");
    scene.ask(&["trend", "nights", "--add", "run"]).ended_with(0);
    let report = object(&scene.report("run", "json", &["--history", "nights"]));
    let alarms = report["alarms"].as_array().expect("alarms");
    let since: BTreeMap<&str, &str> = alarms
        .iter()
        .map(|alarm| {
            (alarm["by"].as_str().expect("a text"), alarm["since"].as_str().expect("a text"))
        })
        .collect();
    assert_eq!(since.get("answer"), Some(&"2026-10-25"), "{alarms:#?}");
    let markdown = scene.report("run", "md", &["--history", "nights"]);
    assert!(markdown.contains("**Changed, and not back to normal:**"), "{markdown}");
}

#[test]
fn everything_but_the_page_goes_to_standard_output() {
    let scene = Scene::new();
    scene.file("recordings/a.jsonl", &lines(&[good("g")]));
    scene.judge(Path::new("recordings"), "run");
    let printed = scene.ask(&["show", "run", "--format", "json"]).ended_with(0);
    assert_eq!(object(&printed.out)["headline"], "Of 1 call, 1 worked.");
    let page = scene.ask(&["show", "run", "--format", "html"]).ended_with(0);
    assert_eq!(page.out, "");
    scene.ask(&["show", "run", "--format", "xml"]).ended_with(2);
    scene.ask(&["show", "run", "--format", "md=no/such/folder.md"]).ended_with(3);
}

#[test]
fn a_page_that_tells_what_changed_is_not_written_over_without_it() {
    let scene = Scene::new();
    let recordings = corpus().join("guide");
    scene.judge(&recordings, "run");
    let recordings = recordings.to_string_lossy().into_owned();
    let again = ["run", &recordings, "--quiet", "--rulebook", "calibrated", "--out", "run"];
    scene.ask(&again).ended_with(0);
    let page = || fs::read_to_string(scene.folder.path().join("run/report.html")).expect("a page");
    let before = page();
    assert!(before.contains("What changed, and why"));
    scene
        .ask(&["show", "run", "--format", "html"])
        .ended_with(2)
        .complaining("compares with another run");
    assert_eq!(page(), before);
    scene.ask(&["show", "run", "--format", "html=other.html"]).ended_with(0);
    scene.ask(&["show", "run", "--format", "json"]).ended_with(0);
    scene.ask(&["show", "run", "--format", "html", "--baseline", "run"]).ended_with(0);
    assert_ne!(page(), before);
    scene.ask(&["show", "run", "--format", "html"]).ended_with(0);
}

#[test]
fn a_rulebook_that_is_not_the_one_that_judged_is_told() {
    let scene = Scene::new();
    scene.judge(&corpus().join("guide"), "run");
    let path = scene.folder.path().join("run/rulebook.toml");
    let text = fs::read_to_string(&path).expect("a rulebook");
    fs::write(&path, text.replacen("not found", "not so found", 1)).expect("writable");
    scene.ask(&["show", "run", "--format", "html"]).ended_with(3).complaining("rulebook.toml");
}

#[test]
fn crashes_are_failures_in_every_headline_whatever_class_the_rulebook_gives_them() {
    let scene = Scene::new();
    let crash = |number: usize| {
        let text =
            r#"Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'title'"#;
        format!(
            r#"{{"tool":"zzz","input":{{"n":{number}}},"response":{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    scene.file("recordings/a.jsonl", &lines(&(0..30).map(crash).collect::<Vec<_>>()));
    scene.file(
        "judged.toml",
        "name = \"judged\"\nextends = \"guide\"\n[errors]\npolicy = \"judged\"\n",
    );
    for (rulebook, class, confidence) in [
        ("calibrated", "error", 90.0),
        ("guide", "fully_working", 100.0),
        ("judged.toml", "error", 0.0),
    ] {
        let run = ["run", "recordings", "--out", "run", "--rulebook", rulebook];
        let failing = scene.ask(&[&run[..], &["--fail-on", "error"]].concat()).ended_with(1);
        failing.printing("failed      30  100.0 %");
        let markdown = scene.ask(&["show", "run", "--format", "md"]).ended_with(0);
        assert!(
            markdown.out.starts_with("## tapecheck: Of 30 calls, 30 failed."),
            "under {rulebook}: {}",
            markdown.out
        );
        let json: Value = scene.ask(&["show", "run", "--format", "json"]).json();
        assert_eq!(json["headline"], "Of 30 calls, 30 failed.", "under {rulebook}");
        let lines = scene.ask(&[&run[..], &["--stdout", "jsonl"]].concat()).ended_with(0).out;
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).expect("a verdict");
            assert_eq!(line["classification"], class, "under {rulebook}");
            assert_eq!(line["confidence_percent"], confidence, "under {rulebook}");
        }
    }
}
