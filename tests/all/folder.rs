//! The folders: what is walked, what is written, and what a run that fails leaves behind.

use crate::harness::{Place, finish, good, lines, names_in, program, skipped};
use crate::support::read_table;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tapecheck::internals::corpus::Input;
use tapecheck::internals::redact::Redactor;
use tapecheck::internals::rulebook::Rulebook;
use tapecheck::internals::run::{RunPlan, run_with};
use tapecheck::internals::store::{Table, harmless};

/// Asserts that the run in place is that of the good recording, whole.
#[track_caller]
fn old_run_is_whole(place: &Place) {
    assert_eq!(place.json("manifest.json")["comparable"]["counts"]["exchanges"], 3);
    place.lost_nothing();
    for name in ["verdicts.parquet", "issues.parquet"] {
        assert!(place.file(name).ends_with(b"PAR1"), "{name} is whole");
    }
}

/// A recording too large for small disks.
fn large_recording() -> String {
    let text = "0123456789abcdef".repeat(60);
    let line = |number: usize| good(&format!("{number}-{text}"));
    lines(&(0..3_000).map(line).collect::<Vec<_>>())
}

#[test]
fn folders_that_are_not_ours_are_refused_and_kept() {
    let place = Place::with_good_recording();
    std::fs::create_dir(place.out()).expect("a folder");
    std::fs::write(place.out().join("thesis.txt"), "years of work").expect("a file");
    place.run(&[]).ended_with(2).complaining("is not a tapecheck run");
    let other = r#"{"format":"web-app/1"}"#;
    std::fs::write(place.out().join("manifest.json"), other).expect("a file");
    place.run(&[]).ended_with(2).complaining("choose another folder");
    assert_eq!(place.text("thesis.txt"), "years of work");
    let file = place.root().join("file");
    std::fs::write(&file, "kept").expect("a file");
    finish(program().arg("run").arg(place.recordings()).arg("--out").arg(&file)).ended_with(2);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "kept");
    for odd in ["/", "..", "."] {
        let mut command = program();
        command.current_dir(place.root()).arg("run").arg(place.recordings()).args(["--out", odd]);
        finish(&mut command).ended_with(2).complaining("--out");
    }
}

#[test]
fn an_empty_folder_is_as_good_as_none() {
    let place = Place::with_good_recording();
    std::fs::create_dir(place.out()).expect("a folder");
    place.run(&[]).ended_with(0);
    old_run_is_whole(&place);
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
}

#[test]
fn a_run_never_replaces_its_own_recordings() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let inside = place.out().join("recordings");
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::copy(place.recordings().join("good.jsonl"), inside.join("good.jsonl"))
        .expect("copied");
    for input in [inside.clone(), place.out()] {
        finish(program().arg("run").arg(input).arg("--out").arg(place.out()))
            .ended_with(2)
            .complaining("which the run would replace");
    }
    assert!(inside.join("good.jsonl").exists());
}

