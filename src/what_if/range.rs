//! The values that a sweep goes through.

/// Evenly spaced values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The first.
    pub from: f64,
    /// The last, where the steps lead there.
    pub to: f64,
    /// From one to the next.
    pub step: f64,
}

/// What is wrong with a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// It is not written as one.
    #[error("`{0}` is no range: write FROM..TO or FROM..TO:STEP, such as 0.1..0.9:0.05")]
    Form(String),
    /// It would take too many steps.
    #[error("{0} has more than {MOST} values; take larger steps")]
    TooMany(String),
}

/// How many values a sweep may have.
const MOST: usize = 1000;
/// About how many it has where nobody says.
const USUAL: f64 = 20.0;

impl Range {
    /// Reads `FROM..TO` or `FROM..TO:STEP`.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let form = || RangeError::Form(text.to_owned());
        let (ends, step) = match text.split_once(':') {
            Some((ends, step)) => (ends, Some(step)),
            None => (text, None),
        };
        let (from, to) = ends.split_once("..").ok_or_else(form)?;
        let number = |text: &str| text.trim().parse().ok().filter(|it: &f64| it.is_finite());
        let from = number(from).ok_or_else(form)?;
        let to = number(to.trim_start_matches('=')).ok_or_else(form)?;
        let step = match step {
            Some(step) => number(step).ok_or_else(form)?,
            None => round_step(to - from),
        };
        if to <= from || step <= 0.0 {
            return Err(form());
        }
        if (to - from) / step > (MOST - 1) as f64 {
            return Err(RangeError::TooMany(text.to_owned()));
        }
        Ok(Self { from, to, step })
    }

    /// The values, as people would write them.
    #[must_use]
    pub fn values(self) -> Vec<f64> {
        let values = (0..MOST).map(|at| rounded(self.from + at as f64 * self.step));
        let end = self.to + self.step / 1e6;
        values.take_while(|value| *value <= end).collect()
    }
}

/// A step of 1, 2 or 5 times a power of ten.
fn round_step(span: f64) -> f64 {
    let power = 10_f64.powf((span / USUAL).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| rounded(times * power));
    let step = steps.into_iter().find(|step| span / step <= USUAL + 1e-9);
    step.unwrap_or(power)
}

/// Without what adding up leaves in the last digits.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_gone_through() {
        let values = |text: &str| Range::parse(text).expect(text).values();
        assert_eq!(values("0..1:0.25"), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(values("0.1..=0.3:0.1"), [0.1, 0.2, 0.3]);
        assert_eq!(values("-1..1:0.9"), [-1.0, -0.1, 0.8]);
        let usual = values("0.1..0.9");
        assert_eq!((usual.len(), usual[1]), (17, 0.15));
        assert_eq!(values("0..5").len(), 11);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["0.5", "1..0", "0..1:0", "0..x", "..", "0..1:-1", "0..inf"] {
            assert_eq!(Range::parse(text), Err(RangeError::Form(text.to_owned())), "{text}");
        }
        let fine = "0..1:0.0001".to_owned();
        assert_eq!(Range::parse(&fine), Err(RangeError::TooMany(fine)));
    }
}
