//! The counts of a run while it is made, in memory that does not grow with the corpus.

use super::counts::ValueNames;
use super::{Counted, CountedOnce, Counts, Dimension, IssueCode, List, Unlisted};
use crate::verdict::{Classification, Severity};
use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use indexmap::{Equivalent, IndexMap};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The server of exchanges that no group of their own counts.
pub const OTHER: &str = "(other)";

/// So many groups are counted one by one. A year of nights with ninety tools stays below.
const MOST_GROUPS: usize = 1 << 15;
/// So many days are told apart among the rest.
const MOST_DAYS: usize = 1 << 12;

/// What exchanges that are counted together have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Group<Name = Arc<str>> {
    /// The day of the recording, empty where it is not known.
    pub day: Name,
    pub server: Name,
    pub tool: Name,
    pub scenario: Option<Name>,
}

pub type GroupRef<'a> = Group<&'a str>;

impl Equivalent<Group> for GroupRef<'_> {
    fn equivalent(&self, group: &Group) -> bool {
        *self == group.borrowed()
    }
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

impl<'a> GroupRef<'a> {
    /// The group of exchanges of a day that no group of their own counts.
    fn others(day: &'a str) -> Self {
        Self { day, server: OTHER, tool: "", scenario: None }
    }

    fn is_of_others(self) -> bool {
        self.server == OTHER && self.tool.is_empty() && self.scenario.is_none()
    }

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

/// Where exchanges of a group are counted, until the next [`Cube::keep_bounds`].
#[derive(Clone, Copy, Debug)]
pub struct GroupSlot(usize);

#[derive(Debug)]
pub struct Cube {
    /// The names in `groups`, each in memory once.
    names: HashSet<Arc<str>>,
    /// The groups that are counted one by one, and those of others.
    groups: IndexMap<Group, Held, DefaultHashBuilder>,
    unlisted: Unlisted,
    bound: Bound,
    /// Which days are told apart among the others.
    days: Bound,
}

/// A group that is counted.
#[derive(Debug)]
struct Held {
    /// What decides whether it is: a hash of its names, or of its day if it is of others.
    hash: u64,
    is_of_others: bool,
    counts: Counts,
}

/// The cells of a cube, to be added to those of others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CubeCells {
    groups: Vec<(Group, Counts)>,
    /// The types of issues that only recordings know, as they came.
    unlisted: Vec<Arc<str>>,
}

impl Default for Cube {
    fn default() -> Self {
        Self::bounded(Bound::of(MOST_GROUPS), Bound::of(MOST_DAYS))
    }
}

impl Cube {
    fn bounded(bound: Bound, days: Bound) -> Self {
        let (names, groups) = (HashSet::new(), IndexMap::default());
        Self { names, groups, unlisted: Unlisted::default(), bound, days }
    }

    pub fn slot(&mut self, group: GroupRef<'_>) -> GroupSlot {
        if let Some(at) = self.groups.get_index_of(&group) {
            return GroupSlot(at);
        }
        let is_of_others = group.is_of_others();
        let (bound, hash) = if is_of_others {
            (self.days, hash_of_day(group.day))
        } else {
            (self.bound, group.hash_of_names())
        };
        if !bound.admits(hash) {
            return self.slot(GroupRef::others(if is_of_others { "" } else { group.day }));
        }
        let mut name =
            |name: &str| Arc::clone(self.names.get_or_insert_with(name, |name| Arc::from(name)));
        let GroupRef { day, server, tool, scenario } = group;
        let [day, server, tool] = [day, server, tool].map(&mut name);
        let group = Group { day, server, tool, scenario: scenario.map(name) };
        let held = Held { hash, is_of_others, counts: Counts::default() };
        GroupSlot(self.groups.insert_full(group, held).0)
    }

    fn all_counts(&mut self) -> impl Iterator<Item = &mut Counts> {
        self.groups.values_mut().map(|held| &mut held.counts)
    }

    /// Counts so many exchanges that are judged alike.
    pub fn count(&mut self, slot: GroupSlot, times: u64, counted_once: &CountedOnce) {
        self.groups[slot.0].counts.add(counted_once, times);
    }

