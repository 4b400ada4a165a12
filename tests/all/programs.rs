//! Files that programs wrote: each call in them once, with what the program kept of its reply.

use crate::cases;
use crate::harness::{Place, finish, gzip, paths_in, program, tapecheck, tapecheck_reading};
use crate::review::terminal::Terminal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tapecheck::internals::json::RawStr;
use tapecheck::internals::program::{Head, PROGRAMS, recognise};
use tapecheck::internals::recording::{Block, Fate};
use tapecheck::{Bounds, CorpusReader, Exchange, Input, Reply, for_each_exchange};

/// Formats in which calls are only read when the format is named.
const NAMED: [&str; 3] = ["langsmith", "langfuse", "phoenix"];

/// What is made of each call of a folder.
fn calls<T: Send>(
    folder: &Path,
    read_as: Option<&'static str>,
    each: impl Fn(&Exchange<'_>) -> T + Send + Sync,
) -> Vec<T> {
    let bounds = Bounds { read_as, ..Bounds::default() };
    let inputs: Vec<Input> = files(folder).into_iter().map(Input::Path).collect();
    let reader = CorpusReader::new(&inputs, bounds).expect("the folder is there");
    let mut found = Vec::new();
    for_each_exchange(reader, &bounds, |located| {
        found.push(each(located.as_recorded()));
        ControlFlow::<()>::Continue(())
    })
    .expect("threads start");
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = paths_in(folder);
    found.retain(|path| !path.ends_with("expected.json"));
    found
}

/// The calls of files, each as `SERVER/TOOL ARGUMENTS: WHAT CAME BACK`, with what is known of them besides.
fn read(folder: &Path, program: &'static str, marks: &str) -> String {
    let read_as = marks.contains("whose format is named").then_some(program);
    let with_times = marks.contains("with times");
    let with_sessions = marks.contains("with sessions");
    let found = calls(folder, read_as, |exchange| {
        let at = exchange.recorded_at.as_ref().filter(|_| with_times);
        let at = at.map_or(String::new(), |at| format!("{at} "));
        (exchange.session.to_string(), at + &in_words(exchange, program))
    });
    let is_one_session = found.iter().all(|(session, _)| *session == found[0].0);
    let shown = found.iter().map(|(session, call)| {
        let names = !is_one_session || with_sessions;
        call.clone() + &if names { format!(" [session {session}]\n") } else { "\n".to_owned() }
    });
    if found.is_empty() { no_calls(folder) } else { shown.collect() }
}

fn no_calls(folder: &Path) -> String {
    let taken_for = files(folder).into_iter().map(|file| {
        let bytes = fs::read(file).expect("a file that was written");
        recognise(&Head::of(&bytes, true, 64)).map_or("no program", |(program, _)| program.name)
    });
    format!("no calls in a file of {}", taken_for.collect::<Vec<_>>().join(" and "))
}

fn in_words(exchange: &Exchange<'_>, program: &str) -> String {
    let input = exchange.input.as_ref().map_or("null", |input| input.raw().text());
    let origin = exchange.origin.as_deref().cloned().unwrap_or_default();
    let reply = match &exchange.reply {
        _ if exchange.fate != Fate::Settled && exchange.fate != Fate::Waiting => {
            let by = origin.refused_by.map_or(String::new(), |by| format!(" by {}", by.name()));
            exchange.fate.name().to_owned() + &by
        }
        Reply::Result(result) => {
            let text = |block: &Block<'_>| {
                let text = block.text.text().map(|text| text.decode().into_owned());
                text.unwrap_or_else(|| block.raw.text().to_owned())
            };
            let texts: Vec<String> = result.content.blocks().iter().map(text).collect();
            format!("{} {}", exchange.reply.kind().name(), texts.join(" | "))
        }
        Reply::Error(error) => {
            let message = error.message.text().map_or(String::new(), |it| it.decode().into_owned());
            [exchange.reply.kind().name(), &error.code, &message].join(" ").replace("  ", " ")
        }
        Reply::Document(_) => "a document".to_owned(),
        Reply::None => "no answer".to_owned(),
    };
    let marks = [
        ("reply_cut", origin.reply_cut),
        ("error_unknown", origin.error_unknown),
        ("name_is_guess", origin.name_is_guess),
        ("host_owned", origin.host_owned),
        ("of another program", origin.recorded_by != program),
        ("defined", exchange.tool.definition.is_some()),
    ];
    let marks = marks.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!(" [{name}]"));
    let took = exchange.duration_ms.map_or(String::new(), |took| format!(" [{took} ms]"));
    let marks: String = marks.chain([took]).collect();
    let (Exchange { server, tool, .. }, beginning) = (exchange, reply.chars().take(300));
    format!("{server}/{} {input}: {}{marks}", tool.name, beginning.collect::<String>())
}

