//! The shapes of tool inputs and outputs: as JSON Schema, and as values that fit it or do not.

use crate::json::Writer;
use crate::prose;
use crate::random::Random;

/// What a value looks like.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Any text.
    Text,
    /// Text of a named format.
    Format(&'static str),
    /// A whole number from zero to the given one.
    Integer(usize),
    /// Any number.
    Number,
    /// True or false.
    Flag,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// The shape, or null.
    Optional(Box<Shape>),
    /// A list of the shape.
    List(Box<Shape>),
    /// Named members.
    Record(Record),
}

/// An object's members.
#[derive(Clone, Debug)]
pub struct Record {
    /// The title a generator gave it.
    pub title: String,
    /// The members, in order.
    pub fields: Vec<Field>,
}

/// One member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Whether the schema requires it.
    pub required: bool,
}

/// Which library's habits a schema shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Pydantic: titles everywhere, nested records under `$defs`, null by `anyOf`.
    Pydantic,
    /// Zod: closed objects, nothing shared, `$schema` at the top.
    Zod,
}

/// How a value departs from its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A required member is absent.
    Missing,
    /// A member has another type.
    WrongType,
}

const FIELDS: [(&str, u8); 44] = [
    ("id", b'i'),
    ("name", b't'),
    ("title", b't'),
    ("status", b'c'),
    ("created_at", b'd'),
    ("updated_at", b'd'),
    ("owner", b't'),
    ("email", b'e'),
    ("url", b'u'),
    ("count", b'i'),
    ("total", b'i'),
    ("price", b'n'),
    ("currency", b'c'),
    ("enabled", b'f'),
    ("archived", b'f'),
    ("tags", b'T'),
    ("description", b'o'),
    ("parent_id", b'O'),
    ("score", b'n'),
    ("rank", b'i'),
    ("path", b't'),
    ("size", b'i'),
    ("mime_type", b't'),
    ("language", b'c'),
    ("branch", b't'),
    ("commit", b't'),
    ("author", b't'),
    ("latitude", b'n'),
    ("longitude", b'n'),
    ("temperature", b'n'),
    ("unit", b'c'),
    ("rows", b'L'),
    ("columns", b'T'),
    ("next_cursor", b'o'),
    ("has_more", b'f'),
    ("duration", b'n'),
    ("priority", b'c'),
    ("assignee", b'o'),
    ("due_date", b'd'),
    ("summary", b't'),
    ("labels", b'T'),
    ("uuid", b'g'),
    ("version", b't'),
    ("checksum", b't'),
];
const WORDS: [&[&str]; 5] = [
    &["open", "closed", "pending"],
    &["low", "normal", "high", "urgent"],
    &["EUR", "USD", "GBP", "JPY"],
    &["en", "de", "fr", "ja"],
    &["active", "paused", "failed", "done"],
];

impl Record {
    /// A record of `size` different members, nested at most `depth` deep.
    pub fn invent(random: &mut Random, title: String, size: usize, depth: usize) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        while fields.len() < size {
            let (name, kind) = *random.pick(&FIELDS);
            if fields.iter().all(|field| field.name != name) {
                let shape = Shape::invent(random, (name, kind), depth);
                let required = fields.is_empty() || random.chance(650);
                fields.push(Field { name, shape, required });
            }
        }
        Self { title, fields }
    }

    /// An id and a limit.
    #[must_use]
    pub fn plain(title: String) -> Self {
        let field = |(name, most)| Field { name, shape: Shape::Integer(most), required: true };
        Self { title, fields: [("id", 100_000), ("limit", 100)].map(field).into() }
    }

    fn schema(&self, maker: Maker, out: &mut Writer) {
        out.key("type").string("object");
        out.key("properties").object(|out| {
            for field in &self.fields {
                out.key(field.name).object(|out| {
                    if maker == Maker::Pydantic {
                        out.key("title").string(&heading(field.name));
                    }
                    field.shape.schema(maker, out);
                });
            }
        });
        out.key("required").array(|out| {
            self.fields
                .iter()
                .filter(|field| field.required)
                .for_each(|field| out.string(field.name));
        });
        match maker {
            Maker::Pydantic => out.key("title").string(&self.title),
            Maker::Zod => out.key("additionalProperties").token(false),
        }
    }

    /// The whole schema document.
    pub fn document(&self, maker: Maker, out: &mut Writer) {
        out.object(|out| {
            if maker == Maker::Zod {
                out.key("$schema").string("http://json-schema.org/draft-07/schema#");
            }
            let mut nested = Vec::new();
            self.fields.iter().for_each(|field| field.shape.records(&mut nested));
            if maker == Maker::Pydantic && !nested.is_empty() {
                out.key("$defs").object(|out| {
                    for record in nested {
                        out.key(&record.title).object(|out| record.schema(maker, out));
                    }
                });
            }
            self.schema(maker, out);
        });
    }

    /// A value that fits the schema, but for the flaw.
    pub fn value(&self, random: &mut Random, flaw: Option<Flaw>, out: &mut Writer) {
        out.object(|out| {
            for (at, field) in self.fields.iter().enumerate() {
                match flaw {
                    Some(Flaw::Missing) if at == 0 => {}
                    Some(Flaw::WrongType) if at == 0 => out.key(field.name).array(|_| {}),
                    _ if !field.required && random.chance(250) => {}
                    _ => {
                        out.key(field.name);
                        field.shape.value(random, out);
                    }
                }
            }
        });
    }
}

