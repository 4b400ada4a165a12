//! How much one text is like another: the share of word pairs that they have in common, from sketches
//! of a size that does not depend on the texts.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many of the smallest hashes a sketch keeps.
const SIZE: usize = 64;
/// How much of a text is looked at.
const LOOKED_AT: usize = 2048;

/// A text in a few numbers (`MinHash` over words and pairs of words, digits left out).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch([u32; SIZE]);

impl Sketch {
    pub fn of(text: &str) -> Self {
        let end = (0..=LOOKED_AT.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let text = text[..end.unwrap_or(0)].to_lowercase();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
        let mut least = [u32::MAX; SIZE];
        let mut add = |hash: u64| {
            for (at, least) in (1_u64..).zip(&mut least) {
                // One hash, seen from as many sides as are wanted.
                let turned = (hash ^ at.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .wrapping_mul(0xd6e8_feb8_6659_fd93 | 1);
                let turned = (turned ^ turned >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
                *least = (*least).min((turned >> 32) as u32);
            }
        };
        let hash = |word: &str, seed: u64| xxh3_64_with_seed(word.as_bytes(), seed);
        for word in &words {
            add(hash(word, 0));
        }
        for pair in words.windows(2) {
            add(hash(pair[1], hash(pair[0], 1)));
        }
        Self(least)
    }

    /// How alike two texts are, 0 to 1.
    pub fn likeness(&self, other: &Self) -> f64 {
        let same = self.0.iter().zip(&other.0).filter(|(one, two)| one == two).count();
        same as f64 / SIZE as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_alike_by_the_words_they_share() {
        let one = Sketch::of("User 12 was not found in the table of users");
        let same = Sketch::of("user 99 was NOT found in the table of users!");
        let near = Sketch::of("Order 7 was not found in the table of orders");
        let other = Sketch::of("ECONNREFUSED 127.0.0.1:5432");
        assert!((one.likeness(&same) - 1.0).abs() < 1e-9);
        assert!(one.likeness(&near) > 0.3 && one.likeness(&near) < 0.9);
        assert!(one.likeness(&other) < 0.1);
        assert!((Sketch::of("").likeness(&Sketch::of("12")) - 1.0).abs() < 1e-9);
    }
}
