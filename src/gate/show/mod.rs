//! The outputs of a gate, all from one [`GateReport`].

mod sections;
#[cfg(test)]
mod tests;

pub use sections::markdown;
pub(crate) use sections::sections;

use super::report::{Finding, GateReport, LeftOut, Outcome, RuleVerdict};
use super::rules::{RULES, WAIVERS};
use crate::verdict::counted;
use crate::view::escape::{command, property, terminal as plain};
use crate::view::sarif::{
    Finding as Result, Notification, Object, Rule, Spot, message, object, text as log,
};
use crate::view::{junit as xml, text::text};
use std::fmt::Write as _;

/// More annotations would not be shown by GitHub, and would only fill the log.
const MOST_ANNOTATIONS: usize = 50;

pub fn json(report: &GateReport) -> String {
    // Nothing in it can fail to be written.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// `JUnit` XML: a test case for each rule.
pub fn junit(report: &GateReport) -> String {
    let cases = report.rules.iter().map(|rule| {
        let (of, summary) = (rule.kind, summary(rule));
        let (ending, message) = match rule.outcome {
            Outcome::Fail => {
                let first = rule.findings.first().map(|first| plain(&first.words()) + "; ");
                (xml::Ending::Failed { of }, first.unwrap_or_default() + &summary)
            }
            Outcome::Undecided => (xml::Ending::NotTried { of }, summary),
            Outcome::Skipped => (xml::Ending::Skipped, summary),
            Outcome::Pass | Outcome::Waived | Outcome::Warned => {
                (xml::Ending::Passed, format!("{}: {summary}", rule.outcome.name()))
            }
        };
        let details = text(&[sections::details(rule)], usize::MAX);
        let details = details.lines().map(str::to_owned).collect();
        xml::Case { name: rule.name.clone(), ending, message, details }
    });
    let suite = xml::Suite { name: report.policy.clone(), cases: cases.collect() };
    xml::text("tapecheck gate", [suite])
}

/// What a runner of GitHub reads from standard output. Recordings lie in the folder `recordings` of the
/// repository.
pub fn annotations(report: &GateReport, recordings: &str) -> String {
    let mut found = Vec::new();
    for outcome in [Outcome::Fail, Outcome::Undecided, Outcome::Warned, Outcome::Waived] {
        for rule in report.rules.iter().filter(|rule| rule.outcome == outcome) {
            annotate(report, rule, recordings, &mut found);
        }
    }
    let more = found.len().saturating_sub(MOST_ANNOTATIONS);
    let mut out = found.into_iter().take(MOST_ANNOTATIONS).collect::<String>();
    if more > 0 {
        let _ = writeln!(out, "::notice title=gate::{more} more annotations are left out");
    }
    out
}

fn annotate(report: &GateReport, rule: &RuleVerdict, recordings: &str, found: &mut Vec<String>) {
    let level = match rule.outcome {
        Outcome::Waived => "notice",
        Outcome::Warned => "warning",
        Outcome::Pass | Outcome::Fail | Outcome::Skipped | Outcome::Undecided => "error",
    };
    let title = property(&plain(&format!("gate: {}", rule.name)));
    let line = |spot: Option<&Spot>, message: &[String]| {
        let place = spot.map_or_else(String::new, |Spot { file, line }| {
            format!("file={},line={line},", property(&plain(file)))
        });
        format!("::{level} {place}title={title}::{}\n", command(&message.join("\n")))
    };
    let notes = rule.notes.iter().map(|note| plain(note));
    let next = rule.next.iter().map(|next| format!("next: {}", plain(next)));
    let whole = std::iter::once(summary(rule)).chain(notes).chain(left_out(rule.left_out));
    let whole = whole.chain(next);
    let spots = rule
        .findings
        .iter()
        .filter_map(|finding| Some((finding.spots(recordings).next()?, plain(&finding.words()))));
    let mut spots = spots.peekable();
    if spots.peek().is_none() {
        // The default policy is no file.
        let policy = rule.line.map(|_| of_policy(report, rule.line, recordings));
        let findings = rule.findings.iter().map(|finding| plain(&finding.words()));
        found.push(line(policy.as_ref(), &findings.chain(whole).collect::<Vec<_>>()));
        return;
    }
    let mut whole: Vec<String> = whole.collect();
    for (spot, said) in spots {
        whole.insert(0, said);
        found.push(line(Some(&spot), &whole));
        whole.clear();
    }
}

/// The report as SARIF 2.1.0. Recordings lie in the folder `recordings` of the repository.
pub fn sarif(report: &GateReport, recordings: &str) -> String {
    let rules = report.rules.iter().map(|rule| {
        let kind = RULES.into_iter().find(|kind| kind.name == rule.kind).unwrap_or(&WAIVERS);
        Rule {
            id: plain(&rule.name),
            short_description: object("text", kind.about),
            full_description: object("text", kind.about),
            help: object("text", kind.next),
            default_configuration: object("level", "error"),
            properties: [("kind", kind.name.to_owned()), ("allowed", plain(&rule.allowed))].into(),
        }
    });
    let not_tried = report.rules.iter().filter_map(|rule| {
        let (level, word) = match rule.outcome {
            Outcome::Skipped => ("note", "skipped"),
            Outcome::Undecided => ("error", "left undecided"),
            Outcome::Pass | Outcome::Fail | Outcome::Warned | Outcome::Waived => return None,
        };
        let words = format!("{} was {word}: {}", rule.name, summary(rule));
        Some(Notification { level, message: message(&words) })
    });
    let numbered = report.rules.iter().enumerate();
    log(
        "tapecheck/gate",
        rules.collect(),
        numbered.flat_map(|(at, rule)| results(report, at, rule, recordings)).collect(),
        not_tried.collect(),
    )
}

fn results(report: &GateReport, at: usize, rule: &RuleVerdict, recordings: &str) -> Vec<Result> {
    if !matches!(rule.outcome, Outcome::Fail | Outcome::Warned | Outcome::Waived) {
        return Vec::new();
    }
    let of_spots = |words: &str, mut spots: Vec<Spot>| {
        if spots.is_empty() {
            spots.push(of_policy(report, rule.line, recordings));
        }
        let mut locations: Vec<_> = spots.iter().map(Spot::location).collect();
        let waiver = || {
            let because = plain(&rule.notes.join("; "));
            [("kind", "external".to_owned()), ("justification", because)].into()
        };
        Result {
            rule_id: plain(&rule.name),
            rule_index: at,
            level: if rule.outcome == Outcome::Warned { "warning" } else { "error" },
            message: message(words),
            related_locations: locations.split_off(1),
            locations,
            suppressions: (rule.outcome == Outcome::Waived).then(waiver).into_iter().collect(),
            partial_fingerprints: Object::new(),
            properties: Object::new(),
        }
    };
    let of_finding = |finding: &Finding| {
        let group = finding.group.iter().map(|id| ("group/v1", id.clone()));
        Result {
            partial_fingerprints: group.collect(),
            properties: object("exchanges", finding.exchanges),
            ..of_spots(&finding.words(), finding.spots(recordings).collect())
        }
    };
    let mut results: Vec<Result> = rule.findings.iter().map(of_finding).collect();
    if results.is_empty() {
        results.push(of_spots(&summary(rule), Vec::new()));
    }
    results.extend(left_out(rule.left_out).map(|words| of_spots(&words, Vec::new())));
    results
}

/// The line of the policy; the recordings for rules that stand in no file.
fn of_policy(report: &GateReport, line: Option<u64>, recordings: &str) -> Spot {
    let file = match (line, recordings) {
        (Some(_), _) => &report.policy,
        (None, "") => &report.after.name,
        (None, recordings) => recordings,
    };
    Spot { file: file.to_owned(), line: line.unwrap_or(1) }
}

/// What was found and what is allowed.
fn summary(rule: &RuleVerdict) -> String {
    plain(&match &rule.skipped_because {
        Some(because) => format!("{because}; required: {}", rule.allowed),
        None => format!("{}; allowed: {}", rule.measured, rule.allowed),
    })
}

impl Finding {
    fn words(&self) -> String {
        let group = self.group.as_ref().map_or_else(String::new, |id| format!(" (group {id})"));
        format!("{}{group}", self.text)
    }
}

fn left_out(LeftOut { findings, exchanges }: LeftOut) -> Option<String> {
    let about = match exchanges {
        0 => String::new(),
        exchanges => format!(" about {}", counted(exchanges, "call")),
    };
    (findings > 0).then(|| format!("{}{about} not shown", counted(findings, "more finding")))
}
