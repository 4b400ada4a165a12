//! What is wrong with a rulebook, and where: every problem points at its line.

use std::cell::RefCell;
use std::fmt::{self, Write as _};
use std::sync::OnceLock;

/// Something wrong (or odd) in a rulebook's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    pub message: String,
    pub help: Option<String>,
    /// The text of the line; `None` of a file that was not handed over with the rulebook.
    pub excerpt: Option<String>,
    /// How many characters of the line stand before its excerpt.
    pub cut: usize,
    /// How many characters of the line are meant.
    pub width: usize,
}

#[cfg(test)]
impl Problem {
    /// Its line, the columns that are meant, what is wrong and what to do about it, as files of cases have them.
    pub(crate) fn in_words(&self) -> String {
        let Self { line, column, width, message, help, .. } = self;
        let help = help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{line}:{column}-{} {message}{help}", column + width - 1)
    }
}

/// A text given as an example of a signal of which it is not what it ought to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenText {
    pub signal: String,
    pub text: String,
    pub problem: Problem,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message, .. } = self;
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        write!(f, "{message}\n{margin}--> {file}:{line}:{column}")?;
        if let Some(excerpt) = &self.excerpt {
            // Tabs are kept before the caret, so that it stands where the reader's terminal puts it.
            let indent: String = excerpt
                .chars()
                .take(column - 1 - self.cut)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let caret = "^".repeat(self.width);
            write!(f, "\n{margin} |\n{number} | {excerpt}\n{margin} | {indent}{caret}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n{margin} = {help}")?;
        }
        Ok(())
    }
}

/// Why there is no rulebook.
#[derive(Debug, thiserror::Error)]
pub enum RulebookError {
    /// Neither a built-in rulebook nor a file has this name.
    #[error("no rulebook or file is called `{name}`; built-in rulebooks: {known}")]
    Unknown {
        name: String,
        /// The built-in ones, for the message.
        known: String,
    },
    /// The file is there, but cannot be read.
    #[error("cannot read the rulebook {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    /// The file is wrong: everything that is wrong with it.
    #[error("{}", listing("the rulebook", .0))]
    Invalid(Vec<Problem>),
}

const MOST_KEPT: usize = 200;
const MOST_SHOWN: usize = 20;
/// So many characters of a line, and of a message.
const EXCERPT: usize = 200;
const MESSAGE: usize = 600;

/// Everything that is wrong with a file, one after the other, as far as anybody reads it.
pub(crate) fn listing(what: &str, problems: &[Problem]) -> String {
    let count = match problems.len() {
        1 => "1 error".to_owned(),
        count if count < MOST_KEPT => format!("{count} errors"),
        count => format!("{count} errors or more"),
    };
    let mut text = format!("{what} has {count}");
    for problem in problems.iter().take(MOST_SHOWN) {
        text.push_str("\n\n");
        text.push_str(&problem.to_string());
    }
    if problems.len() > MOST_SHOWN {
        let _ = write!(text, "\n\nthe first {MOST_SHOWN} are shown");
    }
    text
}

/// A place in one of the files that make up a rulebook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) file: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Files(Vec<File>);

#[derive(Debug)]
struct File {
    label: String,
    text: String,
    /// Whether what stands in it is known to be right: it was looked at before.
    is_known: bool,
    /// Whether its lines may be shown.
    is_quotable: bool,
    line_ends: OnceLock<Vec<usize>>,
}

/// The files that make up a rulebook, and what was found wrong in them so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    files: Files,
    errors: RefCell<Vec<Noted>>,
    warnings: RefCell<Vec<Noted>>,
}

type Noted = (Mark, String, Option<String>);

impl Problems {
    pub(crate) fn add_file(&mut self, label: &str, text: &str) -> usize {
        let (label, text) = (label.to_owned(), text.to_owned());
        self.files.0.push(File {
            label,
            text,
            is_known: false,
            is_quotable: true,
            line_ends: OnceLock::new(),
        });
        self.files.0.len() - 1
    }

    /// Notes whether what stands in a file is known to be right, so that nobody needs to try it, and whether its lines
    /// may be shown.
    pub(super) fn trust(&mut self, file: usize, is_known: bool, is_quotable: bool) {
        if let Some(file) = self.files.0.get_mut(file) {
            (file.is_known, file.is_quotable) = (is_known, is_quotable);
        }
    }

    pub(super) fn is_known(&self, mark: Mark) -> bool {
        self.files.0.get(mark.file).is_some_and(|file| file.is_known)
    }

    /// The files, for places that are told later.
    pub(super) fn into_files(self) -> Files {
        self.files
    }

    pub(crate) fn error(&self, mark: Mark, message: impl Into<String>) {
        self.error_with_help(mark, message, None);
    }

    pub(crate) fn error_with_help(
        &self,
        mark: Mark,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut errors = self.errors.borrow_mut();
        if errors.len() < MOST_KEPT {
            errors.push((mark, message.into(), help));
        }
    }

    /// That a word is none of those that are known.
    pub(crate) fn error_among(&self, mark: Mark, word: &str, known: &[&str]) {
        let message = format!("`{word}` is not one of {}", known.join(", "));
        self.error_with_help(mark, message, did_you_mean(word, known.iter().copied()));
    }

    /// The place of a name among those that are known; an unknown one is reported.
    pub(crate) fn find<'a>(
        &self,
        what: &str,
        name: &str,
        mark: Mark,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<usize> {
        let known: Vec<&str> = known.into_iter().collect();
        let found = known.iter().position(|known| *known == name);
        if found.is_none() {
            self.error_with_help(mark, format!("unknown {what} `{name}`"), hint(name, known));
        }
        found
    }

