//! `--format FORMAT[=FILE]`: what to print, and what to write into files beside it.

use super::opened::Place;
use super::terminal::{Harmless, harmless, print, print_by, say};
use super::{Exit, Failure};
use crate::verdict::Lines;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error, ValueEnum};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// One `--format`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output<F> {
    pub(super) format: F,
    /// Where it goes; to standard output where nothing is named.
    pub(super) file: Option<PathBuf>,
}

/// Reads `FORMAT` or `FORMAT=FILE`.
#[derive(Clone, Debug)]
pub(super) struct OutputParser<F>(PhantomData<F>);

impl<F> OutputParser<F> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
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
        let (name, file) = match text.split_once('=') {
            // Without a name after it, the sign is part of a word that is no format.
            Some((name, file)) if !file.is_empty() => (name, Some(PathBuf::from(file))),
            Some(_) | None => (text.as_ref(), None),
        };
        F::from_str(name, false).map(|format| Output { format, file }).map_err(|_| {
            let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let arg = arg.map_or_else(String::new, Arg::to_string);
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg));
            error.insert(ContextKind::InvalidValue, ContextValue::String(harmless(name)));
            let known = names::<F>().map(|value| value.get_name().to_owned()).collect();
            error.insert(ContextKind::ValidValue, ContextValue::Strings(known));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names::<F>()))
    }
}

fn names<F: ValueEnum + 'static>() -> impl Iterator<Item = PossibleValue> {
    F::value_variants().iter().filter_map(ValueEnum::to_possible_value)
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
    write_printed(outputs, usual, text, print)
}

/// The same, printed in another way.
pub(super) fn write_printed<F: ValueEnum + Copy>(
    outputs: &[Output<F>],
    usual: F,
    text: impl Fn(F) -> String,
    print: impl Fn(&str) -> Result<Exit, Failure>,
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

/// Files that are written must be neither what is read nor each other.
pub(super) fn check_apart<F>(outputs: &[Output<F>], read: &[(&str, &Path)]) -> Result<(), Failure> {
    check_files_apart(outputs.iter().filter_map(|output| output.file.as_deref()), read)
}

/// The same of files that are named in any way.
pub(super) fn check_files_apart<'f>(
    files: impl Iterator<Item = &'f Path>,
    read: &[(&str, &Path)],
) -> Result<(), Failure> {
    let read: Vec<(&str, &Path, PathBuf)> =
        read.iter().map(|(what, path)| (*what, *path, whole(path))).collect();
    let mut taken: Vec<PathBuf> = Vec::new();
    for file in files {
        // Devices and pipes may be written to by several.
        if file.exists() && !file.is_file() {
            continue;
        }
        let target = whole(file);
        let hit = read.iter().find(|(_, path, whole)| {
            *whole == target || Place::of(path) == Place::Run && target.starts_with(whole)
        });
        let what = match hit {
            Some((what, ..)) => *what,
            None if taken.contains(&target) => "another output",
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

/// A path by which a file is known that may not be there yet.
fn whole(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    });
    resolved.unwrap_or_else(|| path.to_owned())
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
