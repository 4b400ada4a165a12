//! Calls and replies held against a contract.

mod arguments;
mod shape;

use super::lists::texts_sent;
use super::model::{Contract, Others, Rule, Spec, ToolContract};
use super::read::{INPUT, ORIGINAL, OUTPUT};
use crate::expression::{Answer, Variable, Why};
use crate::json::{Raw, scan_document, to_value};
use crate::verdict::{Issue, IssueType, Severity};
use serde_json::Value;

/// How deep arguments and responses may be nested: what follows them recurses.
const DEEPEST: usize = 64;
/// How many issues are told of one call, or of one response: the rest are more of the same.
const MOST_ISSUES: usize = 50;

#[derive(Clone, Debug, PartialEq)]
pub struct InputCheck {
    pub issues: Vec<Issue>,
    /// The arguments, cleaned of what the contract drops, where nothing is wrong.
    pub sanitized: Option<Value>,
}

#[derive(Clone, Copy, Debug)]
pub struct OutputContext<'a> {
    pub input: Option<Raw<'a>>,
    pub output: Raw<'a>,
    /// The same object as an earlier response of the session showed it. Rules that look at it are not
    /// asked where it is not known.
    pub original: Option<Raw<'a>>,
}

impl Contract {
    pub fn check_tool_name(&self, name: &str) -> Option<Issue> {
        if name.is_empty() {
            let places = [("parameter", "tool name")];
            return Some(self.wordings.issue(IssueType::MissingParameter, "empty", &places));
        }
        let places = [("tool_name", name), ("available_tools", &self.available_tools())];
        let unknown = || self.wordings.issue(IssueType::UnknownTool, "message", &places);
        self.tool(name).is_none().then(unknown)
    }

    pub fn check_input(&self, tool: &str, arguments: Raw<'_>) -> InputCheck {
        let refused = |issue| InputCheck { issues: vec![issue], sanitized: None };
        let Some(contract) = self.tool(tool) else {
            let issues = self.check_tool_name(tool).into_iter().collect();
            return InputCheck { issues, sanitized: None };
        };
        let Some(value) = shallow(arguments) else {
            let message = format!("The arguments are nested deeper than {DEEPEST} levels");
            return refused(self.wordings.worded(IssueType::SecurityValidation, &message));
        };
        let mut issues = shape::check(self, false, &contract.input, &value, &[]);
        arguments::check(self, &contract.input, arguments, &value, &mut issues);
        self.ask_rules(contract, false, &[(INPUT, Some(&value))], &mut issues);
        let sanitized = issues.is_empty().then(|| sanitize(&contract.input, value));
        InputCheck { issues, sanitized }
    }

    /// Holds a response against the contract; nothing is wrong where it does not know the tool.
    pub fn check_output(&self, tool: &str, context: OutputContext<'_>) -> Vec<Issue> {
        let Some(tool) = self.tool(tool) else { return Vec::new() };
        let Some(output) = shallow(context.output) else {
            let message = format!("The response is nested deeper than {DEEPEST} levels");
            return vec![self.wordings.worded(IssueType::ResponseType, &message)];
        };
        let input = context.input.and_then(shallow);
        let sent = texts_sent(input.as_ref());
        let shape = |spec: &Spec| shape::check(self, true, spec, &output, &sent);
        let mut issues = match self.succeeded(&output) {
            Ok(true) => tool.output.as_ref().map_or_else(Vec::new, shape),
            Ok(false) => {
                let failure = self.envelope.as_ref().map(|envelope| &envelope.failure);
                return failure.map_or_else(Vec::new, shape);
            }
            Err(issue) => return vec![*issue],
        };
        let original = context.original.and_then(shallow);
        let known =
            [(INPUT, input.as_ref()), (OUTPUT, Some(&output)), (ORIGINAL, original.as_ref())];
        self.ask_rules(tool, true, &known, &mut issues);
        issues
    }

    pub fn has_response_flag(&self) -> bool {
        self.envelope.is_some()
    }

    /// Whether a response in a reply that claims success says so too.
    pub fn succeeds(&self, output: Raw<'_>) -> bool {
        self.envelope.as_ref().is_none_or(|envelope| {
            output.member(&envelope.flag).is_some_and(|value| value.text() == "true")
        })
    }

    /// What to say of a response that reports a failure in a reply that claims success.
    pub fn check_success(&self, output: Raw<'_>) -> Option<Issue> {
        let flag = &self.envelope.as_ref()?.flag;
        output.member(flag).filter(|value| value.text() == "false")?;
        let message = format!("The response says `{flag}` is false, but the reply claims success");
        Some(Issue {
            location: Some(format!("/{flag}")),
            suggestion: Some(IssueType::ErrorNotFlagged.suggestion().to_owned()),
            ..Issue::new(Severity::Warning, IssueType::HiddenFailure, message)
        })
    }

