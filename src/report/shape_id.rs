//! What shapes are called: a hash of all that they say, the same under any rulebook and on any
//! machine.

use super::legend::Legend;
use super::shapes::{Seen, Shape};
use crate::rulebook::Quality;
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

/// Hashes of a rulebook's names, by their numbers: what shapes are named from.
#[derive(Debug)]
pub(super) struct ShapeNames {
    facts: Vec<u64>,
    patterns: Vec<u64>,
    decisions: Vec<u64>,
    error_kinds: Vec<u64>,
    quality: Quality,
}

impl ShapeNames {
    /// The names of the rulebook with this legend.
    pub(super) fn of(legend: &Legend) -> Self {
        let hash = |name: &String| xxh3_64(name.as_bytes());
        Self {
            facts: legend.facts.iter().map(|fact| hash(&fact.name)).collect(),
            patterns: legend.patterns.iter().map(hash).collect(),
            decisions: legend.decisions.iter().map(hash).collect(),
            error_kinds: legend.error_kinds.iter().map(hash).collect(),
            quality: legend.quality,
        }
    }

    /// The name of a shape.
    pub(super) fn id(&self, shape: &Shape) -> ShapeId {
        // All of it, so that a new part cannot be forgotten here.
        let Shape {
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
            severities: Severities { errors, warnings, infos },
            issue_types,
            schema,
            schema_key,
            schema_keyword,
            content_types,
            has_structured,
            has_meta,
            quality,
            has_security_issue,
            passed_criteria,
            failed_criteria,
        } = shape;
        let quality = quality.unwrap_or_else(|| self.quality.score(shape.severities));
        let holding = self.facts.iter().enumerate().filter(|(fact, _)| facts.has(*fact));
        let hits = patterns.iter().filter_map(|number| self.patterns.get(usize::from(*number)));
        let mut said = Said { bytes: Vec::with_capacity(ROOM) };
        for name in [kind.name(), reply.name(), ground.name(), class.name()] {
            said.text(Some(name));
        }
        said.text(Some(match seen {
            Seen::Nothing => "nothing",
            Seen::ErrorFacts => "error",
            Seen::SuccessFacts => "success",
        }));
        for flag in [Some(*is_valid), Some(*is_error), *business_logic, *hidden_failure] {
            said.flag(flag);
        }
        for flag in [*has_structured, *has_meta, Some(*has_security_issue)] {
            said.flag(flag);
        }
        for number in [Some(*confidence), *score, *threshold, Some(quality)] {
            said.number(number.map(f64::to_bits));
        }
        for count in [errors, warnings, infos] {
            said.number(Some(u64::from(*count)));
        }
        said.number(named(&self.decisions, *decision));
        said.number(named(&self.error_kinds, *error_kind));
        said.set(holding.map(|(_, name)| *name));
        said.set(hits.copied());
        said.text(schema.map(SchemaOutcome::name));
        for text in [
            &schema_key.map(|key| key.to_string()),
            schema_keyword,
            error_code,
            issue_types,
            content_types,
            passed_criteria,
            failed_criteria,
        ] {
            said.text(text.as_deref());
        }
        ShapeId(xxh3_64(&said.bytes))
    }
}

/// Most shapes say no more than this.
const ROOM: usize = 512;

fn named(names: &[u64], number: Option<u16>) -> Option<u64> {
    number.and_then(|number| names.get(usize::from(number)).copied())
}

/// What is hashed: each part behind a mark that says whether it is there, and its length where that
/// is its own affair, so that parts cannot run together.
struct Said {
    bytes: Vec<u8>,
}

impl Said {
    fn text(&mut self, text: Option<&str>) {
        self.number(text.map(|text| text.len() as u64));
        self.bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
    }

    fn flag(&mut self, flag: Option<bool>) {
        self.bytes.push(flag.map_or(2, u8::from));
    }

    fn number(&mut self, number: Option<u64>) {
        match number {
            None => self.bytes.push(0),
            Some(number) => {
                self.bytes.push(1);
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
    }

    /// Hashes of names, added up: the order of a rulebook says as little as its numbers do.
    fn set(&mut self, hashes: impl Iterator<Item = u64>) {
        let (count, sum) =
            hashes.fold((0, 0_u64), |(count, sum), hash| (count + 1, sum.wrapping_add(hash)));
        self.number(Some(count));
        self.number(Some(sum));
    }
}
