//! Where some of many texts may stand in another, without a closer look at most of it.
//!
//! Of each text a few bytes are kept that are rare in what tools say. One pass asks at every place, without
//! regard to case, whether the bytes there are some text's: a look into a table that fits into the innermost
//! cache, and none waits for the one before. An automaton over hundreds of texts does wait, at every byte and
//! for a table of megabytes.

/// A place where a text may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) text: usize,
    /// Where it would begin.
    pub(super) start: usize,
}

/// Looks for many texts at once. What it leaves out does not stand there, in any case of ASCII letters.
#[derive(Clone, Debug)]
pub(super) struct Sieve {
    /// Texts of four bytes and more.
    long: Table,
    short: Table,
}

/// How many bytes of a long text are kept, and of a short one.
const WINDOW: usize = 4;
const SHORT_WINDOW: usize = 2;
/// The bytes of a short window within a long one.
const SHORT: u32 = 0xffff;

/// A bit per hash, in words.
const WORDS: usize = 1 << 10;

/// Makes capital ASCII letters small, and some other bytes equal to each other.
const FOLD: u32 = 0x2020_2020;

/// Texts with the same hash, up to which another is no reason to keep more common bytes of it.
const CROWD: u16 = 8;

/// Texts by some of their bytes.
#[derive(Clone, Debug)]
struct Table {
    /// The hashes of all windows that are kept.
    bits: Box<[u64; WORDS]>,
    /// How many bits are set before each word: the number of a hash among those that are there.
    ranks: Box<[u32; WORDS]>,
    /// For each hash that is there, where its entries end.
    ends: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    window: u32,
    text: u32,
    /// How many bytes of the text stand before the window.
    before: u32,
}

impl Sieve {
    /// A sieve for texts in lower case, none of them empty.
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let [mut long, mut short] = [Draft::default(), Draft::default()];
        for (text, number) in texts.zip(0..) {
            match *text.as_bytes() {
                [] => {}
                // Whatever follows it, in lower case.
                [byte] => (0..=u8::MAX)
                    .filter(|next| u32::from(*next) & FOLD != 0)
                    .for_each(|next| short.add(&[byte, next], number, 0)),
                [_, _] | [_, _, _] => short.add_rarest(text.as_bytes(), number, SHORT_WINDOW),
                _ => long.add_rarest(text.as_bytes(), number, WINDOW),
            }
        }
        Self { long: long.finish(), short: short.finish() }
    }

    /// Visits all places where a text may stand; those of one text from left to right.
    pub(super) fn visit(&self, haystack: &[u8], mut visit: impl FnMut(Candidate)) {
        let Self { long, short } = self;
        for (at, window) in haystack.windows(WINDOW).enumerate() {
            let Some(window) = window.first_chunk::<WINDOW>() else { continue };
            let window = folded(*window);
            if long.has(window) {
                long.candidates(at, window, &mut visit);
            }
            let window = window & SHORT | FOLD;
            if short.has(window) {
                short.candidates(at, window, &mut visit);
            }
        }
        // What is left has no long window, and the last byte not even a short one.
        for at in haystack.len().saturating_sub(WINDOW - 1)..haystack.len() {
            let window = folded_slice(&haystack[at..haystack.len().min(at + SHORT_WINDOW)]);
            if short.has(window) {
                short.candidates(at, window, &mut visit);
            }
        }
    }
}

impl Table {
    /// Whether some text may have this window.
    fn has(&self, window: u32) -> bool {
        let (word, bit) = place(window);
        self.bits[word] >> bit & 1 == 1
    }

    #[cold]
    fn candidates(&self, at: usize, window: u32, visit: &mut impl FnMut(Candidate)) {
        let (word, bit) = place(window);
        let below = self.bits[word] & ((1 << bit) - 1);
        let number = (self.ranks[word] + below.count_ones()) as usize;
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        for entry in &self.entries[begin..self.ends[number] as usize] {
            if entry.window == window
                && let Some(start) = at.checked_sub(entry.before as usize)
            {
                visit(Candidate { text: entry.text as usize, start });
            }
        }
    }
}

/// Collects what goes into a table.
struct Draft {
    entries: Vec<Entry>,
    /// How many entries each hash has.
    crowds: Vec<u16>,
}

impl Default for Draft {
    fn default() -> Self {
        Self { entries: Vec::new(), crowds: vec![0; WORDS * 64] }
    }
}

impl Draft {
    /// Adds a text by those of its windows that are least to be expected.
    fn add_rarest(&mut self, text: &[u8], number: u32, width: usize) {
        let crowd = |window: &[u8]| self.crowds[slot(folded_slice(window))] / CROWD;
        let windows = text.windows(width).zip(0..);
        let rarest = windows.min_by_key(|(window, _)| (crowd(window), commonness(window)));
        if let Some((window, before)) = rarest {
            self.add(window, number, before);
        }
    }

