//! The counts of a run while it is made, in memory that does not grow with the corpus.

use super::counts::{SpelledValues, ValueNames};
use super::{Counted, Counts, Dimension, IssueCode, Marks, Unlisted};
use crate::verdict::{Classification, Severity};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The server of exchanges that no group of their own counts.
pub const OTHER: &str = "(other)";

/// So many groups are counted one by one: those whose names have the smallest hashes, whatever order
/// they come in. A year of nights with ninety tools stays below.
const MOST_GROUPS: usize = 1 << 15;
/// So many days are told apart among the rest.
const MOST_DAYS: usize = 1 << 12;

/// What exchanges that are counted together have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// The day of the recording, empty where it is not known.
    pub day: Arc<str>,
    pub server: Arc<str>,
    /// The tool that was called.
    pub tool: Arc<str>,
    pub scenario: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug)]
pub struct GroupRef<'a> {
    /// The day of the recording, empty where it is not known.
    pub day: &'a str,
    pub server: &'a str,
    /// The tool that was called.
    pub tool: &'a str,
    pub scenario: Option<&'a str>,
}

impl Group {
    fn borrowed(&self) -> GroupRef<'_> {
        GroupRef {
            day: &self.day,
            server: &self.server,
            tool: &self.tool,
            scenario: self.scenario.as_deref(),
        }
    }
}

impl GroupRef<'_> {
    /// What decides whether it is counted for itself.
    fn hash_of_names(self) -> u64 {
        let mut names = SmallVec::<[u8; 256]>::new();
        for part in [self.day, self.server, self.tool].into_iter().chain(self.scenario) {
            names.extend_from_slice(&(part.len() as u64).to_le_bytes());
            names.extend_from_slice(part.as_bytes());
        }
        xxh3_64(&names)
    }
}

/// The names of groups, each once.
#[derive(Debug, Default)]
struct GroupNames {
    all: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

/// So many names a group has at most.
const NAMES: usize = 4;

/// The numbers of the names of a group: of its day, server and tool, and of its scenario where it has one.
type Numbers = ([u32; 3], Option<u32>);

impl GroupNames {
    /// The numbers of a group of which all names are known.
    fn find(&self, group: GroupRef<'_>) -> Option<Numbers> {
        let number = |name: &str| self.numbers.get(name).copied();
        let scenario = match group.scenario {
            Some(name) => Some(number(name)?),
            None => None,
        };
        Some(([number(group.day)?, number(group.server)?, number(group.tool)?], scenario))
    }

    fn add(&mut self, group: GroupRef<'_>) -> Numbers {
        let mut number = |name: &str| {
            if let Some(number) = self.numbers.get(name) {
                return *number;
            }
            let (number, name) = (self.all.len().try_into().unwrap_or(u32::MAX), Arc::from(name));
            self.all.push(Arc::clone(&name));
            self.numbers.insert(name, number);
            number
        };
        ([group.day, group.server, group.tool].map(&mut number), group.scenario.map(number))
    }

    /// For each number the place of its name among all in their order.
    fn places(&self) -> Vec<usize> {
        let mut sorted: Vec<usize> = (0..self.all.len()).collect();
        sorted.sort_unstable_by_key(|number| &self.all[*number]);
        let mut places = vec![0; sorted.len()];
        (0..).zip(sorted).for_each(|(place, number)| places[number] = place);
        places
    }

    fn group(&self, (names, scenario): Numbers) -> Group {
        let name = |number: u32| Arc::clone(&self.all[number as usize]);
        let [day, server, tool] = names.map(name);
        Group { day, server, tool, scenario: scenario.map(name) }
    }
}

/// Where exchanges of a group are counted, until the next [`Cube::settle`].
#[derive(Clone, Copy, Debug)]
pub struct Slot(usize);

#[derive(Debug)]
pub struct Cube {
    names: GroupNames,
    /// The groups that are counted one by one: the hash of their names, and their place in `counts`.
    slots: HashMap<Numbers, (u64, usize)>,
    /// What groups beyond the bound count, by day.
    other: BTreeMap<String, usize>,
    counts: Vec<Counts>,
    /// Places in `counts` that nothing uses any more.
    free: Vec<usize>,
    /// Groups with a larger hash are beyond the bound.
    largest: u64,
    unlisted: Unlisted,
    most_groups: usize,
    most_days: usize,
}

/// The cells of a cube, to be added to those of others.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CubeCells {
    groups: Vec<(Group, Counts)>,
    /// What groups beyond the bound count, by day.
    other: Vec<(String, Counts)>,
    /// The types of issues that only recordings know, as they came.
    unlisted: Vec<String>,
}

