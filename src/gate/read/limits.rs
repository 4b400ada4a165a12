//! What each kind of rule asks for, read from its table.

use super::super::RuleKind;
use super::super::glob::Glob;
use super::super::policy::{Exchanges, FlipFilter, Limit, Missing, ShareLimit, ShareTraffic};
use crate::compare::{Kind, Origin, SlowerLimit};
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::{Section, word_among};
use crate::verdict::IssueType;

/// The largest count: what a double still holds exactly.
const MOST: f64 = 9e15;
/// What p-values of the default policy's rules are held against: chosen so that together they are red in less
/// than one of a hundred nights without a change.
const SHARES: f64 = 0.01;
/// Without a correction, for a rise by many points.
const RISE: f64 = 0.0003;
const ABSENT: f64 = 0.005;
const UNREADABLE: f64 = 0.001;
/// A rise by so many points has a p-value of its own, provided that there are enough calls.
const RISE_POINTS: f64 = 20.0;
/// Enough calls for that.
const LEAST_CALLS: u64 = 5;
/// The word for all kinds of flip.
const ANY: &str = "any";

pub(super) fn limit(kind: RuleKind, table: &mut Section<'_>) -> Option<Limit> {
    match kind {
        RuleKind::Worse => Some(Limit::Worse),
        RuleKind::Shares => {
            let rise_points = table.number_within("rise_points", 0.0..=100.0);
            let least_calls = table.whole("least_calls", MOST);
            let rise = significance(table, "rise_significance", RISE);
            let traffic = table.word("traffic");
            Some(Limit::Shares(ShareLimit {
                significance: significance(table, "significance", SHARES),
                rise_points: rise_points.unwrap_or(RISE_POINTS),
                least_calls: least_calls.unwrap_or(LEAST_CALLS),
                rise_significance: rise,
                traffic: traffic.unwrap_or(ShareTraffic::Other),
            }))
        }
        RuleKind::Slower => {
            let default = SlowerLimit::default();
            let factor = table.number_within("factor", 1.0..=1e6);
            let least_ms = table.number_within("least_ms", 0.0..=MOST);
            let least_calls = table.whole("least_calls", MOST);
            Some(Limit::Slower(SlowerLimit {
                significance: significance(table, "significance", default.significance),
                factor: factor.unwrap_or(default.factor),
                least_ms: least_ms.unwrap_or(default.least_ms),
                least_calls: least_calls.unwrap_or(default.least_calls).max(1),
            }))
        }
        RuleKind::Absent => {
            let significance = significance(table, "significance", ABSENT);
            Some(Limit::Absent { significance })
        }
        RuleKind::Unreadable => {
            let significance = significance(table, "significance", UNREADABLE);
            Some(Limit::Unreadable { significance })
        }
        RuleKind::Stricter => Some(Limit::Stricter),
        RuleKind::Flips => flips(table),
        RuleKind::NewIssueTypes => Some(new_issue_types(table)),
        RuleKind::TimeOuts => {
            let most = required(table, "most", 0.0..=100.0)?;
            Some(Limit::TimeOuts { most })
        }
        RuleKind::UnreadableLines => {
            let most = table.whole("most", MOST);
            let growth = table.whole("most_growth", MOST);
            let most_growth = growth.or_else(|| most.is_none().then_some(0));
            Some(Limit::UnreadableLines { most_growth, most })
        }
        RuleKind::Labels => labels(table),
        // It has no table of its own.
        RuleKind::Waivers => None,
    }
}

fn most(table: &mut Section<'_>) -> Option<u64> {
    table.require("most", |it, key| it.whole(key, MOST))
}

fn required(
    table: &mut Section<'_>,
    key: &'static str,
    bounds: std::ops::RangeInclusive<f64>,
) -> Option<f64> {
    table.require(key, |it, key| it.number_within(key, bounds))
}

fn significance(table: &mut Section<'_>, key: &'static str, default: f64) -> f64 {
    table.number_within(key, 0.0..=1.0).unwrap_or(default)
}

/// The words of a list, each one of a few.
fn words<T: Copy>(table: &mut Section<'_>, key: &'static str, known: &[(T, &str)]) -> Vec<T> {
    let written = table.texts(key);
    written
        .into_iter()
        .filter_map(|(word, at)| word_among(word, at, known, table.problems))
        .collect()
}

fn globs(table: &mut Section<'_>, key: &'static str) -> Vec<Glob> {
    let written = table.texts(key);
    for (_, mark) in written.iter().filter(|(name, _)| name.is_empty()) {
        table.problems.error(*mark, "expected a name");
    }
    written.into_iter().map(|(name, _)| Glob::new(name)).collect()
}

fn flips(table: &mut Section<'_>) -> Option<Limit> {
    let most = most(table);
    let changes = [Kind::Regressed, Kind::Fixed, Kind::Stricter, Kind::MoreLenient, Kind::Changed];
    let mut known = changes.map(|kind| (Some(kind), kind.name())).to_vec();
    known.push((None, ANY));
    let kinds = words(table, "kind", &known);
    let kinds = kinds.into_iter().collect::<Option<Vec<Kind>>>().unwrap_or_default();
    let origins = Origin::ALL.map(|origin| (origin, origin.name()));
    let filter = FlipFilter {
        kinds,
        origins: words(table, "origin", &origins),
        causes: globs(table, "cause"),
    };
    Some(Limit::Flips { most: most?, filter })
}

fn new_issue_types(table: &mut Section<'_>) -> Limit {
    let exchanges = table.word("exchanges").unwrap_or(Exchanges::Both);
    let written = table.texts("except");
    for (name, mark) in &written {
        is_issue_type(name, *mark, table.problems);
    }
    let except = written.into_iter().map(|(name, _)| Glob::new(name)).collect();
    Limit::NewIssueTypes { except, exchanges }
}

/// A type that never occurs would let its rule say the same for ever. There are no others than those of
/// the table.
fn is_issue_type(name: &str, mark: Mark, problems: &Problems) {
    let glob = Glob::new(name);
    let known = || IssueType::ALL.iter().map(|kind| kind.name());
    if !known().any(|kind| glob.fits(kind)) {
        let help = did_you_mean(name, known());
        problems.error_with_help(mark, format!("unknown issue type `{name}`"), help);
    }
}

fn labels(table: &mut Section<'_>) -> Option<Limit> {
    let least = required(table, "least", 0.0..=100.0);
    if let Some(share) = least.filter(|least| *least > 0.0 && *least <= 1.0) {
        // As a limit of percents it would let anything pass.
        let help = format!("did you mean {} percent?", share * 100.0);
        table.problems.error_with_help(table.mark_of("least"), "`least` is in percent", Some(help));
    }
    let least_labels = table.whole("least_labels", MOST).unwrap_or(1).max(1);
    let missing = table.word("missing").unwrap_or(Missing::Undecided);
    Some(Limit::Labels { least: least?, least_labels, missing })
}
