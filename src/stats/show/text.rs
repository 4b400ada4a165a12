//! The overview: what fits a screen, and what to look at next.

use super::layout::{Align, Grid, Page, decimals, estimate, name, percent, percent_within};
use super::{Sections, View, lists};
use crate::accuracy::Confusion;
use crate::label::Label;
use crate::stats::{
    Estimate, Headline, Means, Question, RESAMPLES, Refit, Slice, Thing, Truth, Usage,
};
use crate::verdict::{counted, grouped, harmless};
use std::cmp::Reverse;
use std::fmt::Write as _;

/// So many servers, and so many patterns of each sort, the overview shows.
const FEW: usize = 6;

/// What was measured, for a terminal: the overview, and the lists that are asked for.
#[must_use]
pub fn as_text(view: &View<'_>, sections: &Sections) -> String {
    let mut out = Page::new(sections.width);
    opening(&mut out, view);
    if let Some(truth) = &view.stats.truth {
        headline(&mut out, truth);
        confusion(&mut out, &truth.table);
        let _ = writeln!(
            out,
            "\nwrong answers cost {} in all, {:.3} each labelled reply",
            number(truth.loss),
            truth.loss / truth.table.items().max(1) as f64
        );
    }
    if let Some(drift) = view.drift {
        lists::drift(&mut out, drift, sections.top);
    }
    if sections.lists.is_empty() {
        overview(&mut out, view);
        next(&mut out, view);
    } else {
        lists::chosen(&mut out, view, sections);
    }
    out.into_text()
}

