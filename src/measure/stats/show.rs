//! What was measured, as people read it.

use super::{
    Among, Calibration, CertaintyFit, ConfidenceStep, Estimate, FAILURE_RATES, Headline, HeldOut,
    Means, Mistake, Question, RESAMPLES, SURE, Server, Stats, Thing, Truth, Usage,
};
use crate::count::tally::Interval;
use crate::labels::Class;
use crate::measure::accuracy::{Confusion, Share};
use crate::rulebook::Curve;
use crate::verdict::{counted, cut, grouped};
use crate::view::{Block, Cell, Column, Field, Item, Line, Section, Table, Tone};
use std::cmp::Reverse;

/// So many servers, and so many patterns of each sort, the overview shows.
const FEW: usize = 6;
/// So much of a text is shown.
const TEXT: usize = 300;
/// How the rows that a list leaves out are seen.
const MORE: &str = "--top N shows more, --out DIR all of them";

/// A list that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Servers,
    Things(Thing),
    Calibration,
    Mistakes,
    /// The mistakes of what is left of the rulebook without the server that is asked about.
    MistakesLeftOut,
}

/// The overview, or the lists that are asked for, of so many rows. `command` measures it again.
pub(crate) fn sections(stats: &Stats, lists: &[List], top: usize, command: &str) -> Vec<Section> {
    let mut all = vec![opening(stats)];
    if let Some(truth) = &stats.truth {
        all.extend([headline(stats, truth), confusion(&truth.measured.table)]);
    }
    if lists.is_empty() {
        all.extend(overview(stats));
        all.push(next(stats, command));
    }
    all.extend(lists.iter().flat_map(|list| self::list(stats, *list, top)));
    all
}

fn list(stats: &Stats, list: List, top: usize) -> Vec<Section> {
    match (list, &stats.truth) {
        (List::Servers, truth) => {
            let is_shown = |server: &Server| truth.is_none() || server.labels > 0;
            let title = match truth {
                Some(_) => "with labels, most wrong answers first",
                None => "by calls; without labels, accuracy is unknown",
            };
            // What is wrong is read in full.
            servers(title, stats, is_shown, if truth.is_some() { usize::MAX } else { top }, MORE)
        }
        (List::Things(thing), _) => things(stats, thing, top, MORE),
        // Nothing is known of what is right; the opening says so.
        (_, None) => Vec::new(),
        (List::Calibration, Some(truth)) => {
            let readings = truth.calibration.iter().map(calibration);
            readings.chain(certainty(&truth.certainty)).chain(base_rates(stats, truth)).collect()
        }
        (List::Mistakes, Some(truth)) => vec![mistakes(&truth.measured.mistakes, top)],
        (List::MistakesLeftOut, Some(_)) => match &stats.leave_one_server_out {
            Some(held_out) => {
                let mut section = Section::new(
                    "leaving one server out; signals and matches are those of the complete rulebook",
                );
                section.section(mistakes(&held_out.measured.mistakes, top));
                vec![section]
            }
            None => vec![Section::new(not_held_out(stats))],
        },
    }
}

fn not_held_out(stats: &Stats) -> String {
    format!("no held-out results: {}", stats.not_held_out.as_deref().unwrap_or_default())
}

fn opening(stats: &Stats) -> Section {
    let mut section = Section::new(
        Line::recorded(&*stats.input).then(" under ").then_recorded(&*stats.rulebook.name),
    );
    let replies = |question: Question| stats.replies.get(question.name()).copied().unwrap_or(0);
    let successes = replies(Question::Successes);
    section.text(format!(
        "{} of {}: {} and {} that {} success",
        counted(stats.exchanges, "call"),
        counted(stats.servers.len() as u64, "server"),
        counted(replies(Question::Errors), "error"),
        counted(successes, "reply"),
        if successes == 1 { "claims" } else { "claim" },
    ));
    section.text(match &stats.truth {
        Some(truth) => format!(
            "{} on {}",
            counted(truth.measured.labels, "label"),
            counted(truth.measured.headline.servers, "server")
        ),
        None => "no labels, so accuracy is unknown; name a file with --labels".to_owned(),
    });
    for note in &stats.notes {
        section.text(Line::from("note: ").then(note));
    }
    section
}

