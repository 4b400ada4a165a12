//! What a run is held against: another run or a baseline, of which the counts are always known, and what
//! changed exchange by exchange where somebody has compared the two.

use super::paths;
use super::read::{IssueTypes, PageError, json};
use super::shown::Showing;
use crate::compare::{Comparison, Example, Group, Proof, Side, compare, read_manifest, read_run};
use crate::labels::{LabelLine, Labelled};
use crate::store::{MANIFEST, Manifest, SUMMARY, Summary, is_run};
use crate::view::Line;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Runs with more exchanges than this are not compared exchange by exchange unless somebody asks.
const MOST_COMPARED: u64 = 50_000;

/// An earlier run, read before another takes its place.
#[derive(Debug)]
pub struct Earlier {
    what: What,
    name: String,
    manifest: Manifest,
    summary: Summary,
    issue_types: IssueTypes,
    side: Option<Side>,
}

/// What a run is held against.
#[derive(Debug)]
pub struct Against {
    pub(super) what: What,
    pub(super) name: String,
    pub(super) classes: BTreeMap<String, u64>,
    /// The types of issue that it has, by severity and type.
    pub(super) known: BTreeSet<(String, String)>,
    pub(super) comparison: Compared,
}

/// What it is that a run is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The run in whose place it stands; its name says so.
    RunBefore,
    /// A run that somebody named.
    Run,
    /// Verdicts that were accepted.
    Baseline,
}

impl What {
    /// The name used in formats.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::RunBefore | Self::Run => "run",
            Self::Baseline => "baseline",
        }
    }

    /// What stands before a name in sentences.
    pub(super) fn article(self) -> &'static str {
        match self {
            Self::RunBefore => "",
            Self::Run => "the run ",
            Self::Baseline => "the baseline ",
        }
    }
}

/// What is known of single exchanges.
#[derive(Debug)]
pub(super) enum Compared {
    /// Both runs are of the same exchanges, rulebook, checks and program: nothing can have changed.
    Equal,
    Each(Box<Comparison>),
    /// They are too many.
    Counts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// Exchange by exchange, unless they are very many.
    WhereCheap,
    Always,
}

impl Closeness {
    fn reads(self, run: &Manifest) -> bool {
        self == Self::Always || run.comparable.counts.exchanges <= MOST_COMPARED
    }
}

impl Earlier {
    /// Reads the run in a folder; `None` where there is none that can be read, or one without exchanges.
    pub fn read(folder: &Path, closeness: Closeness) -> Option<Self> {
        if !is_run(folder) {
            return None;
        }
        let mut earlier = Self::try_read(folder, "", closeness).ok()?;
        let started = earlier.manifest.wall.started_at.replace('T', " ").replace('Z', " UTC");
        earlier.name = format!("the run before ({started})");
        earlier.what = What::RunBefore;
        (earlier.manifest.comparable.counts.exchanges > 0).then_some(earlier)
    }

    pub fn try_read(folder: &Path, name: &str, closeness: Closeness) -> Result<Self, PageError> {
        let manifest = read_manifest(folder)?;
        let is_read = closeness.reads(&manifest);
        Ok(Self {
            what: What::Run,
            name: name.to_owned(),
            summary: json(&folder.join(SUMMARY))?,
            issue_types: IssueTypes::of(folder)?,
            side: if is_read { Some(read_run(folder)?) } else { None },
            manifest,
        })
    }

    pub fn compared_with(
        self,
        folder: &Path,
        lines: &[LabelLine],
        closeness: Closeness,
    ) -> Result<Against, PageError> {
        let manifest: Manifest = json(&folder.join(MANIFEST))?;
        let (before, after) = (&self.manifest.comparable, &manifest.comparable);
        let is_equal = before.corpus_digest == after.corpus_digest
            && before.rulebook.digest == after.rulebook.digest
            && before.checks == after.checks
            && before.version == after.version
            && before.bounds == after.bounds;
        let comparison = match self.side {
            _ if is_equal => Compared::Equal,
            Some(side) if closeness.reads(&manifest) => {
                compared(&side, &read_run(folder)?, folder, lines)?
            }
            Some(_) | None => Compared::Counts,
        };
        Ok(Against {
            what: self.what,
            name: self.name,
            classes: self.summary.classes.into_iter().collect(),
            known: self.issue_types.0.into_keys().collect(),
            comparison,
        })
    }
}

