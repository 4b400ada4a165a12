//! A tuning as one JSON object.

use super::Report;
use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use crate::tune::{FORMAT, Finding, Gain, LabelledReply, Measured, Phrase};
use serde_json::{Value, json};

impl Report<'_> {
    /// Everything, for programs.
    pub(super) fn json(&self) -> String {
        let learned = &self.study.learned;
        let folds: Vec<Value> = self
            .study
            .folds
            .iter()
            .map(|fold| {
                let servers: Vec<&str> = fold.servers.iter().map(|at| self.server(*at)).collect();
                json!({
                    "servers": servers,
                    "replies": fold.before.items(),
                    "before": measures(&fold.before),
                    "after": measures(&fold.after),
                    "classifier": fold.classifier.as_ref().map(measures),
                })
            })
            .collect();
        let json = json!({
            "format": FORMAT,
            "rulebook": self.start.name,
            "objective": self.fit.objective.to_string(),
            "seed": self.fit.seed,
            "labelled_replies": self.replies.all.len(),
            "servers": self.replies.servers.len(),
            "verdict": match (self.is_real, self.gain.finding) {
                (true, _) => "gain",
                (false, Finding::TooFewServers) => "unknown",
                (false, _) => "no gain",
            },
            "before": self.gain.before.value,
            "after": self.gain.after.value,
            "gain": self.gain.gain.value,
            "errors": self.gain,
            "hidden_failures": self.hidden,
            "over_classifier": {
                "errors": self.over_classifier[0],
                "hidden_failures": self.over_classifier[1],
                "says": self.over_classifier.iter().flatten().map(beaten).collect::<Vec<_>>(),
            },
            "folds": folds,
            "changes": learned.changes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "proposals": learned.phrases.iter().map(|it| self.proposal(it)).collect::<Vec<_>>(),
            "breaking_examples": self.breaking,
            "labelled_flips": self.becoming().map(|replies| {
                replies.into_iter().map(|it| self.labelled_flip(it)).collect::<Vec<_>>()
            }).concat(),
            "variants": self.variants_json(),
            "flips": self.flips.map(|flips| crate::compare::show::as_json(&flips.comparison)),
        });
        format!("{json:#}\n")
    }

    /// The name of a server.
    pub(super) fn server(&self, number: u32) -> &str {
        self.replies.servers.get(number as usize).map_or("", String::as_str)
    }

    fn labelled_flip(&self, reply: &LabelledReply) -> Value {
        let after = reply.answer(&self.study.learned.rulebook);
        json!({
            "file": reply.file,
            "line": reply.line,
            "server": self.server(reply.server),
            "tool": reply.tool,
            "label": reply.label,
            "before": reply.answer(self.start),
            "after": after,
            "right": after == Some(reply.label),
        })
    }

    fn proposal(&self, phrase: &Phrase) -> Value {
        json!({
            "phrase": phrase.text,
            "class": phrase.label,
            "replies": phrase.evidence.replies,
            "servers": phrase.evidence.servers,
            "other_replies": phrase.evidence.other_replies,
            "other_servers": phrase.evidence.other_servers,
            "wordings": phrase.evidence.wordings,
            "good_servers": phrase.evidence.good_servers,
            "strength": phrase.strength,
            "known": phrase.known,
            "share": phrase.share,
            "taken": self.is_taken(phrase),
            "examples": self.examples_json(&phrase.evidence.examples),
        })
    }

    pub(super) fn examples_json(&self, examples: &[usize]) -> Vec<Value> {
        let replies = examples.iter().filter_map(|at| self.replies.all.get(*at));
        let json = |it: &LabelledReply| json!({"file": it.file, "line": it.line, "text": it.text});
        replies.map(json).collect()
    }
}

fn measures(confusion: &Confusion) -> Value {
    json!({
        "balanced_accuracy": confusion.balanced_accuracy(),
        "business_logic_recall": confusion.recall(Label::BusinessLogic).value(),
        "tool_failure_recall": confusion.recall(Label::ToolFailure).value(),
        "hidden_failure_precision": confusion.precision(Label::HiddenFailure).value(),
        "hidden_failure_recall": confusion.recall(Label::HiddenFailure).value(),
    })
}

/// Whether a tuned rulebook is better than a classifier, and by how much.
pub(super) fn beaten(gain: &Gain) -> String {
    let Measured { value, low, high, .. } = gain.gain;
    let interval = format!("{low:+.3} to {high:+.3}");
    if low > 0.0 {
        format!("the tuned rulebook beats it by {value:.3} ({interval})")
    } else if high < 0.0 {
        format!("the tuned rulebook does not reach it: {:.3} less ({interval})", -value)
    } else {
        let than = if value < 0.0 { "less" } else { "more" };
        format!(
            "the tuned rulebook does not beat it: {:.3} {than} ({interval} includes 0)",
            value.abs()
        )
    }
}
