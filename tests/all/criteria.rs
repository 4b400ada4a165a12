//! Criteria of rulebooks and contracts, through the built program.

use crate::harness::{Place, finish, lines, program};
use crate::support::read_table;
use serde_json::{Value, json};
use tapecheck::internals::check::judge_result::read_result;
use tapecheck::internals::json::scan_document;
use tapecheck::internals::store::Table;

const RICH: &str = r#"{"id":"rich","server":"bank","tool":"balance","input":{"of":"ada"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"amount":70,"currency":"EUR"}}}"#;
const POOR: &str = r#"{"id":"poor","server":"bank","tool":"balance","input":{"of":"bob"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{"amount":-3,"currency":"EUR"}}}"#;
const VAGUE: &str = r#"{"id":"vague","server":"bank","tool":"balance","input":{"of":"eve"},"response":{"content":[{"type":"text","text":"as JSON"}],"structuredContent":{}}}"#;
const OTHER: &str = r#"{"id":"other","server":"hall","tool":"greet","input":{},"response":{"content":[{"type":"text","text":"hello"}]}}"#;

/// The four exchanges, judged under the guide with this criterion.
fn judged(criterion: &str) -> Vec<Value> {
    run(criterion).verdicts()
}

fn run(criterion: &str) -> Place {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[RICH, POOR, VAGUE, OTHER]));
    let rulebook = place.root().join("mine.toml");
    let text = format!("name = \"mine\"\nextends = \"guide\"\n\n[[criteria]]\n{criterion}");
    std::fs::write(&rulebook, text).expect("a file");
    place.run(&["--rulebook", rulebook.to_str().expect("UTF-8")]).ended_with(0);
    place.adds_up();
    place
}

const SOLVENT: &str = "name = \"solvent\"\nabout = \"Nobody owes the bank\"\ntools = [\"balance\"]\n\
    expression = \"output.amount >= 0\"\n";

#[test]
fn a_criterion_is_met_or_not() {
    let verdicts = judged(SOLVENT);
    assert_eq!(verdicts[0]["passed_criteria"], json!(["solvent"]));
    assert_eq!(verdicts[0]["failed_criteria"], json!([]));
    assert_eq!(verdicts[0]["issues"], json!([]));
    assert_eq!(verdicts[0]["valid"], true);

    assert_eq!(verdicts[1]["passed_criteria"], json!([]));
    assert_eq!(verdicts[1]["failed_criteria"], json!(["solvent"]));
    let issue = &verdicts[1]["issues"][0];
    assert_eq!(issue["type"], "criteria_not_met");
    assert_eq!(issue["severity"], "error");
    assert_eq!(issue["message"], "Criterion 'solvent' is not met: Nobody owes the bank");
    assert_eq!(verdicts[1]["valid"], false);

    assert_eq!(verdicts[3]["passed_criteria"], json!([]), "it is not about other tools");
    assert_eq!(verdicts[3]["failed_criteria"], json!([]));
}

#[test]
fn a_criterion_that_cannot_be_decided_is_ambiguous_and_no_failure() {
    let verdicts = judged(SOLVENT);
    let vague = &verdicts[2];
    assert_eq!((&vague["passed_criteria"], &vague["failed_criteria"]), (&json!([]), &json!([])));
    let issue = &vague["issues"][0];
    assert_eq!(issue["type"], "criteria_ambiguous");
    assert_eq!(issue["severity"], "warning");
    let message = issue["message"].as_str().expect("text");
    assert!(message.contains("'solvent' cannot be decided"), "{message}");
    assert!(message.contains("the missing field `amount`"), "{message}");
    assert_eq!(vague["valid"], true);
}

#[test]
fn a_doubt_is_in_the_confidence_its_band_and_what_show_lists() {
    let place = run(SOLVENT);
    let table = read_table(&place.out(), Table::Verdicts);
    let columns = ["confidence", "confidence_percent", "confidence_band"];
    assert_eq!(columns.map(|name| table.text(name, 2)), ["0.89", "100", "high"]);
    let line = &place.verdicts()[2];
    assert_eq!([&line["confidence"], &line["confidence_percent"]], [&json!(0.89), &json!(100.0)]);
    let below = |most: &str| {
        finish(program().arg("show").arg(place.out()).args(["--filter", &format!("below={most}")]))
            .ended_with(0)
    };
    below("95").printing("1 call with a confidence below 95").printing("confidence  89");
    below("89").printing("0 calls with a confidence below 89");
}

#[test]
fn a_verdict_with_doubts_is_a_judge_result_without_contradictions() {
    let vague = &judged(SOLVENT)[2];
    assert_eq!(vague["confidence"], 0.89);
    assert_eq!(vague["confidence_percent"], 100.0, "the classification itself is not in doubt");
    let text = vague.to_string();
    let own = read_result(scan_document(&text, 64).expect("JSON")).expect("a result");
    assert_eq!(own.complaints(), []);
}

