//! What a run is held against: another run or a baseline, of which the counts are always known, and what
//! changed exchange by exchange where somebody has compared the two.

use super::lists::Page;
use super::paths;
use super::read::{IssueTypes, PageError, issue_types, json};
use super::shown::Showing;
use crate::compare::show::sections;
use crate::compare::{Comparison, Example, Group, Proof, Side, compare, read_manifest, read_run};
use crate::labels::{LabelLine, Labelled};
use crate::recording::ExchangeKind;
use crate::store::{MANIFEST, Manifest, SUMMARY, Summary, is_run};
use crate::view::{Line, Section};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Runs with more exchanges than this are not compared exchange by exchange unless somebody asks.
pub const MOST_COMPARED: u64 = 50_000;

/// An earlier run, read before another takes its place.
#[derive(Debug)]
pub struct Earlier {
    article: &'static str,
    name: String,
    manifest: Manifest,
    summary: Summary,
    issue_types: IssueTypes,
    side: Option<Side>,
}

/// What a run is held against.
#[derive(Debug)]
pub struct Against {
    /// `run` or `baseline`.
    pub(super) kind: &'static str,
    /// What stands before its name in sentences.
    pub(super) article: &'static str,
    pub(super) name: String,
    /// Its calls by outcome.
    pub(super) outcomes: BTreeMap<String, u64>,
    /// The types of issue that it has, by severity and type.
    pub(super) known: BTreeSet<(String, String)>,
    pub(super) comparison: Compared,
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

impl Earlier {
    /// Reads the run in whose place another is going to stand; `None` where there is none that can be read, or one
    /// without exchanges.
    pub fn before(folder: &Path) -> Option<Self> {
        let mut earlier = is_run(folder).then(|| Self::read(folder, "", MOST_COMPARED).ok())??;
        let started = earlier.manifest.wall.started_at.replace('T', " ").replace('Z', " UTC");
        earlier.name = format!("the run before ({started})");
        earlier.article = "";
        (earlier.manifest.comparable.counts.exchanges > 0).then_some(earlier)
    }

    /// Reads a run that is compared exchange by exchange where it has no more than so many.
    pub fn read(folder: &Path, name: &str, most: u64) -> Result<Self, PageError> {
        let manifest = read_manifest(folder)?;
        let is_read = manifest.comparable.counts.exchanges <= most;
        Ok(Self {
            article: "the run ",
            name: name.to_owned(),
            summary: json(&folder.join(SUMMARY))?,
            issue_types: issue_types(folder)?,
            side: if is_read { Some(read_run(folder)?) } else { None },
            manifest,
        })
    }

    /// Compares it with the run in a folder, exchange by exchange where that has no more than so many.
    pub fn compared_with(
        self,
        folder: &Path,
        lines: &[LabelLine],
        most: u64,
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
            Some(side) if after.counts.exchanges <= most => {
                compared(&side, &read_run(folder)?, folder, lines)?
            }
            Some(_) | None => Compared::Counts,
        };
        Ok(Against {
            kind: "run",
            article: self.article,
            name: self.name,
            outcomes: self.summary.outcomes.into_iter().collect(),
            known: self.issue_types.into_keys().collect(),
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
        let all = issue_types(folder)?.into_keys();
        known.extend(all.filter(|kind| !of_exchanges.contains(kind)));
        let mut outcomes = BTreeMap::new();
        let calls = side.weighed().filter(|(verdict, _)| verdict.kind == ExchangeKind::ToolCall);
        for (verdict, exchanges) in calls {
            *outcomes.entry(verdict.outcome.name().to_owned()).or_default() += exchanges;
        }
        Ok(Self {
            kind: "baseline",
            article: "the baseline ",
            name: name.to_owned(),
            outcomes,
            known,
            comparison: compared(side, &run, folder, lines)?,
        })
    }

    /// What it is and what it is called, as sentences say it.
    pub(super) fn called(&self) -> Line {
        Line::from(self.article).then_recorded(&*self.name)
    }

    /// Masks secrets, and forgets which exchanges changed beside the examples.
    pub(super) fn mask(&mut self, showing: &Showing) {
        self.name = showing.name(&self.name).to_string();
        let Compared::Each(comparison) = &mut self.comparison else { return };
        // All of it, so that a new part cannot be forgotten here.
        let Comparison {
            before,
            after,
            overlap: _,
            outcomes: _,
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

/// So many groups are shown, and the exchanges of each that stand on a page.
pub(super) const GROUPS: usize = 10;
pub(super) const EXAMPLES: usize = 3;

/// The name of the section, by which links lead to it.
pub(super) const SECTION: &str = "changes";

/// The section; `None` where nothing changed, or nobody knows.
pub(super) fn changes(page: &Page) -> Option<Section> {
    let against = page.against.as_ref()?;
    let comparison = against.each().filter(|comparison| !comparison.groups.is_empty())?;
    let mut section = Section::new("What changed, and why");
    let mut about = Line::from("Compared with ").join(against.called()).then(".");
    if comparison.groups.iter().any(|group| group.explanation.proof == Proof::Proved) {
        about = about.then(" A cause is proved if undoing it restores the earlier verdict.");
    }
    section.text(about);
    let mut head = Section::default();
    let mut groups = Vec::new();
    for part in sections(comparison, GROUPS, "tapecheck diff BEFORE AFTER") {
        if groups.is_empty() && part.id.is_empty() {
            head.title = head.title.join(part.title);
            head.blocks.extend(part.blocks);
        } else {
            groups.push(part);
        }
    }
    std::iter::once(head).chain(groups).for_each(|part| section.section(part));
    Some(section)
}

/// Where a group stands.
pub(super) fn place(group: &Group) -> String {
    format!("group-{}", group.id)
}
