//! What was said, in rows of words that can stand beside each other.

use crate::compare::Standing;
use crate::compare::show::transition;
use crate::store::NamedVerdict;
use crate::verdict::Answer;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_128;

/// One part of what was said, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: &'static str,
    /// What it was, and what it is; `None` where a side says nothing of the exchange.
    pub sides: [Option<String>; 2],
    pub changed: bool,
}

/// The part that tells which patterns hit.
const PATTERNS: &str = "patterns";

enum Part {
    Words(String),
    List(Vec<String>),
}

/// What was said before and after, part by part; parts that both leave empty are left out. In lists,
/// what only one side has is marked with `-` and `+`.
pub fn rows(before: Option<&NamedVerdict>, after: Option<&NamedVerdict>) -> Vec<Row> {
    let parts = [before.map(parts), after.map(parts)];
    let names: Vec<&'static str> =
        parts.iter().flatten().next().map_or_else(Vec::new, |all| names_of(all));
    let mut rows = Vec::with_capacity(names.len());
    for (at, name) in names.into_iter().enumerate() {
        let part = |side: usize| parts[side].as_ref().map(|all| &all[at].1);
        let row = match (part(0), part(1)) {
            (Some(Part::List(before)), Some(Part::List(after))) => Row {
                name,
                sides: [Some(marked(before, after, '-')), Some(marked(after, before, '+'))],
                changed: before != after,
            },
            (before, after) => {
                let sides = [before.map(whole), after.map(whole)];
                let changed = sides.iter().all(Option::is_some) && sides[0] != sides[1];
                Row { name, sides, changed }
            }
        };
        if row.sides.iter().flatten().any(|text| !text.is_empty()) {
            rows.push(row);
        }
    }
    rows
}

fn names_of(parts: &[(&'static str, Part)]) -> Vec<&'static str> {
    parts.iter().map(|(name, _)| *name).collect()
}

fn whole(part: &Part) -> String {
    match part {
        Part::Words(words) => words.clone(),
        Part::List(items) => items.join(", "),
    }
}

fn marked(own: &[String], others: &[String], mark: char) -> String {
    let mut out = String::new();
    for item in own {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if !others.contains(item) {
            out.push(mark);
        }
        out.push_str(item);
    }
    out
}

/// Every side has the same parts in the same order.
fn parts(verdict: &NamedVerdict) -> Vec<(&'static str, Part)> {
    let text = |text: &Option<String>| Part::Words(text.clone().unwrap_or_default());
    let [passed, failed] = &verdict.criteria;
    vec![
        ("reply", Part::Words(verdict.reply.name().to_owned())),
        ("outcome", Part::Words(verdict.outcome.name().to_owned())),
        ("class", Part::Words(format!("{} {}", verdict.class.name(), short(verdict.confidence)))),
        ("answer", Part::Words(verdict.standing().answer.words().to_owned())),
        ("score", Part::Words(score(verdict))),
        ("decided by", text(&verdict.decided_by)),
        ("error kind", text(&verdict.error_kind)),
        ("error code", text(&verdict.error_code)),
        ("valid", Part::Words(if verdict.is_valid { "yes" } else { "no" }.to_owned())),
        ("signals", Part::List(verdict.signals.clone())),
        (PATTERNS, Part::List(verdict.hits.clone())),
        ("issues", Part::List(verdict.issues.clone())),
        ("schema", Part::Words(schema(verdict))),
        ("met", Part::List(passed.clone())),
        ("not met", Part::List(failed.clone())),
    ]
}

fn score(verdict: &NamedVerdict) -> String {
    let mut words = verdict.score.map(short).unwrap_or_default();
    if let Some(threshold) = verdict.threshold {
        let _ = write!(words, " of {}", short(threshold));
    }
    words
}

fn schema(verdict: &NamedVerdict) -> String {
    let Some(schema) = &verdict.schema else { return String::new() };
    let words = schema.outcome.name();
    match &schema.keyword {
        Some(keyword) => format!("{words}: {keyword}"),
        None => words.to_owned(),
    }
}

fn short(number: f64) -> String {
    ((number * 10_000.0).round() / 10_000.0).to_string()
}

/// Stands for all that the rows show of one side, save for patterns: verdicts rest on signals.
pub(super) fn digest_of(verdict: &NamedVerdict) -> u128 {
    let mut text = String::new();
    for (name, part) in parts(verdict).into_iter().filter(|(name, _)| *name != PATTERNS) {
        let words = whole(&part);
        let _ = write!(text, "{name}\u{1}{words}\u{1}");
    }
    xxh3_128(text.as_bytes())
}

fn standing_words(standing: Standing) -> String {
    let Standing { outcome, class, answer } = standing;
    match answer {
        Answer::NotAsked | Answer::Fine => [outcome.name(), class.name()].join(", "),
        answer => [outcome.name(), class.name(), answer.words()].join(", "),
    }
}

/// How it stood and stands, in words; what is new or gone has one of the two.
pub(super) fn change_words(from: Option<Standing>, to: Option<Standing>) -> String {
    match (from, to) {
        (None, None) => String::new(),
        (None, Some(to)) => format!("new: {}", standing_words(to)),
        (Some(from), None) => format!("was: {}", standing_words(from)),
        (Some(from), Some(to)) => transition(from, to),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::verdict;
    use super::*;

    #[test]
    fn what_only_one_side_has_is_marked() {
        let before = verdict(Answer::BusinessLogic, &["business_pattern", "http_status"]);
        let after = verdict(Answer::ToolFailure, &["http_status", "stack_trace"]);
        let rows = rows(Some(&before), Some(&after));
        let row = |name: &str| rows.iter().find(|row| row.name == name).expect("a row");
        let signals = row("signals");
        assert_eq!(signals.sides[0].as_deref(), Some("-business_pattern, http_status"));
        assert_eq!(signals.sides[1].as_deref(), Some("http_status, +stack_trace"));
        assert!(row("answer").changed && !row("class").changed);
        assert!(rows.iter().all(|row| row.name != "schema"), "empty parts are left out");
    }

    #[test]
    fn changes_name_no_more_than_what_changed() {
        let from = verdict(Answer::BusinessLogic, &[]).standing();
        let to = verdict(Answer::ToolFailure, &[]).standing();
        assert_eq!(
            change_words(Some(from), Some(to)),
            "refused -> failed, business logic -> tool failure"
        );
        assert_eq!(change_words(None, Some(to)), "new: failed, fully_working, tool failure");
        assert_eq!(change_words(Some(from), None), "was: refused, fully_working, business logic");
    }
}
