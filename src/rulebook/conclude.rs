//! From what was observed to a conclusion: the one place that decides, for the judge as for everybody who
//! has the signals and not the reply.

use super::{Confidence, IssueWording, Observing, Question, Rulebook};
use crate::verdict::{
    Answer, Conclusion, Ending, ErrorIn, Fate, Ground, Issue, IssueType, Judgement, Observed,
    Outcome, Raised, SchemaOutcome, Severity, SignalSet, Signals,
};

impl Rulebook {
    pub fn conclude(&self, observed: &Observed) -> Conclusion {
        let Observed { ground: found, fate, schema, signals, errors, stated } = *observed;
        let ground = self.taken_for(found);
        let asks_success = self.errors.question == Question::All && !ground.is_error();
        let mut on_success = (asks_success && self.observes(ground).is_some())
            .then(|| self.decide(signals.of_question()));
        let of = |hides: Option<bool>| hides.map_or(Answer::NotAsked, |_| Answer::Fine);
        let (ending, decided, answer) = match ground {
            Ground::Error | Ground::SilentError => {
                let signals = signals.of_question();
                let decided = self.decide(signals);
                let refused = decided.business_logic;
                let answer = if refused { Answer::BusinessLogic } else { Answer::ToolFailure };
                let ending = self.end_of_error(ground, refused, signals);
                (ending, Some(decided), answer)
            }
            Ground::Content | Ground::MalformedContent => {
                let hides = self.look_for_hidden_failure(signals);
                if self.errors.question == Question::Failures && hides == Some(true) {
                    on_success = Some(self.decide(signals.of_question()));
                }
                let refused = on_success.is_some_and(|decided| decided.business_logic);
                let (ending, answer) = match (hides, schema) {
                    (Some(true), _) if refused => (Ending::HiddenRefusal, Answer::HiddenRefusal),
                    (Some(true), _) => (Ending::HiddenFailure, Answer::HiddenFailure),
                    (_, Some(schema)) if schema.is_refusal() => (Ending::SchemaFailed, of(hides)),
                    (_, _) if found == Ground::EmptyContent => (Ending::EmptyContent, of(hides)),
                    (_, _) => (Ending::Ok, of(hides)),
                };
                (ending, on_success, answer)
            }
            Ground::NoContent => (Ending::NoContent, on_success, Answer::NotAsked),
            Ground::EmptyContent | Ground::StructuredContent | Ground::NoArray => {
                (Ending::EmptyContent, on_success, Answer::NotAsked)
            }
            Ground::Malformed => (Ending::Malformed, None, Answer::NotAsked),
            Ground::NoReply => (Ending::NoReply, None, Answer::NotAsked),
            Ground::Document => match errors {
                ErrorIn::Nothing => (Ending::DocumentAccepted, None, Answer::NotAsked),
                ErrorIn::Other | ErrorIn::Reply => {
                    (Ending::DocumentRefused, None, Answer::NotAsked)
                }
            },
        };
        let meaning = self.meaning(ending);
        let confidence = match meaning.confidence {
            Confidence::Fixed(confidence) => confidence,
            Confidence::Score => decided.map_or(0.0, |decided| decided.weighing.score * 100.0),
        };
        // Where it is not known what became of a call, nothing is said against the server.
        let issue = meaning.issue.as_ref().filter(|_| fate.is_settled());
        let outcome = Outcome::of(fate, ground, answer, schema, errors);
        let weighing = decided.map(|decided| decided.weighing);
        let certainty = match (outcome, signals) {
            (Outcome::Worked | Outcome::Refused | Outcome::Failed, Signals::Of(signals)) => {
                self.certainty_of(answer, weighing, signals)
            }
            // Of two texts, and of what something else decided, no line says anything.
            (_, _) => None,
        };
        let error_kind = match outcome {
            _ if ground == Ground::Document => None,
            Outcome::Worked | Outcome::Unknown | Outcome::NotSent => None,
            Outcome::Refused => self.error_kind(ending, signals, true),
            Outcome::Failed => self.error_kind(ending, signals, false),
            Outcome::Invalid => self.kind_of(ending).or_else(|| self.kind_of(Ending::SchemaFailed)),
        };
        Conclusion {
            ending,
            judgement: Judgement { outcome, class: meaning.classification, answer },
            confidence: stated.unwrap_or(confidence),
            is_valid: meaning.is_valid,
            success_answer: on_success.map(|decided| decided.business_logic),
            weighing,
            certainty,
            error_kind,
            who: error_kind.and_then(|at| Some(self.error_kinds.get(usize::from(at))?.who)),
            ending_issue: issue.map(|wording| wording.raised(ending, schema)),
            flag_issue: flag_issue(fate, answer),
            content_issue: content_issue(ground, outcome),
            schema_issue: schema_issue(ground, schema),
        }
    }

