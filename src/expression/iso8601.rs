//! Times as ISO 8601 writes them.

use jiff::civil::Date;
use regex::Regex;
use std::sync::LazyLock;

/// Extended (`2025-12-19T10:30:00Z`) and basic (`20251219T103000Z`) forms; seconds, decimals and the
/// offset may be left out. A date alone is no time.
static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?",
        r"|([0-9]{4})([0-9]{2})([0-9]{2})[Tt]([0-9]{2})([0-9]{2})(?:([0-9]{2}))?)",
        r"([.,][0-9]{1,18})?([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?\z"
    ))
    .expect("a shape written here compiles")
});

/// Longer than any time is written.
const LONGEST: usize = 64;

pub fn is_iso8601(text: &str) -> bool {
    to_rfc3339(text).is_some()
}

/// An ISO 8601 time as RFC 3339 writes it. A time without an offset is taken as UTC; a leap second
/// belongs to the second before it.
pub fn to_rfc3339(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let found = SHAPE.captures(text)?;
    let part = |extended: usize| {
        found.get(extended).or_else(|| found.get(extended + 6)).map(|part| part.as_str())
    };
    let number = |at: usize| part(at).map_or(Some(0), |digits| digits.parse::<i16>().ok());
    let (year, month, day) = (number(1)?, number(2)?, number(3)?);
    let (hour, minute, second) = (number(4)?, number(5)?, number(6)?);
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let second = second.min(59);
    let decimals = found.get(13).map_or("", |part| part.as_str()).replace(',', ".");
    let offset = offset(found.get(14).map_or("", |part| part.as_str()))?;
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{decimals}{offset}"
    ))
}

fn offset(written: &str) -> Option<String> {
    let (Some(sign), digits) = (written.chars().next(), written.replace(':', "")) else {
        return Some("Z".to_owned());
    };
    if matches!(sign, 'Z' | 'z') {
        return Some("Z".to_owned());
    }
    let hours: u32 = digits.get(1..3)?.parse().ok()?;
    let minutes: u32 = digits.get(3..5).map_or(Some(0), |minutes| minutes.parse().ok())?;
    (hours < 24 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_spellings_are_times() {
        for (text, rfc3339) in [
            ("2025-12-19T10:30:00Z", "2025-12-19T10:30:00Z"),
            ("2025-12-19T10:30:00.123456", "2025-12-19T10:30:00.123456Z"),
            ("2025-12-19T10:30+0530", "2025-12-19T10:30:00+05:30"),
            ("20251219T103000,5-02", "2025-12-19T10:30:00.5-02:00"),
            ("2024-02-29t23:59:60z", "2024-02-29T23:59:59Z"),
        ] {
            assert_eq!(to_rfc3339(text).as_deref(), Some(rfc3339), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2025-12-19",
            "2025-12-19 10:30:00Z",
            "2025-02-29T10:00:00Z",
            "2025-13-01T00:00:00Z",
            "2025-12-19T24:00:00Z",
            "2025-12-19T10:30:00+24:00",
            "2025-12-19T10:30:00Z\n",
            "yesterday",
            "1734604200",
        ] {
            assert!(!is_iso8601(text), "{text}");
        }
    }
}
