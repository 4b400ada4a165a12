//! From the tables of a configuration file to [`Config`].

use super::{Config, FILE};
use crate::check::contract::builtin_for;
use crate::program::{by_id, known_ids};
use crate::recording::EnvelopePaths;
use crate::rulebook::builtin_names;
use crate::rulebook::problem::{Mark, Problems};
use crate::rulebook::source::{Section, texts_of};
use crate::trend::history::At;
use std::fmt::Display;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// The largest whole number that a bound takes.
const MOST: f64 = 9_007_199_254_740_991.0;
/// The deepest nesting that the stacks of all threads have room for.
const MAX_DEPTH: f64 = 10_000.0;

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

pub(super) fn read(config: &mut Config, mut whole: Section<'_>, base: Base<'_>) {
    let section = &mut whole;
    if let Some(name) = section.text("rulebook") {
        let mark = section.mark_of("rulebook");
        config.rulebook = base.named(name, mark, builtin_names(), section.problems);
    }
    if let Some(names) = texts(section, "contracts") {
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
        if let Some(texts) = texts(section, key) {
            let path = |(text, mark)| base.path(text, mark, section.problems);
            *place = texts.into_iter().map(path).collect();
        }
    }
    let path = |section: &mut Section<'_>, key: &'static str, place: &mut PathBuf| {
        let text = section.text(key)?;
        *place = base.path(text, section.mark_of(key), section.problems);
        Some(())
    };
    path(section, "baseline", &mut config.baseline);
    for (key, place) in [
        ("envelope_request", &mut config.checks.envelope_request),
        ("envelope_response", &mut config.checks.envelope_response),
        ("policy", &mut config.policy),
        ("history", &mut config.history),
    ] {
        let mut named = PathBuf::new();
        if path(section, key, &mut named).is_some() {
            *place = Some(named);
        }
    }
    if let Some(paths) = envelope_paths(section) {
        config.checks.envelope_paths = Some(paths);
    }
    for (key, place) in [("collection", &mut config.collection), ("who", &mut config.who)] {
        if let Some(text) = section.text(key) {
            if text.trim().is_empty() {
                section.error_at(key, format!("`{key}` is empty"));
            }
            *place = Some(text.to_owned());
        }
    }
    if let Some(names) = texts(section, "redact") {
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
            let known = known_ids();
            section.error_at("read_as", format!("there is no format `{id}`: it is one of {known}"));
        }
    }
    within(section, "output", |output| {
        path(output, "run", &mut config.out);
        config.page = output.flag("page").unwrap_or(config.page);
        config.texts = output.flag("texts").unwrap_or(config.texts);
    });
    read_numbers(config, section);
    whole.finish();
}

/// What has no paths in it.
fn read_numbers(config: &mut Config, section: &mut Section<'_>) {
    number(section, "jobs", 1, 512.0, &mut config.jobs);
    number(section, "old_labels", 0, 36_500.0, &mut config.old_labels);
    number(section, "seed", 0, MOST, &mut config.seed);
    parsed(section, "today", &mut config.today);
    let bounds = &mut config.bounds;
    within(section, "bounds", |section| {
        number(section, "max_line", 1, MOST, &mut bounds.max_line);
        number(section, "max_depth", 1, MAX_DEPTH, &mut bounds.max_depth);
        number(section, "max_ratio", 1, MOST, &mut bounds.max_ratio);
        number(section, "max_document", 1, MOST, &mut bounds.max_document);
        number(section, "max_waiting", 1, MOST, &mut bounds.max_waiting);
        bounds.follow_links = section.flag("follow_links").unwrap_or(bounds.follow_links);
    });
    within(section, "trend", |section| {
        number(section, "window", 3, 3_650.0, &mut config.window);
        match section.text("day") {
            Some("recorded") => config.day = At::Recorded,
            Some("run") => config.day = At::Run,
            Some(_) => section.error_at(
                "day",
                "`day` is \"recorded\" (the day of each call) or \"run\" (the night of its run)",
            ),
            None => {}
        }
    });
    within(section, "stats", |section| {
        config.refit = section.flag("refit").unwrap_or(config.refit);
    });
    within(section, "tune", |section| {
        parsed(section, "objective", &mut config.objective);
        number(section, "folds", 2, MOST, &mut config.folds);
        for (key, place) in [
            ("largest_weight", &mut config.largest_weight),
            ("weight_step", &mut config.weight_step),
        ] {
            *place = section.number_within(key, 0.01..=100.0).unwrap_or(*place);
        }
    });
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

/// Takes over a whole number.
fn number<T: TryFrom<u64>>(
    section: &mut Section<'_>,
    key: &'static str,
    least: u64,
    most: f64,
    place: &mut T,
) {
    match section.whole(key, most) {
        Some(number) if number < least => {
            section.error_at(key, format!("`{key}` must be at least {least}"));
        }
        number => {
            if let Some(Ok(number)) = number.map(T::try_from) {
                *place = number;
            }
        }
    }
}

/// Takes over what a text says.
fn parsed<T: FromStr<Err: Display>>(section: &mut Section<'_>, key: &'static str, place: &mut T) {
    match section.text(key).map(str::parse) {
        Some(Ok(value)) => *place = value,
        Some(Err(error)) => section.error_at(key, format!("{error}")),
        None => {}
    }
}

/// Reads a table.
fn within(section: &mut Section<'_>, key: &'static str, read: impl FnOnce(&mut Section<'_>)) {
    let entry = section.entry(key);
    if let Some(mut table) = entry.and_then(|it| Section::open_entry(it, section.problems)) {
        read(&mut table);
        table.finish();
    }
}
