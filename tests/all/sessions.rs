//! The sessions of a run: a report on each, the error reports and how they are fetched, and what is
//! wrong with a session as a whole.

use crate::harness::{Place, Ran, finish, good, lines, program};
use crate::support::read_table;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tapecheck::internals::check::session_report::{check, recognise};
use tapecheck::internals::json::scan_document;
use tapecheck::internals::store::Table;

/// The members that a session report may have.
const MEMBERS: [&str; 6] = [
    "hasValidationErrors",
    "validationStatus",
    "validationSummary",
    "integrityIssues",
    "tasks",
    "errorReport",
];

/// An exchange of a session whose tool failed.
fn failed(session: &str, task: Option<&str>) -> String {
    let input = task.map_or_else(|| json!({}), |task| json!({"task_id": task}));
    json!({"session": session, "tool": "get", "input": input, "recorded_at": "2026-02-19T16:12:07.955Z",
        "response": {"isError": false}})
    .to_string()
}

fn fine(session: &str) -> String {
    json!({"session": session, "tool": "get", "input": {}, "recorded_at": "2026-02-19T16:00:00Z",
        "response": {"content": [{"type": "text", "text": "fine"}]}})
    .to_string()
}

/// The lines of `sessions.jsonl`.
fn sessions(place: &Place) -> Vec<Value> {
    let text = place.text("sessions.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The names of the reports of a run and its sessions.
fn report_names(place: &Place) -> BTreeSet<String> {
    let whole = place.json("summary.json")["validation"].take();
    let reports = sessions(place).into_iter().map(|mut line| line["report"].take()).chain([whole]);
    reports.filter(|report| report.get("errorReport").is_some()).map(|it| filename(&it)).collect()
}

fn filename(report: &Value) -> String {
    report["errorReport"]["filename"].as_str().expect("a name").to_owned()
}

fn error_report(place: &Place, name: &str) -> Ran {
    finish(program().arg("show").arg(place.out()).arg(format!("--report={name}")))
}

#[track_caller]
fn is_a_truthful_report(report: &Value) {
    let members: Vec<&String> = report.as_object().expect("an object").keys().collect();
    assert!(members.iter().all(|member| MEMBERS.contains(&member.as_str())), "{members:?}");
    let text = report.to_string();
    let raw = scan_document(&text, 64).expect("well-formed");
    assert!(recognise(raw), "{text}");
    assert_eq!(check(raw), [], "{text}");
}

#[test]
fn every_session_and_the_run_have_a_report() {
    let place = Place::new();
    place.recording(
        "a.jsonl",
        lines(&[failed("night", Some("task-1")), fine("day"), failed("night", Some("task-2"))]),
    );
    place.recording("b.jsonl", lines(&[fine("night"), good("unnamed")]));
    place.run(&[]).ended_with(0);
    let sessions = sessions(&place);
    let named: Vec<(&str, &str)> = sessions
        .iter()
        .map(|line| (line["file"].as_str().expect("text"), line["session"].as_str().expect("text")))
        .collect();
    assert_eq!(
        named[..3],
        [("a.jsonl", "day"), ("a.jsonl", "night"), ("b.jsonl", "b")],
        "by file and name: {named:?}"
    );
    for line in &sessions {
        is_a_truthful_report(&line["report"]);
    }
    let night = &sessions[1]["report"];
    assert_eq!(night["validationStatus"], "errors");
    assert_eq!(night["validationSummary"]["errorCount"], 2);
    let tasks: Vec<&Value> =
        night["tasks"].as_array().expect("tasks").iter().map(|task| &task["id"]).collect();
    assert_eq!(tasks, ["task-1", "task-2"]);
    assert_eq!(night["integrityIssues"][0]["taskId"], "task-1");
    assert_eq!(filename(night), "error_night_2026-02-19T16-12-07-955Z.txt");
    assert_eq!(sessions[0]["report"]["validationStatus"], "success");
    assert!(sessions[0]["report"].get("errorReport").is_none());

    let summary = place.json("summary.json");
    is_a_truthful_report(&summary["validation"]);
    assert_eq!(summary["validation"]["validationSummary"], night["validationSummary"]);
    assert_eq!(summary["sessions"]["total"], 4);
    assert_eq!(summary["sessions"]["failing"], 1);
    assert_eq!(summary["sessions"]["last_call"], "2026-02-19T16:12:07Z");
    assert_eq!(report_names(&place).len(), 2, "the session's and the run's");
}

#[test]
fn a_session_lists_all_its_tasks_as_they_were_last_seen() {
    let place = Place::new();
    let listed = json!({"session": "night", "tool": "list_tasks", "input": {}, "response": {
        "content": [], "structuredContent": {"tasks": [
            {"id": "task-1", "name": "Gather requirements", "status": "open"},
            {"id": "task-2", "name": "Define objectives", "status": "in_progress"}]}}});
    let done = json!({"session": "night", "tool": "finish", "input": {"task_id": "task-1"},
        "response": {"structuredContent": {"task": {"id": "task-1", "status": "completed"}},
            "content": [{"type": "text", "text": "done"}]}});
    place.recording(
        "a.jsonl",
        lines(&[listed.to_string(), done.to_string(), failed("night", Some("task-1"))]),
    );
    place.run(&[]).ended_with(0);
    let report = &sessions(&place)[0]["report"];
    is_a_truthful_report(report);
    let mut tasks = report["tasks"].clone();
    let errors = tasks[0]["validationErrors"].take();
    assert_eq!(errors[0]["rule"], "missing_content", "{errors}");
    let expected = json!([
        {"id": "task-1", "name": "Gather requirements", "status": "completed",
            "validationErrors": null},
        {"id": "task-2", "name": "Define objectives", "status": "in_progress",
            "validationErrors": []},
    ]);
    assert_eq!(tasks, expected);
    let text = error_report(&place, "night").ended_with(0).out;
    assert!(
        text.contains("task-2 (Define objectives, in_progress): 0 errors, 0 warnings"),
        "{text}"
    );
}

#[test]
fn what_a_recorded_report_lists_is_counted_and_stands_in_its_session() {
    let recorded = |errors: &Value| {
        let tasks = json!([{"id": "t1", "name": "Ask"}, {"id": "t2", "name": "Tell"}]);
        let mut report = json!({"hasValidationErrors": errors != &json!([]), "tasks": tasks,
            "integrityIssues": errors});
        if errors != &json!([]) {
            report["errorReport"] = json!({"filename": "error_night.txt"});
        }
        let call = json!({"session": "night", "server": "s", "tool": "get_session", "input": {},
            "response": {"content": [{"type": "text", "text": report.to_string()}]}});
        let place = Place::new();
        place.recording("a.jsonl", lines(&[call.to_string()]));
        place.recording("b.jsonl", lines(&[json!({"id": "n", "response": report}).to_string()]));
        place.run(&[]).ended_with(0);
        place
    };
    let clean = recorded(&json!([]));
    let listed = |category: &str, rule: &str, severity: &str, task: &str| {
        json!({"type": category, "rule": rule, "severity": severity, "taskId": task,
            "message": "Task result is 308 characters but maximum is 300"})
    };
    let wrong = recorded(&json!([
        listed("schema_validation", "TASK_RESULT_MAX_LENGTH", "error", "t1"),
        listed("task_integrity", "TASK_ORDER", "warning", "t2"),
    ]));
    let counted = |place: &Place| -> Vec<Vec<String>> {
        let text = place.text("issue_types.csv");
        let rows = text.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect());
        rows.map(|row: Vec<String>| row[3..7].to_vec()).collect()
    };
    assert_eq!(counted(&clean), [["warning", "report_untruthful", "tapecheck", "1"]; 0]);
    assert_eq!(counted(&wrong).len(), 4, "two of each: {:?}", counted(&wrong));
    let expected = ["error", "TASK_RESULT_MAX_LENGTH", "reported", "1"];
    assert!(counted(&wrong).iter().all(|row| row[2] == "reported"));
    assert!(counted(&wrong).contains(&expected.map(str::to_owned).into()));
    for line in sessions(&wrong) {
        let report = &line["report"];
        is_a_truthful_report(report);
        assert_eq!(report["hasValidationErrors"], true);
        assert_eq!(report["validationStatus"], "errors_and_warnings");
        let categories = &report["validationSummary"]["categories"];
        assert_eq!(categories, &json!(["schema_validation", "task_integrity"]), "{report}");
        let rules = [0, 1].map(|task| &report["tasks"][task]["validationErrors"][0]["rule"]);
        assert_eq!(rules, ["TASK_RESULT_MAX_LENGTH", "TASK_ORDER"], "{report}");
    }
    assert_eq!(wrong.each("outcome"), ["worked", "invalid"], "the tool itself told the truth");
    let gate = |place: &Place| {
        finish(program().arg("gate").arg(place.out()).arg("--baseline").arg(clean.out()))
    };
    gate(&clean).ended_with(0);
    gate(&wrong).ended_with(1);
}

#[test]
fn an_issue_of_a_reply_is_about_the_task_that_it_is_located_in() {
    let contract = "name = \"plan\"\n[tools.next.output.properties]\n\
        tasks = { type = \"array\", items = { type = \"object\", properties = { result = { type = \"string\", maxLength = 3 } } } }\n";
    let rule = "name = \"plan\"\n[tools.next]\nrules = [{ rule = \"size(output.tasks[1].result) < 4\", \
        message = \"The result is too long\", fieldPath = \"tasks[1].result\", code = \"TASK_RESULT_MAX_LENGTH\" }]\n";
    let call = json!({"session": "night", "server": "s", "tool": "next", "input": {"task_id": "t0"}, "response": {
        "content": [{"type": "text", "text": "done"}],
        "structuredContent": {"tasks": [{"id": "t1", "result": "ok"}, {"id": "t2", "result": "too long"}]}}});
    for (name, text) in [("schema.toml", contract), ("rule.toml", rule)] {
        let place = Place::new();
        place.recording("a.jsonl", lines(&[call.to_string()]));
        place.write(name, text);
        let path = place.path(name);
        place.run(&["--contract", path.to_str().expect("UTF-8")]).ended_with(0);
        let report = &sessions(&place)[0]["report"];
        is_a_truthful_report(report);
        assert_eq!(report["integrityIssues"][0]["taskId"], "t2", "{report}");
        let listed =
            |task: usize| report["tasks"][task]["validationErrors"].as_array().map(Vec::len);
        assert_eq!([0, 1, 2].map(listed), [0, 0, 1].map(Some), "{report}");
    }
}

#[test]
fn an_error_report_is_fetched_by_its_name() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[failed("night", Some("task-1"))]));
    place.run(&[]).ended_with(0);
    let name = filename(&sessions(&place)[0]["report"]);
    let ran = error_report(&place, &name).ended_with(0);
    assert!(ran.out.starts_with("Error report of session night\n"), "{}", ran.out);
    assert!(ran.out.contains("task      task-1"), "{}", ran.out);
    assert!(ran.out.contains("recording a.jsonl:1"), "{}", ran.out);
    assert!(ran.out.contains("`tapecheck explain FILE:LINE`"), "{}", ran.out);
    let run = filename(&place.json("summary.json")["validation"]);
    let ran = error_report(&place, &run).ended_with(0);
    assert!(ran.out.starts_with("Error report of the whole run\n"), "{}", ran.out);
    assert!(ran.out.contains(&format!("  {name}  night in a.jsonl\n")), "{}", ran.out);
}

