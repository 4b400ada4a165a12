//! Masking secrets in recorded text before it is shown: rules as data, and what they make of a text.

mod decoded;
mod encoded;
mod json;
mod load;
mod masked;
mod quotation;
#[cfg(test)]
mod tests;

pub use load::RedactError;
pub use masked::{CleanTexts, Masked, MaskedText};
pub use quotation::Quotations;

use crate::rulebook::{Requirements, TextForms};
use decoded::View;
use load::Pattern;
use quotation::{Cut, cut_off};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Kinds of secrets, and how they are told from other text.
#[derive(Clone, Debug)]
pub struct Redactor {
    /// What its rules came from: `builtin`, `none`, or the names of files.
    names: Vec<String>,
    rules: Arc<[Rule]>,
    /// Which patterns a text calls for: most texts hold no secret. Made when there first is a text.
    requirements: Arc<OnceLock<OfPatterns>>,
    /// Secrets that are masked wherever they stand, and the words for them.
    known: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
struct OfPatterns {
    requirements: Requirements,
    /// The rule of each pattern, and its number there.
    patterns: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, which no other rule has.
    pub name: String,
    pub about: String,
    /// The word that stands in the place of what it masks.
    pub shown: String,
    /// What it may look like. Groups `secret` are masked; all that fits, where a pattern has no such group.
    patterns: Vec<Pattern>,
    /// What a secret holds at the least.
    holds: Option<Pattern>,
}

/// How many characters a recorded text may be cut to before its ends may be parts of words.
const WHOLE: usize = 590;
/// The word for what may be a part of a secret.
const CUT: &str = "cut";
/// The word for what holds a secret once it is decoded.
const ENCODED: &str = "encoded";
/// What stands for the rest of a word that was surely cut: it tells nobody anything.
const LEFT_OUT: &str = "…";
/// An escape is shorter than this: `\\u{10ffff}`.
const LONGEST_ESCAPE: usize = 12;
/// So much of a call is searched for secrets that its reply may quote.
const LONGEST_KNOWN: usize = 1 << 16;
/// So much behind a secret is searched for the quote that ends it.
const LONGEST_VALUE: usize = 512;
/// Shorter secrets of a call are not looked for in its reply.
const SHORTEST_KNOWN: usize = 5;
/// A part of a word at a cut shorter than this tells too little to be masked.
const SHORTEST_CUT: usize = 6;

impl Redactor {
    #[expect(clippy::missing_panics_doc, reason = "tests read the built-in rules")]
    pub fn builtin() -> Self {
        let rules = Self::of_builtin().expect("the built-in rules are right");
        Self { names: vec!["builtin".to_owned()], ..rules }
    }

    /// These rules for texts that may quote this one, such as the reply to a call with these arguments: what is
    /// masked here is masked there, unless it is a plain word.
    pub fn knowing(&self, text: &str) -> Cow<'_, Self> {
        self.input(text, None).rules
    }

    /// The input of a call, searched for secrets once.
    pub fn input<'r, 't>(
        &'r self,
        text: &'t str,
        clean: Option<&mut CleanTexts>,
    ) -> CallInput<'r, 't> {
        let searched = &text[..text.floor_char_boundary(LONGEST_KNOWN)];
        let found = self.found_unless_clean(searched, clean);
        let known = found.iter().flat_map(|(range, word)| {
            let written = searched[range.clone()].to_owned();
            let meant: Option<String> = serde_json::from_str(&format!("\"{written}\"")).ok();
            let meant = meant.filter(|meant| *meant != written);
            [Some(written), meant].into_iter().flatten().map(move |secret| (secret, word.clone()))
        });
        let known: Vec<_> = known.filter(|(secret, _)| !is_plain(secret)).collect();
        let rules = match known.as_slice() {
            [] => Cow::Borrowed(self),
            _ => Cow::Owned(Self { known, ..self.clone() }),
        };
        CallInput { rules, own: self, text, found }
    }

    /// Whether it masks by its rules alone.
    pub fn knows_nothing(&self) -> bool {
        self.known.is_empty()
    }

    pub fn none() -> Self {
        Self::of(vec!["none".to_owned()], Vec::new())
    }

    fn of(names: Vec<String>, rules: Vec<Rule>) -> Self {
        Self { names, rules: rules.into(), requirements: Arc::default(), known: Vec::new() }
    }

