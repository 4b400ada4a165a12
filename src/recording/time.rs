//! Recorded times: just enough of RFC 3339 to know the day and to subtract.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A moment, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// Reads `2026-11-21T09:37:54.605Z`, with any offset and any number of decimals.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.as_bytes().split_first_chunk::<19>()?;
        let number = |from: usize, to: usize| number(&head[from..to]);
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let marks = (head[4], head[7], head[10], head[13], head[16]);
        let marked = matches!(marks, (b'-', b'-', b'T' | b't' | b' ', b':', b':'));
        let in_range = (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60;
        if !marked || !in_range {
            return None;
        }
        let (millis, zone) = fraction(rest);
        let offset_minutes = offset(zone)?;
        let days = days_since_epoch(year, month, day);
        Some(Self(
            ((days * 24 + hour) * 60 + minute - offset_minutes) * 60_000
                + second.min(59) * 1000
                + millis,
        ))
    }

    /// The moment in UTC, to the second.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let second = self.0.div_euclid(1000).rem_euclid(86_400);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        format!("{}T{hour:02}:{minute:02}:{:02}Z", self.day(), second % 60)
    }

    /// The UTC day, as a number of days since 1970-01-01.
    #[must_use]
    pub fn day_number(self) -> i64 {
        self.0.div_euclid(86_400_000)
    }

    /// The UTC day, as `YYYY-MM-DD`.
    #[must_use]
    pub fn day(self) -> String {
        let (year, month, day) = civil(self.day_number());
        format!("{year:04}-{month:02}-{day:02}")
    }
}

/// A day of the calendar (UTC), as a number of days since 1970-01-01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

impl Day {
    /// Reads `2026-11-21`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text: &[u8; 10] = text.as_bytes().try_into().ok()?;
        if (text[4], text[7]) != (b'-', b'-') {
            return None;
        }
        let date = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
        let days = days_since_epoch(date.0, date.1, date.2);
        // A day that its month does not have is another day.
        (civil(days) == date).then_some(Self(i32::try_from(days).ok()?))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(i64::from(self.0));
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not a day of the calendar"))
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

/// Milliseconds of the decimals at the start of `rest`, and what follows them.
fn fraction(rest: &[u8]) -> (i64, &[u8]) {
    let Some(decimals) = rest.strip_prefix(b".") else { return (0, rest) };
    let end = decimals.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(decimals.len());
    let (decimals, zone) = decimals.split_at(end);
    let thousandths = decimals.iter().chain(b"000").take(3);
    (thousandths.fold(0, |number, digit| number * 10 + i64::from(digit - b'0')), zone)
}

/// The offset from UTC in minutes; a time without one is taken as UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    let sign = match zone.first() {
        None | Some(b'Z' | b'z') => return (zone.len() <= 1).then_some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let mut digits = [0; 4];
    let mut found = 0;
    for byte in zone[1..].iter().filter(|byte| **byte != b':') {
        *digits.get_mut(found)? = i64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        found += 1;
    }
    let [tens, hours, ten_minutes, minutes] = digits;
    (found == 4).then_some(sign * ((tens * 10 + hours) * 60 + ten_minutes * 10 + minutes))
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last day of a year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date that is this many days after 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_written() {
        let day = Day::parse("2026-11-21").expect("a day of the calendar");
        assert_eq!((day.0, day.to_string()), (20_778, "2026-11-21".to_owned()));
        for odd in ["2026-02-30", "2026-13-01", "21.11.2026", "2026-11-21T00:00:00Z", ""] {
            assert_eq!(Day::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn times_are_read_and_turned_into_utc_days() {
        let day = |text| Moment::parse(text).map(Moment::day);
        assert_eq!(day("1970-01-01T00:00:00Z").as_deref(), Some("1970-01-01"));
        assert_eq!(day("2024-02-29T23:59:59.999999Z").as_deref(), Some("2024-02-29"));
        assert_eq!(day("2026-03-01T00:30:00+01:00").as_deref(), Some("2026-02-28"));
        assert_eq!(day("2025-12-31T23:00:00-0200").as_deref(), Some("2026-01-01"));
        // A leap second belongs to the day that it ends.
        assert_eq!(day("2016-12-31T23:59:60Z").as_deref(), Some("2016-12-31"));
    }

    #[test]
    fn moments_are_written_as_they_are_read() {
        let text = "2026-11-21T09:37:54Z";
        assert_eq!(Moment::parse(text).map(Moment::rfc3339).as_deref(), Some(text));
    }

    #[test]
    fn times_can_be_subtracted() {
        let at = |text| Moment::parse(text).expect("a time").0;
        assert_eq!(at("2026-11-21T09:37:56.002Z") - at("2026-11-21T09:37:54.605Z"), 1397);
        assert_eq!(at("2026-11-21T10:00:00+01:00") - at("2026-11-21T09:00:00Z"), 0);
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-01-01",
            "2026-01-01T00:00:00ZZ",
            "2026-01-01T00:00:00+1",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
