//! Many of something at a time: sessions, waiting calls, runs inside a corpus.

use super::harness::{Place, tapecheck};
use std::fmt::Write as _;

#[test]
fn interleaved_sessions_keep_their_answers_apart() {
    let mut recording = String::new();
    for session in 0..1_500 {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get"}}"#;
        let _ = writeln!(recording, r#"{{"dir":"c2s","session":"s{session}","msg":{call}}}"#);
    }
    for session in 0..1_500 {
        let content = r#"[{"type":"text","text":"done"}]"#;
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":{content}}}}}"#);
        let _ = writeln!(recording, r#"{{"dir":"s2c","session":"s{session}","msg":{answer}}}"#);
    }
    let place = Place::new();
    place.recording("sessions.jsonl", recording);
    place.run(&[]).ended_with(0);
    let replies = place.json("summary.json")["replies"].clone();
    assert_eq!(replies["result"], 1_500, "{replies}");
}

#[test]
fn a_run_inside_the_corpus_is_passed_over_and_changes_nothing() {
    let place = Place::with_good_recording();
    let inside = place.recordings().join("reports");
    let summary_of_a_run = || {
        let recordings = place.recordings();
        let arguments =
            ["run".as_ref(), recordings.as_os_str(), "--out".as_ref(), inside.as_os_str()];
        tapecheck(&arguments).ended_with(0);
        std::fs::read_to_string(inside.join("summary.json")).expect("a summary")
    };
    let (first, second, third) = (summary_of_a_run(), summary_of_a_run(), summary_of_a_run());
    assert!(!first.contains("tapecheck-"), "the folder in the making shows:\n{first}");
    assert!(second.contains("a tapecheck run"), "the earlier run is not named:\n{second}");
    assert_eq!(second, third);
}
