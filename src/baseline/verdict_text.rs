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
pub(super) fn head(verdict: &NamedVerdict) -> String {
    let mut head =
        format!("{} {} {}", verdict.outcome.name(), verdict.class.name(), verdict.confidence);
    let mut add = |words: &str| {
        head.push_str(", ");
        head.push_str(words);
    };
    match verdict.business_logic {
        Some(true) => add("business logic"),
        Some(false) => add("tool failure"),
        None => {}
    }
    match verdict.hidden_failure {
        Some(true) => add("hidden failure"),
        Some(false) => add("no hidden failure"),
        None => {}
    }
    match (verdict.is_valid, verdict.class.is_mostly_valid()) {
        (true, false) => add("valid"),
        (false, true) => add("not valid"),
        (true, true) | (false, false) => {}
    }
    head
}

/// Everything but the head, each part after a bar.
pub(super) fn rest(verdict: &NamedVerdict) -> String {
    let mut rest = String::new();
    let mut issues = verdict.issues.iter().peekable();
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
    write_reply(verdict, &mut rest);
    if let Some(score) = verdict.score {
        let _ = write!(rest, "{BAR}score {score}");
        if let Some(threshold) = verdict.threshold {
            let _ = write!(rest, " of {threshold}");
        }
        if let Some(line) = &verdict.decided_by {
            rest.push_str(" by ");
            spell(line, Within::List, &mut rest);
        }
    }
    write_part("kind", verdict.error_kind.as_slice(), Within::List, &mut rest);
    write_part("signals", &verdict.signals, Within::Words, &mut rest);
    if let Some(schema) = &verdict.schema {
        let _ = write!(rest, "{BAR}schema {}", schema.outcome.name());
        if let Some(keyword) = &schema.keyword {
            rest.push_str(" at ");
            spell(keyword, Within::List, &mut rest);
        }
    }
    let [met, unmet] = &verdict.criteria;
    write_part("met", met, Within::List, &mut rest);
    write_part("unmet", unmet, Within::List, &mut rest);
    write_part("hits", &verdict.hits, Within::List, &mut rest);
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

fn write_reply(verdict: &NamedVerdict, out: &mut String) {
    let _ = write!(out, "{BAR}{}", verdict.reply.name());
    if verdict.ground != usual_ground(verdict.reply) {
        let _ = write!(out, " ground {}", verdict.ground.name());
    }
    if verdict.kind != ExchangeKind::ToolCall {
        let _ = write!(out, " as {}", verdict.kind.name());
    }
    match (verdict.is_error, verdict.reply.is_error()) {
        (Some(true), false) => out.push_str(" is error"),
        (Some(false), true) => out.push_str(" is success"),
        (None, _) => out.push_str(" is unrecorded"),
        (Some(true), true) | (Some(false), false) => {}
    }
    if let Some(code) = &verdict.error_code {
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
    let mut verdict = read_head(head)?;
    let mut reply = None;
    for part in parts {
        let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
        match word {
            "score" => read_score(rest, &mut verdict)?,
            "kind" => verdict.error_kind = Some(name_of(rest)?),
            "signals" => verdict.signals = names(rest, Within::Words)?,
            "schema" => verdict.schema = Some(read_schema(rest)?),
            "met" => verdict.criteria[0] = names(rest, Within::List)?,
            "unmet" => verdict.criteria[1] = names(rest, Within::List)?,
            "hits" => verdict.hits = names(rest, Within::List)?,
            _ if is_severity(word) => {
                let (kind, count) = read_count(rest)?;
                let issue = format!("{word} {}", name_of(kind)?);
                let count = usize::try_from(count).map_err(|_| unclear(part))?;
                if verdict.issues.len().saturating_add(count) > MOST_ISSUES {
                    return Err(format!("more than {MOST_ISSUES} issues: `{part}`"));
                }
                verdict.issues.extend(std::iter::repeat_n(issue, count));
            }
            _ => {
                let found = named(&ReplyKind::ALL, ReplyKind::name, word)?;
                if reply.replace(found).is_some() {
                    return Err(format!("a second reply: `{part}`"));
                }
                read_reply(found, rest, &mut verdict)?;
            }
        }
    }
    match reply {
        Some(_) => Ok(verdict),
        None => Err("the line has no reply".to_owned()),
    }
}

/// More issues than one exchange ever has: what says so asks for memory and nothing else.
const MOST_ISSUES: usize = 100_000;

fn read_head(head: &str) -> Result<NamedVerdict, String> {
    let mut words = head.split(", ");
    let first: Vec<&str> = words.next().into_iter().flat_map(|first| first.split(' ')).collect();
    let [outcome, class, confidence] = first[..] else { return Err(unclear(head)) };
    let mut verdict =
        NamedVerdict::of_class(named(&Classification::ALL, Classification::name, class)?);
    verdict.outcome = named(&Outcome::ALL, Outcome::name, outcome)?;
    verdict.fate = verdict.outcome.fate();
    verdict.confidence = number(confidence)?;
    for word in words {
        match word {
            "business logic" => verdict.business_logic = Some(true),
            "tool failure" => verdict.business_logic = Some(false),
            "hidden failure" => verdict.hidden_failure = Some(true),
            "no hidden failure" => verdict.hidden_failure = Some(false),
            "valid" => verdict.is_valid = true,
            "not valid" => verdict.is_valid = false,
            _ => return Err(unclear(word)),
        }
    }
    Ok(verdict)
}

fn read_reply(reply: ReplyKind, rest: &str, verdict: &mut NamedVerdict) -> Result<(), String> {
    verdict.reply = reply;
    verdict.ground = usual_ground(reply);
    verdict.is_error = Some(reply.is_error());
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| unclear(rest))?;
        match (word, value) {
            ("ground", _) => verdict.ground = named(&Ground::ALL, Ground::name, value)?,
            ("as", _) => verdict.kind = named(&ExchangeKind::ALL, ExchangeKind::name, value)?,
            ("is", "error") => verdict.is_error = Some(true),
            ("is", "success") => verdict.is_error = Some(false),
            ("is", "unrecorded") => verdict.is_error = None,
            ("code", _) => verdict.error_code = Some(name_of(value)?),
            _ => return Err(unclear(rest)),
        }
    }
    Ok(())
}

