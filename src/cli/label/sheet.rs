//! The screen of questions: what was called, what came back, and which key says what. Each answer is
//! in its file before the next question is asked.
//!
//! What the rulebook made of the exchange is not shown: a label that follows it is worth nothing.

use super::next::Shown;
use crate::cli::Failure;
use crate::cli::review::sign;
use crate::cli::screen::Press::{Char, Down, Interrupt, PageDown, PageUp, Up};
use crate::cli::screen::fit::{FAINT, STRONG, cut, plain, span, wrap};
use crate::cli::screen::{Act, End, Key, Program, Stage, View, key};
use crate::labels::{Label, LabelLine, add_labels, take_labels_back};
use ratatui::text::Line;
use std::path::Path;

const MOST_LINES: usize = 2_000;

/// An answer, and the labels that the file got by it.
struct Answer {
    label: Label,
    lines: Vec<LabelLine>,
}

/// Questions with a place in them.
pub(super) struct Sheet<'a> {
    questions: &'a [Shown],
    into: &'a Path,
    notes: Vec<Option<String>>,
    /// Those that were passed; skipped ones have no answer.
    passed: Vec<Option<Answer>>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(questions: &'a [Shown], into: &'a Path) -> Self {
        let notes = vec![None; questions.len()];
        Self { questions, into, notes, passed: Vec::new() }
    }

    /// The question that is asked; none after the last one.
    fn asked(&self) -> Option<&'a Shown> {
        self.questions.get(self.passed.len())
    }

    pub(super) fn answered(&self) -> usize {
        self.passed.iter().flatten().count()
    }

    /// How many labels that made.
    pub(super) fn labels(&self) -> usize {
        self.passed.iter().flatten().map(|answer| answer.lines.len()).sum()
    }

    fn note(&self) -> Option<&str> {
        self.notes.get(self.passed.len())?.as_deref()
    }

    fn say(&mut self, label: Label, stage: &mut Stage) -> Result<(), Failure> {
        let Some(shown) = self.asked() else { return Ok(()) };
        if !shown.possible.contains(&label) {
            let words: Vec<&str> = shown.possible.iter().map(|label| label.name()).collect();
            stage.say(format!("this reply is {}", words.join(" or ")));
            return Ok(());
        }
        let by = sign();
        let labelled = |line: &LabelLine| LabelLine {
            label,
            why: self.note().map(str::to_owned),
            who: Some(by.who.clone()),
            when: Some(by.when.clone()),
            ..line.clone()
        };
        let lines: Vec<LabelLine> = shown.lines.iter().map(labelled).collect();
        let done = add_labels(self.into, &lines)?;
        if !done.against.is_empty() {
            stage.say("the file changed in the meantime and was left as it is");
        }
        // What somebody else said meanwhile stays, and is not ours to take back.
        let is_ours = |at: &usize| done.against.iter().all(|against| against.at != *at);
        let lines = lines.into_iter().enumerate().filter(|(at, _)| is_ours(at));
        let lines = lines.map(|(_, line)| line).collect();
        self.passed.push(Some(Answer { label, lines }));
        Ok(())
    }

    fn undo(&mut self, stage: &mut Stage) -> Result<(), Failure> {
        match self.passed.pop() {
            None => stage.say("there is no answer to undo"),
            Some(None) => {}
            Some(Some(Answer { label, lines })) => {
                take_labels_back(self.into, &lines)?;
                stage.say(format!("undid {}", label.name()));
            }
        }
        Ok(())
    }

    fn detail(&self, width: usize) -> Vec<Line<'static>> {
        let Some(shown) = self.asked() else {
            let answered = self.answered();
            let text = format!(" {answered} answered and saved; q quits, u undoes the last one");
            return vec![Line::default(), plain(&text).into()];
        };
        let kind = if shown.is_error() {
            "an error: business logic or a tool failure?"
        } else {
            "no error: did it work, or does it hide a failure?"
        };
        let mut lines: Vec<Line<'static>> = vec![
            span(&cut(&format!(" {}", shown.call), width), STRONG).into(),
            plain(&cut(&format!(" {} · {kind}", shown.place), width)).into(),
            span(&cut(&format!(" why: {}", shown.why), width), FAINT).into(),
        ];
        let equal = shown.equal_words();
        if !equal.is_empty() {
            lines.push(plain(&cut(&format!(" {equal}"), width)).into());
        }
        let room = width.saturating_sub(2).max(1);
        for (heading, text) in [(" input", &shown.page.input), (" reply", &shown.page.reply)] {
            lines.push(Line::default());
            lines.push(span(&cut(heading, width), STRONG).into());
            let text = if text.as_ref().is_empty() { "(nothing)" } else { text.as_ref() };
            for row in text.lines().take(MOST_LINES) {
                for spans in wrap(&[plain(row)], room, MOST_LINES) {
                    lines.push(std::iter::once(plain("  ")).chain(spans).collect());
                }
            }
        }
        lines
    }
}

