//! Things found wrong, and the registry of their types.

use serde::{Deserialize, Serialize};

/// One thing found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// How bad it is.
    pub severity: Severity,
    /// Which type it is; its name is what tables count.
    pub kind: IssueType,
    /// What is wrong, in 10 to 500 characters.
    pub message: String,
    /// Where it is: a JSON pointer or a field path.
    pub location: Option<String>,
    /// What to do about it.
    pub suggestion: Option<String>,
}

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Blocks acceptance.
    Error,
    /// Should be looked at.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// All severities, worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];

    /// The name used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// How many issues there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Severities {
    /// Errors.
    pub errors: u32,
    /// Warnings.
    pub warnings: u32,
    /// Infos.
    pub infos: u32,
}

impl Severities {
    /// Counts issues.
    #[must_use]
    pub fn of(issues: &[Issue]) -> Self {
        let mut counts = Self::default();
        for issue in issues {
            match issue.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Info => counts.infos += 1,
            }
        }
        counts
    }

    /// All of them.
    #[must_use]
    pub fn total(self) -> u32 {
        self.errors + self.warnings + self.infos
    }
}

macro_rules! issue_types {
    ($($variant:ident $name:literal $about:literal,)*) => {
        /// The types of issue. The table in this file is the only list of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum IssueType {
            $(#[doc = $about] $variant,)*
        }

        impl IssueType {
            /// All types.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in tables and files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the type means, in a sentence.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

issue_types! {
    NoReply "no_reply" "The call was never answered.",
    MissingContent "missing_content" "The reply has no content.",
    EmptyContent "empty_content" "The reply's content is empty or not an array.",
    MalformedResult "malformed_result" "The reply is not an object with members.",
    SchemaViolation "schema_violation" "The reply does not match the tool's output schema.",
    NoStructuredOutput "no_structured_output" "The tool has an output schema but the reply holds no JSON.",
    SchemaUncompilable "schema_uncompilable" "The tool's output schema itself cannot be used.",
    SchemaUndecided "schema_undecided" "The output schema could not be evaluated on this reply.",
    ToolFailure "tool_failure" "The error says that the tool failed.",
    BusinessLogic "business_logic" "The error says that the tool works and refused.",
    Unreachable "unreachable" "The error says that something behind the tool cannot be reached.",
    HiddenFailure "hidden_failure" "The reply claims success but says that it failed.",
    // Tool contracts: the nine error codes, in lower case, and what is said of servers and sessions.
    MissingParameter "missing_parameter" "A required parameter is missing.",
    InvalidType "invalid_type" "A parameter is of another type than the contract says.",
    LengthConstraint "length_constraint" "A parameter is shorter or longer than the contract allows.",
    RangeConstraint "range_constraint" "A parameter is below or above what the contract allows.",
    UnknownTool "unknown_tool" "The contract knows no tool of this name.",
    ConditionalParameter "conditional_parameter" "Of several parameters, none that is needed was given.",
    SecurityValidation "security_validation" "A parameter holds what looks like an attack, or what no text may hold.",
    InvalidResponse "invalid_response" "The response lacks a field, or contradicts a rule of the contract.",
    ResponseType "response_type" "A field of the response is not what the contract says.",
    ContractRule "contract_rule" "A rule of the contract could not be evaluated.",
    SecurityIssue "security_issue" "The reply exposes what must stay inside.",
    SessionNotInitialized "session_not_initialized" "The session was used without being initialized.",
    ToolsNotListed "tools_not_listed" "The session never listed its tools.",
    ToolNotRegistered "tool_not_registered" "The server does not list a tool that its contract names.",
    SchemaDrift "schema_drift" "Two tool lists of one server differ.",
}
