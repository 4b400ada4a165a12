//! Facts from TOML and CSV, with all mistakes of a file at once.

use super::{Fact, Facts, Known, Subject};
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::{Node, Section, Value};
use hashbrown::HashMap;

/// How many facts one file may have.
const MOST: usize = 100_000;
/// The columns of a CSV file; the last one may be absent.
const COLUMNS: [&str; 5] = ["subject", "field", "value", "source", "cited_at"];

impl Facts {
    /// Facts from TOML. Problems name the file by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let mut written = Vec::new();
        if let Some(root) = Node::parse(text, file, &problems)
            && let Some(mut root) = Section::open(&root, &problems)
        {
            let entries = root.list("facts");
            written.extend(entries.iter().filter_map(|entry| from_entry(entry, &problems)));
            root.finish();
        }
        collect(written, Mark { file, start: 0, end: 0 }, problems)
    }

    /// Facts from CSV. Problems name the file by the label.
    pub fn from_csv(text: &str, label: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut written = Vec::new();
        if let Some(columns) = columns(&mut reader, file, &problems) {
            for record in reader.records() {
                written.extend(match record {
                    Ok(record) => from_record(&record, &columns, file, &problems),
                    Err(error) => {
                        let start = error.position().map_or(0, at);
                        problems.error(Mark { file, start, end: start }, csv_fault(&error));
                        None
                    }
                });
            }
        }
        collect(written, Mark { file, start: 0, end: 0 }, problems)
    }
}

type Written = (Fact, Mark);

/// Gathers the facts of a file, of which no two may say something of the same field.
fn collect(written: Vec<Written>, whole: Mark, problems: Problems) -> Result<Facts, Vec<Problem>> {
    let mut facts = Facts::default();
    if written.len() > MOST {
        problems.error(whole, format!("there are more than {MOST} facts in this file"));
    } else if written.is_empty() && !problems.has_errors() {
        problems.error(whole, "there are no facts in this file");
    }
    let mut met: HashMap<(Subject, String), Mark> = HashMap::new();
    for (fact, mark) in written {
        let key = (fact.subject.clone(), fact.field.clone());
        if let Some(first) = met.get(&key) {
            let (Subject { pointer, text }, field) = key;
            let subject = if pointer.is_empty() { text } else { format!("{pointer}={text}") };
            let place = problems.place(*first);
            let message = format!("{field} of {subject} is stated twice, first at {place}");
            problems.error(mark, message);
        } else {
            met.insert(key, mark);
            facts.add(fact);
        }
    }
    if problems.has_errors() { Err(problems.into_errors()) } else { Ok(facts) }
}

fn from_entry(entry: &Node, problems: &Problems) -> Option<Written> {
    let mut section = Section::open(entry, problems)?;
    let subject = section.require("subject", Section::text);
    let field = section.require("field", Section::text);
    let unknown = section.flag("unknown").unwrap_or(false);
    let known = match section.take("value") {
        Some(node) if unknown => {
            problems.error(node.mark, "a fact has either `value` or `unknown`: remove one of them");
            None
        }
        Some(node) => read_value(node, problems),
        None if unknown => Some(Known::Nothing),
        None => {
            section.error("`value` is missing here, or `unknown = true`");
            None
        }
    };
    let (source, cited_at) = (section.text("source"), section.text("cited_at"));
    let marks = ["subject", "field", "cited_at"].map(|key| section.mark_of(key));
    let mark = section.mark;
    section.finish();
    Some((read_fact(subject, field, known, source, cited_at, marks, problems)?, mark))
}

/// A value; TOML's dates are none of JSON's types.
fn read_value(node: &Node, problems: &Problems) -> Option<Known> {
    if let Some(date) = first_date(node) {
        problems.error(date.mark, "JSON has no dates: write it as a text, in quotes");
        return None;
    }
    Some(Known::Value(node.to_json()))
}

fn first_date(node: &Node) -> Option<&Node> {
    match &node.value {
        Value::Date => Some(node),
        Value::List(elements) => elements.iter().find_map(first_date),
        Value::Table(entries) => entries.iter().find_map(|entry| first_date(&entry.node)),
        Value::Text(_) | Value::Number(_) | Value::Flag(_) | Value::Null => None,
    }
}

