//! The made-up servers and their tools.

use crate::json::{Style, Writer};
use crate::prose;
use crate::random::Random;
use crate::shape::{Maker, Record};
use std::collections::HashSet;

const SERVERS: [&str; 28] = [
    "archive",
    "atlas",
    "billing-desk",
    "bookings",
    "browser",
    "calendar",
    "chat",
    "cluster",
    "contacts",
    "crm",
    "docs",
    "drive",
    "filesystem",
    "forecast",
    "git-host",
    "graph",
    "inventory",
    "ledger",
    "mailbox",
    "math",
    "music",
    "notes",
    "postgres",
    "search",
    "sheets",
    "tickets",
    "translate",
    "wiki",
];
const NOUNS: [&str; 36] = [
    "user", "file", "folder", "issue", "comment", "branch", "commit", "page", "table", "row",
    "event", "invite", "message", "channel", "contact", "deal", "invoice", "order", "product",
    "stock", "account", "entry", "node", "relation", "pod", "service", "city", "route", "track",
    "playlist", "note", "tag", "sheet", "cell", "term", "matrix",
];
const VERBS: [&str; 24] = [
    "create",
    "update",
    "delete",
    "get",
    "list",
    "search",
    "find",
    "read",
    "write",
    "move",
    "copy",
    "archive",
    "add",
    "remove",
    "analyze",
    "extract",
    "render",
    "convert",
    "compute",
    "summarize",
    "compare",
    "watch",
    "validate",
    "count",
];
const TOOLS_EACH: usize = 27;
/// How many tools declare an output schema; no two of them the same one.
pub const SCHEMAS: usize = 300;

/// All servers and tools of a corpus.
#[derive(Debug)]
pub struct Catalog {
    /// The servers.
    pub servers: Vec<Server>,
}

/// One server.
#[derive(Debug)]
pub struct Server {
    /// Its name.
    pub name: &'static str,
    /// How its lines are spelled.
    pub style: Style,
    /// Its tools.
    pub tools: Vec<Tool>,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What its arguments look like.
    pub input: Record,
    /// What its structured output looks like, if it says so.
    pub output: Option<Output>,
    /// The definition's JSON text.
    pub definition: String,
}

/// A declared output.
#[derive(Clone, Debug)]
pub struct Output {
    /// The shape.
    pub record: Record,
    /// Whose habits the schema shows.
    pub maker: Maker,
    /// The schema's JSON text.
    pub schema: String,
}

impl Catalog {
    /// The catalog that belongs to a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, 1, 0);
        let all = SERVERS.len() * TOOLS_EACH;
        let mut schemas = HashSet::new();
        let mut number = 0;
        let servers = SERVERS.iter().enumerate().map(|(place, name)| {
            let style = if place % 6 == 5 { Style::Spaced } else { Style::Compact };
            let maker = if place % 2 == 0 { Maker::Pydantic } else { Maker::Zod };
            let tools = names(place).map(|tool| {
                number += 1;
                // Spreads the schemas evenly over the tools.
                let declares = number * SCHEMAS / all > (number - 1) * SCHEMAS / all;
                let output = declares.then(|| {
                    loop {
                        let output = Output::invent(&mut random, &tool, (maker, style));
                        if schemas.insert(output.schema.clone()) {
                            break output;
                        }
                    }
                });
                Tool::new(&mut random, tool, output, style)
            });
            Server { name, style, tools: tools.collect() }
        });
        Self { servers: servers.collect() }
    }
}

impl Output {
    fn invent(random: &mut Random, tool: &str, (maker, style): (Maker, Style)) -> Self {
        let size = random.between(2, 4);
        let record = Record::invent(random, format!("{tool}Output"), size, 1);
        let mut out = Writer::new(style);
        record.document(maker, &mut out);
        Self { record, maker, schema: out.text }
    }
}

impl Tool {
    fn new(random: &mut Random, name: String, output: Option<Output>, style: Style) -> Self {
        let size = random.between(1, 2);
        let input = Record::invent(random, format!("{name}Arguments"), size, 0);
        let mut out = Writer::new(style);
        out.object(|out| {
            out.key("name").string(&name);
            let length = random.between(10, 45);
            out.key("description").string(prose::text(random, length).trim_end());
            out.key("inputSchema");
            input.document(Maker::Pydantic, out);
            if let Some(output) = &output {
                out.key("outputSchema").token(&output.schema);
            }
        });
        Self { name, input, output, definition: out.text }
    }
}

/// The names of one server's tools, in the server's habit of joining words.
fn names(place: usize) -> impl Iterator<Item = String> {
    (0..TOOLS_EACH).map(move |at| {
        let noun = NOUNS[(place * 5 + at % 9) % NOUNS.len()];
        let verb = VERBS[(place * 7 + at / 9 * 5 + at % 9) % VERBS.len()];
        match place % 5 {
            0 | 1 | 3 => format!("{verb}_{noun}"),
            2 => format!("{noun}-{verb}"),
            _ => format!("{verb}{}", crate::shape::heading(noun)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_has_the_promised_size() {
        let catalog = Catalog::new(1);
        let tools = || catalog.servers.iter().flat_map(|server| &server.tools);
        assert_eq!((catalog.servers.len(), tools().count()), (28, 756));
        let schemas: HashSet<_> =
            tools().filter_map(|tool| Some(&tool.output.as_ref()?.schema)).collect();
        assert_eq!(schemas.len(), SCHEMAS);
        for server in &catalog.servers {
            let names: HashSet<_> = server.tools.iter().map(|tool| &tool.name).collect();
            assert_eq!(names.len(), TOOLS_EACH, "{}", server.name);
        }
    }

    #[test]
    fn every_schema_compiles() {
        for tool in Catalog::new(2).servers.iter().flat_map(|server| &server.tools) {
            if let Some(output) = &tool.output {
                let schema = serde_json::from_str(&output.schema).expect("JSON");
                assert!(jsonschema::validator_for(&schema).is_ok(), "{}", output.schema);
            }
        }
    }
}
