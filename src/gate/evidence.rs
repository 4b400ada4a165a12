//! What a policy is held against.

use super::report::{Finding, Place};
use crate::compare::show::{headline, said};
use crate::compare::{ByLabel, Cause, Comparison, Entry, Flip, Group, Kind, Side};
use crate::labels::Labelled;
use crate::recording::Day;
use crate::store::NamedVerdict;
use crate::verdict::cut;
use std::collections::BTreeSet;

const MOST_EXAMPLES: usize = 3;
/// Longest line about a finding, in characters.
const LONGEST_TEXT: usize = 400;

/// Two sides, what came of comparing them, and what people say of the later one.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub before: &'a Side,
    pub after: &'a Side,
    pub comparison: &'a Comparison,
    pub labels: &'a Labelled,
    /// The day on which waivers are looked at.
    pub today: Day,
}

/// An exchange of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub(super) side: &'a Side,
    pub(super) entry: &'a Entry,
}

impl<'a> Seen<'a> {
    pub(super) fn server(self) -> &'a str {
        self.side.names.get(self.entry.server)
    }

    pub(super) fn tool(self) -> &'a str {
        self.side.names.get(self.entry.tool)
    }

    pub(super) fn file(self) -> &'a str {
        self.side.names.get(self.entry.file)
    }

    /// The reply, where the side keeps it.
    fn reply(self) -> Option<String> {
        // The entry is one of the side's.
        let before = |other: &Entry| std::ptr::from_ref(other) < std::ptr::from_ref(self.entry);
        let at = self.side.entries.partition_point(before);
        Some(self.side.excerpt(u32::try_from(at).ok()?)?.text)
    }

    pub(super) fn verdict(self) -> Option<&'a NamedVerdict> {
        self.side.verdicts.get(self.entry.verdict as usize)
    }
}

/// An exchange that did not stay the same, with all that is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    pub(super) kind: Kind,
    /// Its group with its place among the groups.
    pub(super) group: Option<(usize, &'a Group)>,
    pub(super) before: Option<Seen<'a>>,
    pub(super) after: Option<Seen<'a>>,
    /// What its label says, where the reply is equal and other rules judge it.
    pub(super) by_label: Option<ByLabel>,
}

impl<'a> Change<'a> {
    /// The exchange where it is to be looked at: on the later side, unless it is gone.
    pub(super) fn seen(self) -> Option<Seen<'a>> {
        self.after.or(self.before)
    }

    pub(super) fn causes(self) -> &'a [Cause] {
        self.group.map_or(&[], |(_, group)| &group.explanation.causes)
    }
}

impl<'a> Evidence<'a> {
    pub(super) fn changes(&self) -> impl Iterator<Item = Change<'a>> + use<'a> {
        let Self { before, after, comparison, .. } = *self;
        comparison.flips.iter().map(move |flip: &Flip| {
            let seen = |side: &'a Side, at: Option<u32>| {
                side.entries.get(at? as usize).map(|entry| Seen { side, entry })
            };
            let group = flip.group.and_then(|at| {
                comparison.groups.get(at as usize).map(|group| (at as usize, group))
            });
            let (before, after) = (seen(before, flip.before), seen(after, flip.after));
            Change { kind: flip.kind, group, before, after, by_label: flip.by_label }
        })
    }
}

/// Exchanges that belong together: how many, and a few, each of another server where it can be.
#[derive(Debug, Default)]
pub(super) struct Gathered<'a> {
    pub(super) exchanges: u64,
    servers: BTreeSet<&'a str>,
    tools: BTreeSet<(&'a str, &'a str)>,
    examples: Vec<Seen<'a>>,
    others: Vec<Seen<'a>>,
}

impl<'a> Gathered<'a> {
    pub(super) fn add(&mut self, seen: Seen<'a>) {
        self.exchanges += 1;
        let is_new = self.servers.insert(seen.server());
        self.tools.insert((seen.server(), seen.tool()));
        let place = if is_new { &mut self.examples } else { &mut self.others };
        if place.len() < MOST_EXAMPLES {
            place.push(seen);
        }
    }

    pub(super) fn servers(&self) -> u64 {
        self.servers.len() as u64
    }

    fn examples(&self) -> impl Iterator<Item = Seen<'a>> {
        self.examples.iter().chain(&self.others).take(MOST_EXAMPLES).copied()
    }

    /// What became of them, with the first reply that says something.
    pub(super) fn headline(&self, became: &str) -> String {
        let examples = self.examples().map(|seen| (seen.server(), seen.tool(), seen.reply()));
        headline(examples, (self.tools.len() as u64, self.exchanges), became)
    }

    /// About them, with the first reply that says something.
    pub(super) fn finding_with_reply(self, text: &str) -> Finding {
        let said = self.examples().find_map(|seen| said(&seen.reply()?));
        self.finding(&said.map_or(text.to_owned(), |said| format!("{text}: {said}")), None)
    }

    pub(super) fn finding(self, text: &str, group: Option<String>) -> Finding {
        let examples = self.examples();
        Finding {
            text: cut(text, LONGEST_TEXT),
            group,
            exchanges: self.exchanges,
            examples: examples.map(Place::of).collect(),
            is_gone: false,
        }
    }
}
