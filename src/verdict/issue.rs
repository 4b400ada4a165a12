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

    MalformedReport "malformed_report" "A part of a validation report is not what it must be.",
    ReportUntruthful "report_untruthful" "A validation report contradicts itself.",
    ReportMissing "report_missing" "A validation report leaves out what errors call for.",
    DanglingTask "dangling_task" "An issue names a task that is not among the tasks.",
    DuplicateTask "duplicate_task" "Several tasks have the same id.",
    ToolUndescribed "tool_undescribed" "A tool has no description.",
    ToolErrorsUnexplained "tool_errors_unexplained" "A tool does not say how it reports errors.",
    ToolSchemaMissing "tool_schema_missing" "A tool lacks a schema, or its list of required fields.",
    ToolFieldUndescribed "tool_field_undescribed" "A field of a tool's schema has no description.",
    ToolErrorFieldMissing "tool_error_field_missing" "A tool's output lacks a field by which errors are noticed.",
    ToolExamplesMissing "tool_examples_missing" "A tool has no examples of use, or none with error checking.",
}
