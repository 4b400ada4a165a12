//! What a person meets first: settings, colours, completions, the calls of a run.

use crate::harness::{Place, finish, good, lines, program, tapecheck};
use crate::review::terminal::Terminal;

const FAILED: &str = r#"{"server":"shop","tool":"pay","input":{"n":1},"response":{"isError":true,"content":[{"type":"text","text":"TypeError: undefined is not a function, token ghp_0123456789abcdefghijklmnopqrstuvwxyz"}]}}"#;

/// A folder with recordings of two calls, one of which failed.
fn place() -> Place {
    let place = Place::new();
    place.recording("shop.jsonl", lines(&[FAILED.to_owned(), good("g")]));
    place
}

fn in_folder(place: &Place, words: &str) -> crate::harness::Ran {
    finish(program().current_dir(place.root()).args(words.split(' ')))
}

#[test]
fn settings_are_found_from_a_folder_below_and_flags_override_them() {
    let place = place();
    in_folder(&place, "init").ended_with(0);
    in_folder(&place, "init").ended_with(2).complaining("already there");
    in_folder(&place, "run").ended_with(2).complaining("no recordings given");
    place.write(
        "tapecheck.toml",
        "recordings = [\"recordings\"]\nrulebook = \"guide\"\nhistory = \"nights\"\n\
         [output]\nrun = \"last\"\n",
    );
    let below = place.root().join("recordings");
    let ran = finish(program().current_dir(&below).arg("run")).ended_with(0);
    assert!(ran.out.contains("classified by guide"), "{}", ran.out);
    assert!(
        place.root().join("last/manifest.json").exists() && place.root().join("nights").exists()
    );
    in_folder(&place, "show").ended_with(0).printing("classified by guide");
    in_folder(&place, "trend --list").ended_with(0).printing("1 run");
    in_folder(&place, "run --rulebook inspector").ended_with(0).printing("by inspector");
    in_folder(&place, "check").ended_with(0).printing("tapecheck.toml (configuration): no errors");
    place.write("tapecheck.toml", "rulebok = \"guide\"\n");
    let ran = in_folder(&place, "run recordings").ended_with(2);
    ran.complaining("tapecheck.toml:1:1").complaining("did you mean `rulebook`?");
}

#[test]
fn settings_that_were_found_reach_nothing_outside_of_their_folder() {
    let outside = Place::new();
    for (text, is_right) in [
        ("labels = [\"../.bashrc\"]", false),
        ("labels = [\"link/a.jsonl\"]", false),
        ("labels = [\"dangling\"]", false),
        ("recordings = [\"a/../../b\"]", false),
        ("rulebook = \"/etc/passwd\"", false),
        ("contracts = [\"/etc/passwd\"]", false),
        ("policy = \"../gate.toml\"", false),
        ("redact = [\"../rules.toml\"]", false),
        ("redact = [\"none\"]", false),
        ("[output]\nrun = \"/\"", false),
        ("labels = [\"new/labels.jsonl\", \"HERE/b\"]\nrulebook = \"guide\"", true),
    ] {
        let place = place();
        place.write("tapecheck.toml", &text.replace("HERE", &place.root().display().to_string()));
        std::os::unix::fs::symlink(outside.root(), place.root().join("link")).expect("a link");
        std::os::unix::fs::symlink("../new", place.root().join("dangling")).expect("a link");
        let ran = in_folder(&place, "list formats");
        if is_right {
            ran.ended_with(0).complaining("settings: tapecheck.toml");
        } else {
            ran.ended_with(2).complaining("if you trust this file, name it: `--config");
        }
        let named = in_folder(&place, "list formats --config tapecheck.toml").ended_with(0);
        assert_eq!(
            named.err.contains("secrets are not masked"),
            text.contains("none"),
            "{}",
            named.err
        );
    }
}

