//! Every rule and example of the envelopes comes out as its case says: `tests/seeds/envelope`.

use crate::support::{Differences, home};
use serde_json::{Value, json};
use tapecheck::internals::check::envelope::{Direction, Envelopes, SchemaFile};
use tapecheck::internals::json::scan_document;
use tapecheck::internals::verdict::Issue;

/// The cases in a folder of `tests/seeds`, each with the name of its file.
pub(crate) fn cases(folder: &str) -> Vec<(String, Value)> {
    let folder = home().join("tests/seeds").join(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut cases: Vec<(String, Value)> = entries
        .map(|entry| {
            let path = entry.expect("a readable entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a readable case");
            let case = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            (name, case)
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(cases.iter().all(|(_, case)| case["about"].is_string()), "every case says what it is");
    cases
}

/// An issue as the cases write it; members that the case does not name are left out.
pub(crate) fn written_like(issue: &Issue, wanted: &Value) -> Value {
    let whole = json!({
        "severity": issue.severity.name(),
        "type": issue.kind.name(),
        "message": issue.message,
        "location": issue.location,
        "suggestion": issue.suggestion,
    });
    let members = whole.as_object().expect("an object").iter();
    let named =
        members.filter(|(name, _)| wanted.as_object().is_none_or(|w| w.contains_key(*name)));
    named.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Compares issues with those that a case wants, in order.
pub(crate) fn compare_issues(name: &str, got: &[Issue], wanted: &Value, wrong: &mut Differences) {
    let Some(wanted) = wanted.as_array() else { return };
    let pairs = got.iter().enumerate();
    let none = Value::Null;
    let got: Vec<Value> =
        pairs.map(|(at, issue)| written_like(issue, wanted.get(at).unwrap_or(&none))).collect();
    wrong.compare(format!("{name}: issues"), &Value::Array(got), &Value::Array(wanted.clone()));
}

fn envelopes(extension: &Value) -> Envelopes {
    let text = |direction: Direction| {
        extension.get(direction.noun()).map(|schema| (direction.noun(), schema.to_string()))
    };
    let (request, response) = (text(Direction::Request), text(Direction::Response));
    let request = request.as_ref().map(|(name, text)| SchemaFile { name, text });
    let response = response.as_ref().map(|(name, text)| SchemaFile { name, text });
    Envelopes::load(request, response).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_envelope_is_judged_as_its_case_says() {
    let mut wrong = Differences::default();
    for (name, case) in cases("envelope") {
        let envelopes = envelopes(&case["extension"]);
        for direction in [Direction::Request, Direction::Response] {
            let Some(envelope) = case.get(direction.noun()) else { continue };
            let text = envelope.to_string();
            let raw = scan_document(&text, 1_000).expect("JSON");
            let validation = envelopes.recorded(direction, raw);
            wrong.compare(
                format!("{name}: valid"),
                &validation.valid.into(),
                &case["expect"]["valid"],
            );
            compare_issues(&name, &validation.issues, &case["expect"]["issues"], &mut wrong);
        }
    }
    wrong.assert_none("tests/seeds/envelope");
}
