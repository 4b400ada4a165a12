//! The page around its sections, and the verdict at its top.

use super::lists::Page;
use super::{about_run, acts, earlier, exchanges, overview, paths, trends, truth};
use crate::view::Section;
use crate::view::html::{Html, Tag, blocks, section, tag};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// So many of the files and folders that were read are named.
const INPUTS: usize = 3;

pub(super) fn document(page: &Page) -> Html {
    let has_exchanges = !page.run.chosen.is_empty();
    let first = tag("section").set("id", "tonight").set("aria-labelledby", "verdict");
    let first = first.put(verdict(page)).all(blocks(&overview::first_screen(page)));
    let mut sections: Vec<(&str, &str, Tag)> = vec![("tonight", "Tonight", first)];
    let mut add = |id, name, part: Option<Section>| {
        sections.extend(part.map(|part| (id, name, section(id, &part))));
    };
    add("act", "Act", acts::lists(page));
    add("trends", "Trends", trends::trends(page));
    add(earlier::SECTION, "Changes", earlier::changes(page));
    add("accuracy", "Accuracy", truth::truth(page));
    if has_exchanges {
        sections.push(("exchanges", exchanges::title(page), exchanges::exchanges(page)));
    }
    sections.push(("run", "Run", section("run", &about_run::about_the_run(page))));
    let mut links = Html::default();
    for (id, name, _) in &sections {
        links.push(tag("li").put(tag("a").set("href", format!("#{id}")).text(name)));
    }
    let mut shown = Html::default();
    for (.., section) in sections {
        shown.push(section);
    }
    let mut data = Html::default();
    if has_exchanges {
        let json = Html::json(&exchanges::json(page));
        data = Html::filled(include_str!("exchanges.html"), &[("json", json)]);
    }
    let parts = [
        ("policy", Html::text(policy())),
        ("title", Html::text(title(page))),
        ("style", Html::constant(STYLE)),
        ("links", links),
        ("sections", shown),
        ("data", data),
        ("script", Html::constant(SCRIPT)),
    ];
    Html::filled(include_str!("page.html"), &parts)
}

fn title(page: &Page) -> String {
    let manifest = &page.run.manifest;
    let day = manifest.wall.started_at.split('T').next().unwrap_or_default();
    format!("tapecheck · {} · {day}", manifest.comparable.rulebook.name)
}

/// What was read when and by which rulebook, and what became of the calls.
fn verdict(page: &Page) -> Tag {
    let manifest = &page.run.manifest;
    let inputs = &manifest.wall.inputs;
    let name = |input: &String| match &**input {
        "-" => "standard input".to_owned(),
        path => paths::shown(path),
    };
    let mut recordings: Vec<String> = inputs.iter().take(INPUTS).map(name).collect();
    if inputs.len() > INPUTS {
        recordings.push(format!("and {} more", inputs.len() - INPUTS));
    }
    let mut parts = vec![
        manifest.wall.started_at.replace('T', " ").replace('Z', " UTC"),
        format!("rulebook {}", manifest.comparable.rulebook.name),
        page.showing.words(&recordings.join(", ")).to_string(),
    ];
    parts.retain(|part| !part.is_empty());
    let parts = parts.into_iter().map(|part| tag("span").text(part));
    let verdict = tag("div").class("verdict").put(tag("p").class("eyebrow").all(parts));
    let verdict = verdict.put(tag("h1").set("id", "verdict").text(&page.lists.headline));
    match page.lists.sentences.join(" ") {
        none if none.is_empty() => verdict,
        rest => verdict.put(tag("p").class("lead").text(rest)),
    }
}

/// What a page may do: run its own script and wear its own style, and nothing else.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

fn hash(source: &str) -> String {
    STANDARD.encode(Sha256::digest(source.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_browsers_compute() {
        // The digest of nothing is known to everybody.
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert!(policy().contains(&hash(SCRIPT)));
    }

    #[test]
    fn neither_can_end_its_element_nor_write_markup() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        for means in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!SCRIPT.contains(means), "{means}");
        }
    }
}
