//! What patterns are called in tables.

use super::{Field, Pattern, Rulebook};
use std::collections::HashMap;

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

#[cfg(test)]
mod tests {
    use crate::rulebook::{PatternKind, Rulebook, builtin_names};
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
}
