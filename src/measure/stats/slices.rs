//! How right the verdicts are, by server.

use super::Question;
use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item};

/// The exchanges of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
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

/// What was said of the labelled replies of each server, sorted by name.
pub(super) fn servers(side: &Side, servers: &super::Servers, items: &[Item]) -> Vec<Slice> {
    let mut slices: Vec<Slice> = servers
        .names
        .iter()
        .map(|name| Slice { name: name.clone(), exchanges: 0, table: Confusion::default() })
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
    use crate::measure::stats::{Servers, samples};

    #[test]
    fn servers_add_up() {
        let (side, items) = (samples::side(), samples::items());
        let by_server = servers(&side, &Servers::of(&side), &items);
        let names: Vec<_> = by_server.iter().map(|it| (it.name.as_str(), it.exchanges)).collect();
        assert_eq!(names, [("a", 4), ("b", 6), ("c", 1)]);
        assert_eq!(by_server[1].wrong(), 1, "`you may not` is taken for a failure");
        assert_eq!(by_server[1].found(), Some(0.75), "1 of 2 refusals, 2 of 2 failures");
        assert_eq!(by_server[2].found(), None, "no error of it is labelled");
    }
}
