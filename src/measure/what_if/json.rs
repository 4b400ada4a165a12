//! What would be, as JSON.

use super::{Accuracy, Paired, Point, Reason, Sweep};
use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use crate::verdict::Answer;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Marks the object, with the version of its members.
pub const FORMAT: &str = "tapecheck-what-if/1";

pub fn accuracy_json(accuracy: &Accuracy) -> Value {
    let Accuracy { answers: [before, after], excluded, errors, successes } = accuracy;
    json!({
        "labelled": before.items(),
        "excluded": excluded,
        "before": confusion(before),
        "after": confusion(after),
        "errors": paired(*errors),
        "successes": paired(*successes),
    })
}

fn confusion(confusion: &Confusion) -> Value {
    let recall = |label| confusion.recall(label);
    json!({
        "balanced_accuracy": confusion.balanced_accuracy(),
        "business_logic_recall": recall(Label::BusinessLogic),
        "tool_failure_recall": recall(Label::ToolFailure),
        "hidden_failure_precision": confusion.precision(Label::HiddenFailure),
        "hidden_failure_recall": recall(Label::HiddenFailure),
    })
}

fn paired(paired: Paired) -> Value {
    json!({
        "of": paired.of,
        "lost": paired.lost,
        "gained": paired.gained,
        "difference": paired.difference(),
        "interval": paired.interval(),
        "p": paired.p(),
    })
}

pub fn reasons_json(reasons: &[Reason]) -> Value {
    let reason = |Reason { words, causes, exchanges }: &Reason| {
        let causes: Vec<&str> = causes.iter().map(|cause| cause.name.as_str()).collect();
        json!({ "reason": words, "exchanges": exchanges, "causes": causes })
    };
    reasons.iter().map(reason).collect()
}

pub fn sweep_json(sweep: &Sweep) -> Value {
    json!({
        "path": sweep.path,
        "now": sweep.now,
        "excluded": sweep.excluded,
        "best": sweep.best,
        "still": sweep.still,
        "points": sweep.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn point(point: &Point) -> Value {
    let answers: BTreeMap<&str, u64> =
        Answer::LISTED.map(|answer| (answer.name(), point.answers[answer as usize])).into();
    let mut fields = json!({
        "value": point.value,
        "is_now": point.is_now,
        "answers": answers,
        "flips": point.flips,
    });
    if point.confusion.items() > 0
        && let (Value::Object(fields), Value::Object(measures)) =
            (&mut fields, confusion(&point.confusion))
    {
        fields.extend(measures);
    }
    fields
}
