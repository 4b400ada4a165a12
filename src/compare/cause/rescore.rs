//! Re-judges stored signals under another rulebook.

use super::books::{PatternText, SideBook, WATCHES, judged, looks, number_of, signals_by_answers};
use super::pair::ObservedSide;
use super::words;
use crate::compare::{Cause, Kind, NotKept, Side};
use crate::recording::ExchangeKind;
use crate::rulebook::edit::{Edit, Edits, Part, Reach};
use crate::rulebook::{LeafSet, Matching, Observing, PatternKind, Rulebook, UncompilableSchema};
use crate::store::NamedVerdict;
use crate::verdict::{Judgement, SignalSet};
use hashbrown::HashMap;
use std::sync::Arc;

/// How many questions of which nobody knows the answer are tried both ways.
const MOST_OPEN: usize = 8;

/// Why a verdict cannot be told again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeedsRecording {
    /// These patterns, by their numbers in the new rulebook, were not looked for, and they matter.
    Patterns(Vec<u16>),
    /// Another text of the reply would be judged.
    Text,
    /// The reply would have to be held against its schema again.
    Schema,
    /// The exchange would have to be held against the criteria again.
    Criteria,
    /// The question would be put to a reply of which one text is kept and two are judged.
    Question,
}

/// A side's verdicts, for another rulebook and for those that decide otherwise by the same signals.
#[derive(Debug)]
pub struct Rescorer<'s> {
    side: &'s Side,
    rulebook: Arc<Rulebook>,
    edits: Edits,
    /// Of each verdict of the side.
    observed_by: Vec<Result<Observed<'s>, NeedsRecording>>,
    /// What the patterns of the new rulebook are called, by the names they had.
    renamed: HashMap<String, String>,
}

/// What was observed of an exchange, as the new rulebook would have observed it.
#[derive(Clone, Debug)]
struct Observed<'s> {
    seen: ObservedSide<'s>,
    /// The signals that hold; several sets where some questions are open and it may not matter.
    signals: Vec<SignalSet>,
    /// The patterns of the new rulebook that hit.
    hits: Vec<usize>,
}

impl Observed<'_> {
    /// Class and answer; `None` where they depend on questions that are open.
    fn judgement(&self, rulebook: &Rulebook) -> Option<Judgement> {
        let given = &self.seen.given;
        let signals = self.signals.iter();
        let mut judgements = signals.map(|signals| given.concluded(rulebook, *signals).judgement());
        let first = judgements.next()?;
        judgements.all(|other| other == first).then_some(first)
    }
}

impl<'s> Rescorer<'s> {
    pub fn new(side: &'s Side, rulebook: &Arc<Rulebook>) -> Result<Self, NotKept> {
        let before = side.rulebook.as_ref().ok_or(NotKept::Rulebook)?;
        let edits = Edits::between(before, rulebook).ok_or(NotKept::Rulebook)?;
        let mut looks = HashMap::new();
        let old = SideBook::new(before, &mut looks);
        let questions = Questions::new(rulebook, &old, looks);
        let observed_by = side.verdicts.iter().map(|verdict| {
            let seen = ObservedSide::of(verdict, &old).ok_or(NotKept::Hits)?;
            Ok(observe(seen, &questions, edits.all()))
        });
        let observed_by = observed_by.collect::<Result<_, NotKept>>()?;
        let renamed = questions.renamed();
        Ok(Self { side, rulebook: Arc::clone(rulebook), edits, observed_by, renamed })
    }

    pub fn rulebook(&self) -> &Arc<Rulebook> {
        &self.rulebook
    }

    /// Why a verdict cannot be told; `None` where it can.
    pub fn needs_recording(&self, verdict: u32) -> Option<&NeedsRecording> {
        self.observed_by[verdict as usize].as_ref().err()
    }

