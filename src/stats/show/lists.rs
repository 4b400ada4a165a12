//! The lists that are asked for one by one.

use super::layout::{Align, Grid, Page, decimals, name, percent, percent_within};
use super::{List, Sections, View};
use crate::accuracy::Share;
use crate::label::Label;
use crate::stats::{
    By, Calibration, ConfidenceStep, Drift, Drifted, Mistake, Near, Overlap, Question, ScoreMap,
    Slice, Step, Tally, Thing, Truth, Usage,
};
use crate::tally::Interval;
use crate::verdict::{counted, cut, grouped, harmless};
use std::cmp::Reverse;
use std::fmt::Write as _;

/// So much of a text is shown.
const TEXT: usize = 300;
/// How wide bars are.
const BAR: usize = 20;

pub(super) fn chosen(out: &mut Page, view: &View<'_>, sections: &Sections) {
    let (stats, top) = (view.stats, sections.top);
    for list in &sections.lists {
        match (list, &stats.truth) {
            (List::Servers, Some(truth)) => all_servers(out, view, truth),
            (List::Servers, None) => servers_without_labels(out, &stats.servers, top),
            (List::Sources, _) => sources(out, &stats.sources),
            (List::Things(thing), _) => things(out, &stats.usages[*thing as usize], (*thing, top)),
            (List::Overlap, _) => {
                for (thing, overlaps) in Thing::ALL.into_iter().zip(&stats.overlaps) {
                    overlap(out, overlaps, (thing, top));
                }
            }
            (List::Scores, _) => score_map(out, view, top),
            (List::Calibration, Some(truth)) => {
                truth.calibration.iter().for_each(|it| calibration(out, it));
            }
            (List::Mistakes, Some(truth)) => mistakes(out, view, (&truth.mistakes, top)),
            (List::MistakesLeftOut, Some(truth)) => match &truth.held_out {
                Ok(held_out) => {
                    out.push_str(
                        "\nleaving one server out; facts and hits are those of the whole rulebook\n",
                    );
                    mistakes(out, view, (&held_out.mistakes, top));
                }
                Err(because) => {
                    let _ = writeln!(out, "\nservers are not left out: {because}");
                }
            },
            // Nothing is known of what is right; the opening says so.
            (List::Calibration | List::Mistakes | List::MistakesLeftOut, None) => {}
        }
    }
}

/// Says how many rows a list leaves out.
fn left_out(out: &mut Page, all: usize, shown: usize) {
    if all > shown {
        let _ = writeln!(
            out,
            "  … and {} more (--top N shows more, --out DIR all of them)",
            grouped((all - shown) as u64)
        );
    }
}

/// Servers with labels, worst first.
fn all_servers(out: &mut Page, view: &View<'_>, truth: &Truth) {
    let mut labelled: Vec<&Slice> =
        view.stats.servers.iter().filter(|server| server.table.items() > 0).collect();
    labelled.sort_by_key(|server| Reverse(server.wrong()));
    let _ = writeln!(
        out,
        "\n{} with labels, most wrong answers first",
        counted(labelled.len() as u64, "server")
    );
    servers(out, &labelled, truth);
}

pub(super) fn servers(out: &mut Page, servers: &[&Slice], truth: &Truth) {
    let mut grid = Grid::new(&[
        ("server", Align::Left),
        ("wrong", Align::Right),
        ("out", Align::Right),
        ("bal.", Align::Right),
        ("business", Align::Right),
        ("tool", Align::Right),
        ("hidden", Align::Right),
        ("ok", Align::Right),
    ]);
    for server in servers {
        let table = &server.table;
        let of = |label| {
            let share = table.recall(label);
            if share.of == 0 { "·".to_owned() } else { format!("{}/{}", share.hits, share.of) }
        };
        let held_out = truth.held_out.as_ref().ok().and_then(|held_out| {
            held_out.folds.folds.iter().find(|fold| fold.server == server.name)
        });
        let wrong_left_out = held_out.map_or_else(
            || "–".to_owned(),
            |fold| {
                let right = fold.table.accuracy();
                grouped(right.of - right.hits)
            },
        );
        grid.push(vec![
            name(&server.name),
            format!("{}/{}", server.wrong(), table.items()),
            wrong_left_out,
            decimals(server.found()),
            of(Label::BusinessLogic),
            of(Label::ToolFailure),
            of(Label::HiddenFailure),
            of(Label::Ok),
        ]);
    }
    grid.write(out);
    out.push_str(
        "  wrong: of its labels; out: wrong where it is left out; bal.: balanced accuracy of its errors; \
         then how many of each class are found\n",
    );
}

