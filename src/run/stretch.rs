//! A stretch of the corpus when it is judged: what was read, what was found, and the rows.

use super::account::Account;
use crate::report::{Counted, EncodedRows, KeyColumns};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// All that a stretch leaves behind, as far as it does not depend on the rest of the corpus.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) account: Account,
    pub(super) counted: Counted,
    pub(super) rows: EncodedRows,
    /// The rows' keys as they were named when the stretch was kept.
    pub(super) names: KeyColumns,
}

impl Stretch {
    /// Appends all but the columns of the rows, and says what these are.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> [&[u8]; 5] {
        self.account.write(out);
        self.counted.write(out);
        self.rows.write(&self.names, out)
    }

    /// Reads what is in files of others.
    pub(super) fn load(&mut self) -> io::Result<()> {
        self.rows.load()?;
        self.names.load()
    }

    /// A stretch that was kept; the columns of its rows are in a file from a place on.
    pub(super) fn read(mut bytes: &[u8], columns: (&Arc<File>, u64)) -> Option<Self> {
        let bytes = &mut bytes;
        let account = Account::read(bytes)?;
        let counted = Counted::read(bytes)?;
        let (rows, names) = EncodedRows::read(bytes, columns)?;
        bytes.is_empty().then_some(Self { account, counted, rows, names })
    }
}
