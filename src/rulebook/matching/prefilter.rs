//! Which texts a regex cannot match, told without running it.
//!
//! Of regexes that come with the program a file tells what their structure is, since to find it out takes longer than
//! most else at the start; nothing depends on what is in that file but time.

use super::{Kind, LETTERS};
use hashbrown::HashMap;
use memchr::{memchr, memchr2, memchr3};
use regex_syntax::hir::{Class, Hir, HirKind};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// One line for each regex and way to look at its letters.
const KNOWN: &str = include_str!("structures.jsonl");

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Structure {
    /// Sets of needles of each of which every match contains at least one, the strongest first.
    pub(super) needles: Vec<Vec<Needle>>,
    /// Sets of few bytes, no letters, of each of which every match contains one.
    pub(super) bytes: Vec<Vec<u8>>,
    /// Whether whatever the group `quoted` matches has a blank in it.
    pub(super) quotes_a_blank: bool,
}

#[derive(Serialize, Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    regex: Cow<'l, str>,
    letters: Letters,
    structure: Structure,
}

impl Structure {
    /// That of a regex, which the engine reads in another form perhaps.
    pub(super) fn of(
        regex: &str,
        letters: Letters,
        translated: impl FnOnce() -> String,
    ) -> Cow<'static, Self> {
        type Known = HashMap<Cow<'static, str>, Structure>;
        static FOUND: LazyLock<[Known; 2]> = LazyLock::new(|| {
            let mut found = [Known::new(), Known::new()];
            for line in KNOWN.lines() {
                if let Ok(Line { regex, letters, structure }) = serde_json::from_str(line) {
                    found[letters as usize].insert(regex, structure);
                }
            }
            found
        });
        match FOUND[letters as usize].get(regex) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(Self::found_in(&translated(), letters)),
        }
    }

    /// Of a regex that is wrong nothing is known.
    pub(super) fn found_in(regex: &str, letters: Letters) -> Self {
        let hir = regex_syntax::parse(regex).unwrap_or_else(|_| Hir::empty());
        Self {
            needles: required(&hir, letters),
            bytes: bytes_in(&hir),
            quotes_a_blank: quotes_a_blank(&hir),
        }
    }

    /// The strongest set as texts that are worth looking for.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        worthy_texts(self.needles.first()?)
    }

    /// The first set after so many that has few texts, none of which stands nearly everywhere.
    pub(super) fn few(&self, after: usize) -> Option<&[Needle]> {
        self.needles.iter().skip(after).map(Vec::as_slice).find(|needles| tells_more(needles))
    }
}

/// So many texts of at least so many bytes are worth looking for as a second set.
const MOST_SECOND: usize = 16;
const SHORTEST_SECOND: usize = 3;

fn tells_more(needles: &[Needle]) -> bool {
    needles.len() <= MOST_SECOND && needles.iter().all(|it| it.text.len() >= SHORTEST_SECOND)
}

/// More alternatives than this are no longer cheaper than the regex.
const MOST_TEXTS: usize = 160;
/// So many texts of two bytes are worth looking for.
const MOST_PAIRS: usize = 12;
/// So many different bytes are looked for at once.
const MOST_BYTES: usize = 4;

/// Few bytes, none of them a letter, which would have to be looked for in both cases.
fn few_bytes(needles: &[Needle]) -> Option<Vec<u8>> {
    let byte = |needle: &Needle| match needle.text.as_bytes() {
        [byte] if byte.is_ascii() && !byte.is_ascii_alphabetic() => Some(*byte),
        _ => None,
    };
    let bytes: BTreeSet<u8> = needles.iter().map(byte).collect::<Option<_>>()?;
    (1..=MOST_BYTES).contains(&bytes.len()).then(|| bytes.into_iter().collect())
}

/// Texts in lower case that are worth looking for.
fn worthy_texts(needles: &[Needle]) -> Option<Vec<String>> {
    let texts: BTreeSet<String> = needles.iter().map(|it| it.text.to_ascii_lowercase()).collect();
    let is_worthy = (1..=MOST_TEXTS).contains(&texts.len()) && texts.iter().all(|it| it.len() > 1);
    is_worthy.then(|| texts.into_iter().collect())
}

