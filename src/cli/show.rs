//! `tapecheck show`: a finished run, its calls, its error reports, or all of it in another format.

use super::command_line::CommandLine;
use super::config::config;
use super::explain::validation_report;
use super::inputs::{RawArg, cannot_open_run};
use super::outputs::{Output, OutputParser, printed, save};
use super::recorded::look_up;
use super::run_page::BesideArgs;
use super::summary::Shown;
use super::terminal::{counted, cut, harmless, log_width, print, say};
use super::which_call::RunAtHand;
use super::{Exit, Failure};
use crate::compare::{read_any_manifest, read_manifest, read_summary};
use crate::count::{List, milliseconds_words, rounded_down};
use crate::page;
use crate::recording::{ExchangeKind, Fate, Key, ReplyKind};
use crate::run::Left;
use crate::store::{
    ListRow, Lists, NoReport, SESSIONS, Table, TableReader, TextColumn, error_report, is_run,
    why_unanswered,
};
use crate::view::text::text;
use crate::view::{Block, Field, Item, Line, Section};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
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
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let run = self.run.clone().unwrap_or_else(|| config().out.clone());
        if !is_run(&run) {
            return Err(cannot_open_run(&run));
        }
        let lists = !self.filter.criteria.is_empty();
        if self.filter.criteria.iter().filter(|it| matches!(it, Criterion::On(_))).count() > 1 {
            return Err(Failure::usage(
                "only one of failed, struggle, slow, large and no_reason can be shown at a time",
            )
            .next("name one of them with --filter"));
        }
        if self.filter.raw.is_given() && (self.report.is_some() || !lists) {
            return Err(Failure::usage("--raw shows the texts of listed calls only").next(
                "add --filter failed or another filter, or name a call to tapecheck explain",
            ));
        }
        if let Some(name) = &self.report {
            return show_report(&run, name);
        }
        if lists && printed(&self.format, Format::Text)? != Format::Text {
            return Err(Failure::usage("lists of calls are text only").next(
                "leave --format out, or take the rows from verdicts.parquet of the run (docs/query.md)",
            ));
        }
        if lists {
            return self.filter.show(&run);
        }
        let usual = [Output { format: Format::Text, file: None }];
        for Output { format, file } in if self.format.is_empty() { &usual } else { &*self.format } {
            let format = match format {
                Format::Text => {
                    let (manifest, summary) = (read_manifest(&run)?, read_summary(&run)?);
                    let shown = Shown {
                        summary: &summary.unwrap_or_default(),
                        rulebook: &manifest.comparable.rulebook.name,
                        seconds: manifest.wall.seconds,
                        left: Left::Run,
                        out: &run,
                    };
                    let text = shown.text(self.verbose);
                    file.as_ref().map_or_else(|| print(&text).map(drop), |it| save(it, &text))?;
                    continue;
                }
                Format::Html => page::Format::Html,
                Format::Md => page::Format::Markdown,
                Format::Json => page::Format::Json,
            };
            self.beside.write(&run, &Output { format, file: file.clone() })?;
        }
        Ok(Exit::Clean)
    }
}

/// How much of an input or a reply is shown.
const SHOWN: usize = 400;
const LONGEST_NAME: usize = 160;
const MOST_ISSUES: usize = 5;
const SUGGESTED: usize = 10;

/// Which calls of a run are listed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "List calls, with their texts")]
pub(super) struct Filter {
    /// Those that are `failed` (by what they say), `struggle`, are `slow`, have a `large` reply or `no_reason` (by
    /// tool; docs/lists.md), have `errors` whatever their outcome, or have `outcome=NAME`, `kind=NAME`, `who=NAME`,
    /// `server=NAME`, `tool=NAME`, `session=NAME`, or a confidence `below=N` of 100; repeatable
    #[arg(id = "filter", long = "filter", value_name = "WHAT", value_parser = Criterion::read)]
    criteria: Vec<Criterion>,
    /// List single calls instead of messages or tools
    #[arg(long)]
    each: bool,
    /// How many to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    raw: RawArg,
}

