//! `tapecheck rulebook lint`: what is odd about a rulebook.

use super::fail_on::FailOn;
use super::inputs::load;
use super::labelled::{LabelledSide, LabelsArgs};
use super::sides::Place;
use super::terminal::{counted, cut, grouped, harmless, log_width, print};
use super::{Exit, Failure, cannot_print};
use crate::compare::{Rescorer, Side};
use crate::lint::rulebook::{Finding, Linted, Rule, Seen, Silent, count, lint, silent};
use crate::measure::accuracy::Item;
use crate::rulebook::{Places, Rulebook};
use crate::verdict::Severity;
use crate::view::text::text;
use crate::view::{Block, Field, Item as Entry, Line, Section};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A built-in rulebook, or a file
    rulebook: String,
    /// Recordings to lint it by: a corpus, which it judges, or the folder of a run whose signals tell what
    /// it would have said. Without, only what the rulebook itself tells is found
    #[arg(value_name = "INPUT")]
    input: Option<PathBuf>,
    /// Replies in which nothing failed: a corpus, or the folder of a run [default: replies of INPUT that
    /// are labelled ok, or where there is none those that claim success]
    #[arg(long, value_name = "CORPUS")]
    benign: Option<PathBuf>,
    /// Look for this alone. May be given several times
    #[arg(long, value_name = "RULE", value_parser = rule)]
    only: Vec<Rule>,
    /// Exit with 1 when there is a finding of this severity or worse
    #[arg(long, value_enum, default_value = "warning")]
    fail_on: FailOn,
    /// Findings of each rule to show in text
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print all findings as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    labels: LabelsArgs,
}

fn rule(name: &str) -> Result<Rule, String> {
    let known = || Rule::ALL.map(Rule::name).join(", ");
    let found = Rule::ALL.into_iter().find(|rule| rule.name() == name.replace('-', "_"));
    found.ok_or_else(|| format!("there is no such rule; known are {}", known()))
}

/// What is told before the findings.
struct Heading {
    rulebook: String,
    patterns: usize,
    signals: usize,
    /// Exchanges, servers and labelled exchanges.
    input: Option<[u64; 3]>,
    /// Rules that could not look everywhere.
    silent: Vec<Silent>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.input.is_none() && !self.labels.files.is_empty() {
            return Err(Failure::usage("there are labels, and nothing that they are about")
                .next("name the corpus or the run after the rulebook"));
        }
        let rulebook = Arc::new(load(&self.rulebook)?);
        let places = Places::of(&self.rulebook);
        let input = self.input.as_deref().map(|path| self.open(path, &rulebook)).transpose()?;
        // Labels are about what is linted; of the benign collection they say nothing.
        input.iter().for_each(LabelledSide::tell_notes);
        let benign = self.benign.as_deref().map(|path| self.open(path, &rulebook)).transpose()?;
        let seen = input.as_ref().map(|it| seen_of(it, &rulebook, &it.items)).transpose()?;
        let harmless_ones = benign.as_ref().map(|it| seen_of(it, &rulebook, &[])).transpose()?;
        let linted = Linted {
            rulebook: &rulebook,
            places: &places,
            seen: seen.as_ref(),
            benign: harmless_ones.as_ref(),
        };
        let mut findings = lint(&linted);
        findings.retain(|finding| self.only.is_empty() || self.only.contains(&finding.rule));
        let mut silent = silent(&linted);
        silent.retain(|silent| self.only.is_empty() || self.only.contains(&silent.rule));
        let heading = Heading {
            silent,
            rulebook: self.rulebook.clone(),
            patterns: rulebook.patterns.len(),
            signals: rulebook.signals.len(),
            input: seen.as_ref().map(|seen| [seen.exchanges(), seen.servers(), seen.labels()]),
        };
        let shown = if self.json {
            as_json(&heading, &findings).to_string() + "\n"
        } else {
            as_text(&heading, &findings, self.top)
        };
        print(&shown).map_err(|error| cannot_print(&error))?;
        let is_met = |finding: &Finding| self.fail_on.is_met_by(finding.severity);
        Ok(if findings.iter().any(is_met) { Exit::Findings } else { Exit::Clean })
    }

    /// What the rulebook says of a corpus, or would have said of the exchanges of a run.
    fn open(&self, path: &Path, rulebook: &Arc<Rulebook>) -> Result<LabelledSide, Failure> {
        if Place::of(path) == Place::Corpus {
            return self.labels.open(path, Some(&self.rulebook));
        }
        let mut judged = self.labels.open(path, None)?;
        let same = judged.side.rulebook.as_ref().is_some_and(|own| own.digest == rulebook.digest);
        if !same {
            judged.side = told_again(&judged.side, rulebook).ok_or_else(|| {
                Failure::unfinished(format!(
                    "{} was judged under another rulebook, and not all that {} looks for was looked for",
                    harmless(&path.to_string_lossy()),
                    harmless(&self.rulebook),
                ))
                .next("name the corpus instead, which is judged then")
            })?;
        }
        Ok(judged)
    }
}

