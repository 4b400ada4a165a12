//! Which of many regexes are worth running on a text, told in one pass and before any of them is compiled.

use super::gate::{Letters, Needle, Structure, TOKEN, has_one_of};
use super::lazy::TextForms;
use super::long_runs;
use super::sieve::{Candidate, Sieve, is_in, stands_at};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Opens regexes by texts of which every match of them contains one.
#[derive(Clone, Debug)]
pub(crate) struct Requirements {
    sieve: Sieve,
    /// The texts, in lower case, each with what it opens.
    needles: Vec<(String, Vec<Opens>)>,
    /// Texts that are too short to be looked for, each with what it opens beside a run, the shortest run first.
    by_run: Vec<(String, Opens)>,
    /// The regexes of which no such texts are known.
    always: Vec<usize>,
    /// What each regex asks for beside that.
    beside: Vec<RegexNeeds>,
}

/// A regex and which of its sets of texts one is of, and the run that must be there too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Opens {
    regex: usize,
    is_second: bool,
    run: usize,
}

#[derive(Clone, Debug)]
struct RegexNeeds {
    /// Sets of bytes, of each of which one must be there.
    bytes: Vec<Vec<u8>>,
    /// Whether a text of a second set must be there.
    has_second: bool,
}

impl Requirements {
    /// Doors to regexes, as the engine reads them.
    pub(crate) fn new<'r>(regexes: impl Iterator<Item = &'r str>) -> Self {
        let (mut needles, mut by_run) = (Vec::new(), Vec::new());
        let (mut always, mut beside) = (Vec::new(), Vec::new());
        for (number, regex) in regexes.enumerate() {
            let structure = Structure::of(regex, Letters::WithForeign, || regex.to_owned());
            let second = structure.few(1);
            let opens = |needle: &Needle, is_second| {
                let opens = Opens { regex: number, is_second, run: needle.run };
                (needle.text.to_ascii_lowercase(), opens)
            };
            needles.extend(second.into_iter().flatten().map(|needle| opens(needle, true)));
            beside
                .push(RegexNeeds { bytes: structure.bytes.clone(), has_second: second.is_some() });
            match structure.needles.first() {
                // These are among the bytes that must be there anyway.
                Some(found) if found.iter().all(is_sign) => always.push(number),
                Some(found) if found.iter().all(|needle| !needle.text.is_empty()) => {
                    for needle in found {
                        // What is short stands in many texts, and a run in few.
                        match needle.text.len() {
                            1 | 2 if needle.run >= SHORTEST_RUN => {
                                by_run.push(opens(needle, false));
                            }
                            _ => needles.push(opens(needle, false)),
                        }
                    }
                }
                Some(_) | None => always.push(number),
            }
        }
        by_run.sort_by_key(|(_, opens)| opens.run);
        needles.sort();
        // Of equal ones the one that asks for the least stays.
        let key = |(text, it): &(String, Opens)| (text.clone(), it.regex, it.is_second);
        needles.dedup_by(|next, one| key(next) == key(one));
        let needles: Vec<(String, Vec<Opens>)> = needles
            .chunk_by(|(one, _), (next, _)| one == next)
            .map(|equal| (equal[0].0.clone(), equal.iter().map(|(_, opens)| *opens).collect()))
            .collect();
        let sieve = Sieve::new(needles.iter().map(|(text, _)| text.as_str()));
        Self { sieve, needles, by_run, always, beside }
    }

    /// The regexes that may match, in ascending order. What is left out does not.
    pub(crate) fn open_to(&self, seen: &TextForms<'_>) -> SmallVec<[usize; 8]> {
        if seen.has_foreign_letters() {
            return (0..self.beside.len()).collect();
        }
        let haystack = seen.text().as_bytes();
        let runs = |least| long_runs(haystack, least, &TOKEN).map(|run| run.len());
        let longest = OnceCell::new();
        let has_run = |least: usize| {
            let longest = || longest.get_or_init(|| runs(SHORTEST_RUN).max().unwrap_or_default());
            least < SHORTEST_RUN || least <= *longest()
        };
        let mut open: SmallVec<[usize; 8]> = self.always.iter().copied().collect();
        // The shortest run comes first, and most texts have none.
        if self.by_run.first().is_some_and(|(_, first)| runs(first.run).next().is_some()) {
            let by_run = self.by_run.iter().take_while(|(_, opens)| has_run(opens.run));
            let by_run = by_run.filter(|(text, _)| is_in(haystack, text.as_bytes()));
            open.extend(by_run.map(|(_, opens)| opens.regex));
            open.sort_unstable();
            open.dedup();
        }
        let mut seconds: SmallVec<[usize; 8]> = SmallVec::new();
        self.sieve.visit(haystack, |Candidate { text, start }| {
            let (needle, opened) = &self.needles[text];
            if stands_at(haystack, start, needle.as_bytes()) {
                for Opens { regex, is_second, .. } in opened.iter().filter(|it| has_run(it.run)) {
                    let into = if *is_second { &mut seconds } else { &mut open };
                    if let Err(place) = into.binary_search(regex) {
                        into.insert(place, *regex);
                    }
                }
            }
        });
        open.retain(|regex| {
            let RegexNeeds { bytes, has_second } = &self.beside[*regex];
            (!has_second || seconds.binary_search(regex).is_ok())
                && bytes.iter().all(|bytes| has_one_of(bytes, haystack))
        });
        open
    }
}

/// Whether it is a single byte that is no letter.
fn is_sign(Needle { text, run }: &Needle) -> bool {
    *run < SHORTEST_RUN
        && matches!(text.as_bytes(), [byte] if byte.is_ascii() && !byte.is_ascii_alphabetic())
}

/// Shorter runs tell little.
const SHORTEST_RUN: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    #[test]
    fn most_texts_open_no_door() {
        let doors =
            Requirements::new(["(?i)\\bsecret\\s*=", "eyJ[a-z]+|token", "[a-z]+"].into_iter());
        let open = |text| doors.open_to(&TextForms::new(text)).to_vec();
        assert_eq!(open("a plain text"), [2]);
        assert_eq!(open("a Secret=: eyjx"), [0, 1, 2]);
        assert_eq!(open("a Secret: eyjx"), [1, 2], "nothing is assigned");
        assert_eq!(open("\u{17f}ecret="), [0, 1, 2], "s to whoever ignores case");
    }

    proptest! {
        #[test]
        fn no_match_stands_behind_a_closed_door(
            regexes in prop::collection::vec(
                "(\\(\\?i\\))?([ksaK]{1,3}|[ak]\\{9\\}|[45.@]|-|\\\\d|a\\?|(ab|k1|(?i:s))|[sb]\\+|\\\\b){1,4}", 1..4),
            text in "([abksABKS\u{212a}\u{17f}451.@ \\-é]|a{9}|k{9}){0,16}",
        ) {
            let doors = Requirements::new(regexes.iter().map(String::as_str));
            let open = doors.open_to(&TextForms::new(&text));
            for (number, regex) in regexes.iter().enumerate() {
                let regex = Regex::new(regex).map_err(|error| TestCaseError::reject(error.to_string()))?;
                prop_assert!(open.contains(&number) || !regex.is_match(&text), "{} in {}", regex, text);
            }
        }
    }
}
