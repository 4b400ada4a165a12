//! A finished run, on the terminal or as JSON.

use super::Failure;
use super::terminal::{counted, grouped, log_width};
use crate::compare::{read_manifest, read_summary};
use crate::corpus::FileKind;
use crate::page::FILE_NAME;
use crate::run::{Finished, Left};
use crate::store::{
    OfProgram, OtherFile, ReportError, Summary, Table as Stored, TableReader, ToolLine,
};
use crate::verdict::{Outcome, cut, harmless, typed};
use crate::view::text::text;
use crate::view::{Cell, Column, Field, Item, Line, Section, Table};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
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
    pub(super) summary: Cow<'a, Summary>,
    pub(super) rulebook: String,
    pub(super) seconds: f64,
    pub(super) left: Left,
    pub(super) out: &'a Path,
}

impl<'a> Shown<'a> {
    pub(super) fn of(finished: &'a Finished, rulebook: &str, out: &'a Path) -> Self {
        Self {
            summary: Cow::Borrowed(&finished.summary),
            rulebook: rulebook.to_owned(),
            seconds: finished.seconds,
            left: finished.folder,
            out,
        }
    }

    pub(super) fn read(out: &'a Path) -> Result<Self, Failure> {
        let manifest = read_manifest(out)?;
        let summary = read_summary(out)?;
        Ok(Self {
            summary: Cow::Owned(summary.unwrap_or_default()),
            rulebook: manifest.comparable.rulebook.name,
            seconds: manifest.wall.seconds,
            left: Left::Run,
            out,
        })
    }

    /// What became of the calls, and where to look next.
    pub(super) fn text(&self) -> String {
        let summary = &*self.summary;
        let mut all = vec![self.head()];
        if summary.counts.exchanges > 0 {
            let mut outcomes = Section::default();
            outcomes.table(outcome_table(summary));
            if let Some(words) = summary.without_flag() {
                outcomes.text(words);
            }
            all.push(outcomes);
        }
        all.extend(found_by_checks(summary, self.out));
        let replies = self.bad_replies();
        all.extend(worst_tools(summary, &replies));
        all.extend(not_read(summary));
        let mut end = Section::default();
        end.text(self.left_at());
        let page = self.out.join(FILE_NAME);
        if summary.counts.exchanges > 0 && page.exists() {
            end.text(Line::from("page: ").then_recorded(page.display().to_string()));
        }
        let key = summary.worst_tools.iter().find_map(|tool| replies.get(&named_by(tool)));
        if let Some((key, _)) = key {
            let command =
                format!("tapecheck explain {key} {}", typed(&self.out.display().to_string()));
            end.text(Line::from("next: ").then_command(command));
        }
        all.push(end);
        text(&all, log_width())
    }

    /// Everything that is known of a run.
    pub(super) fn long_text(&self) -> String {
        let summary = &*self.summary;
        let counts = &summary.counts;
        let mut head = self.head();
        head.text(format!(
            "{} = {} + {} + {}, read in {:.1} s",
            counted(counts.lines, "line"),
            summary.judged(),
            counted(counts.other_traffic, "other message"),
            counted(counts.unreadable, "unreadable line"),
            self.seconds,
        ));
        let mut outcomes = Section::default();
        outcomes.table(outcome_table(summary));
        let mut details = Section::default();
        details.fields(fields(summary, self.out));
        let mut end = Section::default();
        if counts.counted_as_other > 0 {
            let exchanges = counted(counts.counted_as_other, "call");
            end.text(format!(
                "{exchanges} are counted under (other) in tables: there are too many servers, tools, scenarios and days to count each"
            ));
        }
        if !summary.other_scenarios.is_empty() {
            let others = summary.other_scenarios.iter().map(|(name, count)| (name, *count));
            end.text(Line::from("other scenario categories: ").join(named(others)));
        }
        end.text(self.left_at());
        let all = [head, outcomes].into_iter().chain(found_by_checks(summary, self.out));
        let all = all.chain([details]).chain(odd_files(summary)).chain(tools(summary)).chain([end]);
        text(&all.collect::<Vec<_>>(), log_width())
    }

