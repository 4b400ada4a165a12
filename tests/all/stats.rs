//! `tapecheck stats`: what is told of labelled exchanges, by the built program.

use crate::harness::{Place, Ran, finish, lines, program};
use crate::support::corpus;
use crate::support::read_table;
use serde_json::{Value, json};
use std::path::Path;
use tapecheck::internals::store::Table;

fn stats(input: &Path, more: &[&str]) -> Ran {
    finish(program().arg("stats").arg(input).args(more))
}

fn as_json(input: &Path, more: &[&str]) -> Value {
    let ran = stats(input, &[more, &["--format=json"]].concat()).ended_with(0);
    ran.json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// The bundled recordings and their labels.
fn recorded(more: &[&str]) -> Value {
    let folder = corpus().join("recorded");
    let labels = folder.join("labels.jsonl");
    let labels = labels.to_str().expect("a plain path");
    as_json(&folder, &[&["--labels", labels], more].concat())
}

/// An exchange of a server, with what is true of it.
fn labelled(server: &str, id: usize, (is_error, text, label): (bool, &str, &str)) -> String {
    json!({
        "id": format!("{server}-{id}"), "server": server, "tool": "get", "label": label,
        "input": { "id": format!("{server}-{id}") },
        "response": { "isError": is_error, "content": [{ "type": "text", "text": text }] },
    })
    .to_string()
}

/// Failures are known by these words, everything else is business logic.
fn rulebook_of(words: &[&str]) -> String {
    format!(
        r#"name = "words"
extends = "guide"
[remove]
lists = ["mcp_codes", "business_patterns", "strong_operational_words", "validation_verbs"]
signals = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool", "strong_operational", "textual_evidence"]
factors = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool"]
decide = ["mcp code", "nothing in the text", "strong operational error", "validation tool", "otherwise"]
[lists.breaks]
entries = {words:?}
[signals.breaks]
contains = "breaks"
[factors]
breaks = {{ weight = 1 }}
[score]
denominator = 1
[[decide]]
name = "breaks"
if = "breaks"
return = false
[[decide]]
name = "otherwise"
return = true
[hidden_failure]
if = "breaks"
"#
    )
}

/// Four servers that refuse alike and fail each with a word of its own, but for one word of two.
fn own_words() -> Place {
    let place = Place::new();
    for server in ["north", "east", "south", "west"] {
        let own = match server {
            "north" | "east" => "ablaze",
            "south" => "sunken",
            _ => "withered",
        };
        let mut recording = Vec::new();
        for id in 0..4 {
            recording.push(labelled(server, 3 * id, (true, "you may not", "business_logic")));
            recording.push(labelled(
                server,
                3 * id + 1,
                (true, &format!("it is {own}"), "tool_failure"),
            ));
            recording.push(labelled(server, 3 * id + 2, (false, "done", "ok")));
        }
        recording.push(labelled(server, 99, (false, &format!("all {own}"), "hidden_failure")));
        place.recording(&format!("{server}.jsonl"), lines(&recording));
    }
    let words = rulebook_of(&["ablaze", "sunken", "withered"]);
    std::fs::write(place.root().join("words.toml"), words).expect("a rulebook");
    place
}

fn words_of(place: &Place) -> String {
    place.root().join("words.toml").to_str().expect("a plain path").to_owned()
}

#[test]
fn labels_beside_the_recordings_need_no_flag() {
    let place = Place::with_good_recording();
    place.recording(
        "labels.jsonl",
        "{\"file\":\"good.jsonl\",\"id\":\"good-1\",\"label\":\"ok\"}\n",
    );
    place.run(&["--quiet"]).ended_with(0);
    let run = place.out();
    let ran = finish(program().arg("stats").arg(&run)).ended_with(0);
    assert!(
        ran.err.contains("labels: from labels.jsonl, found beside the recordings"),
        "{}",
        ran.err
    );
    assert!(
        place.text("report.html").contains("Labels are from labels.jsonl, beside the recordings.")
    );
    let none = place.root().join("none.jsonl");
    std::fs::write(&none, "").expect("a file");
    let none = none.to_str().expect("a plain path");
    stats(&run, &["--labels", none]).ended_with(0).printing("no labels, so accuracy is unknown");
}

#[test]
fn the_three_measures_stand_at_the_top_and_follow_from_the_confusion() {
    let told = recorded(&["--rulebook", "calibrated", "--show=servers"]);
    let confusion = &told["truth"]["confusion"];
    let count = |truth: &[&str], answers: &[&str]| -> f64 {
        let rows = truth.iter().flat_map(|it| confusion[*it].as_object().expect("a row"));
        rows.filter(|(name, _)| answers.contains(&name.as_str())).map(|(_, it)| number(it)).sum()
    };
    let hidden = ["hidden", "hidden_refusal", "hidden_failure"];
    let all = ["worked", "refused", "failed", "hidden", "hidden_refusal", "hidden_failure", "none"];
    let recall = |classes: &[&str]| count(classes, classes) / count(classes, &all);
    let close = |found: &Value, wanted: f64| {
        assert!((number(found) - wanted).abs() < 1e-12, "{found} instead of {wanted}");
    };
    let balanced = f64::midpoint(recall(&["refused"]), recall(&["failed"]));
    close(&told["balanced_accuracy"], balanced);
    close(&told["hidden_failure_recall"], recall(&hidden));
    let precision = count(&hidden, &hidden) / count(&all[..6], &hidden);
    close(&told["hidden_failure_precision"], precision);
    let left_out = &told["leave_one_server_out"];
    for measure in ["balanced_accuracy", "hidden_failure_precision", "hidden_failure_recall"] {
        let value = number(&left_out[measure]);
        let interval = &left_out["headline"][measure]["interval"];
        let [low, high] = ["low", "high"].map(|end| number(&interval[end]));
        assert!(low <= value && value <= high, "{measure}");
    }
    let folds: f64 = list(&left_out["folds"]).iter().map(|fold| number(&fold["labels"])).sum();
    close(&told["truth"]["labels"], folds);
    let wrong: f64 = list(&told["servers"]).iter().map(|server| number(&server["wrong"])).sum();
    close(&json!(list(&told["truth"]["mistakes"]).len()), wrong);
}

#[test]
fn a_server_that_is_left_out_is_judged_by_what_others_say() {
    let place = own_words();
    let words = words_of(&place);
    let told = as_json(&place.recordings(), &["--rulebook", &words]);
    assert_eq!(told["balanced_accuracy"], json!(1.0), "every word is known");
    assert_eq!(told["hidden_failure_recall"], json!(1.0));
    let left_out = &told["leave_one_server_out"];
    // `ablaze` is known from another server; `sunken` and `withered` are not.
    assert_eq!(left_out["balanced_accuracy"], json!(0.75), "8 of 16 failures, all refusals");
    assert_eq!(left_out["hidden_failure_recall"], json!(0.5));
    assert_eq!(left_out["hidden_failure_precision"], json!(1.0));
    let folds: Vec<(&str, Vec<&str>)> = list(&left_out["folds"])
        .iter()
        .map(|fold| {
            let names = list(&fold["left_out"]).iter().filter_map(Value::as_str);
            (fold["server"].as_str().expect("a name"), names.collect())
        })
        .collect();
    assert_eq!(
        folds,
        [
            ("east", vec![]),
            ("north", vec![]),
            ("south", vec!["breaks/sunken"]),
            ("west", vec!["breaks/withered"])
        ]
    );
}

#[test]
fn an_unlabelled_exchange_of_another_server_keeps_a_pattern_and_its_label_is_not_asked() {
    let place = own_words();
    let words = words_of(&place);
    let elsewhere = json!({ "id": "x", "server": "far", "tool": "get", "input": {},
        "response": { "content": [{ "type": "text", "text": "sunken and withered" }] } });
    place.recording("far.jsonl", lines(&[elsewhere.to_string()]));
    let told = as_json(&place.recordings(), &["--rulebook", &words]);
    assert_eq!(told["leave_one_server_out"]["balanced_accuracy"], json!(1.0));
    assert_eq!(list(&told["leave_one_server_out"]["folds"]).len(), 4, "`far` has no label");
}

#[test]
fn without_labels_hits_are_told_and_nothing_is_made_up() {
    let place = Place::new();
    for file in std::fs::read_dir(corpus().join("recorded")).expect("a corpus").flatten() {
        let name = file.file_name().into_string().expect("a plain name");
        if name != "labels.jsonl" {
            let text = std::fs::read_to_string(file.path()).expect("text");
            place.recording(&name, text);
        }
    }
    let folder = place.recordings();
    let told = as_json(&folder, &["--rulebook", "guide"]);
    for measure in ["balanced_accuracy", "hidden_failure_precision", "hidden_failure_recall"] {
        assert_eq!(told[measure], Value::Null);
    }
    assert_eq!(told["truth"], Value::Null);
    let hits = list(&told["patterns"]).iter().map(|it| number(&it["hits"]));
    assert!(hits.sum::<f64>() > 100.0);
    let text = stats(&folder, &["--rulebook", "guide"]).ended_with(0).out;
    assert!(
        text.contains("no labels") && text.contains("signals on errors: share of 159 replies"),
        "{text}"
    );
}

#[test]
fn twice_the_same_is_told_and_every_table_can_be_read() {
    let place = own_words();
    let words = words_of(&place);
    let out = place.root().join("stats");
    let arguments = ["--rulebook", &words, "--out", out.to_str().expect("plain"), "--format=json"];
    let files = || {
        let told = stats(&place.recordings(), &arguments).ended_with(0).out;
        let mut files: Vec<_> = std::fs::read_dir(&out)
            .expect("a folder")
            .map(|file| file.expect("a file").path())
            .map(|path| (path.clone(), std::fs::read(path).expect("bytes")))
            .collect();
        files.sort();
        (told, files)
    };
    let first = files();
    assert!(first == files(), "a second call tells something else");
    for table in Table::OF_STATS {
        let rows = read_table(&out, table).height;
        let csv = std::fs::read_to_string(out.join(format!("{}.csv", table.name()))).expect("CSV");
        let columns = table.columns().len();
        assert_eq!(csv.lines().next().map(|head| head.split(',').count()), Some(columns));
        assert_eq!(csv.lines().count(), rows + 1, "{}", table.name());
    }
    let patterns = std::fs::read_to_string(out.join("stats_patterns.csv")).expect("CSV");
    assert_eq!(patterns.lines().count(), 7, "three words, each asked of errors and of successes");
}

#[test]
fn mistakes_are_told_with_their_texts_and_the_command_that_says_more() {
    let place = own_words();
    let words = place.root().join("fewer.toml");
    std::fs::write(&words, rulebook_of(&["ablaze", "sunken"])).expect("a rulebook");
    let words = words.to_str().expect("a plain path");
    let recordings = place.recordings();
    let text = stats(&recordings, &["--rulebook", words, "--show=mistakes"]).ended_with(0).out;
    assert!(text.contains("5 wrong answers"), "{text}");
    assert!(text.contains("west.jsonl:2 labelled failed, classified refused"), "{text}");
    let is_text =
        |line: &str| line.trim_start().starts_with("text ") && line.ends_with("it is withered");
    assert!(text.lines().any(is_text), "{text}");
    assert!(text.contains("west.jsonl:13 labelled hidden (either), classified worked"), "{text}");
    let see = text.lines().find_map(|line| line.trim().strip_prefix("see")).expect("a command");
    let arguments = see.trim().strip_prefix("tapecheck ").expect("a command of ours");
    let ran = finish(program().args(arguments.split(' '))).ended_with(0);
    assert!(ran.out.contains("it is withered"), "{}", ran.out);
}

#[test]
fn recorded_texts_and_names_do_not_act_on_terminals() {
    let place = Place::new();
    let evil = "\u{1b}[2Jgone\u{202e}\nnext ::error::x";
    let recording: Vec<String> = (0..4)
        .map(|id| labelled(&format!("a\u{1b}]0;{id}"), id, (true, evil, "business_logic")))
        .collect();
    place.recording("t\u{1b}.jsonl", lines(&recording));
    let every = [
        "--rulebook",
        "guide",
        "--show=mistakes",
        "--show=servers",
        "--show=calibration",
        "--show",
        "patterns,signals,factors",
    ];
    let text = stats(&place.recordings(), &every).ended_with(0).out;
    let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(harmful), "{text:?}");
    assert!(text.contains("gone"), "the text is shown:\n{text}");
}

