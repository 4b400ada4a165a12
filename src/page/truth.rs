//! How right the verdicts are, where people said what is true.

use super::changes::count_cell;
use super::columns::{FRAME, columns};
use super::markup::{Html, Tag, tag};
use super::shown::Showing;
use super::words::{Align, card, cell, head, percent, place_of, scrolling, section};
use super::{Page, TruthShown};
use crate::labels::Label;
use crate::measure::stats::{Estimate, Glance, STEP, ScoreMap, Step};
use crate::verdict::{counted, grouped};

/// So many wrong answers are listed.
pub(super) const MISTAKES: usize = 12;

/// The section; `None` where nothing is labelled.
pub(super) fn truth(page: &Page, showing: &Showing) -> Option<Tag> {
    let shown = page.truth.as_ref()?;
    let truth = &shown.stats;
    let about = format!(
        "{} of {} {} a label, on {}.",
        grouped(truth.table.items()),
        counted(truth.exchanges, "exchange"),
        if truth.table.items() == 1 { "has" } else { "have" },
        counted(truth.headline.servers, "server"),
    );
    let mut cards = vec![(FRAME + 260, measures(truth))];
    cards.extend(score_map(&truth.score_map).map(|card| (FRAME + 270, card)));
    cards.push((FRAME + 150, confusion(truth)));
    let wrong = u32::try_from(shown.mistakes.len().min(MISTAKES)).unwrap_or_default();
    cards.extend(mistakes(page, shown, showing).map(|card| (FRAME + 80 + 36 * wrong, card)));
    Some(
        section("accuracy", "How right the verdicts are")
            .put(tag("p").class("about").text(about))
            .put(columns(cards, 2)),
    )
}

fn measures(truth: &Glance) -> Tag {
    let headline = &truth.headline;
    let rows: [(&str, &str, Estimate); 5] = [
        (
            "Business logic or tool failure",
            "mean of what is found of either",
            headline.balanced_accuracy,
        ),
        (
            "Hidden failure or success",
            "mean of what is found of either",
            headline.hidden_balanced_accuracy,
        ),
        ("Hidden failures: said rightly", "precision", headline.hidden_precision),
        ("Hidden failures: found", "recall", headline.hidden_recall),
        ("All answers", "share of right ones", headline.accuracy),
    ];
    let rows = rows.into_iter().filter_map(|(name, what, estimate)| {
        let value = estimate.value?;
        let interval =
            estimate.interval.map(|it| format!("{} to {}", percent(it.low), percent(it.high)));
        Some(
            tag("tr")
                .put(
                    tag("th")
                        .set("scope", "row")
                        .text(name)
                        .put(tag("span").class("of").text(format!(" {what}"))),
                )
                .put(cell(Align::Left).put(whisker(estimate, value)))
                .put(cell(Align::Right).put(tag("strong").text(percent(value))))
                .put(
                    cell(Align::Right)
                        .put(tag("span").class("of").text(interval.unwrap_or_default())),
                ),
        )
    });
    let columns = [
        ("measure", Align::Left),
        ("0 to 100 %", Align::Left),
        ("value", Align::Right),
        ("95 % interval", Align::Right),
    ];
    let table = tag("table").class("measures").put(head(&columns)).put(tag("tbody").all(rows));
    card("Measures").put(scrolling("Measures", table))
}

/// A value and its interval on a line from 0 to 1.
fn whisker(estimate: Estimate, value: f64) -> Tag {
    let at = |share: f64| format!("{:.2}%", 1.0 + share.clamp(0.0, 1.0) * 98.0);
    let interval = estimate.interval.map(|it| {
        tag("line")
            .class("interval")
            .set("x1", at(it.low))
            .set("x2", at(it.high))
            .set("y1", "50%")
            .set("y2", "50%")
    });
    tag("svg")
        .class("whisker")
        .set("aria-hidden", "true")
        .put(
            tag("line")
                .class("axis")
                .set("x1", "1%")
                .set("x2", "99%")
                .set("y1", "50%")
                .set("y2", "50%"),
        )
        .maybe(interval)
        .put(tag("circle").class("value").set("cx", at(value)).set("cy", "50%").set("r", "4"))
}

