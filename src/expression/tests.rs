//! What expressions answer, and that none of them hangs.

use super::*;
use crate::cases;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const VARIABLES: [&str; 2] = ["input", "output"];

fn compiled(text: &str) -> Expression {
    Expression::compile(text, &VARIABLES).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn ask(text: &str, output: &Value) -> Answer {
    compiled(text).evaluate(&[("input", &Value::Null), ("output", output)])
}

fn errors(text: &str) -> Vec<SyntaxError> {
    Expression::compile(text, &VARIABLES).expect_err("it is wrong")
}

#[test]
fn expressions_answer_what_their_cases_list() {
    let told = |text: &str, output: Option<&Value>| match Expression::compile(text, &VARIABLES) {
        Err(errors) => {
            let told =
                errors.iter().map(|it| format!("at `{}`: {}", &text[it.at.start..], it.message));
            told.collect::<Vec<_>>().join("\n")
        }
        Ok(rule) => {
            let output = output.map(|output| ("output", output));
            let known: Vec<_> = output.into_iter().chain([("input", &Value::Null)]).collect();
            match rule.evaluate(&known) {
                Answer::True => "true".to_owned(),
                Answer::False => "false".to_owned(),
                Answer::Ambiguous(why) => format!("unclear: {why}"),
            }
        }
    };
    cases::check("tests/cases/expressions.txt", |case| {
        let (given, rules) = case.questions(&["given"]);
        let json = |line: &&str| serde_json::from_str(&line["given ".len()..]).expect("JSON");
        let output: Option<Value> = given.first().map(json);
        let told = rules.lines().map(|rule| told(rule, output.as_ref()));
        told.collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn expressions_that_are_empty_or_too_long_or_too_deep_are_refused() {
    assert!(errors(" ")[0].message.contains("empty"));
    assert!(errors(&"1+".repeat(3000))[0].message.contains("longer than"));
    let sum = vec!["1"; 1900].join("+") + " > 0";
    let nots = "!".repeat(1999) + "true";
    let parens = "(".repeat(1500) + "true" + &")".repeat(1500);
    let lists = "[".repeat(1500) + &"]".repeat(1500);
    let maps = "{1:".repeat(1000) + "1" + &"}".repeat(1000);
    let loops = "output.all(a, output.all(b, output.all(c, output.all(d, output.all(e, output.all(f, f > 0))))))";
    for text in [sum.as_str(), &nots, &parens, &lists, &maps, loops] {
        // A double negation may be folded away by the parser; nothing else gets through.
        let compiled = Expression::compile(text, &["output"]);
        assert!(compiled.is_err() || text.starts_with('!'), "{}", &text[..20]);
    }
}

#[test]
fn what_is_nested_as_deeply_as_allowed_is_evaluated() {
    let deepest = (1..200).rev().find_map(|terms| {
        let sum = vec!["1"; terms].join(" + ") + " > 0";
        Expression::compile(&sum, &[]).ok()
    });
    assert_eq!(deepest.map(|rule| rule.evaluate(&[])), Some(Answer::True));
    let right = "1 + (".repeat(20) + "1" + &")".repeat(20) + " > 0";
    assert_eq!(ask(&right, &Value::Null), Answer::True);
}

/// Expressions that would run for hours, or fill the memory, if nobody counted.
fn nasty() -> Vec<String> {
    let doubling = "['aaaaaaaaaaaaaaaa']".to_owned() + &".map(x, x + x)".repeat(50) + ".size() > 0";
    let lists = "[[1]]".to_owned() + &".map(x, x + x)".repeat(50) + ".size() > 0";
    let literals = format!("[{}]", vec!["1"; 200].join(","));
    let nested = format!(
        "{literals}.all(a, {literals}.all(b, {literals}.all(c, {literals}.all(d, a + b + c + d > 0))))"
    );
    let sums = vec!["string(output.text)"; 40].join(" + ") + " != ''";
    [
        "output.a.all(x, output.a.all(y, output.a.all(z, output.a.exists(w, w == x + y + z))))",
        "output.a.all(x, output.a == output.a)",
        "output.a.exists(x, output.a.map(y, output.a).size() < 0)",
        "output.a.map(x, output.a.map(y, [x, y])).size() > 0",
        "output.a.all(x, output.a.exists(y, y.gone))",
        "output.a.all(x, output.text.contains('ab'))",
        "output.a.all(x, output.text.size() > 3)",
        "output.a.all(x, output.text.matches('(a|b)+$'))",
        "output.a.all(x, x in output.a)",
        "output.a.exists(x, output.a + 1 == 2)",
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([doubling, lists, nested, sums])
    .collect()
}

#[test]
fn nasty_rules_end_soon_and_say_that_they_cost_too_much() {
    let numbers: Vec<u32> = (0..10_000).collect();
    let output = json!({"a": numbers, "text": "ab".repeat(2_000_000)});
    for text in nasty() {
        let rule = compiled(&text);
        let started = Instant::now();
        let answer = rule.evaluate(&[("output", &output), ("input", &Value::Null)]);
        // Without optimisation, each takes a second at most on a quiet machine.
        let took = started.elapsed();
        assert!(took < Duration::from_secs(10), "{took:?}: {text}");
        assert_eq!(answer, Answer::Ambiguous(Why::TooCostly), "{took:?} {text}");
    }
}

#[test]
fn patterns_cost_what_they_are_large_times_what_they_are_looked_for_in() {
    let output = json!({"s": "ab".repeat(50_000), "emails": vec!["someone@example.com"; 2000]});
    let before = Instant::now();
    let answer = ask("output.s.matches('[ab]*a[ab]{600}c')", &output);
    assert_eq!(answer, Answer::Ambiguous(Why::TooCostly));
    assert!(before.elapsed() < Duration::from_secs(1));
    let ordinary = r"output.emails.all(e, e.matches('^[\\w.+-]+@[\\w-]+\\.[\\w.]+$'))";
    assert_eq!(ask(ordinary, &output), Answer::True);
    assert_eq!(ask("output.s.matches('^[ab]+$')", &output), Answer::True);
    assert!(
        errors("output.s.matches('[ab]*a[ab]{600}[ab]{600}c')")[0].message.contains("too complex")
    );
}

#[test]
fn ordinary_rules_over_long_lists_are_answered() {
    let tasks: Vec<Value> =
        (1..10_001).map(|id| json!({"id": id, "title": "x", "done": false})).collect();
    let output = json!({"count": 10_000, "tasks": tasks});
    assert_eq!(ask("output.count == size(output.tasks)", &output), Answer::True);
    assert_eq!(ask("output.tasks.all(t, t.id > 0 && t.title != '')", &output), Answer::True);
}

#[test]
fn deep_data_is_ambiguous() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    assert_eq!(ask("size(output) == 1", &deep), Answer::Ambiguous(Why::TooDeep));
}

#[test]
fn texts_are_made_for_messages() {
    let rule = compiled("'got ' + string(output.n)");
    assert_eq!(rule.evaluate_text(&[("output", &json!({"n": 3}))]), Ok("got 3".to_owned()));
    assert!(rule.evaluate_text(&[("output", &json!({}))]).is_err());
    assert!(rule.uses("output") && !rule.uses("input"));
}

/// Pieces that expressions are made of, so that many random texts are some.
const PIECES: &str = r#"output output.a output.n x 1 0 -1 9223372036854775807 1.5 'é' "\u0000" true null [ ] { } ( ) , : ?
    . + - * / % == < in && || ! .all(x, .map(x, size( timestamp( has( .matches('a"#;

proptest::proptest! {
    #[test]
    fn no_text_breaks_the_compiler_or_the_evaluation(
        pieces in proptest::collection::vec(
            proptest::sample::select(PIECES.split_whitespace().collect::<Vec<_>>()),
            1..12,
        ),
        spaced in proptest::bool::ANY,
    ) {
        let text = pieces.join(if spaced { " " } else { "" });
        let output = json!({"a": [1, "b", null, {"n": 2}], "n": i64::MIN});
        match Expression::compile(&text, &["output"]) {
            Ok(rule) => {
                let answer = rule.evaluate(&[("output", &output)]);
                proptest::prop_assert!(answer != Answer::Ambiguous(Why::Broken), "{}", text);
            }
            Err(errors) => {
                proptest::prop_assert!(!errors.is_empty());
                for error in errors {
                    proptest::prop_assert!(text.get(error.at.clone()).is_some(), "{} {:?}", text, error);
                }
            }
        }
    }
}
