//! A rulebook over a corpus, and the folder it leaves behind.

mod drive;
mod engine;
mod examples;
mod excerpt;
mod find;
mod found_call;
mod import;
mod ledger;
mod masking;
mod merge;
mod tools;
mod totals;

pub use drive::DriveError;
pub use engine::{Lines, Observer, RunError, RunPlan};
pub use examples::{Mismatch, run_examples};
pub use excerpt::excerpt_of;
pub use find::{
    Candidate, Located, MOST_CANDIDATES, SearchResult, Wanted, find_exchange, for_each_exchange,
};
pub use found_call::{MaskedCall, Passage, ToldVerdict};
pub use import::{ImportPlan, Imported, import};
pub use masking::{Clean, Masking};
pub use merge::{MergeError, RunPart, merge};
pub use tools::{KnownTool, KnownTools, known_tools};
pub use totals::{CorpusDigest, Totals};

use crate::check::{CheckFiles, CheckSource, Checks};
use crate::corpus::{CorpusReader, FileKind, Input, Objects, Part, Recall, UnreadableReason};
use crate::count::CountedGroups;
use crate::recording::{Exchange, Moment};
use crate::rulebook::Rulebook;
use crate::store::{
    CheckFile, Comparable, FORMAT, Legend, ListRow, Manifest, PartOf, ReadCounts, Redaction,
    RulebookName, RunFolder, Summary, ToolRules, Wall, write_counted, write_counts, write_lists,
    write_sessions,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use totals::{Counted, Whole};

#[derive(Clone, Debug)]
pub struct Finished {
    pub totals: Totals,
    pub summary: Summary,
    pub seconds: f64,
    pub folder: Left,
    pub counts: CountedGroups,
    /// What an operator acts on.
    pub lists: Vec<ListRow>,
}

/// What a run leaves at the place it was to be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Itself.
    Run,
    /// The earlier run: it has exchanges, and this one found none.
    EarlierRun,
}

/// Judges a corpus and leaves a run folder at `out`. A run without a single exchange does not take
/// the place of one that has some.
pub fn run(
    plan: &RunPlan,
    rulebook: &Rulebook,
    out: &Path,
    observer: &dyn Observer,
) -> Result<Finished, RunError> {
    run_with(plan, rulebook, out, observer, |_, _| {})
}

/// The same. Before the folder takes its place, `finish` may add files to it where it stands until then.
pub fn run_with(
    plan: &RunPlan,
    rulebook: &Rulebook,
    out: &Path,
    observer: &dyn Observer,
    finish: impl FnOnce(&Finished, &Path),
) -> Result<Finished, RunError> {
    let started = Instant::now();
    let reader = CorpusReader::new(&plan.inputs, plan.bounds)?;
    let reader = if plan.lines.is_some() { reader.live() } else { reader };
    let checks = Arc::new(Checks::load(&plan.checks, &rulebook.criteria)?);
    let reader = reading(reader, &plan.checks, &checks);
    let mut reader = match plan.part {
        Some(part) => reader.only(part)?,
        None => reader,
    };
    reader.journal.clone_from(&plan.journal);
    let files = reader.share().map(|share| share.files.clone());
    let folder = RunFolder::create(out)?;
    let counted = engine::judge_all(plan, rulebook, &checks, &folder, reader, observer)?.finish();
    drive::keep_to(plan.threads);
    let part = match plan.part.zip(files) {
        None => None,
        Some((Part { number, of }, files)) => {
            let counted = write_counted(&folder, &counted.stored())?;
            Some(PartOf { number, of, files, counted })
        }
    };
    let manifest = |counts| {
        let mut manifest = manifest(plan, rulebook, counts);
        manifest.comparable.checks = checks.digest();
        manifest.comparable.check_files = checks.sources.iter().map(check_file).collect();
        manifest.comparable.part = part;
        manifest.wall = wall(plan, started.elapsed().as_secs_f64());
        manifest
    };
    write_tables(folder, rulebook, counted, manifest, finish)
}

fn check_file(CheckSource { kind, name, digest, .. }: &CheckSource) -> CheckFile {
    CheckFile { kind: (*kind).to_owned(), name: name.clone(), digest: digest.clone() }
}

/// Writes the tables of counts and moves the run to its place.
fn write_tables(
    folder: RunFolder,
    rulebook: &Rulebook,
    counted: Whole,
    manifest: impl FnOnce(ReadCounts) -> Manifest,
    finish: impl FnOnce(&Finished, &Path),
) -> Result<Finished, RunError> {
    let Counted { totals, cube, sessions, outcomes, lists } = counted;
    let lists = lists.rows();
    write_lists(&folder, &lists)?;
    let legend = Legend::of(rulebook);
    let status = |classes, answered| rulebook.tool_status(classes, answered);
    let rules = ToolRules { legend: &legend, status: &status };
    folder.write_rulebook(&rulebook.resolved)?;
    let (written, of_sessions) =
        rayon::join(|| write_counts(&folder, cube, &rules), || write_sessions(&folder, sessions));
    let (mut summary, counts) = written?;
    outcomes.tell(&mut summary);
    (summary.sessions, summary.validation) = of_sessions?;
    summarize(&mut summary, &totals);
    folder.write_summary(&summary)?;
    let mut manifest = manifest(summary.counts);
    manifest.comparable.corpus_digest = totals.corpus_digest.to_string();
    let seconds = manifest.wall.seconds;
    let is_part = manifest.comparable.part.is_some();
    if totals.exchanges == 0 && !is_part && folder.has_earlier_exchanges() {
        let folder = Left::EarlierRun;
        return Ok(Finished { totals, summary, seconds, folder, counts, lists });
    }
    folder.write_manifest(&manifest)?;
    let finished = Finished { totals, summary, seconds, folder: Left::Run, counts, lists };
    finish(&finished, folder.building());
    folder.commit()?;
    Ok(finished)
}

