//! `tapecheck tune`: weights and thresholds fitted to labels, evaluated on held-out servers.

use super::command_line::{CommandLine, typed};
use super::config::{Config, config};
use super::opened_path::{LabelledArgs, tell_notes};
use super::outputs::{Output, OutputParser, TextOrJson, write_outputs};
use super::terminal::{counted, harmless, line_width, say};
use super::{Exit, Failure};
use crate::compare::{Observations, Side};
use crate::measure::fit;
use crate::rulebook::{Question, Rulebook, builtin_names};
use crate::store::file_beside;
use crate::tune::{Breaking, FEWEST_SERVERS, Finding, Gain, Tuned, breaking, overlay, tune};
use crate::view::text::text;
use crate::view::{Block, Cell, Item, Line, Section, Table};
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Write the changes into a new rulebook that extends the tuned one; not if they are unproven or break
    /// examples
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Write even changes that are unproven or break examples
    #[arg(long)]
    yes: bool,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new())]
    format: Vec<Output<TextOrJson>>,
    #[command(flatten)]
    input: LabelledArgs,
}

/// What is shown, and the JSON of `--format json`.
#[derive(Serialize)]
struct Report {
    rulebook: String,
    objective: String,
    seed: u64,
    #[serde(flatten)]
    tuned: Tuned,
    /// Examples, own and inherited, that would change.
    breaking: Vec<Breaking>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let (largest, step) = bounds()?;
        self.write.as_deref().map_or(Ok(()), check_new)?;
        let opened = self.input.open()?;
        tell_notes(&opened.labelled);
        let start = start_of(&opened.side)?;
        let named = self.input.rulebook.as_deref().unwrap_or(&start.name);
        let known = match &self.input.rulebook {
            Some(named) => Rulebook::load(named),
            None => Rulebook::builtin(&start.name),
        };
        // One that its name finds can be extended.
        let known = known.ok().filter(|known| known.digest == start.digest);
        if self.write.is_some() && known.is_none() {
            let name = harmless(&start.name);
            return Err(Failure::usage(format!(
                "the run does not record the path of its rulebook {name}, which the new one would extend"
            ))
            .next("name the recordings, with --rulebook FILE"));
        }
        let bases = known.map(|known| known.bases().map_err(Failure::usage)).transpose()?;
        let observations = Observations::of(&opened.side).map_err(|error| {
            Failure::usage(format!("{}: {error}", opened.side.header.name))
                .next("name recordings, with --rulebook")
        })?;
        let settings = fit::Settings {
            objective: config().objective,
            seed: config().seed,
            largest,
            step,
            ..fit::Settings::default()
        };
        let tuned = tune(&opened.side, &observations, &opened.items, config().folds, &settings);
        let tuned = tuned.map_err(|error| {
            Failure::unfinished(error)
                .next("label more calls: `tapecheck label next` picks the most informative")
        })?;
        let over = overlay(&start.name, "", start, &tuned.changes);
        let proposed = start.extended(&over).map_err(|error| {
            Failure::unfinished(format!("the tuned rulebook cannot be used: {error}"))
        })?;
        let report = Report {
            rulebook: start.name.clone(),
            objective: settings.objective.to_string(),
            seed: config().seed,
            tuned,
            breaking: breaking(start, &bases.unwrap_or_default(), &proposed),
        };
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Json => serde_json::to_string_pretty(&report).expect("plain data") + "\n",
            TextOrJson::Text => report.text(),
        })?;
        match &self.write {
            Some(file) => self.keep(file, named, [start, &proposed], &report),
            None => Ok(Exit::Clean),
        }
    }

    /// Writes the changes, unless they are unproven or break examples.
    fn keep(
        &self,
        target: &Path,
        named: &str,
        [start, proposed]: [&Rulebook; 2],
        report: &Report,
    ) -> Result<Exit, Failure> {
        let file = typed(target);
        let broken = report.breaking.iter();
        let broken =
            broken.map(|it| format!("  {} ({}): {}", it.example, it.rulebook, it.difference));
        let broken = broken.collect::<Vec<_>>().join("\n");
        let is_gain = report.tuned.gain.finding == Finding::Gain;
        let why_not = match (&report.tuned.changes[..], self.yes, &*broken) {
            ([], _, _) => Some("no change was found".to_owned()),
            (_, true, _) => None,
            _ if !is_gain => Some(format!(
                "{}\n  next: label calls of more servers, or add --yes",
                report.finding()
            )),
            (_, _, "") => None,
            (_, _, broken) => Some(format!(
                "it would break {}\n{broken}\n  next: change what they expect, or add --yes",
                counted(report.breaking.len() as u64, "example"),
            )),
        };
        if let Some(why) = why_not {
            say(&format!("nothing was written to {file}: {why}"));
            return Ok(Exit::Findings);
        }
        let name = target.file_stem().unwrap_or_default().to_string_lossy();
        let base = reference(target, named).map_err(|error| refused(target, &error))?;
        let worth = report.worth().join("\n# ");
        let over = overlay(&name, &base, start, &report.tuned.changes);
        write(target, &format!("# {worth}\n{over}"), proposed)?;
        let input = self.input.input();
        let compare = CommandLine::new("tapecheck diff").word(input);
        let compare = compare.flag("--rulebook", [Path::new(named), target]);
        say(&format!("{file} was written; compare with: {compare}"));
        Ok(Exit::Clean)
    }
}

