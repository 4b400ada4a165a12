//! From a run's cube to the tables `counts`, `rates`, `issue_types` and `tools`.

use super::csv::Cell;
use super::error::ReportError;
use super::files::TableFile;
use super::folder::RunFolder;
use super::legend::Legend;
use super::manifest::{IssueLine, Summary, ToolLine};
use super::table::{Table, TableFormat};
use crate::count::tally::wilson;
use crate::count::{Counted, Counts, Cube, Group, Unlisted, ValueNames, rows, write_cube};
use crate::recording::ReplyKind;
use crate::verdict::{Classification, IssueType, SchemaOutcome, Severity};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What the rulebook says about tools.
pub struct ToolRules<'a> {
    /// Its names and weights.
    pub legend: &'a Legend,
    /// Its status rule: from exchanges per class and the number of answered ones to a status.
    pub status: &'a dyn Fn([u64; 5], u64) -> Classification,
}

/// How many tools a summary names.
const TOP: usize = 10;

/// Writes the tables and sums the cube up. What a cube does not know (how much was read, traffic,
/// formats, rejects) is left empty in the summary.
pub fn write_counts(
    folder: &RunFolder,
    cube: Cube,
    rules: &ToolRules<'_>,
) -> Result<Summary, ReportError> {
    let total = cube.total();
    let mut summary = Summary {
        overall_confidence: cube.overall_confidence(&rules.legend.overall),
        classes: total.per_class().map(|(class, count)| (class.name().to_owned(), count)).into(),
        replies: per_reply(total).map(|(kind, count)| (kind.name().to_owned(), count)).into(),
        business_logic: total.get(Counted::BusinessLogic),
        tool_failure: total.get(Counted::ToolFailure),
        hidden_failure: total.get(Counted::HiddenFailure),
        blocking_issues: total.issues(Severity::Error),
        security_issues: security_issues(total),
        ..Summary::default()
    };
    summary.counted_as_other = cube.others();
    let total = total.clone();
    let (groups, unlisted) = cube.into_groups();
    summary.top_issues = top_issues(&total, &unlisted);
    let signals: Vec<String> = rules.legend.facts.iter().map(|fact| fact.name.clone()).collect();
    let names = ValueNames {
        error_kinds: &rules.legend.error_kinds,
        signals: &signals,
        unlisted: &unlisted,
    };
    let file = folder.file(&Table::Counts.file_name(TableFormat::Parquet))?;
    write_cube(file, &[], rows(&groups, names), Vec::new())?;
    write_groups(folder, &groups, &unlisted)?;
    write_tools(folder, &groups, rules, &mut summary)?;
    Ok(summary)
}

fn security_issues(total: &Counts) -> u64 {
    let kinds = IssueType::ALL.iter().filter(|kind| kind.is_about_security());
    kinds
        .flat_map(|kind| Severity::ALL.map(|severity| Counted::Issues(severity, (*kind).into())))
        .map(|counted| total.get(counted))
        .sum()
}

/// The most common types of issue; among equals the worse, then the first by name.
fn top_issues(total: &Counts, unlisted: &Unlisted) -> Vec<IssueLine> {
    let codes = total.issue_codes();
    let mut lines: Vec<(Severity, IssueLine)> = codes
        .map(|(severity, kind)| {
            let line = IssueLine {
                severity: severity.name().to_owned(),
                kind: unlisted.name(kind).to_owned(),
                count: total.get(Counted::Issues(severity, kind)),
            };
            (severity, line)
        })
        .collect();
    lines.sort_by(|(severity, one), (other_severity, other)| {
        let by_count = other.count.cmp(&one.count);
        by_count.then(severity.cmp(other_severity)).then_with(|| one.kind.cmp(&other.kind))
    });
    lines.into_iter().map(|(_, line)| line).take(TOP).collect()
}

fn per_reply(counts: &Counts) -> [(ReplyKind, u64); 5] {
    ReplyKind::ALL.map(|kind| (kind, counts.get(Counted::Reply(kind))))
}

/// Groups come sorted by day, server, tool and scenario, so the groups that `issue_types` counts
/// together follow each other.
fn write_groups(
    folder: &RunFolder,
    groups: &[(Group, Counts)],
    unlisted: &Unlisted,
) -> Result<(), ReportError> {
    let mut rates = TableFile::create(folder, Table::Rates)?;
    let mut issue_types = TableFile::create(folder, Table::IssueTypes)?;
    for (group, counts) in groups {
        push_rates(&mut rates, group, counts)?;
    }
    for together in groups.chunk_by(|(one, _), (other, _)| is_same_tool(one, other)) {
        let mut sum = Counts::default();
        for (_, counts) in together {
            sum.merge(counts);
        }
        push_issue_types(&mut issue_types, &together[0].0, &sum, unlisted)?;
    }
    rates.finish()?;
    issue_types.finish()
}

fn is_same_tool(one: &Group, other: &Group) -> bool {
    (&one.day, &one.server, &one.tool) == (&other.day, &other.server, &other.tool)
}

