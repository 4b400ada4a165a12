//! The keys of the screen, in one table: what is pressed, what it does, and the command that does it.

/// Something that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Press {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Control and C at once.
    Interrupt,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// Accept what is chosen.
    Accept,
    /// Reject what is chosen.
    Reject,
    /// Put off what is chosen.
    Skip,
    /// Accept everything that is left.
    AcceptRest,
    /// Reject everything that is left.
    RejectRest,
    /// Put off everything that is left.
    SkipRest,
    /// Go into the group.
    Enter,
    /// Go back.
    Back,
    /// One up.
    Up,
    /// One down.
    Down,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// What is told of it, further up.
    ScrollUp,
    /// What is told of it, further down.
    ScrollDown,
    /// Show only what fits some words.
    Filter,
    /// Make a note.
    Note,
    /// Take the latest step back.
    Undo,
    /// Write what was decided, and end.
    Write,
    /// Show the keys.
    Help,
    /// End; what was decided is kept.
    Quit,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    /// What is pressed.
    pub presses: &'static [Press],
    /// How the keys are called.
    pub name: &'static str,
    /// What they do, in a word for the foot of the screen; empty where there is no room for it.
    pub word: &'static str,
    /// What they do.
    pub about: &'static str,
    /// The command that does the same.
    pub command: &'static str,
    /// What they do, for the program.
    pub act: Act,
}

const fn row(
    (name, presses): (&'static str, &'static [Press]),
    word: &'static str,
    (about, command): (&'static str, &'static str),
    act: Act,
) -> KeyRow {
    KeyRow { presses, name, word, about, command, act }
}

/// Every key. The screen obeys it, its help shows it, and the documents print it.
pub const KEYS: [KeyRow; 20] = [
    row(
        ("a", &[Press::Char('a')]),
        "accept",
        ("accept it: the baseline takes what is said now", "tapecheck accept AFTER --group ID"),
        Act::Accept,
    ),
    row(
        ("r", &[Press::Char('r')]),
        "reject",
        (
            "reject it and say why: the baseline keeps what it has",
            "tapecheck reject AFTER --group ID --note WHY",
        ),
        Act::Reject,
    ),
    row(
        ("s", &[Press::Char('s')]),
        "skip",
        ("put it off; it comes again in the next review", ""),
        Act::Skip,
    ),
    row(
        ("A", &[Press::Char('A')]),
        "",
        ("accept everything shown that is not decided yet", "tapecheck accept AFTER --all"),
        Act::AcceptRest,
    ),
    row(
        ("R", &[Press::Char('R')]),
        "",
        (
            "reject everything shown that is not decided yet",
            "tapecheck reject AFTER --all --note WHY",
        ),
        Act::RejectRest,
    ),
    row(
        ("S", &[Press::Char('S')]),
        "",
        ("put off everything shown that is not decided yet", ""),
        Act::SkipRest,
    ),
    row(
        ("enter", &[Press::Enter, Press::Char('l')]),
        "open",
        (
            "go into the group and decide one exchange after the other",
            "tapecheck accept AFTER --group ID --exchange KEY",
        ),
        Act::Enter,
    ),
    row(
        ("esc", &[Press::Escape, Press::Char('h')]),
        "",
        ("go back to the groups; take the filter away", ""),
        Act::Back,
    ),
    row(("up k", &[Press::Up, Press::Char('k')]), "", ("one up", ""), Act::Up),
    row(("down j", &[Press::Down, Press::Char('j')]), "", ("one down", ""), Act::Down),
    row(("home g", &[Press::Home, Press::Char('g')]), "", ("to the first", ""), Act::First),
    row(("end G", &[Press::End, Press::Char('G')]), "", ("to the last", ""), Act::Last),
    row(
        ("page up K", &[Press::PageUp, Press::Char('K')]),
        "",
        ("what is told of it, further up", ""),
        Act::ScrollUp,
    ),
    row(
        ("page down J", &[Press::PageDown, Press::Char('J'), Press::Char(' ')]),
        "",
        ("what is told of it, further down", ""),
        Act::ScrollDown,
    ),
    row(
        ("/", &[Press::Char('/')]),
        "filter",
        (
            "show only what has these words: cause, kind, server, tool",
            "tapecheck review AFTER --filter WORDS",
        ),
        Act::Filter,
    ),
    row(
        ("n", &[Press::Char('n')]),
        "note",
        (
            "make a note on the group; its decision carries it",
            "tapecheck accept AFTER --group ID --note TEXT",
        ),
        Act::Note,
    ),
    row(
        ("u", &[Press::Char('u')]),
        "undo",
        ("take the latest step back, and the one before it", "tapecheck review AFTER --undo"),
        Act::Undo,
    ),
    row(
        ("w", &[Press::Char('w')]),
        "write",
        ("write what was decided, and end", "tapecheck review AFTER --write"),
        Act::Write,
    ),
    row(
        ("?", &[Press::Char('?')]),
        "help",
        ("show all keys", "tapecheck review --help"),
        Act::Help,
    ),
    row(
        ("q", &[Press::Char('q'), Press::Interrupt]),
        "quit",
        ("end; what was decided is kept, nothing is written", ""),
        Act::Quit,
    ),
];

/// What a key does; `None` for keys that do nothing.
#[must_use]
pub fn act_of(press: Press) -> Option<Act> {
    KEYS.iter().find(|row| row.presses.contains(&press)).map(|row| row.act)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_does_two_things_and_nothing_is_done_by_two_rows() {
        let presses: Vec<Press> = KEYS.iter().flat_map(|row| row.presses).copied().collect();
        let different: BTreeSet<Press> = presses.iter().copied().collect();
        assert_eq!(different.len(), presses.len());
        let acts: BTreeSet<Act> = KEYS.iter().map(|row| row.act).collect();
        assert_eq!(acts.len(), KEYS.len());
        let longest = KEYS.iter().map(|row| row.about.chars().count()).max();
        assert!(longest <= Some(66), "the help fits 80 columns");
    }
}
