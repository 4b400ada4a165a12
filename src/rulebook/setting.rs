//! Values of a rulebook set by their path, as on a command line: `factors.http_status.weight=3`.

use super::Rulebook;
use super::compile::Purpose;
use super::problem::{Problems, RulebookError, did_you_mean};
use super::source::{Node, Origin};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The path, its names as the rulebook has them.
    path: Vec<String>,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error("invalid setting `{0}`: expected PATH=VALUE, such as factors.NAME.weight=3")]
    Form(String),
    #[error("unknown name `{name}` in {within}; {known}")]
    Unknown { name: String, within: String, known: String },
    #[error("`{path}` is not a number: it is {value}")]
    NoNumber {
        path: String,
        /// What stands there, as JSON.
        value: String,
    },
    #[error("`{0}` and `{1}` set the same")]
    Twice(String, String),
    #[error("the rulebook cannot be used with {settings}: {reasons}")]
    Refused { settings: String, reasons: String },
}

/// Sections whose things have one number that is meant where none is named.
const NUMBERS: [(&str, &str); 2] = [("factors", "weight"), ("decide", "threshold")];

/// The word for the threshold of the last line that has one.
const THRESHOLD: &str = "threshold";

impl Setting {
    /// Reads `PATH=VALUE` and finds the place in a rulebook.
    pub fn parse(text: &str, rulebook: &Rulebook) -> Result<Self, SettingError> {
        let (path, value) = split(text).ok_or_else(|| SettingError::Form(text.to_owned()))?;
        let place = place(path, rulebook)?;
        Ok(Self { path: place, value: read_value(value) })
    }

    /// The path as it is written in full.
    pub fn path(&self) -> String {
        written(&self.path)
    }

    /// That no two settings are about the same place: the later one would silently win.
    pub fn check_apart(settings: &[Self]) -> Result<(), SettingError> {
        for (at, later) in settings.iter().enumerate() {
            if let Some(earlier) = settings[..at].iter().find(|earlier| earlier.clashes(later)) {
                return Err(SettingError::Twice(earlier.to_string(), later.to_string()));
            }
        }
        Ok(())
    }

    fn clashes(&self, other: &Self) -> bool {
        let [one, two] = [&self.path, &other.path];
        if let ([section, line, this], [of, same, that]) = (&one[..], &two[..])
            && [section, line] == [of, same]
        {
            // A line returns an answer or has a threshold; entries come and go one after the other.
            let either = |key: &String| key == "return" || key == THRESHOLD;
            let changes = section == "lists" && (this == "add" || this == "remove");
            let excludes = section == "decide" && either(this) && either(that);
            return excludes || this == that && !changes;
        }
        one.starts_with(two) || two.starts_with(one)
    }

    pub fn with_number(&self, number: f64) -> Self {
        Self { path: self.path.clone(), value: number.into() }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.path(), self.value)
    }
}

impl Rulebook {
    /// The rulebook with some of its values set otherwise.
    pub fn with_settings(&self, settings: &[Setting]) -> Result<Self, SettingError> {
        self.set(settings, Purpose::Judging)
    }

    /// The same for deciding from signals alone, at a fraction of the cost: it observes nothing.
    pub(crate) fn deciding_with(&self, settings: &[Setting]) -> Result<Self, SettingError> {
        self.set(settings, Purpose::Deciding)
    }

    fn set(&self, settings: &[Setting], purpose: Purpose) -> Result<Self, SettingError> {
        let mut tree = tree_of(self);
        for Setting { path, value } in settings {
            put(&mut tree, path, value.clone());
        }
        let refused = |reasons: String| SettingError::Refused {
            settings: settings.iter().map(Setting::to_string).collect::<Vec<_>>().join(", "),
            reasons,
        };
        let text = toml::to_string(&tree).map_err(|error| refused(error.to_string()))?;
        let origin = Origin::Text(self.name.clone());
        Self::from_origin(&text, &origin, purpose).map_err(|error| match error {
            // Without the places: they are those of a text that nobody wrote.
            RulebookError::Invalid(problems) => {
                let mut reasons: Vec<String> = problems.into_iter().map(|it| it.message).collect();
                reasons.dedup();
                refused(reasons.join("; "))
            }
            other => refused(other.to_string()),
        })
    }