    /// What a reply is judged as: an empty array answers where the rulebook says that it indicates a working
    /// tool, and then what stands beside it counts.
    pub(crate) fn taken_for(&self, ground: Ground) -> Ground {
        match (ground, self.meaning(Ending::EmptyContent).is_valid) {
            (Ground::EmptyContent | Ground::StructuredContent, true) => Ground::Content,
            (Ground::NoArray, true) => Ground::NoContent,
            (_, true | false) => ground,
        }
    }

    fn end_of_error(&self, ground: Ground, refused: bool, signals: SignalSet) -> Ending {
        match (ground, refused) {
            _ if !self.errors.judged => Ending::Responded,
            (Ground::SilentError, _) => Ending::SilentError,
            (_, true) => Ending::BusinessLogic,
            (_, false) if self.errors.unreachable.as_ref().is_some_and(|it| it.holds(signals)) => {
                Ending::Unreachable
            }
            (_, false) => Ending::Failure,
        }
    }

    fn look_for_hidden_failure(&self, signals: Signals) -> Option<bool> {
        let condition = self.hidden_failure.as_ref()?;
        Some(match signals {
            Signals::Of(signals) | Signals::OfBoth { hidden: signals, .. } => {
                condition.holds(signals)
            }
            Signals::OfFirst { hides_failure, .. } => hides_failure,
        })
    }

    /// The first kind of refusal or failure that what was found makes, as an index into the rulebook's.
    fn error_kind(&self, ending: Ending, signals: Signals, refused: bool) -> Option<u16> {
        let signals = match (self.kind_of(ending), signals) {
            (Some(kind), _) => return Some(kind),
            (_, Signals::OfFirst { error_kind, .. }) => return error_kind,
            (_, Signals::Of(signals) | Signals::OfBoth { hidden: signals, .. }) => signals,
        };
        let at = self.error_kinds.iter().position(|kind| {
            kind.of_refusals.is_none_or(|of| of == refused) && kind.condition.holds(signals)
        })?;
        u16::try_from(at).ok()
    }

    /// The kind of error of all calls that end so.
    fn kind_of(&self, ending: Ending) -> Option<u16> {
        let at = self.error_kinds.iter().position(|kind| kind.endings.contains(&ending))?;
        u16::try_from(at).ok()
    }

    /// Whether a text that was observed as a success's has to be asked what errors are asked too.
    pub(crate) fn asks_on(&self, observed_as: Option<Observing>, signals: SignalSet) -> bool {
        observed_as == Some(Observing::Successes)
            && self.errors.question == Question::Failures
            && self.hidden_failure.as_ref().is_some_and(|it| it.holds(signals))
    }

    /// As what a reply was observed of which it is known whether it hides a failure.
    pub(crate) fn observed_as(&self, ground: Ground, hides: Option<bool>) -> Option<Observing> {
        let asks_on = self.taken_for(ground).has_content()
            && self.errors.question == Question::Failures
            && hides == Some(true);
        if asks_on { Some(Observing::HiddenFailures) } else { self.observes(ground) }
    }

    /// The signals that were looked for in a reply.
    pub fn looked_for(&self, ground: Ground, hides: Option<bool>) -> SignalSet {
        self.observed_signals(self.observed_as(ground, hides).unwrap_or(Observing::Successes))
    }

