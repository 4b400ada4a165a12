//! Changes of a rulebook as a rulebook that extends it and holds nothing else.

use super::change::{Change, Variation, Veto, weighs_nothing};
use super::mine::Phrase;
use super::note::evidence;
use crate::labels::Label;
use crate::rulebook::{Rulebook, RulebookError};
use crate::verdict::harmless;
use std::fmt::Write as _;
use toml::{Table, Value};

/// The keys by which a table says what it looks for.
const QUESTION: [&str; 4] = ["contains", "in", "match", "case"];
/// All keys by which a signal says what it observes.
const OBSERVES: [&str; 10] =
    ["any", "all", "not", "contains", "regex", "equals", "signal", "in", "match", "case"];

/// Changes of a rulebook, as what another says that extends it.
#[derive(Clone, Debug)]
pub struct Overlay(Table);

impl Overlay {
    /// `changes` of `start`.
    pub fn new(start: &Rulebook, changes: &[Change]) -> Self {
        // What a rulebook is resolved to is TOML.
        let base: Table = start.resolved.parse().unwrap_or_default();
        let mut overlay = Table::new();
        for change in changes {
            add(&mut overlay, change, &base);
        }
        Self(overlay)
    }

    /// The rulebook with the changes.
    pub(super) fn on(&self, start: &Rulebook) -> Result<Rulebook, RulebookError> {
        start.extended(&format!("extends = \"\"\n{}", self.0))
    }

    /// The text for people: each change is explained where it stands, phrases by where they were seen.
    pub(super) fn text(&self, changes: &[Change], phrases: &[Phrase]) -> String {
        let mut text = Text { out: String::new(), changes, phrases };
        for (section, value) in &self.0 {
            match value {
                Value::Array(lines) => {
                    for line in lines.iter().filter_map(Value::as_table) {
                        let name = line.get("name").and_then(Value::as_str).unwrap_or_default();
                        text.table(&format!("[[{section}]]"), &[section, name], line);
                    }
                }
                Value::Table(tables) if ["lists", "signals"].contains(&section.as_str()) => {
                    for (name, table) in tables {
                        let Value::Table(table) = table else { continue };
                        text.table(&format!("[{section}.{}]", key(name)), &[section, name], table);
                    }
                }
                Value::Table(table) => text.table(&format!("[{section}]"), &[section], table),
                _ => {}
            }
        }
        text.out
    }
}

/// A rulebook's text while it is written.
struct Text<'a> {
    out: String,
    changes: &'a [Change],
    phrases: &'a [Phrase],
}

impl Text<'_> {
    fn table(&mut self, header: &str, place: &[&str], table: &Table) {
        self.out.push('\n');
        self.remarks(place);
        _ = writeln!(self.out, "{header}");
        for (name, value) in table {
            let place = [place, &[name]].concat();
            self.remarks(&place);
            let Value::Array(entries) = value else {
                _ = writeln!(self.out, "{} = {value}", key(name));
                continue;
            };
            _ = writeln!(self.out, "{} = [", key(name));
            let label = self.changes.iter().find_map(|change| match change {
                Change::Phrases { label, .. } if place.starts_with(&change.place()) => Some(*label),
                _ => None,
            });
            for entry in entries {
                let is_it =
                    |it: &&Phrase| Some(it.label) == label && entry.as_str() == Some(&*it.text);
                let seen = self.phrases.iter().find(is_it).map(evidence);
                let seen = seen.map(|seen| format!(" # {seen}")).unwrap_or_default();
                _ = writeln!(self.out, "  {entry},{seen}");
            }
            self.out.push_str("]\n");
        }
    }

    /// What is changed at a place, in words.
    fn remarks(&mut self, place: &[&str]) {
        for change in self.changes.iter().filter(|change| change.place() == place) {
            _ = writeln!(self.out, "# {}", harmless(&change.to_string()));
        }
    }
}

impl Change {
    /// Where an overlay holds it.
    fn place(&self) -> Vec<&str> {
        match self {
            Self::Phrases { name, .. } => vec!["lists", name],
            Self::Weight { to, .. } if weighs_nothing(*to) => vec!["remove", "factors"],
            Self::Weight { factor, .. } => vec!["factors", factor],
            Self::Threshold { line, .. } => vec!["decide", line],
            Self::NoLine { .. } => vec!["remove", "decide"],
            Self::Denominator { .. } => vec!["score", "denominator"],
            Self::Variant { variation, .. } => match variation {
                Variation::Without { list, .. } | Variation::Word { list, .. } => {
                    vec!["lists", list]
                }
                Variation::Veto { signal, .. } => vec!["signals", signal],
            },
        }
    }
}

