//! What the other modules stand on: where things lie, a run into a temporary folder, its verdicts.

pub(crate) use crate::frame::read_table;
use crate::frame::{Cell, Frame};
use crate::harness::skipped;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tapecheck::internals::corpus::Input;
use tapecheck::internals::rulebook::Rulebook;
use tapecheck::internals::run::{Finished, Lines, RunPlan, run};

/// The package's own folder.
pub(crate) fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The bundled corpus.
pub(crate) fn corpus() -> PathBuf {
    home().join("corpus")
}

/// The flags that say what the recordings of a collection are held against.
pub(crate) fn contract_of(collection: &Path) -> &'static [&'static str] {
    if collection.ends_with("contracts") { &["--contract", "todo=todo"] } else { &[] }
}

/// The data kept beside the package, of which a clone may do without. Says so where it is absent.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TAPECHECK_SHARED")
        .map_or_else(|| home().join("../shared"), PathBuf::from);
    let part = folder.join(part);
    if part.exists() {
        return Some(part);
    }
    skipped("../shared is absent");
    None
}

impl Frame {
    /// The cells of a column as texts; an empty one is none.
    #[track_caller]
    pub(crate) fn texts(&self, name: &str) -> Vec<Option<String>> {
        let text = |cell: &Cell| (*cell != Cell::Empty).then(|| cell.to_string());
        self.column(name).cells.iter().map(text).collect()
    }
}

/// The lines of a text file, those of a gzip file decompressed.
pub(crate) fn lines(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = Vec::new();
        let mut reader = flate2::read::MultiGzDecoder::new(bytes.as_slice());
        std::io::copy(&mut reader, &mut text).expect("whole gzip data");
        text
    } else {
        bytes
    };
    String::from_utf8(text).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// A finished run in a temporary folder, with its verdicts as JSON.
pub(crate) struct Judged {
    /// What was read and found.
    pub(crate) finished: Finished,
    /// The lines that the run wrote.
    pub(crate) verdicts: Vec<Map<String, Value>>,
    folder: PathBuf,
    /// Where the folder goes with the run.
    _temporary: Option<tempfile::TempDir>,
}

impl Judged {
    /// Judges `input` under a built-in rulebook.
    pub(crate) fn new(input: &Path, rulebook: &str) -> Self {
        Self::under(input, &Rulebook::builtin(rulebook).expect("a built-in rulebook"))
    }

    /// Judges `input` under any rulebook.
    pub(crate) fn under(input: &Path, rulebook: &Rulebook) -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let judged = Self::write(input, rulebook, temporary.path().join("run"));
        Self { _temporary: Some(temporary), ..judged }
    }

    /// The bundled corpus under a built-in rulebook: judged once for all tests that ask for it.
    pub(crate) fn corpus(rulebook: &str) -> &'static Self {
        static JUDGED: Mutex<BTreeMap<String, (&Judged, File)>> = Mutex::new(BTreeMap::new());
        let mut judged = JUDGED.lock().unwrap_or_else(PoisonError::into_inner);
        let (judged, _lock) = judged.entry(rulebook.to_owned()).or_insert_with(|| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corpus.{rulebook}"));
            // Another process of tests waits until this one has ended.
            let lock = File::create(folder.with_added_extension("lock")).expect("a file");
            lock.lock().expect("locked");
            let builtin = Rulebook::builtin(rulebook).expect("a built-in rulebook");
            (Box::leak(Box::new(Self::write(&corpus(), &builtin, folder))), lock)
        });
        judged
    }

    fn write(input: &Path, rulebook: &Rulebook, folder: PathBuf) -> Self {
        let verdicts = folder.with_added_extension("jsonl");
        let plan = RunPlan {
            inputs: vec![Input::Path(input.to_owned())],
            threads: 2,
            lines: Some(Lines::to(File::create(&verdicts).expect("a file"))),
            keeps_texts: true,
            ..RunPlan::default()
        };
        let finished = run(&plan, rulebook, &folder, &())
            .unwrap_or_else(|error| panic!("{}: {error}", input.display()));
        let verdicts = lines(&verdicts)
            .iter()
            .map(|line| serde_json::from_str(line).expect("a verdict is a JSON object"))
            .collect();
        Self { finished, verdicts, folder, _temporary: None }
    }

    /// The run folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Fails unless every line is an exchange, other traffic or a reject.
    pub(crate) fn assert_adds_up(&self) {
        let totals = &self.finished.totals;
        let (other, rejected) = (totals.other_traffic(), totals.unreadable());
        assert_eq!(
            totals.lines,
            totals.exchanges + other + rejected,
            "{} calls, {other} lines of other traffic and {rejected} unreadable do not add up",
            totals.exchanges,
        );
        assert_eq!(totals.exchanges, self.verdicts.len() as u64, "one verdict per call");
    }
}

/// Gathers what differs, so that a test can name all of it at once.
#[derive(Default)]
pub(crate) struct Differences(Vec<String>);

impl Differences {
    /// Notes a difference where there is one.
    pub(crate) fn compare(&mut self, what: impl std::fmt::Display, got: &Value, wanted: &Value) {
        if !is_same(got, wanted) {
            self.0.push(format!("{what}: {got} instead of {wanted}"));
        }
    }

    /// Notes a difference.
    pub(crate) fn add(&mut self, what: impl Into<String>) {
        self.0.push(what.into());
    }

    /// Fails with the first of them, if there are any.
    pub(crate) fn assert_none(self, about: &str) {
        let shown = self.0.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n  ");
        assert!(self.0.is_empty(), "{about}: {} differences\n  {shown}", self.0.len());
    }
}

/// Equal, with numbers compared by value: 100 is 100.0.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}
