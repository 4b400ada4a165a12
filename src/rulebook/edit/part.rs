//! What can be different between two rulebooks.

/// One difference between two rulebooks that can change a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub part: Part,
    /// Whose: the name of a list, a signal, a factor, a line, an outcome; the section's where it has
    /// no named things.
    pub of: String,
    /// Which entry or which setting of it; empty where it is the whole.
    pub key: String,
    /// How it was, in words; `None` where it was not there.
    pub before: Option<String>,
    /// How it is, in words; `None` where it is no longer there.
    pub after: Option<String>,
}

/// What an edit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// An entry of a list with a name.
    Entry,
    /// An entry of the texts that stand right in a signal.
    OwnEntry,
    Matching,
    Regex,
    /// One of the parts of a signal's definition.
    Question,
    Definition,
    Signal,
    /// A factor: whether it is there, and which signal it weighs.
    Factor,
    Weight,
    Score,
    Line,
    LinePlace,
    LineCondition,
    Threshold,
    /// What a decision line answers, where it is not a threshold before and after.
    Answer,
    ErrorKind,
    ErrorKindPlace,
    ErrorKindCondition,
    HiddenFailure,
    Unreachable,
    /// What an error means, and when the question is asked.
    Errors,
    Ending,
    Text,
    Metadata,
    Schema,
    Criterion,
}

/// What it takes to know what an edit does to an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The hits tell: it adds or takes away a pattern.
    Hits,
    /// The hits tell, once the signals are compiled with the edit put back.
    Signals,
    /// The signals tell, once what is decided by them is compiled with the edit put back.
    Decision,
    /// Nothing is decided by it; only which signals are told.
    Telling,
    /// The reply's text has to be looked at again.
    Text,
    /// The reply has to be held against its schema again.
    Schema,
    /// The exchange has to be held against the criteria again.
    Criteria,
}

impl Edit {
    pub fn reach(&self) -> Reach {
        match self.part {
            Part::Entry | Part::OwnEntry => Reach::Hits,
            Part::Matching | Part::Regex | Part::Question | Part::Definition => Reach::Signals,
            Part::Factor
            | Part::Weight
            | Part::Score
            | Part::Line
            | Part::LinePlace
            | Part::LineCondition
            | Part::Threshold
            | Part::Answer
            | Part::ErrorKind
            | Part::ErrorKindPlace
            | Part::ErrorKindCondition
            | Part::HiddenFailure
            | Part::Unreachable
            | Part::Errors
            | Part::Ending => Reach::Decision,
            Part::Signal => Reach::Telling,
            Part::Text => Reach::Text,
            Part::Metadata | Part::Schema => Reach::Schema,
            Part::Criterion => Reach::Criteria,
        }
    }
}
