//! Compares two hand-made sides, as files of cases have them.

use super::show::{as_json, flip_line, sections};
use super::testing::{cause, error, side, verdict};
use super::{
    Comparison, Entry, Excerpt, Explanation, Kind, Matched, Proof, RateChange, Side, SlowerLimit,
    Texts, TimedSides, compare_with, match_sides,
};
use crate::cases;
use crate::count::duration_bucket;
use crate::recording::Key;
use crate::store::{NamedSchema, NamedVerdict, Span};
use crate::verdict::{Classification, Outcome, SchemaOutcome, said};
use crate::view::text::text;
use std::collections::BTreeMap;

/// A text and what follows a mark in it, if it is there.
fn parted<'t>(text: &'t str, mark: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(mark).map_or((text, None), |(text, rest)| (text, Some(rest)))
}

fn short(number: usize) -> u32 {
    u32::try_from(number).expect("few")
}

/// Reads `refusal, signal own, issue error no_reply`: an outcome, or an error of which the question was
/// answered, and what else is said.
fn verdict_of(text: &str) -> NamedVerdict {
    let mut parts = text.split(", ");
    let mut said = match parts.next().unwrap_or_default() {
        "refusal" => error(Classification::FullyWorking, true),
        "failure" => error(Classification::Error, false),
        name => {
            let outcome = Outcome::of_name(name);
            NamedVerdict { outcome: outcome.unwrap_or_else(|| panic!("{name}")), ..verdict() }
        }
    };
    for (word, value) in parts.map(|part| part.split_once(' ').expect("a word and a value")) {
        let text = value.to_owned();
        match word {
            "class" => said.class = serde_json::from_value(text.into()).expect("a class"),
            "score" => said.score = value.parse().ok(),
            "confidence" => said.confidence = value.parse().expect("a number"),
            "by" => said.decided_by = Some(text),
            "code" => said.error_code = Some(text),
            "kind" => said.error_kind = Some(text),
            "signal" => said.signals.push(text),
            "hit" => said.hits.push(text),
            "issue" => said.issues.push(text),
            "met" => said.criteria[0].push(text),
            "unmet" => said.criteria[1].push(text),
            "schema" => {
                let (rest, key) = parted(value, " key ");
                let (outcome, keyword) = parted(rest, " by ");
                let outcome = SchemaOutcome::of_name(outcome);
                said.schema = Some(NamedSchema {
                    outcome: outcome.expect("an outcome"),
                    key: key.map(|key| Key(key.parse().expect("a number"))),
                    keyword: keyword.map(str::to_owned),
                });
            }
            _ => panic!("{word}"),
        }
    }
    said
}

/// A text in which patterns hit that stand in brackets.
fn marked(text: &str) -> Excerpt {
    let mut shown = Excerpt::default();
    for (at, piece) in text.split(['[', ']']).enumerate() {
        let start = short(shown.text.len());
        shown.text += piece;
        if at % 2 == 1 {
            let end = short(shown.text.len());
            shown.spans.push(Span { start, end, pattern: piece.to_owned(), sent: None });
        }
    }
    shown
}

/// How long a call takes, from `40-120`: it is one of ten kinds.
fn took(text: &str, request: u128) -> Option<u16> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let [least, most]: [f64; 2] = [least, most].map(|it| it.parse().expect("milliseconds"));
    duration_bucket(least * (most / least).powf((request * 7 % 10) as f64 / 9.0))
}

