//! A recording cut into blocks of whole lines that threads pull one after the other.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How much is read at a time.
pub const BLOCK: usize = 1 << 20;

/// Hands out blocks that end at a line's end.
#[derive(Debug)]
pub struct Blocks {
    source: Mutex<Source>,
}

#[derive(Debug)]
struct Source {
    file: File,
    /// The start of a line whose end was not read yet.
    rest: Vec<u8>,
    ended: bool,
}

impl Blocks {
    /// Opens a recording.
    pub fn open(path: &Path) -> io::Result<Self> {
        let source = Source { file: File::open(path)?, rest: Vec::new(), ended: false };
        Ok(Self { source: Mutex::new(source) })
    }

    /// Fills `block` with the next whole lines; false when there are none left.
    pub fn next(&self, block: &mut Vec<u8>) -> io::Result<bool> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        source.next(block)
    }
}

impl Source {
    fn next(&mut self, block: &mut Vec<u8>) -> io::Result<bool> {
        block.clear();
        block.append(&mut self.rest);
        while !self.ended {
            let known = block.len();
            let read = (&mut self.file).take(BLOCK as u64).read_to_end(block)?;
            self.ended = read == 0;
            if let Some(at) = memchr::memrchr(b'\n', &block[known..]) {
                self.rest.extend_from_slice(&block[known + at + 1..]);
                block.truncate(known + at + 1);
                return Ok(true);
            }
        }
        Ok(!block.is_empty())
    }
}

/// The lines of a block, without their ends; empty ones are left out.
pub fn lines(block: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    memchr::memchr_iter(b'\n', block.as_bytes())
        .chain((!block.ends_with('\n')).then_some(block.len()))
        .map(move |at| &block[std::mem::replace(&mut from, at + 1)..at])
        .filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_comes_out_once_and_whole() -> io::Result<()> {
        let path = std::env::temp_dir().join(format!("yardsticks-blocks-{}", std::process::id()));
        let written: Vec<String> =
            (0..300_000).map(|n| format!("line {n} {}", "x".repeat(n % 9))).collect();
        std::fs::write(&path, written.join("\n"))?;
        let blocks = Blocks::open(&path)?;
        let (mut block, mut read) = (Vec::new(), Vec::new());
        while blocks.next(&mut block)? {
            read.extend(lines(&String::from_utf8_lossy(&block)).map(str::to_owned));
        }
        std::fs::remove_file(&path)?;
        assert_eq!(read, written);
        Ok(())
    }
}
