//! What a file that is checked is meant to be.

use crate::check::contract::contract_names;
use crate::cli::Failure;
use crate::cli::config::FILE;
use crate::cli::opened::Place;
use crate::cli::terminal::harmless;
use crate::corpus::is_label_line;
use crate::gate::RuleKind;
use crate::rulebook::builtin_names;
use crate::rulebook::problem::{Problems, listing};
use crate::rulebook::source::Node;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Rulebook,
    Contract,
    Tools,
    Labels,
    Policy,
    Facts,
    Criteria,
    /// What the recordings of a folder are checked against.
    Config,
}

/// Longer text is no TOML that somebody wrote.
const LONGEST: u64 = 64 << 20;

/// Keys that only one kind of TOML file has at its top.
const OF_RULEBOOK: [&str; 11] = [
    "extends", "lists", "signals", "factors", "decide", "score", "errors", "success", "example",
    "examples", "class",
];
const OF_CONTRACT: [&str; 5] = ["servers", "tools", "security", "types", "response"];

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rulebook => "rulebook",
            Self::Contract => "contract",
            Self::Tools => "tool definitions",
            Self::Labels => "labels",
            Self::Policy => "policy",
            Self::Facts => "facts",
            Self::Criteria => "criteria",
            Self::Config => "configuration",
        }
    }

    /// By its name where that is enough, else by its contents.
    pub(super) fn of(file: &Path) -> Result<Self, Failure> {
        let name = file.to_string_lossy();
        if builtin_names().contains(&name.as_ref()) {
            return Ok(Self::Rulebook);
        }
        if contract_names().contains(&name.as_ref()) {
            return Ok(Self::Contract);
        }
        if Place::of(file) == Place::Run {
            return Err(Failure::usage(format!("{} is a run", harmless(&name)))
                .next("name files that people write, and the run with --on"));
        }
        if file.is_dir() || file == Path::new("-") {
            return Ok(Self::Tools);
        }
        if !file.exists() {
            return Err(Failure::usage(format!("{} does not exist", harmless(&name))).next(
                format!(
                    "name a file, or something built in: {}, {}",
                    builtin_names().join(", "),
                    contract_names().join(", ")
                ),
            ));
        }
        match (file.file_name().and_then(OsStr::to_str), file.extension().and_then(OsStr::to_str)) {
            (Some(FILE), _) => Ok(Self::Config),
            (_, Some("toml")) => of_toml(file),
            (_, Some("csv")) => Ok(of_csv(file)),
            _ => Ok(of_lines(file)),
        }
    }
}

/// A TOML file is what most of its keys belong to; one that cannot be read counts as a rulebook.
fn of_toml(file: &Path) -> Result<Kind, Failure> {
    let mut text = String::new();
    let read = File::open(file).map(|file| file.take(LONGEST).read_to_string(&mut text));
    let Ok(Ok(_)) = read else { return Ok(Kind::Rulebook) };
    let Ok(table) = text.parse::<toml::Table>() else {
        let label = file.display().to_string();
        let mut problems = Problems::default();
        let number = problems.add_file(&label, &text);
        Node::parse(&text, number, &mut problems);
        return Err(Failure::usage(listing(&label, &problems.into_errors())).next("correct it"));
    };
    let has = |key: &str| table.contains_key(key);
    let count = |keys: &[&str]| keys.iter().filter(|key| has(key)).count();
    let of_policy: Vec<&str> = RuleKind::TABLE
        .iter()
        .map(|rule| rule.name)
        .chain(["waivers", "intersect", "default"])
        .collect();
    if table.get("facts").is_some_and(toml::Value::is_array) {
        return Ok(Kind::Facts);
    }
    let counts = [
        (count(&of_policy), Kind::Policy),
        (count(&OF_CONTRACT), Kind::Contract),
        (count(&OF_RULEBOOK), Kind::Rulebook),
    ];
    let most = counts.into_iter().max_by_key(|(count, _)| *count);
    let most = most.filter(|(count, _)| *count > 0).map(|(_, kind)| kind);
    // Rulebooks and contracts may have criteria too.
    most.or_else(|| has("criteria").then_some(Kind::Criteria)).ok_or_else(|| {
        Failure::usage(format!(
            "{}: no key at its top belongs to a rulebook, contract, policy or list of facts or criteria",
            harmless(&file.to_string_lossy())
        ))
        .next("see docs/rulebooks.md, docs/contracts.md, docs/gate.md and docs/checks.md for the keys")
    })
}

fn first_line(file: &Path) -> String {
    let mut line = String::new();
    if let Ok(file) = File::open(file) {
        let mut lines = BufReader::new(file.take(1 << 20));
        while lines.read_line(&mut line).is_ok_and(|length| length > 0) && line.trim().is_empty() {
            line.clear();
        }
    }
    line
}

fn of_csv(file: &Path) -> Kind {
    let heads = first_line(file);
    let has = |name: &str| heads.split(',').any(|head| head.trim().trim_matches('"') == name);
    if has("label") { Kind::Labels } else { Kind::Facts }
}

fn of_lines(file: &Path) -> Kind {
    if is_label_line(&first_line(file), 64) { Kind::Labels } else { Kind::Tools }
}
