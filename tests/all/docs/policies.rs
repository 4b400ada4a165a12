//! The rules of policies in docs/gate.md are those of the code.

use super::{part_is_current, table};
use std::fmt::Write as _;
use tapecheck::internals::gate::RULES;

#[test]
fn the_rules_of_policies_are_those_of_the_code() {
    let mut part = String::new();
    for kind in RULES {
        let _ = writeln!(part, "### {}\n\n{}\n", kind.name, kind.about);
        if !kind.keys.is_empty() {
            let rows: Vec<_> =
                std::iter::once(&("key", "meaning")).chain(kind.keys).copied().collect();
            let _ = writeln!(part, "{}", table(&rows));
        }
        let keys: Vec<String> =
            kind.narrowed_by.iter().map(|key| format!("`{}`", key.name())).collect();
        let _ = match keys.as_slice() {
            [] => writeln!(part, "A waiver waives it as a whole.\n"),
            keys => writeln!(part, "Waivers can be narrowed to {}.\n", keys.join(", ")),
        };
    }
    let marks = ("<!-- the rules, written by a test -->", "<!-- end of the rules -->");
    part_is_current("docs/gate.md", marks, part.trim_end());
}

#[test]
fn the_default_policy_is_that_of_the_program() {
    let marks =
        ("<!-- the default policy, written by a test -->", "<!-- end of the default policy -->");
    let text = include_str!("../../../src/gate/default.toml");
    part_is_current("docs/gate.md", marks, &format!("```toml\n{text}```"));
}