fn summarize(summary: &mut Summary, totals: &Totals) {
    let named = |counts: &BTreeMap<UnreadableReason, u64>| {
        counts.iter().map(|(reason, count)| (reason.name().to_owned(), *count)).collect()
    };
    let owned = |counts: &BTreeMap<Cow<'static, str>, u64>| {
        counts.iter().map(|(name, count)| (name.to_string(), *count)).collect()
    };
    let unknown_files = totals.other_files.get(FileKind::Unknown.name());
    summary.counts = ReadCounts {
        recordings: totals.recordings,
        unknown_files: unknown_files.map_or(0, |reasons| reasons.values().sum()),
        lines: totals.lines,
        exchanges: totals.exchanges,
        other_traffic: totals.other_traffic(),
        unreadable: totals.unreadable(),
        issues: summary.issues.iter().map(|(_, count)| count).sum(),
        ..summary.counts
    };
    summary.traffic = owned(&totals.traffic);
    summary.formats = owned(&totals.formats);
    summary.programs = totals.programs.iter().map(|(name, of)| (name.to_string(), *of)).collect();
    summary.unreadable = named(&totals.unreadable_lines);
    summary.unreadable_files = named(&totals.unreadable_files);
    summary.stripped_lines = totals.stripped;
    summary.broken_files.clone_from(&totals.broken_files);
    summary.skipped.clone_from(&totals.other_files);
    summary.other_files.clone_from(&totals.notes);
}

fn manifest(plan: &RunPlan, rulebook: &Rulebook, counts: ReadCounts) -> Manifest {
    let bounds = plan.bounds;
    let flags = [
        ("max-line", bounds.max_line as u64),
        ("max-depth", bounds.max_depth as u64),
        ("max-ratio", bounds.max_ratio),
        ("max-waiting", bounds.max_waiting as u64),
        ("follow-links", u64::from(bounds.follow_links)),
    ];
    Manifest {
        format: FORMAT.to_owned(),
        comparable: Comparable {
            corpus_digest: String::new(),
            rulebook: RulebookName { name: rulebook.name.clone(), digest: rulebook.digest.clone() },
            checks: None,
            check_files: Vec::new(),
            redaction: Some(Redaction {
                rules: plan.redactor.names().to_vec(),
                digest: plan.redactor.digest(),
            }),
            part: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bounds: flags.map(|(name, value)| (name.to_owned(), value)).into(),
            read_as: bounds.read_as.map(str::to_owned),
            counts,
        },
        wall: Wall::default(),
    }
}

fn wall(plan: &RunPlan, seconds: f64) -> Wall {
    #[expect(clippy::cast_possible_truncation, reason = "a run ends within a lifetime")]
    let started = Moment(Moment::now().0 - (seconds * 1000.0) as i64);
    let paths = plan.inputs.iter().map(|input| match input {
        Input::Path(path) => path.to_string_lossy().into_owned(),
        Input::Stdin => "-".to_owned(),
    });
    Wall {
        started_at: started.rfc3339(),
        seconds,
        threads: plan.threads,
        inputs: paths.collect(),
        checks: plan.checks.by_flag(),
        no_text: !plan.keeps_texts,
    }
}

/// What a run was made of, as its manifest says; `None` where there is no such run.
pub fn inputs_of_run(folder: &Path) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(folder.join("manifest.json")).ok()?;
    let manifest: Manifest = serde_json::from_str(&text).ok()?;
    let paths = manifest.wall.recordings();
    (!paths.is_empty()).then_some(paths)
}

/// A reader that passes by the files of checks, and knows which paths carry envelopes and what contracts
/// ask of earlier calls.
pub fn reading(mut reader: CorpusReader, files: &CheckFiles, checks: &Arc<Checks>) -> CorpusReader {
    reader.passed_by = files.paths().collect();
    reader.envelope_paths = Some(checks.envelope_paths.clone());
    reader.recall = checks.ask_for_originals().then(|| Arc::clone(checks) as _);
    reader
}

impl Recall for Checks {
    fn recall(&self, objects: &mut Objects, exchange: &mut Exchange<'_>) {
        if exchange.original.is_none()
            && let Some(id) = self.original_id(exchange)
        {
            exchange.original = objects.get(exchange, &id).cloned();
        }
        self.shown_objects(exchange, |id, object| objects.keep(exchange, id, object));
    }
}