pub(super) fn has_one_of(bytes: &[u8], text: &[u8]) -> bool {
    match *bytes {
        [one] => memchr(one, text).is_some(),
        [one, two] => memchr2(one, two, text).is_some(),
        [one, two, three] => memchr3(one, two, three, text).is_some(),
        [one, two, three, four] => {
            memchr(one, text).or_else(|| memchr3(two, three, four, text)).is_some()
        }
        _ => true,
    }
}

/// What counts as a letter of ASCII to a regex that ignores case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Letters {
    /// That letter only, in either case.
    Ascii,
    /// Also what is no ASCII but the same letter: whoever asks looks at texts that have such by other means.
    WithForeign,
}

impl Letters {
    /// The small letter of ASCII, or the character without case, that a character is to such a regex.
    fn lowered(self, character: char) -> Option<char> {
        match (character, self) {
            ('\u{17f}', Self::WithForeign) => Some('s'),
            ('\u{212a}', Self::WithForeign) => Some('k'),
            _ => has_one_form(character).then(|| character.to_ascii_lowercase()),
        }
    }
}

/// Whether a character is one of ASCII, or the same to whoever ignores case.
fn has_one_form(c: char) -> bool {
    c.is_ascii() || c.to_lowercase().eq([c]) && c.to_uppercase().eq([c])
}

/// Something that matches contain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Needle {
    /// A text, in any case of ASCII letters.
    pub(super) text: String,
    /// A run of at least so many bytes that [`TOKEN`] has stands beside it.
    pub(super) run: usize,
}

/// Of which runs are counted.
pub(super) static TOKEN: Kind = Kind::of(LETTERS).and(b"_-");

/// Sets of few bytes, no letters, of each of which every match of a regex contains one.
fn bytes_in(hir: &Hir) -> Vec<Vec<u8>> {
    let mut sets = byte_sets(hir);
    sets.sort();
    sets.dedup();
    sets
}

fn byte_sets(hir: &Hir) -> Vec<Vec<u8>> {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().flat_map(byte_sets).collect(),
        HirKind::Capture(capture) => byte_sets(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => byte_sets(&repetition.sub),
        _ => {
            let needles = required(hir, Letters::Ascii);
            needles.first().and_then(|needles| few_bytes(needles)).into_iter().collect()
        }
    }
}

/// Whether whatever the group `quoted` of a regex matches has a blank in it.
fn quotes_a_blank(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Capture(capture) if capture.name.as_deref() == Some("quoted") => {
            bytes_in(&capture.sub).contains(&vec![b' '])
        }
        HirKind::Capture(capture) => quotes_a_blank(&capture.sub),
        HirKind::Concat(parts) => parts.iter().any(quotes_a_blank),
        _ => false,
    }
}

/// So many sets of needles are looked for of a regex.
const MOST_SETS: usize = 2;

