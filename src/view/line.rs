//! A line of words, some of which came from a recording.

/// Words in the order in which they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line(pub(crate) Vec<Span>);

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    /// A name or a text from a recording, a rulebook or the command line.
    Recorded,
    /// A part of recorded text at which a pattern hit.
    Hit,
    /// A command within a sentence.
    Quoted,
    /// What can be typed. A line that holds a command is never broken, so that it can be copied.
    Command,
}

impl Line {
    pub(crate) fn recorded(text: impl Into<String>) -> Self {
        Self::default().then_recorded(text)
    }

    pub(crate) fn command(text: impl Into<String>) -> Self {
        Self::default().then_command(text)
    }

    #[must_use]
    pub(crate) fn then(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Plain)
    }

    #[must_use]
    pub(crate) fn then_recorded(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Recorded)
    }

    #[must_use]
    pub(crate) fn then_command(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Command)
    }

    #[must_use]
    pub(crate) fn styled(mut self, text: impl Into<String>, style: Style) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Span { text, style });
        }
        self
    }

    #[must_use]
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has_command(&self) -> bool {
        self.0.iter().any(|span| span.style == Style::Command)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::default().then(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::default().then(text)
    }
}
