//! From a finding to the issue that says it.

use super::super::model::{Bounds, Contract, Kind, Spec};
use super::super::wording::{Variant, fill};
use super::shape::Finding;
use crate::verdict::{Issue, IssueType};
use std::fmt::Display;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Parameters,
    Response,
}

/// Words a finding: as its field is worded in the contract, else as its code is.
pub(super) fn issue(contract: &Contract, part: Part, finding: &Finding<'_>) -> Issue {
    let kind = match part {
        Part::Parameters => finding.kind.in_parameter(),
        Part::Response => finding.kind.in_response(),
    };
    let limits = Limits::of(finding);
    let expected = expected(finding.spec);
    let expected_type = expected_type(finding);
    let name = match (part, finding.path) {
        (Part::Parameters, "") => "The set of arguments",
        (Part::Response, "") => "response",
        (_, path) => path,
    };
    let places = [
        ("parameter", name),
        ("field", name),
        ("expected", expected.as_str()),
        ("expected_type", expected_type.as_str()),
        ("min", limits.least.as_str()),
        ("max", limits.most.as_str()),
    ];
    let own = finding.spec.messages.iter().find(|(known, _)| *known == finding.kind);
    let mut issue = match own {
        Some((_, message)) => contract.wordings.worded(kind, &fill(message, &places)),
        None if kind == IssueType::ResponseType && finding.path.is_empty() => {
            contract.wordings.issue(kind, Variant::Whole, &places)
        }
        None => contract.wordings.issue(kind, limits.variant(kind, finding.kind), &places),
    };
    issue.location = Some(finding.pointer.to_owned());
    issue
}

/// The bounds of a finding, in words.
struct Limits {
    least: String,
    most: String,
}

impl Limits {
    fn of(finding: &Finding<'_>) -> Self {
        let spec = finding.spec;
        match finding.kind {
            Kind::OutOfRange => Self::from(&spec.range, String::new()),
            // A length has a least value even where nobody wrote it.
            Kind::TooShort | Kind::TooLong => Self::from(&spec.length, "0".to_owned()),
            Kind::TooFew | Kind::TooMany => Self::from(&spec.elements, "0".to_owned()),
            Kind::Missing
            | Kind::InvalidType
            | Kind::NotListed
            | Kind::WrongPattern
            | Kind::WrongFormat
            | Kind::Unexpected => Self { least: String::new(), most: String::new() },
        }
    }

    fn from<T: Display>(bounds: &Bounds<T>, no_least: String) -> Self {
        let text = |bound: &T| bound.to_string();
        Self {
            least: bounds.least.as_ref().map_or(no_least, text),
            most: bounds.most.as_ref().map_or_else(String::new, text),
        }
    }

    /// The variant of a wording that fits the bounds that are known.
    fn variant(&self, issue: IssueType, kind: Kind) -> Variant {
        let counts_elements = matches!(kind, Kind::TooFew | Kind::TooMany);
        match (issue, kind) {
            (_, Kind::Unexpected) => return Variant::Unexpected,
            (IssueType::RangeConstraint | IssueType::LengthConstraint, _) => {}
            _ => return Variant::Message,
        }
        match (self.least.is_empty(), self.most.is_empty(), counts_elements) {
            (false, true, false) => Variant::AtLeast,
            (true, false, false) => Variant::AtMost,
            (false, true, true) => Variant::ElementsAtLeast,
            (true, false, true) => Variant::ElementsAtMost,
            (_, _, true) => Variant::Elements,
            (_, _, false) => Variant::Message,
        }
    }
}

/// What should stand there, without an article.
fn expected(spec: &Spec) -> String {
    if let Some(expected) = &spec.expected {
        return expected.clone();
    }
    if let Some(allowed) = &spec.allowed {
        return listed(allowed);
    }
    if let Some(format) = spec.format {
        return format.expected().to_owned();
    }
    let names: Vec<&str> = spec.types.iter().map(|kind| kind.name()).collect();
    if names.is_empty() { "any value".to_owned() } else { names.join(" or ") }
}

/// What should stand there, with an article.
fn expected_type(finding: &Finding<'_>) -> String {
    let spec = finding.spec;
    match finding.kind {
        Kind::NotListed => spec.allowed.as_deref().map_or_else(String::new, listed),
        Kind::WrongPattern => {
            let pattern = spec.pattern.as_ref().map_or("", |pattern| pattern.as_str());
            format!("a string that matches {pattern}")
        }
        Kind::WrongFormat => format!("an {}", expected(spec)),
        _ => {
            let names: Vec<String> = spec.types.iter().map(|kind| kind.with_article()).collect();
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