impl Report {
    fn text(&self) -> String {
        let mut head = Section::new(Line::recorded(&*self.rulebook).then(format!(
            " tuned with {} of {} for {}, seed {}",
            counted(self.tuned.errors as u64, "labelled error"),
            counted(self.tuned.servers as u64, "server"),
            self.objective,
            self.seed,
        )));
        self.worth().into_iter().for_each(|line| head.text(line));
        let mut table = Table::headed([], ["part", "servers", "errors", "before", "after"]);
        for (number, part) in (1..).zip(&self.tuned.parts) {
            table.push([
                Cell::count(number),
                Cell::count(part.servers as u64),
                Cell::count(part.errors),
                Cell::number(part.before, 3),
                Cell::number(part.after, 3),
            ]);
        }
        let mut parts = Section::new("Balanced accuracy on held-out servers, by part");
        parts.table(table);
        let mut proposed = Section::new(match self.tuned.changes[..] {
            [] => "No change is proposed",
            _ => "Proposed changes (fitted to all servers)",
        });
        proposed.items(
            self.tuned.changes.iter().map(|it| Item::new(Line::recorded(it.to_string()))).collect(),
        );
        let mut all = vec![head, parts, proposed];
        if !self.breaking.is_empty() {
            let mut broken = Section::new("Examples that would change");
            let items = self.breaking.iter().map(|it| {
                let name = Line::recorded(&*it.example);
                let mut item = Item::new(name.then(" (").then_recorded(&*it.rulebook).then(")"));
                item.below.push(Block::Text(Line::recorded(&*it.difference)));
                item
            });
            broken.items(items.collect());
            all.push(broken);
        }
        text(&all, line_width())
    }

    fn worth(&self) -> [String; 3] {
        let Gain { before, after, interval, lost, gained, mcnemar, .. } = self.tuned.gain;
        let interval = interval.map_or_else(
            || "no interval: too few servers have both classes".to_owned(),
            |[low, high]| format!("95 % interval {low:+.3} to {high:+.3}, servers resampled"),
        );
        [
            format!(
                "On held-out servers: {} {before:.3} before, {after:.3} after ({interval}).",
                self.objective
            ),
            format!("{gained} answers became right and {lost} wrong (McNemar p = {mcnemar:.4})."),
            format!("{}.", self.finding()),
        ]
    }