    /// Counts durations by their number (see [`duration_bucket`](super::duration_bucket)).
    pub fn count_durations(&mut self, slot: GroupSlot, bucket: u16, times: u64) {
        self.groups[slot.0].counts.add_durations(bucket, times);
    }

    /// Counts exchanges that are on a list.
    pub fn count_listed(&mut self, slot: GroupSlot, list: List, times: u64) {
        self.groups[slot.0].counts.increase(Counted::List(list), times);
    }

    /// Counts an issue that belongs to no exchange.
    pub fn count_issue(&mut self, group: GroupRef<'_>, severity: Severity, code: IssueCode) {
        let GroupSlot(at) = self.slot(group);
        self.groups[at].counts.increase(Counted::Issues(severity, code), 1);
    }

    /// The codes of different types of issues that only recordings know.
    pub fn codes<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> Vec<IssueCode> {
        let names: Vec<&str> = names.collect();
        if let Some(codes) = self.unlisted.make_room(&names) {
            self.all_counts().for_each(|counts| *counts = counts.with_unlisted(&codes));
        }
        names.into_iter().map(|name| self.unlisted.code(name)).collect()
    }

    /// Counts among others what is beyond the bounds; all slots are void then.
    pub fn keep_bounds(&mut self) {
        self.let_go(false);
        self.let_go(true);
    }

    /// Counts among others what is beyond the bound of groups, or of days of others.
    fn let_go(&mut self, of_others: bool) {
        let bound = if of_others { &mut self.days } else { &mut self.bound };
        let held = self.groups.values().filter(|held| held.is_of_others == of_others);
        // Those without a day are always told apart.
        bound.fit(held.map(|held| (held.hash, usize::from(held.hash > 0))));
        let bound = *bound;
        let is_beyond = |held: &Held| held.is_of_others == of_others && !bound.admits(held.hash);
        let beyond: Vec<_> = self.groups.extract_if(.., |_, held| is_beyond(held)).collect();
        if beyond.is_empty() {
            return;
        }
        for (group, held) in beyond {
            let GroupSlot(others) = self.slot(group.borrowed());
            self.groups[others].counts.merge(&held.counts);
        }
        // Names of groups that were let go are forgotten.
        self.names.retain(|name| Arc::strong_count(name) > 1);
    }

    pub fn cells(&self) -> CubeCells {
        let groups = self.groups.iter();
        let groups = groups.map(|(group, held)| (group.clone(), held.counts.clone()));
        let mut groups: Vec<_> = groups.collect();
        groups.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        CubeCells { groups, unlisted: self.unlisted.names.iter().cloned().collect() }
    }

    /// Adds what the cube of the next stretch of the corpus counted.
    pub fn add(&mut self, cells: CubeCells) {
        let codes = self.codes(cells.unlisted.iter().map(|name| &**name));
        for (group, counts) in cells.groups {
            let GroupSlot(at) = self.slot(group.borrowed());
            self.groups[at].counts.merge(&counts.with_unlisted(&codes));
        }
        self.keep_bounds();
    }

    /// How many exchanges no group of their own counts.
    pub fn others(&self) -> u64 {
        let others = self.groups.values().filter(|held| held.is_of_others);
        others.map(|held| held.counts.exchanges()).sum()
    }

    /// The groups in order, those of [`OTHER`] too, and types of issues that only recordings know.
    pub fn into_groups(mut self) -> (Vec<(Group, Counts)>, Unlisted) {
        self.keep_bounds();
        let (unlisted, codes) = self.unlisted.sorted();
        if !codes.is_empty() {
            for counts in self.all_counts() {
                *counts = counts.with_unlisted(&codes);
                counts.cap();
            }
        }
        let mut names: Vec<&Arc<str>> = self.names.iter().collect();
        names.sort_unstable();
        let places = names.iter().zip(0_usize..).map(|(name, place)| (name.as_ptr(), place));
        let places: HashMap<_, _> = places.collect();
        let place = |name: &Arc<str>| places.get(&name.as_ptr()).copied();
        self.groups.sort_by_cached_key(|Group { day, server, tool, scenario }, _| {
            ([day, server, tool].map(place), scenario.as_ref().map(place))
        });
        let groups = self.groups.into_iter().map(|(group, held)| (group, held.counts));
        (groups.collect(), unlisted)
    }
}

