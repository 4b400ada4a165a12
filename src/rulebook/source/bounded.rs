//! Reading files that may be longer than they say, or have no end.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// The text of a file that has at most so many bytes.
pub(crate) fn read_within(path: &Path, longest: u64) -> io::Result<String> {
    let too_long = || {
        let message = format!("it is longer than {longest} bytes");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    };
    let mut text = String::new();
    // What a device says of its length is not what it gives.
    let result = File::open(path)?.take(longest.saturating_add(1)).read_to_string(&mut text);
    match result {
        Ok(length) if length as u64 > longest => too_long(),
        Ok(_) => Ok(text),
        // The cut may have been within a character.
        Err(_) if std::fs::metadata(path)?.len() > longest => too_long(),
        Err(error) => Err(error),
    }
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
        std::fs::write(&path, b"a\xff").expect("a file");
        assert!(read_within(&path, 4).is_err());
        assert!(read_within(&place.path().join("b.toml"), 4).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_an_end_is_too_long() {
        let refused = read_within(Path::new("/dev/zero"), 1 << 20).expect_err("no end");
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    }
}
