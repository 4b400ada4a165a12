//! What is odd about a rulebook: by itself, and by what it makes of recordings and labels.
//!
//! Each [`Rule`] looks for one kind of oddity and yields [`Finding`]s: what, where it stands, the
//! evidence with its counts, and what to do about it.

mod benign;
mod decisive;
mod inert;
mod patterns;
mod subject;

pub use benign::silent;
pub use subject::JudgedCorpus;

use super::Finding;
use crate::rulebook::{Decision, Factor, Field, LeafSet, Observing, Places, Rulebook};
use crate::run::run_examples;
use crate::verdict::Severity;
use std::cmp::Reverse;
use subject::Subject;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Rule {
        /// An example comes out otherwise.
        FailingExample = "failing_example",
        /// It turns a verdict whatever else is there.
        DecisiveAlone = "decisive_alone",
        /// It hits replies in which nothing failed.
        HitsBenign = "hits_benign",
        /// It can turn no verdict.
        Inert = "inert",
        /// A decision line answers no before its score is compared.
        Overruled = "overruled",
        /// The same is looked for twice.
        Duplicate = "duplicate",
        /// Whatever it finds, another of the same question finds too.
        Subsumed = "subsumed",
        /// It never hit, held or answered.
        Dead = "dead",
    }
}

impl Rule {
    pub fn advice(self) -> &'static str {
        match self {
            Self::FailingExample => {
                "correct the rulebook, or the example if it is the one that is wrong"
            }
            Self::DecisiveAlone => {
                "lower its weight, raise the threshold, or add another condition to its line; \
                 leave it if one word really is enough"
            }
            Self::HitsBenign => {
                "narrow it, or let it count only together with other signs of failure"
            }
            Self::Inert => "remove it, or give it a weight that can matter",
            Self::Overruled => {
                "add its signal to the condition of that line (guide: `textual_evidence`)"
            }
            Self::Duplicate => "keep one of them; where both are meant to count, say so in `about`",
            Self::Subsumed => {
                "remove the pattern that contains another one; for patterns that only match \
                 together, look at other recordings first"
            }
            Self::Dead => {
                "nothing, if you know such replies; otherwise remove it, or record more servers"
            }
        }
    }
}

/// The name and the place of something in a rulebook.
type Named = (String, Option<String>);

fn found(rule: Rule, severity: Severity, (name, place): Named, evidence: String) -> Finding {
    let advice = rule.advice().to_owned();
    Finding { place, evidence, advice, ..Finding::new(severity, rule.name(), name) }
}

/// What is held against the rules.
#[derive(Clone, Copy, Debug)]
pub struct Linted<'a> {
    pub rulebook: &'a Rulebook,
    pub places: &'a Places,
    /// What it judged, if anything.
    pub seen: Option<&'a JudgedCorpus<'a>>,
}

/// All findings: rule by rule, the worst first, then those with the most evidence.
pub fn lint(linted: &Linted<'_>) -> Vec<Finding> {
    let subject = Subject::new(linted);
    let mut findings = examples(linted.rulebook);
    decisive::find(&subject, &mut findings);
    benign::find(&subject, &mut findings);
    inert::find(&subject, &mut findings);
    findings.extend(linted.rulebook.factors.iter().filter_map(|it| overruled(&subject, it)));
    patterns::find(&subject, &mut findings);
    inert::dead(&subject, &mut findings);
    findings.sort_by_key(|finding| {
        let rule = Rule::ALL.iter().position(|rule| rule.name() == finding.rule);
        (rule, finding.severity, Reverse(finding.weight))
    });
    findings
}

/// Examples that come out otherwise.
fn examples(rulebook: &Rulebook) -> Vec<Finding> {
    let mismatches = run_examples(rulebook).into_iter().map(|mismatch| {
        (format!("examples.{}", mismatch.example), mismatch.place, mismatch.difference)
    });
    let texts = rulebook.broken_examples().into_iter().map(|broken| {
        let problem = broken.problem;
        ("signals".to_owned(), format!("{}:{}", problem.file, problem.line), problem.message)
    });
    let failing = |(name, place, evidence)| {
        found(Rule::FailingExample, Severity::Error, (name, Some(place)), evidence)
    };
    mismatches.chain(texts).map(failing).collect()
}

/// Whether a factor's score alone reaches the threshold, while a line before it answers no.
fn overruled(subject: &Subject<'_>, factor: &Factor) -> Option<Finding> {
    let rulebook = subject.rulebook;
    let mut patterns = rulebook.signals[factor.signal].patterns.iter();
    // A factor that looks at the call alone may well be told to wait for a text.
    if !patterns.any(|it| rulebook.patterns[usize::from(*it)].field == Field::Text) {
        return None;
    }
    let forced = Some((factor.signal, true));
    let decided = rulebook.decide(subject.signals(Observing::Errors, LeafSet::default(), forced));
    let line = rulebook.decide.get(usize::from(decided.weighing.line?))?;
    let threshold = decided.weighing.threshold.filter(|it| decided.weighing.score >= *it)?;
    (line.decision == Decision::Return(false)).then(|| {
        let evidence = format!(
            "alone it makes a score of {:.4}, which reaches the threshold {threshold}, but the line \"{}\" answers no first",
            decided.weighing.score, line.name
        );
        found(Rule::Overruled, Severity::Warning, subject.factor(factor), evidence)
    })
}
