//! A policy: rules and waivers, compiled from TOML.

use super::glob::Glob;
use super::{RuleKind, read};
use crate::compare::{Kind, Origin, SlowerLimit};
use crate::recording::Day;
use crate::rulebook::Problem;
use crate::rulebook::problem::{Problems, listing};
use crate::rulebook::source::{Node, read_within};
use serde::Deserialize;
use std::path::Path;

/// Policies are written by hand; anything longer is a mistake.
const LONGEST: u64 = 1 << 20;
/// The policy that holds where no file is named, and that files override.
const DEFAULT: &str = include_str!("default.toml");
/// What reports call it.
const DEFAULT_LABEL: &str = "default";

/// What has to hold, and what is let pass until when.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub(super) label: String,
    pub(super) sets: Sets,
    /// From how many percent of the requests in common on each exchange is held against its own.
    pub(super) least_matched: f64,
    pub(super) unmatched: Unmatched,
    /// In the order of the file, then those of the default policy.
    pub(super) rules: Vec<Rule>,
    /// In the order of the file.
    pub(super) waivers: Vec<Waiver>,
}

/// Whether the sides may be over different exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sets {
    /// They must be over the same.
    Same,
    /// What both have is compared.
    Intersect,
    /// Whatever they are over, each rule says what it makes of it.
    Any,
}

/// What becomes of a waiver that matches nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unmatched {
    Fail,
    Warn,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) name: String,
    /// The line of the policy's file; `None` for a rule of the default policy.
    pub(super) line: Option<u64>,
    pub(super) limit: Limit,
}

/// What a rule asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Limit {
    Worse,
    Shares(ShareLimit),
    Slower(SlowerLimit),
    Absent { significance: f64 },
    Unreadable { significance: f64 },
    Stricter,
    Flips { most: u64, filter: FlipFilter },
    NewIssueTypes { except: Vec<Glob>, exchanges: Exchanges },
    TimeOuts { most: f64 },
    UnreadableLines { most_growth: Option<u64>, most: Option<u64> },
    Labels { least: f64, least_labels: u64, missing: Missing },
}

/// Which flips count. Where a list is empty, all do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FlipFilter {
    pub(super) kinds: Vec<Kind>,
    pub(super) origins: Vec<Origin>,
    pub(super) causes: Vec<Glob>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Exchanges {
    Both,
    All,
}

/// When a share of calls that are invalid or failed has risen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShareLimit {
    /// After Holm's correction.
    pub(super) significance: f64,
    /// A rise by so many percentage points is held against a p-value of its own.
    pub(super) rise_points: f64,
    /// Provided that there are so many calls now.
    pub(super) least_calls: u64,
    /// Without a correction.
    pub(super) rise_significance: f64,
    pub(super) traffic: ShareTraffic,
}

/// On which traffic shares are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ShareTraffic {
    /// On all but repeated requests: there every exchange is looked at.
    Other,
    Any,
}

/// What becomes of a rule about labels where there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Missing {
    Undecided,
    Skip,
}

/// What is let pass although a rule refuses it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waiver {
    pub(super) rule: String,
    pub(super) narrowed: Narrowed,
    pub(super) reason: String,
    /// The last day on which it holds.
    pub(super) until: Day,
    pub(super) line: u64,
}

/// The exchanges that a waiver is about; where nothing is named, it is about the rule as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Narrowed {
    pub(super) cause: Option<Glob>,
    pub(super) server: Option<Glob>,
    pub(super) tool: Option<Glob>,
    pub(super) group: Option<Glob>,
    pub(super) issue_type: Option<Glob>,
}

impl Narrowed {
    pub(super) fn is_whole_rule(&self) -> bool {
        self == &Self::default()
    }
}

impl Limit {
    pub(super) fn kind(&self) -> RuleKind {
        match self {
            Self::Worse => RuleKind::Worse,
            Self::Shares(_) => RuleKind::Shares,
            Self::Slower(_) => RuleKind::Slower,
            Self::Absent { .. } => RuleKind::Absent,
            Self::Unreadable { .. } => RuleKind::Unreadable,
            Self::Stricter => RuleKind::Stricter,
            Self::Flips { .. } => RuleKind::Flips,
            Self::NewIssueTypes { .. } => RuleKind::NewIssueTypes,
            Self::TimeOuts { .. } => RuleKind::TimeOuts,
            Self::UnreadableLines { .. } => RuleKind::UnreadableLines,
            Self::Labels { .. } => RuleKind::Labels,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("the policy {0} does not exist")]
    Missing(String),
    #[error("cannot read the policy {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{}", listing("the policy", .0))]
    Invalid(Vec<Problem>),
}

impl Policy {
    pub fn load(path: &Path) -> Result<Self, PolicyError> {
        let label = path.display().to_string();
        // Where even that cannot be told, reading says why.
        if path.try_exists().is_ok_and(|exists| !exists) {
            return Err(PolicyError::Missing(label));
        }
        let text = read_within(path, LONGEST)
            .map_err(|source| PolicyError::Unreadable { path: label.clone(), source })?;
        Self::from_toml(&text, &label)
    }

    pub fn builtin() -> Result<Self, PolicyError> {
        let mut policy = Self::compiled(DEFAULT, DEFAULT_LABEL, None)?;
        policy.rules.iter_mut().for_each(|rule| rule.line = None);
        Ok(policy)
    }

    /// A policy from its text, which overrides the default rule by rule. Problems name it by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, PolicyError> {
        Self::compiled(text, label, Some(&Self::builtin()?))
    }

    pub(super) fn compiled(
        text: &str,
        label: &str,
        base: Option<&Self>,
    ) -> Result<Self, PolicyError> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let tree = Node::parse(text, file, &problems);
        match tree.and_then(|tree| read::policy(&tree, label, base, &problems)) {
            Some(policy) if !problems.has_errors() => Ok(policy),
            _ => Err(PolicyError::Invalid(problems.into_errors())),
        }
    }

    pub fn sets(&self) -> Sets {
        self.sets
    }

    /// Whether a rule asks for labels; `judged_alike` where both sides were judged by the same rules.
    pub fn asks_for_labels(&self, judged_alike: bool) -> bool {
        self.rules.iter().any(|rule| match rule.limit.kind() {
            RuleKind::Labels => true,
            RuleKind::Stricter => !judged_alike,
            _ => false,
        })
    }
}
