//! A finished run in the formats of other programs, all from one [`Page`](super::night::Page).

mod csv;
mod json;
mod markdown;

use super::{Beside, PageError, html, page};
use crate::trend::Trend;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One page that any browser opens.
    Html,
    /// For a pull request, or the summary of a job.
    Markdown,
    Json,
    Csv,
}

/// What is said of a run in which nothing was judged.
const NOTHING: &str = "no calls were found";

/// The run in a folder in one of the formats.
pub fn text(
    folder: &Path,
    beside: Beside,
    trends: Vec<Trend>,
    format: Format,
) -> Result<String, PageError> {
    let page = match format {
        Format::Html => return html(folder, beside, trends, None),
        Format::Markdown | Format::Json | Format::Csv => page(folder, beside, trends, None, None)?,
    };
    Ok(match format {
        Format::Json => json::json(&page),
        Format::Csv => csv::csv(&page),
        Format::Html | Format::Markdown => markdown::markdown(&page),
    })
}
