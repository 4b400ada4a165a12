//! Recorded text made fit for each target: it stays text there.

use crate::verdict::harmless;
use std::fmt::Write as _;

/// For one line of a terminal or a log: it acts neither on a terminal nor on a runner that reads its log.
pub(crate) fn terminal(text: &str) -> String {
    harmless(text).replace("##[", "## [").replace("##vso[", "## vso[")
}

/// A whole line of a log, which no runner takes for a command.
pub(crate) fn log_line(line: String) -> String {
    let is_command = line.trim_start().starts_with("::");
    if is_command { line.replacen("::", ": :", 1) } else { line }
}

/// For a line of Markdown: what would be markup, mention or link there is a character reference.
pub(crate) fn markdown(text: &str) -> String {
    let text = terminal(text);
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let rest = &text[at + character.len_utf8()..];
        let is_within_word = before.is_alphanumeric() && rest.starts_with(char::is_alphanumeric);
        let is_markup = match character {
            '<' | '>' | '&' | '*' | '`' | '[' | ']' | '\\' | '|' | '~' | '@' | '#' => true,
            '_' => !is_within_word,
            ':' => rest.starts_with("//"),
            '.' => out.to_ascii_lowercase().ends_with("www"),
            // At the beginning of a line they could begin a list, a heading or a quotation.
            '-' | '+' | '=' => at == 0,
            _ => false,
        };
        if is_markup {
            let _ = write!(out, "&#{};", u32::from(character));
        } else {
            out.push(character);
        }
        before = character;
    }
    out
}

/// A recording's path, where the recordings lie in a folder of the repository.
pub(crate) fn below(folder: &str, file: &str) -> String {
    match folder.trim_end_matches('/') {
        "" if folder.is_empty() => file.to_owned(),
        folder => format!("{folder}/{file}"),
    }
}

/// For what a workflow command of GitHub says.
pub(crate) fn command(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// For a property of a workflow command of GitHub.
pub(crate) fn property(text: &str) -> String {
    command(text).replace(':', "%3A").replace(',', "%2C")
}

/// For a message of SARIF, where brackets are links and braces are places.
pub(super) fn sarif(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '[' | ']' | '\\' => out.extend(['\\', character]),
            '{' | '}' => out.extend([character, character]),
            other => out.push(other),
        }
    }
    out
}

/// A path as a relative reference of a URI.
pub(super) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            other => _ = write!(out, "%{other:02X}"),
        }
    }
    out
}
