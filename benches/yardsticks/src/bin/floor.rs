//! The floor: reads a recording with `serde_json` into borrowed types and does nothing with it but count
//! `isError`. `floor FILE [--threads N]`.
#![expect(dead_code, reason = "the fields are there to be parsed, and nobody asks for them")]

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yardsticks::blocks::{Blocks, lines};

/// A string, borrowed where it holds no escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// One line: an exchange, or a server's tool list.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    recorded_at: Option<Text<'a>>,
    server: Option<Text<'a>>,
    session: Option<Text<'a>>,
    tool: Option<&'a RawValue>,
    tools: Option<&'a RawValue>,
    input: Option<&'a RawValue>,
    response: Option<Response<'a>>,
    #[serde(rename = "scenarioCategory")]
    scenario: Option<Text<'a>>,
    duration_ms: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    content: Option<Vec<Block<'a>>>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
    #[serde(rename = "structuredContent")]
    structured: Option<&'a RawValue>,
    #[serde(rename = "_meta")]
    meta: Option<&'a RawValue>,
    error: Option<RpcError<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    text: Option<Text<'a>>,
    data: Option<Text<'a>>,
    #[serde(rename = "mimeType")]
    mime_type: Option<Text<'a>>,
    uri: Option<Text<'a>>,
    resource: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RpcError<'a> {
    code: i64,
    #[serde(borrow)]
    message: Option<Text<'a>>,
}

#[derive(Default)]
struct Count {
    exchanges: u64,
    errors: u64,
    unreadable: u64,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (file, threads) = match (words.next(), words.next().as_deref(), words.next()) {
        (Some(file), None, None) => (PathBuf::from(file), Some(1)),
        (Some(file), Some("--threads"), Some(number)) => (PathBuf::from(file), number.parse().ok()),
        _ => (PathBuf::new(), None),
    };
    let Some(threads) = threads else {
        eprintln!("usage: floor FILE [--threads N]");
        return ExitCode::from(2);
    };
    match run(&file, threads) {
        Ok(count) => {
            println!(
                "{} exchanges, {} isError, {} unreadable",
                count.exchanges, count.errors, count.unreadable
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot read {}: {error}", file.display());
            ExitCode::from(3)
        }
    }
}

fn run(file: &Path, threads: usize) -> std::io::Result<Count> {
    let blocks = Blocks::open(file)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(|| work(&blocks))).collect();
        workers.into_iter().try_fold(Count::default(), |mut sum, worker| {
            let count = worker.join().expect("a worker has no way to panic")?;
            sum.exchanges += count.exchanges;
            sum.errors += count.errors;
            sum.unreadable += count.unreadable;
            Ok(sum)
        })
    })
}

fn work(blocks: &Blocks) -> std::io::Result<Count> {
    let (mut block, mut count) = (Vec::new(), Count::default());
    while blocks.next(&mut block)? {
        match std::str::from_utf8(&block) {
            Ok(text) => lines(text).for_each(|line| count.line(serde_json::from_str(line).ok())),
            Err(_) => block.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).for_each(
                |line| {
                    count.line(serde_json::from_slice(line).ok());
                },
            ),
        }
    }
    Ok(count)
}

impl Count {
    fn line(&mut self, line: Option<Line<'_>>) {
        // The parsed line must look used, or the compiler may skip part of the work.
        match std::hint::black_box(line) {
            None => self.unreadable += 1,
            Some(line) if line.tools.is_some() => {}
            Some(line) => {
                self.exchanges += 1;
                let is_error =
                    line.response.as_ref().and_then(|reply| reply.is_error) == Some(true);
                self.errors += u64::from(is_error);
            }
        }
    }
}