fn servers_without_labels(out: &mut Page, servers: &[Slice], top: usize) {
    let mut most: Vec<&Slice> = servers.iter().collect();
    most.sort_by_key(|server| Reverse(server.exchanges));
    let _ = writeln!(out, "\nservers by exchanges; without labels, what is wrong is not known");
    let mut grid = Grid::new(&[("server", Align::Left), ("exchanges", Align::Right)]);
    for server in most.iter().take(top) {
        grid.push(vec![name(&server.name), grouped(server.exchanges)]);
    }
    grid.write(out);
    left_out(out, most.len(), top);
}

/// Replies by where they come from.
fn sources(out: &mut Page, sources: &[Slice]) {
    for by in By::SOURCES {
        let mut grid = Grid::new(&[
            ("", Align::Left),
            ("exchanges", Align::Right),
            ("labels", Align::Right),
            ("right", Align::Right),
            ("business", Align::Right),
            ("tool", Align::Right),
            ("hidden", Align::Right),
        ]);
        for source in sources.iter().filter(|source| source.by == by) {
            let table = &source.table;
            grid.push(vec![
                name(&source.name),
                grouped(source.exchanges),
                grouped(table.items()),
                percent_within(table.accuracy()),
                percent(table.recall(Label::BusinessLogic)),
                percent(table.recall(Label::ToolFailure)),
                percent(table.recall(Label::HiddenFailure)),
            ]);
        }
        if !grid.is_empty() {
            let _ = writeln!(
                out,
                "\nby {}: what is right, and what is found of each class",
                by.words()
            );
            grid.write(out);
        }
    }
}

/// Patterns, facts or factors: those that tell most first; without labels, those that hit most.
fn things(out: &mut Page, usages: &[Usage], (thing, top): (Thing, usize)) {
    for question in Question::ALL {
        let mut rows: Vec<&Usage> = usages
            .iter()
            .filter(|usage| usage.question == question && usage.replies.hits > 0)
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by_key(|usage| (usage.rank.unwrap_or(u64::MAX), Reverse(usage.replies.hits)));
        let _ = writeln!(
            out,
            "\n{} on {}: of {}, how often each holds",
            thing.plural(),
            question.name(),
            counted(rows[0].replies.of, "reply"),
        );
        let (fine, failure) = (question.fine(), question.failure());
        let mut grid = Grid::new(&[
            ("", Align::Left),
            ("rank", Align::Right),
            ("hits", Align::Right),
            ("alone", Align::Right),
            ("servers", Align::Right),
            (fine.name(), Align::Right),
            (failure.name(), Align::Right),
            ("failures of its hits", Align::Right),
            ("S/O", Align::Right),
            ("bits", Align::Right),
            ("lift", Align::Left),
            ("weight", Align::Right),
            ("without it", Align::Left),
        ]);
        for usage in rows.iter().take(top) {
            let split = usage.split();
            grid.push(vec![
                name(&usage.name),
                usage.rank.map_or_else(|| "–".to_owned(), grouped),
                percent_within(usage.replies),
                percent(usage.alone),
                grouped(usage.servers),
                percent_within(usage.of_class(fine)),
                percent_within(usage.of_class(failure)),
                percent_within(usage.toward(failure)),
                decimals(split.s_o()),
                decimals(split.information_gain()),
                usage.points_to().map_or_else(String::new, |(label, lift)| {
                    format!("{lift:.2} {}", label.name())
                }),
                usage.weight.map_or_else(String::new, |weight| weight.to_string()),
                usage.without.map_or_else(String::new, |without| {
                    format!("+{} −{}", without.righted, without.wronged)
                }),
            ]);
        }
        grid.write(out);
        left_out(out, rows.len(), top);
    }
}

