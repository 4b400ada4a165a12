//! Variants of patterns that are there: an entry less, an entry as a word only, a signal that something else
//! vetoes. Each mends what the rulebook says of replies of several servers.

use super::change::{Change, Variation, Veto};
use super::grams::Grams;
use super::mine::Support;
use super::overlay::Overlay;
use super::reply::{Asked, LabelledReply};
use super::seen::{Seen, SeenReply};
use crate::labels::Label;
use crate::measure::fit::{Counts, Objective};
use crate::rulebook::{Field, Matching, Observing, PatternKind, Rulebook};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many times as much a server counts against a variant of which it breaks a reply.
const AGAINST: usize = 2;
/// Variants, at most.
const MOST: usize = 8;
/// Examples that are kept as evidence.
const EXAMPLES: usize = 3;
/// What variants have to bring on servers on which they were not found.
const GAIN: f64 = 0.005;

/// A variant of a pattern with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    pub variation: Variation,
    /// To which question it changes answers.
    pub asked: Asked,
    /// Replies that it is about, by what is true of them: those that the entry hits, or of which the signal holds.
    pub about: BTreeMap<Label, Count>,
    /// Replies of which something wrong is said, and with it something right.
    pub mended: Count,
    /// Replies of which something right is said, and with it something wrong.
    pub broken: Count,
    /// A few of the mended replies, by their place; each of another server.
    pub examples: Vec<usize>,
}

/// Replies and their servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Count {
    pub replies: usize,
    pub servers: usize,
}

impl Variant {
    pub fn change(&self) -> Change {
        Change::Variant { variation: self.variation.clone(), asked: self.asked }
    }
}

/// What variants are looked for in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) start: &'a Rulebook,
    pub(super) replies: &'a [LabelledReply],
    pub(super) grams: &'a Grams,
    pub(super) seen: &'a Seen,
    pub(super) support: Support,
    pub(super) objective: Objective,
}

/// A variant that may be one.
struct Candidate {
    what: What,
    /// The replies that it is about.
    about: Vec<usize>,
    mended: BTreeSet<usize>,
    broken: BTreeSet<usize>,
}

/// What it would be, without how it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Word { list: String, entry: String },
    Without { list: String, entry: String },
    Veto { signal: usize, phrase: Option<String>, other: Option<usize> },
}

impl What {
    /// Letters of a phrase: of equally good ones the shortest says the most of other texts.
    fn length(&self) -> usize {
        match self {
            Self::Veto { phrase: Some(phrase), .. } => phrase.len(),
            Self::Veto { phrase: None, .. } | Self::Word { .. } | Self::Without { .. } => 0,
        }
    }
}

