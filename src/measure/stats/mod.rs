//! How often patterns, signals and factors hit, what that tells, and how right verdicts are.
//!
//! [`stats`] takes a judged side and its labelled exchanges. Without labels it still counts hits.

mod bootstrap;
mod calibration;
mod headline;
mod held_out;
mod mistakes;
pub mod show;
mod usage;

pub use bootstrap::{Dice, RESAMPLES, interval, interval_of_draws};
pub use calibration::{AtLeast, Calibration, CertaintyFit, ConfidenceStep, Reading, SURE};
pub use headline::{Among, BaseRates, Estimate, FAILURE_RATES, Headline, Means, PrecisionAt};
pub use held_out::{Fold, LeftOutAnswer, leave_one_server_out};
pub use mistakes::Mistake;
pub use usage::{OfClass, Thing, Usage, Without};

use crate::compare::{Observations, Side};
use crate::labels::Class;
use crate::measure::accuracy::{Confusion, Found, Item, Share};
use crate::recording::{ExchangeKind, ReplyKind};
use crate::redact::MaskedText;
use crate::rulebook::{Observing, Question as Asks};
use crate::store::{NamedVerdict, ReportError, ResultTables, RulebookName, Table};
use mistakes::mistakes;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use usage::Labelled;

/// Marks the object as statistics, with the version of its members.
const FORMAT: &str = "tapecheck-stats/2";

#[derive(Clone, Debug)]
pub struct Settings {
    /// What intervals are drawn with.
    pub seed: u64,
    /// Whether weights and thresholds are fitted anew where a server is left out.
    pub refit: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, refit: true }
    }
}

/// What was measured, as it is in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    pub format: &'static str,
    pub input: String,
    pub rulebook: RulebookName,
    #[serde(flatten)]
    pub figures: Figures,
    pub exchanges: u64,
    /// How many replies each question is asked of.
    pub replies: BTreeMap<&'static str, u64>,
    /// What is to be said of labels that do not count.
    pub notes: Vec<String>,
    /// `None` where nothing is labelled.
    pub truth: Option<Truth>,
    pub leave_one_server_out: Option<HeldOut>,
    /// Why no server is left out.
    pub not_held_out: Option<String>,
    /// Sorted by name.
    pub servers: Vec<Server>,
    /// By question, in the rulebook's order.
    pub patterns: Vec<Usage>,
    pub signals: Vec<Usage>,
    pub factors: Vec<Usage>,
}

/// The measures that count most.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Figures {
    pub balanced_accuracy: Option<f64>,
    pub hidden_failure_precision: Option<f64>,
    pub hidden_failure_recall: Option<f64>,
}

/// How right answers are.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// All that there are, labelled or not.
    pub exchanges: u64,
    pub labels: u64,
    #[serde(flatten)]
    pub figures: Figures,
    pub headline: Headline,
    #[serde(rename = "confusion")]
    pub table: Confusion,
    pub classes: BTreeMap<&'static str, Found>,
    pub mistakes: Vec<Mistake>,
}

/// How right the verdicts are.
#[derive(Clone, Debug, Serialize)]
pub struct Truth {
    #[serde(flatten)]
    pub measured: Measured,
    pub calibration: Vec<Calibration>,
    pub certainty: Vec<CertaintyFit>,
    /// What precision means where failures are rarer than among the labels.
    pub base_rates: Vec<BaseRates>,
}

/// What the rulebook is worth on servers that were left out.
#[derive(Clone, Debug, Serialize)]
pub struct HeldOut {
    #[serde(flatten)]
    pub measured: Measured,
    pub base_rates: Vec<BaseRates>,
    /// For each server with labels, by name.
    pub folds: Vec<Fold>,
    /// Whether weights and thresholds were fitted anew.
    pub fitted_anew: bool,
    /// The same measures with weights and thresholds as they are written.
    pub numbers_kept: Headline,
}

/// The exchanges of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Server {
    pub name: String,
    pub exchanges: u64,
    pub labels: u64,
    pub wrong: u64,
    pub balanced_accuracy: Option<f64>,
    pub wrong_left_out: Option<u64>,
    pub accuracy: Share,
    #[serde(flatten)]
    pub classes: BTreeMap<&'static str, Found>,
    /// What was said of the labelled ones.
    #[serde(skip)]
    pub table: Confusion,
}

impl Stats {
    pub fn usages(&self, thing: Thing) -> &[Usage] {
        match thing {
            Thing::Pattern => &self.patterns,
            Thing::Signal => &self.signals,
            Thing::Factor => &self.factors,
        }
    }

