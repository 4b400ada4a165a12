//! Verdicts on their way into tables: one batch of rows per stretch of the corpus.

use super::excerpts::{Excerpts, Kept};
use super::gathered::{ColumnCells, Numbers};
use super::judged_reply::{JudgedReplies, JudgedReply};
use super::named::Legend;
use super::parquet::Cells;
use super::texts::{Distinct, DistinctColumn, NONE, Numbered, PlainColumn, TextColumn, renumber};
use crate::check::Tasks;
use crate::count::{
    CountedIssue, CountedOnce, Cube, GroupRef, GroupSlot, IssueCode, List, duration_bucket,
};
use crate::recording::{Exchange, Key, Keys, Moment, Refuser, Task};
use crate::verdict::{
    Category, Issue, IssueOrigin, IssueType, OwnType, ReportedIssue, Severity, Verdict,
};
use hashbrown::{DefaultHashBuilder, HashSet};
use indexmap::IndexMap;
use std::hash::Hash;

/// One judged exchange.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub exchange: &'a Exchange<'a>,
    /// Its recording, as a path below the corpus.
    pub file: &'a str,
    pub keys: Keys,
    /// The day of its recording, empty where it is not known.
    pub day: &'a str,
    pub moment: Option<Moment>,
    pub tasks: &'a Tasks,
    pub verdict: &'a Verdict,
    pub excerpt: Option<&'a Kept<'a>>,
}

/// An issue of a session as a whole, which no exchange has.
#[derive(Clone, Copy, Debug)]
pub struct SessionRow<'a> {
    /// The recording, as a path below the corpus.
    pub file: &'a str,
    pub session: &'a str,
    /// The line that shows it.
    pub line: u64,
    pub server: &'a str,
    /// The tool it is about; empty where it is about none.
    pub tool: &'a str,
    /// The day of its recording, empty where it is not known.
    pub day: &'a str,
    pub moment: Option<Moment>,
    pub issue: &'a Issue,
}

/// What is kept of a row by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnCells {
    pub(super) key: Key,
    pub(super) request: Key,
    pub(super) line: i64,
    pub(super) byte: i64,
    pub(super) recorded_at: Option<Moment>,
    pub(super) duration: Option<f64>,
    pub(super) waited: Option<f64>,
    /// The bytes of the reply, and of what is structured in it.
    pub(super) sizes: [u32; 2],
    /// File, session and label: which of `origins`.
    pub(super) origin: u32,
    /// Day, server, tool and scenario, by which rows are counted: which of `groups`.
    pub(super) group: u32,
    /// Program, fidelity, who refused, and marks of the reply and of the name: which of `marks`.
    pub(super) mark: u32,
    /// Which of `replies`.
    pub(super) reply: u32,
}

/// Rows of the tables `verdicts` and `issues`, and what they count, for a stretch of the corpus.
///
/// What occurs often is kept once per batch, so a row costs little more than its numbers.
#[derive(Debug, Default)]
pub struct VerdictBatch {
    pub(super) rows: Vec<OwnCells>,
    pub(super) id: PlainColumn,
    pub(super) excerpts: Excerpts,
    pub(super) origins: Combinations<3>,
    /// When the last exchange of each origin took place.
    pub(super) origin_last: Vec<Option<Moment>>,
    /// The tasks of each origin, in the order in which they are named.
    pub(super) tasks: Vec<(u32, Task)>,
    pub(super) groups: Combinations<4>,
    pub(super) marks: Combinations<5>,
    pub(super) replies: JudgedReplies,
    pub(super) issues: IssueColumns,
}

/// Texts that occur together, each combination once.
#[derive(Debug)]
pub(super) struct Combinations<const N: usize> {
    pub(super) parts: [Distinct; N],
    pub(super) members: Numbered<[u32; N]>,
    last: usize,
}

impl<const N: usize> Default for Combinations<N> {
    fn default() -> Self {
        Self {
            parts: std::array::from_fn(|_| Distinct::default()),
            members: Numbered::default(),
            last: 0,
        }
    }
}

impl<const N: usize> Combinations<N> {
    fn index_of(&mut self, texts: [Option<&str>; N]) -> u32 {
        let mut parts = self.parts.iter_mut();
        let member = texts.map(|text| parts.next().map_or(NONE, |part| part.index_of_option(text)));
        self.number_of(member)
    }

