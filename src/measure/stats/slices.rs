//! How right the verdicts are, by server and by where errors come from.

use super::Question;
use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item};
use crate::store::NamedVerdict;
use std::collections::BTreeMap;

named! {
    /// What exchanges are told apart by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum By {
        Server = "server",
        Reply = "reply",
        /// What was there to be judged.
        Ground = "ground",
        /// The code of a JSON-RPC error.
        ErrorCode = "error_code",
        /// The rulebook's kind of error.
        ErrorKind = "error_kind",
        /// The decision line that answered.
        DecidedBy = "decided_by",
    }
}

impl By {
    /// Everything but servers, in the order in which it is shown.
    pub const SOURCES: [Self; 5] =
        [Self::Reply, Self::Ground, Self::ErrorCode, Self::ErrorKind, Self::DecidedBy];

    pub fn words(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Reply => "kind of reply",
            Self::Ground => "what was there to classify",
            Self::ErrorCode => "error code",
            Self::ErrorKind => "kind of error",
            Self::DecidedBy => "decision line",
        }
    }

    /// What a verdict counts for; `None` where it does not say.
    fn value(self, verdict: &NamedVerdict) -> Option<&str> {
        match self {
            Self::Server => None,
            Self::Reply => Some(verdict.reply.name()),
            Self::Ground => Some(verdict.ground.name()),
            Self::ErrorCode => verdict.error_code.as_deref(),
            Self::ErrorKind => verdict.error_kind.as_deref(),
            Self::DecidedBy => verdict.decided_by.as_deref(),
        }
    }
}

/// Exchanges that have something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// What they are told apart by.
    pub by: By,
    /// What they have in common.
    pub name: String,
    pub exchanges: u64,
    /// What was said of the labelled ones.
    pub table: Confusion,
}

impl Slice {
    /// How many labelled ones are answered wrongly.
    pub fn wrong(&self) -> u64 {
        let right = self.table.accuracy();
        right.of - right.hits
    }

    /// The mean of what is found of the two classes of error, or of the one there is.
    pub fn found(&self) -> Option<f64> {
        let recall = |label| self.table.recall(label).value();
        match (recall(Question::Errors.fine()), recall(Question::Errors.failure())) {
            (Some(fine), Some(failure)) => Some(f64::midpoint(fine, failure)),
            (one, None) | (None, one) => one,
        }
    }
}

/// What was said of labelled replies, by where they come from; each kind of source sorted by name.
pub(super) fn sources(side: &Side, exchanges: &[u64], items: &[Item]) -> Vec<Slice> {
    let mut slices: BTreeMap<(By, &str), (u64, Confusion)> = BTreeMap::new();
    for by in By::SOURCES {
        for (verdict, count) in side.verdicts.iter().zip(exchanges) {
            if let (Some(value), Some(_)) = (by.value(verdict), Question::of(verdict)) {
                slices.entry((by, value)).or_default().0 += count;
            }
        }
        for item in items {
            let verdict = &side.verdicts[item.verdict as usize];
            if let Some(slice) = by.value(verdict).and_then(|value| slices.get_mut(&(by, value))) {
                slice.1.add(item.label, Label::of(verdict));
            }
        }
    }
    let slice = |((by, name), (exchanges, table)): ((By, &str), (u64, Confusion))| Slice {
        by,
        name: name.to_owned(),
        exchanges,
        table,
    };
    slices.into_iter().map(slice).collect()
}

/// What was said of the labelled replies of each server, sorted by name.
pub(super) fn servers(side: &Side, servers: &super::Servers, items: &[Item]) -> Vec<Slice> {
    let mut slices: Vec<Slice> = servers
        .names
        .iter()
        .map(|name| Slice {
            by: By::Server,
            name: name.clone(),
            exchanges: 0,
            table: Confusion::default(),
        })
        .collect();
    for entry in &side.entries {
        if let Some(at) = servers.at(entry.server) {
            slices[at as usize].exchanges += 1;
        }
    }
    for item in items {
        if let Some(at) = servers.at(item.server) {
            let answer = Label::of(&side.verdicts[item.verdict as usize]);
            slices[at as usize].table.add(item.label, answer);
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::accuracy::Share;
    use crate::measure::stats::{Servers, samples};

    #[test]
    fn servers_and_sources_add_up() {
        let (side, items) = (samples::side(), samples::items());
        let by_server = servers(&side, &Servers::of(&side), &items);
        let names: Vec<_> = by_server.iter().map(|it| (it.name.as_str(), it.exchanges)).collect();
        assert_eq!(names, [("a", 4), ("b", 6), ("c", 1)]);
        assert_eq!(by_server[1].wrong(), 1, "`you may not` is taken for a failure");
        assert_eq!(by_server[1].found(), Some(0.75), "1 of 2 refusals, 2 of 2 failures");
        assert_eq!(by_server[2].found(), None, "no error of it is labelled");
        let gathered = crate::measure::stats::gathered::Gathered::of(&side, &items);
        let sources = sources(&side, &gathered.exchanges, &items);
        let source = |by: By, name: &str| {
            let found = sources.iter().find(|it| it.by == by && it.name == name);
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        assert_eq!(source(By::Reply, "tool_error").exchanges, 8);
        assert_eq!(source(By::Reply, "result").table.accuracy(), Share { hits: 3, of: 3 });
        assert_eq!(source(By::ErrorKind, "broken").exchanges, 4);
        assert_eq!(source(By::DecidedBy, "score").table.accuracy(), Share { hits: 6, of: 7 });
    }
}
