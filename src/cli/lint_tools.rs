//! `tapecheck lint-tools`: hold the tool definitions of a corpus against advice.

use super::fail_on::FailOn;
use super::inputs::{BoundsArgs, cannot_open, inputs};
use super::terminal::{counted, grouped, harmless, log_width, print, say};
use super::{Exit, Failure, cannot_print};
use crate::corpus::CorpusReader;
use crate::lint::tools::lint;
use crate::run::{KnownTool, KnownTools, known_tools};
use crate::verdict::{Issue, Severities, Severity};
use crate::view::text::text;
use crate::view::{Block, Item, Line, Section};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files and folders whose tools are looked at; `-` reads standard input
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// Exit with 1 when there is a finding of this severity or worse
    #[arg(long, value_enum, default_value = "warning")]
    fail_on: FailOn,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// Print the findings as one JSON object
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    #[command(flatten)]
    bounds: BoundsArgs,
}

/// How the findings are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Nothing,
    Text,
    Json,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let bounds = self.bounds.bounds();
        let reader = CorpusReader::new(&inputs(&self.corpus), bounds)
            .map_err(|error| cannot_open(&error))?;
        let known = known_tools(reader, &bounds).map_err(Failure::unfinished)?;
        let form = match (self.quiet, self.json) {
            (true, _) => Form::Nothing,
            (false, true) => Form::Json,
            (false, false) => Form::Text,
        };
        let mut report = Report::new(form);
        // Tool by tool, since the findings of all could be many times what the definitions take.
        for tool in &known.tools {
            let piece = report.tool(tool, &lint(&tool.tool));
            print(&piece).map_err(|error| cannot_print(&error))?;
        }
        print(&report.end(&known)).map_err(|error| cannot_print(&error))?;
        if known.is_cut {
            say(
                "warning: there are more tool definitions than are looked at; name fewer recordings at a time",
            );
        }
        if known.tools.is_empty() {
            say(
                "warning: no tool definition was found; recordings hold them in tools/list or beside calls, folders in tools.json",
            );
            return Ok(Exit::Unfinished);
        }
        let is_met = Severity::ALL
            .into_iter()
            .any(|severity| report.count(severity) > 0 && self.fail_on.is_met_by(severity));
        Ok(if is_met { Exit::Findings } else { Exit::Clean })
    }
}

/// What is printed, piece by piece.
struct Report {
    form: Form,
    server: Option<String>,
    servers: u64,
    clean: u64,
    counts: [u64; 3],
}

#[derive(Serialize)]
struct ToolFindings<'a> {
    server: &'a str,
    tool: &'a str,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    severity: Severity,
    #[serde(rename = "type")]
    kind: &'static str,
    message: &'a str,
    location: Option<&'a str>,
    suggestion: Option<&'a str>,
}

#[derive(Serialize)]
struct Undefined<'a> {
    server: &'a str,
    tool: &'a str,
}

#[derive(Serialize)]
struct Summary {
    servers: u64,
    tools: u64,
    tools_without_findings: u64,
    undefined_tools: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
    unreadable: u64,
    is_complete: bool,
}

impl Report {
    fn new(form: Form) -> Self {
        Self { form, server: None, servers: 0, clean: 0, counts: [0; 3] }
    }

    fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// What is printed of one tool. Tools come by server.
    fn tool(&mut self, known: &KnownTool, issues: &[Issue]) -> String {
        let is_first = self.server.is_none();
        let is_new = self.server.as_ref() != Some(&known.server);
        if is_new {
            self.servers += 1;
            self.server = Some(known.server.clone());
        }
        self.clean += u64::from(issues.is_empty());
        let Severities { errors, warnings, infos } = Severities::of(issues);
        for (count, more) in self.counts.iter_mut().zip([errors, warnings, infos]) {
            *count += u64::from(more);
        }
        match self.form {
            Form::Nothing => String::new(),
            Form::Json => {
                let before = if is_first { "{\"tools\":[" } else { "," };
                format!("{before}{}", json(&ToolFindings::new(known, issues)))
            }
            Form::Text => {
                let gap = if is_first { "" } else { "\n" };
                let server = is_new.then(|| format!("{gap}{}\n", harmless(&known.server)));
                server.unwrap_or_default() + &findings(known, issues)
            }
        }
    }

    /// What is printed after all tools.
    fn end(&self, known: &KnownTools) -> String {
        let summary = Summary {
            servers: self.servers,
            tools: known.tools.len() as u64,
            tools_without_findings: self.clean,
            undefined_tools: known.undefined.len() as u64,
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            infos: self.count(Severity::Info),
            unreadable: known.unreadable,
            is_complete: !known.is_cut,
        };
        match self.form {
            Form::Nothing => String::new(),
            Form::Json => {
                let undefined =
                    |(server, tool): &'_ (String, String)| json(&Undefined { server, tool });
                let undefined: Vec<String> = known.undefined.iter().map(undefined).collect();
                let before = if known.tools.is_empty() { "{\"tools\":[" } else { "" };
                let undefined = undefined.join(",");
                format!("{before}],\"undefined\":[{undefined}],\"summary\":{}}}\n", json(&summary))
            }
            Form::Text => summary.text(),
        }
    }
}

impl<'a> ToolFindings<'a> {
    fn new(known: &'a KnownTool, issues: &'a [Issue]) -> Self {
        let finding = |issue: &'a Issue| Finding {
            severity: issue.severity,
            kind: issue.kind.name(),
            message: &issue.message,
            location: issue.location.as_deref(),
            suggestion: issue.suggestion.as_deref(),
        };
        Self {
            server: &known.server,
            tool: &known.tool.name,
            findings: issues.iter().map(finding).collect(),
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The findings of a tool, one a line.
fn findings(known: &KnownTool, issues: &[Issue]) -> String {
    let name = match known.tool.name.as_str() {
        "" => "(without a name)".into(),
        name => Line::recorded(name),
    };
    let name = if issues.is_empty() { name.then(": nothing found") } else { name };
    let below = issues.iter().map(|issue| {
        let line = Line::from(format!("{:<7}  {}", issue.severity.name(), issue.kind.name()));
        let place = issue.location.as_ref().map(|place| format!(" {place}"));
        let line = line.then_recorded(place.unwrap_or_default()).then(": ");
        let line = line.then_recorded(&*issue.message).then(" ");
        Block::Text(line.then(issue.suggestion.as_deref().unwrap_or_default()))
    });
    let mut section = Section::default();
    section.items(vec![Item { line: name, below: below.collect() }]);
    text(&[section], log_width())
}

impl Summary {
    fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "\n{} of {}, {} without findings: {}, {}, {}",
            counted(self.tools, "tool"),
            counted(self.servers, "server"),
            grouped(self.tools_without_findings),
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
            counted(self.infos, "info"),
        );
        if self.undefined_tools > 0 {
            let _ = writeln!(
                out,
                "{} called but defined nowhere; record tools/list to have them looked at",
                counted(self.undefined_tools, "tool"),
            );
        }
        if self.unreadable > 0 {
            let _ = writeln!(
                out,
                "{} could not be read; `tapecheck run` names them",
                counted(self.unreadable, "line or file").replace("line or files", "lines or files"),
            );
        }
        out
    }
}
