//! A finished run, on the terminal.

use super::terminal::{counted, grouped, log_width};
use crate::corpus::{FileKind, OTHER_PATH};
use crate::page::FILE_NAME;
use crate::program::NOT_OF_MCP;
use crate::run::Left;
use crate::store::{OfProgram, ReportError, Summary, Table as Stored, TableReader, ToolLine};
use crate::verdict::{Outcome, cut, harmless, typed};
use crate::view::text::text;
use crate::view::{Cell, Column, Field, Item, Line, Section, Table};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Lines of a list before the rest is only counted.
const MOST: usize = 8;
/// So many of the worst tools are named, each with a reply.
const WORST: usize = 3;
/// So many characters of a reply.
const REPLY: usize = 70;
/// In so many rows a reply is looked for.
const LOOKED_THROUGH: usize = 1 << 19;

/// A run that is shown: just made, or read from its folder.
pub(super) struct Shown<'a> {
    pub(super) summary: &'a Summary,
    pub(super) rulebook: &'a str,
    pub(super) seconds: f64,
    pub(super) left: Left,
    pub(super) out: &'a Path,
}

impl Shown<'_> {
    /// What became of the calls, and where to look next; with everything that was counted where that is asked for.
    pub(super) fn text(&self, verbose: bool) -> String {
        let Self { summary, out, .. } = self;
        let counts = &summary.counts;
        let (what, files) = (summary.judged(), counted(counts.recordings, "recording"));
        let mut head = Section::new(format!("{what} from {files} classified by {}", self.rulebook));
        if verbose {
            head.text(format!(
                "{} = {what} + {} + {}, read in {:.1} s",
                counted(counts.lines, "line"),
                counted(counts.other_traffic, "other message"),
                counted(counts.unreadable, "unreadable line"),
                self.seconds,
            ));
        }
        let mut outcomes = Section::default();
        if counts.exchanges > 0 {
            outcomes.table(outcome_table(summary));
            summary.without_flag().into_iter().for_each(|words| outcomes.text(words));
        }
        let mut replies = BadReplies::new();
        if self.left == Left::Run {
            // The run is complete without: where it cannot be read there is nothing to show.
            let _ = find_replies(out, &summary.worst_tools, &mut replies);
        }
        let mut details = Section::default();
        if verbose {
            details.fields(fields(summary, out));
            details.table(tools(summary));
        }
        let mut who = Section::default();
        who.table(who_must_act(summary));
        if let Some((words, list)) = summary.to_act_on() {
            let run = typed(&out.display().to_string());
            let command = format!("tapecheck show {run} --filter {list}");
            who.text(Line::from(format!("calls to look at: {words} · ")).then_command(command));
        }
        let mut all = vec![head, outcomes, who, found_by_checks(summary, out), details];
        all.extend([worst_tools(summary, &replies), not_read(summary, verbose)]);
        let mut end = Section::default();
        if verbose && counts.counted_as_other > 0 {
            let calls = counted(counts.counted_as_other, "call");
            end.text(format!(
                "{calls} are counted under (other) in tables: there are too many servers, tools, scenarios and days to count each"
            ));
        }
        let folder = out.display();
        end.text(match self.left {
            Left::Run => format!("written to {folder}"),
            Left::EarlierRun => format!("nothing written: {folder} stays as it was"),
        });
        let page = out.join(FILE_NAME);
        if counts.exchanges > 0 && page.exists() {
            end.text(Line::from("page: ").then_recorded(page.display().to_string()));
        }
        let key = summary.worst_tools.iter().find_map(|tool| replies.get(&named_by(tool)));
        if let Some((key, _)) = key {
            let command = format!("tapecheck explain {key} {}", typed(&folder.to_string()));
            end.text(Line::from("next: ").then_command(command));
        }
        all.push(end);
        all.retain(|section| !section.title.is_empty() || !section.blocks.is_empty());
        text(&all, log_width())
    }
}

/// The key and the reply of a call that failed, for each of the worst tools that has one.
type BadReplies = BTreeMap<(String, String), (String, String)>;