/// Sets of needles of each of which every match of a regex contains at least one, the strongest first; each of
/// another part of the regex.
fn required(hir: &Hir, letters: Letters) -> Vec<Vec<Needle>> {
    let one = |needles: Option<Vec<Needle>>| needles.into_iter().collect();
    let mut sets: Vec<Vec<Needle>> = match hir.kind() {
        HirKind::Literal(_) => one(texts_of(hir, letters).and_then(needles_of)),
        HirKind::Class(class) => {
            one(texts_of_class(class, letters, MOST_BYTES).and_then(needles_of))
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub, letters),
        HirKind::Capture(capture) => required(&capture.sub, letters),
        HirKind::Concat(parts) => of_parts(parts, letters),
        HirKind::Alternation(branches) => {
            let branches: Vec<_> = branches.iter().map(|it| required(it, letters)).collect();
            let most = branches.iter().map(Vec::len).max().unwrap_or(0);
            let set = |number: usize| {
                let of_branch = |sets: &Vec<Vec<Needle>>| sets.get(number).or(sets.last()).cloned();
                let needles: Option<Vec<_>> = branches.iter().map(of_branch).collect();
                needles.map(|needles| needles.concat())
            };
            (0..most).map_while(set).collect()
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => Vec::new(),
    };
    let run = Run::of(hir).longest;
    for needle in sets.iter_mut().flatten() {
        needle.run = needle.run.max(run);
    }
    sets
}

/// The same of parts that follow each other.
fn of_parts(parts: &[Hir], letters: Letters) -> Vec<Vec<Needle>> {
    // With the halves of parts that each is of: two sets may be of one part.
    let mut candidates: Vec<(Range<usize>, Vec<Needle>)> = Vec::new();
    // What was so far, and where it begins: from the last text that is all a part matches, and from the last
    // repetition.
    let mut runs: [Option<(usize, Vec<String>)>; 2] = [None, None];
    for (number, part) in parts.iter().enumerate() {
        let texts = texts_of(part, letters);
        let edge = texts.clone().or_else(|| repeated(part, letters));
        for (run, beginning) in runs.iter_mut().zip([&texts, &edge]) {
            let longer = run.as_ref().zip(edge.as_deref());
            let longer = longer.and_then(|((from, run), edge)| Some((*from, joined(run, edge)?)));
            if longer.is_some() && texts.is_some() {
                *run = longer;
            } else {
                candidates.extend(run.take().and_then(|it| with_parts(it, number)));
                candidates.extend(longer.and_then(|it| with_parts(it, number + 1)));
                *run = beginning.clone().map(|texts| (number, texts));
            }
        }
        if texts.is_none() {
            let own = (2 * number..).zip(required(part, letters));
            candidates.extend(own.map(|(place, needles)| (place..place + 1, needles)));
        }
    }
    candidates.extend(runs.into_iter().flatten().filter_map(|it| with_parts(it, parts.len())));
    // Of equally strong ones the last comes first.
    candidates.sort_by_key(|(_, needles)| strength(needles));
    let mut taken: Vec<(Range<usize>, Vec<Needle>)> = Vec::new();
    for (of, needles) in candidates.into_iter().rev() {
        let is_apart =
            taken.iter().all(|(other, _)| of.end <= other.start || other.end <= of.start);
        if is_apart && taken.len() < MOST_SETS {
            taken.push((of, needles));
        }
    }
    taken.into_iter().map(|(_, needles)| needles).collect()
}

fn with_parts(
    (from, texts): (usize, Vec<String>),
    to: usize,
) -> Option<(Range<usize>, Vec<Needle>)> {
    Some((2 * from..2 * to, needles_of(texts)?))
}

/// Where these are texts to look for: short ones stand in many places, and an empty text does everywhere.
fn needles_of(texts: Vec<String>) -> Option<Vec<Needle>> {
    let tells_much = match texts.iter().map(String::len).min()? {
        0 => false,
        1 => texts.len() <= MOST_BYTES,
        _ => texts.iter().filter(|text| text.len() == 2).count() <= MOST_PAIRS,
    };
    tells_much.then(|| texts.into_iter().map(|text| Needle { text, run: 0 }).collect())
}

/// So many texts an expression may match to be looked for by all of them.
const MOST_EXACT: usize = 128;

/// All texts that an expression matches, in lower case, where they are few.
fn texts_of(hir: &Hir, letters: Letters) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![String::new()]),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            // Texts that ignore case beyond ASCII are not bytes to look for.
            let is_byte_for_byte =
                letters == Letters::WithForeign || text.chars().all(has_one_form);
            is_byte_for_byte.then(|| vec![text.to_ascii_lowercase()])
        }
        HirKind::Class(class) => texts_of_class(class, letters, MOST_EXACT),
        HirKind::Capture(capture) => texts_of(&capture.sub, letters),
        HirKind::Concat(parts) => parts
            .iter()
            .try_fold(vec![String::new()], |texts, part| joined(&texts, &texts_of(part, letters)?)),
        HirKind::Alternation(branches) => {
            let texts: Option<Vec<Vec<String>>> =
                branches.iter().map(|branch| texts_of(branch, letters)).collect();
            Some(texts?.concat()).filter(|texts| texts.len() <= MOST_EXACT)
        }
        HirKind::Repetition(_) => None,
    }
}

