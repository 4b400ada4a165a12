//! What makes a night hard to compare with those before.

use super::gather::{Alike, NightRows};
use super::model::Mark;
use crate::trend::history::{History, PastRun};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// From this share on, that exchanges are of other servers and tools is worth a mark.
const MOVED: f64 = 0.1;
/// So many nights before are looked at together.
const BEFORE: usize = 7;

/// The marks of each night.
pub(super) fn marks(history: &History, gathered: &NightRows, nights: usize) -> Vec<Vec<Mark>> {
    let mut mixes = Mixes::of(gathered);
    let mut before = BTreeSet::new();
    let of_night = |night: usize| {
        let strata = &gathered.stratum[gathered.night(night)];
        if strata.is_empty() {
            return Vec::new();
        }
        let regime = |stratum: &u32| gathered.strata[*stratum as usize].regime;
        let after: BTreeSet<u32> = strata.iter().map(regime).collect();
        let before = std::mem::replace(&mut before, after.clone());
        let mut marks = Vec::new();
        if !before.is_empty() && before != after {
            let regime = |number: &u32| &history.runs[*number as usize];
            marks = of_judging(&[before, after].map(|side| side.iter().map(regime).collect()));
        }
        marks.extend(mixes.moved(gathered, night).map(|moved| Mark::Mix { moved }));
        marks
    };
    (0..nights).map(of_night).collect()
}

/// What differs between what judged one night and another.
fn of_judging(sides: &[Vec<&PastRun>; 2]) -> Vec<Mark> {
    let texts = |of: &dyn Fn(&PastRun) -> String| {
        sides.each_ref().map(|side| {
            let texts: BTreeSet<String> = side.iter().map(|regime| of(regime)).collect();
            texts.into_iter().collect::<Vec<_>>().join(", ")
        })
    };
    let mut marks = Vec::new();
    let [before, after] = texts(&|PastRun { rulebook, .. }| {
        let digest = &rulebook.digest;
        format!("{} ({})", rulebook.name, digest.get(..8).unwrap_or(digest))
    });
    if before != after {
        let names = texts(&|regime| regime.rulebook.name.clone());
        // The same name on both sides says nothing.
        let [before, after] = if names[0] == names[1] { [before, after] } else { names };
        marks.push(Mark::Rulebook { before, after });
    }
    let [before, after] = texts(&|regime| regime.checks.clone().unwrap_or_default());
    if before != after {
        marks.push(Mark::Checks);
    }
    let [before, after] = texts(&|regime| regime.version.clone());
    if before != after {
        marks.push(Mark::Version { before, after });
    }
    marks
}

/// How exchanges are shared out among servers, tools and scenarios in the latest nights of the same mix.
struct Mixes {
    /// The number of server, tool and scenario of each stratum.
    number_of: Vec<usize>,
    nights: VecDeque<Vec<(usize, f64)>>,
    /// Exchanges in these nights by number, and all of them.
    sums: Vec<f64>,
    all: f64,
}

impl Mixes {
    fn of(gathered: &NightRows) -> Self {
        let mut numbers = BTreeMap::new();
        let number = |alike: &Alike| {
            let next = numbers.len();
            *numbers.entry((alike.server, alike.tool, alike.scenario)).or_insert(next)
        };
        let number_of = gathered.strata.iter().map(number).collect();
        Self { number_of, nights: VecDeque::new(), sums: vec![0.0; numbers.len()], all: 0.0 }
    }

    /// The share of exchanges that a night has of others than the nights before, if that is no chance.
    fn moved(&mut self, gathered: &NightRows, night: usize) -> Option<f64> {
        let rows = gathered.night(night);
        let strata = gathered.stratum[rows.clone()].iter();
        let mut mix = BTreeMap::<usize, f64>::new();
        for (stratum, of) in strata.zip(&gathered.of[rows]) {
            *mix.entry(self.number_of[*stratum as usize]).or_default() += f64::from(*of);
        }
        let all: f64 = mix.values().sum();
        let (mut moved, mut noise, mut shared) = (0.0, 0.0, 0.0);
        for (number, count) in &mix {
            let (now, then) = (count / all, self.sums[*number] / self.all.max(1.0));
            moved += (now - then).max(0.0);
            shared += then;
            noise += spread(now.max(then), all, self.all);
        }
        // What is not there tonight sways too.
        noise += spread(1.0 - shared, all, self.all);
        let has_moved = !self.nights.is_empty() && moved >= MOVED + noise;
        let kept = if has_moved { 0 } else { BEFORE - 1 };
        while self.nights.len() > kept {
            for (number, count) in self.nights.pop_front().into_iter().flatten() {
                self.sums[number] -= count;
                self.all -= count;
            }
        }
        for (number, count) in &mix {
            self.sums[*number] += count;
            self.all += count;
        }
        self.nights.push_back(mix.into_iter().collect());
        has_moved.then_some(moved)
    }
}

/// How far a share sways by chance between so many exchanges and so many others: the standard
/// deviation. Half of all shares stray to one side, on average by four fifths of it.
fn spread(share: f64, exchanges: f64, others: f64) -> f64 {
    (share * (1.0 - share).max(0.0) * (1.0 / exchanges + 1.0 / others)).max(0.0).sqrt()
}
