//! The file of a recording, which nobody but its owner may read.

use crate::recording::Moment;
use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

#[derive(Debug)]
pub(super) struct Tape {
    folder: PathBuf,
    /// The name of the file without its ending, which no other recorder gives.
    pub(super) session: String,
    pub(super) path: PathBuf,
    file: Option<File>,
    /// Bytes that are whole lines.
    pub(super) whole: u64,
    /// Which file of the recording it is.
    pub(super) part: u32,
}

impl Tape {
    pub(super) fn new(folder: PathBuf, label: &str) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let label: String = label.chars().take(60).map(plain).collect();
        let time = Moment::now().rfc3339().replace([':', '-'], "");
        let random = RandomState::new().hash_one(&label) & 0xff_ffff;
        let session = format!("{label}-{time}-{}-{random:06x}", std::process::id());
        let path = folder.join(format!("{session}.jsonl"));
        Self { folder, session, path, file: None, whole: 0, part: 1 }
    }

    /// Goes on with another file.
    pub(super) fn turn(&mut self) {
        self.sync();
        (self.file, self.whole, self.part) = (None, 0, self.part + 1);
        self.path = self.folder.join(format!("{}.{}.jsonl", self.session, self.part));
    }

    /// Writes lines, all of them or none.
    pub(super) fn write(&mut self, lines: &str) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        let written = file.write_all(lines.as_bytes());
        if written.is_ok() {
            self.whole += lines.len() as u64;
        } else {
            // What is left of a line would make the next one unreadable.
            file.set_len(self.whole)?;
            file.seek(SeekFrom::Start(self.whole))?;
        }
        self.file = Some(file);
        written
    }

    fn open(&self) -> io::Result<File> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        File::options().write(true).create_new(true).mode(0o600).open(&self.path)
    }

    pub(super) fn sync(&self) {
        let _ = self.file.as_ref().map(File::sync_data);
    }
}
