//! What verdicts look like: the part of a row that many rows share.
//!
//! Of a hundred thousand verdicts only a few hundred differ in more than their place and their key.
//! Each different one is kept once as a [`Shape`], and rows hold its number, so that a verdict costs
//! one comparison while it is judged and its columns are laid out shape by shape.

use super::legend::Legend;
use super::texts::NONE;
use crate::judged::{Decision, Interpretation, decision, interpretation};
use crate::tally::Judged;
use crate::tape::{Exchange, ExchangeKind, Key, Reply, ReplyKind};
use crate::verdict::{
    Classification, FactSet, Ground, Hit, Observation, OutputSchemaValidation, SchemaOutcome,
    Severities, Verdict,
};
use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

/// A verdict without its place, its key and its issues' wording.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) kind: ExchangeKind,
    pub(super) reply: ReplyKind,
    pub(super) ground: Ground,
    pub(super) error_code: Option<String>,
    pub(super) class: Classification,
    pub(super) confidence: f64,
    pub(super) is_valid: bool,
    pub(super) is_error: bool,
    pub(super) business_logic: Option<bool>,
    pub(super) score: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) decision: Option<u16>,
    pub(super) error_kind: Option<u16>,
    pub(super) hidden_failure: Option<bool>,
    pub(super) facts: FactSet,
    pub(super) seen: Seen,
    /// The patterns that hit, in order, each once.
    pub(super) patterns: Vec<u16>,
    pub(super) severities: Severities,
    /// `severity type` of every issue, sorted, as a JSON array.
    pub(super) issue_types: Option<String>,
    pub(super) schema: Option<SchemaOutcome>,
    pub(super) schema_key: Option<Key>,
    pub(super) schema_keyword: Option<String>,
    /// Joined by commas; `None` where the reply was not taken apart.
    pub(super) content_types: Option<String>,
    pub(super) has_structured: Option<bool>,
    pub(super) has_meta: Option<bool>,
    /// Where a recorded result says so of itself.
    pub(super) quality: Option<f64>,
    pub(super) has_security_issue: bool,
    /// As JSON arrays.
    pub(super) passed_criteria: Option<String>,
    pub(super) failed_criteria: Option<String>,
}

/// Which facts were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    ErrorFacts,
    SuccessFacts,
}

impl Shape {
    fn of(exchange: &Exchange<'_>, verdict: &Verdict) -> Self {
        let Verdict { conclusion, observation, .. } = verdict;
        let weighing = conclusion.weighing;
        let metadata = verdict.metadata.as_ref();
        let schema = schema_said(verdict);
        let mut patterns: Vec<u16> =
            observation.iter().flat_map(|seen| &seen.hits).map(|hit| hit.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        Self {
            kind: exchange.kind,
            reply: exchange.reply.kind(),
            ground: verdict.ground,
            error_code: error_code(exchange).map(str::to_owned),
            class: conclusion.classification,
            confidence: conclusion.confidence,
            is_valid: conclusion.is_valid,
            is_error: verdict.is_error.is_yes(),
            business_logic: conclusion.business_logic(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            decision: weighing.and_then(|weighing| weighing.line),
            error_kind: conclusion.error_kind,
            hidden_failure: conclusion.hidden_failure(),
            facts: observation.as_ref().map(|seen| seen.facts).unwrap_or_default(),
            seen: match observation {
                None => Seen::Nothing,
                Some(_) if verdict.ground.is_error() => Seen::ErrorFacts,
                Some(_) => Seen::SuccessFacts,
            },
            patterns,
            severities: Severities::of(&verdict.issues),
            issue_types: issue_types(verdict),
            schema: schema.map(|schema| schema.outcome),
            schema_key: schema.map(|schema| Key(schema.key)),
            schema_keyword: schema.and_then(|schema| schema.keyword.as_deref()).map(str::to_owned),
            content_types: metadata.map(|metadata| metadata.content_types.join(",")),
            has_structured: metadata.map(|metadata| metadata.has_structured_content),
            has_meta: metadata.map(|metadata| metadata.has_meta),
            quality: verdict.quality,
            has_security_issue: has_security_issue(verdict),
            passed_criteria: names(&verdict.passed_criteria),
            failed_criteria: names(&verdict.failed_criteria),
        }
    }

    /// 0 to 1: as recorded, or what the issues leave.
    pub(super) fn quality_by(&self, legend: &Legend) -> f64 {
        self.quality.unwrap_or_else(|| legend.quality.score(self.severities))
    }

    /// What to do with what was judged.
    pub(super) fn to_do(&self) -> Decision {
        decision(self.severities.errors == 0, self.confidence / 100.0, self.severities.warnings)
    }

    /// How the verdict reads.
    pub(super) fn reading(&self, legend: &Legend) -> Interpretation {
        let valid = self.severities.errors == 0;
        interpretation(valid, self.confidence / 100.0, self.quality_by(legend))
    }

    /// What there is to count, without the issues.
    pub(super) fn judged(&self) -> Judged<'static> {
        Judged {
            class: self.class,
            confidence: self.confidence,
            reply: self.reply,
            business_logic: self.business_logic,
            hidden_failure: self.hidden_failure,
            error_kind: self.error_kind,
            schema: self.schema,
            issues: &[],
        }
    }

    /// Roughly how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let texts = [
            &self.error_code,
            &self.issue_types,
            &self.schema_keyword,
            &self.content_types,
            &self.passed_criteria,
            &self.failed_criteria,
        ];
        size_of::<Self>()
            + self.patterns.len() * size_of::<u16>()
            + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

fn has_security_issue(verdict: &Verdict) -> bool {
    verdict.issues.iter().any(|issue| issue.kind.is_about_security())
}

fn issue_types(verdict: &Verdict) -> Option<String> {
    if let ([issue], []) = (verdict.issues.as_slice(), verdict.unlisted.as_slice()) {
        // Names of the table need no escapes.
        return Some(format!("[\"{} {}\"]", issue.severity.name(), issue.kind.name()));
    }
    let issues = verdict.issues.iter().enumerate();
    let mut types: Vec<String> = issues
        .map(|(at, issue)| format!("{} {}", issue.severity.name(), verdict.type_of(at)))
        .collect();
    types.sort_unstable();
    names(&types)
}

fn names(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| serde_json::to_string(names).expect("texts are plain data"))
}

