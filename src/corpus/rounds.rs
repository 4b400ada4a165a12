//! Calls that a first reply does not settle: what the rest is found by, and how long each side took.

use crate::json::{Raw, RawStr, write_canonical};
use crate::recording::Moment;
use xxhash_rust::xxh3::xxh3_128;

/// Whether a request goes on with a call.
pub(super) fn goes_on(params: Raw<'_>) -> bool {
    let has = |name| params.text().contains(name) && params.member(name).is_some();
    has("requestState") || has("inputResponses")
}

pub(super) fn tool_name(params: Raw<'_>) -> String {
    let name = params.member("name").and_then(Raw::as_str);
    name.map(|name| name.decode().into_owned()).unwrap_or_default()
}

/// What a call of this tool with these arguments is found by. No id is, since JSON does not begin like this.
pub(super) fn key_of_call(tool: &str, arguments: Option<Raw<'_>>) -> String {
    let mut text = format!("{tool}\0");
    if let Some(arguments) = arguments {
        write_canonical(arguments, &mut text);
    }
    key("call", &text)
}

/// What a call is found by to which the server gave this state.
pub(super) fn key_of_state(state: RawStr<'_>) -> String {
    key("state", &state.decode())
}

/// What a call is found by that goes on as this task.
pub(super) fn key_of_task(task: Raw<'_>) -> Option<String> {
    let id = task.member("taskId").and_then(Raw::as_str)?;
    Some(key("task", &id.decode()))
}

fn key(what: &str, text: &str) -> String {
    format!("\0{what} {:032x}", xxh3_128(text.as_bytes()))
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

    /// The server wants to know more.
    pub(super) fn pause(&mut self, at: Option<&str>) {
        self.paused = at.and_then(Moment::parse);
        self.took = at.and_then(|at| Some(self.took? + self.until(at)?));
        self.waited.get_or_insert(0);
    }

    /// The client brings it.
    pub(super) fn resume(&mut self, at: Option<&str>) {
        self.asked = at.and_then(Moment::parse);
        let since = self.paused.zip(self.asked).map(|(paused, asked)| asked.0 - paused.0);
        self.waited = self.waited.zip(since).map(|(before, since)| before + since);
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
