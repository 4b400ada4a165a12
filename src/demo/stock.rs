//! Recorded exchanges to draw from.

use crate::recording::{Exchange, ExchangeKind, Moment, Reply};
use std::cmp::Reverse;

/// Recorded exchanges by their server, those of the server with the most first.
#[derive(Clone, Debug, Default)]
pub struct Stock {
    pub(super) servers: Vec<Server>,
}

#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) name: String,
    /// Exchanges, and how often they and those before them are drawn.
    calls: Vec<(f64, Call)>,
}

/// An exchange to draw: the parts of a line, as JSON.
#[derive(Clone, Debug)]
pub(super) struct Call {
    tool: String,
    input: String,
    /// `None` where no reply came.
    pub(super) reply: Option<String>,
    weight: f64,
}

/// How often an exchange is drawn: recorded errors were provoked, and are rarer in what people do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Often {
    /// As those that end well.
    Usually,
    /// As those that do not.
    Rarely,
}

impl Often {
    fn weight(self) -> f64 {
        match self {
            Self::Usually => 1.0,
            Self::Rarely => 0.05,
        }
    }
}

impl Stock {
    /// Adds a tool call; other exchanges are passed over.
    pub fn take(&mut self, exchange: &Exchange<'_>, often: Often) {
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
        let (tool, weight) = (exchange.tool.name.clone(), often.weight());
        self.add(&exchange.server, Call { tool, input, reply, weight });
    }

    pub(super) fn add(&mut self, server: &str, call: Call) {
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
        let usual = Often::Usually.weight();
        let does_well = |server: &Server| server.calls.iter().any(|(_, call)| call.weight >= usual);
        if self.servers.iter().any(does_well) {
            self.servers.retain(does_well);
        }
        self.servers.sort_by(|one, other| {
            let most = |server: &Server| Reverse(server.calls.len());
            most(one).cmp(&most(other)).then_with(|| one.name.cmp(&other.name))
        });
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
    pub(super) fn draw(&self, chance: f64) -> &Call {
        let whole = self.calls.last().map_or(0.0, |(sum, _)| *sum);
        let at = self.calls.partition_point(|(sum, _)| *sum <= chance * whole);
        &self.calls[at.min(self.calls.len() - 1)].1
    }
}

impl Call {
    /// The line of a recording, with another reply and time.
    pub(super) fn line(&self, server: &str, reply: Option<&str>, moment: i64) -> String {
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
pub(super) fn call(tool: &str, input: &str, reply: Option<&str>) -> Call {
    let (tool, input) = (tool.to_owned(), input.to_owned());
    Call { tool, input, reply: reply.map(str::to_owned), weight: 1.0 }
}
