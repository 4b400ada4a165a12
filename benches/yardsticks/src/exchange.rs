//! One exchange after the other, each from its number alone.

use crate::catalog::{Catalog, Output, Server, Size, Tool};
use crate::json::Writer;
use crate::prose;
use crate::random::Random;
use crate::shape::Flaw;
use std::fmt::Write as _;

/// How far back a repeat can reach.
const REACH: usize = 20_000;

/// What a corpus consists of.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Of 100 replies, how many claim success.
    successes: usize,
    /// Of 100 replies, how many are tool errors. Two more are JSON-RPC errors; the rest never came.
    tool_errors: usize,
    /// Exchanges per thousand that repeat an earlier one.
    repeated: usize,
    /// Tool errors per hundred that go on after their first sentence, no two alike.
    elaborated: usize,
    /// Exchanges per thousand that carry their tool's whole definition instead of its name.
    defined: usize,
    /// How many days it covers.
    days: u64,
    /// How long a page is at the most, and how long a document; one text of so many is a document.
    long: (usize, usize, usize),
    /// What is called.
    pub size: Size,
}

impl Mix {
    /// Mostly successes, error texts from a short list, some repeats.
    pub const ORDINARY: Self = Self {
        successes: 78,
        tool_errors: 18,
        repeated: 30,
        elaborated: 0,
        defined: 700,
        days: 30,
        long: (3_600, 10_000, 20),
        size: Size::USUAL,
    };
    /// Nearly half errors, with varied texts and no repeats: little can be reused.
    pub const ERRORS: Self =
        Self { successes: 52, tool_errors: 45, repeated: 0, elaborated: 70, ..Self::ORDINARY };
    /// The same with few words: errors of 80 bytes, other texts of 260, of one day, each with its definition.
    pub const SHORT: Self = Self {
        elaborated: 4,
        defined: 1000,
        days: 1,
        long: (2_400, 6_500, 33),
        size: Size::SMALL,
        ..Self::ERRORS
    };
}

/// What the seed says of one exchange. The texts are JSON in the server's spelling.
#[derive(Debug)]
pub struct Exchange<'a> {
    /// Its number in the corpus, from 0.
    pub number: usize,
    /// Who answered.
    pub server: &'a Server,
    /// What was called.
    pub tool: &'a Tool,
    /// Whether its line carries the tool's definition instead of its name.
    pub is_defined: bool,
    /// The scenario category, where the recorder knew one.
    pub scenario: Option<&'static str>,
    /// The arguments.
    pub input: String,
    /// What came back.
    pub reply: Reply,
    /// When it was recorded.
    pub recorded_at: String,
    /// The day of the recording, from 1.
    pub day: u64,
    /// How long it took.
    pub duration_ms: usize,
}

/// The reply's JSON text, by kind.
#[derive(Debug)]
pub enum Reply {
    /// A result, perhaps with `isError`.
    Result(String),
    /// A JSON-RPC error object.
    Error(String),
    /// None came.
    None,
}

/// Makes up the exchanges of a corpus.
#[derive(Debug)]
pub struct Source<'a> {
    catalog: &'a Catalog,
    seed: u64,
    total: usize,
    mix: Mix,
}

impl<'a> Source<'a> {
    /// The corpus of `total` exchanges that belongs to a seed and a mix.
    #[must_use]
    pub fn new(catalog: &'a Catalog, seed: u64, total: usize, mix: Mix) -> Self {
        Self { catalog, seed, total, mix }
    }

    /// All exchanges, in the order of their recording.
    pub fn exchanges(&self) -> impl Iterator<Item = Exchange<'a>> + '_ {
        (0..self.total).map(|number| self.exchange(number))
    }

