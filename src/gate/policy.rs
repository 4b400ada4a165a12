//! A policy: rules and waivers, read from TOML with every mistake told at its place.

use super::rules::{Limit, RULES, RuleKind, WAIVERS};
use super::waive::WaiverKey;
use crate::recording::Day;
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems, did_you_mean, listing};
use crate::rulebook::source::{Node, Section, Value, read_within};
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Policies are written by hand; anything longer is a mistake.
const LONGEST: u64 = 1 << 20;
/// How many rules a policy may have: every one takes lines in every output.
const MOST_RULES: usize = 200;
const MOST_WAIVERS: usize = 1000;
/// Longest name or reason, in characters.
const LONGEST_TEXT: usize = 200;
/// In percent: of two sides with so many requests in common one repeats the other.
const LEAST_MATCHED: f64 = 95.0;
/// The policy that holds where no file is named, and that files override.
const DEFAULT: &str = include_str!("default.toml");

/// What has to hold, and what is let pass until when.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(super) label: String,
    pub(super) sets: Sets,
    /// From how many percent of the requests in common on each exchange is held against its own.
    pub(super) least_matched: f64,
    /// Whether a waiver that matches nothing fails the gate.
    pub(super) waivers_must_match: bool,
    /// In the order of the file, then those of the default policy.
    pub(super) rules: Vec<Rule>,
    /// In the order of the file.
    pub(super) waivers: Vec<Waiver>,
}

/// Whether the sides may be over different exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sets {
    /// They must be over the same.
    Same,
    /// What both have is compared.
    Intersect,
    /// Whatever they are over, each rule says what it makes of it.
    Any,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    /// The line of the policy's file; `None` for a rule of the default policy.
    pub(super) line: Option<u64>,
    pub(super) kind: &'static RuleKind,
    pub(super) limit: Arc<dyn Limit>,
}

/// What is let pass although a rule refuses it.
#[derive(Clone, Debug)]
pub(super) struct Waiver {
    pub(super) rule: String,
    /// The exchanges that it is about; where nothing is named, it is about the rule as a whole.
    pub(super) narrowed: Vec<(WaiverKey, Glob)>,
    pub(super) reason: String,
    /// The last day on which it holds.
    pub(super) until: Day,
    pub(super) line: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("the policy {0} does not exist")]
    Missing(String),
    #[error("cannot read the policy {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{}", listing("the policy", .0))]
    Invalid(Vec<Problem>),
}

impl Policy {
    pub fn load(path: &Path) -> Result<Self, PolicyError> {
        let label = path.display().to_string();
        // Where even that cannot be told, reading says why.
        if path.try_exists().is_ok_and(|exists| !exists) {
            return Err(PolicyError::Missing(label));
        }
        let text = read_within(path, LONGEST)
            .map_err(|source| PolicyError::Unreadable { path: label.clone(), source })?;
        Self::from_toml(&text, &label)
    }

    pub fn builtin() -> Result<Self, PolicyError> {
        let mut policy = Self::compiled(DEFAULT, "default", None)?;
        policy.rules.iter_mut().for_each(|rule| rule.line = None);
        Ok(policy)
    }

    /// A policy from its text, which overrides the default rule by rule. Problems name it by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, PolicyError> {
        Self::compiled(text, label, Some(&Self::builtin()?))
    }

    /// Rules of the `base` stay where the text has none of their kind.
    pub(super) fn compiled(
        text: &str,
        label: &str,
        base: Option<&Self>,
    ) -> Result<Self, PolicyError> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let tree = Node::parse(text, file, &problems);
        match tree.and_then(|tree| read(&tree, label, base, &problems)) {
            Some(policy) if !problems.has_errors() => Ok(policy),
            _ => Err(PolicyError::Invalid(problems.into_errors())),
        }
    }

    pub fn sets(&self) -> Sets {
        self.sets
    }

    /// Whether a rule asks for labels; `judged_alike` where both sides were judged by the same rules.
    pub fn asks_for_labels(&self, judged_alike: bool) -> bool {
        self.rules.iter().any(|rule| rule.limit.asks_for_labels(judged_alike))
    }
}

