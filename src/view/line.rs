//! A line of words, some of which came from a recording.

/// Words in the order in which they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line(pub(crate) Vec<Span>);

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
    /// The place on a page that it leads to; empty where it leads nowhere.
    pub(crate) to: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    /// What matters less than the words around it.
    Soft,
    /// A word that marks what stands beside it.
    Tag(Tone),
    /// A name or a text from a recording, a rulebook or the command line.
    Recorded,
    /// The key of an exchange.
    Key,
    /// A part of recorded text at which a pattern hit.
    Hit,
    /// A command within a sentence.
    Quoted,
    /// What can be typed. A line that holds a command is never broken, so that it can be copied.
    Command,
}

/// What something means to whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Better,
    Worse,
    Neutral,
}

impl Line {
    pub(crate) fn link(text: impl Into<String>, to: impl Into<String>) -> Self {
        Self::default().then_link(text, to)
    }

    pub(crate) fn recorded(text: impl Into<String>) -> Self {
        Self::default().then_recorded(text)
    }

    pub(crate) fn command(text: impl Into<String>) -> Self {
        Self::default().then_command(text)
    }

    pub(crate) fn then(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Plain)
    }

    pub(crate) fn then_recorded(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Recorded)
    }

    pub(crate) fn then_command(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Command)
    }

    pub(crate) fn then_soft(self, text: impl Into<String>) -> Self {
        self.styled(text, Style::Soft)
    }

    pub(crate) fn then_link(self, text: impl Into<String>, to: impl Into<String>) -> Self {
        self.span(text.into(), Style::Recorded, to.into())
    }

    pub(crate) fn styled(self, text: impl Into<String>, style: Style) -> Self {
        self.span(text.into(), style, String::new())
    }

    fn span(mut self, text: String, style: Style, to: String) -> Self {
        if !text.is_empty() {
            self.0.push(Span { text, style, to });
        }
        self
    }

    /// The same words, none of which stands out.
    pub(super) fn without_weight(mut self) -> Self {
        for span in &mut self.0 {
            if matches!(span.style, Style::Strong | Style::Tag(_)) {
                span.style = Style::Plain;
            }
        }
        self
    }

    pub(crate) fn plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

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