    pub(crate) fn warning(&self, mark: Mark, message: impl Into<String>) {
        self.warnings.borrow_mut().push((mark, message.into(), None));
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.borrow().is_empty()
    }

    /// The errors in file order; the file that was asked for comes before those that it extends.
    pub(crate) fn into_error(self) -> RulebookError {
        RulebookError::Invalid(self.rendered(&self.errors.borrow()))
    }

    /// The warnings, in the same order.
    pub(crate) fn warnings(&self) -> Vec<Problem> {
        self.rendered(&self.warnings.borrow())
    }

    pub(crate) fn text(&self, mark: Mark) -> &str {
        self.files.text_at(mark).unwrap_or_default()
    }

    /// All errors, in the order in which they stand in their files.
    pub(crate) fn into_errors(self) -> Vec<Problem> {
        self.rendered(&self.errors.borrow())
    }

    /// `file:line` of a place.
    pub(crate) fn place(&self, mark: Mark) -> String {
        self.files.0.get(mark.file).map_or_else(
            || ":1".to_owned(),
            |file| format!("{}:{}", file.label, file.line(file.floor(mark.start))),
        )
    }

    /// Where a text stands within a place; the whole place where it does not.
    pub(super) fn narrowed(&self, mark: Mark, text: &str) -> Mark {
        let found = self.files.text_at(mark).and_then(|source| source.find(text));
        found.map_or(mark, |at| {
            let start = mark.start + at;
            Mark { start, end: start + text.len(), ..mark }
        })
    }

    fn rendered(&self, found: &[Noted]) -> Vec<Problem> {
        let mut found = found.to_vec();
        found.sort();
        found.dedup();
        found.into_iter().map(|(mark, message, help)| self.problem(mark, message, help)).collect()
    }

    /// A problem as its reader sees it, without noting it.
    pub(crate) fn problem(&self, mark: Mark, message: String, help: Option<String>) -> Problem {
        self.files.problem(mark, message, help)
    }
}

impl Files {
    fn text_at(&self, mark: Mark) -> Option<&str> {
        self.0.get(mark.file)?.text.get(mark.start..mark.end)
    }

    pub(super) fn problem(&self, mark: Mark, message: String, help: Option<String>) -> Problem {
        let Some(file) = self.0.get(mark.file) else {
            let (file, excerpt) = (String::new(), Some(String::new()));
            return Problem { file, line: 1, column: 1, message, help, excerpt, cut: 0, width: 1 };
        };
        let text = &file.text;
        let (start, end) = (file.floor(mark.start), file.floor(mark.end.max(mark.start)));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let width = text[start..end.min(line_end).max(start)].chars().take(EXCERPT).count().max(1);
        let column = text[line_start..start].chars().count() + 1;
        let line_text = text[line_start..line_end].trim_end_matches('\r');
        let is_long = line_text.chars().nth(EXCERPT).is_some();
        let cut = if is_long { (column - 1).saturating_sub(EXCERPT / 2) } else { 0 };
        let excerpt = file.is_quotable.then(|| line_text.chars().skip(cut).take(EXCERPT).collect());
        let width = width.min((cut + EXCERPT + 1).saturating_sub(column)).max(1);
        let message = crate::verdict::cut(&message, MESSAGE);
        Problem {
            file: file.label.clone(),
            line: file.line(start),
            column,
            message,
            help,
            excerpt,
            cut,
            width,
        }
    }
}

impl File {
    fn floor(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at.min(self.text.len()))
    }

    /// The number of the line that a byte stands in.
    fn line(&self, at: usize) -> usize {
        let ends = self.line_ends.get_or_init(|| {
            self.text
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at)
                .collect()
        });
        ends.partition_point(|end| *end < at) + 1
    }
}

/// So many names are listed.
const MOST_LISTED: usize = 12;

/// The known name that is close to the one that was written, or else all of them where they are few.
pub(crate) fn hint<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    let is_listed = (1..=MOST_LISTED).contains(&known.len());
    did_you_mean(written, known.iter().copied())
        .or_else(|| is_listed.then(|| format!("known: {}", known.join(", "))))
}

/// "did you mean ...", where one of the known names is close to the one that was written.
pub(crate) fn did_you_mean<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let near = |name: &str| edits(&written.to_lowercase(), &name.to_lowercase());
    let (distance, name) = known.into_iter().map(|name| (near(name), name)).min()?;
    (distance <= 1 + written.chars().count() / 4).then(|| format!("did you mean `{name}`?"))
}

/// How many characters must be added, removed or replaced to get from one word to another.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, character) in from.chars().enumerate() {
        let mut corner = row[0];
        row[0] = above + 1;
        for (at, other) in to.iter().enumerate() {
            let replaced = corner + usize::from(character != *other);
            corner = row[at + 1];
            row[at + 1] = replaced.min(corner + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_shows_its_line_with_a_caret() {
        let mut problems = Problems::default();
        let text = "name = \"x\"\n\tweigth = 2\n";
        let file = problems.add_file("mine.toml", text);
        let start = text.find("weigth").expect("there");
        let mark = Mark { file, start, end: start + 6 };
        problems.error_with_help(mark, "unknown key `weigth`", did_you_mean("weigth", ["weight"]));
        let shown = problems.into_error().to_string();
        assert_eq!(
            shown,
            "the rulebook has 1 error\n\nunknown key `weigth`\n --> mine.toml:2:2\n  |\n\
             2 | \tweigth = 2\n  | \t^^^^^^\n  = did you mean `weight`?"
        );
    }

    #[test]
    fn names_are_suggested_only_when_they_are_near() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert!(did_you_mean("buisness_pattern", ["business_pattern", "verbs"]).is_some());
        assert!(did_you_mean("colour", ["weight", "signal"]).is_none());
    }
}
