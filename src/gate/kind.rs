//! The kinds of rule, in one table: what they are called, what they take, what to do when they fail.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleKind {
    /// No matched exchange got worse.
    Worse,
    /// No server and no tool fails more often than chance explains.
    Shares,
    /// No server and no tool takes longer.
    Slower,
    /// Nothing is missing that was called before.
    Absent,
    /// No more lines that cannot be read.
    Unreadable,
    /// Equal replies are not judged differently.
    Stricter,
    /// At most so many exchanges changed.
    Flips,
    /// No type of issue that was not there before.
    NewIssueTypes,
    /// Few calls run into a time-out.
    TimeOuts,
    /// No more lines that cannot be judged.
    UnreadableLines,
    /// Verdicts agree with what people say.
    Labels,
    /// What the waivers of the policy come to. It has no table of its own.
    Waivers,
}

named! {
    /// What a waiver may be narrowed to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum WaiverKey {
        Cause = "cause",
        Server = "server",
        Tool = "tool",
        Group = "group",
        IssueType = "issue_type",
    }
}

named! {
    /// A command that is advised where a rule fails.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Advised {
        Diff = "tapecheck diff",
        /// Deciding about what changed.
        Review = "tapecheck review",
        /// The reasoning behind one verdict.
        Explain = "tapecheck explain",
    }
}

