//! Cells that are laid out shape by shape, and dealt out to the rows that have the shapes.

use super::parquet::Cells;
use super::texts::Texts;

impl Cells {
    /// Cells of rows, each of which is like one of these.
    pub(super) fn dealt(&self, rows: &[u32]) -> Self {
        match self {
            Self::Distinct { texts, rows: of } => {
                Self::Distinct { texts: texts.clone(), rows: deal(of, rows) }
            }
            Self::Texts { texts, present } => {
                let mut dealt = Texts::default();
                for row in rows {
                    dealt.push(texts.get(*row as usize));
                }
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
}

fn deal<T: Copy>(of: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|row| of[*row as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_dealt_out_to_the_rows() {
        let mut texts = Texts::default();
        for text in ["a", "", "b"] {
            texts.push(text);
        }
        let rows = vec![1, 0, u32::MAX];
        let distinct = Cells::Distinct { texts: texts.clone(), rows };
        let Cells::Distinct { rows, .. } = distinct.dealt(&[2, 0, 0]) else { panic!("texts") };
        assert_eq!(rows, [u32::MAX, 1, 1]);
        let plain = Cells::Texts { texts, present: Some(vec![true, false, true]) };
        let dealt = plain.dealt(&[2, 1, 1, 0]);
        let Cells::Texts { texts, present } = dealt else { panic!("texts") };
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["b", "", "", "a"]);
        assert_eq!(present, Some(vec![true, false, false, true]));
        let floats = Cells::Floats(vec![Some(0.5), None]).dealt(&[1, 0, 0]);
        let Cells::Floats(cells) = floats else { panic!("numbers") };
        assert_eq!(cells, [None, Some(0.5), Some(0.5)]);
    }
}
