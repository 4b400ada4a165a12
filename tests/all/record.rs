//! `tapecheck record`: what passes between a client and a server, byte by byte, and how both end.

use crate::harness::{Place, finish, lines, program, ran, tapecheck};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where recordings go.
fn tapes(place: &Place) -> PathBuf {
    place.path("tapes")
}

/// A server in shell, recorded into the place's folder.
fn recorded(place: &Place, server: &str) -> Command {
    let mut command = program();
    command.arg("record").arg("--out").arg(tapes(place)).args(["--", "sh", "-c", server]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The one file of the recording.
#[track_caller]
fn file_of(place: &Place) -> PathBuf {
    let mut files: Vec<_> = fs::read_dir(tapes(place))
        .expect("a folder")
        .map(|it| it.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// A server, what it is sent, and what comes back: standard output, standard error, and the exit code.
type Row = (&'static str, &'static str, &'static [u8], &'static [u8], &'static str, i32);

const PASSES: [Row; 8] = [
    (
        "bytes",
        "cat",
        b"{\"id\": 1.0}\r\n\n \xff\x00{\n\xf0\x9f",
        b"{\"id\": 1.0}\r\n\n \xff\x00{\n\xf0\x9f",
        "",
        0,
    ),
    ("nothing", "cat", b"", b"", "", 0),
    ("standard error and the exit code", "cat; echo oops >&2; exit 7", b"a\n", b"a\n", "oops\n", 7),
    ("a signal", "read -r line; kill -9 $$", b"a\n", b"", "", 137),
    ("a server that reads nothing", "echo hello; exit 3", b"a\n", b"hello\n", "", 3),
    ("a server that closes its input", "exec 0<&-; echo hello", b"a\n", b"hello\n", "", 0),
    ("a server that closes its output", "read -r line; exec 1>&-; exit 4", b"a\n", b"", "", 4),
    (
        "a server that answers after the end of its input",
        "cat >/dev/null; echo bye",
        b"a\n",
        b"bye\n",
        "",
        0,
    ),
];

#[test]
fn everything_passes_as_it_does_without_a_recorder() {
    for (what, server, sent, answered, said, code) in PASSES {
        let place = Place::new();
        let mut child = recorded(&place, server).spawn().expect("the program starts");
        // A server may end before it is sent anything.
        let _ = child.stdin.take().expect("a pipe").write_all(sent);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.stdout, answered, "{what}");
        let ran = ran(&output);
        assert_eq!((ran.err.as_str(), ran.code), (said, Some(code)), "{what}");
    }
}

#[test]
fn megabytes_pass_both_ways_while_the_client_reads_late() {
    let place = Place::new();
    let mut child = recorded(&place, "cat").spawn().expect("the program starts");
    let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\"}}\n", "x".repeat(5 << 20));
    let (mut input, sent) = (child.stdin.take().expect("a pipe"), line.clone());
    let writer = std::thread::spawn(move || input.write_all(sent.as_bytes()).expect("it is read"));
    let mut answer = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut answer).expect("it is written");
    writer.join().expect("all was sent");
    assert!(answer == line.as_bytes(), "{} bytes came back", answer.len());
    let said = ran(&child.wait_with_output().expect("it ends")).ended_with(0).err;
    assert_eq!(said.lines().count(), 1, "it is said once that messages are too long: {said}");
}

#[test]
fn a_recording_is_its_owners_alone_and_is_read_as_it_is() {
    let place = Place::new();
    let server = r#"read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}'; read -r line"#;
    let mut child = recorded(&place, server).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let call =
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"get","arguments":{}}}"#;
    for id in ["1", "2"] {
        writeln!(input, "{}", call.replace("ID", id)).expect("it is read");
    }
    drop(input);
    ran(&child.wait_with_output().expect("it ends")).ended_with(0);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&tapes(&place)), mode(&file_of(&place))), (0o700, 0o600));
    tapecheck(&[Path::new("run"), &tapes(&place), Path::new("--out"), &place.out()])
        .ended_with(0)
        .printing("2 calls from 1 recording")
        .printing("worked       1");
}

