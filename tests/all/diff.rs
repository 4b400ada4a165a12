//! `tapecheck diff`: what changed between two judgements, by the built program.

use crate::determinism::recording;
use crate::harness::{Place, Ran, finish, good, lines, program};
use crate::support::corpus;
use crate::support::read_table;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tapecheck::internals::store::Table;

/// Judges recordings into a folder.
fn judged(recordings: &[&Path], out: &Path, rulebook: &str) {
    judged_with(recordings, out, &["--rulebook", rulebook]);
}

/// The same, with these arguments.
fn judged_with(recordings: &[&Path], out: &Path, more: &[&str]) {
    let mut command = program();
    command.arg("run").args(recordings).arg("--out").arg(out).arg("--quiet").args(more);
    finish(&mut command).ended_with(0);
}

fn diff(sides: &[&Path], more: &[&str]) -> Ran {
    finish(program().arg("diff").args(sides).args(more))
}

fn as_json(sides: &[&Path], more: &[&str]) -> Value {
    let ran = diff(sides, &[more, &["--format", "json"]].concat()).ended_with(0);
    assert!(ran.err.is_empty(), "{}", ran.err);
    ran.json()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

/// A place with the runs `before` and `after` over other recordings.
fn two_runs(before: &str, after: &str) -> (Place, [PathBuf; 2]) {
    let place = Place::new();
    let runs = [("before", before), ("after", after)].map(|(name, recording)| {
        // The same name for both, since servers of plain lines are told apart by it.
        let recording = place.recording(&format!("{name}/recording.jsonl"), recording);
        let out = place.root().join(format!("run-{name}"));
        judged(&[&recording], &out, "guide");
        out
    });
    (place, runs)
}

fn failing(id: &str, text: &str) -> String {
    json!({"id": id, "tool": {"name": "get_user"}, "input": {"of": id},
        "response": {"isError": true, "content": [{"type": "text", "text": text}]}})
    .to_string()
}

#[test]
fn groups_add_up_to_the_matrices() {
    let recordings = corpus().join("recorded");
    let rulebooks = ["--rulebook", "guide", "--rulebook", "inspector"];
    let object = as_json(&[&recordings], &rulebooks);
    for (matrix, side) in [("classes", "class"), ("answers", "answer")] {
        let mut by_group: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for group in list(&object["groups"]) {
            let [from, to] = ["from", "to"].map(|end| group[end][side].as_str().expect("a name"));
            *by_group.entry((from, to)).or_default() += number(&group["exchanges"]);
        }
        let mut both = 0;
        for cell in list(&object[matrix]) {
            let [from, to] = ["from", "to"].map(|end| cell[end].as_str().expect("a name"));
            both += number(&cell["exchanges"]);
            let grouped = by_group.get(&(from, to)).copied().unwrap_or(0);
            if from == to {
                assert!(grouped <= number(&cell["exchanges"]), "{from}");
            } else {
                assert_eq!(grouped, number(&cell["exchanges"]), "{from} -> {to}");
            }
        }
        assert_eq!(both, number(&object["overlap"]["same_exchange"]), "{matrix}");
    }
    let kinds = &object["kinds"];
    let changed = ["regressed", "fixed", "stricter", "more_lenient", "changed"];
    for kind in changed {
        let groups = list(&object["groups"]).iter().filter(|group| group["kind"] == kind);
        let sum: u64 = groups.map(|group| number(&group["exchanges"])).sum();
        assert_eq!(sum, number(&kinds[kind]), "{kind}");
    }
    let sum: u64 = changed.iter().map(|kind| number(&kinds[*kind])).sum();
    assert!(sum > 0, "two rulebooks disagree: {kinds}");
    assert_eq!(sum + number(&kinds["same"]), number(&object["overlap"]["same_exchange"]));
}

#[test]
fn the_tables_and_the_list_of_a_group_hold_every_flip() {
    let place = Place::new();
    let (recordings, out) = (corpus().join("recorded"), place.root().join("diff"));
    let rulebooks = ["--rulebook", "guide", "--rulebook", "inspector"];
    let tables = [&rulebooks[..], &["--out", out.to_str().expect("UTF-8")]].concat();
    let object = as_json(&[&recordings], &tables);
    let flips = read_table(&out, Table::Flips);
    let kinds = &object["kinds"];
    let changed: u64 = ["regressed", "fixed", "stricter", "more_lenient", "changed"]
        .iter()
        .map(|kind| number(&kinds[*kind]))
        .sum();
    assert_eq!(flips.height as u64, changed);
    let groups = read_table(&out, Table::Groups);
    assert_eq!(groups.height, list(&object["groups"]).len());
    let text = std::fs::read_to_string(out.join("flips.csv")).expect("text");
    for group in list(&object["groups"]).iter().take(3) {
        let id = group["id"].as_str().expect("a name");
        let listed =
            diff(&[&recordings], &[&rulebooks[..], &["--filter", id]].concat()).ended_with(0).out;
        assert_eq!(listed.lines().count() as u64, number(&group["exchanges"]), "{id}");
        assert_eq!(text.matches(&format!(",{id},")).count(), listed.lines().count(), "{id}");
        let example = group["examples"][0]["key"].as_str().expect("a key");
        assert!(listed.contains(example), "{example} is none of\n{listed}");
    }
    let ran = diff(&[&recordings], &[&rulebooks[..], &["--filter", "nosuch"]].concat());
    ran.ended_with(2).complaining("no group is called nosuch");
}

#[test]
fn two_runs_of_one_corpus_are_the_same() {
    let place = Place::new();
    let [one, other] = ["one", "other"].map(|name| place.root().join(name));
    let recordings = corpus().join("guide");
    judged(&[&recordings], &one, "guide");
    judged(&[&recordings], &other, "guide");
    let ran = diff(&[&one, &other], &["--fail-on", "any"]).ended_with(0);
    assert!(ran.out.contains("0 regressed · ") && !ran.out.contains("differ"), "{}", ran.out);
    let spot = diff(&[&one, &recordings], &["--rulebook", "guide", "--fail-on", "any"]);
    assert!(spot.ended_with(0).out.contains("0 regressed · "), "a run and its corpus are the same");
}

/// Holds two runs against each other that say the same of the same exchanges.
#[track_caller]
fn assert_nothing_changed(sides: &[&Path; 2]) {
    let object = as_json(sides, &["--fail-on", "any"]);
    let kinds = object["kinds"].as_object().expect("counts");
    for (kind, count) in kinds.iter().filter(|(kind, _)| *kind != "same") {
        assert_eq!(count, 0, "{kind}: {} against {}", sides[0].display(), sides[1].display());
    }
    assert_eq!(kinds["same"], object["overlap"]["same_exchange"]);
    assert!(number(&kinds["same"]) > 0, "something was judged");
    assert_eq!(list(&object["groups"]).len(), 0);
    assert_eq!(object["before"]["corpus_digest"], object["after"]["corpus_digest"]);
}

#[test]
fn threads_change_nothing() {
    let place = Place::new();
    let runs = ["1", "2", "5"].map(|threads| {
        let out = place.root().join(threads);
        judged_with(&[&corpus()], &out, &["-j", threads]);
        out
    });
    for other in &runs[1..] {
        assert_nothing_changed(&[&runs[0], other]);
    }
}

#[test]
fn the_order_of_recordings_changes_nothing() {
    let place = Place::new();
    // Neighbours overlap, so that which of two repeats comes first depends on the order.
    let texts: Vec<String> = (0..6).map(|at| recording(at * 30..at * 30 + 50, 40)).collect();
    let order: Vec<&String> = texts.iter().collect();
    let reversed = order.iter().rev().copied().collect();
    let orders = [("order", order, "1"), ("reversed", reversed, "2")];
    let runs = orders.map(|(name, texts, threads)| {
        for (at, text) in texts.into_iter().enumerate() {
            place.recording(&format!("{name}/{at}.jsonl"), text);
        }
        let out = place.root().join(name);
        judged_with(&[&place.recordings().join(name)], &out, &["-j", threads]);
        out
    });
    assert_nothing_changed(&[&runs[0], &runs[1]]);
}

#[test]
fn what_changed_fails_only_where_it_is_asked_to() {
    let place = Place::new();
    let recordings = corpus().join("guide");
    let file = place.root().join("mine.toml");
    let mine = "name = \"mine\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"not found\"]\n";
    std::fs::write(&file, mine).expect("a file");
    let mine = file.to_str().expect("UTF-8");
    let rulebooks = ["--rulebook", "guide", "--rulebook", mine];
    let object = as_json(&[&recordings], &rulebooks);
    assert!(number(&object["kinds"]["stricter"]) > 0, "{}", object["kinds"]);
    for other in ["regressed", "fixed", "more_lenient"] {
        assert_eq!(object["kinds"][other], 0, "the server did nothing");
    }
    for (fail_on, code) in [("never", 0), ("worse", 1), ("any", 1)] {
        diff(&[&recordings], &[&rulebooks[..], &["--fail-on", fail_on]].concat()).ended_with(code);
    }
    let back = ["--rulebook", mine, "--rulebook", "guide"];
    for (fail_on, code) in [("worse", 0), ("any", 1)] {
        diff(&[&recordings], &[&back[..], &["--fail-on", fail_on]].concat()).ended_with(code);
    }
}

#[test]
fn a_pattern_taken_out_is_the_proved_cause() {
    let place = Place::new();
    let recording =
        place.recording("recording.jsonl", lines(&[failing("a", "Parcel not found"), good("b")]));
    let file = place.root().join("mine.toml");
    let mine = "name = \"mine\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"not found\"]\n";
    std::fs::write(&file, mine).expect("a file");
    let rulebooks = ["--rulebook", "guide", "--rulebook", file.to_str().expect("UTF-8")];
    let object = as_json(&[&recording], &rulebooks);
    let [group] = list(&object["groups"]) else { panic!("one group: {}", object["groups"]) };
    assert_eq!(group["causes"][0]["name"], "business_patterns/not found");
    assert_eq!(group["causes"][0]["change"], "pattern 'not found' no longer matches");
    assert_eq!((&group["proof"], &group["origin"]), (&json!("proved"), &json!("rulebook")));
    let text = diff(&[&recording], &rulebooks).ended_with(0).out;
    assert!(text.contains("pattern 'not found' no longer matches"), "{text}");
    assert!(text.contains("Parcel ⟦not found⟧"), "the matched text is shown: {text}");
}

#[test]
fn other_exchanges_are_not_compared_silently() {
    let (_place, [before, after]) = two_runs(
        &lines(&[good("a"), good("b"), good("gone")]),
        &lines(&[good("a"), good("b"), good("new-1"), good("new-2")]),
    );
    let ran = diff(&[&before, &after], &[]).ended_with(3);
    let ran = ran.complaining("2 calls in both; 1 only before, 2 only after");
    assert!(ran.out.is_empty() && ran.err.contains("--partial"), "{}", ran.err);
    let ran = diff(&[&before, &after], &["--partial", "--fail-on", "worse"]).ended_with(0);
    assert!(ran.out.contains("0 regressed · 0 fixed · 2 added · 1 gone · 2 same"), "{}", ran.out);
    let (_place, apart) = two_runs(&lines(&[good("a")]), &lines(&[good("b")]));
    let ran = diff(&[&apart[0], &apart[1]], &["--partial"]).ended_with(3);
    ran.complaining("nothing can be compared");
}

#[test]
fn the_same_request_with_another_reply_is_matched() {
    let (_place, [before, after]) = two_runs(
        &lines(&[failing("a", "Parcel not found"), good("b")]),
        &lines(&[failing("a", "TypeError: x is undefined"), good("b")]),
    );
    let object = as_json(&[&before, &after], &[]);
    assert_eq!(object["overlap"]["same_request"], 1);
    assert_eq!(object["kinds"]["regressed"], 1);
    let [group] = list(&object["groups"]) else { panic!("one group: {}", object["groups"]) };
    assert_eq!(group["origin"], "reply");
    let texts = list(&group["examples"][0]["texts"]);
    assert_eq!(texts[0]["text"], "Parcel not found");
    assert_eq!(texts[1]["text"], "TypeError: x is undefined");
}

#[test]
fn markdown_fits_a_comment_and_says_what_it_left_out() {
    let place = Place::new();
    let mut recording = String::new();
    for number in 0..60 {
        for word in ["not found", "already exists", "must be", "unauthorized", "invalid"] {
            let text = format!("{} {word} {}", "long ".repeat(60), "<b>".repeat(50));
            let record = json!({"id": format!("{word}-{number}"), "server": format!("server-{number}"),
                "tool": {"name": "x".repeat(200)}, "input": {"n": number, "w": word},
                "response": {"isError": true, "content": [{"type": "text", "text": text}]}});
            let _ = writeln!(recording, "{record}");
        }
    }
    let recording = place.recording("recording.jsonl", recording);
    let more = ["--rulebook", "guide", "--rulebook", "inspector", "--format", "markdown"];
    let markdown = diff(&[&recording], &more).ended_with(0).out;
    assert!(markdown.len() <= 60_000, "{} bytes", markdown.len());
    assert!(markdown.starts_with("### tapecheck: "), "{markdown}");
    assert!(!markdown.contains("<b><b>"), "recorded text is no markup");
}

#[test]
fn hostile_names_stay_harmless_in_every_form() {
    let hostile = "x\n# h\r| y |`c`<script>@all\u{1b}]0;t\u{7}\u{202e}";
    let record = |text: &str| {
        json!({"id": hostile, "server": hostile, "tool": {"name": hostile}, "input": {hostile: 1},
            "response": {"isError": true, "content": [{"type": "text", "text": text}]}})
        .to_string()
            + "\n"
    };
    let (place, [before, after]) = two_runs(
        &record(&format!("not found {hostile}")),
        &record(&format!("TypeError {hostile}")),
    );
    let out = place.root().join("diff");
    let sides = [before.as_path(), after.as_path()];
    let text = diff(&sides, &["--out", out.to_str().expect("UTF-8")]).ended_with(0).out;
    let acting = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
    assert_eq!(acting, None, "{text:?}");
    let markdown = diff(&sides, &["--format", "markdown"]).ended_with(0).out;
    for active in ["<script", "@all", "`c`", "| y |", "\n# h", "\u{1b}"] {
        assert!(!markdown.contains(active), "{active:?} in\n{markdown}");
    }
    let object = as_json(&sides, &[]);
    assert_eq!(
        object["groups"][0]["examples"][0]["server"], hostile,
        "JSON holds what was recorded"
    );
    let groups = read_table(&out, Table::Flips);
    assert_eq!(groups.height, 1);
    let csv = std::fs::read(out.join("flips.csv")).expect("a file");
    let rows = csv::Reader::from_reader(csv.as_slice()).records().count();
    assert_eq!(rows, 1, "line ends within a name are no new rows");
}

#[test]
fn what_cannot_be_compared_is_said_clearly() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let run = place.out();
    let recordings = place.recordings();
    let nowhere = place.root().join("nowhere");
    diff(&[&run], &[]).ended_with(2).complaining("nothing to compare it with");
    diff(&[&run, &nowhere], &[]).ended_with(2).complaining("does not exist");
    let ran = diff(&[&run, &recordings], &[]).ended_with(0);
    assert!(ran.out.contains("rulebook calibrated"), "{}", ran.out);
    diff(&[&run, &run], &["--rulebook", "guide"])
        .ended_with(2)
        .complaining("0 of the two sides are recordings");
    diff(&[&recordings], &["--rulebook", "guidee", "--rulebook", "guide"])
        .ended_with(2)
        .complaining("guide");
    let markdown = ["--filter", "x", "--format", "markdown"];
    diff(&[&run, &run], &markdown).ended_with(2).complaining("cannot be used with");
    let missing = place.root().join("missing.snap");
    diff(&[&missing, &run], &[]).ended_with(3).complaining("missing.snap");
}

