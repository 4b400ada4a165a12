//! The table of exchanges: a few rows for those without script, which makes a table of all of them that
//! filters, sorts and searches.

use super::Page;
use super::markup::{Tag, tag};
use super::shown::Showing;
use super::words::{Align, cell, class_words, place_of, section};
use crate::verdict::{counted, grouped};

/// So many rows stand in the page itself.
const STATIC_ROWS: usize = 25;

/// The columns: name, by what the script sorts, how they stand.
const COLUMNS: [(&str, &str, Align); 6] = [
    ("Tool", "tool", Align::Left),
    ("Server", "server", Align::Left),
    ("Class", "class", Align::Left),
    ("Failure", "answer", Align::Left),
    ("Kind of error", "kind", Align::Left),
    ("Score", "score", Align::Right),
];

pub(super) fn exchanges(page: &Page, showing: &Showing) -> Tag {
    let total = page.run.manifest.comparable.counts.exchanges;
    let shown = page.run.chosen.len() as u64;
    let about = if shown == total {
        format!("All {} are here.", counted(total, "exchange"))
    } else {
        format!(
            "{} of {} are here, dealt so that every server, class and kind of failure is among them; \
             totals are exact.",
            grouped(shown),
            counted(total, "exchange")
        )
    };
    let rows = page.run.chosen.iter().take(STATIC_ROWS).map(|row| {
        let said = &page.run.said[row.said as usize];
        let standing = said.standing();
        let answer = match standing.answer {
            crate::compare::Answer::NotAsked => "",
            other => other.words(),
        };
        let link = tag("a").set("href", place_of(&row.key)).text(showing.name(&row.tool));
        tag("tr")
            .put(tag("th").set("scope", "row").put(link))
            .put(cell(Align::Left).text(showing.name(&row.server)))
            .put(cell(Align::Left).text(class_words(standing.class)))
            .put(cell(Align::Left).text(answer))
            .put(cell(Align::Left).text(said.error_kind.clone().unwrap_or_default()))
            .put(cell(Align::Right).text(said.score.map_or(String::new(), |it| format!("{it:.2}"))))
    });
    let heads = COLUMNS.map(|(name, by, align)| {
        let style = match align {
            Align::Left => "left",
            Align::Right => "right",
        };
        tag("th").set("scope", "col").class(style).set("data-sort", by).text(name)
    });
    let table = tag("table")
        .set("id", "rows")
        .put(tag("caption").class("unseen").text("Exchanges"))
        .put(tag("thead").put(tag("tr").all(heads)))
        .put(tag("tbody").all(rows));
    section("exchanges", "Exchanges")
        .put(tag("p").class("about").text(about))
        .put(tag("noscript").put(tag("p").class("note").text(
            "The first of them are listed. Filters, search and reasoning need the page's script.",
        )))
        .put(tag("form").set("id", "filters").set("role", "search").set("hidden", ""))
        .put(tag("p").set("id", "shown").set("role", "status"))
        .put(
            tag("div")
                .class("scroll")
                .set("role", "region")
                .set("tabindex", "0")
                .set("aria-label", "Exchanges")
                .put(table),
        )
        .put(
            tag("button")
                .set("type", "button")
                .set("id", "more")
                .set("hidden", "")
                .text("Show more"),
        )
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