    /// The class and the answer under the new rulebook, or under one with the same signals that only
    /// decides otherwise. `None` where that cannot be told.
    pub fn judgement(&self, verdict: u32, rules: &Rulebook) -> Option<Judgement> {
        self.observed_by[verdict as usize].as_ref().ok()?.judgement(rules)
    }

    /// Whether more than class and answer cannot be told: it depends on questions that are open.
    pub fn is_told_in_part(&self, verdict: u32) -> bool {
        let before = &self.side.verdicts[verdict as usize];
        let observed = self.observed_by[verdict as usize].as_ref();
        observed.is_ok_and(|observed| {
            // Most have no open question, and one way to be decided.
            if observed.signals.len() == 1 {
                return false;
            }
            let choices = self.choices(before, observed);
            choices.iter().any(|choice| !choice.says_the_same_as(&choices[0]))
        })
    }

    /// The side as the new rulebook would have judged it. Verdicts that cannot be told stay as they
    /// were; their numbers stay the same too.
    pub fn side(&self) -> Side {
        let verdicts = self.side.verdicts.iter().zip(&self.observed_by);
        let verdicts = verdicts.map(|(before, observed)| match observed {
            Ok(observed) => self.rescored(before, observed),
            Err(_) => before.clone(),
        });
        let mut side = Side {
            header: self.side.header.clone(),
            rulebook: Some(Arc::clone(&self.rulebook)),
            verdicts: verdicts.collect(),
            entries: self.side.entries.clone(),
            names: self.side.names.clone(),
            texts: self.side.texts.with_patterns(self.renamed.clone()),
            key_digits: self.side.key_digits,
        };
        side.header.rulebook.name.clone_from(&self.rulebook.name);
        side.header.rulebook.digest.clone_from(&self.rulebook.digest);
        side.header.overall_confidence = None;
        side
    }

    /// What would have been said, with open questions answered with no; what was said where it depends
    /// on the answers whether it is worse, better or anything else.
    fn rescored(&self, before: &NamedVerdict, observed: &Observed<'_>) -> NamedVerdict {
        let choices = self.choices(before, observed);
        let kind = |choice| Kind::of(Some(before), Some(choice), false);
        let first = &choices[0];
        let depends = choices.iter().any(|choice| kind(choice) != kind(first));
        if depends && first.judgement() == before.judgement() {
            return before.clone();
        }
        let names = |pattern: &usize| {
            u16::try_from(*pattern).ok().and_then(|pattern| self.rulebook.pattern_name(pattern))
        };
        let hits = observed.hits.iter().filter_map(names).collect();
        NamedVerdict { hits, ..first.clone() }
    }

    /// What would have been said for each way to answer the open questions, first that with no. Hits, of
    /// which such a question leaves some unknown, are those from before.
    fn choices(&self, before: &NamedVerdict, observed: &Observed<'_>) -> Vec<NamedVerdict> {
        let signals = observed.signals.iter();
        let choices = signals.map(|signals| {
            let holding =
                self.rulebook.signals.iter().enumerate().filter(|(at, _)| signals.has(*at));
            NamedVerdict {
                kind: before.kind,
                fate: before.fate,
                reply: before.reply,
                ground: before.ground,
                error_code: before.error_code.clone(),
                is_error: before.is_error,
                schema: before.schema.clone(),
                criteria: before.criteria.clone(),
                signals: holding.map(|(_, signal)| signal.name.clone()).collect(),
                hits: before.hits.clone(),
                ..observed.seen.given.concluded(&self.rulebook, *signals)
            }
        });
        choices.collect()
    }

