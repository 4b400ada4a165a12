//! A few replies of three servers, judged by a small rulebook, with what is true of them.

use crate::compare::Side;
use crate::compare::samples::judged;
use crate::labels::{Label, Labelled};
use crate::measure::accuracy::{Item, items as items_of};
use crate::rulebook::Rulebook;
use std::sync::Arc;

/// A refusal counts for business logic, a break for the opposite.
const RULEBOOK: &str = r#"
name = "small"
extends = "guide"
[remove]
lists = ["mcp_codes", "business_patterns", "strong_operational_words", "validation_verbs"]
signals = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool", "strong_operational", "textual_evidence"]
factors = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool"]
decide = ["mcp code", "nothing in the text", "strong operational error", "validation tool", "otherwise"]
[lists.refuses]
entries = ["not found"]
[lists.breaks]
entries = ["broken", "crashed", "on fire"]
[signals.refuses]
contains = "refuses"
[signals.breaks]
contains = "breaks"
[factors]
refuses = { weight = 2 }
breaks = { weight = -2 }
[score]
denominator = 2
[[decide]]
name = "score"
threshold = 0.5
[[error_kinds]]
name = "broken"
if = "breaks"
[errors]
policy = "judged"
[hidden_failure]
if = "breaks"
"#;

/// Who answered, whether it is an error, the text, and what is true.
pub(super) const REPLIES: [(&str, bool, &str, Option<Label>); 11] = [
    ("a", true, "item not found", Some(Label::BusinessLogic)),
    ("a", true, "user not found", Some(Label::BusinessLogic)),
    ("b", true, "page not found", Some(Label::BusinessLogic)),
    ("b", true, "you may not", Some(Label::BusinessLogic)),
    ("a", true, "it is broken", Some(Label::ToolFailure)),
    ("b", true, "broken and crashed", Some(Label::ToolFailure)),
    ("b", true, "file not found, broken", Some(Label::ToolFailure)),
    ("b", true, "not sure", None),
    ("a", false, "all good", Some(Label::Ok)),
    ("b", false, "sorry, broken", Some(Label::HiddenFailure)),
    ("c", false, "fine", Some(Label::Ok)),
];

pub(super) fn side() -> Side {
    let rulebook = Arc::new(Rulebook::from_toml(RULEBOOK, "small.toml").expect("a rulebook"));
    let lines = REPLIES.map(|(server, is_error, text, _)| {
        let line = serde_json::json!({
            "server": server,
            "tool": "get",
            "input": {},
            "response": { "content": [{ "type": "text", "text": text }], "isError": is_error },
        });
        line.to_string()
    });
    judged(&rulebook, &lines)
}

pub(super) fn items() -> Vec<Item> {
    let labels = (0..).zip(REPLIES).filter_map(|(at, (.., label))| Some((at, label?)));
    items_of(&side(), &Labelled { of: labels.collect(), ..Labelled::default() })
}