fn estimate(estimate: Estimate) -> Cell {
    let cell = Cell::number(estimate.value, 3);
    let interval = estimate.interval.filter(|_| estimate.value.is_some());
    let sign = interval.filter(|_| estimate.by == Some(Means::Wilson)).map_or("", |_| "*");
    cell.within(interval).signed(sign)
}

fn headline(stats: &Stats, truth: &Truth) -> Section {
    let mut section = Section::default();
    let mut columns = vec![Column::left(""), Column::left("as is")];
    let mut measured = vec![&truth.measured.headline];
    if let Some(HeldOut { measured: left_out, numbers_kept, .. }) = &stats.leave_one_server_out {
        measured.push(numbers_kept);
        if *numbers_kept == left_out.headline {
            columns.push(Column::left("server held out"));
        } else {
            columns.extend(["held out, as is", "held out, refitted"].map(Column::left));
            measured.push(&left_out.headline);
        }
    }
    let mut table = Table::new(columns);
    let measured: Vec<_> = measured.into_iter().map(Headline::estimates).collect();
    for (at, (name, ..)) in measured[0].iter().enumerate() {
        let cells = measured.iter().map(|measures| estimate(measures[at].2));
        table.push(std::iter::once(Cell::text(*name)).chain(cells));
    }
    section.table(table);
    section.note(format!(
        "in brackets: 95 %, {} draws of {} with replacement",
        grouped(u64::from(RESAMPLES)),
        counted(truth.measured.headline.servers, "server"),
    ));
    if measured.iter().flatten().any(|(.., it)| it.by == Some(Means::Wilson)) {
        section.note(
            "* no bootstrap variation; Wilson interval shown, as if replies were independent \
             (for a mean, the mean of the interval ends)",
        );
    }
    match &stats.leave_one_server_out {
        Some(held_out) => left_out(&mut section, held_out),
        None => section.note(not_held_out(stats)),
    }
    section
}

fn left_out(section: &mut Section, HeldOut { folds, fitted_anew, .. }: &HeldOut) {
    let patterns = folds.iter().map(|fold| fold.left_out.len() as u64).sum();
    let servers = folds.iter().filter(|fold| !fold.left_out.is_empty()).count() as u64;
    section.note(format!(
        "held out: each server is classified without the patterns seen only there ({} of {}); \
         answers that change: {}",
        counted(patterns, "pattern"),
        counted(servers, "server"),
        grouped(folds.iter().map(|fold| fold.changed).sum()),
    ));
    if *fitted_anew {
        section.note(format!(
            "refitted: weights and thresholds are fitted to the other servers, which changes \
             them for {} of {}; `tapecheck tune` writes such a rulebook",
            folds.iter().filter(|fold| fold.refitted > 0).count(),
            counted(folds.len() as u64, "server"),
        ));
    }
}

/// What was said by what is true; below it, the recall and precision of each class.
fn confusion(table: &Confusion) -> Section {
    let mut measured = Table::headed([""], ["labels", "recall", "verdicts", "precision"]);
    for label in Class::ALL {
        let (recall, precision) = (table.recall(label), table.precision(label));
        if recall.of > 0 || precision.of > 0 {
            measured.push([
                Cell::text(if label == Class::Hidden { "all hidden" } else { label.words() }),
                Cell::count(recall.of),
                Cell::share_within(recall),
                Cell::count(precision.of),
                Cell::share_within(precision),
            ]);
        }
    }
    let mut section = Section::new("labels and verdicts");
    section.table(confusion_table(table));
    section.table(measured);
    section
}

pub(crate) fn confusion_table(table: &Confusion) -> Table {
    let answers = Class::ALL.into_iter().filter(|class| *class != Class::Hidden).map(Some);
    let answers: Vec<Option<Class>> = answers.chain([None]).collect();
    let heads = answers.iter().map(|answer| Column::right(answer.map_or("none", Class::words)));
    let mut confusion_table = Table::new([Column::left("")].into_iter().chain(heads));
    let is_there = |class: &Class| {
        Class::ALL.iter().any(|it| table.exactly(*class, Some(*it)) > 0)
            || table.exactly(*class, None) > 0
    };
    for class in Class::ALL.into_iter().filter(is_there) {
        let counts = answers.iter().map(|answer| {
            let count = table.exactly(class, *answer);
            let tone = if class.is_met_by(*answer) { Tone::Better } else { Tone::Worse };
            Cell::sparse(count).toned((count > 0).then_some(tone))
        });
        confusion_table.push(std::iter::once(Cell::text(class.words())).chain(counts));
    }
    confusion_table
}

