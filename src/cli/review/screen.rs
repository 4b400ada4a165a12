//! The screen of a review: groups of what changed, exchanges of a group, and what keys decide.

use super::detail::{of_call, of_group};
use super::listing::{counts_words, groups_with, head, mark, mark_of};
use crate::cli::Failure;
use crate::cli::screen::Press::{Char, Down, Enter, Escape, Home, Interrupt, PageDown, PageUp, Up};
use crate::cli::screen::fit::{pad, pad_left};
use crate::cli::screen::{Act, End, Key, List, Press, Program, Stage, View, key, words};
use crate::review::What::{self, Accept, Reject, Skip};
use crate::review::{LogLine, Session, Signature, Subject, Target};
use crate::verdict::{counted, grouped};
use std::cell::OnceCell;

/// Digits of keys that are shown.
const KEY: usize = 12;
/// Columns of what became of a group.
const KIND: usize = 12;

/// What is being typed.
enum Ask {
    /// Why these are rejected.
    Reason(Vec<Target>),
    /// A note on a group.
    Note(usize),
}

/// A group that was gone into.
struct Inside {
    subject: usize,
    exchanges: List,
}

pub(super) struct ReviewScreen<'a> {
    pub(super) session: &'a mut Session,
    /// What became of each group and its first reply, once it was shown: they do not change.
    heads: Vec<OnceCell<String>>,
    groups: List,
    inside: Option<Inside>,
    asked: Option<Ask>,
    sign: &'a dyn Fn() -> Signature,
    /// Takes what was decided before anything else happens.
    keep: &'a mut dyn FnMut(&[LogLine]) -> Result<(), Failure>,
}

impl<'a> ReviewScreen<'a> {
    /// Begins at the first group that has these words and nobody decided about.
    pub(super) fn new(
        session: &'a mut Session,
        filter: &str,
        sign: &'a dyn Fn() -> Signature,
        keep: &'a mut dyn FnMut(&[LogLine]) -> Result<(), Failure>,
    ) -> Self {
        let groups = List { filter: filter.to_owned(), ..List::default() };
        let heads = vec![OnceCell::new(); session.subjects().len()];
        let (inside, asked) = (None, None);
        let mut screen = Self { session, heads, groups, inside, asked, sign, keep };
        screen.fill();
        screen.go_on();
        screen
    }

    /// Decides, or asks why first.
    fn decide(
        &mut self,
        targets: Vec<Target>,
        what: What,
        stage: &mut Stage,
    ) -> Result<(), Failure> {
        let Some(first) = targets.first() else {
            stage.say("everything is decided here");
            return Ok(());
        };
        if what == What::Reject {
            let note = self.note_of(first.subject);
            self.ask_why(targets, note, stage);
            return Ok(());
        }
        self.keep_decision(&targets, what, None, stage)
    }

    fn note_of(&self, subject: usize) -> String {
        self.session.subjects()[subject].state.note.clone().unwrap_or_default()
    }

    fn ask_why(&mut self, targets: Vec<Target>, note: String, stage: &mut Stage) {
        let those = if targets.len() == 1 { "it" } else { "these" };
        stage.ask(format!("reason for rejecting {those}: "), note);
        self.asked = Some(Ask::Reason(targets));
    }

    fn keep_decision(
        &mut self,
        targets: &[Target],
        what: What,
        note: Option<&str>,
        stage: &mut Stage,
    ) -> Result<(), Failure> {
        let lines = self.session.decide(targets, (what, note), &(self.sign)());
        (self.keep)(&lines)?;
        let done = what.name();
        stage.say(match targets {
            [one] => format!("{done} {}", self.name_of(*one)),
            several => format!("{done} {} at once; u undoes it", several.len()),
        });
        self.go_on();
        Ok(())
    }

