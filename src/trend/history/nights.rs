//! Which cells count, and in which night.

use super::{History, PastRun};
use crate::count::Dimension;
use crate::recording::{Day, Moment};
use crate::verdict::{counted, harmless};
use std::collections::{BTreeSet, HashMap};

/// Where exchanges stand in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum At {
    /// At the day they were recorded; those without one at the night of their run.
    #[default]
    Recorded,
    /// At the night of their run.
    Run,
}

/// The nights of a history, and what counts in them.
///
/// A day of a collection counts from one run: the one with the most exchanges, the latest of equals.
/// Collections add up, unless they are the same corpus.
#[derive(Clone, Debug, Default)]
pub struct Nights {
    /// Every day from the first to the last, those without exchanges too.
    pub days: Vec<Day>,
    /// The runs that count in each, as numbers into [`History::runs`].
    pub runs: Vec<Vec<u32>>,
    /// What looks odd: sentences for people.
    pub notes: Vec<String>,
    placed: Vec<Placed>,
}

/// Exchanges of a run by the day they count for, and whether that is the day of their recording.
type Claims = Vec<((Day, At), u64)>;

/// Days further back than this from a run are those of clocks that were never set.
const MOST_DAYS: i32 = 36_525;

/// Where the exchanges of a run stand.
#[derive(Clone, Debug, Default)]
struct Placed {
    /// The night of those that stand at the night of the run, where they count.
    at_run: Option<u32>,
    /// Days of recording that are not believed are outside of these two.
    believed: Option<(Day, Day)>,
    /// The days that count, with their nights.
    recorded: Vec<(Day, u32)>,
}

impl Placed {
    fn believes(&self, day: Day) -> bool {
        self.believed.is_some_and(|(first, last)| first <= day && day <= last)
    }
}

impl Nights {
    /// The number of the night in which a cell counts; `None` where it does not.
    pub fn place(&self, run: u32, day: Option<Day>) -> Option<u32> {
        let placed = self.placed.get(run as usize)?;
        match day.filter(|day| placed.believes(*day)) {
            None => placed.at_run,
            Some(day) => {
                let found = placed.recorded.binary_search_by_key(&day, |(day, _)| *day).ok()?;
                Some(placed.recorded[found].1)
            }
        }
    }
}

impl History {
    pub fn nights(&self, at: At) -> Nights {
        let mut nights = Nights { placed: self.believed_days(at), ..Nights::default() };
        let claims = self.claims(&mut nights);
        let counting = self.counting(&claims, &mut nights.notes);
        let days = || counting.iter().flatten().map(|(day, _)| *day);
        let (Some(first), Some(last)) = (days().min(), days().max()) else { return nights };
        nights.days = (first.0..=last.0).map(Day).collect();
        nights.runs = vec![Vec::new(); nights.days.len()];
        for (run, (placed, counting)) in nights.placed.iter_mut().zip(counting).enumerate() {
            for (day, at) in counting {
                let night = u32::try_from(day.0 - first.0).unwrap_or_default();
                match at {
                    At::Run => placed.at_run = Some(night),
                    At::Recorded => placed.recorded.push((day, night)),
                }
                let runs = &mut nights.runs[night as usize];
                let run = u32::try_from(run).unwrap_or(u32::MAX);
                if runs.last() != Some(&run) {
                    runs.push(run);
                }
            }
            placed.recorded.sort_unstable();
        }
        nights
    }

    fn believed_days(&self, at: At) -> Vec<Placed> {
        // By the run alone: a night that was mistyped must not move the days of other runs.
        let believed = |run: &PastRun| {
            let started = Moment::parse(&run.started_at).map(Moment::day);
            let known = run.night.max(started.unwrap_or(run.night));
            let first = started.unwrap_or(run.night).min(run.night).0.saturating_sub(MOST_DAYS);
            // The night may be named by a calendar that is behind that of UTC.
            (Day(first), Day(known.0.saturating_add(1)))
        };
        let placed = |run| Placed {
            believed: match at {
                At::Recorded => Some(believed(run)),
                At::Run => None,
            },
            ..Placed::default()
        };
        self.runs.iter().map(placed).collect()
    }

