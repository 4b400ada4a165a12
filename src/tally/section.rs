//! A part of a file that nobody writes any more, and that any number may read at once.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// A stretch of bytes within a file.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// The file.
    pub(super) file: Arc<File>,
    /// Where the stretch begins.
    pub(super) start: u64,
    /// How long it is.
    pub(super) length: u64,
}

impl Section {
    /// All of a file.
    pub(super) fn whole(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), start: 0, length })
    }

    /// Reads it from its beginning, whatever others read meanwhile.
    #[must_use]
    pub(super) fn reader(&self) -> SectionReader {
        SectionReader(self.clone())
    }

    /// Reads as many bytes as there is room for, from a place within it.
    pub(super) fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let left = self.length.saturating_sub(at);
        let rest = Self { file: Arc::clone(&self.file), start: self.start + at, length: left };
        SectionReader(rest).read_exact(bytes)
    }
}

/// Reads a section from its beginning to its end.
#[derive(Debug)]
pub(super) struct SectionReader(Section);

impl Read for SectionReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Section { file, start, length } = &mut self.0;
        let most = usize::try_from(*length).unwrap_or(usize::MAX).min(bytes.len());
        let read = read_at(file, &mut bytes[..most], *start)?;
        *start += read as u64;
        *length -= read as u64;
        Ok(read)
    }
}

/// Reads from a place of a file without moving anything that others rely on.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

/// Reads from a place of a file, which is named with every read.
#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn sections_of_one_file_are_read_side_by_side() {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(b"some bytes").expect("space");
        let whole = Section::whole(file).expect("ours");
        let part = Section { start: 5, length: 3, ..whole.clone() };
        let (mut one, mut other) = (whole.reader(), part.reader());
        let mut read = [String::new(), String::new()];
        let mut two = [0; 2];
        one.read_exact(&mut two).expect("whole");
        other.read_to_string(&mut read[1]).expect("UTF-8");
        one.read_to_string(&mut read[0]).expect("UTF-8");
        assert_eq!(read, ["me bytes", "byt"]);
        part.read_exact_at(&mut two, 1).expect("whole");
        assert_eq!(&two, b"yt");
        assert!(part.read_exact_at(&mut two, 2).is_err(), "it ends before the file");
    }
}
