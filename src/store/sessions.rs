//! `sessions.jsonl` and the folder of error reports.

use super::error::ReportError;
use super::folder::{FolderError, RunFolder, SUMMARY, is_run};
use super::manifest::{SessionCounts, Summary};
use super::rows::{Apart, Owner, VerdictBatch};
use crate::check::session_report::{
    CountedIssues, FailingSession, ReportNames, Reported, SessionName, SessionReport,
    is_report_name,
};
use crate::count::tally::{AllSessions, FirstIssueRef, SessionIssues, Sessions};
use crate::recording::Task;
use crate::verdict::{Severity, harmless_lines};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;

/// The file of session reports, one a line.
pub const SESSIONS: &str = "sessions.jsonl";
/// The folder of error reports.
const ERROR_REPORTS: &str = "error-reports";
/// So many sessions' error reports are written; the issues of further ones are in the tables.
const MOST_REPORTS: u64 = 250;
/// What the report of the whole run is named after.
const RUN: &str = "run";
/// So many reports are named where several sessions share a name.
const MOST_NAMED: usize = 5;
/// Characters of a recorded name in the list of failing sessions.
const SHOWN: usize = 200;

impl VerdictBatch {
    /// Tells the rows' issues to their sessions. Batches must come in corpus order, each once.
    pub fn gather_sessions(&self, sessions: &mut Sessions) {
        let mut issues: Vec<Vec<FirstIssueRef<'_>>> = vec![Vec::new(); self.origin_last.len()];
        for (at, owner) in self.issues.owners.iter().copied().enumerate() {
            let severity = Severity::ALL[self.issues.severity[at] as usize];
            if severity == Severity::Info {
                continue;
            }
            let (origin, group, line, reply) = match owner {
                Owner::Exchange(row) => {
                    let reply = self.excerpts.reply.get(row);
                    (self.origin[row], self.group[row], self.line[row], reply)
                }
                Owner::Session(number) => {
                    let Apart { origin, group, line, .. } = self.apart[number];
                    (origin, group, line, None)
                }
            };
            let [server, tool] = self.tool_of(group);
            let kind = self.issues.type_of(at);
            let issue = FirstIssueRef {
                severity,
                kind,
                rule: self.issues.type_name(at),
                message: self.issues.message.get(at).unwrap_or_default(),
                location: self.issues.location.get(at),
                suggestion: self.issues.suggestion.get(at),
                reply,
                parameter_keys: self.issues.parameter_keys.get(at),
                task: self.issues.task.get(at),
                server,
                tool,
                line: u64::try_from(line).unwrap_or_default(),
            };
            sessions.count(&issue);
            issues[origin as usize].push(issue);
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
    }
}

/// A line of `sessions.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    session: &'a str,
    report: &'a SessionReport,
}

/// Writes a report for every session and tells the summary of all of them together.
pub fn write_sessions(
    folder: &RunFolder,
    sessions: AllSessions,
    summary: &mut Summary,
) -> Result<(), ReportError> {
    let AllSessions { whole, each, other, .. } = sessions;
    let mut names = ReportNames::default();
    let mut whole_report = report(RUN, &whole, &mut names);
    let mut counts = SessionCounts {
        most_reported: MOST_REPORTS,
        other_errors: other.errors,
        other_warnings: other.warnings,
        ..SessionCounts::default()
    };
    let mut failing = Vec::new();
    if whole_report.error_report.is_some() {
        folder.begin_folder(ERROR_REPORTS)?;
    }
    let mut lines = folder.file(SESSIONS)?;
    let path = folder.path(SESSIONS);
    for ((file, session), issues) in each {
        let mut report = report(&session, &issues, &mut names);
        counts.total += 1;
        counts.only_counted += u64::from(issues.is_only_counted());
        if let Some(named) = &report.error_report {
            counts.failing += 1;
            if counts.reported < MOST_REPORTS {
                counts.reported += 1;
                let filename = named.filename.clone();
                for (listed, first) in report.integrity_issues.iter_mut().zip(&issues.first) {
                    listed.recorded = Some(format!("{}:{}", shown(&file), first.line));
                    listed.reply.clone_from(&first.reply);
                }
                name_calls(&mut report, &issues);
                let text = report.text(&SessionName { name: &shown(&session), last: issues.last });
                folder.write_in(ERROR_REPORTS, &filename, &text)?;
                failing.push(FailingSession {
                    file: shown(&file),
                    session: shown(&session),
                    report: filename,
                });
            }
        }
        let line = Line { file: &file, session: &session, report: &report };
        serde_json::to_string(&line)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(lines, "{}", harmless_lines(&line)))
            .map_err(|source| FolderError::io(&path, source))?;
    }
    lines.flush().map_err(|source| FolderError::io(&path, source))?;
    name_calls(&mut whole_report, &whole);
    if let Some(named) = &whole_report.error_report {
        let text = whole_report.text_of_run(whole.last, &failing);
        folder.write_in(ERROR_REPORTS, &named.filename, &text)?;
    }
    summary.sessions = counts;
    summary.validation = serde_json::to_value(&whole_report)
        .map_err(|error| FolderError::io(&path, error.into()))?;
    Ok(())
}

