//! Things found wrong, and the registry of their types.

use super::OwnType;
use serde::{Deserialize, Serialize};

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
    #[must_use]
    pub fn new(severity: Severity, kind: IssueType, message: impl Into<String>) -> Self {
        let message = Self::cut(message.into());
        Self { severity, kind, side: kind.side(), message, location: None, suggestion: None }
    }

    /// A text cut to the length that messages and suggestions may have.
    #[must_use]
    pub fn cut(text: String) -> String {
        if text.len() < Self::LONGEST {
            return text;
        }
        match text.char_indices().nth(Self::LONGEST - 1) {
            Some((last, character)) if last + character.len_utf8() < text.len() => {
                format!("{}…", &text[..last])
            }
            _ => text,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Severities {
    pub errors: u32,
    pub warnings: u32,
    pub infos: u32,
}

impl Severities {
    #[must_use]
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

    #[must_use]
    pub fn total(self) -> u32 {
        self.errors + self.warnings + self.infos
    }
}

macro_rules! issue_types {
    ($($variant:ident $side:ident $name:literal $about:literal $suggestion:literal,)*) => {
        /// The types of issue: those of the table in this file, and those that rulebooks and contracts add.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum IssueType {
            $(#[doc = $about] $variant,)*
            /// One that a rulebook or contract names.
            Own(&'static OwnType),
        }

        impl IssueType {
            /// The types of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in tables and files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Own(own) => &own.name,
                }
            }

            /// Its place in the table; `None` for one that is not in it.
            #[must_use]
            pub fn place(self) -> Option<usize> {
                match self {
                    Self::Own(_) => None,
                    listed => Self::ALL.iter().position(|kind| *kind == listed),
                }
            }

            /// The type with this name, of the table or of a file that was loaded.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => OwnType::named(name),
                }
            }

            /// Whose issues of this type are, unless the check that finds one knows better.
            #[must_use]
            pub fn side(self) -> Side {
                match self {
                    $(Self::$variant => Side::$side,)*
                    Self::Own(own) => own.side,
                }
            }

            /// Whether somebody who looks after security should see it.
            #[must_use]
            pub fn is_about_security(self) -> bool {
                matches!(self, Self::SecurityIssue | Self::SecurityValidation)
            }

            /// What the type means, in a sentence.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                    Self::Own(own) => &own.about,
                }
            }

            /// What to do about an issue of this type that has no suggestion of its own.
            #[must_use]
            pub fn suggestion(self) -> &'static str {
                match self {
                    $(Self::$variant => $suggestion,)*
                    Self::Own(_) => "Follow the rule; the contract or rulebook that defines it explains it.",
                }
            }
        }
    };
}

