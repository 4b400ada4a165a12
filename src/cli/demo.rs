//! `tapecheck demo`: recordings of many nights, drawn from recorded exchanges, with incidents planted.

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::{inputs, load};
use super::terminal::{counted, harmless, print};
use super::{Exit, Failure};
use crate::check::Judge;
use crate::check::schema::Schemas;
use crate::corpus::CorpusReader;
use crate::demo::{Plan, Planted, Stock};
use crate::recording::Day;
use crate::run::for_each_exchange;
use crate::verdict::Classification;
use flate2::{Compression, GzBuilder};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Recordings to draw calls from
    #[arg(required = true, value_name = "RECORDINGS")]
    corpus: Vec<PathBuf>,
    /// Where to write one recording per night: an empty or new folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Rulebook that decides which calls end well: others are drawn less often [default: calibrated]
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Option<String>,
    /// How many nights
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    nights: u32,
    /// The last night
    #[arg(long, value_name = "YYYY-MM-DD", default_value = "2026-06-30")]
    night: Day,
    /// Calls per night, within 5 %
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    calls: u32,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let stock = self.stock()?;
        let plan = Plan {
            nights: self.nights,
            last: self.night,
            per_night: self.calls,
            seed: config().seed,
        };
        is_free(&self.out)?;
        let failed = |error: io::Error| {
            Failure::unfinished(format!("cannot write {}: {error}", self.out.display()))
                .next("make room, or choose another folder with --out")
        };
        fs::create_dir_all(&self.out).map_err(failed)?;
        for (night, day) in (0..).zip(plan.days()) {
            write(&plan, &stock, (night, &self.out.join(format!("{day}.jsonl.gz"))))
                .map_err(failed)?;
        }
        print(&self.summary(&plan, &stock))
    }

    fn stock(&self) -> Result<Stock, Failure> {
        let bounds = config().bounds;
        let reader = CorpusReader::new(&inputs(&self.corpus), bounds)?;
        let mut stock = Stock::default();
        let rulebook = load(self.rulebook.as_ref().unwrap_or(&config().rulebook))?;
        let schemas = Schemas::new(rulebook.schema.clone());
        let mut judge = Judge::new(&rulebook, &schemas);
        for_each_exchange(reader, &bounds, |located| {
            let exchange = located.as_recorded();
            let verdict = judge.judge(exchange);
            let ended_well = verdict.conclusion.judgement.class == Classification::FullyWorking
                && !verdict.is_error.is_yes();
            stock.take(exchange, ended_well);
            ControlFlow::<()>::Continue(())
        })?;
        if stock.servers() == 0 {
            return Err(Failure::usage("there is no tool call to draw from")
                .next("name recordings of calls, such as corpus/field"));
        }
        Ok(stock.sorted())
    }

    fn summary(&self, plan: &Plan, stock: &Stock) -> String {
        let mut text = format!(
            "{} of about {} each in {}, drawn from {} of {}\n",
            counted(u64::from(plan.nights), "night"),
            counted(u64::from(plan.per_night), "call"),
            self.out.display(),
            counted(stock.exchanges() as u64, "recorded call"),
            counted(stock.servers() as u64, "server"),
        );
        let days: Vec<Day> = plan.days().collect();
        for planted in plan.incidents(stock) {
            let Planted { incident, first, until, .. } = planted;
            let Some(from) = days.get(first as usize) else { continue };
            let until = until.and_then(|until| days.get(until as usize - 1));
            let until = until.map_or("to the end".to_owned(), |last| format!("to {last}"));
            let _ = writeln!(
                text,
                "planted: {} of {} from {from} {until}: {}",
                incident.name,
                harmless(planted.server(stock)),
                incident.about,
            );
        }
        let run = CommandLine::new("tapecheck run").word(&self.out);
        let run = run.flag("--rulebook", &self.rulebook);
        let _ =
            writeln!(text, "next: {run} --out run --history history, then tapecheck trend history");
        text
    }
}

/// Recordings go where nothing is that they could be mixed up with.
fn is_free(out: &Path) -> Result<(), Failure> {
    let is_empty = match fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => {
            return Err(Failure::usage(format!("cannot look into {}: {error}", out.display())));
        }
    };
    if is_empty {
        return Ok(());
    }
    Err(Failure::usage(format!("{} is not empty", out.display()))
        .next("choose another folder with --out, or remove this one first"))
}

fn write(plan: &Plan, stock: &Stock, (night, path): (u32, &Path)) -> io::Result<()> {
    let file = BufWriter::new(fs::File::create_new(path)?);
    // Without a name and a time in its head, the same recording is the same file.
    let mut packed = GzBuilder::new().write(file, Compression::default());
    plan.write(stock, night, &mut packed)?;
    packed.finish()?.flush()
}
