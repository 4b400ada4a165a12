//! How often a key occurred before, exactly, for any number of keys.
//!
//! Recent keys are in memory; older ones are in sorted runs on disk. A run is asked only when its
//! bloom filter says that it may know the key, and then one page of it is read.

use super::section::{Section, SectionReader};
use super::spill::{SpillError, SpillSpace};
use crate::tape::Key;
use hashbrown::HashMap;
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Write};

/// Counts occurrences of keys.
#[derive(Debug)]
pub struct Repeats {
    space: SpillSpace,
    limit: usize,
    memory: Vec<Memory>,
    held: usize,
    runs: Vec<Run>,
    page: Vec<u8>,
}

/// Some of the recent keys with their counts. Keys are held as four words, so that an entry takes no more
/// than its bytes.
type Memory = HashMap<[u32; 4], u32, BuildHasherDefault<AlreadyHashed>>;

/// Keys are spread over so many maps: they grow one at a time, so growing takes little room.
const MAPS: usize = 16;

/// A key and its count, as they stand in a run.
const RECORD: usize = 20;
/// Records that are read together.
const PAGE_RECORDS: usize = 64;
/// Bits of bloom filter per key: about one needless look in a hundred.
const BLOOM_BITS: usize = 10;
/// Positions that a key sets in the bloom filter.
const BLOOM_PROBES: u32 = 6;
/// So many runs of similar size are merged into one.
const FAN_IN: usize = 4;

impl Repeats {
    /// How many keys are kept in memory by default: what fits hash tables of 2^21 places, 44 MB.
    pub const DEFAULT_LIMIT: usize = 7 << 18;

    /// Keeps up to this many keys in memory, and older ones in temporary space.
    #[must_use]
    pub fn new(space: SpillSpace, limit: usize) -> Self {
        Self {
            space,
            limit: limit.max(1),
            memory: (0..MAPS).map(|_| Memory::default()).collect(),
            held: 0,
            runs: Vec::new(),
            page: Vec::new(),
        }
    }

    /// Notes an occurrence of a key and says how many there were before.
    pub fn count(&mut self, key: Key) -> Result<u32, SpillError> {
        let Key(key) = key;
        if self.runs.is_empty() && self.held < self.limit {
            // Nothing is anywhere else, and one more has room.
            let times = self.memory[map_of(key)].entry(words(key)).or_default();
            let before = *times;
            *times = before.saturating_add(1);
            self.held += usize::from(before == 0);
            return Ok(before);
        }
        if let Some(times) = self.memory[map_of(key)].get_mut(&words(key)) {
            let before = *times;
            *times = before.saturating_add(1);
            return Ok(before);
        }
        let before = self.look_up(key).map_err(|source| self.space.error(source))?;
        if self.held >= self.limit {
            self.spill().map_err(|source| self.space.error(source))?;
        }
        self.memory[map_of(key)].insert(words(key), before.saturating_add(1));
        self.held += 1;
        Ok(before)
    }

    /// The same for many keys in order.
    pub fn count_all(&mut self, keys: &[Key]) -> Result<Vec<u32>, SpillError> {
        keys.iter().map(|key| self.count(*key)).collect()
    }

    /// Counts only grow, so the newest run that knows a key knows best.
    fn look_up(&mut self, key: u128) -> io::Result<u32> {
        for run in self.runs.iter().rev() {
            if let Some(times) = run.look_up(key, &mut self.page)? {
                return Ok(times);
            }
        }
        Ok(0)
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut writer = RunWriter::new(self.space.file()?, self.held);
        self.held = 0;
        // Each map has the keys of one stretch of all keys, so they follow each other.
        for map in &mut self.memory {
            let mut entries: Vec<_> = map.drain().map(|(key, times)| (whole(key), times)).collect();
            entries.sort_unstable();
            for (key, times) in entries {
                writer.write(key, times)?;
            }
        }
        self.runs.push(writer.finish()?);
        while self.last_runs_are_alike() {
            let older = self.runs.split_off(self.runs.len() - FAN_IN);
            self.runs.push(merge(&older, self.space.file()?)?);
        }
        Ok(())
    }

    /// Whether the newest runs are about as large as each other, so that merging them pays.
    fn last_runs_are_alike(&self) -> bool {
        let Some(first) = self.runs.len().checked_sub(FAN_IN) else { return false };
        let newest = &self.runs[first..];
        let smallest = newest.iter().map(|run| run.records).min().unwrap_or(0);
        newest.iter().all(|run| run.records < smallest.saturating_mul(FAN_IN))
    }
}

/// Keys are hashes already.
#[derive(Debug, Default)]
struct AlreadyHashed(u64);

impl Hasher for AlreadyHashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some((first, _)) = bytes.split_first_chunk() {
            self.0 = u64::from_le_bytes(*first);
        }
    }

    fn write_usize(&mut self, _: usize) {}
}

/// The map that a key is in: by its first bits, so that maps are in the order of their keys.
fn map_of(key: u128) -> usize {
    usize::try_from(key >> 124).unwrap_or(0) % MAPS
}

#[expect(clippy::cast_possible_truncation, reason = "each word is a part")]
fn words(key: u128) -> [u32; 4] {
    [key as u32, (key >> 32) as u32, (key >> 64) as u32, (key >> 96) as u32]
}

fn whole(words: [u32; 4]) -> u128 {
    words.into_iter().rev().fold(0, |key, word| key << 32 | u128::from(word))
}

#[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
fn low(key: u128) -> u64 {
    key as u64
}

/// Keys with their counts on disk, in the order of the keys.
#[derive(Debug)]
struct Run {
    section: Section,
    records: usize,
    /// The first key of each page.
    index: Vec<u128>,
    bloom: Bloom,
}

