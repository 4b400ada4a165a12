//! All that a run counted, and what a part of one keeps of it in a file, to be added up.

use super::totals::Totals;
use crate::count::tally::{AllSessions, Sessions};
use crate::count::{Cube, CubeCells};
use crate::store::Outcomes;
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Counted<C = Cube, S = Sessions> {
    pub(super) totals: Totals,
    pub(super) cube: C,
    pub(super) sessions: S,
    pub(super) outcomes: Outcomes,
}

/// As it is kept in a file.
pub(super) type Stored = Counted<CubeCells, AllSessions>;
/// All of a run.
pub(super) type Whole = Counted<Cube, AllSessions>;

impl Counted {
    pub(super) fn add(&mut self, next: Stored) {
        self.totals.merge(next.totals);
        self.cube.add(next.cube);
        self.sessions.add_all(&next.sessions);
        self.outcomes.merge(&next.outcomes);
    }

    pub(super) fn finish(self) -> Whole {
        let Self { totals, cube, sessions, outcomes } = self;
        Counted { totals, cube, sessions: sessions.finish(), outcomes }
    }
}

impl Whole {
    pub(super) fn stored(&self) -> Stored {
        Counted {
            totals: self.totals.clone(),
            cube: self.cube.cells(),
            sessions: self.sessions.clone(),
            outcomes: self.outcomes.clone(),
        }
    }
}
