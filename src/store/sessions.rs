//! `sessions.jsonl`, and the error reports, which are written when somebody asks for one.

use super::folder::{FolderError, ReportError, RunFolder, SUMMARY, is_run};
use super::manifest::{SessionCounts, Summary};
use super::reader::TableReader;
use super::rows::VerdictBatch;
use super::table::Table;
use super::texts::TextColumn;
use crate::check::session_report::{
    CountedIssues, FailingSession, IssueDetails, ReportNames, SessionName, SessionReport,
    is_report_name,
};
use crate::count::tally::{AllSessions, FirstIssue, SessionIssues, Sessions};
use crate::recording::{Key, Moment, Task};
use crate::verdict::{SessionIssue, Severity, harmless_lines};
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;

/// The file of session reports, one a line.
pub const SESSIONS: &str = "sessions.jsonl";
/// What the report of the whole run is named after.
const RUN: &str = "run";
/// So many reports are named where several sessions share a name.
const MOST_NAMED: usize = 5;
/// Characters of a recorded name in the list of failing sessions.
const SHOWN: usize = 200;

impl VerdictBatch {
    /// Tells the rows' issues to their sessions. Batches must come in corpus order, each once.
    pub fn gather_sessions(&self, sessions: &mut Sessions) {
        let mut issues: Vec<Vec<SessionIssue<'_>>> = vec![Vec::new(); self.origin_last.len()];
        for (at, row) in self.issues.rows.iter().enumerate() {
            if row.severity == Severity::Info {
                continue;
            }
            let issue = SessionIssue {
                severity: row.severity,
                kind: self.issues.type_of(at),
                rule: self.issues.type_name(at),
                message: self.issues.message.get(at).unwrap_or_default(),
                task: self.issues.task.get(at),
            };
            sessions.count(&issue);
            issues[row.origin as usize].push(issue);
        }
        let mut tasks: Vec<Vec<&Task>> = vec![Vec::new(); self.origin_last.len()];
        for (origin, task) in &self.tasks {
            sessions.see(task);
            tasks[*origin as usize].push(task);
        }
        for (at, last) in self.origin_last.iter().enumerate() {
            let (file, session) = self.origins.session(u32::try_from(at).unwrap_or_default());
            sessions.add(file, session, &issues[at], &tasks[at], *last);
        }
        sessions.keep_bounds();
    }
}

#[derive(Serialize, Deserialize)]
struct SessionLine {
    file: String,
    session: String,
    /// When its last call took place; empty text where no recording says it.
    last_call: String,
    report: SessionReport,
}

/// Writes a report for every session; returns their counts, and the report of all of them together.
#[expect(clippy::missing_panics_doc, reason = "a report is plain data")]
pub fn write_sessions(
    folder: &RunFolder,
    sessions: AllSessions,
) -> Result<(SessionCounts, serde_json::Value), ReportError> {
    let AllSessions { whole, each, other, .. } = sessions;
    let mut names = ReportNames::default();
    let whole_report = report(RUN, &whole, &mut names);
    let mut counts = SessionCounts {
        last_call: last_call(&whole),
        other_errors: other.errors,
        other_warnings: other.warnings,
        ..SessionCounts::default()
    };
    let mut lines = folder.file(SESSIONS)?;
    let (path, mut json) = (folder.path(SESSIONS), Vec::new());
    for ((file, session), issues) in each {
        let report = report(&session, &issues, &mut names);
        counts.total += 1;
        counts.only_counted += u64::from(issues.is_only_counted());
        counts.failing += u64::from(report.error_report.is_some());
        let line = SessionLine { file, session, last_call: last_call(&issues), report };
        json.clear();
        serde_json::to_writer(&mut json, &line).expect("a report is plain data");
        let line = harmless_lines(simdutf8::basic::from_utf8(&json).expect("JSON is text"));
        let written = lines.write_all(line.as_bytes()).and_then(|()| lines.write_all(b"\n"));
        written.map_err(|source| FolderError::io(&path, source))?;
    }
    lines.flush().map_err(|source| FolderError::io(&path, source))?;
    let whole = serde_json::to_value(&whole_report);
    Ok((counts, whole.map_err(|error| FolderError::io(&path, error.into()))?))
}

fn last_call(issues: &SessionIssues) -> String {
    issues.last.map_or_else(String::new, Moment::rfc3339)
}

