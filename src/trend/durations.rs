//! How long calls took, night by night.

use super::gather::{Gathered, Hits};
use super::model::NightlyDurations;
use crate::count::{Durations, duration_bucket};
use std::collections::BTreeMap;

/// How many calls of each night took how long.
#[derive(Debug, Default)]
pub(super) struct Timed {
    /// By series and night.
    nights: BTreeMap<(usize, usize), Durations>,
}

impl Timed {
    /// `values` are the durations that `hits` are of; `series` says what a stratum belongs to.
    pub(super) fn of(
        gathered: &Gathered,
        hits: &Hits,
        values: &[String],
        series: impl Fn(u32) -> usize,
    ) -> Self {
        let mut timed = Self::default();
        for (value, text) in values.iter().enumerate() {
            let Some(step) = text.parse().ok().and_then(duration_bucket) else { continue };
            for (row, count) in hits.rows(value) {
                let night = gathered.starts.partition_point(|start| *start <= row) - 1;
                let series = series(gathered.stratum[row as usize]);
                let durations = timed.nights.entry((series, night)).or_default();
                durations.add(step, u64::from(count));
            }
        }
        timed
    }

    /// Those of a series from a night on, and of up to `window` nights before the last.
    pub(super) fn durations(
        &self,
        series: usize,
        shown: std::ops::Range<usize>,
        window: usize,
    ) -> NightlyDurations {
        let of_night = |night: usize| self.nights.get(&(series, night));
        let mut before = Durations::default();
        let last = shown.end.saturating_sub(1);
        for durations in (last.saturating_sub(window)..last).filter_map(of_night) {
            before.merge(durations);
        }
        NightlyDurations {
            nights: shown.map(|night| of_night(night)?.took()).collect(),
            before: before.took(),
        }
    }
}