/// Reads the lines of a side, such as `after 7.2@9 shop/get refusal took 40-120 because list/a: it is new
/// says User [not found]`. Returns the reason for each verdict too.
fn read(text: &str, when: &str) -> (Side, Vec<Explanation>) {
    let mut read = side(when, Vec::new(), &[]);
    let (mut causes, mut texts) = (Vec::new(), Vec::new());
    for line in text.lines().filter_map(|line| line.strip_prefix(when)?.strip_prefix(' ')) {
        let (rest, says) = parted(line, " says ");
        let (rest, because) = parted(rest, " because ");
        let (rest, milliseconds) = parted(rest, " took ");
        let [requests, who, said] = rest.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (requests, place) = parted(requests, "@");
        let (requests, reply) = parted(requests, ".");
        let (first, last) = requests.split_once('-').unwrap_or((requests, requests));
        let [first, last, reply]: [u128; 3] =
            [first, last, reply.unwrap_or("0")].map(|it| it.parse().expect("a number"));
        let (server, tool) = parted(who, "/");
        let (because, proof) = parted(because.unwrap_or("list/not found: it is gone"), ", ");
        let (name, change) = because.split_once(": ").expect("a cause and what became of it");
        let proof = proof.map_or(Proof::Proved, |_| Proof::Narrowed);
        causes.push(Explanation { proof, ..cause(name, change) });
        read.verdicts.push(verdict_of(said));
        texts.extend(says.map(|says| (short(read.entries.len()), marked(says))));
        for request in first..=last {
            let own_place = read.entries.len() + 1;
            read.entries.push(Entry {
                key: Key(request << 64 | reply),
                request: Key(request << 64),
                verdict: short(causes.len() - 1),
                server: read.names.number(server),
                tool: read.names.number(tool.unwrap_or("get")),
                file: 1,
                line: place.map_or(short(own_place), |line| line.parse().expect("a line")),
                is_error_case: false,
                took: milliseconds.and_then(|milliseconds| took(milliseconds, request)),
            });
        }
    }
    read.texts = Texts::of(texts);
    (read, causes)
}

fn compared([before, after]: [&Side; 2], causes: &[Explanation]) -> Comparison {
    let mut comparison = compare_with([before, after], match_sides(before, after), |questions| {
        assert!(!questions.is_empty(), "nobody is asked why nothing changed");
        questions.iter().map(|(_, after, ..)| causes[*after as usize].clone()).collect()
    });
    comparison.durations = TimedSides::of([before, after]).changes(SlowerLimit::default());
    assert_adds_up(&comparison);
    comparison
}

fn assert_adds_up(comparison: &Comparison) {
    let both = comparison.overlap.both();
    assert_eq!(comparison.classes.0.values().sum::<u64>(), both);
    assert_eq!(comparison.answers.0.values().sum::<u64>(), both);
    for kind in ["class ", "answer "] {
        let of_kind = comparison.rates.iter().filter(|rate| rate.name.starts_with(kind));
        let counts: Vec<[u64; 2]> = of_kind.map(|rate| rate.counts).collect();
        assert_eq!([0, 1].map(|at| counts.iter().map(|it| it[at]).sum::<u64>()), [both; 2]);
    }
    let mut by_transition = BTreeMap::new();
    for (number, group) in (0..).zip(&comparison.groups) {
        assert_eq!(comparison.flips_of(number).count() as u64, group.exchanges, "{}", group.id);
        if group.from.class != group.to.class {
            let transition = (group.from.class, group.to.class);
            *by_transition.entry(transition).or_insert(0) += group.exchanges;
        }
    }
    let moved = comparison.classes.0.iter().filter(|((from, to), _)| from != to);
    assert!(moved.eq(&by_transition));
}

/// Lines, or that there are none.
fn lines(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") }
}