    /// Where the exchanges of each run would stand, were there no other.
    fn claims(&self, nights: &mut Nights) -> Vec<Claims> {
        let classes = self.cells(Dimension::Class);
        let mut by_day: Vec<Vec<(Option<Day>, u64)>> = vec![Vec::new(); self.runs.len()];
        for ((run, day), count) in classes.run.iter().zip(&classes.day).zip(&classes.count) {
            let Some(days) = by_day.get_mut(*run as usize) else { continue };
            match days.last_mut() {
                Some((last, counted)) if last == day => *counted += u64::from(*count),
                _ => days.push((*day, u64::from(*count))),
            }
        }
        let (mut unbelieved, mut first) = (0, None);
        let mut all = Vec::with_capacity(by_day.len());
        for ((run, placed), days) in self.runs.iter().zip(&nights.placed).zip(by_day) {
            let mut claims = HashMap::new();
            for (day, count) in days {
                let place = match day {
                    Some(day) if placed.believes(day) => (day, At::Recorded),
                    day => {
                        if let Some(day) = day.filter(|_| placed.believed.is_some()) {
                            unbelieved += count;
                            first.get_or_insert_with(|| format!("{day} in the run {}", run.id));
                        }
                        (run.night, At::Run)
                    }
                };
                *claims.entry(place).or_default() += count;
            }
            let mut claims: Claims = claims.into_iter().collect();
            claims.sort_unstable_by_key(|((day, at), _)| (*day, *at as u8));
            all.push(claims);
        }
        nights.notes.extend(first.map(|first| {
            format!(
                "{} recorded after their run or a hundred years before (first: {first}): a clock was \
                 wrong; they count for the night of their run",
                counted(unbelieved, "call")
            )
        }));
        all
    }

    /// Of what runs claim, what counts: each day of a collection once, and each corpus once.
    fn counting(&self, claims: &[Claims], notes: &mut Vec<String>) -> Vec<Vec<(Day, At)>> {
        let mut fullest = HashMap::<(&str, Day, At), (u64, usize)>::new();
        for (number, (run, claims)) in self.runs.iter().zip(claims).enumerate() {
            for ((day, at), count) in claims {
                let best = fullest.entry((&run.collection, *day, *at)).or_insert((*count, number));
                if *count >= best.0 {
                    *best = (*count, number);
                }
            }
        }
        let counts = |run: &PastRun, (day, at): (Day, At), number: usize| {
            fullest.get(&(run.collection.as_str(), day, at)).is_some_and(|best| best.1 == number)
        };
        notes.extend(self.passed_over(claims, &fullest));
        let mut of_corpus = HashMap::<(&str, Day, At), usize>::new();
        let mut counting = vec![Vec::new(); self.runs.len()];
        for (number, (run, claims)) in self.runs.iter().zip(claims).enumerate() {
            for ((day, at), _) in claims {
                if counts(run, (*day, *at), number) {
                    of_corpus.insert((&run.corpus_digest, *day, *at), number);
                }
            }
        }
        let mut twice = Vec::<(usize, usize)>::new();
        for (number, (run, claims)) in self.runs.iter().zip(claims).enumerate() {
            for ((day, at), _) in claims {
                if !counts(run, (*day, *at), number) {
                    continue;
                }
                match of_corpus.get(&(run.corpus_digest.as_str(), *day, *at)) {
                    Some(other) if *other != number => {
                        if !twice.contains(&(number, *other)) && twice.len() < MOST_TWICE {
                            twice.push((number, *other));
                        }
                    }
                    _ => counting[number].push((*day, *at)),
                }
            }
        }
        notes.extend(twice.into_iter().map(|(one, other)| self.same_corpus(one, other)));
        counting
    }

