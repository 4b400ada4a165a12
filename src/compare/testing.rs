//! Hand-made verdicts, causes and sides for tests.

use super::{
    Cause, CauseKind, Entry, Explanation, Header, Names, Origin, Proof, Side, Texts, WHOLE_KEY,
};
use crate::check::Judge;
use crate::check::schema::Schemas;
use crate::corpus::{Bounds, read_exchange};
use crate::recording::{Key, KeyMaker, ReplyKind};
use crate::rulebook::Rulebook;
use crate::store::{Legend, NamedVerdict, RulebookName};
use crate::verdict::{Classification, Ground, Outcome};
use std::sync::Arc;

pub(crate) fn verdict() -> NamedVerdict {
    NamedVerdict { confidence: 100.0, ..NamedVerdict::of_class(Classification::FullyWorking) }
}

/// An error of which the question was answered.
pub(crate) fn error(class: Classification, business_logic: bool) -> NamedVerdict {
    NamedVerdict {
        reply: ReplyKind::ToolError,
        ground: Ground::Error,
        class,
        outcome: if business_logic { Outcome::Refused } else { Outcome::Failed },
        is_error: Some(true),
        is_valid: business_logic,
        business_logic: Some(business_logic),
        score: Some(0.5),
        threshold: Some(0.4),
        decided_by: Some("otherwise".to_owned()),
        ..verdict()
    }
}

/// What a rulebook says of exchange lines.
pub(crate) fn judged(rulebook: &Arc<Rulebook>, lines: &[String]) -> Side {
    let legend = Legend::of(rulebook);
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(rulebook, &schemas);
    let mut keys = KeyMaker::default();
    let mut side = side(&rulebook.name, Vec::new(), &[]);
    for (number, line) in (1..).zip(lines) {
        let exchange = read_exchange(line, &Bounds::default()).expect("a call");
        let verdict = NamedVerdict::of(&exchange, &judge.judge(&exchange), &legend);
        let known = side.verdicts.iter().position(|other| *other == verdict);
        let place = known.unwrap_or(side.verdicts.len());
        if known.is_none() {
            side.verdicts.push(verdict);
        }
        let keys = keys.keys(&exchange);
        side.entries.push(Entry {
            key: keys.exchange,
            verdict: u32::try_from(place).expect("few verdicts"),
            request: keys.request,
            server: side.names.number(&exchange.server),
            tool: side.names.number(&exchange.tool.name),
            file: 1,
            line: number,
            is_error_case: false,
            took: None,
        });
    }
    side.header.rulebook.name.clone_from(&rulebook.name);
    side.header.rulebook.digest.clone_from(&rulebook.digest);
    Side { rulebook: Some(Arc::clone(rulebook)), ..side }
}

/// A side of exchanges, each with its key, its server and what is said of it. The request of an
/// exchange is the upper half of its key.
pub(crate) fn side(
    name: &str,
    verdicts: Vec<NamedVerdict>,
    exchanges: &[(u128, &str, u32)],
) -> Side {
    let mut names = Names::from_iter(["get", "recording.jsonl"]);
    let mut entries = Vec::new();
    for (line, (key, server, verdict)) in (1..).zip(exchanges) {
        entries.push(Entry {
            key: Key(*key),
            verdict: *verdict,
            request: Key(key >> 64),
            server: names.number(server),
            tool: 0,
            file: 1,
            line,
            is_error_case: false,
            took: None,
        });
    }
    side_of(header(name), verdicts, entries, names)
}

pub(crate) fn header(name: &str) -> Header {
    Header {
        name: name.to_owned(),
        corpus_digest: "c".repeat(32),
        rulebook: RulebookName { name: "guide".to_owned(), digest: "d".repeat(32) },
        checks: None,
        redaction: None,
        version: Some("0.1.0".to_owned()),
        unreadable: Some(0),
        unreadable_files: None,
        overall_confidence: Some(100.0),
    }
}

pub(crate) fn side_of(
    header: Header,
    verdicts: Vec<NamedVerdict>,
    entries: Vec<Entry>,
    names: Names,
) -> Side {
    let texts = Texts::default();
    Side { header, rulebook: None, verdicts, entries, names, texts, key_digits: WHOLE_KEY }
}

/// A change by a pattern or a number of the rulebook.
pub(crate) fn cause(name: &str, change: &str) -> Explanation {
    let (name, change) = (name.to_owned(), change.to_owned());
    Explanation {
        origin: Origin::Rulebook,
        causes: vec![Cause { kind: CauseKind::Pattern, name, change }],
        proof: Proof::Proved,
    }
}
