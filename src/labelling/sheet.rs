//! Questions with a place in them: keys go in, answers come out.

use crate::label::Label;
use crate::review::{KeyRow, Press, Scroll, act_of, key_row};

/// The longest note that can be typed, in characters.
const LONGEST: usize = 500;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// Say this of it.
    Say(Label),
    /// Go on without an answer.
    Skip,
    /// Take the latest answer back.
    Undo,
    /// Say why.
    Note,
    /// What is shown, further up.
    Up,
    /// What is shown, further down.
    Down,
    /// Show the keys.
    Help,
    /// End.
    Quit,
}

/// Every key. The screen obeys it, its help shows it, and the documents print it.
pub const KEYS: [KeyRow<Act>; 11] = [
    key_row(
        ("b", &[Press::Char('b')]),
        "business logic",
        ("business_logic: an error; the tool works and refused", ""),
        Act::Say(Label::BusinessLogic),
    ),
    key_row(
        ("t", &[Press::Char('t')]),
        "tool failure",
        ("tool_failure: an error; the tool or something behind it failed", ""),
        Act::Say(Label::ToolFailure),
    ),
    key_row(
        ("o", &[Press::Char('o')]),
        "ok",
        ("ok: no error; the tool did what was asked", ""),
        Act::Say(Label::Ok),
    ),
    key_row(
        ("h", &[Press::Char('h')]),
        "hidden failure",
        ("hidden_failure: no error, but the reply says that it failed", ""),
        Act::Say(Label::HiddenFailure),
    ),
    key_row(
        ("n", &[Press::Char('n')]),
        "note",
        ("say why; the answer that follows carries it", ""),
        Act::Note,
    ),
    key_row(("s", &[Press::Char('s')]), "skip", ("go on without an answer", ""), Act::Skip),
    key_row(
        ("u", &[Press::Char('u')]),
        "undo",
        ("take the latest answer or skip back, and the one before it", ""),
        Act::Undo,
    ),
    key_row(
        ("up k", &[Press::Up, Press::Char('k'), Press::PageUp]),
        "",
        ("further up in what is shown", ""),
        Act::Up,
    ),
    key_row(
        ("down j", &[Press::Down, Press::Char('j'), Press::PageDown, Press::Char(' ')]),
        "",
        ("further down in what is shown", ""),
        Act::Down,
    ),
    key_row(("?", &[Press::Char('?')]), "keys", ("show all keys", ""), Act::Help),
    key_row(
        ("q", &[Press::Char('q'), Press::Interrupt]),
        "quit",
        ("end; every answer is saved already", ""),
        Act::Quit,
    ),
];

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that has to be kept.
    Nothing,
    /// An answer, to be kept before anything else happens.
    Say(Answered),
    /// An answer of this question, to be taken back.
    TakeBack(usize),
    /// The end.
    End,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The question, by its place.
    pub question: usize,
    /// What was said.
    pub label: Label,
    /// Why.
    pub why: Option<String>,
}

/// Questions with a place in them.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The labels that each may get.
    possible: Vec<&'static [Label]>,
    notes: Vec<Option<String>>,
    /// Whether each that was passed was answered.
    passed: Vec<Option<Label>>,
    typing: Option<String>,
    scroll: Scroll,
    help: bool,
    message: Option<String>,
}

impl Sheet {
    /// Begins at the first question, given the labels that each may get.
    #[must_use]
    pub fn new(possible: Vec<&'static [Label]>) -> Self {
        let notes = vec![None; possible.len()];
        let (passed, typing, message) = (Vec::new(), None, None);
        Self { possible, notes, passed, typing, scroll: Scroll::default(), help: false, message }
    }

    /// The question that is asked, by its place; `None` after the last one.
    #[must_use]
    pub fn at(&self) -> Option<usize> {
        Some(self.passed.len()).filter(|at| *at < self.possible.len())
    }

