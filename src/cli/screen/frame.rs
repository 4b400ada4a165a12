//! The frame of a full screen: it has a list, a detail and a table of keys, which it obeys; it types lines, scrolls and helps.
//! The program in it does the rest.

use crate::cli::Failure;
use ratatui::text::Line;

/// The longest line that can be typed, in characters.
const LONGEST: usize = 500;
/// Lines that a key scrolls by.
const PAGE: usize = 8;

/// What fills a screen: what there is to see, and what keys do.
pub(in crate::cli) trait Program {
    /// What its own keys do.
    type Act: Copy + 'static;
    /// What a typed line is for.
    type Ask;
    /// What is looked at; when it changes, the detail is shown from its beginning.
    type Place: PartialEq;
    type End;
    const KEYS: &'static [Key<Self::Act>];

    /// The left and the right end of the first line.
    fn title(&self) -> [String; 2];

    /// The list above the detail; a program that shows one thing at a time has none.
    fn list(&self) -> Option<&List> {
        None
    }

    fn list_mut(&mut self) -> Option<&mut List> {
        None
    }

    /// The line above the list.
    fn heading(&self) -> String {
        String::new()
    }

    fn row(&self, _item: usize) -> String {
        String::new()
    }

    /// What stands in place of a list without rows.
    fn nothing(&self) -> &'static str {
        ""
    }

    /// The line between list and detail.
    fn rule(&self) -> String {
        String::new()
    }

    /// Puts into the list what fits its filter.
    fn fill(&mut self) {}

    fn place(&self) -> Self::Place;

    /// What there is to say about what is chosen, in lines of this width.
    fn detail(&self, width: usize) -> Vec<Line<'static>>;

    /// What is said whatever was pressed: before what the latest key did, and after it.
    fn status(&self) -> [Option<String>; 2] {
        [None, None]
    }

    /// Whether the foot shows a key now.
    fn offers(&self, _act: Self::Act) -> bool {
        true
    }

    fn act(
        &mut self,
        act: Self::Act,
        stage: &mut Stage<Self::Ask>,
    ) -> Result<Option<Self::End>, Failure>;

    /// What stands before the line that is typed.
    fn question(&self, ask: &Self::Ask) -> String;

    /// Takes a line that was typed, without blanks around it.
    fn answer(
        &mut self,
        ask: Self::Ask,
        line: &str,
        stage: &mut Stage<Self::Ask>,
    ) -> Result<(), Failure>;
}

/// What a typed line is for.
pub(super) enum Typing<A> {
    /// The filter of the list; what it was is kept.
    Filter(String),
    Own(A),
}

/// What the frame shows beside the program.
pub(in crate::cli) struct Stage<A> {
    pub(super) typing: Option<(Typing<A>, String)>,
    pub(super) message: Option<String>,
    pub(super) help: bool,
    scrolled: usize,
    /// The detail can be scrolled no further.
    most: usize,
}

impl<A> Stage<A> {
    /// Says what the key did.
    pub(in crate::cli) fn say(&mut self, message: impl Into<String>) {
        self.message = Some(message.into());
    }

    /// Lets a line be typed that begins with a text.
    pub(in crate::cli) fn ask(&mut self, ask: A, text: &str) {
        self.typing = Some((Typing::Own(ask), text.to_owned()));
    }

    /// How many lines of the detail are above the screen.
    pub(super) fn above(&self) -> usize {
        self.scrolled.min(self.most)
    }

    pub(super) fn scroll_at_most(&mut self, most: usize) {
        self.most = most;
    }
}

pub(in crate::cli) struct Frame<P: Program> {
    pub(in crate::cli) program: P,
    pub(super) stage: Stage<P::Ask>,
}

impl<P: Program> Frame<P> {
    pub(in crate::cli) fn new(program: P) -> Self {
        let stage = Stage { typing: None, message: None, help: false, scrolled: 0, most: 0 };
        Self { program, stage }
    }

    pub(in crate::cli) fn press(&mut self, press: Press) -> Result<Option<P::End>, Failure> {
        let place = self.program.place();
        let end = self.obey(press);
        self.look_from(&place);
        end
    }

    /// Takes pasted text into the line that is typed, as one line. It is never taken for keys.
    pub(in crate::cli) fn paste(&mut self, pasted: &str) {
        let place = self.program.place();
        let Some((_, line)) = &mut self.stage.typing else {
            self.stage.say("pasted text is ignored here");
            return;
        };
        let text = pasted.trim().replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
        let room = LONGEST.saturating_sub(line.chars().count());
        line.extend(text.chars().filter(|c| !c.is_control()).take(room));
        self.stage.message = None;
        self.filter_while_typing();
        self.look_from(&place);
    }

    /// Shows the detail from its beginning, unless it is of what was looked at before.
    fn look_from(&mut self, before: &P::Place) {
        if self.program.place() != *before {
            self.stage.scrolled = 0;
        }
    }

    fn obey(&mut self, press: Press) -> Result<Option<P::End>, Failure> {
        let stage = &mut self.stage;
        if std::mem::take(&mut stage.help) {
            return Ok(None);
        }
        stage.message = None;
        if let Some((typing, line)) = stage.typing.take() {
            return self.type_in(press, typing, line).map(|()| None);
        }
        match act_of(P::KEYS, press) {
            None => stage.say("unknown key; ? shows all keys"),
            Some(Act::Help) => stage.help = true,
            Some(Act::ScrollUp) => stage.scrolled = stage.above().saturating_sub(PAGE),
            Some(Act::ScrollDown) => stage.scrolled = (stage.above() + PAGE).min(stage.most),
            Some(Act::Go(to)) => {
                if let Some(list) = self.program.list_mut() {
                    list.go(to);
                }
            }
            Some(Act::Filter) => {
                if let Some(list) = self.program.list() {
                    let filter = list.filter.clone();
                    stage.typing = Some((Typing::Filter(filter.clone()), filter));
                }
            }
            Some(Act::Own(act)) => return self.program.act(act, stage),
        }
        Ok(None)
    }

    fn type_in(
        &mut self,
        press: Press,
        typing: Typing<P::Ask>,
        mut line: String,
    ) -> Result<(), Failure> {
        match (press, typing) {
            (Press::Enter, Typing::Filter(_)) => self.filter(line.trim()),
            (Press::Enter, Typing::Own(ask)) => {
                return self.program.answer(ask, line.trim(), &mut self.stage);
            }
            (Press::Escape | Press::Interrupt, Typing::Filter(before)) => self.filter(&before),
            (Press::Escape | Press::Interrupt, Typing::Own(_)) => {}
            (press, typing) => {
                match press {
                    Press::Char(c) if !c.is_control() && line.chars().count() < LONGEST => {
                        line.push(c);
                    }
                    Press::Backspace => _ = line.pop(),
                    _ => {}
                }
                self.stage.typing = Some((typing, line));
                self.filter_while_typing();
            }
        }
        Ok(())
    }

    fn filter_while_typing(&mut self) {
        if let Some((Typing::Filter(_), line)) = &self.stage.typing {
            let line = line.clone();
            self.filter(&line);
        }
    }

    fn filter(&mut self, words: &str) {
        if let Some(list) = self.program.list_mut() {
            words.clone_into(&mut list.filter);
            self.program.fill();
        }
    }
}

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
    act: Act<A>,
) -> Key<A> {
    Key { name, presses, word, about: "", command: "", act }
}

impl<A: Copy> Key<A> {
    pub(in crate::cli) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(in crate::cli) const fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }
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
    crate::cli::docs::hold(document, "keys", &rows.join("\n"));
}

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
