//! Follows a series from night to night: at which level it is, and when it leaves it.

use super::correction::{FEWEST_BEFORE, Looked, Tests};
use super::counts::{Counts, Sums, WINDOWS};
use super::evidence::{Evidence, Shift, Spread, Squares};
use super::model::Difference;
use super::rolling::{Level, Recent};

/// How much more probable than the changed level the earlier must be to be back: ln 1,000.
const BACK: f64 = 6.907_755_278_982_137;
/// How far nights vary is learned from so many times the nights of a level.
const LEARN: usize = 4;
/// A share is only held against what was to be expected where so much of the night's exchanges is of
/// strata that the nights before have too: by one or two of them it would be told at random.
const COMPARABLE: f64 = 0.5;
/// The first night of a change is looked for so far back.
const LOOK_BACK: usize = 28;

/// A change of a series; nights are numbered as in its counts.
#[derive(Clone, Debug)]
pub(super) struct SeriesChange {
    pub from: usize,
    pub until: Option<usize>,
    pub settled: bool,
    pub p_value: f64,
    /// The nights before it that it is held against.
    pub before: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Followed {
    pub changes: Vec<SeriesChange>,
    /// For each night the share with strata weighed as in the nights before, and how much of its
    /// exchanges is of strata that these have.
    pub adjusted: Vec<(Option<f64>, f64)>,
    /// The share to be expected of the last night.
    pub expected: Option<f64>,
    /// What differs most surely in nights up to the last, if that is improbable at all.
    pub latest: Option<Difference>,
}

/// A level that was left, and may come back.
struct Left {
    nights: Vec<u32>,
    /// Its sums before the change.
    sums: Sums,
    /// The change that left it, as a number into the changes found.
    change: usize,
    shift: Shift,
    /// How much speaks for it being back, and since when.
    back: (f64, usize),
}

/// What is followed, and how.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub counts: &'a Counts,
    pub tests: &'a Tests,
    pub looked: Looked,
    /// Nights of a level that others are held against, at most.
    pub window: usize,
}

struct Follower<'a> {
    course: Course<'a>,
    recent: Recent,
    level: Level,
    left: Vec<Left>,
    /// Sums up to each night of how far single nights are from those before.
    squares: Vec<Squares>,
    found: Followed,
}

pub(super) fn follow(course: Course<'_>) -> Followed {
    let strata = course.counts.strata.len();
    let mut follower = Follower {
        course,
        recent: Recent::new(strata),
        level: Level::new(0, Vec::new(), strata),
        left: Vec::new(),
        squares: vec![Squares::default()],
        found: Followed::default(),
    };
    for night in 0..course.counts.nights.len() {
        follower.take(night);
    }
    if let Some(last) = course.looked.last {
        follower.found.latest = follower.latest(last);
        follower.expect_as_before(last);
    }
    follower.tell_chances();
    follower.found
}

/// The share to be expected, where enough can be compared.
fn expected(evidence: &Evidence, covered: f64) -> Option<f64> {
    (evidence.of > 0.0 && covered >= COMPARABLE).then(|| evidence.usual / evidence.of)
}