#[test]
fn a_torn_run_is_named_and_ends_with_3() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let run = place.out();
    for file in ["verdicts.parquet", "rulebook.toml"] {
        let path = run.join(file);
        let whole = std::fs::read(&path).expect("a file of the run");
        std::fs::write(&path, &whole[..whole.len() / 2]).expect("a torn file");
        let ran = diff(&[&run, &run], &[]).ended_with(3).complaining(file);
        assert!(ran.err.contains("tapecheck run"), "it says what to do: {}", ran.err);
        std::fs::remove_file(&path).expect("a file");
        diff(&[&run, &run], &[]).ended_with(3).complaining(file);
        std::fs::write(&path, whole).expect("mended");
    }
    diff(&[&run, &run], &[]).ended_with(0);
    std::fs::remove_file(run.join("manifest.json")).expect("a file");
    diff(&[&run, &run], &[]).ended_with(2).complaining("an incomplete run");
}

#[test]
fn the_output_is_the_same_for_any_number_of_threads() {
    let recordings = corpus().join("recorded");
    let more = ["--rulebook", "guide", "--rulebook", "inspector", "--format", "json"];
    let one = diff(&[&recordings], &[&more[..], &["-j", "1"]].concat()).ended_with(0).out;
    let four = diff(&[&recordings], &[&more[..], &["-j", "4"]].concat()).ended_with(0).out;
    assert!(one == four, "the number of threads shows");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let run = place.out();
    let file = place.recording("good.jsonl", "");
    let within = file.join("tables");
    let ran = diff(&[&run, &run], &["--out", within.to_str().expect("UTF-8")]).ended_with(3);
    ran.complaining("tables");
}

