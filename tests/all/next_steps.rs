//! What commands print as the next step is run here as it would be pasted.

use crate::harness::{Place, Ran, finish, lines, program};
use serde_json::json;
use std::fs;

/// A folder with a corpus `recordings`: an error that calibrated takes for a refusal, and is labelled a failure.
struct Desk(Place);

impl Desk {
    fn new() -> Self {
        let place = Place::new();
        let call = |id: u32, is_error: bool, text: &str| {
            json!({"id": id, "server": "mail", "tool": "send", "input": {"n": id},
                "response": {"isError": is_error, "content": [{"type": "text", "text": text}]}})
            .to_string()
        };
        let calls = [
            call(1, false, "sent to ann"),
            call(2, true, "The relay cannot take mail at present"),
            call(3, true, "Quota used up: 50 mails a day"),
            call(4, true, "wheels fell off"),
        ];
        place.recording("mail.jsonl", lines(&calls));
        let labels = [(1, "ok"), (2, "tool_failure"), (3, "business_logic")]
            .map(|(id, label)| json!({"file": "mail.jsonl", "id": id, "label": label}).to_string());
        place.recording("labels.jsonl", lines(&labels));
        Self(place)
    }

    /// Runs a command as a shell in that folder would.
    fn pasted(&self, command: &str) -> Ran {
        let words = command.strip_prefix("tapecheck ").expect("a command of ours");
        assert!(!words.contains('\''), "quoted words need a shell: {words}");
        finish(program().current_dir(self.0.root()).args(words.split(' ')))
    }
}

/// The command that follows these words, up to its end.
fn advised<'t>(text: &'t str, words: &str, end: char) -> &'t str {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no {words} in:\n{text}"));
    rest.split(end).next().unwrap_or_default().trim()
}

#[test]
fn what_if_says_what_judges_the_recordings_again() {
    let desk = Desk::new();
    let tried = "tapecheck diff recordings --set lists.quotas.add=[\"wheels\"]";
    let ran = desk.pasted(tried).ended_with(3);
    assert!(ran.err.contains("add --write new.toml to this command"), "{}", ran.err);
    desk.pasted(&format!("{tried} --write new.toml")).ended_with(3);
    let diff = desk.pasted(advised(&ran.err, "to this command, then ", ';')).ended_with(0);
    assert!(diff.out.contains("rulebook calibrated"), "{}", diff.out);
    assert!(diff.out.contains("pattern 'wheels' now matches"), "{}", diff.out);
}

#[test]
fn what_if_lists_the_exchanges_of_a_group() {
    let desk = Desk::new();
    let ran =
        desk.pasted("tapecheck diff recordings --set factors.statement.weight=0").ended_with(0);
    let group = advised(&ran.out, "\nstricter ", ':').to_owned();
    let command = advised(&ran.out, "all calls of a group: ", '\n').replace("ID", &group);
    let listed = desk.pasted(&command).ended_with(0);
    assert!(listed.out.starts_with("mail.jsonl:2 "), "{}", listed.out);
    assert_eq!(listed.out.lines().count(), 1, "{}", listed.out);
}

#[test]
fn stats_explains_a_wrong_answer() {
    let desk = Desk::new();
    let ran = desk.pasted("tapecheck stats recordings --show mistakes").ended_with(0);
    let explained = desk.pasted(advised(&ran.out, "see ", '\n')).ended_with(0);
    assert!(explained.out.contains("recording     mail.jsonl:2"), "{}", explained.out);
    assert!(explained.out.contains("rulebook      calibrated"), "{}", explained.out);
    assert!(explained.out.starts_with("refused"), "as stats has it: {}", explained.out);
}

#[test]
fn a_run_in_a_folder_of_its_own_prints_how_its_error_report_is_read() {
    let desk = Desk::new();
    let ran = desk.pasted("tapecheck run recordings --out results -v").ended_with(0);
    let command = format!("tapecheck show {}", advised(&ran.out, "tapecheck show ", '\n'));
    let report = desk.pasted(&command).ended_with(0);
    assert!(report.out.contains("wheels fell off"), "{}", report.out);
}

#[test]
fn a_gate_explains_by_the_checks_and_the_rulebook_that_it_judged_by() {
    let desk = Desk::new();
    let contract = "name = \"mail\"\n[tools.send.input.properties]\nn = { type = \"string\", required = true }\n\
        [tools.send.output.properties]\nsent = { const = true, required = true }\n";
    fs::write(desk.0.root().join("mail.toml"), contract).expect("a contract");
    fs::write(
        desk.0.root().join("gate.toml"),
        "default = false\n[new_issue_types]\n[labels]\nleast = 100\n",
    )
    .expect("a policy");
    desk.pasted("tapecheck run recordings --quiet --rulebook guide --out before").ended_with(0);
    let gate =
        "tapecheck gate recordings --baseline before --policy gate.toml --contract mail.toml";
    let ran = desk.pasted(gate).ended_with(1);
    let command = format!("tapecheck explain {}", advised(&ran.out, "`tapecheck explain ", '`'));
    assert!(command.ends_with("--contract mail.toml"), "{command}");
    let explained = desk.pasted(&command).ended_with(0);
    assert!(explained.out.contains("rulebook      guide"), "{}", explained.out);
    assert!(explained.out.contains("invalid_type"), "by the contract: {}", explained.out);
}

#[test]
fn demo_says_how_to_judge_its_nights_and_how_to_look_at_them() {
    let desk = Desk::new();
    let ran =
        desk.pasted("tapecheck demo recordings --out nights --nights 8 --calls 40").ended_with(0);
    desk.pasted(advised(&ran.out, "next: ", ',')).ended_with(0);
    let trend = desk.pasted(advised(&ran.out, ", then ", '\n')).ended_with(0);
    assert!(trend.out.contains("8 nights with"), "{}", trend.out);
}
