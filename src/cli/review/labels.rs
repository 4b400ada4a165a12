//! Adding labels to a file of them.

use crate::cli::Failure;
use crate::review::Label;
use crate::verdict::harmless_json;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Adds labels to a file, which need not be there. What it says already is not said again. Returns
/// how many were added.
pub(super) fn add(path: &Path, labels: &[Label]) -> Result<usize, Failure> {
    add_lines(path, labels).map_err(|error| {
        Failure::unfinished(format!("cannot write {}: {error}", path.display()))
            .next("name another file with --labels; the baseline is as it was")
    })
}

fn add_lines(path: &Path, labels: &[Label]) -> io::Result<usize> {
    let known = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let is_new = |label: &&Label| !known.lines().any(|line| label.is_said_by(line));
    let lines: Vec<String> = labels
        .iter()
        .filter(is_new)
        .map(|label| serde_json::to_string(label).map(|line| harmless_json(&line) + "\n"))
        .collect::<Result<_, _>>()?;
    if lines.is_empty() {
        return Ok(0);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    // A last line that does not end must not swallow the next one.
    let separator = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    file.write_all((separator.to_owned() + &lines.concat()).as_bytes())?;
    file.sync_data()?;
    Ok(lines.len())
}
