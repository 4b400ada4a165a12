//! What no text of a call may hold.

use super::super::model::Contract;
use super::super::wording::{Variant, fill};
use super::MOST_ISSUES;
use super::shape::Step;
use crate::json::{Kind, Raw, RawStr};
use crate::verdict::{Issue, IssueType};

/// Looks at every text of a call's arguments, the names of nested members included. The caller has seen
/// to it that they are not nested too deeply.
pub(super) fn check(contract: &Contract, arguments: Raw<'_>, issues: &mut Vec<Issue>) {
    let mut open = vec![(arguments, String::new())];
    let mut path = String::new();
    while let Some((raw, pointer)) = open.pop() {
        if issues.len() >= MOST_ISSUES {
            return;
        }
        let mut step = |step: &Step<'_>| {
            let mut pointer = pointer.clone();
            step.push(&mut pointer, &mut path);
            path.clear();
            pointer
        };
        match raw.kind() {
            Kind::Null | Kind::Bool | Kind::Number => {}
            Kind::String => {
                issues.extend(
                    raw.as_str().and_then(|text| check_text(contract, text, &pointer, issues)),
                );
            }
            Kind::Array => {
                // The last that is put there is looked at first.
                let elements = raw.elements().unwrap_or_default().into_iter().enumerate().rev();
                open.extend(elements.map(|(at, element)| (element, step(&Step::Element(at)))));
            }
            Kind::Object => {
                for (key, value) in raw.members().unwrap_or_default().into_iter().rev() {
                    let inner = step(&Step::Member(&key.decode()));
                    issues.extend(check_text(contract, key, &inner, issues));
                    open.push((value, inner));
                }
            }
        }
    }
}

fn check_text(
    contract: &Contract,
    raw: RawStr<'_>,
    pointer: &str,
    known: &[Issue],
) -> Option<Issue> {
    let security = &contract.security;
    let text = raw.decode();
    let worded = |message: &str| contract.wordings.worded(IssueType::SecurityValidation, message);
    let mut issue = if text.contains('\0') {
        worded(&security.null_bytes)
    } else if has_lone_surrogate(raw.escaped_text()) {
        worded(&security.invalid_unicode)
    } else if let Some(longest) = security.longest_text
        && text.chars().count() as u64 > longest
    {
        // A text that is longer than its own bound was told already.
        if known.iter().any(|issue| issue.location.as_deref() == Some(pointer)) {
            return None;
        }
        worded(&fill(&security.too_long, &[("max", longest.to_string().as_str())]))
    } else {
        let (list, pattern) =
            security.attacks.iter().find_map(|list| Some((&list.name, list.hit(&text)?)))?;
        let places = [("list", list.as_str()), ("pattern", pattern.as_str())];
        contract.wordings.issue(IssueType::SecurityValidation, Variant::Message, &places)
    };
    issue.location = Some(pointer.to_owned());
    Some(issue)
}

/// Whether a text, as it was recorded, spells half of a surrogate pair: no UTF-8 can hold that.
fn has_lone_surrogate(escaped: &str) -> bool {
    let mut waiting = false;
    let mut rest = escaped;
    while let Some(at) = rest.find('\\') {
        // Anything between two escapes parts them.
        if waiting && at > 0 {
            return true;
        }
        let escape = &rest[at..];
        let unit =
            escape.strip_prefix("\\u").and_then(|hex| u16::from_str_radix(hex.get(..4)?, 16).ok());
        match unit {
            Some(0xd800..=0xdbff) if waiting => return true,
            Some(0xd800..=0xdbff) => waiting = true,
            Some(0xdc00..=0xdfff) if !waiting => return true,
            Some(0xdc00..=0xdfff) => waiting = false,
            _ if waiting => return true,
            _ => {}
        }
        rest = escape.get(if unit.is_some() { 6 } else { 2 }..).unwrap_or_default();
    }
    waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_are_seen_and_pairs_pass() {
        for lone in [r"a\ud83d", r"\ud83d\ud83d\ude00", r"\ude00x", r"\ud83dx\ude00", r"\uD83D\n"] {
            assert!(has_lone_surrogate(lone), "{lone}");
        }
        for whole in [r"\ud83d\ude00", r"a\\ud83d", "plain \u{fffd}", r"\u00e9\n\\", ""] {
            assert!(!has_lone_surrogate(whole), "{whole}");
        }
    }
}
