//! The command-line reference as a document, written from the definitions that parse.

use super::{Command, Exit};
use clap::CommandFactory as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// How wide the help is set.
const WIDTH: usize = 100;

/// `docs/cli.md`.
fn cli_document() -> String {
    let mut text = String::from(INTRODUCTION);
    for (exit, about) in Exit::TABLE {
        let _ = writeln!(text, "| {} | {about} |", exit.code());
    }
    text.push_str(STREAMS);
    let mut root = Command::command();
    root.build();
    describe(&root, "tapecheck", &mut text);
    text
}

fn describe(command: &clap::Command, name: &str, text: &mut String) {
    let help = command.clone().term_width(WIDTH).render_long_help().to_string();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    let _ = write!(text, "\n## {name}\n\n```text\n{}\n```\n", lines.join("\n"));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        describe(verb, &format!("{name} {}", verb.get_name()), text);
    }
}

const INTRODUCTION: &str = "# Command line

What `tapecheck help` and `tapecheck help COMMAND` print. This file is written from the definitions in
the code, and a test holds it against them.

## Exit codes

| code | meaning |
|---|---|
";

const STREAMS: &str = "
`tapecheck check` ends with 2 when a file cannot be loaded, and with 1 when it has a finding at or above
`--fail-on`; `tapecheck gate` with 1 when a rule of the policy fails, with 2 when the policy is wrong, and with 3
when the sides cannot be compared, a file cannot be read or written, or no rule could be evaluated. An unreadable
line alone never changes the exit code unless `--fail-on` asks.

## Settings

Each command reads the nearest `tapecheck.toml` from the working folder upward; `tapecheck init` writes one with
every key as a comment. Flags override it, and `--config KEY=VALUE` sets any key for one command. An unknown key is an
error with its line and a suggestion.

A file that was found this way is named on standard error (not with `--quiet`). It is ignored if another user owns it, as git does; its
paths must stay within its folder, also through links, and it cannot turn masking off. `--config FILE` trusts a file.

## Streams

Results go to standard output; the progress bar, warnings and errors go to standard error. The bar is
shown only where standard error is a terminal. A reader that stops early (`tapecheck run … | head`) ends
the output without an error. Recorded text is shown with its control and direction-changing characters
spelled out. `NO_COLOR` takes the colours from the help.
";

#[test]
fn the_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cli.md");
    if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
        fs::write(path, cli_document()).expect("writable");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == cli_document(),
        "docs/cli.md is out of date; run the tests with TAPECHECK_WRITE_DOCS=1 to write it"
    );
}

/// All commands, those below `label` included.
fn commands() -> Vec<clap::Command> {
    let mut root = Command::command();
    root.build();
    let verbs: Vec<_> = root.get_subcommands().collect();
    let below = verbs.iter().flat_map(|verb| verb.get_subcommands());
    let all = verbs.iter().copied().chain(below);
    all.filter(|command| command.get_name() != "help").cloned().collect()
}

#[test]
fn the_help_of_each_command_fits_one_screen() {
    for command in commands() {
        let name = command.get_name().to_owned();
        let help = command.term_width(100).render_help().to_string();
        let lines = help.lines().count();
        assert!(lines <= 40, "tapecheck {name} -h has {lines} lines:\n{help}");
    }
}

#[test]
fn there_are_few_commands_and_a_flag_means_one_thing() {
    let mut root = Command::command();
    root.build();
    let verbs: Vec<_> = root.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
    assert_eq!(verbs.len(), 17);
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for command in commands() {
        for flag in command.get_arguments().filter(|flag| flag.get_long().is_some()) {
            let takes = flag.get_action().takes_values().to_string();
            let name = flag.get_long().unwrap_or_default().to_owned();
            values.entry(name).or_default().insert(takes);
        }
    }
    let twofold: Vec<_> = values.iter().filter(|(_, takes)| takes.len() > 1).collect();
    assert!(twofold.is_empty(), "with a value here and without one there: {twofold:?}");
    let names: Vec<&String> = values.keys().collect();
    assert!(names.len() <= 64, "{} flags: {names:?}", names.len());
}
