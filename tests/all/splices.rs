//! Any bytes at all, spliced into a good recording, are accounted for and cost nothing else.

use crate::harness::good;
use proptest::prelude::*;
use std::collections::BTreeSet;
use tapecheck::internals::corpus::{Bounds, CorpusReader, Input, Parsed};
use tapecheck::internals::format::Context;

/// What reading a corpus came to.
#[derive(Debug, Default)]
struct Account {
    lines: u64,
    exchanges: u64,
    other: u64,
    unreadable: u64,
    ids: BTreeSet<String>,
}

fn read(recording: &[u8], bounds: Bounds) -> Account {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("recording.jsonl");
    std::fs::write(&path, recording).expect("a file");
    let mut reader = CorpusReader::new(&[Input::Path(path)], bounds).expect("it is there");
    let mut account = Account::default();
    let mut context = Context::new(bounds.max_depth);
    while let Some(block) = reader.next_block() {
        account.add_unreadable(&block.unreadable);
        let Some(recording) = &block.recording else { continue };
        let parsed = Parsed::read(&block, recording, &bounds, &mut context);
        let assembled =
            recording.in_turn(block.index, |turn| turn.assemble(parsed, &block, &bounds));
        account.lines += assembled.lines;
        account.exchanges += assembled.exchanges.len() as u64;
        account.other += assembled.traffic.values().sum::<u64>();
        account.unreadable += assembled.unreadable.len() as u64;
        let ids = assembled.exchanges.iter().filter_map(|exchange| exchange.id.as_deref());
        account.ids.extend(ids.map(str::to_owned));
    }
    account
}

impl Account {
    fn add_unreadable(&mut self, unreadable: &[tapecheck::internals::corpus::Unreadable]) {
        let lines = unreadable.iter().filter(|reject| reject.is_line()).count() as u64;
        self.lines += lines;
        self.unreadable += lines;
    }
}

/// Bytes that are likely to hurt: structure, marks, half characters, and plain noise.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        "\r\n",
        "\0",
        ",",
        ":",
        "null",
        "1e999",
        "\u{feff}",
        "\\ud800",
        "{\"tools\":[",
        "{\"exchanges\":[",
        "{\"dir\":\"c2s\",\"msg\":",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"",
        "{\"tool\":\"x\",\"input\":{},\"response\":",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "}}",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..12),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The bytes stand on lines of their own between two good ones.
    #[test]
    fn between_lines(bytes in hostile()) {
        let mut recording = format!("{}\n", good("first")).into_bytes();
        recording.extend_from_slice(&bytes);
        recording.extend_from_slice(format!("\n{}\n", good("last")).as_bytes());
        let account = read(&recording, Bounds::default());
        prop_assert_eq!(account.lines, account.exchanges + account.other + account.unreadable);
        prop_assert!(account.ids.contains("first") && account.ids.contains("last"), "{:?}", account);
    }

    /// The bytes stand anywhere: they may break the line they hit, and no other.
    #[test]
    fn inside_lines(bytes in hostile(), share in 0.0..1.0_f64, max_line in prop::sample::select(vec![40, 200, 1 << 24])) {
        let good: Vec<String> = (0..5).map(|at| good(&format!("g{at}"))).collect();
        let recording = crate::harness::lines(&good).into_bytes();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a short text")]
        let at = (share * recording.len() as f64) as usize;
        let hit = memchr::memchr_iter(b'\n', &recording[..at]).count();
        let broken = [&recording[..at], &bytes, &recording[at..]].concat();
        let account = read(&broken, Bounds { max_line, ..Bounds::default() });
        prop_assert_eq!(account.lines, account.exchanges + account.other + account.unreadable);
        if max_line > 200 {
            // The first line settles how the recording is cut; behind it, only the line that was hit
            // may suffer.
            for other in (0..5).filter(|other| hit > 0 && *other != hit) {
                prop_assert!(account.ids.contains(&format!("g{other}")), "g{} is lost: {:?}", other, account);
            }
        }
    }

    /// Nothing but such bytes.
    #[test]
    fn alone(bytes in hostile()) {
        let account = read(&bytes, Bounds { max_line: 64, max_depth: 8, ..Bounds::default() });
        prop_assert_eq!(account.lines, account.exchanges + account.other + account.unreadable);
    }
}
