//! Hashes as hexadecimal digits.

/// Digits of a key.
pub(super) const HEX: usize = 32;

/// The two digits of each byte.
const PAIRS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

/// Appends the digits of a key: several times as fast as formatting it, and rows have three of them.
pub(super) fn push_hex(key: u128, out: &mut String) {
    let mut digits = [0; HEX];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(key.to_be_bytes()) {
        pair.copy_from_slice(&PAIRS[usize::from(byte)]);
    }
    out.push_str(std::str::from_utf8(&digits).expect("hexadecimal digits are ASCII"));
}