issue_types! {
    NoReply Reply "no_reply"
        "The call was never answered."
        "Look for a time-out, a crash or a lost connection.",
    MissingContent Reply "missing_content"
        "The reply has no content."
        "Return a content array with at least one block.",
    EmptyContent Reply "empty_content"
        "The reply's content is empty or not an array."
        "Return a content array with at least one block.",
    MalformedResult Reply "malformed_result"
        "The reply is not an object with members."
        "Answer the call with an object that has members.",
    MalformedContent Reply "malformed_content"
        "An element of the reply's content is not a content block."
        "Give every element of the content a type, and every text block a text.",
    UnknownResultType Reply "unknown_result_type"
        "The reply is a result of a type that is not known."
        "Return a resultType of the protocol, or announce the extension that defines it.",
    SchemaViolation Reply "schema_violation"
        "The reply does not match the tool's output schema."
        "Return what the output schema promises, or correct the schema.",
    NoStructuredOutput Reply "no_structured_output"
        "The tool has an output schema but the reply has no JSON."
        "Return structuredContent, or drop the output schema.",
    SchemaUncompilable Session "schema_uncompilable"
        "The tool's output schema itself cannot be used."
        "Correct the output schema; a schema validator names the fault.",
    SchemaUndecided Session "schema_undecided"
        "The output schema could not be evaluated on this reply."
        "Simplify the output schema, or return a smaller reply.",
    ToolFailure Reply "tool_failure"
        "The error says that the tool failed."
        "Look for the cause in the server; the request was not refused, it went wrong.",
    BusinessLogic Reply "business_logic"
        "The error says that the tool works and refused the request."
        "Change the request; the error says what the tool did not accept.",
    Unreachable Reply "unreachable"
        "The error says that something behind the tool cannot be reached."
        "Check the network, the address and the service that the tool depends on.",
    HiddenFailure Reply "hidden_failure"
        "The reply claims success but says that it failed."
        "Set isError on replies that report a failure.",
    HiddenRefusal Reply "hidden_refusal"
        "The reply claims success but says that the tool refused the request."
        "Set isError on replies that refuse a request.",

    MissingField Reply "missing_field"
        "A member that should be there is absent."
        "Add the missing member.",
    InvalidType Reply "invalid_type"
        "A value is of the wrong type."
        "Send the value in the type that the message names.",
    ConstraintViolation Reply "constraint_violation"
        "A value is outside the allowed range, length or list."
        "Send a value within the limits that the message names.",
    MissingTransactionInfo Reply "missing_transaction_info"
        "A conversation's context does not say which transaction it belongs to."
        "Name the transaction in the context.",
    RequestNotRefused Reply "request_not_refused"
        "An invalid request was answered as if it were valid."
        "Validate requests before they are handled, and answer invalid ones with an error.",
    CriteriaNotMet Reply "criteria_not_met"
        "An acceptance criterion is not met."
        "Change the reply until it meets the criterion, or correct the criterion.",
    CriteriaAmbiguous Reply "criteria_ambiguous"
        "A criterion cannot be evaluated for this call."
        "Word the criterion so that it can be evaluated for every call.",
    FactMismatch Reply "fact_mismatch"
        "A statement contradicts a known fact."
        "Correct the statement, or the fact if it is outdated.",
    UnsupportedClaim Reply "unsupported_claim"
        "A statement is made where nothing is known."
        "Remove the claim, or add what is known to the facts file.",
    SourceMissing Reply "source_missing"
        "A statement lacks the source it should have."
        "Cite the source of the statement.",
    Hallucination Reply "hallucination"
        "A statement was made up."
        "Remove what was made up, or cite a source for it.",
    ConfidenceMismatch Reply "confidence_mismatch"
        "Confidence is high where there is reason to doubt."
        "Lower the confidence, or remove the reason to doubt.",
    DetailInconsistency Reply "detail_inconsistency"
        "Details contradict each other."
        "Correct the details that contradict each other.",
    ReadabilityIssue Reply "readability_issue"
        "Code or text is hard to understand."
        "Split it, name its parts, and say what they do.",
    ComplexityIssue Reply "complexity_issue"
        "A solution is more complex than it has to be."
        "Use a simpler solution, or split it into smaller parts.",
    PerformanceIssue Reply "performance_issue"
        "An implementation is slower than it has to be."
        "Measure it, and improve what takes the most time.",
    SecurityIssue Reply "security_issue"
        "Something may be open to attack."
        "Close the vulnerability before the result is used.",
    StyleIssue Reply "style_issue"
        "Style is not consistent."
        "Follow one style throughout.",
    Optimization Reply "optimization"
        "Something could be done better."
        "Consider the improvement; nothing has to be done.",
    UnlistedIssue Reply "unlisted_issue"
        "A recorded result reports an issue of a type that this table does not have."
        "Read the recorded message; its author defined the type.",

    MalformedReport Reply "malformed_report"
        "A part of a validation report is invalid."
        "Write this part of the report in its documented form.",
    ReportUntruthful Reply "report_untruthful"
        "A validation report contradicts itself."
        "Derive counts, flags and summary from the list of issues.",
    ReportMissing Reply "report_missing"
        "A validation report leaves out what errors call for."
        "List the issues and name the error report.",
    DanglingTask Reply "dangling_task"
        "An issue names a task that is not among the tasks."
        "List the task, or correct the id that the issue names.",
    DuplicateTask Reply "duplicate_task"
        "Several tasks have the same id."
        "Give each task an id of its own.",
    ToolUndescribed Session "tool_undescribed"
        "A tool has no description."
        "Describe what the tool does, what it returns, and how it reports errors.",
    ToolErrorsUnexplained Session "tool_errors_unexplained"
        "A tool does not say how it reports errors."
        "Tell callers which field to check before they assume success.",
    ToolSchemaMissing Session "tool_schema_missing"
        "A tool lacks a schema, or its list of required fields."
        "Add the missing schema, or its list of required fields.",
    ToolFieldUndescribed Session "tool_field_undescribed"
        "A field of a tool's schema has no description."
        "Say what the field means and when it is present.",
    ToolErrorFieldMissing Session "tool_error_field_missing"
        "A tool's output lacks a field by which errors are noticed."
        "Add the field to the output schema and to replies.",
    ToolExamplesMissing Session "tool_examples_missing"
        "A tool has no examples of use, or none with error checking."
        "Add examples that check the result for errors.",

    MissingParameter Caller "missing_parameter"
        "A required parameter is missing."
        "Pass the parameter.",
    LengthConstraint Caller "length_constraint"
        "A parameter is shorter or longer than the contract allows."
        "Pass a value of the length that the contract allows.",
    RangeConstraint Caller "range_constraint"
        "A parameter is below or above what the contract allows."
        "Pass a value in the range that the contract allows.",
    UnknownTool Caller "unknown_tool"
        "The contract has no tool of this name."
        "Call a tool of the contract, or add this one to it.",
    ConditionalParameter Caller "conditional_parameter"
        "None of several alternative required parameters was given."
        "Pass one of the parameters that the message names.",
    SecurityValidation Caller "security_validation"
        "A parameter contains what looks like an attack, or forbidden characters."
        "Remove the text that looks like an attack from the parameter.",
    InvalidResponse Reply "invalid_response"
        "The response lacks a field, or contradicts a rule of the contract."
        "Return every field that the contract requires, and follow its rules.",
    InvalidTransition Reply "invalid_transition"
        "The response contradicts the state that an earlier one showed."
        "Return a state that can follow the earlier one.",
    ResponseType Reply "response_type"
        "A field of the response is not what the contract says."
        "Return the field in the type that the contract names.",
    ContractRule Reply "contract_rule"
        "A rule of the contract could not be evaluated."
        "Correct the rule, so that it can be evaluated for every call.",
    SessionNotInitialized Session "session_not_initialized"
        "The session was used without being initialized."
        "Send initialize, and wait for its answer, before the first call.",
    ToolsNotListed Session "tools_not_listed"
        "The session never listed its tools."
        "Send tools/list before the first call.",
    ToolNotRegistered Session "tool_not_registered"
        "The server does not list a tool that its contract names."
        "Register the tool with the server, or remove it from the contract.",
    SchemaDrift Session "schema_drift"
        "Two tool lists of one server differ."
        "Update the contract and the clients if the change is intended.",
}

#[cfg(test)]
mod tests {
    use super::super::Category;
    use super::*;

    #[test]
    fn types_are_found_by_their_names() {
        for kind in IssueType::ALL {
            assert_eq!(IssueType::named(kind.name()), Some(*kind));
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
