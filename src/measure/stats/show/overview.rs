//! What was measured, at a glance, and the lists that are asked for.

use super::{Sections, View, lists};
use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use crate::measure::stats::{
    Estimate, Headline, HeldOutHeadline, Means, Question, RESAMPLES, Refit, Slice, Thing, Truth,
    Usage,
};
use crate::verdict::{counted, grouped};
use crate::view::{Cell, Column, Field, Line, Section, Table, Tone};
use std::cmp::Reverse;

/// So many servers, and so many patterns of each sort, the overview shows.
const FEW: usize = 6;

/// The overview, or the lists that are asked for.
pub(crate) fn sections(view: &View<'_>, chosen: &Sections) -> Vec<Section> {
    let mut all = vec![opening(view)];
    if let Some(truth) = &view.stats.truth {
        all.extend([headline(truth), confusion(truth)]);
    }
    if chosen.lists.is_empty() {
        all.extend(overview(view));
        all.push(next(view));
    } else {
        all.extend(lists::chosen(view, chosen));
    }
    all
}

fn opening(view: &View<'_>) -> Section {
    let stats = view.stats;
    let header = &view.side.header;
    let mut section = Section::new(
        Line::recorded(&*header.name).then(" under ").then_recorded(&*header.rulebook.name),
    );
    let with_labels = stats.servers.iter().filter(|server| server.table.items() > 0).count();
    let labelled = stats.truth.as_ref().map_or(0, |truth| truth.table.items());
    section.text(format!(
        "{} of {}: {} and {}",
        counted(stats.exchanges, "call"),
        counted(stats.servers.len() as u64, "server"),
        counted(stats.replies[0], "error"),
        match stats.replies[1] {
            1 => "1 reply that claims success".to_owned(),
            several => format!("{} replies that claim success", grouped(several)),
        },
    ));
    section.text(if labelled > 0 {
        let servers = counted(with_labels as u64, "server");
        format!("{} on {servers}", counted(labelled, "label"))
    } else {
        "no labels, so accuracy is unknown; name a file with --labels".to_owned()
    });
    for note in view.notes {
        section.text(Line::from("note: ").then(note));
    }
    section
}

pub(super) fn estimate(estimate: Estimate) -> Cell {
    let cell = Cell::number(estimate.value, 3);
    match (estimate.value, estimate.interval) {
        (Some(_), Some(interval)) => {
            cell.within(interval).signed(if estimate.by == Some(Means::Wilson) { "*" } else { "" })
        }
        (_, _) => cell,
    }
}

type Pick = fn(&Headline) -> Estimate;

fn headline(truth: &Truth) -> Section {
    let mut section = Section::default();
    let mut columns = vec![Column::left(""), Column::left("as is")];
    let mut measured = vec![&truth.headline];
    if let Ok(held_out) = &truth.held_out {
        let kept = &held_out.numbers_kept;
        if *kept == held_out.headline {
            columns.push(Column::left("server held out"));
            measured.push(kept);
        } else {
            columns.push(Column::left("held out, as is"));
            columns.push(Column::left("held out, refitted"));
            measured.extend([kept, &held_out.headline]);
        }
    }
    let mut table = Table::new(columns);
    let rows: [(&str, Pick); 5] = [
        ("errors, balanced accuracy", |it| it.balanced_accuracy),
        ("hidden failures, precision", |it| it.hidden_precision),
        ("hidden failures, recall", |it| it.hidden_recall),
        ("hidden failures, balanced accuracy", |it| it.hidden_balanced_accuracy),
        ("all labels, accuracy", |it| it.accuracy),
    ];
    for (what, pick) in rows {
        let cells = measured.iter().map(|headline| estimate(pick(headline)));
        table.push(std::iter::once(Cell::text(what)).chain(cells));
    }
    section.table(table);
    section.note(format!(
        "in brackets: 95 %, {} draws of {} with replacement",
        grouped(u64::from(RESAMPLES)),
        counted(truth.headline.servers, "server"),
    ));
    let is_wilson = |it: &Headline| rows.iter().any(|(_, pick)| pick(it).by == Some(Means::Wilson));
    if measured.iter().any(|it| is_wilson(it)) {
        section.note(
            "* no bootstrap variation; Wilson interval shown, as if replies were independent \
             (for a mean, the mean of the interval ends)",
        );
    }
    match &truth.held_out {
        Ok(held_out) => left_out(&mut section, held_out),
        Err(because) => section.note(format!("no held-out results: {because}")),
    }
    section
}

