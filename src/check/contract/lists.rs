//! What attacks and exposed internals look like: built-in lists and those of contracts, all of them data.

use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Node, Section};
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde_json::Value;
use std::sync::{Arc, LazyLock, OnceLock};

/// How much memory the compiled patterns of a list may take, and again what is cached while searching:
/// the default makes the search of large lists a hundred times slower.
const PATTERN_BYTES: usize = 32 << 20;
/// How many matches of a pattern are compared with what the caller sent.
const MOST_MATCHES: usize = 20;

#[derive(Debug, Default)]
pub(super) struct TextList {
    pub(super) name: String,
    about: String,
    /// In capitals.
    contains: Vec<String>,
    patterns: Vec<Pattern>,
    set: OnceLock<RegexSet>,
}

#[derive(Debug)]
struct Pattern {
    name: String,
    regex: String,
    /// By itself; `None` where that takes too much memory.
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Whether it matches anything that the caller did not send.
    fn matches_beyond(&self, text: &str, sent: &[&str]) -> bool {
        let compile = || RegexBuilder::new(&self.regex).size_limit(PATTERN_BYTES).build().ok();
        if sent.is_empty() {
            return true;
        }
        self.compiled.get_or_init(compile).as_ref().is_none_or(|regex| {
            regex.captures_iter(text).take(MOST_MATCHES).any(|found| {
                let part = found.name("sent").or_else(|| found.get(0));
                part.is_none_or(|part| !was_sent(part.as_str(), sent))
            })
        })
    }
}

