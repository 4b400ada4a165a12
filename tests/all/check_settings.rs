//! What exchanges are held against beside the rulebook: by flags, and by `checks.toml` in a corpus.

use crate::harness::{Place, Ran, finish, lines, program, tapecheck, tapecheck_reading};
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
        &[("u", &["missing_parameter"]), ("star", &["missing_parameter", "fact_mismatch"])],
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
        .printing(r#"  sanitized {"name":"a blue notebook"}"#);
}

#[test]
fn criteria_are_given_by_flag_configuration_and_folder() {
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

    place.recording("checks.toml", "criteria = \"own.toml\"\n");
    place.recording("own.toml", criteria(2));
    judge(&place, &[]).ended_with(0);
    assert_issues(&place, &[("u", &[]), ("star", &["too_many_planets"])]);
    judge(&place, &flag)
        .ended_with(2)
        .complaining("two criteria are called `few planets`, one in the criteria `stars`");
    beside(&place, "few.toml", &criteria(2));
    judge(&place, &flag).ended_with(0);
    assert_issues(&place, &[("u", &[]), ("star", &["too_many_planets"])]);

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
    place.recording("below/checks.toml", "contracts = [\"none.toml\"]\nfact = []\n");
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
        "cannot read `none.toml`",
        "below/checks.toml:1:14",
        "unknown key `fact`",
        "did you mean `facts`?",
    ] {
        assert!(ran.err.contains(told), "`{told}` is not told in:\n{}", ran.err);
    }
    assert!(ran.out.is_empty(), "{}", ran.out);
    assert!(!place.out().exists(), "nothing ran");
}

#[test]
fn a_mistake_that_several_folders_share_is_told_once() {
    let place = Place::with_good_recording();
    for folder in ["", "a/", "b/"] {
        place.recording(&format!("{folder}checks.toml"), "contracts = \"wrong.toml\"\n");
        place.recording(&format!("{folder}wrong.toml"), "name = \"x\"\n");
    }
    let contract = beside(&place, "flag.toml", "name = 5\n[tools.a]\n");
    let ran = judge(&place, &["--contract", &contract]).ended_with(2);
    assert_eq!(ran.err.matches("expected a text").count(), 1, "{}", ran.err);
    assert_eq!(ran.err.matches("names at least one tool").count(), 3, "{}", ran.err);
}

/// A corpus in which every folder is held against something else.
fn folders() -> Place {
    let place = Place::new();
    let recording = lines(&[UNTITLED, STAR]);
    place.recording("checks.toml", "contracts = [\"todo\"]\n");
    place.recording("a.jsonl", &recording);
    place.recording("deep/er/b.jsonl", &recording);
    place.recording("facts/checks.toml", "facts = [\"known/stars.csv\"]\n");
    place.recording(
        "facts/known/stars.csv",
        "subject,field,value,source\n/name=Sirius,/planets,0,book\n",
    );
    place.recording("facts/c.jsonl", &recording);
    place.recording("none/checks.toml", "");
    place.recording("none/d.jsonl", &recording);
    place
}

#[test]
fn the_nearest_settings_of_a_corpus_hold() {
    let place = folders();
    judge(&place, &[]).ended_with(0);
    place.adds_up();
    let missing: &[&str] = &["missing_parameter"];
    let expected = [
        ("u", missing),
        ("star", &[]),
        ("u", missing),
        ("star", &[]),
        ("u", &[]),
        ("star", &["fact_mismatch"]),
        ("u", &[]),
        ("star", &[]),
    ];
    assert_issues(&place, &expected);
    // They are no recordings, and nothing to be wondered at.
    let kinds: Vec<(String, String)> =
        place.other_files().into_iter().map(|(file, (kind, _))| (file, kind)).collect();
    let setting = |file: &str| (file.to_owned(), "setting".to_owned());
    assert_eq!(
        kinds,
        ["checks.toml", "facts/checks.toml", "facts/known/stars.csv", "none/checks.toml"]
            .map(setting)
    );
    assert_eq!(place.json("summary.json")["counts"]["unknown_files"], 0);
    let verdicts = place.text("verdicts.jsonl");
    judge(&place, &["-j", "7"]).ended_with(0);
    assert_eq!(place.text("verdicts.jsonl"), verdicts, "whatever the number of threads");
}

#[test]
fn flags_come_on_top_of_the_settings_of_a_corpus() {
    let place = folders();
    let stars = beside(&place, "stars.toml", CONTRACT);
    judge(&place, &["--contract", &stars]).ended_with(0);
    let all = issues(&place);
    let of_star: Vec<&[String]> =
        all.iter().filter(|(id, _)| id == "star").map(|(_, types)| types.as_slice()).collect();
    let missing = "missing_parameter".to_owned();
    let mismatch = "fact_mismatch".to_owned();
    assert_eq!(
        of_star,
        [
            vec![missing.clone()],
            vec![missing.clone()],
            vec![missing.clone(), mismatch],
            vec![missing],
        ]
    );
    assert_eq!(all[0].1, ["missing_parameter"], "the corpus's own contract still holds");
}