#[test]
fn a_run_inside_its_corpus_does_not_judge_itself() {
    let place = Place::with_good_recording();
    let out = place.recordings().join("reports/latest");
    let mut found = Vec::new();
    for _ in 0..3 {
        let mut command = program();
        command.arg("run").arg(place.recordings()).arg("--out").arg(&out).arg("--format=json");
        let ran = finish(&mut command).ended_with(0);
        let summary = ran.json();
        assert_eq!(summary["counts"]["exchanges"], 3, "{summary}");
        found.push(summary["counts"]["lines"].clone());
    }
    assert_eq!(found, [3, 3, 3]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_run_stays_a_link() {
    let place = Place::with_good_recording();
    let real = place.root().join("real");
    finish(program().arg("run").arg(place.recordings()).arg("--out").arg(&real)).ended_with(0);
    std::os::unix::fs::symlink(&real, place.out()).expect("a link");
    place.run(&[]).ended_with(0);
    assert!(std::fs::symlink_metadata(place.out()).expect("a link").is_symlink());
    old_run_is_whole(&place);
    let nowhere = place.root().join("nowhere");
    std::os::unix::fs::symlink(place.root().join("missing"), &nowhere).expect("a link");
    finish(program().arg("run").arg(place.recordings()).arg("--out").arg(&nowhere)).ended_with(2);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_look_into_a_run_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let mode = std::fs::metadata(place.out()).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "{mode:o}");
}

#[cfg(target_os = "linux")]
#[test]
fn places_that_cannot_be_written() {
    let place = Place::with_good_recording();
    let ran = finish(program().arg("run").arg(place.recordings()).args(["--out", "/sys/run"]));
    ran.ended_with(3).complaining("/sys");
    let ran = finish(program().arg("run").arg(place.recordings()).args(["--out", "/dev/null/run"]));
    ran.ended_with(3).complaining("/dev/null");
}

#[cfg(unix)]
#[test]
fn links_and_hidden_folders() {
    use std::os::unix::fs::symlink;
    let place = Place::with_good_recording();
    let elsewhere = place.root().join("elsewhere.jsonl");
    std::fs::write(&elsewhere, lines(&[good("linked")])).expect("a file");
    symlink(&elsewhere, place.recordings().join("linked.jsonl")).expect("a link");
    symlink(place.recordings(), place.recordings().join("loop")).expect("a link");
    symlink("missing", place.recordings().join("dangling.jsonl")).expect("a link");
    symlink("itself.jsonl", place.recordings().join("itself.jsonl")).expect("a link");
    place.recording(".git/objects.jsonl", lines(&[good("hidden")]));
    place.recording(".hidden.jsonl", lines(&[good("dot-file")]));
    place.recording(".claude/projects/host.jsonl", lines(&[good("host")]));
    place.recording("folder.jsonl/inner.jsonl", lines(&[good("inner")]));
    place.run(&[]).ended_with(0).complaining(
        "3 files could not be read to the end: dangling.jsonl: No such file or directory (os error 2)",
    );
    place.lost_nothing();
    let mut ids = place.ids();
    ids.retain(|id| !id.starts_with("good-"));
    ids.sort();
    assert_eq!(ids, ["dot-file", "host", "inner", "linked"]);
    let unreadable = place.unreadable();
    let reasons: Vec<(&str, &str)> =
        unreadable.iter().map(|row| (row.file.as_str(), row.reason.as_str())).collect();
    let expected =
        [("dangling.jsonl", "read_error"), ("itself.jsonl", "read_error"), ("loop", "link_loop")];
    assert_eq!(reasons, expected);
    assert_eq!(place.other_files()[".git"].1, "hidden folder");
    for number in 0..1_100 {
        place.recording(&format!("notes/{number}.txt"), "x");
    }
    place.run(&[]).ended_with(0);
    let skipped = &place.json("summary.json")["skipped"];
    assert_eq!(skipped["skipped"]["hidden folder"], 1);
    assert_eq!(skipped["unknown file"]["no JSON records"], 1_100, "more than are named");

    place.run(&["--config=bounds.follow_links=false"]).ended_with(0);
    place.lost_nothing();
    assert!(!place.ids().contains(&"linked".to_owned()));
    assert!(
        place.unreadable().is_empty(),
        "links are passed over, and named: {:?}",
        place.unreadable()
    );
    assert!(place.other_files().contains_key("linked.jsonl"));
}

#[test]
fn ordinary_files_are_no_recordings_and_say_why() {
    let place = Place::with_good_recording();
    let call = good("last");
    let debug = format!("{}{call}\n{}", "DEBUG started\n".repeat(3), "DEBUG at work\n".repeat(400));
    let lint = r#"[{"filePath":"a.ts","messages":[]},{"filePath":"b.ts","messages":[{"ruleId":"semi","line":1}]}]"#;
    let lock = format!(
        r#"{{"name":"x","lockfileVersion":1,"requires":true,{}"#,
        r#""packages/some-long-name":{"version":"1.0.0","resolved":"elsewhere"},"#.repeat(16_000)
    );
    let unanswered = r#"{"server":"s","tool":"t","input":{"a":1}}"#;
    let files = [
        (
            "de.json",
            r#"{"title":"Autos","response":"Antwort"}"#,
            "JSON, but not a record of a known format: its members are title, response",
        ),
        (
            "gemini.json",
            r#"{"session_id":"s","response":"Done","stats":{}}"#,
            "JSON, but not a record",
        ),
        ("tsconfig.json", "{\n  // strict\n  \"compilerOptions\": {}\n}\n", "no JSON records"),
        ("package-lock.json", &lock, "JSON, but not a record"),
        ("lint.json", lint, "JSON, but not a record"),
        ("debug.txt", &debug, "not a recording: 1 of the first 404 lines fit one"),
        ("expected.jsonl", &format!("{unanswered}\n{unanswered}\n"), "calls without a member"),
        ("expected.json", &format!("[{unanswered}]"), "calls without a member"),
    ];
    for (name, content, _) in &files {
        place.recording(name, content);
    }
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    assert!(place.unreadable().is_empty(), "{:?}", place.unreadable());
    let others = place.other_files();
    for (name, _, detail) in files {
        assert!(others[name].1.starts_with(detail), "{name}: {:?}", others[name]);
    }
    for (name, content) in [
        ("null.jsonl", r#"{"server":"s","tool":"t","input":{},"response":null}"#.to_owned()),
        (
            "wire.jsonl",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#.to_owned(),
        ),
        ("damaged.jsonl", format!("{}\n{unanswered}\n", &call[..call.len() - 9])),
    ] {
        let place = Place::new();
        place.recording(name, content);
        place.run(&[]).ended_with(0);
        assert_eq!(place.verdicts().len(), 1, "{name}");
    }
    let place = Place::new();
    place.recording("expected.jsonl", format!("{unanswered}\n"));
    place.run(&[]).ended_with(3).complaining("calls without a member `response`");
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_read() {
    // Opens, and fails to be read, for everybody.
    let place = Place::with_good_recording();
    std::os::unix::fs::symlink("/proc/self/mem", place.recordings().join("memory.jsonl"))
        .expect("a link");
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    let unreadable = place.unreadable();
    assert_eq!(
        (unreadable[0].file.as_str(), unreadable[0].reason.as_str()),
        ("memory.jsonl", "read_error")
    );

    let place = Place::with_good_recording();
    let secret = place.recording("secret.jsonl", lines(&[good("secret")]));
    let forbid = |path: &Path, mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("allowed");
    };
    forbid(&secret, 0);
    if std::fs::File::open(&secret).is_ok() {
        skipped("permissions do not bind this user");
        return;
    }
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    assert_eq!(place.unreadable()[0].reason, "read_error");
    forbid(place.root(), 0o555);
    let ran = place.run(&[]);
    forbid(place.root(), 0o755);
    ran.ended_with(3).complaining("not allowed to write").complaining("choose another folder");
}

/// Starts a run on standard input that has judged what it read and waits for more.
fn half_a_run(place: &Place) -> Child {
    let mut child = program()
        .args(["run", "-", "--stdout", "jsonl", "--out"])
        .arg(place.out())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut verdicts = child.stdout.take().expect("a pipe was asked for");
    let (sender, begun) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let begun = verdicts.read_exact(&mut [0]);
        sender.send(begun.is_ok()).expect("somebody waits");
        // It must never wait for a reader.
        std::io::copy(&mut verdicts, &mut std::io::sink())
    });
    let pipe = child.stdin.as_mut().expect("a pipe was asked for");
    pipe.write_all(large_recording().as_bytes()).expect("it reads");
    assert_eq!(begun.recv(), Ok(true), "no verdict comes while the pipe is open");
    child
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so_and_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let place = Place::with_good_recording();
        place.run(&[]).ended_with(0);
        let mut child = half_a_run(&place);
        assert_eq!(place.leftovers().len(), 1, "a folder is being written");
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().expect("a signal").success());
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("a pipe was asked for");
        stderr.read_to_string(&mut said).expect("UTF-8");
        assert_eq!(said, "interrupted; nothing was replaced\n");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
        old_run_is_whole(&place);
    }
}

