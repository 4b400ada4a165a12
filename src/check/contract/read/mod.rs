//! From a contract's file to a [`Contract`], with every mistake told at its place.

mod rules;
mod shared;
mod spec;
#[cfg(test)]
mod tests;

use super::lists::{TextList, injection_list, injection_lists};
use super::model::{Contract, Envelope, JsonType, Security, Spec, ToolContract};
use super::wording::{Wordings, check_places};
use crate::rulebook::problem::{Problems, did_you_mean};
use crate::rulebook::source::{Entry, Node, Section};
use crate::rulebook::{IssueTypes, criteria};
pub(super) use rules::{INPUT, ORIGINAL, OUTPUT};
use spec::Specs;
use std::path::Path;

/// The word for no list of injections.
const NO_LIST: &str = "none";
/// Longest name of a tool, in bytes.
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
    let reading = Tools { specs: &specs, types: &types, wordings: &wordings };
    let tools = tools.iter().filter_map(|entry| reading.tool(entry, problems)).collect();
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

struct Tools<'a> {
    specs: &'a Specs<'a>,
    types: &'a IssueTypes,
    wordings: &'a Wordings,
}

impl Tools<'_> {
    fn tool(&self, entry: &Entry, problems: &Problems) -> Option<ToolContract> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let name = entry.key.as_str();
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
            let message =
                "a tool's name consists of at most 128 letters, digits and the signs _ - . /";
            problems.error(entry.key_mark, message);
        }
        let mut section = Section::open_entry(entry, problems)?;
        // Only there to be read by people.
        section.text("about");
        let input = section.entry("input").and_then(|entry| self.specs.object(entry, problems));
        let output = section.entry("output").and_then(|entry| self.specs.object(entry, problems));
        let original = section.text("original");
        let takes = |name: &str| input.as_ref().is_some_and(|input| input.property(name).is_some());
        if let Some(name) = original.filter(|name| !takes(name)) {
            let message = format!("`{name}` is no argument that [tools.{}.input] names", entry.key);
            section.error_at("original", message);
        }
        let rules = section
            .list("rules")
            .iter()
            .filter_map(|node| rules::rule(node, self.types, self.wordings, problems))
            .collect();
        section.finish();
        Some(ToolContract {
            name: name.to_owned(),
            input: input
                .unwrap_or_else(|| Spec { types: vec![JsonType::Object], ..Spec::default() }),
            output,
            rules,
            original: original.map(str::to_owned),
        })
    }
}