fn read(tree: &Node, label: &str, base: Option<&Policy>, problems: &Problems) -> Option<Policy> {
    let mut section = Section::open(tree, problems)?;
    // Only there to be read by people.
    section.text("about");
    let extends = section.flag("default").unwrap_or(true);
    let sets = match section.flag("intersect") {
        Some(true) => Sets::Intersect,
        None if extends => Sets::Any,
        Some(false) | None => Sets::Same,
    };
    let least_matched = section.number_within("least_matched", 0.0..=100.0);
    let must_match = section.word_of("unmatched_waivers", &[(true, "fail"), (false, "warn")]);
    section.renamed("rejects", "unreadable_lines");
    let mut rules = Vec::new();
    for kind in RULES {
        let Some(entry) = section.entry(kind.name) else { continue };
        // Where there is one of a kind, its key is a better place to point at than its contents.
        let tables: Vec<Section<'_>> = match &entry.node.value {
            Value::List(nodes) => {
                nodes.iter().filter_map(|node| Section::open(node, problems)).collect()
            }
            _ => Section::open_entry(entry, problems).into_iter().collect(),
        };
        rules.extend(tables.into_iter().filter_map(|table| rule(kind, table)));
    }
    rules.sort_by_key(|(mark, _)| *mark);
    bounded(rules.len(), MOST_RULES, "rules", section.mark, problems);
    let has = |kept: &&Rule| rules.iter().any(|(_, rule)| rule.kind.name == kept.kind.name);
    let base = base.filter(|_| extends).map_or(&[][..], |base| &base.rules);
    let of_base: Vec<Rule> = base.iter().filter(|kept| !has(kept)).cloned().collect();
    let mut names = BTreeSet::new();
    for (mark, Rule { name, .. }) in &rules {
        if of_base.iter().any(|of_base| of_base.name == *name) {
            let message = format!("the default policy has a rule `{name}` of another kind");
            problems.error_with_help(*mark, message, Some("choose another `name`".to_owned()));
        }
        if !names.insert(name) {
            let message = format!("the rule `{name}` is defined twice");
            let help = "give each a `name` of its own".to_owned();
            problems.error_with_help(*mark, message, Some(help));
        }
    }
    let rules: Vec<Rule> = rules.into_iter().map(|(_, rule)| rule).chain(of_base).collect();
    let waivers = section.list("waivers");
    bounded(waivers.len(), MOST_WAIVERS, "waivers", section.mark_of("waivers"), problems);
    let waivers = waivers.iter().filter_map(|node| waiver(node, &rules, problems)).collect();
    let mark = section.mark;
    section.finish();
    if rules.is_empty() && !problems.has_errors() {
        let known = RULES.map(|kind| format!("[{}]", kind.name)).join(", ");
        problems.error(mark, format!("a policy has at least one rule: {known}"));
    }
    Some(Policy {
        label: label.to_owned(),
        sets,
        least_matched: least_matched.unwrap_or(LEAST_MATCHED),
        waivers_must_match: must_match.unwrap_or(true),
        rules,
        waivers,
    })
}

fn bounded(count: usize, most: usize, what: &str, mark: Mark, problems: &Problems) {
    if count > most {
        problems.error(mark, format!("a policy has at most {most} {what}, not {count}"));
    }
}

fn rule(kind: &'static RuleKind, mut table: Section<'_>) -> Option<(Mark, Rule)> {
    let mark = table.mark;
    let name = plain_text(&mut table, "name");
    if name == Some(WAIVERS.name) {
        let message = "this name is reserved for the line about waivers; choose another";
        table.error_at("name", message);
    }
    let limit = (kind.read)(&mut table);
    let line = Some(line_of(&table));
    table.finish();
    let name = name.unwrap_or(kind.name).to_owned();
    Some((mark, Rule { name, line, kind, limit: limit? }))
}

fn line_of(table: &Section<'_>) -> u64 {
    table.problems.problem(table.mark, String::new(), None).line as u64
}

