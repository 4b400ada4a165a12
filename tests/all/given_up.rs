//! Calls that their client gave up, by a notice or because it waited no longer, and calls that nobody
//! answered: whether anything is known of them.

use super::harness::{Place, finish, lines, tapecheck};
use super::support::read_table;
use serde_json::{Value, json};
use tapecheck::internals::store::Table;

const CLIENT: &str = "c2s";
const SERVER: &str = "s2c";

fn call(id: &Value) -> (&'static str, Value) {
    let params = json!({"name": "get", "arguments": {"of": id}});
    (CLIENT, json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

/// A side takes back a request.
fn notice(from: &'static str, params: &Value) -> (&'static str, Value) {
    (from, json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
}

fn cancel(id: &Value) -> (&'static str, Value) {
    notice(CLIENT, &json!({"requestId": id, "reason": "the user pressed stop"}))
}

fn answer(id: &Value, is_error: bool, text: &str) -> (&'static str, Value) {
    let result = json!({"isError": is_error, "content": [{"type": "text", "text": text}]});
    (SERVER, json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn error(id: &Value, message: &str) -> (&'static str, Value) {
    (SERVER, json!({"jsonrpc": "2.0", "id": id, "error": {"code": 0, "message": message}}))
}

fn line(session: &str, (direction, message): &(&str, Value)) -> String {
    json!({"dir": direction, "session": session, "msg": message}).to_string()
}

/// What became of each call of a recording, and why: `OUTCOME FATE`.
fn fates(recording: &[String]) -> Vec<String> {
    let place = Place::new();
    place.recording("recording.jsonl", lines(recording));
    place.run(&[]).ended_with(0);
    outcomes_and_fates(&place)
}

fn outcomes_and_fates(place: &Place) -> Vec<String> {
    let verdicts = read_table(&place.out(), Table::Verdicts);
    let row = |row| format!("{} {}", verdicts.text("outcome", row), verdicts.text("fate", row));
    (0..verdicts.height).map(|at| row(at).trim_end().to_owned()).collect()
}

#[track_caller]
fn check(what: &str, messages: &[(&str, Value)], expected: &[&str]) {
    let recording: Vec<String> = messages.iter().map(|message| line("s", message)).collect();
    assert_eq!(fates(&recording), expected, "{what}");
}

#[test]
fn what_a_host_shows_of_its_own_time_out_is_no_failure_of_the_server() {
    let of_session = |fidelity: &str, text: &str| -> Vec<String> {
        let messages = [call(&json!(1)), answer(&json!(1), true, text)];
        let lines = messages.iter().map(|(direction, message)| {
            json!({"dir": direction, "recorded_by": "a-host", "fidelity": fidelity, "msg": message})
        });
        fates(&lines.map(|line| line.to_string()).collect::<Vec<_>>())
    };
    for words in [
        "MCP error -32001: Request timed out",
        "Timed out while waiting for response to ClientRequest. Waited 5.0 seconds.",
    ] {
        assert_eq!(of_session("derived", words), ["unknown timed_out"], "{words}");
        assert_eq!(of_session("wire", words), ["failed"], "the server says so: {words}");
    }
    let own = "The query timed out after 30 seconds.";
    assert_eq!(of_session("derived", own), ["failed"], "the tool's own time-out");
}

#[test]
fn a_notice_of_the_client_cancels_the_call_that_waits_under_its_id() {
    let (one, two) = (json!(1), json!(2));
    let later = answer(&two, false, "done");
    check(
        "the session goes on without an answer",
        &[call(&one), cancel(&one), call(&two), later.clone()],
        &["worked", "unknown cancelled"],
    );
    check("nothing follows", &[call(&one), cancel(&one)], &["unknown cancelled"]);
    check(
        "the server confirms with an error",
        &[call(&one), cancel(&one), error(&one, "Request cancelled")],
        &["unknown cancelled"],
    );
    check(
        "the tool ends with an error",
        &[call(&one), cancel(&one), answer(&one, true, "AbortError: interrupted")],
        &["unknown cancelled"],
    );
    check(
        "the result was on its way",
        &[call(&one), cancel(&one), answer(&one, false, "done")],
        &["worked late"],
    );
    check(
        "twice",
        &[call(&one), cancel(&one), cancel(&one), call(&two), later],
        &["worked", "unknown cancelled"],
    );
}

#[test]
fn a_notice_about_anything_else_changes_nothing() {
    let (one, two) = (json!(1), json!(2));
    let failed = || error(&one, "Internal error: the disk is full");
    for (what, notice) in [
        ("an unknown id", cancel(&two)),
        ("a text for a number", cancel(&json!("1"))),
        ("no id", notice(CLIENT, &json!({"reason": "none"}))),
        ("no object", notice(CLIENT, &json!([1]))),
        ("an id that is none", cancel(&json!({"requestId": 1}))),
        ("the server's own request", notice(SERVER, &json!({"requestId": 1}))),
    ] {
        check(what, &[call(&one), notice, failed()], &["failed"]);
    }
    check("before the request", &[cancel(&one), call(&one), failed()], &["failed"]);
    check("after the answer", &[call(&one), failed(), cancel(&one)], &["failed"]);
    let sessions = [line("a", &call(&one)), line("b", &cancel(&one)), line("a", &failed())];
    assert_eq!(fates(&sessions), ["failed"], "of another session");
}

#[test]
fn an_id_that_is_used_again_is_cancelled_in_the_order_of_answers() {
    let one = json!(1);
    check(
        "the first is given up, and the answer is taken for its own",
        &[
            call(&one),
            call(&one),
            cancel(&one),
            error(&one, "cancelled"),
            answer(&one, false, "done"),
        ],
        &["unknown cancelled", "worked"],
    );
}

#[test]
fn a_client_that_waits_no_longer_is_told_from_one_that_cancels() {
    let one = json!(1);
    let reason = "McpError: MCP error -32001: Request timed out";
    let params = json!({"requestId": 1, "reason": reason});
    check("on the wire", &[call(&one), notice(CLIENT, &params)], &["unknown timed_out"]);
    let recorded = |code: i32, message: &str| {
        let error = json!({"error": {"code": code, "message": message}});
        json!({"tool": "get", "input": {}, "response": error}).to_string()
    };
    let made_by_clients = [
        recorded(-32001, "MCP error -32001: Request timed out"),
        recorded(
            408,
            "Timed out while waiting for response to CallToolRequest. Waited 5.0 seconds.",
        ),
        recorded(-32603, "Request timed out"),
    ];
    assert_eq!(fates(&made_by_clients), ["unknown timed_out", "unknown timed_out", "failed"]);
    check(
        "a server that passes on the time-out of its own client",
        &[call(&one), error(&one, "x"), call(&one), passed_on(&one)],
        &["failed", "failed"],
    );
}

fn passed_on(id: &Value) -> (&'static str, Value) {
    let error = json!({"code": -32001, "message": "MCP error -32001: Request timed out"});
    (SERVER, json!({"jsonrpc": "2.0", "id": id, "error": error}))
}

#[test]
fn nothing_is_said_against_the_server_and_the_summary_counts_why() {
    let place = Place::new();
    let messages = [
        call(&json!(1)),
        call(&json!(2)),
        call(&json!(3)),
        call(&json!(4)),
        cancel(&json!(1)),
        cancel(&json!(2)),
        answer(&json!(4), false, "done"),
        error(&json!(2), "Request cancelled"),
        notice(CLIENT, &json!({"requestId": 3, "reason": "Request timed out"})),
    ];
    let recording: Vec<String> = messages.iter().map(|message| line("s", message)).collect();
    place.recording("recording.jsonl", lines(&recording));
    let ran = finish(place.command().args(["--fail-on", "error"])).ended_with(0);
    assert!(ran.out.contains("2 cancelled, 1 timed out"), "{}", ran.out);
    let summary = place.json("summary.json");
    assert_eq!(summary["unknown"], json!({"cancelled": 2, "timed_out": 1}));
    assert_eq!(summary["counts"]["issues"], 0);
    assert_eq!(summary["tool_failure"], 0, "the server's confirmation is none");
    let tools = read_table(&place.out(), Table::Tools);
    for column in ["business_logic", "tool_failure"] {
        assert_eq!(tools.text(column, 0), "0", "{column}");
    }
}

#[test]
fn a_policy_limits_time_outs() {
    let place = Place::new();
    let messages = (1..=8).flat_map(|id| [call(&json!(id)), answer(&json!(id), false, "done")]);
    let mut recording: Vec<String> = messages.map(|message| line("s", &message)).collect();
    place.recording("before.jsonl", lines(&recording));
    for id in [9, 10] {
        let params = json!({"requestId": id, "reason": "Request timed out"});
        recording
            .extend([call(&json!(id)), notice(CLIENT, &params)].map(|message| line("s", &message)));
    }
    place.recording("after.jsonl", lines(&recording));
    let gate = |most: u32| {
        place.write("gate.toml", &format!("[timeouts]\nmost = {most}\n"));
        let recordings =
            ["before", "after"].map(|name| place.recordings().join(format!("{name}.jsonl")));
        let [before, after] = recordings.map(|path| path.display().to_string());
        let policy = place.path("gate.toml").display().to_string();
        tapecheck(&["gate", &after, "--baseline", &before, "--policy", &policy])
    };
    gate(20).ended_with(0);
    let refused = gate(19).ended_with(1).out;
    assert!(refused.contains("2 of 10 calls timed out (20.00 %)"), "{refused}");
    assert!(refused.contains("tool `get` of `unknown`: 2 calls timed out"), "{refused}");
}

/// What became of the calls of a session whose messages come so many seconds after its begin.
fn timed_fates(messages: &[(u32, (&'static str, Value))], arguments: &[&str]) -> Vec<String> {
    outcomes_and_fates(&timed(messages, arguments))
}

fn timed(messages: &[(u32, (&'static str, Value))], arguments: &[&str]) -> Place {
    let place = Place::new();
    let lines_of = |(second, (direction, message)): &(u32, (&str, Value))| {
        let ts = format!("2026-05-04T10:{:02}:{:02}.000Z", second / 60, second % 60);
        json!({"ts": ts, "dir": direction, "session": "s", "msg": message}).to_string()
    };
    place.recording("recording.jsonl", lines(&messages.iter().map(lines_of).collect::<Vec<_>>()));
    place.run(arguments).ended_with(0);
    place
}

#[test]
fn an_answer_that_came_when_nobody_waited_any_more_is_on_the_list_of_the_slow() {
    let one = json!(1);
    let place = timed(&[(0, call(&one)), (5, cancel(&one)), (7, answer(&one, false, "done"))], &[]);
    let out = place.out().display().to_string();
    let slow = tapecheck(&["show", &out, "--filter", "slow", "--each"]).ended_with(0).out;
    assert!(slow.contains("took 7 s, answered when nobody waited any more"), "{slow}");
}

fn ping(id: u32) -> (&'static str, Value) {
    (CLIENT, json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
}

fn progress() -> (&'static str, Value) {
    (SERVER, json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}))
}

#[test]
fn a_call_without_an_answer_failed_where_its_session_went_on_for_a_minute() {
    let [one, two, three] = [1, 2, 3].map(|id| json!(id));
    for (what, messages, expected) in [
        ("nothing follows", vec![(0, call(&one))], vec!["unknown waiting"]),
        ("the client pings a silent server", vec![(0, call(&one)), (60, ping(7))], vec!["failed"]),
        ("not for a minute", vec![(0, call(&one)), (59, ping(7))], vec!["unknown waiting"]),
        (
            "the client goes on calling a silent server",
            vec![(0, call(&one)), (30, call(&two)), (61, call(&three))],
            vec!["failed", "unknown waiting", "unknown waiting"],
        ),
        (
            "the server is still at work",
            vec![(0, call(&one)), (5, progress())],
            vec!["unknown waiting"],
        ),
        (
            "the server answers others",
            vec![(0, call(&one)), (80, call(&two)), (81, answer(&two, false, "done"))],
            vec!["worked", "failed"],
        ),
        (
            "the client gave it up",
            vec![(0, call(&one)), (9, cancel(&one)), (300, ping(7))],
            vec!["unknown cancelled"],
        ),
        (
            "the answer comes late",
            vec![(0, call(&one)), (300, ping(7)), (301, answer(&one, false, "done"))],
            vec!["worked"],
        ),
    ] {
        assert_eq!(timed_fates(&messages, &[]), expected, "{what}");
    }
}

#[test]
fn a_waiting_call_that_is_dropped_for_room_failed_where_its_session_went_on_for_a_minute() {
    let calls = |seconds: [u32; 3]| {
        (1..).zip(seconds).map(|(id, second)| (second, call(&json!(id)))).collect::<Vec<_>>()
    };
    let fates = |seconds| timed_fates(&calls(seconds), &["--config=bounds.max_waiting=2"]);
    assert_eq!(fates([0, 1, 60]), ["failed", "unknown waiting", "unknown waiting"]);
    assert_eq!(fates([0, 1, 2]), ["unknown waiting"; 3]);
}

#[test]
fn a_server_that_fell_silent_has_an_issue_and_the_session_of_another_does_not_count() {
    let place = Place::new();
    let at = |second: &str, session: &str, (direction, message): (&str, Value)| {
        let ts = format!("2026-05-04T{second}Z");
        json!({"ts": ts, "dir": direction, "session": session, "msg": message}).to_string()
    };
    place.recording(
        "recording.jsonl",
        lines(&[
            at("10:00:00", "silent", call(&json!(1))),
            at("10:00:00", "short", call(&json!(1))),
            at("10:05:00", "silent", ping(2)),
        ]),
    );
    place.run(&[]).ended_with(0);
    assert_eq!(outcomes_and_fates(&place), ["failed", "unknown waiting"]);
    let issues = read_table(&place.out(), Table::Issues);
    assert_eq!(issues.height, 1);
    assert_eq!(issues.text("type", 0), "no_reply");
}

#[test]
fn an_answer_under_another_id_says_why_a_call_has_none() {
    let fine = |id: Value| answer(&id, false, "fine");
    let (one, two) = (call(&json!(1)), call(&json!(2)));
    let own = "an answer of one's own";
    check("the id as another type", &[one.clone(), fine(json!("1"))], &["failed other_id_type"]);
    check("an id of nobody's", &[one.clone(), fine(json!(77))], &["failed other_id"]);
    check(
        "each answer is that of one call",
        &[one.clone(), two.clone(), fine(json!(77)), fine(json!("1"))],
        &["failed other_id_type", "failed other_id"],
    );
    check(
        "an answer is no other call's than its own",
        &[one.clone(), two.clone(), fine(json!("2"))],
        &["failed", "failed other_id_type"],
    );
    check("what came before", &[fine(json!(77)), one.clone()], &["unknown waiting"]);
    let seven = call(&json!(7));
    check("a request before the recording", &[seven.clone(), fine(json!(6))], &["failed"]);
    check("a later id", &[seven.clone(), fine(json!(10))], &["failed other_id"]);
    check("an id that is no number", &[seven, fine(json!("x"))], &["failed other_id"]);
    check("ids without an order", &[call(&json!("b")), fine(json!("a"))], &["failed"]);
    let again = [one.clone(), fine(json!(1)), two.clone(), fine(json!(1))];
    check("a second answer under the same id", &again, &["worked", "failed"]);
    check(own, &[one, fine(json!(77)), fine(json!(1))], &["worked"]);
}