pub(crate) fn calls_listed(folder: &Path, program: &'static str) -> Vec<Value> {
    calls(folder, NAMED.contains(&program).then_some(program), as_listed)
}

fn as_listed(exchange: &Exchange<'_>) -> Value {
    let texts = match &exchange.reply {
        Reply::Result(result) => result.content.blocks().iter().map(|block| block.text).collect(),
        Reply::Error(error) => vec![error.message],
        Reply::Document(_) | Reply::None => Vec::new(),
    };
    let texts: Vec<_> = texts.iter().filter_map(|it| it.text()).map(RawStr::decode).collect();
    let input = exchange.input.as_ref();
    let input = input.map(|it| serde_json::from_str::<Value>(it.raw().text()).expect("JSON"));
    json!({
        "server": exchange.server,
        "tool": exchange.tool.name,
        "input": input,
        "reply_kind": exchange.reply.kind().name(),
        "text_head": texts.join("\n").chars().take(80).collect::<String>(),
        "recorded_at": exchange.recorded_at,
    })
}

/// Whether a call is the one that is expected. What a host left out of a text is not known, nor is a text without a reply.
fn is_as_expected(call: &Value, expected: &Value, note: &str) -> bool {
    let same = |name: &str| call[name] == expected[name];
    let [found, wanted] = [call, expected].map(|it| it["text_head"].as_str().unwrap_or_default());
    let has_text = expected["reply_kind"] != "no_reply";
    ["server", "tool", "input", "reply_kind"].into_iter().all(same)
        && (expected["recorded_at"].is_null() || same("recorded_at"))
        && (!has_text || found == wanted || (note.contains("cut") && found.starts_with(wanted)))
}

/// What is wrong with the calls found in a sample; nothing, if they are those expected.
fn complaint(found: &[Value], listed: &[Value]) -> Option<String> {
    let mut left: Vec<&Value> = found.iter().collect();
    let mut missing = Vec::new();
    for expected in listed.iter().filter(|call| call["duplicate"] != json!(true)) {
        let note = expected["note"].as_str().unwrap_or_default();
        match left.iter().position(|call| is_as_expected(call, expected, note)) {
            Some(at) => _ = left.remove(at),
            None => missing.push(expected),
        }
    }
    let is_right = missing.is_empty() && left.is_empty();
    (!is_right).then(|| format!("missing {missing:#?}\n  not expected {left:#?}"))
}

#[test]
fn files_of_each_format_hold_the_calls_that_their_cases_list() {
    for program in PROGRAMS.iter().map(|program| program.id) {
        cases::check(&format!("tests/programs/{program}.txt"), |case| {
            if let Some(folder) = case.text.strip_prefix("the files in ") {
                return sample(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), program);
            }
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut of_case = String::new();
            let one = format!("session.jsonl\n{}", case.text);
            let files = case.text.strip_prefix("--- ").unwrap_or(&one).split("\n--- ");
            for (name, text) in files.filter_map(|file| file.split_once('\n')) {
                let (name, marks) = name.split_once(", ").unwrap_or((name, ""));
                let path = folder.path().join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("folders are made");
                fs::write(path, text).expect("a file is written");
                of_case += marks;
            }
            read(folder.path(), program, &of_case)
        });
    }
}

