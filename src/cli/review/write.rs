//! Writing what was decided: examples and labels first, then the baseline, then a line of the log. Each
//! file is what it was until its new text is whole, and whatever is cut short can be done again.

use super::open::Opened;
use crate::baseline::{Baseline, Change, Moved, Place, apply, keep_rulebook};
use crate::cli::Failure;
use crate::cli::recorded::look_up;
use crate::compare::{Matched, WHOLE_KEY};
use crate::labels::{LabelLine, add_labels, plain_id};
use crate::recording::Key;
use crate::review::{
    ExampleError, LogLine, ReadLog, Rejection, Session, Signature, WantedExample, What,
    append_example, label_of, read_log, rejections,
};
use crate::rulebook::{Example, Rulebook};
use crate::run::run_examples;
use crate::store::{NamedVerdict, file_beside};
use crate::verdict::{counted, cut, grouped, harmless};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes what was decided and returns what was written, in words.
pub(super) fn write(
    session: &mut Session,
    opened: &mut Opened,
    by: &Signature,
) -> Result<String, Failure> {
    let counts = session.counts();
    let material = session.material();
    // Where nothing is left that differs, the baseline takes the digests of now as well.
    let renews = counts.all() == counts.accepted
        && !Moved::between(&opened.accepted.side.header, &material.after.header).is_empty();
    if is_written(session) && !renews {
        return Ok("no new decisions to write\n".to_owned());
    }
    let mut report = Report::default();
    write_rejections(session, opened, &mut report)?;
    if counts.accepted > 0 || renews {
        write_baseline(session, opened, &mut report)?;
    }
    let lines = session.written(report.files, by);
    opened.log.add(&lines)?;
    Ok(report.text)
}

fn write_baseline(session: &Session, opened: &Opened, report: &mut Report) -> Result<(), Failure> {
    let Some(lock) = &opened.lock else {
        return Err(Failure::unfinished(
            "snapshots are written under their lock, which is not held",
        ));
    };
    let after = &session.material().after;
    let path = opened.place.accepted();
    let now = &opened.whole;
    let taken = taken(session);
    let next = apply(&opened.accepted, now, |change| taken.has(change, now));
    if next.side.header.rulebook.digest == after.header.rulebook.digest
        && let Some(rulebook) = &after.rulebook
    {
        keep_rulebook(&opened.place.snapshots, rulebook, lock)?;
    }
    // What waits for a review goes on waiting while something of it is not accepted.
    let counts = session.counts();
    let written = if counts.accepted == counts.all() {
        next.accept_at(&opened.place, lock)
    } else {
        next.write_at(&opened.place, lock)
    };
    written?;
    let what = match session.counts().accepted {
        0 => "no changes; header updated".to_owned(),
        accepted => format!("{} updated", counted(accepted, "call")),
    };
    let _ = writeln!(report.text, "wrote     {}: {what}", path.display());
    report.wrote(&path);
    Ok(())
}

/// Whether files tell of everything that was accepted or rejected.
pub(super) fn is_written(session: &Session) -> bool {
    session.states().iter().all(|state| {
        let decisions = state.whole.iter().chain(state.single.values());
        decisions.filter(|one| one.what != What::Skip).all(|one| one.written)
    })
}

#[derive(Default)]
struct Report {
    text: String,
    files: Vec<String>,
}

