//! From a violation to an issue.

use crate::json::{escaped_step, unescaped_step};
use crate::verdict::{Issue, IssueType, Severity, cut, push_count};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The longest quotation from a value or a schema, in characters.
const QUOTATION: usize = 100;

pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("words.toml")).expect("the table of words is in order")
});

/// What violations are called where the schema has no words of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    keywords: BTreeMap<String, KeywordWords>,
    other: KeywordWords,
    kinds: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct KeywordWords {
    #[serde(rename = "type")]
    kind: IssueType,
    #[serde(flatten)]
    words: Wording,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Wording {
    pub(super) message: String,
    pub(super) suggestion: Option<String>,
}

impl Wording {
    /// The words that a schema has.
    pub(super) fn written(entry: &Map<String, Value>) -> Option<Self> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self { message: text("message")?, suggestion: text("suggestion") })
    }
}

pub(super) struct Violation<'a, 'v> {
    pub(super) error: &'a ValidationError<'v>,
    pub(super) schema: &'a Value,
    pub(super) noun: &'static str,
}

impl Words {
    pub(super) fn issue(&self, violation: &Violation<'_, '_>) -> Issue {
        let keyword = violation.error.kind().keyword();
        let general = self.keywords.get(keyword).unwrap_or(&self.other);
        let own = violation.own_words();
        let words = own.as_ref().unwrap_or(&general.words);
        let fill = |template: &str| {
            filled(template, |place| self.value_of(place, violation).map(Cow::Owned))
        };
        Issue {
            location: Some(violation.location()),
            suggestion: words.suggestion.as_deref().map(|words| Issue::cut(fill(words))),
            ..Issue::new(Severity::Error, general.kind, fill(&words.message))
        }
    }

    /// What stands for a name in braces; a name that has no meaning stays as it is written.
    fn value_of(&self, name: &str, violation: &Violation<'_, '_>) -> Option<String> {
        Some(match name {
            "noun" => violation.noun.to_owned(),
            "field" => violation.field(),
            "property" => violation.missing().unwrap_or_default().to_owned(),
            "expected" => violation.types().join(" or "),
            "kind" => {
                let word = |kind: &str| self.kinds.get(kind).cloned().unwrap_or_default();
                let words: Vec<String> = violation.types().into_iter().map(word).collect();
                words.join(" or ")
            }
            "allowed" => violation.allowed(),
            "limit" => violation.demanded().map(plain).unwrap_or_default(),
            "violation" => {
                let placeholder = "what stands here";
                cut(&violation.error.masked_with(placeholder).to_string(), 3 * QUOTATION)
            }
            _ => return None,
        })
    }
}

impl Violation<'_, '_> {
    /// Where the keyword stands that was violated: the schema that has it, and its name.
    fn place(&self) -> Option<(&Map<String, Value>, &str)> {
        let keyword = self.error.kind().keyword();
        let path = self.error.schema_path().as_str();
        let (mut above, mut last) = path.rsplit_once('/')?;
        while last != keyword {
            (above, last) = above.rsplit_once('/')?;
        }
        Some((self.schema.pointer(above)?.as_object()?, last))
    }

    fn own_words(&self) -> Option<Wording> {
        let (schema, keyword) = self.place()?;
        Wording::written(schema.get("x-messages")?.get(keyword)?.as_object()?)
    }

    /// The value of the keyword.
    fn demanded(&self) -> Option<&Value> {
        let (schema, keyword) = self.place()?;
        schema.get(keyword)
    }

    fn missing(&self) -> Option<&str> {
        match self.error.kind() {
            ValidationErrorKind::Required { property } => property.as_str(),
            _ => None,
        }
    }

    fn types(&self) -> Vec<&str> {
        match self.demanded() {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn allowed(&self) -> String {
        let quoted: Vec<String> = match self.demanded() {
            Some(Value::Array(values)) => {
                values.iter().map(|value| format!("'{}'", plain(value))).collect()
            }
            Some(value) => vec![format!("'{}'", plain(value))],
            None => Vec::new(),
        };
        match quoted.as_slice() {
            [first, .., last] if quoted.len() > 2 => {
                let middle = &quoted[1..quoted.len() - 1];
                format!("{first}, {}, or {last}", middle.join(", "))
            }
            few => few.join(" or "),
        }
    }

    /// Where the value is, or where the missing one should be.
    fn location(&self) -> String {
        let at = self.error.instance_path().to_string();
        let missing = self.missing().map(|name| format!("/{}", escaped_step(name)));
        cut(&(at + &missing.unwrap_or_default()), Issue::LONGEST)
    }

    /// The path of the value with dots, or the noun.
    fn field(&self) -> String {
        let at = self.error.instance_path().to_string();
        match at.strip_prefix('/') {
            Some(path) => cut(&unescaped_step(&path.replace('/', ".")), QUOTATION),
            None => format!("the {}", self.noun),
        }
    }
}

fn plain(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    cut(&text, QUOTATION)
}

/// Fills in a template; what is filled in is not looked at again, and a place that has no meaning stays as it is
/// written.
pub fn filled<'v>(template: &str, value_of: impl Fn(&str) -> Option<Cow<'v, str>>) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let value =
            behind.split_once('}').and_then(|(place, after)| Some((value_of(place)?, after)));
        let (value, after) = value.unwrap_or(("{".into(), behind));
        rest = push_count(&mut text, &value, after);
    }
    text.push_str(rest);
    text
}