    /// The number at a place, given by its path.
    pub fn number_at(&self, path: &str) -> Result<(Setting, f64), SettingError> {
        let place = place(path, self)?;
        let tree = tree_of(self);
        let found = place.iter().try_fold(&tree, |node, name| step(node, name));
        let number = found.and_then(Value::as_f64);
        let number = number.ok_or_else(|| SettingError::NoNumber {
            path: written(&place),
            value: found.map_or_else(|| "not set".to_owned(), Value::to_string),
        })?;
        Ok((Setting { path: place, value: number.into() }, number))
    }
}

fn tree_of(rulebook: &Rulebook) -> Value {
    json_of(&rulebook.resolved).unwrap_or_default()
}

fn json_of(toml: &str) -> Option<Value> {
    Some(Node::parse(toml, 0, &Problems::default())?.to_json())
}

/// The path and the value: what stands before and after the first `=` outside quotes.
fn split(text: &str) -> Option<(&str, &str)> {
    let at = outside_quotes(text, '=').next()?;
    let (path, value) = (text[..at].trim(), text[at + 1..].trim());
    (!path.is_empty() && !value.is_empty()).then_some((path, value))
}

fn outside_quotes(text: &str, wanted: char) -> impl Iterator<Item = usize> + '_ {
    let mut quote = None;
    text.char_indices().filter_map(move |(at, character)| {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), character) if open == character => quote = None,
            (None, character) if character == wanted => return Some(at),
            (None | Some(_), _) => {}
        }
        None
    })
}

fn names_of(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut start = 0;
    for dot in outside_quotes(path, '.').chain([path.len()]) {
        let name = path[start..dot].trim();
        let quoted = |mark: char| name.strip_prefix(mark).and_then(|name| name.strip_suffix(mark));
        names.push(quoted('"').or(quoted('\'')).unwrap_or(name).to_owned());
        start = (dot + 1).min(path.len());
    }
    names
}

/// A value as TOML has it; what is none is a text.
fn read_value(text: &str) -> Value {
    let mut read = json_of(&format!("value = {text}"));
    let value = read.as_mut().and_then(|tree| tree.get_mut("value")).map(Value::take);
    value.filter(|value| !value.is_null()).unwrap_or_else(|| text.into())
}

/// The place that a path means, in the words of the rulebook.
fn place(path: &str, rulebook: &Rulebook) -> Result<Vec<String>, SettingError> {
    let tree = tree_of(rulebook);
    let mut names = names_of(path);
    if names == [THRESHOLD] {
        names = threshold_of(&tree).ok_or_else(|| SettingError::Unknown {
            name: THRESHOLD.to_owned(),
            within: "the rulebook".to_owned(),
            known: "no decision line has one".to_owned(),
        })?;
    }
    let number = NUMBERS.iter().find(|(section, _)| *section == names[0]);
    if let (Some((_, number)), 2) = (number, names.len()) {
        names.push((*number).to_owned());
    }
    let mut at = &tree;
    let mut found: Vec<String> = Vec::new();
    for (depth, name) in names.iter().enumerate() {
        let is_last = depth + 1 == names.len();
        match known_as(at, name) {
            Some(known) => {
                at = step(at, &known).unwrap_or(&Value::Null);
                found.push(known);
            }
            // What a table may have is known to whoever compiles it.
            None if is_last && depth > 0 && at.is_object() => found.push(name.clone()),
            None => return Err(unknown(name, &found, at)),
        }
    }
    Ok(found)
}