    fn number_of(&mut self, member: [u32; N]) -> u32 {
        if self.members.get_index(self.last) != Some(&member) {
            self.last = self.members.insert_full(member).0;
        }
        u32::try_from(self.last).unwrap_or(NONE)
    }

    /// A column of texts: which part of a combination each row has.
    pub(super) fn column(&self, part: usize, rows: impl Iterator<Item = u32>) -> TextColumn {
        let rows = rows.map(|row| self.members[row as usize][part]).collect();
        TextColumn { texts: self.parts[part].texts().clone(), rows }
    }

    /// Joins another batch's combinations to these and says which number each of them has here.
    fn absorb(&mut self, other: &Self) -> Vec<u32> {
        let mut theirs = other.parts.iter();
        let renumbered = self
            .parts
            .each_mut()
            .map(|part| theirs.next().map_or_else(Vec::new, |other| part.absorb(other)));
        let here = |member: &[u32; N]| {
            let mut columns = renumbered.iter();
            member.map(|index| columns.next().map_or(NONE, |column| renumber(column, index)))
        };
        other.members.iter().map(|member| self.number_of(here(member))).collect()
    }

    fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Distinct::bytes).sum();
        parts + self.members.len() * size_of::<[u32; N]>() * 3
    }
}

impl Combinations<3> {
    /// File and session of an origin.
    pub(super) fn session(&self, origin: u32) -> (&str, &str) {
        let [file, session, _] = self.members[origin as usize];
        let text = |part: usize, index: u32| self.parts[part].texts().get(index as usize);
        (text(0, file), text(1, session))
    }
}

impl Combinations<4> {
    pub(super) fn text(&self, [day, server, tool, scenario]: [u32; 4]) -> GroupRef<'_> {
        let text = |part: usize, index: u32| self.parts[part].texts().get(index as usize);
        GroupRef {
            day: text(0, day),
            server: text(1, server),
            tool: text(2, tool),
            scenario: (scenario != NONE).then(|| text(3, scenario)),
        }
    }
}

/// How many types the table has.
#[expect(clippy::cast_possible_truncation, reason = "the table is written by hand")]
const LISTED: u32 = IssueType::ALL.len() as u32;

/// What is kept of an issue by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnOfIssue {
    /// The row of its exchange; `None` of an issue of a session as a whole.
    pub(super) row: Option<usize>,
    pub(super) origin: u32,
    pub(super) group: u32,
    pub(super) line: i64,
    pub(super) severity: Severity,
    /// A type of the table by its number, or one of `unlisted` behind them.
    pub(super) kind: u32,
    /// The category of one that the recording reports.
    reported: Option<&'static Category>,
}

/// What an issue belongs to.
#[derive(Clone, Copy)]
struct IssueOf<'a> {
    row: Option<usize>,
    origin: u32,
    group: u32,
    line: i64,
    reported: Option<&'a ReportedIssue>,
    task: Option<&'a str>,
    parameter_keys: Option<&'a str>,
}

#[derive(Debug, Default)]
pub(super) struct IssueColumns {
    pub(super) rows: Vec<OwnOfIssue>,
    pub(super) unlisted: Distinct,
    pub(super) message: DistinctColumn,
    pub(super) location: DistinctColumn,
    pub(super) suggestion: DistinctColumn,
    /// The names of the call's arguments, as JSON.
    pub(super) parameter_keys: DistinctColumn,
    /// The id of the task.
    pub(super) task: DistinctColumn,
}

impl IssueColumns {
    fn push(&mut self, issue: &Issue, of: IssueOf<'_>) {
        let IssueOf { row, origin, group, line, reported, .. } = of;
        let recorded = reported.and_then(|reported| reported.name.as_deref());
        let listed = issue.kind.place().filter(|_| recorded.is_none());
        let kind = match listed {
            Some(place) => u32::try_from(place).unwrap_or(LISTED),
            None => LISTED + self.unlisted.index_of(recorded.unwrap_or(issue.kind.name())),
        };
        let (severity, reported) = (issue.severity, reported.map(|reported| reported.category));
        self.rows.push(OwnOfIssue { row, origin, group, line, severity, kind, reported });
        self.message.push(Some(&issue.message));
        self.location.push(issue.location.as_deref());
        self.suggestion.push(issue.suggestion.as_deref());
        self.parameter_keys.push(of.parameter_keys);
        self.task.push(of.task);
    }

