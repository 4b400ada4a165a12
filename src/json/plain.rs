//! Passing over the part of a string that means itself.

/// Bytes of a wide stride: as many as the compiler turns into a few vector instructions.
const STRIDE: usize = 32;

/// Where bytes that mean themselves end in a text that holds no control characters.
#[inline]
pub(super) fn tame_end(bytes: &[u8], pos: usize) -> usize {
    let rest = bytes.get(pos..).unwrap_or_default();
    // Texts with many escapes stop again at once.
    if let Some(word) = rest.first_chunk::<8>() {
        let stops = stop_bytes(u64::from_le_bytes(*word));
        if stops != 0 {
            return pos + (stops.trailing_zeros() / 8) as usize;
        }
    }
    pos + memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len())
}

/// Where bytes that mean themselves end: looked for in wide strides, then in words. May stop early at
/// the end of the text.
#[inline(never)]
#[expect(clippy::needless_bitwise_bool, reason = "branches would keep this from being vectorized")]
pub(super) fn plain_end(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(chunk) = bytes[pos..].first_chunk::<STRIDE>() {
        let stop = |byte: &u8| (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\');
        if chunk.iter().fold(false, |found, byte| found | stop(byte)) {
            break;
        }
        pos += STRIDE;
    }
    while let Some(chunk) = bytes[pos..].first_chunk::<8>() {
        let stops = stop_bytes(u64::from_le_bytes(*chunk));
        if stops != 0 {
            return pos + (stops.trailing_zeros() / 8) as usize;
        }
        pos += 8;
    }
    pos
}

/// The lowest byte of a text.
pub(super) fn lowest_byte(bytes: &[u8]) -> u8 {
    let (strides, rest) = bytes.as_chunks::<STRIDE>();
    let mut lanes = [u8::MAX; STRIDE];
    for stride in strides {
        for (lane, byte) in lanes.iter_mut().zip(stride) {
            *lane = (*lane).min(*byte);
        }
    }
    lanes.into_iter().chain(rest.iter().copied()).min().unwrap_or(u8::MAX)
}

/// Marks (in the top bit of each byte, exact up to the first mark) the bytes at which scanning a
/// string must stop: a quote, a backslash or a control character.
#[inline]
pub(super) fn stop_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const TOPS: u64 = u64::from_ne_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
    const SLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
    const SPACES: u64 = u64::from_ne_bytes([0x20; 8]);
    let quote = word ^ QUOTES;
    let slash = word ^ SLASHES;
    let zero = |x: u64| x.wrapping_sub(ONES) & !x;
    (zero(quote) | zero(slash) | (word.wrapping_sub(SPACES) & !word)) & TOPS
}
