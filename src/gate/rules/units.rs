//! What is looked at one by one on other traffic: servers, their tools, their documents.

use super::super::Case;
use super::super::evidence::{Call, Evidence, ExchangeGroup};
use super::super::report::{Finding, RuleVerdict, waived_words};
use super::super::waive::Subject;
use crate::compare::chance::Share;
use crate::recording::ExchangeKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Exchanges that are looked at together: the calls of a server or of one of its tools, or documents of one
/// kind that it made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unit<'a> {
    pub(super) server: &'a str,
    pub(super) tool: Option<&'a str>,
    pub(super) kind: ExchangeKind,
}

impl<'a> Unit<'a> {
    pub(super) fn server(server: &'a str) -> Self {
        Self { server, tool: None, kind: ExchangeKind::ToolCall }
    }

    /// The smallest that a call belongs to.
    pub(super) fn of(call: Call<'a>) -> Self {
        let kind = call.verdict().kind;
        let tool = call.is_of_tool().then(|| call.tool());
        Self { server: call.server(), tool, kind }
    }

    pub(super) fn has(self, part: Self) -> bool {
        (self.server, self.kind) == (part.server, part.kind)
            && (self.tool.is_none() || self.tool == part.tool)
    }

    pub(super) fn words(self) -> String {
        match (self.tool, self.kind) {
            (Some(tool), _) => format!("tool `{tool}` of `{}`", self.server),
            (None, ExchangeKind::ToolCall) => format!("server `{}`", self.server),
            (None, kind) => format!("{} of `{}`", kind.name(), self.server),
        }
    }
}

/// A unit, and what counts of it before and after.
pub(super) type Shares<'a> = (Unit<'a>, [Share; 2]);

/// How many exchanges count, and how many of these are hits, by the smallest units.
pub(super) struct Parts<'a>(BTreeMap<Unit<'a>, [Share; 2]>);

/// Of exchanges that have an outcome.
pub(super) fn of_known(call: Call<'_>, is_hit: impl Fn(Call<'_>) -> bool) -> Option<bool> {
    call.verdict().outcome.tells().then(|| is_hit(call))
}

pub(super) fn is_bad(call: Call<'_>) -> bool {
    call.verdict().outcome.is_bad()
}

impl<'a> Parts<'a> {
    /// `hit` says whether an exchange is one; `None` where it does not count at all.
    pub(super) fn of(evidence: Evidence<'a>, hit: impl Fn(Call<'_>) -> Option<bool>) -> Self {
        let mut parts = BTreeMap::<Unit<'_>, [Share; 2]>::new();
        for (at, side) in [evidence.before, evidence.after].into_iter().enumerate() {
            let mut counts: HashMap<(u32, u32, ExchangeKind), (Unit<'_>, Share)> = HashMap::new();
            for call in Call::all(side) {
                if let Some(is_hit) = hit(call) {
                    let part = (call.entry.server, call.entry.tool, call.verdict().kind);
                    let (_, share) =
                        counts.entry(part).or_insert_with(|| (Unit::of(call), Share::default()));
                    share.of += 1;
                    share.hits += u64::from(is_hit);
                }
            }
            for (part, share) in counts.into_values() {
                parts.entry(part).or_default()[at].add(share);
            }
        }
        Self(parts)
    }

    /// What is looked at, with its shares. A server with one tool is not looked at twice.
    pub(super) fn units(&self) -> Vec<Shares<'a>> {
        let mut servers: BTreeMap<&str, ([Share; 2], usize)> = BTreeMap::new();
        for (part, shares) in self.0.iter().filter(|(part, _)| part.tool.is_some()) {
            let (sums, tools) = servers.entry(part.server).or_default();
            sums.iter_mut().zip(shares).for_each(|(sum, share)| sum.add(*share));
            *tools += 1;
        }
        let is_apart = |part: &Unit<'_>| part.tool.is_none() || servers[part.server].1 > 1;
        let parts = self.0.iter().filter(|(part, _)| is_apart(part));
        let of_servers = servers.iter().map(|(server, (sums, _))| (Unit::server(server), *sums));
        of_servers.chain(parts.map(|(part, shares)| (*part, *shares))).collect()
    }

    /// The smallest units but these, with their shares.
    pub(super) fn smallest(&self, but: &BTreeSet<Unit<'_>>) -> Vec<Shares<'a>> {
        let is_left = |part: Unit<'_>| !but.iter().any(|unit| unit.has(part));
        self.0.iter().map(|(part, shares)| (*part, *shares)).filter(|it| is_left(it.0)).collect()
    }

    /// The shares of a unit.
    pub(super) fn of_unit(&self, unit: Unit<'_>) -> [Share; 2] {
        sum(self.0.iter().filter(|(part, _)| unit.has(**part)).map(|(_, shares)| shares))
    }

    /// Leaves out what the other has no part of.
    pub(super) fn keep_those_of(&mut self, other: &Self) {
        self.0.retain(|part, _| other.0.contains_key(part));
    }

    /// Whether there is anything of the unit.
    pub(super) fn have(&self, unit: Unit<'_>) -> bool {
        self.0.keys().any(|part| unit.has(*part))
    }

    /// How many exchanges count, before and after.
    pub(super) fn totals(&self) -> [u64; 2] {
        sum(self.0.values()).map(|share| share.of)
    }

    /// Takes away what is waived of the units that were found; how many exchanges `counted` says that is.
    pub(super) fn waive(
        &mut self,
        found: &[Unit<'a>],
        case: &mut Case<'_>,
        counted: fn(&[Share; 2]) -> u64,
    ) -> u64 {
        let mut waived = 0;
        self.0.retain(|part, shares| {
            let (server, tool) = (part.server, part.tool.unwrap_or_default());
            let subject = Subject { server, tool, ..Subject::default() };
            let is_waived = found.iter().any(|unit| unit.has(*part))
                && case.book.waives(&subject, counted(shares));
            waived += if is_waived { counted(shares) } else { 0 };
            !is_waived
        });
        waived
    }
}

/// What there is of all of them.
pub(super) fn sum<'s>(shares: impl IntoIterator<Item = &'s [Share; 2]>) -> [Share; 2] {
    let mut sums = [Share::default(); 2];
    for part in shares {
        sums.iter_mut().zip(part).for_each(|(sum, share)| sum.add(*share));
    }
    sums
}

/// What was found of units, beside so many calls that are waived; `had_found` before that.
pub(super) fn verdict(
    findings: Vec<Finding>,
    had_found: bool,
    waived: u64,
    measured: &str,
    allowed: String,
) -> RuleVerdict {
    let measured = format!("{measured}{}", waived_words(waived));
    let counts = [findings.len() as f64, f64::from(u8::from(had_found))];
    RuleVerdict::at_most(0.0, counts, measured, allowed).found(findings)
}

/// The exchanges among these that are of the units.
pub(super) fn gather<'a>(
    calls: impl Iterator<Item = Call<'a>>,
    units: impl Iterator<Item = Unit<'a>>,
) -> BTreeMap<Unit<'a>, ExchangeGroup<'a>> {
    let mut gathered: BTreeMap<_, ExchangeGroup<'_>> =
        units.map(|unit| (unit, ExchangeGroup::default())).collect();
    for call in calls {
        let own = Unit::of(call);
        let server = own.tool.map(|_| Unit::server(own.server));
        for unit in std::iter::once(own).chain(server) {
            gathered.entry(unit).and_modify(|gathered| gathered.add(call));
        }
    }
    gathered
}
