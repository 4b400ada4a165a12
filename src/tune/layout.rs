//! Comments, commas and line breaks around what is changed in TOML.
//!
//! Comments stay: one beside an entry that goes gets a line of its own; where something is written
//! anew, it stays beside that.

use toml_edit::{Array, Decor, InlineTable, Item, Key, RawString, Table, TableLike, Value};

/// Adds a key after those that are there.
pub(super) fn append(table: &mut dyn TableLike, key: &str, mut item: Item) {
    let Item::Value(value) = &mut item else {
        table.insert(key, item);
        return;
    };
    if let Some((_, Item::Value(last))) = table.iter_mut().last()
        && let Some(space) = space_after(last)
    {
        last.decor_mut().set_suffix("");
        value.decor_mut().set_suffix(space);
    }
    table.insert(key, item);
}

/// Adds an entry after those that are there: on a line of its own, where they have theirs.
pub(super) fn push(array: &mut Array, value: impl Into<Value>) {
    let mut value = value.into();
    let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
    let Some(last) = array.iter_mut().last() else {
        array.push(value);
        return;
    };
    let space = text_of(last.decor().suffix()) + &trailing;
    let before = text_of(last.decor().prefix());
    last.decor_mut().set_suffix("");
    if let Some((beside, closing)) = space.rsplit_once('\n') {
        let indent = before.rsplit_once('\n').map_or("  ", |(_, indent)| indent);
        value.decor_mut().set_prefix(format!("{beside}\n{indent}"));
        array.set_trailing(format!("\n{closing}"));
    } else {
        value.decor_mut().set_prefix(" ");
        array.set_trailing(space);
    }
    array.push_formatted(value);
}

/// Takes an entry out.
pub(super) fn take(array: &mut Array, at: usize) {
    let removed = array.remove(at);
    let before = text_of(removed.decor().prefix());
    let suffix = text_of(removed.decor().suffix());
    if let Some(next) = array.get_mut(at) {
        let after = suffix + &text_of(next.decor().prefix());
        next.decor_mut().set_prefix(joined(&before, &after, false));
    } else {
        let after = suffix + array.trailing().as_str().unwrap_or_default();
        array.set_trailing(joined(&before, &after, true));
    }
}

/// Takes a key out of a table between braces; whether it was there.
pub(super) fn take_key(table: &mut InlineTable, name: &str) -> bool {
    let Some(at) = table.iter().position(|(key, _)| key == name) else { return false };
    let next = table.iter().nth(at + 1).map(|(key, _)| key.to_owned());
    let Some((key, removed)) = table.remove_entry(name) else { return false };
    let before = text_of(key.leaf_decor().prefix());
    let suffix = text_of(removed.decor().suffix());
    if let Some(mut next) = next.and_then(|next| table.key_mut(&next)) {
        let after = suffix + &text_of(next.leaf_decor().prefix());
        next.leaf_decor_mut().set_prefix(joined(&before, &after, false));
        return true;
    }
    let after = suffix + table.trailing().as_str().unwrap_or_default();
    let space = joined(&before, &after, true);
    let has_comma = table.trailing_comma();
    match table.iter_mut().last() {
        // So the space before the brace stays where what is added later finds it.
        Some((_, last)) if !has_comma => {
            last.decor_mut().set_suffix(space);
            table.set_trailing("");
        }
        Some(_) | None => table.set_trailing(space),
    }
    true
}

/// Writes one key for several: where the first of them stood, with the comments of all.
pub(super) fn replace(
    table: &mut dyn TableLike,
    keys: &[&str],
    to: &str,
    make: impl FnOnce(InlineTable) -> Value,
) {
    let end = table.iter().last().and_then(|(_, item)| item.as_value()).and_then(space_after);
    let mut kept: Vec<(Key, Item)> = Vec::new();
    let mut moved = InlineTable::new();
    let mut around = Around::default();
    let mut place = None;
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let key = table.key(&name).cloned().unwrap_or_else(|| Key::new(&name));
        let Some(item) = table.remove(&name) else { continue };
        if !keys.contains(&name.as_str()) {
            kept.push((key, item));
            continue;
        }
        place.get_or_insert(kept.len());
        around.add(&key, &item);
        if let Ok(mut value) = item.into_value() {
            // A comment would end the line that all of it stands on.
            value.decor_mut().clear();
            moved.insert(name, value);
        }
    }
    let mut value = make(moved);
    *value.decor_mut() = around.beside();
    let key = Key::new(to).with_leaf_decor(around.above());
    kept.insert(place.unwrap_or(kept.len()), (key, Item::Value(value)));
    for (key, item) in kept {
        table.entry_format(&key).or_insert(item);
        // A table between braces forgets what stands around a key.
        if let Some(mut inserted) = table.key_mut(key.get()) {
            *inserted.leaf_decor_mut() = key.leaf_decor().clone();
            *inserted.dotted_decor_mut() = key.dotted_decor().clone();
        }
    }
    if let (Some(end), Some((_, Item::Value(last)))) = (end, table.iter_mut().last())
        && text_of(last.decor().suffix()).trim().is_empty()
    {
        last.decor_mut().set_suffix(end);
    }
}

