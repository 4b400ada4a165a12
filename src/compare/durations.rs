//! How long calls took before and after, and which servers and tools became slower.

use super::chance::{Share, holm, rises};
use super::{Entry, Side};
use crate::count::{Durations, Took, bucket_milliseconds};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};
use std::collections::BTreeMap;

/// What takes no time that is counted takes this long, in milliseconds.
const SHORTEST: f64 = 0.0625;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowerLimit {
    /// What the p-value must be below, after Holm's correction over everything that is tested.
    pub significance: f64,
    /// It takes at least this many times as long,
    pub factor: f64,
    /// and at least this many milliseconds more.
    pub least_ms: f64,
    /// With fewer calls on either side nothing is tested.
    pub least_calls: u64,
}

impl Default for SlowerLimit {
    fn default() -> Self {
        Self { significance: 0.003, factor: 1.5, least_ms: 5.0, least_calls: 10 }
    }
}

/// A server, or one of its tools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Timed {
    pub server: String,
    /// `None` for all tools of the server together.
    pub tool: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DurationChange {
    #[serde(flatten)]
    pub of: Timed,
    #[serde(serialize_with = "super::comparison::before_after")]
    pub took: [Took; 2],
    /// The p-value where it became slower or faster by more than chance explains.
    pub slower: Option<f64>,
    pub faster: Option<f64>,
}

/// What is known of a tool, or of a server: the sum over its tools.
#[derive(Clone, Debug, Default)]
struct Times {
    all: [Durations; 2],
    /// Without calls that are invalid or failed: those end early, or when nobody waits any longer.
    good: [Durations; 2],
    ranks: Ranks,
    tools: usize,
}

/// The durations of two sides, by server and tool. Calls that did not come to an end have none.
#[derive(Clone, Debug, Default)]
pub struct TimedSides(BTreeMap<Timed, Times>);

/// In the order in which calls are compared: by tool and fate, and where possible by request.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    part: u32,
    is_bad: bool,
    /// The first half of its key.
    request: u64,
    is_after: bool,
    took: u16,
}

impl TimedSides {
    pub fn of(sides: [&Side; 2]) -> Self {
        let mut found = Self::default();
        let timed = |side: &Side| side.entries.iter().any(|entry| entry.took.is_some());
        if !sides.into_iter().all(timed) {
            return found;
        }
        let mut numbers: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        let mut calls = Vec::new();
        for (is_after, side) in [false, true].into_iter().zip(sides) {
            for entry in &side.entries {
                let Some(took) = counted(side, entry) else { continue };
                let name = (side.names.get(entry.server), side.names.get(entry.tool));
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let part = *numbers.entry(name).or_insert(next);
                let is_bad = side.verdict(entry.verdict).outcome.is_bad();
                let request = entry.request.half().cast_unsigned();
                calls.push(Call { part, is_bad, request, is_after, took });
            }
        }
        calls.sort_unstable();
        let mut names: Vec<(&str, &str)> = vec![("", ""); numbers.len()];
        for (name, number) in numbers {
            names[number as usize] = name;
        }
        for calls in calls.chunk_by(|one, other| one.part == other.part) {
            let (server, tool) = names[calls[0].part as usize];
            let timed = Timed { server: server.to_owned(), tool: Some(tool.to_owned()) };
            found.0.insert(timed, Times::of(calls));
        }
        found
    }

    /// Leaves out some tools; `keep` is given how many calls there are of it on the later side.
    pub fn retain(&mut self, mut keep: impl FnMut(&Timed, u64) -> bool) {
        self.0.retain(|timed, times| keep(timed, times.calls()[1]));
    }

    /// Each server, followed by its tools where it has several: what has durations on both sides, and
    /// whether it became slower or faster.
    pub fn changes(&self, limit: SlowerLimit) -> Vec<DurationChange> {
        let mut units: BTreeMap<Timed, Times> = BTreeMap::new();
        for (timed, times) in &self.0 {
            units.entry(Timed { tool: None, ..timed.clone() }).or_default().add(times);
        }
        let servers = units.clone();
        for (timed, times) in &self.0 {
            if servers[&Timed { tool: None, ..timed.clone() }].tools > 1 {
                units.insert(timed.clone(), times.clone());
            }
        }
        units.retain(|_, times| times.took().is_some());
        let all: Vec<&Times> = units.values().collect();
        let slower = limit.found(&all, [0, 1]);
        let faster = limit.found(&all, [1, 0]);
        let changes = units.iter().zip(slower.into_iter().zip(faster));
        let change = |((of, times), (slower, faster)): ((&Timed, &Times), _)| {
            let took = times.took()?;
            Some(DurationChange { of: of.clone(), took, slower, faster })
        };
        changes.filter_map(change).collect()
    }
}