fn read_score(text: &str, verdict: &mut NamedVerdict) -> Result<(), String> {
    let (numbers, line) = match text.split_once(" by ") {
        Some((numbers, line)) => (numbers, Some(name_of(line)?)),
        None => (text, None),
    };
    let (score, threshold) = match numbers.split_once(" of ") {
        Some((score, threshold)) => (score, Some(number(threshold)?)),
        None => (numbers, None),
    };
    verdict.score = Some(number(score)?);
    (verdict.threshold, verdict.decided_by) = (threshold, line);
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
    text.parse().map_err(|_| format!("`{}` is not a number", cut(text)))
}

pub(super) fn unclear(text: &str) -> String {
    format!("`{}` is unexpected here", cut(text))
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

    fn back(verdict: &NamedVerdict) -> NamedVerdict {
        let (head, rest) = (head(verdict), rest(verdict));
        let parts: Vec<&str> = rest.split(BAR).skip(1).collect();
        read(&head, &parts).unwrap_or_else(|wrong| panic!("{head}{rest}: {wrong}"))
    }

    #[test]
    fn a_verdict_says_what_is_wrong_first() {
        let mut verdict = NamedVerdict::of_class(Classification::FullyWorking);
        verdict.hits = vec!["list/a, b".to_owned(), "tool:verbs/x".to_owned()];
        verdict.reply = ReplyKind::ProtocolError;
        verdict.ground = Ground::Error;
        (verdict.is_error, verdict.error_code) = (Some(true), Some("-32602".to_owned()));
        (verdict.confidence, verdict.business_logic) = (100.0, Some(false));
        (verdict.score, verdict.threshold) = (Some(0.25), Some(0.5));
        verdict.decided_by = Some("otherwise".to_owned());
        verdict.signals = vec!["business_pattern".to_owned(), "textual_evidence".to_owned()];
        verdict.issues = vec!["error a".to_owned(), "error a".to_owned(), "info b c".to_owned()];
        assert_eq!(head(&verdict), "worked fully_working 100, tool failure");
        assert_eq!(
            rest(&verdict),
            " | error a x2 | info b\\u{20}c | protocol_error code -32602 | score 0.25 of 0.5 by \
             otherwise | signals business_pattern textual_evidence | hits list/a\\u{2c} b, tool:verbs/x"
        );
        assert_eq!(back(&verdict), verdict);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let wrong = |head: &str, part: &str| read(head, &[part]).expect_err("wrong");
        assert!(wrong("worked splendid 100", "result").contains("`splendid` is unexpected"));
        assert!(wrong("broken 100", "result").contains("`broken 100` is unexpected"));
        assert!(wrong("failed broken much", "result").contains("`much` is not a number"));
        assert!(wrong("failed broken 0, maybe", "result").contains("`maybe`"));
        assert!(wrong("failed broken 0", "signals a").contains("the line has no reply"));
        assert!(wrong("failed broken 0", "error a x99999999999").contains("more than"));
        assert!(wrong("failed broken 0", "error a x0").contains("is unexpected"));
    }

    fn name() -> impl Strategy<Value = String> {
        "[a-z ,|/x0-9\\\\]{1,8}"
    }

    proptest! {
        #[test]
        fn verdicts_come_back(
            (class, outcome, reply, ground, kind) in
                (0..5_usize, 0..6_usize, 0..5_usize, 0..Ground::ALL.len(), 0..4_usize),
            (valid, is_error) in any::<(bool, Option<bool>)>(),
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
            let mut verdict = NamedVerdict::of_class(Classification::ALL[class]);
            verdict.outcome = Outcome::ALL[outcome];
            verdict.fate = verdict.outcome.fate();
            verdict.reply = ReplyKind::ALL[reply];
            verdict.ground = Ground::ALL[ground];
            verdict.kind = ExchangeKind::ALL[kind];
            (verdict.is_valid, verdict.is_error) = (valid, is_error);
            (verdict.business_logic, verdict.hidden_failure) = (business, hidden);
            verdict.score = score;
            verdict.threshold = verdict.score.filter(|score| *score > 0.5);
            verdict.decided_by = verdict.score.and(error_kind.clone());
            (verdict.error_code, verdict.error_kind) = (code, error_kind);
            (verdict.signals, verdict.criteria) = (signals, [met, unmet]);
            verdict.hits = hits;
            verdict.issues = issues.into_iter().map(|kind| format!("warning {kind}")).collect();
            verdict.issues.sort();
            verdict.schema = schema.map(|(outcome, keyword)| NamedSchema {
                outcome: SchemaOutcome::ALL[outcome],
                key: None,
                keyword: Some(keyword),
            });
            prop_assert_eq!(back(&verdict), verdict);
        }
    }
}