/// The characters of a class, where they are at most so many.
fn texts_of_class(class: &Class, letters: Letters, most: usize) -> Option<Vec<String>> {
    let Class::Unicode(class) = class else { return None };
    let mut found = BTreeSet::new();
    for character in class.ranges().iter().flat_map(|range| range.start()..=range.end()) {
        found.insert(letters.lowered(character)?);
        if found.len() > most {
            return None;
        }
    }
    Some(found.into_iter().map(String::from).collect())
}

/// Of more characters a repetition stands in too many texts.
const MOST_ONCE: usize = 10;

/// What repetitions at least begin and end with.
fn repeated(hir: &Hir, letters: Letters) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Capture(capture) => repeated(&capture.sub, letters),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            let once = texts_of(&repetition.sub, letters).filter(|once| once.len() <= MOST_ONCE)?;
            let further = (1..repetition.min).map_while(|_| Some(&once));
            let all = further.scan(once.clone(), |texts, once| {
                *texts = joined(texts, once)?;
                Some(texts.clone())
            });
            all.last().or(Some(once.clone()))
        }
        _ => None,
    }
}

/// Each of some texts followed by each of others.
fn joined(texts: &[String], others: &[String]) -> Option<Vec<String>> {
    let all =
        texts.iter().flat_map(|text| others.iter().map(move |other| format!("{text}{other}")));
    (texts.len() * others.len() <= MOST_EXACT).then(|| all.collect())
}

/// Runs of bytes of tokens in whatever an expression matches.
#[derive(Clone, Copy)]
struct Run {
    /// The least length, where it matches nothing else.
    whole: Option<usize>,
    /// The longest run that is sure to be there.
    longest: usize,
}

impl Run {
    fn whole(length: usize) -> Self {
        Self { whole: Some(length), longest: length }
    }

    const NONE: Self = Self { whole: None, longest: 0 };

    fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::whole(0),
            HirKind::Literal(text) if text.0.iter().all(|byte| TOKEN.has(*byte)) => {
                Self::whole(text.0.len())
            }
            HirKind::Class(Class::Unicode(class)) => {
                // Whoever asks looks at texts with foreign letters by other means.
                let is_of_token = |c: char| {
                    u8::try_from(c).is_ok_and(|byte| TOKEN.has(byte))
                        || matches!(c, '\u{17f}' | '\u{212a}')
                };
                let mut ranges = class.ranges().iter();
                let is_whole = ranges.all(|range| (range.start()..=range.end()).all(is_of_token));
                if is_whole { Self::whole(1) } else { Self::NONE }
            }
            HirKind::Literal(_) | HirKind::Class(_) => Self::NONE,
            HirKind::Repetition(repetition) => {
                let Self { whole, longest } = Self::of(&repetition.sub);
                let times = repetition.min as usize;
                match whole {
                    Some(length) => Self::whole(length * times),
                    None => Self { whole, longest: if times == 0 { 0 } else { longest } },
                }
            }
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => {
                let (mut current, mut found, mut is_whole) = (0, 0, true);
                for part in parts.iter().map(Self::of) {
                    if let Some(length) = part.whole {
                        current += length;
                    } else {
                        (current, is_whole) = (0, false);
                    }
                    found = found.max(current).max(part.longest);
                }
                Self { whole: is_whole.then_some(current), longest: found }
            }
            HirKind::Alternation(branches) => {
                let branches = branches.iter().map(Self::of);
                let either = |one: Self, other: Self| Self {
                    whole: one.whole.zip(other.whole).map(|(one, other)| one.min(other)),
                    longest: one.longest.min(other.longest),
                };
                branches.reduce(either).unwrap_or(Self::NONE)
            }
        }
    }
}