impl Advised {
    /// As the table of rules writes it.
    pub fn generic(self) -> &'static str {
        match self {
            Self::Diff => "tapecheck diff BEFORE AFTER",
            Self::Review | Self::Explain => self.name(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct RuleFacts {
    pub kind: RuleKind,
    /// Its table in a policy.
    pub name: &'static str,
    pub about: &'static str,
    /// The keys of its table beside `name`, with what they mean.
    pub keys: &'static [(&'static str, &'static str)],
    pub narrowed_by: &'static [WaiverKey],
    /// What to do when it fails.
    pub next: &'static str,
}

const WHO: &[WaiverKey] = &[WaiverKey::Server, WaiverKey::Tool];

impl RuleKind {
    /// All kinds, in the order in which they are explained.
    pub const TABLE: [RuleFacts; 12] = [
        RuleFacts {
            kind: Self::Worse,
            name: "worse",
            about: "No call got worse. Skipped on other traffic.",
            keys: &[],
            narrowed_by: &[WaiverKey::Cause, WaiverKey::Server, WaiverKey::Tool, WaiverKey::Group],
            next: "list the calls of a group with `tapecheck diff BEFORE AFTER --filter ID`; \
                correct the server, accept what is right with `tapecheck review`, or waive it \
                with a reason",
        },
        RuleFacts {
            kind: Self::Shares,
            name: "shares",
            about: "No server and no tool fails or returns invalid replies significantly more \
                often, or refuses much more often. Skipped where the requests match, unless \
                `traffic = \"any\"`.",
            keys: &[
                (
                    "significance",
                    "What the p-value must be below to count, after Holm's correction over all servers and tools tested; 0.01 by default.",
                ),
                (
                    "rise_points",
                    "A rise by at least this many percentage points is tested without that correction; 20 by default.",
                ),
                ("least_calls", "Minimum number of calls for the rule to apply; 5 by default."),
                ("rise_significance", "The p-value must also be below this; 0.0003 by default."),
                (
                    "traffic",
                    "`other`, the default: skipped where the requests match, since there `worse` \
                     looks at each call. `any`: not skipped.",
                ),
            ],
            narrowed_by: WHO,
            next: "look at the calls named here with `tapecheck explain`; when the server is known to be down, waive it until it is back",
        },
        RuleFacts {
            kind: Self::Slower,
            name: "slower",
            about: "No server and no tool became slower, neither in its typical call nor in the \
                slowest calls of a tool. Skipped where a side has no durations.",
            keys: &[
                ("factor", "How many times as long it must take to count; 1.5 by default."),
                ("least_ms", "It must also take this many milliseconds longer; 5 by default."),
                (
                    "least_calls",
                    "With fewer calls on either side nothing is tested; 10 by default.",
                ),
                (
                    "significance",
                    "What the p-value must be below to count, after Holm's correction over all servers and tools tested; 0.003 by default.",
                ),
            ],
            narrowed_by: WHO,
            next: "look at the slowest calls named here with `tapecheck explain`; where everything is slower, look at the machine and the network first",
        },
        RuleFacts {
            kind: Self::Absent,
            name: "absent",
            about: "Where the requests match: no call is missing. On other traffic: no server \
                and no tool disappeared that had too many calls for that to be chance.",
            keys: &[(
                "significance",
                "On other traffic: what the p-value must be below to count, after Holm's correction; 0.005 by default.",
            )],
            narrowed_by: WHO,
            next: "see whether recordings are missing, and whether the tool is still listed; when it was removed on purpose, waive it, or make a new baseline",
        },
        RuleFacts {
            kind: Self::Unreadable,
            name: "unreadable",
            about: "Where the requests match: no more lines and files than before are \
                unreadable. On other traffic: no larger share of them.",
            keys: &[(
                "significance",
                "On other traffic: what the p-value must be below to count; 0.001 by default.",
            )],
            narrowed_by: &[],
            next: "see which lines and why in `unreadable.csv` of the run",
        },
        RuleFacts {
            kind: Self::Stricter,
            name: "stricter",
            about: "No equal reply is classified more strictly or more leniently because the \
                rulebook or the checks changed, unless labels confirm the change.",
            keys: &[],
            narrowed_by: &[WaiverKey::Cause, WaiverKey::Server, WaiverKey::Tool, WaiverKey::Group],
            next: "list the calls of a group with `tapecheck diff BEFORE AFTER --filter ID`; \
                correct the rulebook, label what is right, or classify the earlier recordings \
                with the new rulebook, too",
        },
        RuleFacts {
            kind: Self::Flips,
            name: "flips",
            about: "At most this many calls are classified differently than before.",
            keys: &[
                ("most", "How many may be; required."),
                (
                    "kind",
                    "Which changes count: `regressed`, `fixed`, `stricter`, `more_lenient`, \
                     `changed`, a list of them, or `any`, the default.",
                ),
                (
                    "origin",
                    "Only changes of this origin: `rulebook`, `reply`, `schema`, `checks`, \
                     `program`, `several`, or a list.",
                ),
                (
                    "cause",
                    "Only changes with such a cause, named as in `tapecheck diff`; `*` stands \
                     for any characters, `?` for one. A name or a list.",
                ),
            ],
            narrowed_by: &[WaiverKey::Cause, WaiverKey::Server, WaiverKey::Tool, WaiverKey::Group],
            next: "list the calls of a group with `tapecheck diff BEFORE AFTER --filter ID`; \
                correct the rulebook or the server, accept what is right with `tapecheck \
                review`, or waive it with a reason",
        },
        RuleFacts {
            kind: Self::NewIssueTypes,
            name: "new_issue_types",
            about: "No call has an issue of a type that occurred nowhere before.",
            keys: &[
                (
                    "except",
                    "Types that may appear; `*` stands for any characters, `?` for one. A name or a list.",
                ),
                (
                    "exchanges",
                    "Whose issues count: those of calls that `both` sides have, the default, or \
                     `all`.",
                ),
            ],
            narrowed_by: &[WaiverKey::Server, WaiverKey::Tool, WaiverKey::IssueType],
            next: "look at the calls named here with `tapecheck explain`; when the type is \
                expected, add it to `except`",
        },
        RuleFacts {
            kind: Self::TimeOuts,
            name: "timeouts",
            about: "At most this share of the calls of the later side timed out.",
            keys: &[("most", "How many percent of the calls; required.")],
            narrowed_by: WHO,
            next: "see whether the tools named here hang or only need longer than the client \
                waits; when a server is known to be slow, waive it until it is fixed",
        },
        RuleFacts {
            kind: Self::UnreadableLines,
            name: "unreadable_lines",
            about: "No more lines and files than before are unreadable.",
            keys: &[
                (
                    "most_growth",
                    "How many more there may be than on the earlier side; 0 where `most` is not given.",
                ),
                ("most", "How many there may be."),
            ],
            narrowed_by: &[],
            next: "see which lines and why in `unreadable.csv` of the run",
        },
        RuleFacts {
            kind: Self::Labels,
            name: "labels",
            about: "Verdicts of the later side agree with labels: those in its recordings and \
                those of `--labels`, or else of label files among the recordings.",
            keys: &[
                ("least", "In how many percent of the labelled calls they must agree; required."),
                ("least_labels", "With fewer labels the rule is not evaluated; 1 by default."),
                (
                    "missing",
                    "What to do then: `undecided`, the default, exits with 3; `skip` skips the \
                     rule.",
                ),
            ],
            narrowed_by: &[],
            next: "look at the calls named here with `tapecheck explain`; correct the rulebook, \
                or the label where it is wrong",
        },
        RuleFacts {
            kind: Self::Waivers,
            name: "waivers",
            about: "Every active waiver is in use.",
            keys: &[],
            narrowed_by: &[],
            next: "remove waivers that are no longer needed, so that they hide nothing later",
        },
    ];

    pub fn facts(self) -> &'static RuleFacts {
        const { &Self::TABLE }.get(self as usize).unwrap_or(const { &Self::TABLE[0] })
    }

    /// Its table in a policy.
    pub fn name(self) -> &'static str {
        self.facts().name
    }
}

impl serde::Serialize for RuleKind {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::RuleKind;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for facts in &RuleKind::TABLE {
            assert_eq!(facts.kind.facts().kind, facts.kind);
        }
        assert_eq!(RuleKind::Waivers as usize + 1, RuleKind::TABLE.len());
    }
}
