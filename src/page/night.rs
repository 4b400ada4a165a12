//! A run as ordered lists of numbers, from which every format is written.

use super::counted::Trouble;
use super::earlier::Against;
use super::headline::sentences;
use super::read::{IssueTally, IssueTypes, RunRead};
use super::sample::called;
use super::shown::Showing;
use super::words::severity_place;
use super::{Beside, TruthShown};
use crate::compare::Kind;
use crate::count::tally::Share;
use crate::count::{Durations, Took};
use crate::recording::ExchangeKind;
use crate::redact::Quotations;
use crate::store::Summary;
use crate::trend::show::change_sentence;
use crate::trend::{Mark, Presence, Series, Trend};
use crate::verdict::{Answer, Classification, Outcome};
use serde::Serialize;
use std::ops::RangeInclusive;

/// What there is to show. In all but the run itself secrets are masked, and nothing steers.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) run: RunRead,
    pub(super) showing: Showing,
    pub(super) against: Option<Against>,
    pub(super) truth: Option<TruthShown>,
    /// What stands before and after an exchange's key in the command that explains it.
    pub(super) explain: [String; 2],
    /// The verdict in sentences, the first of which may stand alone.
    pub(super) headline: String,
    pub(super) rest: Vec<String>,
    /// How much was read, by name.
    pub(super) totals: Vec<(&'static str, u64)>,
    /// Calls by outcome, best first. Outcomes that enter no share are of none.
    pub(super) outcomes: Vec<Row>,
    /// Exchanges by class, best first.
    pub(super) classes: Vec<Row>,
    /// What has a class: `calls`, `documents` or both.
    pub(super) classified: &'static str,
    /// Failures by what they are.
    pub(super) answers: Vec<Row>,
    /// Errors by their kind, most first.
    pub(super) error_kinds: Vec<Row>,
    /// Exchanges in trouble by server and by tool, the worst first.
    pub(super) servers: Vec<Row>,
    pub(super) tools: Vec<Row>,
    /// Types of issue, worst severity first, then the most.
    pub(super) issue_types: Vec<IssueTypeRow>,
    pub(super) types_gone: u64,
    /// What many nights say, without secrets.
    pub(super) trends: Vec<Trend>,
    pub(super) alarms: Vec<Alarm>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) count: u64,
    pub(super) out_of: u64,
    pub(super) took: Option<Took>,
    /// The share that it was in what the run is held against, where that is known.
    pub(super) before: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct IssueTypeRow {
    pub(super) severity: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) count: u64,
    /// All issues of the run.
    pub(super) out_of: u64,
    pub(super) servers: u64,
    /// Whether what the run is held against has none of it; `None` without one.
    #[serde(rename = "new")]
    pub(super) is_new: Option<bool>,
}

/// A level that was left and is not back.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Alarm {
    /// What the series are by.
    pub(super) by: String,
    pub(super) series: String,
    /// The first night of the other level.
    pub(super) since: String,
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) worse: Option<bool>,
    pub(super) sentence: String,
}

impl Page {
    pub(super) fn of(run: RunRead, beside: Beside, mut trends: Vec<Trend>) -> Self {
        let Beside { mut against, truth, explain, redactor, texts_again: _ } = beside;
        let showing = Showing::new(redactor, Quotations::of(&run.rulebook));
        if let Some(against) = &mut against {
            against.mask(&showing);
        }
        for trend in &mut trends {
            mask_trend(trend, &showing);
        }
        let (headline, rest) = sentences(&run.summary);
        let counts = run.manifest.comparable.counts;
        Self {
            headline,
            rest,
            totals: vec![
                ("recordings", counts.recordings),
                ("lines", counts.lines),
                ("exchanges", counts.exchanges),
                ("other_traffic", counts.other_traffic),
                ("unreadable", counts.unreadable),
                ("unreadable_files", run.summary.unreadable_files.values().sum()),
                ("issues", counts.issues),
                ("sessions", run.summary.sessions.total),
            ],
            outcomes: outcomes(&run.summary),
            classes: classes(&run, against.as_ref()),
            classified: run.summary.classified(),
            answers: answers(&run),
            error_kinds: error_kinds(&run),
            servers: servers(&run, &showing),
            tools: tools(&run, &showing),
            issue_types: issue_types(&run, against.as_ref(), &showing),
            types_gone: against.as_ref().map_or(0, |against| {
                let now = &run.issue_types.0;
                against.known.iter().filter(|name| !now.contains_key(*name)).count() as u64
            }),
            alarms: trends.iter().flat_map(alarms).collect(),
            trends,
            explain: explain.map(|part| showing.masked(&part)),
            run,
            showing,
            against,
            truth,
        }
    }