/// What a call that is listed must be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Criterion {
    /// On a list of what to act on.
    On(List),
    /// With an issue of severity `error`.
    Errors,
    Below(u8),
    /// With this name in the column.
    Named(&'static str, String),
}

/// What names may be asked for, and the columns that hold them.
const COLUMNS: [(&str, &str); 6] = [
    ("outcome", "outcome"),
    ("kind", "error_kind"),
    ("who", "who"),
    ("server", "server"),
    ("tool", "tool"),
    ("session", "session"),
];

impl Criterion {
    fn read(text: &str) -> Result<Self, String> {
        let named = text.split_once('=').and_then(|(column, name)| {
            let (_, column) = COLUMNS.into_iter().find(|(it, _)| *it == column)?;
            Some(Self::Named(column, name.to_owned()))
        });
        let below = text.strip_prefix("below=").and_then(|number| number.parse().ok());
        let below = below.filter(|number| (1..=100).contains(number)).map(Self::Below);
        let expected = "expected failed, struggle, slow, large, no_reason, errors, outcome=NAME, kind=NAME, \
             who=NAME, server=NAME, tool=NAME, session=NAME or below=N, 1 to 100";
        match text {
            "failed" => Ok(Self::On(List::Failures)),
            "errors" => Ok(Self::Errors),
            _ => {
                let list = List::of_name(text).map(Self::On);
                list.or(named).or(below).ok_or(expected.to_owned())
            }
        }
    }
}

