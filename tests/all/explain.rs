//! `explain` and `rulebook`: what people look at when they ask why.

use crate::harness::{Place, Ran, finish, good, gzip, lines, program, tapecheck};
use insta::assert_snapshot;

/// Explains something of a place's recordings.
fn explain(place: &Place, what: &str, more: &[&str]) -> Ran {
    finish(program().current_dir(place.root()).args(["explain", what, "recordings"]).args(more))
}

/// Asserts that all of these are shown.
#[track_caller]
fn shows(ran: &Ran, expected: &[&str]) {
    for expected in expected {
        assert!(ran.out.contains(expected), "expected `{expected}` in:\n{}", ran.out);
    }
}

/// A good recording, an error, and a recorded session whose answer comes late.
fn place() -> Place {
    let place = Place::with_good_recording();
    let error = r#"{"id":"e","server":"shop","tool":"get_user","input":{"id":7},"response":{"isError":true,"content":[{"type":"text","text":"User not found: 7"}]}}"#;
    place.recording("errors.jsonl", lines(&[error, error]));
    let call = r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{}}}}"#;
    let ping = r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":2,"method":"ping"}}"#;
    let answer = r#"{"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"at last"}]}}}"#;
    place.recording("wire.jsonl", lines(&[call, ping, answer]));
    place.run(&[]).ended_with(0);
    place
}

fn key_of(place: &Place, id: &str) -> String {
    let verdicts = place.verdicts();
    let verdict = verdicts.iter().find(|verdict| verdict["id"] == id).expect("a verdict");
    verdict["key"].as_str().expect("text").to_owned()
}

