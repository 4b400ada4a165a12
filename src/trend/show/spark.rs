//! Shares over nights as a line of blocks.

use crate::trend::Point;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spark {
    /// The blocks; a blank where there were no exchanges.
    pub line: String,
    /// The least and the greatest share that is drawn.
    pub range: Option<[f64; 2]>,
}

/// How many nights one block stands for, so that no line is wider.
pub(super) fn nights_a_block(nights: usize, width: usize) -> usize {
    nights.div_ceil(width.max(1)).max(1)
}

/// Draws shares from the least to the greatest; a block is the share of all its nights together. The
/// last block ends with the last night.
pub(super) fn spark(points: &[Option<Point>], a_block: usize) -> Spark {
    let of_first = points.len() % a_block;
    let (first, rest) = points.split_at(of_first);
    let blocks = std::iter::once(first).filter(|nights| !nights.is_empty());
    let shares: Vec<Option<f64>> = blocks.chain(rest.chunks(a_block)).map(share).collect();
    let drawn = || shares.iter().flatten().copied();
    let (least, greatest) = (drawn().fold(f64::INFINITY, f64::min), drawn().fold(0.0, f64::max));
    let block = |share: &Option<f64>| {
        share.map_or(' ', |share| {
            // The same share every night is a line as high as it is.
            let is_level = greatest <= least;
            let height = if is_level { share } else { (share - least) / (greatest - least) };
            BLOCKS[step(height)]
        })
    };
    Spark {
        line: shares.iter().map(block).collect(),
        range: (least <= greatest).then_some([least, greatest]),
    }
}

fn share(nights: &[Option<Point>]) -> Option<f64> {
    let sum = |of: &dyn Fn(&Point) -> u64| nights.iter().flatten().map(of).sum::<u64>() as f64;
    let [count, out_of] = [sum(&|point| point.count), sum(&|point| point.out_of)];
    (out_of > 0.0).then(|| count / out_of)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of eight")]
fn step(height: f64) -> usize {
    ((height * BLOCKS.len() as f64) as usize).min(BLOCKS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_no_nights_nothing_is_drawn() {
        assert_eq!(spark(&[], nights_a_block(0, 24)), Spark { line: String::new(), range: None });
    }
}
