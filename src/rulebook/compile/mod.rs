//! From the merged tree to a rulebook: names resolved, bounds checked, every error reported.

mod certainty;
mod decisions;
pub(super) mod digest;
mod endings;
mod examples;
mod expectations;
mod expressions;
mod leaves;
mod lists;
mod question;
mod settings;
mod signals;

use super::model::Question;
use super::problem::Problems;
use super::signal_texts::SignalTexts;
use super::source::{Node, Section};
use super::{Rulebook, criteria};
use expectations::Vocabulary;
use leaves::Leaves;
use signals::Uses;

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
    let lists = lists::compile(root.named("lists"), problems);
    let mut leaves = Leaves::new(lists, purpose);
    let mut signals = signals::compile(root.named("signals"), &mut leaves, problems);
    let factors = decisions::factors(root.named("factors"), &signals, problems);
    let score = decisions::score(&mut root, &factors);
    let decide = decisions::lines(&mut root, &signals);
    let error_kinds = decisions::error_kinds(&mut root, &signals);
    let errors = settings::errors(&mut root, &signals);
    let hidden_failure = settings::hidden_failure(&mut root, &signals);
    let certainty = certainty::lines(&mut root, &signals, &decide);
    let text = settings::text(&mut root);
    let metadata = settings::metadata(&mut root);
    let schema = settings::schema(&mut root);
    let evidence = endings::evidence(&mut root);
    let because = endings::because(&mut root);
    let endings = endings::endings(&mut root);
    let overall = settings::overall(&mut root);
    let status = settings::status(&mut root);
    let quality = settings::quality(&mut root);
    let criteria = criteria::criteria(&mut root);
    let vocabulary = Vocabulary::of(tree);
    let examples = examples::examples(root.list("examples"), &vocabulary, problems);
    root.finish();

    let uses = Uses {
        factors: &factors,
        decide: &decide,
        error_kinds: &error_kinds,
        certainty: &certainty,
        unreachable: errors.as_ref().and_then(|errors| errors.unreachable.as_ref()),
        hidden_failure: hidden_failure.as_ref(),
        question: errors.as_ref().map_or(Question::Errors, |errors| errors.question),
    };
    let (error_signals, success_signals) = signals.observed(&uses);
    leaves.warn_of_unused(problems);
    let observer = leaves.observer(&signals, [error_signals, success_signals], problems);
    let score = score?;
    let texts = signals.take_examples().into();
    let mut rulebook = Rulebook {
        name: name?.to_owned(),
        about,
        digest: String::new(),
        resolved: String::new(),
        signals: signals.described(&leaves),
        error_signals,
        success_signals,
        factors: score.factors_as_read(factors),
        denominator: score.denominator,
        clamp: score.clamp,
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
        observer: observer?,
        asked: leaves.described(),
        signal_texts: SignalTexts::default(),
        patterns: leaves.into_patterns(),
    };
    if purpose == Purpose::Deciding {
        return Some(rulebook);
    }
    rulebook.digest = digest::digest(&rulebook);
    rulebook.signal_texts.texts = texts;
    Some(rulebook)
}
