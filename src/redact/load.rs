//! From a file of rules to a [`Redactor`], with every mistake told at its place. Patterns are compiled when a text first
//! calls for them, since most texts call for none.

use super::{Redactor, Rule};
use crate::rulebook::problem::{Mark, Problems, listing};
use crate::rulebook::source::{Node, Section};
use crate::rulebook::{Dialect, LazyRegex, Problem, TextForms};
use regex::{RegexBuilder, RegexSetBuilder};
use std::collections::BTreeSet;
use std::ops::Range;

const BUILTIN: [(&str, &str); 2] =
    [("builtin", include_str!("builtin.toml")), ("issuers", include_str!("issuers.toml"))];
/// What stands in a pattern for its forms.
const FORMS: &str = "{forms}";
/// The same for the names of secrets that a file gives once.
const NAMES: &str = "{names}";
/// The longest word that may stand for a secret.
const LONGEST_WORD: usize = 30;
/// So many rules a file may have.
const MOST: usize = 500;

#[derive(Debug, thiserror::Error)]
#[error("{}", listing("the file of redaction rules", .0))]
pub struct RedactError(pub Vec<Problem>);

/// Reads rules.
struct Reader<'p> {
    problems: &'p Problems,
    /// Whether patterns and examples are tried: those that come with the program are tried by its tests.
    tries: bool,
    /// The names of rules so far.
    names: BTreeSet<String>,
}

impl Redactor {
    /// The rules that come with the program, without trying them.
    pub(super) fn of_builtin() -> Result<Self, RedactError> {
        Self::none().with(&builtin_files(), false)
    }

    /// Rules from TOML. Problems name the file by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, RedactError> {
        Self::none().with_files(&[(label.to_owned(), text.to_owned())])
    }

    /// The same with rules of files (name and text). All that is wrong with any of them is told.
    pub fn with_files(self, files: &[(String, String)]) -> Result<Self, RedactError> {
        self.with(files, true)
    }

    fn with(self, files: &[(String, String)], tries: bool) -> Result<Self, RedactError> {
        let mut problems = Problems::default();
        let numbers: Vec<_> =
            files.iter().map(|(label, text)| problems.add_file(label, text)).collect();
        let (mut from, mut rules) = (self.names, self.rules.to_vec());
        let names = rules.iter().map(|rule| rule.name.clone()).collect();
        let mut reader = Reader { problems: &problems, tries, names };
        for ((label, text), file) in files.iter().zip(&numbers) {
            let tree = Node::parse(text, *file, &problems);
            if let Some(root) = tree.as_ref().and_then(|tree| Section::open(tree, &problems)) {
                // The last part of a path does not depend on the machine.
                from.push(label.rsplit(['/', '\\']).next().unwrap_or(label).to_owned());
                reader.read(root, &mut rules);
            }
        }
        if let Some(file) = numbers.last().filter(|_| tries)
            && let Err(error) = together(&rules)
        {
            let mark = Mark { file: *file, start: 0, end: 0 };
            problems.error(mark, format!("the patterns cannot be combined: {error}"));
        }
        if problems.has_errors() {
            return Err(RedactError(problems.into_errors()));
        }
        Ok(Self::of(from, rules))
    }
}

pub(super) fn builtin_files() -> [(String, String); 2] {
    BUILTIN.map(|(name, text)| (name.to_owned(), text.to_owned()))
}

/// A bound on what all patterns take together.
fn together(rules: &[Rule]) -> Result<(), regex::Error> {
    let patterns = rules.iter().flat_map(|rule| &rule.patterns).map(Pattern::text);
    RegexSetBuilder::new(patterns).size_limit(LARGEST * 32).build().map(|_| ())
}