impl Against {
    /// Holds the run in a folder against a baseline of this name, which lists every exchange.
    pub fn baseline(
        name: &str,
        side: &Side,
        folder: &Path,
        lines: &[LabelLine],
    ) -> Result<Self, PageError> {
        let run = read_run(folder)?;
        let mut known = types_of(side);
        // A baseline says nothing of sessions as a whole: their types of issue are not new for that.
        let of_exchanges = types_of(&run);
        let all = IssueTypes::of(folder)?.0.into_keys();
        known.extend(all.filter(|kind| !of_exchanges.contains(kind)));
        let mut classes = BTreeMap::new();
        for (verdict, exchanges) in side.weighed() {
            *classes.entry(verdict.class.name().to_owned()).or_default() += exchanges;
        }
        let comparison = compared(side, &run, folder, lines)?;
        Ok(Self { what: What::Baseline, name: name.to_owned(), classes, known, comparison })
    }

    /// What it is and what it is called, as sentences say it.
    pub(super) fn called(&self) -> Line {
        Line::from(self.what.article()).then_recorded(&*self.name)
    }

    /// Masks secrets, and forgets which exchanges changed beside the examples.
    pub(super) fn mask(&mut self, showing: &Showing) {
        self.name = String::from(showing.name(&self.name).as_ref());
        let Compared::Each(comparison) = &mut self.comparison else { return };
        // All of it, so that a new part cannot be forgotten here.
        let Comparison {
            before,
            after,
            overlap: _,
            kinds: _,
            by_labels: _,
            classes: _,
            answers: _,
            rates,
            durations,
            groups,
            flips,
        } = &mut **comparison;
        let mask = |text: &mut String| *text = showing.masked(text);
        for header in [before, after] {
            header.name = paths::shown(&showing.masked(&header.name));
            let files = header.unreadable_files.iter_mut();
            files.flat_map(|files| &mut files.read_error_names).for_each(mask);
        }
        rates.iter_mut().map(|rate| &mut rate.name).for_each(mask);
        for of in durations.iter_mut().map(|change| &mut change.of) {
            mask(&mut of.server);
            of.tool.iter_mut().for_each(mask);
        }
        for Group { explanation, examples, .. } in groups {
            for cause in &mut explanation.causes {
                [&mut cause.name, &mut cause.change].into_iter().for_each(mask);
            }
            if let Proof::Observed(reason) = &mut explanation.proof {
                mask(reason);
            }
            for example in examples {
                let Example { server, tool, file, lines, excerpts, .. } = example;
                [server, tool, file].into_iter().chain(lines).for_each(mask);
                let excerpts = excerpts.iter_mut().flatten();
                excerpts.for_each(|excerpt| *excerpt = showing.excerpt(excerpt));
            }
        }
        *flips = Vec::new();
    }

    pub(super) fn of_class(&self, name: &str) -> u64 {
        self.classes.get(name).copied().unwrap_or(0)
    }

    /// What changed exchange by exchange, where that is known.
    pub(super) fn each(&self) -> Option<&Comparison> {
        match &self.comparison {
            Compared::Each(comparison) => Some(comparison),
            Compared::Equal | Compared::Counts => None,
        }
    }
}

/// Compares a side with the run in a folder, whose labels are in its recordings and in these lines.
fn compared(
    before: &Side,
    after: &Side,
    folder: &Path,
    lines: &[LabelLine],
) -> Result<Compared, PageError> {
    let mut comparison = compare(before, after);
    if comparison.judged_otherwise() > 0 {
        Labelled::of_run(folder, after, lines)?.judge(&mut comparison, [before, after]);
    }
    Ok(Compared::Each(Box::new(comparison)))
}

fn types_of(side: &Side) -> BTreeSet<(String, String)> {
    let issues = side.weighed().flat_map(|(verdict, _)| &verdict.issues);
    let named = issues.filter_map(|issue| issue.split_once(' '));
    named.map(|(severity, kind)| (severity.to_owned(), kind.to_owned())).collect()
}
