//! Phrases that tell two classes apart on several servers.

use super::grams::Grams;
use super::rank::{in_own_words, strength};
use super::reply::{Asked, LabelledReply};
use crate::labels::Label;
use std::collections::{BTreeMap, BTreeSet};

/// How many times as much a reply of the other class counts against a phrase of an error, and against
/// one of a hidden failure: there it is all that decides.
const AGAINST: f64 = 1.5;
const AGAINST_HIDDEN: f64 = 4.0;
/// How many times as likely a server says it in its class as in the other: words that everybody uses
/// around messages are none of either.
const LIFT: f64 = 4.0;
/// The same for hidden failures: good replies of the same servers hold many words.
const LIFT_HIDDEN: f64 = 1.0;
/// How many times as likely a server says it in errors of its class as in good replies: `path` and `file`
/// stand in both.
const LIFT_GOOD: f64 = 2.0;
/// What is left of a reply's worth once a phrase explains it. A second phrase for it is worth having:
/// other servers may use only one of them.
const LEFT: f64 = 0.5;
/// Phrases of a class, at most.
const MOST: usize = 24;
/// What the last phrase has to add, in servers of which it explains one reply.
const LEAST: f64 = 0.8;
/// Examples that are kept as evidence.
const EXAMPLES: usize = 3;

/// How many servers a phrase must be seen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// Where many servers have replies of the class.
    pub servers: usize,
}

impl Support {
    /// Servers of a class from which on the number counts as it is; where fewer have any, two are several.
    const MANY: usize = 10;

    pub(super) fn of(self, servers: usize) -> usize {
        if servers < Self::MANY { self.servers.min(2) } else { self.servers }
    }
}

impl Default for Support {
    fn default() -> Self {
        Self { servers: 3 }
    }
}

/// A phrase that speaks for a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// Its number in [`Grams`].
    pub number: u32,
    pub text: String,
    pub label: Label,
    /// The share of its class that it explains and no phrase before it does, less what it costs; servers
    /// count by the root of their replies.
    pub share: f64,
    /// What is at least the share of servers on which it says its class and nothing else, of those that
    /// say it; servers with the same wording count once.
    pub strength: f64,
    /// The pattern of the rulebook that looks for it already, or for more or less of it.
    pub known: Option<String>,
    /// Where it was seen.
    pub evidence: Evidence,
}

/// Where a phrase was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Replies of its class that say it.
    pub replies: usize,
    pub servers: usize,
    /// So many of them that say it in words of their own: those that share a sentence share a program.
    pub wordings: usize,
    /// Replies of the other class that say it.
    pub other_replies: usize,
    pub other_servers: usize,
    /// Servers of which good replies say it.
    pub good_servers: usize,
    /// A few of the replies, by their place; each of another server.
    pub examples: Vec<usize>,
}

/// The phrases that speak for a class, the strongest first.
pub(super) fn phrases(
    replies: &[LabelledReply],
    grams: &Grams,
    train: &[usize],
    label: Label,
    support: Support,
) -> Vec<Phrase> {
    let asked = Asked::about(label);
    let (good, servers_with_good) = good(replies, grams, train, asked);
    let train: Vec<usize> =
        train.iter().copied().filter(|at| replies[*at].asked() == asked).collect();
    let mut sizes: BTreeMap<(u32, Label), u32> = BTreeMap::new();
    for at in &train {
        *sizes.entry((replies[*at].server, replies[*at].label)).or_default() += 1;
    }
    let with_class = sizes.keys().filter(|(_, of)| *of == label).count();
    let least = support.of(with_class);
    let mut worth: BTreeMap<usize, f64> = BTreeMap::new();
    let mut standing: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut telling: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for at in &train {
        let size = sizes[&(replies[*at].server, replies[*at].label)];
        worth.insert(*at, 1.0 / f64::from(size).sqrt());
        for phrase in &grams.of[*at] {
            standing.entry(*phrase).or_default().push(*at);
        }
        for phrase in grams.telling[*at].iter().filter(|_| replies[*at].label == label) {
            telling.entry(*phrase).or_default().insert(replies[*at].server);
        }
    }
    let of_class = worth.iter().filter(|(at, _)| replies[**at].label == label);
    let whole: f64 = of_class.map(|(_, worth)| worth).sum();
    let servers_of = |places: &[usize], wanted: bool| -> BTreeSet<u32> {
        let fitting = places.iter().filter(|at| (replies[**at].label == label) == wanted);
        fitting.map(|at| replies[*at].server).collect()
    };
    let (against, lift) = match asked {
        Asked::Failed => (AGAINST, LIFT),
        Asked::Hidden => (AGAINST_HIDDEN, LIFT_HIDDEN),
    };
    let without_class = sizes.keys().filter(|(_, of)| *of != label).count();
    standing.retain(|phrase, places| {
        // Where it is only repeated it proves nothing for its class; against it, it does.
        let mine = telling.get(phrase).map_or(0, BTreeSet::len);
        let other = servers_of(places, false).len();
        // Half a server more on each side, so that few servers prove little.
        let rate = |counts: usize, of: usize| (counts as f64 + 0.5) / (of as f64 + 1.0);
        let good = good.get(phrase).map_or(0, BTreeSet::len);
        mine >= least
            && rate(mine, with_class) >= lift * rate(other, without_class)
            && (good == 0 || rate(mine, with_class) >= LIFT_GOOD * rate(good, servers_with_good))
    });
    let mut chosen: Vec<Phrase> = Vec::new();
    while chosen.len() < MOST {
        let value = |places: &[usize]| -> f64 {
            let parts = places.iter().map(|at| {
                if replies[*at].label == label { worth[at] } else { -against * worth[at] }
            });
            parts.sum()
        };
        // Of equally good ones the shortest, then the first: it says the most of other texts.
        let better = |one: &(f64, u32), other: &(f64, u32)| {
            let name = |of: &(f64, u32)| &grams.names[of.1 as usize];
            let shorter = || name(other).len().cmp(&name(one).len());
            one.0.total_cmp(&other.0).then_with(shorter).then_with(|| name(other).cmp(name(one)))
        };
        let all = standing.iter().map(|(phrase, places)| (value(places), *phrase));
        let Some((value, number)) = all.max_by(better) else { break };
        if value < LEAST {
            break;
        }
        let Some(places) = standing.remove(&number) else { break };
        for at in &places {
            if let Some(worth) = worth.get_mut(at) {
                *worth *= LEFT;
            }
        }
        let (evidence, strength) = evidence(replies, grams, label, &places, good.get(&number));
        let text = grams.names[number as usize].clone();
        let share = value / whole;
        // Whatever holds this phrase is found by it anyway.
        standing.retain(|other, _| !holds(&grams.names[*other as usize], &text));
        chosen.retain(|phrase| !holds(&phrase.text, &text));
        chosen.push(Phrase { number, text, label, share, strength, known: None, evidence });
    }
    chosen
}

