//! Who is worst: as many servers and tools as there is room for.

use super::Page;
use super::columns::{FRAME, MOST_COLUMNS, Tall, hole};
use super::counted::Trouble;
use super::markup::{Tag, tag};
use super::shown::Showing;
use super::words::{bar, card, filtered, more, percent};
use crate::verdict::grouped;
use std::collections::BTreeSet;

/// So many are shown at least, so that all of the first screen fits into one.
const LEAST: usize = 5;
/// So many at most, where there is room beside other cards.
const MOST: usize = 10;
/// How tall a row is, about, in pixels, and a second line of it.
const LINE: u32 = 42;
const SECOND_LINE: u32 = 23;
/// So wide a card is inside, about, in pixels.
const WIDTH: usize = 338;

/// A list of who is worst.
struct List {
    title: &'static str,
    /// Rows, and whether each takes two lines.
    rows: Vec<(bool, Tag)>,
    all: usize,
    thing: &'static str,
    place: &'static str,
}

/// The worst servers and tools, as cards that leave as little of the columns empty as can be.
pub(super) fn worst(page: &Page, showing: &Showing, others: &[Tall]) -> Vec<Tall> {
    let lists: Vec<List> = [servers(page, showing), tools(page, showing)]
        .into_iter()
        .filter(|list| !list.rows.is_empty())
        .collect();
    let others: Vec<u32> = others.iter().map(|(height, _)| *height).collect();
    let heights = |counts: &[usize]| -> Vec<u32> {
        let own = lists.iter().zip(counts).map(|(list, count)| list.height(*count));
        others.iter().copied().chain(own).collect()
    };
    let least: Vec<usize> = lists.iter().map(|list| list.rows.len().min(LEAST)).collect();
    let mut best = (hole(&heights(&least), MOST_COLUMNS), least.clone());
    let mut tried = BTreeSet::from([least]);
    for first in LEAST..=MOST {
        for second in LEAST..=MOST {
            let counts: Vec<usize> = lists
                .iter()
                .zip([first, second])
                .map(|(it, most)| it.rows.len().min(most))
                .collect();
            // Short lists come to the same again and again, and each takes thousands of ways to deal.
            if !tried.insert(counts.clone()) {
                continue;
            }
            let empty = hole(&heights(&counts), MOST_COLUMNS);
            if empty < best.0 {
                best = (empty, counts);
            }
        }
    }
    lists.into_iter().zip(best.1).map(|(list, count)| list.card(count)).collect()
}

impl List {
    fn height(&self, count: usize) -> u32 {
        let rows = self.rows.iter().take(count);
        let rows: u32 =
            rows.map(|(is_tall, _)| if *is_tall { LINE + SECOND_LINE } else { LINE }).sum();
        FRAME + 15 + rows + if self.all > count { 30 } else { 0 }
    }

    fn card(self, count: usize) -> Tall {
        let height = self.height(count);
        let left_out = self.all.saturating_sub(count);
        let rows = self.rows.into_iter().take(count).map(|(_, row)| row);
        let card = card(self.title)
            .put(tag("p").class("note").text("the share that failed or does not fully work"))
            .put(tag("ul").class("rows worst").all(rows))
            .maybe(more(left_out, self.thing, self.place));
        (height, card)
    }
}

/// Of a single server there is nothing to compare.
fn servers(page: &Page, showing: &Showing) -> List {
    let cells = &page.run.cells;
    let mut servers = cells.servers();
    let is_one = servers.len() == 1;
    servers.retain(|(_, trouble)| trouble.trouble > 0 && !is_one);
    let rows = servers.iter().take(MOST).map(|(server, trouble)| {
        let name = showing.name(cells.name_of(*server));
        let place = filtered(&[("server", name.as_ref()), ("trouble", "1")]);
        row(place, (name.as_ref(), ""), *trouble)
    });
    List {
        title: "Worst servers",
        rows: rows.collect(),
        all: servers.len(),
        thing: "server",
        place: "the table below",
    }
}

fn tools(page: &Page, showing: &Showing) -> List {
    let cells = &page.run.cells;
    let is_one = cells.servers().len() == 1;
    let mut tools = cells.tools();
    tools.retain(|(_, trouble)| trouble.trouble > 0);
    let rows = tools.iter().take(MOST).map(|((server, tool), trouble)| {
        let [server, tool] = [*server, *tool].map(|name| showing.name(cells.name_of(name)));
        let filters = [("server", server.as_ref()), ("tool", tool.as_ref()), ("trouble", "1")];
        let of = if is_one { "" } else { server.as_ref() };
        row(filtered(&filters), (tool.as_ref(), of), *trouble)
    });
    List {
        title: "Worst tools",
        rows: rows.collect(),
        all: tools.len(),
        thing: "tool",
        place: "tools.csv",
    }
}

fn row(place: String, (name, of): (&str, &str), trouble: Trouble) -> (bool, Tag) {
    let counts = format!("{} of {}", grouped(trouble.trouble), grouped(trouble.exchanges));
    let wide = |text: &str, pixels: usize| text.chars().count() * pixels;
    let width = wide(name, 8) + wide(of, 7) + wide(&counts, 7) + 90;
    let of = (!of.is_empty()).then(|| tag("span").class("of").text(of));
    let row = tag("a")
        .class("row")
        .set("href", place)
        .put(tag("span").class("name").text(format!("{name} ")).maybe(of))
        .put(tag("span").class("of").text(counts))
        .put(tag("span").class("share").text(percent(trouble.share())))
        .put(bar(trouble.share(), "k4"));
    (width > WIDTH, tag("li").put(row))
}