/// What stands around keys that become one.
#[derive(Default)]
struct Around {
    above: Option<String>,
    beside: String,
}

impl Around {
    fn add(&mut self, key: &Key, item: &Item) {
        let mut comments = String::new();
        let prefix = match item {
            Item::Value(value) => {
                let beside = text_of(value.decor().suffix());
                if beside.contains('#') {
                    self.beside += &beside;
                }
                text_of(key.leaf_decor().prefix())
            }
            Item::Table(_) | Item::ArrayOfTables(_) | Item::None => {
                comments_in(item, &mut comments);
                comments
            }
        };
        match &mut self.above {
            Some(above) if prefix.contains('#') => above.push_str(&prefix),
            Some(_) => {}
            // A key without anything around it is laid out as its table is.
            none => {
                let is_laid_out = key.leaf_decor().prefix().is_some() || !prefix.is_empty();
                *none = is_laid_out.then_some(prefix);
            }
        }
    }

    fn above(&self) -> Decor {
        let mut decor = Decor::default();
        if let Some(above) = &self.above {
            decor.set_prefix(above.as_str());
        }
        decor
    }

    fn beside(&self) -> Decor {
        let mut decor = Decor::default();
        if !self.beside.is_empty() {
            decor.set_suffix(self.beside.as_str());
        }
        decor
    }
}

/// All comments in and beside tables, each as a line.
fn comments_in(item: &Item, lines: &mut String) {
    let tables: Vec<&Table> = match item {
        Item::Table(table) => vec![table],
        Item::ArrayOfTables(tables) => tables.iter().collect(),
        Item::Value(value) => return comments_of(value.decor().suffix(), lines),
        Item::None => return,
    };
    for table in tables {
        comments_of(table.decor().prefix(), lines);
        comments_of(table.decor().suffix(), lines);
        for (name, item) in table {
            comments_of(table.key(name).and_then(|key| key.leaf_decor().prefix()), lines);
            comments_in(item, lines);
        }
    }
}

fn comments_of(raw: Option<&RawString>, lines: &mut String) {
    let text = text_of(raw);
    for comment in text.lines().map(str::trim).filter(|line| line.starts_with('#')) {
        lines.push_str(comment);
        lines.push('\n');
    }
}

/// What stands between two entries once the one between them is gone, by what stood before and after it,
/// and whether it was the last.
fn joined(before: &str, after: &str, is_last: bool) -> String {
    match (before.rsplit_once('\n'), after.split_once('\n')) {
        // It had its lines for itself: they go, but for what is said beside.
        (Some((kept, indent)), Some((beside, rest))) if beside.contains('#') => {
            format!("{kept}\n{indent}{}\n{rest}", beside.trim())
        }
        (Some((kept, _)), Some((_, rest))) => {
            let is_blank = kept.trim_end_matches([' ', '\t']).ends_with('\n');
            let rest = match rest.split_once('\n') {
                Some((blank, rest)) if is_blank && blank.trim().is_empty() => rest,
                _ => rest,
            };
            format!("{kept}\n{rest}")
        }
        (Some((kept, _)), None) if is_last => {
            if kept.contains('#') {
                format!("{kept}\n")
            } else {
                after.to_owned()
            }
        }
        (Some(_), None) => before.to_owned(),
        (None, Some(_)) => after.to_owned(),
        (None, None) => if is_last { after } else { before }.to_owned(),
    }
}

/// The space after a value, where nothing else stands there.
fn space_after(value: &Value) -> Option<String> {
    let space = text_of(value.decor().suffix());
    (!space.is_empty() && space.trim().is_empty()).then_some(space)
}

