//! From a history to what there is to show.

use super::all_series::{AllSeries, Named};
use super::correction::{FEWEST_BEFORE, Looked, Tests};
use super::counts::{Counts, Sums};
use super::evidence::Evidence;
use super::follow::{Course, SeriesChange, follow};
use super::gather::{NightRows, Timed};
use super::marks::marks;
use super::model::{
    Change, Difference, Direction, Moved, NightRow, Point, Presence, Series, Trend,
};
use super::presence::{Occurrences, presences};
use super::settings::{By, Settings};
use crate::count::Dimension;
use crate::count::tally::{Interval, wilson};
use crate::trend::history::{At, History, Nights};
use crate::verdict::{Classification, Outcome, counted, grouped};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is of late is so many windows old at most.
const LATELY: usize = 4;
/// So many servers are named with a change.
const MOST_SERVERS: usize = 3;
/// A server that makes up less than this share of a change is not named.
const LEAST_PART: f64 = 0.1;

/// The nights of a history, from which trends by one thing or another are made.
#[derive(Debug)]
pub struct NightlyCounts<'a> {
    history: &'a History,
    nights: Nights,
    gathered: NightRows,
    /// All exchanges of each night, and the last night that has any.
    exchanges: Vec<u64>,
    last: Option<usize>,
}

impl<'a> NightlyCounts<'a> {
    /// Puts the exchanges of a history where they stand in time.
    pub fn of(history: &'a History, at: At) -> Self {
        let nights = history.nights(at);
        let gathered = NightRows::of(history, &nights);
        let exchanges = (0..nights.days.len()).map(|night| {
            let of = &gathered.of[gathered.night(night)];
            of.iter().map(|count| u64::from(*count)).sum()
        });
        let exchanges: Vec<u64> = exchanges.collect();
        let last = exchanges.iter().rposition(|count| *count > 0);
        Self { history, nights, gathered, exchanges, last }
    }

    /// What to show; the history holds the counts of classes and of what the series are by.
    pub fn trend(&self, settings: &Settings) -> Trend {
        let Self { history, nights, gathered, exchanges, .. } = self;
        let hits = gathered.counted(history, nights, settings.by.dimension());
        let all = AllSeries::of(history, settings.by, gathered, &hits);
        let (end, window) = (nights.days.len(), settings.window.max(1));
        let of_late =
            |windows: usize| if settings.lately { end.saturating_sub(windows * window) } else { 0 };
        let looked_at = of_late(LATELY);
        let since = settings.since;
        let since = since.map_or(0, |since| nights.days.partition_point(|day| *day < since));
        let first = since.max(looked_at);
        let building = Building {
            counts: self,
            settings: Settings { window, ..*settings },
            first,
            looked_at,
            earliest: of_late(2 * LATELY + 1),
            epoch: self.epoch(),
            among: all.names.len(),
        };
        let range = || (0..all.names.len()).into_par_iter();
        let tests = range().map(|number| {
            let counts = all.counts(number).since(building.earliest);
            let mut tests = Tests::default();
            tests.count(&counts, building.looked(&counts));
            tests
        });
        let tests = tests.reduce(Tests::default, Tests::plus).times(settings.together);
        let took = gathered.counted(history, nights, Dimension::Duration);
        let values = &history.cells(Dimension::Duration).values;
        let durations = |timed: &Timed, series| timed.durations(series, first..end, window);
        let by_series = all.of_strata();
        let by_series =
            by_series.map(|of| Timed::of(gathered, &took, values, |at| of[at as usize]));
        let mut built: Vec<(Series, Vec<Presence>, Rank)> = range()
            .map(|number| {
                let mut built = building.series(&all, number, &tests);
                built.0.durations = by_series.as_ref().map(|timed| durations(timed, number));
                built
            })
            .collect();
        built.sort_by(|(one, _, of_one), (other, _, of_other)| {
            of_one.cmp(of_other).then_with(|| one.name.cmp(&other.name))
        });
        let found = built.iter_mut().flat_map(|(_, presences, _)| std::mem::take(presences));
        let mut found: Vec<Presence> = found.collect();
        found.sort_by_key(|presence| Reverse(presence.kind.night()));
        let mut notes = history.notes.clone();
        notes.extend(nights.notes.iter().cloned());
        notes.extend(gaps(&exchanges[first..]));
        // Where all nights are before the first that was asked for, that is said.
        notes.extend(nights.days.last().filter(|_| first >= end).map(|last| {
            format!("the last night is {last}: give that or an earlier one with --since")
        }));
        let shown =
            nights.days.iter().zip(exchanges).zip(marks(history, gathered, end)).skip(first);
        Trend {
            by: settings.by,
            test: test(window, &tests),
            is_young: exchanges.iter().filter(|count| **count > 0).count() <= FEWEST_BEFORE,
            nights: shown
                .map(|((day, exchanges), marks)| NightRow {
                    day: *day,
                    exchanges: *exchanges,
                    marks,
                })
                .collect(),
            durations: durations(&Timed::of(gathered, &took, values, |_| 0), 0),
            series: built.into_iter().map(|(series, ..)| series).collect(),
            presences: found,
            notes,
        }
    }