/// A number without decimals that say nothing.
fn number(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn opening(out: &mut Page, view: &View<'_>) {
    let stats = view.stats;
    let header = &view.side.header;
    let _ = writeln!(out, "{} under {}", harmless(&header.name), harmless(&header.rulebook.name));
    let with_labels = stats.servers.iter().filter(|server| server.table.items() > 0).count();
    let labelled = stats.truth.as_ref().map_or(0, |truth| truth.table.items());
    let _ = writeln!(
        out,
        "{} of {}: {} and {}",
        counted(stats.exchanges, "exchange"),
        counted(stats.servers.len() as u64, "server"),
        counted(stats.replies[0], "error"),
        match stats.replies[1] {
            1 => "1 reply that claims success".to_owned(),
            several => format!("{} replies that claim success", grouped(several)),
        },
    );
    if labelled > 0 {
        let _ = writeln!(
            out,
            "{} on {}",
            counted(labelled, "label"),
            counted(with_labels as u64, "server")
        );
    } else {
        out.push_str(
            "no label: what is right and what is wrong is not known. Name a file with --labels; \
             hits, overlaps and drift are shown without\n",
        );
    }
    for note in view.notes {
        let _ = writeln!(out, "note: {}", harmless(note));
    }
}

/// Takes one of the measures.
type Pick = fn(&Headline) -> Estimate;

fn headline(out: &mut Page, truth: &Truth) {
    out.push_str("\n");
    let left_out = truth.held_out.as_ref().ok();
    let mut heads = vec![("", Align::Left), ("as it is", Align::Left)];
    let mut measured = Vec::new();
    if let Some(held_out) = left_out {
        let kept = &held_out.numbers_kept;
        if *kept == held_out.headline {
            heads.push(("one server left out", Align::Left));
            measured.push(kept);
        } else {
            heads.push(("left out, as written", Align::Left));
            heads.push(("left out, refitted", Align::Left));
            measured.extend([kept, &held_out.headline]);
        }
    }
    let mut grid = Grid::new(&heads);
    let rows: [(&str, Pick); 5] = [
        ("errors, balanced accuracy", |it| it.balanced_accuracy),
        ("hidden failures, precision", |it| it.hidden_precision),
        ("hidden failures, recall", |it| it.hidden_recall),
        ("hidden failures, balanced accuracy", |it| it.hidden_balanced_accuracy),
        ("all labels, accuracy", |it| it.accuracy),
    ];
    for (what, pick) in rows {
        let mut row = vec![what.to_owned(), estimate(pick(&truth.headline))];
        row.extend(measured.iter().map(|headline| estimate(pick(headline))));
        grid.push(row);
    }
    grid.write(out);
    let _ = writeln!(
        out,
        "  in brackets: 95 %, {} draws of {} with replacement",
        grouped(u64::from(RESAMPLES)),
        counted(truth.headline.servers, "server"),
    );
    let is_wilson = |it: &Estimate| it.interval.is_some() && it.by == Means::Wilson;
    if measured.iter().chain([&&truth.headline]).any(|it| it.all().iter().any(is_wilson)) {
        out.push_str(
            "  * every draw comes to the same, so Wilson's, as if replies were independent; of a mean, \
             the mean of its ends\n",
        );
    }
    match &truth.held_out {
        Ok(held_out) => {
            let folds = &held_out.folds.folds;
            let left_out: u64 = folds.iter().map(|fold| fold.left_out.len() as u64).sum();
            let changed: u64 = folds.iter().map(|fold| fold.changed).sum();
            let refitted = folds.iter().filter(|fold| fold.refitted > 0).count();
            let _ = writeln!(
                out,
                "  left out: each server is answered without the patterns that it alone hits ({} of {}); {} \
                 changed by it",
                counted(left_out, "pattern"),
                counted(folds.iter().filter(|it| !it.left_out.is_empty()).count() as u64, "server"),
                match changed {
                    1 => "1 answer is".to_owned(),
                    several => format!("{} answers are", grouped(several)),
                },
            );
            let all = counted(folds.len() as u64, "server");
            let _ = match (held_out.refit, refitted) {
                (Refit::No, _) => Ok(()),
                (Refit::Yes, 0) => writeln!(
                    out,
                    "  fitting weights and thresholds anew to the other servers changes none of them"
                ),
                (Refit::Yes, _) if held_out.numbers_kept == held_out.headline => writeln!(
                    out,
                    "  fitting weights and thresholds anew to the other servers changes some for {refitted} \
                     of {all}, and none of these measures"
                ),
                (Refit::Yes, _) => writeln!(
                    out,
                    "  refitted: weights and thresholds are fitted anew to the other servers, which changes \
                     some for {refitted} of {all}; what that is worth is another rulebook's, which \
                     `tapecheck tune` would write"
                ),
            };
        }
        Err(because) => {
            let _ = writeln!(out, "  servers are not left out: {because}");
        }
    }
}

/// What was said by what is true; below it what is found of each class, and how much of what is said of it
/// is right.
fn confusion(out: &mut Page, table: &Confusion) {
    let _ = writeln!(out, "\nwhat is true, and what is said");
    let mut said = Grid::new(&[
        ("", Align::Left),
        ("ok", Align::Right),
        ("business_logic", Align::Right),
        ("tool_failure", Align::Right),
        ("hidden_failure", Align::Right),
        ("nothing", Align::Right),
    ]);
    let mut measured = Grid::new(&[
        ("", Align::Left),
        ("labels", Align::Right),
        ("found (recall)", Align::Right),
        ("said", Align::Right),
        ("right (precision)", Align::Right),
    ]);
    for label in Label::ALL {
        let (recall, precision) = (table.recall(label), table.precision(label));
        if recall.of > 0 {
            let mut row = vec![label.name().to_owned()];
            for answer in Label::ALL.into_iter().map(Some).chain([None]) {
                let count = table.count(label, answer);
                row.push(if count == 0 { "·".to_owned() } else { grouped(count) });
            }
            said.push(row);
        }
        if recall.of > 0 || precision.of > 0 {
            measured.push(vec![
                label.name().to_owned(),
                grouped(recall.of),
                percent_within(recall),
                grouped(precision.of),
                percent_within(precision),
            ]);
        }
    }
    said.write(out);
    out.push_str("\n");
    measured.write(out);
}

fn overview(out: &mut Page, view: &View<'_>) {
    if let Some(truth) = &view.stats.truth {
        worst_servers(out, view, truth);
        telling(out, view);
        harmful(out, view, truth);
    } else {
        most_hit(out, view, Thing::Fact);
        most_hit(out, view, Thing::Pattern);
    }
    let patterns = &view.stats.usages[Thing::Pattern as usize];
    let mut names: Vec<(&str, bool)> =
        patterns.iter().map(|usage| (usage.name.as_str(), usage.replies.hits > 0)).collect();
    names.sort_unstable();
    let dead = names.chunk_by(|one, other| one.0 == other.0);
    let dead = dead.filter(|rows| rows.iter().all(|(_, is_hit)| !is_hit)).count();
    if dead > 0 {
        names.dedup_by_key(|(name, _)| *name);
        let all = counted(names.len() as u64, "pattern");
        let _ = writeln!(out, "\n{} of {all} hit nothing here", grouped(dead as u64));
    }
}

/// The servers with the most wrong answers.
fn worst_servers(out: &mut Page, view: &View<'_>, truth: &Truth) {
    let mut worst: Vec<&Slice> =
        view.stats.servers.iter().filter(|server| server.wrong() > 0).collect();
    if worst.is_empty() {
        let _ = writeln!(out, "\nno labelled reply is answered wrongly");
        return;
    }
    worst.sort_by_key(|server| Reverse(server.wrong()));
    let all = worst.len();
    worst.truncate(FEW);
    let _ = writeln!(out, "\nworst of {} with wrong answers", counted(all as u64, "server"));
    lists::servers(out, &worst, truth);
}

/// The patterns that tell the most, of each question.
fn telling(out: &mut Page, view: &View<'_>) {
    let patterns = &view.stats.usages[Thing::Pattern as usize];
    let mut best: Vec<(f64, &Usage)> = patterns
        .iter()
        .filter_map(|usage| Some((usage.split().information_gain()?, usage)))
        .filter(|(gain, _)| *gain > 0.0)
        .collect();
    best.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name))
    });
    best.truncate(FEW);
    if best.is_empty() {
        return;
    }
    let _ =
        writeln!(out, "\nmost telling patterns, and the share of each class of which they hold");
    let mut grid = Grid::new(&[
        ("pattern", Align::Left),
        ("asked of", Align::Left),
        ("failures", Align::Right),
        ("others", Align::Right),
        ("S/O", Align::Right),
        ("bits", Align::Right),
        ("servers", Align::Right),
    ]);
    for (gain, usage) in best {
        let split = usage.split();
        grid.push(vec![
            name(&usage.name),
            usage.question.name().to_owned(),
            percent(split.failures),
            percent(split.fine),
            decimals(split.s_o()),
            format!("{gain:.3}"),
            grouped(usage.servers),
        ]);
    }
    grid.write(out);
}

