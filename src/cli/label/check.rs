//! `tapecheck label check`: what is wrong with labels.

use super::{How, target};
use crate::cli::config::config;
use crate::cli::inputs::JudgingArgs;
use crate::cli::opened::{Folder, Judged};
use crate::cli::outputs::{Output, OutputParser, TextOrJson, write_outputs};
use crate::cli::terminal::bar;
use crate::cli::{Exit, Failure};
use crate::compare::Side;
use crate::labels::{
    Against, Age, Checked, Complaint, Fault, Label, LabelFile, Recorded, check_labels,
    read_label_file,
};
use crate::verdict::{Severity, counted, grouped, harmless};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// So many complaints of a kind are told.
const MOST_SHOWN: usize = 10;

/// Arguments of `tapecheck label check`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Run or recordings that the labels are about; without them only the file is checked
    #[arg(value_name = "RUN|RECORDINGS")]
    input: Option<PathBuf>,
    /// The file of labels [default: labels.jsonl]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new())]
    format: Vec<Output<TextOrJson>>,
    #[command(flatten)]
    how: How,
}

/// What is wrong with a file of labels, for lists of other files.
pub(in crate::cli) struct FoundInLabels {
    pub(in crate::cli) about: String,
    pub(in crate::cli) complaints: Vec<Complaint>,
}

/// Checks a file of labels, against what it is about where that is named.
pub(in crate::cli) fn complaints(
    file: &Path,
    on: Option<&Path>,
    judging: &JudgingArgs,
) -> Result<FoundInLabels, Failure> {
    let file = read_label_file(file)?;
    let checked = match on {
        None => check_labels(&file, None, age()),
        Some(path) => {
            let Judged { side, folder } = judging.open(path, None)?;
            against(&file, &side, folder.as_ref())?
        }
    };
    let about = counted(file.labels.len() as u64, "label");
    Ok(FoundInLabels { about, complaints: checked.complaints })
}

fn age() -> Age {
    Age { today: config().today, most_days: i64::from(config().old_labels) }
}

fn against(file: &LabelFile, side: &Side, run: Option<&Folder>) -> Result<Checked, Failure> {
    let lines = file.labels.iter().map(|placed| &placed.label);
    let recorded = run.map(|run| Recorded::of_run(&run.path, side, lines)).transpose()?;
    let recorded = recorded.unwrap_or_default();
    Ok(check_labels(file, Some(Against { side, recorded: &recorded }), age()))
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = read_label_file(&target(self.labels.as_ref()))?;
        let checked = match &self.input {
            None => check_labels(&file, None, age()),
            Some(path) => {
                let (side, run) = self.how.open(path)?;
                against(&file, &side, Some(&run))?
            }
        };
        let path = harmless(&file.path);
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Json => json_text(&path, &checked),
            TextOrJson::Text => {
                let lines = file.labels.len() as u64;
                text(&path, lines, &checked) + &self.closing(&checked) + &ageless(&file)
            }
        })?;
        Ok(if count(&checked, Severity::Error) > 0 { Exit::Findings } else { Exit::Clean })
    }

    fn closing(&self, checked: &Checked) -> String {
        let (errors, warnings) =
            (count(checked, Severity::Error), count(checked, Severity::Warning));
        let mut text = match (errors, warnings) {
            (0, 0) => "no problems found\n".to_owned(),
            _ => format!(
                "{}, {}\n",
                counted(errors as u64, "error"),
                counted(warnings as u64, "warning")
            ),
        };
        if self.input.is_none() {
            text.push_str(
                "name a run or recordings, too, to check the labels against the replies\n",
            );
        }
        text
    }
}

/// A note on labels without a date.
fn ageless(file: &LabelFile) -> String {
    let ageless = file.labels.iter().filter(|placed| placed.label.when.is_none()).count() as u64;
    let all = counted(file.labels.len() as u64, "label");
    let have = if ageless == 1 { "has" } else { "have" };
    match ageless {
        0 => String::new(),
        some => format!("{} of {all} {have} no date (`when`)\n", grouped(some)),
    }
}

fn count(checked: &Checked, severity: Severity) -> usize {
    checked.complaints.iter().filter(|one| one.fault.severity() == severity).count()
}

fn text(path: &str, lines: u64, checked: &Checked) -> String {
    let mut text = format!("{path}: {}\n\n", counted(lines, "label"));
    text.push_str(&table(checked));
    text.push('\n');
    let mut shown: BTreeMap<Fault, usize> = BTreeMap::new();
    for complaint in &checked.complaints {
        let of_kind = shown.entry(complaint.fault).or_default();
        *of_kind += 1;
        if *of_kind > MOST_SHOWN {
            continue;
        }
        let (severity, what) = (complaint.fault.severity().name(), harmless(&complaint.what));
        let place = complaint.line.map_or_else(String::new, |line| format!(":{line}"));
        let _ = writeln!(
            text,
            "{path}{place}: {severity}: {what}\n  next: {}",
            harmless(&complaint.next)
        );
    }
    for (fault, count) in shown.into_iter().filter(|(_, count)| *count > MOST_SHOWN) {
        let more = (count - MOST_SHOWN) as u64;
        let _ = writeln!(text, "… and {} more where {}", grouped(more), fault.about());
    }
    if !checked.complaints.is_empty() {
        text.push('\n');
    }
    text
}

/// How many labels there are of each class, and what share of all.
fn table(checked: &Checked) -> String {
    const WIDTH: usize = 20;
    let all: u64 = checked.counts.values().sum();
    let mut text = String::from("label                calls\n");
    for label in Label::ALL {
        let count = checked.counts.get(&label).copied().unwrap_or_default();
        let share = if all == 0 { 0.0 } else { count as f64 / all as f64 };
        let (count, bar) = (grouped(count), bar(share, WIDTH));
        let line = format!("{:<16} {count:>9}  {bar}", label.name());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn json_text(path: &str, checked: &Checked) -> String {
    let complaints: Vec<_> = checked
        .complaints
        .iter()
        .map(|complaint| {
            json!({
                "kind": complaint.fault.name(),
                "gravity": complaint.fault.severity(),
                "file": path,
                "line": complaint.line,
                "what": complaint.what,
                "next": complaint.next,
            })
        })
        .collect();
    let classes: serde_json::Map<_, _> = Label::ALL
        .into_iter()
        .map(|label| {
            let count = checked.counts.get(&label).copied().unwrap_or_default();
            let class = json!({ "exchanges": count });
            (label.name().to_owned(), class)
        })
        .collect();
    let object = json!({
        "errors": count(checked, Severity::Error),
        "warnings": count(checked, Severity::Warning),
        "classes": classes,
        "complaints": complaints,
    });
    crate::verdict::harmless_json(&object.to_string()) + "\n"
}
