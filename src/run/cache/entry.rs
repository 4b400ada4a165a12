//! How a kept stretch stands in its file.

use std::fs::File;
use std::io::{self, Read as _, Write};
use xxhash_rust::xxh3::Xxh3;

/// The files' version: it changes with anything that is written in them.
const VERSION: &[u8; 8] = b"tcache02";
/// How names of files end.
const ENDING: &str = ".stretch";
/// How those of beginnings of runs end.
const BEGINNING: &str = ".beginning";
/// How those of notes end that there was such a beginning.
const NOTE: &str = ".judged";
/// Bytes before the content: the length of the head.
const HEADER: usize = 8;
/// A file is read in pieces of so many bytes.
const PIECE: usize = 1 << 18;
/// Bytes behind the content: the end mark, the hash and the version.
const TRAILER: usize = 1 + 16 + VERSION.len();

/// What a stretch is called: its segment, by what it was judged, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryName {
    pub(super) name: u128,
    pub(super) number: u32,
}

impl EntryName {
    /// The name of its file.
    pub(super) fn file(self) -> String {
        format!("{:032x}-{}{ENDING}", self.name, self.number)
    }

    /// Whether a file of this name is one of ours.
    pub(super) fn is_ours(file: &str) -> bool {
        let name = file.strip_suffix(ENDING).and_then(|name| name.split_once('-'));
        BeginningFile::of_file(file).is_some()
            || BeginningFile::of_note(file).is_some()
            || name.is_some_and(|(segment, number)| {
                segment.len() == 32
                    && segment.bytes().all(|byte| byte.is_ascii_hexdigit())
                    && number.parse::<u32>().is_ok()
            })
    }
}

/// What the beginning of a run is called, and how many segments it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BeginningFile {
    pub(super) name: u128,
    pub(super) segments: u32,
}

impl BeginningFile {
    /// The name of its file.
    pub(super) fn file(self) -> String {
        format!("{:032x}-{}{BEGINNING}", self.name, self.segments)
    }

    /// The name of the note that it was judged, and not kept.
    pub(super) fn note(self) -> String {
        format!("{:032x}-{}{NOTE}", self.name, self.segments)
    }

    /// What a file of this name is of.
    pub(super) fn of_file(file: &str) -> Option<Self> {
        Self::of_stem(file.strip_suffix(BEGINNING)?)
    }

    /// What a note of this name is of.
    fn of_note(file: &str) -> Option<Self> {
        Self::of_stem(file.strip_suffix(NOTE)?)
    }

    fn of_stem(stem: &str) -> Option<Self> {
        let (name, segments) = stem.split_once('-')?;
        let name = Some(name).filter(|name| name.len() == 32)?;
        let (name, segments) = (u128::from_str_radix(name, 16).ok()?, segments.parse().ok()?);
        Some(Self { name, segments })
            .filter(|known| known.file().strip_suffix(BEGINNING) == Some(stem))
    }
}

/// Whether a stretch is the last of its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) enum End {
    GoesOn,
    Last,
}

/// A file that was opened and is whole.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) end: End,
    /// What it begins with.
    pub(super) head: Vec<u8>,
    pub(super) file: File,
    /// Where the rest of its content begins.
    pub(super) body: u64,
}

/// Writes the file of a stretch: its head, its body, and by what both can be known to be whole.
pub(super) fn write(
    out: &mut impl Write,
    name: EntryName,
    end: End,
    (head, body): (&[u8], &[&[u8]]),
) -> io::Result<()> {
    let mut hasher = begin(name);
    let length = (head.len() as u64).to_le_bytes();
    let mark = [u8::from(end == End::Last)];
    for part in [&length[..], head].into_iter().chain(body.iter().copied()).chain([&mark[..]]) {
        hasher.update(part);
        out.write_all(part)?;
    }
    out.write_all(&hasher.digest128().to_le_bytes())?;
    out.write_all(VERSION)
}

/// How long the file of such content is.
pub(super) fn length((head, body): (&[u8], &[&[u8]])) -> u64 {
    let body: usize = body.iter().map(|part| part.len()).sum();
    (HEADER + head.len() + body + TRAILER) as u64
}

