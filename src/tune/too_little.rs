//! When there are too few labels to learn anything from.

use super::folds::Fold;
use super::reply::{Asked, LabelledReply, Replies};
use crate::labels::Label;
use crate::verdict::counted;
use std::collections::BTreeMap;

/// Replies of a class, at least.
const REPLIES: usize = 10;
/// Servers with labelled errors, at least.
const SERVERS: usize = 4;
/// Servers of a class, at least.
const SERVERS_OF_CLASS: usize = 3;
/// The share of a class that one server may have.
const SHARE: f64 = 0.8;

/// Why nothing can be learned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{whose} are too few or too one-sided for tuning: {}", .reasons.join("; "))]
pub struct TooLittle {
    /// Which labels.
    pub whose: &'static str,
    /// Everything that is missing.
    pub reasons: Vec<String>,
}

/// Whether the labels of error replies are enough, with all the reasons why not: those that are learned
/// from where some servers are only measured on, otherwise all.
pub fn enough(replies: &Replies, held_out: Option<&Fold>) -> Result<(), TooLittle> {
    let mut reasons = Vec::new();
    let learned_from: Vec<&LabelledReply> = match held_out {
        Some(fold) => fold.train.iter().map(|at| &replies.all[*at]).collect(),
        None => replies.all.iter().collect(),
    };
    let of = |label: Label| {
        let mut servers: BTreeMap<u32, usize> = BTreeMap::new();
        for reply in learned_from.iter().filter(|reply| reply.label == label) {
            *servers.entry(reply.server).or_default() += 1;
        }
        servers
    };
    let classes = Asked::Failed.labels().map(|label| (label, of(label)));
    for (label, servers) in &classes {
        let count: usize = servers.values().sum();
        let name = label.name();
        if count < REPLIES {
            reasons.push(format!(
                "{} of {name}, and {REPLIES} are needed",
                counted(count as u64, "label")
            ));
            continue;
        }
        if servers.len() < SERVERS_OF_CLASS {
            let have = counted(servers.len() as u64, "server");
            reasons.push(format!("{name} occurs on {have}, and {SERVERS_OF_CLASS} are needed"));
            continue;
        }
        let most = servers.iter().max_by_key(|(server, count)| (**count, u32::MAX - **server));
        if let Some((server, most)) = most.filter(|(_, most)| **most as f64 > SHARE * count as f64)
        {
            let server = &replies.servers[*server as usize];
            reasons
                .push(format!("{most} of {count} replies of {name} are of one server, {server}"));
        }
    }
    let mut servers: Vec<u32> = classes.iter().flat_map(|(_, of)| of.keys().copied()).collect();
    servers.sort_unstable();
    servers.dedup();
    if servers.len() < SERVERS {
        let have = counted(servers.len() as u64, "server");
        reasons.push(format!("{have} with labelled errors, and {SERVERS} are needed"));
    }
    if let Some(fold) = held_out {
        let is_measured =
            |label: &Label| fold.test.iter().any(|at| replies.all[*at].label == *label);
        let missing = Asked::Failed.labels().into_iter().filter(|label| !is_measured(label));
        reasons.extend(
            missing.map(|label| {
                format!("the evaluated servers have no reply of class {}", label.name())
            }),
        );
    }
    let whose = match held_out {
        Some(_) => "the labels of the servers to learn from",
        None => "the labels",
    };
    if reasons.is_empty() { Ok(()) } else { Err(TooLittle { whose, reasons }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::LabelledReply;
    use crate::tune::reply::tests::reply;

    fn replies(counts: &[(u32, Label, usize)]) -> Replies {
        let of = |(server, label, count): &(u32, Label, usize)| {
            std::iter::repeat_n(
                LabelledReply { server: *server, label: *label, ..reply("no") },
                *count,
            )
        };
        Replies {
            all: counts.iter().flat_map(of).collect(),
            servers: (0..9).map(|at| format!("server {at}")).collect(),
        }
    }

    #[test]
    fn all_that_is_missing_is_told_at_once() {
        use Label::{BusinessLogic, ToolFailure};
        let spread = |label| (0..5).map(move |server| (server, label, 4));
        let good: Vec<_> = spread(BusinessLogic).chain(spread(ToolFailure)).collect();
        assert_eq!(enough(&replies(&good), None), Ok(()));
        let reason = |counts: &[(u32, Label, usize)]| {
            enough(&replies(counts), None).expect_err("too little").to_string()
        };
        let none = reason(&[]);
        assert!(none.contains("0 labels of tool_failure, and 10 are needed"), "{none}");
        assert!(none.contains("0 servers with labelled errors"), "{none}");
        let few = reason(&[(0, BusinessLogic, 20), (1, BusinessLogic, 9), (0, ToolFailure, 12)]);
        assert!(few.contains("business_logic occurs on 2 servers"), "{few}");
        let mut lopsided = good;
        lopsided.push((7, ToolFailure, 200));
        let lopsided = reason(&lopsided);
        assert!(
            lopsided.contains("200 of 220 replies of tool_failure are of one server, server 7")
        );
    }

    #[test]
    fn what_is_learned_from_has_to_be_enough_and_what_is_measured_on_to_have_both() {
        use Label::{BusinessLogic, ToolFailure};
        let spread = |label| (0..8).map(move |server| (server, label, 4));
        let replies =
            replies(&spread(BusinessLogic).chain(spread(ToolFailure)).collect::<Vec<_>>());
        let fold = |train: std::ops::Range<u32>| {
            let places = |wanted: bool| {
                let all = replies.all.iter().enumerate();
                let on = all.filter(|(_, it)| train.contains(&it.server) == wanted);
                on.map(|(at, _)| at).collect::<Vec<_>>()
            };
            Fold { train: places(true), test: places(false), servers: Vec::new() }
        };
        assert_eq!(enough(&replies, Some(&fold(0..4))), Ok(()));
        let reason =
            |fold: &Fold| enough(&replies, Some(fold)).expect_err("too little").to_string();
        let one = reason(&fold(0..1));
        assert!(one.starts_with("the labels of the servers to learn from are too few"), "{one}");
        assert!(one.contains("4 labels of tool_failure, and 10 are needed"), "{one}");
        let all = reason(&fold(0..8));
        assert!(all.contains("the evaluated servers have no reply of class tool_failure"), "{all}");
    }
}
