//! What results are to their calls, from `result_types.toml`.

use crate::json::{Raw, RawStr};
use crate::recording::Shape;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static RESULT_TYPES: LazyLock<ResultTypes> = LazyLock::new(|| {
    toml::from_str(include_str!("result_types.toml")).expect("the file of result types is in order")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultTypes {
    known_extensions: Vec<String>,
    types: BTreeMap<String, Meaning>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Meaning {
    Complete,
    InputRequired,
    Task,
}

/// What a result is by its type, or by the handle that one without a type may hold.
pub(super) fn shape_of<'a>(
    result: Raw<'a>,
    result_type: Option<Raw<'a>>,
    handle: Option<Raw<'a>>,
) -> Shape<'a> {
    let is_task = |task: &Raw<'_>| task.member("taskId").and_then(Raw::as_str).is_some();
    let task = |task: Raw<'a>| Some(task).filter(is_task).map_or(Shape::Complete, Shape::Task);
    let Some(named) = result_type else { return handle.map_or(Shape::Complete, task) };
    match named.as_str().and_then(|name| RESULT_TYPES.types.get(&*name.decode())) {
        Some(Meaning::Complete) => Shape::Complete,
        Some(Meaning::InputRequired) => Shape::InputRequired,
        Some(Meaning::Task) => task(handle.unwrap_or(result)),
        None => Shape::Unknown(named),
    }
}

/// Whether a server with these capabilities may send types of results that are not known here.
pub fn brings_unknown_types(capabilities: Raw<'_>) -> bool {
    let extensions = capabilities.member("extensions").and_then(Raw::members);
    let is_known = |name: RawStr<'_>| RESULT_TYPES.known_extensions.iter().any(|it| name.is(it));
    extensions.into_iter().flatten().any(|(name, _)| !is_known(name))
}