/// The path of the threshold that decides where nothing else does.
fn threshold_of(tree: &Value) -> Option<Vec<String>> {
    let mut lines = tree.get("decide")?.as_array()?.iter();
    let last = lines.rfind(|line| line.get(THRESHOLD).is_some())?;
    Some(vec!["decide".to_owned(), last.get("name")?.as_str()?.to_owned(), THRESHOLD.to_owned()])
}

fn unknown(name: &str, found: &[String], at: &Value) -> SettingError {
    let known: Vec<&str> = known_names(at);
    let within = if found.is_empty() { "the rulebook".to_owned() } else { written(found) };
    let list = match known[..] {
        [] => "there are no names there".to_owned(),
        _ => format!("known names: {}", known.join(", ")),
    };
    let known = did_you_mean(name, known.iter().copied()).unwrap_or(list);
    SettingError::Unknown { name: name.to_owned(), within, known }
}

fn known_names(node: &Value) -> Vec<&str> {
    match node {
        Value::Object(members) => members.keys().map(String::as_str).collect(),
        Value::Array(lines) => lines.iter().filter_map(|line| line.get("name")?.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// The name as the rulebook has it: case, underscores and hyphens may be written otherwise.
fn known_as(node: &Value, name: &str) -> Option<String> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-'], " ");
    let known = known_names(node);
    let same = known.iter().find(|known| **known == name);
    let alike = || known.iter().find(|known| plain(known) == plain(name));
    same.or_else(alike).map(|known| (*known).to_owned())
}

fn step<'v>(node: &'v Value, name: &str) -> Option<&'v Value> {
    match node {
        Value::Object(members) => members.get(name),
        Value::Array(lines) => lines.iter().find(|line| is_named(line, name)),
        _ => None,
    }
}

fn is_named(line: &Value, name: &str) -> bool {
    line.get("name").and_then(Value::as_str) == Some(name)
}

fn written(path: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = |name: &String| {
        if name.chars().all(plain) { name.clone() } else { format!("\"{name}\"") }
    };
    path.iter().map(name).collect::<Vec<_>>().join(".")
}

fn put(node: &mut Value, path: &[String], value: Value) {
    if let [lists, name, change] = path
        && lists == "lists"
        && (change == "add" || change == "remove")
    {
        if let Some(list) = node.get_mut(lists).and_then(|it| it.get_mut(name)?.as_object_mut()) {
            let texts = if let Value::Array(texts) = value { texts } else { vec![value] };
            change_list(list, change == "add", &texts);
        }
        return;
    }
    let Some((name, rest)) = path.split_first() else {
        *node = value;
        return;
    };
    match node {
        Value::Object(members) => {
            // A decision line returns an answer or has a threshold.
            match name.as_str() {
                "return" if rest.is_empty() => _ = members.shift_remove(THRESHOLD),
                THRESHOLD if rest.is_empty() => _ = members.shift_remove("return"),
                _ => {}
            }
            put(members.entry(name.clone()).or_insert(Value::Null), rest, value);
        }
        Value::Array(lines) => {
            if let Some(line) = lines.iter_mut().find(|line| is_named(line, name)) {
                put(line, rest, value);
            }
        }
        _ => {}
    }
}

fn change_list(list: &mut Map<String, Value>, is_added: bool, texts: &[Value]) {
    if is_added {
        let entries = list.entry("entries").or_insert_with(|| Value::Array(Vec::new()));
        entries.as_array_mut().into_iter().for_each(|it| it.extend_from_slice(texts));
        return;
    }
    let lower = |text: &Value| text.as_str().map(str::to_lowercase);
    let gone: Vec<Option<String>> = texts.iter().map(lower).collect();
    for (key, part) in list {
        let entries = match key.as_str() {
            "entries" => vec![part],
            "groups" => part.as_object_mut().into_iter().flat_map(Map::values_mut).collect(),
            _ => Vec::new(),
        };
        for texts in entries.into_iter().filter_map(Value::as_array_mut) {
            texts.retain(|text| !gone.contains(&lower(text)));
        }
    }
}