/// Where a phrase of a class was seen, and how strong that makes it.
fn evidence(
    replies: &[LabelledReply],
    grams: &Grams,
    label: Label,
    places: &[usize],
    good: Option<&BTreeSet<u32>>,
) -> (Evidence, f64) {
    let (mine, other): (Vec<usize>, Vec<usize>) =
        places.iter().partition(|at| replies[**at].label == label);
    let servers = |places: &[usize]| -> BTreeSet<u32> {
        places.iter().map(|at| replies[*at].server).collect()
    };
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    let each = mine.iter().copied().filter(|at| shown.insert(replies[*at].server));
    let examples = each.take(EXAMPLES).collect();
    let others = servers(&other);
    let against: BTreeSet<u32> = others.iter().chain(good.into_iter().flatten()).copied().collect();
    let pure: Vec<usize> =
        mine.iter().copied().filter(|at| !against.contains(&replies[*at].server)).collect();
    let wordings = in_own_words(replies, grams, &pure);
    let evidence = Evidence {
        replies: mine.len(),
        servers: servers(&mine).len(),
        wordings,
        other_replies: other.len(),
        other_servers: others.len(),
        good_servers: good.map_or(0, BTreeSet::len),
        examples,
    };
    (evidence, strength(wordings, against.len()))
}

/// By phrase of errors, the servers of which good replies say it, and how many servers have good replies. Of
/// hidden failures good replies are the other class.
fn good(
    replies: &[LabelledReply],
    grams: &Grams,
    train: &[usize],
    asked: Asked,
) -> (BTreeMap<u32, BTreeSet<u32>>, usize) {
    let mut counts: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut servers = BTreeSet::new();
    let is_good = |at: &&usize| asked == Asked::Failed && replies[**at].label == Label::Ok;
    for at in train.iter().filter(is_good) {
        let server = replies[*at].server;
        servers.insert(server);
        for phrase in &grams.of[*at] {
            counts.entry(*phrase).or_default().insert(server);
        }
    }
    (counts, servers.len())
}

/// Whether a phrase holds another as words.
pub(super) fn holds(phrase: &str, other: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    phrase.match_indices(other).any(|(at, _)| {
        is_end(phrase[..at].chars().next_back())
            && is_end(phrase[at + other.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::reply::tests::reply;

    #[test]
    fn a_phrase_holds_its_words_and_no_parts_of_them() {
        assert!(holds("unknown tool", "tool") && holds("not found: it", "found"));
        assert!(!holds("toolbox", "tool") && !holds("tool", "unknown tool"));
    }

    #[test]
    fn support_is_counted_in_servers_not_in_replies() {
        let of = |(server, label, text): &(u32, Label, &str)| LabelledReply {
            label: *label,
            server: *server,
            ..reply(text)
        };
        let mut counts = vec![(0, Label::ToolFailure, "quibbent again"); 40];
        for server in 1..5 {
            counts.push((server, Label::ToolFailure, "zorblax there"));
            counts.push((server, Label::BusinessLogic, "went there"));
        }
        let replies: Vec<LabelledReply> = counts.iter().map(of).collect();
        let grams = Grams::of(&replies);
        let all: Vec<usize> = (0..replies.len()).collect();
        let found = phrases(&replies, &grams, &all, Label::ToolFailure, Support::default());
        let texts: Vec<&str> = found.iter().map(|phrase| phrase.text.as_str()).collect();
        assert_eq!(texts, ["zorblax"]);
        let Evidence { replies, servers, other_replies, .. } = found[0].evidence;
        assert_eq!((replies, servers, other_replies), (4, 4, 0));
    }
}
