//! How sure answers are, fitted to answers of labelled calls.
//!
//! A line has one number or two, so that a few servers cannot bend it. Each server counts by the root of its
//! number of answers, and every line starts from one answer that was right and one that was wrong: what was
//! seen seldom is never called sure.

use crate::rulebook::{CertaintyLine, Curve};
use std::collections::HashMap;

/// An answer to a labelled call of which a line says how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answered {
    /// The line, as an index into the rulebook's.
    pub line: u16,
    /// How far the score was from the threshold.
    pub distance: f64,
    pub server: u32,
    pub is_right: bool,
}

/// Answers at one distance, each with the weight that it counts with.
#[derive(Clone, Copy, Debug)]
struct Cell {
    distance: f64,
    right: f64,
    wrong: f64,
}

/// Certainties are whole hundredths, from 0.01 to this: readers of the same reply differ as often as that.
const HIGHEST: u32 = 99;

/// The curve of each line. A line of which there is no answer stays as it is.
pub fn fit_certainty(answers: &[Answered], lines: &[CertaintyLine]) -> Vec<Curve> {
    let fitted = (0_u16..).zip(lines).map(|(number, line)| {
        let own: Vec<&Answered> = answers.iter().filter(|it| it.line == number).collect();
        match (own.is_empty(), line.curve.is_level()) {
            (true, _) => line.curve,
            (false, true) => level(&own),
            (false, false) => curve(&cells(&own)),
        }
    });
    fitted.collect()
}

fn cells(own: &[&Answered]) -> Vec<Cell> {
    let mut of_server: HashMap<u32, f64> = HashMap::new();
    for answer in own {
        *of_server.entry(answer.server).or_default() += 1.0;
    }
    // The answer that was right and the one that was wrong lie at either end alike.
    let mut cells = [0.0, 1.0].map(|distance| Cell { distance, right: 0.5, wrong: 0.5 }).to_vec();
    for answer in own {
        let distance = answer.distance.clamp(0.0, 1.0);
        let weight = 1.0 / of_server[&answer.server].sqrt();
        let [right, wrong] = if answer.is_right { [weight, 0.0] } else { [0.0, weight] };
        match cells.iter_mut().find(|cell| (cell.distance - distance).abs() < 1e-9) {
            Some(cell) => (cell.right, cell.wrong) = (cell.right + right, cell.wrong + wrong),
            None => cells.push(Cell { distance, right, wrong }),
        }
    }
    cells
}

fn level(own: &[&Answered]) -> Curve {
    let cells = cells(own);
    let right: f64 = cells.iter().map(|cell| cell.right).sum();
    let wrong: f64 = cells.iter().map(|cell| cell.wrong).sum();
    let share = (right / (right + wrong) * 100.0).round() / 100.0;
    Curve::level(share.clamp(0.01, f64::from(HIGHEST) / 100.0))
}

/// The likeliest of all curves between whole hundredths.
fn curve(cells: &[Cell]) -> Curve {
    let hundredths = |from: u32| (from..=HIGHEST).map(|it| f64::from(it) / 100.0);
    let all = (1..=HIGHEST).flat_map(|near| {
        hundredths(near).map(move |far| Curve { near: f64::from(near) / 100.0, far })
    });
    let likelihood = |curve: &Curve| -> f64 {
        let of_cell = |cell: &Cell| {
            let sure = curve.at(cell.distance);
            cell.right * sure.ln() + cell.wrong * (1.0 - sure).ln()
        };
        cells.iter().map(of_cell).sum()
    };
    let best = all
        .map(|curve| (likelihood(&curve), curve))
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.map_or(Curve::level(0.5), |(_, curve)| curve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::Rulebook;

    const LINES: &str = "name = \"x\"\nextends = \"guide\"\n\
        [[certainty]]\nname = \"refused\"\nanswer = \"business_logic\"\ncertainty = 0.5\n\
        [[certainty]]\nname = \"failed\"\nanswer = \"tool_failure\"\ndecided_by = \"otherwise\"\n\
        near = 0.5\nfar = 0.6\n\
        [[certainty]]\nname = \"unseen\"\nanswer = \"ok\"\ncertainty = 0.7\n";

    fn answers(line: u16, distance: f64, server: u32, right: usize, wrong: usize) -> Vec<Answered> {
        let answer = |is_right| Answered { line, distance, server, is_right };
        let right = std::iter::repeat_n(answer(true), right);
        right.chain(std::iter::repeat_n(answer(false), wrong)).collect()
    }

    #[test]
    fn a_level_is_the_share_that_was_right_each_server_by_the_root_of_its_answers() {
        let book = Rulebook::from_toml(LINES, "x").expect("a rulebook");
        // 9 answers that weigh 3 together, 4 wrong ones that weigh 2, and one of each to start from.
        let all = [answers(0, 0.0, 1, 9, 0), answers(0, 0.0, 2, 0, 4)].concat();
        let fitted = fit_certainty(&all, &book.certainty);
        assert_eq!(fitted[0], Curve::level(0.57), "4 of 7");
        assert_eq!(fitted[2], Curve::level(0.7), "no answer says anything about it");
        let sure: Vec<Answered> =
            (0..900).flat_map(|server| answers(0, 0.0, server, 1, 0)).collect();
        assert_eq!(fit_certainty(&sure, &book.certainty)[0], Curve::level(0.99));
    }

    #[test]
    fn a_curve_rises_from_doubt_at_the_threshold() {
        let book = Rulebook::from_toml(LINES, "x").expect("a rulebook");
        let near = (0..40).flat_map(|server| {
            answers(1, 0.1, server, usize::from(server % 5 < 3), usize::from(server % 5 >= 3))
        });
        let far = (40..140).flat_map(|server| {
            answers(1, 0.9, server, usize::from(server != 40), usize::from(server == 40))
        });
        let fitted = fit_certainty(&near.chain(far).collect::<Vec<_>>(), &book.certainty)[1];
        let [near, far] = [fitted.at(0.1), fitted.at(0.9)];
        assert!((near - 0.6).abs() < 0.05 && far > 0.95, "{fitted:?}: {near}, {far}");
    }
}
