//! Two hand-made sides held against each other.

use super::samples::{cause, error, excerpt, side, verdict};
use super::{
    Comparison, Explanation, Kind, Matched, Question, Side, Texts, compare_with, match_sides,
};
use crate::store::NamedVerdict;
use crate::verdict::Classification;
use std::collections::BTreeMap;

const FINE: u32 = 0;
const REFUSED: u32 = 1;
const FAILED: u32 = 2;

fn judged() -> Vec<NamedVerdict> {
    vec![verdict(), error(Classification::FullyWorking, true), error(Classification::Error, false)]
}

/// Every change by the same pattern.
fn by_pattern(questions: &[Question]) -> Vec<Explanation> {
    let cause = cause("business_patterns/not found", "pattern 'not found' no longer matches");
    vec![cause; questions.len()]
}

fn compared(before: &Side, after: &Side) -> Comparison {
    compare_with([before, after], match_sides(before, after), by_pattern)
}

/// Requests 1 to 4; the reply to request 3 is another on the later side.
fn sides() -> [Side; 2] {
    let key = |request: u128, reply: u128| request << 64 | reply;
    let before = side(
        "before",
        judged(),
        &[
            (key(1, 0), "a", REFUSED),
            (key(2, 0), "a", REFUSED),
            (key(3, 0), "b", FINE),
            (key(4, 0), "b", FAILED),
            (key(9, 0), "c", FAILED),
        ],
    );
    let after = side(
        "after",
        judged(),
        &[
            (key(7, 0), "c", FAILED),
            (key(1, 0), "a", FAILED),
            (key(2, 0), "a", FAILED),
            (key(3, 1), "b", FAILED),
            (key(4, 0), "b", REFUSED),
        ],
    );
    [before, after]
}

#[test]
fn every_exchange_has_one_kind_and_flips_stand_in_order() {
    let [before, after] = sides();
    let comparison = compared(&before, &after);
    let kinds = BTreeMap::from([
        (Kind::Regressed, 3),
        (Kind::Fixed, 1),
        (Kind::Stricter, 0),
        (Kind::MoreLenient, 0),
        (Kind::Changed, 0),
        (Kind::Added, 1),
        (Kind::Gone, 1),
        (Kind::Same, 0),
    ]);
    assert_eq!(comparison.kinds, kinds);
    let overlap = comparison.overlap;
    assert_eq!((overlap.same_exchange, overlap.same_request), (3, 1));
    assert_eq!((overlap.only_before, overlap.only_after), (1, 1));
    assert!(!overlap.is_whole());
    let order: Vec<_> = comparison.flips.iter().map(|flip| (flip.before, flip.after)).collect();
    assert_eq!(
        order,
        [
            (None, Some(0)),
            (Some(0), Some(1)),
            (Some(1), Some(2)),
            (Some(2), Some(3)),
            (Some(3), Some(4)),
            (Some(4), None)
        ]
    );
    assert_eq!(comparison.flips[3].matched, Some(Matched::Request));
}

#[test]
fn groups_add_up_to_the_matrices() {
    let [before, after] = sides();
    let comparison = compared(&before, &after);
    assert_eq!(comparison.classes.0.values().sum::<u64>(), comparison.overlap.both());
    assert_eq!(comparison.answers.0.values().sum::<u64>(), comparison.overlap.both());
    let mut by_transition = BTreeMap::new();
    for group in &comparison.groups {
        *by_transition.entry((group.from.class, group.to.class)).or_insert(0) += group.exchanges;
    }
    let moved: BTreeMap<_, _> =
        comparison.classes.0.iter().filter(|((from, to), _)| from != to).collect();
    assert_eq!(moved, by_transition.iter().collect());
    for (number, group) in (0..).zip(&comparison.groups) {
        assert_eq!(comparison.flips_of(number).count() as u64, group.exchanges, "{}", group.id);
    }
    let kinds: Vec<_> =
        comparison.groups.iter().map(|group| (group.kind, group.exchanges)).collect();
    assert_eq!(kinds, [(Kind::Regressed, 2), (Kind::Regressed, 1), (Kind::Fixed, 1)]);
}

#[test]
fn a_side_held_against_itself_is_the_same_and_nobody_is_asked_why() {
    let [before, _] = sides();
    let matching = match_sides(&before, &before);
    let comparison =
        compare_with([&before, &before], matching, |_| unreachable!("nothing to explain"));
    assert_eq!(comparison.kind(Kind::Same), 5);
    assert!(comparison.flips.is_empty() && comparison.groups.is_empty());
    assert!(comparison.rates.iter().all(|rate| !rate.is_moved()));
    assert_eq!(comparison.classes.moved(), 0);
}

#[test]
fn examples_are_of_several_servers_and_show_only_their_own_text() {
    let refused = error(Classification::FullyWorking, true);
    let exchanges = [(1, "a", 0), (2, "a", 0), (3, "a", 0), (4, "b", 0), (5, "b", 0), (6, "c", 0)];
    let mut before = side("before", vec![refused], &exchanges);
    before.texts = Texts::of([(2, excerpt(3, "a", "User not found"))]);
    let after = side("after", vec![error(Classification::Error, false)], &exchanges);
    let comparison = compared(&before, &after);
    let [group] = &comparison.groups[..] else { panic!("one group") };
    assert_eq!((group.exchanges, group.servers, group.tools), (6, 3, 3));
    let shown: Vec<_> = group
        .examples
        .iter()
        .map(|example| {
            let text = example.excerpts[0].as_ref().map(|excerpt| excerpt.text.as_str());
            (example.key.0, example.server.as_str(), text)
        })
        .collect();
    assert_eq!(shown, [(3, "a", Some("User not found")), (4, "b", None), (6, "c", None)]);
    let lines = &group.examples[0].lines;
    assert!(lines[0].starts_with("refused · fully_working 100 · business logic"), "{}", lines[0]);
    assert!(lines[1].starts_with("failed · error 100 · tool failure"), "{}", lines[1]);
}