impl Report {
    fn wrote(&mut self, path: &std::path::Path) {
        // The log is kept with the project: paths of one machine would say nothing there.
        self.files.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
}

/// The exchanges that the baseline takes, by their places on either side.
struct Taken {
    now: HashMap<u32, bool>,
    gone: HashMap<u32, bool>,
}

fn taken(session: &Session) -> Taken {
    let flips = &session.material().comparison.flips;
    let mut taken = Taken { now: HashMap::with_capacity(flips.len()), gone: HashMap::new() };
    for (at, subject) in session.subjects().iter().enumerate() {
        let state = &session.states()[at];
        for (place, number) in (0u32..).zip(&subject.flips) {
            let Some(flip) = flips.get(*number as usize) else { continue };
            let accepts = state.of(place).is_some_and(|decision| decision.what == What::Accept);
            match (flip.after, flip.before) {
                (Some(after), _) => taken.now.insert(after, accepts),
                (None, Some(before)) => taken.gone.insert(before, accepts),
                (None, None) => None,
            };
        }
    }
    taken
}

impl Taken {
    /// Whether the baseline takes a change over. What nobody was asked about says the same as before in
    /// other words.
    fn has(&self, change: &Change, now: &Baseline) -> bool {
        let place = change.now.and_then(|at| now.places.get(at as usize));
        let decided = match (place, change.accepted) {
            (Some(place), _) => self.now.get(place),
            (None, Some(before)) => self.gone.get(&before),
            (None, None) => None,
        };
        decided.copied().unwrap_or(true)
    }
}

/// A rejected exchange that can be told of in a file.
struct Rejected<'s> {
    rejection: Rejection,
    before: &'s NamedVerdict,
    after: &'s NamedVerdict,
    file: String,
    key: Key,
    /// As many digits of it as are known: others are not to look like known ones.
    shown_key: String,
    /// Whether its whole key and its recording are known.
    is_known: bool,
}

/// What a recording had to say about a rejected exchange.
struct Record {
    id: Option<String>,
    example: Option<Result<WantedExample, ExampleError>>,
}

fn write_rejections(
    session: &Session,
    opened: &Opened,
    report: &mut Report,
) -> Result<(), Failure> {
    let rejected = rejected(session);
    if rejected.len() < rejections(session).len() {
        report.text.push_str(
            "log only  calls that are new or gone: they have no earlier verdict to write as an \
             example or a label\n",
        );
    }
    if rejected.is_empty() {
        return Ok(());
    }
    let rulebook = opened.examples.as_ref().map(|(_, rulebook)| rulebook);
    let wanted = rejected.iter().map(|one| (one.file.as_str(), one.key));
    let mut records = look_up(&opened.inputs, u64::MAX, wanted, |at, located| {
        let Rejected { rejection, before, after, .. } = &rejected[at];
        let (exchange, comment) = (located.as_recorded(), comment(rejection));
        let example = rulebook
            .map(|rulebook| WantedExample::new(exchange, (before, after), rulebook, &comment));
        Record { id: exchange.id.as_deref().map(str::to_owned), example }
    });
    let mut examples: Vec<(usize, WantedExample)> = Vec::new();
    let mut others: Vec<(usize, String)> = Vec::new();
    let before = session.material().before.rulebook.as_deref();
    for (at, one) in rejected.iter().enumerate() {
        match example_of(one, records.get_mut(&at), before) {
            Ok(example) => examples.push((at, example)),
            Err(why) => others.push((at, why)),
        }
    }
    if let Some((path, rulebook)) = &opened.examples
        && !examples.is_empty()
    {
        let texts: Vec<WantedExample> = examples.iter().map(|(_, one)| one.clone()).collect();
        // One that cannot be added must not keep everything else from being written.
        let added = add(path, rulebook, &texts).unwrap_or_else(|why| {
            let _ = writeln!(report.text, "warning   {why}; labels are written instead");
            texts.iter().map(|_| Added::No(why.clone())).collect()
        });
        let fails = added.iter().filter(|one| matches!(one, Added::Fails(..))).count();
        if fails > 0 {
            let _ = writeln!(
                report.text,
                "wrote     {}: {}, failing until the rulebook is corrected",
                path.display(),
                counted(fails as u64, "example"),
            );
            report.wrote(path);
        }
        for ((at, _), added) in examples.iter().zip(added) {
            match added {
                Added::Fails(name, difference) => {
                    let (name, difference) = (short(&name), short(&difference));
                    let _ = writeln!(report.text, "            {name}: {difference}");
                }
                Added::WasThere(name) => {
                    let _ =
                        writeln!(report.text, "            {}: was there already", short(&name));
                }
                Added::No(why) => others.push((*at, why)),
            }
        }
    }
    others.sort();
    write_labels(opened, &rejected, &records, others, report)
}

