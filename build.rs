//! Tells the program which commit it is built from, so that `--version` can say so.

use std::fs;
use std::path::Path;
use std::process::Command;

/// So many digits of a commit tell it apart.
const DIGITS: usize = 10;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = of_clone().or_else(of_package);
    let built = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=TAPECHECK_BUILT_FROM={built}");
}

/// The commit of a clone and its day. What is unpacked inside another clone is not of that one's commit.
fn of_clone() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    let said = git(&["show", "--no-patch", "--no-show-signature", "--format=%H %cs", "HEAD"])?;
    let (commit, day) = said.split_once(' ')?;
    Some(format!("{} {day}", commit.get(..DIGITS)?))
}

/// The commit that `cargo package` wrote down.
fn of_package() -> Option<String> {
    let said = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = said.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    commit.get(..DIGITS).map(str::to_owned)
}

fn git(words: &[&str]) -> Option<String> {
    let done = Command::new("git").args(words).output().ok()?;
    let said = String::from_utf8(done.stdout).ok()?;
    done.status.success().then(|| said.trim().to_owned())
}
