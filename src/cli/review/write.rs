//! Writing what was decided: examples and labels first, then the baseline, then a line of the log. Each
//! file is what it was until its new text is whole, and whatever is cut short can be done again.

use super::case::Review;
use super::check::keep_rulebook_of;
use crate::baseline::{Moved, SnapshotPath, apply};
use crate::cli::Failure;
use crate::cli::recorded::look_up;
use crate::cli::terminal::say;
use crate::compare::{Matched, WHOLE_KEY};
use crate::labels::{LabelLine, Said, add_labels, plain_id};
use crate::review::{
    Call, Decision, LogLine, Session, Signature, WantedExample, What, append_example, label_of,
    read_log,
};
use crate::rulebook::{Example, Rulebook};
use crate::run::run_examples;
use crate::store::{NamedVerdict, file_beside};
use crate::verdict::{counted, cut, grouped, harmless};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// How much of a name or of a difference is printed.
const SHOWN: usize = 120;

/// What was written: in words, and the names of files.
#[derive(Default)]
struct Report {
    text: String,
    files: Vec<String>,
}

impl Report {
    fn line(&mut self, word: &str, what: &str) {
        let _ = writeln!(self.text, "{word:<9} {what}");
    }

    fn wrote(&mut self, path: &Path, what: &str) {
        self.line("wrote", &format!("{}: {what}", path.display()));
        // The log is kept with the project: paths of one machine would say nothing there.
        self.files.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
}

/// Writes what was decided and returns what was written, in words.
pub(super) fn write(review: &mut Review, by: &Signature) -> Result<String, Failure> {
    let counts = review.session.counts();
    let after = &review.session.material().after;
    // Where nothing is left that differs, the baseline takes the digests of now as well.
    let renews = counts.all() == counts.of(What::Accept)
        && !Moved::between(&review.accepted.side.header, &after.header).is_empty();
    if is_written(&review.session) && !renews {
        return Ok("no new decisions to write\n".to_owned());
    }
    let mut report = Report::default();
    write_rejections(review, &mut report)?;
    if counts.of(What::Accept) > 0 || renews {
        write_baseline(review, &mut report)?;
    }
    let lines = review.session.written(report.files, by);
    review.log.add(&lines)?;
    Ok(report.text)
}

fn write_baseline(review: &Review, report: &mut Report) -> Result<(), Failure> {
    let Review { session, whole, place, lock: Some(lock), .. } = review else {
        return Err(Failure::unfinished("the lock of the snapshots is not held"));
    };
    let after = &session.material().after;
    // What nobody was asked about says the same as before in other words, and is taken.
    let kept = kept(session);
    let next = apply(&review.accepted, whole, |change| {
        let now = change.now.map(|at| whole.places.get(at as usize).copied());
        match now {
            Some(now) => !kept.contains(&(now, None)),
            None => !kept.contains(&(None, change.accepted)),
        }
    });
    if next.side.header.rulebook.digest == after.header.rulebook.digest {
        keep_rulebook_of(after, place, lock)?;
    }
    // What waits for a review goes on waiting while something of it is not accepted.
    let counts = session.counts();
    if counts.of(What::Accept) == counts.all() {
        next.accept_at(place, lock)?;
    } else {
        next.write_at(place, lock)?;
    }
    let what = match counts.of(What::Accept) {
        0 => "no changes; header updated".to_owned(),
        accepted => format!("{} updated", counted(accepted, "call")),
    };
    report.wrote(&place.accepted(), &what);
    Ok(())
}

/// The exchanges of which the baseline keeps what it has, by their place now, or else before.
fn kept(session: &Session) -> HashSet<(Option<u32>, Option<u32>)> {
    let material = session.material();
    let all = session.subjects().iter().flat_map(|subject| {
        let calls = subject.flips.iter().filter_map(|number| material.call(*number));
        calls.filter(|call| {
            subject.state.of(call.key).is_none_or(|decision| decision.what != What::Accept)
        })
    });
    all.map(|call| match call.flip.after {
        Some(after) => (Some(after), None),
        None => (None, call.flip.before),
    })
    .collect()
}

/// Whether files tell of everything that was accepted or rejected.
pub(super) fn is_written(session: &Session) -> bool {
    let mut decisions = session.subjects().iter().flat_map(|subject| subject.state.decisions());
    decisions.all(|one| one.written || one.what == What::Skip)
}

/// A rejected exchange that stands on both sides.
struct Rejected<'s> {
    call: Call<'s>,
    decision: &'s Decision,
    before: &'s NamedVerdict,
    after: &'s NamedVerdict,
    /// As many digits of its key as are known: others are not to look like known ones.
    key: String,
    /// Whether its whole key and its recording are known.
    is_known: bool,
}

