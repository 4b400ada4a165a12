//! What would have been decided with some changes put back, told from hits and not from texts.

use super::books::{
    AskedLook, Books, Judged, PatternTexts, ReadSignals, judged, signals_by_answers,
};
use super::given::Given;
use super::pair::{Pair, What};
use crate::compare::Matched;
use crate::rulebook::{LeafSet, Observing, TextRule};
use crate::store::NamedVerdict;
use crate::verdict::SignalSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many unanswered questions are tried both ways.
const MOST_UNANSWERED: usize = 4;

/// The changes that are put back: edits of the rulebook by their number, then the pair's switches.
pub(super) type PutBack = [bool];

/// The observation that a choice of changes leads to.
struct Observed<'p> {
    books: &'p Books,
    pair: &'p Pair<'p>,
    put_back: &'p PutBack,
    given: Given,
    rule: TextRule,
    /// Whether the earlier text is meant, where the two are not one.
    earlier_text: bool,
    /// What only one side found though both looked, with whether the earlier finding is meant.
    hits: Vec<(usize, bool)>,
}

/// The questions that are answered with yes, those that nobody looked for, and the patterns that hit.
type Answers = (LeafSet, Vec<usize>, Vec<usize>);

/// What a choice of changes leads to.
pub(super) struct Evaluated {
    pub(super) concluded: NamedVerdict,
    /// The patterns that hit, by their numbers in the rulebook of the signals.
    hits: Vec<usize>,
    signals: Arc<ReadSignals>,
}

impl Evaluated {
    /// The patterns that hit: list, text and field.
    pub(super) fn hits(&self) -> BTreeSet<String> {
        let patterns = &self.signals.rulebook.patterns;
        self.hits.iter().map(|pattern| patterns[*pattern].written()).collect()
    }
}

/// What would have been decided; `None` where the hits do not tell.
pub(super) fn evaluate(
    books: &mut Books,
    pair: &Pair<'_>,
    put_back: &PutBack,
) -> Option<Evaluated> {
    let (signals, rules) = books.with(put_back)?;
    let observed = Observed::new(books, pair, put_back);
    let rulebook = &rules.rulebook;
    let given = &observed.given;
    let Some(watch) = rulebook.observes(given.ground) else {
        let concluded = given.concluded(rulebook, SignalSet::default());
        return Some(Evaluated { concluded, hits: Vec::new(), signals });
    };
    if rulebook.judges_two_texts(given.ground) {
        // Two texts are judged there, and the hits of only one of them are kept.
        return None;
    }
    let text = judged(rulebook, observed.rule, given.ground, given.reply);
    let there = signals.there(&books.edits, put_back);
    let [errors, hidden] = rules.deciding;
    let look = |watch: Observing| {
        let observable = signals.observed(&rules, watch);
        let needed = SignalSet(observable.0 & (there.0 | errors.0 | hidden.0));
        let (yes, unanswered, hits) = observed.answers(&signals, needed, watch, text)?;
        let mut holding = signals_by_answers(&signals.rulebook, watch, yes, &unanswered);
        for signals in &mut holding {
            signals.0 &= observable.0;
        }
        Some((hits, holding))
    };
    let (mut hits, mut holding) = look(watch)?;
    if holding.iter().any(|signals| rulebook.asks_on(Some(watch), *signals)) {
        (hits, holding) = look(Observing::HiddenFailures)?;
    }
    let mut results = holding.into_iter().map(|holding| {
        let mut concluded = given.concluded(rulebook, holding);
        let names = signals.rulebook.signals.iter().enumerate();
        let names = names.filter(|(at, _)| holding.has(*at) && there.has(*at));
        concluded.signals = names.map(|(_, signal)| signal.name.clone()).collect();
        concluded.signals.sort_unstable();
        concluded
    });
    let concluded = results.next()?;
    let agreed = results.all(|other| other == concluded);
    drop(results);
    agreed.then_some(Evaluated { concluded, hits, signals })
}

