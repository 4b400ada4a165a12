//! Variants of patterns that a rulebook has, and writing them into its TOML.

use super::change::{ChangeError, add_table, array_of, section, text};
use super::layout::{push, replace, take};
use std::fmt;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// The keys by which a table says what it looks for.
const QUESTION: [&str; 4] = ["contains", "in", "match", "case"];
/// All keys by which a fact says what it observes.
const OBSERVES: [&str; 10] =
    ["any", "all", "not", "contains", "regex", "equals", "fact", "in", "match", "case"];

/// A variant of a pattern, or of what it makes true.
#[derive(Clone, Debug, PartialEq)]
pub enum Variation {
    /// A list without one of its entries.
    Without {
        /// The list.
        list: String,
        /// The entry.
        entry: String,
    },
    /// An entry that counts as a word only.
    Word {
        /// The list.
        list: String,
        /// The entry.
        entry: String,
        /// The list of words that it moves to.
        to: String,
        /// The facts that look for the list, and for its words from then on.
        facts: Vec<Definition>,
    },
    /// A fact that does not hold beside something else.
    Veto {
        /// The fact.
        fact: Definition,
        /// What it does not hold beside.
        by: Veto,
    },
}

/// What a fact does not hold beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Veto {
    /// Another fact.
    Fact(String),
    /// A phrase in the text, as words.
    Phrase(String),
}

/// A fact with what it observes, for rulebooks that inherit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The fact.
    pub name: String,
    /// What it observes, as TOML.
    pub text: String,
}

impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without { list, entry } => {
                write!(f, "list `{list}` goes without \"{entry}\"")
            }
            Self::Word { list, entry, to, .. } => {
                write!(f, "\"{entry}\" of list `{list}` counts as a word only: list `{to}`")
            }
            Self::Veto { fact, by: Veto::Fact(other) } => {
                write!(f, "fact `{}` does not hold where `{other}` does", fact.name)
            }
            Self::Veto { fact, by: Veto::Phrase(phrase) } => {
                write!(f, "fact `{}` does not hold where the text says \"{phrase}\"", fact.name)
            }
        }
    }
}

impl Variation {
    /// Writes it into the text of a rulebook.
    pub(super) fn write(
        &self,
        document: &mut DocumentMut,
        extends: bool,
    ) -> Result<(), ChangeError> {
        match self {
            Self::Without { list, entry } => leave_out(document, (list, entry), extends),
            Self::Word { list, entry, to, facts } => {
                leave_out(document, (list, entry), extends)?;
                add_word(document, (list, to), entry)?;
                for fact in facts {
                    ask_also(own(document, fact)?, (list, to));
                }
                Ok(())
            }
            Self::Veto { fact, by } => {
                hold_unless(own(document, fact)?, by);
                Ok(())
            }
        }
    }
}

/// The facts of a resolved rulebook that look for a list.
pub(super) fn asking(resolved: &DocumentMut, list: &str) -> Vec<Definition> {
    let facts = resolved.get("facts").and_then(Item::as_table_like);
    let names = facts.into_iter().flat_map(|facts| facts.iter().map(|(name, _)| name.to_owned()));
    let asks = |name: &String| {
        let fact = resolved.get("facts")?.get(name)?.as_table_like()?;
        let mut copy = plain(fact);
        // No list has an empty name, so that none is taken for looked for already.
        ask_also(&mut copy, (list, "")).then(|| definition(resolved, name))?
    };
    names.filter_map(|name| asks(&name)).collect()
}

/// What a fact of a resolved rulebook observes.
pub(super) fn definition(resolved: &DocumentMut, name: &str) -> Option<Definition> {
    let fact = resolved.get("facts")?.get(name)?.as_table_like()?;
    let text = DocumentMut::from(plain(fact)).to_string();
    Some(Definition { name: name.to_owned(), text })
}

/// How many entries a list of a resolved rulebook has, under all of its headings.
pub(super) fn entries_of(resolved: &DocumentMut, list: &str) -> usize {
    let list = resolved.get("lists").and_then(|lists| lists.get(list));
    let arrays = |key: &str| -> Vec<&Array> {
        match list.and_then(|list| list.get(key)) {
            Some(Item::Value(Value::Array(array))) => vec![array],
            Some(item) => {
                let groups = item.as_table_like().into_iter();
                groups.flat_map(|it| it.iter().filter_map(|(_, it)| it.as_array())).collect()
            }
            None => Vec::new(),
        }
    };
    ["entries", "groups"].into_iter().flat_map(arrays).map(Array::len).sum()
}

