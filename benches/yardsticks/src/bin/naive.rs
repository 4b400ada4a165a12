//! The first version anybody would write, with the product's kind of output: `naive FILE --out DIR`.
//!
//! Each line becomes a tree, each text a lowercased copy, each pattern a search of its own, each
//! output schema a validator of its own; one thread, ordinary hash maps.

use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xxhash_rust::xxh3::xxh3_128;
use yardsticks::guide::{Guide, Judged, error_text};
use yardsticks::tally::{Counted, Tally};

const VERDICT_COLUMNS: [&str; 31] = [
    "key",
    "request_key",
    "line",
    "byte",
    "id",
    "server",
    "session",
    "tool",
    "scenario",
    "recorded_at",
    "day",
    "duration_ms",
    "reply",
    "classification",
    "confidence",
    "is_valid",
    "is_error",
    "business_logic",
    "score",
    "threshold",
    "mcp_code",
    "business_pattern",
    "http_status",
    "structured_error",
    "test_data",
    "validation_tool",
    "strong_operational",
    "hits",
    "schema",
    "content_types",
    "quality_score",
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(file), Some("--out"), Some(out)) =
        (words.next(), words.next().as_deref(), words.next())
    else {
        eprintln!("usage: naive FILE --out DIR");
        return ExitCode::from(2);
    };
    match run(Path::new(&file), &PathBuf::from(out)) {
        Ok(lines) => {
            println!("{lines} lines");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("naive: {error}");
            ExitCode::from(3)
        }
    }
}

fn run(file: &Path, out: &Path) -> io::Result<u64> {
    std::fs::create_dir_all(out)?;
    let mut naive = Naive::create(out)?;
    let mut place = Place { line: 0, byte: 0 };
    for line in BufReader::new(File::open(file)?).lines() {
        let line = line?;
        place.line += 1;
        match serde_json::from_str::<Value>(&line) {
            Ok(value) if value["tools"].is_array() => naive.remember(&value),
            Ok(value) if value.get("response").is_some() => naive.exchange(&value, place)?,
            Ok(_) => naive.reject(place, "not an exchange", &line)?,
            Err(error) => naive.reject(place, &error.to_string(), &line)?,
        }
        place.byte += line.len() as u64 + 1;
    }
    naive.finish(out)?;
    Ok(place.line)
}

#[derive(Clone, Copy)]
struct Place {
    line: u64,
    byte: u64,
}

struct Naive {
    guide: Guide,
    known: HashMap<(String, String), Value>,
    seen: HashMap<u128, u32>,
    tally: Tally,
    verdicts: csv::Writer<File>,
    issues: csv::Writer<File>,
    unreadable: csv::Writer<File>,
}

#[derive(Default)]
struct Verdict {
    reply: &'static str,
    class: &'static str,
    confidence: f64,
    is_valid: bool,
    is_error: bool,
    judged: Option<Judged>,
    schema: &'static str,
    content_types: Vec<String>,
    issues: Vec<(&'static str, &'static str)>,
    messages: Vec<String>,
}

impl Naive {
    fn create(out: &Path) -> io::Result<Self> {
        let table = |name: &str, columns: &[&str]| -> io::Result<csv::Writer<File>> {
            let mut table = csv::Writer::from_path(out.join(name))?;
            table.write_record(columns)?;
            Ok(table)
        };
        Ok(Self {
            guide: Guide::new(),
            known: HashMap::new(),
            seen: HashMap::new(),
            tally: Tally::default(),
            verdicts: table("verdicts.csv", &VERDICT_COLUMNS)?,
            issues: table(
                "issues.csv",
                &["key", "line", "server", "tool", "day", "severity", "type", "message"],
            )?,
            unreadable: table("unreadable.csv", &["line", "byte", "reason", "head"])?,
        })
    }

    fn remember(&mut self, list: &Value) {
        for tool in list["tools"].as_array().into_iter().flatten() {
            self.known.insert((text(list, "server"), text(tool, "name")), tool.clone());
        }
    }

    fn reject(&mut self, place: Place, reason: &str, line: &str) -> io::Result<()> {
        let head: String = line.chars().take(200).collect();
        Ok(self.unreadable.write_record([
            &place.line.to_string(),
            &place.byte.to_string(),
            reason,
            &head,
        ])?)
    }