fn error_code<'e>(exchange: &'e Exchange<'_>) -> Option<&'e str> {
    match &exchange.reply {
        Reply::Error(error) if !error.code.is_empty() => Some(&error.code),
        Reply::Error(_) | Reply::Result(_) | Reply::Document(_) | Reply::None => None,
    }
}

fn schema_said(verdict: &Verdict) -> Option<&OutputSchemaValidation> {
    verdict.metadata.as_ref().and_then(|metadata| metadata.output_schema.as_ref())
}

/// Appends bytes by which shapes are told apart: equal for equal shapes, and, at worst, different
/// for some that are equal, which costs an entry and changes nothing.
fn write_print(exchange: &Exchange<'_>, verdict: &Verdict, out: &mut Vec<u8>) {
    let option = |flag: Option<bool>| flag.map_or(2, u8::from);
    let Verdict { conclusion, .. } = verdict;
    let metadata = verdict.metadata.as_ref();
    let schema = schema_said(verdict);
    let severities = Severities::of(&verdict.issues);
    let mut fixed = [0; 33];
    fixed[..10].copy_from_slice(&[
        exchange.reply.kind() as u8,
        conclusion.classification as u8,
        u8::from(conclusion.is_valid),
        verdict.is_error as u8,
        conclusion.answer as u8,
        option(metadata.map(|metadata| metadata.has_structured_content)),
        option(metadata.map(|metadata| metadata.has_meta)),
        schema.map_or(u8::MAX, |schema| schema.outcome as u8),
        u8::from(verdict.observation.is_some()),
        (exchange.kind as u8) << 1 | u8::from(has_security_issue(verdict)),
    ]);
    fixed[10..12].copy_from_slice(&conclusion.error_kind.unwrap_or(u16::MAX).to_le_bytes());
    fixed[12..20].copy_from_slice(&conclusion.confidence.to_le_bytes());
    fixed[20..24].copy_from_slice(&severities.errors.to_le_bytes());
    fixed[24..28].copy_from_slice(&severities.warnings.to_le_bytes());
    fixed[28..32].copy_from_slice(&severities.infos.to_le_bytes());
    fixed[32] = verdict.ground as u8;
    out.extend_from_slice(&fixed);
    for issue in &verdict.issues {
        out.extend_from_slice(&[issue.severity as u8, issue.kind as u8]);
    }
    // What follows is as long as it likes, so it ends with what cannot be in it.
    if let Some(Observation { facts, hits }) = &verdict.observation {
        let weighing = conclusion.weighing;
        let score = weighing.map_or(f64::NAN, |weighing| weighing.score);
        let threshold = weighing.and_then(|weighing| weighing.threshold).unwrap_or(f64::NAN);
        let line = weighing.and_then(|weighing| weighing.line).unwrap_or(u16::MAX);
        let mut fixed = [0; 36];
        fixed[..8].copy_from_slice(&score.to_le_bytes());
        fixed[8..16].copy_from_slice(&threshold.to_le_bytes());
        fixed[16..32].copy_from_slice(&facts.0.to_le_bytes());
        fixed[32..34].copy_from_slice(&line.to_le_bytes());
        fixed[34] = option(conclusion.success_answer);
        out.extend_from_slice(&fixed);
        for Hit { pattern, .. } in hits {
            out.extend_from_slice(&pattern.to_le_bytes());
        }
        out.extend_from_slice(&u16::MAX.to_le_bytes());
    }
    if let Some(schema) = schema {
        out.extend_from_slice(&schema.key.to_le_bytes());
        out.extend_from_slice(schema.keyword.as_deref().unwrap_or_default().as_bytes());
        out.push(u8::MAX);
    }
    out.extend_from_slice(&verdict.unlisted.len().to_le_bytes());
    for (_, name) in &verdict.unlisted {
        out.extend_from_slice(name.as_bytes());
        out.push(u8::MAX);
    }
    let criteria = [&verdict.passed_criteria, &verdict.failed_criteria];
    if verdict.quality.is_some() || criteria.iter().any(|names| !names.is_empty()) {
        out.extend_from_slice(&verdict.quality.unwrap_or(f64::NAN).to_le_bytes());
        for names in criteria {
            for name in names {
                out.extend_from_slice(name.as_bytes());
                out.push(u8::MAX);
            }
            out.push(u8::MAX);
        }
    }
    for kind in metadata.iter().flat_map(|metadata| &metadata.content_types) {
        out.extend_from_slice(kind.as_bytes());
        out.push(u8::MAX);
    }
    out.extend_from_slice(error_code(exchange).unwrap_or_default().as_bytes());
}

