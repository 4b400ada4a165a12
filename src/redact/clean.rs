//! Texts in which nothing was found before: much of what is told of one call is told of many.

use xxhash_rust::xxh3::xxh3_128;

/// So many texts are remembered of each kind.
const SLOTS: usize = 1 << 12;

/// Texts that hold no secret, by their hashes: whoever makes two texts of one hash shows only what is his own. A text takes
/// the place of another that has the same slot.
#[derive(Debug, Default)]
pub struct CleanTexts(Vec<u128>);

impl CleanTexts {
    /// Whether a text is clean: known from before, or found to be so now and remembered.
    pub fn has(&mut self, text: &str, is_clean: impl FnOnce() -> bool) -> bool {
        self.0.resize(SLOTS, 0);
        let hash = xxh3_128(text.as_bytes());
        let [low, high, ..] = hash.to_le_bytes();
        let slot = &mut self.0[usize::from(u16::from_le_bytes([low, high])) % SLOTS];
        if *slot == hash {
            return true;
        }
        let is_clean = is_clean();
        if is_clean {
            *slot = hash;
        }
        is_clean
    }
}
