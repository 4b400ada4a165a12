//! Contracts: listed, shown, checked and inferred.

use crate::harness::{
    Place, finish, lines, program, tapecheck, tapecheck_reading, without_digests,
};
use insta::assert_snapshot;

const GOOD: &str = r#"{"server":"todo","tool":"delete_task","input":{"user_id":1,"task_id":2},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"success":true,"message":"Deleted","deleted_task_id":2}}}"#;
const BAD: &str = r#"{"server":"todo","tool":"delete_task","input":{"user_id":"one"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"success":true}}}"#;
const FOREIGN: &str = r#"{"server":"else","tool":"sing","input":{},"response":{"content":[]}}"#;

#[test]
fn built_in_contracts_are_listed_and_shown() {
    let list = tapecheck(&["list", "contracts"]).ended_with(0);
    assert_snapshot!(without_digests(&list.out), @"  todo  Tasks of users: add, list, complete, update, delete (5 tools, 4 rules, 0 criteria, digest DIGEST)");
    let shown = tapecheck(&["list", "contracts", "todo"]).ended_with(0);
    assert_eq!(
        Some(shown.out.as_str()),
        tapecheck::internals::check::contract::contract_source("todo")
    );
    let unknown = tapecheck(&["list", "contracts", "nobody"]).ended_with(2);
    assert_snapshot!(unknown.err, @"
    error: cannot read the contract nobody: No such file or directory (os error 2)
      next: `tapecheck list contracts` lists the built-in ones
    ");
}

#[test]
fn a_contract_is_checked_and_all_its_mistakes_are_told() {
    let place = Place::new();
    assert_snapshot!(place.transcript(0, &["check todo"]), @"
    $ tapecheck check todo
    todo (contract): 5 tools, 4 rules, 0 criteria

    0 errors, 0 warnings, 0 notes in 1 file
    ");
    let wrong = "name = \"x\"\n[tools.a.input.properties]\nn = { tpe = \"integer\" }\n\
        [[tools.a.rules]]\nrule = \"input.n >\"\nmessage = \"n must be more\"\n";
    place.write("wrong.toml", wrong);
    assert_snapshot!(place.transcript(2, &["check todo wrong.toml nobody"]), @r#"
    $ tapecheck check todo wrong.toml nobody
    todo (contract): 5 tools, 4 rules, 0 criteria

    0 errors, 0 warnings, 0 notes in 1 file
    error: wrong.toml: the contract has 2 errors

    unknown key `tpe`
     --> wrong.toml:3:7
      |
    3 | n = { tpe = "integer" }
      |       ^^^
      = did you mean `type`?

    this is not CEL: mismatched input '<EOF>'
     --> wrong.toml:5:18
      |
    5 | rule = "input.n >"
      |                  ^
    error: nobody does not exist
      next: name a file, or something built in: calibrated, guide, inspector, todo
    "#);
}

#[test]
fn calls_are_held_against_a_contract_and_counted_by_code() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[GOOD, BAD, BAD, FOREIGN]));
    let check = |more: &[&str]| {
        let arguments = ["check", "todo", "--on", "recordings"];
        finish(program().current_dir(place.root()).args(arguments).args(more))
    };
    assert_snapshot!(check(&[]).ended_with(1).out, @"
    todo (contract): 5 tools, 4 rules, 0 criteria; 3 of 4 calls are calls of its tools, 1 of them without issues

    error INVALID_RESPONSE (1)
      - 4 issues in calls  a.jsonl:2
        Response missing required field: message

    error INVALID_TYPE (1)
      - 2 issues in calls  a.jsonl:2
        user_id must be an integer

    error MISSING_PARAMETER (1)
      - 2 issues in calls  a.jsonl:2
        task_id is required

    3 errors, 0 warnings, 0 notes in 1 file
    ");

    place.recording("a.jsonl", lines(&[GOOD]));
    assert_snapshot!(check(&[]).ended_with(0).out, @"
    todo (contract): 5 tools, 4 rules, 0 criteria; 1 of 1 call are calls of its tools, 1 of them without issues

    0 errors, 0 warnings, 0 notes in 1 file
    ");
    place.recording("a.jsonl", lines(&[FOREIGN]));
    assert_snapshot!(check(&[]).ended_with(3).err, @"
    error: no call in recordings uses a tool of todo
      next: calls are matched by `servers` if the contract has them, otherwise by tool names
    ");
    assert_snapshot!(finish(program().args(["check", "todo", "--on", "nowhere"])).ended_with(2).err, @r"
    error: cannot read nowhere: No such file or directory (os error 2)
      next: name an existing file or folder, or `-` for standard input
    ");
}

#[test]
fn a_contract_is_proposed_from_traffic_and_takes_it() {
    let place = Place::new();
    let calls: Vec<String> =
        (1..=9).map(|n| GOOD.replace("\"task_id\":2", &format!("\"task_id\":{n}"))).collect();
    let listed = r#"{"server":"todo","tools":[{"name":"never_called","inputSchema":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}]}"#;
    place.recording("calls.jsonl", lines(&[&[listed.to_owned()], &calls[..]].concat()));
    place.recording("other.jsonl", lines(&[FOREIGN]));
    let ran = place.run_as_ann(&["infer", "recordings", "--server", "todo"]).ended_with(0);
    assert!(!ran.out.contains("sing"), "{}", ran.out);
    place.write("proposed.toml", &ran.out);
    assert_snapshot!(ran.out, @r#"
    # Proposed from 9 calls of 2 tools. Read it before you rely on it.

    name = "todo"
    servers = ["todo"]

    # 9 calls
    [tools."delete_task"]

    [tools."delete_task".input]

    [tools."delete_task".input.properties."task_id"]
    required = true # in 9 of 9
    type = "integer" # integer 9
    # minimum = 1, maximum = 9 # seen

    [tools."delete_task".input.properties."user_id"]
    required = true # in 9 of 9
    type = "integer" # integer 9
    # minimum = 1, maximum = 1 # seen

    [tools."delete_task".output]

    [tools."delete_task".output.properties."deleted_task_id"]
    required = true # in 9 of 9
    type = "integer" # integer 9
    # minimum = 2, maximum = 2 # seen

    [tools."delete_task".output.properties."message"]
    required = true # in 9 of 9
    type = "string" # string 9
    # minLength = 7, maxLength = 7 # seen

    [tools."delete_task".output.properties."success"]
    required = true # in 9 of 9
    type = "boolean" # boolean 9

    # 0 calls
    [tools."never_called"]

    [tools."never_called".input]

    [tools."never_called".input.properties."q"]
    required = true # in 0 of 0, and the definition says so
    type = "string" # never seen
    "#);
    assert_snapshot!(place.transcript(0, &["check proposed.toml --on recordings"]), @"
    $ tapecheck check proposed.toml --on recordings
    proposed.toml (contract): 2 tools, 0 rules, 0 criteria; 9 of 10 calls are calls of its tools, 9 of them without issues

    0 errors, 0 warnings, 0 notes in 1 file
    ");
    let recordings = place.recordings();
    let recordings = recordings.to_str().expect("UTF-8");

    let all = tapecheck(&["infer", recordings]).ended_with(0);
    assert!(all.out.contains("name = \"proposed\"") && all.out.contains("sing"), "{}", all.out);
    let piped = tapecheck_reading(&["infer", "-"], lines(&calls).as_bytes());
    assert!(piped.ended_with(0).out.contains("name = \"proposed\""));
    let nameless = tapecheck(&["infer", recordings, "--server", ""]).ended_with(2);
    assert_snapshot!(nameless.err, @"error: --server needs a name, not an empty text");
    assert_snapshot!(place.transcript(3, &["infer recordings --server nobody"]), @"
    $ tapecheck infer recordings --server nobody
    warning: no calls and no tool definitions were found to propose a contract from
    ");
}

#[test]
fn tools_that_nobody_has_and_arguments_of_calls_that_failed_are_not_proposed() {
    let place = Place::new();
    let call = |tool: &str, input: &str, text: &str, is_error: bool| {
        format!(
            r#"{{"server":"todo","tool":"{tool}","input":{input},"response":{{"isError":{is_error},"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let listed = r#"{"server":"todo","tools":[{"name":"find","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}]}"#;
    let recorded = [
        listed.to_owned(),
        call("find", r#"{"q":"a"}"#, "3 tasks", false),
        call("find", r#"{"q":"a","__proto":1}"#, "3 tasks", false),
        call("find", r#"{"q":7,"fuzz":1}"#, "q must be a string", true),
        call("no_such_tool", r#"{"x":1}"#, "Error: unknown tool no_such_tool", false),
        call("no_such_tool", r#"{"x":1}"#, "unknown tool", true),
        call("not_listed", r#"{"n":1}"#, "done", false),
        call("not_listed", r#"{"n":"fuzz","m":1}"#, "n must be a number", true),
    ];
    place.recording("calls.jsonl", lines(&recorded));
    let ran = place.run_as_ann(&["infer", "recordings"]).ended_with(0);
    assert_snapshot!(ran.out, @r#"
    # Proposed from 5 calls of 2 tools. Read it before you rely on it.
    # Omitted: "no_such_tool"; no server lists them, and none of their calls worked

    name = "proposed"

    # 3 calls; ignored, because they did not work: 1
    [tools."find"]

    [tools."find".input]
    # not in the definition, but in calls: "__proto"

    [tools."find".input.properties."q"]
    # in 2 of 2, though the definition does not require it
    type = "string" # string 2
    # minLength = 1, maxLength = 1 # seen

    # 2 calls; ignored, because they did not work: 1
    [tools."not_listed"]

    [tools."not_listed".input]

    [tools."not_listed".input.properties."n"]
    required = true # in 1 of 1
    type = "integer" # integer 1
    # minimum = 1, maximum = 1 # seen
    "#);
}
