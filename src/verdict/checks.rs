//! What checks came to.

named! {
    /// The checks beside the response validation, in the order in which they are made.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CheckKind {
        Envelope = "envelope",
        JudgeResult = "judge_result",
        SessionReport = "session_report",
        Contract = "contract",
        Facts = "facts",
        /// Criteria of rulebooks, contracts and files.
        Criteria = "criteria",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckResult {
    Passed,
    /// It found at least one error.
    Failed,
    NotApplied(NotApplied),
}

/// Why a check was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotApplied {
    /// The exchange is of another kind, or holds nothing of the kind.
    OtherKind,
    /// No contract, no facts or no criteria apply to it.
    NothingGiven,
    /// The reply is an error, of which this is not asked.
    ErrorReply,
    /// There is no JSON object to look at.
    NoObject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckResults(pub [CheckResult; CheckKind::ALL.len()]);

impl CheckResults {
    pub fn made(&self) -> impl Iterator<Item = CheckKind> + '_ {
        let results = CheckKind::ALL.into_iter().zip(&self.0);
        results.filter_map(|(check, result)| match result {
            CheckResult::Passed | CheckResult::Failed => Some(check),
            CheckResult::NotApplied(_) => None,
        })
    }
}
