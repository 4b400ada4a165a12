//! The table of exchanges: a few rows for those without script, which makes a table of all of them that
//! filters, sorts and searches, from JSON.

use super::counted::{Cells, Filters};
use super::lists::Page;
use super::sample::Chosen;
use super::shown::Showing;
use crate::recording::Key;
use crate::redact::MaskedText;
use crate::rulebook::{Decision, Pattern, Rulebook};
use crate::store::{Excerpt, NamedVerdict, Numbered, Span, StoredIssue};
use crate::verdict::{Answer, Certainty, Classification, Outcome, SignalSet, cut, grouped};
use crate::view::html::{self, Html, Tag};
use crate::view::{Cell, Column, Line, Section, Table};
use hashbrown::{HashMap, HashSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// So many rows stand in the page itself.
const STATIC_ROWS: usize = 25;

const CONTROLS: &str = "<noscript><p class=\"note\">The first ones are listed. Filters, search and \
    reasoning need JavaScript.</p></noscript><form id=\"filters\" role=\"search\" hidden></form>\
    <p id=\"shown\" role=\"status\"></p>";
const MORE: &str = "<button type=\"button\" id=\"more\" hidden>Show more</button>";

/// Heading, key, and what stands in a column.
type Of = (&'static str, &'static str, fn(&NamedVerdict) -> String);

/// The columns after the exchange itself and its server. The script adds class, answer and score where they are
/// asked for.
const COLUMNS: [Of; 3] = [
    ("Outcome", "outcome", |verdict| words(verdict.outcome.name())),
    ("Kind", "kind", |verdict| words(verdict.error_kind.as_deref().unwrap_or_default())),
    ("Certainty", "certainty", |verdict| {
        let doubtful = |it| if it < Certainty::DOUBTFUL { "doubtful: " } else { "" };
        verdict
            .certainty
            .map_or(String::new(), |it| format!("{}{}", doubtful(it), Certainty::words(it)))
    }),
];

fn words(name: &str) -> String {
    name.replace('_', " ")
}

pub(super) fn title(page: &Page) -> &'static str {
    if page.run.summary.classified() == "documents" { "Documents" } else { "Calls" }
}

/// The place of a page where an exchange is explained.
pub(super) fn place_of(key: Key) -> String {
    format!("#exchange/{key}")
}

pub(super) fn exchanges(page: &Page) -> Tag {
    let (showing, chosen) = (&page.showing, &page.run.chosen);
    let (judged, shown) = (page.run.summary.judged(), chosen.len() as u64);
    let sampled = if shown < page.run.manifest.comparable.counts.exchanges {
        let shown = grouped(shown);
        format!(
            ": {shown} of them, sampled to include every server, class and kind of failure; \
             totals are exact"
        )
    } else {
        String::new()
    };
    // A column in which nothing stands is none.
    let mut columns = COLUMNS.to_vec();
    columns.retain(|(.., says)| chosen.iter().any(|row| !says(&row.verdict).is_empty()));
    let title = title(page);
    let heads = columns.iter().map(|(heading, key, _)| Column::left(*heading).sorted_as(key));
    let name = title.trim_end_matches('s');
    let first = [Column::left(name).sorted_as("tool"), Column::left("Server").sorted_as("server")];
    let mut rows = Table::new(first.into_iter().chain(heads));
    for row in chosen.iter().take(STATIC_ROWS) {
        let link = Line::link(showing.name(&row.tool).as_ref(), place_of(row.key));
        let server = Cell::text(Line::recorded(showing.name(&row.server).as_ref()));
        let others = columns.iter().map(|(.., says)| Cell::text(says(&row.verdict)));
        rows.push([Cell::text(link), server].into_iter().chain(others));
    }
    let mut section = Section::new(title);
    section.text(format!("{judged}, worst first{sampled}."));
    html::section("exchanges", &section)
        .put(Html::constant(CONTROLS))
        .put(html::scrolling(html::whole_table(&rows).set("id", "rows"), title))
        .put(Html::constant(MORE))
}

/// More cells than this are not told apart by tool, and then not by server.
const MOST_CELLS: usize = 12_000;
/// So many characters of what a rulebook says of itself are shown.
const LONGEST: usize = 300;

/// What the script of a page reads. Recorded names are numbers among `names`.
#[derive(Debug, Serialize)]
struct Data<'p> {
    total: u64,
    /// What is counted: calls, documents or both.
    classified: &'static str,
    names: Vec<MaskedText>,
    /// Best first.
    outcomes: Vec<Outcome>,
    classes: [Classification; 5],
    answers: [Answer; 5],
    filters: Vec<Filters>,
    /// Exchanges by server, tool and place in `filters`.
    cells: Vec<Counted>,
    by: &'static [&'static str],
    /// What each kind of error means.
    kinds: BTreeMap<&'p str, &'p str>,
    rulebook: RulebookData<'p>,
    /// What patterns look for that hit somewhere on the page.
    patterns: BTreeMap<String, String>,
    verdicts: Vec<VerdictData>,
    issues: Vec<StoredIssue>,
    rows: Vec<RowData>,
    /// What to say of an exchange of which there are no texts.
    without_texts: &'static str,
    /// Certainties below this are doubtful.
    doubtful: f64,
    /// What stands before and after the key in a command that shows everything.
    explain: &'p [String; 2],
}

