//! What is written down of what passes, and how much of it waits.

use super::Plan;
use super::lines::Recorder;
use super::queue::{Copied, Missed, Queue};
use crate::cases;
use crate::recording::{Direction, Moment};
use crate::redact::Redactor;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What the lines of a file say besides the time and what is the same in all of them.
fn shown(file: &Path) -> String {
    let mut text = String::new();
    for line in fs::read_to_string(file).expect("a file").lines() {
        let line: Value = serde_json::from_str(line).expect("each line is JSON");
        let members = line.as_object().expect("each line is an object").iter();
        let usual = ["ts", "session", "folder", "environment", "recorder"];
        let members = members.filter(|(name, _)| !usual.contains(&name.as_str()));
        let words = members.map(|(name, value)| format!("{name} {value}"));
        let _ = writeln!(text, "{}", words.collect::<Vec<_>>().join(" "));
    }
    text
}

fn bytes(text: &str) -> Vec<u8> {
    let text = text.replace("\\r", "\r").replace("\\n", "\n");
    text.split("\\xff").map(str::as_bytes).collect::<Vec<_>>().join(&0xff)
}

#[test]
fn what_passes_is_written_down_as_the_cases_say() {
    cases::check("tests/cases/recorder.txt", |case| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().join("out");
        let (settings, passed) = case.questions(&["server", "files"]);
        let setting = |name: &str| {
            settings.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        };
        let mut recorder = Recorder::new(Plan {
            command: ["/bin/shop", "--token", "Zu8kLm3vQ9"].map(Into::into).to_vec(),
            helper: None,
            server: setting("server").map(str::to_owned),
            out: out.clone(),
            most_bytes: setting("files").map_or(u64::MAX, |most| most.parse().expect("a number")),
            redactor: Redactor::builtin(),
            tell: |_| (),
        });
        let mut today = Moment::now().day();
        for line in passed.lines() {
            let (word, text) = line.split_once(' ').unwrap_or((line, ""));
            let (direction, what) = match word {
                ">" => (Direction::FromClient, Ok(bytes(text))),
                "<" => (Direction::FromServer, Ok(bytes(text))),
                "long" => {
                    let length = text.parse().expect("a number");
                    (Direction::FromServer, Ok(vec![b'x'; length]))
                }
                "missed" => (Direction::FromServer, Err(Missed::of(&bytes(text)))),
                "blocked" => {
                    fs::write(&out, "").expect("a file in the place of the folder");
                    continue;
                }
                "midnight" => {
                    today.0 += 1;
                    continue;
                }
                "free" => {
                    fs::remove_file(&out).expect("it was there");
                    continue;
                }
                _ => panic!("what is {word}?"),
            };
            recorder.hear(Copied { at: Moment::now(), direction, what });
            recorder.put_down(today);
        }
        recorder.end();
        let files = fs::read_dir(&out).into_iter().flatten();
        let mut files: Vec<_> = files.map(|entry| entry.expect("an entry").path()).collect();
        files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        files.iter().map(|path| shown(path)).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn a_queue_without_room_says_what_it_left_out_before_what_follows() {
    let queue = Queue::new(8);
    for text in ["one\n", "two\n", "three\n", "fo"] {
        queue.add(Direction::FromServer, text.as_bytes());
    }
    let taken = |queue: &Queue| -> Vec<String> {
        queue.take().into_iter().map(|copied| format!("{:?}", copied.what)).collect()
    };
    let text = |text: &str| format!("Ok({:?})", text.as_bytes());
    assert_eq!(taken(&queue), [text("one\n"), text("two\n")]);
    queue.add(Direction::FromServer, b"ur\n");
    queue.close();
    let missed = "Err(Missed { bytes: 11, ends: 2, is_torn: false })";
    assert_eq!(taken(&queue), [missed]);
    queue.add(Direction::FromClient, b"five\n");
    assert_eq!(taken(&queue), [text("five\n")]);
    assert!(taken(&queue).is_empty(), "nothing more comes");
}
