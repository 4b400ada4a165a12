//! The texts that a run keeps of its exchanges, read when somebody asks for one.

use super::Side;
use crate::store::{Span, TableReader, TextColumn};
use hashbrown::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The judged text of an exchange, cut to what is worth showing.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Excerpt {
    pub text: String,
    #[serde(rename = "hits")]
    pub spans: Vec<Span>,
}

/// The texts of a side's exchanges, by their places in [`Side::entries`].
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// What the side calls patterns that the run knows by another name; `None`: all of them as the run does.
    patterns: Option<Arc<HashMap<String, String>>>,
    seen: Arc<Mutex<SideTexts>>,
}

#[derive(Debug, Default)]
struct SideTexts {
    /// Stays open: a run may be gone when its texts are asked for. `None` where the side is no run.
    table: Option<TableReader>,
    texts: HashMap<u32, Option<Excerpt>>,
    /// The row group that was read last, and its first row.
    group: Option<(u32, Columns)>,
}

#[derive(Debug)]
struct Columns {
    reply: TextColumn,
    spans: TextColumn,
    hits: TextColumn,
}

impl Texts {
    pub fn of_run(table: TableReader) -> Self {
        let seen = SideTexts { table: Some(table), ..SideTexts::default() };
        Self { seen: Arc::new(Mutex::new(seen)), patterns: None }
    }

    /// The same texts, of whose hits those patterns are known that have a name here.
    pub fn with_patterns(&self, names: HashMap<String, String>) -> Self {
        Self { patterns: Some(Arc::new(names)), ..self.clone() }
    }

    #[cfg(test)]
    pub(crate) fn of(texts: impl IntoIterator<Item = (u32, Excerpt)>) -> Self {
        let texts = texts.into_iter().map(|(at, excerpt)| (at, Some(excerpt))).collect();
        let seen = SideTexts { texts, ..SideTexts::default() };
        Self { seen: Arc::new(Mutex::new(seen)), ..Self::default() }
    }

    fn get(&self, at: u32) -> Option<Excerpt> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = seen.texts.get(&at) {
            return text.clone();
        }
        let text = seen.read(at);
        seen.texts.insert(at, text.clone());
        text
    }
}

impl SideTexts {
    fn read(&mut self, at: u32) -> Option<Excerpt> {
        let within = |(first, columns): &(u32, Columns)| {
            at.checked_sub(*first).is_some_and(|row| (row as usize) < columns.reply.rows.len())
        };
        if !self.group.as_ref().is_some_and(within) {
            self.group = read_group(self.table.as_mut()?, at);
        }
        let (first, Columns { reply, spans, hits }) = self.group.as_ref()?;
        let row = at.checked_sub(*first)? as usize;
        let text = reply.get(row).filter(|text| !text.is_empty())?.to_owned();
        let hits: Vec<String> = serde_json::from_str(hits.get(row).unwrap_or("[]")).ok()?;
        let spans = Span::read(spans.get(row), &text, &hits)?;
        Some(Excerpt { text, spans })
    }
}

fn read_group(table: &mut TableReader, at: u32) -> Option<(u32, Columns)> {
    let mut first = 0;
    for group in 0..table.groups() {
        let rows = u32::try_from(table.rows(group)).ok()?;
        if at < first + rows {
            let reply = table.texts(group, "reply_excerpt").ok()?;
            let spans = table.texts(group, "hit_spans").ok()?;
            let hits = table.texts(group, "hits").ok()?;
            return Some((first, Columns { reply, spans, hits }));
        }
        first += rows;
    }
    None
}

impl Side {
    pub(super) fn may_have_text(&self, at: u32) -> bool {
        let seen = self.texts.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let keeps = |entry: &super::Entry| self.verdict(entry.verdict).keeps_text();
        match seen.table {
            None => seen.texts.contains_key(&at),
            Some(_) => self.entries.get(at as usize).is_some_and(keeps),
        }
    }

    /// From now on these texts are shown of exchanges, by their places in [`Side::entries`].
    pub fn show_instead(&self, texts: impl IntoIterator<Item = (u32, String)>) {
        let mut seen = self.texts.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        seen.texts.extend(texts.map(|(at, text)| (at, Some(Excerpt { text, spans: Vec::new() }))));
    }

    /// The text of an exchange, where the side keeps it.
    pub fn excerpt(&self, at: u32) -> Option<Excerpt> {
        let mut excerpt = self.texts.get(at)?;
        if let Some(names) = &self.texts.patterns {
            excerpt.spans.retain_mut(|span| match names.get(&span.pattern) {
                Some(name) => {
                    span.pattern.clone_from(name);
                    true
                }
                None => false,
            });
        }
        Some(excerpt)
    }
}
