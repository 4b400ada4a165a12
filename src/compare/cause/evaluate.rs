//! What would have been decided with some changes put back, told from hits and not from texts.

use super::books::{AskedLook, Books, Judged, Looks, ReadSignals, judged, signals_by_answers};
use super::concluded::{concluded, errors_in};
use super::pair::{Pair, Seen, What};
use crate::compare::Matched;
use crate::recording::ReplyKind;
use crate::rulebook::{LeafSet, Observing, Rulebook, TextRule};
use crate::store::NamedVerdict;
use crate::verdict::{self, Fate, Ground, SchemaOutcome, SignalSet, Signals};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many unanswered questions are tried both ways.
const MOST_UNANSWERED: usize = 4;

/// The changes that are put back: edits of the rulebook by their number, then the pair's switches.
pub(super) type PutBack = [bool];

/// The observation that a choice of changes leads to.
struct Observed<'p> {
    ground: Ground,
    reply: ReplyKind,
    fate: Fate,
    schema: Option<SchemaOutcome>,
    others: Vec<String>,
    stated: Option<f64>,
    rule: TextRule,
    /// Whether the earlier text is meant, where the two are not one.
    earlier_text: bool,
    /// What only one side found though both looked, with whether the earlier finding is meant.
    hits: Vec<(usize, bool)>,
    pair: &'p Pair<'p>,
}

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
    let Some(watch) = rulebook.observes(observed.ground) else {
        let concluded = observed.concluded(rulebook, SignalSet::default());
        return Some(Evaluated { concluded, hits: Vec::new(), signals });
    };
    if rulebook.judges_two_texts(observed.ground) {
        // Two texts are judged there, and the hits of only one of them are kept.
        return None;
    }
    let text = judged(rulebook, observed.rule, observed.ground, observed.reply);
    let there = signals.there(&books.edits, put_back);
    let [errors, hidden] = rules.deciding;
    let look = |watch: Observing| {
        let observable = signals.observed(&rules, watch);
        let needed = SignalSet(observable.0 & (there.0 | errors.0 | hidden.0));
        let asking = Asking { books, signals: &signals, put_back, needed };
        let answers = observed.answers(&asking, watch, text)?;
        let mut holding =
            signals_by_answers(&signals.rulebook, watch, answers.yes, &answers.unanswered);
        for signals in &mut holding {
            signals.0 &= observable.0;
        }
        Some((answers, holding))
    };
    let (mut answers, mut holding) = look(watch)?;
    if holding.iter().any(|signals| rulebook.asks_on(Some(watch), *signals)) {
        (answers, holding) = look(Observing::HiddenFailures)?;
    }
    let mut results = holding.into_iter().map(|holding| {
        let mut concluded = observed.concluded(rulebook, holding);
        let names = signals.rulebook.signals.iter().enumerate();
        let names = names.filter(|(at, _)| holding.has(*at) && there.has(*at));
        concluded.signals = names.map(|(_, signal)| signal.name.clone()).collect();
        concluded.signals.sort_unstable();
        concluded
    });
    let concluded = results.next()?;
    let agreed = results.all(|other| other == concluded);
    drop(results);
    agreed.then_some(Evaluated { concluded, hits: answers.hits, signals })
}

struct Asking<'a> {
    books: &'a Books,
    signals: &'a ReadSignals,
    put_back: &'a PutBack,
    /// The signals that are told or by which anything is decided.
    needed: SignalSet,
}

struct Answers {
    yes: LeafSet,
    unanswered: Vec<usize>,
    hits: Vec<usize>,
}

impl<'p> Observed<'p> {
    fn new(books: &Books, pair: &'p Pair<'p>, put_back: &PutBack) -> Self {
        let Pair { before, after, .. } = pair;
        let edits = books.edits.all().len();
        let switches = pair.switches.iter().zip(&put_back[edits..]);
        let mut observed = Self {
            ground: after.ground,
            reply: after.verdict.reply,
            fate: after.verdict.outcome.fate(),
            schema: after.verdict.schema.as_ref().map(|schema| schema.outcome),
            others: after.others.clone(),
            stated: after.stated,
            rule: books.sides[1].rulebook.text,
            earlier_text: false,
            hits: Vec::new(),
            pair,
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
                        observed.put_back_ground(before);
                    }
                }
                What::Ground => observed.put_back_ground(before),
                What::Schema => {
                    observed.schema = before.verdict.schema.as_ref().map(|schema| schema.outcome);
                }
                What::Issue(issue) => observed.put_back_issue(issue, before),
                What::Stated => observed.stated = before.stated,
            }
        }
        observed
    }

    fn concluded(&self, rulebook: &Rulebook, signals: SignalSet) -> NamedVerdict {
        let Pair { before, after, .. } = self.pair;
        let seen = if self.others == before.others { before } else { after };
        let observed = verdict::Observed {
            schema: self.schema,
            fate: self.fate,
            errors: errors_in(&self.others, seen.verdict.outcome),
            stated: self.stated,
            ..verdict::Observed::new(self.ground, Signals::Of(signals))
        };
        concluded(rulebook, &rulebook.conclude(&observed), &self.others)
    }

    fn put_back_ground(&mut self, before: &Seen<'_>) {
        self.ground = before.ground;
        self.reply = before.verdict.reply;
        self.fate = before.verdict.outcome.fate();
    }

    fn put_back_issue(&mut self, issue: &String, before: &Seen<'_>) {
        self.others.retain(|other| other != issue);
        self.others.extend(before.others.iter().filter(|other| *other == issue).cloned());
        self.others.sort_unstable();
    }

    /// What each side looked for, of those that tell of the text that is meant, and whether that is all of it.
    fn telling<'b>(
        &self,
        books: &'b Books,
        watch: Observing,
        text: Judged,
    ) -> [Option<(&'b Looks, bool)>; 2] {
        let Pair { before, after, matched, .. } = self.pair;
        // Another reply has another text, even where it is judged by the same rule.
        let is_meant = match matched {
            Matched::Exchange => [true, true],
            Matched::Request => [self.earlier_text, !self.earlier_text],
        };
        let [earlier, later] = &books.sides;
        [(before, earlier, is_meant[0]), (after, later, is_meant[1])].map(
            |(seen, book, is_meant)| {
                let rulebook = &book.rulebook;
                let own = judged(rulebook, rulebook.text, seen.ground, seen.verdict.reply);
                let looked = rulebook.observed_as(seen.ground, seen.verdict.hidden_failure)?;
                let is_error = |which| which == Observing::Errors;
                let tells = is_meant && own == text && is_error(looked) == is_error(watch);
                let whole = looked == watch || looked == Observing::HiddenFailures;
                tells.then(|| (book.looked_for(looked), whole))
            },
        )
    }

    /// Whether something that is looked for is in the text; `None` where nobody looked.
    fn found(&self, telling: [Option<(&Looks, bool)>; 2], look: usize) -> Option<bool> {
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

    fn answers(&self, asking: &Asking<'_>, watch: Observing, text: Judged) -> Option<Answers> {
        let Asking { books, signals, put_back, needed } = asking;
        let telling = self.telling(books, watch, text);
        let is_asked = |asked: &AskedLook| {
            let is_there = |entry: usize| {
                let was_there = books.edits.all()[entry].before.is_some();
                was_there == put_back[entry]
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
        Some(Answers { yes, unanswered, hits })
    }
}