/// What a recording had to say about a rejected exchange: its id, and the example that it makes.
type Record = (Option<String>, Option<Result<WantedExample, String>>);

/// Each becomes an example of the rulebook that fails, or a label, or is in the log alone.
fn write_rejections(review: &Review, report: &mut Report) -> Result<(), Failure> {
    let material = review.session.material();
    let rejections = review.session.rejections();
    let rejected = rejections.iter().filter_map(|(number, decision)| {
        let call = material.call(*number)?;
        let [Some(before), Some(after)] = material.verdicts(call.flip) else { return None };
        let digits = material.after.key_digits;
        let mut key = call.key.to_string();
        key.truncate(digits.into());
        let is_known = digits == WHOLE_KEY && !call.file.is_empty();
        Some(Rejected { call, decision, before, after, key, is_known })
    });
    let rejected: Vec<Rejected<'_>> = rejected.collect();
    if rejected.len() < rejections.len() {
        report.line(
            "log only",
            "calls that are new or gone: they have no earlier verdict to write as an example or a label",
        );
    }
    let rulebook = review.examples.as_ref().map(|(_, rulebook)| rulebook);
    let wanted = rejected.iter().map(|one| (one.call.file, one.call.key));
    let records = look_up(&review.inputs, u64::MAX, wanted, |at, located| {
        let Rejected { decision, before, after, .. } = &rejected[at];
        let exchange = located.as_recorded();
        let example = rulebook.map(|rulebook| {
            WantedExample::new(exchange, (before, after), rulebook, &comment(decision))
        });
        (exchange.id.as_deref().map(str::to_owned), example)
    });
    let earlier = material.before.rulebook.as_deref();
    let (mut examples, mut others) = (Vec::new(), Vec::new());
    for (at, one) in rejected.iter().enumerate() {
        let example = example_of(one, records.get(&at), earlier);
        match example.and_then(|example| failing(review, example)) {
            Ok(Some(example)) => examples.push((at, example)),
            Ok(None) => report.line("", &format!("{}: is an example already", one.key)),
            Err(why) => others.push((at, why)),
        }
    }
    if let Some((path, rulebook)) = review.examples.as_ref().filter(|_| !examples.is_empty()) {
        // One that cannot be added must not keep everything else from being written.
        match add_examples(path, rulebook, examples.iter_mut().map(|(_, one)| &mut one.0)) {
            Ok(()) => {
                let count = counted(examples.len() as u64, "example");
                report.wrote(path, &format!("{count}, failing until the rulebook is corrected"));
                for (_, (example, difference)) in &examples {
                    report.line("", &format!("  {}: {}", short(&example.name), short(difference)));
                }
            }
            Err(why) => {
                let why = format!(
                    "nothing was written to {}, which cannot take examples: {why}",
                    path.display()
                );
                report.line("warning", &format!("{why}; labels are written instead"));
                others.extend(examples.iter().map(|(at, _)| (*at, why.clone())));
            }
        }
    }
    write_labels(&review.labels, &rejected, &records, others, report)
}

