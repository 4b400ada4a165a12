//! The words and places that all sections share.

use crate::recording::Key;
use crate::verdict::Severity;
use std::fmt::Write as _;

/// A severity's place, the worst first: that order and the alphabet's agree only by half.
pub(super) fn severity_place(severity: &str) -> usize {
    let all = Severity::ALL;
    all.iter().position(|known| known.name() == severity).unwrap_or(all.len())
}

/// By how many points a share moved; `None` where it did not, as far as can be seen.
pub(super) fn moved(before: f64, after: f64) -> Option<String> {
    let moved = ((after - before) * 1000.0).round() / 10.0;
    (moved != 0.0).then(|| format!("{moved:+.1} pt").replace('-', "−"))
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
pub(super) fn place_of(key: Key) -> String {
    format!("#exchange/{key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_moved_by_less_than_is_shown_did_not_move() {
        assert_eq!(moved(0.5, 0.487).as_deref(), Some("−1.3 pt"));
        assert_eq!(moved(0.5, 0.500_1), None);
    }

    #[test]
    fn places_hold_any_name() {
        let place = filtered(&[("server", "a b&c=#\"é"), ("class", "broken")]);
        assert_eq!(place, "#exchanges?server=a%20b%26c%3D%23%22%C3%A9&class=broken");
    }
}
