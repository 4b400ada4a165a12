//! The rulebooks that come with the program.

/// Name and text of each. This table is the only place that knows them by name.
const BUILTIN: [(&str, &str); 3] = [
    ("calibrated", include_str!("builtin/calibrated.toml")),
    ("guide", include_str!("builtin/guide.toml")),
    ("inspector", include_str!("builtin/inspector.toml")),
];

pub const DEFAULT_RULEBOOK: &str = BUILTIN[0].0;

const NAMES: [&str; BUILTIN.len()] = {
    let mut names = [""; BUILTIN.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = BUILTIN[at].0;
        at += 1;
    }
    names
};

/// The names of the built-in rulebooks, the default first.
pub fn builtin_names() -> &'static [&'static str] {
    &NAMES
}

pub fn builtin_source(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
