//! What makes a night hard to compare with those before.

use super::gather::{Gathered, Regime};
use super::model::Mark;
use crate::trend::history::{History, Nights};
use std::collections::{BTreeMap, BTreeSet};

/// From this share on, that exchanges are of other servers and tools is worth a mark.
const MOVED: f64 = 0.1;
/// So many nights before are looked at together.
const BEFORE: usize = 7;
/// A server appears when it was not there for so many nights.
const FORGOTTEN: usize = 28;
/// A server is missed, or was, when so many of its exchanges were to be expected: chance seldom does that
/// among 50 servers in a month of nights.
const EXPECTED: f64 = 14.2;

pub(super) fn marks(
    history: &History,
    nights: &Nights,
    gathered: &Gathered,
    exchanges: &[u64],
) -> Vec<Vec<Mark>> {
    let mut marks = vec![Vec::new(); nights.days.len()];
    let mut before: Option<BTreeSet<u32>> = None;
    for (night, marks) in marks.iter_mut().enumerate() {
        let mut after = BTreeSet::new();
        let mut last = None;
        for stratum in &gathered.stratum[gathered.night(night)] {
            let regime = gathered.strata[*stratum as usize].regime;
            // Nearly always the same one.
            if last.replace(regime) != Some(regime) {
                after.insert(regime);
            }
        }
        if after.is_empty() {
            continue;
        }
        if let Some(before) = before.filter(|before| *before != after) {
            let sides = [before, after.clone()];
            marks.extend(of_judging(&sides.map(|side| {
                side.iter().map(|number| &gathered.regimes[*number as usize]).collect::<Vec<_>>()
            })));
        }
        before = Some(after);
    }
    Mixing::new(history, gathered).mark(exchanges, &mut marks);
    marks
}

/// What differs between what judged one night and another.
fn of_judging(sides: &[Vec<&Regime>; 2]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let texts = |of: &dyn Fn(&Regime) -> String| -> [BTreeSet<String>; 2] {
        [0, 1].map(|side: usize| sides[side].iter().map(|regime| of(regime)).collect())
    };
    let joined = |texts: &BTreeSet<String>| texts.iter().cloned().collect::<Vec<_>>().join(", ");
    let full = |regime: &Regime| {
        let (name, digest) = &regime.rulebook;
        format!("{name} ({})", digest.get(..8).unwrap_or(digest))
    };
    let [before, after] = texts(&full);
    if before != after {
        let names = texts(&|regime| regime.rulebook.0.clone());
        // The same name on both sides says nothing.
        let [before, after] = if names[0] == names[1] { [before, after] } else { names };
        marks.push(Mark::Rulebook { before: joined(&before), after: joined(&after) });
    }
    let [before, after] = texts(&|regime| regime.checks.clone().unwrap_or_default());
    if before != after {
        marks.push(Mark::Checks);
    }
    let [before, after] = texts(&|regime| regime.version.clone());
    if before != after {
        marks.push(Mark::Version { before: joined(&before), after: joined(&after) });
    }
    marks
}

/// How exchanges are shared out among servers, tools and scenarios, night by night.
struct Mixing<'a> {
    history: &'a History,
    gathered: &'a Gathered,
    /// The tool (in a scenario) of each stratum, and the server of each tool; servers are numbered by their names' order.
    tool_of: Vec<usize>,
    server_of: Vec<usize>,
    /// The name of each server, as a number of the history's names.
    servers: Vec<u32>,
}

impl<'a> Mixing<'a> {
    fn new(history: &'a History, gathered: &'a Gathered) -> Self {
        let mut numbers = BTreeMap::new();
        let mut server_of = Vec::new();
        let mut tool_of = Vec::with_capacity(gathered.strata.len());
        for alike in &gathered.strata {
            let tool = (alike.server, alike.tool, alike.scenario);
            let number = *numbers.entry(tool).or_insert(server_of.len());
            if number == server_of.len() {
                server_of.push(alike.server);
            }
            tool_of.push(number);
        }
        let names: BTreeSet<u32> = server_of.iter().copied().collect();
        let servers: Vec<u32> = names.into_iter().collect();
        let number = |server: &u32| servers.binary_search(server).unwrap_or_default();
        let server_of = server_of.iter().map(number).collect();
        Self { history, gathered, tool_of, server_of, servers }
    }

