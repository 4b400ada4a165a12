//! `tapecheck show`: a finished run, its calls, its error reports, or all of it in another format.

use super::command_line::CommandLine;
use super::config::config;
use super::explain::validation_report;
use super::inputs::{RawArg, cannot_open_run};
use super::outputs::{Output, OutputParser, check_apart, printed, save};
use super::recorded::look_up;
use super::run_page::BesideArgs;
use super::summary::Shown;
use super::target::RunAtHand;
use super::terminal::{counted, cut, harmless, log_width, print, say};
use super::{Exit, Failure};
use crate::compare::{read_any_manifest, read_manifest};
use crate::page;
use crate::recording::{ExchangeKind, Key};
use crate::redact::Redactor;
use crate::store::{
    NoReport, ReportError, SESSIONS, Table, TableReader, TextColumn, error_report, is_run,
};
use crate::verdict::Outcome;
use crate::view::text::text;
use crate::view::{Block, Field, Item, Line, Section};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of a run [default: reports/latest]
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    /// Print the report of a session, by its name or the report's file name (`run` for all), or of a call
    #[arg(long, value_name = "SESSION|CALL", conflicts_with_all = ["filter", "format"])]
    report: Option<String>,
    /// What to print, or to write into a file; `html` alone writes RUN/report.html
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    format: Vec<Output<Format>>,
    /// Print everything that was counted
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    beside: BesideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// What `run` printed, or the calls that were asked for
    Text,
    /// One page that any browser opens from disk
    Html,
    /// Markdown for a pull request or the summary of a job
    #[value(alias = "markdown")]
    Md,
    /// One JSON object with everything
    Json,
    /// One long table
    Csv,
}

impl Format {
    fn of_page(self) -> Option<page::Format> {
        match self {
            Self::Text => None,
            Self::Html => Some(page::Format::Html),
            Self::Md => Some(page::Format::Markdown),
            Self::Json => Some(page::Format::Json),
            Self::Csv => Some(page::Format::Csv),
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let run = self.run.clone().unwrap_or_else(|| config().out.clone());
        if !is_run(&run) {
            return Err(cannot_open_run(&run));
        }
        if self.filter.is_raw() && (self.report.is_some() || !self.filter.is_some()) {
            return Err(Failure::usage("--raw shows the texts of listed calls only").next(
                "add --filter failed or another filter, or name a call to tapecheck explain",
            ));
        }
        if let Some(name) = &self.report {
            return show_report(&run, name);
        }
        if self.filter.is_some() {
            return match printed(&self.format, Format::Text)? {
                Format::Text => self.filter.show(&run),
                Format::Html | Format::Md | Format::Json | Format::Csv => Err(Failure::usage("lists of calls are text only").next(
                    "leave --format out, or take the rows from verdicts.parquet of the run (docs/query.md)",
                )),
            };
        }
        check_apart(&self.format, &[("the run", &run)])?;
        if self.format.is_empty() {
            print(&self.text(&run)?)?;
        }
        for output in &self.format {
            match (output.format.of_page(), &output.file) {
                (Some(format), file) => {
                    self.beside.write(&run, &Output { format, file: file.clone() })?;
                }
                (None, Some(file)) => save(file, &self.text(&run)?)?,
                (None, None) => _ = print(&self.text(&run)?)?,
            }
        }
        Ok(Exit::Clean)
    }

    fn text(&self, run: &Path) -> Result<String, Failure> {
        let stored = Shown::read(run)?;
        Ok(if self.verbose { stored.long_text() } else { stored.text() })
    }
}

/// How much of an input or a reply is shown.
const SHOWN: usize = 400;
const MOST_ISSUES: usize = 5;
const SUGGESTED: usize = 10;

/// Which calls of a run are listed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "List calls, with their texts")]
pub(super) struct Filter {
    /// Those that are `failed`, have `errors` whatever their outcome, or have `server=NAME`, `tool=NAME`, `session=NAME`,
    /// or a confidence `below=N` of 100; repeatable
    #[arg(id = "filter", long = "filter", value_name = "WHAT", value_parser = Criterion::read)]
    criteria: Vec<Criterion>,
    /// How many to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    raw: RawArg,
}

/// What a call that is listed must be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Criterion {
    /// Failed or invalid.
    Failed,
    /// With an issue of severity `error`.
    Errors,
    Below(u8),
    /// With this name in the column.
    Named(&'static str, String),
}

impl Criterion {
    fn read(text: &str) -> Result<Self, String> {
        const EXPECTED: &str =
            "expected failed, errors, server=NAME, tool=NAME, session=NAME or below=N, 1 to 100";
        Ok(match (text, text.split_once('=')) {
            ("failed", _) => Self::Failed,
            ("errors", _) => Self::Errors,
            (_, Some(("below", number))) => match number.parse() {
                Ok(number @ 1..=100) => Self::Below(number),
                _ => return Err(EXPECTED.to_owned()),
            },
            (_, Some((column, name))) => {
                let mut columns = ["server", "tool", "session"].into_iter();
                let column = columns.find(|known| *known == column).ok_or(EXPECTED)?;
                Self::Named(column, name.to_owned())
            }
            _ => return Err(EXPECTED.to_owned()),
        })
    }
}

/// The calls and documents that were asked for.
#[derive(Default)]
struct Found {
    calls: u64,
    documents: u64,
    /// The first of them.
    listed: Vec<Listed>,
}

struct Listed {
    outcome: String,
    /// The server, and the tool if there is one.
    who: String,
    file: String,
    line: i64,
    key: Key,
    /// Input, reply and issues, with their names.
    texts: Vec<(&'static str, String)>,
    issues: usize,
}

/// A column that a name is looked for in.
struct Wanted<'a> {
    column: &'static str,
    name: &'a str,
    seen: BTreeSet<String>,
    is_found: bool,
}

impl Filter {
    /// Whether the recorded texts of what is listed are wanted.
    pub(super) fn is_raw(&self) -> bool {
        self.raw.is_given()
    }

