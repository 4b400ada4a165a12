//! From a history to what there is to show.

use super::all_series::AllSeries;
use super::correction::{FEWEST_BEFORE, Looked, Tests};
use super::counts::{Counts, Sums};
use super::durations::Timed;
use super::evidence::Evidence;
use super::follow::{Course, Followed, Found, follow};
use super::gather::Gathered;
use super::marks::marks;
use super::model::{Change, Difference, Direction, Moved, Night, Point, Presence, Series, Trend};
use super::presence::{Occurrences, presences};
use super::settings::{By, LookFor, Settings};
use crate::count::Dimension;
use crate::count::tally::{Interval, wilson};
use crate::trend::history::{At, History, Nights};
use crate::verdict::{Classification, Outcome, counted, grouped};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
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
    gathered: Gathered,
}

impl<'a> NightlyCounts<'a> {
    /// Puts the exchanges of a history where they stand in time.
    pub fn of(history: &'a History, at: At) -> Self {
        let nights = history.nights(at);
        let gathered = Gathered::of(history, &nights);
        Self { history, nights, gathered }
    }

    /// What to show; the history holds the counts of classes and of what the series are by.
    pub fn trend(&self, settings: &Settings) -> Trend {
        let Self { history, nights, gathered } = self;
        let hits = gathered.counted(history, nights, settings.by.dimension());
        let series = AllSeries::of(history, settings.by, gathered, &hits);
        let since = settings.since;
        let since = since.map_or(0, |since| nights.days.partition_point(|day| *day < since));
        let lately = |windows: usize| match settings.look_for {
            LookFor::Everything => 0,
            LookFor::Lately => nights.days.len().saturating_sub(windows * settings.window.max(1)),
        };
        let (looked_at, earliest) = (lately(LATELY), lately(2 * LATELY + 1));
        let first = since.max(looked_at);
        let took = gathered.counted(history, nights, Dimension::Duration);
        let values = &history.cells(Dimension::Duration).values;
        let timed = Timed::of(gathered, &took, values, |_| 0);
        let of_strata = series.of_strata();
        let by_series =
            of_strata.map(|of| Timed::of(gathered, &took, values, |at| of[at as usize]));
        let building = Building { history, gathered, nights, settings, first, looked_at, earliest };
        building.build(&series, &timed, by_series.as_ref())
    }
}

struct Building<'a> {
    history: &'a History,
    gathered: &'a Gathered,
    nights: &'a Nights,
    settings: &'a Settings,
    /// The first night that is shown.
    first: usize,
    /// The first in which changes are looked for: what changed before those that are shown is no usual
    /// night either.
    looked_at: usize,
    /// The first that others are held against.
    earliest: usize,
}

/// A series with what it is sorted by.
struct Built {
    series: Series,
    presences: Vec<Presence>,
    tonight: [u64; 2],
    ever: u64,
}

