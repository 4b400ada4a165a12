//! The verdict in a sentence, and what is said where there was nothing to judge.

use super::Page;
use super::night::Night;
use super::paths;
use super::rest::{Found, not_judged_rows};
use super::shown::Showing;
use super::words::are;
use crate::verdict::{Classification, counted, grouped};
use crate::view::html::{Tag, tag};
use crate::view::percent;

/// So many of the files and folders that were read are named.
const INPUTS: usize = 3;

/// The verdict, what it is about, and what else is worth knowing.
pub(super) fn verdict(page: &Page, night: &Night, showing: &Showing) -> Tag {
    let manifest = &page.run.manifest;
    let inputs = &manifest.wall.inputs;
    let mut tapes: Vec<String> = inputs.iter().take(INPUTS).map(|input| read(input)).collect();
    if inputs.len() > INPUTS {
        tapes.push(format!("and {} more", inputs.len() - INPUTS));
    }
    let when = manifest.wall.started_at.replace('T', " ").replace('Z', " UTC");
    let mut parts = vec![
        when,
        format!("rulebook {}", manifest.comparable.rulebook.name),
        showing.words(&tapes.join(", ")).as_ref().to_owned(),
    ];
    parts.retain(|part| !part.is_empty());
    let eyebrow =
        tag("p").class("eyebrow").all(parts.into_iter().map(|part| tag("span").text(part)));
    let rest = &night.rest;
    let rest = (!rest.is_empty()).then(|| tag("p").class("lead").text(rest.join(" ")));
    tag("div")
        .class("verdict")
        .put(eyebrow)
        .put(tag("h1").set("id", "verdict").text(&night.headline))
        .maybe(rest)
}

/// The verdict in one sentence, and what else is worth knowing.
pub(super) fn sentences(page: &Page) -> (String, Vec<String>) {
    let classes = page.run.cells.classes();
    let total: u64 = classes.values().sum();
    let of = |class: Classification| classes.get(&class).copied().unwrap_or(0);
    let working = of(Classification::FullyWorking);
    let below: Vec<(Classification, u64)> = Classification::ALL
        .into_iter()
        .rev()
        .filter(|class| *class != Classification::FullyWorking)
        .map(|class| (class, of(class)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let describe = |(class, count): &(Classification, u64)| {
        let what = match class {
            Classification::FullyWorking => "fully working",
            Classification::PartiallyWorking => "partially working",
            Classification::ConnectivityOnly => "no more than connected",
            Classification::Error => "failing with an error",
            Classification::Broken => "broken",
        };
        format!("{} {} {what}", grouped(*count), are(*count))
    };
    let headline = match (total, below.first()) {
        (0, _) => "No exchange was found to judge.".to_owned(),
        (1, None) => "The only exchange is fully working.".to_owned(),
        (1, Some((class, _))) => {
            format!("The only exchange is {}.", class.name().replace('_', " "))
        }
        (_, None) => format!("All {} exchanges are fully working.", grouped(total)),
        (_, Some(worst)) => format!(
            "{} of {} exchanges are fully working; {}.",
            percent(working as f64 / total as f64),
            grouped(total),
            describe(worst)
        ),
    };
    let mut rest = Vec::new();
    if total > 1 && below.len() > 1 {
        let others: Vec<String> = below[1..].iter().map(describe).collect();
        rest.push(format!("{}.", others.join(", ")));
    }
    let summary = &page.run.summary;
    rest.extend(errors(summary.tool_failure, summary.business_logic));
    if summary.hidden_failure > 0 {
        let verbs = if summary.hidden_failure == 1 { "claims" } else { "claim" };
        let replies = if summary.hidden_failure == 1 { "reply" } else { "replies" };
        let hidden = grouped(summary.hidden_failure);
        rest.push(format!("{hidden} {replies} {verbs} success and tell of a failure."));
    }
    (headline, rest)
}

/// What errors were, in a sentence; `None` without any.
fn errors(failed: u64, refused: u64) -> Option<String> {
    let number = |count: u64| match count {
        1 => "the one error is".to_owned(),
        2 => "both errors are".to_owned(),
        _ => format!("all {} errors are", grouped(count)),
    };
    let words = match (failed, refused) {
        (0, 0) => return None,
        (0, 1) => "the one error is a refusal for a reason.".to_owned(),
        (0, refused) => format!("{} refusals for a reason.", number(refused)),
        (failed, 0) => format!("{} the tool's own failure.", number(failed)),
        (failed, refused) => format!(
            "of {}, {} {} the tool's own failure and {} refused for a reason.",
            counted(failed + refused, "error"),
            grouped(failed),
            are(failed),
            grouped(refused),
        ),
    };
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect())
}

/// A file or folder that was read, as it is shown.
fn read(input: &str) -> String {
    if input == "-" { "standard input".to_owned() } else { paths::shown(input) }
}

/// What can be done where there was nothing to judge.
pub(super) const STEPS: [&str; 2] = [
    "See whether the recorder wrote tonight, and where: the files and folders named to run are read, and all below them.",
    "Tapes are lines of JSON with a call and its reply each; other recordings are told by what is in them. docs/tapes.md has a sample of each.",
];

/// What there was instead of exchanges.
pub(super) fn found_instead(page: &Page, showing: &Showing) -> Vec<Found> {
    let counts = &page.run.manifest.comparable.counts;
    let mut found = not_judged_rows(page, showing);
    if counts.other_traffic > 0 {
        let lines = counted(counts.other_traffic, "line");
        found.push(format!("{lines}: traffic without a call that was answered").into());
    }
    if found.is_empty() {
        found.push("no file at all".to_owned().into());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_of_in_the_number_they_have() {
        let cases = [
            (0, 0, None),
            (0, 1, Some("The one error is a refusal for a reason.")),
            (1, 0, Some("The one error is the tool's own failure.")),
            (0, 2, Some("Both errors are refusals for a reason.")),
            (3, 0, Some("All 3 errors are the tool's own failure.")),
            (
                1,
                1_000,
                Some(
                    "Of 1,001 errors, 1 is the tool's own failure and 1,000 refused for a reason.",
                ),
            ),
        ];
        for (failed, refused, expected) in cases {
            assert_eq!(errors(failed, refused).as_deref(), expected);
        }
    }
}
