//! What is planted: a table.

use super::{Plan, Stock};
use serde::Deserialize;
use std::sync::LazyLock;

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
    pub(super) reply: Option<&'static str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    incident: Vec<Incident>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("incidents.toml")).expect("tests read the built-in incidents")
});

impl Incident {
    pub fn all() -> &'static [Self] {
        &TABLE.incident
    }

    pub(super) fn planted(&'static self, plan: &Plan, stock: &Stock) -> Planted {
        let first = plan.nights * self.night / 100;
        let until = self.nights.map(|nights| first + nights).filter(|until| *until < plan.nights);
        // Where there is but one server, it is struck by all of them.
        let rank = (self.server - 1).min(stock.servers.len().saturating_sub(1));
        Planted { incident: self, rank, first, until, reply: self.reply.as_deref() }
    }
}

impl Planted {
    /// Whether it strikes a call of a server in a night; `chance` is from 0 to 1.
    pub(super) fn strikes(&self, server: usize, night: u32, chance: f64) -> bool {
        let now = night >= self.first && self.until.is_none_or(|until| night < until);
        now && server == self.rank && chance < self.incident.share
    }

    pub fn server<'s>(&self, stock: &'s Stock) -> &'s str {
        stock.servers.get(self.rank).map_or("", |server| &server.name)
    }
}
