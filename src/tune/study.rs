//! A whole tuning: what is proposed, and what it is worth on servers that nothing was learned from.

use super::classifier::Classifier;
use super::folds::Fold;
use super::grams::Grams;
use super::learn::{Learned, Learner};
use super::measure::{Gain, Outcome};
use super::mine::Support;
use super::reply::{Asked, LabelledReply, Replies};
use super::seen::Seen;
use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use crate::measure::fit;
use crate::rulebook::{Rulebook, RulebookError};

/// How tuning is done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is learned from and what is measured on.
    pub folds: Vec<Fold>,
    /// How numbers are fitted.
    pub fit: fit::Settings,
    /// How many servers a phrase must be seen on.
    pub support: Support,
    /// Whether a classifier is fitted to the same folds.
    pub yardstick: Yardstick,
}

/// Whether a classifier is fitted to the same folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    Classifier,
    /// It is not.
    None,
}

#[derive(Clone, Debug)]
pub struct Study {
    /// What is proposed: learned from all servers, or, where a single part was held out, without it.
    pub learned: Learned,
    /// Each part that was measured on.
    pub folds: Vec<FoldResult>,
    /// What was said of the measured replies by the rulebook as it is and as it was tuned without them.
    pub outcomes: Vec<Outcome>,
    /// The same, of the classifier and of the tuned rulebook.
    pub against_classifier: Vec<Outcome>,
}

/// What was measured on a part of the servers.
#[derive(Clone, Debug)]
pub struct FoldResult {
    pub servers: Vec<u32>,
    pub before: Confusion,
    /// What the tuned rulebook says.
    pub after: Confusion,
    /// What the classifier says, where one was fitted.
    pub classifier: Option<Confusion>,
}

impl Study {
    /// What is gained over the rulebook as it is.
    pub fn gain(&self, asked: Asked, settings: &fit::Settings) -> Option<Gain> {
        Gain::of(asked, &self.outcomes, (settings.objective, settings.seed))
    }

    pub fn over_classifier(&self, asked: Asked, settings: &fit::Settings) -> Option<Gain> {
        Gain::of(asked, &self.against_classifier, (settings.objective, settings.seed))
    }
}

/// Learns and measures.
pub fn study(replies: &Replies, start: &Rulebook, plan: &Plan) -> Result<Study, RulebookError> {
    let grams = Grams::of(&replies.all);
    let seen = Seen::of(start, &replies.all);
    let teacher = Learner {
        start,
        replies: &replies.all,
        grams: &grams,
        seen: &seen,
        fit: &plan.fit,
        support: plan.support,
    };
    let mut outcomes = Vec::new();
    let mut against_classifier = Vec::new();
    let mut folds = Vec::new();
    let mut only = None;
    for fold in &plan.folds {
        let learned = teacher.learn(&fold.train)?;
        let classifiers = match plan.yardstick {
            Yardstick::Classifier => Some(classifiers(&replies.all, fold)),
            Yardstick::None => None,
        };
        let mut result = FoldResult {
            servers: fold.servers.clone(),
            before: Confusion::default(),
            after: Confusion::default(),
            classifier: classifiers.as_ref().map(|_| Confusion::default()),
        };
        for at in &fold.test {
            let reply = &replies.all[*at];
            let [before, after] = [start, &learned.rulebook].map(|book| reply.answer(book));
            result.before.add(reply.label, before);
            result.after.add(reply.label, after);
            let outcome =
                Outcome { reply: *at, server: reply.server, label: reply.label, before, after };
            outcomes.push(outcome);
            if let (Some(classifiers), Some(confusion)) = (&classifiers, &mut result.classifier) {
                let answer = Some(classified(classifiers, reply));
                confusion.add(reply.label, answer);
                against_classifier.push(Outcome { before: answer, ..outcome });
            }
        }
        folds.push(result);
        only = Some(learned);
    }
    let learned = match only {
        Some(only) if plan.folds.len() == 1 => only,
        Some(_) | None => teacher.learn(&(0..replies.all.len()).collect::<Vec<_>>())?,
    };
    Ok(Study { learned, folds, outcomes, against_classifier })
}

/// A classifier for each question.
fn classifiers(replies: &[LabelledReply], fold: &Fold) -> [Option<Classifier>; 2] {
    let train: Vec<&LabelledReply> = fold.train.iter().map(|at| &replies[*at]).collect();
    [Asked::Failed, Asked::Hidden].map(|asked| Classifier::fit(&train, asked.labels()))
}

/// What a classifier says of a reply; where there is none, what most replies of that kind are.
fn classified(classifiers: &[Option<Classifier>; 2], reply: &LabelledReply) -> Label {
    let asked = reply.asked();
    let classifier = match asked {
        Asked::Failed => &classifiers[0],
        Asked::Hidden => &classifiers[1],
    };
    let [_, otherwise] = asked.labels();
    classifier.as_ref().map_or(otherwise, |classifier| classifier.answer(reply))
}
