//! What was observed of a stretch of the corpus, without what a rulebook made of it: with it, rulebooks
//! that look for the same and weigh it otherwise judge the stretch again without its tapes.

use super::excerpts::Excerpts;
use super::rows::{Apart, IssueColumns, Joint, LISTED, Owner, Quoted, VerdictBatch};
use super::shape_wire::Wire;
use super::shapes::{Shape, Shapes};
use super::stretch::Known;
use super::texts::{DistinctColumn, NONE};
use crate::rulebook::{IssueWording, OutcomeKind, Rulebook, Ruling, refusal_kind, root_of};
use crate::tape::{ExchangeKind, Moment};
use crate::verdict::{Ground, Issue, IssueType, SchemaOutcome, Severity};
use std::fs::File;
use std::sync::Arc;

/// How a call of this shape ended under a rulebook, and the issue that this raises.
struct Ended<'r> {
    ruling: Ruling,
    wording: Option<&'r IssueWording>,
    kind: IssueType,
}

impl<'r> Ended<'r> {
    /// `None` where what was observed is not enough to tell.
    fn of(shape: &Shape, rulebook: &'r Rulebook) -> Option<Self> {
        if shape.kind != ExchangeKind::ToolCall {
            return None;
        }
        let ruling = rulebook.rule(shape.ground, shape.facts, shape.schema)?;
        let wording = rulebook.outcome(ruling.kind).issue.as_ref();
        let kind = wording.map_or(IssueType::UnlistedIssue, |wording| wording.kind);
        let refused = shape.schema.filter(|_| ruling.kind == OutcomeKind::SchemaFailed);
        Some(Self { ruling, wording, kind: refusal_kind(kind, refused) })
    }
}

impl VerdictBatch {
    /// What was observed of the rows, which this rulebook judged; `None` where a verdict rests on more
    /// than can be kept.
    #[must_use]
    pub fn observed(&self, rulebook: &Rulebook) -> Option<Vec<u8>> {
        let shapes = self.shapes.all();
        let ended: Vec<Ended<'_>> =
            shapes.iter().map(|shape| Ended::of(shape, rulebook)).collect::<Option<_>>()?;
        let bare = shapes.iter().zip(&ended).map(|(shape, ended)| match ended.wording {
            None => Some(shape.clone()),
            Some(wording) => shape.without((wording.severity, ended.kind)),
        });
        let bare: Vec<Shape> = bare.collect::<Option<_>>()?;
        let mut out = Vec::with_capacity(self.len() * 128);
        self.keys.write(&mut out);
        self.line.write(&mut out);
        self.origin.write(&mut out);
        self.origins.write(&mut out);
        self.origin_last.write(&mut out);
        self.group.write(&mut out);
        self.groups.write(&mut out);
        self.shape.write(&mut out);
        bare.write(&mut out);
        self.excerpts.write(&mut out);
        self.quoted.write(&mut out);
        self.apart.write(&mut out);
        self.write_bare_issues(&ended, &mut out);
        Some(out)
    }

