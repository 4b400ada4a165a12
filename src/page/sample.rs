//! Which exchanges are on a page: all of a small run; of a large one so many that whatever can be
//! filtered by is there, those with a text first. They are chosen row group by row group, while a run is made or when
//! one is read, and where row groups end changes nothing.

use super::counted::{Cells, Filters};
use super::read::{MOST_ISSUES, PageError, RecordedCall, issues_of};
use crate::recording::{ExchangeKind, Key};
use crate::store::{
    Excerpt, NamedRows, NamedVerdict, ReportError, Span, StoredIssue, Table, TableReader,
    TextColumn, Verdicts,
};
use crate::verdict::{Answer, Classification, Judgement};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

/// So many exchanges are on a page.
pub(super) const MOST: usize = 1_000;

/// What is in trouble is dealt from this rank on, and then what is fine.
const TROUBLE: u64 = 3;
const FINE: u64 = 1 << 32;

/// An exchange on a page.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// How soon it is dealt, and the number of its row.
    rank: (u64, u64),
    pub(super) key: Key,
    pub(super) verdict: Arc<NamedVerdict>,
    /// The number of its verdict.
    pub(super) number: u32,
    /// How many exchanges of the run have the same verdict, and what they are filtered by.
    pub(super) alike: u64,
    pub(super) filters: u32,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) file: String,
    pub(super) line: u64,
    /// Its own texts, where they are at hand.
    pub(super) texts: Option<Excerpt>,
    pub(super) issues: Vec<StoredIssue>,
}

impl Chosen {
    pub(super) fn place(&self) -> RecordedCall {
        (self.key, self.file.clone(), self.line)
    }
}

/// Counts the exchanges of a run and chooses those that a page shows.
#[derive(Debug, Default)]
pub struct Sampler {
    /// How many it chooses.
    most: usize,
    /// By their hashes.
    verdicts: IndexMap<u64, VerdictSeen, DefaultHashBuilder>,
    cells: Cells,
    /// What has been dealt of what has no texts, and of what has.
    dealt: [Dealt; 2],
    chosen: Vec<Chosen>,
    rows: u64,
}

#[derive(Clone, Copy, Debug)]
struct VerdictSeen {
    kind: ExchangeKind,
    filters: u32,
    exchanges: u64,
    /// Whether a run keeps their texts.
    has_texts: bool,
}

#[derive(Debug, Default)]
struct Dealt {
    filters: HashSet<u32>,
    servers: HashSet<u32>,
    filters_of_servers: HashSet<(u32, u32)>,
    /// How many exchanges of each cell.
    cells: Vec<u64>,
}

impl Sampler {
    pub fn start() -> Self {
        Self { most: MOST, ..Self::default() }
    }

    /// Counts rows of a run that is being made, and chooses among them.
    pub fn see(&mut self, rows: &NamedRows) {
        let verdicts = (0..).zip(&rows.hashes);
        let numbers: Vec<u32> = verdicts
            .map(|(verdict, hash)| self.number(*hash, || Cow::Owned(rows.verdict(verdict))))
            .collect();
        let number = |verdict: &u32| numbers[*verdict as usize];
        let found = rows.verdict_of();
        let verdict_of: Vec<u32> = found.iter().map(number).collect();
        let columns = rows.called();
        let best = self.choose(&verdict_of, &columns);
        let mut issues: HashMap<(Key, &str, u64), Vec<StoredIssue>> = HashMap::new();
        for (_, row) in &best {
            issues.entry(rows.place(*row)).or_default();
        }
        for (row, number) in rows.issues() {
            let of_exchange = issues.get_mut(&rows.place(row));
            if let Some(all) = of_exchange.filter(|all| all.len() < MOST_ISSUES) {
                all.push(rows.issue(number));
            }
        }
        let mut verdicts = self.shared_verdicts();
        for (rank, row) in best {
            let (number, (key, file, line)) = (verdict_of[row], rows.place(row));
            let named = || Arc::new(rows.verdict(found[row]));
            let verdict = Arc::clone(verdicts.entry(number).or_insert_with(named));
            let [server, tool] =
                columns.each_ref().map(|column| column.get(row).unwrap_or_default());
            self.chosen.push(Chosen {
                rank: (rank, self.rows + row as u64),
                key,
                number,
                alike: 0,
                filters: 0,
                server: server.to_owned(),
                tool: called(tool, verdict.kind).into_owned(),
                verdict,
                file: file.to_owned(),
                line,
                texts: rows.excerpt(row),
                issues: issues.get(&(key, file, line)).cloned().unwrap_or_default(),
            });
        }
        self.rows += verdict_of.len() as u64;
    }

