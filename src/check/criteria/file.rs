//! Checks that users write: a file of criteria with issue types of their own.

use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use crate::rulebook::{Criterion, IssueTypes, Problem, criteria_with_issues};

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
        let tree = Node::parse(text, file, &mut problems);
        let read = tree.and_then(|tree| Self::read(&tree, &mut problems));
        match read {
            Some(read) if !problems.has_errors() => Ok(read),
            _ => Err(problems.into_errors()),
        }
    }

    fn read(tree: &Node, problems: &mut Problems) -> Option<Self> {
        let mut section = Section::open(tree, problems)?;
        let name = section.text("name", problems);
        let name = section.require("name", name, problems).map(str::to_owned);
        section.text("about", problems);
        let types = IssueTypes::read(&mut section, problems);
        let criteria = criteria_with_issues(&mut section, &types, problems);
        if section.take("criteria").is_none_or(|list| list.elements().is_some_and(<[_]>::is_empty))
        {
            problems.error(section.mark, "a file of criteria has at least one, as [[criteria]]");
        }
        section.finish(problems);
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
    use crate::verdict::{Category, IssueType, Severity, Side};

    const PARCELS: &str = r#"
name = "parcels"

[categories.delivery]
label = "Delivery Error"

[issue_types.late_delivery]
about = "A parcel takes too long."
category = "delivery"
side = "caller"

[[criteria]]
name = "in time"
about = "A parcel arrives within a week"
tools = "track"
expression = "output.days <= 7"
issue_type = "late_delivery"
severity = "warning"
suggestion = "Ask the carrier where the parcel is"
valid = [{ output = { days = 7 } }]
invalid = [{ output = { days = 8 }, input = { id = "p" } }]

[[criteria]]
name = "no errors"
expression = "!verdict.is_error"
valid = [{}]
invalid = [{ verdict = { is_error = true } }]
"#;

    const NO_OUTPUT: &str = "the criterion cannot be evaluated on this example: found no matching overload for '_._' applied to '(null_type, string)'";

    #[test]
    fn a_criterion_has_an_issue_type_severity_and_suggestion_of_its_own() {
        let file = CriteriaFile::from_toml(PARCELS, "parcels.toml").expect("a file in order");
        let [late, errors] = file.criteria() else { panic!("two criteria") };
        let kind = late.raised.kind;
        assert_eq!((kind.name(), kind.side()), ("late_delivery", Side::Caller));
        assert_eq!(Category::of(kind).label, "Delivery Error");
        assert_eq!(late.raised.severity, Severity::Warning);
        assert_eq!(late.suggestion.as_deref(), Some("Ask the carrier where the parcel is"));
        assert_eq!((late.examples, errors.examples), (2, 2));
        assert_eq!(errors.raised.kind, IssueType::CriteriaNotMet);
        assert_eq!(errors.raised.severity, Severity::Error);
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_their_lines() {
        let text = "\
about = 'no name'
[[criteria]]
name = 'a'
expression = 'output.n > 0'
valid = [{ output = { n = 0 } }, 5, { outptu = {} }]
invalid = [{ output = { n = 1 } }, { input = {} }]
[[criteria]]
name = 'b'
expression = 'true'
issue_type = 'style_isue'
severity = 'bad'
suggestion = 'No'
valid = true
";
        let problems = CriteriaFile::from_toml(text, "f.toml").expect_err("mistakes");
        let found: Vec<(usize, &str)> =
            problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
        let expected = [
            (1, "`name` is missing here"),
            (5, "the criterion is not met by this example"),
            (5, "expected a table, not a number"),
            (5, NO_OUTPUT),
            (5, "unknown key `outptu`"),
            (6, "the criterion is met by this example"),
            (6, NO_OUTPUT),
            (10, "unknown issue type `style_isue`"),
            (11, "`bad` is not one of error, warning, info"),
            (12, "a suggestion has 10 to 500 characters"),
            (13, "expected a list, not true or false"),
        ];
        assert_eq!(found, expected);
        let problems = CriteriaFile::from_toml("name = 'x'\n", "f.toml").expect_err("no criteria");
        assert_eq!(problems[0].message, "a file of criteria has at least one, as [[criteria]]");
    }

    #[test]
    fn a_criterion_has_so_many_examples_at_most() {
        let text = |count: usize| {
            let examples = "{},".repeat(count);
            format!(
                "name = 'x'\n[[criteria]]\nname = 'a'\nexpression = 'true'\nvalid = [{examples}]\n"
            )
        };
        assert!(CriteriaFile::from_toml(&text(100), "f.toml").is_ok());
        let problems = CriteriaFile::from_toml(&text(101), "f.toml").expect_err("too many");
        assert_eq!(problems[0].message, "there are more than 100 examples here");
    }
}
