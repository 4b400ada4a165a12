//! Cuts a corpus into segments: files that follow each other and are kept together.
//!
//! Where a segment ends depends on the files in it alone, so a new tape moves the ends around it and no
//! others. What a segment is called says everything that its judgement can depend on: each file and what
//! stands beside it, as the file system knows them, and the settings that hold there.

use super::beginning::BeginningName;
use super::sidecar::{MAX_SIDECAR, scenarios_path, tools_path};
use super::walk::{Found, Walk};
use std::any::Any;
use std::collections::VecDeque;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A segment has at least so many bytes, unless the corpus ends.
const FEWEST_BYTES: u64 = 3 << 20;
/// Beyond that, files of so many bytes together end it once on average.
const SPREAD: u64 = 2 << 20;
/// No segment goes on when it has so many bytes.
const MOST_BYTES: u64 = 24 << 20;
/// No segment has more files.
const MOST_FILES: usize = 512;
/// Compressed tapes are about so many times as long when they are read.
const COMPRESSION: u64 = 8;
/// A file that changed so shortly ago may change again without looking different: clocks of file
/// systems are coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// What a segment is called: a hash of all that its judgement can depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SegmentName(pub u128);

/// What was kept of a segment, whatever that is.
pub type Kept = Box<dyn Any + Send>;

/// Where segments are kept. A reader asks it before it opens a segment's files.
pub trait Shelf: Send {
    /// A hash of what decides how tapes of a folder are judged, besides the tapes.
    fn terms(&self, folder: &Path) -> u128;

    /// What was kept of a segment.
    fn take(&mut self, name: SegmentName) -> Option<Kept>;

    /// How many segments the longest beginning of a corpus has that was kept.
    fn longest_beginning(&self) -> u32;

    /// Whether something was kept of a beginning.
    fn has_beginning(&self, name: BeginningName) -> bool;

    /// What was kept of a beginning.
    fn take_beginning(&mut self, name: BeginningName) -> Option<Kept>;
}

/// The files of a segment.
pub(super) struct Segment {
    pub(super) files: VecDeque<Found>,
    /// `None` where nobody keeps segments, or where this one cannot be told from a later state of it.
    pub(super) name: Option<SegmentName>,
    pub(super) bytes: u64,
}

impl Segment {
    /// Takes the next segment off a walk.
    pub(super) fn next(
        walk: &mut Walk,
        shelf: Option<&dyn Shelf>,
        is_setting: impl Fn(&Path) -> bool,
    ) -> Option<Self> {
        let mut naming = shelf.map(Naming::new);
        let mut files = VecDeque::new();
        let mut bytes = 0;
        for found in walk.by_ref() {
            let (name, length) = match &found {
                Found::File { name, path } => {
                    let metadata = std::fs::metadata(path).ok();
                    if let Some(naming) = &mut naming {
                        naming.file((name, path), metadata.as_ref(), is_setting(path));
                    }
                    (name.as_str(), weight(path, metadata.map_or(0, |found| found.len())))
                }
                Found::Stdin => {
                    naming = None;
                    ("", MOST_BYTES)
                }
                Found::Reject(reject) => {
                    if let Some(naming) = &mut naming {
                        naming.texts(&[&reject.file, reject.reason.name(), &reject.detail]);
                    }
                    (reject.file.as_str(), 0)
                }
                Found::Note(note) => {
                    if let Some(naming) = &mut naming {
                        naming.texts(&[&note.file, note.kind.name(), &note.detail]);
                    }
                    (note.file.as_str(), 0)
                }
            };
            bytes += length;
            let ends = bytes >= MOST_BYTES || bytes >= FEWEST_BYTES && ends_at(name, length);
            files.push_back(found);
            if ends || files.len() >= MOST_FILES {
                break;
            }
        }
        let name = naming.and_then(Naming::finish);
        (!files.is_empty()).then_some(Self { files, name, bytes })
    }
}

/// How long a tape is once it is read, roughly.
fn weight(path: &Path, length: u64) -> u64 {
    let is_compressed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    if is_compressed { length.saturating_mul(COMPRESSION) } else { length }
}

/// Whether a segment that is long enough ends at this file.
fn ends_at(name: &str, length: u64) -> bool {
    xxh3_64(name.as_bytes()) % SPREAD < length
}

/// Works a name out.
struct Naming<'s> {
    shelf: &'s dyn Shelf,
    hasher: Xxh3,
    now: SystemTime,
    is_certain: bool,
    folder: Option<(PathBuf, u128)>,
}

impl<'s> Naming<'s> {
    fn new(shelf: &'s dyn Shelf) -> Self {
        let (hasher, now) = (Xxh3::new(), SystemTime::now());
        Self { shelf, hasher, now, is_certain: true, folder: None }
    }

    fn texts(&mut self, texts: &[&str]) {
        for text in texts {
            self.hasher.update(&(text.len() as u64).to_le_bytes());
            self.hasher.update(text.as_bytes());
        }
    }

