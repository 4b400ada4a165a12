//! `tapecheck.toml`: what a project would otherwise repeat on every command line. Flags override it.

mod keys;

use keys::Base;

use super::command_line::CommandLine;
use super::terminal::{print, say};
use super::{Exit, Failure};
use crate::check::CheckFiles;
use crate::corpus::Bounds;
use crate::measure::fit::Objective;
use crate::recording::{Day, Moment};
use crate::rulebook::DEFAULT_RULEBOOK;
use crate::rulebook::problem::{Problems, listing};
use crate::rulebook::source::{Node, Section, read_within};
use crate::trend::history::At;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) const FILE: &str = "tapecheck.toml";

/// A few lines; anything longer is a mistake.
const LONGEST: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) file: Option<PathBuf>,
    pub(super) recordings: Vec<PathBuf>,
    pub(super) rulebook: String,
    pub(super) checks: CheckFiles,
    pub(super) labels: Vec<PathBuf>,
    /// The folder of baselines.
    pub(super) baseline: PathBuf,
    pub(super) policy: Option<PathBuf>,
    pub(super) history: Option<PathBuf>,
    pub(super) collection: Option<String>,
    pub(super) redact: Vec<String>,
    pub(super) who: Option<String>,
    pub(super) jobs: usize,
    /// Where the latest run is.
    pub(super) out: PathBuf,
    /// Whether a run has its page, and keeps texts.
    pub(super) page: bool,
    pub(super) texts: bool,
    pub(super) bounds: Bounds,
    /// How many earlier nights each night is compared with, at most.
    pub(super) window: u16,
    /// Which day a call counts for in trends.
    pub(super) day: At,
    /// Whether weights and thresholds are fitted again when a server is held out.
    pub(super) refit: bool,
    /// Days after which a label is old.
    pub(super) old_labels: u32,
    /// The day that waivers and labels are looked at.
    pub(super) today: Day,
    pub(super) seed: u64,
    pub(super) objective: Objective,
    pub(super) folds: usize,
    pub(super) largest_weight: f64,
    pub(super) weight_step: f64,
    /// What `--config` gave, to be repeated in printed commands.
    given: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            file: None,
            recordings: Vec::new(),
            rulebook: DEFAULT_RULEBOOK.to_owned(),
            checks: CheckFiles::default(),
            labels: Vec::new(),
            baseline: "snapshots".into(),
            policy: None,
            history: None,
            collection: None,
            redact: Vec::new(),
            who: None,
            jobs: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            out: "reports/latest".into(),
            page: true,
            texts: true,
            bounds: Bounds::default(),
            window: 28,
            day: At::Recorded,
            refit: true,
            old_labels: 365,
            today: Moment::now().day(),
            seed: 1,
            objective: Objective::BalancedAccuracy,
            folds: 5,
            largest_weight: 4.0,
            weight_step: 1.0,
            given: Vec::new(),
        }
    }
}

/// Read once, like the command line that it stands behind.
static CONFIG: OnceLock<Config> = OnceLock::new();

pub(super) fn config() -> &'static Config {
    CONFIG.get_or_init(Config::default)
}

/// Reads the configuration of this process: the file that `--config` names, else the nearest
/// [`FILE`] from the working folder upward, then each `--config KEY=VALUE`. Says what holds that no flag
/// says, unless a run is quiet.
pub(super) fn load_config(given: &[String], is_quiet: bool) -> Result<(), Failure> {
    let (config, notes) = Config::load(given, Path::new(""))?;
    let _ = CONFIG.set(config);
    notes.iter().filter(|_| !is_quiet).for_each(|note| say(note));
    Ok(())
}

impl Config {
    fn load(given: &[String], from: &Path) -> Result<(Self, Vec<String>), Failure> {
        let (files, keys): (Vec<&String>, Vec<&String>) =
            given.iter().partition(|text| names_file(text));
        let mut config = Self { given: given.to_vec(), ..Self::default() };
        let mut notes = Vec::new();
        match (&files[..], nearest(from)) {
            ([], None) => {}
            ([], Some(found)) if !is_own(&found) => notes.push(format!(
                "note: {} belongs to another user and is ignored; --config {0} uses it",
                found.display()
            )),
            ([], Some(found)) => {
                if config.read_file(&found, true)? {
                    notes.push(format!("settings: {}", found.display()));
                }
                config.file = Some(found);
            }
            ([named], _) => {
                config.read_file(Path::new(named), false)?;
                config.file = Some(PathBuf::from(named));
            }
            _ => {
                return Err(Failure::usage("--config names two files")
                    .next("name one file; single keys are given as --config KEY=VALUE"));
            }
        }
        let base = Base { folder: Path::new(""), is_found: false };
        for text in keys {
            config.read(&as_toml(text), &format!("--config {text}"), base)?;
        }
        if config.redact.iter().any(|name| name == "none") {
            notes.push("note: secrets are not masked (`redact` has \"none\")".to_owned());
        }
        Ok((config, notes))
    }

    /// Takes over what a file says. Returns whether it says anything.
    fn read_file(&mut self, file: &Path, is_found: bool) -> Result<bool, Failure> {
        let label = file.display().to_string();
        let text = read_within(file, LONGEST).map_err(|error| {
            Failure::usage(format!("cannot read {label}: {error}"))
                .next("name a configuration file with --config, or KEY=VALUE")
        })?;
        let folder = file.parent().unwrap_or(Path::new(""));
        // What is not set is beside the file, from whatever folder below a command is run.
        self.out = folder.join(&self.out);
        self.baseline = folder.join(&self.baseline);
        self.read(&text, &label, Base { folder, is_found })?;
        Ok(text.parse::<toml::Table>().is_ok_and(|table| !table.is_empty()))
    }

