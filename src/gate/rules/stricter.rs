//! Equal replies that another rulebook, or other checks, judge differently.

use super::super::evidence::Evidence;
use super::super::report::Measure;
use super::{Asking, counts};
use crate::compare::{ByLabel, Kind};

/// No equal reply is judged more strictly or more leniently, unless labels call that right.
pub(in crate::gate) fn stricter(evidence: &Evidence<'_>, asking: Asking<'_, '_>) -> Measure {
    let mut measure = counts::changed(evidence, 0, asking, |change| {
        matches!(change.kind, Kind::Stricter | Kind::MoreLenient)
            && change.by_label != Some(ByLabel::NowRight)
    });
    measure.notes.extend(evidence.comparison.labels_words());
    measure
}
