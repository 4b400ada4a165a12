//! `tapecheck check`: what is wrong, or could be better, in files that people write.

mod each;

pub(super) use each::contents;

use super::config::{check_config, config};
use super::exit::FailOn;
use super::inputs::redactor;
use super::label::complaints;
use super::opened_path::LabelsArgs;
use super::outputs::{Output, OutputParser, TextOrJson, write_outputs};
use super::terminal::{counted, cut, grouped, harmless, log_width, say};
use super::{Exit, Failure};
use crate::check::contract::{code, contract_names};
use crate::check::{CheckFiles, Checks};
use crate::gate::Policy;
use crate::labels::{Complaint, Fault};
use crate::lint::Finding;
use crate::lint::rulebook::Rule;
use crate::lint::tools::advice_ids;
use crate::redact::Redactor;
use crate::rulebook::builtin_names;
use crate::rulebook::problem::did_you_mean;
use crate::verdict::{IssueType, Severity};
use crate::view::text::text;
use crate::view::{Block, Field, Item, Line, Section};
use each::{
    INHERITED, Kind, UNDEFINED, check_contract, check_criteria, check_rulebook, check_tools,
};
use serde::Serialize;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Rulebooks, contracts, labels, policies, facts, criteria, tapecheck.toml, or recordings with tool definitions
    /// [default: what tapecheck.toml names and the built-in rulebooks and contracts]
    #[arg(value_name = "FILE")]
    named: Vec<PathBuf>,
    /// Also check rulebooks, contracts and labels against these recordings or this run
    #[arg(long, value_name = "RUN|RECORDINGS")]
    on: Option<PathBuf>,
    /// Look for this only; repeatable
    #[arg(long, value_name = "RULE")]
    filter: Vec<String>,
    /// Exit with 1 when there is such a finding
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "error")]
    fail_on: FailOn,
    /// Findings to show of each rule
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Show notes, advice on style and what could not be checked, too
    #[arg(short, long)]
    verbose: bool,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new())]
    format: Vec<Output<TextOrJson>>,
    #[command(flatten)]
    labels: LabelsArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.know_rules()?;
        let redactor = redactor()?;
        let mut all = Vec::new();
        let mut worst = Exit::Clean;
        for file in self.files() {
            match self.check(&file) {
                Ok(mut checked) => {
                    let is_wanted = |found: &Finding| {
                        self.filter.is_empty() || self.filter.iter().any(|it| it == found.rule)
                    };
                    checked.findings.retain(is_wanted);
                    checked.findings.iter_mut().for_each(|found| mask(found, &redactor));
                    all.push(checked);
                }
                Err(failure) => {
                    say(&failure.to_string());
                    worst = worst.max(failure.exit());
                }
            }
        }
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Text => as_text(&all, self.top, self.verbose),
            TextOrJson::Json => as_json(&all),
        })?;
        let is_met = |found: &Finding| self.fail_on.is_met_by(found.severity);
        let unreadable: u64 = all.iter().map(|checked| checked.unreadable).sum();
        let is_found = all.iter().flat_map(|checked| &checked.findings).any(is_met)
            || unreadable > 0 && self.fail_on.counts_unreadable();
        Ok(if is_found { worst.max(Exit::Findings) } else { worst })
    }

    /// A rule that nobody looks for would be green for ever.
    fn know_rules(&self) -> Result<(), Failure> {
        let mut known: Vec<&str> = Rule::ALL.map(Rule::name).to_vec();
        known.extend(advice_ids());
        known.extend(Fault::ALL.iter().map(|fault| fault.name()));
        known.extend(IssueType::ALL.iter().filter_map(|kind| code(*kind)));
        known.extend(IssueType::ALL.iter().map(|kind| kind.name()));
        known.extend([INHERITED, UNDEFINED]);
        match self.filter.iter().find(|rule| !known.contains(&rule.as_str())) {
            None => Ok(()),
            Some(rule) => {
                let near = did_you_mean(rule, known.iter().copied());
                let near = near.unwrap_or_else(|| format!("known are {}", known.join(", ")));
                Err(Failure::usage(format!("unknown rule {}", harmless(rule))).next(near))
            }
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        if !self.named.is_empty() {
            return self.named.clone();
        }
        let config = config();
        let mut files: Vec<PathBuf> = config.file.iter().cloned().collect();
        files.extend(builtin_names().iter().map(PathBuf::from));
        if !builtin_names().contains(&config.rulebook.as_str()) {
            files.push(PathBuf::from(&config.rulebook));
        }
        files.extend(contract_names().into_iter().map(PathBuf::from));
        let named = config.checks.by_flag().remove("contract").unwrap_or_default().into_iter();
        files.extend(
            named.filter(|name| !contract_names().contains(&name.as_str())).map(PathBuf::from),
        );
        files.extend(config.checks.facts.iter().chain(&config.checks.criteria).cloned());
        files.extend(config.policy.iter().cloned());
        files.extend(config.labels.iter().filter(|file| file.exists()).cloned());
        files
    }

    fn check(&self, file: &Path) -> Result<Checked, Failure> {
        let name = file.display().to_string();
        let mut checked = Checked::new(&name, Kind::of(file)?);
        match checked.kind {
            Kind::Rulebook => {
                check_rulebook(&name, self.on.as_deref(), &self.labels, &mut checked)?;
            }
            Kind::Contract => check_contract(&name, self.on.as_deref(), &mut checked)?,
            Kind::Tools => check_tools(file, self.verbose, &mut checked)?,
            Kind::Labels => {
                let (count, found) = complaints(file, self.on.as_deref(), &self.labels.judging)?;
                checked.about = counted(count as u64, "label");
                checked.findings = found.iter().map(of_label).collect();
                if self.on.is_none() {
                    checked.leaves(
                        "fit",
                        "name recordings with --on to check that labels fit their replies",
                    );
                }
            }
            Kind::Policy => {
                Policy::load(file).map_err(Failure::usage)?;
            }
            Kind::Facts => {
                let files = CheckFiles { facts: vec![file.to_owned()], ..CheckFiles::default() };
                Checks::load(&files, &[])?;
            }
            Kind::Criteria => check_criteria(file, &mut checked)?,
            Kind::Config => check_config(file)?,
        }
        Ok(checked)
    }
}

