//! Reads as much of a file as shows what it is.

use super::Bounds;
use super::decode::{Broken, Decoded};
use super::detect::{Extent, begun};
use super::reader::BLOCK;
use crate::program::says_nothing;
use crate::recording::Place;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Beginning {
    pub(super) head: Vec<u8>,
    /// Where it begins, behind what is blank.
    pub(super) place: Place,
    pub(super) extent: Extent,
    pub(super) broken: Option<Broken>,
}

impl Beginning {
    /// Reads as much of a file as shows what it is.
    pub(super) fn of(source: &mut Decoded, mut head: Vec<u8>, bounds: &Bounds) -> Self {
        head.clear();
        let (mut ended, mut extent, mut broken) = (false, Extent::Whole, None);
        let (mut probed, mut prefaced) = (0, 0);
        let mut place = Place { line: 1, byte: 0 };
        while !ended {
            if head.len() == BLOCK && is_blank(&head) {
                place.line += memchr::memchr_iter(b'\n', &head).count() as u64;
                place.byte += head.len() as u64;
                head.clear();
                (probed, prefaced) = (0, 0);
            }
            let seen = if head.len().is_multiple_of(BLOCK) {
                let says_nothing = says_nothing(&head[prefaced..], bounds.max_depth);
                prefaced = memchr::memrchr(b'\n', &head).map_or(0, |end| end + 1);
                (head.len() > bounds.max_line || !says_nothing).then_some(Extent::Beginning)
            } else {
                let begun = begun(&head, probed, bounds.max_depth);
                probed = memchr::memrchr(b'\n', &head).map_or(0, |end| end + 1);
                begun
            };
            if let Some(seen) = seen {
                extent = seen;
                break;
            }
            let room = BLOCK - head.len() % BLOCK;
            match source.fill(&mut head, room) {
                Ok(0) => ended = true,
                Ok(_) => {}
                Err(error) => {
                    broken = Some(error);
                    ended = true;
                }
            }
        }
        if place.byte == 0 && head.starts_with(MARK) {
            head.drain(..MARK.len());
            place.byte = MARK.len() as u64;
        }
        Self { head, place, extent, broken }
    }
}

fn is_blank(head: &[u8]) -> bool {
    head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start().is_empty()
}