/// The longer the shortest text and the fewer the texts, the fewer texts pass. Up to four bytes, one more is worth
/// some ten times as many.
fn strength(needles: &[Needle]) -> (usize, usize, std::cmp::Reverse<usize>, usize) {
    let lengths = needles.iter().map(|needle| needle.text.len());
    let (shortest, all) = (lengths.clone().min().unwrap_or(0), lengths.sum());
    let many = needles.len().checked_ilog2().unwrap_or(0) as usize;
    let chance = 200 + 70 * shortest.min(4) - 20 * many.min(10);
    (chance, shortest, std::cmp::Reverse(needles.len()), all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;
    use crate::rulebook::{Rulebook, as_javascript, builtin_names};

    /// What every match of a regex contains one of: bytes, or texts.
    fn told(regex: &str) -> (Option<Vec<u8>>, Option<Vec<String>>) {
        let needles = Structure::found_in(regex, Letters::Ascii).needles;
        let needles = needles.first().map_or(&[][..], Vec::as_slice);
        (few_bytes(needles), worthy_texts(needles))
    }

    fn texts(texts: &[&str]) -> (Option<Vec<u8>>, Option<Vec<String>>) {
        (None, Some(texts.iter().map(|text| (*text).to_owned()).collect()))
    }

    #[test]
    fn a_gate_is_what_every_match_contains() {
        assert_eq!(told(r"(?-u:\b)[45][0-9]+"), (Some(b"45".to_vec()), None));
        assert_eq!(told(r"[:=][12][^a]"), texts(&[":1", ":2", "=1", "=2"]));
        assert_eq!(told(r"\(?e(?:acces|io)(?-u:\b)"), texts(&["eacces", "eio"]));
        assert_eq!(told("[0-9a-f]{8}-[0-9a-f]{4}"), (Some(b"-".to_vec()), None));
        assert_eq!(told(r"(?-u:\b)id[ :]+[0-9]+"), texts(&["id ", "id:"]));
        assert_eq!(told("(?:code|error_code)[:]+x"), texts(&["code:", "error_code:"]));
        let (_, texts_of_number) = told("(?:a|b+):[0-9]{2,5}");
        assert_eq!(
            texts_of_number.map(|it| it.len()),
            Some(100),
            "the colon alone is in nearly every text"
        );
        assert_eq!(told("(?i)[0-9]+ not found"), texts(&[" not found"]));
        assert_eq!(told("(?i)[0-9]+ does exist"), texts(&[" exi"]), "an s may be another");
    }

    #[test]
    fn where_nothing_is_certain_the_gate_stays_open() {
        for regex in ["(abc)?", "[a-z]+", "", "abc|[a-z]x*", "(", "é"] {
            assert_eq!(told(regex), (None, None), "{regex}");
        }
    }

    #[test]
    fn the_file_tells_what_is_found_in_the_regexes_of_the_program() {
        let rulebooks = builtin_names().iter().map(|name| Rulebook::builtin(name).expect(name));
        let rules: Vec<String> = rulebooks.flat_map(|it| it.regexes()).collect();
        let masks = Redactor::builtin().regexes();
        let known = [(rules, Letters::Ascii), (masks, Letters::WithForeign)];
        let mut lines: Vec<String> = known
            .iter()
            .flat_map(|(regexes, letters)| regexes.iter().map(move |regex| (regex, *letters)))
            .map(|(regex, letters)| {
                let translated = match letters {
                    Letters::Ascii => as_javascript(regex),
                    Letters::WithForeign => regex.clone(),
                };
                let structure = Structure::found_in(&translated, letters);
                let line = Line { regex: Cow::Borrowed(regex), letters, structure };
                serde_json::to_string(&line).expect("texts and numbers") + "\n"
            })
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rulebook/matching/structures.jsonl");
        if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
            std::fs::write(path, lines.concat()).expect("writable");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == lines.concat(),
            "structures.jsonl is out of date, which costs time at every start; run the tests with \
             TAPECHECK_WRITE_DOCS=1 to write it"
        );
    }
}