impl Shape {
    fn invent(random: &mut Random, (name, kind): (&'static str, u8), depth: usize) -> Self {
        match kind {
            b'i' => Self::Integer(*random.pick(&[100, 5_000, 1_000_000])),
            b'n' => Self::Number,
            b'f' => Self::Flag,
            b'c' => Self::Choice(WORDS[random.below(WORDS.len())]),
            b'd' => Self::Format("date-time"),
            b'e' => Self::Format("email"),
            b'u' => Self::Format("uri"),
            b'g' => Self::Format("uuid"),
            b'o' => Self::Optional(Box::new(Self::Text)),
            b'O' => Self::Optional(Box::new(Self::Integer(5_000))),
            b'T' => Self::List(Box::new(Self::Text)),
            b'L' if depth > 0 => {
                let size = random.between(2, 4);
                let title = format!("{}Item", heading(name));
                Self::List(Box::new(Self::Record(Record::invent(random, title, size, depth - 1))))
            }
            b'L' => Self::List(Box::new(Self::Number)),
            _ => Self::Text,
        }
    }

    fn records<'a>(&'a self, found: &mut Vec<&'a Record>) {
        match self {
            Self::List(inner) | Self::Optional(inner) => inner.records(found),
            Self::Record(record) => found.push(record),
            _ => {}
        }
    }

    fn schema(&self, maker: Maker, out: &mut Writer) {
        match self {
            Self::Text => out.key("type").string("string"),
            Self::Format(name) => {
                out.key("type").string("string");
                out.key("format").string(name);
            }
            Self::Integer(high) => {
                out.key("type").string("integer");
                out.key("minimum").token(0);
                out.key("maximum").token(high);
            }
            Self::Number => out.key("type").string("number"),
            Self::Flag => out.key("type").string("boolean"),
            Self::Choice(words) => {
                out.key("type").string("string");
                out.key("enum").array(|out| words.iter().for_each(|word| out.string(word)));
            }
            Self::Optional(inner) => {
                out.key("anyOf").array(|out| {
                    out.object(|out| inner.schema(maker, out));
                    out.object(|out| out.key("type").string("null"));
                });
                if maker == Maker::Pydantic {
                    out.key("default").token("null");
                }
            }
            Self::List(inner) => {
                out.key("type").string("array");
                out.key("items").object(|out| inner.schema(maker, out));
            }
            Self::Record(record) if maker == Maker::Pydantic => {
                out.key("$ref").string(&format!("#/$defs/{}", record.title));
            }
            Self::Record(record) => record.schema(maker, out),
        }
    }

    /// A value that fits.
    pub fn value(&self, random: &mut Random, out: &mut Writer) {
        match self {
            Self::Text => out.string(&prose::phrase(random)),
            Self::Format(name) => out.string(&prose::formatted(random, name)),
            Self::Integer(high) => out.token(random.below(high + 1)),
            Self::Number => {
                let whole = random.below(1_000);
                out.token(format_args!("{whole}.{}", random.between(1, 99)));
            }
            Self::Flag => out.token(random.chance(500)),
            Self::Choice(words) => out.string(words[random.below(words.len())]),
            Self::Optional(_) if random.chance(400) => out.token("null"),
            Self::Optional(inner) => inner.value(random, out),
            Self::List(inner) => out.array(|out| {
                for _ in 0..random.below(5) {
                    inner.value(random, out);
                }
            }),
            Self::Record(record) => record.value(random, None, out),
        }
    }
}

/// `due_date` as `Due Date`.
#[must_use]
pub fn heading(name: &str) -> String {
    let mut out = String::new();
    for word in name.split(['_', '-']) {
        if !out.is_empty() {
            out.push(' ');
        }
        let mut rest = word.chars();
        out.extend(rest.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(rest.as_str());
    }
    out.replace(' ', if name.contains('_') { "_" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Style;

    fn written(write: impl FnOnce(&mut Writer)) -> serde_json::Value {
        let mut out = Writer::new(Style::Spaced);
        write(&mut out);
        serde_json::from_str(&out.text).expect("JSON")
    }

    #[test]
    fn values_fit_their_schema_unless_flawed() {
        for number in 0..60 {
            let maker = if number % 2 == 0 { Maker::Pydantic } else { Maker::Zod };
            let mut random = Random::new(3, 0, number);
            let record = Record::invent(&mut random, "Sample".to_owned(), 8, 1);
            let schema = written(|out| record.document(maker, out));
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            let value = written(|out| record.value(&mut random, None, out));
            assert!(validator.is_valid(&value), "{value} against {schema}");
            for flaw in [Flaw::Missing, Flaw::WrongType] {
                let mut out = Writer::new(Style::Compact);
                record.value(&mut random, Some(flaw), &mut out);
                let value = serde_json::from_str(&out.text).expect("JSON");
                let is_list = matches!(record.fields[0].shape, Shape::List(_));
                if flaw == Flaw::Missing || !is_list {
                    assert!(!validator.is_valid(&value), "{value} against {schema}");
                }
            }
        }
    }
}
