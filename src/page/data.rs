//! The exchanges of a page as JSON, which its script makes a table of.

use super::counted::{Cells, Look};
use super::read::RunRead;
use super::sample::Chosen;
use super::shown::{Piece, Showing};
use crate::recording::Key;
use crate::redact::Told;
use crate::rulebook::{Decision, Rulebook};
use crate::store::{Excerpt, NamedVerdict, Numbered, Span};
use crate::verdict::{Answer, Certainty, Classification, Outcome, SignalSet, cut};
use hashbrown::HashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// More cells than this are not told apart by tool, and then not by server.
const MOST_CELLS: usize = 12_000;
/// So many characters of what a rulebook says of itself are shown.
const LONGEST: usize = 300;

/// What the script of a page reads.
#[derive(Debug, Serialize)]
pub(super) struct Data {
    /// How many exchanges there are.
    total: u64,
    /// What is counted: calls, documents or both.
    classified: &'static str,
    names: Vec<Told>,
    /// Best first.
    outcomes: Vec<&'static str>,
    classes: Vec<&'static str>,
    answers: Vec<&'static str>,
    error_kinds: Vec<String>,
    issue_types: Vec<Told>,
    /// Outcome, class, answer, kind of error (or -1) and types of issue, as numbers.
    looks: Looks,
    /// Server, tool (or -1), look and exchanges, as numbers.
    cells: Vec<(i64, i64, u32, u64)>,
    by: &'static [&'static str],
    rulebook: RulebookData,
    patterns: Vec<PatternData>,
    shapes: Vec<ShapeData>,
    rows: Vec<RowData>,
    /// What to say of an exchange of which there are no texts.
    without_texts: &'static str,
    /// What stands before and after the key in a command that shows everything.
    explain: [String; 2],
}

#[derive(Debug, Serialize)]
struct RulebookData {
    signals: Vec<SignalData>,
    factors: Vec<(String, usize, f64)>,
    denominator: f64,
    /// Whether a score is at most 1.
    clamp: bool,
    decide: Vec<(String, String)>,
}

#[derive(Debug, Serialize)]
struct PatternData {
    name: String,
    /// What it looks for, where its name alone does not say it.
    #[serde(skip_serializing_if = "String::is_empty")]
    about: String,
}

#[derive(Debug, Serialize)]
struct SignalData {
    name: String,
    about: String,
    definition: String,
    /// Whether it is looked for in errors, and in replies that claim success.
    of: [bool; 2],
    /// The patterns that it rests on, as far as they hit somewhere on the page.
    patterns: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct ShapeData {
    look: u32,
    exchanges: u64,
    kind: &'static str,
    reply: &'static str,
    ground: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Told>,
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    doubtful: bool,
    valid: bool,
    error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    business: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    signals: Vec<usize>,
    hits: Vec<usize>,
    flips: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    criteria: [Vec<Told>; 2],
}

/// Parts of a text, those that were hit with the numbers of the patterns.
type Pieces = Vec<(Told, Vec<usize>)>;

#[derive(Debug, Serialize)]
struct RowData(Key, usize, usize, usize, Told, u64, Vec<IssueData>, Option<TextsData>);

/// The judged text of an exchange and its input.
#[derive(Debug, Serialize)]
struct TextsData(Pieces, Pieces);

#[derive(Debug, Serialize)]
struct IssueData {
    severity: String,
    kind: Told,
    message: Told,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Told>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<Told>,
}

impl Data {
    pub(super) fn of(run: &RunRead, showing: &Showing, explain: [String; 2]) -> Self {
        let showing = &showing.of_run(&run.manifest.comparable);
        let mut names = Numbered::default();
        let mut patterns = Numbered::default();
        let (looks, error_kinds, issue_types) = looks(&run.cells, showing);
        let (cells, by) = cells(&run.cells, (&mut names, showing));
        let look_numbers: HashMap<&Look, u32> = run.cells.looks().iter().zip(0..).collect();
        let mut shape_numbers: HashMap<u32, usize> = HashMap::new();
        let mut shapes = Vec::new();
        let mut rows = Vec::with_capacity(run.chosen.len());
        for row in &run.chosen {
            let shape = *shape_numbers.entry(row.number).or_insert_with(|| {
                let verdict = &*row.verdict;
                let look = look_numbers.get(&Look::of(verdict)).copied().unwrap_or_default();
                let mut shape = shape(verdict, (look, row.alike), (&run.rulebook, showing));
                let numbers = verdict.hits.iter();
                shape.hits = numbers.map(|name| patterns.insert_full(name.clone()).0).collect();
                shapes.push(shape);
                shapes.len() - 1
            });
            let texts = row.texts.as_ref().map(|Excerpt { reply, input, spans }| {
                let mut pieces = |text: &str, spans: &[Span]| -> Pieces {
                    let pieces = showing.pieces(text, spans).into_iter();
                    let number = |Piece { text, patterns: hits }| {
                        (text, hits.into_iter().map(|name| patterns.insert_full(name).0).collect())
                    };
                    pieces.map(number).collect()
                };
                let sent = Span::in_input(spans, input);
                TextsData(pieces(reply, spans), pieces(input, &sent))
            });
            rows.push(RowData::of(row, shape, texts, &mut names, showing));
        }
        let rulebook = RulebookData::of(&run.rulebook, &patterns);
        Self {
            total: run.manifest.comparable.counts.exchanges,
            classified: run.summary.classified(),
            names: names.into_iter().collect(),
            outcomes: Outcome::ALL.into_iter().rev().map(Outcome::name).collect(),
            classes: Classification::ALL.map(Classification::name).to_vec(),
            answers: Answer::LISTED.map(Answer::name).to_vec(),
            error_kinds,
            issue_types,
            looks,
            cells,
            by,
            rulebook,
            patterns: pattern_data(&run.rulebook, patterns),
            shapes,
            rows,
            without_texts: if run.manifest.wall.no_text {
                "The run keeps no texts (`output.texts = false`), so the call and its reply are \
                 not shown."
            } else {
                "The call plainly worked, so the run keeps no texts of it, and its recording was not \
                 found or not read again."
            },
            explain,
        }
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are plain data")
    }
}

impl Serialize for Told {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_ref())
    }
}

