//! What is known about the things that replies and judged outputs speak of, and both compared with it.
//!
//! A facts file is TOML or CSV. In TOML:
//!
//! ```toml
//! [[facts]]
//! subject = "/cve/id=CVE-2024-12345"   # replies that have this text or number at this JSON pointer
//! field = "/cve/cvss/score"            # JSON pointer to what the fact is about
//! value = 7.5                          # what is known
//! source = "https://nvd.nist.gov/vuln/detail/CVE-2024-12345"
//! cited_at = "/references"             # optional: where a reply must name the source
//!
//! [[facts]]
//! subject = "weather/forecast"         # all replies of a tool; `forecast`: on any server;
//! field = "/exact_minute_of_rain"      # `weather/*`: all tools of a server
//! unknown = true                       # nobody knows: whatever a reply says is a claim
//! ```
//!
//! In CSV the columns are `subject`, `field`, `value`, `source` and, if wanted, `cited_at`; an empty
//! value is an unknown one.
//!
//! A reply that has nothing (or null) at a fact's field says nothing about it. Otherwise:
//!
//! | issue | severity | the reply |
//! |---|---|---|
//! | `fact_mismatch` | error | states another value than the known one; `hallucination` in an output that a judge looked at |
//! | `unsupported_claim` | error | states a value although it is unknown |
//! | `source_missing` | warning | states the field of a known fact that itself has no source, or does not name the source where the fact demands it |
//!
//! Numbers are equal by value, so 7.5 is 7.50; texts are equal to the letter; lists and tables are
//! equal where all in them is. A value from CSV has no type: it also equals the number, `true` or
//! `false` that is written so.

pub(super) mod adapter;
mod check;
mod load;
mod prose;
mod speaker;
#[cfg(test)]
mod tests;

pub use load::FactsError;

use hashbrown::HashMap;
use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub struct Facts {
    all: Vec<Fact>,
    /// Which facts are about the replies of a tool, by the subject as it is written.
    by_tool: HashMap<String, Vec<usize>>,
    /// Which facts are about replies with a text at a place, by the place and then the text.
    by_value: Vec<(String, HashMap<String, Vec<usize>>)>,
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

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Subject {
    /// Every reply of a tool: `TOOL`, `SERVER/TOOL` or `SERVER/*`.
    Tool(String),
    /// Every reply that has this text at this pointer.
    Value { pointer: String, text: String },
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
        let number = self.all.len();
        match &fact.subject {
            Subject::Tool(name) => self.by_tool.entry(name.clone()).or_default().push(number),
            Subject::Value { pointer, text } => {
                let place = self.by_value.iter().position(|(place, _)| place == pointer);
                let place = place.unwrap_or_else(|| {
                    self.by_value.push((pointer.clone(), HashMap::new()));
                    self.by_value.len() - 1
                });
                self.by_value[place].1.entry(text.clone()).or_default().push(number);
            }
        }
        self.all.push(fact);
    }
}

impl Subject {
    /// The subject as it is written in a file.
    fn written(&self) -> String {
        match self {
            Self::Tool(name) => name.clone(),
            Self::Value { pointer, text } => format!("{pointer}={text}"),
        }
    }
}