    /// What its rules came from.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A hash of everything in the rules that can change a text.
    pub fn digest(&self) -> String {
        let mut hash = Xxh3::new();
        for Rule { name, about: _, shown, patterns, holds } in &*self.rules {
            let patterns = patterns.iter().chain(holds).map(Pattern::text);
            for part in [name.as_str(), shown].into_iter().chain(patterns) {
                hash.update(part.as_bytes());
                hash.update(&[0]);
            }
            hash.update(&[1]);
        }
        format!("{:032x}", hash.digest128())
    }

    #[cfg(test)]
    pub(crate) fn regexes(&self) -> Vec<String> {
        let patterns = self.rules.iter().flat_map(|rule| &rule.patterns);
        patterns.map(|pattern| pattern.text().to_owned()).collect()
    }

    /// The rules, in the order in which they are tried.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.mask_whole(text).text
    }

    /// Lines of which each is masked by itself.
    pub fn mask_lines(&self, text: &str) -> String {
        text.split_inclusive('\n').map(|line| self.mask(line)).collect()
    }

    /// A text with its secrets masked, and where its places have gone.
    pub fn mask_whole<'t>(&self, text: &'t str) -> Masked<'t> {
        Masked::of(text, &self.found_in(text))
    }

    /// The same. The text may have been cut out of a longer one: what is
    /// left of a secret at a cut no longer looks like one, so that whatever could be such a part is masked. A text
    /// that is known to be clean is not searched.
    pub fn mask_part<'t>(&self, text: &'t str, clean: Option<&mut CleanTexts>) -> Masked<'t> {
        self.mask_found(text, self.found_unless_clean(text, clean))
    }

    fn mask_found<'t>(&self, text: &'t str, mut found: Vec<(Range<usize>, String)>) -> Masked<'t> {
        if !self.rules.is_empty() && text.len() >= WHOLE {
            let ends = [first_word(text), at_end(text, last_word)];
            found.extend(ends.into_iter().flatten().map(|range| (range, CUT.to_owned())));
        }
        Masked::of(text, &joined(found))
    }

    /// A message with its secrets masked, and with them what a cut left of words that it quotes. One that is known to
    /// be clean may still have such.
    pub fn mask_message<'t>(
        &self,
        message: &'t str,
        quotations: &Quotations,
        is_clean: bool,
    ) -> Cow<'t, str> {
        if self.rules.is_empty() {
            return Cow::Borrowed(message);
        }
        let mut found = if is_clean { cut_words(message) } else { self.found_in(message) };
        found.extend(quotations.cuts(message).into_iter().filter_map(|(end, cut)| match cut {
            Cut::Surely => Some((at_end(&message[..end], cut_off)?, LEFT_OUT.to_owned())),
            Cut::Perhaps => Some((at_end(&message[..end], last_word)?, CUT.to_owned())),
        }));
        Masked::of(message, &joined(found)).text
    }

    /// The secrets of a text and the words for them, from left to right.
    fn found_in(&self, text: &str) -> Vec<(Range<usize>, String)> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let mut found = self.found_as_written(text);
        if let Some(view) = View::of(text) {
            let undone = self.found_as_written(&view.text).into_iter();
            found.extend(undone.map(|(range, word)| (view.range(range), word)));
        }
        found.extend(self.found_encoded(text));
        found.extend(cut_words(text));
        joined(found)
    }

    /// The same. Where secrets of a call are looked for too, no text is known to be clean.
    fn found_unless_clean(
        &self,
        text: &str,
        clean: Option<&mut CleanTexts>,
    ) -> Vec<(Range<usize>, String)> {
        let mut found = Vec::new();
        let mut search = || {
            found = self.found_in(text);
            found.is_empty()
        };
        match clean.filter(|_| self.knows_nothing()) {
            Some(clean) => clean.has(text, search),
            None => search(),
        };
        found
    }

    /// Words in base64 or hex of which the text holds a secret.
    fn found_encoded(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let mut words = encoded::words(text);
        words.retain(|(_, plain)| {
            encoded::is_login(plain)
                || !self.found_as_written(plain).is_empty()
                || View::of(plain).is_some_and(|view| !self.found_as_written(&view.text).is_empty())
                || !self.found_encoded(plain).is_empty()
        });
        words.into_iter().map(|(range, _)| (range, ENCODED.to_owned())).collect()
    }

    fn found_as_written(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let OfPatterns { requirements, patterns } =
            self.requirements.get_or_init(|| OfPatterns::new(&self.rules));
        let (mut found, seen) = (Vec::new(), TextForms::new(text));
        for number in requirements.met_by(&seen) {
            let (rule, pattern) = patterns[number];
            let rule = &self.rules[rule];
            rule.find(&rule.patterns[pattern], &seen, &mut found);
        }
        for (secret, word) in &self.known {
            let places = text.match_indices(secret);
            found.extend(places.map(|(at, _)| (at..at + secret.len(), word.clone())));
        }
        found
    }
}

