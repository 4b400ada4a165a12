//! What to make of a run's verdicts: decisions, interpretations and the retry ladder, counted.

use super::judged_reply::JudgedReply;
use super::manifest::{LadderRung, Summary};
use super::named::Legend;
use super::rows::VerdictBatch;
use crate::check::judge_result::{Decision, Interpretation, RetryLadder, needs_review};
use crate::recording::ExchangeKind;
use crate::verdict::{Fate, Outcome};

/// Counts of what verdicts amount to.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Outcomes {
    calls: [u64; Outcome::ALL.len()],
    fates: [u64; Fate::ALL.len()],
    /// Exchanges that are no calls.
    documents: [u64; Outcome::ALL.len()],
    decisions: [u64; Decision::ALL.len()],
    interpretations: [u64; Interpretation::ALL.len()],
    needs_review: u64,
    calls_with_errors: u64,
    ladder: RetryLadder,
}

impl Outcomes {
    fn add(&mut self, count: u64, judged: &JudgedReply, legend: &Legend) {
        let of_kind = match judged.kind {
            ExchangeKind::ToolCall => {
                self.fates[judged.verdict.fate as usize] += count;
                &mut self.calls
            }
            ExchangeKind::Envelope | ExchangeKind::JudgeResult | ExchangeKind::SessionReport => {
                &mut self.documents
            }
        };
        let outcome = judged.verdict.conclusion.judgement.outcome;
        of_kind[outcome as usize] += count;
        self.decisions[judged.decision() as usize] += count;
        self.interpretations[judged.interpretation(legend) as usize] += count;
        if needs_review(judged.confidence()) {
            self.needs_review += count;
        }
        let valid = judged.has_no_error();
        if judged.kind == ExchangeKind::ToolCall && !valid && !outcome.is_bad() {
            self.calls_with_errors += count;
        }
        self.ladder.add_equal(count, valid, judged.quality(legend));
    }

    pub fn merge(&mut self, other: &Self) {
        fn add<const N: usize>(counts: &mut [u64; N], others: &[u64; N]) {
            counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        }
        // All of it, so that a new count cannot be forgotten here.
        let Self {
            calls,
            fates,
            documents,
            decisions,
            interpretations,
            needs_review,
            calls_with_errors,
            ladder,
        } = other;
        add(&mut self.calls, calls);
        add(&mut self.fates, fates);
        add(&mut self.documents, documents);
        add(&mut self.decisions, decisions);
        add(&mut self.interpretations, interpretations);
        self.needs_review += needs_review;
        self.calls_with_errors += calls_with_errors;
        self.ladder.merge(ladder);
    }

    pub fn tell(&self, summary: &mut Summary) {
        let named = |counts: [u64; Outcome::ALL.len()]| -> Vec<(String, u64)> {
            let names = Outcome::ALL.map(|outcome| outcome.name().to_owned());
            names.into_iter().zip(counts).rev().collect()
        };
        summary.outcomes = named(self.calls);
        summary.documents = named(self.documents);
        let unknown = Fate::ALL.into_iter().zip(self.fates);
        let unknown = unknown.filter(|(fate, count)| fate.is_unknown() && *count > 0);
        summary.unknown = unknown.map(|(fate, count)| (fate.name().to_owned(), count)).collect();
        let decisions = Decision::ALL.iter().map(|decision| decision.name().to_owned());
        summary.decisions = decisions.zip(self.decisions).collect();
        let readings = Interpretation::ALL.iter().map(|reading| reading.name().to_owned());
        summary.interpretations = readings.zip(self.interpretations).collect();
        summary.needs_review = self.needs_review;
        summary.calls_with_errors = self.calls_with_errors;
        let rung = |(quality, accepted, share)| LadderRung { quality, accepted, share };
        summary.retry_ladder = self.ladder.shares().map(rung).collect();
    }
}

impl VerdictBatch {
    /// Counts what the rows amount to; the rows must not be counted again.
    pub fn count_outcomes(&self, outcomes: &mut Outcomes, legend: &Legend) {
        let shapes = self.replies.shapes();
        let mut counts = vec![0_u64; shapes.len()];
        for row in &self.rows {
            counts[self.replies.get(row.reply).shape as usize] += 1;
        }
        for (count, judged) in counts.into_iter().zip(shapes) {
            outcomes.add(count, judged, legend);
        }
    }
}
