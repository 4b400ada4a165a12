//! `run --stdout jsonl`: each verdict as it is reached, in order, also from a pipe that stays open.

use crate::harness::{Place, good, lines, paths_in, program, tapecheck};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A run that reads a pipe, and the lines it has written so far.
struct Live {
    child: Child,
    pipe: Option<ChildStdin>,
    lines: Receiver<String>,
}

fn start(place: &Place, threads: &str) -> (Child, ChildStdin, ChildStdout) {
    let mut child = program()
        .args(["run", "-", "--stdout", "jsonl", "-j", threads, "--out"])
        .arg(place.out())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let pipe = child.stdin.take().expect("a pipe was asked for");
    let out = child.stdout.take().expect("a pipe was asked for");
    (child, pipe, out)
}

impl Live {
    fn start(place: &Place, threads: &str) -> Self {
        let (child, pipe, out) = start(place, threads);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            lines.for_each(|line| drop(sender.send(line)));
        });
        Self { child, pipe: Some(pipe), lines }
    }

    fn write(&mut self, text: &str) {
        self.pipe.as_mut().expect("open").write_all(text.as_bytes()).expect("it reads");
    }

    /// Id and outcome of the next verdict, which must come while the pipe is open.
    #[track_caller]
    fn next(&self) -> (Value, Value) {
        let line = self.lines.recv_timeout(Duration::from_secs(20));
        let line = line.expect("no verdict came while the pipe was open");
        let mut verdict: Value = serde_json::from_str(&line).expect("a line of JSON");
        (verdict["id"].take(), verdict["outcome"].take())
    }

    #[track_caller]
    fn is_silent(&self) {
        let line = self.lines.recv_timeout(Duration::from_millis(300));
        assert!(line.is_err(), "a verdict came before its answer: {line:?}");
    }

    /// Closes the pipe; what is written then, and to standard error.
    fn end(mut self) -> (Vec<String>, String) {
        drop(self.pipe.take());
        let mut err = String::new();
        let mut stderr = self.child.stderr.take().expect("a pipe was asked for");
        stderr.read_to_string(&mut err).expect("UTF-8");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0), "{err}");
        (self.lines.iter().collect(), err)
    }
}

fn verdict(id: &str, outcome: &str) -> (Value, Value) {
    (id.into(), outcome.into())
}

#[test]
fn each_verdict_comes_while_the_pipe_is_open() {
    for threads in ["1", "4"] {
        let place = Place::new();
        let mut run = Live::start(&place, threads);
        for id in ["a", "b"] {
            run.write(&lines(&[good(id)]));
            assert_eq!(run.next(), verdict(id, "worked"));
        }
        let (half, rest) = (lines(&[good("c")]), lines(&[good("d")]));
        run.write(&half[..20]);
        run.is_silent();
        run.write(&(half[20..].to_owned() + &rest));
        assert_eq!([run.next(), run.next()], [verdict("c", "worked"), verdict("d", "worked")]);
        let (lines, summary) = run.end();
        assert!(lines.is_empty(), "{lines:?}");
        assert!(summary.contains("4 calls from 1 recording"), "{summary}");
        assert_eq!(place.json("summary.json")["counts"]["exchanges"], 4);
    }
}

#[test]
fn a_call_waits_for_its_answer_and_no_longer() {
    let place = Place::new();
    let mut run = Live::start(&place, "2");
    let call = |id: u32| {
        let params = json!({"name": "get", "arguments": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let answer = |id: u32| {
        let content = json!([{"type": "text", "text": "three stars"}]);
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}}).to_string()
    };
    run.write(&lines(&[call(1), call(2), call(3)]));
    run.is_silent();
    run.write(&lines(&[answer(2)]));
    assert_eq!(run.next(), verdict("2", "worked"));
    run.write(&lines(&[answer(1)]));
    assert_eq!(run.next(), verdict("1", "worked"));
    let (last, _) = run.end();
    assert_eq!(last.len(), 1, "the call that was never answered comes at the end: {last:?}");
    assert!(last[0].contains(r#""id":"3""#), "{last:?}");
}

#[test]
fn a_list_of_tools_at_the_beginning_is_a_record_once_another_follows() {
    let place = Place::new();
    let mut run = Live::start(&place, "2");
    run.write(r#"{"tools":[{"name":"get","outputSchema":{"type":"string"}}]}"#);
    run.write("\n");
    run.is_silent();
    run.write(&lines(&[good("a")]));
    assert_eq!(run.next(), verdict("a", "invalid"), "by the tool's own schema");
    run.end();
}

#[test]
fn neither_threads_nor_the_pieces_of_a_pipe_change_a_byte() {
    // Long enough for two row groups.
    let id = |at: usize| format!("{at} {}", "-".repeat(8_000));
    let recording: Vec<String> =
        (0..1_600).map(|at| good("ID").replacen("ID", &id(at), 1)).collect();
    let recording = lines(&recording).into_bytes();
    let mut results = Vec::new();
    for (threads, piece) in [("1", recording.len()), ("3", 70_001), ("2", 2_003)] {
        let place = Place::new();
        let (mut child, mut pipe, mut out) = start(&place, threads);
        let text = std::thread::scope(|scope| {
            scope.spawn(|| {
                recording.chunks(piece).for_each(|piece| pipe.write_all(piece).expect("it reads"));
                drop(pipe);
            });
            let mut text = String::new();
            out.read_to_string(&mut text).expect("UTF-8");
            text
        });
        assert!(child.wait().expect("it ends").success());
        let ids: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].take())
            .collect();
        assert!(ids.iter().enumerate().all(|(at, found)| *found == id(at)), "order is lost");
        results.push((ids.len(), text, place.file("verdicts.parquet")));
    }
    assert_eq!(results[0].0, 1_600);
    assert!(results.iter().all(|result| *result == results[0]), "the runs differ");
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_run_without_a_word() {
    let place = Place::new();
    let (mut child, mut pipe, mut out) = start(&place, "2");
    pipe.write_all(lines(&[good("a")]).as_bytes()).expect("it reads");
    out.read_exact(&mut [0; 10]).expect("a verdict");
    drop(out);
    // The pipe stays open: nobody says that this was the last of it.
    pipe.write_all(lines(&[good("b")]).as_bytes()).expect("it reads");
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("UTF-8");
    assert_eq!((child.wait().expect("it ends").code(), err.as_str()), (Some(0), ""));
    let left = paths_in(place.root());
    assert_eq!(left.len(), 1, "the folder of recordings alone: {left:?}");
}

#[test]
fn verdicts_and_the_summary_as_json_do_not_share_standard_output() {
    let ran = tapecheck(&["run", "-", "--stdout", "jsonl", "--format=json"]).ended_with(2);
    assert!(ran.out.is_empty());
    ran.complaining("cannot both go to standard output");
}
