//! Criteria: named expressions that an exchange meets or fails.

use super::problem::Mark;
use super::source::{Node, Section};
use super::{IssueTypes, Undescribed};
use crate::expression::{Answer, Expression};
use crate::verdict::{Issue, IssueType, Raised, Severity, Side};
use serde_json::{Value, json};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its name, as it stands in verdicts.
    pub name: String,
    pub about: String,
    pub applies: Applies,
    pub expression: Arc<Expression>,
    /// The issue of an exchange that fails it.
    pub raised: Raised,
    pub suggestion: Option<String>,
    pub examples: usize,
}

/// Which exchanges something is asked of; an empty list means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applies {
    pub kinds: Vec<String>,
    pub servers: Vec<String>,
    pub tools: Vec<String>,
}

impl Applies {
    /// The kinds of exchange that there are, as recordings name them.
    pub const KINDS: [&'static str; 4] =
        ["tool_call", "envelope", "judge_result", "session_report"];

    /// Whether an exchange is meant.
    pub fn to(&self, kind: &str, server: &str, tool: &str) -> bool {
        let holds =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|n| n == name);
        holds(&self.kinds, kind) && holds(&self.servers, server) && holds(&self.tools, tool)
    }
}

/// What the expression of a criterion may look at.
const VARIABLES: [&str; 3] = ["input", "output", "verdict"];
/// So many examples of each kind a criterion may have: each takes time when its file is loaded.
const MOST_EXAMPLES: usize = 100;

/// So many criteria may be read.
const MOST: usize = 1_000;

/// Reads the list `criteria` of a section. With types of issues they may say which issue they raise, and may have
/// examples, which are run.
pub(crate) fn criteria(root: &mut Section<'_>, types: Option<&IssueTypes>) -> Vec<Criterion> {
    let criteria = root.list("criteria");
    if let Some(first) = criteria.get(MOST) {
        root.problems.error(first.mark, format!("there are more than {MOST} criteria"));
        return Vec::new();
    }
    root.lines("criteria", |name, section| {
        if name.as_deref() == Some("") {
            section.error_at("name", "a criterion needs a name, which verdicts show");
        }
        let about = section.text("about").unwrap_or_default().to_owned();
        let applies = applies(section);
        let expression = compile_expression(section, "expression", &VARIABLES);
        if !section.has("expression") {
            section.error("`expression` is missing: the condition to check");
        }
        let mut raised = Raised { severity: Severity::Error, kind: IssueType::CriteriaNotMet };
        let (mut own_suggestion, mut examples) = (None, 0);
        if let Some(types) = types {
            raised = issue(raised, section, types);
            own_suggestion = suggestion(section);
            for (key, wanted) in [("valid", true), ("invalid", false)] {
                examples += try_on(expression.as_ref(), wanted, key, section);
            }
        }
        Some(Criterion {
            name: name?,
            about,
            applies,
            expression: Arc::new(expression?),
            raised,
            suggestion: own_suggestion,
            examples,
        })
    })
}

/// The type and severity of the issue, as far as the criterion has its own.
fn issue(usual: Raised, section: &mut Section<'_>, types: &IssueTypes) -> Raised {
    let undescribed = Undescribed { side: Side::Reply, category: "criteria" };
    let kind = types.read_type("issue_type", undescribed, section);
    let severity = section.word("severity");
    Raised { severity: severity.unwrap_or(usual.severity), kind: kind.unwrap_or(usual.kind) }
}

fn suggestion(section: &mut Section<'_>) -> Option<String> {
    let text = section.text("suggestion")?;
    let (shortest, longest) = (Issue::SHORTEST, Issue::LONGEST);
    if !(shortest..=longest).contains(&text.chars().count()) {
        let message = format!("a suggestion has {shortest} to {longest} characters");
        section.error_at("suggestion", message);
    }
    Some(text.to_owned())
}

/// Evaluates an expression on the examples of a key, and returns how many there are.
fn try_on(
    expression: Option<&Expression>,
    wanted: bool,
    key: &'static str,
    section: &mut Section<'_>,
) -> usize {
    let examples = section.list(key);
    if examples.len() > MOST_EXAMPLES {
        let message = format!("there are more than {MOST_EXAMPLES} examples here");
        section.error_at(key, message);
        return 0;
    }
    for example in examples {
        let Some(mut given) = Section::open(example, section.problems) else { continue };
        let mut value = |key| given.take(key).map_or(Value::Null, Node::to_json);
        let [input, output, verdict] = VARIABLES.map(&mut value);
        let verdict = if verdict.is_null() { working() } else { verdict };
        given.finish();
        let values = VARIABLES.into_iter().zip([&input, &output, &verdict]).collect::<Vec<_>>();
        let wrong = match expression.map(|expression| expression.evaluate(&values)) {
            Some(Answer::Ambiguous(why)) => {
                format!("the criterion cannot be evaluated on this example: {why}")
            }
            Some(Answer::True) if !wanted => "the criterion is met by this example".to_owned(),
            Some(Answer::False) if wanted => "the criterion is not met by this example".to_owned(),
            Some(Answer::True | Answer::False) | None => continue,
        };
        section.problems.error(example.mark, wrong);
    }
    examples.len()
}

/// What `verdict` is in an example that says nothing about it.
fn working() -> Value {
    json!({"classification": "fully_working", "confidence": 1.0, "is_error": false})
}

fn applies(section: &mut Section<'_>) -> Applies {
    let kinds = section.texts("kinds");
    for (kind, mark) in kinds.iter().filter(|(kind, _)| !Applies::KINDS.contains(kind)) {
        section.problems.error_among(*mark, kind, &Applies::KINDS);
    }
    let [servers, tools] = ["servers", "tools"].map(|key| section.texts(key));
    for (name, mark) in servers.iter().chain(&tools) {
        if name.is_empty() {
            section.problems.error(*mark, "expected a name, not an empty text");
        }
    }
    let [kinds, servers, tools] = [kinds, servers, tools]
        .map(|texts| texts.into_iter().map(|(text, _)| text.to_owned()).collect());
    Applies { kinds, servers, tools }
}

/// Compiles an expression; its mistakes are told where they stand in the file.
pub(crate) fn compile_expression(
    section: &mut Section<'_>,
    key: &'static str,
    variables: &[&str],
) -> Option<Expression> {
    let text = section.text(key)?;
    let mark = section.mark_of(key);
    let compiled = Expression::compile(text, variables);
    // The quotes, and whatever escapes there are, shift the text within its file.
    let shift = section.problems.text(mark).find(text);
    for error in compiled.as_ref().err().into_iter().flatten() {
        let at = shift.map_or(mark, |shift| {
            let [start, end] = [error.at.start, error.at.end].map(|at| mark.start + shift + at);
            Mark { start, end, ..mark }
        });
        section.problems.error(at, error.message.clone());
    }
    compiled.ok()
}
