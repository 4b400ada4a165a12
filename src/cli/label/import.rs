//! `tapecheck label import`: labels of other files, put together.

use super::how::How;
use super::{USUAL, failed};
use crate::cli::terminal::print;
use crate::cli::{Exit, Failure, cannot_print};
use crate::labels::{
    LabelFile, LabelLine, Meant, PlacedLabel, Recorded, add_labels, can_be_added_to, misfit,
    names_of, read_label_file,
};
use crate::recording::Day;
use crate::verdict::{counted, grouped, harmless};
use clap::builder::NonEmptyStringValueParser;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// So many lines that cannot be imported are told.
const MOST_TOLD: usize = 20;

/// Arguments of `tapecheck label import`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The files: lines of JSON like {"file","id","label","why"} or {"key","label"}, or tables (.csv)
    /// with such columns
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file of labels that takes them; it need not be there
    #[arg(long, value_name = "FILE", default_value = USUAL)]
    into: PathBuf,
    /// A run or a corpus that the labels are about: they get the keys of their exchanges, and what fits
    /// no exchange is not imported
    #[arg(long = "of", value_name = "RUN|CORPUS")]
    of: Option<PathBuf>,
    /// Who says so, where the files do not tell
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    who: Option<String>,
    /// The day on which it was said, where the files do not tell; without it the age of such labels is not
    /// known
    #[arg(long, value_name = "DATE")]
    when: Option<Day>,
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
        can_be_added_to(&self.into).map_err(|error| failed(&error))?;
        let files = self.files.iter().map(|path| read_label_file(path));
        let files: Vec<LabelFile> =
            files.collect::<Result<_, _>>().map_err(|error| failed(&error))?;
        let mut refused = Refused::default();
        let mut labels: Vec<Imported> = Vec::new();
        for (at, file) in files.iter().enumerate() {
            for (line, reason) in &file.wrong {
                refused.add(&file.path, *line, reason);
            }
            let placed = file.labels.iter().cloned();
            labels.extend(placed.map(|placed| Imported { file: at, placed }));
        }
        for Imported { placed, .. } in &mut labels {
            if placed.label.who.is_none() {
                placed.label.who.clone_from(&self.who);
            }
            if placed.label.when.is_none() {
                placed.label.when = self.when.map(|day| day.to_string());
            }
        }
        if let Some(path) = &self.of {
            labels = self.named(path, &labels, &files, &mut refused)?;
        }
        let lines: Vec<LabelLine> = labels.iter().map(|one| one.placed.label.clone()).collect();
        let done = add_labels(&self.into, &lines).map_err(|error| failed(&error))?;
        let into = self.into.display().to_string();
        for against in &done.against {
            let Imported { file, placed } = &labels[against.at];
            let stands = &against.stands;
            let place = match stands.line {
                0 => "another of these lines".to_owned(),
                line => format!("{into}:{line}"),
            };
            let what = format!(
                "says {} of {}, and {place} says {}",
                placed.label.label.name(),
                placed.label.exchange(),
                stands.label.label.name()
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
                "next: correct these lines and import the files again; what is there stays once\n",
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
                    Meant::None => "no exchange has the name".to_owned(),
                    Meant::Several(count) => {
                        format!("{} have the name", counted(*count as u64, "exchange"))
                    }
                    Meant::Two(..) => "its key and its place name two exchanges".to_owned(),
                };
                let what = format!("{}: {why}", placed.label.exchange());
                refused.add(&files[*file].path, placed.line, &what);
            }
            Ok(())
        })?;
        Ok(named)
    }
}