/// A name or reason, which is shown as one line.
fn plain_text<'a>(table: &mut Section<'a>, key: &'static str) -> Option<&'a str> {
    let text = table.text(key)?;
    if text.trim().is_empty() {
        table.error_at(key, "expected some text");
    } else if text.chars().any(char::is_control) || text.chars().count() > LONGEST_TEXT {
        let message = format!("this must be one line of at most {LONGEST_TEXT} characters");
        table.error_at(key, message);
    }
    Some(text)
}

fn waiver(node: &Node, rules: &[Rule], problems: &Problems) -> Option<Waiver> {
    let mut table = Section::open(node, problems)?;
    let line = line_of(&table);
    let named = table.require("rule", Section::text);
    let rule = named.and_then(|name| rules.iter().find(|rule| rule.name == name));
    if let (Some(name), None, false) = (named, rule, rules.is_empty()) {
        let known: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
        let help = did_you_mean(name, known.iter().copied())
            .unwrap_or_else(|| format!("rules here: {}", known.join(", ")));
        let message = format!("unknown rule `{name}` in a waiver");
        problems.error_with_help(table.mark_of("rule"), message, Some(help));
    }
    let reason = table.require("reason", plain_text);
    let until = until(&mut table);
    let narrowed = narrowed(&mut table, rule);
    table.finish();
    let (rule, reason) = (rule?.name.clone(), reason?.to_owned());
    Some(Waiver { rule, narrowed, reason, until: until?, line })
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

fn narrowed(table: &mut Section<'_>, rule: Option<&Rule>) -> Vec<(WaiverKey, Glob)> {
    let mut narrowed = Vec::new();
    for key in WaiverKey::ALL {
        let Some(name) = plain_text(table, key.name()) else { continue };
        narrowed.extend(Glob::new(name).map(|glob| (key, glob)));
        let Some(rule) = rule.filter(|rule| !rule.kind.narrowed_by.contains(&key)) else {
            continue;
        };
        let known: Vec<&str> = rule.kind.narrowed_by.iter().map(|key| key.name()).collect();
        let help = match known.as_slice() {
            [] => "it can only be waived as a whole".to_owned(),
            known => format!("possible here: {}", known.join(", ")),
        };
        let message = format!("a waiver of `{}` cannot be narrowed to a {}", rule.name, key.name());
        table.problems.error_with_help(table.mark_of(key.name()), message, Some(help));
    }
    narrowed
}

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    pub(super) written: String,
    regex: Regex,
}

impl Glob {
    /// `None` where it is too long to be looked for.
    pub(super) fn new(written: &str) -> Option<Self> {
        let regex = regex::escape(written).replace(r"\*", ".*").replace(r"\?", ".");
        let regex = Regex::new(&format!("(?s)^{regex}$")).ok()?;
        Some(Self { written: written.to_owned(), regex })
    }

    pub(super) fn fits(&self, name: &str) -> bool {
        self.regex.is_match(name)
    }
}

/// The names of a list, none of them empty.
pub(super) fn globs(table: &mut Section<'_>, key: &'static str) -> Vec<Glob> {
    let read = |(name, mark): (&str, _)| {
        let glob = Glob::new(name).filter(|_| !name.is_empty());
        if glob.is_none() {
            let bound = if name.is_empty() { "" } else { " that is not too long" };
            table.problems.error(mark, format!("expected a name{bound}"));
        }
        glob
    };
    let written = table.texts(key);
    written.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn wildcards_stand_for_characters_and_others_for_themselves() {
        for (pattern, fitting, other) in [
            ("business_patterns/*", "business_patterns/not found", "business/not found"),
            ("*weight", "factors.x.weight", "factors.x.weights"),
            ("*a*?b", "aaxb", "aab\n"),
            ("??", "üx", "a"),
            ("**b", "a\nb", "a"),
            ("[a]", "[a]", "a"),
            ("", "", "a"),
            ("a", "a", "A"),
            (r"\*", r"\x", "x"),
        ] {
            let glob = Glob::new(pattern).expect("short");
            assert!(glob.fits(fitting), "{pattern} and {fitting}");
            assert!(!glob.fits(other), "{pattern} and {other}");
        }
        assert!(Glob::new(&"?".repeat(1_000_000)).is_none());
    }
}
