//! The columns of the tables that results of other rooms leave behind: comparisons, sweeps, statistics,
//! histories and trends.

use super::column::ColumnKind::{Bool, Float, Int, Text, Time};
use super::column::{Column, ColumnKind, Presence};
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
    always("key", Text, "Key of the exchange on the later side; of one that is gone, on the earlier."),
    sometimes("key_before", Text, "Its key on the earlier side; another one where the reply is another, empty where it was added."),
    always("request_key", Text, "Content hash of server, tool and input."),
    always("file", Text, "The recording, as a path below the corpus; empty text where the side does not tell."),
    always("line", Int, "Line of the recording, from 1; 0 where the side does not tell."),
    always("server", Text, "Who answered."),
    always("tool", Text, "The tool that was called."),
    always("kind", Text, "What became of it: `regressed`, `fixed`, `stricter` or `more_lenient` (the reply is the same, other rules judged it), `changed`, `added` or `gone`."),
    sometimes("matched", Text, "How it was matched: `exchange` (all the same) or `request` (another reply); empty where it was added or is gone."),
    sometimes("group", Text, "Its group, as in `groups`; empty where it was added or is gone."),
    sometimes("origin", Text, "Where the change came from: `rulebook`, `reply`, `schema`, `checks`, `program` or `several`."),
    sometimes("proof", Text, "`proved`, `narrowed` or `observed`."),
    sometimes("causes", Text, "Names of the causes, as a JSON array."),
    sometimes("from_class", Text, "The class before."),
    sometimes("from_answer", Text, "The answer before: `not_asked`, `business_logic`, `tool_failure` or `hidden_failure`."),
    sometimes("from_confidence", Float, "The confidence before, 0 to 100."),
    sometimes("from_score", Float, "The score before."),
    sometimes("from_decided_by", Text, "The decision line that answered before."),
    sometimes("to_class", Text, "The class after."),
    sometimes("to_answer", Text, "The answer after."),
    sometimes("to_confidence", Float, "The confidence after, 0 to 100."),
    sometimes("to_score", Float, "The score after."),
    sometimes("to_decided_by", Text, "The decision line that answered after."),
    sometimes("by_label", Text, "Of an equal reply that other rules judge and that has a label: `now_right`, `now_wrong`, `still_right` or `still_wrong`."),
];

#[rustfmt::skip]
pub(super) const GROUPS: &[Column] = &[
    always("group", Text, "The group's name: the same tomorrow, if cause and change are."),
    always("kind", Text, "What became of its exchanges: `regressed`, `fixed`, `stricter`, `more_lenient` or `changed`."),
    always("origin", Text, "Where the change came from."),
    always("causes", Text, "Names of the causes, as a JSON array."),
    always("changes", Text, "The causes in words, joined by `; `."),
    always("proof", Text, "`proved` (with these changes put back, and no fewer, the earlier verdict returns), `narrowed` (it does, but fewer may be enough) or `observed` (this differs, but it could not be tried)."),
    sometimes("unproved_because", Text, "Why it could not be proved."),
    always("from_class", Text, "The class before."),
    always("to_class", Text, "The class after."),
    always("from_answer", Text, "The answer before."),
    always("to_answer", Text, "The answer after."),
    always("exchanges", Int, "Number of exchanges."),
    always("servers", Int, "Number of their servers."),
    always("tools", Int, "Number of their tools."),
    sometimes("now_right", Int, "Of equal replies that other rules judge, how many are right now by their labels, and were wrong; empty where none has a label."),
    sometimes("now_wrong", Int, "How many of them are wrong now, and were right."),
];

#[rustfmt::skip]
pub(super) const SWEEP: &[Column] = &[
    always("path", Text, "The setting's place in the rulebook."),
    always("value", Float, "Its value."),
    always("is_now", Bool, "Whether that is the present value."),
    sometimes("balanced_accuracy", Float, "The mean of what is found of the two kinds of error reply; empty where one has no label."),
    sometimes("business_logic_recall", Float, "Share of the errors labelled `business_logic` that are answered so."),
    sometimes("tool_failure_recall", Float, "Share of the errors labelled `tool_failure` that are answered so."),
    sometimes("hidden_failure_precision", Float, "Share of the labelled replies called hidden failures that are."),
    sometimes("hidden_failure_recall", Float, "Share of the replies labelled `hidden_failure` that are called so."),
    always("labelled", Int, "Number of labelled exchanges."),
    always("not_asked", Int, "Exchanges of which nothing is asked, or that only claim success."),
    always("business_logic", Int, "Errors answered `business_logic`."),
    always("tool_failure", Int, "Errors answered `tool_failure`."),
    always("hidden_failure", Int, "Replies called hidden failures."),
    always("flips", Int, "Exchanges whose class or answer is another one than now."),
];

