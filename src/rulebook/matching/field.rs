//! All that is looked for in one field of an exchange, in one pass.

use super::call::Quoting;
use super::fold::{Folded, Script, offset};
use super::gate::has_one_of;
use super::lazy::Seen;
use super::sieve::{Candidate, Sieve, stands_at};
use super::structure::texts_of;
use super::{Call, Found, LazyRegex, bits};
use crate::rulebook::{Case, Matching, QuotedFrom};
use crate::verdict::{Field, Hit, Place};
use indexmap::IndexMap;
use smallvec::{SmallVec, smallvec};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A text to look for.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Contained {
    /// The text, in lower case.
    pub(in crate::rulebook) text: String,
    /// Its number among the rulebook's patterns.
    pub(in crate::rulebook) pattern: u16,
    /// The question to which it is an answer.
    pub(in crate::rulebook) leaf: usize,
    pub(in crate::rulebook) matching: Matching,
}

/// A regex to look for.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Searched {
    pub(in crate::rulebook) regex: Arc<LazyRegex>,
    pub(in crate::rulebook) pattern: u16,
    pub(in crate::rulebook) leaf: usize,
    /// Texts in lower case, one of which must be there before it is run, because the rulebook says so.
    /// Where it says nothing, the regex itself tells.
    pub(in crate::rulebook) needs: Vec<String>,
    pub(in crate::rulebook) case: Case,
    pub(in crate::rulebook) script: Script,
    /// Where the call must hold what the group `quoted` matched.
    pub(in crate::rulebook) quoted_from: Option<QuotedFrom>,
}

/// A part of the call that the text may quote.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Quoted {
    pub(in crate::rulebook) pattern: u16,
    pub(in crate::rulebook) leaf: usize,
    pub(in crate::rulebook) from: QuotedFrom,
    /// The least number of characters that count.
    pub(in crate::rulebook) least: usize,
}

/// So many matches of one regex are compared with the call.
const MOST_QUOTATIONS: usize = 32;

/// How many regexes may look at one field.
const MOST_REGEXES: usize = 128;

/// All that is to be looked for in one field.
#[derive(Clone, Debug, Default)]
pub(in crate::rulebook) struct Sought {
    pub(in crate::rulebook) contained: Vec<Contained>,
    pub(in crate::rulebook) searched: Vec<Searched>,
    /// Whole values, in lower case, with their patterns, by the question to which they are an answer.
    pub(in crate::rulebook) equal: Vec<(usize, Vec<(String, u16)>)>,
    pub(in crate::rulebook) quoted: Vec<Quoted>,
}

/// More is looked for than anybody wants to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rulebook) struct TooMuch;

#[derive(Clone, Debug)]
pub(in crate::rulebook) struct FieldMatcher {
    sought: Sought,
    /// What tells where to look closer; made when there first is a text.
    finder: OnceLock<Finder>,
}

/// Tells where to look closer.
#[derive(Clone, Debug)]
struct Finder {
    /// Where the needles may stand; `None` where there are none.
    sieve: Option<Sieve>,
    needles: Vec<Needle>,
    /// The regexes that no text of their first set must open, or of their second, as bits.
    ungated: [u128; 2],
    /// For each regex sets of bytes, of each of which one must be there too.
    beside: Vec<Vec<Vec<u8>>>,
    /// The regexes that look for a quotation with a blank in it, as bits: a call without one holds none.
    with_blank: u128,
    /// The regexes that look for what the call has, by the part of it that they look in, as bits.
    quoting: Vec<(QuotedFrom, u128)>,
    script: Script,
}

#[derive(Clone, Debug)]
struct Needle {
    text: Box<str>,
    matching: Matching,
    meanings: Vec<Meaning>,
}

#[derive(Clone, Debug)]
enum Meaning {
    Answers {
        pattern: u16,
        leaf: usize,
    },
    /// A text of this set of a regex.
    Opens {
        regex: usize,
        set: usize,
    },
}

