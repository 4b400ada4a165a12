//! The command-line reference as a document, written from the definitions that parse.

use super::{Command, Exit};
use clap::CommandFactory as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// How wide the help is set.
const WIDTH: usize = 100;

fn describe(command: &clap::Command, name: &str, text: &mut String) {
    let help = command.clone().term_width(WIDTH).render_long_help().to_string();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    let _ = write!(text, "\n## {name}\n\n```text\n{}\n```\n", lines.join("\n"));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        describe(verb, &format!("{name} {}", verb.get_name()), text);
    }
}

/// Holds what stands between two marks of a document against what it should be; `TAPECHECK_WRITE_DOCS` writes it there.
pub(super) fn hold(document: &str, what: &str, content: &str) {
    let path = format!("{}/{document}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).expect("a document");
    let begin = format!("<!-- the {what}, written by a test -->\n");
    let end = format!("<!-- end of the {what} -->");
    let (before, rest) = text.split_once(&begin).expect("the mark before it");
    let (_, after) = rest.split_once(&end).expect("the mark after it");
    let current = format!("{before}{begin}\n{content}\n\n{end}{after}");
    if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
        fs::write(&path, current).expect("the document can be written");
    } else {
        assert!(text == current, "{document} is out of date; TAPECHECK_WRITE_DOCS=1 writes it");
    }
}

#[test]
fn the_document_is_current() {
    let mut exits = "| code | meaning |\n|---|---|".to_owned();
    for (code, about) in Exit::TABLE {
        let _ = write!(exits, "\n| {code} | {about} |");
    }
    hold("docs/cli.md", "exit codes", &exits);
    let mut root = Command::command();
    root.build();
    let mut text = String::new();
    describe(&root, "tapecheck", &mut text);
    hold("docs/cli.md", "commands", text.trim());
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
    assert_eq!(verbs.len(), 18);
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
