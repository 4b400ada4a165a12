//! What a rejected exchange becomes: an example with its right verdict, as text to be added to the file of a
//! rulebook, or a label.

use crate::json::{Raw, write_canonical};
use crate::labels::Class;
use crate::recording::{Exchange, ExchangeKind, JsonText, Reply};
use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use crate::verdict::{Answer, harmless, harmless_json};
use serde_json::{Map, Value};

/// The longest exchange that becomes an example, in bytes.
const LONGEST: usize = 64 << 10;

/// An example as it is to stand in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedExample {
    pub name: String,
    /// The exchange, as one line of JSON.
    pub exchange: String,
    /// Members of the right verdict.
    pub expect: Map<String, Value>,
    /// Who wants it, and why: a comment above it.
    pub comment: String,
}

impl WantedExample {
    /// Expects what was said before; may only name what the rulebook knows that will judge it.
    pub fn new(
        exchange: &Exchange<'_>,
        (before, after): (&NamedVerdict, &NamedVerdict),
        rulebook: &Rulebook,
        comment: &str,
    ) -> Result<Self, String> {
        let text = exchange_text(exchange)?;
        let expect = expectation(before, after, rulebook);
        if expect.is_empty() {
            let why = "an example cannot express the difference between the two verdicts";
            return Err(why.to_owned());
        }
        let name = format!("{} of {}", exchange.tool.name, exchange.server);
        let (name, comment) = (harmless(&name), harmless(comment));
        Ok(Self { name, exchange: text, expect, comment })
    }

    fn toml(&self) -> String {
        let plain = Value::Object(self.expect.clone()).to_string();
        let json = harmless_json(&plain);
        let has_null = self.expect.values().any(Value::is_null);
        // TOML has no word for nothing; JSON can expect it. Nor is it sure to escape what steers.
        let table = toml::Value::try_from(&self.expect).ok().filter(|_| !has_null && json == plain);
        let expect = table.unwrap_or_else(|| json.into());
        let [name, exchange] = [&self.name, &self.exchange].map(|it| toml::Value::from(&**it));
        format!(
            "[[examples]]\n# {}\nname = {name}\nexchange = {exchange}\nexpect = {expect}\n",
            self.comment
        )
    }
}

/// The text of a rulebook's file with an example at its end. All that stands there stays as it is.
pub fn append_example(file: &str, example: &WantedExample) -> String {
    let separator = match file {
        "" => "",
        file if file.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    [file, separator, &example.toml()].concat()
}

/// An exchange as one line of a recording.
fn exchange_text(exchange: &Exchange<'_>) -> Result<String, String> {
    let canonical = |raw: Raw<'_>| {
        let mut text = String::new();
        write_canonical(raw, &mut text);
        text
    };
    let response = match (&exchange.reply, exchange.kind) {
        (Reply::Result(result), ExchangeKind::ToolCall) => Some(canonical(result.raw)),
        (Reply::Error(error), ExchangeKind::ToolCall) => {
            Some(object([("error", Some(canonical(error.raw)))]))
        }
        (Reply::None, ExchangeKind::ToolCall) => None,
        _ => return Err("only tool calls can become examples".to_owned()),
    };
    let json = |text: &str| Value::from(text).to_string();
    let input = exchange.input.as_ref().map(JsonText::raw);
    let tool = object([
        ("name", Some(json(&exchange.tool.name))),
        ("outputSchema", exchange.tool.output_schema.clone()),
    ]);
    let text = object([
        ("id", exchange.id.as_deref().map(json)),
        ("server", Some(json(&exchange.server))),
        ("tool", Some(tool)),
        ("input", Some(input.map_or_else(|| "{}".to_owned(), canonical))),
        ("scenarioCategory", exchange.scenario.as_deref().map(json)),
        ("response", response),
    ]);
    if text.len() > LONGEST {
        let long = text.len();
        return Err(format!(
            "the call has {long} bytes, more than the {LONGEST} that an example may have"
        ));
    }
    Ok(harmless_json(&one_line(&text)))
}

/// An object of JSON, from members that are there.
fn object<const N: usize>(members: [(&str, Option<String>); N]) -> String {
    let members = members.into_iter().filter_map(|(name, json)| Some((name, json?)));
    let members: Vec<String> = members.map(|(name, json)| format!("\"{name}\":{json}")).collect();
    format!("{{{}}}", members.join(","))
}

/// Recorded schemas may take several lines; no line break can stand within a text of JSON.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r', '\t'], " ")
}