    /// How many questions there are.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.possible.len()
    }

    /// How many were answered.
    #[must_use]
    pub fn answered(&self) -> usize {
        self.passed.iter().flatten().count()
    }

    /// The labels that the question may get.
    #[must_use]
    pub fn possible(&self) -> &'static [Label] {
        self.at().map_or(&[], |at| self.possible[at])
    }

    /// What is being typed.
    #[must_use]
    pub fn typing(&self) -> Option<&str> {
        self.typing.as_deref()
    }

    /// The note on the question.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.notes.get(self.at()?)?.as_deref()
    }

    /// How far what is shown is scrolled.
    #[must_use]
    pub fn scrolled(&self) -> usize {
        self.scroll.at()
    }

    /// What is shown can be scrolled no further than this.
    pub fn scroll_at_most(&mut self, most: usize) {
        self.scroll.at_most(most);
    }

    /// Whether the keys are shown.
    #[must_use]
    pub fn shows_help(&self) -> bool {
        self.help
    }

    /// What the latest key did.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Tells what came of the latest answer.
    pub fn tell(&mut self, message: &str) {
        self.message = Some(message.to_owned());
    }

    /// Takes pasted text: into a note that is being typed, and nowhere else.
    pub fn paste(&mut self, text: &str) {
        match &mut self.typing {
            Some(typed) => {
                let line = text.replace(['\r', '\n'], " ");
                let room = LONGEST.saturating_sub(typed.chars().count());
                typed.extend(line.chars().filter(|c| !c.is_control()).take(room));
            }
            None => self.message = Some("nothing is being typed; n begins a note".to_owned()),
        }
    }

    /// Obeys a key.
    pub fn press(&mut self, press: Press) -> Effect {
        if self.help {
            self.help = false;
            return Effect::Nothing;
        }
        self.message = None;
        if self.typing.is_some() {
            self.type_key(press);
            return Effect::Nothing;
        }
        act_of(&KEYS, press).map_or(Effect::Nothing, |act| self.act(act))
    }

    fn type_key(&mut self, press: Press) {
        let at = self.at();
        let Some(typed) = &mut self.typing else { return };
        match press {
            Press::Char(c) if typed.chars().count() < LONGEST => typed.push(c),
            Press::Backspace => _ = typed.pop(),
            Press::Enter => {
                let note = typed.trim().to_owned();
                if let Some(at) = at {
                    self.notes[at] = Some(note).filter(|note| !note.is_empty());
                }
                self.typing = None;
            }
            Press::Escape | Press::Interrupt => self.typing = None,
            Press::Char(_)
            | Press::Up
            | Press::Down
            | Press::PageUp
            | Press::PageDown
            | Press::Home
            | Press::End => {}
        }
    }

    fn act(&mut self, act: Act) -> Effect {
        match act {
            Act::Say(label) => return self.say(label),
            Act::Undo => return self.undo(),
            Act::Quit => return Effect::End,
            Act::Skip if self.at().is_some() => self.pass(None),
            Act::Note if self.at().is_some() => {
                self.typing = Some(self.note().unwrap_or_default().to_owned());
            }
            Act::Skip | Act::Note => {}
            Act::Up => self.scroll.up(),
            Act::Down => self.scroll.down(),
            Act::Help => self.help = true,
        }
        Effect::Nothing
    }

    fn say(&mut self, label: Label) -> Effect {
        let Some(question) = self.at() else { return Effect::Nothing };
        let possible = self.possible();
        if !possible.contains(&label) {
            let words: Vec<&str> = possible.iter().map(|label| label.name()).collect();
            self.message = Some(format!("this reply is {}", words.join(" or ")));
            return Effect::Nothing;
        }
        let why = self.notes[question].clone();
        self.pass(Some(label));
        Effect::Say(Answered { question, label, why })
    }

    fn pass(&mut self, answer: Option<Label>) {
        self.passed.push(answer);
        self.scroll.to_begin();
    }

    fn undo(&mut self) -> Effect {
        self.scroll.to_begin();
        match self.passed.pop() {
            None => {
                self.message = Some("there is no answer to take back".to_owned());
                Effect::Nothing
            }
            Some(None) => Effect::Nothing,
            Some(Some(label)) => {
                self.message = Some(format!("took {} back", label.name()));
                Effect::TakeBack(self.passed.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &[Label] = &[Label::BusinessLogic, Label::ToolFailure];
    const OTHER: &[Label] = &[Label::Ok, Label::HiddenFailure];

    fn press(sheet: &mut Sheet, keys: &str) -> Vec<Effect> {
        let key = |key| if key == '⏎' { Press::Enter } else { Press::Char(key) };
        let effects: Vec<Effect> = keys.chars().map(|c| sheet.press(key(c))).collect();
        effects.into_iter().filter(|effect| *effect != Effect::Nothing).collect()
    }

    fn say(question: usize, label: Label, why: Option<&str>) -> Effect {
        Effect::Say(Answered { question, label, why: why.map(str::to_owned) })
    }

    #[test]
    fn answers_go_out_one_by_one_and_come_back() {
        let mut sheet = Sheet::new(vec![ERROR, OTHER, ERROR]);
        assert_eq!(press(&mut sheet, "b"), [say(0, Label::BusinessLogic, None)]);
        assert_eq!(press(&mut sheet, "ns o⏎h"), [say(1, Label::HiddenFailure, Some("s o"))]);
        assert_eq!(press(&mut sheet, "s"), []);
        assert_eq!((sheet.at(), sheet.answered()), (None, 2));
        assert_eq!(press(&mut sheet, "bot"), [], "nothing is asked any more");
        assert_eq!(press(&mut sheet, "uu"), [Effect::TakeBack(1)], "the skip first");
        assert_eq!(sheet.note(), Some("s o"), "the note stays");
        assert_eq!(press(&mut sheet, "uu"), [Effect::TakeBack(0)]);
        assert_eq!(sheet.message(), Some("there is no answer to take back"));
        assert_eq!(press(&mut sheet, "q"), [Effect::End]);
    }

    #[test]
    fn an_error_is_not_ok_and_pasted_text_is_no_answer() {
        let mut sheet = Sheet::new(vec![ERROR]);
        assert_eq!(press(&mut sheet, "oh"), []);
        assert_eq!(sheet.message(), Some("this reply is business_logic or tool_failure"));
        sheet.paste("b");
        assert_eq!((sheet.at(), sheet.answered()), (Some(0), 0));
        press(&mut sheet, "n");
        sheet.paste("one\rtwo");
        assert_eq!(sheet.typing(), Some("one two"));
        assert_eq!(press(&mut sheet, "⏎?b"), [], "any key leaves the help");
        assert_eq!(press(&mut sheet, "t"), [say(0, Label::ToolFailure, Some("one two"))]);
    }

    #[test]
    fn no_key_does_two_things() {
        let presses: Vec<Press> = KEYS.iter().flat_map(|row| row.presses).copied().collect();
        let mut different = presses.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), presses.len());
        let foot: usize = KEYS.iter().map(|row| row.name.len() + row.word.len() + 3).sum();
        assert!(foot < 130, "{foot}");
    }
}