fn add(overlay: &mut Table, change: &Change, base: &Table) {
    match change {
        Change::Phrases { name, label, entries, weight } => {
            let list = [
                ("about", about(*label).into()),
                ("match", "word".into()),
                ("entries", entries.clone().into()),
            ];
            table(overlay, &["lists"]).insert(name.clone(), of(list));
            let signal = [("about", about(*label).into()), ("contains", name.clone().into())];
            table(overlay, &["signals"]).insert(name.clone(), of(signal));
            if *label == Label::HiddenFailure {
                add_hidden_failure(overlay, name, base);
            } else {
                table(overlay, &["factors", name]).insert("weight".to_owned(), number(*weight));
            }
        }
        Change::Weight { factor, to, .. } if weighs_nothing(*to) => {
            list(overlay, &["remove"], "factors").push(factor.clone().into());
        }
        Change::Weight { factor, to, .. } => {
            table(overlay, &["factors", factor]).insert("weight".to_owned(), number(*to));
        }
        Change::Denominator { to } => {
            table(overlay, &["score"]).insert("denominator".to_owned(), number(*to));
        }
        Change::Threshold { line, to, .. } => {
            let line = [("name", line.clone().into()), ("threshold", number(*to))];
            list(overlay, &[], "decide").push(of(line));
        }
        Change::NoLine { line } => {
            list(overlay, &["remove"], "decide").push(line.clone().into());
        }
        Change::Variant { variation, .. } => vary(overlay, variation, base),
    }
}

fn vary(overlay: &mut Table, variation: &Variation, base: &Table) {
    match variation {
        Variation::Without { list: of, entry } => {
            list(overlay, &["lists", of], "remove").push(entry.clone().into());
        }
        Variation::Word { list: from, entry, to } => {
            list(overlay, &["lists", from], "remove").push(entry.clone().into());
            let words = table(overlay, &["lists", to]);
            if words.is_empty() {
                let about = format!(
                    "Entries of `{from}` that count as words only, for what they hit inside of others."
                );
                words.insert("about".to_owned(), about.into());
                words.insert("match".to_owned(), "word".into());
            }
            list(overlay, &["lists", to], "entries").push(entry.clone().into());
            let signals = base.get("signals").and_then(Value::as_table).into_iter();
            for name in signals.flat_map(Table::keys) {
                let mut signal = observed(overlay, name, base);
                if ask_also(&mut signal, from, to) {
                    table(overlay, &["signals"]).insert(name.clone(), Value::Table(signal));
                }
            }
        }
        Variation::Veto { signal, by } => {
            let denied = match by {
                Veto::Signal(signal) => signal.clone().into(),
                Veto::Phrase(phrase) => {
                    of([("contains", vec![phrase.clone()].into()), ("match", "word".into())])
                }
            };
            let mut observes = observed(overlay, signal, base);
            let unless = of([("not", denied)]);
            if let Some(Value::Array(parts)) = observes.get_mut("all") {
                parts.push(unless);
            } else {
                let holds = observes.remove("signal").unwrap_or(Value::Table(observes));
                observes = Table::from_iter([("all".to_owned(), vec![holds, unless].into())]);
            }
            table(overlay, &["signals"]).insert(signal.clone(), Value::Table(observes));
        }
    }
}

/// What a signal observes so far, without what is said about it.
fn observed(overlay: &Table, name: &str, base: &Table) -> Table {
    let signal = |of: &Table| of.get("signals")?.get(name)?.as_table().cloned();
    let mut signal = signal(overlay).or_else(|| signal(base)).unwrap_or_default();
    signal.retain(|key, _| OBSERVES.contains(&key));
    signal
}

/// Lets a signal look for a second list wherever it looks for the first; whether it does anywhere.
fn ask_also(question: &mut Table, list: &str, to: &str) -> bool {
    let asks_for = |part: &Value, list| part.get("contains").and_then(Value::as_str) == Some(list);
    let mut asks = false;
    for key in ["any", "all", "not"] {
        let parts = match question.get_mut(key) {
            Some(Value::Array(parts)) => &mut parts[..],
            Some(part) => std::slice::from_mut(part),
            None => continue,
        };
        if key == "any" && parts.iter().any(|part| asks_for(part, to)) {
            continue;
        }
        for part in parts.iter_mut().filter_map(Value::as_table_mut) {
            asks |= ask_also(part, list, to);
        }
    }
    if question.get("contains").and_then(Value::as_str) != Some(list) {
        return asks;
    }
    let asked = QUESTION.into_iter().filter_map(|key| question.remove_entry(key));
    let first: Table = asked.collect();
    let mut second = first.clone();
    second.remove("match");
    second.insert("contains".to_owned(), to.into());
    let both = vec![Value::Table(first), Value::Table(second)];
    question.insert("any".to_owned(), both.into());
    true
}

