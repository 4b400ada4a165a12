//! An exchange as somebody reads it who has to say what became of it, and how much one text is like another.

use crate::json::RawStr;
use crate::recording::{Exchange, Reply};
use crate::redact::{MaskedText, Redactor};
use std::fmt::Write as _;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// How much of a call and of a reply is kept, in bytes.
const LONGEST: usize = 16 << 10;

/// An exchange as somebody reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub id: Option<String>,
    pub input: MaskedText,
    /// What came back, in words: texts as they are, other content as JSON.
    pub reply: MaskedText,
    /// Hash of the whole reply and of its kind. The same for exchanges with equal replies.
    pub hash: u64,
    pub sketch: Sketch,
}

impl Page {
    pub fn of(exchange: &Exchange<'_>, redactor: &Redactor) -> Self {
        let mut reply = String::new();
        match &exchange.reply {
            Reply::Result(result) => {
                for block in result.content.blocks() {
                    let text = block.text.text().map(RawStr::decode);
                    let text = text.as_deref().unwrap_or_else(|| block.raw.text());
                    let _ = writeln!(reply, "{text}");
                }
                if reply.trim().is_empty() {
                    result.raw.text().clone_into(&mut reply);
                }
            }
            Reply::Error(error) => {
                let message = error.message.text().map(RawStr::decode);
                let message = message.as_deref().unwrap_or_else(|| error.raw.text());
                let _ = write!(reply, "{} {message}", error.code);
                if let Some(data) = error.raw.member("data") {
                    let _ = write!(reply, "\n{}", data.text());
                }
            }
            Reply::Document(document) => document.raw().text().clone_into(&mut reply),
            Reply::None => {}
        }
        let kind = exchange.reply.kind().name();
        let input = exchange.input.as_ref().map_or("", |input| input.raw().text());
        Self {
            id: exchange.id.as_deref().map(str::to_owned),
            input: redactor.tell_beginning(input, LONGEST),
            hash: xxh3_64(format!("{kind}\n{reply}").as_bytes()),
            sketch: Sketch::of(&reply),
            reply: redactor.tell_beginning(reply.trim_end(), LONGEST),
        }
    }
}

/// How many of the smallest hashes a sketch keeps.
const SIZE: usize = 64;
/// How much of a text is looked at.
const LOOKED_AT: usize = 2048;

/// A text in a few numbers (`MinHash` over words and pairs of words, digits left out): as many, whatever its size.
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
