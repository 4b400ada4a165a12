//! Criteria: named expressions that an exchange meets or fails.

use super::problem::{Mark, Problems};
use super::source::{Node, Section};
use crate::expression::Expression;
use std::sync::Arc;

/// A criterion.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its name, as it stands in verdicts.
    pub name: String,
    /// What it asks for.
    pub about: String,
    /// Which exchanges it is asked of.
    pub applies: Applies,
    /// What has to hold.
    pub expression: Arc<Expression>,
}

/// Which exchanges something is asked of; an empty list means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applies {
    /// Kinds of exchange.
    pub kinds: Vec<String>,
    /// Servers.
    pub servers: Vec<String>,
    /// Tools.
    pub tools: Vec<String>,
}

impl Applies {
    /// Whether an exchange is meant.
    #[must_use]
    pub fn to(&self, kind: &str, server: &str, tool: &str) -> bool {
        let holds =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|n| n == name);
        holds(&self.kinds, kind) && holds(&self.servers, server) && holds(&self.tools, tool)
    }
}

/// What the expression of a criterion may look at.
const VARIABLES: [&str; 3] = ["input", "output", "verdict"];

/// Reads the list `criteria` of a section.
pub(crate) fn criteria(root: &mut Section<'_>, problems: &mut Problems) -> Vec<Criterion> {
    let mut criteria: Vec<Criterion> = Vec::new();
    for node in root.list("criteria", problems) {
        let Some((criterion, name)) = criterion(node, problems) else { continue };
        if criteria.iter().any(|known| known.name == criterion.name) {
            let message = format!("there already is a criterion called `{}`", criterion.name);
            problems.error(name, message);
        }
        criteria.push(criterion);
    }
    criteria
}

fn criterion(node: &Node, problems: &mut Problems) -> Option<(Criterion, Mark)> {
    let mut section = Section::open(node, problems)?;
    section.when_extending(&["before", "after"]);
    let name = section.text("name", problems);
    let name = section.require("name", name, problems).map(str::to_owned);
    let mark = section.mark_of("name");
    let about = section.text("about", problems).unwrap_or_default().to_owned();
    let mut names = |key| -> Vec<String> {
        section.texts(key, problems).into_iter().map(|(text, _)| text.to_owned()).collect()
    };
    let applies =
        Applies { kinds: names("kinds"), servers: names("servers"), tools: names("tools") };
    let expression = compile_expression(&mut section, "expression", &VARIABLES, problems);
    if section.take("expression").is_none() {
        problems.error(section.mark, "`expression` is missing here: what has to hold");
    }
    section.finish(problems);
    Some((Criterion { name: name?, about, applies, expression: Arc::new(expression?) }, mark))
}

/// Compiles an expression; its mistakes are told where they stand in the file.
pub(crate) fn compile_expression(
    section: &mut Section<'_>,
    key: &'static str,
    variables: &[&str],
    problems: &mut Problems,
) -> Option<Expression> {
    let text = section.text(key, problems)?;
    let mark = section.mark_of(key);
    match Expression::compile(text, variables) {
        Ok(expression) => Some(expression),
        Err(errors) => {
            // The quotes, and whatever escapes there are, shift the text within its file.
            let shift = problems.text(mark).find(text);
            for error in errors {
                let at = shift.map_or(mark, |shift| Mark {
                    file: mark.file,
                    start: mark.start + shift + error.at.start,
                    end: mark.start + shift + error.at.end,
                });
                problems.error(at, error.message);
            }
            None
        }
    }
}