    /// Notes what is known of wrong answers beside their verdicts: by place among the exchanges their texts
    /// and why they have their labels, and what stands before and after a key in a command that explains it.
    pub fn tell(
        &mut self,
        texts: &BTreeMap<u32, MaskedText>,
        whys: &BTreeMap<u32, String>,
        explain: Option<&[String; 2]>,
    ) {
        let measured = self.truth.iter_mut().map(|it| &mut it.measured);
        let left_out = self.leave_one_server_out.iter_mut().map(|it| &mut it.measured);
        for mistake in measured.chain(left_out).flat_map(|it| &mut it.mistakes) {
            if let Some(text) = texts.get(&mistake.entry) {
                mistake.text = Some(mistakes::shown(text.as_ref()));
            }
            mistake.why = whys.get(&mistake.entry).cloned();
            mistake.explain =
                explain.map(|[before, after]| format!("{before}{}{after}", mistake.key));
        }
    }

    /// Writes the tables into a folder; tables of which nothing was measured are not there.
    pub fn write_tables(&self, folder: &Path) -> Result<(), ReportError> {
        let mut tables = ResultTables::begin(folder)?;
        tables.write_rows(Table::StatsPatterns, &self.patterns)?;
        tables.write_rows(Table::StatsSignals, &self.signals)?;
        tables.write_rows(Table::StatsFactors, &self.factors)?;
        tables.write_rows(Table::StatsServers, &self.servers)?;
        if let Some(truth) = &self.truth {
            let steps = truth.calibration.iter().flat_map(|it| &it.steps);
            tables.write_rows(Table::StatsCalibration, steps)?;
            tables.write_rows(Table::StatsMistakes, &truth.measured.mistakes)?;
        }
        Ok(tables.finish(&Table::OF_STATS)?)
    }
}

impl Measured {
    /// Of what was said on each server that has labels.
    fn of(side: &Side, servers: &[Confusion], mistakes: Vec<Mistake>, seed: u64) -> Self {
        let headline = Headline::of(servers, seed);
        let table = Confusion::of_all(servers);
        Self {
            exchanges: side.entries.len() as u64,
            labels: table.items(),
            figures: Figures {
                balanced_accuracy: headline.balanced_accuracy.value,
                hidden_failure_precision: headline.hidden_precision.value,
                hidden_failure_recall: headline.hidden_recall.value,
            },
            headline,
            classes: table.classes(),
            table,
            mistakes,
        }
    }
}

/// What was said of the labelled replies of each server, sorted by name.
fn servers(side: &Side, items: &[Item]) -> BTreeMap<String, (u64, Confusion)> {
    let mut servers: BTreeMap<u32, (u64, Confusion)> = BTreeMap::new();
    for entry in &side.entries {
        servers.entry(entry.server).or_default().0 += 1;
    }
    for item in items {
        let answer = Class::of(side.verdict(item.verdict));
        servers.entry(item.server).or_default().1.add(item.label, answer);
    }
    servers.into_iter().map(|(name, of)| (side.names.get(name).to_owned(), of)).collect()
}

fn labelled(servers: &BTreeMap<String, (u64, Confusion)>) -> Vec<Confusion> {
    servers.values().map(|(_, table)| table).filter(|table| table.items() > 0).cloned().collect()
}

/// How right the verdicts of a side are: neither what patterns are worth nor left-out servers.
pub fn glance(side: &Side, items: &[Item], seed: u64) -> Measured {
    let answers = items.iter().map(|item| (item, Class::of(side.verdict(item.verdict))));
    Measured::of(side, &labelled(&servers(side, items)), mistakes(side, answers), seed)
}

