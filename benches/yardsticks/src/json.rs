//! Writing JSON in the spellings that different recorders leave behind.

use std::fmt::{Display, Write as _};

/// How a server's lines are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No space between tokens, UTF-8 as it is: what JavaScript and most loggers write.
    Compact,
    /// A space after commas and colons, non-ASCII as `\u` escapes: Python's default.
    Spaced,
}

/// Appends JSON tokens to a text and keeps track of the commas.
#[derive(Debug)]
pub struct Writer {
    /// What was written so far.
    pub text: String,
    style: Style,
    fresh: bool,
}

impl Writer {
    /// A writer with nothing written.
    #[must_use]
    pub fn new(style: Style) -> Self {
        Self { text: String::new(), style, fresh: true }
    }

    /// Forgets what was written, keeps the memory.
    pub fn restart(&mut self, style: Style) {
        self.text.clear();
        self.style = style;
        self.fresh = true;
    }

    /// The spelling in use.
    #[must_use]
    pub fn style(&self) -> Style {
        self.style
    }

    /// Opens an object or array and hands the writer to `body`.
    pub fn object(&mut self, body: impl FnOnce(&mut Self)) {
        self.nest(['{', '}'], body);
    }

    /// Opens an array and hands the writer to `body`.
    pub fn array(&mut self, body: impl FnOnce(&mut Self)) {
        self.nest(['[', ']'], body);
    }

    fn nest(&mut self, marks: [char; 2], body: impl FnOnce(&mut Self)) {
        self.separate();
        self.text.push(marks[0]);
        self.fresh = true;
        body(self);
        self.text.push(marks[1]);
        self.fresh = false;
    }

    /// Writes a member's name; its value must follow.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.text.push(':');
        if self.style == Style::Spaced {
            self.text.push(' ');
        }
        self.fresh = true;
        self
    }

    /// Writes a number, `true`, `false`, `null` or JSON text made elsewhere.
    pub fn token(&mut self, token: impl Display) {
        self.separate();
        let _ = write!(self.text, "{token}");
        self.fresh = false;
    }

    /// Writes a string.
    pub fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for character in value.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                control if control < ' ' => self.unit(control as u16),
                wide if self.style == Style::Spaced && !wide.is_ascii() => {
                    let mut units = [0; 2];
                    for unit in wide.encode_utf16(&mut units) {
                        self.unit(*unit);
                    }
                }
                plain => self.text.push(plain),
            }
        }
        self.text.push('"');
        self.fresh = false;
    }

    fn unit(&mut self, unit: u16) {
        let _ = write!(self.text, "\\u{unit:04x}");
    }

    fn separate(&mut self) {
        if !self.fresh {
            self.text.push_str(if self.style == Style::Spaced { ", " } else { "," });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(style: Style) -> String {
        let mut out = Writer::new(style);
        out.object(|out| {
            out.key("a").array(|out| {
                out.token(1);
                out.string("é\n🚀");
            });
            out.key("b").object(|_| {});
        });
        out.text
    }

    #[test]
    fn both_spellings_say_the_same() {
        assert_eq!(sample(Style::Compact), "{\"a\":[1,\"é\\n🚀\"],\"b\":{}}");
        assert_eq!(sample(Style::Spaced), r#"{"a": [1, "\u00e9\n\ud83d\ude80"], "b": {}}"#);
        let parsed = |style| serde_json::from_str::<serde_json::Value>(&sample(style)).ok();
        assert_eq!(parsed(Style::Compact), parsed(Style::Spaced));
        assert!(parsed(Style::Compact).is_some());
    }
}
