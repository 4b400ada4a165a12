//! `tapecheck check`: what is wrong, or could be better, in files that people write.

mod each;
mod shown;

pub(super) use each::contents;

use super::config::{check_config, config};
use super::exit::FailOn;
use super::inputs::redactor;
use super::label::complaints;
use super::opened::LabelsArgs;
use super::outputs::{Output, OutputParser, TextOrJson, write_outputs};
use super::terminal::{harmless, say};
use super::{Exit, Failure};
use crate::check::contract::{code, contract_names};
use crate::check::{CheckFiles, Checks};
use crate::gate::Policy;
use crate::labels::Fault;
use crate::lint::rulebook::Rule;
use crate::lint::tools::advice_ids;
use crate::redact::Redactor;
use crate::rulebook::builtin_names;
use crate::rulebook::problem::did_you_mean;
use crate::verdict::{IssueType, Severity};
use each::{
    INHERITED, Kind, UNDEFINED, check_contract, check_criteria, check_rulebook, check_tools,
};
use shown::{Checked, Found, as_json, as_text};
use std::borrow::Cow;
use std::collections::BTreeMap;
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
                    let is_wanted =
                        |found: &Found| self.filter.is_empty() || self.filter.contains(&found.rule);
                    checked.findings.retain(is_wanted);
                    checked.findings.iter_mut().for_each(|found| found.mask(&redactor));
                    all.push(checked);
                }
                Err(failure) => {
                    say(&failure.to_string());
                    if failure.exit().code() > worst.code() {
                        worst = failure.exit();
                    }
                }
            }
        }
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Text => as_text(&all, self.top, self.verbose),
            TextOrJson::Json => as_json(&all).to_string() + "\n",
        })?;
        let is_met = |found: &Found| self.fail_on.is_met_by(found.severity);
        let unreadable: u64 = all.iter().map(|checked| checked.unreadable).sum();
        let is_found = all.iter().flat_map(|checked| &checked.findings).any(is_met)
            || unreadable > 0 && self.fail_on.counts_unreadable();
        Ok(match worst {
            Exit::Clean if is_found => Exit::Findings,
            worst => worst,
        })
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
                let found = complaints(file, self.on.as_deref(), &self.labels.judging)?;
                checked.about = found.about;
                checked.findings = found.complaints.iter().map(Found::of_label).collect();
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

impl Found {
    fn mask(&mut self, redactor: &Redactor) {
        let place = self.place.as_mut();
        for text in [&mut self.name, &mut self.evidence, &mut self.advice].into_iter().chain(place)
        {
            if let Cow::Owned(masked) = redactor.mask(text) {
                *text = masked;
            }
        }
    }

    fn error(rule: &str, name: String, place: Option<String>, evidence: String) -> Self {
        Self {
            severity: Severity::Error,
            rule: rule.to_owned(),
            name,
            place,
            evidence,
            advice: String::new(),
            counts: BTreeMap::new(),
        }
    }
}
