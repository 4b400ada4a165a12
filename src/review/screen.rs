//! The session with a place in it: keys go in, decisions come out. It draws nothing.

use super::keys::{Act, KEYS, Press, act_of};
use super::scroll::Scroll;
use super::session::{Session, Signature, Target};
use super::{LogLine, What};
use crate::verdict::counted;

/// The longest reason, note or filter that can be typed, in characters.
const LONGEST: usize = 500;

/// Where in the session the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the groups.
    Groups,
    /// In a group, by its place among the subjects.
    Inside(usize),
}

/// What is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Why these are rejected.
    Reason(Vec<Target>),
    /// A note on a group.
    Note(usize),
    /// Words of the filter.
    Filter,
}

/// How the screen ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// What was decided is kept, and nothing is written.
    Quit,
    /// What was decided is to be written.
    Write,
}

/// What came of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What the log has to take before anything else happens.
    pub lines: Vec<LogLine>,
    /// Whether the screen ends.
    pub end: Option<End>,
}

/// A session with a place in it.
#[derive(Clone, Debug)]
pub struct Screen {
    session: Session,
    place: Place,
    /// The groups shown, as places among the subjects.
    groups: Vec<usize>,
    /// Which of them is chosen.
    group: usize,
    /// The exchanges shown of the group that was gone into.
    exchanges: Vec<u32>,
    /// Which of them is chosen.
    exchange: usize,
    /// The filter of the groups, and the one of the exchanges.
    filters: [String; 2],
    scroll: Scroll,
    ask: Option<(Ask, String)>,
    help: bool,
    message: Option<String>,
}

impl Screen {
    /// Begins at the first group that nobody decided about.
    #[must_use]
    pub fn new(session: Session) -> Self {
        let mut screen = Self {
            session,
            place: Place::Groups,
            groups: Vec::new(),
            group: 0,
            exchanges: Vec::new(),
            exchange: 0,
            filters: [String::new(), String::new()],
            scroll: Scroll::default(),
            ask: None,
            help: false,
            message: None,
        };
        screen.show_groups();
        screen.group = screen.next_open(0).unwrap_or(0);
        screen
    }

