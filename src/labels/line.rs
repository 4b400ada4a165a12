//! One label as it is kept: what it is about, what is said of it, by whom and why; and which labels are about the
//! same call: the one place that says that a key counts before recording and id.

use super::{Label, Said};
use crate::recording::Key;
use crate::verdict::{cut, harmless_json};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A label as it is kept. It names its exchange by key, or by recording and id, or in both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelLine {
    pub key: Option<Key>,
    /// The recording, as a path below the corpus.
    pub file: Option<String>,
    /// The record's own id, as tables write it.
    pub id: Option<String>,
    pub said: Said,
    pub why: Option<String>,
    pub who: Option<String>,
    /// When, in the form of RFC 3339.
    pub when: Option<String>,
}

/// An id as labels have it: ids of messages are kept as JSON, those of records as texts.
pub fn plain_id(id: &str) -> &str {
    id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id)
}

impl LabelLine {
    /// The members in the order in which they are written; columns of a table have the same names.
    pub const MEMBERS: [&'static str; 8] =
        ["key", "file", "id", "label", "flagged", "why", "who", "when"];

    /// Reads a line of JSON.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let members = serde_json::from_str(text).map_err(|error| {
            format!("a label is a JSON object with label, and key or file and id: {error}")
        })?;
        Self::of_members(&members)
    }

    /// Reads the members of a line, or the columns of a row.
    pub(super) fn of_members(members: &Map<String, Value>) -> Result<Self, String> {
        let text = |name: &str| match members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) if name == "id" => Ok(Some(number.to_string())),
            Some(_) if name == "id" => Err("`id` must be a text or a number".to_owned()),
            Some(_) => Err(format!("`{name}` must be a text")),
        };
        let Some(word) = text("label")? else {
            return Err("missing field `label`".to_owned());
        };
        let said = Said::of_word(&word).ok_or_else(|| {
            let known = Label::ALL.map(Label::name).join(", ");
            format!("`{}` is not one of {known}", cut(&word, 40))
        })?;
        let flagged = match members.get("flagged") {
            None | Some(Value::Null) => said.flagged,
            Some(Value::Bool(flagged)) => Some(*flagged),
            Some(Value::String(text)) if text.is_empty() => said.flagged,
            Some(Value::String(text)) if matches!(&**text, "true" | "false") => {
                Some(text == "true")
            }
            Some(_) => return Err("`flagged` must be true or false".to_owned()),
        };
        let said = Said { flagged, ..said };
        let read_key = |key: String| {
            let wrong =
                || format!("`{}` is not a key: expected 32 hexadecimal digits", cut(&key, 60));
            Key::parse(&key).ok_or_else(wrong)
        };
        let key = text("key")?.map(read_key).transpose()?;
        let (file, id) = (text("file")?, text("id")?.map(|id| plain_id(&id).to_owned()));
        if key.is_none() && (file.is_none() || id.is_none()) {
            let missing = if file.is_none() { "file" } else { "id" };
            return Err(format!(
                "missing field `{missing}`: a label names its call by key, or by file and id"
            ));
        }
        let (why, who, when) = (text("why")?, text("who")?, text("when")?);
        Ok(Self { key, file, id, said, why, who, when })
    }

    /// The line as it is written, without its end.
    pub fn text(&self) -> String {
        // Ids that are numbers were numbers, as far as anybody can tell.
        let number = self.id.as_ref().and_then(|id| Some((id.parse::<i64>().ok()?, id)));
        let number = number.filter(|(number, id)| number.to_string() == **id);
        let values = [
            self.key.map(|key| key.to_string().into()),
            self.file.as_deref().map(Value::from),
            number.map(|(number, _)| number.into()).or(self.id.as_deref().map(Value::from)),
            Some(self.said.label.name().into()),
            self.said.flagged.map(Value::from),
            self.why.as_deref().map(Value::from),
            self.who.as_deref().map(Value::from),
            self.when.as_deref().map(Value::from),
        ];
        let members = Self::MEMBERS.map(str::to_owned).into_iter().zip(values);
        let members: Map<_, _> = members.filter_map(|(name, value)| Some((name, value?))).collect();
        harmless_json(&Value::Object(members).to_string())
    }

    /// The recording and the id.
    pub fn place(&self) -> Option<(&str, &str)> {
        Some((self.file.as_deref()?, self.id.as_deref()?))
    }

    /// What it calls its exchange, for people.
    pub fn exchange(&self) -> String {
        match (self.place(), self.key) {
            (Some((file, id)), _) => format!("{file} id {id}"),
            (None, Some(key)) => key.to_string(),
            (None, None) => String::new(),
        }
    }
}

/// A name of an exchange. A key is a hash of call and reply, so that it never slips to another reply that
/// has taken the place of the first; recording and id do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Name<'l> {
    Key(Key),
    /// Its recording and its own id.
    Place(&'l str, &'l str),
}

/// The names that a line has for its exchange: its key, and its recording with its id, which counts where
/// no key is known.
pub(super) fn names(line: &LabelLine) -> [Option<Name<'_>>; 2] {
    let place = line.place().map(|(file, id)| Name::Place(file, id));
    [line.key.map(Name::Key), place]
}

/// Which lines are about the same exchange, as far as they tell among themselves: where one has a key and
/// another only recording and id, a line that has both brings them together.
#[derive(Debug, Default)]
pub(super) struct Naming<'l> {
    keys: HashMap<Name<'l>, Name<'l>>,
}

impl<'l> Naming<'l> {
    /// Of these lines. Where several keys have one place, it stands for the first.
    pub(super) fn of(lines: impl IntoIterator<Item = &'l LabelLine>) -> Self {
        let mut keys = HashMap::new();
        for line in lines {
            if let [Some(key), Some(place)] = names(line) {
                keys.entry(place).or_insert(key);
            }
        }
        Self { keys }
    }

    /// The name that all lines about an exchange have in common; `None` of a line without any.
    pub(super) fn exchange(&self, line: &'l LabelLine) -> Option<Name<'l>> {
        let [key, place] = names(line);
        let name = key.or(place)?;
        Some(self.keys.get(&name).copied().unwrap_or(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn lines_are_read_and_written_as_their_cases_say() {
        cases::check("tests/cases/label-lines.txt", |case| {
            LabelLine::read(&case.text).map_or_else(|error| error, |line| line.text())
        });
    }

    #[test]
    fn a_key_counts_before_a_place_and_a_line_with_both_brings_them_together() {
        let read = |text: &str| LabelLine::read(text).expect("a label");
        let key = "0123456789abcdef0123456789abcdef";
        let other = "f".repeat(32);
        let place = read(r#"{"file": "a", "id": 3, "label": "ok"}"#);
        let alone = read(&format!(r#"{{"key":"{key}","label":"ok"}}"#));
        let both = read(&format!(r#"{{"key":"{key}","file":"a","id":"3","label":"ok"}}"#));
        let other = read(&format!(r#"{{"key":"{other}","file":"a","id":"3","label":"ok"}}"#));
        let apart = Naming::of([&place, &alone]);
        assert_ne!(apart.exchange(&place), apart.exchange(&alone), "nobody knows");
        // In whatever order the lines stand.
        let together = Naming::of([&place, &alone, &both, &other]);
        assert_eq!(together.exchange(&place), together.exchange(&alone));
        assert_eq!(together.exchange(&both), together.exchange(&alone));
        assert_ne!(together.exchange(&other), together.exchange(&both), "the keys differ");
    }
}
