//! What sessions amount to: how many errors and warnings each has, and the first of them.

use super::spill::{Mergeable, Sorted, SpillError, SpillSpace, Spilling};
use super::wire::{read_number, read_part, write_number, write_part};
use crate::recording::Moment;
use crate::verdict::{Issue, IssueType, Severity};

/// Issues of a session that are kept; the others are only counted.
const MOST: usize = 100;

/// The types of a session's issues, a bit for each.
type Kinds = u128;

const _: () = assert!(IssueType::ALL.len() <= Kinds::BITS as usize, "a bit for each type");

/// An error or a warning, and the task it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstIssue {
    pub issue: Issue,
    pub task: Option<String>,
    /// The line of its tape.
    pub line: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct FirstIssueRef<'a> {
    /// How bad it is.
    pub severity: Severity,
    pub kind: IssueType,
    pub message: &'a str,
    pub location: Option<&'a str>,
    /// What to do about it.
    pub suggestion: Option<&'a str>,
    pub task: Option<&'a str>,
    /// The line of its tape.
    pub line: u64,
}

impl FirstIssueRef<'_> {
    fn to_owned(self) -> FirstIssue {
        FirstIssue {
            issue: Issue {
                severity: self.severity,
                kind: self.kind,
                side: self.kind.side(),
                message: self.message.to_owned(),
                location: self.location.map(str::to_owned),
                suggestion: self.suggestion.map(str::to_owned),
            },
            task: self.task.map(str::to_owned),
            line: self.line,
        }
    }
}

/// The errors and warnings of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionIssues {
    pub errors: u64,
    pub warnings: u64,
    /// When its last exchange took place, as far as recordings say.
    pub last: Option<Moment>,
    /// The first of its errors and warnings.
    pub first: Vec<FirstIssue>,
    kinds: Kinds,
    /// What the texts of the first ones take.
    bytes: usize,
}

impl SessionIssues {
    pub fn kinds(&self) -> impl Iterator<Item = IssueType> {
        let has = |at: &usize| self.kinds >> at & 1 == 1;
        (0..IssueType::ALL.len()).filter(has).map(|at| IssueType::ALL[at])
    }

    fn add(&mut self, issue: FirstIssueRef<'_>) {
        match issue.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => return,
        }
        self.kinds |= 1 << issue.kind as usize;
        if self.first.len() < MOST {
            self.keep(issue.to_owned());
        }
    }

    fn absorb_counts(&mut self, later: &Self) {
        self.errors += later.errors;
        self.warnings += later.warnings;
        self.kinds |= later.kinds;
        self.last = self.last.max(later.last);
    }

    fn keep(&mut self, issue: FirstIssue) {
        let Issue { message, location, suggestion, .. } = &issue.issue;
        let texts = [location, suggestion, &issue.task].into_iter().flatten().map(String::len);
        self.bytes += size_of::<FirstIssue>() + message.len() + texts.sum::<usize>();
        self.first.push(issue);
    }
}

