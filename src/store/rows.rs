//! Verdicts on their way into tables: one batch of columns per stretch of the corpus.

use super::excerpts::{Excerpts, Kept};
use super::judged_reply::JudgedReplies;
use super::parquet::Cells;
use super::texts::{Distinct, DistinctColumn, NONE, Numbered, PlainColumn, renumber};
use crate::check::Tasks;
use crate::count::{GroupRef, IssueCode};
use crate::recording::{Exchange, Key, Keys, Moment, Refuser, Task};
use crate::verdict::{
    Category, Issue, IssueOrigin, IssueType, OwnType, ReportedIssue, Severity, Verdict,
};

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

/// Where an issue of a session stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    pub(super) origin: u32,
    pub(super) group: u32,
    pub(super) line: i64,
}

/// Rows of the tables `verdicts` and `issues`, and what they count, for a stretch of the corpus.
///
/// What occurs often is kept once per batch, so a row costs little more than its numbers.
#[derive(Debug, Default)]
pub struct VerdictBatch {
    pub(super) keys: Vec<Key>,
    pub(super) requests: Vec<Key>,
    pub(super) line: Vec<i64>,
    pub(super) byte: Vec<i64>,
    pub(super) id: PlainColumn,
    pub(super) recorded_at: Vec<Option<Moment>>,
    pub(super) duration: Vec<Option<f64>>,
    pub(super) waited: Vec<Option<f64>>,
    /// File, session and label.
    pub(super) origin: Vec<u32>,
    pub(super) origins: Joint<3>,
    /// When the last exchange of each origin took place.
    pub(super) origin_last: Vec<Option<Moment>>,
    /// The tasks of each origin, in the order in which they are named.
    pub(super) tasks: Vec<(u32, Task)>,
    /// Day, server, tool and scenario: what rows are counted by.
    pub(super) group: Vec<u32>,
    pub(super) groups: Joint<4>,
    /// Program, fidelity, who refused, and marks of the reply and of the name.
    pub(super) mark: Vec<u32>,
    pub(super) marks: Joint<5>,
    /// The number of each row's verdict among `replies`.
    pub(super) reply: Vec<u32>,
    pub(super) replies: JudgedReplies,
    pub(super) excerpts: Excerpts,
    pub(super) issues: IssueColumns,
    /// Issues of sessions, which have no row of an exchange.
    pub(super) apart: Vec<Apart>,
}

/// Texts that occur together, each combination once.
#[derive(Debug)]
pub(super) struct Joint<const N: usize> {
    pub(super) parts: [Distinct; N],
    pub(super) members: Numbered<[u32; N]>,
    last: usize,
}

impl<const N: usize> Default for Joint<N> {
    fn default() -> Self {
        Self {
            parts: std::array::from_fn(|_| Distinct::default()),
            members: Numbered::default(),
            last: 0,
        }
    }
}

impl<const N: usize> Joint<N> {
    fn make_room(&mut self, count: usize) {
        self.members.reserve(count);
        self.parts.iter_mut().for_each(|part| part.make_room(count / 2));
    }

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

impl Joint<3> {
    /// File and session of an origin.
    pub(super) fn session(&self, origin: u32) -> (&str, &str) {
        let [file, session, _] = self.members[origin as usize];
        let text = |part: usize, index: u32| self.parts[part].texts().get(index as usize);
        (text(0, file), text(1, session))
    }
}

impl Joint<4> {
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

/// What an issue belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The exchange in this row.
    Exchange(usize),
    /// A session: this one of [`VerdictBatch::apart`].
    Session(usize),
}

#[derive(Debug, Default)]
pub(super) struct IssueColumns {
    pub(super) owners: Vec<Owner>,
    pub(super) severity: Vec<u32>,
    /// A type of the table by its number, or one of `unlisted` behind them.
    pub(super) kind: Vec<u32>,
    pub(super) unlisted: Distinct,
    /// The category of one that the recording reports.
    reported: Vec<Option<&'static Category>>,
    pub(super) message: DistinctColumn,
    pub(super) location: DistinctColumn,
    pub(super) suggestion: DistinctColumn,
    /// The names of the call's arguments, as JSON.
    pub(super) parameter_keys: DistinctColumn,
    /// The id of the task.
    pub(super) task: DistinctColumn,
}

/// What is known of an issue beside itself.
#[derive(Clone, Copy, Default)]
struct Beside<'a> {
    reported: Option<&'a ReportedIssue>,
    task: Option<&'a str>,
    parameter_keys: Option<&'a str>,
}