fn overview(stats: &Stats) -> Vec<Section> {
    let mut all = if let Some(truth) = &stats.truth {
        let title = "with wrong answers, the worst first";
        let how = "--show servers shows all";
        let worst = servers(title, stats, |server| server.wrong > 0, FEW, how);
        [worst, harmful(stats, truth)].concat()
    } else {
        let signals = things(stats, Thing::Signal, FEW, "--show signals shows all");
        [signals, things(stats, Thing::Pattern, FEW, "--show patterns shows all")].concat()
    };
    // Each pattern once, and not dead if it hits for any question.
    let mut names: Vec<(&str, bool)> =
        stats.patterns.iter().map(|usage| (usage.name.as_str(), usage.hits == 0)).collect();
    names.sort_unstable();
    names.dedup_by_key(|(name, _)| *name);
    let dead = names.iter().filter(|(_, is_dead)| *is_dead).count() as u64;
    if dead > 0 {
        let patterns = counted(names.len() as u64, "pattern");
        all.push(Section::new(format!("{} of {patterns} match nothing here", grouped(dead))));
    }
    all
}

/// Some servers: those of most wrong answers first, then those of most calls.
fn servers(
    title: &str,
    stats: &Stats,
    is_shown: impl Fn(&Server) -> bool,
    top: usize,
    how: &str,
) -> Vec<Section> {
    let mut shown: Vec<&Server> = stats.servers.iter().filter(|server| is_shown(server)).collect();
    shown.sort_by_key(|it| (Reverse(it.wrong), Reverse(it.exchanges * u64::from(it.labels == 0))));
    let is_labelled = stats.truth.is_some();
    let heads = ["wrong", "out", "bal.", "refused", "failed", "hidden", "worked"];
    let heads = if is_labelled { &heads[..] } else { &["calls"] };
    let heads = heads.iter().map(|head| Column::right(*head));
    let mut table = Table::new([Column::left("server")].into_iter().chain(heads));
    for server in shown.iter().take(top) {
        let mut row = vec![Cell::name(&server.name)];
        if is_labelled {
            row.extend([
                Cell::ratio(Share { hits: server.wrong, of: server.labels }),
                server.wrong_left_out.map_or_else(Cell::unknown, Cell::count),
                Cell::number(server.balanced_accuracy, 3),
            ]);
            let classes = [Class::Refused, Class::Failed, Class::Hidden, Class::Worked];
            row.extend(classes.map(|label| Cell::ratio(server.table.recall(label))));
        } else {
            row.push(Cell::count(server.exchanges));
        }
        table.push(row);
    }
    let mut section = Section::new(format!("{} {title}", counted(shown.len() as u64, "server")));
    section.table(table);
    section.more(shown.len(), top, how);
    if is_labelled && !shown.is_empty() {
        section.note(
            "wrong: wrong answers among its labels; out: wrong when held out; bal.: balanced \
             accuracy of its errors; then the number found of each class",
        );
    }
    vec![section]
}

/// The patterns without which more answers would be right.
fn harmful(stats: &Stats, truth: &Truth) -> Vec<Section> {
    let mut all = Vec::new();
    let is_unknown = |it: &Question| it.labels().iter().any(|it| truth.measured.table.of(*it) == 0);
    let unknown: Vec<&str> =
        Question::ALL.into_iter().filter(is_unknown).map(Question::name).collect();
    if !unknown.is_empty() {
        all.push(Section::new(format!(
            "whether patterns do harm on {} is unknown: both classes need labels",
            unknown.join(" and "),
        )));
    }
    let helps = stats.patterns.iter().filter_map(|it| Some((it.without?.help?, it)));
    let mut worst: Vec<(f64, &Usage)> = helps.filter(|(help, _)| *help < -1e-9).collect();
    if worst.is_empty() && unknown.len() == Question::ALL.len() {
        return all;
    }
    worst.sort_by(|one, other| {
        one.0.total_cmp(&other.0).then_with(|| one.1.name.cmp(&other.1.name))
    });
    let mut table =
        Table::headed(["pattern", "replies"], ["righted", "wronged", "balanced accuracy"]);
    for (help, usage) in worst.iter().take(FEW) {
        let Some(without) = usage.without else { continue };
        table.push([
            Cell::name(&usage.name),
            Cell::text(usage.question.name()),
            Cell::count(without.righted),
            Cell::count(without.wronged),
            Cell::difference(-help, 4),
        ]);
    }
    let mut section = Section::new(match worst.len() as u64 {
        0 => "no pattern does harm: removing any one of them does not improve accuracy".to_owned(),
        count => format!("patterns that do harm ({}): effect of removing one", grouped(count)),
    });
    section.table(table);
    all.push(section);
    all
}