pub fn stats(side: &Side, items: &[Item], settings: &Settings) -> Stats {
    let observations = Observations::of(side).map_err(|error| error.to_string());
    let known = Labelled::of(side, items, observations.as_ref().ok());
    let (held_out, not_held_out) = match &observations {
        _ if items.is_empty() => (None, None),
        Err(because) => (None, Some(because.clone())),
        Ok(told) => match held_out(side, told, items, settings) {
            Ok(held_out) => (Some(held_out), None),
            Err(because) => (None, Some(because.to_owned())),
        },
    };
    let servers = servers(side, items);
    let truth = (!items.is_empty()).then(|| {
        let lines = side.rulebook.as_ref().map_or(&[][..], |rulebook| &rulebook.certainty);
        let folds = held_out.as_ref().map_or(&[][..], |it| &it.folds);
        let calibration = Reading::ALL.into_iter().filter_map(|reading| {
            let said = calibration::said(side, items, reading, folds, lines);
            Calibration::of(&said, reading, settings.seed)
        });
        Truth {
            measured: glance(side, items, settings.seed),
            calibration: calibration.collect(),
            certainty: if folds.is_empty() {
                Vec::new()
            } else {
                calibration::fits(folds, items, lines)
            },
            base_rates: BaseRates::all(&labelled(&servers), settings.seed),
        }
    });
    let wrong_left_out = |name: &str| {
        let folds = held_out.iter().flat_map(|it| &it.folds);
        folds.into_iter().find(|fold| fold.server == name).map(|fold| fold.table.wrong())
    };
    let server = |(name, (exchanges, table)): (String, (u64, Confusion))| Server {
        exchanges,
        labels: table.items(),
        wrong: table.wrong(),
        balanced_accuracy: table.balanced_accuracy(),
        wrong_left_out: wrong_left_out(&name),
        accuracy: table.accuracy(),
        classes: table.classes(),
        name,
        table,
    };
    let asked = |question: Question| {
        let of = side.weighed().filter(|(verdict, _)| Question::of(verdict) == Some(question));
        (question.name(), of.map(|(_, exchanges)| exchanges).sum())
    };
    Stats {
        format: FORMAT,
        input: side.header.name.clone(),
        rulebook: side.header.rulebook.clone(),
        figures: truth.as_ref().map(|it| it.measured.figures).unwrap_or_default(),
        exchanges: side.entries.len() as u64,
        replies: Question::ALL.map(asked).into(),
        notes: Vec::new(),
        truth,
        servers: servers.into_iter().map(server).collect(),
        patterns: usage::usages(side, &known, Thing::Pattern),
        signals: usage::usages(side, &known, Thing::Signal),
        factors: usage::usages(side, &known, Thing::Factor),
        leave_one_server_out: held_out,
        not_held_out,
    }
}

fn held_out(
    side: &Side,
    observations: &Observations<'_>,
    items: &[Item],
    Settings { seed, refit }: &Settings,
) -> Result<HeldOut, &'static str> {
    if observations.rulebook.errors.question == Asks::All {
        return Err("the rulebook evaluates every reply alike (errors.question = \"all\"), so \
            answers cannot be recomputed from matches");
    }
    let folds = leave_one_server_out(side, observations, items, *refit);
    if folds.len() < 2 {
        return Err("fewer than two servers have labels");
    }
    let tables = |folds: &[Fold]| folds.iter().map(|it| it.table.clone()).collect::<Vec<_>>();
    let answers = folds.iter().flat_map(|fold| &fold.answers);
    let mistakes = mistakes(side, answers.map(|it| (&items[it.place], it.answer)));
    let measured = Measured::of(side, &tables(&folds), mistakes, *seed);
    let numbers_kept = if *refit {
        let kept = leave_one_server_out(side, observations, items, false);
        Headline::of(&tables(&kept), *seed)
    } else {
        measured.headline
    };
    Ok(HeldOut {
        measured,
        base_rates: BaseRates::all(&tables(&folds), *seed),
        folds,
        fitted_anew: *refit,
        numbers_kept,
    })
}

named! {
    /// What is asked of a reply.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Question {
        /// Of an error: did the tool refuse, or did it fail?
        Errors = "errors",
        /// Of a reply that claims success: did the tool fail all the same?
        Successes = "successes",
    }
}

impl Question {
    /// What is asked of a reply with this verdict; `None` of what is no reply to a call.
    pub fn of(verdict: &NamedVerdict) -> Option<Self> {
        match (verdict.kind, verdict.reply) {
            (ExchangeKind::ToolCall, ReplyKind::ToolError | ReplyKind::ProtocolError) => {
                Some(Self::Errors)
            }
            (ExchangeKind::ToolCall, ReplyKind::Result) => Some(Self::Successes),
            (ExchangeKind::ToolCall, ReplyKind::NoReply | ReplyKind::Document)
            | (
                ExchangeKind::Envelope | ExchangeKind::JudgeResult | ExchangeKind::SessionReport,
                _,
            ) => None,
        }
    }

    pub fn failure(self) -> Class {
        match self {
            Self::Errors => Class::Failed,
            Self::Successes => Class::Hidden,
        }
    }

    /// The label of what is none.
    pub fn fine(self) -> Class {
        match self {
            Self::Errors => Class::Refused,
            Self::Successes => Class::Worked,
        }
    }

    pub fn labels(self) -> [Class; 2] {
        [self.fine(), self.failure()]
    }

