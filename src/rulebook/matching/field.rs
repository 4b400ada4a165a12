//! All that is looked for in one field of an exchange, in one pass.

use super::call::Quoting;
use super::fold::{Folded, Script, offset};
use super::lazy::TextForms;
use super::prefilter::{self, has_one_of};
use super::text_search::{Candidate, TextSearch, stands_at};
use super::{Call, LazyRegex, Matches, bits};
use crate::rulebook::{Case, Matching, PatternKind, QuotedFrom};
use crate::verdict::{ByteSpan, Field, Hit};
use indexmap::IndexMap;
use smallvec::{SmallVec, smallvec};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A pattern to look for.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Sought {
    /// Its number among the rulebook's patterns.
    pub(in crate::rulebook) pattern: u16,
    /// The question to which it is an answer.
    pub(in crate::rulebook) leaf: usize,
    /// A text in lower case, but for regexes.
    pub(in crate::rulebook) text: String,
    pub(in crate::rulebook) kind: PatternKind,
    /// Where the call must hold what the group `quoted` of a regex matched, or what the text is to quote.
    pub(in crate::rulebook) quoted_from: Option<QuotedFrom>,
    /// Of a regex.
    pub(in crate::rulebook) search: Option<Search>,
}

/// How a regex is looked for.
#[derive(Clone, Debug)]
pub(in crate::rulebook) struct Search {
    pub(in crate::rulebook) regex: Arc<LazyRegex>,
    /// Texts in lower case, one of which must be there before it is run, because the rulebook says so.
    /// Where it says nothing, the regex itself tells.
    pub(in crate::rulebook) needs: Vec<String>,
    pub(in crate::rulebook) script: Script,
}

/// So many matches of one regex are compared with the call.
const MOST_QUOTATIONS: usize = 32;

/// How many regexes may look at one field.
const MOST_REGEXES: usize = 128;

/// All that is to be looked for in one field.
#[derive(Clone, Debug, Default)]
pub(in crate::rulebook) struct FieldMatcher {
    texts: Vec<Sought>,
    regexes: Vec<(Sought, Search)>,
    values: Vec<Sought>,
    quotations: Vec<Sought>,
    /// What tells where to look closer; made when there first is a text.
    finder: OnceLock<Finder>,
}