#[test]
fn a_path_that_cannot_be_written_is_told_by_its_reason() {
    let place = Place::with_good_recording();
    let within = place.root().join("recordings/good.jsonl/runs/latest");
    let ran = finish(program().arg("run").arg(place.recordings()).arg("--out").arg(within));
    let ran = ran.ended_with(3).complaining("good.jsonl is not a folder");
    ran.complaining("next: nothing was replaced; choose another folder with --out");
}

#[test]
fn a_run_that_is_killed_leaves_the_old_one_and_the_next_cleans_up() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let mut child = half_a_run(&place);
    child.kill().expect("killed");
    child.wait().expect("gone");
    old_run_is_whole(&place);
    assert_eq!(place.leftovers().len(), 1, "the killed run could not clean up");
    place.run(&[]).ended_with(0);
    old_run_is_whole(&place);
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
}

#[test]
fn work_folders_of_killed_commands_are_cleared_by_the_next() {
    let place = Place::with_good_recording();
    place.run(&["--rulebook", "guide"]).ended_with(0);
    let [temporary, tables] = ["temporary", "tables"].map(|name| place.path(name));
    for folder in [&temporary, &tables] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let command = |words: &[&str]| {
        let mut command = program();
        command.current_dir(place.root()).env("TMPDIR", &temporary).args(words);
        command
    };
    let killed = |words: &[&str]| {
        let mut child = command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let until = Instant::now() + Duration::from_secs(30);
        // Its work folder has the lock and the run that waits for more.
        let is_at_work = |name: &String| names_in(&temporary.join(name)).len() == 2;
        while !names_in(&temporary).iter().any(is_at_work) {
            assert!(Instant::now() < until, "{words:?} begins no work folder");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        let [left] = &names_in(&temporary)[..] else { panic!("one folder is left behind") };
        left.clone()
    };
    let diff = ["diff", "run", "-", "--rulebook", "guide"];
    let left = killed(&diff);
    std::fs::rename(temporary.join(&left), tables.join(&left)).expect("moved");
    finish(&mut command(&["diff", "run", "run", "--out", "tables"])).ended_with(0);
    let written = ["flips.csv", "flips.parquet", "groups.csv", "groups.parquet"];
    assert_eq!(names_in(&tables), written);
    for words in [
        &diff[..],
        &["stats", "-", "--rulebook", "guide"],
        &["diff", "-", "--rulebook", "guide", "--set", "threshold=0.3"],
    ] {
        killed(words);
        let mut next = command(&["diff", "run"]);
        finish(next.arg(place.recordings()).args(["--rulebook", "guide"])).ended_with(0);
        assert_eq!(names_in(&temporary), [""; 0], "after {words:?}");
    }
}

#[test]
fn the_page_is_in_the_folder_before_it_takes_its_place() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let page = place.text("report.html");
    assert!(!page.contains(".tapecheck-"), "nobody is told where the run was built");
    let plan = RunPlan {
        inputs: vec![Input::Path(place.recordings())],
        threads: 1,
        redactor: Redactor::none(),
        ..RunPlan::default()
    };
    let rulebook = Rulebook::builtin("guide").expect("built in");
    run_with(&plan, &rulebook, &place.out(), &(), |finished, folder| {
        assert_eq!(finished.totals.exchanges, 3);
        assert!(folder.join("manifest.json").exists(), "all of the run is there");
        assert_eq!(place.text("report.html"), page, "the earlier run stands in its place");
        std::fs::write(folder.join("report.html"), "the next page").expect("a file");
    })
    .expect("a run");
    assert_eq!(place.text("report.html"), "the next page");
    assert_eq!(place.leftovers(), Vec::<String>::new());
}

