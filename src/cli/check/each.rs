//! The kinds of files that are checked: how each is known, and what is wrong with it.

use super::Checked;
use crate::check::contract::{Contract, code, contract_names};
use crate::check::{CheckFiles, Checks, issues_under};
use crate::cli::Failure;
use crate::cli::config::{FILE, config};
use crate::cli::inputs::inputs;
use crate::cli::opened_path::{LabelledSide, LabelsArgs, PathKind, recordings, tell_notes};
use crate::cli::terminal::{counted, grouped, harmless, say};
use crate::compare::{Rescorer, Side};
use crate::corpus::{CorpusReader, is_label_line};
use crate::gate::RULES;
use crate::lint::Finding;
use crate::lint::rulebook::{JudgedCorpus, Linted, lint, silent};
use crate::lint::tools::{Whose, lint as lint_tool};
use crate::recording::ExchangeKind;
use crate::rulebook::problem::{Problems, listing};
use crate::rulebook::source::Node;
use crate::rulebook::{Places, Rulebook, builtin_names};
use crate::run::{for_each_exchange, known_tools, run_examples};
use crate::tune::breaking_inherited;
use crate::verdict::Severity;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

pub(super) fn check_contract(
    name: &str,
    on: Option<&Path>,
    checked: &mut Checked,
) -> Result<(), Failure> {
    let contract =
        Contract::load(name).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    checked.about = contents(&contract);
    if let Some(on) = on {
        return compare(&contract, on, checked);
    }
    checked.leaves("calls", "name recordings with --on to compare calls with it");
    Ok(())
}

/// What there is in a contract, in numbers.
pub(in crate::cli) fn contents(contract: &Contract) -> String {
    let (tools, rules) = (contract.tools().count() as u64, contract.rules() as u64);
    let criteria = contract.criteria.len();
    format!("{}, {}, criteria: {criteria}", counted(tools, "tool"), counted(rules, "rule"))
}

