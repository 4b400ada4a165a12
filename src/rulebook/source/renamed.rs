//! Keys that have another name now. An error names the new one, and the file is read as if it were written,
//! so that one mistake is one error.

use super::node::{Entry, Node};
use crate::rulebook::problem::Problems;

/// The former names of signals, in every place of a rulebook where they occur.
const RENAMED: [(&str, &str); 2] = [("facts", "signals"), ("fact", "signal")];

/// Corrects former keys of a rulebook.
pub(super) fn correct(tree: &mut Node, problems: &Problems) {
    for section in tree.entries_mut().into_iter().flatten() {
        correct_key(section, problems);
        match section.key.as_str() {
            // The keys directly below are names that the author chose.
            "signals" | "factors" => {
                for named in section.node.entries_mut().into_iter().flatten() {
                    correct_below(&mut named.node, problems);
                }
            }
            "decide" | "error_kinds" | "certainty" | "hidden_failure" | "errors" | "remove" => {
                correct_below(&mut section.node, problems);
            }
            "examples" => {
                let examples = section.node.elements_mut().into_iter().flatten();
                for member in examples.filter_map(Node::entries_mut).flatten() {
                    if member.key == "expect" {
                        correct_below(&mut member.node, problems);
                    }
                }
            }
            _ => {}
        }
    }
}

fn correct_below(node: &mut Node, problems: &Problems) {
    for element in node.elements_mut().into_iter().flatten() {
        correct_below(element, problems);
    }
    for entry in node.entries_mut().into_iter().flatten() {
        correct_key(entry, problems);
        if entry.key != "signals" {
            correct_below(&mut entry.node, problems);
        }
    }
}

fn correct_key(entry: &mut Entry, problems: &Problems) {
    if let Some((old, new)) = RENAMED.into_iter().find(|(old, _)| entry.key == *old) {
        let message = format!("`{old}` is now called `{new}`");
        problems.error_with_help(entry.key_mark, message, Some(format!("write `{new}`")));
        new.clone_into(&mut entry.key);
    }
}

#[cfg(test)]
mod tests {
    use crate::rulebook::{Rulebook, RulebookError};

    #[test]
    fn a_former_key_is_one_error_at_its_place_and_names_that_authors_chose_are_none() {
        let text = r#"name = "x"
extends = "guide"
remove = { facts = [] }
[facts.fact]
regex = "x"
[facts.both]
fact = "structured_error"
[factors.http_status]
fact = "both"
[[examples]]
name = "an example"
tool = "get"
error = '{"fact": 1}'
expect = { facts = { fact = true } }
"#;
        let Err(RulebookError::Invalid(problems)) = Rulebook::from_toml(text, "mine.toml") else {
            panic!("former keys are errors")
        };
        let found = problems.iter().map(|problem| {
            let help = problem.help.as_deref().unwrap_or_default();
            format!("{}:{} {}; {help}", problem.line, problem.column, problem.message)
        });
        insta::assert_snapshot!(found.collect::<Vec<_>>().join("\n"), @"
        3:12 `facts` is now called `signals`; write `signals`
        4:2 `facts` is now called `signals`; write `signals`
        7:1 `fact` is now called `signal`; write `signal`
        9:1 `fact` is now called `signal`; write `signal`
        14:12 `facts` is now called `signals`; write `signals`
        ");
    }
}