/// The side as another rulebook would have judged it; `None` where that cannot be told of all.
fn told_again(side: &Side, rulebook: &Arc<Rulebook>) -> Option<Side> {
    let rescorer = Rescorer::new(side, rulebook).ok()?;
    let numbers = 0..u32::try_from(side.verdicts.len()).ok()?;
    let is_whole = numbers.into_iter().all(|said| rescorer.untold(said).is_none());
    is_whole.then(|| rescorer.side())
}

fn seen_of<'s>(
    judged: &'s LabelledSide,
    rulebook: &Rulebook,
    items: &[Item],
) -> Result<Seen<'s>, Failure> {
    Seen::new(&judged.side, rulebook, items)
        .map_err(|error| Failure::unfinished(error).next("name the corpus instead"))
}

/// So many characters of a name are shown, and of the evidence.
const NAME: usize = 160;
const EVIDENCE: usize = 480;

fn as_text(heading: &Heading, findings: &[Finding], top: usize) -> String {
    let title = Line::recorded(&*heading.rulebook).then(format!(
        ": {}, {}{}",
        counted(heading.signals as u64, "signal"),
        counted(heading.patterns as u64, "pattern"),
        match heading.input {
            None => "; no recordings, so only what it says itself is looked at".to_owned(),
            Some([exchanges, servers, labels]) => format!(
                " over {} of {}, {} labelled",
                counted(exchanges, "exchange"),
                counted(servers, "server"),
                grouped(labels)
            ),
        }
    ));
    let mut all = vec![Section::new(title)];
    for rule in Rule::ALL {
        let of: Vec<&Finding> = findings.iter().filter(|finding| finding.rule == rule).collect();
        if of.is_empty() {
            continue;
        }
        let count = grouped(of.len() as u64);
        let mut section = Section::new(format!("{} ({count}): {}", rule.name(), rule.about()));
        section.items(of.iter().take(top).map(|finding| entry(finding)).collect());
        section.more(of.len(), top, &format!("--only {} --top {}", rule.name(), of.len()));
        section.note(format!("to do: {}", rule.advice()));
        all.push(section);
    }
    if !heading.silent.is_empty() {
        let mut section = Section::new("not looked for, or not everywhere");
        let silent = heading.silent.iter();
        section.fields(silent.map(|it| Field::new(it.rule.name(), &*it.why)).collect());
        all.push(section);
    }
    let [errors, warnings, infos] = severities(findings);
    all.push(Section::new(format!(
        "{}, {}, {}",
        counted(errors, "error"),
        counted(warnings, "warning"),
        counted(infos, "note")
    )));
    text(&all, log_width())
}

fn entry(finding: &Finding) -> Entry {
    let line = Line::from(format!("{:<7}  ", finding.severity.name()));
    let line = line.then_recorded(cut(&finding.name, NAME));
    let place = finding.place.as_ref().map(|place| format!("  {place}"));
    let mut entry = Entry::new(line.then_recorded(place.unwrap_or_default()));
    entry.below.push(Block::Text(Line::recorded(cut(&finding.evidence, EVIDENCE))));
    entry
}

fn severities(findings: &[Finding]) -> [u64; 3] {
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| count(findings, severity) as u64)
}

fn as_json(heading: &Heading, findings: &[Finding]) -> Value {
    let [errors, warnings, infos] = severities(findings);
    let input = heading.input.map(|[exchanges, servers, labelled]| {
        json!({ "exchanges": exchanges, "servers": servers, "labelled": labelled })
    });
    json!({
        "format": "tapecheck-rulebook-lint/1",
        "rulebook": heading.rulebook,
        "input": input,
        "silent": heading.silent,
        "errors": errors,
        "warnings": warnings,
        "infos": infos,
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let Finding { rule, severity, name, place, evidence, counts, weight: _ } = finding;
    let counts: Map<String, Value> =
        counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    json!({
        "rule": rule,
        "severity": severity,
        "name": name,
        "place": place,
        "evidence": evidence,
        "counts": counts,
        "advice": rule.advice(),
    })
}
