//! A contract: its errors, and what it makes of recorded calls.

use super::shown::{Checked, Found};
use crate::check::contract::{Contract, code};
use crate::check::issues_under;
use crate::cli::Failure;
use crate::cli::config::config;
use crate::cli::inputs::inputs;
use crate::cli::opened::recordings;
use crate::cli::terminal::{counted, grouped, harmless};
use crate::corpus::CorpusReader;
use crate::recording::ExchangeKind;
use crate::run::for_each_exchange;
use crate::verdict::Severity;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

pub(super) fn check(name: &str, on: Option<&Path>, checked: &mut Checked) -> Result<(), Failure> {
    let contract =
        Contract::load(name).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    checked.about = contents(&contract);
    if let Some(on) = on {
        return compare(&contract, on, checked);
    }
    let why = "name recordings with --on to compare calls with it";
    checked.unchecked.push(("calls".to_owned(), why.to_owned()));
    Ok(())
}

/// What there is in a contract, in numbers.
pub(in crate::cli) fn contents(contract: &Contract) -> String {
    let criteria = contract.criteria().len();
    format!(
        "{}, {}, {criteria} {}",
        counted(contract.tools().count() as u64, "tool"),
        counted(contract.rules() as u64, "rule"),
        if criteria == 1 { "criterion" } else { "criteria" },
    )
}

struct Issues {
    count: u64,
    first: String,
    message: String,
}

/// Issues by severity and code.
fn compare(contract: &Contract, on: &Path, checked: &mut Checked) -> Result<(), Failure> {
    let bounds = config().bounds;
    let reader = CorpusReader::new(&inputs(&recordings(on)), bounds)?;
    let (mut calls, mut meant, mut clean) = (0u64, 0u64, 0u64);
    let mut found: BTreeMap<(Severity, &'static str), Issues> = BTreeMap::new();
    for_each_exchange(reader, &bounds, |located| {
        let exchange = located.as_recorded();
        if exchange.kind == ExchangeKind::ToolCall {
            calls += 1;
            if let Some(issues) = issues_under(contract, exchange) {
                meant += 1;
                clean += u64::from(issues.is_empty());
                for issue in &issues {
                    let name = code(issue.kind).unwrap_or_else(|| issue.kind.name());
                    let of = found.entry((issue.severity, name)).or_insert_with(|| Issues {
                        count: 0,
                        first: format!(
                            "{}:{}",
                            harmless(located.file_as_recorded()),
                            exchange.place.line
                        ),
                        message: issue.message.clone(),
                    });
                    of.count += 1;
                }
            }
        }
        ControlFlow::<()>::Continue(())
    })?;
    checked.about = format!(
        "{}; {} of {} are calls of its tools, {} of them without issues",
        checked.about,
        grouped(meant),
        counted(calls, "call"),
        grouped(clean)
    );
    if meant == 0 {
        return Err(Failure::unfinished(format!(
            "no call in {} uses a tool of {}",
            on.display(),
            checked.name
        ))
        .next("calls are matched by `servers` if the contract has them, otherwise by tool names"));
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|((severity, _), issues)| (*severity, Reverse(issues.count)));
    checked.findings.extend(found.into_iter().map(|((severity, rule), issues)| Found {
        severity,
        rule: rule.to_owned(),
        name: format!("{} in calls", counted(issues.count, "issue")),
        place: Some(issues.first),
        evidence: issues.message,
        advice: String::new(),
        counts: vec![("issues", issues.count)],
    }));
    Ok(())
}
