//! SARIF 2.1.0: what is around rules and results.

use super::escape;
use serde_json::{Value, json};

/// Where the schema of what is written stands.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log of one run.
pub(crate) struct Log {
    /// What tells the runs of this command from those of others.
    pub(crate) id: &'static str,
    /// Descriptions of the rules.
    pub(crate) rules: Vec<Value>,
    /// What was found.
    pub(crate) results: Vec<Value>,
    /// What else there is to tell.
    pub(crate) notifications: Vec<Value>,
}

impl Log {
    pub(crate) fn text(self) -> String {
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "tapecheck",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules,
                } },
                "automationDetails": { "id": self.id },
                "invocations": [{
                    "executionSuccessful": true,
                    "toolExecutionNotifications": self.notifications,
                }],
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        // Nothing in it can fail to be written.
        let text = serde_json::to_string_pretty(&log).unwrap_or_default();
        text + "\n"
    }
}

pub(crate) fn message(text: &str) -> Value {
    json!({ "text": escape::sarif(text) })
}

pub(crate) fn location(file: &str, line: u64) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": escape::uri(file) },
        "region": { "startLine": line.max(1) },
    } })
}
