//! A sweep as a picture: SVG that needs nothing else, readable on light and on dark ground, alone or within
//! a page. A page may set the colours by `--sweep-ink` and its like.

use super::range::{round_step, rounded};
use super::sections::{Measure, ends, measures};
use super::{Point, Sweep};
use crate::verdict::{counted, cut, grouped};
use crate::view::html;
use crate::view::picture::{Form, Picture};

const STYLE: &str = include_str!("picture.css");
const WIDTH: f64 = 760.0;
/// Where values begin and end, from left to right.
const SIDES: [f64; 2] = [64.0, 728.0];
/// Room between the frame and the first and last value.
const INSET: f64 = 12.0;
const MARGIN: f64 = 20.0;
const LINE: f64 = 20.0;
/// How high the curves and the flips are.
const CURVES: f64 = 220.0;
const FLIPS: f64 = 56.0;
/// About how wide a letter is.
const LETTER: f64 = 6.6;
const BOLD: f64 = 7.4;
/// So many letters of the heading fit.
const HEADING: usize = 84;
/// So many values are labelled.
const TICKS: f64 = 10.0;
/// Where the scale of shares may begin: with the greatest that leaves nothing out.
const LEAST: [f64; 4] = [0.9, 0.8, 0.6, 0.0];
/// Up to so many values, each has a dot that tells its numbers.
const DOTTED: usize = 61;

/// The sweep as an SVG document.
pub fn picture(sweep: &Sweep) -> String {
    let curves = measures(sweep);
    let mut picture = Picture { label: sweep.path.clone(), ..Picture::default() };
    picture.styled_words("heading", [MARGIN, 28.0], "start", cut(&sweep.path, HEADING));
    let mut y = 28.0;
    for line in std::iter::once(format!("now {}", sweep.now)).chain(ends(sweep)) {
        y += LINE;
        picture.styled_words("faint", [MARGIN, y], "start", line);
    }
    let top = legend(&mut picture, sweep, &curves, y + LINE + 4.0) + 34.0;
    picture.size = [WIDTH, top];
    if let [first, .., last] | [first @ last] = sweep.points.as_slice() {
        let shares = sweep.points.iter().flat_map(|it| curves.iter().filter_map(|of| (of.of)(it)));
        let lowest = shares.fold(1.0, f64::min);
        let least = LEAST.into_iter().find(|least| *least <= lowest).unwrap_or_default();
        let frame = Frame { top, least, from: first.value, to: last.value };
        picture.size = [WIDTH, frame.bottom() + 34.0];
        grid(&mut picture, sweep, &frame);
        for curve in curves {
            draw(&mut picture, sweep, &frame, curve);
        }
        flips(&mut picture, &sweep.points, &frame);
        ticks(&mut picture, &frame);
        now(&mut picture, sweep.now, &frame);
    }
    html::drawing(&picture, "tapecheck-sweep", STYLE)
}

/// What the curves are, in as many rows as it takes; where its last row stands.
fn legend(picture: &mut Picture, sweep: &Sweep, curves: &[&Measure], top: f64) -> f64 {
    let [mut x, mut y] = [MARGIN, top];
    let best = sweep.better().map(|_| ("best", "best values"));
    for (style, name) in curves.iter().map(|curve| (curve.style, curve.name)).chain(best) {
        let width = 30.0 + name.len() as f64 * LETTER;
        if x > MARGIN && x + width > WIDTH - MARGIN {
            [x, y] = [MARGIN, y + LINE];
        }
        picture.draw(
            style,
            match style {
                "best" => Form::Box { from: [x, y - 10.0], to: [x + 24.0, y + 2.0] },
                _ => Form::Line(vec![[x, y - 4.0], [x + 24.0, y - 4.0]]),
            },
        );
        picture.words([x + 30.0, y], "start", name);
        x += width + 18.0;
    }
    y
}

/// Where things stand.
struct Frame {
    /// Where the curves begin.
    top: f64,
    least: f64,
    from: f64,
    to: f64,
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        let span = self.to - self.from;
        let share = if span > 0.0 { (value - self.from) / span } else { 0.5 };
        SIDES[0] + INSET + share * (SIDES[1] - SIDES[0] - 2.0 * INSET)
    }

    fn y(&self, share: f64) -> f64 {
        self.top + (1.0 - share) / (1.0 - self.least) * CURVES
    }

    /// Where the flips begin.
    fn flips(&self) -> f64 {
        self.top + CURVES + 38.0
    }

    fn bottom(&self) -> f64 {
        self.flips() + FLIPS
    }
}

/// A line across, and a number beside its left end.
fn across(picture: &mut Picture, y: f64, number: String) {
    picture.draw("grid", Form::Line(SIDES.map(|x| [x, y]).to_vec()));
    picture.styled_words("faint", [SIDES[0] - 8.0, y + 4.0], "end", number);
}

fn grid(picture: &mut Picture, sweep: &Sweep, frame: &Frame) {
    if let Some(best) = sweep.better() {
        let (from, to) = (frame.x(best.from) - 3.0, frame.x(best.to) + 3.0);
        let (top, floor) = (frame.top, frame.top + CURVES);
        picture.draw("best", Form::Box { from: [from, top], to: [to, floor] });
    }
    for quarter in 0..=4_u8 {
        let share = frame.least + (1.0 - frame.least) * f64::from(quarter) / 4.0;
        across(picture, frame.y(share), format!("{} %", rounded(share * 100.0)));
    }
}

