//! Where some of many texts may stand in another, without a closer look at most of it.
//!
//! Of each text a few bytes are kept that are rare in what tools say. One pass asks at every second place, without
//! regard to case, whether the bytes there are some text's: a look into a table that fits into the innermost
//! cache, and none waits for the one before. An automaton over hundreds of texts does wait, at every byte and
//! for a table of megabytes.

use memchr::memchr2_iter;
use std::cmp::Reverse;

/// A place where a text may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) text: usize,
    pub(super) start: usize,
}

/// Looks for many texts at once. What it leaves out does not stand there, in any case of ASCII letters.
#[derive(Clone, Debug)]
pub(super) struct TextSearch {
    /// For each slot what the last byte of a window may be for its entries, as bits: most windows that share a
    /// slot with one of them end otherwise.
    last: Box<[u32; SLOTS]>,
    /// What the others may be, as bits, since different ones share a slot.
    first: Vec<u32>,
    /// Where the entries of each slot end.
    ends: Vec<u32>,
    entries: Vec<Entry>,
    /// Texts of one byte.
    bytes: Vec<(u8, usize)>,
}

/// How many bytes are loaded at a place, and how many of them tell the slot.
const WINDOW: usize = 4;
const HASHED: usize = 3;
const SLOTS: usize = 1 << 13;
/// What of them tells it: neither the case of letters nor the highest bit does.
const TELLING: u32 = 0x005f_5f5f;

/// Makes capital ASCII letters small, and some other bytes equal to each other.
const FOLD: u32 = 0x2020_2020;

/// Texts with the same hash, up to which another is no reason to keep more common bytes of it.
const CROWD: u16 = 16;

/// A place of a text, and its bytes as far as the mask says that they are the text's.
#[derive(Clone, Copy, Debug)]
struct Window {
    bytes: u32,
    mask: u32,
    /// How many bytes of the text stand before it; it may begin a byte before the text.
    before: i32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    window: Window,
    text: u32,
    /// Other bytes of the text, so many from its beginning; none where it is short.
    beside: u32,
    mask_beside: u32,
    at: u32,
}

/// Only every second place is looked at.
const STEP: usize = 2;

impl TextSearch {
    /// A search for texts in lower case, none of them empty.
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut draft = Draft {
            entries: Vec::new(),
            crowds: vec![0; SLOTS],
            common: vec![0; SLOTS],
            bytes: Vec::new(),
        };
        for window in texts.clone().flat_map(|text| text.as_bytes().windows(HASHED)) {
            let common = &mut draft.common[slot(folded(window))];
            *common = common.saturating_add(1);
        }
        for (number, text) in texts.enumerate() {
            match *text.as_bytes() {
                [] => {}
                [byte] => draft.bytes.push((byte, number)),
                _ => draft.add_rarest(text.as_bytes(), number),
            }
        }
        draft.finish()
    }

    /// Visits all places where a text may stand; those where it does stand from left to right.
    pub(super) fn visit(&self, haystack: &[u8], mut visit: impl FnMut(Candidate)) {
        let mut look = |at, window| {
            let slot = slot(window);
            if self.last[slot] & last_of(window) != 0 && self.first[slot] & first_of(window) != 0 {
                self.candidates(slot, haystack, (at, window | FOLD), &mut visit);
            }
        };
        let mut at = 0;
        while let Some(several) = haystack.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let several = u64::from_le_bytes(*several);
            for before in [0, STEP, 2 * STEP] {
                #[expect(clippy::cast_possible_truncation, reason = "a window of the bytes")]
                look(at + before, (several >> (u8::BITS as usize * before)) as u32);
            }
            at += 3 * STEP;
        }
        // What is left is shorter.
        while at < haystack.len() {
            look(at, loaded(&haystack[at..]));
            at += STEP;
        }
        for &(byte, text) in &self.bytes {
            let places = memchr2_iter(byte, byte.to_ascii_uppercase(), haystack);
            places.for_each(|start| visit(Candidate { text, start }));
        }
    }

    #[inline(never)]
    fn candidates(
        &self,
        slot: usize,
        haystack: &[u8],
        (at, window): (usize, u32),
        visit: &mut impl FnMut(Candidate),
    ) {
        for entry in &self.entries[self.ends[slot] as usize..self.ends[slot + 1] as usize] {
            let Window { bytes, mask, before } = entry.window;
            if (window ^ bytes) & mask != 0 {
                continue;
            }
            let Some(start) = at.checked_add_signed(-before as isize) else { continue };
            let beside = haystack.get(start + entry.at as usize..).map_or(FOLD, folded);
            if (beside ^ entry.beside) & entry.mask_beside == 0 {
                visit(Candidate { text: entry.text as usize, start });
            }
        }
    }
}