#[test]
#[cfg(unix)]
fn a_configuration_that_nobody_named_leads_nowhere_else_by_links() {
    let (place, outside) = (Place::new(), Place::new());
    place.recording("own.jsonl", good("own") + "\n");
    outside.recording("private.jsonl", good("private") + "\n");
    let link = place.recordings().join("out");
    std::os::unix::fs::symlink(outside.recordings(), link).expect("a link");
    place.write("tapecheck.toml", "recordings = [\"recordings\"]\n");
    for (command, calls) in [("run", 1), ("run --config tapecheck.toml", 2), ("run recordings", 2)]
    {
        in_folder(&place, &format!("{command} --quiet --out run")).ended_with(0);
        let summary = place.json("summary.json");
        assert_eq!(summary["counts"]["exchanges"], calls, "{command}: {summary}");
    }
}

#[test]
fn settings_of_another_user_are_ignored_unless_they_are_named() {
    let place = place();
    place.write("tapecheck.toml", "recordings = [\"recordings\"]\n");
    if std::os::unix::fs::chown(place.root().join("tapecheck.toml"), Some(65_534), None).is_err() {
        return;
    }
    in_folder(&place, "run").ended_with(2).complaining("belongs to another user");
    in_folder(&place, "run --quiet --config tapecheck.toml").ended_with(0);
    let quiet = in_folder(&place, "run recordings --quiet").ended_with(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn the_failing_calls_of_a_run_are_listed_with_masked_texts() {
    let place = place();
    in_folder(&place, "run recordings --quiet --out run").ended_with(0);
    let ran = in_folder(&place, "show run --filter failed").ended_with(0);
    let said = "×1  failed, crash: TypeError: undefined is not a function";
    assert!(
        ran.out.starts_with("1 failed or invalid call in run, by what they say\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains(said), "{}", ran.out);
    let ran = in_folder(&place, "show run --filter failed --each").ended_with(0);
    assert!(ran.out.starts_with("1 failed or invalid call in run\n"), "{}", ran.out);
    assert!(ran.out.contains("failed  shop / pay  shop.jsonl:1"), "{}", ran.out);
    assert!(ran.out.contains("TypeError") && !ran.out.contains("ghp_0123"), "{}", ran.out);
    let next = ran.out.lines().find_map(|line| line.strip_prefix("next: tapecheck "));
    in_folder(&place, next.expect("a command")).ended_with(0).printing("rulebook      calibrated");
    // Equal calls have equal keys: each has its own issues, also on one line of a file.
    place.recording("shop.jsonl", lines(&[FAILED.to_owned(), FAILED.to_owned()]));
    place.recording("shop.json", format!("[{FAILED},{FAILED}]").into_bytes());
    in_folder(&place, "run recordings --quiet --out equal").ended_with(0);
    for filter in ["failed", "errors"] {
        let ran = in_folder(&place, &format!("show equal --each --filter {filter}")).ended_with(0);
        let issues: Vec<usize> = ran
            .out
            .split("\n  - ")
            .skip(1)
            .map(|call| call.matches("issue  error").count())
            .collect();
        assert_eq!(issues, [1; 4], "{}", ran.out);
    }
    in_folder(&place, "show run --filter tool=pays")
        .ended_with(2)
        .complaining("the run has no tool `pays`");
    in_folder(&place, "show run --filter tool=get").ended_with(0).printing("1 call in run");
}

#[test]
fn calls_with_a_low_confidence_are_listed_by_one_command() {
    let place = Place::new();
    let call = |tool: &str, schema: &str, content: &str| {
        format!(
            r#"{{"server":"shop","tool":{{"name":"{tool}"{schema}}},"input":{{}},"response":{{"content":[{content}]}}}}"#
        )
    };
    let text = r#"{"type":"text","text":"[]"}"#;
    let schema = r#","outputSchema":{"type":"object"}"#;
    place.recording(
        "shop.jsonl",
        lines(&[call("list", "", text), call("find", schema, text), call("ask", "", "")]),
    );
    in_folder(&place, "run recordings --rulebook guide --quiet --out run").ended_with(0);
    // The document's own example is `confidence < 70`; a schema that is not kept has 70.
    let ran = in_folder(&place, "show run --filter below=70").ended_with(0);
    ran.printing("1 call with a confidence below 70 in run")
        .printing("shop / ask")
        .printing("confidence  0");
    let ran = in_folder(&place, "show run --filter below=71").ended_with(0);
    ran.printing("2 calls with a confidence below 71 in run").printing("confidence  70");
    let ran = in_folder(&place, "show run --filter below=71 --filter tool=find").ended_with(0);
    ran.printing("1 call with a confidence below 71 in run");
    in_folder(&place, "show run --filter below=0.7").ended_with(2);
    in_folder(&place, "show run --filter below=101").ended_with(2).complaining("below=N, 1 to 100");
}

#[test]
fn errors_that_checks_find_in_calls_that_worked_are_in_the_summary_and_listed() {
    let place = Place::new();
    let call = r#"{"server":"todo-server","tool":"add_task","input":{"title":"DROP TABLE x"},"response":{"content":[{"type":"text","text":"{\"success\":true}"}]}}"#;
    let refused = r#"{"server":"todo-server","tool":"add_task","input":{"title":"x"},"response":{"isError":true,"content":[{"type":"text","text":"user_id is required"}]}}"#;
    let envelope = r#"{"request":{"query":5},"response":{"status":"nope"}}"#;
    place.recording("todo.jsonl", lines(&[refused.to_owned(), refused.replace("\"x\"", "\"y\"")]));
    let run = "run recordings --contract todo=todo-server --out run";
    let ran = in_folder(&place, run).ended_with(0);
    let command =
        "checks found errors in 2 calls that did not fail: tapecheck show run --filter errors";
    assert!(ran.out.contains(command), "{}", ran.out);
    in_folder(&place, "show run -v").ended_with(0).printing(command);
    let page = in_folder(&place, "show run --format md").ended_with(0);
    assert!(page.out.contains("Checks found errors in 2 calls that did not fail."), "{}", page.out);
    let listed = in_folder(&place, "show run --filter errors").ended_with(0);
    assert!(listed.out.starts_with("2 calls with errors in run"), "{}", listed.out);
    let issue = "error missing_parameter: user_id is required";
    assert_eq!(listed.out.matches(issue).count(), 2, "{}", listed.out);
    in_folder(&place, "show run --filter failed")
        .ended_with(0)
        .printing("0 failed or invalid calls");

    place.recording(
        "todo.jsonl",
        lines(&[call.to_owned(), refused.to_owned(), envelope.to_owned()]),
    );
    let ran = in_folder(&place, run).ended_with(0);
    assert!(
        ran.out.contains("1 of 1 document invalid: tapecheck show run --filter failed"),
        "{}",
        ran.out
    );
    let page = in_folder(&place, "show run --format md").ended_with(0);
    assert!(page.out.contains("Checks found errors in 1 call that did not fail."), "{}", page.out);
    let listed = in_folder(&place, "show run --filter failed").ended_with(0);
    let head = "1 failed or invalid call and 1 invalid document in run";
    assert!(listed.out.starts_with(head), "{}", listed.out);
    assert!(listed.out.contains("invalid: constraint violation"), "{}", listed.out);
    let listed = in_folder(&place, "show run --filter failed --each").ended_with(0);
    assert!(listed.out.contains("Invalid enum value"), "{}", listed.out);
}

#[test]
fn categories_of_ones_own_are_in_the_summary() {
    let place = Place::new();
    let call = |category: &str| {
        format!(
            r#"{{"tool":"get","input":{{}},"scenarioCategory":{category},"response":{{"content":[{{"type":"text","text":"x"}}]}}}}"#
        )
    };
    let categories = ["\"load\"", "\"edge_case\"", "{}", "null"];
    place.recording("calls.jsonl", lines(&categories.map(call)));
    let summary = in_folder(&place, "run recordings --out run --format json").ended_with(0).json();
    assert_eq!(summary["other_scenarios"], serde_json::json!({"load": 1}));
    in_folder(&place, "show run -v").printing("other scenario categories load 1");
}

#[test]
fn a_report_has_no_advice_that_the_issue_lacks() {
    let place = Place::new();
    let result = r#"{"valid":false,"confidence":0.7,"quality_score":0.6,"issues":[{"severity":"error","type":"security_issue","message":"The password is in the code"}]}"#;
    let text = serde_json::to_string(result).expect("plain data");
    let call = format!(
        r#"{{"tool":"judge","input":{{}},"response":{{"content":[{{"type":"text","text":{text}}}]}}}}"#
    );
    place.recording("a.jsonl", lines(&[call]));
    in_folder(&place, "run recordings --quiet --out run").ended_with(0);
    let report = in_folder(&place, "show run --report a.jsonl:1").ended_with(0).out;
    assert!(report.contains("[security_issue] The password is in the code"), "{report}");
    assert!(!report.contains('→'), "{report}");
}

#[test]
fn a_terminal_has_colours_and_nothing_else_has() {
    let place = place();
    in_folder(&place, "run recordings --quiet --out run").ended_with(0);
    let plain = in_folder(&place, "show run").ended_with(0).out;
    assert!(!plain.contains('\u{1b}'), "a pipe has colours: {plain}");
    let shown = |variables: &[(&str, &str)]| {
        let words = ["show", "run"];
        let mut terminal = Terminal::start_with(place.root(), &words, (100, 30), variables);
        terminal.wait_for_end();
        let screen = terminal.screen().contents_formatted();
        assert!(screen.contains("failed"), "{screen}");
        screen
    };
    assert!(shown(&[]).contains("\u{1b}[31mfailed"), "{:?}", shown(&[]));
    let refused = shown(&[("NO_COLOR", "1")]);
    assert!(!refused.contains("\u{1b}[31m"), "{refused:?}");
}

#[test]
fn completions_and_the_manual_name_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh", "man"] {
        let text = tapecheck(&["completions", shell]).ended_with(0).out;
        for command in ["explain", "review", "completions"] {
            assert!(text.contains(command), "{shell} lacks {command}");
        }
        assert!(text.contains("fail-on") || text.contains("fail\\-on"), "{shell} lacks flags");
    }
    assert!(tapecheck(&["completions", "man"]).out.starts_with(".ie"), "roff");
}

#[test]
fn a_rulebook_that_answers_an_inherited_example_otherwise_is_an_error() {
    let place = Place::new();
    place.write(
        "mine.toml",
        "name = \"mine\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"not found\"]\n",
    );
    let ran = in_folder(&place, "check mine.toml").ended_with(1);
    assert!(ran.out.contains("inherited_example"), "{}", ran.out);
    assert!(ran.out.contains("deleting a user that is not there (of guide)"), "{}", ran.out);
}

#[test]
fn one_format_prints_and_others_are_written() {
    let place = place();
    in_folder(&place, "run recordings --quiet --out run").ended_with(0);
    let words = "show run --format json --format md=night.md --format html=night.html";
    let ran = in_folder(&place, words).ended_with(0);
    serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON alone");
    assert!(
        place.read("night.md").starts_with('#')
            && place.read("night.html").starts_with("<!doctype")
    );
    in_folder(&place, "run recordings --format xml").ended_with(2).complaining("text, json");
}

#[test]
fn a_call_is_shown_as_a_validation_report() {
    let place = place();
    place.write(
        "shop.toml",
        "name = \"shop\"\nservers = [\"shop\"]\n[tools.pay]\n\
         rules = [{ rule = \"input.n > 1\", message = \"n must be above 1\", code = \"TOO_SMALL\" }]\n",
    );
    in_folder(&place, "run recordings --rulebook guide --out last --contract shop.toml");
    let report = in_folder(&place, "show last --report shop.jsonl:1").ended_with(0).out;
    insta::assert_snapshot!(report, @"
    Validation Result: ❌ FAIL
    Confidence: 1.00
    Quality Score: 0.64

    🔴 ERRORS (2)
      • [TOO_SMALL] n must be above 1
      • [security_issue] The error message exposes internals: the class of an exception
        → Log the details on the server and answer with what the caller can do
    ");
    in_folder(&place, "show last --report nobody").ended_with(2).complaining("no error report of");
}
