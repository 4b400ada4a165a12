//! What is said of an exchange as parts of a line, and back.
//!
//! A verdict is `HEAD | PART | PART ...`: the outcome, the class and the answer first, then issues, what came
//! back, the score, signals, schema, criteria and the patterns that hit. What is as one would expect is left
//! out.

use super::spell::{Within, spell, unspell};
use crate::recording::{ExchangeKind, ReplyKind};
use crate::store::{NamedSchema, NamedVerdict};
use crate::verdict::{Classification, Ground, Outcome, SchemaOutcome, Severity};
use std::fmt::Write as _;

/// Stands between the parts of a line.
pub(super) const BAR: &str = " | ";

/// The outcome, the class, the confidence and the answer.
pub(super) fn head(said: &NamedVerdict) -> String {
    let mut head = format!("{} {} {}", said.outcome.name(), said.class.name(), said.confidence);
    let mut add = |words: &str| {
        head.push_str(", ");
        head.push_str(words);
    };
    match said.business_logic {
        Some(true) => add("business logic"),
        Some(false) => add("tool failure"),
        None => {}
    }
    match said.hidden_failure {
        Some(true) => add("hidden failure"),
        Some(false) => add("no hidden failure"),
        None => {}
    }
    match (said.is_valid, said.class.is_mostly_valid()) {
        (true, false) => add("valid"),
        (false, true) => add("not valid"),
        (true, true) | (false, false) => {}
    }
    head
}

/// Everything but the head, each part after a bar.
pub(super) fn rest(said: &NamedVerdict) -> String {
    let mut rest = String::new();
    let mut issues = said.issues.iter().peekable();
    while let Some(issue) = issues.next() {
        let mut count = 1;
        while issues.next_if_eq(&issue).is_some() {
            count += 1;
        }
        let (severity, kind) = issue.split_once(' ').unwrap_or((issue, ""));
        let _ = write!(rest, "{BAR}{severity} ");
        spell(kind, Within::Words, &mut rest);
        write_count(count, &mut rest);
    }
    write_reply(said, &mut rest);
    if let Some(score) = said.score {
        let _ = write!(rest, "{BAR}score {score}");
        if let Some(threshold) = said.threshold {
            let _ = write!(rest, " of {threshold}");
        }
        if let Some(line) = &said.decided_by {
            rest.push_str(" by ");
            spell(line, Within::List, &mut rest);
        }
    }
    write_part("kind", said.error_kind.as_slice(), Within::List, &mut rest);
    write_part("signals", &said.signals, Within::Words, &mut rest);
    if let Some(schema) = &said.schema {
        let _ = write!(rest, "{BAR}schema {}", schema.outcome.name());
        if let Some(keyword) = &schema.keyword {
            rest.push_str(" at ");
            spell(keyword, Within::List, &mut rest);
        }
    }
    let [met, unmet] = &said.criteria;
    write_part("met", met, Within::List, &mut rest);
    write_part("unmet", unmet, Within::List, &mut rest);
    write_part("hits", &said.hits, Within::List, &mut rest);
    rest
}

/// How often something stands there, where it is more than once.
pub(super) fn write_count(count: u64, out: &mut String) {
    if count > 1 {
        let _ = write!(out, " x{count}");
    }
}

fn write_part(word: &str, names: &[String], within: Within, out: &mut String) {
    if names.is_empty() {
        return;
    }
    let _ = write!(out, "{BAR}{word} ");
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            out.push_str(separator(within));
        }
        spell(name, within, out);
    }
}

fn separator(within: Within) -> &'static str {
    match within {
        Within::Words => " ",
        Within::List | Within::Who | Within::Id => ", ",
    }
}

fn write_reply(said: &NamedVerdict, out: &mut String) {
    let _ = write!(out, "{BAR}{}", said.reply.name());
    if said.ground != usual_ground(said.reply) {
        let _ = write!(out, " ground {}", said.ground.name());
    }
    if said.kind != ExchangeKind::ToolCall {
        let _ = write!(out, " as {}", said.kind.name());
    }
    match (said.is_error, said.reply.is_error()) {
        (true, false) => out.push_str(" is error"),
        (false, true) => out.push_str(" is success"),
        (true, true) | (false, false) => {}
    }
    if let Some(code) = &said.error_code {
        out.push_str(" code ");
        spell(code, Within::Words, out);
    }
}

fn usual_ground(reply: ReplyKind) -> Ground {
    match reply {
        ReplyKind::Result => Ground::Content,
        ReplyKind::ToolError | ReplyKind::ProtocolError => Ground::Error,
        ReplyKind::NoReply => Ground::NoReply,
        ReplyKind::Document => Ground::Document,
    }
}

