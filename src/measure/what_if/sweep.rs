//! A range of values of one number of a rulebook gone through, and what comes of each.

use crate::compare::{Rescorer, Side};
use crate::labels::Class;
use crate::measure::accuracy::{Confusion, Item};
use crate::rulebook::edit::{Edits, Reach};
use crate::rulebook::{Setting, SettingError};
use crate::store::{ReportError, ResultTables, Table};
use crate::verdict::{Answer, Judgement};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// One value of a rulebook gone through.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    pub path: String,
    pub now: f64,
    /// The exchanges of which nothing can be said: they count nowhere.
    pub excluded: u64,
    /// The best of them all; `None` without labels of both kinds of error.
    pub best: Option<Plateau>,
    /// What comes of each value, the least first; the present one is among them.
    pub points: Vec<Point>,
    /// Whether labels say how right the answers are.
    #[serde(skip)]
    pub is_labelled: bool,
}

/// What comes of a value: a row of the table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    pub path: String,
    pub value: f64,
    pub is_now: bool,
    pub balanced_accuracy: Option<f64>,
    pub business_logic_recall: Option<f64>,
    pub tool_failure_recall: Option<f64>,
    pub hidden_failure_precision: Option<f64>,
    pub hidden_failure_recall: Option<f64>,
    pub labelled: u64,
    /// Exchanges by their answer.
    #[serde(flatten)]
    pub answers: BTreeMap<&'static str, u64>,
    /// The exchanges whose class or answer is another one than now.
    pub flips: u64,
}

/// Values beside each other that come to the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Plateau {
    /// The least of them that was tried.
    pub from: f64,
    /// The greatest of them that was tried.
    pub to: f64,
    pub balanced_accuracy: f64,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("`{path}` cannot be {value}: {reasons}")]
    Bounds { path: String, value: f64, reasons: String },
    #[error("`{0}` changes what is looked for, which needs the recordings")]
    NotDecided(String),
}

impl Point {
    pub fn share_of_errors(&self, answer: Answer) -> Option<f64> {
        let of = |answer: Answer| self.answers[answer.name()];
        let errors = of(Answer::BusinessLogic) + of(Answer::ToolFailure);
        (errors > 0).then(|| of(answer) as f64 / errors as f64)
    }
}

pub fn sweep(
    side: &Side,
    rescorer: &Rescorer<'_>,
    items: &[Item],
    setting: &str,
    values: &[f64],
) -> Result<Sweep, SweepError> {
    let rulebook = rescorer.rulebook();
    let (setting, now) = rulebook.number_at(setting)?;
    // What is nothing is 0 everywhere, so that values are the same where they are equal.
    let now = now + 0.0;
    let mut values: Vec<f64> = values.iter().chain([&now]).map(|value| value + 0.0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|one, other| one.total_cmp(other).is_eq());
    let weights = side.weights();
    let judgements = |value: f64| -> Result<Vec<Option<Judgement>>, SweepError> {
        let rules = rulebook.deciding_with(&[setting.with_number(value)])?;
        Ok((0..)
            .zip(&side.verdicts)
            .map(|(verdict, _)| rescorer.judgement(verdict, &rules))
            .collect())
    };
    check_reach(rescorer, &setting, &values)?;
    let by_value = values.iter().map(|value| judgements(*value));
    let by_value = by_value.collect::<Result<Vec<_>, SweepError>>()?;
    let at_now = values.iter().position(|value| value.total_cmp(&now).is_eq());
    let present = at_now.map_or(&[][..], |at| &by_value[at]);
    // What is not told for one value is counted for none, so that all are about the same calls.
    let is_told = |verdict: u32| by_value.iter().all(|it| it[verdict as usize].is_some());
    let path = setting.path();
    let point = |(value, judgements): (f64, &Vec<Option<Judgement>>)| {
        let mut answers = Answer::LISTED.map(|answer| (answer.name(), 0)).into();
        let mut flips = 0;
        let told = (0..).zip(judgements).zip(present).zip(&weights);
        for (((_, judgement), present), weight) in told.filter(|(((at, _), _), _)| is_told(*at)) {
            let Some(Judgement { answer, .. }) = judgement else { continue };
            let answer = if *answer == Answer::Fine { Answer::NotAsked } else { *answer };
            *BTreeMap::entry(&mut answers, answer.name()).or_default() += weight;
            flips += if present == judgement { 0 } else { *weight };
        }
        let mut confusion = Confusion::default();
        for item in items.iter().filter(|item| is_told(item.verdict)) {
            let Some(judgement) = judgements[item.verdict as usize] else { continue };
            let is_error = side.verdict(item.verdict).is_error == Some(true);
            confusion.add(item.label, Class::answered(judgement.answer, is_error));
        }
        let recall = |label| confusion.recall(label).value();
        Point {
            path: path.clone(),
            value,
            is_now: value.total_cmp(&now).is_eq(),
            balanced_accuracy: confusion.balanced_accuracy(),
            business_logic_recall: recall(Class::Refused),
            tool_failure_recall: recall(Class::Failed),
            hidden_failure_precision: confusion.precision(Class::Hidden).value(),
            hidden_failure_recall: recall(Class::Hidden),
            labelled: confusion.items(),
            answers,
            flips,
        }
    };
    let points: Vec<Point> = values.iter().copied().zip(&by_value).map(point).collect();
    let excluded = (0..).zip(&weights).filter(|(verdict, _)| !is_told(*verdict));
    let excluded = excluded.map(|(_, count)| count).sum();
    let best = best(&points);
    Ok(Sweep { path, now, points, excluded, is_labelled: !items.is_empty(), best })
}