impl IssueColumns {
    fn with_room_for(issues: usize) -> Self {
        let mut columns = Self {
            owners: Vec::with_capacity(issues),
            severity: Vec::with_capacity(issues),
            kind: Vec::with_capacity(issues),
            reported: Vec::with_capacity(issues),
            ..Self::default()
        };
        let Self { message, location, suggestion, parameter_keys, task, .. } = &mut columns;
        for column in [message, location, suggestion, parameter_keys, task] {
            column.rows.reserve(issues);
        }
        columns
    }

    pub(super) fn len(&self) -> usize {
        self.owners.len()
    }

    fn push(&mut self, owner: Owner, issue: &Issue, beside: Beside<'_>) {
        let recorded = beside.reported.and_then(|reported| reported.name.as_deref());
        self.owners.push(owner);
        self.task.push(beside.task);
        self.parameter_keys.push(beside.parameter_keys);
        self.severity.push(issue.severity as u32);
        self.reported.push(beside.reported.map(|reported| reported.category));
        let listed = issue.kind.place().filter(|_| recorded.is_none());
        self.kind.push(match listed {
            Some(place) => u32::try_from(place).unwrap_or(LISTED),
            None => LISTED + self.unlisted.index_of(recorded.unwrap_or(issue.kind.name())),
        });
        self.message.push(Some(&issue.message));
        self.location.push(issue.location.as_deref());
        self.suggestion.push(issue.suggestion.as_deref());
    }

    /// In the category in which it is reported; `UnlistedIssue` where only the recording knows it.
    pub(super) fn type_of(&self, issue: usize) -> IssueType {
        let kind = self.kind[issue];
        let of_file = |number| OwnType::named(self.unlisted.texts().get(number as usize));
        let kind = match kind.checked_sub(LISTED) {
            None => IssueType::ALL[kind as usize],
            Some(number) => of_file(number).unwrap_or(IssueType::UnlistedIssue),
        };
        match self.reported[issue] {
            // There are no more of these than types and categories.
            Some(category) if category != Category::of(kind) => {
                let (name, about) = (kind.name().to_owned(), kind.about().to_owned());
                OwnType { name, about, side: kind.side(), category }.into_type()
            }
            Some(_) | None => kind,
        }
    }

    fn origin_of(&self, issue: usize) -> IssueOrigin {
        match self.reported[issue] {
            None => IssueOrigin::Tapecheck,
            Some(_) => IssueOrigin::Reported,
        }
    }

    pub(super) fn origin_cells(&self) -> Cells {
        let origins = (0..self.len()).map(|issue| self.origin_of(issue) as u32).collect();
        Cells::named(IssueOrigin::ALL.map(IssueOrigin::name), origins)
    }

    /// The name of an issue's type, also where only the recording knows it.
    pub(super) fn type_name(&self, issue: usize) -> &str {
        let kind = self.kind[issue];
        match kind.checked_sub(LISTED) {
            None => IssueType::ALL[kind as usize].name(),
            Some(number) => self.unlisted.texts().get(number as usize),
        }
    }

    /// Severity and type, as they are counted; `own` holds the codes of the unlisted types.
    pub(super) fn code_at(&self, issue: usize, own: &[IssueCode]) -> (Severity, IssueCode) {
        let (severity, kind) = (self.severity[issue] as usize, self.kind[issue]);
        let code = match kind.checked_sub(LISTED) {
            None => IssueType::ALL[kind as usize].into(),
            Some(unlisted) => own[unlisted as usize],
        };
        (Severity::ALL[severity], code.from(self.origin_of(issue)))
    }

    /// What tells its type from others: severity, type and origin.
    pub(super) fn type_at(&self, issue: usize) -> (u32, u32, bool) {
        (self.severity[issue], self.kind[issue], self.reported[issue].is_some())
    }

    fn append(&mut self, other: &Self, rows: usize, apart: usize) {
        self.owners.extend(other.owners.iter().map(|owner| match owner {
            Owner::Exchange(row) => Owner::Exchange(row + rows),
            Owner::Session(number) => Owner::Session(number + apart),
        }));
        self.task.append(&other.task);
        self.severity.extend_from_slice(&other.severity);
        self.reported.extend_from_slice(&other.reported);
        let renumbered = self.unlisted.absorb(&other.unlisted);
        self.kind.extend(other.kind.iter().map(|kind| match kind.checked_sub(LISTED) {
            None => *kind,
            Some(unlisted) => LISTED + renumber(&renumbered, unlisted),
        }));
        self.message.append(&other.message);
        self.location.append(&other.location);
        self.suggestion.append(&other.suggestion);
        self.parameter_keys.append(&other.parameter_keys);
    }
}

