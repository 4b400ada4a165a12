//! The default policy over nights drawn from the bundled recordings: how often it is red where nothing
//! changed, and how often it finds what was planted.

use crate::support::Judged;
use std::collections::BTreeMap;
use tapecheck::internals::compare::{
    Cause, CauseKind, Entry, Explanation, Origin, Proof, Question, Side, compare_with, match_sides,
    read_run,
};
use tapecheck::internals::count::{bucket_milliseconds, duration_bucket};
use tapecheck::internals::gate::{Evidence, GateReport, Outcome as RuleOutcome, Policy, evaluate};
use tapecheck::internals::labels::Labelled;
use tapecheck::internals::recording::{ExchangeKind, Key};
use tapecheck::internals::rulebook::builtin_names;
use tapecheck::internals::verdict::Outcome;

/// Calls of recorded sessions are drawn, nothing that was written by hand.
const RECORDED: [&str; 3] = ["recorded/", "field/", "unseen/"];
/// Calls a night.
const SIZES: [usize; 4] = [300, 600, 1200, 2400];
const PAIRS: usize = 1000;
/// Of a thousand lines so many cannot be read.
const UNREADABLE: usize = 2;

/// Numbers that look random and are the same in every run (Steele, Lea and Flood, 2014).
struct Drawing(u64);

impl Drawing {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// How many times as long a call takes as it was recorded with: log-normal, sigma 0.3.
    fn jitter(&mut self) -> f64 {
        let [one, other] = [0; 2].map(|_| (self.next() >> 11) as f64 / (1_u64 << 53) as f64);
        let normal = (-2.0 * (1.0 - one).ln()).sqrt() * (std::f64::consts::TAU * other).cos();
        (0.3 * normal).exp()
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("small")
    }
}

fn longer(took: Option<u16>, times: f64) -> Option<u16> {
    duration_bucket(bucket_milliseconds(took?) * times)
}

/// The calls of all recorded sessions, judged once, and two nights of them.
struct Nights {
    calls: Vec<Entry>,
    before: Side,
    after: Side,
    policy: Policy,
    drawing: Drawing,
    /// Numbers of a verdict on a call that worked, on one that was refused, and on one that failed.
    worked: u32,
    refused: u32,
    failed: u32,
}

impl Nights {
    fn new(rulebook: &str) -> Self {
        let side = read_run(Judged::corpus(rulebook).folder()).expect("a run");
        let said = |entry: &Entry| &side.verdicts[entry.verdict as usize];
        let is_recorded = |entry: &&Entry| {
            let file = side.names.get(entry.file);
            let is_call = said(entry).kind == ExchangeKind::ToolCall;
            is_call && RECORDED.iter().any(|folder| file.starts_with(folder))
        };
        let calls: Vec<Entry> = side.entries.iter().filter(is_recorded).copied().collect();
        assert!(calls.len() > 2500, "{} calls", calls.len());
        let of = |outcome| {
            let found = calls.iter().find(|call| said(call).outcome == outcome);
            found.expect("a call").verdict
        };
        let (worked, refused, failed) =
            (of(Outcome::Worked), of(Outcome::Refused), of(Outcome::Failed));
        let (before, after) = (side.clone(), side);
        let (policy, drawing) = (Policy::builtin().expect("built in"), Drawing(14));
        Self { calls, before, after, policy, drawing, worked, refused, failed }
    }

    fn night(&mut self, calls: &[Entry], size: usize) -> Vec<Entry> {
        let mut draw = || {
            let mut call = calls[self.drawing.below(calls.len())];
            call.took = longer(call.took, self.drawing.jitter());
            call
        };
        (0..size).map(|_| draw()).collect()
    }

    /// Calls of a server and tool of their own, each a request of its own; the first of them are bad.
    fn planted(&mut self, tool: &str, count: usize, bad: &[u32]) -> Vec<Entry> {
        let [server, tool] = ["planted", tool].map(|name| {
            let number = self.before.names.number(name);
            assert_eq!(number, self.after.names.number(name));
            number
        });
        let call = |at: usize| {
            let key = Key(u128::from(self.drawing.next()) << 64 | u128::from(self.drawing.next()));
            let verdict = bad.get(at).copied().unwrap_or(self.worked);
            Entry {
                key,
                request: key,
                verdict,
                server,
                tool,
                file: 0,
                line: 0,
                is_error_case: false,
                took: None,
            }
        };
        (0..count).map(call).collect()
    }

