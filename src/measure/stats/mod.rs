//! How often patterns, signals and factors hit, what that tells, and how right verdicts are.
//!
//! [`stats`] takes a judged side and its labelled exchanges. Without labels it still counts hits.

mod base_rates;
mod bootstrap;
mod calibration;
mod catalogue;
mod certainty;
mod gathered;
mod headline;
mod held_out;
mod mistakes;
mod question;
#[cfg(test)]
mod samples;
pub mod show;
mod slices;
mod usage;
mod without;

pub use base_rates::{Among, BaseRates, FAILURE_RATES, PrecisionAt};
pub use bootstrap::{Dice, RESAMPLES, interval, interval_of_draws};
pub use calibration::{AtLeast, Calibration, ConfidenceStep, Reading, SURE};
pub use catalogue::Thing;
pub use certainty::CertaintyFit;
pub use gathered::{ByLabel, Servers};
pub use headline::{Estimate, Headline, Means};
pub use held_out::{Fold, LeftOutAnswer, Refit, leave_one_server_out};
pub use mistakes::{Mistake, mistakes};
pub use question::Question;
pub use slices::Slice;
pub use usage::Usage;
pub use without::Without;

use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item, Observations};
use catalogue::Catalogue;
use gathered::Gathered;
use without::Bench;

#[derive(Clone, Debug)]
pub struct Settings {
    /// What intervals are drawn with.
    pub seed: u64,
    pub refit: Refit,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, refit: Refit::Yes }
    }
}

#[derive(Clone, Debug)]
pub struct Stats {
    pub exchanges: u64,
    /// How many replies each question is asked of, in the order of [`Question::ALL`].
    pub replies: [u64; 2],
    /// How right the verdicts are; `None` where nothing is labelled.
    pub truth: Option<Truth>,
    /// In the order of [`Thing::ALL`], each kind by question and in the rulebook's order.
    pub usages: [Vec<Usage>; 3],
    pub servers: Vec<Slice>,
}

/// How right the verdicts are.
#[derive(Clone, Debug)]
pub struct Truth {
    pub table: Confusion,
    pub headline: Headline,
    pub calibration: Vec<Calibration>,
    pub certainty: Vec<CertaintyFit>,
    /// What the rulebook is worth on servers that were left out, or why that cannot be told.
    pub held_out: Result<HeldOutHeadline, String>,
    /// What precision means where failures are rarer than among the labels.
    pub base_rates: Vec<BaseRates>,
    /// The labelled exchanges that are answered wrongly.
    pub mistakes: Vec<Mistake>,
}

#[derive(Clone, Debug)]
pub struct HeldOutHeadline {
    /// For each server with labels, by name.
    pub folds: Vec<Fold>,
    pub table: Confusion,
    pub headline: Headline,
    pub base_rates: Vec<BaseRates>,
    /// Whether weights and thresholds were fitted anew.
    pub refit: Refit,
    /// The same measures with weights and thresholds as they are written.
    pub numbers_kept: Headline,
    pub mistakes: Vec<Mistake>,
}

#[derive(Clone, Debug)]
pub struct Glance {
    pub exchanges: u64,
    pub table: Confusion,
    pub headline: Headline,
    pub mistakes: Vec<Mistake>,
}

/// Measures of a side what a glance takes in: neither what patterns are worth nor left-out servers.
pub fn glance(side: &Side, items: &[Item], seed: u64) -> Glance {
    let servers = slices::servers(side, &Servers::of(side), items);
    let (table, by_server) = tables(servers.iter().map(|slice| &slice.table));
    Glance {
        exchanges: side.entries.len() as u64,
        headline: Headline::of(&table, &by_server, seed),
        mistakes: mistakes(side, items),
        table,
    }
}

/// What was said of all servers together, and of each that has labels.
fn tables<'t>(servers: impl Iterator<Item = &'t Confusion>) -> (Confusion, Vec<Confusion>) {
    let by_server: Vec<Confusion> = servers.filter(|table| table.items() > 0).cloned().collect();
    (Confusion::of_all(&by_server), by_server)
}

pub fn stats(side: &Side, items: &[Item], settings: &Settings) -> Stats {
    let gathered = Gathered::of(side, items);
    let catalogues = Thing::ALL.map(|thing| Catalogue::of(side, thing));
    let mut usages = catalogues.each_ref().map(|it| usage::usages(side, &gathered, it));
    let observations = Observations::of(side).map_err(|error| error.to_string());
    if let Ok(observations) = &observations {
        let questions: Vec<_> = side.verdicts.iter().map(Question::of).collect();
        let bench = Bench::new(observations, items, &questions);
        let given: Vec<Option<Label>> = side.verdicts.iter().map(Label::of).collect();
        // A rulebook that asks the question of every reply is not told again from hits.
        if bench.agrees(&given) {
            for (usages, catalogue) in usages.iter_mut().zip(&catalogues) {
                bench.try_without(usages, catalogue);
            }
        }
    }
    let servers = slices::servers(side, &gathered.servers, items);
    let truth = (!items.is_empty()).then(|| {
        let held_out = observations.and_then(|it| held_out(side, &it, items, settings));
        truth(side, items, &servers, settings, held_out)
    });
    Stats {
        exchanges: side.entries.len() as u64,
        replies: Question::ALL.map(|question| gathered.asked(side, question).0),
        truth,
        usages,
        servers,
    }
}

