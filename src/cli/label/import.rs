//! `tapecheck label import`: labels of other files, put together.

use super::how::How;
use super::{failed, target};
use crate::cli::config::config;
use crate::cli::labelled::warn_of_torn_line;
use crate::cli::terminal::print;
use crate::cli::{Exit, Failure, cannot_print};
use crate::labels::{
    LabelFile, LabelLine, Meant, PlacedLabel, Recorded, add_labels, can_be_added_to, misfit,
    names_of, read_label_file,
};
use crate::recording::Day;
use crate::verdict::{counted, grouped, harmless};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// So many lines that cannot be imported are told.
const MOST_TOLD: usize = 20;

/// Arguments of `tapecheck label import`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// JSON lines such as {"file","id","label","why"} or {"key","label"}, or CSV with such columns
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to add the labels to [default: labels.jsonl]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Run or recordings that the labels are about; labels that match no call are not imported
    #[arg(long = "on", value_name = "RUN|RECORDINGS")]
    of: Option<PathBuf>,
    /// The day of labels that have none; without it their age is unknown
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Day>,
    #[command(flatten)]
    how: How,
}

/// A label to be imported, and where it stands.
struct Imported {
    file: usize,
    placed: PlacedLabel,
}

#[derive(Default)]
struct Refused {
    count: u64,
    text: String,
}

impl Refused {
    fn add(&mut self, file: &str, line: u64, why: &str) {
        self.count += 1;
        if self.count <= MOST_TOLD as u64 {
            let _ = writeln!(self.text, "{}:{}: {}", harmless(file), line, harmless(why));
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = target(self.labels.as_ref());
        can_be_added_to(&file).map_err(|error| failed(&error))?;
        let files = self.files.iter().map(|path| read_label_file(path));
        let files: Vec<LabelFile> =
            files.collect::<Result<_, _>>().map_err(|error| failed(&error))?;
        let mut refused = Refused::default();
        let mut labels: Vec<Imported> = Vec::new();
        for (at, file) in files.iter().enumerate() {
            if let Some(line) = file.torn {
                warn_of_torn_line(&file.path, line);
            }
            for (line, reason) in &file.wrong {
                refused.add(&file.path, *line, reason);
            }
            let placed = file.labels.iter().cloned();
            labels.extend(placed.map(|placed| Imported { file: at, placed }));
        }
        for Imported { placed, .. } in &mut labels {
            if placed.label.who.is_none() {
                placed.label.who.clone_from(&config().who);
            }
            if placed.label.when.is_none() {
                placed.label.when = self.today.map(|day| day.to_string());
            }
        }
        if let Some(path) = &self.of {
            labels = self.named(path, &labels, &files, &mut refused)?;
        }
        let lines: Vec<LabelLine> = labels.iter().map(|one| one.placed.label.clone()).collect();
        let done = add_labels(&file, &lines).map_err(|error| failed(&error))?;
        let into = file.display().to_string();
        for against in &done.against {
            let Imported { file, placed } = &labels[against.at];
            let existing = &against.existing;
            let place = match existing.line {
                0 => "another of these lines".to_owned(),
                line => format!("{into}:{line}"),
            };
            let what = format!(
                "labels {} {}, but {place} has {}",
                placed.label.exchange(),
                placed.label.label.name(),
                existing.label.label.name()
            );
            refused.add(&files[*file].path, placed.line, &what);
        }
        let mut text = format!(
            "{into}: {} added, {} there already, {} refused\n",
            counted(done.added as u64, "label"),
            grouped(done.known as u64),
            grouped(refused.count)
        );
        if refused.count > 0 {
            text.push_str(&refused.text);
            let more = refused.count.saturating_sub(MOST_TOLD as u64);
            if more > 0 {
                let _ = writeln!(text, "… and {} more", grouped(more));
            }
            text.push_str(
                "next: correct these lines and import the files again; labels already added are \
                 not added twice\n",
            );
        }
        print(&text).map_err(|error| cannot_print(&error))?;
        Ok(if refused.count > 0 { Exit::Findings } else { Exit::Clean })
    }

    /// The labels with all names of their exchanges; without those that fit none.
    fn named(
        &self,
        path: &Path,
        labels: &[Imported],
        files: &[LabelFile],
        refused: &mut Refused,
    ) -> Result<Vec<Imported>, Failure> {
        let mut named = Vec::new();
        self.how.open(path, &mut |folder, side| {
            let lines = labels.iter().map(|one| &one.placed.label);
            let recorded = Recorded::of_run(folder, side, lines).map_err(|error| failed(&error))?;
            let entries = recorded.meant.iter().filter_map(|meant| match meant {
                Meant::Entries(entries) => entries.first().copied(),
                Meant::None | Meant::Several(_) | Meant::Two(..) => None,
            });
            let known = names_of(folder, side, entries).map_err(|error| failed(&error))?;
            for (Imported { file, placed }, meant) in labels.iter().zip(&recorded.meant) {
                let why = match meant {
                    Meant::Entries(entries) => {
                        let misfit = |at: &u32| misfit(side, *at, &placed.label);
                        if let Some((what, next)) = entries.iter().find_map(misfit) {
                            let what = format!("{what}; {next}");
                            refused.add(&files[*file].path, placed.line, &what);
                            continue;
                        }
                        let mut placed = placed.clone();
                        if let Some(name) = entries.first().and_then(|at| known.get(at)) {
                            placed.label.key = Some(name.key);
                            if placed.label.place().is_none() {
                                placed.label.file = Some(name.file.clone());
                                placed.label.id.clone_from(&name.id);
                            }
                        }
                        named.push(Imported { file: *file, placed });
                        continue;
                    }
                    Meant::None => "no call has the name".to_owned(),
                    Meant::Several(count) => {
                        format!("{} have the name", counted(*count as u64, "call"))
                    }
                    Meant::Two(..) => "its key and its place name different calls".to_owned(),
                };
                let what = format!("{}: {why}", placed.label.exchange());
                refused.add(&files[*file].path, placed.line, &what);
            }
            Ok(())
        })?;
        Ok(named)
    }
}
