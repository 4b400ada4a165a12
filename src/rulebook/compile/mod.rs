//! From the merged tree to a rulebook: names resolved, bounds checked, every error reported.

mod decisions;
pub(super) mod digest;
mod examples;
mod questions;
mod settings;
mod signals;

use super::observe::Observer;
use super::problem::Problems;
use super::signal_texts::SignalTexts;
use super::source::{Node, Section};
use super::{Rulebook, criteria};
use crate::verdict::SignalSet;
use questions::Questions;

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
    let mut factors = decisions::factors(root.named("factors"), &signals, problems);
    let score = decisions::score(&mut root, &mut factors);
    let decide = decisions::lines(&mut root, &signals);
    let error_kinds = decisions::error_kinds(&mut root, &signals);
    let errors = settings::errors(&mut root, &signals);
    let hidden_failure = settings::hidden_failure(&mut root, &signals);
    let certainty = decisions::certainty(&mut root, &signals, &decide);
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
        rulebook.digest = digest::digest(&rulebook);
        rulebook.signal_texts.texts = signals.examples.into();
    }
    Some(rulebook)
}
