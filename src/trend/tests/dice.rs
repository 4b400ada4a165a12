//! What chance makes of histories: how often it is mistaken for a change, and how often a change is
//! found.

use super::{Classes, Nightly};
use crate::trend::{By, Trend};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

/// Nights of a history.
const NIGHTS: usize = 60;

struct Dice {
    random: ChaCha8Rng,
    /// Exchanges of each night so far, to draw others alike.
    drawn: Vec<u8>,
}

/// How far nights vary beside exchanges.
#[derive(Clone, Copy, PartialEq)]
enum Nights {
    /// Every exchange is drawn for itself.
    Alike,
    /// Shares vary twice as much as that.
    Varied,
}

impl Dice {
    fn new(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed), drawn: Vec::new() }
    }

    fn below(&mut self, end: u64) -> u64 {
        (u64::from(self.random.next_u32()) * end) >> 32
    }

    /// The classes of so many exchanges, drawn with these chances in thousandths. Where nights vary, an
    /// exchange may be like another of the night: Pólya's urn.
    fn draw(&mut self, exchanges: u32, chances: [u64; 5], nights: Nights) -> Classes {
        let mut classes = [0; 5];
        self.drawn.clear();
        for earlier in 0..u64::from(exchanges) {
            // As many balls at first as there are exchanges less one double the variance.
            let urn = u64::from(exchanges) - 2;
            let is_alike = nights == Nights::Varied && self.below(urn + earlier) < earlier;
            let class = if is_alike {
                let like = usize::try_from(self.below(earlier)).expect("small");
                self.drawn[like]
            } else {
                let mut left = self.below(1000);
                let is_there = |chance: &u64| {
                    let is_it = left < *chance;
                    left = left.saturating_sub(*chance);
                    is_it
                };
                u8::try_from(chances.iter().position(is_there).unwrap_or(4)).expect("small")
            };
            self.drawn.push(class);
            classes[usize::from(class)] += 1;
        }
        classes
    }
}

fn changes(trend: &Trend) -> usize {
    trend.series.iter().map(|series| series.changes.len()).sum()
}

/// Of so many calls on stable histories, how many show a change.
fn false_alarms(calls: u64, exchanges: u32, chances: [u64; 5], nights: Nights) -> usize {
    let mut dice = Dice::new(u64::from(exchanges) + u64::from(nights == Nights::Varied));
    let call = |_| {
        let mut nightly = Nightly::default();
        for _ in 0..NIGHTS {
            nightly.night("guide", &[("mail", dice.draw(exchanges, chances, nights))]);
        }
        usize::from(changes(&nightly.trend(By::Class)) > 0)
    };
    (0..calls).map(call).sum()
}

#[test]
fn of_a_hundred_calls_on_stable_nights_at_most_one_shows_a_change() {
    for exchanges in [5, 50, 1000] {
        for nights in [Nights::Alike, Nights::Varied] {
            let chances = [800, 50, 50, 60, 40];
            let found = false_alarms(400, exchanges, chances, nights);
            assert!(found <= 4, "{found} of 400 with {exchanges} calls a night");
        }
    }
}

#[test]
fn rare_classes_are_no_reason_for_an_alarm() {
    for nights in [Nights::Alike, Nights::Varied] {
        let found = false_alarms(400, 50, [985, 5, 3, 4, 3], nights);
        assert!(found <= 4, "{found} of 400");
    }
}

#[test]
fn forty_stable_servers_show_a_change_in_at_most_one_of_a_hundred_calls() {
    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for nights in [Nights::Alike, Nights::Varied] {
        let mut dice = Dice::new(3);
        let mut found = 0;
        for _ in 0..100 {
            let mut nightly = Nightly::default();
            let servers: Vec<String> = NAMES
                .iter()
                .flat_map(|name| (0..5).map(move |number| format!("{name}{number}")))
                .collect();
            for _ in 0..NIGHTS {
                let rows: Vec<(&str, Classes)> = servers
                    .iter()
                    .zip([980, 950, 900, 700, 500].iter().cycle())
                    .map(|(server, working)| {
                        let chances = [*working, 0, 0, 1000 - working, 0];
                        (server.as_str(), dice.draw(20, chances, nights))
                    })
                    .collect();
                nightly.night("guide", &rows);
            }
            found += usize::from(changes(&nightly.trend(By::Server)) > 0);
        }
        assert!(found <= 1, "{found} of 100");
    }
}

/// How often of 100 a shift of five points in the last two nights is found, and how often at the
/// right night.
fn found_of_hundred(working: u64, classes: u64) -> [usize; 2] {
    let mut dice = Dice::new(working + classes);
    let chances = |working: u64| {
        let rest = (1000 - working) / (classes - 1);
        let mut chances = [0; 5];
        let last = usize::try_from(classes).expect("few") - 1;
        chances[1..=last].fill(rest);
        chances[0] = 1000 - rest * (classes - 1);
        chances
    };
    let mut found = [0; 2];
    for _ in 0..100 {
        let mut nightly = Nightly::default();
        for night in 0..NIGHTS {
            let mut chances = chances(working);
            if night + 2 >= NIGHTS {
                let last = usize::try_from(classes).expect("few") - 1;
                chances[0] -= 50;
                chances[last] += 50;
            }
            nightly.night("guide", &[("mail", dice.draw(1000, chances, Nights::Alike))]);
        }
        let trend = nightly.trend(By::Class);
        if let Some(change) = trend.series[0].changes.last() {
            assert_eq!(change.worse, Some(true));
            found[0] += 1;
            found[1] += usize::from(change.from == trend.nights[NIGHTS - 2].day);
        }
    }
    found
}

#[test]
fn a_shift_of_five_points_is_found_within_two_nights() {
    // The share of the class, how many classes there are, and how often of 100 it is found at least.
    for (working, classes, least) in
        [(900, 2, 97), (900, 5, 97), (800, 2, 90), (800, 5, 85), (700, 2, 75), (500, 2, 65)]
    {
        let [found, right] = found_of_hundred(working, classes);
        assert!(found >= least, "{found} of 100 from {working} thousandths, {classes} classes");
        assert!(right * 10 >= found * 8, "{right} of {found} at the right night");
    }
}