fn mask(found: &mut Finding, redactor: &Redactor) {
    let place = found.place.as_mut();
    for text in [&mut found.name, &mut found.evidence, &mut found.advice].into_iter().chain(place) {
        if let Cow::Owned(masked) = redactor.mask(text) {
            *text = masked;
        }
    }
}

/// So many characters of a name are shown, and of the evidence.
const NAME: usize = 160;
const EVIDENCE: usize = 480;

/// A file that was checked, as it is in JSON.
#[derive(Serialize)]
struct Checked {
    #[serde(rename = "file")]
    name: String,
    kind: Kind,
    /// What there is in it, in numbers.
    about: String,
    /// Lines and files that could not be read.
    unreadable: u64,
    findings: Vec<Finding>,
    unchecked: Vec<Unchecked>,
}

/// A rule that could not look everywhere, and why.
#[derive(Serialize)]
struct Unchecked {
    rule: String,
    why: String,
}

impl Checked {
    fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            about: String::new(),
            findings: Vec::new(),
            unchecked: Vec::new(),
            unreadable: 0,
        }
    }

    fn leaves(&mut self, rule: impl Into<String>, why: impl Into<String>) {
        self.unchecked.push(Unchecked { rule: rule.into(), why: why.into() });
    }

    fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|found| found.severity == severity).count() as u64
    }

    /// The findings of each rule, in the order in which the rules were looked at.
    fn by_rule(&self) -> Vec<(&str, Vec<&Finding>)> {
        let mut rules: Vec<(&str, Vec<&Finding>)> = Vec::new();
        for found in &self.findings {
            match rules.iter_mut().find(|(rule, _)| *rule == found.rule) {
                Some((_, of)) => of.push(found),
                None => rules.push((found.rule, vec![found])),
            }
        }
        rules
    }
}

fn of_label(complaint: &Complaint) -> Finding {
    let Complaint { fault, what, line, .. } = complaint;
    Finding {
        place: line.map(|line| format!("line {line}")),
        advice: fault.next().to_owned(),
        ..Finding::new(fault.severity(), fault.name(), what.clone())
    }
}

fn as_text(all: &[Checked], top: usize, verbose: bool) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut sections = Vec::new();
    for checked in all {
        let title = Line::recorded(&*checked.name).then(format!(" ({})", checked.kind.name()));
        let what = if checked.about.is_empty() { "no errors" } else { &checked.about };
        sections.push(Section::new(title.then(": ").then_recorded(what)));
        for (rule, findings) in checked.by_rule() {
            let Some(first) = findings.first() else { continue };
            if first.severity == Severity::Info && !verbose {
                continue;
            }
            let count = grouped(findings.len() as u64);
            let mut section = Section::new(format!("{} {rule} ({count})", first.severity.name()));
            section.items(findings.iter().take(top).map(|found| item(found)).collect());
            let more = format!("--filter {rule} --top {}", findings.len());
            section.more(findings.len(), top, &more);
            if !first.advice.is_empty() {
                section.note(Line::from("to do: ").then_recorded(&*first.advice));
            }
            sections.push(section);
        }
        if verbose && !checked.unchecked.is_empty() {
            let mut section = Section::new("not checked, or not everywhere");
            let fields = checked.unchecked.iter();
            section.fields(fields.map(|it| Field::new(&*it.rule, &*it.why)).collect());
            sections.push(section);
        }
    }
    let [errors, warnings, notes] = severities(all);
    let hidden = if notes > 0 && !verbose { " (-v shows notes)" } else { "" };
    sections.push(Section::new(format!(
        "{}, {}, {} in {}{hidden}",
        counted(errors, "error"),
        counted(warnings, "warning"),
        counted(notes, "note"),
        counted(all.len() as u64, "file"),
    )));
    text(&sections, log_width())
}

fn item(found: &Finding) -> Item {
    let line = Line::recorded(cut(&found.name, NAME));
    let place = found.place.as_ref().map(|place| format!("  {place}"));
    let mut item = Item::new(line.then_recorded(place.unwrap_or_default()));
    if !found.evidence.is_empty() {
        item.below.push(Block::Text(Line::recorded(cut(&found.evidence, EVIDENCE))));
    }
    item
}

fn severities(all: &[Checked]) -> [u64; 3] {
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| all.iter().map(|checked| checked.count(severity)).sum())
}

/// The JSON of `--format json`.
#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    errors: u64,
    warnings: u64,
    infos: u64,
    files: &'a [Checked],
}

fn as_json(all: &[Checked]) -> String {
    let [errors, warnings, infos] = severities(all);
    let report = Report { format: "tapecheck-check/1", errors, warnings, infos, files: all };
    serde_json::to_string(&report).expect("plain data") + "\n"
}
