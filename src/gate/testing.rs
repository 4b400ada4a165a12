//! Two sides as lines, and what comes of comparing them, for the tests of this module.
//!
//! ```text
//! 60 github worked -> worked
//! 2 files refused -> failed because verbs/cannot
//! 1 files worked -> -
//! after unreadable 5
//! ```

use super::{Evidence, GateReport, NotComparable, Policy, evaluate};
use crate::compare::testing::{cause, header, side_of};
use crate::compare::{Comparison, Entry, Explanation, Header, Names, Side, UnreadableFiles};
use crate::compare::{compare, compare_with, match_sides, testing};
use crate::count::duration_bucket;
use crate::labels::{Class, Labelled};
use crate::recording::{Day, Fate, Key};
use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use crate::verdict::{Classification, Outcome, Who};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Scene {
    pub(super) before: Side,
    pub(super) after: Side,
    pub(super) comparison: Comparison,
    labels: Labelled,
    today: Day,
}

/// `worked`, or `worked+error_no_reply+info_style_issue` with issues.
fn verdict(text: &str) -> NamedVerdict {
    let (word, issues) = text.split_once('+').unwrap_or((text, ""));
    let mut verdict = match word {
        "worked" => testing::verdict(),
        "refused" => testing::error(Classification::FullyWorking, true),
        "failed" => testing::error(Classification::Error, false),
        "no_key" => NamedVerdict { who: Some(Who::Operator), ..self::verdict("refused") },
        "no_program" => NamedVerdict { who: Some(Who::Operator), ..self::verdict("failed") },
        "unknown" => NamedVerdict { outcome: Outcome::Unknown, ..testing::verdict() },
        "timed_out" => NamedVerdict { fate: Fate::TimedOut, ..self::verdict("unknown") },
        other => panic!("no verdict: {other}"),
    };
    let issues = issues.split('+').filter(|issue| !issue.is_empty());
    verdict.issues = issues.map(|issue| issue.replacen('_', " ", 1)).collect();
    verdict
}

fn empty_side(name: &str) -> Side {
    let header = Header {
        unreadable: Some(2),
        unreadable_files: Some(UnreadableFiles::default()),
        ..header(name)
    };
    side_of(header, Vec::new(), Vec::new(), Names::from_iter(["get", "a/recording.jsonl"]))
}

/// Adds a call to a side, with the number of what was said of it.
fn add(side: &mut Side, server: &str, number: usize, verdict: usize) {
    let key = Key(number as u128);
    side.entries.push(Entry {
        key,
        verdict: u32::try_from(verdict).expect("few"),
        request: key,
        server: side.names.number(server),
        tool: 0,
        file: 1,
        line: u32::try_from(number).expect("few"),
        is_error_case: false,
        took: None,
    });
}

/// `COUNT SERVER BEFORE -> AFTER`, then perhaps `because CAUSE`: a verdict is `-` where the side has no such call.
fn add_calls(scene: &mut Scene, causes: &mut Vec<String>, number: &mut usize, line: &str) {
    let (calls, because) =
        line.split_once(" because ").unwrap_or((line, "business_patterns/not found"));
    let words: Vec<&str> = calls.split(' ').collect();
    let [count, server, before, "->", after] = words[..] else { panic!("{line}") };
    causes.push(because.to_owned());
    for (side, said) in [(&mut scene.before, before), (&mut scene.after, after)] {
        side.verdicts.push(verdict(if said == "-" { "worked" } else { said }));
    }
    for _ in 0..count.parse().expect("a count") {
        *number += 1;
        for (side, said) in [(&mut scene.before, before), (&mut scene.after, after)] {
            if said != "-" {
                add(side, server, *number, causes.len() - 1);
            }
        }
    }
}

fn numbers(text: &str) -> Range<u32> {
    let number = |text: &str| text.parse().expect("a number");
    text.split_once("..")
        .map_or_else(|| number(text)..number(text) + 1, |(from, to)| number(from)..number(to))
}

