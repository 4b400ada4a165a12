//! Long runs of bytes of a kind in a text, most of which is not looked at.

use std::ops::Range;

/// Which bytes are of a kind.
pub(crate) struct Kind([bool; 256]);

/// ASCII letters and digits.
pub(crate) const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

impl Kind {
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self([false; 256]).and(bytes)
    }

    pub(crate) const fn and(mut self, bytes: &[u8]) -> Self {
        let mut at = 0;
        while at < bytes.len() {
            self.0[bytes[at] as usize] = true;
            at += 1;
        }
        self
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

pub(crate) fn long_runs<'t>(
    text: &'t [u8],
    least: usize,
    kind: &'static Kind,
) -> impl Iterator<Item = Range<usize>> + 't {
    let is_of = |byte| kind.has(byte);
    // Every run that is long enough covers one of the places that are looked at.
    let mut at = least - 1;
    std::iter::from_fn(move || {
        while let Some(byte) = text.get(at) {
            if !is_of(*byte) {
                at += least;
                continue;
            }
            let start = text[..at].iter().rposition(|byte| !is_of(*byte)).map_or(0, |it| it + 1);
            let end = text[at..].iter().position(|byte| !is_of(*byte));
            let end = end.map_or(text.len(), |length| at + length);
            at = end + least;
            if end - start >= least {
                return Some(start..end);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    static LETTER: Kind = Kind::of(LETTERS);

    proptest! {
        #[test]
        fn no_run_is_missed(text in "[ab .]{0,60}", least in 1_usize..6) {
            let found: Vec<&str> =
                long_runs(text.as_bytes(), least, &LETTER).map(|run| &text[run]).collect();
            let words = text.split(|c: char| !c.is_ascii_alphabetic());
            let expected: Vec<&str> = words.filter(|word| word.len() >= least).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
