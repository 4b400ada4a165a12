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
use crate::labels::{Label, LabelLine, Said, add_labels, take_labels_back};
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
            said: Said::of_call(label, shown.is_error()),
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
            "flagged as an error: refused or failed?"
        } else {
            "not flagged as an error: worked, refused or failed?"
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
                let rows = wrap(row, room, MOST_LINES).into_iter();
                lines.extend(rows.map(|row| Line::from(plain(&format!("  {row}")))));
            }
        }
        lines
    }
}

impl Program for Sheet<'_> {
    const KEYS: &'static [Key] = &[
        key("w", &[Char('w')], "worked", Act::Say(Label::Worked))
            .about("worked: the tool did what was asked, even if it found nothing"),
        key("r", &[Char('r')], "refused", Act::Say(Label::Refused))
            .about("refused: the tool works and refused the request, for a reason"),
        key("f", &[Char('f')], "failed", Act::Say(Label::Failed))
            .about("failed: the tool or something behind it failed"),
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

#[cfg(test)]
mod tests {
    //! Keys in, labels out; and the screen as people see it.

    use super::Sheet;
    use crate::cli::label::next::Shown;
    use crate::cli::screen::testing::{drawn, press, said, seen};
    use crate::cli::screen::{Frame, Program as _, check_keys};
    use crate::labels::{LabelLine, Said, labels_for, read_labels};
    use crate::measure::next::{Page, Sketch};
    use crate::redact::Redactor;
    use crate::verdict::Ground;
    use std::path::Path;

    fn shown(id: &str, ground: Ground, reply: &str, equal: usize) -> Shown {
        let page = Page {
            id: Some(id.to_owned()),
            input: Redactor::none().tell_part(r#"{"order":"7\u001b[2J"}"#),
            reply: Redactor::none().tell_part(reply),
            hash: 0,
            sketch: Sketch::of(reply),
        };
        let possible = labels_for(ground);
        let line = LabelLine {
            key: None,
            file: Some("orders.jsonl".to_owned()),
            id: Some(id.to_owned()),
            said: Said::of_call(possible[0], ground.is_error()),
            why: None,
            who: None,
            when: None,
        };
        let lines = (0..equal).map(|at| match at {
            0 => line.clone(),
            at => LabelLine { id: Some(format!("{id}-{at}")), ..line.clone() },
        });
        Shown {
            lines: lines.collect(),
            page,
            call: "orders/get_order".to_owned(),
            place: "recordings/orders.jsonl:3".to_owned(),
            possible,
            equal,
            why:
                "a single pattern decides the verdict; its reply is unlike any labelled or earlier one"
                    .to_owned(),
        }
    }

    fn questions() -> Vec<Shown> {
        let long =
            "a line that is long enough to be broken into several on a small screen\n".repeat(30);
        vec![
            shown("3", Ground::Error, "Order 7 not found\n\u{1b}[31m配送サービス\u{202e}", 3),
            shown("4", Ground::Content, &long, 1),
            shown("5", Ground::Error, "Order 8 not found", 1),
        ]
    }

    /// Shows some of the questions to a test, with the file that takes the answers.
    fn on_screen<T>(count: usize, test: impl FnOnce(&mut Frame<Sheet<'_>>, &Path) -> T) -> T {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let into = folder.path().join("labels.jsonl");
        let questions: Vec<Shown> = questions().into_iter().take(count).collect();
        test(&mut Frame::new(Sheet::new(&questions, &into)), &into)
    }

    #[test]
    fn keys_label_as_their_cases_show() {
        crate::cases::check("tests/cases/label-screen.txt", |case| {
            on_screen(3, |sheet, file| {
                let after = |line: &str| {
                    if let Some(text) = line.strip_prefix("the file says: ") {
                        std::fs::write(file, format!("{text}\n")).expect("a file");
                    } else if let Some(text) = line.strip_prefix("pasted: ") {
                        sheet.paste(&text.replace('|', "\r"));
                    } else {
                        press(sheet, line);
                    }
                    let lines =
                        if file.exists() { read_labels(file).expect("labels") } else { vec![] };
                    let label = |it: LabelLine| {
                        let why = it.why.map(|why| format!(" ({why})")).unwrap_or_default();
                        format!("{} {}{why}", it.id.unwrap_or_default(), it.said.label.name())
                    };
                    let labels = lines.into_iter().map(label).collect::<Vec<_>>().join(", ");
                    let program = &sheet.program;
                    let counts = (program.place().0, program.answered(), program.labels());
                    let said = said(sheet, SIZE);
                    format!("{counts:?} [{labels}] {said}")
                };
                case.text.lines().map(after).collect::<Vec<_>>().join("\n")
            })
        });
    }

    #[test]
    fn the_keys_are_documented() {
        check_keys(Sheet::KEYS, "docs/labels.md");
    }

    const SIZE: (u16, u16) = (80, 16);

    #[test]
    fn screens_look_as_their_cases_show() {
        crate::cases::check("tests/cases/label-screens.txt", |case| {
            on_screen(2, |sheet, _| seen(sheet, &case.text))
        });
    }

    #[test]
    fn every_size_can_be_drawn() {
        for keys in ["", "?", "nwhy", "rw"] {
            on_screen(2, |sheet, _| {
                press(sheet, keys);
                for width in [0, 1, 2, 7, 20, 200] {
                    for height in [0, 1, 2, 3, 9, 50] {
                        for cell in drawn(sheet, (width, height), true).content() {
                            assert!(!cell.symbol().contains(['\u{1b}', '\u{202e}']));
                        }
                    }
                }
            });
        }
    }
}