#[rustfmt::skip]
pub(super) const COUNTS: &[Column] = &[
    sometimes("day", Text, "The day of the recording (UTC)."),
    always("server", Text, "Who answered; `(other)` for what is counted together, since there are more groups than are counted each for itself."),
    always("tool", Text, "The tool that was called."),
    sometimes("scenario", Text, "The scenario category, as recorded."),
    always("dimension", Text, "What is counted: see below."),
    always("value", Text, "The value that is counted."),
    always("n", Int, "How many."),
];

#[rustfmt::skip]
const OF_RUNS: &[Column] = &[
    always("run", Text, "Hash of what was judged, by what, of which collection and in which night."),
    always("night", Text, "The night of the run, as `YYYY-MM-DD`."),
    always("started_at", Time, "When the run began."),
    always("collection", Text, "What it is a run of."),
    always("rulebook", Text, "The rulebook that judged."),
    always("version", Text, "The version of tapecheck that judged."),
];

#[rustfmt::skip]
pub(super) const TREND: &[Column] = &[
    always("night", Text, "The night, as `YYYY-MM-DD`."),
    always("by", Text, "What the series are by, such as `class`."),
    always("series", Text, "The series, such as `broken`."),
    always("count", Int, "Exchanges that count."),
    always("out_of", Int, "Exchanges there are."),
    always("share", Float, "`count` divided by `out_of`."),
    always("low", Float, "Lower end of the share's 95 % Wilson interval."),
    always("high", Float, "Upper end."),
    sometimes("adjusted", Float, "The share, were servers, tools and scenarios mixed as in the nights before; empty where `covered` is below 0.5."),
    always("covered", Float, "The share of the night's exchanges that are of servers, tools and scenarios that the nights before have too."),
    sometimes("p50_ms", Float, "The median duration of the night's calls in milliseconds, within 5 %; empty unless the series are servers, tools or scenarios."),
    sometimes("p95_ms", Float, "What 95 % of these durations do not exceed."),
    always("alarm", Bool, "Whether the night is part of a change; of one that is the level now, only the first night is."),
];

#[rustfmt::skip]
pub(super) const TREND_CHANGES: &[Column] = &[
    always("by", Text, "What the series are by, such as `class`."),
    always("series", Text, "The series, such as `broken`."),
    always("from", Text, "The first night of the other level."),
    sometimes("until", Text, "The first night that had the earlier level again; empty where none had."),
    always("settled", Bool, "Whether it lasted longer than the window, so that it is the level now and no change any more."),
    always("before", Float, "The share before, with servers, tools and scenarios mixed as in the nights of the change."),
    always("after", Float, "The share in the nights of the change."),
    sometimes("worse", Bool, "Whether it is for the worse; empty where the series does not tell."),
    always("p_value", Float, "How probable a difference like it is by chance, before correction: the least of its first 1, 2, 3, 5, 7 and 14 nights against those before it."),
    always("covered", Float, "Share of the exchanges of these nights that could be compared."),
    always("servers", Text, "JSON array of the servers that made most of it: `name`, `before`, `after`, `exchanges`."),
];