impl VerdictBatch {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn with_room_for(rows: usize) -> Self {
        let (mut origins, mut groups) = (Joint::default(), Joint::default());
        origins.make_room(rows / 4);
        groups.make_room(rows / 2);
        let (mut id, mut excerpts) = (PlainColumn::default(), Excerpts::default());
        let Excerpts { reply, input, spans, .. } = &mut excerpts;
        for column in [&mut id, reply, input, spans] {
            column.make_room(rows);
        }
        Self {
            origins,
            groups,
            id,
            excerpts,
            recorded_at: Vec::with_capacity(rows),
            mark: Vec::with_capacity(rows),
            keys: Vec::with_capacity(rows),
            requests: Vec::with_capacity(rows),
            line: Vec::with_capacity(rows),
            byte: Vec::with_capacity(rows),
            duration: Vec::with_capacity(rows),
            waited: Vec::with_capacity(rows),
            origin: Vec::with_capacity(rows),
            group: Vec::with_capacity(rows),
            reply: Vec::with_capacity(rows),
            issues: IssueColumns::with_room_for(rows / 2),
            ..Self::default()
        }
    }

    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Roughly how much memory the rows take.
    pub fn bytes(&self) -> usize {
        /// What a row takes in the columns of numbers, encoded ones included.
        const ROW: usize = 192;
        let issues = &self.issues;
        let IssueColumns { message, location, suggestion, parameter_keys, task, .. } = issues;
        let issues = [message, location, suggestion, parameter_keys, task];
        (self.len() + self.apart.len()) * ROW
            + issues.into_iter().map(DistinctColumn::bytes).sum::<usize>()
            + self.origins.bytes()
            + self.groups.bytes()
            + self.replies.bytes()
            + self.excerpts.bytes()
            + self.id.bytes()
            + self.tasks.iter().map(|(_, task)| task.bytes()).sum::<usize>()
            + self.recorded_at.len() * size_of::<Option<Moment>>()
    }

    pub fn push(&mut self, row: &Row<'_>) {
        let Row { exchange, verdict, .. } = row;
        let row_number = self.len();
        let keys = verdict.parameter_keys.as_ref().filter(|_| !verdict.issues.is_empty());
        let keys = keys.and_then(|keys| serde_json::to_string(keys).ok());
        for (place, issue) in verdict.issues.iter().enumerate() {
            let beside = Beside {
                reported: verdict.reported(place),
                task: row.tasks.of_issue(place),
                parameter_keys: keys.as_deref(),
            };
            self.issues.push(Owner::Exchange(row_number), issue, beside);
        }
        self.keys.push(row.keys.exchange);
        self.requests.push(row.keys.request);
        self.line.push(i64::try_from(exchange.place.line).unwrap_or(i64::MAX));
        self.byte.push(i64::try_from(exchange.place.byte).unwrap_or(i64::MAX));
        self.id.push(exchange.id.as_deref());
        self.recorded_at.push(row.moment);
        self.duration.push(exchange.duration_ms);
        self.waited.push(exchange.waited_ms);
        let origin = [Some(row.file), Some(&*exchange.session), exchange.label.as_deref()];
        let origin = self.origins.index_of(origin);
        self.saw(origin, row.moment);
        self.origin.push(origin);
        self.tasks.extend(row.tasks.named.iter().map(|task| (origin, task.clone())));
        let group = [
            Some(row.day),
            Some(&*exchange.server),
            Some(&*exchange.tool.name),
            exchange.scenario.as_deref(),
        ];
        self.group.push(self.groups.index_of(group));
        self.mark.push(self.marks.index_of(marks_of(exchange)));
        self.reply.push(self.replies.number_of(exchange, verdict));
        self.excerpts.push(row.excerpt);
    }

    pub fn push_of_session(&mut self, row: &SessionRow<'_>) {
        let owner = Owner::Session(self.apart.len());
        self.issues.push(owner, row.issue, Beside::default());
        let origin = self.origins.index_of([Some(row.file), Some(row.session), None]);
        self.saw(origin, row.moment);
        let group = [Some(row.day), Some(row.server), Some(row.tool), None];
        let group = self.groups.index_of(group);
        let line = i64::try_from(row.line).unwrap_or(i64::MAX);
        self.apart.push(Apart { origin, group, line });
    }