/// Tells where to look closer.
#[derive(Clone, Debug)]
struct Finder {
    /// Where the needles may stand; `None` where there are none.
    text_search: Option<TextSearch>,
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
    fn new(FieldMatcher { texts, regexes, values, .. }: &FieldMatcher) -> Self {
        let mut needles: IndexMap<(String, Matching), Vec<Meaning>> = IndexMap::new();
        for Sought { text, pattern, leaf, kind, .. } in texts {
            let PatternKind::Text(matching) = kind else { continue };
            let meaning = Meaning::Answers { pattern: *pattern, leaf: *leaf };
            needles.entry((text.clone(), *matching)).or_default().push(meaning);
        }
        let (mut ungated, mut beside, mut with_blank) = ([0; 2], Vec::new(), 0);
        let mut quoting: IndexMap<QuotedFrom, u128> = IndexMap::new();
        for (regex, (sought, search)) in regexes.iter().enumerate() {
            let structure = search.regex.structure();
            if let Some(from) = sought.quoted_from.filter(|from| *from != QuotedFrom::Nothing) {
                *quoting.entry(from).or_default() |= 1 << regex;
                with_blank |= u128::from(structure.quotes_a_blank) << regex;
            }
            let texts = |set: &[prefilter::Needle]| set.iter().map(|it| it.text.clone()).collect();
            let sets = match &*search.needs {
                [] => [structure.texts(), structure.few(1).map(texts)],
                needs => [Some(needs.to_vec()), structure.few(0).map(texts)],
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
        let texts = needles.keys().map(|(text, _)| text.as_str());
        let values = values.iter().map(|value| value.text.as_str());
        let scripts = texts.clone().chain(values).map(Script::of);
        let mut scripts = scripts.chain(regexes.iter().map(|(_, search)| search.script));
        let is_cased = scripts.any(|script| script == Script::Cased);
        Self {
            text_search: (!needles.is_empty()).then(|| TextSearch::new(texts)),
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

/// The first match of a regex that counts, and what it quotes from the call.
fn place_of(
    regex: &LazyRegex,
    quoted_from: Option<QuotedFrom>,
    seen: &TextForms<'_>,
    call: &Call<'_>,
) -> Option<(Range<usize>, Option<ByteSpan>)> {
    let Some(from) = quoted_from else { return Some((regex.find(seen)?, None)) };
    let mut matches = regex.find_iter(seen)?.take(MOST_QUOTATIONS);
    matches.find_map(|found| {
        if from != QuotedFrom::Nothing && !call.may_be_quoted_in(&seen.text()[found.clone()], from)
        {
            return None;
        }
        let quoted = &seen.text()[regex.group("quoted", seen, &found)?];
        let place = match from {
            QuotedFrom::Nothing => call.lacks(quoted).then_some(None)?,
            from => Some(call.place_of(quoted, from)?),
        };
        Some((found, place))
    })
}

impl FieldMatcher {
    /// `None` where there are more regexes than anybody wants to wait for.
    pub(in crate::rulebook) fn new(all: impl IntoIterator<Item = Sought>) -> Option<Self> {
        let mut matcher = Self::default();
        for mut sought in all {
            let search = sought.search.take();
            match (sought.kind, search) {
                (PatternKind::Text(_), _) => matcher.texts.push(sought),
                (PatternKind::Whole, _) => matcher.values.push(sought),
                (PatternKind::Quotation(_), _) => matcher.quotations.push(sought),
                (PatternKind::Regex(_), search) => {
                    matcher.regexes.extend(search.map(|search| (sought, search)));
                }
            }
        }
        (matcher.regexes.len() <= MOST_REGEXES).then_some(matcher)
    }

    /// How many of its regexes were compiled so far, and how many there are.
    #[cfg(test)]
    pub(in crate::rulebook) fn compiled(&self) -> (usize, usize) {
        let compiled = self.regexes.iter().filter(|(_, search)| search.regex.is_compiled());
        (compiled.count(), self.regexes.len())
    }

    #[cfg(test)]
    pub(in crate::rulebook) fn regexes(&self) -> impl Iterator<Item = String> {
        self.regexes.iter().map(|(sought, _)| sought.text.clone())
    }

    pub(in crate::rulebook) fn scan(
        &self,
        field: Field,
        text: &str,
        call: &Call<'_>,
        found: &mut Matches,
    ) {
        let Self { texts, regexes, values, quotations, finder } = self;
        let quoting = Quoting::new(text);
        for Sought { pattern, leaf, kind, quoted_from, .. } in quotations {
            let (PatternKind::Quotation(least), Some(from)) = (kind, quoted_from) else { continue };
            if let Some((ByteSpan { start, end }, place)) = call.quoted_in(&quoting, *from, *least)
            {
                found.add(*leaf, Hit { pattern: *pattern, field, start, end, call: Some(place) });
            }
        }
        // Most calls have no scenario and no code.
        let is_none_of = |value: &Sought| text.is_empty() && !value.text.is_empty();
        let has_no_text = texts.is_empty() || text.is_empty();
        if has_no_text && regexes.is_empty() && values.iter().all(is_none_of) {
            return;
        }
        let finder = finder.get_or_init(|| Finder::new(self));
        let folded = Folded::new(text, finder.script);
        let open = finder.scan_texts(&folded, field, found);
        let open = finder.worth_running(open, text, call);
        self.scan_regexes(&folded, field, open, call, found);
        for Sought { pattern, leaf, text: value, .. } in values {
            if value.eq_ignore_ascii_case(folded.in_any_case()) && !found.leaves.has(*leaf) {
                let end = offset(text.len());
                found.add(*leaf, Hit { pattern: *pattern, field, start: 0, end, call: None });
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
        found: &mut Matches,
    ) {
        if open == 0 {
            return;
        }
        let (original, lowered) = (TextForms::new(folded.original()), OnceCell::new());
        for regex in bits(open) {
            let (Sought { pattern, leaf, kind, quoted_from, .. }, search) = &self.regexes[regex];
            let is_exact = *kind == PatternKind::Regex(Case::Exact);
            let seen = if is_exact {
                &original
            } else {
                lowered.get_or_init(|| TextForms::new(folded.lowered()))
            };
            if let Some((place, call)) = place_of(&search.regex, *quoted_from, seen, call) {
                let (start, end) = if is_exact {
                    (offset(place.start), offset(place.end))
                } else {
                    folded.span(place.start, place.end)
                };
                found.add(*leaf, Hit { pattern: *pattern, field, start, end, call });
            }
        }
    }
}

impl Finder {
    /// Looks for the texts; returns the regexes whose sets they opened, as bits.
    fn scan_texts(&self, folded: &Folded<'_>, field: Field, found: &mut Matches) -> u128 {
        let mut open = self.ungated;
        let Some(text_search) = &self.text_search else { return open[0] & open[1] };
        let haystack = folded.in_any_case().as_bytes();
        let mut done: SmallVec<[u64; 32]> = smallvec![0; self.needles.len().div_ceil(64)];
        text_search.visit(haystack, |Candidate { text, start }| {
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
                        found.add(leaf, Hit { pattern, field, start, end, call: None });
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
        for regex in bits(open) {
            // These bytes have no case.
            if !self.beside[regex].iter().all(|bytes| has_one_of(bytes, text.as_bytes())) {
                open &= !(1 << regex);
            }
        }
        for (from, regexes) in &self.quoting {
            if open & regexes != 0 && !call.may_be_quoted_in(text, *from) {
                open &= !regexes;
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

    fn sought(text: &str, kind: PatternKind, pattern: u16) -> Sought {
        let (leaf, text) = (pattern.into(), text.to_owned());
        Sought { pattern, leaf, text, kind, quoted_from: None, search: None }
    }

    fn matcher(words: &[&str], matching: Matching) -> FieldMatcher {
        let words = words.iter().zip(0_u16..);
        let kind = PatternKind::Text(matching);
        let sought = words.map(|(word, pattern)| sought(&word.to_lowercase(), kind, pattern));
        FieldMatcher::new(sought).expect("small")
    }

    fn of_regex(regex: &str, case: Case) -> FieldMatcher {
        let search = Search {
            regex: Arc::new(LazyRegex::known(regex, Dialect::JsAscii)),
            needs: Vec::new(),
            script: Script::Caseless,
        };
        let sought = sought(regex, PatternKind::Regex(case), 7);
        FieldMatcher::new([Sought { search: Some(search), ..sought }]).expect("small")
    }

    fn found(matcher: &FieldMatcher, text: &str) -> Vec<u16> {
        let mut found = Matches::default();
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
            regex in "([abX]{1,3}|[45]|-|不|\\[不→\\]|\\\\d|a\\?|(ab|b1)|[ab]\\+|[14]\\{2,3\\}|(a1)\\{2\\}|\\\\b){1,4}",
            text in "[abABxX451 \\-éÉ不→]{0,16}",
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
