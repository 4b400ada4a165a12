//! From a file of rules to a [`Redactor`], with every mistake told at its place.

use super::pattern::{LARGEST, Pattern};
use super::{Redactor, Rule};
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems, listing};
use crate::rulebook::source::{Node, Section};
use regex::RegexSetBuilder;
use std::collections::BTreeSet;

pub(super) const BUILTIN: [(&str, &str); 2] =
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

/// A rule, and where its examples stand.
struct Written {
    mark: Mark,
    rule: Rule,
    masks: Examples,
    leaves: Examples,
}

/// Texts, and where they stand. Secrets are marked as `<<secret>>`.
type Examples = Vec<(String, Mark)>;

/// What tokens of an issuer look like.
struct Form<'a> {
    mark: Mark,
    pattern: &'a str,
    /// A token that it fits.
    fits: &'a str,
    /// A text that looks like one.
    other: &'a str,
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
        Self::none().with(&builtin_files(), Standing::Tried)
    }

    /// Rules from TOML. Problems name the file by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, RedactError> {
        Self::none().with_files(&[(label.to_owned(), text.to_owned())])
    }

    /// The same with rules of files (name and text). All that is wrong with any of them is told.
    pub fn with_files(self, files: &[(String, String)]) -> Result<Self, RedactError> {
        self.with(files, Standing::Untried)
    }

    fn with(self, files: &[(String, String)], standing: Standing) -> Result<Self, RedactError> {
        if files.is_empty() {
            return Ok(self);
        }
        let mut problems = Problems::default();
        let (mut from, mut rules) = (self.names, self.rules.to_vec());
        let mut names: BTreeSet<String> = rules.iter().map(|rule| rule.name.clone()).collect();
        let mut last = None;
        for (label, text) in files {
            let file = problems.add_file(label, text);
            last = Some(Mark { file, start: 0, end: 0 });
            let tree = Node::parse(text, file, &problems);
            let opened = tree.as_ref().and_then(|tree| Section::open(tree, &problems));
            let Some(mut root) = opened else { continue };
            from.push(last_part(label).to_owned());
            root.text("about");
            if root.flag("extends_builtin") == Some(true) {
                let builtin = Self::builtin().rules.to_vec().into_iter();
                rules.extend(builtin.filter(|rule| names.insert(rule.name.clone())));
            }
            let secret_names = root.text("names").unwrap_or_default();
            let entries = root.list("rule");
            if entries.len() > MOST {
                root.error(format!("a file has at most {MOST} rules"));
            }
            if entries.is_empty() {
                root.error("a file of rules has at least one `[[rule]]`");
            }
            for entry in entries.iter().take(MOST) {
                let Some(written) = rule(entry, secret_names, standing, &problems) else {
                    continue;
                };
                let Written { mark, rule, masks, leaves } = written;
                if standing == Standing::Untried {
                    examples_hold(&rule, &masks, &leaves, &problems);
                }
                if !names.insert(rule.name.clone()) {
                    problems.error(mark, format!("the rule `{}` is defined twice", rule.name));
                }
                rules.push(rule);
            }
            root.finish();
        }
        if standing == Standing::Untried
            && let (Err(error), Some(file)) = (together(&rules), last)
        {
            problems.error(file, format!("the patterns cannot be combined: {error}"));
        }
        if problems.has_errors() {
            return Err(RedactError(problems.into_errors()));
        }
        Ok(Self::of(from, rules))
    }
}

/// The last part of a path: it does not depend on the machine.
fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

pub(super) fn builtin_files() -> [(String, String); 2] {
    BUILTIN.map(|(name, text)| (name.to_owned(), text.to_owned()))
}

/// A bound on what all patterns take together.
fn together(rules: &[Rule]) -> Result<(), regex::Error> {
    let patterns = rules.iter().flat_map(|rule| &rule.patterns).map(Pattern::text);
    RegexSetBuilder::new(patterns).size_limit(LARGEST * 32).build().map(|_| ())
}

fn rule(
    entry: &Node,
    secret_names: &str,
    standing: Standing,
    problems: &Problems,
) -> Option<Written> {
    let mut section = Section::open(entry, problems)?;
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
    let pattern = pattern.map(|pattern| pattern.replace(NAMES, &format!("(?:{secret_names})")));
    let forms = forms(section.list("forms"), problems);
    let mark = section.mark_of("pattern");
    let patterns: Option<Vec<Pattern>> =
        pattern.as_deref().and_then(|frame| match forms.as_slice() {
            [] => Some(vec![read(frame, mark, standing, problems)?]),
            forms => {
                let mut of_form = |form: &Form<'_>| {
                    let text = frame.replace(FORMS, &format!("(?:{})", form.pattern));
                    read(&text, form.mark, standing, problems)
                };
                forms.iter().map(&mut of_form).collect()
            }
        });
    let holds = section.text("holds");
    let holds = match holds {
        None => None,
        Some(text) => Some(read(text, section.mark_of("holds"), standing, problems)?),
    };
    let owned = |(text, mark): (&str, Mark)| (text.to_owned(), mark);
    let mut masks: Examples = section.texts("masks").into_iter().map(owned).collect();
    let mut leaves: Examples = section.texts("leaves").into_iter().map(owned).collect();
    for Form { mark, fits, other, .. } in forms {
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
    Some(Written { mark, rule, masks, leaves })
}

fn forms<'a>(rows: &'a [Node], problems: &Problems) -> Vec<Form<'a>> {
    let read = |row: &'a Node| {
        let cells = row.elements().unwrap_or_default().iter().map(Node::text);
        let cells: Option<Vec<_>> = cells.collect();
        let Some([_, pattern, fits, other]) = cells.as_deref() else {
            let message = "a form is four texts: issuer, pattern, an example, a counter-example";
            problems.error(row.mark, message);
            return None;
        };
        Some(Form { mark: row.mark, pattern, fits, other })
    };
    rows.iter().filter_map(read).collect()
}

fn read(text: &str, mark: Mark, standing: Standing, problems: &Problems) -> Option<Pattern> {
    match standing {
        Standing::Tried => Some(Pattern::known(text)),
        Standing::Untried => {
            Pattern::checked(text).map_err(|reason| problems.error(mark, reason)).ok()
        }
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
