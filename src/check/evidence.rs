//! Why a verdict is what it is: worked out only for those who look.

use super::judged_text::{cut_utf16, error_text, rpc_error_text, shown_text, success_text};
use super::unwrapped::Inner;
use crate::recording::{Exchange, Reply};
use crate::rulebook::{EvidenceWording, Rulebook, TextSource};
use crate::verdict::{ResponseMetadata, SchemaOutcome, Verdict};

/// The reasons for a verdict, in the rulebook's words and in order.
pub fn evidence(exchange: &Exchange<'_>, verdict: &Verdict, rulebook: &Rulebook) -> Vec<String> {
    if let Some(inner) = Inner::of(exchange, rulebook) {
        return of_reply(&inner.reply_of(exchange), verdict, rulebook);
    }
    of_reply(exchange, verdict, rulebook)
}

fn of_reply(exchange: &Exchange<'_>, verdict: &Verdict, rulebook: &Rulebook) -> Vec<String> {
    let words = &rulebook.evidence;
    let units = rulebook.text.evidence_units;
    let mut reasons = match &exchange.reply {
        Reply::Document(_) | Reply::None => Vec::new(),
        Reply::Error(error) => of_error(words, cut_utf16(&rpc_error_text(error), units)),
        Reply::Result(result) if result.is_error => match rulebook.text.source {
            TextSource::FirstTextBlock => {
                of_error(words, &shown_text(result, units, &words.unknown_error))
            }
            TextSource::AllText => match error_text(result, &rulebook.text) {
                text if text.is_empty() => vec![words.responded_with_error.clone()],
                text => of_error(words, cut_utf16(&text, units)),
            },
        },
        Reply::Result(_) if !rulebook.taken_for(verdict.ground).has_content() => Vec::new(),
        Reply::Result(result) => {
            let mut reasons = vec![words.has_content.clone()];
            if let Some(metadata) = &verdict.metadata {
                of_content(&mut reasons, metadata, rulebook);
            }
            if verdict.conclusion.hidden_failure() == Some(true) {
                let text = success_text(result, &rulebook.text);
                reasons.push(words.error_text.replace("{text}", cut_utf16(&text, units)));
            }
            reasons
        }
    };
    let ending = &rulebook.meaning(verdict.conclusion.ending).evidence;
    if let Some((first, ending)) = reasons.first_mut().zip(ending.as_ref()) {
        first.clone_from(ending);
    }
    reasons
}

fn of_error(words: &EvidenceWording, text: &str) -> Vec<String> {
    vec![words.responded_with_error.clone(), words.error_text.replace("{text}", text)]
}

fn of_content(reasons: &mut Vec<String>, metadata: &ResponseMetadata, rulebook: &Rulebook) {
    let words = &rulebook.evidence;
    for (count, counted) in metadata.counts.iter().zip(&rulebook.metadata.counted) {
        if let Some(template) = counted.evidence.as_ref().filter(|_| *count > 0) {
            reasons.push(template.replace("{n}", &count.to_string()));
        }
    }
    if metadata.has_structured_content {
        reasons.push(words.has_structured_content.clone());
    }
    if metadata.has_meta {
        reasons.push(words.has_meta.clone());
    }
    if let Some(schema) = &metadata.output_schema {
        match schema.outcome {
            SchemaOutcome::Valid => reasons.push(words.schema_passed.clone()),
            SchemaOutcome::Invalid | SchemaOutcome::NoJson => {
                let error = schema.error.as_deref().unwrap_or_default();
                reasons.push(words.schema_failed.replace("{error}", error));
            }
            SchemaOutcome::Uncompilable | SchemaOutcome::Undecided => {}
        }
    }
}
