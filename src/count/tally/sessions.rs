//! What sessions amount to: how many errors and warnings each has, and the first of them.

use crate::recording::{Moment, Task};
use crate::verdict::{IssueType, SessionIssue, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::Xxh3;

/// Issues of a session that are kept; the others are only counted.
const MOST: usize = 10;
/// What is kept of sessions one by one: of those whose names have the smallest hashes, whatever order they
/// come in.
const BOUNDS: Bounds = Bounds { sessions: 1 << 15, names: 8 << 20, issues: 16 << 20 };

/// How much is kept of sessions one by one.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Sessions that are counted one by one.
    sessions: usize,
    /// Bytes of their names.
    names: usize,
    /// Bytes of the issues and tasks that are kept of them.
    issues: usize,
}

/// An error or a warning, and the task it was found in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstIssue {
    pub severity: Severity,
    pub kind: IssueType,
    /// The name of its type, also where only the recording knows it.
    pub rule: String,
    pub message: String,
    pub task: Option<String>,
}

impl FirstIssue {
    fn of(issue: &SessionIssue<'_>) -> Self {
        let SessionIssue { severity, kind, rule, message, task } = *issue;
        let [rule, message] = [rule, message].map(str::to_owned);
        Self { severity, kind, rule, message, task: task.map(str::to_owned) }
    }

    pub fn borrowed(&self) -> SessionIssue<'_> {
        let Self { severity, kind, rule, message, task } = self;
        SessionIssue { severity: *severity, kind: *kind, rule, message, task: task.as_deref() }
    }

    fn bytes(&self) -> usize {
        let task = self.task.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.message.len() + self.rule.len() + task
    }
}

/// The errors and warnings of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionIssues {
    pub errors: u64,
    pub warnings: u64,
    /// When its last exchange took place, as far as recordings say.
    pub last: Option<Moment>,
    /// The first of its errors and warnings; none of a session that there was no room for.
    pub first: Vec<FirstIssue>,
    /// The tasks that its calls name, as they were last seen.
    pub tasks: Vec<Task>,
    kinds: BTreeSet<IssueType>,
    is_only_counted: bool,
}

impl SessionIssues {
    pub fn kinds(&self) -> impl Iterator<Item = IssueType> {
        self.kinds.iter().copied()
    }

    /// Whether its issues are counted and not kept, since there was no room for them.
    pub fn is_only_counted(&self) -> bool {
        self.is_only_counted && self.errors + self.warnings > 0
    }

    fn counted(issues: &[SessionIssue<'_>], last: Option<Moment>) -> Self {
        let mut counted = Self { last, is_only_counted: true, ..Self::default() };
        for issue in issues {
            counted.add(issue);
        }
        counted
    }

    /// Counts the next issue, and returns how many bytes are kept of it.
    fn add(&mut self, issue: &SessionIssue<'_>) -> usize {
        match issue.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => return 0,
        }
        self.kinds.insert(issue.kind);
        self.keep(issue)
    }

    /// Keeps an issue that is counted, while there is room; returns how many bytes are kept of it.
    fn keep(&mut self, issue: &SessionIssue<'_>) -> usize {
        if self.first.len() == MOST || self.is_only_counted {
            return 0;
        }
        let issue = FirstIssue::of(issue);
        let bytes = issue.bytes();
        self.first.push(issue);
        bytes
    }

    /// Notes the next tasks, and returns how many bytes are kept of them.
    fn see(&mut self, tasks: &[&Task]) -> usize {
        let mut bytes = 0;
        for task in tasks.iter().filter(|_| !self.is_only_counted) {
            if let Some(known) = self.tasks.iter_mut().find(|known| known.id == task.id) {
                known.update(task);
            } else if self.tasks.len() < Task::MOST {
                bytes += task.bytes();
                self.tasks.push((*task).clone());
            }
        }
        bytes
    }

    /// Notes the next task of the run. Of many, those with the smallest ids are kept, whatever order they come in.
    fn see_of_run(&mut self, task: &Task) {
        if let Some(known) = self.tasks.iter_mut().find(|known| known.id == task.id) {
            return known.update(task);
        }
        self.tasks.push(task.clone());
        if self.tasks.len() > Task::MOST {
            let last =
                self.tasks.iter().enumerate().max_by(|(_, one), (_, other)| one.id.cmp(&other.id));
            let last = last.map(|(at, _)| at);
            last.map(|at| self.tasks.remove(at));
        }
    }