/// Whether the caller sent a part of a text, or the folder that it lies in.
fn was_sent(part: &str, sent: &[&str]) -> bool {
    let is_around = |sign: char| sign.is_whitespace() || "\"'`()=:.,;".contains(sign);
    let part = part.trim_matches(is_around);
    let begins_with = |text: &str| {
        let text = text.trim_end_matches(['/', '\\']);
        let rest = part.strip_prefix(text).filter(|_| text.len() > 2);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    !part.is_empty() && sent.iter().any(|text| text.contains(part) || begins_with(text))
}

/// The texts and names of members that arguments hold.
pub(super) fn texts_sent(arguments: Option<&Value>) -> Vec<&str> {
    fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
        match value {
            Value::String(text) => texts.push(text),
            Value::Array(elements) => elements.iter().for_each(|element| gather(element, texts)),
            Value::Object(members) => {
                for (name, inner) in members {
                    texts.push(name);
                    gather(inner, texts);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut texts = Vec::new();
    if let Some(arguments) = arguments {
        gather(arguments, &mut texts);
    }
    texts
}

impl TextList {
    /// The list of a contract, tried on its examples.
    pub(super) fn read(entry: &Entry, problems: &Problems) -> Option<Arc<Self>> {
        let mut section = Section::open_entry(entry, problems)?;
        let list = Self::from_section(&entry.key, &mut section);
        match list.compiled() {
            Ok(set) => drop(list.set.set(set)),
            Err(error) => {
                let message = format!("these patterns cannot be used: {error}");
                section.error(message);
            }
        }
        for (key, is_hit) in [("yes", true), ("no", false)] {
            for (text, mark) in section.texts(key) {
                if list.set.get().is_some() && list.hit(text).is_some() != is_hit {
                    let what = if is_hit { "does not match" } else { "matches" };
                    problems.error(mark, format!("the list {what} this example"));
                }
            }
        }
        section.finish();
        Some(Arc::new(list))
    }

    fn from_section(name: &str, section: &mut Section<'_>) -> Self {
        let contains = section.texts("contains").into_iter();
        let mut list = Self {
            name: name.to_owned(),
            about: section.text("about").unwrap_or_default().to_owned(),
            contains: contains.map(|(text, _)| text.to_uppercase()).collect(),
            ..Self::default()
        };
        for node in section.list("patterns") {
            let Some(mut pattern) = Section::open(node, section.problems) else { continue };
            let [name, regex] = ["name", "regex"]
                .map(|key| pattern.require(key, Section::text).unwrap_or_default().to_owned());
            list.patterns.push(Pattern { name, regex, compiled: OnceLock::new() });
            pattern.finish();
        }
        list
    }

    fn compiled(&self) -> Result<RegexSet, regex::Error> {
        let regexes = self.patterns.iter().map(|pattern| &pattern.regex);
        RegexSetBuilder::new(regexes)
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(PATTERN_BYTES)
            .build()
    }

    /// What of the list a text matches.
    pub(super) fn hit(&self, text: &str) -> Option<String> {
        self.hit_beyond(text, &[])
    }

    /// What of the list a text matches that the caller did not send.
    pub(super) fn hit_beyond(&self, text: &str, sent: &[&str]) -> Option<String> {
        let holds = |text: &str, needle: &str| text.to_uppercase().contains(needle);
        let capitals = if self.contains.is_empty() { String::new() } else { text.to_uppercase() };
        let contained = self.contains.iter().find(|needle| {
            capitals.contains(needle.as_str()) && !sent.iter().any(|text| holds(text, needle))
        });
        contained.map(|needle| format!("`{needle}`")).or_else(|| {
            let built_in = || self.compiled().expect("a test compiles the built-in lists");
            let patterns = self.set.get_or_init(built_in);
            let mut matched = patterns.matches(text).into_iter().map(|at| &self.patterns[at]);
            let pattern = matched.find(|pattern| pattern.matches_beyond(text, sent))?;
            Some(pattern.name.clone())
        })
    }
}

/// The lists of a file that is built in. Their words are ASCII: boundaries of Unicode words make the
/// search of texts in other scripts a hundred times slower.
fn built_in(text: &str) -> Vec<Arc<TextList>> {
    let text = &text.replace(r"\b", r"(?-u:\b)");
    let mut problems = Problems::default();
    let file = problems.add_file("built in", text);
    let tree = Node::parse(text, file, &problems);
    let entries = tree.as_ref().and_then(Node::entries).unwrap_or_default();
    let lists = entries.iter().filter_map(|entry| {
        let mut section = Section::open_entry(entry, &problems)?;
        Some(Arc::new(TextList::from_section(&entry.key, &mut section)))
    });
    lists.collect()
}

static INJECTIONS: LazyLock<Vec<Arc<TextList>>> =
    LazyLock::new(|| built_in(include_str!("lists.toml")));

static INTERNALS: LazyLock<Vec<Arc<TextList>>> =
    LazyLock::new(|| built_in(include_str!("internals.toml")));

pub(super) fn injection_list(name: &str) -> Option<Arc<TextList>> {
    INJECTIONS.iter().find(|list| list.name == name).cloned()
}

/// The injection lists there are: name, and what each is about.
pub fn injection_lists() -> impl Iterator<Item = (&'static str, &'static str)> {
    INJECTIONS.iter().map(|list| (list.name.as_str(), list.about.as_str()))
}

/// What of an injection list a text matches; `None` where it matches nothing, or there is no such list.
pub fn injection_hit(list: &str, text: &str) -> Option<String> {
    injection_list(list)?.hit(text)
}

/// What a text shows of how a server works inside, beyond the texts that the caller sent.
pub fn exposed(text: &str, sent: &[&str]) -> Option<String> {
    INTERNALS.iter().find_map(|list| list.hit_beyond(text, sent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn texts_match_what_their_cases_list() {
        cases::check("tests/cases/text-lists.txt", |case| {
            let (sent, text) = case.questions(&["sent"]);
            let sent: Vec<&str> = sent.iter().map(|line| &line["sent ".len()..]).collect();
            let hit = |(list, _)| Some(format!("{list}: {}", injection_hit(list, &text)?));
            let shown = exposed(&text, &sent).map(|what| format!("exposed: {what}"));
            let found: Vec<String> = injection_lists().filter_map(hit).chain(shown).collect();
            if found.is_empty() { "nothing".to_owned() } else { found.join("\n") }
        });
        let documented = injection_list("documented").expect("the list is there");
        assert_eq!(documented.contains.len(), 12);
    }

    #[test]
    fn arguments_send_their_texts_and_names() {
        let arguments = serde_json::json!({"files": [{"/tmp/a": "x"}], "depth": 2, "all": true});
        assert_eq!(texts_sent(Some(&arguments)), ["files", "/tmp/a", "x", "depth", "all"]);
        assert!(texts_sent(None).is_empty());
    }
}
