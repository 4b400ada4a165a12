//! One verdict before and after: what was observed each time, and what of it can be put back.

use super::books::{Books, Judged, PatternTexts, SideBook, judged};
use super::given::{Given, issue_name};
use super::words::{self, cause};
use crate::compare::{Cause, CauseKind, Matched, Origin};
use crate::recording::ExchangeKind;
use crate::rulebook::edit::Reach;
use crate::rulebook::{Observing, Rulebook};
use crate::store::{NamedSchema, NamedVerdict};
use crate::verdict::{Ground, IssueType, SchemaOutcome, SignalSet, Signals};
use std::collections::BTreeMap;

/// What was observed of an exchange on one side.
#[derive(Clone, Debug)]
pub(super) struct ObservedSide<'s> {
    pub(super) verdict: &'s NamedVerdict,
    pub(super) given: Given,
    /// What was looked for and found.
    pub(super) hits: PatternTexts,
    pub(super) looked_as: Option<Observing>,
    /// Which text was judged.
    pub(super) text: Judged,
}

/// A change that is no edit of a rulebook, and can be put back.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) what: What,
    pub(super) causes: Vec<Cause>,
    pub(super) origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The judged text, as far as no single hit stands for it.
    Text,
    Ground,
    Hit(usize),
    Schema,
    /// The issues of this severity and type.
    Issue(String),
    Stated,
}

/// A verdict before and after.
#[derive(Debug)]
pub(super) struct Pair<'s> {
    pub(super) before: ObservedSide<'s>,
    pub(super) after: ObservedSide<'s>,
    pub(super) matched: Matched,
    /// What was found on either side.
    pub(super) hits: Vec<usize>,
    /// What can be put back beside the edits of the rulebook; numbered after these.
    pub(super) switches: Vec<Switch>,
}

impl<'s> ObservedSide<'s> {
    /// `None` where the side does not tell what was observed.
    pub(super) fn of(verdict: &'s NamedVerdict, book: &SideBook) -> Option<Self> {
        let rulebook = &book.rulebook;
        let hits: Option<PatternTexts> =
            verdict.hits.iter().map(|name| book.look(name).map(|(look, _)| look)).collect();
        let mut given = Given::of(verdict);
        // What the conclusion raises is among these, which no error of a check turns into another one.
        let conclusion = rulebook.conclude(&given.with(signals(verdict, rulebook)));
        for raised in conclusion.raised() {
            let name = issue_name(raised);
            let at = given.others.iter().position(|other| *other == name)?;
            given.others.remove(at);
        }
        let is_usual = conclusion.confidence.to_bits() == verdict.confidence.to_bits();
        let is_stated = verdict.kind == ExchangeKind::JudgeResult && !is_usual;
        given.stated = is_stated.then_some(verdict.confidence);
        Some(Self {
            verdict,
            hits: hits?,
            looked_as: rulebook.observed_as(verdict.ground, verdict.hidden_failure),
            text: judged(rulebook, rulebook.text, verdict.ground, verdict.reply),
            given,
        })
    }
}

/// The signals that hold by what was said.
fn signals(verdict: &NamedVerdict, rulebook: &Rulebook) -> Signals {
    let mut question = SignalSet::default();
    let holding = rulebook.signals.iter().enumerate();
    let holding = holding.filter(|(_, signal)| verdict.signals.contains(&signal.name));
    holding.for_each(|(at, _)| question.insert(at));
    if !rulebook.judges_two_texts(verdict.ground) {
        return Signals::Of(question);
    }
    let hides_failure = verdict.hidden_failure == Some(true);
    Signals::OfFirst { question, hides_failure, error_kind: None }
}

