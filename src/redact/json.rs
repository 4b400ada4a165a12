//! Masking lines of JSON that have to stay JSON.

use super::{Masked, Redactor};
use crate::json::Scanner;
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// Secrets of earlier texts that are masked in later ones.
const MOST_LEARNED: usize = 100;

impl Redactor {
    /// A line without secrets, which is JSON as before: a number becomes another one, in a list each element is masked.
    pub fn mask_json<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let found = self.found_in(line);
        if found.is_empty() {
            return Cow::Borrowed(line);
        }
        let (mut out, mut done, mut at) = (String::with_capacity(line.len()), 0, 0);
        let is_of_number = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        while let Some(byte) = line.as_bytes().get(at) {
            let (text, start) = match byte {
                b'"' => (Scanner::trusted(&line[at..]).string().ok(), at + 1),
                b'-' | b'0'..=b'9' => (None, at),
                _ => {
                    at += 1;
                    continue;
                }
            };
            let digits = || line.as_bytes()[start..].iter().take_while(is_of_number).count();
            let end = start + text.map_or_else(digits, |text| text.escaped_text().len());
            at = end + usize::from(text.is_some());
            let first = found.partition_point(|(range, _)| range.end <= start);
            let inside = found[first..].iter().take_while(|(range, _)| range.start < end);
            let inside = inside.map(|(range, word)| {
                (range.start.max(start) - start..range.end.min(end) - start, word.clone())
            });
            let (own, inside) = (&line[start..end], inside.collect::<Vec<_>>());
            let Some((_, word)) = inside.first() else { continue };
            out.push_str(&line[done..start]);
            done = end;
            if text.is_none() {
                out.push_str(&(xxh3_64(own.as_bytes()) & 0xff_ffff).to_string());
                continue;
            }
            let masked = Masked::of(own, &inside).text;
            // A secret that begins within an escape takes all of its text along.
            let is_json = Scanner::new(&format!("\"{masked}\""), 1).string().is_ok();
            let whole = || Masked::of(own, &[(0..own.len(), word.clone())]).text;
            out.push_str(&if is_json { masked } else { whole() });
        }
        out.push_str(&line[done..]);
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
