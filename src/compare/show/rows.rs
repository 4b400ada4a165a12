//! A comparison as rows: every flip, and every group.

use crate::compare::{
    ByLabel, Cause, Comparison, Entry, Flip, Group, Kind, Matched, Origin, Proof, Side,
};
use crate::recording::Key;
use crate::store::{NamedVerdict, ReportError, ResultTables, Table};
use crate::verdict::{Answer, Classification, Judgement};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

const FORMAT: &str = "tapecheck-diff/1";

/// Everything apart from the list of all flips, which is a table.
pub fn as_json(comparison: &Comparison) -> Value {
    #[derive(Serialize)]
    struct Shown<'c> {
        format: &'static str,
        #[serde(flatten)]
        comparison: &'c Comparison,
    }
    json!(Shown { format: FORMAT, comparison })
}

#[derive(Serialize)]
struct FlipRow<'c> {
    key: Key,
    key_before: Option<Key>,
    request_key: Key,
    file: &'c str,
    line: u32,
    server: &'c str,
    tool: &'c str,
    kind: Kind,
    matched: Option<Matched>,
    #[serde(flatten)]
    group: Option<OfGroup<'c>>,
    from: Option<Said<'c>>,
    to: Option<Said<'c>>,
    by_label: Option<ByLabel>,
}

#[derive(Serialize)]
struct OfGroup<'c> {
    group: &'c str,
    origin: Origin,
    proof: &'static str,
    causes: Vec<&'c str>,
}

/// What was said on one side; nothing but class and answer of what is told in part.
#[derive(Serialize)]
struct Said<'c> {
    class: Classification,
    answer: Answer,
    confidence_percent: Option<f64>,
    score: Option<f64>,
    decided_by: Option<&'c str>,
}

#[derive(Serialize)]
struct GroupRow<'c> {
    group: &'c str,
    kind: Kind,
    origin: Origin,
    causes: Vec<&'c str>,
    changes: String,
    #[serde(flatten)]
    proof: &'c Proof,
    from: Judgement,
    to: Judgement,
    exchanges: u64,
    servers: u64,
    tools: u64,
    now_right: Option<u64>,
    now_wrong: Option<u64>,
}

/// Writes the tables `flips` and `groups` into a folder. Of the later verdicts that are told in part, if any are, nothing but
/// class and answer is.
pub fn write_tables(
    folder: &Path,
    comparison: &Comparison,
    sides: [&Side; 2],
    is_in_part: &[bool],
) -> Result<(), ReportError> {
    let mut tables = ResultTables::begin(folder)?;
    let flips = comparison.flips.iter().filter_map(|flip| {
        let group = flip.group.and_then(|at| comparison.groups.get(at as usize));
        flip_row(flip, group, sides, is_in_part)
    });
    tables.write_rows(Table::Flips, flips)?;
    tables.write_rows(Table::Groups, comparison.groups.iter().map(group_row))?;
    Ok(tables.finish(&Table::OF_COMPARISONS)?)
}

fn cause_names(group: &Group) -> Vec<&str> {
    group.explanation.causes.iter().map(|Cause { name, .. }| name.as_str()).collect()
}

/// `None` of a flip that is on neither side.
fn flip_row<'c>(
    flip: &Flip,
    group: Option<&'c Group>,
    [before, after]: [&'c Side; 2],
    is_in_part: &[bool],
) -> Option<FlipRow<'c>> {
    let entry = |side: &'c Side, at: Option<u32>| at.map(|at| &side.entries[at as usize]);
    let (from, to) = (entry(before, flip.before), entry(after, flip.after));
    let (side, shown) = to.map(|to| (after, to)).or(from.map(|from| (before, from)))?;
    let is_whole = |entry: &Entry| is_in_part.get(entry.verdict as usize) != Some(&true);
    Some(FlipRow {
        key: shown.key,
        key_before: from.map(|entry| entry.key),
        request_key: shown.request,
        file: side.names.get(shown.file),
        line: shown.line,
        server: side.names.get(shown.server),
        tool: side.names.get(shown.tool),
        kind: flip.kind,
        matched: flip.matched,
        group: group.map(|group| OfGroup {
            group: &group.id,
            origin: group.explanation.origin,
            proof: group.explanation.proof.name(),
            causes: cause_names(group),
        }),
        from: from.map(|entry| Said::of(before.verdict(entry.verdict), true)),
        to: to.map(|entry| Said::of(after.verdict(entry.verdict), is_whole(entry))),
        by_label: flip.by_label,
    })
}

impl<'c> Said<'c> {
    fn of(verdict: &'c NamedVerdict, is_whole: bool) -> Self {
        Self {
            class: verdict.class,
            answer: verdict.judgement().answer,
            confidence_percent: is_whole.then_some(verdict.confidence),
            score: verdict.score.filter(|_| is_whole),
            decided_by: verdict.decided_by.as_deref().filter(|_| is_whole),
        }
    }
}

fn group_row(group: &Group) -> GroupRow<'_> {
    let Group { id, kind, explanation, from, to, exchanges, servers, tools, by_labels, .. } = group;
    let changes = explanation.causes.iter().map(|cause| cause.change.as_str());
    let labelled = |by_label| (!by_labels.is_empty()).then(|| by_labels.get(by_label));
    GroupRow {
        group: id,
        kind: *kind,
        origin: explanation.origin,
        causes: cause_names(group),
        changes: changes.collect::<Vec<_>>().join("; "),
        proof: &explanation.proof,
        from: *from,
        to: *to,
        exchanges: *exchanges,
        servers: *servers,
        tools: *tools,
        now_right: labelled(ByLabel::NowRight),
        now_wrong: labelled(ByLabel::NowWrong),
    }
}
