//! What was measured as one JSON object.

use super::View;
use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use crate::measure::stats::{
    Estimate, Headline, HeldOutHeadline, Mistake, Question, Refit, Slice, Stats, Thing, Truth,
    Usage,
};
use crate::verdict::cut;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Marks the object as statistics, with the version of its members.
pub const FORMAT: &str = "tapecheck-stats/1";
/// So many rows of a list that may be long are told; tables have all.
const MOST: usize = 500;
const TEXT: usize = 600;

/// Everything that was measured. At the top level stand the three measures that count most: `null` where
/// no reply of a class is labelled, or none is said to be one.
pub fn as_json(view: &View<'_>) -> Value {
    let stats = view.stats;
    let header = &view.side.header;
    let truth = stats.truth.as_ref();
    let headline = truth.map(|truth| &truth.headline);
    let pick = |pick: fn(&Headline) -> Estimate| headline.and_then(|it| pick(it).value);
    json!({
        "balanced_accuracy": pick(|it| it.balanced_accuracy),
        "hidden_failure_precision": pick(|it| it.hidden_precision),
        "hidden_failure_recall": pick(|it| it.hidden_recall),
        "format": FORMAT,
        "input": header.name,
        "rulebook": { "name": header.rulebook.name, "digest": header.rulebook.digest },
        "exchanges": stats.exchanges,
        "replies": by_name(Question::ALL.map(|it| (it.name(), stats.replies[it as usize]))),
        "notes": view.notes,
        "truth": truth.map(as_it_is),
        "leave_one_server_out": truth.map(|truth| left_out(view, truth)),
        "servers": stats.servers.iter().map(slice).collect::<Vec<_>>(),
        "patterns": usages(stats, Thing::Pattern),
        "signals": usages(stats, Thing::Signal),
        "factors": usages(stats, Thing::Factor),
        "never_hit": by_name(Thing::ALL.map(|thing| (thing.name(), never_hit(stats, thing)))),
        "mistakes": truth.map(|truth| mistakes(view, &truth.mistakes)),
    })
}

fn by_name<T: Serialize>(values: impl IntoIterator<Item = (&'static str, T)>) -> Value {
    json!(values.into_iter().collect::<BTreeMap<_, _>>())
}

fn as_it_is(truth: &Truth) -> Value {
    json!({
        "labels": truth.table.items(),
        "headline": truth.headline,
        "confusion": truth.table,
        "classes": classes(&truth.table),
        "calibration": truth.calibration,
        "certainty": truth.certainty,
        "base_rates": truth.base_rates,
    })
}

fn classes(table: &Confusion) -> Value {
    by_name(Label::ALL.map(|label| {
        let rows = json!({
            "labels": table.of(label),
            "precision": table.precision(label),
            "recall": table.recall(label),
        });
        (label.name(), rows)
    }))
}

fn left_out(view: &View<'_>, truth: &Truth) -> Value {
    match &truth.held_out {
        Err(because) => json!({
            "balanced_accuracy": null,
            "hidden_failure_precision": null,
            "hidden_failure_recall": null,
            "cannot_tell": because,
        }),
        Ok(held_out) => {
            let HeldOutHeadline { folds, table, headline: measures, .. } = held_out;
            let names =
                view.side.rulebook.as_ref().map(|it| it.pattern_names()).unwrap_or_default();
            let name = |number: &u16| names.get(usize::from(*number)).cloned();
            let folds = folds.iter().map(|fold| {
                json!({
                    "server": fold.server,
                    "labels": fold.table.items(),
                    "left_out": fold.left_out.iter().filter_map(name).collect::<Vec<_>>(),
                    "refitted_numbers": fold.refitted,
                    "changed_answers": fold.changed,
                    "confusion": fold.table,
                })
            });
            json!({
                "balanced_accuracy": measures.balanced_accuracy.value,
                "hidden_failure_precision": measures.hidden_precision.value,
                "hidden_failure_recall": measures.hidden_recall.value,
                "intervals": {
                    "balanced_accuracy": measures.balanced_accuracy.interval,
                    "hidden_failure_precision": measures.hidden_precision.interval,
                    "hidden_failure_recall": measures.hidden_recall.interval,
                },
                "headline": measures,
                "confusion": table,
                "classes": classes(table),
                "base_rates": held_out.base_rates,
                "folds": folds.collect::<Vec<_>>(),
                "fitted_anew": held_out.refit == Refit::Yes,
                "numbers_kept": held_out.numbers_kept,
                "mistakes": mistakes(view, &held_out.mistakes),
            })
        }
    }
}

fn slice(slice: &Slice) -> Value {
    json!({
        "name": slice.name,
        "exchanges": slice.exchanges,
        "labels": slice.table.items(),
        "wrong": slice.wrong(),
        "balanced_accuracy": slice.table.balanced_accuracy(),
        "accuracy": slice.table.accuracy(),
        "confusion": (slice.table.items() > 0).then_some(&slice.table),
    })
}

/// Those that hold of any reply; the others say nothing but their names.
fn usages(stats: &Stats, thing: Thing) -> Vec<Value> {
    stats.usages[thing as usize].iter().filter(|it| it.replies.hits > 0).map(usage).collect()
}

fn never_hit(stats: &Stats, thing: Thing) -> Value {
    let usages = stats.usages[thing as usize].iter();
    let hit: BTreeSet<&str> =
        usages.clone().filter(|it| it.replies.hits > 0).map(|it| it.name.as_str()).collect();
    let names: BTreeSet<&str> =
        usages.map(|it| it.name.as_str()).filter(|name| !hit.contains(name)).collect();
    names.into_iter().collect()
}

fn usage(usage: &Usage) -> Value {
    let classes = Label::ALL.map(|label| {
        let [of, toward] = [usage.of_class(label), usage.toward(label)];
        (label.name(), json!({ "of_class": of, "precision": toward }))
    });
    json!({
        "name": usage.name,
        "asked_of": usage.question.name(),
        "replies": usage.replies,
        "alone": usage.alone.hits,
        "servers": usage.servers,
        "classes": by_name(classes),
        "weight": usage.weight,
        "signals": usage.signals,
        "without": usage.without,
    })
}

fn mistakes(view: &View<'_>, mistakes: &[Mistake]) -> Value {
    let rows = mistakes.iter().take(MOST).map(|mistake| {
        let entry = &view.side.entries[mistake.entry as usize];
        let verdict = &view.side.verdicts[mistake.verdict as usize];
        json!({
            "place": view.place(mistake.entry),
            "key": entry.key.to_string(),
            "server": view.side.names.get(entry.server),
            "tool": view.side.names.get(entry.tool),
            "label": mistake.truth,
            "why": view.whys.get(&mistake.entry),
            "answer": mistake.answer,
            "decided_by": verdict.decided_by,
            "score": verdict.score,
            "threshold": verdict.threshold,
            "error_kind": verdict.error_kind,
            "signals": verdict.signals,
            "hits": verdict.hits,
            "text": view.text(mistake.entry).map(|text| cut(&text, TEXT)),
            "explain": view.explain(mistake.entry),
        })
    });
    json!({
        "rows": rows.collect::<Vec<_>>(),
        "left_out": mistakes.len().saturating_sub(MOST),
        "count": mistakes.len(),
    })
}
