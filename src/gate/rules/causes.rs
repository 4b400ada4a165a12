//! Whether a pattern for causes can fit any cause at all.

use super::super::evidence::Evidence;
use super::super::glob::Glob;
use crate::rulebook::Rulebook;

/// How causes begin that are named after a part of a rulebook, which follows.
const PARTS: [&str; 7] =
    ["signals.", "factors.", "decide.", "error_kinds.", "lists.", "criteria.", "outcomes."];
/// How other causes begin.
const OTHERS: [&str; 11] = [
    "reply.",
    "schema/",
    "issues/",
    "verdict",
    "hidden_failure.",
    "errors.",
    "text.",
    "metadata.",
    "schema.",
    "score.",
    "*.",
];

/// What is to be said of those of a rule's patterns that fit nothing in either rulebook: a slip of the
/// pen in one of them would let the rule pass for ever.
pub(super) fn notes(evidence: &Evidence<'_>, causes: &[Glob]) -> Vec<String> {
    let (Some(before), Some(after)) = (&evidence.before.rulebook, &evidence.after.rulebook) else {
        return Vec::new();
    };
    if causes.is_empty() {
        return Vec::new();
    }
    let mut known = before.pattern_names();
    known.extend(after.pattern_names());
    let groups = evidence.comparison.groups.iter();
    let found = groups.flat_map(|group| &group.explanation.causes).map(|cause| cause.name.clone());
    known.extend(found);
    let idle = causes.iter().filter(|glob| {
        !known.iter().any(|name| glob.fits(name)) && !may_fit(glob, &[before, after])
    });
    let note = |glob: &Glob| {
        format!("`{}` matches no pattern, signal or setting of either rulebook", glob.written)
    };
    idle.map(note).collect()
}

/// Whether it is the name of a part of a rulebook that is no pattern.
fn may_fit(glob: &Glob, rulebooks: &[&Rulebook]) -> bool {
    let written = &glob.written;
    if OTHERS.iter().any(|start| written.starts_with(start)) {
        return true;
    }
    let Some(named) = PARTS.iter().find_map(|start| written.strip_prefix(start)) else {
        return false;
    };
    // Names have no wildcards in them: what stands before the first is part of one.
    let name = named.split(['*', '?', '/']).next().unwrap_or_default();
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    rulebooks.iter().any(|rulebook| rulebook.resolved.contains(name))
}
