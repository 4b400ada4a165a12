//! Against the recorded answers of the validators that the built-in rulebooks stand for.

use super::{Decided, Observing, Rulebook, Subject};
use crate::json::{Raw, RawStr, js_stringify, scan_document, to_value};
use crate::verdict::SignalSet;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;

fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("TAPECHECK_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    folder.join("reference/expected.jsonl.gz").is_file().then_some(folder)
}

fn lines(path: PathBuf) -> Vec<String> {
    let mut text = Vec::new();
    let file = std::fs::File::open(path).expect("readable");
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
    let book = Rulebook::builtin("guide").expect("built in");
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
                && wanted["score"].as_f64() == Some(decided.score)
                && wanted["threshold"].as_f64() == decided.threshold;
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
