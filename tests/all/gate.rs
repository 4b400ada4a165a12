//! `tapecheck gate` through the program: exit codes, outputs, waivers, labels.

use crate::harness::{Ran, finish, good, lines, paths_in, program, without_digests};
use crate::support::{contract_of, corpus, home};
use crate::{junit, sarif_schema};
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with recordings, a policy and a rulebook that lacks a verb of `guide`.
struct Scene {
    folder: tempfile::TempDir,
}

const STRICT: &str = "default = false\n[flips]\nmost = 0\n[new_issue_types]\n[shares]\ntraffic = \"any\"\n[unreadable_lines]\n";

/// An exchange whose reply says that something was not found.
fn refused(id: &str, label: &str) -> String {
    format!(
        r#"{{"id":"{id}","server":"shop <b>@all","label":"{label}","tool":"get","input":{{"of":"{id}"}},"response":{{"isError":true,"content":[{{"type":"text","text":"User {id} not found"}}]}}}}"#
    )
}

impl Scene {
    fn new() -> Self {
        let scene = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let mut recording: Vec<String> = (0..4).map(|at| good(&format!("good-{at}"))).collect();
        recording.extend((0..12).map(|at| refused(&format!("refused-{at}"), "refused")));
        scene.file("recordings/shop.jsonl", &lines(&recording));
        scene.file("gate.toml", STRICT);
        scene.file(
            "mine.toml",
            "name = \"mine\"\nextends = \"guide\"\n[lists.validation_verbs]\nremove = [\"get\"]\n",
        );
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn tapecheck(&self, arguments: &str) -> Ran {
        let ran = finish(program().current_dir(self.folder.path()).args(arguments.split(' ')));
        Ran { out: without_digests(&ran.out), ..ran }
    }

    fn gate(&self, arguments: &str) -> Ran {
        self.tapecheck(&format!("gate {arguments} --policy gate.toml --config today=2026-11-21"))
    }

    /// The recordings under the poorer rulebook, held against what `guide` says of them.
    fn poorer(&self, more: &str) -> Ran {
        let sides = "recordings --baseline recordings --rulebook guide --rulebook mine.toml";
        self.gate(format!("{sides} {more}").trim_end())
    }
}

#[test]
fn what_did_not_change_passes_in_every_output() {
    let scene = Scene::new();
    let same = "recordings --baseline recordings --rulebook guide";
    let ran = scene.gate(&format!(
        "{same} --format=junit=gate.xml --format=sarif=gate.sarif --format=md=gate.md"
    ));
    let ran = ran.ended_with(0);
    assert_snapshot!(ran.out, @"
    gate green: 4 pass
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      overlap  16 calls in both

      - pass flips: 0 calls; allowed: at most 0
      - pass new_issue_types: 0 new types; allowed: none
      - pass shares: 0 of 2 servers and tools worse; allowed: no server or tool may fail significantly more often, or refuse much more often
      - pass unreadable_lines: 0 -> 0 unreadable lines; allowed: at most 0 more
    ");
    assert!(scene.text("gate.xml").contains("tests=\"4\" skipped=\"0\" failures=\"0\""));
    assert!(scene.text("gate.md").starts_with("## gate green: 4 pass\n"));
    let sarif: Value = serde_json::from_str(&scene.text("gate.sarif")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"], Value::Array(Vec::new()));
    let ran = scene.gate(&format!("{same} --format=github")).ended_with(0);
    assert!(!ran.out.contains("::error"), "{}", ran.out);
}

#[test]
fn a_server_that_begins_to_refuse_without_the_flag_is_worse() {
    let scene = Scene::new();
    let night = |first: u32, refused: &str| -> Vec<String> {
        let text = |id: u32| {
            if id.is_multiple_of(2) && !refused.is_empty() {
                refused.to_owned()
            } else {
                format!("order {id}")
            }
        };
        let line = |id| {
            let reply = serde_json::json!({"content": [{"type": "text", "text": text(id)}]});
            serde_json::json!({"id": id, "server": "shop", "tool": "get_order", "input": {"id": id}, "response": reply})
        };
        (first..first + 40).map(|id| line(id).to_string()).collect()
    };
    scene.file("before.jsonl", &lines(&night(0, "")));
    for (name, refused, code) in [("same", "", 0), ("worse", "Error: order not found", 1)] {
        scene.file(&format!("{name}.jsonl"), &lines(&night(100, refused)));
        let ran = scene.tapecheck(&format!("gate {name}.jsonl --baseline before.jsonl"));
        let told = ran.out.contains(
            "server `shop`: 20 of 40 invalid, failed or refused without isError, 0 of 40 before",
        );
        assert_eq!((ran.code, told), (Some(code), code == 1), "{name}: {}", ran.out);
    }
}

#[test]
fn a_file_that_lost_its_replies_is_neither_a_pass_nor_unnoticed() {
    let scene = Scene::new();
    let night = |first: u32, has_replies: bool| -> String {
        let line = |id| {
            let mut line = serde_json::json!({"id": id, "server": "shop", "tool": "get_order", "input": {"id": id}});
            if has_replies {
                line["response"] =
                    serde_json::json!({"content": [{"type": "text", "text": "here it is"}]});
            }
            line.to_string()
        };
        lines(&(first..first + 40).map(line).collect::<Vec<_>>())
    };
    for (folder, second, is_whole) in
        [("before", 0, true), ("same", 100, true), ("lost", 100, false)]
    {
        scene.file(&format!("{folder}/one.jsonl"), &night(second, true));
        scene.file(&format!("{folder}/two.jsonl"), &night(second + 40, is_whole));
    }
    scene.tapecheck("gate same --baseline before").ended_with(0);
    let ran = scene.tapecheck("gate lost --baseline before").ended_with(1);
    assert!(
        ran.out.contains("unreadable: 1 file of calls without a reply, 0 before"),
        "{}",
        ran.out
    );
    // Expectations that lay there before are no news, nor is a policy that is no file anybody's place.
    scene.tapecheck("gate lost --baseline lost").ended_with(0);
    let ran = scene.tapecheck("gate lost --baseline before --format github");
    assert!(ran.out.contains("::error title=gate%3A unreadable::"), "{}", ran.out);
}

#[test]
fn what_changed_fails_and_every_output_says_where() {
    let scene = Scene::new();
    let files =
        "--format=github --format=junit=gate.xml --format=sarif=gate.sarif --format=md=gate.md";
    let ran = scene.poorer(files).ended_with(1);
    assert_snapshot!(ran.out, @"
    gate red: 2 pass, 2 fail
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook mine DIGEST, version 0.1.0
      overlap  16 calls in both

      - FAIL flips: 12 calls (12 stricter); allowed: at most 0
        - get ×12: refused -> failed: User refused-0 not found · stricter, rulebook changed: pattern 'get' no longer matches · by labels 0 now right, 12 now wrong (group dcb01362)
          - shop.jsonl:5 shop <b>@all/get 2ed46218b8df7345757efc48f69e1a75
          - shop.jsonl:6 shop <b>@all/get 19e06d7ea3ef4b723389655f5807ac1b
          - shop.jsonl:7 shop <b>@all/get ece93f28e6ed31a5b10c124f3fa71900
          - and 9 more
        next: list the calls of a group with `tapecheck diff recordings recordings --rulebook guide --rulebook mine.toml --config today=2026-11-21 --filter ID`; correct the rulebook or the server, accept what is right with `tapecheck review`, or waive it with a reason
      - pass new_issue_types: 0 new types; allowed: none
      - FAIL shares: 1 of 2 servers and tools worse; allowed: no server or tool may fail significantly more often, or refuse much more often
        - server `shop <b>@all`: 12 of 12 invalid or failed, 0 of 12 before (p 3.7e-7): User refused-0 not found
          - shop.jsonl:5 shop <b>@all/get 2ed46218b8df7345757efc48f69e1a75
          - shop.jsonl:6 shop <b>@all/get 19e06d7ea3ef4b723389655f5807ac1b
          - shop.jsonl:7 shop <b>@all/get ece93f28e6ed31a5b10c124f3fa71900
          - and 9 more
        next: look at the calls named here with `tapecheck explain 2ed46218b8df7345757efc48f69e1a75 recordings --rulebook mine.toml --config today=2026-11-21`; when the server is known to be down, waive it until it is back
      - pass unreadable_lines: 0 -> 0 unreadable lines; allowed: at most 0 more
    ::error file=recordings/shop.jsonl,line=5,title=gate%3A flips::get ×12: refused -> failed: User refused-0 not found · stricter, rulebook changed: pattern 'get' no longer matches · by labels 0 now right, 12 now wrong (group dcb01362)%0A12 calls (12 stricter); allowed: at most 0%0Anext: list the calls of a group with `tapecheck diff recordings recordings --rulebook guide --rulebook mine.toml --config today=2026-11-21 --filter ID`; correct the rulebook or the server, accept what is right with `tapecheck review`, or waive it with a reason
    ::error file=recordings/shop.jsonl,line=5,title=gate%3A shares::server `shop <b>@all`: 12 of 12 invalid or failed, 0 of 12 before (p 3.7e-7): User refused-0 not found%0A1 of 2 servers and tools worse; allowed: no server or tool may fail significantly more often, or refuse much more often%0Anext: look at the calls named here with `tapecheck explain 2ed46218b8df7345757efc48f69e1a75 recordings --rulebook mine.toml --config today=2026-11-21`; when the server is known to be down, waive it until it is back
    ");
    let xml = scene.text("gate.xml");
    assert_eq!(junit::mistakes(&xml), Vec::<String>::new());
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let failures = document.descendants().filter(|node| node.has_tag_name("failure"));
    let kinds: Vec<_> = failures.filter_map(|node| node.attribute("type")).collect();
    assert_eq!(kinds, ["flips", "shares"]);
    let sarif: Value = serde_json::from_str(&scene.text("gate.sarif")).expect("JSON");
    let schema = sarif_schema::schema();
    let wrong: Vec<String> = schema.iter_errors(&sarif).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "recordings/shop.jsonl");
    assert_eq!(place["region"]["startLine"], 5);
    let group = results[0]["partialFingerprints"]["group/v1"].as_str().expect("a group");
    assert!(ran.out.contains(&format!("(group {group})")), "{}", ran.out);
    let markdown = scene.text("gate.md");
    assert!(markdown.starts_with("## gate red: 2 pass, 2 fail\n"), "{markdown}");
    assert!(!markdown.contains("<b>") && !markdown.contains('@'), "{markdown}");
    // The reply stands in each of them, unless texts are not wanted.
    let reply = "refused -> failed: User refused-0 not found";
    for name in ["gate.xml", "gate.sarif", "gate.md"] {
        let text = scene.text(name).replace("&gt;", ">").replace("&#62;", ">");
        assert!(text.contains(reply), "{name}: {text}");
    }
    let output = "--config output.texts=false";
    let silent = scene.poorer(output).ended_with(1).out;
    assert!(silent.contains("get ×12: refused -> failed ·"), "{silent}");
    assert!(!silent.contains("User "), "{silent}");
    let listed = "diff recordings --rulebook guide --rulebook mine.toml --filter";
    let listed = scene.tapecheck(&format!("{listed} {group}")).ended_with(0);
    assert_eq!(listed.out.lines().count(), 12, "the advice leads to all of them:\n{}", listed.out);
}

#[test]
fn equal_sides_give_equal_outputs() {
    let outputs = || {
        let scene = Scene::new();
        let files =
            "--format=json --format=junit=gate.xml --format=sarif=gate.sarif --format=md=gate.md";
        let ran = scene.poorer(files).ended_with(1);
        let files = ["gate.xml", "gate.sarif", "gate.md"].map(|name| scene.text(name));
        (ran.out, files)
    };
    let (json, files) = outputs();
    let report: Value = serde_json::from_str(&json).expect("one object");
    assert_eq!(report["passed"], false);
    assert_eq!(report["rules"][0]["value"], 12.0);
    assert_eq!((json, files), outputs());
}

#[test]
fn run_folders_and_baselines_are_sides_too() {
    let scene = Scene::new();
    scene.tapecheck("run recordings --quiet --rulebook guide --out before").ended_with(0);
    scene.tapecheck("run recordings --quiet --rulebook mine.toml --out after").ended_with(0);
    scene.tapecheck("review recordings --all --rulebook guide").ended_with(0);
    for baseline in ["before", "snapshots/recordings/guide.snap"] {
        scene.gate(&format!("before --baseline {baseline}")).ended_with(0);
        let ran = scene.gate(&format!("after --baseline {baseline} --format=github")).ended_with(1);
        assert!(ran.out.contains("file=recordings/shop.jsonl,line=5"), "{}", ran.out);
    }
}

#[test]
fn waivers_hold_until_their_day_and_are_told_afterwards() {
    let scene = Scene::new();
    let waiver = "[[waivers]]\nrule = \"flips\"\ncause = \"validation_verbs/*\"\n\
                  reason = \"Until the verb is back.\"\nuntil = 2026-11-21\n";
    scene.file("gate.toml", &format!("default = false\n[flips]\nmost = 0\n{waiver}"));
    let ran = scene.poorer("").ended_with(0);
    assert_snapshot!(ran.out, @"
    gate green: 1 pass, 1 waived
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook mine DIGEST, version 0.1.0
      overlap  16 calls in both

      - waived flips: 0 calls, 12 waived; allowed: at most 0
        note: waived until 2026-11-21 by line 4: 12 calls (cause validation_verbs/*): Until the verb is back.
      - pass waivers: 1 of 1 waiver in use, 0 unused; allowed: no unused waivers
    ");
    let sides = "recordings --baseline recordings --rulebook guide --rulebook mine.toml";
    let next = format!("gate {sides} --policy gate.toml --config today=2026-11-22");
    let ran = scene.tapecheck(&next).ended_with(1);
    assert_snapshot!(ran.out, @"
    gate red: 1 pass, 1 fail
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook mine DIGEST, version 0.1.0
      overlap  16 calls in both

      - FAIL flips: 12 calls (12 stricter); allowed: at most 0
        - get ×12: refused -> failed: User refused-0 not found · stricter, rulebook changed: pattern 'get' no longer matches · by labels 0 now right, 12 now wrong (group dcb01362)
          - shop.jsonl:5 shop <b>@all/get 2ed46218b8df7345757efc48f69e1a75
          - shop.jsonl:6 shop <b>@all/get 19e06d7ea3ef4b723389655f5807ac1b
          - shop.jsonl:7 shop <b>@all/get ece93f28e6ed31a5b10c124f3fa71900
          - and 9 more
        note: the waiver of line 4 ended on 2026-11-21, 12 calls (cause validation_verbs/*) count again: Until the verb is back.
        next: list the calls of a group with `tapecheck diff recordings recordings --rulebook guide --rulebook mine.toml --config today=2026-11-22 --filter ID`; correct the rulebook or the server, accept what is right with `tapecheck review`, or waive it with a reason
      - pass waivers: 0 of 1 waiver in use, 0 unused; allowed: no unused waivers
    ");
    // Where nothing changed, the waiver matches nothing.
    let ran = scene.gate("recordings --baseline recordings --rulebook guide").ended_with(1);
    assert_snapshot!(ran.out, @"
    gate red: 1 pass, 1 fail
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      overlap  16 calls in both

      - pass flips: 0 calls; allowed: at most 0
      - FAIL waivers: 0 of 1 waiver in use, 1 unused; allowed: no unused waivers
        - line 4 matches nothing: `flips`, cause validation_verbs/*
        next: remove waivers that are no longer needed, so that they hide nothing later
    ");
}

#[test]
fn labels_come_from_recordings_and_from_a_file() {
    let scene = Scene::new();
    scene.file("gate.toml", "default = false\n[labels]\nleast = 95\n");
    let same = "recordings --baseline recordings --rulebook guide";
    let ran = scene.gate(same).ended_with(0);
    assert_snapshot!(ran.out, @"
    gate green: 1 pass
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      overlap  16 calls in both

      - pass labels: 100.00 % (12 of 12 labels, 95 % interval 75.75 to 100.00 %); allowed: at least 95 % of 1 label
    ");
    let ran = scene.poorer("").ended_with(1);
    assert_snapshot!(ran.out, @"
    gate red: 1 fail
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook mine DIGEST, version 0.1.0
      overlap  16 calls in both

      - FAIL labels: 0.00 % (0 of 12 labels, 95 % interval 0.00 to 24.25 %); allowed: at least 95 % of 1 label
        - labelled refused, classified failed · 12 calls: User refused-0 not found
          - shop.jsonl:5 shop <b>@all/get 2ed46218b8df7345757efc48f69e1a75
          - shop.jsonl:6 shop <b>@all/get 19e06d7ea3ef4b723389655f5807ac1b
          - shop.jsonl:7 shop <b>@all/get ece93f28e6ed31a5b10c124f3fa71900
          - and 9 more
        next: look at the calls named here with `tapecheck explain 2ed46218b8df7345757efc48f69e1a75 recordings --rulebook mine.toml --config today=2026-11-21`; correct the rulebook, or the label where it is wrong
    ");
    let label = |id: &str, label: &str| {
        format!("{{\"file\": \"shop.jsonl\", \"id\": \"{id}\", \"label\": \"{label}\"}}\n")
    };
    let labels =
        label("good-0", "worked") + &label("refused-0", "failed") + &label("none", "worked");
    scene.file("labels.jsonl", &labels);
    let ran = scene.gate(&format!("{same} --labels labels.jsonl")).ended_with(1);
    assert_snapshot!(ran.out, @"
    gate red: 1 fail
      before   recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 16 calls, rulebook guide DIGEST, version 0.1.0
      overlap  16 calls in both

      - FAIL labels: 92.31 % (12 of 13 labels, 95 % interval 66.69 to 98.63 %); allowed: at least 95 % of 1 label
        - labelled failed, classified refused · 1 call: User refused-0 not found
          - shop.jsonl:5 shop <b>@all/get 2ed46218b8df7345757efc48f69e1a75
        note: ignored: 1 label without exactly one matching call (first: shop.jsonl id none); see tapecheck label check
        next: look at the calls named here with `tapecheck explain 2ed46218b8df7345757efc48f69e1a75 recordings --rulebook guide --config today=2026-11-21`; correct the rulebook, or the label where it is wrong
    ");
    scene.file("labels.jsonl", "{\"file\": \"shop.jsonl\", \"id\": 1, \"label\": \"fine\"}\n");
    let ran = scene.gate(&format!("{same} --labels labels.jsonl")).ended_with(2);
    assert_snapshot!(ran.err, @r#"
    error: labels.jsonl:1: `fine` is not one of worked, refused, failed, hidden_failure
      next: correct the line: {"file": RECORDING, "id": ID, "label": CLASS}
    "#);
    scene.file("gate.toml", STRICT);
    let ran = scene.gate(&format!("{same} --labels labels.jsonl")).ended_with(2);
    assert_snapshot!(ran.err, @"
    error: the policy has no rule that uses labels
      next: leave --labels out, or add a [labels] table to the policy
    ");
}

#[test]
fn wrong_command_lines_and_policies_end_with_2() {
    let scene = Scene::new();
    let same = "recordings --baseline recordings --rulebook guide";
    scene.file("wrong.toml", "intersekt = true\n[flips]\nmost = -1\n[shares]\nleast = 3\n");
    let ran = scene.tapecheck(&format!("gate {same} --policy wrong.toml")).ended_with(2);
    assert!(ran.out.is_empty(), "{}", ran.out);
    assert_snapshot!(ran.err, @r"
    error: the policy has 3 errors

    unknown key `intersekt`
     --> wrong.toml:1:1
      |
    1 | intersekt = true
      | ^^^^^^^^^
      = did you mean `intersect`?

    `most` must be between 0 and 9000000000000000
     --> wrong.toml:3:8
      |
    3 | most = -1
      |        ^^

    unknown key `least`
     --> wrong.toml:5:1
      |
    5 | least = 3
      | ^^^^^
      = known keys: name, traffic, significance, rise_points, least_calls, rise_significance, points_together
      next: correct the policy; docs/gate.md explains its keys
    ");
    let wrong = [
        &format!("{same} --policy none.toml"),
        "recordings --policy gate.toml",
        &format!("{same} --policy gate.toml --config today=soon"),
        &format!("{same} --policy gate.toml --format=json --format=github"),
        "none --baseline recordings --rulebook guide --policy gate.toml",
    ];
    let told = wrong.map(|arguments| {
        format!(
            "$ gate {arguments}\n{}",
            scene.tapecheck(&format!("gate {arguments}")).ended_with(2).err
        )
    });
    assert_snapshot!(told.join("\n"), @r#"
    $ gate recordings --baseline recordings --rulebook guide --policy none.toml
    error: the policy none.toml does not exist
      next: correct the policy; docs/gate.md explains its keys

    $ gate recordings --policy gate.toml
    error: no baseline in snapshots
      next: name one with --baseline, or accept a first one: tapecheck review RECORDINGS --all

    $ gate recordings --baseline recordings --rulebook guide --policy gate.toml --config today=soon
    error: --config today=soon has 1 error

    expected a day, as YYYY-MM-DD
     --> --config today=soon:1:9
      |
    1 | today = "soon"
      |         ^^^^^^
      next: correct it; `tapecheck init DIR` writes a file with every key into another folder

    $ gate recordings --baseline recordings --rulebook guide --policy gate.toml --format=json --format=github
    error: only one --format can go to standard output
      next: write the other into a file: --format FORMAT=FILE

    $ gate none --baseline recordings --rulebook guide --policy gate.toml
    error: none does not exist
      next: name the folder that tapecheck run wrote, such as reports/latest
    "#);
    assert!(!scene.path("gate.xml").exists());
}

#[test]
fn what_cannot_be_compared_or_finished_ends_with_3() {
    let scene = Scene::new();
    scene.file("more/shop.jsonl", &(scene.text("recordings/shop.jsonl") + &good("new") + "\n"));
    scene.file("other/other.jsonl", &lines(&[good("other")]));
    let ran = scene.gate("more --baseline recordings --rulebook guide").ended_with(3);
    let ran = ran.complaining("0 only before, 1 only after");
    assert!(ran.out.is_empty(), "{}", ran.out);
    scene.file("gate.toml", &format!("intersect = true\n{STRICT}"));
    scene.gate("more --baseline recordings --rulebook guide").ended_with(0);
    let ran = scene.gate("other --baseline recordings --rulebook guide").ended_with(3);
    ran.complaining("nothing can be compared");
    let same = "recordings --baseline recordings --rulebook guide";
    let unwritable = format!(
        "{same} --format=junit=none/gate.xml --format=sarif=none/gate.sarif --format=md=gate.md"
    );
    let ran = scene.gate(&unwritable).ended_with(3);
    ran.complaining("cannot write none/gate.xml").complaining("cannot write none/gate.sarif");
    assert!(scene.text("gate.md").starts_with("## gate green"), "the others are written");
    scene.file("old.snap", "---\nsource: x\n---\nnot a baseline\n");
    scene
        .gate("recordings --baseline old.snap --rulebook guide")
        .ended_with(3)
        .complaining("old.snap");
    scene.file("gate.toml", "default = false\n[labels]\nleast = 95\n");
    scene.tapecheck("review recordings --all --rulebook guide").ended_with(0);
    let baseline = "snapshots/recordings/guide.snap";
    let ran = scene.gate(&format!("{baseline} --baseline {baseline}")).ended_with(3);
    assert_snapshot!(ran.out + &ran.err, @"
    gate nothing to judge: 1 undecided
      before   snapshots/recordings/guide.snap: 16 calls, rulebook guide DIGEST, version 0.1.0
      after    snapshots/recordings/guide.snap: 16 calls, rulebook guide DIGEST, version 0.1.0
      overlap  16 calls in both

      - UNDECIDED labels: the later side is a baseline, which has no labels; required: at least 95 % of 1 label
    error: a rule of the policy could not be decided
      next: see above what is missing
    ");
    scene.file("gate.toml", "default = false\n[labels]\nleast = 95\nmissing = \"skip\"\n");
    let ran = scene.gate(&format!("{baseline} --baseline {baseline}")).ended_with(3);
    assert_snapshot!(ran.err, @r"
    error: no rule of the policy could be evaluated
      next: see above why each was skipped, and name sides that have what the rules need
    ");
}

#[test]
fn the_bundled_corpus_passes_its_policy() {
    let policy = home().join("snapshots/gate.toml");
    let mut held = 0;
    for collection in paths_in(&home().join("snapshots")) {
        let baseline = collection.join("guide.snap");
        if !baseline.is_file() {
            continue;
        }
        let name = collection.file_name().map(Path::new).expect("a name");
        let arguments = [&*corpus().join(name), Path::new("--policy"), &policy];
        let ran = finish(
            program()
                .arg("gate")
                .args(arguments)
                .args(contract_of(&collection))
                .args(["--rulebook", "guide", "--baseline"])
                .arg(&baseline),
        );
        ran.ended_with(0);
        held += 1;
    }
    assert!(held >= 9, "only {held} collections were held against their baselines");
}

/// Opens, and fails to be read, for everybody.
#[cfg(target_os = "linux")]
#[test]
fn a_recording_that_cannot_be_read_is_neither_a_pass_nor_a_failure() {
    let scene = Scene::new();
    scene.tapecheck("run recordings --quiet --out before").ended_with(0);
    std::os::unix::fs::symlink("/proc/self/mem", scene.path("recordings/memory.jsonl"))
        .expect("a link");
    scene.tapecheck("run recordings --quiet --out reports/latest").ended_with(0);
    let ran = scene.gate("--baseline before --format=junit=gate.xml").ended_with(3);
    assert!(ran.out.is_empty() && !scene.path("gate.xml").exists(), "{}", ran.out);
    let ran =
        ran.complaining("reports/latest is incomplete: 1 file could not be read: memory.jsonl");
    ran.complaining("unreadable.csv");
    scene
        .gate("recordings --baseline before --rulebook guide")
        .ended_with(3)
        .complaining("memory.jsonl");
    let ran = scene.tapecheck("diff before reports/latest").ended_with(0);
    assert!(ran.out.contains("1 file could not be read: memory.jsonl"), "{}", ran.out);
    let ran = scene.tapecheck("diff before reports/latest --format json").ended_with(0);
    let diff = ran.json();
    assert_eq!(diff["after"]["unreadable_files"]["read_errors"], 1, "{diff:#}");
}

#[test]
fn a_damaged_archive_counts_as_unreadable() {
    let scene = Scene::new();
    scene.tapecheck("run recordings --quiet --out before").ended_with(0);
    fs::copy(corpus().join("odd/cut.jsonl.gz"), scene.path("recordings/cut.jsonl.gz"))
        .expect("a copy");
    scene.tapecheck("run recordings --quiet --out reports/latest").ended_with(0);
    // What could be read of it is judged.
    scene.file("gate.toml", "default = false\nintersect = true\n[unreadable_lines]\n");
    let ran = scene.gate("--baseline before").ended_with(1);
    assert_snapshot!(ran.out, @"
    gate red: 1 fail
      before   before: 16 calls, rulebook calibrated DIGEST, version 0.1.0
      after    reports/latest: 32 calls, rulebook calibrated DIGEST, version 0.1.0
      overlap  16 calls in both; 0 only before, 16 only after

      - FAIL unreadable_lines: 0 -> 2 unreadable lines, 1 damaged file of them; allowed: at most 0 more
        next: see which lines and why in `unreadable.csv` of the run
    ");
}

#[test]
fn trouble_with_files_is_never_an_error_of_the_command_line() {
    let scene = Scene::new();
    let same = "recordings --baseline recordings --rulebook guide";
    let ran = scene.tapecheck(&format!("gate {same} --policy recordings")).ended_with(3);
    ran.complaining("cannot read the policy recordings");
    scene.file("gate.toml", "default = false\n[labels]\nleast = 95\n");
    let ran = scene.gate(&format!("{same} --labels recordings")).ended_with(3);
    ran.complaining("cannot read the labels recordings");
    scene.gate(&format!("{same} --labels none.jsonl")).ended_with(2).complaining("none.jsonl");
}

#[cfg(target_os = "linux")]
#[test]
fn reports_are_written_although_nothing_can_be_printed() {
    let scene = Scene::new();
    let same = ["gate", "recordings", "--baseline", "recordings", "--rulebook", "guide"];
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let status = program()
        .current_dir(scene.folder.path())
        .args(same)
        .args(["--policy", "gate.toml", "--format=junit=late.xml"])
        .stdout(full)
        .status()
        .expect("it ran");
    assert_eq!(status.code(), Some(3));
    assert!(scene.text("late.xml").contains("failures=\"0\""));
}

#[test]
fn outputs_never_take_the_place_of_what_is_read() {
    let scene = Scene::new();
    scene.tapecheck("run recordings --quiet --out before").ended_with(0);
    let manifest = scene.text("before/manifest.json");
    let sides = "before --baseline before";
    for (outputs, about) in [
        ("--format=junit=gate.toml", "gate.toml would overwrite gate.toml"),
        ("--format=md=./recordings/../gate.toml", "/gate.toml would overwrite gate.toml"),
        ("--format=sarif=before/manifest.json", "before/manifest.json would overwrite before"),
        ("--format=junit=before/new.xml", "before/new.xml would overwrite before"),
        (
            "--format=junit=all.txt --format=md=./all.txt",
            "./all.txt would overwrite another output",
        ),
        ("--format=md=snapshots/shop/guide.snap", "guide.snap would overwrite snapshots"),
        ("--config=labels=mine.jsonl --format=md=mine.jsonl", "would overwrite mine.jsonl"),
    ] {
        scene.gate(&format!("{sides} {outputs}")).ended_with(2).complaining(about);
    }
    scene.file("calls.jsonl", &lines(&[good("one")]));
    for command in [
        "run calls.jsonl --out new --format json=calls.jsonl",
        "run calls.jsonl --out new --format json=new/manifest.json",
        "stats before --labels calls.jsonl --format=json=calls.jsonl",
        "stats before --format json=before/summary.json",
        "check calls.jsonl --format json=./calls.jsonl",
    ] {
        scene.tapecheck(command).ended_with(2).complaining(" would overwrite ");
    }
    assert_eq!(scene.text("calls.jsonl"), lines(&[good("one")]));
    assert_eq!(scene.text("gate.toml"), STRICT);
    assert_eq!(scene.text("before/manifest.json"), manifest);
    scene.gate(&format!("{sides} --format=junit=gate.xml --format=sarif=gate.sarif")).ended_with(0);
    scene.gate(&format!("{sides} --format=junit=gate.xml --format=sarif=gate.sarif")).ended_with(0);
}

#[test]
fn without_labels_a_rule_about_them_says_nothing_unless_none_are_expected() {
    let scene = Scene::new();
    scene.file("recordings/shop.jsonl", &lines(&[good("one"), good("two")]));
    let same = "recordings --baseline recordings --rulebook guide";
    scene.file("gate.toml", "default = false\n[flips]\nmost = 0\n[labels]\nleast = 95\n");
    let ran = scene.gate(&format!("{same} --format=junit=gate.xml --format=github")).ended_with(3);
    assert_snapshot!(ran.out, @"
    gate nothing to judge: 1 pass, 1 undecided
      before   recordings: 2 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 2 calls, rulebook guide DIGEST, version 0.1.0
      overlap  2 calls in both

      - pass flips: 0 calls; allowed: at most 0
      - UNDECIDED labels: no call has a label: there are none in the recordings; name a file with `--labels FILE`; required: at least 95 % of 1 label
    ::error file=gate.toml,line=4,title=gate%3A labels::no call has a label: there are none in the recordings; name a file with `--labels FILE`; required: at least 95 %25 of 1 label
    ");
    assert!(scene.text("gate.xml").contains("errors=\"1\""));
    scene.file(
        "gate.toml",
        "default = false\n[flips]\nmost = 0\n[labels]\nleast = 95\nmissing = \"skip\"\n",
    );
    let ran = scene.gate(same).ended_with(0);
    assert_snapshot!(ran.out, @"
    gate green: 1 pass, 1 skipped
      before   recordings: 2 calls, rulebook guide DIGEST, version 0.1.0
      after    recordings: 2 calls, rulebook guide DIGEST, version 0.1.0
      overlap  2 calls in both

      - pass flips: 0 calls; allowed: at most 0
      - skipped labels: no call has a label: there are none in the recordings; name a file with `--labels FILE`; required: at least 95 % of 1 label
    ");
}

#[test]
fn what_to_do_next_can_be_typed() {
    let scene = Scene::new();
    scene.tapecheck("review recordings --all --rulebook guide").ended_with(0);
    let ran =
        scene.gate("recordings --baseline snapshots/recordings/guide.snap --rulebook mine.toml");
    let ran = ran.ended_with(1);
    for command in [
        "`tapecheck diff snapshots/recordings/guide.snap recordings --rulebook mine.toml --config today=2026-11-21 --filter ID`",
        "`tapecheck review recordings --baseline snapshots/recordings/guide.snap --rulebook mine.toml --config today=2026-11-21`",
    ] {
        assert!(ran.out.contains(command), "{command} in:\n{}", ran.out);
    }
    scene.file("gate.toml", "default = false\n[labels]\nleast = 95\n");
    scene
        .tapecheck("run recordings --quiet --rulebook mine.toml --out reports/latest")
        .ended_with(0);
    let ran = scene.gate("--baseline reports/latest").ended_with(1);
    let (_, advised) = ran.out.split_once("`tapecheck explain").expect("advice");
    let (typed, _) = advised.split_once('`').expect("its end");
    assert!(typed.ends_with(" reports/latest"), "{typed}");
    let explained = scene.tapecheck(&format!("explain{typed}")).ended_with(0);
    assert!(explained.out.contains("reports/latest"), "by that run's rulebook: {}", explained.out);
}
