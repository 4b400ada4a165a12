//! A picture of a terminal's screen, as SVG.

use std::fmt::Write as _;
use vt100::{Cell, Color, Screen};

/// The size of a cell in the picture.
const CELL: (f64, f64) = (8.4, 18.0);
/// The space around the screen.
const MARGIN: f64 = 12.0;
const PAPER: &str = "#16181d";
const INK: &str = "#d5d8de";

/// The sixteen colours of terminals.
const COLOURS: [&str; 16] = [
    "#2a2e37", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
    "#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
];

/// How a run of cells looks.
#[derive(PartialEq)]
struct Look {
    ink: String,
    paper: Option<String>,
    style: String,
}

fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Idx(index) => COLOURS.get(usize::from(index)).map(|colour| (*colour).to_owned()),
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

fn look(cell: &Cell) -> Look {
    let ink = colour(cell.fgcolor()).unwrap_or_else(|| INK.to_owned());
    let paper = colour(cell.bgcolor());
    let (ink, paper) = if cell.inverse() {
        (paper.unwrap_or_else(|| PAPER.to_owned()), Some(ink))
    } else {
        (ink, paper)
    };
    let mut style = String::new();
    for (is_so, words) in [
        (cell.bold(), r#" font-weight="bold""#),
        (cell.dim(), r#" opacity="0.6""#),
        (cell.underline(), r#" text-decoration="underline""#),
    ] {
        if is_so {
            style.push_str(words);
        }
    }
    Look { ink, paper, style }
}

/// Draws what is on the screen.
pub(crate) fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let width = f64::from(columns) * CELL.0 + 2.0 * MARGIN;
    let height = f64::from(rows) * CELL.1 + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let Some(first) = screen.cell(row, column) else { break };
            let (start, look_here) = (column, look(first));
            let mut text = String::new();
            while let Some(cell) = screen.cell(row, column).filter(|cell| look(cell) == look_here) {
                if !cell.is_wide_continuation() {
                    text.push_str(if cell.has_contents() { cell.contents() } else { " " });
                }
                column += 1;
                if column == columns {
                    break;
                }
            }
            run(&mut out, (row, start, column), (&text, &look_here));
        }
    }
    out.push_str("</svg>\n");
    out
}

fn run(out: &mut String, (row, start, end): (u16, u16, u16), (text, look): (&str, &Look)) {
    let x = MARGIN + f64::from(start) * CELL.0;
    let y = MARGIN + f64::from(row) * CELL.1;
    let width = f64::from(end - start) * CELL.0;
    if let Some(paper) = &look.paper {
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{paper}\"/>",
            CELL.1
        );
    }
    let trimmed = text.trim_end();
    if trimmed.is_empty() {
        return;
    }
    // Fonts differ in width; the text is made to take the columns it took.
    let columns = end - start - u16::try_from(text.len() - trimmed.len()).unwrap_or(0);
    let length = f64::from(columns) * CELL.0;
    let escaped = trimmed.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\"{} textLength=\"{length:.1}\" \
         xml:space=\"preserve\">{escaped}</text>",
        y + CELL.1 * 0.75,
        look.ink,
        look.style,
    );
}
