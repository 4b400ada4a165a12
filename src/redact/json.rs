//! Masking lines of JSON that have to stay JSON.

use super::Redactor;
use crate::json::{Kind, Raw, RawStr, scan_document};
use serde_json::Value;
use std::borrow::Cow;

/// Secrets of earlier texts that are masked in later ones.
const MOST_LEARNED: usize = 100;

impl Redactor {
    /// A line without secrets, which is JSON as before.
    pub fn mask_json<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let whole = self.mask(line);
        if matches!(whole, Cow::Borrowed(_)) || scan_document(&whole, usize::MAX).is_ok() {
            return whole;
        }
        let mut out = String::new();
        if let Ok(line) = scan_document(line, usize::MAX) {
            write_masked(line, self, &mut out);
        }
        Cow::Owned(out)
    }

    /// Masks from now on what is a secret in this text, wherever it stands: later texts may quote it.
    pub fn learn(&mut self, text: &str) {
        let Cow::Owned(Self { known, .. }) = self.knowing(text) else { return };
        let news: Vec<_> = known.into_iter().filter(|it| !self.known.contains(it)).collect();
        self.known.extend(news);
        let most = self.known.len().saturating_sub(MOST_LEARNED);
        self.known.drain(..most);
    }
}

fn write_masked(value: Raw<'_>, redactor: &Redactor, out: &mut String) {
    let text =
        |text: RawStr<'_>| Value::from(redactor.mask(&text.decode()).into_owned()).to_string();
    match value.kind() {
        Kind::Null | Kind::Bool | Kind::Number => out.push_str(value.text()),
        Kind::String => out.push_str(&value.as_str().map(text).unwrap_or_default()),
        Kind::Array => {
            out.push('[');
            for (at, element) in value.elements().unwrap_or_default().into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_masked(element, redactor, out);
            }
            out.push(']');
        }
        Kind::Object => {
            out.push('{');
            for (at, (name, member)) in value.members().unwrap_or_default().into_iter().enumerate()
            {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&text(name));
                out.push(':');
                write_masked(member, redactor, out);
            }
            out.push('}');
        }
    }
}
