//! `tapecheck diff`: two runs compared, or one run with what other rules would make of it.

use super::command_line::CommandLine;
use super::config::config;
use super::exit::FailOnChange;
use super::inputs::load;
use super::opened::{
    Judged, LabelledSide, LabelsArgs, Place, assign, labels_of_run, only_recording,
    read_all_labels, tell_notes,
};
use super::outputs::{Output, OutputParser, check_files_apart, save, write_outputs};
use super::progress::while_waiting;
use super::terminal::{grouped, harmless, log_width, print};
use super::{Exit, Failure};
use crate::compare::show::{
    MOST_BYTES, as_json, as_markdown, flip_line, overlap_words, sections, write_tables,
};
use crate::compare::{Comparison, Kind, Rescorer, Side, cause_of, compare};
use crate::labels::Labelled;
use crate::measure::what_if::{
    Effect, FORMAT, Range, Sweep, SweepError, effect_sections, sweep, sweep_section,
};
use crate::rulebook::edit::Edits;
use crate::rulebook::{Rulebook, Setting, SettingError};
use crate::view::markdown::markdown;
use crate::view::text::text;
use crate::view::{Line, Section};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Runs, baselines or recordings; one alone is compared with what --rulebook or --set makes
    /// of it [default: reports/latest]
    #[arg(num_args = 0..=2, value_names = ["BEFORE", "AFTER"])]
    sides: Vec<PathBuf>,
    /// Rulebook for recordings, or to try on a run; twice: first for BEFORE, then for AFTER
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Vec<String>,
    /// Value to try, such as factors.NAME.weight=3, decide.LINE.threshold=0.4 or threshold=0.4, or a range of values
    /// of one number, FROM..TO or FROM..TO:STEP; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// A path with a range of values.
    #[arg(skip)]
    sweep: Option<(String, String)>,
    /// Write the rulebook with the values of --set into this file
    #[arg(long, value_name = "FILE", requires = "set")]
    write: Option<PathBuf>,
    /// Compare what can be compared, instead of exiting with 3: calls that both sides have and that can be re-scored
    /// without their recordings
    #[arg(long)]
    partial: bool,
    /// Groups to show; the largest of the worst kind come first
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// List all calls of this group, a line each
    #[arg(long, value_name = "ID", conflicts_with = "format")]
    filter: Option<String>,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    format: Vec<Output<Format>>,
    /// Also write all changes as tables (CSV and Parquet)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Exit with 1 when there are such changes
    #[arg(long, value_enum, value_name = "CHANGES", default_value = "never")]
    fail_on: FailOnChange,
    #[command(flatten)]
    labels: LabelsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For terminals
    Text,
    /// For a comment on a pull request, within 60,000 bytes
    #[value(alias = "markdown")]
    Md,
    /// One object
    Json,
}

impl Args {
    pub(super) fn run(mut self) -> Result<Exit, Failure> {
        if self.sides.is_empty() {
            self.sides.push(config().out.clone());
        }
        self.take_range()?;
        let read: Vec<(&str, &Path)> =
            self.sides.iter().map(|side| ("what is compared", side.as_path())).collect();
        let formats = self.format.iter().filter_map(|output| output.file.as_deref());
        check_files_apart(formats.chain(self.write.as_deref()), &read)?;
        let tries = !self.set.is_empty() || self.sweep.is_some();
        match self.sides.as_slice() {
            [_, _] if tries => {
                Err(Failure::usage("--set tries values on one side").next("leave AFTER out"))
            }
            [only] if tries || Place::of(only) != Place::Corpus => self.rescore(),
            _ => self.compare(),
        }
    }

    /// The range among the values to try.
    fn take_range(&mut self) -> Result<(), Failure> {
        let range = |text: &String| {
            let (path, range) = text.split_once('=')?;
            let is_range = range.contains("..") && !range.contains(['"', '\'', '[']);
            is_range.then(|| (path.trim().to_owned(), range.replace("..=", "..")))
        };
        let mut ranges: Vec<(String, String)> = self.set.iter().filter_map(range).collect();
        if ranges.len() > 1 {
            return Err(Failure::usage("--set tries one range at a time")
                .next("leave the other ranges out, or set a value instead"));
        }
        self.set.retain(|text| range(text).is_none());
        self.sweep = ranges.pop();
        if self.write.is_some() && self.set.is_empty() {
            return Err(Failure::usage(
                "--write takes the values of --set, and only a range was given",
            )
            .next("add --set PATH=VALUE"));
        }
        if self.fail_on != FailOnChange::Never && self.sweep.is_some() && self.set.is_empty() {
            let message = "--fail-on checks one value, not a range";
            return Err(Failure::usage(message).next("name one value: --set PATH=VALUE"));
        }
        Ok(())
    }