/// The shapes of a batch's verdicts.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    known: Vec<Shape>,
    prints: Vec<u8>,
    /// Where the print of each shape ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
    print: Vec<u8>,
    last: Option<u32>,
    heap: usize,
}

impl Shapes {
    /// The number of a verdict's shape.
    pub(super) fn number_of(&mut self, exchange: &Exchange<'_>, verdict: &Verdict) -> u32 {
        let mut print = std::mem::take(&mut self.print);
        print.clear();
        write_print(exchange, verdict, &mut print);
        let number = self.number_of_print(&print, || Shape::of(exchange, verdict));
        self.print = print;
        number
    }

    fn number_of_print(&mut self, print: &[u8], shape: impl FnOnce() -> Shape) -> u32 {
        if let Some(last) = self.last
            && print_at(&self.prints, &self.ends, last) == print
        {
            return last;
        }
        let Self { known: shapes, prints, ends, table, heap, .. } = self;
        let entry = table.entry(
            xxh3_64(print),
            |known| print_at(prints, ends, *known) == print,
            |known| xxh3_64(print_at(prints, ends, *known)),
        );
        let number = match entry {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get(),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let number = u32::try_from(shapes.len()).unwrap_or(NONE);
                free.insert(number);
                let shape = shape();
                *heap += shape.bytes();
                shapes.push(shape);
                prints.extend_from_slice(print);
                ends.push(prints.len());
                number
            }
        };
        self.last = Some(number);
        number
    }

    /// Adds another batch's shapes; says which number each of them has here.
    pub(super) fn absorb(&mut self, other: &Self) -> Vec<u32> {
        (0..)
            .zip(&other.known)
            .map(|(number, shape)| {
                let print = print_at(&other.prints, &other.ends, number);
                self.number_of_print(print, || shape.clone())
            })
            .collect()
    }

    /// All shapes, by number.
    pub(super) fn all(&self) -> &[Shape] {
        &self.known
    }

    /// Roughly how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.prints.len() * 2 + self.heap
    }
}

fn print_at<'p>(prints: &'p [u8], ends: &[usize], number: u32) -> &'p [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &prints[start..ends[number]]
}
