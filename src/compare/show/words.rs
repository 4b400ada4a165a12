//! The words that all ways of showing a comparison share.

use crate::compare::{
    ByLabels, Comparison, DurationChange, Group, Header, Kind, Origin, Overlap, Proof, RateChange,
};
use crate::verdict::{Judgement, counted, cut, grouped, said};
use crate::view::Tone;
use std::cmp::Reverse;
use std::fmt::Write as _;

/// So many causes of one group are told; of the others only how many they are.
const CAUSES: usize = 5;
/// So many characters of a file's name are shown.
const LONGEST_NAME: usize = 200;
/// So many characters of a tool's name and of its reply stand in a headline.
const NAME: usize = 80;
/// So many digits of a hash are shown.
const DIGITS: usize = 12;

/// What the two sides were made of differently, apart from their exchanges.
pub fn differences(before: &Header, after: &Header) -> Vec<String> {
    // What a side does not tell is not known to differ.
    let differ = |[from, to]: [&Option<String>; 2]| from.is_some() && to.is_some() && from != to;
    let words = |text: &Option<String>| text.clone().unwrap_or_default();
    let (from, to) = (&before.rulebook, &after.rulebook);
    let rulebook = if from.name == to.name {
        format!("the rulebook {} was changed", from.name)
    } else {
        format!("the rulebook: {} -> {}", from.name, to.name)
    };
    let redaction = "the rules of redaction, so that masked texts may differ".to_owned();
    let [from_version, to_version] = [&before.version, &after.version];
    let version = words(from_version) + " -> " + &words(to_version);
    let found = [
        (from.digest != to.digest, rulebook),
        (before.checks != after.checks, "the contracts, facts or schemas of envelopes".to_owned()),
        (differ([&before.redaction, &after.redaction]), redaction),
        (differ([from_version, to_version]), format!("the version of tapecheck: {version}")),
        (before.corpus_digest != after.corpus_digest, "the calls".to_owned()),
    ];
    found.into_iter().filter(|(differs, _)| *differs).map(|(_, words)| words).collect()
}

/// What of a side's files could not be judged; `None` where nothing is known to be amiss.
pub fn unreadable_files_words(header: &Header) -> Option<String> {
    let files = header.unreadable_files.as_ref()?;
    let mut names: Vec<String> =
        files.read_error_names.iter().map(|name| cut(name, LONGEST_NAME)).collect();
    let more = files.read_errors.saturating_sub(names.len() as u64);
    // Baselines tell no names.
    if more > 0 && !names.is_empty() {
        names.push(format!("and {} more", grouped(more)));
    }
    let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
    let parts = [(files.read_errors, "could not be read", &*names), (files.damaged, "damaged", "")];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what, names)| format!("{} {what}{names}", counted(count, "file")))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

pub fn overlap_words(overlap: &Overlap) -> String {
    let mut words = format!("{} in both", counted(overlap.both(), "call"));
    if overlap.same_request > 0 {
        let count = grouped(overlap.same_request);
        let _ = write!(words, ", {count} of them with another reply");
    }
    if !overlap.is_whole() {
        let [before, after] = [overlap.only_before, overlap.only_after].map(grouped);
        let _ = write!(words, "; {before} only before, {after} only after");
    }
    words
}

impl Kind {
    pub(crate) fn tone(self) -> Tone {
        match self {
            Self::Regressed | Self::Stricter => Tone::Worse,
            Self::Fixed | Self::MoreLenient => Tone::Better,
            Self::Changed | Self::Added | Self::Gone | Self::Same => Tone::Neutral,
        }
    }
}

/// How many exchanges became what; kinds of which there are none are left out, apart from those that are
/// looked for first: the worse and the better.
pub(crate) fn shown_kinds(comparison: &Comparison) -> impl Iterator<Item = (Kind, u64)> {
    let kinds = Kind::ALL.into_iter().map(|kind| (kind, comparison.kind(kind)));
    kinds.filter(|(kind, count)| *count > 0 || matches!(kind, Kind::Regressed | Kind::Fixed))
}

pub(super) fn kinds(comparison: &Comparison) -> Vec<String> {
    let shown = shown_kinds(comparison);
    shown.map(|(kind, count)| format!("{} {}", grouped(count), kind.words())).collect()
}

/// How many servers and tools became slower or faster; `None` where nothing took any other time.
pub(super) fn durations_words(changes: &[DurationChange]) -> Option<String> {
    if changes.iter().all(|change| change.took[0] == change.took[1]) {
        return None;
    }
    let count = |is: fn(&DurationChange) -> bool| {
        grouped(changes.iter().filter(|change| is(change)).count() as u64)
    };
    let slower = count(|change| change.slower.is_some());
    let faster = count(|change| change.faster.is_some());
    let of = grouped(changes.len() as u64);
    Some(format!("of {of} servers and tools, {slower} became slower and {faster} faster"))
}

