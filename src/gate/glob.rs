//! Names with wildcards, as policies write them.

use crate::rulebook::source::Section;
use regex::Regex;

/// A name in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    pub(super) written: String,
    regex: Regex,
}

impl Glob {
    /// `None` where it is too long to be looked for.
    pub(super) fn new(written: &str) -> Option<Self> {
        let regex = regex::escape(written).replace(r"\*", ".*").replace(r"\?", ".");
        let regex = Regex::new(&format!("(?s)^{regex}$")).ok()?;
        Some(Self { written: written.to_owned(), regex })
    }

    pub(super) fn fits(&self, name: &str) -> bool {
        self.regex.is_match(name)
    }
}

/// The names of a list, none of them empty.
pub(super) fn globs(table: &mut Section<'_>, key: &'static str) -> Vec<Glob> {
    let read = |(name, mark): (&str, _)| {
        let glob = Glob::new(name).filter(|_| !name.is_empty());
        if glob.is_none() {
            let bound = if name.is_empty() { "" } else { " that is not too long" };
            table.problems.error(mark, format!("expected a name{bound}"));
        }
        glob
    };
    let written = table.texts(key);
    written.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn wildcards_stand_for_characters_and_others_for_themselves() {
        for (pattern, fitting, other) in [
            ("business_patterns/*", "business_patterns/not found", "business/not found"),
            ("*weight", "factors.x.weight", "factors.x.weights"),
            ("*a*?b", "aaxb", "aab\n"),
            ("??", "üx", "a"),
            ("**b", "a\nb", "a"),
            ("[a]", "[a]", "a"),
            ("", "", "a"),
            ("a", "a", "A"),
            (r"\*", r"\x", "x"),
        ] {
            let glob = Glob::new(pattern).expect("short");
            assert!(glob.fits(fitting), "{pattern} and {fitting}");
            assert!(!glob.fits(other), "{pattern} and {other}");
        }
        assert!(Glob::new(&"?".repeat(1_000_000)).is_none());
    }
}
