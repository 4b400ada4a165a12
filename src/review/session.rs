//! The decisions about everything that changed, with a way back.

use super::decision::{Counts, Decision, State, What};
use super::log::{About, Deed, LogLine, VERSION};
use super::subject::{Material, Subject, digest_of_flip, digests, subjects};
use crate::compare::Flip;
use crate::recording::Key;
use std::collections::{HashMap, HashSet};

/// How many keys a line of the log holds at most.
const KEYS: usize = 100;

/// Who decides, and when (RFC 3339).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub who: String,
    pub when: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A whole group, by its place among the subjects.
    Group(usize),
    /// One exchange of a group, by its place in the group, and all that are equal to it there.
    Exchange(usize, u32),
}

impl Target {
    pub fn subject(self) -> usize {
        match self {
            Self::Group(subject) | Self::Exchange(subject, _) => subject,
        }
    }
}

/// What a log amounted to when it was replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Decisions that still hold.
    pub held: u64,
    /// Decisions about what is no longer there or no longer the same.
    pub outdated: u64,
}

/// What was decided about a target, and what was noted on its group.
type Before = (Target, Option<Decision>, Option<String>);

/// One step back: what stood where, before.
#[derive(Clone, Debug)]
struct Step {
    number: u64,
    before: Vec<Before>,
}

/// The decisions about what differs between two sides.
#[derive(Clone, Debug)]
pub struct Session {
    material: Material,
    digests: [Vec<u128>; 2],
    subjects: Vec<Subject>,
    /// The places of exchanges of a group that have a key in common, by the group's place and the key.
    equals: HashMap<(usize, Key), Vec<u32>>,
    states: Vec<State>,
    steps: Vec<Step>,
    /// The number of the next step.
    next: u64,
}

impl Session {
    pub fn new(material: Material) -> Self {
        let digests = digests(&material);
        let subjects = subjects(&material, &digests);
        let states = vec![State::default(); subjects.len()];
        let equals = equals(&material, &subjects);
        Self { material, digests, subjects, equals, states, steps: Vec::new(), next: 1 }
    }

    pub fn material(&self) -> &Material {
        &self.material
    }

    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    pub fn states(&self) -> &[State] {
        &self.states
    }

    pub fn flip(&self, subject: usize, place: u32) -> Option<&Flip> {
        let number = *self.subjects.get(subject)?.flips.get(place as usize)?;
        self.material.comparison.flips.get(number as usize)
    }

