//! Writes a made-up corpus: `generate --exchanges N --seed S --out FILE [--mix ordinary|errors|short] [--format exchange|wire]`.

use std::path::PathBuf;
use std::process::ExitCode;
use yardsticks::catalog::Catalog;
use yardsticks::exchange::{Mix, Source};
use yardsticks::recording::{write_exchange_lines, write_wire_lines};

const USAGE: &str =
    "usage: generate --exchanges N [--seed S] [--mix ordinary|errors|short] --out FILE
       generate --exchanges N [--seed S] [--mix ordinary|errors|short] --out FOLDER --format wire";

enum Format {
    Exchange,
    Wire,
}

struct Arguments {
    exchanges: usize,
    seed: u64,
    out: PathBuf,
    format: Format,
    mix: Mix,
}

fn main() -> ExitCode {
    let Some(Arguments { exchanges, seed, out, format, mix }) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let catalog = Catalog::new(seed, mix.size);
    let source = Source::new(&catalog, seed, exchanges, mix);
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

fn arguments() -> Option<Arguments> {
    let (mut exchanges, mut seed, mut out) = (None, 1, None);
    let (mut format, mut mix) = (Format::Exchange, Mix::ORDINARY);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match (word.as_str(), value.as_str()) {
            ("--exchanges", number) => exchanges = Some(number.parse().ok()?),
            ("--seed", number) => seed = number.parse().ok()?,
            ("--out", path) => out = Some(PathBuf::from(path)),
            ("--mix", "ordinary") => mix = Mix::ORDINARY,
            ("--mix", "errors") => mix = Mix::ERRORS,
            ("--mix", "short") => mix = Mix::SHORT,
            ("--format", "exchange") => format = Format::Exchange,
            ("--format", "wire") => format = Format::Wire,
            _ => return None,
        }
    }
    Some(Arguments { exchanges: exchanges?, seed, out: out?, format, mix })
}