    fn number<'v>(&mut self, hash: u64, verdict: impl FnOnce() -> Cow<'v, NamedVerdict>) -> u32 {
        let seen = self.verdicts.entry(hash);
        let number = seen.index();
        seen.or_insert_with(|| {
            let verdict = verdict();
            let (filters, _) = self.cells.filters.insert_full(Filters::of(&verdict));
            VerdictSeen {
                kind: verdict.kind,
                filters: u32::try_from(filters).unwrap_or(u32::MAX),
                exchanges: 0,
                has_texts: verdict.keeps_text(),
            }
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Reads a finished run, to choose of it or to count it alone.
    pub(super) fn of_run(folder: &Path, chooses: bool) -> Result<Self, PageError> {
        let mut sampler = if chooses { Self::start() } else { Self::default() };
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let mut verdicts = Verdicts::default();
        for group in 0..table.groups() {
            let names = [table.texts(group, "server")?, table.texts(group, "tool")?];
            let read = verdicts.read(&mut table, group)?;
            let known = verdicts.all.iter();
            let numbers: Vec<u32> =
                known.map(|(hash, named)| sampler.number(*hash, || Cow::Borrowed(named))).collect();
            let verdict_of: Vec<u32> = read.iter().map(|it| numbers[*it as usize]).collect();
            let best = sampler.choose(&verdict_of, &names);
            sampler.read(&mut table, group, (&verdicts, &read), best)?;
            sampler.rows += read.len() as u64;
        }
        let keys = sampler.chosen.iter().map(|row| row.key).collect();
        sampler.read_issues(folder, &keys)?;
        Ok(sampler)
    }

    /// Adds the exchanges of a finished run that have these keys, whatever else is chosen.
    pub(super) fn add(&mut self, folder: &Path, keys: &HashSet<Key>) -> Result<(), PageError> {
        self.chosen.retain(|row| !keys.contains(&row.key));
        self.rows = 0;
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let mut verdicts = Verdicts::default();
        for group in 0..table.groups() {
            let found = table.keys_where(group, "key", |key| keys.contains(key))?;
            if !found.is_empty() {
                let read = verdicts.read(&mut table, group)?;
                let wanted = found.into_iter().map(|(row, _)| (0, row)).collect();
                self.read(&mut table, group, (&verdicts, &read), wanted)?;
            }
            self.rows += table.rows(group) as u64;
        }
        self.chosen.sort_by_key(|row| row.rank);
        self.chosen.truncate(self.most);
        self.read_issues(folder, keys)
    }

    fn read_issues(&mut self, folder: &Path, keys: &HashSet<Key>) -> Result<(), PageError> {
        let issues = if keys.is_empty() { HashMap::new() } else { issues_of(folder, keys)? };
        for row in &mut self.chosen {
            if let Some(found) = issues.get(&row.place()) {
                row.issues.clone_from(found);
            }
        }
        Ok(())
    }

    /// The verdicts of what is chosen, by their numbers.
    fn shared_verdicts(&self) -> HashMap<u32, Arc<NamedVerdict>> {
        self.chosen.iter().map(|row| (row.number, Arc::clone(&row.verdict))).collect()
    }

    /// All that was seen, the exchanges in the order of a page.
    pub(super) fn finish(self) -> (Cells, Vec<Chosen>) {
        let Self { verdicts, cells, mut chosen, .. } = self;
        for row in &mut chosen {
            VerdictSeen { exchanges: row.alike, filters: row.filters, .. } =
                verdicts[row.number as usize];
        }
        let place = |row: &Chosen| from_worst(row.verdict.judgement());
        chosen.sort_by(|a, b| {
            let [one, other] = [a, b].map(|it| (&it.file, it.line, it.key, it.rank.1));
            place(a).cmp(&place(b)).then_with(|| one.cmp(&other))
        });
        (cells, chosen)
    }

    /// Counts the rows of a row group. Returns those that are chosen now, in their order, and how soon each is dealt;
    /// what they are better than is chosen no longer.
    fn choose(&mut self, verdict_of: &[u32], names: &[TextColumn; 2]) -> Vec<(u64, usize)> {
        let mut numbers = names.each_ref().map(|column| vec![None; column.texts.len()]);
        let worst = self.chosen.iter().map(|row| row.rank.0).max();
        let bound = worst.filter(|_| self.chosen.len() >= self.most).unwrap_or(u64::MAX);
        let mut better = Vec::new();
        // Neighbours mostly look alike.
        let mut last: Option<([u32; 3], usize)> = None;
        for (row, &verdict) in verdict_of.iter().enumerate() {
            let at = [names[0].rows[row], names[1].rows[row], verdict];
            let mut number = |of: usize| {
                let known = numbers[of].get_mut(at[of] as usize)?;
                let text = || names[of].get(row).unwrap_or_default();
                Some(*known.get_or_insert_with(|| self.cells.name(text())))
            };
            let (Some(server), Some(tool)) = (number(0), number(1)) else { continue };
            let seen = &mut self.verdicts[verdict as usize];
            seen.exchanges += 1;
            let VerdictSeen { kind, filters, has_texts, .. } = *seen;
            let cell = match last {
                Some((known, cell)) if known == at => cell,
                Some(_) | None => {
                    let is_call = kind == ExchangeKind::ToolCall;
                    let tool = if is_call { tool } else { self.cells.name(&called("", kind)) };
                    self.cells.cell([server, tool, filters])
                }
            };
            last = Some((at, cell));
            self.cells.counts[cell] += 1;
            if self.most == 0 {
                continue;
            }
            // Of equal ones that with texts comes first.
            let rank = self.dealt[usize::from(has_texts)].rank(&self.cells, cell) * 2;
            let rank = rank + u64::from(!has_texts);
            if rank < bound {
                better.push((rank, row));
            }
        }
        let before = self.rows;
        let known = self.chosen.iter().map(|it| it.rank);
        let new = better.iter().map(|(rank, row)| (*rank, before + *row as u64));
        let mut all: Vec<(u64, u64)> = known.chain(new).collect();
        if all.len() > self.most {
            let beyond = *all.select_nth_unstable(self.most).1;
            self.chosen.retain(|it| it.rank < beyond);
            better.retain(|(rank, row)| (*rank, before + *row as u64) < beyond);
        }
        better
    }

    /// Reads rows of a row group, each with its rank.
    fn read(
        &mut self,
        table: &mut TableReader,
        group: usize,
        (verdicts, verdict_of): (&Verdicts, &[u32]),
        ranked: Vec<(u64, usize)>,
    ) -> Result<(), ReportError> {
        if ranked.is_empty() {
            return Ok(());
        }
        let mut shared = self.shared_verdicts();
        let rows: Vec<usize> = ranked.iter().map(|(_, row)| *row).collect();
        let names = ["server", "tool", "file", "reply_excerpt", "input_excerpt", "hit_spans"];
        let mut columns = Vec::new();
        for name in names {
            columns.push(table.texts_in(group, name, &rows)?.into_iter());
        }
        let (lines, keys) = (table.ints(group, "line")?, table.keys(group, "key")?);
        for (rank, row) in ranked {
            let hash_and_verdict = verdicts.all.get_index(verdict_of[row] as usize);
            let (hash, read) = hash_and_verdict.expect("a verdict that was numbered");
            let number = self.number(*hash, || Cow::Borrowed(read));
            let verdict =
                Arc::clone(shared.entry(number).or_insert_with(|| Arc::new(read.clone())));
            let mut text = |column: usize| columns[column].next().flatten();
            let [server, tool, file] = [0, 1, 2].map(|at| text(at).unwrap_or_default());
            let (reply, input, spans) = (text(3), text(4), text(5));
            self.chosen.push(Chosen {
                rank: (rank, self.rows + row as u64),
                key: keys[row].unwrap_or_default(),
                number,
                alike: 0,
                filters: 0,
                server,
                tool: called(&tool, verdict.kind).into_owned(),
                file,
                line: lines.get(row).and_then(|line| u64::try_from(*line).ok()).unwrap_or_default(),
                texts: reply.zip(input).and_then(|(reply, input)| {
                    let spans = Span::read(spans.as_deref(), &reply, &verdict.hits)?;
                    Some(Excerpt { reply, input, spans })
                }),
                verdict,
                issues: Vec::new(),
            });
        }
        Ok(())
    }
}

impl Dealt {
    /// How soon the next exchange of a cell is dealt: whoever shows something new to filter by first, then a server;
    /// then what is in trouble, and after all of that what is fine, in both something to filter a server by first,
    /// then a tool, then the second of a cell, and so on.
    fn rank(&mut self, cells: &Cells, at: usize) -> u64 {
        if at >= self.cells.len() {
            self.cells.resize(at + 1, 0);
        }
        self.cells[at] += 1;
        let (&[server, _, filters], _) = cells.counts.get_index(at).expect("a numbered cell");
        let within = if cells.filters[filters as usize].trouble { TROUBLE } else { FINE };
        if self.cells[at] > 1 {
            return within + self.cells[at];
        }
        let is_new = self.filters.insert(filters);
        let is_server = self.servers.insert(server);
        let is_new_of_server = self.filters_of_servers.insert((server, filters));
        match (is_new, is_server) {
            (true, _) => 1,
            (_, true) => 2,
            _ => within + u64::from(!is_new_of_server),
        }
    }
}

/// The order from what is worst on. What is said of failures tells those apart that are fully working:
/// others are worse by their class already.
fn from_worst(Judgement { outcome: _, class, answer }: Judgement) -> (Reverse<Classification>, u8) {
    let of_answer = match answer {
        _ if class != Classification::FullyWorking => 0,
        Answer::ToolFailure | Answer::HiddenFailure => 1,
        Answer::BusinessLogic | Answer::HiddenRefusal => 2,
        Answer::NotAsked | Answer::Fine => 3,
    };
    (Reverse(class), of_answer)
}

/// What an exchange is called: its tool, or what kind of document it is.
pub(super) fn called(tool: &str, kind: ExchangeKind) -> Cow<'_, str> {
    match kind {
        ExchangeKind::ToolCall => tool.into(),
        document => format!("({})", document.name().replace('_', " ")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Outcome;

    #[test]
    fn the_worst_comes_first() {
        use Answer::{BusinessLogic, HiddenFailure, NotAsked, ToolFailure};
        use Classification::{Broken, ConnectivityOnly, Error, FullyWorking, PartiallyWorking};
        let order = [
            [(Broken, NotAsked), (Broken, ToolFailure)],
            [(Error, BusinessLogic), (Error, NotAsked)],
            [(ConnectivityOnly, NotAsked), (ConnectivityOnly, ToolFailure)],
            [(PartiallyWorking, NotAsked), (PartiallyWorking, BusinessLogic)],
            [(FullyWorking, ToolFailure), (FullyWorking, HiddenFailure)],
            [(FullyWorking, BusinessLogic); 2],
            [(FullyWorking, NotAsked); 2],
        ];
        let outcome = Outcome::Worked;
        let place = |(class, answer)| from_worst(Judgement { outcome, class, answer });
        let places = order.map(|same| same.map(place));
        assert!(places.iter().all(|[one, other]| one == other), "no other difference counts");
        assert!(places.is_sorted_by(|one, next| one[0] < next[0]), "{places:?}");
    }
}
