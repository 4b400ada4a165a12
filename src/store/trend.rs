//! The columns of the tables that a trend leaves behind.

use super::column::Column;
use super::column::ColumnKind::{Bool, Float, Int, Text};

const BY: Column = Column::always("by", Text, "What the series are by, such as `class`.");
const SERIES: Column = Column::always("series", Text, "The series, such as `broken`.");

/// One row per series and night.
pub(super) const POINTS: [Column; 11] = [
    Column::always("night", Text, "The night, as `YYYY-MM-DD`."),
    BY,
    SERIES,
    Column::always("count", Int, "Exchanges that count."),
    Column::always("out_of", Int, "Exchanges there are."),
    Column::always("share", Float, "`count` divided by `out_of`."),
    Column::always("low", Float, "Lower end of the share's 95 % Wilson interval."),
    Column::always("high", Float, "Upper end."),
    Column::sometimes(
        "adjusted",
        Float,
        "The share, were servers, tools and scenarios mixed as in the nights before; empty where `covered` is below 0.5.",
    ),
    Column::always(
        "covered",
        Float,
        "The share of the night's exchanges that are of servers, tools and scenarios that the nights before have too.",
    ),
    Column::always(
        "alarm",
        Bool,
        "Whether the night is part of a change; of one that is the level now, only the first night is.",
    ),
];

/// One row per change.
pub(super) const CHANGES: [Column; 11] = [
    BY,
    SERIES,
    Column::always("from", Text, "The first night of the other level."),
    Column::sometimes(
        "until",
        Text,
        "The first night that had the earlier level again; empty where none had.",
    ),
    Column::always(
        "settled",
        Bool,
        "Whether it lasted longer than the window, so that it is the level now and no change any more.",
    ),
    Column::always(
        "before",
        Float,
        "The share before, with servers, tools and scenarios mixed as in the nights of the change.",
    ),
    Column::always("after", Float, "The share in the nights of the change."),
    Column::sometimes(
        "worse",
        Bool,
        "Whether it is for the worse; empty where the series does not tell.",
    ),
    Column::always(
        "p_value",
        Float,
        "How probable a difference like it is by chance, before correction: the least of its first 1, 2, 3, 5, 7 and 14 nights against those before it.",
    ),
    Column::always(
        "covered",
        Float,
        "Share of the exchanges of these nights that could be compared.",
    ),
    Column::always(
        "servers",
        Text,
        "JSON array of the servers that made most of it: `name`, `before`, `after`, `exchanges`.",
    ),
];
