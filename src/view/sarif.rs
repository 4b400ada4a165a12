//! SARIF 2.1.0.

use super::escape;
use serde::Serialize;
use std::collections::BTreeMap;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(crate) type Object<T> = BTreeMap<&'static str, T>;

/// An object with one member.
pub(crate) fn object<T>(name: &'static str, value: T) -> Object<T> {
    BTreeMap::from([(name, value)])
}

/// What is said in one line, in which nothing is a link or a place.
pub(crate) fn message(text: &str) -> Object<String> {
    object("text", escape::sarif(&escape::terminal(text)))
}

/// A log of one run.
#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Object<Driver>,
    automation_details: Object<&'static str>,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<Finding>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) short_description: Object<&'static str>,
    /// GitHub asks for both.
    pub(crate) full_description: Object<&'static str>,
    pub(crate) help: Object<&'static str>,
    pub(crate) default_configuration: Object<&'static str>,
    pub(crate) properties: Object<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) rule_id: String,
    pub(crate) rule_index: usize,
    pub(crate) level: &'static str,
    pub(crate) message: Object<String>,
    pub(crate) locations: Vec<Object<PhysicalLocation>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_locations: Vec<Object<PhysicalLocation>>,
    /// Why it does not count, where it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) suppressions: Vec<Object<String>>,
    /// What tells it from others in later logs.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub(crate) partial_fingerprints: Object<String>,
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub(crate) properties: Object<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    artifact_location: Object<String>,
    region: Object<u64>,
}

/// What is to be known of the log as a whole.
#[derive(Serialize)]
pub(crate) struct Notification {
    pub(crate) level: &'static str,
    pub(crate) message: Object<String>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) file: String,
    pub(crate) line: u64,
}

impl Spot {
    pub(crate) fn location(&self) -> Object<PhysicalLocation> {
        let artifact_location = object("uri", escape::uri(&self.file));
        let region = object("startLine", self.line.max(1));
        object("physicalLocation", PhysicalLocation { artifact_location, region })
    }
}

/// The log of a run of a command, which its id tells from those of others.
pub(crate) fn text(
    id: &'static str,
    rules: Vec<Rule>,
    results: Vec<Finding>,
    tool_execution_notifications: Vec<Notification>,
) -> String {
    let driver = Driver { name: "tapecheck", semantic_version: env!("CARGO_PKG_VERSION"), rules };
    let run = Run {
        tool: object("driver", driver),
        automation_details: object("id", id),
        invocations: [Invocation { execution_successful: true, tool_execution_notifications }],
        column_kind: "unicodeCodePoints",
        results,
    };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    // Nothing in it can fail to be written.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}