    pub fn counts_of(&self, subject: usize) -> Counts {
        let exchanges = self.subjects.get(subject).map_or(0, |subject| subject.flips.len() as u64);
        self.states.get(subject).map(|state| state.counts(exchanges)).unwrap_or_default()
    }

    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for subject in 0..self.subjects.len() {
            all.add(self.counts_of(subject));
        }
        all
    }

    /// What was decided about a target by itself.
    pub fn decision(&self, target: Target) -> Option<&Decision> {
        let state = self.states.get(target.subject())?;
        match target {
            Target::Group(_) => state.whole.as_ref(),
            Target::Exchange(_, place) => state.of(place),
        }
    }

    /// Decides in one step; a note made before stays the reason where no other is given.
    pub fn decide(
        &mut self,
        targets: &[Target],
        (what, note): (What, Option<&str>),
        by: &Signature,
    ) -> Vec<LogLine> {
        let number = self.begin();
        let mut lines = Vec::with_capacity(targets.len());
        let mut step = Step { number, before: Vec::with_capacity(targets.len()) };
        let mut decided = HashSet::new();
        for target in targets {
            if !decided.insert(self.first_of(*target)) {
                continue;
            }
            let Some(mut about) = self.about(*target) else { continue };
            let kept = self.states[target.subject()].note.clone();
            let note = note.map(str::to_owned).or(kept);
            about.note.clone_from(&note);
            let decision =
                Decision { what, note, who: by.who.clone(), when: by.when.clone(), written: false };
            step.before.push(self.put(*target, Some(decision)));
            lines.push(line(number, by, Deed::decided(what, about)));
        }
        if !step.before.is_empty() {
            self.steps.push(step);
        }
        lines
    }

    /// Notes something on a group; the next decision about it carries it.
    pub fn annotate(&mut self, subject: usize, note: &str, by: &Signature) -> Option<LogLine> {
        let target = Target::Group(subject);
        let mut about = self.about(target)?;
        about.note = Some(note.to_owned());
        let number = self.begin();
        let before = self.put_note(subject, Some(note.to_owned()));
        self.steps.push(Step { number, before: vec![before] });
        Some(line(number, by, Deed::Note(about)))
    }

    /// Takes the latest step back. What is in files already stays there.
    pub fn undo(&mut self, by: &Signature) -> Option<LogLine> {
        let step = self.steps.pop()?;
        let undoes = step.number;
        self.take_back(step);
        let number = self.begin();
        Some(line(number, by, Deed::Undo { undoes }))
    }

    /// Notes that everything decided so far is in files. Decisions that stay open to a later review
    /// come first: what the baseline takes is gone from the next comparison, and a group of which a
    /// part is gone is another one.
    pub fn written(&mut self, files: Vec<String>, by: &Signature) -> Vec<LogLine> {
        let counts = self.counts();
        let number = self.begin();
        let mut lines = self.kept_lines(number);
        for state in &mut self.states {
            for decision in state.whole.iter_mut().chain(state.single.values_mut()) {
                decision.written = true;
            }
        }
        self.steps.clear();
        let (accepted, rejected) = (counts.accepted, counts.rejected);
        lines.push(line(number, by, Deed::Written { accepted, rejected, files }));
        lines
    }

    /// Decides everything as a log says, as far as it still fits.
    pub fn replay(&mut self, lines: &[LogLine]) -> Replayed {
        let groups: HashMap<String, usize> =
            self.subjects.iter().enumerate().map(|(at, one)| (one.id.clone(), at)).collect();
        let mut singles: HashMap<usize, HashMap<String, u32>> = HashMap::new();
        let mut outdated: HashMap<u64, u64> = HashMap::new();
        for line in lines {
            self.next = self.next.max(line.step.saturating_add(1));
            let (what, about) = match &line.deed {
                Deed::Accept(about) => (Some(What::Accept), about),
                Deed::Reject(about) => (Some(What::Reject), about),
                Deed::Skip(about) => (Some(What::Skip), about),
                Deed::Note(about) => (None, about),
                Deed::Undo { undoes } => {
                    outdated.remove(undoes);
                    if let Some(at) = self.steps.iter().position(|step| step.number == *undoes) {
                        let step = self.steps.remove(at);
                        self.take_back(step);
                    }
                    continue;
                }
                Deed::Written { .. } => {
                    self.steps.clear();
                    outdated.clear();
                    // What was accepted is in the baseline. Where it is here all the same, it changed
                    // once more, and somebody has to look at it once more.
                    for state in &mut self.states {
                        state.whole.take_if(|decision| decision.what == What::Accept);
                        state.single.retain(|_, decision| decision.what != What::Accept);
                        let all = state.whole.iter_mut().chain(state.single.values_mut());
                        all.for_each(|decision| decision.written = true);
                    }
                    continue;
                }
            };
            let target = groups.get(&about.group).and_then(|subject| {
                if about.single {
                    let places = singles.entry(*subject).or_insert_with(|| self.places(*subject));
                    let place = *places.get(about.keys.first()?)?;
                    Some(Target::Exchange(*subject, place))
                } else {
                    Some(Target::Group(*subject))
                }
            });
            let target = target.filter(|target| self.digest(*target) == Some(about.digest.clone()));
            let Some(target) = target else {
                *outdated.entry(line.step).or_default() += 1;
                continue;
            };
            let before = if let Some(what) = what {
                let (who, when) = (line.who.clone(), line.when.clone());
                let note = about.note.clone();
                self.put(target, Some(Decision { what, note, who, when, written: false }))
            } else {
                self.put_note(target.subject(), about.note.clone())
            };
            match self.steps.last_mut().filter(|step| step.number == line.step) {
                Some(step) => step.before.push(before),
                None => self.steps.push(Step { number: line.step, before: vec![before] }),
            }
        }
        let counts: u64 = self
            .states
            .iter()
            .map(|state| u64::from(state.whole.is_some()) + state.single.len() as u64)
            .sum();
        Replayed { held: counts, outdated: outdated.values().sum() }
    }

    /// What stays rejected or put off after the baseline took what was accepted, where that makes
    /// another group of it.
    fn kept_lines(&self, number: u64) -> Vec<LogLine> {
        let mut lines = Vec::new();
        for (at, state) in self.states.iter().enumerate() {
            let taken = state.single.iter().filter(|(_, one)| one.what == What::Accept);
            let taken: Vec<u32> = taken.map(|(place, _)| *place).collect();
            let Some(whole) = state.whole.as_ref().filter(|whole| whole.what != What::Accept)
            else {
                continue;
            };
            if taken.is_empty() {
                continue;
            }
            let Some(mut about) = self.about(Target::Group(at)) else { continue };
            let gone = taken.iter().filter_map(|place| self.digest_of(at, *place));
            let digest = gone.fold(self.subjects[at].digest, u128::wrapping_sub);
            about.exchanges = about.exchanges.saturating_sub(taken.len() as u64);
            about.digest = format!("{digest:032x}");
            about.note.clone_from(&whole.note);
            about.keys.clear();
            let by = Signature { who: whole.who.clone(), when: whole.when.clone() };
            lines.push(line(number, &by, Deed::decided(whole.what, about)));
        }
        lines
    }

    fn begin(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Puts a decision in place and returns what stood there.
    fn put(&mut self, target: Target, decision: Option<Decision>) -> Before {
        let equals = match target {
            Target::Group(_) => Vec::new(),
            Target::Exchange(subject, place) => self.equals(subject, place),
        };
        let state = &mut self.states[target.subject()];
        let note = state.note.clone();
        let mut before = None;
        match target {
            Target::Group(_) => before = std::mem::replace(&mut state.whole, decision),
            Target::Exchange(..) => {
                for place in equals {
                    before = match &decision {
                        Some(decision) => state.single.insert(place, decision.clone()),
                        None => state.single.remove(&place),
                    };
                }
            }
        }
        (target, before, note)
    }

    /// Puts a note in place, also as the reason of what was decided already.
    fn put_note(&mut self, subject: usize, note: Option<String>) -> Before {
        let state = &mut self.states[subject];
        let before = (Target::Group(subject), state.whole.clone(), state.note.clone());
        if let Some(decision) = &mut state.whole {
            decision.note.clone_from(&note);
        }
        state.note = note;
        before
    }

    fn take_back(&mut self, step: Step) {
        for (target, decision, note) in step.before.into_iter().rev() {
            self.put(target, decision);
            self.states[target.subject()].note = note;
        }
    }

    /// What a line of the log says of a target; without a note.
    fn about(&self, target: Target) -> Option<About> {
        let subject = self.subjects.get(target.subject())?;
        let key = |place: u32| {
            let flip = self.flip(target.subject(), place)?;
            Some(self.material.entry(flip)?.0.key.to_string())
        };
        let (exchanges, keys) = match target {
            Target::Group(_) => {
                let exchanges = subject.flips.len();
                let first = u32::try_from(exchanges.min(KEYS)).unwrap_or(0);
                (exchanges as u64, (0..first).filter_map(key).collect())
            }
            Target::Exchange(subject, place) => {
                (self.equals(subject, place).len() as u64, vec![key(place)?])
            }
        };
        Some(About {
            group: subject.id.clone(),
            cause: subject.title.clone(),
            change: subject.change(),
            exchanges,
            digest: self.digest(target)?,
            keys,
            single: matches!(target, Target::Exchange(..)),
            note: None,
        })
    }

    fn digest(&self, target: Target) -> Option<String> {
        let digest = match target {
            Target::Group(subject) => self.subjects.get(subject)?.digest,
            Target::Exchange(subject, place) => {
                let equals = self.equals(subject, place);
                let digests = equals.iter().filter_map(|place| self.digest_of(subject, *place));
                digests.fold(0, u128::wrapping_add)
            }
        };
        Some(format!("{digest:032x}"))
    }

    fn digest_of(&self, subject: usize, place: u32) -> Option<u128> {
        let flip = self.flip(subject, place)?;
        Some(digest_of_flip(&self.material, &self.digests, flip))
    }

    /// The places of a group's exchanges that are equal to the one at a place, which is among them.
    pub fn equals(&self, subject: usize, place: u32) -> Vec<u32> {
        let flip = self.flip(subject, place);
        let entry = flip.and_then(|flip| self.material.entry(flip));
        let equals = entry.and_then(|(entry, _)| self.equals.get(&(subject, entry.key)));
        equals.cloned().unwrap_or_else(|| vec![place])
    }

    /// The first of a group's exchanges that are equal to a target.
    fn first_of(&self, target: Target) -> Target {
        match target {
            Target::Group(_) => target,
            Target::Exchange(subject, place) => {
                Target::Exchange(subject, self.equals(subject, place)[0])
            }
        }
    }

    /// The places of a group's exchanges by their keys, the first of equal ones.
    fn places(&self, subject: usize) -> HashMap<String, u32> {
        let places = 0..u32::try_from(self.subjects[subject].flips.len()).unwrap_or(u32::MAX);
        let mut by_key = HashMap::new();
        for place in places {
            let flip = self.flip(subject, place);
            if let Some((entry, _)) = flip.and_then(|flip| self.material.entry(flip)) {
                by_key.entry(entry.key.to_string()).or_insert(place);
            }
        }
        by_key
    }
}

