//! Reading a table key by key, so that keys nobody asked for can be told.

use super::node::{Entry, Node, Value};
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use std::collections::HashSet;

/// A table that is being read.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    pub(crate) mark: Mark,
    pub(crate) problems: &'a Problems,
    entries: &'a [Entry],
    asked: Vec<&'static str>,
    extending: &'static [&'static str],
}

impl<'a> Section<'a> {
    /// Opens a table; anything else is reported.
    pub(crate) fn open(node: &'a Node, problems: &'a Problems) -> Option<Self> {
        let entries = node.entries();
        if entries.is_none() {
            problems.error(node.mark, format!("expected a table, not {}", node.kind()));
        }
        Some(Self {
            mark: node.mark,
            problems,
            entries: entries?,
            asked: Vec::new(),
            extending: &[],
        })
    }

    /// A table whose header (the key's place) is a better place to point at than its contents.
    pub(crate) fn open_entry(entry: &'a Entry, problems: &'a Problems) -> Option<Self> {
        let section = Self::open(&entry.node, problems)?;
        Some(Self { mark: entry.key_mark, ..section })
    }

    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    pub(crate) fn entry(&mut self, key: &'static str) -> Option<&'a Entry> {
        self.asked.push(key);
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entries of a table of named things; none where it is absent.
    pub(crate) fn named(&mut self, key: &'static str) -> &'a [Entry] {
        let table = self.take(key).and_then(|node| Section::open(node, self.problems));
        table.map_or(&[], |table| table.entries)
    }

    /// The elements of a list; none where it is absent.
    pub(crate) fn list(&mut self, key: &'static str) -> &'a [Node] {
        self.value(key, "a list", Node::elements).unwrap_or_default()
    }

    /// Reads the tables of a list, each of which has a name of its own.
    pub(crate) fn lines<T>(
        &mut self,
        key: &'static str,
        mut read: impl FnMut(Option<String>, &mut Self) -> Option<T>,
    ) -> Vec<T> {
        let (mut names, mut lines) = (HashSet::new(), Vec::new());
        for node in self.list(key) {
            let Some(mut line) = Self::open(node, self.problems) else { continue };
            if key != "examples" {
                line.when_extending(&["before", "after"]);
            }
            let name = line.require("name", Section::text);
            if let Some(twice) = name.filter(|name| !names.insert(*name)) {
                line.error_at("name", format!("`{twice}` is defined twice"));
            }
            lines.extend(read(name.map(str::to_owned), &mut line));
            line.finish();
        }
        lines
    }

    /// A list of texts with their places; a single text counts as a list of one.
    pub(crate) fn texts(&mut self, key: &'static str) -> Vec<(&'a str, Mark)> {
        self.take(key).map_or_else(Vec::new, |node| texts_of(node, self.problems))
    }

    /// The same without their places.
    pub(crate) fn words(&mut self, key: &'static str) -> Vec<String> {
        self.texts(key).into_iter().map(|(text, _)| text.to_owned()).collect()
    }

    /// A value of a kind; another is reported.
    fn value<T>(
        &mut self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&'a Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.take(key)?;
        let value = read(node);
        if value.is_none() {
            self.problems.error(node.mark, format!("expected {wanted}, not {}", node.kind()));
        }
        value
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Option<&'a str> {
        self.value(key, "a text", Node::text)
    }

    pub(crate) fn flag(&mut self, key: &'static str) -> Option<bool> {
        let read = |it: &Node| if let Value::Flag(flag) = it.value { Some(flag) } else { None };
        self.value(key, "true or false", read)
    }

    pub(crate) fn number(&mut self, key: &'static str) -> Option<f64> {
        let read = |it: &Node| if let Value::Number(it) = it.value { Some(it) } else { None };
        let number = self.value(key, "a number", read)?;
        if !number.is_finite() {
            self.error_at(key, format!("`{key}` must be a finite number"));
        }
        number.is_finite().then_some(number)
    }

    pub(crate) fn number_within(
        &mut self,
        key: &'static str,
        bounds: std::ops::RangeInclusive<f64>,
    ) -> Option<f64> {
        let number = self.number(key)?;
        if bounds.contains(&number) {
            return Some(number);
        }
        let [least, most] = [bounds.start(), bounds.end()];
        self.error_at(key, format!("`{key}` must be between {least} and {most}"));
        None
    }

    /// A whole number from 0.
    pub(crate) fn whole(&mut self, key: &'static str, most: f64) -> Option<u64> {
        let number = self.number_within(key, 0.0..=most)?;
        if number.fract() != 0.0 {
            self.error_at(key, format!("`{key}` must be a whole number"));
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and within the bounds above"
        )]
        Some(number as u64)
    }

    /// A word for a value, as serde reads it.
    pub(crate) fn word<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        word(self.text(key)?, self.mark_of(key), self.problems)
    }

    pub(crate) fn word_of<T: Copy>(&mut self, key: &'static str, words: &[(T, &str)]) -> Option<T> {
        let text = self.text(key)?;
        word_among(text, self.mark_of(key), words, self.problems)
    }

    /// Where the value of a key stands; the section itself where there is none.
    pub(crate) fn mark_of(&self, key: &str) -> Mark {
        self.entries.iter().find(|entry| entry.key == key).map_or(self.mark, |e| e.node.mark)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    pub(crate) fn error(&self, message: impl Into<String>) {
        self.problems.error(self.mark, message);
    }

    /// Reports what is wrong with the value of a key.
    pub(crate) fn error_at(&self, key: &str, message: impl Into<String>) {
        self.problems.error(self.mark_of(key), message);
    }

    /// Reads the value of a key that must be there.
    pub(crate) fn require<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Self, &'static str) -> Option<T>,
    ) -> Option<T> {
        let value = read(self, key);
        if value.is_none() && !self.has(key) {
            self.error(format!("`{key}` is missing here"));
        }
        value
    }

    pub(crate) fn renamed(&mut self, old: &'static str, new: &str) {
        if let Some(entry) = self.entries.iter().find(|entry| entry.key == old) {
            self.asked.push(old);
            let message = format!("`{old}` is now called `{new}`");
            self.problems.error_with_help(entry.key_mark, message, Some(format!("write `{new}`")));
        }
    }

    /// Names keys that only files which extend others may have here, as suggestions.
    pub(crate) fn when_extending(&mut self, keys: &'static [&'static str]) {
        self.extending = keys;
    }

    /// Reports the keys that nobody asked for.
    pub(crate) fn finish(self) {
        let mut known: Vec<&str> = self.asked.iter().chain(self.extending).copied().collect();
        let mut seen = HashSet::new();
        known.retain(|key| seen.insert(*key));
        for entry in self.entries.iter().filter(|it| !self.asked.contains(&it.key.as_str())) {
            let key = entry.key.as_str();
            let is_extending = self.extending.contains(&key);
            let message = if is_extending { "`{}` needs `extends`" } else { "unknown key `{}`" };
            let near = did_you_mean(key, known.iter().copied()).filter(|_| !is_extending);
            let help = near.unwrap_or_else(|| format!("known keys: {}", known.join(", ")));
            self.problems.error_with_help(entry.key_mark, message.replace("{}", key), Some(help));
        }
    }
}

/// Reads a word for a value; an unknown one is reported.
pub(crate) fn word<T: DeserializeOwned>(text: &str, mark: Mark, problems: &Problems) -> Option<T> {
    let unknown = |Unknown(known)| problems.error_among(mark, text, known);
    T::deserialize(text.into_deserializer()).map_err(unknown).ok()
}

/// That a word is none of these.
#[derive(Debug, thiserror::Error)]
#[error("an unknown word")]
struct Unknown(&'static [&'static str]);

impl serde::de::Error for Unknown {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self(&[])
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self(known)
    }
}

/// Looks a word up; an unknown one is reported.
pub(crate) fn word_among<T: Copy>(
    text: &str,
    mark: Mark,
    words: &[(T, &str)],
    problems: &Problems,
) -> Option<T> {
    let found = words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value);
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
        problems.error_among(mark, text, &known);
    }
    found
}

/// The elements of a list, or the one that stands in its place.
pub(crate) fn elements_of(node: &Node) -> &[Node] {
    node.elements().unwrap_or(std::slice::from_ref(node))
}

/// The texts of a list, or the one text that stands in its place.
pub(crate) fn texts_of<'a>(node: &'a Node, problems: &Problems) -> Vec<(&'a str, Mark)> {
    let text = |element: &'a Node| {
        if element.text().is_none() {
            problems.error(element.mark, format!("expected a text, not {}", element.kind()));
        }
        Some((element.text()?, element.mark))
    };
    elements_of(node).iter().filter_map(text).collect()
}
