//! The tools that a recording lists, within a bound: hostile recordings could list any number.

use crate::recording::Tool;
use hashbrown::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of listed tools that a recording keeps; beyond, the server whose list began first loses it.
const MAX_LISTED: usize = 64 << 20;

/// Tools listed in a recording, by server (empty: any) and name.
#[derive(Debug, Default)]
pub(super) struct Listed {
    by_server: HashMap<String, HashMap<String, Arc<Tool>>>,
    /// The servers in the order in which their lists began.
    order: VecDeque<String>,
    held: usize,
}

impl Listed {
    /// Takes in a list; tools listed before keep standing unless they are listed again.
    pub(super) fn add(&mut self, server: &str, tools: Vec<Arc<Tool>>) {
        self.add_within(MAX_LISTED, server, tools);
    }

    fn add_within(&mut self, bound: usize, server: &str, tools: Vec<Arc<Tool>>) {
        for tool in tools {
            self.forget(server, &tool.name);
            let begun = if self.by_server.contains_key(server) { 0 } else { server.len() };
            let more = begun + tool.bytes();
            while self.held + more > bound && self.forget_oldest_but(server) {}
            // What exceeds the bound all alone is judged as if it were not listed.
            if self.held + more <= bound {
                self.held += more;
                self.keep(server, tool);
            }
        }
    }

    pub(super) fn get(&self, server: &str, name: &str) -> Option<&Arc<Tool>> {
        let listed = |server: &str| self.by_server.get(server)?.get(name);
        listed(server).or_else(|| listed(""))
    }

    fn keep(&mut self, server: &str, tool: Arc<Tool>) {
        if !self.by_server.contains_key(server) {
            self.order.push_back(server.to_owned());
        }
        let list = self.by_server.entry_ref(server).or_default();
        list.insert(tool.name.clone(), tool);
    }

    fn forget(&mut self, server: &str, name: &str) {
        let list = self.by_server.get_mut(server);
        if let Some(tool) = list.and_then(|list| list.remove(name)) {
            self.held -= tool.bytes();
        }
    }

    /// Forgets the list that began first among the others; `false` where there is no other.
    fn forget_oldest_but(&mut self, server: &str) -> bool {
        let Some(at) = self.order.iter().position(|other| other != server) else { return false };
        let Some(oldest) = self.order.remove(at) else { return false };
        let list = self.by_server.remove(&oldest).unwrap_or_default();
        self.held -= oldest.len() + list.values().map(|tool| tool.bytes()).sum::<usize>();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, bytes: usize) -> Arc<Tool> {
        Arc::new(Tool { definition: Some("x".repeat(bytes)), ..Tool::named(name) })
    }

    #[test]
    fn a_server_comes_before_all_and_a_tool_listed_again_is_the_new_one() {
        let mut listed = Listed::default();
        listed.add("", vec![tool("get", 1), tool("put", 2)]);
        listed.add("shop", vec![tool("get", 3)]);
        listed.add("shop", vec![tool("get", 4)]);
        let found = |server, name| {
            let tool: Option<&Arc<Tool>> = listed.get(server, name);
            tool.and_then(|tool| tool.definition.as_ref()).map(String::len)
        };
        assert_eq!(found("shop", "get"), Some(4));
        assert_eq!(found("shop", "put"), Some(2));
        assert_eq!(found("bank", "get"), Some(1));
        assert_eq!(found("bank", "pay"), None);
    }

    #[test]
    fn beyond_the_bound_the_list_that_began_first_is_forgotten() {
        let mut listed = Listed::default();
        for server in ["a", "b", "c"] {
            listed.add_within(5_000, server, vec![tool("get", 1_000)]);
        }
        listed.add_within(5_000, "a", vec![tool("put", 1_000)]);
        assert_eq!(listed.order, ["a", "c"], "the server that lists is spared");
        assert!(listed.get("a", "get").is_some() && listed.get("b", "get").is_none());
        listed.add_within(5_000, "d", vec![tool("get", 4_000), tool("put", 9_000)]);
        assert_eq!(listed.order, ["d"]);
        assert!(listed.get("d", "get").is_some() && listed.get("d", "put").is_none());
        let held: usize =
            listed.by_server.values().flat_map(HashMap::values).map(|t| t.bytes()).sum();
        assert_eq!(listed.held, held + "d".len());
    }

    #[test]
    fn any_number_of_lists_keeps_within_the_bound() {
        let mut listed = Listed::default();
        for number in 0..2_000 {
            listed.add_within(10_000, &format!("s{number}"), vec![tool("get", 500)]);
            assert!(listed.held <= 10_000);
        }
        assert!(listed.get("s1999", "get").is_some() && listed.get("s0", "get").is_none());
    }
}
