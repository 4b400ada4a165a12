//! The table of exchanges: a few rows for those without script, which makes a table of all of them that
//! filters, sorts and searches.

use super::lists::Page;
use crate::recording::Key;
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Certainty, grouped};
use crate::view::html::{self, Html, Tag};
use crate::view::{Cell, Column, Line, Section, Table};

/// So many rows stand in the page itself.
const STATIC_ROWS: usize = 25;

const CONTROLS: &str = "<noscript><p class=\"note\">The first ones are listed. Filters, search and \
    reasoning need JavaScript.</p></noscript><form id=\"filters\" role=\"search\" hidden></form>\
    <p id=\"shown\" role=\"status\"></p>";
const MORE: &str = "<button type=\"button\" id=\"more\" hidden>Show more</button>";

/// Heading, key, and what stands in a column.
type Of = (&'static str, &'static str, fn(&NamedVerdict) -> String);

/// The columns after the exchange itself and its server.
const COLUMNS: [Of; 6] = [
    ("Outcome", "outcome", |verdict| words(verdict.outcome.name())),
    ("Class", "class", |verdict| words(verdict.class.name())),
    ("Failure", "answer", |verdict| match verdict.standing().answer {
        Answer::NotAsked | Answer::Fine => String::new(),
        other => other.words().to_owned(),
    }),
    ("Kind of error", "kind", |verdict| words(verdict.error_kind.as_deref().unwrap_or_default())),
    ("Score", "score", |verdict| {
        verdict.score.map_or(String::new(), |score| format!("{score:.2}"))
    }),
    ("Certainty", "certainty", |verdict| {
        let doubtful = |it| if it < Certainty::DOUBTFUL { "doubtful " } else { "" };
        verdict.certainty.map_or(String::new(), |it| format!("{}{it:.2}", doubtful(it)))
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
    let heads = columns.iter().map(|(heading, key, _)| match *key {
        "score" | "certainty" => Column::right(*heading).sorted_as(key),
        _ => Column::left(*heading).sorted_as(key),
    });
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