/// Reads a file; `None` where it is torn, altered, or not the one that is asked for.
pub(super) fn read(name: EntryName, mut file: File) -> Option<Entry> {
    let length = file.metadata().ok()?.len();
    let mut left = length.checked_sub((HEADER + TRAILER) as u64)?;
    let mut hasher = begin(name);
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    hasher.update(&header);
    let head_length = u64::from_le_bytes(header);
    left = left.checked_sub(head_length)?;
    let mut head = vec![0; usize::try_from(head_length).ok()?];
    file.read_exact(&mut head).ok()?;
    hasher.update(&head);
    let mut piece = vec![0; usize::try_from(left).unwrap_or(PIECE).min(PIECE)];
    while left > 0 {
        let next = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        file.read_exact(&mut piece[..next]).ok()?;
        hasher.update(&piece[..next]);
        left -= next as u64;
    }
    let mut trailer = [0; TRAILER];
    file.read_exact(&mut trailer).ok()?;
    let (mark, rest) = trailer.split_first()?;
    let (sum, version) = rest.split_first_chunk()?;
    hasher.update(&[*mark]);
    if version != VERSION || u128::from_le_bytes(*sum) != hasher.digest128() {
        return None;
    }
    let end = if *mark == 0 { End::GoesOn } else { End::Last };
    Some(Entry { end, head, file, body: HEADER as u64 + head_length })
}

fn begin(EntryName { name, number }: EntryName) -> Xxh3 {
    let mut hasher = Xxh3::new();
    hasher.update(&name.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek as _, SeekFrom};

    const NAME: EntryName = EntryName { name: u128::MAX / 3, number: 4 };

    fn file(end: End) -> Vec<u8> {
        let mut file = Vec::new();
        let content: (&[u8], &[&[u8]]) = (b"head", &[b"of rows", b"of issues"]);
        write(&mut file, NAME, end, content).expect("in memory");
        assert_eq!(file.len() as u64, length(content));
        file
    }

    fn read_back(name: EntryName, bytes: &[u8]) -> Option<(End, Vec<u8>, String)> {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes).and_then(|()| file.rewind()).expect("ours");
        let Entry { end, head, mut file, body } = read(name, file)?;
        file.seek(SeekFrom::Start(body)).expect("ours");
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).expect("ours");
        rest.truncate(rest.len() - TRAILER);
        Some((end, head, String::from_utf8(rest).expect("as written")))
    }

    #[test]
    fn only_a_whole_file_of_the_right_name_opens() {
        let file = file(End::Last);
        let content = (End::Last, b"head".to_vec(), "of rowsof issues".to_owned());
        assert_eq!(read_back(NAME, &file), Some(content));
        assert_eq!(read_back(EntryName { number: 5, ..NAME }, &file), None);
        for at in 0..file.len() {
            assert_eq!(read_back(NAME, &file[..at]), None, "cut to {at} bytes");
            let mut altered = file.clone();
            altered[at] ^= 1;
            assert_eq!(read_back(NAME, &altered), None, "byte {at} altered");
        }
        assert_eq!(read_back(NAME, &[&file[..], b"x"].concat()), None);
        let going_on = read_back(NAME, &self::file(End::GoesOn)).expect("whole");
        assert_eq!(going_on.0, End::GoesOn);
    }

    #[test]
    fn files_of_others_are_not_ours() {
        assert!(EntryName::is_ours(&NAME.file()));
        let beginning = BeginningFile { name: NAME.name, segments: 12 };
        assert_eq!(BeginningFile::of_file(&beginning.file()), Some(beginning));
        assert_eq!(BeginningFile::of_file(&beginning.note()), None);
        assert!(EntryName::is_ours(&beginning.file()) && EntryName::is_ours(&beginning.note()));
        for other in ["notes.txt", "abc-0.stretch", "CACHEDIR.TAG", ".stretch"] {
            assert!(!EntryName::is_ours(other), "{other}");
        }
    }
}
