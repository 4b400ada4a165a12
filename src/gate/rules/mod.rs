//! What each kind of rule measures.

pub(super) mod absent;
mod causes;
pub(super) mod counts;
pub(super) mod headers;
pub(super) mod issue_types;
pub(super) mod labels;
pub(super) mod shares;
pub(super) mod slower;
pub(super) mod stricter;
pub(super) mod time_outs;
mod units;

use super::evidence::{Change, Seen};
use super::waive::{Subject, WaiverBook};

/// The name of the rule that asks, and the waivers it may have.
type Asking<'a, 'b> = (&'a str, &'a mut WaiverBook<'b>);

impl<'a> Seen<'a> {
    fn subject(self) -> Subject<'a> {
        Subject { server: self.server(), tool: self.tool(), ..Subject::default() }
    }
}

impl<'a> Change<'a> {
    fn subject(self) -> Subject<'a> {
        let of_exchange = self.seen().map(Seen::subject).unwrap_or_default();
        let group = self.group.map(|(_, group)| group.id.as_str());
        Subject { causes: self.causes(), group, ..of_exchange }
    }
}
