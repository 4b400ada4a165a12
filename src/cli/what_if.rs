//! `tapecheck what-if`: what another choice of values would make of a run, without its recordings.

use super::command_line::CommandLine;
use super::diff::list;
use super::inputs::{cannot_write_tables, load};
use super::labelled::{LabelledSide, LabelsArgs};
use super::sides::{Place, only_recording};
use super::terminal::{harmless, log_width, print};
use super::{Exit, Failure, cannot_print};
use crate::compare::show::{MOST_BYTES, as_json, as_markdown, sections, write_tables};
use crate::compare::{Rescorer, cause_of};
use crate::measure::what_if::{
    Effect, FORMAT, Range, Sweep, SweepError, accuracy_json, accuracy_section, effect_sections,
    picture, reasons_json, sweep, sweep_json, sweep_section, write_sweep,
};
use crate::rulebook::edit::Edits;
use crate::rulebook::{DEFAULT_RULEBOOK, Rulebook, Setting, SettingError};
use crate::view::markdown::markdown;
use crate::view::text::text;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What was judged: the folder of a run, the file of a baseline that keeps hits, or a corpus, which
    /// the first --rulebook judges, else calibrated
    #[arg(value_name = "INPUT", default_value = "reports/latest")]
    input: PathBuf,
    /// The rulebook to try instead: a built-in one or a file. A corpus takes the one that judges it
    /// first
    #[arg(long, value_name = "RULEBOOK")]
    rulebook: Vec<String>,
    /// A value to try, by its place in the rulebook: factors.NAME.weight=3, decide.LINE.threshold=0.4,
    /// threshold=0.4 (of the last line that has one), lists.NAME.remove=TEXT. May be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Go through the values of one number: PATH=FROM..TO or PATH=FROM..TO:STEP
    #[arg(long, value_name = "PATH=RANGE")]
    sweep: Option<String>,
    /// Exclude calls that need their recordings, and end with 0 all the same
    #[arg(long)]
    partial: bool,
    /// Groups to show in text; the largest of the worst kind come first
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// List all exchanges of a group instead, a line each
    #[arg(long, value_name = "ID", conflicts_with_all = ["json", "markdown"])]
    group: Option<String>,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    labels: LabelsArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct Outputs {
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Print Markdown instead of text, such as for a comment on a pull request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Also write every flip, every group and every value of the sweep as tables (CSV and Parquet)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw the sweep into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the rulebook with the values set into this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

/// What came of it.
struct Tried {
    /// What is set, as it would be typed again in full.
    settings: Vec<Setting>,
    /// What differs, in words.
    changes: Vec<String>,
    effect: Option<Effect>,
    sweep: Option<Sweep>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (judging, tried) = self.rulebooks()?;
        if tried.is_none() && self.set.is_empty() && self.sweep.is_none() {
            return Err(Failure::usage("there is nothing to try").next(
                "name values with --set PATH=VALUE, another rulebook with --rulebook, or a range with --sweep PATH=FROM..TO",
            ));
        }
        if tried.is_none() && self.set.is_empty() && self.group.is_some() {
            return Err(Failure::usage(
                "--group lists what flips by a change, and a sweep has no groups",
            )
            .next("name one of its values with --set PATH=VALUE and take a group from there"));
        }
        if self.outputs.svg.is_some() && self.sweep.is_none() {
            return Err(Failure::usage("--svg draws a sweep, and no range is named")
                .next("name one with --sweep PATH=FROM..TO, such as threshold=0.1..0.9"));
        }
        let named = tried.map(load).transpose()?;
        let opened = self.labels.open_with_labels_beside(&self.input, judging)?;
        opened.tell_notes();
        let Some(now) = opened.side.rulebook.clone() else {
            return Err(self.keeps_nothing("it does not keep the rulebook that judged"));
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
        if let Some(path) = &self.outputs.save {
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
            Some(text) => Some(go_through(text, &opened, &rescorer)?),
            None => None,
        };
        let tried = Tried { settings, changes: changes(&now, &new), effect, sweep: swept };
        self.write(&opened, &tried)?;
        self.show(&opened, &tried)?;
        self.end(&opened, &tried)
    }

    /// The rulebook that judges a corpus, and the one that is tried instead.
    fn rulebooks(&self) -> Result<(Option<&str>, Option<&str>), Failure> {
        let mut named = self.rulebook.iter().map(String::as_str);
        let judging = match Place::of(&self.input) {
            Place::Corpus => named.next(),
            Place::Run | Place::Baseline => None,
        };
        let tried = named.next();
        match named.next() {
            None => Ok((judging, tried)),
            Some(more) => Err(Failure::usage(format!("--rulebook {more} is one too many"))
                .next("one rulebook is tried; a corpus takes the one that judges it before that")),
        }
    }

    fn keeps_nothing(&self, why: &str) -> Failure {
        let input = harmless(&self.input.to_string_lossy());
        Failure::unfinished(format!("{input} cannot be told again: {why}"))
            .next("name the folder of a run, or a corpus with --rulebook")
    }

    fn name_of_after(&self, tried: Option<&str>, settings: &[Setting]) -> String {
        let mut parts: Vec<String> = tried.map(str::to_owned).into_iter().collect();
        parts.extend(settings.iter().map(Setting::to_string));
        format!("{} under {}", self.input.display(), parts.join(", "))
    }

    fn write(&self, opened: &LabelledSide, tried: &Tried) -> Result<(), Failure> {
        if let Some(folder) = &self.outputs.out {
            if let Some(effect) = &tried.effect {
                write_tables(folder, &effect.comparison, [&opened.side, &effect.after])
                    .map_err(cannot_write_tables)?;
            }
            if let Some(sweep) = &tried.sweep {
                write_sweep(folder, sweep).map_err(cannot_write_tables)?;
            }
        }
        match (&self.outputs.svg, &tried.sweep) {
            (Some(path), Some(sweep)) => save(path, &picture(sweep)),
            (None, _) | (_, None) => Ok(()),
        }
    }

    fn show(&self, opened: &LabelledSide, tried: &Tried) -> Result<(), Failure> {
        let Tried { effect, sweep, .. } = tried;
        if let (Some(id), Some(effect)) = (&self.group, effect) {
            return list(id, &effect.comparison, [&opened.side, &effect.after]);
        }
        let text = if self.outputs.json {
            self.json(opened, tried).to_string() + "\n"
        } else if self.outputs.markdown {
            let mut parts = Vec::new();
            if let Some(effect) = effect {
                parts.extend(effect.accuracy.as_ref().map(|it| markdown(&accuracy_section(it), 3)));
                parts.push(as_markdown(&effect.comparison, MOST_BYTES, &self.command()));
            }
            parts.extend(sweep.as_ref().map(|sweep| markdown(&sweep_section(sweep), 3)));
            parts.join("\n")
        } else {
            let mut all = Vec::new();
            if let Some(effect) = effect {
                all.extend(effect_sections(effect, &tried.changes));
                all.extend(sections(&effect.comparison, self.top, &self.command()));
            }
            all.extend(sweep.as_ref().map(sweep_section));
            text(&all, log_width())
        };
        print(&text).map_err(|error| cannot_print(&error))
    }

    fn json(&self, opened: &LabelledSide, tried: &Tried) -> serde_json::Value {
        let effect = tried.effect.as_ref();
        let accuracy = effect.and_then(|effect| effect.accuracy.as_ref());
        let measure =
            |at: usize| accuracy.and_then(|accuracy| accuracy.answers[at].balanced_accuracy());
        json!({
            "format": FORMAT,
            "input": self.input.to_string_lossy(),
            "settings": tried.settings.iter().map(Setting::to_string).collect::<Vec<_>>(),
            "changes": tried.changes,
            "exchanges": opened.side.entries.len(),
            "untold": effect.map(|effect| effect.untold),
            "reasons": effect.map(|effect| reasons_json(&effect.reasons)),
            "flips": effect.map(Effect::flips),
            "balanced_accuracy": { "before": measure(0), "after": measure(1) },
            "accuracy": accuracy.map(accuracy_json),
            "comparison": effect.map(|effect| as_json(&effect.comparison)),
            "sweep": tried.sweep.as_ref().map(sweep_json),
        })
    }

    /// Where exchanges cannot be told, that is no success unless it was asked for.
    fn end(&self, opened: &LabelledSide, tried: &Tried) -> Result<Exit, Failure> {
        let of_sweep = tried.sweep.as_ref().map_or(0, |sweep| sweep.untold);
        let untold = tried.effect.as_ref().map_or(of_sweep, |effect| effect.untold);
        if untold == 0 || self.partial {
            return Ok(Exit::Clean);
        }
        let all = opened.side.entries.len() as u64;
        Err(Failure::unfinished(format!(
            "{} of {} calls need their recordings and are excluded",
            super::terminal::grouped(untold),
            super::terminal::grouped(all),
        ))
        .next(format!(
            "judge the recordings again: {}; or take what can be told with --partial",
            self.judging_command()
        )))
    }

    /// The command that judges the recordings under what is tried.
    fn judging_command(&self) -> String {
        let last = self.rulebook.last().filter(|_| self.set.is_empty()).map(Path::new);
        let new = last.or(self.outputs.save.as_deref());
        let saving = if new.is_none() { "add --save new.toml to this command, then " } else { "" };
        let line = CommandLine::new("tapecheck diff").word(&self.input);
        let line = match Place::of(&self.input) {
            Place::Corpus => {
                let first = self.rulebook.first().map_or(DEFAULT_RULEBOOK, String::as_str);
                line.flag("--rulebook", [first])
            }
            Place::Run | Place::Baseline => {
                line.word(only_recording(&self.input).unwrap_or_else(|| "CORPUS".into()))
            }
        };
        format!("{saving}{}", line.flag("--rulebook", [new.unwrap_or(Path::new("new.toml"))]))
    }

    /// The command as it would be typed again.
    fn command(&self) -> String {
        CommandLine::new("tapecheck what-if")
            .word(&self.input)
            .flag("--rulebook", &self.rulebook)
            .flag("--set", &self.set)
            .flag("--labels", &self.labels.files)
            .then(&self.labels.judging.spelled())
            .to_string()
    }
}

fn wrong(error: &SettingError) -> Failure {
    let failure = Failure::usage(harmless(&error.to_string()));
    match error {
        SettingError::Unknown { .. } | SettingError::Form(_) => {
            failure.next("`tapecheck rulebook show RULEBOOK` shows what can be set")
        }
        SettingError::NoNumber { .. } => failure.next(
            "go through a number: `tapecheck rulebook show RULEBOOK` shows weights and thresholds",
        ),
        SettingError::Twice(..) => failure.next("leave one of them out"),
        SettingError::Refused { .. } => failure.next("set a value that the rulebook can have"),
    }
}

/// The place of the number that scores are divided by, which may be a word.
const DENOMINATOR: &str = "score.denominator";

/// What is wrong with a sweep, and what to do.
fn wrong_sweep(error: SweepError, rulebook: &Rulebook) -> Failure {
    match error {
        SweepError::Setting(SettingError::NoNumber { ref path, .. }) if path == DENOMINATOR => {
            let now = rulebook.denominator;
            Failure::usage(error).next(format!(
                "the weights come to {now}: add --set {DENOMINATOR}={now} to make it that number and \
                 go through others from there"
            ))
        }
        SweepError::Setting(error) => wrong(&error),
        SweepError::NotDecided(_) => Failure::usage(error)
            .next("weights, thresholds and other numbers that only decide can be gone through"),
        SweepError::Bounds { .. } => Failure::usage(harmless(&error.to_string()))
            .next("let the range begin and end within what the rulebook can have there"),
    }
}

fn go_through(
    text: &str,
    opened: &LabelledSide,
    rescorer: &Rescorer<'_>,
) -> Result<Sweep, Failure> {
    let (path, range) = text.rsplit_once('=').ok_or_else(|| {
        Failure::usage(format!("`{}` is no sweep", harmless(text)))
            .next("write PATH=FROM..TO, such as threshold=0.1..0.9")
    })?;
    // `PATH=FROM..=TO` has a sign of its own.
    let (path, range) = match path.strip_suffix("..").and_then(|path| path.rsplit_once('=')) {
        Some((path, from)) => (path, format!("{from}..{range}")),
        None => (path, range.to_owned()),
    };
    let range = Range::parse(&range).map_err(Failure::usage)?;
    let found = sweep(&opened.side, rescorer, &opened.items, path.trim(), &range.values());
    found.map_err(|error| wrong_sweep(error, rescorer.rulebook()))
}

/// What differs between two rulebooks, in words.
fn changes(before: &Rulebook, after: &Rulebook) -> Vec<String> {
    let edits = Edits::between(before, after);
    edits.iter().flat_map(Edits::all).map(|edit| cause_of(edit).change).collect()
}

fn save(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| {
        let path = harmless(&path.to_string_lossy());
        Failure::unfinished(format!("cannot write {path}: {error}"))
            .next("name a file in a folder that can be written")
    })
}
