//! Rules that count exchanges that did not stay the same.

use super::super::Case;
use super::super::evidence::{Change, Evidence, ExchangeGroup};
use super::super::policy::{Glob, globs};
use super::super::report::{Finding, RuleVerdict, waived_words};
use super::super::traffic::Traffic;
use super::super::waive::WaiverKey;
use super::{Limit, MOST, RuleKind};
use crate::compare::show::{labels_of, moved, why};
use crate::compare::{ByLabel, Group, Kind, Origin};
use crate::rulebook::Rulebook;
use crate::rulebook::source::{Section, word_among};
use crate::verdict::{counted, grouped};
use std::collections::BTreeMap;
use std::sync::Arc;

const BY_GROUP: &[WaiverKey] =
    &[WaiverKey::Cause, WaiverKey::Server, WaiverKey::Tool, WaiverKey::Group];
/// What changed where both sides have the exchange.
pub(super) const FLIPPED: [Kind; 5] =
    [Kind::Regressed, Kind::Fixed, Kind::Stricter, Kind::MoreLenient, Kind::Changed];

/// How causes begin that are named after a part of a rulebook, which follows.
const PARTS: [&str; 7] =
    ["signals.", "factors.", "decide.", "error_kinds.", "lists.", "criteria.", "outcomes."];
/// How other causes begin.
const OTHERS: [&str; 11] = [
    "reply.",
    "schema/",
    "issues/",
    "verdict",
    "hidden_failure.",
    "errors.",
    "text.",
    "metadata.",
    "schema.",
    "score.",
    "*.",
];

pub(super) static WORSE: RuleKind = RuleKind {
    name: "worse",
    about: "No call got worse. Skipped on other traffic.",
    keys: &[],
    narrowed_by: BY_GROUP,
    next: "list the calls of a group with `tapecheck diff BEFORE AFTER --filter ID`; correct the \
        server, accept what is right with `tapecheck review`, or waive it with a reason",
    read: |_| Some(Arc::new(Worse)),
};

pub(super) static STRICTER: RuleKind = RuleKind {
    name: "stricter",
    about: "No equal reply is classified more strictly or more leniently because the rulebook or \
        the checks changed, unless labels confirm the change.",
    keys: &[],
    narrowed_by: BY_GROUP,
    next: "list the calls of a group with `tapecheck diff BEFORE AFTER --filter ID`; correct the \
        rulebook, label what is right, or classify the earlier recordings with the new rulebook, \
        too",
    read: |_| Some(Arc::new(Stricter)),
};

pub(super) static FLIPS: RuleKind = RuleKind {
    name: "flips",
    about: "At most this many calls are classified differently than before.",
    keys: &[
        ("most", "How many may be; required."),
        (
            "kind",
            "Which changes count: `regressed`, `fixed`, `stricter`, `more_lenient`, `changed`, a \
             list of them, or `any`, the default.",
        ),
        (
            "origin",
            "Only changes of this origin: `rulebook`, `reply`, `schema`, `checks`, `program`, \
             `several`, or a list.",
        ),
        (
            "cause",
            "Only changes with such a cause, named as in `tapecheck diff`; `*` stands for any \
             characters, `?` for one. A name or a list.",
        ),
    ],
    narrowed_by: BY_GROUP,
    next: "list the calls of a group with `tapecheck diff BEFORE AFTER --filter ID`; correct the \
        rulebook or the server, accept what is right with `tapecheck review`, or waive it with a \
        reason",
    read: |table| {
        let most = table.require("most", |it, key| it.whole(key, MOST));
        let any = std::iter::once((None, "any"));
        let kinds: Vec<_> =
            FLIPPED.map(|kind| (Some(kind), kind.name())).into_iter().chain(any).collect();
        let kinds: Option<Vec<Kind>> = words(table, "kind", &kinds).into_iter().collect();
        let origins = words(table, "origin", &Origin::ALL.map(|origin| (origin, origin.name())));
        let (kinds, causes) = (kinds.unwrap_or_default(), globs(table, "cause"));
        Some(Arc::new(Flips { most: most?, kinds, origins, causes }))
    },
};

/// The words of a list, each one of a few.
fn words<T: Copy>(table: &mut Section<'_>, key: &'static str, known: &[(T, &str)]) -> Vec<T> {
    let written = table.texts(key).into_iter();
    written.filter_map(|(word, at)| word_among(word, at, known, table.problems)).collect()
}

#[derive(Debug)]
struct Worse;

impl Limit for Worse {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        match case.traffic {
            Traffic::Repeated => {
                let is_apart = case.has_operator_rule;
                let counts = |change: &Change<'_>| !is_apart || !change.call.is_operators();
                changed(case, 0, |it| it.flip.kind == Kind::Regressed && counts(it))
            }
            Traffic::Other(_) => RuleVerdict::skipped(case.traffic.words(), "at most 0"),
        }
    }
}

#[derive(Debug)]
struct Stricter;

impl Limit for Stricter {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let mut verdict = changed(case, 0, |Change { flip, .. }| {
            matches!(flip.kind, Kind::Stricter | Kind::MoreLenient)
                && flip.by_label != Some(ByLabel::NowRight)
        });
        verdict.notes.extend(case.evidence.comparison.labels_words());
        verdict
    }

    fn asks_for_labels(&self, judged_alike: bool) -> bool {
        !judged_alike
    }
}

/// Where a list is empty, all changes count.
#[derive(Debug)]
struct Flips {
    most: u64,
    kinds: Vec<Kind>,
    origins: Vec<Origin>,
    causes: Vec<Glob>,
}

