//! Exchanges counted by everything that the table of exchanges filters by, so that totals are exact
//! however few exchanges are shown.

use crate::count::OTHER;
use crate::count::tally::wilson;
use crate::store::{Distinct, NamedVerdict, Numbered};
use crate::verdict::{Answer, Classification, Outcome};
use indexmap::IndexMap;
use std::collections::{BTreeMap, HashMap};

/// So many names, and cells, are counted apart.
const MOST: usize = 1 << 16;

/// What people filter by, apart from who answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Look {
    pub(super) outcome: Outcome,
    pub(super) class: Classification,
    pub(super) answer: Answer,
    pub(super) error_kind: Option<String>,
    /// `severity type`, each once.
    pub(super) issues: Vec<String>,
}

/// Exchanges of one tool that look the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    pub(super) server: u32,
    pub(super) tool: u32,
    pub(super) look: u32,
}

/// All exchanges of a run, counted.
#[derive(Debug, Default)]
pub(super) struct Cells {
    names: Distinct,
    looks: Numbered<Look>,
    counts: IndexMap<Cell, u64, hashbrown::DefaultHashBuilder>,
}

/// How many exchanges there are, and how many of them want looking at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) trouble: u64,
    pub(super) exchanges: u64,
}

impl Look {
    pub(super) fn of(verdict: &NamedVerdict) -> Self {
        let standing = verdict.standing();
        let mut issues = verdict.issues.clone();
        issues.dedup();
        Self {
            outcome: standing.outcome,
            class: standing.class,
            answer: standing.answer,
            error_kind: verdict.error_kind.clone(),
            issues,
        }
    }

    /// A bad outcome, a class below the best, a tool that failed, or one that hides that it did.
    pub(super) fn is_trouble(&self) -> bool {
        let failed = match self.answer {
            Answer::ToolFailure | Answer::HiddenFailure => true,
            Answer::NotAsked | Answer::Fine | Answer::BusinessLogic | Answer::HiddenRefusal => {
                false
            }
        };
        self.outcome.is_bad() || failed || self.class != Classification::FullyWorking
    }
}

impl Trouble {
    fn add(&mut self, count: u64, is_trouble: bool) {
        self.exchanges += count;
        if is_trouble {
            self.trouble += count;
        }
    }

    /// The share that there is at least, so that one bad call out of one is not the worst of all.
    fn at_least(self) -> f64 {
        wilson(self.trouble, self.exchanges).low
    }
}

impl Cells {
    /// The number of a server's or a tool's name; of the others, where there are too many.
    pub(super) fn name(&mut self, name: &str) -> u32 {
        let is_full = self.names.texts().len() >= MOST;
        let known = if is_full { self.names.known(name) } else { Some(self.names.index_of(name)) };
        known.unwrap_or_else(|| self.names.index_of(OTHER))
    }

    pub(super) fn look(&mut self, look: Look) -> u32 {
        u32::try_from(self.looks.insert_full(look).0).unwrap_or(u32::MAX)
    }

    pub(super) fn cell(&mut self, mut cell: Cell) -> u32 {
        if self.counts.len() >= MOST && !self.counts.contains_key(&cell) {
            let other = self.names.index_of(OTHER);
            cell = Cell { server: other, tool: other, ..cell };
        }
        let counted = self.counts.entry(cell);
        let number = counted.index();
        counted.or_default();
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Counts an exchange of a cell; says the how manieth it is.
    pub(super) fn add(&mut self, cell: u32) -> u64 {
        let count = &mut self.counts[cell as usize];
        *count += 1;
        *count
    }

    pub(super) fn look_of(&self, number: u32) -> &Look {
        &self.looks[number as usize]
    }

    pub(super) fn looks(&self) -> &Numbered<Look> {
        &self.looks
    }

    pub(super) fn name_of(&self, number: u32) -> &str {
        self.names.texts().get(number as usize)
    }

    pub(super) fn get(&self, number: u32) -> Cell {
        *self.counts.get_index(number as usize).expect("a cell that was numbered").0
    }

    /// All cells with their exchanges.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = (&Cell, &u64)> {
        self.counts.iter()
    }