#[test]
fn a_run_is_measured_as_its_corpus_is() {
    let place = own_words();
    let words = words_of(&place);
    place.run(&["--rulebook", &words]).ended_with(0);
    let of_run = as_json(&place.out(), &[]);
    let of_corpus = as_json(&place.recordings(), &["--rulebook", &words]);
    for member in ["balanced_accuracy", "truth", "servers", "patterns"] {
        assert_eq!(of_run[member], of_corpus[member], "{member}");
    }
    for member in ["headline", "folds"] {
        let left_out = |told: &Value| told["leave_one_server_out"][member].clone();
        assert_eq!(left_out(&of_run), left_out(&of_corpus), "{member}");
    }
    stats(&place.out(), &["--rulebook", &words]).ended_with(2).complaining("is classified already");
    let none = place.root().join("none.jsonl");
    stats(&place.out(), &["--labels", none.to_str().expect("plain")])
        .ended_with(2)
        .complaining("none.jsonl");
}

#[test]
fn labels_that_their_reply_cannot_have_count_for_nothing_and_are_told() {
    let place = own_words();
    let words = words_of(&place);
    let plain = as_json(&place.recordings(), &["--rulebook", &words]);
    let no_reply = json!({ "id": "n", "server": "north", "tool": "get", "label": "tool_failure",
        "input": {} });
    let wrong = [
        labelled("north", 70, (false, "done", "business_logic")),
        labelled("north", 71, (true, "it is ablaze", "hidden_failure")),
        no_reply.to_string(),
    ];
    place.recording("wrong.jsonl", lines(&wrong));
    let told = as_json(&place.recordings(), &["--rulebook", &words]);
    assert_eq!(told["truth"]["labels"], plain["truth"]["labels"]);
    assert_eq!(told["truth"]["confusion"], plain["truth"]["confusion"]);
    assert_eq!(told["balanced_accuracy"], json!(1.0));
    let text = stats(&place.recordings(), &["--rulebook", &words]).ended_with(0).out;
    assert!(text.contains("note: ignored: 3 labels not suited to the reply"), "{text}");
}