/// A hidden failure is also what the phrases say; what else it is stays.
fn add_hidden_failure(overlay: &mut Table, signal: &str, base: &Table) {
    let before = base.get("hidden_failure").and_then(|it| it.get("if"));
    let condition = match before {
        None | Some(Value::Boolean(_)) => signal.into(),
        Some(before) => of([("any", vec![before.clone(), signal.into()].into())]),
    };
    table(overlay, &["hidden_failure"]).insert("if".to_owned(), condition);
}

fn about(label: Label) -> String {
    let what = match label {
        Label::BusinessLogic => "Phrases by which tools of several servers refuse",
        Label::ToolFailure => "Phrases by which tools of several servers fail",
        Label::HiddenFailure => {
            "Phrases of replies of several servers that claim success and failed"
        }
        Label::Ok => "Phrases of good replies of several servers",
    };
    format!("{what}, found in labelled replies by `tapecheck tune`.")
}

/// A number as a person would write it.
#[expect(clippy::cast_possible_truncation, reason = "whole and small")]
fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::Integer(number as i64)
    } else {
        Value::Float(number)
    }
}

/// A key as TOML writes it.
fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

fn of<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The table at a path, which is made where it is not there.
fn table<'t>(within: &'t mut Table, path: &[&str]) -> &'t mut Table {
    path.iter().fold(within, |table, key| {
        let entry = table.entry((*key).to_owned()).or_insert_with(|| Value::Table(Table::new()));
        entry.as_table_mut().expect("an overlay has tables on the way to what it changes")
    })
}

