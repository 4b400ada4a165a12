//! Values of rulebooks as people read them.

use crate::rulebook::source::{Entry, Node, Value};

/// How many characters a value is shown with.
const MOST: usize = 120;

pub(super) fn words(node: &Node) -> String {
    let words = unbounded(node);
    match words.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &words[..at]),
        None => words,
    }
}

fn unbounded(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(elements) => joined(elements, ", "),
        Value::Table(entries) => table(entries),
        Value::Date | Value::Null => String::new(),
    }
}

fn joined(elements: &[Node], word: &str) -> String {
    elements.iter().map(unbounded).collect::<Vec<_>>().join(word)
}

/// Conditions read as such, other tables key by key.
fn table(entries: &[Entry]) -> String {
    let part = |entry: &Entry| match (entry.key.as_str(), entry.node.elements()) {
        ("any", Some(elements)) => format!("({})", joined(elements, " or ")),
        ("all", Some(elements)) => format!("({})", joined(elements, " and ")),
        ("contains", Some(elements)) => {
            let texts: Vec<String> =
                elements.iter().map(|text| format!("'{}'", unbounded(text))).collect();
            format!("contains {}", texts.join(", "))
        }
        ("regex", _) => format!("matches /{}/", unbounded(&entry.node)),
        ("signal" | "type" | "severity", _) => unbounded(&entry.node),
        (key, _) => format!("{key} {}", unbounded(&entry.node)),
    };
    entries.iter().map(part).collect::<Vec<_>>().join(" ")
}