fn write_labels(
    opened: &Opened,
    rejected: &[Rejected<'_>],
    records: &HashMap<usize, Record>,
    others: Vec<(usize, String)>,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut labels = Vec::new();
    let mut log_only: Vec<String> = Vec::new();
    for (at, why) in others {
        let one = &rejected[at];
        let label =
            label_of(one.before).filter(|_| one.rejection.flip.matched == Some(Matched::Exchange));
        match label {
            Some(_) if !one.is_known => log_only.push(format!(
                "{}: a label needs the whole key and the recording, and a baseline has neither; \
                 name the recordings or the run instead, and reject it again",
                one.shown_key
            )),
            Some(label) => labels.push(LabelLine {
                key: Some(one.key),
                file: Some(one.file.clone()),
                id: records
                    .get(&at)
                    .and_then(|record| record.id.as_deref())
                    .map(|id| plain_id(id).to_owned()),
                label,
                why: one.rejection.decision.note.clone(),
                who: Some(one.rejection.decision.who.clone()),
                when: Some(one.rejection.decision.when.clone()),
            }),
            None => log_only.push(format!("{}: {why}", one.shown_key)),
        }
    }
    if !labels.is_empty() {
        let done = add_labels(&opened.labels, &labels).map_err(|error| {
            Failure::unfinished(error)
                .next("name another file with --labels; the baseline is unchanged")
        })?;
        let path = opened.labels.display();
        log_only.extend(done.against.iter().map(|against| {
            let (label, existing) = (&labels[against.at], &against.existing);
            format!(
                "{}: it would be labelled {}, but {path}:{} has {}",
                label.exchange(),
                label.label.name(),
                existing.line,
                existing.label.label.name()
            )
        }));
        let added = done.added;
        let count = counted(added as u64, "label");
        let _ = match added {
            0 if done.known == 0 => Ok(()),
            0 => writeln!(report.text, "unchanged {path}: all labels were there already"),
            some if done.known > 0 && some < labels.len() => {
                writeln!(report.text, "wrote     {path}: {count}; the others were there already")
            }
            _ => writeln!(report.text, "wrote     {path}: {count}"),
        };
        if added > 0 {
            report.wrote(&opened.labels);
        }
    }
    for line in &log_only {
        let _ = writeln!(report.text, "log only  {}", harmless(line));
    }
    Ok(())
}

/// The rejections about exchanges that stand on both sides; the others are in the log alone, since
/// nobody said earlier what is right.
fn rejected(session: &Session) -> Vec<Rejected<'_>> {
    let material = session.material();
    let rejected = rejections(session).into_iter().filter_map(|rejection| {
        let [Some(before), Some(after)] = material.verdicts(&rejection.flip) else { return None };
        let (entry, side) = material.entry(&rejection.flip)?;
        let file = side.names.get(entry.file).to_owned();
        let is_known = side.key_digits == WHOLE_KEY && !file.is_empty();
        let mut shown_key = entry.key.to_string();
        shown_key.replace_range(usize::from(side.key_digits)..usize::from(WHOLE_KEY), "");
        Some(Rejected { rejection, before, after, file, key: entry.key, shown_key, is_known })
    });
    rejected.collect()
}

/// The example that a rejection becomes, or why it becomes none.
fn example_of(
    rejected: &Rejected<'_>,
    record: Option<&mut Record>,
    before: Option<&Rulebook>,
) -> Result<WantedExample, String> {
    let is_same = rejected.rejection.flip.matched == Some(Matched::Exchange);
    let Some(record) = record else {
        return Err(format!("it is no longer in its recording {}", rejected.file));
    };
    let Some(example) = record.example.take() else {
        return Err(if is_same {
            "no rulebook was named to add an example to".to_owned()
        } else {
            "the reply changed, so the earlier verdict does not apply".to_owned()
        });
    };
    let example = example.map_err(|error| error.to_string())?;
    // The earlier verdict has to be one that a rulebook can come to.
    match before.map(|before| difference_under(before, &example)) {
        None if is_same => Ok(example),
        None => Err("the reply changed, and the rulebook used then was not kept".to_owned()),
        Some(None) => Ok(example),
        Some(Some(difference)) => Err(format!(
            "the rulebook did not change the verdict: under the earlier one, {difference}"
        )),
    }
}

