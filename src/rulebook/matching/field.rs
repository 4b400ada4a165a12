//! All that is looked for in one field of an exchange, in one pass.

use super::fold::{Folded, Script, offset};
use super::{Found, Gate};
use crate::rulebook::{Case, Matching};
use crate::verdict::Hit;
use aho_corasick::{AhoCorasick, AhoCorasickKind, StartKind};
use regex::Regex;
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::ops::Range;

/// A text to look for.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Contained {
    /// The text, in lower case.
    pub(in crate::rulebook) text: String,
    /// Its number among the rulebook's patterns.
    pub(in crate::rulebook) pattern: u16,
    /// The question to which it is an answer.
    pub(in crate::rulebook) leaf: usize,
    /// Whether it must stand as a word of its own.
    pub(in crate::rulebook) matching: Matching,
}

/// A regex to look for.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Searched {
    /// The regex.
    pub(in crate::rulebook) regex: Regex,
    /// Its number among the rulebook's patterns.
    pub(in crate::rulebook) pattern: u16,
    /// The question to which it is an answer.
    pub(in crate::rulebook) leaf: usize,
    /// What must be there before it is run.
    pub(in crate::rulebook) gate: Gate,
    /// Whether it sees the text as recorded or with its case folded.
    pub(in crate::rulebook) case: Case,
    /// Whether the case of characters beyond ASCII matters to it.
    pub(in crate::rulebook) script: Script,
}

/// How many regexes may look at one field.
const MOST_REGEXES: usize = 128;

/// Up to this many bytes of texts, the automaton is the one that is fastest and largest. Beyond it, what is
/// gained in a hundred thousand replies is lost while it is made, and it no longer fits into the caches.
const FOR_DFA: usize = 8 << 10;

/// Collects what is to be looked for in one field.
#[derive(Default)]
pub(in crate::rulebook) struct FieldMatcherBuilder {
    pub(in crate::rulebook) contained: Vec<Contained>,
    pub(in crate::rulebook) searched: Vec<Searched>,
    /// Whole values, in lower case, with their patterns, by the question to which they are an answer.
    pub(in crate::rulebook) equal: Vec<(usize, Vec<(String, u16)>)>,
}

/// The automaton would not fit into memory that anybody wants to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rulebook) struct TooMuch;

/// Looks for many things in one field.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct FieldMatcher {
    automaton: Option<AhoCorasick>,
    /// What each text of the automaton stands for.
    needles: Vec<Needle>,
    searched: Vec<Searched>,
    equal: Vec<(usize, Vec<(String, u16)>)>,
    script: Script,
}

#[derive(Clone, Debug)]
struct Needle {
    matching: Matching,
    meanings: Vec<Meaning>,
}

#[derive(Clone, Debug)]
enum Meaning {
    Answers { pattern: u16, leaf: usize },
    Opens { regex: usize },
}

impl FieldMatcherBuilder {
    /// Builds the automaton.
    pub(in crate::rulebook) fn build(self) -> Result<FieldMatcher, TooMuch> {
        if self.searched.len() > MOST_REGEXES {
            return Err(TooMuch);
        }
        let mut needles = Needles::default();
        for Contained { text, pattern, leaf, matching } in self.contained {
            needles.add(text, matching, Meaning::Answers { pattern, leaf });
        }
        for (regex, searched) in self.searched.iter().enumerate() {
            if let Gate::Texts(gate) | Gate::Declared(gate) = &searched.gate {
                for text in gate {
                    needles.add(text.to_lowercase(), Matching::Substring, Meaning::Opens { regex });
                }
            }
        }
        let values = self.equal.iter().flat_map(|(_, values)| values).map(|(value, _)| value);
        let mut scripts = needles.texts.iter().chain(values).map(|text| Script::of(text));
        let is_cased = scripts.any(|script| script == Script::Cased)
            || self.searched.iter().any(|searched| searched.script == Script::Cased);
        Ok(FieldMatcher {
            automaton: needles.automaton()?,
            needles: needles.meant,
            searched: self.searched,
            equal: self.equal,
            script: if is_cased { Script::Cased } else { Script::Caseless },
        })
    }
}

/// The texts that go into an automaton; equal ones only once.
#[derive(Default)]
struct Needles {
    texts: Vec<String>,
    meant: Vec<Needle>,
    places: HashMap<(String, Matching), usize>,
}

impl Needles {
    fn add(&mut self, text: String, matching: Matching, meaning: Meaning) {
        let place = *self.places.entry((text.clone(), matching)).or_insert_with(|| {
            self.texts.push(text);
            self.meant.push(Needle { matching, meanings: Vec::new() });
            self.meant.len() - 1
        });
        self.meant[place].meanings.push(meaning);
    }