/// Issues by severity and code.
fn compare(contract: &Contract, on: &Path, checked: &mut Checked) -> Result<(), Failure> {
    let bounds = config().bounds;
    let reader = CorpusReader::new(&inputs(&recordings(on)), bounds)?;
    let (mut calls, mut meant, mut clean) = (0u64, 0u64, 0u64);
    let mut found: BTreeMap<(Severity, &'static str), Finding> = BTreeMap::new();
    for_each_exchange(reader, &bounds, |located| {
        let exchange = located.as_recorded();
        calls += u64::from(exchange.kind == ExchangeKind::ToolCall);
        let issues = Some(exchange).filter(|it| it.kind == ExchangeKind::ToolCall);
        let Some(issues) = issues.and_then(|it| issues_under(contract, it)) else {
            return ControlFlow::<()>::Continue(());
        };
        meant += 1;
        clean += u64::from(issues.is_empty());
        for issue in issues {
            let rule = code(issue.kind).unwrap_or_else(|| issue.kind.name());
            let first = found.entry((issue.severity, rule)).or_insert_with(|| {
                let file = harmless(located.file_as_recorded());
                let mut first = Finding::new(issue.severity, rule, String::new());
                first.place = Some(format!("{file}:{}", exchange.place.line));
                first.evidence = issue.message;
                first
            });
            *first.counts.entry("issues").or_default() += 1;
        }
        ControlFlow::Continue(())
    })?;
    checked.about = format!(
        "{}; {} of {} are calls of its tools, {} of them without issues",
        checked.about,
        grouped(meant),
        counted(calls, "call"),
        grouped(clean)
    );
    if meant == 0 {
        let (on, name) = (on.display(), &checked.name);
        return Err(Failure::unfinished(format!("no call in {on} uses a tool of {name}")).next(
            "calls are matched by `servers` if the contract has them, otherwise by tool names",
        ));
    }
    for found in found.values_mut() {
        found.name = format!("{} in calls", counted(found.counts["issues"], "issue"));
    }
    checked.findings.extend(found.into_values());
    checked.findings.sort_by_key(|it| (it.severity, Reverse(it.counts.get("issues").copied())));
    Ok(())
}

pub(super) fn check_criteria(file: &Path, checked: &mut Checked) -> Result<(), Failure> {
    let files = CheckFiles { criteria: vec![file.to_owned()], ..CheckFiles::default() };
    let checks = Checks::load(&files, &[])?;
    for file in &checks.criteria_files {
        let criteria = &file.criteria;
        let examples: usize = criteria.iter().map(|criterion| criterion.examples).sum();
        let examples = counted(examples as u64, "example");
        checked.about = format!("criteria: {}, {examples} as expected", criteria.len());
        for criterion in criteria.iter().filter(|criterion| criterion.examples == 0) {
            checked.leaves(&*criterion.name, "it has no examples: add `valid` and `invalid`");
        }
    }
    Ok(())
}

/// The rule of examples of the rulebooks that one extends.
pub(super) const INHERITED: &str = "inherited_example";

pub(super) fn check_rulebook(
    name: &str,
    on: Option<&Path>,
    labels: &LabelsArgs,
    checked: &mut Checked,
) -> Result<(), Failure> {
    let rulebook =
        Rulebook::load(name).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    for warning in &rulebook.warnings {
        say(&format!("warning: {warning}"));
    }
    examples(&rulebook, checked)?;
    let rulebook = Arc::new(rulebook);
    let opened = on.map(|path| open(name, path, labels, &rulebook)).transpose()?;
    if let Some(opened) = &opened {
        tell_notes(&opened.labelled);
    }
    let seen = opened.as_ref().map(seen_of).transpose()?;
    if let Some(seen) = &seen {
        checked.about = format!(
            "{} over {} of {}, {} labelled",
            checked.about,
            counted(seen.exchanges(), "call"),
            counted(seen.servers(), "server"),
            grouped(seen.labels())
        );
    }
    let places = Places::of(name);
    let linted = Linted { rulebook: &rulebook, places: &places, seen: seen.as_ref() };
    // What a rulebook of the program says is nothing that its user can correct.
    let is_builtin = |place: &str| {
        let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
        file != name && builtin_names().contains(&file)
    };
    let own = lint(&linted).into_iter().filter(|finding| {
        finding.severity == Severity::Error || !finding.place.as_deref().is_some_and(is_builtin)
    });
    checked.findings.extend(own);
    for (rule, why) in silent(&linted) {
        checked.leaves(rule.name(), why);
    }
    Ok(())
}

/// Runs the examples of the rulebooks it extends, which have to come out the same under it unless it has an
/// example of the same name. Its own are run by a lint.
fn examples(rulebook: &Rulebook, checked: &mut Checked) -> Result<(), Failure> {
    let failed: BTreeSet<String> =
        run_examples(rulebook).into_iter().map(|mismatch| mismatch.example).collect();
    let bases = rulebook.bases().map_err(Failure::usage)?;
    let inherited: usize = bases.iter().map(|base| base.examples.len()).sum();
    let breaking = breaking_inherited(rulebook, &bases);
    checked.findings.extend(breaking.iter().map(|broken| Finding {
        evidence: broken.difference.clone(),
        advice: "change the rulebook, or override the example with one of the same name".into(),
        ..Finding::new(
            Severity::Error,
            INHERITED,
            format!("{} (of {})", broken.example, broken.rulebook),
        )
    }));
    let all = rulebook.examples.len() + inherited;
    checked.about = format!(
        "{}, {}, {} of {all} examples as expected",
        counted(rulebook.signals.len() as u64, "signal"),
        counted(rulebook.patterns.len() as u64, "pattern"),
        all - failed.len() - breaking.len(),
    );
    Ok(())
}

/// What the rulebook makes of recordings, or would make of the calls of a run.
fn open(
    name: &str,
    path: &Path,
    labels: &LabelsArgs,
    rulebook: &Arc<Rulebook>,
) -> Result<LabelledSide, Failure> {
    let mut judged = labels.open(path, (PathKind::of(path) == PathKind::Corpus).then_some(name))?;
    if judged.side.rulebook.as_ref().is_some_and(|own| own.digest == rulebook.digest) {
        return Ok(judged);
    }
    judged.side = judged_again(&judged.side, rulebook).ok_or_else(|| {
        let (path, name) = (path.display(), harmless(name));
        Failure::unfinished(format!(
            "{path} was classified under another rulebook, which did not look for everything that {name} looks for"
        ))
        .next("name the recordings instead")
    })?;
    Ok(judged)
}

/// The side as another rulebook would have judged it; `None` where that cannot be told of all.
fn judged_again(side: &Side, rulebook: &Arc<Rulebook>) -> Option<Side> {
    let rescorer = Rescorer::new(side, rulebook).ok()?;
    let mut numbers = 0..u32::try_from(side.verdicts.len()).ok()?;
    let is_whole = numbers.all(|verdict| rescorer.needs_recording(verdict).is_none());
    is_whole.then(|| rescorer.side())
}

fn seen_of(judged: &LabelledSide) -> Result<JudgedCorpus<'_>, Failure> {
    JudgedCorpus::new(&judged.side, &judged.items)
        .map_err(|error| Failure::unfinished(error).next("name the recordings instead"))
}

