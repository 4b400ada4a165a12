//! A finished run in the formats of other programs, all from one [`Page`].

use super::earlier::{Against, Compared};
use super::lists::{Alarm, Lists, MOST, Page, as_object};
use super::overview::{FEW, instead, issue_types, outcomes, servers, tools, who_must_act};
use super::{PageContext, PageError, html, page};
use crate::compare::show::{MOST_BYTES, as_json, as_markdown};
use crate::store::Comparable;
use crate::verdict::{counted, cut, harmless_json};
use crate::view::markdown::Document;
use crate::view::{Item, Line, Section, Style};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One page that any browser opens.
    Html,
    /// For a pull request, or the summary of a job.
    Markdown,
    Json,
}

/// The run in a folder in one of the formats.
pub fn text(folder: &Path, beside: PageContext, format: Format) -> Result<String, PageError> {
    let write = match format {
        Format::Html => return html(folder, beside, None),
        Format::Json => object,
        Format::Markdown => markdown,
    };
    Ok(write(&page(folder, beside, None, None)?))
}

/// What the object says it is, with the version of its members.
const FORMAT: &str = "tapecheck-report/1";

#[derive(Serialize)]
struct Report<'p> {
    format: &'static str,
    run: &'p Comparable,
    #[serde(flatten)]
    lists: &'p Lists,
    #[serde(serialize_with = "as_object")]
    left_out: [(&'static str, u64); 3],
    changes: Option<Value>,
}

/// One object with everything, bounded.
fn object(page: &Page) -> String {
    let lists = &page.lists;
    let changes = page.against.as_ref().and_then(|against| {
        let mut changes = json!({
            "since": against.name,
            "kind": against.kind,
            "nothing": matches!(against.comparison, Compared::Equal),
        });
        match &against.comparison {
            Compared::Counts => return None,
            Compared::Equal => {}
            Compared::Each(comparison) => changes["comparison"] = as_json(comparison),
        }
        Some(changes)
    });
    let beyond = |all: usize| all.saturating_sub(MOST) as u64;
    let report = Report {
        format: FORMAT,
        run: &page.run.manifest.comparable,
        lists,
        left_out: [
            ("servers", beyond(lists.servers.len())),
            ("tools", beyond(lists.tools.len())),
            ("issue_types", beyond(lists.issue_types.len())),
        ],
        changes,
    };
    // Nothing in it can fail to be written.
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    // What runners of CI systems take for a command, wherever it stands, stays text.
    let text = text.replace("##[", "#\\u0023[");
    text.split('\n').map(harmless_json).collect::<Vec<_>>().join("\n") + "\n"
}

/// So many characters of a sentence are in Markdown.
const SENTENCE: usize = 300;

/// The run in one screen, within what a comment may have.
fn markdown(page: &Page) -> String {
    let mut document = Document::new(MOST_BYTES);
    for section in sections(page) {
        document.push(&section, 2, 0);
    }
    let mut out = document.into_text();
    if let Some(comparison) = page.against.as_ref().and_then(Against::each) {
        let mut comparison = comparison.clone();
        let rest = comparison.groups.split_off(comparison.groups.len().min(FEW));
        let room = MOST_BYTES.saturating_sub(out.len());
        out.push('\n');
        out.push_str(&as_markdown(&comparison, room, "tapecheck diff BEFORE AFTER"));
        if !rest.is_empty() {
            let exchanges = counted(rest.iter().map(|group| group.exchanges).sum(), "call");
            let groups = counted(rest.len() as u64, "more group");
            let _ = write!(out, "\nNot shown: {groups}, with {exchanges}.\n");
        }
    }
    out
}

fn sections(page: &Page) -> Vec<Section> {
    let mut all = vec![head(page)];
    if page.is_empty() {
        all.push(instead(page));
    } else {
        let first = [outcomes(page), who_must_act(page)];
        let rest = [servers(page), tools(page), issue_types(page)];
        let parts = first.into_iter().chain(rest).flatten();
        // The heads of the columns say what they are.
        all.extend(parts.map(|part| Section { title: Line::default(), ..part }));
    }
    if let Some(against) = &page.against {
        let mut changed = Section::default();
        let is_equal = matches!(against.comparison, Compared::Equal);
        let what = if is_equal { "Nothing changed since " } else { "What changed since " };
        changed.text(Line::from(what).join(against.called()).then(":"));
        if is_equal {
            changed.text("same calls, rulebook, checks and program");
        }
        all.push(changed);
    }
    all
}

fn head(page: &Page) -> Section {
    let Lists { headline, sentences, alarms, .. } = &page.lists;
    let mut section = Section::new(format!("tapecheck: {headline}"));
    if !sentences.is_empty() {
        section.text(sentences.join(" "));
    }
    if !alarms.is_empty() {
        section.text(Line::default().styled("Changed, and not back to normal:", Style::Strong));
        let item =
            |alarm: &Alarm| Item::new(format!("{}: {}", alarm.by, cut(&alarm.sentence, SENTENCE)));
        section.items(alarms.iter().take(FEW).map(item).collect());
        section.more(alarms.len(), FEW, "");
    }
    let comparable = &page.run.manifest.comparable;
    let counts = &comparable.counts;
    let files = page.run.summary.unreadable_files.values().sum::<u64>();
    let mut line = Line::from("Rulebook ").then_recorded(&*comparable.rulebook.name).then(format!(
        " {:.12}; {} in {}",
        comparable.rulebook.digest,
        counted(counts.lines, "line"),
        counted(counts.recordings, "recording"),
    ));
    if counts.unreadable + files > 0 {
        let [lines, files] = [(counts.unreadable, "line"), (files, "file")]
            .map(|(count, what)| counted(count, what));
        let words = format!("{lines} and {files} could not be read");
        line = line.then("; ").styled(words, Style::Strong);
    }
    if page.is_empty() {
        line = line.then("; ").styled("no calls were found", Style::Strong);
    }
    section.text(line.then("."));
    section
}
