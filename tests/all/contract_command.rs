//! `tapecheck contract`: list, show, check and infer.

use crate::harness::{Place, finish, lines, program, tapecheck, tapecheck_reading};

const GOOD: &str = r#"{"server":"todo","tool":"delete_task","input":{"user_id":1,"task_id":2},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"success":true,"message":"Deleted","deleted_task_id":2}}}"#;
const BAD: &str = r#"{"server":"todo","tool":"delete_task","input":{"user_id":"one"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"success":true}}}"#;
const FOREIGN: &str = r#"{"server":"else","tool":"sing","input":{},"response":{"content":[]}}"#;

#[test]
fn built_in_contracts_are_listed_and_shown() {
    let list = tapecheck(&["contract", "list"]).ended_with(0);
    assert!(list.out.contains("todo        Tasks of users"), "{}", list.out);
    assert!(list.out.contains("5 tools, "), "{}", list.out);
    let shown = tapecheck(&["contract", "show", "todo"]).ended_with(0);
    assert_eq!(Some(shown.out.as_str()), tapecheck::contract::contract_source("todo"));
    tapecheck(&["contract", "show", "nobody"]).ended_with(2).complaining("contract list");
}

#[test]
fn a_contract_is_checked_and_all_its_mistakes_are_told() {
    let all = tapecheck(&["contract", "check"]).ended_with(0);
    assert!(all.out.starts_with("todo: 5 tools, "), "{}", all.out);
    let place = Place::new();
    let wrong = "name = \"x\"\n[tools.a.input.properties]\nn = { tpe = \"integer\" }\n\
        [[tools.a.rules]]\nrule = \"input.n >\"\nmessage = \"n must be more\"\n";
    let path = place.root().join("wrong.toml");
    std::fs::write(&path, wrong).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let ran = tapecheck(&["contract", "check", "todo", path, "nobody"]).ended_with(2);
    assert!(ran.out.starts_with("todo: "), "{}", ran.out);
    for told in
        ["unknown key `tpe`", "wrong.toml:3:7", "this is not CEL", "wrong.toml:5:", "nobody"]
    {
        assert!(ran.err.contains(told), "`{told}` is not told in:\n{}", ran.err);
    }
}

#[test]
fn calls_are_held_against_a_contract_and_counted_by_code() {
    let place = Place::new();
    place.tape("a.jsonl", lines(&[GOOD, BAD, BAD, FOREIGN]));
    let check = |more: &[&str]| {
        let arguments = ["contract", "check", "todo", "--corpus", "tapes"];
        finish(program().current_dir(place.root()).args(arguments).args(more))
    };
    let ran = check(&[]).ended_with(1);
    assert!(ran.out.contains("4 calls, 3 held against a contract, 1 of them without issues"));
    let row = |code: &str| -> Vec<String> {
        let line = ran.out.lines().find(|line| line.trim_start().starts_with(code));
        let line = line.unwrap_or_else(|| panic!("no {code} in:\n{}", ran.out));
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row("MISSING_PARAMETER"), ["MISSING_PARAMETER", "error", "2", "a.jsonl:2"]);
    assert_eq!(row("INVALID_TYPE"), ["INVALID_TYPE", "error", "2", "a.jsonl:2"]);
    assert_eq!(row("INVALID_RESPONSE")[1], "error");

    place.tape("a.jsonl", lines(&[GOOD]));
    let clean = check(&[]).ended_with(0);
    assert!(!clean.out.contains("severity"), "{}", clean.out);
    place.tape("a.jsonl", lines(&[FOREIGN]));
    check(&[]).ended_with(3).complaining("no call is one that the contracts are about");
    check(&["--corpus", "nowhere"]).ended_with(2).complaining("nowhere");
}

#[test]
fn a_contract_is_proposed_from_traffic_and_takes_it() {
    let place = Place::new();
    let calls: Vec<String> =
        (1..=9).map(|n| GOOD.replace("\"task_id\":2", &format!("\"task_id\":{n}"))).collect();
    let listed = r#"{"server":"todo","tools":[{"name":"never_called","inputSchema":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}]}"#;
    place.tape("calls.jsonl", lines(&[&[listed.to_owned()], &calls[..]].concat()));
    place.tape("other.jsonl", lines(&[FOREIGN]));
    let tapes = place.tapes();
    let tapes = tapes.to_str().expect("UTF-8");
    let ran = tapecheck(&["contract", "infer", tapes, "--server", "todo"]).ended_with(0);
    for line in [
        "name = \"todo\"",
        "[tools.\"delete_task\".input.properties.\"task_id\"]",
        "required = true # in 9 of 9",
        "# minimum = 1, maximum = 9 # seen",
        "servers = [\"todo\"]",
        "[tools.\"never_called\"]",
    ] {
        assert!(ran.out.contains(line), "no `{line}` in:\n{}", ran.out);
    }
    assert!(!ran.out.contains("sing"), "{}", ran.out);
    let proposed = place.root().join("proposed.toml");
    std::fs::write(&proposed, &ran.out).expect("a file");
    let proposed = proposed.to_str().expect("UTF-8");
    let check = ["contract", "check", proposed, "--corpus", tapes];
    let checked = tapecheck(&check).ended_with(0);
    assert!(checked.out.contains("9 held against a contract, 9 of them without issues"));

    let all = tapecheck(&["contract", "infer", tapes, "--name", "mine"]).ended_with(0);
    assert!(all.out.contains("name = \"mine\"") && all.out.contains("sing"), "{}", all.out);
    let piped = tapecheck_reading(&["contract", "infer", "-"], lines(&calls).as_bytes());
    assert!(piped.ended_with(0).out.contains("name = \"proposed\""));
    tapecheck(&["contract", "infer", tapes, "--name", ""]).ended_with(2).complaining("--name");
    let nobody = tapecheck(&["contract", "infer", tapes, "--server", "nobody"]);
    nobody.ended_with(3).complaining("to propose a contract from");
}