    /// What to say of a reply that succeeded but holds no response at all, where one is asked for: by the
    /// flag of all responses, or by a required member of this tool's.
    pub fn check_missing_output(&self, tool: &str) -> Option<Issue> {
        let output = self.tool(tool)?.output.as_ref();
        let asks = self.has_response_flag()
            || output.is_some_and(|output| output.properties.iter().any(|it| it.is_required));
        asks.then(|| self.no_object())
    }

    fn no_object(&self) -> Issue {
        let places = [("field", "response"), ("expected", "object")];
        let issue = self.wordings.issue(IssueType::ResponseType, "whole", &places);
        Issue { location: Some("root".to_owned()), ..issue }
    }

    /// What an error's text shows that must stay inside, for replies that are no response objects; `input`
    /// are the arguments of the call.
    pub fn check_error_text(&self, text: &str, input: Option<Raw<'_>>) -> Option<Issue> {
        let input = input.and_then(shallow);
        let sent = texts_sent(input.as_ref());
        self.security.exposed(text, &sent).map(|what| self.exposes(&what))
    }

    fn exposes(&self, what: &str) -> Issue {
        self.wordings.issue(IssueType::SecurityIssue, "message", &[("what", what)])
    }

    /// Whether a response says that it succeeded; one without an envelope does.
    fn succeeded(&self, output: &Value) -> Result<bool, Box<Issue>> {
        let Some(envelope) = &self.envelope else { return Ok(true) };
        let flag = envelope.flag.as_str();
        let Value::Object(members) = output else { return Err(Box::new(self.no_object())) };
        let kind = match members.get(flag) {
            Some(Value::Bool(succeeded)) => return Ok(*succeeded),
            Some(_) => IssueType::ResponseType,
            None => IssueType::InvalidResponse,
        };
        let places = [("field", flag), ("expected", "boolean")];
        let issue = self.wordings.issue(kind, "message", &places);
        Err(Box::new(Issue { location: Some(format!("/{flag}")), ..issue }))
    }

    fn ask_rules(
        &self,
        tool: &ToolContract,
        of_output: bool,
        known: &[(&'static str, Option<&Value>)],
        issues: &mut Vec<Issue>,
    ) {
        let known = known.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
        let variables: Vec<Variable<'_>> = known.collect();
        let is_sound = issues.is_empty();
        for rule in tool.rules.iter().filter(|rule| rule.of_output == of_output) {
            issues.extend(ask(self, rule, &variables, is_sound, issues));
        }
        issues.truncate(MOST_ISSUES);
    }

    pub(super) fn available_tools(&self) -> String {
        self.tools().collect::<Vec<_>>().join(", ")
    }
}

/// The value, unless it is nested too deeply.
fn shallow(raw: Raw<'_>) -> Option<Value> {
    scan_document(raw.text(), DEEPEST).ok().map(to_value)
}

/// The value without the members that the contract drops.
fn sanitize(spec: &Spec, value: Value) -> Value {
    match (value, &spec.items) {
        (Value::Object(members), _) => {
            let kept = members.into_iter().filter_map(|(name, inner)| match spec.property(&name) {
                Some(known) => Some((name, sanitize(&known.spec, inner))),
                None => (spec.others != Others::Drop).then_some((name, inner)),
            });
            Value::Object(kept.collect())
        }
        (Value::Array(elements), Some(items)) => {
            elements.into_iter().map(|element| sanitize(items, element)).collect()
        }
        (other, _) => other,
    }
}

/// Asks a rule; `known` is what was found wrong before, and `is_sound` says that all values are what their
/// descriptions say.
fn ask(
    contract: &Contract,
    rule: &Rule,
    variables: &[Variable<'_>],
    is_sound: bool,
    known: &[Issue],
) -> Option<Issue> {
    let is_reported = |pointer: &String| {
        let places = known.iter().map(|issue| issue.location.as_deref().unwrap_or_default());
        let mut below = places.filter_map(|place| place.strip_prefix(pointer.as_str()));
        below.any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // What is wrong with the very field of the rule was told; the rule would only say it again.
    if rule.pointer.as_ref().is_some_and(is_reported) {
        return None;
    }
    let issue = match rule.expression.evaluate(variables) {
        Answer::True | Answer::Ambiguous(Why::MissingVariable(_)) => return None,
        Answer::False => {
            let made = rule.made_message.as_ref();
            let made = made.and_then(|made| made.evaluate_text(variables).ok());
            let message = made.as_ref().unwrap_or(&rule.message);
            Issue { severity: rule.severity, ..contract.wordings.worded(rule.kind, message) }
        }
        // A rule may well stumble over values that are not what they should be, which was told.
        Answer::Ambiguous(Why::MissingField(_) | Why::Failed(_) | Why::WrongResult { .. })
            if !is_sound =>
        {
            return None;
        }
        Answer::Ambiguous(why) => {
            let places = [("rule", rule.expression.text()), ("why", &*why.to_string())];
            contract.wordings.issue(IssueType::ContractRule, "message", &places)
        }
    };
    Some(Issue { location: rule.pointer.clone(), ..issue })
}