    /// Exchanges by what became of them, where they were compared one by one.
    pub(super) fn kinds(&self) -> Vec<Row> {
        let Some(comparison) = self.against.as_ref().and_then(Against::each) else {
            return Vec::new();
        };
        let out_of = comparison.kinds.values().sum();
        let kinds = Kind::ALL.iter();
        kinds.map(|kind| row(kind.name(), comparison.kind(*kind), out_of)).collect()
    }

    /// How much of something was read.
    pub(super) fn total(&self, name: &str) -> u64 {
        self.totals.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
    }
}

fn row(name: &str, count: u64, out_of: u64) -> Row {
    Row { name: name.to_owned(), count, out_of, ..Row::default() }
}

fn outcomes(summary: &Summary) -> Vec<Row> {
    let known = summary.known_calls();
    let outcomes = Outcome::ALL.into_iter().rev();
    let shown = outcomes.filter(|outcome| outcome.tells() || summary.calls(*outcome) > 0);
    let row = |outcome: Outcome| {
        row(outcome.name(), summary.calls(outcome), if outcome.tells() { known } else { 0 })
    };
    shown.map(row).collect()
}

fn classes(run: &RunRead, against: Option<&Against>) -> Vec<Row> {
    let counts = run.cells.classes();
    let total = counts.iter().map(|(_, count)| count).sum();
    let before = against.map(|against| {
        let total: u64 = against.classes.values().sum();
        move |name: &str| Share { hits: against.of_class(name), of: total }.value()
    });
    let row = |(class, count): (Classification, u64)| Row {
        before: before.as_ref().and_then(|before| before(class.name())),
        ..row(class.name(), count, total)
    };
    counts.into_iter().map(row).collect()
}

fn answers(run: &RunRead) -> Vec<Row> {
    let counts = run.cells.answers();
    let asked = &Answer::LISTED[1..];
    let of = |answer: &Answer| counts.get(answer).copied().unwrap_or(0);
    let total = asked.iter().map(of).sum();
    asked.iter().map(|answer| row(answer.name(), of(answer), total)).collect()
}

fn error_kinds(run: &RunRead) -> Vec<Row> {
    let counts = run.cells.error_kinds();
    let total = counts.iter().map(|(_, count)| count).sum();
    counts.iter().map(|(kind, count)| row(kind, *count, total)).collect()
}

fn servers(run: &RunRead, showing: &Showing) -> Vec<Row> {
    let cells = &run.cells;
    let servers = cells.servers().into_iter();
    servers
        .map(|(server, Trouble { trouble, exchanges })| Row {
            server: showing.name(cells.name_of(server)).as_ref().to_owned(),
            took: took(run, (server, 0)..=(server, u32::MAX)),
            ..row("", trouble, exchanges)
        })
        .collect()
}

