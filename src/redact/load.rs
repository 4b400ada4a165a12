//! From a file of rules to a [`Redactor`], with every mistake told at its place.

use super::pattern::{LARGEST, Pattern};
use super::{Redactor, Rule};
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems, listing};
use crate::rulebook::source::{Node, Section};
use regex::RegexSetBuilder;
use std::collections::BTreeSet;

/// The rules that come with the program.
pub(super) const BUILTIN: &str = include_str!("builtin.toml");
/// The longest word that may stand for a secret.
const LONGEST_WORD: usize = 30;
/// So many rules a file may have.
const MOST: usize = 500;

/// Everything that is wrong with a file of rules.
#[derive(Debug, thiserror::Error)]
#[error("{}", listing("the file of redaction rules", .0))]
pub struct RedactError(pub Vec<Problem>);

/// A rule, and where its examples stand.
struct Written<'a> {
    mark: Mark,
    rule: Rule,
    masks: Vec<(&'a str, Mark)>,
    leaves: Vec<(&'a str, Mark)>,
}

/// What is known of rules before they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// They come with the program, and its tests try them.
    Tried,
    /// Somebody wrote them.
    Untried,
}

impl Redactor {
    /// The rules that come with the program, without trying them.
    pub(super) fn of_builtin() -> Result<Self, RedactError> {
        Self::none().with(&[("builtin".to_owned(), BUILTIN.to_owned())], Standing::Tried)
    }

    /// Rules from TOML. Problems name the file by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, RedactError> {
        Self::none().with_files(&[(label.to_owned(), text.to_owned())])
    }

    /// The same with the rules of files, each with its name and its text. All that is wrong with any
    /// of them is told.
    pub fn with_files(self, files: &[(String, String)]) -> Result<Self, RedactError> {
        self.with(files, Standing::Untried)
    }

    fn with(self, files: &[(String, String)], standing: Standing) -> Result<Self, RedactError> {
        if files.is_empty() {
            return Ok(self);
        }
        let mut problems = Problems::default();
        let mut rules = self.rules;
        let mut names: BTreeSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
        let mut last = None;
        for (label, text) in files {
            let file = problems.add_file(label, text);
            last = Some(Mark { file, start: 0, end: 0 });
            let tree = Node::parse(text, file, &mut problems);
            let opened = tree.as_ref().and_then(|tree| Section::open(tree, &mut problems));
            let Some(mut root) = opened else { continue };
            root.text("about", &mut problems);
            if root.flag("extends_builtin", &mut problems) == Some(true) {
                let builtin = Self::builtin().rules.into_iter();
                rules.extend(builtin.filter(|rule| names.insert(rule.name.clone())));
            }
            let entries = root.list("rule", &mut problems);
            if entries.len() > MOST {
                problems.error(root.mark, format!("a file has at most {MOST} rules"));
            }
            if entries.is_empty() {
                problems.error(root.mark, "a file of rules has at least one `[[rule]]`");
            }
            for entry in entries.iter().take(MOST) {
                let Some(written) = rule(entry, standing, &mut problems) else { continue };
                let Written { mark, rule, masks, leaves } = written;
                if standing == Standing::Untried {
                    examples_hold(&rule, (&masks, &leaves), &mut problems);
                }
                if !names.insert(rule.name.clone()) {
                    problems.error(mark, format!("there is another rule `{}`", rule.name));
                }
                rules.push(rule);
            }
            root.finish(&mut problems);
        }
        if standing == Standing::Untried
            && let (Err(error), Some(file)) = (together(&rules), last)
        {
            problems.error(file, format!("the patterns do not go together: {error}"));
        }
        if problems.has_errors() {
            return Err(RedactError(problems.into_errors()));
        }
        Ok(Self::of(rules))
    }
}

/// A bound on what all patterns take together.
fn together(rules: &[Rule]) -> Result<(), regex::Error> {
    let patterns = rules.iter().map(|rule| rule.pattern.text());
    RegexSetBuilder::new(patterns).size_limit(LARGEST * 32).build().map(|_| ())
}

fn rule<'a>(entry: &'a Node, standing: Standing, problems: &mut Problems) -> Option<Written<'a>> {
    let mut section = Section::open(entry, problems)?;
    let name = section.text("name", problems);
    let name = section.require("name", name, problems);
    let about = section.text("about", problems);
    let about = section.require("about", about, problems);
    let shown = section.text("shown", problems);
    let shown = section.require("shown", shown, problems);
    if let Some(word) = shown
        && (word.chars().count() > LONGEST_WORD
            || word.chars().any(|c| !c.is_alphanumeric() && c != '-'))
    {
        let message = format!("this must be one word of at most {LONGEST_WORD} characters");
        problems.error(section.mark_of("shown"), message);
    }
    let pattern = section.text("pattern", problems);
    let pattern = section.require("pattern", pattern, problems);
    let pattern =
        pattern.and_then(|text| read(text, section.mark_of("pattern"), standing, problems));
    let holds = section.text("holds", problems);
    let holds = match holds {
        None => None,
        Some(text) => Some(read(text, section.mark_of("holds"), standing, problems)?),
    };
    let masks = section.texts("masks", problems);
    let leaves = section.texts("leaves", problems);
    let mark = section.mark;
    section.finish(problems);
    let rule = Rule {
        name: name?.to_owned(),
        about: about?.to_owned(),
        shown: shown?.to_owned(),
        pattern: pattern?,
        holds,
    };
    Some(Written { mark, rule, masks, leaves })
}

fn read(text: &str, mark: Mark, standing: Standing, problems: &mut Problems) -> Option<Pattern> {
    match standing {
        Standing::Tried => Some(Pattern::known(text)),
        Standing::Untried => {
            Pattern::checked(text).map_err(|reason| problems.error(mark, reason)).ok()
        }
    }
}

/// Secrets are marked in examples as `<<secret>>`.
type Examples<'a, 'b> = (&'b [(&'a str, Mark)], &'b [(&'a str, Mark)]);

fn examples_hold(rule: &Rule, (masks, leaves): Examples<'_, '_>, problems: &mut Problems) {
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
