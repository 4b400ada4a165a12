//! Values as Python prints them (`repr`, and the `str` of pydantic models), as JSON.

use super::texts::quoted;
use crate::json::{scan_document, write_escaped};

/// So many levels of nesting are read.
const MOST_DEPTH: usize = 100;

/// What Python printed, as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) json: String,
    /// The text stopped before the value did. What was open is closed, and a member without a value is left out.
    pub(super) is_cut: bool,
}

/// Reads dicts, lists, tuples, sets, strings, numbers, and calls of constructors: their named arguments become an
/// object, a single argument stands for itself. JSON is read as well, so that a part of it can be. Nothing where the
/// text is something else.
pub(super) fn to_json(text: &str) -> Option<Printed> {
    let mut reader =
        Reader { rest: text.trim(), out: String::with_capacity(text.len()), is_cut: false };
    if reader.name_of_argument().is_some() {
        // The fields of a model, as its `str` has them.
        reader.group(None, 0)?;
    } else {
        reader.value(0)?;
    }
    reader.space();
    reader.rest.is_empty().then_some(Printed { json: reader.out, is_cut: reader.is_cut })
}

struct Reader<'a> {
    rest: &'a str,
    out: String,
    is_cut: bool,
}

/// What the first argument of a call, or the first element between braces, shows of all.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Unknown,
    Object,
    List,
}