#[test]
fn two_runs_at_once_do_not_disturb_each_other() {
    let place = Place::with_good_recording();
    let mut first = half_a_run(&place);
    place.run(&[]).ended_with(0);
    old_run_is_whole(&place);
    drop(first.stdin.take());
    assert!(first.wait().expect("it ends").success(), "the run that took longer is whole, too");
    assert_eq!(place.json("summary.json")["counts"]["exchanges"], 3_000);
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
}

#[cfg(unix)]
#[test]
fn files_that_may_not_grow() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let recording = place.root().join("large.jsonl");
    std::fs::write(&recording, large_recording()).expect("a file");
    let limited = |before: &str| {
        let mut command = Command::new("sh");
        let script = format!("{before} ulimit -f 100 && exec \"$0\" run \"$1\" --out \"$2\"");
        command
            .args(["-c", &script])
            .arg(env!("CARGO_BIN_EXE_tapecheck"))
            .arg(&recording)
            .arg(place.out());
        finish(&mut command)
    };
    // Told about it, the run ends in order.
    limited("trap '' XFSZ;").ended_with(3).complaining("cannot write");
    old_run_is_whole(&place);
    assert_eq!(place.leftovers(), ["large.jsonl"]);
    // Ended by the system, it leaves its half behind for the next one.
    assert_eq!(limited("").code, None, "the system ends it");
    old_run_is_whole(&place);
    place.run(&[]).ended_with(0);
    assert_eq!(place.leftovers(), ["large.jsonl"]);
}

