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
    use std::io::Write as _;

    /// An archive of entries, each with its name, method and content.
    pub(in crate::program) fn archive(files: &[(&str, u16, &[u8])]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, method, content) in files {
            let data = match method {
                8 => {
                    let mut encoder =
                        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
                    encoder.write_all(content).expect("memory takes bytes");
                    encoder.finish().expect("memory takes bytes")
                }
                93 => zstd::encode_all(*content, 3).expect("memory takes bytes"),
                _ => content.to_vec(),
            };
            let mut checksum = flate2::Crc::new();
            checksum.update(content);
            let mut header = Vec::new();
            for part in [20, 0, *method, 0, 0] {
                header.extend(u16::to_le_bytes(part));
            }
            for part in [checksum.sum(), length(data.len()), length(content.len())] {
                header.extend(u32::to_le_bytes(part));
            }
            header.extend(length(name.len()).to_le_bytes());
            directory.extend(CENTRAL.to_le_bytes());
            directory.extend([20, 0]);
            directory.extend(&header);
            directory.extend([0; 10]);
            directory.extend(length(out.len()).to_le_bytes());
            directory.extend(name.as_bytes());
            out.extend(LOCAL);
            out.extend(&header);
            out.extend(name.as_bytes());
            out.extend(&data);
        }
        let at = length(out.len());
        out.extend(&directory);
        out.extend(END);
        out.extend([0; 4]);
        let count = length(files.len()).to_le_bytes();
        out.extend([count[0], count[1], count[0], count[1]]);
        out.extend(length(directory.len()).to_le_bytes());
        out.extend(at.to_le_bytes());
        out.extend([0, 0]);
        out
    }

    fn length(bytes: usize) -> u32 {
        u32::try_from(bytes).expect("a small file")
    }

    #[test]
    fn entries_are_read_and_the_last_of_a_name_counts() {
        let archive = archive(&[
            ("a", 0, b"first"),
            ("b", 8, b"deflated"),
            ("c", 93, b"zstd"),
            ("a", 8, b"second"),
        ]);
        assert_eq!(names_in(&archive).collect::<Vec<_>>(), ["a", "b", "c", "a"]);
        let entries = directory(&archive).expect("a directory");
        let read = |name: &str| entries[name].read(&archive, 100);
        for (name, content) in [("a", "second"), ("b", "deflated"), ("c", "zstd")] {
            assert_eq!(read(name), Ok(content.as_bytes().to_vec()), "{name}");
        }
        assert_eq!(
            entries["b"].read(&archive, 7),
            Err("longer than the bound of 7 bytes".to_owned())
        );
    }

    #[test]
    fn damage_is_told() {
        let whole = archive(&[("a", 0, b"content")]);
        let mut damaged = whole.clone();
        damaged[31] ^= 1;
        let entry = directory(&damaged).expect("a directory")["a"];
        assert_eq!(entry.read(&damaged, 100), Err("its checksum is wrong".to_owned()));
        let odd = archive(&[("a", 9, b"content")]);
        let entry = directory(&odd).expect("a directory")["a"];
        assert_eq!(
            entry.read(&odd, 100),
            Err("compressed with method 9; only 0, 8 and 93 are read".to_owned())
        );
        for end in 0..whole.len() - 2 {
            let part = &whole[..end];
            assert!(directory(part).is_none(), "{end}");
        }
        for at in 0..whole.len() {
            for value in [0, 0x7f, 0xff] {
                let mut other = whole.clone();
                other[at] = value;
                let entries = directory(&other).unwrap_or_default();
                for entry in entries.values() {
                    drop(entry.read(&other, 100));
                }
            }
        }
    }
}
