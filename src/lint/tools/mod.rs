//! Holds tool definitions against advice on how tools should tell their users about errors.

mod advice;
mod definition;
mod document;
mod fields;

use crate::json::scan_document;
use crate::recording::Tool;
use crate::verdict::{Issue, Severity};
use advice::{ADVICE, Advice, Priority};
use definition::Definition;

pub use advice::Whose;
pub use document::advice_document;

/// Places at which one piece of advice is given; beyond, they are only counted.
const MAX_PLACES: usize = 20;

/// A place at which advice applies, and what stands there.
struct Place {
    at: String,
    subject: String,
}

/// What one piece of advice finds in a definition.
#[derive(Clone, Debug)]
pub struct Given {
    /// The piece of advice.
    pub id: &'static str,
    pub whose: Whose,
    pub issue: Issue,
}

/// Compares a tool's definition with the advice. Of a tool without one, nothing can be said.
pub fn lint(tool: &Tool) -> Vec<Given> {
    let Some(text) = &tool.definition else { return Vec::new() };
    // The definition is a piece of a recording that was read, so its nesting is bounded already.
    let Ok(raw) = scan_document(text, usize::MAX) else { return Vec::new() };
    let definition = Definition::new(raw);
    ADVICE.iter().flat_map(|advice| given(advice, &definition)).collect()
}

pub fn advice_ids() -> impl Iterator<Item = &'static str> {
    ADVICE.iter().map(|advice| advice.id)
}

fn given(advice: &Advice, definition: &Definition<'_>) -> Vec<Given> {
    let mut places = (advice.applies)(definition);
    let unlisted = places.len().saturating_sub(MAX_PLACES);
    places.truncate(MAX_PLACES);
    let issue = |message: String, at: Option<String>| Given {
        id: advice.id,
        whose: advice.whose,
        issue: Issue {
            severity: advice.severity(),
            kind: advice.kind,
            side: advice.kind.side(),
            message,
            location: at,
            suggestion: Some(advice.suggestion.to_owned()),
        },
    };
    let mut issues: Vec<Given> = places
        .into_iter()
        .map(|place| issue(advice.message.replace("{}", &place.subject), Some(place.at)))
        .collect();
    if unlisted > 0 {
        issues.push(issue(format!("The same applies at {unlisted} more places."), None));
    }
    issues
}

impl Advice {
    /// What must or should be done is a warning, what is nice to have is worth knowing.
    fn severity(&self) -> Severity {
        match self.priority {
            Priority::Must | Priority::Should => Severity::Warning,
            Priority::Nice => Severity::Info,
        }
    }
}

#[cfg(test)]
mod tests;
