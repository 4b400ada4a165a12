//! Which of many regexes are worth running on a text, told in one pass and before any of them is compiled.

use super::lazy::TextForms;
use super::long_runs;
use super::prefilter::{Letters, Needle, Structure, TOKEN, has_one_of};
use super::text_search::{Candidate, TextSearch, is_in, stands_at};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// What a text must contain for each of many regexes to match it.
#[derive(Clone, Debug)]
pub(crate) struct Requirements {
    search: TextSearch,
    /// Texts, in lower case, each with the regexes that need it.
    needles: Vec<(String, Vec<NeededBy>)>,
    /// Texts that are too short to be looked for, each with a regex that needs it beside a run, the shortest run first.
    by_run: Vec<(String, NeededBy)>,
    /// The regexes of which no such texts are known.
    always: Vec<usize>,
    /// What each regex needs beside that.
    beside: Vec<RegexNeeds>,
}

/// The regex that needs a text, which of its sets the text is of, and the run that must be there too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NeededBy {
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
    /// Of regexes as the engine reads them.
    pub(crate) fn new<'r>(regexes: impl Iterator<Item = &'r str>) -> Self {
        let (mut needles, mut by_run) = (Vec::new(), Vec::new());
        let (mut always, mut beside) = (Vec::new(), Vec::new());
        for (number, regex) in regexes.enumerate() {
            let structure = Structure::of(regex, Letters::WithForeign, || regex.to_owned());
            let second = structure.few(1);
            let needed = |needle: &Needle, is_second| {
                let by = NeededBy { regex: number, is_second, run: needle.run };
                (needle.text.to_ascii_lowercase(), by)
            };
            needles.extend(second.into_iter().flatten().map(|needle| needed(needle, true)));
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
                                by_run.push(needed(needle, false));
                            }
                            _ => needles.push(needed(needle, false)),
                        }
                    }
                }
                Some(_) | None => always.push(number),
            }
        }
        by_run.sort_by_key(|(_, by)| by.run);
        needles.sort();
        // Of equal ones the one that asks for the least stays.
        let key = |(text, it): &(String, NeededBy)| (text.clone(), it.regex, it.is_second);
        needles.dedup_by(|next, one| key(next) == key(one));
        let needles: Vec<(String, Vec<NeededBy>)> = needles
            .chunk_by(|(one, _), (next, _)| one == next)
            .map(|equal| (equal[0].0.clone(), equal.iter().map(|(_, by)| *by).collect()))
            .collect();
        let search = TextSearch::new(needles.iter().map(|(text, _)| text.as_str()));
        Self { search, needles, by_run, always, beside }
    }

    /// The regexes that may match, in ascending order. What is left out does not.
    pub(crate) fn met_by(&self, seen: &TextForms<'_>) -> SmallVec<[usize; 8]> {
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
        let mut met: SmallVec<[usize; 8]> = self.always.iter().copied().collect();
        // The shortest run comes first, and most texts have none.
        if self.by_run.first().is_some_and(|(_, first)| runs(first.run).next().is_some()) {
            let by_run = self.by_run.iter().take_while(|(_, by)| has_run(by.run));
            let by_run = by_run.filter(|(text, _)| is_in(haystack, text.as_bytes()));
            met.extend(by_run.map(|(_, by)| by.regex));
            met.sort_unstable();
            met.dedup();
        }
        let mut seconds: SmallVec<[usize; 8]> = SmallVec::new();
        self.search.visit(haystack, |Candidate { text, start }| {
            let (needle, needed_by) = &self.needles[text];
            if stands_at(haystack, start, needle.as_bytes()) {
                for NeededBy { regex, is_second, .. } in
                    needed_by.iter().filter(|it| has_run(it.run))
                {
                    let into = if *is_second { &mut seconds } else { &mut met };
                    if let Err(place) = into.binary_search(regex) {
                        into.insert(place, *regex);
                    }
                }
            }
        });
        met.retain(|regex| {
            let RegexNeeds { bytes, has_second } = &self.beside[*regex];
            (!has_second || seconds.binary_search(regex).is_ok())
                && bytes.iter().all(|bytes| has_one_of(bytes, haystack))
        });
        met
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
    fn most_texts_meet_no_requirement() {
        let requirements =
            Requirements::new(["(?i)\\bsecret\\s*=", "eyJ[a-z]+|token", "[a-z]+"].into_iter());
        let met = |text| requirements.met_by(&TextForms::new(text)).to_vec();
        assert_eq!(met("a plain text"), [2]);
        assert_eq!(met("a Secret=: eyjx"), [0, 1, 2]);
        assert_eq!(met("a Secret: eyjx"), [1, 2], "nothing is assigned");
        assert_eq!(met("\u{17f}ecret="), [0, 1, 2], "s to whoever ignores case");
    }

    proptest! {
        #[test]
        fn what_matches_meets_the_requirements(
            regexes in prop::collection::vec(
                "(\\(\\?i\\))?([ksaK]{1,3}|[ak]\\{9\\}|[45.@]|-|\\\\d|a\\?|(ab|k1|(?i:s))|[sb]\\+|\\\\b){1,4}", 1..4),
            text in "([abksABKS\u{212a}\u{17f}451.@ \\-é]|a{9}|k{9}){0,16}",
        ) {
            let requirements = Requirements::new(regexes.iter().map(String::as_str));
            let met = requirements.met_by(&TextForms::new(&text));
            for (number, regex) in regexes.iter().enumerate() {
                let regex = Regex::new(regex).map_err(|error| TestCaseError::reject(error.to_string()))?;
                prop_assert!(met.contains(&number) || !regex.is_match(&text), "{} in {}", regex, text);
            }
        }
    }
}