    /// The issues, without those about outcomes, which come first of their rows.
    fn write_bare_issues(&self, ended: &[Ended<'_>], out: &mut Vec<u8>) {
        let mut last = None;
        let bare: Vec<usize> = (0..)
            .zip(self.issues.owners())
            .filter_map(|(at, owner)| {
                let is_first = last != Some(owner);
                last = Some(owner);
                match owner {
                    Owner::Exchange(row) if is_first => {
                        ended[self.shape[row] as usize].wording.is_none().then_some(at)
                    }
                    Owner::Exchange(_) | Owner::Session(_) => Some(at),
                }
            })
            .collect();
        (bare.len() as u64).write(out);
        for at in bare {
            let issues = &self.issues;
            issues.owner_numbers()[at].write(out);
            issues.severity[at].write(out);
            issues.kind[at].write(out);
            let own = issues.kind[at].checked_sub(LISTED);
            own.map(|own| issues.unlisted.texts().get(own as usize).to_owned()).write(out);
            for column in [&issues.message, &issues.location, &issues.suggestion, &issues.task] {
                column.get(at).map(str::to_owned).write(out);
            }
        }
    }

    /// The rows that were observed, as this rulebook judges them; `None` where that takes their tapes.
    /// The columns that are known stand apart: what there is to say about them, and where they are.
    #[must_use]
    pub fn judged_again(
        mut bytes: &[u8],
        (known, columns): (&mut &[u8], (&Arc<File>, u64)),
        rulebook: &Rulebook,
    ) -> Option<Self> {
        let bytes = &mut bytes;
        let mut batch = Self {
            keys: Wire::read(bytes)?,
            line: Wire::read(bytes)?,
            origin: Wire::read(bytes)?,
            origins: Wire::read(bytes)?,
            origin_last: Wire::read(bytes)?,
            group: Wire::read(bytes)?,
            groups: Wire::read(bytes)?,
            shape: Wire::read(bytes)?,
            ..Self::default()
        };
        let bare: Vec<Shape> = Wire::read(bytes)?;
        batch.excerpts = Wire::read(bytes)?;
        batch.quoted = Wire::read(bytes)?;
        batch.apart = Wire::read(bytes)?;
        let ended: Vec<Ended<'_>> =
            bare.iter().map(|shape| Ended::of(shape, rulebook)).collect::<Option<_>>()?;
        if bare.iter().zip(&ended).any(|(shape, ended)| lacks_task(shape, ended)) {
            return None;
        }
        batch.read_issues(bytes, &ended)?;
        let judged = bare.into_iter().zip(&ended);
        let judged = judged.map(|(shape, ended)| shape.judged_as(ended, rulebook)).collect();
        batch.shapes = Shapes::of(judged);
        batch.known = Some(Known::read(known, columns, batch.len())?);
        bytes.is_empty().then_some(batch)
    }

    /// Puts the issues about outcomes among the others, each first of its row.
    fn read_issues(&mut self, bytes: &mut &[u8], ended: &[Ended<'_>]) -> Option<()> {
        let mut issues = IssueColumns::default();
        let mut next_row = 0;
        let mut quoted = self.quoted.rows.iter().enumerate().peekable();
        let mut about_outcomes = |until: usize, issues: &mut IssueColumns| -> Option<()> {
            for row in next_row..until.max(next_row) {
                let ended = ended.get(*self.shape.get(row)? as usize)?;
                let Some(wording) = ended.wording else { continue };
                while quoted.next_if(|(_, of)| (**of as usize) < row).is_some() {}
                let at = quoted.peek().filter(|(_, of)| **of as usize == row).map(|(at, _)| *at);
                let text = at.and_then(|at| self.quoted.text.get(at)).unwrap_or_default();
                let mut issue = Issue { kind: ended.kind, ..wording.issue(text) };
                if ended.ruling.kind == OutcomeKind::SchemaFailed {
                    let pointer = at.and_then(|at| self.quoted.pointer.get(at));
                    issue.location = root_of(pointer.map(str::to_owned));
                }
                let task = at.and_then(|at| self.quoted.task.get(at));
                issues.push(Owner::Exchange(row), &issue, (None, task));
            }
            next_row = next_row.max(until);
            Some(())
        };
        for _ in 0..u64::read(bytes)? {
            let owner = Owner::of_number(Wire::read(bytes)?);
            let until = match owner {
                Owner::Exchange(row) => row + 1,
                Owner::Session(number) => self.apart.get(number)?.rows_before as usize,
            };
            about_outcomes(until, &mut issues)?;
            let (severity, kind): (u32, u32) = (Wire::read(bytes)?, Wire::read(bytes)?);
            let own: Option<String> = Wire::read(bytes)?;
            let kind = IssueType::ALL.get(kind as usize).copied();
            let issue = Issue {
                severity: *Severity::ALL.get(severity as usize)?,
                kind: kind.or(own.as_ref().map(|_| IssueType::UnlistedIssue))?,
                message: Option::<String>::read(bytes)??,
                location: Wire::read(bytes)?,
                suggestion: Wire::read(bytes)?,
            };
            let task: Option<String> = Wire::read(bytes)?;
            issues.push(owner, &issue, (own.as_deref(), task.as_deref()));
        }
        about_outcomes(self.shape.len(), &mut issues)?;
        self.issues = issues;
        Some(())
    }
}

/// Whether rows of a shape have an issue now whose task nobody looked for: replies in which there was
/// nothing to find.
fn lacks_task(shape: &Shape, ended: &Ended<'_>) -> bool {
    let is_refused = shape.schema.is_some_and(SchemaOutcome::is_refusal);
    let is_plain = shape.ground == Ground::Content && shape.patterns.is_empty() && !is_refused;
    is_plain && ended.wording.is_some_and(|wording| wording.severity != Severity::Info)
}

impl Shape {
    /// The shape without an issue that it has.
    fn without(&self, (severity, kind): (Severity, IssueType)) -> Option<Self> {
        let mut shape = self.clone();
        let mut types = shape.types()?;
        types.remove(types.iter().position(|one| *one == told(severity, kind))?);
        *shape.severities.count_mut(severity) -= 1;
        shape.set_types(&types);
        Some(shape)
    }

    /// The shape as a rulebook judges it.
    fn judged_as(mut self, ended: &Ended<'_>, rulebook: &Rulebook) -> Self {
        let Ended { ruling, wording, kind } = ended;
        let outcome = rulebook.outcome(ruling.kind);
        let decided = ruling.decided.as_ref();
        let score = decided.map(|decided| decided.score);
        self.class = outcome.classification;
        self.confidence = rulebook.confidence(ruling.kind, score.unwrap_or_default());
        self.is_valid = outcome.is_valid;
        self.business_logic = decided.map(|decided| decided.business_logic);
        self.score = score;
        self.threshold = decided.and_then(|decided| decided.threshold);
        self.decision = decided.and_then(|decided| decided.line);
        self.error_kind = ruling.error_kind;
        self.hidden_failure = ruling.hidden_failure;
        if let Some(wording) = wording {
            let mut types = self.types().unwrap_or_default();
            types.push(told(wording.severity, *kind));
            types.sort_unstable();
            *self.severities.count_mut(wording.severity) += 1;
            self.set_types(&types);
        }
        self
    }

    fn types(&self) -> Option<Vec<String>> {
        match &self.issue_types {
            None => Some(Vec::new()),
            Some(types) => serde_json::from_str(types).ok(),
        }
    }

    fn set_types(&mut self, types: &[String]) {
        self.has_security_issue = types.iter().any(|told| {
            let name = told.split_once(' ').map_or("", |(_, name)| name);
            IssueType::ALL.iter().any(|kind| kind.name() == name && kind.is_about_security())
        });
        self.issue_types = (!types.is_empty())
            .then(|| serde_json::to_string(types).expect("texts are plain data"));
    }
}

fn told(severity: Severity, kind: IssueType) -> String {
    format!("{} {}", severity.name(), kind.name())
}

impl Wire for i64 {
    fn write(&self, out: &mut Vec<u8>) {
        self.cast_unsigned().write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        u64::read(bytes).map(u64::cast_signed)
    }
}

impl Wire for Moment {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Wire::read(bytes).map(Self)
    }
}

impl Wire for Apart {
    fn write(&self, out: &mut Vec<u8>) {
        let Self { origin, group, line, rows_before } = self;
        for number in [origin, group, rows_before] {
            number.write(out);
        }
        line.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (origin, group) = (Wire::read(bytes)?, Wire::read(bytes)?);
        let rows_before = Wire::read(bytes)?;
        Some(Self { origin, group, line: Wire::read(bytes)?, rows_before })
    }
}

impl Wire for Quoted {
    fn write(&self, out: &mut Vec<u8>) {
        let Self { rows, text, pointer, task } = self;
        rows.write(out);
        for column in [text, pointer, task] {
            column.write(out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let rows: Vec<u32> = Wire::read(bytes)?;
        let mut column = || {
            let column: DistinctColumn = Wire::read(bytes)?;
            (column.rows.len() == rows.len()).then_some(column)
        };
        let (text, pointer, task) = (column()?, column()?, column()?);
        Some(Self { rows, text, pointer, task })
    }
}

impl Wire for DistinctColumn {
    fn write(&self, out: &mut Vec<u8>) {
        write_texts(self.distinct.texts().iter(), out);
        self.rows.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut column = Self::default();
        for _ in 0..u64::read(bytes)? {
            column.distinct.index_of(read_text(bytes)?);
        }
        column.rows = Wire::read(bytes)?;
        let count = column.distinct.texts().len();
        let fits = |row: &u32| *row == NONE || (*row as usize) < count;
        column.rows.iter().all(fits).then_some(column)
    }
}

impl<const N: usize> Wire for Joint<N> {
    fn write(&self, out: &mut Vec<u8>) {
        self.parts.iter().for_each(|part| write_texts(part.texts().iter(), out));
        (self.members.len() as u64).write(out);
        self.members.iter().flatten().for_each(|part| part.write(out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut joint = Self::default();
        for part in &mut joint.parts {
            for _ in 0..u64::read(bytes)? {
                part.index_of(read_text(bytes)?);
            }
        }
        for _ in 0..u64::read(bytes)? {
            let mut member = [0; N];
            for (at, part) in member.iter_mut().enumerate() {
                *part = u32::read(bytes)?;
                let count = joint.parts[at].texts().len();
                if *part != NONE && *part as usize >= count {
                    return None;
                }
            }
            joint.number_of(member);
        }
        Some(joint)
    }
}

impl Wire for Excerpts {
    fn write(&self, out: &mut Vec<u8>) {
        self.write_all(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Self::read_all(bytes)
    }
}

fn write_texts<'t>(texts: impl ExactSizeIterator<Item = &'t str>, out: &mut Vec<u8>) {
    (texts.len() as u64).write(out);
    texts.for_each(|text| write_text(text, out));
}

/// Texts of which any number may follow each other.
pub(super) fn write_text(text: &str, out: &mut Vec<u8>) {
    crate::tally::wire::write_text(text, out);
}

pub(super) fn read_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    crate::tally::wire::read_text(bytes)
}
