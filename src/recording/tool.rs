//! The tool an exchange called, as far as the recording knows it.

/// A tool: its name and, where the recording holds it, its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tool {
    /// The tool's name; empty where a call named none.
    pub name: String,
    /// The text of the whole definition.
    pub definition: Option<String>,
    /// The text of its `outputSchema`, unless absent or false in JavaScript's sense.
    pub output_schema: Option<String>,
}

impl Tool {
    /// Roughly how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        /// What a tool takes besides its texts, tables that hold it included.
        const TOOL: usize = 256;
        let texts = [&self.definition, &self.output_schema];
        TOOL + self.name.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// A tool of which only the name is known.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}
