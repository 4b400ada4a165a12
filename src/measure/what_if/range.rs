//! The values that a sweep goes through.

/// Evenly spaced values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub from: f64,
    /// The last, where the steps lead there.
    pub to: f64,
    pub step: f64,
}

/// Why a text is no range, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RangeError(String);

/// How many values a sweep may have.
const MOST: usize = 1000;
/// How far it may go from 0.
const GREATEST: f64 = 1_000_000.0;
/// How small a step may be.
const LEAST: f64 = 0.000_001;
/// To so many decimal places values are told.
const PLACES: i32 = 9;
/// About how many it has where nobody says.
const USUAL: f64 = 20.0;

impl Range {
    /// Reads `FROM..TO` or `FROM..TO:STEP`.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        let form = || {
            RangeError(format!(
                "invalid range `{text}`: expected FROM..TO or FROM..TO:STEP, such as 0.1..0.9:0.05, \
                 with FROM less than TO and STEP above 0"
            ))
        };
        let (ends, step) = text.split_once(':').map_or((text, None), |(it, step)| (it, Some(step)));
        let (from, to) = ends.split_once("..").ok_or_else(form)?;
        let number = |text: &str| text.trim().parse().ok().filter(|it: &f64| it.is_finite());
        let from = number(from).ok_or_else(form)?;
        let to = number(to.trim_start_matches('=')).filter(|to| *to > from).ok_or_else(form)?;
        let step = match step {
            Some(step) => number(step).filter(|step| *step > 0.0).ok_or_else(form)?,
            None => rounded(round_step(to - from, USUAL)),
        };
        let is_kept = |number: f64| (rounded(number) - number).abs() <= number.abs() * 1e-12;
        let is_moderate = |number: f64| number.abs() <= GREATEST && is_kept(number);
        // Numbers that no rulebook needs, and that could not be told apart as written.
        if ![from, to, step].into_iter().all(is_moderate) || step < LEAST {
            return Err(RangeError(format!(
                "`{text}` is too great or too fine: ends may be at most {GREATEST} with {PLACES} decimal \
                 places, steps at least {LEAST}"
            )));
        }
        if (to - from) / step > (MOST - 1) as f64 {
            let words = format!("{text} has more than {MOST} values; take larger steps");
            return Err(RangeError(words));
        }
        Ok(Self { from, to, step })
    }

    /// The values, as people would write them.
    pub fn values(self) -> Vec<f64> {
        let values = (0..MOST).map(|at| rounded(self.from + at as f64 * self.step));
        let end = self.to + self.step / 1e6;
        values.take_while(|value| *value <= end).collect()
    }
}

/// The least step of 1, 2 or 5 times a power of ten that a span has at most so many of.
fn round_step(span: f64, most: f64) -> f64 {
    let power = 10_f64.powf((span / most).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = steps.into_iter().find(|step| span / step <= most + 1e-9);
    step.unwrap_or(power)
}

/// Without what adding up leaves in the last digits; nothing is 0 and not minus 0.
fn rounded(value: f64) -> f64 {
    let scale = 10_f64.powi(PLACES);
    (value * scale).round() / scale + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn ranges_are_read_as_their_cases_say() {
        cases::check("tests/cases/ranges.txt", |case| {
            let values = match Range::parse(&case.text) {
                Ok(range) => range.values(),
                Err(error) => return error.to_string(),
            };
            values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
        });
    }
}