    /// Adds the counts of another session.
    fn absorb(&mut self, other: &Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.kinds.extend(&other.kinds);
        self.last = self.last.max(other.last);
    }

    /// Forgets the issues and tasks and keeps the counts; returns how many bytes that frees.
    fn only_count(&mut self) -> usize {
        self.is_only_counted = true;
        let tasks: usize = std::mem::take(&mut self.tasks).iter().map(Task::bytes).sum();
        tasks + std::mem::take(&mut self.first).iter().map(FirstIssue::bytes).sum::<usize>()
    }
}

/// The name of a session, after the hash that decides whether it is counted for itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Name {
    hash: u64,
    file: String,
    session: String,
}

impl Name {
    fn of(file: &str, session: &str) -> Self {
        let mut hash = Xxh3::new();
        hash.update(&(file.len() as u64).to_le_bytes());
        hash.update(file.as_bytes());
        hash.update(session.as_bytes());
        Self { hash: hash.digest(), file: file.to_owned(), session: session.to_owned() }
    }

    fn bytes(&self) -> usize {
        self.file.len() + self.session.len()
    }
}

/// The sessions of a run, in memory that does not grow with the corpus.
#[derive(Debug)]
pub struct Sessions {
    each: BTreeMap<Name, SessionIssues>,
    /// The errors and warnings of sessions that are not counted one by one.
    other: SessionIssues,
    whole: SessionIssues,
    bounds: Bounds,
    /// Only sessions before this one are counted one by one: others with smaller hashes only become more.
    counted_before: Option<Name>,
    /// Only of sessions before this one issues are kept.
    listed_before: Option<Name>,
    /// What the names in `each` take, and what their issues and tasks do.
    names: usize,
    issues: usize,
}

/// All sessions of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AllSessions {
    pub whole: SessionIssues,
    /// File and name of each that was counted for itself, in this order, with its issues.
    pub each: Vec<((String, String), SessionIssues)>,
    pub other: SessionIssues,
    /// The bounds that were reached, as in [`Sessions`].
    counted_before: Option<Name>,
    listed_before: Option<Name>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self::bounded(BOUNDS)
    }
}

impl Sessions {
    fn bounded(bounds: Bounds) -> Self {
        Self {
            each: BTreeMap::new(),
            other: SessionIssues::default(),
            whole: SessionIssues::default(),
            bounds,
            counted_before: None,
            listed_before: None,
            names: 0,
            issues: 0,
        }
    }

    /// Counts an issue of the run. It belongs to a session too, which is told its issues together.
    pub fn count(&mut self, issue: &SessionIssue<'_>) {
        self.whole.add(issue);
    }

    /// Notes the next task that a call of the run names. It belongs to a session too.
    pub fn see(&mut self, task: &Task) {
        self.whole.see_of_run(task);
    }