/// `POINTER=TEXT` where it begins with a slash; else a tool.
fn read_subject(text: &str, mark: Mark, problems: &Problems) -> Option<Subject> {
    if !text.starts_with('/') {
        if text.is_empty() {
            problems.error(mark, "the subject is empty: name a tool, or POINTER=VALUE");
        }
        let tool = || Subject { pointer: String::new(), text: text.to_owned() };
        return (!text.is_empty()).then(tool);
    }
    let Some((pointer, value)) = text.split_once('=') else {
        let message = "a subject that begins with a slash must be POINTER=VALUE";
        let help = "such as /id=42; a tool is named without a slash before it".to_owned();
        problems.error_with_help(mark, message, Some(help));
        return None;
    };
    Some(Subject { pointer: pointer.to_owned(), text: value.to_owned() })
}

fn read_pointer(text: &str, mark: Mark, problems: &Problems) -> Option<String> {
    if text.starts_with('/') {
        return Some(text.to_owned());
    }
    let help = format!("did you mean `/{}`?", text.replace('.', "/"));
    problems.error_with_help(mark, "a JSON pointer begins with a slash", Some(help));
    None
}

/// A fact of which each part is read as far as it can be, with the places of its subject, field and citation.
fn read_fact(
    subject: Option<&str>,
    field: Option<&str>,
    known: Option<Known>,
    source: Option<&str>,
    cited_at: Option<&str>,
    marks: [Mark; 3],
    problems: &Problems,
) -> Option<Fact> {
    let subject = subject.and_then(|text| read_subject(text, marks[0], problems));
    let field = field.and_then(|text| read_pointer(text, marks[1], problems));
    // The empty pointer means the whole reply.
    let cited_at = cited_at.and_then(|text| match text {
        "" => Some(String::new()),
        _ => read_pointer(text, marks[2], problems),
    });
    if cited_at.is_some() && source.is_none() {
        let message = "a source must be named before a reply can cite it: add `source`";
        problems.error(marks[2], message);
    }
    let source = source.map(str::to_owned);
    Some(Fact { subject: subject?, field: field?, known: known?, source, cited_at })
}

/// Which column of a file is which of [`COLUMNS`].
type Columns = [Option<usize>; COLUMNS.len()];

fn columns(reader: &mut csv::Reader<&[u8]>, file: usize, problems: &Problems) -> Option<Columns> {
    let start = Mark { file, start: 0, end: 0 };
    let names = match reader.headers() {
        Ok(names) => names.clone(),
        Err(error) => {
            problems.error(start, csv_fault(&error));
            return None;
        }
    };
    for name in names.iter().filter(|name| !COLUMNS.contains(name)) {
        let help = did_you_mean(name, COLUMNS)
            .unwrap_or_else(|| format!("known columns: {}", COLUMNS.join(", ")));
        problems.error_with_help(start, format!("unknown column `{name}`"), Some(help));
    }
    let found = COLUMNS.map(|column| names.iter().position(|name| name == column));
    for (column, _) in COLUMNS[..4].iter().zip(found).filter(|(_, place)| place.is_none()) {
        problems.error(start, format!("the column `{column}` is missing"));
    }
    found[..4].iter().all(Option::is_some).then_some(found)
}

fn from_record(
    record: &csv::StringRecord,
    columns: &Columns,
    file: usize,
    problems: &Problems,
) -> Option<Written> {
    let start = record.position().map_or(0, at);
    let mark = Mark { file, start, end: start };
    let [subject, field, value, source, cited_at] =
        columns.map(|column| column.and_then(|column| record.get(column)).unwrap_or_default());
    let known = if value.is_empty() { Known::Nothing } else { Known::Written(value.to_owned()) };
    let [source, cited_at] = [source, cited_at].map(|text| Some(text).filter(|it| !it.is_empty()));
    let (subject, field) = (Some(subject), Some(field));
    let fact = read_fact(subject, field, Some(known), source, cited_at, [mark; 3], problems)?;
    Some((fact, mark))
}

fn at(position: &csv::Position) -> usize {
    usize::try_from(position.byte()).unwrap_or(usize::MAX)
}

/// What is wrong with a line, without the position that the problem has already.
fn csv_fault(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("this line has {len} columns, but the first has {expected_len}")
        }
        _ => format!("this is not CSV: {error}"),
    }
}