fn hash_of_day(day: &str) -> u64 {
    if day.is_empty() { 0 } else { xxh3_64(day.as_bytes()).max(1) }
}

/// Something that was counted, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count<'a> {
    pub dimension: Dimension,
    pub value: &'a str,
    pub n: i64,
}

/// The groups of a cube in their order, with the names of all that is counted.
#[derive(Clone, Debug)]
pub struct CountedGroups {
    groups: Vec<(Group, Counts)>,
    /// By dimension and number; those that occur are filled in.
    values: Vec<Vec<String>>,
}

impl CountedGroups {
    pub fn new(groups: Vec<(Group, Counts)>, names: ValueNames<'_>) -> Self {
        let mut values = vec![Vec::new(); Dimension::ALL.len()];
        for code in groups.iter().flat_map(|(_, counts)| counts.all()).map(|(code, _)| code) {
            let (of, number): (&mut Vec<String>, _) = (&mut values[code.0 as usize], code.number());
            if of.len() <= number {
                of.resize(number + 1, String::new());
            }
            if of[number].is_empty() {
                of[number] = names.value(code);
            }
        }
        Self { groups, values }
    }

    pub fn groups(&self) -> &[(Group, Counts)] {
        &self.groups
    }

    /// What was counted of each group, the dimensions in their order.
    pub fn counts(&self) -> impl Iterator<Item = (GroupRef<'_>, impl Iterator<Item = Count<'_>>)> {
        let Self { groups, values } = self;
        groups.iter().map(move |(group, counts)| {
            let counted = counts.all().map(move |(code, n)| Count {
                dimension: code.0,
                value: &values[code.0 as usize][code.number()],
                n: i64::try_from(n).unwrap_or(i64::MAX),
            });
            let n = counts.confidences().millionths();
            let confidence = Count { dimension: Dimension::Confidence, value: "sum", n };
            (group.borrowed(), counted.chain((counts.exchanges() > 0).then_some(confidence)))
        })
    }
}

impl Counts {
    /// Exchanges by class, best first.
    pub fn per_class(&self) -> [(Classification, u64); 5] {
        let mut counts = Classification::ALL.map(|class| (class, 0));
        self.of(Dimension::Class).for_each(|(class, n)| counts[usize::from(class)].1 = n);
        counts
    }
}

/// A bound on what is counted one by one: of all that come those with the smallest hashes are, whatever order they come in.
/// What once is beyond it stays so, since others with smaller hashes only become more, and no size ever shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::count) struct Bound {
    /// How much there is room for: so many, or so many bytes.
    most: usize,
    /// The smallest hash that is beyond.
    end: Option<u64>,
}

impl Bound {
    pub(in crate::count) const fn of(most: usize) -> Self {
        Self { most, end: None }
    }

    pub(in crate::count) fn most(self) -> usize {
        self.most
    }

    pub(in crate::count) fn admits(self, hash: u64) -> bool {
        self.end.is_none_or(|end| hash < end)
    }

    /// Lowers the bound to what there is room for, given the hashes and sizes of all that are counted one by one.
    pub(in crate::count) fn fit(&mut self, sizes: impl Iterator<Item = (u64, usize)> + Clone) {
        let sizes = sizes.filter(|(hash, _)| self.admits(*hash));
        if sizes.clone().map(|(_, size)| size).sum::<usize>() <= self.most {
            return;
        }
        let mut sizes: Vec<(u64, usize)> = sizes.collect();
        sizes.sort_unstable();
        let mut room = self.most;
        for (hash, size) in sizes {
            let Some(left) = room.checked_sub(size) else {
                self.end = Some(hash);
                return;
            };
            room = left;
        }
    }

