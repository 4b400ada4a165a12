//! Writes a made-up corpus: `generate --exchanges N --seed S --out FILE [--format exchange|wire]`.

use std::path::PathBuf;
use std::process::ExitCode;
use yardsticks::catalog::Catalog;
use yardsticks::exchange::Source;
use yardsticks::tape::{write_exchange_lines, write_wire_lines};

const USAGE: &str = "usage: generate --exchanges N [--seed S] --out FILE
       generate --exchanges N [--seed S] --out FOLDER --format wire";

enum Format {
    Exchange,
    Wire,
}

fn main() -> ExitCode {
    let Some((exchanges, seed, out, format)) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let catalog = Catalog::new(seed);
    let source = Source::new(&catalog, seed, exchanges);
    let written = match format {
        Format::Exchange => write_exchange_lines(&out, &catalog, source.exchanges()),
        Format::Wire => write_wire_lines(&out, &catalog, source.exchanges()),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write {}: {error}", out.display());
            ExitCode::from(3)
        }
    }
}

fn arguments() -> Option<(usize, u64, PathBuf, Format)> {
    let (mut exchanges, mut seed, mut out, mut format) = (None, 1, None, Format::Exchange);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match (word.as_str(), value.as_str()) {
            ("--exchanges", number) => exchanges = Some(number.parse().ok()?),
            ("--seed", number) => seed = number.parse().ok()?,
            ("--out", path) => out = Some(PathBuf::from(path)),
            ("--format", "exchange") => format = Format::Exchange,
            ("--format", "wire") => format = Format::Wire,
            _ => return None,
        }
    }
    Some((exchanges?, seed, out?, format))
}
