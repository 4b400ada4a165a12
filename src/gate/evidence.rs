//! What a policy is held against.

use super::report::{CallPlace, Finding};
use super::waive::Subject;
use crate::compare::show::headline;
use crate::compare::{Comparison, Entry, Flip, Group, Side};
use crate::labels::Labelled;
use crate::recording::{Day, ExchangeKind};
use crate::store::NamedVerdict;
use crate::verdict::{Who, cut, said};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

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

/// An exchange of a side, by its place among the side's entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    side: &'a Side,
    at: u32,
    pub(super) entry: &'a Entry,
}

impl<'a> Call<'a> {
    pub(super) fn of(side: &'a Side, at: u32) -> Option<Self> {
        Some(Self { side, at, entry: side.entries.get(at as usize)? })
    }

    pub(super) fn all(side: &'a Side) -> impl Iterator<Item = Self> {
        (0..).zip(&side.entries).map(move |(at, entry)| Self { side, at, entry })
    }

    pub(super) fn server(self) -> &'a str {
        self.side.names.get(self.entry.server)
    }

    pub(super) fn tool(self) -> &'a str {
        self.side.names.get(self.entry.tool)
    }

    pub(super) fn file(self) -> &'a str {
        self.side.names.get(self.entry.file)
    }

    pub(super) fn verdict(self) -> &'a NamedVerdict {
        self.side.verdict(self.entry.verdict)
    }

    pub(super) fn is_of_tool(self) -> bool {
        self.verdict().kind == ExchangeKind::ToolCall
    }

    /// Whether only whoever runs the server can make such a call work.
    pub(super) fn is_operators(self) -> bool {
        self.verdict().who == Some(Who::Operator)
    }

    /// The reply, where the side keeps it.
    fn reply(self) -> Option<String> {
        Some(self.side.excerpt(self.at)?.text)
    }

    pub(super) fn subject(self) -> Subject<'a> {
        Subject { server: self.server(), tool: self.tool(), ..Subject::default() }
    }
}

/// An exchange that did not stay the same: on the later side, unless it is gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    pub(super) flip: &'a Flip,
    pub(super) group: Option<&'a Group>,
    pub(super) call: Call<'a>,
}

impl<'a> Change<'a> {
    pub(super) fn subject(self) -> Subject<'a> {
        let causes = self.group.map_or(&[][..], |group| &group.explanation.causes);
        let group = self.group.map(|group| group.id.as_str());
        Subject { causes, group, ..self.call.subject() }
    }
}

impl<'a> Evidence<'a> {
    pub(super) fn changes(self) -> impl Iterator<Item = Change<'a>> {
        let Self { before, after, comparison, .. } = self;
        comparison.flips.iter().filter_map(move |flip| {
            let group = flip.group.and_then(|at| comparison.groups.get(at as usize));
            let call = match flip.after {
                Some(at) => Call::of(after, at),
                None => Call::of(before, flip.before?),
            }?;
            Some(Change { flip, group, call })
        })
    }
}

/// Exchanges that belong together: how many, and a few, each of another server where it can be.
#[derive(Debug, Default)]
pub(super) struct ExchangeGroup<'a> {
    pub(super) exchanges: u64,
    pub(super) servers: BTreeSet<&'a str>,
    tools: BTreeSet<(&'a str, &'a str)>,
    examples: [Vec<Call<'a>>; 2],
}

impl<'a> ExchangeGroup<'a> {
    pub(super) fn add(&mut self, call: Call<'a>) {
        self.exchanges += 1;
        let is_new = self.servers.insert(call.server());
        self.tools.insert((call.server(), call.tool()));
        let place = &mut self.examples[usize::from(!is_new)];
        if place.len() < MOST_EXAMPLES {
            place.push(call);
        }
    }

    fn examples(&self) -> impl Iterator<Item = Call<'a>> {
        self.examples.iter().flatten().take(MOST_EXAMPLES).copied()
    }

    /// What became of them, with the first reply that says something.
    pub(super) fn headline(&self, became: &str) -> String {
        let examples = self.examples().map(|call| (call.server(), call.tool(), call.reply()));
        headline(examples, (self.tools.len() as u64, self.exchanges), became)
    }

    /// About them, with the first reply that says something.
    pub(super) fn finding_with_reply(&self, text: &str) -> Finding {
        let said = self.examples().find_map(|call| said(&call.reply()?));
        self.finding(&said.map_or(text.to_owned(), |said| format!("{text}: {said}")))
    }

    pub(super) fn finding(&self, text: &str) -> Finding {
        Finding {
            text: cut(text, LONGEST_TEXT),
            exchanges: self.exchanges,
            examples: self.examples().map(CallPlace::of).collect(),
            ..Finding::default()
        }
    }
}

/// What was gathered, most exchanges first.
pub(super) fn most_first<K>(
    gathered: BTreeMap<K, ExchangeGroup<'_>>,
) -> Vec<(K, ExchangeGroup<'_>)> {
    let mut all: Vec<_> = gathered.into_iter().collect();
    all.sort_by_key(|(_, gathered)| Reverse(gathered.exchanges));
    all
}
