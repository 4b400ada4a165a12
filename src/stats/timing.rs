//! What looking for each pattern costs.
//!
//! When a rulebook judges, all texts of a field are looked for in one pass, and no pattern has a time of
//! its own. So each is looked for alone, and what that takes on average is an upper bound of what it
//! adds; a fact costs as much as its patterns together, and so does a factor.

use super::{Stats, Thing};
use crate::rulebook::{Case, Field, Matching, Pattern, PatternKind, Rulebook};
use aho_corasick::AhoCorasick;
use regex::RegexBuilder;
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

/// How often all texts are gone through; the quickest time counts.
const ROUNDS: usize = 5;

/// What something costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// On average in one text.
    pub microseconds: f64,
    /// The texts that it was measured on.
    pub texts: u64,
}

/// The texts that patterns look at, by field.
#[derive(Clone, Debug, Default)]
pub struct Timed {
    /// Texts with the field that they are of.
    pub texts: Vec<(Field, String)>,
}

impl Stats {
    /// Measures what looking for each pattern costs on these texts.
    pub fn time(&mut self, rulebook: &Rulebook, timed: &Timed) {
        let mut by_field: HashMap<Field, Vec<&str>> = HashMap::new();
        for (field, text) in &timed.texts {
            by_field.entry(*field).or_default().push(text);
        }
        let names = rulebook.pattern_names();
        let costs: Vec<Option<Cost>> = rulebook
            .patterns
            .iter()
            .map(|pattern| time(pattern, by_field.get(&pattern.field)?))
            .collect();
        let by_name: HashMap<&str, Option<Cost>> =
            names.iter().map(String::as_str).zip(costs.iter().copied()).collect();
        for usage in &mut self.usages[Thing::Pattern as usize] {
            usage.cost = by_name.get(usage.name.as_str()).copied().flatten();
        }
        for thing in [Thing::Fact, Thing::Factor] {
            for usage in &mut self.usages[thing as usize] {
                let name = usage.facts.first().unwrap_or(&usage.name);
                let fact = rulebook.facts.iter().find(|fact| fact.name == *name);
                let patterns = fact.map(|fact| fact.patterns.as_slice()).unwrap_or_default();
                let own = patterns.iter().filter_map(|at| costs[usize::from(*at)]);
                usage.cost = own.reduce(|sum, one| Cost {
                    microseconds: sum.microseconds + one.microseconds,
                    texts: sum.texts.max(one.texts),
                });
            }
        }
    }
}

fn time(pattern: &Pattern, texts: &[&str]) -> Option<Cost> {
    let look: Box<dyn Fn(&str) -> bool> = match pattern.kind {
        PatternKind::Text(Matching::Substring | Matching::Word | Matching::Part) => {
            let text = AhoCorasick::builder().ascii_case_insensitive(true).build([&pattern.text]);
            let text = text.ok()?;
            Box::new(move |haystack| text.is_match(haystack))
        }
        PatternKind::Regex(case) => {
            let regex = RegexBuilder::new(&pattern.text)
                .case_insensitive(case == Case::Ignored)
                .build()
                .ok()?;
            Box::new(move |haystack| regex.is_match(haystack))
        }
        PatternKind::Whole => {
            let text = pattern.text.clone();
            Box::new(move |value| value.eq_ignore_ascii_case(&text))
        }
    };
    let round = || {
        let started = Instant::now();
        for text in texts {
            black_box(look(black_box(text)));
        }
        started.elapsed().as_secs_f64()
    };
    let best = (0..ROUNDS).map(|_| round()).min_by(f64::total_cmp)?;
    let microseconds = best * 1e6 / texts.len() as f64;
    Some(Cost { microseconds, texts: texts.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Settings, samples, stats};

    #[test]
    fn every_pattern_of_a_field_with_texts_has_a_cost_and_facts_have_those_of_their_patterns() {
        let side = samples::side();
        let rulebook = side.rulebook.as_ref().expect("a rulebook");
        let mut stats = stats(&side, &samples::items(), &Settings::default());
        let texts = samples::REPLIES.map(|(_, _, text, _)| (Field::Text, text.to_owned()));
        stats.time(rulebook, &Timed { texts: texts.into() });
        for usage in stats.usages.iter().flatten() {
            let cost = usage.cost.unwrap_or_else(|| panic!("{} costs nothing", usage.name));
            assert!(cost.microseconds >= 0.0 && cost.texts == 11, "{cost:?}");
        }
    }
}