fn write_labels(
    path: &Path,
    rejected: &[Rejected<'_>],
    records: &HashMap<usize, Record>,
    others: Vec<(usize, String)>,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut labels = Vec::new();
    let mut log_only: Vec<String> = Vec::new();
    for (at, why) in others {
        let one = &rejected[at];
        let is_same = one.call.flip.matched == Some(Matched::Exchange);
        let Some(class) = label_of(one.before).filter(|_| is_same) else {
            log_only.push(format!("{}: {why}", one.key));
            continue;
        };
        if !one.is_known {
            log_only.push(format!(
                "{}: a label needs the whole key and the recording, and a baseline has neither; \
                 name the recordings or the run instead, and reject it again",
                one.key
            ));
            continue;
        }
        let id = records.get(&at).and_then(|(id, _)| id.as_deref());
        labels.push(LabelLine {
            key: Some(one.call.key),
            file: Some(one.call.file.to_owned()),
            id: id.map(|id| plain_id(id).to_owned()),
            said: Said::of_call(class.label(), class.is_flagged()),
            why: one.decision.note.clone(),
            who: Some(one.decision.by.who.clone()),
            when: Some(one.decision.by.when.clone()),
        });
    }
    if !labels.is_empty() {
        let done = add_labels(path, &labels).map_err(|error| {
            Failure::unfinished(error)
                .next("name another file with --labels; the baseline is unchanged")
        })?;
        log_only.extend(done.against.iter().map(|against| {
            let (label, existing) = (&labels[against.at], &against.existing);
            format!(
                "{}: it would be labelled {}, but {}:{} has {}",
                label.exchange(),
                label.said.label.name(),
                path.display(),
                existing.line,
                existing.label.said.label.name()
            )
        }));
        match (done.added, done.known) {
            (0, 0) => {}
            (0, _) => {
                let what = format!("{}: all labels were there already", path.display());
                report.line("unchanged", &what);
            }
            (added, _) => report.wrote(path, &counted(added as u64, "label")),
        }
    }
    for line in log_only {
        report.line("log only", &harmless(&line));
    }
    Ok(())
}

/// The example that a rejection becomes, or why it becomes none.
fn example_of(
    rejected: &Rejected<'_>,
    record: Option<&Record>,
    earlier: Option<&Rulebook>,
) -> Result<WantedExample, String> {
    let is_same = rejected.call.flip.matched == Some(Matched::Exchange);
    let other_reply = |why: &str| Err(format!("the reply changed{why}"));
    let Some((_, example)) = record else {
        return Err(format!("it is no longer in its recording {}", rejected.call.file));
    };
    let Some(example) = example.clone() else {
        return if is_same {
            Err("no rulebook was named to add an example to".to_owned())
        } else {
            other_reply(", so the earlier verdict does not apply")
        };
    };
    let example = example?;
    // The earlier verdict has to be one that a rulebook can come to.
    match earlier.map(|earlier| difference_under(earlier, &example)) {
        None if !is_same => other_reply(", and the rulebook used then was not kept"),
        None | Some(None) => Ok(example),
        Some(Some(difference)) => Err(format!(
            "the rulebook did not change the verdict: under the earlier one, {difference}"
        )),
    }
}

/// An example with the difference by which it fails now; `None` where the rulebook has it already.
fn failing(
    review: &Review,
    example: WantedExample,
) -> Result<Option<(WantedExample, String)>, String> {
    let Some((path, rulebook)) = &review.examples else { return Ok(None) };
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let expect = serde_json::Value::Object(example.expect.clone());
    let (exchange, expect) = (value(&example.exchange), Some(expect));
    let is_there = rulebook
        .examples
        .iter()
        .any(|one| value(&one.expect) == expect && value(&one.exchange) == exchange);
    if is_there {
        return Ok(None);
    }
    match difference_under(rulebook, &example) {
        Some(difference) => Ok(Some((example, difference))),
        None => Err(format!("as an example of {} it would pass already", path.display())),
    }
}

fn short(text: &str) -> String {
    cut(&harmless(text), SHOWN)
}

fn comment(Decision { by, note, .. }: &Decision) -> String {
    let note = note.as_deref().unwrap_or("no reason given");
    format!("Rejected by {} on {}: {note}", by.who, by.when.get(..10).unwrap_or(&by.when))
}

/// What is decided and what is left, in words.
pub(super) fn summary(session: &Session) -> String {
    let counts = session.counts();
    let mut text = String::new();
    for what in What::ALL.into_iter().filter(|what| counts.of(*what) > 0) {
        let has = |at: &usize| session.counts_of(*at).of(what) > 0;
        let groups = (0..session.subjects().len()).filter(has).count();
        let (calls, groups) = (counted(counts.of(what), "call"), counted(groups as u64, "group"));
        let _ = writeln!(text, "{:<9} {calls} in {groups}", what.name());
    }
    let _ =
        writeln!(text, "left      {} of {}", grouped(counts.left()), counted(counts.all(), "call"));
    text
}

/// Adds examples to the end of a rulebook's file, all of them or none, under names that are free. The file
/// is what it was until that is done.
fn add_examples<'e>(
    path: &Path,
    rulebook: &Rulebook,
    wanted: impl Iterator<Item = &'e mut WantedExample>,
) -> Result<(), String> {
    let mut text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut names: HashSet<String> =
        rulebook.examples.iter().map(|example| example.name.clone()).collect();
    for example in wanted {
        let name = example.name.clone();
        for number in 2.. {
            if names.insert(example.name.clone()) {
                break;
            }
            example.name = format!("{name} {number}");
        }
        text = append_example(&text, example);
    }
    let draft = draft(path, &text).map_err(|error| error.to_string())?;
    // The draft is gone in a moment; what is wrong is to be looked for in the file itself.
    let name = draft.path().to_string_lossy().into_owned();
    Rulebook::load(&name)
        .map_err(|error| error.to_string().replace(&name, &path.to_string_lossy()))?;
    let target = path.canonicalize().map_err(|error| error.to_string())?;
    draft.persist(target).map(drop).map_err(|error| error.error.to_string())
}

