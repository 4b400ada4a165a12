//! The keys of screens in tables: what is pressed, what it does, and the command that does it.

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

/// A row of a table of keys, for a screen on which they do such things.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow<A> {
    /// What is pressed.
    pub presses: &'static [Press],
    /// How the keys are called.
    pub name: &'static str,
    /// What they do, in a word for the foot of the screen; empty where there is no room for it.
    pub word: &'static str,
    /// What they do.
    pub about: &'static str,
    /// The command that does the same; empty where there is none.
    pub command: &'static str,
    /// What they do, for the program.
    pub act: A,
}

/// A row of a table of keys: how they are called and which they are, the word for the foot of the screen,
/// what they do and the command that does the same.
#[must_use]
pub const fn key_row<A: Copy>(
    (name, presses): (&'static str, &'static [Press]),
    word: &'static str,
    (about, command): (&'static str, &'static str),
    act: A,
) -> KeyRow<A> {
    KeyRow { presses, name, word, about, command, act }
}

/// Every key. The screen obeys it, its help shows it, and the documents print it.
pub const KEYS: [KeyRow<Act>; 20] = [
    key_row(
        ("a", &[Press::Char('a')]),
        "accept",
        ("accept it: the baseline takes what is said now", "tapecheck accept AFTER --group ID"),
        Act::Accept,
    ),
    key_row(
        ("r", &[Press::Char('r')]),
        "reject",
        (
            "reject it and say why: the baseline keeps what it has",
            "tapecheck reject AFTER --group ID --note WHY",
        ),
        Act::Reject,
    ),
    key_row(
        ("s", &[Press::Char('s')]),
        "skip",
        ("put it off; it comes again in the next review", ""),
        Act::Skip,
    ),
    key_row(
        ("A", &[Press::Char('A')]),
        "",
        ("accept everything shown that is not decided yet", "tapecheck accept AFTER --all"),
        Act::AcceptRest,
    ),
    key_row(
        ("R", &[Press::Char('R')]),
        "",
        (
            "reject everything shown that is not decided yet",
            "tapecheck reject AFTER --all --note WHY",
        ),
        Act::RejectRest,
    ),
    key_row(
        ("S", &[Press::Char('S')]),
        "",
        ("put off everything shown that is not decided yet", ""),
        Act::SkipRest,
    ),
    key_row(
        ("enter", &[Press::Enter, Press::Char('l')]),
        "open",
        (
            "go into the group and decide one exchange after the other",
            "tapecheck accept AFTER --group ID --exchange KEY",
        ),
        Act::Enter,
    ),
    key_row(
        ("esc", &[Press::Escape, Press::Char('h')]),
        "",
        ("go back to the groups; take the filter away", ""),
        Act::Back,
    ),
    key_row(("up k", &[Press::Up, Press::Char('k')]), "", ("one up", ""), Act::Up),
    key_row(("down j", &[Press::Down, Press::Char('j')]), "", ("one down", ""), Act::Down),
    key_row(("home g", &[Press::Home, Press::Char('g')]), "", ("to the first", ""), Act::First),
    key_row(("end G", &[Press::End, Press::Char('G')]), "", ("to the last", ""), Act::Last),
    key_row(
        ("page up K", &[Press::PageUp, Press::Char('K')]),
        "",
        ("what is told of it, further up", ""),
        Act::ScrollUp,
    ),
    key_row(
        ("page down J", &[Press::PageDown, Press::Char('J'), Press::Char(' ')]),
        "",
        ("what is told of it, further down", ""),
        Act::ScrollDown,
    ),
    key_row(
        ("/", &[Press::Char('/')]),
        "filter",
        (
            "show only what has these words: cause, kind, server, tool",
            "tapecheck review AFTER --filter WORDS",
        ),
        Act::Filter,
    ),
    key_row(
        ("n", &[Press::Char('n')]),
        "note",
        (
            "make a note on the group; its decision carries it",
            "tapecheck accept AFTER --group ID --note TEXT",
        ),
        Act::Note,
    ),
    key_row(
        ("u", &[Press::Char('u')]),
        "undo",
        ("take the latest step back, and the one before it", "tapecheck review AFTER --undo"),
        Act::Undo,
    ),
    key_row(
        ("w", &[Press::Char('w')]),
        "write",
        ("write what was decided, and end", "tapecheck review AFTER --write"),
        Act::Write,
    ),
    key_row(
        ("?", &[Press::Char('?')]),
        "help",
        ("show all keys", "tapecheck review --help"),
        Act::Help,
    ),
    key_row(
        ("q", &[Press::Char('q'), Press::Interrupt]),
        "quit",
        ("end; what was decided is kept, nothing is written", ""),
        Act::Quit,
    ),
];

/// What a key does on a screen with these keys; `None` for keys that do nothing.
#[must_use]
pub fn act_of<A: Copy>(keys: &[KeyRow<A>], press: Press) -> Option<A> {
    keys.iter().find(|row| row.presses.contains(&press)).map(|row| row.act)
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