/// How long a call took, if it came to an end.
fn counted(side: &Side, entry: &Entry) -> Option<u16> {
    entry.took.filter(|_| side.verdict(entry.verdict).outcome.tells())
}

impl Times {
    /// Those of one tool, in order.
    fn of(calls: &[Call]) -> Self {
        let mut times = Self { tools: 1, ..Self::default() };
        for call in calls {
            let side = usize::from(call.is_after);
            times.all[side].add(call.took, 1);
            if !call.is_bad {
                times.good[side].add(call.took, 1);
            }
        }
        for calls in calls.chunk_by(|one, other| one.is_bad == other.is_bad) {
            let mut rest = [Vec::new(), Vec::new()];
            for calls in calls.chunk_by(|one, other| one.request == other.request) {
                let after = calls.partition_point(|call| !call.is_after);
                let (before, after) = calls.split_at(after);
                if before.is_empty() || after.is_empty() {
                    rest[usize::from(before.is_empty())].extend(calls.iter().map(|call| call.took));
                } else {
                    let took = |calls: &[Call]| calls.iter().map(|call| call.took).collect();
                    times.ranks.add(&[took(before), took(after)]);
                }
            }
            for rest in &mut rest {
                rest.sort_unstable();
            }
            times.ranks.add(&rest);
        }
        times
    }

    fn add(&mut self, other: &Self) {
        let mine = self.all.iter_mut().chain(&mut self.good);
        for (histogram, other) in mine.zip(other.all.iter().chain(&other.good)) {
            histogram.merge(other);
        }
        self.ranks.sum(other.ranks);
        self.tools += other.tools;
    }

    fn calls(&self) -> [u64; 2] {
        self.all.each_ref().map(Durations::calls)
    }

    fn took(&self) -> Option<[Took; 2]> {
        let [before, after] = &self.all;
        Some([before.took()?, after.took()?])
    }

    /// How many calls of each side are among the slowest twentieth of both.
    fn slowest(&self, order: [usize; 2]) -> [Share; 2] {
        let mut both = self.good[0].clone();
        both.merge(&self.good[1]);
        let most = both.percentile(95).unwrap_or(0);
        order.map(|side| {
            let own = &self.good[side];
            Share { hits: own.above(most), of: own.calls() }
        })
    }
}

impl SlowerLimit {
    /// P-values where the typical or the slowest calls take longer on the second side of `order`.
    fn found(self, all: &[&Times], order: [usize; 2]) -> Vec<Option<f64>> {
        let enough = |times: &&Times| times.calls().into_iter().all(|of| of >= self.least_calls);
        let tested: Vec<usize> = (0..all.len()).filter(|at| enough(&all[*at])).collect();
        let values: Vec<f64> = tested.iter().map(|at| all[*at].ranks.p(order)).collect();
        let mut typical = vec![None; all.len()];
        for (at, p) in tested.iter().zip(holm(&values)) {
            typical[*at] = (p < self.significance).then_some(p);
        }
        // Whatever the tools of a server are called how often: only what is one tool has slowest calls.
        let shares = |times: &&Times| match times.tools {
            1 => times.slowest(order),
            _ => [Share::default(); 2],
        };
        let shares: Vec<[Share; 2]> = all.iter().map(shares).collect();
        let slowest = rises(&shares, self.significance);
        let both = all.iter().zip(typical.into_iter().zip(slowest));
        both.map(|(times, (typical, slowest))| {
            let typical = typical.filter(|_| self.is_large(times.ranks.longer(order)));
            let slowest = slowest.filter(|_| {
                let p95 = |side: usize| times.took().map_or(0.0, |took| took[side].p95_ms);
                let [before, after] = order.map(|side| p95(side).max(SHORTEST));
                self.is_large([after / before, after - before])
            });
            typical.into_iter().chain(slowest).min_by(f64::total_cmp)
        })
        .collect()
    }