    /// Takes over what another stretch of the corpus reached.
    pub(in crate::count) fn lower(&mut self, other: Self) {
        self.end = self.end.into_iter().chain(other.end).min();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::CountedIssue;
    use crate::recording::ReplyKind;
    use crate::rulebook::Overall;
    use crate::store::tests::plain_verdict;
    use crate::verdict::{SignalSet, Verdict};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    const OVERALL: Overall = Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 };

    fn counted_once(class: usize, issues: &[CountedIssue]) -> CountedOnce {
        static VERDICT: LazyLock<Verdict> = LazyLock::new(plain_verdict);
        let (mut verdict, class) = (VERDICT.clone(), Classification::ALL[class]);
        verdict.conclusion.judgement.class = class;
        let of_reply = (ReplyKind::Result, SignalSet(0b101));
        CountedOnce::of(&verdict, of_reply, (class, 12.5), issues, &OVERALL)
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
        let mut cube = Cube::bounded(Bound::of(most.0), Bound::of(most.1));
        for exchanges in exchanges.chunks(at_once) {
            for (day, tool, class) in exchanges {
                let (day, tool) = (format!("2026-11-{day:02}"), format!("tool-{tool}"));
                let group = GroupRef { day: &day, server: "mail", tool: &tool, scenario: None };
                let slot = cube.slot(group);
                cube.count(slot, 1, &counted_once(*class, &[]));
            }
            cube.keep_bounds();
        }
        cube
    }

    #[test]
    fn types_that_only_recordings_know_are_added_by_their_names() {
        let group = GroupRef { day: "", server: "mail", tool: "get", scenario: None };
        // Each call has two of them.
        let of = |names: &[String]| {
            let mut cube = Cube::default();
            for names in names.chunks(700) {
                for codes in cube.codes(names.iter().map(String::as_str)).chunks(2) {
                    let issue =
                        |code| CountedIssue { severity: Severity::Error, code, is_first: true };
                    let issues: Vec<_> = codes.iter().copied().map(issue).collect();
                    let slot = cube.slot(group);
                    cube.count(slot, 1, &counted_once(0, &issues));
                }
            }
            cube
        };
        let shown = |cube: Cube| {
            let (groups, unlisted) = cube.into_groups();
            let names = ValueNames { error_kinds: &[], signals: &[], unlisted: &unlisted };
            let counted = CountedGroups::new(groups, names);
            let counts = counted.counts().flat_map(|(_, counts)| counts);
            counts.map(|it| (it.dimension, it.value.to_owned(), it.n)).collect::<Vec<_>>()
        };
        // The second has a type of the first, and with the third there are too many.
        let numbered = |numbers: std::ops::Range<usize>| numbers.map(|it| format!("type-{it}"));
        let parts = [numbered(0..2), numbered(1..901), numbered(901..2_601), numbered(0..0)];
        let parts = parts.map(Iterator::collect::<Vec<String>>);
        for (most, types) in [(1, 2), (2, 901), (3, 1_001), (4, 1_001)] {
            let mut joined = Cube::default();
            parts[..most].iter().for_each(|part| joined.add(of(part).cells()));
            let mut whole = parts[..most].concat();
            whole.reverse();
            let joined = shown(joined);
            let calls = i64::try_from(whole.len() / 2).expect("few");
            assert_eq!(joined, shown(of(&whole)));
            let mut last = Cube::default();
            last.add(of(&whole).cells());
            assert_eq!(joined, shown(last), "one part has all");
            let of_types = joined.iter().filter(|row| row.0 == Dimension::IssueType);
            assert_eq!(of_types.clone().count(), types);
            assert!(of_types.map(|row| row.2).all(|n| n <= calls), "no more than all calls");
        }
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
            let mut joined = Cube::bounded(Bound::of(most.0), Bound::of(most.1));
            for exchanges in exchanges.chunks(at_once) {
                joined.add(cube_of(exchanges, most, 7).cells());
            }
            prop_assert_eq!(&found, &joined.into_groups().0, "cells of parts, added up");
        }
    }
}
