//! Which cells count, and in which night.

use super::{History, PastRun};
use crate::count::Dimension;
use crate::recording::{Day, Moment};
use crate::verdict::{counted, harmless};
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Where exchanges stand in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The night of what a run recorded on a day, where it counts.
    places: HashMap<(u32, Option<Day>), u32>,
}

/// A run's exchanges of a day: how many, and the days on which they were recorded.
type Claims = BTreeMap<(u32, Day, At), (u64, Vec<Option<Day>>)>;

/// Days further back than this from a run are those of clocks that were never set.
const MOST_DAYS: i32 = 36_525;

impl Nights {
    /// The number of the night in which a cell counts; `None` where it does not.
    pub fn place(&self, run: u32, day: Option<Day>) -> Option<u32> {
        self.places.get(&(run, day)).copied()
    }
}

/// Whether a run may have recorded something on a day. By the run alone: a night that was mistyped must not
/// move the days of other runs.
fn believes(run: &PastRun, day: Day) -> bool {
    let started = Moment::parse(&run.started_at).map_or(run.night, Moment::day);
    let first = started.min(run.night).0.saturating_sub(MOST_DAYS);
    // The night may be named by a calendar that is behind that of UTC.
    (first..=started.max(run.night).0.saturating_add(1)).contains(&day.0)
}

impl History {
    pub fn nights(&self, at: At) -> Nights {
        let mut nights = Nights::default();
        let claims = self.claims(at, &mut nights.notes);
        let counting = self.counting(&claims, &mut nights.notes);
        let days = || counting.iter().map(|(_, day, _)| *day);
        let (Some(first), Some(last)) = (days().min(), days().max()) else { return nights };
        nights.days = (first.0..=last.0).map(Day).collect();
        nights.runs = vec![Vec::new(); nights.days.len()];
        for claim in counting {
            let (run, day, _) = claim;
            let night = u32::try_from(day.0 - first.0).unwrap_or_default();
            let runs = &mut nights.runs[night as usize];
            if runs.last() != Some(&run) {
                runs.push(run);
            }
            let recorded = claims[&claim].1.iter();
            nights.places.extend(recorded.map(|day| ((run, *day), night)));
        }
        nights
    }

    fn run(&self, number: u32) -> &PastRun {
        &self.runs[number as usize]
    }

    /// Where the exchanges of each run would stand, were there no other.
    fn claims(&self, at: At, notes: &mut Vec<String>) -> Claims {
        let classes = self.cells(Dimension::Class);
        let mut sums = BTreeMap::<(u32, Option<Day>), u64>::new();
        for ((run, day), count) in classes.run.iter().zip(&classes.day).zip(&classes.count) {
            *sums.entry((*run, *day)).or_default() += u64::from(*count);
        }
        let mut claims = Claims::new();
        let (mut unbelieved, mut first) = (0, None);
        for ((number, day), count) in sums {
            let Some(run) = self.runs.get(number as usize) else { continue };
            let recorded = day.filter(|_| at == At::Recorded);
            let place = match recorded.filter(|day| believes(run, *day)) {
                Some(day) => (number, day, At::Recorded),
                None => (number, run.night, At::Run),
            };
            if let (Some(day), At::Run) = (recorded, place.2) {
                unbelieved += count;
                first.get_or_insert_with(|| format!("{day} in the run {}", run.id));
            }
            let claim = claims.entry(place).or_default();
            claim.0 += count;
            claim.1.push(day);
        }
        notes.extend(first.map(|first| {
            format!(
                "{} recorded after their run or a hundred years before (first: {first}): a clock was \
                 wrong; they count for the night of their run",
                counted(unbelieved, "call")
            )
        }));
        claims
    }

    /// Of what runs claim, what counts: each day of a collection once, and each corpus once.
    fn counting(&self, claims: &Claims, notes: &mut Vec<String>) -> Vec<(u32, Day, At)> {
        let mut fullest = HashMap::<(&str, Day, At), (u64, u32)>::new();
        for ((number, day, at), (count, _)) in claims {
            let best = fullest.entry((&self.run(*number).collection, *day, *at)).or_default();
            if *count >= best.0 {
                *best = (*count, *number);
            }
        }
        let (mut counting, mut passed_over, mut runs) = (Vec::new(), 0, BTreeSet::new());
        let mut of_corpus = HashMap::<(&str, Day, At), u32>::new();
        for ((number, day, at), (count, _)) in claims {
            let run = self.run(*number);
            let best = fullest[&(run.collection.as_str(), *day, *at)].1;
            if best == *number {
                of_corpus.insert((&run.corpus_digest, *day, *at), *number);
                counting.push((*number, *day, *at));
            } else if self.run(best).corpus_digest != run.corpus_digest {
                // Of the same corpus they are the same exchanges.
                passed_over += count;
                runs.insert(*number);
            }
        }
        if passed_over > 0 {
            notes.push(format!(
                "{} of {} are not counted: of the runs of a collection one counts for each day, the one with \
                 the most calls, or the latest of equals; to add up several runs of one day, give them \
                 different collection names",
                counted(passed_over, "call"),
                counted(runs.len() as u64, "run"),
            ));
        }
        let mut twice = BTreeSet::new();
        counting.retain(|(number, day, at)| {
            let other = of_corpus[&(self.run(*number).corpus_digest.as_str(), *day, *at)];
            if other != *number {
                twice.insert((*number, other));
            }
            other == *number
        });
        notes.extend(twice.first().map(|(one, other)| {
            let (one, other) = (self.run(*one), self.run(*other));
            let more = match twice.len() {
                1 => String::new(),
                several => format!(" (and {} more like this)", several - 1),
            };
            format!(
                "the collections {} and {} have the same recordings in the runs {} and {}: they are \
                 counted once, as {}{more}",
                harmless(&one.collection),
                harmless(&other.collection),
                one.id,
                other.id,
                harmless(&other.collection),
            )
        }));
        counting
    }
}

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