/// Runs a script where a small disk of its own is mounted at `$1/disk`; `None` where that is not allowed.
fn on_a_small_disk(place: &Place, options: &str, script: &str) -> Option<String> {
    std::fs::create_dir_all(place.root().join("disk")).expect("a folder");
    let script = format!("mount -t tmpfs -o {options} none \"$1/disk\" || exit 99\n{script}");
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .arg(env!("CARGO_BIN_EXE_tapecheck"))
        .arg(place.root())
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success() && text.ends_with("end\n")).then_some(text)
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let place = Place::with_good_recording();
    std::fs::write(place.root().join("large.jsonl"), large_recording()).expect("a file");
    let script = r#"
        run="$1/disk/run"
        "$0" run "$1/recordings" --out "$run" --quiet || exit 1
        before=$(cat "$run"/* | cksum)
        "$0" run "$1/large.jsonl" --out "$run" 2>&1
        echo "code $?"
        [ "$before" = "$(cat "$run"/* | cksum)" ] && echo "old run whole"
        echo "on the disk: $(ls "$1/disk")"
        echo end"#;
    let Some(said) = on_a_small_disk(&place, "size=400k", script) else {
        skipped("no disk can be mounted here");
        return;
    };
    for expected in [
        "no space left",
        "next: nothing was replaced",
        "code 3",
        "old run whole",
        "on the disk: run\n",
    ] {
        assert!(said.contains(expected), "expected `{expected}` in:\n{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_may_only_be_read() {
    let place = Place::with_good_recording();
    let script = r#"
        "$0" run "$1/recordings" --out "$1/disk/run" 2>&1
        echo "code $?"
        echo end"#;
    let Some(said) = on_a_small_disk(&place, "ro", script) else {
        skipped("no disk can be mounted here");
        return;
    };
    assert!(said.contains("a disk that may only be read") && said.contains("code 3"), "{said}");
}

#[test]
fn no_cell_is_a_formula() {
    const FORMULA: &str = "=cmd|' /C calc'!A0";
    let place = Place::with_good_recording();
    let record = serde_json::json!({
        "id": "+1", "server": "@SUM(A1)", "recorded_at": "2026-01-01T00:00:00Z", "scenarioCategory": "-1+1",
        "tool": {"name": FORMULA, "outputSchema": {"type": "string"}}, "input": {}, "response": {"content": []},
    });
    place.recording("=recording.jsonl", format!("{record}\n=HYPERLINK(\"x\")\n"));
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    let mut cells = 0;
    for entry in std::fs::read_dir(place.out()).expect("a run") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "csv") {
            continue;
        }
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).from_path(&path).expect("CSV");
        for row in reader.records() {
            for cell in &row.expect("a row") {
                let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                assert!(!is_formula, "{}: {cell}", path.display());
                cells += 1;
            }
        }
    }
    assert!(cells > 50, "only {cells} cells were looked at");
    let quoted = format!("'{FORMULA}");
    for name in ["tools.csv", "rates.csv", "issue_types.csv"] {
        assert!(place.text(name).contains(&quoted), "{name} names the tool:\n{}", place.text(name));
    }
    assert!(place.each("tool").contains(&FORMULA.to_owned()), "JSON needs no apostrophe");
    for table in [Table::Rates, Table::Tools, Table::IssueTypes] {
        let (frame, path) = (read_table(&place.out(), table), place.out().join(table.name()));
        let mut reader = csv::Reader::from_path(path.with_extension("csv")).expect("CSV");
        let names = reader.headers().expect("a header").clone();
        for (at, row) in reader.records().enumerate() {
            for (name, cell) in names.iter().zip(&row.expect("a row")) {
                assert_eq!(harmless(&frame.text(name, at)), cell, "{name} of {table:?}");
            }
            assert!(at < frame.height);
        }
    }
}

#[test]
fn a_rulebook_that_is_a_folder() {
    let place = Place::with_good_recording();
    let recordings = place.recordings();
    place
        .run(&["--rulebook", recordings.to_str().expect("UTF-8")])
        .ended_with(2)
        .complaining("directory");
}