    /// What was changed that a verdict is not told for, in words.
    pub fn causes(&self, needs_recording: &NeedsRecording) -> Vec<Cause> {
        let of = |reaches: &dyn Fn(&Edit) -> bool| -> Vec<Cause> {
            self.edits.all().iter().filter(|edit| reaches(edit)).map(words::of_edit).collect()
        };
        match needs_recording {
            NeedsRecording::Patterns(patterns) => {
                let names = patterns.iter().filter_map(|it| self.rulebook.pattern_name(*it));
                let not_looked_for = |name: String| Cause {
                    kind: crate::compare::CauseKind::Pattern,
                    change: format!("pattern '{name}' was not looked for"),
                    name,
                };
                names.map(not_looked_for).collect()
            }
            NeedsRecording::Text => of(&|edit| {
                edit.reach() == Reach::Text || edit.part == Part::Errors && edit.key == "question"
            }),
            NeedsRecording::Schema => of(&|edit| edit.reach() == Reach::Schema),
            NeedsRecording::Criteria => of(&|edit| edit.reach() == Reach::Criteria),
            NeedsRecording::Question => {
                of(&|edit| matches!(edit.part, Part::Errors | Part::HiddenFailure))
            }
        }
    }
}

/// The questions of the new rulebook, with what the old one looked for.
struct Questions<'a> {
    new: &'a Arc<Rulebook>,
    old: &'a SideBook,
    asked: [Vec<PatternQuestion>; WATCHES.len()],
}

/// A pattern that answers a question.
struct PatternQuestion {
    leaf: usize,
    pattern: usize,
    look: usize,
    /// Where this was not looked for: it hits where one of these does, and does not where one of those does not.
    hits_by: Vec<usize>,
    misses_by: Vec<usize>,
}

impl<'a> Questions<'a> {
    fn new(
        new: &'a Arc<Rulebook>,
        old: &'a SideBook,
        mut looks: HashMap<PatternText, usize>,
    ) -> Self {
        let known: Vec<(PatternText, usize)> =
            looks.iter().map(|(look, number)| (look.clone(), *number)).collect();
        let asked = WATCHES.map(|watch| {
            let was_looked_for = |number: usize| old.looked_for(watch).has(number);
            let asked = self::looks(new, watch).into_iter().map(|(leaf, pattern, look)| {
                let (mut hits_by, mut misses_by) = (Vec::new(), Vec::new());
                if !looks.get(&look).is_some_and(|number| was_looked_for(*number)) {
                    for (other, number) in known.iter().filter(|(_, it)| was_looked_for(*it)) {
                        hits_by.extend(holds(other, &look).then_some(*number));
                        misses_by.extend(holds(&look, other).then_some(*number));
                    }
                }
                let look = number_of(&mut looks, look);
                PatternQuestion { leaf, pattern, look, hits_by, misses_by }
            });
            asked.collect()
        });
        Self { new, old, asked }
    }

    /// What the patterns of the new rulebook are called, by what the old one calls what is the same.
    fn renamed(&self) -> HashMap<String, String> {
        let mut by_look: HashMap<usize, usize> = HashMap::new();
        for asked in self.asked.iter().flatten() {
            by_look.entry(asked.look).or_insert(asked.pattern);
        }
        let names = self.new.pattern_names();
        let of = |old: String| {
            let (look, _) = self.old.look(&old)?;
            // One that still is called the same is meant, where there are several.
            let name = names.iter().find(|name| **name == old);
            let other = || by_look.get(&look).and_then(|pattern| names.get(*pattern));
            Some((old.clone(), name.or_else(other)?.clone()))
        };
        self.old.rulebook.pattern_names().into_iter().filter_map(of).collect()
    }
}

/// Whether a text hits only where another does, since it holds it.
fn holds(look: &PatternText, other: &PatternText) -> bool {
    let is_text = |kind| matches!(kind, PatternKind::Text(_));
    look.field == other.field
        && is_text(look.kind)
        && other.kind == PatternKind::Text(Matching::Substring)
        && look.text.contains(&other.text)
}

