//! How long a history of many nights takes to read: `cargo bench --bench history -- NIGHTS SERVERS`.
//!
//! Each night is a file with two classes for each server.
#![expect(clippy::print_stdout, reason = "what was measured is printed")]

use std::path::Path;
use std::time::Instant;
use tapecheck::internals::count::{Count, Dimension, GroupRef};
use tapecheck::internals::recording::Day;
use tapecheck::internals::store::write_cube;
use tapecheck::internals::trend::history::{At, History};

fn main() {
    let numbers: Vec<u32> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let nights = numbers.first().copied().unwrap_or(1_000);
    let servers = numbers.get(1).copied().unwrap_or(500);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path().join("history");
    std::fs::create_dir(&dir).expect("a folder");
    let started = Instant::now();
    for night in 0..nights {
        write_night(&dir, night, servers).expect("room for a night");
    }
    say("written", started);
    read(&dir);
}

fn say(what: &str, started: Instant) {
    println!("{what}: {:.2} s, at most {} MiB so far", started.elapsed().as_secs_f64(), peak());
}

/// The most memory this process ever had, where the system tells.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or_default() >> 10
}

fn read(dir: &Path) {
    let started = Instant::now();
    let history = History::open(dir, &[Dimension::Class]).expect("readable");
    let cells = history.cells(Dimension::Class);
    let nights = history.nights(At::Recorded);
    let placed = cells.run.iter().zip(&cells.day);
    let placed = placed.filter(|(run, day)| nights.place(**run, **day).is_some()).count();
    assert_eq!(placed, cells.count.len(), "every cell counts");
    assert!(history.notes.is_empty(), "{:?}", history.notes);
    say(&format!("read ({} nights, {placed} cells)", nights.days.len()), started);
}

fn write_night(dir: &Path, number: u32, servers: u32) -> Result<(), Box<dyn std::error::Error>> {
    let day = Day(i32::try_from(number)?).to_string();
    let run = format!("{number:012x}");
    let about = serde_json::json!({
        "run": run, "night": day, "started_at": format!("{day}T03:00:00Z"), "seconds": 1.0,
        "collection": "recordings", "corpus_digest": run, "checks": null,
        "rulebook": { "name": "guide", "digest": "000000000000" }, "version": "0.1.0",
        "exchanges": u64::from(servers) * 100, "unreadable": 0,
    });
    let names: Vec<String> = (0..servers).map(|server| format!("server-{server:03}")).collect();
    let groups = (0..).zip(&names).map(|(server, name)| {
        let broken = i64::from((server * 7 + number) % 5 + 1);
        let counts = [
            (Dimension::Class, "broken", broken),
            (Dimension::Class, "fully_working", 100 - broken),
            (Dimension::Reply, "result", 100),
            (Dimension::Answer, "not_asked", 100),
        ];
        let group = GroupRef { day: &day, server: name, tool: "call", scenario: None };
        (group, counts.map(|(dimension, value, n)| Count { dimension, value, n }))
    });
    let file = std::fs::File::create(dir.join(format!("{day}--tapes--{run}.parquet")))?;
    let about =
        [("tapecheck", "tapecheck-history/4".to_owned()), ("tapecheck_run", about.to_string())];
    let about = about.map(|(name, text)| (name.to_owned(), text)).to_vec();
    Ok(write_cube(file, &[], groups, about)?)
}