#[test]
fn every_member_of_the_json_object_is_explained() {
    let document =
        std::fs::read_to_string(crate::support::home().join("docs/diff.md")).expect("text");
    let recordings = corpus().join("recorded");
    let object = as_json(&[&recordings], &["--rulebook", "guide", "--rulebook", "inspector"]);
    let mut missing = Vec::new();
    let mut hold = |value: &Value| {
        let members = value.as_object().unwrap_or_else(|| panic!("{value} is no object"));
        let unknown = members.keys().filter(|name| !document.contains(&format!("`{name}`")));
        missing.extend(unknown.cloned());
    };
    let group = &list(&object["groups"])[0];
    let parts = [
        &object,
        &object["before"],
        &object["before"]["rulebook"],
        &object["overlap"],
        &object["kinds"],
        &list(&object["classes"])[0],
        &list(&object["rates"])[0],
        &list(&object["durations"])[0],
        group,
        &list(&group["causes"])[0],
        &group["from"],
        &list(&group["examples"])[0],
    ];
    parts.into_iter().for_each(&mut hold);
    assert!(missing.is_empty(), "docs/diff.md does not explain {missing:?}");
}

#[test]
fn the_command_that_is_printed_has_all_options() {
    let place = Place::new();
    let refused = |id: u32| {
        json!({"id": id, "server": "s", "tool": {"name": "t"}, "input": {"id": id},
            "response": {"isError": true, "content": [{"type": "text", "text": "User not found"}]}})
        .to_string()
            + "\n"
    };
    let recording = place.recording("recording.jsonl", refused(1) + &refused(2));
    let more = ["--rulebook", "guide", "--rulebook", "inspector", "--config=bounds.max_depth=90"];
    let printed = diff(&[&recording], &more).ended_with(0).out;
    assert!(printed.contains("--rulebook inspector --config bounds.max_depth=90"), "{printed}");
}

#[test]
fn a_new_reply_under_a_new_schema_has_several_sources() {
    let reply = |required: &str, member: &str| {
        json!({"id": "a", "tool": {"name": "get_user", "outputSchema": {
                "type": "object", "required": [required]}}, "input": {},
            "response": {"structuredContent": {member: 1},
                "content": [{"type": "text", "text": format!("{{\"{member}\":1}}")}]}})
        .to_string()
    };
    let origins = |before: String, after: String| {
        let (_place, [before, after]) = two_runs(&lines(&[before]), &lines(&[after]));
        let object = as_json(&[&before, &after], &[]);
        let [group] = list(&object["groups"]) else { panic!("one group: {}", object["groups"]) };
        group["origin"].as_str().expect("an origin").to_owned()
    };
    assert_eq!(origins(reply("a", "a"), reply("b", "c")), "several");
    assert_eq!(origins(reply("a", "a"), reply("a", "c")), "reply");
    assert_eq!(origins(reply("a", "a"), reply("b", "a")), "schema");
}