/// `after unreadable 5`, `both rulebook guide`, `labels ok 0..60` and the like.
fn set(scene: &mut Scene, line: &str) {
    let (what, rest) = line.split_once(' ').expect("a setting");
    let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
    let sides = match what {
        "labels" => return set_labels(&mut scene.labels, name, value),
        "before" => vec![&mut scene.before],
        "after" => vec![&mut scene.after],
        _ => vec![&mut scene.before, &mut scene.after],
    };
    for side in sides {
        match name {
            "unreadable" => side.header.unreadable = value.parse().ok(),
            "damaged" => {
                let of = |damaged| UnreadableFiles { damaged, ..UnreadableFiles::default() };
                side.header.unreadable_files = value.parse().ok().map(of);
            }
            "digest" => value.clone_into(&mut side.header.rulebook.digest),
            "rulebook" => side.rulebook = Rulebook::builtin(value).ok().map(Into::into),
            "requests" => side.entries.iter_mut().for_each(|entry| entry.request.0 += 1000),
            "error-cases" => side.entries.iter_mut().for_each(|entry| entry.is_error_case = true),
            "times" => {
                let (server, factor) = value.split_once(' ').expect("a server and a factor");
                let (server, factor) = (side.names.number(server), factor.parse().expect("one"));
                for (at, entry) in (40_u32..).zip(&mut side.entries) {
                    let factor = if entry.server == server { factor } else { 1.0 };
                    entry.took = duration_bucket(f64::from(at) * factor);
                }
            }
            _ => panic!("no setting: {line}"),
        }
    }
}

fn set_labels(labels: &mut Labelled, name: &str, value: &str) {
    match name {
        "unmatched" => labels.unmatched = value.parse().expect("a count"),
        "cannot-tell" => labels.cannot_tell = Some(value.to_owned()),
        _ => {
            let label = Class::of_name(name).expect("a class");
            labels.of.extend(numbers(value).map(|at| (at, label)));
        }
    }
}

/// The scene of these lines, which `;` may separate too.
pub(super) fn scene(text: &str) -> Scene {
    let mut scene = Scene::of(empty_side("before"), empty_side("after"));
    let (mut causes, mut number) = (Vec::new(), 0);
    for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with(char::is_numeric) {
            add_calls(&mut scene, &mut causes, &mut number, line);
        } else {
            set(&mut scene, line);
        }
    }
    let sides = [&scene.before, &scene.after];
    let [before, after] = sides.map(|side| &side.header.rulebook.digest);
    scene.comparison = if before == after {
        let causes_of = |said: u32| {
            let all = causes[said as usize]
                .split(',')
                .map(|name| cause(name, &format!("pattern '{name}' no longer matches")));
            let all: Vec<Explanation> = all.collect();
            let causes = all.iter().flat_map(|one| one.causes.clone()).collect();
            Explanation { causes, ..all[0].clone() }
        };
        compare_with(sides, match_sides(sides[0], sides[1]), |questions| {
            questions.iter().map(|(_, after, ..)| causes_of(*after)).collect()
        })
    } else {
        compare(sides[0], sides[1])
    };
    scene
}

impl Scene {
    pub(super) fn of(before: Side, after: Side) -> Self {
        let comparison = compare(&before, &after);
        let today = "2026-11-21".parse().expect("a day");
        Self { before, after, comparison, labels: Labelled::default(), today }
    }

    pub(super) fn evidence<T>(&self, then: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let mut comparison = self.comparison.clone();
        self.labels.judge(&mut comparison, [&self.before, &self.after]);
        then(&Evidence {
            before: &self.before,
            after: &self.after,
            comparison: &comparison,
            labels: &self.labels,
            today: self.today,
        })
    }

    /// What comes of a policy, which is without the rules of the default.
    pub(super) fn report(&self, policy: &str) -> Result<GateReport, NotComparable> {
        let policy =
            Policy::compiled(policy, "gate.toml", None).unwrap_or_else(|error| panic!("{error}"));
        self.evidence(|evidence| evaluate(&policy, evidence))
    }
}
