//! What shapes are called: a hash of all that they say, the same under any rulebook and on any
//! machine.

use super::legend::Legend;
use super::shapes::{Seen, Shape};
use crate::tape::Key;
use crate::verdict::{SchemaOutcome, Severities};
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// The name of a shape.
///
/// Numbers of a rulebook stand in it by the names they have there, so that what two rulebooks say in
/// the same words is called the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub u64);

impl fmt::Display for ShapeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Shape {
    /// The shape's name.
    pub(super) fn id(&self, legend: &Legend) -> ShapeId {
        // All of it, so that a new part cannot be forgotten here.
        let Self {
            kind,
            reply,
            ground,
            error_code,
            class,
            confidence,
            is_valid,
            is_error,
            business_logic,
            score,
            threshold,
            decision,
            error_kind,
            hidden_failure,
            facts,
            seen,
            patterns,
            severities,
            issue_types,
            schema,
            schema_key,
            schema_keyword,
            content_types,
            has_structured,
            has_meta,
            quality: _,
            has_security_issue,
            passed_criteria,
            failed_criteria,
        } = self;
        let Severities { errors, warnings, infos } = *severities;
        let mut said = Said::default();
        said.text(kind.name());
        said.text(reply.name());
        said.text(ground.name());
        said.optional(error_code.as_deref());
        said.text(class.name());
        said.number(Some(*confidence));
        [Some(*is_valid), Some(*is_error), *business_logic, *hidden_failure]
            .into_iter()
            .chain([*has_structured, *has_meta, Some(*has_security_issue)])
            .for_each(|flag| said.flag(flag));
        said.number(*score);
        said.number(*threshold);
        let name = |names: &[String], number: Option<u16>| {
            number.and_then(|number| names.get(usize::from(number)).cloned())
        };
        said.optional(name(&legend.decisions, *decision).as_deref());
        said.optional(name(&legend.error_kinds, *error_kind).as_deref());
        said.text(match seen {
            Seen::Nothing => "nothing",
            Seen::ErrorFacts => "error",
            Seen::SuccessFacts => "success",
        });
        let holding = legend.facts.iter().enumerate().filter(|(fact, _)| facts.has(*fact));
        said.texts(holding.map(|(_, fact)| fact.name.as_str()));
        let names = patterns.iter().filter_map(|number| legend.patterns.get(usize::from(*number)));
        said.texts(names.map(String::as_str));
        for count in [errors, warnings, infos] {
            said.number(Some(count.into()));
        }
        said.number(Some(self.quality_by(legend)));
        said.optional(issue_types.as_deref());
        said.optional(schema.map(SchemaOutcome::name));
        said.number(schema_key.map(|_| 1.0));
        said.bytes.extend_from_slice(&schema_key.unwrap_or(Key(0)).0.to_le_bytes());
        said.optional(schema_keyword.as_deref());
        said.optional(content_types.as_deref());
        said.optional(passed_criteria.as_deref());
        said.optional(failed_criteria.as_deref());
        ShapeId(xxh3_64(&said.bytes))
    }
}

/// What is hashed: each part behind its length or a mark, so that parts cannot run together.
#[derive(Default)]
struct Said {
    bytes: Vec<u8>,
}

impl Said {
    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.flag(Some(text.is_some()));
        self.text(text.unwrap_or_default());
    }

    /// Names, in the order of the rulebook, which says as little as its numbers do.
    fn texts<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        let mut texts: Vec<&str> = texts.collect();
        texts.sort_unstable();
        self.bytes.extend_from_slice(&(texts.len() as u64).to_le_bytes());
        for text in texts {
            self.text(text);
        }
    }

    fn flag(&mut self, flag: Option<bool>) {
        self.bytes.push(flag.map_or(2, u8::from));
    }

    fn number(&mut self, number: Option<f64>) {
        self.flag(Some(number.is_some()));
        self.bytes.extend_from_slice(&number.unwrap_or_default().to_le_bytes());
    }
}
