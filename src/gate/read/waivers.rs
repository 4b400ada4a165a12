//! Waivers, each held against the rule that it names.

use super::super::WaiverKey;
use super::super::glob::Glob;
use super::super::policy::{Narrowed, Rule, Waiver};
use super::{is_plain, line_of};
use crate::recording::Day;
use crate::rulebook::problem::{Problems, did_you_mean};
use crate::rulebook::source::{Node, Section, Value};

pub(super) fn waiver(node: &Node, rules: &[Rule], problems: &Problems) -> Option<Waiver> {
    let mut table = Section::open(node, problems)?;
    let line = line_of(table.mark, problems);
    let named = table.require("rule", Section::text);
    let rule = named.and_then(|name| {
        let found = rules.iter().find(|rule| rule.name == name);
        if found.is_none() && !rules.is_empty() {
            let known: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
            let help = did_you_mean(name, known.iter().copied())
                .unwrap_or_else(|| format!("rules here: {}", known.join(", ")));
            let message = format!("unknown rule `{name}` in a waiver");
            problems.error_with_help(table.mark_of("rule"), message, Some(help));
        }
        found
    });
    let reason = table.require("reason", Section::text);
    if let Some(reason) = reason {
        is_plain(reason, table.mark_of("reason"), problems);
    }
    let until = until(&mut table);
    let narrowed = narrowed(&mut table, rule);
    table.finish();
    Some(Waiver {
        rule: rule?.name.clone(),
        narrowed,
        reason: reason?.to_owned(),
        until: until?,
        line,
    })
}

/// A day, written as a date of TOML or as a text.
fn until(table: &mut Section<'_>) -> Option<Day> {
    let node = table.require("until", Section::take)?;
    let text = match &node.value {
        Value::Date => table.problems.text(node.mark).to_owned(),
        Value::Text(text) => text.clone(),
        _ => String::new(),
    };
    text.parse().map_err(|message: &str| table.problems.error(node.mark, message)).ok()
}

fn narrowed(table: &mut Section<'_>, rule: Option<&Rule>) -> Narrowed {
    let mut narrowed = Narrowed::default();
    for key in WaiverKey::ALL {
        let Some(name) = table.text(key.name()) else { continue };
        let mark = table.mark_of(key.name());
        is_plain(name, mark, table.problems);
        let place = match key {
            WaiverKey::Cause => &mut narrowed.cause,
            WaiverKey::Server => &mut narrowed.server,
            WaiverKey::Tool => &mut narrowed.tool,
            WaiverKey::Group => &mut narrowed.group,
            WaiverKey::IssueType => &mut narrowed.issue_type,
        };
        *place = Some(Glob::new(name));
        let Some(rule) = rule else { continue };
        let facts = rule.limit.kind().facts();
        if !facts.narrowed_by.contains(&key) {
            let known: Vec<&str> = facts.narrowed_by.iter().map(|key| key.name()).collect();
            let help = match known.as_slice() {
                [] => "it can only be waived as a whole".to_owned(),
                known => format!("possible here: {}", known.join(", ")),
            };
            let message =
                format!("a waiver of `{}` cannot be narrowed to a {}", rule.name, key.name());
            table.problems.error_with_help(mark, message, Some(help));
        }
    }
    narrowed
}