impl Follower<'_> {
    fn take(&mut self, night: usize) {
        let counts = self.course.counts;
        self.recent.advance(counts, night);
        self.level.slide_to(counts, night, self.course.window);
        let single = self.recent.against(0, self.level.before(0).0);
        let covered = single.of / self.recent.exchanges(0);
        let adjusted = single.adjusted(self.level.before(0).0.1);
        self.found.adjusted.push((adjusted.filter(|_| covered >= COMPARABLE), covered));
        self.found.expected = expected(&single, covered);
        let so_far = self.squares[night];
        self.squares.push(so_far.plus(Squares::of(&single)));
        self.level.nights.push(u32::try_from(night).unwrap_or(u32::MAX));
        if !self.come_back(night, night) {
            self.leave(night);
        }
        if self.level.nights.len() > self.course.window {
            // What lasts so long is no change any more: it is the level.
            for left in self.left.drain(..) {
                self.found.changes[left.change].settled = true;
            }
        }
    }

    /// Looks whether a window that ends in this night is at another level.
    fn leave(&mut self, night: usize) {
        if night < self.course.looked.first {
            return;
        }
        let is_last = self.course.looked.is_last(night);
        let mut surest: Option<(f64, usize, bool)> = None;
        for (window, nights) in WINDOWS.into_iter().enumerate() {
            let Some((p, evidence)) = self.differs(night, window) else { continue };
            let is_surer = surest.is_none_or(|(least, _, _)| p < least);
            if p <= self.course.tests.level(is_last, window) && is_surer {
                surest = Some((p, nights, evidence.is_up()));
            }
        }
        if let Some((p_value, nights, is_up)) = surest {
            self.change(night, p_value, nights, is_up);
        }
    }

    /// How probable a window that ends in this night is by chance; `None` where it cannot be told, or
    /// is nothing to look at twice.
    fn differs(&self, night: usize, window: usize) -> Option<(f64, Evidence)> {
        let (before, nights_before) = self.level.before(window);
        if nights_before < FEWEST_BEFORE || night + 1 < self.level.start + WINDOWS[window] {
            return None;
        }
        let evidence = self.recent.against(window, before);
        Some((evidence.chance(self.spread(night, WINDOWS[window]))?, evidence))
    }

    fn latest(&self, night: usize) -> Option<Difference> {
        let found = (0..WINDOWS.len()).filter_map(|window| {
            let (p_value, evidence) = self.differs(night, window)?;
            let of = evidence.of;
            let (before, after) = (evidence.usual / of, evidence.hits / of);
            Some(Difference { nights: WINDOWS[window], before, after, worse: None, p_value })
        });
        found.min_by(|one, other| one.p_value.total_cmp(&other.p_value))
    }

    /// Where a level was left and is not back, the last night is told by that level.
    fn expect_as_before(&mut self, night: usize) {
        let Some(left) = self.left.first() else { return };
        let mut evidence = Evidence::default();
        for row in self.course.counts.night(night) {
            evidence.add(row.pair(), left.sums.0[row.stratum()]);
        }
        let covered = evidence.of / self.recent.exchanges(0);
        if let Some((_, line)) = self.found.adjusted.last_mut() {
            *line = covered;
        }
        self.found.expected = expected(&evidence, covered);
    }

    /// How far single nights vary, of nights before the recent ones.
    fn spread(&self, night: usize, recent: usize) -> Spread {
        let end = night + 1 - recent;
        let begin = end.saturating_sub(LEARN * self.course.window);
        self.squares[end].less(self.squares[begin]).spread()
    }

    fn change(&mut self, night: usize, p_value: f64, nights: usize, is_up: bool) {
        let Some(located) = self.locate(night, nights, is_up) else { return };
        let Located { from, to, before, sums, shift } = located;
        let strata = self.course.counts.strata.len();
        let change = self.found.changes.len();
        let kept = self.level.nights.partition_point(|other| (*other as usize) < from);
        let of_change = self.level.nights.split_off(kept);
        let level = std::mem::replace(&mut self.level, Level::new(from, of_change, strata));
        self.left.push(Left { nights: level.nights, sums, change, shift, back: (0.0, from) });
        self.found.changes.push(SeriesChange {
            from,
            until: None,
            settled: false,
            p_value,
            before,
        });
        self.forget_spread(from);
        for later in to + 1..=night {
            if self.come_back(later, night) {
                break;
            }
        }
    }

    /// Tells of each change how probable its first nights are, whenever it was found: that is later
    /// where more series are looked at.
    fn tell_chances(&mut self) {
        let counts = self.course.counts;
        for number in 0..self.found.changes.len() {
            let SeriesChange { from, until, before, .. } = &self.found.changes[number];
            let (from, end) = (*from, until.unwrap_or(counts.nights.len()));
            let mut sums = [Sums::new(counts.strata.len()), Sums::new(counts.strata.len())];
            for night in before {
                sums[1].add(counts, *night as usize);
            }
            let spread = self.spread(from, 1);
            let mut least: Option<f64> = None;
            for night in from..end.min(from + WINDOWS[WINDOWS.len() - 1]) {
                sums[0].add(counts, night);
                if WINDOWS.contains(&(night + 1 - from)) {
                    let chance = Evidence::between(&sums[0], &sums[1]).chance(spread);
                    least = least.into_iter().chain(chance).reduce(f64::min);
                }
            }
            if let Some(least) = least {
                self.found.changes[number].p_value = least;
            }
        }
    }

    /// The nights of a change say nothing about how far nights of a level vary.
    fn forget_spread(&mut self, from: usize) {
        let so_far = self.squares[from];
        self.squares[from + 1..].fill(so_far);
    }

    /// The nights in which a change is likeliest to lie.
    fn locate(&self, night: usize, nights: usize, is_up: bool) -> Option<Located> {
        let counts = self.course.counts;
        let earliest = (night + 1).saturating_sub(LOOK_BACK).max(self.level.start);
        let mut likeliest: Option<(f64, Located)> = None;
        let mut recent = Sums::new(counts.strata.len());
        for from in earliest..=night {
            let end = self.level.nights.partition_point(|other| (*other as usize) < from);
            if end < FEWEST_BEFORE {
                continue;
            }
            let before = &self.level.nights[end.saturating_sub(self.course.window)..end];
            let mut sums = Sums::new(counts.strata.len());
            for other in before {
                sums.add(counts, *other as usize);
            }
            recent.clear();
            for to in from..=night {
                recent.add(counts, to);
                if to + nights <= night {
                    continue;
                }
                let evidence = Evidence::between(&recent, &sums);
                let deviation = evidence.deviation();
                let is_likelier = likeliest.as_ref().is_none_or(|(most, _)| deviation > *most);
                if evidence.is_up() == is_up && is_likelier {
                    let (before, sums) = (before.to_vec(), sums.clone());
                    let shift = evidence.shift();
                    likeliest = Some((deviation, Located { from, to, before, sums, shift }));
                }
            }
        }
        likeliest.map(|(_, located)| located)
    }

    /// Looks whether an earlier level is back in a night, and goes on from there if so, with all
    /// nights up to `last`.
    fn come_back(&mut self, night: usize, last: usize) -> bool {
        if self.left.is_empty() {
            return false;
        }
        let counts = self.course.counts;
        let factor = self.spread(night, 1).factor;
        let mut surest: Option<(f64, usize)> = None;
        for (depth, left) in self.left.iter_mut().enumerate() {
            let mut evidence = Evidence::default();
            for row in counts.night(night) {
                evidence.add(row.pair(), left.sums.0[row.stratum()]);
            }
            let (so_far, since) = left.back;
            let since = if so_far > 0.0 { since } else { night };
            let speaks = so_far + evidence.speaks_for_usual(left.shift) / factor;
            left.back = (speaks.max(0.0), since);
            if speaks > BACK && surest.is_none_or(|(most, _)| speaks > most) {
                surest = Some((speaks, depth));
            }
        }
        let Some((_, depth)) = surest else { return false };
        let undone = self.left.split_off(depth);
        let Some(Left { mut nights, change, back: (_, until), .. }) = undone.into_iter().next()
        else {
            return false;
        };
        for change in &mut self.found.changes[change..] {
            change.until.get_or_insert(until);
        }
        nights.extend((until..=last).filter_map(|it| u32::try_from(it).ok()));
        self.level = Level::new(until, nights, counts.strata.len());
        self.forget_spread(until);
        true
    }
}

struct Located {
    from: usize,
    to: usize,
    before: Vec<u32>,
    sums: Sums,
    shift: Shift,
}
