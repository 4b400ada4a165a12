//! Writing files of labels: one writer at a time, lines of others kept, nothing lost.

use super::line::{Name, Naming};
use super::read::{PlacedLabel, is_table, read_lines, read_whole_labels};
use super::{LabelError, LabelFile, LabelLine};
use crate::store::{file_beside, is_still};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// What became of labels that were to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Added {
    pub added: usize,
    /// How many stood there already.
    pub known: usize,
    /// Those that were not added, since the file, or another of them, says otherwise of their exchanges.
    pub against: Vec<Contradiction>,
}

/// A label that was not added, and the one that says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Its place among those that were to be added.
    pub at: usize,
    /// What says otherwise; on line 0 if it was to be added itself.
    pub existing: PlacedLabel,
}

/// Whether labels can be added to a file: it is absent, or a regular file that holds labels alone, as lines
/// of JSON. Anything else is left as it is: a shell would run what a label quotes from a recording.
pub fn can_be_added_to(path: &Path) -> Result<(), LabelError> {
    let shown = || path.display().to_string();
    if is_table(path) {
        return Err(LabelError::IsTable { path: shown() });
    }
    let why = match fs::metadata(path) {
        Ok(there) if there.is_file() => return read_whole_labels(path).map(drop),
        Ok(_) => "it is not a file",
        Err(_) if path.is_symlink() => "it is a link to nothing",
        Err(_) => return Ok(()),
    };
    let source = io::Error::new(ErrorKind::InvalidInput, why);
    Err(LabelError::Unwritable { path: shown(), source })
}

/// Adds labels to a file, which need not be there. What it says already is not said again, and what it
/// says otherwise stays as it is. Of labels that contradict one another none is added.
pub fn add_labels(path: &Path, labels: &[LabelLine]) -> Result<Added, LabelError> {
    while_locked(path, |file| {
        let new = labels.iter().map(|label| (0, label));
        let standing = file.standing.iter().map(|placed| (placed.line, &placed.label));
        let all: Vec<(u64, &LabelLine)> = standing.chain(new).collect();
        let naming = Naming::of(all.iter().map(|(_, label)| *label));
        let mut said: HashMap<Name<'_>, Vec<(u64, &LabelLine)>> = HashMap::new();
        for (line, label) in all {
            if let Some(name) = naming.exchange(label) {
                said.entry(name).or_default().push((line, label));
            }
        }
        let mut done = Added::default();
        let mut text = String::new();
        for (at, label) in labels.iter().enumerate() {
            let Some(said) = naming.exchange(label).and_then(|name| said.get(&name)) else {
                continue;
            };
            // What stands there was decided; of new ones that differ nobody knows which is right.
            let stands = |line: u64| line > 0;
            let is_decided = stands(said[0].0);
            let mut decisive = said.iter().filter(|(line, _)| stands(*line) == is_decided);
            if let Some((line, other)) =
                decisive.find(|(_, other)| other.said.with(label.said).is_none())
            {
                let existing = PlacedLabel { line: *line, label: (*other).clone() };
                done.against.push(Contradiction { at, existing });
            } else if said
                .iter()
                .any(|(line, other)| stands(*line) && other.said.label <= label.said.label)
                || !is_decided && !std::ptr::eq(said[0].1, label)
            {
                done.known += 1;
            } else {
                text += &(label.text() + "\n");
                done.added += 1;
            }
        }
        file.append(&text)?;
        Ok(done)
    })
}

/// Adds labels to a file in place of what it says of their exchanges. Returns what stood there.
pub fn replace_labels(path: &Path, labels: &[LabelLine]) -> Result<Vec<PlacedLabel>, LabelError> {
    while_locked(path, |file| {
        let standing = file.standing.iter().map(|placed| &placed.label);
        let naming = Naming::of(standing.chain(labels));
        let new: HashSet<_> = labels.iter().filter_map(|label| naming.exchange(label)).collect();
        let is_out = |placed: &&PlacedLabel| {
            naming.exchange(&placed.label).is_some_and(|name| new.contains(&name))
        };
        let out: Vec<PlacedLabel> = file.standing.iter().filter(is_out).cloned().collect();
        file.rewrite(&out, labels)?;
        Ok(out)
    })
}

/// Takes labels out of a file that were added to it. Returns how many were found.
pub fn take_labels_back(path: &Path, labels: &[LabelLine]) -> Result<usize, LabelError> {
    while_locked(path, |file| {
        let is_out = |placed: &&PlacedLabel| labels.contains(&placed.label);
        let out: Vec<PlacedLabel> = file.standing.iter().filter(is_out).cloned().collect();
        if !out.is_empty() {
            file.rewrite(&out, &[])?;
        }
        Ok(out.len())
    })
}

/// A file that nobody else writes meanwhile.
struct LockedFile {
    path: PathBuf,
    file: File,
    /// Its lines, without a last one that was cut short.
    text: Vec<u8>,
    standing: Vec<PlacedLabel>,
}

fn while_locked<T>(
    path: &Path,
    work: impl FnOnce(&LockedFile) -> io::Result<T>,
) -> Result<T, LabelError> {
    can_be_added_to(path)?;
    let shown = path.display().to_string();
    let unwritable = |source| LabelError::Unwritable { path: shown.clone(), source };
    let file = lock(path).map_err(unwritable)?;
    let mut text = Vec::new();
    (&file).read_to_end(&mut text).map_err(unwritable)?;
    let mut read = LabelFile { path: shown.clone(), ..LabelFile::default() };
    read_lines(&mut text.as_slice(), &mut read).map_err(unwritable)?;
    if read.torn.is_some() {
        text.truncate(memchr::memrchr(b'\n', &text).map_or(0, |end| end + 1));
    }
    // What a link leads to is replaced, not the link.
    let path = path.canonicalize().map_err(unwritable)?;
    let standing = read.only_labels()?;
    work(&LockedFile { path, file, text, standing }).map_err(unwritable)
}