    fn head(&self) -> Section {
        let summary = &*self.summary;
        let what = summary.judged();
        let recordings = counted(summary.counts.recordings, "recording");
        Section::new(format!("{what} from {recordings} classified by {}", self.rulebook))
    }

    fn left_at(&self) -> String {
        let folder = self.out.display();
        match self.left {
            Left::Run => format!("written to {folder}"),
            Left::EarlierRun => format!("nothing written: {folder} stays as it was"),
        }
    }

    /// Looks for them in what was written; a reply that is not found is not shown.
    fn bad_replies(&self) -> BadReplies {
        let mut found = BadReplies::new();
        if self.left == Left::Run {
            let worst = &self.summary.worst_tools;
            let mut wanted: BTreeSet<(String, String)> =
                worst.iter().take(WORST).map(named_by).collect();
            // The run is complete without: where it cannot be read there is nothing to show.
            let _ = find_replies(self.out, &mut wanted, &mut found);
        }
        found
    }
}

/// The key and the reply of a call that failed, for each of the worst tools that has one.
type BadReplies = BTreeMap<(String, String), (String, String)>;

fn named_by(tool: &ToolLine) -> (String, String) {
    (tool.server.clone(), tool.tool.clone())
}

fn find_replies(
    out: &Path,
    wanted: &mut BTreeSet<(String, String)>,
    found: &mut BadReplies,
) -> Result<(), ReportError> {
    let bad: Vec<&str> =
        Outcome::ALL.into_iter().filter(|it| it.is_bad()).map(Outcome::name).collect();
    let mut table = TableReader::open(out, Stored::Verdicts)?;
    let mut left = LOOKED_THROUGH;
    for group in 0..table.groups() {
        if wanted.is_empty() || left == 0 {
            break;
        }
        let mut column = |name| table.texts(group, name);
        let (servers, tools, outcomes) = (column("server")?, column("tool")?, column("outcome")?);
        let (replies, keys) = (column("reply_excerpt")?, table.keys(group, "key")?);
        let rows = outcomes.rows.len().min(left);
        left -= rows;
        for (row, key) in keys.into_iter().enumerate().take(rows) {
            let is_bad = outcomes.get(row).is_some_and(|name| bad.contains(&name));
            let (true, Some(server), Some(tool)) = (is_bad, servers.get(row), tools.get(row))
            else {
                continue;
            };
            let who = (server.to_owned(), tool.to_owned());
            if wanted.remove(&who) {
                let key = key.map_or_else(String::new, |key| key.to_string());
                found.insert(who, (key, replies.get(row).unwrap_or_default().to_owned()));
            }
        }
    }
    Ok(())
}

fn worst_tools(summary: &Summary, replies: &BadReplies) -> Option<Section> {
    let (left, right) = (Column::left, Column::right);
    let mut table =
        Table::new([left("worst tools"), right("failed or invalid"), left("one reply")]);
    for tool in summary.worst_tools.iter().take(WORST) {
        let name = format!("{} / {}", tool.server, tool.tool);
        let of = format!("{} of {}", grouped(tool.bad()), grouped(tool.calls));
        let reply = replies
            .get(&named_by(tool))
            .map_or_else(String::new, |(_, reply)| cut(&harmless(reply), REPLY));
        table.push([Cell::name(&name), Cell::text(of), Cell::text(Line::recorded(reply))]);
    }
    let mut section = Section::default();
    section.table(table);
    (!summary.worst_tools.is_empty()).then_some(section)
}