impl<'s> Pair<'s> {
    pub(super) fn new(
        books: &Books,
        verdicts: [&'s NamedVerdict; 2],
        matched: Matched,
    ) -> Option<Self> {
        let before = ObservedSide::of(verdicts[0], &books.sides[0])?;
        let after = ObservedSide::of(verdicts[1], &books.sides[1])?;
        let mut hits: Vec<usize> = before.hits.each().chain(after.hits.each()).collect();
        hits.sort_unstable();
        hits.dedup();
        let mut pair = Self { before, after, matched, hits, switches: Vec::new() };
        pair.add_text(books);
        pair.add_schema(books);
        pair.add_issues(books);
        if pair.before.given.stated != pair.after.given.stated {
            let [before, after] = [&pair.before, &pair.after].map(|seen| {
                seen.given.stated.map_or("none".to_owned(), |stated| stated.to_string())
            });
            let change = format!("stated confidence {before} -> {after}");
            let causes = vec![cause(CauseKind::Reply, "reply.confidence", change)];
            pair.add(What::Stated, causes, pair.origin_of_the_rest());
        }
        Some(pair)
    }

    fn add(&mut self, what: What, causes: Vec<Cause>, origin: Origin) {
        self.switches.push(Switch { what, causes, origin });
    }

    /// Whom to blame for what neither the rulebook, the schema nor the checks explain.
    fn origin_of_the_rest(&self) -> Origin {
        match self.matched {
            Matched::Request => Origin::Reply,
            Matched::Exchange => Origin::Program,
        }
    }

    fn add_text(&mut self, books: &Books) {
        let edits = books.edits.all().iter().filter(|edit| edit.reach() == Reach::Text);
        let mut causes: Vec<Cause> = edits.map(words::of_edit).collect();
        let other_reply = self.matched == Matched::Request;
        let origin = match (other_reply, causes.is_empty()) {
            (true, false) => Some(Origin::Several),
            (true, true) => Some(Origin::Reply),
            (false, false) => Some(Origin::Rulebook),
            (false, true) => None,
        };
        if other_reply {
            let change = "the reply has other text".to_owned();
            causes.push(cause(CauseKind::Reply, "reply.text", change));
        }
        if let Some(origin) = origin {
            self.add(What::Text, causes, origin);
        }
        // The same reply is something else only where another text of it is judged.
        let grounds = [self.before.given.ground, self.after.given.ground];
        if grounds[0] != grounds[1] && origin != Some(Origin::Rulebook) {
            let [before, after] = [&self.before, &self.after].map(|seen| match seen.given.ground {
                Ground::Error => seen.given.reply.name(),
                ground => ground.name(),
            });
            self.add(What::Ground, vec![words::reply(before, after)], self.origin_of_the_rest());
        }
        if self.before.text == self.after.text {
            self.add_hits(books);
        }
    }

    /// What both sides looked for and only one of them found.
    fn add_hits(&mut self, books: &Books) {
        let watch = match [self.before.looked_as, self.after.looked_as] {
            [Some(watch), Some(other)] if watch == other => watch,
            [Some(Observing::Errors) | None, _] | [_, Some(Observing::Errors) | None] => return,
            [Some(_), Some(_)] => Observing::Successes,
        };
        let mut seen: BTreeMap<usize, (&str, bool)> = BTreeMap::new();
        for (verdict, now) in [(self.before.verdict, false), (self.after.verdict, true)] {
            for name in &verdict.hits {
                let Some((look, _)) = books.sides[usize::from(now)].look(name) else { continue };
                let other = if now { &self.before } else { &self.after };
                let both = books.sides.iter().all(|book| book.looked_for(watch).has(look));
                if both && !other.hits.has(look) {
                    seen.entry(look).or_insert((name, now));
                }
            }
        }
        for (look, (pattern, now)) in seen {
            let matches = if now { "now matches" } else { "no longer matches" };
            let text = pattern.split_once('/').map_or(pattern, |(_, text)| text);
            let change = format!("pattern '{text}' {matches}");
            let causes = vec![cause(CauseKind::Pattern, pattern, change)];
            self.add(What::Hit(look), causes, self.origin_of_the_rest());
        }
    }

    fn add_schema(&mut self, books: &Books) {
        let [before, after] =
            [self.before.verdict.schema.as_ref(), self.after.verdict.schema.as_ref()];
        let outcomes = [self.before.given.schema, self.after.given.schema];
        if outcomes[0] == outcomes[1] {
            return;
        }
        let settings = schema_settings(books, outcomes, self.after.given.ground);
        let key = |schema: Option<&NamedSchema>| schema.and_then(|schema| schema.key);
        let same_schema = key(before).zip(key(after)).map(|(before, after)| before == after);
        let difference = schema_difference(before, after);
        // Only the outcome can be put back: where the reply is new, and the schema is too or nobody
        // tells, nothing says which of the two it was.
        let origin = match (self.matched, same_schema) {
            (Matched::Request, Some(true)) => Origin::Reply,
            (Matched::Request, Some(false) | None) => Origin::Several,
            (Matched::Exchange, Some(true) | None) if !settings.is_empty() => {
                return self.add(What::Schema, settings, Origin::Rulebook);
            }
            (Matched::Exchange, Some(true) | None) if books.other_version => Origin::Program,
            (Matched::Exchange, Some(_) | None) => Origin::Schema,
        };
        self.add(What::Schema, vec![difference], origin);
    }

    fn add_issues(&mut self, books: &Books) {
        let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
        for (side, seen) in [&self.before, &self.after].into_iter().enumerate() {
            for issue in &seen.given.others {
                counts.entry(issue.clone()).or_default()[side] += 1;
            }
        }
        let criteria = books.edits.all().iter().any(|edit| edit.reach() == Reach::Criteria);
        let of_criteria = [IssueType::CriteriaNotMet, IssueType::CriteriaAmbiguous];
        for (issue, [before, after]) in counts {
            if before == after {
                continue;
            }
            let kind = issue.split_once(' ').map_or(issue.as_str(), |(_, kind)| kind);
            let about_criteria = of_criteria.iter().any(|known| known.name() == kind);
            let origin = if criteria && about_criteria {
                Origin::Rulebook
            } else if books.other_checks {
                Origin::Checks
            } else {
                self.origin_of_the_rest()
            };
            let causes = vec![words::issue(kind, after > before)];
            self.add(What::Issue(issue.clone()), causes, origin);
        }
    }
}

/// The settings that can be the reason for a schema's other outcome.
fn schema_settings(
    books: &Books,
    outcomes: [Option<SchemaOutcome>; 2],
    ground: Ground,
) -> Vec<Cause> {
    let any = |wanted: &[Option<SchemaOutcome>]| outcomes.iter().any(|one| wanted.contains(one));
    let unusable = any(&[None, Some(SchemaOutcome::Uncompilable), Some(SchemaOutcome::Undecided)]);
    let no_json = any(&[Some(SchemaOutcome::NoJson)]);
    let can = |key: &str| match key {
        "dialect" | "formats" => unusable || !no_json,
        "unknown_format" | "uncompilable" => unusable,
        "json_null" | "blocks" | "shapes" => no_json || !unusable,
        // These say of what else than contents a schema is asked, or told.
        _ => !ground.has_content(),
    };
    let edits = books.edits.all().iter().filter(|edit| edit.reach() == Reach::Schema);
    edits.filter(|edit| can(&edit.key)).map(words::of_edit).collect()
}

fn schema_difference(before: Option<&NamedSchema>, after: Option<&NamedSchema>) -> Cause {
    fn keyword(schema: Option<&NamedSchema>) -> Option<&str> {
        schema.filter(|it| it.outcome == SchemaOutcome::Invalid)?.keyword.as_deref()
    }
    let name = |schema: Option<&NamedSchema>| schema.map_or("none", |schema| schema.outcome.name());
    if let Some(keyword) = keyword(after) {
        words::schema_keyword(keyword, false)
    } else if let Some(keyword) = keyword(before) {
        words::schema_keyword(keyword, true)
    } else {
        words::schema(name(before), name(after))
    }
}
