//! A file of criteria: its errors, and the examples that it has.

use super::shown::Checked;
use crate::check::{CheckFiles, Checks};
use crate::cli::Failure;
use crate::cli::terminal::counted;
use std::path::Path;

pub(super) fn check(file: &Path, checked: &mut Checked) -> Result<(), Failure> {
    let files = CheckFiles { criteria: vec![file.to_owned()], ..CheckFiles::default() };
    let checks = Checks::load(&files, &[])?;
    for file in checks.criteria_files() {
        let criteria = file.criteria();
        let examples: usize = criteria.iter().map(|criterion| criterion.examples).sum();
        checked.about = format!(
            "{} {}, {} as expected",
            criteria.len(),
            if criteria.len() == 1 { "criterion" } else { "criteria" },
            counted(examples as u64, "example"),
        );
        for criterion in criteria.iter().filter(|criterion| criterion.examples == 0) {
            let why = "it has no examples: add `valid` and `invalid`";
            checked.unchecked.push((criterion.name.clone(), why.to_owned()));
        }
    }
    Ok(())
}