    pub(super) fn observing(self) -> Observing {
        match self {
            Self::Errors => Observing::Errors,
            Self::Successes => Observing::Successes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::compare::testing::judged;
    use crate::labels::{Labelled as LabelledCalls, Said};
    use crate::measure::accuracy::items;
    use crate::rulebook::Rulebook;
    use crate::view::text::text;
    use serde_json::json;
    use show::{List, sections};
    use std::fmt::Write as _;
    use std::sync::Arc;

    const RULEBOOK: &str = include_str!("../../../tests/cases/stats.toml");

    /// Replies and what is true of them, a line each: `SERVER | error or success | TEXT | LABEL`.
    fn read(text: &str) -> (Side, Vec<Item>) {
        let rulebook = Rulebook::from_toml(RULEBOOK, "stats.toml").expect("a rulebook");
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(" | ").collect()).collect();
        let line = |row: &Vec<&str>| {
            let content = json!([{ "type": "text", "text": row[2] }]);
            let response = json!({ "content": content, "isError": row[1] == "error" });
            json!({ "server": row[0], "tool": "get", "input": {}, "response": response })
                .to_string()
        };
        let side = judged(&Arc::new(rulebook), &rows.iter().map(line).collect::<Vec<_>>());
        let label = |row: &Vec<&str>| {
            let said = Said::of_word(row.get(3)?).expect("a label");
            Some(said.class(row[1] == "error").expect("one that the reply can have"))
        };
        let of = (0..).zip(&rows).filter_map(|(at, row)| Some((at, label(row)?))).collect();
        let items = items(&side, &LabelledCalls { of, ..LabelledCalls::default() });
        (side, items)
    }

    #[test]
    fn small_sides_are_measured_as_their_cases_say() {
        cases::check("tests/cases/stats.txt", |case| {
            let (side, items) = read(&case.text);
            let stats = stats(&side, &items, &Settings::default());
            let patterns = List::Things(Thing::Pattern);
            let lists = [List::Servers, patterns, List::Calibration, List::Mistakes];
            let [overview, mut lists] =
                [&[][..], &lists[..]].map(|lists| sections(&stats, lists, 9, "stats"));
            lists.retain(|section| !overview.contains(section));
            let mut lines = text(&overview, 100) + "\n" + &text(&lists, 100);
            for fold in stats.leave_one_server_out.iter().flat_map(|it| &it.folds) {
                let Fold { server, left_out, changed, table, .. } = fold;
                let wrong = table.wrong();
                let _ = writeln!(
                    lines,
                    "without {server}: {left_out:?}, {changed} changed, {wrong} wrong"
                );
            }
            let number = |it: Option<f64>| it.map_or("none".to_owned(), |it| format!("{it:.4}"));
            for it in [&stats.patterns, &stats.signals, &stats.factors].into_iter().flatten() {
                let Usage { name, hits, replies, alone, servers, weight, signals, .. } = it;
                let (question, weight) = (it.question.name(), number(*weight));
                let without = it.without.map_or("unknown".to_owned(), |it| {
                    format!("{} {} {}", it.righted, it.wronged, number(it.help))
                });
                let labels = Class::LISTED.map(|label| {
                    let OfClass { hits, share, precision, .. } = it.classes[label.column()];
                    format!("{hits}/{}/{}", share.of, precision.of)
                });
                let _ = writeln!(
                    lines,
                    "{name}, {question}: {hits} {replies} {alone} {servers} {weight} {signals:?}, {without}, {}",
                    labels.join(" ")
                );
            }
            lines
        });
    }

    #[test]
    fn servers_are_measured_as_their_cases_say() {
        cases::check("tests/cases/measures.txt", |case| {
            let servers = case.text.lines().flat_map(|line| {
                let (servers, counts) = line.split_once(" of ").expect("servers of the same");
                let mut table = Confusion::default();
                for row in counts.split(", ") {
                    let words: Vec<&str> = row.split(' ').collect();
                    let label = |at: usize| Class::of_name(words[at]);
                    let times = words[2].parse().expect("how often");
                    (0..times).for_each(|_: u32| table.add(label(0).expect("a label"), label(1)));
                }
                std::iter::repeat_n(table, servers.parse().expect("how many"))
            });
            let servers: Vec<Confusion> = servers.collect();
            let headline = Headline::of(&servers, 1);
            let shown = |it: Estimate| {
                let by = it.by.map_or("", Means::name);
                let ends = it.interval.map(|it| format!(" {:.4} to {:.4} {by}", it.low, it.high));
                let value = it.value.map_or("none".to_owned(), |value| format!("{value:.4}"));
                value + &ends.unwrap_or_default()
            };
            let mut lines = vec![
                format!("errors {}", shown(headline.balanced_accuracy)),
                format!("hidden precision {}", shown(headline.hidden_precision)),
                format!("hidden recall {}", shown(headline.hidden_recall)),
                format!("accuracy {}", shown(headline.accuracy)),
            ];
            for BaseRates { among, recall, false_alarms, precision_at } in
                BaseRates::all(&servers, 1)
            {
                let shares = [recall, false_alarms].map(|it| format!("{} of {}", it.hits, it.of));
                let at = precision_at.map(|it| shown(it.precision)).join(", ");
                lines.push(format!("{}: {}: {at}", among.name(), shares.join(", ")));
            }
            lines.join("\n")
        });
    }
}
