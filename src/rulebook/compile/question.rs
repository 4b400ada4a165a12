//! What a signal can ask of a text.

use super::Purpose;
use super::lists::{List, Named};
use crate::rulebook::matching::{Dialect, LazyRegex, Script};
use crate::rulebook::model::{Case, Matching, Title};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::Section;
use std::sync::Arc;

/// A question put to one field.
pub(super) enum Question {
    /// Whether it contains an entry of a list.
    Contains {
        list: usize,
        matching: Matching,
    },
    /// Whether a regex matches. What searches for it is there where it is needed.
    Regex {
        text: String,
        title: Option<Title>,
        dialect: Dialect,
        case: Case,
        needs: Vec<String>,
        search: Option<Arc<LazyRegex>>,
    },
    Equals(Vec<String>),
}

/// How a description shows a regex that has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Regexes {
    AsWritten,
    ByName,
}

impl Question {
    /// Whether one answer serves both.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Contains { list, matching },
                Self::Contains { list: other, matching: otherwise },
            ) => list == other && matching == otherwise,
            (Self::Equals(values), Self::Equals(others)) => values == others,
            // Two signals with one regex keep a pattern each, so that a hit names its signal.
            _ => false,
        }
    }

    /// The question in words. Two different questions have different words, as long as lists of one
    /// name hold the same.
    pub(super) fn describe(&self, lists: &[List], regexes: Regexes) -> String {
        match self {
            Self::Contains { list, matching } => {
                let how = match matching {
                    Matching::Substring => "contains one of",
                    Matching::Word => "contains a word of",
                    Matching::Part => "has a part of",
                };
                let list = &lists[*list];
                match list.named {
                    Named::ByItself => format!("{how} `{}`", list.name),
                    Named::AfterItsSignal => {
                        let entries: Vec<&str> =
                            list.entries.iter().map(|entry| entry.text.as_str()).collect();
                        format!("{how} {entries:?}")
                    }
                }
            }
            Self::Regex { title: Some(title), .. } if regexes == Regexes::ByName => {
                format!("matches `{}`", title.name)
            }
            Self::Regex { text, dialect, case, needs, .. } => {
                let case = if *case == Case::Exact { " in this case" } else { "" };
                format!("matches /{text}/{}{case}{}", reader(*dialect), needed(needs))
            }
            Self::Equals(values) => format!("is one of {values:?}"),
        }
    }

    /// How its patterns are read, where their texts and the case leave that open.
    pub(super) fn reading(&self) -> String {
        match self {
            Self::Regex { dialect, needs, .. } => reader(*dialect).to_owned() + &needed(needs),
            Self::Contains { .. } | Self::Equals(_) => String::new(),
        }
    }
}

fn reader(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::JsAscii => "",
        Dialect::Rust => " as Rust reads it",
    }
}

fn needed(texts: &[String]) -> String {
    if texts.is_empty() { String::new() } else { format!(" where it holds one of {texts:?}") }
}

/// Reads a regex.
pub(super) fn regex(
    section: &mut Section<'_>,
    purpose: Purpose,
    problems: &mut Problems,
) -> Option<Question> {
    const DIALECTS: [(Dialect, &str); 2] =
        [(Dialect::JsAscii, "js-ascii"), (Dialect::Rust, "rust")];
    const CASES: [(Case, &str); 2] = [(Case::Ignored, "ignored"), (Case::Exact, "exact")];
    let text = section.text("regex", problems);
    let title = title(section, problems);
    let dialect = section.word("dialect", &DIALECTS, problems).unwrap_or(Dialect::JsAscii);
    let case = section.word("case", &CASES, problems).unwrap_or(Case::Ignored);
    let needs = section.texts("needs", problems);
    for (_, mark) in needs.iter().filter(|(text, _)| text.is_empty()) {
        problems.error(*mark, "an empty text matches everything");
    }
    let text = text?;
    let needs: Vec<String> = needs.iter().map(|(text, _)| text.to_lowercase()).collect();
    let question = |search, needs| Question::Regex {
        text: text.to_owned(),
        title,
        dialect,
        case,
        needs,
        search,
    };
    if purpose == Purpose::Deciding {
        return Some(question(None, needs));
    }
    let mark = section.mark_of("regex");
    let regex = if problems.is_known(mark) {
        LazyRegex::known(text, dialect)
    } else {
        match LazyRegex::checked(text, dialect) {
            Ok(regex) => regex,
            Err(reason) => {
                problems.error(mark, format!("this regex cannot be used: {reason}"));
                return None;
            }
        }
    };
    if case == Case::Ignored && has_capital(text) {
        problems.warning(
            mark,
            "the text is lowercased before matching, so capitals match nothing; use `case = \
             \"exact\"` to match the text as recorded",
        );
    }
    Some(question(Some(Arc::new(regex)), needs))
}

/// What a regex is called. Its sentence, where the table is a signal's own, is the signal's.
fn title(section: &mut Section<'_>, problems: &mut Problems) -> Option<Title> {
    let name = section.text("name", problems);
    let about = section.text("about", problems).unwrap_or_default().to_owned();
    let name = name?;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 60 || !name.chars().all(is_plain) {
        let message =
            "the name of a regex may have lower-case letters, digits and underscores, at most 60";
        problems.error(section.mark_of("name"), message);
    }
    Some(Title { name: name.to_owned(), about })
}

/// Whether a regex names capital letters outside its escapes.
fn has_capital(regex: &str) -> bool {
    let mut characters = regex.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
        } else if character.is_uppercase() {
            return true;
        }
    }
    false
}

/// A regex that names characters by number or property may mean any, as may one with a range that ends
/// beyond ASCII.
pub(super) fn script_of(regex: &str) -> Script {
    let numbered = ["\\u", "\\x", "\\p", "\\P", "\\U"].iter().any(|mark| regex.contains(mark));
    let is_far = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
    let has_range = regex.match_indices('-').any(|(at, dash)| {
        is_far(regex[..at].chars().next_back()) || is_far(regex[at + dash.len()..].chars().next())
    });
    if numbered || has_range { Script::Cased } else { Script::of(regex) }
}

/// Reads what a whole field may be equal to.
pub(super) fn equals(section: &mut Section<'_>, problems: &mut Problems) -> Option<Question> {
    let values: Vec<String> =
        section.texts("equals", problems).iter().map(|(value, _)| value.to_lowercase()).collect();
    if values.is_empty() {
        problems.error(section.mark_of("equals"), "`equals` is empty");
        return None;
    }
    Some(Question::Equals(values))
}