#[test]
fn the_digest_of_a_run_tells_its_settings() {
    let place = folders();
    judge(&place, &[]).ended_with(0);
    let first = digest(&place).expect("a digest");
    judge(&place, &[]).ended_with(0);
    assert_eq!(digest(&place).as_ref(), Some(&first));
    place.recording(
        "facts/known/stars.csv",
        "subject,field,value,source\n/name=Sirius,/planets,1,b\n",
    );
    judge(&place, &[]).ended_with(0);
    let other = digest(&place).expect("a digest");
    assert_ne!(other, first);
    // The same settings, for other folders.
    place.recording("checks.toml", "");
    place.recording("none/checks.toml", "contracts = \"todo\"\n");
    judge(&place, &[]).ended_with(0);
    assert_ne!(digest(&place), Some(other));
}

/// What a run's manifest names, as `kind name` with the file of settings that names it.
fn named(place: &Place) -> Vec<String> {
    let manifest = place.json("manifest.json");
    let files = manifest["comparable"]["check_files"].as_array().cloned().unwrap_or_default();
    let file = |file: &Value| {
        let text = |member: &str| file[member].as_str().unwrap_or_default().to_owned();
        assert_eq!(text("digest").len(), 32, "every file has a hash: {file}");
        [text("kind"), text("name"), text("settings")].join(" ").trim_end().to_owned()
    };
    files.iter().map(file).collect()
}