/// The patterns without which more answers would be right.
fn harmful(out: &mut Page, view: &View<'_>, truth: &Truth) {
    let patterns = &view.stats.usages[Thing::Pattern as usize];
    let mut worst: Vec<(f64, &Usage)> = patterns
        .iter()
        .filter_map(|usage| Some((usage.without?.help()?, usage)))
        .filter(|(help, _)| *help < -1e-9)
        .collect();
    let untold: Vec<&str> = Question::ALL
        .into_iter()
        .filter(|it| [it.fine(), it.failure()].iter().any(|label| truth.table.of(*label) == 0))
        .map(Question::name)
        .collect();
    if !untold.is_empty() {
        let _ = writeln!(
            out,
            "\nwhether patterns do harm on {} cannot be told: both classes have to be labelled",
            untold.join(" and "),
        );
    }
    if worst.is_empty() {
        if untold.len() == Question::ALL.len() {
            return;
        }
        let _ = writeln!(
            out,
            "\nno pattern does harm{}: without any of them, the two classes are told apart no better",
            if untold.is_empty() { "" } else { " on the others" },
        );
        return;
    }
    worst.sort_by(|one, other| {
        one.0.total_cmp(&other.0).then_with(|| one.1.name.cmp(&other.1.name))
    });
    let all = grouped(worst.len() as u64);
    worst.truncate(FEW);
    let _ = writeln!(out, "\npatterns that do harm ({all}): what leaving one out would change");
    let mut grid = Grid::new(&[
        ("pattern", Align::Left),
        ("asked of", Align::Left),
        ("righted", Align::Right),
        ("wronged", Align::Right),
        ("balanced accuracy", Align::Right),
    ]);
    for (help, usage) in worst {
        let Some(without) = usage.without else { continue };
        grid.push(vec![
            name(&usage.name),
            usage.question.name().to_owned(),
            grouped(without.righted),
            grouped(without.wronged),
            format!("{:+.4}", -help),
        ]);
    }
    grid.write(out);
}

/// Without labels: what hits most.
fn most_hit(out: &mut Page, view: &View<'_>, thing: Thing) {
    for question in Question::ALL {
        let usages = view.stats.usages[thing as usize].iter();
        let mut most: Vec<&Usage> =
            usages.filter(|usage| usage.question == question && usage.replies.hits > 0).collect();
        most.sort_by_key(|usage| Reverse(usage.replies.hits));
        most.truncate(FEW);
        if most.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n{} that hold of most {}", thing.plural(), question.name());
        let mut grid = Grid::new(&[
            ("", Align::Left),
            ("replies", Align::Right),
            ("share", Align::Right),
            ("alone", Align::Right),
            ("servers", Align::Right),
        ]);
        for usage in most {
            grid.push(vec![
                name(&usage.name),
                grouped(usage.replies.hits),
                percent_within(usage.replies),
                percent(usage.alone),
                grouped(usage.servers),
            ]);
        }
        grid.write(out);
    }
}

/// What to look at next.
fn next(out: &mut Page, view: &View<'_>) {
    out.push_str("\n");
    out.verbatim(&format!("next: {} with", view.commands.stats));
    let mut line = |flag: &str, about: &str| {
        let _ = writeln!(out, "  {flag:<16} {about}");
    };
    if let Some(truth) = &view.stats.truth {
        let mistakes = truth.mistakes.len() as u64;
        if mistakes > 0 {
            line(
                "--mistakes",
                &format!("{} with their texts and why", counted(mistakes, "wrong answer")),
            );
        }
        line("--by-server", "each server, as it is and left out");
    }
    line("--show patterns", "every pattern (or facts, factors): hits, precision, S/O, rank, lift");
    if view.stats.truth.is_none() && view.drift.is_none() {
        line("--against OTHER", "what became more or less frequent since another corpus");
    }
}
