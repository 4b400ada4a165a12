//! Recordings of many nights, drawn from recorded exchanges, with incidents planted: something to try
//! histories and trends on.

mod incident;
mod stock;

pub use incident::{Incident, Planted};
pub use stock::{Often, Stock};

use crate::recording::Day;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::io::{self, Write};

/// What recordings are to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub nights: u32,
    pub last: Day,
    /// So many exchanges in each, give or take a few.
    pub per_night: u32,
    pub seed: u64,
}

/// Servers have fewer and fewer calls: the second this much of the first, by a power law.
const FALL: f64 = 0.7;
/// The number of exchanges lies so many parts of it around the one asked for: a twentieth either way.
const WAVER: u32 = 10;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

impl Plan {
    /// The nights, the first first.
    pub fn days(&self) -> impl Iterator<Item = Day> + use<> {
        let (last, nights) = (self.last.0, i32::try_from(self.nights).unwrap_or(i32::MAX));
        (0..nights).map(move |night| Day(last.saturating_sub(nights - 1 - night)))
    }

    pub fn incidents(&self, stock: &Stock) -> Vec<Planted> {
        Incident::all().iter().map(|incident| incident.planted(self, stock)).collect()
    }

    /// Writes the recording of a night, numbered from 0.
    pub fn write(&self, stock: &Stock, night: u32, out: &mut impl Write) -> io::Result<()> {
        let incidents = self.incidents(stock);
        // Every night has a chance of its own, so that one more does not change the others.
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(u64::from(night));
        let count = self.count(&mut random);
        let weights: Vec<f64> =
            (0..stock.servers.len()).map(|rank| (rank as f64 + 1.0).powf(-FALL)).collect();
        let whole: f64 = weights.iter().sum();
        let day = self.days().nth(night as usize).unwrap_or(self.last);
        for number in 0..count {
            let server = pick(&weights, chance(&mut random) * whole);
            let exchange = stock.servers[server].draw(chance(&mut random));
            let struck = chance(&mut random);
            let hit = incidents.iter().find(|planted| planted.strikes(server, night, struck));
            let reply = hit.map_or(exchange.reply.as_deref(), |planted| planted.reply);
            let moment = i64::from(day.0) * DAY + i64::from(number) * DAY / i64::from(count);
            let line = exchange.line(&stock.servers[server].name, reply, moment);
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn count(&self, random: &mut ChaCha8Rng) -> u32 {
        let range = self.per_night / WAVER + 1;
        let above = (u64::from(random.next_u32()) * u64::from(range)) >> 32;
        self.per_night - range / 2 + u32::try_from(above).unwrap_or(0)
    }
}

/// A number from 0 to 1, without 1.
fn chance(random: &mut ChaCha8Rng) -> f64 {
    // Doubles have 53 bits.
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Which of the weights a mark lies in.
fn pick(weights: &[f64], mark: f64) -> usize {
    let mut sum = 0.0;
    let found = weights.iter().position(|weight| {
        sum += weight;
        mark < sum
    });
    found.unwrap_or(weights.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { nights: 10, last: Day(20_000), per_night: 200, seed: 1 };

    fn stock() -> Stock {
        let mut stock = Stock::default();
        for server in ["quiet", "busy", "middling"] {
            let calls = match server {
                "busy" => 9,
                "middling" => 5,
                _ => 2,
            };
            for call in 0..calls {
                let reply = format!(r#"{{"content":[{{"type":"text","text":"{call}"}}]}}"#);
                stock.add(server, stock::call("look", "{}", Some(&reply)));
            }
        }
        stock.sorted()
    }

    fn recording(night: u32) -> String {
        let mut recording = Vec::new();
        PLAN.write(&stock(), night, &mut recording).expect("memory takes it");
        String::from_utf8(recording).expect("it is JSON")
    }

    #[test]
    fn the_same_seed_draws_the_same_recordings() {
        assert_eq!(recording(3), recording(3));
        assert_ne!(recording(3), recording(4));
    }

    #[test]
    fn lines_are_of_their_night_and_in_order() {
        let days: Vec<String> = PLAN.days().map(|day| day.to_string()).collect();
        assert_eq!((days.len(), days[9].as_str()), (10, "2024-10-04"));
        let recording = recording(2);
        let moments: Vec<String> = recording
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON"))
            .map(|line| line["recorded_at"].as_str().unwrap_or_default().to_owned())
            .collect();
        assert!((190..=210).contains(&moments.len()), "{}", moments.len());
        assert!(moments.is_sorted() && moments.iter().all(|moment| moment.starts_with(&days[2])));
    }

    #[test]
    fn incidents_strike_the_servers_with_the_most_traffic_in_their_nights() {
        let plants = PLAN.incidents(&stock());
        assert_eq!(plants[0].server(&stock()), "busy");
        assert_eq!((plants[0].first, plants[0].until), (4, Some(8)));
        assert_eq!((plants[1].server(&stock()), plants[1].first), ("middling", 9));
        assert_eq!(plants[1].until, None);
        let unanswered = |night: u32| recording(night).matches(r#""response":null"#).count();
        assert_eq!((unanswered(3), unanswered(8)), (0, 0));
        assert!(unanswered(4) > 40 && unanswered(7) > 40, "{} {}", unanswered(4), unanswered(7));
    }
}
