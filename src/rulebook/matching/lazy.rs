//! Regexes that are compiled when a text first calls for them: of the hundreds of a rulebook, most replies
//! call for a few.

use super::fold::has_either;
use super::javascript::{Dialect, Narrow, check, narrowed, translated};
use super::prefilter::{Letters, Structure};
use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;

/// Bound on a compiled regex; ordinary ones take a few kilobytes.
pub(super) const SIZE_LIMIT: usize = 4 << 20;
/// How many bytes the cache of a search may take.
const MEMORY: usize = 1 << 21;
/// The only characters beyond ASCII that are ASCII letters to a regex that ignores case: s and k.
const FOREIGN_LETTERS: [&str; 2] = ["\u{17f}", "\u{212a}"];

/// A regex that may be searched for in two forms.
#[derive(Clone, Debug)]
pub(crate) struct LazyRegex {
    text: String,
    dialect: Dialect,
    /// How many bytes the cache of a search may take, for a regex that runs only on texts known to hold one of its
    /// required texts; with too few, the search goes step by step. `None`: [`MEMORY`] bytes, and the engine first looks
    /// for the texts that a match begins with.
    memory: Option<usize>,
    /// Whether it ignores case.
    folds: bool,
    /// What looks for it in texts of which each character is one byte: such a regex is much smaller. Where there is
    /// none, texts are searched as they are.
    narrow: OnceLock<Option<Regex>>,
    whole: OnceLock<Option<Regex>>,
}

/// `None` where a regex that ought to be right is not.
fn compile(translated: &str, is_narrow: bool, memory: Option<usize>) -> Option<Regex> {
    let config = Config::new().nfa_size_limit(Some(SIZE_LIMIT)).utf8_empty(!is_narrow);
    let config =
        config.hybrid_cache_capacity(memory.unwrap_or(MEMORY)).auto_prefilter(memory.is_none());
    let syntax = syntax::Config::new().unicode(!is_narrow).utf8(!is_narrow);
    Regex::builder().configure(config).syntax(syntax).build(translated).ok()
}

/// A text that regexes look at, in the form that each of them sees.
pub(crate) struct TextForms<'t> {
    text: &'t str,
    is_ascii: bool,
    narrow: OnceCell<Narrow>,
    has_foreign_letters: OnceCell<bool>,
}