    pub(super) fn is_some(&self) -> bool {
        !self.criteria.is_empty()
    }

    fn has(&self, criterion: &Criterion) -> bool {
        self.criteria.contains(criterion)
    }

    /// The confidence below which calls are listed.
    fn below(&self) -> Option<u8> {
        let below = self.criteria.iter().filter_map(|it| match it {
            Criterion::Below(number) => Some(*number),
            Criterion::Failed | Criterion::Errors | Criterion::Named(..) => None,
        });
        below.min()
    }

    pub(super) fn show(&self, run: &Path) -> Result<Exit, Failure> {
        let not_read = |error| {
            Failure::unfinished(error).next("classify the recordings again with tapecheck run")
        };
        read_manifest(run)?;
        let wanted = self.criteria.iter().filter_map(|it| match it {
            Criterion::Named(column, name) => {
                Some(Wanted { column, name, seen: BTreeSet::new(), is_found: false })
            }
            Criterion::Failed | Criterion::Errors | Criterion::Below(_) => None,
        });
        let mut wanted: Vec<Wanted<'_>> = wanted.collect();
        let Found { calls, documents, mut listed } =
            self.find(run, &mut wanted).map_err(not_read)?;
        if let Some(missing) = wanted.iter().find(|wanted| !wanted.is_found) {
            return Err(missing.failure());
        }
        if self.has(&Criterion::Errors) || self.has(&Criterion::Failed) {
            add_issues(run, &mut listed).map_err(not_read)?;
        }
        if self.raw.is_given() {
            show_secrets(run, &mut listed, &self.raw.redactor()?)?;
        }
        let mut list =
            Section::new(format!("{} in {}", self.head(calls, documents), run.display()));
        list.items(listed.iter().map(Listed::item).collect());
        let mut end = Section::default();
        let found = calls + documents;
        if (listed.len() as u64) < found {
            end.text(format!("{} are listed; --top {found} lists all", listed.len()));
        }
        if let Some(first) = listed.first() {
            let line = CommandLine::new("tapecheck explain").word(first.key.to_string()).word(run);
            end.text(Line::from("next: ").then_command(line.to_string()));
        }
        print(&text(&[list, end], log_width()))
    }

    fn head(&self, calls: u64, documents: u64) -> String {
        let (of_call, of_document) = if self.has(&Criterion::Failed) {
            ("failed or invalid ", "invalid ")
        } else {
            ("", "")
        };
        let calls_words = counted(calls, &format!("{of_call}call"));
        let documents_words = counted(documents, &format!("{of_document}document"));
        let words = match (calls, documents) {
            (_, 0) => calls_words,
            (0, _) => documents_words,
            (_, _) => format!("{calls_words} and {documents_words}"),
        };
        let errors = if self.has(&Criterion::Errors) { " with errors" } else { "" };
        let below = self.below().map_or_else(String::new, |confidence| {
            format!(" with a confidence below {confidence}")
        });
        words + errors + &below
    }