impl Finder {
    fn new(sought: &Sought) -> Self {
        let mut needles: IndexMap<(String, Matching), Vec<Meaning>> = IndexMap::new();
        for Contained { text, pattern, leaf, matching } in &sought.contained {
            let meaning = Meaning::Answers { pattern: *pattern, leaf: *leaf };
            needles.entry((text.clone(), *matching)).or_default().push(meaning);
        }
        let (mut ungated, mut beside, mut with_blank) = ([0; 2], Vec::new(), 0);
        let mut quoting: IndexMap<QuotedFrom, u128> = IndexMap::new();
        for (regex, searched) in sought.searched.iter().enumerate() {
            let structure = searched.regex.structure();
            if let Some(from) = searched.quoted_from.filter(|from| *from != QuotedFrom::Nothing) {
                *quoting.entry(from).or_default() |= 1 << regex;
                with_blank |= u128::from(structure.quotes_a_blank) << regex;
            }
            let sets = match &*searched.needs {
                [] => [structure.texts(), structure.few(1).map(texts_of)],
                needs => [Some(needs.to_vec()), structure.few(0).map(texts_of)],
            };
            for ((set, texts), ungated) in sets.into_iter().enumerate().zip(&mut ungated) {
                let Some(texts) = texts else {
                    *ungated |= 1 << regex;
                    continue;
                };
                for text in texts {
                    let of_text = needles.entry((text.to_lowercase(), Matching::Substring));
                    of_text.or_default().push(Meaning::Opens { regex, set });
                }
            }
            beside.push(structure.bytes.clone());
        }
        let values = sought.equal.iter().flat_map(|(_, values)| values).map(|(value, _)| value);
        let texts = needles.keys().map(|(text, _)| text.as_str());
        let mut scripts = texts.clone().chain(values.map(String::as_str)).map(Script::of);
        let is_cased = scripts.any(|script| script == Script::Cased)
            || sought.searched.iter().any(|searched| searched.script == Script::Cased);
        Self {
            sieve: (!needles.is_empty()).then(|| Sieve::new(texts)),
            needles: needles
                .into_iter()
                .map(|((text, matching), meanings)| Needle {
                    text: text.into(),
                    matching,
                    meanings,
                })
                .collect(),
            ungated,
            beside,
            with_blank,
            quoting: quoting.into_iter().collect(),
            script: if is_cased { Script::Cased } else { Script::Caseless },
        }
    }
}

impl Searched {
    /// The first match that counts, and what it quotes from the call.
    fn place_in(&self, seen: &Seen<'_>, call: &Call<'_>) -> Option<(Range<usize>, Option<Place>)> {
        let Some(from) = self.quoted_from else { return Some((self.regex.find(seen)?, None)) };
        let mut matches = self.regex.find_iter(seen)?.take(MOST_QUOTATIONS);
        matches.find_map(|found| {
            if from != QuotedFrom::Nothing
                && !call.may_be_quoted_in(&seen.text()[found.clone()], from)
            {
                return None;
            }
            let quoted = &seen.text()[self.regex.group("quoted", seen, &found)?];
            let place = match from {
                QuotedFrom::Nothing => call.lacks(quoted).then_some(None)?,
                from => Some(call.place_of(quoted, from)?),
            };
            Some((found, place))
        })
    }
}

impl FieldMatcher {
    pub(in crate::rulebook) fn new(sought: Sought) -> Result<Self, TooMuch> {
        if sought.searched.len() > MOST_REGEXES {
            return Err(TooMuch);
        }
        Ok(Self { sought, finder: OnceLock::new() })
    }

    /// How many of its regexes were compiled so far, and how many there are.
    #[cfg(test)]
    pub(in crate::rulebook) fn compiled(&self) -> (usize, usize) {
        let searched = &self.sought.searched;
        let compiled = searched.iter().filter(|searched| searched.regex.is_compiled());
        (compiled.count(), searched.len())
    }

    #[cfg(test)]
    pub(in crate::rulebook) fn regexes(&self) -> impl Iterator<Item = String> {
        self.sought.searched.iter().map(|searched| searched.regex.text().to_owned())
    }

    pub(in crate::rulebook) fn scan(
        &self,
        field: Field,
        text: &str,
        call: &Call<'_>,
        found: &mut Found,
    ) {
        let Sought { contained, searched, equal, quoted } = &self.sought;
        let quoting = Quoting::new(text);
        for Quoted { pattern, leaf, from, least } in quoted {
            if let Some((Place { start, end }, place)) = call.quoted_in(&quoting, *from, *least) {
                found.leaves.insert(*leaf);
                found.hits.push(Hit { pattern: *pattern, field, start, end, call: Some(place) });
            }
        }
        if contained.is_empty() && searched.is_empty() && equal.is_empty() {
            return;
        }
        let finder = self.finder.get_or_init(|| Finder::new(&self.sought));
        let folded = Folded::new(text, finder.script);
        let open = finder.scan_texts(&folded, field, found);
        let open = finder.worth_running(open, text, call);
        self.scan_regexes(&folded, field, open, call, found);
        for (leaf, values) in equal {
            let is_value = |value: &str| value.eq_ignore_ascii_case(folded.in_any_case());
            if let Some((_, pattern)) = values.iter().find(|(value, _)| is_value(value)) {
                found.leaves.insert(*leaf);
                found.hits.push(Hit {
                    pattern: *pattern,
                    field,
                    start: 0,
                    end: offset(text.len()),
                    call: None,
                });
            }
        }
    }

    /// Runs the regexes that are worth it, given as bits.
    fn scan_regexes(
        &self,
        folded: &Folded<'_>,
        field: Field,
        open: u128,
        call: &Call<'_>,
        found: &mut Found,
    ) {
        if open == 0 {
            return;
        }
        let (original, lowered) = (Seen::new(folded.original()), OnceCell::new());
        for regex in bits(open) {
            let searched = &self.sought.searched[regex];
            let seen = match searched.case {
                Case::Exact => &original,
                Case::Ignored => lowered.get_or_init(|| Seen::new(folded.lowered())),
            };
            if let Some((place, call)) = searched.place_in(seen, call) {
                let (start, end) = match searched.case {
                    Case::Exact => (offset(place.start), offset(place.end)),
                    Case::Ignored => folded.span(place.start, place.end),
                };
                found.leaves.insert(searched.leaf);
                found.hits.push(Hit { pattern: searched.pattern, field, start, end, call });
            }
        }
    }
}

