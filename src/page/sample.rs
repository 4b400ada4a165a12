//! Which exchanges are on a page: all of a small run; of a large one so many that whatever can be
//! filtered by is there, those with a text first.

use super::counted::Cells;
use super::read::{PageError, Seen};
use crate::compare::{Answer, Said, Standing};
use crate::report::{TableReader, TextColumn};
use crate::verdict::Classification;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// So many exchanges are on a page.
pub(super) const MOST: usize = 1_000;

/// What is fine is dealt from this rank on.
const FINE: u64 = 1 << 32;

/// An exchange on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) key: String,
    pub(super) said: u32,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) file: String,
    pub(super) line: u64,
}

/// An exchange that may be chosen: its cell, what was said of it, and where to find it.
struct Candidate {
    cell: u32,
    said: u32,
    place: Place,
}

enum Place {
    /// What was said of it holds its text; the number of the excerpt.
    Excerpt(usize),
    /// A row of the table of verdicts.
    Row(Seen),
}

/// Chooses exchanges, the worst first. Those wanted are chosen whatever else is, as far as texts of them
/// are held.
pub(super) fn choose(
    table: &mut TableReader,
    (said, cells): (&[Said], &Cells),
    (seen, wanted): (Vec<Seen>, &HashSet<String>),
) -> Result<Vec<Chosen>, PageError> {
    let mut candidates = with_texts(said, cells);
    candidates.extend(seen.into_iter().map(|seen| Candidate {
        cell: seen.cell,
        said: seen.said,
        place: Place::Row(seen),
    }));
    let mut ranks = Ranks::default();
    let mut ranked: Vec<(u64, Candidate)> = candidates
        .into_iter()
        .map(|candidate| {
            let is_wanted = match candidate.place {
                Place::Excerpt(at) => {
                    let excerpt = &said[candidate.said as usize].excerpts[at];
                    wanted.contains(&excerpt.key.to_string())
                }
                Place::Row(_) => false,
            };
            (if is_wanted { 0 } else { ranks.rank(cells, candidate.cell) }, candidate)
        })
        .collect();
    // Exchanges with a text are among the rows too, so that twice as many make a full page.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(2 * MOST);
    let mut chosen = found(table, said, ranked)?;
    chosen.truncate(MOST);
    chosen.sort_by(|a, b| {
        let [one, other] = [a, b].map(|row| from_worst(said[row.said as usize].standing()));
        one.cmp(&other).then_with(|| (&a.file, a.line, &a.key).cmp(&(&b.file, b.line, &b.key)))
    });
    Ok(chosen)
}

/// The order from what is worst on. What is said of failures tells those apart that are fully working:
/// others are worse by their class already.
fn from_worst(Standing { class, answer }: Standing) -> (Reverse<Classification>, u8) {
    let of_answer = match (class, answer) {
        (Classification::FullyWorking, Answer::ToolFailure | Answer::HiddenFailure) => 1,
        (Classification::FullyWorking, Answer::BusinessLogic) => 2,
        (Classification::FullyWorking, Answer::NotAsked) => 3,
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

fn with_texts(said: &[Said], cells: &Cells) -> Vec<Candidate> {
    let names: HashMap<(&str, &str, u32), u32> = (0..)
        .zip(cells.all())
        .map(|(number, (cell, _))| {
            ((cells.name_of(cell.server), cells.name_of(cell.tool), cell.look), number)
        })
        .collect();
    let looks: HashMap<_, u32> = cells.looks().iter().zip(0..).collect();
    let mut found = Vec::new();
    for (number, one) in (0..).zip(said) {
        let Some(look) = looks.get(&super::counted::Look::of(one)) else { continue };
        for (at, excerpt) in one.excerpts.iter().enumerate() {
            let name = (excerpt.server.as_str(), excerpt.tool.as_str(), *look);
            if let Some(cell) = names.get(&name) {
                found.push(Candidate { cell: *cell, said: number, place: Place::Excerpt(at) });
            }
        }
    }
    found
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

/// The exchanges themselves, in the order in which they were dealt, each once.
fn found(
    table: &mut TableReader,
    said: &[Said],
    ranked: Vec<(u64, Candidate)>,
) -> Result<Vec<Chosen>, PageError> {
    let mut rows: BTreeMap<usize, Vec<(usize, Seen)>> = BTreeMap::new();
    let mut places: Vec<Option<Chosen>> = Vec::with_capacity(ranked.len());
    for (order, (_, candidate)) in ranked.into_iter().enumerate() {
        places.push(match candidate.place {
            Place::Excerpt(at) => {
                let excerpt = &said[candidate.said as usize].excerpts[at];
                Some(Chosen {
                    key: excerpt.key.to_string(),
                    said: candidate.said,
                    server: excerpt.server.clone(),
                    tool: excerpt.tool.clone(),
                    file: excerpt.file.clone(),
                    line: excerpt.line,
                })
            }
            Place::Row(seen) => {
                rows.entry(seen.group).or_default().push((order, seen));
                None
            }
        });
    }
    for (group, rows) in rows {
        let [keys, servers, tools, files] =
            ["key", "server", "tool", "file"].map(|name| table.texts(group, name));
        let (keys, servers, tools, files) = (keys?, servers?, tools?, files?);
        let lines = table.ints(group, "line")?;
        for (order, Seen { row, said, .. }) in rows {
            let text = |column: &TextColumn| column.get(row).unwrap_or_default().to_owned();
            places[order] = Some(Chosen {
                key: text(&keys),
                said,
                server: text(&servers),
                tool: text(&tools),
                file: text(&files),
                line: lines.get(row).and_then(|line| u64::try_from(*line).ok()).unwrap_or_default(),
            });
        }
    }
    let mut known = HashSet::new();
    let place = |chosen: &Chosen| (chosen.key.clone(), chosen.file.clone(), chosen.line);
    Ok(places.into_iter().flatten().filter(|chosen| known.insert(place(chosen))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let places =
            order.map(|same| same.map(|(class, answer)| from_worst(Standing { class, answer })));
        assert!(places.iter().all(|[one, other]| one == other), "no other difference counts");
        assert!(places.is_sorted_by(|one, next| one[0] < next[0]), "{places:?}");
    }
}