    fn file(&mut self, (name, path): (&str, &Path), found: Option<&Metadata>, is_setting: bool) {
        self.texts(&[name]);
        self.hasher.update(&[u8::from(is_setting)]);
        match found {
            Some(found) => self.stamp(found),
            None => self.is_certain = false,
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let known = self.folder.take().filter(|(known, _)| known == folder);
        let (folder, beside) =
            known.unwrap_or_else(|| (folder.to_owned(), self.of_folder(folder, &tools_path(path))));
        self.hasher.update(&beside.to_le_bytes());
        self.folder = Some((folder, beside));
        if let Some(scenarios) = scenarios_path(path) {
            self.beside(&scenarios);
        }
    }

    /// A hash of what all tapes of a folder have in common.
    fn of_folder(&mut self, folder: &Path, tools: &Path) -> u128 {
        let outer = std::mem::replace(&mut self.hasher, Xxh3::new());
        self.beside(tools);
        let terms = self.shelf.terms(folder);
        self.hasher.update(&terms.to_le_bytes());
        std::mem::replace(&mut self.hasher, outer).digest128()
    }

    /// A file beside a tape that may have a say.
    fn beside(&mut self, path: &Path) {
        match std::fs::metadata(path) {
            Ok(found) => {
                // Of one that is too long it is told once, by the first tape that has it.
                self.is_certain &= found.len() <= MAX_SIDECAR;
                self.stamp(&found);
            }
            Err(_) => self.hasher.update(&[0]),
        }
    }

    /// What tells this state of a file from any other.
    fn stamp(&mut self, found: &Metadata) {
        let [device, node, changed, nanoseconds] = identity(found);
        let written = found.modified().ok();
        let since = written.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let Some((written, since)) = written.zip(since) else {
            self.is_certain = false;
            return;
        };
        let changed_at = SystemTime::UNIX_EPOCH + Duration::from_secs(changed.unsigned_abs());
        let is_settled = [written, changed_at].iter().all(|time| *time + SETTLED < self.now);
        self.is_certain &= found.is_file() && is_settled;
        self.hasher.update(&[1]);
        self.hasher.update(&found.len().to_le_bytes());
        self.hasher.update(&since.as_nanos().to_le_bytes());
        for number in [device, node, changed, nanoseconds] {
            self.hasher.update(&number.to_le_bytes());
        }
    }

    fn finish(self) -> Option<SegmentName> {
        self.is_certain.then(|| SegmentName(self.hasher.digest128()))
    }
}

/// Where a file lies on the disk and when anything about it changed last.
#[cfg(unix)]
fn identity(found: &Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt as _;
    [found.dev().cast_signed(), found.ino().cast_signed(), found.ctime(), found.ctime_nsec()]
}

/// Elsewhere only its length and time tell.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> [i64; 4] {
    [0; 4]
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Input};
    use super::*;

    fn names_in(corpus: &Path) -> Vec<Vec<String>> {
        let inputs = [Input::Path(corpus.to_owned())];
        let mut walk = Walk::new(&inputs, &Bounds::default()).expect("it is there");
        let mut segments = Vec::new();
        while let Some(segment) = Segment::next(&mut walk, None, |_| false) {
            let names = segment.files.iter().map(|found| match found {
                Found::File { name, .. } => name.clone(),
                _ => String::new(),
            });
            segments.push(names.collect());
        }
        segments
    }

    #[test]
    fn a_new_tape_moves_only_the_ends_around_it() {
        let corpus = tempfile::tempdir().expect("a temporary folder");
        let put = |name: &str| {
            let file = std::fs::File::create(corpus.path().join(name)).expect("a file");
            file.set_len(1 << 20).expect("sparse");
        };
        (0..200).for_each(|number| put(&format!("t{number:03}")));
        let before = names_in(corpus.path());
        assert!(before.len() > 20, "{} segments", before.len());
        assert!(before.iter().all(|names| names.len() <= 24));
        put("t100-new");
        let after = names_in(corpus.path());
        let kept = after.iter().filter(|segment| before.contains(segment)).count();
        assert!(before.len() - kept < 8, "{kept} of {} are as before", before.len());
    }

    struct Open;

    impl Shelf for Open {
        fn terms(&self, _: &Path) -> u128 {
            7
        }

        fn take(&mut self, _: SegmentName) -> Option<Kept> {
            None
        }

        fn longest_beginning(&self) -> u32 {
            0
        }

        fn has_beginning(&self, _: BeginningName) -> bool {
            false
        }

        fn take_beginning(&mut self, _: BeginningName) -> Option<Kept> {
            None
        }
    }

    fn name_of(corpus: &Path, now: SystemTime) -> Option<SegmentName> {
        let mut naming = Naming { now, ..Naming::new(&Open) };
        let path = corpus.join("a.jsonl");
        naming.file(("a.jsonl", &path), std::fs::metadata(&path).ok().as_ref(), false);
        naming.finish()
    }

    #[test]
    fn a_name_changes_with_the_file_and_with_what_stands_beside_it() {
        let corpus = tempfile::tempdir().expect("a temporary folder");
        let put = |name: &str, text: &str| {
            std::fs::write(corpus.path().join(name), text).expect("a file");
        };
        let later = SystemTime::now() + Duration::from_secs(10);
        put("a.jsonl", "1");
        let mut names = vec![name_of(corpus.path(), later).expect("settled")];
        assert_eq!(name_of(corpus.path(), later), Some(names[0]));
        for (file, text) in [("a.jsonl", "12"), ("tools.json", "[]"), ("a.scenarios.jsonl", "{}")] {
            put(file, text);
            let name = name_of(corpus.path(), later).expect("settled");
            assert!(!names.contains(&name), "{file} has a say");
            names.push(name);
        }
    }

    #[test]
    fn a_file_that_may_still_change_unseen_gives_no_name() {
        let corpus = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(corpus.path().join("a.jsonl"), "1").expect("a file");
        assert_eq!(name_of(corpus.path(), SystemTime::now()), None);
        assert_eq!(name_of(&corpus.path().join("none"), SystemTime::now()), None);
    }
}
