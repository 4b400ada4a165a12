//! `tapecheck gate` without a policy: nights that got worse are red, under every rulebook; others are not.

use crate::harness::{Ran, finish, lines, program};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tapecheck::internals::rulebook::builtin_names;

struct Scene {
    folder: tempfile::TempDir,
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn traceback() -> Value {
    let trace = "Traceback (most recent call last):\n  File \"server.py\", line 31, in call\nKeyError: 'rows'";
    json!({ "isError": true, "content": [{ "type": "text", "text": trace }] })
}

/// A call of the tool `tool`; `night` makes its request another one.
fn call(server: &str, tool: &str, at: usize, night: &str, response: &Value) -> String {
    let input = json!({ "of": at, "night": night });
    json!({ "id": format!("{server}-{tool}-{at}"), "server": server, "tool": tool, "input": input, "response": response })
        .to_string()
}

/// So many calls of each of 26 servers, two tools each; where `broken`, one server's all fail.
fn many_servers(each: usize, night: &str, broken: bool) -> Vec<String> {
    let mut calls = Vec::new();
    for server in 0..26 {
        let fails = broken && server == 7;
        let response = if fails { traceback() } else { text("done") };
        let name = format!("server-{server}");
        calls.extend(
            (0..each).map(|at| call(&name, ["alpha", "beta"][at % 2], at, night, &response)),
        );
    }
    calls
}

/// A task that was added; where `wrong`, not as its contract has it.
fn task(at: usize, wrong: bool) -> String {
    let completed = if wrong { json!("no") } else { json!(false) };
    let title = format!("Water plant {at}");
    let created = "2026-03-01T08:00:00Z";
    let task = json!({ "id": at, "user_id": 3, "title": title, "description": "The ferns as well", "completed": completed, "created_at": created, "updated_at": created });
    let reply = json!({ "success": true, "task": task });
    let response = json!({ "content": [{ "type": "text", "text": reply.to_string() }], "structuredContent": reply });
    let input = json!({ "user_id": 3, "title": title, "description": "The ferns as well" });
    json!({ "id": format!("task-{at}"), "server": "todo", "tool": "add_task", "input": input, "response": response })
        .to_string()
}

impl Scene {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn recording(&self, night: &str, calls: &[String]) {
        fs::create_dir_all(self.path(night)).expect("a folder");
        fs::write(self.path(night).join("calls.jsonl"), lines(calls)).expect("a file");
    }

    fn tapecheck(&self, arguments: &str) -> Ran {
        finish(program().current_dir(self.folder.path()).args(arguments.split(' ')))
    }

