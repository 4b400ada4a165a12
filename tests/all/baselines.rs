//! Baselines through the built program: what they keep, what is said of them, what is refused.

use crate::harness::{Place, Ran, finish, good, lines, names_in, program};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A refusal, which `guide` takes for business logic by its text.
const REFUSED: &str = r#"{"id":"refused","server":"shop","tool":"delete_user","input":{"id":7},"response":{"isError":true,"content":[{"type":"text","text":"User not found"}]}}"#;
/// The same request with a reply that says nothing of the kind.
const FAILED: &str = r#"{"id":"refused","server":"shop","tool":"delete_user","input":{"id":7},"response":{"isError":true,"content":[{"type":"text","text":"Segmentation fault"}]}}"#;

/// Recordings, and snapshots beside them.
struct Kept {
    place: Place,
}

impl Kept {
    fn new(exchanges: &[&str]) -> Self {
        let kept = Self { place: Place::new() };
        kept.record(exchanges);
        kept
    }

    /// A place with a baseline of a refusal and two plainly fine exchanges.
    fn accepted() -> Self {
        let kept = Self::new(&[REFUSED, &good("a"), &good("b")]);
        kept.snapshot("create", &[]).ended_with(0);
        kept
    }

    fn record(&self, exchanges: &[&str]) {
        self.place.recording("one.jsonl", lines(exchanges));
    }

    fn snapshots(&self) -> PathBuf {
        self.place.root().join("snapshots")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.snapshots().join("recordings").join(name)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file("guide.snap")).expect("a baseline")
    }

    fn write(&self, text: &str) {
        fs::write(self.file("guide.snap"), text).expect("a baseline");
    }

    fn snapshot(&self, verb: &str, more: &[&str]) -> Ran {
        let mut command = program();
        if verb == "list" {
            return finish(command.args(["list", "baselines"]).arg(self.snapshots()));
        }
        let verb = match verb {
            "create" => "--all",
            "check" => "--list",
            _ => "--prune",
        };
        command.args(["review", verb, "--baseline"]).arg(self.snapshots());
        command.arg(self.place.recordings());
        if !more.contains(&"--rulebook") {
            command.args(["--rulebook", "guide"]);
        }
        finish(command.args(more))
    }

    fn names(&self, folder: &str) -> Vec<String> {
        names_in(&self.snapshots().join(folder))
    }
}

#[test]
fn what_is_accepted_is_clean_until_something_changes() {
    let kept = Kept::new(&[REFUSED, &good("a"), &good("b")]);
    let missing = kept.snapshot("check", &[]).ended_with(2).complaining("no baseline of ");
    missing.complaining("--baseline FILE").complaining(" --all");
    assert!(!kept.snapshots().exists(), "nothing is written");
    kept.snapshot("create", &[]).ended_with(0).printing("created ").printing("3 calls");
    assert_eq!(kept.names("recordings"), ["guide.snap"]);
    assert_eq!(kept.names(""), ["recordings", "rulebooks"], "no lock stays");
    kept.snapshot("check", &[]).ended_with(0).printing("clean ");

    let accepted = kept.text();
    kept.record(&[FAILED, &good("a"), &good("c")]);
    let ran = kept.snapshot("check", &[]).ended_with(1);
    let ran = ran.printing("1 regressed, 1 added, 1 gone, 1 same").printing("recordings changed: ");
    ran.printing("reply changed: pattern 'not found' no longer matches · refused -> failed");
    assert_eq!(kept.text(), accepted, "a check accepts nothing");
    assert_eq!(kept.names("recordings"), ["guide.snap", "guide.snap.new"]);

    kept.record(&[REFUSED, &good("a"), &good("b")]);
    kept.snapshot("check", &[]).ended_with(0);
    assert_eq!(kept.names("recordings"), ["guide.snap"], "nothing waits any more");
}