/// Whether a text in lower case stands at a place of another, in any case of ASCII letters.
pub(super) fn stands_at(haystack: &[u8], start: usize, text: &[u8]) -> bool {
    let is_same = |(there, small): (&u8, &u8)| {
        there == small || there ^ small == FOLD.to_le_bytes()[0] && small.is_ascii_lowercase()
    };
    let there = haystack.get(start..start + text.len());
    there.is_some_and(|there| there.iter().zip(text).all(is_same))
}

/// Whether a text in lower case, which is not empty, stands in another, in any case of ASCII letters: where its rarest
/// byte stands, a closer look is taken.
pub(super) fn is_in(haystack: &[u8], text: &[u8]) -> bool {
    let common = |(_, byte): &(usize, &u8)| COMMONNESS[usize::from(**byte)];
    let Some((before, rarest)) = text.iter().enumerate().min_by_key(common) else { return true };
    let mut places = memchr2_iter(*rarest, rarest.to_ascii_uppercase(), haystack);
    places.any(|at| at.checked_sub(before).is_some_and(|start| stands_at(haystack, start, text)))
}

/// Collects what goes into a search.
struct Draft {
    entries: Vec<Entry>,
    /// How many entries each slot has.
    crowds: Vec<u16>,
    /// How many windows of the texts each slot has: what many of them say stands in many others.
    common: Vec<u16>,
    bytes: Vec<(u8, usize)>,
}

impl Draft {
    /// Adds a text by two of its windows that are least to be expected, one of those that begin an even number of
    /// bytes behind its beginning and one of the others: wherever it stands, one of them begins at an even place.
    fn add_rarest(&mut self, text: &[u8], number: usize) {
        // Where places of a text overlap, the windows of the first come first.
        let period = (1..text.len()).find(|shift| text.starts_with(&text[*shift..]));
        let end = text.len().saturating_sub(HASHED - 1).min(period.map_or(usize::MAX, |it| it + 1));
        for from in 0..STEP {
            let windows = (from..end).step_by(STEP);
            let windows =
                windows.map(|before| (before, &text[before..text.len().min(before + WINDOW)]));
            match windows.min_by_key(|(_, window)| self.expected(window)) {
                Some((before, window)) => {
                    let before = i32::try_from(before).unwrap_or(i32::MAX);
                    let (bytes, mask) = (folded(window), mask(0, window.len()));
                    self.add(text, number, Window { bytes, mask, before });
                }
                None => self.add_short(text, from, number),
            }
        }
    }

    /// How much a window is to be expected.
    fn expected(&self, window: &[u8]) -> (u16, usize) {
        let slot = slot(folded(window));
        let untold = (WINDOW - window.len()) * UNTOLD;
        let common = commonness(window) + untold + usize::from(self.common[slot]);
        (self.crowds[slot] / CROWD, common)
    }

    /// Adds a short text by windows that it does not fill: by all that tell another slot.
    fn add_short(&mut self, text: &[u8], from: usize, number: usize) {
        let mut bytes = [0; WINDOW];
        bytes[from..from + text.len()].copy_from_slice(text);
        let own = mask(from, text.len());
        let others = TELLING & !own;
        let (mut windows, mut other) = (Vec::new(), 0_u32);
        loop {
            windows.push(u32::from_le_bytes(bytes) & own | other | FOLD);
            // The next number that has only bits of these.
            other = other.wrapping_sub(others) & others;
            if other == 0 {
                break;
            }
        }
        let before = -i32::try_from(from).unwrap_or(0);
        windows.sort_unstable_by_key(|window| slot(*window));
        windows.dedup_by_key(|window| slot(*window));
        for bytes in windows {
            self.add(text, number, Window { bytes, mask: own, before });
        }
    }

    fn add(&mut self, text: &[u8], number: usize, window: Window) {
        let number_of = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        // The end that is farther from the window.
        let last = text.len().saturating_sub(WINDOW);
        let at = if window.before.unsigned_abs() as usize > last / 2 { 0 } else { last };
        let crowd = &mut self.crowds[slot(window.bytes)];
        *crowd = crowd.saturating_add(1);
        self.entries.push(Entry {
            window,
            text: number_of(number),
            beside: folded(&text[at..]),
            mask_beside: if text.len() < WINDOW { 0 } else { u32::MAX },
            at: number_of(at),
        });
    }