#[test]
fn a_run_names_all_that_it_was_checked_with_and_how_it_was_masked() {
    let place = folders();
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
        &["--config", &format!("facts={facts}"), &format!("--config=envelope_request={request}")],
    )
    .ended_with(0);
    assert_eq!(
        named(&place),
        [
            "facts facts.toml",
            "envelope schemas request.json",
            "contracts todo checks.toml",
            "facts stars.csv facts/checks.toml",
        ]
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
fn explain_goes_by_the_same_settings() {
    let place = folders();
    judge(&place, &[]).ended_with(0);
    let explain = |what: &str, more: &[&str]| -> Ran {
        let arguments = ["explain", what, "recordings"];
        finish(program().current_dir(place.root()).args(arguments).args(more)).ended_with(0)
    };
    let told = |ran: &Ran| ran.out.contains("title is required");
    // By its place in a named corpus, however the recording is named; by its key.
    for what in
        ["a.jsonl:1", "recordings/a.jsonl:1", "recordings/deep/er/b.jsonl:1", "deep/er/b.jsonl:1"]
    {
        assert!(told(&explain(what, &[])), "{what}");
    }
    let verdicts = place.verdicts();
    let key = verdicts[0]["key"].as_str().expect("a key");
    assert!(told(&explain(key, &[])), "by key");
    assert!(!told(&explain("recordings/none/d.jsonl:1", &[])), "the nearest settings are empty");
    assert!(told(&explain("recordings/none/d.jsonl:1", &["--contract", "todo"])));
    let fact =
        explain("recordings/facts/c.jsonl:2", &["--rulebook", "guide", "--rulebook", "calibrated"]);
    assert_eq!(fact.out.matches("fact_mismatch").count(), 2, "{}", fact.out);
    // Without the corpus, the recording's own folder is all there is.
    let alone = finish(program().current_dir(place.recordings()).args(["explain", "a.jsonl:1"]));
    assert!(told(&alone.ended_with(0)));
    place.recording("checks.toml", "contracts = 5\n");
    let wrong = finish(program().current_dir(place.recordings()).args(["explain", "a.jsonl:1"]));
    wrong.ended_with(2).complaining("checks.toml:1:13");
}

#[test]
fn settings_reach_no_file_outside_of_their_corpus() {
    let place = Place::with_good_recording();
    let secret = beside(&place, "secret.toml", "password = \"swordfish\"\n");
    let cases = [
        (format!("contracts = [\"{secret}\"]"), "relative to this file"),
        ("contracts = \"../secret.toml\"".to_owned(), "must not lead upwards"),
        ("facts = \"../secret.toml\"".to_owned(), "must not lead upwards"),
        ("envelope_request = \"a/../../secret.toml\"".to_owned(), "must not lead upwards"),
        ("envelope_response = \".\"".to_owned(), "is not a file"),
    ];
    for (text, reason) in cases {
        place.recording("checks.toml", &text);
        let ran = judge(&place, &[]).ended_with(2).complaining(reason);
        assert!(!ran.err.contains("swordfish"), "{}", ran.err);
    }
    // Nor do the contracts that they name.
    place.recording("checks.toml", "contracts = \"mine.toml\"\n");
    let contract = "name = \"x\"\n[tools.get.input]\nschema = \"../secret.toml\"\n";
    place.recording("mine.toml", contract);
    judge(&place, &[]).ended_with(2).complaining("must not lead upwards");
    // A contract that somebody names by hand may.
    let by_hand = beside(&place, "by-hand.toml", &contract.replace("../", ""));
    place.recording("checks.toml", "");
    judge(&place, &["--contract", &by_hand]).ended_with(2).complaining("it is not JSON");
}

#[cfg(unix)]
#[test]
fn settings_follow_no_link_out_of_their_corpus() {
    let place = Place::with_good_recording();
    let secret = beside(&place, "secret.toml", "password = \"swordfish\"\n");
    std::os::unix::fs::symlink(secret, place.recordings().join("link.toml")).expect("a link");
    place.recording("checks.toml", "facts = \"link.toml\"\n");
    let ran = judge(&place, &[]).ended_with(2).complaining("leads out of the recordings");
    assert!(!ran.err.contains("swordfish"), "{}", ran.err);
    // Nor are they such a link themselves.
    let settings = place.recordings().join("checks.toml");
    std::fs::rename(place.recordings().join("link.toml"), settings).expect("a link");
    let ran = judge(&place, &[]).ended_with(2).complaining("leads out of the recordings");
    assert!(!ran.err.contains("swordfish"), "{}", ran.err);
}

#[test]
fn a_corpus_has_a_bounded_number_of_settings() {
    let place = Place::with_good_recording();
    for folder in 0..1_001 {
        place.recording(&format!("{folder}/checks.toml"), "");
    }
    judge(&place, &[]).ended_with(2).complaining("more than 1000 files called checks.toml");
    std::fs::remove_file(place.recordings().join("0/checks.toml")).expect("it was there");
    judge(&place, &[]).ended_with(0);
}

#[test]
fn baselines_go_by_the_settings_of_their_collection() {
    let place = folders();
    let snapshots = place.root().join("snapshots");
    let create = |folder: &str| {
        let corpus = place.recordings().join(folder);
        let mut command = program();
        command.args(["review", "--all", "--rulebook", "guide", "--baseline"]);
        finish(command.arg(&snapshots).arg(corpus))
    };
    let baseline = |folder: &str, name: &str| {
        create(folder).ended_with(0);
        std::fs::read_to_string(snapshots.join(name).join("guide.snap")).expect("a baseline")
    };
    let both = baseline("", "recordings");
    assert_eq!(both.matches(" x2 | nothing in the text | no title").count(), 2, "{both}");
    assert_eq!(both.matches("| error missing_parameter").count(), 1, "{both}");
    assert_eq!(baseline("facts", "facts").matches("| error fact_mismatch").count(), 1);
    assert_eq!(baseline("deep", "deep").matches("| error missing_parameter").count(), 0);
    place.recording("deep/checks.toml", "contracts = 5");
    create("").ended_with(2).complaining("checks.toml:1:13");
}

#[test]
fn recordings_named_by_themselves_and_standard_input() {
    let place = Place::new();
    let recording = place.recording("a/b.jsonl", lines(&[UNTITLED]));
    place.recording("a/checks.toml", "contracts = \"todo\"\n");
    let out = place.out();
    let arguments = [
        "--rulebook",
        "guide",
        "--stdout",
        "jsonl",
        "--quiet",
        "--out",
        out.to_str().expect("UTF-8"),
    ];
    let recording = recording.to_str().expect("UTF-8");
    let keep = |ran| place.keep_verdicts(ran).ended_with(0);
    keep(tapecheck(&[&["run", recording], &arguments[..]].concat()));
    assert_issues(&place, &[("u", &["missing_parameter"])]);
    let text = lines(&[UNTITLED]);
    keep(tapecheck_reading(&[&["run", "-"], &arguments[..]].concat(), text.as_bytes()));
    assert_issues(&place, &[("u", &[])]);
    let with = [&["run", "-", "--contract", "todo"], &arguments[..]].concat();
    keep(tapecheck_reading(&with, text.as_bytes()));
    assert_issues(&place, &[("u", &["missing_parameter"])]);
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
    place.recording("schemas/request.json", patch);
    place.recording("checks.toml", "envelope_request = \"schemas/request.json\"\n");
    judge(&place, &[]).ended_with(0);
    assert_eq!(messages(&place), [2, 0]);
    let kinds: Vec<String> = place.other_files().into_values().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["setting", "setting"]);
}
