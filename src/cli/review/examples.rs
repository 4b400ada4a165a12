//! Adding examples to a rulebook's file, so that each of them fails there until the rulebook is mended.

use crate::review::{WantedExample, append_example};
use crate::rulebook::{Example, Rulebook};
use crate::run::run_examples;
use crate::store::file_beside;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// What became of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It stands in the file, under this name, and fails so.
    Fails(String, String),
    WasThere(String),
    /// It does not stand there, for this reason.
    No(String),
}

/// Adds examples to the file of a rulebook. They are added together or not at all, and the file is
/// what it was until that is done. Where they cannot be, tells why.
pub(super) fn add(
    path: &Path,
    rulebook: &Rulebook,
    wanted: &[WantedExample],
) -> Result<Vec<Added>, String> {
    let cannot = |error: &dyn std::fmt::Display| {
        format!("nothing was written to {}, which cannot take examples: {error}", path.display())
    };
    let file = fs::read_to_string(path).map_err(|error| cannot(&error))?;
    let mut names: BTreeSet<String> =
        rulebook.examples.iter().map(|example| example.name.clone()).collect();
    let mut added: Vec<Option<Added>> = Vec::with_capacity(wanted.len());
    let mut fresh: Vec<(usize, WantedExample)> = Vec::new();
    for (at, example) in wanted.iter().enumerate() {
        if let Some(there) = standing(rulebook, example) {
            added.push(Some(Added::WasThere(there)));
            continue;
        }
        let mut example = example.clone();
        example.name = free_name(&example.name, &names);
        names.insert(example.name.clone());
        fresh.push((at, example));
        added.push(None);
    }
    let draft = draft(path, &file, fresh.iter().map(|(_, example)| example))
        .map_err(|error| cannot(&error))?;
    let name = draft.path().to_string_lossy().into_owned();
    // The draft is gone in a moment; what is wrong is to be looked for in the file itself.
    let judged = Rulebook::load(&name)
        .map_err(|error| cannot(&error.to_string().replace(&name, &path.to_string_lossy())))?;
    let mismatches = run_examples(&judged);
    for (at, example) in &fresh {
        let differs = mismatches.iter().find(|mismatch| mismatch.example == example.name);
        added[*at] = Some(match differs {
            Some(mismatch) => Added::Fails(example.name.clone(), mismatch.difference.clone()),
            None => Added::No(format!("as an example of {} it would pass already", path.display())),
        });
    }
    let failing = |at: usize| matches!(added[at], Some(Added::Fails(..)));
    let kept: Vec<&WantedExample> =
        fresh.iter().filter(|(at, _)| failing(*at)).map(|(_, example)| example).collect();
    if !kept.is_empty() {
        let draft = if kept.len() == fresh.len() {
            draft
        } else {
            self::draft(path, &file, kept.into_iter()).map_err(|error| cannot(&error))?
        };
        let target = path.canonicalize().map_err(|error| cannot(&error))?;
        draft.persist(&target).map_err(|error| cannot(&error.error))?;
    }
    Ok(added.into_iter().flatten().collect())
}

/// The file with the examples added, beside its place.
fn draft<'a>(
    path: &Path,
    file: &str,
    examples: impl Iterator<Item = &'a WantedExample>,
) -> std::io::Result<tempfile::NamedTempFile> {
    let target = path.canonicalize()?;
    let mut draft = file_beside(&target)?;
    let text = examples.fold(file.to_owned(), |text, example| append_example(&text, example));
    draft.write_all(text.as_bytes())?;
    draft.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// The name of an example of the rulebook that says the same.
fn standing(rulebook: &Rulebook, wanted: &WantedExample) -> Option<String> {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let exchange = value(&wanted.exchange)?;
    let expect = serde_json::Value::Object(wanted.expect.clone());
    let same = |example: &&Example| {
        value(&example.expect).as_ref() == Some(&expect)
            && value(&example.exchange).as_ref() == Some(&exchange)
    };
    rulebook.examples.iter().find(same).map(|example| example.name.clone())
}

fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2u32..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}

/// Whether an example comes out as expected under a rulebook, and if not, how it differs.
pub(super) fn difference_under(rulebook: &Rulebook, wanted: &WantedExample) -> Option<String> {
    let mut rulebook = rulebook.clone();
    rulebook.examples = vec![Example {
        name: wanted.name.clone(),
        exchange: wanted.exchange.clone(),
        expect: serde_json::Value::Object(wanted.expect.clone()).to_string(),
        place: String::new(),
    }];
    run_examples(&rulebook).into_iter().next().map(|mismatch| mismatch.difference)
}
