//! From a run's cube to the tables `counts`, `rates`, `issue_types` and `tools`.

use super::csv::Cell;
use super::cube::write_cube;
use super::files::TableFile;
use super::folder::{FolderError, ReportError, RunFolder};
use super::manifest::{IssueLine, KindLine, Summary, ToolLine};
use super::named::Legend;
use super::specs::{ISSUE_TYPES, RATES, TOOLS};
use super::table::{Table, TableFormat};
use crate::count::{Counted, CountedGroups, Counts, Cube, Group, List, Unlisted, ValueNames};
use crate::recording::ReplyKind;
use crate::verdict::{Classification, IssueOrigin, Outcome, SchemaOutcome, Severity};
use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub struct ToolRules<'a> {
    pub legend: &'a Legend,
    /// Its status rule: from exchanges per class and the number of answered ones to a status.
    pub status: &'a (dyn Fn([u64; 5], u64) -> Classification + Sync),
}

/// How many tools a summary names.
const TOP: usize = 10;

/// Writes the tables and sums the cube up; returns the counts with the sums. What a cube does not know (how much was read, traffic,
/// formats, unreadable) is left empty in the summary.
pub fn write_counts(
    folder: &RunFolder,
    cube: Cube,
    rules: &ToolRules<'_>,
) -> Result<(Summary, CountedGroups), ReportError> {
    let mut summary = Summary::default();
    summary.counts.counted_as_other = cube.others();
    let (groups, unlisted) = cube.into_groups();
    summary.other_scenarios = other_scenarios(&groups);
    let names = ValueNames {
        error_kinds: &rules.legend.error_kinds,
        signals: &rules.legend.signals,
        unlisted: &unlisted,
    };
    let counts = CountedGroups::new(groups, names);
    let write_counts = || -> Result<(), ReportError> {
        let name = Table::Counts.file_name(TableFormat::Parquet);
        let written = write_cube(folder.file(&name)?, &[], counts.counts(), Vec::new());
        Ok(written.map_err(|source| FolderError::io(&folder.path(&name), source))?)
    };
    // About as much work on both sides.
    let (written, tools) = rayon::join(write_counts, || {
        write_rates(folder, counts.groups())?;
        write_issue_types(folder, counts.groups(), &unlisted)
    });
    written?;
    let tools = tools?;
    let total = write_tools(folder, &tools, rules, &mut summary)?;
    let summary = Summary {
        overall_confidence: total.confidences().average(total.exchanges(), &rules.legend.overall),
        classes: total.per_class().map(|(class, count)| (class.name().to_owned(), count)).into(),
        replies: ReplyKind::ALL
            .map(|kind| (kind.name().to_owned(), total.get(Counted::Reply(kind))))
            .into(),
        business_logic: total.get(Counted::BusinessLogic),
        tool_failure: total.get(Counted::ToolFailure),
        hidden_failure: total.get(Counted::HiddenFailure),
        hidden_refusal: total.get(Counted::HiddenRefusal),
        kinds: kinds(&total, rules.legend),
        lists: List::ALL.map(|it| (it.name().to_owned(), total.get(Counted::List(it)))).into(),
        blocking_issues: total.issues(Severity::Error),
        security_issues: security_issues(&total),
        issues: Severity::ALL.map(|it| (it.name().to_owned(), total.issues(it))).into(),
        top_issues: top_issues(&total, &unlisted),
        ..summary
    };
    Ok((summary, counts))
}

/// What a call was meant to show; own categories are counted, too.
const SCENARIOS: [&str; 4] = ["happy_path", "edge_case", "boundary", "error_case"];

fn other_scenarios(groups: &[(Group, Counts)]) -> BTreeMap<String, u64> {
    let mut others = BTreeMap::new();
    for (group, counts) in groups {
        if let Some(name) = group.scenario.as_deref().filter(|name| !SCENARIOS.contains(name)) {
            *others.entry(name.to_owned()).or_default() += counts.exchanges();
        }
    }
    others
}

fn security_issues(total: &Counts) -> u64 {
    let codes = total.issue_codes().filter(|(_, code)| code.is_about_security());
    codes.map(|(severity, code)| total.get(Counted::Issues(severity, code))).sum()
}