/// What holds together.
fn overlap(out: &mut Page, overlaps: &[Overlap], (thing, top): (Thing, usize)) {
    if overlaps.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n{0} that hold together, most alike first; alone: none of the other {0} holds",
        thing.plural()
    );
    let mut grid = Grid::new(&[
        ("A", Align::Left),
        ("B", Align::Left),
        ("both", Align::Right),
        ("A where B", Align::Right),
        ("B where A", Align::Right),
        ("A alone", Align::Right),
        ("B alone", Align::Right),
    ])
    .about(2);
    for it in overlaps.iter().take(top) {
        grid.push(vec![
            name(&it.names[0]),
            name(&it.names[1]),
            grouped(it.both()),
            percent_within(it.first_given_second),
            percent_within(it.second_given_first),
            grouped(it.alone[0]),
            grouped(it.alone[1]),
        ]);
    }
    grid.write(out);
    left_out(out, overlaps.len(), top);
}

/// A bar that fills a share of its width.
fn bar(share: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small width"
    )]
    let filled = (share.clamp(0.0, 1.0) * BAR as f64).ceil() as usize;
    "█".repeat(filled)
}

fn score_map(out: &mut Page, view: &View<'_>, top: usize) {
    let ScoreMap { steps, outright, nearest } = &view.stats.score_map;
    let _ = writeln!(
        out,
        "\nscores by how far they lie from their threshold (from 0 on: business_logic)"
    );
    if steps.is_empty() {
        out.push_str("  no error's score was held against a threshold\n");
    }
    let all = |tally: Tally| tally.business_logic + tally.tool_failure + tally.unlabelled;
    let most = steps.iter().map(|step| all(step.tally)).max().unwrap_or(1).max(1);
    let mut grid = Grid::new(&[
        ("from", Align::Right),
        ("to", Align::Right),
        ("business_logic", Align::Right),
        ("tool_failure", Align::Right),
        ("no label", Align::Right),
        ("", Align::Left),
    ]);
    let row = |from: String, to: String, tally: Tally| {
        let Tally { business_logic, tool_failure, unlabelled } = tally;
        let counts = [business_logic, tool_failure, unlabelled]
            .map(|count| if count == 0 { "·".to_owned() } else { grouped(count) });
        let mut row = vec![from, to];
        row.extend(counts);
        row.push(bar(all(tally) as f64 / most as f64));
        row
    };
    for step in steps {
        grid.push(row(
            format!("{:+.1}", step.low()),
            format!("{:+.1}", Step::high(step)),
            step.tally,
        ));
    }
    if all(*outright) > 0 {
        grid.push(row("any".to_owned(), "score".to_owned(), *outright));
    }
    grid.write(out);
    if all(*outright) > 0 {
        out.push_str("  any score: a decision line answered whatever the score was\n");
    }
    if nearest.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nnearest to their threshold");
    for Near { entry, margin, label } in nearest.iter().take(top) {
        let label = label.map_or("no label", Label::name);
        let _ = writeln!(out, "  {margin:+.3}  {:<14}  {}", label, harmless(&view.place(*entry)));
        if let Some(text) = view.text(*entry) {
            let _ = writeln!(out, "          {}", shortened(text));
        }
    }
    left_out(out, nearest.len(), top);
}

/// The beginning and the end of a text: what a reply is about stands in front, and what became of it
/// often at the end.
fn shortened(text: &str) -> String {
    let text = harmless(text);
    let length = text.chars().count();
    if length <= TEXT {
        return text;
    }
    let beginning: String = text.chars().take(TEXT * 2 / 3).collect();
    let end: String = text.chars().skip(length - TEXT / 3).collect();
    format!("{beginning} … {end}")
}

fn calibration(out: &mut Page, calibration: &Calibration) {
    let _ = writeln!(
        out,
        "\nconfidence, taken as the probability that {}\n  Brier score {:.3} (always saying the share that came true: {:.3}), expected error {:.3}",
        calibration.reading.words(),
        calibration.brier,
        calibration.brier_of_the_mean,
        calibration.expected_error,
    );
    if calibration.brier > calibration.brier_of_the_mean {
        out.push_str(
            "  not calibrated: they are no such probability, since one number for all would come nearer\n",
        );
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
        let _ = writeln!(
            out,
            "  furthest off: what is said with {:.0} % came true in {} of {}",
            step.mean * 100.0,
            grouped(hits),
            counted(of, "case"),
        );
    }
    let mut grid = Grid::new(&[
        ("confidence", Align::Left),
        ("replies", Align::Right),
        ("says", Align::Right),
        ("came true", Align::Right),
        ("", Align::Left),
    ]);
    for step in &calibration.steps {
        grid.push(vec![
            format!("{:.0}–{:.0} %", step.low * 100.0, step.high * 100.0),
            grouped(step.came_true.of),
            format!("{:.1} %", step.mean * 100.0),
            percent_within(step.came_true),
            bar(step.came_true.value().unwrap_or(0.0)),
        ]);
    }
    grid.write(out);
}

