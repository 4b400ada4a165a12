//! The decisions about everything that changed, with a way back: what was decided is what the log says.

use super::log::{About, Deed, LogLine};
use super::subject::{
    Counts, Decision, Material, Subject, Target, What, digest_of_call, digests, subjects,
};
use crate::recording::Key;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How many keys a line of the log holds at most.
const KEYS: usize = 100;

/// Who decides, and when (RFC 3339).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    pub who: String,
    pub when: String,
}

/// The decisions about what differs between two sides.
#[derive(Clone, Debug)]
pub struct Session {
    material: Material,
    /// Of the verdicts of both sides.
    digests: [Vec<u128>; 2],
    subjects: Vec<Subject>,
    log: Vec<LogLine>,
    /// The steps that can be taken back.
    steps: Vec<u64>,
    /// How many decisions of the log are about what is no longer there or no longer the same.
    pub outdated: u64,
}

impl Session {
    pub fn new(material: Material) -> Self {
        let digests = digests(&material);
        let subjects = subjects(&material, &digests);
        Self { material, digests, subjects, log: Vec::new(), steps: Vec::new(), outdated: 0 }
    }

    pub fn material(&self) -> &Material {
        &self.material
    }

    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// The exchanges of a group that have a key, as numbers into [`Comparison::flips`].
    ///
    /// [`Comparison::flips`]: crate::compare::Comparison::flips
    pub fn with_key(&self, subject: usize, key: Key) -> &[u32] {
        let by_key = &self.subjects[subject].by_key;
        let end_of = |is_before: &dyn Fn(Key) -> bool| {
            by_key.partition_point(|number| {
                self.material.call(*number).is_none_or(|call| is_before(call.key))
            })
        };
        &by_key[end_of(&|other| other < key)..end_of(&|other| other <= key)]
    }