fn kinds(total: &Counts, legend: &Legend) -> Vec<KindLine> {
    let lines = (0..).zip(&legend.error_kinds).map(|(at, (kind, who))| KindLine {
        kind: kind.clone(),
        who: *who,
        count: total.get(Counted::ErrorKind(at)),
    });
    lines.filter(|line| line.count > 0).collect()
}

/// The most common types of issue; among equals the worse, then the first by name.
fn top_issues(total: &Counts, unlisted: &Unlisted) -> Vec<IssueLine> {
    let codes = total.issue_codes();
    let mut lines: Vec<(Severity, IssueLine)> = codes
        .map(|(severity, kind)| {
            let line = IssueLine {
                severity: severity.name().to_owned(),
                kind: unlisted.name(kind).to_owned(),
                origin: kind.origin().name().to_owned(),
                count: total.get(Counted::Issues(severity, kind)),
            };
            (severity, line)
        })
        .collect();
    lines.sort_by(|(severity, one), (other_severity, other)| {
        let by_count = other.count.cmp(&one.count);
        by_count
            .then(severity.cmp(other_severity))
            .then_with(|| (&one.kind, &other.origin).cmp(&(&other.kind, &one.origin)))
    });
    lines.into_iter().map(|(_, line)| line).take(TOP).collect()
}

/// A row of the table `rates`.
pub(super) struct Rate<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) scenario: Option<&'a str>,
    pub(super) class: Classification,
    pub(super) count: u64,
    pub(super) of: u64,
}

/// A row of the table `issue_types`.
pub(super) struct TypeCount<'a> {
    pub(super) group: &'a Group,
    pub(super) severity: Severity,
    pub(super) kind: &'a str,
    pub(super) origin: IssueOrigin,
    pub(super) issues: u64,
    /// The exchanges that have one, of so many.
    pub(super) exchanges: u64,
    pub(super) of: u64,
}

/// A row of the table `tools`.
pub(super) struct Tool<'a> {
    pub(super) line: &'a ToolLine,
    pub(super) counts: &'a Counts,
    legend: &'a Legend,
}

impl Tool<'_> {
    pub(super) fn of(&self, counted: Counted) -> Cell<'_> {
        self.counts.get(counted).into()
    }

    pub(super) fn schemas<const N: usize>(&self, outcomes: [SchemaOutcome; N]) -> Cell<'_> {
        let counts = outcomes.map(|outcome| self.counts.get(Counted::Schema(outcome)));
        counts.iter().sum::<u64>().into()
    }

    /// The kinds that occurred, in the rulebook's order, as `kind=count` joined by `; `.
    pub(super) fn error_kinds(&self) -> Option<String> {
        let kinds = (0..).zip(&self.legend.error_kinds);
        let counts =
            kinds.map(|(kind, (name, _))| (name, self.counts.get(Counted::ErrorKind(kind))));
        let counts = counts.filter(|(_, count)| *count > 0);
        let texts: Vec<String> = counts.map(|(name, count)| format!("{name}={count}")).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

fn write_rates(folder: &RunFolder, groups: &[(Group, Counts)]) -> Result<(), ReportError> {
    let mut rates = TableFile::create(folder, Table::Rates)?;
    // Groups of one day come sorted, and are left so.
    let mut of_all_days = IndexMap::<_, [u64; 5], DefaultHashBuilder>::default();
    for (Group { server, tool, scenario, day: _ }, counts) in groups {
        let sums = of_all_days.entry((&**server, &**tool, scenario.as_deref())).or_default();
        sums.iter_mut().zip(counts.per_class()).for_each(|(sum, (_, count))| *sum += count);
    }
    of_all_days.sort_unstable_keys();
    for ((server, tool, scenario), counts) in of_all_days {
        let of = counts.iter().sum();
        let counts = Classification::ALL.into_iter().zip(counts);
        for (class, count) in counts.filter(|(_, count)| *count > 0) {
            let row = Rate { server, tool, scenario, class, count, of };
            rates.push_row(RATES.iter().map(|(_, cell)| cell(&row)))?;
        }
    }
    rates.finish()
}

/// Groups come sorted by day, server, tool and scenario, so the groups that `issue_types` counts
/// together follow each other. Returns the counts of each server's tools.
fn write_issue_types<'g>(
    folder: &RunFolder,
    groups: &'g [(Group, Counts)],
    unlisted: &Unlisted,
) -> Result<BTreeMap<(&'g str, &'g str), Counts>, ReportError> {
    let mut issue_types = TableFile::create(folder, Table::IssueTypes)?;
    let mut tools = BTreeMap::<(&str, &str), Counts>::new();
    for together in groups.chunk_by(|(one, _), (other, _)| is_same_tool(one, other)) {
        let mut counts = Cow::Borrowed(&together[0].1);
        for (_, of_scenario) in &together[1..] {
            counts.to_mut().merge(of_scenario);
        }
        let group = &together[0].0;
        for (severity, code) in counts.issue_codes() {
            let row = TypeCount {
                group,
                severity,
                kind: unlisted.name(code),
                origin: code.origin(),
                issues: counts.get(Counted::Issues(severity, code)),
                exchanges: counts.get(Counted::ExchangesWith(severity, code)),
                of: counts.exchanges(),
            };
            issue_types.push_row(ISSUE_TYPES.iter().map(|(_, cell)| cell(&row)))?;
        }
        tools.entry((&group.server, &group.tool)).or_default().merge(&counts);
    }
    issue_types.finish()?;
    Ok(tools)
}

