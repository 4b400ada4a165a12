//! Statements in plain text, where they are worded so clearly that they can be compared with facts.
//!
//! A statement is a whole sentence in one of three forms, without a word around it that doubts or denies
//! something: "The CVSS score of CVE-1 is 9.8.", "CVE-1 has a CVSS score of 9.8." or "CVE-1's CVSS score is
//! 9.8." Its value is a number or in quotes. Everything else that a text says is not compared: a missed
//! contradiction costs less than a false one.

use super::check::{Speaker, contradiction};
use super::{Fact, Facts, Known};
use crate::verdict::Issue;
use regex::{Captures, Regex};
use serde_json::Value;
use std::sync::LazyLock;

/// How much of a text is read, in bytes.
pub(super) const BYTES: usize = 64 << 10;
/// How many statements of a text are compared.
const MOST: usize = 100;

static FORMS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"^(?:[Tt]he )?(?P<field>.+) (?:of|for) (?P<subject>.+) is ",
        r"^(?P<subject>.+) has (?:an? |the )?(?P<field>.+) of ",
        r"^(?P<subject>.+)['’]s (?P<field>.+) is ",
    ]
    .map(|form| compiled(&format!(r#"{form}(?P<value>-?\d+(?:\.\d+)?|"[^"]+")$"#)))
});

/// What may end a sentence: a period inside a number or a name does not.
static END: LazyLock<Regex> = LazyLock::new(|| compiled(r"[.!](?:\s+|$)"));

/// Words beside which a sentence may not be meant as it stands.
static DOUBT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?ix) n['’]t\b | \b(?: not | no | never | none | neither | wrong\w* | incorrect\w* | inaccura\w* | false\w*
            | untrue | myths? | mistak\w* | error\w* | erroneous\w* | fabricat\w* | hallucinat\w* | claim\w*
            | alleg\w* | suppos\w* | assum\w* | imagin\w* | hypothe\w* | if | whether | would | could | might | may
            | maybe | perhaps | should | examples? | instance | e\.g | i\.e | was | were | had | previous\w*
            | former\w* | earlier | originally | until | outdated | said | says? | stat(?:es|ed|ing) | reported\w*
            | according | instead | rather | but | however | although | correct\w* | actual\w* | quot\w* | ask\w*
            | question\w* | answers? )\b",
    )
});

static NUMBER: LazyLock<Regex> = LazyLock::new(|| compiled(r"-?\d+(?:\.\d+)?"));

fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a test compiles it")
}

impl Facts {
    /// Whether any of them can be compared with plain text: it has to name the subject.
    pub(super) fn may_be_in_text(&self) -> bool {
        self.subjects(false).next().is_some()
    }

    pub(super) fn check_text(&self, text: &str, speaker: &Speaker) -> Vec<Issue> {
        let text = &text[..text.floor_char_boundary(BYTES)];
        let mut found = Vec::new();
        for (fact, said) in self.statements(text).take(MOST) {
            let stated = contradicting(fact, &said, text);
            let issue = stated.and_then(|stated| contradiction(fact, &stated, speaker, None));
            // A text may say a thing twice.
            found.extend(issue.filter(|issue| !found.contains(issue)));
        }
        found
    }

    /// What a text says of the subjects of facts, without the paragraphs that doubt something or stand
    /// below one that does.
    fn statements<'t>(&self, text: &'t str) -> impl Iterator<Item = (&Fact, Captures<'t>)> {
        let before = std::iter::once("").chain(text.split("\n\n"));
        let paragraphs = before.zip(text.split("\n\n"));
        let plain = paragraphs.filter(|(before, paragraph)| {
            ![before, paragraph].iter().any(|near| DOUBT.is_match(near))
        });
        let sentences = plain.flat_map(|(_, paragraph)| paragraph.lines().flat_map(sentences));
        sentences.filter_map(|sentence| {
            let said = statement(sentence)?;
            Some((self.about(&said)?, said))
        })
    }

    /// The fact that a statement is about, where it can be only one.
    fn about(&self, said: &Captures<'_>) -> Option<&Fact> {
        let subject = said["subject"].trim_matches(['"', '`', '*']);
        let field = words(&said["field"]);
        let subjects = self.subjects(false).filter_map(|(_, subjects)| subjects.get(subject));
        let mut facts = subjects.flatten().filter_map(|number| self.all.get(*number));
        let first = facts.find(|fact| fact.words() == field)?;
        facts.all(|fact| fact.words() != field).then_some(first)
    }
}

impl Fact {
    /// The words of its field, as far as it is not in the same part of a reply as the subject.
    fn words(&self) -> String {
        let part = self.subject.pointer.rsplit_once('/').map_or("", |(part, _)| part);
        let inside = self.field.strip_prefix(part).filter(|inside| inside.starts_with('/'));
        words(inside.unwrap_or(&self.field))
    }
}

/// The words of a name in lower case, however they are joined: `cvss_score` and `cvssScore` are "cvss score".
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for character in name.chars() {
        let is_break = !character.is_alphanumeric() || was_lower && character.is_uppercase();
        if is_break && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        if character.is_alphanumeric() {
            words.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.truncate(words.trim_end().len());
    words
}

fn sentences(line: &str) -> impl Iterator<Item = &str> {
    END.split(line.trim_start_matches(['-', '*', '•', ' ', '\t']))
}

fn statement(sentence: &str) -> Option<Captures<'_>> {
    FORMS.iter().find_map(|form| form.captures(sentence.trim_end()))
}

/// The stated value, where it contradicts the fact and the text nowhere has the known value.
fn contradicting(fact: &Fact, said: &Captures<'_>, text: &str) -> Option<Value> {
    let stated: Value = serde_json::from_str(&said["value"]).ok()?;
    let known = match &fact.known {
        Known::Nothing => return Some(stated),
        Known::Value(value) => value.clone(),
        Known::Written(text) => {
            text.parse::<f64>().map_or_else(|_| Value::from(text.as_str()), Value::from)
        }
    };
    let agrees = match (&stated, &known) {
        (Value::Number(_), Value::Number(known)) => {
            let known = known.as_f64()?;
            NUMBER.find_iter(text).any(|number| is_rounded(number.as_str(), known))
        }
        (Value::String(_), Value::String(known)) => {
            text.to_lowercase().contains(&known.to_lowercase())
        }
        _ => return None,
    };
    (!agrees).then_some(stated)
}

/// Whether a number is the known one, as exactly as it is written.
fn is_rounded(written: &str, known: f64) -> bool {
    let places = written.split_once('.').map_or(0, |(_, places)| places.len());
    let written = written.parse::<f64>().ok();
    written == Some(known) || written == format!("{known:.places$}").parse().ok()
}
