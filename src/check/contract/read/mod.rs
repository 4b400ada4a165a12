//! From a contract's file to a [`Contract`], with every mistake told at its place.

mod spec;

use super::lists::{TextList, injection_list, injection_lists};
use super::model::{Contract, Envelope, JsonType, Rule, Security, Spec, ToolContract};
use super::wording::{CODES, Wordings, check_places, fill};
use crate::json::escaped_step;
use crate::rulebook::problem::{Problems, did_you_mean};
use crate::rulebook::source::{Entry, Node, Section};
use crate::rulebook::{IssueTypes, Undescribed, compile_expression, criteria};
use crate::verdict::{IssueType, Side};
use spec::Specs;
use std::path::Path;

/// What a rule may look at. `original` is the state of the object before the call, where it is known.
pub(super) const INPUT: &str = "input";
pub(super) const OUTPUT: &str = "output";
/// The object as an earlier response of the session showed it.
pub(super) const ORIGINAL: &str = "original";

const VARIABLES: [&str; 3] = [INPUT, OUTPUT, ORIGINAL];

/// The word for no list of injections.
const NO_LIST: &str = "none";
const LONGEST_NAME: usize = 128;

/// Compiles a contract; `None` or reported problems mean that there is none. Its digest is only that of
/// the schema files it names.
pub(super) fn contract(
    tree: &Node,
    folder: Option<&Path>,
    problems: &Problems,
) -> Option<Contract> {
    let mut section = Section::open(tree, problems)?;
    let name = section.require("name", Section::text).unwrap_or_default().to_owned();
    let about = section.text("about").unwrap_or_default().to_owned();
    let servers = section.texts("servers");
    for (_, mark) in servers.iter().filter(|(server, _)| server.trim().is_empty()) {
        problems.error(*mark, "expected the name of a server");
    }
    let mut wordings = Wordings::default();
    wordings.lay_over(section.named("errors"), problems);
    let security = security(section.entry("security"), problems);
    let specs = Specs::new(section.named("types"), folder);
    specs.read_types(problems);
    let envelope = section.entry("response").and_then(|entry| envelope(entry, &specs, problems));
    let tools = section.named("tools");
    if tools.is_empty() {
        section.error("a contract names at least one tool, as [tools.NAME]");
    }
    let criteria = criteria(&mut section, None);
    let types = IssueTypes::read(&mut section);
    let tools = tools.iter().filter_map(|entry| {
        let rule = |node: &Node| rule_of(node, &types, &wordings, problems);
        tool(entry, &specs, rule, problems)
    });
    let tools = tools.collect();
    section.finish();
    Some(Contract {
        name,
        about,
        servers: servers.into_iter().map(|(server, _)| server.to_owned()).collect(),
        tools,
        envelope,
        security: security?,
        wordings,
        criteria,
        digest: specs.digest(),
    })
}

fn security(entry: Option<&Entry>, problems: &Problems) -> Option<Security> {
    let mut security = Security {
        attacks: Vec::new(),
        internals: None,
        longest_text: None,
        null_bytes: "String contains invalid null bytes".to_owned(),
        invalid_unicode: "String contains invalid characters".to_owned(),
        too_long: "String exceeds maximum length of {max}".to_owned(),
    };
    let Some(entry) = entry else { return Some(security) };
    let mut section = Section::open_entry(entry, problems)?;
    if let Some(name) = section.text("injection").filter(|name| *name != NO_LIST) {
        security.attacks.extend(injection_list(name));
        if security.attacks.is_empty() {
            let mut known: Vec<&str> = injection_lists().map(|(name, _)| name).collect();
            known.push(NO_LIST);
            let help = did_you_mean(name, known.iter().copied())
                .unwrap_or_else(|| format!("known lists: {}", known.join(", ")));
            let message = format!("unknown injection list `{name}`");
            problems.error_with_help(section.mark_of("injection"), message, Some(help));
        }
    }
    let attacks = section.entry("attacks").and_then(|entry| TextList::read(entry, problems));
    security.attacks.extend(attacks);
    security.internals =
        section.entry("internals").and_then(|entry| TextList::read(entry, problems));
    security.longest_text = section.whole("longest_text", spec::MOST);
    for (key, text, places) in [
        ("null_bytes", &mut security.null_bytes, &[] as &[&str]),
        ("invalid_unicode", &mut security.invalid_unicode, &[]),
        ("too_long", &mut security.too_long, &["max"]),
    ] {
        if let Some(written) = section.text(key) {
            check_places(written, places, section.mark_of(key), problems);
            written.clone_into(text);
        }
    }
    section.finish();
    Some(security)
}

fn envelope(entry: &Entry, specs: &Specs<'_>, problems: &Problems) -> Option<Envelope> {
    let mut section = Section::open_entry(entry, problems)?;
    let flag = section.require("flag", Section::text).unwrap_or_default().to_owned();
    let failure = section.entry("failure").and_then(|entry| specs.object(entry, problems));
    section.finish();
    Some(Envelope { flag, failure: failure.unwrap_or_default() })
}