    /// Whether it counts to take so many times as long, and so many milliseconds longer.
    fn is_large(self, [times, ms]: [f64; 2]) -> bool {
        times >= self.factor && ms >= self.least_ms
    }
}

/// Sums over strata of like calls (van Elteren, 1960).
#[derive(Clone, Copy, Debug, Default)]
struct Ranks {
    /// How much oftener than by chance a call after is slower than one before.
    excess: f64,
    variance: f64,
    /// How many times as long, as a logarithm, and how many milliseconds longer the median takes after: the
    /// mean over the strata by their weight.
    ratio: f64,
    longer_ms: f64,
    weight: f64,
}

impl Ranks {
    /// Adds calls of one kind, both sides in order.
    fn add(&mut self, [before, after]: &[Vec<u16>; 2]) {
        let [of_before, of_after] = [before.len() as f64, after.len() as f64];
        if before.is_empty() || after.is_empty() {
            return;
        }
        let all = of_before + of_after;
        let (mut slower, mut ties) = (0.0, 0.0);
        let (mut at_before, mut at_after) = (0, 0);
        while let Some(took) = after.get(at_after..).and_then(<[u16]>::first) {
            at_before += before[at_before..].partition_point(|earlier| earlier < took);
            let equal = before[at_before..].partition_point(|earlier| earlier == took);
            let run = after[at_after..].partition_point(|later| later == took);
            slower += run as f64 * (at_before as f64 + equal as f64 / 2.0);
            at_after += run;
        }
        let mut merged: Vec<u16> = before.iter().chain(after).copied().collect();
        merged.sort_unstable();
        for run in merged.chunk_by(|one, other| one == other) {
            let run = run.len() as f64;
            ties += run * run * run - run;
        }
        let weight = 1.0 / (all + 1.0);
        let pairs = of_before * of_after;
        self.excess += weight * (slower - pairs / 2.0);
        self.variance += weight * weight * pairs / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
        let weight = pairs / all;
        let [earlier, later] =
            [before, after].map(|side| bucket_milliseconds(side[(side.len() - 1) / 2]));
        self.ratio += weight * (later.max(SHORTEST) / earlier.max(SHORTEST)).ln();
        self.longer_ms += weight * (later - earlier);
        self.weight += weight;
    }

    fn sum(&mut self, other: Self) {
        self.excess += other.excess;
        self.variance += other.variance;
        self.ratio += other.ratio;
        self.longer_ms += other.longer_ms;
        self.weight += other.weight;
    }

    /// One-sided: how likely chance makes the second side of the two so slow.
    fn p(self, order: [usize; 2]) -> f64 {
        let excess = if order == [0, 1] { self.excess } else { -self.excess };
        if self.variance > 0.0 { Normal::standard().sf(excess / self.variance.sqrt()) } else { 1.0 }
    }

    /// How many times as long like calls take on the second side of the two, and how much longer.
    fn longer(self, order: [usize; 2]) -> [f64; 2] {
        let sign = if order == [0, 1] { 1.0 } else { -1.0 } / self.weight.max(f64::MIN_POSITIVE);
        [(sign * self.ratio).exp(), sign * self.longer_ms]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_rank_test_holds() {
        // Lehmann (1975), chapter 1: with ranks 1, 2, 4 against 3, 5 the sum of the later is 8 of 3 to 9.
        let mut ranks = Ranks::default();
        ranks.add(&[vec![1, 2, 4], vec![3, 5]]);
        let z: f64 = (5.0 - 3.0) / 3.0_f64.sqrt();
        assert!((ranks.p([0, 1]) - Normal::standard().sf(z)).abs() < 1e-12);
        assert!((ranks.p([0, 1]) + ranks.p([1, 0]) - 1.0).abs() < 1e-12);
        let mut ties = Ranks::default();
        ties.add(&[vec![4; 9], vec![4; 5]]);
        assert!((ties.p([0, 1]) - 1.0).abs() < f64::EPSILON);
    }
}
