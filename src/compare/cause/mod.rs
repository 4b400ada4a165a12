//! Why a verdict changed, proved rather than guessed: with just these changes put back, the earlier
//! verdict returns.
//!
//! What was changed is a list of edits between the two rulebooks, and whatever was observed otherwise.
//! Any of them can be put back for a try, which costs no text: the hits of an exchange say what each
//! question is answered with, whichever rulebook asks. Where they do not say it, the try fails.

mod books;
mod evaluate;
mod given;
mod observed;
mod pair;
mod rescore;
mod search;
#[cfg(test)]
mod tests;
mod words;

pub(super) use observed::origin;
pub use rescore::{NeedsRecording, Rescorer};
pub use words::of_edit as cause_of;

use super::{Cause, Explanation, Matched, Origin, Proof, Side};
use crate::store::NamedVerdict;
use books::Books;
use evaluate::{Evaluated, evaluate};
use given::Aspect;
use indexmap::IndexSet;
use pair::Pair;
use search::{Causes, Item, MOST_TRIED_IN_ALL, narrow, smallest};
use std::collections::{BTreeMap, BTreeSet};

const NO_RULEBOOKS: &str = "it needs the rulebooks of both sides";
const NO_HITS: &str = "a side does not record which patterns matched";
const NOT_DECIDED: &str = "it decides nothing";
const NOT_REACHED: &str = "it needs the replies themselves";

/// The sets of changes that are equally small of which one alone, put back, brings the earlier verdict, in the
/// rulebook's order; or why that cannot be told.
fn prove(
    books: &mut Books,
    verdicts: [&NamedVerdict; 2],
    matched: Matched,
    room: &mut usize,
) -> Result<Vec<Explanation>, &'static str> {
    let aspects = Aspect::to_return(verdicts[0], verdicts[1]);
    if aspects.is_empty() {
        return Err(NOT_DECIDED);
    }
    let pair = Pair::new(books, verdicts, matched).ok_or(NO_HITS)?;
    books.take_refused();
    let mut trial = Trial::new(books, &pair, aspects);
    if !trial.reproduces() {
        return Err(NOT_REACHED);
    }
    let items = trial.items();
    let mut found = smallest(&items, room, &mut |changes| trial.returns(changes));
    if found == Causes::Nothing {
        let every: Vec<Item> = (0..trial.changes()).map(Item::single).collect();
        found = narrow(&every, &mut |changes| trial.returns(changes));
    }
    let (sets, is_smallest) = match found {
        Causes::Smallest(sets) => (sets, !books.take_refused()),
        Causes::Narrowed(set) => (vec![set], false),
        Causes::Nothing => return Err(NOT_REACHED),
    };
    // Without any change put back nothing returns, so one alone is the smallest.
    let is_single = sets.iter().all(|set| set.len() == 1);
    let proof = if is_smallest || is_single { Proof::Proved } else { Proof::Narrowed };
    let explanations = sets.iter().filter(|set| !set.is_empty()).map(|set| {
        let (causes, origin) = causes_in_words(books, &pair, set);
        Explanation { origin, causes, proof: proof.clone() }
    });
    let explanations: Vec<Explanation> = explanations.collect();
    if explanations.is_empty() { Err(NOT_REACHED) } else { Ok(explanations) }
}

fn causes_in_words(books: &Books, pair: &Pair<'_>, set: &[usize]) -> (Vec<Cause>, Origin) {
    let edits = books.edits.all();
    let mut causes = Vec::new();
    let mut origins = BTreeSet::new();
    for change in set {
        if let Some(edit) = edits.get(*change) {
            causes.push(words::of_edit(edit));
            origins.insert(Origin::Rulebook);
        } else {
            let switch = &pair.switches[change - edits.len()];
            causes.extend(switch.causes.iter().cloned());
            origins.insert(switch.origin);
        }
    }
    let origin = match (origins.pop_first(), origins.pop_first()) {
        (Some(origin), None) => origin,
        (None, _) | (Some(_), Some(_)) => Origin::Several,
    };
    (causes, origin)
}

