//! How sure an answer is: the probability that it is right, by what it was decided with.

use super::{Condition, Rulebook};
use crate::verdict::{Answer, Certainty, SignalSet, Weighing};

/// A line of `[[certainty]]`. The first that is about an answer says how sure it is.
#[derive(Debug, Clone)]
pub struct CertaintyLine {
    pub name: String,
    pub answer: Answer,
    /// The decision line that has to have answered, as an index into the rulebook's; `None`: any.
    pub decided_by: Option<u16>,
    pub condition: Condition,
    pub curve: Curve,
}

/// A probability by the distance of the score from the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Where the score is the threshold.
    pub near: f64,
    /// Where the score is 1 away from it, or more.
    pub far: f64,
}

impl Curve {
    /// The bounds of what a rulebook may say: neither never nor always.
    pub(crate) const BOUNDS: std::ops::RangeInclusive<f64> = 0.001..=0.999;

    /// One probability at any distance.
    pub fn level(probability: f64) -> Self {
        Self { near: probability, far: probability }
    }

    pub fn is_level(self) -> bool {
        self.near.to_bits() == self.far.to_bits()
    }

    /// Between the two ends the logarithm of the odds changes evenly.
    pub fn at(self, distance: f64) -> f64 {
        if self.is_level() {
            return self.near;
        }
        let [near, far] = [self.near, self.far].map(|it| (it / (1.0 - it)).ln());
        let odds = (near + (far - near) * distance.clamp(0.0, 1.0)).exp();
        // No digit of which machines might disagree.
        (odds / (1.0 + odds) * 10_000.0).round() / 10_000.0
    }
}

impl Weighing {
    /// How far the score is from the threshold.
    pub fn distance(self) -> f64 {
        self.threshold.map_or(0.0, |threshold| (self.score - threshold).abs())
    }
}

impl Rulebook {
    /// How sure an answer is; `None` where no line is about it.
    pub(super) fn certainty_of(
        &self,
        answer: Answer,
        weighing: Option<Weighing>,
        signals: SignalSet,
    ) -> Option<Certainty> {
        let decided_by = weighing.and_then(|weighing| weighing.line);
        // Labels of what is hidden do not tell the two apart.
        let answer = match answer {
            Answer::HiddenRefusal => Answer::HiddenFailure,
            answer => answer,
        };
        let is_about = |line: &CertaintyLine| {
            line.answer == answer
                && (line.decided_by.is_none() || line.decided_by == decided_by)
                && line.condition.holds(signals)
        };
        let at = self.certainty.iter().position(is_about)?;
        let value = self.certainty[at].curve.at(weighing.map_or(0.0, Weighing::distance));
        Some(Certainty { line: u16::try_from(at).ok()?, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Ground, Observed, Outcome, SchemaOutcome, Signals};

    #[test]
    fn a_curve_goes_evenly_from_near_to_far_in_the_logarithm_of_the_odds() {
        let curve = Curve { near: 0.5, far: 0.9 };
        // Odds of 1 and 9: halfway they are 3.
        let at = [0.0, 0.5, 1.0, 7.0].map(|distance| curve.at(distance).to_string());
        assert_eq!(at, ["0.5", "0.75", "0.9", "0.9"]);
        assert_eq!(Curve::level(0.97).at(0.3).to_bits(), 0.97_f64.to_bits());
    }

    #[test]
    fn what_a_schema_decided_has_no_certainty() {
        let text = "name = \"x\"\nextends = \"guide\"\n[hidden_failure]\nif = \"http_status\"\n\
                    [[certainty]]\nname = \"clean\"\nanswer = \"ok\"\ncertainty = 0.97\n";
        let book = Rulebook::from_toml(text, "x").expect("good");
        let valid = Observed::new(Ground::Content, Signals::Of(SignalSet::default()));
        assert_eq!(book.conclude(&valid).certainty.map(|it| it.value), Some(0.97));
        let concluded = book.conclude(&Observed { schema: Some(SchemaOutcome::Invalid), ..valid });
        assert_eq!((concluded.outcome, concluded.certainty), (Outcome::Invalid, None));
    }
}
