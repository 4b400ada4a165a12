//! From the merged tree to a rulebook: names resolved, bounds checked, every error reported.

mod examples;
mod questions;
mod settings;
mod signals;

use super::model::{Meaning, Question, TextRule};
use super::observe::{Observer, SignalTexts};
use super::problem::Problems;
use super::source::{Node, Section};
use super::{Criterion, Pattern, Rulebook, criteria};
use crate::verdict::{Ending, SignalSet};
use questions::Questions;
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Judging,
    /// To decide from hits that are known: what looks at texts is left out, which is nearly all of the
    /// work, and so is the digest.
    Deciding,
}

/// Compiles a merged tree. `None` only together with an error.
pub(super) fn compile(tree: &Node, purpose: Purpose, problems: &Problems) -> Option<Rulebook> {
    let mut root = Section::open(tree, problems)?;
    root.when_extending(&["extends", "remove"]);
    let name = root.require("name", Section::text);
    let about = root.text("about").unwrap_or_default().to_owned();
    let mut questions = Questions::new(root.named("lists"), purpose, problems);
    let signals = signals::compile(root.named("signals"), &mut questions, problems);
    let mut factors = settings::factors(root.named("factors"), &signals, problems);
    let score = settings::score(&mut root, &mut factors);
    let decide = settings::lines(&mut root, &signals);
    let error_kinds = settings::error_kinds(&mut root, &signals);
    let errors = settings::errors(&mut root, &signals);
    let hidden_failure = settings::hidden_failure(&mut root, &signals);
    let certainty = settings::certainty(&mut root, &signals, &decide);
    let text = settings::text(&mut root);
    let metadata = settings::metadata(&mut root);
    let schema = settings::schema(&mut root);
    let evidence = settings::evidence(&mut root);
    let because = settings::because(&mut root);
    let endings = settings::endings(&mut root);
    let overall = settings::overall(&mut root);
    let status = settings::status(&mut root);
    let quality = settings::quality(&mut root);
    let criteria = criteria::criteria(&mut root, None);
    let examples = examples::examples(&mut root, tree);
    root.finish();
    questions.warn_of_unused(problems);

    let (denominator, clamp) = score?;
    let mut rulebook = Rulebook {
        name: name?.to_owned(),
        about,
        digest: String::new(),
        resolved: String::new(),
        signals: signals.described(&questions),
        error_signals: SignalSet::default(),
        success_signals: SignalSet::default(),
        factors,
        denominator,
        clamp,
        decide,
        text: text?,
        errors: errors?,
        error_kinds,
        certainty,
        hidden_failure,
        endings: endings?,
        metadata: metadata?,
        schema: schema?,
        evidence: evidence?,
        because,
        overall: overall?,
        status: status?,
        quality: quality?,
        criteria,
        examples,
        warnings: Vec::new(),
        bases: Vec::new(),
        observer: Observer::default(),
        asked: questions.asked(),
        signal_texts: SignalTexts::default(),
        patterns: Vec::new(),
    };
    let observed = signals.observed(&rulebook);
    [rulebook.error_signals, rulebook.success_signals] = observed;
    rulebook.observer = signals.observer(observed, &questions, problems)?;
    rulebook.patterns = questions.patterns;
    if purpose == Purpose::Judging {
        rulebook.digest = digest(&rulebook);
        rulebook.signal_texts.texts = signals.examples.into();
    }
    Some(rulebook)
}

/// The digest of a compiled rulebook: comments, layout, reasons, certainties, examples and the files that its parts
/// came from do not count.
fn digest(rulebook: &Rulebook) -> String {
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
        let Pattern { list, heading: _, text, title, field, kind, quoted_from } = pattern;
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
    let kinds = error_kinds.iter();
    let kinds: Vec<_> =
        kinds.map(|it| (&it.name, it.who, it.of_refusals, &it.endings, &it.condition)).collect();
    _ = writeln!(content, "{decide:?} {text} {errors:?} {kinds:?} {hidden_failure:?}");
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
