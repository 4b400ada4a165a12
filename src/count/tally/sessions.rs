//! What sessions amount to: how many errors and warnings each has, and the first of them.

use crate::count::cube::Bound;
use crate::recording::{Moment, Task};
use crate::verdict::{IssueType, SessionIssue, Severity};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Issues of a session that are kept; the others are only counted.
const MOST: usize = 10;
/// What a session takes beside its names.
const SESSION: usize = 256;

/// How many bytes are kept of sessions one by one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bounds {
    sessions: Bound,
    /// The issues and tasks that are kept of them.
    issues: Bound,
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

    fn add(&mut self, issue: &SessionIssue<'_>) {
        match issue.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => return,
        }
        self.kinds.insert(issue.kind);
        self.keep(issue);
    }

    /// Keeps an issue that is counted, while there is room.
    fn keep(&mut self, issue: &SessionIssue<'_>) {
        if self.first.len() < MOST && !self.is_only_counted {
            self.first.push(FirstIssue::of(issue));
        }
    }

    /// Notes the next tasks.
    fn see<'t>(&mut self, tasks: impl Iterator<Item = &'t Task>) {
        for task in tasks.filter(|_| !self.is_only_counted) {
            if let Some(known) = self.tasks.iter_mut().find(|known| known.id == task.id) {
                known.update(task);
            } else if self.tasks.len() < Task::MOST {
                self.tasks.push(task.clone());
            }
        }
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

    fn absorb(&mut self, other: &Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.kinds.extend(&other.kinds);
        self.last = self.last.max(other.last);
    }

    /// What the issues and tasks that are kept of it take.
    fn bytes(&self) -> usize {
        let tasks: usize = self.tasks.iter().map(Task::bytes).sum();
        tasks + self.first.iter().map(FirstIssue::bytes).sum::<usize>()
    }

    /// Forgets the issues and tasks and keeps the counts.
    fn only_count(&mut self) {
        self.is_only_counted = true;
        self.tasks = Vec::new();
        self.first = Vec::new();
    }
}

/// The name of a session, after the hash that decides whether it is counted for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    hash: u64,
    file: String,
    session: String,
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Name {
    fn of(file: &str, session: &str) -> Self {
        let hash = xxh3_64_with_seed(session.as_bytes(), xxh3_64(file.as_bytes()));
        Self { hash, file: file.to_owned(), session: session.to_owned() }
    }

    fn bytes(&self) -> usize {
        self.file.len() + self.session.len()
    }
}

/// The sessions of a run, in memory that does not grow with the corpus.
#[derive(Debug)]
pub struct Sessions {
    each: HashMap<Name, SessionIssues>,
    /// The errors and warnings of sessions that are not counted one by one.
    other: SessionIssues,
    whole: SessionIssues,
    bounds: Bounds,
    /// Bytes of issues and tasks that were kept since the bounds were last looked at.
    unsettled: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AllSessions {
    pub whole: SessionIssues,
    /// File and name of each that was counted for itself, in this order, with its issues.
    pub each: Vec<((String, String), SessionIssues)>,
    pub other: SessionIssues,
    bounds: Bounds,
}

impl Default for Sessions {
    fn default() -> Self {
        Self::bounded(Bounds { sessions: Bound::of(16 << 20), issues: Bound::of(16 << 20) })
    }
}

impl Sessions {
    fn bounded(bounds: Bounds) -> Self {
        let other = SessionIssues { is_only_counted: true, ..SessionIssues::default() };
        let whole = SessionIssues::default();
        Self { each: HashMap::new(), other, whole, bounds, unsettled: 0 }
    }

    /// Counts an issue of the run. It belongs to a session too, which is told its issues together.
    pub fn count(&mut self, issue: &SessionIssue<'_>) {
        self.whole.add(issue);
    }

    /// Notes the next task that a call of the run names. It belongs to a session too.
    pub fn see(&mut self, task: &Task) {
        self.whole.see_of_run(task);
    }

