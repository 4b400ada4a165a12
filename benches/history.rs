//! How long a history of many nights takes to read: `cargo bench --bench history -- NIGHTS SERVERS`.
//!
//! Each night is a folder of its own with two classes for each server; then they are put together
//! and read again.
#![expect(clippy::print_stdout, reason = "what was measured is printed")]

use std::path::Path;
use std::time::Instant;
use tapecheck::history::{At, History, Measure, Store};
use tapecheck::report::{ReportError, Table, TableFile};
use tapecheck::tape::Day;

fn main() {
    let numbers: Vec<u32> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let nights = numbers.first().copied().unwrap_or(1_000);
    let servers = numbers.get(1).copied().unwrap_or(500);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path().join("history");
    let started = Instant::now();
    for night in 0..nights {
        write_night(&dir, night, servers).expect("room for a night");
    }
    say("written", started);
    read(&dir, "read, a folder a night");
    let started = Instant::now();
    Store::open(&dir).and_then(|store| store.compact()).expect("put together");
    say("put together", started);
    read(&dir, "read, put together");
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

fn read(dir: &Path, what: &str) {
    let started = Instant::now();
    let history = History::open(dir, &[Measure::Class]).expect("readable");
    let cells = history.cells(Measure::Class);
    let nights = history.nights(At::Recorded);
    let placed = cells.run.iter().zip(&cells.day);
    let placed = placed.filter(|(run, day)| nights.place(**run, **day).is_some()).count();
    assert_eq!(placed, cells.count.len(), "every cell counts");
    assert!(history.notes.is_empty(), "{:?}", history.notes);
    say(&format!("{what} ({} nights, {placed} cells)", nights.days.len()), started);
}

fn write_night(dir: &Path, number: u32, servers: u32) -> Result<(), ReportError> {
    let day = Day(i32::try_from(number).unwrap_or_default()).to_string();
    let run = format!("{number:012x}");
    let folder = dir.join(format!("run-{day}-{run}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for table in Table::OF_HISTORIES {
        let mut file = TableFile::create_in(&folder, table)?;
        match table {
            Table::PastRuns => file.push(&[
                run.as_str().into(),
                u64::from(number).into(),
                day.as_str().into(),
                format!("{day}T03:00:00Z").into(),
                format!("{day}T03:00:01Z").into(),
                "tapes".into(),
                run.as_str().into(),
                "guide".into(),
                "000000000000".into(),
                None::<&str>.into(),
                "0.1.0".into(),
                (u64::from(servers) * 100).into(),
                0_u64.into(),
            ])?,
            Table::PastClasses => {
                for server in 0..servers {
                    let name = format!("server-{server:03}");
                    let broken = u64::from((server * 7 + number) % 5 + 1);
                    for (class, count) in [("broken", broken), ("fully_working", 100 - broken)] {
                        file.push(&[
                            run.as_str().into(),
                            day.as_str().into(),
                            day.as_str().into(),
                            name.as_str().into(),
                            "call".into(),
                            None::<&str>.into(),
                            class.into(),
                            count.into(),
                        ])?;
                    }
                }
            }
            _ => {}
        }
        file.finish_with(&[("tapecheck", "tapecheck-history/1")])?;
    }
    Ok(())
}