/// How much of a name or of a difference is printed.
const SHOWN: usize = 120;

fn short(text: &str) -> String {
    cut(&harmless(text), SHOWN)
}

fn comment(rejection: &Rejection) -> String {
    let decision = &rejection.decision;
    let note = decision.note.as_deref().unwrap_or("no reason given");
    let day = decision.when.get(..10).unwrap_or(&decision.when);
    format!("Rejected by {} on {day}: {note}", decision.who)
}

/// What is decided and what is left, in words.
pub(super) fn summary(session: &Session) -> String {
    let counts = session.counts();
    let mut text = String::new();
    for (word, count, what) in [
        ("accepted", counts.accepted, What::Accept),
        ("rejected", counts.rejected, What::Reject),
        ("skipped", counts.skipped, What::Skip),
    ] {
        if count > 0 {
            let groups = (0..session.subjects().len())
                .filter(|at| session.counts_of(*at).of_kind(what) > 0)
                .count();
            let _ = writeln!(
                text,
                "{word:<9} {} in {}",
                counted(count, "call"),
                counted(groups as u64, "group")
            );
        }
    }
    let _ =
        writeln!(text, "left      {} of {}", grouped(counts.left()), counted(counts.all(), "call"));
    text
}

/// What became of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It stands in the file, under this name, and fails so.
    Fails(String, String),
    WasThere(String),
    /// It does not stand there, for this reason.
    No(String),
}

/// Adds examples to the file of a rulebook. They are added together or not at all, and the file is
/// what it was until that is done. Where they cannot be, tells why.
pub(super) fn add(
    path: &Path,
    rulebook: &Rulebook,
    wanted: &[WantedExample],
) -> Result<Vec<Added>, String> {
    let cannot = |error: &dyn std::fmt::Display| {
        format!("nothing was written to {}, which cannot take examples: {error}", path.display())
    };
    let file = fs::read_to_string(path).map_err(|error| cannot(&error))?;
    let mut names: BTreeSet<String> =
        rulebook.examples.iter().map(|example| example.name.clone()).collect();
    let mut added: Vec<Option<Added>> = Vec::with_capacity(wanted.len());
    let mut fresh: Vec<(usize, WantedExample)> = Vec::new();
    for (at, example) in wanted.iter().enumerate() {
        if let Some(there) = standing(rulebook, example) {
            added.push(Some(Added::WasThere(there)));
            continue;
        }
        let mut example = example.clone();
        example.name = free_name(&example.name, &names);
        names.insert(example.name.clone());
        fresh.push((at, example));
        added.push(None);
    }
    let draft = draft(path, &file, fresh.iter().map(|(_, example)| example))
        .map_err(|error| cannot(&error))?;
    let name = draft.path().to_string_lossy().into_owned();
    // The draft is gone in a moment; what is wrong is to be looked for in the file itself.
    let judged = Rulebook::load(&name)
        .map_err(|error| cannot(&error.to_string().replace(&name, &path.to_string_lossy())))?;
    let mismatches = run_examples(&judged);
    for (at, example) in &fresh {
        let differs = mismatches.iter().find(|mismatch| mismatch.example == example.name);
        added[*at] = Some(match differs {
            Some(mismatch) => Added::Fails(example.name.clone(), mismatch.difference.clone()),
            None => Added::No(format!("as an example of {} it would pass already", path.display())),
        });
    }
    let failing = |at: usize| matches!(added[at], Some(Added::Fails(..)));
    let kept: Vec<&WantedExample> =
        fresh.iter().filter(|(at, _)| failing(*at)).map(|(_, example)| example).collect();
    if !kept.is_empty() {
        let draft = if kept.len() == fresh.len() {
            draft
        } else {
            self::draft(path, &file, kept.into_iter()).map_err(|error| cannot(&error))?
        };
        let target = path.canonicalize().map_err(|error| cannot(&error))?;
        draft.persist(&target).map_err(|error| cannot(&error.error))?;
    }
    Ok(added.into_iter().flatten().collect())
}