    fn finish(self) -> TextSearch {
        let (last, mut first) = (vec![0; SLOTS].into_boxed_slice(), vec![0; SLOTS]);
        let mut last: Box<[u32; SLOTS]> = last.try_into().expect("it has SLOTS entries");
        let mut ends = vec![0; SLOTS + 1];
        for Entry { window: Window { bytes, mask, .. }, .. } in &self.entries {
            ends[slot(*bytes) + 1] += 1;
            let is_told = mask >> (u8::BITS as usize * HASHED) != 0;
            last[slot(*bytes)] |= if is_told { last_of(*bytes) } else { u32::MAX };
            first[slot(*bytes)] |= first_of(*bytes);
        }
        (1..ends.len()).for_each(|slot| ends[slot] += ends[slot - 1]);
        let (mut entries, mut free) = (self.entries.clone(), ends.clone());
        for entry in self.entries {
            let place = &mut free[slot(entry.window.bytes)];
            entries[*place as usize] = entry;
            *place += 1;
        }
        for of_slot in ends.windows(2) {
            let of_slot = &mut entries[of_slot[0] as usize..of_slot[1] as usize];
            of_slot.sort_unstable_by_key(|entry| Reverse(entry.window.before));
        }
        TextSearch { last, first, ends, entries, bytes: self.bytes }
    }
}

/// The bits of so many bytes of a window behind so many others.
fn mask(start: usize, bytes: usize) -> u32 {
    let bits = |bytes: usize| u8::BITS as usize * bytes;
    u32::MAX >> bits(WINDOW.saturating_sub(bytes)) << bits(start)
}

/// The last byte of a window, as a bit; some bytes share theirs.
fn last_of(window: u32) -> u32 {
    1 << (window >> 24 & 0x1f)
}

/// Bytes as one number. What is missing is zero.
fn loaded(bytes: &[u8]) -> u32 {
    if let Some(window) = bytes.first_chunk::<WINDOW>() {
        return u32::from_le_bytes(*window);
    }
    let mut window = [0; WINDOW];
    window.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u32::from_le_bytes(window)
}

/// Bytes without regard to case, as one number. What is missing is a blank.
fn folded(bytes: &[u8]) -> u32 {
    loaded(bytes) | FOLD
}

/// The slot of a window, told by its first three bytes.
fn slot(window: u32) -> usize {
    (mixed(window) >> (u32::BITS - SLOTS.ilog2())) as usize
}

/// The same bytes as one of the bits by which those of a slot are told apart.
fn first_of(window: u32) -> u32 {
    1 << (mixed(window) >> (u32::BITS - SLOTS.ilog2() - 5) & 0x1f)
}

fn mixed(window: u32) -> u32 {
    (window & TELLING).wrapping_mul(0x9E37_79B1)
}

/// How much bytes are to be expected in what tools say. A guess does: it makes nothing wrong.
fn commonness(window: &[u8]) -> usize {
    window.iter().map(|byte| usize::from(COMMONNESS[usize::from(*byte)])).sum()
}

/// How much a byte counts for that the text does not tell.
const UNTOLD: usize = 100;

/// How much each byte is, the most at the beginning of a list.
const COMMONNESS: [u8; 256] = {
    let most = b" etaionsrlcdupmh\"fgbyv,:.w-_k0x12/'jz3qn456789";
    let (mut commonness, mut left, mut more) = ([0; 256], most.len(), 0);
    while left > 0 {
        left -= 1;
        more += 1;
        commonness[most[left] as usize] = more;
    }
    commonness
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidates(texts: &[&str], haystack: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        TextSearch::new(texts.iter().copied())
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
        let search = TextSearch::new(texts.iter().map(String::as_str));
        let mut visited = 0;
        search.visit("zzzz".repeat(10).as_bytes(), |_| visited += 1);
        assert!(visited < 40 * 2 * usize::from(CROWD), "{visited}");
    }

    proptest! {
        #[test]
        fn no_place_is_left_out(
            texts in proptest::collection::vec("[a-cq1_@\\[ é不]{1,7}|(ab|a|abb){1,6}", 1..40),
            haystack in "([a-cA-CqQ1_@\\[` éÉ不]|(ab){1,3}|a{1,5}|(abb){1,2}){0,40}",
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
                let there = starts.filter(|start| bytes[*start..].starts_with(word.as_bytes()));
                prop_assert!(there.is_sorted());
            }
        }
    }
}