impl Finder {
    /// Looks for the texts; returns the regexes whose sets they opened, as bits.
    fn scan_texts(&self, folded: &Folded<'_>, field: Field, found: &mut Found) -> u128 {
        let mut open = self.ungated;
        let Some(sieve) = &self.sieve else { return open[0] & open[1] };
        let haystack = folded.in_any_case().as_bytes();
        let mut done: SmallVec<[u64; 32]> = smallvec![0; self.needles.len().div_ceil(64)];
        sieve.visit(haystack, |Candidate { text, start }| {
            let (word, bit) = (text / 64, 1 << (text % 64));
            if done[word] & bit != 0 {
                return;
            }
            let needle = &self.needles[text];
            let place = start..start + needle.text.len();
            let is_there = stands_at(haystack, start, needle.text.as_bytes());
            if !is_there || !stands_free(needle.matching, haystack, &place) {
                return;
            }
            done[word] |= bit;
            for meaning in &needle.meanings {
                match *meaning {
                    Meaning::Answers { pattern, leaf } => {
                        let (start, end) = folded.span(place.start, place.end);
                        found.leaves.insert(leaf);
                        found.hits.push(Hit { pattern, field, start, end, call: None });
                    }
                    Meaning::Opens { regex, set } => open[set] |= 1 << regex,
                }
            }
        });
        open[0] & open[1]
    }

    /// Those of some regexes, given as bits, that may match this text, as far as bytes and the call tell.
    fn worth_running(&self, mut open: u128, text: &str, call: &Call<'_>) -> u128 {
        if open & self.with_blank != 0 && !call.has_blanks() {
            open &= !self.with_blank;
        }
        for (from, regexes) in &self.quoting {
            if open & regexes != 0 && !call.may_be_quoted_in(text, *from) {
                open &= !regexes;
            }
        }
        for regex in bits(open) {
            // These bytes have no case.
            if !self.beside[regex].iter().all(|bytes| has_one_of(bytes, text.as_bytes())) {
                open &= !(1 << regex);
            }
        }
        open
    }
}

/// Whether what surrounds a match is what the way of matching asks for.
fn stands_free(matching: Matching, haystack: &[u8], place: &Range<usize>) -> bool {
    // Either case: the text may stand there as recorded.
    let binds = |byte: &u8| match matching {
        Matching::Substring => false,
        Matching::Word => byte.is_ascii_alphanumeric() || *byte == b'_',
        Matching::Part => byte.is_ascii_alphanumeric(),
    };
    let before = place.start.checked_sub(1).and_then(|at| haystack.get(at));
    !before.is_some_and(binds) && !haystack.get(place.end).is_some_and(binds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::matching::{Dialect, as_javascript};
    use proptest::prelude::*;

    fn matcher(words: &[&str], matching: Matching) -> FieldMatcher {
        let contained = words.iter().zip(0_u16..).map(|(word, pattern)| Contained {
            text: word.to_lowercase(),
            pattern,
            leaf: pattern.into(),
            matching,
        });
        let sought = Sought { contained: contained.collect(), ..Sought::default() };
        FieldMatcher::new(sought).expect("small")
    }

    fn of_regex(regex: &str, case: Case) -> FieldMatcher {
        let searched = Searched {
            regex: Arc::new(LazyRegex::known(regex, Dialect::JsAscii)),
            pattern: 7,
            leaf: 0,
            needs: Vec::new(),
            case,
            script: Script::Caseless,
            quoted_from: None,
        };
        FieldMatcher::new(Sought { searched: vec![searched], ..Sought::default() }).expect("small")
    }

    fn found(matcher: &FieldMatcher, text: &str) -> Vec<u16> {
        let mut found = Found::default();
        matcher.scan(Field::Text, text, &Call::new(""), &mut found);
        let mut patterns: Vec<u16> = found.hits.iter().map(|hit| hit.pattern).collect();
        patterns.sort_unstable();
        patterns
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
            regex in "([abX]{1,3}|[45]|-|\\\\d|a\\?|(ab|b1)|[ab]\\+|[14]\\{2,3\\}|(a1)\\{2\\}|\\\\b){1,4}",
            text in "[abABxX451 \\-é]{0,16}",
        ) {
            let checked = regex::Regex::new(&as_javascript(&regex))
                .map_err(|error| TestCaseError::reject(error.to_string()))?;
            for case in [Case::Ignored, Case::Exact] {
                let seen = if case == Case::Exact { text.clone() } else { text.to_lowercase() };
                let expected = checked.is_match(&seen);
                let matcher = of_regex(&regex, case);
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
