//! What an operator acts on: five lists of a run, made in one pass over its verdicts.

use super::encode::NamedRows;
use super::files::TableFile;
use super::folder::{ReportError, RunFolder};
use super::named::NamedVerdict;
use super::read::Verdicts;
use super::reader::TableReader;
use super::specs::LISTS;
use super::table::Table;
use super::texts::TextColumn;
use crate::count::{Cube, Durations, List, OTHER, Took, duration_bucket};
use crate::recording::{ExchangeKind, Fate, Key, ReplyKind};
use crate::verdict::{Outcome, said};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use indexmap::IndexMap;
use memchr::memchr;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// What takes as long is slow: clients begin to give up, and people have.
const SLOW_MS: f64 = 10_000.0;
/// A reply of so many bytes has about 10,000 tokens, from which on hosts warn of it or cut it.
const LARGE: u64 = 40_000;
/// So many equal calls of a session in a row that did not work are a struggle.
const STRUGGLE: u64 = 3;
/// So many messages and so many tools are told apart; what is beyond counts as one.
const MOST: usize = 10_000;
/// The largest reply of a tool is told from so many bytes on.
const WORTH_TELLING: f64 = 4_000.0;
/// So many messages are told, the most frequent ones.
const MOST_TOLD: usize = 200;
/// So many tools are on a list without a call of theirs: those that come next.
const WORST: usize = 20;
/// So many requests that did not work are followed in a recording.
const FOLLOWED: usize = 1 << 20;
/// The kind of what gives no reason, as rulebooks call it.
const NO_REASON: &str = "no_reason";

/// A row of the table `lists`. What a list does not tell is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct ListRow {
    pub list: List,
    pub server: String,
    pub tool: String,
    /// How many tools it is about.
    pub tools: u64,
    pub says: String,
    /// The calls that are on the list, of so many.
    pub calls: u64,
    pub of: u64,
    pub sessions: Option<u64>,
    pub recovered: Option<u64>,
    pub copies: Option<u64>,
    pub typical: Option<f64>,
    pub p95: Option<f64>,
    pub most: Option<f64>,
    /// The first such call, or the one with the most.
    pub key: Option<Key>,
}

/// Writes the table.
pub fn write_lists(folder: &RunFolder, rows: &[ListRow]) -> Result<(), ReportError> {
    let mut file = TableFile::create(folder, Table::Lists)?;
    for row in rows {
        file.push_row(LISTS.iter().map(|(_, cell)| cell(row)))?;
    }
    file.finish()
}

#[derive(Debug, Default)]
pub struct Lists {
    /// By a hash of outcome and kind, and of the message without what differs from call to call.
    messages: HashMap<u64, Message>,
    others: u64,
    /// By server and tool.
    tools: IndexMap<[String; 2], OfTool, DefaultHashBuilder>,
    /// What did not work yet in the sessions of the recording at hand.
    open: Open,
    /// The verdicts of a finished run, as far as it was read.
    verdicts: Verdicts,
    judged: Vec<Judged>,
}

#[derive(Debug, Default)]
struct Open {
    file: u64,
    /// How often a session's request was refused or failed since it last worked.
    requests: HashMap<(u64, i64), u64>,
    /// The tools of which the last call of a session did not work.
    tools: HashSet<(u64, usize)>,
    /// Those that a session calls again and again.
    struggles: HashSet<(u64, usize)>,
}

#[derive(Debug)]
struct Message {
    calls: u64,
    /// Outcome and kind, and the first such message.
    says: [String; 2],
    tools: BTreeSet<usize>,
    first: Key,
}

#[derive(Debug, Default)]
struct OfTool {
    calls: u64,
    /// Refused, failed or invalid.
    misses: u64,
    repeated: u64,
    sessions: u64,
    recovered: u64,
    /// The longest row of equal calls that did not work, and the reply to its last one.
    longest: Extreme,
    says: String,
    took: Durations,
    /// Calls with a duration or without an answer.
    waited: u64,
    slow: u64,
    unanswered: BTreeMap<&'static str, u64>,
    first_unanswered: Option<Key>,
    slowest: Extreme,
    replies: Durations,
    large: u64,
    copies: u64,
    largest: Extreme,
    no_reason: u64,
    without_reason: Option<Key>,
}

/// The largest of all that were seen, and the first call that has it.
#[derive(Clone, Copy, Debug, Default)]
struct Extreme(Option<(f64, Key)>);

