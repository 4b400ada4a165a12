//! Rules that look at what sides tell of themselves as a whole.

use super::super::Case;
use super::super::report::RuleVerdict;
use super::super::traffic::Traffic;
use super::{Limit, MOST, RuleKind, significance};
use crate::compare::Side;
use crate::compare::chance::{Share, rise};
use crate::verdict::{counted, grouped};
use std::sync::Arc;

pub(super) static UNREADABLE: RuleKind = RuleKind {
    name: "unreadable",
    about: "Where the requests match: no more lines and files than before are unreadable. On \
        other traffic: no larger share of them.",
    keys: &[(
        "significance",
        "On other traffic: what the p-value must be below to count; 0.001 by default.",
    )],
    narrowed_by: &[],
    next: "see which lines and why in `unreadable.csv` of the run",
    read: |table| {
        Some(Arc::new(Unreadable { significance: significance(table, "significance", 0.001) }))
    },
};

pub(super) static UNREADABLE_LINES: RuleKind = RuleKind {
    name: "unreadable_lines",
    about: "No more lines and files than before are unreadable.",
    keys: &[
        (
            "most_growth",
            "How many more there may be than on the earlier side; 0 where `most` is not given.",
        ),
        ("most", "How many there may be."),
    ],
    narrowed_by: &[],
    next: "see which lines and why in `unreadable.csv` of the run",
    read: |table| {
        let most = table.whole("most", MOST);
        let growth = table.whole("most_growth", MOST);
        let most_growth = growth.or_else(|| most.is_none().then_some(0));
        Some(Arc::new(UnreadableLines { most_growth, most }))
    },
};

#[derive(Debug)]
struct UnreadableLines {
    most_growth: Option<u64>,
    most: Option<u64>,
}

/// Unreadable lines and damaged files of a side, and how many are files; `None` where it does not tell.
fn unreadable(side: &Side) -> Option<[u64; 2]> {
    let files = side.header.unreadable_files.as_ref().map_or(0, |files| files.damaged);
    Some([side.header.unreadable?.saturating_add(files), files])
}

impl Limit for UnreadableLines {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let evidence = case.evidence;
        let limits = [
            self.most_growth.map(|growth| format!("at most {} more", grouped(growth))),
            self.most.map(|most| format!("at most {}", grouped(most))),
        ];
        let allowed = limits.into_iter().flatten().collect::<Vec<_>>().join(", and ");
        let sides = [evidence.before, evidence.after];
        // What only one side counts is compared with nothing.
        let counts_files = sides.iter().all(|side| side.header.unreadable_files.is_some());
        let compared = sides.map(|side| {
            let [all, files] = unreadable(side)?;
            Some(if counts_files { all } else { all - files })
        });
        let (Some([mut found, files]), [before, Some(now)]) =
            (unreadable(evidence.after), compared)
        else {
            return unknown("later", allowed);
        };
        let mut most = self.most.unwrap_or(u64::MAX);
        if let Some(growth) = self.most_growth {
            let Some(before) = before else { return unknown("earlier", allowed) };
            let ceiling = before.saturating_add(growth);
            // Where there are two limits, the one that is nearer.
            if i128::from(ceiling) - i128::from(now) <= i128::from(most) - i128::from(found) {
                (most, found) = (ceiling, now);
            }
        }
        let before = before.map_or_else(String::new, |before| format!("{} -> ", grouped(before)));
        let damaged = match files {
            0 => String::new(),
            files if counts_files => format!(", {} of them", counted(files, "damaged file")),
            files => format!(", and {}", counted(files, "damaged file")),
        };
        let measured = format!("{before}{} unreadable lines{damaged}", grouped(now));
        let mut verdict = RuleVerdict::at_most(most as f64, [found as f64, 0.0], measured, allowed);
        if !counts_files {
            let what = "one side counts only lines, so damaged files are not compared";
            verdict.notes.push(what.to_owned());
        }
        verdict
    }
}

fn unknown(side: &str, allowed: String) -> RuleVerdict {
    let because = format!("the {side} side has no count of unreadable lines");
    RuleVerdict::skipped(because, allowed)
}

#[derive(Debug)]
struct Unreadable {
    significance: f64,
}

impl Limit for Unreadable {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let sides = [case.evidence.before, case.evidence.after];
        let files = sides.map(|side| side.header.unreadable_files.as_ref());
        let [before, after] = files.map(|files| files.map_or(0, |files| files.unanswered));
        if after > before {
            let now = counted(after, "file");
            let measured = format!("{now} of calls without a reply, {} before", grouped(before));
            let mut verdict = RuleVerdict::new(false, measured, "no more such files");
            verdict.notes.push("`tapecheck run` names the files that it skips".to_owned());
            return verdict.numbers(after as f64, before as f64);
        }
        if case.traffic == Traffic::Repeated {
            return UnreadableLines { most_growth: Some(0), most: None }.measure(case);
        }
        let allowed = format!("no larger share (p below {})", self.significance);
        let shares = sides.map(|side| {
            let [hits, _] = unreadable(side)?;
            Some(Share { hits, of: hits.saturating_add(side.entries.len() as u64) })
        });
        let (before, after) = match shares {
            [Some(before), Some(after)] => (before, after),
            [_, None] => return unknown("later", allowed),
            [None, _] => return unknown("earlier", allowed),
        };
        let p = rise(before, after);
        let [before, after] =
            [before, after].map(|it| format!("{} of {}", grouped(it.hits), grouped(it.of)));
        let measured = format!("{before} lines before, {after} now (p {p:.1e})");
        RuleVerdict::new(p >= self.significance, measured, allowed).numbers(p, self.significance)
    }
}
