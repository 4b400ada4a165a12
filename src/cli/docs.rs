//! The command-line reference as a document, written from the definitions that parse.

use super::{Command, Exit};
use clap::CommandFactory as _;
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
`tapecheck rulebook check` ends with 1 when an example comes out differently and with 2 when a rulebook
cannot be read; `tapecheck contract check` with 2 when a contract cannot be read, and with 1 when
`--corpus` has a call with an error; `tapecheck gate` with 1 when a rule of the policy fails, with 2 when the
policy is wrong, and with 3 when the sides cannot be compared, a file cannot be read or written, or no rule
could be tried. An unreadable line alone never changes the exit code unless `--fail-on` asks.

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

#[test]
fn every_command_has_its_section() {
    let text = cli_document();
    let commands = [
        "run",
        "diff",
        "explain",
        "lint-tools",
        "contract list",
        "contract show",
        "contract check",
        "contract infer",
        "rulebook list",
        "rulebook show",
        "rulebook check",
    ];
    for name in commands {
        assert!(text.contains(&format!("\n## tapecheck {name}\n")), "{name} is missing");
    }
}