/// What a fact observes, without what is told about it, one value to a key.
fn plain(fact: &dyn TableLike) -> Table {
    let mut plain = Table::new();
    for (key, item) in fact.iter().filter(|(key, _)| OBSERVES.contains(key)) {
        if let Ok(value) = item.clone().into_value() {
            plain.insert(key, Item::Value(value));
        }
    }
    plain
}

/// A fact's own table, of a rulebook that may only inherit it.
fn own<'d>(
    document: &'d mut DocumentMut,
    fact: &Definition,
) -> Result<&'d mut dyn TableLike, ChangeError> {
    let unchangeable = || ChangeError::Unchangeable(format!("facts.{}", fact.name));
    if section(document, "facts")?.get(&fact.name).is_none() {
        let inherited: DocumentMut = fact.text.parse().map_err(|_| unchangeable())?;
        add_table(document, ("facts", &fact.name), inherited.as_table().clone())?;
    }
    let facts = section(document, "facts")?;
    facts.get_mut(&fact.name).and_then(Item::as_table_like_mut).ok_or_else(unchangeable)
}

/// Takes an entry out of a list: where it stands, or by `remove` where it is inherited.
fn leave_out(
    document: &mut DocumentMut,
    (list, entry): (&str, &str),
    extends: bool,
) -> Result<(), ChangeError> {
    let unchangeable = || ChangeError::Unchangeable(format!("lists.{list}"));
    if section(document, "lists")?.get(list).is_none() && extends {
        add_table(document, ("lists", list), Table::new())?;
    }
    let lists = section(document, "lists")?;
    let own = lists.get_mut(list).and_then(Item::as_table_like_mut).ok_or_else(unchangeable)?;
    let mut found = false;
    for key in ["entries", "groups", "add"] {
        match own.get_mut(key) {
            Some(Item::Value(Value::Array(array))) => found |= take_out(array, entry),
            Some(item) => {
                for (_, group) in item.as_table_like_mut().into_iter().flat_map(|it| it.iter_mut())
                {
                    found |= group.as_array_mut().is_some_and(|array| take_out(array, entry));
                }
            }
            None => {}
        }
    }
    if found {
        return Ok(());
    }
    if !extends || own.contains_key("entries") || own.contains_key("groups") {
        return Err(unchangeable());
    }
    push(array_of(own, "remove").ok_or_else(unchangeable)?, entry);
    Ok(())
}

fn take_out(array: &mut Array, entry: &str) -> bool {
    let is_it = |value: &Value| value.as_str().is_some_and(|text| text.to_lowercase() == entry);
    let at = array.iter().position(is_it);
    at.map(|at| take(array, at)).is_some()
}

/// Adds an entry to a list of words, which is made where it is not there.
fn add_word(
    document: &mut DocumentMut,
    (list, to): (&str, &str),
    entry: &str,
) -> Result<(), ChangeError> {
    if section(document, "lists")?.get(to).is_none() {
        let about = format!(
            "Entries of `{list}` that count as words only, for what they hit inside of others."
        );
        let mut words = Table::new();
        words.insert("about", text(&about));
        words.insert("match", text("word"));
        words.insert("entries", Item::Value(Value::Array(Array::new())));
        add_table(document, ("lists", to), words)?;
    }
    let lists = section(document, "lists")?;
    let entries = lists.get_mut(to).and_then(|words| words.get_mut("entries"));
    let entries = entries.and_then(Item::as_array_mut);
    push(entries.ok_or_else(|| ChangeError::Unchangeable(format!("lists.{to}")))?, entry);
    Ok(())
}

