//! What is known of HTTP requests from those that follow them.

use super::http::{HttpExchange, host_of};
use super::texts::{is_text, nested};
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// What is known of exchanges from those that follow them.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    seen: usize,
    told: usize,
    /// By the number of the exchange: the session that the next request to the same address names.
    sessions: HashMap<usize, String>,
    /// Exchanges that were refused or lost on their way, and that the client sent again.
    sent_again: HashSet<usize>,
    addresses: HashMap<String, Address>,
    hosts: Option<HashMap<String, usize>>,
}

/// The requests to one address since its session began.
#[derive(Debug, Default)]
struct Address {
    /// The request that began the session, until the next one names it.
    beginning: Option<usize>,
    /// Those that failed, by a hash of what they asked.
    failed: HashMap<u64, Vec<usize>>,
}

/// What is known of one exchange from those that follow it.
#[derive(Debug, Default)]
pub(super) struct Next {
    pub(super) session: Option<String>,
    pub(super) is_sent_again: bool,
}

impl Ahead {
    pub(super) fn see(&mut self, exchange: &HttpExchange<'_>) {
        let number = self.seen;
        self.seen += 1;
        if exchange.asked.is_empty() {
            return;
        }
        let address = self.addresses.entry(exchange.endpoint().to_owned()).or_default();
        let asked = xxh3_64(exchange.asked.as_bytes());
        self.sent_again.extend(address.failed.remove(&asked).unwrap_or_default());
        let is_first = exchange.asked.contains("initialize")
            && is_text(nested(&exchange.asked), "method", "initialize");
        if is_first {
            address.beginning = Some(number);
            address.failed.clear();
        } else if let Some(beginning) = address.beginning.take()
            && let Some(session) = exchange.session_id()
        {
            self.sessions.insert(beginning, session.to_owned());
        }
        if !matches!(exchange.status, Some(1..=399)) {
            address.failed.entry(asked).or_default().push(number);
        }
    }

    /// What is known of the next exchange, in the order in which they were seen.
    pub(super) fn next(&mut self) -> Next {
        let number = self.told;
        self.told += 1;
        Next {
            session: self.sessions.remove(&number),
            is_sent_again: self.sent_again.remove(&number),
        }
    }

    /// How many addresses of each host take messages, of those in a set.
    pub(super) fn hosts(&mut self, endpoints: &HashSet<String>) -> &HashMap<String, usize> {
        self.hosts.get_or_insert_with(|| {
            let mut hosts = HashMap::new();
            for (address, _) in self.addresses.drain().filter(|(it, _)| endpoints.contains(it)) {
                *hosts.entry(host_of(&address).to_owned()).or_default() += 1;
            }
            hosts
        })
    }
}
