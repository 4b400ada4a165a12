//! Labels: added, checked and asked for, through the built program.

use crate::harness::{Place, Ran};
use insta::assert_snapshot;
use serde_json::Value;
use std::ops::Deref;

/// A folder with recordings of three servers.
struct Scene {
    place: Place,
}

fn exchange((id, server, tool): (u32, &str, &str), flag: &str, text: &str) -> String {
    format!(
        r#"{{"id":{id},"server":"{server}","tool":{{"name":"{tool}"}},"input":{{"number":{id}}},"response":{{{flag}"content":[{{"type":"text","text":"{text}"}}]}}}}"#
    ) + "\n"
}

fn error(named: (u32, &str, &str), text: &str) -> String {
    exchange(named, r#""isError":true,"#, text)
}

fn fine(named: (u32, &str, &str), text: &str) -> String {
    exchange(named, "", text)
}

impl Deref for Scene {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl Scene {
    fn new() -> Self {
        let scene = Self { place: Place::new() };
        let users = [
            error((1, "users", "get_user"), "User not found"),
            error((2, "users", "get_user"), "User not found"),
            fine((3, "users", "ping"), "pong"),
        ];
        let orders = [
            error((4, "orders", "get_order"), "conflict with \\u001b[31manother\\u202e order"),
            fine((5, "orders", "get_order"), "Error: could not reach the database"),
        ];
        let stock = [error((6, "在庫", "get_stock"), "connect ECONNREFUSED 127.0.0.1:5432")];
        scene.write("recordings/users.jsonl", &users.concat());
        scene.write("recordings/orders.jsonl", &orders.concat());
        scene.write("recordings/stock.jsonl", &stock.concat());
        scene
    }

    fn label(&self, arguments: &[&str]) -> Ran {
        self.run_as_ann(&[&["label"], arguments].concat())
    }

    fn labels(&self, name: &str) -> Vec<Value> {
        let lines = self.read(name);
        lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}

/// File, id and label of lines.
fn told(lines: &[Value]) -> Vec<(&str, i64, &str)> {
    lines
        .iter()
        .map(|line| {
            (
                line["file"].as_str().unwrap_or_default(),
                line["id"].as_i64().unwrap_or_default(),
                line["label"].as_str().unwrap_or_default(),
            )
        })
        .collect()
}

#[test]
fn a_line_cut_short_is_ignored_and_warned_of() {
    let scene = Scene::new();
    let whole = r#"{"file": "users.jsonl", "id": 1, "label": "refused"}"#;
    scene.write("a.jsonl", &format!("{whole}\n{}", &whole[..30]));
    let next = ["next", "recordings", "--labels", "b.jsonl", "--labels", "a.jsonl"];
    let ran = scene.label(&next).ended_with(0);
    assert!(ran.out.contains("4 questions"), "one call has a label: {}", ran.out);
    ran.complaining("warning: a.jsonl:2 was cut short and is ignored");
}

#[test]
fn labels_that_do_not_say_when_have_no_age() {
    let scene = Scene::new();
    let other = r#"{"file":"users.jsonl","id":3,"label":"worked","when":"2026-11-01"}"#;
    let first = r#"{"file":"users.jsonl","id":1,"label":"refused"}"#;
    scene.write("a.jsonl", &format!("{first}\n{other}\n"));
    let check = |file| {
        scene.label(&[
            "check",
            "--labels",
            file,
            "--config",
            "today=2026-11-21",
            "--config",
            "old_labels=100",
        ])
    };
    assert_snapshot!(check("a.jsonl").out, @"
    a.jsonl: 2 labels

    label                calls
    worked                   1  ██████████
    refused                  1  ██████████
    failed                   0
    hidden_failure           0

    no problems found
    name a run or recordings, too, to check the labels against the replies
    without a date (`when`): 1 of 2 labels
    ");
    let dated = first.replace('}', r#","when":"2026-01-05"}"#);
    scene.write("labels.jsonl", &format!("{dated}\n{other}\n"));
    assert_snapshot!(check("labels.jsonl").out, @"
    labels.jsonl: 2 labels

    label                calls
    worked                   1  ██████████
    refused                  1  ██████████
    failed                   0
    hidden_failure           0

    labels.jsonl:1: warning: is dated 2026-01-05, 320 days ago
      next: read the call again: what counts as a failure may have changed since

    0 errors, 1 warning
    name a run or recordings, too, to check the labels against the replies
    ");
}

#[test]
fn labels_with_different_keys_do_not_contradict_each_other_wherever_they_stood() {
    let scene = Scene::new();
    let line = |key: char, label: &str| {
        let key = key.to_string().repeat(32);
        format!(r#"{{"key":"{key}","file":"users.jsonl","id":1,"label":"{label}"}}"#) + "\n"
    };
    scene.write("a.jsonl", &(line('a', "worked") + &line('b', "hidden_failure")));
    let ran = scene.label(&["check", "--labels", "a.jsonl"]).ended_with(0);
    assert_snapshot!(ran.out, @"
    a.jsonl: 2 labels

    label                calls
    worked                   1  ██████████
    refused                  0
    failed                   0
    hidden_failure           1  ██████████

    no problems found
    name a run or recordings, too, to check the labels against the replies
    without a date (`when`): 2 of 2 labels
    ");
}

#[test]
fn successes_are_asked_about_however_many_errors_are_nearer_to_flipping() {
    let scene = Scene::new();
    // More than are looked at, none much like another in what is said of it: each has a server of its own.
    let errors: String = (0..5_100)
        .map(|at| error((at, &format!("server-{at}"), "get_it"), "thing not found"))
        .collect();
    scene.write("recordings/users.jsonl", &errors);
    let run = ["next", "recordings", "--rulebook", "guide", "--filter", "successes"];
    let ran = scene.label(&run).ended_with(0);
    assert_snapshot!(ran.out, @r#"
    1. orders/get_order  orders.jsonl:2  not flagged as an error
       input   {"number":5}
       reply   Error: could not reach the database
       why     no single pattern or factor decides the verdict; its reply is unlike any labelled or earlier one
       tapecheck label add recordings 5ddb931523c30d51acb923a07c54ffab worked --rulebook guide
       tapecheck label add recordings 5ddb931523c30d51acb923a07c54ffab refused --rulebook guide
       tapecheck label add recordings 5ddb931523c30d51acb923a07c54ffab failed --rulebook guide

    1 question, 0 left after them
    add --note TEXT to a command to say why
    "#);
}

#[test]
fn a_call_is_labelled_by_key_or_place_with_those_that_reply_the_same() {
    let scene = Scene::new();
    let add = |more: &[&str]| scene.label(&[&["add", "recordings"], more].concat());
    add(&["users.jsonl:1", "refused", "--note", "no such user"]).ended_with(0);
    let lines = scene.labels("labels.jsonl");
    let both = |label| [("users.jsonl", 1, label), ("users.jsonl", 2, label)];
    assert_eq!(told(&lines), both("refused"));
    assert_eq!((&lines[0]["who"], &lines[0]["why"]), (&"ann".into(), &"no such user".into()));
    assert!(lines[0]["when"].as_str().is_some_and(|when| when.ends_with('Z')));
    let key = lines[0]["key"].as_str().expect("a key");
    let again = add(&[&key[..12], "refused"]).ended_with(0);
    assert_snapshot!(again.out, @"labels.jsonl: already has this label");
    add(&[key, "failed"])
        .ended_with(2)
        .complaining("labels.jsonl:1 labels users.jsonl id 1 refused")
        .complaining("--yes");
    add(&[key, "failed", "--yes"]).ended_with(0);
    assert_eq!(told(&scene.labels("labels.jsonl")), both("failed"));
    add(&["users.jsonl:1", "worked"]).ended_with(2).complaining("label it refused or failed");
    add(&["users.jsonl:9", "worked"])
        .ended_with(2)
        .complaining("no call is called users.jsonl:9: no such call begins in that line")
        .complaining("the nearest is users.jsonl:3");
    add(&["users.jsonl:3:2", "worked"])
        .ended_with(2)
        .complaining("no such call begins in that line");
    add(&["user.jsonl:3", "worked"])
        .ended_with(2)
        .complaining("no recording with calls has that name");
    add(&["users.jsonl:3", "fine"]).ended_with(2);
    add(&["recordings/users.jsonl:2", "refused", "--labels", "more.jsonl"]).ended_with(0);
    assert_eq!(told(&scene.labels("more.jsonl")), both("refused"));
}

#[test]
fn a_check_tells_what_is_wrong_line_by_line() {
    let scene = Scene::new();
    let line = |file: &str, id: u32, label: &str, more: &str| {
        format!(r#"{{"file":"{file}.jsonl","id":{id},"label":"{label}"{more}}}"#) + "\n"
    };
    let text = [
        line("users", 1, "refused", r#","when":"2020-01-01T00:00:00Z""#),
        line("users", 1, "failed", ""),
        line("users", 2, "refused", r#","when":"soon""#),
        line("users", 2, "refused", r#","when":"2027-01-01""#),
        line("users", 3, "tool_failure", r#","when":"2020-02-30""#),
        line("orders", 4, "worked", ""),
        line("orders", 77, "worked", ""),
        "nothing\n".to_owned(),
    ];
    scene.write("labels.jsonl", &text.concat());
    let absent = scene.label(&["check", "--labels", "none.jsonl"]).ended_with(2);
    absent.complaining("next: name a file of labels");
    let check = ["check", "recordings", "--labels", "labels.jsonl", "--config", "today=2026-11-21"];
    let ran = scene.label(&check).ended_with(1);
    assert_snapshot!(ran.out, @"
    labels.jsonl: 7 labels

    label                calls
    worked                   1  ██████▋
    refused                  1  ██████▋
    failed                   1  ██████▋
    hidden_failure           0

    labels.jsonl:1: warning: is dated 2020-01-01, 2,516 days ago
      next: read the call again: what counts as a failure may have changed since
    labels.jsonl:2: error: labels users.jsonl id 1 failed, but line 1 has refused
      next: read the call again, and remove one of the lines
    labels.jsonl:3: warning: `soon` is not a time
      next: write it like 2026-11-21T09:37:54Z, or leave it out
    labels.jsonl:4: warning: same label for users.jsonl id 2 as in line 3
      next: remove one of the lines
    labels.jsonl:4: warning: is dated 2027-01-01, in the future
      next: write it like 2026-11-21T09:37:54Z, or leave it out
    labels.jsonl:5: error: labels users.jsonl id 3 failed, but the reply is not flagged as an error
      next: read the call again; a flagged reply is refused or failed, another one worked, refused or failed
    labels.jsonl:5: warning: `2020-02-30` is not a time
      next: write it like 2026-11-21T09:37:54Z, or leave it out
    labels.jsonl:6: error: labels orders.jsonl id 4 worked, but the reply is flagged as an error
      next: read the call again; a flagged reply is refused or failed, another one worked, refused or failed
    labels.jsonl:7: warning: no call is called orders.jsonl id 77
      next: name the recording by its path below the named folder; if the reply changed, label the call again
    labels.jsonl:8: error: a label is a JSON object with label, and key or file and id: expected ident at line 1 column 2
      next: correct the line, or remove it

    4 errors, 6 warnings
    without a date (`when`): 3 of 7 labels
    ");
    let found = ran.out.lines().filter(|line| line.starts_with("  next: ")).count();
    let complaints = ran.out.lines().filter(|line| line.starts_with("labels.jsonl:")).count() - 1;
    assert_eq!(found, complaints, "each complaint says what to do");
    let json = scene.label(&[&check[..], &["--format=json"]].concat()).ended_with(1);
    let json = json.json();
    assert_eq!(json["errors"], 4);
    assert_eq!(json["classes"]["refused"]["exchanges"], 1);
    assert_eq!(json["complaints"][0]["line"], 1);
}

#[test]
fn a_table_takes_no_answers_and_stays_as_it_is() {
    let scene = Scene::new();
    let table = "id,file,label\n1,users.jsonl,refused\n";
    scene.write("k.csv", table);
    let add = ["add", "recordings", "users.jsonl:2", "refused", "--labels", "k.csv"];
    let replace = [&add[..], &["--yes"]].concat();
    for refused in [
        &add[..],
        &["add", "recordings", "users.jsonl:2", "refused", "--labels", "new.csv"],
        &replace,
        &["next", "recordings", "--labels", "k.csv"],
    ] {
        let ran = scene.label(refused).ended_with(2);
        ran.complaining("is a table").complaining("next: name another file with --labels");
    }
    assert_eq!(scene.read("k.csv"), table);
    assert!(!scene.path("new.csv").exists());
    let next = scene.label(&["next", "recordings", "--labels", "new.jsonl", "--labels", "k.csv"]);
    assert!(next.ended_with(0).out.contains("4 questions"), "what the table says is not asked");
}

#[test]
fn a_file_with_a_line_that_is_no_label_is_left_as_it_is() {
    let scene = Scene::new();
    let label = "{\"file\":\"users.jsonl\",\"id\":9,\"label\":\"ok\"}\n";
    let add = ["add", "recordings", "users.jsonl:2", "refused", "--labels", "k.jsonl"];
    let replace = [&add[..], &["--yes"]].concat();
    let next = ["next", "recordings", "--labels", "k.jsonl"];
    for text in ["export A=b\n", "{\n", "[1]", "\u{ff}\0", &format!("{label}ls\n")] {
        scene.write("k.jsonl", text);
        let line = 1 + text.trim_end().matches('\n').count();
        for refused in [&add[..], &replace, &next] {
            scene.label(refused).ended_with(2).complaining(&format!("k.jsonl:{line}: "));
        }
        assert_eq!(scene.read("k.jsonl"), text);
    }
    std::fs::remove_file(scene.path("k.jsonl")).expect("removed");
    std::os::unix::fs::symlink("none", scene.path("k.jsonl")).expect("a link");
    scene.label(&add).ended_with(3).complaining("it is a link to nothing");
    assert!(!scene.path("none").exists());
}

#[test]
fn labels_of_something_else_are_not_counted() {
    let scene = Scene::new();
    let foreign = "{\"file\":\"far.jsonl\",\"id\":1,\"label\":\"ok\"}\n";
    scene.write("far.jsonl", foreign);
    let check = |file| {
        scene.label(&["check", "recordings", "--labels", file, "--format=json"]).ended_with(1)
    };
    let told = check("far.jsonl").json();
    assert_eq!((&told["errors"], &told["classes"]["worked"]["exchanges"]), (&1.into(), &0.into()));
    assert!(told["classes"]["worked"]["most_from"].is_null(), "a recording is no server: {told}");
    let kinds = told["complaints"].as_array().expect("complaints");
    assert!(kinds.iter().any(|it| it["kind"] == "foreign"), "{told}");
    let own = "{\"file\":\"users.jsonl\",\"id\":3,\"label\":\"ok\"}\n";
    scene.write("mixed.jsonl", &(own.to_owned() + foreign));
    let ran = scene.label(&["check", "recordings", "--labels", "mixed.jsonl"]).ended_with(0);
    assert_snapshot!(ran.out, @"
    mixed.jsonl: 2 labels

    label                calls
    worked                   1  ████████████████████
    refused                  0
    failed                   0
    hidden_failure           0

    mixed.jsonl:2: warning: no call is called far.jsonl id 1
      next: name the recording by its path below the named folder; if the reply changed, label the call again

    0 errors, 1 warning
    without a date (`when`): 2 of 2 labels
    ");
}

/// How sure verdicts are changes with each fit of a rulebook.
fn without_shares(text: &str) -> String {
    let mut parts = text.split("   why     about ");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| {
        let part = part.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("   why     about N{part}")
    });
    rest.fold(first, |text, part| text + &part)
}

#[test]
fn without_a_terminal_questions_are_listed_with_commands_that_answer_them() {
    let scene = Scene::new();
    let listed = scene.label(&["next", "recordings"]).ended_with(0);
    assert_snapshot!(without_shares(&listed.out), @r#"
    1. orders/get_order  orders.jsonl:2  not flagged as an error
       input   {"number":5}
       reply   Error: could not reach the database
       why     about N in 100 like this are right; its reply is unlike any labelled or earlier one
       tapecheck label add recordings 5ddb931523c30d51acb923a07c54ffab worked
       tapecheck label add recordings 5ddb931523c30d51acb923a07c54ffab refused
       tapecheck label add recordings 5ddb931523c30d51acb923a07c54ffab failed

    2. users/ping  users.jsonl:3  not flagged as an error
       input   {"number":3}
       reply   pong
       why     about N in 100 like this are right; its reply is unlike any labelled or earlier one
       tapecheck label add recordings b12f23e995b6120adcb0161b361d53c6 worked
       tapecheck label add recordings b12f23e995b6120adcb0161b361d53c6 refused
       tapecheck label add recordings b12f23e995b6120adcb0161b361d53c6 failed

    3. 在庫/get_stock  stock.jsonl:1  flagged as an error
       input   {"number":6}
       reply   connect ECONNREFUSED 127.0.0.1:5432
       why     about N in 100 like this are right; its reply is unlike any labelled or earlier one
       tapecheck label add recordings 138bfeab11288574bc6fd8115e14d951 refused
       tapecheck label add recordings 138bfeab11288574bc6fd8115e14d951 failed

    4. orders/get_order  orders.jsonl:1  flagged as an error
       input   {"number":4}
       reply   conflict with \u{1b}[31manother\u{202e} order
       why     about N in 100 like this are right; its reply is unlike any labelled or earlier one
       tapecheck label add recordings 3db95fd4794bf25d5f3a0cb5d31b4a88 refused
       tapecheck label add recordings 3db95fd4794bf25d5f3a0cb5d31b4a88 failed

    5. users/get_user  users.jsonl:1  flagged as an error
       input   {"number":1}
       reply   User not found
       why     about N in 100 like this are right; its reply is 9 % like a labelled or earlier one
       equal   also for 1 other with the same reply
       tapecheck label add recordings 1bb34ed45d79b1f033a09f90d4b33395 refused
       tapecheck label add recordings 1bb34ed45d79b1f033a09f90d4b33395 failed

    5 questions, 0 left after them
    add --note TEXT to a command to say why
    "#);
    assert!(!listed.out.contains('\u{1b}') && !listed.out.contains('\u{202e}'));
    let commands: Vec<String> = listed
        .out
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tapecheck label "))
        .map(str::to_owned)
        .collect();
    assert_eq!(commands.len(), 12, "one for each label that it can have: {commands:?}");
    for command in commands.iter().filter(|command| command.ends_with(" refused")) {
        assert!(!command.contains(['|', '<']) && !command.contains("WHY"), "{command}");
        scene.label(&command.split(' ').collect::<Vec<_>>()).ended_with(0);
    }
    assert_eq!(scene.labels("labels.jsonl").len(), 6);
    let nothing = scene.label(&["next", "recordings"]).ended_with(0);
    assert_snapshot!(nothing.out, @"nothing left to label: every call that can have a label has one, or has the same reply as a labelled call");
    let errors =
        scene.label(&["next", "recordings", "--filter", "errors", "--labels", "other.jsonl"]);
    assert!(errors.ended_with(0).out.contains("3 questions, 0 left"));
    scene.label(&["next", "nowhere"]).ended_with(2).complaining("nowhere does not exist");
}

#[test]
fn of_a_recording_that_moved_nobody_knows_which_replies_are_equal() {
    let scene = Scene::new();
    scene.run_as_ann(&["run", "recordings", "--quiet", "--out", "run"]).ended_with(0);
    std::fs::rename(scene.path("recordings"), scene.path("moved")).expect("a folder");
    let ran = scene.label(&["add", "run", "users.jsonl:1", "refused"]).ended_with(0);
    assert_eq!(scene.labels("labels.jsonl").len(), 1, "{}", ran.out);
    let none = scene.label(&["add", "run", "users.jsonl:9", "worked"]).ended_with(2);
    none.complaining("no such call begins in that line");
}

#[test]
fn a_call_that_is_recorded_twice_is_labelled_where_it_was_named() {
    let scene = Scene::new();
    let twice = fine((3, "users", "ping"), "pong");
    let other = fine((7, "users", "ping"), "pong");
    scene.write("recordings/users.jsonl", &(other + &twice.repeat(100)));
    scene.write("recordings/users2.jsonl", &twice);
    scene.label(&["add", "recordings", "users2.jsonl:1", "worked"]).ended_with(0);
    let lines = scene.labels("labels.jsonl");
    let places: Vec<_> =
        lines.iter().map(|line| format!("{} {}", line["file"], line["id"])).collect();
    assert_eq!(places, [r#""users.jsonl" 7"#, r#""users2.jsonl" 3"#]);
}

#[test]
fn a_key_labels_all_equal_exchanges() {
    let scene = Scene::new();
    let twice = fine((3, "users", "ping"), "pong");
    scene.write("recordings/users.jsonl", &twice.repeat(2));
    scene.label(&["add", "recordings", "users.jsonl:2", "worked"]).ended_with(0);
    let lines = scene.labels("labels.jsonl");
    let key = lines[0]["key"].as_str().expect("text").to_owned();
    assert_eq!((lines.len(), key.len()), (1, 32), "{lines:?}");
    let again = scene.label(&["add", "recordings", "users.jsonl:1", "worked"]).ended_with(0);
    assert_snapshot!(again.out, @"labels.jsonl: already has this label");
    let text = scene.read("labels.jsonl");
    let other = text.replace("\"worked\"", "\"hidden_failure\"");
    scene.write("labels.jsonl", &(text.clone() + &other));
    let ran = scene.label(&["check", "recordings", "--labels", "labels.jsonl"]).ended_with(1);
    assert_snapshot!(ran.out, @"
    labels.jsonl: 2 labels

    label                calls
    worked                   0
    refused                  0
    failed                   0
    hidden_failure           0

    labels.jsonl:2: error: labels users.jsonl id 3 hidden_failure, but line 1 has worked
      next: read the call again, and remove one of the lines

    1 error, 0 warnings
    ");
    scene.write("labels.jsonl", &text.replace(&key, &format!("{key}-2")));
    let ran = scene.label(&["check", "recordings", "--labels", "labels.jsonl"]).ended_with(1);
    assert_snapshot!(ran.out, @"
    labels.jsonl: 0 labels

    label                calls
    worked                   0
    refused                  0
    failed                   0
    hidden_failure           0

    labels.jsonl:1: error: `b12f23e995b6120adcb0161b361d53c6-2` is not a key: expected 32 hexadecimal digits
      next: correct the line, or remove it

    1 error, 0 warnings
    ");
    scene
        .label(&["add", "recordings", &format!("{key}-2"), "worked"])
        .ended_with(2)
        .complaining("is not a key");
}

#[cfg(unix)]
mod on_screen {
    use super::*;
    use crate::review::terminal::Terminal;

    const SIZE: (u16, u16) = (100, 30);

    #[test]
    fn three_answers_one_taken_back_quit_and_resume() {
        let scene = Scene::new();
        let next = ["label", "next", "recordings", "--filter", "errors"];
        let mut terminal = Terminal::start(scene.root(), &next, SIZE);
        terminal.sees("question 1 of 3").press("?").sees("any key to go back").press("x");
        terminal.no_longer_sees("any key to go back");
        for at in 1..=3 {
            terminal.sees(&format!("question {at} of 3"));
            terminal.press("w").sees("this reply is refused or failed");
            terminal.press("n").sees("why?").press("because\r").sees("note: because").press("f");
        }
        terminal.sees("nothing left to label").sees("3 answered");
        let before = scene.labels("labels.jsonl");
        assert_eq!(before.len(), 4, "equal replies get one answer: {before:?}");
        assert!(before.iter().all(|line| line["why"] == "because" && line["who"] == "ann"));
        terminal.press("u").sees("question 3 of 3").sees("undid failed");
        terminal.press("\u{1b}[200~b\rt\u{1b}[201~").sees("pasted text is ignored here").press("q");
        let (code, said) = terminal.end();
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("2 answers"), "{said}");
        let kept = scene.labels("labels.jsonl");
        assert!(kept.len() < before.len());
        assert_eq!(kept[..], before[..kept.len()], "what was not taken back stands as it was");

        let mut terminal = Terminal::start(scene.root(), &next, SIZE);
        terminal.sees("question 1 of 1").press("s").sees("nothing left to label").press("q");
        assert_eq!(terminal.end().0, 0);
        assert_eq!(scene.labels("labels.jsonl"), kept, "skipping says nothing");
    }

    #[test]
    fn recorded_text_does_not_steer_the_terminal() {
        let scene = Scene::new();
        let next = ["label", "next", "recordings", "--filter", "errors"];
        let mut terminal = Terminal::start(scene.root(), &next, SIZE);
        for _ in 0..3 {
            terminal.sees("question");
            if terminal.text().contains("conflict with") {
                terminal.sees("\\u{1b}[31m").sees("\\u{202e}");
            }
            assert!(!terminal.text().contains('\u{202e}'));
            terminal.press("s");
        }
        terminal.sees("nothing left to label").press("\u{3}");
        assert_eq!(terminal.end().0, 0);
        assert!(!scene.path("labels.jsonl").exists());
    }
}
