//! Exchanges counted by everything that the table of exchanges filters by, so that totals are exact
//! however few exchanges are shown.

use crate::count::OTHER;
use crate::count::tally::Share;
use crate::store::{Distinct, NamedVerdict, Numbered};
use crate::verdict::{Answer, Classification, Judgement, Who};
use hashbrown::{DefaultHashBuilder, HashMap};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// So many names, and cells, are counted apart.
const MOST: usize = 1 << 16;

/// What people filter by, apart from who answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub(super) struct Filters {
    #[serde(flatten)]
    pub(super) judgement: Judgement,
    /// The kind of error.
    pub(super) kind: Option<String>,
    /// Who must act.
    pub(super) who: Option<Who>,
    /// `severity type`, each once.
    pub(super) issues: Vec<String>,
    /// A bad outcome, a class below the best, a tool that failed, or one that hides that it did.
    pub(super) trouble: bool,
}

/// All exchanges of a run, counted.
#[derive(Debug, Default)]
pub(super) struct Cells {
    names: Distinct,
    pub(super) filters: Numbered<Filters>,
    /// Exchanges by the numbers of their server's and tool's names and of what they are filtered by.
    pub(super) counts: IndexMap<[u32; 3], u64, DefaultHashBuilder>,
}

impl Filters {
    pub(super) fn of(verdict: &NamedVerdict) -> Self {
        let judgement = verdict.judgement();
        let mut issues = verdict.issues.clone();
        issues.dedup();
        let trouble = judgement.outcome.is_bad()
            || matches!(judgement.answer, Answer::ToolFailure | Answer::HiddenFailure)
            || judgement.class != Classification::FullyWorking;
        Self { judgement, kind: verdict.error_kind.clone(), who: verdict.who, issues, trouble }
    }
}

impl Cells {
    /// The number of a server's or a tool's name; of the others, where there are too many.
    pub(super) fn name(&mut self, name: &str) -> u32 {
        let is_full = self.names.texts().len() >= MOST;
        let known = if is_full { self.names.known(name) } else { Some(self.names.index_of(name)) };
        known.unwrap_or_else(|| self.names.index_of(OTHER))
    }

    pub(super) fn name_of(&self, number: u32) -> &str {
        self.names.texts().get(number as usize)
    }

    /// The number of a cell.
    pub(super) fn cell(&mut self, mut cell: [u32; 3]) -> usize {
        if self.counts.len() >= MOST && !self.counts.contains_key(&cell) {
            let other = self.names.index_of(OTHER);
            cell = [other, other, cell[2]];
        }
        let counted = self.counts.entry(cell);
        let number = counted.index();
        counted.or_default();
        number
    }

    /// Exchanges by something that they are filtered by.
    pub(super) fn by<'c, K: Ord>(
        &'c self,
        key: impl Fn(&'c Filters) -> Option<K>,
    ) -> BTreeMap<K, u64> {
        let mut counts = BTreeMap::new();
        for ([_, _, filters], count) in &self.counts {
            if let Some(key) = key(&self.filters[*filters as usize]) {
                *counts.entry(key).or_default() += count;
            }
        }
        counts
    }

    /// Servers, or tools with their servers, and their share of exchanges in trouble. The worst is who surely has the
    /// largest share, so that one bad call out of one is not the worst of all.
    pub(super) fn worst_first(&self, by_tool: bool) -> Vec<([&str; 2], Share)> {
        let mut found: HashMap<[&str; 2], Share> = HashMap::new();
        for ([server, tool, filters], count) in &self.counts {
            let name = [self.name_of(*server), if by_tool { self.name_of(*tool) } else { "" }];
            let share = found.entry(name).or_default();
            share.of += count;
            share.hits += if self.filters[*filters as usize].trouble { *count } else { 0 };
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by(|(one, a), (other, b)| {
            let by_share = b.interval().low.total_cmp(&a.interval().low);
            by_share.then(b.of.cmp(&a.of)).then(one.cmp(other))
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Outcome;

    #[test]
    fn the_worst_is_who_surely_has_the_largest_share_of_trouble() {
        let mut cells = Cells::default();
        let mut filters = |trouble| {
            let judgement = Judgement {
                outcome: Outcome::Worked,
                class: Classification::FullyWorking,
                answer: if trouble { Answer::ToolFailure } else { Answer::BusinessLogic },
            };
            let new = Filters { judgement, kind: None, who: None, issues: Vec::new(), trouble };
            u32::try_from(cells.filters.insert_full(new).0).expect("few")
        };
        let (good, failed) = (filters(false), filters(true));
        for (server, filters, times) in
            [("once", failed, 1), ("often", failed, 60), ("often", good, 40), ("fine", good, 90)]
        {
            let cell = [cells.name(server), cells.name("t"), filters];
            let cell = cells.cell(cell);
            cells.counts[cell] += times;
        }
        let servers = cells.worst_first(false).into_iter();
        let servers: Vec<_> =
            servers.map(|([server, _], share)| (server, share.hits, share.of)).collect();
        assert_eq!(servers, [("often", 60, 100), ("once", 1, 1), ("fine", 0, 90)]);
        let classes = cells.by(|filters| Some(filters.judgement.class));
        assert_eq!(classes, [(Classification::FullyWorking, 191)].into());
    }
}