#[test]
fn an_exchange_by_its_key() {
    let place = place();
    let key = key_of(&place, "e");
    let whole = explain(&place, &key, &["--rulebook", "guide"]).ended_with(0);
    assert_snapshot!(whole.out, @r#"
    refused: The tool works, and refused the request for a reason.

    call          6a2bbac17eaa6633aaebfcda01e6038d
    recording     errors.jsonl:1
    tool          get_user of shop
    input         {"id":7}
    reply         tool_error
    rulebook      guide, from --rulebook
    text          User not found: 7
    evidence      5..14 of the text: User ⟦not found⟧: 7 (business patterns)
    evidence      14..15 of the text: User not found⟦:⟧ 7 (structured error)

    --verbose shows all signals, their weights and the rule that decided
    "#);
    for other in [&key[..8], &key.to_uppercase()] {
        let ran = explain(&place, other, &["--rulebook", "guide"]).ended_with(0);
        assert_eq!(ran.out, whole.out, "{other}");
    }
    assert!(explain(&place, "errors.jsonl:2", &[]).ended_with(0).out.contains(&key));
    let exact = "name = \"own\"\nextends = \"guide\"\n[score]\ndenominator = 4\n\
        [[decide]]\nname = \"validation tool\"\nthreshold = 1\n";
    std::fs::write(place.root().join("own.toml"), exact).expect("a file");
    let ran = explain(&place, &key, &["--rulebook", "own.toml", "-v"]).ended_with(0);
    shows(&ran, &["the score is exactly the threshold"]);
    let verbose = explain(&place, &key, &["--rulebook", "guide", "-v"]).ended_with(0);
    let (_, arithmetic) = verbose.out.split_once("\n\nclass ").expect("what it follows from");
    assert_snapshot!(arithmetic, @"
            fully_working · confidence 100 · is_valid true
    said          Tool responded with error (tool is functional)
    said          Error message: User not found: 7
    content       text · textBlockCount 1
      business logic? yes
      signals
        ✓ business_pattern
            business_patterns/not found at 5..14 of the text: User ⟦not found⟧: 7
        ✓ validation_tool
            validation_verbs/get at 0..3 of the tool: ⟦get⟧_user
        ✓ textual_evidence
            business_patterns/not found at 5..14 of the text: User ⟦not found⟧: 7
            test_data/not found at 5..14 of the text: User ⟦not found⟧: 7
        others, which do not hold: mcp_code, http_status, structured_error, test_data, strong_operational
      factors                     weight   sum
        ✓ business_pattern             2     2
        ✓ validation_tool              2     4
        others, which do not hold: mcp_code, http_status, structured_error, test_data
        score 0.6667 = 4 / 6, at most 1
      decision
        · mcp code: business logic
        · nothing in the text: not business logic
        · strong operational error: threshold 0.2
        → validation tool: threshold 0.2
        · otherwise: threshold 0.5
        the score is 0.4667 above the threshold
        would change: without validation_tool, without textual_evidence
    ");
    explain(&place, &format!("{key}-2"), &[])
        .ended_with(2)
        .complaining("is neither a key nor FILE:LINE");
}

#[test]
fn the_json_that_an_output_schema_was_applied_to_is_shown() {
    let place = Place::new();
    let call = |schema: &str, reply: &str| {
        format!(r#"{{"tool":{{"name":"get"{schema}}},"input":{{}},"response":{reply}}}"#)
    };
    let schema = r#","outputSchema":{"type":"object","required":["a"]}"#;
    let text = |text: &str| format!(r#""content":[{{"type":"text","text":"{text}"}}]"#);
    place.recording(
        "schema.jsonl",
        lines(&[
            call(schema, &format!(r#"{{{},"structuredContent":{{"b":1}}}}"#, text("x"))),
            call(schema, &format!("{{{}}}", text(r#"{\"a\":1}"#))),
            call(schema, &format!(r#"{{"isError":true,{}}}"#, text("x"))),
            call("", &format!("{{{}}}", text("x"))),
        ]),
    );
    let of = |line: u32| explain(&place, &format!("schema.jsonl:{line}"), &["-v"]).ended_with(0);
    of(1)
        .printing("invalid, broken contract: ")
        .printing("to do         Return what the output schema promises")
        .printing("schema        invalid for structuredContent\n              {\"b\":1}\n");
    of(2).printing("schema        valid for the JSON in the text\n");
    of(3).printing("schema        not checked under this rulebook\n");
    assert!(!of(4).out.contains("schema  "), "the tool declares none");
}

#[test]
fn an_exchange_by_its_line() {
    let place = place();
    let by_request =
        explain(&place, "recordings/wire.jsonl:1", &["--rulebook", "guide"]).ended_with(0);
    assert_snapshot!(by_request.out, @"
    worked: The tool did what it was asked.

    call          41f5801923945f17bdba5dd95c6b1813
    recording     wire.jsonl:1 (answer at line 3)
    tool          slow of unknown
    input         {}
    reply         result
    rulebook      guide, from --rulebook
    text          at last

    --verbose shows all signals, their weights and the rule that decided
    ");
    assert_eq!(
        explain(&place, "wire.jsonl:3", &["--rulebook", "guide"]).ended_with(0).out,
        by_request.out
    );
    let nothing = ["wire.jsonl:2", "wire.jsonl:0", "wire.jsonl:99", "missing.jsonl:1"]
        .map(|what| format!("explain {what} recordings"));
    assert_snapshot!(place.transcript(2, &nothing), @r"
    $ tapecheck explain wire.jsonl:2 recordings
    error: no call is recorded at line 2 of recordings/wire.jsonl
      next: name FILE:LINE of a call, or a key as tapecheck show RUN --filter failed --each lists them

    $ tapecheck explain wire.jsonl:0 recordings
    error: no call is recorded at line 0 of recordings/wire.jsonl
      next: name FILE:LINE of a call, or a key as tapecheck show RUN --filter failed --each lists them

    $ tapecheck explain wire.jsonl:99 recordings
    error: no call is recorded at line 99 of recordings/wire.jsonl
      next: name FILE:LINE of a call, or a key as tapecheck show RUN --filter failed --each lists them

    $ tapecheck explain missing.jsonl:1 recordings
    error: there is not a file missing.jsonl
      next: name the file as it is on disk, or add the recordings it belongs to
    ");
    place.recording("packed.jsonl.gz", gzip(lines(&[good("first"), good("packed")]).as_bytes()));
    shows(&explain(&place, "packed.jsonl.gz:2", &[]).ended_with(0), &["fine packed"]);
}

#[test]
fn one_of_several_exchanges_at_a_line() {
    let place = place();
    let records = [good("first"), good("second"), good("third")].join(",");
    for (name, document) in [
        ("many.json", format!("[{records}]")),
        ("held.json", format!("{{\"records\":[{records}]}}")),
    ] {
        let path = place.recording(name, document);
        let named = format!("{name}:1");
        let several = explain(&place, &named, &[]).ended_with(2);
        assert!(several.out.is_empty(), "{}", several.out);
        several
            .complaining(&format!("error: {named} has 3 calls"))
            .complaining(&format!("next: say which, from {named}:1 to {named}:3"));
        let second = explain(&place, &format!("{named}:2"), &[]).ended_with(0);
        shows(&second, &["fine second", &format!("recording     {name}:1:2\n")]);
        let on_disk = format!("{}:1:3", path.display());
        shows(&explain(&place, &on_disk, &[]).ended_with(0), &["fine third"]);
        explain(&place, &format!("{named}:4"), &[]).ended_with(2).complaining("has 3 calls");
        explain(&place, &format!("{named}:0"), &[]).ended_with(2).complaining("counted from 1");
    }
    shows(&explain(&place, "good.jsonl:2:1", &[]).ended_with(0), &["fine good-2"]);
    explain(&place, "good.jsonl:2:2", &[])
        .ended_with(2)
        .complaining("good.jsonl:2 has 1 call\n  next: name it as good.jsonl:2");
    explain(&place, "good.jsonl:9:1", &[]).ended_with(2).complaining("no call is number 1");
    // A batch: the line of the answers holds two, each line of the calls one.
    let call = |id: u8| {
        format!(
            r#"{{"dir":"c2s","msg":{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t{id}"}}}}}}"#
        )
    };
    let answer = |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
    let batch = format!(r#"{{"dir":"s2c","msg":[{},{}]}}"#, answer(2), answer(1));
    place.recording("batch.jsonl", lines(&[call(1), call(2), batch]));
    explain(&place, "batch.jsonl:3", &[]).ended_with(2).complaining("batch.jsonl:3 has 2 calls");
    shows(
        &explain(&place, "batch.jsonl:3:1", &[]).ended_with(0),
        &["batch.jsonl:2 (answer at line 3)"],
    );
    shows(&explain(&place, "batch.jsonl:1", &[]).ended_with(0), &["t1 of"]);
}

#[test]
fn the_beginning_of_several_keys_is_no_name() {
    let place = Place::new();
    let names: Vec<String> = (0..1_500).map(|number| good(&number.to_string())).collect();
    place.recording("many.jsonl", lines(&names));
    place.run(&[]).ended_with(0);
    let keys = place.keys();
    let pair = keys.windows(2).find(|pair| pair[0][..4] == pair[1][..4]);
    let pair = pair.expect("among so many, two begin with the same four digits");
    let ran = explain(&place, &pair[0][..4], &[]).ended_with(2);
    assert!(ran.out.is_empty(), "{}", ran.out);
    let ran = ran.complaining("the keys of several calls begin with").complaining("next: ");
    for key in pair {
        let at = place.verdicts().iter().position(|verdict| verdict["key"] == *key);
        let line = at.expect("it was judged") + 1;
        assert!(ran.err.contains(&format!("\n  {key}  many.jsonl:{line}\n")), "{}", ran.err);
        explain(&place, key, &[]).ended_with(0);
    }
}

#[test]
fn files_of_roots_with_one_name_are_told_apart() {
    let place = Place::new();
    let roots = ["one/lab", "two/lab"].map(|root| place.root().join(root));
    for (at, root) in roots.iter().enumerate() {
        std::fs::create_dir_all(root).expect("a folder");
        let recording = format!("{}not json\n", lines(&[good(&format!("recording-{at}"))]));
        std::fs::write(root.join("a.jsonl"), recording).expect("a file");
    }
    let run = |arguments: &[&str]| finish(program().current_dir(place.root()).args(arguments));
    run(&["run", "one/lab", "two/lab"]).ended_with(0);
    let unreadable = place.root().join("reports/latest/unreadable.csv");
    let unreadable = std::fs::read_to_string(unreadable).expect("a file");
    let files: Vec<&str> =
        unreadable.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    assert_eq!(files, ["lab/a.jsonl", "lab-2/a.jsonl"]);
    shows(&run(&["explain", "lab/a.jsonl:1"]).ended_with(0), &["fine recording-0"]);
    shows(&run(&["explain", "lab-2/a.jsonl:1"]).ended_with(0), &["fine recording-1"]);
}

#[test]
fn an_exchange_whose_answer_is_far_away() {
    let place = place();
    let call = r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":"far","method":"tools/call","params":{"name":"far","arguments":{}}}}"#;
    let noise = format!(
        r#"{{"dir":"s2c","msg":{{"jsonrpc":"2.0","method":"note","params":"{}"}}}}"#,
        "n".repeat(3_000_000)
    );
    let answer = r#"{"dir":"s2c","msg":{"jsonrpc":"2.0","id":"far","result":{"content":[{"type":"text","text":"found"}]}}}"#;
    place.recording("far.jsonl", lines(&[call, &noise, answer]));
    shows(
        &explain(&place, "far.jsonl:3", &[]).ended_with(0),
        &["far.jsonl:1 (answer at line 3)", "found"],
    );
}

#[test]
fn a_second_rulebook_stands_beside_the_first() {
    let place = place();
    let ran =
        explain(&place, "errors.jsonl:1", &["--rulebook", "guide", "--rulebook", "inspector"])
            .ended_with(0);
    let refused = "refused: The tool works, and refused the request for a reason.";
    assert!(
        ran.out.starts_with(&format!("guide: {refused}\ninspector: {refused}\n")),
        "{}",
        ran.out
    );
    shows(&ran, &["under guide", "under inspector"]);
    let first = explain(&place, "errors.jsonl:1", &["--rulebook", "inspector"]).ended_with(0);
    let alone = first.out.split("--rulebook\n").nth(1).expect("a part");
    assert!(ran.out.ends_with(alone), "both say the same of inspector: {alone}");
    explain(&place, "errors.jsonl:1", &["--rulebook", "guide", "--rulebook", "nobody"])
        .ended_with(2)
        .complaining("nobody");
}

#[test]
fn what_is_neither_a_key_nor_a_line() {
    let place = place();
    for what in [
        "zzzz",
        "abc",
        "",
        "-",
        "abcd-x",
        "abcd-0",
        "recordings/wire.jsonl",
        "wire.jsonl:one",
        ":1",
        &"a".repeat(33),
    ] {
        let ran = explain(&place, what, &[]).ended_with(2);
        assert!(ran.out.is_empty() && ran.err.starts_with("error: "), "{what}: {}", ran.err);
    }
    explain(&place, "ffffffffffffffff", &[]).ended_with(2).complaining("no call is called");
}

#[test]
fn keys_are_looked_for_where_the_last_run_looked() {
    let place = place();
    let run = |arguments: &[&str]| finish(program().current_dir(place.root()).args(arguments));
    run(&["run", "recordings"]).ended_with(0);
    let key = key_of(&place, "e");
    shows(&run(&["explain", &key]).ended_with(0), &["errors.jsonl:1"]);
    shows(&run(&["explain", "wire.jsonl:1"]).ended_with(0), &["wire.jsonl:1"]);
}

#[test]
fn the_reason_agrees_with_the_outcome() {
    let place = Place::new();
    let reply = |is_error: bool, text: &str| {
        let response =
            serde_json::json!({"isError": is_error, "content": [{"type": "text", "text": text}]});
        serde_json::json!({"server": "s", "tool": "sum", "input": {}, "response": response})
            .to_string()
    };
    let traceback = "Traceback (most recent call last):\nTypeError: sum() is not a function";
    let hidden = "Error: failed to connect to the database: connection refused";
    place.recording("calls.jsonl", lines(&[reply(true, traceback), reply(false, hidden)]));
    for (line, rulebook) in [(1, "guide"), (1, "inspector"), (1, "calibrated"), (2, "calibrated")] {
        let what = format!("calls.jsonl:{line}");
        let ran = explain(&place, &what, &["--rulebook", rulebook]).ended_with(0);
        assert!(ran.out.starts_with("failed"), "{}", ran.out);
        // What the guide calls evidence of a working tool is quoted, as evidence.
        let mut told = ran.out.lines().filter(|line| !line.starts_with("evidence"));
        let others = ["functional", "responded successfully", "working tool"];
        let other = told.find(|line| others.iter().any(|other| line.contains(other)));
        assert_eq!(other, None, "{}", ran.out);
    }
}

#[test]
fn a_run_is_explained_by_its_own_rulebook_and_checks() {
    let place = place();
    place.write("mine.toml", "name = \"mine\"\nextends = \"inspector\"\n");
    let here = |arguments: &str| {
        finish(program().current_dir(place.root()).args(arguments.split_whitespace()))
    };
    let rulebook_of = |ran: &Ran| {
        let line = ran.out.lines().find(|line| line.starts_with("rulebook"));
        line.unwrap_or_default()["rulebook".len()..].trim().to_owned()
    };
    let none = "calibrated, the default: no run of these recordings is at hand";
    let key = key_of(&place, "e");
    assert_eq!(rulebook_of(&here(&format!("explain {key} recordings")).ended_with(0)), none);

    here("run recordings --rulebook mine.toml --contract todo").ended_with(0);
    here("run recordings --rulebook calibrated --out other").ended_with(0);
    std::fs::remove_file(place.path("mine.toml")).expect("the run has its own copy");
    let latest = "mine, from the run in reports/latest";
    for what in [
        format!("explain {key}"),
        format!("explain {}", &key[..8]),
        format!("explain {key} reports/latest"),
        format!("explain {key} recordings"),
        "explain recordings/errors.jsonl:1".to_owned(),
        "explain errors.jsonl:1".to_owned(),
        format!("explain {}:1", place.recordings().join("errors.jsonl").display()),
    ] {
        let ran = here(&what).ended_with(0);
        assert_eq!(rulebook_of(&ran), latest, "{what}");
        shows(&ran, &["checks        --contract todo, from the run in reports/latest"]);
        shows(&ran, &[key.as_str(), "errors.jsonl:1"]);
    }
    let other = here(&format!("explain {key} other")).ended_with(0);
    assert_eq!(rulebook_of(&other), "calibrated, from the run in other");
    assert!(!other.out.contains("--contract"), "{}", other.out);
    let named = here(&format!("explain {key} other --rulebook guide")).ended_with(0);
    assert_eq!(rulebook_of(&named), "guide, from --rulebook");
    // What lies outside of the run's recordings is not of the run.
    place.write("apart.jsonl", &lines(&[good("apart")]));
    assert_eq!(rulebook_of(&here("explain apart.jsonl:1").ended_with(0)), none);
    assert_eq!(
        rulebook_of(&here("explain apart.jsonl:1 other").ended_with(0)),
        "calibrated, from the run in other"
    );
}

#[test]
fn a_run_whose_recordings_are_elsewhere() {
    let place = place();
    let here = |arguments: &str| {
        finish(program().current_dir(place.root()).args(arguments.split_whitespace()))
    };
    here("run recordings --out other").ended_with(0);
    let key = key_of(&place, "e");
    std::fs::rename(place.recordings(), place.path("moved")).expect("a folder");
    let lost = here(&format!("explain {key} other")).ended_with(2);
    assert_eq!(
        lost.err,
        format!(
            "error: it is at errors.jsonl:1 of the run in other, but that recording was not found\n  \
             next: change to the folder where the run was made, or name its recordings: \
             tapecheck explain {key} other RECORDINGS\n"
        )
    );
    let found = here(&format!("explain {key} other moved")).ended_with(0);
    shows(&found, &["errors.jsonl:1", "calibrated, from the run in other"]);
    here("explain ffffffffffffffff other")
        .ended_with(2)
        .complaining("no call of the run in other has the key ffffffffffffffff");
    std::fs::create_dir(place.recordings()).expect("a folder");
    place.recording("errors.jsonl", lines(&[good("another")]));
    here(&format!("explain {key} other"))
        .ended_with(2)
        .complaining("errors.jsonl changed after the run: it has no such call now")
        .complaining("next: classify it again with tapecheck run");
}

#[test]
fn hostile_texts_are_shown_harmless() {
    let place = Place::new();
    let hostile = "\u{1b}[31mfailed to connect\u{202e}\u{2066}\u{9b}2J\u{7}\r\u{61c}\u{e0041}";
    let record = serde_json::json!({
        "server": hostile, "tool": {"name": hostile, "outputSchema": {"type": "object", "required": [hostile]}},
        "input": {hostile: hostile}, "scenarioCategory": hostile,
        "response": {"isError": true, "structuredContent": {hostile: 1}, "content": [{"type": "text", "text": hostile}]},
    });
    place.recording("hostile.jsonl", record.to_string());
    for rulebook in ["guide", "inspector", "calibrated"] {
        let ran = explain(&place, "hostile.jsonl:1", &["--rulebook", rulebook]).ended_with(0);
        let acts = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{202e}' | '\u{2066}' | '\u{61c}' | '\u{e0041}')
        };
        assert_eq!(ran.out.chars().find(|c| acts(*c)), None, "{:?}", ran.out);
        shows(&ran, &["\\u{1b}[31m", "\\u{202e}"]);
    }
}

#[test]
fn rulebooks_are_listed_and_shown() {
    let list = tapecheck(&["list", "rulebooks"]).ended_with(0);
    for name in ["guide", "inspector", "calibrated"] {
        assert!(list.out.lines().any(|line| line.trim_start().starts_with(name)), "{}", list.out);
        let shown = tapecheck(&["list", "rulebooks", name]).ended_with(0);
        // What is shown is a whole rulebook: saved, it loads and says the same.
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("saved.toml");
        std::fs::write(&path, &shown.out).expect("a file");
        let path = path.to_str().expect("UTF-8");
        assert_eq!(tapecheck(&["list", "rulebooks", path]).ended_with(0).out, shown.out);
        tapecheck(&["check", path]).ended_with(0);
    }
    tapecheck(&["list", "rulebooks", "nobody"]).ended_with(2).complaining("list rulebooks");
    tapecheck(&["check"]).ended_with(0);
}

#[test]
fn texts_of_examples_are_no_commands_for_terminals_and_runners() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let text = "name = \"mine\"\nextends = \"guide\"\n[[examples]]\n\
                name = \"::error::a ##[error]b ##vso[task.complete]c \\u001B[31md\"\n\
                tool = \"get\"\nerror = \"not found\"\n[examples.expect]\nbusiness_logic = false\n";
    std::fs::write(&path, text).expect("a file");
    let ran = tapecheck(&["check", path.to_str().expect("UTF-8")]).ended_with(1);
    assert!(!ran.out.lines().any(|line| line.trim_start().starts_with("::")), "{}", ran.out);
    assert!(
        ran.out.contains("::error::a ## [error]b ## vso[task.complete]c \\u{1b}[31md"),
        "{}",
        ran.out
    );
}

#[test]
fn errors_of_a_rulebook_come_all_at_once_and_with_their_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |text: &[u8]| {
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).expect("a file");
        tapecheck(&["check", path.to_str().expect("UTF-8")])
    };
    let text = "extends = \"guide\"\n\nunknown_key = 1\n\n[signals.broken]\nregex = \"(\"\n\n[signals.dangling]\nany = [\"no_such_signal\"]\n";
    let ran = check(text.as_bytes()).ended_with(2);
    let told = ran.err.replace(&*folder.path().to_string_lossy(), "FOLDER");
    assert_snapshot!(told, @r#"
    error: FOLDER/mine.toml: the rulebook has 3 errors

    unknown key `unknown_key`
     --> FOLDER/mine.toml:3:1
      |
    3 | unknown_key = 1
      | ^^^^^^^^^^^
      = known keys: name, about, lists, signals, factors, score, decide, error_kinds, errors, hidden_failure, certainty, text, metadata, schema, evidence, because, categories, issue_types, endings, overall, status, quality, criteria, examples, extends, remove

    this regex cannot be used: unclosed group
     --> FOLDER/mine.toml:6:9
      |
    6 | regex = "("
      |         ^^^

    unknown signal `no_such_signal`
     --> FOLDER/mine.toml:9:8
      |
    9 | any = ["no_such_signal"]
      |        ^^^^^^^^^^^^^^^^
      = known: mcp_code, business_pattern, http_status, structured_error, test_data, validation_tool, strong_operational, textual_evidence, broken, dangling
    "#);
    for text in [&b"\xff"[..], b"= =", b"extends = \"nobody\"\n", b"extends = 5\n", b"\0"] {
        let ran = check(text).ended_with(2);
        assert!(ran.err.contains("mine.toml"), "{}", ran.err);
    }
    check(b"extends = \"mine.toml\"\n").ended_with(2);
    check(b"").code.expect("it ends");
}

#[test]
fn a_regex_goes_by_its_name_and_sentence_and_is_written_out_when_asked_for() {
    let place = Place::new();
    let trace = "TypeError: x is undefined\\n    at run (/srv/app.js:12:34)";
    place.recording(
        "a.jsonl",
        format!(
            r#"{{"id":"a","tool":"get","input":{{}},"response":{{"isError":true,"content":[{{"type":"text","text":"{trace}"}}]}}}}"#
        ),
    );
    let brief = explain(&place, "recordings/a.jsonl:1", &[]).ended_with(0);
    let lines = |out: &str| -> Vec<String> {
        out.lines().filter(|line| line.contains("javascript frame")).map(str::to_owned).collect()
    };
    assert_snapshot!(lines(&brief.out).join("\n"), @"evidence      25..56 of the text: TypeError: x is undefined⟦⏎    at run (/srv/app.js:12:34)⟧ (javascript frame)");
    assert!(!brief.out.contains("\\s+at "), "{}", brief.out);
    assert!(!brief.out.contains("unreachable"), "{}", brief.out);
    let long = explain(&place, "recordings/a.jsonl:1", &["-v"]).ended_with(0);
    assert!(long.out.contains("unreachable"), "{}", long.out);
    assert!(long.out.contains(r"          regex \n\s+at [^\n]*:\d+:\d+\)?"), "{}", long.out);
}

#[test]
fn what_a_reply_quotes_is_shown_in_the_reply_and_in_the_call_with_its_secrets_masked() {
    let place = Place::new();
    let call = r#"{"tool":"read","input":{"token":"ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","path":"Notes.txt"},"response":{"isError":true,"content":[{"type":"text","text":"Cannot open '/srv/notes.txt'"}]}}"#;
    place.recording("calls.jsonl", lines(&[call]));
    let rulebook = "name = \"mine\"\nextends = \"guide\"\n[signals.quoting]\nregex = \"open '(?<quoted>[^']+)\"\n\
                    quoted_from = \"values\"\n[factors.quoting]\nweight = 1\n";
    place.write("mine.toml", rulebook);
    let ran =
        explain(&place, "recordings/calls.jsonl:1", &["--rulebook", "mine.toml"]).ended_with(0);
    shows(
        &ran,
        &[
            "7..27 of the text: Cannot ⟦open '/srv/notes.txt⟧'",
            "quotes 60..69 of the input: ",
            r#""path":"⟦Notes.txt⟧"}"#,
        ],
    );
    assert!(!ran.out.contains("ghp_aaaa"), "a secret is shown in:\n{}", ran.out);
}

#[test]
fn the_code_that_a_reply_states_tells_the_kind_and_not_the_outcome() {
    let place = Place::new();
    let call = |is_error: bool, code: &str| {
        serde_json::json!({"tool": "get", "input": {}, "response": {
            "isError": is_error,
            "content": [{"type": "text", "text": "It did not work."}],
            "_meta": {"io.modelcontextprotocol/toolFailure": {"class": "governance", "code": code}},
        }})
        .to_string()
    };
    let codes = ["auth_required", "policy_blocked", "resource_not_found", "invalid_input", "own"];
    let calls =
        codes.map(|code| call(true, code)).into_iter().chain([call(false, "auth_required")]);
    place.recording("a.jsonl", lines(&calls.collect::<Vec<_>>()));
    let first = |line: usize| {
        let ran = explain(&place, &format!("a.jsonl:{line}"), &[]).ended_with(0);
        ran.out.lines().next().unwrap_or_default().to_owned()
    };
    assert_snapshot!((1..=6).map(first).collect::<Vec<_>>().join("\n"), @"
    refused, credentials: A key, a token or a login of the server is missing, wrong or expired.
    refused, not permitted: The call is not permitted.
    refused, not found: What the call names is not there.
    refused, bad argument: An argument is missing, of the wrong kind or out of range.
    refused, other reason: A reason that is none of these.
    worked: The tool did what it was asked.
    ");
}

#[test]
fn counts_of_content_are_shown_as_the_rulebook_names_them() {
    let place = Place::new();
    let blocks = r#"{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"audio","data":"","mimeType":"audio/wav"}"#;
    place.recording(
        "say.jsonl",
        format!(r#"{{"tool":"say","input":{{}},"response":{{"content":[{blocks}],"structuredContent":{{}}}}}}"#),
    );
    let explained =
        |rulebook: &str| explain(&place, "say.jsonl:1", &["-v", "--rulebook", rulebook]);
    shows(
        &explained("guide").ended_with(0),
        &["content       text, audio · textBlockCount 2, hasStructuredContent\n"],
    );
    place.write(
        "spoken.toml",
        "name = \"spoken\"\nextends = \"guide\"\n[metadata.counted.spokenCount]\ntypes = [\"audio\"]\n\
         evidence = \"Response includes {n} spoken block(s)\"\n",
    );
    shows(
        &explained("spoken.toml").ended_with(0),
        &["content       text, audio · textBlockCount 2, spokenCount 1, hasStructuredContent\n"],
    );
}
