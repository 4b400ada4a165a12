//! The columns of the tables that results of other rooms leave behind: comparisons, sweeps, statistics,
//! histories and trends.

use super::table::ColumnKind::{Bool, Float, Int, Key, Text, Time};
use super::table::{Column, ColumnKind, Presence};
use std::borrow::Cow;

pub(super) const fn always(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    Column {
        name: Cow::Borrowed(name),
        kind,
        presence: Presence::Always,
        about: Cow::Borrowed(about),
    }
}

pub(super) const fn sometimes(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    Column {
        name: Cow::Borrowed(name),
        kind,
        presence: Presence::Sometimes,
        about: Cow::Borrowed(about),
    }
}

#[rustfmt::skip]
pub(super) const FLIPS: &[Column] = &[
    always("key", Key, "Key of the call on the later side; if it is gone, on the earlier side."),
    sometimes("key_before", Key, "Its key on the earlier side; differs if the reply changed, empty if the call was added."),
    always("request_key", Key, "Content hash of server, tool and input."),
    always("file", Text, "The recording, as a path below the folder of recordings; empty text if unknown."),
    always("line", Int, "Line of the recording, from 1; 0 if unknown."),
    always("server", Text, "The server."),
    always("tool", Text, "The tool that was called."),
    always("kind", Text, "What became of it: `regressed`, `fixed`, `stricter` or `more_lenient` (same reply, other rules), `changed`, `added` or `gone`."),
    sometimes("matched", Text, "How it was matched: `exchange` (same request and reply) or `request` (another reply); empty if it was added or is gone."),
    sometimes("group", Text, "Its group, as in `groups`; empty if it was added or is gone."),
    sometimes("origin", Text, "Where the change came from: `rulebook`, `reply`, `schema`, `checks`, `program` or `several`."),
    sometimes("proof", Text, "`proved`, `narrowed` or `observed`."),
    sometimes("causes", Text, "Names of the causes, as a JSON array."),
    sometimes("from_class", Text, "The class before."),
    sometimes("from_answer", Text, "The answer before: `not_asked`, `business_logic`, `tool_failure`, `hidden_failure` or `hidden_refusal`."),
    sometimes("from_confidence_percent", Float, "The `confidence_percent` before."),
    sometimes("from_score", Float, "The score before."),
    sometimes("from_decided_by", Text, "The decision line that answered before."),
    sometimes("to_class", Text, "The class after."),
    sometimes("to_answer", Text, "The answer after."),
    sometimes("to_confidence_percent", Float, "The `confidence_percent` after; like the next two columns empty if only class and answer are known without the recordings (`in part`)."),
    sometimes("to_score", Float, "The score after."),
    sometimes("to_decided_by", Text, "The decision line that answered after."),
    sometimes("by_label", Text, "If the reply is the same and labelled, but the rules changed: `now_right`, `now_wrong`, `still_right` or `still_wrong`."),
];

#[rustfmt::skip]
pub(super) const GROUPS: &[Column] = &[
    always("group", Text, "The group's name: stable while cause and change stay the same."),
    always("kind", Text, "What became of its calls: `regressed`, `fixed`, `stricter`, `more_lenient` or `changed`."),
    always("origin", Text, "Where the change came from."),
    always("causes", Text, "Names of the causes, as a JSON array."),
    always("changes", Text, "The causes in words, joined by `; `."),
    always("proof", Text, "`proved` (undoing exactly these changes restores the earlier verdict), `narrowed` (undoing them does, but fewer may be enough) or `observed` (these differ, but it could not be tested)."),
    sometimes("unproved_because", Text, "Why it could not be proved."),
    always("from_class", Text, "The class before."),
    always("to_class", Text, "The class after."),
    always("from_answer", Text, "The answer before."),
    always("to_answer", Text, "The answer after."),
    always("exchanges", Int, "Number of calls."),
    always("servers", Int, "Number of their servers."),
    always("tools", Int, "Number of their tools."),
    sometimes("now_right", Int, "Equal replies under changed rules that are now right by their labels and were wrong; empty if none has a label."),
    sometimes("now_wrong", Int, "Those that are now wrong and were right."),
];

#[rustfmt::skip]
pub(super) const SWEEP: &[Column] = &[
    always("path", Text, "The setting's place in the rulebook."),
    always("value", Float, "Its value."),
    always("is_now", Bool, "Whether that is the present value."),
    sometimes("balanced_accuracy", Float, "Mean recall of the two classes of error replies; empty if one has no label."),
    sometimes("business_logic_recall", Float, "Share of the errors labelled `business_logic` that are answered so."),
    sometimes("tool_failure_recall", Float, "Share of the errors labelled `tool_failure` that are answered so."),
    sometimes("hidden_failure_precision", Float, "Share of the labelled replies classified as hidden failures that are."),
    sometimes("hidden_failure_recall", Float, "Share of the replies labelled `hidden_failure` that are classified so."),
    always("labelled", Int, "Number of labelled calls."),
    always("not_asked", Int, "Calls without an error."),
    always("business_logic", Int, "Errors answered `business_logic`."),
    always("tool_failure", Int, "Errors answered `tool_failure`."),
    always("hidden_failure", Int, "Replies classified as hidden failures."),
    always("hidden_refusal", Int, "Replies classified as hidden refusals."),
    always("flips", Int, "Calls whose class or answer would change."),
];

