//! The contracts that come with the program.

/// Name and text of each. This table is the only place that knows them by name.
const BUILTIN: [(&str, &str); 1] = [("todo", include_str!("builtin/todo.toml"))];

/// The names of the built-in contracts.
pub fn contract_names() -> Vec<&'static str> {
    BUILTIN.iter().map(|(name, _)| *name).collect()
}

/// The text of a built-in contract.
pub fn contract_source(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