    fn bytes(&self) -> usize {
        let Self { message, location, suggestion, parameter_keys, task, .. } = self;
        let columns = [message, location, suggestion, parameter_keys, task];
        columns.into_iter().map(DistinctColumn::bytes).sum()
    }

    /// In the category in which it is reported; `UnlistedIssue` where only the recording knows it.
    pub(super) fn type_of(&self, issue: usize) -> IssueType {
        let OwnOfIssue { kind, reported, .. } = self.rows[issue];
        let of_file = |number| OwnType::named(self.unlisted.texts().get(number as usize));
        let kind = match kind.checked_sub(LISTED) {
            None => IssueType::ALL[kind as usize],
            Some(number) => of_file(number).unwrap_or(IssueType::UnlistedIssue),
        };
        match reported {
            // There are no more of these than types and categories.
            Some(category) if category != Category::of(kind) => {
                let (name, about) = (kind.name().to_owned(), kind.about().to_owned());
                OwnType { name, about, side: kind.side(), category }.into_type()
            }
            Some(_) | None => kind,
        }
    }

    /// The name of an issue's type, also where only the recording knows it.
    pub(super) fn type_name(&self, issue: usize) -> &str {
        let kind = self.rows[issue].kind;
        match kind.checked_sub(LISTED) {
            None => IssueType::ALL[kind as usize].name(),
            Some(number) => self.unlisted.texts().get(number as usize),
        }
    }

    pub(super) fn severity_cells(&self) -> Cells {
        let severities = self.rows.iter().map(|issue| issue.severity as u32);
        Cells::named(Severity::ALL.map(Severity::name), severities.collect())
    }

    pub(super) fn type_cells(&self) -> Cells {
        let listed = IssueType::ALL.iter().map(|kind| kind.name());
        let names = listed.chain(self.unlisted.texts().iter());
        Cells::named(names, self.rows.iter().map(|issue| issue.kind).collect())
    }

    pub(super) fn origin_cells(&self) -> Cells {
        let origins = self.rows.iter().map(|issue| issue.origin() as u32);
        Cells::named(IssueOrigin::ALL.map(IssueOrigin::name), origins.collect())
    }

    /// Appends those of another batch, whose rows begin here; its origins and groups have these numbers.
    fn append(&mut self, other: &Self, rows: usize, origins: &[u32], groups: &[u32]) {
        let unlisted = self.unlisted.absorb(&other.unlisted);
        self.rows.extend(other.rows.iter().map(|issue| OwnOfIssue {
            row: issue.row.map(|row| row + rows),
            origin: renumber(origins, issue.origin),
            group: renumber(groups, issue.group),
            kind: match issue.kind.checked_sub(LISTED) {
                None => issue.kind,
                Some(number) => LISTED + renumber(&unlisted, number),
            },
            ..*issue
        }));
        self.message.append(&other.message);
        self.location.append(&other.location);
        self.suggestion.append(&other.suggestion);
        self.parameter_keys.append(&other.parameter_keys);
        self.task.append(&other.task);
    }
}

impl OwnOfIssue {
    fn origin(&self) -> IssueOrigin {
        match self.reported {
            None => IssueOrigin::Tapecheck,
            Some(_) => IssueOrigin::Reported,
        }
    }

    /// Its type as it is counted; `own` holds the codes of the unlisted types.
    pub(super) fn code(&self, own: &[IssueCode]) -> IssueCode {
        let code = match self.kind.checked_sub(LISTED) {
            None => IssueType::ALL[self.kind as usize].into(),
            Some(unlisted) => own[unlisted as usize],
        };
        code.from(self.origin())
    }

    /// What tells its type from others.
    pub(super) fn type_key(&self) -> (Severity, u32, bool) {
        (self.severity, self.kind, self.reported.is_some())
    }
}

