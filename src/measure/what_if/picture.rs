//! A sweep as a picture: SVG that needs nothing else, readable on light and on dark ground, alone or within
//! a page. A page may set the colours by `--sweep-ink` and its like.

use super::range::{round_step, rounded};
use super::{Point, Sweep};
use crate::compare::Answer;
use crate::labels::Label;
use crate::verdict::{counted, cut, grouped, harmless};
use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
/// Where values begin and end, from left to right.
const SIDES: [f64; 2] = [64.0, 728.0];
/// Room between the frame and the first and last value.
const INSET: f64 = 12.0;
/// The legend: its first row, and how far its rows are apart.
const LEGEND: [f64; 2] = [72.0, 20.0];
/// How high the curves and the flips are.
const CURVES: f64 = 220.0;
const FLIPS: f64 = 56.0;
/// About how wide a letter of the usual size is.
const LETTER: f64 = 6.6;
/// The same of bold letters.
const BOLD: f64 = 7.4;
/// So many letters of the heading fit.
const HEADING: usize = 84;
/// So many values are labelled.
const TICKS: f64 = 10.0;
/// Where the scale of shares may begin: with the greatest that leaves nothing out.
const LEAST: [f64; 4] = [0.9, 0.8, 0.6, 0.0];
/// Up to so many values, each has a dot that tells its numbers.
const DOTTED: usize = 61;

/// Colours by name: on light ground, and on dark.
const COLORS: [(&str, &str, &str); 8] = [
    ("ground", "#ffffff", "#0d1117"),
    ("ink", "#1f2328", "#e6edf3"),
    ("faint", "#59636e", "#9198a1"),
    ("line", "#d8dee4", "#30363d"),
    ("a", "#0550ae", "#58a6ff"),
    ("b", "#1a7f37", "#3fb950"),
    ("c", "#bc4c00", "#f0883e"),
    ("d", "#8250df", "#bc8cff"),
];

const STYLE: &str = "\
.tapecheck-sweep{color-scheme:light dark;background:var(--s-ground);max-width:100%;height:auto}\
.tapecheck-sweep text{font:12px system-ui,-apple-system,\"Segoe UI\",sans-serif;fill:var(--s-ink);font-variant-numeric:tabular-nums}\
.tapecheck-sweep .heading{font-size:15px;font-weight:600}\
.tapecheck-sweep .faint{fill:var(--s-faint)}\
.tapecheck-sweep .ground{fill:var(--s-ground)}\
.tapecheck-sweep .grid{stroke:var(--s-line)}\
.tapecheck-sweep .best{fill:var(--s-a)}\
.tapecheck-sweep .flips{fill:var(--s-faint);fill-opacity:.65}\
.tapecheck-sweep .now{stroke:var(--s-ink)}\
.tapecheck-sweep .now-label{font-weight:600}";

/// A curve of the picture.
struct Curve {
    name: &'static str,
    color: &'static str,
    width: f64,
    dash: &'static str,
    of: fn(&Point) -> Option<f64>,
}

/// What is drawn where labels say how right the answers are. Curves often lie on each other: the first is
/// the broadest, and through the gaps of the later ones the earlier ones show.
const LABELLED: [Curve; 5] = [
    Curve {
        name: "balanced accuracy",
        color: "a",
        width: 4.0,
        dash: "none",
        of: |point| point.confusion.balanced_accuracy(),
    },
    Curve {
        name: "business logic found",
        color: "b",
        width: 2.0,
        dash: "9 5",
        of: |point| point.confusion.recall(Label::BusinessLogic).value(),
    },
    Curve {
        name: "tool failures found",
        color: "c",
        width: 2.0,
        dash: "2 4",
        of: |point| point.confusion.recall(Label::ToolFailure).value(),
    },
    Curve {
        name: "hidden failures found",
        color: "d",
        width: 2.0,
        dash: "none",
        of: |point| point.confusion.recall(Label::HiddenFailure).value(),
    },
    Curve {
        name: "right where a hidden failure is called",
        color: "d",
        width: 2.0,
        dash: "3 3",
        of: |point| point.confusion.precision(Label::HiddenFailure).value(),
    },
];