/// A value must only have a say in what follows from signals.
fn check_reach(
    rescorer: &Rescorer<'_>,
    setting: &Setting,
    values: &[f64],
) -> Result<(), SweepError> {
    let rulebook = rescorer.rulebook();
    for value in [values.first(), values.last()].into_iter().flatten() {
        let set = setting.with_number(*value);
        let other = rulebook.with_settings(&[set]).map_err(|error| match error {
            SettingError::Refused { reasons, .. } => {
                SweepError::Bounds { path: setting.path(), value: *value, reasons }
            }
            other => SweepError::Setting(other),
        })?;
        let decides = Edits::between(rulebook, &other)
            .is_some_and(|edits| edits.all().iter().all(|edit| edit.reach() == Reach::Decision));
        if !decides {
            return Err(SweepError::NotDecided(setting.path()));
        }
    }
    Ok(())
}

/// The longest stretch of the values with the best balanced accuracy.
fn best(points: &[Point]) -> Option<Plateau> {
    let of = |point: &Point| point.balanced_accuracy;
    let best = points.iter().filter_map(of).max_by(f64::total_cmp)?;
    let is_best = |point: &Point| of(point).is_some_and(|it| (it - best).abs() < 1e-12);
    let stretches = points.chunk_by(|one, other| is_best(one) == is_best(other));
    let plateaus = stretches.filter(|stretch| is_best(&stretch[0])).map(|stretch| Plateau {
        from: stretch[0].value,
        to: stretch[stretch.len() - 1].value,
        balanced_accuracy: best,
    });
    plateaus.max_by(|one, other| (one.to - one.from).total_cmp(&(other.to - other.from)))
}

impl Sweep {
    /// Writes the table `sweep` into a folder.
    pub fn write_table(&self, folder: &Path) -> Result<(), ReportError> {
        let mut tables = ResultTables::begin(folder)?;
        tables.write_rows(Table::Sweep, &self.points)?;
        Ok(tables.finish(&Table::OF_SWEEPS)?)
    }
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

/// The evenly spaced values of `FROM..TO` or `FROM..TO:STEP`, as people would write them. The last is `TO` where the
/// steps lead there.
pub fn values(text: &str) -> Result<Vec<f64>, RangeError> {
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
    let values = (0..MOST).map(|at| rounded(from + at as f64 * step));
    Ok(values.take_while(|value| *value <= to + step / 1e6).collect())
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
        cases::check("tests/cases/ranges.txt", |case| match values(&case.text) {
            Ok(values) => values.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        });
    }
}
