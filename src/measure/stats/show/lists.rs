//! The lists that are asked for one by one.

use super::overview::estimate;
use super::{List, Sections, View};
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::accuracy::Share;
use crate::measure::stats::{
    Among, Calibration, CertaintyFit, ConfidenceStep, FAILURE_RATES, Mistake, Question, SURE,
    Slice, Thing, Truth, Usage,
};
use crate::rulebook::Curve;
use crate::verdict::{counted, cut, grouped};
use crate::view::{Block, Cell, Column, Field, Item, Line, Section, Table};
use std::cmp::Reverse;

/// So much of a text is shown.
const TEXT: usize = 300;
/// How the rows that a list leaves out are seen.
const MORE: &str = "--top N shows more, --out DIR all of them";

pub(super) fn chosen(view: &View<'_>, chosen: &Sections) -> Vec<Section> {
    let (stats, top) = (view.stats, chosen.top);
    let mut all = Vec::new();
    for list in &chosen.lists {
        match (list, &stats.truth) {
            (List::Servers, Some(truth)) => all.push(all_servers(view, truth)),
            (List::Servers, None) => all.push(servers_without_labels(&stats.servers, top)),
            (List::Things(thing), _) => {
                all.extend(things(&stats.usages[*thing as usize], *thing, top));
            }
            (List::Calibration, Some(truth)) => {
                all.extend(truth.calibration.iter().map(calibration));
                all.extend(certainty(&truth.certainty));
                all.extend(base_rates(truth));
            }
            (List::Mistakes, Some(truth)) => all.push(mistakes(view, &truth.mistakes, top)),
            (List::MistakesLeftOut, Some(truth)) => match &truth.held_out {
                Ok(held_out) => {
                    let title = "leaving one server out; signals and matches are those of the \
                        complete rulebook";
                    let mut section = Section::new(title);
                    section.section(mistakes(view, &held_out.mistakes, top));
                    all.push(section);
                }
                Err(because) => {
                    all.push(Section::new(format!("no held-out results: {because}")));
                }
            },
            // Nothing is known of what is right; the opening says so.
            (List::Calibration | List::Mistakes | List::MistakesLeftOut, None) => {}
        }
    }
    all
}

/// Servers with labels, worst first.
fn all_servers(view: &View<'_>, truth: &Truth) -> Section {
    let mut labelled: Vec<&Slice> =
        view.stats.servers.iter().filter(|server| server.table.items() > 0).collect();
    labelled.sort_by_key(|server| Reverse(server.wrong()));
    let count = counted(labelled.len() as u64, "server");
    servers(format!("{count} with labels, most wrong answers first"), &labelled, truth)
}

pub(super) fn servers(title: String, servers: &[&Slice], truth: &Truth) -> Section {
    let heads = ["wrong", "out", "bal.", "business", "tool", "hidden", "ok"];
    let mut table = Table::headed(["server"], heads);
    for server in servers {
        let found = |label| Cell::ratio(server.table.recall(label));
        let held_out = truth
            .held_out
            .as_ref()
            .ok()
            .and_then(|held_out| held_out.folds.iter().find(|fold| fold.server == server.name));
        let wrong_left_out = held_out.map_or_else(Cell::unknown, |fold| {
            let right = fold.table.accuracy();
            Cell::count(right.of - right.hits)
        });
        table.push([
            Cell::name(&server.name),
            Cell::ratio(Share { hits: server.wrong(), of: server.table.items() }),
            wrong_left_out,
            Cell::number(server.found(), 3),
            found(Label::BusinessLogic),
            found(Label::ToolFailure),
            found(Label::HiddenFailure),
            found(Label::Ok),
        ]);
    }
    let mut section = Section::new(title);
    section.table(table);
    section.note(
        "wrong: wrong answers among its labels; out: wrong when held out; bal.: balanced \
         accuracy of its errors; then the number found of each class",
    );
    section
}

fn servers_without_labels(servers: &[Slice], top: usize) -> Section {
    let mut most: Vec<&Slice> = servers.iter().collect();
    most.sort_by_key(|server| Reverse(server.exchanges));
    let mut table = Table::headed(["server"], ["calls"]);
    for server in most.iter().take(top) {
        table.push([Cell::name(&server.name), Cell::count(server.exchanges)]);
    }
    let title = "servers by calls; without labels, accuracy is unknown";
    let mut section = Section::new(title);
    section.table(table);
    section.more(most.len(), top, MORE);
    section
}