/// There are too many types of issues that only recordings know: which are counted one by one depends on the order
/// in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyTypes;

impl Default for Cube {
    fn default() -> Self {
        Self::bounded(MOST_GROUPS, MOST_DAYS)
    }
}

impl Cube {
    fn bounded(most_groups: usize, most_days: usize) -> Self {
        Self {
            names: GroupNames::default(),
            slots: HashMap::new(),
            other: BTreeMap::new(),
            counts: Vec::new(),
            free: Vec::new(),
            largest: u64::MAX,
            unlisted: Unlisted::default(),
            most_groups,
            most_days,
        }
    }

    /// Where exchanges of a group are counted, until the next [`Cube::settle`].
    pub fn slot(&mut self, group: GroupRef<'_>) -> Slot {
        let known = self.names.find(group).and_then(|numbers| self.slots.get(&numbers));
        if let Some((_, slot)) = known {
            return Slot(*slot);
        }
        let hash = group.hash_of_names();
        if hash > self.largest {
            return Slot(self.slot_of_others(group.day));
        }
        let slot = self.free_slot();
        self.slots.insert(self.names.add(group), (hash, slot));
        Slot(slot)
    }

    fn slot_of_others(&mut self, day: &str) -> usize {
        if let Some(slot) = self.other.get(day) {
            return *slot;
        }
        let slot = self.free_slot();
        self.other.insert(day.to_owned(), slot);
        slot
    }

    fn free_slot(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.counts.push(Counts::default());
            self.counts.len() - 1
        })
    }

    /// Counts so many exchanges that are judged alike.
    pub fn count(&mut self, slot: Slot, times: u64, marks: &Marks) {
        self.counts[slot.0].add(marks, times);
    }

    /// Counts durations by their number (see [`duration_bucket`](super::duration_bucket)).
    pub fn count_durations(&mut self, slot: Slot, bucket: u16, times: u64) {
        self.counts[slot.0].add_durations(bucket, times);
    }

    /// Counts an issue that belongs to no exchange.
    pub fn count_issue(&mut self, group: GroupRef<'_>, severity: Severity, code: IssueCode) {
        let slot = self.slot(group);
        self.counts[slot.0].add_issue(severity, code);
    }

    /// The types of issues that only recordings know.
    pub fn unlisted(&mut self) -> &mut Unlisted {
        &mut self.unlisted
    }

    /// Keeps the bound; all slots are void then. Groups that once are beyond it stay so, since others
    /// with smaller hashes only become more.
    pub fn settle(&mut self) {
        let most = self.most_groups;
        if self.slots.len() > most {
            let held = self.slots.iter().map(|(numbers, (hash, _))| (*hash, *numbers));
            let mut held: Vec<(u64, Numbers)> = held.collect();
            let (kept, first_beyond, beyond) = held.select_nth_unstable_by_key(most, |it| it.0);
            self.largest = kept.iter().map(|(hash, _)| *hash).max().unwrap_or(0);
            for (_, numbers) in beyond.iter().chain([&*first_beyond]) {
                if let Some((_, slot)) = self.slots.remove(numbers) {
                    let others = self.slot_of_others(&self.names.group(*numbers).day);
                    self.join(slot, others);
                }
            }
            if self.names.all.len() > most * NAMES {
                let names = std::mem::take(&mut self.names);
                let slots = std::mem::take(&mut self.slots).into_iter();
                let again =
                    |(numbers, place)| (self.names.add(names.group(numbers).borrowed()), place);
                self.slots = slots.map(again).collect();
            }
        }
        let dated = self.other.keys().filter(|day| !day.is_empty());
        let mut days: Vec<(u64, String)> =
            dated.map(|day| (xxh3_64(day.as_bytes()), day.clone())).collect();
        if days.len() > self.most_days {
            days.sort_unstable();
            for (_, day) in days.drain(self.most_days..) {
                if let Some(slot) = self.other.remove(&day) {
                    let undated = self.slot_of_others("");
                    self.join(slot, undated);
                }
            }
        }
    }

    /// Adds the counts of one place to another's and frees it.
    fn join(&mut self, from: usize, to: usize) {
        let counted = std::mem::take(&mut self.counts[from]);
        self.counts[to].merge(&counted);
        self.free.push(from);
    }

    /// All that was counted, to be added to another cube.
    pub fn cells(&self) -> CubeCells {
        let of_slot = |slot: &usize| self.counts[*slot].clone();
        let groups = self.slots.iter();
        let groups = groups.map(|(numbers, (_, slot))| (self.names.group(*numbers), of_slot(slot)));
        let mut groups: Vec<_> = groups.collect();
        groups.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let other = self.other.iter().map(|(day, slot)| (day.clone(), of_slot(slot)));
        CubeCells { groups, other: other.collect(), unlisted: self.unlisted.names().to_vec() }
    }

    /// Adds what the cube of the next stretch of the corpus counted.
    pub fn add(&mut self, cells: CubeCells) -> Result<(), TooManyTypes> {
        let codes = cells.unlisted.iter().map(|name| self.unlisted.code(name));
        let codes: Vec<IssueCode> = codes.collect();
        if self.unlisted.is_full() {
            return Err(TooManyTypes);
        }
        for (group, counts) in cells.groups {
            let Slot(slot) = self.slot(group.borrowed());
            self.counts[slot].merge(&counts.with_unlisted(&codes));
        }
        for (day, counts) in cells.other {
            let slot = self.slot_of_others(&day);
            self.counts[slot].merge(&counts.with_unlisted(&codes));
        }
        self.settle();
        Ok(())
    }

    /// The counts of the whole run.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.counts.iter().for_each(|counts| total.merge(counts));
        total
    }

    /// How many exchanges no group of their own counts.
    pub fn others(&self) -> u64 {
        self.other.values().map(|slot| self.counts[*slot].exchanges()).sum()
    }

    /// The groups in order, those of [`OTHER`] among them, and the types of issues that only
    /// recordings know.
    pub fn into_groups(mut self) -> (Vec<(Group, Counts)>, Unlisted) {
        self.settle();
        let mut counts = self.counts;
        let mut groups = Vec::with_capacity(self.slots.len() + self.other.len());
        let places = self.names.places();
        let place = |number: u32| places[number as usize];
        let mut slots: Vec<(Numbers, usize)> =
            self.slots.into_iter().map(|(numbers, (_, slot))| (numbers, slot)).collect();
        slots
            .sort_unstable_by_key(|((names, scenario), _)| (names.map(place), scenario.map(place)));
        groups.extend(
            slots.into_iter().map(|(numbers, slot)| {
                (self.names.group(numbers), std::mem::take(&mut counts[slot]))
            }),
        );
        for (day, slot) in self.other {
            let counts = std::mem::take(&mut counts[slot]);
            let (day, server, tool) = (day.into(), OTHER.into(), "".into());
            let group = Group { day, server, tool, scenario: None };
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, known)) => known.merge(&counts),
                None => groups.push((group, counts)),
            }
        }
        groups.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        (groups, self.unlisted)
    }
}