type Counted = (Option<usize>, Option<usize>, u32, u64);

#[derive(Debug, Serialize)]
struct RulebookData<'p> {
    signals: Vec<SignalData<'p>>,
    /// Names of factors and of their signals, and their weights.
    factors: Vec<(&'p str, Option<&'p str>, f64)>,
    denominator: f64,
    /// Whether a score is at most 1.
    clamp: bool,
    decide: Vec<(&'p str, String)>,
}

#[derive(Debug, Serialize)]
struct SignalData<'p> {
    name: &'p str,
    about: String,
    definition: String,
    /// Whether it is looked for in errors, and in replies that claim success.
    of: [bool; 2],
    /// The patterns that it rests on, as far as they hit somewhere on the page.
    patterns: Vec<String>,
}

#[derive(Debug, Serialize)]
struct VerdictData {
    /// Its place in `filters`.
    filters: u32,
    exchanges: u64,
    #[serde(flatten)]
    verdict: NamedVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<f64>,
    /// The places of the signals of which any one more or less would change the answer.
    flips: Vec<usize>,
}

/// Key, place in `verdicts`, server, tool, file, line, places in `issues`, and the judged text and its input.
#[derive(Debug, Serialize)]
struct RowData(Key, usize, usize, usize, MaskedText, u64, Vec<usize>, Option<[Vec<Piece>; 2]>);

/// A part of a text; numbers among `names` of the patterns that hit it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Piece {
    Plain(MaskedText),
    Hit(MaskedText, Vec<usize>),
}

/// The calls of a page as JSON.
pub(super) fn json(page: &Page) -> String {
    let (run, rulebook) = (&page.run, &page.run.rulebook);
    let showing = &page.showing.of_run(&run.manifest.comparable);
    let name = |text: &str| showing.name(text).to_string();
    let mut names = Numbered::default();
    let mut number = |text: &str| names.insert_full(showing.name(text)).0;
    let (cells, by) = cells(&run.cells, &mut number);
    let filters = run.cells.filters.iter().map(|filters| Filters {
        issues: filters.issues.iter().map(|issue| name(issue)).collect(),
        ..filters.clone()
    });
    let mut hit: HashSet<String> = HashSet::new();
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    let mut known = Numbered::default();
    let (mut verdicts, mut rows) = (Vec::new(), Vec::with_capacity(run.chosen.len()));
    for row in &run.chosen {
        let verdict = *numbers.entry(row.number).or_insert_with(|| {
            hit.extend(row.verdict.hits.iter().cloned());
            verdicts.push(VerdictData::of(row, rulebook, name));
            verdicts.len() - 1
        });
        let mut piece = |(text, patterns): (MaskedText, Vec<String>)| {
            if patterns.is_empty() {
                return Piece::Plain(text);
            }
            let numbers = patterns.iter().map(|pattern| number(pattern)).collect();
            hit.extend(patterns);
            Piece::Hit(text, numbers)
        };
        let texts = row.texts.as_ref().map(|Excerpt { reply, input, spans }| {
            [(reply, spans), (input, &Span::in_input(spans, input))].map(|(text, spans)| {
                showing.pieces(text, spans).into_iter().map(&mut piece).collect()
            })
        });
        let [server, tool] = [&row.server, &row.tool].map(|text| number(text));
        let file = showing.name(&row.file);
        let issues = row.issues.iter().map(|issue| known.insert_full(issue).0).collect();
        rows.push(RowData(row.key, verdict, server, tool, file, row.line, issues, texts));
    }
    let abouts = rulebook.patterns.iter().map(Pattern::about).map(str::to_owned);
    let abouts = rulebook.pattern_names().into_iter().zip(abouts);
    let data = Data {
        total: run.manifest.comparable.counts.exchanges,
        classified: run.summary.classified(),
        outcomes: Outcome::ALL.into_iter().rev().collect(),
        classes: Classification::ALL,
        answers: Answer::LISTED,
        filters: filters.collect(),
        cells,
        by,
        kinds: rulebook.error_kinds.iter().map(|it| (&*it.name, &*it.about)).collect(),
        rulebook: RulebookData::of(rulebook, &hit),
        patterns: abouts.filter(|(name, _)| hit.contains(name)).collect(),
        verdicts,
        issues: known.into_iter().map(|issue| shown(issue, showing)).collect(),
        rows,
        without_texts: if run.manifest.wall.no_text {
            "The run keeps no texts (`output.texts = false`), so the call and its reply are \
             not shown."
        } else {
            "The call plainly worked, so the run keeps no texts of it, and its recording was not \
             found or not read again."
        },
        doubtful: Certainty::DOUBTFUL,
        explain: &page.explain,
        names: names.into_iter().collect(),
    };
    serde_json::to_string(&data).expect("texts and numbers are plain data")
}