/// What is drawn where there are no labels.
const PLAIN: [Curve; 2] = [
    Curve {
        name: "errors called business logic",
        color: "b",
        width: 2.5,
        dash: "none",
        of: |point| point.share_of_errors(Answer::BusinessLogic),
    },
    Curve {
        name: "errors called tool failure",
        color: "c",
        width: 2.5,
        dash: "7 4",
        of: |point| point.share_of_errors(Answer::ToolFailure),
    },
];

impl Curve {
    fn stroke(&self) -> String {
        let Self { color, width, dash, .. } = self;
        // Who knows no custom properties takes the attribute.
        format!(
            "class=\"curve\" fill=\"none\" stroke=\"{}\" style=\"stroke:var(--s-{color})\" \
             stroke-width=\"{width}\" stroke-dasharray=\"{dash}\" stroke-linejoin=\"round\"",
            light(color)
        )
    }
}

/// The sweep as an SVG document.
pub fn picture(sweep: &Sweep) -> String {
    let curves: &[Curve] = if sweep.is_labelled { &LABELLED } else { &PLAIN };
    let drawn = |curve: &&Curve| sweep.points.iter().any(|point| (curve.of)(point).is_some());
    let curves: Vec<&Curve> = curves.iter().filter(drawn).collect();
    let mut parts = String::new();
    let top = legend(&mut parts, sweep, &curves) + 34.0;
    let Some(frame) = Frame::of(sweep, top, least(sweep, &curves)) else {
        return document(sweep, 120.0, &parts);
    };
    grid(&mut parts, &frame);
    for curve in curves {
        draw(&mut parts, sweep, &frame, curve);
    }
    flips(&mut parts, sweep, &frame);
    ticks(&mut parts, &frame);
    now(&mut parts, sweep, &frame);
    document(sweep, frame.bottom() + 34.0, &parts)
}

fn document(sweep: &Sweep, height: f64, parts: &str) -> String {
    let path = escaped(&sweep.path);
    let heading = escaped(&cut(&harmless(&sweep.path), HEADING));
    let summary = summary(sweep);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tapecheck-sweep\" width=\"{WIDTH}\" \
         height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\"><title>{path}</title>\
         <desc>{summary}</desc><style>{}</style>\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\" fill=\"{}\"/>\
         <text class=\"heading\" x=\"20\" y=\"28\">{heading}</text>\
         <text class=\"faint\" x=\"20\" y=\"48\">{summary}</text>{parts}</svg>\n",
        style(),
        light("ground")
    )
}

/// The colours, which a page may set, and what has which.
fn style() -> String {
    let rule = |colors: &dyn Fn(&(&str, &str, &str)) -> String| -> String {
        let colors: Vec<String> = COLORS.iter().map(colors).collect();
        format!(".tapecheck-sweep{{{}}}", colors.join(";"))
    };
    let on_light = rule(&|(name, color, _)| format!("--s-{name}:var(--sweep-{name},{color})"));
    let on_dark = rule(&|(name, _, color)| format!("--s-{name}:var(--sweep-{name},{color})"));
    format!("{on_light}@media (prefers-color-scheme:dark){{{on_dark}}}{STYLE}")
}

fn light(name: &str) -> &'static str {
    let color = COLORS.iter().find(|(other, _, _)| *other == name);
    color.map_or("currentColor", |(_, light, _)| light)
}

/// What the picture shows, in a sentence.
fn summary(sweep: &Sweep) -> String {
    let mut parts = vec![format!("now {}", sweep.now)];
    let accuracy = |measure: Option<f64>| measure.unwrap_or_default();
    match (sweep.better(), sweep.best) {
        (Some(best), _) => {
            let ends = if best.from.total_cmp(&best.to).is_eq() {
                format!("{}", best.from)
            } else {
                format!("{} to {}", best.from, best.to)
            };
            let measure = accuracy(best.balanced_accuracy);
            parts.push(format!("best {ends} with balanced accuracy {measure:.4}"));
        }
        (None, Some(all)) => {
            let measure = accuracy(all.balanced_accuracy);
            parts.push(format!("balanced accuracy {measure:.4} everywhere"));
        }
        (None, None) => {}
    }
    let most = sweep.points.iter().map(|point| point.flips).max().unwrap_or(0);
    parts.push(if most == 0 {
        "no value flips anything".to_owned()
    } else {
        format!("at most {}", counted(most, "flip"))
    });
    parts.join(" \u{b7} ")
}