type Looks = Vec<(usize, usize, usize, i64, Vec<usize>)>;

fn looks(cells: &Cells, showing: &Showing) -> (Looks, Vec<String>, Vec<Told>) {
    let mut kinds = Numbered::default();
    let mut issues = Numbered::default();
    for (kind, _) in cells.error_kinds() {
        kinds.insert(kind);
    }
    let looks = cells
        .looks()
        .iter()
        .map(|look| {
            let kind = look.error_kind.clone().map(|kind| kinds.insert_full(kind).0);
            let answer = Answer::LISTED.iter().position(|answer| *answer == look.answer);
            let types = look.issues.iter().map(|kind| issues.insert_full(showing.name(kind)).0);
            let outcome = Outcome::ALL.iter().rev().position(|known| *known == look.outcome);
            (
                outcome.unwrap_or_default(),
                look.class as usize,
                answer.unwrap_or_default(),
                kind.and_then(|kind| i64::try_from(kind).ok()).unwrap_or(-1),
                types.collect(),
            )
        })
        .collect();
    (looks, kinds.into_iter().collect(), issues.into_iter().collect())
}

type Counted = Vec<(i64, i64, u32, u64)>;

/// Cells as fine as there is room for.
fn cells(
    cells: &Cells,
    (names, showing): (&mut Numbered<Told>, &Showing),
) -> (Counted, &'static [&'static str]) {
    const LEVELS: [&[&str]; 3] = [&["server", "tool"], &["server"], &[]];
    let mut number = |name: u32| {
        i64::try_from(names.insert_full(showing.name(cells.name_of(name))).0).unwrap_or_default()
    };
    for level in LEVELS {
        let mut counts: BTreeMap<(u32, u32, u32), u64> = BTreeMap::new();
        for (cell, count) in cells.all() {
            let server = if level.contains(&"server") { cell.server } else { u32::MAX };
            let tool = if level.contains(&"tool") { cell.tool } else { u32::MAX };
            *counts.entry((server, tool, cell.look)).or_default() += count;
        }
        if counts.len() <= MOST_CELLS || level.is_empty() {
            let mut name = |at: u32| if at == u32::MAX { -1 } else { number(at) };
            let counts = counts.into_iter();
            let counted =
                counts.map(|((server, tool, look), count)| (name(server), name(tool), look, count));
            return (counted.take(MOST_CELLS).collect(), level);
        }
    }
    (Vec::new(), &[])
}

