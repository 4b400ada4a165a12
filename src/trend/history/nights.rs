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
    use crate::cases;
    use crate::trend::history::Stratum;
    use crate::trend::tests::past_run;

    /// Reads lines of runs, with what was recorded at which day.
    fn history(text: &str) -> History {
        let mut history = History::default();
        history.strata.push(Stratum { server: 0, tool: 0, scenario: None });
        for line in text.lines() {
            let (run, days) = line.split_once(": ").expect("a run and its days");
            let words: Vec<&str> = run.split(' ').collect();
            let [id, collection, corpus_digest, night] =
                [0, 1, 2, 3].map(|at| words[at].to_owned());
            let option = |name| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1]);
            let started = option("started").unwrap_or(&night);
            let cells = &mut history.cells[Dimension::Class as usize];
            for (day, count) in days.split(", ").map(|day| day.split_once(' ').expect("a count")) {
                cells.run.push(u32::try_from(history.runs.len()).expect("few runs"));
                cells.day.push(day.parse().ok());
                cells.stratum.push(0);
                cells.value.push(0);
                cells.count.push(count.parse().expect("a count"));
            }
            history.runs.push(PastRun {
                id,
                collection,
                corpus_digest,
                started_at: format!("{started}T03:00:00Z"),
                ..past_run(night.parse().expect("a day"), option("under").unwrap_or("guide"))
            });
        }
        history
    }

    fn answer(history: &History, question: &str) -> String {
        let words: Vec<&str> = question.split(' ').collect();
        let nights = history.nights(if words[1] == "run" { At::Run } else { At::Recorded });
        if let ["place", _, run, day] = words[..] {
            let run = history.runs.iter().position(|it| it.id == run).unwrap_or(7);
            let place = nights.place(u32::try_from(run).expect("few runs"), day.parse().ok());
            return place.map_or("nowhere".to_owned(), |at| nights.days[at as usize].to_string());
        }
        let of_night = |(day, runs): (&Day, &Vec<u32>)| {
            let ids = runs.iter().map(|run| format!(" {}", history.runs[*run as usize].id));
            format!("{day}{}", ids.collect::<String>())
        };
        let shown = nights.days.iter().zip(&nights.runs).map(of_night);
        shown.chain(nights.notes.clone()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn runs_count_in_the_nights_that_their_cases_list() {
        cases::check("tests/cases/runs.txt", |case| {
            let (questions, runs) = case.questions(&["nights", "place"]);
            let history = history(&runs);
            let answers: Vec<String> = questions.iter().map(|it| answer(&history, it)).collect();
            answers.join("\n")
        });
    }
}
