//! The steps of `action.yml`, run as GitHub runs them, against an API that only this test has.

use crate::harness::{Ran, finish, skipped};
use crate::support::{corpus, home};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// A request as it came: method, path and body.
type Asked = (String, String, Value);

/// An API that knows some comments or issues and notes what it is asked.
struct Api {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Api {
    /// `status` is the answer to whatever would change something.
    fn with(known: &Value, status: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (known, noted) = (known.to_string(), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(&stream.expect("a request"), &known, status, &noted);
            }
        });
        Self { address, asked }
    }

    fn changes(&self) -> Vec<Asked> {
        let asked = self.asked.lock().expect("no panic in the API");
        asked.iter().filter(|(method, ..)| method != "GET").cloned().collect()
    }
}

fn answer(mut stream: &TcpStream, known: &str, status: &str, noted: &Mutex<Vec<Asked>>) {
    let mut read = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    read.read_line(&mut head).expect("a request line");
    loop {
        let mut line = String::new();
        read.read_line(&mut line).expect("a header");
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    read.read_exact(&mut body).expect("a body");
    let mut parts = head.split(' ').map(str::to_owned);
    let (method, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let (status, told) = if method == "GET" { ("200 OK", known) } else { (status, "{}") };
    let body = serde_json::from_slice(&body).unwrap_or_default();
    noted.lock().expect("no panic in a test").push((method, path, body));
    let length = told.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{told}"
    )
    .expect("an answer");
}

/// A job of GitHub in a folder of its own.
struct Job(tempfile::TempDir);

impl Job {
    fn new(event: &Value) -> Self {
        let job = Self(tempfile::tempdir().expect("a folder"));
        std::fs::write(job.path("event.json"), event.to_string()).expect("an event");
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// One step; `None` where there is no Python.
    fn step(&self, step: &str, settings: &[(&str, &str)]) -> Option<Ran> {
        let python = std::env::var_os("TAPECHECK_PYTHON").unwrap_or_else(|| "python3".into());
        if Command::new(&python).arg("--version").output().is_err() {
            skipped("python3 is absent");
            return None;
        }
        let mut command = Command::new(&python);
        command.arg(home().join("release/action.py")).arg(step).current_dir(self.0.path());
        for (name, file) in [
            ("GITHUB_EVENT_PATH", "event.json"),
            ("GITHUB_STEP_SUMMARY", "summary.md"),
            ("GITHUB_OUTPUT", "output.txt"),
            ("GITHUB_PATH", "path.txt"),
            ("RUNNER_TEMP", ""),
        ] {
            command.env(name, self.path(file));
        }
        command.env("COMMAND", env!("CARGO_BIN_EXE_tapecheck")).envs(settings.iter().copied());
        Some(finish(&mut command))
    }

    fn report(&self, api: &Api, settings: &[(&str, &str)]) -> Option<Ran> {
        std::fs::create_dir_all(self.path("tapecheck")).expect("a folder");
        std::fs::write(self.path("tapecheck/comment.md"), "## gate red\n").expect("a comment");
        let own = [
            ("GITHUB_API_URL", &*api.address),
            ("GITHUB_REPOSITORY", "owner/servers"),
            ("TOKEN", "secret"),
        ];
        self.step("report", &[&own, settings].concat())
    }
}

fn pull_request() -> Value {
    json!({"pull_request": {"number": 7}})
}

#[test]
fn one_comment_and_one_issue_are_kept_up_to_date() {
    let ours = "<!-- tapecheck gate -->\n## gate green";
    let comment = json!({"id": 11, "body": ours});
    let issue = json!({"number": 3, "body": ours});
    let other = json!({"id": 10, "number": 2, "body": "quotes <!-- tapecheck gate -->"});
    let (night, title) = (json!({}), "tapecheck: red, servers or tools got worse");
    for (about, event, known, settings, expected) in [
        (
            "the first comment",
            pull_request(),
            json!([other]),
            [("COMMENT", "true"), ("STATE", "red")],
            Some(("POST", "/issues/7/comments", json!({}))),
        ),
        (
            "a later one",
            pull_request(),
            json!([other, comment]),
            [("COMMENT", "true"), ("STATE", "red")],
            Some(("PATCH", "/issues/comments/11", json!({}))),
        ),
        (
            "no comment is wanted",
            pull_request(),
            json!([]),
            [("ISSUE", "true"), ("STATE", "red")],
            None,
        ),
        (
            "the first bad night",
            night.clone(),
            json!([other]),
            [("ISSUE", "true"), ("STATE", "red")],
            Some(("POST", "/issues", json!({"title": title, "labels": ["tapecheck"]}))),
        ),
        (
            "a bad night after a good one",
            night.clone(),
            json!([other, issue]),
            [("ISSUE", "true"), ("STATE", "red")],
            Some(("PATCH", "/issues/3", json!({"title": title, "state": "open"}))),
        ),
        (
            "a good night",
            night.clone(),
            json!([issue]),
            [("ISSUE", "true"), ("STATE", "green")],
            Some(("PATCH", "/issues/3", json!({"title": "tapecheck: green", "state": "closed"}))),
        ),
        (
            "a good night without an issue",
            night.clone(),
            json!([]),
            [("ISSUE", "true"), ("STATE", "green")],
            None,
        ),
        (
            "a check that could not run",
            night,
            json!([]),
            [("ISSUE", "true"), ("STATE", "")],
            Some(("POST", "/issues", json!({"title": "tapecheck: the check could not run"}))),
        ),
    ] {
        let api = Api::with(&known, "200 OK");
        let Some(ended) = Job::new(&event).report(&api, &settings) else { return };
        ended.ended_with(0);
        let changes = api.changes();
        assert_eq!(changes.len(), usize::from(expected.is_some()), "{about}: {changes:?}");
        if let Some((method, path, members)) = expected {
            let (asked, at, body) = &changes[0];
            let place = format!("/repos/owner/servers{path}");
            assert_eq!((&**asked, &**at), (method, &*place), "{about}");
            assert_eq!(body["body"], "<!-- tapecheck gate -->\n## gate red\n", "{about}");
            for (name, value) in members.as_object().into_iter().flatten() {
                assert_eq!(body[name], *value, "{about}: {name}");
            }
        }
    }
}

#[test]
fn a_token_that_may_not_write_costs_a_notice_only() {
    let api = Api::with(&json!([]), "403 Forbidden");
    let job = Job::new(&pull_request());
    let Some(ended) = job.report(&api, &[("COMMENT", "true")]) else { return };
    let said = ended.ended_with(0).out;
    assert!(said.starts_with("::notice::") && said.contains("403"), "{said}");
}

#[test]
fn gate_says_its_state_and_its_code_to_the_steps_after_it() {
    let (recorded, empty) = (corpus().join("recorded"), tempfile::tempdir().expect("a folder"));
    let place = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    for (about, [recordings, baseline], expected) in [
        ("the same", [&recorded, &recorded], "state=green\ncode=0\n"),
        ("no calls", [&empty.path().to_owned(), &recorded], "state=nothing to judge\ncode=3\n"),
        ("none", [&home().join("nowhere"), &recorded], "state=\ncode=2\n"),
    ] {
        let job = Job::new(&json!({}));
        let settings = [("RECORDINGS", &*place(recordings)), ("BASELINE", &*place(baseline))];
        let Some(ended) = job.step("gate", &settings) else { return };
        ended.ended_with(0);
        let output = job.text("output.txt");
        assert!(output.starts_with(expected), "{about}: {output}");
        assert!(job.text("summary.md").starts_with("## "), "{about}: {}", job.text("summary.md"));
    }
}

#[test]
fn a_pull_request_that_changes_the_rulebook_gets_the_calls_whose_verdicts_change() {
    let repository = Job::new(&json!({}));
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(repository.0.path()).args(arguments);
        finish(&mut command).ended_with(0).out
    };
    let rulebook = |more: &str| {
        let text = format!("name = \"mine\"\nextends = \"calibrated\"\n{more}");
        std::fs::write(repository.path("mine.toml"), text).expect("a rulebook");
    };
    rulebook("");
    git(&["init", "--quiet"]);
    git(&["add", "mine.toml"]);
    let who = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
    git(&[&who[..], &["commit", "--quiet", "-m", "rules"]].concat());
    let base = git(&["rev-parse", "HEAD"]);
    rulebook(
        "[lists.argument_validation]\nremove = [\"validation error\", \"input should be \"]\n",
    );
    let event = json!({"pull_request": {"number": 7, "base": {"sha": base.trim()}}});
    std::fs::write(repository.path("event.json"), event.to_string()).expect("an event");
    let recorded = corpus().join("recorded");
    let recorded = recorded.to_str().expect("UTF-8");
    let settings = [("RECORDINGS", recorded), ("BASELINE", recorded), ("RULEBOOK", "mine.toml")];
    let Some(ended) = repository.step("gate", &settings) else { return };
    ended.ended_with(0);
    let comment = repository.text("tapecheck/comment.md");
    let (_, changed) = comment.split_once("## What the rulebook changes").expect(&comment);
    assert!(changed.contains("convert"), "{changed}");
    assert_eq!(git(&["status", "--porcelain", "--", "*.toml"]), " M mine.toml\n");
}

#[test]
fn what_is_not_what_its_checksum_says_is_not_installed() {
    // The API says the same of every path, so that the archive is its own list of checksums.
    let api = Api::with(&json!("no archive"), "200 OK");
    let job = Job::new(&json!({}));
    let settings = [("REPOSITORY", "owner/tapecheck"), ("GITHUB_SERVER_URL", &*api.address)];
    let Some(ended) = job.step("install", &settings) else { return };
    let said = ended.ended_with(1).err;
    assert!(said.contains("nothing is installed"), "{said}");
    assert!(!job.path("tapecheck/bin").exists() && job.text("path.txt").is_empty());
}
