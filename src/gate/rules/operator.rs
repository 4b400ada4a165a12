//! Whether more calls are refused or fail for want of what only whoever runs the server can give.

use super::super::Case;
use super::super::report::RuleVerdict;
use super::super::traffic::Traffic;
use super::changes::changed;
use super::shares::{
    LEAST_CALLS, POINTS_TOGETHER, RISE_POINTS, RISE_SIGNIFICANCE, SIGNIFICANCE, ShareLimit,
};
use super::{BY_SERVER, Limit, RuleKind};
use crate::compare::Kind;
use std::sync::Arc;

pub(super) static OPERATOR: RuleKind = RuleKind {
    name: super::OPERATOR,
    about: "No rise of what only whoever runs the servers can mend: credentials, quotas, rate limits, set-up. Where \
        there is this rule, such a rise is none of `worse` or `shares`.",
    keys: &[
        (
            "fails",
            "`false`: the gate passes nonetheless, and its state is still `operator`; `true` by default.",
        ),
        SIGNIFICANCE,
        RISE_POINTS,
        LEAST_CALLS,
        RISE_SIGNIFICANCE,
        POINTS_TOGETHER,
    ],
    narrowed_by: BY_SERVER,
    next: "renew the credentials, raise the quota or complete the set-up of the servers named here; `tapecheck explain` \
        shows what a reply asks for",
    read: |table| {
        let only_warns = table.flag("fails") == Some(false);
        Some(Arc::new(Operator { only_warns, shares: ShareLimit::read(table, true) }))
    },
};

#[derive(Debug)]
struct Operator {
    only_warns: bool,
    shares: ShareLimit,
}

impl Limit for Operator {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        match case.traffic {
            Traffic::Repeated => changed(case, 0, |change| {
                change.flip.kind == Kind::Regressed && change.call.is_operators()
            }),
            Traffic::Other(_) => {
                let allowed =
                    "no more calls that need credentials, a quota, a rate limit or a set-up";
                self.shares.risen_shares(case, allowed)
            }
        }
    }

    fn only_warns(&self) -> bool {
        self.only_warns
    }
}
