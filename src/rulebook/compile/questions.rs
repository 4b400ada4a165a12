//! The questions that signals put to the texts, the lists that they name, and the patterns that answer them.

use super::Purpose;
use crate::rulebook::matching::{
    Dialect, FieldMatcher, LazyRegex, LeafSet, Script, Search, Sought,
};
use crate::rulebook::model::{
    Case, Condition, Field, Matching, Pattern, PatternKind, QuotedFrom, Title,
};
use crate::rulebook::observe::{FieldQuestion, Holder};
use crate::rulebook::problem::{Mark, Problems};
use crate::rulebook::source::{Entry, Node, Section, texts_of};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

const MOST_PATTERNS: usize = 8192;

/// All questions of a rulebook.
pub(super) struct Questions {
    purpose: Purpose,
    lists: Vec<List>,
    all: Vec<Question>,
    pub(super) patterns: Vec<Pattern>,
}

/// A list of texts with a name.
struct List {
    name: String,
    mark: Mark,
    matching: Matching,
    texts: Vec<Text>,
    is_used: bool,
}

/// A text in lower case, with the heading that it stands under.
type Text = (Option<String>, String);

/// What is asked of one field.
struct Question {
    field: Field,
    kind: PatternKind,
    /// What is looked for; each becomes a pattern.
    texts: Vec<Text>,
    title: Option<Title>,
    quoted_from: Option<QuotedFrom>,
    holder: Holder,
    /// In words: with a regex as it is written, and by its name.
    words: [String; 2],
    reading: String,
    search: Option<Search>,
    /// Whether one answer serves all who ask the same. Others keep patterns of their own, so that a hit names its
    /// signal.
    is_shared: bool,
    mark: Mark,
    patterns: Range<usize>,
}

impl Questions {
    pub(super) fn new(lists: &[Entry], purpose: Purpose, problems: &Problems) -> Self {
        let lists = lists.iter().filter_map(|entry| list(entry, problems)).collect();
        Self { purpose, lists, all: Vec::new(), patterns: Vec::new() }
    }

    /// Adds the question that a table asks, if it asks one, by its number; `None` where it is wrong.
    pub(super) fn read(
        &mut self,
        signal: &str,
        section: &mut Section<'_>,
        into: &mut Vec<Option<Condition>>,
    ) {
        const KEYS: [&str; 4] = ["contains", "regex", "equals", "quotes"];
        let asked: Vec<&str> = KEYS.into_iter().filter(|it| section.entry(it).is_some()).collect();
        if asked.is_empty() {
            return;
        }
        let field = section.word("in").unwrap_or(Field::Text);
        let mut question = Question {
            field,
            kind: PatternKind::Whole,
            texts: Vec::new(),
            title: None,
            quoted_from: None,
            holder: Holder::Signal(signal.to_owned()),
            words: Default::default(),
            reading: String::new(),
            search: None,
            is_shared: true,
            mark: section.mark,
            patterns: 0..0,
        };
        let is_good = match asked[..] {
            ["contains"] => self.contains(&mut question, section),
            ["regex"] => self.regex(&mut question, section),
            ["equals"] => equals(&mut question, section),
            ["quotes"] => quotes(&mut question, section),
            _ => {
                section.error(format!("only one of {} is allowed here", KEYS.join(", ")));
                None
            }
        };
        if field != Field::Text && question.quoted_from.is_some() {
            section.error_at("in", "only the text of a reply can quote the call");
        }
        question.words = question.words.map(|words| format!("{} {words}", field.name()));
        let number = is_good.and_then(|()| self.number(question, section.problems));
        into.push(number.map(Condition::Question));
    }

    fn contains(&mut self, question: &mut Question, section: &mut Section<'_>) -> Option<()> {
        let node = section.take("contains")?;
        let matching = section.word("match");
        let (of_list, named) = match node.text() {
            None => {
                question.texts = texts([(None, node)], section.problems);
                question.is_shared = false;
                if question.texts.is_empty() {
                    section.problems.error(node.mark, "this list is empty");
                }
                let texts: Vec<&str> = question.texts.iter().map(|(_, it)| it.as_str()).collect();
                (Matching::Substring, format!("{texts:?}"))
            }
            Some(name) => {
                let names = self.lists.iter().map(|list| list.name.as_str());
                let at = section.problems.find("list", name, node.mark, names)?;
                let list = &mut self.lists[at];
                list.is_used = true;
                question.texts.clone_from(&list.texts);
                question.holder = Holder::List(name.to_owned());
                (list.matching, format!("`{name}`"))
            }
        };
        let matching = matching.unwrap_or(of_list);
        question.kind = PatternKind::Text(matching);
        let how = match matching {
            Matching::Substring => "contains one of",
            Matching::Word => "contains a word of",
            Matching::Part => "has a part of",
        };
        question.words = [(); 2].map(|()| format!("{how} {named}"));
        Some(())
    }

