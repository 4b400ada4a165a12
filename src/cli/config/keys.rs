//! From the tables of a configuration file to [`Config`].

use super::{Config, FILE};
use crate::check::contract::builtin_for;
use crate::measure::stats::Refit;
use crate::program::{by_id, known_ids};
use crate::recording::EnvelopePaths;
use crate::rulebook::builtin_names;
use crate::rulebook::problem::{Mark, Problems};
use crate::rulebook::source::{Section, texts_of};
use crate::trend::history::At;
use std::path::{Component, Path, PathBuf};

/// The largest whole number that a bound takes.
const MOST: f64 = 9_007_199_254_740_991.0;
/// The deepest nesting that the stacks of all threads have room for.
const MAX_DEPTH: f64 = 10_000.0;
const MAX_JOBS: f64 = 512.0;
const MOST_DAYS: f64 = 36_500.0;
const MOST_NIGHTS: f64 = 3_650.0;

/// The folder that paths are relative to, and whether they may lead out of it.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) folder: &'a Path,
    /// Nobody named the file: whoever can put it there must not reach what is elsewhere.
    pub(super) is_found: bool,
}

impl Base<'_> {
    fn path(self, text: &str, mark: Mark, problems: &Problems) -> PathBuf {
        let path = self.folder.join(text);
        if self.is_found && !self.has(&path) {
            refuse(mark, format!("`{text}` leads out of the folder of this file"), problems);
        }
        path
    }

    /// A name of something built in, or the path of a file.
    fn named(self, text: &str, mark: Mark, known: &[&str], problems: &Problems) -> String {
        if known.contains(&text) {
            return text.to_owned();
        }
        self.path(text, mark, problems).to_string_lossy().into_owned()
    }

    /// Whether a path, with its links followed, is below the folder.
    fn has(self, path: &Path) -> bool {
        let Ok(folder) = self.folder.join(".").canonicalize() else { return false };
        let climbs = path.components().any(|part| part == Component::ParentDir);
        let there = path.ancestors().find(|part| part.symlink_metadata().is_ok());
        let is_there = |there: &Path| there.canonicalize().is_ok_and(|it| it.starts_with(&folder));
        !climbs && there.is_none_or(is_there)
    }
}

fn refuse(mark: Mark, message: String, problems: &Problems) {
    let help = format!("if you trust this file, name it: `--config FOLDER/{FILE}`");
    problems.error_with_help(mark, message, Some(help));
}

pub(super) fn read(config: &mut Config, mut section: Section<'_>, base: Base<'_>) {
    if let Some(name) = section.text("rulebook") {
        let mark = section.mark_of("rulebook");
        config.rulebook = base.named(name, mark, builtin_names(), section.problems);
    }
    if let Some(names) = texts(&mut section, "contracts") {
        let named = |(name, mark): (&str, Mark)| {
            let builtin: &[&str] = if builtin_for(name).is_some() { &[name] } else { &[] };
            base.named(name, mark, builtin, section.problems)
        };
        config.checks.contracts = names.into_iter().map(named).collect();
    }
    for (key, place) in [
        ("recordings", &mut config.recordings),
        ("facts", &mut config.checks.facts),
        ("criteria", &mut config.checks.criteria),
        ("labels", &mut config.labels),
    ] {
        if let Some(texts) = texts(&mut section, key) {
            let path = |(text, mark)| base.path(text, mark, section.problems);
            *place = texts.into_iter().map(path).collect();
        }
    }
    for (key, place) in [
        ("envelope_request", &mut config.checks.envelope_request),
        ("envelope_response", &mut config.checks.envelope_response),
        ("policy", &mut config.policy),
        ("history", &mut config.history),
    ] {
        if let Some(text) = section.text(key) {
            *place = Some(base.path(text, section.mark_of(key), section.problems));
        }
    }
    if let Some(paths) = envelope_paths(&mut section) {
        config.checks.envelope_paths = Some(paths);
    }
    if let Some(named) = section.text("baseline") {
        config.baseline = base.path(named, section.mark_of("baseline"), section.problems);
    }
    for (key, place) in [("collection", &mut config.collection), ("who", &mut config.who)] {
        if let Some(text) = section.text(key) {
            if text.trim().is_empty() {
                section.error_at(key, format!("`{key}` is empty"));
            }
            *place = Some(text.to_owned());
        }
    }
    if let Some(names) = texts(&mut section, "redact") {
        let none = names.iter().find(|(name, _)| *name == "none");
        if let Some((_, mark)) = none.filter(|_| base.is_found) {
            refuse(*mark, "`none` would show secrets".to_owned(), section.problems);
        }
        let known = &["builtin", "none"];
        let named = |(name, mark)| base.named(name, mark, known, section.problems);
        config.redact = names.into_iter().map(named).collect();
    }
    if let Some(id) = section.text("read_as") {
        config.bounds.read_as = by_id(id).map(|program| program.id);
        if config.bounds.read_as.is_none() {
            section.error_at(
                "read_as",
                format!("there is no format `{id}`: it is one of {}", known_ids()),
            );
        }
    }
    if let Some(jobs) = at_least(&mut section, "jobs", 1, MAX_JOBS) {
        config.jobs = usize::try_from(jobs).unwrap_or(config.jobs);
    }
    if let Some(mut output) = table(&mut section, "output") {
        if let Some(run) = output.text("run") {
            config.out = base.path(run, output.mark_of("run"), section.problems);
        }
        config.page = output.flag("page").unwrap_or(config.page);
        config.texts = output.flag("texts").unwrap_or(config.texts);
        output.finish();
    }
    if let Some(bounds) = table(&mut section, "bounds") {
        read_bounds(config, bounds);
    }
    if let Some(trend) = table(&mut section, "trend") {
        read_trend(config, trend);
    }
    if let Some(stats) = table(&mut section, "stats") {
        read_stats(config, stats);
    }
    if let Some(days) = at_least(&mut section, "old_labels", 0, MOST_DAYS) {
        config.old_labels = u32::try_from(days).unwrap_or(u32::MAX);
    }
    match section.text("today").map(str::parse) {
        Some(Ok(day)) => config.today = day,
        Some(Err(wanted)) => section.error_at("today", wanted),
        None => {}
    }
    config.seed = section.whole("seed", MOST).unwrap_or(config.seed);
    if let Some(tune) = table(&mut section, "tune") {
        read_tune(config, tune);
    }
    section.finish();
}

