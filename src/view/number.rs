//! How shares, intervals, probabilities and bars are written, wherever they are shown.

use crate::count::tally::Interval;

/// A share in percent. What is not all never reads as all, and what is not none never as none.
pub(crate) fn percent(share: f64) -> String {
    percent_to(share, 1)
}

pub(super) fn percent_to(share: f64, decimals: usize) -> String {
    // A small share needs another digit to be told from smaller ones.
    let decimals = if share > 0.0 && share < 0.000_95 { decimals.max(2) } else { decimals };
    let step = 10_f64.powi(-i32::try_from(decimals).unwrap_or(0));
    let rounded = (share * 100.0 / step).round() * step;
    if rounded <= 0.0 && share > 0.0 {
        format!("< {step:.decimals$} %")
    } else if rounded >= 100.0 && share < 1.0 {
        format!("> {:.decimals$} %", 100.0 - step)
    } else {
        format!("{:.decimals$} %", share * 100.0)
    }
}

/// By how many points a share moved.
pub(crate) fn points(before: f64, after: f64) -> String {
    format!("{:+.1}", (after - before) * 100.0)
}

pub(super) fn interval(interval: Interval, decimals: usize, is_signed: bool) -> String {
    let Interval { low, high } = interval;
    if is_signed {
        format!("({low:+.decimals$} to {high:+.decimals$})")
    } else {
        format!("({low:.decimals$}–{high:.decimals$})")
    }
}

/// Ends in percent, as short as they can be without seeming to leave the share out.
pub(super) fn interval_in_percent(interval: Interval) -> String {
    let end = |share: f64| {
        let text = format!("{:.1}", share * 100.0);
        text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
    };
    format!("({}–{})", end(interval.low), end(interval.high))
}

/// A bar that fills a share of its width. What is there can be seen, however small its share is.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let least = if share > 0.0 { 1.0 } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small width"
    )]
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round().max(least) as usize;
    let mut bar: String = std::iter::repeat_n('█', eighths / 8).collect();
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::tally::Share;
    use crate::view::Cell;

    fn shown(cell: &Cell) -> String {
        cell.line().0.into_iter().map(|span| span.text).collect()
    }

    #[test]
    fn shares_never_claim_all_or_nothing_wrongly() {
        let cases = [
            (0.0, "0.0 %"),
            (0.000_01, "< 0.01 %"),
            (0.000_4, "0.04 %"),
            (0.957_33, "95.7 %"),
            (0.999_9, "> 99.9 %"),
            (1.0, "100.0 %"),
        ];
        for (share, words) in cases {
            assert_eq!(percent(share), words);
        }
        assert_eq!(points(0.5, 0.487), "-1.3");
    }

    #[test]
    fn cells_with_intervals() {
        assert_eq!(shown(&Cell::share_within(Share { hits: 0, of: 0 })), "–");
        assert_eq!(shown(&Cell::share_within(Share { hits: 81, of: 263 })), "30.8 % (25.5–36.6)");
        let interval = Interval { low: 0.25, high: 0.75 };
        assert_eq!(shown(&Cell::number(0.5, 3).within(interval)), "0.500 (0.250–0.750)");
        let starred = Cell::number(0.5, 3).within(interval).signed("*");
        assert_eq!(shown(&starred), "0.500 (0.250–0.750)*");
        let interval = Interval { low: -0.25, high: 0.75 };
        assert_eq!(shown(&Cell::difference(0.5, 2).within(interval)), "+0.50 (-0.25 to +0.75)");
        assert_eq!(shown(&Cell::ratio(Share { hits: 4, of: 5 })), "4/5");
        assert_eq!(shown(&Cell::ratio(Share { hits: 0, of: 0 })), "·");
        assert_eq!(shown(&Cell::p(0.000_01)), "< 0.0001");
    }

    #[test]
    fn bars() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(1.0 / 16.0, 2), "▏");
        assert_eq!(bar(0.000_1, 4), "▏");
        assert_eq!(bar(0.0, 4), "");
    }
}