    /// The command as it would be typed again.
    fn command(&self) -> String {
        CommandLine::new("tapecheck diff")
            .words(&self.sides)
            .flag("--rulebook", &self.rulebook)
            .flag("--set", &self.set)
            .switch("--partial", self.partial)
            .flag("--labels", &self.labels.files)
            .then(&self.labels.judging.spelled())
            .to_string()
    }

    fn exit(&self, comparison: &Comparison) -> Exit {
        let is_found = match self.fail_on {
            FailOnChange::Never => false,
            FailOnChange::Worse => worse(comparison) > 0,
            FailOnChange::Any => !comparison.flips.is_empty(),
        };
        if is_found { Exit::Findings } else { Exit::Clean }
    }
}

/// Calls that got worse, and equal replies that are judged more strictly.
fn worse(comparison: &Comparison) -> u64 {
    comparison.kind(Kind::Regressed) + comparison.kind(Kind::Stricter)
}

/// How many lines are printed at once.
const LINES: usize = 1 << 12;

/// Lists the calls of a group, a line each.
fn list(id: &str, comparison: &Comparison, sides: [&Side; 2]) -> Result<(), Failure> {
    let Some(number) = (0..).zip(&comparison.groups).find(|(_, group)| group.id == id) else {
        return Err(Failure::usage(format!("no group is called {}", harmless(id)))
            .next("leave --filter out to see the groups"));
    };
    let lines: Vec<_> = comparison.flips_of(number.0).collect();
    for some in lines.chunks(LINES) {
        let text: String = some.iter().map(|flip| flip_line(sides, flip) + "\n").collect();
        print(&text)?;
    }
    Ok(())
}

impl Args {
    pub(super) fn compare(&self) -> Result<Exit, Failure> {
        let judging = &self.labels.judging;
        let [(before, first), (after, second)] = assign(&self.sides, &self.rulebook)?;
        let lines = read_all_labels(&self.labels.files())?;
        let before = judging.open(before, first.as_deref())?.side;
        let Judged { side: after, folder } = judging.open(after, second.as_deref())?;
        let labels = match folder.filter(|_| !before.header.is_judged_like(&after.header)) {
            Some(folder) => labels_of_run(&folder.path, &after, &lines)?,
            None => Labelled::default(),
        };
        let doing = format!("comparing {} with {}", after.header.name, before.header.name);
        let mut comparison = while_waiting(&doing, || compare(&before, &after));
        if !lines.is_empty() {
            tell_notes(&labels);
        }
        labels.judge(&mut comparison, [&before, &after]);
        self.check_overlap(&comparison)?;
        if let Some(folder) = &self.out {
            write_tables(folder, &comparison, [&before, &after], &[])?;
        }
        match &self.filter {
            Some(id) => list(id, &comparison, [&before, &after])?,
            None => write_outputs(&self.format, Format::Text, |format| {
                self.comparison(&comparison, format)
            })?,
        }
        Ok(self.exit(&comparison))
    }

    fn comparison(&self, comparison: &Comparison, format: Format) -> String {
        match format {
            Format::Text => {
                let mut all = sections(comparison, self.top, &self.command());
                all.extend(self.what_fails(comparison));
                text(&all, log_width())
            }
            Format::Md => as_markdown(comparison, MOST_BYTES, &self.command()),
            Format::Json => format!("{:#}\n", as_json(comparison)),
        }
    }

