//! Labelled replies with the texts that rulebooks look at.

use crate::labels::Label;
use crate::recording::Key;
use crate::rulebook::{Observing, Rulebook, Subject};
use crate::verdict::{Ground, Observed, SignalSet, Signals};

/// Labelled replies, in the corpus's order.
#[derive(Clone, Debug, Default)]
pub struct Replies {
    pub all: Vec<LabelledReply>,
    pub servers: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LabelledReply {
    /// What people say the truth is.
    pub label: Label,
    /// Who answered, as a number into [`Replies::servers`].
    pub server: u32,
    pub key: Key,
    pub file: String,
    /// The line of the recording.
    pub line: u64,
    /// What was there to be judged.
    pub ground: Ground,
    pub text: String,
    pub tool: String,
    /// The arguments, as recorded.
    pub input: String,
    pub scenario: String,
    /// The code of a JSON-RPC error.
    pub code: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asked {
    /// Of an error: did the tool refuse, or fail?
    Failed,
    /// Of a success: did it fail in silence?
    Hidden,
}

impl Asked {
    /// The label of what went wrong, and that of what did not.
    pub fn labels(self) -> [Label; 2] {
        match self {
            Self::Failed => [Label::ToolFailure, Label::BusinessLogic],
            Self::Hidden => [Label::HiddenFailure, Label::Ok],
        }
    }

    /// What is asked where this is true.
    pub fn about(label: Label) -> Self {
        match label {
            Label::BusinessLogic | Label::ToolFailure => Self::Failed,
            Label::Ok | Label::HiddenFailure => Self::Hidden,
        }
    }
}

impl LabelledReply {
    pub fn asked(&self) -> Asked {
        Asked::about(self.label)
    }

    /// What a rulebook looks at.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            text: &self.text,
            tool: &self.tool,
            input: &self.input,
            scenario: &self.scenario,
            code: &self.code,
        }
    }

    /// The signals that hold under a rulebook.
    pub fn signals(&self, rulebook: &Rulebook) -> SignalSet {
        let observe = |which| rulebook.observe(&self.subject(), which).signals;
        self.observed_as().map(observe).unwrap_or_default()
    }

    pub fn observed_as(&self) -> Option<Observing> {
        let claims_success = self.ground.claims_success();
        claims_success.map(|yes| if yes { Observing::Successes } else { Observing::Errors })
    }

    /// The label that a rulebook's verdict comes to; `None` where nothing is answered.
    pub fn answer(&self, rulebook: &Rulebook) -> Option<Label> {
        self.answer_by(rulebook, self.signals(rulebook))
    }

    /// The same, where these signals hold.
    pub fn answer_by(&self, rulebook: &Rulebook, signals: SignalSet) -> Option<Label> {
        if rulebook.judges_two_texts(self.ground) {
            return None;
        }
        Some(Label::concluded(
            &rulebook.conclude(&Observed::new(self.ground, Signals::Of(signals))),
        ))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::recording::Key;

    /// An error reply of a tool that deletes users.
    pub(in crate::tune) fn reply(text: &str) -> LabelledReply {
        LabelledReply {
            label: Label::BusinessLogic,
            server: 0,
            key: Key(0),
            file: "recording.jsonl".to_owned(),
            line: 1,
            ground: Ground::Error,
            text: text.to_owned(),
            tool: "delete_user".to_owned(),
            input: r#"{"name": "nobody"}"#.to_owned(),
            scenario: String::new(),
            code: String::new(),
        }
    }

    #[test]
    fn answers_are_those_of_the_rulebook() {
        let guide = Rulebook::builtin("guide").expect("built in");
        assert_eq!(reply("User not found").answer(&guide), Some(Label::BusinessLogic));
        assert_eq!(reply("it crashed").answer(&guide), Some(Label::ToolFailure));
        let silent = LabelledReply { ground: Ground::Content, ..reply("fine") };
        assert_eq!(silent.answer(&guide), Some(Label::Ok));
    }
}
