//! Signals that turn a verdict alone.

use super::subject::{JudgedCorpus, KINDS, Observed, Subject, replies, verdict};
use super::{Finding, Rule, found};
use crate::labels::Class;
use crate::rulebook::{Field, LeafSet, Observing};
use crate::verdict::{
    Answer, Conclusion, Ground, Observed as OfCall, Severity, Signals, counted, cut, grouped,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// So many patterns are named, and so many characters of a name are shown.
const SHOWN: usize = 5;
const NAME: usize = 60;
/// From so many labels on, a share of right answers says something.
const ENOUGH: u64 = 5;
/// What decides alone ought to be right at least so often.
const RIGHT: f64 = 0.75;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for signal in 0..subject.rulebook.signals.len() {
        for which in KINDS {
            let Some(alone) = alone(subject, signal, which) else { continue };
            let mut turns: Vec<String> = answer(subject, which, alone).into_iter().collect();
            if let [Answer::Fine, Answer::HiddenFailure | Answer::HiddenRefusal] =
                alone.map(|concluded| concluded.judgement.answer)
            {
                turns.push("it alone makes a reply a hidden failure".to_owned());
            }
            if !turns.is_empty() {
                findings.push(finding(subject, signal, which, turns.join("; ")));
            }
        }
    }
}

/// What is concluded of a reply of which nothing holds, and of one of which only this signal does.
fn alone(subject: &Subject<'_>, signal: usize, which: Observing) -> Option<[Conclusion; 2]> {
    let ground = match which {
        Observing::Errors => Ground::Error,
        Observing::Successes | Observing::HiddenFailures => Ground::Content,
    };
    subject.rulebook.observed_signals(which).has(signal).then(|| {
        [false, true].map(|holds| {
            let signals = subject.signals(which, LeafSet::default(), Some((signal, holds)));
            subject.rulebook.conclude(&OfCall::new(ground, Signals::Of(signals)))
        })
    })
}

/// How a signal turns the answer about a reply of which nothing else holds, in words.
fn answer(
    subject: &Subject<'_>,
    which: Observing,
    [without, with]: [Conclusion; 2],
) -> Option<String> {
    let (is_refusal, weighing) = (with.business_logic()?, with.weighing?);
    if without.business_logic() == Some(is_refusal) {
        return None;
    }
    let answer = if is_refusal { Class::Refused } else { Class::Failed };
    let line = weighing.line.and_then(|line| subject.rulebook.decide.get(usize::from(line)));
    let line = line.map_or("nothing", |line| line.name.as_str());
    let reached = weighing.threshold.filter(|it| is_refusal && weighing.score >= *it);
    let how = match reached {
        Some(threshold) => {
            let [score, threshold] =
                [weighing.score, threshold].map(|it| (it * 10_000.0).round() / 10_000.0);
            format!("its score {score} reaches the threshold {threshold} of line \"{line}\"")
        }
        None => format!("line \"{line}\" decides"),
    };
    let reply = match which {
        Observing::Errors => "an error",
        Observing::Successes | Observing::HiddenFailures => "a reply that claims success",
    };
    Some(format!("it alone makes {reply} {}: {how}", answer.name()))
}

fn finding(subject: &Subject<'_>, signal: usize, which: Observing, turns: String) -> Finding {
    let mut evidence = turns;
    let ignores = ignores_the_reply(subject, signal);
    if ignores {
        evidence += "; it looks at the call and not at the reply";
        // How many patterns there are of which each makes the signal hold alone.
        let asked = subject.rulebook.asked().iter().enumerate();
        let enough = asked.filter(|(question, _)| subject.signals_by(which, *question).has(signal));
        let enough: usize = enough.map(|(_, asked)| asked.patterns.len()).sum();
        if enough > 1 {
            let enough = grouped(enough as u64);
            let _ = write!(evidence, ", and any one of {enough} patterns is enough");
        }
    }
    let severity = if ignores { Severity::Warning } else { Severity::Info };
    let mut finding = found(Rule::DecisiveAlone, severity, subject.signal(signal), evidence);
    if let Some(seen) = subject.linted.seen {
        let reach = Reach::of(subject, seen, signal, which);
        finding.weight = reach.exchanges;
        finding.counts = BTreeMap::from([
            ("exchanges", reach.exchanges),
            ("labelled", reach.labelled),
            ("labelled_right", reach.right),
        ]);
        finding.evidence += &reach.words(subject, which);
        if reach.labelled >= ENOUGH && (reach.right as f64) < RIGHT * reach.labelled as f64 {
            finding.severity = Severity::Warning;
        }
    }
    finding
}

