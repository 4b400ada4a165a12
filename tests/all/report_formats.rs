//! `tapecheck report --format`: a run in the formats of other programs, each with the numbers of
//! `summary.json`, each safe whatever was recorded.

use crate::harness::{Ran, finish, good, lines, program};
use crate::sarif_schema;
use crate::support::corpus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub(crate) const FORMATS: [&str; 6] = ["html", "md", "json", "csv", "junit", "sarif"];

/// What recordings may hold to become more than text.
const HOSTILE: &str =
    "=1+1</failure>]]>&\\\"'<script>|`@all` #1 [x](http://y){0}\\u001b[31m\\u202e##[add-mask]";

/// A folder with tapes and runs.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn ask(&self, arguments: &[&str]) -> Ran {
        finish(program().current_dir(self.folder.path()).args(arguments))
    }

    pub(crate) fn judge(&self, tapes: &Path, out: &str) {
        let tapes = tapes.to_string_lossy();
        let arguments =
            ["run", &tapes, "--quiet", "--no-cache", "--rulebook", "guide", "--out", out];
        self.ask(&arguments).ended_with(0);
    }

    /// A run in a format, and what else to ask for.
    pub(crate) fn report(&self, run: &str, format: &str, more: &[&str]) -> String {
        let out = format!("{run}.{format}");
        let mut arguments = vec!["report", run, "--format", format, "--out", &out];
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
    for (row, class) in classes.iter().zip(summary["classes"].as_array().expect("classes")) {
        assert_eq!((&row["name"], &row["count"]), (&class[0], &class[1]));
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

    // The long table has the same rows.
    let csv = scene.report("run", "csv", &[]);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "section,name,server,tool,count,out_of,share,low,high");
    let section =
        |name: &str| rows.iter().filter(|row| row.starts_with(&format!("{name},"))).count();
    assert_eq!(section("tool"), report["tools"].as_array().expect("rows").len());
    assert_eq!(section("issue_type"), report["issue_types"].as_array().expect("rows").len());
    for class in classes {
        let (name, count) = (class["name"].as_str().expect("a name"), &class["count"]);
        let wanted = format!("class,{name},,,{count},{total},");
        assert!(rows.iter().any(|row| row.starts_with(&wanted)), "{wanted}");
    }

    // Cases fail where the table of issues has errors.
    let xml = scene.report("run", "junit", &[]);
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let count = |name: &str| document.descendants().filter(|it| it.has_tag_name(name)).count();
    let whole = document.root_element();
    assert_eq!(whole.attribute("tests"), Some(count("testcase").to_string().as_str()));
    assert_eq!(whole.attribute("failures"), Some(count("failure").to_string().as_str()));
    let servers = report["servers"].as_array().expect("rows").len();
    assert_eq!(count("testsuite"), servers + 1, "one a server, and one for what is about none");

    // A result for each issue, at most so many as are shown anywhere.
    let sarif = object(&scene.report("run", "sarif", &[]));
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let issues = summary["counts"]["issues"].as_u64().expect("a number");
    assert_eq!(results.len() as u64, issues.min(5000));
    let errors = results.iter().filter(|result| result["level"] == "error").count() as u64;
    assert_eq!(errors, summary["blocking_issues"].as_u64().expect("a number").min(5000));

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
    for class in classes.iter().filter(|class| class["count"] != 0) {
        let count = shown(&class["count"]);
        assert!(markdown.contains(&format!("| {count} |")), "{count} is not in:\n{markdown}");
    }
    assert!(markdown.lines().count() < 90, "it is one screen:\n{markdown}");
}

