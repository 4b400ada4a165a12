//! Notices that a server lists other tools than before, within a bound.

use crate::recording::{SessionNews, Tool};
use hashbrown::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of lists that a recording keeps; beyond, the oldest is forgotten, and what that server lists
/// next is taken for its first list.
const MAX_HELD: usize = 16 << 20;

/// The last list of each server of a recording.
#[derive(Debug, Default)]
pub(super) struct Relisted {
    lists: HashMap<Lister, Vec<Arc<Tool>>>,
    order: VecDeque<Lister>,
    held: usize,
}

/// Who lists: a server by its name, or else the unnamed one of a session.
type Lister = (Option<String>, String);

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
        let before = self.forget(&lister);
        self.keep(lister, tools.clone());
        before
            .filter(|before| *before != tools)
            .map(|before| SessionNews::Relisted { before, after: tools })
    }

    fn keep(&mut self, lister: Lister, tools: Vec<Arc<Tool>>) {
        let bytes = bytes(&lister, &tools);
        while self.held + bytes > MAX_HELD {
            let Some(oldest) = self.order.front().cloned() else { return };
            self.forget(&oldest);
        }
        self.held += bytes;
        self.order.push_back(lister.clone());
        self.lists.insert(lister, tools);
    }

    fn forget(&mut self, lister: &Lister) -> Option<Vec<Arc<Tool>>> {
        let tools = self.lists.remove(lister)?;
        self.order.retain(|other| other != lister);
        self.held -= bytes(lister, &tools);
        Some(tools)
    }
}

fn bytes(lister: &Lister, tools: &[Arc<Tool>]) -> usize {
    /// What a list takes besides its texts.
    const LIST: usize = 128;
    let (server, session) = lister;
    let names = server.as_ref().map_or(0, String::len) + session.len();
    LIST + 2 * names + tools.iter().map(|tool| tool.bytes()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tools: &[(&str, usize)]) -> Vec<Arc<Tool>> {
        let tool = |(name, bytes): &(&str, usize)| {
            Arc::new(Tool { definition: Some("x".repeat(*bytes)), ..Tool::named(*name) })
        };
        tools.iter().map(tool).collect()
    }

    #[test]
    fn a_list_is_compared_with_the_one_before_it_of_the_same_server() {
        let mut relisted = Relisted::default();
        let one = list(&[("get", 1), ("put", 2)]);
        let turned = list(&[("put", 2), ("get", 1)]);
        let other = list(&[("get", 3)]);
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
        assert!(relisted.compare((None, "evening"), list(&[])).is_none(), "an unnamed server");
        assert!(relisted.compare((None, "morning"), list(&[])).is_some());
    }

    #[test]
    fn any_number_of_lists_keeps_within_the_bound() {
        let mut relisted = Relisted::default();
        for server in 0..100 {
            let name = server.to_string();
            relisted.compare((Some(&name), ""), list(&[("get", MAX_HELD / 10)]));
            assert!(relisted.held <= MAX_HELD && relisted.lists.len() == relisted.order.len());
        }
        assert!(relisted.compare((Some("0"), ""), list(&[])).is_none(), "forgotten");
        assert!(relisted.compare((Some("99"), ""), list(&[])).is_some());
        assert!(relisted.compare((Some("large"), ""), list(&[("get", 2 * MAX_HELD)])).is_none());
        assert_eq!(relisted.held, 0);
    }
}
