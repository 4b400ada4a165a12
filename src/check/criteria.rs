//! Criteria: named expressions that an exchange meets or fails, of a rulebook, a contract or a file of their own, which
//! may have issue types of its own.

use super::checks::{Checks, Owner};
use super::payload::payload;
use super::table::{CheckContext, Findings};
use crate::expression::{Answer, BUDGET};
use crate::json::to_value;
use crate::recording::{Exchange, ExchangeKind};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use crate::rulebook::{Criterion, IssueTypes, Problem, criteria};
use crate::verdict::{Issue, IssueType, NotApplied, Raised, Severity, Side};
use serde_json::{Value, json};
use std::collections::HashSet;

/// A file of criteria; its examples come out as it says.
#[derive(Clone, Debug)]
pub struct CriteriaFile {
    pub name: String,
    pub criteria: Vec<Criterion>,
}

impl CriteriaFile {
    /// Criteria from TOML, tried on their examples. Problems name the file by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let tree = Node::parse(text, file, &problems);
        let read = tree.and_then(|tree| Self::read(&tree, &problems));
        match read {
            Some(read) if !problems.has_errors() => Ok(read),
            _ => Err(problems.into_errors()),
        }
    }

    fn read(tree: &Node, problems: &Problems) -> Option<Self> {
        let mut section = Section::open(tree, problems)?;
        let name = section.require("name", Section::text).map(str::to_owned);
        section.text("about");
        let types = IssueTypes::read(&mut section);
        let criteria = criteria(&mut section, Some(&types));
        if section.take("criteria").is_none_or(|list| list.elements().is_some_and(<[_]>::is_empty))
        {
            section.error("a file of criteria has at least one, as [[criteria]]");
        }
        section.finish();
        Some(Self { name: name?, criteria })
    }
}

pub(super) fn ask(
    exchange: &Exchange<'_>,
    around: &CheckContext<'_>,
    findings: &mut Findings,
) -> Result<(), NotApplied> {
    let applying = applying(exchange, around.checks);
    if applying.is_empty() {
        return Err(NotApplied::NothingGiven);
    }
    let input = exchange.input.as_ref().map_or(Value::Null, |input| to_value(input.raw()));
    let output = payload(exchange).with_value(to_value).unwrap_or(Value::Null);
    let verdict = json!({
        "classification": around.conclusion.judgement.class.name(),
        "confidence": around.conclusion.confidence / 100.0,
        "is_error": around.is_error.is_yes(),
    });
    let values = [("input", &input), ("output", &output), ("verdict", &verdict)];
    // All criteria of a call together cost no more than one may: they may come with the recordings.
    let mut left = BUDGET;
    for criterion in applying {
        match criterion.expression.evaluate_within(&values, &mut left) {
            Answer::True => findings.passed.push(criterion.name.clone()),
            Answer::False => {
                findings.failed.push(criterion.name.clone());
                let suggestion = criterion.suggestion.clone();
                let issue =
                    issue(criterion.raised, "is not met", &criterion.name, &criterion.about);
                findings.add(issue.side, [Issue { suggestion, ..issue }]);
            }
            Answer::Ambiguous(why) => {
                let raised =
                    Raised { severity: Severity::Warning, kind: IssueType::CriteriaAmbiguous };
                let why = why.to_string();
                let issue = issue(raised, "cannot be decided", &criterion.name, &why);
                findings.add(Side::Reply, [issue]);
            }
        }
    }
    Ok(())
}

/// The criteria that an exchange is to meet: those of the rulebook and of files, and for a call those of the contract
/// that it is held against.
fn applying<'c>(exchange: &Exchange<'_>, checks: &'c Checks) -> Vec<&'c Criterion> {
    let (kind, server, tool) = (exchange.kind, &exchange.server, &exchange.tool.name);
    if checks.criteria.is_empty() {
        return Vec::new();
    }
    let contract = checks.contract_of(server, tool).map(|(at, _)| Owner::Contract(at));
    let mut names = HashSet::new();
    let owned = checks.criteria.iter().filter(|owned| match owned.owner {
        Owner::Rulebook | Owner::File(_) => true,
        Owner::Contract(_) => kind != ExchangeKind::ToolCall || contract == Some(owned.owner),
    });
    owned
        .map(|owned| &owned.criterion)
        .filter(|criterion| criterion.applies.to(kind.name(), server, tool))
        // Two contracts may have the same criterion.
        .filter(|criterion| names.insert(criterion.name.as_str()))
        .collect()
}

fn issue(raised: Raised, says: &str, name: &str, more: &str) -> Issue {
    let more = if more.is_empty() { String::new() } else { format!(": {more}") };
    Issue::new(raised.severity, raised.kind, format!("Criterion '{name}' {says}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::check::tests::in_words;

    /// The issue of those who fail a criterion, and on how many examples it was tried.
    fn raised(criterion: &Criterion) -> String {
        let Criterion { raised, name, about, suggestion, examples, .. } = criterion;
        let issue = Issue {
            location: Some(name.clone()),
            suggestion: suggestion.clone(),
            ..Issue::new(raised.severity, raised.kind, about)
        };
        format!("{}; {examples} examples", in_words(&[issue]))
    }

    #[test]
    fn files_of_criteria_are_read_as_their_cases_list() {
        cases::check("tests/cases/criteria.txt", |case| {
            let answers: Vec<String> = match CriteriaFile::from_toml(&case.text, "f.toml") {
                Ok(file) => file.criteria.iter().map(raised).collect(),
                Err(problems) => {
                    problems.iter().map(|it| format!("{}: {}", it.line, it.message)).collect()
                }
            };
            answers.join("\n")
        });
    }

    #[test]
    fn a_criterion_has_so_many_examples_at_most() {
        let read = |count: usize| {
            let examples = "{},".repeat(count);
            let text = format!(
                "name = 'x'\n[[criteria]]\nname = 'a'\nexpression = 'true'\nvalid = [{examples}]\n"
            );
            CriteriaFile::from_toml(&text, "f.toml").map_err(|problems| problems[0].message.clone())
        };
        assert!(read(100).is_ok());
        assert_eq!(read(101).expect_err("too many"), "there are more than 100 examples here");
    }
}