impl<'p> Observed<'p> {
    fn new(books: &'p Books, pair: &'p Pair<'p>, put_back: &'p PutBack) -> Self {
        let Pair { before, after, .. } = pair;
        let edits = books.edits.all().len();
        let switches = pair.switches.iter().zip(&put_back[edits..]);
        let mut observed = Self {
            books,
            pair,
            put_back,
            given: after.given.clone(),
            rule: books.sides[1].rulebook.text,
            earlier_text: false,
            hits: Vec::new(),
        };
        // Without a switch of its own, the ground goes with the text.
        let own_ground = pair.switches.iter().any(|switch| switch.what == What::Ground);
        for (switch, put_back) in switches {
            match &switch.what {
                What::Hit(look) => observed.hits.push((*look, *put_back)),
                _ if !put_back => {}
                What::Text => {
                    observed.earlier_text = true;
                    observed.rule = books.sides[0].rulebook.text;
                    if !own_ground {
                        observed.put_back_ground();
                    }
                }
                What::Ground => observed.put_back_ground(),
                What::Schema => observed.given.schema = before.given.schema,
                What::Issue(issue) => {
                    let others = &mut observed.given.others;
                    others.retain(|other| other != issue);
                    let earlier = before.given.others.iter().filter(|other| *other == issue);
                    others.extend(earlier.cloned());
                    others.sort_unstable();
                }
                What::Stated => observed.given.stated = before.given.stated,
            }
        }
        if observed.given.others == before.given.others {
            observed.given.outcome = before.given.outcome;
        }
        observed
    }

    fn put_back_ground(&mut self) {
        let Given { ground, reply, fate, .. } = &self.pair.before.given;
        (self.given.ground, self.given.reply, self.given.fate) = (*ground, *reply, *fate);
    }

    /// What each side looked for, of those that tell of the text that is meant, and whether that is all of it.
    fn telling(&self, watch: Observing, text: Judged) -> [Option<(&'p PatternTexts, bool)>; 2] {
        let Pair { before, after, matched, .. } = self.pair;
        // Another reply has another text, even where it is judged by the same rule.
        let is_meant = match matched {
            Matched::Exchange => [true, true],
            Matched::Request => [self.earlier_text, !self.earlier_text],
        };
        let [earlier, later] = &self.books.sides;
        [(before, earlier, is_meant[0]), (after, later, is_meant[1])].map(
            |(seen, book, is_meant)| {
                let looked = seen.looked_as?;
                let is_error = |which| which == Observing::Errors;
                let tells = is_meant && seen.text == text && is_error(looked) == is_error(watch);
                let whole = looked == watch || looked == Observing::HiddenFailures;
                tells.then(|| (book.looked_for(looked), whole))
            },
        )
    }

    /// Whether something that is looked for is in the text; `None` where nobody looked.
    fn found(&self, telling: [Option<(&PatternTexts, bool)>; 2], look: usize) -> Option<bool> {
        let Pair { before, after, .. } = self.pair;
        if let Some((_, earlier)) = self.hits.iter().find(|(other, _)| *other == look) {
            let seen = if *earlier { before } else { after };
            return Some(seen.hits.has(look));
        }
        // Where both looked and found different things, there is a switch for it.
        match telling.map(|looked| looked.is_some_and(|(looked, _)| looked.has(look))) {
            [_, true] => Some(after.hits.has(look)),
            [true, false] => Some(before.hits.has(look)),
            [false, false] => None,
        }
    }

    /// `needed`: the signals that are told or by which anything is decided.
    fn answers(
        &self,
        signals: &ReadSignals,
        needed: SignalSet,
        watch: Observing,
        text: Judged,
    ) -> Option<Answers> {
        let telling = self.telling(watch, text);
        let is_asked = |asked: &AskedLook| {
            let is_there = |entry: usize| {
                let was_there = self.books.edits.all()[entry].before.is_some();
                was_there == self.put_back[entry]
            };
            // What no signal rests on that decides anything or is told need not be answered.
            signals.resting[asked.leaf].0 & needed.0 != 0 && asked.entry.is_none_or(is_there)
        };
        let mut yes = LeafSet::default();
        let mut hits = Vec::new();
        for look in &self.pair.hits {
            if self.found(telling, *look) == Some(true) {
                for asked in signals.asked_of(*look).filter(|asked| is_asked(asked)) {
                    yes.insert(asked.leaf);
                    hits.push(asked.pattern);
                }
            }
        }
        let mut unanswered = Vec::new();
        for asked in signals.unanswered(watch, telling.map(|looked| looked.is_some_and(|it| it.1)))
        {
            // Most of it is asked by the other rulebook alone, and this is quickly told.
            let is_open = is_asked(asked) && !yes.has(asked.leaf);
            let is_open = is_open && !unanswered.contains(&asked.leaf);
            if is_open && self.found(telling, asked.look).is_none() {
                unanswered.push(asked.leaf);
                if unanswered.len() > MOST_UNANSWERED {
                    return None;
                }
            }
        }
        Some((yes, unanswered, hits))
    }
}
