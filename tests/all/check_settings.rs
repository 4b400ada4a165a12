//! What exchanges are held against beside the rulebook, by flags and by the configuration.

use crate::harness::{Place, Ran, finish, lines, program};
use serde_json::Value;

/// A call of the built-in contract without its title.
const UNTITLED: &str = r#"{"id":"u","server":"s","tool":"add_task","input":{"user_id":1},"response":{"content":[{"type":"text","text":"no title"}],"isError":true}}"#;
/// A reply that states something about a star.
const STAR: &str = r#"{"id":"star","server":"s","tool":"star","input":{},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"name":"Sirius","planets":3}}}"#;
/// What is known of it.
const FACTS: &str = "[[facts]]\nsubject = \"/name=Sirius\"\nfield = \"/planets\"\nvalue = 0\nsource = \"an almanac\"\n";
/// A contract that is about the calls of the tool `star`.
const CONTRACT: &str = "name = \"stars\"\n[tools.star.input.properties]\nname = { type = \"string\", required = true }\n";

/// The types of the issues of each exchange, by its recording and id.
fn issues(place: &Place) -> Vec<(String, Vec<String>)> {
    let types = |verdict: &Value| {
        let issues = verdict["issues"].as_array().expect("a list").iter();
        issues.map(|issue| issue["type"].as_str().expect("text").to_owned()).collect()
    };
    let id = |verdict: &Value| verdict["id"].as_str().expect("an id").to_owned();
    place.verdicts().iter().map(|verdict| (id(verdict), types(verdict))).collect()
}

/// Under the guide, which asks nothing of what is checked here.
fn judge(place: &Place, more: &[&str]) -> Ran {
    place.run(&[&["--rulebook", "guide"], more].concat())
}

#[track_caller]
fn assert_issues(place: &Place, expected: &[(&str, &[&str])]) {
    let expected: Vec<(String, Vec<String>)> = expected
        .iter()
        .map(|(id, types)| ((*id).to_owned(), types.iter().map(|t| (*t).to_owned()).collect()))
        .collect();
    assert_eq!(issues(place), expected);
}

fn beside(place: &Place, name: &str, text: &str) -> String {
    let path = place.root().join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

fn digest(place: &Place) -> Option<String> {
    place.json("manifest.json")["comparable"]["checks"].as_str().map(str::to_owned)
}

#[test]
fn flags_say_what_exchanges_are_held_against() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[UNTITLED, STAR]));
    judge(&place, &[]).ended_with(0);
    assert_issues(&place, &[("u", &[]), ("star", &[])]);
    assert_eq!(digest(&place), None);

    judge(&place, &["--contract", "todo"]).ended_with(0);
    assert_issues(&place, &[("u", &["missing_parameter"]), ("star", &[])]);
    let todo = digest(&place).expect("a digest");

    let (facts, stars) =
        (beside(&place, "facts.toml", FACTS), beside(&place, "stars.toml", CONTRACT));
    let ran = judge(
        &place,
        &["--contract", "todo", "--contract", &stars, "--config", &format!("facts={facts}")],
    );
    ran.ended_with(0);
    assert_issues(
        &place,
        &[
            ("u", &["missing_parameter"]),
            ("star", &["missing_parameter", "request_not_refused", "fact_mismatch"]),
        ],
    );
    let all = digest(&place).expect("a digest");
    assert_ne!(todo, all);
    // Without the call that failed, whatever is checked.
    place.recording("a.jsonl", lines(&[STAR]));
    judge(&place, &["--fail-on", "error", "--config", &format!("facts={facts}")]).ended_with(1);
    let changed = beside(&place, "facts.toml", &FACTS.replace("= 0", "= 3"));
    judge(&place, &["--fail-on", "error", "--config", &format!("facts={changed}")]).ended_with(0);
    assert_ne!(digest(&place), Some(all));
}