/// Patterns, signals or factors: those that hit most first.
fn things(stats: &Stats, thing: Thing, top: usize, how: &str) -> Vec<Section> {
    let of_question = |question: Question| {
        let usages = stats.usages(thing).iter();
        let mut rows: Vec<&Usage> =
            usages.filter(|usage| usage.question == question && usage.hits > 0).collect();
        rows.sort_by_key(|usage| Reverse(usage.hits));
        let replies = rows.first()?.replies;
        let [fine, failure] = question.labels();
        let mut table = Table::headed([""], ["hits", "alone", "servers"]);
        if stats.truth.is_some() {
            let heads = [fine.words(), failure.words(), "failures among matches"];
            table.columns.extend(heads.map(Column::right));
        }
        table.columns.push(Column::right("weight"));
        table.columns.extend(stats.truth.as_ref().map(|_| Column::left("without it")));
        for usage in rows.iter().take(top) {
            let mut row = vec![
                Cell::name(&usage.name),
                Cell::share_within(Share { hits: usage.hits, of: usage.replies }),
                Cell::share(Share { hits: usage.alone, of: usage.hits }),
                Cell::count(usage.servers),
            ];
            if stats.truth.is_some() {
                let classes = &usage.classes;
                let shares = {
                    let [fine, failure] = [fine, failure].map(|it| classes[it.column()]);
                    [fine.share, failure.share, failure.precision]
                };
                row.extend(shares.map(Cell::share_within));
            }
            row.push(usage.weight.map_or_else(Cell::empty, |it| Cell::text(it.to_string())));
            row.extend(stats.truth.as_ref().map(|_| {
                usage.without.map_or_else(Cell::empty, |it| {
                    Cell::text(format!("+{} −{}", it.righted, it.wronged))
                })
            }));
            table.push(row);
        }
        let mut section = Section::new(format!(
            "{} on {}: share of {} that each matches",
            thing.name(),
            question.name(),
            counted(replies, "reply"),
        ));
        section.table(table);
        section.more(rows.len(), top, how);
        Some(section)
    };
    Question::ALL.into_iter().filter_map(of_question).collect()
}

fn calibration(calibration: &Calibration) -> Section {
    let [what, how, that] = calibration.reading.words();
    let mut section = Section::new(format!("{what} as the probability that {that}{how}"));
    section.note(format!(
        "Brier score {:.3} (constant base rate: {:.3}), expected calibration error {:.3}",
        calibration.brier, calibration.brier_of_the_mean, calibration.expected_error,
    ));
    let Share { hits, of } = calibration.sure.right;
    if of > 0 {
        section.note(format!("of {SURE} and more: {} of {} right", grouped(hits), grouped(of)));
    }
    if calibration.brier > calibration.brier_of_the_mean {
        section.note("not calibrated: a single constant would predict better");
    }
    let gap = |step: &ConfidenceStep| {
        let Interval { low, high } = step.came_true.interval();
        let is_off = step.mean < low || step.mean > high;
        is_off.then(|| (step.mean - step.came_true.value().unwrap_or(0.0)).abs())
    };
    let gaps = calibration.steps.iter().filter_map(|step| Some((gap(step)?, step)));
    if let Some((_, step)) = gaps.max_by(|one, other| one.0.total_cmp(&other.0)) {
        section.note(format!(
            "largest gap: {what} {:.0} % was right in {} of {}",
            step.mean * 100.0,
            grouped(step.came_true.hits),
            counted(step.replies, "case"),
        ));
    }
    let mut table = Table::headed(["said"], ["replies", "mean", "right"]);
    table.columns.push(Column::left(""));
    for step in &calibration.steps {
        table.push([
            Cell::text(format!("{:.0}–{:.0} %", step.low * 100.0, step.high * 100.0)),
            Cell::count(step.replies),
            Cell::percent(step.mean, 1),
            Cell::share_within(step.came_true),
            Cell::bar(step.came_true.value().unwrap_or(0.0)),
        ]);
    }
    section.table(table);
    section
}