fn lock(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    loop {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        file.lock()?;
        // Whoever held it before may have put another file in its place.
        if is_still(&file, path) {
            return Ok(file);
        }
    }
}

impl LockedFile {
    fn append(&self, lines: &str) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.file.set_len(self.text.len() as u64)?;
        // A last line that does not end must not swallow the next one.
        let separator = if matches!(self.text.last(), None | Some(b'\n')) { "" } else { "\n" };
        (&self.file).write_all((separator.to_owned() + lines).as_bytes())?;
        self.file.sync_data()
    }

    /// Puts its text without some labels and with others in its place, whole or not at all.
    fn rewrite(&self, out: &[PlacedLabel], new: &[LabelLine]) -> io::Result<()> {
        let out: HashSet<u64> = out.iter().map(|placed| placed.line).collect();
        let mut next = file_beside(&self.path)?;
        for (line, text) in (1..).zip(self.text.split_inclusive(|byte| *byte == b'\n')) {
            if !out.contains(&line) {
                next.write_all(text)?;
                next.write_all(if text.ends_with(b"\n") { b"" } else { b"\n" })?;
            }
        }
        for label in new {
            writeln!(next, "{}", label.text())?;
        }
        next.as_file().set_permissions(self.file.metadata()?.permissions())?;
        next.as_file().sync_data()?;
        next.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Label, read_label_file, read_labels};
    use super::*;

    fn label(id: u32, word: &str) -> LabelLine {
        let text = format!(r#"{{"file":"a.jsonl","id":{id},"label":"{word}"}}"#);
        LabelLine::read(&text).expect("a label")
    }

    /// A text in which `1 ok` stands for a label of the call 1, as it is written, or the other way round.
    fn written(text: &str, is_back: bool) -> String {
        let all = (1..10).flat_map(|id| Label::ALL.map(|it| (id, it.name())));
        let pairs = all.map(|(id, word)| (format!("{id} {word}"), label(id, word).text()));
        pairs.fold(text.to_owned(), |text, (words, line)| {
            let (from, to) = if is_back { (line, words) } else { (words, line) };
            text.replace(&from, &to)
        })
    }

    #[test]
    fn files_of_labels_change_as_their_cases_show() {
        crate::cases::check("tests/cases/labels.txt", |case| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let path = folder.path().join("new/labels.jsonl");
            let mut told = Vec::new();
            for (word, rest) in case.text.lines().filter_map(|line| line.split_once(' ')) {
                let labels = rest.split(", ").map(|it| LabelLine::read(&written(it, false)));
                let labels: Vec<LabelLine> = labels.filter_map(Result::ok).collect();
                match word {
                    "add" => {
                        let done = add_labels(&path, &labels).expect("added");
                        told.push(format!("{} added, {} known", done.added, done.known));
                        told.extend(done.against.iter().map(|Contradiction { at, existing }| {
                            let [new, old] = [&labels[*at], &existing.label].map(LabelLine::text);
                            format!("{new} is against {old} of line {}", existing.line)
                        }));
                    }
                    "replace" => {
                        let out = replace_labels(&path, &labels).expect("replaced");
                        told.extend(out.iter().map(|it| format!("line {} goes", it.line)));
                    }
                    "take" => {
                        let taken = take_labels_back(&path, &labels).expect("taken");
                        told.push(format!("{taken} taken"));
                    }
                    _ => {
                        let text: String = serde_json::from_str(rest).expect("a text");
                        let is_table = word == "table";
                        let path = if is_table { path.with_extension("csv") } else { path.clone() };
                        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
                        fs::write(&path, written(&text, false)).expect("writable");
                        let read = read_label_file(&path).expect("labels");
                        let torn = read.torn.map(|line| format!(", half of one on line {line}"));
                        told.push(format!(
                            "{} whole{}",
                            read.labels.len(),
                            torn.unwrap_or_default()
                        ));
                        let wrong = read.wrong.into_iter();
                        told.extend(wrong.map(|(line, why)| format!("line {line}: {why}")));
                        let labels = read.labels.iter().filter(|_| is_table);
                        told.extend(
                            labels.map(|it| format!("line {}: {}", it.line, it.label.text())),
                        );
                    }
                }
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            written(&told.join("\n"), true) + &format!("\n{:?}", written(&text, true))
        });
    }

    #[test]
    fn a_table_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("labels.CSV");
        let error = add_labels(&path, &[label(1, "ok")]).expect_err("a table").to_string();
        assert!(error.contains("is a table"), "{error}");
        assert!(replace_labels(&path, &[label(1, "ok")]).is_err() && !path.exists());
    }

    #[test]
    fn of_many_writers_at_once_none_loses_a_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = &folder.path().join("labels.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || {
                    for at in 0..10 {
                        let id = writer * 100 + at;
                        add_labels(path, &[label(id, "ok"), label(id + 50, "ok")]).expect("added");
                        take_labels_back(path, &[label(id + 50, "ok")]).expect("taken");
                    }
                });
            }
        });
        let mut ids: Vec<u32> = read_labels(path)
            .expect("labels")
            .iter()
            .map(|line| line.id.as_deref().and_then(|id| id.parse().ok()).expect("a number"))
            .collect();
        ids.sort_unstable();
        let expected: Vec<u32> =
            (0..4).flat_map(|writer| (0..10).map(move |at| writer * 100 + at)).collect();
        assert_eq!(ids, expected);
    }
}