#[test]
fn a_server_that_is_left_out_is_told_with_numbers_kept_and_fitted_anew() {
    let inspector = recorded(&["--rulebook", "inspector"]);
    let kept = recorded(&["--rulebook", "inspector", "--config", "stats.refit=false"]);
    let left_out = &inspector["leave_one_server_out"];
    assert_eq!(left_out["fitted_anew"], json!(true));
    assert_eq!(left_out["numbers_kept"], kept["leave_one_server_out"]["headline"]);
    assert_eq!(
        left_out["balanced_accuracy"], left_out["headline"]["balanced_accuracy"]["value"],
        "the name at the top stays what it was"
    );
    assert_ne!(left_out["headline"], left_out["numbers_kept"]);
    let folder = corpus().join("recorded");
    let labels = folder.join("labels.jsonl");
    let labels = labels.to_str().expect("a plain path");
    let text = stats(&folder, &["--labels", labels, "--rulebook", "inspector"]).ended_with(0).out;
    assert!(text.contains("held out, as is") && text.contains("held out, refitted"), "{text}");
}

#[test]
fn measures_without_a_mistake_have_intervals_that_admit_some() {
    let place = own_words();
    let words = words_of(&place);
    let told = as_json(&place.recordings(), &["--rulebook", &words]);
    let measure = &told["truth"]["headline"]["balanced_accuracy"];
    assert_eq!((&measure["value"], &measure["interval_by"]), (&json!(1.0), &json!("wilson")));
    assert!(number(&measure["interval"]["low"]) < 0.9, "{measure}");
    let text = stats(&place.recordings(), &["--rulebook", &words]).ended_with(0).out;
    assert!(text.contains("–1.000)*") && text.contains("* no bootstrap variation"), "{text}");
}

