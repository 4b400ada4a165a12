//! What rulebooks come to, as files of cases list it: mistakes, changes, settings, and what is found in replies.

use super::edit::Edits;
use super::matching::Call;
use super::{
    Dialect, LazyRegex, Observing, Problem, Rulebook, RulebookError, Setting, SettingError, Subject,
};
use crate::cases::{self, Case};
use crate::verdict::{Certainty, Conclusion, Fate, Ground, Observed, SignalSet, Signals, Weighing};
use std::fs;

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
fn found(rulebook: &Rulebook, which: Observing, text: &str, input: &str) -> String {
    let guide = guide();
    let is_guide = rulebook.digest == guide.digest;
    let observed = rulebook.observe(&Subject { text, input, ..Subject::default() }, which);
    let place = |text: &str, start: u32, end: u32| {
        format!("[{}] at {start}", &text[start as usize..end as usize])
    };
    let hits = observed.hits.iter().filter_map(|hit| {
        let list = &rulebook.patterns[usize::from(hit.pattern)].list;
        let quoted = hit.call.map(|it| format!(" of {}", place(input, it.start, it.end)));
        let told =
            format!("{list} {}{}", place(text, hit.start, hit.end), quoted.unwrap_or_default());
        let is_own = is_guide || guide.patterns.iter().all(|other| other.list != *list);
        is_own.then_some(told)
    });
    let hits: Vec<String> = hits.collect();
    if hits.is_empty() { "nothing".to_owned() } else { hits.join(", ") }
}

/// What a reply of some kind comes to by its signals.
fn concluded(rulebook: &Rulebook, asked: &str) -> String {
    let mut words = asked.split(' ');
    let named = words.next().unwrap_or_default();
    let ground = Ground::ALL.into_iter().find(|ground| ground.name() == named).expect(named);
    let (mut signals, mut fate) = (SignalSet::default(), Fate::Settled);
    for word in words {
        if let Some(told) = Fate::ALL.into_iter().find(|fate| fate.name() == word) {
            fate = told;
            continue;
        }
        let (before, is_all) = (signals, word == "all");
        let all = rulebook.signals.iter().enumerate();
        all.filter(|(_, it)| is_all || it.name == word).for_each(|(at, _)| signals.insert(at));
        assert!(signals != before, "no signal {word}");
    }
    let observed = Observed { fate, ..Observed::new(ground, Signals::Of(signals)) };
    let concluded = rulebook.conclude(&observed);
    let weighing = concluded.weighing.map(|Weighing { score, threshold, line }| {
        let line = line.map(|line| &*rulebook.decide[usize::from(line)].name);
        format!(", score {score} of {threshold:?} by {}", line.unwrap_or("nothing"))
    });
    let sure = concluded.certainty.map(|Certainty { line, value }| {
        format!(", sure {value} by {}", rulebook.certainty[usize::from(line)].name)
    });
    let [weighing, sure] = [weighing, sure].map(Option::unwrap_or_default);
    let Conclusion { outcome, classification, answer, ending, .. } = concluded;
    let issues = concluded.raised().map(|it| format!(", issue {}", it.kind.name()));
    let issues = issues.collect::<Vec<_>>().concat();
    let told = [outcome.name(), classification.name(), answer.name()].join(", ");
    format!("{told}, ending {ending:?}{issues}{weighing}{sure}")
}

fn answers(rulebook: &Rulebook, asked: &[&str]) -> String {
    let (mut call, mut told) = ("", Vec::new());
    for (word, rest) in asked.iter().filter_map(|line| line.split_once(' ')) {
        let text = serde_json::from_str(rest).unwrap_or_else(|_| rest.to_owned());
        told.push(match word {
            "call" => {
                call = rest;
                continue;
            }
            "reply" => found(rulebook, Observing::Errors, &text, call),
            "success" => found(rulebook, Observing::Successes, &text, call),
            "own" => {
                let own = Call::new(call).own_words(&text, "block_below");
                own.unwrap_or_else(|| "all of it".to_owned())
            }
            "set" => set(rulebook, rest).unwrap_or_else(|error| error.to_string()),
            "number" => number(rulebook, rest).unwrap_or_else(|error| error.to_string()),
            "conclude" => concluded(rulebook, rest),
            "load" => Rulebook::load(rest).expect_err(rest).to_string(),
            _ => {
                let dialect = if word == "rust" { Dialect::Rust } else { Dialect::JsAscii };
                let is_narrow = LazyRegex::known(rest, dialect).is_narrow();
                if is_narrow { "in bytes" } else { "as it is" }.to_owned()
            }
        });
    }
    told.join("\n")
}

fn answer(case: &Case) -> String {
    let words = [
        "call",
        "reply",
        "success",
        "own",
        "set",
        "number",
        "conclude",
        "load",
        "rust",
        "javascript",
    ];
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
