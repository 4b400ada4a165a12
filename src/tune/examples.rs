//! What becomes of the examples that a rulebook carries.

use crate::rulebook::{BrokenText, Rulebook};
use crate::run::run_examples;
use std::collections::BTreeSet;

/// An example that comes out as expected, and would not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaking {
    /// Its name, or the fact that it is about.
    pub example: String,
    /// What would be otherwise.
    pub difference: String,
    /// What it is.
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// An exchange with its verdict.
    Exchange,
    /// A text of a fact.
    Text(BrokenText),
}

/// The examples of a rulebook that would come out otherwise under what it is tuned to. Those that are
/// wrong already are not told: they are not broken by it.
#[must_use]
pub fn breaking(start: &Rulebook, tuned: &Rulebook) -> Vec<Breaking> {
    // What is only tried carries no examples.
    let mut tuned = tuned.clone();
    tuned.examples.clone_from(&start.examples);
    let mut told: BTreeSet<String> =
        run_examples(start).into_iter().map(|mismatch| mismatch.example).collect();
    let exchanges = run_examples(&tuned).into_iter().map(|mismatch| Breaking {
        example: mismatch.example,
        difference: mismatch.difference,
        kind: Kind::Exchange,
    });
    let exchanges: Vec<Breaking> =
        exchanges.filter(|breaking| told.insert(breaking.example.clone())).collect();
    let before = start.broken_examples();
    let was_broken = |it: &BrokenText| before.iter().any(|was| is_same(was, it));
    let texts = tuned.broken_examples().into_iter().filter(|it| !was_broken(it));
    let texts = texts.map(|broken| Breaking {
        example: format!("a text of `{}`", broken.fact),
        difference: broken.problem.message.clone(),
        kind: Kind::Text(broken),
    });
    exchanges.into_iter().chain(texts).collect()
}

/// Whether two are the same text of the same fact, wherever they stand.
fn is_same(one: &BrokenText, other: &BrokenText) -> bool {
    one.fact == other.fact && one.text == other.text
}

impl Breaking {
    /// Whether it is one of the examples that a rulebook's own file has.
    #[must_use]
    pub fn is_of(&self, rulebook: &Rulebook) -> bool {
        match &self.kind {
            Kind::Exchange => rulebook.examples.iter().any(|it| it.name == self.example),
            Kind::Text(text) => rulebook.broken_examples().iter().any(|it| is_same(it, text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_as_expected_before_breaks() {
        let book = |threshold: &str, examples: &str| {
            let text = format!(
                "name = \"own\"\nextends = \"inspector\"\n[[decide]]\nname = \"otherwise\"\n\
                 threshold = {threshold}\n{examples}"
            );
            Rulebook::from_toml(&text, "own.toml").expect("a rulebook")
        };
        let example = |name: &str, expected: bool| {
            format!(
                "[[examples]]\nname = \"{name}\"\ntool = \"act\"\nerror = \"it broke\"\n\
                 expect = {{ business_logic = {expected} }}\n"
            )
        };
        let start = book("1", &(example("right", false) + &example("wrong", true)));
        assert_eq!(breaking(&start, &book("1", "")), []);
        let found = breaking(&start, &book("0", ""));
        let names: Vec<&str> = found.iter().map(|breaking| breaking.example.as_str()).collect();
        assert_eq!(names, ["right"]);
        assert!(found[0].difference.contains("business_logic should be false"), "{found:?}");
    }
    #[test]
    fn texts_of_a_fact_are_told_one_by_one() {
        let book = |entry: &str| {
            let text = format!(
                "name = \"own\"\nextends = \"guide\"\n[facts.sorry]\ncontains = [\"{entry}\"]\n\
                 yes = [\"a stone\", \"sorry, no\", \"sorry, ink\"]\n"
            );
            Rulebook::from_toml(&text, "own.toml").expect("a rulebook")
        };
        let after = book("sorry, n");
        let found = breaking(&book("sorry"), &after);
        let told: Vec<&str> = found.iter().map(|breaking| breaking.difference.as_str()).collect();
        assert_eq!(told, ["`sorry` ought to be true of \"sorry, ink\", but is not"]);
        assert_eq!(found[0].example, "a text of `sorry`");
        assert!(found[0].is_of(&after) && !found[0].is_of(&book("sorry")));
    }
}
