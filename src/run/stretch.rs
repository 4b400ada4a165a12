//! A stretch of the corpus when it is judged: what was read, what was found, and the rows.

use super::account::Account;
use crate::report::{Counted, EncodedRows};

/// All that a stretch leaves behind, as far as it does not depend on the rest of the corpus.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) account: Account,
    pub(super) counted: Counted,
    pub(super) rows: EncodedRows,
}

impl Stretch {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.account.write(out);
        self.counted.write(out);
        self.rows.write(out);
    }

    pub(super) fn read(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let account = Account::read(bytes)?;
        let counted = Counted::read(bytes)?;
        let rows = EncodedRows::read(bytes)?;
        bytes.is_empty().then_some(Self { account, counted, rows })
    }
}