fn confusion(truth: &Glance) -> Tag {
    let answers: Vec<Option<Label>> = Label::ALL
        .into_iter()
        .map(Some)
        .chain([None])
        .filter(|answer| Label::ALL.into_iter().any(|label| truth.table.count(label, *answer) > 0))
        .collect();
    let name = |label: Label| label.name().replace('_', " ");
    let mut columns = vec![("true ↓   said →".to_owned(), Align::Left)];
    columns.extend(
        answers.iter().map(|answer| (answer.map_or("nothing".to_owned(), name), Align::Right)),
    );
    let columns: Vec<(&str, Align)> =
        columns.iter().map(|(name, align)| (name.as_str(), *align)).collect();
    let rows = Label::ALL.into_iter().filter(|label| truth.table.of(*label) > 0).map(|label| {
        let cells = answers.iter().map(|answer| {
            let count = truth.table.count(label, *answer);
            let style = match (count, *answer == Some(label)) {
                (0, _) => "right none",
                (_, true) => "right better",
                (_, false) => "right worse",
            };
            tag("td").class(style).text(grouped(count))
        });
        tag("tr").put(tag("th").set("scope", "row").text(name(label))).all(cells)
    });
    let table = tag("table").class("matrix").put(head(&columns)).put(tag("tbody").all(rows));
    card("What is true, and what was said").put(scrolling("What is true, and what was said", table))
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
const FLOOR: f64 = 150.0;

/// How far scores lie from their thresholds; `None` where no score was held against one.
fn score_map(map: &ScoreMap) -> Option<Tag> {
    let height = |number: u64, most: u64| {
        // Few are as interesting as many, so that bars grow by the root.
        (number as f64 / most as f64).sqrt() * (FLOOR - 20.0)
    };
    let total = |step: &Step| {
        let tally = step.tally;
        tally.business_logic + tally.tool_failure + tally.unlabelled
    };
    let most = map.steps.iter().map(total).max().filter(|most| *most > 0)?;
    let steps = map.steps.len() as f64;
    let width = (WIDTH / steps).min(60.0);
    let left = (WIDTH - width * steps) / 2.0;
    let mut picture = tag("svg")
        .class("chart")
        .set("viewBox", format!("0 0 {WIDTH} {HEIGHT}"))
        .set("role", "img")
        .set(
            "aria-label",
            "Errors by how far their score lies below or above its threshold, by what is true; the table after it has the numbers",
        );
    let mut rows: Vec<Tag> = Vec::new();
    for (step, at) in map.steps.iter().zip(0_u32..) {
        let x = left + f64::from(at) * width;
        if step.number == 0 {
            picture = picture.put(threshold(x));
        }
        let tally = step.tally;
        let whole = height(total(step), most);
        let mut y = FLOOR;
        let parts =
            [("k0", tally.business_logic), ("k4", tally.tool_failure), ("k2", tally.unlabelled)];
        for (style, count) in parts.into_iter().filter(|(_, count)| *count > 0) {
            let tall = whole * count as f64 / total(step) as f64;
            y -= tall;
            picture = picture.put(
                tag("rect")
                    .class(style)
                    .set("x", format!("{:.1}", x + 1.0))
                    .set("y", format!("{y:.1}"))
                    .set("width", format!("{:.1}", width - 2.0))
                    .set("height", format!("{tall:.1}")),
            );
        }
        if total(step) > 0 {
            picture = picture.put(label(x + width / 2.0, y - 4.0, &grouped(total(step))));
            rows.push(
                tag("tr")
                    .put(tag("th").set("scope", "row").text(format!(
                        "{:+.1} to {:+.1}",
                        step.low(),
                        step.high()
                    )))
                    .all(
                        [tally.business_logic, tally.tool_failure, tally.unlabelled]
                            .map(count_cell),
                    ),
            );
        }
    }
    let (first, last) = (map.steps.first()?, map.steps.last()?);
    if first.number >= 0 || last.number < 0 {
        let x = if first.number >= 0 { left } else { left + width * steps };
        picture = picture.put(threshold(x));
    }
    // The threshold has its own label.
    if first.number != 0 {
        picture = picture.put(label(left + 20.0, HEIGHT - 8.0, &format!("{:+.1}", first.low())));
    }
    if last.number != -1 {
        let x = left + width * steps - 20.0;
        picture = picture.put(label(x, HEIGHT - 8.0, &format!("{:+.1}", last.high())));
    }
    let columns = [
        ("score less threshold", Align::Left),
        ("business logic", Align::Right),
        ("tool failure", Align::Right),
        ("no label", Align::Right),
    ];
    let table = tag("table").put(head(&columns)).put(tag("tbody").all(rows));
    let keys = [("k0", "business logic"), ("k4", "tool failure"), ("k2", "no label")];
    let legend = tag("p").class("legend").all(keys.map(|(style, name)| {
        tag("span").put(tag("i").class(style).set("aria-hidden", "true")).text(name)
    }));
    let outright = map.outright;
    let outright = outright.business_logic + outright.tool_failure + outright.unlabelled;
    let note = format!(
        "Errors by score less threshold, in steps of {STEP}; heights grow by the root. {} {} answered by a decision line whatever the score.",
        grouped(outright),
        if outright == 1 { "was" } else { "were" },
    );
    Some(
        card("Score map").put(picture).put(legend).put(tag("p").class("note").text(note)).put(
            tag("details").put(tag("summary").text("Numbers")).put(scrolling("Score map", table)),
        ),
    )
}

fn threshold(x: f64) -> Html {
    let at = format!("{x:.1}");
    let mut out: Html = tag("line")
        .class("threshold")
        .set("x1", &at)
        .set("x2", &at)
        .set("y1", "8")
        .set("y2", format!("{FLOOR}"))
        .into();
    out.push(label(x, HEIGHT - 8.0, "threshold"));
    out
}

fn label(x: f64, y: f64, words: &str) -> Tag {
    tag("text")
        .set("x", format!("{x:.1}"))
        .set("y", format!("{y:.1}"))
        .set("text-anchor", "middle")
        .text(words)
}

fn mistakes(page: &Page, shown: &TruthShown, showing: &Showing) -> Option<Tag> {
    let rows: Vec<Tag> = shown
        .mistakes
        .iter()
        .zip(&shown.stats.mistakes)
        .take(MISTAKES)
        .filter_map(|(key, mistake)| {
            let row = page.run.chosen.iter().find(|row| row.key == *key)?;
            let truth = mistake.truth.name().replace('_', " ");
            let said = mistake.answer.map_or("nothing", Label::name).replace('_', " ");
            Some(
                tag("tr")
                    .put(
                        tag("th")
                            .set("scope", "row")
                            .put(tag("a").set("href", place_of(key)).text(showing.name(&row.tool)))
                            .put(
                                tag("span")
                                    .class("of")
                                    .text(format!(" {}", showing.name(&row.server).as_ref())),
                            ),
                    )
                    .put(tag("td").class("left whole-words").text(truth))
                    .put(tag("td").class("left whole-words").text(said)),
            )
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let columns = [("exchange", Align::Left), ("true", Align::Left), ("said", Align::Left)];
    let table = tag("table").put(head(&columns)).put(tag("tbody").all(rows));
    let all = shown.stats.mistakes.len() as u64;
    Some(
        card("Wrong answers")
            .put(scrolling("Wrong answers", table))
            .put(tag("p").class("note").text(format!("{} in all", counted(all, "wrong answer")))),
    )
}