#[test]
fn recordings_that_are_gone_classes_that_are_missing_and_wrong_confidences_are_told() {
    let place = own_words();
    let fewer = place.root().join("fewer.toml");
    std::fs::write(&fewer, rulebook_of(&["ablaze", "sunken"])).expect("a rulebook");
    place.run(&["--rulebook", fewer.to_str().expect("plain")]).ended_with(0);
    let text = stats(&place.out(), &["--show=calibration"]).ended_with(0).out;
    assert!(text.contains("largest gap: confidence"), "{text}");
    std::fs::rename(place.recordings(), place.root().join("moved")).expect("moved");
    let text = stats(&place.out(), &["--show=mistakes"]).ended_with(0).out;
    assert!(text.contains("note: the recordings have moved"), "{text}");
    let one = Place::new();
    let recording: Vec<String> =
        (0..4).map(|id| labelled("a", id, (true, "you may not", "business_logic"))).collect();
    one.recording("a.jsonl", lines(&recording));
    let text = stats(&one.recordings(), &["--rulebook", "guide"]).ended_with(0).out;
    assert!(text.contains("harm on errors and successes is unknown"), "{text}");
    assert!(!text.contains("no pattern does harm"), "{text}");
}

#[test]
fn no_line_is_longer_than_eighty_characters_but_commands() {
    let folder = corpus().join("recorded");
    let labels = folder.join("labels.jsonl");
    let labels = labels.to_str().expect("a plain path");
    let lists = ["--show=servers", "--show=calibration"];
    let lists = [&lists[..], &["--show", "patterns,signals,factors", "--show=mistakes"]].concat();
    for rulebook in ["calibrated", "guide", "inspector"] {
        for lists in [&[][..], &lists] {
            let ran =
                stats(&folder, &[&["--rulebook", rulebook, "--labels", labels], lists].concat());
            let ran = ran.ended_with(0);
            let is_command = |line: &str| line.contains("tapecheck ");
            let long = ran.out.lines().find(|it| it.chars().count() > 80 && !is_command(it));
            assert_eq!(long, None, "{rulebook}");
        }
    }
}
