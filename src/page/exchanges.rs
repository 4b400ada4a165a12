//! The table of exchanges: a few rows for those without script, which makes a table of all of them that
//! filters, sorts and searches.

use super::Page;
use super::markup::{Tag, tag};
use super::sample::Chosen;
use super::shown::Showing;
use super::words::{Align, cell, class_words, place_of, section, severity_place};
use crate::compare::{Answer, NamedVerdict};
use crate::verdict::{counted, grouped};

/// So many rows stand in the page itself.
const STATIC_ROWS: usize = 25;

/// A column: its name, what the script calls it, how it stands, and what it says of an exchange.
type Column = (&'static str, &'static str, Align, fn(&NamedVerdict) -> String);

/// The columns after the exchange itself and its server.
const COLUMNS: [Column; 4] = [
    ("Class", "class", Align::Left, |said| class_words(said.class)),
    ("Failure", "answer", Align::Left, |said| match said.standing().answer {
        Answer::NotAsked | Answer::Fine => String::new(),
        other => other.words().to_owned(),
    }),
    ("Kind of error", "kind", Align::Left, |said| {
        said.error_kind.as_deref().unwrap_or_default().replace('_', " ")
    }),
    ("Score", "score", Align::Right, |said| {
        said.score.map_or(String::new(), |score| format!("{score:.2}"))
    }),
];

pub(super) fn exchanges(page: &Page, showing: &Showing) -> Tag {
    let total = page.run.manifest.comparable.counts.exchanges;
    let shown = page.run.chosen.len() as u64;
    let about = if total == 1 {
        "The only exchange is here.".to_owned()
    } else if shown == total {
        format!("All {} are here, worst first.", counted(total, "exchange"))
    } else {
        format!(
            "{} of {} are here, worst first, dealt so that every server, class and kind of failure is \
             among them; totals are exact.",
            grouped(shown),
            counted(total, "exchange")
        )
    };
    let said = |row: &Chosen| &page.run.said[row.said as usize];
    // A column in which nothing stands is none.
    let columns: Vec<Column> = COLUMNS
        .into_iter()
        .filter(|(.., says)| page.run.chosen.iter().any(|row| !says(said(row)).is_empty()))
        .collect();
    let rows = page.run.chosen.iter().take(STATIC_ROWS).map(|row| {
        let link = tag("a").set("href", place_of(&row.key)).text(showing.name(&row.tool));
        let cells = columns.iter().map(|(_, _, align, says)| cell(*align).text(says(said(row))));
        tag("tr")
            .put(tag("th").set("scope", "row").put(link).maybe(wrong(said(row), showing)))
            .put(cell(Align::Left).text(showing.name(&row.server)))
            .all(cells)
    });
    let head = |name: &str, by: &str, align: Align| {
        tag("th").set("scope", "col").class(align.style()).set("data-sort", by).text(name)
    };
    let heads = [head("Exchange", "tool", Align::Left), head("Server", "server", Align::Left)];
    let heads = heads.into_iter().chain(columns.iter().map(|it| head(it.0, it.1, it.2)));
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

/// The worst that was found wrong with an exchange.
fn wrong(said: &NamedVerdict, showing: &Showing) -> Option<Tag> {
    let types = said.issues.iter().filter_map(|issue| issue.split_once(' '));
    let (_, kind) = types.min_by_key(|(severity, _)| severity_place(severity))?;
    let words = showing.name(kind).as_ref().replace('_', " ");
    Some(tag("span").class("of snip").text(words))
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
