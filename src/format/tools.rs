//! Tool definitions, alone and in lists.

use crate::json::{Kind, Raw, is_js_truthy};
use crate::tape::Tool;
use std::sync::Arc;

/// Reads a tool definition; whatever is odd about it is left out.
#[must_use]
pub fn read_tool(definition: Raw<'_>) -> Tool {
    let text_of = |name| definition.member(name);
    Tool {
        name: text_of("name")
            .and_then(Raw::as_str)
            .map(|name| name.decode().into_owned())
            .unwrap_or_default(),
        output_schema: text_of("outputSchema")
            .filter(|schema| is_js_truthy(*schema))
            .map(|schema| schema.text().to_owned()),
        definition: Some(definition.text().to_owned()),
    }
}

/// Reads an array of tool definitions.
#[must_use]
pub fn read_tool_list(list: Raw<'_>) -> Vec<Arc<Tool>> {
    list.elements()
        .unwrap_or_default()
        .into_iter()
        .filter(|element| element.kind() == Kind::Object)
        .map(|element| Arc::new(read_tool(element)))
        .collect()
}