fn shown(sides: [&Side; 2], comparison: &Comparison, what: &str) -> String {
    let at = |place: Option<u32>| place.map_or("-".to_owned(), |place| place.to_string());
    let matched = |how: Matched| how.name();
    match what {
        "matches" => {
            let matching = match_sides(sides[0], sides[1]);
            let pairs = matching.pairs.iter();
            let pairs = pairs.map(|(one, other, how)| format!("{one} -> {other} {}", how.name()));
            let gone = matching.only_a.iter().map(|one| format!("{one} -> -"));
            let added = matching.only_b.iter().map(|other| format!("- -> {other}"));
            lines(pairs.chain(gone).chain(added))
        }
        "flips" => lines(comparison.flips.iter().map(|flip| {
            let (matched, group) = (flip.matched.map_or("-", matched), at(flip.group));
            let [before, after] = [flip.before, flip.after].map(at);
            let line = flip_line(sides, flip);
            format!("{before} -> {after} {matched} {} {group}: {line}", flip.kind.name())
        })),
        "groups" => lines(comparison.groups.iter().map(|group| {
            let (explanation, cause) = (&group.explanation, &group.explanation.causes[0]);
            let (id, kind, proof) = (&group.id, group.kind.name(), explanation.proof.name());
            let calls = [group.exchanges, group.servers, group.tools];
            format!("{id} {kind} {calls:?} {} {} {proof}", cause.name, cause.change)
        })),
        "examples" => lines(comparison.groups[0].examples.iter().map(|example| {
            let text = example.excerpts[0].as_ref().map_or("-", |excerpt| &excerpt.text);
            format!("{} {} {text}", example.key.0 >> 64, example.server)
        })),
        "durations" => lines(comparison.durations.iter().map(|change| {
            let name = change.of.tool.as_ref().unwrap_or(&change.of.server);
            let words = [(change.slower, " is slower"), (change.faster, " is faster")];
            let words = words.into_iter().filter_map(|(p, word)| p.map(|_| word));
            name.to_owned() + &words.collect::<String>()
        })),
        groups => {
            let groups = groups.parse().expect("a number of groups");
            text(&sections(comparison, groups, "tapecheck diff a b"), usize::MAX)
        }
    }
}

fn rate(rate: &RateChange, is_noise: bool) -> String {
    let RateChange { name, of, counts: [before, after], lost, gained, p, interval } = rate;
    let [low, high] = interval;
    let noise = if is_noise { ", noise" } else { "" };
    let moved = format!("{before} -> {after} of {of}, {lost} lost, {gained} gained, p {p:.4}");
    format!("{name}: {moved}, {low:.4} to {high:.4}{noise}")
}

fn answer(sides: [&Side; 2], comparison: &Comparison, question: &str) -> String {
    let (word, rest) = question.split_once(' ').expect("a word and what it asks");
    match word {
        "said" => said(&rest.replace("\\n", "\n")).unwrap_or_else(|| "nothing".to_owned()),
        "verdict" => verdict_of(rest).line(),
        "kind" => {
            let (one, other) = rest.split_once(" -> ").expect("before and after");
            let [one, other] = [one, other].map(verdict_of);
            let kind = |one, other| Kind::of(Some(one), Some(other), false).name();
            format!("{}, back {}", kind(&one, &other), kind(&other, &one))
        }
        "json" => {
            let json = as_json(comparison);
            let place = |at: &str| json.pointer(at).map_or("-".to_owned(), ToString::to_string);
            lines(rest.split(' ').map(place))
        }
        "rate" => {
            let rates = comparison.rates.iter().zip(RateChange::noise(&comparison.rates));
            let asked = rates.filter(|(rate, _)| match rest {
                "moved" => rate.is_moved(),
                name => rate.name == name,
            });
            lines(asked.map(|(of, is_noise)| rate(of, is_noise)))
        }
        _ => shown(sides, comparison, rest),
    }
}

#[test]
fn sides_compare_as_their_cases_list() {
    cases::check("tests/cases/comparisons.txt", |case| {
        let asking = ["said", "verdict", "kind", "json", "rate", "show"];
        let (questions, text) = case.questions(&asking);
        let ((before, _), (after, causes)) = (read(&text, "before"), read(&text, "after"));
        let sides = [&before, &after];
        let comparison = compared(sides, &causes);
        let answers: Vec<String> =
            questions.iter().map(|question| answer(sides, &comparison, question)).collect();
        answers.join("\n")
    });
}
