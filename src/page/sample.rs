//! Which exchanges are on a page: all of a small run; of a large one so many that whatever can be
//! filtered by is there, those with a text first.

use super::counted::Cells;
use super::read::{PageError, Place, Seen};
use crate::compare::Standing;
use crate::recording::{ExchangeKind, Key};
use crate::store::{Excerpt, NamedVerdict, Span, TableReader};
use crate::verdict::{Answer, Classification};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// So many exchanges are on a page.
pub(super) const MOST: usize = 1_000;

/// What is fine is dealt from this rank on.
const FINE: u64 = 1 << 32;

/// An exchange on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) key: Key,
    pub(super) verdict: u32,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) file: String,
    pub(super) line: u64,
    /// Its own texts, where they are at hand.
    pub(super) texts: Option<Excerpt>,
}

impl Chosen {
    pub(super) fn place(&self) -> Place {
        (self.key, self.file.clone(), self.line)
    }
}

/// Chooses exchanges, the worst first. Those wanted are chosen whatever else is.
pub(super) fn choose(
    table: &mut TableReader,
    verdict: &[NamedVerdict],
    cells: &Cells,
    seen: Vec<Seen>,
) -> Result<Vec<Chosen>, PageError> {
    let mut ranks = Ranks::default();
    let (with_text, without): (Vec<Seen>, Vec<Seen>) =
        seen.into_iter().partition(|seen| verdict[seen.verdict as usize].keeps_text());
    let mut ranked: Vec<(u64, Seen)> = with_text
        .into_iter()
        .chain(without)
        .map(|seen| (if seen.is_wanted { 0 } else { ranks.rank(cells, seen.cell) }, seen))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(MOST);
    let seen = ranked.into_iter().map(|(_, seen)| seen).collect();
    let mut chosen = found(table, verdict, seen)?;
    chosen.sort_by(|a, b| {
        let [one, other] = [a, b].map(|row| from_worst(verdict[row.verdict as usize].standing()));
        one.cmp(&other).then_with(|| (&a.file, a.line, a.key).cmp(&(&b.file, b.line, b.key)))
    });
    Ok(chosen)
}

/// The order from what is worst on. What is said of failures tells those apart that are fully working:
/// others are worse by their class already.
fn from_worst(Standing { outcome: _, class, answer }: Standing) -> (Reverse<Classification>, u8) {
    let of_answer = match (class, answer) {
        (Classification::FullyWorking, Answer::ToolFailure | Answer::HiddenFailure) => 1,
        (Classification::FullyWorking, Answer::BusinessLogic | Answer::HiddenRefusal) => 2,
        (Classification::FullyWorking, Answer::NotAsked | Answer::Fine) => 3,
        (
            Classification::PartiallyWorking
            | Classification::ConnectivityOnly
            | Classification::Error
            | Classification::Broken,
            _,
        ) => 0,
    };
    (Reverse(class), of_answer)
}

/// What has been dealt already.
#[derive(Default)]
struct Ranks {
    looks: HashSet<u32>,
    servers: HashSet<u32>,
    looks_of_servers: HashSet<(u32, u32)>,
    cells: HashMap<u32, u64>,
}

impl Ranks {
    /// How soon an exchange is dealt: whoever shows a look first, then a server; then what is in trouble,
    /// and after all of that what is fine, in both a look of a server first, then of a tool, then the
    /// second of a cell, and so on.
    fn rank(&mut self, cells: &Cells, number: u32) -> u64 {
        let cell = cells.get(number);
        let of_cell = self.cells.entry(number).or_default();
        *of_cell += 1;
        let of_cell = *of_cell;
        let is_look = self.looks.insert(cell.look);
        let is_server = self.servers.insert(cell.server);
        let is_look_of_server = self.looks_of_servers.insert((cell.server, cell.look));
        let within = if is_look_of_server { 0 } else { of_cell };
        match (is_look, is_server) {
            (true, _) => 1,
            (_, true) => 2,
            _ if cells.look_of(cell.look).is_trouble() => 3 + within,
            (false, false) => FINE + within,
        }
    }
}

/// What an exchange is called: its tool, or what kind of document it is.
pub(super) fn called(tool: &str, kind: ExchangeKind) -> Cow<'_, str> {
    match kind {
        ExchangeKind::ToolCall => tool.into(),
        document => format!("({})", document.name().replace('_', " ")).into(),
    }
}

fn found(
    table: &mut TableReader,
    named: &[NamedVerdict],
    mut seen: Vec<Seen>,
) -> Result<Vec<Chosen>, PageError> {
    seen.sort_by_key(|seen| (seen.group, seen.row));
    let mut chosen = Vec::with_capacity(seen.len());
    for seen in seen.chunk_by(|one, other| one.group == other.group) {
        let group = seen[0].group;
        let rows: Vec<usize> = seen.iter().map(|seen| seen.row).collect();
        let mut column = |name| table.texts_in(group, name, &rows).map(Vec::into_iter);
        let mut servers = column("server")?;
        let (mut tools, mut files) = (column("tool")?, column("file")?);
        let (mut replies, mut inputs) = (column("reply_excerpt")?, column("input_excerpt")?);
        let mut spans = column("hit_spans")?;
        let (lines, keys) = (table.ints(group, "line")?, table.keys(group, "key")?);
        let text = |texts: &mut std::vec::IntoIter<Option<String>>| texts.next().flatten();
        for Seen { row, verdict, .. } in seen.iter().copied() {
            let NamedVerdict { kind, hits, .. } = &named[verdict as usize];
            let (reply, input, spans) = (text(&mut replies), text(&mut inputs), text(&mut spans));
            chosen.push(Chosen {
                key: keys[row].unwrap_or_default(),
                verdict,
                server: text(&mut servers).unwrap_or_default(),
                tool: called(&text(&mut tools).unwrap_or_default(), *kind).into_owned(),
                file: text(&mut files).unwrap_or_default(),
                line: lines.get(row).and_then(|line| u64::try_from(*line).ok()).unwrap_or_default(),
                texts: reply.zip(input).and_then(|(reply, input)| {
                    let spans = Span::read(spans.as_deref(), &reply, hits)?;
                    Some(Excerpt { reply, input, spans })
                }),
            });
        }
    }
    Ok(chosen)
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
        let place = |(class, answer)| from_worst(Standing { outcome, class, answer });
        let places = order.map(|same| same.map(place));
        assert!(places.iter().all(|[one, other]| one == other), "no other difference counts");
        assert!(places.is_sorted_by(|one, next| one[0] < next[0]), "{places:?}");
    }
}