    fn read(&mut self, text: &str, label: &str, base: Base<'_>) -> Result<(), Failure> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        if let Some(tree) = Node::parse(text, file, &problems)
            && let Some(section) = Section::open(&tree, &problems)
        {
            keys::read(self, section, base);
        }
        if !problems.has_errors() {
            return Ok(());
        }
        let listed = listing(label, &problems.into_errors());
        Err(Failure::usage(listed).next(
            "correct it; `tapecheck init DIR` writes a file with every key into another folder",
        ))
    }

    /// Whether it was read from a file that nobody named: that may lead nowhere else, also not by links.
    pub(super) fn is_found(&self) -> bool {
        self.file.is_some() && !self.given.iter().any(|text| names_file(text))
    }

    /// What `--config` gave, as it would be typed again.
    pub(super) fn spelled(&self) -> CommandLine {
        CommandLine::default().flag("--config", &self.given)
    }
}

/// Checks a configuration file that is not in use.
pub(super) fn check_config(file: &Path) -> Result<(), Failure> {
    Config::default().read_file(file, false).map(drop)
}

/// Whether `--config` was given a file, and not a key with its value.
fn names_file(given: &str) -> bool {
    !given.contains('=') || Path::new(given).is_file()
}

/// The nearest configuration file in a folder or above it.
fn nearest(from: &Path) -> Option<PathBuf> {
    if from.join(FILE).is_file() {
        return Some(from.join(FILE));
    }
    let whole = std::path::absolute(if from == Path::new("") { Path::new(".") } else { from });
    let whole = whole.ok()?;
    whole.ancestors().skip(1).map(|folder| folder.join(FILE)).find(|file| file.is_file())
}

/// Whether a file, and a link to it, belong to whoever runs this.
#[cfg(unix)]
fn is_own(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    [file.metadata(), file.symlink_metadata()]
        .iter()
        .all(|there| there.as_ref().is_ok_and(|there| there.uid() == user))
}

#[cfg(not(unix))]
fn is_own(_: &Path) -> bool {
    true
}

/// `KEY=VALUE` as TOML; a value that is no TOML is taken as text.
fn as_toml(given: &str) -> String {
    let (key, value) = given.split_once('=').unwrap_or((given, ""));
    let read = format!("a = {value}").parse::<toml::Table>();
    // No key holds a date of TOML.
    if read.is_ok_and(|read| !read["a"].is_datetime()) {
        return format!("{key} = {value}\n");
    }
    format!("{key} = {}\n", toml::Value::String(value.to_owned()))
}

/// Every key with its default or an example, as a comment.
const TEMPLATE: &str = include_str!("../tapecheck.toml");

#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// The folder to write tapecheck.toml into
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

impl InitArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let path =
            if self.folder.as_os_str() == "." { FILE.into() } else { self.folder.join(FILE) };
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(TEMPLATE.as_bytes()));
        let shown = path.display();
        written.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::usage(format!("{shown} is already there"))
                .next("edit it, or name another folder"),
            _ => Failure::unfinished(format!("cannot write {shown}: {error}"))
                .next("name a folder that exists and that you may write to"),
        })?;
        let text = format!(
            "wrote {shown}: every setting, commented out\nnext: set `recordings` in it, then run tapecheck in {}\n",
            self.folder.display()
        );
        print(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use std::fs;

    /// What a file above the working folder and the command line come to, in words.
    fn settings(file: &str, given: &[String]) -> String {
        let place = tempfile::tempdir().expect("a temporary folder");
        let below = place.path().join("a/b");
        fs::create_dir_all(&below).expect("folders");
        fs::write(place.path().join(FILE), file).expect("a file");
        let words = match Config::load(given, &below) {
            Ok((config, _)) => {
                let Config { rulebook, recordings, labels, seed, bounds, .. } = &config;
                let (max_line, given) = (bounds.max_line, config.spelled());
                format!(
                    "{rulebook} seed {seed} max_line {max_line} {recordings:?} {labels:?} {given}"
                )
            }
            Err(failure) => failure.to_string(),
        };
        words.replace(&*place.path().to_string_lossy(), "…")
    }

    #[test]
    fn settings_are_read_as_their_cases_say() {
        cases::check("tests/cases/settings.txt", |case| {
            let (given, file) = case.questions(&["--config"]);
            let given = given.iter().filter_map(|line| line.strip_prefix("--config "));
            settings(&file, &given.map(str::to_owned).collect::<Vec<_>>())
        });
    }

    #[test]
    fn the_template_names_every_key_with_a_value_that_is_taken() {
        let uncommented: String = TEMPLATE
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if rest.contains(" = ") => rest,
                _ => line,
            })
            .fold(String::new(), |text, line| text + line + "\n");
        let settings = settings(&uncommented, &[]);
        assert!(settings.starts_with(DEFAULT_RULEBOOK), "{settings}");
        for key in include_str!("keys.rs").split('"').filter(|word| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        }) {
            let is_section = TEMPLATE.contains(&format!("[{key}]"));
            let is_value = ["builtin", "none", "recorded"].contains(&key);
            assert!(
                is_section || is_value || TEMPLATE.contains(&format!("# {key} = ")),
                "the template lacks {key}"
            );
        }
    }
}
