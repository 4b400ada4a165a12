//! Recordings that are broken in some way. Each is judged beside a good one, which must not suffer.

#[cfg(unix)]
use crate::harness::finish_working;
use crate::harness::{Place, good, gzip, lines, zstd};

/// A broken recording, judged beside a good one.
struct Case {
    place: Place,
    name: &'static str,
}

/// Judges a broken recording beside a good one.
#[track_caller]
fn judged(name: &'static str, content: impl AsRef<[u8]>) -> Case {
    judged_with(name, content, &[])
}

#[track_caller]
fn judged_with(name: &'static str, content: impl AsRef<[u8]>, more: &[&str]) -> Case {
    let place = Place::with_good_recording();
    place.recording(name, content);
    place.run(more).ended_with(0);
    place.lost_nothing();
    Case { place, name }
}

impl Case {
    /// Asserts which lines of the broken recording were rejected, and why. No line: the whole file.
    #[track_caller]
    fn unreadable(self, expected: &[(&str, &str)]) -> Self {
        let unreadable = self.place.unreadable();
        let found: Vec<(&str, &str)> =
            unreadable.iter().map(|row| (row.line.as_str(), row.reason.as_str())).collect();
        assert_eq!(found, expected, "the unreadable of {} are others: {unreadable:#?}", self.name);
        assert!(unreadable.iter().all(|row| row.file == self.name), "wrong file: {unreadable:#?}");
        self
    }

    /// Asserts that the detail of the first reject says this.
    #[track_caller]
    fn saying(self, expected: &str) -> Self {
        let unreadable = self.place.unreadable();
        assert!(unreadable[0].detail.contains(expected), "`{expected}` not in {unreadable:#?}");
        self
    }

    /// Asserts which exchanges of the broken recording were judged all the same.
    #[track_caller]
    fn judges(self, expected: &[&str]) -> Self {
        let mut ids = self.place.ids();
        ids.retain(|id| !id.starts_with("good-"));
        assert_eq!(ids, expected, "other calls of {} were judged", self.name);
        self
    }

    /// Asserts that the file was taken for something that is no recording.
    #[track_caller]
    fn taken_for(self, kind: &str, detail: &str) -> Self {
        let files = self.place.other_files();
        let (found, why) = files.get(self.name).expect("the file is named in the summary");
        assert_eq!((found.as_str(), why.as_str()), (kind, detail));
        self
    }
}

/// Bytes that look random and compress badly.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..length).map(step).collect()
}

