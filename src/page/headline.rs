//! The verdict in a sentence, and what is said where there was nothing to judge.

use super::night::Page;
use super::paths;
use super::rest::not_judged_rows;
use crate::store::Summary;
use crate::verdict::{Outcome, counted, grouped};
use crate::view::Line;
use crate::view::html::{Tag, tag};

/// So many of the files and folders that were read are named.
const INPUTS: usize = 3;

/// The verdict, what it is about, and what else is worth knowing.
pub(super) fn verdict(page: &Page) -> Tag {
    let manifest = &page.run.manifest;
    let inputs = &manifest.wall.inputs;
    let mut recordings: Vec<String> = inputs.iter().take(INPUTS).map(|input| read(input)).collect();
    if inputs.len() > INPUTS {
        recordings.push(format!("and {} more", inputs.len() - INPUTS));
    }
    let when = manifest.wall.started_at.replace('T', " ").replace('Z', " UTC");
    let mut parts = vec![
        when,
        format!("rulebook {}", manifest.comparable.rulebook.name),
        page.showing.words(&recordings.join(", ")).as_ref().to_owned(),
    ];
    parts.retain(|part| !part.is_empty());
    let eyebrow =
        tag("p").class("eyebrow").all(parts.into_iter().map(|part| tag("span").text(part)));
    let rest = &page.rest;
    let rest = (!rest.is_empty()).then(|| tag("p").class("lead").text(rest.join(" ")));
    tag("div")
        .class("verdict")
        .put(eyebrow)
        .put(tag("h1").set("id", "verdict").text(&page.headline))
        .maybe(rest)
}

/// What became of the calls in one sentence, and what else is worth knowing.
pub(super) fn sentences(summary: &Summary) -> (String, Vec<String>) {
    let calls: u64 = summary.outcomes.iter().map(|(_, count)| count).sum();
    let documents = summary.all_documents();
    let of_documents = {
        let invalid = summary.documents(Outcome::Invalid);
        format!("{} of {} invalid.", grouped(invalid), counted(documents, "document"))
    };
    let of = |outcome| summary.calls(outcome);
    let part = |(outcome, what): (Outcome, &str)| {
        Some(of(outcome))
            .filter(|count| *count > 0)
            .map(|count| format!("{} {what}", grouped(count)))
    };
    let bad = [(Outcome::Failed, "failed"), (Outcome::Invalid, "had an invalid reply")];
    let of_one = |outcome, one, several| if of(outcome) == 1 { one } else { several };
    let refused = of_one(Outcome::Refused, "was refused for a reason", "were refused for a reason");
    let unknown = of_one(Outcome::Unknown, "has no known outcome", "have no known outcome");
    let not_sent = of_one(Outcome::NotSent, "was never sent", "were never sent");
    let good = [(Outcome::Worked, "worked"), (Outcome::Refused, refused)];
    let open = [(Outcome::Unknown, unknown), (Outcome::NotSent, not_sent)];
    let bad: Vec<String> = bad.into_iter().filter_map(part).collect();
    let known: Vec<String> = good.into_iter().filter_map(part).collect();
    let of_calls = counted(calls, "call");
    let erring = summary.calls_with_errors;
    let headline = match (calls, bad.as_slice(), known.is_empty()) {
        (0, ..) if documents == 0 => "No calls were found.".to_owned(),
        (0, ..) => of_documents.clone(),
        (1, ..) => only_call(summary),
        (_, [], _) if erring > 0 => {
            format!("Checks found errors in {} of {of_calls}; none failed.", grouped(erring))
        }
        (_, [], true) => format!("The outcome of {of_calls} is unknown."),
        (_, [], false) if of(Outcome::Worked) == calls => format!("All {of_calls} worked."),
        (_, [], false) => format!("None of {of_calls} failed."),
        (_, bad, _) => format!("Of {of_calls}, {}.", bad.join(" and ")),
    };
    let mut rest = Vec::new();
    if calls > 1 && !known.is_empty() && of(Outcome::Worked) < calls {
        rest.push(format!("{}.", known.join(", ")));
    }
    if calls > 1 {
        rest.extend(open.into_iter().filter_map(part).map(|part| format!("{part}.")));
    }
    if erring > 0 && !bad.is_empty() {
        let others = counted(erring, "other call");
        rest.push(format!("Checks found errors in {others}."));
    }
    if documents > 0 && calls > 0 {
        rest.push(of_documents);
    }
    rest.extend(summary.without_flag().map(|words| format!("{words}.")));
    (headline, rest)
}

fn only_call(summary: &Summary) -> String {
    let outcome = Outcome::ALL.into_iter().find(|outcome| summary.calls(*outcome) > 0);
    let what = match outcome {
        Some(Outcome::Worked) => "worked",
        Some(Outcome::Refused) => "was refused for a reason",
        Some(Outcome::Invalid) => "had an invalid reply",
        Some(Outcome::Failed) => "failed",
        Some(Outcome::NotSent) => "was never sent",
        Some(Outcome::Unknown) | None => "has no known outcome",
    };
    match summary.calls_with_errors {
        0 => format!("The only call {what}."),
        _ => format!("The only call {what}, and checks found errors in it."),
    }
}

/// A file or folder that was read, as it is shown.
fn read(input: &str) -> String {
    if input == "-" { "standard input".to_owned() } else { paths::shown(input) }
}

/// What can be done where there was nothing to judge.
pub(super) const STEPS: [&str; 2] = [
    "See whether the recorder wrote anything, and where: the run reads the named files and \
     folders and everything below them.",
    "A recording has a call and its reply on each line, as JSON; other formats are recognized by \
     their content. docs/recordings.md has a sample of each.",
];

/// What there was instead of exchanges.
pub(super) fn found_instead(page: &Page) -> Vec<Line> {
    let counts = &page.run.manifest.comparable.counts;
    let mut found = not_judged_rows(page);
    if counts.other_traffic > 0 {
        let lines = counted(counts.other_traffic, "line");
        found.push(format!("{lines}: messages without an answered call").into());
    }
    if found.is_empty() {
        found.push("no files".into());
    }
    found
}
