//! All that a run counted, and what a part of one keeps of it, to be added up.

use super::engine::Judged;
use super::totals::Totals;
use crate::count::tally::AllSessions;
use crate::count::{Cube, CubeCells};
use crate::store::Outcomes;
use serde::{Deserialize, Serialize};

pub(super) struct Counted {
    pub(super) totals: Totals,
    pub(super) cube: Cube,
    pub(super) sessions: AllSessions,
    pub(super) outcomes: Outcomes,
}

/// The same, as it is kept in a file.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    totals: Totals,
    cube: CubeCells,
    sessions: AllSessions,
    outcomes: Outcomes,
}

impl From<Judged> for Counted {
    fn from(judged: Judged) -> Self {
        let Judged { totals, cube, sessions, outcomes } = judged;
        Self { totals, cube, sessions: sessions.finish(), outcomes }
    }
}

impl Counted {
    pub(super) fn stored(&self) -> Stored {
        Stored {
            totals: self.totals.clone(),
            cube: self.cube.cells(),
            sessions: self.sessions.clone(),
            outcomes: self.outcomes.clone(),
        }
    }
}

impl Judged {
    pub(super) fn add(&mut self, next: Stored) {
        let Stored { totals, cube, sessions, outcomes } = next;
        self.totals.merge(totals);
        self.cube.add(cube);
        self.sessions.add_all(&sessions);
        self.outcomes.merge(&outcomes);
    }
}
