//! `tapecheck label check`: what is wrong with labels.

use super::{How, target};
use crate::cli::config::config;
use crate::cli::inputs::JudgingArgs;
use crate::cli::opened_path::{Folder, Judged};
use crate::cli::outputs::{Output, OutputParser, TextOrJson, write_outputs};
use crate::cli::terminal::bar;
use crate::cli::{Exit, Failure};
use crate::compare::Side;
use crate::labels::{
    Against, Age, Checked, Complaint, Fault, Label, LabelFile, Recorded, check_labels,
    read_label_file,
};
use crate::verdict::{Severity, counted, grouped, harmless, harmless_json};
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

/// How many labels a file has, and what is wrong with them, beside what they are about where that is named.
pub(in crate::cli) fn complaints(
    file: &Path,
    on: Option<&Path>,
    judging: &JudgingArgs,
) -> Result<(usize, Vec<Complaint>), Failure> {
    let file = read_label_file(file)?;
    let judged = on.map(|path| judging.open(path, None)).transpose()?;
    let on = judged.as_ref().map(|Judged { side, folder }| (side, folder.as_ref()));
    Ok((file.labels.len(), checked(&file, on)?.complaints))
}

fn checked(file: &LabelFile, on: Option<(&Side, Option<&Folder>)>) -> Result<Checked, Failure> {
    let age = Age { today: config().today, most_days: i64::from(config().old_labels) };
    let Some((side, run)) = on else { return Ok(check_labels(file, None, age)) };
    let lines = file.labels.iter().map(|placed| &placed.label);
    let recorded = run.map(|run| Recorded::of_run(&run.path, side, lines)).transpose()?;
    let recorded = &recorded.unwrap_or_default();
    Ok(check_labels(file, Some(Against { side, recorded }), age))
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = read_label_file(&target(self.labels.as_ref()))?;
        let judged = self.input.as_ref().map(|path| self.how.open(path)).transpose()?;
        let on = judged.as_ref().map(|(side, run)| (side, Some(run)));
        let checked = checked(&file, on)?;
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Json => json_text(&harmless(&file.path), &checked),
            TextOrJson::Text => self.text(&file, &checked),
        })?;
        Ok(if count(&checked, Severity::Error) > 0 { Exit::Findings } else { Exit::Clean })
    }

    fn text(&self, file: &LabelFile, checked: &Checked) -> String {
        let (path, all) = (harmless(&file.path), counted(file.labels.len() as u64, "label"));
        let mut text = format!("{path}: {all}\n\n{}\n", table(checked));
        let mut shown: BTreeMap<Fault, usize> = BTreeMap::new();
        for Complaint { fault, line, what } in &checked.complaints {
            let of_kind = shown.entry(*fault).or_default();
            *of_kind += 1;
            if *of_kind <= MOST_SHOWN {
                let (severity, what) = (fault.severity().name(), harmless(what));
                let line = line.map_or_else(String::new, |line| format!(":{line}"));
                let next = fault.next();
                let _ = writeln!(text, "{path}{line}: {severity}: {what}\n  next: {next}");
            }
        }
        for (fault, count) in shown.iter().filter(|(_, count)| **count > MOST_SHOWN) {
            let more = grouped((count - MOST_SHOWN) as u64);
            let _ = writeln!(text, "… and {more} more where {}", fault.about());
        }
        let [errors, warnings] = [Severity::Error, Severity::Warning].map(|it| count(checked, it));
        let _ = match (errors, warnings) {
            (0, 0) => writeln!(text, "no problems found"),
            _ => writeln!(text, "\n{}, {}", counted(errors, "error"), counted(warnings, "warning")),
        };
        if self.input.is_none() {
            text += "name a run or recordings, too, to check the labels against the replies\n";
        }
        let dateless = file.labels.iter().filter(|placed| placed.label.when.is_none()).count();
        if dateless > 0 {
            let _ =
                writeln!(text, "without a date (`when`): {} of {all}", grouped(dateless as u64));
        }
        text
    }
}

fn count(checked: &Checked, severity: Severity) -> u64 {
    checked.complaints.iter().filter(|one| one.fault.severity() == severity).count() as u64
}

/// How many labels there are of each class, and what share of all.
fn table(checked: &Checked) -> String {
    const WIDTH: usize = 20;
    let all: u64 = checked.counts.values().sum();
    let mut text = String::from("label                calls\n");
    for label in Label::ALL {
        let count = checked.counts.get(&label).copied().unwrap_or_default();
        let bar = bar(count as f64 / all.max(1) as f64, WIDTH);
        let line = format!("{:<16} {:>9}  {bar}", label.name(), grouped(count));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn json_text(path: &str, checked: &Checked) -> String {
    let complaints = checked.complaints.iter().map(|Complaint { fault, line, what }| {
        json!({
            "kind": fault,
            "gravity": fault.severity(),
            "file": path,
            "line": line,
            "what": what,
            "next": fault.next(),
        })
    });
    let classes = Label::ALL.map(|label| {
        let count = checked.counts.get(&label).copied().unwrap_or_default();
        (label.name().to_owned(), json!({ "exchanges": count }))
    });
    let object = json!({
        "errors": count(checked, Severity::Error),
        "warnings": count(checked, Severity::Warning),
        "classes": serde_json::Map::from_iter(classes),
        "complaints": complaints.collect::<Vec<_>>(),
    });
    harmless_json(&object.to_string()) + "\n"
}
