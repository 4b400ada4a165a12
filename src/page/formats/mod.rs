//! A finished run in the formats of other programs, all from one [`Night`](super::night::Night).

mod csv;
mod issues;
mod json;
mod junit;
mod markdown;
mod sarif;

use super::night::Night;
use super::read::Wanted;
use super::shown::Showing;
use super::{Beside, Page, PageError, html, page};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One page that any browser opens.
    Html,
    /// For a pull request, or the summary of a job.
    Markdown,
    /// One object.
    Json,
    /// `JUnit` XML: a suite for each server, a case for each tool.
    Junit,
    /// SARIF 2.1.0: a result for each issue, and for each exchange that failed or is invalid without one.
    Sarif,
    /// One long table.
    Csv,
}

/// What a report may show beside counts and issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What changed since something else.
    Changes,
    Trends,
    /// How right the verdicts are.
    Truth,
    /// Where the recordings lie.
    Recordings,
}

impl Format {
    /// Whether a part is shown: nobody needs to find out what is not.
    pub fn shows(self, part: Part) -> bool {
        match (self, part) {
            (Self::Html, Part::Changes | Part::Trends | Part::Truth)
            | (Self::Markdown | Self::Json | Self::Csv, Part::Changes | Part::Trends)
            | (Self::Sarif, Part::Recordings) => true,
            (Self::Html, Part::Recordings)
            | (Self::Markdown | Self::Json | Self::Csv, Part::Truth | Part::Recordings)
            | (Self::Sarif, Part::Changes | Part::Trends | Part::Truth)
            | (Self::Junit, _) => false,
        }
    }
}

/// What is said of a run in which nothing was judged.
const NOTHING: &str = "no calls were found";

/// What formats are written from.
struct Report<'a> {
    folder: &'a Path,
    page: Page,
    showing: Showing,
    night: Night,
    recordings: String,
}

/// The run in a folder in one of the formats.
pub fn text(folder: &Path, beside: Beside, format: Format) -> Result<String, PageError> {
    let report = |mut beside: Beside| -> Result<Report<'_>, PageError> {
        let recordings = std::mem::take(&mut beside.recordings);
        let (page, showing) = page(folder, beside, &Wanted::Counts)?;
        let night = Night::of(&page, &showing);
        Ok(Report { folder, page, showing, night, recordings })
    };
    match format {
        Format::Html => html(folder, beside),
        Format::Markdown => Ok(markdown::markdown(&report(beside)?)),
        Format::Json => Ok(json::json(&report(beside)?)),
        Format::Junit => junit::junit(&report(beside)?),
        Format::Sarif => sarif::sarif(&report(beside)?),
        Format::Csv => Ok(csv::csv(&report(beside)?.night)),
    }
}