    fn add(&mut self, window: &[u8], text: u32, before: u32) {
        let window = folded_slice(window);
        let crowd = &mut self.crowds[slot(window)];
        *crowd = crowd.saturating_add(1);
        self.entries.push(Entry { window, text, before });
    }

    fn finish(mut self) -> Table {
        self.entries.sort_by_key(|entry| slot(entry.window));
        let mut table = Table {
            bits: Box::new([0; WORDS]),
            ranks: Box::new([0; WORDS]),
            ends: Vec::new(),
            entries: self.entries,
        };
        for (at, entry) in (1..).zip(&table.entries) {
            let (word, bit) = place(entry.window);
            if table.bits[word] >> bit & 1 == 0 {
                table.bits[word] |= 1 << bit;
                table.ends.push(at);
            } else if let Some(end) = table.ends.last_mut() {
                *end = at;
            }
        }
        let mut so_far = 0;
        for (rank, word) in table.ranks.iter_mut().zip(table.bits.iter()) {
            *rank = so_far;
            so_far += word.count_ones();
        }
        table
    }
}

/// Bytes without regard to case, as one number.
fn folded(window: [u8; WINDOW]) -> u32 {
    u32::from_le_bytes(window) | FOLD
}

fn folded_slice(window: &[u8]) -> u32 {
    let mut bytes = [0; WINDOW];
    bytes.iter_mut().zip(window).for_each(|(to, from)| *to = *from);
    folded(bytes)
}

/// The word and the bit of a window's hash.
fn place(window: u32) -> (usize, u32) {
    let hash = window.wrapping_mul(0x9E37_79B1) >> 16;
    ((hash >> 6) as usize, hash & 63)
}

fn slot(window: u32) -> usize {
    let (word, bit) = place(window);
    word * 64 + bit as usize
}

/// How much bytes are to be expected in what tools say. A guess does: it makes nothing wrong.
fn commonness(window: &[u8]) -> usize {
    const COMMONEST_FIRST: &[u8] = b" etaionsrlcdupmh\"fgbyv,:.w-_k0x12/'jz3qn456789";
    let rank = |byte: &u8| COMMONEST_FIRST.iter().position(|known| known == byte);
    window
        .iter()
        .map(|byte| COMMONEST_FIRST.len() - rank(byte).unwrap_or(COMMONEST_FIRST.len()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidates(texts: &[&str], haystack: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        Sieve::new(texts.iter().copied())
            .visit(haystack.as_bytes(), |candidate| found.push(candidate));
        found
    }

    #[test]
    fn most_of_a_text_is_no_candidate() {
        let texts = ["connection refused", "not found", "timed out", "no"];
        let text = "The weather in Paris is fine: 21 degrees, a light wind from the west.";
        assert_eq!(candidates(&texts, text), []);
        let place = |text, start| Candidate { text, start };
        assert_eq!(candidates(&texts, "Page NOT found"), [place(3, 5), place(1, 5)]);
    }

    #[test]
    fn a_text_may_be_a_single_byte_at_the_end() {
        assert_eq!(candidates(&[":"], "so:"), [Candidate { text: 0, start: 2 }]);
        assert_eq!(candidates(&[":", "ab", "abc"], ""), []);
    }

    #[test]
    fn texts_with_the_same_bytes_do_not_crowd_one_place() {
        let texts: Vec<String> = (0..400).map(|number| format!("zzzz{number:03}zzzz")).collect();
        let sieve = Sieve::new(texts.iter().map(String::as_str));
        let mut visited = 0;
        sieve.visit("zzzz".repeat(10).as_bytes(), |_| visited += 1);
        assert!(visited < 40 * 2 * usize::from(CROWD), "{visited}");
    }

    proptest! {
        #[test]
        fn no_place_is_left_out(
            texts in proptest::collection::vec("[a-c_@\\[ é不]{1,7}", 1..40),
            haystack in "[a-cA-C_@\\[` éÉ不]{0,40}",
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = candidates(&texts, &haystack);
            let lowered = haystack.to_ascii_lowercase();
            for (text, word) in texts.iter().enumerate() {
                let bytes = lowered.as_bytes();
                let places = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(word.as_bytes()));
                for start in places {
                    let all = found.iter().filter(|c| **c == Candidate { text, start }).count();
                    prop_assert_eq!(all, 1, "{} at {}", word, start);
                }
                let starts = found.iter().filter(|c| c.text == text).map(|c| c.start);
                prop_assert!(starts.is_sorted());
            }
        }
    }
}
