//! Types of issues that recorded results name and the table of types does not have.

use super::counts::IssueCode;
use crate::verdict::IssueType;
use hashbrown::HashMap;

/// So many are counted one by one; recordings could invent any number.
const MOST: usize = 1_000;

/// Their names, numbered as they come.
#[derive(Debug, Default)]
pub struct Unlisted {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Unlisted {
    /// The code of a name that the table does not have; one too many counts as
    /// [`IssueType::UnlistedIssue`].
    pub fn code(&mut self, name: &str) -> IssueCode {
        if let Some(number) = self.numbers.get(name) {
            return IssueCode(*number);
        }
        let next = u16::try_from(IssueType::ALL.len() + self.names.len());
        let Some(number) = next.ok().filter(|_| self.names.len() < MOST) else {
            return IssueType::UnlistedIssue.into();
        };
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        IssueCode(number)
    }

    /// Whether further names would not be counted one by one.
    pub(super) fn is_full(&self) -> bool {
        self.names.len() >= MOST
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The name that a code stands for.
    pub fn name(&self, code: IssueCode) -> &str {
        let code = code.number();
        match IssueType::ALL.get(code) {
            Some(kind) => kind.name(),
            None => self.names.get(code - IssueType::ALL.len()).map_or("", String::as_str),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_numbered_behind_ours_and_not_without_end() {
        let mut unlisted = Unlisted::default();
        let first = unlisted.code("tone_issue");
        assert_eq!(unlisted.code("tone_issue"), first);
        assert_eq!(unlisted.name(first), "tone_issue");
        assert_eq!(unlisted.name(IssueType::NoReply.into()), "no_reply");
        for number in 0..2 * MOST {
            unlisted.code(&format!("made_up_{number}"));
        }
        assert_eq!(unlisted.code("one_more"), IssueType::UnlistedIssue.into());
        assert_eq!(unlisted.code("tone_issue"), first);
    }
}
