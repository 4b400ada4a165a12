//! What the structure of a regex tells of all texts that it matches. Of regexes that come with the program a file
//! tells it, since to find it out takes longer than most else at the start; nothing depends on what is in that file
//! but time.

use super::gate::{Letters, Needle, bytes_in, quotes_a_blank, required, worthy_texts};
use hashbrown::HashMap;
use regex_syntax::hir::Hir;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
        type Found = HashMap<Cow<'static, str>, Structure>;
        static FOUND: LazyLock<[Found; 2]> = LazyLock::new(|| {
            let mut found = [Found::new(), Found::new()];
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

pub(super) fn texts_of(needles: &[Needle]) -> Vec<String> {
    needles.iter().map(|needle| needle.text.clone()).collect()
}

/// So many texts of at least so many bytes are worth looking for as a second set.
const MOST_SECOND: usize = 16;
const SHORTEST_SECOND: usize = 3;

fn tells_more(needles: &[Needle]) -> bool {
    needles.len() <= MOST_SECOND && needles.iter().all(|it| it.text.len() >= SHORTEST_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Redactor;
    use crate::rulebook::{Rulebook, as_javascript, builtin_names};

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