    fn saw(&mut self, origin: u32, moment: Option<Moment>) {
        let origin = origin as usize;
        if origin >= self.origin_last.len() {
            self.origin_last.resize(origin + 1, None);
        }
        self.origin_last[origin] = self.origin_last[origin].max(moment);
    }

    /// Appends the rows of the next batch, which must not be tallied again.
    pub fn append(&mut self, other: &Self) {
        let before = self.len();
        self.issues.append(&other.issues, before, self.apart.len());
        self.keys.extend_from_slice(&other.keys);
        self.requests.extend_from_slice(&other.requests);
        self.line.extend_from_slice(&other.line);
        self.byte.extend_from_slice(&other.byte);
        self.id.append(&other.id);
        self.recorded_at.extend_from_slice(&other.recorded_at);
        self.duration.extend_from_slice(&other.duration);
        self.waited.extend_from_slice(&other.waited);
        let renumbered = self.origins.absorb(&other.origins);
        self.origin.extend(other.origin.iter().map(|origin| renumber(&renumbered, *origin)));
        for (origin, last) in renumbered.iter().zip(&other.origin_last) {
            self.saw(*origin, *last);
        }
        let tasks = other.tasks.iter();
        self.tasks
            .extend(tasks.map(|(origin, task)| (renumber(&renumbered, *origin), task.clone())));
        let apart_origins: Vec<u32> =
            other.apart.iter().map(|apart| renumber(&renumbered, apart.origin)).collect();
        let renumbered = self.groups.absorb(&other.groups);
        self.group.extend(other.group.iter().map(|group| renumber(&renumbered, *group)));
        self.apart.extend(other.apart.iter().zip(apart_origins).map(|(apart, origin)| Apart {
            origin,
            group: renumber(&renumbered, apart.group),
            line: apart.line,
        }));
        let renumbered = self.marks.absorb(&other.marks);
        self.mark.extend(other.mark.iter().map(|mark| renumber(&renumbered, *mark)));
        let renumbered = self.replies.absorb(&other.replies);
        self.reply.extend(other.reply.iter().map(|reply| renumber(&renumbered, *reply)));
        self.excerpts.append(&other.excerpts);
    }
}

/// Where the issues of a batch stand: in the rows of their exchanges, or of their sessions.
pub(super) struct IssuePlaces {
    pub(super) groups: Vec<u32>,
    pub(super) origins: Vec<u32>,
    pub(super) lines: Vec<i64>,
}

impl<const N: usize> Joint<N> {
    /// A column of texts: which part of a combination each row has.
    pub(super) fn cells(&self, part: usize, rows: &[u32]) -> Cells {
        Cells::Distinct {
            texts: self.parts[part].texts().clone(),
            rows: rows.iter().map(|row| self.members[*row as usize][part]).collect(),
        }
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
    pub(super) fn issue_places(&self) -> IssuePlaces {
        let mut places = IssuePlaces { groups: Vec::new(), origins: Vec::new(), lines: Vec::new() };
        for owner in self.issues.owners.iter().copied() {
            let (group, origin, line) = match owner {
                Owner::Exchange(row) => (self.group[row], self.origin[row], self.line[row]),
                Owner::Session(number) => {
                    let Apart { group, origin, line, .. } = self.apart[number];
                    (group, origin, line)
                }
            };
            places.groups.push(group);
            places.origins.push(origin);
            places.lines.push(line);
        }
        places
    }

    pub(super) fn group_cells(&self, part: usize) -> Cells {
        self.groups.cells(part, &self.group)
    }

    pub(super) fn origin_cells(&self, part: usize) -> Cells {
        self.origins.cells(part, &self.origin)
    }

    pub(super) fn mark_cells(&self, part: usize) -> Cells {
        self.marks.cells(part, &self.mark)
    }

    /// Whether each row has a mark; empty where no program wrote it down.
    pub(super) fn mark_flags(&self, part: usize) -> Cells {
        let flag = |mark: &u32| {
            let is_of_program = self.marks.members[*mark as usize][0] != NONE;
            is_of_program.then(|| self.marks.members[*mark as usize][part] != NONE)
        };
        Cells::Flags(self.mark.iter().map(flag).collect())
    }

    /// The keys of the exchanges that issues are about.
    pub(super) fn issue_key_cells(&self) -> Cells {
        let key = |owner: &Owner| match *owner {
            Owner::Exchange(row) => Some(self.keys[row]),
            Owner::Session(_) => None,
        };
        Cells::Keys(self.issues.owners.iter().map(key).collect())
    }
}