    fn regex(&self, question: &mut Question, section: &mut Section<'_>) -> Option<()> {
        let text = section.text("regex");
        question.title = title(section);
        let dialect = section.word("dialect").unwrap_or(Dialect::JsAscii);
        let case = section.word("case").unwrap_or(Case::Ignored);
        let names_place = section.has("quoted_from");
        question.quoted_from = section.word("quoted_from");
        let needs = section.texts("needs");
        for (_, mark) in needs.iter().filter(|(text, _)| text.is_empty()) {
            section.problems.error(*mark, "an empty text matches everything");
        }
        let (text, mark) = (text?, section.mark_of("regex"));
        if names_place != text.contains("(?<quoted>") {
            let message =
                "`quoted_from` and the group `(?<quoted>...)` in the regex belong together";
            section.error_at("regex", message);
        }
        let needs: Vec<String> = needs.iter().map(|(text, _)| text.to_lowercase()).collect();
        let reader = if dialect == Dialect::Rust { " as Rust reads it" } else { "" };
        let needed = match &needs[..] {
            [] => String::new(),
            needs => format!(" where it holds one of {needs:?}"),
        };
        let sent = question
            .quoted_from
            .map_or_else(String::new, |it| format!(" and quotes {}", it.words()));
        let exact = if case == Case::Exact { " in this case" } else { "" };
        let written = format!("matches /{text}/{reader}{exact}{needed}{sent}");
        let named = question.title.as_ref().map(|it| format!("matches `{}`{sent}", it.name));
        question.words = [written.clone(), named.unwrap_or(written)];
        question.reading = format!("{reader}{needed}{sent}");
        question.kind = PatternKind::Regex(case);
        question.texts = vec![(None, text.to_owned())];
        question.is_shared = false;
        if self.purpose == Purpose::Deciding {
            return Some(());
        }
        let regex = if section.problems.is_known(mark) {
            Ok(LazyRegex::known(text, dialect))
        } else {
            LazyRegex::checked(text, dialect)
        };
        let tell =
            |reason| section.problems.error(mark, format!("this regex cannot be used: {reason}"));
        let regex = Arc::new(regex.map_err(tell).ok()?);
        if case == Case::Ignored && has_capital(text) {
            section.problems.warning(
                mark,
                "the text is lowercased before matching, so capitals match nothing; use `case = \
                 \"exact\"` to match the text as recorded",
            );
        }
        question.search = Some(Search { regex, needs, script: script_of(text) });
        Some(())
    }

    /// Gives a question a number; one that was asked before keeps its own.
    fn number(&mut self, mut question: Question, problems: &Problems) -> Option<usize> {
        let is_known = |it: &Question| it.is_shared && it.words[0] == question.words[0];
        let known = self.all.iter().position(is_known).filter(|_| question.is_shared);
        if known.is_some() {
            return known;
        }
        let first = self.patterns.len();
        let (Holder::List(list) | Holder::Signal(list)) = &question.holder;
        let patterns =
            std::mem::take(&mut question.texts).into_iter().map(|(heading, text)| Pattern {
                list: list.clone(),
                heading,
                text,
                title: question.title.clone(),
                field: question.field,
                kind: question.kind,
                quoted_from: question.quoted_from,
            });
        self.patterns.extend(patterns);
        question.patterns = first..self.patterns.len();
        if self.all.len() == LeafSet::CAPACITY || self.patterns.len() > MOST_PATTERNS {
            let message = format!(
                "the rulebook is too large: at most {} questions and {MOST_PATTERNS} patterns",
                LeafSet::CAPACITY
            );
            problems.error(question.mark, message);
            return None;
        }
        self.all.push(question);
        Some(self.all.len() - 1)
    }

    pub(super) fn patterns_of(&self, question: usize) -> Range<usize> {
        self.all[question].patterns.clone()
    }

    /// In words, with a regex as it is written or by its name.
    pub(super) fn words(&self, question: usize, by_name: bool) -> &str {
        &self.all[question].words[usize::from(by_name)]
    }

    /// Lists that no signal looks at are worth a word.
    pub(super) fn warn_of_unused(&self, problems: &Problems) {
        for list in self.lists.iter().filter(|list| !list.is_used) {
            problems.warning(list.mark, format!("no signal looks at the list `{}`", list.name));
        }
    }