impl RowData {
    fn of(
        row: &Chosen,
        shape: usize,
        texts: Option<TextsData>,
        names: &mut Numbered<Told>,
        showing: &Showing,
    ) -> Self {
        let server = names.insert_full(showing.name(&row.server)).0;
        let tool = names.insert_full(showing.name(&row.tool)).0;
        let issues = row.issues.iter().map(|issue| IssueData {
            severity: issue.severity.clone(),
            kind: showing.name(&issue.kind),
            message: showing.message(&issue.message),
            location: issue.location.as_deref().map(|place| showing.name(place)),
            suggestion: issue.suggestion.as_deref().map(|text| showing.words(text)),
        });
        let file = showing.name(&row.file);
        Self(row.key, shape, server, tool, file, row.line, issues.collect(), texts)
    }
}

fn shape(
    verdict: &NamedVerdict,
    (look, exchanges): (u32, u64),
    (rulebook, showing): (&Rulebook, &Showing),
) -> ShapeData {
    let place = |name: &String| rulebook.signals.iter().position(|signal| signal.name == *name);
    let signals: Vec<usize> = verdict.signals.iter().filter_map(place).collect();
    let mut set = SignalSet::default();
    for signal in &signals {
        set.insert(*signal);
    }
    let line = verdict.decided_by.as_ref();
    let schema = verdict.schema.as_ref().map(|schema| {
        let keyword = schema.keyword.as_ref().map_or(String::new(), |word| format!(", at {word}"));
        format!("{}{keyword}", schema.outcome.name())
    });
    ShapeData {
        look,
        exchanges,
        kind: verdict.kind.name(),
        reply: verdict.reply.name(),
        ground: Some(verdict.ground.name()),
        code: verdict.error_code.as_deref().map(|code| showing.name(code)),
        confidence: verdict.confidence,
        certainty: verdict.certainty,
        doubtful: verdict.certainty.is_some_and(|it| it < Certainty::DOUBTFUL),
        valid: verdict.is_valid,
        error: verdict.is_error == Some(true),
        business: verdict.business_logic,
        hidden: verdict.hidden_failure,
        score: verdict.score,
        threshold: verdict.threshold,
        line: line.and_then(|name| rulebook.decide.iter().position(|line| line.name == *name)),
        flips: match verdict.business_logic {
            None => Vec::new(),
            Some(answer) => rulebook.flipping_signals(set, answer),
        },
        signals,
        hits: Vec::new(),
        schema: schema.map(|schema| showing.name(&schema).as_ref().to_owned()),
        criteria: verdict
            .criteria
            .clone()
            .map(|names| names.iter().map(|name| showing.name(name)).collect()),
    }
}

fn pattern_data(rulebook: &Rulebook, names: Numbered<String>) -> Vec<PatternData> {
    let abouts = rulebook.patterns.iter().map(crate::rulebook::Pattern::about);
    let abouts: HashMap<String, &str> = rulebook.pattern_names().into_iter().zip(abouts).collect();
    let data = names.into_iter().map(|name| {
        let about = abouts.get(&name).copied().unwrap_or_default().to_owned();
        PatternData { name, about }
    });
    data.collect()
}

impl RulebookData {
    fn of(rulebook: &Rulebook, shown: &Numbered<String>) -> Self {
        let names = rulebook.pattern_names();
        let brief = |text: &str| cut(text, LONGEST);
        let signals = rulebook.signals.iter().enumerate().map(|(at, signal)| SignalData {
            name: signal.name.clone(),
            about: brief(&signal.about),
            definition: brief(&signal.outline),
            of: [rulebook.error_signals.has(at), rulebook.success_signals.has(at)],
            patterns: signal
                .patterns
                .iter()
                .filter_map(|number| shown.get_index_of(names.get(usize::from(*number))?))
                .collect(),
        });
        let factors = rulebook.factors.iter();
        let decide = rulebook.decide.iter().map(|line| {
            let says = match line.decision {
                Decision::Return(true) => "business logic".to_owned(),
                Decision::Return(false) => "not business logic".to_owned(),
                Decision::Threshold(threshold) => format!("threshold {threshold}"),
            };
            (line.name.clone(), says)
        });
        Self {
            signals: signals.collect(),
            factors: factors
                .map(|factor| (factor.name.clone(), factor.signal, factor.weight))
                .collect(),
            denominator: rulebook.denominator,
            clamp: rulebook.clamp,
            decide: decide.collect(),
        }
    }
}