#[rustfmt::skip]
pub(super) const COUNTS: &[Column] = &[
    sometimes("day", Text, "The day of the recording (UTC)."),
    always("server", Text, "Who answered; `(other)` for groups beyond the limit, which are counted together."),
    always("tool", Text, "The tool that was called."),
    sometimes("scenario", Text, "The scenario category, as recorded."),
    always("dimension", Text, "What is counted; see below."),
    always("value", Text, "The counted value."),
    always("n", Int, "How many."),
];

#[rustfmt::skip]
const OF_RUNS: &[Column] = &[
    always("run", Text, "Hash of recordings, rulebook, checks, version, collection and night."),
    always("night", Text, "The night of the run, as `YYYY-MM-DD`."),
    always("started_at", Time, "When the run began."),
    always("collection", Text, "The run's collection."),
    always("rulebook", Text, "The run's rulebook."),
    always("version", Text, "The run's version of tapecheck."),
];

#[rustfmt::skip]
pub(super) const TREND: &[Column] = &[
    always("night", Text, "The night, as `YYYY-MM-DD`."),
    always("by", Text, "What the series counts, such as `class`."),
    always("series", Text, "The series, such as `broken`."),
    always("count", Int, "Calls with the counted value."),
    always("out_of", Int, "All calls of the series' group."),
    always("share", Float, "`count` divided by `out_of`."),
    always("low", Float, "Lower end of the share's 95 % Wilson interval."),
    always("high", Float, "Upper end."),
    sometimes("adjusted", Float, "The share adjusted to the mix of servers, tools and scenarios of the earlier nights; empty if `covered` is below 0.5."),
    always("covered", Float, "Share of the night's calls whose server, tool and scenario occur in the earlier nights, too."),
    sometimes("p50_ms", Float, "The median duration of the night's calls in milliseconds, within 5 %; empty unless the series are servers, tools or scenarios."),
    sometimes("p95_ms", Float, "The 95th percentile of these durations."),
    always("alarm", Bool, "Whether the night is part of a change; for a change that became the new level, only its first night."),
];

#[rustfmt::skip]
pub(super) const TREND_CHANGES: &[Column] = &[
    always("by", Text, "What the series counts, such as `class`."),
    always("series", Text, "The series, such as `broken`."),
    always("from", Text, "The first night of the change."),
    sometimes("until", Text, "The first night back at the earlier level; empty if there is none."),
    always("settled", Bool, "Whether it lasted longer than the window, so that it is now the normal level."),
    always("before", Float, "The share before, adjusted to the mix of servers, tools and scenarios of the change."),
    always("after", Float, "The share in the nights of the change."),
    sometimes("worse", Bool, "Whether it is for the worse; empty if the series is neutral."),
    always("p_value", Float, "Uncorrected p-value: the smallest of its first 1, 2, 3, 5, 7 and 14 nights against the nights before it."),
    always("covered", Float, "Share of the calls of these nights that could be compared."),
    always("servers", Text, "JSON array of the servers that contributed most: `name`, `before`, `after`, `exchanges`."),
];

#[rustfmt::skip]
const USAGE: &[Column] = &[
    always("name", Text, "Its name."),
    always("asked_of", Text, "Which replies: `errors`, or `successes` (replies that claim success)."),
    always("hits", Int, "Replies that it matches."),
    always("replies", Int, "Replies that were examined."),
    always("share", Float, "Share of the replies that it matches."),
    always("share_low", Float, "Lower end of the 95 % Wilson interval of `share`."),
    always("share_high", Float, "Upper end of the 95 % Wilson interval of `share`."),
    always("alone", Int, "Replies that only it matches: for a pattern, none other of its list; for a signal, none other except those that it depends on or that depend on it; for a factor, no other factor."),
    always("servers", Int, "Servers with replies that it matches."),
    sometimes("weight", Float, "Its weight in the score: a factor's weight, or the weights of the factors that depend on it."),
    sometimes("signals", Text, "For a pattern, the signals that use it; for a factor, its signal; as a JSON array."),
    sometimes("righted", Int, "Labelled replies that would be right without it, and are wrong with it; empty if it matches nothing labelled, or if unknown."),
    sometimes("wronged", Int, "Labelled replies that are right, and would be wrong without it."),
    sometimes("help", Float, "Loss of balanced accuracy without it; below 0, it does harm."),
];