    /// Counts the next issues of a session of a recording and notes its tasks. `last` is when its last exchange so far took
    /// place.
    pub fn add(
        &mut self,
        file: &str,
        session: &str,
        issues: &[SessionIssue<'_>],
        tasks: &[&Task],
        last: Option<Moment>,
    ) {
        self.whole.last = self.whole.last.max(last);
        let name = Name::of(file, session);
        if self.counted_before.as_ref().is_some_and(|bound| name >= *bound) {
            return self.other.absorb(&SessionIssues::counted(issues, last));
        }
        let session = self.entry(name);
        session.last = session.last.max(last);
        let mut bytes = issues.iter().map(|issue| session.add(issue)).sum::<usize>();
        bytes += session.see(tasks);
        self.issues += bytes;
        self.settle();
    }

    /// A session that is counted one by one.
    fn entry(&mut self, name: Name) -> &mut SessionIssues {
        let is_listed = self.listed_before.as_ref().is_none_or(|bound| name < *bound);
        let bytes = name.bytes();
        self.each.entry(name).or_insert_with(|| {
            self.names += bytes;
            SessionIssues { is_only_counted: !is_listed, ..SessionIssues::default() }
        })
    }

    /// Adds the sessions of the next stretch of the corpus.
    pub fn add_all(&mut self, next: &AllSessions) {
        self.whole.absorb(&next.whole);
        for issue in &next.whole.first {
            self.whole.keep(&issue.borrowed());
        }
        next.whole.tasks.iter().for_each(|task| self.whole.see_of_run(task));
        self.lower(next.counted_before.as_ref(), next.listed_before.as_ref());
        for ((file, session), issues) in &next.each {
            let name = Name::of(file, session);
            if self.counted_before.as_ref().is_some_and(|bound| name >= *bound) {
                self.other.absorb(issues);
                continue;
            }
            let session = self.entry(name);
            session.absorb(issues);
            let mut bytes = 0;
            for issue in &issues.first {
                bytes += session.keep(&issue.borrowed());
            }
            bytes += session.see(&issues.tasks.iter().collect::<Vec<_>>());
            self.issues += bytes;
            self.settle();
        }
        self.other.absorb(&next.other);
    }

    /// Takes over the bounds that another stretch of the corpus reached.
    fn lower(&mut self, counted: Option<&Name>, listed: Option<&Name>) {
        if let Some(bound) = counted {
            while self.each.last_key_value().is_some_and(|(name, _)| name >= bound) {
                self.drop_last();
            }
            if self.counted_before.as_ref().is_none_or(|before| bound < before) {
                self.counted_before = Some(bound.clone());
            }
        }
        if let Some(bound) = listed
            && self.listed_before.as_ref().is_none_or(|before| bound < before)
        {
            let beyond = self.each.range_mut(bound..);
            self.issues -= beyond.map(|(_, session)| session.only_count()).sum::<usize>();
            self.listed_before = Some(bound.clone());
        }
    }

    fn drop_last(&mut self) {
        let Some((name, mut dropped)) = self.each.pop_last() else { return };
        self.names -= name.bytes();
        self.issues -= dropped.only_count();
        self.other.absorb(&dropped);
        self.counted_before = Some(name);
    }

    /// Keeps the bounds.
    fn settle(&mut self) {
        while self.each.len() > self.bounds.sessions || self.names > self.bounds.names {
            self.drop_last();
        }
        while self.issues > self.bounds.issues {
            let mut listed = match &self.listed_before {
                Some(bound) => self.each.range_mut(..bound),
                None => self.each.range_mut(..),
            };
            let Some((name, session)) = listed.next_back() else { break };
            self.issues -= session.only_count();
            self.listed_before = Some(name.clone());
        }
    }

    pub fn finish(self) -> AllSessions {
        let each = self.each.into_iter();
        let mut each: Vec<_> =
            each.map(|(name, issues)| ((name.file, name.session), issues)).collect();
        each.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        AllSessions {
            whole: self.whole,
            each,
            other: self.other,
            counted_before: self.counted_before,
            listed_before: self.listed_before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn issue(number: usize) -> SessionIssue<'static> {
        SessionIssue {
            severity: Severity::ALL[number % 3],
            kind: IssueType::ALL[number % IssueType::ALL.len()],
            rule: "a_rule",
            message: "Something\0is wrong",
            task: [None, Some("task-1")][number / 4 % 2],
        }
    }

    const ROOMY: Bounds = Bounds { sessions: usize::MAX, names: usize::MAX, issues: usize::MAX };

    /// These issues by the numbers of their sessions, told in parts.
    fn counted(told: &[u8], bounds: Bounds, at_once: usize) -> AllSessions {
        let mut sessions = Sessions::bounded(bounds);
        let numbered: Vec<(usize, &u8)> = (0..).zip(told).collect();
        count_into(&mut sessions, &numbered, at_once);
        sessions.finish()
    }

    fn count_into(sessions: &mut Sessions, told: &[(usize, &u8)], at_once: usize) {
        for part in told.chunks(at_once) {
            let mut of_session: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
            for (number, session) in part {
                sessions.count(&issue(*number));
                sessions.see(&Task { id: format!("task-{number}"), ..Task::default() });
                of_session.entry(**session).or_default().push(*number);
            }
            for (session, numbers) in of_session {
                let issues: Vec<_> = numbers.iter().map(|number| issue(*number)).collect();
                let last = numbers.iter().max().and_then(|last| i64::try_from(*last).ok());
                let last = last.map(Moment);
                let name = "x".repeat(usize::from(session % 7)) + &session.to_string();
                let task = |number| Task { id: format!("task-{number}"), ..Task::default() };
                let tasks: Vec<Task> = numbers.iter().map(|number| task(number % 3)).collect();
                let tasks: Vec<&Task> = tasks.iter().collect();
                sessions.add("recording.jsonl", &name, &issues, &tasks, last);
            }
        }
    }

    #[test]
    fn sessions_have_counts_and_their_first_issues() {
        let told: Vec<u8> = (0..2_000).map(|number| [1, 2, 0][number % 7 % 3]).collect();
        let AllSessions { whole, each, other, .. } = counted(&told, ROOMY, 300);
        let names: Vec<&str> = each.iter().map(|((_, name), _)| name.as_str()).collect();
        assert_eq!(names, ["0", "x1", "xx2"]);
        let errors: u64 = each.iter().map(|(_, issues)| issues.errors).sum();
        assert_eq!((errors, whole.errors, whole.warnings), (667, 667, 667));
        assert!(each.iter().all(|(_, issues)| issues.first.len() == MOST));
        assert!(each.iter().all(|(_, issues)| issues.last > Some(Moment(1_990))));
        assert_eq!(whole.last, Some(Moment(1_999)));
        assert_eq!(other, SessionIssues::default());
        let infos = whole.first.iter().filter(|first| first.severity == Severity::Info);
        assert_eq!(infos.count(), 0, "infos are not counted as issues of a session");
    }

    #[test]
    fn a_session_without_issues_is_a_session() {
        let mut sessions = Sessions::default();
        sessions.add("a", "quiet", &[], &[], None);
        let AllSessions { whole, each, .. } = sessions.finish();
        assert_eq!(whole, SessionIssues::default());
        let [((file, name), issues)] = &each[..] else { panic!("{each:?}") };
        assert_eq!((file.as_str(), name.as_str(), issues.kinds().count()), ("a", "quiet", 0));
    }

    proptest! {
        #[test]
        fn what_is_kept_depends_on_names_alone_and_nothing_is_lost(
            told in proptest::collection::vec(any::<u8>(), 0..300),
            (sessions, names, issues) in (1_usize..60, 12_usize..900, 0_usize..20_000),
            at_once in 1_usize..60,
        ) {
            let bounds = Bounds { sessions, names, issues };
            let exact = counted(&told, ROOMY, 300);
            let found = counted(&told, bounds, at_once);
            prop_assert_eq!(&found.each, &counted(&told, bounds, 7).each);
            prop_assert_eq!(&found.whole.first, &exact.whole.first);
            let kept = |all: &AllSessions| all.each.iter().map(|(_, it)| it.errors).sum::<u64>();
            prop_assert_eq!(kept(&found) + found.other.errors, exact.whole.errors);
            let mut joined = Sessions::bounded(bounds);
            for part in (0..).zip(&told).collect::<Vec<_>>().chunks(at_once) {
                let mut sessions = Sessions::bounded(bounds);
                count_into(&mut sessions, part, 5);
                joined.add_all(&sessions.finish());
            }
            let joined = joined.finish();
            prop_assert_eq!(&found.each, &joined.each);
            prop_assert_eq!(&found.whole, &joined.whole);
            prop_assert_eq!(&found.other, &joined.other);
            prop_assert!(found.each.len() <= sessions);
            let bytes = |((file, name), _): &((String, String), _)| file.len() + name.len();
            prop_assert!(found.each.iter().map(bytes).sum::<usize>() <= names);
            let mut kept_bytes = 0;
            for (name, session) in &found.each {
                let (_, all) = exact.each.iter().find(|(known, _)| known == name).expect("known");
                prop_assert_eq!((session.errors, session.warnings), (all.errors, all.warnings));
                prop_assert!(session.is_only_counted || session.first == all.first);
                prop_assert!(session.is_only_counted || session.tasks == all.tasks);
                kept_bytes += session.first.iter().map(FirstIssue::bytes).sum::<usize>();
            }
            prop_assert!(kept_bytes <= issues);
        }
    }
}