#[test]
fn a_tool_fails_where_it_has_errors_and_says_where() {
    let scene = Scene::new();
    let tape: Vec<String> = (0..3)
        .map(|at| broken(&format!("b{at}"), "shop", "sell"))
        .chain((0..2).map(|at| good(&format!("g{at}"))))
        .collect();
    scene.file("tapes/shop.jsonl", &format!("{}no line\n", lines(&tape)));
    scene.judge(Path::new("tapes"), "run");
    let xml = scene.report("run", "junit", &[]);
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let case = |name: &str| {
        let named = |it: &roxmltree::Node<'_, '_>| it.attribute("name") == Some(name);
        document.descendants().find(|it| it.has_tag_name("testcase") && named(it)).expect("a case")
    };
    let failure = case("sell").first_element_child().expect("a failure");
    let message = failure.attribute("message").expect("a message");
    assert_eq!(message, "3 of 3 exchanges with issues of severity error");
    let text = failure.text().expect("a text");
    assert!(text.contains("shop.jsonl:1 ") && text.contains("shop.jsonl:2 "), "{text}");
    assert!(case("get").first_element_child().is_none());
    let rejected = case("all was judged").first_element_child().expect("a failure");
    assert_eq!(rejected.attribute("message"), Some("1 line and 0 files could not be judged"));
}

#[test]
fn a_run_in_which_nothing_was_judged_is_told_as_such() {
    let scene = Scene::new();
    let ping = r#"{"ts":"2026-11-22T00:00:00.000Z","dir":"c2s","msg":{"jsonrpc":"2.0","method":"ping","id":1}}"#;
    scene.file("tapes/a.jsonl", &lines(&[ping.to_owned()]));
    let arguments = ["run", "tapes", "--quiet", "--no-cache", "--out", "run"];
    scene.ask(&arguments).ended_with(3);
    let xml = scene.report("run", "junit", &[]);
    let document = roxmltree::Document::parse(&xml).expect("XML");
    assert_ne!(document.root_element().attribute("failures"), Some("0"), "{xml}");
    for format in ["junit", "md", "sarif"] {
        let text = scene.report("run", format, &[]);
        assert!(text.contains("no exchange was found to judge"), "{format}:\n{text}");
    }
}

#[test]
fn a_secret_cut_by_a_quotation_is_in_no_format() {
    let scene = Scene::new();
    let tape: Vec<String> = (60..130)
        .map(|padding| {
            let text = format!(
                "Something crashed hard: {} jane.hunter7person@example.com tail",
                &"word ".repeat(40)[..padding]
            );
            failing(&format!("f{padding}"), "shop", "sell")
                .replace(&format!("connect ECONNREFUSED f{padding}"), &text)
        })
        .collect();
    scene.file("tapes/a.jsonl", &lines(&tape));
    scene.judge(Path::new("tapes"), "run");
    for format in FORMATS {
        let text = scene.report("run", format, &[]);
        assert!(!text.contains("jane.h"), "{format}:\n{text}");
    }
}

#[test]
fn sarif_leads_to_lines_and_is_what_its_schema_asks_for() {
    let scene = Scene::new();
    let tape = [broken("b", "shop", "sell"), failing("f", "shop", "sell"), good("g")];
    scene.file("tapes/a b.jsonl", &lines(&tape));
    scene.judge(Path::new("tapes"), "run");
    let log = object(&scene.report("run", "sarif", &["--tapes", "corpus/x/"]));
    let schema = sarif_schema::schema();
    let wrong: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(!results.is_empty());
    let mut prints = std::collections::BTreeSet::new();
    for result in results {
        let index = result["ruleIndex"].as_u64().and_then(|it| usize::try_from(it).ok());
        let rule = &rules[index.expect("a number")];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "corpus/x/a%20b.jsonl");
        assert!(place["region"]["startLine"].as_u64().is_some_and(|line| (1..=3).contains(&line)));
        prints.insert(result["partialFingerprints"]["issue/v1"].as_str().expect("a text"));
    }
    assert_eq!(prints.len(), results.len(), "each issue has its own");
}