/// What the curves are, in as many rows as it takes; where its last row stands.
fn legend(svg: &mut String, sweep: &Sweep, curves: &[&Curve]) -> f64 {
    let [mut y, apart] = LEGEND;
    let mut x = 20.0;
    let mut entry = |name: &str, mark: &dyn Fn(f64, f64) -> String| {
        let width = 30.0 + name.len() as f64 * LETTER;
        if x > 20.0 && x + width > WIDTH - 20.0 {
            (x, y) = (20.0, y + apart);
        }
        let _ =
            write!(svg, "{}<text x=\"{:.0}\" y=\"{y}\">{name}</text>", mark(x, y - 4.0), x + 30.0);
        x += width + 18.0;
        y
    };
    let mut last = LEGEND[0];
    for curve in curves {
        last =
            entry(curve.name, &|x, y| format!("<path {} d=\"M{x:.0} {y}h24\"/>", curve.stroke()));
    }
    if sweep.better().is_some() {
        last = entry("best values", &|x, y| {
            format!(
                "<rect class=\"best\" x=\"{x:.0}\" y=\"{}\" width=\"24\" height=\"12\" {}/>",
                y - 6.0,
                band()
            )
        });
    }
    last
}

fn band() -> String {
    format!("fill=\"{}\" fill-opacity=\"0.16\"", light("a"))
}

/// Where the scale of shares begins.
fn least(sweep: &Sweep, curves: &[&Curve]) -> f64 {
    let points = sweep.points.iter();
    let shares = points.flat_map(|point| curves.iter().filter_map(|curve| (curve.of)(point)));
    let lowest = shares.fold(1.0, f64::min);
    LEAST.into_iter().find(|least| *least <= lowest).unwrap_or_default()
}

/// Where things stand.
struct Frame {
    /// Where the curves begin.
    top: f64,
    least: f64,
    from: f64,
    to: f64,
    best: Option<[f64; 2]>,
}

impl Frame {
    fn of(sweep: &Sweep, top: f64, least: f64) -> Option<Self> {
        let (from, to) = (sweep.points.first()?.value, sweep.points.last()?.value);
        let best = sweep.better().map(|best| [best.from, best.to]);
        Some(Self { top, least, from, to, best })
    }

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

fn line(y: f64) -> String {
    let [left, right] = SIDES;
    let color = light("line");
    format!("<path class=\"grid\" stroke=\"{color}\" d=\"M{left} {y:.1}H{right}\"/>")
}

/// A number beside the left end of a line.
fn beside(y: f64, text: &str) -> String {
    let (x, y) = (SIDES[0] - 8.0, y + 4.0);
    format!("<text class=\"faint\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>")
}

fn grid(svg: &mut String, frame: &Frame) {
    if let Some([from, to]) = frame.best {
        let (from, to) = (frame.x(from) - 3.0, frame.x(to) + 3.0);
        let _ = write!(
            svg,
            "<rect class=\"best\" x=\"{from:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{CURVES}\" {}/>",
            frame.top,
            to - from,
            band()
        );
    }
    for quarter in 0..=4_u8 {
        let share = frame.least + (1.0 - frame.least) * f64::from(quarter) / 4.0;
        let y = frame.y(share);
        let _ = write!(svg, "{}{}", line(y), beside(y, &format!("{} %", rounded(share * 100.0))));
    }
}

fn draw(svg: &mut String, sweep: &Sweep, frame: &Frame, curve: &Curve) {
    let points = sweep.points.iter();
    let known: Vec<(f64, f64)> =
        points.filter_map(|point| Some((point.value, (curve.of)(point)?))).collect();
    let path: Vec<String> = known
        .iter()
        .map(|(value, share)| format!("{:.1} {:.1}", frame.x(*value), frame.y(*share)))
        .collect();
    let _ = write!(svg, "<path {} d=\"M{}\"/>", curve.stroke(), path.join("L"));
    if sweep.points.len() > DOTTED {
        return;
    }
    for (value, share) in known {
        let color = curve.color;
        let _ = write!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{}\" fill=\"{}\" style=\"fill:var(--s-{color})\">\
             <title>{value}: {}, {:.1} %</title></circle>",
            frame.x(value),
            frame.y(share),
            1.0 + curve.width * 0.75,
            light(color),
            curve.name,
            share * 100.0
        );
    }
}

