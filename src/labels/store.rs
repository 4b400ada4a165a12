//! Writing files of labels: one writer at a time, lines of others kept, nothing lost.

use super::naming::{Name, Naming};
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
        let standing = &file.standing;
        let naming = Naming::of(standing.iter().map(|placed| &placed.label).chain(labels));
        let mut known: HashMap<Name<'_>, Vec<(u64, &LabelLine)>> = HashMap::new();
        for PlacedLabel { line, label } in standing {
            if let Some(name) = naming.exchange(label) {
                known.entry(name).or_default().push((*line, label));
            }
        }
        // Lines that say different things of one exchange: none of them is taken, whichever is first.
        let mut first: HashMap<Name<'_>, (&LabelLine, Option<&LabelLine>)> = HashMap::new();
        for label in labels {
            let Some(name) = naming.exchange(label) else { continue };
            let (one, other) = first.entry(name).or_insert((label, None));
            if other.is_none() && one.label != label.label {
                *other = Some(label);
            }
        }
        let mut done = Added::default();
        let mut new = String::new();
        for (at, label) in labels.iter().enumerate() {
            let Some(name) = naming.exchange(label) else { continue };
            if let (false, Some((one, Some(other)))) = (known.contains_key(&name), first.get(&name))
            {
                let other = if one.label == label.label { other } else { one };
                let existing = PlacedLabel { line: 0, label: (*other).clone() };
                done.against.push(Contradiction { at, existing });
                continue;
            }
            let about = known.entry(name).or_default();
            match about.iter().find(|(_, other)| other.label != label.label) {
                Some((line, other)) => {
                    let existing = PlacedLabel { line: *line, label: (*other).clone() };
                    done.against.push(Contradiction { at, existing });
                }
                None if !about.is_empty() => done.known += 1,
                None => {
                    new.push_str(&label.text());
                    new.push('\n');
                    done.added += 1;
                    about.push((0, label));
                }
            }
        }
        file.append(&new)?;
        Ok(done)
    })
}

/// Adds labels to a file in place of what it says of their exchanges. Returns what stood there.
pub fn replace_labels(path: &Path, labels: &[LabelLine]) -> Result<Vec<PlacedLabel>, LabelError> {
    while_locked(path, |file| {
        let standing = &file.standing;
        let naming = Naming::of(standing.iter().map(|placed| &placed.label).chain(labels));
        let new: HashSet<Name<'_>> =
            labels.iter().filter_map(|label| naming.exchange(label)).collect();
        let out = standing.iter().filter(|placed| {
            naming.exchange(&placed.label).is_some_and(|name| new.contains(&name))
        });
        let out: HashSet<u64> = out.map(|placed| placed.line).collect();
        let (mut kept, replaced) = file.without(|placed| out.contains(&placed.line));
        for label in labels {
            kept.extend_from_slice(label.text().as_bytes());
            kept.push(b'\n');
        }
        file.rewrite(&kept)?;
        Ok(replaced)
    })
}

/// Takes labels out of a file that were added to it. Returns how many were found.
pub fn take_labels_back(path: &Path, labels: &[LabelLine]) -> Result<usize, LabelError> {
    while_locked(path, |file| {
        let (kept, taken) = file.without(|placed| labels.contains(&placed.label));
        if !taken.is_empty() {
            file.rewrite(&kept)?;
        }
        Ok(taken.len())
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
    work: impl FnOnce(&mut LockedFile) -> io::Result<T>,
) -> Result<T, LabelError> {
    can_be_added_to(path)?;
    let shown = path.display().to_string();
    let unwritable = |source| LabelError::Unwritable { path: shown.clone(), source };
    let mut locked = LockedFile::take(path).map_err(unwritable)?;
    let mut read = LabelFile { path: shown.clone(), ..LabelFile::default() };
    read_lines(&mut locked.text.as_slice(), &mut read).map_err(unwritable)?;
    let torn = read.torn.is_some();
    locked.standing = read.only_labels()?;
    if torn {
        let last = memchr::memrchr(b'\n', &locked.text).map_or(0, |end| end + 1);
        locked.text.truncate(last);
    }
    work(&mut locked).map_err(unwritable)
}

impl LockedFile {
    fn take(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        loop {
            let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
            file.lock()?;
            // Whoever held it before may have put another file in its place.
            if is_still(&file, path) {
                // What a link leads to is replaced, not the link.
                let path = path.canonicalize()?;
                let mut text = Vec::new();
                file.read_to_end(&mut text)?;
                return Ok(Self { path, file, text, standing: Vec::new() });
            }
        }
    }

    fn append(&mut self, lines: &str) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.file.set_len(self.text.len() as u64)?;
        // A last line that does not end must not swallow the next one.
        let separator = if matches!(self.text.last(), None | Some(b'\n')) { "" } else { "\n" };
        self.file.write_all((separator.to_owned() + lines).as_bytes())?;
        self.file.sync_data()
    }

    /// Its lines without some labels, and these.
    fn without(&self, is_out: impl Fn(&PlacedLabel) -> bool) -> (Vec<u8>, Vec<PlacedLabel>) {
        let out: Vec<PlacedLabel> =
            self.standing.iter().filter(|placed| is_out(placed)).cloned().collect();
        let lines: HashSet<u64> = out.iter().map(|placed| placed.line).collect();
        let kept = (1..).zip(self.text.split_inclusive(|byte| *byte == b'\n'));
        let kept = kept.filter(|(line, _)| !lines.contains(line));
        let mut kept: Vec<u8> = kept.flat_map(|(_, text)| text).copied().collect();
        if !kept.is_empty() && !kept.ends_with(b"\n") {
            kept.push(b'\n');
        }
        (kept, out)
    }

    /// Puts another text in its place, whole or not at all.
    fn rewrite(&mut self, text: &[u8]) -> io::Result<()> {
        let mut next = file_beside(&self.path)?;
        next.write_all(text)?;
        next.as_file().set_permissions(self.file.metadata()?.permissions())?;
        next.as_file().sync_data()?;
        next.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Label, read_labels};
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
                        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
                        fs::write(&path, written(&text, false)).expect("writable");
                        let (labels, torn) = read_whole_labels(&path).expect("labels");
                        let torn = torn.map(|line| format!(", half of one on line {line}"));
                        told.push(format!("{} whole{}", labels.len(), torn.unwrap_or_default()));
                    }
                }
            }
            let text = fs::read_to_string(&path).expect("text");
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
