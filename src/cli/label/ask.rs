//! The questions on a screen: each answer is in its file before the next question is asked.

use super::draw::draw;
use super::failed;
use super::next::Shown;
use crate::cli::Failure;
use crate::cli::review::sign;
use crate::cli::screen::look::Look;
use crate::cli::screen::{Input, broken, next_input, with_terminal};
use crate::label::{LabelLine, add_labels, take_labels_back};
use crate::labelling::{Answered, Effect, Sheet};
use ratatui::DefaultTerminal;
use std::collections::HashMap;
use std::path::Path;

/// What came of the questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    /// How many were answered.
    pub(super) questions: usize,
    /// How many labels that made.
    pub(super) labels: usize,
}

/// Answers go to this file.
struct Kept<'a> {
    into: &'a Path,
    who: Option<&'a str>,
    /// By question.
    lines: HashMap<usize, Vec<LabelLine>>,
}

/// Asks the questions until somebody ends it.
pub(super) fn ask(questions: &[Shown], into: &Path, who: Option<&str>) -> Result<Answers, Failure> {
    let mut sheet = Sheet::new(questions.iter().map(|shown| shown.possible).collect());
    let mut kept = Kept { into, who, lines: HashMap::new() };
    with_terminal(|terminal| go(terminal, &mut sheet, (questions, &mut kept)))?;
    let labels = kept.lines.values().map(Vec::len).sum();
    Ok(Answers { questions: sheet.answered(), labels })
}

fn go(
    terminal: &mut DefaultTerminal,
    sheet: &mut Sheet,
    (questions, kept): (&[Shown], &mut Kept<'_>),
) -> Result<(), Failure> {
    let look = Look::of_environment();
    loop {
        let mut most = 0;
        let drawn = terminal.draw(|frame| most = draw(frame, (sheet, questions), look));
        drawn.map_err(|error| broken(&error))?;
        sheet.scroll_at_most(most);
        let effect = match next_input()? {
            Some(Input::Press(press)) => sheet.press(press),
            Some(Input::Paste(text)) => {
                sheet.paste(&text);
                continue;
            }
            None => continue,
        };
        match effect {
            Effect::Nothing => {}
            Effect::Say(answered) => {
                let shown = &questions[answered.question];
                if kept.say(shown, answered)? < shown.lines.len() {
                    sheet.tell("the file says otherwise by now, and was left as it is");
                }
            }
            Effect::TakeBack(question) => kept.take_back(question)?,
            Effect::End => return Ok(()),
        }
    }
}

impl Kept<'_> {
    /// Keeps an answer, and returns of how many exchanges.
    fn say(&mut self, shown: &Shown, answered: Answered) -> Result<usize, Failure> {
        let by = sign(self.who);
        let Answered { question, label, why } = answered;
        let said = |line: &LabelLine| LabelLine {
            label,
            why: why.clone(),
            who: Some(by.who.clone()),
            when: Some(by.when.clone()),
            ..line.clone()
        };
        let mut lines: Vec<LabelLine> = shown.lines.iter().map(said).collect();
        let done = add_labels(self.into, &lines).map_err(|error| failed(&error))?;
        // What somebody else said meanwhile stays, and is not ours to take back.
        let mut at = 0;
        lines.retain(|_| {
            at += 1;
            !done.against.iter().any(|against| against.at == at - 1)
        });
        let kept = lines.len();
        self.lines.insert(question, lines);
        Ok(kept)
    }

    fn take_back(&mut self, question: usize) -> Result<(), Failure> {
        if let Some(lines) = self.lines.remove(&question) {
            take_labels_back(self.into, &lines).map_err(|error| failed(&error))?;
        }
        Ok(())
    }
}
