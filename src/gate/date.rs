//! Days, as waivers end on them.

use crate::recording::Moment;
use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The machine's day, in UTC.
    #[must_use]
    pub fn today() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let day = Moment(i64::try_from(now.as_millis()).unwrap_or_default()).day().parse();
        // A clock beyond the year 9999 ends every waiver.
        day.unwrap_or(Self { year: 9999, month: 12, day: 31 })
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        read(text).ok_or_else(|| "a day must stand here, as YYYY-MM-DD".to_owned())
    }
}

fn read(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let mut number = |digits: usize| -> Option<u16> {
        let part = parts.next()?;
        let is_plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| part.parse().ok())?
    };
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    };
    let exists = (1..=12).contains(&month) && (1..=last).contains(&day) && parts.next().is_none();
    let part = |number: u16| u8::try_from(number).ok();
    exists.then_some(Date { year, month: part(month)?, day: part(day)? })
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn only_days_that_exist_are_days() {
        for text in ["2026-11-21", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().expect("a day").to_string(), text);
        }
        for text in [
            "2025-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "2026-1-1",
            "2026-01-01T00:00:00Z",
            "2026-01-01-",
            "+026-01-01",
            "",
            "tomorrow",
            "2026-01",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        let day = |text: &str| text.parse::<Date>().expect("a day");
        assert!(day("2026-09-30") < day("2026-10-01"));
        assert!(Date::today() > day("2020-01-01"));
    }
}
