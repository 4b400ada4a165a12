//! A corpus's own settings: which files the recordings of a folder are held against.

use super::checks::{CheckFiles, ContractPlace};
use crate::check::contract::builtin_for;
use crate::recording::EnvelopePaths;
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems, listing};
use crate::rulebook::source::{Node, Reach, Section, read_within, texts_of};
use std::path::{Path, PathBuf};

/// Settings are a few lines; anything longer is a mistake.
const LONGEST: u64 = 1 << 20;

impl CheckFiles {
    /// Reads a file of settings. What it names lies in its folder or below, and never outside of the
    /// corpus's root: it came with the corpus, perhaps from a stranger.
    pub fn from_settings(file: &Path, root: &Path) -> Result<Self, String> {
        let label = file.display().to_string();
        let folder = file.parent().unwrap_or(Path::new(""));
        let cannot_read = |reason: &dyn std::fmt::Display| format!("cannot read {label}: {reason}");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let path =
            Reach::Below(root).resolve(folder, &name).map_err(|reason| cannot_read(&reason))?;
        let text = read_within(&path, LONGEST).map_err(|error| cannot_read(&error))?;
        Self::read(&text, &label, folder, root).map_err(|problems| listing(&label, &problems))
    }

    fn read(text: &str, label: &str, folder: &Path, root: &Path) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let mut files = Self::default();
        if let Some(tree) = Node::parse(text, file, &mut problems)
            && let Some(mut section) = Section::open(&tree, &mut problems)
        {
            let resolve = |(name, mark): (&str, Mark), problems: &mut Problems| {
                let resolved = Reach::Below(root).resolve(folder, name);
                resolved.map_err(|reason| problems.error(mark, reason)).ok()
            };
            for (name, mark) in section.texts("contracts", &mut problems) {
                files.contracts.extend(if builtin_for(name).is_some() {
                    Some(ContractPlace::Named(name.to_owned()))
                } else {
                    let path = resolve((name, mark), &mut problems);
                    path.map(|path| ContractPlace::Corpus { root: root.to_owned(), path })
                });
            }
            for named in section.texts("facts", &mut problems) {
                files.facts.extend(resolve(named, &mut problems));
            }
            for named in section.texts("criteria", &mut problems) {
                files.criteria.extend(resolve(named, &mut problems));
            }
            let mut schema = |key| -> Option<PathBuf> {
                let name = section.text(key, &mut problems)?;
                resolve((name, section.mark_of(key)), &mut problems)
            };
            files.envelope_request = schema("envelope_request");
            files.envelope_response = schema("envelope_response");
            files.envelope_paths = envelope_paths(&mut section, &mut problems);
            section.finish(&mut problems);
        }
        if problems.has_errors() { Err(problems.into_errors()) } else { Ok(files) }
    }

    /// The files that are named, built-in contracts aside.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let contracts = self.contracts.iter().filter_map(|place| match place {
            ContractPlace::Named(_) => None,
            ContractPlace::Corpus { path, .. } => Some(path),
        });
        let schemas = self.envelope_request.iter().chain(&self.envelope_response);
        contracts.chain(&self.facts).chain(&self.criteria).chain(schemas).map(PathBuf::as_path)
    }
}

/// The paths of HTTP requests that carry envelopes, from a file of settings.
pub(crate) fn envelope_paths(
    section: &mut Section<'_>,
    problems: &mut Problems,
) -> Option<Vec<String>> {
    let paths = texts_of(&section.entry("envelope_paths")?.node, problems);
    if paths.is_empty() {
        let message = "`envelope_paths` names no path; leave it out for \"/mcp/v1\"";
        problems.error(section.mark_of("envelope_paths"), message);
    }
    for (path, mark) in &paths {
        if let Some(complaint) = EnvelopePaths::complaint(path) {
            problems.error(*mark, complaint);
        }
    }
    Some(paths.into_iter().map(|(path, _)| path.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_of_a_file_of_settings_is_told_at_its_place() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let text = "contracts = [\"todo\", \"none.toml\", 5]\nfacts = \"../facts.toml\"\n\
            envelope_request = [\"a\"]\nfact = \"facts.toml\"\n";
        let problems = CheckFiles::read(text, "checks.toml", place.path(), place.path())
            .expect_err("mistakes");
        let found: Vec<(usize, usize)> = problems.iter().map(|p| (p.line, p.column)).collect();
        assert_eq!(found, [(1, 22), (1, 35), (2, 9), (3, 20), (4, 1)]);
        assert!(problems[0].message.starts_with("cannot read `none.toml`"), "{}", problems[0]);
        assert!(problems[2].message.contains("`..`"), "{}", problems[2]);
        assert_eq!(problems[4].help.as_deref(), Some("did you mean `facts`?"));
    }

    #[test]
    fn built_in_contracts_and_files_are_told_apart() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let file = place.path().join("mine.toml");
        std::fs::write(&file, "").expect("a file");
        let text = "contracts = [\"todo\", \"mine.toml\"]\nfacts = [\"mine.toml\"]\n";
        let files = CheckFiles::read(text, "checks.toml", place.path(), place.path())
            .unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(files.contracts[0], ContractPlace::Named("todo".to_owned()));
        assert_eq!(files.paths().collect::<Vec<_>>(), [&file, &file]);
        assert!(CheckFiles::read("", "checks.toml", place.path(), place.path()).is_ok());
    }
}