fn push_rates(rates: &mut TableFile, group: &Group, counts: &Counts) -> Result<(), ReportError> {
    let total = counts.exchanges();
    for (class, count) in counts.per_class().into_iter().filter(|(_, count)| *count > 0) {
        let interval = wilson(count, total);
        rates.push(&[
            group.day.as_str().into(),
            group.server.as_str().into(),
            group.tool.as_str().into(),
            group.scenario.as_deref().into(),
            class.name().into(),
            count.into(),
            share(count, total).into(),
            interval.low.into(),
            interval.high.into(),
        ])?;
    }
    Ok(())
}

fn push_issue_types(
    table: &mut TableFile,
    group: &Group,
    counts: &Counts,
    unlisted: &Unlisted,
) -> Result<(), ReportError> {
    let total = counts.exchanges();
    for (severity, kind) in counts.issue_codes() {
        let exchanges = counts.get(Counted::ExchangesWith(severity, kind));
        table.push(&[
            group.day.as_str().into(),
            group.server.as_str().into(),
            group.tool.as_str().into(),
            severity.name().into(),
            unlisted.name(kind).into(),
            counts.get(Counted::Issues(severity, kind)).into(),
            share(exchanges, total).into(),
        ])?;
    }
    Ok(())
}

fn share(count: u64, total: u64) -> f64 {
    // Issues of sessions may stand where there is no exchange.
    if total == 0 { 0.0 } else { count as f64 / total as f64 }
}

fn write_tools(
    folder: &RunFolder,
    groups: &[(Group, Counts)],
    rules: &ToolRules<'_>,
    summary: &mut Summary,
) -> Result<(), ReportError> {
    let mut table = TableFile::create(folder, Table::Tools)?;
    // The most called first; among equals the first by name.
    let mut top: BTreeSet<(Reverse<u64>, ToolKey)> = BTreeSet::new();
    let mut tools = BTreeMap::<(&str, &str), Counts>::new();
    for (group, counts) in groups {
        tools.entry((&group.server, &group.tool)).or_default().merge(counts);
    }
    for ((server, tool), counts) in tools {
        let line = tool_line(server, tool, &counts, rules);
        push_tool(&mut table, &line, &counts, rules.legend)?;
        summary.tools += 1;
        // Documents call no tool.
        if line.tool.is_empty() {
            continue;
        }
        top.insert((Reverse(line.calls), ToolKey(line)));
        if top.len() > TOP {
            top.pop_last();
        }
    }
    summary.top_tools = top.into_iter().map(|(_, ToolKey(line))| line).collect();
    table.finish()
}

/// Sorts tools by server and name.
struct ToolKey(ToolLine);

impl ToolKey {
    fn key(&self) -> (&str, &str) {
        (&self.0.server, &self.0.tool)
    }
}

impl PartialEq for ToolKey {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ToolKey {}

impl PartialOrd for ToolKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ToolKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

fn tool_line(server: &str, tool: &str, counts: &Counts, rules: &ToolRules<'_>) -> ToolLine {
    let calls = counts.exchanges();
    let answered = calls - counts.get(Counted::Reply(ReplyKind::NoReply));
    let status = (rules.status)(counts.per_class().map(|(_, count)| count), answered);
    ToolLine {
        server: server.to_owned(),
        tool: tool.to_owned(),
        status: status.name().to_owned(),
        overall_confidence: counts.confidences().average(calls, &rules.legend.overall),
        calls,
    }
}

fn push_tool(
    table: &mut TableFile,
    line: &ToolLine,
    counts: &Counts,
    legend: &Legend,
) -> Result<(), ReportError> {
    let kinds = error_kinds(counts, &legend.error_kinds);
    let mut row: Vec<Cell<'_>> = vec![
        line.server.as_str().into(),
        line.tool.as_str().into(),
        line.status.as_str().into(),
        line.overall_confidence.into(),
        line.calls.into(),
    ];
    row.extend(counts.per_class().map(|(_, count)| Cell::from(count)));
    row.extend(per_reply(counts).map(|(_, count)| Cell::from(count)));
    let judged = [Counted::BusinessLogic, Counted::ToolFailure, Counted::HiddenFailure];
    row.extend(judged.map(|what| Cell::from(counts.get(what))));
    row.push(kinds.as_deref().into());
    let schema = |outcome| counts.get(Counted::Schema(outcome));
    row.push((schema(SchemaOutcome::Invalid) + schema(SchemaOutcome::NoJson)).into());
    row.push(schema(SchemaOutcome::Uncompilable).into());
    table.push(&row)
}

/// The kinds that occurred, in the rulebook's order, as `kind=count` joined by `; `.
fn error_kinds(counts: &Counts, names: &[String]) -> Option<String> {
    let mut text = String::new();
    for (kind, name) in (0..).zip(names) {
        let count = counts.get(Counted::ErrorKind(kind));
        if count > 0 {
            let joint = if text.is_empty() { "" } else { "; " };
            let _ = write!(text, "{joint}{name}={count}");
        }
    }
    (!text.is_empty()).then_some(text)
}
