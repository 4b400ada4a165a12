//! Regexes that are compiled when a text first calls for them: of the hundreds of a rulebook, most replies
//! call for a few.

use super::gate::Letters;
use super::javascript::{Dialect, check, narrowed, translated};
use super::narrow::Narrow;
use super::structure::Structure;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;

/// Bound on a compiled regex; ordinary ones take a few kilobytes.
pub(super) const SIZE_LIMIT: usize = 4 << 20;
/// So much memory may what is known of a search take, in bytes: with too little, it is made step by step.
const MEMORY: usize = 1 << 25;
/// The only characters beyond ASCII that are ASCII letters to a regex that ignores case: s and k.
pub(super) const FOREIGN_LETTERS: [char; 2] = ['\u{17f}', '\u{212a}'];

/// A regex that may be searched for in two forms.
#[derive(Clone, Debug)]
pub(crate) struct LazyRegex {
    /// As the engine reads it.
    whole: Form,
    /// The same for texts of which each character is one byte: such a regex is much smaller. Where there is none,
    /// texts are searched as they are.
    narrow: Option<Form>,
    /// Whether it ignores case.
    folds: bool,
}

#[derive(Clone, Debug)]
struct Form {
    text: String,
    is_narrow: bool,
    compiled: OnceLock<Option<Regex>>,
}

impl Form {
    fn new(text: String, is_narrow: bool) -> Self {
        Self { text, is_narrow, compiled: OnceLock::new() }
    }

    /// `None` where a regex that ought to be right is not.
    fn get(&self) -> Option<&Regex> {
        let compile = || {
            let is_whole = !self.is_narrow;
            let config = Config::new().nfa_size_limit(Some(SIZE_LIMIT)).utf8_empty(is_whole);
            let config = config.hybrid_cache_capacity(MEMORY);
            let syntax = syntax::Config::new().unicode(is_whole).utf8(is_whole);
            Regex::builder().configure(config).syntax(syntax).build(&self.text).ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

/// A text that regexes look at, in the form that each of them sees.
pub(crate) struct Seen<'t> {
    text: &'t str,
    narrow: OnceCell<Narrow<'t>>,
    has_foreign_letters: OnceCell<bool>,
}

impl<'t> Seen<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, narrow: OnceCell::new(), has_foreign_letters: OnceCell::new() }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    fn narrow(&self) -> &Narrow<'t> {
        self.narrow.get_or_init(|| Narrow::of(self.text))
    }

    fn has_foreign_letters(&self) -> bool {
        let has_some = || !self.text.is_ascii() && self.text.contains(FOREIGN_LETTERS);
        *self.has_foreign_letters.get_or_init(has_some)
    }

    /// The text in the form that a regex sees.
    fn bytes(&self, form: &Form) -> &[u8] {
        if form.is_narrow { &self.narrow().bytes } else { self.text.as_bytes() }
    }

    /// Where in the text it is what was found in the form that a regex sees.
    fn place(&self, form: &Form, found: Range<usize>) -> Range<usize> {
        if form.is_narrow { self.narrow().place(found) } else { found }
    }
}

impl LazyRegex {
    /// A regex that somebody wrote; the error is the reason in one line.
    pub(in crate::rulebook) fn checked(text: &str, dialect: Dialect) -> Result<Self, String> {
        check(&translated(text, dialect))?;
        Ok(Self::known(text, dialect))
    }

    /// A regex that is known to be right.
    pub(crate) fn known(text: &str, dialect: Dialect) -> Self {
        let narrow = narrowed(text, dialect).map(|text| Form::new(text, true));
        let whole = Form::new(translated(text, dialect), false);
        Self { whole, narrow, folds: text.contains("(?i") }
    }

    /// As the engine reads it.
    pub(crate) fn text(&self) -> &str {
        &self.whole.text
    }

    /// The form in which it looks for itself in a text; `None` where it is wrong: it finds nothing.
    fn form(&self, seen: &Seen<'_>) -> Option<(&Form, &Regex)> {
        let narrow = self.narrow.as_ref().filter(|_| !self.folds || !seen.has_foreign_letters());
        let of = |form| Some((form, Form::get(form)?));
        narrow.and_then(of).or_else(|| of(&self.whole))
    }

    /// The place of the first match.
    pub(crate) fn find(&self, seen: &Seen<'_>) -> Option<Range<usize>> {
        let (form, regex) = self.form(seen)?;
        Some(seen.place(form, regex.find(seen.bytes(form))?.range()))
    }

