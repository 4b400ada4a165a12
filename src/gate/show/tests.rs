//! What the outputs look like, and that hostile recordings stay text in each of them.

use super::super::testing::scene;
use super::*;
use crate::compare::Names;
use serde_json::Value;
use std::fmt::Write as _;

#[path = "../../../tests/all/sarif/schema.rs"]
mod schema;

fn text(report: &GateReport) -> String {
    crate::view::text::text(&sections(report), usize::MAX)
}

const POLICY: &str = r#"[flips]
most = 0
kind = "regressed"

[timeouts]
most = 0

[slower]

[shares]
traffic = "any"

[[waivers]]
rule = "shares"
server = "files"
reason = "The disk is being replaced."
until = 2026-12-01

[[waivers]]
rule = "flips"
group = "nowhere"
reason = "Once needed."
until = 2026-11-01
"#;

fn sample(policy: &str) -> GateReport {
    let calls = "40 github worked -> worked; 8 files refused -> failed+error_tool_failure; 4 files worked -> worked";
    scene(calls).report(policy).expect("the same calls")
}

/// What recordings may hold to become more than text.
const HOSTILE: &str = "</failure>]]>&\"'<script>|`@all` #1 [x](http://y)\n::error::\u{1b}[31m\u{0}\u{ffff}##[add-mask]%0A{0}\u{202e}";

fn hostile(policy: &str) -> GateReport {
    let mut scene = scene("20 x worked -> failed+error_hostile because hostile; 2 x - -> failed");
    for name in [&mut scene.before.names, &mut scene.after.names] {
        *name = Names::from_iter(["get", "a/recording.jsonl", HOSTILE]);
    }
    for entry in &mut scene.after.entries {
        (entry.tool, entry.file) = (entry.server, entry.server);
    }
    let issues = scene.after.verdicts.iter_mut().flat_map(|verdict| &mut verdict.issues);
    issues.for_each(|issue| *issue = issue.replace("hostile", HOSTILE));
    scene.comparison.groups[0].explanation.causes[0].change = HOSTILE.to_owned();
    scene.after.header.name = HOSTILE.to_owned();
    scene.report(policy).expect("the policy compares them")
}

fn hostile_report() -> GateReport {
    hostile("intersect = true\n[flips]\nmost = 0\n[new_issue_types]\n[shares]\ntraffic = \"any\"\n")
}

fn unchanged(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn the_outputs_of_one_report() {
    let report = sample(POLICY);
    unchanged("text", &text(&report));
    unchanged("markdown", &markdown(&report));
    unchanged("junit", &junit(&report));
    unchanged("annotations", &annotations(&report, "corpus/recorded/"));
    unchanged("json", &json(&report));
    let sarif = sarif(&report, "corpus/recorded");
    unchanged("sarif", &sarif.replace(env!("CARGO_PKG_VERSION"), "[version]"));
}

#[test]
fn the_same_counts_stand_in_every_output() {
    let report = sample(POLICY);
    let text = text(&report);
    assert!(text.starts_with("gate red: 2 pass, 1 fail, 1 waived, 1 skipped\n"), "{text}");
    let xml = junit(&report);
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("one");
    let count = |name: &str| document.descendants().filter(|it| it.has_tag_name(name)).count();
    assert_eq!(suite.attribute("tests"), Some("5"));
    assert_eq!((count("testcase"), count("failure"), count("skipped")), (5, 1, 1));
    let sarif: Value = serde_json::from_str(&sarif(&report, "")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let suppressed = results.iter().filter(|it| it.get("suppressions").is_some()).count();
    assert_eq!((results.len(), suppressed), (2, 1));
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a/recording.jsonl");
    assert_eq!(place["region"]["startLine"], 41);
}

#[test]
fn hostile_recordings_stay_text_in_xml() {
    let xml = junit(&hostile_report());
    let document =
        roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let tags: std::collections::BTreeSet<&str> = document
        .descendants()
        .filter(roxmltree::Node::is_element)
        .map(|node| node.tag_name().name())
        .collect();
    assert_eq!(
        tags.into_iter().collect::<Vec<_>>(),
        ["failure", "testcase", "testsuite", "testsuites"]
    );
    let failure = document.descendants().find(|it| it.has_tag_name("failure")).expect("one");
    assert!(failure.text().is_some_and(|text| text.contains("</failure>]]>&\"'<script>")));
}

#[test]
fn hostile_recordings_stay_text_in_markdown() {
    let shown = markdown(&hostile_report());
    let ours = shown.replace("<code>", "").replace("</code>", "");
    for markup in ["<", "[", "@", "http:", "\u{1b}", "\u{202e}"] {
        assert!(!ours.contains(markup), "{markup}");
    }
}

#[test]
fn hostile_recordings_are_no_commands() {
    let report = hostile_report();
    let shown = annotations(&report, "");
    for line in shown.lines() {
        assert!(line.starts_with("::error file="), "{line}");
        assert!(!line.contains("##["), "{line}");
        let properties = line.trim_start_matches("::").split("::").next().unwrap_or_default();
        assert_eq!(properties.matches(',').count(), 2, "{line}");
    }
    let printed = text(&report);
    assert!(!printed.lines().any(|line| line.trim_start().starts_with("::")), "{printed}");
    assert!(!printed.contains("##[") && !printed.contains('\u{1b}'), "{printed}");
}

#[test]
fn hostile_recordings_stay_text_in_sarif() {
    let shown = sarif(&hostile_report(), "a folder");
    let log: Value = serde_json::from_str(&shown).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    let message = result["message"]["text"].as_str().expect("a text");
    assert!(message.contains("\\[x\\](http://y)") && message.contains("{{0}}"), "{message}");
    let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    let uri = uri.as_str().expect("a text");
    assert!(uri.starts_with("a%20folder/%3C/failure%3E"), "{uri}");
}

#[test]
fn sarif_is_what_its_schema_asks_for() {
    let schema = schema::schema();
    let everything = sample(POLICY);
    let passed = sample("[flips]\nmost = 99\n");
    for (report, recordings) in
        [(everything, "corpus/"), (hostile_report(), "<a b>:%"), (passed, "")]
    {
        let log: Value = serde_json::from_str(&sarif(&report, recordings)).expect("JSON");
        let wrong: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    let mut log: Value = serde_json::from_str(&sarif(&hostile_report(), "")).expect("JSON");
    assert!(schema.is_valid(&log));
    let uri = "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri";
    *log.pointer_mut(uri).expect("a place") = "a b<>".into();
    assert!(!schema.is_valid(&log), "it sees what is no reference");
    log["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(schema.iter_errors(&log).count() >= 2, "and a word of our own");
}

#[test]
fn outputs_are_bounded_and_say_what_is_left_out() {
    let mut policy = "intersect = true\n".to_owned();
    for at in 0..200 {
        let _ = writeln!(policy, "[[flips]]\nname = \"rule number {at}\"\nmost = 0");
    }
    let report = hostile(&policy);
    let shown = markdown(&report);
    assert!(shown.len() <= 60_000, "{}", shown.len());
    assert!(shown.contains("are not shown."), "{}", &shown[shown.len() - 300..]);
    let lines = annotations(&report, "");
    assert_eq!(lines.lines().count(), 51);
    assert!(lines.ends_with("::notice title=gate::150 more annotations are left out\n"));
}
