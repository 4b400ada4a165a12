//! Two sides that were judged, or are judged here.

use super::{Args, Format, list, worse};
use crate::cli::command_line::CommandLine;
use crate::cli::exit::FailOnChange;
use crate::cli::opened::{Judged, assign, labels_of_run, read_all_labels, tell_notes};
use crate::cli::progress::while_waiting;
use crate::cli::terminal::{harmless, log_width};
use crate::cli::{Exit, Failure};
use crate::compare::show::{
    MOST_BYTES, as_json, as_markdown, overlap_words, sections, write_tables,
};
use crate::compare::{Comparison, compare};
use crate::labels::Labelled;
use crate::view::text::text;
use crate::view::{Line, Section};

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
            None => self.show(|format| self.comparison(&comparison, format))?,
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
