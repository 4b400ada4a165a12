//! A sweep as a picture: SVG that needs nothing else, readable on light and on dark ground.

use super::{Point, Sweep};
use crate::compare::Answer;
use crate::label::Label;
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// Where the curves are: left, top, right, bottom.
const AREA: [f64; 4] = [56.0, 40.0, 700.0, 250.0];
/// Where the flips stand: top and bottom.
const FLIPS: [f64; 2] = [276.0, 322.0];

const STYLE: &str = "\
:root{--ink:#1f2328;--faint:#8c959f;--line:#d0d7de;--ground:#ffffff;--a:#0550ae;--b:#1a7f37;--c:#bc4c00;--d:#8250df}\
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#8d96a0;--line:#3d444d;--ground:#0d1117;--a:#58a6ff;--b:#3fb950;--c:#f0883e;--d:#bc8cff}}\
.ground{fill:var(--ground)}text{font:12px system-ui,sans-serif;fill:var(--ink)}.faint{fill:var(--faint)}\
.grid{stroke:var(--line);stroke-width:1}.curve{fill:none;stroke-width:2}.now{stroke:var(--ink);stroke-dasharray:4 3}\
.best{fill:var(--a);opacity:.12}.flips{fill:var(--faint)}";

/// A curve of the picture.
struct Curve {
    name: &'static str,
    color: &'static str,
    dash: &'static str,
    of: fn(&Point) -> Option<f64>,
}

/// What is drawn where labels say how right the answers are.
const LABELLED: [Curve; 5] = [
    Curve {
        name: "balanced accuracy",
        color: "--a",
        dash: "none",
        of: |point| point.confusion.balanced_accuracy(),
    },
    Curve {
        name: "business logic found",
        color: "--b",
        dash: "none",
        of: |point| point.confusion.recall(Label::BusinessLogic).value(),
    },
    Curve {
        name: "tool failures found",
        color: "--c",
        dash: "none",
        of: |point| point.confusion.recall(Label::ToolFailure).value(),
    },
    Curve {
        name: "hidden failures found",
        color: "--d",
        dash: "none",
        of: |point| point.confusion.recall(Label::HiddenFailure).value(),
    },
    Curve {
        name: "right about hidden failures",
        color: "--d",
        dash: "5 4",
        of: |point| point.confusion.precision(Label::HiddenFailure).value(),
    },
];

/// What is drawn where there are no labels.
const PLAIN: [Curve; 2] = [
    Curve {
        name: "errors called business logic",
        color: "--b",
        dash: "none",
        of: |point| point.share_of_errors(Answer::BusinessLogic),
    },
    Curve {
        name: "errors called tool failure",
        color: "--c",
        dash: "none",
        of: |point| point.share_of_errors(Answer::ToolFailure),
    },
];

