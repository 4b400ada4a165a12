//! How numbers, texts and counters stand in spilled runs.

/// Appends a number, seven bits to a byte.
pub fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7f) as u8);
}

/// Takes a number off the front.
#[must_use]
pub fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends a text so that byte order of the whole is the order of its parts.
pub fn write_part(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr(0, rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(&[0, 0xff]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(&[0, 1]);
}

/// Appends a text that may be missing; a missing one comes first.
pub fn write_optional_part(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        None => out.push(1),
        Some(text) => {
            out.push(2);
            write_part(text, out);
        }
    }
}

/// Takes a text off the front.
#[must_use]
pub fn read_part(bytes: &mut &[u8]) -> Option<String> {
    let mut text = Vec::new();
    loop {
        let at = memchr::memchr(0, bytes)?;
        text.extend_from_slice(&bytes[..at]);
        let mark = *bytes.get(at + 1)?;
        *bytes = &bytes[at + 2..];
        match mark {
            0xff => text.push(0),
            _ => return String::from_utf8(text).ok(),
        }
    }
}

/// Takes a text that may be missing off the front.
#[must_use]
pub fn read_optional_part(bytes: &mut &[u8]) -> Option<String> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    if *first == 1 { None } else { read_part(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(parts: &(String, Option<String>)) -> Vec<u8> {
        let mut out = Vec::new();
        write_part(&parts.0, &mut out);
        write_optional_part(parts.1.as_deref(), &mut out);
        out
    }

    proptest! {
        #[test]
        fn keys_sort_like_their_parts(
            one in ("[\\x00a\u{1}é]{0,3}", proptest::option::of("[\\x00a]{0,3}")),
            other in ("[\\x00a\u{1}é]{0,3}", proptest::option::of("[\\x00a]{0,3}")),
        ) {
            prop_assert_eq!(written(&one).cmp(&written(&other)), one.cmp(&other));
        }

        #[test]
        fn what_was_written_is_read_back(text in ".*", number in any::<u64>()) {
            let mut out = Vec::new();
            write_number(number, &mut out);
            write_part(&text, &mut out);
            let mut bytes = out.as_slice();
            prop_assert_eq!(read_number(&mut bytes), Some(number));
            prop_assert_eq!(read_part(&mut bytes), Some(text));
            prop_assert!(bytes.is_empty());
        }
    }
}
