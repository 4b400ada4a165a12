//! Contracts: listed, shown and checked.

use crate::harness::{Place, finish, lines, program, tapecheck, without_digests};
use insta::assert_snapshot;

const GOOD: &str = r#"{"server":"todo","tool":"delete_task","input":{"user_id":1,"task_id":2},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"success":true,"message":"Deleted","deleted_task_id":2}}}"#;
const BAD: &str = r#"{"server":"todo","tool":"delete_task","input":{"user_id":"one"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"success":true}}}"#;
const FOREIGN: &str = r#"{"server":"else","tool":"sing","input":{},"response":{"content":[]}}"#;

#[test]
fn built_in_contracts_are_listed_and_shown() {
    let list = tapecheck(&["list", "contracts"]).ended_with(0);
    assert_snapshot!(without_digests(&list.out), @"  todo  Tasks of users: add, list, complete, update, delete (5 tools, 4 rules, criteria: 0, digest DIGEST)");
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
    todo (contract): 5 tools, 4 rules, criteria: 0

    0 errors, 0 warnings, 0 notes in 1 file
    ");
    let wrong = "name = \"x\"\n[tools.a.input.properties]\nn = { tpe = \"integer\" }\n\
        [[tools.a.rules]]\nrule = \"input.n >\"\nmessage = \"n must be more\"\n";
    place.write("wrong.toml", wrong);
    assert_snapshot!(place.transcript(2, &["check todo wrong.toml nobody"]), @r#"
    $ tapecheck check todo wrong.toml nobody
    todo (contract): 5 tools, 4 rules, criteria: 0

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
    todo (contract): 5 tools, 4 rules, criteria: 0; 3 of 4 calls are calls of its tools, 1 of them without issues

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
    todo (contract): 5 tools, 4 rules, criteria: 0; 1 of 1 call are calls of its tools, 1 of them without issues

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
