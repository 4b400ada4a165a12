//! The hash of everything that can change a verdict.

use crate::rulebook::model::{Meaning, Question, TextRule};
use crate::rulebook::{Criterion, Rulebook};
use crate::verdict::Ending;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_128;

/// The digest of a compiled rulebook: comments, layout, reasons, certainties, examples and the files that its parts
/// came from do not count.
pub(super) fn digest(rulebook: &Rulebook) -> String {
    let Rulebook {
        name: _,
        about: _,
        digest: _,
        resolved: _,
        signals,
        patterns,
        error_signals,
        success_signals,
        factors,
        denominator,
        clamp,
        decide,
        text,
        errors,
        error_kinds,
        certainty: _,
        hidden_failure,
        endings,
        metadata,
        schema,
        evidence,
        because: _,
        overall,
        status,
        quality,
        criteria,
        examples: _,
        warnings: _,
        bases: _,
        observer: _,
        asked: _,
        signal_texts: _,
    } = rulebook;
    // Accepted verdicts and figures name digests: they must not change with the name of a type.
    // What cannot be, because nobody asks for it, is no part of a rulebook.
    let is_told = |at: &Ending| *at != Ending::HiddenRefusal || errors.question != Question::Errors;
    let endings = Ending::ALL.iter().zip(endings).filter(|(at, _)| is_told(at));
    let endings: Vec<String> = endings.map(|(_, meaning)| ending(meaning)).collect();
    let endings = format!("[{}]", endings.join(", "));
    let mut content = String::new();
    for signal in signals {
        // A definition names lists; what they hold is told by the patterns.
        _ = writeln!(content, "{} {} {:?}", signal.name, signal.definition, signal.patterns);
    }
    for pattern in patterns {
        let crate::rulebook::Pattern { list, heading: _, text, title, field, kind, quoted_from } =
            pattern;
        _ = write!(content, "{list:?} {text:?} {field:?} {kind:?}");
        if let Some(title) = title {
            _ = write!(content, " {}", title.name);
        }
        if let Some(from) = quoted_from {
            _ = write!(content, " {from:?}");
        }
        content.push('\n');
    }
    _ = writeln!(
        content,
        "{error_signals:?} {success_signals:?} {factors:?} {denominator} {clamp}"
    );
    let TextRule { source, otherwise, evidence_units, success_bytes, own_words, opens_results } =
        text;
    let text = format!(
        "TextRule {{ source: {source:?}, otherwise: {otherwise:?}, evidence_units: {evidence_units}, \
         success_bytes: {success_bytes} }}{}{}",
        if *own_words { " own words" } else { "" },
        if *opens_results { " opens results" } else { "" }
    );
    _ = writeln!(content, "{decide:?} {text} {errors:?} {error_kinds:?} {hidden_failure:?}");
    _ = writeln!(content, "{endings} {metadata:?} {schema:?} {evidence:?}");
    _ = writeln!(content, "{overall:?} {status:?} {quality:?}");
    for criterion in criteria {
        // What only files of criteria say is the same in every rulebook.
        let Criterion {
            name,
            about: _,
            applies,
            expression,
            raised: _,
            suggestion: _,
            examples: _,
        } = criterion;
        _ = writeln!(content, "{name:?} {applies:?} {:?}", expression.text());
    }
    format!("{:032x}", xxh3_128(content.as_bytes()))
}

/// What an ending means; its evidence changes no verdict.
fn ending(meaning: &Meaning) -> String {
    let Meaning { classification, confidence, is_valid, issue, evidence: _ } = meaning;
    format!(
        "Outcome {{ classification: {classification:?}, confidence: {confidence:?}, \
         is_valid: {is_valid:?}, issue: {issue:?} }}"
    )
}
