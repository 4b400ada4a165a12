//! Reviewing: decisions on a screen in a real terminal and by commands, and what files they leave.

#[cfg(unix)]
mod picture;
#[cfg(unix)]
pub(crate) mod terminal;

use crate::harness::{Place, Ran, finish, names_in, program};
use serde_json::Value;
use std::fs;
use std::ops::Deref;

const BASELINE: &str = "snapshots/recordings/mine.snap";
const LOG: &str = "snapshots/recordings/mine.review.jsonl";
const LABELS: &str = "snapshots/recordings/labels.jsonl";

const RULEBOOK: &str = "# Ours.\nname = \"mine\"\nextends = \"guide\"\n";
/// What somebody changed: errors of two kinds are failures now.
const CHANGED: &str = "# Ours.\nname = \"mine\"\nextends = \"guide\" # for now\n\n[lists.business_patterns]\nremove = [\"conflict\", \"not found\"]";

/// A folder with recordings, a rulebook, and a baseline that was accepted before the rulebook changed.
struct Scene {
    place: Place,
}

fn exchange((id, server, tool): (u32, &str, &str), error: &str) -> String {
    format!(
        r#"{{"id":{id},"server":"{server}","tool":{{"name":"{tool}"}},"input":{{"number":{id}}},"response":{{"isError":true,"content":[{{"type":"text","text":"{error}"}}]}}}}"#
    ) + "\n"
}

fn fine(id: u32) -> String {
    format!(
        r#"{{"id":{id},"server":"users","tool":{{"name":"ping"}},"input":{{}},"response":{{"content":[{{"type":"text","text":"pong {id}"}}]}}}}"#
    ) + "\n"
}

impl Deref for Scene {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl Scene {
    /// Everything accepted, and nothing changed yet.
    fn before() -> Self {
        let scene = Self { place: Place::new() };
        let users = [
            exchange((1, "users", "get_user"), "User 12 not found"),
            exchange((2, "users", "get_user"), "User 99 not found"),
            fine(3),
        ];
        let orders = [
            exchange((4, "orders", "get_order"), "Order 7 not found"),
            exchange((5, "orders", "get_order"), "conflict with order 8"),
            exchange((6, "orders", "get_order"), "Internal error"),
        ];
        let stock = [exchange((7, "在庫", "get_stock"), "conflict: \\u001b[31mtwo\\u202e bins")];
        scene.write("recordings/users.jsonl", &users.concat());
        scene.write("recordings/orders.jsonl", &orders.concat());
        scene.write("recordings/stock.jsonl", &stock.concat());
        scene.write("mine.toml", RULEBOOK);
        scene.run(&["review", "--all", "recordings", "--rulebook", "mine.toml"]).ended_with(0);
        scene
    }

    /// The rulebook changed.
    fn new() -> Self {
        let scene = Self::before();
        scene.new_rulebook();
        scene
    }

    fn new_rulebook(&self) -> &Self {
        self.write("mine.toml", CHANGED);
        self
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_as_ann(arguments)
    }

    /// Runs a command about the recordings as they are judged now.
    fn decide(&self, more: &[&str]) -> Ran {
        self.run(&[&["review", "recordings", "--rulebook", "mine.toml"], more].concat())
    }

    /// The ids of the groups that have these words.
    fn groups(&self, words: &str) -> Vec<String> {
        let listed = self.decide(&["--filter", words]).out;
        let heads = listed.lines().filter(|line| line.starts_with('['));
        heads.filter_map(|line| line[4..].split("  ").next()).map(str::to_owned).collect()
    }

    fn group(&self, words: &str) -> String {
        let groups = self.groups(words);
        assert_eq!(groups.len(), 1, "{words}: {groups:?}");
        groups[0].clone()
    }