/// The calls of the bundled files of a program, what the program sees beside them, and what it cannot read.
fn sample(folder: &Path, program: &'static str) -> String {
    let place = Place::new();
    let as_program = ["--read-as", program];
    let named = if NAMED.contains(&program) { &as_program[..] } else { &[] };
    let (folder_text, out) = (folder.to_string_lossy(), place.out().display().to_string());
    let run = [&["run", &*folder_text, "--out", &*out], named].concat();
    tapecheck(&run).ended_with(0);
    let marks = if named.is_empty() { "with times" } else { "with times, whose format is named" };
    let traffic = place.json("summary.json")["traffic"].clone();
    let traffic = traffic.as_object().into_iter().flatten();
    let beside = traffic.map(|(what, count)| format!("{count} x {what}\n"));
    let unreadable = place.unreadable().into_iter();
    let unreadable = unreadable.map(|row| format!("{}: {} {}\n", row.file, row.line, row.reason));
    read(folder, program, marks) + &beside.chain(unreadable).collect::<String>()
}

#[test]
fn samples_made_elsewhere_hold_the_calls_that_are_listed() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/formats");
    if !samples.is_dir() {
        crate::harness::skipped("../shared is absent");
        return;
    }
    let mut wrong = Vec::new();
    let all = PROGRAMS.iter().map(|program| program.id);
    for name in all.filter(|name| samples.join(name).is_dir()) {
        for sample in paths_in(&samples.join(name)) {
            let found = calls_listed(&sample, name);
            let expected = fs::read(sample.join("expected.json")).expect("what is expected");
            let expected: Vec<Value> = serde_json::from_slice(&expected).expect("a list");
            let place = sample.display();
            wrong.extend(complaint(&found, &expected).map(|why| format!("{place}\n  {why}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What may happen to a file: it is cut, its lines change places, bytes of it are damaged.
fn damaged(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut torn = bytes.to_vec();
    let middle = torn.len() / 2;
    torn[middle..(middle + 4).min(bytes.len())].fill(0xff);
    vec![
        ("cut", bytes[..bytes.len() * 3 / 5].to_vec()),
        ("cut-early", bytes[..bytes.len() / 9].to_vec()),
        ("reversed", lines.iter().rev().copied().collect::<Vec<_>>().concat()),
        ("torn", torn),
        ("twice", [bytes, bytes].concat()),
        (
            "doubled-lines",
            lines.iter().flat_map(|line| [*line, *line]).collect::<Vec<_>>().concat(),
        ),
    ]
}

/// The files of samples that are text, with the format each is of.
pub(crate) fn sample_files() -> Vec<(&'static str, PathBuf)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/formats");
    let of_format = |id: &'static str| {
        walkdir::WalkDir::new(corpus.join(id))
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(move |entry| (id, entry.into_path()))
    };
    PROGRAMS.iter().flat_map(|program| of_format(program.id)).collect()
}

#[test]
fn damaged_files_of_programs_cost_nothing_else_and_no_panic() {
    let place = Place::with_good_recording();
    let mut written = 0;
    for (id, file) in sample_files() {
        let bytes = fs::read(&file).expect("a sample");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        for (how, damaged) in damaged(&bytes) {
            place.recording(&format!("{id}-{how}-{name}"), damaged);
            written += 1;
        }
    }
    assert!(written > 150, "{written} damaged files");
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    let defects: Vec<_> =
        place.unreadable().into_iter().filter(|row| row.reason == "internal_error").collect();
    assert!(defects.is_empty(), "{defects:#?}");
}

/// The formats of which a damaged file, named `FORMAT/HOW/NAME`, has an unreadable line for one of these reasons.
fn formats_with_unreadable_lines(place: &Place, how: &str, reasons: &[&str]) -> BTreeSet<String> {
    let rows = place.unreadable().into_iter();
    let rows = rows.filter(|row| !row.line.is_empty() && reasons.contains(&row.reason.as_str()));
    rows.filter_map(|row| {
        let mut parts = row.file.split('/');
        let (format, found) = (parts.next()?.to_owned(), parts.next()?);
        (found.trim_end_matches(char::is_numeric) == how).then_some(format)
    })
    .collect()
}

#[test]
fn damage_of_every_kind_is_named_line_by_line_in_every_format() {
    let damage = |bytes: &[u8], ninth: usize| {
        let at = bytes.len() * ninth / 9;
        let mut encoded = bytes.to_vec();
        encoded[at..(at + 2).min(bytes.len())].fill(0xff);
        [("cut", bytes[..at].to_vec()), ("encoding", encoded)]
    };
    let mut formats: Vec<&str> = PROGRAMS.iter().map(|program| program.id).collect();
    formats.sort_unstable();
    let mut found = BTreeMap::<&str, BTreeSet<String>>::new();
    let runs = NAMED.iter().copied().map(Some).chain([None]);
    for named in runs {
        let place = Place::new();
        for (id, file) in sample_files() {
            let is_of_run = named.map_or(!NAMED.contains(&id), |named| named == id);
            if !is_of_run {
                continue;
            }
            let bytes = fs::read(&file).expect("a sample");
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            place.recording(&format!("{id}/whole/{name}"), &bytes);
            for ninth in 1..9 {
                for (how, damaged) in damage(&bytes, ninth) {
                    place.recording(&format!("{id}/{how}{ninth}/{name}"), damaged);
                }
            }
        }
        let arguments = named.map(|named| ["--read-as", named]);
        let arguments = arguments.as_ref().map_or(&[][..], |both| &both[..]);
        // A run without calls replaces none with calls, and so comes first.
        let short = ["--config=bounds.max_line=150", "--config=bounds.max_document=300"];
        place.run(&[arguments, &short].concat());
        place.adds_up();
        let too_long = formats_with_unreadable_lines(&place, "whole", &["too_long"]);
        found.entry("gigantic").or_default().extend(too_long);
        place.run(arguments);
        place.adds_up();
        for (how, reasons) in
            [("cut", &["cut_short", "not_json"][..]), ("encoding", &["not_utf8"][..])]
        {
            found
                .entry(how)
                .or_default()
                .extend(formats_with_unreadable_lines(&place, how, reasons));
        }
    }
    for (how, with) in found {
        let without: Vec<_> = formats.iter().filter(|format| !with.contains(**format)).collect();
        assert!(without.is_empty(), "{how}: nothing is unreadable in files of {without:?}");
    }
}

#[test]
fn a_har_file_is_read_alike_from_a_file_a_pipe_and_an_archive() {
    let entry = |id: usize| {
        let text = |value: Value| value.to_string();
        json!({"startedDateTime": "2026-05-05T10:00:00.000Z", "time": 2,
            "request": {"url": "http://kiln.example/mcp", "postData": {"text": text(json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "heat"}}))}},
            "response": {"status": 200, "content": {"text": text(json!({
                "jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "warm ".repeat(200)}]}}))}}})
    };
    let entries: Vec<Value> = (0..2_000).map(entry).collect();
    let har = json!({"log": {"entries": entries, "comment": "mcpsnoop: capture incomplete, 12 frames were dropped"}});
    let pretty = serde_json::to_string_pretty(&har).expect("JSON");
    assert!(pretty.len() > 2 << 20, "longer than what is looked at to see what it is");
    let place = Place::new();
    let mut tables = Vec::new();
    for (name, bytes) in
        [("a.har", pretty.clone().into_bytes()), ("a.har.gz", gzip(pretty.as_bytes()))]
    {
        place.recording(name, bytes);
        place.run(&[]).ended_with(0);
        tables.push(place.keys());
        place.adds_up();
        fs::remove_file(place.recordings().join(name)).expect("it is there");
    }
    let out = place.out();
    let out = out.to_str().expect("UTF-8");
    let arguments = ["run", "-", "--out", out, "--stdout", "jsonl"];
    place.keep_verdicts(tapecheck_reading(&arguments, pretty.as_bytes())).ended_with(0);
    tables.push(place.keys());
    assert_eq!(tables[0].len(), 2_000);
    assert!(tables.iter().all(|keys| *keys == tables[0]), "the calls differ");
    assert_eq!(place.json("summary.json")["traffic"]["(message that the recorder dropped)"], 12);
}

#[test]
fn a_document_on_one_line_may_be_as_long_as_any_document() {
    let sample = include_str!("../../corpus/formats/langfuse/observations.json");
    let mut document: Value = serde_json::from_str(sample).expect("JSON");
    document["padding"] = "x".repeat(200_000).into();
    let place = Place::new();
    place.recording("a.json", document.to_string());
    place.run(&["--config", "bounds.max_line=100000"]).ended_with(0);
    place.adds_up();
    assert!(place.unreadable().is_empty() && !place.verdicts().is_empty());
}

#[test]
fn nothing_is_read_of_a_document_of_which_a_line_is_missing() {
    let sample = include_str!("../../corpus/formats/opencode/export.json");
    let mut bytes = sample.as_bytes().to_vec();
    let at = sample.find("no such colour").expect("a refusal");
    bytes[at] = 0xff;
    for (document, bound, reason) in
        [(bytes, "9999999", "not_utf8"), (sample.into(), "900", "too_long")]
    {
        let place = Place::with_good_recording();
        place.recording("export.json", document);
        place.run(&["--config", &format!("bounds.max_document={bound}")]).ended_with(0);
        place.adds_up();
        let reasons: Vec<_> = place.unreadable().into_iter().map(|row| row.reason).collect();
        assert_eq!(reasons, [reason]);
        assert!(place.ids().iter().all(|id| id.starts_with("good-")));
    }
}

#[test]
fn what_is_too_deep_for_a_line_or_a_list_among_entries_costs_no_other_call() {
    let deep = format!(r#"{{"content":[],"_meta":{}1{}}}"#, "[".repeat(300), "]".repeat(300));
    let call = json!({"id": "c", "type": "mcp_call", "server_label": "s", "name": "route",
        "arguments": deep, "output": deep});
    let response = json!({"object": "response", "output": [call]}).to_string();
    let log = include_str!("../../corpus/formats/har/older-transport.har");
    let log = log.replacen("\"entries\": [", "\"entries\": [[1, [2]], [],", 1);
    // What is known of the others goes by their numbers.
    let entry = |number: u64, status: u64, answer: &Value| {
        let call = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": "heat", "arguments": {"number": number}}});
        json!({"request": {"url": "https://kiln.example", "postData": {"text": call.to_string()}},
            "response": {"status": status, "content": {"text": answer.to_string()}}})
    };
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": []}});
    let entries = [entry(0, 200, &answer), entry(1, 503, &json!({})), entry(1, 200, &answer)];
    let again = json!({"log": {"entries": entries}}).to_string();
    let again = again.replacen("\"request\"", &format!("\"_\":{deep},\"request\""), 1);
    for (program, file, text, unreadable, calls) in [
        ("openai-responses", "a.json", response, 0, 1),
        ("har", "a.har", log, 2, 1),
        ("har", "again.har", again, 1, 1),
    ] {
        let place = Place::new();
        place.recording(file, text);
        place.run(&["--config=bounds.max_depth=256", "--read-as", program]).ended_with(0);
        place.adds_up();
        assert_eq!((place.unreadable().len(), place.verdicts().len()), (unreadable, calls));
    }
}

#[test]
fn a_line_that_is_too_long_or_not_utf8_is_named_and_the_others_count() {
    let place = Place::with_good_recording();
    let call = |id: &str, text: &str| {
        format!(
            "{{\"type\":\"assistant\",\"uuid\":\"u{id}\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-03T08:00:00Z\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"mcp__pond__feed\",\"input\":{{\"with\":\"{text}\"}}}}]}}}}\n"
        )
    };
    let mut bytes = call("t1", "reeds").into_bytes();
    bytes.extend(call("t2", &"x".repeat(200_000)).into_bytes());
    bytes.extend(b"{\"type\":\"assistant\",\"name\":\"mcp__pond__\xff\"}\n");
    bytes.extend(b"{\"type\":\"assistant\",\"name\":\"mcp__pond__feed\",\n");
    bytes.extend(call("t3", "flies").into_bytes());
    place.recording("session.jsonl", bytes);
    place.run(&["--config", "bounds.max_line=100000"]).ended_with(0);
    place.lost_nothing();
    let found: Vec<_> =
        place.unreadable().into_iter().map(|row| (row.line.clone(), row.reason.clone())).collect();
    let owned = |line: &str, reason: &str| (line.to_owned(), reason.to_owned());
    assert_eq!(found, [owned("2", "too_long"), owned("3", "not_utf8"), owned("4", "cut_short")]);
    let mut ids = place.ids();
    ids.retain(|id| !id.starts_with("good-"));
    assert_eq!(ids, ["t1", "t3"]);
}

#[test]
fn the_tables_are_the_same_for_any_number_of_threads() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/formats");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [one, four] = ["1", "4"].map(|threads| {
        let out = folder.path().join(threads);
        let out_text = out.to_string_lossy().into_owned();
        let corpus = corpus.to_string_lossy().into_owned();
        tapecheck(&["run", &corpus, "--out", &out_text, "-j", threads]).ended_with(0);
        ["verdicts.parquet", "issues.parquet", "recordings.csv", "unreadable.csv", "tools.csv"]
            .map(|table| fs::read(out.join(table)).expect("a table"))
    });
    assert!(one == four, "a table depends on the number of threads");
}

#[test]
fn a_session_behind_a_mebibyte_of_other_lines_is_found() {
    let place = Place::with_good_recording();
    let sample = sample_files().into_iter().find(|(id, path)| {
        *id == "claude-code" && path.extension().is_some_and(|it| it == "jsonl")
    });
    let session = fs::read_to_string(sample.expect("a sample").1).expect("readable");
    place.recording("plain.jsonl", &session);
    let backups = "x".repeat(16 << 10);
    let snapshot = json!({"type": "file-history-snapshot", "snapshot": backups}).to_string();
    let head = format!("{snapshot}\n").repeat(100);
    place.recording("late.jsonl", head + &session.replace("toolu_", "toolu_late_"));
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    let text = place.text("recordings.csv");
    let programs: Vec<&str> = text.lines().filter(|row| row.contains("Claude Code")).collect();
    assert_eq!(programs.len(), 2, "{text}");
}

#[test]
fn a_home_folder_is_searched_in_the_known_places_alone() {
    let place = Place::new();
    let home = place.root().join("home");
    let projects = home.join(".claude/projects/-work");
    fs::create_dir_all(&projects).expect("a folder");
    let sample = sample_files().into_iter().find(|(id, path)| {
        *id == "claude-code" && path.extension().is_some_and(|it| it == "jsonl")
    });
    fs::copy(sample.expect("a sample").1, projects.join("s.jsonl")).expect("copied");
    fs::write(home.join("other.jsonl"), "{\"tool\":\"a\",\"input\":{},\"response\":{}}\n")
        .expect("a file");
    let elsewhere = place.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a folder");
    fs::copy(projects.join("s.jsonl"), elsewhere.join("linked.jsonl")).expect("copied");
    #[cfg(unix)]
    for (to, name) in [(elsewhere.clone(), "folder"), (elsewhere.join("linked.jsonl"), "l.jsonl")] {
        std::os::unix::fs::symlink(to, projects.join(name)).expect("a link");
    }
    let out = place.out();
    let out = out.to_string_lossy();
    let here = |words: &[&str], out: &str, home: &Path| {
        finish(program().args(words).args(["--here", "--out", out]).env("HOME", home))
    };
    for verb in ["run", "import"] {
        let unasked = here(&[verb], &out, &home).ended_with(2);
        unasked.complaining("no terminal to ask on").complaining("--yes");
        assert!(!place.out().exists(), "{verb}");
    }
    #[cfg(unix)]
    for (answer, code) in [("n", 2), ("", 2), ("y", 0)] {
        let (words, home) = (["run", "--here"], home.to_string_lossy());
        let mut terminal =
            Terminal::start_with(place.root(), &words, (100, 30), &[("HOME", &*home)]);
        terminal.sees("[y/N]").press(&format!("{answer}\r"));
        let (ended, screen) = terminal.end();
        assert_eq!(ended, code, "{answer}: {screen}");
    }
    tapecheck(&["run", "--yes", "x"]).ended_with(2).complaining("--here");
    let ran = here(&["run", "--yes"], &out, &home).ended_with(0);
    let ran = ran.complaining("Claude Code: 1 file in ").printing("Claude Code transcript, 1 file");
    assert!(!ran.out.contains("other.jsonl"), "{}", ran.out);
    let imported = place.root().join("imported");
    let imported = imported.to_string_lossy();
    here(&["import", "--yes"], &imported, &home).ended_with(0);
    let again = tapecheck(&["run", &*imported, "--out", &*out]).ended_with(0);
    let counts =
        |ran: &str| ran.lines().next().and_then(|line| line.split(' ').next().map(str::to_owned));
    assert_eq!(counts(&again.out), counts(&ran.out), "an import holds the same calls");
    let nobody = place.root().join("nobody");
    fs::create_dir_all(&nobody).expect("a folder");
    here(&["run", "--yes"], &out, &nobody)
        .ended_with(3)
        .complaining("found nothing recorded by Claude Code");
}