    fn exchange(&mut self, value: &Value, place: Place) -> io::Result<()> {
        let server = text(value, "server");
        let tool = match &value["tool"] {
            Value::String(name) => {
                self.known.get(&(server.clone(), name.clone())).cloned().unwrap_or_default()
            }
            tool => tool.clone(),
        };
        let name = value["tool"].as_str().map_or_else(|| text(&tool, "name"), str::to_owned);
        let verdict = self.judge(&tool, &name, &value["response"]);
        let request = format!("{server}\n{name}\n{}", serde_json::to_string(&value["input"])?);
        let request_key = format!("{:032x}", xxh3_128(request.as_bytes()));
        let all = xxh3_128(
            format!("{request}\n{}", serde_json::to_string(&value["response"])?).as_bytes(),
        );
        let times = self.seen.entry(all).or_default();
        *times += 1;
        let key = if *times == 1 { format!("{all:032x}") } else { format!("{all:032x}-{times}") };
        let recorded_at = text(value, "recorded_at");
        let day = recorded_at.get(..10).unwrap_or_default();
        let scenario = text(value, "scenarioCategory");
        let judged = verdict.judged.as_ref();
        let mut row = vec![
            key.clone(),
            request_key,
            place.line.to_string(),
            place.byte.to_string(),
            text(value, "id"),
            server.clone(),
            text(value, "session"),
            name.clone(),
            scenario.clone(),
            recorded_at.clone(),
            day.to_owned(),
            value["duration_ms"].to_string(),
            verdict.reply.to_owned(),
            verdict.class.to_owned(),
            verdict.confidence.to_string(),
            verdict.is_valid.to_string(),
            verdict.is_error.to_string(),
            judged.map(|judged| judged.business_logic.to_string()).unwrap_or_default(),
            judged.map(|judged| judged.score.to_string()).unwrap_or_default(),
            judged.map(|judged| judged.threshold.to_string()).unwrap_or_default(),
        ];
        match judged {
            Some(judged) => row.extend(judged.signals().map(|(_, holds)| holds.to_string())),
            None => row.extend(std::iter::repeat_n(String::new(), 7)),
        }
        row.push(judged.map(|judged| judged.hits.join(";")).unwrap_or_default());
        row.push(verdict.schema.to_owned());
        row.push(verdict.content_types.join(","));
        row.push(verdict.quality().to_string());
        self.verdicts.write_record(&row)?;
        for ((kind, severity), message) in verdict.issues.iter().zip(&verdict.messages) {
            let line = place.line.to_string();
            self.issues.write_record([
                key.as_str(),
                &line,
                &server,
                &name,
                day,
                severity,
                kind,
                message,
            ])?;
        }
        self.tally.add(&Counted {
            day,
            server: &server,
            tool: &name,
            scenario: &scenario,
            class: verdict.class,
            confidence: verdict.confidence,
            issues: &verdict.issues,
        });
        Ok(())
    }

    fn judge(&self, tool: &Value, name: &str, response: &Value) -> Verdict {
        let is_protocol_error = response.get("error").is_some();
        if is_protocol_error || response["isError"] == true {
            return Verdict {
                reply: if is_protocol_error { "protocol_error" } else { "tool_error" },
                class: "fully_working",
                confidence: 100.0,
                is_valid: true,
                is_error: true,
                judged: Some(self.guide.judge(&error_text(response), name)),
                ..Verdict::default()
            };
        }
        let reply = if response.is_null() { "no_reply" } else { "result" };
        let mut verdict = Verdict { reply, class: "broken", ..Verdict::default() };
        let blocks = match response.get("content") {
            None | Some(Value::Null) => {
                verdict.issue(("no_content", "error"), "the reply has no content".to_owned());
                return verdict;
            }
            Some(Value::Array(blocks)) if !blocks.is_empty() => blocks,
            Some(_) => {
                verdict.issue(
                    ("empty_content", "error"),
                    "the content is empty or no list".to_owned(),
                );
                return verdict;
            }
        };
        verdict.class = "fully_working";
        verdict.confidence = 100.0;
        verdict.is_valid = true;
        for block in blocks {
            let kind = text(block, "type");
            if !verdict.content_types.contains(&kind) {
                verdict.content_types.push(kind);
            }
        }
        if let Some(schema) = tool.get("outputSchema") {
            verdict.hold_against(schema, response);
        }
        verdict
    }

    fn finish(mut self, out: &Path) -> io::Result<()> {
        self.verdicts.flush()?;
        self.issues.flush()?;
        self.unreadable.flush()?;
        self.tally.write(out)
    }
}

impl Verdict {
    fn hold_against(&mut self, schema: &Value, response: &Value) {
        let validator = match jsonschema::validator_for(schema) {
            Ok(validator) => validator,
            Err(error) => {
                self.schema = "unusable";
                return self.issue(("schema_unusable", "warning"), error.to_string());
            }
        };
        let parsed = response.get("structuredContent").cloned().or_else(|| {
            let blocks = response["content"].as_array()?;
            blocks.iter().find_map(|block| serde_json::from_str(block["text"].as_str()?).ok())
        });
        let error = match parsed {
            Some(instance) => {
                validator.iter_errors(&instance).next().map(|error| error.to_string())
            }
            None => Some("the reply holds no JSON".to_owned()),
        };
        self.schema = if error.is_none() { "valid" } else { "invalid" };
        if let Some(message) = error {
            self.class = "partially_working";
            self.confidence = 70.0;
            self.issue(("schema_violation", "error"), message);
        }
    }

    fn issue(&mut self, kind: (&'static str, &'static str), message: String) {
        self.issues.push(kind);
        self.messages.push(message);
    }

    fn quality(&self) -> f64 {
        let cost = |(_, severity): &(&str, &str)| if *severity == "error" { 0.18 } else { 0.10 };
        (1.0 - self.issues.iter().map(cost).sum::<f64>()).max(0.0)
    }
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_default().to_owned()
}
