//! Which of the phrases are the strongest: those that the rulebook does not know yet, that say their class and
//! nothing else on the most servers.
//!
//! Servers that say a phrase in the same sentence share a library, and count once: that sixteen of them
//! say `Unknown tool` proves that one program refuses so.

use super::grams::Grams;
use super::mine::{Phrase, holds};
use super::reply::{Asked, LabelledReply};
use crate::measure::accuracy::Share;
use crate::rulebook::{Field, PatternKind, Rulebook};
use std::collections::{BTreeMap, BTreeSet};

/// What is at least the share of servers, of those that say a phrase, that say it in its class only.
pub(super) fn strength(pure: usize, others: usize) -> f64 {
    Share { hits: pure as u64, of: (pure + others) as u64 }.interval().low
}

/// How many servers say something in words of their own, of replies that all say it. Of those that share a
/// long phrase, or say nothing that the other does not say, one counts.
pub(super) fn in_own_words(replies: &[LabelledReply], grams: &Grams, says: &[usize]) -> usize {
    let marks = |at: usize| {
        let whole = grams.telling[at].as_slice();
        let long = whole.iter().filter(|phrase| grams.is_long[**phrase as usize]);
        long.map(std::slice::from_ref).chain([whole])
    };
    let mut by_server: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut servers: BTreeMap<&[u32], BTreeSet<u32>> = BTreeMap::new();
    for at in says {
        let server = replies[*at].server;
        by_server.entry(server).or_default().push(*at);
        for mark in marks(*at) {
            servers.entry(mark).or_default().insert(server);
        }
    }
    let is_own = |at: &usize| marks(*at).all(|mark| servers[mark].len() == 1);
    let (own, shared): (Vec<_>, Vec<_>) =
        by_server.into_values().partition(|places| places.iter().any(is_own));
    let mut seen: BTreeSet<&[u32]> = BTreeSet::new();
    let mut count = own.len();
    for places in shared {
        let marked: BTreeSet<&[u32]> = places.into_iter().flat_map(marks).collect();
        count += usize::from(seen.is_disjoint(&marked));
        seen.extend(marked);
    }
    count
}

/// The pattern of a rulebook that looks for a phrase, or for more or less of it.
fn known(rulebook: &Rulebook, phrase: &str) -> Option<String> {
    let looked_for = rulebook.patterns.iter().filter(|pattern| {
        pattern.field == Field::Text && matches!(pattern.kind, PatternKind::Text(_))
    });
    let says = |text: &str| phrase.contains(text) || holds(text, phrase);
    let mut texts = looked_for.map(|pattern| &pattern.text).filter(|text| says(text));
    texts.next().cloned()
}

/// Puts phrases in order, the strongest first; of equally strong ones that which explains the most.
pub(super) fn order(phrases: &mut [Phrase], rulebook: &Rulebook) {
    for phrase in &mut *phrases {
        phrase.known = known(rulebook, &phrase.text);
    }
    phrases.sort_by(|one, other| {
        let is_known = |phrase: &Phrase| phrase.known.is_some();
        let asked = |phrase: &Phrase| Asked::about(phrase.label);
        is_known(one)
            .cmp(&is_known(other))
            .then(other.strength.total_cmp(&one.strength))
            .then(other.share.total_cmp(&one.share))
            .then(asked(one).cmp(&asked(other)))
            .then(one.text.cmp(&other.text))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::reply::tests::reply;

    fn wordings(marked: &[(u32, &str)]) -> usize {
        let of = |(server, text): &(u32, &str)| LabelledReply { server: *server, ..reply(text) };
        let replies: Vec<LabelledReply> = marked.iter().map(of).collect();
        let grams = Grams::of(&replies);
        in_own_words(&replies, &grams, &(0..replies.len()).collect::<Vec<_>>())
    }

    #[test]
    fn servers_that_share_a_sentence_count_once() {
        let library = "validation failed for further information";
        assert_eq!(wordings(&[(0, library), (1, library), (2, library)]), 1);
        assert_eq!(wordings(&[(0, "unknown tool"), (1, "unknown tool")]), 1);
        let own = [(0, library), (0, "zorblax lies here"), (1, "here comes zorblax"), (2, library)];
        assert_eq!(wordings(&own), 3);
    }

    #[test]
    fn what_the_rulebook_looks_for_is_known() {
        let guide = Rulebook::builtin("guide").expect("built in");
        assert!(known(&guide, "user not found").is_some(), "it holds `not found`");
        assert!(known(&guide, "zorblax").is_none());
    }

    #[test]
    fn more_servers_and_fewer_exceptions_are_stronger() {
        assert!(strength(6, 0) > strength(4, 0) && strength(6, 0) > strength(9, 3));
        assert!(strength(0, 0).abs() < 1e-12 || strength(0, 0) < strength(1, 0));
    }
}
