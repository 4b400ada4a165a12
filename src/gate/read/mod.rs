//! From a policy's file to a [`Policy`], with every mistake told at its place.

mod limits;
#[cfg(test)]
mod tests;
mod waivers;

use super::RuleKind;
use super::policy::{Policy, Rule, Sets, Unmatched};
use crate::rulebook::problem::{Mark, Problems};
use crate::rulebook::source::{Node, Section, Value};
use std::collections::BTreeSet;

/// How many rules a policy may have: every one takes lines in every output.
const MOST_RULES: usize = 200;
const MOST_WAIVERS: usize = 1000;
/// Longest name or reason, in characters.
const LONGEST_TEXT: usize = 200;
/// In percent: of two sides with so many requests in common one repeats the other.
const LEAST_MATCHED: f64 = 95.0;

/// Compiles a policy; `None` or reported problems mean that there is none. Rules of the `base` stay where
/// the policy has none of their kind.
pub(super) fn policy(
    tree: &Node,
    label: &str,
    base: Option<&Policy>,
    problems: &Problems,
) -> Option<Policy> {
    let mut section = Section::open(tree, problems)?;
    // Only there to be read by people.
    section.text("about");
    let extends = section.flag("default").unwrap_or(true);
    let base = base.filter(|_| extends);
    let sets = match section.flag("intersect") {
        Some(true) => Sets::Intersect,
        None if extends => Sets::Any,
        Some(false) | None => Sets::Same,
    };
    let least_matched = section.number_within("least_matched", 0.0..=100.0);
    let least_matched = least_matched.unwrap_or(LEAST_MATCHED);
    let unmatched = section.word("unmatched_waivers");
    section.renamed("rejects", "unreadable_lines");
    let mut rules = Vec::new();
    for facts in RuleKind::TABLE.iter().filter(|facts| facts.kind != RuleKind::Waivers) {
        let Some(entry) = section.entry(facts.name) else { continue };
        // Where there is one of a kind, its key is a better place to point at than its contents.
        let tables: Vec<Section<'_>> = match &entry.node.value {
            Value::List(elements) => {
                elements.iter().filter_map(|node| Section::open(node, problems)).collect()
            }
            _ => Section::open_entry(entry, problems).into_iter().collect(),
        };
        for table in tables {
            rules.extend(rule(facts.kind, table));
        }
    }
    rules.sort_by_key(|(mark, _)| *mark);
    bounded(rules.len(), MOST_RULES, "rules", section.mark, problems);
    let of_base: Vec<Rule> = base
        .iter()
        .flat_map(|base| &base.rules)
        .filter(|kept| rules.iter().all(|(_, rule)| rule.limit.kind() != kept.limit.kind()))
        .cloned()
        .collect();
    names_differ(&rules, &of_base, problems);
    let mut rules: Vec<Rule> = rules.into_iter().map(|(_, rule)| rule).collect();
    rules.extend(of_base);
    let waivers = section.list("waivers");
    bounded(waivers.len(), MOST_WAIVERS, "waivers", section.mark_of("waivers"), problems);
    let waivers =
        waivers.iter().filter_map(|node| waivers::waiver(node, &rules, problems)).collect();
    let mark = section.mark;
    section.finish();
    if rules.is_empty() && !problems.has_errors() {
        let known: Vec<String> = RuleKind::TABLE
            .iter()
            .filter(|facts| facts.kind != RuleKind::Waivers)
            .map(|facts| format!("[{}]", facts.name))
            .collect();
        let message = format!("a policy has at least one rule: {}", known.join(", "));
        problems.error(mark, message);
    }
    let unmatched = unmatched.unwrap_or(Unmatched::Fail);
    Some(Policy { label: label.to_owned(), sets, least_matched, unmatched, rules, waivers })
}

fn bounded(count: usize, most: usize, what: &str, mark: Mark, problems: &Problems) {
    if count > most {
        problems.error(mark, format!("a policy has at most {most} {what}, not {count}"));
    }
}

fn rule(kind: RuleKind, mut table: Section<'_>) -> Option<(Mark, Rule)> {
    let mark = table.mark;
    let name = table.text("name");
    if let Some(name) = name {
        is_plain(name, table.mark_of("name"), table.problems);
        if name == RuleKind::Waivers.name() {
            let message = "this name is reserved for the line about waivers; choose another";
            table.error_at("name", message);
        }
    }
    let limit = limits::limit(kind, &mut table);
    let line = Some(line_of(mark, table.problems));
    table.finish();
    let name = name.unwrap_or_else(|| kind.name()).to_owned();
    Some((mark, Rule { name, line, limit: limit? }))
}

/// Names and reasons are shown as one line each.
fn is_plain(text: &str, mark: Mark, problems: &Problems) {
    if text.trim().is_empty() {
        problems.error(mark, "expected some text");
    } else if text.chars().any(char::is_control) || text.chars().count() > LONGEST_TEXT {
        let message = format!("this must be one line of at most {LONGEST_TEXT} characters");
        problems.error(mark, message);
    }
}

fn line_of(mark: Mark, problems: &Problems) -> u64 {
    problems.problem(mark, String::new(), None).line as u64
}

fn names_differ(rules: &[(Mark, Rule)], of_base: &[Rule], problems: &Problems) {
    for (mark, rule) in
        rules.iter().filter(|(_, rule)| of_base.iter().any(|it| it.name == rule.name))
    {
        let message = format!("the default policy has a rule `{}` of another kind", rule.name);
        problems.error_with_help(*mark, message, Some("choose another `name`".to_owned()));
    }
    let mut seen = BTreeSet::new();
    for (mark, rule) in rules.iter().filter(|(_, rule)| !seen.insert(rule.name.as_str())) {
        let message = format!("the rule `{}` is defined twice", rule.name);
        let help = "give each a `name` of its own".to_owned();
        problems.error_with_help(*mark, message, Some(help));
    }
}