    /// Says what does not count, since another run has as many exchanges of a day or more. Of the same
    /// corpus they are the same exchanges.
    fn passed_over(
        &self,
        claims: &[Claims],
        fullest: &HashMap<(&str, Day, At), (u64, usize)>,
    ) -> Option<String> {
        let (mut exchanges, mut runs) = (0, BTreeSet::new());
        for (number, (run, claims)) in self.runs.iter().zip(claims).enumerate() {
            for ((day, at), count) in claims {
                let best = fullest.get(&(run.collection.as_str(), *day, *at));
                if best.is_some_and(|(_, it)| self.runs[*it].corpus_digest != run.corpus_digest) {
                    exchanges += count;
                    runs.insert(number);
                }
            }
        }
        (exchanges > 0).then(|| {
            format!(
                "{} of {} are not counted: of the runs of a collection one counts for each day, the one with \
                 the most calls, or the latest of equals; to add up several runs of one day, give them \
                 different collection names",
                counted(exchanges, "call"),
                counted(runs.len() as u64, "run"),
            )
        })
    }

    fn same_corpus(&self, one: usize, other: usize) -> String {
        let (one, other) = (&self.runs[one], &self.runs[other]);
        format!(
            "the collections {} and {} have the same recordings in the runs {} and {}: they are \
             counted once, as {}",
            harmless(&one.collection),
            harmless(&other.collection),
            one.id,
            other.id,
            harmless(&other.collection),
        )
    }
}