fn read_bounds(config: &mut Config, mut section: Section<'_>) {
    let mut number = |key, most| at_least(&mut section, key, 1, most);
    let bounds = &mut config.bounds;
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    bounds.max_line = number("max_line", MOST).map_or(bounds.max_line, size);
    bounds.max_depth = number("max_depth", MAX_DEPTH).map_or(bounds.max_depth, size);
    bounds.max_ratio = number("max_ratio", MOST).unwrap_or(bounds.max_ratio);
    bounds.max_document = number("max_document", MOST).map_or(bounds.max_document, size);
    bounds.max_waiting = number("max_waiting", MOST).map_or(bounds.max_waiting, size);
    bounds.follow_links = section.flag("follow_links").unwrap_or(bounds.follow_links);
    section.finish();
}

fn read_trend(config: &mut Config, mut section: Section<'_>) {
    if let Some(nights) = at_least(&mut section, "window", 3, MOST_NIGHTS) {
        config.window = u16::try_from(nights).unwrap_or(config.window);
    }
    match section.text("day") {
        Some("recorded") => config.day = At::Recorded,
        Some("run") => config.day = At::Run,
        Some(_) => {
            let message =
                "`day` is \"recorded\" (the day of each call) or \"run\" (the night of its run)";
            section.error_at("day", message);
        }
        None => {}
    }
    section.finish();
}

fn read_stats(config: &mut Config, mut section: Section<'_>) {
    match section.flag("refit") {
        Some(true) => config.refit = Refit::Yes,
        Some(false) => config.refit = Refit::No,
        None => {}
    }
    section.finish();
}

fn read_tune(config: &mut Config, mut section: Section<'_>) {
    if let Some(text) = section.text("objective") {
        match text.parse() {
            Ok(objective) => config.objective = objective,
            Err(error) => section.error_at("objective", format!("{error}")),
        }
    }
    if let Some(folds) = at_least(&mut section, "folds", 2, MOST) {
        config.folds = usize::try_from(folds).unwrap_or(usize::MAX);
    }
    let mut weight = |key| section.number_within(key, 0.01..=100.0);
    let (largest, step) = (weight("largest_weight"), weight("weight_step"));
    config.largest_weight = largest.unwrap_or(config.largest_weight);
    config.weight_step = step.unwrap_or(config.weight_step);
    section.finish();
}

fn envelope_paths(section: &mut Section<'_>) -> Option<Vec<String>> {
    let paths = texts(section, "envelope_paths")?;
    if paths.is_empty() {
        let message = "`envelope_paths` names no path; leave it out for \"/mcp/v1\"";
        section.error_at("envelope_paths", message);
    }
    for (path, mark) in &paths {
        if let Some(complaint) = EnvelopePaths::complaint(path) {
            section.problems.error(*mark, complaint);
        }
    }
    Some(paths.into_iter().map(|(path, _)| path.to_owned()).collect())
}

/// The texts of a key; `None` where it is absent.
fn texts<'a>(section: &mut Section<'a>, key: &'static str) -> Option<Vec<(&'a str, Mark)>> {
    let entry = section.entry(key)?;
    Some(texts_of(&entry.node, section.problems))
}

fn at_least(section: &mut Section<'_>, key: &'static str, least: u64, most: f64) -> Option<u64> {
    let number = section.whole(key, most)?;
    if number < least {
        section.error_at(key, format!("`{key}` must be at least {least}"));
        return None;
    }
    Some(number)
}

fn table<'a>(section: &mut Section<'a>, key: &'static str) -> Option<Section<'a>> {
    let entry = section.entry(key)?;
    Section::open_entry(entry, section.problems)
}
