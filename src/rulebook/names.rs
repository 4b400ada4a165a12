//! What patterns are called in tables.

use super::{Field, Pattern, Rulebook};
use std::collections::HashMap;

impl Rulebook {
    /// A name for each pattern, by its number: `list/pattern`, after the field where that is not the
    /// text, and numbered where two of them still are called the same.
    #[must_use]
    pub fn pattern_names(&self) -> Vec<String> {
        let plain = |pattern: &Pattern| {
            let field = Field::ALL.iter().find(|(field, _)| *field == pattern.field);
            let field = field.map_or("", |(_, name)| name);
            match pattern.field {
                Field::Text => format!("{}/{}", pattern.list, pattern.text),
                _ => format!("{field}:{}/{}", pattern.list, pattern.text),
            }
        };
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut name = |pattern| {
            let name = plain(pattern);
            let before = seen.entry(name.clone()).or_default();
            *before += 1;
            if *before == 1 { name } else { format!("{name} ({before})") }
        };
        self.patterns.iter().map(&mut name).collect()
    }
}