struct Trial<'t, 's> {
    books: &'t mut Books,
    pair: &'t Pair<'s>,
    aspects: Vec<Aspect>,
    earlier_hits: BTreeSet<String>,
}

impl<'t, 's> Trial<'t, 's> {
    fn new(books: &'t mut Books, pair: &'t Pair<'s>, aspects: Vec<Aspect>) -> Self {
        let earlier_hits = plain_hits(books, pair.before.verdict, 0);
        Self { books, pair, aspects, earlier_hits }
    }

    fn changes(&self) -> usize {
        self.books.edits.all().len() + self.pair.switches.len()
    }

    fn evaluated(&mut self, changes: &[usize]) -> Option<Evaluated> {
        let mut put_back = vec![false; self.changes()];
        for change in changes {
            put_back[*change] = true;
        }
        evaluate(self.books, self.pair, &put_back)
    }

    fn concluded(&mut self, changes: &[usize]) -> Option<NamedVerdict> {
        self.evaluated(changes).map(|evaluated| evaluated.concluded)
    }

    /// Whether what is told of hits leads to the verdicts that were reached, on both sides. Where it
    /// does not, there was more to them, and nothing can be proved.
    fn reproduces(&mut self) -> bool {
        let every: Vec<usize> = (0..self.changes()).collect();
        let [before, after] = [self.pair.before.verdict, self.pair.after.verdict];
        self.concluded(&[]).is_some_and(|concluded| Aspect::all_same(&concluded, after))
            && self.concluded(&every).is_none_or(|concluded| Aspect::all_same(&concluded, before))
    }

    /// Whether the earlier verdict returns with these changes put back.
    fn returns(&mut self, changes: &[usize]) -> bool {
        let Some(evaluated) = self.evaluated(changes) else { return false };
        self.aspects.iter().all(|aspect| match aspect {
            Aspect::Hits => evaluated.hits() == self.earlier_hits,
            aspect => aspect.is_same(&evaluated.concluded, self.pair.before.verdict),
        })
    }

    /// The changes that can have to do with it.
    fn items(&mut self) -> Vec<Item> {
        let mut items = self.entries();
        items.extend(self.structural().into_iter().map(Item::single));
        if self.aspects.contains(&Aspect::Signals) {
            let edits = self.books.edits.all().iter().enumerate();
            let signals =
                edits.filter(|(_, edit)| edit.part == crate::rulebook::edit::Part::Signal);
            items.extend(signals.map(|(at, _)| Item::single(at)));
        }
        let edits = self.books.edits.all().len();
        items.extend((edits..self.changes()).map(Item::single));
        items.sort_by_key(|item| item.ways.first().and_then(|way| way.first()).copied());
        items
    }

    /// The edits of entries that hit. Of entries of one list that hit the same fields, any that is
    /// put back answers the list's questions with yes, and it takes all that came to be taken away.
    fn entries(&self) -> Vec<Item> {
        let mut alike: BTreeMap<(String, bool, Vec<usize>), Vec<usize>> = BTreeMap::new();
        let mut items = Vec::new();
        for (at, (fields, was_there)) in self.entries_that_hit() {
            let edit = &self.books.edits.all()[at];
            let of_list = edit.part == crate::rulebook::edit::Part::Entry;
            if of_list && !self.aspects.contains(&Aspect::Hits) {
                alike.entry((edit.of.clone(), was_there, fields)).or_default().push(at);
            } else {
                items.push(Item::single(at));
            }
        }
        items.extend(alike.into_iter().map(|((_, was_there, _), entries)| Item {
            ways: if was_there {
                entries.into_iter().map(|entry| vec![entry]).collect()
            } else {
                vec![entries]
            },
        }));
        items
    }

    /// The edits of entries whose patterns hit on the side that has them, with the places of the
    /// questions that they answer and whether it is the earlier side.
    fn entries_that_hit(&self) -> BTreeMap<usize, (Vec<usize>, bool)> {
        let mut found: BTreeMap<usize, (Vec<usize>, bool)> = BTreeMap::new();
        for (side, seen) in [&self.pair.before, &self.pair.after].into_iter().enumerate() {
            for name in &seen.verdict.hits {
                let Some((entry, question)) = self.books.entry_of(side, name) else { continue };
                let was_there = self.books.edits.all()[entry].before.is_some();
                if was_there == (side == 0) {
                    let (questions, _) = found.entry(entry).or_insert((Vec::new(), was_there));
                    questions.push(question);
                }
            }
        }
        found
    }