impl Extreme {
    /// Whether it is larger than all before.
    fn see(&mut self, value: f64, key: Key) -> bool {
        let is_larger = self.0.is_none_or(|(largest, _)| value > largest);
        if is_larger {
            self.0 = Some((value, key));
        }
        is_larger
    }
}

/// What the lists look at: the columns of a row group that is being made, or of one that is read.
struct Calls {
    /// File and session.
    origins: [TextColumn; 2],
    /// Server and tool.
    called: [TextColumn; 2],
    verdicts: Vec<Judged>,
    verdict_of: Vec<u32>,
    keys: Vec<Key>,
    requests: Vec<i64>,
    durations: Vec<Option<f64>>,
    /// Of the reply, and of what is structured in it.
    sizes: Vec<[u64; 2]>,
}

/// What they look at of a verdict.
#[derive(Debug)]
struct Judged {
    is_call: bool,
    outcome: Outcome,
    /// Why the client has no answer.
    unanswered: Option<&'static str>,
    has_no_reason: bool,
    /// Outcome and kind.
    became: String,
    first_issue: String,
}

impl Judged {
    fn of(verdict: &NamedVerdict) -> Self {
        let is_call = verdict.kind == ExchangeKind::ToolCall;
        let kind = verdict.error_kind.as_deref();
        let first_issue = verdict.issues.first().and_then(|issue| issue.split_once(' '));
        let became: Vec<&str> = Some(verdict.outcome.name()).into_iter().chain(kind).collect();
        Self {
            is_call,
            outcome: verdict.outcome,
            unanswered: why_unanswered(verdict.fate, verdict.reply).filter(|_| is_call),
            has_no_reason: kind == Some(NO_REASON),
            became: became.join(", ").replace('_', " "),
            first_issue: first_issue.map_or_else(String::new, |(_, kind)| kind.replace('_', " ")),
        }
    }
}

/// A row whose text is to be told.
struct Told {
    tool: usize,
    is_failure: bool,
    /// Whether no equal call of the tool was repeated as often.
    is_struggle: bool,
}

/// Which rows are on which lists, and those whose text is to be told.
type Taken = (Vec<(usize, List)>, Vec<(usize, Told)>);

impl Lists {
    /// Those of a finished run.
    pub fn of_run(folder: &Path) -> Result<Self, ReportError> {
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let mut lists = Self::default();
        for group in 0..table.groups() {
            lists.read(&mut table, group, |_| true)?;
        }
        Ok(lists)
    }

    /// Takes in rows that are about to be written, and counts those that are on lists.
    pub fn see(&mut self, rows: &NamedRows, cube: &mut Cube) {
        let batch = &rows.rows;
        let origin = |part| batch.origins.column(part, batch.rows.iter().map(|row| row.origin));
        let calls = Calls {
            origins: [0, 1].map(origin),
            called: rows.called(),
            verdicts: rows.shapes.iter().map(Judged::of).collect(),
            verdict_of: batch.own(|row| batch.replies.get(row.reply).shape),
            keys: batch.own(|row| row.key),
            requests: batch.own(|row| row.request.half()),
            durations: batch.own(|row| row.duration),
            sizes: batch.own(|row| row.sizes.map(u64::from)),
        };
        let (listed, told) = self.take(&calls, |_| true);
        for (row, told) in told {
            self.tell(&calls, row, &told, batch.excerpts.reply.get(row));
        }
        batch.count_listed(&listed, cube);
    }

