//! What would be, as JSON.

use super::{Accuracy, Paired, Plateau, Point, Reason, Sweep};
use crate::compare::Answer;
use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use serde_json::{Map, Value, json};

/// Marks the object, with the version of its members.
pub const FORMAT: &str = "tapecheck-what-if/1";

/// How right the answers are, before and after.
pub fn accuracy_json(accuracy: &Accuracy) -> Value {
    let Accuracy { answers: [before, after], untold, errors, successes } = accuracy;
    json!({
        "labelled": before.items(),
        "untold": untold,
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

/// Why exchanges cannot be told.
pub fn reasons_json(reasons: &[Reason]) -> Value {
    let reason = |reason: &Reason| {
        let causes = reason.causes.iter().map(|cause| json!(cause.name));
        json!({
            "reason": reason.words,
            "exchanges": reason.exchanges,
            "causes": causes.collect::<Vec<_>>(),
        })
    };
    reasons.iter().map(reason).collect()
}

pub fn sweep_json(sweep: &Sweep) -> Value {
    let plateau = |plateau: &Option<Plateau>| {
        plateau.map(|Plateau { from, to, balanced_accuracy }| {
            json!({ "from": from, "to": to, "balanced_accuracy": balanced_accuracy })
        })
    };
    json!({
        "path": sweep.path,
        "now": sweep.now,
        "untold": sweep.untold,
        "best": plateau(&sweep.best),
        "still": plateau(&sweep.still),
        "points": sweep.points.iter().map(point).collect::<Vec<_>>(),
    })
}

fn point(point: &Point) -> Value {
    let mut members = Map::new();
    members.insert("value".to_owned(), point.value.into());
    members.insert("is_now".to_owned(), point.is_now.into());
    if point.confusion.items() > 0
        && let Value::Object(measures) = confusion(&point.confusion)
    {
        members.extend(measures);
    }
    let answers = Answer::LISTED
        .map(|answer| (answer.name().to_owned(), Value::from(point.answers[answer as usize])));
    members.insert("answers".to_owned(), Value::Object(answers.into_iter().collect()));
    members.insert("flips".to_owned(), point.flips.into());
    Value::Object(members)
}
