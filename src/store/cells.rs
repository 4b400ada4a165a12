//! Rows counted: cell by cell of what they have in common, since nothing else of a row is counted.

use super::judged_reply::JudgedReply;
use super::legend::Legend;
use super::rows::{Owner, VerdictBatch};
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
        let shapes = self.replies.shapes_of(&self.reply);
        // The issues of the first row of each shape.
        let mut of_shape: Vec<Option<Vec<CountedIssue>>> = vec![None; judged.len()];
        let mut cells = Vec::with_capacity(self.len());
        let mut issues = Vec::new();
        let mut owned = owned.into_iter().peekable();
        for (row, cell) in self.group.iter().copied().zip(shapes.iter().copied()).enumerate() {
            issues.clear();
            while let Some((_, issue)) = owned.next_if(|(of, _)| *of == row) {
                issues.push(issue);
            }
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
        let ended = |shape: u32| judged[shape as usize].verdict.conclusion.outcome.tells();
        let rows = self.group.iter().zip(&shapes).zip(&self.duration);
        let durations = rows.filter_map(|((group, shape), duration)| {
            let bucket = duration.and_then(duration_bucket)?;
            ended(*shape).then_some((*group, bucket))
        });
        for ((group, bucket), times) in counted(durations) {
            cube.count_durations(slots[group as usize], bucket, times);
        }
        cube.settle();
    }

    /// The issues of exchanges, with their rows. Those of sessions are counted at once.
    fn owned_codes(&self, cube: &mut Cube, own: &[IssueCode]) -> Vec<(usize, CountedIssue)> {
        let (mut owned, mut seen) = (Vec::with_capacity(self.issues.len()), HashSet::new());
        for (issue, owner) in self.issues.owners.iter().copied().enumerate() {
            let (severity, code) = self.issues.code_at(issue, own);
            match owner {
                Owner::Exchange(row) => {
                    let is_first = seen.insert((row, self.issues.type_at(issue)));
                    owned.push((row, CountedIssue { severity, code, is_first }));
                }
                Owner::Session(number) => {
                    let member = self.groups.members[self.apart[number].group as usize];
                    cube.count_issue(self.groups.text(member), severity, code);
                }
            }
        }
        owned
    }
}
