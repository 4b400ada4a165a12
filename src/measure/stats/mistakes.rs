//! The labelled exchanges that are answered wrongly.

use crate::compare::Side;
use crate::labels::Class;
use crate::measure::accuracy::Item;
use crate::recording::Key;
use crate::verdict::cut;
use serde::Serialize;

/// So much of a text is kept.
const TEXT: usize = 600;

/// A labelled exchange that is answered wrongly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    /// Its place in [`Side::entries`].
    #[serde(skip)]
    pub entry: u32,
    pub file: String,
    pub line: u32,
    pub key: Key,
    pub server: String,
    pub tool: String,
    #[serde(rename = "label")]
    pub truth: Class,
    pub answer: Option<Class>,
    pub decided_by: Option<String>,
    pub score: Option<f64>,
    pub threshold: Option<f64>,
    pub error_kind: Option<String>,
    pub signals: Vec<String>,
    pub hits: Vec<String>,
    /// The beginning of the judged text, where it is at hand.
    pub text: Option<String>,
    /// Why it has its label.
    pub why: Option<String>,
    /// The command that explains it; `None` where its recording is not at hand.
    pub explain: Option<String>,
}

/// The wrong ones of these answers: by what is true, what was answered, server, recording and line.
pub(super) fn mistakes<'i>(
    side: &Side,
    answers: impl Iterator<Item = (&'i Item, Option<Class>)>,
) -> Vec<Mistake> {
    let wrong = answers.filter(|(item, answer)| !item.label.is_met_by(*answer));
    let mut mistakes: Vec<Mistake> = wrong
        .map(|(item, answer)| {
            let entry = &side.entries[item.entry as usize];
            let verdict = side.verdict(item.verdict);
            let name = |number: u32| side.names.get(number).to_owned();
            Mistake {
                entry: item.entry,
                file: name(entry.file),
                line: entry.line,
                key: entry.key,
                server: name(entry.server),
                tool: name(entry.tool),
                truth: item.label,
                answer,
                decided_by: verdict.decided_by.clone(),
                score: verdict.score,
                threshold: verdict.threshold,
                error_kind: verdict.error_kind.clone(),
                signals: verdict.signals.clone(),
                hits: verdict.hits.clone(),
                text: side.excerpt(item.entry).map(|excerpt| shown(&excerpt.text)),
                why: None,
                explain: None,
            }
        })
        .collect();
    mistakes.sort_by(|one, two| {
        let order = |it: &Mistake| (it.truth, it.answer);
        let place = |it: &Mistake| (it.line, it.entry);
        let names = (&one.server, &one.file).cmp(&(&two.server, &two.file));
        order(one).cmp(&order(two)).then(names).then(place(one).cmp(&place(two)))
    });
    mistakes
}

/// As much of a text as is kept.
pub(super) fn shown(text: &str) -> String {
    cut(text, TEXT)
}
