//! The frame of a full screen: it has a list, a detail and a table of keys, which it obeys; it types lines, scrolls and helps.
//! The program in it does the rest.

use crate::cli::Failure;
use crate::labels::Label;
use crate::review::What;
use ratatui::text::Line;

/// The longest line that can be typed, in characters.
const LONGEST: usize = 500;
/// Lines that a key scrolls by.
const PAGE: usize = 8;

/// What fills a screen: what there is to see, and what keys do.
pub(in crate::cli) trait Program {
    const KEYS: &'static [Key];

    /// The list above the detail; a program that shows one thing at a time has none.
    fn list(&mut self) -> Option<&mut List> {
        None
    }

    fn row(&self, _item: usize) -> String {
        String::new()
    }

    /// Puts into the list what fits its filter.
    fn fill(&mut self) {}

    /// What is looked at; when it changes, the detail is shown from its beginning.
    fn place(&self) -> (usize, usize);

    /// What there is to see, in so many columns.
    fn view(&self, width: usize) -> View;

    /// Whether the foot shows a key now.
    fn offers(&self, _act: Act) -> bool {
        true
    }

    fn act(&mut self, act: Act, stage: &mut Stage) -> Result<(), Failure>;

    /// Takes a line that was asked for, without blanks around it.
    fn answer(&mut self, line: &str, stage: &mut Stage) -> Result<(), Failure>;
}

#[derive(Default)]
pub(in crate::cli) struct View {
    /// The left and the right end of the first line.
    pub(in crate::cli) title: [String; 2],
    /// The line above the list.
    pub(in crate::cli) heading: String,
    /// What stands in place of a list without rows.
    pub(in crate::cli) nothing: &'static str,
    /// The line between list and detail.
    pub(in crate::cli) rule: String,
    pub(in crate::cli) detail: Vec<Line<'static>>,
    /// What is said whatever was pressed.
    pub(in crate::cli) status: Option<String>,
}

/// A line that is being typed.
pub(super) struct Typing {
    pub(super) question: String,
    pub(super) line: String,
    /// Where the filter of the list is typed: what it was.
    filter_before: Option<String>,
}

/// What the frame shows beside the program.
#[derive(Default)]
pub(in crate::cli) struct Stage {
    pub(super) typing: Option<Typing>,
    pub(super) message: Option<String>,
    pub(super) help: bool,
    scrolled: usize,
    /// The detail can be scrolled no further.
    pub(super) most: usize,
}

impl Stage {
    /// Says what the key did.
    pub(in crate::cli) fn say(&mut self, message: impl Into<String>) {
        self.message = Some(message.into());
    }

    /// Lets a line be typed that begins with a text.
    pub(in crate::cli) fn ask(&mut self, question: impl Into<String>, line: String) {
        self.typing = Some(Typing { question: question.into(), line, filter_before: None });
    }

    /// How many lines of the detail are above the screen.
    pub(super) fn above(&self) -> usize {
        self.scrolled.min(self.most)
    }
}

pub(in crate::cli) struct Frame<P> {
    pub(in crate::cli) program: P,
    pub(super) stage: Stage,
}

impl<P: Program> Frame<P> {
    pub(in crate::cli) fn new(program: P) -> Self {
        Self { program, stage: Stage::default() }
    }

    pub(in crate::cli) fn press(&mut self, press: Press) -> Result<Option<End>, Failure> {
        let place = self.program.place();
        let end = self.obey(press);
        self.look_from(place);
        end
    }

    /// Takes pasted text into the line that is typed, as one line. It is never taken for keys.
    pub(in crate::cli) fn paste(&mut self, pasted: &str) {
        let place = self.program.place();
        let Some(Typing { line, .. }) = &mut self.stage.typing else {
            self.stage.say("pasted text is ignored here");
            return;
        };
        let text = pasted.trim().replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
        let room = LONGEST.saturating_sub(line.chars().count());
        line.extend(text.chars().filter(|c| !c.is_control()).take(room));
        self.stage.message = None;
        self.filter_while_typing();
        self.look_from(place);
    }

    /// Shows the detail from its beginning, unless it is of what was looked at before.
    fn look_from(&mut self, before: (usize, usize)) {
        if self.program.place() != before {
            self.stage.scrolled = 0;
        }
    }

