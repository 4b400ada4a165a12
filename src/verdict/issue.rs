//! Things found wrong, and the registry of their types.

use super::Category;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::{LazyLock, Mutex, PoisonError};

/// One thing found wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// How bad it is.
    pub severity: Severity,
    /// Which type it is; its name is what tables count.
    pub kind: IssueType,
    /// Whose it is: that of its type, or what the check that found it says.
    pub side: Side,
    /// What is wrong, in 10 to 500 characters.
    pub message: String,
    /// Where it is: a JSON pointer or a field path.
    pub location: Option<String>,
    /// What to do about it.
    pub suggestion: Option<String>,
}

/// An error or a warning of a session, as its report tells of it.
#[derive(Clone, Copy, Debug)]
pub struct SessionIssue<'a> {
    pub severity: Severity,
    pub kind: IssueType,
    /// The name of its type, also where only the recording knows it.
    pub rule: &'a str,
    pub message: &'a str,
    pub task: Option<&'a str>,
}

impl<'a> From<(&'a Issue, Option<&'a str>)> for SessionIssue<'a> {
    fn from((issue, task): (&'a Issue, Option<&'a str>)) -> Self {
        let Issue { severity, kind, message, .. } = issue;
        Self { severity: *severity, kind: *kind, rule: kind.name(), message, task }
    }
}

named! {
    /// How bad an issue is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Blocks acceptance.
        Error = "error",
        /// Should be looked at.
        Warning = "warning",
        /// Worth knowing.
        Info = "info",
    }
}

named! {
    /// Whose an issue is. Only those of replies say that a call did not work.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Side {
        Caller = "caller",
        Reply = "reply",
        /// The session, or the tools that its server lists.
        Session = "session",
    }
}

named! {
    /// Who says that there is an issue.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum IssueOrigin {
        /// Found in what was recorded.
        Tapecheck = "tapecheck",
        /// Told by a recorded judge result or session report.
        Reported = "reported",
    }
}

impl Issue {
    /// The longest message and the longest suggestion, in characters.
    pub const LONGEST: usize = 500;
    /// The shortest message or suggestion, in characters.
    pub const SHORTEST: usize = 10;

    /// An issue of no place, on the side of its type.
    pub fn new(severity: Severity, kind: IssueType, message: impl Into<String>) -> Self {
        let message = Self::cut(message.into());
        Self { severity, kind, side: kind.side(), message, location: None, suggestion: None }
    }

    /// A text cut to the length that messages and suggestions may have.
    pub fn cut(text: String) -> String {
        if text.len() <= Self::LONGEST {
            return text;
        }
        super::cut(&text, Self::LONGEST)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Severities {
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
}

impl Severities {
    pub fn of(issues: &[Issue]) -> Self {
        Self::count(issues.iter().map(|issue| issue.severity))
    }

    pub fn count(severities: impl Iterator<Item = Severity>) -> Self {
        let mut counts = Self::default();
        for severity in severities {
            match severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Info => counts.infos += 1,
            }
        }
        counts
    }

    pub fn total(self) -> u32 {
        self.errors + self.warnings + self.infos
    }
}

macro_rules! issue_types {
    ($($variant:ident $side:ident $name:literal,)*) => {
        /// The types of issue: those of the table below, and those that rulebooks and contracts add.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum IssueType {
            $($variant,)*
            /// One that a rulebook or contract names.
            Own(&'static OwnType),
        }

        impl IssueType {
            /// The types of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in tables and files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Own(own) => &own.name,
                }
            }

            /// Its place in the table; `None` for one that is not in it.
            pub fn place(self) -> Option<usize> {
                enum Row { $($variant,)* }
                match self {
                    $(Self::$variant => Some(Row::$variant as usize),)*
                    Self::Own(_) => None,
                }
            }

            /// The type with this name, of the table or of a file that was loaded.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => OwnType::named(name),
                }
            }

            /// Whose issues of this type are, unless the check that finds one knows better.
            pub fn side(self) -> Side {
                match self {
                    $(Self::$variant => Side::$side,)*
                    Self::Own(own) => own.side,
                }
            }
        }
    };
}

issue_types! {
    NoReply Reply "no_reply",
    MissingContent Reply "missing_content",
    EmptyContent Reply "empty_content",
    MalformedResult Reply "malformed_result",
    MalformedContent Reply "malformed_content",
    UnknownResultType Reply "unknown_result_type",
    SchemaViolation Reply "schema_violation",
    NoStructuredOutput Reply "no_structured_output",
    SchemaUncompilable Session "schema_uncompilable",
    SchemaUndecided Session "schema_undecided",
    ToolFailure Reply "tool_failure",
    BusinessLogic Reply "business_logic",
    Unreachable Reply "unreachable",
    HiddenFailure Reply "hidden_failure",
    HiddenRefusal Reply "hidden_refusal",
    ErrorNotFlagged Reply "error_not_flagged",
    MissingField Reply "missing_field",
    InvalidType Reply "invalid_type",
    ConstraintViolation Reply "constraint_violation",
    MissingTransactionInfo Reply "missing_transaction_info",
    RequestNotRefused Reply "request_not_refused",
    CriteriaNotMet Reply "criteria_not_met",
    CriteriaAmbiguous Reply "criteria_ambiguous",
    FactMismatch Reply "fact_mismatch",
    UnsupportedClaim Reply "unsupported_claim",
    SourceMissing Reply "source_missing",
    Hallucination Reply "hallucination",
    ConfidenceMismatch Reply "confidence_mismatch",
    DetailInconsistency Reply "detail_inconsistency",
    ReadabilityIssue Reply "readability_issue",
    ComplexityIssue Reply "complexity_issue",
    PerformanceIssue Reply "performance_issue",
    SecurityIssue Reply "security_issue",
    StyleIssue Reply "style_issue",
    Optimization Reply "optimization",
    UnlistedIssue Reply "unlisted_issue",
    MalformedReport Reply "malformed_report",
    ReportUntruthful Reply "report_untruthful",
    ReportMissing Reply "report_missing",
    DanglingTask Reply "dangling_task",
    DuplicateTask Reply "duplicate_task",
    ToolUndescribed Session "tool_undescribed",
    ToolErrorsUnexplained Session "tool_errors_unexplained",
    ToolSchemaMissing Session "tool_schema_missing",
    ToolFieldUndescribed Session "tool_field_undescribed",
    ToolErrorFieldMissing Session "tool_error_field_missing",
    ToolExamplesMissing Session "tool_examples_missing",
    MissingParameter Caller "missing_parameter",
    LengthConstraint Caller "length_constraint",
    RangeConstraint Caller "range_constraint",
    UnknownTool Caller "unknown_tool",
    ConditionalParameter Caller "conditional_parameter",
    SecurityValidation Caller "security_validation",
    InvalidResponse Reply "invalid_response",
    InvalidTransition Reply "invalid_transition",
    ResponseType Reply "response_type",
    ContractRule Reply "contract_rule",
    SessionNotInitialized Session "session_not_initialized",
    ToolsNotListed Session "tools_not_listed",
    ToolNotRegistered Session "tool_not_registered",
    SchemaDrift Session "schema_drift",
}