fn tool(
    entry: &Entry,
    specs: &Specs<'_>,
    rule: impl FnMut(&Node) -> Option<Rule>,
    problems: &Problems,
) -> Option<ToolContract> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let name = entry.key.as_str();
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        let message = "a tool's name consists of at most 128 letters, digits and the signs _ - . /";
        problems.error(entry.key_mark, message);
    }
    let mut section = Section::open_entry(entry, problems)?;
    // Only there to be read by people.
    section.text("about");
    let input = section.entry("input").and_then(|entry| specs.object(entry, problems));
    let output = section.entry("output").and_then(|entry| specs.object(entry, problems));
    let original = section.text("original");
    let takes = |name: &str| input.as_ref().is_some_and(|input| input.property(name).is_some());
    if let Some(name) = original.filter(|name| !takes(name)) {
        let message = format!("`{name}` is not an argument of [tools.{}.input]", entry.key);
        section.error_at("original", message);
    }
    let rules = section.list("rules").iter().filter_map(rule).collect();
    section.finish();
    Some(ToolContract {
        name: name.to_owned(),
        input: input.unwrap_or_else(|| Spec { types: vec![JsonType::Object], ..Spec::default() }),
        output,
        rules,
        original: original.map(str::to_owned),
    })
}

/// A rule across fields, in the convention of `x-kubernetes-validations`.
fn rule_of(
    node: &Node,
    types: &IssueTypes,
    wordings: &Wordings,
    problems: &Problems,
) -> Option<Rule> {
    let mut section = Section::open(node, problems)?;
    let expression = compile_expression(&mut section, "rule", &VARIABLES);
    if section.take("rule").is_none() {
        section.error("`rule` is missing here");
    }
    let made_message = compile_expression(&mut section, "messageExpression", &VARIABLES);
    let uses = |name| expression.as_ref().is_some_and(|rule| rule.uses(name));
    let uses_original = uses(ORIGINAL);
    let of_output = uses(OUTPUT) || uses_original;
    let kind = match section.text("code") {
        Some(code) => {
            let undescribed = Undescribed {
                side: if of_output { Side::Reply } else { Side::Caller },
                category: if uses_original { "task_integrity" } else { "schema_validation" },
            };
            let found = CODES.iter().find(|(_, listed, _)| *listed == code).map(|(kind, ..)| *kind);
            let (mark, names) = (section.mark_of("code"), CODES.iter().map(|(_, code, _)| *code));
            found.or_else(|| types.resolve(code, mark, names, undescribed, problems))
        }
        None if uses_original => Some(IssueType::InvalidTransition),
        None if !of_output => Some(IssueType::ConditionalParameter),
        None => Some(IssueType::InvalidResponse),
    };
    let parameters: Vec<&str> =
        section.texts("parameters").into_iter().map(|(text, _)| text).collect();
    let message = match section.text("message") {
        Some(message) => message.to_owned(),
        None if kind == Some(IssueType::ConditionalParameter) && !parameters.is_empty() => fill(
            wordings.template(IssueType::ConditionalParameter, "message"),
            &[("parameters", parameters.join(" or ").as_str())],
        ),
        None => {
            section.error("`message` is missing here: what the rule asks for");
            String::new()
        }
    };
    let severity = section.word("severity");
    let path = section.text("fieldPath");
    let pointer = path.and_then(|path| {
        let read = pointer(path);
        if read.is_none() {
            let message =
                "this is not a path to a field, such as task.id, tasks[0].id or /tasks/0/id";
            section.error_at("fieldPath", message);
        }
        read
    });
    section.text("about");
    section.finish();
    let kind = kind?;
    Some(Rule {
        expression: expression?,
        of_output,
        message,
        made_message,
        kind,
        severity: severity.unwrap_or_else(|| wordings.severity(kind)),
        pointer,
    })
}

/// `.tasks[0].completed`, `tasks[0]['completed']` or `/tasks/0/completed`, as a JSON pointer.
fn pointer(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    let mut pointer = String::new();
    let mut rest = path.strip_prefix('.').unwrap_or(path);
    while !rest.is_empty() {
        let (step, behind) = match rest.strip_prefix('[') {
            Some(inner) => bracketed(inner)?,
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        if step.is_empty() {
            return None;
        }
        pointer = pointer + "/" + &escaped_step(step);
        rest = match behind.strip_prefix('.') {
            Some("") => return None,
            Some(behind) => behind,
            None if behind.is_empty() || behind.starts_with('[') => behind,
            None => return None,
        };
    }
    Some(pointer)
}

/// What stands in brackets, a number or a quoted name, and what stands behind them.
fn bracketed(inner: &str) -> Option<(&str, &str)> {
    for quote in ['\'', '"'] {
        if let Some(quoted) = inner.strip_prefix(quote) {
            let (name, behind) = quoted.split_once(quote)?;
            return Some((name, behind.strip_prefix(']')?));
        }
    }
    let (number, behind) = inner.split_once(']')?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then_some((number, behind))
}
