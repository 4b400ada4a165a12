//! What was said of an exchange, as one line.

use crate::store::NamedVerdict;
use crate::verdict::Answer;
use std::fmt::Write as _;

impl NamedVerdict {
    /// All that was said, in one line: the verdict, then why. Recorded words stand as they are.
    pub fn line(&self) -> String {
        let mut line =
            format!("{} · {} {}", self.outcome.name(), self.class.name(), four(self.confidence));
        let answer = self.standing().answer;
        if answer != Answer::NotAsked {
            let _ = write!(line, " · {}", answer.words());
        }
        if let Some(score) = self.score {
            let _ = write!(line, " {}", four(score));
            if let Some(threshold) = self.threshold {
                let _ = write!(line, " of {}", four(threshold));
            }
        }
        if let Some(decided_by) = &self.decided_by {
            let _ = write!(line, " by \"{decided_by}\"");
        }
        if let Some(code) = &self.error_code {
            let _ = write!(line, " · code {code}");
        }
        if let Some(kind) = &self.error_kind {
            let _ = write!(line, " · {kind}");
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
        line
    }
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