fn truth(
    side: &Side,
    items: &[Item],
    servers: &[Slice],
    settings: &Settings,
    held_out: Result<HeldOutHeadline, String>,
) -> Truth {
    let (table, by_server) = tables(servers.iter().map(|slice| &slice.table));
    let seed = settings.seed;
    let lines = side.rulebook.as_ref().map_or(&[][..], |rulebook| &rulebook.certainty);
    let folds = held_out.as_ref().ok().map(|held_out| &held_out.folds[..]);
    let calibration = Reading::ALL.into_iter().filter_map(|reading| match reading {
        Reading::CertaintyHeldOut => {
            let said = certainty::held_out(folds?, items, lines);
            calibration::of(said.into_iter(), reading, seed)
        }
        Reading::Certainty | Reading::AnswerIsRight | Reading::ToolWorks => {
            calibration::calibration(side, items, reading, seed)
        }
    });
    Truth {
        headline: Headline::of(&table, &by_server, settings.seed),
        calibration: calibration.collect(),
        certainty: folds.map_or_else(Vec::new, |folds| certainty::fits(folds, items, lines)),
        base_rates: base_rates::base_rates(&table, &by_server, seed),
        held_out,
        mistakes: mistakes(side, items),
        table,
    }
}

fn held_out(
    side: &Side,
    observations: &Observations<'_>,
    items: &[Item],
    settings: &Settings,
) -> Result<HeldOutHeadline, String> {
    let is_all = observations.rulebook().errors.question == crate::rulebook::Question::All;
    if is_all {
        let because = "the rulebook evaluates every reply alike (errors.question = \"all\"), so \
            answers cannot be recomputed from matches";
        return Err(because.to_owned());
    }
    let folds = leave_one_server_out(side, observations, items, settings.refit);
    if folds.len() < 2 {
        return Err("fewer than two servers have labels".to_owned());
    }
    let (table, by_server) = tables(folds.iter().map(|fold| &fold.table));
    let headline = Headline::of(&table, &by_server, settings.seed);
    let base_rates = base_rates::base_rates(&table, &by_server, settings.seed);
    let mistakes = mistakes::left_out(side, items, &folds);
    let numbers_kept = match settings.refit {
        Refit::No => headline,
        Refit::Yes => {
            let kept = leave_one_server_out(side, observations, items, Refit::No);
            let (table, by_server) = tables(kept.iter().map(|fold| &fold.table));
            Headline::of(&table, &by_server, settings.seed)
        }
    };
    let refit = settings.refit;
    Ok(HeldOutHeadline { folds, table, headline, base_rates, refit, numbers_kept, mistakes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_side_is_measured_as_by_hand() {
        let stats = stats(&samples::side(), &samples::items(), &Settings::default());
        assert_eq!((stats.exchanges, stats.replies), (11, [8, 3]));
        let truth = stats.truth.expect("labels");
        assert_eq!(truth.headline.balanced_accuracy.value, Some(0.875));
        assert_eq!(truth.headline.hidden_precision.value, Some(1.0));
        assert_eq!(truth.headline.hidden_recall.value, Some(1.0));
        assert_eq!(truth.headline.accuracy.value, Some(0.9));
        assert_eq!(truth.headline.servers, 3);
        let held_out = truth.held_out.expect("three servers");
        assert_eq!(held_out.table.items(), 10);
        assert_eq!(held_out.folds.len(), 3);
        let glance = glance(&samples::side(), &samples::items(), Settings::default().seed);
        assert_eq!((glance.table, glance.headline), (truth.table, truth.headline));
    }

    #[test]
    fn without_labels_only_hits_are_told() {
        let stats = stats(&samples::side(), &[], &Settings::default());
        assert!(stats.truth.is_none());
        let patterns = &stats.usages[Thing::Pattern as usize];
        assert!(patterns.iter().all(|usage| usage.without.is_none()));
        assert!(patterns.iter().any(|usage| usage.replies.hits > 0));
    }

    #[test]
    fn the_same_seed_gives_the_same_figures() {
        let measure = |seed| {
            let settings = Settings { seed, ..Settings::default() };
            stats(&samples::side(), &samples::items(), &settings).truth.map(|truth| truth.headline)
        };
        assert_eq!(measure(4), measure(4));
    }
}
