//! Recorded times, and days of the calendar.

use jiff::civil::Date;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use jiff::{Span, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A moment, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moment(pub i64);

impl Moment {
    /// Reads `2026-11-21T09:37:54.605Z`, with any offset and any number of decimals; without an offset it is
    /// UTC. A leap second belongs to the second before it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        usual(text).or_else(|| Self::in_any_form(text))
    }

    fn in_any_form(text: &str) -> Option<Self> {
        let text = to_nanoseconds(text);
        let written = Pieces::parse(text.as_ref()).ok()?;
        let offset = written.to_numeric_offset().unwrap_or(Offset::UTC);
        let moment = offset.to_timestamp(written.date().to_datetime(written.time()?)).ok()?;
        Some(Self(moment.as_millisecond()))
    }

    #[must_use]
    pub fn now() -> Self {
        Self(Timestamp::now().as_millisecond())
    }

    /// The moment in UTC, to the second.
    #[must_use]
    pub fn rfc3339(self) -> String {
        let second = Timestamp::from_second(self.0.div_euclid(1000)).unwrap_or(Timestamp::MAX);
        let mut text = String::with_capacity("2026-11-21T09:37:54Z".len());
        DateTimePrinter::new()
            .print_timestamp(&second, &mut text)
            .map_or_else(|_| second.to_string(), |()| text)
    }

    /// The same to the millisecond.
    #[must_use]
    pub fn rfc3339_with_milliseconds(self) -> String {
        format!("{:.3}", Timestamp::from_millisecond(self.0).unwrap_or(Timestamp::MAX))
    }

    #[must_use]
    pub fn day(self) -> Day {
        Day(i32::try_from(self.0.div_euclid(86_400_000)).unwrap_or(i32::MAX))
    }
}

/// A time from 1970 on, as `2026-11-21T09:37:54.605Z`, which nearly all recordings have.
fn usual(text: &str) -> Option<Moment> {
    /// Of a year with a leap day in it.
    const DAYS: [i64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (time, decimals) = text.as_bytes().split_first_chunk::<19>()?;
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T', h0, h1, b':', n0, n1, b':', s0, s1] =
        *time
    else {
        return None;
    };
    let two = |tens: u8, ones: u8| {
        let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
        is_number.then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    };
    let year = two(y0, y1)? * 100 + two(y2, y3)?;
    let (month, day) = (two(m0, m1)?, two(d0, d1)?);
    let (hour, minute, second) = (two(h0, h1)?, two(n0, n1)?, two(s0, s1)?);
    let decimals = match decimals {
        [b'Z'] => &[],
        [b'.', decimals @ .., b'Z'] if (1..=9).contains(&decimals.len()) => decimals,
        _ => return None,
    };
    if !decimals.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let decimal = |at: usize| decimals.get(at).map_or(0, |digit| i64::from(digit - b'0'));
    let millisecond = decimal(0) * 100 + decimal(1) * 10 + decimal(2);
    let before = DAYS.get(..usize::try_from(month - 1).ok()?)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = DAYS.get(before.len())? - i64::from(month == 2 && !is_leap);
    if year < 1970 || !(1..=longest).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Leap years before this one, from 1970.
    let leap = |year: i64| year / 4 - year / 100 + year / 400;
    let of_year = before.iter().sum::<i64>() - i64::from(month > 2 && !is_leap) + day - 1;
    let days = (year - 1970) * 365 + leap(year - 1) - leap(1969) + of_year;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Some(Moment(seconds * 1000 + millisecond))
}

/// The time without the decimals that follow the ninth.
fn to_nanoseconds(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(['.', ',']).map(|point| point + 1) else { return text.into() };
    let decimals = text[first..].bytes().take_while(u8::is_ascii_digit).count();
    if decimals <= 9 {
        return text.into();
    }
    (text[..first + 9].to_owned() + &text[first + decimals..]).into()
}

const EPOCH: Date = Date::constant(1970, 1, 1);

/// A day of the calendar (UTC), as a number of days since 1970-01-01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

impl FromStr for Day {
    type Err = &'static str;

    /// Reads `2026-11-21`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // ISO 8601 has other spellings of a day.
        let is_usual = text.len() == 10 && text.as_bytes()[4] == b'-';
        let date: Option<Date> = text.parse().ok().filter(|_| is_usual);
        let day = date.and_then(|date| Some(Self(date.since(EPOCH).ok()?.get_days())));
        day.ok_or("expected a day, as YYYY-MM-DD")
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = Span::new().try_days(self.0).and_then(|days| EPOCH.checked_add(days));
        date.unwrap_or(Date::MAX).fmt(f)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nearly_all_times_are_read_in_their_usual_form() {
        assert_eq!(usual("2024-02-29T23:59:59.999Z"), Some(Moment(1_709_251_199_999)));
        assert!(Moment::now().day() > "2020-01-01".parse().expect("a day"));
    }

    proptest! {
        #[test]
        fn the_usual_form_is_read_as_any_form_is(
            date in "(19[67][0-9]|20[0-9]{2}|[0-9]{4})-[0-2][0-9]-[0-3][0-9]",
            time in "[T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9]",
            decimals in "(\\.[0-9]{0,10})?",
            zone in "Z|\\+00:00|z|",
        ) {
            let text = date + &time + &decimals + &zone;
            if let Some(moment) = usual(&text) {
                prop_assert_eq!(Some(moment), Moment::in_any_form(&text));
            }
        }
    }
}