    fn find(&self, run: &Path, wanted: &mut [Wanted<'_>]) -> Result<Found, ReportError> {
        let mut found = Found::default();
        let mut table = TableReader::open(run, Table::Verdicts)?;
        for group in 0..table.groups() {
            let outcomes = table.texts(group, "outcome")?;
            let mut rows: Vec<usize> = (0..outcomes.rows.len()).collect();
            for wanted in &mut *wanted {
                let column = table.texts(group, wanted.column)?;
                wanted.look(&column);
                rows.retain(|row| column.get(*row) == Some(wanted.name));
            }
            if self.has(&Criterion::Failed) {
                rows.retain(|row| outcomes.get(*row).is_some_and(is_bad));
            }
            let mut confidences = Vec::new();
            if let Some(below) = self.below() {
                confidences = table.floats(group, "confidence")?;
                let below = f64::from(below) / 100.0;
                rows.retain(|row| confidences[*row].is_some_and(|is| is < below));
            }
            let mut issues = vec![0; outcomes.rows.len()];
            for column in ["errors", "warnings", "infos"] {
                let counts = table.ints(group, column)?;
                if self.has(&Criterion::Errors) && column == "errors" {
                    rows.retain(|row| counts[*row] > 0);
                }
                for (issues, count) in issues.iter_mut().zip(counts) {
                    *issues += usize::try_from(count).unwrap_or_default();
                }
            }
            let kinds = table.texts(group, "kind")?;
            let is_call = |row: &&usize| kinds.get(**row) == Some(ExchangeKind::ToolCall.name());
            let calls = rows.iter().filter(is_call).count();
            found.calls += calls as u64;
            found.documents += (rows.len() - calls) as u64;
            rows.truncate(self.top.saturating_sub(found.listed.len()));
            if rows.is_empty() {
                continue;
            }
            let mut column = |name| table.texts_in(group, name, &rows);
            let mut columns = [
                column("server")?,
                column("tool")?,
                column("file")?,
                column("input_excerpt")?,
                column("reply_excerpt")?,
            ];
            let (lines, keys) = (table.ints(group, "line")?, table.keys(group, "key")?);
            for (at, row) in rows.iter().enumerate() {
                let texts = columns.each_mut().map(|column| column[at].take().unwrap_or_default());
                let [server, tool, file, input, reply] = texts;
                let confidence = confidences.get(*row).copied().flatten();
                let confidence = confidence
                    .map_or_else(String::new, |is| ((is * 1e4).round() / 100.0).to_string());
                let who = if tool.is_empty() { server } else { format!("{server} / {tool}") };
                found.listed.push(Listed {
                    outcome: outcomes.get(*row).unwrap_or_default().to_owned(),
                    who,
                    file,
                    line: lines[*row],
                    key: keys[*row].unwrap_or_default(),
                    texts: vec![("confidence", confidence), ("input", input), ("reply", reply)],
                    issues: issues[*row],
                });
            }
        }
        Ok(found)
    }
}

/// Beside each call, its issues: those of its place, as many as it has. They follow each other as the
/// calls do.
fn add_issues(run: &Path, listed: &mut [Listed]) -> Result<(), ReportError> {
    let mut places: HashMap<(String, i64, Key), VecDeque<usize>> = HashMap::new();
    for (at, call) in listed.iter().enumerate().filter(|(_, call)| call.issues > 0) {
        let place = (call.file.clone(), call.line, call.key);
        places.entry(place).or_default().push_back(at);
    }
    let mut left: Vec<usize> = listed.iter().map(|call| call.issues).collect();
    let mut table = TableReader::open(run, Table::Issues)?;
    for group in 0..table.groups() {
        let [files, severity, kind, message] =
            ["file", "severity", "type", "message"].map(|name| table.texts(group, name));
        let (files, severity, kind, message) = (files?, severity?, kind?, message?);
        let keys = table.keys(group, "key")?;
        for (row, line) in table.ints(group, "line")?.into_iter().enumerate() {
            let text = |column: &TextColumn| column.get(row).unwrap_or_default().to_owned();
            let Some(key) = keys[row] else { continue };
            let Some(calls) = places.get_mut(&(text(&files), line, key)) else { continue };
            let Some(&call) = calls.front() else { continue };
            left[call] -= 1;
            if left[call] == 0 {
                calls.pop_front();
            }
            if listed[call].issues - left[call] <= MOST_ISSUES {
                let [severity, kind, message] = [&severity, &kind, &message].map(text);
                listed[call].texts.push(("issue", format!("{severity} {kind}: {message}")));
            } else if left[call] == 0 {
                let more = listed[call].issues - MOST_ISSUES;
                listed[call].texts.push(("", format!("{more} more")));
            }
        }
    }
    Ok(())
}

/// Puts the recorded texts of calls in the place of those that the run keeps.
fn show_secrets(run: &Path, listed: &mut [Listed], redactor: &Redactor) -> Result<(), Failure> {
    let Some(at_hand) = RunAtHand::take_from(&mut vec![run.to_owned()])? else { return Ok(()) };
    let rulebook = at_hand.rulebook()?;
    let wanted = listed.iter().map(|call| (call.file.as_str(), call.key));
    let found = look_up(&at_hand.recordings(), u64::MAX, wanted, |_, located| {
        let telling = located.tell(redactor);
        [("input", telling.input()), ("reply", telling.text(&rulebook))]
    });
    if found.len() < listed.len() {
        let missing = counted((listed.len() - found.len()) as u64, "call");
        say(&format!("note: {missing} not found in the recordings, shown as the run keeps them"));
    }
    for (at, texts) in found {
        let call = &mut listed[at];
        for (name, text) in texts {
            if let Some((_, shown)) = call.texts.iter_mut().find(|(known, _)| *known == name) {
                *shown = text.to_string();
            }
        }
    }
    Ok(())
}

impl Listed {
    fn item(&self) -> Item {
        let head = Line::from(format!("{:<7} ", self.outcome)).then_recorded(&*self.who).then("  ");
        let mut item = Item::new(
            head.then_recorded(format!("{}:{}", self.file, self.line))
                .then(format!("  {}", self.key)),
        );
        let fields = self.texts.iter().filter(|(_, text)| !text.is_empty());
        let fields = fields
            .map(|(name, text)| Field::new(*name, Line::recorded(cut(&harmless(text), SHOWN))));
        item.below.push(Block::Fields(fields.collect()));
        item
    }
}

fn is_bad(outcome: &str) -> bool {
    Outcome::ALL.into_iter().any(|known| known.is_bad() && known.name() == outcome)
}

impl Wanted<'_> {
    fn look(&mut self, column: &TextColumn) {
        self.is_found |= column.texts.iter().any(|text| text == self.name);
        let room = (SUGGESTED + 1).saturating_sub(self.seen.len());
        self.seen.extend(column.texts.iter().take(room).map(str::to_owned));
    }

