//! Which texts a regex cannot match, told without running it.

use regex_syntax::hir::{Class, Hir, HirKind};

/// What must stand in a text before a regex is worth running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rulebook) enum Gate {
    /// Nothing is known.
    Open,
    /// One of these bytes, at most three.
    Bytes(Vec<u8>),
    /// One of these texts (lower case).
    Texts(Vec<String>),
    /// One of these texts (lower case), because the rulebook says so.
    Declared(Vec<String>),
}

/// More alternatives than this are no longer cheaper than the regex.
const MOST_TEXTS: usize = 24;

impl Gate {
    /// Derives the gate from a regex's structure: something that every match contains.
    pub(in crate::rulebook) fn of(regex: &str) -> Self {
        regex_syntax::parse(regex).ok().as_ref().and_then(required).map_or(Self::Open, Self::from)
    }
}

impl From<Vec<String>> for Gate {
    fn from(mut texts: Vec<String>) -> Self {
        for text in &mut texts {
            text.make_ascii_lowercase();
        }
        texts.sort();
        texts.dedup();
        let bytes: Option<Vec<u8>> = texts
            .iter()
            .map(|text| match text.as_bytes() {
                // A letter would have to be looked for in both cases.
                [byte] if byte.is_ascii() && !byte.is_ascii_alphabetic() => Some(*byte),
                _ => None,
            })
            .collect();
        match bytes {
            _ if texts.is_empty() || texts.iter().any(String::is_empty) => Self::Open,
            Some(bytes) if bytes.len() <= 3 => Self::Bytes(bytes),
            _ if texts.len() > MOST_TEXTS || texts.iter().any(|text| text.len() < 2) => Self::Open,
            _ => Self::Texts(texts),
        }
    }
}

/// Texts of which every match contains at least one; `None` where no such set is known.
fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            text.is_ascii().then(|| vec![text.to_owned()])
        }
        HirKind::Class(class) => few_characters(class),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Concat(parts) => {
            parts.iter().filter_map(required).max_by_key(|texts| strength(texts))
        }
        HirKind::Alternation(branches) => {
            let texts: Option<Vec<_>> = branches.iter().map(required).collect();
            Some(texts?.into_iter().flatten().collect())
        }
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => None,
    }
}

/// The longer the shortest text and the fewer the texts, the fewer texts pass.
fn strength(texts: &[String]) -> (usize, std::cmp::Reverse<usize>) {
    let shortest = texts.iter().map(String::len).min().unwrap_or(0);
    (shortest, std::cmp::Reverse(texts.len()))
}

fn few_characters(class: &Class) -> Option<Vec<String>> {
    let Class::Unicode(class) = class else { return None };
    let mut characters = Vec::new();
    for range in class.ranges() {
        for character in range.start()..=range.end() {
            if !character.is_ascii() || characters.len() == 3 {
                return None;
            }
            characters.push(character.to_string());
        }
    }
    Some(characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Gate {
        Gate::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn a_gate_is_what_every_match_contains() {
        assert_eq!(Gate::of(r"(?-u:\b)[45][0-9][0-9]"), Gate::Bytes(b"45".to_vec()));
        assert_eq!(Gate::of("[0-9a-f]{8}-[0-9a-f]{4}"), Gate::Bytes(b"-".to_vec()));
        assert_eq!(Gate::of(r"(?-u:\b)id[ :]+[0-9]+"), texts(&["id"]));
        assert_eq!(Gate::of("(?:code|error_code)[:]+x"), texts(&["code", "error_code"]));
    }

    #[test]
    fn where_nothing_is_certain_the_gate_stays_open() {
        for regex in ["(abc)?", "[a-z]+", "", "abc|[a-z]x*", "(", "é"] {
            assert_eq!(Gate::of(regex), Gate::Open, "{regex}");
        }
    }
}
