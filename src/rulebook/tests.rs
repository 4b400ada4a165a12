//! What rulebooks come to: as files of cases list it, as their own examples promise, and as the validators answered
//! that the built-in ones stand for.

use super::edit::{Edits, Part};
use super::matching::Call;
use super::{
    Decided, Dialect, LazyRegex, Observing, Problem, Rulebook, RulebookError, Setting,
    SettingError, Subject, as_javascript, builtin_names, builtin_source,
};
use crate::cases::{self, Case};
use crate::json::{Raw, RawStr, js_stringify, scan_document, to_value};
use crate::verdict::{
    Certainty, Fate, Field, Ground, Judgement, Observed, SchemaOutcome, SignalSet, Signals,
    Weighing,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::PathBuf;

fn guide() -> Rulebook {
    Rulebook::builtin("guide").expect("built in")
}

/// How a rulebook that extends the guide differs from it, and what is odd about it.
fn differences(rulebook: &Rulebook) -> String {
    let guide = guide();
    let edits = Edits::between(&guide, rulebook).expect("texts");
    let is_same = rulebook.digest == guide.digest;
    let whole = match edits.all() {
        [] if is_same => Some("nothing is changed".to_owned()),
        [] => Some("only words are changed".to_owned()),
        _ => is_same.then(|| "the digest is that of the guide".to_owned()),
    };
    let edits = edits.all().iter().map(|edit| {
        let [before, after] = [&edit.before, &edit.after].map(|it| it.as_deref().unwrap_or("-"));
        format!("{:?} {}/{} {before} -> {after}", edit.part, edit.of, edit.key)
    });
    let odd = rulebook.warnings.iter().map(|it| format!("odd: {}", it.in_words()));
    let broken = rulebook.broken_examples();
    let broken = broken.iter().map(|it| format!("broken: {}", it.problem.in_words()));
    whole.into_iter().chain(edits).chain(odd).chain(broken).collect::<Vec<_>>().join("\n")
}

/// What becomes of weights, decisions and patterns.
fn changes(before: &Rulebook, after: &Rulebook) -> String {
    let [before, after] = [before, after].map(|rulebook| {
        let weights = rulebook.factors.iter().map(|it| format!("{} weighs {}", it.name, it.weight));
        let lines = rulebook.decide.iter().map(|it| format!("{} {:?}", it.name, it.decision));
        let patterns = rulebook.patterns.iter().map(|it| format!("{}/{}", it.list, it.text));
        weights.chain(lines).chain(patterns).collect::<Vec<_>>()
    });
    let gone = before.iter().filter(|it| !after.contains(it)).map(|it| format!(", without {it}"));
    let new = after.iter().filter(|it| !before.contains(it)).map(|it| format!(", with {it}"));
    gone.chain(new).collect()
}

fn set(rulebook: &Rulebook, texts: &str) -> Result<String, SettingError> {
    let settings = texts.split(" and ").map(|text| Setting::parse(text, rulebook));
    let settings: Vec<Setting> = settings.collect::<Result<_, _>>()?;
    Setting::check_apart(&settings)?;
    let after = rulebook.with_settings(&settings)?;
    let settings: Vec<String> = settings.iter().map(Setting::to_string).collect();
    Ok(settings.join(" and ") + &changes(rulebook, &after))
}

/// The number at a place, and what deciding with another does.
fn number(rulebook: &Rulebook, path: &str) -> Result<String, SettingError> {
    let (setting, number) = rulebook.number_at(path)?;
    let after = rulebook.deciding_with(&[setting.with_number(0.25)])?;
    let Rulebook { name, .. } = rulebook;
    Ok(format!("{name} has {}={number}{}", setting.path(), changes(rulebook, &after)))
}

/// What the signals of a rulebook find in a reply, without those of a guide that it extends, and what of it quotes the call.
fn found(rulebook: &Rulebook, which: Observing, subject: &Subject<'_>) -> String {
    let guide = guide();
    let is_guide = rulebook.digest == guide.digest;
    let observed = rulebook.observe(subject, which);
    let place = |text: &str, start: u32, end: u32| {
        format!("[{}] at {start}", &text[start as usize..end as usize])
    };
    let hits = observed.hits.iter().filter_map(|hit| {
        let list = &rulebook.patterns[usize::from(hit.pattern)].list;
        let quoted = hit.call.map(|it| format!(" of {}", place(subject.input, it.start, it.end)));
        let text = match hit.field {
            Field::Text => subject.text,
            Field::Tool => subject.tool,
            Field::Input => subject.input,
            Field::Scenario => subject.scenario,
            Field::Code => subject.code,
        };
        let told =
            format!("{list} {}{}", place(text, hit.start, hit.end), quoted.unwrap_or_default());
        let is_own = is_guide || guide.patterns.iter().all(|other| other.list != *list);
        is_own.then_some(told)
    });
    let hits: Vec<String> = hits.collect();
    if hits.is_empty() { "nothing".to_owned() } else { hits.join(", ") }
}

/// What a reply of some kind comes to by its signals; of two texts, those of the second stand behind a bar.
fn concluded(rulebook: &Rulebook, asked: &str) -> String {
    let mut words = asked.split(' ');
    let named = words.next().unwrap_or_default();
    let ground = Ground::of_name(named).expect(named);
    let mut signals = [SignalSet::default(); 2];
    let mut observed = Observed::new(ground, Signals::Of(signals[0]));
    let mut text = 0;
    for word in words {
        let fate = Fate::of_name(word);
        let schema = SchemaOutcome::of_name(word);
        observed.fate = fate.unwrap_or(observed.fate);
        observed.schema = schema.or(observed.schema);
        let before = signals;
        text += usize::from(word == "|");
        let all = rulebook.signals.iter().enumerate();
        let named = all.filter(|(_, it)| word == "all" || it.name == word);
        named.for_each(|(at, _)| signals[text].insert(at));
        let is_known = fate.is_some() || schema.is_some() || word == "|" || signals != before;
        assert!(is_known, "no signal {word}");
    }
    let [question, hidden] = signals;
    observed.signals = match text {
        0 => Signals::Of(question),
        _ => Signals::OfBoth { question, hidden },
    };
    let concluded = rulebook.conclude(&observed);
    if text > 0 {
        // Of what is kept of the second text the same is concluded.
        let (hides_failure, error_kind) =
            (concluded.hidden_failure() == Some(true), concluded.error_kind);
        let signals = Signals::OfFirst { question, hides_failure, error_kind };
        assert_eq!(rulebook.conclude(&Observed { signals, ..observed }), concluded);
    }
    let weighing = concluded.weighing.map(|Weighing { score, threshold, line }| {
        let line = line.map(|line| &*rulebook.decide[usize::from(line)].name);
        format!(", score {score} of {threshold:?} by {}", line.unwrap_or("nothing"))
    });
    let sure = concluded.certainty.map(|Certainty { line, value }| {
        format!(", sure {value} by {}", rulebook.certainty[usize::from(line)].name)
    });
    let kind = concluded.error_kind.map(|kind| &rulebook.error_kinds[usize::from(kind)].name);
    let kind = kind.map(|kind| format!(", kind {kind}"));
    let asked = concluded.success_answer.map(|it| format!(", business logic: {it}"));
    let further = [weighing, sure, kind, asked].into_iter().flatten();
    let Judgement { outcome, class, answer } = concluded.judgement;
    let ending = concluded.ending;
    let issues = concluded.raised().map(|it| format!(", issue {}", it.kind.name()));
    let told = [outcome.name(), class.name(), answer.name()].join(", ");
    let more = issues.chain(further).collect::<Vec<_>>().concat();
    format!("{told}, ending {ending:?}{more}")
}

/// What a rulebook, or the regex before, finds where it is asked.
fn answers(rulebook: &Rulebook, asked: &[&str]) -> String {
    let (mut subject, mut regex, mut told) = (Subject::default(), "", Vec::new());
    for (word, rest) in asked.iter().filter_map(|line| line.split_once(' ')) {
        let text: String = serde_json::from_str(rest).unwrap_or_else(|_| rest.to_owned());
        let reply = Subject { text: &text, ..subject };
        match word {
            "call" => subject.input = rest,
            "tool" => subject.tool = rest,
            "scenario" => subject.scenario = rest,
            "code" => subject.code = rest,
            _ => told.push(match word {
                "reply" => found(rulebook, Observing::Errors, &reply),
                "success" => found(rulebook, Observing::Successes, &reply),
                "own" => {
                    let own = Call::new(subject.input).own_words(&text, "block_below");
                    own.unwrap_or_else(|| "all of it".to_owned())
                }
                "set" => set(rulebook, rest).unwrap_or_else(|error| error.to_string()),
                "number" => number(rulebook, rest).unwrap_or_else(|error| error.to_string()),
                "conclude" => concluded(rulebook, rest),
                "load" => Rulebook::load(rest).expect_err(rest).to_string(),
                "finds" => {
                    let regex = regex::Regex::new(&as_javascript(regex)).expect(regex);
                    let found = regex.find(&text);
                    found.map_or("nothing".to_owned(), |it| format!("{:?}", it.as_str()))
                }
                _ => {
                    let dialect = if word == "rust" { Dialect::Rust } else { Dialect::JsAscii };
                    regex = rest;
                    match LazyRegex::checked(rest, dialect) {
                        _ if LazyRegex::known(rest, dialect).is_narrow() => "in bytes".to_owned(),
                        Ok(_) => "as it is".to_owned(),
                        Err(error) => error,
                    }
                }
            }),
        }
    }
    told.join("\n")
}

fn answer(case: &Case) -> String {
    let words =
        "call tool scenario code reply success own set number conclude load rust javascript finds";
    let words: Vec<&str> = words.split(' ').collect();
    let (asked, text) = case.questions(&words);
    let folder = tempfile::tempdir().expect("a folder");
    let (shown, within) = (folder.path().display().to_string(), folder.path().join("rulebooks"));
    fs::create_dir(&within).expect("a folder");
    let (own, files) = text.split_once("\n--- ").unwrap_or((&text, ""));
    let extended =
        if own.starts_with("name = ") { "" } else { "name = \"own\"\nextends = \"guide\"\n" };
    let own = format!("{extended}{own}\n").replace("FOLDER", &shown);
    for (name, text) in files.split("\n--- ").filter_map(|file| file.split_once('\n')) {
        fs::write(within.join(name), text.to_owned() + "\n").expect("writable");
    }
    let path = within.join("mine.toml");
    fs::write(&path, &own).expect("writable");
    let rulebook = match (text.as_str(), files) {
        ("", _) => Ok(guide()),
        (_, "") => Rulebook::from_toml(&own, "mine.toml"),
        _ => Rulebook::load(path.to_str().expect("a plain path")),
    };
    let told = match rulebook {
        Ok(rulebook) if asked.is_empty() => differences(&rulebook),
        Ok(rulebook) => answers(&rulebook, &asked),
        Err(RulebookError::Invalid(problems)) if files.is_empty() => {
            problems.iter().map(Problem::in_words).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    };
    told.replace(&shown, "FOLDER")
}

#[test]
fn rulebooks_come_to_what_their_cases_list() {
    for file in ["rulebooks", "rulebook-changes", "matching", "decisions"] {
        cases::check(&format!("tests/cases/{file}.txt"), answer);
    }
}

fn check_examples(rulebook: &Rulebook) -> usize {
    let mut checked = 0;
    for example in &rulebook.examples {
        let expect: Value = serde_json::from_str(&example.expect).expect("JSON");
        let exchange = scan_document(&example.exchange, 64).expect("JSON");
        let value: Value = serde_json::from_str(exchange.text()).expect("JSON");
        let reply = &value["response"];
        if reply["isError"] != true {
            continue;
        }
        let input = value["input"].to_string();
        let subject = Subject {
            text: reply["content"][0]["text"].as_str().expect("a text"),
            tool: value["tool"]["name"].as_str().expect("a name"),
            input: &input,
            scenario: value["scenarioCategory"].as_str().unwrap_or_default(),
            code: "",
        };
        let observed = rulebook.observe(&subject, Observing::Errors);
        let decided = rulebook.decide(observed.signals);
        let place = format!("{} ({})", example.name, example.place);
        if let Some(answer) = expect.get("business_logic") {
            assert_eq!(*answer, decided.business_logic, "{place}");
        }
        if let Some(score) = expect.get("score").and_then(Value::as_f64) {
            assert!(
                (score - decided.weighing.score).abs() < 1e-12,
                "{place}: {}",
                decided.weighing.score
            );
        }
        if let Some(threshold) = expect.get("threshold").and_then(Value::as_f64) {
            assert_eq!(Some(threshold), decided.weighing.threshold, "{place}");
        }
        for (name, holds) in expect["signals"].as_object().into_iter().flatten() {
            let signal = rulebook.signals.iter().position(|signal| signal.name == *name);
            assert_eq!(*holds, observed.signals.has(signal.expect(name)), "{place}: {name}");
        }
        checked += 1;
    }
    checked
}

#[test]
fn the_built_in_rulebooks_keep_their_promises() {
    for name in builtin_names() {
        let rulebook = Rulebook::builtin(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rulebook.warnings, [], "{name}");
        assert_eq!(rulebook.broken_examples(), [], "{name}");
        let checked = check_examples(&rulebook);
        assert_eq!(checked > 5, rulebook.examples.len() > 5, "{name}");
    }
}

#[test]
fn a_signal_too_many_is_an_error() {
    let signals: Vec<String> =
        (0..129).map(|n| format!("[signals.f{n}]\ncontains = [\"x\"]\n")).collect();
    let text = format!("name = \"x\"\nextends = \"guide\"\n{}", signals.concat());
    let error = Rulebook::from_toml(&text, "mine.toml").expect_err("too many").to_string();
    assert!(error.contains("at most 128 signals"), "{error}");
}

#[test]
fn hostile_text_is_an_error_and_never_a_panic() {
    let guide = builtin_source("guide").expect("built in");
    for at in (0..guide.len()).step_by(997).filter(|at| guide.is_char_boundary(*at)) {
        if let Ok(rulebook) = Rulebook::from_toml(&guide[..at], "cut") {
            assert!(rulebook.examples.len() < guide.matches("[[examples]]").count());
        }
    }
    let deep =
        format!("name = \"x\"\nextends = \"guide\"\n[signals.f]\nnot = {}", "[".repeat(5000));
    assert!(Rulebook::from_toml(&deep, "deep").is_err());
    let deep = "{ not = ".repeat(2000) + "\"a\"" + &" }".repeat(2000);
    assert!(Rulebook::from_toml(&format!("[signals]\na = {deep}"), "deep").is_err());
    assert!(Rulebook::from_toml("\u{feff}\0", "bytes").is_err());
}

#[test]
fn digests_tell_definitions_apart() {
    let digest = |signal: &str| extending(&format!("[signals.f]\n{signal}\n")).digest;
    let digests = [
        "all = [{ contains = [\"a\", \"b\"] }, { contains = [\"c\"] }]",
        "all = [{ contains = [\"a\"] }, { contains = [\"b\", \"c\"] }]",
        "any = [{ contains = [\"a\"] }, { contains = [\"b\", \"c\"] }]",
        "contains = [\"a\", \"b\", \"c\"]",
        "contains = [\"a\", \"b\", \"c\"]\nmatch = \"word\"",
        "contains = [\"a\", \"b\", \"c\"]\nin = \"input\"",
        "equals = [\"a\"]",
        "regex = '\\d'",
        "regex = '\\d'\ncase = \"exact\"",
        "regex = '\\d'\ndialect = \"rust\"",
        "regex = '\\d'\nneeds = [\"id\"]",
    ]
    .map(digest);
    let distinct: HashSet<&String> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());
}

#[test]
fn the_digest_is_of_the_content_alone() {
    let guide = guide();
    let digest = |text: &str| Rulebook::from_toml(text, "x").expect("good").digest;
    let source = builtin_source("guide").expect("built in");
    assert_eq!(digest(&source.replace("# ", "#   ").replace(" = ", "   = ")), guide.digest);
    assert_eq!(guide.with_settings(&[]).expect("good").digest, guide.digest);
}

fn shared() -> Option<PathBuf> {
    let folder = env::var_os("TAPECHECK_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    folder.join("reference/expected.jsonl.gz").is_file().then_some(folder)
}

fn lines(path: PathBuf) -> Vec<String> {
    let mut text = Vec::new();
    let file = File::open(path).expect("readable");
    flate2::read::GzDecoder::new(file).read_to_end(&mut text).expect("gzip");
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}

/// What a rulebook observes and decides of the error replies among the recorded exchanges, by their ids.
type Judged = HashMap<String, (SignalSet, Decided)>;

fn judged(rulebook: &Rulebook, exchanges: &[String]) -> Judged {
    let mut judged_as = HashMap::new();
    for line in exchanges {
        let Ok(raw) = scan_document(line, 100_000) else { continue };
        let id = raw.member("id").and_then(Raw::as_str).expect("an id").decode();
        let content = raw.member("response").and_then(|response| response.member("content"));
        let Some(content) = content else { continue };
        let name = raw.member("tool").and_then(|tool| tool.member("name"));
        let tool = name.and_then(Raw::as_str).map(RawStr::decode).unwrap_or_default();
        let first = content.elements().and_then(|blocks| blocks.first().copied());
        // JavaScript's `content[0]` finds the member "0" of an object as well.
        let text = first
            .or_else(|| content.member("0"))
            .filter(|block| {
                block.member("type").and_then(Raw::as_str).is_some_and(|k| k.is("text"))
            })
            .and_then(|block| block.member("text"))
            .and_then(Raw::as_str)
            .map(|text| text.decode().into_owned())
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| js_stringify(content));
        let subject = Subject { text: &text, tool: &tool, ..Subject::default() };
        let observed = rulebook.observe(&subject, Observing::Errors);
        let decided = rulebook.decide(observed.signals);
        judged_as.insert(id.into_owned(), (observed.signals, decided));
    }
    judged_as
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_built_in_rulebooks_agree_with_the_recorded_answers() {
    let Some(shared) = shared() else {
        eprintln!("skipped: ../shared/reference is not there");
        return;
    };
    let exchanges = lines(shared.join("reference/exchanges.jsonl.gz"));
    let book = guide();
    let guide = judged(&book, &exchanges);
    let inspector = judged(&Rulebook::builtin("inspector").expect("built in"), &exchanges);
    let (mut guide_compared, mut inspector_compared, mut wrong) = (0, 0, Vec::new());
    for line in lines(shared.join("reference/expected.jsonl.gz")) {
        let raw = scan_document(&line, 100).expect("JSON");
        // The recorded answers quote lone surrogates, which a strict parser refuses.
        let expected: Value = to_value(raw);
        let id = expected["id"].as_str().expect("an id");
        if let (Some(wanted), Some((signals, decided))) = (expected.get("guide"), guide.get(id)) {
            guide_compared += 1;
            let holds = |name: &str| {
                book.signals.iter().position(|it| it.name == name).map(|at| signals.has(at))
            };
            let mut facts = wanted["facts"].as_object().expect("signals").iter();
            let agrees = facts.all(|(name, value)| holds(name) == value.as_bool())
                && wanted["business_logic"] == decided.business_logic
                && wanted["score"].as_f64() == Some(decided.weighing.score)
                && wanted["threshold"].as_f64() == decided.weighing.threshold;
            if !agrees {
                wrong.push(format!("guide: {id}"));
            }
        } else if expected.get("guide").is_some() {
            wrong.push(format!("guide: {id} was not judged"));
        }
        let answer = expected["inspector"]["businessLogic"].as_bool();
        let is_error = expected["inspector"]["isError"] == true;
        if let (Some(wanted), true) = (answer, is_error) {
            inspector_compared += 1;
            if inspector.get(id).map(|(_, decided)| decided.business_logic) != Some(wanted) {
                wrong.push(format!("inspector: {id}"));
            }
        }
    }
    assert!(guide_compared > 1000 && inspector_compared > 1000);
    assert!(wrong.is_empty(), "{} disagree: {:?}", wrong.len(), &wrong[..wrong.len().min(20)]);
}

fn extending(text: &str) -> Rulebook {
    let text = format!("name = \"own\"\nextends = \"guide\"\n{text}");
    Rulebook::from_toml(&text, "own.toml").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn all_edits_put_back_give_the_earlier_rulebook_and_none_the_later() {
    let mut rulebooks: Vec<Rulebook> =
        builtin_names().iter().map(|name| Rulebook::builtin(name).expect("built in")).collect();
    rulebooks.push(extending(
        "[[decide]]\nname = \"validation tool\"\nbefore = \"mcp code\"\n[[decide]]\nname = \"status\"\n\
         if = \"http_status\"\nreturn = false\nbefore = \"validation tool\"\n[hidden_failure]\n\
         if = \"http_status\"\n[remove]\nfactors = [\"http_status\"]\n",
    ));
    for before in &rulebooks {
        for after in &rulebooks {
            let edits = Edits::between(before, after).expect("texts");
            let every: Vec<usize> = (0..edits.all().len()).collect();
            let names = format!("{} -> {}", before.name, after.name);
            for (put_back, wanted) in [(&every[..], before), (&[], after)] {
                let text = edits.put_back(put_back);
                let got = Rulebook::from_toml(&text, "hybrid")
                    .unwrap_or_else(|error| panic!("{names}: {error}\n{text}"));
                let left = Edits::between(wanted, &got).expect("texts");
                assert_eq!(left.all(), [], "{names}");
                assert!(edits.observing(put_back).is_some(), "{names}");
                assert!(edits.deciding(put_back).is_some(), "{names}");
            }
        }
    }
}

#[test]
fn what_a_line_rests_on_is_put_back_with_it() {
    let before = extending(
        "[signals.own]\ncontains = \"owned\"\n[lists.owned]\nentries = [\"own\"]\n[[decide]]\n\
         name = \"own\"\nif = \"own\"\nreturn = true\nbefore = \"mcp code\"\n",
    );
    let edits = Edits::between(&before, &guide()).expect("texts");
    let line = edits.all().iter().position(|edit| edit.part == Part::Line).expect("a line");
    let hybrid = Rulebook::from_toml(&edits.put_back(&[line]), "hybrid").expect("good");
    assert!(hybrid.signals.iter().any(|signal| signal.name == "own"));
    assert_eq!(hybrid.decide[0].name, "own");
}