impl<'t> TextForms<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let (narrow, has_foreign_letters) = Default::default();
        Self { text, is_ascii: text.is_ascii(), narrow, has_foreign_letters }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn has_foreign_letters(&self) -> bool {
        let look = || has_either(self.text, FOREIGN_LETTERS);
        !self.is_ascii && *self.has_foreign_letters.get_or_init(look)
    }

    /// The form that a regex sees, where that is not the text.
    fn narrow(&self, is_narrow: bool) -> Option<&Narrow> {
        let is_other = is_narrow && !self.is_ascii;
        is_other.then(|| self.narrow.get_or_init(|| Narrow::of(self.text)))
    }

    fn bytes(&self, is_narrow: bool) -> &[u8] {
        self.narrow(is_narrow).map_or(self.text.as_bytes(), |narrow| &narrow.bytes)
    }

    /// Where in the text it is what was found in the form that a regex sees.
    fn place(&self, is_narrow: bool, found: Range<usize>) -> Range<usize> {
        self.narrow(is_narrow).map_or(found.clone(), |narrow| narrow.place(found))
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
        let (narrow, whole) = Default::default();
        let (text, folds) = (text.to_owned(), text.contains("(?i"));
        Self { text, dialect, memory: None, folds, narrow, whole }
    }

    /// The same for texts known to hold one of its required texts; the cache of a search may take so many bytes.
    pub(crate) fn with_memory(self, memory: usize) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn translated(&self) -> String {
        translated(&self.text, self.dialect)
    }

    fn narrow(&self) -> Option<&Regex> {
        let compile = || compile(&narrowed(&self.text, self.dialect)?, true, self.memory);
        self.narrow.get_or_init(compile).as_ref()
    }

    /// What looks for it in a text, and whether that sees each character as one byte; `None` where it is wrong: it
    /// finds nothing.
    fn form(&self, seen: &TextForms<'_>) -> Option<(bool, &Regex)> {
        let is_folded = self.folds && seen.has_foreign_letters();
        if let Some(narrow) = self.narrow().filter(|_| !is_folded) {
            return Some((true, narrow));
        }
        let compile = || compile(&self.translated(), false, self.memory);
        Some((false, self.whole.get_or_init(compile).as_ref()?))
    }

    pub(crate) fn find(&self, seen: &TextForms<'_>) -> Option<Range<usize>> {
        let (is_narrow, regex) = self.form(seen)?;
        Some(seen.place(is_narrow, regex.find(seen.bytes(is_narrow))?.range()))
    }

    pub(crate) fn find_iter<'s>(
        &'s self,
        seen: &'s TextForms<'_>,
    ) -> Option<impl Iterator<Item = Range<usize>> + 's> {
        let (is_narrow, regex) = self.form(seen)?;
        let found = regex.find_iter(seen.bytes(is_narrow));
        Some(found.map(move |found| seen.place(is_narrow, found.range())))
    }

    /// The place of a group in a match that was found there.
    pub(crate) fn group(
        &self,
        name: &str,
        seen: &TextForms<'_>,
        found: &Range<usize>,
    ) -> Option<Range<usize>> {
        let (is_narrow, regex) = self.form(seen)?;
        let narrow = seen.narrow(is_narrow);
        let place = narrow.map_or(found.clone(), |narrow| narrow.narrow_place(found));
        let mut groups = regex.create_captures();
        let input = Input::new(seen.bytes(is_narrow)).range(place).anchored(Anchored::Yes);
        regex.captures(input, &mut groups);
        Some(seen.place(is_narrow, groups.get_group_by_name(name)?.range()))
    }

    /// Whether somebody asked for it.
    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        [&self.narrow, &self.whole].iter().any(|form| form.get().is_some())
    }

    /// Whether it sees texts of which each character is one byte.
    #[cfg(test)]
    pub(crate) fn is_narrow(&self) -> bool {
        self.narrow().is_some()
    }

    /// What every text has that it matches.
    pub(super) fn structure(&self) -> Cow<'static, Structure> {
        match self.dialect {
            Dialect::JsAscii => Structure::of(&self.text, Letters::Ascii, || self.translated()),
            Dialect::Rust => Cow::Owned(Structure::found_in(&self.text, Letters::Ascii)),
        }
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
        let seen = TextForms::new(text);
        let places = regex.find_iter(&seen).into_iter().flatten();
        let places = places.map(|place| (place.clone(), regex.group("quoted", &seen, &place)));
        let whole = regex::Regex::new(&regex.translated()).expect("a good regex");
        let expected = whole.captures_iter(text).map(|groups| {
            (groups.get_match().range(), groups.name("quoted").map(|group| group.range()))
        });
        [places.collect(), expected.collect()]
    }

    #[test]
    fn nearly_all_regexes_of_the_program_are_narrow() {
        for name in builtin_names() {
            let regexes = Rulebook::builtin(name).expect("built in").regexes();
            let is_narrow = |text: &&String| LazyRegex::known(text, Dialect::JsAscii).is_narrow();
            let narrow = regexes.iter().filter(is_narrow).count();
            assert!(narrow * 10 >= regexes.len() * 9, "{name}: {narrow} of {}", regexes.len());
        }
    }

    const PIECES: &str =
        r"a b? . [^a] \s \S \w* \W \b [^\s']+ [\sb] .{1,3} [^b]{2} .* (?<quoted>[^ab]+) (?:a|'.)";

    proptest! {
        #[test]
        fn the_narrow_form_is_found_where_the_text_matches(
            pieces in proptest::collection::vec(
                prop::sample::select(PIECES.split(' ').collect::<Vec<_>>()),
                1..5,
            ),
            text in "[ab' éЖ😀\u{a0}\u{2003}\u{2028}\u{feff}\n]{0,14}",
        ) {
            let regex = LazyRegex::known(&pieces.concat(), Dialect::JsAscii);
            check(&regex.translated()).map_err(TestCaseError::reject)?;
            prop_assert!(regex.is_narrow());
            let [found, expected] = found(&regex, &text);
            prop_assert_eq!(found, expected);
        }
    }
}
