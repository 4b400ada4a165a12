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
use crate::view::{Field, Section};
use clap::ValueEnum as _;
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
        match (self.what, self.name.as_deref()) {
            (Some(What::Rulebooks), Some(name)) => source(name, builtin_source(name), "rulebook"),
            (Some(What::Contracts), Some(name)) => source(name, contract_source(name), "contract"),
            (Some(What::Baselines), name) => {
                let folder = name.map_or_else(|| config().baseline.clone(), PathBuf::from);
                review::list(&folder)
            }
            (what, name) => show(meanings(what)?, name),
        }
    }
}

fn source(name: &str, builtin: Option<&'static str>, what: &str) -> Result<Exit, Failure> {
    let text = builtin.map_or_else(|| std::fs::read_to_string(name), |text| Ok(text.to_owned()));
    print(&text.map_err(|error| {
        Failure::usage(format!("cannot read the {what} {name}: {error}"))
            .next(format!("`tapecheck list {what}s` lists the built-in ones"))
    })?)
}

/// Names with what they mean: all of them, or those with a word as their name or in their meaning.
fn show(all: Vec<(String, String)>, wanted: Option<&str>) -> Result<Exit, Failure> {
    let (found, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(name, about)| {
        wanted.is_none_or(|wanted| name == wanted || about.contains(wanted))
    });
    if found.is_empty() {
        let known: Vec<String> = others.into_iter().map(|(name, _)| name).collect();
        return Err(Failure::usage(format!("unknown name {}", wanted.unwrap_or_default()))
            .next(format!("known are {}", known.join(", "))));
    }
    let mut section = Section::default();
    section.fields(found.into_iter().map(|(name, about)| Field::new(name, about)).collect());
    print(&text(&[section], log_width()))
}

fn meanings(what: Option<What>) -> Result<Vec<(String, String)>, Failure> {
    let all: Vec<(&str, String)> = match what {
        None | Some(What::Baselines) => {
            let all = What::value_variants().iter().filter_map(clap::ValueEnum::to_possible_value);
            let help = |value: &clap::builder::PossibleValue| {
                value.get_help().map(ToString::to_string).unwrap_or_default()
            };
            return Ok(all.map(|value| (value.get_name().to_owned(), help(&value))).collect());
        }
        Some(What::Rulebooks) => {
            let rulebook = |name: &&'static str| {
                let rulebook = load(name)?;
                let numbers = [
                    counted(rulebook.signals.len() as u64, "signal"),
                    counted(rulebook.patterns.len() as u64, "pattern"),
                    counted(rulebook.examples.len() as u64, "example"),
                ];
                let (about, numbers, digest) =
                    (&rulebook.about, numbers.join(", "), &rulebook.digest);
                Ok((*name, format!("{about} ({numbers}, digest {digest:.12})")))
            };
            builtin_names().iter().map(rulebook).collect::<Result<_, Failure>>()?
        }
        Some(What::Contracts) => {
            let contract = |name| {
                let contract = Contract::load(name).map_err(Failure::usage)?;
                let (about, numbers) = (&contract.about, super::check::contents(&contract));
                Ok((name, format!("{about} ({numbers}, digest {:.12})", contract.digest)))
            };
            contract_names().into_iter().map(contract).collect::<Result<_, Failure>>()?
        }
        Some(What::Outcomes) => {
            let all = Outcome::ALL.into_iter().rev();
            all.map(|it| (it.name(), it.sentence().to_owned())).collect()
        }
        Some(What::Issues) => {
            let code = |kind| code(kind).map_or_else(String::new, |it| format!(" Code: {it}."));
            let all = IssueType::ALL.iter();
            all.map(|kind| (kind.name(), format!("{}{}", kind.about(), code(*kind)))).collect()
        }
        Some(What::Checks) => {
            CHECKS.iter().map(|it| (it.kind.name(), it.about.to_owned())).collect()
        }
        Some(What::Rules) => {
            let all = RULES.into_iter().chain([&WAIVERS]);
            all.map(|it| (it.name, it.about.to_owned())).collect()
        }
        Some(What::Formats) => {
            let own = FORMATS.iter().map(|it| (it.name, it.about.to_owned()));
            own.chain(PROGRAMS.iter().map(|it| (it.id, it.about.to_owned()))).collect()
        }
        Some(What::Unreadable) => {
            let all = UnreadableReason::ALL.iter();
            all.map(|it| (it.name(), it.about().to_owned())).collect()
        }
    };
    Ok(all.into_iter().map(|(name, about)| (name.to_owned(), about)).collect())
}