    /// Takes in a row group of a finished run: those of its rows that are wanted. All are looked at, since what a
    /// session did before says what its next call is. Returns which rows are on which lists.
    pub fn read(
        &mut self,
        table: &mut TableReader,
        group: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<(usize, List)>, ReportError> {
        let verdict_of = self.verdicts.read(table, group)?;
        let known = self.judged.len();
        self.judged.extend(self.verdicts.all.values().skip(known).map(Judged::of));
        let mut texts = |name| table.texts(group, name);
        let origins = [texts("file")?, texts("session")?];
        let called = [texts("server")?, texts("tool")?];
        let mut sizes = |name| table.ints(group, name);
        let sizes = sizes("reply_bytes")?.into_iter().zip(sizes("structured_bytes")?);
        let calls = Calls {
            origins,
            called,
            verdicts: std::mem::take(&mut self.judged),
            verdict_of,
            keys: table.keys(group, "key")?.into_iter().map(Option::unwrap_or_default).collect(),
            requests: table.ints(group, "request_key")?,
            durations: table.floats(group, "duration_ms")?,
            sizes: sizes.map(|(all, part)| [all, part].map(i64::unsigned_abs)).collect(),
        };
        let (listed, told) = self.take(&calls, is_wanted);
        let rows: Vec<usize> = told.iter().map(|(row, _)| *row).collect();
        let replies = table.texts_in(group, "reply_excerpt", &rows)?;
        for ((row, told), reply) in told.into_iter().zip(replies) {
            self.tell(&calls, row, &told, reply.as_deref());
        }
        self.judged = calls.verdicts;
        Ok(listed)
    }

    /// Which rows are on which lists, and those of which the text is to be told.
    fn take(&mut self, calls: &Calls, is_wanted: impl Fn(usize) -> bool) -> Taken {
        let (mut listed, mut told) = (Vec::new(), Vec::new());
        // Neighbours are mostly of one session.
        let (mut last_origin, mut tools) = (None, HashMap::new());
        for (row, verdict) in calls.verdict_of.iter().enumerate() {
            let verdict = &calls.verdicts[*verdict as usize];
            let (key, request) = (calls.keys[row], calls.requests[row]);
            let names = calls.origins.each_ref().map(|column| column.rows[row]);
            if last_origin.is_none_or(|(known, _)| known != names) {
                let file = xxh3_64(calls.origins[0].get(row).unwrap_or_default().as_bytes());
                let session = calls.origins[1].get(row).unwrap_or_default().as_bytes();
                last_origin = Some((names, (file, xxh3_64_with_seed(session, file))));
            }
            let (file, session) = last_origin.map(|(_, found)| found).unwrap_or_default();
            if self.open.file != file {
                self.open = Open { file, ..Open::default() };
            }
            let names = calls.called.each_ref().map(|column| column.rows[row]);
            let tool = *tools.entry(names).or_insert_with(|| {
                self.tool(calls.called.each_ref().map(|column| column.get(row).unwrap_or_default()))
            });
            let tells = verdict.is_call && verdict.outcome.tells();
            let next = || self.open.next((session, request), tool, verdict.outcome);
            let Next { has_recovered, in_vain } = tells.then(next).unwrap_or_default();
            if !is_wanted(row) {
                continue;
            }
            let mut list = |list| listed.push((row, list));
            let mut tell = Told { tool, is_failure: verdict.outcome.is_bad(), is_struggle: false };
            if tell.is_failure {
                list(List::Failures);
            }
            let of = &mut self.tools[tool];
            let is_miss = tell.is_failure || verdict.outcome == Outcome::Refused;
            of.calls += u64::from(tells);
            of.misses += u64::from(is_miss);
            of.recovered += u64::from(has_recovered);
            if let Some(InVain { attempts, is_first }) = in_vain {
                list(List::Struggle);
                of.repeated += 1;
                of.sessions += u64::from(is_first);
                tell.is_struggle = of.longest.see(attempts as f64, key);
            }
            if let Some(why) = verdict.unanswered {
                *of.unanswered.entry(why).or_default() += 1;
                of.first_unanswered.get_or_insert(key);
            }
            let duration = calls.durations[row].filter(|_| verdict.outcome.tells());
            if let Some((took, step)) =
                duration.and_then(|took| Some((took, duration_bucket(took)?)))
            {
                of.took.add(step, 1);
                of.slowest.see(took, key);
            }
            of.waited += u64::from(verdict.unanswered.is_some() || duration.is_some());
            if verdict.unanswered.is_some() || duration.is_some_and(|took| took >= SLOW_MS) {
                list(List::Slow);
                of.slow += 1;
            }
            let [bytes, structured] = calls.sizes[row];
            if bytes > 0 && verdict.is_call {
                of.replies.add(duration_bucket(bytes as f64).unwrap_or_default(), 1);
                of.largest.see(bytes as f64, key);
                // What stands beside it is nearly as long: mostly the same as text.
                let is_copy = structured > 0 && bytes >= structured * 19 / 10;
                of.copies += u64::from(is_copy && bytes as f64 >= WORTH_TELLING);
                if bytes >= LARGE {
                    list(List::Large);
                    of.large += 1;
                }
            }
            if verdict.has_no_reason {
                list(List::NoReason);
                of.no_reason += 1;
                of.without_reason.get_or_insert(key);
            }
            if tell.is_failure || tell.is_struggle {
                told.push((row, tell));
            }
        }
        (listed, told)
    }

    /// Where a tool is counted.
    fn tool(&mut self, [server, tool]: [&str; 2]) -> usize {
        let names = [server.to_owned(), tool.to_owned()];
        let is_known = self.tools.len() < MOST || self.tools.contains_key(&names);
        let names = if is_known { names } else { [OTHER.to_owned(), String::new()] };
        let entry = self.tools.entry(names);
        let at = entry.index();
        entry.or_default();
        at
    }

    /// Notes what a row says.
    fn tell(&mut self, calls: &Calls, row: usize, told: &Told, reply: Option<&str>) {
        let verdict = &calls.verdicts[calls.verdict_of[row] as usize];
        // What says nothing itself is told by its first issue.
        let reply = reply.filter(|reply| !reply.is_empty()).unwrap_or(&verdict.first_issue);
        let message = said(reply).unwrap_or_default();
        if told.is_struggle {
            self.tools[told.tool].says.clone_from(&message);
        }
        if !told.is_failure {
            return;
        }
        let name = xxh3_64_with_seed(&blanked(&message), xxh3_64(verdict.became.as_bytes()));
        if self.messages.len() >= MOST && !self.messages.contains_key(&name) {
            self.others += 1;
            return;
        }
        let of = self.messages.entry(name).or_insert_with(|| Message {
            calls: 0,
            says: [verdict.became.clone(), message],
            tools: BTreeSet::new(),
            first: calls.keys[row],
        });
        of.calls += 1;
        if of.tools.len() < MOST_TOLD {
            of.tools.insert(told.tool);
        }
    }

    /// All of them, list by list, in each those first that matter most.
    pub fn rows(self) -> Vec<ListRow> {
        let Self { messages, others, tools, .. } = self;
        let all: u64 = others + messages.values().map(|message| message.calls).sum::<u64>();
        let mut messages: Vec<Message> = messages.into_values().collect();
        messages.sort_unstable_by(|one, other| {
            (Reverse(one.calls), &one.says).cmp(&(Reverse(other.calls), &other.says))
        });
        let further = messages.split_off(messages.len().min(MOST_TOLD));
        let others = others + further.iter().map(|message| message.calls).sum::<u64>();
        let mut rows = Vec::new();
        for Message { calls, says: [became, text], tools: of, first } in messages {
            let names = of.iter().filter_map(|at| Some(tools.get_index(*at)?.0)).min();
            let says = if text.is_empty() { became } else { format!("{became}: {text}") };
            let row = row(List::Failures, names, (calls, all), Some(first));
            rows.push(ListRow { says, tools: of.len() as u64, ..row });
        }
        if others > 0 {
            let row = row(List::Failures, None, (others, all), None);
            rows.push(ListRow { says: "further messages".to_owned(), tools: 0, ..row });
        }
        for list in List::ALL {
            let of_list = tools.iter().filter_map(|(names, tool)| tool.row(list, names));
            let mut of_list: Vec<_> = of_list.collect();
            of_list.sort_by(|(one, row), (other, other_row)| {
                let more = (other_row.calls, other).partial_cmp(&(row.calls, one));
                let by_name =
                    || (&row.server, &row.tool).cmp(&(&other_row.server, &other_row.tool));
                more.unwrap_or(Ordering::Equal).then_with(by_name)
            });
            let worst = of_list.into_iter().map(|(_, row)| row).enumerate();
            let worst = worst.filter(|(at, row)| *at < WORST || row.calls > 0);
            rows.extend(worst.map(|(_, row)| row));
        }
        rows
    }
}

fn row(
    list: List,
    names: Option<&[String; 2]>,
    (calls, of): (u64, u64),
    key: Option<Key>,
) -> ListRow {
    let others = || [OTHER.to_owned(), String::new()];
    let [server, tool] = names.cloned().unwrap_or_else(others);
    ListRow {
        list,
        server,
        tool,
        tools: 1,
        says: String::new(),
        calls,
        of,
        sessions: None,
        recovered: None,
        copies: None,
        typical: None,
        p95: None,
        most: None,
        key,
    }
}

impl OfTool {
    /// Its row on a list of tools, and by what it comes before others with as many calls on it; `None` where it has
    /// no place there.
    fn row(&self, list: List, names: &[String; 2]) -> Option<(Option<f64>, ListRow)> {
        let row = |calls, of, key| row(list, Some(names), (calls, of), key);
        let measured = |durations: &Durations, Extreme(most): Extreme, row: ListRow| {
            let (most, key) = most.unzip();
            // The middle of a step may be beyond all that is in it.
            let [typical, p95] = [|it: Took| it.p50_ms, |it: Took| it.p95_ms]
                .map(|of| durations.took().map(of).zip(most).map(|(step, most)| step.min(most)));
            ListRow { typical, p95, most, key: row.key.or(key), ..row }
        };
        let most = |Extreme(most): Extreme| most.map(|(most, _)| most);
        let (also, row) = match list {
            // It has a row for each message.
            List::Failures => return None,
            List::Struggle => {
                let row = ListRow {
                    says: self.says.clone(),
                    sessions: Some(self.sessions),
                    recovered: Some(self.recovered),
                    most: most(self.longest),
                    ..row(self.repeated, self.calls, self.longest.0.map(|(_, key)| key))
                };
                (Some(self.recovered as f64).filter(|times| *times > 0.0), row)
            }
            List::Slow => {
                let why = self.unanswered.iter().map(|(why, calls)| format!("{calls} {why}"));
                let says = why.collect::<Vec<_>>().join(", ");
                let row = ListRow { says, ..row(self.slow, self.waited, self.first_unanswered) };
                (most(self.slowest), measured(&self.took, self.slowest, row))
            }
            List::Large => {
                let row = row(self.large, self.replies.calls(), None);
                let row = ListRow { copies: Some(self.copies), ..row };
                let most = most(self.largest).filter(|most| *most >= WORTH_TELLING);
                (most, measured(&self.replies, self.largest, row))
            }
            List::NoReason => (None, row(self.no_reason, self.misses, self.without_reason)),
        };
        (row.calls > 0 || also.is_some()).then_some((also, row))
    }
}

/// What a call is to those before it in its session.
#[derive(Default)]
struct Next {
    /// Whether its tool works again.
    has_recovered: bool,
    in_vain: Option<InVain>,
}

/// A call that makes a struggle.
struct InVain {
    /// So many equal ones did not work, one after the other, itself included.
    attempts: u64,
    /// Whether it is the first of its tool and session.
    is_first: bool,
}

impl Open {
    /// Takes in the next call of a session, whose outcome is known.
    fn next(&mut self, request: (u64, i64), tool: usize, outcome: Outcome) -> Next {
        let of = (request.0, tool);
        if outcome == Outcome::Worked {
            self.requests.remove(&request);
            return Next { has_recovered: self.tools.remove(&of), in_vain: None };
        }
        let attempts = self.requests.get(&request).copied().unwrap_or_default() + 1;
        if attempts > 1 || self.requests.len() < FOLLOWED {
            self.tools.insert(of);
            self.requests.insert(request, attempts);
        }
        let in_vain = (attempts >= STRUGGLE).then(|| {
            let has_room = self.struggles.len() < FOLLOWED;
            InVain { attempts, is_first: has_room && self.struggles.insert(of) }
        });
        Next { has_recovered: false, in_vain }
    }
}

/// Why the client has no answer, in words; `None` where it has one, or where the call was not sent.
pub fn why_unanswered(fate: Fate, reply: ReplyKind) -> Option<&'static str> {
    match fate {
        Fate::Settled if reply != ReplyKind::NoReply => None,
        Fate::Settled => Some("without a reply"),
        Fate::OtherIdType => Some("answered under an id of another type"),
        Fate::OtherId => Some("answered under another id"),
        Fate::Late => Some("answered when nobody waited any more"),
        Fate::Cancelled => Some("cancelled"),
        Fate::TimedOut => Some("given up by the client"),
        Fate::Waiting => Some("not answered when the recording ended"),
        Fate::NotSent | Fate::NotRecorded => None,
    }
}

/// A message without what differs from call to call: words with a digit in them, and quotations.
fn blanked(message: &str) -> Vec<u8> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let (mut out, mut rest) = (Vec::with_capacity(message.len()), message.as_bytes());
    while let [next, further @ ..] = rest {
        let is_quote = matches!(next, b'"' | b'\'' | b'`');
        if let Some(end) = is_quote.then(|| memchr(*next, further)).flatten() {
            out.extend("…".bytes());
            rest = &further[end + 1..];
            continue;
        }
        let (word, behind) = rest.split_at(rest.iter().take_while(|it| is_of_word(it)).count());
        match word {
            [] => out.push(*next),
            word if word.iter().any(u8::is_ascii_digit) => out.push(b'#'),
            word => out.extend(word),
        }
        rest = if word.is_empty() { further } else { behind };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_call_to_call_is_blank() {
        for (message, expected) in [
            ("User 'ann' not found: 7", "User … not found: #"),
            ("job a81f-22 timed out after 30s", "job #-# timed out after #"),
            ("it's gone, \"x\" and `y", "it's gone, … and `y"),
            ("日本 \"é", "日本 \"é"),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&blanked(message)), expected);
        }
    }
}