    /// Sides over other exchanges are compared only where that is asked for.
    fn check_overlap(&self, comparison: &Comparison) -> Result<(), Failure> {
        let overlap = &comparison.overlap;
        if overlap.is_whole() || (self.partial && overlap.both() > 0) {
            return Ok(());
        }
        let failure = Failure::unfinished(format!(
            "{} and {} do not have the same calls: {}",
            harmless(&comparison.before.name),
            harmless(&comparison.after.name),
            overlap_words(overlap),
        ));
        Err(match overlap.both() {
            0 => failure.next("nothing can be compared; name two runs over the same recordings"),
            _ => failure.next("to compare only calls that both have, add --partial"),
        })
    }

    /// What fails where this comparison does not, though something is worse.
    fn what_fails(&self, comparison: &Comparison) -> Option<Section> {
        if self.fail_on != FailOnChange::Never || worse(comparison) == 0 {
            return None;
        }
        let [before, after] = match &self.sides[..] {
            [before, after] => [before, after],
            [both] => [both, both],
            _ => return None,
        };
        let gate = CommandLine::new("tapecheck gate").words(std::slice::from_ref(after));
        let gate = gate.flag("--baseline", [before]).flag("--rulebook", &self.rulebook);
        let gate = gate
            .flag("--labels", &self.labels.files)
            .then(&self.labels.judging.spelled())
            .to_string();
        let mut section = Section::default();
        section.text(Line::from("to fail on such changes, use: ").then_command(gate));
        Some(section)
    }
}

struct Tried {
    /// What is set, as it would be typed again in full.
    settings: Vec<Setting>,
    /// What differs, in words.
    changes: Vec<String>,
    effect: Option<Effect>,
    sweep: Option<Sweep>,
}

impl Args {
    /// Compares a side with what is tried on it.
    pub(super) fn rescore(&self) -> Result<Exit, Failure> {
        let (judging, tried) = self.rulebooks()?;
        if tried.is_none() && self.set.is_empty() && self.sweep.is_none() {
            return Err(Failure::usage("nothing to compare it with").next(
                "name AFTER, or what to try: --rulebook NAME|FILE, --set PATH=VALUE or --set PATH=FROM..TO",
            ));
        }
        if tried.is_none() && self.set.is_empty() && self.filter.is_some() {
            return Err(Failure::usage("a sweep has no groups to list with --filter")
                .next("name one of its values with --set PATH=VALUE and take a group from there"));
        }
        let named = tried.map(load).transpose()?;
        let opened = self.labels.open_with_labels_beside(self.input(), judging)?;
        opened.tell_notes();
        let Some(now) = opened.side.rulebook.clone() else {
            return Err(self.keeps_nothing("it does not keep its rulebook"));
        };
        let base = named.map_or_else(|| Arc::clone(&now), Arc::new);
        let settings = self.set.iter().map(|text| Setting::parse(text, &base));
        let settings = settings.collect::<Result<Vec<_>, _>>().map_err(|it| wrong(&it))?;
        Setting::check_apart(&settings).map_err(|it| wrong(&it))?;
        let new = if settings.is_empty() {
            base
        } else {
            Arc::new(base.with_settings(&settings).map_err(|error| wrong(&error))?)
        };
        if let Some(path) = &self.write {
            check_replaces_a_rulebook(path)?;
            save(path, &new.resolved)?;
        }
        let rescorer = Rescorer::new(&opened.side, &new)
            .map_err(|error| self.keeps_nothing(&error.to_string()))?;
        let is_changed = tried.is_some() || !settings.is_empty();
        let mut effect = is_changed.then(|| Effect::of(&opened.side, &rescorer, &opened.items));
        if let Some(effect) = &mut effect {
            effect.comparison.after.name = self.name_of_after(tried, &settings);
            let Effect { comparison, after, .. } = effect;
            opened.labelled.judge(comparison, [&opened.side, after]);
        }
        let swept = match &self.sweep {
            Some(range) => Some(go_through(range, &opened, &rescorer)?),
            None => None,
        };
        let tried = Tried { settings, changes: changes(&now, &new), effect, sweep: swept };
        self.write_results(&opened, &tried)?;
        match (&self.filter, &tried.effect) {
            (Some(id), Some(effect)) => {
                list(id, &effect.comparison, [&opened.side, &effect.after])?;
            }
            (Some(_) | None, _) => write_outputs(&self.format, Format::Text, |format| {
                self.tried(&opened, &tried, format)
            })?,
        }
        self.end(&opened, &tried)
    }

