//! SARIF 2.1.0.

use super::escape;
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log of one run.
pub(crate) struct Log {
    /// What tells the runs of this command from those of others.
    pub(crate) id: &'static str,
    pub(crate) rules: Vec<Rule>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) notifications: Vec<Notification>,
}

pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) about: &'static str,
    pub(crate) help: String,
    pub(crate) level: &'static str,
    pub(crate) properties: Value,
}

pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) rule_index: Option<usize>,
    pub(crate) level: &'static str,
    pub(crate) message: String,
    /// Where to look, the most telling place first.
    pub(crate) spots: Vec<Spot>,
    /// Why it does not count, where it does not.
    pub(crate) suppressed: Option<String>,
    /// What tells it from others in later logs.
    pub(crate) fingerprints: Value,
    pub(crate) properties: Value,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) file: String,
    pub(crate) line: u64,
}

/// What is to be known of the log as a whole.
pub(crate) struct Notification {
    pub(crate) level: &'static str,
    pub(crate) message: String,
}

impl Log {
    pub(crate) fn text(&self) -> String {
        let notifications = self
            .notifications
            .iter()
            .map(|it| json!({ "level": it.level, "message": message(&it.message) }));
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "tapecheck",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.iter().map(Rule::json).collect::<Vec<_>>(),
                } },
                "automationDetails": { "id": self.id },
                "invocations": [{
                    "executionSuccessful": true,
                    "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
                }],
                "columnKind": "unicodeCodePoints",
                "results": self.findings.iter().map(Finding::json).collect::<Vec<_>>(),
            }],
        });
        // Nothing in it can fail to be written.
        let text = serde_json::to_string_pretty(&log).unwrap_or_default();
        text + "\n"
    }
}

impl Rule {
    fn json(&self) -> Value {
        json!({
            "id": escape::terminal(&self.id),
            "shortDescription": { "text": self.about },
            // GitHub asks for both.
            "fullDescription": { "text": self.about },
            "help": { "text": self.help },
            "defaultConfiguration": { "level": self.level },
            "properties": self.properties,
        })
    }
}

impl Finding {
    fn json(&self) -> Value {
        let (first, others) = self.spots.split_at(self.spots.len().min(1));
        let spots = |spots: &[Spot]| spots.iter().map(Spot::json).collect::<Value>();
        let suppression = self.suppressed.as_ref().map(
            |because| json!([{ "kind": "external", "justification": escape::terminal(because) }]),
        );
        let mut json = json!({
            "ruleId": escape::terminal(&self.rule),
            "ruleIndex": self.rule_index,
            "level": self.level,
            "message": message(&self.message),
            "locations": spots(first),
            "relatedLocations": (!others.is_empty()).then(|| spots(others)),
            "suppressions": suppression,
            "partialFingerprints": self.fingerprints,
            "properties": self.properties,
        });
        // What there is nothing to say of is left out.
        if let Value::Object(members) = &mut json {
            members.retain(|_, value| !value.is_null());
        }
        json
    }
}

impl Spot {
    fn json(&self) -> Value {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": escape::uri(&self.file) },
            "region": { "startLine": self.line.max(1) },
        } })
    }
}

fn message(text: &str) -> Value {
    json!({ "text": escape::sarif(&escape::terminal(text)) })
}
