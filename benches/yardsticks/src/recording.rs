//! The two line formats a corpus can be written in.

use crate::catalog::{Catalog, Server};
use crate::exchange::{Exchange, Reply};
use crate::json::{Style, Writer};
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

/// One JSONL file: the servers' tool lists, then one exchange a line.
pub fn write_exchange_lines<'a>(
    path: &Path,
    catalog: &Catalog,
    exchanges: impl Iterator<Item = Exchange<'a>>,
) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create(path)?);
    for server in &catalog.servers {
        let mut line = Writer::new(server.style);
        line.object(|line| {
            tools(server, line);
            line.key("server").string(server.name);
        });
        writeln!(file, "{}", line.text)?;
    }
    let mut line = Writer::new(Style::Compact);
    for exchange in exchanges {
        line.restart(exchange.server.style);
        line.object(|line| exchange_members(&exchange, line));
        line.text.push('\n');
        file.write_all(line.text.as_bytes())?;
    }
    file.flush()
}

fn tools(server: &Server, out: &mut Writer) {
    out.key("tools").array(|out| server.tools.iter().for_each(|tool| out.token(&tool.definition)));
}

fn exchange_members(exchange: &Exchange<'_>, out: &mut Writer) {
    out.key("id").string(&format!("x{}", exchange.number));
    out.key("recorded_at").string(&exchange.recorded_at);
    out.key("server").string(exchange.server.name);
    out.key("session").string(&format!("{}-{:02}", exchange.server.name, exchange.day));
    out.key("tool");
    if exchange.is_defined {
        out.token(&exchange.tool.definition);
    } else {
        out.string(&exchange.tool.name);
    }
    out.key("input").token(&exchange.input);
    if let Some(scenario) = exchange.scenario {
        out.key("scenarioCategory").string(scenario);
    }
    out.key("duration_ms").token(exchange.duration_ms);
    out.key("response");
    match &exchange.reply {
        Reply::Result(text) => out.token(text),
        Reply::Error(text) => out.object(|out| out.key("error").token(text)),
        Reply::None => out.token("null"),
    }
}

/// A folder with one wire recording for each server, and the scenarios beside it.
pub fn write_wire_lines<'a>(
    folder: &Path,
    catalog: &Catalog,
    exchanges: impl Iterator<Item = Exchange<'a>>,
) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut recordings = Vec::new();
    for server in &catalog.servers {
        recordings.push((server.name, Wire::create(folder, server)?));
    }
    for exchange in exchanges {
        if let Some((_, recording)) =
            recordings.iter_mut().find(|(name, _)| *name == exchange.server.name)
        {
            recording.write(&exchange)?;
        }
    }
    recordings.into_iter().try_for_each(|(_, mut recording)| {
        recording.lines.flush()?;
        recording.scenarios.flush()
    })
}

struct Wire {
    lines: BufWriter<File>,
    scenarios: BufWriter<File>,
    out: Writer,
    id: usize,
}

impl Wire {
    fn create(folder: &Path, server: &Server) -> io::Result<Self> {
        let create = |ending: &str| File::create(folder.join(format!("{}.{ending}", server.name)));
        let mut wire = Self {
            lines: BufWriter::new(create("jsonl")?),
            scenarios: BufWriter::new(create("scenarios.jsonl")?),
            out: Writer::new(server.style),
            id: 2,
        };
        let start = "2026-03-01T00:00:00.000Z";
        wire.line(start, "c2s", |msg| {
            request(msg, 1, "initialize");
            msg.key("params").object(|params| {
                params.key("protocolVersion").string("2025-06-18");
                params.key("capabilities").object(|_| {});
                params.key("clientInfo").object(|info| info.key("name").string("recorder"));
            });
        })?;
        wire.line(start, "s2c", |msg| {
            answer(msg, 1);
            msg.key("result").object(|result| {
                result.key("protocolVersion").string("2025-06-18");
                result.key("capabilities").object(|all| all.key("tools").object(|_| {}));
                result.key("serverInfo").object(|info| {
                    info.key("name").string(server.name);
                    info.key("version").string("1.0.0");
                });
            });
        })?;
        wire.line(start, "c2s", |msg| {
            msg.key("jsonrpc").string("2.0");
            msg.key("method").string("notifications/initialized");
        })?;
        wire.line(start, "c2s", |msg| request(msg, 2, "tools/list"))?;
        wire.line(start, "s2c", |msg| {
            answer(msg, 2);
            msg.key("result").object(|result| tools(server, result));
        })?;
        Ok(wire)
    }

    fn write(&mut self, exchange: &Exchange<'_>) -> io::Result<()> {
        self.id += 1;
        let id = self.id;
        self.line(&exchange.recorded_at, "c2s", |msg| {
            request(msg, id, "tools/call");
            msg.key("params").object(|params| {
                params.key("name").string(&exchange.tool.name);
                params.key("arguments").token(&exchange.input);
            });
        })?;
        let (member, text) = match &exchange.reply {
            Reply::Result(text) => ("result", text),
            Reply::Error(text) => ("error", text),
            Reply::None => return self.scenario(exchange),
        };
        self.line(&exchange.recorded_at, "s2c", |msg| {
            answer(msg, id);
            msg.key(member).token(text);
        })?;
        self.scenario(exchange)
    }

    fn scenario(&mut self, exchange: &Exchange<'_>) -> io::Result<()> {
        match exchange.scenario {
            Some(name) => {
                writeln!(self.scenarios, "{{\"id\":{},\"scenario\":\"{name}\"}}", self.id)
            }
            None => Ok(()),
        }
    }

    fn line(
        &mut self,
        at: &str,
        direction: &str,
        message: impl FnOnce(&mut Writer),
    ) -> io::Result<()> {
        let style = self.out.style();
        self.out.restart(style);
        self.out.object(|line| {
            line.key("ts").string(at);
            line.key("dir").string(direction);
            line.key("msg").object(message);
        });
        self.out.text.push('\n');
        self.lines.write_all(self.out.text.as_bytes())
    }
}

fn request(msg: &mut Writer, id: usize, method: &str) {
    answer(msg, id);
    msg.key("method").string(method);
}

fn answer(msg: &mut Writer, id: usize) {
    msg.key("jsonrpc").string("2.0");
    msg.key("id").token(id);
}
