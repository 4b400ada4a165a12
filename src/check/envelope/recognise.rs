//! Which recorded values are meant to be envelopes, whether or not they are in order.

use crate::check::session_report::{Members, last};
use crate::json::{Kind, Raw};

const STATUSES: [&str; 3] = ["success", "error", "pending"];

/// Members that logs and events have and envelopes do not: a line with one of them merely uses the same words.
const OF_LOGS: [&str; 9] =
    ["ts", "time", "timestamp", "level", "severity", "logger", "msg", "ms", "type"];

/// Whether a value is meant to be a request: an object whose `query` is a text, stands beside a
/// `context`, or is all there is and no object.
#[must_use]
pub fn is_request(value: Raw<'_>) -> bool {
    let Some(members) = members(value, &["query"]) else { return false };
    last(&members, "query").is_some_and(|query| {
        query.kind() == Kind::String
            || last(&members, "context").is_some()
            || (members.len() == 1 && query.kind() != Kind::Object)
    })
}

/// Whether a value is meant to be a response: an object with one of the three words as its `status`,
/// with any word as its `status` beside `data`, or with a `conversation_context`.
#[must_use]
pub fn is_response(value: Raw<'_>) -> bool {
    let Some(members) = members(value, &["status", "conversation_context"]) else { return false };
    let word = last(&members, "status").and_then(Raw::as_str);
    word.is_some_and(|word| STATUSES.iter().any(|known| word.is(known)))
        || (word.is_some() && last(&members, "data").is_some())
        || last(&members, "conversation_context").is_some()
}

/// The members of an object that has one of these and is no log. Most values are neither requests nor responses, which
/// their text betrays: they need not be taken apart.
fn members<'a>(value: Raw<'a>, names: &[&str]) -> Option<Members<'a>> {
    let text = value.text().as_bytes();
    let is_spelled_out = |name: &&str| memchr::memmem::find(text, name.as_bytes()).is_some();
    // A name may be written with escapes.
    let may_be = names.iter().any(is_spelled_out) || memchr::memchr(b'\\', text).is_some();
    let members = if may_be { value.members()? } else { return None };
    (!OF_LOGS.iter().any(|name| last(&members, name).is_some())).then_some(members)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_words_are_those_of_the_schema() {
        let schema = super::super::Direction::Response.schema();
        let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
        assert_eq!(schema["properties"]["status"]["enum"], serde_json::json!(super::STATUSES));
    }
}
