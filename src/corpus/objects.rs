//! What replies of a recording showed of objects that later calls of the same session change.

use crate::json::Raw;
use crate::recording::{Exchange, JsonText};
use hashbrown::HashMap;
use std::fmt::Debug;

/// Bytes of objects that are kept for a recording; beyond, they are forgotten and gathered anew.
const MAX_KEPT: usize = 16 << 20;

/// Completes calls by what is known from earlier ones.
pub trait Recall: Debug + Send + Sync {
    /// Sees each call of a recording, in order.
    fn recall(&self, objects: &mut Objects, exchange: &mut Exchange<'_>);
}

/// Objects as they were shown last, by server, session and id.
#[derive(Debug, Default)]
pub struct Objects {
    kept: HashMap<(String, String, String), JsonText<'static>>,
    bytes: usize,
}

impl Objects {
    pub fn get(&self, exchange: &Exchange<'_>, id: &str) -> Option<&JsonText<'static>> {
        self.kept.get(&place(exchange, id))
    }

    pub fn keep(&mut self, exchange: &Exchange<'_>, id: &str, object: Raw<'_>) {
        let place = place(exchange, id);
        let names = place.0.len() + place.1.len() + id.len();
        self.bytes += names + object.text().len();
        if let Some(before) = self.kept.insert(place, JsonText::from(object).into_owned()) {
            self.bytes -= names + before.raw().text().len();
        }
        if self.bytes > MAX_KEPT && self.kept.len() > 1 {
            *self = Self::default();
            self.keep(exchange, id, object);
        }
    }
}

fn place(exchange: &Exchange<'_>, id: &str) -> (String, String, String) {
    (exchange.server.to_string(), exchange.session.to_string(), id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Bounds, read_exchange};
    use crate::json::scan_document;

    #[test]
    fn objects_are_forgotten_where_there_is_no_more_room() {
        let line = r#"{"tool":"t","input":{},"response":{}}"#;
        let exchange = read_exchange(line, &Bounds::default()).expect("a call");
        let large = format!("{{\"text\":\"{}\"}}", "x".repeat(MAX_KEPT / 2));
        let large = scan_document(&large, 9).expect("an object");
        let mut objects = Objects::default();
        objects.keep(&exchange, "first", large);
        assert!(objects.get(&exchange, "first").is_some());
        objects.keep(&exchange, "second", large);
        assert!(objects.get(&exchange, "first").is_none());
        assert!(objects.get(&exchange, "second").is_some());
        let small = scan_document("{}", 9).expect("an object");
        objects.keep(&exchange, "first", small);
        (0..3).for_each(|_| objects.keep(&exchange, "second", large));
        assert!(objects.get(&exchange, "first").is_some(), "shown again, it takes no more room");
    }
}
