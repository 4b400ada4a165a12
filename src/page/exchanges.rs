//! The table of exchanges: a few rows for those without script, which makes a table of all of them that
//! filters, sorts and searches.

use super::night::Page;
use super::shown::Showing;
use super::words::{place_of, severity_place};
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Certainty, grouped};
use crate::view::html::{self, Tag, tag};
use crate::view::{Cell, Column, Line, Section, Table};

/// So many rows stand in the page itself.
const STATIC_ROWS: usize = 25;

/// A column after the exchange itself and its server.
struct Of {
    column: Column,
    says: fn(&NamedVerdict) -> String,
}

fn columns() -> [Of; 6] {
    let of = |column, says| Of { column, says };
    [
        of(Column::left("Outcome").sorted_as("outcome"), |verdict| {
            verdict.outcome.name().replace('_', " ")
        }),
        of(Column::left("Class").sorted_as("class"), |verdict| {
            verdict.class.name().replace('_', " ")
        }),
        of(Column::left("Failure").sorted_as("answer"), |verdict| {
            match verdict.standing().answer {
                Answer::NotAsked | Answer::Fine => String::new(),
                other => other.words().to_owned(),
            }
        }),
        of(Column::left("Kind of error").sorted_as("kind"), |verdict| {
            verdict.error_kind.as_deref().unwrap_or_default().replace('_', " ")
        }),
        of(Column::right("Score").sorted_as("score"), |verdict| {
            verdict.score.map_or(String::new(), |score| format!("{score:.2}"))
        }),
        of(Column::right("Certainty").sorted_as("certainty"), |verdict| {
            verdict.certainty.map_or(String::new(), |certainty| {
                let doubtful = if certainty < Certainty::DOUBTFUL { "doubtful " } else { "" };
                format!("{doubtful}{certainty:.2}")
            })
        }),
    ]
}

pub(super) fn title(page: &Page) -> &'static str {
    if page.run.summary.classified() == "documents" { "Documents" } else { "Calls" }
}

pub(super) fn exchanges(page: &Page) -> Tag {
    let showing = &page.showing;
    let total = page.run.manifest.comparable.counts.exchanges;
    let shown = page.run.chosen.len() as u64;
    let about = if total == 1 {
        let judged = page.run.summary.judged();
        format!("The only {}.", judged.trim_start_matches("1 "))
    } else if shown == total {
        format!("All {}, worst first.", page.run.summary.judged())
    } else {
        format!(
            "{} of {}, worst first, sampled to include every server, class and kind of failure; \
             totals are exact.",
            grouped(shown),
            page.run.summary.judged()
        )
    };
    // A column in which nothing stands is none.
    let columns: Vec<Of> = columns()
        .into_iter()
        .filter(|of| page.run.chosen.iter().any(|row| !(of.says)(&row.verdict).is_empty()))
        .collect();
    let title = title(page);
    let name = title.trim_end_matches('s');
    let first = [Column::left(name).sorted_as("tool"), Column::left("Server").sorted_as("server")];
    let heads = first.into_iter().chain(columns.iter().map(|of| of.column.clone()));
    let mut rows = Table::new(heads);
    for row in page.run.chosen.iter().take(STATIC_ROWS) {
        let link = Line::link(showing.name(&row.tool).as_ref(), place_of(row.key));
        let name = link.then_soft(wrong(&row.verdict, showing).unwrap_or_default());
        let server = Cell::text(Line::recorded(showing.name(&row.server).as_ref()));
        let others = columns.iter().map(|of| Cell::text((of.says)(&row.verdict)));
        rows.push([Cell::text(name), server].into_iter().chain(others));
    }
    let mut section = Section::new(title);
    section.text(about);
    html::section("exchanges", &section)
        .put(
            tag("noscript").put(
                tag("p").class("note").text(
                    "The first ones are listed. Filters, search and reasoning need JavaScript.",
                ),
            ),
        )
        .put(tag("form").set("id", "filters").set("role", "search").set("hidden", ""))
        .put(tag("p").set("id", "shown").set("role", "status"))
        .put(html::scrolling(html::whole_table(&rows).set("id", "rows"), title))
        .put(
            tag("button")
                .set("type", "button")
                .set("id", "more")
                .set("hidden", "")
                .text("Show more"),
        )
}

/// The worst that was found wrong with an exchange.
fn wrong(verdict: &NamedVerdict, showing: &Showing) -> Option<String> {
    let types = verdict.issues.iter().filter_map(|issue| issue.split_once(' '));
    let (_, kind) = types.min_by_key(|(severity, _)| severity_place(severity))?;
    Some(format!(" {}", showing.name(kind).as_ref().replace('_', " ")))
}

/// Where an exchange is explained.
pub(super) fn dialog() -> Tag {
    tag("dialog").set("id", "exchange").set("aria-labelledby", "exchange-title").put(
        tag("div")
            .class("sheet")
            .put(
                tag("div")
                    .class("bar-top")
                    .put(tag("h2").set("id", "exchange-title").set("tabindex", "-1"))
                    .put(
                        tag("button")
                            .set("type", "button")
                            .set("id", "close")
                            .set("aria-label", "Close")
                            .text("×"),
                    ),
            )
            .put(tag("div").set("id", "reasoning")),
    )
}
