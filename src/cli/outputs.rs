//! `--format FORMAT[=FILE]`: what to print, and what to write into files beside it.

use super::Failure;
use super::config::config;
use super::opened_path::PathKind;
use super::terminal::{Harmless, print, print_by, say};
use crate::verdict::Lines;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// One `--format`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output<F> {
    pub(super) format: F,
    /// Where it goes; to standard output where nothing is named.
    pub(super) file: Option<PathBuf>,
}

/// Reads `FORMAT` or `FORMAT=FILE`.
#[derive(Clone, Debug)]
pub(super) struct OutputParser<F: ValueEnum + Send + Sync + 'static>(EnumValueParser<F>);

impl<F: ValueEnum + Send + Sync + 'static> OutputParser<F> {
    pub(super) fn new() -> Self {
        Self(EnumValueParser::new())
    }
}

impl<F: ValueEnum + Send + Sync + 'static> TypedValueParser for OutputParser<F> {
    type Value = Output<F>;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        let text = value.to_string_lossy();
        // Without a name after it, the sign is part of a word that is no format.
        let named = text.split_once('=').filter(|(_, file)| !file.is_empty());
        let name = named.map_or(&*text, |(name, _)| name);
        let format = self.0.parse_ref(command, arg, OsStr::new(name))?;
        Ok(Output { format, file: named.map(|(_, file)| PathBuf::from(file)) })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// What is printed: the format without a file, else the usual one. Two cannot be printed at once.
pub(super) fn printed<F: ValueEnum + Copy>(outputs: &[Output<F>], usual: F) -> Result<F, Failure> {
    let mut printed = outputs.iter().filter(|output| output.file.is_none());
    let first = printed.next().map_or(usual, |output| output.format);
    match printed.next() {
        None => Ok(first),
        Some(_) => Err(Failure::usage("only one --format can go to standard output")
            .next("write the other into a file: --format FORMAT=FILE")),
    }
}

/// The formats of most results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TextOrJson {
    /// For people
    Text,
    /// One object
    Json,
}

/// Prints a result, and writes it into the files that are named.
pub(super) fn write_outputs<F: ValueEnum + Copy>(
    outputs: &[Output<F>],
    usual: F,
    text: impl Fn(F) -> String,
) -> Result<(), Failure> {
    let first = printed(outputs, usual)?;
    let written = write_files(outputs, &text);
    // Last, since who reads it may be gone while files can still be written.
    print(&text(first))?;
    written
}

/// Writes a result into the files that are named, and prints nothing.
pub(super) fn write_files<F: Copy>(
    outputs: &[Output<F>],
    text: impl Fn(F) -> String,
) -> Result<(), Failure> {
    each_file(outputs, |format, file| save(file, &text(format)))
}

/// Each file is tried, so that one on a full disk does not cost the others.
fn each_file<F: Copy>(
    outputs: &[Output<F>],
    save: impl Fn(F, &Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failed: Option<Failure> = None;
    for Output { format, file } in outputs {
        if let Some(Err(failure)) = file.as_ref().map(|file| save(*format, file))
            && let Some(earlier) = failed.replace(failure)
        {
            say(&earlier.to_string());
        }
    }
    failed.map_or(Ok(()), Err)
}

/// The same as [`write_outputs`], of what may be too long to be held as one text.
pub(super) fn write_outputs_by<F: ValueEnum + Copy>(
    outputs: &[Output<F>],
    usual: F,
    write: impl Fn(F, &mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let first = printed(outputs, usual)?;
    let written = each_file(outputs, |format, file| {
        File::create(file)
            .map(|file| io::BufWriter::new(Harmless::new(file)))
            .and_then(|mut out| write(format, &mut out).and_then(|()| out.flush()))
            .map_err(|error| cannot_save(file, &error))
    });
    print_by(|out| write(first, out))?;
    written
}

/// Files that are written must be neither what a command names or its settings do, nor each other.
pub(super) fn check_apart(words: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let config = config();
    let mut files = Vec::new();
    // Baselines and nights are whole folders of what is read.
    let kept: Vec<&Path> =
        config.history.iter().chain([&config.baseline]).map(|it| &**it).collect();
    let settings = config.file.iter().chain(&config.policy).chain(&config.labels);
    let settings = settings.chain(&config.recordings).chain([&config.out]).map(|it| &**it);
    let settings = settings.chain([Path::new(&config.rulebook)]).chain(kept.iter().copied());
    let mut named: Vec<PathBuf> = settings.map(Path::to_owned).collect();
    let mut words = words.map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((flag, value)) => (flag.to_owned(), value.to_owned()),
            None if word == "--format" || word == "--write" => {
                (word, words.next().unwrap_or_default())
            }
            None => (String::new(), word),
        };
        match (&*flag, value.split_once('=')) {
            ("--format", Some((_, file))) => files.push(PathBuf::from(file)),
            ("--write", _) => files.push(value.into()),
            (_, _) if value.is_empty() => {}
            (_, _) => named.push(value.into()),
        }
    }
    let mut taken: Vec<PathBuf> = Vec::new();
    // Devices and pipes may be written to by several.
    for file in files.iter().filter(|file| !file.exists() || file.is_file()) {
        let target = real(file);
        // A run takes the place of its whole folder, and recordings may have results beside them.
        let is_of = |path: &&PathBuf| {
            let is_whole = PathKind::of(path) == PathKind::Run
                || !path.exists()
                || kept.contains(&path.as_path());
            real(path) == target || is_whole && lies_in(file, path)
        };
        let what = match named.iter().find(is_of) {
            Some(path) => path.display().to_string(),
            None if taken.contains(&target) => "another output".to_owned(),
            None => {
                taken.push(target);
                continue;
            }
        };
        let file = file.display();
        return Err(
            Failure::usage(format!("{file} would overwrite {what}")).next("name another file")
        );
    }
    Ok(())
}

/// Whether a path leads into a folder; neither need be there yet.
pub(super) fn lies_in(path: &Path, folder: &Path) -> bool {
    real(path).starts_with(real(folder))
}

/// The path as the system would resolve it, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    let Some((there, found)) = there else { return path };
    let missing = path.strip_prefix(there).unwrap_or(Path::new(""));
    missing.components().fold(found, |path, part| match part {
        Component::ParentDir => path.parent().map(Path::to_owned).unwrap_or(path),
        part => path.join(part),
    })
}

pub(super) fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let mut lines = Lines::with_own_commands();
    std::fs::write(path, lines.harmless(text).as_bytes()).map_err(|error| cannot_save(path, &error))
}

fn cannot_save(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure::unfinished(format!("cannot write {path}: {error}"))
        .next("name a file in a folder that can be written")
}
