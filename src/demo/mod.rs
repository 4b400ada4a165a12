//! Recordings of many nights, drawn from recorded exchanges, with incidents planted: something to try
//! histories and trends on.

use crate::recording::{Day, Exchange, ExchangeKind, Moment, Reply};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::Deserialize;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::sync::LazyLock;

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
        let planted = |incident: &'static Incident| {
            let first = self.nights * incident.night / 100;
            let until = incident.nights.map(|nights| first + nights);
            // Where there is but one server, it is struck by all of them.
            let rank = (incident.server - 1).min(stock.servers.len().saturating_sub(1));
            Planted { incident, rank, first, until: until.filter(|until| *until < self.nights) }
        };
        TABLE.incident.iter().map(planted).collect()
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
            let reply = hit.map_or(&exchange.reply, |planted| &planted.incident.reply).as_deref();
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

/// Something that goes wrong with a server for some nights.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incident {
    pub name: String,
    pub about: String,
    /// Which server, counted by traffic from 1.
    server: usize,
    /// How much of the nights lies before it, in hundredths.
    night: u32,
    /// How long it lasts; to the end where it is not said.
    nights: Option<u32>,
    /// The share of the server's calls that it strikes.
    share: f64,
    /// What is answered instead; nothing where it is not said.
    reply: Option<String>,
}

/// An incident in the nights of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    pub incident: &'static Incident,
    /// The number of the server that it strikes.
    rank: usize,
    /// Its first night, from 0.
    pub first: u32,
    /// The first night without it; `None` where it lasts to the end.
    pub until: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    incident: Vec<Incident>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("incidents.toml")).expect("tests read the built-in incidents")
});

impl Planted {
    /// Whether it strikes a call of a server in a night; `chance` is from 0 to 1.
    fn strikes(&self, server: usize, night: u32, chance: f64) -> bool {
        let now = night >= self.first && self.until.is_none_or(|until| night < until);
        now && server == self.rank && chance < self.incident.share
    }

    pub fn server<'s>(&self, stock: &'s Stock) -> &'s str {
        stock.servers.get(self.rank).map_or("", |server| &server.name)
    }
}

/// Recorded exchanges by their server, those of the server with the most first.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    servers: Vec<Server>,
}

#[derive(Clone, Debug)]
struct Server {
    name: String,
    /// Exchanges, and how often they and those before them are drawn.
    calls: Vec<(f64, Call)>,
}

/// An exchange to draw: the parts of a line, as JSON.
#[derive(Clone, Debug)]
struct Call {
    tool: String,
    input: String,
    /// `None` where no reply came.
    reply: Option<String>,
    weight: f64,
}

/// How often an exchange is drawn that did not end well: recorded errors were provoked, and are rarer in what people do.
const RARELY: f64 = 0.05;

impl Stock {
    /// Adds a tool call; one that did not end well is drawn `RARELY`. Other exchanges are passed over.
    pub fn take(&mut self, exchange: &Exchange<'_>, ended_well: bool) {
        if exchange.kind != ExchangeKind::ToolCall {
            return;
        }
        let reply = match &exchange.reply {
            Reply::Result(result) => Some(result.raw.text().to_owned()),
            Reply::Error(error) => Some(format!(r#"{{"error":{}}}"#, error.raw.text())),
            Reply::Document(_) => return,
            Reply::None => None,
        };
        let input = exchange.input.as_ref();
        let input = input.map_or("{}".to_owned(), |input| input.raw().text().to_owned());
        let (tool, weight) = (exchange.tool.name.clone(), if ended_well { 1.0 } else { RARELY });
        self.add(&exchange.server, Call { tool, input, reply, weight });
    }

    fn add(&mut self, server: &str, call: Call) {
        let known = self.servers.iter().position(|known| known.name == server);
        let place = known.unwrap_or_else(|| {
            self.servers.push(Server { name: server.to_owned(), calls: Vec::new() });
            self.servers.len() - 1
        });
        let calls = &mut self.servers[place].calls;
        let before = calls.last().map_or(0.0, |(sum, _)| *sum);
        calls.push((before + call.weight, call));
    }

    /// The stock with the servers of the most exchanges first; among equals by their names. Servers that
    /// never do well are left out, where others do: nobody would go on calling them.
    pub fn sorted(mut self) -> Self {
        let does_well = |server: &Server| server.calls.iter().any(|(_, call)| call.weight > RARELY);
        if self.servers.iter().any(does_well) {
            self.servers.retain(does_well);
        }
        self.servers.sort_by_cached_key(|it| (Reverse(it.calls.len()), it.name.clone()));
        self
    }

    pub fn servers(&self) -> usize {
        self.servers.len()
    }

    pub fn exchanges(&self) -> usize {
        self.servers.iter().map(|server| server.calls.len()).sum()
    }
}

impl Server {
    /// One of its exchanges; `chance` is from 0 to 1.
    fn draw(&self, chance: f64) -> &Call {
        let whole = self.calls.last().map_or(0.0, |(sum, _)| *sum);
        let at = self.calls.partition_point(|(sum, _)| *sum <= chance * whole);
        &self.calls[at.min(self.calls.len() - 1)].1
    }
}

impl Call {
    /// The line of a recording, with another reply and time.
    fn line(&self, server: &str, reply: Option<&str>, moment: i64) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        // JSON over several lines is one line in a recording.
        let flat = |json: &str| json.replace(['\n', '\r'], " ");
        format!(
            r#"{{"server":{},"tool":{},"input":{},"response":{},"recorded_at":"{}"}}"#,
            quoted(server),
            quoted(&self.tool),
            flat(&self.input),
            flat(reply.unwrap_or("null")),
            Moment(moment).rfc3339(),
        )
    }
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
                let (tool, input) = ("look".to_owned(), "{}".to_owned());
                stock.add(server, Call { tool, input, reply: Some(reply), weight: 1.0 });
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
