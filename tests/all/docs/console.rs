//! Runs the `console` blocks of the documents and holds what they show against what is printed.
//!
//! The blocks of a document are run in order in one folder of their own, which has the bundled
//! `corpus` in it and every block whose opening fence names a file. A line `...` stands for any
//! lines; times and digests are not compared.

use super::markdown::{Document, Fence, documents};
use super::{may_write, root, while_writing};
use regex::Regex;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// How people run it from a clone or as a package; a test runs the program at hand instead. The scripts that make the
/// packages run these lines with the package's file in the place of its name.
const AS_PEOPLE_DO: [&str; 3] = ["cargo run --release -- ", "uvx tapecheck ", "npx tapecheck "];

/// A command with what is shown below it.
pub(super) struct Step {
    pub(super) command: String,
    shown: Vec<String>,
}

pub(super) fn steps(fence: &Fence) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    for line in fence.body.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => {
                found.push(Step { command: command.to_owned(), shown: Vec::new() });
            }
            (None, Some(step)) => step.shown.push(line.to_owned()),
            (None, None) => panic!("line {}: output without a command", fence.line),
        }
    }
    found
}

/// A folder to run a document's commands in.
pub(super) struct Scene {
    pub(super) folder: tempfile::TempDir,
    path: String,
    /// A home folder in which an agent left its recordings.
    home: tempfile::TempDir,
}

impl Scene {
    pub(super) fn set(document: &Document) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::os::unix::fs::symlink(root().join("corpus"), folder.path().join("corpus"))
            .expect("a link to the corpus");
        for fence in document.fences() {
            if let Some(file) = fence.file() {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).expect("a folder");
                fs::write(path, &fence.body).expect("a file of the document");
            }
        }
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_tapecheck"));
        let beside = binary.parent().expect("the binary is in a folder").to_string_lossy();
        let path = format!("{beside}:{}", std::env::var("PATH").unwrap_or_default());
        let home = tempfile::tempdir().expect("a temporary folder");
        let projects = home.path().join(".claude/projects/shop");
        fs::create_dir_all(&projects).expect("a folder");
        let recorded = root().join("corpus/formats/claude-code").read_dir().expect("recordings");
        for file in recorded.map(|entry| entry.expect("an entry").path()).filter(|it| it.is_file())
        {
            fs::copy(&file, projects.join(file.file_name().unwrap_or_default())).expect("copied");
        }
        Self { folder, path, home }
    }

    pub(super) fn run(&self, command: &str) -> Vec<String> {
        let command = AS_PEOPLE_DO
            .iter()
            .fold(command.to_owned(), |command, way| command.replace(way, "tapecheck "));
        let done = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .env("HOME", self.home.path())
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "`{command}` ended with {}:\n{text}", done.status);
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// What differs from run to run or from one version of the rulebooks to the next.
fn steady(lines: &[String]) -> Vec<String> {
    static TIME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r" in \d+(\.\d+)? s$").expect("a regex"));
    static DIGEST: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b[0-9a-f]{12}\b").expect("a regex"));
    lines
        .iter()
        .map(|line| {
            let line = TIME.replace(line.trim_end(), " in [time]");
            DIGEST.replace_all(&line, "[digest]").into_owned()
        })
        .collect()
}

/// What is printed, in lines as they are shown where nothing differs but what never is the same: a
/// document tells no seconds of a debug build.
fn as_shown(shown: &[String], printed: Vec<String>) -> Vec<String> {
    let known: HashMap<String, &String> = steady(shown).into_iter().zip(shown).collect();
    let lines = steady(&printed).into_iter().zip(printed);
    lines.map(|(steady, line)| known.get(&steady).map_or(line, |shown| (*shown).clone())).collect()
}

/// Whether the lines are what is shown, where `...` stands for any lines.
fn fits(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| line == first && fits(rest, others))
        }
    }
}

/// Where what is printed leaves what is shown.
fn first_difference(shown: &[String], printed: &[String]) -> String {
    let same = shown.iter().zip(printed).take_while(|(shown, printed)| shown == printed).count();
    let line = |lines: &[String]| lines.get(same).map_or("(nothing)", String::as_str).to_owned();
    format!("  shown:   {}\n  printed: {}", line(shown), line(printed))
}

/// Runs a document's commands. Returns what differs, and the document as it ought to be.
fn replay(document: &Document) -> (String, String) {
    let scene = Scene::set(document);
    let mut complaints = String::new();
    let mut text = document.text.clone();
    for fence in document.fences().iter().filter(|fence| fence.language() == "console") {
        let mut right = String::new();
        for step in steps(fence) {
            let printed = scene.run(&step.command);
            let fitting = fits(&steady(&step.shown), &steady(&printed));
            if !fitting {
                let _ = writeln!(
                    complaints,
                    "{}:{}: `{}`\n{}\n",
                    document.name,
                    fence.line,
                    step.command,
                    first_difference(&steady(&step.shown), &steady(&printed)),
                );
            }
            let lines = if fitting { step.shown } else { as_shown(&step.shown, printed) };
            let _ = writeln!(right, "$ {}", step.command);
            for line in lines {
                let _ = writeln!(right, "{line}");
            }
        }
        text = text.replacen(&fence.body, &right, 1);
    }
    (complaints, text)
}

#[test]
fn the_commands_in_the_documents_print_what_is_shown() {
    let mut complaints = String::new();
    let mut commands = 0;
    let _alone = while_writing();
    for document in documents().iter().filter(|document| document.is_ours_to_run()) {
        let fences = document.fences();
        let consoles = fences.iter().filter(|fence| fence.language() == "console");
        commands += consoles.map(|fence| steps(fence).len()).sum::<usize>();
        let (differences, right) = replay(document);
        if may_write() && right != document.text {
            fs::write(root().join(&document.name), right).expect("the document can be written");
        } else {
            complaints.push_str(&differences);
        }
    }
    assert!(commands > 10, "only {commands} commands were found in the documents");
    assert!(
        complaints.is_empty(),
        "what the documents show is not what is printed; run the tests with TAPECHECK_WRITE_DOCS=1 to paste it, then read the difference\n\n{complaints}"
    );
}

#[test]
fn dots_stand_for_any_lines() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&lines("a\n...\nc"), &lines("a\nb\nb\nc")));
    assert!(fits(&lines("a\n..."), &lines("a")));
    assert!(!fits(&lines("a\n...\nc"), &lines("a\nb")));
    assert!(!fits(&lines("a"), &lines("a\nb")));
    assert_eq!(steady(&lines("3 calls in 0.1 s")), steady(&lines("3 calls in 12 s")));
    let kept = as_shown(&lines("3 calls in 0.1 s\nold"), lines("3 calls in 12 s\nnew"));
    assert_eq!(kept, lines("3 calls in 0.1 s\nnew"));
}
