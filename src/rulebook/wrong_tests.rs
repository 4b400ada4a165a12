//! Rulebooks that are wrong, and what their authors are told.

use super::{Problem, Rulebook, RulebookError, builtin_source};
use std::fs;

fn problems(text: &str) -> Vec<Problem> {
    match Rulebook::from_toml(text, "mine.toml") {
        Err(RulebookError::Invalid(problems)) => problems,
        other => panic!("expected problems, not {other:?}"),
    }
}

/// Line and message of every problem.
fn told(text: &str) -> Vec<(usize, String)> {
    problems(text).into_iter().map(|problem| (problem.line, problem.message)).collect()
}

#[test]
fn all_errors_are_reported_at_once_each_at_its_line() {
    let text = r#"name = "wrong"
extends = "guide"
colour = "red"
[lists.empty]
entries = []
[lists.twice]
entries = ["one", "two", "ONE"]
[signals.bad_regex]
regex = "(a"
[signals.look_around]
regex = "(?=a)b"
[signals.dangling]
any = ["busines_pattern", { contains = "no_such_list" }]
[signals.a]
not = "b"
[signals.b]
not = "a"
[factors.mcp_code]
weigth = 3
[factors.endless]
signal = "mcp_code"
weight = inf
[[decide]]
name = "too high"
if = "mcp_code"
threshold = 1.5
[metadata]
on = "sometimes"
"#;
    let told = told(text);
    let at = |line: usize| {
        let here: Vec<&str> =
            told.iter().filter(|(at, _)| *at == line).map(|(_, text)| text.as_str()).collect();
        here.join(" / ")
    };
    assert_eq!(at(3), "unknown key `colour`");
    assert_eq!(at(4), "the list `empty` is empty");
    assert_eq!(at(7), "`one` is in this list twice");
    assert!(at(9).contains("regex") && at(9).contains("unclosed group"), "{}", at(9));
    assert!(at(11).contains("look-around"), "{}", at(11));
    assert_eq!(at(13), "unknown signal `busines_pattern` / unknown list `no_such_list`");
    assert_eq!(at(14), "signals depend on each other in a circle: a -> b -> a");
    assert_eq!(at(19), "unknown key `weigth`");
    assert_eq!(at(22), "`weight` must be a finite number");
    assert_eq!(at(26), "`threshold` must be between 0 and 1");
    assert_eq!(at(28), "`sometimes` is not one of always, with_content, ok");
    assert_eq!(told.len(), 12, "{told:#?}");
}

#[test]
fn a_near_miss_is_named() {
    let problems =
        problems("name = \"x\"\nextends = \"guide\"\n[signals.f]\nany = [\"busines_pattern\"]\n");
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `business_pattern`?"));
    assert_eq!((problems[0].line, problems[0].column, problems[0].width), (4, 8, 17));
}

#[test]
fn keys_for_extending_are_known_but_need_something_to_extend() {
    let told = told("name = \"x\"\nremove = {}\n[lists.new]\nad = [\"x\"]\nadd = [\"x\"]\n");
    let messages = [(2, "`remove` needs `extends`"), (5, "`add` needs `extends`")];
    for (line, message) in messages {
        assert!(told.contains(&(line, message.to_owned())), "{told:#?}");
    }
    let near = problems("name = \"x\"\nextends = \"guide\"\n[lists.verbs]\nad = [\"x\"]\n");
    assert!(near.iter().any(|p| p.help.as_deref() == Some("did you mean `add`?")), "{near:#?}");
}

#[test]
fn broken_toml_is_one_error() {
    let told = told("name = \"x\"\n[signals\n");
    assert_eq!(told.len(), 1);
    assert!(told[0].0 == 2 && told[0].1.starts_with("this is not TOML"), "{told:?}");
}

#[test]
fn the_former_name_of_endings_is_an_error_where_it_stands() {
    let told = told("name = \"x\"\nextends = \"guide\"\n[outcomes.ok]\nconfidence = 99\n");
    assert_eq!(told, [(3, "`outcomes` is now called `endings`".to_owned())]);
}