    /// Counts a session's next issues and notes its tasks; `last` is when its last exchange was.
    pub fn add(
        &mut self,
        file: &str,
        session: &str,
        issues: &[SessionIssue<'_>],
        tasks: &[&Task],
        last: Option<Moment>,
    ) {
        self.whole.last = self.whole.last.max(last);
        let session = self.session(file, session);
        let before = session.bytes();
        session.last = session.last.max(last);
        for issue in issues {
            session.add(issue);
        }
        session.see(tasks.iter().copied());
        self.unsettled += session.bytes().saturating_sub(before);
        if self.unsettled > self.bounds.issues.most() {
            self.keep_bounds();
        }
    }

    /// Where a session is counted: for itself or with others.
    fn session(&mut self, file: &str, session: &str) -> &mut SessionIssues {
        let name = Name::of(file, session);
        if !self.bounds.sessions.admits(name.hash) {
            return &mut self.other;
        }
        let is_only_counted = !self.bounds.issues.admits(name.hash);
        let new = || SessionIssues { is_only_counted, ..SessionIssues::default() };
        self.each.entry(name).or_insert_with(new)
    }

    /// Adds the sessions of the next stretch of the corpus.
    pub fn add_all(&mut self, next: &AllSessions) {
        self.whole.absorb(&next.whole);
        for issue in &next.whole.first {
            self.whole.keep(&issue.borrowed());
        }
        next.whole.tasks.iter().for_each(|task| self.whole.see_of_run(task));
        self.bounds.sessions.lower(next.bounds.sessions);
        self.bounds.issues.lower(next.bounds.issues);
        for ((file, session), issues) in &next.each {
            let session = self.session(file, session);
            session.absorb(issues);
            issues.first.iter().for_each(|issue| session.keep(&issue.borrowed()));
            session.see(issues.tasks.iter());
        }
        self.other.absorb(&next.other);
        self.keep_bounds();
    }

    /// Counts among others what is beyond the bounds.
    pub fn keep_bounds(&mut self) {
        self.unsettled = 0;
        let Self { each, other, bounds, .. } = self;
        bounds.sessions.fit(each.keys().map(|name| (name.hash, SESSION + name.bytes())));
        bounds.issues.fit(each.iter().map(|(name, session)| (name.hash, session.bytes())));
        for (_, dropped) in each.extract_if(|name, _| !bounds.sessions.admits(name.hash)) {
            other.absorb(&dropped);
        }
        let unlisted = each.iter_mut().filter(|(name, _)| !bounds.issues.admits(name.hash));
        unlisted.for_each(|(_, session)| session.only_count());
    }

    pub fn finish(mut self) -> AllSessions {
        self.keep_bounds();
        let each = self.each.into_iter();
        let mut each: Vec<_> =
            each.map(|(name, issues)| ((name.file, name.session), issues)).collect();
        each.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        AllSessions { whole: self.whole, each, other: self.other, bounds: self.bounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn issue(number: usize) -> SessionIssue<'static> {
        SessionIssue {
            severity: Severity::ALL[number % 3],
            kind: IssueType::ALL[number % IssueType::ALL.len()],
            rule: "a_rule",
            message: "Something\0is wrong",
            task: [None, Some("task-1")][number / 4 % 2],
        }
    }

    fn bounds(sessions: usize, issues: usize) -> Bounds {
        Bounds { sessions: Bound::of(sessions), issues: Bound::of(issues) }
    }

    fn roomy() -> Bounds {
        bounds(usize::MAX, usize::MAX)
    }

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
            sessions.keep_bounds();
        }
    }

    #[test]
    fn sessions_have_counts_and_their_first_issues() {
        let told: Vec<u8> = (0..2_000).map(|number| [1, 2, 0][number % 7 % 3]).collect();
        let AllSessions { whole, each, other, .. } = counted(&told, roomy(), 300);
        let names: Vec<&str> = each.iter().map(|((_, name), _)| name.as_str()).collect();
        assert_eq!(names, ["0", "x1", "xx2"]);
        let errors: u64 = each.iter().map(|(_, issues)| issues.errors).sum();
        assert_eq!((errors, whole.errors, whole.warnings), (667, 667, 667));
        assert!(each.iter().all(|(_, issues)| issues.first.len() == MOST));
        assert!(each.iter().all(|(_, issues)| issues.last > Some(Moment(1_990))));
        assert_eq!(whole.last, Some(Moment(1_999)));
        assert_eq!((other.errors, other.warnings), (0, 0));
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
            told in proptest::collection::vec(0_u8..40, 0..300),
            (sessions, issues) in (300_usize..15_000, 0_usize..20_000),
            at_once in 1_usize..60,
        ) {
            let bounds = bounds(sessions, issues);
            let exact = counted(&told, roomy(), 300);
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
            let bytes = |((file, name), _): &((String, String), _)| SESSION + file.len() + name.len();
            prop_assert!(found.each.iter().map(bytes).sum::<usize>() <= sessions);
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
