//! The columns of the tables that `tapecheck stats` leaves behind.

use super::column::ColumnKind::{Float, Int, Text};
use super::column::{Column, ColumnKind, Presence};
use std::borrow::Cow;

/// The classes of labels, in the order of columns.
const CLASSES: [&str; 4] = ["ok", "business_logic", "tool_failure", "hidden_failure"];

/// One row per pattern, fact or factor and question.
pub(super) fn usages() -> Vec<Column> {
    let mut columns = USAGE.to_vec();
    for class in CLASSES {
        columns.push(made(
            format!("{class}_hits"),
            Int,
            format!("Replies labelled `{class}` of which it holds."),
        ));
        columns.push(made(
            format!("{class}_labels"),
            Int,
            format!("Replies to this question that are labelled `{class}`."),
        ));
        let share = format!("{class}_share");
        columns.extend(within(
            &share,
            &format!("Of the replies labelled `{class}`, the share of which it holds"),
        ));
        let precision = format!("{class}_precision");
        columns.extend(within(
            &precision,
            &format!("Of the labelled replies of which it holds, the share labelled `{class}`"),
        ));
    }
    columns
}

/// One row per group of replies that have something in common.
pub(super) fn slices() -> Vec<Column> {
    let mut columns = SLICE.to_vec();
    columns.extend(within("accuracy", "Share of the labelled ones that are answered rightly"));
    for class in CLASSES {
        columns.push(made(
            format!("{class}_labels"),
            Int,
            format!("Exchanges labelled `{class}`."),
        ));
        columns.extend(within(
            &format!("{class}_recall"),
            &format!("Share of those labelled `{class}` that are found"),
        ));
        columns.extend(within(
            &format!("{class}_precision"),
            &format!("Of the labelled ones that are said to be `{class}`, the share that is"),
        ));
    }
    columns
}

