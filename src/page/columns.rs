//! Cards in columns that end at about the same height, so that none leaves a hole beside others.

use super::markup::{Tag, tag};

/// A card, and how tall it is, about, in pixels.
pub(super) type Tall = (u32, Tag);

/// The room around what a card shows.
pub(super) const FRAME: u32 = 75;
/// The room between two cards.
const GAP: u32 = 16;
/// A card that stands further to the left than the one before it costs as much as so many empty pixels:
/// whoever reads column by column comes by what matters more first.
const OUT_OF_ORDER: u64 = 40;
/// A page has room for so many columns; the style sheet has a name for each number of them.
pub(super) const MOST_COLUMNS: usize = 3;
/// More ways to deal cards than this are not tried: nine cards in three columns are. Of more each goes to
/// the column that is shortest so far.
const MOST_WAYS: usize = 20_000;

/// Cards in up to so many columns, of which there is room for [`MOST_COLUMNS`].
pub(super) fn columns(cards: Vec<Tall>, most: usize) -> Tag {
    let (heights, cards): (Vec<u32>, Vec<Tag>) = cards.into_iter().unzip();
    let (_, places) = dealt(&heights, most);
    let count = places.iter().max().map_or(1, |last| last + 1);
    let mut columns = vec![Vec::new(); count];
    for (card, place) in cards.into_iter().zip(places) {
        columns[place].push(card);
    }
    let style = match count {
        1 => "columns one",
        2 => "columns two",
        _ => "columns three",
    };
    let columns = columns.into_iter().map(|cards| tag("div").class("column").all(cards));
    tag("div").class(style).all(columns)
}

/// How much of so many columns is left empty by cards of these heights.
pub(super) fn hole(heights: &[u32], most: usize) -> u64 {
    dealt(heights, most).0
}

/// The column of each card, and how much of all columns is left empty. Columns are in the order of their
/// first cards. Three cards may do better in two columns, which are wider.
fn dealt(heights: &[u32], most: usize) -> (u64, Vec<usize>) {
    let count = most.min(MOST_COLUMNS).min(heights.len()).max(1);
    let all = dealt_to(heights, count);
    if count < 3 || heights.len() > count {
        return all;
    }
    let fewer = dealt_to(heights, count - 1);
    if fewer.0 * 3 < all.0 * 2 { fewer } else { all }
}

fn dealt_to(heights: &[u32], count: usize) -> (u64, Vec<usize>) {
    let ways = u32::try_from(heights.len()).ok().and_then(|cards| count.checked_pow(cards));
    if ways.is_none_or(|ways| ways > MOST_WAYS) {
        let places = to_the_shortest(heights, count);
        return (cost(heights, &places, count).unwrap_or(u64::MAX), places);
    }
    let mut best = (u64::MAX, vec![0; heights.len()]);
    let mut places = vec![0; heights.len()];
    loop {
        if let Some(cost) = cost(heights, &places, count).filter(|cost| *cost < best.0) {
            best = (cost, places.clone());
        }
        if !next(&mut places, count) {
            break;
        }
    }
    best
}

/// Each card in the column that is shortest so far, the first of them.
fn to_the_shortest(heights: &[u32], count: usize) -> Vec<usize> {
    let mut tall = vec![0_u64; count];
    let place = |height: &u32| {
        let shortest = (0..count).min_by_key(|at| tall[*at]).unwrap_or_default();
        tall[shortest] += u64::from(*height) + u64::from(GAP);
        shortest
    };
    heights.iter().map(place).collect()
}

/// `None` where columns are not in the order of their first cards, or one has no card.
fn cost(heights: &[u32], places: &[usize], count: usize) -> Option<u64> {
    let mut tall = [0_u64; MOST_COLUMNS];
    let (mut used, mut last, mut back) = (0, 0, 0);
    for (height, place) in heights.iter().zip(places) {
        if *place > used {
            return None;
        }
        used = used.max(place + 1);
        back += u64::from(*place < last);
        last = *place;
        *tall.get_mut(*place)? += u64::from(*height) + u64::from(GAP);
    }
    let tall = tall.get(..count)?;
    let tallest = tall.iter().copied().max().unwrap_or_default();
    let empty: u64 = tall.iter().map(|column| tallest - column).sum();
    (used == count || heights.is_empty()).then_some(empty + back * OUT_OF_ORDER)
}

/// The next way to deal; `false` after the last.
fn next(places: &mut [usize], count: usize) -> bool {
    for place in places.iter_mut().rev() {
        *place += 1;
        if *place < count {
            return true;
        }
        *place = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_end_at_about_the_same_height() {
        assert_eq!(dealt(&[265, 165, 340, 90, 210, 220], 3), (0, vec![0, 0, 1, 1, 2, 2]));
        assert_eq!(dealt(&[100, 84, 200], 2), (0, vec![0, 0, 1]), "a gap of 16 between two");
        assert_eq!(dealt(&[100, 300], 3), (200, vec![0, 1]));
        assert_eq!(dealt(&[100, 500, 500, 384], 3), (40, vec![0, 1, 2, 0]), "out of order");
        assert_eq!(dealt(&[260, 170, 450], 3), (4, vec![0, 0, 1]), "two columns leave no hole");
        assert_eq!(dealt(&[100], 3), (0, vec![0]));
        assert_eq!(dealt(&[], 3), (0, vec![]));
    }

    #[test]
    fn more_cards_than_can_be_tried_go_where_there_is_room() {
        let places: Vec<usize> = (0..12).map(|card| card % 3).collect();
        assert_eq!(dealt_to(&[100; 12], 3).1, places);
        assert_eq!(
            dealt(&[500, 100, 100, 100, 100, 100, 100, 100, 100, 100], 3).1[..4],
            [0, 1, 2, 1]
        );
        assert_eq!(dealt(&[100; 200], 9).1.iter().max(), Some(&(MOST_COLUMNS - 1)));
    }
}
