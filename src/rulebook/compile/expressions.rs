//! Boolean expressions as they are written: names, `any`, `all`, `not`, and questions to the texts.

use super::leaves::{Asked, Leaves};
use super::signals::Names;
use crate::rulebook::model::Condition;
use crate::rulebook::observe::Expression;
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};

/// What an expression may consist of.
pub(super) enum Grammar<'a> {
    SignalsOnly,
    /// Signals and questions to the texts; these belong to the signal of this name.
    Questions {
        signal: &'a str,
        leaves: &'a mut Leaves,
    },
}

pub(super) fn condition(node: &Node, names: &Names, problems: &Problems) -> Option<Condition> {
    expression(node, names, &mut Grammar::SignalsOnly, problems).and_then(into_condition)
}

fn into_condition(expression: Expression) -> Option<Condition> {
    let all = |parts: Vec<Expression>| -> Option<Vec<Condition>> {
        parts.into_iter().map(into_condition).collect()
    };
    Some(match expression {
        Expression::Signal(signal) => Condition::Signal(signal),
        Expression::All(parts) => Condition::All(all(parts)?),
        Expression::Any(parts) => Condition::Any(all(parts)?),
        Expression::Not(part) => Condition::Not(Box::new(into_condition(*part)?)),
        // The grammar for conditions has no questions.
        Expression::Leaf(_) => return None,
    })
}

pub(super) fn expression(
    node: &Node,
    names: &Names,
    grammar: &mut Grammar<'_>,
    problems: &Problems,
) -> Option<Expression> {
    if let Some(name) = node.text() {
        return names.find(name, node.mark, problems).map(Expression::Signal);
    }
    let mut section = Section::open(node, problems)?;
    let read = expression_in(&mut section, names, grammar);
    section.finish();
    read
}

/// Reads the expression that a table holds, leaving the table's other keys alone.
pub(super) fn expression_in(
    section: &mut Section<'_>,
    names: &Names,
    grammar: &mut Grammar<'_>,
) -> Option<Expression> {
    let any = section.entry("any");
    let all = section.entry("all");
    let not = section.entry("not");
    let mut found = Vec::new();
    for (entry, join) in [(any, Expression::Any as fn(_) -> _), (all, Expression::All)] {
        if let Some(entry) = entry {
            found.push(parts(&entry.node, names, grammar, section.problems).map(join));
        }
    }
    if let Some(entry) = not {
        let part = expression(&entry.node, names, grammar, section.problems);
        found.push(part.map(|part| Expression::Not(Box::new(part))));
    }
    if let Grammar::Questions { signal, leaves } = grammar {
        match leaves.question(signal, section) {
            Asked::Nothing => {}
            Asked::Wrongly => found.push(None),
            Asked::Leaf(leaf) => found.push(Some(Expression::Leaf(leaf))),
        }
    }
    let known = match grammar {
        Grammar::SignalsOnly => "any, all, not",
        Grammar::Questions { .. } => "any, all, not, contains, regex, equals, quotes",
    };
    match found.len() {
        1 => found.pop().flatten(),
        0 => {
            section.error(format!("expected one of {known}"));
            None
        }
        _ => {
            section.error(format!("only one of {known} is allowed here"));
            None
        }
    }
}

fn parts(
    node: &Node,
    names: &Names,
    grammar: &mut Grammar<'_>,
    problems: &Problems,
) -> Option<Vec<Expression>> {
    let Some(elements) = node.elements() else {
        problems.error(node.mark, format!("expected a list, not {}", node.kind()));
        return None;
    };
    if elements.is_empty() {
        problems.error(node.mark, "an empty list decides nothing");
    }
    // Every element is read, so that the errors of all of them are reported.
    let read: Vec<_> =
        elements.iter().map(|element| expression(element, names, grammar, problems)).collect();
    read.into_iter().collect()
}