/// Patterns, signals or factors: those that hit most first.
fn things(usages: &[Usage], thing: Thing, top: usize) -> Vec<Section> {
    let of_question = |question: Question| {
        let mut rows: Vec<&Usage> = usages
            .iter()
            .filter(|usage| usage.question == question && usage.replies.hits > 0)
            .collect();
        let replies = rows.first()?.replies.of;
        rows.sort_by_key(|usage| Reverse(usage.replies.hits));
        let (fine, failure) = (question.fine(), question.failure());
        let classes = [fine.name(), failure.name(), "failures among matches", "weight"];
        let mut table = Table::headed([""], ["hits", "alone", "servers"]);
        table.columns.extend(classes.map(Column::right));
        table.columns.push(Column::left("without it"));
        for usage in rows.iter().take(top) {
            table.push([
                Cell::name(&usage.name),
                Cell::share_within(usage.replies),
                Cell::share(usage.alone),
                Cell::count(usage.servers),
                Cell::share_within(usage.of_class(fine)),
                Cell::share_within(usage.of_class(failure)),
                Cell::share_within(usage.toward(failure)),
                usage.weight.map_or_else(Cell::empty, |weight| Cell::text(weight.to_string())),
                usage.without.map_or_else(Cell::empty, |without| {
                    Cell::text(format!("+{} −{}", without.righted, without.wronged))
                }),
            ]);
        }
        let mut section = Section::new(format!(
            "{} on {}: share of {} that each matches",
            thing.name(),
            question.name(),
            counted(replies, "reply"),
        ));
        section.table(table);
        section.more(rows.len(), top, MORE);
        Some(section)
    };
    Question::ALL.into_iter().filter_map(of_question).collect()
}

/// A text's beginning, which says what a reply is about, and its end, often what became of it.
fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= TEXT {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(TEXT * 2 / 3).collect();
    let end: String = text.chars().skip(length - TEXT / 3).collect();
    format!("{beginning} … {end}")
}

fn calibration(calibration: &Calibration) -> Section {
    let [what, how, that] = calibration.reading.words();
    let title = format!("{what} as the probability that {that}{how}");
    let mut section = Section::new(title);
    section.note(format!(
        "Brier score {:.3} (constant base rate: {:.3}), expected calibration error {:.3}",
        calibration.brier, calibration.brier_of_the_mean, calibration.expected_error,
    ));
    if calibration.sure.right.of > 0 {
        let Share { hits, of } = calibration.sure.right;
        section.note(format!("of {SURE} and more: {} of {} right", grouped(hits), grouped(of)));
    }
    if calibration.brier > calibration.brier_of_the_mean {
        section.note("not calibrated: a single constant would predict better");
    }
    let is_off = |step: &&ConfidenceStep| {
        let Interval { low, high } = step.came_true.interval();
        step.mean < low || step.mean > high
    };
    let off = calibration.steps.iter().filter(is_off).max_by(|one, other| {
        let distance = |it: &ConfidenceStep| (it.mean - it.came_true.value().unwrap_or(0.0)).abs();
        distance(one).total_cmp(&distance(other))
    });
    if let Some(step) = off {
        let Share { hits, of } = step.came_true;
        section.note(format!(
            "largest gap: {what} {:.0} % was right in {} of {}",
            step.mean * 100.0,
            grouped(hits),
            counted(of, "case"),
        ));
    }
    let mut table = Table::headed(["said"], ["replies", "mean", "right"]);
    table.columns.push(Column::left(""));
    for step in &calibration.steps {
        table.push([
            Cell::text(format!("{:.0}–{:.0} %", step.low * 100.0, step.high * 100.0)),
            Cell::count(step.came_true.of),
            Cell::percent(step.mean, 1),
            Cell::share_within(step.came_true),
            Cell::bar(step.came_true.value().unwrap_or(0.0)),
        ]);
    }
    section.table(table);
    section
}