impl Reader<'_> {
    /// Reads the rules of a file.
    fn read(&mut self, mut root: Section<'_>, rules: &mut Vec<Rule>) {
        root.text("about");
        if root.flag("extends_builtin") == Some(true) {
            let builtin = Redactor::builtin().rules.to_vec().into_iter();
            rules.extend(builtin.filter(|rule| self.names.insert(rule.name.clone())));
        }
        let secret_names = format!("(?:{})", root.text("names").unwrap_or_default());
        let entries = root.list("rule");
        if entries.len() > MOST {
            root.error(format!("a file has at most {MOST} rules"));
        }
        if entries.is_empty() {
            root.error("a file of rules has at least one `[[rule]]`");
        }
        rules.extend(entries.iter().take(MOST).filter_map(|it| self.rule(it, &secret_names)));
        root.finish();
    }

    fn rule(&mut self, entry: &Node, secret_names: &str) -> Option<Rule> {
        let mut section = Section::open(entry, self.problems)?;
        let name = section.require("name", Section::text);
        let about = section.require("about", Section::text);
        let shown = section.require("shown", Section::text);
        if let Some(word) = shown
            && (word.chars().count() > LONGEST_WORD
                || word.chars().any(|c| !c.is_alphanumeric() && c != '-'))
        {
            let message = format!("this must be one word of at most {LONGEST_WORD} characters");
            section.error_at("shown", message);
        }
        let pattern = section.require("pattern", Section::text);
        let frame = pattern.map(|pattern| pattern.replace(NAMES, secret_names));
        let mark = section.mark_of("pattern");
        let forms: Vec<_> = section.list("forms").iter().filter_map(|row| self.form(row)).collect();
        let frame = frame.as_deref();
        let patterns: Option<Vec<Pattern>> = match forms.as_slice() {
            [] => frame.and_then(|frame| Some(vec![self.pattern(frame, mark)?])),
            forms => frame.and_then(|frame| {
                let of_form = |(mark, [pattern, ..]): &(Mark, [&str; 3])| {
                    self.pattern(&frame.replace(FORMS, &format!("(?:{pattern})")), *mark)
                };
                forms.iter().map(of_form).collect()
            }),
        };
        let holds = section.text("holds");
        let holds = match holds {
            None => None,
            Some(text) => Some(self.pattern(text, section.mark_of("holds"))?),
        };
        let owned = |(text, mark): (&str, Mark)| (text.to_owned(), mark);
        let [mut masks, mut leaves] = ["masks", "leaves"]
            .map(|name| section.texts(name).into_iter().map(owned).collect::<Vec<_>>());
        for (mark, [_, fits, other]) in forms {
            masks.push((format!("see <<{}>> here", sample(fits)), mark));
            leaves.push((sample(other), mark));
        }
        let mark = section.mark;
        section.finish();
        let rule = Rule {
            name: name?.to_owned(),
            about: about?.to_owned(),
            shown: shown?.to_owned(),
            patterns: patterns?,
            holds,
        };
        if self.tries {
            examples_hold(&rule, &masks, &leaves, self.problems);
        }
        if !self.names.insert(rule.name.clone()) {
            self.problems.error(mark, format!("the rule `{}` is defined twice", rule.name));
        }
        Some(rule)
    }

    /// What tokens of an issuer look like: a pattern, a token that it fits, and a text that looks like one.
    fn form<'n>(&self, row: &'n Node) -> Option<(Mark, [&'n str; 3])> {
        let cells = row.elements().unwrap_or_default().iter().map(Node::text);
        if let Some([_, pattern, fits, other]) = cells.collect::<Option<Vec<_>>>().as_deref() {
            return Some((row.mark, [pattern, fits, other]));
        }
        let message = "a form is four texts: issuer, pattern, an example, a counter-example";
        self.problems.error(row.mark, message);
        None
    }

    fn pattern(&self, text: &str, mark: Mark) -> Option<Pattern> {
        if !self.tries {
            return Some(Pattern::known(text));
        }
        Pattern::checked(text).map_err(|reason| self.problems.error(mark, reason)).ok()
    }
}

/// An example in full: `{32}` are 32 letters and digits.
fn sample(example: &str) -> String {
    let mut parts = example.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (count, rest) = part.split_once('}').unwrap_or(("", part));
        let letters = "a1b2c3d4e5f60718".chars().cycle();
        text.extend(letters.take(count.parse().unwrap_or(0)));
        text.push_str(rest);
    }
    text
}

fn examples_hold(
    rule: &Rule,
    masks: &[(String, Mark)],
    leaves: &[(String, Mark)],
    problems: &Problems,
) {
    for (text, mark) in masks {
        let plain = text.replace("<<", "").replace(">>", "");
        let found: Vec<String> =
            rule.found_in(&plain).into_iter().map(|(range, _)| plain[range].to_owned()).collect();
        let marked = text.split("<<").skip(1).filter_map(|part| part.split(">>").next());
        if found.is_empty() || !found.iter().map(String::as_str).eq(marked) {
            let message = format!("`{}` masks {found:?} of this", rule.name);
            problems.error_with_help(*mark, message, Some("mark secrets as <<secret>>".to_owned()));
        }
    }
    for (text, mark) in leaves {
        if let Some((range, _)) = rule.found_in(text).into_iter().next() {
            problems.error(*mark, format!("`{}` masks {:?} of this", rule.name, &text[range]));
        }
    }
}

/// So large may a compiled pattern be, in bytes.
const LARGEST: usize = 1 << 20;
/// How many bytes the cache of a search may take: with fewer, a long text is searched step by step.
const MEMORY: usize = 1 << 25;
/// The group of what is masked, where that is not all that fits.
const SECRET: &str = "secret";

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: LazyRegex,
    /// Whether it says which part of what fits is the secret.
    has_part: bool,
}

impl Pattern {
    /// A pattern that somebody wrote; the error is what is wrong with it.
    fn checked(text: &str) -> Result<Self, String> {
        match RegexBuilder::new(text).size_limit(LARGEST).build() {
            Ok(regex) if regex.is_match("") => {
                Err("this pattern matches an empty text, and so every text".to_owned())
            }
            Ok(_) => Ok(Self::known(text)),
            Err(error) => Err(format!("this pattern cannot be used: {error}")),
        }
    }

    /// A pattern that is known to be right.
    pub(super) fn known(text: &str) -> Self {
        let has_part = text.contains(&format!("<{SECRET}>"));
        Self { regex: LazyRegex::known(text, Dialect::Rust).with_memory(MEMORY), has_part }
    }

    pub(super) fn text(&self) -> &str {
        self.regex.text()
    }

    pub(super) fn secrets<'s>(
        &'s self,
        seen: &'s TextForms<'_>,
    ) -> impl Iterator<Item = Range<usize>> + 's {
        let found = self.regex.find_iter(seen).into_iter().flatten();
        found.filter_map(|found| {
            if self.has_part { self.regex.group(SECRET, seen, &found) } else { Some(found) }
        })
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.regex.is_compiled()
    }

    #[cfg(test)]
    pub(super) fn is_narrow(&self) -> bool {
        self.regex.is_narrow()
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex.find(&TextForms::new(text)).is_some()
    }
}
