//! What was said of exchanges, without saying of which.

use super::{Answer, Standing};
use crate::tape::{ExchangeKind, Key, KeyName, ReplyKind};
use crate::verdict::{Classification, Ground, SchemaOutcome};

/// A verdict without its exchange. Sides hold each different one once.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// What the exchange is.
    pub kind: ExchangeKind,
    /// What came back.
    pub reply: ReplyKind,
    /// What was there to be judged; `None` where the side does not tell.
    pub ground: Option<Ground>,
    /// The code of a JSON-RPC error.
    pub error_code: Option<String>,
    /// The class.
    pub class: Classification,
    /// How confident the class is, 0 to 100.
    pub confidence: f64,
    /// Whether the reply indicates a working tool.
    pub is_valid: bool,
    /// Whether the reply is an error.
    pub is_error: bool,
    /// The answer to "business logic?"; `None` where the question did not arise.
    pub business_logic: Option<bool>,
    /// Whether a reply that claims success says that it failed; `None` where nobody asked.
    pub hidden_failure: Option<bool>,
    /// The weighted share of the factors present.
    pub score: Option<f64>,
    /// What the score was held against.
    pub threshold: Option<f64>,
    /// The decision line that answered.
    pub decided_by: Option<String>,
    /// The kind of error.
    pub error_kind: Option<String>,
    /// The facts that hold, in the rulebook's order.
    pub facts: Vec<String>,
    /// The patterns that hit, by their names, in the rulebook's order; `None` where the side does not
    /// tell.
    pub hits: Option<Vec<String>>,
    /// `severity type` of every issue, sorted; one that there are several of stands several times.
    pub issues: Vec<String>,
    /// What the tool's output schema says, where there is one.
    pub schema: Option<SchemaSaid>,
    /// The criteria that are met and those that are not.
    pub criteria: [Vec<String>; 2],
    /// A few exchanges of which this was said, with the text that was judged; each of another server
    /// where there are several.
    pub excerpts: Vec<Excerpt>,
}

/// What an output schema says of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaSaid {
    /// How it ended.
    pub outcome: SchemaOutcome,
    /// Hash of the schema's canonical text; `None` where the side does not tell.
    pub key: Option<Key>,
    /// The keyword that was not met, such as `required`.
    pub keyword: Option<String>,
}

/// The judged text of an exchange, cut to what is worth showing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The exchange.
    pub key: KeyName,
    /// Who answered.
    pub server: String,
    /// The tool that was called.
    pub tool: String,
    /// The tape.
    pub file: String,
    /// The line of the tape.
    pub line: u64,
    /// The text.
    pub text: String,
    /// Where patterns hit in it.
    pub spans: Vec<Span>,
}

/// A place in a text where a pattern hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The pattern's name.
    pub pattern: String,
}

impl Said {
    /// The class and the answer: what flips.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let answer = match (self.hidden_failure, self.business_logic) {
            (Some(true), _) => Answer::HiddenFailure,
            (_, Some(true)) => Answer::BusinessLogic,
            (_, Some(false)) => Answer::ToolFailure,
            (_, None) => Answer::NotAsked,
        };
        Standing { class: self.class, answer }
    }
}