    /// The first night from which on no night was judged wholly otherwise than the one before it.
    fn epoch(&self) -> usize {
        let (mut epoch, mut before) = (0, Vec::new());
        for (night, runs) in self.nights.runs.iter().enumerate().filter(|(_, it)| !it.is_empty()) {
            let regime = |run: &u32| self.gathered.regime_of_run.get(*run as usize).copied();
            let regimes: Vec<u32> = runs.iter().filter_map(regime).collect();
            if !before.iter().any(|it| regimes.contains(it)) {
                epoch = night;
            }
            before = regimes;
        }
        epoch
    }
}

/// How far in front a series stands: classes best first, others by what they hold in the last night, or ever.
type Rank = (usize, Reverse<(u64, u64, u64)>);

struct Building<'a> {
    counts: &'a NightlyCounts<'a>,
    settings: Settings,
    /// The first night that is shown.
    first: usize,
    /// The first in which changes are looked for: what changed before those that are shown is no usual
    /// night either.
    looked_at: usize,
    /// The first that others are held against.
    earliest: usize,
    /// The first from which on names of patterns and issues can be compared.
    epoch: usize,
    /// How many series there are.
    among: usize,
}

impl Building<'_> {
    fn looked(&self, counts: &Counts) -> Looked {
        let nights = &counts.nights;
        let last = nights.last().map(|night| *night as usize);
        Looked {
            first: nights.partition_point(|night| (*night as usize) < self.looked_at),
            last: last.filter(|_| last == self.counts.last).map(|_| nights.len() - 1),
        }
    }

    fn series(
        &self,
        all: &AllSeries<'_>,
        number: usize,
        tests: &Tests,
    ) -> (Series, Vec<Presence>, Rank) {
        let Named { name, good, .. } = &all.names[number];
        let counts = all.counts(number).since(self.earliest);
        let (looked, window) = (self.looked(&counts), self.settings.window);
        let followed = follow(Course { counts: &counts, tests, looked, window });
        let mut points = vec![None; self.counts.nights.days.len() - self.first];
        for (place, night) in counts.nights.iter().enumerate() {
            let Some(shown) = (*night as usize).checked_sub(self.first) else { continue };
            let [out_of, count] = counts.total(place);
            let Interval { low, high } = wilson(count, out_of);
            let (adjusted, covered) = followed.adjusted[place];
            let share = if out_of == 0 { 0.0 } else { count as f64 / out_of as f64 };
            points[shown] = Some(Point { count, out_of, low, high, adjusted, covered, share });
        }
        let tonight = self.counts.last.and_then(|last| points[last.checked_sub(self.first)?]);
        let held = all.held(number);
        let ever = held.iter().map(|(_, count)| *count).sum();
        let rank = match self.settings.by {
            By::Outcome => Outcome::ALL.iter().rev().position(|it| it.name() == name),
            By::Class => Classification::ALL.iter().position(|it| it.name() == name),
            _ => None,
        };
        let [out_of, count] = tonight.map_or([0, 0], |point| [point.out_of, point.count]);
        let rank = (rank.unwrap_or_default(), Reverse((count, out_of, ever)));
        // What can be compared with nothing is no change.
        let changes =
            followed.changes.iter().filter_map(|found| self.change(&counts, found, *good));
        let series = Series {
            name: name.clone(),
            good: *good,
            points,
            durations: None,
            expected: followed.expected,
            covered: followed.adjusted.last().map(|(_, covered)| *covered),
            latest: followed.latest.map(|latest| Difference {
                worse: worse(*good, latest.after > latest.before),
                ..latest
            }),
            changes: changes.filter(|change| change.covered > 0.0).collect(),
        };
        (series, self.presences(&held, name), rank)
    }

    fn presences(&self, held: &[(usize, u64)], name: &str) -> Vec<Presence> {
        let days = &self.counts.nights.days;
        let by = self.settings.by;
        let Some(shown) = days.get(self.first).filter(|_| by.comes_and_goes()) else {
            return Vec::new();
        };
        let occurrences = Occurrences {
            days,
            counts: held,
            exchanges: &self.counts.exchanges,
            first: if by.is_of_strata() { 0 } else { self.epoch },
            among: self.among,
        };
        let found = presences(&occurrences, self.settings.window).into_iter();
        let found = found.filter(|kind| kind.night() >= *shown);
        found.map(|kind| Presence { kind, name: name.to_owned() }).collect()
    }

    /// `None` where it was over before the first night that is shown.
    fn change(
        &self,
        counts: &Counts,
        found: &SeriesChange,
        good: Option<Direction>,
    ) -> Option<Change> {
        let days = &self.counts.nights.days;
        let night = |place: usize| counts.nights.get(place).map(|night| *night as usize);
        let (from, until) = (night(found.from)?, found.until.and_then(night));
        if until.is_some_and(|back| back <= self.first) || found.settled && from < self.first {
            return None;
        }
        let end = found.until.unwrap_or(counts.nights.len());
        let mut sums = [0; 2].map(|_| Sums::new(counts.strata.len()));
        let of_change = (found.from..end).take(self.settings.window);
        of_change.for_each(|night| sums[0].add(counts, night));
        found.before.iter().for_each(|night| sums[1].add(counts, *night as usize));
        let [during, before] = &sums;
        let evidence = Evidence::between(during, before);
        let all: f64 = during.0.iter().map(|[of, _]| of).sum();
        let [usual, after] = [evidence.usual, evidence.hits].map(|it| it / evidence.of.max(1.0));
        Some(Change {
            from: days[from],
            until: until.map(|until| days[until]),
            settled: found.settled,
            before: usual,
            after,
            worse: worse(good, after > usual),
            p_value: found.p_value,
            covered: if all > 0.0 { evidence.of / all } else { 0.0 },
            servers: self.moved(counts, during, before),
        })
    }

    /// The servers that made most of a change.
    fn moved(&self, counts: &Counts, during: &Sums, before: &Sums) -> Vec<Moved> {
        let NightlyCounts { history, gathered, .. } = self.counts;
        let mut servers = BTreeMap::<u32, Evidence>::new();
        for (stratum, (during, before)) in counts.strata.iter().zip(during.0.iter().zip(&before.0))
        {
            if during[0] > 0.0 && before[0] > 0.0 {
                let server = gathered.strata[*stratum as usize].server;
                servers.entry(server).or_default().add(*during, *before);
            }
        }
        let part = |evidence: &Evidence| evidence.hits - evidence.usual;
        let whole: f64 = servers.values().map(part).sum();
        let mut parts: Vec<(f64, u32, Evidence)> = servers
            .into_iter()
            .map(|(server, evidence)| (part(&evidence) * whole.signum(), server, evidence))
            .filter(|(part, _, _)| *part > LEAST_PART * whole.abs() && *part > 0.0)
            .collect();
        parts.sort_by(|one, other| other.0.total_cmp(&one.0));
        let moved = parts.into_iter().take(MOST_SERVERS).map(|(_, server, evidence)| Moved {
            name: history.names.get(server).to_owned(),
            before: evidence.usual / evidence.of,
            after: evidence.hits / evidence.of,
            exchanges: rounded(evidence.of),
        });
        moved.collect()
    }
}

fn test(window: usize, tests: &Tests) -> String {
    format!(
        "the last 1, 2, 3, 5, 7 and 14 nights compared with up to {window} earlier nights of the \
         same level; Mantel-Haenszel test within each server, tool, scenario and rulebook, \
         allowing for night-to-night variation; {} tests, Bonferroni-corrected: false-alarm \
         rate at most 1 %",
        grouped(tests.all()),
    )
}

fn worse(good: Option<Direction>, is_up: bool) -> Option<bool> {
    Some((good? == Direction::Down) == is_up)
}

/// Counts pass through floats far below where these cannot hold each whole number.
fn rounded(number: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let whole = number.round() as u64;
    whole
}

/// Nights without exchanges, said.
fn gaps(exchanges: &[u64]) -> Option<String> {
    let empty = exchanges.iter().filter(|count| **count == 0).count() as u64;
    (empty > 0).then(|| {
        let all = counted(exchanges.len() as u64, "night");
        format!(
            "{} of {all} have no calls: nothing was recorded, or it could not be read",
            grouped(empty)
        )
    })
}