    fn finding(&self) -> String {
        match self.tuned.gain.finding {
            Finding::Gain => "This is a gain".to_owned(),
            Finding::TooFewServers => format!(
                "Too few servers to show a gain: labels of {}, {FEWEST_SERVERS} are needed",
                counted(self.tuned.gain.servers, "server")
            ),
            Finding::NotMore => {
                "No gain: the result on held-out servers is not better than before".to_owned()
            }
            Finding::MayBeChance => "No gain was shown: the difference may be chance".to_owned(),
            Finding::MoreGetWorse => "No gain: more answers get worse than better".to_owned(),
        }
    }
}

fn bounds() -> Result<(f64, f64), Failure> {
    let Config { largest_weight: largest, weight_step: step, .. } = *config();
    if step <= largest {
        return Ok((largest, step));
    }
    Err(Failure::usage(format!(
        "`tune.weight_step` {step} is greater than `tune.largest_weight` {largest}, so every weight would be 0"
    ))
    .next(format!("set `tune.weight_step` to at most {largest}, or a greater `tune.largest_weight`")))
}

/// The rulebook of a run, if its errors are asked apart from successes.
fn start_of(side: &Side) -> Result<&Rulebook, Failure> {
    let Some(start) = side.rulebook.as_deref() else {
        return Err(Failure::usage(format!("{} does not keep its rulebook", side.header.name))
            .next("name the folder of a run, or recordings and --rulebook"));
    };
    match start.errors.question {
        Question::Errors | Question::Failures => Ok(start),
        Question::All => Err(Failure::usage(format!(
            "{} evaluates every reply alike (errors.question = \"all\"), and tuning needs errors \
             and successes apart",
            start.name
        ))
        .next("set errors.question = \"errors\"")),
    }
}

fn refused(file: &Path, error: &io::Error) -> Failure {
    // The system's word alone: its message names the file beside, which nobody asked for.
    let what = format!("cannot write {}: {}", file.display(), error.kind());
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    let failure = if is_missing { Failure::usage(what) } else { Failure::unfinished(what) };
    failure.next("name a file that you may write, in an existing folder")
}

/// Refuses a file that is there, or cannot be written, before anything is learned.
fn check_new(file: &Path) -> Result<(), Failure> {
    if file.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!("{} exists already", file.display()))
            .next("name a new file for --write: it will extend the rulebook that is tuned"));
    }
    file_beside(file).map(drop).map_err(|error| refused(file, &error))
}

/// How a file names a rulebook that it extends.
fn reference(file: &Path, rulebook: &str) -> io::Result<String> {
    if builtin_names().contains(&rulebook) {
        return Ok(rulebook.to_owned());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
    let base = Path::new(rulebook).canonicalize()?;
    let common = folder.components().zip(base.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".into());
    let down = base.components().skip(common).map(|part| part.as_os_str().to_string_lossy());
    Ok(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// Writes a rulebook: the file is there only once it was read back and judges as proposed.
fn write(file: &Path, text: &str, proposed: &Rulebook) -> Result<(), Failure> {
    let refused = |error: &io::Error| refused(file, error);
    let mut beside = file_beside(file).map_err(|error| refused(&error))?;
    beside.write_all(text.as_bytes()).map_err(|error| refused(&error))?;
    let name = beside.path().to_string_lossy().into_owned();
    let shown = file.to_string_lossy();
    let unusable = |why| Failure::unfinished(format!("what would be written to {shown} {why}"));
    // The file beside is gone in a moment: its name helps nobody.
    let written = Rulebook::load(&name).map_err(|error| {
        unusable(format!("cannot be used: {}", error.to_string().replace(&name, &shown)))
    })?;
    if written.digest != proposed.digest {
        return Err(unusable("does not classify as proposed".to_owned())
            .next("tune again: the rulebook that it extends was changed in the meantime"));
    }
    beside.as_file().sync_all().map_err(|error| refused(&error))?;
    beside.persist_noclobber(file).map_err(|error| refused(&error.error))?;
    Ok(())
}
