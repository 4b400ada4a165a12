//! Rows counted: cell by cell of what they have in common, since nothing else of a row is counted.

use super::legend::Legend;
use super::rows::{Owner, VerdictBatch};
use crate::count::{Cube, IssueCode, Judged, Slot, duration_bucket};
use crate::verdict::Severity;
use hashbrown::HashMap;

/// An issue as it is counted.
type Code = (Severity, IssueCode);

/// What the rows of a shape have in common beyond it: the issues of the first of them.
#[derive(Clone, Default)]
enum Issues {
    #[default]
    Unseen,
    Of(Vec<Code>),
}

impl VerdictBatch {
    /// Counts the rows. Batches must come in corpus order, each once; a batch of many rows costs
    /// less than many batches of few.
    pub fn count_into(&self, cube: &mut Cube, legend: &Legend) {
        let members = self.groups.members.iter();
        let slots: Vec<Slot> = members.map(|member| cube.slot(self.groups.text(*member))).collect();
        let own = self.issues.unlisted.texts().iter();
        let own: Vec<IssueCode> = own.map(|name| cube.unlisted().code(name)).collect();
        let owned = self.owned_codes(cube, &own);
        let replies = self.replies.all().iter();
        let judged: Vec<Judged<'static>> = replies.map(|reply| reply.judged(legend)).collect();
        let mut of_shape = vec![Issues::default(); judged.len()];
        let mut cells = HashMap::<(u32, u32), u64>::new();
        let mut issues = Vec::new();
        let mut owned = owned.into_iter().peekable();
        for (row, cell) in self.group.iter().copied().zip(self.reply.iter().copied()).enumerate() {
            issues.clear();
            while let Some((_, code)) = owned.next_if(|(of, _)| *of == row) {
                issues.push(code);
            }
            let (group, shape) = (cell.0 as usize, cell.1 as usize);
            match &of_shape[shape] {
                Issues::Of(known) if *known == issues => *cells.entry(cell).or_default() += 1,
                Issues::Of(_) => {
                    // Equal shapes have equal issues, though not always in one order.
                    let judged = Judged { issues: &issues, ..judged[shape] };
                    cube.count(slots[group], 1, &judged, &legend.overall);
                }
                Issues::Unseen => {
                    of_shape[shape] = Issues::Of(issues.clone());
                    *cells.entry(cell).or_default() += 1;
                }
            }
        }
        for ((group, shape), times) in cells {
            let issues: &[Code] = match &of_shape[shape as usize] {
                Issues::Unseen => &[],
                Issues::Of(issues) => issues,
            };
            let judged = Judged { issues, ..judged[shape as usize] };
            cube.count(slots[group as usize], times, &judged, &legend.overall);
        }
        let mut durations = HashMap::<(u32, u16), u64>::new();
        for (group, duration) in self.group.iter().zip(&self.duration) {
            if let Some(bucket) = duration.and_then(duration_bucket) {
                *durations.entry((*group, bucket)).or_default() += 1;
            }
        }
        for ((group, bucket), times) in durations {
            cube.count_durations(slots[group as usize], bucket, times);
        }
        cube.settle();
    }

    /// The issues of exchanges, with their rows. Those of sessions are counted at once.
    fn owned_codes(&self, cube: &mut Cube, own: &[IssueCode]) -> Vec<(usize, Code)> {
        let mut owned = Vec::with_capacity(self.issues.len());
        for (issue, owner) in self.issues.owners().enumerate() {
            let code = self.issues.code_at(issue, own);
            match owner {
                Owner::Exchange(row) => owned.push((row, code)),
                Owner::Session(number) => {
                    let member = self.groups.members[self.apart[number].group as usize];
                    cube.count_issue(self.groups.text(member), code.0, code.1);
                }
            }
        }
        owned
    }
}
