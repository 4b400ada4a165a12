//! A map from byte strings to counters that stays within a budget of memory.
//!
//! What does not fit is written to a temporary file as a run sorted by key; at the end the runs and
//! what is left in memory are merged. Parts of one key are merged in the order they were added.

use super::wire::{read_number, write_number};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Counters of which two can become one, and which can be written down meanwhile.
pub trait Mergeable: Sized {
    /// Adds counters of later exchanges.
    fn absorb(&mut self, later: Self);

    /// Appends the counters.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes counters off the front.
    fn read(bytes: &mut &[u8]) -> Option<Self>;

    /// Roughly how many bytes of memory they take.
    fn weight(&self) -> usize;
}

/// Temporary space for tallies could not be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use temporary space in {}: {source}", folder.display())]
pub struct SpillError {
    pub folder: PathBuf,
    pub source: io::Error,
}

/// Where what does not fit in memory goes, and how much memory there is.
#[derive(Clone, Debug)]
pub struct SpillSpace {
    folder: PathBuf,
    budget: usize,
}

impl SpillSpace {
    /// Space in a folder for what exceeds this many bytes.
    #[must_use]
    pub fn new(folder: &Path, budget: usize) -> Self {
        Self { folder: folder.to_path_buf(), budget }
    }

    /// A file that vanishes when it is closed, even by a crash.
    pub(super) fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }

    pub(super) fn error(&self, source: io::Error) -> SpillError {
        SpillError { folder: self.folder.clone(), source }
    }
}

/// A key with its counters.
pub(super) type Entry<V> = (Box<[u8]>, V);

/// So many runs are merged into one before there are more.
const MOST_RUNS: usize = 64;
/// Runs are read in pieces of so many bytes.
const PIECE: usize = 1 << 16;
/// Room for a part that is read, before it is known how long it really is.
const ROOM: usize = 1 << 12;
/// What a map entry takes beside its key and counters.
const ENTRY: usize = 64;

#[derive(Debug)]
pub struct Spilling<V> {
    space: SpillSpace,
    slots: HashMap<Box<[u8]>, usize>,
    counters: Vec<V>,
    /// What the keys take; the counters are weighed when they are settled.
    keys: usize,
    /// How often a slot was asked for since they were weighed.
    asked: usize,
    runs: Vec<File>,
}

impl<V: Mergeable> Spilling<V> {
    #[must_use]
    pub fn new(space: SpillSpace) -> Self {
        Self {
            space,
            slots: HashMap::new(),
            counters: Vec::new(),
            keys: 0,
            asked: 0,
            runs: Vec::new(),
        }
    }

    /// Where the counters of a key are, until the next [`Spilling::settle`].
    pub fn slot(&mut self, key: &[u8]) -> usize
    where
        V: Default,
    {
        self.asked += 1;
        if let Some(slot) = self.slots.get(key) {
            return *slot;
        }
        self.counters.push(V::default());
        self.keys += key.len() + ENTRY;
        self.slots.insert(key.into(), self.counters.len() - 1);
        self.counters.len() - 1
    }

    pub fn counters(&mut self, slot: usize) -> &mut V {
        &mut self.counters[slot]
    }

    /// Writes everything to disk if it exceeds the budget. All slots are void then.
    pub fn settle(&mut self) -> Result<(), SpillError> {
        // Weighing all of them costs as much as there are: what little was added can wait.
        if self.asked < self.counters.len() / 4 && self.keys <= self.space.budget {
            return Ok(());
        }
        self.asked = 0;
        let weight = self.keys + self.counters.iter().map(V::weight).sum::<usize>();
        if weight > self.space.budget {
            self.spill().map_err(|source| self.space.error(source))?;
        }
        Ok(())
    }

    /// Whether anything was written to disk.
    #[cfg(test)]
    fn has_spilled(&self) -> bool {
        !self.runs.is_empty()
    }

    /// All keys in byte order, with their counters.
    pub fn into_sorted(mut self) -> Result<Sorted<V>, SpillError> {
        let rest = self.take_sorted();
        Sorted::new(self.space, self.runs, rest)
    }

