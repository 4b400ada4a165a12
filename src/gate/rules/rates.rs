//! How far a share moved, and whether chance would do the same.

use super::super::evidence::Evidence;
use super::super::policy::{Direction, RateLimit};
use super::super::report::Measure;
use super::points;
use crate::verdict::{counted, grouped};

/// A share moves no further than a tolerance.
///
/// It fails where the whole interval of the difference lies beyond the tolerance, on a side that counts:
/// only then is a move within the tolerance ruled out. A test against no move at all would not say so.
pub(in crate::gate) fn rate(evidence: &Evidence<'_>, limit: &RateLimit) -> Measure {
    let RateLimit { of, tolerance, direction } = limit;
    let counted_as = match direction {
        Direction::Rise => "a rise of",
        Direction::Fall => "a fall of",
        Direction::Either => "a change of",
    };
    let allowed = format!("{counted_as} at most {}", points(*tolerance));
    if evidence.comparison.overlap.both() == 0 {
        return Measure::skipped("the sides have no calls in common", allowed);
    }
    let Some(rate) = evidence.comparison.rates.iter().find(|rate| rate.name == *of) else {
        let measured = format!("{of}: none on either side");
        return Measure::new(true, measured, allowed).numbers(0.0, *tolerance);
    };
    let [before, after] = rate.shares().map(|share| share * 100.0);
    let moved = after - before;
    let beyond = |point: f64| match direction {
        Direction::Rise => point > *tolerance,
        Direction::Fall => -point > *tolerance,
        Direction::Either => point.abs() > *tolerance,
    };
    let [low, high] = rate.interval.map(|end| end * 100.0);
    // Both ends on one side of nothing, and both too far.
    let fails = beyond(low) && beyond(high) && low.signum() == high.signum();
    let exchanges = counted(rate.of, "call");
    let measured = if rate.is_moved() {
        format!(
            "{of}: {before:.2} % -> {after:.2} % of {exchanges} ({moved:+.4} points, 95 % interval \
             {low:+.4} to {high:+.4}, {} lost, {} gained, p {:.3})",
            grouped(rate.lost),
            grouped(rate.gained),
            rate.p,
        )
    } else {
        format!("{of}: {after:.2} % of {exchanges}, unchanged")
    };
    let mut measure = Measure::new(!fails, measured, allowed).numbers(moved, *tolerance);
    if beyond(moved) && !fails {
        measure.notes.push("exceeds the tolerance, but not significantly".to_owned());
    }
    measure
}