#[test]
fn an_error_report_holds_the_reply_once_and_a_suggestion_for_each_issue() {
    let place = Place::new();
    let crash = json!({"session": "night", "tool": "get", "input": {}, "response": {"isError": true,
        "content": [{"type": "text",
            "text": "Traceback (most recent call last):\n  KeyError: 'user'\u{1b}[2J\npassword=hunter2-hunter2"}]}});
    let untold = json!({"session": "night", "tool": "get", "input": {}, "response": {"content": [
        {"type": "text", "text": r#"{"hasValidationErrors": true, "validationStatus": "success",
            "validationSummary": {"hasErrors": true, "errorCount": 2}}"#}]}});
    place.recording("a.jsonl", lines(&[crash.to_string(), untold.to_string()]));
    place.run(&["--rulebook", "calibrated"]).ended_with(0);
    let report = error_report(&place, "night").ended_with(0).out;
    let issues = report.matches("      rule      ").count();
    assert!(issues > 2, "{report}");
    assert_eq!(report.matches("      next      ").count(), issues, "{report}");
    let reply = "
Replies; secrets are masked, long ones are cut

  a.jsonl:1
      Traceback (most recent call last):
        KeyError: 'user'\\u{1b}[2J
      password=[secret ea6cb0]

  a.jsonl:2
      {\"hasValidationErrors\"";
    assert!(report.contains(reply), "{report}");
    assert_eq!(report.matches("hasValidationErrors").count(), 1, "{report}");
}

#[test]
fn a_path_is_never_taken_for_a_name() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[failed("night", None)]));
    place.run(&[]).ended_with(0);
    std::fs::write(place.root().join("secret.txt"), "secret").expect("a file");
    let name = filename(&sessions(&place)[0]["report"]);
    let absolute = place.out().join(&name);
    for path in [
        "../manifest.json",
        "../../secret.txt",
        "error_../../secret_undated.txt",
        "error_a_undated.txt/../../manifest.json",
        "manifest.json",
        "..\\manifest.json",
        "",
        "error_a\u{1b}[2J_undated.txt",
        &format!("./{name}"),
        absolute.to_str().expect("UTF-8"),
    ] {
        let ran = error_report(&place, path).ended_with(2);
        assert!(ran.out.is_empty(), "{path}: {}", ran.out);
        assert!(ran.err.contains("has no error report of `"), "{path}: {}", ran.err);
        assert!(ran.err.contains("sessions.jsonl lists all sessions"), "{path}: {}", ran.err);
        assert!(!ran.err.contains('\u{1b}'), "{path}");
    }
    let ran = error_report(&place, "error_nobody_undated.txt").ended_with(2);
    ran.complaining("no error report of `error_nobody")
        .complaining("sessions.jsonl lists all sessions");
    let nowhere = place.root().join("nowhere");
    let mut command = program();
    finish(command.args(["show", "--report", &name]).arg(nowhere))
        .ended_with(2)
        .complaining("does not exist");
}

#[test]
fn whatever_sessions_are_called_each_has_a_report_of_its_own() {
    let place = Place::new();
    let names = [
        "../../escaped",
        "..",
        "/etc/passwd",
        "C:\\x",
        "a\u{0}b",
        "\u{1b}[2J\u{202e}",
        "CON",
        "x/../../y",
        "\n",
        "日本",
        "A/B",
        "a b",
        "run",
    ];
    let long = "l".repeat(100_000);
    let all: Vec<String> =
        names.iter().copied().chain([long.as_str()]).map(|name| failed(name, None)).collect();
    place.recording("a.jsonl", lines(&all));
    place.run(&[]).ended_with(0);
    let reports = report_names(&place);
    assert_eq!(reports.len(), all.len() + 1, "one for each and one for the run: {reports:?}");
    for name in reports {
        let ran = error_report(&place, &name).ended_with(0);
        assert!(!ran.out.contains(['\u{1b}', '\u{202e}', '\0']), "{name}");
        assert!(ran.out.len() < 9_000, "{name}: {} bytes", ran.out.len());
    }
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
    let whole = filename(&place.json("summary.json")["validation"]);
    assert_eq!(whole, "error_run_2026-02-19T16-12-07-955Z.txt", "the run is named first");
}

#[test]
fn however_many_sessions_failed_each_has_a_report() {
    let place = Place::new();
    let all: Vec<String> = (0..303).map(|n| failed(&format!("s{n:04}"), None)).collect();
    place.recording("a.jsonl", lines(&all));
    place.run(&[]).ended_with(0);
    let counts = &place.json("summary.json")["sessions"];
    let last = "2026-02-19T16:12:07Z";
    assert_eq!(*counts, json!({"total": 303, "failing": 303, "last_call": last}));
    assert_eq!(report_names(&place).len(), 304, "each has a name of its own");
    let ran = error_report(&place, "s0302").ended_with(0);
    assert!(ran.out.contains("recording a.jsonl:303"), "{}", ran.out);
    let whole = error_report(&place, "run").ended_with(0).out;
    assert!(whole.contains("s0249 in a.jsonl") && !whole.contains("s0250 in"), "{whole}");
    assert!(whole.contains("  and 53 more: sessions.jsonl lists all\n"), "{whole}");
}

#[test]
fn a_session_with_many_issues_lists_the_first_and_counts_all() {
    let place = Place::new();
    let all: Vec<String> = (0..250).map(|n| failed("busy", Some(&format!("t{n}")))).collect();
    place.recording("a.jsonl", lines(&all));
    place.run(&[]).ended_with(0);
    let report = &sessions(&place)[0]["report"];
    is_a_truthful_report(report);
    assert_eq!(report["validationSummary"]["errorCount"], 250);
    assert_eq!(report["integrityIssues"].as_array().expect("a list").len(), 10);
    let summary = report["validationSummary"]["summaryText"].as_str().expect("text");
    assert!(summary.ends_with("; 10 of them are listed"), "{summary}");
}

#[test]
fn threads_change_nothing() {
    let place = Place::new();
    for recording in 0..5 {
        let all: Vec<String> = (0..400)
            .map(|n| if n % 3 == 0 { fine("quiet") } else { failed(&format!("s{}", n % 7), None) })
            .collect();
        place.recording(&format!("{recording}.jsonl"), lines(&all));
    }
    let outputs: Vec<(String, Value, BTreeSet<String>)> = ["1", "2", "7"]
        .into_iter()
        .map(|threads| {
            place.run(&["-j", threads]).ended_with(0);
            (place.text("sessions.jsonl"), place.json("summary.json"), report_names(&place))
        })
        .collect();
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0], outputs[2]);
}

/// A wire recording: what each side said.
fn wire(messages: &[(&str, Value)]) -> String {
    let line = |(at, (direction, message)): (usize, &(&str, Value))| {
        json!({"timestamp": format!("2026-02-19T16:00:{at:02}Z"), "direction": direction,
            "message": message})
        .to_string()
    };
    lines(&messages.iter().enumerate().map(line).collect::<Vec<_>>())
}

fn listing(id: u32, description: &str) -> [(&'static str, Value); 2] {
    let tool = json!({"name": "get", "description": description});
    [
        ("client_to_server", json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})),
        ("server_to_client", json!({"jsonrpc": "2.0", "id": id, "result": {"tools": [tool]}})),
    ]
}

