//! What `tapecheck stats` says of a rulebook over recordings with labels, by the built program.

use crate::harness::{finish, program};
use crate::support::{corpus, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tapecheck::internals::corpus::{Bounds, CorpusReader, Input};
use tapecheck::internals::labels::{Said, read_labels};
use tapecheck::internals::recording::Exchange;
use tapecheck::internals::run::for_each_exchange;

/// Each asked for once, whichever test asks first.
type Asked = Mutex<BTreeMap<(PathBuf, String), Arc<OnceLock<Value>>>>;

/// The bundled recordings that rules were learned from.
pub(crate) fn bundled() -> Vec<(&'static str, PathBuf)> {
    ["learn", "unseen", "field", "recorded", "fresh", "mixed"]
        .map(|name| (name, corpus().join(name)))
        .into()
}

/// Bundled recordings that nobody reads who writes rules: what is said of them is counted and never shown.
pub(crate) fn unread() -> Vec<(&'static str, PathBuf)> {
    ["sealed", "check", "mixed-sealed"].map(|name| (name, corpus().join(name))).into()
}

/// Bundled recordings of servers that were used as an agent uses them: few of their calls fail.
pub(crate) fn ordinary() -> Vec<(&'static str, PathBuf)> {
    ["ordinary", "ordinary-sealed"].map(|name| (name, corpus().join(name))).into()
}

/// The recordings that are kept beside the package, where they are.
pub(crate) fn beside() -> Option<(&'static str, PathBuf)> {
    shared("corpora/recorded").map(|folder| ("shared", folder))
}

/// Reads a collection: each call, with its label if it has one.
pub(crate) fn for_each_labelled(
    folder: &Path,
    mut each: impl FnMut(&Exchange<'_>, Option<Said>) + Send,
) {
    let labels = read_labels(&folder.join("labels.jsonl")).expect("labels").into_iter();
    let labels: BTreeMap<(String, String), Said> =
        labels.filter_map(|line| Some(((line.file?, line.id?), line.said))).collect();
    let bounds = Bounds::default();
    let reader = CorpusReader::new(&[Input::Path(folder.to_owned())], bounds).expect("recordings");
    let seen = for_each_exchange(reader, &bounds, |located| {
        let exchange = located.as_recorded();
        let file = located.file_as_recorded();
        let file = file.rsplit('/').next().unwrap_or(file).to_owned();
        let id = exchange.id.as_ref().map(|id| id.replace('"', ""));
        each(exchange, id.and_then(|id| labels.get(&(file, id)).copied()));
        ControlFlow::<()>::Continue(())
    });
    seen.expect("a thread");
}

/// The JSON of `tapecheck stats --mistakes` over a folder with labels.
pub(crate) fn figures(folder: &Path, rulebook: &str) -> Value {
    static ASKED: Asked = Mutex::new(BTreeMap::new());
    let place = (folder.to_owned(), rulebook.to_owned());
    let cell = {
        let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(asked.entry(place).or_default())
    };
    cell.get_or_init(|| {
        let labels = folder.join("labels.jsonl");
        let command = [
            "--rulebook",
            rulebook,
            "--show=mistakes",
            "--top",
            "1000",
            "--format=json",
            "--labels",
        ];
        let ran = finish(program().arg("stats").arg(folder).args(command).arg(labels));
        ran.ended_with(0).json()
    })
    .clone()
}

/// Where, what it is, what was answered and the text of each wrong answer.
pub(crate) fn mistakes(figures: &Value) -> Vec<[String; 4]> {
    let rows = figures["truth"]["mistakes"].as_array().expect("a list of mistakes");
    rows.iter()
        .map(|row| {
            let [file, label, answer, text] = ["file", "label", "answer", "text"]
                .map(|member| row[member].as_str().unwrap_or("none").to_owned());
            [format!("{file}:{}", row["line"]), label, answer, text]
        })
        .collect()
}