    fn failure(&self) -> Failure {
        let names: Vec<String> =
            self.seen.iter().take(SUGGESTED).map(|name| harmless(name)).collect();
        let more = if self.seen.len() > SUGGESTED { ", …" } else { "" };
        Failure::usage(format!("the run has no {} `{}`", self.column, harmless(self.name))).next(
            format!("name one of {}{more} with --filter {}=NAME", names.join(", "), self.column),
        )
    }
}

fn show_report(run: &Path, name: &str) -> Result<Exit, Failure> {
    if is_run(run) {
        read_any_manifest(run)?;
    }
    let text = match error_report(run, name) {
        Err(NoReport::Unknown(_)) if is_call(name) => validation_report(name, run)?,
        found => found.map_err(|error| failed(run, &error))?,
    };
    print(&text)
}

/// A key, or the line of a recording.
fn is_call(name: &str) -> bool {
    let is_key =
        name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'#');
    let is_line = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    is_key || name.rsplit_once(':').is_some_and(|(_, line)| is_line(line))
}

fn failed(run: &Path, error: &NoReport) -> Failure {
    let failure = Failure::usage(error);
    match error {
        NoReport::NoRun(_) => {
            failure.next("name the run's folder: tapecheck show RUN --report SESSION")
        }
        NoReport::Unknown(_) => failure.next(format!(
            "{} lists all sessions; those without errors have no report",
            run.join(SESSIONS).display()
        )),
        NoReport::Several { .. } => failure.next("name one of these files instead of the session"),
        NoReport::Unreadable(_) | NoReport::Table(_) => {
            Failure::unfinished(error).next("classify the recordings again with tapecheck run")
        }
    }
}