/// What no outcome of a call tells of: invalid documents, and errors in calls that did not fail.
fn found_by_checks(summary: &Summary, out: &Path) -> Option<Section> {
    let show = |what: &str| format!("tapecheck show {} {what}", typed(&out.display().to_string()));
    let mut section = Section::default();
    let documents = summary.all_documents();
    let invalid = summary.documents(Outcome::Invalid);
    if invalid > 0 {
        let words = format!("{} of {} invalid: ", grouped(invalid), counted(documents, "document"));
        section.text(Line::from(words).then_command(show("--filter failed")));
    }
    if summary.calls_with_errors > 0 {
        let calls = counted(summary.calls_with_errors, "call");
        let words = format!("checks found errors in {calls} that did not fail: ");
        section.text(Line::from(words).then_command(show("--filter errors")));
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn unread(what: String, reasons: &BTreeMap<String, u64>) -> Line {
    let reasons = named(reasons.iter().map(|(reason, count)| (reason, *count)));
    Line::from(what + " (").join(reasons).then("): see unreadable.csv")
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
    let mut words = vec![counted(of.calls, "call")];
    words.extend(
        counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{} {what}", grouped(*count))),
    );
    let recordings = counted(of.recordings, "file");
    let derived =
        if of.is_derived { "; schema, protocol and timing checks do not apply" } else { "" };
    format!("{format}, {recordings}: {}{derived}", words.join(", "))
}

/// What was not read, if anything; the rest of what lies beside recordings is no trouble.
fn not_read(summary: &Summary) -> Option<Section> {
    let files: u64 = summary.unreadable_files.values().sum();
    let mut section = Section::default();
    for (format, of) in &summary.programs {
        section.text(of_program(format, of));
    }
    if summary.stripped_lines > 0 {
        let lines = counted(summary.stripped_lines, "line");
        section.text(format!("prefix of {lines} stripped: the record begins at the JSON"));
    }
    if summary.counts.unreadable > 0 {
        let lines = counted(summary.counts.unreadable, "line");
        section.text(unread(format!("{lines} could not be read"), &summary.unreadable));
    }
    if files > 0 {
        let files = counted(files, "file");
        let mut words = format!("{files} could not be read to the end");
        if let Some(first) = summary.broken_files.first() {
            let _ = write!(words, ": {}: {}", harmless(&first.file), harmless(&first.detail));
        }
        section.text(unread(words, &summary.unreadable_files));
    }
    let odd = suspicious(summary);
    if let Some(first) = odd.first() {
        let reasons = odd_reasons(summary);
        let files = counted(reasons.iter().map(|(_, count)| count).sum(), "file");
        let name = Line::recorded(&*first.file).then(format!(": {}", first.detail));
        let (mut words, mut name) =
            (Line::from(format!("{files} skipped, not recordings: ")), name);
        if reasons.len() > 1 {
            words = words.join(named(reasons.into_iter()));
            name = Line::from(", such as ").join(name);
        }
        section.text(words.join(name));
    }
    (!section.blocks.is_empty()).then_some(section)
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
            let why =
                if outcome == Outcome::Unknown { summary.why_unknown() } else { String::new() };
            table.push([name, Cell::count(calls), Cell::empty(), Cell::text(why)]);
        }
    }
    table
}

