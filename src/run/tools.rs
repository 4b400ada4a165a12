//! The tools that a corpus knows: those its exchanges bring, and those that are merely listed.

use super::drive::{DriveError, each_block, on_deep_stack};
use crate::corpus::{Bounds, CorpusReader, UNKNOWN_SERVER};
use crate::recording::Tool;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Distinct definitions, and distinct names without one, that are kept.
const MAX_TOOLS: usize = 10_000;
/// Bytes of definitions that are kept.
const MAX_BYTES: usize = 64 << 20;

#[derive(Clone, Debug)]
pub struct KnownTool {
    /// The server; `unknown` where no recording says so.
    pub server: String,
    pub tool: Arc<Tool>,
}

#[derive(Debug, Default)]
pub struct KnownTools {
    /// Each distinct definition once, by server and name, then in the order in which they were met.
    pub tools: Vec<KnownTool>,
    /// The tools that are called but defined nowhere, by server and name.
    pub undefined: Vec<(String, String)>,
    /// Whether there were more than could be kept.
    pub is_cut: bool,
    /// Lines and files that could not be read.
    pub unreadable: u64,
}

pub fn known_tools(reader: CorpusReader, bounds: &Bounds) -> Result<KnownTools, DriveError> {
    on_deep_stack(|| gather(reader, bounds).finish())
}

fn gather(reader: CorpusReader, bounds: &Bounds) -> Gathering {
    let mut found = Gathering::default();
    each_block(reader, bounds, |block, assembled| {
        found.unreadable += (block.unreadable.len() + assembled.unreadable.len()) as u64;
        block.tools.iter().for_each(|tool| found.add(None, tool));
        for listed in &assembled.listed {
            listed.tools.iter().for_each(|tool| found.add(listed.server.as_deref(), tool));
        }
        for exchange in &assembled.exchanges {
            found.add(Some(&exchange.server), &exchange.tool);
        }
        ControlFlow::<()>::Continue(())
    });
    found
}

#[derive(Default)]
struct Gathering {
    seen: HashSet<u128>,
    tools: Vec<KnownTool>,
    undefined: Vec<(String, String)>,
    bytes: usize,
    is_cut: bool,
    unreadable: u64,
}

impl Gathering {
    fn add(&mut self, server: Option<&str>, tool: &Arc<Tool>) {
        let server = server.unwrap_or(UNKNOWN_SERVER);
        if tool.definition.is_none() && tool.name.is_empty() {
            return;
        }
        let digest = digest(&[server, &tool.name, tool.definition.as_deref().unwrap_or_default()]);
        if self.seen.contains(&digest) {
            return;
        }
        let is_full = self.seen.len() >= 2 * MAX_TOOLS
            || self.tools.len() >= MAX_TOOLS
            || self.bytes + tool.bytes() > MAX_BYTES;
        if is_full {
            self.is_cut = true;
            return;
        }
        self.seen.insert(digest);
        self.bytes += tool.bytes() + server.len();
        if tool.definition.is_some() {
            self.tools.push(KnownTool { server: server.to_owned(), tool: Arc::clone(tool) });
        } else {
            self.undefined.push((server.to_owned(), tool.name.clone()));
        }
    }

    fn finish(self) -> KnownTools {
        let Self { mut tools, mut undefined, is_cut, unreadable, .. } = self;
        // A list that names no server speaks of the servers whose exchanges use its definitions.
        let of_some_server: HashSet<u128> = tools
            .iter()
            .filter(|known| known.server != UNKNOWN_SERVER)
            .map(|known| definition_digest(&known.tool))
            .collect();
        tools.retain(|known| {
            known.server != UNKNOWN_SERVER
                || !of_some_server.contains(&definition_digest(&known.tool))
        });
        // The sort is stable: definitions of one tool keep the order in which they were met.
        tools.sort_by(|a, b| (&a.server, &a.tool.name).cmp(&(&b.server, &b.tool.name)));
        let defined: HashSet<(&str, &str)> =
            tools.iter().map(|known| (known.server.as_str(), known.tool.name.as_str())).collect();
        undefined.retain(|(server, name)| !defined.contains(&(server.as_str(), name.as_str())));
        undefined.sort_unstable();
        KnownTools { tools, undefined, is_cut, unreadable }
    }
}

fn definition_digest(tool: &Tool) -> u128 {
    digest(&[&tool.name, tool.definition.as_deref().unwrap_or_default()])
}

/// A digest that tells lists of texts apart wherever they are cut.
fn digest(texts: &[&str]) -> u128 {
    let mut hasher = Xxh3::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(name: &str, about: &str) -> Arc<Tool> {
        let definition = format!("{{\"name\":\"{name}\",\"description\":\"{about}\"}}");
        Arc::new(Tool { definition: Some(definition), ..Tool::named(name) })
    }

    fn names(found: &KnownTools) -> Vec<(&str, &str)> {
        found.tools.iter().map(|known| (&*known.server, &*known.tool.name)).collect()
    }

    #[test]
    fn each_definition_is_kept_once_and_under_the_server_that_has_it() {
        let mut found = Gathering::default();
        let (get, other_get, put) = (defined("get", "a"), defined("get", "b"), defined("put", "c"));
        found.add(None, &get);
        found.add(None, &put);
        for _ in 0..3 {
            found.add(Some("weather"), &other_get);
            found.add(Some("weather"), &get);
        }
        found.add(Some("weather"), &Arc::new(Tool::named("get")));
        found.add(Some("weather"), &Arc::new(Tool::named("lost")));
        found.add(Some("weather"), &Arc::new(Tool::named("")));
        let found = found.finish();
        assert_eq!(names(&found), [("unknown", "put"), ("weather", "get"), ("weather", "get")]);
        assert!(found.tools[1].tool.definition.as_ref().is_some_and(|text| text.contains("\"b\"")));
        assert_eq!(found.undefined, [("weather".to_owned(), "lost".to_owned())]);
        assert!(!found.is_cut);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut found = Gathering::default();
        for at in 0..MAX_TOOLS + 5 {
            found.add(None, &defined(&format!("tool-{at}"), "x"));
        }
        let found = found.finish();
        assert_eq!(found.tools.len(), MAX_TOOLS);
        assert!(found.is_cut);

        let mut found = Gathering::default();
        let large = "x".repeat(MAX_BYTES / 3);
        for at in 0..4 {
            found.add(None, &defined(&format!("tool-{at}"), &large));
        }
        assert!(found.tools.len() < 4 && found.is_cut);
    }
}