#[rustfmt::skip]
const USAGE: &[Column] = &[
    always("name", Text, "Its name."),
    always("asked_of", Text, "The replies: `errors`, or `successes` (those that claim success)."),
    always("hits", Int, "Replies of which it holds."),
    always("replies", Int, "Replies that were looked at."),
    always("share", Float, "Share of the replies of which it holds."),
    always("share_low", Float, "Lower end of the 95 % Wilson interval of `share`."),
    always("share_high", Float, "Upper end of the 95 % Wilson interval of `share`."),
    always("alone", Int, "Replies of which it holds and no other of its family: of its list for a pattern; for a signal, none but those that it rests on or that rest on it; no other factor for a factor."),
    always("servers", Int, "Servers of whose replies it holds."),
    sometimes("rank", Int, "Its place among those asked of the same replies by `information_gain`, from 1; empty without labels."),
    sometimes("information_gain", Float, "What knowing whether it holds tells of the truth, in bits; empty without labels."),
    sometimes("s_o", Float, "How often it holds of failures, divided by that plus how often it holds of the others: 1 is failures only."),
    sometimes("points_to", Text, "The label that is likelier where it holds than anywhere."),
    sometimes("lift", Float, "How many times likelier that is."),
    sometimes("weight", Float, "What it weighs in the score: a factor's weight, or those of the factors that rest on it."),
    sometimes("signals", Text, "For a pattern, the signals that rest on it; for a factor, its signal; as a JSON array."),
    sometimes("righted", Int, "Labelled replies that would be answered rightly without it, and are not with it; empty where nothing labelled hits, or where that is not known."),
    sometimes("wronged", Int, "Labelled replies that are answered rightly, and would not be without it."),
    sometimes("help", Float, "What balanced accuracy would lose without it; below 0 it harms."),
];

#[rustfmt::skip]
const SLICE: &[Column] = &[
    always("by", Text, "What exchanges are grouped by: `server`, `reply`, `ground`, `error_code`, `error_kind` or `decided_by`."),
    always("name", Text, "What they have in common."),
    always("exchanges", Int, "Number of exchanges."),
    always("labels", Int, "Number of labelled ones."),
    always("wrong", Int, "Labelled ones that are answered wrongly."),
    sometimes("balanced_accuracy", Float, "Mean of what is found of the two classes of error; empty where one is missing."),
    sometimes("wrong_left_out", Int, "For a server, labelled ones that are answered wrongly by what is left of the rulebook without it."),
];

#[rustfmt::skip]
pub(super) const OVERLAPS: &[Column] = &[
    always("kind", Text, "`patterns`, `signals` or `factors`."),
    always("first", Text, "A name."),
    always("second", Text, "Another name, later in the rulebook."),
    always("both", Int, "Replies of which both hold."),
    always("first_hits", Int, "Replies of which the first holds."),
    always("second_hits", Int, "Replies of which the second holds."),
    always("first_where_second", Float, "Of the replies of which the second holds, the share of which the first does too."),
    always("first_where_second_low", Float, "Lower end of its 95 % Wilson interval."),
    always("first_where_second_high", Float, "Upper end of its 95 % Wilson interval."),
    always("second_where_first", Float, "Of the replies of which the first holds, the share of which the second does too."),
    always("second_where_first_low", Float, "Lower end of its 95 % Wilson interval."),
    always("second_where_first_high", Float, "Upper end of its 95 % Wilson interval."),
    always("first_alone", Int, "Replies of which the first holds and no other of its kind."),
    always("second_alone", Int, "Replies of which the second holds and no other of its kind."),
];

#[rustfmt::skip]
pub(super) const SCORES: &[Column] = &[
    always("file", Text, "The recording, as a path below the corpus."),
    always("line", Int, "Line of the recording on which the exchange stands, from 1."),
    always("key", Text, "Key of the exchange, as in `verdicts`."),
    always("server", Text, "Who answered."),
    always("margin", Float, "How far the score lies above its threshold; below 0: below it."),
    sometimes("label", Text, "What people say the truth is."),
    sometimes("answer", Text, "What the verdict says."),
    sometimes("text", Text, "The beginning of the judged text, where it is at hand."),
];

#[rustfmt::skip]
pub(super) const CALIBRATION: &[Column] = &[
    always("reading", Text, "What the confidence is taken as the probability of: `answer_is_right` or `tool_works`."),
    always("low", Float, "Least confidence, 0 to 1."),
    always("high", Float, "Greatest confidence; it belongs to the next row, but for 1."),
    always("replies", Int, "Labelled replies with such a confidence."),
    always("mean_confidence", Float, "Their mean confidence, 0 to 1."),
    always("came_true", Float, "Share of them for which it came true."),
    always("came_true_low", Float, "Lower end of its 95 % Wilson interval."),
    always("came_true_high", Float, "Upper end of its 95 % Wilson interval."),
];

