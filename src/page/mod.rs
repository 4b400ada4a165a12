//! A finished run as one file that any browser opens from disk, without a network: what happened, what
//! changed, and the reasoning behind a bounded sample of exchanges.
//!
//! What a page says are sections of the view, made from a [`lists::Page`] and a sample of exchanges; the
//! view writes them as HTML and escapes. Secrets are masked by `shown` alone. A content-security policy
//! allows the page's own style and script and nothing else.

mod about_run;
mod acts;
mod counted;
mod earlier;
mod exchanges;
mod formats;
mod frame;
mod lists;
mod overview;
mod paths;
mod read;
mod sample;
mod shown;
mod trends;
mod truth;

pub use acts::about as about_list;
pub(crate) use acts::{Showing as ListShowing, entries as list_entries};
pub use earlier::{Against, Earlier, MOST_COMPARED};
pub use formats::{Format, text};
pub use paths::{in_command, shown as path_shown};
pub use read::{PageError, RecordedCall};
pub use sample::Sampler;

use crate::measure::stats::Measured;
use crate::recording::Key;
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::store::{Excerpt, ListRow, Manifest, write_whole};
use crate::trend::Trend;
use hashbrown::{HashMap, HashSet};
use lists::Page;
use read::RunRead;
use std::io::Write as _;
use std::path::Path;

pub const FILE_NAME: &str = "report.html";

/// What a page shows beside the run itself. What is not there has no place on the page.
#[derive(Debug)]
pub struct PageContext {
    pub against: Option<Against>,
    pub truth: Option<TruthShown>,
    pub trends: Vec<Trend>,
    /// What stands before and after an exchange's key in the command that explains it.
    pub explain: [String; 2],
    pub redactor: Redactor,
    /// Reads texts again that the run does not keep.
    pub texts_again: TextsAgain,
}

/// Finds texts of exchanges in the recordings of a run, those that are at hand, with secrets masked.
pub type TextsAgain =
    fn(&Manifest, &Rulebook, &Redactor, &[RecordedCall]) -> HashMap<RecordedCall, Excerpt>;

/// How right the verdicts are, and the keys of the exchanges that are told of.
#[derive(Debug)]
pub struct TruthShown {
    pub stats: Measured,
    /// The keys of the exchanges with wrong answers, in the order of the measures' list.
    pub mistakes: Vec<Key>,
    /// The files among the recordings that the labels are from; empty where others were named, or none.
    pub beside: String,
}

/// What whoever has just made a run need not read again.
pub struct AtHand<'a> {
    pub rulebook: &'a Rulebook,
    /// What has seen its rows, if anything has.
    pub sampler: Option<Sampler>,
    pub lists: &'a [ListRow],
}

pub fn html(
    folder: &Path,
    beside: PageContext,
    at_hand: Option<AtHand<'_>>,
) -> Result<String, PageError> {
    let wanted = shown_keys(&beside);
    Ok(frame::document(&page(folder, beside, Some(&wanted), at_hand)?).into_string())
}

/// The keys of the calls that other sections show.
fn shown_keys(beside: &PageContext) -> HashSet<Key> {
    let mut wanted: HashSet<Key> = HashSet::new();
    if let Some(comparison) = beside.against.as_ref().and_then(Against::each) {
        let examples = comparison.groups.iter().take(earlier::GROUPS);
        let examples = examples.flat_map(|group| group.examples.iter().take(earlier::EXAMPLES));
        wanted.extend(examples.map(|example| example.key));
    }
    if let Some(truth) = &beside.truth {
        wanted.extend(truth.mistakes.iter().take(truth::MISTAKES));
    }
    wanted
}

fn page(
    folder: &Path,
    beside: PageContext,
    wanted: Option<&HashSet<Key>>,
    at_hand: Option<AtHand<'_>>,
) -> Result<Page, PageError> {
    let is_fresh = at_hand.is_some();
    let mut run = RunRead::of(folder, wanted, at_hand)?;
    let without = run.chosen.iter().filter(|row| row.texts.is_none());
    let places: Vec<RecordedCall> = without.map(sample::Chosen::place).collect();
    // A large run that was just made does not read its recordings a second time.
    let is_small = run.manifest.comparable.counts.exchanges <= sample::MOST as u64;
    if !places.is_empty() && (is_small || !is_fresh) {
        let found = (beside.texts_again)(&run.manifest, &run.rulebook, &beside.redactor, &places);
        for row in run.chosen.iter_mut().filter(|row| row.texts.is_none()) {
            row.texts = found.get(&row.place()).cloned();
        }
    }
    Ok(Page::of(run, beside))
}

pub fn tells_what_changed(html: &str) -> bool {
    html.contains(&format!("id=\"{}\"", earlier::SECTION))
}

/// Writes a file, whole or not at all.
pub fn write_text(text: &str, to: &Path) -> Result<(), PageError> {
    write_whole(to, |file| file.write_all(text.as_bytes()))
        .map_err(|source| PageError::Unwritable { path: to.to_owned(), source })
}
