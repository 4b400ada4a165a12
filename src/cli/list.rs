//! `tapecheck list`: what is built in, and what names mean.

use super::config::config;
use super::inputs::load;
use super::terminal::{counted, log_width, print};
use super::{Exit, Failure, review};
use crate::check::CHECKS;
use crate::check::contract::{Contract, code, contract_names, contract_source};
use crate::corpus::UnreadableReason;
use crate::format::FORMATS;
use crate::gate::{RULES, WAIVERS};
use crate::program::PROGRAMS;
use crate::rulebook::{builtin_names, builtin_source};
use crate::verdict::{IssueType, Outcome};
use crate::view::text::text;
use crate::view::{Cell, Column, Field, Line, Section, Table};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to list [default: what can be listed]
    #[arg(value_name = "WHAT")]
    what: Option<What>,
    /// Print this rulebook or contract (built-in or a file), or only what has this name
    #[arg(value_name = "NAME", requires = "what")]
    name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Built-in rulebooks; with NAME the text of one
    Rulebooks,
    /// Built-in contracts; with NAME the text of one
    Contracts,
    /// Baselines, and what waits for a review
    Baselines,
    /// Outcomes of calls, and what each means
    Outcomes,
    /// Issue types and error codes, and what each means
    Issues,
    /// Checks, and what each looks at
    Checks,
    /// Rules of gate policies, and what each compares
    Rules,
    /// Formats of recordings
    Formats,
    /// Reasons why lines and files could not be read
    Unreadable,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let Some(what) = self.what else { return show(&[overview()]) };
        let name = self.name.as_deref();
        match (what, name) {
            (What::Rulebooks, Some(name)) => source(name, builtin_source(name), "rulebook"),
            (What::Contracts, Some(name)) => source(name, contract_source(name), "contract"),
            (What::Rulebooks, None) => show(&[rulebooks()?]),
            (What::Contracts, None) => show(&[contracts()?]),
            (What::Baselines, named) => {
                let folder = named.map_or_else(|| config().baseline.clone(), PathBuf::from);
                review::list(&folder)
            }
            (What::Issues, name) => named(issues(), name),
            (What::Outcomes, name) => {
                let all = Outcome::ALL.into_iter().rev();
                named(all.map(|it| (it.name(), it.sentence().to_owned())), name)
            }
            (What::Checks, name) => {
                named(CHECKS.iter().map(|it| (it.name(), it.about().to_owned())), name)
            }
            (What::Rules, name) => {
                let all = RULES.into_iter().chain([&WAIVERS]);
                named(all.map(|it| (it.name, it.about.to_owned())), name)
            }
            (What::Formats, name) => {
                let own = FORMATS.iter().map(|it| (it.name(), it.about().to_owned()));
                let programs = PROGRAMS.iter().map(|it| (it.id, it.about.to_owned()));
                named(own.chain(programs), name)
            }
            (What::Unreadable, name) => {
                let all = UnreadableReason::ALL.iter();
                named(all.map(|it| (it.name(), it.about().to_owned())), name)
            }
        }
    }
}

fn show(sections: &[Section]) -> Result<Exit, Failure> {
    print(&text(sections, log_width()))
}

fn overview() -> Section {
    let mut section = Section::new("tapecheck list WHAT [NAME]");
    let all = <What as clap::ValueEnum>::value_variants().iter();
    let all = all.filter_map(clap::ValueEnum::to_possible_value);
    let fields = all.map(|value| {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        Field::new(value.get_name(), about)
    });
    section.fields(fields.collect());
    section
}

fn source(name: &str, builtin: Option<&'static str>, what: &str) -> Result<Exit, Failure> {
    let text = match builtin {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(name).map_err(|error| {
            Failure::usage(format!("cannot read the {what} {name}: {error}"))
                .next(format!("`tapecheck list {what}s` lists the built-in ones"))
        })?,
    };
    print(&text)
}

fn rulebooks() -> Result<Section, Failure> {
    let mut fields = Vec::new();
    for name in builtin_names() {
        let rulebook = load(name)?;
        let numbers = format!(
            " ({}, {}, {}, digest {})",
            counted(rulebook.signals.len() as u64, "signal"),
            counted(rulebook.patterns.len() as u64, "pattern"),
            counted(rulebook.examples.len() as u64, "example"),
            rulebook.digest.get(..12).unwrap_or(&rulebook.digest),
        );
        fields.push(Field::new(*name, Line::from(&*rulebook.about).then(numbers)));
    }
    let mut section = Section::default();
    section.fields(fields);
    Ok(section)
}

fn contracts() -> Result<Section, Failure> {
    let mut fields = Vec::new();
    for name in contract_names() {
        let contract = Contract::load(name).map_err(Failure::usage)?;
        let numbers = format!(
            " ({}, digest {})",
            super::check::contents(&contract),
            &contract.digest()[..12]
        );
        fields.push(Field::new(name, Line::from(contract.about()).then(numbers)));
    }
    let mut section = Section::default();
    section.fields(fields);
    Ok(section)
}

fn issues() -> Vec<(&'static str, String)> {
    let about = |kind: &IssueType| match code(*kind) {
        Some(code) => format!("{} Code: {code}.", kind.about()),
        None => kind.about().to_owned(),
    };
    IssueType::ALL.iter().map(|kind| (kind.name(), about(kind))).collect()
}

/// Names with what they mean: all of them, or those with a word in their name or their meaning.
fn named(
    all: impl IntoIterator<Item = (&'static str, String)>,
    wanted: Option<&str>,
) -> Result<Exit, Failure> {
    let all: Vec<_> = all.into_iter().collect();
    let fits = |(name, about): &(&str, String)| {
        wanted.is_none_or(|wanted| *name == wanted || about.contains(wanted))
    };
    let known: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let found: Vec<_> = all.iter().filter(|one| fits(one)).collect();
    if found.is_empty() {
        let wanted = wanted.unwrap_or_default();
        return Err(Failure::usage(format!("unknown name {wanted}"))
            .next(format!("known are {}", known.join(", "))));
    }
    let mut table = Table::new([Column::left("name"), Column::left("meaning")]);
    for (name, about) in found {
        table.push([Cell::text(*name), Cell::text(about.as_str())]);
    }
    let mut section = Section::default();
    section.table(table);
    show(&[section])
}