    /// For which kind of reply signals are observed on what is there to be judged; `None` where nothing is
    /// looked for.
    pub fn observes(&self, ground: Ground) -> Option<Observing> {
        let of_every_reply = self.errors.question == Question::All;
        let is_observed = match self.taken_for(ground) {
            Ground::Error | Ground::SilentError => return Some(Observing::Errors),
            Ground::Content | Ground::MalformedContent => {
                of_every_reply || self.hidden_failure.is_some()
            }
            Ground::NoContent
            | Ground::EmptyContent
            | Ground::StructuredContent
            | Ground::NoArray => of_every_reply,
            Ground::Malformed | Ground::NoReply | Ground::Document => false,
        };
        is_observed.then_some(Observing::Successes)
    }

    /// Whether two texts of such a reply are judged, one for the question and one for a hidden failure.
    pub(crate) fn judges_two_texts(&self, ground: Ground) -> bool {
        self.taken_for(ground).has_content()
            && self.hidden_failure.is_some()
            && self.errors.question == Question::All
    }
}

/// The issue about a reply that reports a failure or a refusal without `isError`.
fn flag_issue(fate: Fate, answer: Answer) -> Option<Raised> {
    let is_hidden = fate.is_settled() && answer.hidden_failure() == Some(true);
    let (severity, kind) = (Severity::Warning, IssueType::ErrorNotFlagged);
    is_hidden.then_some(Raised { severity, kind })
}

/// What makes a reply invalid of which the rulebook counts other blocks.
fn content_issue(ground: Ground, outcome: Outcome) -> Option<Raised> {
    let is_at_fault = ground == Ground::MalformedContent && outcome == Outcome::Invalid;
    is_at_fault.then_some(Raised { severity: Severity::Error, kind: IssueType::MalformedContent })
}

/// The issue about an output schema of which nobody knows whether the reply meets it.
fn schema_issue(ground: Ground, schema: Option<SchemaOutcome>) -> Option<Raised> {
    let (severity, kind) = match schema.filter(|_| ground.claims_success() == Some(true))? {
        SchemaOutcome::Uncompilable => (Severity::Warning, IssueType::SchemaUncompilable),
        SchemaOutcome::Undecided => (Severity::Info, IssueType::SchemaUndecided),
        SchemaOutcome::Valid | SchemaOutcome::Invalid | SchemaOutcome::NoJson => return None,
    };
    Some(Raised { severity, kind })
}

impl IssueWording {
    /// Stands in a message for the reply's own words, or for what a schema complains of.
    pub(crate) const QUOTED: &str = "{error}";

    fn raised(&self, ending: Ending, schema: Option<SchemaOutcome>) -> Raised {
        let kind = match (ending, schema) {
            (Ending::SchemaFailed, Some(SchemaOutcome::NoJson)) => IssueType::NoStructuredOutput,
            _ => self.kind,
        };
        Raised { severity: self.severity, kind }
    }

    pub fn issue(&self, Raised { severity, kind }: Raised, quoted: &str) -> Issue {
        let quoted = quoted.trim();
        let mut message = String::with_capacity(self.message.len() + quoted.len());
        for (at, piece) in self.message.split('{').enumerate() {
            match piece.strip_prefix("error}") {
                Some(piece) if at > 0 => {
                    // What leads to the quotation is left out with it.
                    if quoted.is_empty() {
                        message.truncate(message.trim_end_matches(": ").len());
                    }
                    message.extend([quoted, piece]);
                }
                _ => message.extend([if at > 0 { "{" } else { "" }, piece]),
            }
        }
        Issue {
            severity,
            kind,
            side: kind.side(),
            message: Issue::cut(message),
            location: None,
            suggestion: self.suggestion.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_quotes_the_reply_at_each_of_its_placeholders() {
        let (severity, kind) = (Severity::Error, IssueType::ToolFailure);
        let message = "It {failed} with {error}, so: {error}".to_owned();
        let wording = IssueWording { severity, kind, message, suggestion: None };
        let told = ["E1 ", ""].map(|it| wording.issue(Raised { severity, kind }, it).message);
        assert_eq!(told, ["It {failed} with E1, so: E1", "It {failed} with , so"]);
    }
}
