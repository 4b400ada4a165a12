//! Small numbers as Parquet writes them: eight at a time, either one number and how often it stands there, or
//! all of them in as few bits as each takes.

/// So many numbers are looked at together.
const EIGHT: usize = 8;

/// How many bits the largest of some numbers takes.
pub(super) fn width_of(largest: u32) -> u32 {
    u32::BITS - largest.leading_zeros()
}

/// A run that takes so many bytes otherwise is not worth ending what stands before it.
const CHEAP: usize = 2;

/// Adds numbers of which each takes `width` bits at most.
pub(super) fn write(numbers: &[u32], width: u32, to: &mut Vec<u8>) {
    let (mut unwritten, mut at) = (0, 0);
    while let Some(first) = numbers.get(at) {
        let rest = &numbers[at..];
        let same = rest.iter().take_while(|number| *number == first).count();
        let eights = same / EIGHT;
        if same < rest.len() && eights * width as usize <= CHEAP {
            at += (eights.max(1) * EIGHT).min(rest.len());
            continue;
        }
        pack(&numbers[unwritten..at], width, to);
        repeat(*first, same, width, to);
        at += same;
        unwritten = at;
    }
    pack(&numbers[unwritten..], width, to);
}

/// A number that stands there so often.
pub(super) fn repeat(number: u32, times: usize, width: u32, to: &mut Vec<u8>) {
    count(times << 1, to);
    to.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Eights of numbers; the last may be short.
fn pack(numbers: &[u32], width: u32, to: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let eights = numbers.len().div_ceil(EIGHT);
    count(eights << 1 | 1, to);
    let start = to.len();
    to.resize(start + eights * width as usize, 0);
    let (words, rest) = to[start..].as_chunks_mut();
    let (mut bits, mut filled, mut words) = (0_u64, 0, words.iter_mut());
    for number in numbers {
        bits |= u64::from(*number) << filled;
        filled += width;
        if filled >= u32::BITS
            && let Some(word) = words.next()
        {
            let [low @ .., _, _, _, _] = bits.to_le_bytes();
            *word = low;
            bits >>= u32::BITS;
            filled -= u32::BITS;
        }
    }
    let left = filled.div_ceil(8) as usize;
    let last = words.next().map_or(rest, |word| &mut word[..]);
    last[..left].copy_from_slice(&bits.to_le_bytes()[..left]);
}

/// Seven bits a byte, the lowest first.
pub(super) fn count(mut count: usize, to: &mut Vec<u8>) {
    while count >= 1 << 7 {
        to.push(count.to_le_bytes()[0] | 1 << 7);
        count >>= 7;
    }
    to.push(count.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars_parquet::parquet::encoding::hybrid_rle::HybridRleDecoder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            runs in proptest::collection::vec((0_u32..40, 1_usize..30), 0..30),
            shift in 0_u32..27,
        ) {
            let runs = runs.iter().map(|(number, often)| vec![number << shift; *often]);
            let numbers = runs.collect::<Vec<_>>().concat();
            let width = width_of(numbers.iter().copied().max().unwrap_or(0));
            let mut bytes = Vec::new();
            write(&numbers, width, &mut bytes);
            let read = HybridRleDecoder::new(&bytes, width, numbers.len()).collect().expect("numbers");
            prop_assert_eq!(numbers, read);
        }
    }

    #[test]
    fn one_number_takes_no_more_room_however_often_it_stands_there() {
        for (numbers, expected) in [
            (vec![], vec![]),
            (vec![0; 1_000], vec![0xd0, 0x0f]),
            (vec![3; 5], vec![10, 3]),
            (vec![1, 0, 3], vec![3, 0b0011_0001, 0]),
            (
                [vec![1, 0, 3, 0, 0, 0, 0, 2], vec![2; 9]].concat(),
                vec![3, 0b0011_0001, 0x80, 18, 2],
            ),
        ] {
            let mut bytes = Vec::new();
            write(&numbers, width_of(numbers.iter().copied().max().unwrap_or(0)), &mut bytes);
            assert_eq!(bytes, expected, "{numbers:?}");
        }
    }
}