#[test]
fn logs_hold_the_names_of_arguments_and_not_their_values() {
    let place = Place::new();
    let call = |id: &str, input: &str| {
        format!(
            r#"{{"id":"{id}","server":"s","session":"night","tool":"star","input":{input},"response":{{"content":[{{"type":"text","text":"as JSON"}}],"structuredContent":{{"ok":1}}}}}}"#
        )
    };
    let [wrong, right] = [r#"{"colour":"a red notebook"}"#, r#"{"name":"a blue notebook"}"#];
    let titled = r#"{"id":"t","server":"s","session":"night","tool":"add_task","input":{"title":"a green notebook"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"task":{"id":7,"title":"a green notebook","status":"for a notebook"}}}}"#;
    let said = |id: &str, is_error: bool, text: &str| {
        format!(
            r#"{{"id":"{id}","server":"s","session":"night","tool":"add_task","input":{{"title":"a tiny notebook"}},"response":{{"isError":{is_error},"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let long = format!("TypeError: a tiny notebook {}", "is wrong ".repeat(200));
    let recorded = [
        call("wrong", wrong),
        call("right", right),
        titled.into(),
        said("hidden", false, "Error: cannot add 'a tiny notebook': database is locked"),
        said("refused", true, "Title 'a tiny notebook' is already used"),
        said("long", true, &long),
    ];
    place.recording("a.jsonl", lines(&recorded));
    let stars = beside(&place, "stars.toml", CONTRACT);
    judge(&place, &["--contract", &stars, "--config", "output.texts=false"]).ended_with(0);
    let [wrong, right, others @ ..] = &place.verdicts()[..] else { panic!("lines") };
    assert_eq!(wrong["parameter_keys"], serde_json::json!(["colour"]));
    assert_eq!(right.get("parameter_keys"), None, "nothing is wrong with it: {right}");
    let mut show = program();
    show.arg("show").arg(place.out()).arg("--report=error_night_undated.txt");
    let report = finish(&mut show).ended_with(0).out;
    assert!(report.contains("\n      arguments [\"colour\"]\n"), "{report}");
    let written = ["sessions.jsonl", "summary.json", "report.html"].map(|name| place.text(name));
    let lines = format!("{wrong}{right}{others:?}");
    for text in written.iter().chain([&report, &lines]) {
        assert!(!text.contains("notebook"), "a value of an argument is in {text}");
    }
    let mut explain = program();
    explain.args(["explain", "a.jsonl:2"]).arg(place.recordings());
    finish(explain.args(["--contract", &stars]))
        .ended_with(0)
        .printing(r#"sanitized     {"name":"a blue notebook"}"#);
}

#[test]
fn criteria_are_given_by_flag_and_configuration() {
    let criteria = |most: u32| {
        format!(
            "name = \"stars\"\n[[criteria]]\nname = \"few planets\"\ntools = \"star\"\nexpression = \"output.planets <= {most}\"\n\
             issue_type = \"too_many_planets\"\nvalid = [{{ output = {{ planets = {most} }} }}]\n"
        )
    };
    let place = Place::new();
    place.recording("a.jsonl", lines(&[UNTITLED, STAR]));
    let few = beside(&place, "few.toml", &criteria(2));
    let given = format!("criteria={few}");
    let flag = ["--config", given.as_str()];
    let key = format!("criteria={few}");
    for given in [flag, ["--config", key.as_str()]] {
        judge(&place, &given).ended_with(0);
        assert_issues(&place, &[("u", &[]), ("star", &["too_many_planets"])]);
        // As if its only reply broke its output schema: 70 by the weight of 0.7.
        let tools = place.text("tools.csv");
        assert!(tools.contains("s,star,connectivity_only,49,1,0,0,1,"), "{tools}");
    }
    let star = place.verdicts().pop().expect("a verdict");
    assert_eq!(star["failed_criteria"], serde_json::json!(["few planets"]));
    assert_eq!(star["decision"], "reject");
    let told = digest(&place).expect("a digest");
    beside(&place, "few.toml", &criteria(3));
    judge(&place, &flag).ended_with(0);
    assert_issues(&place, &[("u", &[]), ("star", &[])]);
    assert!(place.text("tools.csv").contains("s,star,fully_working,100,1,1,"));
    assert_ne!(digest(&place), Some(told));

    let own = beside(&place, "own.toml", &criteria(2));
    judge(&place, &["--config", &format!("criteria=[{few:?}, {own:?}]")])
        .ended_with(2)
        .complaining("two criteria are called `few planets`, one in the criteria `stars`");

    let wrong = beside(&place, "few.toml", &criteria(2).replace("<= 2", "< 2"));
    let ran = judge(&place, &flag).ended_with(2);
    assert!(ran.err.contains("few.toml has 1 error"), "{}", ran.err);
    assert!(ran.err.contains("the criterion is not met by this example"), "{}", ran.err);
    let checked = finish(program().args(["check", &wrong])).ended_with(2);
    assert!(checked.err.contains("the criterion is not met by this example"), "{}", checked.err);
}

#[test]
fn facts_may_be_a_table_of_commas() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[STAR]));
    let facts =
        beside(&place, "facts.csv", "subject,field,value,source\n/name=Sirius,/planets,0,book\n");
    judge(&place, &["--config", &format!("facts={facts}")]).ended_with(0);
    assert_issues(&place, &[("star", &["fact_mismatch"])]);
}

#[test]
fn all_mistakes_of_all_files_are_told_at_once_and_nothing_runs() {
    let place = Place::with_good_recording();
    let contract = beside(&place, "wrong.toml", "name = \"x\"\ntool = 1\n[tools.a]\nrule = 1\n");
    let facts = beside(&place, "facts.toml", "[[facts]]\nsubjekt = \"x\"\n");
    let schema =
        beside(&place, "request.json", "{\"properties\": {\"query\": {\"type\": \"txt\"}}");
    let ran = place
        .run(&[
            "--contract",
            &contract,
            "--contract",
            "nobody",
            "--config",
            &format!("facts=[{facts:?}, \"no/such.csv\"]"),
            &format!("--config=envelope_request={schema}"),
            "--config=envelope_response=no/such.json",
        ])
        .ended_with(2);
    for told in [
        "unknown key `tool`",
        "wrong.toml:2:1",
        "unknown key `rule`",
        "wrong.toml:4:1",
        "no contract or file is called `nobody`",
        "unknown key `subjekt`",
        "facts.toml:2:1",
        "cannot read no/such.csv",
        "this is not JSON",
        "request.json:1:",
        "cannot read no/such.json",
    ] {
        assert!(ran.err.contains(told), "`{told}` is not told in:\n{}", ran.err);
    }
    assert!(ran.out.is_empty(), "{}", ran.out);
    assert!(!place.out().exists(), "nothing ran");
}

#[test]
fn the_digest_of_a_run_tells_its_checks() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[STAR]));
    let judged = |facts: &str, contract: &str| {
        let facts = beside(&place, "facts.toml", facts);
        judge(&place, &["--config", &format!("facts={facts}"), "--contract", contract])
            .ended_with(0);
        digest(&place).expect("a digest")
    };
    let first = judged(FACTS, "todo");
    assert_eq!(judged(FACTS, "todo"), first);
    assert_ne!(judged(&FACTS.replace("= 0", "= 1"), "todo"), first);
    assert_ne!(judged(FACTS, "todo=s"), first);
}

