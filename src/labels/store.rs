//! Writing files of labels: one writer at a time, lines of others kept, nothing lost.

use super::naming::{Name, Naming};
use super::read::{PlacedLabel, is_file, is_table, is_torn, read_line};
use super::{LabelError, LabelLine};
use crate::store::{file_beside, is_still};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
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

/// Whether labels can be added to a file, by its name: they are written as lines of JSON, and whoever
/// reads a table would not find them in it.
pub fn can_be_added_to(path: &Path) -> Result<(), LabelError> {
    if is_table(path) {
        return Err(LabelError::IsTable { path: path.display().to_string() });
    }
    Ok(())
}

/// Adds labels to a file, which need not be there. What it says already is not said again, and what it
/// says otherwise stays as it is. Of labels that contradict one another none is added.
pub fn add_labels(path: &Path, labels: &[LabelLine]) -> Result<Added, LabelError> {
    while_locked(path, |file| {
        let text = file.text()?;
        let standing = standing(&text);
        let naming = Naming::of(standing.iter().map(|placed| &placed.label).chain(labels));
        let mut known: HashMap<Name<'_>, Vec<(u64, &LabelLine)>> = HashMap::new();
        for PlacedLabel { line, label } in &standing {
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
        file.append(&text, &new)?;
        Ok(done)
    })
}

/// Adds labels to a file in place of what it says of their exchanges. Returns what stood there.
pub fn replace_labels(path: &Path, labels: &[LabelLine]) -> Result<Vec<PlacedLabel>, LabelError> {
    while_locked(path, |file| {
        let text = file.text()?;
        let standing = standing(&text);
        let naming = Naming::of(standing.iter().map(|placed| &placed.label).chain(labels));
        let new: HashSet<Name<'_>> =
            labels.iter().filter_map(|label| naming.exchange(label)).collect();
        let out = standing.iter().filter(|placed| {
            naming.exchange(&placed.label).is_some_and(|name| new.contains(&name))
        });
        let out: HashSet<u64> = out.map(|placed| placed.line).collect();
        let (mut kept, replaced) = without(&text, |placed| out.contains(&placed.line));
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
        let text = file.text()?;
        let (kept, taken) = without(&text, |placed| labels.contains(&placed.label));
        if !taken.is_empty() {
            file.rewrite(&kept)?;
        }
        Ok(taken.len())
    })
}

/// The labels that stand in a file. Lines that are no labels are passed over.
fn standing(text: &[u8]) -> Vec<PlacedLabel> {
    let lines = (1..).zip(text.split_inclusive(|byte| *byte == b'\n'));
    let labels = lines.filter_map(|(line, text)| {
        let label = read_line(text)?.ok()?;
        Some(PlacedLabel { line, label })
    });
    labels.collect()
}

fn without(text: &[u8], is_out: impl Fn(&PlacedLabel) -> bool) -> (Vec<u8>, Vec<PlacedLabel>) {
    let mut kept = Vec::with_capacity(text.len());
    let mut out = Vec::new();
    for (line, text) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        let placed = read_line(text).and_then(Result::ok).map(|label| PlacedLabel { line, label });
        match placed {
            Some(placed) if is_out(&placed) => out.push(placed),
            Some(_) | None => kept.extend_from_slice(text),
        }
    }
    if !kept.is_empty() && !kept.ends_with(b"\n") {
        kept.push(b'\n');
    }
    (kept, out)
}

/// A file that nobody else writes meanwhile.
struct LockedFile {
    path: PathBuf,
    file: File,
}

fn while_locked<T>(
    path: &Path,
    work: impl FnOnce(&mut LockedFile) -> io::Result<T>,
) -> Result<T, LabelError> {
    can_be_added_to(path)?;
    let unwritable = |source| LabelError::Unwritable { path: path.display().to_string(), source };
    let mut locked = LockedFile::take(path).map_err(unwritable)?;
    work(&mut locked).map_err(unwritable)
}

impl LockedFile {
    fn take(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        if path.exists() {
            is_file(path)?;
        }
        loop {
            let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
            file.lock()?;
            // Whoever held it before may have put another file in its place.
            if is_still(&file, path) {
                // What a link leads to is replaced, not the link.
                let path = path.canonicalize()?;
                return Ok(Self { path, file });
            }
        }
    }

    fn text(&mut self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        self.file.read_to_end(&mut text)?;
        Ok(text)
    }

