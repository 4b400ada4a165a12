//! From records to exchanges, in the recording's order: requests meet their answers, names their tools.

use super::listed_tools::{Listed, Relisted};
use super::parse::{Other, Parsed};
use super::session::{End, Heard, Pages, Session, Surroundings};
use super::session_setup::Setup;
use super::{Block, Bounds, Objects, RecordingContext, UNKNOWN_SERVER, Unreadable};
use crate::format::{Message, Record};
use crate::recording::{Exchange, LinePosition, SessionEvent, SessionNews, Tool};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Sessions of one recording that are kept apart at a time; beyond, an old one ends.
const MAX_SESSIONS: usize = 10_000;

/// The exchanges of a block and an account of everything else in it.
#[derive(Debug, Default)]
pub struct Assembled<'a> {
    pub exchanges: Vec<Exchange<'a>>,
    /// Records read: exchanges begun, other traffic and unreadable.
    pub lines: u64,
    /// Records that were read behind a prefix.
    pub stripped: u64,
    /// Traffic that is no exchange, by name.
    pub traffic: BTreeMap<Cow<'static, str>, u64>,
    pub unreadable: Vec<Unreadable>,
    /// The tools that records list, called or not.
    pub listed: Vec<ListedTools>,
    pub events: Vec<SessionEvent>,
}

#[derive(Clone, Debug)]
pub struct ListedTools {
    /// The server that has them, where the recording says so.
    pub server: Option<String>,
    pub tools: Vec<Arc<Tool>>,
}

/// Ties the records of one recording together, block after block.
#[derive(Debug, Default)]
pub struct Assembler {
    listed: Listed,
    sessions: HashMap<(String, String), (u64, Session)>,
    /// The sessions by when they began.
    order: BTreeMap<u64, (String, String)>,
    /// Those of them that wait for nothing.
    idle: BTreeSet<u64>,
    begun_sessions: u64,
    relisted: Relisted,
    objects: Objects,
    /// Whether a session was ended to make room: what begins then may be its rest.
    has_ended_one: bool,
}

