//! A series as a picture: its share, how sure that is, what changed, and what makes nights hard to
//! compare.

use super::markup::{Tag, tag};
use super::words::percent;
use crate::trend::{Mark, Point, Series, Trend};
use std::fmt::Write as _;

const HEIGHT: f64 = 132.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const FLOOR: f64 = 108.0;
/// A picture shows at least so wide a range of shares, so that noise looks like noise.
const LEAST_RANGE: f64 = 0.02;

/// How wide a picture is: one of three in a row, or of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Third,
    Half,
}

impl Room {
    fn width(self) -> f64 {
        match self {
            Self::Third => 360.0,
            Self::Half => 480.0,
        }
    }
}

/// Where nights and shares are.
struct Scale {
    width: f64,
    nights: usize,
    low: f64,
    high: f64,
}

impl Scale {
    fn of(series: &Series, room: Room) -> Self {
        let points = || series.points.iter().flatten();
        let low = points().map(|point| point.low.min(point.adjusted.unwrap_or(1.0)));
        let high = points().map(|point| point.high.max(point.adjusted.unwrap_or(0.0)));
        let (low, high) = (low.fold(1.0, f64::min), high.fold(0.0, f64::max));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let missing = (LEAST_RANGE - (high - low)).max(0.0) / 2.0;
        let step = step_for((high - low).max(LEAST_RANGE));
        let low = ((low - missing) / step).floor() * step;
        let high = ((high + missing) / step).ceil() * step;
        let (low, high) = (low.max(0.0), high.min(1.0));
        Self { width: room.width(), nights: series.points.len(), low, high }
    }

    fn x(&self, night: usize) -> f64 {
        let last = self.nights.saturating_sub(1).max(1) as f64;
        LEFT + night as f64 / last * (self.width - LEFT - RIGHT)
    }

    fn y(&self, share: f64) -> f64 {
        let range = (self.high - self.low).max(f64::MIN_POSITIVE);
        FLOOR - (share - self.low) / range * (FLOOR - TOP)
    }
}

/// A step of which a few make a range.
fn step_for(range: f64) -> f64 {
    let steps = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    steps.into_iter().find(|step| range / step <= 5.0).unwrap_or(0.5)
}

/// The picture of a series.
pub(super) fn chart((trend, series): (&Trend, &Series), room: Room, label: &str) -> Tag {
    let scale = Scale::of(series, room);
    let mut picture = tag("svg")
        .class("chart")
        .set("viewBox", format!("0 0 {} {HEIGHT}", scale.width))
        .set("role", "img")
        .set("aria-label", label);
    picture = picture.all(axes(trend, &scale));
    picture = picture.all(spans(series, &scale)).all(marks(trend, &scale));
    for (from, points) in stretches(series) {
        picture = picture.put(band(&scale, from, &points));
        if points.len() == 1 {
            picture = picture.put(dot(&scale, from, points[0].share()));
        } else {
            let shares = points.iter().map(Point::share);
            picture = picture.put(line(&scale, from, shares, "line"));
        }
    }
    for (from, adjusted) in adjusted_stretches(series) {
        picture = picture.put(line(&scale, from, adjusted.into_iter(), "adjusted"));
    }
    let last = series.points.iter().enumerate().rev().find_map(|(at, point)| Some((at, (*point)?)));
    picture.maybe(last.map(|(at, point)| dot(&scale, at, point.share())))
}