impl Program for Sheet<'_> {
    const KEYS: &'static [Key] = &[
        key("b", &[Char('b')], "business logic", Act::Say(Label::BusinessLogic))
            .about("business_logic: an error; the tool works and refused the request"),
        key("t", &[Char('t')], "tool failure", Act::Say(Label::ToolFailure))
            .about("tool_failure: an error; the tool or something behind it failed"),
        key("o", &[Char('o')], "ok", Act::Say(Label::Ok))
            .about("ok: no error; the tool did what was asked"),
        key("h", &[Char('h')], "hidden failure", Act::Say(Label::HiddenFailure))
            .about("hidden_failure: no error, but the reply says that it failed"),
        key("n", &[Char('n')], "note", Act::Note).about("add a note to the next answer"),
        key("s", &[Char('s')], "skip", Act::Skip).about("skip this call"),
        key("u", &[Char('u')], "undo", Act::Undo)
            .about("undo the last answer or skip; repeat to undo more"),
        key("up k", &[Up, Char('k'), PageUp], "", Act::ScrollUp).about("scroll up"),
        key("down j", &[Down, Char('j'), PageDown, Char(' ')], "", Act::ScrollDown)
            .about("scroll down"),
        key("?", &[Char('?')], "keys", Act::Help).about("show all keys"),
        key("q", &[Char('q'), Interrupt], "quit", Act::End(End::Quit))
            .about("quit; every answer is saved already"),
    ];

    fn place(&self) -> (usize, usize) {
        (self.passed.len(), 0)
    }

    fn view(&self, width: usize) -> View {
        let at = self.passed.len();
        let left = match self.asked() {
            Some(_) => format!(" question {} of {}", at + 1, self.questions.len()),
            None => " nothing left to label".to_owned(),
        };
        View {
            title: [left, format!("{} answered ", self.answered())],
            detail: self.detail(width),
            status: self.note().map(|note| format!("note: {note}")),
            ..View::default()
        }
    }

    fn offers(&self, act: Act) -> bool {
        match act {
            Act::Say(label) => self.asked().is_some_and(|it| it.possible.contains(&label)),
            Act::Note | Act::Skip => self.asked().is_some(),
            _ => true,
        }
    }

    fn act(&mut self, act: Act, stage: &mut Stage) -> Result<(), Failure> {
        match act {
            Act::Say(label) => self.say(label, stage)?,
            Act::Undo => self.undo(stage)?,
            _ if self.asked().is_none() => {}
            Act::Skip => self.passed.push(None),
            Act::Note => stage.ask(" why? ", self.note().unwrap_or_default().to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, line: &str, _: &mut Stage) -> Result<(), Failure> {
        self.notes[self.passed.len()] = Some(line.to_owned()).filter(|note| !note.is_empty());
        Ok(())
    }
}
