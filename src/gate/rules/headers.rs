//! Rules that look at what sides tell of themselves as a whole.

use super::super::evidence::Evidence;
use super::super::report::Measure;
use super::super::traffic::Traffic;
use crate::compare::unpaired::{Share, rise};
use crate::verdict::{counted, grouped};
use std::fmt::Write as _;

/// No more than before cannot be judged.
pub(in crate::gate) fn unreadable_lines(
    evidence: &Evidence<'_>,
    most_growth: Option<u64>,
    most: Option<u64>,
) -> Measure {
    let limits = [
        most_growth.map(|growth| format!("at most {} more", grouped(growth))),
        most.map(|most| format!("at most {}", grouped(most))),
    ];
    let allowed = limits.into_iter().flatten().collect::<Vec<_>>().join(", and ");
    let headers = [&evidence.before.header, &evidence.after.header];
    let [lines_before, Some(lines)] = headers.map(|header| header.unreadable) else {
        return Measure::skipped("the later side has no count of unreadable lines", allowed);
    };
    let damaged = headers.map(|header| header.unreadable_files.as_ref().map(|files| files.damaged));
    let all = lines.saturating_add(damaged[1].unwrap_or_default());
    // What is more than before is told by what both sides count.
    let (before, after) = match damaged {
        [Some(files), Some(_)] => (lines_before.map(|lines| lines.saturating_add(files)), all),
        [None, _] | [_, None] => (lines_before, lines),
    };
    let grown = match (most_growth, before) {
        (None, _) => None,
        (Some(_), None) => {
            return Measure::skipped("the earlier side has no count of unreadable lines", allowed);
        }
        (Some(growth), Some(before)) => Some((after, before.saturating_add(growth))),
    };
    // Where there are two limits, the one that is nearer.
    let limits = grown.into_iter().chain(most.map(|most| (all, most)));
    let (found, ceiling) = limits
        .min_by_key(|(found, ceiling)| i128::from(*ceiling) - i128::from(*found))
        .unwrap_or((all, u64::MAX));
    let mut measured = before.map_or_else(String::new, |before| format!("{} -> ", grouped(before)));
    let _ = write!(measured, "{} unreadable lines", grouped(after));
    let files = damaged[1].filter(|files| *files > 0).map(|files| counted(files, "damaged file"));
    if let Some(files) = &files {
        let words =
            if after == all { format!(", {files} of them") } else { format!(", and {files}") };
        measured.push_str(&words);
    }
    let mut measure =
        Measure::new(found <= ceiling, measured, allowed).numbers(found as f64, ceiling as f64);
    match (damaged, files) {
        ([_, None], _) => measure
            .notes
            .push("the later side counts only lines, so damaged files are unknown".to_owned()),
        ([None, Some(_)], Some(files)) if grown.is_some() => measure.notes.push(format!(
            "whether {files} {} more than before is unknown: the earlier side counts only lines",
            if damaged[1] == Some(1) { "is" } else { "are" },
        )),
        ([_, Some(_)], _) => {}
    }
    measure
}

/// No more lines and files than before cannot be read; on other traffic, no larger share.
pub(in crate::gate) fn unreadable(
    evidence: &Evidence<'_>,
    traffic: Traffic,
    significance: f64,
) -> Measure {
    let files = [evidence.before, evidence.after].map(|side| side.header.unreadable_files.as_ref());
    let [before, after] = files.map(|files| files.map_or(0, |files| files.unanswered));
    if after > before {
        let now = counted(after, "file");
        let measured = format!("{now} of calls without a reply, {} before", grouped(before));
        let allowed = "no more such files".to_owned();
        let mut measure =
            Measure::new(false, measured, allowed).numbers(after as f64, before as f64);
        measure.notes.push("`tapecheck run` names the files that it skips".to_owned());
        return measure;
    }
    if traffic == Traffic::Repeated {
        return unreadable_lines(evidence, Some(0), None);
    }
    let allowed = format!("no larger share (p below {significance})");
    let [before, after] = [evidence.before, evidence.after].map(|side| {
        let files = side.header.unreadable_files.as_ref().map_or(0, |files| files.damaged);
        let hits = side.header.unreadable?.saturating_add(files);
        Some(Share { hits, of: hits.saturating_add(side.entries.len() as u64) })
    });
    let Some(after) = after else {
        return Measure::skipped("the later side has no count of unreadable lines", allowed);
    };
    let Some(before) = before else {
        return Measure::skipped("the earlier side has no count of unreadable lines", allowed);
    };
    let p = rise(before, after);
    let words = |share: Share| {
        let all = grouped(share.of);
        format!("{} of {all}", grouped(share.hits))
    };
    let measured = format!("{} lines before, {} now (p {p:.1e})", words(before), words(after));
    Measure::new(p >= significance, measured, allowed).numbers(p, significance)
}
