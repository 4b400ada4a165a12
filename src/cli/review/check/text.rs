//! What became of each collection, in words.

use crate::baseline::{Baseline, Changes, FORMAT, Head, Moved, Place};
use crate::cli::Exit;
use crate::cli::terminal::{counted, grouped};
use crate::compare::Kind;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Digits of a digest that are shown.
const DIGITS: usize = 12;

/// What came of one collection under one rulebook.
pub(super) enum Outcome {
    /// There was no baseline, and now there is.
    Created { path: PathBuf, exchanges: u64 },
    /// There is a baseline, and what differs from it is decided about.
    Reviewed,
    /// Nothing differs.
    Clean { path: PathBuf, exchanges: u64, moved: Vec<(Moved, [String; 2])> },
    /// Something differs.
    Differs { path: PathBuf, about: String, has_gone: bool },
    /// Accepted exchanges that no longer exist were removed.
    Pruned { path: PathBuf, gone: u64 },
}

impl Outcome {
    pub(super) fn differs(
        path: PathBuf,
        accepted: &Baseline,
        now: &Baseline,
        found: &Changes,
    ) -> Self {
        let mut about = kinds(found);
        let moved = Moved::between(&accepted.side.header, &now.side.header);
        about.push_str(&moved_text(&moved));
        let has_gone = found.gone().next().is_some();
        Self::Differs { path, about, has_gone }
    }

    /// Whether there is more to show or to do.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self, Self::Differs { .. } | Self::Reviewed)
    }

    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Created { .. } | Self::Reviewed | Self::Clean { .. } | Self::Pruned { .. } => {
                Exit::Clean
            }
            Self::Differs { .. } => Exit::Findings,
        }
    }

    /// What to print. `named` is what was named, as it would be typed again behind a verb.
    pub(super) fn text(&self, named: &str) -> String {
        match self {
            Self::Created { path, exchanges } => {
                line("created", path, &counted(*exchanges, "call"))
            }
            Self::Reviewed => String::new(),
            Self::Clean { path, exchanges, moved } => {
                let mut text = line("clean", path, &counted(*exchanges, "call"));
                if !moved.is_empty() {
                    text.push_str(&moved_text(moved));
                    let _ = writeln!(
                        text,
                        "  no verdict changed; `tapecheck review {named} --all` updates the header"
                    );
                }
                text
            }
            Self::Differs { path, about, has_gone } => {
                let mut text = line("differs", path, about.trim_end());
                if *has_gone {
                    let _ = writeln!(
                        text,
                        "  calls that no longer exist stay accepted until `tapecheck review {named} --prune`"
                    );
                }
                text
            }
            Self::Pruned { path, gone: 0 } => line("clean", path, "nothing to remove"),
            Self::Pruned { path, gone } => {
                line("pruned", path, &format!("{} removed", counted(*gone, "call")))
            }
        }
    }
}

fn line(word: &str, path: &Path, what: &str) -> String {
    format!("{word:<8} {}: {what}\n", path.display())
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

fn short(digest: &str) -> &str {
    digest.get(..DIGITS).unwrap_or(digest)
}

fn moved_text(moved: &[(Moved, [String; 2])]) -> String {
    let each = moved.iter().map(|(moved, [from, to])| {
        format!("  {} changed: {} -> {}\n", moved.name(), short(from), short(to))
    });
    each.collect()
}

pub(super) fn as_row(place: &Place, head: Option<&Head>) -> String {
    let pending = match (place.pending().exists(), head) {
        (true, Some(_)) => ", changes wait for a review",
        (true, None) => "waits for its first review",
        (false, _) => "",
    };
    let path = place.files().next().unwrap_or_default();
    let path = path.display();
    let Some(head) = head else { return format!("{path}  {pending}\n") };
    let mut row = format!(
        "{path}  {}, recordings {}, rulebook {}, format {FORMAT}{pending}\n",
        counted(head.calls, "call"),
        short(&head.corpus),
        short(&head.rulebook.digest),
    );
    let counts: Vec<String> =
        head.counts.iter().map(|(name, count)| format!("{name} {}", grouped(count))).collect();
    let _ = writeln!(row, "  {}", counts.join(", "));
    row
}
