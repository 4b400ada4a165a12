//! Calls that a first reply does not settle: what the rest is found by, and how long each side took.

use crate::json::{Raw, RawStr, scan_document, write_canonical};
use crate::recording::Moment;
use std::borrow::Cow;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_128;

/// Whether a request goes on with a call.
pub fn goes_on(params: Raw<'_>) -> bool {
    let has = |name| params.text().contains(name) && params.member(name).is_some();
    has("requestState") || has("inputResponses")
}

pub(super) fn tool_name(params: Raw<'_>) -> String {
    let name = params.member("name").and_then(Raw::as_str);
    name.map(|name| name.decode().into_owned()).unwrap_or_default()
}

/// What a call is found by to which the server gave this state, or none: the surest first. No id is, since JSON
/// does not begin like this.
pub(super) fn keys_of_call(
    state: Option<RawStr<'_>>,
    tool: &str,
    arguments: Option<Raw<'_>>,
) -> Vec<String> {
    let mut call = format!("{tool}\0");
    if let Some(arguments) = arguments {
        write_sorted(arguments, &mut call);
    }
    let mut keys = match state.map(RawStr::decode) {
        Some(state) => {
            vec![key("state and call", &format!("{state}\0{call}")), key("state", &state)]
        }
        None => vec![key("call without state", &call)],
    };
    keys.push(key("call", &call));
    keys
}

/// A value with the members of its objects in the order of their names.
fn write_sorted(value: Raw<'_>, out: &mut String) {
    if let Some(mut members) = value.members() {
        members.sort_by_cached_key(|(name, _)| name.decode());
        out.push('{');
        for (name, value) in members {
            let _ = write!(out, "{:?}:", name.decode());
            write_sorted(value, out);
        }
    } else if let Some(elements) = value.elements() {
        out.push('[');
        for element in elements {
            write_sorted(element, out);
        }
    } else {
        write_canonical(value, out);
    }
    out.push(',');
}

/// What a call is found by that goes on as this task.
pub(super) fn key_of_task(task: Raw<'_>) -> Option<String> {
    let id = task.member("taskId").and_then(Raw::as_str)?;
    Some(key("task", &id.decode()))
}

fn key(what: &str, text: &str) -> String {
    format!("\0{what} {:032x}", xxh3_128(text.as_bytes()))
}

/// Whether an id cannot be that of a request before the one with `own`. Clients count upwards; the order of other ids
/// is not known.
pub(super) fn is_no_earlier(id: &str, own: Option<&str>) -> bool {
    let number = |id: &str| id.parse::<u64>().ok();
    match (own.and_then(number), number(id)) {
        (Some(own), Some(id)) => own < id,
        (own, id) => own.is_some() || id.is_some(),
    }
}

/// An id in the one form by which request and answer find each other: the two sides may escape the
/// same text differently, but neither takes `1` for `"1"`.
pub(super) fn same_id(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let raw = scan_document(text, usize::MAX).ok();
    match raw.and_then(Raw::as_str) {
        Some(string) => Cow::Owned(format!("\"{}\"", string.decode())),
        None => Cow::Borrowed(text),
    }
}

/// Times of a call, in milliseconds; none where a message has no time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// When the client asked last.
    asked: Option<Moment>,
    /// When the server wanted to know more, since then.
    paused: Option<Moment>,
    /// How long earlier replies took.
    took: Option<i64>,
    /// How long the server waited for what it wanted to know.
    waited: Option<i64>,
}

impl Clock {
    pub(super) fn start(at: Option<&str>) -> Self {
        Self { asked: at.and_then(Moment::parse), paused: None, took: Some(0), waited: None }
    }

    /// The server wants to know more, and may say so several times.
    pub(super) fn pause(&mut self, at: Option<&str>) {
        if self.paused.is_none() {
            self.paused = at.and_then(Moment::parse);
            self.took = at.and_then(|at| Some(self.took? + self.until(at)?));
        }
    }

    /// The client brings it.
    pub(super) fn resume(&mut self, at: Option<&str>) {
        self.asked = at.and_then(Moment::parse);
        if let Some((paused, asked)) = self.paused.take().zip(self.asked) {
            self.waited = Some(self.waited.unwrap_or(0) + asked.0 - paused.0);
        }
    }

    /// How long all replies took, where the last one came at this time.
    pub(super) fn took_by(&self, at: &str) -> Option<f64> {
        Some((self.took? + self.until(at)?) as f64)
    }

    pub(super) fn waited(&self) -> Option<f64> {
        self.waited.map(|time| time as f64)
    }

    /// How long after the client's last request this was.
    pub(super) fn until(&self, at: &str) -> Option<i64> {
        Some(Moment::parse(at)?.0 - self.asked?.0)
    }
}
