//! What would have been decided with some changes put back, told from hits and not from texts.

use super::books::{Books, Facts, Judged, judged, watch_of};
use super::decided::Decided;
use super::pair::{Pair, Seen, What, issue_name};
use crate::compare::{Matched, Said};
use crate::rulebook::{LeafSet, Observing, OutcomeKind, Question, Rulebook, Says, TextRule};
use crate::tape::{ExchangeKind, ReplyKind};
use crate::verdict::{FactSet, Ground, IssueType, SchemaOutcome, Severity};
use std::collections::BTreeSet;

/// How many unanswered questions are tried both ways.
const MOST_UNANSWERED: usize = 4;

/// The changes that are put back: edits of the rulebook by their number, then the pair's switches.
pub(super) type PutBack = [bool];

/// The observation that a choice of changes leads to.
struct Observed<'p> {
    ground: Ground,
    reply: ReplyKind,
    schema: Option<SchemaOutcome>,
    others: Vec<String>,
    stated: Option<f64>,
    rule: TextRule,
    /// Whether the earlier text is meant, where the two are not one.
    earlier_text: bool,
    /// What only one side found though both looked, with whether the earlier finding is meant.
    hits: Vec<(usize, bool)>,
    pair: &'p Pair<'p>,
}

/// What of an exchange decides, beside facts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances<'o> {
    pub(super) kind: ExchangeKind,
    pub(super) ground: Ground,
    pub(super) schema: Option<SchemaOutcome>,
    /// The issues that do not come from how the call ended.
    pub(super) others: &'o [String],
    /// The confidence that a recorded result states of itself.
    pub(super) stated: Option<f64>,
}

/// What a choice of changes leads to.
pub(super) struct Evaluated {
    pub(super) decided: Decided,
    /// The patterns that hit: list, text and field.
    pub(super) hits: BTreeSet<String>,
}

/// What would have been decided; `None` where the hits do not tell.
pub(super) fn evaluate(
    books: &mut Books,
    pair: &Pair<'_>,
    put_back: &PutBack,
) -> Option<Evaluated> {
    let (facts, rules) = books.with(put_back)?;
    let observed = Observed::new(books, pair, put_back);
    let Some(watch) = watch_of(&rules, observed.ground) else {
        let decided = decide(&rules, &observed.circumstances(), FactSet::default());
        return Some(Evaluated { decided, hits: BTreeSet::new() });
    };
    if watch == Observing::Successes
        && rules.hidden_failure.is_some()
        && rules.errors.question == Question::All
    {
        // Two texts are judged there, and the hits of only one of them are kept.
        return None;
    }
    let text = judged(&rules, observed.rule, (observed.ground, observed.reply));
    let observable = facts.observed(&rules, watch);
    let there = facts.there(&books.edits, put_back);
    let [errors, hidden] = rules.deciding_facts();
    let needed = FactSet(observable.0 & (there.0 | errors.0 | hidden.0));
    let asking = Asking { books, facts: &facts, put_back, needed };
    let answers = observed.answers(&asking, (watch, text))?;
    let mut results = answers.each().map(|yes| {
        let holding = FactSet(facts.rulebook.facts_when(watch, yes).0 & observable.0);
        let mut decided = decide(&rules, &observed.circumstances(), holding);
        let names = facts.rulebook.facts.iter().enumerate();
        let names = names.filter(|(at, _)| holding.has(*at) && there.has(*at));
        decided.facts = names.map(|(_, fact)| fact.name.clone()).collect();
        decided
    });
    let decided = results.next()?;
    let agreed = results.all(|other| other == decided);
    drop(results);
    agreed.then_some(Evaluated { decided, hits: answers.hits })
}

/// What the questions are asked for.
struct Asking<'a> {
    books: &'a Books,
    facts: &'a Facts,
    put_back: &'a PutBack,
    /// The facts that are told or by which anything is decided.
    needed: FactSet,
}

/// The answers to the questions of a rulebook.
struct Answers {
    yes: LeafSet,
    unanswered: Vec<usize>,
    hits: BTreeSet<String>,
}

impl Answers {
    /// Every way in which the unanswered questions can be answered.
    fn each(&self) -> impl Iterator<Item = LeafSet> + '_ {
        (0..1_usize << self.unanswered.len()).map(|choice| {
            let mut yes = self.yes;
            for (bit, leaf) in self.unanswered.iter().enumerate() {
                if choice >> bit & 1 == 1 {
                    yes.insert(*leaf);
                }
            }
            yes
        })
    }
}

