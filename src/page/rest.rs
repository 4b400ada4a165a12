//! What the run was made of, and what could not be judged.

use super::Page;
use super::columns::{FRAME, columns};
use super::markup::{Html, Tag, tag};
use super::paths::is_of_machine;
use super::shown::Showing;
use super::words::{card, section};
use crate::store::OtherFile;
use crate::verdict::{counted, grouped};
use crate::view::Line;
use std::collections::BTreeMap;

/// Where each line that was not judged is told of, and each file.
pub(super) const WHERE_LINES: &str = "each line and its reason: rejects.csv";
pub(super) const WHERE_FILES: &str = "files: summary.json";

/// So many names of a kind are listed.
const FEW: usize = 3;

pub(super) fn about_the_run(page: &Page, showing: &Showing) -> Tag {
    // Where nothing was judged, the first screen says what there was instead.
    let has_exchanges = page.run.manifest.comparable.counts.exchanges > 0;
    let mut cards = vec![(FRAME + 285, made_of(page))];
    if has_exchanges {
        let rows = u32::try_from(not_judged_rows(page, showing).len()).unwrap_or_default();
        cards.extend(not_judged(page, showing).map(|card| (FRAME + 10 + 30 * rows, card)));
        cards.push((FRAME + 135, other_ways(page)));
    }
    section("run", "The run").put(columns(cards, 2))
}

fn list(rows: Vec<(&'static str, String)>) -> Tag {
    let rows = rows.into_iter().filter(|(_, value)| !value.is_empty());
    tag("dl").class("facts").all(
        rows.map(|(name, value)| tag("div").put(tag("dt").text(name)).put(tag("dd").text(value))),
    )
}

fn made_of(page: &Page) -> Tag {
    let manifest = &page.run.manifest;
    let summary = &page.run.summary;
    let counts = &manifest.comparable.counts;
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    let lines = format!(
        "{} = {} + {} other traffic + {}",
        grouped(counts.lines),
        counted(counts.exchanges, "exchange"),
        grouped(counts.other_traffic),
        counted(counts.rejects, "reject")
    );
    let sessions = &summary.sessions;
    let sessions = match (sessions.total, sessions.failing) {
        (0, _) => String::new(),
        (total, 0) => format!("{}, none with errors", grouped(total)),
        (total, failing) => format!("{}, {} with errors", grouped(total), grouped(failing)),
    };
    // What nothing was judged of has no tools and no confidence.
    let of_exchanges = |value: String| if counts.exchanges > 0 { value } else { String::new() };
    let rulebook = &manifest.comparable.rulebook;
    card("What it was made of").put(list(vec![
        ("Tapes", grouped(counts.tapes)),
        ("Lines", lines),
        ("Sessions", sessions),
        ("Tools", of_exchanges(grouped(summary.tools))),
        ("Overall confidence", of_exchanges(format!("{:.1} of 100", summary.overall_confidence))),
        ("Rulebook", format!("{} {}", rulebook.name, short(&rulebook.digest))),
        ("Checks", manifest.comparable.checks.as_deref().map(short).unwrap_or_default()),
        ("Corpus", of_exchanges(short(&manifest.comparable.corpus_digest))),
        ("Program", format!("tapecheck {}", manifest.comparable.version)),
        ("Time", format!("{:.1} s", manifest.wall.seconds)),
    ]))
}

/// `None` where all was judged.
fn not_judged(page: &Page, showing: &Showing) -> Option<Tag> {
    let rows = not_judged_rows(page, showing);
    (!rows.is_empty()).then(|| {
        let rows = rows.into_iter().map(Found::row);
        card("What was not judged")
            .put(tag("ul").class("plain").all(rows))
            .put(tag("p").class("note").text(format!("{WHERE_LINES}, {WHERE_FILES}")))
    })
}

/// Something that was read and not judged.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) words: String,
    /// The names of a few.
    pub(super) names: Vec<String>,
    /// How many there are beside them.
    pub(super) unnamed: usize,
}

impl Found {
    /// In a line, each name as it is shown there.
    pub(super) fn line(&self, words: String, name: impl Fn(&str) -> String) -> String {
        let names = self.names_as(name);
        if names.is_empty() { words } else { format!("{words} {names}") }
    }

    pub(super) fn view(&self) -> Line {
        let mut line = Line::from(&*self.words);
        for (at, name) in self.names.iter().enumerate() {
            line = line.then(if at == 0 { " " } else { ", " }).then_recorded(name);
        }
        match self.unnamed {
            0 => line,
            unnamed => line.then(format!(", and {unnamed} more")),
        }
    }

    pub(super) fn row(self) -> Tag {
        let names = self.names_as(str::to_owned);
        let names = (!names.is_empty()).then(|| tag("span").class("of").text(format!(" {names}")));
        tag("li").text(self.words).maybe(names)
    }

    fn names_as(&self, name: impl Fn(&str) -> String) -> String {
        let mut names: Vec<String> = self.names.iter().map(|one| name(one)).collect();
        if self.unnamed > 0 {
            names.push(format!("and {} more", self.unnamed));
        }
        names.join(", ")
    }
}

impl From<String> for Found {
    fn from(words: String) -> Self {
        Self { words, names: Vec::new(), unnamed: 0 }
    }
}

/// Lines and files that were not judged, with the reasons.
pub(super) fn not_judged_rows(page: &Page, showing: &Showing) -> Vec<Found> {
    let summary = &page.run.summary;
    let lines = summary.rejects.iter().map(|(reason, count)| (reason, *count, "line"));
    let files = summary.rejected_files.iter().map(|(reason, count)| (reason, *count, "file"));
    let mut rows: Vec<Found> = lines
        .chain(files)
        .filter(|(_, count, _)| *count > 0)
        .map(|(reason, count, what)| {
            format!("{}: {}", counted(count, what), reason.replace('_', " ")).into()
        })
        .collect();
    let mut kinds: BTreeMap<&str, Vec<&OtherFile>> = BTreeMap::new();
    for other in &summary.other_files {
        kinds.entry(&other.kind).or_default().push(other);
    }
    rows.extend(kinds.into_iter().map(|(kind, files)| {
        let names = files.iter().take(FEW).map(|file| showing.name(&file.file));
        Found {
            words: format!("{}: {kind}", counted(files.len() as u64, "file")),
            names: names.map(|name| name.as_ref().to_owned()).collect(),
            unnamed: files.len().saturating_sub(FEW),
        }
    }));
    rows
}

fn other_ways(page: &Page) -> Tag {
    let [before, after] = &page.explain;
    let explain = format!("{before}KEY{after}");
    let is_elsewhere = page.run.manifest.wall.inputs.iter().any(|input| is_of_machine(input));
    let command = |words: &str| -> Html { tag("code").text(words).into() };
    card("Where the numbers come from")
        .put(
            tag("p")
                .text("Everything here is in the run's folder: ")
                .put(command("rates.csv"))
                .text(", ")
                .put(command("tools.csv"))
                .text(", ")
                .put(command("issue_types.csv"))
                .text(", and every exchange in ")
                .put(command("verdicts.parquet"))
                .text(". The whole reasoning behind one verdict:"),
        )
        .put(tag("pre").class("command").set("tabindex", "0").text(explain))
        .maybe(is_elsewhere.then(|| {
            let words = "Without the folders before them: run it where these tapes lie.";
            tag("p").class("note").text(words)
        }))
}
