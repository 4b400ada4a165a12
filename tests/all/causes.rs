//! Why verdicts changed: what is told must be true when a rulebook is really changed back.

use crate::harness::paths_in;
use crate::support::{corpus, lines};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};
use tapecheck::internals::check::Judge;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::compare::{
    Cause, CauseKind, Entry, Explanation, Header, Matched, Names, Origin, Proof, Side, Texts,
    WHOLE_KEY, cause_of, explain_all,
};
use tapecheck::internals::corpus::{Bounds, read_exchange};
use tapecheck::internals::recording::{Exchange, KeyMaker};
use tapecheck::internals::rulebook::Rulebook;
use tapecheck::internals::rulebook::edit::Edits;
use tapecheck::internals::store::{Legend, NamedVerdict, RulebookName};
use tapecheck::internals::verdict::{Judgement, Verdict};

/// Every exchange of the bundled corpus that stands on a line of its own.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let files = ["guide", "replies"].map(|folder| paths_in(&corpus().join(folder)));
    let labelled = corpus().join("recorded/labels.jsonl");
    files.concat().iter().chain([&labelled]).flat_map(|file| lines(file)).collect()
});

pub(crate) fn exchanges() -> Vec<Exchange<'static>> {
    let bounds = Bounds::default();
    let read: Vec<_> = LINES.iter().filter_map(|line| read_exchange(line, &bounds).ok()).collect();
    assert!(read.len() > 300, "only {} calls", read.len());
    read
}

pub(crate) fn builtin(name: &str) -> Arc<Rulebook> {
    Arc::new(Rulebook::builtin(name).expect("built in"))
}

pub(crate) fn extending(base: &str, text: &str) -> Result<Arc<Rulebook>, String> {
    let text = format!("name = \"own\"\nextends = \"{base}\"\n{text}");
    Rulebook::from_toml(&text, "own.toml").map(Arc::new).map_err(|error| error.to_string())
}