/// So many pairs of runs of the same corpus are named.
const MOST_TWICE: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RulebookName;
    use crate::trend::history::{Cells, Stratum};

    fn day(text: &str) -> Day {
        text.parse().expect("a day")
    }

    /// A run of a collection and a corpus, made in a night of November.
    fn run(night: u32, collection: &str, corpus: &str) -> PastRun {
        PastRun {
            id: format!("{collection}-{night}"),
            night: day(&format!("2026-11-{night:02}")),
            started_at: format!("2026-11-{night:02}T03:00:00Z"),
            seconds: 1.0,
            collection: collection.to_owned(),
            corpus_digest: corpus.to_owned(),
            rulebook: RulebookName { name: "guide".to_owned(), digest: String::new() },
            checks: None,
            version: String::new(),
            exchanges: 1,
            unreadable: 0,
        }
    }

    /// The runs, each with ten exchanges of each of its days.
    fn history(runs: &[(PastRun, &[Option<&str>])]) -> History {
        let mut cells = Cells { values: vec!["broken".to_owned()], ..Cells::default() };
        for (number, (_, days)) in runs.iter().enumerate() {
            for of_day in *days {
                cells.run.push(u32::try_from(number).expect("few runs"));
                cells.day.push(of_day.map(day));
                cells.stratum.push(0);
                cells.value.push(0);
                cells.count.push(10);
            }
        }
        let mut history = History {
            runs: runs.iter().map(|(run, _)| run.clone()).collect(),
            strata: vec![Stratum { server: 0, tool: 0, scenario: None }],
            ..History::default()
        };
        history.cells[Dimension::Class as usize] = cells;
        history
    }

    /// As `history`, with the number of exchanges of each day.
    fn counted_history(runs: &[(PastRun, &[(&str, u32)])]) -> History {
        let days: Vec<Vec<Option<&str>>> =
            runs.iter().map(|(_, days)| days.iter().map(|(day, _)| Some(*day)).collect()).collect();
        let line: Vec<(PastRun, &[Option<&str>])> =
            runs.iter().zip(&days).map(|((run, _), days)| (run.clone(), days.as_slice())).collect();
        let mut history = history(&line);
        history.cells[Dimension::Class as usize].count =
            runs.iter().flat_map(|(_, days)| days.iter().map(|(_, count)| *count)).collect();
        history
    }

    #[test]
    fn of_recordings_rotated_at_another_midnight_the_fuller_part_of_a_day_counts_and_it_is_said() {
        let history = counted_history(&[
            (run(1, "recordings", "a"), &[("2026-11-01", 20), ("2026-11-02", 220)]),
            (run(2, "recordings", "b"), &[("2026-11-02", 20), ("2026-11-03", 220)]),
            (run(3, "recordings", "c"), &[("2026-11-03", 20), ("2026-11-04", 220)]),
        ]);
        let nights = history.nights(At::Recorded);
        assert_eq!(nights.runs, [[0], [0], [1], [2]]);
        insta::assert_snapshot!(nights.notes.join("\n"), @"40 calls of 2 runs are not counted: of the runs of a collection one counts for each day, the one with the most calls, or the latest of equals; to add up several runs of one day, give them different collection names");
        let apart = counted_history(&[
            (run(1, "a", "a"), &[("2026-11-01", 20), ("2026-11-02", 220)]),
            (run(2, "b", "b"), &[("2026-11-02", 20), ("2026-11-03", 220)]),
        ]);
        let nights = apart.nights(At::Recorded);
        assert_eq!(nights.runs, [vec![0], vec![0, 1], vec![1]], "collections add up");
        assert!(nights.notes.is_empty());
    }

    #[test]
    fn all_recordings_judged_together_take_the_place_of_those_judged_alone() {
        let history = counted_history(&[
            (run(1, "recordings", "a"), &[("2026-11-01", 20), ("2026-11-02", 220)]),
            (run(2, "recordings", "b"), &[("2026-11-02", 20), ("2026-11-03", 220)]),
            (
                run(3, "recordings", "c"),
                &[("2026-11-01", 20), ("2026-11-02", 240), ("2026-11-03", 220)],
            ),
        ]);
        assert_eq!(history.nights(At::Recorded).runs, [[2], [2], [2]]);
    }

    #[test]
    fn of_recordings_that_are_kept_for_some_days_the_fuller_judgement_counts() {
        let history = counted_history(&[
            (
                run(5, "recordings", "a"),
                &[("2026-11-01", 9), ("2026-11-02", 10), ("2026-11-03", 11)],
            ),
            (
                run(6, "recordings", "b"),
                &[("2026-11-02", 4), ("2026-11-03", 11), ("2026-11-04", 12)],
            ),
        ]);
        assert_eq!(history.nights(At::Recorded).runs, [[0], [0], [1], [1]]);
    }

    #[test]
    fn of_one_day_the_run_with_the_most_exchanges_counts_the_latest_of_equals() {
        let of_day = |corpora: [(&str, u32); 2]| {
            let [(one, first), (other, second)] = corpora;
            let history = counted_history(&[
                (run(1, "recordings", one), &[("2026-11-01", first)]),
                (run(1, "recordings", other), &[("2026-11-01", second)]),
            ]);
            let nights = history.nights(At::Recorded);
            (nights.runs[0].clone(), nights.notes.len())
        };
        assert_eq!(of_day([("a", 30), ("b", 20)]), (vec![0], 1));
        assert_eq!(of_day([("a", 20), ("b", 30)]), (vec![1], 1));
        assert_eq!(of_day([("a", 20), ("b", 20)]), (vec![1], 1));
        assert_eq!(of_day([("a", 20), ("a", 20)]), (vec![1], 0), "the same calls again");
    }

    #[test]
    fn of_one_corpus_under_two_rulebooks_the_later_run_counts() {
        let under = |night, name: &str| PastRun {
            id: name.to_owned(),
            rulebook: RulebookName { name: name.to_owned(), digest: name.to_owned() },
            ..run(night, "recordings", "a")
        };
        let days: &[Option<&str>] = &[Some("2026-11-01"), Some("2026-11-02")];
        let nights =
            history(&[(under(3, "guide"), days), (under(4, "strict"), days)]).nights(At::Recorded);
        assert_eq!(nights.runs, [[1], [1]]);
        assert_eq!(nights.notes, Vec::<String>::new());
    }

    #[test]
    fn a_night_that_was_mistyped_changes_no_other_run() {
        let history = history(&[
            (run(9, "recordings", "a"), &[Some("2026-11-08")]),
            (PastRun { night: day("2127-01-01"), ..run(9, "other", "b") }, &[Some("2026-11-07")]),
        ]);
        let nights = history.nights(At::Recorded);
        assert_eq!(nights.runs, [[1], [0]]);
    }

    /// The nights that have runs, with these.
    fn shown(nights: &Nights) -> Vec<(String, Vec<u32>)> {
        let nights = nights.days.iter().zip(&nights.runs);
        let filled = nights.filter(|(_, runs)| !runs.is_empty());
        filled.map(|(day, runs)| (day.to_string(), runs.clone())).collect()
    }

    #[test]
    fn a_run_over_old_recordings_gives_a_night_for_each_day_of_recording() {
        let days = [Some("2026-11-01"), Some("2026-11-03"), None];
        let history = history(&[(run(9, "recordings", "a"), &days)]);
        let nights = history.nights(At::Recorded);
        assert_eq!(nights.days.len(), 9, "days between stand there too");
        assert_eq!(nights.place(0, Some(day("2026-11-01"))), Some(0));
        assert_eq!(nights.place(0, Some(day("2026-11-02"))), None);
        assert_eq!(nights.place(0, Some(day("2026-11-03"))), Some(2));
        assert_eq!(nights.place(0, None), Some(8), "the night of the run");
        assert_eq!(nights.place(7, None), None, "no such run");
        let nights = history.nights(At::Run);
        assert_eq!(shown(&nights), [("2026-11-09".to_owned(), vec![0])]);
        assert_eq!(nights.place(0, Some(day("2026-11-01"))), Some(0));
    }

    #[test]
    fn of_a_growing_corpus_the_newest_run_counts_for_each_day() {
        let history = history(&[
            (run(2, "recordings", "a"), &[Some("2026-11-01"), Some("2026-11-02")]),
            (run(3, "recordings", "b"), &[Some("2026-11-02"), Some("2026-11-03")]),
        ]);
        let by_day = history.nights(At::Recorded);
        let wanted = [("2026-11-01", 0), ("2026-11-02", 1), ("2026-11-03", 1)];
        assert_eq!(shown(&by_day), wanted.map(|(day, run)| (day.to_owned(), vec![run])));
        let by_run = history.nights(At::Run);
        let wanted = [("2026-11-02", 0), ("2026-11-03", 1)];
        assert_eq!(shown(&by_run), wanted.map(|(day, run)| (day.to_owned(), vec![run])));
    }

    #[test]
    fn collections_add_up_unless_they_are_the_same_corpus() {
        let history = history(&[
            (run(2, "mail", "a"), &[Some("2026-11-01")]),
            (run(2, "maps", "b"), &[Some("2026-11-01"), None]),
            (run(3, "other/mail", "a"), &[Some("2026-11-01"), None]),
        ]);
        let nights = history.nights(At::Recorded);
        let wanted = [("2026-11-01", vec![1, 2]), ("2026-11-02", vec![1]), ("2026-11-03", vec![2])];
        assert_eq!(shown(&nights), wanted.map(|(day, runs)| (day.to_owned(), runs)));
        assert_eq!(nights.notes.len(), 1, "{:?}", nights.notes);
        assert!(nights.notes[0].contains("mail and other/mail have the same recordings"));
        let nights = history.nights(At::Run);
        assert_eq!(shown(&nights).len(), 2, "in different nights they are runs of their own");
        assert!(nights.notes.is_empty());
    }

    #[test]
    fn what_clocks_cannot_have_meant_stands_at_the_night_of_the_run() {
        let days = [Some("1601-01-01"), Some("2026-11-10"), Some("2063-04-05"), None];
        let history = history(&[(run(9, "recordings", "a"), &days)]);
        let nights = history.nights(At::Recorded);
        let wanted = [("2026-11-09", vec![0]), ("2026-11-10", vec![0])];
        assert_eq!(shown(&nights), wanted.map(|(day, runs)| (day.to_owned(), runs)));
        assert_eq!(nights.place(0, Some(day("2063-04-05"))), Some(0));
        insta::assert_snapshot!(nights.notes.join("\n"), @"20 calls recorded after their run or a hundred years before (first: 1601-01-01 in the run recordings-9): a clock was wrong; they count for the night of their run");
    }

    #[test]
    fn without_runs_there_are_no_nights() {
        let nights = History::default().nights(At::Recorded);
        assert!(nights.days.is_empty() && nights.notes.is_empty());
    }
}
