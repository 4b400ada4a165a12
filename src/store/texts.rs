//! Texts of a column: kept one after the other, or each distinct one once.

use super::parquet::Cells;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use indexmap::IndexSet;
use std::hash::BuildHasher as _;
use std::sync::LazyLock;

/// Texts, one after the other in one buffer.
#[derive(Clone, Debug)]
pub struct Texts {
    buffer: String,
    ends: Vec<usize>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { buffer: String::new(), ends: vec![0] }
    }
}

impl Texts {
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn push(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len());
    }

    pub(super) fn append(&mut self, other: &Self) {
        let before = self.buffer.len();
        self.buffer.push_str(&other.buffer);
        self.ends.extend(other.ends[1..].iter().map(|end| before + end));
    }

    pub fn get(&self, index: usize) -> &str {
        &self.buffer[self.ends[index]..self.ends[index + 1]]
    }

    fn is(&self, index: u32, text: &str) -> bool {
        let index = index as usize;
        // Bytes, because cutting them asks nothing about characters.
        self.buffer.as_bytes()[self.ends[index]..self.ends[index + 1]] == *text.as_bytes()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.ends.windows(2).map(|ends| &self.buffer[ends[0]..ends[1]])
    }

    /// Roughly how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.buffer.len() + self.ends.len() * size_of::<usize>()
    }
}

/// A column of texts of which most occur often: each distinct one is kept once.
#[derive(Clone, Debug, Default)]
pub struct Distinct {
    texts: Texts,
    hashes: Vec<u64>,
    table: HashTable<u32>,
    last: u32,
}

/// All columns hash alike, so that one which takes in another need not hash again.
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// Different things, numbered as they come.
pub type Numbered<T> = IndexSet<T, DefaultHashBuilder>;

/// Stands for "no text" among indices.
pub(super) const NONE: u32 = u32::MAX;

impl Distinct {
    /// The index of a text, which is added where it is new.
    pub fn index_of(&mut self, text: &str) -> u32 {
        if !self.texts.is_empty() && self.texts.is(self.last, text) {
            return self.last;
        }
        self.index_of_hashed(text, HASHER.hash_one(text))
    }

    fn index_of_hashed(&mut self, text: &str, hash: u64) -> u32 {
        let Self { texts, hashes, table, last } = self;
        let is_it = |index: &u32| hashes[*index as usize] == hash && texts.is(*index, text);
        *last = match table.entry(hash, is_it, |index| hashes[*index as usize]) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(free) => {
                let index = u32::try_from(texts.len()).unwrap_or(NONE);
                texts.push(text);
                hashes.push(hash);
                free.insert(index);
                index
            }
        };
        *last
    }

    /// The index of a text, where it was added.
    pub fn known(&self, text: &str) -> Option<u32> {
        let hash = HASHER.hash_one(text);
        self.table.find(hash, |index| self.texts.is(*index, text)).copied()
    }

    pub(super) fn index_of_option(&mut self, text: Option<&str>) -> u32 {
        text.map_or(NONE, |text| self.index_of(text))
    }

    /// Adds another column's texts; says which index each of them has here.
    pub(super) fn absorb(&mut self, other: &Self) -> Vec<u32> {
        let others = other.texts.iter().zip(&other.hashes);
        others.map(|(text, hash)| self.index_of_hashed(text, *hash)).collect()
    }

    /// The distinct texts, in first-seen order.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    pub(super) fn into_texts(self) -> Texts {
        self.texts
    }

    pub(super) fn bytes(&self) -> usize {
        let each = self.table.capacity() * size_of::<u32>() + self.hashes.len() * size_of::<u64>();
        self.texts.bytes() + each
    }
}

/// A column of texts: each row's number among the distinct ones.
#[derive(Clone, Debug, Default)]
pub struct TextColumn {
    pub texts: Texts,
    /// A number for each row; `u32::MAX` where the cell is empty.
    pub rows: Vec<u32>,
}

impl TextColumn {
    pub fn get(&self, row: usize) -> Option<&str> {
        let number = *self.rows.get(row)?;
        (number != NONE).then(|| self.texts.get(number as usize))
    }
}

/// A column of texts of which most occur often, as it grows.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctColumn {
    pub(super) distinct: Distinct,
    pub(super) rows: Vec<u32>,
}

impl DistinctColumn {
    pub(super) fn push(&mut self, text: Option<&str>) {
        let row = self.distinct.index_of_option(text);
        self.rows.push(row);
    }

    pub(super) fn get(&self, row: usize) -> Option<&str> {
        let index = self.rows[row];
        (index != NONE).then(|| self.distinct.texts().get(index as usize))
    }

    pub(super) fn append(&mut self, other: &Self) {
        let renumbered = self.distinct.absorb(&other.distinct);
        self.rows.extend(other.rows.iter().map(|row| renumber(&renumbered, *row)));
    }

    pub(super) fn into_cells(self) -> Cells {
        Cells::Distinct(TextColumn { texts: self.distinct.into_texts(), rows: self.rows })
    }

    pub(super) fn bytes(&self) -> usize {
        self.distinct.bytes() + self.rows.len() * size_of::<u32>()
    }
}

/// A column of texts that rarely occur twice, row by row.
#[derive(Clone, Debug, Default)]
pub struct PlainColumn {
    texts: Texts,
    /// Which rows hold something.
    pub(super) present: Vec<bool>,
}

impl PlainColumn {
    pub(super) fn len(&self) -> usize {
        self.present.len()
    }

    pub fn push(&mut self, text: Option<&str>) {
        self.texts.push(text.unwrap_or_default());
        self.present.push(text.is_some());
    }

    pub(super) fn get(&self, row: usize) -> Option<&str> {
        self.present[row].then(|| self.texts.get(row))
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.texts.append(&other.texts);
        self.present.extend_from_slice(&other.present);
    }

    pub(super) fn bytes(&self) -> usize {
        self.texts.bytes() + self.present.len()
    }
}

/// An index after its column was joined with another.
pub(super) fn renumber(renumbered: &[u32], index: u32) -> u32 {
    renumbered.get(index as usize).copied().unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_index() {
        let mut column = Distinct::default();
        let seen = ["a", "", "a", "b", "", "b", "a"].map(|text| column.index_of(text));
        assert_eq!(seen, [0, 1, 0, 2, 1, 2, 0]);
        assert_eq!(column.texts().iter().collect::<Vec<_>>(), ["a", "", "b"]);
        assert_eq!(column.index_of_option(None), NONE);
    }
}
