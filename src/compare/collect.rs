//! A side put together from verdicts that have just been reached.

use super::{Entry, Header, NamedVerdict, Names, Side, Texts, WHOLE_KEY};
use crate::recording::{Exchange, KeyMaker};
use crate::rulebook::Rulebook;
use crate::store::Legend;
use crate::store::RulebookName;
use crate::verdict::Verdict;
use hashbrown::HashTable;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Gathers verdicts into a [`Side`]: each different one is kept once.
#[derive(Debug)]
pub struct Collector {
    rulebook: Arc<Rulebook>,
    legend: Legend,
    said: Vec<NamedVerdict>,
    /// The different verdicts by their hash.
    known: HashTable<(u64, u32)>,
    entries: Vec<Entry>,
    names: Names,
    keys: KeyMaker,
}

impl Collector {
    /// Nothing yet, judged by this rulebook.
    pub fn new(rulebook: Arc<Rulebook>) -> Self {
        Self {
            legend: Legend::of(&rulebook),
            rulebook,
            said: Vec::new(),
            known: HashTable::new(),
            entries: Vec::new(),
            names: Names::default(),
            keys: KeyMaker::default(),
        }
    }

    /// Adds an exchange of a tape.
    pub fn add(&mut self, exchange: &Exchange<'_>, verdict: &Verdict, file: &str) {
        let said = self.number_of(NamedVerdict::of(exchange, verdict, &self.legend));
        let keys = self.keys.keys(exchange);
        let entry = Entry {
            key: keys.exchange,
            said,
            request: keys.request,
            server: self.names.number(&exchange.server),
            tool: self.names.number(&exchange.tool.name),
            file: self.names.number(file),
            line: u32::try_from(exchange.place.line).unwrap_or(u32::MAX),
        };
        self.entries.push(entry);
    }

    pub fn into_side(self, name: &str) -> Side {
        let header = Header {
            name: name.to_owned(),
            corpus_digest: String::new(),
            rulebook: RulebookName {
                name: self.rulebook.name.clone(),
                digest: self.rulebook.digest.clone(),
            },
            checks: None,
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            rejects: None,
            rejected_files: None,
            overall_confidence: None,
            seconds: None,
        };
        Side {
            header,
            rulebook: Some(self.rulebook),
            said: self.said,
            entries: self.entries,
            names: self.names,
            texts: Texts::default(),
            key_digits: WHOLE_KEY,
        }
    }

    fn number_of(&mut self, said: NamedVerdict) -> u32 {
        let hash = xxh3_64(format!("{said:?}").as_bytes());
        let Self { known, said: all, .. } = self;
        let same = |(other, number): &(u64, u32)| *other == hash && all[*number as usize] == said;
        if let Some((_, number)) = known.find(hash, same) {
            return *number;
        }
        let number = u32::try_from(all.len()).unwrap_or(u32::MAX);
        all.push(said);
        known.insert_unique(hash, (hash, number), |(hash, _)| *hash);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Judge;
    use crate::check::schema::Schemas;
    use crate::corpus::{Bounds, read_exchange};
    use crate::recording::Key;

    #[test]
    fn equal_verdicts_are_kept_once_and_equal_exchanges_have_equal_keys() {
        let line = |tool: &str, text: &str| {
            format!(
                r#"{{"tool":{{"name":"{tool}"}},"input":{{}},"response":{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}}}"#
            )
        };
        let rulebook = Arc::new(Rulebook::builtin("guide").expect("built in"));
        let schemas = Schemas::new(rulebook.schema.clone());
        let mut judge = Judge::new(&rulebook, &schemas);
        let mut collector = Collector::new(Arc::clone(&rulebook));
        let texts =
            [("ping", "User not found"), ("pong", "Row not found"), ("ping", "User not found")];
        for (tool, text) in texts {
            let line = line(tool, text);
            let exchange = read_exchange(&line, &Bounds::default()).expect("an exchange");
            let verdict = judge.judge(&exchange);
            collector.add(&exchange, &verdict, "tape.jsonl");
        }
        let side = collector.into_side("three");
        assert_eq!(side.said.len(), 1);
        assert_eq!(side.said[0].hits, ["business_patterns/not found", "test_data/not found"]);
        assert_eq!(side.said[0].decided_by.as_deref(), Some("otherwise"));
        let keys: Vec<Key> = side.entries.iter().map(|entry| entry.key).collect();
        assert!(keys[0] == keys[2] && keys[0] != keys[1]);
        let tools: Vec<&str> =
            side.entries.iter().map(|entry| side.names.get(entry.tool)).collect();
        assert_eq!(tools, ["ping", "pong", "ping"]);
    }
}
