//! The labels of the exchanges of a run.

use super::{Label, LabelError, LabelLine};
use crate::compare::Side;
use crate::report::{Table, TableReader};
use crate::verdict::{counted, grouped};
use std::collections::BTreeMap;
use std::path::Path;

/// The labels of a side's exchanges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// By the exchange's place in [`Side::entries`].
    pub of: BTreeMap<u32, Label>,
    /// Lines of the file of labels that no exchange, or more than one, has the file and the id of.
    pub unmatched: u64,
    /// Labels in recordings that are none of the four words.
    pub unknown: u64,
    /// Why nothing is known of labels, where it is not that there are none.
    pub cannot_tell: Option<String>,
}

/// A line of a file of labels while its exchange is looked for.
struct Wanted {
    label: Label,
    /// The exchanges that have its file and its id: the first, and how many.
    first: u32,
    found: u32,
}

/// Ids of messages are kept as JSON, those of records as texts.
fn plain_id(id: &str) -> &str {
    id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id)
}

impl Labelled {
    /// A side that does not keep what labels are found by.
    #[must_use]
    pub fn cannot_tell(because: &str) -> Self {
        Self { cannot_tell: Some(because.to_owned()), ..Self::default() }
    }

    /// The labels of a run's exchanges: those of its recordings, and those of a file, which count
    /// where there are both.
    pub fn of_run(folder: &Path, side: &Side, lines: &[LabelLine]) -> Result<Self, LabelError> {
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let mut labelled = Self::default();
        let mut wanted: BTreeMap<&str, BTreeMap<&str, Wanted>> = BTreeMap::new();
        for LabelLine { file, id, label } in lines {
            let line = Wanted { label: *label, first: 0, found: 0 };
            wanted.entry(file).or_default().insert(id, line);
        }
        let mut at = 0;
        for group in 0..table.groups() {
            let [files, ids, own] = ["file", "id", "label"].map(|name| table.texts(group, name));
            let (files, ids, own) = (files?, ids?, own?);
            for row in 0..table.rows(group) {
                match own.get(row).map(Label::named) {
                    Some(Some(label)) => _ = labelled.of.insert(at, label),
                    Some(None) => labelled.unknown += 1,
                    None => {}
                }
                if let (Some(file), Some(id)) = (files.get(row), ids.get(row))
                    && let Some(wanted) = wanted.get_mut(file)
                    && let Some(wanted) = wanted.get_mut(plain_id(id))
                {
                    wanted.first = if wanted.found == 0 { at } else { wanted.first };
                    wanted.found += 1;
                }
                at += 1;
            }
        }
        if at as usize != side.entries.len() {
            return Ok(Self::cannot_tell("the table of verdicts has other rows than the side"));
        }
        for Wanted { label, first, found } in wanted.into_values().flat_map(BTreeMap::into_values) {
            match found {
                1 => _ = labelled.of.insert(first, label),
                _ => labelled.unmatched += 1,
            }
        }
        Ok(labelled)
    }

    /// What is to be said of labels that do not count.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let unmatched = (self.unmatched > 0).then(|| {
            format!("{} of the file fit no single exchange", counted(self.unmatched, "label"))
        });
        let unknown = (self.unknown > 0).then(|| {
            let known = Label::ALL.map(Label::name).join(", ");
            format!("{} in recordings say none of {known}", grouped(self.unknown))
        });
        unmatched.into_iter().chain(unknown).collect()
    }
}
