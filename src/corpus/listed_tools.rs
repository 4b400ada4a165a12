//! The tools that a recording lists, within a bound: hostile recordings could list any number.

use super::sidecar::ToolsByName;
use crate::recording::{SessionNews, Tool};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// Bytes of listed tools that a recording keeps; beyond, the server that listed longest ago loses its list.
const MAX_LISTED: usize = 64 << 20;
/// Bytes of lists that a recording keeps to compare them; beyond, what a server lists next is taken for its first list.
const MAX_COMPARED: usize = 16 << 20;
/// What a list takes besides its texts.
const LIST: usize = 128;

/// Tools listed in a recording, by server (empty: any) and name.
#[derive(Debug, Default)]
pub(super) struct Listed(Kept<String, ToolsByName>);

impl Listed {
    /// Takes in a list; tools listed before keep standing unless they are listed again.
    pub(super) fn add(&mut self, server: &str, tools: Vec<Arc<Tool>>) {
        self.add_within(MAX_LISTED, server, tools);
    }

    fn add_within(&mut self, bound: usize, server: &str, tools: Vec<Arc<Tool>>) {
        let begun = || (LIST + server.len(), ToolsByName::new());
        let (mut bytes, mut list) = self.0.take(server).unwrap_or_else(begun);
        for tool in tools {
            bytes -= list.remove(&tool.name).map_or(0, |tool| tool.bytes());
            // What exceeds the bound is judged as if it were not listed.
            if bytes + tool.bytes() <= bound {
                bytes += tool.bytes();
                list.insert(tool.name.clone(), tool);
            }
        }
        if !list.is_empty() {
            self.0.put(server.to_owned(), list, bytes, bound);
        }
    }

    pub(super) fn get(&self, server: &str, name: &str) -> Option<&Arc<Tool>> {
        let listed = |server: &str| self.0.entries.get(server)?.value.get(name);
        listed(server).or_else(|| listed(""))
    }
}

/// The last list of each server of a recording: by its name, or else of the unnamed one of a session.
#[derive(Debug, Default)]
pub(super) struct Relisted(Kept<(Option<String>, String), Vec<Arc<Tool>>>);

impl Relisted {
    /// Takes in a whole list and compares it with the one before it.
    pub(super) fn compare(
        &mut self,
        (server, session): (Option<&str>, &str),
        mut tools: Vec<Arc<Tool>>,
    ) -> Option<SessionNews> {
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        let session = if server.is_some() { "" } else { session };
        let lister = (server.map(str::to_owned), session.to_owned());
        let before = self.0.take(&lister);
        let names = server.map_or(0, str::len) + session.len();
        let bytes = LIST + 2 * names + tools.iter().map(|tool| tool.bytes()).sum::<usize>();
        self.0.put(lister, tools.clone(), bytes, MAX_COMPARED);
        let (_, before) = before.filter(|(_, before)| *before != tools)?;
        Some(SessionNews::Relisted { before, after: tools })
    }
}

/// Values of which the oldest are forgotten where there is no more room.
#[derive(Debug)]
struct Kept<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// The keys by when their values came.
    order: BTreeMap<u64, K>,
    met: u64,
    held: usize,
}

#[derive(Debug)]
struct Entry<V> {
    serial: u64,
    bytes: usize,
    value: V,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), order: BTreeMap::new(), met: 0, held: 0 }
    }
}

impl<K: Clone + Eq + Hash, V> Kept<K, V> {
    fn take<Q: Hash + hashbrown::Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<(usize, V)> {
        let Entry { serial, bytes, value } = self.entries.remove(key)?;
        self.order.remove(&serial);
        self.held -= bytes;
        Some((bytes, value))
    }

    /// Keeps a value of a key that has none, unless it exceeds the bound all alone.
    fn put(&mut self, key: K, value: V, bytes: usize, bound: usize) {
        while self.held + bytes > bound {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            self.take(&oldest);
        }
        self.met += 1;
        self.held += bytes;
        self.order.insert(self.met, key.clone());
        self.entries.insert(key, Entry { serial: self.met, bytes, value });
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
    fn any_number_of_lists_keeps_within_the_bound() {
        let mut listed = Listed::default();
        for number in 0..2_000 {
            let tools = vec![tool("large", 20_000), tool("get", 500)];
            listed.add_within(10_000, &format!("s{number}"), tools);
            listed.add_within(10_000, "s0", vec![tool("put", 500)]);
            assert!(listed.0.held <= 10_000 && listed.0.entries.len() == listed.0.order.len());
        }
        for (server, name, is_kept) in [
            ("s1999", "get", true),
            ("s1999", "large", false),
            ("s1", "get", false),
            ("s0", "put", true),
        ] {
            assert_eq!(listed.get(server, name).is_some(), is_kept, "{server} {name}");
        }
        let held: usize = listed.0.entries.values().map(|list| list.bytes).sum();
        assert_eq!(listed.0.held, held);
    }

    #[test]
    fn a_list_is_compared_with_the_one_before_it_of_the_same_server() {
        let mut relisted = Relisted::default();
        let one = vec![tool("get", 1), tool("put", 2)];
        let turned = vec![tool("put", 2), tool("get", 1)];
        let other = vec![tool("get", 3)];
        let shop = (Some("shop"), "morning");
        assert!(relisted.compare(shop, one).is_none());
        assert!(relisted.compare((Some("bank"), "morning"), other.clone()).is_none());
        assert!(relisted.compare((None, "morning"), other.clone()).is_none());
        assert!(relisted.compare((Some("shop"), "evening"), turned).is_none());
        let Some(SessionNews::Relisted { before, after }) = relisted.compare(shop, other.clone())
        else {
            panic!("the list is another");
        };
        assert_eq!((before.len(), after.len()), (2, 1));
        assert!(relisted.compare((None, "evening"), Vec::new()).is_none(), "an unnamed server");
        assert!(relisted.compare((None, "morning"), Vec::new()).is_some());
        let large = vec![tool("get", 2 * MAX_COMPARED)];
        assert!(relisted.compare((Some("large"), ""), large).is_none());
        assert_eq!(relisted.0.held, 0);
    }
}
