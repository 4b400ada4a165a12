//! Checks that users write: a file of criteria with issue types of their own.

use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use crate::rulebook::{Criterion, IssueTypes, Problem, criteria};

/// A file of criteria; its examples come out as it says.
#[derive(Clone, Debug)]
pub struct CriteriaFile {
    name: String,
    criteria: Vec<Criterion>,
}

impl CriteriaFile {
    /// Criteria from TOML, tried on their examples. Problems name the file by the label.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let tree = Node::parse(text, file, &problems);
        let read = tree.and_then(|tree| Self::read(&tree, &problems));
        match read {
            Some(read) if !problems.has_errors() => Ok(read),
            _ => Err(problems.into_errors()),
        }
    }

    fn read(tree: &Node, problems: &Problems) -> Option<Self> {
        let mut section = Section::open(tree, problems)?;
        let name = section.require("name", Section::text).map(str::to_owned);
        section.text("about");
        let types = IssueTypes::read(&mut section);
        let criteria = criteria(&mut section, Some(&types));
        if section.take("criteria").is_none_or(|list| list.elements().is_some_and(<[_]>::is_empty))
        {
            section.error("a file of criteria has at least one, as [[criteria]]");
        }
        section.finish();
        Some(Self { name: name?, criteria })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::check::tests::in_words;
    use crate::verdict::Issue;

    /// The issue of those who fail a criterion, and on how many examples it was tried.
    fn raised(criterion: &Criterion) -> String {
        let Criterion { raised, name, about, suggestion, examples, .. } = criterion;
        let issue = Issue {
            location: Some(name.clone()),
            suggestion: suggestion.clone(),
            ..Issue::new(raised.severity, raised.kind, about)
        };
        format!("{}; {examples} examples", in_words(&[issue]))
    }

    #[test]
    fn files_of_criteria_are_read_as_their_cases_list() {
        cases::check("tests/cases/criteria.txt", |case| {
            let answers: Vec<String> = match CriteriaFile::from_toml(&case.text, "f.toml") {
                Ok(file) => file.criteria().iter().map(raised).collect(),
                Err(problems) => {
                    problems.iter().map(|it| format!("{}: {}", it.line, it.message)).collect()
                }
            };
            answers.join("\n")
        });
    }

    #[test]
    fn a_criterion_has_so_many_examples_at_most() {
        let read = |count: usize| {
            let examples = "{},".repeat(count);
            let text = format!(
                "name = 'x'\n[[criteria]]\nname = 'a'\nexpression = 'true'\nvalid = [{examples}]\n"
            );
            CriteriaFile::from_toml(&text, "f.toml").map_err(|problems| problems[0].message.clone())
        };
        assert!(read(100).is_ok());
        assert_eq!(read(101).expect_err("too many"), "there are more than 100 examples here");
    }
}