/// A call that is listed.
struct Listed {
    outcome: String,
    /// The server, and the tool if there is one.
    who: String,
    file: String,
    line: i64,
    key: Key,
    /// Confidence, why it is slow, input and reply, with their names.
    texts: [(&'static str, String); 4],
    /// How many it has, and the first of them.
    all_issues: usize,
    issues: Vec<String>,
}

/// The rows of a group that were asked for, with the outcomes of all and, where they were looked at, confidences.
struct Asked {
    rows: Vec<usize>,
    outcomes: TextColumn,
    confidences: Vec<Option<f64>>,
}

impl Filter {
    fn has(&self, criterion: &Criterion) -> bool {
        self.criteria.contains(criterion)
    }

    /// The list that is asked for.
    fn list(&self) -> Option<List> {
        self.criteria
            .iter()
            .find_map(|it| if let Criterion::On(it) = it { Some(*it) } else { None })
    }

    /// The confidence below which calls are listed.
    fn below(&self) -> Option<u8> {
        let below = |it: &Criterion| if let Criterion::Below(it) = it { Some(*it) } else { None };
        self.criteria.iter().filter_map(below).min()
    }

    fn show(&self, run: &Path) -> Result<Exit, Failure> {
        let at_hand = RunAtHand::read(run)?;
        let mut table = TableReader::open(run, Table::Verdicts)?;
        for criterion in &self.criteria {
            if let Criterion::Named(column, name) = criterion {
                check_name(&mut table, column, name)?;
            }
        }
        if let Some(list) = self.list().filter(|_| !self.each && !self.raw.is_given()) {
            return self.show_list(list, &mut table, run);
        }
        let ([calls, documents], mut listed) = self.find(&mut table)?;
        if self.has(&Criterion::Errors) || self.has(&Criterion::On(List::Failures)) {
            add_issues(run, &mut listed)?;
        }
        if self.raw.is_given() {
            show_secrets(&at_hand, &mut listed, self.raw)?;
        }
        let head = self.head([calls, documents]);
        let mut list = Section::new(format!("{head} in {}", run.display()));
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

    /// How many calls and documents were asked for, in words.
    fn head(&self, [calls, documents]: [u64; 2]) -> String {
        let (call, document) = if self.has(&Criterion::On(List::Failures)) {
            ("failed or invalid call", "invalid document")
        } else {
            ("call", "document")
        };
        let mut head = counted(calls, call);
        if documents > 0 {
            head = format!("{head} and {}", counted(documents, document));
        }
        if self.has(&Criterion::Errors) {
            head += " with errors";
        }
        if let Some(list) = self.list().filter(|list| *list != List::Failures) {
            head = format!("{head} {}", page::about_list(list));
        }
        if let Some(below) = self.below() {
            head = format!("{head} with a confidence below {below}");
        }
        head
    }

    /// A list of what to act on, made of the calls that are asked for.
    fn show_list(&self, list: List, table: &mut TableReader, run: &Path) -> Result<Exit, Failure> {
        let mut lists = Lists::default();
        let mut counts = [0, 0];
        for group in 0..table.groups() {
            let mut is_wanted = vec![false; table.rows(group)];
            let asked = self.rows(table, group, None)?;
            asked.rows.into_iter().for_each(|row| is_wanted[row] = true);
            let listed = lists.read(table, group, |row| is_wanted[row])?;
            let rows = listed.iter().filter(|(_, of)| *of == list).map(|(row, _)| *row);
            count_rows(table, group, &rows.collect::<Vec<_>>(), &mut counts)?;
        }
        let rows = lists.rows();
        let rows: Vec<&ListRow> = rows.iter().filter(|row| row.list == list).collect();
        let tool = |server: &str, tool: &str| {
            let names = [server, tool].into_iter().filter(|name| !name.is_empty());
            let names = names.map(|name| cut(&harmless(name), LONGEST_NAME));
            Line::recorded(names.collect::<Vec<_>>().join(" / "))
        };
        let showing = page::ListShowing {
            text: &|text| harmless(text),
            tool: &tool,
            call: &|key| Line::from(key.to_string()),
        };
        let mut section = page::list_entries(&rows, self.top, &showing);
        let by = if list == List::Failures { ", by what they say" } else { "" };
        section.title = format!("{} in {}{by}", self.head(counts), run.display()).into();
        if let Some(key) = rows.iter().find_map(|row| row.key) {
            section.text("--each lists each call");
            let line = CommandLine::new("tapecheck explain").word(key.to_string()).word(run);
            section.text(Line::from("next: ").then_command(line.to_string()));
        }
        print(&text(&[section], log_width()))
    }

    /// The rows that are asked for: those on the list that is asked for only where lists are made on the way.
    fn rows(
        &self,
        table: &mut TableReader,
        group: usize,
        lists: Option<&mut Lists>,
    ) -> Result<Asked, Failure> {
        let outcomes = table.texts(group, "outcome")?;
        let mut rows: Vec<usize> = (0..outcomes.rows.len()).collect();
        let mut confidences = Vec::new();
        for criterion in &self.criteria {
            match criterion {
                Criterion::Named(column, name) => {
                    let column = table.texts(group, column)?;
                    rows.retain(|row| column.get(*row) == Some(name));
                }
                Criterion::On(_) => {}
                Criterion::Below(below) => {
                    confidences = table.floats(group, "confidence")?;
                    let below = f64::from(*below) / 100.0;
                    rows.retain(|row| confidences[*row].is_some_and(|is| is < below));
                }
                Criterion::Errors => {
                    let errors = table.ints(group, "errors")?;
                    rows.retain(|row| errors[*row] > 0);
                }
            }
        }
        if let Some((list, lists)) = self.list().zip(lists) {
            let listed = lists.read(table, group, |_| true)?.into_iter();
            let on: HashSet<usize> =
                listed.filter(|(_, of)| *of == list).map(|(row, _)| row).collect();
            rows.retain(|row| on.contains(row));
        }
        Ok(Asked { rows, outcomes, confidences })
    }

    /// How many calls and documents were asked for, and the first of them.
    fn find(&self, table: &mut TableReader) -> Result<([u64; 2], Vec<Listed>), Failure> {
        let (mut counts, mut listed) = ([0, 0], Vec::new());
        let mut lists = Lists::default();
        for group in 0..table.groups() {
            let Asked { mut rows, outcomes, confidences } =
                self.rows(table, group, Some(&mut lists))?;
            let counts_of_issues = ["errors", "warnings", "infos"].map(|it| table.ints(group, it));
            let [errors, warnings, infos] = counts_of_issues;
            let (errors, warnings, infos) = (errors?, warnings?, infos?);
            count_rows(table, group, &rows, &mut counts)?;
            rows.truncate(self.top.saturating_sub(listed.len()));
            if rows.is_empty() {
                continue;
            }
            let names = ["server", "tool", "file", "input_excerpt", "reply_excerpt"];
            let columns = names.map(|name| table.texts_in(group, name, &rows));
            let [servers, tools, files, inputs, replies] = columns;
            let texts = servers?.into_iter().zip(tools?).zip(files?).zip(inputs?).zip(replies?);
            let mut slow = self.why_slow(table, group, &rows)?.into_iter();
            let (lines, keys) = (table.ints(group, "line")?, table.keys(group, "key")?);
            for (row, ((((server, tool), file), input), reply)) in rows.into_iter().zip(texts) {
                let who = [server, tool.filter(|tool| !tool.is_empty())];
                let confidence = confidences.get(row).copied().flatten();
                let confidence = confidence.map(|is: f64| ((is * 1e4).round() / 100.0).to_string());
                let why = slow.next();
                let texts =
                    [("confidence", confidence), ("why", why), ("input", input), ("reply", reply)];
                listed.push(Listed {
                    outcome: outcomes.get(row).unwrap_or_default().to_owned(),
                    who: who.into_iter().flatten().collect::<Vec<_>>().join(" / "),
                    file: file.unwrap_or_default(),
                    line: lines[row],
                    key: keys[row].unwrap_or_default(),
                    texts: texts.map(|(name, text)| (name, text.unwrap_or_default())),
                    all_issues: usize::try_from(errors[row] + warnings[row] + infos[row])
                        .unwrap_or_default(),
                    issues: Vec::new(),
                });
            }
        }
        Ok((counts, listed))
    }

    /// Why each of some calls is on the list of the slow, where that is what is listed.
    fn why_slow(
        &self,
        table: &mut TableReader,
        group: usize,
        rows: &[usize],
    ) -> Result<Vec<String>, Failure> {
        if self.list() != Some(List::Slow) {
            return Ok(Vec::new());
        }
        let [fates, replies] = ["fate", "reply"].map(|name| table.texts(group, name));
        let (fates, replies) = (fates?, replies?);
        let took = table.floats(group, "duration_ms")?;
        let why = |row: &usize| {
            let fate = fates.get(*row).and_then(Fate::of_name).unwrap_or_default();
            let reply =
                replies.get(*row).and_then(ReplyKind::of_name).unwrap_or(ReplyKind::NoReply);
            let took =
                took[*row].map(|it| "took ".to_owned() + &milliseconds_words(rounded_down(it)));
            let why = why_unanswered(fate, reply).map(str::to_owned);
            took.into_iter().chain(why).collect::<Vec<_>>().join(", ")
        };
        Ok(rows.iter().map(why).collect())
    }
}

/// Counts calls and documents.
fn count_rows(
    table: &mut TableReader,
    group: usize,
    rows: &[usize],
    counts: &mut [u64; 2],
) -> Result<(), Failure> {
    let kinds = table.texts(group, "kind")?;
    for row in rows {
        let is_call = kinds.get(*row) == Some(ExchangeKind::ToolCall.name());
        counts[usize::from(!is_call)] += 1;
    }
    Ok(())
}

/// Refuses a name that a column of the run does not have.
fn check_name(table: &mut TableReader, column: &str, name: &str) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    for group in 0..table.groups() {
        let texts = table.texts(group, column)?.texts;
        if texts.iter().any(|text| text == name) {
            return Ok(());
        }
        known.extend(texts.iter().take(SUGGESTED).map(harmless));
    }
    let known: Vec<String> = known.into_iter().take(SUGGESTED).collect();
    let known = known.join(", ");
    Err(Failure::usage(format!("the run has no {column} `{}`", harmless(name)))
        .next(format!("name one with --filter {column}=NAME, such as {known}")))
}

/// Adds to each call its issues: those of its place, as many as it has. They follow each other as the calls do.
fn add_issues(run: &Path, listed: &mut [Listed]) -> Result<(), Failure> {
    // For each place the calls that issues are still to come of, with how many of them.
    let mut places: HashMap<(String, i64, Key), VecDeque<(usize, usize)>> = HashMap::new();
    for (at, call) in listed.iter().enumerate().filter(|(_, call)| call.all_issues > 0) {
        let calls = places.entry((call.file.clone(), call.line, call.key)).or_default();
        calls.push_back((at, call.all_issues));
    }
    let mut table = TableReader::open(run, Table::Issues)?;
    for group in 0..table.groups() {
        let names = ["file", "severity", "type", "message"];
        let [files, severities, kinds, messages] = names.map(|name| table.texts(group, name));
        let (files, severities, kinds, messages) = (files?, severities?, kinds?, messages?);
        let (lines, keys) = (table.ints(group, "line")?, table.keys(group, "key")?);
        for (row, (line, key)) in lines.into_iter().zip(keys).enumerate() {
            let file = files.get(row).unwrap_or_default().to_owned();
            let calls = key.and_then(|key| places.get_mut(&(file, line, key)));
            let Some(calls) = calls.filter(|calls| !calls.is_empty()) else { continue };
            let (at, left) = &mut calls[0];
            let at = *at;
            *left -= 1;
            if *left == 0 {
                calls.pop_front();
            }
            if listed[at].issues.len() < MOST_ISSUES {
                let [severity, kind, message] = [&severities, &kinds, &messages]
                    .map(|column| column.get(row).unwrap_or_default());
                listed[at].issues.push(format!("{severity} {kind}: {message}"));
            }
        }
    }
    Ok(())
}

/// Puts the recorded texts of calls in the place of those that the run keeps.
fn show_secrets(run: &RunAtHand, listed: &mut [Listed], raw: RawArg) -> Result<(), Failure> {
    let (rulebook, redactor) = (run.rulebook()?, raw.redactor()?);
    let wanted = listed.iter().map(|call| (call.file.as_str(), call.key));
    let found = look_up(&run.recordings(), u64::MAX, wanted, |_, located| {
        let telling = located.tell(&redactor);
        [telling.input(), telling.text(&rulebook)]
    });
    if found.len() < listed.len() {
        let missing = counted((listed.len() - found.len()) as u64, "call");
        say(&format!("note: {missing} not found in the recordings, shown as the run keeps them"));
    }
    for (at, [input, reply]) in found {
        let [.., (_, shown_input), (_, shown_reply)] = &mut listed[at].texts;
        (*shown_input, *shown_reply) = (input.to_string(), reply.to_string());
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
        let texts = self.texts.iter().map(|(name, text)| (*name, text));
        let fields = texts.chain(self.issues.iter().map(|issue| ("issue", issue)));
        let fields = fields.filter(|(_, text)| !text.is_empty());
        let mut fields: Vec<Field> = fields
            .map(|(name, text)| Field::new(name, Line::recorded(cut(&harmless(text), SHOWN))))
            .collect();
        if self.issues.len() == MOST_ISSUES && self.all_issues > MOST_ISSUES {
            fields.push(Field::new("", format!("{} more", self.all_issues - MOST_ISSUES)));
        }
        item.below.push(Block::Fields(fields));
        item
    }
}

fn show_report(run: &Path, name: &str) -> Result<Exit, Failure> {
    read_any_manifest(run)?;
    let text = match error_report(run, name) {
        Err(NoReport::Unknown(_)) if is_call(name) => validation_report(name, run)?,
        found => found.map_err(|error| match error {
            NoReport::NoRun(_) => cannot_open_run(run),
            NoReport::Unknown(_) => Failure::usage(error).next(format!(
                "{} lists all sessions; those without errors have no report",
                run.join(SESSIONS).display()
            )),
            NoReport::Several { .. } => {
                Failure::usage(error).next("name one of these files instead of the session")
            }
            NoReport::Unreadable(_) | NoReport::Table(_) => {
                Failure::unfinished(error).next("classify the recordings again with tapecheck run")
            }
        })?,
    };
    print(&text)
}

/// A key, or the line of a recording.
fn is_call(name: &str) -> bool {
    let is_key = name.len() >= 4 && name.bytes().all(|it| it.is_ascii_hexdigit() || it == b'#');
    is_key || name.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u64>().is_ok())
}
