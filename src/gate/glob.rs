//! Names with wildcards, as policies write them.

use crate::rulebook::source::Section;

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(pub(super) String);

impl Glob {
    /// Whether a name fits. It takes at most as many steps as both are long, multiplied.
    pub(super) fn fits(&self, name: &str) -> bool {
        let (mut pattern, mut rest) = (self.0.as_str(), name);
        // Where to go on when what follows the last `*` does not fit: one character further.
        let mut again: Option<(&str, &str)> = None;
        loop {
            let mut behind = pattern.chars();
            let mut later = rest.chars();
            match (behind.next(), later.next()) {
                (Some('*'), _) => {
                    pattern = behind.as_str();
                    again = Some((pattern, rest));
                    continue;
                }
                (None, None) => return true,
                (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                    (pattern, rest) = (behind.as_str(), later.as_str());
                    continue;
                }
                _ => {}
            }
            let Some((star, from)) = again else { return false };
            let mut from = from.chars();
            if from.next().is_none() {
                return false;
            }
            (pattern, rest) = (star, from.as_str());
            again = Some((star, rest));
        }
    }
}

/// The names of a list, none of them empty.
pub(super) fn globs(table: &mut Section<'_>, key: &'static str) -> Vec<Glob> {
    let written = table.texts(key);
    for (_, mark) in written.iter().filter(|(name, _)| name.is_empty()) {
        table.problems.error(*mark, "expected a name");
    }
    written.into_iter().map(|(name, _)| Glob(name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::Glob;
    use proptest::prelude::*;

    #[test]
    fn stars_and_question_marks_are_wildcards_and_nothing_else_is() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "anything at all"),
            ("business_patterns/*", "business_patterns/not found"),
            ("*found", "not found"),
            ("a*b*c", "a1b2b3c"),
            ("n?t*", "näts"),
            ("[a]", "[a]"),
            ("", ""),
        ] {
            assert!(Glob(pattern.to_owned()).fits(name), "{pattern} and {name}");
        }
        for (pattern, name) in [
            ("a", "A"),
            ("a*", "ba"),
            ("*a", "ab"),
            ("?", ""),
            ("?", "ab"),
            ("", "a"),
            ("[a]", "a"),
        ] {
            assert!(!Glob(pattern.to_owned()).fits(name), "{pattern} and {name}");
        }
    }

    proptest! {
        #[test]
        fn it_is_the_regex_of_the_same_meaning(pattern in "[ab*?]{0,8}", name in "[ab]{0,10}") {
            let meaning = pattern.replace('*', ".*").replace('?', ".");
            let regex = regex::Regex::new(&format!("^{meaning}$")).expect("a regex");
            prop_assert_eq!(Glob(pattern.clone()).fits(&name), regex.is_match(&name));
        }
    }
}