    fn mark(&self, exchanges: &[u64], marks: &mut [Vec<Mark>]) {
        let mut before = Pool::new(self.server_of.len());
        // How many nights with exchanges there were before a server was last seen, and how many exchanges.
        let mut seen: Vec<Option<(usize, f64)>> = vec![None; self.servers.len()];
        let (mut nights, mut so_far) = (0, 0.0);
        for (night, marks) in marks.iter_mut().enumerate() {
            if exchanges[night] == 0 {
                continue;
            }
            let mix = self.mix(night);
            let mut appeared = BTreeSet::new();
            let by_server = self.by_server(mix.iter().copied());
            for (server, count) in by_server.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                let earlier = seen[server].replace((nights, so_far));
                let (since, until_then) =
                    earlier.map_or((0, 0.0), |(night, then)| (night + 1, then));
                let is_long = earlier.is_none() || nights >= since + FORGOTTEN;
                let without = so_far - until_then;
                if is_long && count / exchanges[night] as f64 * without >= EXPECTED {
                    appeared.insert(server);
                }
            }
            nights += 1;
            so_far += exchanges[night] as f64;
            let tonight =
                Tonight { mix: &mix, by_server: &by_server, all: exchanges[night] as f64 };
            if let Some(mark) = self.compared(&before, &tonight, &appeared) {
                marks.push(mark);
                before = Pool::new(self.server_of.len());
            }
            before.push(mix);
        }
    }

    fn by_server(&self, mix: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut servers = vec![0.0; self.servers.len()];
        for (tool, count) in mix {
            servers[self.server_of[tool]] += count;
        }
        servers
    }

    /// The exchanges of each tool in a night.
    fn mix(&self, night: usize) -> Vec<(usize, f64)> {
        let Gathered { starts, stratum, of, .. } = self.gathered;
        let rows = starts[night] as usize..starts[night + 1] as usize;
        let tool = |stratum: &u32| self.tool_of[*stratum as usize];
        let rows = stratum[rows.clone()].iter().map(tool).zip(of[rows].iter().copied());
        let mut mix: Vec<(usize, f64)> = rows.map(|(tool, of)| (tool, f64::from(of))).collect();
        mix.sort_unstable_by_key(|(tool, _)| *tool);
        mix.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 += later.1;
            }
            is_same
        });
        mix
    }

    fn compared(
        &self,
        before: &Pool,
        tonight: &Tonight<'_>,
        appeared: &BTreeSet<usize>,
    ) -> Option<Mark> {
        if before.nights.is_empty() {
            return None;
        }
        let Tonight { mix, by_server, all } = *tonight;
        let (mut moved, mut noise, mut shared) = (0.0, 0.0, 0.0);
        for (tool, count) in mix {
            let (now, then) = (count / all, before.sums[*tool] / before.all);
            moved += (now - then).max(0.0);
            shared += then;
            noise += spread(now.max(then), all, before.all);
        }
        // What is not there tonight sways too.
        noise += spread(1.0 - shared, all, before.all);
        let earlier = self.by_server(before.sums.iter().copied().enumerate());
        let name = |server: usize| self.history.names.get(self.servers[server]).to_owned();
        let appeared: Vec<String> = appeared.iter().map(|server| name(*server)).collect();
        let sides = earlier.iter().zip(by_server).enumerate();
        let is_missed = |sum: f64, now: f64| now <= 0.0 && sum / before.all * all >= EXPECTED;
        let vanished: Vec<String> = sides
            .filter(|(_, (sum, now))| is_missed(**sum, **now))
            .map(|(server, _)| name(server))
            .collect();
        let has_moved = moved >= MOVED + noise;
        (has_moved || !appeared.is_empty() || !vanished.is_empty()).then_some(Mark::Mix {
            moved,
            appeared,
            vanished,
        })
    }
}

/// The exchanges of a night: by tool, by server, and all.
struct Tonight<'a> {
    mix: &'a [(usize, f64)],
    by_server: &'a [f64],
    all: f64,
}

/// How far a share sways by chance between so many exchanges and so many others: the standard
/// deviation. Half of all shares stray to one side, on average by four fifths of it.
fn spread(share: f64, exchanges: f64, others: f64) -> f64 {
    (share * (1.0 - share).max(0.0) * (1.0 / exchanges + 1.0 / others)).max(0.0).sqrt()
}

/// The latest nights with the same mix.
struct Pool {
    nights: Vec<Vec<(usize, f64)>>,
    sums: Vec<f64>,
    all: f64,
}

impl Pool {
    fn new(tools: usize) -> Self {
        Self { nights: Vec::new(), sums: vec![0.0; tools], all: 0.0 }
    }

    fn push(&mut self, mix: Vec<(usize, f64)>) {
        let leaving = (self.nights.len() >= BEFORE).then(|| self.nights.remove(0));
        for (tool, count) in leaving.into_iter().flatten() {
            self.sums[tool] -= count;
            self.all -= count;
        }
        for (tool, count) in &mix {
            self.sums[*tool] += count;
            self.all += count;
        }
        self.nights.push(mix);
    }
}
