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

    fn name_parts(&self) -> [&str; 5] {
        let field = Field::ALL.iter().find(|(field, _)| *field == self.field);
        let (field, colon) = match self.field {
            Field::Text => ("", ""),
            _ => (field.map_or("", |(_, name)| *name), ":"),
        };
        [field, colon, &self.list, "/", &self.text]
    }
}

fn numbered(name: String, occurrence: usize) -> String {
    if occurrence == 1 { name } else { format!("{name} ({occurrence})") }
}
