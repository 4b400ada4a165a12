//! What a signal can ask of a text.

use super::Purpose;
use super::lists::{List, Named};
use crate::rulebook::matching::{Dialect, LazyRegex, Script};
use crate::rulebook::model::{Case, Matching, QuotedFrom, Title};
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
        /// Where the call must hold what the group `quoted` matched.
        quoted_from: Option<QuotedFrom>,
    },
    Equals(Vec<String>),
    /// Whether it quotes a part of the call of at least so many characters.
    Quotes {
        from: QuotedFrom,
        least: usize,
    },
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
            (Self::Quotes { from, least }, Self::Quotes { from: other, least: others }) => {
                from == other && least == others
            }
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
            Self::Regex { title: Some(title), quoted_from, .. } if regexes == Regexes::ByName => {
                format!("matches `{}`{}", title.name, sent(*quoted_from))
            }
            Self::Regex { text, dialect, case, needs, quoted_from, .. } => {
                let case = if *case == Case::Exact { " in this case" } else { "" };
                let (reader, needed) = (reader(*dialect), needed(needs));
                format!("matches /{text}/{reader}{case}{needed}{}", sent(*quoted_from))
            }
            Self::Equals(values) => format!("is one of {values:?}"),
            Self::Quotes { from, least } => {
                format!("quotes {} of at least {least} characters", sought_in(*from))
            }
        }
    }

    /// How its patterns are read, where their texts and the case leave that open.
    pub(super) fn reading(&self) -> String {
        match self {
            Self::Regex { dialect, needs, quoted_from, .. } => {
                reader(*dialect).to_owned() + &needed(needs) + &sent(*quoted_from)
            }
            Self::Contains { .. } | Self::Equals(_) | Self::Quotes { .. } => String::new(),
        }
    }

    pub(super) fn quoted_from(&self) -> Option<QuotedFrom> {
        match self {
            Self::Regex { quoted_from, .. } => *quoted_from,
            Self::Quotes { from, .. } => Some(*from),
            Self::Contains { .. } | Self::Equals(_) => None,
        }
    }
}

fn sent(from: Option<QuotedFrom>) -> String {
    let Some(from) = from else { return String::new() };
    format!(" and quotes {}", sought_in(from))
}

fn sought_in(from: QuotedFrom) -> &'static str {
    match from {
        QuotedFrom::Values => "a value of the call",
        QuotedFrom::Names => "a name in the call",
        QuotedFrom::Call => "a name or value of the call",
        QuotedFrom::Nothing => "nothing of the call",
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

/// How a regex begins the group that captures what a reply quotes.
const QUOTED: &str = "(?<quoted>";
/// The least length of what a reply quotes, where the rulebook does not say it.
const LEAST: usize = 4;
/// More than that nobody quotes.
const MOST: f64 = 1000.0;

pub(super) fn quotes(section: &mut Section<'_>) -> Option<Question> {
    let [parts @ .., _] = &QuotedFrom::ALL;
    let from = section.word_of("quotes", parts);
    let least = section.whole("least", MOST);
    let least = least.map_or(Some(LEAST), |least| usize::try_from(least).ok())?;
    if least == 0 {
        section.error_at("least", "an empty text is quoted everywhere");
    }
    Some(Question::Quotes { from: from?, least })
}

pub(super) fn regex(section: &mut Section<'_>, purpose: Purpose) -> Option<Question> {
    let text = section.text("regex");
    let title = title(section);
    let dialect = section.word("dialect").unwrap_or(Dialect::JsAscii);
    let case = section.word("case").unwrap_or(Case::Ignored);
    let names_place = section.has("quoted_from");
    let quoted_from = section.word_of("quoted_from", &QuotedFrom::ALL);
    let needs = section.texts("needs");
    for (_, mark) in needs.iter().filter(|(text, _)| text.is_empty()) {
        section.problems.error(*mark, "an empty text matches everything");
    }
    let text = text?;
    if names_place != text.contains(QUOTED) {
        let message = "`quoted_from` and the group `(?<quoted>...)` in the regex belong together";
        section.error_at("regex", message);
    }
    let needs: Vec<String> = needs.iter().map(|(text, _)| text.to_lowercase()).collect();
    let question = |search, needs| Question::Regex {
        text: text.to_owned(),
        title,
        dialect,
        case,
        needs,
        search,
        quoted_from,
    };
    if purpose == Purpose::Deciding {
        return Some(question(None, needs));
    }
    let mark = section.mark_of("regex");
    let regex = if section.problems.is_known(mark) {
        LazyRegex::known(text, dialect)
    } else {
        match LazyRegex::checked(text, dialect) {
            Ok(regex) => regex,
            Err(reason) => {
                section.problems.error(mark, format!("this regex cannot be used: {reason}"));
                return None;
            }
        }
    };
    if case == Case::Ignored && has_capital(text) {
        section.problems.warning(
            mark,
            "the text is lowercased before matching, so capitals match nothing; use `case = \
             \"exact\"` to match the text as recorded",
        );
    }
    Some(question(Some(Arc::new(regex)), needs))
}

/// What a regex is called. Its sentence, where the table is a signal's own, is the signal's.
fn title(section: &mut Section<'_>) -> Option<Title> {
    let name = section.text("name");
    let about = section.text("about").unwrap_or_default().to_owned();
    let name = name?;
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 60 || !name.chars().all(is_plain) {
        let message =
            "the name of a regex may have lower-case letters, digits and underscores, at most 60";
        section.error_at("name", message);
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
pub(super) fn equals(section: &mut Section<'_>) -> Option<Question> {
    let values: Vec<String> =
        section.texts("equals").iter().map(|(value, _)| value.to_lowercase()).collect();
    if values.is_empty() {
        section.error_at("equals", "`equals` is empty");
        return None;
    }
    Some(Question::Equals(values))
}
