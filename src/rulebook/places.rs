//! Where the parts of a rulebook stand in its files.

use super::builtin::builtin_source;
use super::problem::{Mark, Problems};
use super::source::{Node, Origin, read, read_file};
use super::{Holder, PatternKind, Rulebook};
use std::collections::HashMap;
use std::path::PathBuf;

/// Where the parts of a rulebook stand: `file:line` each.
#[derive(Clone, Debug, Default)]
pub struct Places {
    of: HashMap<(Part, String, String), String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    List,
    Entry,
    Signal,
    Own,
    Factor,
    Line,
    ErrorKind,
}

impl Places {
    /// The places of a built-in rulebook's parts, or of those of a file and all that it extends. What
    /// cannot be read has none.
    pub fn of(name_or_path: &str) -> Self {
        let mut problems = Problems::default();
        let read = if let Some(text) = builtin_source(name_or_path) {
            read(text, &Origin::Text(name_or_path.to_owned()), &mut problems)
        } else {
            let path = PathBuf::from(name_or_path);
            let text = read_file(&path).ok();
            text.and_then(|text| read(&text, &Origin::File(path), &mut problems))
        };
        let mut noted = Noted { places: Self::default(), problems: &problems };
        if let Some(read) = &read {
            noted.rulebook(&read.tree);
        }
        noted.places
    }

    pub fn list(&self, name: &str) -> Option<&str> {
        self.get(Part::List, name, "")
    }

    pub fn signal(&self, name: &str) -> Option<&str> {
        self.get(Part::Signal, name, "")
    }

    pub fn factor(&self, name: &str) -> Option<&str> {
        self.get(Part::Factor, name, "")
    }

    /// The place of a decision line.
    pub fn line(&self, name: &str) -> Option<&str> {
        self.get(Part::Line, name, "")
    }

    pub fn error_kind(&self, name: &str) -> Option<&str> {
        self.get(Part::ErrorKind, name, "")
    }

    pub fn pattern(&self, rulebook: &Rulebook, number: usize) -> Option<&str> {
        let pattern = rulebook.patterns.get(number)?;
        let asked = rulebook.asked().iter().find(|asked| asked.patterns.contains(&number))?;
        let text = match pattern.kind {
            PatternKind::Regex(_) => pattern.text.clone(),
            PatternKind::Text(_) | PatternKind::Whole | PatternKind::Quotation(_) => {
                pattern.text.to_lowercase()
            }
        };
        match &asked.holder {
            Holder::List(list) => self.get(Part::Entry, list, &text),
            Holder::Signal(signal) => {
                self.get(Part::Own, signal, &text).or_else(|| self.signal(signal))
            }
        }
    }

    fn get(&self, part: Part, of: &str, key: &str) -> Option<&str> {
        self.of.get(&(part, of.to_owned(), key.to_owned())).map(String::as_str)
    }
}

/// Places as they are found.
struct Noted<'p> {
    places: Places,
    problems: &'p Problems,
}

impl Noted<'_> {
    fn note(&mut self, part: Part, of: &str, key: &str, mark: Mark) {
        let place = self.problems.place(mark);
        self.places.of.entry((part, of.to_owned(), key.to_owned())).or_insert(place);
    }

    fn rulebook(&mut self, tree: &Node) {
        for section in tree.entries().unwrap_or_default() {
            let named = section.node.entries().unwrap_or_default();
            let lines = section.node.elements().unwrap_or_default();
            match section.key.as_str() {
                "lists" => {
                    for list in named {
                        self.note(Part::List, &list.key, "", list.key_mark);
                        self.list(&list.key, &list.node);
                    }
                }
                "signals" => {
                    for signal in named {
                        self.note(Part::Signal, &signal.key, "", signal.key_mark);
                        self.questions(&signal.key, &signal.node);
                    }
                }
                "factors" => {
                    for factor in named {
                        self.note(Part::Factor, &factor.key, "", factor.key_mark);
                    }
                }
                "decide" => self.lines(Part::Line, lines),
                "error_kinds" => self.lines(Part::ErrorKind, lines),
                _ => {}
            }
        }
    }

    fn lines(&mut self, part: Part, lines: &[Node]) {
        for name in lines.iter().filter_map(|line| line.get("name")) {
            self.note(part, name.text().unwrap_or_default(), "", name.mark);
        }
    }

    fn list(&mut self, name: &str, list: &Node) {
        let groups = list.get("groups").and_then(Node::entries).unwrap_or_default();
        let entries = list.get("entries");
        for texts in groups.iter().map(|group| &group.node).chain(entries) {
            self.texts(Part::Entry, name, texts);
        }
    }

    /// A text, or a list of them.
    fn texts(&mut self, part: Part, of: &str, node: &Node) {
        for text in node.elements().unwrap_or(std::slice::from_ref(node)) {
            let written = text.text().unwrap_or_default().to_lowercase();
            self.note(part, of, &written, text.mark);
        }
    }

    /// The texts and regexes that stand right in a signal, however deep.
    fn questions(&mut self, signal: &str, node: &Node) {
        for entry in node.entries().unwrap_or_default() {
            match entry.key.as_str() {
                // A single text names a list.
                "contains" if entry.node.elements().is_some() => {
                    self.texts(Part::Own, signal, &entry.node);
                }
                "equals" | "quotes" => self.texts(Part::Own, signal, &entry.node),
                "regex" => {
                    let text = entry.node.text().unwrap_or_default();
                    self.note(Part::Own, signal, text, entry.node.mark);
                }
                "any" | "all" | "not" => self.parts(signal, &entry.node),
                _ => {}
            }
        }
    }

    fn parts(&mut self, signal: &str, node: &Node) {
        for part in node.elements().unwrap_or(std::slice::from_ref(node)) {
            self.questions(signal, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{builtin_names, builtin_source};

    #[test]
    fn every_part_of_the_built_in_rulebooks_has_its_line() {
        for name in builtin_names() {
            let rulebook = Rulebook::builtin(name).expect("built in");
            let places = Places::of(name);
            let line = |place: &str| -> String {
                let (file, line) = place.rsplit_once(':').expect("file and line");
                let text = builtin_source(file).expect("built in");
                let line: usize = line.parse().expect("a number");
                text.lines().nth(line - 1).expect("a line").to_owned()
            };
            for (number, pattern) in rulebook.patterns.iter().enumerate() {
                let place = places.pattern(&rulebook, number).expect(&pattern.text);
                let line = line(place).to_lowercase();
                let bare = pattern.text.to_lowercase();
                let quoted = bare.replace('\\', "\\\\").replace('"', "\\\"");
                assert!(line.contains(&bare) || line.contains(&quoted), "{bare}: {place} {line}");
            }
            for signal in &rulebook.signals {
                assert!(
                    line(places.signal(&signal.name).expect(&signal.name)).contains(&signal.name)
                );
            }
            for decision in &rulebook.decide {
                assert!(
                    line(places.line(&decision.name).expect("a place")).contains(&decision.name)
                );
            }
            for factor in &rulebook.factors {
                assert!(line(places.factor(&factor.name).expect("a place")).contains(&factor.name));
            }
        }
    }
}
