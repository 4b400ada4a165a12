//! What becomes of the examples that a rulebook has or inherits.

use crate::rulebook::Rulebook;
use crate::run::{Mismatch, run_examples};
use std::collections::BTreeSet;

/// An example that comes out as expected, and would not any more.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Breaking {
    /// Its name, or the signal whose text it is.
    pub example: String,
    pub rulebook: String,
    pub difference: String,
}

/// The examples of a rulebook, and of those that it extends, that would come out otherwise under what it is
/// tuned to. Those that are wrong already are not broken by it.
pub fn breaking(start: &Rulebook, bases: &[Rulebook], tuned: &Rulebook) -> Vec<Breaking> {
    let each = std::iter::once(start).chain(bases);
    each.flat_map(|book| breaking_of(book, [start, tuned])).collect()
}

/// What an example says that a rulebook must keep when it extends the one that has the example: the answer.
/// Scores and signals are its own affair.
const ANSWERS: [&str; 5] =
    ["classification", "outcome", "is_valid", "business_logic", "hidden_failure"];

/// The examples of the rulebooks that one extends which are answered otherwise under it, unless it has an
/// example of the same name that says what is meant now.
pub fn breaking_inherited(rulebook: &Rulebook, bases: &[Rulebook]) -> Vec<Breaking> {
    let names = |book: &Rulebook| -> Vec<String> {
        book.examples.iter().map(|example| example.name.clone()).collect()
    };
    let mut known: BTreeSet<String> = names(rulebook).into_iter().collect();
    let mut found = Vec::new();
    for base in bases {
        let is_answer = |it: &Mismatch| {
            let member = it.difference.split(' ').next().unwrap_or_default();
            ANSWERS.contains(&member)
        };
        let broken = wrong_under(base, rulebook).into_iter().filter(is_answer);
        found.extend(first_of_each(base, broken, &mut known.clone()));
        known.extend(names(base));
    }
    found
}

/// The examples of one rulebook that one judges as expected and another does not.
fn breaking_of(book: &Rulebook, [start, tuned]: [&Rulebook; 2]) -> Vec<Breaking> {
    let mut known = wrong_under(book, start).into_iter().map(|it| it.example).collect();
    let mut breaking = first_of_each(book, wrong_under(book, tuned).into_iter(), &mut known);
    let before = book.broken_examples_under(start);
    let texts = book.broken_examples_under(tuned).into_iter();
    let texts = texts.filter(|broken| {
        !before.iter().any(|was| was.signal == broken.signal && was.text == broken.text)
    });
    breaking.extend(texts.map(|broken| Breaking {
        example: format!("a text of `{}`", broken.signal),
        rulebook: book.name.clone(),
        difference: broken.problem.message,
    }));
    breaking
}

/// The examples of one rulebook that another judges otherwise.
fn wrong_under(book: &Rulebook, judging: &Rulebook) -> Vec<Mismatch> {
    let mut judging = judging.clone();
    judging.examples.clone_from(&book.examples);
    run_examples(&judging)
}

/// Of examples that are not known yet; of one of which several things differ, the first is enough.
fn first_of_each(
    book: &Rulebook,
    wrong: impl Iterator<Item = Mismatch>,
    known: &mut BTreeSet<String>,
) -> Vec<Breaking> {
    let new = wrong.filter(|mismatch| known.insert(mismatch.example.clone()));
    let breaking = new.map(|Mismatch { example, difference, .. }| Breaking {
        example,
        rulebook: book.name.clone(),
        difference,
    });
    breaking.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn examples_break_as_their_cases_say() {
        cases::check("tests/cases/broken-examples.txt", |case| {
            let book = |text| Rulebook::from_toml(text, "own.toml").expect("a rulebook");
            let (start, tuned) = case.text.split_once("\n-- tuned\n").expect("two rulebooks");
            let start = book(start);
            let found = breaking(&start, &start.bases().expect("built in"), &book(tuned));
            let lines = found.iter().map(|Breaking { example, rulebook, difference }| {
                format!("{example} (of {rulebook}): {difference}\n")
            });
            lines.collect()
        });
    }
}
