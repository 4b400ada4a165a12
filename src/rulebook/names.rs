//! What the parts of a rulebook are called, and where they stand.

use super::load::builtin_source;
use super::problem::{Mark, Problems};
use super::source::{Entry, Node, Origin, read, read_file};
use super::{Field, Holder, Pattern, Rulebook};
use std::collections::HashMap;
use std::path::PathBuf;

impl Rulebook {
    /// A name for each pattern, by its number: `list/pattern`, after the field where that is not the
    /// text, and numbered where two of them still are called the same.
    pub fn pattern_names(&self) -> Vec<String> {
        let names: Vec<String> = self.patterns.iter().map(Pattern::plain_name).collect();
        let mut seen: HashMap<&str, usize> = HashMap::with_capacity(names.len());
        let occurrence = names.iter().map(|name| {
            let before = seen.entry(name).or_default();
            *before += 1;
            *before
        });
        let occurrences: Vec<usize> = occurrence.collect();
        names.into_iter().zip(occurrences).map(|(name, at)| numbered(name, at)).collect()
    }

    pub fn pattern_name(&self, number: u16) -> Option<String> {
        let number = usize::from(number);
        let parts = self.patterns.get(number)?.name_parts();
        let bytes = |parts: &[&str; 5]| parts.map(str::len).iter().sum::<usize>();
        let namesakes = self.patterns[..number].iter().filter(|pattern| {
            let other = pattern.name_parts();
            bytes(&other) == bytes(&parts) && other.concat() == parts.concat()
        });
        Some(numbered(parts.concat(), namesakes.count() + 1))
    }
}

impl Pattern {
    /// Its name, which others of the rulebook may share.
    pub(crate) fn plain_name(&self) -> String {
        self.name_parts().concat()
    }

    /// What it is called within its list: its name, else its text.
    pub fn name(&self) -> &str {
        self.title.as_ref().map_or(&self.text, |title| &title.name)
    }

    /// What it looks for, in one sentence; empty where its name says it.
    pub fn about(&self) -> &str {
        self.title.as_ref().map_or("", |title| &title.about)
    }

    /// What is looked for, whatever it is called.
    pub(crate) fn written(&self) -> String {
        let [field, colon, list, slash, _] = self.name_parts();
        [field, colon, list, slash, &self.text].concat()
    }

    fn name_parts(&self) -> [&str; 5] {
        let (field, colon) = match self.field {
            Field::Text => ("", ""),
            field => (field.name(), ":"),
        };
        [field, colon, &self.list, "/", self.name()]
    }
}

fn numbered(name: String, occurrence: usize) -> String {
    if occurrence == 1 { name } else { format!("{name} ({occurrence})") }
}

/// Where the parts of a rulebook stand: `file:line` each.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By their section, their name and, where it is a text within them, the text.
    of: HashMap<[String; 3], String>,
}

/// The keys of what replies are searched for.
const SOUGHT: [&str; 6] = ["entries", "groups", "contains", "regex", "equals", "quotes"];

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
                each_text(&part.node, None, &mut |text, mark| note(&part.key, text, mark));
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
        let text = &rulebook.patterns.get(number)?.text;
        let asked = rulebook.asked().iter().find(|asked| asked.patterns.contains(&number))?;
        let (section, name) = match &asked.holder {
            Holder::List(list) => ("lists", list),
            Holder::Signal(signal) => ("signals", signal),
        };
        self.text(section, name, text).or_else(|| self.part(section, name))
    }

    fn text(&self, section: &str, name: &str, text: &str) -> Option<&str> {
        self.of.get(&[section, name, text].map(str::to_owned)).map(String::as_str)
    }
}

/// Visits the texts of a part that replies are searched for: all of them below a key that says so.
fn each_text(part: &Node, sought: Option<&str>, visit: &mut dyn FnMut(&str, Mark)) {
    match (part.text(), sought) {
        (Some(text), Some("regex")) => visit(text, part.mark),
        (Some(text), Some(_)) => visit(&text.to_lowercase(), part.mark),
        _ => {}
    }
    for element in part.elements().unwrap_or_default() {
        each_text(element, sought, visit);
    }
    for Entry { key, node, .. } in part.entries().unwrap_or_default() {
        // A single text names a list.
        let names_list = key == "contains" && node.text().is_some();
        let key = SOUGHT.into_iter().find(|sought| sought == key && !names_list);
        each_text(node, sought.or(key), visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{PatternKind, builtin_names};
    use std::collections::BTreeSet;

    #[test]
    fn every_regex_of_a_built_in_rulebook_has_a_name_of_its_own_and_a_sentence() {
        for name in builtin_names() {
            let rulebook = Rulebook::builtin(name).expect("built in");
            let mut seen = BTreeSet::new();
            let regexes = rulebook.patterns.iter();
            for regex in regexes.filter(|pattern| matches!(pattern.kind, PatternKind::Regex(_))) {
                let title = regex.title.as_ref();
                let title = title.unwrap_or_else(|| panic!("{name}: no name for {}", regex.text));
                assert!(seen.insert(&title.name), "{name}: two regexes are called {}", title.name);
                assert!(title.about.ends_with('.'), "{name}: no sentence for {}", title.name);
            }
            let outlines = rulebook.signals.iter().map(|signal| &signal.outline);
            let raw: Vec<_> = outlines.filter(|outline| outline.contains("matches /")).collect();
            assert!(raw.is_empty(), "{name}: a regex is shown as it is written: {raw:?}");
        }
    }

    #[test]
    fn a_text_stands_where_it_is_looked_for_and_not_where_something_bears_its_name() {
        let text = "name = 'x'\nextends = 'guide'\n[lists.mine.groups]\nname = [\n'zebra']\n[signals.quota]\n\
                    any = [{ contains = 'mine' }, { all = ['f',\n{ contains = ['mine', \n'f'] }] }, {\nregex = '\\S' \
                    }, {\nregex = '\\s' }]\n[signals.f]\nequals = 'F'\n";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.toml").display().to_string();
        std::fs::write(&path, text).expect("writable");
        let (rulebook, places) = (Rulebook::load(&path).expect("good"), Places::of(&path));
        let own = rulebook.patterns.iter().enumerate();
        let own = own.filter(|(_, it)| matches!(&*it.list, "mine" | "quota" | "f"));
        let lines = own.map(|(at, it)| {
            let place = places.pattern(&rulebook, at).expect("a place");
            format!("{}:{}", it.text, place.rsplit(':').next().unwrap_or_default())
        });
        let expected = ["zebra:5", "mine:8", "f:9", "\\S:10", "\\s:11", "f:13"];
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

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