fn tools(run: &RunRead, showing: &Showing) -> Vec<Row> {
    let cells = &run.cells;
    let tools = cells.tools().into_iter();
    // Documents call no tool.
    let documents = ExchangeKind::ALL.into_iter().filter(|kind| *kind != ExchangeKind::ToolCall);
    let documents: Vec<_> = documents.map(|kind| called("", kind)).collect();
    tools
        .filter(|((_, tool), _)| !documents.iter().any(|it| it == cells.name_of(*tool)))
        .map(|((server, tool), Trouble { trouble, exchanges })| {
            let name = |name: u32| showing.name(cells.name_of(name)).as_ref().to_owned();
            let took = took(run, (server, tool)..=(server, tool));
            Row { server: name(server), tool: name(tool), took, ..row("", trouble, exchanges) }
        })
        .collect()
}

/// How long the calls of some servers and tools took.
fn took(run: &RunRead, tools: RangeInclusive<(u32, u32)>) -> Option<Took> {
    let mut durations = Durations::default();
    for (_, of) in run.durations.range(tools) {
        durations.merge(of);
    }
    durations.took()
}

/// Types of issue in the order of every list of them: the worst severity first, then the most.
pub(super) fn issue_types_worst_first(types: &IssueTypes) -> Vec<(&(String, String), &IssueTally)> {
    let mut types: Vec<_> = types.0.iter().collect();
    types.sort_by_key(|(name, tally)| {
        (severity_place(&name.0), std::cmp::Reverse(tally.count), *name)
    });
    types
}

fn issue_types(run: &RunRead, against: Option<&Against>, showing: &Showing) -> Vec<IssueTypeRow> {
    let now = &run.issue_types.0;
    let earlier = against.map(|against| &against.known);
    let out_of = now.values().map(|tally| tally.count).sum();
    issue_types_worst_first(&run.issue_types)
        .into_iter()
        .map(|(name, tally)| IssueTypeRow {
            severity: showing.name(&name.0).as_ref().to_owned(),
            kind: showing.name(&name.1).as_ref().to_owned(),
            count: tally.count,
            out_of,
            servers: tally.servers,
            is_new: earlier.map(|known| !known.contains(name)),
        })
        .collect()
}

fn mask_trend(trend: &mut Trend, showing: &Showing) {
    let name = |text: &mut String| *text = String::from(showing.name(text).as_ref());
    for series in &mut trend.series {
        name(&mut series.name);
        series.changes.iter_mut().flat_map(|it| &mut it.servers).for_each(|it| name(&mut it.name));
    }
    for presence in &mut trend.presences {
        match presence {
            Presence::New { name: what, .. }
            | Presence::Vanished { name: what, .. }
            | Presence::Returned { name: what, .. } => name(what),
        }
    }
    for mark in trend.nights.iter_mut().flat_map(|night| &mut night.marks) {
        if let Mark::Mix { appeared, vanished, .. } = mark {
            appeared.iter_mut().chain(vanished).for_each(name);
        }
    }
    for note in &mut trend.notes {
        *note = String::from(showing.words(note).as_ref());
    }
}

fn alarms(trend: &Trend) -> Vec<Alarm> {
    let alarm = |series: &Series| {
        let change = series.changes.last().filter(|change| change.is_open())?;
        Some(Alarm {
            by: trend.by.clone(),
            since: change.began.to_string(),
            before: change.before,
            after: change.after,
            worse: change.worse,
            sentence: change_sentence(trend, series, change),
            series: series.name.clone(),
        })
    };
    trend.series.iter().filter_map(alarm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_issue_have_one_order() {
        let counts = [
            ("info", "often", 900),
            ("warning", "some", 5),
            ("error", "b", 2),
            ("error", "a", 2),
            ("error", "most", 3),
        ];
        let types = counts.map(|(severity, kind, count)| {
            ((severity.to_owned(), kind.to_owned()), IssueTally { count, servers: 1 })
        });
        let types = IssueTypes(types.into_iter().collect());
        let order: Vec<&str> = issue_types_worst_first(&types)
            .into_iter()
            .map(|((_, kind), _)| kind.as_str())
            .collect();
        assert_eq!(order, ["most", "a", "b", "some", "often"]);
    }
}