/// Says of which tool each listed issue is, and which arguments the call had.
fn name_calls(report: &mut SessionReport, issues: &SessionIssues) {
    for (listed, first) in report.integrity_issues.iter_mut().zip(&issues.first) {
        // A document has no tool.
        let names = [&first.server, &first.tool].into_iter().filter(|name| !name.is_empty());
        listed.tool = Some(names.map(|name| shown(name)).collect::<Vec<_>>().join(" / "));
        listed.parameter_keys.clone_from(&first.parameter_keys);
    }
}

fn report(name: &str, issues: &SessionIssues, names: &mut ReportNames) -> SessionReport {
    let counted = CountedIssues {
        errors: issues.errors,
        warnings: issues.warnings,
        kinds: issues.kinds().collect(),
        tasks: issues.tasks.clone(),
    };
    let first = issues.first.iter().map(|first| Reported {
        issue: &first.issue,
        rule: &first.rule,
        task: first.task.as_deref(),
    });
    SessionReport::of_counted(&SessionName { name, last: issues.last }, &counted, first, names)
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Why there is no error report to show.
#[derive(Debug, thiserror::Error)]
pub enum NoReport {
    #[error("{0} is not a tapecheck run")]
    NoRun(String),
    /// Neither a session nor a report has the name.
    #[error("the run has no error report of `{0}`")]
    Unknown(String),
    /// Sessions of several recordings have the name.
    #[error("{} sessions are called `{name}`: {}", .reports.len(), .reports.join(", "))]
    Several { name: String, reports: Vec<String> },
    /// More sessions failed than reports are written.
    #[error("the run wrote the error reports of the first {MOST_REPORTS} failing sessions only")]
    Unwritten { file: String, session: String },
    /// A file of the run cannot be read.
    #[error("cannot read the run: {0}")]
    Unreadable(#[from] io::Error),
}

/// A line of `sessions.jsonl`, as far as it leads to an error report.
#[derive(Deserialize)]
struct Named {
    file: String,
    session: String,
    report: NamedReport,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NamedReport {
    error_report: Option<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    filename: String,
}

impl Named {
    fn filename(&self) -> Option<&str> {
        self.report.error_report.as_ref().map(|reference| reference.filename.as_str())
    }
}

/// The text of an error report of a run: by its file name, by the name of its session, or of the whole run
/// by `run`. A name is never taken for a path.
pub fn error_report(run: &Path, name: &str) -> Result<String, NoReport> {
    if !is_run(run) {
        return Err(NoReport::NoRun(run.display().to_string()));
    }
    let filename = if is_report_name(name) {
        name.to_owned()
    } else {
        let named = sessions_where(run, |named| named.session == name)?;
        let reports: Vec<&str> = named.iter().filter_map(Named::filename).collect();
        match (reports.as_slice(), &named[..]) {
            ([], []) if name == RUN => of_whole_run(run)?,
            ([one], _) => (*one).to_owned(),
            ([], _) => return Err(NoReport::Unknown(name.to_owned())),
            (several, _) => {
                let reports = several.iter().take(MOST_NAMED).map(|it| (*it).to_owned()).collect();
                return Err(NoReport::Several { name: name.to_owned(), reports });
            }
        }
    };
    let path = run.join(ERROR_REPORTS).join(&filename);
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => Ok(fs::read_to_string(&path)?),
        Ok(_) => Err(NoReport::Unknown(name.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let unwritten = sessions_where(run, |named| named.filename() == Some(&filename))?;
            Err(match unwritten.into_iter().next() {
                Some(Named { file, session, .. }) => NoReport::Unwritten { file, session },
                None => NoReport::Unknown(name.to_owned()),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// The file of the report that is about all sessions together.
fn of_whole_run(run: &Path) -> Result<String, NoReport> {
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(run.join(SUMMARY))?).map_err(io::Error::from)?;
    let filename = summary["validation"]["errorReport"]["filename"].as_str();
    let filename = filename.filter(|name| is_report_name(name));
    filename.map(str::to_owned).ok_or_else(|| NoReport::Unknown(RUN.to_owned()))
}

fn sessions_where(run: &Path, is_wanted: impl Fn(&Named) -> bool) -> io::Result<Vec<Named>> {
    let mut found = Vec::new();
    for line in BufReader::new(File::open(run.join(SESSIONS))?).lines() {
        if let Ok(named) = serde_json::from_str::<Named>(&line?)
            && is_wanted(&named)
        {
            found.push(named);
        }
    }
    Ok(found)
}