/// Of each type of the table its name, what it means, and what to do about an issue of it.
static TEXTS: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let lines = include_str!("issue_types.txt").lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|it| !it.is_empty() && !it.starts_with('#')).collect();
    lines.as_chunks().0.to_vec()
});

impl IssueType {
    /// Whether somebody who looks after security should see it.
    pub fn is_about_security(self) -> bool {
        matches!(self, Self::SecurityIssue | Self::SecurityValidation)
    }

    /// What the type means, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Own(own) => &own.about,
            listed => listed.place().map_or("", |place| TEXTS[place][1]),
        }
    }

    /// What to do about an issue of this type that has no suggestion of its own.
    pub fn suggestion(self) -> &'static str {
        const OWN: &str = "Follow the rule; the contract or rulebook that defines it explains it.";
        self.place().map_or(OWN, |place| TEXTS[place][2])
    }
}

/// An issue type that a rulebook or contract names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnType {
    pub name: String,
    /// What it means, in a sentence.
    pub about: String,
    pub side: Side,
    pub category: &'static Category,
}

/// All own types of this process: few, as people write them; an issue has its type by reference.
static KNOWN: Mutex<Vec<&'static OwnType>> = Mutex::new(Vec::new());

impl OwnType {
    /// The issue type that stands for this one; equal ones are the same.
    pub fn into_type(self) -> IssueType {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().copied().find(|own| **own == self).unwrap_or_else(|| {
            let own: &'static Self = Box::leak(Box::new(self));
            known.push(own);
            own
        });
        IssueType::Own(found)
    }

    /// The first that was given this name.
    pub fn named(name: &str) -> Option<IssueType> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().copied().find(|own| own.name == name).map(IssueType::Own)
    }
}

/// An issue type so that a process that loaded no rulebook or contract knows it too.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written<'a> {
    Listed(Cow<'a, str>),
    Own {
        name: Cow<'a, str>,
        about: Cow<'a, str>,
        side: Side,
        /// Name, label and words of its category.
        category: [Cow<'a, str>; 3],
    },
}

impl Serialize for IssueType {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let written = match self {
            Self::Own(OwnType {
                name,
                about,
                side,
                category: Category { name: of, label, words, .. },
            }) => Written::Own {
                name: name.into(),
                about: about.into(),
                side: *side,
                category: [of.into(), label.into(), words.into()],
            },
            listed => Written::Listed(listed.name().into()),
        };
        written.serialize(to)
    }
}

impl<'de> Deserialize<'de> for IssueType {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(from)?;
        Ok(match written {
            Written::Listed(name) => {
                Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
                    serde::de::Error::custom(format!("no issue type is called {name}"))
                })?
            }
            Written::Own { name, about, side, category: [of, label, words] } => {
                let category =
                    Category::named(&of).unwrap_or_else(|| Category::own(&of, &label, &words));
                OwnType { name: name.into(), about: about.into(), side, category }.into_type()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_their_names() {
        assert_eq!(TEXTS.len(), IssueType::ALL.len());
        for (kind, [name, ..]) in IssueType::ALL.iter().zip(&*TEXTS) {
            assert_eq!(IssueType::named(name), Some(*kind));
            assert_eq!(kind.name(), *name, "issue_types.txt is in the order of the table");
        }
        assert_eq!(IssueType::named("Style_Issue"), None);
    }

    #[test]
    fn every_type_has_a_suggestion_that_issues_may_have() {
        let own = OwnType {
            name: "late_delivery".to_owned(),
            about: "The parcel came too late.".to_owned(),
            side: Side::Reply,
            category: Category::of(IssueType::ToolFailure),
        };
        for kind in IssueType::ALL.iter().copied().chain([own.into_type()]) {
            let length = kind.suggestion().chars().count();
            assert!((Issue::SHORTEST..=Issue::LONGEST).contains(&length), "{}", kind.name());
        }
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let fits = "é".repeat(Issue::LONGEST);
        assert_eq!(Issue::cut(fits.clone()), fits);
        let cut = Issue::cut(fits + "é");
        assert_eq!(cut.chars().count(), Issue::LONGEST);
        assert!(cut.ends_with("é…"));
    }
}