/// A verdict as a head and its parts, read back; else what is wrong with it.
pub(super) fn read(head: &str, parts: &[&str]) -> Result<NamedVerdict, String> {
    let mut said = read_head(head)?;
    let mut reply = None;
    for part in parts {
        let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
        match word {
            "score" => read_score(rest, &mut said)?,
            "kind" => said.error_kind = Some(name_of(rest)?),
            "signals" => said.signals = names(rest, Within::Words)?,
            "schema" => said.schema = Some(read_schema(rest)?),
            "met" => said.criteria[0] = names(rest, Within::List)?,
            "unmet" => said.criteria[1] = names(rest, Within::List)?,
            "hits" => said.hits = names(rest, Within::List)?,
            _ if is_severity(word) => {
                let (kind, count) = read_count(rest)?;
                let issue = format!("{word} {}", name_of(kind)?);
                let count = usize::try_from(count).map_err(|_| unclear(part))?;
                if said.issues.len().saturating_add(count) > MOST_ISSUES {
                    return Err(format!("nothing has more than {MOST_ISSUES} issues: `{part}`"));
                }
                said.issues.extend(std::iter::repeat_n(issue, count));
            }
            _ => {
                let found = named(&ReplyKind::ALL, ReplyKind::name, word)?;
                if reply.replace(found).is_some() {
                    return Err(format!("a second reply: `{part}`"));
                }
                read_reply(found, rest, &mut said)?;
            }
        }
    }
    match reply {
        Some(_) => Ok(said),
        None => Err("the line does not say what came back".to_owned()),
    }
}

/// More issues than one exchange ever has: what says so asks for memory and nothing else.
const MOST_ISSUES: usize = 100_000;

fn read_head(head: &str) -> Result<NamedVerdict, String> {
    let mut words = head.split(", ");
    let first: Vec<&str> = words.next().into_iter().flat_map(|first| first.split(' ')).collect();
    let [outcome, class, confidence] = first[..] else { return Err(unclear(head)) };
    let mut said =
        NamedVerdict::of_class(named(&Classification::ALL, Classification::name, class)?);
    said.outcome = named(&Outcome::ALL, Outcome::name, outcome)?;
    said.fate = said.outcome.fate();
    said.confidence = number(confidence)?;
    for word in words {
        match word {
            "business logic" => said.business_logic = Some(true),
            "tool failure" => said.business_logic = Some(false),
            "hidden failure" => said.hidden_failure = Some(true),
            "no hidden failure" => said.hidden_failure = Some(false),
            "valid" => said.is_valid = true,
            "not valid" => said.is_valid = false,
            _ => return Err(unclear(word)),
        }
    }
    Ok(said)
}

fn read_reply(reply: ReplyKind, rest: &str, said: &mut NamedVerdict) -> Result<(), String> {
    said.reply = reply;
    said.ground = usual_ground(reply);
    said.is_error = reply.is_error();
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| unclear(rest))?;
        match (word, value) {
            ("ground", _) => said.ground = named(&Ground::ALL, Ground::name, value)?,
            ("as", _) => said.kind = named(&ExchangeKind::ALL, ExchangeKind::name, value)?,
            ("is", "error") => said.is_error = true,
            ("is", "success") => said.is_error = false,
            ("code", _) => said.error_code = Some(name_of(value)?),
            _ => return Err(unclear(rest)),
        }
    }
    Ok(())
}

fn read_score(text: &str, said: &mut NamedVerdict) -> Result<(), String> {
    let (numbers, line) = match text.split_once(" by ") {
        Some((numbers, line)) => (numbers, Some(name_of(line)?)),
        None => (text, None),
    };
    let (score, threshold) = match numbers.split_once(" of ") {
        Some((score, threshold)) => (score, Some(number(threshold)?)),
        None => (numbers, None),
    };
    said.score = Some(number(score)?);
    (said.threshold, said.decided_by) = (threshold, line);
    Ok(())
}

fn read_schema(text: &str) -> Result<NamedSchema, String> {
    let (outcome, keyword) = match text.split_once(" at ") {
        Some((outcome, keyword)) => (outcome, Some(name_of(keyword)?)),
        None => (text, None),
    };
    let outcome = named(&SchemaOutcome::ALL, SchemaOutcome::name, outcome)?;
    Ok(NamedSchema { outcome, key: None, keyword })
}

/// What stands before ` x3`, and the 3.
pub(super) fn read_count(text: &str) -> Result<(&str, u64), String> {
    match text.rsplit_once(" x") {
        Some((before, count)) if count.bytes().all(|byte| byte.is_ascii_digit()) => {
            match count.parse() {
                Ok(count) if count > 1 => Ok((before, count)),
                _ => Err(unclear(text)),
            }
        }
        _ => Ok((text, 1)),
    }
}

fn is_severity(word: &str) -> bool {
    Severity::ALL.iter().any(|severity| severity.name() == word)
}

fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str, word: &str) -> Result<T, String> {
    all.iter().copied().find(|one| name(*one) == word).ok_or_else(|| unclear(word))
}

