//! Types of issue that were nowhere before.

use super::super::Case;
use super::super::evidence::{ExchangeGroup, most_first};
use super::super::policy::Glob;
use super::super::report::{RuleVerdict, waived_words};
use super::super::waive::{Subject, WaiverKey};
use super::changes::FLIPPED;
use super::{Limit, RuleKind};
use crate::compare::Kind;
use crate::rulebook::problem::did_you_mean;
use crate::store::NamedVerdict;
use crate::verdict::{IssueType, counted};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) static NEW_ISSUE_TYPES: RuleKind = RuleKind {
    name: "new_issue_types",
    about: "No call has an issue of a type that occurred nowhere before.",
    keys: &[
        (
            "except",
            "Types that may appear; `*` stands for any characters, `?` for one. A name or a list.",
        ),
        (
            "exchanges",
            "Whose issues count: those of calls that `both` sides have, the default, or `all`.",
        ),
    ],
    narrowed_by: &[WaiverKey::Server, WaiverKey::Tool, WaiverKey::IssueType],
    next: "look at the calls named here with `tapecheck explain`; when the type is expected, add \
        it to `except`",
    read: |table| {
        let of_all = table.word_of("exchanges", &[(false, "both"), (true, "all")]);
        let except = table.texts("except").into_iter().filter_map(|(name, mark)| {
            let known = || IssueType::ALL.iter().map(|kind| kind.name());
            let glob = Glob::new(name).filter(|glob| known().any(|kind| glob.fits(kind)));
            // A type that never occurs would let its rule say the same for ever.
            if glob.is_none() {
                let message = format!("unknown issue type `{name}`");
                table.problems.error_with_help(mark, message, did_you_mean(name, known()));
            }
            glob
        });
        let except = except.collect();
        Some(Arc::new(NewIssueTypes { except, of_all: of_all.unwrap_or(false) }))
    },
};

#[derive(Debug)]
struct NewIssueTypes {
    except: Vec<Glob>,
    /// Whether exchanges count that only the later side has.
    of_all: bool,
}

impl Limit for NewIssueTypes {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let evidence = case.evidence;
        let before = evidence.before.weighed();
        let known: BTreeSet<&str> =
            before.flat_map(|(verdict, _)| issue_types_of(verdict)).collect();
        let is_new =
            |kind: &&str| !known.contains(kind) && !self.except.iter().any(|glob| glob.fits(kind));
        let mut found: BTreeMap<&str, ExchangeGroup<'_>> = BTreeMap::new();
        let mut waived = 0;
        // What stayed the same has the issues that it had.
        for change in evidence.changes() {
            let kind = change.flip.kind;
            if !(FLIPPED.contains(&kind) || self.of_all && kind == Kind::Added) {
                continue;
            }
            let types: BTreeSet<&str> =
                issue_types_of(change.call.verdict()).filter(is_new).collect();
            for kind in types {
                if case.book.waives(&Subject { issue_type: Some(kind), ..change.subject() }, 1) {
                    waived += 1;
                } else {
                    found.entry(kind).or_default().add(change.call);
                }
            }
        }
        let count = found.len();
        let measured = format!("{}{}", counted(count as u64, "new type"), waived_words(waived));
        let except: Vec<&str> = self.except.iter().map(|glob| &*glob.written).collect();
        let allowed = match except.join(", ") {
            except if except.is_empty() => "none".to_owned(),
            except => format!("only {except}"),
        };
        let findings = most_first(found).into_iter().map(|(kind, gathered)| {
            let calls = counted(gathered.exchanges, "call");
            gathered.finding_with_reply(&format!("new issue type `{kind}` · {calls}"))
        });
        RuleVerdict::at_most(0.0, [count as f64, waived as f64], measured, allowed).found(findings)
    }
}

/// The types, without the severities that stand before them.
fn issue_types_of(verdict: &NamedVerdict) -> impl Iterator<Item = &str> {
    let issues = verdict.issues.iter();
    issues.map(|issue| issue.split_once(' ').map_or(issue.as_str(), |(_, kind)| kind))
}