    /// Exchanges by something that their looks have.
    fn by<K: Ord>(&self, key: impl Fn(&Look) -> Option<K>) -> BTreeMap<K, u64> {
        let mut counts = BTreeMap::new();
        for (cell, count) in &self.counts {
            if let Some(key) = key(self.look_of(cell.look)) {
                *counts.entry(key).or_default() += count;
            }
        }
        counts
    }

    /// Exchanges by class, best first; of every class.
    pub(super) fn classes(&self) -> Vec<(Classification, u64)> {
        let counts = self.by(|look| Some(look.class));
        Classification::ALL.map(|class| (class, counts.get(&class).copied().unwrap_or(0))).into()
    }

    pub(super) fn answers(&self) -> BTreeMap<Answer, u64> {
        self.by(|look| Some(look.answer))
    }

    /// Exchanges by kind of error, most first.
    pub(super) fn error_kinds(&self) -> Vec<(String, u64)> {
        let mut counts: Vec<_> = self.by(|look| look.error_kind.clone()).into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// Servers by the number of their name, the worst first; those without trouble come last.
    pub(super) fn servers(&self) -> Vec<(u32, Trouble)> {
        worst_first(self.gathered(|cell| cell.server), |server| (self.name_of(server), ""))
    }

    /// Tools by the numbers of their server's name and theirs, the worst first.
    pub(super) fn tools(&self) -> Vec<((u32, u32), Trouble)> {
        worst_first(self.gathered(|cell| (cell.server, cell.tool)), |(server, tool)| {
            (self.name_of(server), self.name_of(tool))
        })
    }

    fn gathered<K: std::hash::Hash + Eq>(&self, key: impl Fn(&Cell) -> K) -> HashMap<K, Trouble> {
        let mut found: HashMap<K, Trouble> = HashMap::new();
        for (cell, count) in &self.counts {
            let is_trouble = self.look_of(cell.look).is_trouble();
            found.entry(key(cell)).or_default().add(*count, is_trouble);
        }
        found
    }
}

fn worst_first<'c, K: Copy>(
    found: HashMap<K, Trouble>,
    name: impl Fn(K) -> (&'c str, &'c str),
) -> Vec<(K, Trouble)> {
    let mut found: Vec<(K, Trouble)> = found.into_iter().collect();
    found.sort_by(|(one, a), (other, b)| {
        let by_share = b.at_least().total_cmp(&a.at_least());
        by_share.then(b.exchanges.cmp(&a.exchanges)).then_with(|| name(*one).cmp(&name(*other)))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(class: Classification, answer: Answer) -> Look {
        let outcome = Outcome::Worked;
        Look { outcome, class, answer, error_kind: None, issues: Vec::new() }
    }

    #[test]
    fn the_worst_is_who_surely_has_the_largest_share_of_trouble() {
        let mut cells = Cells::default();
        let good = cells.look(look(Classification::FullyWorking, Answer::BusinessLogic));
        let failed = cells.look(look(Classification::FullyWorking, Answer::ToolFailure));
        for (server, look, times) in
            [("once", failed, 1), ("often", failed, 60), ("often", good, 40), ("fine", good, 90)]
        {
            let cell = Cell { server: cells.name(server), tool: cells.name("t"), look };
            let cell = cells.cell(cell);
            for _ in 0..times {
                cells.add(cell);
            }
        }
        let servers: Vec<_> = cells
            .servers()
            .into_iter()
            .map(|(server, trouble)| {
                (cells.name_of(server).to_owned(), trouble.trouble, trouble.exchanges)
            })
            .collect();
        let expected = [("often", 60, 100), ("once", 1, 1), ("fine", 0, 90)];
        assert_eq!(servers, expected.map(|(name, trouble, of)| (name.to_owned(), trouble, of)));
        assert_eq!(cells.classes()[0], (Classification::FullyWorking, 191));
    }
}
