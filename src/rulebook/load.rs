//! The ways to a rulebook.

use super::Rulebook;
use super::builtin::{builtin_names, builtin_source};
use super::compile::compile;
use super::problem::{Problems, RulebookError, did_you_mean};
use super::source::{Origin, read, read_file};
use std::path::Path;

impl Rulebook {
    /// A built-in rulebook.
    pub fn builtin(name: &str) -> Result<Self, RulebookError> {
        let text = builtin_source(name).ok_or_else(|| unknown(name))?;
        Self::from_origin(text, &Origin::Text(name.to_owned()))
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
        Self::from_origin(&read_file(path)?, &Origin::File(path.to_owned()))
    }

    /// A rulebook from its text, which may extend built-in ones. Problems name it by the label.
    pub fn from_toml(text: &str, origin_label: &str) -> Result<Self, RulebookError> {
        Self::from_origin(text, &Origin::Text(origin_label.to_owned()))
    }

    fn from_origin(text: &str, origin: &Origin) -> Result<Self, RulebookError> {
        let mut problems = Problems::default();
        let tree = read(text, origin, &mut problems);
        let compiled = tree.and_then(|tree| compile(&tree, &mut problems));
        match compiled {
            Some(mut rulebook) if !problems.has_errors() => {
                rulebook.warnings = problems.into_warnings();
                Ok(rulebook)
            }
            _ => Err(problems.into_error()),
        }
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