#[test]
fn a_message_may_hold_no_placeholder_that_is_not_filled_in() {
    let text = "name = \"x\"\nextends = \"guide\"\n[endings.ok]\nissue = { severity = \"info\", \
                type = \"optimization\", message = \"It said {text}: {error} {\\\"a\\\"}\" }\n";
    let expected = "`{text}` is not a placeholder: the only one is {error}, the words of the reply";
    assert_eq!(told(text), [(4, expected.to_owned())]);
}

#[test]
fn wrong_kinds_of_value_are_told_apart_from_missing_ones() {
    let told = told(
        "name = 3\nlists = 1\nsignals = []\ndecide = {}\n[text]\nsource = 1\n[endings.ok]\nclass = 1\n",
    );
    let all: Vec<&str> = told.iter().map(|(_, message)| message.as_str()).collect();
    for message in [
        "expected a text, not a number",
        "expected a table, not a list",
        "expected a list, not a table",
        "`otherwise` is missing here",
        "the section [schema] is missing",
    ] {
        assert!(all.contains(&message), "{message}: {all:#?}");
    }
}

#[test]
fn removing_and_placing_need_names_that_exist() {
    let told = told(
        r#"name = "x"
extends = "guide"
remove = { factors = ["mcp_cod"], examples = ["a"] }
[lists.validation_verbs]
remove = ["creat"]
[lists.unheard_of]
add = ["x"]
[[decide]]
name = "new"
if = "mcp_code"
return = true
before = "nowhere"
"#,
    );
    let lines: Vec<usize> = told.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [3, 3, 5, 6, 12], "{told:#?}");
}

#[test]
fn a_signal_too_many_is_an_error() {
    let signals: Vec<String> =
        (0..129).map(|n| format!("[signals.f{n}]\ncontains = [\"x\"]\n")).collect();
    let text = format!("name = \"x\"\nextends = \"guide\"\n{}", signals.concat());
    assert!(told(&text).iter().any(|(_, message)| message.contains("at most 128 signals")));
}

#[test]
fn a_rulebook_may_not_extend_itself_nor_files_from_mere_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("writable");
        path.to_str().expect("a plain path").to_owned()
    };
    let first = write("first.toml", "name = \"first\"\nextends = \"second.toml\"\n");
    write("second.toml", "name = \"second\"\nextends = \"./first.toml\"\n");
    let error = Rulebook::load(&first).expect_err("a circle").to_string();
    assert!(
        error.contains("extends this rulebook") && error.contains("second.toml:2:11"),
        "{error}"
    );

    let third = write("third.toml", "name = \"third\"\nextends = \"fourth.toml\"\n");
    write(
        "fourth.toml",
        "name = \"fourth\"\nextends = \"guide\"\n[factors.mcp_code]\nweight = 5\n",
    );
    let rulebook = Rulebook::load(&third).expect("a chain");
    assert_eq!((rulebook.name.as_str(), rulebook.factors[0].weight), ("third", 5.0));

    let told = told("name = \"x\"\nextends = \"guidance\"\n");
    assert_eq!(told, [(2, "there is not a rulebook `guidance` to extend".to_owned())]);
}

#[test]
fn an_extended_file_that_lies_elsewhere_is_not_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    let within = folder.path().join("rulebooks");
    fs::create_dir(&within).expect("a folder");
    fs::write(folder.path().join("passwd"), "root:x:0:0:secret\n").expect("writable");
    fs::write(folder.path().join("keys.toml"), "[registry]\ntoken = \"secret\"\n")
        .expect("writable");
    fs::write(within.join("near.toml"), "root:x:0:0\n").expect("writable");
    let wrong = |extended: &str| {
        let own = within.join("own.toml");
        let text = format!("name = \"own\"\nextends = \"{extended}\"\n");
        fs::write(&own, text).expect("writable");
        Rulebook::load(own.to_str().expect("plain")).expect_err("no rulebook").to_string()
    };
    let passwd = wrong("../passwd");
    assert!(!passwd.contains("root:") && !passwd.contains("secret"), "quoted: {passwd}");
    assert!(
        passwd.contains("the extended file ") && passwd.contains(" is not a rulebook"),
        "{passwd}"
    );
    assert!(passwd.contains("../passwd:1:"), "no place of the first error: {passwd}");
    let keys = wrong("../keys.toml");
    assert!(!keys.contains("secret"), "quoted: {keys}");
    assert!(keys.contains("../keys.toml:"), "no place of the error: {keys}");
    let near = wrong("near.toml");
    assert!(near.contains("1 | root:x:0:0"), "a file of the same folder is quoted: {near}");
}

