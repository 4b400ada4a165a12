//! A finished run in the formats of other programs, all from one [`Night`](super::night::Night).

mod csv;
mod json;
mod markdown;

use super::night::Night;
use super::shown::Showing;
use super::{Beside, Page, PageError, html, page};
use crate::trend::Trend;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One page that any browser opens.
    Html,
    /// For a pull request, or the summary of a job.
    Markdown,
    /// One object.
    Json,
    /// One long table.
    Csv,
}

/// What is said of a run in which nothing was judged.
const NOTHING: &str = "no calls were found";

/// What formats are written from.
struct Report {
    page: Page,
    showing: Showing,
    night: Night,
}

pub fn text(
    folder: &Path,
    beside: Beside,
    trends: Vec<Trend>,
    format: Format,
) -> Result<String, PageError> {
    let report = |beside: Beside, trends: Vec<Trend>| -> Result<Report, PageError> {
        let (page, showing) = page(folder, beside, trends, None, None)?;
        let night = Night::of(&page, &showing);
        Ok(Report { page, showing, night })
    };
    match format {
        Format::Html => html(folder, beside, trends, None),
        Format::Markdown => Ok(markdown::markdown(&report(beside, trends)?)),
        Format::Json => Ok(json::json(&report(beside, trends)?)),
        Format::Csv => Ok(csv::csv(&report(beside, trends)?.night)),
    }
}