impl Mergeable for SessionIssues {
    fn absorb(&mut self, later: Self) {
        self.absorb_counts(&later);
        let room = MOST.saturating_sub(self.first.len());
        later.first.into_iter().take(room).for_each(|issue| self.keep(issue));
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(self.errors, out);
        write_number(self.warnings, out);
        out.extend_from_slice(&self.kinds.to_le_bytes());
        out.push(u8::from(self.last.is_some()));
        out.extend_from_slice(&self.last.map_or(0, |last| last.0).to_le_bytes());
        write_number(self.first.len() as u64, out);
        for FirstIssue { issue, task, line } in &self.first {
            write_number(*line, out);
            write_number(issue.severity as u64, out);
            write_number(issue.kind as u64, out);
            write_part(&issue.message, out);
            for text in [&issue.location, &issue.suggestion, task] {
                out.push(u8::from(text.is_some()));
                if let Some(text) = text {
                    write_part(text, out);
                }
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut read = Self {
            errors: read_number(bytes)?,
            warnings: read_number(bytes)?,
            kinds: Kinds::from_le_bytes(read_fixed(bytes)?),
            ..Self::default()
        };
        let [is_known] = read_fixed(bytes)?;
        let last = i64::from_le_bytes(read_fixed(bytes)?);
        read.last = (is_known == 1).then_some(Moment(last));
        for _ in 0..read_number(bytes)? {
            let line = read_number(bytes)?;
            let severity = Severity::ALL.get(usize::try_from(read_number(bytes)?).ok()?)?;
            let kind = IssueType::ALL.get(usize::try_from(read_number(bytes)?).ok()?)?;
            let message = read_part(bytes)?;
            let mut text = || -> Option<Option<String>> {
                let [is_there] = read_fixed(bytes)?;
                if is_there == 1 { read_part(bytes).map(Some) } else { Some(None) }
            };
            let (location, suggestion, task) = (text()?, text()?, text()?);
            let (severity, kind) = (*severity, *kind);
            let side = kind.side();
            let issue = Issue { severity, kind, side, message, location, suggestion };
            read.keep(FirstIssue { issue, task, line });
        }
        Some(read)
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.bytes
    }
}

fn read_fixed<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

/// The sessions of a run.
#[derive(Debug)]
pub struct Sessions {
    each: Spilling<SessionIssues>,
    whole: SessionIssues,
    key: Vec<u8>,
}

/// Where a session is counted.
#[derive(Clone, Copy, Debug)]
pub struct SessionSlot(usize);

impl Sessions {
    /// No sessions yet.
    #[must_use]
    pub fn new(space: SpillSpace) -> Self {
        Self { each: Spilling::new(space), whole: SessionIssues::default(), key: Vec::new() }
    }

    /// Where a session of a tape is counted, until the next [`Sessions::settle`]. `last` is when its
    /// last exchange so far took place.
    pub fn slot(&mut self, (file, session): (&str, &str), last: Option<Moment>) -> SessionSlot {
        self.key.clear();
        write_part(file, &mut self.key);
        write_part(session, &mut self.key);
        let slot = self.each.slot(&self.key);
        for counted in [self.each.counters(slot), &mut self.whole] {
            counted.last = counted.last.max(last);
        }
        SessionSlot(slot)
    }

    /// Counts the session's next issue.
    pub fn add(&mut self, SessionSlot(slot): SessionSlot, issue: FirstIssueRef<'_>) {
        self.each.counters(slot).add(issue);
        self.whole.add(issue);
    }

    /// Makes sure that the budget of memory is kept; all slots are void then.
    pub fn settle(&mut self) -> Result<(), SpillError> {
        self.each.settle()
    }

    /// All sessions together, and each of them in the order of file and name.
    pub fn into_sorted(self) -> Result<(SessionIssues, SortedSessions), SpillError> {
        Ok((self.whole, SortedSessions(self.each.into_sorted()?)))
    }
}

/// A session's file and name, with its issues.
pub type NamedSession = ((String, String), SessionIssues);

/// Sessions in order.
pub struct SortedSessions(Sorted<SessionIssues>);

impl Iterator for SortedSessions {
    type Item = Result<NamedSession, SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| {
            let (key, issues) = entry?;
            let mut key = &*key;
            let file = read_part(&mut key).expect("written by this module");
            let session = read_part(&mut key).expect("written by this module");
            Ok(((file, session), issues))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(number: usize) -> FirstIssueRef<'static> {
        FirstIssueRef {
            severity: Severity::ALL[number % 3],
            kind: IssueType::ALL[number % IssueType::ALL.len()],
            message: "Something\0is wrong",
            location: [None, Some("/a")][number % 2],
            suggestion: [None, Some("")][number / 2 % 2],
            task: [None, Some("task-1")][number / 4 % 2],
            line: number as u64,
        }
    }

    fn counted(budget: usize) -> (SessionIssues, Vec<NamedSession>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut sessions = Sessions::new(SpillSpace::new(folder.path(), budget));
        for number in 0..2_000 {
            let name = ["one", "two", ""][number % 7 % 3];
            let at = i64::try_from(number * 37 % 1_000).ok().map(Moment);
            let slot = sessions.slot(("tape.jsonl", name), at.filter(|_| number % 5 > 0));
            sessions.add(slot, issue(number));
            sessions.settle().expect("space");
        }
        let (whole, sorted) = sessions.into_sorted().expect("space");
        (whole, sorted.collect::<Result<_, _>>().expect("space"))
    }

    #[test]
    fn sessions_are_the_same_however_often_they_spill() {
        let (whole, roomy) = counted(usize::MAX);
        assert_eq!(counted(0), (whole.clone(), roomy.clone()));
        let names: Vec<&str> = roomy.iter().map(|((_, name), _)| name.as_str()).collect();
        assert_eq!(names, ["", "one", "two"]);
        let errors: u64 = roomy.iter().map(|(_, issues)| issues.errors).sum();
        assert_eq!((errors, whole.errors, whole.warnings), (667, 667, 667));
        assert!(roomy.iter().all(|(_, issues)| issues.first.len() == MOST));
        assert!(roomy.iter().all(|(_, issues)| issues.last > Some(Moment(900))));
        let infos = whole.first.iter().filter(|first| first.issue.severity == Severity::Info);
        assert_eq!(infos.count(), 0, "what is worth knowing is no issue of a session");
    }

    #[test]
    fn a_session_without_issues_is_a_session() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut sessions = Sessions::new(SpillSpace::new(folder.path(), 0));
        sessions.slot(("a", "quiet"), None);
        sessions.settle().expect("space");
        let (whole, mut sorted) = sessions.into_sorted().expect("space");
        assert_eq!(whole, SessionIssues::default());
        let ((file, name), issues) = sorted.next().expect("one").expect("space");
        assert_eq!((file.as_str(), name.as_str(), issues.kinds().count()), ("a", "quiet", 0));
        assert!(sorted.next().is_none());
    }
}
