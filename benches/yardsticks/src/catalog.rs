//! The made-up servers and their tools.

use crate::json::{Style, Writer};
use crate::prose;
use crate::random::Random;
use crate::shape::{Maker, Record};
use std::collections::HashSet;

const SERVERS: &str = "archive atlas billing-desk bookings browser calendar chat cluster contacts crm docs \
    drive filesystem forecast git-host graph inventory ledger mailbox math music notes \
    postgres search sheets tickets translate wiki";
const NOUNS: &str = "user file folder issue comment branch commit page table row event invite message channel \
    contact deal invoice order product stock account entry node relation pod service city \
    route track playlist note tag sheet cell term matrix";
const VERBS: &str = "create update delete get list search find read write move copy archive add remove \
    analyze extract render convert compute summarize compare watch validate count";
/// How much there is of what.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// How many tools a server has.
    tools: usize,
    /// How many tools declare an output schema; no two of them the same one.
    schemas: usize,
    /// How long descriptions are, in bytes.
    descriptions: (usize, usize),
    /// Whether all inputs are an id and a limit.
    has_plain_inputs: bool,
}

impl Size {
    /// Inputs of all kinds, many schemas.
    pub const USUAL: Self =
        Self { tools: 27, schemas: 300, descriptions: (10, 45), has_plain_inputs: false };
    /// Small inputs, one structured reply in eleven.
    pub const SMALL: Self =
        Self { tools: 21, schemas: 110, descriptions: (30, 70), has_plain_inputs: true };
}

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
    /// The catalog that belongs to a seed and a size.
    #[must_use]
    pub fn new(seed: u64, size: Size) -> Self {
        let mut random = Random::new(seed, 1, 0);
        let all = SERVERS.split(' ').count() * size.tools;
        let mut schemas = HashSet::new();
        let mut number = 0;
        let servers = SERVERS.split(' ').enumerate().map(|(place, name)| {
            let style = if place % 6 == 5 { Style::Spaced } else { Style::Compact };
            let maker = if place % 2 == 0 { Maker::Pydantic } else { Maker::Zod };
            let tools = names(place, size.tools).map(|tool| {
                number += 1;
                // Spreads the schemas evenly over the tools.
                let declares = number * size.schemas / all > (number - 1) * size.schemas / all;
                let output = declares.then(|| {
                    loop {
                        let output = Output::invent(&mut random, &tool, (maker, style));
                        if schemas.insert(output.schema.clone()) {
                            break output;
                        }
                    }
                });
                Tool::new(&mut random, tool, output, style, size)
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
    fn new(
        random: &mut Random,
        name: String,
        output: Option<Output>,
        style: Style,
        size: Size,
    ) -> Self {
        let (members, title) = (random.between(1, 2), format!("{name}Arguments"));
        let input = if size.has_plain_inputs {
            Record::plain(title)
        } else {
            Record::invent(random, title, members, 0)
        };
        let mut out = Writer::new(style);
        out.object(|out| {
            out.key("name").string(&name);
            let length = random.between(size.descriptions.0, size.descriptions.1);
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
fn names(place: usize, tools: usize) -> impl Iterator<Item = String> {
    let [nouns, verbs] = [NOUNS, VERBS].map(|words| words.split(' ').collect::<Vec<_>>());
    (0..tools).map(move |at| {
        let noun = nouns[(place * 5 + at % 9) % nouns.len()];
        let verb = verbs[(place * 7 + at / 9 * 5 + at % 9) % verbs.len()];
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
        let catalog = Catalog::new(1, Size::USUAL);
        let tools = || catalog.servers.iter().flat_map(|server| &server.tools);
        assert_eq!((catalog.servers.len(), tools().count()), (28, 756));
        let schemas: HashSet<_> =
            tools().filter_map(|tool| Some(&tool.output.as_ref()?.schema)).collect();
        assert_eq!(schemas.len(), Size::USUAL.schemas);
        for server in &catalog.servers {
            let names: HashSet<_> = server.tools.iter().map(|tool| &tool.name).collect();
            assert_eq!(names.len(), Size::USUAL.tools, "{}", server.name);
        }
    }

    #[test]
    fn every_schema_compiles() {
        for tool in Catalog::new(2, Size::USUAL).servers.iter().flat_map(|server| &server.tools) {
            if let Some(output) = &tool.output {
                let schema = serde_json::from_str(&output.schema).expect("JSON");
                assert!(jsonschema::validator_for(&schema).is_ok(), "{}", output.schema);
            }
        }
    }
}
