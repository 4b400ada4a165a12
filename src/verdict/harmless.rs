//! Recorded text, made fit to be read by people.

use std::fmt::Write as _;

/// Recorded text made harmless: control and direction-changing characters are spelled out.
#[must_use]
pub fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push('⏎'),
            '\t' => out.push(' '),
            c if is_steering(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character acts on the terminal, or reorders or hides the text around it.
#[must_use]
pub fn is_steering(character: char) -> bool {
    character.is_control() || matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_text_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31mb\nc\u{202e}d"), "a\\u{1b}[31mb⏎c\\u{202e}d");
    }
}