fn report(name: &str, issues: &SessionIssues, names: &mut ReportNames) -> SessionReport {
    let counted = CountedIssues {
        errors: issues.errors,
        warnings: issues.warnings,
        kinds: issues.kinds().collect(),
        tasks: issues.tasks.clone(),
    };
    let first = issues.first.iter().map(FirstIssue::borrowed);
    SessionReport::of(&SessionName { name, last: issues.last }, counted, first, names)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[derive(Debug, thiserror::Error)]
pub enum NoReport {
    #[error("{0} is not a tapecheck run")]
    NoRun(String),
    #[error("the run has no error report of `{0}`")]
    Unknown(String),
    #[error("{} sessions are called `{name}`: {}", .reports.len(), .reports.join(", "))]
    Several { name: String, reports: Vec<String> },
    #[error("cannot read the run: {0}")]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    Table(#[from] ReportError),
}

/// The text of an error report of a run: by the name that `errorReport` gives it, by the name of its session, or of the
/// whole run by `run`.
pub fn error_report(run: &Path, name: &str) -> Result<String, NoReport> {
    if !is_run(run) {
        return Err(NoReport::NoRun(run.display().to_string()));
    }
    let summary: Summary =
        serde_json::from_str(&fs::read_to_string(run.join(SUMMARY))?).map_err(io::Error::from)?;
    let whole: SessionReport =
        serde_json::from_value(summary.validation).map_err(io::Error::from)?;
    if filename(&whole) == Some(name) {
        return text_of_run(run, &whole, &summary.sessions.last_call);
    }
    let is_report = is_report_name(name);
    let named = sessions_where(run, |line| {
        if is_report { filename(&line.report) == Some(name) } else { line.session == name }
    })?;
    let is_known = !named.is_empty();
    let failing = named.into_iter().filter(|line| line.report.error_report.is_some());
    let failing: Vec<SessionLine> = failing.collect();
    match &failing[..] {
        [SessionLine { file, session, last_call, report }] => {
            let listed = report.integrity_issues.len();
            let details = details(run, Some((file, session)), listed)?;
            Ok(report.text(&shown(session), last_call, &details))
        }
        [] if name == RUN && !is_known && whole.error_report.is_some() => {
            text_of_run(run, &whole, &summary.sessions.last_call)
        }
        [] => Err(NoReport::Unknown(name.to_owned())),
        several => {
            let reports = several.iter().filter_map(|line| filename(&line.report));
            let reports = reports.take(MOST_NAMED).map(str::to_owned).collect();
            Err(NoReport::Several { name: name.to_owned(), reports })
        }
    }
}

fn filename(report: &SessionReport) -> Option<&str> {
    report.error_report.as_ref().map(|named| named.filename.as_str())
}

fn text_of_run(run: &Path, whole: &SessionReport, last: &str) -> Result<String, NoReport> {
    let failing = sessions_where(run, |line| line.report.error_report.is_some())?;
    let failing = failing.into_iter().map(|SessionLine { file, session, report, .. }| {
        let name = filename(&report).unwrap_or_default().to_owned();
        FailingSession { file: shown(&file), session: shown(&session), report: name }
    });
    let failing: Vec<FailingSession> = failing.collect();
    let details = details(run, None, whole.integrity_issues.len())?;
    Ok(whole.text_of_run(last, &details, &failing))
}

fn sessions_where(
    run: &Path,
    is_wanted: impl Fn(&SessionLine) -> bool,
) -> io::Result<Vec<SessionLine>> {
    let mut found = Vec::new();
    for line in BufReader::new(File::open(run.join(SESSIONS))?).lines() {
        if let Ok(line) = serde_json::from_str::<SessionLine>(&line?)
            && is_wanted(&line)
        {
            found.push(line);
        }
    }
    Ok(found)
}

/// What the tables of a run say of the first errors and warnings of a session, or of the run: of so many.
fn details(
    run: &Path,
    session: Option<(&String, &String)>,
    listed: usize,
) -> Result<Vec<IssueDetails>, ReportError> {
    let mut found = Vec::new();
    let mut calls = HashMap::new();
    let mut table = TableReader::open(run, Table::Issues)?;
    for group in 0..table.groups() {
        let mut column = |name| table.texts(group, name);
        let (files, sessions) = (column("file")?, column("session")?);
        let severities = column("severity")?;
        let is_wanted = |row: &usize| {
            let of = files.get(*row).zip(sessions.get(*row));
            severities.get(*row) != Some(Severity::Info.name())
                && session.is_none_or(|(file, session)| of == Some((file, session)))
        };
        let rows = (0..severities.rows.len()).filter(is_wanted).take(listed - found.len());
        let rows: Vec<usize> = rows.collect();
        if rows.is_empty() {
            continue;
        }
        let (servers, tools) = (column("server")?, column("tool")?);
        let (locations, suggestions) = (column("location")?, column("suggestion")?);
        let arguments = column("parameter_keys")?;
        let (keys, lines) = (table.keys(group, "key")?, table.ints(group, "line")?);
        for row in rows {
            let text = |column: &TextColumn| column.get(row).map(str::to_owned);
            let file = files.get(row).unwrap_or_default();
            if let Some(key) = keys[row] {
                calls
                    .entry((key, file.to_owned(), lines[row]))
                    .or_insert_with(Vec::new)
                    .push(found.len());
            }
            // A document has no tool.
            let who = [&servers, &tools].map(|column| column.get(row).unwrap_or_default());
            let who = who.into_iter().filter(|name| !name.is_empty()).map(shown);
            found.push(IssueDetails {
                tool: who.collect::<Vec<_>>().join(" / "),
                parameter_keys: text(&arguments),
                recorded: format!("{}:{}", shown(file), lines[row]),
                location: text(&locations),
                suggestion: text(&suggestions),
                reply: None,
            });
        }
        if found.len() == listed {
            break;
        }
    }
    add_replies(run, calls, &mut found)?;
    Ok(found)
}

/// Key, recording and line of a call.
type Call = (Key, String, i64);

fn add_replies(
    run: &Path,
    mut calls: HashMap<Call, Vec<usize>>,
    details: &mut [IssueDetails],
) -> Result<(), ReportError> {
    let mut table = TableReader::open(run, Table::Verdicts)?;
    for group in 0..table.groups() {
        if calls.is_empty() {
            break;
        }
        let wanted: HashSet<Key> = calls.keys().map(|(key, ..)| *key).collect();
        let found = table.keys_where(group, "key", |key| wanted.contains(key))?;
        let (rows, keys): (Vec<usize>, Vec<Key>) = found.into_iter().unzip();
        if rows.is_empty() {
            continue;
        }
        let files = table.texts_in(group, "file", &rows)?;
        let replies = table.texts_in(group, "reply_excerpt", &rows)?;
        let lines = table.ints(group, "line")?;
        for (((row, key), file), reply) in rows.iter().zip(keys).zip(files).zip(replies) {
            let call = (key, file.unwrap_or_default(), lines[*row]);
            for at in calls.remove(&call).into_iter().flatten() {
                details[at].reply.clone_from(&reply);
            }
        }
    }
    Ok(())
}
