//! What stands in the pages of Parquet columns: the counterpart of `pages`.
//!
//! Files may have been torn or edited, so everything here is looked at before it is believed; `None`
//! stands for whatever cannot be what this program wrote.

use super::pages::Flag;
use super::texts::{NONE, Texts};
use crate::tally::wire::read_number;

/// Takes the given number of bytes off the front.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (first, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(first)
}

fn take_u32(bytes: &mut &[u8]) -> Option<usize> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    usize::try_from(u32::from_le_bytes(*first)).ok()
}

/// Numbers of so many bits, packed one after the other.
fn unpack(packed: &[u8], width: u32, count: usize, out: &mut Vec<u64>) -> Option<()> {
    if width == 0 {
        out.resize(out.len() + count, 0);
        return Some(());
    }
    let mut bits = 0_u128;
    let mut filled = 0;
    let mut rest = packed;
    let mask = if width == u64::BITS { u64::MAX } else { (1 << width) - 1 };
    for _ in 0..count {
        while filled < width {
            if let Some((eight, after)) = rest.split_first_chunk() {
                bits |= u128::from(u64::from_le_bytes(*eight)) << filled;
                filled += u64::BITS;
                rest = after;
            } else {
                let (byte, after) = rest.split_first()?;
                bits |= u128::from(*byte) << filled;
                filled += u8::BITS;
                rest = after;
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
        out.push(bits as u64 & mask);
        bits >>= width;
        filled -= width;
    }
    Some(())
}

/// Numbers of at most 32 bits, packed one after the other: most cells of a table are read here.
fn unpack_numbers(packed: &[u8], width: u32, count: usize, out: &mut Vec<u32>) -> Option<()> {
    let width = width as usize;
    if width > 32 || packed.len() < count.checked_mul(width)?.div_ceil(8) {
        return None;
    }
    let mask = (1_u64 << width) - 1;
    let number = |at: usize| {
        let bit = at * width;
        let bytes = &packed[bit / 8..];
        let eight = bytes.first_chunk().copied().unwrap_or_else(|| {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            eight
        });
        #[expect(clippy::cast_possible_truncation, reason = "at most 32 bits are left")]
        let number = (u64::from_le_bytes(eight) >> (bit % 8) & mask) as u32;
        number
    };
    out.extend((0..count).map(number));
    Some(())
}

/// Numbers in runs, repeated or packed.
fn runs(mut bytes: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
    let mut numbers: Vec<u32> = Vec::with_capacity(count.min(MOST_CELLS));
    while numbers.len() < count {
        let left = count - numbers.len();
        let head = read_number(&mut bytes)?;
        let length = usize::try_from(head >> 1).ok().filter(|length| *length > 0)?;
        if head & 1 == 1 {
            let packed = length.checked_mul(width as usize)?.min(bytes.len());
            let packed = take(&mut bytes, packed)?;
            unpack_numbers(packed, width, left.min(length.checked_mul(8)?), &mut numbers)?;
        } else {
            let value = take(&mut bytes, width.div_ceil(8) as usize)?;
            let value = value.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            numbers.resize(numbers.len() + left.min(length), value);
        }
    }
    Some(numbers)
}

/// More cells than most pages of ours have: no room is made for more until they are there.
const MOST_CELLS: usize = 1 << 17;
/// A page that claims to have more cells is damaged: a few bytes could stand for any number.
const MOST_EVER: usize = 1 << 24;

/// Which cells of a page have a value, and where the values begin.
pub(super) struct Levels<'b> {
    /// `None`: all of them.
    present: Option<Vec<u32>>,
    cells: usize,
    values: &'b [u8],
}

impl<'b> Levels<'b> {
    /// Reads the levels of a page of so many cells.
    pub(super) fn read(mut page: &'b [u8], nullable: bool, cells: usize) -> Option<Self> {
        if cells > MOST_EVER {
            return None;
        }
        let mut present = None;
        if nullable {
            let length = take_u32(&mut page)?;
            let levels = runs(take(&mut page, length)?, 1, cells)?;
            present = Some(levels).filter(|levels| levels.contains(&0));
        }
        Some(Self { present, cells, values: page })
    }

    /// How many cells have a value.
    fn count(&self) -> usize {
        self.present
            .as_ref()
            .map_or(self.cells, |present| present.iter().filter(|level| **level == 1).count())
    }

    /// Deals values out to the cells that have one.
    fn deal<T: Copy>(&self, values: Vec<T>, missing: T) -> Option<Vec<T>> {
        let Some(present) = &self.present else { return Some(values) };
        let mut values = values.into_iter();
        present
            .iter()
            .map(|level| if *level == 1 { values.next() } else { Some(missing) })
            .collect()
    }

    /// Numbers of a dictionary, which has so many entries; empty cells are `NONE`.
    pub(super) fn numbers(&self, entries: usize) -> Option<Vec<u32>> {
        let (width, packed) = self.values.split_first()?;
        let count = self.count();
        let numbers = match (*width, count) {
            (_, 0) => Vec::new(),
            (0, _) => vec![0; count],
            (1..=32, _) => runs(packed, u32::from(*width), count)?,
            (33.., _) => return None,
        };
        if numbers.iter().any(|number| *number as usize >= entries) {
            return None;
        }
        self.deal(numbers, NONE)
    }

    /// Texts, one for each cell that has one; numbered as those of a dictionary are.
    pub(super) fn texts(&self) -> Option<(Texts, Vec<u32>)> {
        let count = self.count();
        let texts = texts(self.values, count)?;
        let numbers = (0..u32::try_from(count).ok()?).collect();
        Some((texts, self.deal(numbers, NONE)?))
    }

    /// Flags.
    pub(super) fn flags(&self) -> Option<Vec<Flag>> {
        let count = self.count();
        let mut bits = Vec::with_capacity(count.min(MOST_CELLS));
        unpack(self.values, 1, count, &mut bits)?;
        let flags = bits.into_iter().map(|bit| Flag::from(Some(bit == 1))).collect();
        self.deal(flags, Flag::Empty)
    }

    /// Floating-point numbers.
    pub(super) fn floats(&self) -> Option<Vec<Option<f64>>> {
        let values = eights(self.values, self.count())?;
        self.deal(values.map(|eight| Some(f64::from_le_bytes(eight))).collect(), None)
    }

    /// Whole numbers as they are.
    pub(super) fn ints(&self) -> Option<Vec<i64>> {
        self.deal(eights(self.values, self.count())?.map(i64::from_le_bytes).collect(), 0)
    }

    /// Whole numbers as differences.
    pub(super) fn differences(&self) -> Option<Vec<i64>> {
        self.deal(differences(self.values, self.count())?, 0)
    }
}

/// So many values of eight bytes.
fn eights(bytes: &[u8], count: usize) -> Option<impl Iterator<Item = [u8; 8]>> {
    let (values, _) = bytes.get(..count.checked_mul(8)?)?.as_chunks();
    Some(values.iter().copied())
}

/// Texts, each behind its length.
pub(super) fn texts(mut bytes: &[u8], count: usize) -> Option<Texts> {
    let room = bytes.len().checked_div(count).unwrap_or_default();
    let mut texts = Texts::with_room_for(count.min(MOST_CELLS), room);
    for _ in 0..count {
        let length = take_u32(&mut bytes)?;
        texts.push(std::str::from_utf8(take(&mut bytes, length)?).ok()?);
    }
    Some(texts)
}

/// Floating-point numbers of a dictionary.
pub(super) fn floats(bytes: &[u8], count: usize) -> Option<Vec<f64>> {
    Some(eights(bytes, count)?.map(f64::from_le_bytes).collect())
}

/// Whole numbers of a dictionary.
pub(super) fn ints(bytes: &[u8], count: usize) -> Option<Vec<i64>> {
    Some(eights(bytes, count)?.map(i64::from_le_bytes).collect())
}

/// Numbers as differences, packed in blocks (`DELTA_BINARY_PACKED`).
fn differences(mut bytes: &[u8], count: usize) -> Option<Vec<i64>> {
    #[expect(clippy::cast_possible_wrap, reason = "signs are folded into the lowest bit")]
    let signed = |number: u64| (number >> 1) as i64 ^ -((number & 1) as i64);
    let block = usize::try_from(read_number(&mut bytes)?).ok()?;
    let minis = usize::try_from(read_number(&mut bytes)?).ok()?;
    let total = usize::try_from(read_number(&mut bytes)?).ok()?;
    let first = signed(read_number(&mut bytes)?);
    let size = block.checked_div(minis)?;
    if total != count || size == 0 || minis > MOST_CELLS {
        return None;
    }
    let mut numbers = Vec::with_capacity(count.min(MOST_CELLS));
    if count > 0 {
        numbers.push(first);
    }
    let mut last = first;
    let mut deltas = Vec::new();
    while numbers.len() < count {
        let floor = signed(read_number(&mut bytes)?);
        let widths = take(&mut bytes, minis)?;
        for width in widths {
            let left = (count - numbers.len()).min(size);
            if left == 0 {
                break;
            }
            let width = u32::from(*width);
            let packed = size.checked_mul(width as usize)?.div_ceil(8).min(bytes.len());
            deltas.clear();
            if width > u64::BITS {
                return None;
            }
            unpack(take(&mut bytes, packed)?, width, left, &mut deltas)?;
            for delta in &deltas {
                last = last.wrapping_add(floor).wrapping_add(delta.cast_signed());
                numbers.push(last);
            }
        }
    }
    Some(numbers)
}