/// The file with the examples added, beside its place.
fn draft<'a>(
    path: &Path,
    file: &str,
    examples: impl Iterator<Item = &'a WantedExample>,
) -> std::io::Result<tempfile::NamedTempFile> {
    let target = path.canonicalize()?;
    let mut draft = file_beside(&target)?;
    let text = examples.fold(file.to_owned(), |text, example| append_example(&text, example));
    draft.write_all(text.as_bytes())?;
    draft.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// The name of an example of the rulebook that says the same.
fn standing(rulebook: &Rulebook, wanted: &WantedExample) -> Option<String> {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let exchange = value(&wanted.exchange)?;
    let expect = serde_json::Value::Object(wanted.expect.clone());
    let same = |example: &&Example| {
        value(&example.expect).as_ref() == Some(&expect)
            && value(&example.exchange).as_ref() == Some(&exchange)
    };
    rulebook.examples.iter().find(same).map(|example| example.name.clone())
}

fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2u32..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}

/// Whether an example comes out as expected under a rulebook, and if not, how it differs.
pub(super) fn difference_under(rulebook: &Rulebook, wanted: &WantedExample) -> Option<String> {
    let mut rulebook = rulebook.clone();
    rulebook.examples = vec![Example {
        name: wanted.name.clone(),
        exchange: wanted.exchange.clone(),
        expect: serde_json::Value::Object(wanted.expect.clone()).to_string(),
        place: String::new(),
    }];
    run_examples(&rulebook).into_iter().next().map(|mismatch| mismatch.difference)
}

/// A log that is added to and never written anew.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    /// What it held when it was read.
    pub(super) lines: Vec<LogLine>,
    /// Where the next line begins. A line that was torn stands behind it.
    whole: u64,
    pub(super) torn: bool,
}

impl LogFile {
    /// Reads the log of a baseline. One that is not there yet is empty.
    pub(super) fn read(place: &Place) -> Result<Self, Failure> {
        let path = place.accepted().with_extension("review.jsonl");
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                return Err(Failure::unfinished(format!(
                    "cannot read {}: {error}",
                    path.display()
                ))
                .next("check the path and its permissions"));
            }
        };
        let ReadLog { lines, whole, torn } = read_log(&bytes).map_err(|error| {
            Failure::unfinished(format!("{}: {error}", path.display())).next(
                "restore the log, or move it away: decisions not written yet then have to be \
                 made again",
            )
        })?;
        Ok(Self { path, lines, whole: whole as u64, torn })
    }

    /// Adds lines, and returns when they are safe.
    pub(super) fn add(&mut self, lines: &[LogLine]) -> Result<(), Failure> {
        if lines.is_empty() {
            return Ok(());
        }
        let text: String = lines
            .iter()
            .filter_map(|line| serde_json::to_string(line).ok())
            .map(|line| line + "\n")
            .collect();
        self.write(text.as_bytes()).map_err(|error| {
            Failure::unfinished(format!("cannot write {}: {error}", self.path.display()))
                .next("earlier decisions are kept; the baseline is unchanged")
        })?;
        self.lines.extend_from_slice(lines);
        Ok(())
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        // What a kill left half written ends here.
        if file.metadata()?.len() > self.whole {
            file.set_len(self.whole)?;
        }
        file.write_all(text)?;
        file.sync_data()?;
        self.whole += text.len() as u64;
        self.torn = false;
        if is_new {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            // Where folders cannot be synced, nothing is to be done.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}