    fn log(&self) -> Vec<Value> {
        let lines = self.read(LOG);
        lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// The exchanges of the baseline whose lines have this word.
    fn accepted(&self, word: &str) -> Vec<String> {
        let text = self.read(BASELINE);
        let accepted = text.lines().filter(|line| line.starts_with("{\"server\""));
        accepted.filter(|line| line.contains(word)).map(str::to_owned).collect()
    }
}

/// What a log says was done, about how many exchanges.
fn deeds(log: &[Value]) -> Vec<(&str, Option<u64>)> {
    log.iter()
        .map(|line| (line["what"].as_str().unwrap_or_default(), line["exchanges"].as_u64()))
        .collect()
}

#[test]
fn without_a_terminal_the_commands_are_listed() {
    let scene = Scene::new();
    let listed = scene.decide(&[]).ended_with(1);
    let group = scene.group("not found");
    for wanted in [
        "pattern 'not found' no longer matches".to_owned(),
        "User 12 ⟦not found⟧".to_owned(),
        format!("tapecheck review recordings --rulebook mine.toml --accept {group}"),
        format!("tapecheck review recordings --rulebook mine.toml --reject {group} --note WHY"),
        "left      5 of 5 calls".to_owned(),
    ] {
        assert!(listed.out.contains(&wanted), "no {wanted} in:\n{}", listed.out);
    }
    assert!(!listed.out.contains('\u{1b}') && !listed.out.contains('\u{202e}'));
    assert!(!scene.path(LOG).exists(), "looking leaves nothing");
}

#[test]
fn accepting_everything_is_what_a_first_baseline_would_be() {
    let scene = Scene::new();
    scene.decide(&["--all", "--note", "agreed"]).ended_with(0);
    let accepted = scene.read(BASELINE);
    let fresh = Scene::new();
    fs::remove_file(fresh.path(BASELINE)).expect("a file");
    fresh.run(&["review", "--all", "recordings", "--rulebook", "mine.toml"]).ended_with(0);
    assert_eq!(accepted, fresh.read(BASELINE));
    scene.decide(&[]).ended_with(0);
    let check = scene.run(&["review", "--list", "recordings", "--rulebook", "mine.toml"]);
    check.ended_with(0);
    let log = scene.log();
    assert_eq!(deeds(&log), [("accept", Some(3)), ("accept", Some(2)), ("written", None)]);
    assert_eq!((&log[0]["who"], &log[0]["note"]), (&"ann".into(), &"agreed".into()));
}

#[test]
fn a_rejection_becomes_an_example_that_fails() {
    let scene = Scene::new();
    let before = scene.read(BASELINE);
    let group = scene.group("conflict");
    scene.decide(&["--reject", &group]).ended_with(2).complaining("--note");
    scene.decide(&["--reject", &group, "--note", " "]).ended_with(2);
    let ran = scene.decide(&["--reject", &group, "--note", "it's the ''' order"]);
    let ran = ran.ended_with(0);
    assert!(ran.out.contains("2 examples, failing until the rulebook is corrected"), "{}", ran.out);
    assert_eq!(scene.read(BASELINE), before, "nothing was accepted");
    let rulebook = scene.read("mine.toml");
    assert!(rulebook.starts_with(CHANGED), "what stood there stands there");
    assert!(rulebook.contains("# Rejected by ann on "), "{rulebook}");
    let check = scene.run(&["check", "mine.toml"]).ended_with(1);
    assert!(check.out.contains("business_logic should be true, but is false"), "{}", check.out);
    assert!(check.out.contains("get_order of orders"), "{}", check.out);
    // Once more, nothing new is written: the decision stands.
    scene.decide(&["--reject", &group, "--note", "still"]).ended_with(0);
    assert_eq!(scene.read("mine.toml"), rulebook);
    // With the rulebook mended the examples hold and nothing is left to say.
    scene.write("mine.toml", &rulebook.replace("\"conflict\", ", ""));
    let check = scene.run(&["check", "mine.toml"]);
    assert!(!check.out.contains("failing_example"), "{}", check.out);
    assert_eq!(scene.groups("conflict"), [""; 0]);
}

#[test]
fn without_a_rulebook_of_ours_rejections_become_labels() {
    let scene = Scene::before();
    let run = ["run", "recordings", "--quiet", "--out", "run", "--rulebook"];
    scene.write("other.toml", &CHANGED.replace("\"conflict\", ", ""));
    scene.run(&[&run[..], &["other.toml"]].concat()).ended_with(0);
    let reject = ["review", "run", "--reject", "all", "--note", "they are refusals"];
    scene.run(&reject).ended_with(0);
    let labels: Vec<Value> = scene
        .read(LABELS)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    assert_eq!(labels.len(), 3);
    assert_eq!(labels[0]["label"], "refused");
    assert_eq!(labels[0]["why"], "they are refusals");
    assert!(labels[0]["id"].is_u64(), "{}", labels[0]);
    assert!(labels.iter().any(|label| label["file"] == "orders.jsonl"), "{labels:?}");
    // The recordings are gone: labels still can be said, without an id.
    let log = scene.read(LOG);
    fs::remove_file(scene.path(LOG)).expect("a file");
    fs::remove_file(scene.path(LABELS)).expect("a file");
    fs::rename(scene.path("recordings"), scene.path("elsewhere")).expect("moved");
    scene.run(&reject).ended_with(0);
    let first: Value = serde_json::from_str(scene.read(LABELS).lines().next().expect("a label"))
        .expect("a line of JSON");
    assert_eq!((&first["id"], &first["label"]), (&Value::Null, &"refused".into()));
    assert_eq!(scene.log().len(), log.lines().count());
}

#[test]
fn groups_and_exchanges_that_are_not_there_are_told() {
    let scene = Scene::new();
    let group = scene.group("conflict");
    scene
        .decide(&["--accept", "12345678"])
        .ended_with(2)
        .complaining("no group is called 12345678")
        .complaining(&group);
    scene.decide(&["--accept", "zz"]).ended_with(2).complaining("no group is called zz");
    scene.decide(&["--all", "--accept", &group]).ended_with(2);
    scene.run(&["review", "nowhere", "--rulebook", "mine.toml"]).ended_with(2);
    assert!(!scene.path(LOG).exists());
}

#[test]
fn single_exchanges_can_be_decided_by_their_keys() {
    let scene = Scene::new();
    let listed =
        scene.run(&["run", "recordings", "--quiet", "--rulebook", "mine.toml", "--out", "run"]);
    listed.ended_with(0);
    let explained =
        scene.run(&["explain", "users.jsonl:1", "recordings", "--rulebook", "mine.toml"]);
    let key = explained
        .out
        .lines()
        .find_map(|line| line.strip_prefix("call          "))
        .expect("a key")
        .to_owned();
    scene.decide(&["--accept", &key[..12]]).ended_with(0);
    assert_eq!(scene.accepted(r#""failed""#).len(), 2, "{}", scene.read(BASELINE));
    let log = scene.log();
    assert_eq!(log[0]["keys"], Value::from(vec![key]));
    assert_eq!(log[0]["single"], true);
    let listed = scene.decide(&[]).ended_with(1);
    assert!(listed.out.contains("left      4 of 4 calls"), "{}", listed.out);
}

#[test]
fn a_torn_log_loses_one_line_and_a_wrong_one_is_told() {
    let scene = Scene::new();
    let group = scene.group("conflict");
    scene.decide(&["--reject", &group, "--note", "no"]).ended_with(0);
    let log = scene.read(LOG);
    scene.write(LOG, &format!("{log}{{\"v\":1,\"step\":9,\"wh"));
    let listed = scene.decide(&[]).complaining("cut short");
    assert!(listed.out.contains("2 rejected"), "{}", listed.out);
    scene.decide(&["--all"]).ended_with(0).complaining("cut short");
    assert!(scene.read(LOG).starts_with(&log));
    assert_eq!(deeds(&scene.log()).len(), 4, "the torn line is gone");
    scene.write(LOG, "what?\n");
    scene.decide(&[]).ended_with(3).complaining("line 1 is not a decision");
    scene.write(LOG, "{\"v\":9}\n");
    scene.decide(&[]).ended_with(3).complaining("newer version");
}

#[test]
fn a_reply_that_changed_is_no_example_of_the_rulebook() {
    let scene = Scene::before();
    let users = scene.read("recordings/users.jsonl");
    scene
        .write("recordings/users.jsonl", &users.replace("User 12 not found", "Segmentation fault"));
    let ran = scene.decide(&["--reject", "all", "--note", "the server broke"]).ended_with(0);
    assert!(ran.out.contains("log only"), "{}", ran.out);
    assert_eq!(scene.read("mine.toml"), RULEBOOK);
    assert!(!scene.path(LABELS).exists());
    assert_eq!(deeds(&scene.log()), [("reject", Some(1)), ("written", None)]);
}

#[test]
fn what_is_new_and_what_is_gone_is_decided_too() {
    let scene = Scene::before();
    fs::remove_file(scene.path("recordings/stock.jsonl")).expect("a file");
    scene.write("recordings/more.jsonl", &exchange((9, "more", "get_more"), "Internal error"));
    let groups = scene.groups("");
    assert_eq!(groups.len(), 2, "{groups:?}");
    assert!(groups[0].starts_with("added-") && groups[1].starts_with("gone-"), "{groups:?}");
    scene.decide(&["--accept", &groups[0]]).ended_with(0);
    assert_eq!((scene.accepted("在庫").len(), scene.accepted(r#""more""#).len()), (1, 1));
    scene.decide(&["--all"]).ended_with(0);
    assert_eq!((scene.accepted("在庫").len(), scene.accepted(r#""more""#).len()), (0, 1));
    scene.run(&["review", "--list", "recordings", "--rulebook", "mine.toml"]).ended_with(0);
}

#[test]
fn a_baseline_that_waits_can_be_reviewed_as_it_is() {
    let scene = Scene::new();
    scene.run(&["review", "--list", "recordings", "--rulebook", "mine.toml"]).ended_with(1);
    let pending = format!("{BASELINE}.new");
    assert!(scene.path(&pending).exists());
    scene.run(&["review", &pending, "--all"]).ended_with(0);
    assert!(!scene.path(&pending).exists(), "nothing waits any more");
    scene.run(&["review", "--list", "recordings", "--rulebook", "mine.toml"]).ended_with(0);
}

#[test]
fn what_waits_is_decided_without_naming_it() {
    let scene = Scene::new();
    assert!(
        scene.read(BASELINE).contains("\"collection\": \"recordings\""),
        "{}",
        scene.read(BASELINE)
    );
    assert!(scene.read(BASELINE).contains("\"rulebook_file\": \"mine.toml\""));
    scene.run(&["review", "--all"]).ended_with(2).complaining("nothing waits for a review");
    // Without arguments all baselines are compared, with and without --list.
    let copies = ["--baseline", "copies"];
    fs::create_dir_all(scene.path("copies/recordings")).expect("a folder");
    fs::copy(scene.path(BASELINE), scene.path("copies/recordings/mine.snap")).expect("a copy");
    let check = scene.run(&["review"]).ended_with(1);
    let listed = scene.run(&[&["review", "--list"][..], &copies].concat()).ended_with(1);
    for ran in [&check, &listed] {
        assert!(ran.out.contains("left      5 of 5 calls"), "{}", ran.out);
    }
    scene
        .run(&["review", "--baseline", "nowhere"])
        .ended_with(2)
        .complaining("no baseline in nowhere");
    let next = "tapecheck review recordings --rulebook mine.toml --accept ";
    assert!(check.out.contains(next), "{}", check.out);
    let listed = scene.run(&["review"]).ended_with(1);
    let groups = scene.groups("");
    for group in &groups {
        let command = format!("\n      tapecheck review --accept {group}\n");
        assert!(listed.out.contains(&command), "{}", listed.out);
    }
    // What is left goes on waiting.
    scene.run(&["review", "--accept", &groups[0], "--note", "agreed"]).ended_with(0);
    scene.run(&["review", "--reject", &groups[1], "--note", "no"]).ended_with(0);
    assert!(scene.read("mine.toml").contains("[[examples]]"), "the rulebook's file is known");
    scene
        .run(&["review", "--accept", "12345678"])
        .ended_with(2)
        .complaining("no group is called 12345678");
    scene.run(&["review", "--accept", &groups[1], "--note", "yes"]).ended_with(0);
    for group in &groups[2..] {
        scene.run(&["review", "--accept", group]).ended_with(0);
    }
    assert!(!scene.path(&format!("{BASELINE}.new")).exists(), "nothing waits any more");
    scene.run(&["review", "--list"]).ended_with(0);
}

#[test]
fn of_several_that_wait_the_one_that_is_meant_is_named() {
    let scene = Scene::before();
    fs::create_dir(scene.path("more")).expect("a folder");
    let recording = exchange((1, "shop", "get"), "Item 3 not found");
    scene.write("more/a.jsonl", &recording);
    scene.run(&["review", "--all", "more", "--rulebook", "mine.toml"]).ended_with(0);
    scene.write("more/b.jsonl", &exchange((2, "shop", "get"), "Internal error"));
    scene.write("recordings/b.jsonl", &exchange((8, "shop", "put"), "Internal error"));
    fs::remove_file(scene.path("recordings/stock.jsonl")).expect("a file");
    scene.run(&["review", "--list"]).ended_with(1);
    let listed = scene.run(&["review"]).ended_with(1).complaining("2 baselines wait for a review");
    let named = "review --baseline snapshots/more/mine.snap --accept added";
    assert!(listed.out.contains(named), "{}", listed.out);
    let ids: Vec<&str> = listed
        .out
        .lines()
        .filter(|line| line.starts_with('['))
        .filter_map(|line| line[4..].split("  ").next())
        .collect();
    let gone = ids.iter().find(|id| id.starts_with("gone-")).expect("something is gone");
    let unclear = scene.run(&["review", "--accept", gone]).ended_with(2);
    unclear.complaining("several baselines are meant: snapshots/more/mine.snap, ");
    scene.run(&["review", "--baseline", BASELINE, "--accept", gone]).ended_with(0);
    assert_eq!(scene.accepted("在庫").len(), 0);
    scene.run(&["review", "--all"]).ended_with(0);
    scene.run(&["review", "--list"]).ended_with(0);
}

#[test]
fn what_another_review_accepts_meanwhile_stays_accepted() {
    let scene = Scene::new();
    let before = scene.read(BASELINE);
    let groups = scene.groups("");
    scene.decide(&["--accept", &groups[0]]).ended_with(0);
    let accepted = scene.read(BASELINE);
    scene.write(BASELINE, &before);
    let path = scene.path("snapshots/.lock");
    let lock = fs::File::options().create(true).append(true).open(path).expect("a lock");
    lock.lock().expect("nobody else holds it");
    std::thread::scope(|scope| {
        scope.spawn(|| scene.decide(&["--accept", &groups[1]]).ended_with(0));
        std::thread::sleep(std::time::Duration::from_secs(1));
        scene.write(BASELINE, &accepted);
        lock.unlock().expect("it is held");
    });
    assert_eq!(scene.groups(""), [""; 0], "both are accepted");
}

#[test]
fn a_baseline_elsewhere_is_reviewed_in_its_own_folder() {
    let scene = Scene::new();
    let folder = scene.path("apart");
    fs::create_dir_all(folder.join("within")).expect("a folder");
    fs::copy(scene.path(BASELINE), folder.join("x.snap")).expect("a copy");
    let judged = ["../../recordings", "--rulebook", "../../mine.toml", "--baseline", "../x.snap"];
    let run = |verb: &str, more: &[&str]| {
        let mut command = program();
        command.arg(verb).args(judged).args(more).current_dir(folder.join("within"));
        finish(&mut command)
    };
    run("review", &[]).ended_with(1);
    run("review", &["--all"]).ended_with(0);
    assert_eq!(names_in(&folder), ["rulebooks", "within", "x.review.jsonl", "x.snap"]);
    assert!(!scene.path("rulebooks").exists());
    run("review", &[]).ended_with(0);
}

#[test]
fn a_rulebook_that_can_take_no_example_blocks_nothing() {
    let scene = Scene::new();
    scene.write("mine.toml", &format!("examples = []\n{CHANGED}"));
    let groups = scene.groups("");
    let ran = scene.decide(&["--reject", &groups[0], "--note", "no"]).ended_with(0);
    assert!(ran.out.contains("mine.toml, which cannot take examples"), "{}", ran.out);
    assert!(!ran.out.contains(".examples."), "the user's file is named: {}", ran.out);
    assert!(scene.path(LABELS).exists(), "{}", ran.out);
    scene.decide(&["--reject", &groups[1], "--note", "no", "--labels", "l.jsonl"]);
    assert!(scene.path("l.jsonl").exists());
    scene.decide(&["--all"]).ended_with(0);
}

#[test]
fn what_was_not_done_is_said() {
    let scene = Scene::before();
    let none = scene.new_rulebook().decide(&["--filter", "nothing of it"]);
    assert!(none.out.contains("no group matches `nothing of it`"), "{}", none.out);
    scene.decide(&["--all", "--config=who= "]).ended_with(2);
    for all in [&[][..], &["--all"]] {
        let plain = scene.decide(&[all, &["--baseline", "mine.toml"]].concat()).ended_with(2);
        plain.complaining("mine.toml is a file, but not a baseline");
    }
    // Labels, since no rulebook is named.
    let group = scene.group("conflict");
    scene.run(&["run", "recordings", "--quiet", "--out", "run", "--rulebook", "mine.toml"]);
    let reject = ["review", "run", "--reject", &group, "--note", "no"];
    let first = scene.run(&reject).ended_with(0);
    assert!(first.out.contains("labels.jsonl: 2 labels"), "{}", first.out);
    let again = scene.run(&reject).ended_with(0);
    assert!(again.out.contains("labels.jsonl: all labels were there already"), "{}", again.out);
    // Nobody said what is right of something new.
    scene.write("mine.toml", RULEBOOK);
    scene.write("recordings/more.jsonl", &exchange((9, "more", "get_more"), "Internal error"));
    let new = scene.decide(&["--reject", "all", "--note", "not yet"]).ended_with(0);
    assert!(new.out.contains("log only  calls that are new or gone"), "{}", new.out);
}

#[test]
fn what_steers_a_terminal_is_escaped_in_examples_and_labels() {
    let scene = Scene::new();
    let group = scene.group("conflict");
    scene.decide(&["--reject", &group, "--note", "no \u{202e}"]).ended_with(0);
    let rulebook = scene.read("mine.toml");
    assert!(rulebook.contains("\\u202e bins") && !rulebook.contains('\u{202e}'), "{rulebook}");
    scene.run(&["check", "mine.toml"]).ended_with(1);
    scene.write("mine.toml", CHANGED);
    scene.run(&["run", "recordings", "--quiet", "--out", "run", "--rulebook", "mine.toml"]);
    let ran = scene.run(&["review", "run", "--reject", &group, "--note", "no \u{202e}"]);
    ran.ended_with(0);
    assert!(!scene.read(LABELS).contains('\u{202e}'), "{}", scene.read(LABELS));
}

#[test]
fn a_baseline_that_waits_is_not_enough_for_a_label() {
    let scene = Scene::new();
    scene.run(&["review", "--list", "recordings", "--rulebook", "mine.toml"]).ended_with(1);
    let pending = format!("{BASELINE}.new");
    let ran = scene.run(&["review", &pending, "--reject", "all", "--note", "no"]).ended_with(0);
    assert!(!scene.path(LABELS).exists(), "{}", ran.out);
    assert!(ran.out.contains("name the recordings or the run instead"), "{}", ran.out);
    assert!(!ran.out.contains("00000000"), "keys are no longer than they are known: {}", ran.out);
    // The corpus has all that a label needs.
    let group = scene.group("conflict");
    scene.decide(&["--reject", &group, "--note", "no"]).ended_with(0);
    assert!(scene.read("mine.toml").contains("[[examples]]"));
}

#[cfg(unix)]
mod on_screen {
    use super::picture::svg;
    use super::terminal::Terminal;
    use super::*;
    use crate::support::home;

    const REVIEW: [&str; 4] = ["review", "recordings", "--rulebook", "mine.toml"];
    const SMALL: (u16, u16) = (80, 24);

    #[test]
    fn accept_a_group_reject_an_exchange_quit_resume_and_finish() {
        let scene = Scene::new();
        let before = scene.read(BASELINE);
        let mut terminal = Terminal::start(scene.root(), &REVIEW, SMALL);
        terminal.sees("5 of 5 calls left").sees("> [ ] stricter             3");
        terminal.press("j").sees("> [ ] stricter             2").press("a").sees("[a] stricter");
        terminal.sees("3 of 5 calls left").press("\r").sees("users/get_user");
        terminal.press("j").press("r").sees("reason for rejecting it:");
        terminal.press("not every time\r").sees("rejected one call").press("q");
        let (code, said) = terminal.end();
        assert_eq!(code, 1, "something is left:\n{said}");
        assert!(said.contains("nothing was written"), "{said}");
        assert_eq!(scene.read(BASELINE), before);
        assert_eq!(scene.read("mine.toml"), CHANGED);
        assert_eq!(deeds(&scene.log()), [("accept", Some(2)), ("reject", Some(1))]);

        let mut terminal = Terminal::start(scene.root(), &REVIEW, SMALL);
        terminal.sees("2 of 5 calls left").sees("[a] stricter").sees("> [/] stricter");
        terminal
            .press("A")
            .sees("everything is decided: press w to write")
            .press("u")
            .sees("2 of 5 calls left");
        terminal.press("A").sees("0 of 5 calls left").press("w");
        let (code, said) = terminal.end();
        assert_eq!(code, 0, "everything is decided:\n{said}");
        assert!(said.contains("wrote     mine.toml: 1 example"), "{said}");
        assert!(said.contains("4 calls updated"), "{said}");

        // The baseline has all but the rejected exchange as they are now.
        assert_eq!(scene.accepted(r#""refused""#).len(), 1, "{}", scene.read(BASELINE));
        let check = scene.run(&["check", "mine.toml"]).ended_with(1);
        assert!(check.out.contains("get_user of users"), "{}", check.out);
        assert!(scene.read("mine.toml").contains("Rejected by ann on "));
        let log = scene.log();
        let whats: Vec<&str> = deeds(&log).into_iter().map(|(what, _)| what).collect();
        assert_eq!(whats, ["accept", "reject", "accept", "undo", "accept", "written"]);
        assert_eq!(log[1]["note"], "not every time");
        assert_eq!(log[1]["keys"].as_array().map(Vec::len), Some(1));
        // The rejected one is still there, decided.
        let listed = scene.decide(&[]).ended_with(0);
        assert!(listed.out.contains("[r]"), "{}", listed.out);
    }

    #[test]
    fn a_second_review_has_to_wait_and_a_kill_loses_nothing() {
        let scene = Scene::new();
        let before = scene.read(BASELINE);
        let mut first = Terminal::start(scene.root(), &REVIEW, SMALL);
        first.sees("5 of 5 calls left").press("a").sees("2 of 5 calls left");
        let second = scene.decide(&["--all"]).ended_with(3);
        second.complaining("another review or check is writing these snapshots");
        first.kill();
        assert_eq!(scene.read(BASELINE), before);
        let mut again = Terminal::start(scene.root(), &REVIEW, SMALL);
        again.sees("2 of 5 calls left").press("q");
        assert_eq!(again.end().0, 1);
        scene.decide(&["--undo"]).ended_with(1);
        let written = scene.decide(&["--apply"]).ended_with(1);
        assert!(written.out.contains("no new decisions"), "{}", written.out);
        assert_eq!(scene.read(BASELINE), before, "what was taken back is not written");
    }

    #[test]
    fn pasted_text_is_never_taken_for_keys() {
        let scene = Scene::new();
        let mut terminal = Terminal::start(scene.root(), &REVIEW, (120, 40));
        terminal.sees("5 of 5 calls left");
        terminal.press("\u{1b}[200~Aw\rq\r\u{1b}[201~").sees("pasted text is ignored here");
        terminal.press("r").sees("reason for rejecting it:");
        terminal.press("\u{1b}[200~the first line\rAw\nAw\u{1b}[201~").sees("first line Aw Aw");
        terminal.press("\r").sees("2 of 5 calls left").press("q");
        assert_eq!(terminal.end().0, 1);
        let log = scene.log();
        assert_eq!(deeds(&log), [("reject", Some(3))]);
        assert_eq!(log[0]["note"], "the first line Aw Aw");
        assert_eq!(scene.read("mine.toml"), CHANGED);
    }

    #[test]
    fn the_screen_takes_any_size() {
        let scene = Scene::new();
        let mut terminal = Terminal::start(scene.root(), &REVIEW, (120, 40));
        terminal.sees("5 of 5 calls left").press("/conflict\r").sees("filter: conflict");
        terminal.press("\rj").sees("在庫/get_stock").sees("\\u{1b}[31m");
        terminal.resize((60, 15)).sees("record…5 of 5 calls left").sees("在庫/get_stock");
        // A key is read though the size changes in the same moment.
        for columns in 61..81 {
            terminal.resize((columns, 15)).press("?").sees("any key to go back");
            terminal.press("x").no_longer_sees("any key to go back");
        }
        terminal.press("?").sees("any key to go back");
        terminal.press("x").no_longer_sees("any key to go back").press("\u{3}");
        assert_eq!(terminal.end().0, 1);
    }

    #[test]
    fn what_is_typed_before_the_screen_is_there_does_nothing() {
        let scene = Scene::new();
        let mut terminal = Terminal::start(scene.root(), &REVIEW, SMALL);
        terminal.press("/nothing like it");
        terminal.sees("5 of 5 calls left").press("a").sees("2 of 5 calls left");
        assert!(!terminal.text().contains("nothing like it"), "{}", terminal.text());
        terminal.press("q");
        terminal.wait_for_end();
    }

    #[test]
    fn a_signal_gives_the_terminal_back_and_loses_nothing() {
        let scene = Scene::new();
        let mut terminal = Terminal::start(scene.root(), &REVIEW, SMALL);
        terminal.sees("5 of 5 calls left").press("a").sees("2 of 5 calls left");
        assert!(terminal.screen().alternate_screen() && terminal.screen().bracketed_paste());
        terminal.terminate();
        terminal.wait_for_end();
        assert!(!terminal.screen().alternate_screen() && !terminal.screen().bracketed_paste());
        assert_eq!(deeds(&scene.log()), [("accept", Some(3))]);
    }

    #[test]
    fn the_picture_in_the_documents_is_the_screen() {
        let scene = Scene::new();
        let mut terminal = Terminal::start(scene.root(), &REVIEW, (100, 34));
        terminal.sees("5 of 5 calls left").press("ja").sees("3 of 5 calls left");
        terminal.sees("> [ ] stricter").sees("accepted ");
        let picture = svg(terminal.screen());
        terminal.press("q");
        terminal.end();
        let path = home().join("docs/pictures/review.svg");
        let kept = fs::read_to_string(&path).unwrap_or_default();
        if kept != picture && std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, picture).expect("the picture can be written");
        } else {
            assert!(
                kept == picture,
                "docs/pictures/review.svg is out of date; run the tests with TAPECHECK_WRITE_DOCS=1"
            );
        }
    }

    #[test]
    fn names_of_recordings_do_not_steer_the_terminal() {
        let scene = Scene::new();
        let mut terminal = Terminal::start(scene.root(), &REVIEW, (120, 40));
        terminal.sees("5 of 5 calls left").press("jJ").sees("\\u{202e}");
        assert!(!terminal.text().contains('\u{202e}'));
        terminal.press("q");
        terminal.end();
    }
}