#[test]
fn a_server_that_lists_other_tools_than_before_is_told() {
    let place = Place::new();
    let messages = [listing(1, "Gets"), listing(2, "Gets"), listing(3, "Gets more")].concat();
    place.recording("wire.jsonl", wire(&messages));
    place.run(&[]);
    let sessions = sessions(&place);
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let issues = &sessions[0]["report"]["integrityIssues"];
    assert_eq!(issues.as_array().expect("a list").len(), 1, "{issues}");
    assert_eq!(issues[0]["rule"], "schema_drift");
    let types = place.text("issue_types.csv");
    let row = types.lines().find(|row| row.contains("schema_drift")).expect("a row");
    assert!(row.starts_with("2026-02-19,unknown,get,"), "{row}");
}

#[test]
fn an_issue_of_a_session_has_no_exchange_and_says_where_it_stands() {
    let place = Place::new();
    let messages = [listing(1, "Gets"), listing(2, "Gets more")].concat();
    place.recording("wire.jsonl", wire(&messages));
    place.recording("xyz.jsonl", lines(&[failed("night", None)]));
    place.run(&[]).ended_with(0);
    let issues = read_table(&place.out(), Table::Issues);
    assert_eq!(issues.height, 2);
    let row = ["key", "file", "line", "server", "session", "tool", "day", "severity", "type"]
        .map(|column| issues.text(column, 0));
    let expected =
        ["", "wire.jsonl", "4", "unknown", "wire", "get", "2026-02-19", "warning", "schema_drift"];
    assert_eq!(row, expected);
    assert_eq!(issues.text("session", 1), "night");
    assert_eq!(place.json("summary.json")["counts"]["issues"], 2);
}

