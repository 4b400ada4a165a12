//! `tapecheck label next`: the exchanges most worth a label, asked about one after the other.

use super::add::MOST_EQUAL;
use super::sheet::Sheet;
use super::{How, pages, target};
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::RawArg;
use crate::cli::opened::labels_in;
use crate::cli::screen::{has_terminal, show};
use crate::cli::terminal::{print, say};
use crate::cli::{Exit, Failure};
use crate::compare::Side;
use crate::labels::{Label, LabelLine, Labelled, can_be_added_to, labels_of_entry};
use crate::measure::next::{Candidate, Chosen, Known, Page, Pool, Question, choose, doubts, pool};
use crate::verdict::{counted, cut, grouped, harmless};
use std::collections::{BTreeMap, HashSet};
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
        self.possible.contains(&Label::ToolFailure)
    }

    /// What is said of those that get the same answer.
    pub(super) fn equal_words(&self) -> String {
        match (self.equal, self.lines.len()) {
            (1, _) => String::new(),
            (all, given) if all == given => {
                let gets = if all == 2 { "gets" } else { "get" };
                let others = counted(all as u64 - 1, "other");
                format!("{others} with the same reply {gets} the same label")
            }
            (all, given) => format!(
                "{} more have the same reply; {} of them get the same label",
                grouped(all as u64 - 1),
                grouped(given.saturating_sub(1) as u64)
            ),
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let into = self.answers();
        can_be_added_to(&into)?;
        let lines = self.known_lines()?;
        let (side, folder) = self.how.open(self.input())?;
        let labelled = Labelled::of_run(&folder.path, &side, &lines)?;
        let (questions, chosen, pool) = self.questions(&side, &labelled)?;
        for note in labelled.notes() {
            say(&format!("note: {note}"));
        }
        if questions.is_empty() {
            let text = "nothing left to label: every call that can have a label has one, or has \
                the same reply as a labelled call\n";
            let text = text.to_owned() + &not_looked_at(&pool);
            print(&text)?;
            return Ok(Exit::Clean);
        }
        if !has_terminal() {
            let text = self.listing(&questions, &chosen, &pool);
            print(&text)?;
            return Ok(Exit::Clean);
        }
        let (sheet, ()) = show(Sheet::new(&questions, &into))?;
        print(&self.summary(&sheet))
    }

    fn input(&self) -> &Path {
        self.named.as_deref().unwrap_or(&config().out)
    }

    fn answers(&self) -> PathBuf {
        target(self.labels.first())
    }

    /// The labels of all files. The one that takes the answers need not be there, unless it is named as
    /// one that holds labels.
    fn known_lines(&self) -> Result<Vec<LabelLine>, Failure> {
        let into = self.answers();
        let mut paths = self.labels.clone();
        if !paths.contains(&into) {
            paths.push(into.clone());
        }
        let mut lines = Vec::new();
        for path in paths {
            if !path.exists() && path == into {
                continue;
            }
            lines.extend(labels_in(&path)?);
        }
        Ok(lines)
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
        let candidates = pool.open.iter().filter_map(|at| {
            let (entry, page) = (side.entries.get(*at as usize)?, pages.get(at)?);
            let doubt = *doubts.get(entry.verdict as usize)?;
            let (server, sketch) = (entry.server, page.sketch.clone());
            Some(Candidate { entry: *at, server, doubt, reply: page.hash, sketch })
        });
        let known = pool.labelled.iter().filter_map(|at| {
            let (entry, page) = (side.entries.get(*at as usize)?, pages.get(at)?);
            Some(Known { server: entry.server, reply: page.hash, sketch: page.sketch.clone() })
        });
        let (candidates, known): (Vec<_>, Vec<_>) = (candidates.collect(), known.collect());
        let chosen = choose(candidates, &known, self.top.into());
        let questions = chosen.questions.iter();
        let shown = questions.filter_map(|question| Self::shown(side, question, &mut pages));
        Ok((shown.collect(), chosen.clone(), pool))
    }

    fn is_wanted(&self, side: &Side, at: u32) -> bool {
        let is_error = possible(side, at).contains(&Label::ToolFailure);
        match self.filter {
            None => true,
            Some(Only::Errors) => is_error,
            Some(Only::Successes) => !is_error,
        }
    }

    fn shown(side: &Side, question: &Question, pages: &mut BTreeMap<u32, Page>) -> Option<Shown> {
        let first = *question.entries.first()?;
        let possible = possible(side, first);
        // A label is that of all exchanges with its key.
        let mut keys = HashSet::new();
        let lines = question.entries.iter().take(MOST_EQUAL).filter_map(|at| {
            let entry = side.entries.get(*at as usize).filter(|entry| keys.insert(entry.key))?;
            let id = pages.get(at).and_then(|page| page.id.as_deref());
            Some(LabelLine {
                key: Some(entry.key),
                file: Some(side.names.get(entry.file).to_owned()),
                id: id.map(|id| crate::labels::plain_id(id).to_owned()),
                // Replaced by the answer.
                label: *possible.first()?,
                why: None,
                who: None,
                when: None,
            })
        });
        let lines = lines.collect();
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

    fn listing(&self, questions: &[Shown], chosen: &Chosen, pool: &Pool) -> String {
        let mut text = String::new();
        for (number, shown) in (1..).zip(questions) {
            let kind = if shown.is_error() { "an error" } else { "no error" };
            let (call, place) = (harmless(&shown.call), harmless(&shown.place));
            let _ = writeln!(text, "{number}. {call}  {place}  {kind}");
            let line = |text: &mut String, word: &str, value: &str| {
                if !value.is_empty() {
                    let _ = writeln!(text, "   {word:<7} {}", cut(&harmless(value), SHOWN));
                }
            };
            line(&mut text, "input", shown.page.input.as_ref());
            line(&mut text, "reply", shown.page.reply.as_ref());
            line(&mut text, "why", &shown.why);
            line(&mut text, "equal", &shown.equal_words());
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
        text + &not_looked_at(pool)
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

    fn summary(&self, sheet: &Sheet<'_>) -> String {
        let into = self.answers();
        let into = into.display();
        let again = CommandLine::new("tapecheck label next").word(self.input());
        let again = again.flag("--labels", &self.labels);
        let again = again.then(&self.how.spelled());
        format!(
            "{}, {} in {into}\ngo on with {again}\n",
            counted(sheet.answered() as u64, "answer"),
            counted(sheet.labels() as u64, "label"),
        )
    }
}

fn not_looked_at(pool: &Pool) -> String {
    match pool.left_out {
        0 => String::new(),
        some => format!("{} similar calls were not considered\n", counted(some, "call")),
    }
}

fn possible(side: &Side, at: u32) -> &'static [Label] {
    labels_of_entry(side, at).unwrap_or_default()
}