    /// The places of all matches.
    pub(crate) fn find_iter<'s>(
        &'s self,
        seen: &'s Seen<'_>,
    ) -> Option<impl Iterator<Item = Range<usize>> + 's> {
        let (form, regex) = self.form(seen)?;
        let found = regex.find_iter(seen.bytes(form));
        Some(found.map(|found| seen.place(form, found.range())))
    }

    /// The place of a group in a match that was found there.
    pub(crate) fn group(
        &self,
        name: &str,
        seen: &Seen<'_>,
        found: &Range<usize>,
    ) -> Option<Range<usize>> {
        let (form, regex) = self.form(seen)?;
        let place = if form.is_narrow { seen.narrow().narrow_place(found) } else { found.clone() };
        let mut groups = regex.create_captures();
        let input = Input::new(seen.bytes(form)).range(place).anchored(Anchored::Yes);
        regex.captures(input, &mut groups);
        Some(seen.place(form, groups.get_group_by_name(name)?.range()))
    }

    /// Whether somebody asked for it.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        let forms = [Some(&self.whole), self.narrow.as_ref()];
        forms.into_iter().flatten().any(|form| form.compiled.get().is_some())
    }

    /// Whether it sees texts of which each character is one byte.
    #[cfg(test)]
    pub(crate) fn is_narrow(&self) -> bool {
        self.narrow.as_ref().is_some_and(|narrow| narrow.get().is_some())
    }

    /// What every text has that it matches.
    pub(super) fn structure(&self) -> Cow<'static, Structure> {
        Structure::of(&self.whole.text, Letters::Ascii)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{Rulebook, builtin_names};
    use proptest::prelude::*;

    type Places = Vec<(Range<usize>, Option<Range<usize>>)>;

    /// The places of all matches and of their groups `quoted`, in the form that a regex sees and in the text as it is.
    fn found(regex: &LazyRegex, text: &str) -> [Places; 2] {
        let seen = Seen::new(text);
        let places = regex.find_iter(&seen).into_iter().flatten();
        let places = places.map(|place| (place.clone(), regex.group("quoted", &seen, &place)));
        let whole = regex::Regex::new(regex.text()).expect("a good regex");
        let expected = whole.captures_iter(text).map(|groups| {
            (groups.get_match().range(), groups.name("quoted").map(|group| group.range()))
        });
        [places.collect(), expected.collect()]
    }

    #[test]
    fn regexes_of_which_characters_may_be_told_apart_see_the_text_as_it_is() {
        for (regex, dialect, is_narrow) in [
            (r"a\s[^b\-]\\(?<quoted>.{2})(?:c)", Dialect::JsAscii, true),
            (r"a\\u", Dialect::JsAscii, true),
            ("é", Dialect::JsAscii, false),
            (r"\u00e9", Dialect::JsAscii, false),
            (r"\xe9", Dialect::JsAscii, false),
            (r"\p{L}", Dialect::JsAscii, false),
            ("(?i)k", Dialect::JsAscii, false),
            (r"(?i)a[^\s]\x20(?-u:\b)", Dialect::Rust, true),
            (r"\w", Dialect::Rust, false),
            (r"\b", Dialect::Rust, false),
            ("(?u:a)", Dialect::Rust, false),
            (r"\xe9", Dialect::Rust, false),
            ("(?x)a # [", Dialect::Rust, false),
            ("[]a]", Dialect::Rust, false),
        ] {
            assert_eq!(LazyRegex::known(regex, dialect).is_narrow(), is_narrow, "{regex}");
        }
    }

    #[test]
    fn nearly_all_regexes_of_the_program_are_narrow() {
        for name in builtin_names() {
            let rulebook = Rulebook::builtin(name).expect("built in");
            let (narrow, all) = rulebook.narrow_regexes();
            assert!(narrow * 10 >= all * 9, "{name}: {narrow} of {all}");
        }
    }

    const PIECES: [&str; 16] = [
        "a",
        "b?",
        ".",
        "[^a]",
        r"\s",
        r"\S",
        r"\w*",
        r"\W",
        r"\b",
        r"[^\s']+",
        r"[\sb]",
        ".{1,3}",
        "[^b]{2}",
        ".*",
        "(?<quoted>[^ab]+)",
        "(?:a|'.)",
    ];

    proptest! {
        #[test]
        fn the_narrow_form_is_found_where_the_text_matches(
            pieces in proptest::collection::vec(prop::sample::select(&PIECES), 1..5),
            text in "[ab' éЖ😀\u{a0}\u{2003}\u{2028}\u{feff}\n]{0,14}",
        ) {
            let regex = LazyRegex::known(&pieces.concat(), Dialect::JsAscii);
            check(regex.text()).map_err(TestCaseError::reject)?;
            prop_assert!(regex.is_narrow());
            let [found, expected] = found(&regex, &text);
            prop_assert_eq!(found, expected);
        }
    }
}