    /// Adds lines behind a text that was read.
    fn append(&mut self, text: &[u8], lines: &str) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        // A last line that does not end must not swallow the next one; half a label is none.
        let last = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
        let separator = match &text[last..] {
            [] => "",
            torn if is_torn(torn) => {
                self.file.set_len(last as u64)?;
                ""
            }
            _ => "\n",
        };
        self.file.write_all((separator.to_owned() + lines).as_bytes())?;
        self.file.sync_data()
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
    use super::super::{read_labels, read_whole_labels};
    use super::*;

    fn label(id: u32, word: &str) -> LabelLine {
        let text = format!(r#"{{"file":"a.jsonl","id":{id},"label":"{word}"}}"#);
        LabelLine::read(&text).expect("a label")
    }

    #[test]
    fn what_stands_there_is_neither_said_twice_nor_contradicted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("new/labels.jsonl");
        let first = add_labels(&path, &[label(1, "ok"), label(2, "ok"), label(1, "ok")]);
        assert_eq!(first.expect("added"), Added { added: 2, known: 1, against: Vec::new() });
        fs::write(&path, fs::read_to_string(&path).expect("text").trim_end()).expect("a file");
        let next = [label(1, "hidden_failure"), label(2, "ok"), label(3, "ok")];
        let next = add_labels(&path, &next).expect("added");
        assert_eq!((next.added, next.known, next.against.len()), (1, 1, 1));
        assert_eq!((next.against[0].at, next.against[0].existing.line), (0, 1));
        assert_eq!(read_labels(&path).expect("labels").len(), 3);
    }

    #[test]
    fn of_labels_that_contradict_one_another_none_is_added() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("labels.jsonl");
        let torn = [label(1, "tool_failure"), label(2, "ok"), label(1, "business_logic")];
        let done = add_labels(&path, &torn).expect("added");
        let against: Vec<_> = done
            .against
            .iter()
            .map(|it| (it.at, it.existing.line, it.existing.label.label))
            .collect();
        let expected = [(0, 0, torn[2].label), (2, 0, torn[0].label)];
        assert_eq!((done.added, &against[..]), (1, &expected[..]));
        // What stands there was decided: what says the same is known, and the other is refused.
        add_labels(&path, &torn[..1]).expect("added");
        let done = add_labels(&path, &torn).expect("added");
        assert_eq!((done.known, done.against.len(), done.against[0].at), (2, 1, 2));
    }

    #[test]
    fn labels_are_replaced_and_taken_back_and_other_lines_stay() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("labels.jsonl");
        let (one, two) = (label(1, "ok").text(), label(2, "ok").text());
        fs::write(&path, format!("{one}\n# mine\n\n{two}")).expect("a file");
        let out = replace_labels(&path, &[label(1, "hidden_failure")]).expect("replaced");
        assert_eq!((out.len(), out[0].line), (1, 1));
        let other = label(1, "hidden_failure").text();
        let text = || fs::read_to_string(&path).expect("text");
        assert_eq!(text(), format!("# mine\n\n{two}\n{other}\n"));
        assert_eq!(take_labels_back(&path, &[label(2, "ok"), label(9, "ok")]).expect("taken"), 1);
        assert_eq!(text(), format!("# mine\n\n{other}\n"));
    }

    #[test]
    fn lines_are_for_writers_what_they_are_for_readers() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("labels.jsonl");
        let marked = format!("\u{feff}{}\r\n", label(1, "ok").text());
        let bytes = [marked.as_bytes(), b"\xff\n"].concat();
        fs::write(&path, &bytes).expect("a file");
        let known = add_labels(&path, &[label(1, "ok")]).expect("added");
        assert_eq!((known.added, known.known), (0, 1));
        let against = add_labels(&path, &[label(1, "hidden_failure")]).expect("added");
        assert_eq!((against.added, against.against.len()), (0, 1));
        let out = replace_labels(&path, &[label(1, "hidden_failure")]).expect("replaced");
        assert_eq!(out.len(), 1);
        let expected =
            [b"\xff\n".as_slice(), label(1, "hidden_failure").text().as_bytes(), b"\n"].concat();
        assert_eq!(fs::read(&path).expect("bytes"), expected);
    }

    #[test]
    fn half_a_label_at_the_end_is_passed_over_and_the_next_label_removes_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("labels.jsonl");
        let (one, two) = (label(1, "ok").text(), label(2, "ok").text());
        fs::write(&path, format!("{one}\n{}", &two[..two.len() / 2])).expect("a file");
        let (labels, torn) = read_whole_labels(&path).expect("labels");
        assert_eq!((labels.len(), torn), (1, Some(2)));
        add_labels(&path, &[label(3, "ok")]).expect("added");
        let expected = format!("{one}\n{}\n", label(3, "ok").text());
        assert_eq!(fs::read_to_string(&path).expect("text"), expected);
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