/// The causes of a group, each in words, and how many more there are.
pub fn cause_words(group: &Group) -> Vec<String> {
    let causes = &group.explanation.causes;
    let mut words: Vec<String> =
        causes.iter().take(CAUSES).map(|cause| cause.change.clone()).collect();
    if words.is_empty() {
        words.push("unknown cause".to_owned());
    }
    if causes.len() > CAUSES {
        words.push(counted((causes.len() - CAUSES) as u64, "more change"));
    }
    words
}

/// What became of the outcome; where it is the same, of the class and the answer.
pub fn transition(from: Judgement, to: Judgement) -> String {
    let changed = |before: &str, after: &str| format!("{before} -> {after}");
    if from.outcome != to.outcome {
        return changed(from.outcome.name(), to.outcome.name());
    }
    let words = |it: Judgement| [it.class.name(), it.answer.words()];
    let moved = words(from).into_iter().zip(words(to)).filter(|(before, after)| before != after);
    let moved: Vec<String> = moved.map(|(before, after)| changed(before, after)).collect();
    if moved.is_empty() { format!("still {}", to.outcome.name()) } else { moved.join(", ") }
}

/// What became of which calls, and what they reply: `git_log ×6: worked -> failed: TypeError: x is None`. Each
/// example is a server, a tool and a reply; the first is shown whose reply says something.
pub fn headline<'e>(
    examples: impl Iterator<Item = (&'e str, &'e str, Option<String>)>,
    (tools, calls): (u64, u64),
    became: &str,
) -> String {
    let mut examples = examples.map(|(server, tool, reply)| {
        (if tool.is_empty() { server } else { tool }, reply.as_deref().and_then(said))
    });
    let first = examples.next();
    let telling = first.iter().cloned().chain(examples).find(|(_, said)| said.is_some());
    let (who, said) = telling.or(first).unwrap_or_default();
    let others = if tools > 1 {
        format!(" and {}", counted(tools - 1, "other tool"))
    } else {
        String::new()
    };
    let times = if calls > 1 { format!(" ×{}", grouped(calls)) } else { String::new() };
    let said = said.map_or(String::new(), |said| format!(": {said}"));
    format!("{}{others}{times}: {became}{said}", cut(who, NAME))
}

/// The first thing that differs, which is the worst.
pub fn moved(from: Judgement, to: Judgement) -> String {
    transition(from, to).split(", ").next().unwrap_or_default().to_owned()
}

pub fn what_changed(origin: Origin) -> String {
    let what = if origin == Origin::Several { "several things" } else { origin.name() };
    format!("{what} changed")
}

/// Why a group changed: what is another one now, and each cause.
pub fn why(group: &Group) -> String {
    format!("{}: {}", what_changed(group.explanation.origin), cause_words(group).join(" and "))
}

/// What labels say of a group's exchanges; `None` where there is none.
pub fn labels_of(by_labels: &ByLabels) -> Option<String> {
    by_labels.words().map(|words| format!("by labels {words}"))
}

/// How large a group is, what became of its exchanges and how sure the cause is.
pub(super) fn size(group: &Group) -> Vec<String> {
    let proof = match &group.explanation.proof {
        Proof::Proved => "proved".to_owned(),
        Proof::Narrowed => "proved, but fewer changes may be enough".to_owned(),
        Proof::Observed(reason) => format!("observed: {reason}"),
    };
    let mut words = vec![
        counted(group.exchanges, "call"),
        counted(group.servers, "server"),
        transition(group.from, group.to),
        format!("{}, {proof}", group.explanation.origin.name()),
    ];
    words.extend(labels_of(&group.by_labels));
    words
}

/// The shares of outcomes and types of issue that moved, and whether each may be noise: outcomes come first, since
/// they are few, then the types of issue that moved most.
pub(super) fn moved_rates(rates: &[RateChange]) -> Vec<(&RateChange, bool)> {
    let noise = RateChange::noise(rates);
    let is_shown =
        |rate: &RateChange| ["outcome ", "issue "].iter().any(|kind| rate.name.starts_with(kind));
    let mut moved: Vec<(&RateChange, bool)> =
        rates.iter().zip(noise).filter(|(rate, _)| rate.is_moved() && is_shown(rate)).collect();
    moved.sort_by_key(|(rate, _)| {
        let is_issue = rate.name.starts_with("issue ");
        (is_issue, Reverse(if is_issue { rate.lost + rate.gained } else { 0 }))
    });
    moved
}

pub(super) fn short(hash: &str) -> &str {
    hash.get(..DIGITS).unwrap_or(hash)
}