fn draw(picture: &mut Picture, sweep: &Sweep, frame: &Frame, curve: &Measure) {
    let points = sweep.points.iter();
    let known = points.filter_map(|point| Some((point.value, (curve.of)(point)?)));
    let known: Vec<(f64, f64)> = known.collect();
    let places = known.iter().map(|(value, share)| [frame.x(*value), frame.y(*share)]);
    picture.draw(curve.style, Form::Line(places.clone().collect()));
    if sweep.points.len() <= DOTTED {
        for ((value, share), place) in known.iter().zip(places) {
            picture.draw(curve.style, Form::Dot(place));
            picture.hint(format!("{value}: {}, {:.1} %", curve.name, share * 100.0));
        }
    }
}

/// How many exchanges each value flips, as bars of their own.
fn flips(picture: &mut Picture, points: &[Point], frame: &Frame) {
    let (top, bottom) = (frame.flips(), frame.bottom());
    let most = points.iter().map(|point| point.flips).max().unwrap_or(0);
    let room = (SIDES[1] - SIDES[0] - 2.0 * INSET) / points.len() as f64;
    let half = (room * 0.6).clamp(1.0, 16.0) / 2.0;
    picture.styled_words("faint", [SIDES[0], top - 8.0], "start", "changed verdicts");
    across(picture, bottom, "0".to_owned());
    if most > 0 {
        across(picture, top, grouped(most));
    }
    for point in points {
        let x = frame.x(point.value);
        let height = point.flips as f64 / most.max(1) as f64 * FLIPS;
        let (from, to) = ([x - half, bottom - height], [x + half, bottom]);
        picture.draw("flips", Form::Box { from, to });
        picture.hint(format!("{}: {}", point.value, counted(point.flips, "changed verdict")));
    }
}

/// Round values below both.
fn ticks(picture: &mut Picture, frame: &Frame) {
    let step = round_step(frame.to - frame.from, TICKS);
    let first = (frame.from / step).ceil();
    let values = (0..=64_u8).map(|at| rounded((first + f64::from(at)) * step));
    let bottom = frame.bottom();
    for value in values.take_while(|value| *value <= frame.to + step * 1e-6) {
        let x = frame.x(value);
        picture.draw("grid", Form::Line(vec![[x, bottom], [x, bottom + 5.0]]));
        picture.styled_words("faint", [x, bottom + LINE], "middle", value.to_string());
    }
}

fn now(picture: &mut Picture, now: f64, frame: &Frame) {
    let x = frame.x(now);
    let label = format!("now {now}");
    let half = label.len() as f64 * BOLD / 2.0;
    let middle = x.clamp(SIDES[0] + half, SIDES[1] - half);
    picture.draw("now", Form::Line(vec![[x, frame.top - 6.0], [x, frame.bottom()]]));
    picture.styled_words("now", [middle, frame.top - 11.0], "middle", label);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::accuracy::Confusion;

    #[test]
    fn a_picture_is_one_document_with_its_curves() {
        let point = |value: f64, flips: u64| Point {
            value,
            is_now: flips == 0,
            confusion: Confusion::default(),
            answers: [1, 3, 1, 0, 0],
            flips,
        };
        let sweep = Sweep {
            path: "decide.\"a <b>\u{1b}[31m\u{202e}\u{ffff}\".threshold".to_owned(),
            now: 0.5,
            points: vec![point(0.25, 9), point(0.5, 0), point(0.75, 3)],
            excluded: 0,
            is_labelled: false,
            best: None,
            still: None,
        };
        let svg = picture(&sweep);
        assert!(!svg.contains(['\u{1b}', '\u{202e}', '\u{ffff}']), "{svg}");
        let read = roxmltree::Document::parse(&svg).expect("XML");
        let of = |name: &str, class: &str| {
            let nodes = read.descendants().filter(|node| node.tag_name().name() == name);
            nodes.filter(|node| node.attribute("class") == Some(class)).count()
        };
        assert_eq!(of("rect", "flips"), 3);
        assert_eq!(of("path", "b") + of("path", "c dashed"), 4, "a stroke for each in the legend");
        assert_eq!(of("circle", "b"), 3);
        let title = read.root_element().first_element_child().expect("a title");
        assert_eq!(title.text(), Some("decide.\"a <b>\\u{1b}[31m\\u{202e}\\u{ffff}\".threshold"));
        assert!(svg.contains(">now 0.5</text>"), "{svg}");
    }

    #[test]
    fn within_a_page_it_styles_nothing_but_itself_and_takes_the_colours_of_the_page() {
        assert!(STYLE.contains("--s-ink: var(--sweep-ink, #1f2328)"), "{STYLE}");
        let rules = STYLE.replace("@media (prefers-color-scheme: dark) {", "").replace("} }", "}");
        for rule in rules.split('}').map(str::trim).filter(|rule| !rule.is_empty()) {
            assert!(rule.starts_with(".tapecheck-sweep"), "{rule}");
        }
    }
}