#[rustfmt::skip]
pub(super) const MISTAKES: &[Column] = &[
    always("file", Text, "The recording, as a path below the corpus."),
    always("line", Int, "Line of the recording on which the exchange stands, from 1."),
    always("key", Text, "Key of the exchange, as in `verdicts`."),
    always("server", Text, "Who answered."),
    always("tool", Text, "The tool that was called."),
    always("label", Text, "What people say the truth is."),
    sometimes("answer", Text, "What the verdict says; empty where it says nothing of it."),
    sometimes("decided_by", Text, "The decision line that answered."),
    sometimes("score", Float, "Weighted share of the factors present."),
    sometimes("threshold", Float, "The threshold that the score was compared with."),
    sometimes("error_kind", Text, "The rulebook's kind of error."),
    always("signals", Text, "The signals that hold, as a JSON array."),
    sometimes("hits", Text, "The patterns that hit, as a JSON array."),
    sometimes("text", Text, "The beginning of the judged text, where it is at hand."),
    sometimes("why", Text, "Why it has its label, where the file of labels says so."),
];

#[rustfmt::skip]
pub(super) const DRIFT: &[Column] = &[
    always("kind", Text, "`class`, `answer`, `error_kind`, `pattern` or `signal`."),
    always("name", Text, "Its name."),
    always("before_hits", Int, "Replies of the other corpus of which it holds."),
    always("before_replies", Int, "Replies of the other corpus."),
    sometimes("before", Float, "Their share; empty of nothing."),
    always("before_low", Float, "Lower end of its 95 % Wilson interval."),
    always("before_high", Float, "Upper end of its 95 % Wilson interval."),
    always("after_hits", Int, "Replies of this corpus of which it holds."),
    always("after_replies", Int, "Replies of this corpus."),
    sometimes("after", Float, "Their share; empty of nothing."),
    always("after_low", Float, "Lower end of its 95 % Wilson interval."),
    always("after_high", Float, "Upper end of its 95 % Wilson interval."),
    always("p", Float, "How likely chance makes so large a difference (two proportions; Fisher's test for few), corrected by Holm for the number of rows."),
];

/// The columns of a run in a history.
pub(super) fn past_counts() -> Vec<Column> {
    [OF_RUNS, COUNTS].concat()
}

/// The classes of labels, in the order of columns.
const CLASSES: [&str; 4] = ["ok", "business_logic", "tool_failure", "hidden_failure"];

/// Of patterns, signals or factors, by question.
#[rustfmt::skip]
pub(super) fn usages() -> Vec<Column> {
    let of_class = |class| [
        vec![number(format!("{class}_hits"), format!("Replies labelled `{class}` of which it holds."))],
        vec![number(format!("{class}_labels"), format!("Replies to this question that are labelled `{class}`."))],
        share(&format!("{class}_share"), &format!("Of the replies labelled `{class}`, the share of which it holds")),
        share(&format!("{class}_precision"), &format!("Of the labelled replies of which it holds, the share labelled `{class}`")),
    ].concat();
    [USAGE.to_vec(), CLASSES.map(of_class).concat()].concat()
}

/// Of replies that have something in common.
#[rustfmt::skip]
pub(super) fn slices() -> Vec<Column> {
    let of_class = |class| [
        vec![number(format!("{class}_labels"), format!("Exchanges labelled `{class}`."))],
        share(&format!("{class}_recall"), &format!("Share of those labelled `{class}` that are found")),
        share(&format!("{class}_precision"), &format!("Of the labelled ones that are said to be `{class}`, the share that is")),
    ].concat();
    let accuracy = share("accuracy", "Share of the labelled ones that are answered rightly");
    [SLICE.to_vec(), accuracy, CLASSES.map(of_class).concat()].concat()
}

fn number(name: String, about: String) -> Column {
    Column {
        name: Cow::Owned(name),
        kind: Int,
        presence: Presence::Always,
        about: Cow::Owned(about),
    }
}

/// A share and its interval.
fn share(name: &str, about: &str) -> Vec<Column> {
    let column = |name: String, about: String| Column {
        name: Cow::Owned(name),
        about: Cow::Owned(about),
        ..sometimes("", Float, "")
    };
    vec![
        column(name.to_owned(), format!("{about}; empty of nothing.")),
        column(
            format!("{name}_low"),
            format!("Lower end of the 95 % Wilson interval of `{name}`."),
        ),
        column(
            format!("{name}_high"),
            format!("Upper end of the 95 % Wilson interval of `{name}`."),
        ),
    ]
}
