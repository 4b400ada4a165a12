//! Where the parts of a rulebook stand in its files.

use super::builtin::builtin_source;
use super::problem::{Mark, Problems};
use super::source::{Node, Origin, read, read_file};
use super::{Holder, Rulebook};
use std::collections::HashMap;
use std::path::PathBuf;

/// Where the parts of a rulebook stand: `file:line` each.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By their section, their name and, where it is a text within them, the text in lower case.
    of: HashMap<[String; 3], String>,
}

/// The keys of what no reply is searched for.
const NOT_SOUGHT: [&str; 11] = [
    "about",
    "match",
    "in",
    "case",
    "dialect",
    "name",
    "yes",
    "no",
    "needs",
    "quoted_from",
    "signal",
];

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
        let mut places = Self::default();
        let sections = read.as_ref().and_then(|read| read.tree.entries()).unwrap_or_default();
        for section in sections {
            let mut note = |name: &str, text: &str, mark: Mark| {
                let key = [&section.key, name, text].map(str::to_owned);
                places.of.entry(key).or_insert_with(|| problems.place(mark));
            };
            for part in section.node.entries().unwrap_or_default() {
                note(&part.key, "", part.key_mark);
                each_text(&part.node, &mut |text, mark| note(&part.key, text, mark));
            }
            let lines = section.node.elements().unwrap_or_default().iter();
            for name in lines.filter_map(|line| line.get("name")) {
                note(name.text().unwrap_or_default(), "", name.mark);
            }
        }
        places
    }

    /// The place of a part by its section and its name, such as that of a decision line.
    pub fn part(&self, section: &str, name: &str) -> Option<&str> {
        self.text(section, name, "")
    }

    pub fn pattern(&self, rulebook: &Rulebook, number: usize) -> Option<&str> {
        let text = rulebook.patterns.get(number)?.text.to_lowercase();
        let asked = rulebook.asked().iter().find(|asked| asked.patterns.contains(&number))?;
        let (section, name) = match &asked.holder {
            Holder::List(list) => ("lists", list),
            Holder::Signal(signal) => ("signals", signal),
        };
        self.text(section, name, &text).or_else(|| self.part(section, name))
    }

    fn text(&self, section: &str, name: &str, text: &str) -> Option<&str> {
        self.of.get(&[section, name, text].map(str::to_owned)).map(String::as_str)
    }
}

fn each_text(part: &Node, visit: &mut dyn FnMut(&str, Mark)) {
    if let Some(text) = part.text() {
        visit(&text.to_lowercase(), part.mark);
    }
    part.elements().unwrap_or_default().iter().for_each(|element| each_text(element, visit));
    let entries = part.entries().unwrap_or_default().iter();
    let sought = entries.filter(|entry| !NOT_SOUGHT.contains(&entry.key.as_str()));
    sought.for_each(|entry| each_text(&entry.node, visit));
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
            let signals = rulebook.signals.iter().map(|it| ("signals", &it.name));
            let lines = rulebook.decide.iter().map(|it| ("decide", &it.name));
            let factors = rulebook.factors.iter().map(|it| ("factors", &it.name));
            for (section, name) in signals.chain(lines).chain(factors) {
                assert!(line(places.part(section, name).expect(name)).contains(name));
            }
        }
    }
}
