//! The tasks that an exchange is about.

use super::payload::{id_of, payload};
use crate::json::Raw;
use crate::recording::{Exchange, Task};
use crate::verdict::{Issue, Side};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// How much of a recorded id, name or status is kept.
const MAX_TEXT: usize = 256;

/// What does not mention this names no task.
static WORD: LazyLock<[Finder<'static>; 1]> = LazyLock::new(|| [Finder::new("task")]);

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// The id of the one that the call or its reply is about: `task_id`, `taskId` or `task.id`.
    pub about: Option<String>,
    /// All that the call or its reply names, once or more, the last with what is known last.
    pub named: Vec<Task>,
    /// The ids of those that issues are located in, by the issue's place.
    pub located: Vec<(usize, String)>,
}

impl Tasks {
    /// The id of the task that an issue is about: the one it is located in, else that of the call.
    pub fn of_issue(&self, place: usize) -> Option<&str> {
        let located = self.located.iter().find(|(of, _)| *of == place).map(|(_, id)| id);
        located.or(self.about.as_ref()).map(String::as_str)
    }
}

/// The tasks that a call, its reply and the places of its issues name: by an id, as the object `task`, or in the list
/// `tasks`.
pub fn tasks_of(exchange: &Exchange<'_>, issues: &[Issue]) -> Tasks {
    let mut tasks = Tasks::default();
    let input = exchange.input.as_ref().map(|input| input.raw());
    if let Some(input) = input.filter(|input| WORD[0].find(input.text().as_bytes()).is_some()) {
        tasks.about = named(input);
    }
    let payload = payload(exchange);
    let look = |value: Raw<'_>| {
        let located = |(at, issue)| Some((at, located(value, issue)?));
        // No more issues of a session are listed.
        (listed(value), issues.iter().enumerate().filter_map(located).take(Task::MOST).collect())
    };
    let reply = if payload.mentions(&*WORD) { payload.with_value(look) } else { None };
    let ((about, listed), located) = reply.unwrap_or_default();
    tasks.located = located;
    tasks.about = tasks.about.or(about);
    let about = tasks.about.iter().map(|id| Task { id: id.clone(), ..Task::default() });
    tasks.named = about.chain(listed).collect();
    tasks
}

/// The task that a value is about, and the task objects in it.
fn listed(value: Raw<'_>) -> (Option<String>, Vec<Task>) {
    let of_list = value.member("tasks").and_then(Raw::elements).unwrap_or_default();
    let objects = value.member("task").into_iter().chain(of_list);
    (named(value), objects.filter_map(task).take(Task::MOST).collect())
}

/// The task of a reply that an issue is located in, or that what stands there names.
fn located(reply: Raw<'_>, issue: &Issue) -> Option<String> {
    let location = issue.location.as_deref().filter(|_| issue.side != Side::Caller)?;
    let (mut value, mut parent, mut found) = (reply, "", None);
    for name in location.strip_prefix('/')?.split('/') {
        value = match name.parse() {
            Ok(at) => value.elements().and_then(|list| list.get::<usize>(at).copied())?,
            Err(_) => value.member(name)?,
        };
        if parent == "tasks" || name == "task" {
            found = value.member("id").and_then(id).or(found);
        }
        parent = name;
    }
    found.or_else(|| named(value).filter(|_| !parent.is_empty()))
}

fn task(object: Raw<'_>) -> Option<Task> {
    let text = |name| object.member(name).and_then(id);
    let name = text("name").or_else(|| text("title"));
    Some(Task { id: text("id")?, name, status: text("status") })
}

fn named(value: Raw<'_>) -> Option<String> {
    let direct = ["task_id", "taskId"].into_iter().filter_map(|name| value.member(name));
    let nested = value.member("task").and_then(|task| task.member("id"));
    direct.chain(nested).find_map(id)
}

/// A text that is not empty, or a number as it was written.
fn id(value: Raw<'_>) -> Option<String> {
    let text = id_of(value)?;
    (!text.is_empty()).then(|| text[..text.floor_char_boundary(MAX_TEXT)].to_owned())
}