impl VerdictBatch {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.rows.iter().map(|row| row.key)
    }

    /// Roughly how much memory the rows take.
    pub fn bytes(&self) -> usize {
        /// What a row takes in the columns of numbers, encoded ones included.
        const ROW: usize = 216;
        self.len() * ROW
            + self.issues.bytes()
            + self.origins.bytes()
            + self.groups.bytes()
            + self.replies.bytes()
            + self.excerpts.bytes()
            + self.id.bytes()
            + self.tasks.iter().map(|(_, task)| task.bytes()).sum::<usize>()
    }

    pub fn push(&mut self, row: &Row<'_>) {
        let Row { exchange, verdict, .. } = row;
        let origin = [Some(row.file), Some(&*exchange.session), exchange.label.as_deref()];
        let origin = self.origins.index_of(origin);
        self.saw(origin, row.moment);
        self.tasks.extend(row.tasks.named.iter().map(|task| (origin, task.clone())));
        let group = [
            Some(row.day),
            Some(&*exchange.server),
            Some(&*exchange.tool.name),
            exchange.scenario.as_deref(),
        ];
        let group = self.groups.index_of(group);
        let line = i64::try_from(exchange.place.line).unwrap_or(i64::MAX);
        let keys = verdict.parameter_keys.as_ref().filter(|_| !verdict.issues.is_empty());
        let keys = keys.and_then(|keys| serde_json::to_string(keys).ok());
        for (place, issue) in verdict.issues.iter().enumerate() {
            let of = IssueOf {
                row: Some(self.rows.len()),
                origin,
                group,
                line,
                reported: verdict.reported(place),
                task: row.tasks.of_issue(place),
                parameter_keys: keys.as_deref(),
            };
            self.issues.push(issue, of);
        }
        self.rows.push(OwnCells {
            key: row.keys.exchange,
            request: row.keys.request,
            line,
            byte: i64::try_from(exchange.place.byte).unwrap_or(i64::MAX),
            recorded_at: row.moment,
            duration: exchange.duration_ms,
            waited: exchange.waited_ms,
            sizes: exchange.reply.sizes(),
            origin,
            group,
            mark: self.marks.index_of(marks_of(exchange)),
            reply: self.replies.number_of(exchange, verdict),
        });
        self.id.push(exchange.id.as_deref());
        self.excerpts.push(row.excerpt);
    }

    pub fn push_of_session(&mut self, row: &SessionRow<'_>) {
        let origin = self.origins.index_of([Some(row.file), Some(row.session), None]);
        self.saw(origin, row.moment);
        let group = [Some(row.day), Some(row.server), Some(row.tool), None];
        let of = IssueOf {
            row: None,
            origin,
            group: self.groups.index_of(group),
            line: i64::try_from(row.line).unwrap_or(i64::MAX),
            reported: None,
            task: None,
            parameter_keys: None,
        };
        self.issues.push(row.issue, of);
    }

    fn saw(&mut self, origin: u32, moment: Option<Moment>) {
        let origin = origin as usize;
        if origin >= self.origin_last.len() {
            self.origin_last.resize(origin + 1, None);
        }
        self.origin_last[origin] = self.origin_last[origin].max(moment);
    }

    /// Appends the rows of the next batch, which must not be counted again.
    pub fn append(&mut self, other: &Self) {
        let origins = self.origins.absorb(&other.origins);
        let groups = self.groups.absorb(&other.groups);
        self.issues.append(&other.issues, self.len(), &origins, &groups);
        let marks = self.marks.absorb(&other.marks);
        let replies = self.replies.absorb(&other.replies);
        self.rows.extend(other.rows.iter().map(|row| OwnCells {
            origin: renumber(&origins, row.origin),
            group: renumber(&groups, row.group),
            mark: renumber(&marks, row.mark),
            reply: renumber(&replies, row.reply),
            ..*row
        }));
        for (origin, last) in origins.iter().zip(&other.origin_last) {
            self.saw(*origin, *last);
        }
        let tasks = other.tasks.iter();
        self.tasks.extend(tasks.map(|(origin, task)| (renumber(&origins, *origin), task.clone())));
        self.id.append(&other.id);
        self.excerpts.append(&other.excerpts);
    }
}

/// What the recording of a program says beside a call.
fn marks_of<'e>(exchange: &'e Exchange<'_>) -> [Option<&'e str>; 5] {
    let Some(origin) = &exchange.origin else { return [None; 5] };
    [
        Some(&origin.recorded_by),
        Some(origin.fidelity.name()),
        origin.refused_by.map(Refuser::name),
        origin.reply_cut.then_some("cut"),
        origin.name_is_guess.then_some("guess"),
    ]
}