impl<'p> Observed<'p> {
    fn new(books: &Books, pair: &'p Pair<'p>, put_back: &PutBack) -> Self {
        let Pair { before, after, .. } = pair;
        let edits = books.edits.all().len();
        let switches = pair.switches.iter().zip(&put_back[edits..]);
        let mut observed = Self {
            ground: after.ground,
            reply: after.said.reply,
            schema: after.said.schema.as_ref().map(|schema| schema.outcome),
            others: after.others.clone(),
            stated: after.stated,
            rule: books.sides[1].rulebook.text,
            earlier_text: false,
            hits: Vec::new(),
            pair,
        };
        // Without a switch of its own, the ground goes with the text.
        let own_ground = pair.switches.iter().any(|switch| switch.what == What::Ground);
        for (switch, put_back) in switches {
            match &switch.what {
                What::Hit(look) => observed.hits.push((*look, *put_back)),
                _ if !put_back => {}
                What::Text => {
                    observed.earlier_text = true;
                    observed.rule = books.sides[0].rulebook.text;
                    if !own_ground {
                        observed.ground = before.ground;
                        observed.reply = before.said.reply;
                    }
                }
                What::Ground => {
                    observed.ground = before.ground;
                    observed.reply = before.said.reply;
                }
                What::Schema => {
                    observed.schema = before.said.schema.as_ref().map(|schema| schema.outcome);
                }
                What::Issue(issue) => observed.put_back_issue(issue, before),
                What::Stated => observed.stated = before.stated,
            }
        }
        observed
    }

    fn circumstances(&self) -> Circumstances<'_> {
        Circumstances {
            kind: self.pair.after.said.kind,
            ground: self.ground,
            schema: self.schema,
            others: &self.others,
            stated: self.stated,
        }
    }

    fn put_back_issue(&mut self, issue: &String, before: &Seen<'_>) {
        self.others.retain(|other| other != issue);
        self.others.extend(before.others.iter().filter(|other| *other == issue).cloned());
        self.others.sort_unstable();
    }

    /// Whether something that is looked for is in the text; `None` where nobody looked.
    fn found(
        &self,
        books: &Books,
        look: usize,
        (watch, text): (Observing, Judged),
    ) -> Option<bool> {
        if let Some((_, earlier)) = self.hits.iter().find(|(other, _)| *other == look) {
            let seen = if *earlier { &self.pair.before } else { &self.pair.after };
            return Some(seen.hits.contains(&look));
        }
        let mut told = None;
        let mut both = true;
        for (side, seen) in [&self.pair.before, &self.pair.after].into_iter().enumerate() {
            let rulebook = &books.sides[side].rulebook;
            let own = judged(rulebook, rulebook.text, (seen.ground, seen.said.reply));
            let looked = watch_of(rulebook, seen.ground) == Some(watch)
                && own == text
                && books.sides[side].looks_for(look, watch);
            both &= looked;
            // Another reply has another text, even where it is judged by the same rule.
            let meant = match self.pair.matched {
                Matched::Exchange => true,
                Matched::Request => (side == 0) == self.earlier_text,
            };
            if looked && meant {
                told = Some(seen.hits.contains(&look));
            }
        }
        // Where both looked and found different things, there is a switch for it.
        let agreed = both.then(|| self.pair.after.hits.contains(&look));
        told.or(agreed)
    }

    fn answers(&self, asking: &Asking<'_>, (watch, text): (Observing, Judged)) -> Option<Answers> {
        let Asking { books, facts, put_back, needed } = asking;
        let mut yes = LeafSet::default();
        let mut open = BTreeSet::new();
        let mut hits = BTreeSet::new();
        for asked in &facts.asked {
            let there = asked.entry.is_none_or(|entry| {
                let was_there = books.edits.all()[entry].before.is_some();
                was_there == put_back[entry]
            });
            // What no fact rests on that decides anything or is told need not be answered.
            if !there || facts.resting[asked.leaf].0 & needed.0 == 0 {
                continue;
            }
            match self.found(books, asked.look, (watch, text)) {
                Some(true) => {
                    yes.insert(asked.leaf);
                    hits.insert(facts.rulebook.patterns[asked.pattern].plain_name());
                }
                Some(false) => {}
                None => {
                    open.insert(asked.leaf);
                }
            }
        }
        let unanswered: Vec<usize> = open.into_iter().filter(|leaf| !yes.has(*leaf)).collect();
        (unanswered.len() <= MOST_UNANSWERED).then_some(Answers { yes, unanswered, hits })
    }
}

