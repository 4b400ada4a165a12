//! `report.html` as people use it: opened in a browser, where there is one.

use crate::harness::{finish, program, skipped};
use crate::support::{corpus, home};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tapecheck::internals::store::{Table, TableReader};

/// What recordings may hold to become markup or script.
const HOSTILE: [&str; 14] = [
    "<script>globalThis.hit=1</script>",
    "</script><script>globalThis.hit=1</script>",
    "<img src=x onerror=\"globalThis.hit=1\">",
    "\"><svg onload=globalThis.hit=1>",
    "' onmouseover='globalThis.hit=1",
    "<!--<script>",
    "]]><b>",
    "javascript:globalThis.hit=1",
    "<iframe srcdoc=\"<script>parent.hit=1</script>\">",
    "{{constructor.constructor('globalThis.hit=1')()}}",
    "</style><style>*{display:none}",
    "&lt;img src=x onerror=alert(1)&gt;",
    "\u{202e}gnp.exe\u{2066}\u{200b}\u{0}\u{1b}[31m",
    "</title></textarea><base href=//evil.example/><meta http-equiv=refresh content=0>",
];

/// The browser and what drives it; says so where either is absent.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("TAPECHECK_BROWSER").map(PathBuf::from);
    let browser = named.unwrap_or_else(|| PathBuf::from("/usr/bin/chromium"));
    let driver = home().join("tests/browser/node_modules/playwright-core");
    let has_node = Command::new("node").arg("--version").output().is_ok();
    if browser.exists() && driver.exists() && has_node {
        return Some(browser);
    }
    skipped(
        "no browser to open pages with; install chromium and node, then run npm ci in tests/browser",
    );
    None
}

/// A run in a temporary folder, with its page.
struct Opened {
    folder: tempfile::TempDir,
}

impl Opened {
    fn of(recordings: &Path, rulebook: &str) -> Self {
        let opened = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        opened.judge(recordings, rulebook);
        opened
    }

    fn judge(&self, recordings: &Path, rulebook: &str) {
        let ran =
            finish(program().current_dir(self.folder.path()).arg("run").arg(recordings).args([
                "--rulebook",
                rulebook,
                "--out",
                "run",
                "--quiet",
            ]));
        assert!(ran.code == Some(0) || ran.code == Some(3), "{}", ran.err);
    }

