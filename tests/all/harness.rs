//! Runs the built program on files made for one test.

use crate::support::read_table;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tapecheck::internals::store::Table;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The command, given that it ended with this exit code and without a word about a defect.
    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "wrong exit code; it printed:\n{}{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "it panicked:\n{}", self.err);
        self
    }

    /// Standard output, as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}; it printed:\n{}{}", self.out, self.err))
    }

    /// The command, given that it prints this.
    #[track_caller]
    pub(crate) fn printing(self, text: &str) -> Self {
        assert!(self.out.contains(text), "expected `{text}` in:\n{}{}", self.out, self.err);
        self
    }

    /// The command, given that it says this on standard error.
    #[track_caller]
    pub(crate) fn complaining(self, about: &str) -> Self {
        assert!(self.err.contains(about), "expected `{about}` in:\n{}", self.err);
        self
    }
}

/// The built program, not yet started.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tapecheck"))
}

/// Runs the built program with these arguments.
pub(crate) fn tapecheck<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Ran {
    finish(program().args(arguments))
}

/// Runs a prepared command, which the system ends when it has worked for so many seconds. Waiting for a
/// processor that others use does not count.
#[cfg(unix)]
pub(crate) fn finish_working(command: &Command, seconds: u32) -> Ran {
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -t {seconds} && exec \"$0\" \"$@\"")]);
    finish(limited.arg(command.get_program()).args(command.get_args()))
}

/// Runs a prepared command to its end.
pub(crate) fn finish(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    ran(&output)
}

/// Runs the built program with these bytes on its standard input.
pub(crate) fn tapecheck_reading(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = program()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe was asked for");
    // The program may stop reading early; what it then says is what counts.
    let _ = pipe.write_all(input);
    drop(pipe);
    ran(&child.wait_with_output().expect("the program ends"))
}

/// How a command ended that was waited for.
pub(crate) fn ran(output: &std::process::Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Says that a test cannot be made on this machine: on standard error, which libtest hides, and in
/// the file that `TAPECHECK_SKIPPED` names, which `.ci/run` shows at its end.
#[expect(clippy::print_stderr, reason = "a skipped test should not look like a passed one")]
pub(crate) fn skipped(why: &str) {
    let thread = std::thread::current();
    let line = format!("{}: {why}\n", thread.name().unwrap_or("a test"));
    eprint!("skipped: {line}");
    if let Some(file) = std::env::var_os("TAPECHECK_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("it is noted");
    }
}

/// A text without the digests of rulebooks and contracts, which change with every word of them.
pub(crate) fn without_digests(text: &str) -> String {
    let digest = regex::Regex::new(r"\b[0-9a-f]{12}\b").expect("a regex");
    digest.replace_all(text, "DIGEST").into_owned()
}

/// An exchange line that is plainly fine.
pub(crate) fn good(id: &str) -> String {
    format!(
        r#"{{"id":"{id}","tool":"get","input":{{"of":"{id}"}},"response":{{"content":[{{"type":"text","text":"fine {id}"}}]}}}}"#
    )
}

/// Lines with their ends.
pub(crate) fn lines<S: AsRef<str>>(lines: &[S]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{}", line.as_ref());
        text
    })
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(bytes).expect("in memory");
    writer.finish().expect("in memory")
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut writer = zstd::Encoder::new(Vec::new(), 1).expect("in memory");
    writer.include_checksum(true).expect("supported");
    writer.write_all(bytes).expect("in memory");
    writer.finish().expect("in memory")
}

/// A row of `unreadable.csv`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnreadableLine {
    pub(crate) file: String,
    /// Empty where the whole file is meant.
    pub(crate) line: String,
    pub(crate) byte: String,
    pub(crate) reason: String,
    pub(crate) detail: String,
    pub(crate) head: String,
}

