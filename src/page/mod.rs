//! A finished run as one file that any browser opens from disk, without a network: what happened, what
//! changed, and the reasoning behind a bounded sample of exchanges.
//!
//! What a page says are sections of the view, made from a [`night::Page`] and a sample of exchanges; the
//! view writes them as HTML and escapes. Secrets are masked by `shown` alone. A content-security policy
//! allows the page's own style and script and nothing else.

mod changes;
mod counted;
mod data;
mod earlier;
mod exchanges;
mod formats;
mod frame;
mod headline;
mod night;
mod paths;
mod policy;
mod read;
mod rest;
mod sample;
mod shown;
mod tonight;
mod trends;
mod truth;
mod words;

pub use earlier::{Against, Closeness, Earlier};
pub use formats::{Format, text};
pub use paths::{in_command, shown as path_shown};
pub use read::{PageError, Place};
pub use sample::Sampler;

use crate::count::CountedGroups;
use crate::measure::stats::Glance;
use crate::recording::Key;
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::store::{Excerpt, Manifest, write_whole};
use crate::trend::Trend;
use hashbrown::{HashMap, HashSet};
use night::Page;
use read::RunRead;
use std::io::Write as _;
use std::path::Path;

pub const FILE_NAME: &str = "report.html";

/// What a page shows beside the run itself. What is not there has no place on the page.
#[derive(Debug)]
pub struct Beside {
    pub against: Option<Against>,
    pub truth: Option<TruthShown>,
    /// What stands before and after an exchange's key in the command that explains it.
    pub explain: [String; 2],
    pub redactor: Redactor,
    /// Reads texts again that the run does not keep.
    pub texts_again: TextsAgain,
}

/// Finds texts of exchanges in the recordings of a run, those that are at hand, with secrets masked.
pub type TextsAgain = fn(&Manifest, &Rulebook, &Redactor, &[Place]) -> HashMap<Place, Excerpt>;

/// How right the verdicts are, and the keys of the exchanges that are told of.
#[derive(Debug)]
pub struct TruthShown {
    pub stats: Glance,
    /// The keys of the exchanges with wrong answers, in the order of the measures' list.
    pub mistakes: Vec<Key>,
    /// The files among the recordings that the labels are from; empty where others were named, or none.
    pub beside: String,
}

/// What whoever has just made a run need not read again.
pub struct AtHand<'a> {
    pub counts: &'a CountedGroups,
    pub rulebook: &'a Rulebook,
    /// What has seen its rows, if anything has.
    pub sampler: Option<Sampler>,
}

pub fn html(
    folder: &Path,
    beside: Beside,
    trends: Vec<Trend>,
    at_hand: Option<AtHand<'_>>,
) -> Result<String, PageError> {
    let wanted = shown_keys(&beside);
    let page = page(folder, beside, trends, Some(&wanted), at_hand)?;
    Ok(frame::document(&page).into_string())
}

/// The keys of the calls that other sections show.
fn shown_keys(beside: &Beside) -> HashSet<Key> {
    let mut wanted: HashSet<Key> = HashSet::new();
    if let Some(comparison) = beside.against.as_ref().and_then(Against::each) {
        let examples = comparison.groups.iter().take(changes::GROUPS);
        let examples = examples.flat_map(|group| group.examples.iter().take(changes::EXAMPLES));
        wanted.extend(examples.map(|example| example.key));
    }
    if let Some(truth) = &beside.truth {
        wanted.extend(truth.mistakes.iter().take(truth::MISTAKES));
    }
    wanted
}

fn page(
    folder: &Path,
    beside: Beside,
    trends: Vec<Trend>,
    wanted: Option<&HashSet<Key>>,
    at_hand: Option<AtHand<'_>>,
) -> Result<Page, PageError> {
    let is_fresh = at_hand.is_some();
    let mut run = RunRead::of(folder, wanted, at_hand)?;
    // A large run that was just made does not read its recordings a second time.
    if !is_fresh || run.manifest.comparable.counts.exchanges <= sample::MOST as u64 {
        let Beside { texts_again, redactor, .. } = &beside;
        run.add_texts(|run, places| texts_again(&run.manifest, &run.rulebook, redactor, places));
    }
    Ok(Page::of(run, beside, trends))
}

pub fn tells_what_changed(html: &str) -> bool {
    html.contains(&format!("id=\"{}\"", changes::SECTION))
}

/// Writes the page of the run in a folder, whole or not at all.
pub fn write(
    folder: &Path,
    beside: Beside,
    trends: Vec<Trend>,
    at_hand: AtHand<'_>,
    to: &Path,
) -> Result<(), PageError> {
    write_text(&html(folder, beside, trends, Some(at_hand))?, to)
}

/// Writes a file, whole or not at all.
pub fn write_text(text: &str, to: &Path) -> Result<(), PageError> {
    write_whole(to, |file| file.write_all(text.as_bytes()))
        .map_err(|source| PageError::Unwritable { path: to.to_owned(), source })
}