    fn report(&mut self, before: Vec<Entry>, after: Vec<Entry>) -> GateReport {
        for (side, entries) in [(&mut self.before, before), (&mut self.after, after)] {
            let lines = 0..entries.len();
            let unreadable = lines.filter(|_| self.drawing.below(1000) < UNREADABLE).count();
            side.header.unreadable = Some(unreadable as u64);
            side.entries = entries;
        }
        let (before, after) = (&self.before, &self.after);
        let comparison = compare_with([before, after], match_sides(before, after), unexplained);
        let labels = Labelled::default();
        let today = "2026-11-21".parse().expect("a day");
        let evidence = Evidence { before, after, comparison: &comparison, labels: &labels, today };
        evaluate(&self.policy, &evidence).expect("any sides")
    }
}

/// Nobody asks here why a call changed.
fn unexplained(questions: &[Question]) -> Vec<Explanation> {
    let cause = Cause { kind: CauseKind::Reply, name: "reply".to_owned(), change: String::new() };
    let explanation =
        Explanation { origin: Origin::Reply, causes: vec![cause], proof: Proof::Proved };
    vec![explanation; questions.len()]
}

/// What is done to a later night.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Of twenty servers with thirty calls each, all calls of one fail.
    ServerFails,
    /// All eight calls of one more server fail, all eight worked before.
    EightOfEight,
    /// All eight calls of one more server are refused, all eight worked before.
    EightRefused,
    /// Of forty calls of one more server thirty fail, one did before.
    ThirtyOfForty,
    /// Of twenty servers with a hundred calls each, all calls of one take twice as long.
    TwiceAsLong,
    /// Of 1,200 calls every fourth fails, whichever tool it is of.
    EveryFourth,
    /// A tool that was called twenty times is not called any more.
    ToolGone,
}

impl Change {
    const ALL: [Self; 7] = [
        Self::ServerFails,
        Self::EightOfEight,
        Self::EightRefused,
        Self::ThirtyOfForty,
        Self::TwiceAsLong,
        Self::EveryFourth,
        Self::ToolGone,
    ];

    /// The rule that has to find it.
    fn rule(self) -> &'static str {
        match self {
            Self::ServerFails
            | Self::EightOfEight
            | Self::EightRefused
            | Self::ThirtyOfForty
            | Self::EveryFourth => "shares",
            Self::TwiceAsLong => "slower",
            Self::ToolGone => "absent",
        }
    }
}

impl Nights {
    /// How many of so many pairs without a change are red, by their rules, and in all.
    fn red_unchanged(&mut self, pairs: usize) -> BTreeMap<String, usize> {
        let calls = self.calls.clone();
        let mut reds = BTreeMap::new();
        for pair in 0..pairs {
            let size = SIZES[pair % SIZES.len()];
            let (before, after) = (self.night(&calls, size), self.night(&calls, size));
            let report = self.report(before, after);
            *reds.entry("in all".to_owned()).or_default() += usize::from(!report.passed);
            for rule in report.rules.iter().filter(|rule| rule.outcome == RuleOutcome::Fail) {
                *reds.entry(rule.name.clone()).or_default() += 1;
            }
        }
        reds
    }

    /// In how many of so many pairs a change is found by its rule.
    fn found(&mut self, change: Change, pairs: usize) -> usize {
        let mut found = 0;
        for _ in 0..pairs {
            let [before, after] = self.changed(change);
            let report = self.report(before, after);
            let rule = report.rules.iter().find(|rule| rule.name == change.rule());
            found += usize::from(rule.expect("its rule").outcome == RuleOutcome::Fail);
        }
        found
    }

