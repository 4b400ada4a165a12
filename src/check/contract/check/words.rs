//! From a mistake of a value to the issue that says it.

use super::super::model::{Contract, Format, Kind, Spec};
use super::super::wording::fill;
use crate::check::schema::with_article;
use crate::verdict::{Issue, IssueType};
use std::fmt::Display;

/// Words a mistake: as its field is worded in the contract, else as its code is.
pub(super) fn issue(
    contract: &Contract,
    is_response: bool,
    mistake: Kind,
    spec: &Spec,
    path: &str,
) -> Issue {
    let kind = if is_response { mistake.in_response() } else { mistake.in_parameter() };
    let (least, most) = limits(mistake, spec);
    let name = match (is_response, path) {
        (false, "") => "The set of arguments",
        (true, "") => "response",
        (_, path) => path,
    };
    let places = [
        ("parameter", name),
        ("field", name),
        ("expected", &*expected(spec)),
        ("expected_type", &*expected_type(mistake, spec)),
        ("min", least.as_deref().unwrap_or_default()),
        ("max", most.as_deref().unwrap_or_default()),
    ];
    let is_list = matches!(mistake, Kind::TooFew | Kind::TooMany);
    let variant =
        match (kind, &least, &most) {
            (IssueType::ResponseType, ..) if path.is_empty() => "whole",
            _ if mistake == Kind::Unexpected => "unexpected",
            (IssueType::RangeConstraint | IssueType::LengthConstraint, Some(_), None) => {
                if is_list { "elements_at_least" } else { "at_least" }
            }
            (IssueType::RangeConstraint, None, Some(_)) => "at_most",
            (IssueType::LengthConstraint, ..) if is_list => "elements",
            _ => "message",
        };
    let own = spec.messages.iter().find(|(known, _)| *known == mistake);
    match own {
        Some((_, message)) => contract.wordings.worded(kind, &fill(message, &places)),
        None => contract.wordings.issue(kind, variant, &places),
    }
}

/// The bounds that a value does not keep, in words.
fn limits(mistake: Kind, spec: &Spec) -> (Option<String>, Option<String>) {
    fn text<T: Display>(bound: Option<&T>) -> Option<String> {
        bound.map(T::to_string)
    }
    let bounds = match mistake {
        Kind::OutOfRange => {
            return (text(spec.range.least.as_ref()), text(spec.range.most.as_ref()));
        }
        Kind::TooShort | Kind::TooLong => &spec.length,
        Kind::TooFew | Kind::TooMany => &spec.elements,
        _ => return (None, None),
    };
    // A length has a least value even where nobody wrote it.
    (text(bounds.least.as_ref().or(Some(&0))), text(bounds.most.as_ref()))
}

/// What should stand there, without an article.
fn expected(spec: &Spec) -> String {
    let names: Vec<&str> = spec.types.iter().map(|kind| kind.name()).collect();
    match (&spec.expected, &spec.allowed, spec.format) {
        (Some(expected), ..) => expected.clone(),
        (_, Some(allowed), _) => listed(allowed),
        (.., Some(Format::DateTime)) => "ISO 8601 timestamp".to_owned(),
        _ if names.is_empty() => "any value".to_owned(),
        _ => names.join(" or "),
    }
}

/// What should stand there, with an article.
fn expected_type(mistake: Kind, spec: &Spec) -> String {
    match mistake {
        Kind::NotListed => spec.allowed.as_deref().map_or_else(String::new, listed),
        Kind::WrongPattern => {
            let pattern = spec.pattern.as_ref().map_or("", |pattern| pattern.as_str());
            format!("a string that matches {pattern}")
        }
        Kind::WrongFormat => format!("an {}", expected(spec)),
        _ => {
            let names = spec.types.iter().map(|kind| with_article(kind.name()));
            let names: Vec<String> = names.collect();
            names.join(" or ")
        }
    }
}

fn listed(allowed: &[serde_json::Value]) -> String {
    let shown: Vec<String> = allowed.iter().take(20).map(ToString::to_string).collect();
    match shown.as_slice() {
        [only] => only.clone(),
        shown => format!("one of {}", shown.join(", ")),
    }
}
