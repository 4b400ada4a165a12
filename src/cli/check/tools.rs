//! The tool definitions among recordings: what is missing in them, and advice on style.

use super::shown::{Checked, Found};
use crate::cli::Failure;
use crate::cli::config::config;
use crate::cli::inputs::inputs;
use crate::cli::terminal::{counted, say};
use crate::corpus::CorpusReader;
use crate::lint::tools::{Whose, lint};
use crate::run::known_tools;
use crate::verdict::Severity;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rule of tools that are called and defined nowhere.
pub(super) const UNDEFINED: &str = "undefined";

pub(super) fn check(file: &Path, advice: bool, checked: &mut Checked) -> Result<(), Failure> {
    let bounds = config().bounds;
    let reader = CorpusReader::new(&inputs(&[file.to_owned()]), bounds)?;
    let known = known_tools(reader, &bounds)?;
    if known.is_cut {
        say(
            "warning: there are more tool definitions than are checked; name fewer recordings at a time",
        );
    }
    if known.tools.is_empty() {
        return Err(Failure::unfinished(format!("{} has no tool definition", file.display()))
            .next("record tools/list, or put a tools.json beside the recordings"));
    }
    let servers: BTreeSet<&str> = known.tools.iter().map(|tool| tool.server.as_str()).collect();
    checked.about = format!(
        "{} of {}",
        counted(known.tools.len() as u64, "tool"),
        counted(servers.len() as u64, "server")
    );
    checked.unreadable = known.unreadable;
    let mut by_rule: BTreeMap<(Severity, &'static str), Vec<Found>> = BTreeMap::new();
    for tool in &known.tools {
        let given = lint(&tool.tool).into_iter();
        for given in given.filter(|given| advice || given.whose == Whose::Everybody) {
            let issue = given.issue;
            by_rule.entry((issue.severity, given.id)).or_default().push(Found {
                severity: issue.severity,
                rule: given.id.to_owned(),
                name: named(&tool.server, &tool.tool.name),
                place: issue.location,
                evidence: issue.message,
                advice: issue.suggestion.unwrap_or_default(),
                counts: Vec::new(),
            });
        }
    }
    let mut by_rule: Vec<_> = by_rule.into_iter().collect();
    by_rule.sort_by_key(|((severity, _), found)| (*severity, Reverse(found.len())));
    checked.findings.extend(by_rule.into_iter().flat_map(|(_, found)| found));
    checked.findings.extend(known.undefined.iter().map(|(server, tool)| Found {
        severity: Severity::Info,
        rule: UNDEFINED.to_owned(),
        name: named(server, tool),
        place: None,
        evidence: "The tool is called but never defined.".to_owned(),
        advice: "Record tools/list to have it checked.".to_owned(),
        counts: Vec::new(),
    }));
    if !advice {
        let why = "style is checked with --verbose";
        checked.unchecked.push(("style".to_owned(), why.to_owned()));
    }
    Ok(())
}

fn named(server: &str, tool: &str) -> String {
    let tool = if tool.is_empty() { "(without a name)" } else { tool };
    format!("{server} / {tool}")
}