#[test]
fn files_of_checks_may_lie_among_the_recordings() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[STAR]));
    let facts = place
        .recording("known/facts.csv", "subject,field,value,source\n/name=Sirius,/planets,0,book\n");
    // Settings of a folder, as there were once.
    place.recording("checks.toml", "contracts = [\"todo\"]\n");
    judge(&place, &["--config", &format!("facts={}", facts.display())]).ended_with(0);
    place.adds_up();
    assert_issues(&place, &[("star", &["fact_mismatch"])]);
    let kinds: Vec<(String, String)> =
        place.other_files().into_iter().map(|(file, (kind, _))| (file, kind)).collect();
    let expected = [("checks.toml", "unknown file"), ("known/facts.csv", "setting")];
    assert_eq!(kinds, expected.map(|(file, kind)| (file.to_owned(), kind.to_owned())));
}

/// What a run's manifest names, as `kind name`.
fn named(place: &Place) -> Vec<String> {
    let manifest = place.json("manifest.json");
    let files = manifest["comparable"]["check_files"].as_array().cloned().unwrap_or_default();
    let file = |file: &Value| {
        let text = |member: &str| file[member].as_str().unwrap_or_default().to_owned();
        assert_eq!(text("digest").len(), 32, "every file has a hash: {file}");
        [text("kind"), text("name")].join(" ")
    };
    files.iter().map(file).collect()
}

