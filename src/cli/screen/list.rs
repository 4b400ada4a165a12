//! A list with a chosen row and a filter.

/// Where to go in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum To {
    Previous,
    Next,
    First,
    Last,
}

/// The items that are shown, by numbers that the program gives them; one of them is chosen.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct List {
    items: Vec<usize>,
    at: usize,
    pub(in crate::cli) filter: String,
}

impl List {
    /// A list that shows what has these words, once it is filled.
    pub(in crate::cli) fn filtered(filter: &str) -> Self {
        Self { filter: filter.to_owned(), ..Self::default() }
    }

    pub(in crate::cli) fn items(&self) -> &[usize] {
        &self.items
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(in crate::cli) fn chosen(&self) -> Option<usize> {
        self.items.get(self.at).copied()
    }

    pub(in crate::cli) fn fill(&mut self, items: Vec<usize>) {
        self.items = items;
        self.at = self.at.min(self.items.len().saturating_sub(1));
    }

    pub(super) fn go(&mut self, to: To) {
        let last = self.items.len().saturating_sub(1);
        self.at = match to {
            To::Previous => self.at.saturating_sub(1),
            To::Next => (self.at + 1).min(last),
            To::First => 0,
            To::Last => last,
        };
    }

    /// Chooses the next wanted item, from the chosen one on and around; else stays, and is `false`.
    pub(in crate::cli) fn go_to(&mut self, is_wanted: impl Fn(usize) -> bool) -> bool {
        let count = self.items.len();
        let found = (self.at..count).chain(0..self.at.min(count));
        let found = found.into_iter().find(|at| is_wanted(self.items[*at]));
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    pub(in crate::cli) fn words(&self) -> Vec<String> {
        words(&self.filter)
    }
}

/// The words of a filter, in lower case.
pub(in crate::cli) fn words(filter: &str) -> Vec<String> {
    filter.split_whitespace().map(str::to_lowercase).collect()
}
