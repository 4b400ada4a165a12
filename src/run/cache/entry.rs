//! How a kept stretch stands in its file.

use crate::corpus::SegmentName;
use xxhash_rust::xxh3::Xxh3;

/// The files' version: it changes with anything that is written in them.
const VERSION: &[u8; 8] = b"tcache01";
/// How names of files end.
const ENDING: &str = ".stretch";
/// Bytes behind the content: the end mark, the hash and the version.
const TRAILER: usize = 1 + 16 + VERSION.len();

/// What a stretch is called: its segment and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryName {
    pub(super) name: SegmentName,
    pub(super) number: u32,
}

impl EntryName {
    /// The name of its file.
    pub(super) fn file(self) -> String {
        format!("{:032x}-{}{ENDING}", self.name.0, self.number)
    }

    /// Whether a file of this name is one of ours.
    pub(super) fn is_ours(file: &str) -> bool {
        let name = file.strip_suffix(ENDING).and_then(|name| name.split_once('-'));
        name.is_some_and(|(segment, number)| {
            segment.len() == 32
                && segment.bytes().all(|byte| byte.is_ascii_hexdigit())
                && number.parse::<u32>().is_ok()
        })
    }
}

/// Whether a stretch is the last of its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) enum End {
    GoesOn,
    Last,
}

/// The file of a stretch.
pub(super) fn seal(name: EntryName, end: End, mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(u8::from(end == End::Last));
    let hash = hash(name, &bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes.extend_from_slice(VERSION);
    bytes
}

/// What a file holds; `None` where it is torn, altered, or not the one that is asked for.
pub(super) fn open(name: EntryName, mut file: Vec<u8>) -> Option<(End, Vec<u8>)> {
    let content = file.len().checked_sub(TRAILER)?;
    let (sealed, rest) = file.split_at(content + 1);
    let (sum, version) = rest.split_first_chunk()?;
    if version != VERSION || u128::from_le_bytes(*sum) != hash(name, sealed) {
        return None;
    }
    let end = match sealed.last()? {
        0 => End::GoesOn,
        _ => End::Last,
    };
    file.truncate(content);
    Some((end, file))
}

fn hash(EntryName { name, number }: EntryName, bytes: &[u8]) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(&name.0.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    hasher.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: EntryName = EntryName { name: SegmentName(u128::MAX / 3), number: 4 };

    #[test]
    fn only_a_whole_file_of_the_right_name_opens() {
        let content = b"what was judged".to_vec();
        let file = seal(NAME, End::Last, content.clone());
        assert_eq!(open(NAME, file.clone()), Some((End::Last, content.clone())));
        assert_eq!(open(EntryName { number: 5, ..NAME }, file.clone()), None);
        for at in 0..file.len() {
            assert_eq!(open(NAME, file[..at].to_vec()), None, "cut to {at} bytes");
            let mut altered = file.clone();
            altered[at] ^= 1;
            assert_eq!(open(NAME, altered), None, "byte {at} altered");
        }
        let going_on = seal(NAME, End::GoesOn, content.clone());
        assert_eq!(open(NAME, going_on), Some((End::GoesOn, content)));
    }

    #[test]
    fn files_of_others_are_not_ours() {
        assert!(EntryName::is_ours(&NAME.file()));
        for other in ["notes.txt", "abc-0.stretch", "CACHEDIR.TAG", ".stretch"] {
            assert!(!EntryName::is_ours(other), "{other}");
        }
    }
}
