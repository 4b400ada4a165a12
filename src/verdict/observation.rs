//! What was found in the texts of an exchange.

use smallvec::SmallVec;

/// What was found in the texts of an exchange.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    pub signals: SignalSet,
    /// The first place of every pattern that matched, in the rulebook's order of patterns.
    pub hits: Vec<Hit>,
    /// Whether other patterns hit since words of the call were left out of the text that was searched.
    pub hits_left_out: bool,
}

impl Observation {
    /// The patterns that matched, in order: rows list them, and marks in texts go by their places in the list.
    pub fn patterns(&self) -> SmallVec<[u16; 16]> {
        let mut patterns: SmallVec<[u16; 16]> = self.hits.iter().map(|hit| hit.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns
    }
}

/// A set of signals, by their index in the rulebook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignalSet(pub u128);

impl SignalSet {
    /// How many signals a rulebook may have.
    pub const CAPACITY: usize = 128;

    #[must_use]
    pub fn has(self, signal: usize) -> bool {
        self.0 >> signal & 1 == 1
    }

    pub fn insert(&mut self, signal: usize) {
        self.0 |= 1 << signal;
    }

    pub fn remove(&mut self, signal: usize) {
        self.0 &= !(1 << signal);
    }
}

/// A place where a pattern of the rulebook matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The pattern, as an index into the rulebook's patterns.
    pub pattern: u16,
    /// The text that it matched in.
    pub field: Field,
    /// First byte of the match in that text.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// What it quotes from the arguments of the call, where it has to quote something.
    pub call: Option<Place>,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

named! {
    /// Where in an exchange a pattern is looked for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Field {
        /// The judged text of the reply.
        Text = "text",
        Tool = "tool",
        /// The arguments, as recorded.
        Input = "input",
        Scenario = "scenario",
        /// The code of a JSON-RPC error.
        Code = "code",
    }
}

impl Field {
    /// Where the pattern of this name is looked for: those of the text are named without a field.
    pub fn of_pattern(name: &str) -> Self {
        let mut fields = Self::ALL.into_iter();
        let is_before = |field: &Self| {
            name.strip_prefix(field.name()).is_some_and(|rest| rest.starts_with(':'))
        };
        fields.find(is_before).unwrap_or(Self::Text)
    }
}