#[derive(Debug)]
pub struct CallInput<'r, 't> {
    own: &'r Redactor,
    text: &'t str,
    found: Vec<(Range<usize>, String)>,
    rules: Cow<'r, Redactor>,
}

impl<'t> CallInput<'_, 't> {
    /// The rules for what may quote it.
    pub fn rules(&self) -> &Redactor {
        &self.rules
    }

    /// Its beginning with its secrets masked, as [`Redactor::mask_part`] does it.
    pub fn part(&self, longest: usize) -> Masked<'t> {
        if self.text.len() <= longest {
            return self.own.mask_found(self.text, self.found.clone());
        }
        self.own.mask_part(&self.text[..self.text.floor_char_boundary(longest)], None)
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::builtin()
    }
}

impl OfPatterns {
    fn new(rules: &[Rule]) -> Self {
        let texts = rules.iter().flat_map(|rule| &rule.patterns).map(Pattern::text);
        let numbers = rules.iter().enumerate();
        let patterns = numbers
            .flat_map(|(rule, Rule { patterns, .. })| {
                (0..patterns.len()).map(move |pattern| (rule, pattern))
            })
            .collect();
        Self { requirements: Requirements::new(texts), patterns }
    }
}

impl Rule {
    fn found_in(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let (mut found, seen) = (Vec::new(), TextForms::new(text));
        self.patterns.iter().for_each(|pattern| self.find(pattern, &seen, &mut found));
        joined(found)
    }

    fn find(
        &self,
        pattern: &Pattern,
        seen: &TextForms<'_>,
        found: &mut Vec<(Range<usize>, String)>,
    ) {
        let text = seen.text();
        for secret in pattern.secrets(seen).filter(|secret| !secret.is_empty()) {
            let range = to_its_quote(text, secret);
            if self.holds.as_ref().is_none_or(|holds| holds.is_in(&text[range.clone()])) {
                found.push((range, self.shown.clone()));
            }
        }
    }
}

/// A value to the quote that ends it, where a quote opens it: it may have blanks, or the other quote, in it.
fn to_its_quote(text: &str, value: Range<usize>) -> Range<usize> {
    let before = &text[..value.start];
    let quote = before.char_indices().next_back().filter(|(_, it)| matches!(it, '"' | '\''));
    let Some((at, quote)) = quote else { return value };
    let escapes = backslashes_before(&before[..at]);
    let outside = &before[..at - escapes];
    let is_opening = outside.is_empty() || outside.ends_with([' ', ':', '=', '[', ',', '(', '{']);
    let rest = &text[value.end..];
    let rest = &rest[..rest.floor_char_boundary(LONGEST_VALUE)];
    let ends = rest.match_indices(quote).map(|(end, _)| end);
    let mut ends = ends.filter(|end| backslashes_before(&rest[..*end]) == escapes);
    match ends.next().filter(|end| is_opening && !rest[..*end].contains('\n')) {
        Some(end) => value.start..value.end + end - escapes,
        None => value,
    }
}

/// How many backslashes a text ends with.
fn backslashes_before(text: &str) -> usize {
    text.len() - text.trim_end_matches('\\').len()
}

/// Whether a text is a word or a number that may well stand in a reply for another reason.
fn is_plain(text: &str) -> bool {
    text.len() < SHORTEST_KNOWN || text.chars().skip(1).all(char::is_lowercase)
}

/// What stands for a secret: equal secrets look alike.
fn stand_in(word: &str, secret: &str) -> String {
    if word == LEFT_OUT {
        return LEFT_OUT.to_owned();
    }
    format!("[{word} {:06x}]", xxh3_64(secret.as_bytes()) & 0xff_ffff)
}

