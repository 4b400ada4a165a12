//! The ways to a rulebook, and those that come with the program.

use super::Rulebook;
use super::compile::{Purpose, compile};
use super::problem::{Problems, RulebookError, did_you_mean};
use super::source::{Origin, Read, read, read_file};
use std::path::Path;
use std::sync::Arc;

/// Name and text of each. This table is the only place that knows them by name.
const BUILTIN: [(&str, &str); 3] = [
    ("calibrated", include_str!("builtin/calibrated.toml")),
    ("guide", include_str!("builtin/guide.toml")),
    ("inspector", include_str!("builtin/inspector.toml")),
];

pub const DEFAULT_RULEBOOK: &str = BUILTIN[0].0;

/// The names of the built-in rulebooks, the default first.
pub fn builtin_names() -> &'static [&'static str] {
    const NAMES: [&str; BUILTIN.len()] = [BUILTIN[0].0, BUILTIN[1].0, BUILTIN[2].0];
    &NAMES
}

pub fn builtin_source(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

impl Rulebook {
    pub fn builtin(name: &str) -> Result<Self, RulebookError> {
        let text = builtin_source(name).ok_or_else(|| unknown(name))?;
        Self::from_origin(text, &Origin::BuiltIn(name.to_owned()), Purpose::Judging)
    }

    /// A built-in rulebook by its name, or any other by its file.
    pub fn load(name_or_path: &str) -> Result<Self, RulebookError> {
        if builtin_source(name_or_path).is_some() {
            return Self::builtin(name_or_path);
        }
        let path = Path::new(name_or_path);
        if !path.exists() {
            return Err(unknown(name_or_path));
        }
        Self::from_file(path)
    }

    fn from_file(path: &Path) -> Result<Self, RulebookError> {
        Self::from_origin(&read_file(path)?, &Origin::File(path.to_owned()), Purpose::Judging)
    }

    /// A rulebook from its text, which may extend built-in ones. Problems name it by the label.
    pub fn from_toml(text: &str, origin_label: &str) -> Result<Self, RulebookError> {
        Self::from_origin(text, &Origin::Text(origin_label.to_owned()), Purpose::Judging)
    }

    /// The rulebook that a run wrote down, from its text. What can be wrong with one was looked at before
    /// the run: its regexes are compiled when they are asked for.
    pub fn recorded(text: &str, name: &str) -> Result<Self, RulebookError> {
        Self::from_origin(text, &Origin::Recorded(name.to_owned()), Purpose::Judging)
    }

    /// What becomes of this rulebook by the text of one that extends it.
    pub(crate) fn extended(&self, text: &str) -> Result<Self, RulebookError> {
        let (name, resolved) = (self.name.clone(), self.resolved.clone());
        Self::from_origin(text, &Origin::Over { name, resolved }, Purpose::Judging)
    }

    /// The rulebooks that its file extends, the nearest first, as they are now.
    pub(crate) fn bases(&self) -> Result<Vec<Self>, RulebookError> {
        let bases = self.bases.iter().map(|base| match base {
            Origin::File(path) => Some(Self::from_file(path)),
            Origin::BuiltIn(name) => Some(Self::builtin(name)),
            Origin::Recorded(_) | Origin::Text(_) | Origin::Over { .. } => None,
        });
        bases.flatten().collect()
    }

    pub(super) fn from_origin(
        text: &str,
        origin: &Origin,
        purpose: Purpose,
    ) -> Result<Self, RulebookError> {
        let mut problems = Problems::default();
        let read = read(text, origin, &mut problems);
        let compiled = read.as_ref().and_then(|read| compile(&read.tree, purpose, &problems));
        let (Some(mut rulebook), Some(Read { tree, bases }), false) =
            (compiled, read, problems.has_errors())
        else {
            return Err(problems.into_error());
        };
        if purpose == Purpose::Judging {
            rulebook.bases = bases;
            rulebook.warnings = problems.warnings();
            let stands_for_itself = tree.get("extends").or(tree.get("remove")).is_none();
            rulebook.resolved = match origin {
                // It was written down as it is resolved.
                Origin::Recorded(_) if stands_for_itself => text.to_owned(),
                _ => tree.resolved_toml(),
            };
            rulebook.signal_texts.files = Arc::new(problems.into_files());
        }
        Ok(rulebook)
    }
}

fn unknown(name: &str) -> RulebookError {
    let names = builtin_names();
    let known = match did_you_mean(name, names.iter().copied()) {
        Some(guess) => format!("{}; {guess}", names.join(", ")),
        None => names.join(", "),
    };
    RulebookError::Unknown { name: name.to_owned(), known }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{Observing, Subject};

    #[test]
    fn a_rulebook_can_be_had_again_from_its_resolved_text() {
        let own = "name = \"own\"\nextends = \"guide\"\n[factors.http_status]\nweight = 1.5\n\
                   [lists.business_patterns]\nremove = [\"not found\"]\n";
        let own = Rulebook::from_toml(own, "test").expect("good");
        let built_in =
            builtin_names().iter().map(|name| Rulebook::builtin(name).expect("built in"));
        for rulebook in built_in.chain([own]) {
            let again = Rulebook::from_toml(&rulebook.resolved, "again").expect("good");
            assert_eq!(again.digest, rulebook.digest, "{}", rulebook.name);
            assert_eq!(again.resolved, rulebook.resolved, "{}", rulebook.name);
            let recorded = Rulebook::recorded(&rulebook.resolved, "again").expect("good");
            assert_eq!(recorded.digest, rulebook.digest, "{}", rulebook.name);
            assert_eq!(recorded.resolved, rulebook.resolved, "{}", rulebook.name);
        }
    }

    #[test]
    fn what_is_known_of_the_regexes_of_the_program_is_so() {
        for name in builtin_names() {
            let text = builtin_source(name).expect("built in");
            let tried = Rulebook::from_toml(text, "tried");
            assert!(tried.is_ok(), "{name}: {}", tried.expect_err("wrong"));
        }
    }

    #[test]
    fn regexes_are_compiled_when_a_text_calls_for_them() {
        let calibrated = Rulebook::builtin("calibrated").expect("built in");
        let compiled = || calibrated.observer.successes.fields[0].compiled();
        let (before, all) = compiled();
        assert!(before == 0 && all > 20, "{before} of {all}");
        let text = "The weather in Paris is fine: 21 degrees, a light wind from the west.";
        let subject = Subject { text, ..Subject::default() };
        assert_eq!(calibrated.observe(&subject, Observing::Successes).hits, []);
        let (since, _) = compiled();
        assert!(since <= 2, "{since} of {all}");
    }

    #[test]
    fn patterns_have_different_names() {
        for name in builtin_names() {
            let rulebook = Rulebook::builtin(name).expect("built in");
            let mut names = rulebook.pattern_names();
            let each = (0_u16..).map_while(|number| rulebook.pattern_name(number));
            assert_eq!(each.collect::<Vec<_>>(), names, "{name}");
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), rulebook.patterns.len(), "{name}");
        }
    }
}