    /// The other edits that change anything about this exchange, put back alone or left alone.
    fn structural(&mut self) -> Vec<usize> {
        let structural: Vec<usize> = self.books.structural().collect();
        let every: Vec<usize> = (0..self.changes()).collect();
        let [none_back, all_back] = [self.concluded(&[]), self.concluded(&every)];
        let mut relevant = Vec::new();
        for edit in structural {
            let others: Vec<usize> = every.iter().copied().filter(|at| *at != edit).collect();
            if self.concluded(&[edit]) != none_back || self.concluded(&others) != all_back {
                relevant.push(edit);
            }
        }
        relevant
    }
}

/// The patterns that hit, by what they are called without their number.
fn plain_hits(books: &Books, verdict: &NamedVerdict, side: usize) -> BTreeSet<String> {
    let book = &books.sides[side];
    let names = verdict.hits.iter().filter_map(|name| book.look(name));
    names.map(|(_, pattern)| book.rulebook.patterns[pattern].written()).collect()
}

/// Why verdicts changed, each pair of them given by the numbers of its verdicts with how many exchanges
/// it stands for. Of sets of changes that are equally small, the one that explains the most exchanges
/// is told, so that there are few groups. Pairs that stand for many exchanges come first, for how much is
/// tried in all is bounded.
pub fn explain_all(
    before: &Side,
    after: &Side,
    pairs: &[(u32, u32, Matched, u64)],
) -> Vec<Explanation> {
    let mut books = Books::new([before, after]);
    let mut room = MOST_TRIED_IN_ALL;
    let mut distinct: IndexSet<Explanation> = IndexSet::new();
    let mut choices: Vec<Vec<usize>> = vec![Vec::new(); pairs.len()];
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(pairs[*at].3));
    for at in order {
        let (old, new, matched, _) = pairs[at];
        let verdicts = [before.verdict(old), after.verdict(new)];
        let proved = books.as_mut().ok_or(NO_RULEBOOKS);
        let proved = proved.and_then(|it| prove(it, verdicts, matched, &mut room));
        let alternatives = proved.unwrap_or_else(|why_not| {
            vec![Explanation {
                origin: origin([before, after], verdicts, matched),
                causes: observed::differences(verdicts[0], verdicts[1]),
                proof: Proof::Observed(why_not.to_owned()),
            }]
        });
        let alternatives = alternatives.into_iter();
        choices[at] = alternatives.map(|explanation| distinct.insert_full(explanation).0).collect();
    }
    let weights: Vec<u64> = pairs.iter().map(|(.., exchanges)| *exchanges).collect();
    let chosen = fewest(&choices, &weights, &distinct);
    chosen.into_iter().map(|number| distinct[number].clone()).collect()
}

/// Chooses for each pair: again and again the explanation of most exchanges that are left.
fn fewest(choices: &[Vec<usize>], weights: &[u64], distinct: &IndexSet<Explanation>) -> Vec<usize> {
    let mut chosen: Vec<Option<usize>> = vec![None; choices.len()];
    loop {
        let mut served = vec![0_u64; distinct.len()];
        for ((choices, weight), chosen) in choices.iter().zip(weights).zip(&chosen) {
            if chosen.is_none() {
                for choice in choices {
                    served[*choice] += (*weight).max(1);
                }
            }
        }
        let best = (0..distinct.len()).filter(|number| served[*number] > 0).max_by(|a, b| {
            served[*a].cmp(&served[*b]).then_with(|| distinct[*b].cmp(&distinct[*a]))
        });
        let Some(best) = best else { break };
        for (choices, chosen) in choices.iter().zip(&mut chosen) {
            if chosen.is_none() && choices.contains(&best) {
                *chosen = Some(best);
            }
        }
    }
    chosen.into_iter().map(Option::unwrap_or_default).collect()
}