    fn take_sorted(&mut self) -> Vec<Entry<V>> {
        self.keys = 0;
        let mut counters: Vec<_> =
            std::mem::take(&mut self.counters).into_iter().map(Some).collect();
        let slots = std::mem::take(&mut self.slots);
        let mut entries: Vec<_> = slots
            .into_iter()
            .filter_map(|(key, slot)| Some((key, counters[slot].take()?)))
            .collect();
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        entries
    }

    fn spill(&mut self) -> io::Result<()> {
        let entries = self.take_sorted();
        let mut run = RunWriter::new(self.space.file()?);
        for (key, counters) in entries {
            run.write(&key, &counters)?;
        }
        self.runs.push(run.finish()?);
        if self.runs.len() > MOST_RUNS { self.merge_runs() } else { Ok(()) }
    }

    fn merge_runs(&mut self) -> io::Result<()> {
        let runs = std::mem::take(&mut self.runs);
        let mut merged = RunWriter::new(self.space.file()?);
        let space = self.space.clone();
        for entry in Sorted::<V>::new(space, runs, Vec::new()).map_err(|error| error.source)? {
            let (key, counters) = entry.map_err(|error| error.source)?;
            merged.write(&key, &counters)?;
        }
        self.runs.push(merged.finish()?);
        Ok(())
    }
}

struct RunWriter {
    out: BufWriter<File>,
    record: Vec<u8>,
    counters: Vec<u8>,
}

impl RunWriter {
    fn new(file: File) -> Self {
        Self { out: BufWriter::new(file), record: Vec::new(), counters: Vec::new() }
    }

    fn write<V: Mergeable>(&mut self, key: &[u8], counters: &V) -> io::Result<()> {
        self.record.clear();
        self.counters.clear();
        counters.write(&mut self.counters);
        for part in [key, &self.counters] {
            write_number(part.len() as u64, &mut self.record);
            self.record.extend_from_slice(part);
        }
        self.out.write_all(&self.record)
    }

    fn finish(self) -> io::Result<File> {
        let mut file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

struct RunReader {
    input: BufReader<File>,
}

impl RunReader {
    fn next<V: Mergeable>(&mut self) -> io::Result<Option<Entry<V>>> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let key = self.part(|key| Some(key.into()))?;
        let counters = self.part(|mut counters| V::read(&mut counters))?;
        Ok(Some((key, counters)))
    }

    fn length(&mut self) -> io::Result<u64> {
        // Mostly the whole of it waits in the buffer.
        let mut waiting = self.input.buffer();
        let before = waiting.len();
        if let Some(length) = read_number(&mut waiting) {
            let taken = before - waiting.len();
            self.input.consume(taken);
            return Ok(length);
        }
        let mut length = Vec::new();
        loop {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            length.push(byte[0]);
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        read_number(&mut length.as_slice()).ok_or_else(damaged)
    }

    /// What a part amounts to.
    fn part<T>(&mut self, read_part: impl Fn(&[u8]) -> Option<T>) -> io::Result<T> {
        let length = self.length()?;
        // Mostly the whole of it waits in the buffer.
        let waiting =
            usize::try_from(length).ok().and_then(|whole| self.input.buffer().get(..whole));
        if let Some(waiting) = waiting {
            let (part, taken) = (read_part(waiting), waiting.len());
            self.input.consume(taken);
            return part.ok_or_else(damaged);
        }
        // Most parts are short; a long one may be no length of ours.
        let mut part = Vec::with_capacity(usize::try_from(length).map_or(0, |room| room.min(ROOM)));
        let read = (&mut self.input).take(length).read_to_end(&mut part)?;
        let whole = (read as u64 == length).then_some(part);
        whole.and_then(|part| read_part(&part)).ok_or_else(damaged)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a temporary file was changed by somebody else")
}

/// Keys in byte order, each once, with merged counters.
pub struct Sorted<V> {
    space: SpillSpace,
    runs: Vec<RunReader>,
    rest: std::vec::IntoIter<Entry<V>>,
    heads: BinaryHeap<Reverse<Head<V>>>,
}

/// The next entry of a run. The entries left in memory are the last run.
struct Head<V> {
    key: Box<[u8]>,
    run: usize,
    counters: V,
}

impl<V> PartialEq for Head<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<V> Eq for Head<V> {}

impl<V> PartialOrd for Head<V> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<V> Ord for Head<V> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (&self.key, self.run).cmp(&(&other.key, other.run))
    }
}

impl<V: Mergeable> Sorted<V> {
    fn new(space: SpillSpace, runs: Vec<File>, rest: Vec<Entry<V>>) -> Result<Self, SpillError> {
        let reader = |run| RunReader { input: BufReader::with_capacity(PIECE, run) };
        let runs: Vec<_> = runs.into_iter().map(reader).collect();
        let heads = BinaryHeap::with_capacity(runs.len() + 1);
        let mut sorted = Self { space, runs, rest: rest.into_iter(), heads };
        for run in 0..=sorted.runs.len() {
            if let Some(head) = sorted.head(run)? {
                sorted.heads.push(Reverse(head));
            }
        }
        Ok(sorted)
    }