fn base_rates(truth: &Truth) -> Option<Section> {
    let shares = FAILURE_RATES.map(|rate| format!("{} % failures", rate * 100.0));
    let heads = ["found", "false alarms"].map(str::to_owned).into_iter().chain(shares);
    let mut table =
        Table::new(std::iter::once(Column::left("failures among")).chain(heads.map(Column::right)));
    let held_out = truth.held_out.iter().flat_map(|held_out| &held_out.base_rates);
    let held_out = held_out.map(|rates| (rates, ", held out"));
    for (rates, how) in truth.base_rates.iter().map(|rates| (rates, "")).chain(held_out) {
        let among = match rates.among {
            Among::Errors => "errors",
            Among::Successes => "replies that claim success",
            Among::All => "all replies",
        };
        let shares = [rates.recall, rates.false_alarms].map(Cell::share_within);
        let precision = rates.precision_at.map(|it| estimate(it.precision));
        let name = Cell::text(format!("{among}{how}"));
        table.push(std::iter::once(name).chain(shares).chain(precision));
    }
    let mut section = Section::new("precision of failures where failures are rarer");
    section.table(table);
    section.note(
        "computed from the failures found and the false alarms, which do not depend on how many \
         failures there are; labelled calls often have more of them than traffic",
    );
    (!truth.base_rates.is_empty()).then_some(section)
}

fn certainty(lines: &[CertaintyFit]) -> Option<Section> {
    let written = |curve: Curve| {
        if curve.is_level() {
            curve.near.to_string()
        } else {
            format!("{} to {}", curve.near, curve.far)
        }
    };
    let mut table = Table::headed(["[[certainty]]"], ["replies", "servers", "right"]);
    table.columns.extend(["written", "fitted"].map(Column::left));
    for line in lines {
        table.push([
            Cell::name(&line.name),
            Cell::count(line.right.of),
            Cell::count(line.servers),
            Cell::share_within(line.right),
            Cell::text(written(line.written)),
            Cell::text(written(line.fitted)),
        ]);
    }
    let mut section = Section::new("certainty by line, each server held out");
    section.table(table);
    section.note("fitted: what these labels ask for, from the threshold (`near`) to 1 away from it (`far`) where there are two numbers");
    (!lines.is_empty()).then_some(section)
}

fn mistakes(view: &View<'_>, mistakes: &[Mistake], top: usize) -> Section {
    let mut section = Section::new(match mistakes.len() as u64 {
        0 => "no wrong answers on labelled replies".to_owned(),
        several => counted(several, "wrong answer"),
    });
    if view.commands.explain.is_none() && !mistakes.is_empty() {
        section.note(
            "note: the recordings have moved, so no texts are shown; put them back, or start \
             tapecheck in the folder where the run was made",
        );
    }
    section.items(mistakes.iter().take(top).map(|mistake| wrong_answer(view, mistake)).collect());
    section.more(mistakes.len(), top, MORE);
    section
}

fn wrong_answer(view: &View<'_>, mistake: &Mistake) -> Item {
    let entry = &view.side.entries[mistake.entry as usize];
    let verdict = &view.side.verdicts[mistake.verdict as usize];
    let answer = mistake.answer.map_or("none", Label::name);
    let place = Line::recorded(view.place(mistake.entry));
    let mut item =
        Item::new(place.then(format!(" labelled {}, classified {answer}", mistake.truth.name())));
    let names = &view.side.names;
    let who = Line::recorded(names.get(entry.tool)).then(" of ");
    item.below.push(Block::Text(who.then_recorded(names.get(entry.server))));
    let mut fields = Vec::new();
    if let Some(text) = view.text(mistake.entry) {
        fields.push(Field::new("text", Line::recorded(shortened(&text))));
    }
    if let Some(why) = view.whys.get(&mistake.entry) {
        fields.push(Field::new("label", Line::recorded(cut(why, TEXT))));
    }
    if let Some(line) = &verdict.decided_by {
        let score = match (verdict.score, verdict.threshold) {
            (Some(score), Some(threshold)) => {
                format!(" (score {score:.3}, threshold {threshold})")
            }
            (Some(score), None) => format!(" (score {score:.3})"),
            (None, _) => String::new(),
        };
        fields.push(Field::new("decided", Line::recorded(&**line).then(score)));
    }
    let list = |names: &[String]| match names {
        [] => Line::from("none"),
        _ => Line::recorded(cut(&names.join(", "), TEXT)),
    };
    fields.push(Field::new("signals", list(&verdict.signals)));
    fields.push(Field::new("hits", list(&verdict.hits)));
    let explain = view.explain(mistake.entry);
    fields.extend(explain.map(|command| Field::new("see", Line::command(command))));
    item.below.push(Block::Fields(fields));
    item
}
