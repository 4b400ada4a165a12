//! How sure answers are.

use super::decisions::{NamedLines, when};
use super::signals::Signals;
use crate::rulebook::certainty::{CertaintyLine, Curve};
use crate::rulebook::model::{Decision, DecisionLine};
use crate::rulebook::problem::{Problems, did_you_mean};
use crate::rulebook::source::{Node, Section};
use crate::verdict::Answer;

/// The answers that can be right or wrong, by the labels that they come to.
const ANSWERS: [(Answer, &str); 4] = [
    (Answer::Fine, "ok"),
    (Answer::BusinessLogic, "business_logic"),
    (Answer::ToolFailure, "tool_failure"),
    (Answer::HiddenFailure, "hidden_failure"),
];

pub(super) fn lines(
    root: &mut Section<'_>,
    signals: &Signals,
    decide: &[DecisionLine],
) -> Vec<CertaintyLine> {
    let mut named = NamedLines::default();
    let nodes = root.list("certainty").iter();
    nodes.filter_map(|node| line(node, &mut named, signals, decide, root.problems)).collect()
}

fn line(
    node: &Node,
    named: &mut NamedLines,
    signals: &Signals,
    decide: &[DecisionLine],
    problems: &Problems,
) -> Option<CertaintyLine> {
    let mut section = Section::open(node, problems)?;
    let name = named.name(&mut section);
    section.text("about");
    let answer = section.require("answer", |it, key| it.word_of(key, &ANSWERS));
    let decided_by = decided_by(&mut section, decide);
    let condition = when(&mut section, signals);
    let has_threshold = decided_by
        .is_some_and(|at| matches!(decide[usize::from(at)].decision, Decision::Threshold(_)));
    let curve = curve(&mut section, has_threshold);
    section.finish();
    Some(CertaintyLine {
        name: name?,
        answer: answer?,
        decided_by,
        condition: condition?,
        curve: curve?,
    })
}

fn decided_by(section: &mut Section<'_>, decide: &[DecisionLine]) -> Option<u16> {
    let name = section.text("decided_by")?;
    let at = decide.iter().position(|line| line.name == name);
    if at.is_none() {
        let names = decide.iter().map(|line| line.name.as_str());
        let mark = section.mark_of("decided_by");
        let message = format!("unknown decision line `{name}`");
        section.problems.error_with_help(mark, message, did_you_mean(name, names));
    }
    u16::try_from(at?).ok()
}

fn curve(section: &mut Section<'_>, has_threshold: bool) -> Option<Curve> {
    let [level, near, far] = ["certainty", "near", "far"]
        .map(|key| (section.entry(key).is_some(), section.number_within(key, Curve::BOUNDS)));
    let found = match ([level.0, near.0, far.0], has_threshold) {
        ([true, false, false], _) => return level.1.map(Curve::level),
        ([false, true, true], true) => Curve { near: near.1?, far: far.1? },
        ([false, true, true], false) => {
            let message = "`near` and `far` need `decided_by` with the name of a decision line that has a \
                           threshold";
            section.error(message);
            return None;
        }
        (_, _) => {
            section.error("a line has either `certainty` or both `near` and `far`");
            return None;
        }
    };
    if found.far < found.near {
        section.error_at("far", "`far` must not be below `near`");
    }
    Some(found)
}