#[rustfmt::skip]
const SLICE: &[Column] = &[
    always("name", Text, "The server."),
    always("exchanges", Int, "Number of calls."),
    always("labels", Int, "Number of labelled calls."),
    always("wrong", Int, "Labelled calls that are answered wrongly."),
    sometimes("balanced_accuracy", Float, "Mean recall of the two classes of error; empty if one is missing."),
    sometimes("wrong_left_out", Int, "Labelled calls answered wrongly when it is held out."),
];

#[rustfmt::skip]
pub(super) const CALIBRATION: &[Column] = &[
    always("reading", Text, "What is compared with what: `certainty`, `certainty_held_out` (each server held out, fitted to the others), or the confidence as `answer_is_right` or `tool_works`."),
    always("low", Float, "Lower end of the confidence range, 0 to 1."),
    always("high", Float, "Upper end of the confidence range, exclusive except for 1."),
    always("replies", Int, "Labelled replies in this range."),
    always("mean_confidence", Float, "Their mean confidence, 0 to 1."),
    always("came_true", Float, "Share of them that were right."),
    always("came_true_low", Float, "Lower end of its 95 % Wilson interval."),
    always("came_true_high", Float, "Upper end of its 95 % Wilson interval."),
];

#[rustfmt::skip]
pub(super) const MISTAKES: &[Column] = &[
    always("file", Text, "The recording, as a path below the folder of recordings."),
    always("line", Int, "Line of the call in the recording, from 1."),
    always("key", Key, "Key of the call, as in `verdicts`."),
    always("server", Text, "The server."),
    always("tool", Text, "The tool that was called."),
    always("label", Text, "The label."),
    sometimes("answer", Text, "The verdict's answer; empty if it has none."),
    sometimes("decided_by", Text, "The decision line that answered."),
    sometimes("score", Float, "Weighted share of the factors present."),
    sometimes("threshold", Float, "The threshold that the score was compared with."),
    sometimes("error_kind", Text, "The rulebook's kind of error."),
    always("signals", Text, "The signals that hold, as a JSON array."),
    sometimes("hits", Text, "The patterns that hit, as a JSON array."),
    sometimes("text", Text, "The beginning of the judged text, where it is at hand."),
    sometimes("why", Text, "The note of its label, if any."),
];

/// The columns of a run in a history.
pub(super) fn past_counts() -> Vec<Column> {
    [OF_RUNS, COUNTS].concat()
}

/// The classes of labels, in the order of columns.
const CLASSES: [&str; 4] = ["ok", "business_logic", "tool_failure", "hidden_failure"];

/// Of patterns, signals or factors, by question.
pub(super) fn usages() -> Vec<Column> {
    let of_class = |class| {
        let of = |name: &str| format!("{class}_{name}");
        let mut columns = vec![
            named(of("hits"), &INT, format!("Replies labelled `{class}` that it matches.")),
            named(
                of("labels"),
                &INT,
                format!("Replies to this question that are labelled `{class}`."),
            ),
        ];
        let about = format!("Share of the replies labelled `{class}` that it matches");
        columns.extend(share(&of("share"), &about));
        let about = format!("Share of the labelled replies it matches that are labelled `{class}`");
        columns.extend(share(&of("precision"), &about));
        columns
    };
    [USAGE.to_vec(), CLASSES.map(of_class).concat()].concat()
}

/// Of replies that have something in common.
pub(super) fn slices() -> Vec<Column> {
    let of_class = |class| {
        let of = |name: &str| format!("{class}_{name}");
        let mut columns = vec![named(of("labels"), &INT, format!("Calls labelled `{class}`."))];
        let about = format!("Recall: share of the calls labelled `{class}` that are found");
        columns.extend(share(&of("recall"), &about));
        let about = format!("Precision: share of the labelled calls answered `{class}` that are");
        columns.extend(share(&of("precision"), &about));
        columns
    };
    let accuracy = share("accuracy", "Share of the labelled calls that are answered correctly");
    [SLICE.to_vec(), accuracy.to_vec(), CLASSES.map(of_class).concat()].concat()
}

const INT: Column = always("", Int, "");

fn named(name: String, column: &Column, about: String) -> Column {
    Column { name: name.into(), about: about.into(), ..column.clone() }
}

/// A share and its interval.
fn share(name: &str, about: &str) -> [Column; 3] {
    let float = |end: &str, about| named(format!("{name}{end}"), &sometimes("", Float, ""), about);
    let end = |which: &str| format!("{which} end of the 95 % Wilson interval of `{name}`.");
    [
        float("", format!("{about}; empty if there are none.")),
        float("_low", end("Lower")),
        float("_high", end("Upper")),
    ]
}
