//! Reading files that may be longer than they say, or have no end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

pub(crate) fn read_within(path: &Path, longest: u64) -> io::Result<String> {
    let too_long = || {
        let message = format!("it is longer than {longest} bytes");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    };
    let mut bytes = Vec::new();
    // What a device says of its length is not what it gives.
    let length = File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    if length as u64 > longest {
        return too_long();
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let byte = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
        let message = format!("byte {byte} of line {line} is not UTF-8; save the file as UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_their_bound() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("a.toml");
        std::fs::write(&path, "añb").expect("a file");
        assert_eq!(read_within(&path, 4).expect("readable"), "añb");
        for longest in 0..4 {
            let refused = read_within(&path, longest).expect_err("too long");
            assert_eq!(refused.to_string(), format!("it is longer than {longest} bytes"));
        }
        assert!(read_within(&place.path().join("b.toml"), 4).is_err());
    }

    #[test]
    fn text_that_is_not_utf8_is_refused_with_its_place() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("latin1.toml");
        std::fs::write(&path, b"name = \"x\"\nabout = \"caf\xe9\"\n").expect("a file");
        let refused = read_within(&path, 100).expect_err("Latin 1");
        assert_eq!(refused.to_string(), "byte 13 of line 2 is not UTF-8; save the file as UTF-8");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_an_end_is_too_long() {
        let refused = read_within(Path::new("/dev/zero"), 1 << 20).expect_err("no end");
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    }
}
