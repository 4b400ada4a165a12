//! What is new, gone or back: told where it is improbable that it was only missed.

use super::model::PresenceKind;
use crate::recording::Day;

/// So many exchanges would have to be expected: that none is there then has a chance of 1 in 1,000.
const EXPECTED: f64 = 6.91;
/// The same as a chance.
const IMPROBABLE: f64 = 0.001;
/// That is for so many things; among more of them it must be less probable in proportion.
const AMONG: f64 = 50.0;
/// What came in so many nights up to the last is news, however often it will be there.
const NEWS: u32 = 7;
/// So few nights without it are no "never before".
const FEWEST: u32 = 3;

/// Something that is there in some nights.
pub(super) struct Occurrences<'a> {
    pub days: &'a [Day],
    /// Nights and how many exchanges have it; those with none may be left out.
    pub counts: &'a [(usize, u64)],
    /// All exchanges of each night.
    pub exchanges: &'a [u64],
    /// Nights before this one cannot be compared.
    pub first: usize,
    /// Of how many things the same is asked.
    pub among: usize,
}

/// Some nights together.
#[derive(Clone, Copy, Default)]
struct Stretch {
    nights: u32,
    with_it: u32,
    exchanges: f64,
    count: f64,
}

impl Stretch {
    /// Whether it was only missed in another stretch, given what this one has: improbable by exchanges
    /// and by nights, since what is often there in one night may be a matter of that night. A stretch
    /// ends or begins with it, which tells nothing about how often it is there.
    fn makes_improbable(self, without: Self, more: f64) -> bool {
        if self.nights == 0 || without.nights == 0 {
            return false;
        }
        let rest = self.exchanges / (self.exchanges + without.exchanges);
        let by_exchanges = rest.powf(self.count - 1.0);
        let missing = f64::from(self.nights - self.with_it);
        let by_nights: f64 = (0..without.nights)
            .map(|night| {
                let night = f64::from(night);
                (missing + 1.0 + night) / (f64::from(self.nights) + 2.0 + night)
            })
            .product();
        by_exchanges.max(by_nights) <= IMPROBABLE / more
    }

    fn is_new_after(self, without: Self, more: f64) -> bool {
        if without.nights < FEWEST {
            return false;
        }
        let expected = self.count / self.exchanges * without.exchanges;
        let is_news = self.nights <= NEWS && expected >= EXPECTED + more.ln();
        is_news || self.makes_improbable(without, more)
    }
}

pub(super) fn presences(occurrences: &Occurrences<'_>, window: usize) -> Vec<PresenceKind> {
    let there: Vec<(usize, u64)> = occurrences
        .counts
        .iter()
        .copied()
        .filter(|(night, count)| *count > 0 && *night >= occurrences.first)
        .collect();
    let (Some((first, _)), Some((last, last_count))) = (there.first(), there.last()) else {
        return Vec::new();
    };
    let end = occurrences.exchanges.len();
    let tonight = occurrences.exchanges.iter().rposition(|count| *count > 0).unwrap_or_default();
    let count = if *last == tonight { *last_count } else { 0 };
    let stretch = |from: usize, to: usize| stretch(occurrences.exchanges, &there, from..to);
    let day = |night: usize| occurrences.days[night];
    // Among more things it must be less probable in proportion that one was only missed.
    let more = (occurrences.among as f64 / AMONG).max(1.0);
    let mut found = Vec::new();
    if stretch(*first, end).is_new_after(stretch(occurrences.first, *first), more) {
        found.push(PresenceKind::New { night: day(*first), count });
    }
    let back = there.windows(2).rev().find(|pair| {
        let ([(gone, _), (back, _)], true) = (*pair, pair[0].0 + 1 < pair[1].0) else {
            return false;
        };
        let before = (gone + 1).saturating_sub(window).max(occurrences.first);
        stretch(before, gone + 1).makes_improbable(stretch(gone + 1, *back), more)
    });
    if let Some([(gone, _), (back, _)]) = back {
        found.push(PresenceKind::Returned { last: day(*gone), night: day(*back), count });
    }
    let before = (last + 1).saturating_sub(window).max(occurrences.first);
    if stretch(before, last + 1).makes_improbable(stretch(last + 1, end), more) {
        found.push(PresenceKind::Vanished { last: day(*last) });
    }
    found
}

fn stretch(exchanges: &[u64], there: &[(usize, u64)], nights: std::ops::Range<usize>) -> Stretch {
    let mut stretch = Stretch::default();
    for count in &exchanges[nights.clone()] {
        stretch.nights += u32::from(*count > 0);
        stretch.exchanges += *count as f64;
    }
    let begin = there.partition_point(|(night, _)| *night < nights.start);
    for (_, count) in there[begin..].iter().take_while(|(night, _)| *night < nights.end) {
        stretch.with_it += 1;
        stretch.count += *count as f64;
    }
    stretch
}
