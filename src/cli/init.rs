//! `tapecheck init`: writes a commented configuration file.

use super::config::FILE;
use super::terminal::print;
use super::{Exit, Failure};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

/// Every key with its default or an example, as a comment.
pub(super) const TEMPLATE: &str = include_str!("tapecheck.toml");

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder to write tapecheck.toml into
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let path =
            if self.folder.as_os_str() == "." { FILE.into() } else { self.folder.join(FILE) };
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(TEMPLATE.as_bytes()));
        let shown = path.display();
        written.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::usage(format!("{shown} is already there"))
                .next("edit it, or name another folder"),
            _ => Failure::unfinished(format!("cannot write {shown}: {error}"))
                .next("name a folder that exists and that you may write to"),
        })?;
        let text = format!(
            "wrote {shown}: every setting, commented out\nnext: set `recordings` in it, then run tapecheck in {}\n",
            self.folder.display()
        );
        print(&text)
    }
}