fn is_same_tool(one: &Group, other: &Group) -> bool {
    // Each name is in memory once.
    let names = |it: &Group| [&it.day, &it.server, &it.tool].map(|name| name.as_ptr());
    names(one) == names(other)
}

fn write_tools(
    folder: &RunFolder,
    tools: &BTreeMap<(&str, &str), Counts>,
    rules: &ToolRules<'_>,
    summary: &mut Summary,
) -> Result<Counts, ReportError> {
    let mut table = TableFile::create(folder, Table::Tools)?;
    let mut total = Counts::default();
    for ((server, tool), counts) in tools {
        total.merge(counts);
        let line = tool_line(server, tool, counts, rules);
        let row = Tool { line: &line, counts, legend: rules.legend };
        table.push_row(TOOLS.iter().map(|(_, cell)| cell(&row)))?;
        // Documents call no tool; a call that names none stays in the list.
        if line.tool.is_empty() && counts.get(Counted::Reply(ReplyKind::Document)) > 0 {
            continue;
        }
        summary.tools += 1;
        if line.bad() > 0 {
            keep(&mut summary.worst_tools, &line, ToolLine::surely_bad);
        }
        keep(&mut summary.top_tools, &line, |line| line.calls as f64);
    }
    table.finish()?;
    Ok(total)
}

/// Keeps the first few by a number; among equals the first by name, as they come.
fn keep(top: &mut Vec<ToolLine>, line: &ToolLine, number: impl Fn(&ToolLine) -> f64) {
    let place = top.partition_point(|other| number(other) >= number(line));
    if place < TOP {
        top.truncate(TOP - 1);
        top.insert(place, line.clone());
    }
}

fn tool_line(server: &str, tool: &str, counts: &Counts, rules: &ToolRules<'_>) -> ToolLine {
    let calls = counts.exchanges();
    let answered = calls - counts.get(Counted::Reply(ReplyKind::NoReply));
    let status = (rules.status)(
        Classification::ALL.map(|class| counts.get(Counted::Standing(class))),
        answered,
    );
    let outcomes = Outcome::ALL.into_iter().filter(|outcome| outcome.tells());
    let is_known =
        outcomes.map(|outcome| counts.get(Counted::Outcome(outcome))).any(|count| count > 0);
    ToolLine {
        server: server.to_owned(),
        tool: tool.to_owned(),
        // Calls that never reached the tool, and those whose end nobody saw, say nothing of it.
        status: if is_known { status.name().to_owned() } else { String::new() },
        overall_confidence: counts.confidences().average(calls, &rules.legend.overall),
        calls,
        failed: counts.get(Counted::Outcome(Outcome::Failed)),
        invalid: counts.get(Counted::Outcome(Outcome::Invalid)),
    }
}
