//! What is looked at one by one on other traffic: servers, their tools, their documents.

use super::super::evidence::{Evidence, Gathered, Seen};
use super::super::report::{self, Finding, Measure};
use super::super::waive::Subject;
use super::Asking;
use crate::compare::Side;
use crate::compare::unpaired::Share;
use crate::recording::ExchangeKind;
use crate::verdict::counted;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// Exchanges that are looked at together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit<'a> {
    /// All calls of a server.
    Server(&'a str),
    /// The calls of a tool, with its server.
    Tool(&'a str, &'a str),
    /// Documents that a server made; nobody called a tool.
    Documents(&'a str, ExchangeKind),
}

impl Unit<'_> {
    fn has(self, (server, tool, kind): Part<'_>) -> bool {
        match self {
            Self::Server(name) => name == server && kind == ExchangeKind::ToolCall,
            Self::Tool(name, of) => (name, of, ExchangeKind::ToolCall) == (server, tool, kind),
            Self::Documents(name, of) => (name, of) == (server, kind),
        }
    }

    pub(super) fn words(self) -> String {
        match self {
            Self::Server(server) => format!("server `{server}`"),
            Self::Tool(server, tool) => format!("tool `{tool}` of `{server}`"),
            Self::Documents(server, kind) => format!("{} of `{server}`", kind.name()),
        }
    }
}

/// A tool of a server, or documents of it: the smallest of what is looked at.
type Part<'a> = (&'a str, &'a str, ExchangeKind);

/// Exchanges by server and tool: how many count, and how many of these are hits, before and after. Those that were not sent, or of which nobody knows, are in neither.
#[derive(Debug, Default)]
pub(super) struct Parts<'a>(BTreeMap<Part<'a>, [Share; 2]>);

/// Of exchanges that have an outcome.
pub(super) fn of_known(seen: Seen<'_>, is_hit: fn(Seen<'_>) -> bool) -> Option<bool> {
    seen.verdict().filter(|verdict| verdict.outcome.tells()).map(|_| is_hit(seen))
}

pub(super) fn is_bad(seen: Seen<'_>) -> bool {
    seen.verdict().is_some_and(|verdict| verdict.outcome.is_bad())
}

impl<'a> Parts<'a> {
    /// `hit` says whether an exchange is one; `None` where it does not count at all.
    pub(super) fn of(evidence: &Evidence<'a>, hit: impl Fn(Seen<'_>) -> Option<bool>) -> Self {
        let mut parts = Self::default();
        for (at, side) in [evidence.before, evidence.after].into_iter().enumerate() {
            parts.count(side, at, &hit);
        }
        parts
    }

    fn count(&mut self, side: &'a Side, at: usize, hit: impl Fn(Seen<'_>) -> Option<bool>) {
        let mut counts: HashMap<(u32, u32, ExchangeKind), Share> = HashMap::new();
        for entry in &side.entries {
            let seen = Seen { side, entry };
            let Some(verdict) = seen.verdict() else { continue };
            if let Some(is_hit) = hit(seen) {
                let share = counts.entry((entry.server, entry.tool, verdict.kind)).or_default();
                share.of += 1;
                share.hits += u64::from(is_hit);
            }
        }
        for ((server, tool, kind), share) in counts {
            let tool = if kind == ExchangeKind::ToolCall { side.names.get(tool) } else { "" };
            let part = self.0.entry((side.names.get(server), tool, kind)).or_default();
            part[at].of += share.of;
            part[at].hits += share.hits;
        }
    }

    /// What is looked at, with its shares. A server with one tool is not looked at twice.
    pub(super) fn units(&self) -> Vec<(Unit<'a>, [Share; 2])> {
        let mut servers: BTreeMap<&str, ([Share; 2], usize)> = BTreeMap::new();
        for ((server, _, kind), shares) in &self.0 {
            if *kind == ExchangeKind::ToolCall {
                let (sum, tools) = servers.entry(server).or_default();
                for (sum, share) in sum.iter_mut().zip(shares) {
                    sum.of += share.of;
                    sum.hits += share.hits;
                }
                *tools += 1;
            }
        }
        let parts = self.0.iter().filter_map(|((server, tool, kind), shares)| match kind {
            ExchangeKind::ToolCall if servers[server].1 == 1 => None,
            ExchangeKind::ToolCall => Some((Unit::Tool(server, tool), *shares)),
            kind => Some((Unit::Documents(server, *kind), *shares)),
        });
        let parts: Vec<_> = parts.collect();
        let servers = servers.into_iter().map(|(server, (sum, _))| (Unit::Server(server), sum));
        servers.chain(parts).collect()
    }

    /// Whether there is anything of the unit.
    pub(super) fn have(&self, unit: Unit<'_>) -> bool {
        self.0.keys().any(|part| unit.has(*part))
    }

    /// How many exchanges have an outcome, before and after.
    pub(super) fn totals(&self) -> [u64; 2] {
        [0, 1].map(|at| self.0.values().map(|shares| shares[at].of).sum())
    }

    /// Takes away what is waived of the units that were found; how many exchanges `counted` says that is.
    pub(super) fn waive(
        &mut self,
        found: &BTreeSet<Unit<'a>>,
        (rule, book): &mut Asking<'_, '_>,
        counted: fn(&[Share; 2]) -> u64,
    ) -> u64 {
        let mut waived = 0;
        self.0.retain(|(server, tool, kind), shares| {
            let is_found = found.iter().any(|unit| unit.has((server, tool, *kind)));
            let subject = Subject { server, tool, ..Subject::default() };
            let counts = counted(shares);
            // One answer for all of them; each is counted.
            let is_waived = is_found && (0..counts).fold(false, |_, _| book.waives(rule, &subject));
            waived += if is_waived { counts } else { 0 };
            !is_waived
        });
        waived
    }
}

/// What was found of units, beside what is waived; `had_found` before that.
pub(super) fn measure(
    findings: Vec<Finding>,
    had_found: bool,
    waived: u64,
    mut measured: String,
    allowed: String,
) -> Measure {
    if waived > 0 {
        let _ = write!(measured, ", {} waived", counted(waived, "call"));
    }
    let count = findings.len();
    let mut measure =
        Measure::new(count == 0, measured, allowed).numbers(count as f64, 0.0).found(findings);
    if count == 0 && had_found {
        measure.outcome = report::Outcome::Waived;
    }
    measure
}

/// The exchanges of a side that count, by those units of them that were found.
pub(super) fn gather<'a>(
    side: &'a Side,
    found: impl Iterator<Item = Unit<'a>>,
    counts: fn(Seen<'a>) -> bool,
) -> BTreeMap<Unit<'a>, Gathered<'a>> {
    let mut gathered: BTreeMap<Unit<'a>, Gathered<'a>> =
        found.map(|unit| (unit, Gathered::default())).collect();
    if gathered.is_empty() {
        return gathered;
    }
    for seen in side.entries.iter().map(|entry| Seen { side, entry }) {
        let Some(kind) = seen.verdict().map(|verdict| verdict.kind).filter(|_| counts(seen)) else {
            continue;
        };
        let units = match kind {
            ExchangeKind::ToolCall => {
                [Some(Unit::Server(seen.server())), Some(Unit::Tool(seen.server(), seen.tool()))]
            }
            kind => [Some(Unit::Documents(seen.server(), kind)), None],
        };
        for unit in units.into_iter().flatten() {
            if let Some(gathered) = gathered.get_mut(&unit) {
                gathered.add(seen);
            }
        }
    }
    gathered
}
