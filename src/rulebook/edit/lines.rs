//! Ordered lines with names: each stands for itself, and so does its place.

use super::part::Part;
use super::piece::{Pick, Piece, elements};
use super::walk::{Both, Walk};
use crate::rulebook::source::Node;

/// The lines of two trees. Some lines keep their order and are anchors; the others stand behind one of
/// them, in the earlier tree or in the later.
#[derive(Clone, Debug)]
pub(super) struct Lines(Vec<Line>);

#[derive(Clone, Debug)]
struct Line {
    piece: Piece,
    /// The edit by which it comes, goes or moves; anchors have none.
    edit: Option<usize>,
    /// Its place in the earlier tree and in the later.
    places: [Option<Place>; 2],
}

/// The anchor that comes before, and the place among all lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    anchor: usize,
    at: usize,
}

impl Lines {
    /// The lines of two trees; `inside` compares two lines of one name. The parts are that of a line and that
    /// of its place.
    pub(super) fn between(
        walk: &mut Walk,
        both: Both<'_>,
        [of_line, of_place]: [Part; 2],
        inside: &mut dyn FnMut(&mut Walk, &str, Both<'_>) -> Piece,
    ) -> Self {
        let [before, after] = [both.before, both.after].map(elements);
        let names = |lines: &[Node]| lines.iter().map(name).map(str::to_owned).collect::<Vec<_>>();
        let [names_before, names_after] = [names(before), names(after)];
        let at_before = |name: &str| names_before.iter().position(|other| other == name);
        let common: Vec<usize> = names_after.iter().filter_map(|name| at_before(name)).collect();
        let anchors = longest_rising(&common);
        let is_anchor = |name: &str| at_before(name).is_some_and(|at| anchors.contains(&at));
        let places = |names: &[String]| -> Vec<Place> {
            let mut anchor = 0;
            let place = |(at, name): (usize, &String)| {
                anchor += usize::from(is_anchor(name));
                Place { anchor, at }
            };
            names.iter().enumerate().map(place).collect()
        };
        let [places_before, places_after] = [places(&names_before), places(&names_after)];
        let mut lines = Vec::new();
        for (line, (name, place)) in after.iter().zip(names_after.iter().zip(&places_after)) {
            let old = at_before(name);
            let both = Both { before: old.map(|at| &before[at]), after: Some(line) };
            let edit = match old {
                None => Some(walk.note(of_line, name, "", both)),
                Some(_) if is_anchor(name) => None,
                Some(_) => Some(walk.note(of_place, name, "", Both { before: None, after: None })),
            };
            let piece = match old {
                None => Piece::Same(line.clone()),
                Some(_) => inside(walk, name, both),
            };
            let places = [old.map(|at| places_before[at]), Some(*place)];
            lines.push(Line { piece, edit, places });
        }
        for (line, (name, place)) in before.iter().zip(names_before.iter().zip(&places_before)) {
            if names_after.contains(name) {
                continue;
            }
            let edit = walk.note(of_line, name, "", Both { before: Some(line), after: None });
            let piece = Piece::Same(line.clone());
            lines.push(Line { piece, edit: Some(edit), places: [Some(*place), None] });
        }
        Self(lines)
    }

    /// The lines that come of choosing, in order. What no line can reach is left out.
    pub(super) fn build(&self, pick: &dyn Fn(usize) -> Pick) -> Vec<Node> {
        let mut placed: Vec<(usize, u8, usize, Node)> = Vec::new();
        for line in &self.0 {
            let [before, after] = line.places;
            let (place, rank) = match (line.edit, line.edit.map(pick)) {
                (None, _) | (_, None) => (after, 0),
                (_, Some(Pick::Before)) => (before, 1),
                (_, Some(Pick::After | Pick::Either)) => (after, 2),
            };
            let (Some(place), Some(node)) = (place, line.piece.build(pick)) else { continue };
            placed.push((place.anchor, rank, place.at, node));
        }
        placed.sort_by_key(|(anchor, rank, at, _)| (*anchor, *rank, *at));
        let mut lines: Vec<Node> = placed.into_iter().map(|(.., node)| node).collect();
        if let Some(always) = lines.iter().position(|line| line.get("if").is_none()) {
            lines.truncate(always + 1);
        }
        lines
    }
}

fn name(line: &Node) -> &str {
    line.get("name").and_then(Node::text).unwrap_or_default()
}

/// The longest rising run of a sequence of different numbers, gaps allowed.
fn longest_rising(numbers: &[usize]) -> Vec<usize> {
    let mut best: Vec<Vec<usize>> = Vec::new();
    for (at, number) in numbers.iter().enumerate() {
        let runs = best.iter().zip(&numbers[..at]).filter(|(_, last)| *last < number);
        let longest = runs.map(|(run, _)| run).max_by_key(|run| run.len());
        let mut run = longest.cloned().unwrap_or_default();
        run.push(*number);
        best.push(run);
    }
    best.into_iter().max_by_key(Vec::len).unwrap_or_default()
}