fn named_by(tool: &ToolLine) -> (String, String) {
    (tool.server.clone(), tool.tool.clone())
}

fn find_replies(out: &Path, worst: &[ToolLine], found: &mut BadReplies) -> Result<(), ReportError> {
    let mut wanted: BTreeSet<(String, String)> = worst.iter().take(WORST).map(named_by).collect();
    let mut table = TableReader::open(out, Stored::Verdicts)?;
    let mut left = LOOKED_THROUGH;
    for group in 0..table.groups() {
        if wanted.is_empty() || left == 0 {
            break;
        }
        let names = ["server", "tool", "outcome", "reply_excerpt"];
        let [servers, tools, outcomes, replies] = names.map(|name| table.texts(group, name));
        let (servers, tools, outcomes, replies) = (servers?, tools?, outcomes?, replies?);
        let keys = table.keys(group, "key")?;
        let rows = keys.len().min(left);
        left -= rows;
        for row in (0..rows).filter(|row| outcomes.get(*row).is_some_and(is_bad)) {
            let (Some(server), Some(tool)) = (servers.get(row), tools.get(row)) else { continue };
            let who = (server.to_owned(), tool.to_owned());
            if wanted.remove(&who) {
                let key = keys[row].map_or_else(String::new, |key| key.to_string());
                found.insert(who, (key, replies.get(row).unwrap_or_default().to_owned()));
            }
        }
    }
    Ok(())
}

/// Whether an outcome is bad, by its name in tables.
fn is_bad(name: &str) -> bool {
    Outcome::of_name(name).is_some_and(Outcome::is_bad)
}

fn worst_tools(summary: &Summary, replies: &BadReplies) -> Section {
    let (left, right) = (Column::left, Column::right);
    let mut table =
        Table::new([left("worst tools"), right("failed or invalid"), left("one reply")]);
    for tool in summary.worst_tools.iter().take(WORST) {
        let name = format!("{} / {}", tool.server, tool.tool);
        let of = format!("{} of {}", grouped(tool.bad()), grouped(tool.calls));
        let reply = replies.get(&named_by(tool));
        let reply = reply.map_or_else(String::new, |(_, reply)| cut(&harmless(reply), REPLY));
        table.push([Cell::name(&name), Cell::text(of), Cell::text(Line::recorded(reply))]);
    }
    let mut section = Section::default();
    section.table(table);
    section
}

/// What no outcome of a call tells of: invalid documents, and errors in calls that did not fail.
fn found_by_checks(summary: &Summary, out: &Path) -> Section {
    let show = |what: &str| format!("tapecheck show {} {what}", typed(&out.display().to_string()));
    let mut section = Section::default();
    let (invalid, documents) = (summary.documents(Outcome::Invalid), summary.all_documents());
    if invalid > 0 {
        let words = format!("{} of {} invalid: ", grouped(invalid), counted(documents, "document"));
        section.text(Line::from(words).then_command(show("--filter failed")));
    }
    if summary.calls_with_errors > 0 {
        let calls = counted(summary.calls_with_errors, "call");
        let words = format!("checks found errors in {calls} that did not fail: ");
        section.text(Line::from(words).then_command(show("--filter errors")));
    }
    section
}