fn base_rates(stats: &Stats, truth: &Truth) -> Option<Section> {
    let shares = FAILURE_RATES.map(|rate| format!("{} % failures", rate * 100.0));
    let heads = ["found", "false alarms"].map(str::to_owned).into_iter().chain(shares);
    let mut table =
        Table::new(std::iter::once(Column::left("failures among")).chain(heads.map(Column::right)));
    let held_out = stats.leave_one_server_out.iter().flat_map(|held_out| &held_out.base_rates);
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
        let far = if curve.is_level() { String::new() } else { format!(" to {}", curve.far) };
        format!("{}{far}", curve.near)
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
    section.note(
        "fitted: what these labels ask for, from the threshold (`near`) to 1 away from it \
         (`far`) where there are two numbers",
    );
    (!lines.is_empty()).then_some(section)
}

fn mistakes(mistakes: &[Mistake], top: usize) -> Section {
    let mut section = Section::new(counted(mistakes.len() as u64, "wrong answer"));
    if mistakes.iter().any(|mistake| mistake.explain.is_none()) {
        section.note(
            "note: the recordings have moved, so no texts are shown; put them back, or start \
             tapecheck in the folder where the run was made",
        );
    }
    section.items(mistakes.iter().take(top).map(wrong_answer).collect());
    section.more(mistakes.len(), top, MORE);
    section
}

fn wrong_answer(mistake: &Mistake) -> Item {
    let Mistake { file, line, server, tool, truth, answer, .. } = mistake;
    let answer = answer.map_or("none", Class::words);
    let place = Line::recorded(format!("{file}:{line}"));
    let mut item =
        Item::new(place.then(format!(" labelled {}, classified {answer}", truth.words())));
    let who = Line::recorded(&**tool).then(" of ").then_recorded(&**server);
    item.below.push(Block::Text(who));
    let decided = mistake.decided_by.as_ref().map(|line| {
        let score = mistake.score.map(|score| format!("score {score:.3}"));
        let threshold = mistake.threshold.map(|threshold| format!("threshold {threshold}"));
        let numbers: Vec<String> = score.into_iter().chain(threshold).collect();
        let line = Line::recorded(&**line);
        if numbers.is_empty() { line } else { line.then(format!(" ({})", numbers.join(", "))) }
    });
    let list = |names: &[String]| match names {
        [] => Line::from("none"),
        _ => Line::recorded(cut(&names.join(", "), TEXT)),
    };
    let recorded = |text: &Option<String>| text.as_ref().map(|it| Line::recorded(cut(it, TEXT)));
    let fields = [
        ("text", recorded(&mistake.text)),
        ("label", recorded(&mistake.why)),
        ("decided", decided),
        ("signals", Some(list(&mistake.signals))),
        ("hits", Some(list(&mistake.hits))),
        ("see", mistake.explain.clone().map(Line::command)),
    ];
    let fields = fields.into_iter().filter_map(|(name, line)| Some(Field::new(name, line?)));
    item.below.push(Block::Fields(fields.collect()));
    item
}

/// What to look at next.
fn next(stats: &Stats, command: &str) -> Section {
    let mut section = Section::new(Line::from("next: ").then_command(command).then(" with"));
    let mut fields = Vec::new();
    if let Some(truth) = &stats.truth {
        let wrong = counted(truth.measured.mistakes.len() as u64, "wrong answer");
        fields.push(Field::new("--show mistakes", format!("{wrong} with their texts and why")));
        fields.push(Field::new("--show servers", "each server, as is and left out"));
    }
    let about = "every pattern (or signals, factors): matches, precision, effect of removing it";
    fields.push(Field::new("--show patterns", about));
    section.fields(fields);
    section
}