fn text_of(raw: Option<&RawString>) -> String {
    raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml_edit::DocumentMut;

    fn changed(text: &str, change: impl FnOnce(&mut Item)) -> String {
        let mut document: DocumentMut = text.parse().expect(text);
        change(&mut document["x"]);
        let changed = document.to_string();
        assert!(changed.parse::<DocumentMut>().is_ok(), "{changed}");
        changed
    }

    #[test]
    fn comments_around_an_entry_that_goes_stay() {
        for (before, at, after) in [
            ("x = [\n  \"a\", # A\n  \"b\", # B\n]\n", 0, "x = [\n  # A\n  \"b\", # B\n]\n"),
            ("x = [\n  \"a\", # A\n  \"b\", # B\n]\n", 1, "x = [\n  \"a\", # A\n  # B\n]\n"),
            ("x = [\n  \"a\", # A\n  \"b\" # B\n]\n", 1, "x = [\n  \"a\" # A\n  # B\n]\n"),
            (
                "x = [ # X\n  # A\n  \"a\", # a\n  # B\n  \"b\",\n]",
                0,
                "x = [ # X\n  # A\n  # a\n  # B\n  \"b\",\n]\n",
            ),
            ("x = [ # X\n  # A\n  \"a\", # a\n  # B\n]", 0, "x = [ # X\n  # A\n  # a\n  # B\n]\n"),
            (
                "x = [\n  \"a\", \"b\", # both\n  \"c\",\n]",
                1,
                "x = [\n  \"a\", # both\n  \"c\",\n]\n",
            ),
            ("x = [\n  \"a\",\n\n  \"b\",\n\n  \"c\",\n]", 1, "x = [\n  \"a\",\n\n  \"c\",\n]\n"),
            ("x = [\"a\", \"b\", \"c\"]", 1, "x = [\"a\", \"c\"]\n"),
            ("x = [ \"a\", \"b\" ]", 1, "x = [ \"a\" ]\n"),
            ("x = [\"a\", \"b\"]", 0, "x = [\"b\"]\n"),
            ("x = [\n  # A\n  \"a\"]", 0, "x = [\n  # A\n]\n"),
        ] {
            let done = changed(before, |x| take(x.as_array_mut().expect("an array"), at));
            assert_eq!(done, after, "{before}");
        }
        for (before, name, after) in [
            ("x = { a = 1, b = 2 }\n", "a", "x = { b = 2 }\n"),
            ("x = { a = 1, b = 2 } # X\n", "b", "x = { a = 1 } # X\n"),
            (
                "x = {\n  # A\n  a = 1, # a\n  # B\n  b = 2, # b\n}",
                "a",
                "x = {\n  # A\n  # a\n  # B\n  b = 2, # b\n}\n",
            ),
        ] {
            let done = changed(before, |x| {
                assert!(take_key(x.as_inline_table_mut().expect("a table"), name), "{name}");
            });
            assert_eq!(done, after, "{before}");
        }
    }

    #[test]
    fn what_is_added_stands_as_the_others_do() {
        for (before, after) in [
            ("x = []", "x = [\"new\"]\n"),
            ("x = [ \"a\" ] # X\n", "x = [ \"a\", \"new\" ] # X\n"),
            (
                "x = [\n    \"a\", # A\n    # B\n  ]",
                "x = [\n    \"a\", # A\n    # B\n    \"new\",\n  ]\n",
            ),
            ("x = [\n  \"a\" # A\n]", "x = [\n  \"a\", # A\n  \"new\"\n]\n"),
        ] {
            let done = changed(before, |x| push(x.as_array_mut().expect("an array"), "new"));
            assert_eq!(done, after, "{before}");
        }
        for (before, after) in [
            ("x = { a = 1 } # X\n", "x = { a = 1, new = 2 } # X\n"),
            ("x = {a = 1}", "x = {a = 1, new = 2 }\n"),
            ("[x]\na = 1 # A\n", "[x]\na = 1 # A\nnew = 2\n"),
        ] {
            let new = Item::Value(Value::from(2));
            let done = changed(before, |x| {
                append(x.as_table_like_mut().expect("a table"), "new", new);
            });
            assert_eq!(done, after, "{before}");
        }
    }

    #[test]
    fn keys_that_become_one_leave_their_place_and_comments() {
        for (before, after) in [
            (
                "[x]\nk = 0 # K\n# A\na = 1 # a\n\n# C\nc = 3\n# B\nb = 2 # b\n",
                "[x]\nk = 0 # K\n# A\n# B\nab = [{ a = 1, b = 2 }] # a # b\n\n# C\nc = 3\n",
            ),
            ("x = { a = 1, c = 3, b = 2 } # X\n", "x = { ab = [{ a = 1, b = 2 }], c = 3 } # X\n"),
            ("x = { c = 3, a = 1 }\n", "x = { c = 3, ab = [{ a = 1 }] }\n"),
            ("x.a = 1 # a\n", "x.ab = [{ a = 1 }] # a\n"),
            ("[x]\n# A\na.q = 1 # q\n", "[x]\n# A\n# q\nab = [{ a = { q = 1 } }]\n"),
            (
                "x = {\n  # A\n  a = 1, # a\n  # B\n  b = 2 # b\n}",
                "x = {\n  # A\n   # a\n  # B\n  ab = [{ a = 1, b = 2 }] # b\n}\n",
            ),
        ] {
            let done = changed(before, |x| {
                let table = x.as_table_like_mut().expect("a table");
                replace(table, &["a", "b"], "ab", |both| Value::Array(Array::from_iter([both])));
            });
            assert_eq!(done, after, "{before}");
        }
    }
}
