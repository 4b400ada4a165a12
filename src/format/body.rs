//! Requests and responses as they were sent: by themselves, as JSON inside a text, or as the body of
//! an HTTP message in one of the ways in which recorders write those down.

use crate::json::{Kind, Raw, scan_document};
use crate::recording::JsonText;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

/// What a recorded message holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body<'a> {
    /// There is no message.
    Absent,
    /// An HTTP message without a body.
    Empty,
    /// The document that was sent, or the text that is no JSON.
    Document(JsonText<'a>),
}

impl<'a> Body<'a> {
    pub(super) fn document(self) -> Option<JsonText<'a>> {
        match self {
            Self::Document(document) => Some(document),
            Self::Absent | Self::Empty => None,
        }
    }
}

/// Members that only the HTTP messages of recordings have.
const OF_REQUESTS: [&str; 3] = ["body", "postData", "headers"];
const OF_RESPONSES: [&str; 3] = ["body", "headers", "statusText"];

/// Takes a document out of what it was sent in.
pub(super) fn read_body(side: Side, message: Option<Raw<'_>>, max_depth: usize) -> Body<'_> {
    let Some(message) = message.filter(|message| message.kind() != Kind::Null) else {
        return Body::Absent;
    };
    let members = message.members().unwrap_or_default();
    let member = |name: &str| members.iter().rev().find(|(key, _)| key.is(name)).map(|it| it.1);
    if !is_http(side, &member) {
        return Body::Document(document(message, max_depth));
    }
    let inner = |name: &str| {
        let value = member(name)?;
        if value.kind() == Kind::Object { value.member("text") } else { Some(value) }
    };
    let body = match side {
        Side::Request => member("body").or_else(|| inner("postData")),
        Side::Response => member("body").or_else(|| inner("content")),
    };
    let is_blank = |body: &Raw<'_>| {
        body.kind() == Kind::Null || body.as_str().is_some_and(|it| it.decode().trim().is_empty())
    };
    match body.or_else(|| member("data")).filter(|body| !is_blank(body)) {
        Some(body) => Body::Document(document(body, max_depth)),
        None => Body::Empty,
    }
}

/// The URL or path that a request was sent to, where it was written down as an HTTP message.
pub(super) fn target(request: Raw<'_>) -> Option<Raw<'_>> {
    let members = request.members().unwrap_or_default();
    let member = |name: &str| members.iter().rev().find(|(key, _)| key.is(name)).map(|it| it.1);
    if !is_http(Side::Request, &member) {
        return None;
    }
    member("url").or_else(|| member("path"))
}

fn is_http<'a>(side: Side, member: &impl Fn(&str) -> Option<Raw<'a>>) -> bool {
    let has = |name: &&'static str| member(name).is_some();
    let is = |kind, name: &str| member(name).is_some_and(|value| value.kind() == kind);
    match side {
        // What a client asks for may be called `query`, and so may what stands in a URL.
        Side::Request => {
            !is(Kind::String, "query")
                && (OF_REQUESTS.iter().any(has) || (has(&"method") && has(&"url")))
        }
        // A response's own `status` is a word, and `content` may be what it says.
        Side::Response => {
            !is(Kind::String, "status")
                && (OF_RESPONSES.iter().any(has) || (is(Kind::Number, "status") && has(&"content")))
        }
    }
}

/// The value, or the JSON that its text holds. A text that holds none is taken as it stands.
pub(super) fn document(value: Raw<'_>, max_depth: usize) -> JsonText<'_> {
    let Some(text) = value.as_str() else { return value.into() };
    let text = text.decode();
    scan_document(&text, max_depth).map_or(value.into(), |json| JsonText::from(json).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn bodies_are_found_in_every_way_of_writing_them() {
        let body = |line: &str| {
            let (side, message) = line.split_once(' ').expect("a side and its message");
            let side = if side == "request" { Side::Request } else { Side::Response };
            let message = scan_document(message, 64).expect("well-formed");
            match read_body(side, Some(message), 64) {
                Body::Document(found) => found.raw().text().to_owned(),
                other => format!("{other:?}"),
            }
        };
        cases::check("tests/cases/bodies.txt", |case| {
            case.text.lines().map(body).collect::<Vec<_>>().join("\n")
        });
        assert_eq!(read_body(Side::Request, None, 64), Body::Absent);
    }
}
