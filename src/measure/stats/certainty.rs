//! How sure answers are, and whether they are right as often as that.

use super::held_out::{Fold, LeftOutAnswer};
use crate::labels::Label;
use crate::measure::accuracy::{Item, Share};
use crate::measure::fit::{Answered, fit_certainty};
use crate::rulebook::{CertaintyLine, Curve};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// A line of a rulebook's certainties, beside the one that labels ask for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CertaintyFit {
    pub name: String,
    /// Answers of which it says how sure they are, each server left out, and how many of them are right.
    pub right: Share,
    pub servers: u64,
    #[serde(serialize_with = "write_curve")]
    pub written: Curve,
    #[serde(serialize_with = "write_curve")]
    pub fitted: Curve,
}

fn write_curve<S: Serializer>(curve: &Curve, to: S) -> Result<S::Ok, S::Error> {
    let both = [("near", curve.near), ("far", curve.far)];
    let level = [("certainty", curve.near)];
    to.collect_map(if curve.is_level() { &level[..] } else { &both[..] }.iter().copied())
}

/// An answer that was given without its server, and how sure it is by what the other servers ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sure {
    pub(super) server: u32,
    pub(super) truth: Label,
    pub(super) answer: Option<Label>,
    pub(super) certainty: f64,
}

/// The lines fitted to the answers that were given without their servers.
pub(super) fn fits(folds: &[Fold], items: &[Item], lines: &[CertaintyLine]) -> Vec<CertaintyFit> {
    let answers: Vec<Answered> = answers(folds, items).map(|(_, _, it)| it).collect();
    let fitted = fit_certainty(&answers, lines);
    let rows = (0_u16..).zip(lines).zip(fitted).map(|((number, line), fitted)| {
        let own: Vec<&Answered> = answers.iter().filter(|it| it.line == number).collect();
        let hits = own.iter().filter(|it| it.is_right).count() as u64;
        CertaintyFit {
            name: line.name.clone(),
            right: Share { hits, of: own.len() as u64 },
            servers: own.iter().map(|it| it.server).collect::<BTreeSet<_>>().len() as u64,
            written: line.curve,
            fitted,
        }
    });
    rows.collect()
}

/// The answers of each server, as sure as the answers of all others ask for.
pub(super) fn held_out(folds: &[Fold], items: &[Item], lines: &[CertaintyLine]) -> Vec<Sure> {
    let answers: Vec<_> = answers(folds, items).collect();
    let servers: BTreeSet<u32> = answers.iter().map(|(.., it)| it.server).collect();
    let of_server = servers.into_iter().flat_map(|server| {
        let others = answers.iter().map(|(.., it)| *it).filter(|it| it.server != server);
        let fitted = fit_certainty(&others.collect::<Vec<_>>(), lines);
        let own = answers.iter().filter(move |(.., it)| it.server == server);
        own.map(move |(item, answer, it)| Sure {
            server,
            truth: item.label,
            answer: answer.answer,
            certainty: fitted[usize::from(it.line)].at(it.distance),
        })
    });
    of_server.collect()
}

fn answers<'a>(
    folds: &'a [Fold],
    items: &'a [Item],
) -> impl Iterator<Item = (&'a Item, &'a LeftOutAnswer, Answered)> {
    folds.iter().flat_map(|fold| &fold.answers).filter_map(|answer| {
        let item = &items[answer.place];
        let (line, distance) = answer.certain?;
        let is_right = answer.answer == Some(item.label);
        Some((item, answer, Answered { line, distance, server: item.server, is_right }))
    })
}
