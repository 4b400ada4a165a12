//! Pages of Parquet columns whose cells are numbers of a dictionary, or bits.
//!
//! Most columns of a run are of this kind, and each of their cells is a few bits wide. Both kinds of
//! page are packed here in one pass without looking for runs: what that would save in bytes is little
//! beside the columns of keys, and it would cost several times the work.

use super::chunk::{CellEncoding, Packing, RawColumn};
use super::texts::{NONE, Texts};

/// A column, as far as its pages depend on it.
#[derive(Clone, Copy)]
pub(super) struct PagedColumn {
    pub(super) nullable: bool,
    pub(super) packing: Packing,
}

/// What the numbers of a dictionary column stand for.
pub(super) enum Dictionary<'d> {
    Texts(&'d Texts),
    Ints(&'d [i64]),
    Floats(&'d [f64]),
}

impl Dictionary<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Ints(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }

    fn page(&self) -> Vec<u8> {
        match self {
            Self::Texts(texts) => {
                let mut bytes = Vec::with_capacity(texts.bytes());
                write_texts(texts.iter(), &mut bytes);
                bytes
            }
            Self::Ints(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            Self::Floats(values) => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }
}

fn write_texts<'a>(texts: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    for text in texts {
        out.extend_from_slice(&to_u32(text.len()).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
    }
}

impl PagedColumn {
    /// A column of numbers of a dictionary; `u32::MAX` stands for an empty cell.
    pub(super) fn numbers(self, dictionary: &Dictionary<'_>, rows: &[u32]) -> RawColumn {
        let mut bytes = Vec::with_capacity(rows.len());
        let has_gaps = rows.contains(&NONE);
        if self.nullable {
            let bits = bits_of(rows, |row| *row != NONE);
            write_levels(rows.len(), has_gaps.then_some(bits), &mut bytes);
        }
        let width = u32::BITS - to_u32(dictionary.len().saturating_sub(1)).leading_zeros();
        let width = width.max(1);
        bytes.push(u8::try_from(width).unwrap_or(u8::MAX));
        if has_gaps {
            let present: Vec<u32> = rows.iter().copied().filter(|row| *row != NONE).collect();
            write_numbers(&present, width, &mut bytes);
        } else {
            write_numbers(rows, width, &mut bytes);
        }
        RawColumn {
            dictionary: Some((dictionary.len(), dictionary.page())),
            data: bytes,
            encoding: CellEncoding::OfDictionary,
            packing: self.packing,
        }
    }

    /// A column of texts that rarely occur twice; `present` says which cells have one.
    pub(super) fn texts(self, texts: &Texts, present: Option<&[bool]>) -> RawColumn {
        let mut bytes = Vec::with_capacity(texts.bytes());
        self.write_presence(texts.len(), present, &mut bytes);
        match present {
            None => write_texts(texts.iter(), &mut bytes),
            Some(present) => {
                let cells = texts.iter().zip(present).filter(|(_, present)| **present);
                write_texts(cells.map(|(text, _)| text), &mut bytes);
            }
        }
        self.one_page(bytes)
    }

    /// A column of floating-point numbers that rarely occur twice.
    pub(super) fn floats(self, cells: &[Option<f64>]) -> RawColumn {
        let mut bytes = Vec::with_capacity(cells.len() * 9);
        let present: Vec<bool> = cells.iter().map(Option::is_some).collect();
        self.write_presence(cells.len(), Some(&present), &mut bytes);
        cells.iter().flatten().for_each(|cell| bytes.extend_from_slice(&cell.to_le_bytes()));
        self.one_page(bytes)
    }

    fn write_presence(self, rows: usize, present: Option<&[bool]>, out: &mut Vec<u8>) {
        if self.nullable {
            let gaps = present.filter(|present| present.contains(&false));
            write_levels(rows, gaps.map(|present| bits_of(present, |cell| *cell)), out);
        }
    }

    fn one_page(self, data: Vec<u8>) -> RawColumn {
        RawColumn { dictionary: None, data, encoding: CellEncoding::Plain, packing: self.packing }
    }

    /// A column of flags.
    pub(super) fn flags(self, cells: &[Flag]) -> RawColumn {
        let mut bytes = Vec::with_capacity(cells.len() / 4 + 16);
        let has_gaps = cells.contains(&Flag::Empty);
        let is_true = |cell: &Flag| *cell == Flag::True;
        if self.nullable {
            let bits = bits_of(cells, |cell| *cell != Flag::Empty);
            write_levels(cells.len(), has_gaps.then_some(bits), &mut bytes);
        }
        if has_gaps {
            // Which cells are empty follows no pattern, so nothing here depends on guessing it.
            let mut present = vec![Flag::Empty; cells.len()];
            let mut count = 0;
            for cell in cells {
                present[count] = *cell;
                count += usize::from(*cell != Flag::Empty);
            }
            bytes.extend(bits_of(&present[..count], is_true));
        } else {
            bytes.extend(bits_of(cells, is_true));
        }
        self.one_page(bytes)
    }
}

/// A cell of a column of flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    /// No value.
    Empty,
    /// False.
    False,
    /// True.
    True,
}

impl From<Option<bool>> for Flag {
    fn from(flag: Option<bool>) -> Self {
        match flag {
            None => Self::Empty,
            Some(false) => Self::False,
            Some(true) => Self::True,
        }
    }
}

/// Which cells have a value: as runs of bits, behind their length in bytes.
fn write_levels(rows: usize, bits: Option<impl Iterator<Item = u8>>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    match bits {
        None => {
            write_varint(rows << 1, out);
            out.push(1);
        }
        Some(bits) => {
            write_varint(rows.div_ceil(8) << 1 | 1, out);
            out.extend(bits);
        }
    }
    let length = to_u32(out.len() - start - 4);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// One run: repeated where all numbers are the same, else packed.
fn write_numbers(numbers: &[u32], width: u32, out: &mut Vec<u8>) {
    if let Some(first) = numbers.first()
        && numbers.iter().all(|number| number == first)
    {
        write_varint(numbers.len() << 1, out);
        out.extend_from_slice(&first.to_le_bytes()[..width.div_ceil(8) as usize]);
        return;
    }
    write_varint(numbers.len().div_ceil(8) << 1 | 1, out);
    let end = out.len() + numbers.len().div_ceil(8) * width as usize;
    if width <= u8::BITS {
        for eight in numbers.chunks(8) {
            let places = (0..).step_by(width as usize);
            let bits = eight.iter().zip(places);
            let bits = bits.fold(0, |bits, (number, place)| bits | u64::from(*number) << place);
            out.extend_from_slice(&bits.to_le_bytes()[..width as usize]);
        }
        return;
    }
    let mut bits = 0_u64;
    let mut filled = 0;
    for number in numbers {
        bits |= u64::from(*number) << filled;
        filled += width;
        if filled >= u32::BITS {
            out.extend_from_slice(&bits.to_le_bytes()[..4]);
            bits >>= u32::BITS;
            filled -= u32::BITS;
        }
    }
    out.extend_from_slice(&bits.to_le_bytes()[..4]);
    // Packed runs come in eights of numbers.
    out.resize(end, 0);
}

/// A bit for each cell, eight to a byte, the first lowest.
fn bits_of<T>(cells: &[T], is_set: impl Fn(&T) -> bool) -> impl Iterator<Item = u8> {
    let (eights, rest) = cells.as_chunks::<8>();
    let last = (!rest.is_empty()).then(|| {
        let bits = rest.iter().zip(0..);
        bits.fold(0, |byte, (cell, place)| byte | u8::from(is_set(cell)) << place)
    });
    let packed = eights.iter().map(move |cells| {
        let bytes = u64::from_le_bytes(cells.each_ref().map(|cell| u8::from(is_set(cell))));
        // Each of the eight lowest bits is moved to its own place in the highest byte.
        (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    });
    packed.chain(last)
}

fn write_varint(mut number: usize, out: &mut Vec<u8>) {
    let low_bits = |number: usize| number.to_le_bytes()[0] & 0x7f;
    while number >= 0x80 {
        out.push(low_bits(number) | 0x80);
        number >>= 7;
    }
    out.push(low_bits(number));
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::column::{Column, ColumnKind::*};
    use super::super::parquet::{Cells, Encoder};
    use super::*;
    use polars::prelude::{DataFrame, ParquetReader, SerReader as _};
    use proptest::prelude::*;

    /// Writes one row group and reads it back with a reader that is not ours.
    fn read_back(columns: &[Column], cells: Vec<Cells>) -> DataFrame {
        let encoder = Encoder::new(columns).expect("plain columns");
        let group = encoder.encode(cells).expect("cells of these columns");
        let mut file = encoder.start(Vec::new()).expect("in memory");
        file.append(&group).expect("in memory");
        let bytes = file.finish().expect("in memory");
        ParquetReader::new(std::io::Cursor::new(bytes)).finish().expect("a Parquet file")
    }

    proptest! {
        #[test]
        fn numbers_of_a_dictionary_come_back_whatever_their_width(
            distinct in 1_u32..600,
            picks in proptest::collection::vec(proptest::option::weighted(0.8, any::<u32>()), 1..400),
        ) {
            let rows: Vec<u32> =
                picks.iter().map(|pick| pick.map_or(NONE, |pick| pick % distinct)).collect();
            let mut texts = Texts::default();
            (0..distinct).for_each(|number| texts.push(&format!("text {number}")));
            let columns = [
                Column::sometimes("text", Text, ""),
                Column::sometimes("float", Float, ""),
                Column::always("int", Int, ""),
            ];
            let floats = (0..distinct).map(f64::from).collect();
            let full: Vec<u32> = rows.iter().map(|row| if *row == NONE { 0 } else { *row }).collect();
            let table = read_back(&columns, vec![
                Cells::Distinct { texts, rows: rows.clone() },
                Cells::DistinctFloats { values: floats, rows: rows.clone() },
                Cells::DistinctInts { values: (0..i64::from(distinct)).collect(), rows: full.clone() },
            ]);
            let read_texts: Vec<Option<String>> = table["text"].str().expect("texts").iter()
                .map(|text| text.map(str::to_owned)).collect();
            let read_floats: Vec<Option<f64>> = table["float"].f64().expect("floats").iter().collect();
            let read_ints: Vec<Option<i64>> = table["int"].i64().expect("ints").iter().collect();
            for (at, row) in rows.iter().enumerate() {
                let known = (*row != NONE).then_some(*row);
                prop_assert_eq!(&read_texts[at], &known.map(|row| format!("text {row}")));
                prop_assert_eq!(read_floats[at], known.map(f64::from));
                prop_assert_eq!(read_ints[at], Some(i64::from(full[at])));
            }
        }

        #[test]
        fn flags_texts_and_floats_come_back_with_their_gaps(
            cells in proptest::collection::vec(
                (proptest::option::of(any::<bool>()), proptest::option::of(".{0,9}"), proptest::option::of(-1e9..1e9)),
                1..300,
            ),
        ) {
            let columns = [
                Column::sometimes("flag", Bool, ""),
                Column::sometimes("text", Text, ""),
                Column::sometimes("float", Float, ""),
            ];
            let mut texts = Texts::default();
            for (_, text, _) in &cells {
                texts.push(text.as_deref().unwrap_or_default());
            }
            let table = read_back(&columns, vec![
                Cells::Flags(cells.iter().map(|(flag, ..)| Flag::from(*flag)).collect()),
                Cells::Texts { texts, present: Some(cells.iter().map(|(_, text, _)| text.is_some()).collect()) },
                Cells::Floats(cells.iter().map(|(.., float)| *float).collect()),
            ]);
            let flags: Vec<Option<bool>> = table["flag"].bool().expect("flags").iter().collect();
            let texts: Vec<Option<&str>> = table["text"].str().expect("texts").iter().collect();
            let floats: Vec<Option<f64>> = table["float"].f64().expect("floats").iter().collect();
            for (at, (flag, text, float)) in cells.iter().enumerate() {
                prop_assert_eq!(flags[at], *flag);
                prop_assert_eq!(texts[at], text.as_deref());
                prop_assert_eq!(floats[at], *float);
            }
        }
    }
}
