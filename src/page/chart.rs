//! A series as a picture: its share, how sure that is, what changed, and what makes nights hard to
//! compare.

use crate::trend::{Mark, Point, Series, Trend};
use crate::view::picture::{Form, Place};
use crate::view::{Picture, percent};

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 132.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 10.0;
const FLOOR: f64 = 108.0;
/// A picture shows at least so wide a range of shares, so that noise looks like noise.
const LEAST_RANGE: f64 = 0.02;

/// Where nights and shares are.
struct Scale {
    nights: usize,
    low: f64,
    high: f64,
}

impl Scale {
    fn of(series: &Series) -> Self {
        let points = || series.points.iter().flatten();
        let low = points().map(|point| point.low.min(point.adjusted.unwrap_or(1.0)));
        let high = points().map(|point| point.high.max(point.adjusted.unwrap_or(0.0)));
        let (low, high) = (low.fold(1.0, f64::min), high.fold(0.0, f64::max));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let missing = (LEAST_RANGE - (high - low)).max(0.0) / 2.0;
        let step = step_for((high - low).max(LEAST_RANGE));
        let low = ((low - missing) / step).floor() * step;
        let high = ((high + missing) / step).ceil() * step;
        Self { nights: series.points.len(), low: low.max(0.0), high: high.min(1.0) }
    }

    fn x(&self, night: usize) -> f64 {
        let last = self.nights.saturating_sub(1).max(1) as f64;
        LEFT + night as f64 / last * (RIGHT - LEFT)
    }

    fn y(&self, share: f64) -> f64 {
        let range = (self.high - self.low).max(f64::MIN_POSITIVE);
        FLOOR - (share - self.low) / range * (FLOOR - TOP)
    }

    fn places(&self, from: usize, shares: impl Iterator<Item = f64>) -> Vec<Place> {
        shares.enumerate().map(|(at, share)| [self.x(from + at), self.y(share)]).collect()
    }
}

/// A step of which a few make a range.
fn step_for(range: f64) -> f64 {
    let steps = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    steps.into_iter().find(|step| range / step <= 5.0).unwrap_or(0.5)
}

pub(super) fn chart(trend: &Trend, series: &Series, label: String) -> Picture {
    let scale = Scale::of(series);
    let mut picture = Picture { size: [WIDTH, HEIGHT], label, shapes: Vec::new() };
    axes(&mut picture, trend, &scale);
    changes(&mut picture, series, &scale);
    marks(&mut picture, trend, &scale);
    for (from, points) in gathered(series.points.iter().copied()) {
        let mut band = scale.places(from, points.iter().map(|point| point.high));
        let lower = scale.places(from, points.iter().map(|point| point.low));
        band.extend(lower.into_iter().rev());
        picture.draw("band", Form::Area(band));
        let shares = scale.places(from, points.iter().map(Point::share));
        match shares.as_slice() {
            [alone] => picture.draw("dot", Form::Dot(*alone)),
            _ => picture.draw("line", Form::Line(shares)),
        }
    }
    for (from, adjusted) in adjusted_stretches(series) {
        picture.draw("adjusted", Form::Line(scale.places(from, adjusted.into_iter())));
    }
    let last = series.points.iter().enumerate().rev().find_map(|(at, point)| Some((at, (*point)?)));
    if let Some((at, point)) = last {
        picture.draw("dot", Form::Dot([scale.x(at), scale.y(point.share())]));
    }
    picture
}

fn axes(picture: &mut Picture, trend: &Trend, scale: &Scale) {
    for share in [scale.low, f64::midpoint(scale.low, scale.high), scale.high] {
        let y = scale.y(share);
        picture.draw("grid", Form::Line(vec![[LEFT, y], [RIGHT, y]]));
        picture.words([LEFT - 5.0, y + 3.5], "end", percent(share).replace(".0 ", " "));
    }
    for (at, anchor) in [(0, "start"), (trend.nights.len().saturating_sub(1), "end")] {
        if let Some(night) = trend.nights.get(at) {
            picture.words([scale.x(at), HEIGHT - 6.0], anchor, night.day.to_string());
        }
    }
}

/// Nights whose level differs.
fn changes(picture: &mut Picture, series: &Series, scale: &Scale) {
    let half = (scale.x(1) - scale.x(0)) / 2.0;
    for change in &series.changes {
        let style = match change.worse {
            Some(true) => "span worse",
            Some(false) => "span better",
            None => "span other",
        };
        // What is the level now is no longer shaded, but for where it began.
        let end = if change.settled { change.from + 1 } else { scale.nights };
        let until = change.until.unwrap_or(end).max(change.from + 1);
        let from = (scale.x(change.from) - half).max(LEFT);
        let to = (scale.x(until - 1) + half).min(RIGHT).max(from + 2.0);
        picture.draw(style, Form::Box { from: [from, TOP], to: [to, FLOOR] });
    }
}

/// Nights that are hard to compare with the one before.
fn marks(picture: &mut Picture, trend: &Trend, scale: &Scale) {
    for (at, night) in trend.nights.iter().enumerate() {
        let Some(mark) = night.marks.first() else { continue };
        let word = match mark {
            Mark::Rulebook { .. } => "R",
            Mark::Checks => "C",
            Mark::Version { .. } => "V",
            Mark::Mix { .. } => "M",
        };
        let x = scale.x(at);
        picture.draw("mark", Form::Line(vec![[x, TOP], [x, FLOOR]]));
        picture.styled_words("mark", [x, TOP - 2.0], "middle", word);
    }
}

fn adjusted_stretches(series: &Series) -> Vec<(usize, Vec<f64>)> {
    let differs = |point: &Point| {
        point.adjusted.is_some_and(|adjusted| (adjusted - point.share()).abs() > 0.002)
    };
    if !series.points.iter().flatten().any(differs) {
        return Vec::new();
    }
    gathered(series.points.iter().map(|point| point.and_then(|point| point.adjusted)))
}

/// What follows each other without a gap, each stretch with its first night.
fn gathered<T>(points: impl Iterator<Item = Option<T>>) -> Vec<(usize, Vec<T>)> {
    let mut found: Vec<(usize, Vec<T>)> = Vec::new();
    let mut is_open = false;
    for (at, point) in points.enumerate() {
        match point {
            None => is_open = false,
            Some(point) => {
                match found.last_mut() {
                    Some((_, stretch)) if is_open => stretch.push(point),
                    Some(_) | None => found.push((at, vec![point])),
                }
                is_open = true;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nights_without_exchanges_are_gaps() {
        let found = gathered([Some(1), Some(2), None, None, Some(3)].into_iter());
        assert_eq!(found, [(0, vec![1, 2]), (4, vec![3])]);
    }
}
