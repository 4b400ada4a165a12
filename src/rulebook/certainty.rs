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
    use crate::rulebook::RulebookError;
    use crate::verdict::{Ground, Observed, Outcome, SchemaOutcome, Signals};

    const LINES: &str = r#"
[signals.crashed]
contains = ["crashed"]
[signals.polite]
contains = ["please"]
[hidden_failure]
if = "crashed"
[[certainty]]
name = "polite"
answer = "ok"
if = "polite"
certainty = 0.6
[[certainty]]
name = "clean"
answer = "ok"
certainty = 0.97
[[certainty]]
name = "balance"
answer = "tool_failure"
decided_by = "otherwise"
near = 0.5
far = 0.9
"#;

    fn book(text: &str) -> Result<Rulebook, RulebookError> {
        Rulebook::from_toml(&format!("name = \"x\"\nextends = \"guide\"\n{text}"), "x")
    }

    fn good() -> Rulebook {
        book(LINES).expect("a rulebook")
    }

    fn holding(book: &Rulebook, names: &[&str]) -> SignalSet {
        let mut signals = SignalSet::default();
        for (at, _) in book.signals.iter().enumerate().filter(|(_, it)| names.contains(&&*it.name))
        {
            signals.insert(at);
        }
        signals
    }

    fn certainty(book: &Rulebook, ground: Ground, signals: &[&str]) -> Option<f64> {
        let signals = Signals::Of(holding(book, signals));
        book.conclude(&Observed::new(ground, signals)).certainty.map(|it| it.value)
    }

    #[test]
    fn a_curve_goes_evenly_from_near_to_far_in_the_logarithm_of_the_odds() {
        let curve = Curve { near: 0.5, far: 0.9 };
        // Odds of 1 and 9: halfway they are 3.
        let at = [0.0, 0.5, 1.0, 7.0].map(|distance| curve.at(distance).to_string());
        assert_eq!(at, ["0.5", "0.75", "0.9", "0.9"]);
        assert_eq!(Curve::level(0.97).at(0.3).to_bits(), 0.97_f64.to_bits());
    }

    #[test]
    fn the_first_line_about_an_answer_says_how_sure_it_is() {
        let book = good();
        assert_eq!(certainty(&book, Ground::Content, &["polite"]), Some(0.6));
        assert_eq!(certainty(&book, Ground::Content, &[]), Some(0.97));
        assert_eq!(certainty(&book, Ground::Content, &["crashed"]), None, "no line is about it");
        // A score of 0 is 0.4 below the threshold of `otherwise`.
        let threshold = book.decide(holding(&book, &["textual_evidence"])).threshold;
        let expected = Curve { near: 0.5, far: 0.9 }.at(threshold.expect("it has one"));
        assert_eq!(certainty(&book, Ground::Error, &["textual_evidence"]), Some(expected));
        assert_eq!(certainty(&book, Ground::NoReply, &[]), None);
    }

    #[test]
    fn what_a_schema_decided_has_no_certainty() {
        let observed = Observed {
            schema: Some(SchemaOutcome::Invalid),
            ..Observed::new(Ground::Content, Signals::Of(SignalSet::default()))
        };
        let concluded = good().conclude(&observed);
        assert_eq!((concluded.outcome, concluded.certainty), (Outcome::Invalid, None));
    }

    #[test]
    fn lines_are_inherited_changed_by_name_and_removed() {
        let base = good();
        let over = |text: &str| base.extended(&format!("name = \"y\"\n{text}"));
        let changed = over(
            "extends = \"x\"\n[[certainty]]\nname = \"balance\"\ncertainty = 0.7\n\
             [[certainty]]\nname = \"seen\"\nbefore = \"clean\"\nanswer = \"ok\"\ncertainty = 0.8\n",
        );
        let changed = changed.expect("a rulebook");
        let names: Vec<&str> = changed.certainty.iter().map(|line| &*line.name).collect();
        assert_eq!(names, ["polite", "seen", "clean", "balance"]);
        assert_eq!(certainty(&changed, Ground::Content, &[]), Some(0.8));
        assert_eq!(certainty(&changed, Ground::Error, &["textual_evidence"]), Some(0.7));
        let removed = over("extends = \"x\"\nremove = { certainty = [\"clean\"] }\n");
        assert_eq!(certainty(&removed.expect("a rulebook"), Ground::Content, &[]), None);
    }

    #[test]
    fn a_line_goes_with_the_decision_line_that_it_is_about() {
        let text = "name = \"y\"\nextends = \"x\"\nremove = { decide = [\"mcp code\"] }\n";
        let about =
            LINES.replace("\"otherwise\"\nnear = 0.5\nfar = 0.9", "\"mcp code\"\ncertainty = 0.9");
        let base = book(&about).expect("a rulebook");
        assert_eq!(base.certainty.len(), 3);
        assert_eq!(base.extended(text).expect("a rulebook").certainty.len(), 2);
    }

    #[test]
    fn no_certainty_changes_the_digest() {
        let other = book(&LINES.replace("0.97", "0.5")).expect("a rulebook");
        assert_eq!(good().digest, other.digest);
        assert_ne!(good().resolved, other.resolved);
    }

    #[test]
    fn what_is_wrong_with_a_line_is_told_at_its_place() {
        let wrong = |line: &str| {
            let error = book(&format!("[[certainty]]\nname = \"a\"\n{line}\n"));
            let Err(RulebookError::Invalid(problems)) = error else { panic!("`{line}` is wrong") };
            let found =
                problems.iter().map(|it| format!("{}:{} {}", it.line, it.column, it.message));
            found.collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!([
            "answer = \"fine\"\ncertainty = 0.5",
            "answer = \"ok\"\ncertainty = 1",
            "answer = \"ok\"",
            "answer = \"ok\"\nnear = 0.5",
            "answer = \"ok\"\nnear = 0.5\nfar = 0.9",
            "answer = \"ok\"\nnear = 0.5\nfar = 0.9\ncertainty = 0.7",
            "answer = \"tool_failure\"\ndecided_by = \"mcp code\"\nnear = 0.5\nfar = 0.9",
            "answer = \"tool_failure\"\ndecided_by = \"otherwise\"\nnear = 0.9\nfar = 0.5",
            "answer = \"tool_failure\"\ndecided_by = \"other\"\ncertainty = 0.5",
            "answer = \"ok\"\nif = \"nothing\"\ncertainty = 0.5",
        ].map(wrong).join("\n"), @"
        5:10 `fine` is not one of ok, business_logic, tool_failure, hidden_failure
        6:13 `certainty` must be between 0.001 and 0.999
        3:1 a line has either `certainty` or both `near` and `far`
        3:1 a line has either `certainty` or both `near` and `far`
        3:1 `near` and `far` need `decided_by` with the name of a decision line that has a threshold
        3:1 a line has either `certainty` or both `near` and `far`
        3:1 `near` and `far` need `decided_by` with the name of a decision line that has a threshold
        8:7 `far` must not be below `near`
        6:14 unknown decision line `other`
        6:6 unknown signal `nothing`
        ");
    }
}
