//! A run as ordered lists of numbers, from which every format is written.

use super::earlier::Against;
use super::read::{IssueTypes, RunRead};
use super::sample::called;
use super::shown::Showing;
use super::{PageContext, TruthShown};
use crate::count::tally::Share;
use crate::recording::ExchangeKind;
use crate::redact::Quotations;
use crate::store::Summary;
use crate::trend::Trend;
use crate::trend::show::change_sentence;
use crate::verdict::{Answer, Classification, Outcome, Severity, Who, counted, grouped};
use serde::{Serialize, Serializer};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What there is to show. In all but the run itself secrets are masked, and nothing steers.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) run: RunRead,
    pub(super) showing: Showing,
    pub(super) against: Option<Against>,
    pub(super) truth: Option<TruthShown>,
    /// What stands before and after an exchange's key in the command that explains it.
    pub(super) explain: [String; 2],
    /// What many nights say.
    pub(super) trends: Vec<Trend>,
    pub(super) lists: Lists,
    pub(super) types_gone: usize,
}

/// So many rows of a list are in JSON.
pub(super) const MOST: usize = 20_000;

#[derive(Debug, Serialize)]
pub(super) struct Lists {
    /// What became of the calls, in a sentence that may stand alone.
    pub(super) headline: String,
    pub(super) sentences: Vec<String>,
    /// How much was read, by name.
    #[serde(serialize_with = "as_object")]
    pub(super) totals: [(&'static str, u64); 8],
    /// Calls by outcome, best first. Outcomes that enter no share are of none.
    pub(super) outcomes: Vec<Row>,
    /// Exchanges by class, best first.
    pub(super) classes: Vec<Row>,
    /// Failures by what they are.
    pub(super) answers: Vec<Row>,
    /// Calls that did not work by who must act.
    pub(super) who: Vec<Row>,
    /// The same by their kind, most first.
    #[serde(serialize_with = "few")]
    pub(super) error_kinds: Vec<Row>,
    /// Exchanges in trouble by server and by tool, the worst first.
    #[serde(serialize_with = "few")]
    pub(super) servers: Vec<Row>,
    #[serde(serialize_with = "few")]
    pub(super) tools: Vec<Row>,
    /// Worst severity first, then the most.
    #[serde(serialize_with = "few")]
    pub(super) issue_types: Vec<IssueType>,
    #[serde(serialize_with = "few")]
    pub(super) alarms: Vec<Alarm>,
}

fn few<T: Serialize, S: Serializer>(all: &[T], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().take(MOST))
}

pub(super) fn as_object<S: Serializer>(
    all: &[(&'static str, u64)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(all.iter().copied())
}

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Row {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) server: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) tool: String,
    pub(super) count: u64,
    pub(super) out_of: u64,
    pub(super) share: Option<f64>,
    /// The ends of its 95 % interval.
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    /// The share that it was in what the run is held against, where that is known.
    #[serde(skip)]
    pub(super) before: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct IssueType {
    pub(super) severity: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) count: u64,
    /// All issues of the run.
    pub(super) out_of: u64,
    pub(super) servers: usize,
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
    since: String,
    before: f64,
    after: f64,
    pub(super) worse: Option<bool>,
    pub(super) sentence: String,
}

impl Page {
    pub(super) fn of(run: RunRead, beside: PageContext) -> Self {
        let PageContext { mut against, truth, mut trends, explain, redactor, texts_again: _ } =
            beside;
        let showing = Showing::new(redactor, Quotations::of(&run.rulebook));
        if let Some(against) = &mut against {
            against.mask(&showing);
        }
        for trend in &mut trends {
            mask_trend(trend, &showing);
        }
        let known = against.as_ref().map(|against| &against.known);
        let is_gone = |name: &&(String, String)| !run.issue_types.contains_key(*name);
        Self {
            lists: Lists::of(&run, against.as_ref(), &trends, &showing),
            types_gone: known.map_or(0, |known| known.iter().filter(is_gone).count()),
            trends,
            explain: explain.map(|part| showing.masked(&part)),
            run,
            showing,
            against,
            truth,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.run.manifest.comparable.counts.exchanges == 0
    }
}

impl Lists {
    fn of(run: &RunRead, against: Option<&Against>, trends: &[Trend], showing: &Showing) -> Self {
        let RunRead { manifest, summary, cells, .. } = run;
        let counts = manifest.comparable.counts;
        let name = |name: &str| showing.name(name).to_string();
        let known = summary.known_calls();
        let outcomes = Outcome::ALL.into_iter().rev();
        let outcomes = outcomes.filter(|it| it.tells() || summary.calls(*it) > 0);
        let earlier = |outcome: Outcome| {
            let outcomes = against.map(|against| &against.outcomes);
            outcomes.and_then(|them| them.get(outcome.name())).copied().unwrap_or(0)
        };
        let telling = Outcome::ALL.into_iter().filter(|outcome| outcome.tells());
        let known_before = telling.map(earlier).sum();
        let outcome = |outcome: Outcome| {
            let (known, of) = if outcome.tells() { (known, known_before) } else { (0, 0) };
            let before = Share { hits: earlier(outcome), of }.value();
            Row { before, ..Row::of(outcome.name(), summary.calls(outcome), known) }
        };
        let classes = cells.by(|filters| Some(filters.judgement.class));
        let class = |class: Classification| {
            let count = classes.get(&class).copied().unwrap_or(0);
            Row::of(class.name(), count, classes.values().sum())
        };
        let answers = cells.by(|filters| Some(filters.judgement.answer));
        let answer = |answer: &Answer| answers.get(answer).copied().unwrap_or(0);
        let asked = &Answer::LISTED[1..];
        let failures = asked.iter().map(answer).sum();
        let kinds = cells.by(|filters| filters.kind.as_deref());
        let errors = kinds.values().sum();
        let acts = cells.by(|filters| filters.who);
        let mut error_kinds: Vec<Row> =
            kinds.iter().map(|(kind, count)| Row::of(kind, *count, errors)).collect();
        error_kinds.sort_by_key(|row| Reverse(row.count));
        let worst = |by_tool| {
            // Documents call no tool.
            let documents =
                ExchangeKind::ALL.into_iter().filter(|it| *it != ExchangeKind::ToolCall);
            let documents: Vec<_> = documents.map(|kind| called("", kind)).collect();
            let worst = cells.worst_first(by_tool).into_iter();
            let worst = worst.filter(move |([_, tool], _)| !documents.iter().any(|it| it == tool));
            let row = |([server, tool], share): ([&str; 2], Share)| Row {
                server: name(server),
                tool: if by_tool { name(tool) } else { String::new() },
                ..Row::of("", share.hits, share.of)
            };
            worst.map(row).collect()
        };
        let (headline, sentences) = sentences(summary);
        Self {
            headline,
            sentences,
            totals: [
                ("recordings", counts.recordings),
                ("lines", counts.lines),
                ("exchanges", counts.exchanges),
                ("other_traffic", counts.other_traffic),
                ("unreadable", counts.unreadable),
                ("unreadable_files", summary.unreadable_files.values().sum()),
                ("issues", counts.issues),
                ("sessions", summary.sessions.total),
            ],
            outcomes: outcomes.map(outcome).collect(),
            classes: Classification::ALL.map(class).into(),
            answers: asked.iter().map(|it| Row::of(it.name(), answer(it), failures)).collect(),
            who: Who::ALL
                .map(|who| Row::of(who.name(), acts.get(&who).copied().unwrap_or(0), errors))
                .into(),
            error_kinds,
            servers: worst(false),
            tools: worst(true),
            issue_types: issue_types(&run.issue_types, against, name),
            alarms: trends.iter().flat_map(alarms).collect(),
        }
    }
}

impl Row {
    pub(super) fn of(name: &str, count: u64, out_of: u64) -> Self {
        let share = Share { hits: count, of: out_of };
        let interval = share.value().map(|_| share.interval());
        Self {
            name: name.to_owned(),
            count,
            out_of,
            share: share.value(),
            low: interval.map(|it| it.low),
            high: interval.map(|it| it.high),
            ..Self::default()
        }
    }
}

/// What became of the calls in one sentence, and what else is worth knowing.
fn sentences(summary: &Summary) -> (String, Vec<String>) {
    let known = Outcome::ALL.into_iter().filter(|outcome| summary.calls(*outcome) > 0);
    let mut known: Vec<Outcome> = known.collect();
    known.sort_by_key(|outcome| (!outcome.is_bad(), !outcome.tells()));
    let words =
        |it: &Outcome| format!("{} {}", grouped(summary.calls(*it)), it.name().replace('_', " "));
    let parts: Vec<String> = known.iter().map(words).collect();
    let (calls, documents) = (
        known.iter().map(|outcome| summary.calls(*outcome)).sum(),
        (summary.documents(Outcome::Invalid), summary.all_documents()),
    );
    let mut all = Vec::new();
    if calls > 0 {
        all.push(format!("Of {}, {}.", counted(calls, "call"), parts.join(", ")));
    }
    if let (invalid, documents @ 1..) = documents {
        all.push(format!("{} of {} invalid.", grouped(invalid), counted(documents, "document")));
    }
    if all.is_empty() {
        all.push("No calls were found.".to_owned());
    }
    if summary.calls_with_errors > 0 {
        let calls = counted(summary.calls_with_errors, "call");
        all.push(format!("Checks found errors in {calls} that did not fail."));
    }
    let mine = summary.who_must_act().into_iter().filter(|(who, ..)| *who == Who::Operator);
    all.extend(mine.map(|(_, calls, kinds)| format!("{} yours to mend: {kinds}.", grouped(calls))));
    all.extend(summary.without_flag().map(|words| format!("{words}.")));
    let rest = all.split_off(1);
    (all.concat(), rest)
}

fn issue_types(
    types: &IssueTypes,
    against: Option<&Against>,
    name: impl Fn(&str) -> String,
) -> Vec<IssueType> {
    let out_of = types.values().map(|(count, _)| count).sum();
    let mut rows: Vec<_> = types.iter().collect();
    // The worst first.
    let place = |name: &str| Severity::ALL.iter().position(|severity| severity.name() == name);
    rows.sort_by_key(|(kind, (count, _))| {
        (place(&kind.0).unwrap_or(usize::MAX), Reverse(*count), *kind)
    });
    let row = |(kind, (count, servers)): (&(String, String), &(u64, BTreeSet<String>))| IssueType {
        severity: name(&kind.0),
        kind: name(&kind.1),
        count: *count,
        out_of,
        servers: servers.len(),
        is_new: against.map(|against| !against.known.contains(kind)),
    };
    rows.into_iter().map(row).collect()
}

fn mask_trend(trend: &mut Trend, showing: &Showing) {
    let name = |text: &mut String| *text = showing.name(text).to_string();
    for series in &mut trend.series {
        name(&mut series.name);
        series.changes.iter_mut().flat_map(|it| &mut it.servers).for_each(|it| name(&mut it.name));
    }
    trend.presences.iter_mut().for_each(|presence| name(&mut presence.name));
    for note in &mut trend.notes {
        *note = showing.words(note).to_string();
    }
}

fn alarms(trend: &Trend) -> impl Iterator<Item = Alarm> {
    trend.series.iter().filter_map(|series| {
        let change = series.changes.last().filter(|change| change.is_open())?;
        Some(Alarm {
            by: trend.by.name().to_owned(),
            since: change.from.to_string(),
            before: change.before,
            after: change.after,
            worse: change.worse,
            sentence: change_sentence(trend, series, change),
            series: series.name.clone(),
        })
    })
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
            ((severity.to_owned(), kind.to_owned()), (count, ["s".to_owned()].into()))
        });
        let types = issue_types(&types.into(), None, str::to_owned);
        let order: Vec<&str> = types.iter().map(|issue| issue.kind.as_str()).collect();
        assert_eq!(order, ["most", "a", "b", "some", "often"]);
    }
}