impl Building<'_> {
    fn build(&self, all: &AllSeries<'_>, timed: &Timed, by_series: Option<&Timed>) -> Trend {
        let window = self.settings.window.max(1);
        let shown = self.first..self.nights.days.len();
        let durations = |timed: &Timed, series| timed.durations(series, shown.clone(), window);
        let exchanges = |night: usize| -> u64 {
            let of = &self.gathered.of[self.gathered.night(night)];
            of.iter().map(|count| u64::from(*count)).sum()
        };
        let exchanges: Vec<u64> = (0..self.nights.days.len()).map(exchanges).collect();
        let last = exchanges.iter().rposition(|count| *count > 0);
        let range = || (0..all.names.len()).into_par_iter();
        let count = |series| {
            let counts = all.counts(series).since(self.earliest);
            let mut tests = Tests::default();
            tests.count(&counts, self.looked(&counts, last));
            tests
        };
        let tests = range().map(count).reduce(Tests::default, Tests::plus);
        let tests = tests.times(self.settings.together);
        let epoch = self.epoch();
        let mut built: Vec<Built> = range()
            .map(|number| {
                let occurrences = all.held(number);
                let counts = all.counts(number).since(self.earliest);
                let course = Course {
                    counts: &counts,
                    tests: &tests,
                    looked: self.looked(&counts, last),
                    window: self.settings.window.max(1),
                };
                let named = &all.names[number];
                let mut series =
                    self.series(&counts, &follow(course), named.name.clone(), named.good);
                series.durations = by_series.map(|timed| durations(timed, number));
                self.built(series, &occurrences, (last, &exchanges, (epoch, all.names.len())))
            })
            .collect();
        self.sort(&mut built);
        let mut found: Vec<Presence> = Vec::new();
        for built in &mut built {
            found.append(&mut built.presences);
        }
        found.sort_by_key(|presence| std::cmp::Reverse(presence.night()));
        let mut notes = self.history.notes.clone();
        notes.extend(self.nights.notes.iter().cloned());
        notes.extend(gaps(&exchanges[self.first..]));
        notes.extend(self.nothing_since());
        let marks = marks(self.history, self.nights, self.gathered, &exchanges);
        let shown = self.nights.days.iter().zip(&exchanges).zip(marks).skip(self.first);
        Trend {
            by: self.settings.by.name().to_owned(),
            nights: shown
                .map(|((day, exchanges), marks)| Night { day: *day, exchanges: *exchanges, marks })
                .collect(),
            series: built.into_iter().map(|built| built.series).collect(),
            durations: durations(timed, 0),
            presences: found,
            notes,
            test: self.test(&tests),
            apart: last.map(|last| self.gathered.apart(last)).unwrap_or_default(),
            is_young: exchanges.iter().filter(|count| **count > 0).count() <= FEWEST_BEFORE,
        }
    }

    /// Where all nights are before the first that was asked for, that is said.
    fn nothing_since(&self) -> Option<String> {
        let last = self.nights.days.last().filter(|_| self.first >= self.nights.days.len())?;
        Some(format!("the last night is {last}: give that or an earlier one with --since"))
    }

    fn looked(&self, counts: &Counts, last: Option<usize>) -> Looked {
        let nights = &counts.nights;
        let is_last = nights.last().map(|night| *night as usize) == last;
        Looked {
            first: nights.partition_point(|night| (*night as usize) < self.looked_at),
            last: (is_last && !nights.is_empty()).then(|| nights.len() - 1),
        }
    }

    /// The first night from which on no night was judged wholly otherwise than the one before it.
    fn epoch(&self) -> usize {
        let of_night = |night: usize| -> Vec<u32> {
            let runs = self.nights.runs[night].iter();
            runs.filter_map(|run| self.gathered.regime_of_run.get(*run as usize).copied()).collect()
        };
        let judged =
            (0..self.nights.days.len()).filter(|night| !self.nights.runs[*night].is_empty());
        let mut epoch = 0;
        let mut before: Option<Vec<u32>> = None;
        for night in judged {
            let regimes = of_night(night);
            if before.is_some_and(|before| !before.iter().any(|it| regimes.contains(it))) {
                epoch = night;
            }
            before = Some(regimes);
        }
        epoch
    }

    fn series(
        &self,
        counts: &Counts,
        followed: &Followed,
        name: String,
        good: Direction,
    ) -> Series {
        let mut points = vec![None; self.nights.days.len() - self.first];
        for (place, night) in counts.nights.iter().enumerate() {
            let Some(shown) = (*night as usize).checked_sub(self.first) else { continue };
            let [out_of, count] = counts.total(place);
            let Interval { low, high } = wilson(count, out_of);
            let (adjusted, covered) = followed.adjusted[place];
            points[shown] = Some(Point { count, out_of, low, high, adjusted, covered });
        }
        let latest = followed.latest.map(|latest| Difference {
            nights: latest.nights,
            before: latest.before,
            after: latest.after,
            worse: worse(good, latest.after > latest.before),
            p_value: latest.p_value,
        });
        let night = |place: usize| counts.nights.get(place).map(|night| *night as usize);
        let is_shown = |found: &&Found| {
            found.until.and_then(night).is_none_or(|back| back > self.first)
                && !(found.settled && night(found.from).is_some_and(|from| from < self.first))
        };
        let changes = followed.changes.iter().filter(is_shown);
        Series {
            // What can be compared with nothing is no change.
            changes: changes
                .map(|found| self.change(counts, found, good))
                .filter(|change| change.covered > 0.0)
                .collect(),
            name,
            good,
            points,
            durations: None,
            expected: followed.expected,
            covered: followed.adjusted.last().map(|(_, covered)| *covered),
            latest,
        }
    }

    fn change(&self, counts: &Counts, found: &Found, good: Direction) -> Change {
        let end = found.until.unwrap_or(counts.nights.len());
        let mut sums = [0; 2].map(|_| Sums::new(counts.strata.len()));
        let of_change = (found.from..end).take(self.settings.window.max(1));
        of_change.for_each(|night| sums[0].add(counts, night));
        for night in &found.before {
            sums[1].add(counts, *night as usize);
        }
        let [during, before] = &sums;
        let evidence = Evidence::between(during, before);
        let all: f64 = during.0.iter().map(|[of, _]| of).sum();
        let usual = evidence.usual / evidence.of.max(1.0);
        let after = evidence.hits / evidence.of.max(1.0);
        let night = |place: usize| counts.nights.get(place).map(|night| *night as usize);
        let shown = |night: usize| night.saturating_sub(self.first);
        let from = night(found.from).unwrap_or_default();
        Change {
            began: self.nights.days[from],
            from: shown(from),
            until: found.until.and_then(night).map(shown),
            settled: found.settled,
            before: usual,
            after,
            worse: worse(good, after > usual),
            p_value: found.p_value,
            covered: if all > 0.0 { evidence.of / all } else { 0.0 },
            servers: self.moved(counts, during, before),
        }
    }

    /// The servers that made most of a change.
    fn moved(&self, counts: &Counts, during: &Sums, before: &Sums) -> Vec<Moved> {
        let mut servers = BTreeMap::<u32, Evidence>::new();
        for (stratum, (during, before)) in during.0.iter().zip(&before.0).enumerate() {
            if during[0] > 0.0 && before[0] > 0.0 {
                let stratum = counts.strata[stratum] as usize;
                let server = self.gathered.strata[stratum].server;
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
            name: self.history.names.get(server).to_owned(),
            before: evidence.usual / evidence.of,
            after: evidence.hits / evidence.of,
            exchanges: rounded(evidence.of),
        });
        moved.collect()
    }

    fn built(
        &self,
        series: Series,
        occurrences: &[(usize, u64)],
        (last, exchanges, (epoch, among)): (Option<usize>, &[u64], (usize, usize)),
    ) -> Built {
        let by = self.settings.by;
        let tonight = last.and_then(|last| series.points.get(last.checked_sub(self.first)?));
        let tonight = tonight.copied().flatten().map_or([0, 0], |it| [it.out_of, it.count]);
        let ever = occurrences.iter().map(|(_, count)| *count).sum();
        let mut found = Vec::new();
        if by.comes_and_goes() {
            let first = if by.is_of_strata() { 0 } else { epoch };
            let occurrences =
                Occurrences { name: &series.name, counts: occurrences, exchanges, first, among };
            found = presences(&occurrences, self.settings.window.max(1));
        }
        let shown = |presence: Presence| presence.since(self.first);
        let presences = found.into_iter().filter_map(shown).collect();
        Built { series, presences, tonight, ever }
    }

    /// Classes best first, others by what they hold tonight.
    fn sort(&self, built: &mut [Built]) {
        let class = |built: &Built| {
            Classification::ALL.iter().position(|class| class.name() == built.series.name)
        };
        let outcome = |built: &Built| {
            Outcome::ALL.iter().rposition(|outcome| outcome.name() == built.series.name)
        };
        built.sort_by(|one, other| {
            let by_class = match self.settings.by {
                By::Outcome => outcome(other).cmp(&outcome(one)),
                By::Class => class(one).cmp(&class(other)),
                By::Answer
                | By::IssueType
                | By::Server
                | By::Tool
                | By::ErrorKind
                | By::Scenario
                | By::Signal => std::cmp::Ordering::Equal,
            };
            let occurrences = |built: &Built| (built.tonight[1], built.tonight[0], built.ever);
            by_class
                .then_with(|| occurrences(other).cmp(&occurrences(one)))
                .then_with(|| one.series.name.cmp(&other.series.name))
        });
    }

    fn test(&self, tests: &Tests) -> String {
        format!(
            "the last 1, 2, 3, 5, 7 and 14 nights compared with up to {} earlier nights of the \
             same level; Mantel-Haenszel test within each server, tool, scenario and rulebook, \
             allowing for night-to-night variation; {} tests, Bonferroni-corrected: false-alarm \
             rate at most 1 %",
            self.settings.window.max(1),
            grouped(tests.all()),
        )
    }
}

fn worse(good: Direction, is_up: bool) -> Option<bool> {
    match good {
        Direction::Up => Some(!is_up),
        Direction::Down => Some(is_up),
        Direction::Neither => None,
    }
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
