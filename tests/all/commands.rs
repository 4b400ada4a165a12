//! What the command line promises: exit codes, quiet and JSON output, pipes that close early.

use crate::harness::{Place, finish, good, lines, program, tapecheck};
use insta::assert_snapshot;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn wrong_command_lines_end_with_2() {
    let place = Place::with_good_recording();
    let commands = [
        "run recordings --no-such-flag",
        "run",
        "judge recordings",
        "run recordings --rulebook guidee",
        "run recordings --rulebook recordings",
        "run no/such/folder",
        "run recordings --fail-on sometimes",
        "run recordings --max-line -1",
        "run recordings --max-line lots",
        "run recordings -j many",
        "run recordings --quiet --json",
    ];
    for command in commands.iter().chain(&[""]) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let ran = place.run_as_ann(&words).ended_with(2);
        assert!(ran.out.is_empty(), "complaints go to standard error: {}", ran.out);
    }
    assert_snapshot!(place.transcript(2, &commands), @"
    $ tapecheck run recordings --no-such-flag
    error: unexpected argument '--no-such-flag' found

      tip: to pass '--no-such-flag' as a value, use '-- --no-such-flag'

    Usage: tapecheck run <RECORDINGS>...

    For more information, try '--help'.

    $ tapecheck run
    error: no recordings given
      next: name files or folders: tapecheck run RECORDINGS; or set `recordings` in tapecheck.toml (`tapecheck init` writes one)

    $ tapecheck judge recordings
    error: unrecognized subcommand 'judge'

    Usage: tapecheck [OPTIONS] <COMMAND>

    For more information, try '--help'.

    $ tapecheck run recordings --rulebook guidee
    error: no rulebook or file is called `guidee`; built-in rulebooks: calibrated, guide, inspector; did you mean `guide`?
      next: correct the rulebook, or see `tapecheck list rulebooks` for the built-in ones

    $ tapecheck run recordings --rulebook recordings
    error: cannot read the rulebook recordings: Is a directory (os error 21)
      next: correct the rulebook, or see `tapecheck list rulebooks` for the built-in ones

    $ tapecheck run no/such/folder
    error: cannot read no/such/folder: No such file or directory (os error 2)
      next: name an existing file or folder, or `-` for standard input

    $ tapecheck run recordings --fail-on sometimes
    error: invalid value 'sometimes' for '--fail-on <LEVEL>'
      [possible values: never, unreadable, error, warning, info]

    For more information, try '--help'.

    $ tapecheck run recordings --max-line -1
    error: unexpected argument '--max-line' found

      tip: a similar argument exists: '--fail-on'

    Usage: tapecheck run --fail-on <LEVEL> <RECORDINGS>...

    For more information, try '--help'.

    $ tapecheck run recordings --max-line lots
    error: unexpected argument '--max-line' found

      tip: a similar argument exists: '--fail-on'

    Usage: tapecheck run --fail-on <LEVEL> <RECORDINGS>...

    For more information, try '--help'.

    $ tapecheck run recordings -j many
    error: invalid value 'many' for '--jobs <N>': invalid digit found in string

    For more information, try '--help'.

    $ tapecheck run recordings --quiet --json
    error: unexpected argument '--json' found

      tip: a similar argument exists: '--journal'

    Usage: tapecheck run --quiet --journal <FILE> <RECORDINGS>...

    For more information, try '--help'.
    ");
    assert!(!place.path("reports").exists(), "nothing ran");
}

#[test]
fn a_missing_input_beside_good_ones_stops_before_anything_is_written() {
    let place = Place::with_good_recording();
    place.run(&["no/such/recording.jsonl"]).ended_with(2).complaining("no/such/recording.jsonl");
    assert!(!place.out().exists());
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
}