/// What to make of the verdicts, the sessions, and what could not be read.
fn fields(summary: &Summary, out: &Path) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut field = |name: &str, value: Line| {
        if !value.is_empty() {
            fields.push(Field::new(name, value));
        }
    };
    let asked = summary.business_logic + summary.tool_failure;
    if asked > 0 {
        field(
            "errors",
            Line::from(format!(
                "{}: {} business logic, {}",
                grouped(asked),
                grouped(summary.business_logic),
                counted(summary.tool_failure, "tool failure"),
            )),
        );
    }
    field("hidden failures", summary.without_flag().unwrap_or_default().into());
    field("documents", named(summary.documents.iter().cloned()));
    field("classes", named(summary.classes.iter().cloned()));
    field("replies", named(summary.replies.iter().cloned()));
    field("overall confidence", format!("{:.1}", summary.overall_confidence).into());
    let issues = summary.issues.iter();
    let issues = issues.map(|(severity, count)| format!("{} {severity}", grouped(*count)));
    let security = grouped(summary.security_issues);
    let issues = issues.collect::<Vec<_>>().join(", ");
    field("issues", format!("{issues}; {security} about security").into());
    if summary.counts.exchanges > 0 {
        field("needs review", grouped(summary.needs_review).into());
        field("decisions", named(summary.decisions.iter().cloned()));
        field("sessions", sessions(summary, out));
    }
    field("unreadable lines", named(summary.unreadable.iter().map(|(name, count)| (name, *count))));
    field(
        "damaged files",
        named(summary.unreadable_files.iter().map(|(name, count)| (name, *count))),
    );
    let common = summary.top_issues.iter().take(MOST);
    let common = common.map(|line| {
        let reported = if line.origin == "reported" { " (reported)" } else { "" };
        (format!("{} {}{reported}", line.severity, line.kind), line.count)
    });
    field("most common issues", named(common));
    fields
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
    match summary.validation["errorReport"]["filename"].as_str() {
        Some(_) => {
            let run = typed(&out.display().to_string());
            line.then(" · ").then_command(format!("tapecheck show {run} --report run"))
        }
        None => line,
    }
}

/// Counts by name, without those of nothing.
fn named(counts: impl Iterator<Item = (impl AsRef<str>, u64)>) -> Line {
    let counts = counts.filter(|(_, count)| *count > 0);
    let parts = counts.map(|(name, count)| format!("{} {}", name.as_ref(), grouped(count)));
    Line::recorded(parts.collect::<Vec<_>>().join(", "))
}

/// The files that look as if they should have been recordings.
fn suspicious(summary: &Summary) -> Vec<&OtherFile> {
    let odd: Vec<&str> =
        FileKind::ALL.into_iter().filter(|kind| kind.is_suspicious()).map(FileKind::name).collect();
    summary.other_files.iter().filter(|file| odd.contains(&file.kind.as_str())).collect()
}

/// How many of them there are, by reason.
fn odd_reasons(summary: &Summary) -> Vec<(&str, u64)> {
    let kinds = FileKind::ALL.into_iter().filter(|kind| kind.is_suspicious());
    let reasons = kinds.filter_map(|kind| summary.skipped.get(kind.name())).flatten();
    reasons.map(|(reason, count)| (reason.as_str(), *count)).collect()
}

fn odd_files(summary: &Summary) -> Option<Section> {
    let kinds = summary.skipped.iter().map(|(kind, reasons)| (kind, reasons.values().sum()));
    let odd = suspicious(summary);
    let mut section = Section::new(Line::from("skipped files: ").join(named(kinds)));
    let item = |file: &&OtherFile| {
        Item::new(Line::recorded(&*file.file).then(format!(": {}", file.detail)))
    };
    section.items(odd.iter().take(MOST).map(item).collect());
    let count: u64 = odd_reasons(summary).iter().map(|(_, count)| count).sum();
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    section.more(count, MOST, "summary.json counts all by reason and names a thousand");
    (!summary.skipped.is_empty()).then_some(section)
}

fn tools(summary: &Summary) -> Option<Section> {
    let (left, right) = (Column::left, Column::right);
    let heads = [
        left("most called tools"),
        right("calls"),
        right("failed"),
        right("invalid"),
        left("status"),
        right("confidence"),
    ];
    let mut table = Table::new(heads);
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
    let mut section = Section::default();
    section.table(table);
    (!section.blocks.is_empty()).then_some(section)
}

/// The summary as one JSON object: the content of `summary.json`.
pub(super) fn as_json(finished: &Finished) -> String {
    let mut text =
        serde_json::to_string_pretty(&finished.summary).expect("a summary is plain data");
    text.push('\n');
    text
}