/// A share and its interval.
fn within(name: &str, about: &str) -> [Column; 3] {
    let column = |name: String, about: String| Column {
        name: Cow::Owned(name),
        kind: Float,
        presence: Presence::Sometimes,
        about: Cow::Owned(about),
    };
    [
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

fn made(name: String, kind: ColumnKind, about: String) -> Column {
    Column { name: Cow::Owned(name), kind, presence: Presence::Always, about: Cow::Owned(about) }
}

const USAGE: [Column; 19] = [
    Column::always("name", Text, "Its name."),
    Column::always(
        "asked_of",
        Text,
        "The replies: `errors`, or `successes` (those that claim success).",
    ),
    Column::always("hits", Int, "Replies of which it holds."),
    Column::always("replies", Int, "Replies that were looked at."),
    Column::always("share", Float, "Share of the replies of which it holds."),
    Column::always("share_low", Float, "Lower end of the 95 % Wilson interval of `share`."),
    Column::always("share_high", Float, "Upper end of the 95 % Wilson interval of `share`."),
    Column::always(
        "alone",
        Int,
        "Replies of which it holds and no other of its family: of its list for a pattern; for a fact, none but those that it rests on or that rest on it; no other factor for a factor.",
    ),
    Column::always("servers", Int, "Servers of whose replies it holds."),
    Column::sometimes(
        "rank",
        Int,
        "Its place among those asked of the same replies by `information_gain`, from 1; empty without labels.",
    ),
    Column::sometimes(
        "information_gain",
        Float,
        "What knowing whether it holds tells of the truth, in bits; empty without labels.",
    ),
    Column::sometimes(
        "s_o",
        Float,
        "How often it holds of failures, divided by that plus how often it holds of the others: 1 is failures only.",
    ),
    Column::sometimes(
        "points_to",
        Text,
        "The label that is likelier where it holds than anywhere.",
    ),
    Column::sometimes("lift", Float, "How many times likelier that is."),
    Column::sometimes(
        "weight",
        Float,
        "What it weighs in the score: a factor's weight, or those of the factors that rest on it.",
    ),
    Column::sometimes(
        "facts",
        Text,
        "For a pattern, the facts that rest on it; for a factor, its fact; as a JSON array.",
    ),
    Column::sometimes(
        "righted",
        Int,
        "Labelled replies that would be answered rightly without it, and are not with it; empty where nothing labelled hits, or where it cannot be told.",
    ),
    Column::sometimes(
        "wronged",
        Int,
        "Labelled replies that are answered rightly, and would not be without it.",
    ),
    Column::sometimes(
        "help",
        Float,
        "What balanced accuracy would lose without it; below 0 it harms.",
    ),
];

const SLICE: [Column; 7] = [
    Column::always(
        "by",
        Text,
        "What exchanges are told apart by: `server`, `reply`, `ground`, `error_code`, `error_kind` or `decided_by`.",
    ),
    Column::always("name", Text, "What they have in common."),
    Column::always("exchanges", Int, "Number of exchanges."),
    Column::always("labels", Int, "Number of labelled ones."),
    Column::always("wrong", Int, "Labelled ones that are answered wrongly."),
    Column::sometimes(
        "balanced_accuracy",
        Float,
        "Mean of what is found of the two classes of error; empty where one is missing.",
    ),
    Column::sometimes(
        "wrong_left_out",
        Int,
        "For a server, labelled ones that are answered wrongly by what is left of the rulebook without it.",
    ),
];

pub(super) const OVERLAPS: [Column; 14] = [
    Column::always("kind", Text, "`patterns`, `facts` or `factors`."),
    Column::always("first", Text, "A name."),
    Column::always("second", Text, "Another name, later in the rulebook."),
    Column::always("both", Int, "Replies of which both hold."),
    Column::always("first_hits", Int, "Replies of which the first holds."),
    Column::always("second_hits", Int, "Replies of which the second holds."),
    Column::always(
        "first_where_second",
        Float,
        "Of the replies of which the second holds, the share of which the first does too.",
    ),
    Column::always("first_where_second_low", Float, "Lower end of its 95 % Wilson interval."),
    Column::always("first_where_second_high", Float, "Upper end of its 95 % Wilson interval."),
    Column::always(
        "second_where_first",
        Float,
        "Of the replies of which the first holds, the share of which the second does too.",
    ),
    Column::always("second_where_first_low", Float, "Lower end of its 95 % Wilson interval."),
    Column::always("second_where_first_high", Float, "Upper end of its 95 % Wilson interval."),
    Column::always(
        "first_alone",
        Int,
        "Replies of which the first holds and no other of its kind.",
    ),
    Column::always(
        "second_alone",
        Int,
        "Replies of which the second holds and no other of its kind.",
    ),
];

pub(super) const SCORES: [Column; 8] = [
    Column::always("file", Text, "The tape, as a path below the corpus."),
    Column::always("line", Int, "Line of the tape on which the exchange stands, from 1."),
    Column::always("key", Text, "Key of the exchange, as in `verdicts`."),
    Column::always("server", Text, "Who answered."),
    Column::always(
        "margin",
        Float,
        "How far the score lies above its threshold; below 0: below it.",
    ),
    Column::sometimes("label", Text, "What people say the truth is."),
    Column::sometimes("answer", Text, "What the verdict says."),
    Column::sometimes("text", Text, "The beginning of the judged text, where it is at hand."),
];

pub(super) const CALIBRATION: [Column; 8] = [
    Column::always(
        "reading",
        Text,
        "What the confidence is taken as the probability of: `answer_is_right` or `tool_works`.",
    ),
    Column::always("low", Float, "Least confidence, 0 to 1."),
    Column::always("high", Float, "Greatest confidence; it belongs to the next row, but for 1."),
    Column::always("replies", Int, "Labelled replies with such a confidence."),
    Column::always("mean_confidence", Float, "Their mean confidence, 0 to 1."),
    Column::always("came_true", Float, "Share of them for which it came true."),
    Column::always("came_true_low", Float, "Lower end of its 95 % Wilson interval."),
    Column::always("came_true_high", Float, "Upper end of its 95 % Wilson interval."),
];

pub(super) const MISTAKES: [Column; 15] = [
    Column::always("file", Text, "The tape, as a path below the corpus."),
    Column::always("line", Int, "Line of the tape on which the exchange stands, from 1."),
    Column::always("key", Text, "Key of the exchange, as in `verdicts`."),
    Column::always("server", Text, "Who answered."),
    Column::always("tool", Text, "The tool that was called."),
    Column::always("label", Text, "What people say the truth is."),
    Column::sometimes("answer", Text, "What the verdict says; empty where it says nothing of it."),
    Column::sometimes("decided_by", Text, "The decision line that answered."),
    Column::sometimes("score", Float, "Weighted share of the factors present."),
    Column::sometimes("threshold", Float, "What the score was held against."),
    Column::sometimes("error_kind", Text, "The rulebook's kind of error."),
    Column::always("facts", Text, "The facts that hold, as a JSON array."),
    Column::sometimes("hits", Text, "The patterns that hit, as a JSON array."),
    Column::sometimes("text", Text, "The beginning of the judged text, where it is at hand."),
    Column::sometimes("why", Text, "Why it has its label, where the file of labels says so."),
];

pub(super) const DRIFT: [Column; 13] = [
    Column::always("kind", Text, "`class`, `answer`, `error_kind`, `pattern` or `fact`."),
    Column::always("name", Text, "Its name."),
    Column::always("before_hits", Int, "Replies of the other corpus of which it holds."),
    Column::always("before_replies", Int, "Replies of the other corpus."),
    Column::sometimes("before", Float, "Their share; empty of nothing."),
    Column::always("before_low", Float, "Lower end of its 95 % Wilson interval."),
    Column::always("before_high", Float, "Upper end of its 95 % Wilson interval."),
    Column::always("after_hits", Int, "Replies of this corpus of which it holds."),
    Column::always("after_replies", Int, "Replies of this corpus."),
    Column::sometimes("after", Float, "Their share; empty of nothing."),
    Column::always("after_low", Float, "Lower end of its 95 % Wilson interval."),
    Column::always("after_high", Float, "Upper end of its 95 % Wilson interval."),
    Column::always(
        "p",
        Float,
        "How likely chance makes so large a difference (two proportions; Fisher's test for few), corrected by Holm for the number of rows.",
    ),
];
