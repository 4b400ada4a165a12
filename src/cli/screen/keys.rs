//! Tables of keys: what is pressed, what it does, and the command that does the same.

use super::list::To;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum Press {
    Char(char),
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    /// Control and C at once.
    Interrupt,
}

/// What a key does: what every screen can do, or something of the program's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Act<A> {
    /// Chooses another row of the list.
    Go(To),
    /// Asks for words and shows only the rows that have them.
    Filter,
    ScrollUp,
    ScrollDown,
    Help,
    Own(A),
}

/// A row of a table of keys, which the screen obeys, its foot and help show, and documents print.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Key<A> {
    pub(super) name: &'static str,
    presses: &'static [Press],
    /// A word for the foot of the screen; empty where there is no room for it.
    pub(super) word: &'static str,
    pub(super) about: &'static str,
    /// The command that does the same; empty where there is none.
    pub(super) command: &'static str,
    pub(super) act: Act<A>,
}

pub(in crate::cli) const fn key<A: Copy>(
    name: &'static str,
    presses: &'static [Press],
    word: &'static str,
    about: &'static str,
    command: &'static str,
    act: Act<A>,
) -> Key<A> {
    Key { name, presses, word, about, command, act }
}

pub(super) fn act_of<A: Copy>(keys: &[Key<A>], press: Press) -> Option<Act<A>> {
    keys.iter().find(|row| row.presses.contains(&press)).map(|row| row.act)
}

/// Checks a table of keys, and that a document shows it; `TAPECHECK_WRITE_DOCS` writes it there.
#[cfg(test)]
pub(in crate::cli) fn check<A: Copy + PartialEq>(keys: &[Key<A>], document: &str) {
    let presses: Vec<Press> = keys.iter().flat_map(|row| row.presses).copied().collect();
    let different: std::collections::BTreeSet<Press> = presses.iter().copied().collect();
    assert_eq!(different.len(), presses.len(), "a key does two things");
    for (at, row) in keys.iter().enumerate() {
        assert!(keys[..at].iter().all(|other| other.act != row.act), "{} is there twice", row.name);
        assert!(row.about.chars().count() <= 66, "the help does not fit 80 columns: {}", row.about);
    }
    let has_commands = keys.iter().any(|row| !row.command.is_empty());
    let mut rows = vec![if has_commands {
        "| key | what it does | the command |\n|---|---|---|".to_owned()
    } else {
        "| key | what it does |\n|---|---|".to_owned()
    }];
    rows.extend(keys.iter().map(|row| match (has_commands, row.command) {
        (false, _) => format!("| `{}` | {} |", row.name, row.about),
        (true, "") => format!("| `{}` | {} |  |", row.name, row.about),
        (true, command) => format!("| `{}` | {} | `{command}` |", row.name, row.about),
    }));
    let path = format!("{}/{document}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a document");
    let begin = "<!-- the keys, written by a test -->\n";
    let (before, rest) = text.split_once(begin).expect("the mark before the keys");
    let (_, after) = rest.split_once("<!-- end of the keys -->").expect("the mark after the keys");
    let current =
        format!("{before}{begin}\n{}\n\n<!-- end of the keys -->{after}", rows.join("\n"));
    if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
        std::fs::write(&path, current).expect("the document can be written");
    } else {
        assert!(text == current, "{document} is out of date; TAPECHECK_WRITE_DOCS=1 writes it");
    }
}
