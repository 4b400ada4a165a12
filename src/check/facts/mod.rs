//! What is known about the things that replies and judged outputs speak of, and both compared with it:
//! `docs/checks.md` describes the files and what they find.

pub(super) mod adapter;
mod check;
mod load;
mod prose;
#[cfg(test)]
mod tests;

use hashbrown::HashMap;
use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub struct Facts {
    all: Vec<Fact>,
    /// Which facts are about a subject, by its pointer and then its text. All pointers but that of tools are those of
    /// replies.
    by_subject: Vec<(String, HashMap<String, Vec<usize>>)>,
}

#[derive(Clone, Debug)]
struct Fact {
    subject: Subject,
    /// JSON pointer into replies.
    field: String,
    known: Known,
    source: Option<String>,
    /// JSON pointer to where a reply must name the source.
    cited_at: Option<String>,
}

/// Every reply that has this text at this pointer. Without a pointer, every reply of a tool: `TOOL`, `SERVER/TOOL` or
/// `SERVER/*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Subject {
    pointer: String,
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// Exactly this.
    Value(Value),
    /// What is written so, whatever its type.
    Written(String),
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replier<'a> {
    pub server: Option<&'a str>,
    pub tool: &'a str,
}

impl Facts {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn add(&mut self, fact: Fact) {
        let Subject { pointer, text } = &fact.subject;
        let place = self.by_subject.iter().position(|(known, _)| known == pointer);
        let place = place.unwrap_or_else(|| {
            self.by_subject.push((pointer.clone(), HashMap::new()));
            self.by_subject.len() - 1
        });
        self.by_subject[place].1.entry(text.clone()).or_default().push(self.all.len());
        self.all.push(fact);
    }

    /// The facts about tools, or those about values, by their texts.
    fn subjects(
        &self,
        of_tools: bool,
    ) -> impl Iterator<Item = &(String, HashMap<String, Vec<usize>>)> {
        self.by_subject.iter().filter(move |(pointer, _)| pointer.is_empty() == of_tools)
    }
}