fn observe<'s>(
    seen: ObservedSide<'s>,
    questions: &Questions<'_>,
    edits: &[Edit],
) -> Result<Observed<'s>, NeedsRecording> {
    let (old, new) = (&questions.old.rulebook, questions.new);
    let edited = |reach: Reach| edits.iter().any(|edit| edit.reach() == reach);
    let NamedVerdict { kind, ground, reply, .. } = *seen.verdict;
    if kind != ExchangeKind::ToolCall && edited(Reach::Criteria) {
        return Err(NeedsRecording::Criteria);
    }
    if edited(Reach::Schema) && may_be_validated_against_another(&seen, old, new) {
        return Err(NeedsRecording::Schema);
    }
    let Some(watch) = new.observes(ground) else {
        return Ok(Observed { seen, signals: vec![SignalSet::default()], hits: Vec::new() });
    };
    if new.judges_two_texts(ground) {
        return Err(NeedsRecording::Question);
    }
    let sees_others = || match (old.text.own_words, new.text.own_words) {
        (true, false) => seen.verdict.hits_left_out != Some(false),
        (false, true) => !seen.verdict.hits.is_empty(),
        (true, true) | (false, false) => false,
    };
    let is_other_text = || seen.text != judged(new, new.text, ground, reply) || sees_others();
    if seen.looked_as.is_some() && is_other_text() {
        return Err(NeedsRecording::Text);
    }
    let observed = look(seen, questions, watch)?;
    if observed.signals.iter().any(|signals| new.asks_on(Some(watch), *signals)) {
        return look(observed.seen, questions, Observing::HiddenFailures);
    }
    Ok(observed)
}

/// What was observed by the hits of the old rulebook, if the new one looked at a reply of this kind.
fn look<'s>(
    seen: ObservedSide<'s>,
    questions: &Questions<'_>,
    watch: Observing,
) -> Result<Observed<'s>, NeedsRecording> {
    let (mut yes, mut hits) = (LeafSet::default(), Vec::new());
    // The questions that are open, with the patterns that nobody looked for.
    let mut open: Vec<(usize, u16)> = Vec::new();
    for PatternQuestion { leaf, pattern, look, hits_by, misses_by } in
        &questions.asked[watch as usize]
    {
        let hit = |look: &usize| seen.hits.has(*look);
        let is_hit = seen.looked_as.and_then(|looked| {
            if questions.old.looked_for(looked).has(*look) {
                Some(hit(look))
            } else if hits_by.iter().any(hit) {
                Some(true)
            } else {
                misses_by.iter().any(|look| !hit(look)).then_some(false)
            }
        });
        match is_hit {
            Some(true) => {
                yes.insert(*leaf);
                hits.push(*pattern);
            }
            Some(false) => {}
            None => open.push((*leaf, u16::try_from(*pattern).unwrap_or(u16::MAX))),
        }
    }
    open.retain(|(leaf, _)| !yes.has(*leaf));
    hits.sort_unstable();
    let mut leaves: Vec<usize> = open.iter().map(|(leaf, _)| *leaf).collect();
    leaves.dedup();
    let patterns = || NeedsRecording::Patterns(open.iter().map(|(_, it)| *it).collect());
    if leaves.len() > MOST_OPEN {
        return Err(patterns());
    }
    let signals = signals_by_answers(questions.new, watch, yes, &leaves);
    let observed = Observed { seen, signals, hits };
    if observed.judgement(questions.new).is_some() { Ok(observed) } else { Err(patterns()) }
}

/// Whether what a schema says of a reply may be otherwise under the other rulebook's settings.
fn may_be_validated_against_another(
    seen: &ObservedSide<'_>,
    old: &Rulebook,
    new: &Rulebook,
) -> bool {
    if seen.verdict.schema.is_some() {
        return true;
    }
    match seen.given.ground.claims_success() {
        Some(true) => {
            let silent = old.schema.uncompilable == UncompilableSchema::AsIfAbsent;
            silent || old.metadata.on != new.metadata.on
        }
        Some(false) => {
            old.schema.on_errors != new.schema.on_errors
                || new.schema.on_errors && old.metadata.on != new.metadata.on
        }
        None => false,
    }
}
