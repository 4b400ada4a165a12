//! Cells that are laid out shape by shape, and dealt out to the rows that have the shapes.

use super::parquet::Cells;
use super::texts::Texts;
use xxhash_rust::xxh3::Xxh3;

impl Cells {
    /// Cells of rows, each of which is like one of these.
    pub(super) fn dealt(&self, rows: &[u32]) -> Self {
        match self {
            Self::Distinct { texts, rows: of } => {
                Self::Distinct { texts: texts.clone(), rows: deal(of, rows) }
            }
            Self::Texts { texts, present } => {
                let mut dealt = Texts::default();
                rows.iter().for_each(|row| dealt.push(texts.get(*row as usize)));
                let present = present.as_ref().map(|present| deal(present, rows));
                Self::Texts { texts: dealt, present }
            }
            Self::Flags(of) => Self::Flags(deal(of, rows)),
            Self::Ints(of) => Self::Ints(deal(of, rows)),
            Self::DistinctInts { values, rows: of } => {
                Self::DistinctInts { values: values.clone(), rows: deal(of, rows) }
            }
            Self::Floats(of) => Self::Floats(deal(of, rows)),
            Self::DistinctFloats { values, rows: of } => {
                Self::DistinctFloats { values: values.clone(), rows: deal(of, rows) }
            }
        }
    }

    /// A hash of all that they say. Where it is as before, and so are the rows that they are dealt out
    /// to, the column is as before to the byte.
    pub(super) fn print(&self) -> u128 {
        let mut print = Print(Xxh3::new());
        match self {
            Self::Distinct { texts, rows } => {
                print.number(0);
                print.texts(texts);
                print.all(rows.iter().map(|row| row.to_le_bytes()));
            }
            Self::Texts { texts, present } => {
                print.number(1);
                print.texts(texts);
                let present = present.iter().flatten();
                print.all(present.map(|present| [u8::from(*present)]).collect::<Vec<_>>());
            }
            Self::Flags(cells) => {
                print.number(2);
                print.all(cells.iter().map(|cell| [*cell as u8]));
            }
            Self::Ints(cells) => {
                print.number(3);
                print.all(cells.iter().map(|cell| cell.to_le_bytes()));
            }
            Self::DistinctInts { values, rows } => {
                print.number(4);
                print.all(values.iter().map(|value| value.to_le_bytes()));
                print.all(rows.iter().map(|row| row.to_le_bytes()));
            }
            Self::Floats(cells) => {
                print.number(5);
                let bits = |cell: &Option<f64>| cell.map_or(u64::MAX, f64::to_bits).to_le_bytes();
                print.all(cells.iter().map(|cell| [u8::from(cell.is_some())]));
                print.all(cells.iter().map(bits));
            }
            Self::DistinctFloats { values, rows } => {
                print.number(6);
                print.all(values.iter().map(|value| value.to_bits().to_le_bytes()));
                print.all(rows.iter().map(|row| row.to_le_bytes()));
            }
        }
        print.0.digest128()
    }
}

fn deal<T: Copy>(of: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|row| of[*row as usize]).collect()
}

/// A hash that tells lists apart wherever they are cut.
struct Print(Xxh3);

impl Print {
    fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }

    fn all<const N: usize>(&mut self, parts: impl IntoIterator<Item = [u8; N]>) {
        let bytes: Vec<u8> = parts.into_iter().flatten().collect();
        self.number(bytes.len());
        self.0.update(&bytes);
    }

    fn texts(&mut self, texts: &Texts) {
        self.number(texts.len());
        for text in texts.iter() {
            self.number(text.len());
            self.0.update(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pages::Flag;
    use super::*;

    fn texts(all: &[&str]) -> Texts {
        let mut texts = Texts::default();
        all.iter().for_each(|text| texts.push(text));
        texts
    }

    /// One of each kind, and one like it that says something else.
    fn pairs() -> [[Cells; 2]; 7] {
        let plain = |all: &[&str], present| Cells::Texts { texts: texts(all), present };
        [
            [&["a", "bc"], &["ab", "c"]]
                .map(|all| Cells::Distinct { texts: texts(all), rows: vec![1, 0, u32::MAX] }),
            [plain(&["a", ""], None), plain(&["a", ""], Some(vec![true, false]))],
            [Flag::True, Flag::Empty].map(|flag| Cells::Flags(vec![Flag::False, flag])),
            [7, 8].map(|last| Cells::Ints(vec![-1, last])),
            [[0, 1], [1, 0]]
                .map(|rows| Cells::DistinctInts { values: vec![5, 6], rows: rows.into() }),
            [None, Some(f64::from_bits(u64::MAX))].map(|cell| Cells::Floats(vec![cell, Some(0.5)])),
            [0.0, -0.0]
                .map(|value| Cells::DistinctFloats { values: vec![value], rows: vec![0, 0] }),
        ]
    }

    #[test]
    fn cells_that_say_something_else_have_another_print() {
        let mut prints: Vec<u128> = pairs().iter().flatten().map(Cells::print).collect();
        assert_eq!(prints, pairs().iter().flatten().map(Cells::print).collect::<Vec<_>>());
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), 14);
    }

    #[test]
    fn cells_are_dealt_out_to_the_rows() {
        for cells in pairs().iter().flatten() {
            let each: Vec<u32> = (0..).take(cells.len()).collect();
            assert_eq!(cells.dealt(&each).print(), cells.print());
            assert_eq!(cells.dealt(&[0, 1, 1, 0]).len(), 4);
        }
        let Cells::Distinct { rows, .. } = pairs()[0][0].dealt(&[2, 0, 0]) else { panic!("texts") };
        assert_eq!(rows, [u32::MAX, 1, 1]);
    }
}