/// What the files of a program hold, and what they cannot tell.
fn of_program(format: &str, of: &OfProgram) -> String {
    let counts = [
        (of.not_sent, "not sent"),
        (of.reply_cut, "with a cut reply"),
        (of.reply_not_kept, "without a kept reply"),
        (of.names_guessed, "with a guessed server name"),
        (of.duplicates, "recorded again and counted once"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let mut words = vec![counted(of.calls, "call")];
    words.extend(counts.map(|(count, what)| format!("{} {what}", grouped(*count))));
    let (recordings, words) = (counted(of.recordings, "file"), words.join(", "));
    let derived =
        if of.is_derived { "; schema, protocol and timing checks do not apply" } else { "" };
    format!("{format}, {recordings}: {words}{derived}")
}

/// What was not read, if anything. The rest of what lies beside recordings is told where there are no calls.
fn not_read(summary: &Summary, verbose: bool) -> Section {
    let mut section = Section::default();
    for (format, of) in &summary.programs {
        section.text(of_program(format, of));
    }
    if summary.stripped_lines > 0 {
        let lines = counted(summary.stripped_lines, "line");
        section.text(format!("prefix of {lines} stripped: the record begins at the JSON"));
    }
    let first = summary.broken_files.first();
    let first = first.map_or_else(String::new, |it| format!(": {}: {}", it.file, it.detail));
    for (reasons, what, words) in [
        (&summary.unreadable, "line", "could not be read".to_owned()),
        (&summary.unreadable_files, "file", format!("could not be read to the end{first}")),
    ] {
        let count: u64 = reasons.values().sum();
        if count > 0 {
            let line = Line::from(counted(count, what) + " ").then_recorded(words).then(" (");
            section.text(line.join(named(reasons)).then("): see unreadable.csv"));
        }
    }
    let has_calls = summary.counts.exchanges > 0;
    let is_odd = |kind: &str| {
        !has_calls || FileKind::ALL.iter().any(|it| it.is_suspicious() && it.name() == kind)
    };
    let skipped = summary.skipped.iter().filter(|(kind, _)| is_odd(kind));
    let reasons: Vec<(&String, u64)> =
        skipped.flat_map(|(_, reasons)| reasons).map(|(reason, count)| (reason, *count)).collect();
    let count = reasons.iter().map(|(_, count)| count).sum();
    let odd = summary.other_files.iter().filter(|file| is_odd(&file.kind));
    let mut odd = odd.map(|it| Line::recorded(&*it.file).then(format!(": {}", it.detail)));
    let line = Line::from(format!("{} skipped, not recordings: ", counted(count, "file")));
    if verbose && count > 1 {
        section.text(line.join(named(reasons)));
        section.items(odd.take(MOST).map(Item::new).collect());
        section.more(usize::try_from(count).unwrap_or(usize::MAX), MOST, "summary.json names them");
    } else if let Some(first) = odd.next() {
        let several = reasons.len() > 1;
        let line = if several { line.join(named(reasons)).then(", such as ") } else { line };
        section.text(line.join(first));
    }
    let hints = [
        (OTHER_PATH, "HTTP request", "to other paths than `envelope_paths` names"),
        (NOT_OF_MCP, "tool run", "not known to be MCP's; --read-as FORMAT reads each as a call"),
    ];
    for (method, what, words) in hints {
        if let Some(count) = summary.traffic.get(method).filter(|_| !has_calls) {
            section.text(format!("{} {words}", counted(*count, what)));
        }
    }
    section
}

/// What became of the calls, or of documents alone. Those of which that is not known enter no share.
fn outcome_table(summary: &Summary) -> Table {
    let (left, right) = (Column::left, Column::right);
    let documents = summary.all_documents();
    let of_documents = documents > 0 && documents == summary.counts.exchanges;
    let (what, known) =
        if of_documents { ("documents", documents) } else { ("calls", summary.known_calls()) };
    let mut table = Table::new([left("outcome"), right(what), right(""), left("")]);
    for outcome in Outcome::ALL.into_iter().rev() {
        let calls = if of_documents { summary.documents(outcome) } else { summary.calls(outcome) };
        // Nobody can fail to answer a document, or refuse it.
        if of_documents && calls == 0 && !matches!(outcome, Outcome::Worked | Outcome::Invalid) {
            continue;
        }
        let name = Cell::text(outcome.name());
        if outcome.tells() {
            let share = if known == 0 { 0.0 } else { calls as f64 / known as f64 };
            table.push([name, Cell::count(calls), Cell::percent(share, 1), Cell::bar(share)]);
        } else if calls > 0 {
            let is_unknown = outcome == Outcome::Unknown;
            let why = if is_unknown { summary.why_unknown() } else { String::new() };
            table.push([name, Cell::count(calls), Cell::empty(), Cell::text(why)]);
        }
    }
    table
}

/// Who must act so that calls work that did not.
fn who_must_act(summary: &Summary) -> Table {
    let (left, right) = (Column::left, Column::right);
    let mut table = Table::new([left("who must act"), right("calls"), left("kinds")]);
    for (who, calls, kinds) in summary.who_must_act() {
        table.push([
            Cell::text(who.words()),
            Cell::count(calls),
            Cell::text(Line::recorded(kinds)),
        ]);
    }
    table
}

/// What to make of the verdicts, the sessions, and what could not be read.
fn fields(summary: &Summary, out: &Path) -> Vec<Field> {
    let (business_logic, failures) = (summary.business_logic, summary.tool_failure);
    let errors = [("business logic", business_logic), ("tool failures", failures)];
    let issues = named(pairs(&summary.issues));
    let security = format!("; {} about security", grouped(summary.security_issues));
    let skipped =
        summary.skipped.iter().map(|(kind, reasons)| (kind, reasons.values().sum::<u64>()));
    let common = summary.top_issues.iter().take(MOST);
    let common = common.map(|line| {
        let reported = if line.origin == "reported" { " (reported)" } else { "" };
        (format!("{} {}{reported}", line.severity, line.kind), line.count)
    });
    let mut all = vec![
        ("errors", named(errors)),
        ("documents", named(pairs(&summary.documents))),
        ("classes", named(pairs(&summary.classes))),
        ("replies", named(pairs(&summary.replies))),
        ("overall confidence", format!("{:.1}", summary.overall_confidence).into()),
        ("issues", if issues.is_empty() { issues } else { issues.then(security) }),
        ("skipped files", named(skipped)),
        ("most common issues", named(common)),
        ("other scenario categories", named(&summary.other_scenarios)),
    ];
    if summary.counts.exchanges > 0 {
        all.push(("needs review", grouped(summary.needs_review).into()));
        all.push(("decisions", named(pairs(&summary.decisions))));
        all.push(("sessions", sessions(summary, out)));
    }
    all.retain(|(_, value)| !value.is_empty());
    all.into_iter().map(|(name, value)| Field::new(name, value)).collect()
}

fn sessions(summary: &Summary, out: &Path) -> Line {
    let sessions = &summary.sessions;
    let [failing, total] = [sessions.failing, sessions.total].map(grouped);
    let mut line = Line::from(format!("{failing} of {total} with errors"));
    if sessions.other_errors + sessions.other_warnings > 0 {
        line = line.then(format!(
            "; {} and {} in other sessions, which are counted together",
            counted(sessions.other_errors, "error"),
            counted(sessions.other_warnings, "warning"),
        ));
    }
    if summary.validation["errorReport"]["filename"].is_string() {
        let run = typed(&out.display().to_string());
        line = line.then(" · ").then_command(format!("tapecheck show {run} --report run"));
    }
    line
}

fn pairs(counts: &[(String, u64)]) -> impl Iterator<Item = (&String, u64)> {
    counts.iter().map(|(name, count)| (name, *count))
}

/// Counts by name, without those of nothing.
fn named(counts: impl IntoIterator<Item = (impl AsRef<str>, impl Borrow<u64>)>) -> Line {
    let counts = counts.into_iter().filter(|(_, count)| *count.borrow() > 0);
    let parts =
        counts.map(|(name, count)| format!("{} {}", name.as_ref(), grouped(*count.borrow())));
    Line::recorded(parts.collect::<Vec<_>>().join(", "))
}

fn tools(summary: &Summary) -> Table {
    let (left, right) = (Column::left, Column::right);
    let mut table = Table::new([
        left("most called tools"),
        right("calls"),
        right("failed"),
        right("invalid"),
        left("status"),
        right("confidence"),
    ]);
    for tool in summary.top_tools.iter().take(MOST) {
        table.push([
            Cell::name(&format!("{} / {}", tool.server, tool.tool)),
            Cell::count(tool.calls),
            Cell::sparse(tool.failed),
            Cell::sparse(tool.invalid),
            Cell::text(&*tool.status),
            Cell::number(tool.overall_confidence, 1),
        ]);
    }
    table
}
