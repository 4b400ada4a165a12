//! `tapecheck label next`: the exchanges most worth a label, asked about one after the other.

use super::label_screen::Sheet;
use super::{How, label_lines, pages, target};
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::RawArg;
use crate::cli::opened_path::read_all_labels;
use crate::cli::screen::{has_terminal, show};
use crate::cli::terminal::{print, say};
use crate::cli::{Exit, Failure};
use crate::compare::Side;
use crate::labels::{Label, LabelLine, Labelled, can_be_added_to, labels_of_entry};
use crate::measure::next::{Candidate, Chosen, Known, Page, Pool, Question, choose, doubts, pool};
use crate::verdict::{counted, cut, grouped, harmless};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How much of a text a list shows.
const SHOWN: usize = 300;

/// Arguments of `tapecheck label next`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// A run, or recordings to classify first [default: reports/latest]
    #[arg(value_name = "RUN|RECORDINGS")]
    named: Option<PathBuf>,
    /// Files of labels; the first takes the answers [default: labels.jsonl]; repeatable
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// How many questions
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    top: u16,
    /// Ask only about errors, or only about replies that claim success
    #[arg(long, value_name = "KIND", value_enum)]
    filter: Option<Only>,
    #[command(flatten)]
    raw: RawArg,
    #[command(flatten)]
    how: How,
}

/// Which replies are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Only {
    /// Replies that say of themselves that they are errors.
    Errors,
    /// Replies that do not.
    Successes,
}

/// A question with everything that is shown of it.
pub(super) struct Shown {
    /// The first exchange is shown; all of them get the answer.
    pub(super) lines: Vec<LabelLine>,
    pub(super) page: Page,
    /// Server and tool.
    pub(super) call: String,
    /// Recording and line.
    pub(super) place: String,
    pub(super) possible: &'static [Label],
    /// How many exchanges reply the same, it included.
    pub(super) equal: usize,
    pub(super) why: String,
}

impl Shown {
    pub(super) fn is_error(&self) -> bool {
        !self.possible.contains(&Label::Worked)
    }