#[test]
fn criteria_see_the_call_and_the_verdict() {
    let verdicts = judged(
        "name = \"sure\"\nexpression = \"verdict.confidence > 0.9 && !verdict.is_error && (!has(input.of) || input.of != 'bob')\"\n",
    );
    let passed: Vec<bool> =
        verdicts.iter().map(|verdict| verdict["passed_criteria"] == json!(["sure"])).collect();
    assert_eq!(passed, [true, false, true, true]);
}

#[test]
fn whatever_an_expression_costs_or_breaks_it_ends() {
    let list: Vec<String> = (0..400).map(|n| n.to_string()).collect();
    let list = list.join(",");
    let loops =
        format!("[{list}].all(a, [{list}].all(b, a + b >= 0 && [1,2,3,4,5,6,7,8].all(c, c > 0)))");
    for (expression, why) in [
        (loops.as_str(), "costs more than its bound"),
        ("9223372036854775807 + size(output.currency) > 0", "overflows"),
        ("1 / (size(output.currency) - 3) > 0", "divides by zero"),
        ("output.amount", "true or false"),
    ] {
        let text =
            format!("name = \"odd\"\ntools = [\"balance\"]\nexpression = \"{expression}\"\n");
        let verdicts = judged(&text);
        let issue = &verdicts[0]["issues"][0];
        assert_eq!(issue["type"], "criteria_ambiguous", "{expression}: {issue}");
        let message = issue["message"].as_str().expect("text");
        assert!(message.contains(why), "{expression}: {message}");
        assert_eq!(verdicts[0]["failed_criteria"], json!([]));
    }
    // What comes with recordings must not take as long as it likes: criteria share a budget.
    let two = format!(
        "name = \"odd\"\nexpression = \"{loops}\"\n[[criteria]]\nname = \"next\"\nexpression = \"true\"\n"
    );
    let message = &judged(&two)[0]["issues"][1]["message"];
    let message = message.as_str().expect("text");
    assert!(message.contains("'next' cannot be decided: those evaluated before it"), "{message}");
}

#[test]
fn a_syntax_error_is_told_at_its_place_with_all_others() {
    let place = Place::with_good_recording();
    let rulebook = place.root().join("mine.toml");
    let text = "name = \"mine\"\nextends = \"guide\"\n\n[[criteria]]\nname = \"a\"\n\
        expression = \"output.amount >> 0\"\n\n[[criteria]]\nname = \"a\"\nexpression = \"outptu.x\"\n\
        tool = \"x\"\n\n[[criteria]]\nexpression = \"true\"\n";
    std::fs::write(&rulebook, text).expect("a file");
    let ran = place.run(&["--rulebook", rulebook.to_str().expect("UTF-8")]).ended_with(2);
    for told in [
        "this is not CEL",
        "mine.toml:6:30",
        "mine.toml:10:15",
        "unknown key `tool`",
        "did you mean `tools`?",
        "`name` is missing here",
    ] {
        assert!(ran.err.contains(told), "`{told}` is not told in:\n{}", ran.err);
    }
    assert!(!place.out().exists(), "nothing ran");
}

#[test]
fn contracts_bring_criteria_too() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[RICH, POOR, OTHER]));
    // Without a word on whom they are asked of, it is those that the contract is about.
    for criterion in [SOLVENT, &SOLVENT.replace("tools = [\"balance\"]\n", "")] {
        for servers in ["", "servers = \"bank\"\n"] {
            let contract =
                format!("name = \"bank\"\n{servers}[tools.balance]\n[[criteria]]\n{criterion}");
            let bank = place.recording("bank.toml", contract);
            place.run(&["--contract", bank.to_str().expect("UTF-8")]).ended_with(0);
            assert_eq!(place.each("failed_criteria"), ["[]", "[\"solvent\"]", "[]"]);
        }
    }
    assert_eq!(place.verdicts()[2]["issues"], json!([]), "no other tool is asked");
}

#[test]
fn only_the_contract_that_counts_has_its_criteria_asked() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[RICH, OTHER]));
    let run = || {
        let files = ["one.toml", "two.toml"].map(|name| place.recordings().join(name));
        let named = files.iter().flat_map(|name| ["--contract", name.to_str().expect("UTF-8")]);
        place.run(&named.collect::<Vec<_>>())
    };
    let contract = |name: &str, tools: &str, criterion: &str, expression: &str| {
        let criterion =
            format!("[[criteria]]\nname = \"{criterion}\"\nexpression = \"{expression}\"\n");
        place.recording(&format!("{name}.toml"), format!("name = \"{name}\"\n{tools}{criterion}"));
    };
    contract("one", "[tools.balance]\n", "of one", "true");
    contract("two", "[tools.balance]\n[tools.greet]\n", "of two", "false");
    run().ended_with(0);
    assert_eq!(place.each("passed_criteria"), ["[\"of one\"]", "[]"]);
    assert_eq!(place.each("failed_criteria"), ["[]", "[\"of two\"]"]);

    contract("two", "[tools.balance]\n[tools.greet]\n", "of one", "false");
    let told =
        "two criteria are called `of one`, one in the contract `one` and one in the contract `two`";
    run().ended_with(2).complaining(told);
}
