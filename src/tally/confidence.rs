//! Averaged confidences, added up in the order of the corpus.

use super::spill::Mergeable;
use super::wire::{read_number, write_number};
use crate::rulebook::Overall;
use crate::verdict::Classification;

/// The sum of weighted confidences.
///
/// Floating-point sums depend on their order, and the order is the corpus's: what follows an
/// unknown beginning is kept as the list of its parts until that beginning is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Confidences {
    /// The sum so far, from the very first exchange.
    Sum(f64),
    /// Parts that follow something else: each value with how often it stands in a row.
    Parts(Vec<(f64, u32)>),
}

impl Default for Confidences {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

impl Confidences {
    /// Adds the next exchange's confidence.
    pub fn add(&mut self, overall: &Overall, class: Classification, confidence: f64) {
        let part = confidence * overall.weights[class as usize];
        match self {
            Self::Sum(sum) => *sum += part,
            Self::Parts(parts) => match parts.last_mut() {
                Some((last, times)) if last.to_bits() == part.to_bits() && *times < u32::MAX => {
                    *times += 1;
                }
                _ => parts.push((part, 1)),
            },
        }
    }

    /// The average over this many exchanges, 0 to 100.
    #[must_use]
    pub fn average(&self, exchanges: u64, overall: &Overall) -> f64 {
        if exchanges == 0 {
            return overall.empty;
        }
        // The full score is 100 for each exchange; such sums are exact.
        let full = exchanges as f64 * 100.0;
        self.sum() / full * 100.0
    }

    fn sum(&self) -> f64 {
        match self {
            Self::Sum(sum) => *sum,
            Self::Parts(parts) => add_up(0.0, parts),
        }
    }
}

/// Adds parts one at a time, in their order.
fn add_up(sum: f64, parts: &[(f64, u32)]) -> f64 {
    parts.iter().fold(sum, |sum, (part, times)| (0..*times).fold(sum, |sum, _| sum + part))
}

impl Mergeable for Confidences {
    fn absorb(&mut self, later: Self) {
        match (self, later) {
            (Self::Sum(sum), Self::Parts(parts)) => *sum = add_up(*sum, &parts),
            (Self::Parts(parts), Self::Parts(later)) => {
                let mut later = later.into_iter();
                if let (Some(last), Some(first)) = (parts.last_mut(), later.as_slice().first()) {
                    let joined = last.1.checked_add(first.1);
                    if let Some(times) = joined.filter(|_| last.0.to_bits() == first.0.to_bits()) {
                        last.1 = times;
                        later.next();
                    }
                }
                parts.extend(later);
            }
            (this, Self::Sum(sum)) => {
                debug_assert_eq!(this.sum().to_bits(), 0, "a sum comes first or not at all");
                *this = Self::Sum(sum);
            }
        }
    }

    fn first(self) -> Self {
        Self::Sum(self.sum())
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Sum(sum) => {
                out.push(0);
                out.extend_from_slice(&sum.to_le_bytes());
            }
            Self::Parts(parts) => {
                out.push(1);
                write_number(parts.len() as u64, out);
                for (part, times) in parts {
                    out.extend_from_slice(&part.to_le_bytes());
                    write_number(u64::from(*times), out);
                }
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (mark, rest) = bytes.split_first()?;
        *bytes = rest;
        if *mark == 0 {
            return read_float(bytes).map(Self::Sum);
        }
        let mut parts = Vec::new();
        for _ in 0..read_number(bytes)? {
            parts.push((read_float(bytes)?, u32::try_from(read_number(bytes)?).ok()?));
        }
        Some(Self::Parts(parts))
    }

    fn weight(&self) -> usize {
        match self {
            Self::Sum(_) => size_of::<Self>(),
            Self::Parts(parts) => size_of::<Self>() + parts.capacity() * size_of::<(f64, u32)>(),
        }
    }
}

fn read_float(bytes: &mut &[u8]) -> Option<f64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(f64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERALL: Overall = Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 };

    #[test]
    fn the_worked_average_is_exact() {
        let guide = crate::rulebook::Rulebook::builtin("guide").expect("built in");
        for overall in [&OVERALL, &guide.overall] {
            let mut confidences = Confidences::Sum(0.0);
            confidences.add(overall, Classification::FullyWorking, 100.0);
            confidences.add(overall, Classification::PartiallyWorking, 70.0);
            confidences.add(overall, Classification::FullyWorking, 100.0);
            assert_eq!(confidences.average(3, overall).to_bits(), 83.0_f64.to_bits());
            assert_eq!(Confidences::Sum(0.0).average(0, overall).to_bits(), 0.0_f64.to_bits());
        }
    }

    #[test]
    fn parts_add_up_in_corpus_order_to_the_last_bit() {
        let classes = Classification::ALL;
        let confidences: Vec<_> =
            (0..100_u32).map(|n| (classes[n as usize % 5], f64::from(n % 9) / 0.09)).collect();
        let mut whole = Confidences::Sum(0.0);
        let mut cut = Confidences::default().first();
        for chunk in confidences.chunks(7) {
            let mut part = Confidences::default();
            for (class, confidence) in chunk {
                whole.add(&OVERALL, *class, *confidence);
                part.add(&OVERALL, *class, *confidence);
            }
            let mut bytes = Vec::new();
            part.write(&mut bytes);
            cut.absorb(Confidences::read(&mut bytes.as_slice()).expect("just written"));
        }
        assert_eq!(whole, cut);
    }
}