#[test]
fn what_a_person_calls_a_server_goes_before_what_it_calls_itself() {
    let name = r#"{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"postgres"}}}"#;
    for (shows, members, server) in [
        ("by nothing", "", "postgres"),
        ("by a gateway", r#""server":"gateway","#, "postgres"),
        ("by a person", r#""called":"stock","#, "stock"),
        ("by both", r#""called":"stock","server":"gateway","#, "stock"),
        ("by no text", r#""called":null,"server":"gateway","#, "postgres"),
    ] {
        let place = Place::new();
        let line =
            |dir: &str, message: &str| format!(r#"{{"dir":"{dir}",{members}"msg":{message}}}"#);
        place.recording(
            "a.jsonl",
            lines(&[
                line("c2s", r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#),
                line("s2c", name),
                line(
                    "c2s",
                    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get"}}"#,
                ),
                line("s2c", r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#),
            ]),
        );
        place.run(&[]).ended_with(0);
        assert_eq!(place.each("server"), [server], "called {shows}");
    }
}

#[test]
fn a_call_that_waits_at_a_gap_may_have_been_answered_there() {
    let place = Place::new();
    let call = |id: u8| {
        format!(
            r#"{{"dir":"c2s","session":"s","msg":{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"get"}}}}}}"#
        )
    };
    let answer =
        r#"{"dir":"s2c","session":"s","msg":{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}}"#;
    let gap = r#"{"dir":"s2c","session":"s","gap":{"messages":1}}"#;
    let answer = |id: &str| answer.replace("ID", id);
    for (shows, with, told) in [
        ("without a gap it was not answered", "", "failed       1"),
        ("with one nobody knows", gap, "unknown      1           1 not recorded"),
    ] {
        let all = [call(1), call(2), with.to_owned(), answer("2"), answer("9")];
        place.recording(
            "a.jsonl",
            lines(&all.map(|line| if line.is_empty() { " ".into() } else { line })),
        );
        let ran =
            tapecheck(&[Path::new("run"), &place.recordings(), Path::new("--out"), &place.out()]);
        assert!(ran.out.contains(told), "{shows}:\n{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_command_that_cannot_be_started_ends_as_in_a_shell() {
    let place = Place::new();
    for (command, code) in [("no-such-server", 127), ("/dev/null", 126)] {
        let out = tapes(&place);
        let words = ["record", "--out", out.to_str().expect("UTF-8"), "--", command];
        tapecheck(&words).ended_with(code).complaining("cannot start the server");
    }
}

#[test]
fn a_folder_that_cannot_be_written_stops_nobody() {
    let place = Place::new();
    fs::write(tapes(&place), "").expect("a file in the place of the folder");
    let mut child = recorded(&place, "cat").spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(b"a\nb\n").expect("it is read");
    let ran = ran(&child.wait_with_output().expect("it ends")).ended_with(0);
    assert_eq!(ran.out, "a\nb\n");
    assert!(ran.err.contains("the server runs on unrecorded"), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn a_file_that_may_not_grow_stops_nobody() {
    let place = Place::new();
    let binary = env!("CARGO_BIN_EXE_tapecheck");
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -f 8; exec \"$0\" record --out \"$1\" -- cat"])
        .args([Path::new(binary), &tapes(&place)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..30 {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{}\"}}\n", "x".repeat(1_000));
        input.write_all(line.as_bytes()).expect("it is read");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("it is written");
        assert_eq!(answer, line);
    }
    drop(input);
    let ran = ran(&child.wait_with_output().expect("it ends")).ended_with(0);
    assert!(ran.err.contains("the server runs on unrecorded"), "{}", ran.err);
    let text = fs::read_to_string(file_of(&place)).expect("a file");
    assert!(text.ends_with("}\n") && text.len() <= 8 << 10, "whole lines: {}", text.len());
}

/// Servers, as trees of processes; each writes the ids of its processes into `$PIDS`.
const TREES: [(&str, &str); 4] = [
    ("ends with its input", "echo $$ >>$PIDS; echo up; cat >/dev/null"),
    (
        "has a child that ends with its input",
        "echo $$ >>$PIDS; sh -c 'echo $$ >>$PIDS; echo up; cat >/dev/null'; true",
    ),
    ("ignores the end of its input", "echo $$ >>$PIDS; echo up; while :; do sleep 0.1; done"),
    (
        "ignores all but the last signal, and so does its child",
        "trap '' TERM INT HUP; (echo $$ >>$PIDS; while :; do sleep 0.1; done) & echo $! >>$PIDS; echo up; while :; do sleep 0.1; done",
    ),
];

/// Ways in which the end begins, and whether those trees end that take no notice of the end of their input.
const ENDS: [(&str, bool); 5] =
    [("client", true), ("TERM", true), ("INT", true), ("HUP", true), ("KILL", false)];

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", name, &pid]).status().expect("kill").success());
}

/// Whether a process runs; one that has ended and was not asked for its status does not.
#[cfg(target_os = "linux")]
fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[test]
#[cfg(target_os = "linux")]
fn no_process_of_a_server_is_left_whoever_ends_first() {
    for (tree, server) in TREES {
        for (end, ends_all) in ENDS {
            if !ends_all && tree.starts_with("ignores") {
                continue;
            }
            let place = Place::new();
            let pids = place.root().join("pids");
            let mut child = recorded(&place, server).env("PIDS", &pids).spawn().expect("it starts");
            let mut up = String::new();
            let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
            output.read_line(&mut up).expect("the server is up");
            let has_it = |file: fs::DirEntry| {
                fs::read_to_string(file.path()).is_ok_and(|text| text.contains(r#""raw":"up""#))
            };
            while !fs::read_dir(tapes(&place)).into_iter().flatten().flatten().any(has_it) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if end == "client" {
                drop(child.stdin.take());
            } else {
                signal(&child, end);
            }
            let (input, status) = (child.stdin.take(), child.wait().expect("it ends"));
            // The client may keep its end open.
            drop(input);
            let begun = Instant::now();
            for pid in fs::read_to_string(&pids).expect("ids").lines() {
                while runs(pid) {
                    let is_late = begun.elapsed() > Duration::from_secs(30);
                    assert!(!is_late, "a server that {tree} runs after {end}: {status}");
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            let text = fs::read_to_string(file_of(&place)).expect("a file");
            assert!(text.ends_with("}\n"), "{tree}, {end}: {text}");
        }
    }
}

/// Settings of a client, and the same with a recorder in front of each command.
const SETTINGS: [(&str, &str, &str); 8] = [
    (
        "one line",
        r#"{"mcpServers":{"memory":{"command":"npx","args":["-y","pkg"],"env":{"A":"b"}}}}"#,
        r#"{"mcpServers":{"memory":{"command":"BIN","args":["record", "--out", "OUT", "--server=memory", "--", "npx", "-y","pkg"],"env":{"A":"b"}}}}"#,
    ),
    (
        "comments, commas behind the last, another kind of server",
        "{\n  // mine\n  \"servers\": {\n    \"a\": { \"type\": \"stdio\", \"command\": \"uvx\", \"args\": [\n      \"pkg\", // \"it\"\n    ], },\n    \"web\": { \"url\": \"http://127.0.0.1/mcp\" },\n  },\n}\n",
        "{\n  // mine\n  \"servers\": {\n    \"a\": { \"type\": \"stdio\", \"command\": \"BIN\", \"args\": [\"record\", \"--out\", \"OUT\", \"--server=a\", \"--\", \"uvx\",\n      \"pkg\", // \"it\"\n    ], },\n    \"web\": { \"url\": \"http://127.0.0.1/mcp\" },\n  },\n}\n",
    ),
    (
        "without arguments",
        r#"{"mcpServers": {"b": {"args": [], "command": "b\"c"}}}"#,
        r#"{"mcpServers": {"b": {"args": ["record", "--out", "OUT", "--server=b", "--", "b\"c"], "command": "BIN"}}}"#,
    ),
    (
        "a mark of the order of bytes, comments behind the last comma, arguments that are no list, a server by its url",
        "\u{feff}{\"servers\": {\r\n\"a\": {\"args\": null, \"command\": \"a\"},\r\n\"u\": {\"url\": \"http://h\"},\r\n\"b\": {\"command\": \"b\", \"args\": [\"//x\", /* é */ ]}, // é\r\n}}",
        "\u{feff}{\"servers\": {\r\n\"a\": {\"args\": null, \"command\": \"a\"},\r\n\"u\": {\"url\": \"http://h\"},\r\n\"b\": {\"command\": \"BIN\", \"args\": [\"record\", \"--out\", \"OUT\", \"--server=b\", \"--\", \"b\", \"//x\", /* é */ ]}, // é\r\n}}",
    ),
    (
        "comments around arguments, and one that names brackets",
        "{\"mcpServers\": {\"a\": {\"command\": \"npx\", /* c */ \"args\": [/*1*/\"x\"/*2*/,/*3*/] /* d */ }, // see [docs]\n // \"off\": {},\n}}",
        "{\"mcpServers\": {\"a\": {\"command\": \"BIN\", /* c */ \"args\": [\"record\", \"--out\", \"OUT\", \"--server=a\", \"--\", \"npx\", /*1*/\"x\"/*2*/,/*3*/] /* d */ }, // see [docs]\n // \"off\": {},\n}}",
    ),
    (
        "a name like an option, and a server behind a comment",
        r#"{"mcpServers": {"--": {"command": "a", "args": []}, /* one */ "-x": {"command": "b", "args": ["--", "c"]}, /* two */ }}"#,
        r#"{"mcpServers": {"--": {"command": "BIN", "args": ["record", "--out", "OUT", "--server=--", "--", "a"]}, /* one */ "-x": {"command": "BIN", "args": ["record", "--out", "OUT", "--server=-x", "--", "b", "--", "c"]}, /* two */ }}"#,
    ),
    (
        "no arguments",
        r#"{"mcpServers": {"e": {"command": "e", "env": {}}}}"#,
        r#"{"mcpServers": {"e": {"command": "BIN", "args":["record", "--out", "OUT", "--server=e", "--", "e"], "env": {}}}}"#,
    ),
    (
        "in a project",
        r#"{"projects": {"/p": {"mcpServers": {"d": {"command": "d", "args": ["x"]}}}}}"#,
        r#"{"projects": {"/p": {"mcpServers": {"d": {"command": "BIN", "args": ["record", "--out", "OUT", "--server=d", "--", "d", "x"]}}}}}"#,
    ),
];

#[test]
fn settings_of_clients_are_wrapped_and_unwrapped_once_and_else_stay_as_they_are() {
    for (shows, before, wrapped) in SETTINGS {
        let place = Place::new();
        place.write("mcp.json", before);
        let file = place.path("mcp.json");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        let record = |words: &[&str]| {
            let out = [std::ffi::OsString::from("--out"), place.path("tapes").into_os_string()];
            let out = if words == ["wrap"] { &out[..] } else { &[] };
            finish(program().arg("record").args(words).arg(&file).args(out)).ended_with(0)
        };
        let now = || fs::read_to_string(&file).expect("a file");
        let told = record(&["wrap"]).printing("+ ").printing("backup");
        let tapes = place.path("tapes").display().to_string();
        let binary = env!("CARGO_BIN_EXE_tapecheck");
        let expected = wrapped.replace("BIN", binary).replace("OUT", &tapes);
        assert_eq!(now(), expected, "{shows}: {}{}", told.out, told.err);
        assert_eq!(told.err.is_empty(), !before.contains("url"), "{shows}: {}", told.err);
        record(&["wrap"]).printing("nothing to change");
        assert_eq!(now(), expected, "{shows}: wrapped again");
        record(&["unwrap"]).printing("- ");
        assert_eq!(now(), before, "{shows}: unwrapped");
        record(&["unwrap"]).printing("nothing to change");
        let files =
            fs::read_dir(place.root()).expect("a folder").map(|it| it.expect("an entry").path());
        let backups = files.filter(|path| path.extension().is_some_and(|it| it == "backup"));
        let mut kept: Vec<_> =
            backups.map(|path| fs::read_to_string(path).expect("a file")).collect();
        kept.sort_by_key(String::len);
        assert_eq!(kept, [before, &expected], "{shows}: both are kept");
        let mode = fs::metadata(&file).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o640, "{shows}");
    }
}

#[test]
fn settings_that_are_not_clear_are_left_alone() {
    for (settings, words, complaint) in [
        ("{", &["wrap"][..], "this is not JSON"),
        (
            r#"{"mcpServers":{"a":{"command":"a"}}}"#,
            &["wrap", "--server", "b"],
            "no server is named b; servers in this file: a",
        ),
    ] {
        let place = Place::new();
        place.write("mcp.json", settings);
        let file = place.path("mcp.json");
        finish(program().arg("record").args(words).arg(&file)).ended_with(2).complaining(complaint);
        assert_eq!(fs::read_to_string(&file).expect("a file"), settings);
    }
    let place = Place::new();
    let found = |words: &[&str]| {
        let home = place.path("home");
        finish(program().args(words).current_dir(place.root()).env("HOME", home))
    };
    found(&["record", "unwrap"]).ended_with(2).complaining("no settings of Claude Desktop");
    for (count, name) in [".mcp.json", "home/.cursor/mcp.json"].into_iter().enumerate() {
        let file = place.path(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(&file, "{}").expect("a file");
        let ran = found(&["record", "wrap"]);
        if count == 0 {
            ran.ended_with(0).printing("no servers in .mcp.json");
        } else {
            ran.ended_with(2).complaining("several are there: .mcp.json, ");
        }
    }
}
