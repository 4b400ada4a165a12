//! Accepting a part of what changed.

use super::changes::{Change, changes};
use super::model::{Baseline, Notes};
use crate::compare::{Entry, Names, Side, Texts};
use crate::store::NamedVerdict;

/// The accepted baseline with some of the changes taken over: exchanges are replaced, added and
/// removed as they are now. It takes over the digests of now when nothing is left that differs.
///
/// A change names places among the entries of the two baselines; [`Baseline::places`] tells which
/// those were in the side that a baseline was made of.
pub fn apply(accepted: &Baseline, now: &Baseline, is_taken: impl Fn(&Change) -> bool) -> Baseline {
    let found = changes(accepted, now);
    let (new, old): (Vec<Change>, Vec<Change>) =
        found.changes.iter().partition(|one| is_taken(one));
    let origin = now.origin.clone().or(&accepted.origin);
    if old.is_empty() {
        return now.clone().from(origin);
    }
    let mut mixed = Mixed::default();
    let sources = [accepted, now].map(|baseline| mixed.verdicts_of(baseline));
    let [of_accepted, of_now] = sources;
    let now_places = found.same.iter().map(|(_, at)| *at);
    for at in now_places.chain(new.iter().filter_map(|change| change.now)) {
        mixed.add(now, of_now, at);
    }
    for at in old.iter().filter_map(|change| change.accepted) {
        mixed.add(accepted, of_accepted, at);
    }
    let mut side = Side {
        header: accepted.side.header.clone(),
        rulebook: accepted.side.rulebook.clone(),
        verdicts: mixed.verdict,
        entries: mixed.entries,
        names: mixed.names,
        texts: Texts::default(),
        key_digits: now.side.key_digits,
    };
    side.shorten(accepted.side.key_digits);
    Baseline::of(side, mixed.notes).from(origin)
}

/// Exchanges of two baselines.
#[derive(Default)]
struct Mixed {
    entries: Vec<Entry>,
    notes: Notes,
    verdict: Vec<NamedVerdict>,
    names: Names,
}

/// Where the verdicts of a baseline begin among those of both.
#[derive(Clone, Copy)]
struct Offset(u32);

impl Mixed {
    fn verdicts_of(&mut self, baseline: &Baseline) -> Offset {
        let offset = Offset(u32::try_from(self.verdict.len()).unwrap_or(u32::MAX));
        self.verdict.extend(baseline.side.verdicts.iter().cloned());
        offset
    }

    fn add(&mut self, baseline: &Baseline, offset: Offset, at: u32) {
        let Some(entry) = baseline.side.entries.get(at as usize) else { return };
        let names = &baseline.side.names;
        self.entries.push(Entry {
            verdict: entry.verdict.saturating_add(offset.0),
            server: self.names.number(names.get(entry.server)),
            tool: self.names.number(names.get(entry.tool)),
            ..*entry
        });
        self.notes.push(baseline.notes[at as usize].clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_text::read;
    use super::super::seal::sealed;
    use super::*;
    use crate::compare::Kind;

    const HEADER: &str = "tapecheck-baseline/6\ncorpus CORPUS\nrulebook guide 83\nversion 0.1.0\nkey digits 12\nexchanges 2\n";
    const ACCEPTED: &str = "  fully_working 2\n  business logic 1\n# s/a\n  refused v1 aaaaaaaaaaaa<111111111111 [1] | tool_error | User not found\n# s/b\n  worked v2 bbbbbbbbbbbb<222222222222\nverdicts\nv1 refused fully_working 100, business logic | tool_error\nv2 worked fully_working 100 | result\n";
    const NOW: &str = "  fully_working 1\n  broken 1\n  tool failure 1\n# s/a\n  failed v1 aaaaaaaaaaaa<111111111111 [1] | tool_error | User not found\n# s/c\n  failed v2 cccccccccccc | no_reply\nverdicts\nv1 failed fully_working 100, tool failure | tool_error\nv2 failed broken 0 | error no_reply | no_reply\n";

    fn baseline(corpus: &str, lines: &str) -> Baseline {
        let text = HEADER.replace("CORPUS", corpus) + lines;
        read(&sealed(&text), "test").unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    fn taking(kinds: &[Kind]) -> String {
        let (accepted, now) = (baseline("old", ACCEPTED), baseline("new", NOW));
        apply(&accepted, &now, |change| kinds.contains(&change.kind)).text()
    }

    #[test]
    fn what_is_taken_over_is_replaced_added_and_removed() {
        let (old, new) = (baseline("old", ACCEPTED).text(), baseline("new", NOW).text());
        assert_eq!(taking(&[]), old);
        assert_eq!(taking(&[Kind::Regressed, Kind::Added, Kind::Gone]), new);
        let replaced = taking(&[Kind::Regressed]);
        let with_now = ACCEPTED
            .replace("business logic", "tool failure")
            .replace("refused fully", "failed fully");
        assert_eq!(replaced, baseline("old", &with_now).text());
        let without = taking(&[Kind::Gone]);
        assert!(without.contains("\nexchanges 1\n") && !without.contains("# s/b"), "{without}");
        let with = taking(&[Kind::Added]);
        assert!(with.contains("\nexchanges 3\n") && with.contains("\n# s/c\n  failed "), "{with}");
        for partial in [replaced, without, with] {
            assert!(
                partial.contains("\ncorpus old\n"),
                "digests move when nothing is left: {partial}"
            );
            read(&partial, "test").unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }

    #[test]
    fn a_new_reply_of_which_the_same_is_said_is_no_change() {
        let renewed = ACCEPTED.replace("bbbbbbbbbbbb", "dddddddddddd");
        let (accepted, now) = (baseline("old", ACCEPTED), baseline("new", &renewed));
        assert!(changes(&accepted, &now).changes.is_empty());
        assert_eq!(apply(&accepted, &now, |_| false).text(), now.text());
    }
}
