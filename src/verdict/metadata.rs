//! What a reply consists of.

use smallvec::SmallVec;
use std::borrow::Cow;

/// What was extracted from a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseMetadata {
    /// The types of the content blocks, in first-seen order.
    pub content_types: SmallVec<[Cow<'static, str>; 2]>,
    /// How many blocks there are of each counted kind, as the rulebook lists them.
    pub counts: SmallVec<[u32; 6]>,
    /// Whether there is `structuredContent`.
    pub has_structured_content: bool,
    /// Whether there is `_meta`.
    pub has_meta: bool,
    /// What the tool's output schema says, where the tool has one.
    pub output_schema: Option<OutputSchemaValidation>,
}

/// What a tool's output schema says of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSchemaValidation {
    pub outcome: SchemaOutcome,
    /// The first thing wrong, in words.
    pub error: Option<String>,
    /// JSON pointer to the offending value.
    pub pointer: Option<String>,
    /// The keyword of the schema that is not met, such as `required`, where it is known.
    pub keyword: Option<Box<str>>,
    /// Hash of the schema's canonical text.
    pub key: u128,
}

named! {
    /// How holding a reply against its tool's schema ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SchemaOutcome {
        Valid = "valid",
        /// The reply does not conform.
        Invalid = "invalid",
        /// The reply holds no JSON to validate.
        NoJson = "no_json",
        /// The schema cannot be used.
        Uncompilable = "uncompilable",
        /// The schema could not be evaluated within its bounds.
        Undecided = "undecided",
    }
}

impl SchemaOutcome {
    /// Whether the reply is refused.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        match self {
            Self::Invalid | Self::NoJson => true,
            Self::Valid | Self::Uncompilable | Self::Undecided => false,
        }
    }
}