/// Cells as fine as there is room for.
fn cells(
    cells: &Cells,
    mut number: impl FnMut(&str) -> usize,
) -> (Vec<Counted>, &'static [&'static str]) {
    const LEVELS: [&[&str]; 3] = [&["server", "tool"], &["server"], &[]];
    let counts_by = |by: &[&str]| {
        let mut counts: BTreeMap<(Option<u32>, Option<u32>, u32), u64> = BTreeMap::new();
        for ([server, tool, filters], count) in &cells.counts {
            let server = (!by.is_empty()).then_some(*server);
            let tool = (by.len() > 1).then_some(*tool);
            *counts.entry((server, tool, *filters)).or_default() += count;
        }
        counts
    };
    let mut levels = LEVELS.into_iter().map(|by| (counts_by(by), by));
    let fits = levels.find(|(counts, by)| counts.len() <= MOST_CELLS || by.is_empty());
    let (counts, by) = fits.unwrap_or_default();
    let mut name = |at: Option<u32>| at.map(|at| number(cells.name_of(at)));
    let counts = counts.into_iter().take(MOST_CELLS);
    let cell = |((server, tool, filters), count)| (name(server), name(tool), filters, count);
    (counts.map(cell).collect(), by)
}

fn shown(issue: &StoredIssue, showing: &Showing) -> StoredIssue {
    StoredIssue {
        severity: issue.severity.clone(),
        kind: showing.name(&issue.kind).to_string(),
        message: showing.message(&issue.message).to_string(),
        location: issue.location.as_deref().map(|place| showing.name(place).to_string()),
        suggestion: issue.suggestion.as_deref().map(|text| showing.words(text).to_string()),
    }
}

impl VerdictData {
    fn of(row: &Chosen, rulebook: &Rulebook, name: impl Fn(&str) -> String) -> Self {
        let mut verdict = NamedVerdict::clone(&row.verdict);
        let recorded = [verdict.error_code.as_mut()].into_iter().flatten();
        let recorded = recorded.chain(verdict.criteria.iter_mut().flatten());
        let keyword = verdict.schema.iter_mut().flat_map(|schema| &mut schema.keyword);
        recorded.chain(keyword).for_each(|text| *text = name(text));
        let mut set = SignalSet::default();
        for (at, signal) in rulebook.signals.iter().enumerate() {
            if verdict.signals.contains(&signal.name) {
                set.insert(at);
            }
        }
        let flips = verdict.business_logic.map(|answer| rulebook.flipping_signals(set, answer));
        let flips = flips.into_iter().flatten();
        Self {
            filters: row.filters,
            exchanges: row.alike,
            certainty: verdict.certainty,
            flips: flips.collect(),
            // The types are among what is filtered by.
            verdict: NamedVerdict { issues: Vec::new(), ..verdict },
        }
    }
}

impl<'p> RulebookData<'p> {
    fn of(rulebook: &'p Rulebook, hit: &HashSet<String>) -> Self {
        let names = rulebook.pattern_names();
        let signals = rulebook.signals.iter().enumerate().map(|(at, signal)| {
            let patterns = signal.patterns.iter();
            let patterns = patterns.filter_map(|number| names.get(usize::from(*number)));
            SignalData {
                name: &signal.name,
                about: cut(&signal.about, LONGEST),
                definition: cut(&signal.outline, LONGEST),
                of: [rulebook.error_signals.has(at), rulebook.success_signals.has(at)],
                patterns: patterns.filter(|name| hit.contains(*name)).cloned().collect(),
            }
        });
        let factors = rulebook.factors.iter().map(|factor| {
            let signal = rulebook.signals.get(factor.signal);
            (&*factor.name, signal.map(|signal| &*signal.name), factor.weight)
        });
        let decide = rulebook.decide.iter().map(|line| {
            let says = match line.decision {
                Decision::Return(true) => "business logic".to_owned(),
                Decision::Return(false) => "not business logic".to_owned(),
                Decision::Threshold(threshold) => format!("threshold {threshold}"),
            };
            (&*line.name, says)
        });
        Self {
            signals: signals.collect(),
            factors: factors.collect(),
            denominator: rulebook.denominator,
            clamp: rulebook.clamp,
            decide: decide.collect(),
        }
    }
}