fn axes(trend: &Trend, scale: &Scale) -> Vec<Tag> {
    let shares = [scale.low, f64::midpoint(scale.low, scale.high), scale.high];
    let mut parts = Vec::new();
    for share in shares {
        let y = format!("{:.1}", scale.y(share));
        parts.push(
            tag("line")
                .class("grid")
                .set("x1", format!("{LEFT}"))
                .set("x2", format!("{}", scale.width - RIGHT))
                .set("y1", &y)
                .set("y2", &y),
        );
        parts.push(
            tag("text")
                .set("x", format!("{}", LEFT - 5.0))
                .set("y", format!("{:.1}", scale.y(share) + 3.5))
                .set("text-anchor", "end")
                .text(percent(share).replace(".0 ", " ")),
        );
    }
    let ends = [(0, "start"), (trend.nights.len().saturating_sub(1), "end")];
    for (at, anchor) in ends {
        let Some(night) = trend.nights.get(at) else { continue };
        parts.push(
            tag("text")
                .set("x", format!("{:.1}", scale.x(at)))
                .set("y", format!("{}", HEIGHT - 6.0))
                .set("text-anchor", anchor)
                .text(night.day.to_string()),
        );
    }
    parts
}

/// Nights whose level differs.
fn spans(series: &Series, scale: &Scale) -> Vec<Tag> {
    let half = (scale.x(1) - scale.x(0)) / 2.0;
    let of_change = |change: &crate::trend::Change| {
        let style = match change.worse {
            Some(true) => "span worse",
            Some(false) => "span better",
            None => "span other",
        };
        // What is the level now is no longer shaded, but for where it began.
        let end = if change.settled { change.from + 1 } else { scale.nights };
        let until = change.until.unwrap_or(end).max(change.from + 1);
        let from = (scale.x(change.from) - half).max(LEFT);
        let to = (scale.x(until - 1) + half).min(scale.width - RIGHT);
        tag("rect")
            .class(style)
            .set("x", format!("{from:.1}"))
            .set("y", format!("{TOP}"))
            .set("width", format!("{:.1}", (to - from).max(2.0)))
            .set("height", format!("{}", FLOOR - TOP))
    };
    series.changes.iter().map(of_change).collect()
}

/// Nights that are hard to compare with the one before.
fn marks(trend: &Trend, scale: &Scale) -> Vec<Tag> {
    let mut parts = Vec::new();
    for (at, night) in trend.nights.iter().enumerate() {
        let Some(mark) = night.marks.first() else { continue };
        let word = match mark {
            Mark::Rulebook { .. } => "R",
            Mark::Checks => "C",
            Mark::Version { .. } => "V",
            Mark::Mix { .. } => "M",
        };
        let x = format!("{:.1}", scale.x(at));
        parts.push(
            tag("line")
                .class("mark")
                .set("x1", &x)
                .set("x2", &x)
                .set("y1", format!("{TOP}"))
                .set("y2", format!("{FLOOR}")),
        );
        parts.push(
            tag("text")
                .class("mark")
                .set("x", &x)
                .set("y", format!("{}", TOP - 2.0))
                .set("text-anchor", "middle")
                .text(word),
        );
    }
    parts
}

/// Nights with exchanges, one after the other, each stretch with its first night.
fn stretches(series: &Series) -> Vec<(usize, Vec<Point>)> {
    gathered(series.points.iter().copied())
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

fn band(scale: &Scale, from: usize, points: &[Point]) -> Tag {
    let mut path = String::new();
    let ends = points.iter().enumerate();
    let upper = ends.clone().map(|(at, point)| (scale.x(from + at), scale.y(point.high)));
    let lower = ends.rev().map(|(at, point)| (scale.x(from + at), scale.y(point.low)));
    for (number, (x, y)) in upper.chain(lower).enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if number == 0 { "M" } else { "L" });
    }
    path.push('Z');
    tag("path").class("band").set("d", path)
}

fn line(scale: &Scale, from: usize, shares: impl Iterator<Item = f64>, style: &'static str) -> Tag {
    let mut path = String::new();
    for (at, share) in shares.enumerate() {
        let letter = if at == 0 { "M" } else { "L" };
        let _ = write!(path, "{letter}{:.1} {:.1}", scale.x(from + at), scale.y(share));
    }
    tag("path").class(style).set("d", path)
}

fn dot(scale: &Scale, at: usize, share: f64) -> Tag {
    tag("circle")
        .class("dot")
        .set("cx", format!("{:.1}", scale.x(at)))
        .set("cy", format!("{:.1}", scale.y(share)))
        .set("r", "2.5")
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