#[test]
fn recordings_are_judged_by_the_rulebook_that_a_baseline_of_any_name_tells() {
    let kept = Kept::accepted();
    let gate = |text: &str| {
        let file = kept.place.root().join("mine.snap");
        fs::write(&file, text).expect("a baseline");
        finish(program().arg("gate").arg(kept.place.recordings()).arg("--baseline").arg(file))
    };
    gate(&kept.text()).ended_with(0);
    let older = kept.text().replace("baseline\": 7", "baseline\": 8");
    gate(&older).ended_with(3).complaining("by another version");
    let own = kept.place.root().join("own.toml");
    fs::write(&own, "name = \"own\"\nextends = \"guide\"\n").expect("a rulebook");
    kept.snapshot("create", &["--rulebook", &own.display().to_string()]).ended_with(0);
    let accepted = fs::read_to_string(kept.file("own.snap")).expect("a baseline");
    gate(&accepted).ended_with(2).complaining("under the rulebook own").complaining("--rulebook");
}

#[test]
fn exchanges_that_are_gone_stay_until_they_are_pruned() {
    let kept = Kept::accepted();
    kept.record(&[REFUSED, &good("b"), &good("new")]);
    let ran = kept.snapshot("check", &[]).ended_with(1).printing("1 added, 1 gone, 2 same");
    ran.printing("  gone  get: was: worked");
    let before = kept.text();
    kept.snapshot("prune", &[]).ended_with(0).printing("1 call removed");
    let after = kept.text();
    // The digest, the counts, and the line of the call.
    assert_eq!(only_in(&before, &after).len(), 4, "{before}");
    let found = only_in(&after, &before);
    assert_eq!(found[1..], ["  \"calls\": 2,", "    \"fully_working\": 2"], "{after}");
    kept.snapshot("check", &[]).ended_with(1).printing("1 added, 2 same");
    assert_eq!(kept.names("recordings"), ["guide.snap", "guide.snap.new"]);
    kept.snapshot("prune", &[]).ended_with(0).printing("nothing to remove");
}

/// The lines of a text that another one lacks.
fn only_in<'t>(one: &'t str, other: &str) -> Vec<&'t str> {
    one.lines().filter(|line| other.lines().all(|other| other != *line)).collect()
}

