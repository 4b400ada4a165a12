//! Writing a tuned rulebook: into its own file, or into a new one that extends it.

use super::{Failure, file_name};
use crate::rulebook::{Rulebook, builtin_names};
use crate::tune::{Change, Learned, apply};
use std::io::Write as _;
use std::path::Path;

/// Writes what was learned; the file is only touched once what is written was read back and judges alike.
pub(super) fn write(
    file: &Path,
    (named, start): (Option<&str>, &Rulebook),
    learned: &Learned,
) -> Result<(), Failure> {
    let text = source(file, (named, start))?;
    let mut changed = apply(&text, &learned.changes).map_err(cannot_change)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let refused = |error: std::io::Error| {
        Failure::unfinished(format!("cannot write {}: {error}", file.display()))
            .next("name a file that you may write")
    };
    let mut kept = tempfile::Builder::new()
        .prefix(".tuned-")
        .suffix(".toml")
        .tempfile_in(folder)
        .map_err(refused)?;
    // What overrides an inherited line hides it: once it is gone, the line itself has to go.
    for _ in 0..2 {
        kept.as_file_mut().set_len(0).map_err(refused)?;
        std::fs::write(kept.path(), &changed).map_err(refused)?;
        let written = Rulebook::load(&kept.path().to_string_lossy()).map_err(|error| {
            Failure::unfinished(format!("what would be written cannot be used: {error}"))
        })?;
        if written.digest == learned.rulebook.digest {
            kept.as_file_mut().flush().map_err(refused)?;
            return kept.persist(file).map(|_| ()).map_err(|error| refused(error.error));
        }
        let still = |change: &&Change| match change {
            Change::NoLine { line } => written.decide.iter().any(|kept| kept.name == *line),
            _ => false,
        };
        let again: Vec<Change> = learned.changes.iter().filter(still).cloned().collect();
        changed = apply(&changed, &again).map_err(cannot_change)?;
    }
    Err(Failure::unfinished(format!(
        "{} cannot be changed in place so that it judges as proposed",
        file.display()
    ))
    .next("name a new file for --write: it will extend the rulebook"))
}

fn cannot_change(error: crate::tune::ChangeError) -> Failure {
    Failure::unfinished(error).next("name a new file for --write: it will extend the rulebook")
}

/// The text that is changed.
fn source(file: &Path, (named, start): (Option<&str>, &Rulebook)) -> Result<String, Failure> {
    if file.exists() {
        let shown = file.display();
        let there = Rulebook::load(&file.to_string_lossy()).map_err(Failure::usage)?;
        if there.digest != start.digest {
            return Err(Failure::usage(format!(
                "{shown} is there and is not the rulebook that was tuned"
            ))
            .next("name the rulebook's own file, or one that is not there yet"));
        }
        return std::fs::read_to_string(file)
            .map_err(|error| Failure::unfinished(format!("cannot read {shown}: {error}")));
    }
    let stem = file_name(file);
    let name = stem.strip_suffix(".toml").unwrap_or(&stem);
    let named = named.unwrap_or(&start.name);
    let is_same = || Rulebook::builtin(named).is_ok_and(|known| known.digest == start.digest);
    let heading = format!(
        "name = {}\nabout = {}\n",
        quoted(name),
        quoted(&format!("{}, tuned by labels.", start.name))
    );
    if builtin_names().contains(&named) && is_same() {
        return Ok(format!("{heading}extends = {}\n", quoted(named)));
    }
    // Another file's text cannot be known to be found from here: what it came to stands by itself.
    Ok(start.resolved.clone())
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