#[test]
fn a_rulebook_may_be_extended_by_its_absolute_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = tempfile::tempdir().expect("another folder");
    let base = folder.path().join("base.toml");
    fs::write(&base, "name = \"base\"\nextends = \"guide\"\n[factors.mcp_code]\nweight = 5\n")
        .expect("writable");
    let own = own.path().join("own.toml");
    fs::write(&own, format!("name = \"own\"\nextends = '{}'\n", base.display())).expect("writable");
    let rulebook = Rulebook::load(own.to_str().expect("plain")).expect("an absolute path");
    assert_eq!((rulebook.name.as_str(), rulebook.factors[0].weight), ("own", 5.0));
}

#[test]
fn an_unknown_rulebook_is_answered_with_those_there_are() {
    let error = Rulebook::load("guid").expect_err("unknown").to_string();
    assert!(error.contains("calibrated, guide, inspector; did you mean `guide`?"), "{error}");
    let folder = tempfile::tempdir().expect("a folder");
    let error = Rulebook::load(folder.path().to_str().expect("plain")).expect_err("a folder");
    assert!(matches!(error, RulebookError::Unreadable { .. }), "{error}");
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
fn oddities_are_warnings() {
    let text = "name = \"x\"\nextends = \"guide\"\n[lists.idle]\nentries = [\"a\"]\n[signals.f]\nregex = 'Error'\n";
    let rulebook = Rulebook::from_toml(text, "mine.toml").expect("only odd");
    let lines: Vec<usize> = rulebook.warnings.iter().map(|warning| warning.line).collect();
    assert_eq!(lines, [3, 6]);
}

#[test]
fn an_example_of_a_signal_that_does_not_hold_is_pointed_at() {
    let text = r#"name = "x"
extends = "guide"
[signals.crash]
contains = ["segfault"]
yes = ["Segfault at 0x0", "core dumped"]
no = ["user not found"]
"#;
    let rulebook = Rulebook::from_toml(text, "mine.toml").expect("nothing wrong otherwise");
    let broken = rulebook.broken_examples();
    let broken: Vec<(usize, &str)> = broken
        .iter()
        .map(|broken| (broken.problem.line, broken.problem.message.as_str()))
        .collect();
    assert_eq!(broken, [(5, "`crash` should be true for \"core dumped\", but is not")]);
}

#[test]
fn a_text_that_answers_a_call_is_tried_with_it() {
    let text = r#"name = "x"
extends = "guide"
[signals.strange_program]
regex = 'cannot run (?<quoted>\w+)'
quoted_from = "nothing"
yes = ["cannot run git", { text = "cannot run git", call = { program = "git" } }]
"#;
    let rulebook = Rulebook::from_toml(text, "mine.toml").expect("nothing wrong otherwise");
    let lines: Vec<usize> =
        rulebook.broken_examples().iter().map(|broken| broken.problem.column).collect();
    assert_eq!(lines, [26], "the call of the second names the program");
}

#[test]
fn what_cannot_be_looked_for_in_a_call_is_an_error() {
    for (signal, message) in [
        ("regex = 'no (?<quoted>a+)'", "belong together"),
        ("regex = 'no a+'\nquoted_from = \"values\"", "belong together"),
        ("regex = 'no (?<quoted>a+)'\nquoted_from = \"value\"", "`value` is not one of values,"),
        (
            "regex = 'a(?<quoted>b)'\nquoted_from = \"call\"\nin = \"tool\"",
            "only the text of a reply",
        ),
        ("quotes = \"nothing\"", "`nothing` is not one of values, names, call"),
        ("quotes = \"values\"\nleast = 0", "an empty text"),
        ("contains = [\"a\"]\nyes = [7]", "a table with `text` and `call`, not a number"),
        ("contains = [\"a\"]\nyes = [{ text = \"a\", call = 7 }]", "expected a table"),
    ] {
        let text = format!("name = \"x\"\nextends = \"guide\"\n[signals.f]\n{signal}\n");
        let error = Rulebook::from_toml(&text, "mine.toml").expect_err(signal).to_string();
        assert!(error.contains(message), "expected `{message}` for {signal}, not:\n{error}");
        assert!(!error.contains("2 errors"), "one mistake in {signal}:\n{error}");
    }
}

#[test]
fn examples_that_expect_what_no_verdict_can_have() {
    let text = r#"name = "x"
extends = "guide"
unknown_key = 1
[[examples]]
name = "misspelt"
tool = "get"
error = "not found"
[examples.expect]
clasification = "error"
business_logic = "yes"
decided_by = "validation tol"
threshold = 2026-11-21
signals = { busines_pattern = true, http_status = 1 }
issues = [{ severity = "eror", type = "no_reply" }]
metadata = { eror_count = 1 }
response_metadata = { contentTypes = ["text"], textBlockCont = 1 }
[[examples]]
name = "the same as JSON"
tool = "get"
error = "not found"
expect = '''
{"classification": "fuly_working",
 "score": null,
 "signals": {"http_statu": true},
 "evidence": {}}
'''
"#;
    let told: Vec<(usize, usize, String, String)> = problems(text)
        .into_iter()
        .map(|p| (p.line, p.column, p.message, p.help.unwrap_or_default()))
        .collect();
    let expected = [
        (3, 1, "unknown key `unknown_key`", "known keys: "),
        (9, 1, "a verdict has no member `clasification`", "did you mean `classification`?"),
        (10, 18, "expected true or false, not a text", ""),
        (11, 14, "unknown decision line `validation tol`", "did you mean `validation tool`?"),
        (12, 13, "expected a number, not a date", ""),
        (13, 13, "unknown signal `busines_pattern`", "did you mean `business_pattern`?"),
        (13, 51, "expected true or false, not a number", ""),
        (14, 24, "unknown severity `eror`", "did you mean `error`?"),
        (15, 14, "`metadata` has no member `eror_count`", "did you mean `error_count`?"),
        (
            16,
            48,
            "`response_metadata` has no member `textBlockCont`",
            "did you mean `textBlockCount`?",
        ),
        (22, 20, "unknown class `fuly_working`", "did you mean `fully_working`?"),
        (24, 14, "unknown signal `http_statu`", "did you mean `http_status`?"),
        (25, 12, "expected a list, not a table", ""),
    ];
    for ((line, column, message, help), told) in expected.into_iter().zip(&told) {
        assert_eq!((line, column, message), (told.0, told.1, told.2.as_str()), "{told:?}");
        assert!(told.3.starts_with(help), "{told:?}");
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn digests_tell_definitions_apart() {
    let digest = |signal: &str| {
        let text = format!("name = \"x\"\nextends = \"guide\"\n[signals.f]\n{signal}\n");
        Rulebook::from_toml(&text, "x").expect("good").digest
    };
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
    let distinct: std::collections::HashSet<&String> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());
}

#[test]
fn the_digest_is_of_the_content_alone() {
    let guide = Rulebook::builtin("guide").expect("built in");
    let digest = |text: &str| Rulebook::from_toml(text, "x").expect("good").digest;
    assert_eq!(digest("name = \"other\"\nextends = \"guide\"\n"), guide.digest);
    let source = builtin_source("guide").expect("built in");
    assert_eq!(digest(&source.replace("# ", "#   ").replace(" = ", "   = ")), guide.digest);
    for change in [
        "[factors.http_status]\nweight = 1.5",
        "[lists.mcp_codes]\nadd = [\"-1\"]",
        "[lists.validation_verbs]\nmatch = \"part\"",
        "[endings.ok]\nconfidence = 99",
        "[text]\nevidence_units = 99",
        "[signals.http_status]\nregex = 'x'",
        "[[decide]]\nname = \"otherwise\"\nthreshold = 0.4",
    ] {
        let text = format!("name = \"guide\"\nextends = \"guide\"\n{change}\n");
        assert_ne!(digest(&text), guide.digest, "{change}");
    }
}