#[test]
fn the_summary_says_what_to_make_of_the_verdicts() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[fine("s"), fine("s"), failed("s", None)]));
    let ran = finish(place.command().arg("-v")).ended_with(0);
    let summary = place.json("summary.json");
    let total = |list: &str| -> u64 {
        let counts = summary[list].as_object().expect("counts by name").values();
        counts.map(|count| count.as_u64().expect("a count")).sum()
    };
    assert_eq!((total("decisions"), total("interpretations")), (3, 3));
    assert_eq!(summary["blocking_issues"], 1);
    assert_eq!(summary["security_issues"], 0);
    let ladder = summary["retry_ladder"].as_array().expect("a ladder");
    let qualities: Vec<f64> =
        ladder.iter().map(|rung| rung["quality"].as_f64().expect("a number")).collect();
    assert_eq!(qualities, [0.8, 0.7, 0.6, 0.5]);
    assert_eq!((&ladder[0]["accepted"], &ladder[0]["share"]), (&json!(2), &json!(1.0)));
    for line in [
        "; 0 about security\n",
        "  decisions           accept ",
        "  sessions            1 of 1 with errors · tapecheck show ",
    ] {
        assert!(ran.out.contains(line), "expected `{line}` in:\n{}", ran.out);
    }
}

#[test]
fn the_most_common_issues_are_named() {
    let place = Place::new();
    let silent = r#"{"tool":"get","input":{"n":N}}"#;
    let empty = r#"{"tool":"get","input":{},"response":{"isError":false}}"#;
    let all: Vec<String> =
        (0..3).map(|n| silent.replace('N', &n.to_string())).chain([empty.to_owned()]).collect();
    place.recording("a.jsonl", lines(&all));
    let ran = finish(place.command().arg("-v")).ended_with(0);
    assert_eq!(
        place.json("summary.json")["top_issues"],
        json!([
            {"severity": "error", "type": "no_reply", "origin": "tapecheck", "count": 3},
            {"severity": "error", "type": "missing_content", "origin": "tapecheck", "count": 1},
        ])
    );
    let told = "most common issues  error no_reply 3, error missing_content 1";
    assert!(ran.out.contains(told), "{}", ran.out);
}
