//! Calls, replies and sessions held against a contract.

mod numbers;
mod rules;
mod security;
mod session;
mod shape;
mod words;

pub use session::{SessionFacts, SessionStart};

use super::lists::texts_sent;
use super::model::{Contract, Others, Presence, Property, Side, Spec, ToolContract};
use super::wording::Variant;
use crate::json::{Raw, scan_document, to_value};
use crate::verdict::{Issue, IssueType, Severity};
use rules::{Situation, Values};
use serde_json::Value;
use words::Part;

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
    /// The response: the object that the tool returned.
    pub output: Raw<'a>,
    /// The same object as an earlier response of the session showed it. Rules that look at it are not
    /// asked where it is not known.
    pub original: Option<Raw<'a>>,
}

impl Contract {
    pub fn check_tool_name(&self, name: &str) -> Option<Issue> {
        if name.is_empty() {
            return Some(self.wordings.issue(
                IssueType::MissingParameter,
                Variant::Empty,
                &[("parameter", "tool name")],
            ));
        }
        if self.tool(name).is_some() {
            return None;
        }
        let places = [("tool_name", name), ("available_tools", &self.available_tools())];
        Some(self.wordings.issue(IssueType::UnknownTool, Variant::Message, &places))
    }

    pub fn check_input(&self, tool: &str, arguments: Raw<'_>) -> InputCheck {
        let Some(tool) = self.tool(tool) else {
            let issues = self.check_tool_name(tool).into_iter().collect();
            return InputCheck { issues, sanitized: None };
        };
        let Some(value) = shallow(arguments) else {
            let message = format!("The arguments are nested deeper than {DEEPEST} levels");
            let issues = vec![self.wordings.worded(IssueType::SecurityValidation, &message)];
            return InputCheck { issues, sanitized: None };
        };
        let mut issues = self.shape_issues(Part::Parameters, &tool.input, &value, &[]);
        numbers::check(self, &tool.input, arguments, &value, &mut issues);
        security::check(self, arguments, &mut issues);
        let situation = Situation {
            input: Some(&value),
            output: None,
            original: None,
            values: Values::after(&issues),
        };
        self.ask_rules(tool, Side::Input, &situation, &mut issues);
        issues.truncate(MOST_ISSUES);
        let sanitized = issues.is_empty().then(|| sanitize(&tool.input, value));
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
        let shape = |spec: &Spec| self.shape_issues(Part::Response, spec, &output, &sent);
        let mut issues = match self.succeeded(&output) {
            Ok(true) => tool.output.as_ref().map_or_else(Vec::new, shape),
            Ok(false) => {
                let failure = self.envelope.as_ref().map(|envelope| &envelope.failure);
                return failure.map_or_else(Vec::new, shape);
            }
            Err(issue) => return vec![*issue],
        };
        let original = context.original.and_then(shallow);
        let situation = Situation {
            input: input.as_ref(),
            output: Some(&output),
            original: original.as_ref(),
            values: Values::after(&issues),
        };
        self.ask_rules(tool, Side::Output, &situation, &mut issues);
        issues.truncate(MOST_ISSUES);
        issues
    }

    /// Whether every response says of itself whether it succeeded.
    pub fn has_response_flag(&self) -> bool {
        self.envelope.is_some()
    }

    /// What to say of a response that reports a failure in a reply that claims success.
    pub fn check_success(&self, output: Raw<'_>) -> Option<Issue> {
        let flag = &self.envelope.as_ref()?.flag;
        let kind = IssueType::HiddenFailure;
        output.member(flag).filter(|value| value.text() == "false").map(|_| Issue {
            severity: Severity::Warning,
            kind,
            side: kind.side(),
            message: format!("The response says `{flag}` is false, but the reply claims success"),
            location: Some(format!("/{flag}")),
            suggestion: Some(kind.suggestion().to_owned()),
        })
    }

    /// What to say of a reply that succeeded but holds no response at all, where one is asked for: by the
    /// flag of all responses, or by a required member of this tool's.
    pub fn check_missing_output(&self, tool: &str) -> Option<Issue> {
        let output = self.tool(tool)?.output.as_ref();
        let is_required = |property: &Property| property.presence == Presence::Required;
        let asks = self.has_response_flag()
            || output.is_some_and(|output| output.properties.iter().any(is_required));
        asks.then(|| self.no_object())
    }

    fn no_object(&self) -> Issue {
        let places = [("field", "response"), ("expected", "object")];
        let issue = self.wordings.issue(IssueType::ResponseType, Variant::Whole, &places);
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
        self.wordings.issue(IssueType::SecurityIssue, Variant::Message, &[("what", what)])
    }

    /// Whether a response says that it succeeded; one without an envelope does.
    fn succeeded(&self, output: &Value) -> Result<bool, Box<Issue>> {
        let Some(envelope) = &self.envelope else { return Ok(true) };
        let flag = envelope.flag.as_str();
        let issue = |kind| {
            let places = [("field", flag), ("expected", "boolean")];
            let issue = self.wordings.issue(kind, Variant::Message, &places);
            Err(Box::new(Issue { location: Some(format!("/{flag}")), ..issue }))
        };
        match output {
            Value::Object(members) => match members.get(flag) {
                Some(Value::Bool(succeeded)) => Ok(*succeeded),
                Some(_) => issue(IssueType::ResponseType),
                None => issue(IssueType::InvalidResponse),
            },
            _ => Err(Box::new(self.no_object())),
        }
    }

    fn shape_issues(&self, part: Part, spec: &Spec, value: &Value, sent: &[&str]) -> Vec<Issue> {
        let mut issues = Vec::new();
        shape::walk(spec, value, &mut |finding| {
            issues.push(words::issue(self, part, &finding));
            issues.len() < MOST_ISSUES
        });
        let exposed = |text: &str| self.security.exposed(text, sent);
        shape::texts(&exposed, spec, value, &mut |pointer, what| {
            let location = Some(pointer.to_owned());
            issues.push(Issue { location, ..self.exposes(what) });
        });
        issues
    }

    fn ask_rules(
        &self,
        tool: &ToolContract,
        side: Side,
        situation: &Situation<'_>,
        issues: &mut Vec<Issue>,
    ) {
        for rule in tool.rules.iter().filter(|rule| rule.side == side) {
            issues.extend(rules::ask(self, rule, situation, issues));
        }
    }

    fn available_tools(&self) -> String {
        self.tools().collect::<Vec<_>>().join(", ")
    }
}

/// The value, unless it is nested too deeply.
fn shallow(raw: Raw<'_>) -> Option<Value> {
    scan_document(raw.text(), DEEPEST).ok().map(to_value)
}

/// The value without the members that the contract drops.
fn sanitize(spec: &Spec, value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let property = |name: &str| spec.properties.iter().find(|p: &&Property| p.name == name);
            members
                .into_iter()
                .filter_map(|(name, inner)| match property(&name) {
                    Some(known) => {
                        let inner = sanitize(&known.spec, inner);
                        Some((name, inner))
                    }
                    None => (spec.others != Others::Drop).then_some((name, inner)),
                })
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Value::Array(elements) => match &spec.items {
            Some(items) => elements.into_iter().map(|element| sanitize(items, element)).collect(),
            None => Value::Array(elements),
        },
        other => other,
    }
}
