//! Sums over the latest nights and over those before them, kept up night by night.

use super::counts::{Counts, Sums, WINDOWS};
use super::evidence::Evidence;

const LONGEST: usize = WINDOWS[WINDOWS.len() - 1];

/// The latest nights of a series, for each window.
pub(super) struct Recent {
    sums: [Sums; WINDOWS.len()],
    /// The strata with exchanges in the longest window, and in how many of its nights.
    active: Vec<usize>,
    nights_of: Vec<u8>,
}

impl Recent {
    pub(super) fn new(strata: usize) -> Self {
        Self {
            sums: std::array::from_fn(|_| Sums::new(strata)),
            active: Vec::new(),
            nights_of: vec![0; strata],
        }
    }

    pub(super) fn advance(&mut self, counts: &Counts, night: usize) {
        for (window, sums) in WINDOWS.iter().zip(&mut self.sums) {
            sums.add(counts, night);
            if let Some(leaving) = night.checked_sub(*window) {
                sums.take(counts, leaving);
            }
        }
        for row in counts.night(night) {
            if self.nights_of[row.stratum()] == 0 {
                self.active.push(row.stratum());
            }
            self.nights_of[row.stratum()] += 1;
        }
        if let Some(leaving) = night.checked_sub(LONGEST) {
            for row in counts.night(leaving) {
                self.nights_of[row.stratum()] -= 1;
            }
            let nights_of = &self.nights_of;
            self.active.retain(|stratum| nights_of[*stratum] > 0);
        }
    }

    pub(super) fn exchanges(&self, window: usize) -> f64 {
        self.sums[window].1[0]
    }

    pub(super) fn against(&self, window: usize, before: &Sums) -> Evidence {
        let recent = &self.sums[window];
        let mut evidence = Evidence::default();
        for stratum in &self.active {
            evidence.add(recent.0[*stratum], before.0[*stratum]);
        }
        evidence
    }
}

/// A level of a series: its nights so far, and their sums up to each window.
pub(super) struct Level {
    /// Windows must not begin before this night.
    pub start: usize,
    /// The nights of the level, in order.
    pub nights: Vec<u32>,
    before: [Before; WINDOWS.len()],
}

/// The nights before a window: those of the level from one to another, as places in its list.
struct Before {
    sums: Sums,
    from: usize,
    to: usize,
}

impl Level {
    /// A level of these nights, of which windows begin with `start`.
    pub(super) fn new(start: usize, nights: Vec<u32>, strata: usize) -> Self {
        let before = std::array::from_fn(|_| Before { sums: Sums::new(strata), from: 0, to: 0 });
        Self { start, nights, before }
    }

    /// Lets the nights before each window that ends at `night` be up to `most` of the level's.
    pub(super) fn slide_to(&mut self, counts: &Counts, night: usize, most: usize) {
        for (window, before) in WINDOWS.iter().zip(&mut self.before) {
            let is_before = |other: &u32| *other as usize + window <= night;
            // Far ahead after a change, so that what would be added and taken away again is not.
            let end = if before.to == 0 {
                self.nights.partition_point(is_before)
            } else {
                before.to + self.nights[before.to..].iter().take_while(|it| is_before(it)).count()
            };
            let begin = end.saturating_sub(most);
            if begin >= before.to {
                before.sums.clear();
                (before.from, before.to) = (begin, begin);
            }
            while before.to < end {
                before.sums.add(counts, self.nights[before.to] as usize);
                before.to += 1;
            }
            while before.from < begin {
                before.sums.take(counts, self.nights[before.from] as usize);
                before.from += 1;
            }
        }
    }

    /// The sums before a window, and of how many nights they are.
    pub(super) fn before(&self, window: usize) -> (&Sums, usize) {
        let before = &self.before[window];
        (&before.sums, before.to - before.from)
    }
}