/// One count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubeRow<'a> {
    /// The day the exchanges were recorded; `None` where it is not known.
    pub day: Option<&'a str>,
    pub server: &'a str,
    /// The tool that was called.
    pub tool: &'a str,
    /// The scenario category; `None` where none was recorded.
    pub scenario: Option<&'a str>,
    pub dimension: Dimension,
    /// The value that is counted.
    pub value: &'a str,
    pub n: i64,
}

/// The groups of a cube in their order, with the names of all that is counted.
#[derive(Clone, Debug)]
pub struct CountedGroups {
    groups: Vec<(Group, Counts)>,
    names: SpelledValues,
}

impl CountedGroups {
    pub fn new(groups: Vec<(Group, Counts)>, names: ValueNames<'_>) -> Self {
        Self { names: SpelledValues::of(&groups, names), groups }
    }

    pub fn groups(&self) -> &[(Group, Counts)] {
        &self.groups
    }

    /// The rows: group by group, the dimensions in their order.
    pub fn rows(&self) -> impl Iterator<Item = CubeRow<'_>> {
        let Self { groups, names } = self;
        groups.iter().flat_map(move |(group, counts)| {
            let confidence = (counts.exchanges() > 0)
                .then(|| (Dimension::Confidence, 0, counts.confidences().millionths()));
            let counted = counts.all().map(|(dimension, number, n)| {
                (dimension, number, i64::try_from(n).unwrap_or(i64::MAX))
            });
            counted.chain(confidence).map(move |(dimension, number, n)| CubeRow {
                day: Some(&*group.day).filter(|day| !day.is_empty()),
                server: &group.server,
                tool: &group.tool,
                scenario: group.scenario.as_deref(),
                dimension,
                value: names.of_value(dimension, number),
                n,
            })
        })
    }
}