/// Lets a fact look for a second list wherever it looks for the first; whether it does anywhere.
fn ask_also(table: &mut dyn TableLike, (list, to): (&str, &str)) -> bool {
    let mut asks = false;
    for key in ["any", "all", "not"] {
        let parts: Vec<&mut dyn TableLike> = match table.get_mut(key) {
            Some(Item::Value(Value::Array(parts))) => {
                let parts = parts.iter_mut().filter_map(Value::as_inline_table_mut);
                parts.map(|part| part as &mut dyn TableLike).collect()
            }
            Some(Item::ArrayOfTables(parts)) => {
                parts.iter_mut().map(|part| part as &mut dyn TableLike).collect()
            }
            Some(item) => item.as_table_like_mut().into_iter().collect(),
            None => continue,
        };
        if key == "any" && parts.iter().any(|part| asks_for(*part, to)) {
            continue;
        }
        for part in parts {
            asks |= ask_also(part, (list, to));
        }
    }
    if asks_for(table, list) {
        replace(table, &QUESTION, "any", |first| {
            let mut second = first.clone();
            second.remove("match");
            second.insert("contains", Value::from(to));
            Value::Array(Array::from_iter([first, second]))
        });
        asks = true;
    }
    asks
}

fn asks_for(part: &dyn TableLike, list: &str) -> bool {
    part.get("contains").and_then(Item::as_str) == Some(list)
}