/// A recording that does not fit into one block, and hardly compresses.
fn large_recording() -> (String, usize) {
    let noise = noise(3_000_000);
    let line = |(at, chunk): (usize, &[u8])| {
        let hex = chunk.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        format!(r#"{{"id":"n-{at}","tool":"get","input":{{}},"response":{{"hex":"{hex}"}}}}"#)
    };
    let recording: Vec<String> = noise.chunks(2_000).enumerate().map(line).collect();
    (lines(&recording), recording.len())
}

#[test]
fn empty_files() {
    judged("empty.jsonl", "").unreadable(&[]).taken_for("empty file", "no content");
    judged("blank.jsonl", " \n\t\r\n").unreadable(&[]).taken_for("empty file", "no content");
    judged("empty.jsonl.gz", gzip(b"")).taken_for("empty file", "no content");
    judged("empty.jsonl.zst", zstd(b"")).taken_for("empty file", "no content");
    judged("mark.jsonl", "\u{feff}").taken_for("empty file", "no content");
}

#[test]
fn nothing_but_blanks_for_a_long_way() {
    judged("blanks.jsonl", vec![b' '; 17 << 20]).taken_for("empty file", "no content");
}

#[test]
fn a_recording_may_begin_behind_any_amount_of_white_space() {
    let recording = format!("{}\nnot json\n", lines(&[good("a"), good("b")]).trim_end());
    for blank in [b' ', b'\n'] {
        let before = vec![blank; (2 << 20) + 7];
        // Lines before the first record are counted.
        let line = if blank == b'\n' { before.len() + 3 } else { 3 }.to_string();
        judged("late.jsonl", [&before[..], recording.as_bytes()].concat())
            .judges(&["a", "b"])
            .unreadable(&[(&line, "not_json")]);
    }
}

#[test]
fn zstandard_may_begin_with_a_skippable_frame() {
    for first in [0x50, 0x5f] {
        let skippable = [first, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, b'n', b'o', b't', b'e'];
        let packed = zstd(lines(&[good("a"), good("b")]).as_bytes());
        judged("noted.jsonl.zst", [&skippable[..], &packed].concat())
            .judges(&["a", "b"])
            .unreadable(&[]);
    }
}

#[test]
fn binary_files() {
    let mut binary = noise(100_000);
    binary[..4].copy_from_slice(b"\x7fELF");
    judged("program", &binary).unreadable(&[]).taken_for("unknown file", "binary data");
    judged("packed.gz", gzip(&binary)).taken_for("unknown file", "binary data");
    // What calls itself a recording is read as one, whatever is in it.
    let case = judged("program.jsonl", &binary);
    let unreadable = case.place.unreadable();
    assert!(unreadable.len() > 100 && unreadable.iter().all(|row| row.file == "program.jsonl"));
}

#[test]
fn texts_that_are_no_recordings() {
    judged("notes.txt", "# Notes\n").taken_for("unknown file", "no JSON records");
    judged("config.json", "{\"a\":1}")
        .taken_for("unknown file", "JSON, but not a record of a known format: its members are a");
    let wide: Vec<u8> =
        b"\xff\xfe".iter().copied().chain(good("x").bytes().flat_map(|byte| [byte, 0])).collect();
    judged("wide.jsonl", wide).taken_for("unknown file", "UTF-16 text; convert it to UTF-8");
}

#[test]
fn compressed_recordings_that_end_too_early() {
    let (recording, length) = large_recording();
    for (name, whole) in [
        ("cut.jsonl.gz", gzip(recording.as_bytes())),
        ("cut.jsonl.zst", zstd(recording.as_bytes())),
    ] {
        let case = judged(name, &whole[..whole.len() / 2]).saying("the data ends inside this line");
        let unreadable = case.place.unreadable();
        let reasons: Vec<&str> = unreadable.iter().map(|row| row.reason.as_str()).collect();
        assert_eq!(reasons, ["cut_short", "corrupt"], "{unreadable:#?}");
        assert!(unreadable[1].detail.contains("ends too early"), "{unreadable:#?}");
        let judged = case.place.ids().len() - 3;
        assert!(
            judged > length / 4 && judged < length,
            "about half of the {length} calls can be read, but {judged} were judged"
        );
        assert_eq!(
            unreadable[0].line,
            (judged + 1).to_string(),
            "the torn line follows the others"
        );
    }
    judged("cut.gz", &gzip(recording.as_bytes())[..6]).unreadable(&[("", "corrupt")]);
    judged("head.zst", b"\x28\xb5\x2f\xfd").unreadable(&[("", "corrupt")]);
}

#[test]
fn damage_in_the_middle_of_compressed_recordings() {
    let (recording, _) = large_recording();
    for (name, mut whole) in [
        ("hit.jsonl.gz", gzip(recording.as_bytes())),
        ("hit.jsonl.zst", zstd(recording.as_bytes())),
    ] {
        let middle = whole.len() / 2;
        whole[middle..middle + 64].fill(0xff);
        let case = judged(name, &whole);
        let unreadable = case.place.unreadable();
        assert!(
            unreadable.iter().any(|row| row.reason == "corrupt" && row.line.is_empty()),
            "the damage is not reported: {unreadable:#?}"
        );
    }
}

#[test]
fn garbage_behind_a_compressed_recording() {
    let mut recording = gzip(lines(&[good("a"), good("b")]).as_bytes());
    recording.extend_from_slice(b"garbage");
    judged("a.jsonl.gz", recording).judges(&["a", "b"]).unreadable(&[("", "corrupt")]);
}

#[test]
fn decompression_bombs() {
    let bomb = vec![b' '; 15 << 20];
    for (name, packed) in [("bomb.jsonl.gz", gzip(&bomb)), ("bomb.jsonl.zst", zstd(&bomb))] {
        judged(name, &packed)
            .unreadable(&[("", "decompression_bomb")])
            .saying("bounds.max_ratio 250");
    }
    // A bomb behind honest lines costs only itself.
    let mut recording = lines(&[good("a"), good("b")]).into_bytes();
    recording.extend_from_slice(&bomb);
    let case = judged("late.jsonl.gz", gzip(&recording));
    let last = case.place.unreadable().pop().expect("a reject");
    assert_eq!(last.reason, "decompression_bomb");
    case.judges(&["a", "b"]);
}

#[test]
fn a_repetitive_but_honest_recording_is_no_bomb_when_the_bound_is_raised() {
    let recording = lines(&vec![good(&"a".repeat(1_000)); 4_000]);
    let packed = zstd(recording.as_bytes());
    assert!(
        recording.len() / packed.len() > 250 && recording.len() > 8 << 20,
        "alarming, but honest"
    );
    let case = judged_with("many.jsonl.zst", &packed, &["--config=bounds.max_ratio=1000000"])
        .unreadable(&[]);
    assert_eq!(case.place.ids().len(), 4_003);
}

#[test]
fn a_long_line() {
    let long = format!(
        r#"{{"id":"long","tool":"get","input":{{}},"response":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
        "x".repeat(5_000_000)
    );
    let recording = lines(&[good("before"), long, good("after")]);
    judged("long.jsonl", &recording).unreadable(&[]).judges(&["before", "long", "after"]);
    for bound in ["1000", "1500000", "4999999"] {
        let case =
            judged_with("long.jsonl", &recording, &[&format!("--config=bounds.max_line={bound}")])
                .unreadable(&[("2", "too_long")])
                .saying(&format!("the bound is {bound} (bounds.max_line)"))
                .judges(&["before", "after"]);
        let reject = &case.place.unreadable()[0];
        assert_eq!(reject.byte, (good("before").len() + 1).to_string());
        assert_eq!(reject.head.chars().count(), 200, "a head has 200 characters");
    }
    let document = format!(
        "[{},\n{},\n{}]",
        good("before"),
        recording.lines().nth(1).expect("long"),
        good("after")
    );
    judged_with("long.json", document, &["--config=bounds.max_line=1000000"])
        .unreadable(&[("2", "too_long")])
        .judges(&["before", "after"]);
}

#[test]
fn a_long_line_that_ends_the_recording() {
    for end in ["", "\n"] {
        let recording = format!("{}\n{}{end}", good("before"), "x".repeat(3_000_000));
        judged_with("long.jsonl", recording, &["--config=bounds.max_line=100000"])
            .unreadable(&[("2", "too_long")])
            .judges(&["before"]);
    }
    let cut = format!("[{},\n{{\"x\":\"{}", good("before"), "x".repeat(3_000_000));
    judged_with("cut.json", cut, &["--config=bounds.max_line=100000"])
        .unreadable(&[("2", "too_long")])
        .judges(&["before"]);
}

fn nest(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

/// A tool whose schema walks down any depth.
const ENDLESS: &str = r##"{"name":"get","outputSchema":{"$defs":{"list":{"type":"array","items":{"$ref":"#/$defs/list"}}},"$ref":"#/$defs/list"}}"##;

#[test]
fn nesting_of_a_line() {
    let recording = lines(&[
        good("before"),
        format!(r#"{{"id":"deep","tool":"get","input":{},"response":{{}}}}"#, nest(10_000)),
        format!(r#"{{"id":"less","tool":"get","input":{},"response":{{}}}}"#, nest(4_000)),
        good("after"),
    ]);
    judged("deep.jsonl", &recording)
        .unreadable(&[("2", "too_deep")])
        .judges(&["before", "less", "after"]);
    judged_with("deep.jsonl", &recording, &["--config=bounds.max_depth=100"])
        .unreadable(&[("2", "too_deep"), ("3", "too_deep")])
        .judges(&["before", "after"]);
}

#[test]
fn nesting_against_an_output_schema() {
    let text = |depth| {
        format!(
            r#"{{"id":"text","tool":{ENDLESS},"input":{{}},"response":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
            nest(depth)
        )
    };
    let structured = format!(
        r#"{{"id":"structured","tool":{ENDLESS},"input":{{}},"response":{{"structuredContent":{}}}}}"#,
        nest(4_000)
    );
    let recording = lines(&[good("before"), text(10_000), text(4_000), structured, good("after")]);
    let case = judged("deep.jsonl", recording).unreadable(&[]).judges(&[
        "before",
        "text",
        "text",
        "structured",
        "after",
    ]);
    // The same, one by one, as `explain` shows them.
    let recording = case.place.recordings().join("deep.jsonl");
    for line in 1..=5 {
        let place = format!("{}:{line}", recording.display());
        crate::harness::tapecheck(&["explain", &place]).ended_with(0);
    }
}

#[test]
fn documents_inside_documents() {
    let mut nested = good("inner");
    for _ in 0..1_000 {
        nested = format!(r#"{{"records":[{nested}]}}"#);
    }
    judged("nested.json", nested).unreadable(&[("1", "unrecognised")]).saying("inside a document");
    let tools = r#"[{"name":"get","outputSchema":{"type":"string"}}]"#;
    let with_tools = format!(r#"{{"tools":{tools},"exchanges":[{}]}}"#, good("a"));
    let case = judged("tools.json-document", with_tools).unreadable(&[]).judges(&["a"]);
    let issues = case.place.verdicts();
    let listed = issues.iter().find(|verdict| verdict["id"] == "a").expect("a verdict");
    assert_eq!(listed["issues"][0]["type"], "no_structured_output", "its tool is known: {listed}");
}

#[test]
fn text_that_is_not_utf_8() {
    let mut recording = lines(&[good("before")]).into_bytes();
    recording.extend_from_slice(
        b"{\"id\":\"\xff\xfe\",\"tool\":\"get\",\"input\":{},\"response\":{}}\n",
    );
    recording.extend_from_slice(b"\xc3\n");
    recording.extend_from_slice(lines(&[good("after")]).as_bytes());
    judged("bytes.jsonl", &recording)
        .unreadable(&[("2", "not_utf8"), ("3", "not_utf8")])
        .judges(&["before", "after"]);
}

#[test]
fn files_beside_a_recording_that_are_too_long() {
    let place = Place::with_good_recording();
    let call = r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get"}}}"#;
    place.recording("below/wire.jsonl", lines(&[call]));
    place.recording("below/also.jsonl", lines(&[good("also")]));
    let scenario = lines(&[r#"{"id":7,"scenario":"edge"}"#]);
    for (name, beginning) in
        [("wire.scenarios.jsonl", scenario.as_str()), ("tools.json", "[{\"name\":\"get\"},")]
    {
        let path = place.recording(&format!("below/{name}"), beginning);
        let file = std::fs::OpenOptions::new().write(true).open(path).expect("a file");
        file.set_len(65 << 20).expect("a file full of nothing");
    }
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    let mut unreadable = place.unreadable();
    unreadable.retain(|reject| reject.reason == "sidecar_too_long");
    let files: Vec<(&str, &str)> =
        unreadable.iter().map(|row| (row.file.as_str(), row.line.as_str())).collect();
    assert_eq!(files, [("below/tools.json", ""), ("below/wire.scenarios.jsonl", "")]);
    assert_eq!(unreadable[0].detail, "larger than 67108864 bytes");
    assert!(place.each("scenario").contains(&"edge".to_owned()), "what lies before it is used");
}

#[test]
fn line_ends_and_marks() {
    let windows = format!("\u{feff}{}\r\n\r\n{}\r\n", good("a"), good("b"));
    let case = judged("windows.jsonl", windows).unreadable(&[]).judges(&["a", "b"]);
    let summary = case.place.json("summary.json");
    assert_eq!(summary["traffic"]["(blank line)"], 1);
    judged("unended.jsonl", format!("{}\n{}", good("a"), good("b"))).judges(&["a", "b"]);
    judged("spaced.jsonl", format!("\n\n  {}  \n\n\t{}", good("a"), good("b"))).judges(&["a", "b"]);
    judged("old-mac.jsonl", format!("{}\r{}\r", good("a"), good("b")))
        .unreadable(&[("1", "not_json")]);
    judged("mark-array.json", format!("\u{feff}[{}]", good("a"))).judges(&["a"]);
    // A mark where one file was appended to another.
    judged("joined.jsonl", format!("{}\n\u{feff}{}\n", good("a"), good("b"))).judges(&["a", "b"]);
}

#[test]
fn strange_json() {
    let record = |id: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","tool":"get","input":{{"of":1e400,"of":-0.0}},"response":{{"isError":false,"isError":true,"content":[{{"type":"text","text":{text}}}]}}}}"#
        )
    };
    let recording = lines(&[
        record("surrogates", r#""\ud83d and \udc00""#),
        record("huge", r"1e400"),
        record("nul", r#""a\u0000b""#),
        record("digits", &"9".repeat(10_000)),
        r#"{"id":1e400,"tool":"get","input":{},"response":{},"duration_ms":1e400}"#.to_owned(),
        r#"{"id":"\ud800","tool":"\udfff","input":{},"response":{}}"#.to_owned(),
        "{\"id\":\"x\0\",\"tool\":\"get\",\"input\":{},\"response\":{}}".to_owned(),
        "\0\0\0\0".to_owned(),
        r#"{"id":NaN,"tool":"get","input":{},"response":{}}"#.to_owned(),
        good("after"),
    ]);
    let case = judged("strange.jsonl", recording)
        .unreadable(&[("7", "not_json"), ("8", "not_json"), ("9", "not_json")])
        .judges(&["surrogates", "huge", "nul", "digits", "1e400", "\u{fffd}", "after"]);
    let twice = case.place.verdicts().into_iter().find(|verdict| verdict["id"] == "surrogates");
    assert_eq!(twice.expect("judged")["is_error"], true, "the last of equal members counts");
}

/// Work that grows with the square of the recording would take many times what is allowed.
#[cfg(unix)]
#[test]
fn much_of_everything_is_little_work() {
    let judged = |name: &'static str, content: String| {
        let place = Place::with_good_recording();
        place.recording(name, content);
        finish_working(&place.command(), 100).ended_with(0);
        place.lost_nothing();
        Case { place, name }
    };
    let types: Vec<String> = (0..300_000).map(|at| format!("{{\"type\":\"t{at}\"}}")).collect();
    let members: Vec<String> = (0..300_000).map(|at| format!("\"m{at}\":{at}")).collect();
    let record = |response: String| {
        format!(r#"{{"id":"many","tool":"get","input":{{}},"response":{response}}}"#)
    };
    let call = r#"{"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get"}}}"#;
    let case = judged(
        "many.jsonl",
        lines(&[
            record(format!("{{\"content\":[{}]}}", types.join(","))),
            record(format!("{{\"isError\":true,\"content\":[{}]}}", types.join(","))),
            record(format!("{{\"structuredContent\":{{{}}}}}", members.join(","))),
            record(format!("{{{}}}", members.join(","))),
        ]),
    );
    case.unreadable(&[]).judges(&["many"; 4]);
    let case = judged("calls.jsonl", lines(&vec![call; 30_000]));
    assert_eq!(case.place.ids().len(), 30_003, "calls without an answer are judged, too");
}

#[test]
fn a_recording_under_log_lines() {
    let mut recording: Vec<String> =
        (0..300).map(|at| format!("{{\"level\":\"info\",\"n\":{at}}}")).collect();
    recording.push(good("late"));
    let case = judged("logged.jsonl", lines(&recording)).judges(&["late"]);
    assert_eq!(case.place.unreadable().len(), 300, "each line of log is accounted for");
    let mut recording: Vec<String> = (0..300).map(|at| format!("INFO listening {at}")).collect();
    recording.push(good("late"));
    judged("logged.txt", lines(&recording)).judges(&["late"]);
}

#[test]
fn values_where_records_should_be() {
    let recording = lines(&[
        good("before").as_str(),
        "[]",
        "{}",
        "null",
        "\"text\"",
        "-",
        "[[[]]]",
        r#"{"exchanges":[]}"#,
        r#"{"dir":"c2s","msg":[]}"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"tool":{"name":[]},"input":[],"response":[]}"#,
        r#"{"tool":null,"input":null,"response":null}"#,
        r#"{"response":"text"}"#,
        r#"{"response":{"content":{"type":"text"},"structuredContent":7,"_meta":[],"isError":"no"}}"#,
        r#"{"response":{"error":"text","result":{}}}"#,
        good("after").as_str(),
    ]);
    judged("values.jsonl", recording);
}

#[cfg(unix)]
#[test]
fn a_hundred_thousand_wrong_keys_are_refused_at_once_and_in_few_lines() {
    let place = Place::with_good_recording();
    let keys: Vec<String> = (0..100_000).map(|at| format!("key{at} = 1")).collect();
    place.write("mine.toml", &format!("extends = \"guide\"\n{}", lines(&keys)));
    place.write("long.toml", &format!("extends = \"guide\"\nnope = \"{}\"\n", "a".repeat(1 << 20)));
    for name in ["mine.toml", "long.toml"] {
        let mut command = place.command();
        command.arg("--rulebook").arg(place.path(name));
        let ran = finish_working(&command, 20).ended_with(2).complaining("unknown key");
        assert!(ran.err.len() < 10_000, "{name}: {} bytes", ran.err.len());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_no_file_of_labels_or_rules() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let run = place.out();
    let run = run.to_str().expect("UTF-8");
    let device = "/dev/zero";
    let refused = |arguments: &[&str], code: i32, why: &str| {
        let mut command = crate::harness::program();
        finish_working(command.args(arguments), 5).ended_with(code).complaining(why);
    };
    refused(&["stats", run, "--labels", device], 3, "it is not a file");
    refused(
        &["label", "add", run, "good.jsonl:1", "worked", "--labels", device],
        3,
        "it is not a file",
    );
    let rules = ["run", run, "--config", "redact=[\"/dev/zero\"]"];
    refused(&rules, 2, "it is longer than");
}