    fn automaton(&self) -> Result<Option<AhoCorasick>, TooMuch> {
        if self.texts.is_empty() {
            return Ok(None);
        }
        // The fastest automaton that a set of this size can afford.
        let size: usize = self.texts.iter().map(String::len).sum();
        let kind =
            if size <= FOR_DFA { AhoCorasickKind::DFA } else { AhoCorasickKind::ContiguousNFA };
        // Patterns and texts come in lower case: an automaton that ignored case would be twice as large.
        AhoCorasick::builder()
            .start_kind(StartKind::Unanchored)
            .kind(Some(kind))
            .build(&self.texts)
            .map(Some)
            .map_err(|_| TooMuch)
    }
}

impl FieldMatcher {
    /// Looks for everything in a text and notes what was found.
    pub(in crate::rulebook) fn scan(&self, text: &str, found: &mut Found) {
        if self.automaton.is_none() && self.searched.is_empty() && self.equal.is_empty() {
            return;
        }
        let folded = Folded::new(text, self.script);
        let open = self.scan_texts(&folded, found);
        self.scan_regexes(&folded, open, found);
        if !self.equal.is_empty() {
            for (leaf, values) in &self.equal {
                if let Some((_, pattern)) =
                    values.iter().find(|(value, _)| value == folded.lowered())
                {
                    found.leaves.insert(*leaf);
                    found.hits.push(Hit { pattern: *pattern, start: 0, end: offset(text.len()) });
                }
            }
        }
    }

    /// Runs the automaton; returns the regexes whose gates it opened, as bits.
    fn scan_texts(&self, folded: &Folded<'_>, found: &mut Found) -> u128 {
        let mut open = 0;
        let Some(automaton) = &self.automaton else { return open };
        let haystack = folded.lowered();
        let mut done: SmallVec<[u64; 32]> = smallvec![0; self.needles.len().div_ceil(64)];
        for place in automaton.find_overlapping_iter(haystack) {
            let number = place.pattern().as_usize();
            let (word, bit) = (number / 64, 1 << (number % 64));
            if done[word] & bit != 0 {
                continue;
            }
            let needle = &self.needles[number];
            if !stands_free(needle.matching, haystack.as_bytes(), place.span().into()) {
                continue;
            }
            done[word] |= bit;
            for meaning in &needle.meanings {
                match *meaning {
                    Meaning::Answers { pattern, leaf } => {
                        let (start, end) = folded.span(place.start(), place.end());
                        found.leaves.insert(leaf);
                        found.hits.push(Hit { pattern, start, end });
                    }
                    Meaning::Opens { regex } => open |= 1 << regex,
                }
            }
        }
        open
    }

    fn scan_regexes(&self, folded: &Folded<'_>, open: u128, found: &mut Found) {
        for (number, searched) in self.searched.iter().enumerate() {
            let text = match searched.case {
                Case::Exact => folded.original(),
                Case::Ignored => folded.lowered(),
            };
            let worth_running = match &searched.gate {
                Gate::Open => true,
                Gate::Bytes(bytes) => contains_byte(bytes, text.as_bytes()),
                Gate::Texts(_) | Gate::Declared(_) => open >> number & 1 == 1,
            };
            if !worth_running {
                continue;
            }
            if let Some(place) = searched.regex.find(text) {
                let (start, end) = match searched.case {
                    Case::Exact => (offset(place.start()), offset(place.end())),
                    Case::Ignored => folded.span(place.start(), place.end()),
                };
                found.leaves.insert(searched.leaf);
                found.hits.push(Hit { pattern: searched.pattern, start, end });
            }
        }
    }
}

/// Whether what surrounds a match is what the way of matching asks for.
fn stands_free(matching: Matching, haystack: &[u8], place: Range<usize>) -> bool {
    let binds = |byte: &u8| match matching {
        Matching::Substring => false,
        Matching::Word => byte.is_ascii_alphanumeric() || *byte == b'_',
        Matching::Part => byte.is_ascii_alphanumeric(),
    };
    let before = place.start.checked_sub(1).and_then(|at| haystack.get(at));
    !before.is_some_and(binds) && !haystack.get(place.end).is_some_and(binds)
}