/// The sweep as an SVG document.
#[must_use]
pub fn picture(sweep: &Sweep) -> String {
    let mut svg = String::new();
    let title = escaped(&sweep.path);
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{title}\"><style>{STYLE}</style>\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>"
    );
    let Some(scale) = Scale::of(sweep) else { return svg + "</svg>\n" };
    let [left, top, right, bottom] = AREA;
    if let Some(best) = sweep.best {
        let (from, to) = (scale.x(best.from), scale.x(best.to));
        let width = (to - from).max(3.0);
        let _ = write!(
            svg,
            "<rect class=\"best\" x=\"{from:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{}\"/>",
            bottom - top
        );
    }
    for percent in [0_u8, 25, 50, 75, 100] {
        let y = y(f64::from(percent) / 100.0);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>\
             <text class=\"faint\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            left - 6.0,
            y + 4.0
        );
    }
    let curves: &[Curve] = if sweep.is_labelled { &LABELLED } else { &PLAIN };
    let mut at = left;
    for curve in curves {
        let points = sweep.points.iter();
        let known: Vec<(f64, f64)> = points
            .filter_map(|point| Some((scale.x(point.value), y((curve.of)(point)?))))
            .collect();
        if known.is_empty() {
            continue;
        }
        let path: Vec<String> = known.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let style = format!("stroke:var({});stroke-dasharray:{}", curve.color, curve.dash);
        let _ = write!(
            svg,
            "<path class=\"curve\" style=\"{style}\" d=\"M{}\"/>\
             <path class=\"curve\" style=\"{style}\" d=\"M{at:.0} 18h14\"/>\
             <text x=\"{:.0}\" y=\"22\">{}</text>",
            path.join("L"),
            at + 18.0,
            curve.name
        );
        at += 24.0 + 6.0 * curve.name.len() as f64;
    }
    flips(&mut svg, sweep, &scale);
    let now = scale.x(sweep.now);
    let _ = writeln!(
        svg,
        "<path class=\"now\" d=\"M{now:.1} {top}V{}\"/>\
         <text x=\"{left}\" y=\"344\" class=\"faint\">{:.4}</text>\
         <text x=\"{right}\" y=\"344\" class=\"faint\" text-anchor=\"end\">{:.4}</text>\
         <text x=\"{}\" y=\"344\" text-anchor=\"middle\">{title}, now {}</text></svg>",
        FLIPS[1],
        scale.from,
        scale.to,
        f64::midpoint(left, right),
        sweep.now
    );
    svg
}

/// How many exchanges each value flips, as bars of their own.
fn flips(svg: &mut String, sweep: &Sweep, scale: &Scale) {
    let [top, bottom] = FLIPS;
    let most = sweep.points.iter().map(|point| point.flips).max().unwrap_or(0).max(1);
    let width = ((AREA[2] - AREA[0]) / sweep.points.len() as f64 * 0.6).clamp(1.0, 14.0);
    for point in &sweep.points {
        let height = point.flips as f64 / most as f64 * (bottom - top);
        let _ = write!(
            svg,
            "<rect class=\"flips\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>",
            scale.x(point.value) - width / 2.0,
            bottom - height
        );
    }
    let _ = write!(
        svg,
        "<path class=\"grid\" d=\"M{} {bottom}H{}\"/>\
         <text class=\"faint\" x=\"{}\" y=\"{}\">flips, at most {most}</text>",
        AREA[0],
        AREA[2],
        AREA[0],
        top - 6.0
    );
}

/// From values to places.
struct Scale {
    from: f64,
    to: f64,
}

impl Scale {
    fn of(sweep: &Sweep) -> Option<Self> {
        let (first, last) = (sweep.points.first()?, sweep.points.last()?);
        Some(Self { from: first.value, to: last.value })
    }

    fn x(&self, value: f64) -> f64 {
        let span = self.to - self.from;
        let share = if span > 0.0 { (value - self.from) / span } else { 0.5 };
        AREA[0] + share * (AREA[2] - AREA[0])
    }
}

fn y(share: f64) -> f64 {
    AREA[3] - share * (AREA[3] - AREA[1])
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::Confusion;

    #[test]
    fn a_picture_is_one_document_with_its_curves() {
        let point = |value: f64, flips: u64| Point {
            value,
            is_now: flips == 0,
            confusion: Confusion::default(),
            answers: [1, 3, 1, 0],
            flips,
        };
        let sweep = Sweep {
            path: "decide.\"a <b>\".threshold".to_owned(),
            now: 0.5,
            points: vec![point(0.25, 9), point(0.5, 0), point(0.75, 3)],
            untold: 0,
            is_labelled: false,
            best: None,
            still: None,
        };
        let svg = picture(&sweep);
        let read = roxmltree::Document::parse(&svg).expect("XML");
        let of_class = |class: &str| {
            read.descendants().filter(|node| node.attribute("class") == Some(class)).count()
        };
        assert_eq!(of_class("flips"), 3);
        assert_eq!(of_class("curve"), 4, "two curves, and a stroke for each in the legend");
        assert!(svg.contains("prefers-color-scheme:dark"));
    }
}
