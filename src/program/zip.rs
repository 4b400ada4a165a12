//! The little of zip archives that programs write: entries that are stored, deflated or compressed with zstd.

use memchr::memmem;
use std::collections::BTreeMap;
use std::io::Read;

/// An entry of the directory at the end of an archive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    method: u16,
    is_encrypted: bool,
    checksum: u32,
    compressed: u64,
    /// Where the header before its data begins.
    offset: u64,
}

/// So many names are looked at to tell what an archive is.
const MOST_NAMES: usize = 100;
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: u32 = 0x0201_4b50;
const END: &[u8] = b"PK\x05\x06";
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// Sizes that stand in an extra field instead.
const ELSEWHERE: u64 = 0xffff_ffff;

/// Whether a file begins as an archive does.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL)
}

/// The names of the first entries that begin here.
pub(super) fn names_in(head: &[u8]) -> impl Iterator<Item = &str> {
    memmem::find_iter(head, LOCAL).take(MOST_NAMES).filter_map(|at| {
        let length = usize::from(u16_at(head, at + 26)?);
        std::str::from_utf8(head.get(at + 30..at + 30 + length)?).ok()
    })
}

/// The entries of an archive by name. Where a name stands twice, the last entry counts.
pub(super) fn directory(bytes: &[u8]) -> Option<BTreeMap<String, Entry>> {
    // A comment may follow the end, whose length the end tells.
    let from = bytes.len().saturating_sub(22 + usize::from(u16::MAX));
    let end = memmem::rfind(bytes.get(from..)?, END)? + from;
    let (mut count, mut at) =
        (u64::from(u16_at(bytes, end + 10)?), u64::from(u32_at(bytes, end + 16)?));
    let locator = end.checked_sub(20).filter(|at| u32_at(bytes, *at) == Some(LOCATOR_64));
    let end_64 = locator.and_then(|at| usize::try_from(u64_at(bytes, at + 8)?).ok());
    if let Some(end) = end_64.filter(|end| u32_at(bytes, *end) == Some(END_64)) {
        (count, at) = (u64_at(bytes, end.checked_add(32)?)?, u64_at(bytes, end.checked_add(48)?)?);
    }
    let mut rest = bytes.get(usize::try_from(at).ok()?..)?;
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        if u32_at(rest, 0)? != CENTRAL {
            return None;
        }
        let (name, extra, comment) =
            (length_at(rest, 28)?, length_at(rest, 30)?, length_at(rest, 32)?);
        let (name_end, extra_end) = (46 + name, 46 + name + extra);
        let mut entry = Entry {
            method: u16_at(rest, 10)?,
            is_encrypted: u16_at(rest, 8)? & 1 == 1,
            checksum: u32_at(rest, 16)?,
            compressed: u32_at(rest, 20)?.into(),
            offset: u32_at(rest, 42)?.into(),
        };
        let is_large = u64::from(u32_at(rest, 24)?) == ELSEWHERE;
        entry.take_large(rest.get(name_end..extra_end)?, is_large);
        let name = String::from_utf8_lossy(rest.get(46..name_end)?).into_owned();
        entries.insert(name, entry);
        rest = rest.get(extra_end + comment..)?;
    }
    Some(entries)
}

impl Entry {
    /// Takes the sizes that have no room where they usually stand.
    fn take_large(&mut self, mut extra: &[u8], is_large: bool) {
        while let (Some(id), Some(length)) = (u16_at(extra, 0), length_at(extra, 2)) {
            if id == 1 {
                let mut at = if is_large { 12 } else { 4 };
                for size in [&mut self.compressed, &mut self.offset] {
                    if *size == ELSEWHERE {
                        *size = u64_at(extra, at).unwrap_or(*size);
                        at += 8;
                    }
                }
            }
            extra = extra.get(4 + length..).unwrap_or_default();
        }
    }

    /// The content of the entry, where it is no longer than `most`.
    pub(super) fn read(&self, archive: &[u8], most: usize) -> Result<Vec<u8>, String> {
        if self.is_encrypted {
            return Err("encrypted".to_owned());
        }
        let data = self.data(archive).ok_or("its data is not in the archive")?;
        let bound = most as u64 + 1;
        let mut content = Vec::new();
        let read = match self.method {
            0 => data.take(bound).read_to_end(&mut content),
            8 => flate2::read::DeflateDecoder::new(data).take(bound).read_to_end(&mut content),
            93 => zstd::stream::read::Decoder::new(data)
                .and_then(|data| data.take(bound).read_to_end(&mut content)),
            other => {
                return Err(format!("compressed with method {other}; only 0, 8 and 93 are read"));
            }
        };
        read.map_err(|error| error.to_string())?;
        if content.len() > most {
            return Err(format!("longer than the bound of {most} bytes"));
        }
        let mut checksum = flate2::Crc::new();
        checksum.update(&content);
        if checksum.sum() == self.checksum {
            Ok(content)
        } else {
            Err("its checksum is wrong".to_owned())
        }
    }

    fn data<'a>(&self, archive: &'a [u8]) -> Option<&'a [u8]> {
        let header = archive.get(usize::try_from(self.offset).ok()?..)?;
        let start = 30 + length_at(header, 26)? + length_at(header, 28)?;
        let data = header.starts_with(LOCAL).then(|| header.get(start..))??;
        data.get(..usize::try_from(self.compressed).ok()?)
    }
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

fn length_at(bytes: &[u8], at: usize) -> Option<usize> {
    u16_at(bytes, at).map(usize::from)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Entries that are stored, deflated and compressed with zstd; the first and the last have one name.
    pub(in crate::program) const ARCHIVE: &[u8] =
        include_bytes!("../../tests/programs/archive.zip");

    #[test]
    fn entries_are_read_and_the_last_of_a_name_counts() {
        let entries = directory(ARCHIVE).expect("a directory");
        let read = |name: &str| entries[name].read(ARCHIVE, 100);
        for (name, content) in
            [("samples/a_epoch_1.json", "second"), ("b", "deflated"), ("c", "zstd")]
        {
            assert_eq!(read(name), Ok(content.as_bytes().to_vec()), "{name}");
        }
        let bound = entries["b"].read(ARCHIVE, 7);
        assert_eq!(bound, Err("longer than the bound of 7 bytes".to_owned()));
    }

    #[test]
    fn damage_is_named() {
        let with = |at: usize, value: u8| {
            let mut archive = ARCHIVE.to_vec();
            archive[at] = value;
            archive
        };
        let content = memmem::find(ARCHIVE, b"zstd").expect("the content of an entry");
        let header = memmem::rfind(ARCHIVE, b"PK\x01\x02").expect("the last entry");
        for (archive, name, expected) in [
            (with(content, b'Z'), "c", "its checksum is wrong"),
            (
                with(header + 10, 9),
                "samples/a_epoch_1.json",
                "compressed with method 9; only 0, 8 and 93 are read",
            ),
        ] {
            let entry = directory(&archive).expect("a directory")[name];
            assert_eq!(entry.read(&archive, 100), Err(expected.to_owned()));
        }
        for end in 0..ARCHIVE.len() - 2 {
            assert!(directory(&ARCHIVE[..end]).is_none(), "{end}");
        }
        for (at, value) in (0..ARCHIVE.len()).flat_map(|at| [(at, 0), (at, 0x7f), (at, 0xff)]) {
            let other = with(at, value);
            for entry in directory(&other).unwrap_or_default().values() {
                drop(entry.read(&other, 100));
            }
        }
    }
}