fn contains_byte(bytes: &[u8], haystack: &[u8]) -> bool {
    match *bytes {
        [a] => memchr::memchr(a, haystack).is_some(),
        [a, b] => memchr::memchr2(a, b, haystack).is_some(),
        [a, b, c] => memchr::memchr3(a, b, c, haystack).is_some(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::matching::{Dialect, compile_regex};
    use proptest::prelude::*;

    fn matcher(words: &[&str], matching: Matching) -> FieldMatcher {
        let contained = words.iter().zip(0_u16..).map(|(word, pattern)| Contained {
            text: word.to_lowercase(),
            pattern,
            leaf: pattern.into(),
            matching,
        });
        let builder = FieldMatcherBuilder { contained: contained.collect(), ..Default::default() };
        builder.build().expect("small")
    }

    fn found(matcher: &FieldMatcher, text: &str) -> Vec<u16> {
        let mut found = Found::default();
        matcher.scan(text, &mut found);
        let mut patterns: Vec<u16> = found.hits.iter().map(|hit| hit.pattern).collect();
        patterns.sort_unstable();
        patterns
    }

    #[test]
    fn overlapping_and_nested_patterns_are_all_found_once() {
        let matcher = matcher(&["quota", "quota exceeded", "exceeded", "ed"], Matching::Substring);
        assert_eq!(found(&matcher, "QUOTA exceeded, quota exceeded"), [0, 1, 2, 3]);
    }

    #[test]
    fn a_word_is_found_wherever_it_first_stands_alone() {
        let matcher = matcher(&["set"], Matching::Word);
        let mut place = Found::default();
        matcher.scan("settings reset _set Set!", &mut place);
        assert_eq!((place.hits[0].start, place.hits[0].end), (20, 23));
        assert!(found(&matcher, "offset set_1").is_empty());
    }

    #[test]
    fn the_kelvin_sign_is_a_k() {
        let tokens = matcher(&["token expired"], Matching::Substring);
        assert_eq!(found(&tokens, "TO\u{212A}EN EXPIRED"), [0]);
    }

    #[test]
    fn a_gated_regex_finds_what_it_finds_alone() {
        let (regex, translated) =
            compile_regex(r"\bid[:\s]+\d+", Dialect::JsAscii).expect("a good regex");
        let searched = Searched {
            regex,
            pattern: 7,
            leaf: 0,
            gate: Gate::of(&translated),
            case: Case::Ignored,
            script: Script::Caseless,
        };
        let builder = FieldMatcherBuilder { searched: vec![searched], ..Default::default() };
        let matcher = builder.build().expect("small");
        assert_eq!(found(&matcher, "No user with ID: 7"), [7]);
        assert!(found(&matcher, "idle: 7").is_empty());
    }

    /// What the matcher must find, the slow and obvious way.
    fn naive(word: &str, matching: Matching, text: &str) -> bool {
        let lowered = text.to_lowercase();
        let word = word.to_lowercase();
        (0..lowered.len()).filter(|at| lowered.is_char_boundary(*at)).any(|at| {
            let before = lowered[..at].chars().next_back();
            let after = lowered[at..].strip_prefix(&*word).map(|rest| rest.chars().next());
            let binds = |c: char| match matching {
                Matching::Substring => false,
                Matching::Word => matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_'),
                Matching::Part => matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9'),
            };
            after.is_some_and(|after| !before.into_iter().chain(after).any(binds))
        })
    }

    proptest! {
        #[test]
        fn a_gate_never_hides_a_match(
            regex in "([abX]{1,3}|[45]|-|\\\\d|a\\?|(ab|b1)|[ab]\\+|\\\\b){1,4}",
            text in "[abABxX451 \\-é]{0,16}",
        ) {
            let (regex, translated) =
                compile_regex(&regex, Dialect::JsAscii).map_err(TestCaseError::reject)?;
            for case in [Case::Ignored, Case::Exact] {
                let seen = if case == Case::Exact { text.clone() } else { text.to_lowercase() };
                let expected = regex.is_match(&seen);
                let (regex, gate) = (regex.clone(), Gate::of(&translated));
                let searched =
                    Searched { regex, pattern: 0, leaf: 0, gate, case, script: Script::Caseless };
                let builder =
                    FieldMatcherBuilder { searched: vec![searched], ..Default::default() };
                let matcher = builder.build().expect("small");
                prop_assert_eq!(!found(&matcher, &text).is_empty(), expected);
            }
        }

        #[test]
        fn finds_what_lowering_and_looking_finds(
            text in "[ a-dA-Dk\u{212A}i\u{130}\u{17f}sSΣσςé_0-2]{0,40}",
            words in proptest::collection::vec("[a-dk0-2isσé ]{1,3}", 1..6),
            matching in prop_oneof![Just(Matching::Substring), Just(Matching::Word), Just(Matching::Part)],
        ) {
            let words: std::collections::BTreeSet<String> = words.into_iter().collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let expected: Vec<u16> = words.iter().zip(0..)
                .filter(|(word, _)| naive(word, matching, &text))
                .map(|(_, pattern)| pattern)
                .collect();
            prop_assert_eq!(found(&matcher(&words, matching), &text), expected);
        }
    }
}
