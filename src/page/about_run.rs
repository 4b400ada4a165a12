//! What the run was made of, and what could not be judged.

use super::lists::Page;
use crate::store::OtherFile;
use crate::verdict::{counted, grouped};
use crate::view::{Field, Item, Line, Section};
use std::collections::BTreeMap;

/// So many names of a kind are listed.
const FEW: usize = 3;

pub(super) fn about_the_run(page: &Page) -> Section {
    let mut section = Section::new("The run");
    let mut columns = vec![made_of(page)];
    // Where nothing was judged, the first screen says what there was instead.
    if !page.is_empty() {
        let mut column = Section::default();
        let mut part = Section::new("What was not classified");
        part.items(not_judged(page).into_iter().map(Item::new).collect());
        part.note("each line and its reason: unreadable.csv, files: summary.json");
        if part.blocks.len() > 1 {
            column.section(part);
        }
        column.section(other_ways(page));
        columns.push(column);
    }
    section.beside(columns);
    section
}

fn made_of(page: &Page) -> Section {
    let manifest = &page.run.manifest;
    let summary = &page.run.summary;
    let counts = &manifest.comparable.counts;
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    let lines = format!(
        "{} = {} + {} other messages + {}",
        grouped(counts.lines),
        summary.judged(),
        grouped(counts.other_traffic),
        counted(counts.unreadable, "unreadable line")
    );
    let sessions = &summary.sessions;
    let sessions = match [sessions.total, sessions.failing].map(grouped) {
        _ if sessions.total == 0 => String::new(),
        [total, failing] => format!("{total}, {failing} with errors"),
    };
    // What nothing was judged of has no tools and no confidence.
    let of_exchanges = |value: String| if counts.exchanges > 0 { value } else { String::new() };
    let rulebook = &manifest.comparable.rulebook;
    let mut fields = vec![
        Field::new("Recordings", grouped(counts.recordings)),
        Field::new("Lines", lines),
        Field::new("Sessions", sessions),
        Field::new("Tools", of_exchanges(grouped(summary.tools))),
        Field::new(
            "Overall confidence",
            of_exchanges(format!("{:.1} of 100", summary.overall_confidence)),
        ),
        Field::new("Rulebook", format!("{} {}", rulebook.name, short(&rulebook.digest))),
        Field::new("Checks", manifest.comparable.checks.as_deref().map(short).unwrap_or_default()),
        Field::new("Corpus", of_exchanges(short(&manifest.comparable.corpus_digest))),
        Field::new("Program", format!("tapecheck {}", manifest.comparable.version)),
        Field::new("Time", format!("{:.1} s", manifest.wall.seconds)),
    ];
    fields.retain(|field| !field.value.is_empty());
    let mut section = Section::new("Inputs");
    section.fields(fields);
    section
}

/// Lines and files that were not judged, with the reasons.
pub(super) fn not_judged(page: &Page) -> Vec<Line> {
    let summary = &page.run.summary;
    let lines = summary.unreadable.iter().map(|(reason, count)| (reason, *count, "line"));
    let files = summary.unreadable_files.iter().map(|(reason, count)| (reason, *count, "file"));
    let mut rows: Vec<Line> = lines
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
        let listed = files.len() as u64;
        let count = summary.skipped.get(kind).map_or(listed, |reasons| reasons.values().sum());
        let mut line = Line::from(format!("{}: {kind}", counted(count, "file")));
        for (at, file) in files.iter().take(FEW).enumerate() {
            let name = page.showing.name(&file.file);
            line = line.then(if at == 0 { " " } else { ", " }).then_recorded(name.as_ref());
        }
        match usize::try_from(count).unwrap_or(usize::MAX).saturating_sub(FEW) {
            0 => line,
            unnamed => line.then(format!(", and {unnamed} more")),
        }
    }));
    rows
}

fn other_ways(page: &Page) -> Section {
    let [before, after] = &page.explain;
    let mut section = Section::new("Where the numbers come from");
    section.text(
        "All of this comes from the run's folder: rates.csv, tools.csv, issue_types.csv, and every \
         call in verdicts.parquet. To see the reasoning behind one verdict, in the folder where the \
         run was made:",
    );
    section.text(Line::command(format!("{before}KEY{after}")));
    section
}
