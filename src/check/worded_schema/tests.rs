use super::*;
use crate::cases;
use crate::check::tests::in_words;
use serde_json::json;

fn shape(schema: Value) -> Shape {
    Shape::compile(schema, "thing").expect("a usable schema")
}

#[test]
fn schemas_with_words_say_what_their_cases_list() {
    cases::check("tests/cases/worded-schemas.txt", |case| {
        let (values, schema) = case.questions(&["value"]);
        let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        let answers: Vec<String> = match Shape::compile(json(&schema), "thing") {
            Ok(shape) => {
                let found = |value: &&str| in_words(&shape.check(&json(&value["value ".len()..])));
                values.iter().map(found).collect()
            }
            Err(mistakes) => {
                mistakes.iter().map(|it| format!("{}: {}", it.pointer, it.message)).collect()
            }
        };
        answers.join("\n")
    });
}

#[test]
fn a_very_large_value_is_told_its_first_violation_only() {
    let shape = shape(json!({"items": {"type": "string"}}));
    let found = |count: usize| shape.check(&Value::from(vec![1; count])).len();
    assert_eq!([50, 5_000, GATHERED_PARTS + 1].map(found), [50, LISTED, 1]);
}

#[test]
fn messages_stay_short_whatever_the_value_is() {
    let schema = json!({"additionalProperties": {"type": "object", "additionalProperties": false}});
    let long = "x".repeat(100_000);
    let value = json!({ long.clone(): { long: 1 } });
    for issue in shape(schema).check(&value) {
        let texts = [Some(issue.message), issue.location, issue.suggestion];
        assert!(texts.iter().flatten().all(|text| text.chars().count() <= Issue::LONGEST));
    }
}
