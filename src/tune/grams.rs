//! The phrases that stand in texts: one to three words, as a list of a rulebook would look for them.
//!
//! What a reply only repeats tells nothing of other servers: words of the call's own arguments and of the
//! tool's name, paths, addresses, numbers and whatever is longer than a word end a phrase.

use super::reply::LabelledReply;
use std::collections::{BTreeMap, BTreeSet};

/// Words of a phrase, at most.
const MOST_WORDS: usize = 3;
/// Letters of a word, at most.
const LONGEST_WORD: usize = 24;
/// So much of a text is looked at.
const MOST_TEXT: usize = 4 << 10;
/// What may stand between the words of a phrase.
const BETWEEN: [&str; 5] = [" ", "-", "'", ": ", ", "];
/// Words that mean nothing alone.
const EMPTY: [&str; 46] = [
    "a", "an", "and", "any", "are", "array", "as", "at", "be", "boolean", "by", "can", "for",
    "from", "has", "have", "if", "in", "integer", "is", "it", "its", "no", "not", "number",
    "object", "of", "on", "only", "or", "please", "s", "so", "string", "t", "that", "the", "this",
    "to", "type", "was", "were", "will", "with", "you", "your",
];
/// Those of them that a phrase may begin with: what it says is the opposite of what it says without them.
const DENYING: [&str; 2] = ["no", "not"];
/// Names of types, with which a phrase may begin and end: only alone they mean nothing.
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// The phrases of replies, each known by a number.
#[derive(Clone, Debug, Default)]
pub struct Grams {
    pub names: Vec<String>,
    /// By reply, the phrases in its text, sorted: wherever a list would find them.
    pub of: Vec<Vec<u32>>,
    /// By reply, those of them that tell something of other servers.
    pub telling: Vec<Vec<u32>>,
    /// Whether a phrase has as many words as a phrase can have, so that replies that share it share a wording.
    pub is_long: Vec<bool>,
}

impl Grams {
    /// Takes replies apart.
    pub fn of(replies: &[LabelledReply]) -> Self {
        let telling: Vec<BTreeSet<String>> = replies.iter().map(phrases).collect();
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        for phrase in telling.iter().flatten() {
            numbers.insert(phrase, 0);
        }
        for (number, place) in (0..).zip(numbers.values_mut()) {
            *place = number;
        }
        let numbered = |phrases: &BTreeSet<String>| -> Vec<u32> {
            phrases.iter().filter_map(|phrase| numbers.get(phrase.as_str()).copied()).collect()
        };
        Self {
            of: replies.iter().map(|reply| numbered(&stretches(&beginning(reply)))).collect(),
            telling: telling.iter().map(numbered).collect(),
            is_long: numbers.keys().map(|name| words(name).len() == MOST_WORDS).collect(),
            names: numbers.keys().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Whether a phrase stands in a reply.
    pub fn has(&self, reply: usize, phrase: u32) -> bool {
        self.of[reply].binary_search(&phrase).is_ok()
    }
}

fn beginning(reply: &LabelledReply) -> String {
    reply.text[..reply.text.floor_char_boundary(MOST_TEXT)].to_lowercase()
}

/// All stretches of a few words.
fn stretches(text: &str) -> BTreeSet<String> {
    let words = words(text);
    let mut found = BTreeSet::new();
    for (at, (start, _)) in words.iter().enumerate() {
        for last in at..words.len().min(at + MOST_WORDS) {
            let (from, to) = words[last];
            if last > at && !BETWEEN.contains(&&text[words[last - 1].1..from]) {
                break;
            }
            found.insert(text[*start..to].to_owned());
        }
    }
    found
}

/// The phrases in a reply's text that may tell something of other servers.
fn phrases(reply: &LabelledReply) -> BTreeSet<String> {
    let text = beginning(reply);
    let own = format!("{} {}", reply.input, reply.tool).to_lowercase();
    let own: BTreeSet<&str> =
        words(&own).into_iter().map(|(start, end)| &own[start..end]).collect();
    let places = words(&text);
    let alone = |(from, to): (usize, usize)| {
        let word = &text[from..to];
        tells(word) && !own.contains(word) && !in_a_place(&text, from, to)
    };
    let mut found = BTreeSet::new();
    for (at, (start, _)) in places.iter().enumerate() {
        for last in at..places.len().min(at + MOST_WORDS) {
            let (from, to) = places[last];
            let apart = last > at && !BETWEEN.contains(&&text[places[last - 1].1..from]);
            if apart || !alone((from, to)) {
                break;
            }
            let phrase = &text[*start..to];
            if phrase.len() > 2 && !is_torn(&text, &places[at..=last]) {
                found.insert(phrase.to_owned());
            }
        }
    }
    found
}

/// Whether words are a sentence's torn piece, such as `in name`: what they begin or end with belongs to
/// words that stand outside.
fn is_torn(text: &str, places: &[(usize, usize)]) -> bool {
    let word = |place: &(usize, usize)| &text[place.0..place.1];
    let hangs = |word: &str| EMPTY.contains(&word) && !TYPES.contains(&word);
    let begins = places.first().map(word).is_some_and(|it| hangs(it) && !DENYING.contains(&it));
    let ends = places.last().map(word).is_some_and(hangs);
    begins || ends || places.iter().map(word).all(|it| EMPTY.contains(&it))
}

/// Whether a word may tell something of other servers.
fn tells(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().count();
    letters <= LONGEST_WORD
        && 3 * digits < letters
        && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word is part of a path or an address.
fn in_a_place(text: &str, from: usize, to: usize) -> bool {
    let before = text[..from].chars().next_back();
    let after = text[to..].chars().next();
    let joined = |c: char| c == '/' || c == '\\' || c == '@';
    let dotted = after == Some('.') && text[to + 1..].starts_with(|c: char| c.is_alphanumeric());
    before.is_some_and(|c| joined(c) || c == '.') || after.is_some_and(joined) || dotted
}

/// The places of words: letters, digits and underscores.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices() {
        let is_part = letter.is_alphanumeric() || letter == '_';
        match (start, is_part) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, at));
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    words.extend(start.map(|from| (from, text.len())));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::reply::tests::reply;

    fn of(text: &str) -> Vec<String> {
        phrases(&reply(text)).into_iter().collect()
    }

    #[test]
    fn phrases_are_words_that_stand_together() {
        assert_eq!(of("Not found: it"), ["found", "not found"]);
        assert_eq!(of("the  of"), [""; 0], "words that mean nothing alone");
        assert!(of("doesn't exist").contains(&"doesn't exist".to_owned()));
    }

    #[test]
    fn torn_pieces_of_sentences_are_no_phrases() {
        let reason = of("failure in host resolution of a string");
        assert!(reason.contains(&"failure in host".to_owned()), "{reason:?}");
        for torn in ["in host", "in host resolution", "resolution of", "string", "of a"] {
            assert!(!reason.contains(&torn.to_owned()), "{torn}: {reason:?}");
        }
        assert!(of("not a valid string").contains(&"valid string".to_owned()));
    }

    #[test]
    fn what_a_reply_repeats_or_makes_up_is_no_phrase() {
        let reason = of("cannot read /etc/passwd.txt of 17 users for nobody in delete_user");
        for word in ["etc", "passwd", "txt", "nobody", "delete_user"] {
            assert!(reason.iter().all(|phrase| !phrase.contains(word)), "{word}: {reason:?}");
        }
        assert!(reason.contains(&"cannot read".to_owned()), "{reason:?}");
    }
}