/// Lets a fact hold only where something else does not.
fn hold_unless(table: &mut dyn TableLike, by: &Veto) {
    let denied = match by {
        Veto::Fact(fact) => Value::from(fact.as_str()),
        Veto::Phrase(phrase) => {
            let mut question = InlineTable::new();
            question.insert("contains", Value::Array(Array::from_iter([phrase.as_str()])));
            question.insert("match", Value::from("word"));
            Value::InlineTable(question)
        }
    };
    let mut unless = InlineTable::new();
    unless.insert("not", denied);
    match table.get_mut("all") {
        Some(Item::Value(Value::Array(parts))) => push(parts, unless),
        Some(Item::ArrayOfTables(parts)) => parts.push(unless.into_table()),
        Some(_) | None => replace(table, &OBSERVES, "all", |mut observes| {
            let holds = observes.remove("fact").unwrap_or(Value::InlineTable(observes));
            Value::Array(Array::from_iter([holds, Value::InlineTable(unless)]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{Observing, Rulebook, Subject};
    use crate::tune::change::{Change, apply};
    use crate::tune::reply::Asked;

    const OWN: &str = r#"# Ours.
name = "own"
extends = "guide" # as shipped

[lists.fruit]
entries = [
  # The round ones.
  "apple", "plum",
  "pear", # long
]

[facts.fruity]
contains = "fruit" # whatever ripens
yes = ["plum"]

[factors]
fruity = { weight = 1 }
"#;

    fn variations(resolved: &str) -> Vec<Variation> {
        let resolved: DocumentMut = resolved.parse().expect("TOML");
        let word = |list: &str, entry: &str| Variation::Word {
            list: list.to_owned(),
            entry: entry.to_owned(),
            to: format!("{list}_as_words"),
            facts: asking(&resolved, list),
        };
        let fact = |name: &str| definition(&resolved, name).expect("there");
        vec![
            Variation::Without { list: "fruit".to_owned(), entry: "apple".to_owned() },
            word("fruit", "pear"),
            Variation::Without {
                list: "business_patterns".to_owned(),
                entry: "quota exceeded".to_owned(),
            },
            word("business_patterns", "conflict"),
            word("business_patterns", "duplicate"),
            word("mcp_codes", "-32602"),
            Variation::Veto {
                fact: fact("http_status"),
                by: Veto::Phrase("bad gateway".to_owned()),
            },
            Variation::Veto {
                fact: fact("strong_operational"),
                by: Veto::Fact("fruity".to_owned()),
            },
        ]
    }

    fn says(rulebook: &Rulebook, text: &str) -> Vec<String> {
        let seen = rulebook.observe(&Subject { text, ..Subject::default() }, Observing::Errors);
        let facts = rulebook.facts.iter().enumerate();
        facts.filter(|(at, _)| seen.facts.has(*at)).map(|(_, fact)| fact.name.clone()).collect()
    }

    #[test]
    fn variants_of_own_and_inherited_patterns_are_written() {
        let start = Rulebook::from_toml(OWN, "own.toml").expect("a rulebook");
        let changes: Vec<Change> = variations(&start.resolved)
            .into_iter()
            .map(|variation| Change::Variant { variation, asked: Asked::Failed })
            .collect();
        let in_place = apply(OWN, &changes).expect("written");
        for kept in [
            "# Ours.",
            "# as shipped",
            "# The round ones.",
            "# whatever ripens",
            "[\"quota exceeded\"",
        ] {
            assert!(in_place.contains(kept), "{kept}: {in_place}");
        }
        let resolved = apply(&start.resolved, &changes).expect("written");
        let books = [in_place.clone(), resolved].map(|text| {
            Rulebook::from_toml(&text, "own.toml").unwrap_or_else(|e| panic!("{e}{text}"))
        });
        assert_eq!(books[0].digest, books[1].digest);
        for (text, before, after) in [
            ("apple", vec!["fruity"], vec![]),
            ("plums", vec!["fruity"], vec!["fruity"]),
            ("a pear", vec!["fruity"], vec!["fruity"]),
            ("spears", vec!["fruity"], vec![]),
            (
                "quota exceeded",
                vec!["business_pattern", "strong_operational", "textual_evidence"],
                vec![],
            ),
            ("conflicted", vec!["business_pattern", "textual_evidence"], vec![]),
            (
                "a conflict, a duplicate",
                vec!["business_pattern", "textual_evidence"],
                vec!["business_pattern", "textual_evidence"],
            ),
            ("403 bad gateway", vec!["http_status", "textual_evidence"], vec![]),
            ("-32602", vec!["mcp_code", "textual_evidence"], vec!["mcp_code", "textual_evidence"]),
        ] {
            assert_eq!(says(&start, text), before, "{text}");
            assert_eq!(says(&books[0], text), after, "{text}: {in_place}");
        }
        let both = "conflict: rate limit for plum";
        assert!(says(&start, both).contains(&"strong_operational".to_owned()));
        assert!(!says(&books[0], both).contains(&"strong_operational".to_owned()));
        assert!(says(&books[0], both).contains(&"business_pattern".to_owned()));
    }
    #[test]
    fn facts_that_are_written_anew_keep_their_comments_and_order() {
        const COMMENTED: &str = r#"name = "own"
extends = "guide"

[lists.animals]
entries = ["cat", "lynx"] # l1

[facts.animal]
# f0 why
contains = "animals" # f1
# f2
in = "text" # f3
# y0
yes = ["a cat"] # y1

[facts.two]
# any0
any = [
  # p0
  { contains = "animals", in = "text" }, # p1
  # p2
  { regex = 'zz+' }, # p3
] # any1

[facts.three]
# all0
all = [
  "animal", # q1
  { not = { regex = 'yy' } }, # q2
] # q3

# t0
[[facts.tables.any]] # t1
# t2
contains = "animals" # t3
# t4
[[facts.tables.any]]
regex = 'q+'

[facts.inline]
not.contains = "animals" # n1

[factors]
animal = { weight = 1 }
"#;
        let start = Rulebook::from_toml(COMMENTED, "own.toml").expect("a rulebook");
        let resolved: DocumentMut = start.resolved.parse().expect("TOML");
        let word = Variation::Word {
            list: "animals".to_owned(),
            entry: "cat".to_owned(),
            to: "animals_as_words".to_owned(),
            facts: asking(&resolved, "animals"),
        };
        let vetoes = ["animal", "three", "tables", "inline"].map(|name| Variation::Veto {
            fact: definition(&resolved, name).expect("there"),
            by: Veto::Phrase("kettle".to_owned()),
        });
        let variations = std::iter::once(word).chain(vetoes);
        let changes: Vec<Change> = variations
            .map(|variation| Change::Variant { variation, asked: Asked::Failed })
            .collect();
        let written = apply(COMMENTED, &changes).expect("written");
        for comment in COMMENTED.split_inclusive('\n').filter_map(|line| line.split_once("# ")) {
            assert!(written.contains(comment.1.trim()), "{}: {written}", comment.1);
        }
        let order = ["# f0 why\n# f2\nall = [", "# f1 # f3\n# y0\nyes = [\"a cat\"] # y1"];
        for part in
            order.iter().chain(&["\"animal\", # q1\n", "{ not = { regex = 'yy' } }, # q2\n"])
        {
            assert!(written.contains(part), "{part}: {written}");
        }
        assert!(!written.contains(" ,") && !written.contains("  }"), "{written}");
        let book = Rulebook::from_toml(&written, "own.toml").expect(&written);
        assert!(says(&book, "a cat").contains(&"animal".to_owned()));
        assert!(!says(&book, "concatenate").contains(&"animal".to_owned()));
        assert!(!says(&book, "a cat, a kettle").contains(&"animal".to_owned()));
    }
}
