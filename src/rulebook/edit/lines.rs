//! Ordered lines with names: each stands for itself, and so does its place.

use super::Part;
use super::piece::{Both, Pick, Piece, Walk, elements};
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
type Place = (usize, usize);

impl Lines {
    /// The lines of two trees; `inside` compares two lines of one name. The parts are that of a line and that
    /// of its place.
    pub(super) fn between(
        walk: &mut Walk,
        both: Both<'_>,
        [of_line, of_place]: [Part; 2],
        inside: &mut dyn FnMut(&mut Walk, &str, Both<'_>) -> Piece,
    ) -> Self {
        let [before, after] = both.0.map(elements);
        let names = [before, after].map(|lines| lines.iter().map(name).collect::<Vec<&str>>());
        let at_before = |name: &str| names[0].iter().position(|other| *other == name);
        let common: Vec<usize> = names[1].iter().filter_map(|name| at_before(name)).collect();
        let anchors = longest_rising(&common);
        let is_anchor = |name: &str| at_before(name).is_some_and(|at| anchors.contains(&at));
        let places = names.each_ref().map(|names| {
            let mut anchor = 0;
            let place = |(at, name): (usize, &&str)| {
                anchor += usize::from(is_anchor(name));
                (anchor, at)
            };
            names.iter().enumerate().map(place).collect::<Vec<Place>>()
        });
        let mut lines = Vec::new();
        for ((line, name), place) in after.iter().zip(&names[1]).zip(&places[1]) {
            let old = at_before(name);
            let both = Both([old.map(|at| &before[at]), Some(line)]);
            let (edit, piece) = if old.is_some() {
                let moves = !is_anchor(name);
                let edit = moves.then(|| walk.note(of_place, name, "", Both([None; 2])));
                (edit, inside(walk, name, both))
            } else {
                (Some(walk.note(of_line, name, "", both)), Piece::Same(line.clone()))
            };
            lines.push(Line { piece, edit, places: [old.map(|at| places[0][at]), Some(*place)] });
        }
        for ((line, name), place) in before.iter().zip(&names[0]).zip(&places[0]) {
            if !names[1].contains(name) {
                let edit = Some(walk.note(of_line, name, "", Both([Some(line), None])));
                let piece = Piece::Same(line.clone());
                lines.push(Line { piece, edit, places: [Some(*place), None] });
            }
        }
        Self(lines)
    }

    /// The lines that come of choosing, in order. What no line can reach is left out.
    pub(super) fn build(&self, pick: &dyn Fn(usize) -> Pick) -> Vec<Node> {
        let mut placed: Vec<((usize, u8, usize), Node)> = Vec::new();
        for Line { piece, edit, places: [before, after] } in &self.0 {
            let (place, rank) = match edit.map(pick) {
                None => (after, 0),
                Some(Pick::Before) => (before, 1),
                Some(Pick::After | Pick::Either) => (after, 2),
            };
            let (Some((anchor, at)), Some(node)) = (place, piece.build(pick)) else { continue };
            placed.push(((*anchor, rank, *at), node));
        }
        placed.sort_by_key(|(place, _)| *place);
        let mut lines: Vec<Node> = placed.into_iter().map(|(_, node)| node).collect();
        if let Some(always) = lines.iter().position(|line| line.get("if").is_none()) {
            lines.truncate(always + 1);
        }
        lines
    }
}

pub(super) fn name(line: &Node) -> &str {
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