fn list<'t>(within: &'t mut Table, path: &[&str], key: &str) -> &'t mut Vec<Value> {
    let entry = table(within, path).entry(key.to_owned());
    let value = entry.or_insert_with(|| Value::Array(Vec::new()));
    value.as_array_mut().expect("an overlay has lists where it adds to them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{Decision, Observing, Subject};
    use crate::tune::reply::Asked;

    fn changed(start: &Rulebook, changes: &[Change]) -> (Rulebook, String) {
        let overlay = Overlay::new(start, changes);
        let text = overlay.text(changes, &[]);
        let read = start
            .extended(&format!("extends = \"\"\n{text}"))
            .unwrap_or_else(|e| panic!("{e}{text}"));
        let tried = overlay.on(start).unwrap_or_else(|e| panic!("{e}{text}"));
        assert_eq!(read.digest, tried.digest, "what is written is what was tried: {text}");
        (read, text)
    }

    fn phrases(name: &str, label: Label, entries: &[&str], weight: f64) -> Change {
        let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
        Change::Phrases { name: name.to_owned(), label, entries, weight }
    }

    #[test]
    fn numbers_lines_and_phrases_change_what_is_extended() {
        let own = "name = \"own\"\nextends = \"inspector\"\n\n[factors]\nhttp_status = { weight = 1 }\n\n\
            [[decide]]\nname = \"validation tool\"\nthreshold = 0.3\n";
        let weight = |factor: &str, from: f64, to: f64| Change::Weight {
            factor: factor.to_owned(),
            from,
            to,
        };
        let threshold =
            |line: &str, from: f64, to: f64| Change::Threshold { line: line.to_owned(), from, to };
        let changes = [
            weight("http_status", 1.0, -2.0),
            weight("test_data", 1.0, 0.5),
            weight("mcp_code", 2.0, 0.0),
            Change::Denominator { to: 9.0 },
            threshold("validation tool", 0.3, 0.6),
            threshold("otherwise", 0.5, 0.1),
            Change::NoLine { line: "mcp code".to_owned() },
            phrases(
                "refusal_phrases",
                Label::BusinessLogic,
                &["unknown tool", "say \"please\""],
                2.0,
            ),
            phrases("hidden_phrases", Label::HiddenFailure, &["failed to"], 0.0),
        ];
        let start = Rulebook::from_toml(own, "own.toml").expect("a rulebook");
        let (rulebook, text) = changed(&start, &changes);
        let weight = |name: &str| {
            let factor = rulebook.factors.iter().find(|factor| factor.name == name);
            factor.map(|factor| factor.weight)
        };
        assert_eq!(weight("http_status"), Some(-2.0));
        assert_eq!(weight("test_data"), Some(0.5));
        assert_eq!(weight("mcp_code"), None, "what weighs nothing goes");
        assert!(
            rulebook.signals.iter().any(|signal| signal.name == "mcp_code"),
            "its signal stays"
        );
        assert_eq!(weight("refusal_phrases"), Some(2.0));
        assert!((rulebook.denominator - 9.0).abs() < f64::EPSILON);
        let lines: Vec<(&str, Decision)> =
            rulebook.decide.iter().map(|line| (line.name.as_str(), line.decision)).collect();
        assert!(lines.iter().all(|(name, _)| *name != "mcp code"));
        assert!(lines.contains(&("validation tool", Decision::Threshold(0.6))));
        assert!(lines.contains(&("otherwise", Decision::Threshold(0.1))));
        assert!(rulebook.hidden_failure.is_some());
        for change in &changes {
            assert_eq!(text.matches(&format!("# {change}\n")).count(), 1, "{change}: {text}");
        }

        // What a hidden failure was stays one.
        let calibrated = Rulebook::builtin("calibrated").expect("built in");
        let (both, text) = changed(&calibrated, &changes[8..]);
        assert!(text.contains("if = { any = ["), "{text}");
        assert!(both.hidden_failure != calibrated.hidden_failure);
    }

    const OWN: &str = r#"name = "own"
extends = "guide"

[lists.fruit]
entries = ["apple", "plum", "pear"]

[signals.fruity]
contains = "fruit"
yes = ["plum"]

[signals.one]
contains = "fruit"

[signals.two]
any = [{ contains = "fruit", in = "text" }, { regex = 'zz+' }]

[signals.three]
all = ["one", { not = { regex = 'yy' } }]

[[signals.four.any]]
contains = "fruit"

[[signals.four.any]]
regex = 'jj+'

[factors]
fruity = { weight = 1 }
one = { weight = 1 }
two = { weight = 1 }
three = { weight = 1 }
four = { weight = 1 }
"#;

    fn says<'r>(rulebook: &'r Rulebook, text: &str) -> Vec<&'r str> {
        let seen = rulebook.observe(&Subject { text, ..Subject::default() }, Observing::Errors);
        let signals = rulebook.signals.iter().enumerate();
        signals.filter(|(at, _)| seen.signals.has(*at)).map(|(_, signal)| &*signal.name).collect()
    }

    #[test]
    fn patterns_vary_in_lists_and_signals_that_are_extended() {
        let word = |list: &str, entry: &str| Variation::Word {
            list: list.to_owned(),
            entry: entry.to_owned(),
            to: format!("{list}_as_words"),
        };
        let without = |list: &str, entry: &str| Variation::Without {
            list: list.to_owned(),
            entry: entry.to_owned(),
        };
        let veto = |signal: &str, by: Veto| Variation::Veto { signal: signal.to_owned(), by };
        let kettle = || Veto::Phrase("kettle".to_owned());
        let variations = [
            without("fruit", "apple"),
            word("fruit", "pear"),
            without("business_patterns", "quota exceeded"),
            word("business_patterns", "conflict"),
            word("business_patterns", "duplicate"),
            word("mcp_codes", "-32602"),
            veto("http_status", Veto::Phrase("bad gateway".to_owned())),
            veto("strong_operational", Veto::Signal("fruity".to_owned())),
            veto("one", kettle()),
            veto("three", kettle()),
            veto("four", kettle()),
        ];
        let changes =
            variations.map(|variation| Change::Variant { variation, asked: Asked::Failed });
        let start = Rulebook::from_toml(OWN, "own.toml").expect("a rulebook");
        let (rulebook, text) = changed(&start, &changes);
        let fruity = || vec!["fruity", "one", "two", "three", "four"];
        let evident = |signal| vec![signal, "textual_evidence"];
        for (text, before, after) in [
            ("apple", fruity(), vec![]),
            ("plums", fruity(), fruity()),
            ("a pear", fruity(), fruity()),
            ("a pear, a kettle", fruity(), vec!["fruity", "two"]),
            ("spears", fruity(), vec![]),
            ("conflicted", evident("business_pattern"), vec![]),
            ("a conflict, a duplicate", evident("business_pattern"), evident("business_pattern")),
            ("403 bad gateway", evident("http_status"), vec![]),
            ("-32602", evident("mcp_code"), evident("mcp_code")),
        ] {
            let sorted = |mut signals: Vec<&'static str>| {
                signals.sort_unstable();
                signals
            };
            let of = |rulebook| {
                let mut signals = says(rulebook, text);
                signals.sort_unstable();
                signals.into_iter().map(str::to_owned).collect::<Vec<String>>()
            };
            assert_eq!(of(&start), sorted(before), "{text}");
            assert_eq!(of(&rulebook), sorted(after), "{text}");
        }
        let quota = "quota exceeded";
        assert!(says(&start, quota).contains(&"business_pattern"));
        assert_eq!(says(&rulebook, quota), [""; 0]);
        let both = "conflict: rate limit for plum";
        assert!(says(&start, both).contains(&"strong_operational"));
        assert!(!says(&rulebook, both).contains(&"strong_operational"));
        assert!(says(&rulebook, both).contains(&"business_pattern"));
        // Once for each list and signal, whatever changes in it.
        for header in
            ["[lists.business_patterns]", "[signals.one]", "[lists.business_patterns_as_words]"]
        {
            assert_eq!(text.matches(header).count(), 1, "{header}: {text}");
        }
    }
}