    fn exchange(&self, number: usize) -> Exchange<'a> {
        // What was said depends on the original's number, when it was said on its own.
        let mut random = Random::new(self.seed, 2, self.original(number) as u64);
        let server = &self.catalog.servers[random.skewed_below(self.catalog.servers.len())];
        let tool = &server.tools[random.skewed_below(server.tools.len())];
        let scenario = match random.below(100) {
            0..40 => Some("happy_path"),
            40..55 => Some("edge_case"),
            55..65 => Some("boundary"),
            65..75 => Some("error_case"),
            _ => None,
        };
        let mut input = Writer::new(server.style);
        tool.input.value(&mut random, None, &mut input);
        let reply = reply(&mut random, server, tool, self.mix);
        let (day, recorded_at) = self.time(number);
        let duration_ms = Random::new(self.seed, 3, number as u64).skewed_below(4_000) + 1;
        Exchange {
            number,
            server,
            tool,
            is_defined: Random::new(0, 5, number as u64).chance(self.mix.defined),
            scenario,
            input: input.text,
            reply,
            recorded_at,
            day,
            duration_ms,
        }
    }

    /// The exchange that this one repeats, or itself.
    fn original(&self, mut number: usize) -> usize {
        loop {
            let mut random = Random::new(self.seed, 4, number as u64);
            if number == 0 || !random.chance(self.mix.repeated) {
                return number;
            }
            number -= 1 + random.below(number.min(REACH));
        }
    }

    /// Evenly spread over days from the first of March.
    fn time(&self, number: usize) -> (u64, String) {
        let span = self.mix.days * 86_400_000;
        let at = u128::from(span) * number as u128 / self.total.max(1) as u128;
        let at = u64::try_from(at).unwrap_or(span);
        let (day, second) = (at / 86_400_000 + 1, at / 1000 % 86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        (day, format!("2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", at % 1000))
    }
}

fn reply(random: &mut Random, server: &Server, tool: &Tool, mix: Mix) -> Reply {
    let mut out = Writer::new(server.style);
    let first_error = mix.successes;
    let first_protocol_error = first_error + mix.tool_errors;
    match random.below(100) {
        choice if choice < first_error => {
            out.object(|out| result(random, tool, mix, out));
            Reply::Result(out.text)
        }
        choice if choice < first_protocol_error => {
            out.object(|out| {
                let mut text = prose::error(random, &tool.name);
                if mix.elaborated > 0 && random.chance(mix.elaborated * 10) {
                    let length = length(random, mix).min(1_200);
                    text.push('\n');
                    text.push_str(&prose::text(random, length));
                }
                out.key("content").array(|out| text_block(&text, out));
                out.key("isError").token(true);
            });
            Reply::Result(out.text)
        }
        choice if choice < first_protocol_error + 2 => {
            let (code, message) = prose::protocol_error(random, &tool.name);
            out.object(|out| {
                out.key("code").token(code);
                out.key("message").string(&message);
            });
            Reply::Error(out.text)
        }
        _ => Reply::None,
    }
}

/// The members of a result that claims success.
fn result(random: &mut Random, tool: &Tool, mix: Mix, out: &mut Writer) {
    match &tool.output {
        Some(output) if !random.chance(20) => structured(random, output, out),
        _ => match random.below(1000) {
            0..15 => {
                let text = prose::hidden_failure(random, &tool.name);
                out.key("content").array(|out| text_block(&text, out));
            }
            15..20 => out.key("content").array(|_| {}),
            20..22 => {}
            22..62 => out.key("content").array(|out| other_block(random, mix, out)),
            62..262 => {
                let text = json_text(random, tool);
                out.key("content").array(|out| text_block(&text, out));
            }
            choice => {
                let blocks = if choice < 310 { random.between(2, 4) } else { 1 };
                out.key("content").array(|out| {
                    for _ in 0..blocks {
                        let length = length(random, mix);
                        text_block(&prose::text(random, length), out);
                    }
                });
            }
        },
    }
    match random.below(100) {
        0..40 => out.key("isError").token(false),
        40..43 => out
            .key("_meta")
            .object(|out| out.key("trace").string(&prose::formatted(random, "uuid"))),
        _ => {}
    }
}

/// A structured value and, as servers do, the same once more as text.
fn structured(random: &mut Random, output: &Output, out: &mut Writer) {
    let flaw = match random.below(1000) {
        0..35 => Some(Flaw::Missing),
        35..50 => Some(Flaw::WrongType),
        _ => None,
    };
    let mut value = Writer::new(out.style());
    output.record.value(random, flaw, &mut value);
    let text = if random.chance(800) { value.text.clone() } else { prose::phrase(random) };
    out.key("content").array(|out| text_block(&text, out));
    out.key("structuredContent").token(&value.text);
}

fn text_block(text: &str, out: &mut Writer) {
    out.object(|out| {
        out.key("type").string("text");
        out.key("text").string(text);
    });
}