    pub fn counts_of(&self, subject: usize) -> Counts {
        let Subject { flips, state, .. } = &self.subjects[subject];
        let mut counts = Counts::default();
        let mut rest = flips.len() as u64;
        for (key, decision) in &state.single {
            let calls = self.with_key(subject, *key).len() as u64;
            counts.add(Some(decision.what), calls);
            rest = rest.saturating_sub(calls);
        }
        counts.add(state.whole.as_ref().map(|decision| decision.what), rest);
        counts
    }

    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        (0..self.subjects.len()).for_each(|subject| all.add_all(&self.counts_of(subject)));
        all
    }

    /// What was decided about a target.
    pub fn decision(&self, target: Target) -> Option<&Decision> {
        let state = &self.subjects.get(target.subject)?.state;
        target.key.map_or(state.whole.as_ref(), |key| state.of(key))
    }

    /// Decides in one step; a note made before stays the reason where no other is given.
    pub fn decide(
        &mut self,
        targets: &[Target],
        (what, note): (What, Option<&str>),
        by: &Signature,
    ) -> Vec<LogLine> {
        let step = self.next_step();
        let mut decided = HashSet::new();
        let targets = targets.iter().filter(|target| decided.insert(**target));
        let lines = targets.filter_map(|target| {
            let about = self.about(*target)?;
            let note = note.map(str::to_owned);
            let note = note.or_else(|| self.subjects[target.subject].state.note.clone());
            Some(LogLine::new(step, by, Deed::decided(what, About { note, ..about })))
        });
        let lines: Vec<LogLine> = lines.collect();
        self.add(&lines);
        lines
    }

    /// Notes something on a group; the next decision about it carries it.
    pub fn annotate(&mut self, subject: usize, note: &str, by: &Signature) -> Option<LogLine> {
        let about = self.about(Target { subject, key: None })?;
        let deed = Deed::Note(About { note: Some(note.to_owned()), ..about });
        let line = LogLine::new(self.next_step(), by, deed);
        self.add(std::slice::from_ref(&line));
        Some(line)
    }

    /// Takes the latest step back. What is in files already stays there.
    pub fn undo(&mut self, by: &Signature) -> Option<LogLine> {
        let undoes = *self.steps.last()?;
        let line = LogLine::new(self.next_step(), by, Deed::Undo { undoes });
        self.replay(vec![line.clone()]);
        Some(line)
    }

    /// The lines that say that everything decided so far is in files. Decisions that stay open to a later
    /// review come first: what the baseline takes is gone from the next comparison, and a group of which a
    /// part is gone is another one.
    pub fn written(&self, files: Vec<String>, by: &Signature) -> Vec<LogLine> {
        let (step, counts) = (self.next_step(), self.counts());
        let mut lines: Vec<LogLine> =
            (0..self.subjects.len()).filter_map(|subject| self.kept_line(subject, step)).collect();
        let (accepted, rejected) = (counts.of(What::Accept), counts.of(What::Reject));
        lines.push(LogLine::new(step, by, Deed::Written { accepted, rejected, files }));
        lines
    }

    /// Decides everything as a log says, as far as it still fits, behind what was decided before.
    pub fn replay(&mut self, lines: Vec<LogLine>) {
        let mut log = std::mem::take(&mut self.log);
        log.extend(lines);
        self.subjects.iter_mut().for_each(|subject| subject.state = super::State::default());
        self.steps.clear();
        self.outdated = 0;
        for stretch in log.split_inclusive(|line| matches!(line.deed, Deed::Written { .. })) {
            let undone = stretch.iter().filter_map(|line| match line.deed {
                Deed::Undo { undoes } => Some(undoes),
                _ => None,
            });
            let undone: HashSet<u64> = undone.collect();
            let holds = stretch.iter().filter(|line| !undone.contains(&line.step));
            holds.for_each(|line| self.apply(line));
        }
        self.log = log;
    }

    fn add(&mut self, lines: &[LogLine]) {
        for line in lines {
            self.apply(line);
        }
        self.log.extend_from_slice(lines);
    }

    fn apply(&mut self, line: &LogLine) {
        let (what, about) = match &line.deed {
            Deed::Accept(about) => (Some(What::Accept), about),
            Deed::Reject(about) => (Some(What::Reject), about),
            Deed::Skip(about) => (Some(What::Skip), about),
            Deed::Note(about) => (None, about),
            Deed::Undo { .. } => return,
            Deed::Written { .. } => return self.forget_accepted(),
        };
        let Some(target) = self.target(about) else {
            self.outdated += 1;
            return;
        };
        if self.steps.last() != Some(&line.step) {
            self.steps.push(line.step);
        }
        let (state, note) = (&mut self.subjects[target.subject].state, about.note.clone());
        let decided = what.map(|what| Decision { what, note, by: line.by.clone(), written: false });
        match (decided, target.key) {
            (None, _) => {
                if let Some(whole) = &mut state.whole {
                    whole.note.clone_from(&about.note);
                }
                state.note.clone_from(&about.note);
            }
            (decided, None) => state.whole = decided,
            (Some(decided), Some(key)) => _ = state.single.insert(key, decided),
        }
    }

    /// What was accepted is in the baseline. Where it is here all the same, it changed once more, and
    /// somebody has to look at it once more.
    fn forget_accepted(&mut self) {
        self.steps.clear();
        self.outdated = 0;
        for Subject { state, .. } in &mut self.subjects {
            state.whole.take_if(|decision| decision.what == What::Accept);
            state.single.retain(|_, decision| decision.what != What::Accept);
            let all = state.whole.iter_mut().chain(state.single.values_mut());
            all.for_each(|decision| decision.written = true);
        }
    }

    /// What a line of a log is about, if that is still what it was.
    fn target(&self, about: &About) -> Option<Target> {
        let subject = self.subjects.iter().position(|subject| subject.id == about.group)?;
        let key = if about.single { Some(*about.keys.first()?) } else { None };
        let target = Target { subject, key };
        (self.digest(target)? == about.digest).then_some(target)
    }

    /// What stays rejected or put off after the baseline took what was accepted of a group, which makes
    /// another group of it.
    fn kept_line(&self, at: usize, step: u64) -> Option<LogLine> {
        let subject = &self.subjects[at];
        let whole = subject.state.whole.as_ref().filter(|whole| whole.what != What::Accept)?;
        let single = subject.state.single.iter().filter(|(_, one)| one.what == What::Accept);
        let taken: Vec<u32> =
            single.flat_map(|(key, _)| self.with_key(at, *key)).copied().collect();
        let about = self.about(Target { subject: at, key: None }).filter(|_| !taken.is_empty())?;
        let digest = subject.digest.wrapping_sub(self.digest_of(&taken));
        let about = About {
            exchanges: about.exchanges.saturating_sub(taken.len() as u64),
            digest: format!("{digest:032x}"),
            keys: Vec::new(),
            note: whole.note.clone(),
            ..about
        };
        Some(LogLine::new(step, &whole.by, Deed::decided(whole.what, about)))
    }

    /// Rejections that no file tells of yet: each call rejected by itself, which stands for all that are
    /// equal to it, and a few of each group rejected whole.
    pub fn rejections(&self) -> Vec<(u32, &Decision)> {
        let is_new = |decision: &Decision| decision.what == What::Reject && !decision.written;
        let mut found = Vec::new();
        for (at, Subject { state, shown, .. }) in self.subjects.iter().enumerate() {
            let single = state.single.iter().filter(|(_, decision)| is_new(decision));
            found.extend(
                single.filter_map(|(key, decision)| {
                    Some((*self.with_key(at, *key).first()?, decision))
                }),
            );
            let Some(whole) = state.whole.as_ref().filter(|whole| is_new(whole)) else { continue };
            let others = shown.iter().filter(|number| {
                let key = self.material.call(**number).map(|call| call.key);
                key.is_some_and(|key| !state.single.contains_key(&key))
            });
            found.extend(others.map(|number| (*number, whole)));
        }
        found
    }

    fn next_step(&self) -> u64 {
        self.log.iter().map(|line| line.step).max().unwrap_or(0).saturating_add(1)
    }

    /// What a line of the log says of a target; without a note.
    fn about(&self, target: Target) -> Option<About> {
        let subject = self.subjects.get(target.subject)?;
        let (exchanges, keys) = if let Some(key) = target.key {
            (self.with_key(target.subject, key).len(), vec![key])
        } else {
            let first = subject.flips.iter().take(KEYS);
            let keys = first.filter_map(|number| self.material.call(*number));
            (subject.flips.len(), keys.map(|call| call.key).collect())
        };
        Some(About {
            group: subject.id.clone(),
            cause: subject.title.clone(),
            change: subject.change(),
            exchanges: exchanges as u64,
            digest: self.digest(target)?,
            keys,
            single: target.key.is_some(),
            note: None,
        })
    }

    fn digest(&self, Target { subject, key }: Target) -> Option<String> {
        let digest = match key.map(|key| self.with_key(subject, key)) {
            None => self.subjects.get(subject)?.digest,
            Some([]) => return None,
            Some(equal) => self.digest_of(equal),
        };
        Some(format!("{digest:032x}"))
    }

    fn digest_of(&self, numbers: &[u32]) -> u128 {
        let calls = numbers.iter().filter_map(|number| self.material.call(*number));
        let digests = calls.map(|call| digest_of_call(&self.material, &self.digests, &call));
        digests.fold(0, u128::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{by, session, session as samples_session};
    use super::*;

    /// A group by its number, or one of the calls of the samples: `0` or `0/3`.
    fn target(text: &str) -> Target {
        let (group, call) = text.split_once('/').map_or((text, None), |(at, it)| (at, Some(it)));
        let number = call.map(|call| call.parse().expect("a number"));
        let key = number.and_then(|number| Some(session().material().call(number)?.key));
        Target { subject: group.parse().expect("a number"), key }
    }

    /// The samples without a call of the first group.
    fn without_one() -> Session {
        let mut material = session().material().clone();
        let gone = material.comparison.flips.iter().position(|flip| flip.group == Some(0));
        material.comparison.flips.remove(gone.expect("a call of the first group"));
        Session::new(material)
    }

    /// What is decided, group by group.
    fn told(session: &Session) -> String {
        let decision = |one: &Decision| {
            let note = one.note.iter().map(|note| format!(" ({note})"));
            let written = if one.written { ", written" } else { "" };
            format!("{}{}{written}", one.what.name(), note.collect::<String>())
        };
        let groups = session.subjects().iter().enumerate().map(|(at, Subject { state, .. })| {
            let whole = state.whole.iter().map(decision);
            let single = state.single.iter();
            let single = single.map(|(key, one)| format!("call {} {}", key.0 >> 96, decision(one)));
            let note = state.note.iter().map(|note| format!("noted {note}"));
            let left = session.counts_of(at).left();
            let parts: Vec<String> = whole.chain(single).chain(note).collect();
            if parts.is_empty() {
                String::new()
            } else {
                format!("{at}: {}, {left} left; ", parts.join(", "))
            }
        });
        format!("{}outdated {}", groups.collect::<String>(), session.outdated)
    }

    #[test]
    fn decisions_hold_as_their_cases_show() {
        crate::cases::check("tests/cases/review-session.txt", |case| {
            let mut session = session();
            let done = case.text.lines().map(|line| {
                let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
                let (targets, note) =
                    rest.split_once(": ").map_or((rest, None), |(a, b)| (a, Some(b)));
                let targets = || targets.split(' ').map(target).collect::<Vec<_>>();
                let mut log = session.log.clone();
                let what = match word {
                    "accept" => What::Accept,
                    "reject" => What::Reject,
                    _ => What::Skip,
                };
                match word {
                    "note" => _ = session.annotate(targets()[0].subject, note.unwrap_or(""), &by()),
                    "undo" => {
                        if session.undo(&by()).is_none() {
                            return "nothing to undo".to_owned();
                        }
                    }
                    "written" => log.extend(session.written(Vec::new(), &by())),
                    "rejections" => {
                        let found = session.rejections().into_iter();
                        let found =
                            found.map(|(at, one)| format!("{at} {:?}", one.note.as_deref()));
                        return format!("calls {}", found.collect::<Vec<_>>().join(", "));
                    }
                    "again" | "without" => {}
                    _ => _ = session.decide(&targets(), (what, note), &by()),
                }
                if ["written", "again", "without"].contains(&word) {
                    session = if word == "without" { without_one() } else { samples_session() };
                    session.replay(log);
                }
                told(&session)
            });
            done.collect::<Vec<_>>().join("\n")
        });
    }

    #[test]
    fn everything_that_changed_is_in_one_subject() {
        let session = session();
        let ids: Vec<&str> = session.subjects().iter().map(|subject| subject.id.as_str()).collect();
        assert_eq!(
            ids,
            ["1a2b3c4d", "5e6f7a8b", "added-broken-not_asked", "gone-fully_working-not_asked"]
        );
        let all: usize = session.subjects().iter().map(|subject| subject.flips.len()).sum();
        assert_eq!(all, session.material().comparison.flips.len());
        assert_eq!(session.counts().of(None), all as u64);
        assert_eq!(session.subjects()[0].shown, [0, 1, 2], "three stand for the group");
    }

    #[test]
    fn a_group_of_many_writes_no_line_for_each() {
        let mut session = session();
        let lines = session.decide(&[target("0")], (What::Accept, None), &by());
        assert_eq!(lines.len(), 1);
        let Deed::Accept(about) = &lines[0].deed else { panic!("accepted") };
        assert_eq!(about.exchanges, session.subjects()[0].flips.len() as u64);
        assert!(about.keys.len() <= KEYS);
    }
}
