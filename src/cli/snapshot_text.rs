//! What `tapecheck snapshot` prints.

use super::Exit;
use super::terminal::{counted, cut, grouped, harmless};
use crate::baseline::{Baseline, Change, Changes, GRAMMAR, Moved, Peek, Place};
use crate::compare::Kind;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How many exchanges that differ are shown of each baseline.
const SHOWN: usize = 10;
/// How much of a line is shown.
const WIDTH: usize = 240;
/// Digits of a digest that are shown.
const DIGITS: usize = 12;

/// What came of one collection under one rulebook.
pub(super) enum Outcome {
    /// There was no baseline, and now there is.
    Created { path: PathBuf, exchanges: u64 },
    /// Nothing differs but the header, which was written anew.
    Renewed { path: PathBuf, exchanges: u64 },
    /// A baseline with other verdicts stands there.
    Refused { path: PathBuf, changed: u64 },
    /// Nothing differs.
    Clean { path: PathBuf, exchanges: u64, moved: Vec<(Moved, [String; 2])> },
    /// There is no baseline.
    Missing { path: PathBuf, exchanges: u64, pending: Option<PathBuf> },
    /// Something differs.
    Differs { path: PathBuf, about: String, has_gone: bool, pending: Option<PathBuf> },
    /// Accepted exchanges that no longer exist were removed.
    Pruned { path: PathBuf, gone: u64 },
}

impl Outcome {
    pub(super) fn differs(
        path: PathBuf,
        accepted: &Baseline,
        now: &Baseline,
        found: &Changes,
        pending: Option<PathBuf>,
    ) -> Self {
        let mut about = kinds(found);
        let moved = Moved::between(&accepted.side.header, &now.side.header);
        about.push_str(&moved_text(&moved));
        // The worst first; what is gone is listed as a whole, since pruning takes all of it away.
        let mut shown: Vec<&Change> =
            found.changes.iter().filter(|change| change.kind != Kind::Gone).collect();
        let rank = |kind: Kind| Kind::ALL.iter().position(|one| *one == kind);
        shown.sort_by_key(|change| rank(change.kind));
        for change in shown.iter().take(SHOWN) {
            about.push_str(&change_text(change, accepted, now));
        }
        if let Some(more @ 1..) = shown.len().checked_sub(SHOWN) {
            let _ = writeln!(about, "  … and {} more", grouped(more as u64));
        }
        for change in found.gone() {
            about.push_str(&change_text(change, accepted, now));
        }
        let has_gone = found.gone().next().is_some();
        Self::Differs { path, about, has_gone, pending }
    }

    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Created { .. }
            | Self::Renewed { .. }
            | Self::Clean { .. }
            | Self::Pruned { .. } => Exit::Clean,
            Self::Refused { .. } | Self::Missing { .. } | Self::Differs { .. } => Exit::Findings,
        }
    }

    /// What to print. `named` is what was named, as it would be typed again behind a verb.
    pub(super) fn text(&self, named: &str) -> String {
        match self {
            Self::Created { path, exchanges } => {
                line("created", path, &counted(*exchanges, "exchange"))
            }
            Self::Renewed { path, exchanges } => line(
                "renewed",
                path,
                &format!("{}, nothing else changed", counted(*exchanges, "exchange")),
            ),
            Self::Refused { path, changed } => {
                let differ = if *changed == 1 { "differs" } else { "differ" };
                let what =
                    format!("{} {differ}, so it was not replaced", counted(*changed, "exchange"));
                let next = format!(
                    "  next: `tapecheck snapshot check {named}` shows what changed, `tapecheck review {named}` accepts it\n"
                );
                line("refused", path, &what) + &next
            }
            Self::Clean { path, exchanges, moved } => {
                let mut text = line("clean", path, &counted(*exchanges, "exchange"));
                if !moved.is_empty() {
                    text.push_str(&moved_text(moved));
                    let _ = writeln!(
                        text,
                        "  no verdict changed; `tapecheck snapshot create {named}` renews the header"
                    );
                }
                text
            }
            Self::Missing { path, exchanges, pending } => {
                let what = format!("no baseline for {}", counted(*exchanges, "exchange"));
                line("missing", path, &what)
                    + &pending_text(pending.as_deref())
                    + &format!("  next: `tapecheck snapshot create {named}` accepts all of it\n")
            }
            Self::Differs { path, about, has_gone, pending } => {
                let mut text = line("differs", path, about.trim_end());
                if *has_gone {
                    let _ = writeln!(
                        text,
                        "  what is gone stays accepted until `tapecheck snapshot prune {named}`"
                    );
                }
                text.push_str(&pending_text(pending.as_deref()));
                let _ = writeln!(
                    text,
                    "  next: `tapecheck review {named}` shows it by cause and accepts or rejects it"
                );
                text
            }
            Self::Pruned { path, gone: 0 } => line("clean", path, "nothing to remove"),
            Self::Pruned { path, gone } => {
                line("pruned", path, &format!("{} removed", counted(*gone, "exchange")))
            }
        }
    }
}

fn line(word: &str, path: &Path, what: &str) -> String {
    format!("{word:<8} {}: {what}\n", harmless(&path.to_string_lossy()))
}

fn pending_text(pending: Option<&Path>) -> String {
    pending.map_or_else(String::new, |path| {
        format!("  waits for a review: {}\n", harmless(&path.to_string_lossy()))
    })
}

/// Exchanges by what became of them, on one line.
fn kinds(found: &Changes) -> String {
    let kinds = found.kinds();
    let counts = Kind::ALL.iter().filter_map(|kind| {
        let count = kinds.get(kind).copied().filter(|count| *count > 0)?;
        Some(format!("{} {}", grouped(count), kind.words()))
    });
    counts.collect::<Vec<_>>().join(", ") + "\n"
}

/// The first digits of a digest.
fn short(digest: &str) -> &str {
    digest.get(..DIGITS).unwrap_or(digest)
}

fn moved_text(moved: &[(Moved, [String; 2])]) -> String {
    let each = moved.iter().map(|(moved, [from, to])| {
        format!("  {} moved: {} -> {}\n", moved.name(), short(from), short(to))
    });
    each.collect()
}

fn change_text(change: &Change, accepted: &Baseline, now: &Baseline) -> String {
    let shown = |sign: &str, baseline: &Baseline, at: Option<u32>| {
        at.map_or_else(String::new, |at| {
            format!("    {sign} {}\n", cut(&baseline.line(at as usize), WIDTH))
        })
    };
    let before = shown("-", accepted, change.accepted);
    format!("  {}\n{before}{}", change.kind.words(), shown("+", now, change.now))
}

/// A line of `tapecheck snapshot list`.
pub(super) fn as_row(place: &Place, peek: Option<&Peek>) -> String {
    let pending = match (place.pending().exists(), peek) {
        (true, Some(_)) => ", changes wait for a review",
        (true, None) => "waits for its first review",
        (false, _) => "",
    };
    let path = harmless(&place.files().next().unwrap_or_default().to_string_lossy());
    let Some(peek) = peek else { return format!("{path}  {pending}\n") };
    let mut row = format!(
        "{path}  {}, corpus {}, rulebook {}, format {GRAMMAR}{pending}\n",
        counted(peek.exchanges, "exchange"),
        short(&peek.header.corpus_digest),
        short(&peek.header.rulebook.digest),
    );
    let counts: Vec<String> =
        peek.counts.iter().map(|(name, count)| format!("{name} {}", grouped(count))).collect();
    let _ = writeln!(row, "  {}", counts.join(", "));
    row
}