/// The rule of tools that are called and defined nowhere.
pub(super) const UNDEFINED: &str = "undefined";

pub(super) fn check_tools(file: &Path, advice: bool, checked: &mut Checked) -> Result<(), Failure> {
    let bounds = config().bounds;
    let reader = CorpusReader::new(&inputs(&[file.to_owned()]), bounds)?;
    let known = known_tools(reader, &bounds)?;
    if known.is_cut {
        say(
            "warning: there are more tool definitions than are checked; name fewer recordings at a time",
        );
    }
    if known.tools.is_empty() {
        return Err(Failure::unfinished(format!("{} has no tool definition", file.display()))
            .next("record tools/list, or put a tools.json beside the recordings"));
    }
    let servers: BTreeSet<&str> = known.tools.iter().map(|tool| tool.server.as_str()).collect();
    checked.about = format!(
        "{} of {}",
        counted(known.tools.len() as u64, "tool"),
        counted(servers.len() as u64, "server")
    );
    checked.unreadable = known.unreadable;
    for tool in &known.tools {
        let name = named(&tool.server, &tool.tool.name);
        let given = lint_tool(&tool.tool).into_iter();
        let given = given.filter(|given| advice || given.whose == Whose::Everybody);
        checked.findings.extend(given.map(|given| Finding {
            place: given.issue.location,
            evidence: given.issue.message,
            advice: given.issue.suggestion.unwrap_or_default(),
            ..Finding::new(given.issue.severity, given.id, name.clone())
        }));
    }
    checked.findings.sort_by(|a, b| (a.severity, a.rule).cmp(&(b.severity, b.rule)));
    checked.findings.extend(known.undefined.iter().map(|(server, tool)| Finding {
        evidence: "The tool is called but never defined.".to_owned(),
        advice: "Record tools/list to have it checked.".to_owned(),
        ..Finding::new(Severity::Info, UNDEFINED, named(server, tool))
    }));
    if !advice {
        checked.leaves("style", "style is checked with --verbose");
    }
    Ok(())
}

fn named(server: &str, tool: &str) -> String {
    let tool = if tool.is_empty() { "(without a name)" } else { tool };
    format!("{server} / {tool}")
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Kind {
        Rulebook = "rulebook",
        Contract = "contract",
        Tools = "tool definitions",
        Labels = "labels",
        Policy = "policy",
        Facts = "facts",
        Criteria = "criteria",
        /// What the recordings of a folder are checked against.
        Config = "configuration",
    }
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
    /// By its name where that is enough, else by its contents.
    pub(super) fn of(file: &Path) -> Result<Self, Failure> {
        let name = file.to_string_lossy();
        if builtin_names().contains(&name.as_ref()) {
            return Ok(Self::Rulebook);
        }
        if contract_names().contains(&name.as_ref()) {
            return Ok(Self::Contract);
        }
        if PathKind::of(file) == PathKind::Run {
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
        Node::parse(&text, number, &problems);
        return Err(Failure::usage(listing(&label, &problems.into_errors())).next("correct it"));
    };
    let count = |keys: &[&str]| keys.iter().filter(|key| table.contains_key(**key)).count();
    let mut of_policy: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    of_policy.extend(["waivers", "intersect", "default"]);
    let counts = [
        (count(&of_policy), Kind::Policy),
        (count(&OF_CONTRACT), Kind::Contract),
        (count(&OF_RULEBOOK), Kind::Rulebook),
    ];
    let most = counts.into_iter().filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count);
    match most {
        _ if table.get("facts").is_some_and(toml::Value::is_array) => Ok(Kind::Facts),
        Some((_, kind)) => Ok(kind),
        // Rulebooks and contracts may have criteria too.
        None if table.contains_key("criteria") => Ok(Kind::Criteria),
        None => Err(Failure::usage(format!(
            "{}: no key at its top belongs to a rulebook, contract, policy or list of facts or criteria",
            harmless(&file.to_string_lossy())
        ))
        .next("see docs/rulebooks.md, docs/contracts.md, docs/gate.md and docs/checks.md for the keys")),
    }
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
