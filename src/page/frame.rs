//! The page around its sections.

use super::headline::verdict;
use super::night::Page;
use super::policy::{SCRIPT, STYLE, policy};
use super::{changes, data, exchanges, rest, tonight, trends, truth};
use crate::view::Section;
use crate::view::html::{Html, Tag, blocks, section, tag};

pub(super) fn document(page: &Page) -> Html {
    let has_exchanges = !page.run.chosen.is_empty();
    let first = tag("section").set("id", "tonight").set("aria-labelledby", "verdict");
    let first = first.put(verdict(page));
    let first = first.all(blocks(&tonight::first_screen(page)));
    let mut sections: Vec<(&str, &str, Tag)> = vec![("tonight", "Tonight", first)];
    let mut add = |id, name, part: Option<Section>| {
        sections.extend(part.map(|part| (id, name, section(id, &part))));
    };
    add("trends", "Trends", trends::trends(page));
    add(changes::SECTION, "Changes", changes::changes(page));
    add("accuracy", "Accuracy", truth::truth(page));
    if has_exchanges {
        sections.push(("exchanges", exchanges::title(page), exchanges::exchanges(page)));
    }
    sections.push(("run", "Run", section("run", &rest::about_the_run(page))));
    let links = sections
        .iter()
        .map(|(id, name, _)| tag("li").put(tag("a").set("href", format!("#{id}")).text(name)));
    let top = tag("header").class("top").put(
        tag("div")
            .class("inside")
            .put(tag("span").class("brand").text("tapecheck"))
            .put(tag("nav").set("aria-label", "Sections").put(tag("ul").all(links)))
            .put(
                tag("button")
                    .set("type", "button")
                    .set("id", "theme")
                    .set("hidden", "")
                    .text("Theme: auto"),
            ),
    );
    let main = tag("main")
        .set("id", "main")
        .set("tabindex", "-1")
        .all(sections.into_iter().map(|(.., section)| section));
    let mut body = tag("body")
        .put(tag("a").class("skip").set("href", "#main").text("Skip to the report"))
        .put(top)
        .put(main);
    if has_exchanges {
        let data = data::Data::of(&page.run, &page.showing, page.explain.clone());
        body = body.put(exchanges::dialog()).put(
            tag("script")
                .set("type", "application/json")
                .set("id", "data")
                .put(Html::json(&data.json())),
        );
    }
    let head = tag("head")
        .put(tag("meta").set("charset", "utf-8"))
        .put(tag("meta").set("http-equiv", "Content-Security-Policy").set("content", policy()))
        .put(
            tag("meta")
                .set("name", "viewport")
                .set("content", "width=device-width, initial-scale=1"),
        )
        .put(tag("meta").set("name", "referrer").set("content", "no-referrer"))
        .put(tag("title").text(title(page)))
        .put(tag("style").put(Html::constant(STYLE)));
    let html = tag("html")
        .set("lang", "en")
        .put(head)
        .put(body.put(tag("script").put(Html::constant(SCRIPT))));
    let mut document = Html::constant("<!doctype html>\n");
    document.push(html);
    document.push(Html::constant("\n"));
    document
}

fn title(page: &Page) -> String {
    let manifest = &page.run.manifest;
    let day = manifest.wall.started_at.split('T').next().unwrap_or_default();
    format!("tapecheck · {} · {day}", manifest.comparable.rulebook.name)
}
