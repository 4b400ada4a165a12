//! Texts in which nothing was found before: much of what is told of one call is told of many.

use xxhash_rust::xxh3::xxh3_64;

/// So many texts are remembered of each kind.
const SLOTS: usize = 1 << 12;
/// Longer texts hardly come again.
const LONGEST: usize = 1 << 10;

/// Texts that hold no secret. A text takes the place of another that has the same slot.
#[derive(Debug, Default)]
pub struct CleanTexts(Vec<Box<str>>);

impl CleanTexts {
    /// Whether a text is clean: known from before, or found to be so now and remembered.
    pub fn has(&mut self, text: &str, is_clean: impl FnOnce() -> bool) -> bool {
        if text.len() > LONGEST {
            return is_clean();
        }
        self.0.resize(SLOTS, Box::default());
        let [low, high, ..] = xxh3_64(text.as_bytes()).to_le_bytes();
        let slot = &mut self.0[usize::from(u16::from_le_bytes([low, high])) % SLOTS];
        if **slot == *text {
            return true;
        }
        let is_clean = is_clean();
        if is_clean {
            *slot = text.into();
        }
        is_clean
    }
}