    fn obey(&mut self, press: Press) -> Result<Option<End>, Failure> {
        let stage = &mut self.stage;
        if std::mem::take(&mut stage.help) {
            return Ok(None);
        }
        stage.message = None;
        if let Some(typing) = stage.typing.take() {
            return self.type_in(press, typing).map(|()| None);
        }
        let Some(key) = P::KEYS.iter().find(|row| row.presses.contains(&press)) else {
            stage.say("unknown key; ? shows all keys");
            return Ok(None);
        };
        match (key.act, self.program.list()) {
            (Act::End(end), _) => return Ok(Some(end)),
            (Act::Help, _) => stage.help = true,
            (Act::ScrollUp, _) => stage.scrolled = stage.above().saturating_sub(PAGE),
            (Act::ScrollDown, _) => stage.scrolled = (stage.above() + PAGE).min(stage.most),
            (Act::Go(by), Some(list)) => list.go(by),
            (Act::Filter, Some(List { filter, .. })) => {
                stage.ask("show only: ", filter.clone());
                let filter = Some(filter.clone());
                stage.typing.iter_mut().for_each(|it| it.filter_before.clone_from(&filter));
            }
            (act, _) => self.program.act(act, stage)?,
        }
        Ok(None)
    }

    fn type_in(&mut self, press: Press, mut typing: Typing) -> Result<(), Failure> {
        match (press, &typing.filter_before) {
            (Press::Enter, Some(_)) => self.filter(typing.line.trim()),
            (Press::Enter, None) => {
                return self.program.answer(typing.line.trim(), &mut self.stage);
            }
            (Press::Escape | Press::Interrupt, Some(before)) => self.filter(before),
            (Press::Escape | Press::Interrupt, None) => {}
            (press, _) => {
                match press {
                    Press::Char(c) if !c.is_control() && typing.line.chars().count() < LONGEST => {
                        typing.line.push(c);
                    }
                    Press::Backspace => _ = typing.line.pop(),
                    _ => {}
                }
                self.stage.typing = Some(typing);
                self.filter_while_typing();
            }
        }
        Ok(())
    }

    fn filter_while_typing(&mut self) {
        if let Some(Typing { line, filter_before: Some(_), .. }) = &self.stage.typing {
            let line = line.clone();
            self.filter(&line);
        }
    }

    fn filter(&mut self, words: &str) {
        if let Some(list) = self.program.list() {
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

/// What a key does: first what the frame does itself, then what is left to its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Act {
    /// Chooses another row of the list, so many further down.
    Go(isize),
    /// Asks for words and shows only the rows that have them.
    Filter,
    ScrollUp,
    ScrollDown,
    Help,
    End(End),
    Decide(What),
    /// The same about everything shown that is not decided yet.
    DecideRest(What),
    Enter,
    Back,
    Note,
    Undo,
    Say(Label),
    Skip,
}

/// How a screen ends. What was decided is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum End {
    Quit,
    Write,
}

/// A row of a table of keys, which the screen obeys, its foot and help show, and documents print.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Key {
    pub(super) name: &'static str,
    presses: &'static [Press],
    /// A word for the foot of the screen; empty where there is no room for it.
    pub(super) word: &'static str,
    pub(super) about: &'static str,
    /// The command that does the same; empty where there is none.
    pub(super) command: &'static str,
    pub(super) act: Act,
}

pub(in crate::cli) const fn key(
    name: &'static str,
    presses: &'static [Press],
    word: &'static str,
    act: Act,
) -> Key {
    Key { name, presses, word, about: "", command: "", act }
}

impl Key {
    pub(in crate::cli) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(in crate::cli) const fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }
}

/// Checks a table of keys, and that a document shows it; `TAPECHECK_WRITE_DOCS` writes it there.
#[cfg(test)]
pub(in crate::cli) fn check(keys: &[Key], document: &str) {
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

/// The items that are shown, by numbers that the program gives them; one of them is chosen.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct List {
    pub(in crate::cli) items: Vec<usize>,
    pub(in crate::cli) at: usize,
    pub(in crate::cli) filter: String,
}

impl List {
    pub(in crate::cli) fn chosen(&self) -> Option<usize> {
        self.items.get(self.at).copied()
    }

    pub(in crate::cli) fn fill(&mut self, items: Vec<usize>) {
        self.items = items;
        self.at = self.at.min(self.items.len().saturating_sub(1));
    }

    fn go(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.items.len().saturating_sub(1));
    }

    /// Chooses the next wanted item, from the chosen one on and around; else stays, and is `false`.
    pub(in crate::cli) fn go_to(&mut self, is_wanted: impl Fn(usize) -> bool) -> bool {
        let count = self.items.len();
        let found = (self.at..count).chain(0..self.at.min(count));
        let found = found.into_iter().find(|at| is_wanted(self.items[*at]));
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }
}

/// The words of a filter, in lower case.
pub(in crate::cli) fn words(filter: &str) -> Vec<String> {
    filter.split_whitespace().map(str::to_lowercase).collect()
}
