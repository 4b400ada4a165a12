//! What attacks and exposed internals look like: built-in lists and those of contracts, all of them data.

use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Node, Section};
use regex::{RegexSet, RegexSetBuilder};
use std::sync::{Arc, LazyLock, OnceLock};

/// How much memory the compiled patterns of a list may take.
const PATTERN_BYTES: usize = 32 << 20;

/// Texts and patterns that are looked for in a text.
#[derive(Debug, Default)]
pub(super) struct TextList {
    pub(super) name: String,
    about: String,
    /// In capitals.
    contains: Vec<String>,
    /// The names of the patterns.
    names: Vec<String>,
    regexes: Vec<String>,
    set: OnceLock<RegexSet>,
}

impl TextList {
    /// The list of a contract, tried on its examples.
    pub(super) fn read(entry: &Entry, problems: &mut Problems) -> Option<Arc<Self>> {
        let mut section = Section::open_entry(entry, problems)?;
        let list = Self::from_section(&entry.key, &mut section, problems);
        match list.compiled() {
            Ok(set) => drop(list.set.set(set)),
            Err(error) => {
                let message = format!("these patterns cannot be used: {error}");
                problems.error(section.mark, message);
            }
        }
        for (key, is_hit) in [("yes", true), ("no", false)] {
            for (text, mark) in section.texts(key, problems) {
                if list.set.get().is_some() && list.hit(text).is_some() != is_hit {
                    let what = if is_hit { "does not match" } else { "matches" };
                    problems.error(mark, format!("the list {what} this example"));
                }
            }
        }
        section.finish(problems);
        Some(Arc::new(list))
    }

    fn from_section(name: &str, section: &mut Section<'_>, problems: &mut Problems) -> Self {
        let contains = section.texts("contains", problems).into_iter();
        let mut list = Self {
            name: name.to_owned(),
            about: section.text("about", problems).unwrap_or_default().to_owned(),
            contains: contains.map(|(text, _)| text.to_uppercase()).collect(),
            ..Self::default()
        };
        for node in section.list("patterns", problems) {
            let Some(mut pattern) = Section::open(node, problems) else { continue };
            for (key, texts) in [("name", &mut list.names), ("regex", &mut list.regexes)] {
                let text = pattern.text(key, problems);
                texts.push(pattern.require(key, text, problems).unwrap_or_default().to_owned());
            }
            pattern.finish(problems);
        }
        list
    }

    fn compiled(&self) -> Result<RegexSet, regex::Error> {
        RegexSetBuilder::new(&self.regexes).size_limit(PATTERN_BYTES).build()
    }

    /// What of the list a text matches.
    pub(super) fn hit(&self, text: &str) -> Option<String> {
        let capitals = if self.contains.is_empty() { String::new() } else { text.to_uppercase() };
        let contained = self.contains.iter().find(|needle| capitals.contains(needle.as_str()));
        contained.map(|needle| format!("`{needle}`")).or_else(|| {
            let built_in = || self.compiled().expect("a test compiles the built-in lists");
            let first = self.set.get_or_init(built_in).matches(text).iter().next()?;
            self.names.get(first).cloned()
        })
    }
}

/// The lists of a file that is built in.
fn built_in(text: &str) -> Vec<Arc<TextList>> {
    let mut problems = Problems::default();
    let file = problems.add_file("built in", text);
    let tree = Node::parse(text, file, &mut problems);
    let entries = tree.as_ref().and_then(Node::entries).unwrap_or_default();
    let lists = entries.iter().filter_map(|entry| {
        let mut section = Section::open_entry(entry, &mut problems)?;
        Some(Arc::new(TextList::from_section(&entry.key, &mut section, &mut problems)))
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

/// What a text shows of how a server works inside.
pub(super) fn exposed(text: &str) -> Option<String> {
    INTERNALS.iter().find_map(|list| list.hit(text))
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
            assert_eq!(exposed(text).as_deref(), Some(what), "{text}");
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