    /// Shows only the groups that fit these words.
    pub fn filter(&mut self, words: &str) {
        words.clone_into(&mut self.filters[0]);
        self.show_groups();
        self.group = self.next_open(0).unwrap_or(0);
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, given back.
    #[must_use]
    pub fn into_session(self) -> Session {
        self.session
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// The groups shown, and which of them is chosen.
    #[must_use]
    pub fn groups(&self) -> (&[usize], usize) {
        (&self.groups, self.group)
    }

    /// The exchanges shown of the group that was gone into, and which of them is chosen.
    #[must_use]
    pub fn exchanges(&self) -> (&[u32], usize) {
        (&self.exchanges, self.exchange)
    }

    /// What is chosen.
    #[must_use]
    pub fn chosen(&self) -> Option<Target> {
        match self.place {
            Place::Groups => self.groups.get(self.group).map(|group| Target::Group(*group)),
            Place::Inside(subject) => {
                self.exchanges.get(self.exchange).map(|place| Target::Exchange(subject, *place))
            }
        }
    }

    /// The words of the filter that is at work.
    #[must_use]
    pub fn filtered_by(&self) -> &str {
        &self.filters[self.level()]
    }

    /// How far what is told of the chosen one is scrolled.
    #[must_use]
    pub fn scrolled(&self) -> usize {
        self.scroll.at()
    }

    /// What is being typed.
    #[must_use]
    pub fn asked(&self) -> Option<(&Ask, &str)> {
        self.ask.as_ref().map(|(ask, text)| (ask, text.as_str()))
    }

    /// Whether the keys are shown.
    #[must_use]
    pub fn shows_help(&self) -> bool {
        self.help
    }

    /// What to say about the last key.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Does what a key says.
    pub fn press(&mut self, press: Press, by: &Signature) -> Outcome {
        self.message = None;
        if self.help {
            self.help = false;
            return Outcome::default();
        }
        if let Some((ask, text)) = self.ask.take() {
            return self.type_in(press, (ask, text), by);
        }
        let Some(act) = act_of(&KEYS, press) else {
            self.message = Some("no such key; ? shows all keys".to_owned());
            return Outcome::default();
        };
        self.act(act, by)
    }

    /// Takes pasted text into what is being typed, as one line. It is never taken for keys.
    pub fn paste(&mut self, pasted: &str) {
        let Some((_, text)) = &mut self.ask else {
            self.message = Some("pasted text goes nowhere: nothing is being typed".to_owned());
            return;
        };
        let line = pasted.trim().replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
        let room = LONGEST.saturating_sub(text.chars().count());
        text.extend(line.chars().filter(|c| !c.is_control()).take(room));
        self.message = None;
        self.filter_while_typing();
    }

    fn act(&mut self, act: Act, by: &Signature) -> Outcome {
        let lines = match act {
            Act::Accept => self.decide(self.chosen().as_slice(), What::Accept, by),
            Act::Skip => self.decide(self.chosen().as_slice(), What::Skip, by),
            Act::Reject => self.ask_why(self.chosen().into_iter().collect()),
            Act::AcceptRest => self.decide(&self.rest(), What::Accept, by),
            Act::SkipRest => self.decide(&self.rest(), What::Skip, by),
            Act::RejectRest => self.ask_why(self.rest()),
            Act::Undo => self.undo(by),
            Act::Write => return Outcome { end: Some(End::Write), ..Outcome::default() },
            Act::Quit => return Outcome { end: Some(End::Quit), ..Outcome::default() },
            Act::Enter => self.enter(),
            Act::Back => self.back(),
            Act::Up => self.go(|at, _| at.saturating_sub(1)),
            Act::Down => self.go(|at, _| at.saturating_add(1)),
            Act::First => self.go(|_, _| 0),
            Act::Last => self.go(|_, count| count),
            Act::ScrollUp => {
                self.scroll.up();
                Vec::new()
            }
            Act::ScrollDown => {
                self.scroll.down();
                Vec::new()
            }
            Act::Filter => self.begin(Ask::Filter, self.filtered_by().to_owned()),
            Act::Note => match self.chosen() {
                Some(target) => {
                    let subject = target.subject();
                    let text = self.session.states()[subject].note.clone().unwrap_or_default();
                    self.begin(Ask::Note(subject), text)
                }
                None => Vec::new(),
            },
            Act::Help => {
                self.help = true;
                Vec::new()
            }
        };
        Outcome { lines, end: None }
    }

    /// What is told can be scrolled no further than this.
    pub fn scroll_at_most(&mut self, most: usize) {
        self.scroll.at_most(most);
    }

    fn begin(&mut self, ask: Ask, text: String) -> Vec<LogLine> {
        self.ask = Some((ask, text));
        Vec::new()
    }

    fn type_in(&mut self, press: Press, (ask, mut text): (Ask, String), by: &Signature) -> Outcome {
        match press {
            Press::Char(c) => {
                if !c.is_control() && text.chars().count() < LONGEST {
                    text.push(c);
                }
                self.ask = Some((ask, text));
                self.filter_while_typing();
            }
            Press::Backspace => {
                text.pop();
                self.ask = Some((ask, text));
                self.filter_while_typing();
            }
            Press::Escape | Press::Interrupt => {
                if ask == Ask::Filter {
                    self.show();
                }
            }
            Press::Enter => return Outcome { lines: self.answer(ask, &text, by), end: None },
            Press::Up
            | Press::Down
            | Press::PageUp
            | Press::PageDown
            | Press::Home
            | Press::End => {
                self.ask = Some((ask, text));
            }
        }
        Outcome::default()
    }

    fn answer(&mut self, ask: Ask, text: &str, by: &Signature) -> Vec<LogLine> {
        let text = text.trim();
        match ask {
            Ask::Filter => {
                let level = self.level();
                text.clone_into(&mut self.filters[level]);
                self.show();
                Vec::new()
            }
            Ask::Reason(targets) if text.is_empty() => {
                self.message = Some("a rejection needs a reason; esc leaves it".to_owned());
                self.begin(Ask::Reason(targets), String::new())
            }
            Ask::Reason(targets) => self.settle(&targets, (What::Reject, Some(text)), by),
            Ask::Note(_) if text.is_empty() => {
                self.message = Some("an empty note is none".to_owned());
                Vec::new()
            }
            Ask::Note(subject) => {
                self.message = Some("noted".to_owned());
                self.session.annotate(subject, text, by).into_iter().collect()
            }
        }
    }

    fn decide(&mut self, targets: &[Target], what: What, by: &Signature) -> Vec<LogLine> {
        self.settle(targets, (what, None), by)
    }

    fn settle(
        &mut self,
        targets: &[Target],
        (what, note): (What, Option<&str>),
        by: &Signature,
    ) -> Vec<LogLine> {
        if targets.is_empty() {
            self.message = Some("nothing is left to decide here".to_owned());
            return Vec::new();
        }
        let lines = self.session.decide(targets, (what, note), by);
        let done = what.done();
        self.message = Some(match targets {
            [one] => format!("{done} {}", self.name_of(*one)),
            several => format!("{done} {} at once; u takes it back", several.len()),
        });
        self.go_on();
        lines
    }

    /// What was decided just now; exchanges that were decided one by one stay as they are.
    fn name_of(&self, target: Target) -> String {
        match target {
            Target::Group(subject) => {
                let alone = self.session.states()[subject].single.len() as u64;
                let together = self.session.counts_of(subject).all() - alone;
                let id = &self.session.subjects()[subject].id;
                format!("{id} ({})", counted(together, "exchange"))
            }
            Target::Exchange(..) => "one exchange".to_owned(),
        }
    }

    fn ask_why(&mut self, targets: Vec<Target>) -> Vec<LogLine> {
        if targets.is_empty() {
            self.message = Some("nothing is left to decide here".to_owned());
            return Vec::new();
        }
        let note = self.session.states()[targets[0].subject()].note.clone();
        self.begin(Ask::Reason(targets), note.unwrap_or_default())
    }

    fn undo(&mut self, by: &Signature) -> Vec<LogLine> {
        let line = self.session.undo(by);
        let said =
            if line.is_some() { "took the latest step back" } else { "nothing to take back" };
        self.message = Some(said.to_owned());
        line.into_iter().collect()
    }

    /// What is shown and not decided yet.
    fn rest(&self) -> Vec<Target> {
        match self.place {
            Place::Groups => {
                let open = |group: &&usize| self.session.counts_of(**group).open > 0;
                self.groups.iter().filter(open).map(|group| Target::Group(*group)).collect()
            }
            // All that is left of a group is decided at once, however many there are.
            Place::Inside(subject) if self.filters[1].is_empty() => {
                let open = self.session.counts_of(subject).open > 0;
                open.then_some(Target::Group(subject)).into_iter().collect()
            }
            Place::Inside(subject) => {
                let targets = self.exchanges.iter().map(|place| Target::Exchange(subject, *place));
                targets.filter(|target| self.session.decision(*target).is_none()).collect()
            }
        }
    }

    fn enter(&mut self) -> Vec<LogLine> {
        if let (Place::Groups, Some(Target::Group(subject))) = (self.place, self.chosen()) {
            self.place = Place::Inside(subject);
            self.filters[1].clear();
            self.exchange = 0;
            self.scroll.to_begin();
            self.show_exchanges(subject);
            self.exchange = self.next_open(0).unwrap_or(0);
        }
        Vec::new()
    }

    fn back(&mut self) -> Vec<LogLine> {
        let level = self.level();
        if !self.filters[level].is_empty() {
            self.filters[level].clear();
            self.show();
        } else if self.place != Place::Groups {
            self.place = Place::Groups;
            self.exchanges = Vec::new();
            self.scroll.to_begin();
        }
        Vec::new()
    }

    fn go(&mut self, to: impl Fn(usize, usize) -> usize) -> Vec<LogLine> {
        let (at, count) = self.cursor();
        self.set_cursor(to(at, count).min(count.saturating_sub(1)));
        Vec::new()
    }

    /// To the next that nobody decided about; stays where there is none.
    fn go_on(&mut self) {
        let (at, _) = self.cursor();
        if let Some(next) = self.next_open(at) {
            self.set_cursor(next);
        } else if matches!(self.place, Place::Inside(_)) && self.filters[1].is_empty() {
            // The group is done: on with the next one.
            self.place = Place::Groups;
            self.exchanges = Vec::new();
            self.scroll.to_begin();
            if let Some(next) = self.next_open(self.group) {
                self.set_cursor(next);
            }
        }
    }

    fn next_open(&self, from: usize) -> Option<usize> {
        let count = self.cursor().1;
        (from..count).chain(0..from.min(count)).find(|at| match self.place {
            Place::Groups => self.session.counts_of(self.groups[*at]).open > 0,
            Place::Inside(subject) => {
                self.session.decision(Target::Exchange(subject, self.exchanges[*at])).is_none()
            }
        })
    }

    fn cursor(&self) -> (usize, usize) {
        match self.place {
            Place::Groups => (self.group, self.groups.len()),
            Place::Inside(_) => (self.exchange, self.exchanges.len()),
        }
    }

    fn set_cursor(&mut self, at: usize) {
        let cursor = match self.place {
            Place::Groups => &mut self.group,
            Place::Inside(_) => &mut self.exchange,
        };
        if *cursor != at {
            self.scroll.to_begin();
        }
        *cursor = at;
    }

    fn level(&self) -> usize {
        match self.place {
            Place::Groups => 0,
            Place::Inside(_) => 1,
        }
    }

    fn filter_while_typing(&mut self) {
        if let Some((Ask::Filter, text)) = &self.ask {
            let kept = std::mem::replace(&mut self.filters[self.level()], text.clone());
            self.show();
            let level = self.level();
            self.filters[level] = kept;
        }
    }

    /// Shows what fits the filter that is at work.
    fn show(&mut self) {
        match self.place {
            Place::Groups => self.show_groups(),
            Place::Inside(subject) => self.show_exchanges(subject),
        }
        let (at, count) = self.cursor();
        self.set_cursor(at.min(count.saturating_sub(1)));
    }

    fn show_groups(&mut self) {
        let words = words(&self.filters[0]);
        let subjects = self.session.subjects().iter().enumerate();
        self.groups = subjects.filter(|(_, one)| one.fits(&words)).map(|(at, _)| at).collect();
    }

    fn show_exchanges(&mut self, subject: usize) {
        let words = words(&self.filters[1]);
        let session = &self.session;
        let count = session.subjects().get(subject).map_or(0, |subject| subject.flips.len());
        let fits = |place: &u32| {
            let flip = session.flip(subject, *place);
            let found = flip.and_then(|flip| session.material().entry(flip));
            found.is_some_and(|(entry, side)| {
                let names = [entry.server, entry.tool, entry.file];
                let texts = names.map(|name| side.names.get(name).to_lowercase());
                let key = entry.key_name().to_string();
                words.iter().all(|word| {
                    key.starts_with(word) || texts.iter().any(|text| text.contains(word))
                })
            })
        };
        let all = 0..u32::try_from(count).unwrap_or(u32::MAX);
        self.exchanges = if words.is_empty() { all.collect() } else { all.filter(fits).collect() };
    }
}

fn words(filter: &str) -> Vec<String> {
    filter.split_whitespace().map(str::to_lowercase).collect()
}
