//! Rows counted: cell by cell of what they have in common, since nothing else of a row is counted.

use super::judged_reply::JudgedReply;
use super::named::Legend;
use super::rows::{OwnCells, VerdictBatch};
use crate::count::{CountedIssue, Cube, IssueCode, Marks, Slot, duration_bucket};
use hashbrown::{DefaultHashBuilder, HashSet};
use indexmap::IndexMap;
use std::hash::Hash;

fn counted<T: Eq + Hash>(all: impl Iterator<Item = T>) -> IndexMap<T, u64, DefaultHashBuilder> {
    let mut counted = IndexMap::default();
    all.for_each(|one| *counted.entry(one).or_default() += 1);
    counted
}

impl VerdictBatch {
    /// Batches must come in corpus order, each once; one of many rows costs less than many of few.
    pub fn count_into(&self, cube: &mut Cube, legend: &Legend) {
        let members = self.groups.members.iter();
        let slots: Vec<Slot> = members.map(|member| cube.slot(self.groups.text(*member))).collect();
        let own = cube.codes(self.issues.unlisted.texts().iter());
        let owned = self.owned_codes(cube, &own);
        let judged: Vec<&JudgedReply> = self.replies.shapes().collect();
        let shape = |row: &OwnCells| self.replies.get(row.reply).shape;
        // The issues of the first row of each shape.
        let mut of_shape: Vec<Option<Vec<CountedIssue>>> = vec![None; judged.len()];
        let mut cells = Vec::with_capacity(self.len());
        let mut issues = Vec::new();
        let mut owned = owned.into_iter().peekable();
        for (number, row) in self.rows.iter().enumerate() {
            issues.clear();
            while let Some((_, issue)) = owned.next_if(|(of, _)| *of == number) {
                issues.push(issue);
            }
            let cell = (row.group, shape(row));
            let (group, shape) = (cell.0 as usize, cell.1 as usize);
            if *of_shape[shape].get_or_insert_with(|| issues.clone()) == issues {
                cells.push(cell);
            } else {
                // Equal shapes have equal issues, though not always in one order.
                cube.count(slots[group], 1, &judged[shape].marks(&issues, legend));
            }
        }
        let marks: Vec<Marks> = (judged.iter().zip(&of_shape))
            .map(|(judged, issues)| judged.marks(issues.as_deref().unwrap_or_default(), legend))
            .collect();
        for ((group, shape), times) in counted(cells.into_iter()) {
            cube.count(slots[group as usize], times, &marks[shape as usize]);
        }
        // What was not waited for to its end says nothing of how long it takes.
        let durations = self.rows.iter().filter_map(|row| {
            let bucket = row.duration.and_then(duration_bucket)?;
            let conclusion = &judged[shape(row) as usize].verdict.conclusion;
            conclusion.outcome.tells().then_some((row.group, bucket))
        });
        for ((group, bucket), times) in counted(durations) {
            cube.count_durations(slots[group as usize], bucket, times);
        }
        cube.settle();
    }

    /// The issues of exchanges, with their rows. Those of sessions are counted at once.
    fn owned_codes(&self, cube: &mut Cube, own: &[IssueCode]) -> Vec<(usize, CountedIssue)> {
        let (mut owned, mut seen) = (Vec::with_capacity(self.issues.rows.len()), HashSet::new());
        for issue in &self.issues.rows {
            let (severity, code) = (issue.severity, issue.code(own));
            if let Some(row) = issue.row {
                let is_first = seen.insert((row, issue.type_key()));
                owned.push((row, CountedIssue { severity, code, is_first }));
            } else {
                let member = self.groups.members[issue.group as usize];
                cube.count_issue(self.groups.text(member), severity, code);
            }
        }
        owned
    }
}
