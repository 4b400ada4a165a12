//! What the run was made of, and what could not be judged.

use super::Page;
use super::markup::{Html, Tag, tag};
use super::shown::Showing;
use super::words::{card, section};
use crate::verdict::{counted, grouped};

/// So many names are listed.
const FEW: usize = 8;

pub(super) fn about_the_run(page: &Page, showing: &Showing) -> Tag {
    let cards = tag("div")
        .class("cards wide")
        .put(made_of(page))
        .maybe(not_judged(page, showing))
        .put(other_ways(page));
    section("run", "The run").put(cards)
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
    let sessions = if sessions.total == 0 {
        String::new()
    } else {
        format!("{}, {} with errors", grouped(sessions.total), grouped(sessions.failing))
    };
    let rulebook = &manifest.comparable.rulebook;
    card("What it was made of").put(list(vec![
        ("Tapes", grouped(counts.tapes)),
        ("Lines", lines),
        ("Sessions", sessions),
        ("Tools", grouped(summary.tools)),
        ("Overall confidence", format!("{:.1} of 100", summary.overall_confidence)),
        ("Rulebook", format!("{} {}", rulebook.name, short(&rulebook.digest))),
        ("Checks", manifest.comparable.checks.as_deref().map(short).unwrap_or_default()),
        ("Corpus", short(&manifest.comparable.corpus_digest)),
        ("Program", format!("tapecheck {}", manifest.comparable.version)),
        ("Time", format!("{:.1} s", manifest.wall.seconds)),
    ]))
}

/// `None` where all was judged.
fn not_judged(page: &Page, showing: &Showing) -> Option<Tag> {
    let summary = &page.run.summary;
    let lines = summary.rejects.iter().map(|(reason, count)| (reason, *count, "line"));
    let files = summary.rejected_files.iter().map(|(reason, count)| (reason, *count, "file"));
    let mut rows: Vec<Tag> = lines
        .chain(files)
        .filter(|(_, count, _)| *count > 0)
        .map(|(reason, count, what)| {
            tag("li").text(format!("{}: {}", counted(count, what), reason.replace('_', " ")))
        })
        .collect();
    let shown = summary.other_files.iter().take(FEW).map(|other| {
        let name = showing.name(&other.file);
        let detail = showing.words(&other.detail);
        tag("li")
            .text(format!("{} is no tape", name.as_ref()))
            .put(tag("span").class("of").text(format!(" {}", detail.as_ref())))
    });
    rows.extend(shown);
    let left_out = summary.other_files.len().saturating_sub(FEW);
    if left_out > 0 {
        rows.push(tag("li").text(format!("and {left_out} more files in summary.json")));
    }
    if rows.is_empty() {
        return None;
    }
    Some(
        card("What was not judged")
            .put(tag("ul").class("plain").all(rows))
            .put(tag("p").class("note").text("each line and its reason: rejects.csv")),
    )
}

fn other_ways(page: &Page) -> Tag {
    let [before, after] = &page.explain;
    let explain = format!("{before}KEY{after}");
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
}