/// How many exchanges each value flips, as bars of their own.
fn flips(svg: &mut String, sweep: &Sweep, frame: &Frame) {
    let (top, bottom) = (frame.flips(), frame.bottom());
    let most = sweep.points.iter().map(|point| point.flips).max().unwrap_or(0);
    let room = (SIDES[1] - SIDES[0] - 2.0 * INSET) / sweep.points.len() as f64;
    let width = (room * 0.6).clamp(1.0, 16.0);
    let _ = write!(
        svg,
        "<text class=\"faint\" x=\"{}\" y=\"{}\">flips</text>{}{}",
        SIDES[0],
        top - 8.0,
        line(bottom),
        beside(bottom, "0")
    );
    if most > 0 {
        let _ = write!(svg, "{}{}", line(top), beside(top, &grouped(most)));
    }
    for point in &sweep.points {
        let height = point.flips as f64 / most.max(1) as f64 * FLIPS;
        let _ = write!(
            svg,
            "<rect class=\"flips\" fill=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"><title>{}: {}</title></rect>",
            light("faint"),
            frame.x(point.value) - width / 2.0,
            bottom - height,
            point.value,
            counted(point.flips, "flip")
        );
    }
}

/// Round values below both.
fn ticks(svg: &mut String, frame: &Frame) {
    let step = round_step(frame.to - frame.from, TICKS);
    let first = (frame.from / step).ceil();
    let values = (0..=64_u8).map(|at| rounded((first + f64::from(at)) * step));
    for value in values.take_while(|value| *value <= frame.to + step * 1e-6) {
        let x = frame.x(value);
        let _ = write!(
            svg,
            "<path class=\"grid\" stroke=\"{}\" d=\"M{x:.1} {}v5\"/>\
             <text class=\"faint\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
            light("line"),
            frame.bottom(),
            frame.bottom() + 20.0
        );
    }
}

fn now(svg: &mut String, sweep: &Sweep, frame: &Frame) {
    let x = frame.x(sweep.now);
    let label = format!("now {}", sweep.now);
    let half = label.len() as f64 * BOLD / 2.0;
    let middle = x.clamp(SIDES[0] + half, SIDES[1] - half);
    let _ = write!(
        svg,
        "<path class=\"now\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"4 3\" \
         d=\"M{x:.1} {}V{}\"/>\
         <text class=\"now-label\" x=\"{middle:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
        light("ink"),
        frame.top - 6.0,
        frame.bottom(),
        frame.top - 11.0
    );
}

/// Text of a rulebook as XML may hold it.
fn escaped(text: &str) -> String {
    let text = harmless(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
        let title = read.root_element().first_element_child().expect("a title");
        assert_eq!(title.tag_name().name(), "title");
        assert_eq!(title.text(), Some("decide.\"a <b>\".threshold"));
        assert!(svg.contains(">now 0.5</text>"), "{svg}");
    }

    #[test]
    fn within_a_page_it_styles_nothing_but_itself_and_takes_the_colours_of_the_page() {
        let style = style();
        assert!(style.contains("--s-ink:var(--sweep-ink,#1f2328)"), "{style}");
        assert!(style.contains("prefers-color-scheme:dark"), "{style}");
        let rules = style.replace("@media (prefers-color-scheme:dark){", "").replace("}}", "}");
        for rule in rules.split('}').filter(|rule| !rule.is_empty()) {
            assert!(rule.starts_with(".tapecheck-sweep"), "{rule}");
        }
    }

    #[test]
    fn names_of_lines_leave_no_control_character_in_it() {
        let name = escaped("a\u{1b}[31m\u{7}\u{202e}\u{ffff}\n<&");
        assert!(!name.contains(|c: char| c.is_control() || c == '\u{202e}' || c == '\u{ffff}'));
        roxmltree::Document::parse(&format!("<t>{name}</t>")).expect("XML");
    }
}