impl Run {
    fn look_up(&self, key: u128, page: &mut Vec<u8>) -> io::Result<Option<u32>> {
        if !self.bloom.may_hold(key) {
            return Ok(None);
        }
        let Some(number) = self.index.partition_point(|first| *first <= key).checked_sub(1) else {
            return Ok(None);
        };
        let start = number * PAGE_RECORDS;
        let records = PAGE_RECORDS.min(self.records - start);
        page.resize(records * RECORD, 0);
        self.section.read_exact_at(page, (start * RECORD) as u64)?;
        let found = page.chunks_exact(RECORD).map(decode).find(|(known, _)| *known == key);
        Ok(found.map(|(_, times)| times))
    }
}

fn decode(record: &[u8]) -> (u128, u32) {
    let mut key = [0; 16];
    let mut times = [0; 4];
    key.copy_from_slice(&record[..16]);
    times.copy_from_slice(&record[16..RECORD]);
    (u128::from_be_bytes(key), u32::from_be_bytes(times))
}

struct RunWriter {
    out: BufWriter<File>,
    records: usize,
    index: Vec<u128>,
    bloom: Bloom,
}

impl RunWriter {
    fn new(file: File, expected: usize) -> Self {
        let index = Vec::with_capacity(expected / PAGE_RECORDS + 1);
        Self { out: BufWriter::new(file), records: 0, index, bloom: Bloom::for_keys(expected) }
    }

    fn write(&mut self, key: u128, times: u32) -> io::Result<()> {
        if self.records.is_multiple_of(PAGE_RECORDS) {
            self.index.push(key);
        }
        self.records += 1;
        self.bloom.insert(key);
        self.out.write_all(&key.to_be_bytes())?;
        self.out.write_all(&times.to_be_bytes())
    }

    fn finish(self) -> io::Result<Run> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let section = Section::whole(file)?;
        Ok(Run { section, records: self.records, index: self.index, bloom: self.bloom })
    }
}

/// Merges runs, oldest first, into one; of a key that several know, the newest count stays.
fn merge(runs: &[Run], file: File) -> io::Result<Run> {
    let total = runs.iter().map(|run| run.records).sum();
    let mut readers = Vec::with_capacity(runs.len());
    for run in runs {
        let input = BufReader::new(run.section.reader());
        let mut reader = RunReader { input, left: run.records };
        readers.push((reader.next()?, reader));
    }
    let mut writer = RunWriter::new(file, total);
    while let Some(key) = readers.iter().filter_map(|(head, _)| head.map(|(key, _)| key)).min() {
        let mut newest = 0;
        for (head, reader) in &mut readers {
            if let Some((_, times)) = head.filter(|(known, _)| *known == key) {
                newest = times;
                *head = reader.next()?;
            }
        }
        writer.write(key, newest)?;
    }
    writer.finish()
}

struct RunReader {
    input: BufReader<SectionReader>,
    left: usize,
}

impl RunReader {
    fn next(&mut self) -> io::Result<Option<(u128, u32)>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let mut record = [0; RECORD];
        self.input.read_exact(&mut record)?;
        Ok(Some(decode(&record)))
    }
}

/// Says of most keys that were never inserted that they were not.
#[derive(Debug)]
struct Bloom {
    words: Vec<u64>,
}

impl Bloom {
    fn for_keys(keys: usize) -> Self {
        Self { words: vec![0; (keys * BLOOM_BITS).div_ceil(64).max(1)] }
    }

    fn places(&self, key: u128) -> impl Iterator<Item = (usize, u64)> + use<> {
        let bits = self.words.len() as u64 * 64;
        let (start, step) = (low(key), low(key >> 64) | 1);
        (0..BLOOM_PROBES).map(move |probe| {
            let bit = start.wrapping_add(u64::from(probe).wrapping_mul(step)) % bits;
            (usize::try_from(bit / 64).unwrap_or(0), 1 << (bit % 64))
        })
    }

    fn insert(&mut self, key: u128) {
        for (word, mask) in self.places(key) {
            self.words[word] |= mask;
        }
    }

    fn may_hold(&self, key: u128) -> bool {
        self.places(key).all(|(word, mask)| self.words[word] & mask != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_exact_however_little_memory_there_is(
            seeds in proptest::collection::vec(0_u64..300, 0..600),
            limit in 1_usize..9,
        ) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let space = SpillSpace::new(folder.path(), 0);
            let mut repeats = Repeats::new(space, limit);
            let mut expected = HashMap::<u64, u32>::new();
            for seed in seeds {
                let key = Key(xxhash_rust::xxh3::xxh3_128(&seed.to_le_bytes()));
                let before = expected.entry(seed).or_default();
                prop_assert_eq!(repeats.count(key).expect("space"), *before);
                *before += 1;
            }
        }
    }

    #[test]
    fn runs_are_merged_so_that_few_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut repeats = Repeats::new(SpillSpace::new(folder.path(), 0), 10);
        for number in 0..2_000_u32 {
            let key = Key(xxhash_rust::xxh3::xxh3_128(&number.to_le_bytes()));
            assert_eq!(repeats.count(key).expect("space"), 0);
        }
        assert!(repeats.runs.len() < 20, "{} runs", repeats.runs.len());
        let known = Key(xxhash_rust::xxh3::xxh3_128(&7_u32.to_le_bytes()));
        assert_eq!(repeats.count(known).expect("space"), 1);
    }

    #[test]
    fn space_that_is_gone_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let gone = folder.path().join("gone");
        let mut repeats = Repeats::new(SpillSpace::new(&gone, 0), 1);
        repeats.count(Key(1)).expect("in memory");
        let error = repeats.count(Key(2)).expect_err("no folder");
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
