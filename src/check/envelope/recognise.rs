//! Which recorded values are meant to be envelopes, whether or not they are in order.

use crate::json::{Kind, Raw};

const STATUSES: [&str; 3] = ["success", "error", "pending"];

/// Members that logs and events have and envelopes do not: a line with one of them merely uses the same words.
const OF_LOGS: [&str; 9] =
    ["ts", "time", "timestamp", "level", "severity", "logger", "msg", "ms", "type"];

/// Whether a value is meant to be a request: an object whose `query` is a text, stands beside a
/// `context`, or is all there is and no object.
#[must_use]
pub fn is_request(value: Raw<'_>) -> bool {
    if !mentions(value, "query") {
        return false;
    }
    let members = value.members().unwrap_or_default();
    let member = |name: &str| members.iter().rev().find(|(key, _)| key.is(name));
    if OF_LOGS.iter().any(|name| member(name).is_some()) {
        return false;
    }
    member("query").is_some_and(|(_, query)| {
        query.kind() == Kind::String
            || member("context").is_some()
            || (members.len() == 1 && query.kind() != Kind::Object)
    })
}

/// Whether a value is meant to be a response: an object with one of the three words as its `status`,
/// with any word as its `status` beside `data`, or with a `conversation_context`.
#[must_use]
pub fn is_response(value: Raw<'_>) -> bool {
    if !mentions(value, "status") && !mentions(value, "conversation_context") {
        return false;
    }
    let members = value.members().unwrap_or_default();
    let member = |name: &str| members.iter().rev().find(|(key, _)| key.is(name)).map(|it| it.1);
    if OF_LOGS.iter().any(|name| member(name).is_some()) {
        return false;
    }
    let status = member("status");
    let word = status.and_then(Raw::as_str);
    word.is_some_and(|word| STATUSES.iter().any(|known| word.is(known)))
        || (word.is_some() && member("data").is_some())
        || member("conversation_context").is_some()
}

/// Most values are neither, which their text betrays: they need not be taken apart.
fn mentions(value: Raw<'_>, name: &str) -> bool {
    let text = value.text().as_bytes();
    let is_spelled_out = || memchr::memmem::find(text, name.as_bytes()).is_some();
    // A name may be written with escapes.
    value.kind() == Kind::Object && (is_spelled_out() || memchr::memchr(b'\\', text).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::RESPONSE_SCHEMA;
    use super::*;
    use crate::json::scan_document;

    fn raw(text: &str) -> Raw<'_> {
        scan_document(text, 64).expect("well-formed")
    }

    #[test]
    fn requests_are_known_by_their_query() {
        for text in [
            r#"{"query":"Hi"}"#,
            r#"{"query":"Hi","locale":"en"}"#,
            r#"{"query":5}"#,
            r#"{"query":null,"context":{}}"#,
            r#"{"\u0071uery":"Hi"}"#,
        ] {
            assert!(is_request(raw(text)), "{text}");
        }
        for text in [
            r#"{"query":{"match":"x"},"size":3}"#,
            r#"{"context":{}}"#,
            r#"["query"]"#,
            r#"{"ts":1,"level":"info","query":"SELECT 1","ms":3}"#,
        ] {
            assert!(!is_request(raw(text)), "{text}");
        }
    }

    #[test]
    fn responses_are_known_by_their_status_or_what_stands_beside_it() {
        for text in [
            r#"{"status":"pending"}"#,
            r#"{"status":"ok","data":null}"#,
            r#"{"conversation_context":{}}"#,
        ] {
            assert!(is_response(raw(text)), "{text}");
        }
        for text in [
            r#"{"status":200}"#,
            r#"{"data":{}}"#,
            r#""status""#,
            r#"{"status":"done"}"#,
            r#"{"status":404,"data":"x"}"#,
            r#"{"ts":1,"status":"success","message":"job done"}"#,
        ] {
            assert!(!is_response(raw(text)), "{text}");
        }
    }

    #[test]
    fn the_words_are_those_of_the_schema() {
        let schema: serde_json::Value = serde_json::from_str(RESPONSE_SCHEMA).expect("JSON");
        assert_eq!(schema["properties"]["status"]["enum"], serde_json::json!(STATUSES));
    }
}