    fn head(&mut self, run: usize) -> Result<Option<Head<V>>, SpillError> {
        let entry = match self.runs.get_mut(run) {
            Some(reader) => reader.next().map_err(|source| self.space.error(source))?,
            None => self.rest.next(),
        };
        Ok(entry.map(|(key, counters)| Head { key, run, counters }))
    }

    /// Takes the smallest entry and moves its run forward.
    fn take(&mut self) -> Result<Option<Entry<V>>, SpillError> {
        let Some(Reverse(Head { key, run, counters })) = self.heads.pop() else {
            return Ok(None);
        };
        if let Some(head) = self.head(run)? {
            self.heads.push(Reverse(head));
        }
        Ok(Some((key, counters)))
    }

    fn merged(&mut self) -> Result<Option<Entry<V>>, SpillError> {
        let Some((key, mut counters)) = self.take()? else {
            return Ok(None);
        };
        while self.heads.peek().is_some_and(|Reverse(head)| head.key == key) {
            if let Some((_, later)) = self.take()? {
                counters.absorb(later);
            }
        }
        Ok(Some((key, counters)))
    }
}

impl<V: Mergeable> Iterator for Sorted<V> {
    type Item = Result<Entry<V>, SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.merged().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Keeps the order in which it was told things.
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Diary(Vec<u8>);

    impl Mergeable for Diary {
        fn absorb(&mut self, later: Self) {
            self.0.extend(later.0);
        }

        fn write(&self, out: &mut Vec<u8>) {
            write_number(self.0.len() as u64, out);
            out.extend_from_slice(&self.0);
        }

        fn read(bytes: &mut &[u8]) -> Option<Self> {
            let length = usize::try_from(read_number(bytes)?).ok()?;
            let (entries, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Some(Self(entries.to_vec()))
        }

        fn weight(&self) -> usize {
            self.0.capacity()
        }
    }

    type Entries = Vec<(Box<[u8]>, Diary)>;

    fn sorted(told: &[(u8, u8)], budget: usize) -> (bool, Entries) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut map = Spilling::<Diary>::new(SpillSpace::new(folder.path(), budget));
        for (key, entry) in told {
            let slot = map.slot(&vec![b'k'; usize::from(*key)]);
            map.counters(slot).absorb(Diary(vec![*entry]));
            map.settle().expect("space");
        }
        let spilled = map.has_spilled();
        let entries = map.into_sorted().expect("space").collect::<Result<_, _>>();
        (spilled, entries.expect("space"))
    }

    proptest! {
        #[test]
        fn spilling_changes_nothing(told in proptest::collection::vec((0_u8..40, any::<u8>()), 0..300)) {
            let (_, roomy) = sorted(&told, usize::MAX);
            let (spilled, tight) = sorted(&told, 200);
            prop_assert!(spilled || told.len() < 8);
            prop_assert_eq!(&roomy, &tight);
            prop_assert!(roomy.is_sorted_by(|one, other| one.0 < other.0));
        }
    }

    #[test]
    fn many_runs_become_one_before_there_are_too_many() {
        let told: Vec<_> = (0..250_u8).map(|n| (n % 7, n)).collect();
        let (_, expected) = sorted(&told, usize::MAX);
        let (spilled, entries) = sorted(&told, 0);
        assert!(spilled);
        assert_eq!(entries, expected);
    }
}