#[test]
fn a_call_that_changed_changes_its_own_line() {
    let kept = Kept::accepted();
    let before = kept.text();
    kept.record(&[FAILED, &good("a"), &good("b")]);
    kept.snapshot("create", &[]).ended_with(0);
    let after = kept.text();
    let is_call = |line: &&str| line.starts_with("{\"server\"");
    let was: Vec<&str> = only_in(&before, &after).into_iter().filter(is_call).collect();
    let is: Vec<&str> = only_in(&after, &before).into_iter().filter(is_call).collect();
    let says = |lines: &[&str], outcome: &str, end: &str| {
        let outcome = format!(r#""outcome":"{outcome}""#);
        assert!(
            matches!(lines, [line] if line.contains(&outcome) && line.ends_with(end)),
            "{lines:?}"
        );
    };
    says(&was, "refused", r#""id":"refused","because":"validation tool","text":"User not found"}"#);
    let end = r#""id":"refused","because":"nothing in the text","text":"Segmentation fault"}"#;
    says(&is, "failed", end);
}

#[test]
fn secrets_in_replies_are_masked() {
    let secret = "ghp_7aBcDeFgHiJkLmNoPqRsTuVwXyZ23456789a";
    let kept = Kept::new(&[&FAILED.replace("Segmentation fault", &format!("denied: {secret}"))]);
    kept.snapshot("create", &[]).ended_with(0);
    let text = kept.text();
    assert!(text.contains(r#""text":"denied: "#) && !text.contains(&secret[8..]), "{text}");
}

#[test]
fn rulebooks_that_judged_no_baseline_are_pruned() {
    let kept = Kept::accepted();
    let own = |text: &str| {
        let path = kept.place.root().join("own.toml");
        fs::write(&path, format!("name = \"own\"\nextends = \"guide\"\n{text}")).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let first = own("");
    kept.snapshot("create", &["--rulebook", &first]).ended_with(0);
    let second = own("[factors.http_status]\nweight = 1.5\n");
    let ran = kept.snapshot("check", &["--rulebook", &second]).ended_with(0);
    ran.printing("rulebook changed: ").printing("no verdict changed");
    kept.snapshot("create", &["--rulebook", &second])
        .ended_with(0)
        .printing("no changes; header updated");
    assert_eq!(kept.names("rulebooks").len(), 3);
    kept.snapshot("prune", &["--rulebook", &second]).ended_with(0).complaining("removed ");
    assert_eq!(kept.names("rulebooks").len(), 2);
    kept.snapshot("check", &["--rulebook", &second]).ended_with(0);
    let both = ["--rulebook", &second, "--rulebook", &first];
    kept.snapshot("check", &both).ended_with(2).complaining("are both called `own`");
}

#[test]
fn the_list_tells_what_there_is() {
    let kept = Kept::accepted();
    let ran = kept.snapshot("list", &[]).ended_with(0).printing("guide.snap  3 calls, recordings ");
    ran.printing("format 7\n  fully_working 3, business logic 1\n");
    kept.record(&[FAILED]);
    kept.snapshot("check", &["--rulebook", "inspector"]).ended_with(2);
    kept.snapshot("check", &[]).ended_with(1);
    fs::copy(kept.file("guide.snap.new"), kept.file("inspector.snap.new")).expect("a copy");
    let ran = kept.snapshot("list", &[]).ended_with(0).printing(", changes wait for a review");
    ran.printing("inspector.snap.new  waits for its first review");
    let nothing = Kept::new(&[]);
    nothing.snapshot("list", &[]).ended_with(0).complaining("no baseline in ");
}

/// What is said of a baseline that was tampered with; it stays as it is.
#[track_caller]
fn refused(kept: &Kept, file: &str, bytes: &[u8]) -> Ran {
    fs::write(kept.file(file), bytes).expect("a baseline");
    for verb in ["create", "prune"] {
        kept.snapshot(verb, &[]).ended_with(3);
    }
    let ran = kept.snapshot("check", &[]).ended_with(3).complaining("nothing was overwritten");
    assert_eq!(fs::read(kept.file(file)).expect("a baseline"), bytes, "it stays as it is");
    assert_eq!(kept.names("recordings"), [file], "and nothing waits beside it");
    ran
}

#[test]
fn a_baseline_that_was_tampered_with_is_refused_and_not_replaced() {
    let kept = Kept::accepted();
    let text = kept.text();
    let refuse = |text: String| refused(&kept, "guide.snap", text.as_bytes());
    let conflict = format!("<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n");
    refuse(conflict).complaining("line 1 is a merge conflict marker");
    let kind = r#""outcome":"refused","classification""#;
    for (from, to, because) in [
        ("tapecheck_baseline", "taper", "not a tapecheck baseline"),
        ("baseline\": 7", "baseline\": 4", "another version of tapecheck"),
        ("logic\": 1", "logic\": 2", "its head counts 2 of `business logic`, but there are 1"),
        (kind, r#""outcome":"fine","classification""#, "unknown variant `fine`"),
    ] {
        refuse(text.replace(from, to)).complaining(because);
    }
    refuse(text[..text.len() - 30].to_owned()).complaining("the text ends within this line");
    refuse(String::new()).complaining("not a tapecheck baseline");
    refused(&kept, "guide.snap", &[0xff, 0xfe, 0]).complaining("not a tapecheck baseline");
    kept.write(&text);
    kept.snapshot("check", &[]).ended_with(0);
}

#[test]
fn an_edit_that_still_reads_well_is_refused() {
    let kept = Kept::accepted();
    let text = kept.text();
    let (_, keys) = text.split_once("\"key\":\"").expect("keys");
    let edits = [
        text.replace("\"score\":0.6666666666666666", "\"score\":0.7"),
        text.replace("\"business_pattern\",", ""),
        text.replace("\"business_patterns/not found\"", "\"business_patterns/unknown\""),
        text.replace("confidence\": 100", "confidence\": 12"),
        text.replace("unreadable_lines\": 0", "unreadable_lines\": 7"),
        text.replace("damaged\": 0", "damaged\": 7"),
        text.replace(&keys[..12], "0123456789ab"),
        text.replace("User not found", "User not known"),
        text.replace("\"refused\",\"verdict\"", "\"worked\",\"verdict\""),
        text.replace("delete_user", "drop_user"),
    ];
    for edited in edits {
        assert_ne!(edited, text, "something is edited");
        refused(&kept, "guide.snap", edited.as_bytes())
            .complaining("was edited after it was written")
            .complaining("move it away and run `tapecheck review RECORDINGS --all`");
    }
    let without = text.replace("\"digest\": \"", "\"\": \"");
    refused(&kept, "guide.snap", without.as_bytes()).complaining("missing field `digest`");
    // Line ends are no matter of what is said.
    kept.write(&text.replace('\n', "\r\n"));
    kept.snapshot("check", &[]).ended_with(0);
    kept.write(&text);
    kept.snapshot("check", &[]).ended_with(0);
}

#[test]
fn one_broken_baseline_does_not_hide_the_others() {
    let kept = Kept::accepted();
    let both = ["--rulebook", "guide", "--rulebook", "inspector"];
    kept.snapshot("create", &both).ended_with(0);
    kept.write("garbage\n");
    let ran = kept.snapshot("check", &both).ended_with(3).complaining("not a tapecheck baseline");
    ran.printing("clean ").printing("inspector.snap");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_keeps_what_it_has() {
    use std::os::unix::fs::PermissionsExt as _;
    let kept = Kept::accepted();
    let text = kept.text();
    let allow = |mode| {
        for folder in [kept.snapshots(), kept.snapshots().join("recordings")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("ours");
        }
    };
    allow(0o555);
    if fs::write(kept.file("probe"), "").is_ok() {
        allow(0o755);
        crate::harness::skipped("this user may write everywhere");
        return;
    }
    kept.snapshot("check", &[]).ended_with(0);
    kept.record(&[FAILED]);
    kept.snapshot("check", &[]).ended_with(3).complaining("not allowed to write");
    kept.snapshot("prune", &[]).ended_with(3).complaining("not allowed to write");
    kept.snapshot("create", &[]).ended_with(3).complaining("nothing was changed");
    allow(0o755);
    assert_eq!(kept.text(), text);
}

#[test]
fn whoever_writes_snapshots_keeps_others_from_writing() {
    let kept = Kept::accepted();
    kept.record(&[FAILED]);
    let lock =
        tapecheck::internals::baseline::SnapshotsLock::take(&kept.snapshots()).expect("free");
    // Each waits for a while, all at once.
    std::thread::scope(|scope| {
        for verb in ["check", "create", "prune"] {
            scope.spawn(|| {
                let ran = kept.snapshot(verb, &[]);
                ran.ended_with(3).complaining("another review or check is writing");
            });
        }
    });
    drop(lock);
    kept.snapshot("check", &[]).ended_with(1);
}

#[test]
fn names_that_cannot_be_files_and_empty_collections_are_refused() {
    let kept = Kept::new(&[]);
    kept.snapshot("create", &[]).ended_with(3).complaining("no calls were found");
    assert!(!kept.snapshots().exists(), "nothing is created for it");
    let named = |name: &str| {
        let folder = kept.place.root().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("one.jsonl"), lines(&[good("a")])).expect("a recording");
        folder.to_str().expect("UTF-8").to_owned()
    };
    let ran = kept.snapshot("create", &[&named("rulebooks")]).ended_with(2);
    ran.complaining("a collection cannot be called rulebooks");
    let ran = kept.snapshot("create", &[&named("a/same"), &named("b/same")]).ended_with(2);
    ran.complaining("are both called `same`");
    kept.snapshot("create", &["-"]).ended_with(2).complaining("has no name");
}

#[test]
fn a_baseline_compares_equal_with_what_it_was_made_of() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // These hold replies with one content that were judged under different schemas.
    for (collection, exchanges) in [("replies", 169), ("odd", 91)] {
        let baseline = root.join("snapshots").join(collection).join("guide.snap");
        let corpus = root.join("corpus").join(collection);
        let ran =
            finish(program().arg("diff").arg(baseline).arg(corpus).args(["--rulebook", "guide"]));
        ran.ended_with(0).printing(&format!("0 regressed · 0 fixed · {exchanges} same\n"));
    }
}

#[test]
fn the_worst_is_shown_first_and_all_that_is_gone() {
    let fine: Vec<String> = (0..30).map(|number| good(&format!("was{number}"))).collect();
    let mut before: Vec<&str> = fine.iter().map(String::as_str).collect();
    before.push(REFUSED);
    let kept = Kept::new(&before);
    kept.snapshot("create", &[]).ended_with(0);
    let new: Vec<String> = (0..12).map(|number| good(&format!("new{number}"))).collect();
    let mut after: Vec<&str> = new.iter().map(String::as_str).collect();
    after.push(FAILED);
    kept.record(&after);
    let ran = kept.snapshot("check", &[]).ended_with(1).printing("1 regressed, 12 added, 30 gone");
    let groups = ran.out.lines().filter(|line| line.starts_with("[ ] "));
    let kinds: Vec<&str> = groups.filter_map(|line| line.split("  ").nth(1)).collect();
    assert_eq!(kinds.first(), Some(&"regressed"), "{}", ran.out);
    assert!(kinds.contains(&"gone") && kinds.contains(&"added"), "{}", ran.out);
}

#[test]
fn a_list_tells_what_is_damaged() {
    let kept = Kept::accepted();
    let whole = kept.text();
    kept.snapshot("list", &[]).ended_with(0).printing("guide.snap  3 calls");
    let lost: String = whole
        .lines()
        .filter(|line| !line.contains("delete_user"))
        .map(|l| l.to_owned() + "\n")
        .collect();
    let half = &whole[..whole.len() / 2];
    for damaged in [lost.as_str(), half, &format!("{whole}<<<<<<< ours\n")] {
        kept.write(damaged);
        let ran = kept.snapshot("list", &[]).ended_with(3).complaining("guide.snap: ");
        assert_eq!(ran.out, "", "no counts are told of it");
    }
}

#[test]
fn after_pruning_the_header_is_that_of_now() {
    let kept = Kept::accepted();
    kept.record(&[REFUSED, &good("b")]);
    kept.snapshot("prune", &[]).ended_with(0).printing("1 call removed");
    let ran = kept.snapshot("check", &[]).ended_with(0);
    assert!(!ran.out.contains("moved"), "{}", ran.out);
}

#[test]
fn what_is_named_wrong_is_told() {
    let kept = Kept::accepted();
    let text = kept.text();
    let (_, without) = text.split_once("snapshot\n---\n").expect("the lines for insta");
    kept.write(without);
    kept.snapshot("check", &[]).ended_with(3).complaining("`source: tapecheck snapshot`");
    let file = kept.file("guide.snap");
    let run = |arguments: &[&str]| finish(program().args(arguments).current_dir(kept.place.root()));
    let named = file.to_str().expect("UTF-8");
    run(&["list", "baselines", named]).ended_with(3).complaining("Not a directory");
    let ran = run(&["review", "--list", "nope"]).ended_with(2).complaining("nope");
    assert!(!ran.err.contains("standard input"), "{}", ran.err);
}

#[test]
fn causes_are_proved_against_a_baseline_as_against_a_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Place::new();
    let mine = place.root().join("gm.toml");
    let text = "name = \"guide\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"not found\"]\n";
    fs::write(&mine, text).expect("a rulebook");
    let corpus = root.join("corpus/guide");
    let groups = |before: &Path, rulebooks: &[&Path]| {
        let mut command = program();
        command.arg("diff").arg(before).arg(&corpus).args(["--format", "json"]);
        for rulebook in rulebooks {
            command.arg("--rulebook").arg(rulebook);
        }
        let ran = finish(&mut command).ended_with(0);
        let object: Value = serde_json::from_str(&ran.out).expect("JSON");
        let group = |group: &Value| {
            let of = |member: &str| group[member].to_string();
            ["id", "causes", "proof", "origin", "exchanges"].map(of)
        };
        object["groups"].as_array().expect("groups").iter().map(group).collect::<Vec<_>>()
    };
    let accepted = root.join("snapshots/guide/guide.snap");
    let against_baseline = groups(&accepted, &[&mine]);
    let against_corpus = groups(&corpus, &[Path::new("guide"), &mine]);
    assert_eq!(against_baseline, against_corpus);
    assert!(!against_baseline.is_empty());
    for [_, causes, proof, origin, _] in &against_baseline {
        assert!(causes.contains("pattern 'not found' no longer matches"), "{causes}");
        assert_eq!((proof.as_str(), origin.as_str()), ("\"proved\"", "\"rulebook\""));
    }
}