/// What was right, as far as it differs from what is said now. How it stands says enough; where it
/// stands the same, everything that differs and that the rulebook knows.
fn expectation(
    before: &NamedVerdict,
    after: &NamedVerdict,
    rulebook: &Rulebook,
) -> Map<String, Value> {
    let rows = [before, after].map(|verdict| serde_json::to_value(verdict).unwrap_or_default());
    let of_row = |members: &[&'static str]| {
        differing(members.iter().map(|name| (*name, rows[0][name].clone(), rows[1][name].clone())))
    };
    let expect = of_row(&["classification", "business_logic", "hidden_failure", "is_valid"]);
    if !expect.is_empty() {
        return expect;
    }
    let mut expect =
        of_row(&["confidence_percent", "score", "threshold", "decided_by", "error_kind"]);
    // What the rulebook does not know, none of its verdicts can have.
    expect.retain(|member, name| match member.as_str() {
        "decided_by" => name.is_null() || rulebook.decide.iter().any(|line| *name == *line.name),
        "error_kind" => {
            name.is_null() || rulebook.error_kinds.iter().any(|kind| *name == *kind.name)
        }
        _ => true,
    });
    let known = rulebook.signals.iter().map(|signal| signal.name.as_str());
    let holds = |verdict: &NamedVerdict, name: &str| {
        Value::from(verdict.signals.iter().any(|signal| signal == name))
    };
    let signals = differing(known.map(|name| (name, holds(before, name), holds(after, name))));
    if !signals.is_empty() {
        expect.insert("signals".to_owned(), Value::Object(signals));
    }
    expect
}

fn differing<'a>(members: impl IntoIterator<Item = (&'a str, Value, Value)>) -> Map<String, Value> {
    let changed = members.into_iter().filter(|(_, before, after)| before != after);
    changed.map(|(name, before, _)| (name.to_owned(), before)).collect()
}

/// The label that a verdict amounts to; `None` for what labels have no word for, such as no reply.
pub fn label_of(verdict: &NamedVerdict) -> Option<Class> {
    let has_answer = verdict.judgement().answer != Answer::NotAsked || verdict.is_valid;
    Class::of(verdict).filter(|_| has_answer)
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;
    use crate::corpus::{Bounds, read_exchange};
    use crate::run::run_examples;

    /// What was said of an error: an answer, and signals and a score.
    fn said(words: &str) -> NamedVerdict {
        let (answer, rest) = words.split_once(' ').unwrap_or((words, ""));
        let answer = Answer::LISTED.into_iter().find(|it| it.name() == answer).expect("an answer");
        let (scores, signals): (Vec<&str>, Vec<&str>) =
            rest.split_whitespace().partition(|word| word.parse::<f64>().is_ok());
        let said = verdict(answer, &signals);
        let score = scores.first().and_then(|score| score.parse().ok());
        NamedVerdict { score: score.or(said.score), ..said }
    }

    #[test]
    fn rejected_calls_become_examples_as_their_cases_show() {
        crate::cases::check("tests/cases/rejected-calls.txt", |case| {
            let (asked, call) = case.questions(&["was", "is"]);
            let [was, is] = [0, 1].map(|at| said(asked[at].split_once(' ').expect("two words").1));
            let call = call.replace("LONG", &"x".repeat(LONGEST));
            let exchange = read_exchange(&call, &Bounds::default()).expect("a call");
            let rulebook = Rulebook::builtin("guide").expect("built in");
            let why = "ann: it's \u{1b}[31mwrong";
            let example = match WantedExample::new(&exchange, (&was, &is), &rulebook, why) {
                Ok(example) => example,
                Err(why) => return why,
            };
            let file = "# mine\nname = \"mine\"\nextends = \"guide\" # and no more";
            let text = append_example(file, &example);
            let added = text.strip_prefix(file).expect("what stands there stays");
            let rulebook = Rulebook::from_toml(&text, "mine").unwrap_or_else(|it| panic!("{it}"));
            let mismatches = run_examples(&rulebook).into_iter();
            let mut mine = mismatches.filter(|one| one.example == example.name);
            let fails = mine.next().map_or("passes".to_owned(), |one| one.difference);
            format!("{}\n{fails}", added.trim())
        });
    }

    #[test]
    fn every_answer_has_its_label() {
        let labels = Answer::LISTED.map(|answer| label_of(&verdict(answer, &[])));
        let all = Class::ALL.into_iter().filter(|class| *class != Class::Hidden).map(Some);
        let [of_answers, all] = [labels.to_vec(), all.collect()].map(|mut all: Vec<_>| {
            all.sort_unstable();
            all
        });
        assert_eq!(of_answers, all);
        let silent = NamedVerdict { is_valid: false, ..verdict(Answer::NotAsked, &[]) };
        assert_eq!(label_of(&silent), None);
    }
}
