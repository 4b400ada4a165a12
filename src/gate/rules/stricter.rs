//! Equal replies that another rulebook, or other checks, judge differently.

use super::super::evidence::{Change, Evidence, Seen};
use super::super::report::Measure;
use super::{Asking, counts};
use crate::compare::Kind;
use crate::labels::Label;
use crate::store::NamedVerdict;
use crate::verdict::Outcome;

/// No equal reply is judged more strictly or more leniently, unless labels call that right.
pub(in crate::gate) fn stricter(evidence: &Evidence<'_>, asking: Asking<'_, '_>) -> Measure {
    counts::changed(evidence, 0, asking, |change| {
        matches!(change.kind, Kind::Stricter | Kind::MoreLenient) && !is_now_right(change)
    })
}

/// Whether a label says that the earlier verdict was wrong and the later one is right.
fn is_now_right(change: &Change<'_>) -> bool {
    let agrees = |seen: Option<Seen<'_>>| {
        seen.and_then(Seen::said).zip(change.label).map(|(said, label)| agrees(said, label))
    };
    agrees(change.before) == Some(false) && agrees(change.after) == Some(true)
}

fn agrees(said: &NamedVerdict, label: Label) -> bool {
    let is_outcome = match label {
        Label::Ok => said.outcome == Outcome::Worked,
        Label::BusinessLogic => said.outcome == Outcome::Refused,
        Label::ToolFailure | Label::HiddenFailure => said.outcome == Outcome::Failed,
    };
    is_outcome && Label::of(said) == Some(label)
}