    /// What was decided just now; exchanges that were decided one by one stay as they are.
    fn name_of(&self, Target { subject, key }: Target) -> String {
        if key.is_some() {
            return "one call".to_owned();
        }
        let Subject { id, state, .. } = &self.session.subjects()[subject];
        let alone = state.single.keys().map(|key| self.session.with_key(subject, *key).len());
        let together = self.session.counts_of(subject).all() - alone.sum::<usize>() as u64;
        format!("{id} ({})", counted(together, "call"))
    }

    fn is_open(&self, subject: usize) -> bool {
        self.session.counts_of(subject).of(None) > 0
    }

    fn rest(&self) -> Vec<Target> {
        let group = |subject| Target { subject, key: None };
        match &self.inside {
            None => {
                let groups = self.groups.items.iter().copied();
                groups.filter(|group| self.is_open(*group)).map(group).collect()
            }
            // All that is left of a group is decided at once, however many there are.
            Some(Inside { subject, exchanges }) if exchanges.filter.is_empty() => {
                self.is_open(*subject).then_some(group(*subject)).into_iter().collect()
            }
            Some(Inside { subject, exchanges }) => {
                let targets = exchanges.items.iter();
                let targets = targets.map(|number| exchange(self.session, *subject, *number));
                targets.filter(|target| self.session.decision(*target).is_none()).collect()
            }
        }
    }

    /// Goes to the next that nobody decided about; stays where there is none.
    fn go_on(&mut self) {
        let session = &*self.session;
        let is_found = match &mut self.inside {
            None => false,
            Some(Inside { subject, exchanges }) => {
                exchanges
                    .go_to(|number| session.decision(exchange(session, *subject, number)).is_none())
                    || !exchanges.filter.is_empty()
            }
        };
        if !is_found {
            // The group is done: on with the next one.
            self.inside = None;
            self.groups.go_to(|group| session.counts_of(group).of(None) > 0);
        }
    }

    fn enter(&mut self) {
        if let (None, Some(subject)) = (&self.inside, self.groups.chosen()) {
            self.inside = Some(Inside { subject, exchanges: List::default() });
            self.fill();
            if self.is_open(subject) {
                self.go_on();
            }
        }
    }

    fn back(&mut self) {
        match self.list() {
            Some(list) if !list.filter.is_empty() => {
                list.filter.clear();
                self.fill();
            }
            _ => self.inside = None,
        }
    }

    fn shown(&self) -> &List {
        self.inside.as_ref().map_or(&self.groups, |inside| &inside.exchanges)
    }

    /// What is chosen.
    pub(super) fn target(&self) -> Option<Target> {
        let chosen = self.shown().chosen()?;
        Some(match &self.inside {
            None => Target { subject: chosen, key: None },
            Some(inside) => exchange(self.session, inside.subject, chosen),
        })
    }

    fn exchanges_with(&self, subject: usize, words: &[String]) -> Vec<usize> {
        let numbers = self.session.subjects()[subject].flips.iter();
        let fits = |number: &&u32| {
            let Some(call) = self.session.material().call(**number) else { return false };
            let text = [call.server, call.tool, call.file].join("\n").to_lowercase();
            let key = call.key.to_string();
            words.iter().all(|word| key.starts_with(word) || text.contains(word))
        };
        numbers.filter(|it| words.is_empty() || fits(it)).map(|it| *it as usize).collect()
    }

    fn decided_words(&self, target: Target) -> String {
        if target.key.is_none() && !self.session.subjects()[target.subject].state.single.is_empty()
        {
            return counts_words(&self.session.counts_of(target.subject));
        }
        match self.session.decision(target) {
            None => "not decided".to_owned(),
            Some(decision) => {
                let why = decision.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
                format!("{} by {}{why}", decision.what.name(), decision.by.who)
            }
        }
    }

    fn group_row(&self, at: usize) -> String {
        let subject = &self.session.subjects()[at];
        format!(
            "{} {} {} {}  {} · {}",
            mark(&self.session.counts_of(at)),
            pad(subject.kind.words(), KIND),
            pad_left(&grouped(subject.flips.len() as u64), 9),
            pad_left(&grouped(subject.places.len() as u64), 7),
            self.heads[at].get_or_init(|| head(self.session, at)),
            subject.title,
        )
    }