/// A file beside another one, to take its place.
fn draft(path: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let target = path.canonicalize()?;
    let mut draft = file_beside(&target)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().set_permissions(fs::metadata(&target)?.permissions())?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// How an example differs from what a rulebook makes of it, if it does.
fn difference_under(rulebook: &Rulebook, wanted: &WantedExample) -> Option<String> {
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
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    /// Where the next line begins. A line that was torn stands behind it.
    whole: u64,
}

impl LogFile {
    /// Reads the log of a baseline and decides what it says. One that is not there yet is empty.
    pub(super) fn read(place: &SnapshotPath, session: &mut Session) -> Result<Self, Failure> {
        let path = place.accepted().with_extension("review.jsonl");
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| {
                Failure::unfinished(format!("cannot read {}: {error}", path.display()))
                    .next("check the path and its permissions")
            })?,
        };
        let (lines, whole) = read_log(&bytes).map_err(|error| {
            Failure::unfinished(format!("{}: {error}", path.display())).next(
                "restore the log, or move it away: decisions not written yet then have to be \
                 made again",
            )
        })?;
        session.replay(lines);
        let shown = path.display();
        if whole < bytes.len() {
            say(&format!("warning: the last line of {shown} was cut short and is ignored"));
        }
        if session.outdated > 0 {
            let outdated = counted(session.outdated, "decision");
            say(&format!("note: not counted, since other changes came: {outdated} in {shown}"));
        }
        Ok(Self { path, whole: whole as u64 })
    }

    /// Adds lines, and returns when they are safe.
    pub(super) fn add(&mut self, lines: &[LogLine]) -> Result<(), Failure> {
        self.write(lines).map_err(|error| {
            Failure::unfinished(format!("cannot write {}: {error}", self.path.display()))
                .next("earlier decisions are kept; the baseline is unchanged")
        })
    }

    fn write(&mut self, lines: &[LogLine]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        // What a kill left half written ends here.
        if file.metadata()?.len() > self.whole {
            file.set_len(self.whole)?;
        }
        file.write_all(&text)?;
        file.sync_data()?;
        self.whole += text.len() as u64;
        if is_new {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            // Where folders cannot be synced, nothing is to be done.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}
