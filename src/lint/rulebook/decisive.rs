//! Signals that turn a verdict alone.

use super::finding::{Finding, Rule};
use super::seen::{Observed, Seen};
use super::subject::{KINDS, Subject, most, replies, verdict};
use crate::labels::Label;
use crate::rulebook::{LeafSet, Observing};
use crate::verdict::{
    Answer, Conclusion, Ground, Observed as OfCall, Severity, Signals, counted, grouped,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// So many patterns are named.
const SHOWN: usize = 5;
/// From so many labels on, a share of right answers says something.
const ENOUGH: u64 = 5;
/// What decides alone ought to be right at least so often.
const RIGHT: f64 = 0.75;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for signal in 0..subject.rulebook.signals.len() {
        for which in KINDS {
            let turned = [answer(subject, signal, which), hidden(subject, signal, which)];
            let turns: Vec<String> = turned.into_iter().flatten().collect();
            if !turns.is_empty() {
                findings.push(finding(subject, signal, which, turns.join("; ")));
            }
        }
    }
}

/// How a signal turns the answer about a reply of which nothing else holds, in words.
fn answer(subject: &Subject<'_>, signal: usize, which: Observing) -> Option<String> {
    let rulebook = subject.rulebook;
    let [without, with] = alone(subject, signal, which)?;
    let (is_refusal, weighing) = (with.business_logic()?, with.weighing?);
    if without.business_logic() == Some(is_refusal) {
        return None;
    }
    let answer = if is_refusal { Label::BusinessLogic } else { Label::ToolFailure };
    let line = weighing.line.and_then(|line| rulebook.decide.get(usize::from(line)));
    let line = line.map_or("nothing", |line| line.name.as_str());
    let how = match (line, weighing.threshold) {
        (line, Some(threshold)) if is_refusal && weighing.score >= threshold => format!(
            "its score {} reaches the threshold {} of line \"{line}\"",
            four(weighing.score),
            four(threshold)
        ),
        (line, _) => format!("line \"{line}\" decides"),
    };
    let reply = match which {
        Observing::Errors => "an error",
        Observing::Successes | Observing::HiddenFailures => "a reply that claims success",
    };
    Some(format!("it alone makes {reply} {}: {how}", answer.name()))
}

/// How a signal makes a hidden failure of a reply that claims success and of which nothing else holds.
fn hidden(subject: &Subject<'_>, signal: usize, which: Observing) -> Option<String> {
    let answers = alone(subject, signal, which)?.map(|concluded| concluded.answer);
    matches!(answers, [Answer::Fine, Answer::HiddenFailure | Answer::HiddenRefusal])
        .then(|| "it alone makes a reply a hidden failure".to_owned())
}

/// What is concluded of a reply of which nothing holds, and of one of which only this signal does.
fn alone(subject: &Subject<'_>, signal: usize, which: Observing) -> Option<[Conclusion; 2]> {
    let rulebook = subject.rulebook;
    let ground = match which {
        Observing::Errors => Ground::Error,
        Observing::Successes | Observing::HiddenFailures => Ground::Content,
    };
    rulebook.observed_signals(which).contains(&signal).then(|| {
        [false, true].map(|holds| {
            let signals = rulebook.signals_where(which, LeafSet::default(), (signal, holds));
            rulebook.conclude(&OfCall::new(ground, Signals::Of(signals)))
        })
    })
}

fn four(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

fn finding(subject: &Subject<'_>, signal: usize, which: Observing, turns: String) -> Finding {
    let mut evidence = turns;
    let ignores = subject.ignores_the_reply(signal);
    if ignores {
        evidence += "; it looks at the call and not at the reply";
        let enough = enough(subject, signal, which);
        if enough > 1 {
            let _ = write!(evidence, ", and any one of {} patterns is enough", grouped(enough));
        }
    }
    let mut severity = if ignores { Severity::Warning } else { Severity::Info };
    let mut counts = Vec::new();
    let mut weight = 0;
    if let Some(seen) = subject.seen {
        let reach = Reach::of(subject, seen, signal, which);
        weight = reach.exchanges;
        counts = vec![
            ("exchanges", reach.exchanges),
            ("labelled", reach.labelled),
            ("labelled_right", reach.right),
        ];
        evidence += &reach.words(subject, which);
        if reach.labelled >= ENOUGH && (reach.right as f64) < RIGHT * reach.labelled as f64 {
            severity = Severity::Warning;
        }
    }
    Finding {
        rule: Rule::DecisiveAlone,
        severity,
        name: subject.signal_name(signal),
        place: subject.place_of_signal(signal),
        evidence,
        counts,
        weight,
    }
}

/// How many patterns there are of which each makes the signal hold alone.
fn enough(subject: &Subject<'_>, signal: usize, which: Observing) -> u64 {
    let asked = subject.rulebook.asked().iter().enumerate();
    let of = asked.map(|(question, asked)| {
        let mut yes = LeafSet::default();
        yes.insert(question);
        let is_enough = subject.rulebook.signals_when(which, yes).has(signal);
        if is_enough { asked.patterns.len() as u64 } else { 0 }
    });
    of.sum()
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
    fn of(subject: &Subject<'_>, seen: &Seen<'_>, signal: usize, which: Observing) -> Self {
        let mut reach = Self::default();
        let own = &subject.rulebook.signals[signal].patterns;
        for observed in seen.observed.iter().filter(|it| it.which == which) {
            reach.replies += observed.exchanges;
            if !subject.can_tell(observed, signal) {
                reach.unknown += observed.exchanges;
                continue;
            }
            if !observed.holds(signal) || !turned(subject, observed, signal) {
                continue;
            }
            reach.exchanges += observed.exchanges;
            for hit in &observed.hits {
                if own.iter().any(|pattern| usize::from(*pattern) == *hit) {
                    *reach.patterns.entry(*hit).or_default() += observed.exchanges;
                }
            }
            let answer = Label::of(observed.verdict);
            for (_, label) in seen.labels_of(observed) {
                // A success is `ok` or a hidden failure: of what a rulebook that asks of every reply
                // calls a refusal or a failure, that says neither that it is right nor that it is not.
                let is_about_it = answer.is_none_or(|it| is_of_errors(it) == is_of_errors(*label));
                if !is_about_it {
                    reach.incomparable += 1;
                    continue;
                }
                reach.labelled += 1;
                reach.right += u64::from(answer == Some(*label));
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
            let _ = write!(
                words,
                ", right for {} of {}",
                grouped(self.right),
                counted(self.labelled, "labelled one")
            );
        }
        if self.incomparable > 0 {
            let _ = write!(
                words,
                "; whether it is right about {} is unknown: labels of successes are ok or \
                 hidden_failure",
                counted(self.incomparable, "labelled one"),
            );
        }
        let patterns = self.patterns.iter().map(|(at, count)| (subject.names[*at].clone(), *count));
        let patterns: Vec<(String, u64)> = patterns.collect();
        if !patterns.is_empty() {
            let _ = write!(words, "; by {}", most(patterns, SHOWN));
        }
        words
    }
}

fn is_of_errors(label: Label) -> bool {
    match label {
        Label::BusinessLogic | Label::ToolFailure => true,
        Label::Ok | Label::HiddenFailure => false,
    }
}

/// Whether the verdict is another one without the signal.
fn turned(subject: &Subject<'_>, observed: &Observed<'_>, signal: usize) -> bool {
    let now = subject.concluded(observed, None);
    let without = subject.concluded(observed, Some((signal, false)));
    verdict(&now) != verdict(&without)
}