impl<'a> Reader<'a> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, expected: char) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// The text ends where more was to follow.
    fn ends(&mut self) -> bool {
        self.space();
        self.is_cut |= self.rest.is_empty();
        self.rest.is_empty()
    }

    /// Takes a name, which may have dots.
    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// The name before an equals sign.
    fn name_of_argument(&self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let (name, rest) = self.rest.split_at(end);
        (end > 0 && rest.starts_with('=') && !rest.starts_with("==")).then_some(name)
    }

    fn comma(&mut self) {
        if !self.out.ends_with(['[', '{']) {
            self.out.push(',');
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        if self.ends() {
            self.out.push_str("null");
            return Some(());
        }
        match self.rest.chars().next()? {
            '[' => self.list(']', depth),
            '(' => self.list(')', depth),
            '{' => {
                self.take('{');
                self.group(Some('}'), depth)
            }
            quote @ ('\'' | '"') => {
                self.take(quote);
                self.string(quote)
            }
            '<' => self.angles(depth),
            '-' | '0'..='9' => {
                self.number();
                Some(())
            }
            first if first.is_alphabetic() || first == '_' => self.named(depth),
            _ => None,
        }
    }

    /// Takes what stands between commas up to a bracket, or without commas up to the end.
    fn items(
        &mut self,
        close: Option<char>,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        let Some(close) = close else {
            while !self.rest.is_empty() {
                item(self)?;
                self.space();
            }
            return Some(());
        };
        while !self.ends() && !self.take(close) {
            item(self)?;
            self.space();
            if self.take(close) {
                break;
            }
            if !self.take(',') && !self.rest.is_empty() {
                return None;
            }
        }
        Some(())
    }

    fn list(&mut self, close: char, depth: usize) -> Option<()> {
        self.rest = self.rest.get(1..)?;
        self.out.push('[');
        self.items(Some(close), |reader| {
            reader.comma();
            reader.value(depth + 1)
        })?;
        self.out.push(']');
        Some(())
    }

    /// A dict, a set, or the arguments of a call: members and named arguments become an object, other values a list. A
    /// single argument stands for itself.
    fn group(&mut self, close: Option<char>, depth: usize) -> Option<()> {
        let is_call = close == Some(')');
        let start = self.out.len();
        self.out.push('{');
        let (mut shape, mut count) = (Shape::Unknown, 0);
        self.items(close, |reader| {
            let before = reader.out.len();
            reader.comma();
            let at = reader.out.len();
            let name = reader.name_of_argument().filter(|_| close != Some('}'));
            if let Some(name) = name {
                reader.rest = reader.rest.get(name.len() + 1..)?;
                reader.out.push_str(&quoted(name));
            } else if close.is_none() {
                // The text ends in a name.
                reader.word();
                reader.out.truncate(before);
                return reader.ends().then_some(());
            } else {
                reader.value(depth + 1)?;
                reader.space();
            }
            if name.is_some() || !is_call && reader.take(':') {
                // A list has no names.
                if shape == Shape::List {
                    name?;
                    count += 1;
                    reader.out.truncate(at);
                    return reader.value(depth + 1);
                }
                shape = Shape::Object;
                if reader.ends() {
                    reader.out.truncate(before);
                    return Some(());
                }
                let key = reader.out.get(at..)?;
                if !key.starts_with('"') {
                    let key = quoted(key);
                    reader.out.replace_range(at.., &key);
                }
                reader.out.push(':');
                return reader.value(depth + 1);
            }
            let is_key = shape == Shape::Object || shape == Shape::Unknown && !is_call;
            if is_key && reader.rest.is_empty() {
                // The text ends in a key or a name.
                reader.is_cut = true;
                reader.out.truncate(before);
                return Some(());
            }
            count += 1;
            let is_list = shape != Shape::Object;
            shape = Shape::List;
            is_list.then_some(())
        })?;
        match shape {
            Shape::List if is_call && count == 1 => _ = self.out.remove(start),
            Shape::List => {
                self.out.replace_range(start..=start, "[");
                self.out.push(']');
            }
            Shape::Unknown | Shape::Object => self.out.push('}'),
        }
        Some(())
    }

    /// A constant, a string with a prefix, or a call of a constructor.
    fn named(&mut self, depth: usize) -> Option<()> {
        let word = self.word();
        let is_prefix = word.len() <= 2 && word.bytes().all(|letter| b"bBrRuU".contains(&letter));
        for quote in ['\'', '"'] {
            if is_prefix && self.take(quote) {
                return self.string(quote);
            }
        }
        if self.take('(') {
            return self.group(Some(')'), depth);
        }
        match word {
            "None" | "null" | "nan" | "NaN" | "inf" | "Infinity" | "Ellipsis" => {
                self.out.push_str("null");
            }
            "True" | "true" => self.out.push_str("true"),
            "False" | "false" => self.out.push_str("false"),
            _ if self.rest.is_empty() => {
                self.is_cut = true;
                self.out.push_str("null");
            }
            other => self.out.push_str(&quoted(other)),
        }
        Some(())
    }

    /// `<Role.USER: 'user'>`, or an object that has no other form.
    fn angles(&mut self, depth: usize) -> Option<()> {
        self.rest = self.rest.get(1..)?;
        let inside = self.rest;
        self.word();
        if self.take(':') {
            self.value(depth + 1)?;
            return (self.ends() || self.take('>')).then_some(());
        }
        let (text, rest) = inside.split_once('>').unwrap_or_else(|| {
            self.is_cut = true;
            (inside, "")
        });
        self.out.push_str(&quoted(text));
        self.rest = rest;
        Some(())
    }

    fn number(&mut self) {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_')));
        let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if scan_document(number, 1).is_ok() {
            self.out.push_str(number);
        } else if matches!(number, "-inf" | "-Infinity") || rest.is_empty() {
            self.is_cut |= rest.is_empty();
            self.out.push_str("null");
        } else {
            self.out.push_str(&quoted(number));
        }
    }

    /// The rest of a string.
    fn string(&mut self, quote: char) -> Option<()> {
        self.out.push('"');
        loop {
            let Some(end) = self.rest.find([quote, '\\']) else {
                self.plain(self.rest);
                self.rest = "";
                self.is_cut = true;
                break;
            };
            let (plain, rest) = self.rest.split_at(end);
            self.plain(plain);
            self.rest = rest;
            if self.take(quote) {
                break;
            }
            self.rest = self.rest.get(1..)?;
            self.escape()?;
        }
        self.out.push('"');
        Some(())
    }

    fn plain(&mut self, text: &str) {
        text.chars().for_each(|c| write_escaped(c, &mut self.out));
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<()> {
        let Some(letter) = self.rest.chars().next() else {
            self.is_cut = true;
            return Some(());
        };
        self.rest = self.rest.get(letter.len_utf8()..)?;
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digits > 0 {
            return self.code(digits);
        }
        let character = match letter {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '\\' | '\'' | '"' | '/' => letter,
            other => {
                write_escaped('\\', &mut self.out);
                other
            }
        };
        write_escaped(character, &mut self.out);
        Some(())
    }

    /// A character by its number.
    fn code(&mut self, digits: usize) -> Option<()> {
        let Some(hex) = self.rest.get(..digits) else {
            let rest = std::mem::take(&mut self.rest);
            self.is_cut = true;
            return rest.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(());
        };
        self.rest = self.rest.get(digits..)?;
        if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let code = u32::from_str_radix(hex, 16).ok()?;
        match char::from_u32(code) {
            Some(character) => write_escaped(character, &mut self.out),
            // Half of a pair, which only JSON can hold.
            None if digits == 4 => {
                self.out.push_str("\\u");
                self.out.push_str(hex);
            }
            None => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn values_become_json_and_may_stop_anywhere() {
        let printed = |text: &str| {
            let printed = to_json(text)?;
            assert!(scan_document(&printed.json, 100).is_ok(), "{} of {text}", printed.json);
            Some(printed.json + if printed.is_cut { " (cut)" } else { "" })
        };
        cases::check("tests/cases/python.txt", |case| {
            let ends = (0..case.text.len()).filter(|end| case.text.is_char_boundary(*end));
            ends.for_each(|end| drop(printed(&case.text[..end])));
            printed(&case.text).unwrap_or_else(|| "no value".to_owned())
        });
        for deep in ["[", "{'a':", "f(", "f(a=", "<a:", "{{"] {
            assert_eq!(printed(&deep.repeat(100_000)), None, "{deep}");
        }
    }
}