impl VerdictBatch {
    /// A column of what each row has by itself.
    pub(super) fn own<T>(&self, of: impl Fn(&OwnCells) -> T) -> Vec<T> {
        self.rows.iter().map(of).collect()
    }

    /// One of the sizes of the replies.
    pub(super) fn size_cells(&self, part: usize) -> Cells {
        let mut sizes = Numbers::default();
        self.rows.iter().for_each(|row| sizes.push(Some(row.sizes[part].into())));
        ColumnCells::Ints(sizes).into_cells()
    }

    pub(super) fn issue_group_cells(&self, part: usize) -> Cells {
        Cells::Distinct(self.groups.column(part, self.issues.rows.iter().map(|it| it.group)))
    }

    pub(super) fn issue_origin_cells(&self, part: usize) -> Cells {
        Cells::Distinct(self.origins.column(part, self.issues.rows.iter().map(|it| it.origin)))
    }

    pub(super) fn group_cells(&self, part: usize) -> Cells {
        Cells::Distinct(self.groups.column(part, self.rows.iter().map(|row| row.group)))
    }

    pub(super) fn origin_cells(&self, part: usize) -> Cells {
        Cells::Distinct(self.origins.column(part, self.rows.iter().map(|row| row.origin)))
    }

    pub(super) fn mark_cells(&self, part: usize) -> Cells {
        Cells::Distinct(self.marks.column(part, self.rows.iter().map(|row| row.mark)))
    }

    /// Whether each row has a mark; empty where no program wrote it down.
    pub(super) fn mark_flags(&self, part: usize) -> Cells {
        Cells::Flags(self.own(|row| {
            let marks = self.marks.members[row.mark as usize];
            (marks[0] != NONE).then(|| marks[part] != NONE)
        }))
    }

    /// The keys of the exchanges that issues are about.
    pub(super) fn issue_key_cells(&self) -> Cells {
        let issues = self.issues.rows.iter();
        let keys = issues.map(|issue| issue.row.map(|row| self.rows[row].key));
        Cells::Keys(keys.collect())
    }
}

fn counted<T: Eq + Hash>(all: impl Iterator<Item = T>) -> IndexMap<T, u64, DefaultHashBuilder> {
    let mut counted = IndexMap::default();
    all.for_each(|one| *counted.entry(one).or_default() += 1);
    counted
}

impl VerdictBatch {
    /// Batches must come in corpus order, each once; one of many rows costs less than many of few.
    pub fn count_into(&self, cube: &mut Cube, legend: &Legend) {
        let members = self.groups.members.iter();
        let slots: Vec<GroupSlot> =
            members.map(|member| cube.slot(self.groups.text(*member))).collect();
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
                cube.count(slots[group], 1, &judged[shape].counted_once(&issues, legend));
            }
        }
        let counted_once: Vec<CountedOnce> = (judged.iter().zip(&of_shape))
            .map(|(judged, issues)| {
                judged.counted_once(issues.as_deref().unwrap_or_default(), legend)
            })
            .collect();
        for ((group, shape), times) in counted(cells.into_iter()) {
            cube.count(slots[group as usize], times, &counted_once[shape as usize]);
        }
        // What was not waited for to its end says nothing of how long it takes.
        let durations = self.rows.iter().filter_map(|row| {
            let bucket = row.duration.and_then(duration_bucket)?;
            let conclusion = &judged[shape(row) as usize].verdict.conclusion;
            conclusion.judgement.outcome.tells().then_some((row.group, bucket))
        });
        for ((group, bucket), times) in counted(durations) {
            cube.count_durations(slots[group as usize], bucket, times);
        }
        cube.keep_bounds();
    }

    /// Counts which rows are on which lists.
    pub(super) fn count_listed(&self, listed: &[(usize, List)], cube: &mut Cube) {
        let listed = listed.iter().map(|(row, list)| (self.rows[*row].group, *list));
        for ((group, list), times) in counted(listed) {
            let slot = cube.slot(self.groups.text(self.groups.members[group as usize]));
            cube.count_listed(slot, list, times);
        }
        cube.keep_bounds();
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