/// Exchanges judged by a rulebook.
pub(crate) fn side(exchanges: &[Exchange<'_>], rulebook: &Arc<Rulebook>) -> Side {
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(rulebook, &schemas);
    let mut judged = Judged::by(rulebook);
    for exchange in exchanges {
        judged.add(exchange, &judge.judge(exchange));
    }
    judged.side
}

/// Exchanges with their verdicts, each different one once.
pub(crate) struct Judged {
    pub(crate) side: Side,
    legend: Legend,
    known: HashMap<String, u32>,
    keys: KeyMaker,
}

impl Judged {
    pub(crate) fn by(rulebook: &Arc<Rulebook>) -> Self {
        let (name, digest) = (rulebook.name.clone(), rulebook.digest.clone());
        let side = Side {
            header: Header {
                name: name.clone(),
                corpus_digest: String::new(),
                rulebook: RulebookName { name, digest },
                checks: None,
                redaction: None,
                version: None,
                unreadable: None,
                unreadable_files: None,
                overall_confidence: None,
            },
            rulebook: Some(Arc::clone(rulebook)),
            verdicts: Vec::new(),
            entries: Vec::new(),
            names: Names::default(),
            texts: Texts::default(),
            key_digits: WHOLE_KEY,
        };
        let legend = Legend::of(rulebook);
        Self { side, legend, known: HashMap::new(), keys: KeyMaker::default() }
    }

    pub(crate) fn add(&mut self, exchange: &Exchange<'_>, verdict: &Verdict) {
        let Self { side, legend, known, keys } = self;
        let verdict = NamedVerdict::of(exchange, verdict, legend);
        let said = *known.entry(format!("{verdict:?}")).or_insert_with(|| {
            side.verdicts.push(verdict);
            u32::try_from(side.verdicts.len() - 1).expect("few verdicts")
        });
        let keys = keys.keys(exchange);
        side.entries.push(Entry {
            key: keys.exchange,
            verdict: said,
            request: keys.request,
            server: side.names.number(&exchange.server),
            tool: side.names.number(&exchange.tool.name),
            file: side.names.number("a.jsonl"),
            line: u32::try_from(exchange.place.line).expect("a short recording"),
            is_error_case: false,
            took: None,
        });
    }
}

/// What became different, with the exchanges (by their places) that it happened to.
type Changes = BTreeMap<(u32, u32), Vec<usize>>;

fn changes(before: &Side, after: &Side) -> Changes {
    let mut changes = Changes::new();
    for (at, (old, new)) in before.entries.iter().zip(&after.entries).enumerate() {
        if before.verdicts[old.verdict as usize] != after.verdicts[new.verdict as usize] {
            changes.entry((old.verdict, new.verdict)).or_default().push(at);
        }
    }
    changes
}

fn explained(before: &Side, after: &Side, changes: &Changes) -> Vec<Explanation> {
    let pairs: Vec<_> = changes
        .iter()
        .map(|((old, new), places)| (*old, *new, Matched::Exchange, places.len() as u64))
        .collect();
    explain_all(before, after, &pairs)
}

fn judgement(side: &Side, at: usize) -> Judgement {
    side.verdicts[side.entries[at].verdict as usize].judgement()
}

#[test]
fn what_changes_from_guide_to_inspector_is_proved() {
    let exchanges = exchanges();
    for names in [["guide", "inspector"], ["inspector", "guide"]] {
        let [before, after] = names.map(|name| side(&exchanges, &builtin(name)));
        let changes = changes(&before, &after);
        assert!(changes.len() > 100, "{}", changes.len());
        for ((old, new), told) in changes.keys().zip(explained(&before, &after, &changes)) {
            let [old, new] = [&before.verdicts[*old as usize], &after.verdicts[*new as usize]];
            if old.schema == new.schema || old.judgement() != new.judgement() {
                assert_eq!(told.proof, Proof::Proved, "{old:?}\n{new:?}\n{told:?}");
                assert_eq!(told.origin, Origin::Rulebook, "{told:?}");
                assert!((1..=4).contains(&told.causes.len()), "{told:?}");
            }
        }
    }
}

#[test]
fn every_pattern_taken_from_guide_is_told_as_just_that_and_wherever_it_matters() {
    let exchanges = exchanges();
    let guide = builtin("guide");
    let before = side(&exchanges, &guide);
    let lists = ["mcp_codes", "business_patterns", "strong_operational_words", "validation_verbs"];
    let mut patterns: Vec<(&str, &str)> = guide
        .patterns
        .iter()
        .filter(|pattern| lists.contains(&pattern.list.as_str()))
        .map(|pattern| (pattern.list.as_str(), pattern.text.as_str()))
        .collect();
    patterns.sort_unstable();
    patterns.dedup();
    assert!(patterns.len() > 90, "{}", patterns.len());
    let mut silent = Vec::new();
    for (list, text) in patterns {
        let own = format!("[lists.{list}]\nremove = [{text:?}]\n");
        let after = side(&exchanges, &extending("guide", &own).expect("good"));
        let changes = changes(&before, &after);
        for told in explained(&before, &after, &changes) {
            assert_eq!(told.proof, Proof::Proved, "{list}/{text}");
            assert_eq!(told.origin, Origin::Rulebook, "{list}/{text}");
            let [cause] = &told.causes[..] else { panic!("{list}/{text}: {told:?}") };
            assert_eq!(cause.kind, CauseKind::Pattern);
            assert_eq!(cause.name, format!("{list}/{text}"));
            assert_eq!(cause.change, format!("pattern '{text}' no longer matches"));
        }
        if changes.is_empty() {
            silent.push(text);
        }
    }
    assert_eq!(silent, [""; 0], "patterns that no call of the corpus needs");
}

/// A change of a rulebook, as TOML that goes under a section of its own.
pub(crate) const SNIPPETS: [&str; 24] = [
    "[factors.http_status]\nweight = 3\n",
    "[factors.validation_tool]\nweight = 0.5\n",
    "[factors.structured_error]\nweight = 4\n",
    "[remove]\nfactors = [\"test_data\"]\n",
    "[score]\ndenominator = 3\n",
    "[score]\nclamp = false\nreading = \"unweighted\"\n",
    "[[decide]]\nname = \"otherwise\"\nthreshold = 0.3\n",
    "[[decide]]\nname = \"validation tool\"\nthreshold = 0.7\n",
    "[[decide]]\nname = \"validation tool\"\nbefore = \"mcp code\"\n",
    "[[decide]]\nname = \"mcp code\"\nreturn = false\n",
    "[[decide]]\nname = \"status\"\nif = \"http_status\"\nreturn = false\nbefore = \"mcp code\"\n",
    "[[decide]]\nname = \"mcp code\"\nthreshold = 0.9\n",
    "[[decide]]\nname = \"validation tool\"\nif = { all = [\"validation_tool\", \"http_status\"] }\n",
    "[lists.business_patterns]\nremove = [\"not found\", \"duplicate\"]\n",
    "[lists.business_patterns]\nadd = [\"error\", \"missing\"]\n",
    "[lists.validation_verbs]\nremove = [\"get\", \"set\", \"delete\", \"query\"]\n",
    "[lists.validation_verbs]\nmatch = \"part\"\n",
    "[lists.mcp_codes]\nremove = [\"-32602\"]\nadd = [\"-32001\"]\n",
    "[signals.http_status]\nregex = '\\b4\\d\\d\\b'\n",
    "[signals.strong_operational]\ncontains = \"strong_operational_words\"\n",
    "[signals.own]\ncontains = [\"timeout\", \"failed\"]\n[[decide]]\nname = \"own\"\nif = \"own\"\nreturn = false\nbefore = \"mcp code\"\n",
    "[errors]\npolicy = \"judged\"\n",
    "[endings.responded]\nclass = \"partially_working\"\nconfidence = 60\n",
    "[hidden_failure]\nif = \"business_pattern\"\n",
];

#[test]
fn what_is_told_comes_true_when_a_rulebook_is_really_changed_back() {
    let exchanges = exchanges();
    let base = [("guide", side(&exchanges, &builtin("guide")))];
    let config = Config { cases: 16, failure_persistence: None, ..Config::default() };
    let several = proptest::sample::subsequence(SNIPPETS.to_vec(), 1..=4);
    let [proved, flipped] = [Cell::new(0), Cell::new(0)];
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    )
    .run(&(several, any::<bool>()), |(snippets, reversed)| {
        let (name, built_in) = &base[0];
        let Some(own) = stacked(name, &snippets) else { return Ok(()) };
        let edited = side(&exchanges, &own);
        let (before, after) = if reversed { (&edited, built_in) } else { (built_in, &edited) };
        let changes = changes(before, after);
        let told = explained(before, after, &changes);
        let between = Between::new(&exchanges, before, after);
        for (places, told) in changes.values().zip(&told) {
            if judgement(before, places[0]) == judgement(after, places[0]) {
                continue;
            }
            flipped.set(flipped.get() + 1);
            if told.proof == Proof::Proved {
                proved.set(proved.get() + 1);
                between.assert_comes_true(places[0], told);
            }
        }
        Ok(())
    })
    .expect("what is told is true");
    assert!(flipped.get() > 100, "{}", flipped.get());
    assert_eq!(proved, flipped, "flips that are proved");
}

