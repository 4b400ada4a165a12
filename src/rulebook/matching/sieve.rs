//! Where some of many texts may stand in another, without a closer look at most of it.
//!
//! Of each text a few bytes are kept that are rare in what tools say. One pass asks at every place, without
//! regard to case, whether the bytes there are some text's: a look into a table that fits into the innermost
//! cache, and none waits for the one before. An automaton over hundreds of texts does wait, at every byte and
//! for a table of megabytes.

use memchr::memchr2_iter;

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
    /// For each hash of a window the number of its entries, from 1; 0 where there are none.
    numbers: Box<[u16; SLOTS]>,
    /// Where the entries of each number end.
    ends: Vec<u32>,
    /// What the last byte of a window may be for the entries of each number, as bits: most windows that share a
    /// slot with one of theirs end otherwise.
    last: Vec<u32>,
    entries: Vec<Entry>,
    /// Texts of one byte.
    bytes: Vec<(u8, usize)>,
}

/// How many bytes are loaded at a place, and how many of them tell the slot.
const WINDOW: usize = 4;
const HASHED: usize = 3;
const SLOTS: usize = 1 << 15;

/// Makes capital ASCII letters small, and some other bytes equal to each other.
const FOLD: u32 = 0x2020_2020;

/// Texts with the same hash, up to which another is no reason to keep more common bytes of it.
const CROWD: u16 = 16;

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The bytes of the window, as far as they are the text's.
    window: u32,
    mask: u32,
    text: u32,
    /// How many bytes of the text stand before the window.
    before: u32,
    /// Other bytes of the text, so many from its beginning; the window again where there are none.
    beside: u32,
    at: u32,
}

impl Sieve {
    /// A sieve for texts in lower case, none of them empty.
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut draft = Draft { entries: Vec::new(), crowds: vec![0; SLOTS], bytes: Vec::new() };
        for (number, text) in texts.enumerate() {
            match *text.as_bytes() {
                [] => {}
                [byte] => draft.bytes.push((byte, number)),
                // Whatever follows it, in lower case; nothing, at the end.
                [one, two] => (0..=u8::MAX)
                    .filter(|next| u32::from(*next) & FOLD != 0)
                    .for_each(|next| draft.add(&[one, two, next], 0, text.as_bytes(), number)),
                _ => draft.add_rarest(text.as_bytes(), number),
            }
        }
        draft.finish()
    }

    /// Visits all places where a text may stand; those of one text from left to right.
    pub(super) fn visit(&self, haystack: &[u8], mut visit: impl FnMut(Candidate)) {
        let mut look = |at, window| {
            let number = self.numbers[slot(window)];
            if number != 0 && self.last[usize::from(number)] & last_of(window) != 0 {
                self.candidates(number, haystack, (at, window), &mut visit);
            }
        };
        haystack.windows(WINDOW).enumerate().for_each(|(at, window)| look(at, folded(window)));
        // What is left is shorter than a window.
        let left = haystack.len().saturating_sub(WINDOW - 1)..haystack.len();
        left.for_each(|at| look(at, folded(&haystack[at..])));
        for &(byte, text) in &self.bytes {
            let places = memchr2_iter(byte, byte.to_ascii_uppercase(), haystack);
            places.for_each(|start| visit(Candidate { text, start }));
        }
    }

    #[inline(never)]
    fn candidates(
        &self,
        number: u16,
        haystack: &[u8],
        (at, window): (usize, u32),
        visit: &mut impl FnMut(Candidate),
    ) {
        let number = usize::from(number);
        for entry in &self.entries[self.ends[number - 1] as usize..self.ends[number] as usize] {
            if (window ^ entry.window) & entry.mask != 0 {
                continue;
            }
            let Some(start) = at.checked_sub(entry.before as usize) else { continue };
            let beside = haystack.get(start + entry.at as usize..).map_or(FOLD, folded);
            if (beside ^ entry.beside) & entry.mask == 0 {
                visit(Candidate { text: entry.text as usize, start });
            }
        }
    }
}

/// Collects what goes into a sieve.
struct Draft {
    entries: Vec<Entry>,
    /// How many entries each slot has.
    crowds: Vec<u16>,
    bytes: Vec<(u8, usize)>,
}

impl Draft {
    /// Adds a text by those of its windows that are least to be expected.
    fn add_rarest(&mut self, text: &[u8], number: usize) {
        let crowd = |window: &[u8]| self.crowds[slot(folded(window))] / CROWD;
        let windows = text.windows(text.len().min(WINDOW)).enumerate();
        let rarest =
            windows.min_by_key(|(_, window)| (crowd(window), commonness(&window[..HASHED])));
        if let Some((before, window)) = rarest {
            self.add(window, before, text, number);
        }
    }

    /// Adds a text by a window that begins behind so many of its bytes.
    fn add(&mut self, window: &[u8], before: usize, text: &[u8], number: usize) {
        let number_of = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mask = if text.len() < WINDOW { u32::MAX >> 8 } else { u32::MAX };
        // The end that is farther from the window.
        let last = text.len().saturating_sub(WINDOW);
        let at = if before > last / 2 { 0 } else { last };
        let (window, beside) =
            (folded(window), if last == 0 { folded(window) } else { folded(&text[at..]) });
        let crowd = &mut self.crowds[slot(window)];
        *crowd = crowd.saturating_add(1);
        self.entries.push(Entry {
            window,
            mask,
            text: number_of(number),
            before: number_of(before),
            beside,
            at: number_of(at),
        });
    }

    fn finish(mut self) -> Sieve {
        self.entries.sort_by_key(|entry| slot(entry.window));
        let numbers = vec![0; SLOTS].into_boxed_slice();
        let mut numbers: Box<[u16; SLOTS]> = numbers.try_into().expect("it has SLOTS entries");
        let (mut ends, mut last) = (vec![0], vec![0]);
        for together in self.entries.chunk_by(|one, next| slot(one.window) == slot(next.window)) {
            let end =
                ends.last().copied().unwrap_or(0) + u32::try_from(together.len()).unwrap_or(0);
            numbers[slot(together[0].window)] = u16::try_from(ends.len()).unwrap_or(u16::MAX);
            ends.push(end);
            let of_entry = |Entry { window, mask, .. }: &Entry| match *mask {
                u32::MAX => last_of(*window),
                _ => u32::MAX,
            };
            last.push(together.iter().map(of_entry).fold(0, std::ops::BitOr::bitor));
        }
        Sieve { numbers, ends, last, entries: self.entries, bytes: self.bytes }
    }
}

/// The last byte of a window, as a bit; some bytes share theirs.
fn last_of(window: u32) -> u32 {
    1 << (window >> 24 & 0x1f)
}

/// Bytes without regard to case, as one number. What is missing is a blank.
fn folded(bytes: &[u8]) -> u32 {
    if let Some(window) = bytes.first_chunk::<WINDOW>() {
        return u32::from_le_bytes(*window) | FOLD;
    }
    let mut window = [0; WINDOW];
    window.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u32::from_le_bytes(window) | FOLD
}

/// The hash of the first three bytes of a window.
fn slot(window: u32) -> usize {
    let hashed = window << (8 * (WINDOW - HASHED));
    (hashed.wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOTS.ilog2())) as usize
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
