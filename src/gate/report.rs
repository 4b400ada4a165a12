//! What came of a policy: the one model that all outputs are written from.

use super::evidence::Call;
use crate::compare::Overlap;
use crate::store::RulebookName;
use crate::verdict::{cut, grouped};
use crate::view::escape::below;
use crate::view::sarif::Spot;
use serde::Serialize;

/// Longest text of a recording that is kept, in characters.
const LONGEST_TEXT: usize = 200;
/// Longest path of a recording that is kept, in characters.
const LONGEST_PATH: usize = 1000;
/// So many findings of a rule are shown.
const MOST_FINDINGS: usize = 10;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateReport {
    /// The policy's file, as it was named.
    pub policy: String,
    pub state: State,
    /// Whether everything holds, is waived, or is only to be told.
    pub passed: bool,
    pub before: SideName,
    pub after: SideName,
    pub overlap: Overlap,
    /// One verdict for each rule, in the order of the policy; what its waivers come to is last.
    pub rules: Vec<RuleVerdict>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideName {
    pub name: String,
    pub rulebook: RulebookName,
    /// The program that judged, where the side tells.
    pub version: Option<String>,
    pub exchanges: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleVerdict {
    pub name: String,
    pub kind: &'static str,
    /// The line of the policy's file; `None` for a rule of the default policy.
    pub line: Option<u64>,
    pub outcome: Outcome,
    pub skipped_because: Option<String>,
    /// What was found, as a number where it is one.
    pub value: Option<f64>,
    /// What it was held against, as a number where it is one.
    pub limit: Option<f64>,
    /// What was found, in words.
    pub measured: String,
    /// What is allowed, in words.
    pub allowed: String,
    /// What else is to be said of it, such as the waivers that were used.
    pub notes: Vec<String>,
    /// What to do, where it failed.
    pub next: Option<String>,
    /// What was found, one by one, the worst first.
    pub findings: Vec<Finding>,
    pub left_out: LeftOut,
}

named! {
    /// What came of a gate, in a word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum State {
        /// Every rule holds or is waived.
        Green = "green",
        /// A rule fails that is about servers.
        Red = "red",
        /// All that is worse is for whoever runs the servers to mend.
        Operator = "operator",
        /// No rule could be tried, or one that must be could not.
        NothingToJudge = "nothing to judge",
    }
}

named! {
    /// How a rule came out.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Outcome {
        Pass = "pass",
        Fail = "fail",
        /// It does not hold, but what is against it is waived.
        Waived = "waived",
        /// It does not hold, and the policy only wants to be told.
        Warned = "warned",
        /// It could not be tried, and the policy lets that be.
        Skipped = "skipped",
        /// It could not be tried, and the policy does not let that be.
        Undecided = "undecided",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Finding {
    pub text: String,
    /// The group of exchanges, as `tapecheck diff` names it.
    pub group: Option<String>,
    pub exchanges: u64,
    pub examples: Vec<CallPlace>,
    /// The examples are of the earlier side, whose recordings need not be there.
    #[serde(skip)]
    pub is_gone: bool,
}

impl Finding {
    /// The lines of recordings that it is about. They lie in the folder `recordings` of the repository.
    pub(super) fn spots(&self, recordings: &str) -> impl Iterator<Item = Spot> {
        let there = self.examples.iter().filter(|_| !self.is_gone);
        there.filter_map(move |place| {
            let line = place.line.filter(|_| !place.file.is_empty())?;
            Some(Spot { file: below(recordings, &place.file), line })
        })
    }
}

/// Where an exchange was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallPlace {
    pub key: String,
    pub server: String,
    pub tool: String,
    /// The recording; empty where the side does not tell.
    pub file: String,
    pub line: Option<u64>,
}

impl CallPlace {
    pub(super) fn of(call: Call<'_>) -> Self {
        let line = call.entry.line;
        Self {
            key: call.entry.key.to_string(),
            server: cut(call.server(), LONGEST_TEXT),
            tool: cut(call.tool(), LONGEST_TEXT),
            file: cut(call.file(), LONGEST_PATH),
            line: (line > 0).then_some(u64::from(line)),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub findings: u64,
    /// How many exchanges they are about.
    pub exchanges: u64,
}

/// A command that is advised where a rule fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advised {
    Diff,
    /// Deciding about what changed.
    Review,
    /// The reasoning behind one verdict.
    Explain,
}

impl GateReport {
    pub fn count(&self, outcome: Outcome) -> usize {
        self.rules.iter().filter(|rule| rule.outcome == outcome).count()
    }

    /// Spells out the commands that rules advise, given the key of the first exchange that a rule
    /// found; those for which there is nothing stay as they are.
    pub fn spell_commands(&mut self, spelled: impl Fn(Advised, Option<&str>) -> Option<String>) {
        let commands = [
            ("tapecheck diff BEFORE AFTER", Advised::Diff),
            ("tapecheck review", Advised::Review),
            ("tapecheck explain", Advised::Explain),
        ];
        for rule in &mut self.rules {
            let Some(next) = rule.next.as_mut() else { continue };
            let first = rule.findings.iter().flat_map(|finding| &finding.examples).next();
            let key = first.map(|place| place.key.as_str());
            for (generic, command) in commands {
                if next.contains(generic)
                    && let Some(words) = spelled(command, key)
                {
                    // Once each: a path may look like a command.
                    *next = next.replacen(generic, &words, 1);
                }
            }
        }
    }
}

/// Rules measure without knowing what they are called and which line they stand in.
impl RuleVerdict {
    pub(super) fn new(holds: bool, measured: String, allowed: impl Into<String>) -> Self {
        Self {
            name: String::new(),
            kind: "",
            line: None,
            outcome: if holds { Outcome::Pass } else { Outcome::Fail },
            skipped_because: None,
            value: None,
            limit: None,
            measured,
            allowed: allowed.into(),
            notes: Vec::new(),
            next: None,
            findings: Vec::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Of something that may be found `most` times, beside what is waived.
    pub(super) fn at_most(
        most: f64,
        [found, waived]: [f64; 2],
        measured: String,
        allowed: impl Into<String>,
    ) -> Self {
        let verdict = Self::new(found <= most, measured, allowed).numbers(found, most);
        match verdict.outcome {
            Outcome::Pass if found + waived > most => Self { outcome: Outcome::Waived, ..verdict },
            _ => verdict,
        }
    }

    pub(super) fn skipped(because: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Skipped,
            skipped_because: Some(because.into()),
            ..Self::new(true, "not measured".to_owned(), allowed)
        }
    }

    pub(super) fn numbers(mut self, value: f64, limit: f64) -> Self {
        (self.value, self.limit) = (Some(value), Some(limit));
        self
    }

    /// Adds what was found one by one, the worst first, and leaves out what is too much.
    pub(super) fn found(mut self, findings: impl IntoIterator<Item = Finding>) -> Self {
        self.findings = findings.into_iter().collect();
        let rest = self.findings.split_off(self.findings.len().min(MOST_FINDINGS));
        self.left_out = LeftOut {
            findings: rest.len() as u64,
            exchanges: rest.iter().map(|finding| finding.exchanges).sum(),
        };
        self
    }
}

/// What follows the measurement of a rule of which so many exchanges are waived.
pub(super) fn waived_words(waived: u64) -> String {
    if waived > 0 { format!(", {} waived", grouped(waived)) } else { String::new() }
}
