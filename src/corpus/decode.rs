//! Opens a recording and undoes its compression, which its first bytes betray.

use super::UnreadableReason;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// What follows the first byte (0x50 to 0x5f) of a frame of Zstandard that holds no data of its own.
const ZSTD_SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// Below this many bytes no ratio is alarming.
const HARMLESS: u64 = 8 << 20;

/// What pipes hold.
const PIECE: usize = 1 << 16;

/// How much is read at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pace {
    /// As much as there is room for.
    #[default]
    Blocks,
    /// What there is, without waiting for more: somebody waits for what becomes of it.
    Pieces,
}

/// A recording's bytes, decompressed.
pub(super) struct Decoded {
    reader: Box<dyn Read + Send>,
    pub(super) pace: Pace,
    /// The bytes that went into a decompressor; plain recordings are counted as they come out.
    compressed: Option<Arc<AtomicU64>>,
    total: Arc<AtomicU64>,
    given: u64,
    max_ratio: u64,
}

/// Why reading a recording stopped early.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) reason: UnreadableReason,
    pub(super) detail: String,
}

impl Decoded {
    /// Opens a file. `taken` counts the bytes read from the disk.
    pub(super) fn open(
        path: &Path,
        max_ratio: u64,
        taken: &Arc<AtomicU64>,
        pace: Pace,
    ) -> Result<Self, Broken> {
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        // Of a file on a disk there is always as much as there is room for.
        let is_on_disk = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let pace = if is_on_disk { Pace::Blocks } else { pace };
        Self::new(file, max_ratio, taken, pace).map_err(|error| unreadable(&error))
    }

    /// Reads from standard input.
    pub(super) fn stdin(
        max_ratio: u64,
        taken: &Arc<AtomicU64>,
        pace: Pace,
    ) -> Result<Self, Broken> {
        Self::new(io::stdin(), max_ratio, taken, pace).map_err(|error| unreadable(&error))
    }

    fn new(
        mut source: impl Read + Send + 'static,
        max_ratio: u64,
        total: &Arc<AtomicU64>,
        pace: Pace,
    ) -> io::Result<Self> {
        let mut magic = Vec::with_capacity(4);
        source.by_ref().take(4).read_to_end(&mut magic)?;
        let is_gzip = magic.starts_with(GZIP);
        let is_zstd = magic.starts_with(ZSTD)
            || matches!(magic[..], [0x50..=0x5f, ref rest @ ..] if rest == ZSTD_SKIPPABLE);
        let whole = io::Cursor::new(magic).chain(source);
        let total = Arc::clone(total);
        if !is_gzip && !is_zstd {
            let reader = Box::new(whole);
            return Ok(Self { reader, pace, compressed: None, total, given: 0, max_ratio });
        }
        let taken = Arc::new(AtomicU64::new(0));
        let counted =
            Counted { source: whole, taken: Arc::clone(&taken), total: Arc::clone(&total) };
        let buffered = io::BufReader::with_capacity(1 << 16, counted);
        let reader: Box<dyn Read + Send> = if is_gzip {
            Box::new(flate2::read::MultiGzDecoder::new(buffered))
        } else {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
            decoder.window_log_max(27)?;
            Box::new(decoder)
        };
        Ok(Self { reader, pace, compressed: Some(taken), total, given: 0, max_ratio })
    }

    /// Appends up to `limit` bytes to `buffer`; 0 bytes means the end. What was decoded before a
    /// failure stays in `buffer`.
    pub(super) fn fill(&mut self, buffer: &mut Vec<u8>, limit: usize) -> Result<usize, Broken> {
        let before = buffer.len();
        let outcome = match self.pace {
            Pace::Blocks => self.reader.by_ref().take(limit as u64).read_to_end(buffer),
            Pace::Pieces => read_piece(&mut self.reader, buffer, limit.min(PIECE)),
        };
        let added = buffer.len() - before;
        self.given += added as u64;
        let Some(compressed) = &self.compressed else {
            self.total.fetch_add(added as u64, Ordering::Relaxed);
            return outcome.map(|_| added).map_err(|error| unreadable(&error));
        };
        outcome.map_err(|error| corrupt(&error))?;
        let taken = compressed.load(Ordering::Relaxed).max(1);
        if self.given > HARMLESS && self.given / taken > self.max_ratio {
            buffer.truncate(before);
            return Err(Broken {
                reason: UnreadableReason::Bomb,
                detail: format!(
                    "{taken} compressed bytes became more than {}; reading stopped there (bounds.max_ratio {})",
                    self.given - added as u64,
                    self.max_ratio
                ),
            });
        }
        Ok(added)
    }
}

/// Appends what is there to be read; waits only where there is nothing.
fn read_piece(reader: &mut impl Read, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    let before = buffer.len();
    buffer.resize(before + limit, 0);
    let outcome = loop {
        match reader.read(&mut buffer[before..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => break outcome,
        }
    };
    buffer.truncate(before + outcome.as_ref().map_or(0, |read| *read));
    outcome
}

fn unreadable(error: &io::Error) -> Broken {
    Broken { reason: UnreadableReason::ReadError, detail: error.to_string() }
}

fn corrupt(error: &io::Error) -> Broken {
    let detail = if error.kind() == io::ErrorKind::UnexpectedEof {
        "the compressed data ends too early".to_owned()
    } else {
        format!("the compressed data is damaged: {error}")
    };
    Broken { reason: UnreadableReason::Corrupt, detail }
}

struct Counted<R> {
    source: R,
    taken: Arc<AtomicU64>,
    total: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.taken.fetch_add(read as u64, Ordering::Relaxed);
        self.total.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
