//! Which bytes of a string do not mean themselves.

use wide::u8x16;

/// So many bytes are looked at together.
pub(crate) const BLOCK: usize = u64::BITS as usize;
/// And so many by one instruction.
const LANES: usize = 16;

/// The bytes at the beginning of a text at which scanning a string must stop, as bits: quotes, backslashes and control
/// characters.
pub(crate) fn stops(text: &[u8]) -> u64 {
    if let Some(block) = text.first_chunk() {
        return stops_of(block);
    }
    let mut block = [b' '; BLOCK];
    block[..text.len()].copy_from_slice(text);
    stops_of(&block)
}

fn stops_of(block: &[u8; BLOCK]) -> u64 {
    block.as_chunks::<LANES>().0.iter().rev().fold(0, |stops, part| {
        let part = u8x16::from(*part);
        let is = |byte| part.simd_eq(u8x16::splat(byte));
        let is_control = part.min(u8x16::splat(0x1f)).simd_eq(part);
        stops << LANES | u64::from((is(b'"') | is(b'\\') | is_control).to_bitmask())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_stops_a_string_or_not_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            let is_stop = matches!(byte, b'"' | b'\\' | 0..0x20);
            for length in [1, 15, 16, 63, 64, 65] {
                let mut text = vec![b'a'; length];
                let at = length.min(BLOCK) - 1;
                text[at] = byte;
                assert_eq!(stops(&text), u64::from(is_stop) << at, "{byte} at {at} of {length}");
            }
        }
    }
}