    fn report(&self, more: &[&str]) -> String {
        let ran = finish(
            program()
                .current_dir(self.folder.path())
                .args(["show", "run", "--format=html"])
                .args(more),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        fs::read_to_string(self.page()).expect("a page")
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn page(&self) -> PathBuf {
        self.run().join("report.html")
    }

    fn summary(&self) -> Value {
        let text = fs::read_to_string(self.run().join("summary.json")).expect("a summary");
        serde_json::from_str(&text).expect("JSON")
    }

    /// What the page must say, from `summary.json` and from the tables.
    fn plan(&self) -> Value {
        let summary = self.summary();
        let mut counts = BTreeMap::new();
        // Where nothing was judged there are no numbers.
        let judged = summary["counts"]["exchanges"].as_u64() != Some(0);
        let outcomes = summary["outcomes"].as_object().expect("outcomes").iter();
        for (name, count) in outcomes.filter(|(_, count)| judged && **count != 0) {
            counts.insert(format!("outcome {name}"), count.clone());
        }
        let kinds = summary["kinds"].as_array().expect("kinds");
        for kind in kinds {
            let who = format!("who {}", kind["who"].as_str().expect("who"));
            let more = kind["count"].as_u64().expect("a count");
            let before = counts.get(&who).and_then(Value::as_u64).unwrap_or(0);
            counts.insert(who, (before + more).into());
        }
        json!({
            "page": self.page(),
            "total": summary["counts"]["exchanges"],
            "counts": counts,
            "filtered": self.filtered(),
        })
    }

    /// How many exchanges each filter leaves, counted row by row.
    fn filtered(&self) -> Vec<Value> {
        let mut counts: BTreeMap<Vec<(&str, String)>, u64> = BTreeMap::new();
        let mut table = TableReader::open(&self.run(), Table::Verdicts).expect("a table");
        for group in 0..table.groups() {
            let columns = [
                ("class", "classification"),
                ("server", "server"),
                ("tool", "tool"),
                ("kind", "error_kind"),
                ("who", "who"),
                ("outcome", "outcome"),
            ]
            .map(|(filter, name)| (filter, table.texts(group, name).expect("a column")));
            for row in 0..table.rows(group) {
                let has: Vec<(&str, String)> = columns
                    .iter()
                    .filter_map(|(filter, column)| {
                        let name = column.get(row)?;
                        let name = if name.is_empty() { "(no name)" } else { name };
                        Some((*filter, name.to_owned()))
                    })
                    .collect();
                for one in &has {
                    *counts.entry(vec![one.clone()]).or_default() += 1;
                }
                *counts.entry(has[..2].to_vec()).or_default() += 1;
            }
        }
        // Enough of each to trust the rest.
        let step = counts.len().div_ceil(40).max(1);
        let counts = counts.into_iter().step_by(step);
        counts.map(|(filters, count)| json!({"filters": filters, "count": count})).collect()
    }

    /// Opens the page as a person would.
    fn look(&self, browser: &Path, mut plan: Value) {
        if let Some(pictures) = std::env::var_os("TAPECHECK_PICTURES") {
            plan["pictures"] = json!(PathBuf::from(pictures));
        }
        let place = self.folder.path().join("plan.json");
        fs::write(&place, plan.to_string()).expect("a plan");
        let script = home().join("tests/browser/report.mjs");
        let ran = Command::new("node")
            .arg(script)
            .arg(place)
            .env("TAPECHECK_BROWSER", browser)
            .output()
            .expect("node");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{told}");
    }
}

#[test]
fn a_person_finds_her_way_through_a_run() {
    let Some(browser) = browser() else { return };
    let opened = Opened::of(&corpus().join("recorded"), "guide");
    opened.report(&[]);
    opened.look(&browser, opened.plan());
}

#[test]
fn what_changed_and_how_right_it_is_can_be_looked_at() {
    let Some(browser) = browser() else { return };
    let opened = Opened::of(&corpus().join("recorded"), "inspector");
    fs::rename(opened.run(), opened.folder.path().join("before")).expect("another name");
    opened.judge(&corpus().join("recorded"), "guide");
    let page = opened.report(&["--baseline", "before"]);
    for part in ["id=\"changes\"", "What changed, and why", "rulebook, proved", "<mark"] {
        assert!(page.contains(part), "{part}");
    }
    opened.look(&browser, opened.plan());
}

#[test]
fn one_exchange_and_none_at_all_are_runs_too() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = r#"{"tool": {"name": "get"}, "input": {}, "response": {"isError": true, "content": [{"type": "text", "text": "User not found"}]}}"#;
    for (name, text) in [("one.jsonl", one), ("none.jsonl", "{}")] {
        let recording = folder.path().join(name);
        fs::write(&recording, format!("{text}\n")).expect("a recording");
        let opened = Opened::of(&recording, "guide");
        let page = opened.report(&[]);
        assert_eq!(page.contains("id=\"exchanges\""), name == "one.jsonl", "no empty panel");
        for singular in ["All 1 ", " 0 are ", "1 are ", "All call"] {
            assert!(!page.contains(singular), "{singular}");
        }
        opened.look(&browser, opened.plan());
    }
}

/// Whoever gets a page by mail learns nothing of the machine that it was made on, and can still copy its
/// commands.
#[test]
fn folders_of_the_machine_are_not_on_the_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recordings = folder.path().join("of/tonight");
    fs::create_dir_all(&recordings).expect("a folder");
    fs::copy(corpus().join("guide/verbs.jsonl"), recordings.join("verbs.jsonl"))
        .expect("a recording");
    let opened = Opened::of(&recordings, "inspector");
    fs::rename(opened.run(), opened.folder.path().join("before")).expect("another name");
    let own = opened.folder.path().join("own.toml");
    fs::write(&own, "name = \"own\"\nextends = \"guide\"\n").expect("a rulebook");
    opened.judge(&recordings, own.to_str().expect("a path"));
    let before = opened.folder.path().join("before");
    let page = opened.report(&["--baseline", before.to_str().expect("a path")]);
    for of_machine in [folder.path(), opened.folder.path()] {
        let place = of_machine.to_str().expect("a path");
        assert!(!page.contains(place), "{place}");
    }
    for part in [">of/tonight<", "/before<", "tapecheck explain KEY run<"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn where_nothing_was_judged_the_page_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recordings = folder.path().join("recordings");
    fs::create_dir_all(&recordings).expect("a folder");
    let one =
        r#"{"tool": {"name": "get"}, "input": {}, "response": {"isError": false, "content": []}}"#;
    fs::write(recordings.join("one.jsonl"), format!("{one}\n")).expect("a recording");
    let opened = Opened::of(&recordings, "guide");
    fs::rename(opened.run(), opened.folder.path().join("before")).expect("another name");
    fs::remove_file(recordings.join("one.jsonl")).expect("removed");
    fs::write(recordings.join("notes.txt"), "nothing of interest\n").expect("a file");
    opened.judge(&recordings, "guide");
    let page = opened.report(&["--baseline", "before"]);
    for part in ["No calls were found.", "notes.txt", "What to do", "1 call in the run before"] {
        assert!(page.contains(part), "{part}");
    }
    for part in ["id=\"changes\"", ">Classes<", "got worse", "explain KEY", "Overall confidence"] {
        assert!(!page.contains(part), "{part}");
    }
    let mut show = program();
    show.current_dir(opened.folder.path()).args(["show", "run", "--format", "md"]);
    let ran = finish(&mut show);
    let told = ran.out.replace("&#58;", ":").replace("&#46;", ".");
    let notes = "<code>notes.txt</code>";
    for part in ["ound", "1 file: unknown file", notes, "See whether the recorder wrote"] {
        assert!(told.contains(part), "no {part}:\n{told}");
    }
    assert!(!ran.out.contains("unreadable.csv"), "nothing is in it:\n{}", ran.out);
    let Some(browser) = browser() else { return };
    opened.look(&browser, opened.plan());
}

/// Recordings in which everything that is shown is hostile.
fn hostile(folder: &Path) -> PathBuf {
    let recordings = folder.join("recordings <img src=x onerror=alert(1)>");
    fs::create_dir_all(&recordings).expect("a folder");
    for (at, text) in HOSTILE.iter().enumerate() {
        let record = |error: bool, words: &str| {
            json!({
                "id": text, "server": text, "scenario": text, "label": text,
                "tool": {"name": text, "outputSchema": {"type": "object", "required": [text]}},
                "input": {"of": text},
                "response": {
                    "isError": error, "structuredContent": {"a": 1},
                    "content": [{"type": "text", "text": words}],
                },
            })
        };
        let protocol = json!({
            "id": format!("{text} 2"), "server": text, "tool": text, "input": {},
            "error": {"code": -32000, "message": format!("{text} not found {text}")},
        });
        let lines = [
            record(true, &format!("{text} not found {text}")),
            record(false, &format!("Error: failed {text}")),
            protocol,
        ];
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let name = format!("{at} <script>alert({at})<script>'\"&.jsonl");
        fs::write(recordings.join(name), lines.join("\n") + "\n").expect("a recording");
    }
    recordings
}

#[test]
fn recorded_text_never_becomes_markup_or_script() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let opened = Opened::of(&hostile(folder.path()), "guide");
    let page = opened.report(&[]);
    assert!(opened.summary()["counts"]["exchanges"].as_u64() >= Some(28), "they were judged");
    for element in ["<img", "<iframe", "<base", "<script>globalThis.hit", "<svg onload"] {
        assert!(!page.contains(element), "{element}");
    }
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains(['\u{202e}', '\u{2066}', '\u{200b}', '\u{0}', '\u{1b}']));
    let Some(browser) = browser() else { return };
    let mut plan = opened.plan();
    // Names are shown harmless, so that the plain ones of the tables are no addresses.
    plan["filtered"] = json!([]);
    plan["open"] = json!(50);
    opened.look(&browser, plan);
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let opened = Opened::of(&corpus().join("guide"), "guide");
    let page = opened.report(&[]);
    assert!(page.contains("default-src &#39;none&#39;"), "the policy");
    for means in ["http://", "https://", "url(", "@import", " style=\""] {
        let found =
            page.find(means).map(|at| &page[at.saturating_sub(60)..(at + 60).min(page.len())]);
        let is_namespace = found.is_some_and(|text| text.contains("www.w3.org/2000/svg"));
        assert!(found.is_none() || is_namespace || means.starts_with("http"), "{found:?}");
    }
    let again = opened.report(&[]);
    assert_eq!(page, again, "written the same way twice");
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for place in ["nowhere", "."] {
        let ran =
            finish(program().current_dir(folder.path()).args(["show", place, "--format=html"]));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("reports/latest"), "{}", ran.err);
    }
}