/// A folder of recordings and the place for its run.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("recordings")).expect("a folder");
        Self { folder }
    }

    /// A place whose recordings are the good one, three exchanges long.
    pub(crate) fn with_good_recording() -> Self {
        let place = Self::new();
        place.recording("good.jsonl", lines(&[good("good-1"), good("good-2"), good("good-3")]));
        place
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn recordings(&self) -> PathBuf {
        self.root().join("recordings")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.root().join("run")
    }

    /// Writes a recording; its name may have folders in it.
    pub(crate) fn recording(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.recordings().join(name);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// A file of the place.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.path(name));
        text.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs any command here, as it would be typed by somebody called ann.
    pub(crate) fn run_as_ann(&self, arguments: &[&str]) -> Ran {
        let mut command = program();
        command.args(arguments).current_dir(self.root());
        command.env("TAPECHECK_WHO", "ann").env_remove("USER");
        finish(&mut command)
    }

    /// Runs commands here, one after the other, each of which ends with this code: what a person sees of them.
    #[track_caller]
    pub(crate) fn transcript<C: AsRef<str>>(&self, code: i32, commands: &[C]) -> String {
        let step = |command: &C| {
            let command = command.as_ref();
            let ran = finish(program().current_dir(self.root()).args(command.split_whitespace()));
            let ran = ran.ended_with(code);
            format!("$ tapecheck {command}\n{}{}", ran.out, ran.err)
        };
        commands.iter().map(step).collect::<Vec<_>>().join("\n")
    }

    /// The command that judges the recordings, ready for more arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = program();
        command.arg("run").arg(self.recordings()).arg("--out").arg(self.out());
        command
    }

    /// Judges the recordings. The lines of verdicts are kept beside the tables of the run.
    pub(crate) fn run(&self, more: &[&str]) -> Ran {
        self.keep_verdicts(finish(self.command().args(["--stdout", "jsonl"]).args(more)))
    }

    /// Keeps what `run --stdout jsonl` wrote to standard output, for [`Place::verdicts`].
    pub(crate) fn keep_verdicts(&self, ran: Ran) -> Ran {
        if matches!(ran.code, Some(0 | 1)) {
            std::fs::write(self.out().join("verdicts.jsonl"), &ran.out).expect("a file");
        }
        ran
    }

    /// A file of the run.
    pub(crate) fn file(&self, name: &str) -> Vec<u8> {
        let path = self.out().join(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.file(name)).expect("UTF-8")
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The verdicts of the run, in its order.
    pub(crate) fn verdicts(&self) -> Vec<Value> {
        let text = self.text("verdicts.jsonl");
        text.lines().map(|line| serde_json::from_str(line).expect("a verdict is JSON")).collect()
    }

    /// One member of every verdict, as text.
    pub(crate) fn each(&self, member: &str) -> Vec<String> {
        let text = |verdict: &Value| match &verdict[member] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.verdicts().iter().map(text).collect()
    }

    /// The ids of the judged exchanges.
    pub(crate) fn ids(&self) -> Vec<String> {
        read_table(&self.out(), Table::Verdicts).texts("id").into_iter().flatten().collect()
    }

    /// The sorted keys of the judged exchanges.
    pub(crate) fn keys(&self) -> Vec<String> {
        let keys = read_table(&self.out(), Table::Verdicts).texts("key");
        let mut keys: Vec<String> = keys.into_iter().flatten().collect();
        keys.sort();
        keys
    }

    pub(crate) fn unreadable(&self) -> Vec<UnreadableLine> {
        let bytes = self.file("unreadable.csv");
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let rows = reader.records().map(|row| {
            let row = row.expect("a row");
            let cell = |at: usize| row.get(at).expect("six columns").to_owned();
            UnreadableLine {
                file: cell(0),
                line: cell(1),
                byte: cell(2),
                reason: cell(3),
                detail: cell(4),
                head: cell(5),
            }
        });
        rows.collect()
    }

    /// What each file that is no recording was taken for.
    pub(crate) fn other_files(&self) -> BTreeMap<String, (String, String)> {
        let summary = self.json("summary.json");
        let files = summary["other_files"].as_array().expect("a list").iter();
        let text = |file: &Value, name: &str| file[name].as_str().expect("text").to_owned();
        files.map(|file| (text(file, "file"), (text(file, "kind"), text(file, "detail")))).collect()
    }

    /// Asserts that the good recording of this place was judged whole, and that all lines add up.
    #[track_caller]
    pub(crate) fn lost_nothing(&self) {
        let ids = self.ids();
        for id in ["good-1", "good-2", "good-3"] {
            assert!(ids.iter().any(|found| found == id), "{id} is lost; judged: {ids:?}");
        }
        self.adds_up();
    }

    /// Asserts that every line is accounted for, by the counts and by the tables themselves.
    #[track_caller]
    pub(crate) fn adds_up(&self) {
        let rows = self.text("recordings.csv");
        let calls: u64 = csv::Reader::from_reader(rows.as_bytes())
            .deserialize::<BTreeMap<String, String>>()
            .map(|row| row.expect("a row")["calls"].parse::<u64>().expect("a count"))
            .sum();
        assert_eq!(calls, self.keys().len() as u64, "the calls of {rows}");
        let summary = self.json("summary.json");
        let count = |name: &str| summary["counts"][name].as_u64().expect("a number");
        assert_eq!(
            count("lines"),
            count("exchanges") + count("other_traffic") + count("unreadable"),
            "the lines do not add up: {}",
            summary["counts"]
        );
        assert_eq!(count("exchanges"), self.keys().len() as u64, "verdicts are missing");
        let rows = self.unreadable().iter().filter(|reject| !reject.line.is_empty()).count();
        assert_eq!(count("unreadable"), rows as u64, "rows of unreadable are missing");
        let defects: Vec<_> =
            self.unreadable().into_iter().filter(|row| row.reason == "internal_error").collect();
        assert!(defects.is_empty(), "judging hit a defect: {defects:?}");
    }

    /// What stands beside the recordings and the run: nothing should be left behind there.
    pub(crate) fn leftovers(&self) -> Vec<String> {
        let names = names_in(self.root()).into_iter();
        names.filter(|name| name != "recordings" && name != "run").collect()
    }
}

/// What is in a folder, sorted.
pub(crate) fn paths_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The names of what is in a folder, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let name = |path: PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    paths_in(folder).into_iter().map(name).collect()
}