/// A rulebook with several changes, one laid over the other.
fn stacked(base: &str, snippets: &[&str]) -> Option<Arc<Rulebook>> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut below = base.to_owned();
    for (at, snippet) in snippets.iter().enumerate() {
        let name = format!("{at}.toml");
        let text = format!("name = \"own\"\nextends = \"{below}\"\n{snippet}");
        std::fs::write(folder.path().join(&name), text).expect("written");
        below = name;
    }
    let top = folder.path().join(below);
    Rulebook::load(&top.to_string_lossy()).ok().map(Arc::new)
}

/// The rulebooks between two sides, each with some edits put back and compiled in earnest.
struct Between<'a> {
    exchanges: &'a [Exchange<'a>],
    before: &'a Side,
    edits: Edits,
    compiled: RefCell<BTreeMap<Vec<usize>, Option<Arc<Rulebook>>>>,
}

impl<'a> Between<'a> {
    fn new(exchanges: &'a [Exchange<'a>], before: &'a Side, after: &Side) -> Self {
        let [old, new] = [before, after].map(|side| side.rulebook.as_ref().expect("a rulebook"));
        let edits = Edits::between(old, new).expect("texts");
        Self { exchanges, before, edits, compiled: RefCell::default() }
    }

    /// Whether an exchange stands as it stood, with these edits put back. They may make no rulebook.
    fn returns(&self, put_back: &[usize], at: usize) -> bool {
        let mut compiled = self.compiled.borrow_mut();
        let rulebook = compiled.entry(put_back.to_vec()).or_insert_with(|| {
            Rulebook::from_toml(&self.edits.put_back(put_back), "put back").ok().map(Arc::new)
        });
        let judged = rulebook.as_ref().map(|rulebook| side(&self.exchanges[at..=at], rulebook));
        judged.is_some_and(|judged| judgement(&judged, 0) == judgement(self.before, at))
    }

    /// The causes bring the earlier judgement back, and fewer do not.
    fn assert_comes_true(&self, at: usize, told: &Explanation) {
        let all = self.edits.all();
        let edit_of = |cause: &Cause| all.iter().position(|edit| cause_of(edit) == *cause);
        let causes: Vec<usize> =
            told.causes.iter().map(|cause| edit_of(cause).expect("an edit")).collect();
        assert!(self.returns(&causes, at), "{told:?}");
        for left_out in 0..causes.len() {
            let mut fewer = causes.clone();
            fewer.remove(left_out);
            assert!(!self.returns(&fewer, at), "{told:?} without {left_out}");
        }
        if causes.len() == 2 {
            for (one, edit) in all.iter().enumerate() {
                assert!(!self.returns(&[one], at), "{told:?}, and yet {edit:?}");
            }
        }
    }
}
