//! What was said, in rows of words that can stand beside each other.

use crate::compare::show::transition;
use crate::store::NamedVerdict;
use crate::verdict::Judgement;
use xxhash_rust::xxh3::xxh3_128;

/// One part of what was said, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: &'static str,
    /// What it was, and what it is; `None` where a side says nothing of the exchange.
    pub sides: [Option<String>; 2],
    pub changed: bool,
}

/// What is said of an exchange, in this order.
const PARTS: [&str; 15] = [
    "reply",
    "outcome",
    "class",
    "answer",
    "score",
    "decided by",
    "error kind",
    "error code",
    "valid",
    "signals",
    PATTERNS,
    "issues",
    "schema",
    "met",
    "not met",
];
const PATTERNS: &str = "patterns";
/// Those of which each side has a list.
const LISTS: [&str; 5] = ["signals", PATTERNS, "issues", "met", "not met"];

/// What was said before and after, part by part; parts that both leave empty are left out. In lists,
/// what only one side has is marked with `-` and `+`.
pub fn rows(sides: [Option<&NamedVerdict>; 2]) -> Vec<Row> {
    let parts = sides.map(|verdict| verdict.map(parts));
    let rows = (0..PARTS.len()).map(|at| {
        let name = PARTS[at];
        let [before, after] = [0, 1].map(|side: usize| parts[side].as_ref().map(|all| &all[at]));
        let marked = |own: Option<&Vec<String>>, other: Option<&Vec<String>>, mark: &str| {
            let other = other.filter(|_| LISTS.contains(&name));
            let item = |item: &String| match other {
                Some(other) if !other.contains(item) => format!("{mark}{item}"),
                _ => item.clone(),
            };
            own.map(|own| own.iter().map(item).collect::<Vec<_>>().join(", "))
        };
        let sides = [marked(before, after, "-"), marked(after, before, "+")];
        let changed = before.zip(after).is_some_and(|(before, after)| before != after);
        Row { name, sides, changed }
    });
    rows.filter(|row| row.sides.iter().flatten().any(|text| !text.is_empty())).collect()
}

fn parts(verdict: &NamedVerdict) -> [Vec<String>; PARTS.len()] {
    let words = |text: &str| vec![text.to_owned()];
    let text = |text: &Option<String>| text.iter().cloned().collect();
    let short = |number: f64| ((number * 10_000.0).round() / 10_000.0).to_string();
    let score = verdict.score.map(short).unwrap_or_default();
    let threshold = verdict.threshold.map(short).map(|it| format!(" of {it}")).unwrap_or_default();
    let schema = verdict.schema.iter().map(|schema| match &schema.keyword {
        Some(keyword) => format!("{}: {keyword}", schema.outcome.name()),
        None => schema.outcome.name().to_owned(),
    });
    let [passed, failed] = verdict.criteria.clone();
    [
        words(verdict.reply.name()),
        words(verdict.outcome.name()),
        vec![format!("{} {}", verdict.class.name(), short(verdict.confidence))],
        words(verdict.judgement().answer.words()),
        vec![score + &threshold],
        text(&verdict.decided_by),
        text(&verdict.error_kind),
        text(&verdict.error_code),
        words(if verdict.is_valid { "yes" } else { "no" }),
        verdict.signals.clone(),
        verdict.hits.clone(),
        verdict.issues.clone(),
        schema.collect(),
        passed,
        failed,
    ]
}

/// Stands for all that the rows show of one side, save for patterns: verdicts rest on signals.
pub(super) fn digest_of(verdict: &NamedVerdict) -> u128 {
    let parts = PARTS.into_iter().zip(parts(verdict)).filter(|(name, _)| *name != PATTERNS);
    let text = parts.map(|(name, items)| format!("{name}\u{1}{}\u{1}", items.join(", ")));
    xxh3_128(text.collect::<String>().as_bytes())
}

/// How it stood and stands, in words; what is new or gone has one of the two.
pub(super) fn change_words(from: Option<Judgement>, to: Option<Judgement>) -> String {
    match (from, to) {
        (None, None) => String::new(),
        (None, Some(to)) => format!("new: {}", to.outcome.name()),
        (Some(from), None) => format!("was: {}", from.outcome.name()),
        (Some(from), Some(to)) => transition(from, to),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;
    use crate::verdict::Answer;

    #[test]
    fn what_only_one_side_has_is_marked() {
        let before = verdict(Answer::BusinessLogic, &["business_pattern", "http_status"]);
        let after = verdict(Answer::ToolFailure, &["http_status", "stack_trace"]);
        let rows = rows([Some(&before), Some(&after)]);
        let row = |name: &str| rows.iter().find(|row| row.name == name).expect("a row");
        let signals = row("signals");
        assert_eq!(signals.sides[0].as_deref(), Some("-business_pattern, http_status"));
        assert_eq!(signals.sides[1].as_deref(), Some("http_status, +stack_trace"));
        assert!(row("answer").changed && !row("class").changed);
        assert!(rows.iter().all(|row| row.name != "schema"), "empty parts are left out");
    }

    #[test]
    fn changes_name_no_more_than_what_changed() {
        let from = verdict(Answer::BusinessLogic, &[]).judgement();
        let to = verdict(Answer::ToolFailure, &[]).judgement();
        assert_eq!(change_words(Some(from), Some(to)), "refused -> failed");
        assert_eq!(change_words(None, Some(to)), "new: failed");
        assert_eq!(change_words(Some(from), None), "was: refused");
    }
}