    fn input(&self) -> &Path {
        self.sides.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The rulebook that judges a corpus, and the one that is tried instead.
    fn rulebooks(&self) -> Result<(Option<&str>, Option<&str>), Failure> {
        let mut named = self.rulebook.iter().map(String::as_str);
        let judging = match Place::of(self.input()) {
            Place::Corpus => named.next(),
            Place::Run | Place::Baseline => None,
        };
        let tried = named.next();
        match named.next() {
            None => Ok((judging, tried)),
            Some(more) => Err(Failure::usage(format!("too many rulebooks: {more}")).next(
                "name one rulebook to try; recordings also take the one to classify them \
                    with first",
            )),
        }
    }

    fn keeps_nothing(&self, why: &str) -> Failure {
        let input = self.input().display();
        Failure::unfinished(format!("{input} cannot be re-scored: {why}"))
            .next("name the folder of a run, or recordings and --rulebook")
    }

    fn name_of_after(&self, tried: Option<&str>, settings: &[Setting]) -> String {
        let mut parts: Vec<String> = tried.map(str::to_owned).into_iter().collect();
        parts.extend(settings.iter().map(Setting::to_string));
        format!("{} under {}", self.input().display(), parts.join(", "))
    }

    fn write_results(&self, opened: &LabelledSide, tried: &Tried) -> Result<(), Failure> {
        let Some(folder) = &self.out else { return Ok(()) };
        if let Some(effect) = &tried.effect {
            let sides = [&opened.side, &effect.after];
            write_tables(folder, &effect.comparison, sides, &effect.is_in_part)?;
        }
        match &tried.sweep {
            Some(sweep) => Ok(sweep.write_table(folder)?),
            None => Ok(()),
        }
    }

    fn tried(&self, opened: &LabelledSide, tried: &Tried, format: Format) -> String {
        let Tried { effect, sweep, .. } = tried;
        match format {
            Format::Json => self.json(opened, tried).to_string() + "\n",
            Format::Md => {
                let mut parts = Vec::new();
                if let Some(effect) = effect {
                    let about = effect_sections(effect, &tried.changes);
                    parts.extend(about.iter().map(|section| markdown(section, 3)));
                    parts.push(as_markdown(&effect.comparison, MOST_BYTES, &self.command()));
                }
                parts.extend(sweep.as_ref().map(|sweep| markdown(&sweep_section(sweep), 3)));
                parts.join("\n")
            }
            Format::Text => {
                let mut all = Vec::new();
                if let Some(effect) = effect {
                    all.extend(effect_sections(effect, &tried.changes));
                    all.extend(sections(&effect.comparison, self.top, &self.command()));
                }
                all.extend(sweep.as_ref().map(sweep_section));
                text(&all, log_width())
            }
        }
    }

    fn json(&self, opened: &LabelledSide, tried: &Tried) -> serde_json::Value {
        let effect = tried.effect.as_ref();
        json!({
            "format": FORMAT,
            "input": self.input().to_string_lossy(),
            "settings": tried.settings.iter().map(Setting::to_string).collect::<Vec<_>>(),
            "changes": tried.changes,
            "exchanges": opened.side.entries.len(),
            "excluded": effect.map(|effect| effect.excluded),
            "in_part": effect.map(|effect| effect.in_part),
            "reasons": effect.map(|effect| &effect.reasons),
            "flips": effect.map(Effect::flips),
            "accuracy": effect.and_then(|effect| effect.accuracy.as_ref()),
            "comparison": effect.map(|effect| as_json(&effect.comparison)),
            "sweep": tried.sweep,
        })
    }

    /// Calls that need their recordings are no success without `--partial`. Neither are calls that are known only in part
    /// where a check finds nothing.
    fn end(&self, opened: &LabelledSide, tried: &Tried) -> Result<Exit, Failure> {
        let of_sweep = tried.sweep.as_ref().map_or(0, |sweep| sweep.excluded);
        let effect = tried.effect.as_ref();
        let excluded = effect.map_or(0, |effect| effect.excluded).max(of_sweep);
        let in_part = effect.map_or(0, |effect| effect.in_part);
        let exit = effect.map_or(Exit::Clean, |effect| self.exit(&effect.comparison));
        let may_change = in_part > 0 && exit == Exit::Clean && self.fail_on != FailOnChange::Never;
        let (calls, what, otherwise) = match excluded {
            _ if self.partial => return Ok(exit),
            0 if may_change => {
                (in_part, "are known only by class and answer", "count only what is certain")
            }
            0 => return Ok(exit),
            _ => (excluded, "cannot be re-scored", "exclude those calls"),
        };
        let all = grouped(opened.side.entries.len() as u64);
        Err(Failure::unfinished(format!(
            "{} of {all} calls {what} without their recordings",
            grouped(calls)
        ))
        .next(format!(
            "classify the recordings again: {}; or {otherwise} with --partial",
            self.judging_command()
        )))
    }

    /// The command that judges the recordings under what is tried.
    fn judging_command(&self) -> String {
        let last = self.rulebook.last().filter(|_| self.set.is_empty()).map(Path::new);
        let new = last.or(self.write.as_deref());
        let saving = if new.is_none() { "add --write new.toml to this command, then " } else { "" };
        let line = CommandLine::new("tapecheck diff").word(self.input());
        let line = match Place::of(self.input()) {
            Place::Corpus => {
                let first =
                    self.rulebook.first().map_or(config().rulebook.as_str(), String::as_str);
                line.flag("--rulebook", [first])
            }
            Place::Run | Place::Baseline => {
                line.word(only_recording(self.input()).unwrap_or_else(|| "CORPUS".into()))
            }
        };
        format!("{saving}{}", line.flag("--rulebook", [new.unwrap_or(Path::new("new.toml"))]))
    }
}

/// What was tried before may be written over, and nothing else.
fn check_replaces_a_rulebook(path: &Path) -> Result<(), Failure> {
    // In full, since the name alone may be that of a built-in rulebook.
    let is_rulebook = |whole: PathBuf| Rulebook::load(&whole.to_string_lossy()).is_ok();
    if path.is_file() && !path.canonicalize().is_ok_and(is_rulebook) {
        let message = format!("{} already exists and is not a valid rulebook", path.display());
        return Err(Failure::usage(message).next("name a new file for --write"));
    }
    Ok(())
}

fn wrong(error: &SettingError) -> Failure {
    let failure = Failure::usage(error);
    match error {
        SettingError::Unknown { .. } | SettingError::Form(_) => {
            failure.next("`tapecheck list rulebooks NAME` shows what can be set")
        }
        SettingError::NoNumber { .. } => failure
            .next("sweep a number: `tapecheck list rulebooks NAME` shows weights and thresholds"),
        SettingError::Twice(..) => failure.next("leave one of them out"),
        SettingError::Refused { .. } => failure.next("set a valid value"),
    }
}

/// The place of the number that scores are divided by, which may be a word.
const DENOMINATOR: &str = "score.denominator";

fn wrong_sweep(error: SweepError, rulebook: &Rulebook) -> Failure {
    match error {
        SweepError::Setting(SettingError::NoNumber { ref path, .. }) if path == DENOMINATOR => {
            let now = rulebook.denominator;
            Failure::usage(error).next(format!(
                "the weights add up to {now}: add --set {DENOMINATOR}={now} to make it a number, \
                 then sweep it"
            ))
        }
        SweepError::Setting(error) => wrong(&error),
        SweepError::NotDecided(_) => Failure::usage(error)
            .next("weights, thresholds and other numbers used only to decide can be swept"),
        SweepError::Bounds { .. } => Failure::usage(error).next("choose a range of valid values"),
    }
}

fn go_through(
    (path, range): &(String, String),
    opened: &LabelledSide,
    rescorer: &Rescorer<'_>,
) -> Result<Sweep, Failure> {
    let range = Range::parse(range).map_err(Failure::usage)?;
    let found = sweep(&opened.side, rescorer, &opened.items, path, &range.values());
    found.map_err(|error| wrong_sweep(error, rescorer.rulebook()))
}

/// What differs between two rulebooks, in words.
fn changes(before: &Rulebook, after: &Rulebook) -> Vec<String> {
    let edits = Edits::between(before, after);
    edits.iter().flat_map(Edits::all).map(|edit| cause_of(edit).change).collect()
}