#[test]
fn a_run_names_all_that_it_was_checked_with_and_how_it_was_masked() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[UNTITLED, STAR]));
    let facts = beside(&place, "facts.toml", FACTS);
    let request = beside(&place, "request.json", "{}");
    let mine = beside(
        &place,
        "mine.toml",
        "[[rule]]\nname = \"badge\"\nabout = \"Badges.\"\nshown = \"badge\"\n\
         pattern = 'BADGE-[0-9]{4}'\nmasks = [\"<<BADGE-1234>>\"]\nleaves = [\"BADGE-1\"]\n",
    );
    judge(
        &place,
        &[
            "--contract=todo",
            "--config",
            &format!("facts={facts}"),
            &format!("--config=envelope_request={request}"),
        ],
    )
    .ended_with(0);
    assert_eq!(
        named(&place),
        ["contracts todo", "facts facts.toml", "envelope schemas request.json"]
    );
    let redaction = |place: &Place| place.json("manifest.json")["comparable"]["redaction"].clone();
    let builtin = redaction(&place);
    assert_eq!(builtin["rules"], serde_json::json!(["builtin"]));
    let earlier = place.root().join("earlier");
    std::fs::rename(place.out(), &earlier).expect("a run");

    judge(&place, &[&format!("--config=redact=[\"builtin\", \"{mine}\"]")]).ended_with(0);
    assert_eq!(
        redaction(&place)["rules"],
        serde_json::json!(["builtin", "mine.toml"]),
        "no path of this machine"
    );
    assert_ne!(redaction(&place)["digest"], builtin["digest"]);
    let compared = finish(program().arg("diff").args([&earlier, &place.out()])).ended_with(0);
    compared.printing("the rules of redaction").printing("the contracts, facts or schemas");
    judge(&place, &["--config=redact=none"]).ended_with(0);
    assert_eq!(redaction(&place)["rules"], serde_json::json!(["none"]));
}

#[test]
fn run_explain_and_review_go_by_the_configuration_above_them() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[UNTITLED, STAR]));
    place.recording("deep/b.jsonl", lines(&[UNTITLED]));
    let config = beside(&place, "tapecheck.toml", "contracts = \"todo\"\nrulebook = \"guide\"\n");
    let told = |arguments: &[&str], text: &str| {
        let ran = finish(program().current_dir(place.recordings()).args(arguments)).ended_with(0);
        assert!(ran.out.contains(text), "{arguments:?}: {}", ran.out);
    };
    told(&["run", ".", "--out", "../run", "--stdout", "jsonl"], "missing_parameter");
    for what in ["a.jsonl:1", "deep/b.jsonl:1"] {
        told(&["explain", what, "."], "title is required");
    }
    told(
        &["explain", "a.jsonl:1", "--contract", &beside(&place, "stars.toml", CONTRACT)],
        "no title",
    );
    finish(program().current_dir(place.recordings()).args([
        "review",
        "--all",
        "--baseline",
        "../snapshots",
        ".",
    ]))
    .ended_with(0);
    let baseline = place.root().join("snapshots/recordings/guide.snap");
    let baseline = std::fs::read_to_string(baseline).expect("a baseline");
    assert!(baseline.contains("\"error missing_parameter\""), "{baseline}");
    std::fs::write(config, "contracts = 5\n").expect("a file");
    let wrong = finish(program().current_dir(place.recordings()).args(["explain", "a.jsonl:1"]));
    wrong.ended_with(2).complaining("tapecheck.toml:1:13");
}

#[test]
fn schemas_of_envelopes_are_extended_by_a_file() {
    let patch = r#"{"properties":{"context":{"properties":{"client_version":{"type":"string"},"device_info":{"type":"object","properties":{"type":{"type":"string"},"os":{"type":"string"}}}}}}}"#;
    let envelope = |context: &str| {
        format!(
            r#"{{"id":"e","request":{{"query":"Hi","context":{context}}},"response":{{"status":"pending"}}}}"#
        )
    };
    let wrong = envelope(r#"{"client_version":2.1,"device_info":{"os":5}}"#);
    let right = envelope(r#"{"client_version":"2.1","device_info":{"os":"Android"}}"#);
    let place = Place::new();
    place.recording("a.jsonl", lines(&[&wrong, &right]));
    let messages = |place: &Place| -> Vec<usize> {
        let count = |verdict: &Value| {
            let issues = verdict["issues"].as_array().expect("a list").iter();
            issues.filter(|issue| issue["message"] == "Invalid type, expected string").count()
        };
        place.verdicts().iter().map(count).collect()
    };
    judge(&place, &[]).ended_with(0);
    assert_eq!(messages(&place), [0, 0], "the built-in schema knows nothing of them");
    let request = beside(&place, "request.json", patch);
    judge(&place, &[&format!("--config=envelope_request={request}")]).ended_with(0);
    assert_eq!(messages(&place), [2, 0]);
}
