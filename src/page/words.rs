//! The words and numbers that all sections share.

use super::markup::{Html, Tag, tag};
use crate::verdict::{Classification, Severity, counted, grouped};
use std::fmt::Write as _;

/// The style of each class, in the order of [`Classification::ALL`].
const CLASS_STYLES: [&str; 5] = ["k0", "k1", "k2", "k3", "k4"];

/// What a style sheet calls a class.
pub(super) fn style(class: Classification) -> &'static str {
    CLASS_STYLES[class as usize]
}

/// A class as people read it.
pub(super) fn class_words(class: Classification) -> String {
    class.name().replace('_', " ")
}

/// The place of a severity among all, the worst first: its order and that of the alphabet agree only by
/// half.
pub(super) fn severity_place(severity: &str) -> usize {
    let all = Severity::ALL;
    all.iter().position(|known| known.name() == severity).unwrap_or(all.len())
}

/// A share. What is not all never reads as all, and what is not none never as none.
pub(super) fn percent(share: f64) -> String {
    let rounded = (share * 1000.0).round() / 10.0;
    let number = if rounded >= 100.0 && share < 1.0 {
        "> 99.9".to_owned()
    } else if rounded <= 0.0 && share > 0.0 {
        "< 0.1".to_owned()
    } else if rounded >= 100.0 || rounded == 0.0 {
        format!("{rounded:.0}")
    } else {
        format!("{rounded:.1}")
    };
    format!("{number} %")
}

/// A share of a count; 0 of nothing.
pub(super) fn share(count: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { count as f64 / of as f64 }
}

/// By how many points a share moved; `None` where it did not, as far as can be seen.
pub(super) fn points(before: f64, after: f64) -> Option<String> {
    let moved = ((after - before) * 1000.0).round() / 10.0;
    (moved != 0.0).then(|| format!("{moved:+.1} pt").replace('-', "−"))
}

/// "is" or "are", as the number wants.
pub(super) fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// A number of things, set apart so that numbers stand under each other.
pub(super) fn number(count: u64) -> Tag {
    tag("span").class("n").text(grouped(count))
}

/// The place of a page where exchanges are listed, filtered by this.
pub(super) fn filtered(filters: &[(&str, &str)]) -> String {
    let mut place = "#exchanges".to_owned();
    for (at, (name, value)) in filters.iter().enumerate() {
        place.push(if at == 0 { '?' } else { '&' });
        place.push_str(name);
        place.push('=');
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
                place.push(char::from(byte));
            } else {
                let _ = write!(place, "%{byte:02X}");
            }
        }
    }
    place
}

/// The place of a page where an exchange is explained.
pub(super) fn place_of(key: &str) -> String {
    format!("#exchange/{key}")
}

/// A bar that fills a share of its place.
pub(super) fn bar(share: f64, style: &'static str) -> Tag {
    // What is there can be seen, however small its share is.
    let least = if share > 0.0 { 0.8 } else { 0.0 };
    let width = (share * 100.0).clamp(least, 100.0);
    tag("svg")
        .class("bar")
        .set("aria-hidden", "true")
        .put(tag("rect").class("track").set("width", "100%").set("height", "100%"))
        .put(tag("rect").class(style).set("width", format!("{width:.2}%")).set("height", "100%"))
}

/// A section with a heading, which links can lead to.
pub(super) fn section(id: &'static str, title: &str) -> Tag {
    let heading = format!("{id}-title");
    tag("section")
        .set("id", id)
        .set("aria-labelledby", &heading)
        .put(tag("h2").set("id", &heading).text(title))
}

/// A card with a heading.
pub(super) fn card(title: &str) -> Tag {
    tag("div").class("card").put(tag("h3").text(title))
}

/// A table that scrolls on its own where it is wider than the page.
pub(super) fn scrolling(label: &str, table: Tag) -> Html {
    tag("div")
        .class("scroll")
        .set("role", "region")
        .set("tabindex", "0")
        .set("aria-label", label)
        .put(table)
        .into()
}

/// The head of a table; columns of numbers stand on the right.
pub(super) fn head(columns: &[(&str, Align)]) -> Tag {
    let cells = columns
        .iter()
        .map(|(name, align)| tag("th").set("scope", "col").class(align.style()).text(name));
    tag("thead").put(tag("tr").all(cells))
}

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

impl Align {
    /// What a style sheet calls it.
    pub(super) fn style(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

pub(super) fn cell(align: Align) -> Tag {
    tag("td").class(align.style())
}

/// What is said of what is not listed; `None` where all is.
pub(super) fn more(left_out: usize, thing: &str, place: &str) -> Option<Tag> {
    let count = u64::try_from(left_out).unwrap_or(u64::MAX);
    let words = || format!("and {} in {place}", counted(count, &format!("more {thing}")));
    (left_out > 0).then(|| tag("p").class("note").text(words()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_claim_all_or_nothing_wrongly() {
        let cases = [
            (0.0, "0 %"),
            (0.000_1, "< 0.1 %"),
            (0.957_33, "95.7 %"),
            (0.999_9, "> 99.9 %"),
            (1.0, "100 %"),
        ];
        for (share, words) in cases {
            assert_eq!(percent(share), words);
        }
        assert_eq!(points(0.5, 0.487).as_deref(), Some("−1.3 pt"));
        assert_eq!(points(0.5, 0.500_1), None);
    }

    #[test]
    fn places_hold_any_name() {
        let place = filtered(&[("server", "a b&c=#\"é"), ("class", "broken")]);
        assert_eq!(place, "#exchanges?server=a%20b%26c%3D%23%22%C3%A9&class=broken");
    }
}
