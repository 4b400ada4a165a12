//! Numbers that 64 bits do not hold: read, they would be other numbers than those that were sent.

use super::super::model::{Contract, Others, Spec};
use super::super::wording::Variant;
use super::MOST_ISSUES;
use super::shape::Step;
use crate::json::{Kind, Raw};
use crate::verdict::{Issue, IssueType};
use serde_json::Value;

/// From here on a number that was read as a fraction may have been an integer.
const LEAST_INEXACT: f64 = 9.2e18;

/// Tells the numbers of a call's arguments that cannot be handed on as they were written, except those
/// that are dropped and those that something was told of. The caller has seen to it that the arguments
/// are not nested too deeply.
pub(super) fn check(
    contract: &Contract,
    spec: &Spec,
    arguments: Raw<'_>,
    value: &Value,
    issues: &mut Vec<Issue>,
) {
    if may_be_inexact(value) {
        let (pointer, path) = (String::new(), String::new());
        Walk { contract, issues, pointer, path }.value(spec, arguments);
    }
}

/// Whether it is worth looking at how the numbers were written: hardly ever.
fn may_be_inexact(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => false,
        Value::Number(number) => {
            let is_large = |number: f64| number.abs() >= LEAST_INEXACT;
            number.is_f64() && number.as_f64().is_some_and(is_large)
        }
        Value::Array(elements) => elements.iter().any(may_be_inexact),
        Value::Object(members) => members.values().any(may_be_inexact),
    }
}

/// Whether a number is kept when it is read: integers in 64 bits, all others as doubles.
fn is_kept(written: &str) -> bool {
    if written.contains(['.', 'e', 'E']) {
        written.parse::<f64>().is_ok_and(f64::is_finite)
    } else {
        written.parse::<i64>().is_ok() || written.parse::<u64>().is_ok()
    }
}

struct Walk<'w> {
    contract: &'w Contract,
    issues: &'w mut Vec<Issue>,
    pointer: String,
    path: String,
}

impl Walk<'_> {
    fn value(&mut self, spec: &Spec, raw: Raw<'_>) {
        if self.issues.len() >= MOST_ISSUES {
            return;
        }
        match raw.kind() {
            Kind::Null | Kind::Bool | Kind::String => {}
            Kind::Number => self.number(raw.text()),
            Kind::Array => {
                let free = Spec::default();
                let items = spec.items.as_deref().unwrap_or(&free);
                for (at, element) in raw.elements().unwrap_or_default().into_iter().enumerate() {
                    self.within(&Step::Element(at), items, element);
                }
            }
            Kind::Object => {
                let free = Spec::default();
                for (name, inner) in raw.members().unwrap_or_default() {
                    let name = name.decode();
                    let known = spec.properties.iter().find(|known| known.name == name);
                    match known {
                        Some(known) => self.within(&Step::Member(&name), &known.spec, inner),
                        None if spec.others == Others::Drop => {}
                        None => self.within(&Step::Member(&name), &free, inner),
                    }
                }
            }
        }
    }

    fn within(&mut self, step: &Step<'_>, spec: &Spec, raw: Raw<'_>) {
        let lengths = (self.pointer.len(), self.path.len());
        step.push(&mut self.pointer, &mut self.path);
        self.value(spec, raw);
        self.pointer.truncate(lengths.0);
        self.path.truncate(lengths.1);
    }

    fn number(&mut self, written: &str) {
        let pointer = Some(self.pointer.as_str());
        let is_reported = |issue: &Issue| issue.location.as_deref() == pointer;
        if is_kept(written) || self.issues.iter().any(is_reported) {
            return;
        }
        let places = [("parameter", self.path.as_str())];
        let kind = IssueType::RangeConstraint;
        let mut issue = self.contract.wordings.issue(kind, Variant::Inexact, &places);
        issue.location = Some(self.pointer.clone());
        self.issues.push(issue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;

    #[test]
    fn what_64_bits_hold_is_kept() {
        for kept in ["0", "-0", "9007199254740993", "-9223372036854775808", "18446744073709551615"]
        {
            assert!(is_kept(kept), "{kept}");
        }
        for kept in ["0.1", "1e300", "1.0", "1E2"] {
            assert!(is_kept(kept), "{kept}");
        }
        for lost in ["18446744073709551616", "-9223372036854775809", "1e400", "-1.5E999"] {
            assert!(!is_kept(lost), "{lost}");
        }
    }

    #[test]
    fn a_number_that_would_become_another_is_out_of_range() {
        let text = "name = \"x\"\n[tools.add.input]\nothers = \"drop\"\n[tools.add.input.properties]\n\
            n = { type = \"integer\" }\nlist = { type = \"array\" }\nsmall = { maximum = 3 }\n";
        let contract = Contract::from_toml(text, "mine.toml").unwrap_or_else(|e| panic!("{e}"));
        let check = |arguments: &str| {
            contract.check_input("add", scan_document(arguments, 64).expect("well-formed"))
        };
        let exact = check(r#"{"n": 9007199254740993, "dropped": 1e400}"#);
        assert_eq!(exact.issues, []);
        let sanitized = exact.sanitized.expect("a valid call").to_string();
        assert_eq!(sanitized, r#"{"n":9007199254740993}"#);

        let lost =
            check(r#"{"n": 18446744073709551616, "list": [1, {"a": 1e400}], "small": 1e999}"#);
        assert_eq!(lost.sanitized, None);
        let found: Vec<_> = lost
            .issues
            .iter()
            .map(|issue| (issue.kind, issue.location.as_deref(), issue.message.as_str()))
            .collect();
        let range = IssueType::RangeConstraint;
        assert_eq!(
            found,
            [
                (range, Some("/small"), "small must be at most 3"),
                (range, Some("/n"), "n must be a number that 64 bits hold"),
                (range, Some("/list/1/a"), "list[1].a must be a number that 64 bits hold"),
            ]
        );
    }
}