fn left_out(section: &mut Section, held_out: &HeldOutHeadline) {
    let folds = &held_out.folds;
    let patterns: u64 = folds.iter().map(|fold| fold.left_out.len() as u64).sum();
    let changed: u64 = folds.iter().map(|fold| fold.changed).sum();
    section.note(format!(
        "held out: each server is classified without the patterns seen only there ({} of {}); {} \
         changed",
        counted(patterns, "pattern"),
        counted(folds.iter().filter(|it| !it.left_out.is_empty()).count() as u64, "server"),
        match changed {
            1 => "1 answer is".to_owned(),
            several => format!("{} answers are", grouped(several)),
        },
    ));
    let refitted = folds.iter().filter(|fold| fold.refitted > 0).count();
    let all = counted(folds.len() as u64, "server");
    match (held_out.refit, refitted) {
        (Refit::No, _) => {}
        (Refit::Yes, 0) => {
            section.note("refitting weights and thresholds to the other servers changes nothing");
        }
        (Refit::Yes, _) if held_out.numbers_kept == held_out.headline => section.note(format!(
            "refitting weights and thresholds to the other servers changes some of them for {refitted} of {all}, but none of these measures"
        )),
        (Refit::Yes, _) => section.note(format!(
            "refitted: weights and thresholds are fitted to the other servers, which changes \
             them for {refitted} of {all}; `tapecheck tune` writes such a rulebook"
        )),
    }
}