    /// What looks for the patterns of some questions in one field.
    pub(super) fn matcher(
        &self,
        field: Field,
        asked: &LeafSet,
        problems: &Problems,
    ) -> Option<FieldMatcher> {
        let all = self.all.iter().enumerate().filter(|_| self.purpose == Purpose::Judging);
        let of_field = all.filter(|(at, it)| it.field == field && asked.has(*at));
        let sought = of_field.clone().flat_map(|(leaf, question)| {
            question.patterns.clone().zip(std::iter::repeat((leaf, question)))
        });
        let sought = sought.map(|(pattern, (leaf, question))| Sought {
            pattern: u16::try_from(pattern).unwrap_or(u16::MAX),
            leaf,
            text: self.patterns[pattern].text.clone(),
            kind: question.kind,
            quoted_from: question.quoted_from,
            search: question.search.clone(),
        });
        let matcher = FieldMatcher::new(sought);
        if matcher.is_none() {
            let last = of_field.map(|(_, question)| question.mark).max().unwrap_or_default();
            problems.error(last, "too many patterns for one field: at most 128 regexes");
        }
        matcher
    }

    pub(super) fn asked(&self) -> Vec<FieldQuestion> {
        let asked = |Question { patterns, holder, reading, .. }: &Question| FieldQuestion {
            patterns: patterns.clone(),
            holder: holder.clone(),
            reading: reading.clone(),
        };
        self.all.iter().map(asked).collect()
    }
}

fn list(entry: &Entry, problems: &Problems) -> Option<List> {
    let mut section = Section::open_entry(entry, problems)?;
    section.when_extending(&["add", "remove"]);
    section.text("about");
    let matching = section.word("match").unwrap_or(Matching::Substring);
    let groups = section.named("groups").iter().map(|group| (Some(&group.key), &group.node));
    let texts = texts(groups.chain(section.take("entries").map(|node| (None, node))), problems);
    if texts.is_empty() {
        section.error(format!("the list `{}` is empty", entry.key));
    }
    let mark = section.mark;
    section.finish();
    Some(List { name: entry.key.clone(), mark, matching, texts, is_used: false })
}

fn texts<'a>(
    groups: impl IntoIterator<Item = (Option<&'a String>, &'a Node)>,
    problems: &Problems,
) -> Vec<Text> {
    let (mut texts, mut seen) = (Vec::new(), HashSet::new());
    for (heading, node) in groups {
        for (text, mark) in texts_of(node, problems) {
            let text = text.to_lowercase();
            if text.trim().is_empty() {
                problems.error(mark, "an entry must not be blank");
            } else if seen.insert(text.clone()) {
                texts.push((heading.cloned(), text));
            } else {
                problems.error(mark, format!("`{text}` is in this list twice"));
            }
        }
    }
    texts
}

/// Reads what a whole field may be equal to.
fn equals(question: &mut Question, section: &mut Section<'_>) -> Option<()> {
    let values: Vec<String> =
        section.texts("equals").iter().map(|(value, _)| value.to_lowercase()).collect();
    if values.is_empty() {
        section.error_at("equals", "`equals` is empty");
        return None;
    }
    question.words = [(); 2].map(|()| format!("is one of {values:?}"));
    question.texts = values.into_iter().map(|value| (None, value)).collect();
    Some(())
}

/// Reads what of the call a text has to quote.
fn quotes(question: &mut Question, section: &mut Section<'_>) -> Option<()> {
    /// The least length of what a reply quotes, where the rulebook does not say it.
    const LEAST: u64 = 4;
    let [parts @ .., _] = QuotedFrom::ALL.map(|part| (part, part.name()));
    let from = section.word_of("quotes", &parts);
    let least = section.whole("least", 1000.0).unwrap_or(LEAST);
    if least == 0 {
        section.error_at("least", "an empty text is quoted everywhere");
    }
    let from = from?;
    question.quoted_from = Some(from);
    question.kind = PatternKind::Quotation(usize::try_from(least).ok()?);
    question.words =
        [(); 2].map(|()| format!("quotes {} of at least {least} characters", from.words()));
    question.texts = vec![(None, from.name().to_owned())];
    Some(())
}

/// What a regex is called. Its sentence, where the table is a signal's own, is the signal's.
fn title(section: &mut Section<'_>) -> Option<Title> {
    let name = section.text("name");
    let about = section.text("about").unwrap_or_default().to_owned();
    let name = name?;
    if !is_plain_name(name) {
        let message =
            "the name of a regex may have lower-case letters, digits and underscores, at most 60";
        section.error_at("name", message);
    }
    Some(Title { name: name.to_owned(), about })
}

/// Whether a name can be a column's.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (1..=60).contains(&name.len()) && name.chars().all(is_plain)
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
fn script_of(regex: &str) -> Script {
    let numbered = ["\\u", "\\x", "\\p", "\\P", "\\U"].iter().any(|mark| regex.contains(mark));
    let is_far = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
    let has_range = regex.match_indices('-').any(|(at, dash)| {
        is_far(regex[..at].chars().next_back()) || is_far(regex[at + dash.len()..].chars().next())
    });
    if numbered || has_range { Script::Cased } else { Script::of(regex) }
}
