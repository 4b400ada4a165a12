//! Hand-made verdicts and sides for the tests of this module.

use super::{Entry, Excerpt, Header, NamedVerdict, Names, Side, Texts, WHOLE_KEY};
use crate::recording::{Key, ReplyKind};
use crate::store::RulebookName;
use crate::verdict::{Classification, Ground};

pub(super) fn said() -> NamedVerdict {
    NamedVerdict { confidence: 100.0, ..NamedVerdict::of_class(Classification::FullyWorking) }
}

/// An error of which the question was answered.
pub(super) fn error(class: Classification, business_logic: bool) -> NamedVerdict {
    NamedVerdict {
        reply: ReplyKind::ToolError,
        ground: Ground::Error,
        class,
        is_error: true,
        is_valid: business_logic,
        business_logic: Some(business_logic),
        score: Some(0.5),
        threshold: Some(0.4),
        decided_by: Some("otherwise".to_owned()),
        ..said()
    }
}

pub(super) fn excerpt(key: u128, server: &str, text: &str) -> Excerpt {
    Excerpt {
        key: Key(key),
        server: server.to_owned(),
        tool: "get".to_owned(),
        file: "tape.jsonl".to_owned(),
        line: 1,
        text: text.to_owned(),
        spans: Vec::new(),
    }
}

/// A side of exchanges, each with its key, its server and what is said of it. The request of an
/// exchange is the upper half of its key.
pub(super) fn side(name: &str, said: Vec<NamedVerdict>, exchanges: &[(u128, &str, u32)]) -> Side {
    let mut names = Names::from_iter(["get", "tape.jsonl"]);
    let mut entries = Vec::new();
    for (line, (key, server, said)) in (1..).zip(exchanges) {
        entries.push(Entry {
            key: Key(*key),
            said: *said,
            request: Key(key >> 64),
            server: names.number(server),
            tool: 0,
            file: 1,
            line,
        });
    }
    let header = Header {
        name: name.to_owned(),
        corpus_digest: "c".repeat(32),
        rulebook: RulebookName { name: "guide".to_owned(), digest: "d".repeat(32) },
        checks: None,
        version: Some("0.1.0".to_owned()),
        rejects: Some(0),
        rejected_files: None,
        overall_confidence: Some(100.0),
        seconds: None,
    };
    Side {
        header,
        rulebook: None,
        said,
        entries,
        names,
        texts: Texts::default(),
        key_digits: WHOLE_KEY,
    }
}
