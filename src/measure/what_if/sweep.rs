//! One value of a rulebook gone through, and what comes of each.

use crate::compare::{Rescorer, Side, Standing};
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item};
use crate::rulebook::edit::{Edits, Reach};
use crate::rulebook::{Setting, SettingError};
use crate::store::{Cell, ReportError, ResultTables, Table};
use crate::verdict::Answer;
use serde::{Serialize, Serializer};
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
    /// The values around the present one that change no class and no answer.
    pub still: Option<Plateau>,
    /// What comes of each value, the least first; the present one is among them.
    pub points: Vec<Point>,
    /// Whether labels say how right the answers are.
    #[serde(skip)]
    pub is_labelled: bool,
}

/// What comes of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    pub value: f64,
    pub is_now: bool,
    /// Exchanges by their answer, in the order of [`Answer::LISTED`].
    #[serde(serialize_with = "write_answers")]
    pub answers: [u64; Answer::LISTED.len()],
    /// The exchanges whose class or answer is another one than now.
    pub flips: u64,
    /// Answers by truth, of labelled exchanges.
    #[serde(flatten, serialize_with = "write_measures")]
    pub confusion: Confusion,
}

fn write_answers<S: Serializer>(
    answers: &[u64; Answer::LISTED.len()],
    to: S,
) -> Result<S::Ok, S::Error> {
    let of = |answer: Answer| (answer.name(), answers[answer as usize]);
    BTreeMap::from(Answer::LISTED.map(of)).serialize(to)
}

fn write_measures<S: Serializer>(confusion: &Confusion, to: S) -> Result<S::Ok, S::Error> {
    (confusion.items() > 0).then(|| confusion.measures()).serialize(to)
}

/// Values beside each other that come to the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Plateau {
    /// The least of them that was tried.
    pub from: f64,
    /// The greatest of them that was tried.
    pub to: f64,
    pub balanced_accuracy: Option<f64>,
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

impl Sweep {
    /// The best values, where some are better than others.
    pub fn better(&self) -> Option<Plateau> {
        let (first, last) = (self.points.first()?.value, self.points.last()?.value);
        let is_less = |best: &Plateau| {
            best.from.total_cmp(&first).is_gt() || best.to.total_cmp(&last).is_lt()
        };
        self.best.filter(is_less)
    }
}

impl Point {
    pub fn share_of_errors(&self, answer: Answer) -> Option<f64> {
        let of = |answer: Answer| self.answers[answer as usize];
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
    let standings = |value: f64| -> Result<Vec<Option<Standing>>, SweepError> {
        let rules = rulebook.deciding_with(&[setting.with_number(value)])?;
        Ok((0..)
            .zip(&side.verdicts)
            .map(|(verdict, _)| rescorer.standing(verdict, &rules))
            .collect())
    };
    check_reach(rescorer, &setting, &values)?;
    let by_value = values.iter().map(|value| standings(*value));
    let by_value = by_value.collect::<Result<Vec<_>, SweepError>>()?;
    let at_now = values.iter().position(|value| value.total_cmp(&now).is_eq());
    let present = at_now.map_or(&[][..], |at| &by_value[at]);
    // What is not told for one value is counted for none, so that all are about the same calls.
    let is_told = |verdict: u32| by_value.iter().all(|it| it[verdict as usize].is_some());
    let mut points = Vec::with_capacity(values.len());
    for (value, standings) in values.into_iter().zip(&by_value) {
        let is_now = value.total_cmp(&now).is_eq();
        let mut point = Point {
            value,
            is_now,
            confusion: Confusion::default(),
            answers: [0; Answer::LISTED.len()],
            flips: 0,
        };
        let told = (0..).zip(standings).zip(present).zip(&weights);
        for (((_, standing), present), weight) in told.filter(|(((at, _), _), _)| is_told(*at)) {
            let Some(standing) = standing else { continue };
            point.answers[standing.answer as usize] += weight;
            if present.as_ref().is_some_and(|present| present != standing) {
                point.flips += weight;
            }
        }
        for item in items.iter().filter(|item| is_told(item.verdict)) {
            let Some(standing) = standings[item.verdict as usize] else { continue };
            let is_error = side.verdict(item.verdict).is_error == Some(true);
            point.confusion.add(item.label, Label::answered(standing.answer, is_error));
        }
        points.push(point);
    }
    let excluded = (0..).zip(&weights).filter(|(verdict, _)| !is_told(*verdict));
    let excluded = excluded.map(|(_, count)| count).sum();
    let best = best(&points);
    let still = still(&points);
    let path = setting.path();
    Ok(Sweep { path, now, points, excluded, is_labelled: !items.is_empty(), best, still })
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
    let of = |point: &Point| point.confusion.balanced_accuracy();
    let best = points.iter().filter_map(of).max_by(f64::total_cmp)?;
    let is_best = |point: &Point| of(point).is_some_and(|it| (it - best).abs() < 1e-12);
    let stretches = points.chunk_by(|one, other| is_best(one) == is_best(other));
    let stretches = stretches.filter(|stretch| is_best(&stretch[0]));
    let width = |stretch: &&[Point]| stretch[stretch.len() - 1].value - stretch[0].value;
    let longest = stretches.max_by(|one, other| width(one).total_cmp(&width(other)))?;
    plateau(longest, Some(best))
}

/// The stretch around the present value that flips nothing.
fn still(points: &[Point]) -> Option<Plateau> {
    let stretches = points.chunk_by(|one, other| (one.flips == 0) == (other.flips == 0));
    let mut stretches = stretches.filter(|stretch| stretch.iter().any(|point| point.is_now));
    plateau(stretches.next()?, None)
}

fn plateau(points: &[Point], balanced_accuracy: Option<f64>) -> Option<Plateau> {
    let (first, last) = (points.first()?, points.last()?);
    Some(Plateau { from: first.value, to: last.value, balanced_accuracy })
}

/// Writes the table `sweep` into a folder.
pub fn write_sweep(folder: &Path, sweep: &Sweep) -> Result<(), ReportError> {
    let mut tables = ResultTables::begin(folder)?;
    tables.write(Table::Sweep, sweep.points.iter().map(|point| row(sweep, point)))?;
    Ok(tables.finish(&[Table::Sweep])?)
}

fn row<'s>(sweep: &'s Sweep, point: &Point) -> Vec<Cell<'s>> {
    let share = |share: Option<f64>| share.map_or(Cell::Empty, Cell::from);
    let recall = |label| share(point.confusion.recall(label).value());
    let mut row = vec![
        sweep.path.as_str().into(),
        point.value.into(),
        Cell::Bool(point.is_now),
        share(point.confusion.balanced_accuracy()),
        recall(Label::BusinessLogic),
        recall(Label::ToolFailure),
        share(point.confusion.precision(Label::HiddenFailure).value()),
        recall(Label::HiddenFailure),
        point.confusion.items().into(),
    ];
    row.extend(Answer::LISTED.map(|answer| Cell::from(point.answers[answer as usize])));
    row.push(point.flips.into());
    row
}