/// The exchanges of each group that have a key in common.
fn equals(material: &Material, subjects: &[Subject]) -> HashMap<(usize, Key), Vec<u32>> {
    let mut equals = HashMap::new();
    for (at, subject) in subjects.iter().enumerate() {
        let flips = subject.flips.iter().map(|number| &material.comparison.flips[*number as usize]);
        let keys = (0..).zip(flips).filter_map(|(place, flip)| {
            let (entry, _) = material.entry(flip)?;
            Some((entry.key, place))
        });
        let mut keys: Vec<(Key, u32)> = keys.collect();
        keys.sort_unstable();
        for alike in keys.chunk_by(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
            let places = alike.iter().map(|(_, place)| *place).collect();
            equals.insert((at, alike[0].0), places);
        }
    }
    equals
}

fn line(step: u64, by: &Signature, deed: Deed) -> LogLine {
    LogLine { v: VERSION, step, who: by.who.clone(), when: by.when.clone(), deed }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{by, session};
    use super::*;

    const ACCEPT: (What, Option<&str>) = (What::Accept, None);
    const REJECT: (What, Option<&str>) = (What::Reject, Some("wrong"));

    fn whats(session: &Session) -> Vec<Option<What>> {
        session.states().iter().map(|state| Some(state.whole.as_ref()?.what)).collect()
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
        assert_eq!(session.counts().open, all as u64);
        let shown = &session.subjects()[0].shown;
        assert_eq!(shown.len(), 3, "three stand for the group");
    }

    #[test]
    fn undo_goes_back_step_by_step() {
        let mut session = session();
        session.decide(&[Target::Group(0)], ACCEPT, &by());
        session.decide(&[Target::Exchange(0, 1)], REJECT, &by());
        session.decide(&[Target::Group(1), Target::Group(2)], REJECT, &by());
        assert_eq!(session.counts_of(0).rejected, 1);
        session.undo(&by()).expect("a step");
        assert_eq!(whats(&session), [Some(What::Accept), None, None, None]);
        session.undo(&by()).expect("a step");
        assert_eq!(session.counts_of(0).rejected, 0);
        session.undo(&by()).expect("a step");
        assert_eq!(session.counts().left(), session.counts().all());
        assert_eq!(session.undo(&by()), None);
    }

    #[test]
    fn a_replay_is_the_session_again() {
        let mut first = session();
        let mut log = first.decide(&[Target::Group(0)], ACCEPT, &by());
        log.extend(first.decide(&[Target::Exchange(0, 1)], REJECT, &by()));
        log.extend(first.annotate(1, "ask the owner", &by()));
        log.extend(first.decide(&[Target::Group(1)], REJECT, &by()));
        log.extend(first.undo(&by()));
        log.extend(first.decide(&[Target::Group(1)], (What::Skip, None), &by()));
        let mut again = session();
        let replayed = again.replay(&log);
        assert_eq!(again.states(), first.states());
        assert_eq!(replayed, Replayed { held: 3, outdated: 0 });
        let note = again.decision(Target::Group(1)).and_then(|decision| decision.note.as_deref());
        assert_eq!(note, Some("ask the owner"));
        // What was replayed can be taken back too.
        log.extend(again.undo(&by()));
        assert_eq!(again.decision(Target::Group(1)), None);
        let mut third = session();
        third.replay(&log);
        assert_eq!(third.states(), again.states());
    }

    #[test]
    fn a_decision_counts_only_while_the_group_is_the_same() {
        let mut first = session();
        let mut log = first.decide(&[Target::Group(0), Target::Group(1)], ACCEPT, &by());
        log.extend(first.decide(&[Target::Exchange(0, 1)], REJECT, &by()));
        let mut material = first.material().clone();
        let gone = material.comparison.flips.iter().position(|flip| flip.group == Some(0));
        material.comparison.flips.remove(gone.expect("a call of the first group"));
        let mut again = Session::new(material);
        let replayed = again.replay(&log);
        assert_eq!(whats(&again)[..2], [None, Some(What::Accept)]);
        assert_eq!(again.counts_of(0).rejected, 1, "the single call is what it was");
        assert_eq!(replayed, Replayed { held: 2, outdated: 1 });
    }

    #[test]
    fn what_is_written_cannot_be_taken_back_and_rejections_stay() {
        let mut first = session();
        let mut log = first.decide(&[Target::Group(0)], REJECT, &by());
        log.extend(first.decide(&[Target::Exchange(0, 0)], ACCEPT, &by()));
        log.extend(first.written(vec!["guide.snap".to_owned()], &by()));
        assert_eq!(first.undo(&by()), None);
        // The baseline took the accepted one: the next comparison has it no longer.
        let mut material = first.material().clone();
        let taken = material.comparison.flips.iter().position(|flip| flip.group == Some(0));
        material.comparison.flips.remove(taken.expect("a call of the first group"));
        let mut again = Session::new(material);
        again.replay(&log);
        let counts = again.counts_of(0);
        assert_eq!((counts.rejected, counts.left()), (counts.all(), 0));
        assert!(again.decision(Target::Group(0)).is_some_and(|decision| decision.written));
    }

    #[test]
    fn a_group_of_many_writes_no_line_for_each() {
        let mut session = session();
        let lines = session.decide(&[Target::Group(0)], ACCEPT, &by());
        assert_eq!(lines.len(), 1);
        let Deed::Accept(about) = &lines[0].deed else { panic!("accepted") };
        assert_eq!(about.exchanges, session.subjects()[0].flips.len() as u64);
        assert!(about.keys.len() <= KEYS);
    }
}