#[test]
fn no_exchange_at_all_ends_with_3() {
    let place = Place::new();
    place.run(&[]).ended_with(3).complaining("no calls were found");
    place.recording("notes.txt", "only notes");
    place.run(&[]).ended_with(3).complaining("no calls were found");
    place.recording("broken.jsonl", "{\n{\n");
    place.run(&["--quiet"]).ended_with(3);
    place.adds_up();
    assert_eq!(
        place.json("summary.json")["counts"]["unreadable"],
        2,
        "nothing is lost by the last"
    );
}

#[test]
fn a_run_without_calls_says_what_it_looked_at() {
    let place = Place::new();
    let said = || {
        let ran =
            finish(program().current_dir(place.root()).args(["run", "recordings"])).ended_with(3);
        assert_eq!(ran.out, "");
        ran.err
    };
    insta::assert_snapshot!(said(), @r"
    0 calls from 0 recordings classified by calibrated

    written to reports/latest
    error: no calls were found in recordings
      next: name files or folders of recordings; docs/recordings.md lists their formats
    ");
    place.recording("notes.txt", "only notes");
    place.recording("broken.jsonl", "{\n{\n");
    insta::assert_snapshot!(said(), @r"
    0 calls from 1 recording classified by calibrated

    2 lines could not be read (not_json 2): see unreadable.csv
    1 file skipped, not recordings: notes.txt: no JSON records

    written to reports/latest
    error: no calls were found in recordings
      next: name files or folders of recordings; docs/recordings.md lists their formats
    ");
}

#[test]
fn a_run_that_finds_nothing_spares_the_run_that_did() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let before = place.text("manifest.json");
    std::fs::write(place.recordings().join("good.jsonl"), "{").expect("a file");
    let ran = finish(&mut place.command()).ended_with(3).complaining("no calls were found");
    let ran = ran.complaining("run was not replaced");
    assert!(ran.err.contains("not_json 1"), "{}", ran.err);
    let quiet = place.run(&["--quiet"]).ended_with(3).complaining("was not replaced");
    assert_eq!(quiet.out, "");
    assert_eq!(place.text("manifest.json"), before);
    place.lost_nothing();
    assert!(place.leftovers().is_empty(), "{:?}", place.leftovers());
}

#[test]
fn help_and_version_are_data() {
    for arguments in [&["--help"][..], &["--version"], &["run", "--help"], &["explain", "--help"]] {
        let ran = tapecheck(arguments).ended_with(0);
        assert!(ran.err.is_empty() && !ran.out.is_empty(), "{}", ran.err);
    }
}

#[test]
fn the_version_names_the_commit_that_is_built_where_there_is_one() {
    let said = tapecheck(&["--version"]).ended_with(0).out;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut git = Command::new("git");
    git.args(["log", "-1", "--abbrev=10", "--format=%h %cs"]).current_dir(folder);
    let commit = git.output().ok().filter(|it| it.status.success() && folder.join(".git").exists());
    let commit = commit.map(|it| String::from_utf8(it.stdout).expect("digits and a day"));
    let built = commit.map_or_else(String::new, |commit| format!(" ({})", commit.trim()));
    assert_eq!(said, format!("tapecheck {}{built}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_summary_as_json_is_summary_json() {
    let place = Place::with_good_recording();
    let ran = finish(place.command().arg("--format=json")).ended_with(0);
    let printed = ran.json();
    assert_eq!(printed, place.json("summary.json"));
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn quiet_is_silent() {
    let place = Place::with_good_recording();
    place.recording("broken.jsonl", "{");
    let ran = finish(place.command().arg("--quiet")).ended_with(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn findings_change_the_exit_code_only_where_they_should() {
    // One recording for each worst finding, a tool that failed without an issue among them; the codes under never, unreadable, error, warning and info.
    let with_issue = |severity: &str| {
        let place = Place::with_good_recording();
        let recording = match severity {
            "none" => lines(&[good("fine")]),
            "unreadable" => "not json\n".to_owned(),
            "outcome" => lines(&[
                r#"{"id":"x","tool":"t","input":{},"response":{"isError":true,"content":[{"type":"text","text":"Traceback (most recent call last):\n  File \"a.py\", line 1"}]}}"#,
            ]),
            _ => lines(&[
                r#"{"id":"x","tool":{"name":"t","outputSchema":{"type":"string"}},"input":{},"response":{"structuredContent":5}}"#,
            ]),
        };
        place.recording("finding.jsonl", recording);
        place
    };
    let expected = [
        ("none", [0, 0, 0, 0, 0]),
        ("unreadable", [0, 1, 1, 1, 1]),
        ("outcome", [0, 0, 1, 1, 1]),
        ("error", [0, 0, 1, 1, 1]),
    ];
    for (severity, codes) in expected {
        let place = with_issue(severity);
        for (fail_on, code) in ["never", "unreadable", "error", "warning", "info"].iter().zip(codes)
        {
            let ran = place.run(&["--rulebook", "guide", "--fail-on", fail_on]);
            assert_eq!(ran.code, Some(code), "{severity} under --fail-on {fail_on}: {}", ran.err);
            place.lost_nothing();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    for arguments in [&["list", "rulebooks", "guide"][..], &["--help"], &["list", "rulebooks"]] {
        let mut child = program()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ends");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let output = program()
        .args(["list", "rulebooks", "guide"])
        .stdout(Stdio::from(full))
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(3));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("cannot write to standard output"), "{errors}");
}

#[test]
fn bounds_at_their_limits() {
    let place = Place::with_good_recording();
    let most = "9007199254740991";
    for (key, least, greatest) in [
        ("jobs", "1", "512"),
        ("bounds.max_line", "1", most),
        ("bounds.max_depth", "1", "10000"),
        ("bounds.max_ratio", "1", most),
        ("bounds.max_waiting", "1", most),
    ] {
        let set = |value: &str| format!("--config={key}={value}");
        for refused in ["0", "-1", "18446744073709551616", "1.5", "", &format!("{greatest}0")] {
            place.run(&[&set(refused)]).ended_with(2).complaining(key);
        }
        assert!(!place.out().exists(), "nothing ran");
        // At its least a bound may leave nothing to judge.
        let ran = place.run(&[&set(least)]);
        assert!(matches!(ran.code, Some(0 | 3)), "{key} {least}: {}", ran.err);
        if key != "jobs" {
            place.run(&[&set(greatest)]).ended_with(0);
        }
        std::fs::remove_dir_all(place.out()).expect("a run");
    }
    place.run(&["-j", "64"]).ended_with(0);
    place.run(&["-j", "513"]).ended_with(2).complaining("in 1..=512");
}

#[test]
fn nothing_recorded_acts_on_the_terminal() {
    let place = Place::with_good_recording();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m";
    let record = serde_json::json!({"id": "h", "server": hostile, "tool": {"name": hostile, "outputSchema": {"type": hostile}},
        "input": {hostile: hostile}, "scenarioCategory": hostile,
        "response": {"isError": true, "content": [{"type": hostile, "text": hostile}]}});
    place.recording("hostile.jsonl", format!("{record}\n{hostile}\n"));
    #[cfg(unix)]
    place.recording(&format!("{}.bin", hostile.replace('/', "")), "\0");
    let ran = finish(&mut place.command()).ended_with(0);
    assert!(ran.out.contains("\\u{1b}"), "it is spelled out: {}", ran.out);
    for text in [&ran.out, &ran.err] {
        let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(bad, None, "{text:?}");
    }
}

#[test]
fn one_recording_named_twice_is_judged_twice() {
    let place = Place::with_good_recording();
    let recording = place.recordings().join("good.jsonl");
    let ran = finish(place.command().arg(&recording).arg(&recording));
    ran.ended_with(0);
    assert_eq!(place.keys().len(), 9);
    place.lost_nothing();
}
