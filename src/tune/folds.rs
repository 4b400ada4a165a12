//! Which servers are learned from and which are measured on. A server is never on both sides.

use super::reply::Replies;
use crate::labels::Label;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeSet;

/// How servers are dealt out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// Into so many parts, each of which is measured on once; one per server where there are few.
    Folds(usize),
    /// Into two halves: learned from one, measured on the other.
    Half,
    /// Learned from these servers, measured on the others.
    Train(Vec<String>),
    /// Measured on these servers, learned from the others.
    Test(Vec<String>),
    /// Learned from the first, measured on the second.
    Both(Vec<String>, Vec<String>),
}

/// What is learned from and what is measured on, as places in [`Replies::all`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Learned from these replies.
    pub train: Vec<usize>,
    /// Measured on these.
    pub test: Vec<usize>,
    pub servers: Vec<u32>,
}

/// Servers cannot be dealt out as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// Nobody labelled a reply of this server.
    #[error("no labelled reply is from a server `{0}`")]
    Unknown(String),
    /// A server was named to learn from and to measure on.
    #[error("the server `{0}` is named on both sides")]
    OnBothSides(String),
}

/// Deals servers out.
pub fn split(replies: &Replies, how: &Split, seed: u64) -> Result<Vec<Fold>, SplitError> {
    let all: BTreeSet<u32> = replies.all.iter().map(|reply| reply.server).collect();
    let numbers_of = |names: &[String]| -> Result<BTreeSet<u32>, SplitError> {
        let number = |name: &String| {
            let at = replies.servers.iter().position(|known| known == name);
            at.and_then(|at| u32::try_from(at).ok())
                .ok_or_else(|| SplitError::Unknown(name.clone()))
        };
        names.iter().map(number).collect()
    };
    let fold = |train: &BTreeSet<u32>, test: &BTreeSet<u32>| {
        let of = |servers: &BTreeSet<u32>| {
            let places = replies.all.iter().enumerate();
            places.filter(|(_, it)| servers.contains(&it.server)).map(|(at, _)| at).collect()
        };
        Fold { train: of(train), test: of(test), servers: test.iter().copied().collect() }
    };
    let others = |of: &BTreeSet<u32>| all.difference(of).copied().collect::<BTreeSet<u32>>();
    Ok(match how {
        Split::Folds(parts) => {
            let parts = if all.len() < parts.saturating_mul(2) { all.len() } else { *parts };
            let dealt = deal(replies, &all, parts, seed);
            dealt.iter().map(|test| fold(&others(test), test)).collect()
        }
        Split::Half => match &deal(replies, &all, 2, seed)[..] {
            [train, test] => vec![fold(train, test)],
            _ => Vec::new(),
        },
        Split::Train(names) => {
            let train = numbers_of(names)?;
            vec![fold(&train, &others(&train))]
        }
        Split::Test(names) => {
            let test = numbers_of(names)?;
            vec![fold(&others(&test), &test)]
        }
        Split::Both(train, test) => {
            if let Some(both) = train.iter().find(|name| test.contains(name)) {
                return Err(SplitError::OnBothSides(both.clone()));
            }
            let (train, test) = (numbers_of(train)?, numbers_of(test)?);
            vec![fold(&train, &test)]
        }
    })
}

/// Servers in an order that the seed decides, dealt out in turn: first those with failures, then the
/// others, so that every part has its share of both.
fn deal(replies: &Replies, servers: &BTreeSet<u32>, parts: usize, seed: u64) -> Vec<BTreeSet<u32>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let fails = |server: u32| {
        let mut own = replies.all.iter().filter(|reply| reply.server == server);
        own.any(|reply| reply.label == Label::ToolFailure)
    };
    let mut order: Vec<(bool, u64, u32)> =
        servers.iter().map(|server| (!fails(*server), random.next_u64(), *server)).collect();
    order.sort_unstable();
    let mut dealt = vec![BTreeSet::new(); parts.max(1)];
    for (turn, (_, _, server)) in order.into_iter().enumerate() {
        let part = turn % dealt.len();
        dealt[part].insert(server);
    }
    dealt.retain(|part| !part.is_empty());
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::reply::tests::reply;

    fn replies(servers: u32) -> Replies {
        let of = |server: u32| {
            let label =
                if server.is_multiple_of(2) { Label::ToolFailure } else { Label::BusinessLogic };
            crate::tune::LabelledReply { label, server, ..reply("no") }
        };
        Replies {
            all: (0..3 * servers).map(|at| of(at % servers)).collect(),
            servers: (0..servers).map(|at| format!("server {at}")).collect(),
        }
    }

    #[test]
    fn a_server_is_measured_on_once_and_never_learned_from_then() {
        let replies = replies(23);
        let folds = split(&replies, &Split::Folds(5), 3).expect("folds");
        assert_eq!(folds.len(), 5);
        let mut seen: Vec<u32> = folds.iter().flat_map(|fold| fold.servers.clone()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..23).collect::<Vec<_>>());
        for fold in &folds {
            assert_eq!(fold.train.len() + fold.test.len(), replies.all.len());
            assert!(fold.train.iter().all(|at| !fold.servers.contains(&replies.all[*at].server)));
            let failures = fold.servers.iter().filter(|server| *server % 2 == 0).count();
            assert!((2..=3).contains(&failures), "{fold:?}");
        }
        assert_eq!(split(&replies, &Split::Folds(5), 3), Ok(folds.clone()));
        assert_ne!(split(&replies, &Split::Folds(5), 4), Ok(folds));
        assert_eq!(split(&super::tests::replies(7), &Split::Folds(5), 3).map(|it| it.len()), Ok(7));
    }

    #[test]
    fn halves_and_named_servers() {
        let replies = replies(8);
        let half = split(&replies, &Split::Half, 1).expect("halves");
        assert_eq!((half.len(), half[0].servers.len()), (1, 4));
        let named = split(&replies, &Split::Test(vec!["server 3".to_owned()]), 1).expect("one");
        assert_eq!(named[0].servers, [3]);
        let wrong = split(&replies, &Split::Train(vec!["nobody".to_owned()]), 1);
        assert_eq!(wrong, Err(SplitError::Unknown("nobody".to_owned())));
        let [one, two] = ["server 1", "server 2"].map(str::to_owned);
        let both = Split::Both(vec![one.clone(), two.clone()], vec![two.clone()]);
        assert_eq!(split(&replies, &both, 1), Err(SplitError::OnBothSides(two)));
        let most = split(&replies, &Split::Folds(usize::MAX), 1).expect("one part per server");
        assert_eq!(most.len(), 8);
    }
}
