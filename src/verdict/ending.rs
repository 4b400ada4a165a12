//! The ways in which a call can end.

/// The ways in which a call can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// A reply with content that conforms.
    Ok,
    /// A reply with content that its schema refuses.
    SchemaFailed,
    /// An error reply, where errors are not judged.
    Responded,
    /// An error reply judged to be business logic.
    BusinessLogic,
    /// An error reply judged to be a failure of the tool.
    Failure,
    /// An error reply that says something behind the tool is unreachable.
    Unreachable,
    /// An error reply that says nothing at all, where errors are judged.
    SilentError,
    /// A reply that claims success and says that it failed.
    HiddenFailure,
    /// A reply that claims success and says that it refused.
    HiddenRefusal,
    NoContent,
    /// A reply whose content is empty or no array.
    EmptyContent,
    /// A reply that is not even an object.
    Malformed,
    NoReply,
    /// An exchange of another kind than a tool call, in which no check found an error.
    DocumentAccepted,
    /// An exchange of another kind than a tool call, in which a check found an error.
    DocumentRefused,
}

impl Ending {
    /// All of them, with their names in rulebooks.
    pub const ALL: [(Self, &'static str); 15] = [
        (Self::Ok, "ok"),
        (Self::SchemaFailed, "schema_failed"),
        (Self::Responded, "responded"),
        (Self::BusinessLogic, "business_logic"),
        (Self::Failure, "failure"),
        (Self::Unreachable, "unreachable"),
        (Self::SilentError, "silent_error"),
        (Self::HiddenFailure, "hidden_failure"),
        (Self::HiddenRefusal, "hidden_refusal"),
        (Self::NoContent, "no_content"),
        (Self::EmptyContent, "empty_content"),
        (Self::Malformed, "malformed"),
        (Self::NoReply, "no_reply"),
        (Self::DocumentAccepted, "document_accepted"),
        (Self::DocumentRefused, "document_refused"),
    ];
}