impl Assembler {
    /// Assembles a block's records. The caller sees to it that blocks come in their order.
    pub fn assemble<'a>(
        &mut self,
        parsed: Parsed<'a>,
        block: &Block,
        bounds: &Bounds,
    ) -> Assembled<'a> {
        let mut out = Assembled {
            lines: parsed.lines,
            stripped: parsed.stripped,
            unreadable: parsed.unreadable,
            ..Assembled::default()
        };
        if parsed.blank > 0 {
            out.traffic.insert("(blank line)".into(), parsed.blank);
        }
        let Some(recording) = &block.recording else { return out };
        let Parsed { exchanges: mut lines, named, others, .. } = parsed;
        let mut named = named.into_iter().peekable();
        let mut heard = Vec::new();
        for Other { after, place, record } in others {
            while let Some(at) = named.next_if(|at| *at < after) {
                self.resolve(&mut lines[at], &recording.context);
            }
            match record {
                Record::Messages(messages) => {
                    out.lines += messages.len() as u64 - 1;
                    for message in messages {
                        self.hear(message, place, (&recording.context, bounds), &mut out);
                    }
                    heard.push((after, out.exchanges.len()));
                }
                Record::Tools { server, tools } => {
                    let server = server.map(Cow::into_owned);
                    self.listed.add(server.as_deref().unwrap_or_default(), tools.clone());
                    out.listed.push(ListedTools { server, tools });
                    count(&mut out.traffic, "(tool list)".into());
                }
                Record::Gap { session } => {
                    for ((_, name), (_, state)) in &mut self.sessions {
                        if session.as_ref().is_none_or(|session| session == name) {
                            state.miss();
                        }
                    }
                    count(&mut out.traffic, "(gap: messages were not recorded)".into());
                }
                Record::Traffic(name) => count(&mut out.traffic, name),
                // Lines stand among the lines, and documents were opened when the block was read.
                Record::Exchange(_) | Record::Many { .. } => {}
            }
        }
        for at in named {
            self.resolve(&mut lines[at], &recording.context);
        }
        out.exchanges = interleave(lines, out.exchanges, &heard);
        if block.last {
            self.finish(&recording.context, &mut out);
        }
        self.recall(&recording.context, &mut out.exchanges);
        out
    }

    /// Gives an exchange that only names its tool the definition that was listed for it.
    fn resolve(&self, exchange: &mut Exchange<'_>, context: &RecordingContext) {
        let name = &exchange.tool.name;
        let listed = self.listed.get(&exchange.server, name);
        if let Some(tool) = listed.or_else(|| context.tools.get(name)) {
            exchange.tool = Arc::clone(tool);
        }
    }

    /// Completes calls by earlier ones of their session. Call lines do not say that they follow each other.
    fn recall(&mut self, context: &RecordingContext, exchanges: &mut [Exchange<'_>]) {
        let Some(recall) = &context.recall else { return };
        for exchange in exchanges.iter_mut().filter(|exchange| exchange.answered.is_some()) {
            recall.recall(&mut self.objects, exchange);
        }
    }

    fn hear<'a>(
        &mut self,
        message: Message<'a>,
        place: LinePosition,
        (context, bounds): (&RecordingContext, &Bounds),
        out: &mut Assembled<'a>,
    ) {
        let server = message.server.clone().map(Cow::into_owned).unwrap_or_default();
        let session = message.session.clone().map(Cow::into_owned).unwrap_or_default();
        let key = (server, session);
        if !self.sessions.contains_key(&key) {
            if self.sessions.len() >= MAX_SESSIONS {
                self.end_one_session(context, out);
            }
            let serial = self.begun_sessions;
            self.begun_sessions += 1;
            self.order.insert(serial, key.clone());
            self.idle.insert(serial);
            let setup = Setup::new(self.has_ended_one, place, message.at.as_deref());
            let session = Session::begun(setup);
            self.sessions.insert(key.clone(), (serial, session));
        }
        let around = surroundings(&key, context);
        let at = message.at.clone();
        let Some((serial, state)) = self.sessions.get_mut(&key) else { return };
        let was_idle = state.is_idle();
        match state.hear(message, place, &around, &mut out.exchanges) {
            Heard::Call => {}
            Heard::Traffic(name) => count(&mut out.traffic, name),
            Heard::Tools(listed, pages) => {
                count(&mut out.traffic, "tools/list (answer)".into());
                if pages == Pages::Whole {
                    let named = listed.server.as_deref();
                    let tools = state.tools.values().map(Arc::clone).collect();
                    let news = self.relisted.compare((named, around.name), tools);
                    out.events.extend(news.map(|what| SessionEvent {
                        server: named.unwrap_or(UNKNOWN_SERVER).to_owned(),
                        session: around.name.to_owned(),
                        place,
                        recorded_at: at.map(Cow::into_owned),
                        what,
                    }));
                }
                out.listed.push(listed);
            }
        }
        state.enforce(bounds, &around, &mut out.exchanges);
        match (was_idle, state.is_idle()) {
            (false, true) => _ = self.idle.insert(*serial),
            (true, false) => _ = self.idle.remove(serial),
            (true, true) | (false, false) => {}
        }
    }

    /// Makes room for a session: the oldest one that waits for nothing ends, or else the oldest.
    fn end_one_session(&mut self, context: &RecordingContext, out: &mut Assembled<'_>) {
        let oldest = self.idle.pop_first().or_else(|| self.order.keys().next().copied());
        let Some(key) = oldest.and_then(|serial| self.order.remove(&serial)) else { return };
        self.has_ended_one = true;
        self.end(&key, End::NoRoom, context, out);
    }

    fn end(
        &mut self,
        key: &(String, String),
        why: End,
        context: &RecordingContext,
        out: &mut Assembled<'_>,
    ) {
        let Some((_, mut session)) = self.sessions.remove(key) else { return };
        let around = surroundings(key, context);
        session.finish(why, &around, &mut out.exchanges);
        let listed = session.tools.keys().cloned().collect();
        out.events.extend(session.setup.ended(listed).map(|ended| SessionEvent {
            server:
                session.server.as_deref().or(around.server).unwrap_or(UNKNOWN_SERVER).to_owned(),
            session: around.name.to_owned(),
            place: session.setup.place,
            recorded_at: session.setup.recorded_at.clone(),
            what: SessionNews::Ended(ended),
        }));
    }

    fn finish(&mut self, context: &RecordingContext, out: &mut Assembled<'_>) {
        for key in std::mem::take(&mut self.order).into_values() {
            self.end(&key, End::Recording, context, out);
        }
    }
}

fn surroundings<'t>(key: &'t (String, String), context: &'t RecordingContext) -> Surroundings<'t> {
    let (server, session) = key;
    Surroundings {
        name: if session.is_empty() { &context.stem } else { session },
        server: (!server.is_empty()).then_some(server),
        scenarios: &context.scenarios,
        folder_tools: &context.tools,
    }
}

fn count(traffic: &mut BTreeMap<Cow<'static, str>, u64>, name: Cow<'static, str>) {
    let name = if name.chars().nth(100).is_some() { "(long method name)".into() } else { name };
    *traffic.entry(name).or_default() += 1;
}

/// Puts exchange lines and exchanges that were heard message by message into the order of the
/// recording: after so many lines, so many were heard.
fn interleave<'a>(
    lines: Vec<Exchange<'a>>,
    heard: Vec<Exchange<'a>>,
    when: &[(usize, usize)],
) -> Vec<Exchange<'a>> {
    if heard.is_empty() {
        return lines;
    }
    let mut together = Vec::with_capacity(lines.len() + heard.len());
    let (mut lines, mut heard) = (lines.into_iter(), heard.into_iter());
    let (mut lines_before, mut heard_before) = (0, 0);
    for (after, by_then) in when {
        together.extend(lines.by_ref().take(after - lines_before));
        together.extend(heard.by_ref().take(by_then - heard_before));
        (lines_before, heard_before) = (*after, *by_then);
    }
    together.extend(lines);
    together.extend(heard);
    together
}