fn other_block(random: &mut Random, mix: Mix, out: &mut Writer) {
    let resource = prose::formatted(random, "uri");
    let kind = random.below(4);
    out.object(|out| match kind {
        0 | 1 => {
            out.key("type").string(if kind == 0 { "image" } else { "audio" });
            let length = length(random, mix);
            out.key("data").string(&base64(random, length));
            out.key("mimeType").string(if kind == 0 { "image/png" } else { "audio/wav" });
        }
        2 => {
            out.key("type").string("resource_link");
            out.key("uri").string(&resource);
            out.key("name").string(prose::word(random));
        }
        _ => {
            out.key("type").string("resource");
            out.key("resource").object(|out| {
                out.key("uri").string(&resource);
                out.key("text").string(&prose::text(random, 120));
            });
        }
    });
}

fn base64(random: &mut Random, length: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (0..length / 4 * 4).map(|_| char::from(*random.pick(LETTERS))).collect()
}

/// Records or key-value lines, as text.
fn json_text(random: &mut Random, tool: &Tool) -> String {
    let mut out = Writer::new(crate::json::Style::Compact);
    let rows = 1 + random.skewed_below(6);
    out.array(|out| (0..rows).for_each(|_| tool.input.value(random, None, out)));
    let mut text = out.text;
    if random.chance(300) {
        let _ = write!(text, "\n{rows} rows");
    }
    text
}

/// Text lengths: mostly short, sometimes a page, seldom a document.
fn length(random: &mut Random, Mix { long: (page, document, share), .. }: Mix) -> usize {
    match random.below(100) {
        0..66 => random.between(5, 80),
        66..85 => random.between(80, 420),
        percent if percent < 100 - 100 / share => random.between(420, page),
        _ => random.between(page, document),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_mixture_is_the_promised_one() {
        let catalog = Catalog::new(5, Size::USUAL);
        let (mut errors, mut protocol, mut silent) = (0, 0, 0);
        for exchange in Source::new(&catalog, 5, 20_000, Mix::ORDINARY).exchanges() {
            match exchange.reply {
                Reply::Result(text) => {
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    errors += usize::from(value["isError"] == true);
                }
                Reply::Error(_) => protocol += 1,
                Reply::None => silent += 1,
            }
        }
        assert!((3_400..3_800).contains(&errors), "{errors}");
        assert!((330..470).contains(&protocol), "{protocol}");
        assert!((330..470).contains(&silent), "{silent}");
    }

    #[test]
    fn nearly_half_of_the_error_heavy_corpus_are_errors_with_many_texts() {
        let catalog = Catalog::new(5, Size::USUAL);
        let mut texts = std::collections::HashSet::new();
        let mut errors = 0;
        for exchange in Source::new(&catalog, 5, 20_000, Mix::ERRORS).exchanges() {
            match exchange.reply {
                Reply::Result(text) => {
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    if value["isError"] == true {
                        errors += 1;
                        texts.insert(value["content"].to_string());
                    }
                }
                Reply::Error(_) => errors += 1,
                Reply::None => {}
            }
        }
        assert!((9_200..9_600).contains(&errors), "{errors}");
        assert!(texts.len() > 7_500, "{} different texts in {errors} errors", texts.len());
    }

    #[test]
    fn about_one_structured_value_in_twenty_violates_its_schema() {
        let catalog = Catalog::new(5, Size::USUAL);
        let (mut all, mut bad) = (0, 0);
        for exchange in Source::new(&catalog, 5, 20_000, Mix::ORDINARY).exchanges() {
            let (Reply::Result(text), Some(output)) = (exchange.reply, &exchange.tool.output)
            else {
                continue;
            };
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let Some(instance) = value.get("structuredContent") else { continue };
            let schema = serde_json::from_str(&output.schema).expect("JSON");
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            all += 1;
            bad += usize::from(!validator.is_valid(instance));
        }
        let share = bad as f64 / f64::from(all);
        assert!((0.035..0.065).contains(&share), "{bad} of {all}");
    }

    #[test]
    fn some_exchanges_are_said_again() {
        let catalog = Catalog::new(5, Size::USUAL);
        let mut seen = std::collections::HashSet::new();
        let again = Source::new(&catalog, 5, 5_000, Mix::ORDINARY)
            .exchanges()
            .filter(|e| {
                !seen.insert((
                    e.server.name,
                    &e.tool.name,
                    e.input.clone(),
                    format!("{:?}", e.reply),
                ))
            })
            .count();
        assert!((120..500).contains(&again), "{again}");
    }
}