/// From facts to what is decided, as the judge does it with a reply in hand.
pub(super) fn decide(rulebook: &Rulebook, observed: &Circumstances<'_>, facts: FactSet) -> Decided {
    let ground = observed.ground;
    let is_error = matches!(ground, Ground::Error | Ground::SilentError);
    let asks = is_error
        || rulebook.errors.question == Question::All && watch_of(rulebook, ground).is_some();
    let asked = asks.then(|| rulebook.decide(facts));
    let hidden = if ground == Ground::Content { rulebook.hides_failure(facts) } else { None };
    let is_hidden = hidden == Some(true);
    let answer = asked.is_some_and(|asked| asked.business_logic);
    let kind = match ground {
        Ground::Error => rulebook.end_of_error(Says::Something, answer, facts),
        Ground::SilentError => rulebook.end_of_error(Says::Nothing, answer, facts),
        Ground::Content => rulebook.end_of_content(is_hidden, observed.schema),
        Ground::NoContent
        | Ground::EmptyContent
        | Ground::Malformed
        | Ground::NoReply
        | Ground::Document => OutcomeKind::of_ground(ground).unwrap_or(OutcomeKind::NoReply),
    };
    let mut issues = issues(rulebook, kind, (ground, observed.schema));
    issues.extend(observed.others.iter().cloned());
    issues.sort_unstable();
    let outcome = rulebook.outcome(kind);
    let score = asked.map(|asked| asked.score);
    let mut decided = Decided {
        class: outcome.classification,
        is_valid: outcome.is_valid,
        confidence: rulebook.confidence(kind, score.unwrap_or(0.0)),
        business_logic: asked.map(|asked| asked.business_logic),
        hidden_failure: hidden,
        score,
        threshold: asked.and_then(|asked| asked.threshold),
        decided_by: asked
            .and_then(|asked| rulebook.decide.get(usize::from(asked.line?)))
            .map(|line| line.name.clone()),
        error_kind: (is_error || is_hidden)
            .then(|| rulebook.error_kind(facts))
            .flatten()
            .and_then(|kind| rulebook.error_kinds.get(usize::from(kind)))
            .map(|kind| kind.name.clone()),
        issues,
        facts: BTreeSet::new(),
    };
    if observed.kind != ExchangeKind::ToolCall && refuses(observed.others) {
        let refused = rulebook.outcome(OutcomeKind::DocumentRefused);
        decided.class = refused.classification;
        decided.is_valid = refused.is_valid;
        if let crate::rulebook::Confidence::Fixed(confidence) = refused.confidence {
            decided.confidence = confidence;
        }
    }
    decided.confidence = observed.stated.unwrap_or(decided.confidence);
    decided
}

/// Whether one of these issues refuses a document.
pub(super) fn refuses(issues: &[String]) -> bool {
    let error = Severity::Error.name();
    issues.iter().any(|issue| issue.split(' ').next() == Some(error))
}

/// The issues that the way of ending raises, and those about the schema itself.
pub(super) fn issues(
    rulebook: &Rulebook,
    kind: OutcomeKind,
    (ground, schema): (Ground, Option<SchemaOutcome>),
) -> Vec<String> {
    let own = rulebook.outcome(kind).issue.as_ref().map(|issue| {
        let no_json = kind == OutcomeKind::SchemaFailed && schema == Some(SchemaOutcome::NoJson);
        let kind = if no_json { IssueType::NoStructuredOutput } else { issue.kind };
        issue_name(issue.severity, kind)
    });
    let is_success = matches!(ground, Ground::Content | Ground::NoContent | Ground::EmptyContent);
    let about_schema = match schema.filter(|_| is_success) {
        Some(SchemaOutcome::Uncompilable) => {
            Some(issue_name(Severity::Warning, IssueType::SchemaUncompilable))
        }
        Some(SchemaOutcome::Undecided) => {
            Some(issue_name(Severity::Info, IssueType::SchemaUndecided))
        }
        None | Some(SchemaOutcome::Valid | SchemaOutcome::Invalid | SchemaOutcome::NoJson) => None,
    };
    own.into_iter().chain(about_schema).collect()
}

/// How a call ended, from what was said of it.
pub(super) fn end_of(rulebook: &Rulebook, said: &Said, ground: Ground) -> OutcomeKind {
    let facts = rulebook.facts.iter().enumerate();
    let facts = facts.filter(|(_, fact)| said.facts.contains(&fact.name)).fold(
        FactSet::default(),
        |mut facts, (at, _)| {
            facts.insert(at);
            facts
        },
    );
    let answer = said.business_logic == Some(true);
    let schema = said.schema.as_ref().map(|schema| schema.outcome);
    match ground {
        Ground::Error => rulebook.end_of_error(Says::Something, answer, facts),
        Ground::SilentError => rulebook.end_of_error(Says::Nothing, answer, facts),
        Ground::Content => rulebook.end_of_content(said.hidden_failure == Some(true), schema),
        Ground::NoContent
        | Ground::EmptyContent
        | Ground::Malformed
        | Ground::NoReply
        | Ground::Document => OutcomeKind::of_ground(ground).unwrap_or(OutcomeKind::NoReply),
    }
}
