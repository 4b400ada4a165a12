//! A comparison made by hand, for tests: a regression on three servers, a changed group, something
//! new and something gone.

use super::{Material, Session, Signature};
use crate::compare::testing::{cause, header, side_of};
use crate::compare::{Entry, Excerpt, Header, Names, Texts, compare};
use crate::recording::{Key, ReplyKind};
use crate::store::{NamedVerdict, RulebookName, Span};
use crate::verdict::{Answer, Classification, Ground, Outcome};

pub(crate) fn by() -> Signature {
    Signature { who: "ann".to_owned(), when: "2026-11-21T20:00:00Z".to_owned() }
}

/// What is said of an error with these signals.
pub(crate) fn verdict(answer: Answer, signals: &[&str]) -> NamedVerdict {
    let asked = match answer {
        Answer::NotAsked | Answer::Fine | Answer::HiddenFailure | Answer::HiddenRefusal => None,
        Answer::BusinessLogic => Some(true),
        Answer::ToolFailure => Some(false),
    };
    NamedVerdict {
        reply: if asked.is_some() { ReplyKind::ToolError } else { ReplyKind::Result },
        ground: if asked.is_some() { Ground::Error } else { Ground::Content },
        outcome: match answer {
            Answer::NotAsked | Answer::Fine => Outcome::Worked,
            Answer::BusinessLogic | Answer::HiddenRefusal => Outcome::Refused,
            Answer::ToolFailure | Answer::HiddenFailure => Outcome::Failed,
        },
        confidence: 100.0,
        is_error: Some(asked.is_some()),
        business_logic: asked.or((answer == Answer::HiddenRefusal).then_some(true)),
        hidden_failure: matches!(answer, Answer::HiddenFailure | Answer::HiddenRefusal)
            .then_some(true),
        score: asked.map(|yes| if yes { 0.5 } else { 0.0 }),
        threshold: asked.map(|_| 0.5),
        decided_by: asked.map(|_| "otherwise".to_owned()),
        signals: signals.iter().map(|signal| (*signal).to_owned()).collect(),
        ..NamedVerdict::of_class(Classification::FullyWorking)
    }
}

const SERVERS: [&str; 3] = ["users", "配送サービス", "evil\u{1b}[31m\u{202e}"];

fn entry(number: u32, verdict: u32) -> Entry {
    Entry {
        key: Key(u128::from(number + 1) << 96),
        verdict,
        request: Key(u128::from(number)),
        server: number % 3,
        tool: 3,
        file: 4,
        line: number + 1,
        is_error_case: false,
        took: None,
    }
}

fn excerpt(text: &str, pattern: &str) -> Excerpt {
    let at = text.find("not found").unwrap_or(0);
    let span = |start: usize, end: usize| Span {
        start: u32::try_from(start).unwrap_or(0),
        end: u32::try_from(end).unwrap_or(0),
        pattern: pattern.to_owned(),
        sent: None,
    };
    Excerpt { text: text.to_owned(), spans: vec![span(at, at + "not found".len())] }
}

/// Two sides of nine exchanges each, and what differs.
pub(crate) fn material() -> Material {
    let mut refused = verdict(Answer::BusinessLogic, &["business_pattern", "textual_evidence"]);
    refused.hits = vec!["business_patterns/not found".to_owned()];
    let texts = [0, 1, 2]
        .map(|number| (number, excerpt("User 12 not found", "business_patterns/not found")));
    let without_hits =
        texts.clone().map(|(number, text)| (number, Excerpt { spans: Vec::new(), ..text }));
    let failed = verdict(Answer::ToolFailure, &["textual_evidence"]);
    let mut surer = verdict(Answer::ToolFailure, &["textual_evidence", "http_status"]);
    surer.score = Some(0.25);
    let fine = verdict(Answer::NotAsked, &[]);
    let mut broken = verdict(Answer::NotAsked, &[]);
    broken.class = Classification::Broken;
    broken.is_valid = false;
    let names =
        || SERVERS.iter().copied().chain(["get_user", "recordings/users.jsonl"]).collect::<Names>();
    let rulebook = RulebookName { name: "mine".to_owned(), digest: "831cb1e8c8f4".to_owned() };
    let side = |name: &str, verdict: Vec<NamedVerdict>, entries: Vec<Entry>| {
        let header =
            Header { rulebook: rulebook.clone(), overall_confidence: None, ..header(name) };
        side_of(header, verdict, entries, names())
    };
    // Exchanges 0 to 4 regressed, 5 and 6 are changed, 7 stayed, 8 is gone, 9 is new.
    let before = (0..9).map(|number| entry(number, [0, 0, 0, 0, 0, 1, 1, 3, 3][number as usize]));
    let after = [0, 1, 2, 3, 4, 5, 6, 7, 9]
        .map(|number| entry(number, [1, 1, 1, 1, 1, 2, 2, 3, 3, 4][number as usize]));
    let verdict = vec![refused, failed, surer, fine, broken];
    let mut before = side("snapshots/recorded/guide.snap", verdict.clone(), before.collect());
    let mut after = side("reports/latest", verdict, after.into());
    before.texts = Texts::of(texts);
    after.texts = Texts::of(without_hits);
    let mut comparison = compare(&before, &after);
    let told = [
        ("1a2b3c4d", "business_patterns/not found", "pattern 'not found' no longer matches"),
        ("5e6f7a8b", "factors.http_status.weight", "weight of http_status 1 -> 3"),
    ];
    for (group, (id, name, change)) in comparison.groups.iter_mut().zip(told) {
        (group.id, group.explanation) = (id.to_owned(), cause(name, change));
    }
    Material { before, after, comparison }
}

pub(crate) fn session() -> Session {
    Session::new(material())
}
