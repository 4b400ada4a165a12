//! What was found in each file, as people and programs read it: findings by rule, with a few of each.

use super::each::Kind;
use crate::cli::terminal::{counted, cut, grouped, log_width};
use crate::labels::Complaint;
use crate::verdict::Severity;
use crate::view::text::text;
use crate::view::{Block, Field, Item, Line, Section};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// So many characters of a name are shown, and of the evidence.
const NAME: usize = 160;
const EVIDENCE: usize = 480;

/// A file that was checked, as it is in JSON.
#[derive(Serialize)]
pub(super) struct Checked {
    #[serde(rename = "file")]
    pub(super) name: String,
    pub(super) kind: Kind,
    /// What there is in it, in numbers.
    pub(super) about: String,
    /// Lines and files that could not be read.
    pub(super) unreadable: u64,
    pub(super) findings: Vec<Found>,
    pub(super) unchecked: Vec<Unchecked>,
}

/// A rule that could not look everywhere, and why.
#[derive(Serialize)]
pub(super) struct Unchecked {
    rule: String,
    why: String,
}

/// Something that is wrong, or could be better.
#[derive(Clone, Serialize)]
pub(super) struct Found {
    pub(super) severity: Severity,
    pub(super) rule: String,
    pub(super) name: String,
    pub(super) place: Option<String>,
    pub(super) evidence: String,
    pub(super) counts: BTreeMap<&'static str, u64>,
    pub(super) advice: String,
}

impl Checked {
    pub(super) fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            about: String::new(),
            findings: Vec::new(),
            unchecked: Vec::new(),
            unreadable: 0,
        }
    }

    pub(super) fn leaves(&mut self, rule: impl Into<String>, why: impl Into<String>) {
        self.unchecked.push(Unchecked { rule: rule.into(), why: why.into() });
    }

    fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|found| found.severity == severity).count() as u64
    }

    /// The findings of each rule, in the order in which the rules were looked at.
    fn by_rule(&self) -> Vec<(&str, Vec<&Found>)> {
        let mut rules: Vec<(&str, Vec<&Found>)> = Vec::new();
        for found in &self.findings {
            match rules.iter_mut().find(|(rule, _)| *rule == found.rule) {
                Some((_, of)) => of.push(found),
                None => rules.push((&found.rule, vec![found])),
            }
        }
        rules
    }
}

impl Found {
    pub(super) fn of_label(complaint: &Complaint) -> Self {
        Self {
            severity: complaint.fault.severity(),
            rule: complaint.fault.name().to_owned(),
            name: complaint.what.clone(),
            place: complaint.line.map(|line| format!("line {line}")),
            evidence: String::new(),
            advice: complaint.next.clone(),
            counts: BTreeMap::new(),
        }
    }
}

pub(super) fn as_text(all: &[Checked], top: usize, verbose: bool) -> String {
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

fn item(found: &Found) -> Item {
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

pub(super) fn as_json(all: &[Checked]) -> Value {
    let [errors, warnings, infos] = severities(all);
    json!({
        "format": "tapecheck-check/1",
        "errors": errors,
        "warnings": warnings,
        "infos": infos,
        "files": all,
    })
}
