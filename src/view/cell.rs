//! A value in a table; how shares, intervals and bars are written, wherever they are shown.

use super::{Line, Tone};
use crate::count::tally::{Interval, Share};
use crate::verdict::grouped;

/// What is shown for a measure of nothing.
const UNKNOWN: &str = "–";
/// What is shown for none, where most cells are none.
const NONE: &str = "·";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    /// Where a share or a number may lie, with 95 %.
    pub(crate) interval: Option<Interval>,
    /// A sign that a note below the table explains.
    pub(crate) sign: &'static str,
    pub(crate) is_strong: bool,
    pub(crate) tone: Option<Tone>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Empty,
    Unknown,
    Text(Line),
    Count(u64),
    /// A count in a table in which most are 0.
    Sparse(u64),
    Number {
        value: f64,
        decimals: usize,
        is_signed: bool,
    },
    /// A share in percent.
    Share {
        share: f64,
        decimals: usize,
    },
    /// A share as a bar; with an interval as a point on a line.
    Bar(f64),
}

impl Cell {
    fn of(value: Value) -> Self {
        Self { value, interval: None, sign: "", is_strong: false, tone: None }
    }

    pub(crate) fn empty() -> Self {
        Self::of(Value::Empty)
    }

    pub(crate) fn unknown() -> Self {
        Self::of(Value::Unknown)
    }

    pub(crate) fn text(line: impl Into<Line>) -> Self {
        Self::of(Value::Text(line.into()))
    }

    /// A name from a recording or a rulebook.
    pub(crate) fn name(text: &str) -> Self {
        Self::text(if text.is_empty() { "(none)".into() } else { Line::recorded(text) })
    }

    pub(crate) fn count(count: u64) -> Self {
        Self::of(Value::Count(count))
    }

    pub(crate) fn sparse(count: u64) -> Self {
        Self::of(Value::Sparse(count))
    }

    pub(crate) fn number(value: impl Into<Option<f64>>, decimals: usize) -> Self {
        let number = |value| Value::Number { value, decimals, is_signed: false };
        Self::of(value.into().map_or(Value::Unknown, number))
    }

    pub(crate) fn difference(value: impl Into<Option<f64>>, decimals: usize) -> Self {
        let number = |value| Value::Number { value, decimals, is_signed: true };
        Self::of(value.into().map_or(Value::Unknown, number))
    }

    /// A share in percent; unknown of nothing.
    pub(crate) fn percent(share: impl Into<Option<f64>>, decimals: usize) -> Self {
        let share = share.into().map(|share| Value::Share { share, decimals });
        Self::of(share.unwrap_or(Value::Unknown))
    }

    pub(crate) fn share(share: Share) -> Self {
        Self::percent(share.value(), 1)
    }

    /// A share with its interval.
    pub(crate) fn share_within(share: Share) -> Self {
        Self::share(share).within((share.of > 0).then(|| share.interval()))
    }

    /// A share as the counts it is made of.
    pub(crate) fn ratio(Share { hits, of }: Share) -> Self {
        if of == 0 {
            return Self::sparse(0);
        }
        Self::text(format!("{}/{}", grouped(hits), grouped(of)))
    }

    pub(crate) fn p(p: f64) -> Self {
        Self::text(if p < 0.000_1 { "< 0.0001".to_owned() } else { format!("{p:.4}") })
    }

    pub(crate) fn bar(share: f64) -> Self {
        Self::of(Value::Bar(share))
    }

    pub(crate) fn within(self, interval: impl Into<Option<Interval>>) -> Self {
        Self { interval: interval.into(), ..self }
    }

    pub(crate) fn signed(self, sign: &'static str) -> Self {
        Self { sign, ..self }
    }

    pub(crate) fn strong(self, is_strong: bool) -> Self {
        Self { is_strong, ..self }
    }

    pub(crate) fn toned(self, tone: impl Into<Option<Tone>>) -> Self {
        Self { tone: tone.into(), ..self }
    }

    /// The value as words, which are the same for all targets. A bar is for writers to draw.
    pub(crate) fn line(&self) -> Line {
        let mut shown = match &self.value {
            Value::Empty | Value::Bar(_) => return Line::default(),
            Value::Text(line) => return line.clone().then(self.sign),
            Value::Unknown => UNKNOWN.to_owned(),
            Value::Sparse(0) => NONE.to_owned(),
            Value::Count(count) | Value::Sparse(count) => grouped(*count),
            Value::Number { value, decimals, is_signed: false } => format!("{value:.decimals$}"),
            Value::Number { value, decimals, is_signed: true } => format!("{value:+.decimals$}"),
            Value::Share { share, decimals } => percent_to(*share, *decimals),
        };
        if let Some(interval) = self.interval {
            let ends = match &self.value {
                Value::Number { decimals, is_signed, .. } => ends(interval, *decimals, *is_signed),
                _ => ends_in_percent(interval),
            };
            shown = format!("{shown} {ends}");
        }
        Line::from(shown + self.sign)
    }
}

/// A share in percent. What is not all never reads as all, and what is not none never as none.
pub(crate) fn percent(share: f64) -> String {
    percent_to(share, 1)
}

fn percent_to(share: f64, decimals: usize) -> String {
    // A small share needs another digit to be told from smaller ones.
    let decimals = if share > 0.0 && share < 0.000_95 { decimals.max(2) } else { decimals };
    let step = 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
    let rounded = (share * 100.0 / step).round() * step;
    if rounded <= 0.0 && share > 0.0 {
        format!("< {step:.decimals$} %")
    } else if rounded >= 100.0 && share < 1.0 {
        format!("> {:.decimals$} %", 100.0 - step)
    } else {
        format!("{:.decimals$} %", share * 100.0)
    }
}

/// By how many points a share moved.
pub(crate) fn points(before: f64, after: f64) -> String {
    format!("{:+.1}", (after - before) * 100.0)
}

fn ends(interval: Interval, decimals: usize, is_signed: bool) -> String {
    let Interval { low, high } = interval;
    if is_signed {
        format!("({low:+.decimals$} to {high:+.decimals$})")
    } else {
        format!("({low:.decimals$}–{high:.decimals$})")
    }
}

/// Ends in percent, as short as they can be without seeming to leave the share out.
fn ends_in_percent(interval: Interval) -> String {
    let end = |share: f64| {
        let text = format!("{:.1}", share * 100.0);
        text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
    };
    format!("({}–{})", end(interval.low), end(interval.high))
}

/// A bar that fills a share of its width. What is there can be seen, however small its share is.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let least = if share > 0.0 { 1.0 } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small width"
    )]
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round().max(least) as usize;
    let mut bar: String = std::iter::repeat_n('█', eighths / 8).collect();
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}
