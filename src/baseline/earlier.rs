//! The first version of the grammar. It listed what is not plainly fine and only counted the rest,
//! told no requests, and did not spell names in a way that gives them back in every case.

use super::error::Wrong;
use super::header::{Lines, Told, fits};
use super::model::{Baseline, Gathered, Version, entry};
use super::read_text::read_key;
use super::spell::unspell;
use super::verdict_text::{BAR, is_severity, named, number, read_score, unclear};
use crate::compare::Said;
use crate::tape::{ExchangeKind, ReplyKind};
use crate::verdict::Classification;

/// Reads the lines after the header.
pub(super) fn read(mut lines: Lines<'_>, told: Told) -> Result<Baseline, Wrong> {
    let listed = lines.count("not plainly fine ")?;
    let mut gathered = Gathered::default();
    while let Some(line) = lines.next() {
        if !line.is_empty() {
            read_line(line, told.key_digits, &mut gathered)
                .map_err(|what| Wrong::line(lines.number, what))?;
        }
    }
    fits("not plainly fine", listed, gathered.len() as u64)?;
    let unlisted = told.exchanges.checked_sub(listed);
    let unlisted = unlisted.ok_or(Wrong::Counts {
        name: "exchanges".to_owned(),
        told: told.exchanges,
        found: listed,
    })?;
    let (side, ids) = gathered.finish(told.header, told.key_digits);
    Ok(Baseline::new(side, ids, Version::First, unlisted))
}

fn read_line(line: &str, digits: u8, gathered: &mut Gathered) -> Result<(), String> {
    let mut parts = line.split(BAR);
    let first = parts.next().unwrap_or_default();
    // Only the names at the beginning may have spaces.
    let mut words = first.rsplitn(5, ' ');
    let (Some(confidence), Some(class), Some(reply), Some(key), Some(who)) =
        (words.next(), words.next(), words.next(), words.next(), words.next())
    else {
        return Err(unclear(line));
    };
    let mut said = Said::of_class(named(&Classification::ALL, Classification::name, class)?);
    said.confidence = number(confidence)?;
    said.reply = named(&ReplyKind::ALL, ReplyKind::name, reply)?;
    said.is_error = said.reply.is_error();
    if said.reply == ReplyKind::Document {
        // Which kind of document it was is not told.
        said.kind = ExchangeKind::Envelope;
    }
    for part in parts {
        read_part(part, &mut said)?;
    }
    let who = who.strip_suffix(']').and_then(|who| who.split_once(" ["));
    let (who, id) = who.ok_or_else(|| unclear(first))?;
    let (server, tool) = who.split_once('/').ok_or_else(|| unclear(first))?;
    let who = (gathered.name(&plain(server)), gathered.name(&plain(tool)));
    let key = read_key(key, digits)?;
    let said = gathered.verdict(said);
    let id = (id != "-").then(|| plain(id));
    gathered.add(entry((key, key), said, who), id.as_deref(), 1);
    Ok(())
}

/// The name that was meant. Backslashes were not spelled out, so some names cannot be told.
fn plain(name: &str) -> String {
    unspell(name).unwrap_or_else(|| name.to_owned())
}

fn read_part(part: &str, said: &mut Said) -> Result<(), String> {
    let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
    if let Some(score) = part.strip_prefix("business logic ") {
        said.business_logic = Some(true);
        read_score(score, said)?;
    } else if let Some(score) = part.strip_prefix("tool failure ") {
        said.business_logic = Some(false);
        read_score(score, said)?;
    } else if part == "hidden failure" {
        said.hidden_failure = Some(true);
    } else if is_severity(word) {
        said.issues.push(format!("{word} {}", plain(rest)));
        said.issues.sort();
    } else {
        // An error's kind or the facts: either stands there alone, so both are kept as facts.
        said.facts.extend(part.split(' ').map(str::to_owned));
    }
    Ok(())
}
