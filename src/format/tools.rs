//! Tool definitions, alone and in lists.

use crate::json::{Kind, Raw, Scan, Scanner, is_js_truthy};
use crate::recording::Tool;
use hashbrown::HashMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of definitions or names that a cache holds before it starts anew; hostile recordings could
/// invent any number.
const MAX_CACHED: usize = 8 << 20;
/// How much of a definition's text finds it again: enough to hold most tools' names.
const BEGINNING: usize = 48;

/// Reads a tool definition; whatever is odd about it is left out.
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

pub fn read_tool_list(list: Raw<'_>) -> Vec<Arc<Tool>> {
    list.elements()
        .unwrap_or_default()
        .into_iter()
        .filter(|element| element.kind() == Kind::Object)
        .map(|element| Arc::new(read_tool(element)))
        .collect()
}

/// Tools met before: recordings repeat them with every call, so most are recognised and not read.
#[derive(Debug, Default)]
pub struct ToolCache {
    by_beginning: HashMap<u64, Vec<Arc<Tool>>>,
    by_name: HashMap<String, Arc<Tool>>,
    defined: usize,
    named: usize,
}

impl ToolCache {
    /// Reads the definition that stands next in a scanner.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'_>) -> Scan<Arc<Tool>> {
        let beginning = scanner.rest().as_bytes().get(..BEGINNING).map(xxh3_64);
        if let Some(tool) = self.recognise(beginning, scanner.rest()) {
            scanner.pass_known(tool.definition.as_deref().map_or(0, str::len));
            return Ok(tool);
        }
        let tool = Arc::new(read_tool(scanner.value()?));
        if let Some(beginning) = beginning {
            if self.defined >= MAX_CACHED {
                self.by_beginning.clear();
                self.defined = 0;
            }
            self.by_beginning.entry(beginning).or_default().push(Arc::clone(&tool));
            self.defined += tool.bytes();
        }
        Ok(tool)
    }

    /// A tool of which only the name is known.
    pub fn named(&mut self, name: &str) -> Arc<Tool> {
        if let Some(tool) = self.by_name.get(name) {
            return Arc::clone(tool);
        }
        if self.named >= MAX_CACHED {
            self.by_name.clear();
            self.named = 0;
        }
        let tool = Arc::new(Tool::named(name));
        self.named += tool.bytes();
        self.by_name.insert(name.to_owned(), Arc::clone(&tool));
        tool
    }

    /// A definition is a whole JSON object, so a text that begins with it goes on after it.
    fn recognise(&self, beginning: Option<u64>, rest: &str) -> Option<Arc<Tool>> {
        let candidates = self.by_beginning.get(&beginning?)?;
        candidates
            .iter()
            .find(|tool| tool.definition.as_deref().is_some_and(|text| rest.starts_with(text)))
            .map(Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_recognised_and_nothing_that_merely_begins_like_it() {
        let one = r#"{"name":"get","description":"A tool with a description that is long enough"}"#;
        let other = r#"{"name":"get","description":"A tool with a description that is long enough, and more"}"#;
        let mut tools = ToolCache::default();
        let mut read = |text: &str| {
            let text = format!("{text},7");
            let mut scanner = Scanner::new(&text, 8);
            let tool = tools.read(&mut scanner).expect("well-formed");
            assert_eq!(scanner.rest(), ",7");
            tool
        };
        let first = read(one);
        assert!(Arc::ptr_eq(&first, &read(one)));
        let longer = read(other);
        assert_eq!(longer.definition.as_deref(), Some(other));
        assert!(Arc::ptr_eq(&longer, &read(other)));
    }
}
