//! What was said of an exchange: as one line, and whether two verdicts say the same.

use crate::store::{NamedSchema, NamedVerdict};
use crate::verdict::Answer;
use std::fmt::Write as _;

impl NamedVerdict {
    /// All that was said, in one line: the outcome and its kind, then why. Recorded words stand as they are.
    pub fn line(&self) -> String {
        let mut line = self.outcome.name().to_owned();
        if let Some(kind) = &self.error_kind {
            let _ = write!(line, ", {}", kind.replace('_', " "));
        }
        if let Some(code) = &self.error_code {
            let _ = write!(line, " · code {code}");
        }
        if let Some(score) = self.score {
            let _ = write!(line, " · score {}", four(score));
            if let Some(threshold) = self.threshold {
                let _ = write!(line, " of {}", four(threshold));
            }
        }
        if let Some(decided_by) = &self.decided_by {
            let _ = write!(line, " by \"{decided_by}\"");
        }
        if let Some(schema) = &self.schema {
            let _ = write!(line, " · schema {}", schema.outcome.name());
            if let Some(keyword) = &schema.keyword {
                let _ = write!(line, " ({keyword})");
            }
        }
        list(&mut line, "signals", &self.signals);
        list(&mut line, "hits", &self.hits);
        list(&mut line, "issues", &self.issues);
        list(&mut line, "failed criteria", &self.criteria[1]);
        let _ = write!(line, " · {} {}", self.class.name(), four(self.confidence));
        let answer = self.judgement().answer;
        if answer != Answer::NotAsked {
            let _ = write!(line, ", {}", answer.words());
        }
        line
    }

    /// Whether the same is said. The order of signals and hits, which is that of a rulebook, never counts.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        // Every member is named, so that a new one cannot be forgotten.
        let Self {
            kind,
            reply,
            ground,
            error_code,
            class,
            outcome,
            // Baselines do not keep it, and nothing is known of the server either way.
            fate: _,
            confidence,
            // How sure an answer is changes nothing about it.
            certainty: _,
            is_valid,
            is_error,
            business_logic,
            hidden_failure,
            score,
            threshold,
            decided_by,
            error_kind,
            // It follows from the kind.
            who: _,
            signals,
            hits,
            hits_left_out: _,
            issues,
            schema,
            criteria,
        } = self;
        *kind == other.kind
            && *reply == other.reply
            && *ground == other.ground
            && *error_code == other.error_code
            && *class == other.class
            && *outcome == other.outcome
            && is_equal(Some(*confidence), Some(other.confidence))
            && *is_valid == other.is_valid
            && *is_error == other.is_error
            && *business_logic == other.business_logic
            && *hidden_failure == other.hidden_failure
            && is_equal(*score, other.score)
            && is_equal(*threshold, other.threshold)
            && *decided_by == other.decided_by
            && *error_kind == other.error_kind
            && have_the_same(signals, &other.signals)
            && have_the_same(hits, &other.hits)
            && *issues == other.issues
            && is_same_schema(schema.as_ref(), other.schema.as_ref())
            && criteria.iter().zip(&other.criteria).all(|(one, other)| have_the_same(one, other))
    }
}

fn have_the_same(one: &[String], other: &[String]) -> bool {
    if one == other {
        return true;
    }
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    one.len() == other.len() && sorted(one) == sorted(other)
}

/// Which schema it was is no part of what is said, only what came of it. What one side does not tell is no
/// difference.
fn is_same_schema(one: Option<&NamedSchema>, other: Option<&NamedSchema>) -> bool {
    one.zip(other).map_or(one.is_none() && other.is_none(), |(one, other)| {
        let keywords = one.keyword.as_ref().zip(other.keyword.as_ref());
        one.outcome == other.outcome && keywords.is_none_or(|(one, other)| one == other)
    })
}

/// Computed in one way on both sides, so that equal ones have the same bits, apart from zeros.
fn is_equal(one: Option<f64>, other: Option<f64>) -> bool {
    let bits = |number: f64| (number + 0.0).to_bits();
    one.map(bits) == other.map(bits)
}

fn list(line: &mut String, word: &str, names: &[String]) {
    if !names.is_empty() {
        let _ = write!(line, " · {word}: {}", names.join(", "));
    }
}

/// Rounded to four places.
fn four(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