/// Whether a signal looks at nothing but what the reply is about: the tool, its input, the scenario.
fn ignores_the_reply(subject: &Subject<'_>, signal: usize) -> bool {
    let patterns = &subject.rulebook.signals[signal].patterns;
    let field = |pattern: &u16| subject.rulebook.patterns[usize::from(*pattern)].field;
    let is_of_call =
        |pattern| matches!(field(pattern), Field::Tool | Field::Input | Field::Scenario);
    !patterns.is_empty() && patterns.iter().all(is_of_call)
}

/// The exchanges that are judged so by one signal alone: without it they would not be.
#[derive(Default)]
struct Reach {
    replies: u64,
    /// Those of which what is kept does not tell what the verdict would be.
    unknown: u64,
    exchanges: u64,
    labelled: u64,
    right: u64,
    /// Those whose labels answer another question than the verdict.
    incomparable: u64,
    patterns: BTreeMap<usize, u64>,
}

impl Reach {
    fn of(subject: &Subject<'_>, seen: &JudgedCorpus<'_>, signal: usize, which: Observing) -> Self {
        let mut reach = Self::default();
        let own = &subject.rulebook.signals[signal].patterns;
        for observed in seen.observed.iter().filter(|it| it.which == which) {
            reach.replies += observed.exchanges;
            if !subject.can_tell(observed, signal) {
                reach.unknown += observed.exchanges;
                continue;
            }
            if !observed.signals.has(signal) || !turned(subject, observed, signal) {
                continue;
            }
            reach.exchanges += observed.exchanges;
            let is_own = |hit: &&usize| own.iter().any(|pattern| usize::from(*pattern) == **hit);
            for hit in observed.hits.iter().filter(is_own) {
                *reach.patterns.entry(*hit).or_default() += observed.exchanges;
            }
            let answer = Class::of(observed.verdict);
            for (_, label) in seen.labelled.get(&observed.number).into_iter().flatten() {
                // A success is `ok` or a hidden failure: of what a rulebook that asks of every reply
                // calls a refusal or a failure, that says neither that it is right nor that it is not.
                if answer.is_some_and(|it| is_of_errors(it) != is_of_errors(*label)) {
                    reach.incomparable += 1;
                    continue;
                }
                reach.labelled += 1;
                reach.right += u64::from(label.is_met_by(answer));
            }
        }
        reach
    }

    fn words(&self, subject: &Subject<'_>, which: Observing) -> String {
        let all = replies(self.replies, which);
        let unknown = match self.unknown {
            0 => String::new(),
            unknown => format!(
                " (unknown for {}: two of their texts are examined, and the matches of only one \
                 are kept)",
                grouped(unknown)
            ),
        };
        if self.exchanges == 0 {
            return format!("; none of {all} depends on it alone{unknown}");
        }
        let mut words = format!(
            "; {} of {all} would be classified differently without it{unknown}",
            grouped(self.exchanges)
        );
        if self.labelled > 0 {
            let of = counted(self.labelled, "labelled one");
            let _ = write!(words, ", right for {} of {of}", grouped(self.right));
        }
        if self.incomparable > 0 {
            let _ = write!(
                words,
                "; whether it is right about {} is unknown: labels of successes say whether they \
                 worked",
                counted(self.incomparable, "labelled one"),
            );
        }
        let mut patterns: Vec<(&str, u64)> =
            self.patterns.iter().map(|(at, count)| (&*subject.names[*at], *count)).collect();
        patterns.sort_by(|one, two| two.1.cmp(&one.1).then_with(|| one.0.cmp(two.0)));
        let more = patterns.len().saturating_sub(SHOWN);
        let named = patterns.iter().take(SHOWN);
        let mut named: Vec<String> =
            named.map(|(name, count)| format!("{} {}", cut(name, NAME), grouped(*count))).collect();
        named.extend((more > 0).then(|| format!("and {more} more")));
        if !named.is_empty() {
            let _ = write!(words, "; by {}", named.join(", "));
        }
        words
    }
}

fn is_of_errors(label: Class) -> bool {
    matches!(label, Class::Refused | Class::Failed)
}

/// Whether the verdict is another one without the signal.
fn turned(subject: &Subject<'_>, observed: &Observed<'_>, signal: usize) -> bool {
    let now = subject.concluded(observed, None);
    verdict(&now) != verdict(&subject.concluded(observed, Some((signal, false))))
}