impl Search<'_> {
    /// The variants that mend the most, the best first.
    pub(super) fn find(&self, train: &[usize]) -> Vec<Variant> {
        let mut candidates = self.entries(train);
        candidates.extend(self.vetoes(train));
        candidates.retain(|it| self.is_good(it));
        let worth = |it: &Candidate| {
            let [mended, broken] =
                [&it.mended, &it.broken].map(|places| self.servers(places).len());
            mended.saturating_sub(AGAINST * broken)
        };
        candidates.sort_by_cached_key(|it| {
            let mended = Reverse(it.mended.len());
            (Reverse(worth(it)), it.broken.len(), mended, it.what.length(), it.what.clone())
        });
        let mut mended: BTreeSet<usize> = BTreeSet::new();
        let mut found: Vec<Variant> = Vec::new();
        for candidate in candidates {
            if found.len() == MOST {
                break;
            }
            let fresh: BTreeSet<usize> = candidate.mended.difference(&mended).copied().collect();
            let candidate = Candidate { mended: fresh, ..candidate };
            let touches = |it: &Variant| it.variation.touches(self.start, &candidate.what);
            if !self.is_good(&candidate) || found.iter().any(touches) {
                continue;
            }
            let Some(variation) = self.variation(&candidate.what) else { continue };
            let variant = self.variant(variation, &candidate);
            if self.with(&[variant.change()]).is_some() {
                mended.extend(&candidate.mended);
                found.push(variant);
            }
        }
        found
    }

    /// Of the variants for a question those that bring something on servers on which they were not found.
    pub(super) fn taken(&self, variants: &[Variant], parts: &[[Vec<usize>; 2]]) -> Vec<Change> {
        let mut taken = Vec::new();
        for asked in [Asked::Failed, Asked::Hidden] {
            let own = |found: &[Variant]| -> Vec<Change> {
                found.iter().filter(|it| it.asked == asked).map(Variant::change).collect()
            };
            let changes = own(variants);
            if changes.is_empty() {
                continue;
            }
            let [mut before, mut after] = [Vec::new(), Vec::new()];
            for [inside, outside] in parts {
                let book = self.with(&own(&self.find(outside)));
                for at in inside.iter().filter(|at| self.replies[**at].asked() == asked) {
                    let was = self.seen.of[*at].answer;
                    let is = book.as_ref().map_or(was, |book| self.replies[*at].answer(book));
                    before.push((self.replies[*at].label, was));
                    after.push((self.replies[*at].label, is));
                }
            }
            let [before, after] = [before, after].map(|it| self.worth(asked, it));
            if after > before + GAIN {
                taken.extend(changes);
            }
        }
        taken
    }

    /// Of changes those among which no variant is idle: without it, what a rulebook says would be worse.
    pub(super) fn busy(&self, changes: Vec<Change>, train: &[usize]) -> Vec<Change> {
        let worth = |changes: &[Change], asked: Asked| {
            let book = self.with(changes)?;
            let own = train.iter().map(|at| &self.replies[*at]).filter(|it| it.asked() == asked);
            Some(self.worth(asked, own.map(|it| (it.label, it.answer(&book)))))
        };
        let mut kept = changes;
        let mut at = 0;
        while let Some(change) = kept.get(at) {
            let asked = change.asked();
            if matches!(change, Change::Variant { .. }) {
                let mut fewer = kept.clone();
                fewer.remove(at);
                if worth(&kept, asked) <= worth(&fewer, asked) {
                    kept = fewer;
                    continue;
                }
            }
            at += 1;
        }
        kept
    }

    /// What the objective comes to for answers.
    fn worth(
        &self,
        asked: Asked,
        answers: impl IntoIterator<Item = (Label, Option<Label>)>,
    ) -> f64 {
        let mut counts = Counts::default();
        let [failed, _] = asked.labels();
        for (label, answer) in answers {
            let count = match (label == failed, answer == Some(failed)) {
                (true, true) => &mut counts.found,
                (true, false) => &mut counts.missed,
                (false, true) => &mut counts.alarmed,
                (false, false) => &mut counts.spared,
            };
            *count += 1.0;
        }
        self.objective.of(&counts)
    }

    fn with(&self, changes: &[Change]) -> Option<Rulebook> {
        Overlay::new(self.start, changes).on(self.start).ok()
    }

    fn servers<'a>(&self, places: impl IntoIterator<Item = &'a usize>) -> BTreeSet<u32> {
        places.into_iter().map(|at| self.replies[*at].server).collect()
    }

    fn counted<'a>(&self, places: impl IntoIterator<Item = &'a usize>) -> Count {
        let places: Vec<usize> = places.into_iter().copied().collect();
        Count { replies: places.len(), servers: self.servers(&places).len() }
    }

    /// Whether it mends replies of several servers, and breaks few.
    fn is_good(&self, it: &Candidate) -> bool {
        let [mended, broken] = [&it.mended, &it.broken].map(|places| self.counted(places));
        mended.servers >= self.support.servers
            && mended.servers > AGAINST * broken.servers
            && mended.replies > AGAINST * broken.replies
    }

    fn is_wrong(&self, at: usize) -> bool {
        self.seen.of[at].answer != Some(self.replies[at].label)
    }

    /// What becomes of replies: those that are mended and those that are broken.
    fn effect(
        &self,
        places: &[usize],
        answer: impl Fn(usize, &SeenReply) -> Option<Label>,
    ) -> [BTreeSet<usize>; 2] {
        let [mut mended, mut broken] = [BTreeSet::new(), BTreeSet::new()];
        for at in places {
            let is_right = answer(*at, &self.seen.of[*at]) == Some(self.replies[*at].label);
            match (self.is_wrong(*at), is_right) {
                (true, true) => _ = mended.insert(*at),
                (false, false) => _ = broken.insert(*at),
                (true, false) | (false, true) => {}
            }
        }
        [mended, broken]
    }

    /// Entries that may go, or count as words only.
    fn entries(&self, train: &[usize]) -> Vec<Candidate> {
        let mut hit: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for at in train {
            let listed = |pattern: &u16| {
                let list = self.seen.list_of(*pattern)?;
                Some((list, self.start.patterns[usize::from(*pattern)].text.as_str()))
            };
            let entries: BTreeSet<_> = self.seen.of[*at].hits.iter().filter_map(listed).collect();
            for entry in entries {
                hit.entry(entry).or_default().push(*at);
            }
        }
        let entries_of = |list: &str| {
            let all = (0_u16..).zip(&self.start.patterns);
            let own = all.filter(|(number, _)| self.seen.list_of(*number) == Some(list));
            own.map(|(_, pattern)| &*pattern.text).collect::<BTreeSet<&str>>().len()
        };
        let mut candidates = Vec::new();
        for ((list, entry), about) in hit {
            let wrong: Vec<usize> = about.iter().copied().filter(|at| self.is_wrong(*at)).collect();
            if self.servers(&wrong).len() < self.support.servers {
                continue;
            }
            let same = |pattern: u16| {
                self.seen.list_of(pattern) == Some(list)
                    && self.start.patterns[usize::from(pattern)].text == entry
            };
            let inside = |at: usize, pattern: u16| {
                let found = &self.start.patterns[usize::from(pattern)];
                found.kind == PatternKind::Text(Matching::Substring)
                    && !is_word(field(&self.replies[at], found.field), entry)
            };
            let name = || (list.to_owned(), entry.to_owned());
            let words = self.effect(&about, |at, seen| {
                let kept = |pattern: u16| !same(pattern) || !inside(at, pattern);
                self.answer(at, self.seen.yes(seen, kept))
            });
            let without = self.effect(&about, |at, seen| {
                self.answer(at, self.seen.yes(seen, |pattern| !same(pattern)))
            });
            let ((list, entry), [mended, broken]) = (name(), words);
            let what = What::Word { list: list.clone(), entry: entry.clone() };
            candidates.push(Candidate { what, about: about.clone(), mended, broken });
            // A list without entries is none.
            if entries_of(&list) > 1 {
                let [mended, broken] = without;
                let what = What::Without { list, entry };
                candidates.push(Candidate { what, about, mended, broken });
            }
        }
        candidates
    }

    fn answer(&self, at: usize, yes: crate::rulebook::LeafSet) -> Option<Label> {
        let which = self.seen.of[at].which?;
        self.replies[at].answer_by(self.start, self.start.signals_when(which, yes))
    }

    /// Signals that hold where they ought not to, with what stands beside them there.
    fn vetoes(&self, train: &[usize]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for which in [Observing::Errors, Observing::Successes] {
            let below = self.start.signals_below(which);
            let observed = self.start.observed_signals(which);
            for signal in observed.iter().copied() {
                let holds = |at: &&usize| {
                    let seen = &self.seen.of[**at];
                    seen.which == Some(which) && seen.signals.has(signal)
                };
                let about: Vec<usize> = train.iter().filter(holds).copied().collect();
                let [mended, broken] = self.effect(&about, |at, seen| {
                    let signals = self.start.signals_where(which, seen.yes, (signal, false));
                    self.replies[at].answer_by(self.start, signals)
                });
                if self.servers(&mended).len() < self.support.servers {
                    continue;
                }
                let others = observed.iter().copied().filter(|other| !below[*other].has(signal));
                let beside = others.map(|other| {
                    let both = |places: &BTreeSet<usize>| -> BTreeSet<usize> {
                        let holds = |at: &&usize| self.seen.of[**at].signals.has(other);
                        places.iter().filter(holds).copied().collect()
                    };
                    let what = What::Veto { signal, phrase: None, other: Some(other) };
                    (what, both(&mended), both(&broken))
                });
                let mut telling: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
                for at in &mended {
                    for phrase in &self.grams.telling[*at] {
                        telling.entry(*phrase).or_default().insert(self.replies[*at].server);
                    }
                }
                telling.retain(|_, servers| servers.len() >= self.support.servers);
                let phrases = telling.into_keys().map(|phrase| {
                    let both = |places: &BTreeSet<usize>| -> BTreeSet<usize> {
                        let says = |at: &&usize| self.grams.has(**at, phrase);
                        places.iter().filter(says).copied().collect()
                    };
                    let text = self.grams.names[phrase as usize].clone();
                    let what = What::Veto { signal, phrase: Some(text), other: None };
                    (what, both(&mended), both(&broken))
                });
                let all = beside.chain(phrases).map(|(what, mended, broken)| Candidate {
                    what,
                    about: about.clone(),
                    mended,
                    broken,
                });
                candidates.extend(all.filter(|it| self.is_good(it)));
            }
        }
        candidates
    }

    /// How it is written; `None` where it cannot be.
    fn variation(&self, what: &What) -> Option<Variation> {
        Some(match what.clone() {
            What::Without { list, entry } => Variation::Without { list, entry },
            What::Word { list, entry } => {
                let is_free =
                    |name: &String| self.start.patterns.iter().all(|pattern| pattern.list != *name);
                let numbered = (2..).map(|number| format!("{list}_as_words_{number}"));
                let to = [format!("{list}_as_words")].into_iter().chain(numbered).find(is_free)?;
                Variation::Word { list, entry, to }
            }
            What::Veto { signal, phrase, other } => {
                let name = |signal: usize| &self.start.signals[signal].name;
                let by = match (phrase, other) {
                    (Some(phrase), _) => Veto::Phrase(phrase),
                    (None, other) => Veto::Signal(name(other?).clone()),
                };
                Variation::Veto { signal: name(signal).clone(), by }
            }
        })
    }

    fn variant(&self, variation: Variation, candidate: &Candidate) -> Variant {
        let mut about: BTreeMap<Label, Vec<usize>> = BTreeMap::new();
        for at in &candidate.about {
            about.entry(self.replies[*at].label).or_default().push(*at);
        }
        let hidden =
            candidate.mended.iter().filter(|at| self.replies[**at].asked() == Asked::Hidden);
        let mut shown = BTreeSet::new();
        let each = candidate.mended.iter().filter(|at| shown.insert(self.replies[**at].server));
        Variant {
            asked: if 2 * hidden.count() > candidate.mended.len() {
                Asked::Hidden
            } else {
                Asked::Failed
            },
            about: about.iter().map(|(label, places)| (*label, self.counted(places))).collect(),
            mended: self.counted(&candidate.mended),
            broken: self.counted(&candidate.broken),
            examples: each.take(EXAMPLES).copied().collect(),
            variation,
        }
    }
}

impl Variation {
    /// Whether it is about the same entry or signal as another.
    fn touches(&self, start: &Rulebook, what: &What) -> bool {
        match (self, what) {
            (
                Self::Without { list, entry } | Self::Word { list, entry, .. },
                What::Without { list: l, entry: e } | What::Word { list: l, entry: e },
            ) => (list, entry) == (l, e),
            (Self::Veto { signal, .. }, What::Veto { signal: other, .. }) => {
                *signal == start.signals[*other].name
            }
            (Self::Veto { .. }, _) | (_, What::Veto { .. }) => false,
        }
    }
}

fn field(reply: &LabelledReply, field: Field) -> &str {
    match field {
        Field::Text => &reply.text,
        Field::Tool => &reply.tool,
        Field::Input => &reply.input,
        Field::Scenario => &reply.scenario,
        Field::Code => &reply.code,
    }
}

/// Whether an entry stands in a text as a word, as a list of words would find it.
fn is_word(text: &str, entry: &str) -> bool {
    let text = text.to_lowercase();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(entry).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + entry.len()..].chars().next().is_some_and(is_part)
    })
}
