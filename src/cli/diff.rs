//! `tapecheck diff`: two runs compared, or one run with what other rules would make of it.

use super::command_line::CommandLine;
use super::config::config;
use super::exit::FailOnChange;
use super::inputs::load;
use super::opened_path::{
    Judged, LabelledSide, LabelsArgs, PathKind, assign, labels_or_beside, nothing_to_compare,
    only_recording, tell_notes,
};
use super::outputs::{Output, OutputParser, save, write_outputs};
use super::progress::while_waiting;
use super::terminal::{grouped, harmless, log_width, print};
use super::{Exit, Failure};
use crate::compare::show::{
    MOST_BYTES, as_json, as_markdown, flip_line, overlap_words, sections, write_tables,
};
use crate::compare::{Comparison, Kind, Rescorer, Side, cause_of, compare};
use crate::labels::Labelled;
use crate::measure::what_if::{
    Effect, FORMAT, Sweep, SweepError, effect_sections, sweep, sweep_section, values,
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
        let tries = !self.set.is_empty() || self.sweep.is_some();
        match self.sides.as_slice() {
            [_, _] if tries => {
                Err(Failure::usage("--set tries values on one side").next("leave AFTER out"))
            }
            [only] if tries || PathKind::of(only) != PathKind::Corpus => self.rescore(),
            _ => self.compare(),
        }
    }

    /// Takes the range out of the values to try.
    fn take_range(&mut self) -> Result<(), Failure> {
        let range = |text: &String| {
            let (path, range) = text.split_once('=')?;
            let is_range = range.contains("..") && !range.contains(['"', '\'', '[']);
            is_range.then(|| (path.trim().to_owned(), range.replace("..=", "..")))
        };
        let mut ranges: Vec<(String, String)> = self.set.iter().filter_map(range).collect();
        self.set.retain(|text| range(text).is_none());
        let has_value = !self.set.is_empty();
        let wrong = if ranges.len() > 1 {
            Some("--set tries one range at a time")
        } else if self.write.is_some() && !has_value {
            Some("--write takes the values of --set, and only a range was given")
        } else if !ranges.is_empty() && !has_value && self.fail_on != FailOnChange::Never {
            Some("--fail-on checks one value, not a range")
        } else {
            None
        };
        self.sweep = ranges.pop();
        let wrong = wrong.map(|what| Failure::usage(what).next("name one value: --set PATH=VALUE"));
        wrong.map_or(Ok(()), Err)
    }

    /// The command as it would be typed again.
    fn command(&self) -> String {
        CommandLine::new("tapecheck diff")
            .words(&self.sides)
            .flag("--rulebook", &self.rulebook)
            .flag("--set", &self.set)
            .switch("--partial", self.partial)
            .then(&self.labels.spelled())
            .to_string()
    }

    fn exit(&self, comparison: &Comparison) -> Exit {
        let is_found = self.fail_on.is_met(!comparison.flips.is_empty(), worse(comparison) > 0);
        if is_found { Exit::Findings } else { Exit::Clean }
    }

    fn compare(&self) -> Result<Exit, Failure> {
        let judging = &self.labels.judging;
        let [(before, first), (after, second)] = assign(&self.sides, &self.rulebook)?;
        let lines = self.labels.lines()?;
        let before = judging.open(before, first.as_deref())?.side;
        let Judged { side: after, folder } = judging.open(after, second.as_deref())?;
        let is_named = lines.is_some();
        let run = folder.filter(|_| !before.header.is_judged_like(&after.header));
        let labels = run.map(|run| {
            Labelled::of_run(&run.path, &after, &labels_or_beside(lines, &run.path).lines)
        });
        let labels = labels.transpose()?.unwrap_or_default();
        let doing = format!("comparing {} with {}", after.header.name, before.header.name);
        let mut comparison = while_waiting(&doing, || compare(&before, &after));
        if is_named {
            tell_notes(&labels);
        }
        let sides = [&before, &after];
        labels.judge(&mut comparison, sides);
        self.check_overlap(&comparison)?;
        if let Some(folder) = &self.out {
            write_tables(folder, &comparison, sides, &[])?;
        }
        self.print(Some((&comparison, sides)), |format| match format {
            Format::Text => {
                let mut all = sections(&comparison, self.top, &self.command());
                all.extend(self.what_fails(&comparison));
                text(&all, log_width())
            }
            Format::Md => as_markdown(&comparison, MOST_BYTES, &self.command()),
            Format::Json => format!("{:#}\n", as_json(&comparison)),
        })?;
        Ok(self.exit(&comparison))
    }

    /// Lists a group, or prints what is found in the formats asked for.
    fn print(
        &self,
        compared: Option<(&Comparison, [&Side; 2])>,
        all: impl Fn(Format) -> String,
    ) -> Result<(), Failure> {
        match (&self.filter, compared) {
            (Some(id), Some((comparison, sides))) => list(id, comparison, sides),
            (Some(_) | None, _) => write_outputs(&self.format, Format::Text, all),
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
        Err(failure.next(match overlap.both() {
            0 => "nothing can be compared; name two runs over the same recordings",
            _ => "to compare only calls that both have, add --partial",
        }))
    }

    /// What fails where this comparison does not, though something is worse.
    fn what_fails(&self, comparison: &Comparison) -> Option<Section> {
        let (before, after) = (self.sides.first()?, self.sides.last()?);
        if self.fail_on != FailOnChange::Never || worse(comparison) == 0 {
            return None;
        }
        let gate = CommandLine::new("tapecheck gate").word(after).flag("--baseline", [before]);
        let gate = gate.flag("--rulebook", &self.rulebook).then(&self.labels.spelled()).to_string();
        let mut section = Section::default();
        section.text(Line::from("to fail on such changes, use: ").then_command(gate));
        Some(section)
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
    let number = (0..).zip(&comparison.groups).find(|(_, group)| group.id == id);
    let (number, _) = number.ok_or_else(|| {
        Failure::usage(format!("no group is called {}", harmless(id)))
            .next("leave --filter out to see the groups")
    })?;
    let lines: Vec<_> = comparison.flips_of(number).collect();
    for some in lines.chunks(LINES) {
        let text: String = some.iter().map(|flip| flip_line(sides, flip) + "\n").collect();
        print(&text)?;
    }
    Ok(())
}

/// What another rulebook, other values, or a range of values make of a side.
struct Tried {
    /// What is set, as it would be typed again in full.
    settings: Vec<String>,
    /// What differs, in words.
    changes: Vec<String>,
    effect: Option<Effect>,
    sweep: Option<Sweep>,
}

impl Args {
    /// Compares a side with what is tried on it.
    fn rescore(&self) -> Result<Exit, Failure> {
        // A corpus is judged by the first rulebook, and the next one is tried.
        let input = self.input();
        let judges = usize::from(PathKind::of(input) == PathKind::Corpus);
        let judging = self.rulebook.first().filter(|_| judges > 0).map(String::as_str);
        let named = self.rulebook.get(judges);
        let is_changed = named.is_some() || !self.set.is_empty();
        if let Some(more) = self.rulebook.get(judges + 1) {
            return Err(Failure::usage(format!("too many rulebooks: {more}")).next(
                "name one to try; recordings also take the one to classify them with first",
            ));
        }
        if !is_changed && self.sweep.is_none() {
            return Err(nothing_to_compare());
        }
        if !is_changed && self.filter.is_some() {
            return Err(Failure::usage("a sweep has no groups to list with --filter")
                .next("name one of its values with --set PATH=VALUE and take a group from there"));
        }
        let base = named.map(|named| load(named)).transpose()?;
        let opened = self.labels.open(input, judging)?;
        tell_notes(&opened.labelled);
        let keeps_nothing = |why: String| {
            Failure::unfinished(format!("{} cannot be re-scored: {why}", input.display()))
                .next("name the folder of a run, or recordings and --rulebook")
        };
        let now = opened.side.rulebook.clone();
        let now = now.ok_or_else(|| keeps_nothing("it does not keep its rulebook".to_owned()))?;
        let mut new = base.map_or_else(|| Arc::clone(&now), Arc::new);
        let settings = self.set.iter().map(|text| Setting::parse(text, &new));
        let settings = settings.collect::<Result<Vec<_>, _>>().map_err(|it| wrong(&it))?;
        Setting::check_apart(&settings).map_err(|it| wrong(&it))?;
        if !settings.is_empty() {
            new = Arc::new(new.with_settings(&settings).map_err(|error| wrong(&error))?);
        }
        if let Some(path) = &self.write {
            check_replaces_a_rulebook(path)?;
            save(path, &new.resolved)?;
        }
        let rescorer = Rescorer::new(&opened.side, &new);
        let rescorer = rescorer.map_err(|error| keeps_nothing(error.to_string()))?;
        let settings: Vec<String> = settings.iter().map(Setting::to_string).collect();
        let mut effect = is_changed.then(|| Effect::of(&opened.side, &rescorer, &opened.items));
        if let Some(Effect { comparison, after, .. }) = &mut effect {
            let parts: Vec<&str> = named.into_iter().chain(&settings).map(String::as_str).collect();
            comparison.after.name = format!("{} under {}", input.display(), parts.join(", "));
            opened.labelled.judge(comparison, [&opened.side, after]);
        }
        let sweep = self.sweep.as_ref().map(|range| go_through(range, &opened, &rescorer));
        let (sweep, edits) = (sweep.transpose()?, Edits::between(&now, &new));
        let changes = edits.iter().flat_map(Edits::all).map(|edit| cause_of(edit).change);
        let tried = Tried { settings, changes: changes.collect(), effect, sweep };
        let compared =
            tried.effect.as_ref().map(|it| (&it.comparison, [&opened.side, &it.after], it));
        if let (Some(folder), Some((comparison, sides, effect))) = (&self.out, compared) {
            write_tables(folder, comparison, sides, &effect.is_in_part)?;
        }
        if let (Some(folder), Some(sweep)) = (&self.out, &tried.sweep) {
            sweep.write_table(folder)?;
        }
        let compared = compared.map(|(comparison, sides, _)| (comparison, sides));
        self.print(compared, |format| self.tried(&opened, &tried, format))?;
        self.end(&opened, &tried)
    }

    fn input(&self) -> &Path {
        self.sides.first().map_or(Path::new(""), PathBuf::as_path)
    }

    fn tried(&self, opened: &LabelledSide, tried: &Tried, format: Format) -> String {
        let sweep = tried.sweep.as_ref().map(sweep_section);
        let about = tried.effect.iter().flat_map(|it| effect_sections(it, &tried.changes));
        let comparison = tried.effect.iter().map(|effect| &effect.comparison);
        match format {
            Format::Json => self.json(opened, tried).to_string() + "\n",
            Format::Md => {
                let parts = about.map(|section| markdown(&section, 3));
                let comparison = comparison.map(|it| as_markdown(it, MOST_BYTES, &self.command()));
                let sweep = sweep.map(|section| markdown(&section, 3));
                parts.chain(comparison).chain(sweep).collect::<Vec<_>>().join("\n")
            }
            Format::Text => {
                let comparison = comparison.flat_map(|it| sections(it, self.top, &self.command()));
                text(&about.chain(comparison).chain(sweep).collect::<Vec<_>>(), log_width())
            }
        }
    }

    fn json(&self, opened: &LabelledSide, tried: &Tried) -> serde_json::Value {
        let effect = tried.effect.as_ref();
        json!({
            "format": FORMAT,
            "input": self.input().to_string_lossy(),
            "settings": tried.settings,
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
        let may_change = exit == Exit::Clean && self.fail_on != FailOnChange::Never;
        let (calls, what) = match (excluded, in_part) {
            _ if self.partial => return Ok(exit),
            (0, in_part) if in_part > 0 && may_change => {
                (in_part, "are known only by class and answer")
            }
            (0, _) => return Ok(exit),
            (excluded, _) => (excluded, "cannot be re-scored"),
        };
        let (calls, all) = (grouped(calls), grouped(opened.side.entries.len() as u64));
        Err(Failure::unfinished(format!("{calls} of {all} calls {what} without their recordings"))
            .next(format!(
                "classify the recordings again: {}; or leave those calls out with --partial",
                self.judging_command()
            )))
    }

    /// The command that judges the recordings under what is tried.
    fn judging_command(&self) -> String {
        let last = self.rulebook.last().filter(|_| self.set.is_empty()).map(Path::new);
        let new = last.or(self.write.as_deref());
        let saving = if new.is_none() { "add --write new.toml to this command, then " } else { "" };
        let line = CommandLine::new("tapecheck diff").word(self.input());
        let line = if PathKind::of(self.input()) == PathKind::Corpus {
            line.flag("--rulebook", [self.rulebook.first().unwrap_or(&config().rulebook)])
        } else {
            line.word(only_recording(self.input()).unwrap_or_else(|| "CORPUS".into()))
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
    Failure::usage(error).next(match error {
        SettingError::Twice(..) => "leave one of them out",
        SettingError::Refused { .. } => "set a valid value",
        SettingError::Unknown { .. } | SettingError::Form(_) | SettingError::NoNumber { .. } => {
            "`tapecheck list rulebooks NAME` shows what can be set; only numbers can be swept"
        }
    })
}

/// The place of the number that scores are divided by, which may be a word.
const DENOMINATOR: &str = "score.denominator";

fn go_through(
    (path, range): &(String, String),
    opened: &LabelledSide,
    rescorer: &Rescorer<'_>,
) -> Result<Sweep, Failure> {
    let values = values(range).map_err(Failure::usage)?;
    let found = sweep(&opened.side, rescorer, &opened.items, path, &values);
    found.map_err(|error| match error {
        SweepError::Setting(SettingError::NoNumber { ref path, .. }) if path == DENOMINATOR => {
            let now = rescorer.rulebook().denominator;
            Failure::usage(error).next(format!(
                "the weights add up to {now}: add --set {DENOMINATOR}={now} to make it a number, \
                 then sweep it"
            ))
        }
        SweepError::Setting(error) => wrong(&error),
        SweepError::NotDecided(_) => Failure::usage(error)
            .next("weights, thresholds and other numbers used only to decide can be swept"),
        SweepError::Bounds { .. } => Failure::usage(error).next("choose a range of valid values"),
    })
}