impl Limit for Flips {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let mut verdict = changed(case, self.most, |change| self.counts(change));
        verdict.notes = notes_on(&self.causes, &case.evidence);
        verdict
    }
}

impl Flips {
    fn counts(&self, change: &Change<'_>) -> bool {
        let kinds = if self.kinds.is_empty() { &FLIPPED[..] } else { &self.kinds };
        let explanation = change.group.map(|group| &group.explanation);
        let by_origin = || explanation.is_some_and(|it| self.origins.contains(&it.origin));
        let named = |glob: &Glob| {
            let causes = explanation.map_or(&[][..], |it| &it.causes);
            causes.iter().any(|cause| glob.fits(&cause.name))
        };
        kinds.contains(&change.flip.kind)
            && (self.origins.is_empty() || by_origin())
            && (self.causes.is_empty() || self.causes.iter().any(named))
    }
}

/// At most so many of the changes that count.
pub(super) fn changed(
    case: &mut Case<'_>,
    most: u64,
    counts: impl Fn(&Change<'_>) -> bool,
) -> RuleVerdict {
    let evidence = case.evidence;
    let mut groups: BTreeMap<Option<u32>, ExchangeGroup<'_>> = BTreeMap::new();
    let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
    let mut waived = 0;
    for change in evidence.changes().filter(counts) {
        if case.book.waives(&change.subject(), 1) {
            waived += 1;
        } else {
            *kinds.entry(change.flip.kind).or_default() += 1;
            groups.entry(change.flip.group).or_default().add(change.call);
        }
    }
    let found = kinds.values().sum();
    let kinds: Vec<String> =
        kinds.iter().map(|(kind, count)| format!("{} {}", grouped(*count), kind.words())).collect();
    let kinds = if found == 0 { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let findings = groups.into_iter().map(|(at, gathered)| {
        let group = at.and_then(|at| evidence.comparison.groups.get(at as usize));
        let text = group.map_or_else(|| gathered.headline("changed"), |it| headline(it, &gathered));
        Finding { group: group.map(|group| group.id.clone()), ..gathered.finding(&text) }
    });
    let measured = format!("{}{kinds}", counted(found, "call"));
    count([found, waived], most, &measured).found(findings)
}

/// No exchange is gone.
pub(super) fn gone(case: &mut Case<'_>) -> RuleVerdict {
    let (mut gathered, mut waived) = (ExchangeGroup::default(), 0);
    for change in case.evidence.changes().filter(|change| change.flip.kind == Kind::Gone) {
        if case.book.waives(&change.subject(), 1) {
            waived += 1;
        } else {
            gathered.add(change.call);
        }
    }
    let found = gathered.exchanges;
    let finding = (found > 0).then(|| {
        let text = format!("{}{}", gathered.headline("gone"), servers(&gathered));
        Finding { is_gone: true, ..gathered.finding(&text) }
    });
    count([found, waived], 0, &format!("{} gone", counted(found, "call"))).found(finding)
}

fn count([found, waived]: [u64; 2], most: u64, measured: &str) -> RuleVerdict {
    let measured = format!("{measured}{}", waived_words(waived));
    let allowed = format!("at most {}", grouped(most));
    RuleVerdict::at_most(most as f64, [found as f64, waived as f64], measured, allowed)
}

/// On how many servers, where it is more than one.
fn servers(gathered: &ExchangeGroup<'_>) -> String {
    match gathered.servers.len() as u64 {
        0 | 1 => String::new(),
        servers => format!(" · {}", counted(servers, "server")),
    }
}

/// What became of a group, how many of it count, and why.
fn headline(group: &Group, gathered: &ExchangeGroup<'_>) -> String {
    let became = gathered.headline(&moved(group.from, group.to));
    let labels = labels_of(&group.by_labels).map_or_else(String::new, |it| format!(" · {it}"));
    format!("{became} · {}, {}{}{labels}", group.kind.words(), why(group), servers(gathered))
}

/// What is to be said of those of a rule's patterns that fit nothing in either rulebook: a slip of the
/// pen in one of them would let the rule pass for ever.
fn notes_on(causes: &[Glob], evidence: &Evidence<'_>) -> Vec<String> {
    let (Some(before), Some(after)) = (&evidence.before.rulebook, &evidence.after.rulebook) else {
        return Vec::new();
    };
    if causes.is_empty() {
        return Vec::new();
    }
    let mut known = before.pattern_names();
    known.extend(after.pattern_names());
    let groups = evidence.comparison.groups.iter();
    let found = groups.flat_map(|group| &group.explanation.causes).map(|cause| cause.name.clone());
    known.extend(found);
    let idle = causes.iter().filter(|glob| {
        !known.iter().any(|name| glob.fits(name)) && !may_fit(glob, &[before, after])
    });
    let note = |glob: &Glob| {
        format!("`{}` matches no pattern, signal or setting of either rulebook", glob.written)
    };
    idle.map(note).collect()
}

/// Whether it is the name of a part of a rulebook that is no pattern.
fn may_fit(glob: &Glob, rulebooks: &[&Rulebook]) -> bool {
    let written = &glob.written;
    if OTHERS.iter().any(|start| written.starts_with(start)) {
        return true;
    }
    let Some(named) = PARTS.iter().find_map(|start| written.strip_prefix(start)) else {
        return false;
    };
    // Names have no wildcards in them: what stands before the first is part of one.
    let name = named.split(['*', '?', '/']).next().unwrap_or_default();
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    rulebooks.iter().any(|rulebook| rulebook.resolved.contains(name))
}