/// Ranges that share something become one, under the word of the one that begins first.
fn joined(mut found: Vec<(Range<usize>, String)>) -> Vec<(Range<usize>, String)> {
    if found.len() < 2 {
        return found;
    }
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut joined: Vec<(Range<usize>, String)> = Vec::new();
    for (range, word) in found {
        match joined.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            Some(_) | None => joined.push((range, word)),
        }
    }
    joined
}

fn is_of_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || "+/_=.~-".contains(character)
}

/// The words that an ellipsis cut, as far as they could be parts of secrets.
fn cut_words(text: &str) -> Vec<(Range<usize>, String)> {
    // Most texts are ASCII, which has none.
    if text.is_ascii() {
        return Vec::new();
    }
    let words = text.match_indices('…').flat_map(|(at, ellipsis)| {
        let after = at + ellipsis.len();
        let before = at_end(&text[..at], last_word);
        let behind = first_word(&text[after..]).map(|word| word.start + after..word.end + after);
        // A number that was cut is no secret, nor is a hash.
        let may_be_one = |word: &Range<usize>| {
            text[word.clone()].contains(char::is_alphabetic) && !is_hash(&text[..word.start])
        };
        before.into_iter().chain(behind).filter(may_be_one)
    });
    words.map(|range| (range, CUT.to_owned())).collect()
}

/// Whether a text ends with the name of a hash, as it stands before one.
fn is_hash(before: &str) -> bool {
    let name = before.trim_end_matches([' ', ':', '=', '-', '"']);
    ["sha1", "sha256", "sha512", "md5"].iter().any(|hash| {
        name.len()
            .checked_sub(hash.len())
            .and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(hash))
    })
}

/// What is found at the end of a text, however it is written. An escape may have been cut, too.
fn at_end(text: &str, find: impl Fn(&str) -> Option<Range<usize>>) -> Option<Range<usize>> {
    let tail = text.ceil_char_boundary(text.len().saturating_sub(LONGEST_ESCAPE - 1));
    let escape = text[tail..].rfind(['\\', '%', '&']).map(|at| tail + at);
    let escape = escape.filter(|at| !text[*at..].contains(char::is_whitespace));
    let whole = &text[..escape.unwrap_or(text.len())];
    let found = match View::of(whole) {
        Some(view) => find(&view.text).map(|range| view.range(range)),
        None => find(whole),
    };
    let end = if escape.is_some() { text.len() } else { found.as_ref()?.end };
    found.map(|found| found.start..end)
}

fn first_word(text: &str) -> Option<Range<usize>> {
    let end = text.find(|character| !is_of_token(character)).unwrap_or(text.len());
    looks_cut(&text[..end]).then_some(0..end)
}

fn last_word(text: &str) -> Option<Range<usize>> {
    cut_mail(text).or_else(|| last_token(text))
}

/// The beginning of an e-mail address that a text ends with, in whatever script it is.
fn cut_mail(text: &str) -> Option<Range<usize>> {
    let is_of_mail = |c: char| {
        c.is_alphanumeric() || "@._+%~-".contains(c) || ('\u{300}'..='\u{36f}').contains(&c)
    };
    let start = text.rfind(|c| !is_of_mail(c));
    let start = start.map_or(0, |at| text.ceil_char_boundary(at + 1));
    let (person, host) = text[start..].split_once('@')?;
    // What has a number after it is a package and its version.
    let number = host.strip_prefix('v').unwrap_or(host);
    let is_version = number.starts_with(|c: char| c.is_ascii_digit());
    (!person.is_empty() && !is_version).then_some(start..text.len())
}

fn last_token(text: &str) -> Option<Range<usize>> {
    let start = text.rfind(|character| !is_of_token(character));
    let start = start.map_or(0, |at| text.ceil_char_boundary(at + 1));
    // Of an address its last part is cut.
    let is_address = text[start..].contains("//");
    let part = text[start..].rfind('/').filter(|_| is_address);
    let start = part.map_or(start, |at| start + at + 1);
    looks_cut(&text[start..]).then_some(start..text.len())
}

fn looks_cut(word: &str) -> bool {
    word.len() >= SHORTEST_CUT && word.bytes().any(|byte| byte.is_ascii_digit())
}