/// What was said by what is true; below it, the recall and precision of each class.
fn confusion(truth: &Truth) -> Section {
    let table = &truth.table;
    let mut measured = Table::headed([""], ["labels", "recall", "verdicts", "precision"]);
    for label in Label::ALL {
        let (recall, precision) = (table.recall(label), table.precision(label));
        if recall.of > 0 || precision.of > 0 {
            measured.push([
                Cell::text(label.name()),
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
    let answers = ["ok", "business_logic", "tool_failure", "hidden_failure", "none"];
    let mut confusion_table = Table::headed([""], answers);
    for label in Label::ALL.into_iter().filter(|label| table.of(*label) > 0) {
        let counts = Label::ALL.into_iter().map(Some).chain([None]).map(|answer| {
            let count = table.count(label, answer);
            let tone = if answer == Some(label) { Tone::Better } else { Tone::Worse };
            Cell::sparse(count).toned((count > 0).then_some(tone))
        });
        confusion_table.push(std::iter::once(Cell::text(label.name())).chain(counts));
    }
    confusion_table
}

fn overview(view: &View<'_>) -> Vec<Section> {
    let mut all = Vec::new();
    if let Some(truth) = &view.stats.truth {
        all.push(worst_servers(view, truth));
        all.extend(harmful(view, truth));
    } else {
        all.extend(most_hit(view, Thing::Signal));
        all.extend(most_hit(view, Thing::Pattern));
    }
    let patterns = &view.stats.usages[Thing::Pattern as usize];
    let mut names: Vec<(&str, bool)> =
        patterns.iter().map(|usage| (usage.name.as_str(), usage.replies.hits > 0)).collect();
    names.sort_unstable();
    let dead = names.chunk_by(|one, other| one.0 == other.0);
    let dead = dead.filter(|rows| rows.iter().all(|(_, is_hit)| !is_hit)).count();
    if dead > 0 {
        names.dedup_by_key(|(name, _)| *name);
        let patterns = counted(names.len() as u64, "pattern");
        all.push(Section::new(format!(
            "{} of {patterns} match nothing here",
            grouped(dead as u64)
        )));
    }
    all
}

fn worst_servers(view: &View<'_>, truth: &Truth) -> Section {
    let mut worst: Vec<&Slice> =
        view.stats.servers.iter().filter(|server| server.wrong() > 0).collect();
    if worst.is_empty() {
        return Section::new("no wrong answers on labelled replies");
    }
    worst.sort_by_key(|server| Reverse(server.wrong()));
    let all = counted(worst.len() as u64, "server");
    worst.truncate(FEW);
    lists::servers(format!("worst of {all} with wrong answers"), &worst, truth)
}

/// The patterns without which more answers would be right.
fn harmful(view: &View<'_>, truth: &Truth) -> Vec<Section> {
    let patterns = &view.stats.usages[Thing::Pattern as usize];
    let mut worst: Vec<(f64, &Usage)> = patterns
        .iter()
        .filter_map(|usage| Some((usage.without?.help?, usage)))
        .filter(|(help, _)| *help < -1e-9)
        .collect();
    let unknown: Vec<&str> = Question::ALL
        .into_iter()
        .filter(|it| [it.fine(), it.failure()].iter().any(|label| truth.table.of(*label) == 0))
        .map(Question::name)
        .collect();
    let mut all = Vec::new();
    if !unknown.is_empty() {
        all.push(Section::new(format!(
            "whether patterns do harm on {} is unknown: both classes need labels",
            unknown.join(" and "),
        )));
    }
    if worst.is_empty() {
        if unknown.len() < Question::ALL.len() {
            all.push(Section::new(format!(
                "no pattern does harm{}: removing any one of them does not improve accuracy",
                if unknown.is_empty() { "" } else { " on the others" },
            )));
        }
        return all;
    }
    worst.sort_by(|one, other| {
        one.0.total_cmp(&other.0).then_with(|| one.1.name.cmp(&other.1.name))
    });
    let count = grouped(worst.len() as u64);
    let heads = ["righted", "wronged", "balanced accuracy"];
    let mut table = Table::headed(["pattern", "replies"], heads);
    for (help, usage) in worst.into_iter().take(FEW) {
        let Some(without) = usage.without else { continue };
        table.push([
            Cell::name(&usage.name),
            Cell::text(usage.question.name()),
            Cell::count(without.righted),
            Cell::count(without.wronged),
            Cell::difference(-help, 4),
        ]);
    }
    let title = format!("patterns that do harm ({count}): effect of removing one");
    let mut section = Section::new(title);
    section.table(table);
    all.push(section);
    all
}

/// Without labels: what hits most.
fn most_hit(view: &View<'_>, thing: Thing) -> Vec<Section> {
    let of_question = |question: Question| {
        let usages = view.stats.usages[thing as usize].iter();
        let mut most: Vec<&Usage> =
            usages.filter(|usage| usage.question == question && usage.replies.hits > 0).collect();
        most.sort_by_key(|usage| Reverse(usage.replies.hits));
        let mut table = Table::headed([""], ["replies", "share", "alone", "servers"]);
        for usage in most.into_iter().take(FEW) {
            table.push([
                Cell::name(&usage.name),
                Cell::count(usage.replies.hits),
                Cell::share_within(usage.replies),
                Cell::share(usage.alone),
                Cell::count(usage.servers),
            ]);
        }
        let title = format!("{} that match most {}", thing.name(), question.name());
        let mut section = Section::new(title);
        section.table(table);
        (!section.blocks.is_empty()).then_some(section)
    };
    Question::ALL.into_iter().filter_map(of_question).collect()
}

/// What to look at next.
fn next(view: &View<'_>) -> Section {
    let mut section =
        Section::new(Line::from("next: ").then_command(&*view.commands.stats).then(" with"));
    let mut fields = Vec::new();
    if let Some(truth) = &view.stats.truth {
        let mistakes = truth.mistakes.len() as u64;
        if mistakes > 0 {
            let about = format!("{} with their texts and why", counted(mistakes, "wrong answer"));
            fields.push(Field::new("--show mistakes", about));
        }
        fields.push(Field::new("--show servers", "each server, as is and left out"));
    }
    let about = "every pattern (or signals, factors): matches, precision, effect of removing it";
    fields.push(Field::new("--show patterns", about));
    section.fields(fields);
    section
}