    /// What is said of those that get the same answer.
    pub(super) fn equal_words(&self) -> String {
        let (others, given) = (self.equal as u64 - 1, self.lines.len().saturating_sub(1) as u64);
        let labelled =
            if given == others { String::new() } else { format!(" (of {})", grouped(others)) };
        match others {
            0 => String::new(),
            _ => format!("also for {}{labelled} with the same reply", counted(given, "other")),
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let into = self.answers();
        can_be_added_to(&into)?;
        // The file that takes the answers need not be there.
        let mut files = self.labels.clone();
        files.retain(|file| *file != into);
        files.extend(into.exists().then(|| into.clone()));
        let (side, folder) = self.how.open(self.input())?;
        let labelled = Labelled::of_run(&folder.path, &side, &read_all_labels(&files)?)?;
        let (questions, chosen, pool) = self.questions(&side, &labelled)?;
        for note in labelled.notes() {
            say(&format!("note: {note}"));
        }
        let left_out = match pool.left_out {
            0 => String::new(),
            some => format!("{} similar calls were not considered\n", counted(some, "call")),
        };
        if questions.is_empty() {
            let text = "nothing left to label: every call that can have a label has one, or has \
                the same reply as a labelled call\n";
            return print(&(text.to_owned() + &left_out));
        }
        if !has_terminal() {
            return print(&(self.listing(&questions, &chosen) + &left_out));
        }
        let (sheet, _) = show(Sheet::new(&questions, &into))?;
        let again = CommandLine::new("tapecheck label next").word(self.input());
        let again = again.flag("--labels", &self.labels).then(&self.how.spelled());
        print(&format!(
            "{}, {} in {}\ngo on with {again}\n",
            counted(sheet.answered() as u64, "answer"),
            counted(sheet.labels() as u64, "label"),
            into.display(),
        ))
    }

    fn input(&self) -> &Path {
        self.named.as_deref().unwrap_or(&config().out)
    }

    fn answers(&self) -> PathBuf {
        target(self.labels.first())
    }

    fn questions(
        &self,
        side: &Side,
        labelled: &Labelled,
    ) -> Result<(Vec<Shown>, Chosen, Pool), Failure> {
        let doubts = doubts(side);
        // Before the most doubtful are picked: of very many doubtful errors, no success would be left.
        let pool = pool(side, labelled, &doubts, |at| self.is_wanted(side, at));
        let wanted: Vec<u32> = pool.open.iter().chain(&pool.labelled).copied().collect();
        let mut pages = pages(self.input(), side, &wanted, &self.raw.redactor()?)?;
        if pages.is_empty() && !pool.open.is_empty() {
            return Err(Failure::unfinished(format!(
                "the recordings of {} have moved",
                self.input().display()
            ))
            .next("name the recordings instead, with --rulebook"));
        }
        if pages.len() < wanted.len() {
            let missing = counted((wanted.len() - pages.len()) as u64, "call");
            say(&format!("note: {missing} of the run are no longer in their recordings"));
        }
        let read = |at: &u32| Some((side.entries.get(*at as usize)?, pages.get(at)?));
        let candidates = pool.open.iter().filter_map(|at| {
            let (entry, page) = read(at)?;
            let doubt = *doubts.get(entry.verdict as usize)?;
            let (server, sketch) = (entry.server, page.sketch.clone());
            Some(Candidate { entry: *at, server, doubt, reply: page.hash, sketch })
        });
        let known = pool.labelled.iter().filter_map(read).map(|(entry, page)| Known {
            server: entry.server,
            reply: page.hash,
            sketch: page.sketch.clone(),
        });
        let known: Vec<Known> = known.collect();
        let chosen = choose(candidates.collect(), &known, self.top.into());
        let questions = chosen.questions.iter();
        let shown = questions.filter_map(|question| Self::shown(side, question, &mut pages));
        Ok((shown.collect(), chosen.clone(), pool))
    }

    fn is_wanted(&self, side: &Side, at: u32) -> bool {
        let is_error = !possible(side, at).contains(&Label::Worked);
        match self.filter {
            None => true,
            Some(Only::Errors) => is_error,
            Some(Only::Successes) => !is_error,
        }
    }

    fn shown(side: &Side, question: &Question, pages: &mut BTreeMap<u32, Page>) -> Option<Shown> {
        let first = *question.entries.first()?;
        let possible = possible(side, first);
        // The answer takes the place of the label.
        let equal = question.entries.iter().copied();
        let lines = label_lines(side, equal, pages, *possible.first()?);
        let entry = side.entries.get(first as usize)?;
        let likeness = match question.likeness {
            alike if alike < 0.05 => "its reply is unlike any labelled or earlier one".to_owned(),
            alike => format!("its reply is {:.0} % like a labelled or earlier one", alike * 100.0),
        };
        Some(Shown {
            lines,
            page: pages.remove(&first)?,
            call: format!("{}/{}", side.names.get(entry.server), side.names.get(entry.tool)),
            place: format!("{}:{}", side.names.get(entry.file), entry.line),
            possible,
            equal: question.entries.len(),
            why: format!("{}; {likeness}", question.doubt.words()),
        })
    }

    fn listing(&self, questions: &[Shown], chosen: &Chosen) -> String {
        let mut text = String::new();
        for (number, shown) in (1..).zip(questions) {
            let kind =
                if shown.is_error() { "flagged as an error" } else { "not flagged as an error" };
            let (call, place) = (harmless(&shown.call), harmless(&shown.place));
            let _ = writeln!(text, "{number}. {call}  {place}  {kind}");
            for (word, value) in [
                ("input", shown.page.input.as_ref()),
                ("reply", shown.page.reply.as_ref()),
                ("why", &shown.why),
                ("equal", &shown.equal_words()),
            ] {
                if !value.is_empty() {
                    let _ = writeln!(text, "   {word:<7} {}", cut(&harmless(value), SHOWN));
                }
            }
            for label in shown.possible {
                let _ = writeln!(text, "   {}", self.command(shown, *label));
            }
            text.push('\n');
        }
        let asked = counted(questions.len() as u64, "question");
        let _ = writeln!(text, "{asked}, {} left after them", grouped(chosen.left as u64));
        text.push_str("add --note TEXT to a command to say why\n");
        if chosen.answered > 0 {
            let count = counted(chosen.answered as u64, "call");
            let _ = writeln!(text, "{count} with the same reply as a labelled one");
        }
        text
    }

    fn command(&self, shown: &Shown, label: Label) -> String {
        let key = shown.lines.first().and_then(|line| line.key);
        let key = key.map_or_else(String::new, |key| key.to_string());
        let into = self.answers();
        CommandLine::new("tapecheck label add")
            .word(self.input())
            .words([&key, label.name()])
            .then(&self.how.spelled())
            .flag("--labels", Some(into).filter(|into| *into != target(None)))
            .to_string()
    }
}

fn possible(side: &Side, at: u32) -> &'static [Label] {
    labels_of_entry(side, at).unwrap_or_default()
}