    fn changed(&mut self, change: Change) -> [Vec<Entry>; 2] {
        match change {
            Change::ServerFails => return self.one_server_fails(),
            Change::TwiceAsLong => return self.one_server_is_slower(),
            Change::EightOfEight
            | Change::EightRefused
            | Change::ThirtyOfForty
            | Change::EveryFourth
            | Change::ToolGone => {}
        }
        let calls = self.calls.clone();
        let size = if let Change::EveryFourth = change { 1200 } else { 600 };
        let mut nights = [self.night(&calls, size), self.night(&calls, size)];
        let (tool, earlier, later) = match change {
            Change::ServerFails
            | Change::TwiceAsLong
            | Change::EightOfEight
            | Change::EightRefused => ("only", [8, 0], [8, 8]),
            Change::EveryFourth => ("only", [0, 0], [0, 0]),
            Change::ThirtyOfForty => ("only", [40, 1], [40, 30]),
            Change::ToolGone => ("gone", [20, 0], [0, 0]),
        };
        let bad = if let Change::EightRefused = change { self.refused } else { self.failed };
        for (night, [count, times]) in nights.iter_mut().zip([earlier, later]) {
            night.extend(self.planted(tool, count, &vec![bad; times]));
            if let Change::ToolGone = change {
                night.extend(self.planted("stays", 20, &[]));
            }
        }
        if let Change::EveryFourth = change {
            for call in nights[1].iter_mut().step_by(4) {
                (call.verdict, call.key) = (self.failed, Key(u128::from(self.drawing.next())));
            }
        }
        nights
    }

    fn by_server(&self) -> Vec<Vec<Entry>> {
        let mut by_server: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for call in &self.calls {
            by_server.entry(call.server).or_default().push(*call);
        }
        by_server.into_values().collect()
    }

    fn one_server_is_slower(&mut self) -> [Vec<Entry>; 2] {
        let mut servers = self.by_server();
        let mut nights = [Vec::new(), Vec::new()];
        for place in 0..20 {
            // Of the first it must show: a call that takes no time takes no longer when it is doubled.
            let calls = loop {
                let at = self.drawing.below(servers.len());
                let mut took: Vec<_> = servers[at].iter().map(|call| call.took).collect();
                took.sort();
                let p50 = took[took.len() / 2].map_or(0.0, bucket_milliseconds);
                if place > 0 || p50 >= 10.0 {
                    break servers.swap_remove(at);
                }
            };
            for night in &mut nights {
                night.extend(self.night(&calls, 100));
            }
        }
        for call in &mut nights[1][..100] {
            call.took = longer(call.took, 2.0);
        }
        nights
    }

    fn one_server_fails(&mut self) -> [Vec<Entry>; 2] {
        let mut servers = self.by_server();
        let mut nights = [Vec::new(), Vec::new()];
        for place in 0..20 {
            // Of the first it must show that it fails: it works for half of its calls or more.
            let calls = loop {
                let at = self.drawing.below(servers.len());
                let bad = servers[at].iter().filter(|call| self.is_bad(call)).count();
                if place > 0 || 2 * bad <= servers[at].len() {
                    break servers.swap_remove(at);
                }
            };
            for night in &mut nights {
                night.extend(self.night(&calls, 30));
            }
        }
        for call in &mut nights[1][..30] {
            call.verdict = self.failed;
            call.key = Key(u128::from(self.drawing.next()));
        }
        nights
    }

    fn is_bad(&self, call: &Entry) -> bool {
        let outcome = self.before.verdicts[call.verdict as usize].outcome;
        matches!(outcome, Outcome::Failed | Outcome::Invalid)
    }
}

/// As many pairs as a test may take; the figures of the documents are those of the next one.
#[test]
fn unchanged_nights_are_seldom_red_and_changes_are_found() {
    let mut nights = Nights::new("calibrated");
    let reds = nights.red_unchanged(40);
    assert!(reds["in all"] <= 1, "{reds:?}");
    for change in Change::ALL {
        assert_eq!(nights.found(change, 25), 25, "{change:?}");
    }
}

#[test]
#[ignore = "takes minutes; prints the figures of docs/gate.md"]
#[expect(clippy::print_stdout, reason = "figures for the document")]
fn a_thousand_pairs_of_nights() {
    for rulebook in builtin_names() {
        let mut nights = Nights::new(rulebook);
        let reds = nights.red_unchanged(PAIRS);
        println!("{rulebook}: red of {PAIRS} unchanged: {reds:?}");
        assert!(reds["in all"] * 100 <= PAIRS, "{rulebook}: {reds:?}");
        for change in Change::ALL {
            let found = nights.found(change, PAIRS);
            println!("{rulebook}: {change:?}: {found} of {PAIRS}");
            assert!(found * 100 >= PAIRS * 99, "{rulebook}: {change:?}: {found}");
        }
    }
}
