//! What no argument of a call may be: a text that looks like an attack, or a number that 64 bits do not hold and
//! that would be read as another.

use super::super::model::{Contract, Others, Spec};
use super::super::wording::fill;
use super::MOST_ISSUES;
use super::shape::{path_of, push};
use crate::json::{Kind, Raw, RawStr};
use crate::verdict::{Issue, IssueType};
use serde_json::Value;
use std::sync::LazyLock;

/// What the contract says of a value that it does not describe.
static FREE: LazyLock<Spec> = LazyLock::new(Spec::default);

/// Looks at every text of a call's arguments, the names of nested members included, and at every number that is not
/// dropped. The caller has seen to it that they are not nested too deeply.
pub(super) fn check(
    contract: &Contract,
    spec: &Spec,
    arguments: Raw<'_>,
    value: &Value,
    issues: &mut Vec<Issue>,
) {
    let mut open = vec![(arguments, Some(spec), String::new())];
    while let Some((raw, spec, pointer)) = open.pop() {
        if issues.len() >= MOST_ISSUES {
            return;
        }
        let inner = |step: &str| {
            let mut pointer = pointer.clone();
            push(&mut pointer, step);
            pointer
        };
        match raw.kind() {
            Kind::Null | Kind::Bool => {}
            Kind::Number => {
                if spec.is_some() && !is_kept(raw.text()) && !is_told(issues, &pointer) {
                    let places = [("parameter", &*path_of(&pointer, value))];
                    let issue =
                        contract.wordings.issue(IssueType::RangeConstraint, "inexact", &places);
                    issues.push(Issue { location: Some(pointer), ..issue });
                }
            }
            Kind::String => {
                let text = raw.as_str();
                issues.extend(text.and_then(|text| check_text(contract, text, &pointer, issues)));
            }
            Kind::Array => {
                let items = spec.map(|spec| spec.items.as_deref().unwrap_or(&FREE));
                // The last that is put there is looked at first.
                let elements = raw.elements().unwrap_or_default().into_iter().enumerate().rev();
                open.extend(elements.map(|(at, element)| (element, items, inner(&at.to_string()))));
            }
            Kind::Object => {
                for (key, value) in raw.members().unwrap_or_default().into_iter().rev() {
                    let name = key.decode();
                    let spec = spec.and_then(|spec| match spec.property(&name) {
                        Some(property) => Some(&property.spec),
                        None => (spec.others != Others::Drop).then_some(&*FREE),
                    });
                    let place = inner(&name);
                    issues.extend(check_text(contract, key, &place, issues));
                    open.push((value, spec, place));
                }
            }
        }
    }
}

fn is_told(issues: &[Issue], pointer: &str) -> bool {
    issues.iter().any(|issue| issue.location.as_deref() == Some(pointer))
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
    let issue = if text.contains('\0') {
        worded(&security.null_bytes)
    } else if has_lone_surrogate(raw.escaped_text()) {
        worded(&security.invalid_unicode)
    } else if let Some(longest) = security.longest_text
        && text.chars().count() as u64 > longest
    {
        // A text that is longer than its own bound was told already.
        if is_told(known, pointer) {
            return None;
        }
        worded(&fill(&security.too_long, &[("max", &*longest.to_string())]))
    } else {
        let (list, pattern) =
            security.attacks.iter().find_map(|list| Some((&*list.name, list.hit(&text)?)))?;
        let places = [("list", list), ("pattern", &*pattern)];
        contract.wordings.issue(IssueType::SecurityValidation, "message", &places)
    };
    Some(Issue { location: Some(pointer.to_owned()), ..issue })
}

/// Whether a number is kept when it is read: integers in 64 bits, all others as doubles.
fn is_kept(written: &str) -> bool {
    if written.contains(['.', 'e', 'E']) {
        written.parse::<f64>().is_ok_and(f64::is_finite)
    } else {
        written.parse::<i64>().is_ok() || written.parse::<u64>().is_ok()
    }
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