fn names(text: &str, within: Within) -> Result<Vec<String>, String> {
    text.split(separator(within)).map(name_of).collect()
}

pub(super) fn name_of(text: &str) -> Result<String, String> {
    unspell(text).ok_or_else(|| unclear(text))
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{}` is no number", cut(text)))
}

pub(super) fn unclear(text: &str) -> String {
    format!("`{}` means nothing here", cut(text))
}

/// Enough of a text to find it.
pub(super) fn cut(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown: String = chars.by_ref().take(60).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    crate::verdict::harmless(&shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(said: &NamedVerdict) -> NamedVerdict {
        let (head, rest) = (head(said), rest(said));
        let parts: Vec<&str> = rest.split(BAR).skip(1).collect();
        read(&head, &parts).unwrap_or_else(|wrong| panic!("{head}{rest}: {wrong}"))
    }

    #[test]
    fn a_verdict_says_what_is_wrong_first() {
        let mut said = NamedVerdict::of_class(Classification::FullyWorking);
        said.hits = vec!["list/a, b".to_owned(), "tool:verbs/x".to_owned()];
        said.reply = ReplyKind::ProtocolError;
        said.ground = Ground::Error;
        (said.is_error, said.error_code) = (true, Some("-32602".to_owned()));
        (said.confidence, said.business_logic) = (100.0, Some(false));
        (said.score, said.threshold) = (Some(0.25), Some(0.5));
        said.decided_by = Some("otherwise".to_owned());
        said.signals = vec!["business_pattern".to_owned(), "textual_evidence".to_owned()];
        said.issues = vec!["error a".to_owned(), "error a".to_owned(), "info b c".to_owned()];
        assert_eq!(head(&said), "worked fully_working 100, tool failure");
        assert_eq!(
            rest(&said),
            " | error a x2 | info b\\u{20}c | protocol_error code -32602 | score 0.25 of 0.5 by \
             otherwise | signals business_pattern textual_evidence | hits list/a\\u{2c} b, tool:verbs/x"
        );
        assert_eq!(back(&said), said);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let wrong = |head: &str, part: &str| read(head, &[part]).expect_err("wrong");
        assert!(wrong("worked splendid 100", "result").contains("`splendid` means nothing"));
        assert!(wrong("broken 100", "result").contains("`broken 100` means nothing"));
        assert!(wrong("failed broken much", "result").contains("`much` is no number"));
        assert!(wrong("failed broken 0, maybe", "result").contains("`maybe`"));
        assert!(wrong("failed broken 0", "signals a").contains("does not say what came back"));
        assert!(wrong("failed broken 0", "error a x99999999999").contains("nothing has more"));
        assert!(wrong("failed broken 0", "error a x0").contains("means nothing"));
    }

    fn name() -> impl Strategy<Value = String> {
        "[a-z ,|/x0-9\\\\]{1,8}"
    }

    proptest! {
        #[test]
        fn verdicts_come_back(
            (class, outcome, reply, ground, kind) in
                (0..5_usize, 0..6_usize, 0..5_usize, 0..Ground::ALL.len(), 0..4_usize),
            (valid, is_error) in any::<(bool, bool)>(),
            (business, hidden) in any::<(Option<bool>, Option<bool>)>(),
            (score, code, error_kind) in (
                any::<Option<f64>>(),
                proptest::option::of(name()),
                proptest::option::of(name()),
            ),
            (signals, hits, met, unmet) in (
                proptest::collection::vec(name(), 0..3),
                proptest::collection::vec("l/[a-z ,|x0-9\\\\]{1,8}", 0..3),
                proptest::collection::vec(name(), 0..3),
                proptest::collection::vec(name(), 0..3),
            ),
            (issues, schema) in (proptest::collection::vec(name(), 0..4), proptest::option::of((0..5_usize, name()))),
        ) {
            let mut said = NamedVerdict::of_class(Classification::ALL[class]);
            said.outcome = Outcome::ALL[outcome];
            said.fate = said.outcome.fate();
            said.reply = ReplyKind::ALL[reply];
            said.ground = Ground::ALL[ground];
            said.kind = ExchangeKind::ALL[kind];
            (said.is_valid, said.is_error) = (valid, is_error);
            (said.business_logic, said.hidden_failure) = (business, hidden);
            said.score = score;
            said.threshold = said.score.filter(|score| *score > 0.5);
            said.decided_by = said.score.and(error_kind.clone());
            (said.error_code, said.error_kind) = (code, error_kind);
            (said.signals, said.criteria) = (signals, [met, unmet]);
            said.hits = hits;
            said.issues = issues.into_iter().map(|kind| format!("warning {kind}")).collect();
            said.issues.sort();
            said.schema = schema.map(|(outcome, keyword)| NamedSchema {
                outcome: SchemaOutcome::ALL[outcome],
                key: None,
                keyword: Some(keyword),
            });
            prop_assert_eq!(back(&said), said);
        }
    }
}
