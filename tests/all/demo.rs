//! `tapecheck demo`: what is planted is found, in the trend and on the page, and nothing else.

use crate::harness::{Place, program, tapecheck};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The bundled recordings that the demo draws from.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/field");
/// Where the two incidents begin, as the demo says itself.
const PLANTED: [(&str, &str); 2] =
    [("terminal-controller", "2026-05-26"), ("python-interpreter", "2026-06-25")];

/// The share of calls that worked moves less, so that the second incident shows in it one night later.
const SHOWN_LATER: (&str, &str) = ("worked", "2026-06-26");

/// Recordings, run, history and page of the demo.
struct Demo {
    place: Place,
}

impl Demo {
    fn new() -> Self {
        let place = Place::new();
        let recordings = place.path("nights");
        let told = tapecheck(&["demo", RECORDED, "--out", recordings.to_str().expect("UTF-8")]);
        let told = told.ended_with(0).out;
        for (server, night) in PLANTED {
            assert!(told.contains(&format!("of {server} from {night}")), "{told}");
        }
        let run = ["run", "nights", "--rulebook", "calibrated", "--history", "history", "--quiet"];
        let ran = program().args(run).current_dir(place.root()).output().expect("it starts");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        Self { place }
    }

    fn trend(&self, by: &str) -> Value {
        let history = self.place.path("history");
        let told =
            tapecheck(&["trend", history.to_str().expect("UTF-8"), "--by", by, "--format=json"]);
        told.ended_with(0).json()
    }
}

/// Series and first night of each change.
fn changes(trend: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let series = trend["series"].as_array().expect("series").iter();
    let changes = series.flat_map(|series| {
        let changes = series["changes"].as_array().expect("changes").iter();
        changes.map(move |change| (text(&series["name"]), text(&change["from"])))
    });
    changes.collect()
}

#[test]
fn both_incidents_are_found_at_their_nights_and_nothing_else_is_an_alarm() {
    let demo = Demo::new();
    let by_server = changes(&demo.trend("server"));
    let planted = PLANTED.map(|(server, night)| (server.to_owned(), night.to_owned()));
    assert_eq!(by_server, BTreeSet::from(planted));
    let by_class = changes(&demo.trend("class"));
    for found in [&by_class, &changes(&demo.trend("outcome"))] {
        let nights =
            found.iter().map(
                |(name, night)| {
                    if (&**name, &**night) == SHOWN_LATER { PLANTED[1].1 } else { night }
                },
            );
        let nights: BTreeSet<&str> = nights.collect();
        assert_eq!(nights, BTreeSet::from(PLANTED.map(|(_, night)| night)), "{found:?}");
    }
    assert!(by_class.contains(&("broken".to_owned(), PLANTED[0].1.to_owned())), "{by_class:?}");
    assert!(by_class.contains(&("error".to_owned(), PLANTED[1].1.to_owned())), "{by_class:?}");

    // With a history as well as from the days of the run alone.
    let show = ["show", "reports/latest", "--format", "html=alone.html"];
    let shown = program().args(show).current_dir(demo.place.root()).output().expect("it starts");
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    for page in ["reports/latest/report.html", "alone.html"] {
        let page = fs::read_to_string(demo.place.root().join(page)).expect("a page");
        let trends = &page[page.find("id=\"trends\"").expect("trends are on the page")..];
        let trends = &trends[..trends.find("</section>").expect("they end")];
        for (server, night) in PLANTED {
            assert!(trends.contains(night) && trends.contains(server), "{server} {night}");
        }
    }
}

#[test]
fn the_same_seed_writes_the_same_recordings_and_only_where_nothing_is() {
    let place = Place::new();
    let write = |name: &str, more: &[&str]| {
        let out = place.path(name);
        let few = ["demo", RECORDED, "--nights", "3", "--calls", "40", "--out"];
        let out = [out.to_str().expect("UTF-8")];
        let arguments = [&few[..], &out, more].concat();
        tapecheck(&arguments)
    };
    let recordings = |name: &str| -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(place.path(name)).expect("a folder");
        let mut recordings: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, fs::read(&path).expect("a recording"))
            })
            .collect();
        recordings.sort();
        recordings
    };
    write("one", &[]).ended_with(0);
    write("two", &[]).ended_with(0);
    write("other", &["--config", "seed=2"]).ended_with(0);
    let names: Vec<String> = recordings("one").into_iter().map(|(name, _)| name).collect();
    let days = ["2026-06-28.jsonl.gz", "2026-06-29.jsonl.gz", "2026-06-30.jsonl.gz"];
    assert_eq!(names, days);
    assert_eq!(recordings("one"), recordings("two"));
    assert_ne!(recordings("one"), recordings("other"));
    write("one", &[]).ended_with(2).complaining("is not empty");
    let odd = tapecheck(&["demo", RECORDED, "--out", "x", "--night", "2026-02-30"]);
    odd.ended_with(2).complaining("expected a day");
}