fn mistakes(out: &mut Page, view: &View<'_>, (mistakes, top): (&[Mistake], usize)) {
    let _ = writeln!(
        out,
        "\n{}",
        match mistakes.len() as u64 {
            0 => "no labelled reply is answered wrongly".to_owned(),
            several => counted(several, "wrong answer"),
        }
    );
    if view.commands.explain.is_none() && !mistakes.is_empty() {
        out.push_str(
            "  note: the tapes are not where the run found them, so that no texts are read and no command \
             is told;\n  put them back, or call from the folder that the run was called from\n",
        );
    }
    for mistake in mistakes.iter().take(top) {
        let entry = &view.side.entries[mistake.entry as usize];
        let said = &view.side.said[mistake.said as usize];
        let _ = writeln!(
            out,
            "\n  {} is {}, said: {}",
            harmless(&view.place(mistake.entry)),
            mistake.truth.name(),
            mistake.answer.map_or("nothing", Label::name),
        );
        let _ = writeln!(
            out,
            "    {} of {}",
            harmless(view.side.names.get(entry.tool)),
            harmless(view.side.names.get(entry.server)),
        );
        if let Some(text) = view.text(mistake.entry) {
            let _ = writeln!(out, "    text      {}", shortened(text));
        }
        if let Some(why) = view.whys.get(&mistake.entry) {
            let _ = writeln!(out, "    label     {}", cut(&harmless(why), TEXT));
        }
        if let Some(line) = &said.decided_by {
            let score = match (said.score, said.threshold) {
                (Some(score), Some(threshold)) => {
                    format!(" (score {score:.3}, threshold {threshold})")
                }
                (Some(score), None) => format!(" (score {score:.3})"),
                (None, _) => String::new(),
            };
            let _ = writeln!(out, "    decided   {}{score}", harmless(line));
        }
        let list = |names: &[String]| {
            if names.is_empty() { "none".to_owned() } else { harmless(&names.join(", ")) }
        };
        let _ = writeln!(out, "    facts     {}", cut(&list(&said.facts), TEXT));
        if let Some(hits) = &said.hits {
            let _ = writeln!(out, "    hits      {}", cut(&list(hits), TEXT));
        }
        if let Some(command) = view.explain(mistake.entry) {
            out.verbatim(&format!("    see       {command}"));
        }
    }
    left_out(out, mistakes.len(), top);
}

pub(super) fn drift(out: &mut Page, drift: &Drift, top: usize) {
    let sure: Vec<&Drifted> = drift.rows.iter().filter(|row| !row.is_noise()).collect();
    let _ = writeln!(
        out,
        "\nagainst {}: {} of {} differ by more than chance (p below 0.05 after Holm's correction)",
        harmless(&drift.before),
        grouped(sure.len() as u64),
        counted(drift.rows.len() as u64, "share"),
    );
    if let Some(other) = &drift.other_rulebook {
        let _ = writeln!(
            out,
            "  note: that was judged by another rulebook ({}), so what both can say is compared, and where \
             it differs,\n  the rulebook may be why; judge both corpora under one to see what changed",
            harmless(other)
        );
    }
    let mut grid = Grid::new(&[
        ("", Align::Left),
        ("", Align::Left),
        ("before", Align::Right),
        ("after", Align::Right),
        ("points", Align::Right),
        ("p", Align::Right),
    ])
    .about(2);
    for row in sure.iter().take(top) {
        let [before, after] = row.shares;
        let points = (after.value().unwrap_or(0.0) - before.value().unwrap_or(0.0)) * 100.0;
        let p = if row.corrected < 1e-4 {
            "< 0.0001".to_owned()
        } else {
            format!("{:.4}", row.corrected)
        };
        grid.push(vec![
            row.kind.to_owned(),
            name(&row.name),
            percent_within(before),
            percent_within(after),
            format!("{points:+.2}"),
            p,
        ]);
    }
    if !grid.is_empty() {
        grid.write(out);
    }
    left_out(out, sure.len(), top);
}
