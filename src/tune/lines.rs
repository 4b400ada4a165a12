//! Lines of a rulebook's text: what goes is cut out of it, and line ends stay.

use super::layout::{take, take_key};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use toml_edit::{Document, DocumentMut, Item, Key, RawString, Table, TableLike, Value};

/// Cuts a table or value of a section out; comments beside it get lines of their own. Whether it was there.
pub(super) fn cut(document: &mut DocumentMut, section: &str, name: &str) -> bool {
    if let Some(Item::Value(Value::InlineTable(table))) = document.get_mut(section) {
        return take_key(table, name);
    }
    cut_lines(document, |document| {
        let (key, item) = document.get(section)?.as_table()?.get_key_value(name)?;
        let mut spans = Vec::new();
        add_spans(key, item, &mut spans);
        Some(spans)
    })
}

/// Cuts a decision line out in the same way.
pub(super) fn cut_decision(document: &mut DocumentMut, name: &str) -> bool {
    if let Some(Item::Value(Value::Array(array))) = document.get_mut("decide") {
        let is_it = |value: &Value| value.as_inline_table().is_some_and(|it| is_called(it, name));
        let at = array.iter().position(is_it);
        return at.map(|at| take(array, at)).is_some();
    }
    cut_lines(document, |document| {
        let mut tables = document.get("decide")?.as_array_of_tables()?.iter();
        let mut spans = Vec::new();
        add_spans_of(tables.find(|table| is_called(*table, name))?, &mut spans);
        Some(spans)
    })
}

/// Whether a decision line has a name.
pub(super) fn is_called(table: &dyn TableLike, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

fn cut_lines(document: &mut DocumentMut, find: impl FnOnce(&Table) -> Option<Vec<Span>>) -> bool {
    let mut text = document.to_string();
    // Only what was just read knows where it stands.
    let Ok(read) = Document::parse(text.clone()) else { return false };
    let Some(mut spans) = find(read.as_table()) else { return false };
    spans.sort_by_key(|span| span.what.start);
    for Span { what, beside } in spans.into_iter().rev() {
        let start = text[..what.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[what.end..].find('\n').map_or(text.len(), |at| what.end + at + 1);
        let comment = beside.and_then(|beside| text.get(beside)).unwrap_or_default().trim();
        if !comment.is_empty() {
            let before = &text[start..what.start];
            let indent = &before[..before.len() - before.trim_start().len()];
            let line = format!("{indent}{comment}\n");
            text.replace_range(start..end, &line);
            continue;
        }
        text.replace_range(start..end, "");
        // Of two empty lines that meet, one is enough.
        let is_empty = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
        if is_empty(text[..start].lines().next_back()) && text[start..].starts_with('\n') {
            text.remove(start);
        }
    }
    match text.parse() {
        Ok(without) => {
            *document = without;
            true
        }
        Err(_) => false,
    }
}

/// Where something stands that has its lines for itself.
struct Span {
    what: Range<usize>,
    /// What is said on its last line after it.
    beside: Option<Range<usize>>,
}

/// Where a key stands with its value, or all lines of a table.
fn add_spans(key: &Key, item: &Item, spans: &mut Vec<Span>) {
    match item {
        Item::Value(value) => {
            if let (Some(key), Some(value_span)) = (key.span(), value.span()) {
                let beside = value.decor().suffix().and_then(RawString::span);
                spans.push(Span { what: key.start..value_span.end, beside });
            }
        }
        Item::Table(table) => add_spans_of(table, spans),
        Item::ArrayOfTables(tables) => tables.iter().for_each(|it| add_spans_of(it, spans)),
        Item::None => {}
    }
}

fn add_spans_of(table: &Table, spans: &mut Vec<Span>) {
    let has_header = !table.is_dotted() && !table.is_implicit();
    if let Some(header) = table.span().filter(|_| has_header) {
        let beside = table.decor().suffix().and_then(RawString::span);
        spans.push(Span { what: header.start..header.start + 1, beside });
    }
    for (name, item) in table {
        if let Some(key) = table.key(name) {
            add_spans(key, item, spans);
        }
    }
}

/// Ends the lines of a changed text as they ended before, and new ones as most did.
pub(super) fn with_ends_of(before: &str, after: &str) -> String {
    const RETURN: &str = "\r\n";
    let after = after.replace(RETURN, "\n");
    let has_lost_mark = before.starts_with('\u{feff}') && !after.starts_with('\u{feff}');
    let after = if has_lost_mark { format!("\u{feff}{after}") } else { after };
    if !before.contains(RETURN) {
        return after;
    }
    let mut ends: HashMap<&str, VecDeque<&str>> = HashMap::new();
    let mut returns = 0_usize;
    for line in before.split_inclusive('\n') {
        let (text, end) = match line.strip_suffix(RETURN) {
            Some(text) => (text, RETURN),
            None => (line.trim_end_matches('\n'), "\n"),
        };
        returns += usize::from(end == RETURN);
        ends.entry(text).or_default().push_back(end);
    }
    let usual = if 2 * returns >= before.matches('\n').count() { RETURN } else { "\n" };
    let lines = after.split_inclusive('\n').map(|line| {
        let text = line.trim_end_matches('\n');
        let own = ends.get_mut(text).and_then(VecDeque::pop_front);
        format!("{text}{}", own.unwrap_or(usual))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_leaves_the_comments_around_it() {
        let text = r#"name = "x"

# ==== Factors ====
[factors] # all of them
# Agreed with Ann.
verbs = { weight = 1 } # low
dotted.weight = 2 # two

# --- status codes ---
status = { weight = [
  1, # one
] } # s

# A table.
[factors.codes] # codes
# Why so much.
weight = 9 # nine
# ==== Decisions ====
# The line of codes.
[[decide]]
name = "codes" # kept
return = true
# Verbs.
[[decide]]
name = "otherwise"
"#;
        let mut document: DocumentMut = text.parse().expect("TOML");
        for factor in ["verbs", "dotted", "status", "codes"] {
            assert!(cut(&mut document, "factors", factor), "{factor}");
            assert!(!cut(&mut document, "factors", factor), "{factor}");
        }
        assert!(cut_decision(&mut document, "codes"));
        assert!(!cut_decision(&mut document, "codes"));
        let left = r#"name = "x"

# ==== Factors ====
[factors] # all of them
# Agreed with Ann.
# low
# two

# --- status codes ---
# s

# A table.
# codes
# Why so much.
# nine
# ==== Decisions ====
# The line of codes.
# kept
# Verbs.
[[decide]]
name = "otherwise"
"#;
        assert_eq!(document.to_string(), left);

        let text = "decide = [\n  # first\n  { name = \"a\" }, # A\n  # then\n  { name = \"b\" }, # B\n]\n";
        let mut document: DocumentMut = text.parse().expect("TOML");
        assert!(cut_decision(&mut document, "a"));
        let left = "decide = [\n  # first\n  # A\n  # then\n  { name = \"b\" }, # B\n]\n";
        assert_eq!(document.to_string(), left);
    }

    #[test]
    fn lines_end_as_they_did() {
        for (before, after, ended) in [
            ("a\nb\n", "a\nc\n", "a\nc\n"),
            ("a\r\nb\r\n", "a\nc\nb\n", "a\r\nc\r\nb\r\n"),
            ("a\r\nb\nc\n", "b\na\nx\n", "b\na\r\nx\n"),
            ("\u{feff}a\r\n", "a\r\nb\n", "\u{feff}a\r\nb\r\n"),
        ] {
            assert_eq!(with_ends_of(before, after), ended, "{before:?}");
        }
    }
}