impl Counts {
    /// Exchanges by class, best first.
    pub fn per_class(&self) -> [(Classification, u64); 5] {
        Classification::ALL.map(|class| (class, self.get(Counted::Class(class))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Judged;
    use crate::recording::ReplyKind;
    use crate::rulebook::Overall;
    use crate::verdict::{Outcome, SignalSet};
    use proptest::prelude::*;

    const OVERALL: Overall = Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 };

    fn judged(class: usize) -> Judged<'static> {
        Judged {
            class: Classification::ALL[class],
            outcome: Outcome::Worked,
            standing: (Classification::ALL[class], 12.5),
            reply: ReplyKind::Result,
            business_logic: None,
            hidden_failure: None,
            error_kind: None,
            schema: None,
            signals: SignalSet(0b101),
            issues: &[],
        }
    }

    /// The groups of these exchanges (day, tool, class), settled after so many.
    fn counted(
        exchanges: &[(u8, u8, usize)],
        most: (usize, usize),
        at_once: usize,
    ) -> Vec<(Group, Counts)> {
        cube_of(exchanges, most, at_once).into_groups().0
    }

    fn cube_of(exchanges: &[(u8, u8, usize)], most: (usize, usize), at_once: usize) -> Cube {
        let mut cube = Cube::bounded(most.0, most.1);
        for exchanges in exchanges.chunks(at_once) {
            for (day, tool, class) in exchanges {
                let (day, tool) = (format!("2026-11-{day:02}"), format!("tool-{tool}"));
                let group = GroupRef { day: &day, server: "mail", tool: &tool, scenario: None };
                let slot = cube.slot(group);
                cube.count(slot, 1, &judged(*class).marks(&OVERALL));
            }
            cube.settle();
        }
        cube
    }

    #[test]
    fn types_that_only_recordings_know_are_added_by_their_names() {
        let group = GroupRef { day: "", server: "mail", tool: "get", scenario: None };
        let of = |names: &[&str]| {
            let mut cube = Cube::default();
            for name in names {
                let code = cube.unlisted().code(name);
                cube.count_issue(group, Severity::Error, code);
            }
            cube
        };
        let mut joined = Cube::default();
        for part in [&["tone", "length"][..], &["length", "tone", "colour"]] {
            joined.add(of(part).cells()).expect("few types");
        }
        let whole = of(&["tone", "length", "length", "tone", "colour"]);
        let shown = |cube: Cube| {
            let (groups, unlisted) = cube.into_groups();
            let names = ValueNames { error_kinds: &[], signals: &[], unlisted: &unlisted };
            let counted = CountedGroups::new(groups, names);
            counted.rows().map(|row| (row.value.to_owned(), row.n)).collect::<Vec<_>>()
        };
        assert_eq!(shown(joined), shown(whole));
        let many: Vec<String> = (0..1_001).map(|number| format!("type-{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(Cube::default().add(of(&many).cells()), Err(TooManyTypes));
    }

    proptest! {
        #[test]
        fn what_is_kept_depends_on_names_alone_and_nothing_is_lost(
            exchanges in proptest::collection::vec((1_u8..9, 0_u8..9, 0_usize..5), 0..200),
            most in (1_usize..40, 1_usize..9),
            at_once in 1_usize..60,
        ) {
            let found = counted(&exchanges, most, at_once);
            let mut turned = exchanges.clone();
            turned.reverse();
            prop_assert_eq!(&found, &counted(&turned, most, 7));
            let of_all = |groups: &[(Group, Counts)]| {
                let mut sum = Counts::default();
                for (_, counts) in groups {
                    sum.merge(counts);
                }
                sum
            };
            let exact = counted(&exchanges, (usize::MAX, usize::MAX), 200);
            prop_assert_eq!(of_all(&found), of_all(&exact));
            let kept: Vec<_> = found.iter().filter(|(group, _)| &*group.server != OTHER).collect();
            prop_assert_eq!(kept.len(), exact.len().min(most.0));
            prop_assert!(kept.into_iter().all(|group| exact.contains(group)));
            prop_assert!(found.len() <= most.0 + most.1 + 1);
            let mut joined = Cube::bounded(most.0, most.1);
            for exchanges in exchanges.chunks(at_once) {
                joined.add(cube_of(exchanges, most, 7).cells()).expect("no types of its own");
            }
            prop_assert_eq!(&found, &joined.into_groups().0, "cells of parts, added up");
        }
    }
}
