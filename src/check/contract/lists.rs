//! The lists of what injections and exposed internals look like, which are data.

use regex::{RegexSet, RegexSetBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// How much memory the compiled patterns of a list may take.
const PATTERN_BYTES: usize = 32 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenList {
    #[serde(default)]
    about: String,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    patterns: Vec<WrittenPattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPattern {
    name: String,
    regex: String,
}

/// A list of what an injection looks like.
#[derive(Debug)]
pub(super) struct InjectionList {
    pub(super) name: String,
    about: String,
    /// In capitals.
    contains: Vec<String>,
    patterns: Patterns,
}

impl InjectionList {
    /// What of the list a text matches.
    pub(super) fn hit(&self, text: &str) -> Option<String> {
        let capitals = if self.contains.is_empty() { String::new() } else { text.to_uppercase() };
        let contained = self.contains.iter().find(|needle| capitals.contains(needle.as_str()));
        contained
            .map(|needle| format!("`{needle}`"))
            .or_else(|| self.patterns.hit(text).map(str::to_owned))
    }
}

/// Regular expressions with names, compiled when the first text is held against them.
#[derive(Debug)]
pub(super) struct Patterns {
    names: Vec<String>,
    sources: Vec<String>,
    set: OnceLock<RegexSet>,
}

impl Patterns {
    fn new(written: Vec<WrittenPattern>) -> Self {
        let (names, sources) =
            written.into_iter().map(|pattern| (pattern.name, pattern.regex)).unzip();
        Self { names, sources, set: OnceLock::new() }
    }

    /// The name of the first pattern that a text matches.
    pub(super) fn hit(&self, text: &str) -> Option<&str> {
        let set = self.set.get_or_init(|| {
            let set = RegexSetBuilder::new(&self.sources).size_limit(PATTERN_BYTES).build();
            set.expect("the patterns of the lists compile")
        });
        let first = set.matches(text).iter().next()?;
        self.names.get(first).map(String::as_str)
    }
}

static INJECTIONS: LazyLock<Vec<InjectionList>> = LazyLock::new(|| {
    let written: BTreeMap<String, WrittenList> =
        toml::from_str(include_str!("lists.toml")).expect("the lists are TOML");
    let compiled = written.into_iter().map(|(name, list)| InjectionList {
        name,
        about: list.about,
        contains: list.contains.iter().map(|text| text.to_uppercase()).collect(),
        patterns: Patterns::new(list.patterns),
    });
    compiled.collect()
});

static INTERNALS: LazyLock<Patterns> = LazyLock::new(|| {
    let written: WrittenList =
        toml::from_str(include_str!("internals.toml")).expect("the list is TOML");
    Patterns::new(written.patterns)
});

pub(super) fn injection_list(name: &str) -> Option<&'static InjectionList> {
    INJECTIONS.iter().find(|list| list.name == name)
}

/// The injection lists there are: name, and what each is about.
pub fn injection_lists() -> impl Iterator<Item = (&'static str, &'static str)> {
    INJECTIONS.iter().map(|list| (list.name.as_str(), list.about.as_str()))
}

/// What of an injection list a text matches; `None` where it matches nothing, or there is no such list.
pub fn injection_hit(list: &str, text: &str) -> Option<String> {
    injection_list(list)?.hit(text)
}

/// What a text shows of how a server works inside.
pub(super) fn exposed(text: &str) -> Option<&'static str> {
    INTERNALS.hit(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_attacks_to_one_list_and_syntax_to_the_other() {
        for innocent in ["Update the report", "Select a venue -- not too far", "Drop off the keys"]
        {
            assert!(injection_hit("documented", innocent).is_some(), "{innocent}");
            assert_eq!(injection_hit("strict", innocent), None, "{innocent}");
        }
        for attack in ["Test'; DROP TABLE tasks; --", "x' OR '1'='1", "1 UNION SELECT * FROM users"]
        {
            assert!(injection_hit("documented", attack).is_some() || attack.contains("OR"));
            assert!(injection_hit("strict", attack).is_some(), "{attack}");
        }
    }

    #[test]
    fn all_twelve_documented_texts_are_found_in_any_case() {
        let list = injection_list("documented").expect("the list is there");
        assert_eq!(list.contains.len(), 12);
        for text in [
            "a -- b", "a;--", "/* a", "a */", "xp_cmd", "SP_who", "union", "Select", "drop",
            "Insert", "delete", "update",
        ] {
            assert!(list.hit(text).is_some(), "{text}");
        }
        assert_eq!(list.hit("Buy groceries"), None);
        assert_eq!(list.hit("--;--"), Some("`--`".to_owned()));
    }

    #[test]
    fn what_exposes_internals_is_named() {
        for (text, what) in [
            (
                "Traceback (most recent call last):\n  File \"/app/main.py\", line 3",
                "a Python stack trace",
            ),
            ("at com.acme.Tasks.add(Tasks.java:42)", "a Java stack trace"),
            ("NullPointerException at com.foo.Bar.baz(Bar.java:10)", "a Java stack trace"),
            ("it failed at com.foo.Bar.<init>(Unknown Source)", "a Java stack trace"),
            ("TypeError: x\n    at add (/srv/index.js:10:5)", "a JavaScript stack trace"),
            ("failed at Object.<anonymous> (internal.js:1)", "a JavaScript stack trace"),
            ("oops at async run (app.mjs:1:22)", "a JavaScript stack trace"),
            ("at Acme.Tasks.Add(Int32 id) in C:\\src\\Tasks.cs:line 7", "a C# stack trace"),
            ("goroutine 1 [running]:", "a Go stack trace"),
            ("thread 'main' panicked at src/main.rs:2:5", "a Rust panic"),
            ("tasks.rb:12:in `add'", "a Ruby stack trace"),
            ("Fatal error: Uncaught Error in /var/www/add.php:3", "a PHP error"),
            ("SELECT id, title FROM tasks WHERE id = 1", "an SQL statement"),
            ("UNIQUE constraint failed: tasks.title", "an SQL error"),
            (
                "SQLAlchemy column title max_length constraint violated at line 42",
                "a line of the source",
            ),
            ("psycopg2.OperationalError", "the name of a database library"),
            ("cannot open /home/deploy/app.db", "a file path"),
            ("connect ECONNREFUSED 127.0.0.1:5432", "an address inside the network"),
            ("postgresql://todo@db/tasks", "a connection string"),
        ] {
            assert_eq!(exposed(text), Some(what), "{text}");
        }
        for fine in [
            "title must be 500 characters or less",
            "Task not found",
            "Select a task from the list first",
            "The update failed, please try again",
            "See https://example.com/home/help for details",
            "Tasks and/or notes are missing",
            "Meet at cafe (Main Street) at 10:30",
            "The task is due at noon (12:30)",
            "It is kept at home(see below)",
        ] {
            assert_eq!(exposed(fine), None, "{fine}");
        }
    }
}
