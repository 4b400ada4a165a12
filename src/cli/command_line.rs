//! Command lines as somebody would type them, for sentences that say what to do next.

use std::ffi::OsStr;
use std::fmt;

/// A command with its arguments, or arguments alone; words are quoted where a shell needs that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandLine(String);

impl CommandLine {
    /// Begins with the words of a command, as they are.
    pub(super) fn new(command: &str) -> Self {
        Self(command.to_owned())
    }

    pub(super) fn word(mut self, word: impl AsRef<OsStr>) -> Self {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(&typed(word));
        self
    }

    pub(super) fn words(self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        words.into_iter().fold(self, Self::word)
    }

    /// Adds a flag before each of its values.
    pub(super) fn flag(
        self,
        name: &str,
        values: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Self {
        values.into_iter().fold(self, |line, value| line.word(name).word(value))
    }

    pub(super) fn switch(self, name: &str, is_on: bool) -> Self {
        if is_on { self.word(name) } else { self }
    }

    pub(super) fn then(mut self, other: &Self) -> Self {
        if !self.0.is_empty() && !other.0.is_empty() {
            self.0.push(' ');
        }
        self.0.push_str(&other.0);
        self
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A word of a command line, quoted where a shell would take it for more than that.
pub(super) fn typed(word: impl AsRef<OsStr>) -> String {
    crate::verdict::typed(&word.as_ref().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        let options = CommandLine::default().flag("--set", ["a=1", "b = 2"]);
        let line = CommandLine::new("tapecheck diff").word("it's").words([""]).then(&options);
        let line = line.switch("--partial", true).switch("--all", false);
        let typed = r"tapecheck diff 'it'\''s' '' --set a=1 --set 'b = 2' --partial";
        assert_eq!(line.to_string(), typed);
        assert_eq!(CommandLine::default().then(&options), options);
    }
}
