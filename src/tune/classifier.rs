//! A plain logistic classifier over the words of texts: what a rulebook has to beat.

use super::reply::LabelledReply;
use crate::labels::Label;
use argmin::core::{CostFunction, Error, Executor, Gradient, State as _};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use std::collections::{BTreeMap, BTreeSet};

/// How strongly large coefficients are punished, as for a classifier that nobody tuned.
const PENALTY: f64 = 1.0;
/// Texts that a word or pair of words must stand in.
const TEXTS: usize = 2;
/// Steps of the solver, at most.
const STEPS: u64 = 200;
/// What the solver remembers, in steps.
const MEMORY: usize = 8;
/// So much of a text is looked at.
const MOST_TEXT: usize = 4 << 10;

/// A logistic classifier over words and pairs of words, with balanced classes and an L2 penalty.
#[derive(Clone, Debug)]
pub struct Classifier {
    coefficients: BTreeMap<String, f64>,
    constant: f64,
    /// What it says, and what it says otherwise.
    labels: [Label; 2],
}

impl Classifier {
    /// Fits one to replies of two labels; `None` where one of them is missing or no step succeeds.
    pub fn fit(replies: &[&LabelledReply], labels: [Label; 2]) -> Option<Self> {
        let replies: Vec<_> = replies.iter().filter(|it| labels.contains(&it.label)).collect();
        let texts: Vec<BTreeSet<String>> = replies.iter().map(|it| words(&it.text)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in texts.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        counts.retain(|_, count| *count >= TEXTS);
        let known: BTreeMap<&str, usize> =
            counts.into_keys().enumerate().map(|(at, word)| (word, at)).collect();
        let truths: Vec<f64> =
            replies.iter().map(|it| if it.label == labels[0] { 1.0 } else { -1.0 }).collect();
        let of_class = |truth: f64| truths.iter().filter(|it| **it * truth > 0.0).count();
        if of_class(1.0) == 0 || of_class(-1.0) == 0 {
            return None;
        }
        let weight = |truth: f64| truths.len() as f64 / (2 * of_class(truth)) as f64;
        let [for_it, against] = [weight(1.0), weight(-1.0)];
        let texts = texts
            .iter()
            .map(|text| text.iter().filter_map(|word| known.get(word.as_str()).copied()).collect());
        let weights = truths.iter().map(|truth| if *truth > 0.0 { for_it } else { against });
        let loss = Loss { texts: texts.collect(), weights: weights.collect(), truths };
        let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY);
        let start = vec![0.0; known.len() + 1];
        let done = Executor::new(loss, solver)
            .configure(|state| state.param(start).max_iters(STEPS))
            .run()
            .ok()?;
        let found = done.state().get_best_param()?.clone();
        let (constant, coefficients) = found.split_last()?;
        let coefficients = known.iter().map(|(word, at)| ((*word).to_owned(), coefficients[*at]));
        Some(Self { coefficients: coefficients.collect(), constant: *constant, labels })
    }

    pub fn answer(&self, reply: &LabelledReply) -> Label {
        let words = words(&reply.text);
        let known = words.iter().filter_map(|word| self.coefficients.get(word));
        let sum = known.fold(self.constant, |sum, coefficient| sum + coefficient);
        self.labels[usize::from(sum < 0.0)]
    }
}

/// The words of a text, and the pairs of neighbours.
fn words(text: &str) -> BTreeSet<String> {
    let text = text[..text.floor_char_boundary(MOST_TEXT)].to_lowercase();
    let is_part = |c: char| c.is_alphabetic() || c == '_' || c == '\'';
    let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    words.iter().map(|word| (*word).to_owned()).chain(pairs).collect()
}

/// The logistic loss with its penalty; the constant comes last and is not punished.
struct Loss {
    texts: Vec<Vec<usize>>,
    truths: Vec<f64>,
    weights: Vec<f64>,
}

impl Loss {
    fn margins<'a>(&'a self, at: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let constant = at.last().copied().unwrap_or_default();
        self.texts.iter().zip(&self.truths).map(move |(text, truth)| {
            truth * text.iter().fold(constant, |sum, word| sum + at[*word])
        })
    }
}

impl CostFunction for Loss {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, at: &Self::Param) -> Result<f64, Error> {
        let punished = &at[..at.len() - 1];
        let penalty = PENALTY / 2.0 * punished.iter().map(|it| it * it).sum::<f64>();
        let losses = self.margins(at).zip(&self.weights).map(|(margin, weight)| {
            // The same for both signs, without overflow.
            weight * ((-margin.abs()).exp().ln_1p() + (-margin).max(0.0))
        });
        Ok(penalty + losses.sum::<f64>())
    }
}

impl Gradient for Loss {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, at: &Self::Param) -> Result<Vec<f64>, Error> {
        let mut gradient: Vec<f64> = at.iter().map(|it| PENALTY * it).collect();
        let last = gradient.len() - 1;
        gradient[last] = 0.0;
        for (item, margin) in self.margins(at).enumerate() {
            let pull = -self.weights[item] * self.truths[item] / (1.0 + margin.exp());
            self.texts[item].iter().for_each(|word| gradient[*word] += pull);
            gradient[last] += pull;
        }
        Ok(gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::reply::Asked;
    use crate::tune::reply::tests::reply;

    #[test]
    fn words_that_tell_two_classes_apart_are_learned() {
        let labels = Asked::Failed.labels();
        let of = |text: &str, label| LabelledReply { label, ..reply(text) };
        let mut replies = Vec::new();
        for name in ["red", "green", "blue"] {
            replies.push(of(&format!("{name} connection lost"), Label::ToolFailure));
            replies.push(of(&format!("{name} not found"), Label::BusinessLogic));
            replies.push(of(&format!("{name} is not allowed"), Label::BusinessLogic));
        }
        let all: Vec<&LabelledReply> = replies.iter().collect();
        let classifier = Classifier::fit(&all, labels).expect("both classes");
        assert_eq!(classifier.answer(&reply("black connection")), Label::ToolFailure);
        assert_eq!(classifier.answer(&reply("the key was not found")), Label::BusinessLogic);
        assert!(Classifier::fit(&all[..1], labels).is_none(), "a single class");
    }
}