    fn exchange_row(&self, subject: usize, number: usize) -> String {
        let target = exchange(self.session, subject, number);
        let what = self.session.decision(target).map(|decision| decision.what);
        let Some(call) = self.session.material().call(flip(number)) else { return String::new() };
        let mut key = call.key.to_string();
        // Repeats of one content differ behind the digits only.
        key.truncate(KEY);
        let place = match call.file {
            "" => String::new(),
            file => format!("  {file}:{}", call.line),
        };
        let by_label = call.flip.by_label;
        let by_label = by_label.map_or_else(String::new, |it| format!("  {}", it.words()));
        format!("{} {key}  {}/{}{place}{by_label}", mark_of(what), call.server, call.tool)
    }
}

/// Lists count by `usize`.
fn flip(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn exchange(session: &Session, subject: usize, number: usize) -> Target {
    Target { subject, key: session.material().call(flip(number)).map(|call| call.key) }
}

impl Program for ReviewScreen<'_> {
    const KEYS: &'static [Key] = &[
        key("a", &[Char('a')], "accept", Act::Decide(Accept))
            .about("accept: update the baseline")
            .command("tapecheck review AFTER --accept ID"),
        key("r", &[Char('r')], "reject", Act::Decide(Reject))
            .about("reject with a reason: the baseline stays as it is")
            .command("tapecheck review AFTER --reject ID --note WHY"),
        key("s", &[Char('s')], "skip", Act::Decide(Skip)).about("skip until the next review"),
        key("A", &[Char('A')], "", Act::DecideRest(Accept))
            .about("accept everything shown that is not decided yet")
            .command("tapecheck review AFTER --accept all"),
        key("R", &[Char('R')], "", Act::DecideRest(Reject))
            .about("reject everything shown that is not decided yet")
            .command("tapecheck review AFTER --reject all --note WHY"),
        key("S", &[Char('S')], "", Act::DecideRest(Skip))
            .about("skip everything shown that is not decided yet"),
        key("enter", &[Enter, Char('l')], "open", Act::Enter)
            .about("open the group and decide call by call")
            .command("tapecheck review AFTER --accept KEY"),
        key("esc", &[Escape, Char('h')], "", Act::Back)
            .about("back to the groups; clear the filter"),
        key("up k", &[Up, Char('k')], "", Act::Go(-1)).about("one up"),
        key("down j", &[Down, Char('j')], "", Act::Go(1)).about("one down"),
        key("home g", &[Home, Char('g')], "", Act::Go(isize::MIN)).about("to the first"),
        key("end G", &[Press::End, Char('G')], "", Act::Go(isize::MAX)).about("to the last"),
        key("page up K", &[PageUp, Char('K')], "", Act::ScrollUp).about("its details, up"),
        key("page down J", &[PageDown, Char('J'), Char(' ')], "", Act::ScrollDown)
            .about("its details, down"),
        key("/", &[Char('/')], "filter", Act::Filter)
            .about("filter by words in cause, kind, server or tool")
            .command("tapecheck review AFTER --filter WORDS"),
        key("n", &[Char('n')], "note", Act::Note)
            .about("add a note to the group's decision")
            .command("tapecheck review AFTER --accept ID --note TEXT"),
        key("u", &[Char('u')], "undo", Act::Undo)
            .about("undo the last step; repeat to undo more")
            .command("tapecheck review AFTER --undo"),
        key("w", &[Char('w')], "write", Act::End(End::Write))
            .about("write the decisions and quit")
            .command("tapecheck review AFTER --apply"),
        key("?", &[Char('?')], "help", Act::Help)
            .about("show all keys")
            .command("tapecheck review --help"),
        key("q", &[Char('q'), Interrupt], "quit", Act::End(End::Quit))
            .about("quit; decisions are kept but not written"),
    ];

    fn list(&mut self) -> Option<&mut List> {
        Some(self.inside.as_mut().map_or(&mut self.groups, |inside| &mut inside.exchanges))
    }

    fn row(&self, item: usize) -> String {
        match &self.inside {
            None => self.group_row(item),
            Some(inside) => self.exchange_row(inside.subject, item),
        }
    }

    fn fill(&mut self) {
        let words = words(&self.shown().filter);
        let items = match &self.inside {
            None => groups_with(self.session, &words),
            Some(inside) => self.exchanges_with(inside.subject, &words),
        };
        if let Some(list) = self.list() {
            list.fill(items);
        }
    }

    fn place(&self) -> (usize, usize) {
        let inside = self.inside.as_ref().map_or(usize::MAX, |inside| inside.subject);
        (inside, self.shown().chosen().unwrap_or(usize::MAX))
    }

    fn view(&self, width: usize) -> View {
        let comparison = &self.session.material().comparison;
        let counts = self.session.counts();
        let (all, open) = (counts.all(), counts.of(None));
        let rule = self.target().map_or_else(String::new, |target| {
            let subject = &self.session.subjects()[target.subject];
            let decided = self.decided_words(target);
            format!("── {} · {} · {decided} ", subject.id, subject.kind.words())
        });
        let detail = match (&self.inside, self.shown().chosen()) {
            (_, None) => Vec::new(),
            (None, Some(at)) => of_group(self.session, at, width),
            (Some(inside), Some(number)) => {
                of_call(self.session, inside.subject, flip(number), width)
            }
        };
        let heading = match self.inside {
            None => format!(
                "       {} {} {}  what became of them",
                pad("kind", KIND),
                pad_left("exchanges", 9),
                pad_left("servers", 7)
            ),
            Some(_) => format!("       {}  call", pad("key", KEY)),
        };
        let is_done = all > 0 && open == 0;
        View {
            title: [
                format!(" {} -> {}", comparison.before.name, comparison.after.name),
                format!("{} of {} left ", grouped(counts.left()), counted(all, "call")),
            ],
            heading,
            nothing: if self.shown().filter.is_empty() {
                "nothing changed"
            } else {
                "nothing matches the filter; esc clears it"
            },
            rule,
            detail,
            status: is_done.then(|| "everything is decided: press w to write".to_owned()),
        }
    }

    fn act(&mut self, act: Act, stage: &mut Stage) -> Result<(), Failure> {
        match (act, self.target()) {
            (Act::Decide(what), target) => {
                self.decide(target.into_iter().collect(), what, stage)?;
            }
            (Act::DecideRest(what), _) => self.decide(self.rest(), what, stage)?,
            (Act::Enter, _) => self.enter(),
            (Act::Back, _) => self.back(),
            (Act::Note, Some(Target { subject, .. })) => {
                stage.ask("note: ", self.note_of(subject));
                self.asked = Some(Ask::Note(subject));
            }
            (Act::Undo, _) => {
                let line = self.session.undo(&(self.sign)());
                (self.keep)(line.as_slice())?;
                let said = if line.is_some() { "undid the last step" } else { "nothing to undo" };
                stage.say(said);
            }
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, line: &str, stage: &mut Stage) -> Result<(), Failure> {
        match self.asked.take() {
            None => Ok(()),
            Some(Ask::Reason(targets)) if line.is_empty() => {
                stage.say("a rejection needs a reason; esc cancels");
                self.ask_why(targets, String::new(), stage);
                Ok(())
            }
            Some(Ask::Reason(targets)) => {
                self.keep_decision(&targets, What::Reject, Some(line), stage)
            }
            Some(Ask::Note(_)) if line.is_empty() => {
                stage.say("the note is empty");
                Ok(())
            }
            Some(Ask::Note(subject)) => {
                stage.say("noted");
                let line = self.session.annotate(subject, line, &(self.sign)());
                (self.keep)(line.as_slice())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Keys in, decisions out; and the screen as people see it.

    use super::ReviewScreen;
    use crate::cli::review::listing::counts_words;
    use crate::cli::screen::fit::{CHOSEN, STRONG};
    use crate::cli::screen::testing::{SMALL, drawn, press, said, seen};
    use crate::cli::screen::{Frame, Program as _, check_keys};
    use crate::review::testing::{by, session};
    use crate::review::{Deed, LogLine};
    use ratatui::style::Color;
    use std::cell::RefCell;

    const LARGE: (u16, u16) = (120, 40);

    /// Shows the screen to a test, with the lines that went to the log.
    fn on_screen<T>(
        test: impl FnOnce(&mut Frame<ReviewScreen<'_>>, &RefCell<Vec<LogLine>>) -> T,
    ) -> T {
        let log = RefCell::new(Vec::new());
        let mut keep = |lines: &[LogLine]| {
            log.borrow_mut().extend_from_slice(lines);
            Ok(())
        };
        let mut session = session();
        test(&mut Frame::new(ReviewScreen::new(&mut session, "", &by, &mut keep)), &log)
    }

    #[test]
    fn keys_decide_as_their_cases_show() {
        crate::cases::check("tests/cases/review-screen.txt", |case| {
            on_screen(|screen, log| {
                let after = |keys: &str| {
                    let end =
                        press(screen, keys).map(|end| format!("{end:?}; ")).unwrap_or_default();
                    let counts = counts_words(&screen.program.session.counts());
                    let (inside, chosen) = screen.program.place();
                    let group = if inside == usize::MAX { "groups" } else { "calls" };
                    let shown = screen.program.list().expect("a list").items.len();
                    let said = said(screen, SMALL);
                    let logged = log.borrow();
                    let note = logged.last().and_then(|line| match &line.deed {
                        Deed::Accept(about) | Deed::Reject(about) | Deed::Note(about) => {
                            about.note.clone()
                        }
                        _ => None,
                    });
                    let note = note.map(|note| format!(" (note: {note})")).unwrap_or_default();
                    let lines = logged.len();
                    format!(
                        "{end}{counts}; {chosen} of {shown} {group}; {lines} in the log{note}; {said}"
                    )
                };
                case.text.lines().map(after).collect::<Vec<_>>().join("\n")
            })
        });
    }

    #[test]
    fn the_keys_are_documented() {
        check_keys(ReviewScreen::KEYS, "docs/reviewing.md");
    }

    #[test]
    fn screens_look_as_their_cases_show() {
        crate::cases::check("tests/cases/review-screens.txt", |case| {
            on_screen(|screen, _| seen(screen, &case.text))
        });
    }

    #[test]
    fn every_size_can_be_drawn() {
        for keys in ["", "⏎", "?", "rwhy", "/x", "Gk"] {
            on_screen(|screen, _| {
                press(screen, keys);
                for width in [0, 1, 2, 5, 11, 12, 20, 79, 200] {
                    for height in [0, 1, 2, 5, 9, 24, 100] {
                        drawn(screen, (width, height), true);
                    }
                }
            });
        }
    }

    #[test]
    fn nothing_recorded_reaches_the_terminal_as_it_is() {
        for keys in ["", "⏎", "⏎jj", "G"] {
            on_screen(|screen, _| {
                press(screen, keys);
                for cell in drawn(screen, LARGE, true).content() {
                    let steers = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
                    assert!(!cell.symbol().contains(steers), "{:?}", cell.symbol());
                }
            });
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        on_screen(|screen, _| {
            press(screen, "⏎");
            let plain = drawn(screen, LARGE, false);
            assert!(
                plain
                    .content()
                    .iter()
                    .all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset))
            );
            let coloured = drawn(screen, LARGE, true);
            assert!(coloured.content().iter().any(|cell| cell.fg != Color::Reset));
        });
        // What has a colour is told in another way too.
        assert!([CHOSEN, STRONG].iter().all(|style| !style.add_modifier.is_empty()));
    }
}