    /// Two nights, each judged into a run, and the later held against the earlier.
    fn gate(&self, before: &[String], after: &[String], more: &str) -> Ran {
        for (night, calls) in [("monday", before), ("tuesday", after)] {
            self.recording(night, calls);
            let run = format!("run {night} --quiet --out run-{night} {more}");
            self.tapecheck(run.trim_end()).ended_with(0);
        }
        self.tapecheck("gate run-tuesday --baseline run-monday")
    }
}

/// The rules that do not hold.
fn failing(ran: &Ran) -> Vec<&str> {
    let lines = ran.out.lines().filter_map(|line| line.trim_start().strip_prefix("- FAIL "));
    lines.filter_map(|line| line.split(':').next()).collect()
}

#[test]
fn what_got_worse_is_red_under_every_rulebook_and_equal_nights_are_not() {
    let fine: Vec<String> = (0..30).map(|at| call("shop", "get", at, "", &text("done"))).collect();
    let crashed: Vec<String> =
        (0..30).map(|at| call("shop", "get", at, "", &traceback())).collect();
    let one_crashed: Vec<String> = crashed[..1].iter().chain(&fine[1..]).cloned().collect();
    let tasks = |wrong: usize| (0..40).map(|at| task(at, at < wrong)).collect::<Vec<_>>();
    let cases = [
        ("thirty tracebacks", fine.clone(), crashed, ""),
        ("one traceback", fine, one_crashed, ""),
        (
            "errors by the contract, 1 of 40 to 30 of 40",
            tasks(1),
            tasks(30),
            "--contract todo=todo",
        ),
        ("8 of 8 calls of one server", many_servers(8, "", false), many_servers(8, "", true), ""),
    ];
    for rulebook in builtin_names() {
        for (about, before, after, more) in &cases {
            let more = format!("--rulebook {rulebook} {more}");
            let scene = Scene::new();
            let ran = scene.gate(before, after, &more).ended_with(1);
            assert_eq!(failing(&ran), ["worse"], "{rulebook}: {about}\n{}", ran.out);
            for night in [before, after] {
                let ran = Scene::new().gate(night, night, &more).ended_with(0);
                assert_eq!(failing(&ran), [""; 0], "{rulebook}: {about}");
            }
        }
    }
}

#[test]
fn other_traffic_is_held_against_chance() {
    for rulebook in builtin_names() {
        let more = format!("--rulebook {rulebook}");
        let before = many_servers(8, "monday", false);
        let ran = Scene::new().gate(&before, &many_servers(8, "tuesday", true), &more);
        let ran = ran.ended_with(1);
        assert_eq!(failing(&ran), ["shares"], "{}", ran.out);
        let found = "server `server-7`: 8 of 8 invalid or failed, 0 of 8 before";
        assert!(ran.out.contains(found), "{}", ran.out);
        assert!(
            ran.out.contains("skipped worse: the sides have different requests (0.0 %"),
            "{}",
            ran.out
        );
        let ran = Scene::new().gate(&before, &many_servers(9, "tuesday", false), &more);
        ran.ended_with(0);
    }
}

#[test]
fn what_is_missing_is_told_by_what_there_is_to_expect() {
    let before = many_servers(8, "", false);
    // Of the same requests each must be there; new ones may come.
    let ran = Scene::new().gate(&before, &before[1..], "").ended_with(1);
    assert_eq!(failing(&ran), ["absent"], "{}", ran.out);
    let more: Vec<String> = before.iter().cloned().chain(many_servers(8, "new", false)).collect();
    Scene::new().gate(&before, &more, "").ended_with(0);
    // On other traffic, eight calls of some two hundred can be missing by chance; a third of all cannot.
    let without = |server: &str, night: &str, each: usize| {
        let calls = many_servers(each, night, false);
        let named = format!("\"{server}\"");
        calls.into_iter().filter(|call| !call.contains(&named)).collect::<Vec<_>>()
    };
    let ran = Scene::new().gate(&before, &without("server-3", "tuesday", 8), "");
    ran.ended_with(0);
    let ran =
        Scene::new().gate(&many_servers(40, "", false), &without("server-3", "tuesday", 40), "");
    let ran = ran.ended_with(1);
    assert_eq!(failing(&ran), ["absent"], "{}", ran.out);
    assert!(
        ran.out.contains("server `server-3`: 40 completed calls before, none now"),
        "{}",
        ran.out
    );
}

#[test]
fn lines_that_cannot_be_read_count_more_than_before() {
    let torn = |count: usize| vec!["{\"id\": \"torn".to_owned(); count];
    let night = |night: &str, torn_lines: usize| {
        let mut lines = many_servers(8, night, false);
        lines.extend(torn(torn_lines));
        lines
    };
    let ran = Scene::new().gate(&night("", 1), &night("", 2), "").ended_with(1);
    assert_eq!(failing(&ran), ["unreadable"], "{}", ran.out);
    Scene::new().gate(&night("", 2), &night("", 1), "").ended_with(0);
    Scene::new().gate(&night("monday", 1), &night("tuesday", 4), "").ended_with(0);
    let ran = Scene::new().gate(&night("monday", 1), &night("tuesday", 30), "").ended_with(1);
    assert_eq!(failing(&ran), ["unreadable"], "{}", ran.out);
}

#[test]
fn an_empty_night_says_nothing() {
    let scene = Scene::new();
    scene.recording("monday", &many_servers(1, "", false));
    scene.recording("tuesday", &["{\"id\": \"torn".to_owned()]);
    scene.tapecheck("run monday --quiet --out run-monday").ended_with(0);
    scene.tapecheck("run tuesday --quiet --out run-tuesday").ended_with(3);
    let ran = scene.tapecheck("gate run-tuesday --baseline run-monday").ended_with(3);
    ran.complaining("run-tuesday has no call");
    let ran = scene.tapecheck("gate run-monday --baseline run-tuesday").ended_with(3);
    ran.complaining("run-tuesday has no call");
}

#[test]
fn a_policy_replaces_rules_of_its_kinds_and_waivers_wait_for_their_day() {
    let scene = Scene::new();
    let before = many_servers(8, "monday", false);
    scene.gate(&before, &many_servers(8, "tuesday", true), "").ended_with(1);
    let gate = |policy: &str| {
        fs::write(scene.path("gate.toml"), policy).expect("a file");
        let sides = "gate run-tuesday --baseline run-monday --policy gate.toml";
        scene.tapecheck(&format!("{sides} --config today=2026-11-21"))
    };
    let looser = gate("[shares]\nsignificance = 0\nrise_significance = 0\n").ended_with(0);
    assert!(looser.out.contains("pass absent"), "the others stay:\n{}", looser.out);
    let waiver =
        "[[waivers]]\nrule = \"shares\"\nserver = \"server-7\"\nreason = \"Down.\"\nuntil = ";
    let passed = gate(&format!("{waiver}2026-11-21\n")).ended_with(0);
    assert!(passed.out.contains("waived shares: 0 of"), "{}", passed.out);
    gate(&format!("{waiver}2026-11-20\n")).ended_with(1);
    gate(&waiver.replace("server-7", "server-8").replace("until = ", "until = 2026-12-01\n"))
        .ended_with(1);
    gate("default = false\n[flips]\nmost = 0\n").ended_with(3).complaining("do not have the same");
}
