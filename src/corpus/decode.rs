//! Opens a recording and undoes its compression, which its first bytes betray.

use super::UnreadableReason;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
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
    /// The file, if it can be read once more.
    path: Option<PathBuf>,
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
        let path = is_on_disk.then(|| path.to_owned());
        let opened = Self::new(file, max_ratio, taken, pace).map_err(|error| unreadable(&error))?;
        Ok(Self { path, ..opened })
    }

    /// The same file from its beginning, if it can be read once more.
    pub(super) fn again(&self) -> Option<Self> {
        Self::open(self.path.as_deref()?, self.max_ratio, &Arc::default(), Pace::Blocks).ok()
    }

    /// A source that has ended.
    pub(super) fn nothing() -> Self {
        Self::of(Box::new(io::empty()), None, &Arc::default(), 0, Pace::Blocks)
    }

    fn of(
        reader: Box<dyn Read + Send>,
        compressed: Option<Arc<AtomicU64>>,
        total: &Arc<AtomicU64>,
        max_ratio: u64,
        pace: Pace,
    ) -> Self {
        let total = Arc::clone(total);
        Self { reader, pace, compressed, total, given: 0, max_ratio, path: None }
    }

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
        if !is_gzip && !is_zstd {
            return Ok(Self::of(Box::new(whole), None, total, max_ratio, pace));
        }
        let taken = Arc::new(AtomicU64::new(0));
        let counted =
            Counted { source: whole, taken: Arc::clone(&taken), total: Arc::clone(total) };
        let buffered = io::BufReader::with_capacity(1 << 16, counted);
        let reader: Box<dyn Read + Send> = if is_gzip {
            Box::new(Salvaging::new(flate2::read::MultiGzDecoder::new(buffered)))
        } else {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
            decoder.window_log_max(27)?;
            Box::new(Salvaging::new(decoder))
        };
        Ok(Self::of(reader, Some(taken), total, max_ratio, pace))
    }

    /// Up to `limit` bytes; 0 is the end. What was decoded before a failure stays in `buffer`.
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

/// A decompressor that also hands out what it decoded before it failed. It is always asked for the same
/// number of bytes, so that how much that is depends on nothing but the file.
struct Salvaging<R> {
    source: R,
    chunk: Vec<u8>,
    given: usize,
    failure: Option<io::Error>,
}

impl<R> Salvaging<R> {
    /// No byte of UTF-8 text: what still holds it after a failure was not written.
    const UNWRITTEN: u8 = 0xff;

    fn new(source: R) -> Self {
        Self { source, chunk: Vec::new(), given: 0, failure: None }
    }
}

impl<R: Read> Read for Salvaging<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.chunk.len() {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            self.given = 0;
            self.chunk.clear();
            self.chunk.resize(PIECE, Self::UNWRITTEN);
            let written = match self.source.read(&mut self.chunk) {
                Ok(written) => written,
                Err(error) => {
                    self.failure = Some(error);
                    let last = self.chunk.iter().rposition(|byte| *byte != Self::UNWRITTEN);
                    last.map_or(0, |last| last + 1)
                }
            };
            self.chunk.truncate(written);
            if let Some(failure) = self.failure.take_if(|_| written == 0) {
                return Err(failure);
            }
        }
        let rest = &self.chunk[self.given..];
        let taken = rest.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&rest[..taken]);
        self.given += taken;
        Ok(taken)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::{GzEncoder, MultiGzDecoder};
    use std::fmt::Write as _;

    fn read_all(source: Vec<u8>, limit: usize) -> Vec<u8> {
        let taken = Arc::default();
        let source = io::Cursor::new(source);
        let mut decoded = Decoded::new(source, u64::MAX, &taken, Pace::Blocks).expect("opened");
        let mut text = Vec::new();
        while matches!(decoded.fill(&mut text, limit), Ok(1..)) {}
        text
    }

    /// What comes before the damage, byte by byte.
    fn read_slowly(mut source: impl Read) -> Vec<u8> {
        let mut text = Vec::new();
        let mut byte = [0];
        while matches!(source.read(&mut byte), Ok(1)) {
            text.push(byte[0]);
        }
        text
    }

    #[test]
    fn all_that_comes_before_a_damage_is_read_however_it_is_asked_for() {
        let mut lines = String::new();
        for n in 0..3_000_u64 {
            let noise = n.wrapping_mul(0x9e37_79b9_7f4a);
            writeln!(lines, "{{\"n\":{n},\"noise\":\"{noise:x}\"}}").expect("a text takes all");
        }
        let mut gzip = Vec::new();
        GzEncoder::new(lines.as_bytes(), Compression::best())
            .read_to_end(&mut gzip)
            .expect("packed");
        let zstd = zstd::encode_all(lines.as_bytes(), 3).expect("packed");
        for at in (gzip.len() / 10..gzip.len() - 16).step_by(gzip.len() / 40) {
            let mut damaged = gzip.clone();
            damaged[at..at + 8].fill(0xff);
            let slowly = read_slowly(MultiGzDecoder::new(&damaged[..]));
            let read = read_all(damaged.clone(), 1 << 20);
            assert!(read.starts_with(&slowly), "{} of {} at {at}", read.len(), slowly.len());
            assert!(read == read_all(damaged, 999), "at {at}");
        }
        for at in (zstd.len() / 10..zstd.len() - 16).step_by(zstd.len() / 40) {
            let mut damaged = zstd.clone();
            damaged[at..at + 8].fill(0xff);
            let read = read_all(damaged.clone(), 1 << 20);
            assert!(read == read_all(damaged, 999), "at {at}");
        }
    }
}