#[test]
fn equal_runs_are_equal_files_and_hostile_recordings_stay_text() {
    let scene = Scene::new();
    let tape = [broken("b", HOSTILE, HOSTILE), failing("f", HOSTILE, HOSTILE), good("g")];
    scene.file("tapes/a.jsonl", &lines(&tape));
    for run in ["run", "again"] {
        scene.judge(Path::new("tapes"), run);
    }
    for format in FORMATS.iter().filter(|format| **format != "html") {
        let text = scene.report("run", format, &[]);
        assert_eq!(text, scene.report("again", format, &[]), "{format}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{format}:\n{text}");
        assert!(!text.contains("##[add"), "{format}:\n{text}");
    }
    let markdown = scene.report("run", "md", &[]);
    let ours = ["<code>", "</code>"].iter().fold(markdown, |text, tag| text.replace(tag, ""));
    for markup in ["<", "[", "@", "http:"] {
        assert!(!ours.contains(markup), "{markup} in:\n{ours}");
    }
    let csv = scene.report("run", "csv", &[]);
    assert!(!csv.contains(",=1") && !csv.contains(",\"=1"), "{csv}");
    let xml = scene.report("run", "junit", &[]);
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let tags = document.descendants().filter(roxmltree::Node::is_element);
    let mut tags: Vec<&str> = tags.map(|node| node.tag_name().name()).collect();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags, ["failure", "testcase", "testsuite", "testsuites"]);
}

#[test]
fn what_changed_and_what_is_new_are_told() {
    let scene = Scene::new();
    let tape = |failures: usize| {
        let good = (0..12).map(|at| good(&format!("g{at}")));
        lines(
            &good
                .chain((0..failures).map(|at| broken(&format!("b{at}"), "shop", "sell")))
                .collect::<Vec<_>>(),
        )
    };
    scene.file("tapes/a.jsonl", &tape(0));
    scene.judge(Path::new("tapes"), "before");
    scene.file("tapes/a.jsonl", &tape(2));
    scene.judge(Path::new("tapes"), "after");
    let report = object(&scene.report("after", "json", &["--against", "before"]));
    assert_eq!(report["changes"]["since"], "before");
    assert_eq!(report["changes"]["comparison"]["kinds"]["added"], 2);
    let types = report["issue_types"].as_array().expect("rows");
    assert!(types.iter().any(|issue| issue["new"] == true), "{types:#?}");
    let csv = scene.report("after", "csv", &["--against", "before"]);
    assert!(csv.lines().any(|line| line.starts_with("change,added,,,2,14,")), "{csv}");
    assert!(csv.contains("\nnew_issue_type,"), "{csv}");
    let markdown = scene.report("after", "md", &["--against", "before"]);
    assert!(markdown.contains("**new**") && markdown.contains("What changed since"), "{markdown}");
    let same = object(&scene.report("after", "json", &["--against", "after"]));
    assert_eq!(same["changes"]["nothing"], true);
    let unasked = object(&scene.report("after", "json", &[]));
    assert_eq!(unasked["changes"], Value::Null);
}

#[test]
fn a_history_brings_its_alarms() {
    let scene = Scene::new();
    let mut tape = Vec::new();
    for night in 1..=28 {
        for at in 0..120 {
            let id = format!("n{night}-{at}");
            let line = if night >= 25 && at % 3 == 0 {
                failing(&id, "shop", "sell")
            } else {
                good(&id).replace("\"tool\":\"get\"", "\"server\":\"shop\",\"tool\":\"sell\"")
            };
            let day = format!("{{\"recorded_at\":\"2026-10-{night:02}T03:00:00Z\",");
            tape.push(line.replacen('{', &day, 1));
        }
    }
    scene.file("tapes/a.jsonl", &lines(&tape));
    scene.judge(Path::new("tapes"), "run");
    scene.ask(&["history", "add", "run", "--history", "nights"]).ended_with(0);
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
    assert!(markdown.contains("**Changed over the nights, and not back:**"), "{markdown}");
    let csv = scene.report("run", "csv", &["--history", "nights"]);
    assert!(csv.lines().filter(|line| line.starts_with("alarm,")).count() >= 1, "{csv}");
}

#[test]
fn everything_but_the_page_goes_to_standard_output() {
    let scene = Scene::new();
    scene.file("tapes/a.jsonl", &lines(&[good("g")]));
    scene.judge(Path::new("tapes"), "run");
    let printed = scene.ask(&["report", "run", "--format", "json"]).ended_with(0);
    assert_eq!(object(&printed.out)["headline"], "The only exchange is fully working.");
    let page = scene.ask(&["report", "run"]).ended_with(0);
    assert_eq!(page.out, "");
    scene.ask(&["report", "run", "--format", "xml"]).ended_with(2);
    scene.ask(&["report", "run", "--format", "md", "--out", "no/such/folder.md"]).ended_with(3);
}
