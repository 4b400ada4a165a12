//! What becomes of the examples that a rulebook carries.

use crate::rulebook::Rulebook;
use crate::run::run_examples;
use std::collections::BTreeSet;

/// An example that comes out as expected, and would not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breaking {
    /// Its name, or the fact that it is about.
    pub example: String,
    /// What would be otherwise.
    pub difference: String,
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
    let exchanges = run_examples(&tuned)
        .into_iter()
        .map(|mismatch| Breaking { example: mismatch.example, difference: mismatch.difference });
    let exchanges: Vec<Breaking> =
        exchanges.filter(|breaking| told.insert(breaking.example.clone())).collect();
    let was_broken = |message: &str| start.broken_examples.iter().any(|it| it.message == message);
    let facts = tuned.broken_examples.iter().filter(|it| !was_broken(&it.message));
    let facts = facts.map(|problem| Breaking {
        example: "a text of a fact".to_owned(),
        difference: problem.message.clone(),
    });
    exchanges.into_iter().chain(facts).collect()
}

impl Breaking {
    /// Whether it is one of the examples that a rulebook's own file has.
    #[must_use]
    pub fn is_of(&self, rulebook: &Rulebook) -> bool {
        rulebook.examples.iter().any(|example| example.name == self.example)
            || rulebook.broken_examples.iter().any(|problem| problem.message == self.difference)
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
}
